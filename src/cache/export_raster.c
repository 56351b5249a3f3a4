// SPDX-License-Identifier: Apache-2.0
#include "cache/export_raster.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/spline.h"
#include "world/bins.h"

enum { EDGE = FIRN_RASTER_EDGE, NODES = FIRN_RASTER_NODES };

typedef struct grain {
  float at[3];       // nodes from the corner of its block, [0, 8)
  float mass;        // kg / kernel^3
  float velocity[3]; // m/s
} grain;

typedef struct job {
  const firn_cloud *cloud;
  firn_context *context;
  float radius; // nodes that the kernel reaches
  float ratio;  // cell / width of the kernel
  double cell, kernel;
  bool momentum;
  firn_bins homes;  // blocks with particles in them
  firn_bins blocks; // those that they reach
  grain *grains;    // [count], by home
} job;

static firn_status place(job *j) {
  const firn_cloud_field *position = &j->cloud->field[0];
  FIRN_TRY(firn_bins_open(&j->homes, j->context, j->cloud->count));
  for (size_t i = 0; i < j->cloud->count; i++) {
    int32_t at[3];
    for (size_t c = 0; c < 3; c++) {
      double x = firn_cloud_value(position, 3 * i + c), block = floor(x / (j->cell * EDGE));
      if (!(fabs(block) < FIRN_CELL_HALF - 2)) {
        return firn_fail(j->context, FIRN_ERROR_DOMAIN,
                         "particle %zu at %g m is too far from the origin for cells of %g m", i, x,
                         j->cell);
      }
      at[c] = (int32_t)block;
    }
    firn_bins_put(&j->homes, i, at);
  }
  return firn_bins_sort(&j->homes);
}

static grain take(const job *j, const int32_t corner[3], size_t particle,
                  const firn_cloud_field *mass, const firn_cloud_field *velocity) {
  grain g = {.mass = 0};
  for (size_t c = 0; c < 3; c++) {
    double x = firn_cloud_value(&j->cloud->field[0], 3 * particle + c) / j->cell;
    g.at[c] = (float)(x - (double)corner[c] * EDGE);
    if (velocity) g.velocity[c] = (float)firn_cloud_value(velocity, 3 * particle + c);
  }
  double volume = j->kernel * j->kernel * j->kernel;
  g.mass = (float)(firn_cloud_value(mass, particle) / volume);
  return g;
}

// Which of the blocks below, here and above along one axis a grain reaches, as bits.
static unsigned reach_axis(float at, float radius) {
  unsigned reach = 2;
  if (floorf(at - radius) < 0) reach |= 1;
  if (ceilf(at + radius) - 1 >= EDGE) reach |= 4;
  return reach;
}

static uint32_t reach_of(const grain *g, float radius) {
  unsigned axis[3];
  for (int c = 0; c < 3; c++) axis[c] = reach_axis(g->at[c], radius);
  return firn_bins_reach(axis);
}

static firn_status take_all(job *j) {
  const firn_cloud_field *mass = firn_cloud_find(j->cloud, "mass");
  const firn_cloud_field *velocity = j->momentum ? firn_cloud_find(j->cloud, "velocity") : NULL;
  j->grains = firn_alloc(j->context, j->cloud->count * sizeof *j->grains, "sorted particles");
  if (!j->grains) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(j->context, schedule(dynamic, 16))
  for (size_t b = 0; b < j->homes.count; b++) {
    firn_bin *h = &j->homes.bin[b];
    int32_t corner[3];
    firn_cell_at(h->key, corner);
    for (size_t i = h->first; i < h->first + h->count; i++) {
      j->grains[i] = take(j, corner, j->homes.order[i], mass, velocity);
      h->reach |= reach_of(&j->grains[i], j->radius);
    }
  }
  return FIRN_OK;
}

// The nodes [first, last] of a block that a grain reaches along one axis, and their weights.
typedef struct span {
  int first, last;
  float weight[EDGE];
} span;

static bool span_of(const job *j, float at, span *s) {
  float low = floorf(at - j->radius) + 1, high = ceilf(at + j->radius) - 1;
  if (low > EDGE - 1 || high < 0) return false;
  s->first = low > 0 ? (int)low : 0;
  s->last = high < EDGE - 1 ? (int)high : EDGE - 1;
  for (int i = s->first; i <= s->last; i++)
    s->weight[i] = firn_cubic_spline(((float)i - at) * j->ratio);
  return true;
}

static void add(const grain *g, const span s[3], float *density, float *momentum) {
  for (int x = s[0].first; x <= s[0].last; x++) {
    for (int y = s[1].first; y <= s[1].last; y++) {
      float weight = g->mass * s[0].weight[x] * s[1].weight[y];
      float *row = density + 64 * x + 8 * y;
      for (int z = s[2].first; z <= s[2].last; z++) row[z] += weight * s[2].weight[z];
      if (!momentum) continue;
      float *p = momentum + 3 * (64 * x + 8 * y);
      for (int z = s[2].first; z <= s[2].last; z++) {
        float m = weight * s[2].weight[z];
        for (int c = 0; c < 3; c++) p[3 * z + c] += m * g->velocity[c];
      }
    }
  }
}

// One block gathers from the grains around it, always in the same order: no sum depends on threads.
static void gather(const job *j, const firn_bin *block, float *density, float *momentum) {
  int32_t here[3], home[3];
  firn_cell_at(block->key, here);
  for (size_t n = block->first; n < block->first + block->count; n++) {
    const firn_bin *h = &j->homes.bin[j->blocks.order[n]];
    firn_cell_at(h->key, home);
    for (size_t i = h->first; i < h->first + h->count; i++) {
      const grain *g = &j->grains[i];
      span s[3];
      bool met = true;
      for (int c = 0; c < 3 && met; c++) {
        met = span_of(j, g->at[c] + (float)(EDGE * (home[c] - here[c])), &s[c]);
      }
      if (met) add(g, s, density, momentum);
    }
  }
}

static firn_status fill(const job *j, firn_raster *out) {
  size_t nodes = j->blocks.count * NODES;
  out->count = j->blocks.count;
  out->key = firn_alloc(j->context, out->count * sizeof *out->key, "blocks of a grid");
  out->density = firn_alloc_zero(j->context, nodes * sizeof *out->density, "density of a grid");
  if (!out->key || !out->density) return FIRN_ERROR_MEMORY;
  if (j->momentum) {
    out->momentum = firn_alloc_zero(j->context, 3 * nodes * sizeof *out->momentum,
                                    "momentum of a grid");
    if (!out->momentum) return FIRN_ERROR_MEMORY;
  }
  FIRN_PARALLEL_FOR(j->context, schedule(dynamic, 4))
  for (size_t b = 0; b < out->count; b++) {
    out->key[b] = j->blocks.bin[b].key;
    gather(j, &j->blocks.bin[b], out->density + b * NODES,
           out->momentum ? out->momentum + 3 * b * NODES : NULL);
  }
  return FIRN_OK;
}

static firn_status build(job *j, firn_raster *out) {
  FIRN_TRY(place(j));
  FIRN_TRY(take_all(j));
  FIRN_TRY(firn_bins_spread(&j->homes, &j->blocks));
  return fill(j, out);
}

static firn_status check(const firn_cloud *cloud, double h, double cell, bool momentum) {
  firn_context *context = cloud->context;
  const firn_cloud_field *mass = firn_cloud_find(cloud, "mass");
  const firn_cloud_field *velocity = firn_cloud_find(cloud, "velocity");
  if (!(isfinite(h) && h > 0 && isfinite(cell) && cell >= 0.25 * h)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a grid of cells of %g m: must be at least a quarter of h, %g m", cell, h);
  }
  if (!mass || mass->components != 1) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "the frame has no masses: a density needs them");
  }
  if (momentum && (!velocity || velocity->components != 3)) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "the frame has no velocities");
  }
  return FIRN_OK;
}

firn_status firn_raster_build(const firn_cloud *cloud, double h, double cell, bool momentum,
                              firn_raster *out) {
  *out = (firn_raster){.context = cloud->context, .cell = cell};
  FIRN_TRY(check(cloud, h, cell, momentum));
  if (!cloud->count) return FIRN_OK;
  double kernel = fmax(h, cell);
  job j = {.cloud = cloud,
           .context = cloud->context,
           .radius = (float)(2 * kernel / cell),
           .ratio = (float)(cell / kernel),
           .cell = cell,
           .kernel = kernel,
           .momentum = momentum};
  firn_status status = build(&j, out);
  firn_bins_free(&j.blocks);
  firn_bins_free(&j.homes);
  firn_free(j.context, j.grains, cloud->count * sizeof *j.grains);
  if (status != FIRN_OK) firn_raster_free(out);
  return status;
}

void firn_raster_free(firn_raster *r) {
  size_t nodes = r->count * NODES;
  firn_free(r->context, r->momentum, 3 * nodes * sizeof *r->momentum);
  firn_free(r->context, r->density, nodes * sizeof *r->density);
  firn_free(r->context, r->key, r->count * sizeof *r->key);
  *r = (firn_raster){.context = r->context};
}

size_t firn_raster_find(const firn_raster *r, uint64_t key) {
  size_t i = firn_cell_find(r->key, sizeof *r->key, r->count, key);
  return i < r->count && r->key[i] == key ? i : SIZE_MAX;
}
