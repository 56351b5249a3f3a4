// SPDX-License-Identifier: Apache-2.0
// Lone particles: what is thinner than the level of a surface is outside of it, and would be lost. Each
// becomes a small ball of its own. A bump in the meshed density would melt into its neighbours, but has
// to be wider than a cell of the lattice to be met at all; a ball may have any size.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "cache/export_surface.h"
#include "world/cell_key.h"

enum { EDGE = FIRN_RASTER_EDGE, NODES = FIRN_RASTER_NODES, CORNERS = 12, FACES = 20 };

// An icosahedron, outside on the left of each edge.
#define T 1.61803398874989485f
static const float corner[CORNERS][3] = {{-1, T, 0}, {1, T, 0}, {-1, -T, 0}, {1, -T, 0},
                                         {0, -1, T}, {0, 1, T}, {0, -1, -T}, {0, 1, -T},
                                         {T, 0, -1}, {T, 0, 1}, {-T, 0, -1}, {-T, 0, 1}};
static const uint8_t face[FACES][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
#define CORNER_RADIUS 1.90211303259030714 // of the corners above
#define VOLUME_RADIUS 1.18209             // of corners around as much volume as a ball of radius 1

typedef struct job {
  const firn_cloud *cloud;
  const firn_raster *raster;
  const firn_cloud_field *mass, *velocity;
  double level, rest_density; // kg/m^3
  double size;
} job;

// m, of a ball of the particle's mass in undisturbed snow.
static double radius_of(const job *j, size_t i) {
  return cbrt(0.238732414637843 * firn_cloud_value(j->mass, i) / j->rest_density); // 3 / (4 pi)
}

// The density at a particle and its slope, kg/m^4, from the nodes around it.
static double density_at(const job *j, size_t i, double slope[3]) {
  const firn_raster *r = j->raster;
  double at[3], value = 0;
  int32_t cell[3];
  for (size_t c = 0; c < 3; c++) {
    double x = firn_cloud_value(&j->cloud->field[0], 3 * i + c) / r->cell;
    cell[c] = (int32_t)floor(x);
    at[c] = x - floor(x);
    slope[c] = 0;
  }
  for (int k = 0; k < 8; k++) {
    int32_t block[3];
    int in[3];
    for (int c = 0; c < 3; c++) {
      int32_t node = cell[c] + (k >> c & 1);
      block[c] = (int32_t)floor((double)node / EDGE);
      in[c] = node - block[c] * EDGE;
    }
    size_t b = firn_raster_find(r, firn_cell_key(block));
    if (b == SIZE_MAX) continue;
    double density = (double)r->density[b * NODES + (size_t)(64 * in[0] + 8 * in[1] + in[2])], w[3];
    for (int c = 0; c < 3; c++) w[c] = k >> c & 1 ? at[c] : 1 - at[c];
    value += density * w[0] * w[1] * w[2];
    for (int c = 0; c < 3; c++)
      slope[c] += (k >> c & 1 ? density : -density) * w[(c + 1) % 3] * w[(c + 2) % 3] / r->cell;
  }
  return value;
}

// All of its ball is outside of the surface. Particles at an edge of solid snow, where the surface is
// rounded off, are a little outside of it themselves: balls there would look like beads.
static bool is_lone(const job *j, size_t i) {
  double slope[3], lack = j->level - density_at(j, i, slope);
  if (!(lack > 0) || !(firn_cloud_value(j->mass, i) > 0)) return false;
  double steep = sqrt(slope[0] * slope[0] + slope[1] * slope[1] + slope[2] * slope[2]);
  return lack > radius_of(j, i) * steep; // lack / steep is how far away the surface is
}

static void put_ball(const job *j, size_t i, size_t vertex, size_t triangle, firn_surface *s) {
  double scale = j->size * VOLUME_RADIUS * radius_of(j, i) / CORNER_RADIUS;
  for (size_t k = 0; k < CORNERS; k++) {
    for (size_t c = 0; c < 3; c++) {
      double middle = firn_cloud_value(&j->cloud->field[0], 3 * i + c);
      s->position[vertex + k][c] = (float)(middle + scale * (double)corner[k][c]);
      s->normal[vertex + k][c] = (float)((double)corner[k][c] / CORNER_RADIUS);
      if (s->velocity) s->velocity[vertex + k][c] = (float)firn_cloud_value(j->velocity, 3 * i + c);
    }
  }
  for (size_t k = 0; k < FACES; k++)
    for (size_t c = 0; c < 3; c++) s->triangle[triangle + k][c] = (uint32_t)vertex + face[k][c];
}

// What was there first, and room for n more balls behind it.
static firn_status grow(const firn_surface *s, size_t n, bool moves, firn_surface *out) {
  *out = (firn_surface){.context = s->context,
                        .vertex_count = s->vertex_count + CORNERS * n,
                        .triangle_count = s->triangle_count + FACES * n};
  if (out->vertex_count >= UINT32_MAX)
    return firn_fail(s->context, FIRN_ERROR_UNSUPPORTED,
                     "a surface of %zu vertices, those of %zu lone particles among them: too many",
                     out->vertex_count, n);
  const size_t bytes = out->vertex_count * sizeof *out->position;
  out->position = firn_alloc(s->context, bytes, "vertices of spray");
  out->normal = firn_alloc(s->context, bytes, "normals of spray");
  if (moves) out->velocity = firn_alloc(s->context, bytes, "velocities of spray");
  out->triangle = firn_alloc(s->context, out->triangle_count * sizeof *out->triangle,
                             "triangles of spray");
  if (!out->position || !out->normal || (moves && !out->velocity) || !out->triangle) {
    firn_surface_free(out);
    return FIRN_ERROR_MEMORY;
  }
  if (!s->vertex_count) return FIRN_OK;
  const size_t old = s->vertex_count * sizeof *s->position;
  memcpy(out->position, s->position, old);
  memcpy(out->normal, s->normal, old);
  if (moves) memcpy(out->velocity, s->velocity, old);
  memcpy(out->triangle, s->triangle, s->triangle_count * sizeof *s->triangle);
  return FIRN_OK;
}

static firn_status add(const job *j, uint32_t *lone, firn_surface *s) {
  size_t n = 0, count = j->cloud->count;
  FIRN_PARALLEL_FOR(s->context, schedule(static))
  for (size_t i = 0; i < count; i++) lone[i] = is_lone(j, i);
  for (size_t i = 0; i < count; i++)
    if (lone[i]) lone[n++] = (uint32_t)i;
  if (!n) return FIRN_OK;
  firn_surface more;
  FIRN_TRY(grow(s, n, j->velocity != NULL, &more));
  FIRN_PARALLEL_FOR(s->context, schedule(static))
  for (size_t k = 0; k < n; k++)
    put_ball(j, lone[k], s->vertex_count + CORNERS * k, s->triangle_count + FACES * k, &more);
  firn_surface_free(s);
  *s = more;
  return FIRN_OK;
}

firn_status firn_surface_add_spray(firn_surface *s, const firn_cloud *cloud,
                                   const firn_raster *raster, double level, double rest_density,
                                   double size) {
  const job j = {.cloud = cloud,
                 .raster = raster,
                 .mass = firn_cloud_find(cloud, "mass"),
                 .velocity = raster->momentum ? firn_cloud_find(cloud, "velocity") : NULL,
                 .level = level,
                 .rest_density = rest_density,
                 .size = size};
  if (!(size > 0) || !raster->count) return FIRN_OK;
  if (cloud->count >= UINT32_MAX)
    return firn_fail(s->context, FIRN_ERROR_UNSUPPORTED, "spray of %zu particles: too many",
                     cloud->count);
  uint32_t *lone = firn_alloc(s->context, cloud->count * sizeof *lone, "lone particles");
  if (!lone) return FIRN_ERROR_MEMORY;
  firn_status status = add(&j, lone, s);
  firn_free(s->context, lone, cloud->count * sizeof *lone);
  return status;
}
