// SPDX-License-Identifier: Apache-2.0
#include "cache/export_raster.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/spline.h"
#include "world/cell_key.h"
#include "world/radix.h"

enum { EDGE = FIRN_RASTER_EDGE, NODES = FIRN_RASTER_NODES };

typedef struct grain {
  float at[3];       // nodes from the corner of its block, [0, 8)
  float mass;        // kg / kernel^3
  float velocity[3]; // m/s
} grain;

// A block with particles in it.
typedef struct home {
  uint64_t key;
  uint32_t first, count; // grains
  uint32_t reach;        // bit 9 x + 3 y + z: some grain reaches the block at (x, y, z) - 1
} home;

typedef struct job {
  const firn_cloud *cloud;
  firn_context *context;
  float radius; // nodes that the kernel reaches
  float ratio;  // cell / width of the kernel
  double cell, kernel;
  bool momentum;
  firn_keyed *mover; // [2 count]
  grain *grains;     // [count], by block
  home *homes;       // [home_count]
  size_t home_count, home_capacity;
} job;

// The particles' blocks as keys, sorted; NULL when one is not in space.
static const firn_keyed *place(const job *j) {
  const firn_cloud_field *position = &j->cloud->field[0];
  size_t n = j->cloud->count;
  for (size_t i = 0; i < n; i++) {
    int32_t at[3];
    for (size_t c = 0; c < 3; c++) {
      double x = firn_cloud_value(position, 3 * i + c), block = floor(x / (j->cell * EDGE));
      if (!(fabs(block) < FIRN_CELL_HALF - 2)) {
        firn_fail(j->context, FIRN_ERROR_DOMAIN,
                  "particle %zu at %g m is too far from the origin for cells of %g m", i, x,
                  j->cell);
        return NULL;
      }
      at[c] = (int32_t)block;
    }
    j->mover[i] = (firn_keyed){.key = firn_cell_key(at), .slot = (uint32_t)i};
  }
  return firn_keyed_sort(j->mover, j->mover + n, n);
}

static firn_status list_homes(job *j, const firn_keyed *sorted) {
  size_t n = j->cloud->count;
  for (size_t i = 0; i < n; i++) j->home_count += !i || sorted[i].key != sorted[i - 1].key;
  j->home_capacity = j->home_count;
  j->homes = firn_alloc_zero(j->context, j->home_capacity * sizeof *j->homes, "blocks of snow");
  if (!j->homes) return FIRN_ERROR_MEMORY;
  home *last = j->homes - 1;
  for (size_t i = 0; i < n; i++) {
    if (!i || sorted[i].key != sorted[i - 1].key) {
      last++;
      *last = (home){.key = sorted[i].key, .first = (uint32_t)i};
    }
    last->count++;
  }
  return FIRN_OK;
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
  uint32_t reach = 0;
  for (int c = 0; c < 3; c++) axis[c] = reach_axis(g->at[c], radius);
  for (unsigned n = 0; n < 27; n++) {
    if (axis[0] >> n / 9 & axis[1] >> n / 3 % 3 & axis[2] >> n % 3 & 1) reach |= 1u << n;
  }
  return reach;
}

static void take_all(job *j, const firn_keyed *sorted) {
  const firn_cloud_field *mass = firn_cloud_find(j->cloud, "mass");
  const firn_cloud_field *velocity = j->momentum ? firn_cloud_find(j->cloud, "velocity") : NULL;
  FIRN_PARALLEL_FOR(j->context, schedule(dynamic, 16))
  for (size_t b = 0; b < j->home_count; b++) {
    home *h = &j->homes[b];
    int32_t corner[3];
    firn_cell_at(h->key, corner);
    for (size_t i = h->first; i < h->first + h->count; i++) {
      j->grains[i] = take(j, corner, sorted[i].slot, mass, velocity);
      h->reach |= reach_of(&j->grains[i], j->radius);
    }
  }
}

// All blocks that are reached, once each, into out->key.
static firn_status list_blocks(const job *j, firn_raster *out) {
  size_t n = 0, capacity = 27 * j->home_count;
  firn_keyed *list = firn_alloc(j->context, 2 * capacity * sizeof *list, "blocks of a grid");
  if (!list) return FIRN_ERROR_MEMORY;
  for (size_t b = 0; b < j->home_count; b++) {
    for (int k = 0; k < 27; k++) {
      if (!(j->homes[b].reach >> k & 1)) continue;
      uint64_t step = firn_cell_step(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
      list[n++] = (firn_keyed){.key = j->homes[b].key + step};
    }
  }
  const firn_keyed *sorted = firn_keyed_sort(list, list + capacity, n);
  size_t blocks = 0;
  for (size_t i = 0; i < n; i++) blocks += !i || sorted[i].key != sorted[i - 1].key;
  firn_status status = FIRN_ERROR_MEMORY;
  out->key = firn_alloc(j->context, blocks * sizeof *out->key, "blocks of a grid");
  if (out->key) {
    status = FIRN_OK;
    out->count = blocks;
    blocks = 0;
    for (size_t i = 0; i < n; i++) {
      if (!i || sorted[i].key != sorted[i - 1].key) out->key[blocks++] = sorted[i].key;
    }
  }
  firn_free(j->context, list, 2 * capacity * sizeof *list);
  return status;
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

static const home *find_home(const job *j, uint64_t key) {
  size_t i = firn_cell_find(j->homes, sizeof *j->homes, j->home_count, key);
  return i < j->home_count && j->homes[i].key == key ? &j->homes[i] : NULL;
}

// One block gathers from the grains around it, always in the same order: no sum depends on threads.
static void gather(const job *j, uint64_t key, float *density, float *momentum) {
  for (int k = 0; k < 27; k++) {
    int offset[3] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
    const home *h = find_home(j, key + firn_cell_step(offset[0], offset[1], offset[2]));
    if (!h || !(h->reach >> (26 - k) & 1)) continue;
    for (size_t i = h->first; i < h->first + h->count; i++) {
      const grain *g = &j->grains[i];
      span s[3];
      bool met = true;
      for (int c = 0; c < 3 && met; c++) {
        met = span_of(j, g->at[c] + (float)(EDGE * offset[c]), &s[c]);
      }
      if (met) add(g, s, density, momentum);
    }
  }
}

static firn_status fill(const job *j, firn_raster *out) {
  size_t nodes = out->count * NODES;
  out->density = firn_alloc_zero(j->context, nodes * sizeof *out->density, "density of a grid");
  if (!out->density) return FIRN_ERROR_MEMORY;
  if (j->momentum) {
    out->momentum = firn_alloc_zero(j->context, 3 * nodes * sizeof *out->momentum,
                                    "momentum of a grid");
    if (!out->momentum) return FIRN_ERROR_MEMORY;
  }
  FIRN_PARALLEL_FOR(j->context, schedule(dynamic, 4))
  for (size_t b = 0; b < out->count; b++) {
    gather(j, out->key[b], out->density + b * NODES,
           out->momentum ? out->momentum + 3 * b * NODES : NULL);
  }
  return FIRN_OK;
}

static firn_status build(job *j, firn_raster *out) {
  size_t n = j->cloud->count;
  j->mover = firn_alloc(j->context, 2 * n * sizeof *j->mover, "order of particles");
  if (j->mover) j->grains = firn_alloc(j->context, n * sizeof *j->grains, "sorted particles");
  if (!j->grains) return FIRN_ERROR_MEMORY;
  const firn_keyed *sorted = place(j);
  if (!sorted) return FIRN_ERROR_DOMAIN;
  FIRN_TRY(list_homes(j, sorted));
  take_all(j, sorted);
  FIRN_TRY(list_blocks(j, out));
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
  if (cloud->count >= UINT32_MAX) {
    return firn_fail(context, FIRN_ERROR_UNSUPPORTED, "a grid of %zu particles: too many",
                     cloud->count);
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
  size_t n = cloud->count;
  firn_status status = build(&j, out);
  firn_free(j.context, j.homes, j.homes ? j.home_capacity * sizeof *j.homes : 0);
  firn_free(j.context, j.grains, j.grains ? n * sizeof *j.grains : 0);
  firn_free(j.context, j.mover, j.mover ? 2 * n * sizeof *j.mover : 0);
  if (status != FIRN_OK) firn_raster_free(out);
  return status;
}

void firn_raster_free(firn_raster *r) {
  size_t nodes = r->count * NODES;
  firn_free(r->context, r->momentum, r->momentum ? 3 * nodes * sizeof *r->momentum : 0);
  firn_free(r->context, r->density, r->density ? nodes * sizeof *r->density : 0);
  firn_free(r->context, r->key, r->key ? r->count * sizeof *r->key : 0);
  *r = (firn_raster){.context = r->context};
}

size_t firn_raster_find(const firn_raster *r, uint64_t key) {
  size_t i = firn_cell_find(r->key, sizeof *r->key, r->count, key);
  return i < r->count && r->key[i] == key ? i : SIZE_MAX;
}
