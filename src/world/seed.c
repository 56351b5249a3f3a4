// SPDX-License-Identifier: Apache-2.0
#include "world/seed.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

// Splits count into three factors as equal as can be, the larger ones last.
static void factor(int count, int parts[3]) {
  parts[0] = (int)floor(cbrt(count) + 1e-9);
  while (count % parts[0]) parts[0]--;
  int rest = count / parts[0];
  parts[1] = (int)floor(sqrt(rest) + 1e-9);
  while (rest % parts[1]) parts[1]--;
  parts[2] = rest / parts[1];
}

// All 32 bits of each coordinate, 12 of k, 4 of what for, 16 of the pattern's number; the rest of the
// number goes to the key.
static firn_philox draw(const firn_seeder *s, const int32_t cell[3], int what_for, int k) {
  uint64_t id = (uint64_t)(uint32_t)cell[0] | (uint64_t)(uint32_t)cell[1] << 32;
  uint32_t index = (uint32_t)k | (uint32_t)what_for << 12 | s->number << 16;
  uint64_t seed = s->seed ^ (uint64_t)(s->number >> 16) << 40;
  return firn_philox4x32(seed, id, (uint32_t)cell[2], index);
}

// ---------------------------------------------------------------------------------------- Poisson

// Spheres of the least distance as diameter, thrown at random, fill 0.384 of space when no more fits
// (Torquato et al. 2006). This share leaves some 3 % of the throws a chance at the end.
static const double SHARE = 0.33;
enum { POINTS_MAX = 32768, TILE_MAX = 16, PATIENCE = 200 };

typedef struct thrower {
  firn_seeder *s;
  int bins;      // along an edge of the tile
  uint32_t *bin; // [bins^3] the point within, plus 1; bins are too small for two
} thrower;

static size_t bin_of(const thrower *t, const double x[3]) {
  size_t at = 0;
  for (int a = 0; a < 3; a++) {
    int i = (int)(x[a] / t->s->tile * t->bins);
    at = at * (size_t)t->bins + (size_t)(i < t->bins ? i : t->bins - 1);
  }
  return at;
}

static bool is_free(const thrower *t, const double x[3]) {
  const firn_seeder *s = t->s;
  double tile = s->tile, limit = s->distance * s->distance;
  int reach = (int)ceil(s->distance / tile * t->bins), at[3];
  if (2 * reach + 1 > t->bins) reach = (t->bins - 1) / 2 + 1; // a tile of few bins: all of them
  for (int a = 0; a < 3; a++) at[a] = (int)(x[a] / tile * t->bins);
  for (int i = -reach; i <= reach; i++) {
    for (int j = -reach; j <= reach; j++) {
      for (int k = -reach; k <= reach; k++) {
        int n = t->bins, near[3] = {at[0] + i, at[1] + j, at[2] + k};
        for (int a = 0; a < 3; a++) near[a] = (near[a] % n + n) % n;
        uint32_t point =
            t->bin[((size_t)near[0] * (size_t)n + (size_t)near[1]) * (size_t)n + (size_t)near[2]];
        if (!point) continue;
        double d2 = 0;
        for (int a = 0; a < 3; a++) {
          double d = x[a] - s->point[3 * (size_t)(point - 1) + (size_t)a];
          d -= tile * rint(d / tile); // the tile repeats
          d2 += d * d;
        }
        if (d2 < limit) return false;
      }
    }
  }
  return true;
}

// Until `wanted` points lie in the tile; the distance gives way a little whenever patience runs out.
static void throw_all(thrower *t, size_t wanted) {
  firn_seeder *s = t->s;
  size_t misses = 0;
  for (uint64_t n = 0; s->count < wanted; n++) {
    const int32_t throw_[3] = {(int32_t)(uint32_t)n, (int32_t)(n >> 32), 0};
    firn_philox r = draw(s, throw_, FIRN_DRAW_TILE, 0);
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = s->tile * firn_uniform(r.v[a]);
    if (is_free(t, x)) {
      memcpy(s->point + 3 * s->count, x, sizeof x);
      t->bin[bin_of(t, x)] = (uint32_t)++s->count;
      misses = 0;
    } else if (++misses > PATIENCE * 10) {
      s->distance *= 0.98;
      misses = 0;
    }
  }
}

static size_t cell_of(const firn_seeder *s, const double x[3]) {
  size_t n = (size_t)s->tile, at = 0;
  for (int a = 0; a < 3; a++) {
    size_t i = (size_t)x[a];
    at = at * n + (i < n ? i : n - 1);
  }
  return at;
}

// Puts points in the order of their cells; those of a cell stay in the order of their throws.
static firn_status order_by_cell(firn_seeder *s, firn_context *context) {
  size_t cells = (size_t)s->tile * (size_t)s->tile * (size_t)s->tile;
  size_t bytes = 3 * s->count * sizeof(double);
  double *ordered = firn_alloc(context, bytes, "seeding");
  if (!ordered) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < s->count; i++) s->start[cell_of(s, s->point + 3 * i) + 1]++;
  for (size_t i = 0; i < cells; i++) s->start[i + 1] += s->start[i];
  for (size_t i = s->count; i-- > 0;) { // from behind, so that start[c + 1] counts down to start[c]
    size_t to = --s->start[cell_of(s, s->point + 3 * i) + 1];
    memcpy(ordered + 3 * to, s->point + 3 * i, 3 * sizeof(double));
  }
  // Now start[c + 1] is where cell c begins.
  memmove(s->start, s->start + 1, cells * sizeof *s->start);
  s->start[cells] = (uint32_t)s->count;
  firn_free(context, s->point, bytes);
  s->point = ordered;
  return FIRN_OK;
}

static firn_status make_tile(firn_seeder *s, firn_context *context) {
  s->tile = (int)fmin(TILE_MAX, fmax(1, floor(cbrt(POINTS_MAX / s->per_cell))));
  double cells = (double)s->tile * s->tile * s->tile;
  size_t wanted = (size_t)fmax(1, round(s->per_cell * cells));
  s->distance = cbrt(6 * SHARE / (3.14159265358979323846 * s->per_cell));
  // A bin whose diagonal is shorter than the distance holds one point; with room for giving way.
  thrower t = {.s = s, .bins = (int)ceil(s->tile * 1.7321 / (0.8 * s->distance))};
  size_t bins = (size_t)t.bins * (size_t)t.bins * (size_t)t.bins;
  t.bin = firn_alloc_zero(context, bins * sizeof *t.bin, "seeding");
  s->point = firn_alloc(context, 3 * wanted * sizeof(double), "seeding");
  s->start = firn_alloc_zero(context, ((size_t)cells + 1) * sizeof *s->start, "seeding");
  firn_status status = t.bin && s->point && s->start ? FIRN_OK : FIRN_ERROR_MEMORY;
  size_t room = s->point ? wanted : 0;
  if (status == FIRN_OK) {
    throw_all(&t, wanted);
    status = order_by_cell(s, context);
  }
  s->count = room; // also when it failed: what is to be freed
  firn_free(context, t.bin, bins * sizeof *t.bin);
  return status;
}

// ----------------------------------------------------------------------------------------- seeders

static firn_status check(firn_context *context, firn_seeding kind, double per_cell,
                         const char *what) {
  if ((int)kind < FIRN_SEEDING_RANDOM || kind > FIRN_SEEDING_POISSON) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: seeding %d does not exist", what,
                     (int)kind);
  }
  if (!(per_cell > 0 && per_cell <= 1000)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: per_cell = %g must lie in (0, 1000]", what,
                     per_cell);
  }
  bool whole = kind == FIRN_SEEDING_JITTERED || kind == FIRN_SEEDING_LATTICE;
  if (whole && per_cell != floor(per_cell)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: per_cell = %g must be a whole number unless seeding is random or poisson",
                     what, per_cell);
  }
  double edge = round(cbrt(per_cell));
  if (kind == FIRN_SEEDING_LATTICE && edge * edge * edge != per_cell) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: per_cell = %g must be a cube (1, 8, 27, ...) when seeding is a lattice",
                     what, per_cell);
  }
  return FIRN_OK;
}

firn_status firn_seeder_make(firn_context *context, firn_seeding kind, double per_cell,
                             uint64_t seed, uint32_t number, const char *what, firn_seeder *out) {
  *out = (firn_seeder){.kind = kind, .per_cell = per_cell, .seed = seed, .number = number};
  FIRN_TRY(check(context, kind, per_cell, what));
  factor(per_cell >= 1 ? (int)per_cell : 1, out->parts);
  if (kind != FIRN_SEEDING_POISSON) return FIRN_OK;
  firn_status status = make_tile(out, context);
  if (status != FIRN_OK) firn_seeder_free(out, context);
  return status;
}

void firn_seeder_free(firn_seeder *s, firn_context *context) {
  size_t cells = (size_t)s->tile * (size_t)s->tile * (size_t)s->tile;
  firn_free(context, s->point, 3 * s->count * sizeof(double));
  firn_free(context, s->start, (cells + 1) * sizeof *s->start);
  *s = (firn_seeder){0};
}

static bool random_particle(const firn_seeder *s, const int32_t cell[3], int k, double out[3]) {
  // A fractional number a cell is met on average.
  firn_philox extra = draw(s, cell, FIRN_DRAW_COUNT, 0);
  if (k >= (int)floor(s->per_cell + firn_uniform(extra.v[0]))) return false;
  firn_philox r = draw(s, cell, FIRN_DRAW_PLACE, k);
  for (int a = 0; a < 3; a++) out[a] = cell[a] + firn_uniform(r.v[a]);
  return true;
}

static bool part_particle(const firn_seeder *s, const int32_t cell[3], int k, double out[3]) {
  const int *n = s->parts;
  if (k >= n[0] * n[1] * n[2]) return false;
  firn_philox r = draw(s, cell, FIRN_DRAW_PLACE, k);
  int part[3] = {k / (n[1] * n[2]), k / n[2] % n[1], k % n[2]};
  for (int a = 0; a < 3; a++) {
    double within = s->kind == FIRN_SEEDING_LATTICE ? 0.5 : firn_uniform(r.v[a]);
    out[a] = cell[a] + (part[a] + within) / n[a];
  }
  return true;
}

static bool tile_particle(const firn_seeder *s, const int32_t cell[3], int k, double out[3]) {
  int n = s->tile, at[3];
  for (int a = 0; a < 3; a++) at[a] = (cell[a] % n + n) % n;
  size_t c = ((size_t)at[0] * (size_t)n + (size_t)at[1]) * (size_t)n + (size_t)at[2];
  size_t i = s->start[c] + (size_t)k;
  if (i >= s->start[c + 1]) return false;
  for (int a = 0; a < 3; a++) out[a] = cell[a] + (s->point[3 * i + (size_t)a] - at[a]);
  return true;
}

bool firn_seeder_particle(const firn_seeder *s, const int32_t cell[3], int k, double out[3],
                          double *lot) {
  bool is = s->kind == FIRN_SEEDING_RANDOM    ? random_particle(s, cell, k, out)
            : s->kind == FIRN_SEEDING_POISSON ? tile_particle(s, cell, k, out)
                                              : part_particle(s, cell, k, out);
  if (is && lot) *lot = firn_uniform(draw(s, cell, FIRN_DRAW_LOT, k).v[0]);
  return is;
}
