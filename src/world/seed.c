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

// Points are thrown at random first, and then close to others (Bridson 2007), which packs tighter; the
// distance gives way a little after each round until all have found a place. Spheres of that distance
// as diameter then fill 0.3 of space (0.384 is where random throws jam, Torquato et al.
// 2006), whatever the number.
static const double SHARE = 0.36, GIVE = 0.993;
enum { POINTS_MAX = 8192, TILE_MAX = 16, FIRST_THROWS = 10, THROWS = 12 };

typedef struct thrower {
  firn_seeder *s;
  int bins;       // along an edge of the tile, none smaller than the distance
  uint32_t *head; // [bins^3] the last point within, plus 1
  uint32_t *next; // [wanted] the point before it in the same bin, plus 1
  size_t wanted;
  uint64_t throws;
} thrower;

static void bin_at(const thrower *t, const double x[3], int at[3]) {
  for (int a = 0; a < 3; a++) {
    int i = (int)(x[a] / t->s->tile * t->bins);
    at[a] = i < t->bins ? i : t->bins - 1;
  }
}

static size_t bin_index(const thrower *t, const int at[3]) {
  size_t n = (size_t)t->bins;
  return ((size_t)at[0] * n + (size_t)at[1]) * n + (size_t)at[2];
}

static bool is_free(const thrower *t, const double x[3]) {
  const firn_seeder *s = t->s;
  double tile = s->tile, limit = s->distance * s->distance;
  int at[3], n = t->bins;
  bin_at(t, x, at);
  for (int o = 0; o < 27; o++) {
    const int near[3] = {(at[0] + o / 9 - 1 + n) % n, (at[1] + o / 3 % 3 - 1 + n) % n,
                         (at[2] + o % 3 - 1 + n) % n};
    for (uint32_t i = t->head[bin_index(t, near)]; i; i = t->next[i - 1]) {
      const double *y = s->point + 3 * (size_t)(i - 1);
      double d2 = 0;
      for (int a = 0; a < 3; a++) {
        double d = fabs(x[a] - y[a]);
        d = fmin(d, tile - d); // the tile repeats
        d2 += d * d;
      }
      if (d2 < limit) return false;
    }
  }
  return true;
}

static firn_philox next_draw(thrower *t) {
  uint64_t n = t->throws++;
  const int32_t at[3] = {(int32_t)(uint32_t)n, (int32_t)(n >> 32), 0};
  return draw(t->s, at, FIRN_DRAW_TILE, 0);
}

static void put(thrower *t, const double x[3]) {
  firn_seeder *s = t->s;
  if (s->count == t->wanted || !is_free(t, x)) return;
  int at[3];
  bin_at(t, x, at);
  memcpy(s->point + 3 * s->count, x, 3 * sizeof(double));
  uint32_t *head = &t->head[bin_index(t, at)];
  t->next[s->count++] = *head;
  *head = (uint32_t)s->count;
}

// At 1 to 1.3 distances from a point: uniform in a ball, and then moved outwards.
static void throw_near(thrower *t, const double from[3]) {
  firn_philox r = next_draw(t);
  double d[3], length = 0, x[3], tile = t->s->tile;
  for (int a = 0; a < 3; a++) {
    d[a] = 2 * firn_uniform(r.v[a]) - 1;
    length += d[a] * d[a];
  }
  if (length > 1 || length == 0) return;
  double reach = t->s->distance * (1 + 0.3 * firn_uniform(r.v[3])) / sqrt(length);
  for (int a = 0; a < 3; a++) {
    x[a] = from[a] + d[a] * reach;
    x[a] -= tile * floor(x[a] / tile);
    if (x[a] >= tile) x[a] = 0;
  }
  put(t, x);
}

static void throw_all(thrower *t) {
  firn_seeder *s = t->s;
  for (size_t i = 0; i < FIRST_THROWS * t->wanted; i++) {
    firn_philox r = next_draw(t);
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = s->tile * firn_uniform(r.v[a]);
    put(t, x);
  }
  while (s->count < t->wanted) {
    for (size_t i = 0; i < s->count; i++) {
      for (int k = 0; k < THROWS; k++) throw_near(t, s->point + 3 * i);
    }
    if (s->count < t->wanted) s->distance *= GIVE;
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
  thrower t = {.s = s, .bins = (int)fmax(1, floor(s->tile / s->distance)), .wanted = wanted};
  size_t bins = (size_t)t.bins * (size_t)t.bins * (size_t)t.bins;
  t.head = firn_alloc_zero(context, bins * sizeof *t.head, "seeding");
  t.next = firn_alloc(context, wanted * sizeof *t.next, "seeding");
  s->point = firn_alloc(context, 3 * wanted * sizeof(double), "seeding");
  s->start = firn_alloc_zero(context, ((size_t)cells + 1) * sizeof *s->start, "seeding");
  firn_status status = t.head && t.next && s->point && s->start ? FIRN_OK : FIRN_ERROR_MEMORY;
  size_t room = s->point ? wanted : 0;
  if (status == FIRN_OK) {
    throw_all(&t);
    status = order_by_cell(s, context);
  }
  s->count = room; // also when it failed: what is to be freed
  firn_free(context, t.head, bins * sizeof *t.head);
  firn_free(context, t.next, wanted * sizeof *t.next);
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
  if (kind == FIRN_SEEDING_POISSON && per_cell < 0.01) {
    // The tile of 16^3 cells would hold a point or none, which is another number a cell.
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: per_cell = %g must be 0.01 or more when seeding is poisson", what,
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
  for (int a = 0; a < 3; a++) out->within[a] = 0.5;
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

void firn_seeder_center(firn_seeder *s, double h, const double lo[3], const double hi[3],
                        bool pressing) {
  static const double STEPS = 1 << 20; // a lattice on that of the cells is on it to the last bit
  for (int a = 0; a < 3; a++) {
    double spacing = h / s->parts[a];
    bool stands = pressing && a == 1, inside = pressing && a != 1;
    double fitting = (hi[a] - lo[a]) / spacing;
    if (fitting < 0.5) continue; // too thin for a layer: what is there is right on average
    double layers = inside ? fmax(1, floor(fitting + 1e-3)) : floor(fitting + 0.5);
    double first = 0.5 * (lo[a] + hi[a]) / spacing - 0.5 * (layers - 1);
    if (stands) first = lo[a] / spacing + 0.5;
    double within = round((first - floor(first)) * STEPS) / STEPS;
    s->within[a] = within < 1 ? within : 0;
  }
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
    double within = s->kind == FIRN_SEEDING_LATTICE ? s->within[a] : firn_uniform(r.v[a]);
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
