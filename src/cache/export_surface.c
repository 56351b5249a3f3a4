// SPDX-License-Identifier: Apache-2.0
#include "cache/export_surface.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "world/cell_key.h"

enum {
  EDGE = FIRN_RASTER_EDGE,
  NODES = FIRN_RASTER_NODES,
  WIDE = EDGE + 1, // a block and the first nodes of those above it
  MAP = 3 * NODES, // a vertex for each edge that begins in a block
};

#define NO_SLOT UINT32_MAX

// What a block adds to the mesh, and from which number on.
typedef struct part {
  uint32_t slot; // of its map
  size_t vertices, centers, triangles;
  size_t first_vertex, first_center, first_triangle;
} part;

typedef struct job {
  const firn_raster *raster;
  firn_surface *out;
  float level;
  const firn_cube_case *cases;
  part *parts;   // [raster->count]
  uint32_t *map; // [slots][512][3]: vertex of the edge from that node along that axis
  size_t slots;
} job;

// A block's densities with one more layer of nodes above each axis.
typedef struct view {
  size_t above[8]; // blocks at (i & 1, i >> 1 & 1, i >> 2); SIZE_MAX: none
  float density[WIDE][WIDE][WIDE];
} view;

static void look(const firn_raster *r, size_t block, view *v) {
  for (int i = 0; i < 8; i++) {
    uint64_t step = firn_cell_step(i & 1, i >> 1 & 1, i >> 2);
    v->above[i] = i ? firn_raster_find(r, r->key[block] + step) : block;
  }
  for (int x = 0; x < WIDE; x++) {
    for (int y = 0; y < WIDE; y++) {
      for (int z = 0; z < WIDE; z++) {
        size_t b = v->above[x / EDGE | y / EDGE << 1 | z / EDGE << 2];
        int node = 64 * (x % EDGE) + 8 * (y % EDGE) + z % EDGE;
        v->density[x][y][z] = b == SIZE_MAX ? 0 : r->density[b * NODES + (size_t)node];
      }
    }
  }
}

static bool is_in(const job *j, const view *v, int x, int y, int z) {
  return v->density[x][y][z] >= j->level;
}

static int case_of(const job *j, const view *v, int x, int y, int z) {
  int inside = 0;
  for (int i = 0; i < 8; i++) {
    inside |= is_in(j, v, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2)) << i;
  }
  return inside;
}

static bool is_crossed(const job *j, const view *v, int x, int y, int z, int axis) {
  return is_in(j, v, x, y, z) != is_in(j, v, x + (axis == 0), y + (axis == 1), z + (axis == 2));
}

// Most blocks are all air or all snow.
static bool is_mixed(const job *j, const view *v) {
  const float *all = &v->density[0][0][0];
  bool first = all[0] >= j->level;
  for (int i = 1; i < WIDE * WIDE * WIDE; i++) {
    if ((all[i] >= j->level) != first) return true;
  }
  return false;
}

static void count_part(const job *j, const view *v, part *p) {
  for (int n = 0; n < NODES; n++) {
    int x = n >> 6, y = n >> 3 & 7, z = n & 7;
    for (int axis = 0; axis < 3; axis++) p->vertices += is_crossed(j, v, x, y, z, axis);
    const firn_cube_case *c = &j->cases[case_of(j, v, x, y, z)];
    p->centers += c->centers;
    p->triangles += c->triangles;
  }
}

static void count_all(const job *j) {
  FIRN_PARALLEL_FOR(j->out->context, schedule(dynamic, 4))
  for (size_t b = 0; b < j->raster->count; b++) {
    view v;
    part *p = &j->parts[b];
    *p = (part){.slot = NO_SLOT};
    look(j->raster, b, &v);
    if (is_mixed(j, &v)) count_part(j, &v, p);
  }
}

// ------------------------------------------------------------------------------------- vertices

static void velocity_at(const firn_raster *r, const view *v, int x, int y, int z, float out[3]) {
  size_t b = v->above[x / EDGE | y / EDGE << 1 | z / EDGE << 2];
  size_t node = b * NODES + (size_t)(64 * (x % EDGE) + 8 * (y % EDGE) + z % EDGE);
  bool any = b != SIZE_MAX && r->density[node] > 0;
  for (size_t c = 0; c < 3; c++) out[c] = any ? r->momentum[3 * node + c] / r->density[node] : 0;
}

static void put_vertex(const job *j, const view *v, const int32_t corner[3], const int at[3],
                       int axis, size_t vertex) {
  const int to[3] = {at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2)};
  float a = v->density[at[0]][at[1]][at[2]], b = v->density[to[0]][to[1]][to[2]];
  // A little away from the nodes, where several vertices could otherwise meet in one point.
  float t = fminf(fmaxf((j->level - a) / (b - a), 0.01f), 0.99f);
  for (int c = 0; c < 3; c++) {
    double node = (double)corner[c] * EDGE + at[c] + (c == axis ? (double)t : 0);
    j->out->position[vertex][c] = (float)(node * j->raster->cell);
  }
  if (!j->out->velocity) return;
  float va[3], vb[3];
  velocity_at(j->raster, v, at[0], at[1], at[2], va);
  velocity_at(j->raster, v, to[0], to[1], to[2], vb);
  // Where one end has no snow at all, it has no velocity either.
  for (int c = 0; c < 3; c++) {
    float mean = va[c] + t * (vb[c] - va[c]);
    j->out->velocity[vertex][c] = !(a > 0) ? vb[c] : !(b > 0) ? va[c] : mean;
  }
}

static void put_vertices(const job *j, size_t block) {
  const part *p = &j->parts[block];
  uint32_t *map = j->map + (size_t)p->slot * MAP;
  int32_t corner[3];
  view v;
  look(j->raster, block, &v);
  firn_cell_at(j->raster->key[block], corner);
  size_t vertex = p->first_vertex;
  for (int n = 0; n < NODES; n++) {
    const int at[3] = {n >> 6, n >> 3 & 7, n & 7};
    for (int axis = 0; axis < 3; axis++) {
      if (!is_crossed(j, &v, at[0], at[1], at[2], axis)) continue;
      map[3 * n + axis] = (uint32_t)vertex;
      put_vertex(j, &v, corner, at, axis, vertex++);
    }
  }
}

// ------------------------------------------------------------------------------------ triangles

// The vertex on an edge of the cell at (x, y, z), whose first node may be in a block above.
static uint32_t vertex_of(const job *j, const view *v, int x, int y, int z, int edge) {
  int corner = firn_cube_edge_corner(edge), axis = edge / 4;
  x += corner & 1;
  y += corner >> 1 & 1;
  z += corner >> 2;
  const part *p = &j->parts[v->above[x / EDGE | y / EDGE << 1 | z / EDGE << 2]];
  int node = 64 * (x % EDGE) + 8 * (y % EDGE) + z % EDGE;
  return j->map[(size_t)p->slot * MAP + (size_t)(3 * node + axis)];
}

static void put_center(const job *j, const uint32_t edge[], const uint8_t *around, int n,
                       size_t vertex) {
  for (int c = 0; c < 3; c++) {
    float sum = 0, velocity = 0;
    for (int k = 0; k < n; k++) {
      sum += j->out->position[edge[around[k]]][c];
      if (j->out->velocity) velocity += j->out->velocity[edge[around[k]]][c];
    }
    j->out->position[vertex][c] = sum / (float)n;
    if (j->out->velocity) j->out->velocity[vertex][c] = velocity / (float)n;
  }
}

static void put_triangles(const job *j, size_t block) {
  const part *p = &j->parts[block];
  view v;
  look(j->raster, block, &v);
  size_t center = p->first_center, triangle = p->first_triangle;
  for (int n = 0; n < NODES; n++) {
    int x = n >> 6, y = n >> 3 & 7, z = n & 7, inside = case_of(j, &v, x, y, z);
    const firn_cube_case *c = &j->cases[inside];
    uint32_t vertex[FIRN_CUBE_EDGES + FIRN_CUBE_CENTERS] = {0};
    if (!c->triangles) continue;
    for (int e = 0; e < FIRN_CUBE_EDGES; e++) {
      int from = firn_cube_edge_corner(e), to = from | 1 << e / 4;
      if ((inside >> from & 1) != (inside >> to & 1)) vertex[e] = vertex_of(j, &v, x, y, z, e);
    }
    for (int k = 0; k < c->centers; k++) {
      put_center(j, vertex, c->around[k], c->around_count[k], center);
      vertex[FIRN_CUBE_EDGES + k] = (uint32_t)center++;
    }
    for (int t = 0; t < c->triangles; t++, triangle++) {
      for (int k = 0; k < 3; k++) j->out->triangle[triangle][k] = vertex[c->triangle[t][k]];
    }
  }
}

// ---------------------------------------------------------------------------------------- whole

// Numbers everything block by block: edge vertices first, then the middles of loops.
static firn_status number(job *j) {
  size_t vertices = 0, centers = 0, triangles = 0;
  for (size_t b = 0; b < j->raster->count; b++) {
    part *p = &j->parts[b];
    p->first_vertex = vertices;
    p->first_triangle = triangles;
    vertices += p->vertices;
    triangles += p->triangles;
    if (p->vertices) p->slot = (uint32_t)j->slots++;
  }
  for (size_t b = 0; b < j->raster->count; b++) {
    j->parts[b].first_center = vertices + centers;
    centers += j->parts[b].centers;
  }
  vertices += centers;
  if (vertices >= UINT32_MAX) {
    return firn_fail(j->out->context, FIRN_ERROR_UNSUPPORTED, "a surface of %zu vertices: too many",
                     vertices);
  }
  j->out->vertex_count = vertices;
  j->out->triangle_count = triangles;
  return FIRN_OK;
}

static firn_status make_room(const job *j) {
  firn_surface *s = j->out;
  size_t bytes = s->vertex_count * sizeof *s->position;
  if (!s->vertex_count) return FIRN_OK;
  s->position = firn_alloc(s->context, bytes, "vertices of a surface");
  if (s->position) s->normal = firn_alloc(s->context, bytes, "normals of a surface");
  if (!s->normal) return FIRN_ERROR_MEMORY;
  if (j->raster->momentum) {
    s->velocity = firn_alloc(s->context, bytes, "velocities of a surface");
    if (!s->velocity) return FIRN_ERROR_MEMORY;
  }
  s->triangle = firn_alloc(s->context, s->triangle_count * sizeof *s->triangle,
                           "triangles of a surface");
  return s->triangle ? FIRN_OK : FIRN_ERROR_MEMORY;
}

static firn_status build(job *j) {
  count_all(j);
  FIRN_TRY(number(j));
  FIRN_TRY(make_room(j));
  if (!j->slots) return FIRN_OK;
  size_t bytes = j->slots * MAP * sizeof *j->map;
  j->map = firn_alloc(j->out->context, bytes, "edges of a surface");
  if (!j->map) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(j->out->context, schedule(dynamic, 4))
  for (size_t b = 0; b < j->raster->count; b++) {
    if (j->parts[b].vertices) put_vertices(j, b);
  }
  FIRN_PARALLEL_FOR(j->out->context, schedule(dynamic, 4))
  for (size_t b = 0; b < j->raster->count; b++) {
    if (j->parts[b].triangles) put_triangles(j, b);
  }
  firn_free(j->out->context, j->map, bytes);
  return FIRN_OK;
}

firn_status firn_surface_build(const firn_raster *raster, double level, int smooth,
                               firn_surface *out) {
  firn_context *context = raster->context;
  *out = (firn_surface){.context = context};
  if (!((float)level > 0 && isfinite((float)level)) || smooth < 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a surface at %g kg/m^3 with %d steps of smoothing: the density must be "
                     "positive, the steps not negative",
                     level, smooth);
  }
  if (!raster->count) return FIRN_OK;
  size_t case_bytes = 256 * sizeof(firn_cube_case), part_bytes = raster->count * sizeof(part);
  firn_cube_case *cases = firn_alloc(context, case_bytes, "cases of a surface");
  part *parts = cases ? firn_alloc(context, part_bytes, "parts of a surface") : NULL;
  firn_status status = FIRN_ERROR_MEMORY;
  if (parts) {
    job j = {.raster = raster, .out = out, .level = (float)level, .cases = cases, .parts = parts};
    firn_cube_cases(cases);
    status = build(&j);
    firn_free(context, parts, part_bytes);
  }
  firn_free(context, cases, cases ? case_bytes : 0);
  if (status == FIRN_OK) status = firn_surface_finish(out, smooth);
  if (status != FIRN_OK) firn_surface_free(out);
  return status;
}

void firn_surface_free(firn_surface *s) {
  size_t bytes = s->vertex_count * sizeof *s->position;
  firn_free(s->context, s->triangle, s->triangle ? s->triangle_count * sizeof *s->triangle : 0);
  firn_free(s->context, s->velocity, s->velocity ? bytes : 0);
  firn_free(s->context, s->normal, s->normal ? bytes : 0);
  firn_free(s->context, s->position, s->position ? bytes : 0);
  *s = (firn_surface){.context = s->context};
}
