// SPDX-License-Identifier: Apache-2.0
// Samples of triangles. A triangle is halved across its longest edge until its pieces are 0.8 spacings
// long or less; a piece belongs to the tile of its middle, and sticks out of it by 2/3 of that at most.
// Each piece of a tile has a throw, the larger the sooner; then what is left of it is halved on, with a
// throw for each half, until it is within the reach of one sample or a tenth of a spacing long.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/sdf.h"
#include "geometry/surface_private.h"

static const double LONGEST = 0.8, SHORTEST = 0.1; // spacings

// Part of a triangle: the weights of the triangle's corners at its own.
typedef struct piece {
  uint32_t triangle;
  double turn; // when it is thrown at
  double weight[3][3];
  double x[3][3]; // m: its corners
} piece;

typedef struct pair {
  int32_t at[3];
  uint32_t triangle;
} pair;

typedef struct triangles {
  const firn_mesh *mesh;
  pair *pair; // [count], by tile and triangle
  size_t count, capacity;
} triangles;

static void corners_of(const firn_mesh *mesh, uint32_t triangle, const double *out[3]) {
  for (size_t k = 0; k < 3; k++) {
    out[k] = mesh->position + 3 * (size_t)mesh->triangle[3 * (size_t)triangle + k];
  }
}

static void blend(const double *const corner[3], const double weight[3], double out[3]) {
  for (int a = 0; a < 3; a++) {
    out[a] = weight[0] * corner[0][a] + weight[1] * corner[1][a] + weight[2] * corner[2][a];
  }
}

// The corner across from the longest edge, and the square of its length.
static int find_longest(const piece *p, double *square) {
  int across = 0;
  *square = -1;
  for (int k = 0; k < 3; k++) {
    double d = firn_square_apart(p->x[(k + 1) % 3], p->x[(k + 2) % 3]);
    if (!(d > *square)) continue;
    *square = d;
    across = k;
  }
  return across;
}

static void halve(const piece *p, int across, piece out[2]) {
  int k = (across + 1) % 3, l = (across + 2) % 3;
  out[0] = out[1] = *p;
  for (int a = 0; a < 3; a++) {
    double middle = (p->weight[k][a] + p->weight[l][a]) / 2;
    out[0].weight[l][a] = middle;
    out[1].weight[k][a] = middle;
    middle = (p->x[k][a] + p->x[l][a]) / 2;
    out[0].x[l][a] = middle;
    out[1].x[k][a] = middle;
  }
}

static piece whole(const firn_mesh *mesh, uint32_t triangle) {
  piece p = {.triangle = triangle, .weight = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double *corner[3];
  corners_of(mesh, triangle, corner);
  for (int k = 0; k < 3; k++) memcpy(p.x[k], corner[k], sizeof p.x[k]);
  return p;
}

static double least_of(const piece *p, int a) {
  double least = p->x[0][a] < p->x[1][a] ? p->x[0][a] : p->x[1][a];
  return least < p->x[2][a] ? least : p->x[2][a];
}

static double most_of(const piece *p, int a) {
  double most = p->x[0][a] > p->x[1][a] ? p->x[0][a] : p->x[1][a];
  return most > p->x[2][a] ? most : p->x[2][a];
}

// ------------------------------------------------------------------------------------------- pieces

typedef struct cutting {
  const firn_surface_work *work;
  const int32_t *at; // the tile
  piece *out;        // NULL: they are counted only
  size_t count;
} cutting;

static double area_of(const double x[3][3]) {
  double e[3], f[3];
  for (int a = 0; a < 3; a++) e[a] = x[1][a] - x[0][a], f[a] = x[2][a] - x[0][a];
  const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                       e[0] * f[1] - e[1] * f[0]};
  return firn_sdf_length(n) / 2;
}

// The pieces of a tile.
static void cut(cutting *c, const piece *p) {
  const firn_surface_work *work = c->work;
  double square, limit = LONGEST * work->spacing;
  bool mine = true;
  for (int a = 0; a < 3; a++) {
    // Rounding may put a middle outside of its corners, by as much as this and no more.
    double lo = c->at[a] * work->edge, hi = lo + work->edge, slack = 1e-9 * work->edge;
    if (least_of(p, a) > hi + slack || most_of(p, a) < lo - slack) return;
    double middle = (p->x[0][a] + p->x[1][a] + p->x[2][a]) / 3;
    mine = mine && floor(middle / work->edge) == c->at[a];
  }
  int across = find_longest(p, &square);
  if (square > limit * limit) {
    piece half[2];
    halve(p, across, half);
    cut(c, &half[0]);
    cut(c, &half[1]);
    return;
  }
  if (!mine) return;
  if (c->out) {
    piece *out = &c->out[c->count];
    *out = *p;
    out->turn = area_of(p->x);
  }
  c->count++;
}

static void cut_all(const firn_surface_work *work, const firn_tile *tile, cutting *c) {
  const triangles *t = work->user;
  *c = (cutting){.work = work, .at = tile->at, .out = c->out};
  for (uint32_t i = 0; i < tile->source_count; i++) {
    piece p = whole(t->mesh, t->pair[tile->source + i].triangle);
    cut(c, &p);
  }
}

// ----------------------------------------------------------------------------------------- throwing

static bool throw_at(const firn_surface_work *work, firn_desk *desk, const piece *p) {
  const firn_mesh *mesh = ((const triangles *)work->user)->mesh;
  const double *corner[3];
  corners_of(mesh, p->triangle, corner);
  firn_philox r = firn_desk_draw(work, desk);
  // Uniform in the triangle: a point of the parallelogram, turned into this half of it.
  double u = firn_uniform(r.v[0]), v = firn_uniform(r.v[1]);
  if (u + v > 1) u = 1 - u, v = 1 - v;
  const double share[3] = {1 - u - v, u, v};
  firn_surface_sample s = {.triangle = p->triangle};
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < 3; k++) s.weight[a] += share[k] * p->weight[k][a];
  }
  blend(corner, s.weight, s.position);
  if (!firn_desk_has_room(work, desk, s.position)) return false;
  double e[3], f[3];
  for (int a = 0; a < 3; a++) {
    e[a] = corner[1][a] - corner[0][a];
    f[a] = corner[2][a] - corner[0][a];
  }
  const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                       e[0] * f[1] - e[1] * f[0]};
  firn_sdf_direction(n, s.normal);
  firn_desk_put(desk, &s);
  return true;
}

// Whether one sample holds all three corners, and so the piece.
static bool is_covered(const firn_surface_work *work, const firn_desk *desk, const piece *p) {
  for (int i = desk->near; i-- > 0;) { // the latest are the nearest
    const double *y = desk->x[i];
    if (firn_square_apart(y, p->x[0]) <= work->nearest2 &&
        firn_square_apart(y, p->x[1]) <= work->nearest2 &&
        firn_square_apart(y, p->x[2]) <= work->nearest2) {
      return true;
    }
  }
  return false;
}

static void refine(const firn_surface_work *work, firn_desk *desk, const piece *p) {
  double square, limit = SHORTEST * work->spacing;
  if (is_covered(work, desk, p)) return;
  int across = find_longest(p, &square);
  throw_at(work, desk, p);
  if (square <= limit * limit) return;
  piece half[2];
  halve(p, across, half);
  refine(work, desk, &half[0]);
  refine(work, desk, &half[1]);
}

static int by_turn(const void *a, const void *b) {
  const piece *p = a, *q = b;
  if (p->turn != q->turn) return p->turn < q->turn ? -1 : 1;
  if (p->triangle != q->triangle) return p->triangle < q->triangle ? -1 : 1;
  return memcmp(p->weight, q->weight, sizeof p->weight);
}

static void throw_all(const firn_surface_work *work, firn_desk *desk) {
  cutting c = {.out = desk->scratch};
  cut_all(work, desk->tile, &c);
  // Who is drawn first, with chances as the areas are: the least of -ln(uniform) / area.
  for (size_t i = 0; i < c.count; i++) {
    double u = firn_uniform(firn_desk_draw(work, desk).v[0]) + 0x1p-33;
    c.out[i].turn = c.out[i].turn > 0 ? -log(u) / c.out[i].turn : (double)INFINITY;
  }
  qsort(c.out, c.count, sizeof *c.out, by_turn);
  for (size_t i = 0; i < c.count; i++) throw_at(work, desk, &c.out[i]);
  for (size_t i = 0; i < c.count; i++) refine(work, desk, &c.out[i]);
}

// -------------------------------------------------------------------------------------------- tiles

static firn_status add_pair(const firn_surface_work *work, triangles *t, const int32_t at[3],
                            uint32_t triangle) {
  if (t->count == t->capacity) {
    size_t capacity = t->capacity ? 2 * t->capacity : 1024;
    if (capacity > (size_t)1 << 31) {
      return firn_fail(work->context, FIRN_ERROR_ARGUMENT,
                       "%s: a spacing of %g m makes too many samples", work->what, work->spacing);
    }
    pair *all = firn_resize(work->context, t->pair, t->capacity * sizeof *all,
                            capacity * sizeof *all, "surface samples");
    if (!all) return FIRN_ERROR_MEMORY;
    t->pair = all;
    t->capacity = capacity;
  }
  t->pair[t->count++] = (pair){{at[0], at[1], at[2]}, triangle};
  return FIRN_OK;
}

// Notes the tiles that a piece may touch, once it is no larger than a few of them.
static firn_status find(const firn_surface_work *work, triangles *t, const piece *p) {
  double square, slack = 1e-9 * work->edge;
  int32_t lo[3], hi[3], at[3];
  int across = find_longest(p, &square);
  if (square > work->edge * work->edge) {
    piece half[2];
    halve(p, across, half);
    FIRN_TRY(find(work, t, &half[0]));
    return find(work, t, &half[1]);
  }
  for (int a = 0; a < 3; a++) {
    lo[a] = (int32_t)floor((least_of(p, a) - slack) / work->edge);
    hi[a] = (int32_t)floor((most_of(p, a) + slack) / work->edge);
  }
  for (at[0] = lo[0]; at[0] <= hi[0]; at[0]++) {
    for (at[1] = lo[1]; at[1] <= hi[1]; at[1]++) {
      for (at[2] = lo[2]; at[2] <= hi[2]; at[2]++) {
        FIRN_TRY(add_pair(work, t, at, p->triangle));
      }
    }
  }
  return FIRN_OK;
}

static int by_tile(const void *a, const void *b) {
  const pair *p = a, *q = b;
  for (int i = 0; i < 3; i++) {
    if (p->at[i] != q->at[i]) return p->at[i] < q->at[i] ? -1 : 1;
  }
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static firn_status find_tiles(firn_surface_work *work, triangles *t) {
  for (uint32_t i = 0; i < t->mesh->triangle_count; i++) {
    piece p = whole(t->mesh, i);
    FIRN_TRY(find(work, t, &p));
  }
  if (!t->count) return FIRN_OK;
  qsort(t->pair, t->count, sizeof *t->pair, by_tile);
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) {
    pair p = t->pair[i];
    if (i && by_tile(&p, &t->pair[count - 1]) == 0) continue;
    bool new_tile = !count || memcmp(p.at, t->pair[count - 1].at, sizeof p.at) != 0;
    t->pair[count] = p;
    if (new_tile) {
      FIRN_TRY(firn_surface_add_tile(work, p.at));
      work->tile[work->count - 1].source = (uint32_t)count;
    }
    work->tile[work->count - 1].source_count++;
    count++;
  }
  t->count = count;

  size_t most = 0;
  FIRN_PARALLEL_FOR(work->context, schedule(dynamic, 16) reduction(max : most))
  for (size_t i = 0; i < work->count; i++) {
    cutting c = {0};
    cut_all(work, &work->tile[i], &c);
    if (c.count > most) most = c.count;
  }
  work->scratch = most * sizeof(piece);
  return FIRN_OK;
}

static firn_status check(firn_context *context, const firn_mesh *mesh, const firn_surface_def *def,
                         const char *what) {
  if (!(def->spacing > 0 && isfinite(def->spacing))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: spacing = %g m must be positive", what,
                     def->spacing);
  }
  const firn_mesh_report *r = &mesh->report;
  for (int a = 0; a < 3; a++) {
    double far = fmax(fabs(r->lo[a]), fabs(r->hi[a])) / (2 * def->spacing);
    if (far < 1 << 29 && r->area / def->spacing / def->spacing < 0x1p31) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: a spacing of %g m makes too many samples",
                     what, def->spacing);
  }
  return FIRN_OK;
}

firn_status firn_mesh_surface(const firn_mesh *mesh, const firn_surface_def *def, const char *what,
                              firn_surface_samples *out) {
  firn_context *context = mesh->context;
  double nearest = FIRN_SAMPLE_NEAREST * def->spacing;
  triangles t = {.mesh = mesh};
  firn_surface_work work = {.context = context,
                            .def = def,
                            .what = what,
                            .spacing = def->spacing,
                            .nearest2 = nearest * nearest,
                            .edge = 2 * def->spacing,
                            .seed = def->seed ^ 0x6d657368u,
                            .throws = true,
                            .whole = true,
                            .throw = throw_all,
                            .user = &t,
                            .out = out};
  *out = (firn_surface_samples){.context = context};
  FIRN_TRY(check(context, mesh, def, what));
  firn_status status = find_tiles(&work, &t);
  if (status == FIRN_OK) status = firn_surface_fill(&work);
  firn_free(context, t.pair, t.capacity * sizeof *t.pair);
  firn_surface_end(&work);
  if (status != FIRN_OK) {
    firn_surface_samples_free(out);
    *out = (firn_surface_samples){.context = context};
  }
  return status;
}
