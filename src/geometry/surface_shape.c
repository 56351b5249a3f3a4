// SPDX-License-Identifier: Apache-2.0
// Samples of surfaces that are given by a distance.
#include <math.h>
#include <string.h>

#include "geometry/sdf.h"
#include "geometry/surface_private.h"

typedef struct surface {
  const void *body;
  double (*distance)(const void *body, const double x[3], double time, double gradient[3]);
  double time;
  double slack; // how much steeper than 1 m per m the distance may be
  bool bounded;
  double lo[3], hi[3]; // m
  firn_flats *flats;   // or NULL
} surface;

static double ask_shape(const void *body, const double x[3], double time, double gradient[3]) {
  return firn_shape_ask(body, x, time, gradient);
}

static double ask_level_set(const void *body, const double x[3], double time, double gradient[3]) {
  (void)time;
  return firn_level_set_sample(body, x, gradient);
}

static double ask_sequence(const void *body, const double x[3], double time, double gradient[3]) {
  return firn_sequence_sample(body, x, time, gradient, NULL);
}

static double ask(const surface *s, const double x[3]) {
  double unused[3];
  return s->distance(s->body, x, s->time, unused);
}

// Newton's method onto the surface; false where it leads nowhere, and another throw will do.
static bool project(const surface *s, double spacing, double x[3], double normal[3]) {
  double g[3];
  for (int k = 0; k < 16; k++) {
    double d = s->distance(s->body, x, s->time, g), g2 = firn_sdf_dot(g, g);
    if (fabs(d) < 1e-6 * spacing) {
      firn_sdf_direction(g, normal);
      return true;
    }
    if (!(g2 > 1e-4) || fabs(d) > 4 * spacing) return false;
    for (int a = 0; a < 3; a++) x[a] -= d / g2 * g[a];
  }
  return false;
}

// ---------------------------------------------------------------------------------------- lattices

typedef struct laying {
  const firn_surface_work *work;
  firn_desk *desk;
  int flat;
  bool taken;
} laying;

static bool is_on_surface(const firn_surface_work *work, const double x[3], double normal[3]) {
  const surface *s = work->user;
  double g[3], d = s->distance(s->body, x, s->time, g);
  if (!(fabs(d) < 1e-4 * work->spacing)) return false;
  if (normal) firn_sdf_direction(g, normal);
  return true;
}

static bool find_other(void *user, const double x[3]) {
  laying *l = user;
  l->taken = is_on_surface(l->work, x, NULL);
  return !l->taken;
}

// A node counts if it is on the surface, and if none of a flat face before it is too near, whether that
// one counts or not: who counts is then told by looking at nodes nearby only.
static bool lay_node(void *user, const double x[3]) {
  laying *l = user;
  const firn_surface_work *work = l->work;
  const surface *s = work->user;
  firn_surface_sample sample = {.triangle = FIRN_SAMPLE_NO_TRIANGLE};
  for (int a = 0; a < 3; a++) {
    if (floor(x[a] / work->edge) != l->desk->tile->at[a]) return true;
  }
  if (!is_on_surface(work, x, sample.normal)) return true;
  l->taken = false;
  for (int i = 0; i < l->flat && !l->taken; i++) {
    firn_flat_visit(&s->flats->flat[i], x, FIRN_SAMPLE_NEAREST * work->spacing, find_other, l);
  }
  if (l->taken) return true;
  memcpy(sample.position, x, sizeof sample.position);
  firn_desk_put(l->desk, &sample);
  return true;
}

static void lay(const firn_surface_work *work, firn_desk *desk) {
  const surface *s = work->user;
  double middle[3];
  for (int a = 0; a < 3; a++) middle[a] = desk->lo[a] + work->edge / 2;
  for (int i = 0; i < s->flats->count; i++) {
    laying l = {work, desk, i, false};
    firn_flat_visit(&s->flats->flat[i], middle, 0.867 * work->edge, lay_node, &l);
  }
}

// ---------------------------------------------------------------------------------------- throwing
//
// First at random, into the cubes of half a spacing that the surface may pass; then into what is left of
// them, cut into eight again and again (Ebeida et al. 2012, A Simple Algorithm for Maximal Poisson-Disk
// Sampling in High Dimensions). Cubes within the reach of one sample are done with. What is left at the
// end is a 16th of a spacing wide, and has had a throw.

enum { CUBES = 64, DEPTH = 3 };

// Of the desk's samples, those that hold some of a cube.
typedef struct list {
  int count;
  uint16_t near[FIRN_DESK_NEAR];
} list;

// Throws into a cube; returns true if that made a sample.
static bool throw_into(const firn_surface_work *work, firn_desk *desk, const double middle[3],
                       double half, const list *near) {
  const surface *s = work->user;
  firn_surface_sample sample = {.triangle = FIRN_SAMPLE_NO_TRIANGLE};
  double *x = sample.position, reach = FIRN_TILE_REACH * work->spacing;
  firn_philox r = firn_desk_draw(work, desk);
  for (int a = 0; a < 3; a++) x[a] = middle[a] + half * (2 * firn_uniform(r.v[a]) - 1);
  if (!project(s, work->spacing, x, sample.normal)) return false;
  for (int a = 0; a < 3; a++) {
    if (x[a] < desk->lo[a] - reach || x[a] > desk->lo[a] + work->edge + reach) return false;
  }
  for (int i = 0; near && i < near->count; i++) {
    if (firn_square_apart(desk->x[near->near[i]], x) < work->nearest2) return false;
  }
  // Also where it was moved out of the cube that the list is of.
  if (!firn_desk_has_room(work, desk, x)) return false;
  firn_desk_put(desk, &sample);
  return true;
}

static bool is_away(const surface *s, const double middle[3], double half) {
  return fabs(ask(s, middle)) > s->slack * sqrt(3) * half;
}

// Whether one sample holds all of a cube: its farthest corner.
static bool holds(const firn_surface_work *work, const double x[3], const double middle[3],
                  double half) {
  double far = 0;
  for (int a = 0; a < 3; a++) {
    double d = fabs(x[a] - middle[a]) + half;
    far += d * d;
  }
  return far <= work->nearest2;
}

static bool is_covered(const firn_surface_work *work, const firn_desk *desk, const list *near,
                       const double middle[3], double half) {
  for (int k = 0; k < near->count; k++) {
    if (holds(work, desk->x[near->near[k]], middle, half)) return true;
  }
  return false;
}

static void refine(const firn_surface_work *work, firn_desk *desk, list *near,
                   const double middle[3], double half, int depth) {
  const surface *s = work->user;
  double h = half / 2;
  for (int k = 0; k < 8; k++) {
    const double m[3] = {middle[0] + (k & 1 ? h : -h), middle[1] + (k & 2 ? h : -h),
                         middle[2] + (k & 4 ? h : -h)};
    if (is_covered(work, desk, near, m, h) || is_away(s, m, h)) continue;
    if (throw_into(work, desk, m, h, near)) near->near[near->count++] = (uint16_t)(desk->near - 1);
    if (depth > 1) refine(work, desk, near, m, h, depth - 1);
  }
}

// Goes through one of the cubes that the tile is cut into first.
static void fill_cube(const firn_surface_work *work, firn_desk *desk, const double middle[3],
                      double half) {
  list *near = desk->scratch;
  double reach = sqrt(work->nearest2) + sqrt(3) * half;
  near->count = 0;
  for (int i = 0; i < desk->near; i++) {
    if (holds(work, desk->x[i], middle, half)) return;
    if (firn_square_apart(desk->x[i], middle) > reach * reach) continue;
    near->near[near->count++] = (uint16_t)i;
  }
  refine(work, desk, near, middle, half, DEPTH);
}

static void throw_all(const firn_surface_work *work, firn_desk *desk) {
  const surface *s = work->user;
  double middle[CUBES][3], half = work->edge / 8;
  int count = 0;
  for (int k = 0; k < CUBES; k++) {
    const int i[3] = {(k >> 5 & 1) << 1 | (k >> 2 & 1), (k >> 4 & 1) << 1 | (k >> 1 & 1),
                      (k >> 3 & 1) << 1 | (k & 1)};
    double *m = middle[count];
    if (k % 8 == 0) { // the next eight are a cube, too
      for (int a = 0; a < 3; a++) m[a] = desk->lo[a] + (2 * i[a] + 2) * half;
      if (is_away(s, m, 2 * half)) {
        k += 7;
        continue;
      }
    }
    for (int a = 0; a < 3; a++) m[a] = desk->lo[a] + (2 * i[a] + 1) * half;
    count += !is_away(s, m, half);
  }
  for (int k = 0; k < count; k++) {
    uint64_t lot = firn_desk_draw(work, desk).v[0];
    throw_into(work, desk, middle[lot * (uint64_t)count >> 32], half, NULL);
  }
  for (int k = 0; k < count; k++) fill_cube(work, desk, middle[k], half);
}

// ------------------------------------------------------------------------------------------- tiles

// Cubes of 8 tiles along an edge, with a bit for each tile that the surface may pass.
enum { CUBE = 8 };

typedef struct cube {
  int32_t at[3]; // of cubes
  uint64_t tiles[CUBE];
} cube;

typedef struct search {
  firn_surface_work *work;
  int32_t lo[3], hi[3]; // tiles
  cube *cube;           // [count]
  size_t count, capacity;
} search;

static bool may_pass(const search *q, const double tile[3], double tiles) {
  const surface *s = q->work->user;
  double edge = q->work->edge, middle[3];
  for (int a = 0; a < 3; a++) middle[a] = (tile[a] + tiles / 2) * edge;
  return fabs(ask(s, middle)) <= s->slack * sqrt(3) / 2 * tiles * edge * (1 + 1e-12);
}

static firn_status add_cube(search *q, const double tile[3]) {
  if (q->count == q->capacity) {
    size_t capacity = q->capacity ? 2 * q->capacity : 256;
    if (capacity > (size_t)1 << 27) {
      return firn_fail(q->work->context, FIRN_ERROR_ARGUMENT,
                       "%s: a spacing of %g m makes too many samples", q->work->what,
                       q->work->spacing);
    }
    cube *all = firn_resize(q->work->context, q->cube, q->capacity * sizeof *all,
                            capacity * sizeof *all, "surface samples");
    if (!all) return FIRN_ERROR_MEMORY;
    q->cube = all;
    q->capacity = capacity;
  }
  cube *c = &q->cube[q->count++];
  for (int a = 0; a < 3; a++) c->at[a] = (int32_t)(tile[a] / CUBE);
  return FIRN_OK;
}

// From a cube of many tiles down to those of CUBE; tile is the first in it.
static firn_status descend(search *q, const double tile[3], double tiles) {
  for (int a = 0; a < 3; a++) {
    if (tile[a] > q->hi[a] || tile[a] + tiles - 1 < q->lo[a]) return FIRN_OK;
  }
  if (!may_pass(q, tile, tiles)) return FIRN_OK;
  if (tiles == CUBE) return add_cube(q, tile);
  for (int k = 0; k < 8; k++) {
    double h = tiles / 2;
    const double t[3] = {tile[0] + (k & 1 ? h : 0), tile[1] + (k & 2 ? h : 0),
                         tile[2] + (k & 4 ? h : 0)};
    FIRN_TRY(descend(q, t, h));
  }
  return FIRN_OK;
}

static void look_at_tiles(const search *q, cube *c) {
  for (int i = 0; i < CUBE * CUBE * CUBE; i++) {
    const int at[3] = {i / CUBE / CUBE, i / CUBE % CUBE, i % CUBE};
    double tile[3];
    bool in = true;
    if (i % (CUBE * CUBE) == 0) c->tiles[at[0]] = 0;
    for (int a = 0; a < 3; a++) {
      tile[a] = (double)CUBE * c->at[a] + at[a];
      in = in && tile[a] >= q->lo[a] && tile[a] <= q->hi[a];
    }
    if (in && may_pass(q, tile, 1)) c->tiles[at[0]] |= (uint64_t)1 << (CUBE * at[1] + at[2]);
  }
}

static firn_status find_tiles(search *q) {
  double first[3], tiles = CUBE, last[3];
  for (int a = 0; a < 3; a++) {
    first[a] = floor((double)q->lo[a] / CUBE) * CUBE;
    last[a] = floor((double)q->hi[a] / CUBE) * CUBE;
  }
  // Cubes of a size begin at multiples of it, so that what is asked does not depend on the box.
  for (bool one = false; !one; tiles *= one ? 1 : 2) {
    one = true;
    for (int a = 0; a < 3; a++) one = one && last[a] - first[a] < 2 * tiles;
  }
  for (int a = 0; a < 3; a++) first[a] = floor(first[a] / tiles) * tiles;
  for (int k = 0; k < 27; k++) {
    const double t[3] = {first[0] + k / 9 * tiles, first[1] + k / 3 % 3 * tiles,
                         first[2] + k % 3 * tiles};
    FIRN_TRY(descend(q, t, tiles));
  }
  FIRN_PARALLEL_FOR(q->work->context, schedule(dynamic, 4))
  for (size_t i = 0; i < q->count; i++) look_at_tiles(q, &q->cube[i]);
  for (size_t i = 0; i < q->count; i++) {
    const cube *c = &q->cube[i];
    for (int k = 0; k < CUBE * CUBE * CUBE; k++) {
      if (!(c->tiles[k / CUBE / CUBE] >> k % (CUBE * CUBE) & 1)) continue;
      const int32_t at[3] = {CUBE * c->at[0] + k / CUBE / CUBE, CUBE * c->at[1] + k / CUBE % CUBE,
                             CUBE * c->at[2] + k % CUBE};
      FIRN_TRY(firn_surface_add_tile(q->work, at));
    }
  }
  return FIRN_OK;
}

// The tiles of the box, and those round it.
static firn_status set_range(search *q) {
  firn_surface_work *work = q->work;
  const surface *s = work->user;
  const firn_surface_def *def = work->def;
  int32_t margin[3];
  double reach = FIRN_TILE_REACH * work->spacing;
  firn_surface_margins(margin);
  for (int a = 0; a < 3; a++) {
    double lo = def->lo[a], hi = def->hi[a];
    if (!(lo < hi)) {
      return firn_fail(work->context, FIRN_ERROR_ARGUMENT,
                       "%s: the box to be sampled goes from %g m to %g m along %c", work->what, lo,
                       hi, "xyz"[a]);
    }
    lo = floor((lo - reach) / work->edge);
    hi = floor((hi + reach) / work->edge);
    double least = s->bounded ? floor((s->lo[a] - reach) / work->edge) : -(double)INFINITY;
    double most = s->bounded ? floor((s->hi[a] + reach) / work->edge) : (double)INFINITY;
    double from = fmax(lo - margin[a], least), to = fmin(hi + margin[a], most);
    if (!(fabs(from) < 1 << 29 && fabs(to) < 1 << 29)) {
      return firn_fail(work->context, FIRN_ERROR_ARGUMENT,
                       "%s: its surface reaches too far along %c to be sampled %g m apart; give a "
                       "smaller box",
                       work->what, "xyz"[a], work -> spacing);
    }
    work->range[0][a] = (int32_t)fmax(lo, -(1 << 29));
    work->range[1][a] = (int32_t)fmin(hi, 1 << 29);
    q->lo[a] = (int32_t)from;
    q->hi[a] = (int32_t)to;
  }
  return FIRN_OK;
}

static firn_status sample(firn_context *context, surface *s, const firn_surface_def *def,
                          const char *what, firn_surface_samples *out) {
  *out = (firn_surface_samples){.context = context};
  if (!(def->spacing > 0 && isfinite(def->spacing))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: spacing = %g m must be positive", what,
                     def->spacing);
  }
  double nearest = FIRN_SAMPLE_NEAREST * def->spacing;
  firn_surface_work work = {.context = context,
                            .def = def,
                            .what = what,
                            .spacing = def->spacing,
                            .nearest2 = nearest * nearest,
                            .edge = 2 * def->spacing,
                            .seed = def->seed ^ 0x73757266u,
                            .throws = !(s->flats && s->flats->all),
                            .lay = s->flats && s->flats->count ? lay : NULL,
                            .throw = throw_all,
                            .user = s,
                            .scratch = sizeof(list),
                            .out = out};
  search q = {.work = &work};
  s->time = def->time;
  firn_status status = set_range(&q);
  bool any = q.lo[0] <= q.hi[0] && q.lo[1] <= q.hi[1] && q.lo[2] <= q.hi[2];
  if (status == FIRN_OK && any) status = find_tiles(&q);
  firn_free(context, q.cube, q.capacity * sizeof *q.cube);
  if (status == FIRN_OK) status = firn_surface_fill(&work);
  firn_surface_end(&work);
  if (status != FIRN_OK) {
    firn_surface_samples_free(out);
    *out = (firn_surface_samples){.context = context};
  }
  return status;
}

firn_status firn_shape_surface(const firn_shape *shape, const firn_surface_def *def,
                               const char *what, firn_surface_samples *out) {
  surface s = {.body = shape,
               .distance = ask_shape,
               .slack = shape->exact ? 1 : 1.1,
               .bounded = shape->bounded};
  memcpy(s.lo, shape->lo, sizeof s.lo);
  memcpy(s.hi, shape->hi, sizeof s.hi);
  *out = (firn_surface_samples){.context = shape->context};
  s.flats = firn_alloc(shape->context, sizeof *s.flats, "surface samples");
  if (!s.flats) return FIRN_ERROR_MEMORY;
  firn_flats_find(shape, def->spacing, s.flats);
  firn_status status = sample(shape->context, &s, def, what, out);
  firn_free(shape->context, s.flats, sizeof *s.flats);
  if (status == FIRN_OK) status = firn_shape_check_answers(shape->context, shape, what);
  if (status != FIRN_OK) firn_surface_samples_free(out);
  return status;
}

firn_status firn_level_set_surface(const firn_level_set *set, const firn_surface_def *def,
                                   const char *what, firn_surface_samples *out) {
  surface s = {.body = set, .distance = ask_level_set, .slack = 1.1, .bounded = true};
  for (int a = 0; a < 3; a++) {
    s.lo[a] = set->bounds[0][a] - set->voxel;
    s.hi[a] = set->bounds[1][a] + set->voxel;
  }
  return sample(set->context, &s, def, what, out);
}

firn_status firn_sequence_surface(const firn_sequence *sequence, const firn_surface_def *def,
                                  const char *what, firn_surface_samples *out) {
  surface s = {.body = sequence, .distance = ask_sequence, .slack = 1.2, .bounded = true};
  memcpy(s.lo, sequence->lo, sizeof s.lo);
  memcpy(s.hi, sequence->hi, sizeof s.hi);
  return sample(sequence->context, &s, def, what, out);
}
