// SPDX-License-Identifier: Apache-2.0
#include "refine/fine.h"

#include <string.h>

#include "base/def.h"
#include "base/pages.h"
#include "base/parallel.h"

enum { EDGE = FIRN_FINE_EDGE };

FIRN_DEFAULTS(fine_def) {
  return (firn_fine_def){.mode = FIRN_REFINE_BALLISTIC, .density = 0.5};
}

firn_status firn_fine_create(firn_context *context, const firn_fine_def *given, firn_fine **out) {
  if (!context || !given || !out) return firn_fail_null(context, "firn_fine_create");
  *out = NULL;
  FIRN_TAKE(context, fine_def, given, own);
  const firn_fine_def *def = &own;
  if (!firn_real_is_positive(def->cell))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "fine particles: cell is %g m; it must be above 0", def->cell);
  if (!(def->density > 0 && def->density <= 1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "fine particles: density is %g; it must be above 0 and at most 1",
                     def->density);
  if (def->mode != FIRN_REFINE_BALLISTIC && def->mode != FIRN_REFINE_PRINTED)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "fine particles: mode %d does not exist",
                     (int)def->mode);
  firn_fine *f = firn_alloc_zero(context, sizeof *f, "fine particles");
  if (!f) return FIRN_ERROR_MEMORY;
  f->context = context;
  f->def = *def;
  f->kernel = firn_carry_get(context->isa);
  *out = f;
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------------- room

static void free_room(firn_fine *f) {
  firn_free(f->context, f->now, f->room * sizeof *f->now);
  firn_free(f->context, f->next, f->room * sizeof *f->next);
  f->now = f->next = NULL;
  f->room = f->count = 0;
}

static firn_status reserve(firn_fine *f, size_t count) {
  if (count <= f->room) return FIRN_OK;
  free_room(f);
  f->room = count;
  f->now = firn_alloc(f->context, count * sizeof *f->now, "fine particles");
  f->next = firn_alloc(f->context, count * sizeof *f->next, "fine particles");
  if (f->now && f->next) {
    firn_large_pages(f->now, count * sizeof *f->now);
    firn_large_pages(f->next, count * sizeof *f->next);
    return FIRN_OK;
  }
  free_room(f);
  return FIRN_ERROR_MEMORY;
}

void firn_fine_destroy(firn_fine *f) {
  if (!f) return;
  free_room(f);
  firn_buffer *const all[] = {&f->blocks,    &f->start, &f->parts,  &f->counts, &f->old_blocks,
                              &f->old_start, &f->keys,  &f->table,  &f->node,   &f->arena,
                              &f->snowy,     &f->slot,  &f->listed, &f->first};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) firn_buffer_free(f->context, all[i]);
  firn_free(f->context, f, sizeof *f);
}

// ----------------------------------------------------------------------------------- in and out

// Of doubles or, where there are none, of floats.
static double number(const double *doubles, const float *floats, size_t i) {
  return doubles ? doubles[i] : floats ? (double)floats[i] : 0;
}

// Places whose cells and blocks have numbers, and finite speeds.
static firn_status check(firn_fine *f, size_t count, const double *doubles, const float *floats,
                         double most, const char *what) {
  size_t bad = SIZE_MAX;
  FIRN_PARALLEL_FOR(f->context, schedule(static) reduction(min : bad))
  for (size_t i = 0; i < 3 * count; i++) {
    double value = number(doubles, floats, i);
    if (!(fabs(value) < most) && i / 3 < bad) bad = i / 3;
  }
  if (bad == SIZE_MAX) return FIRN_OK;
  double at[3];
  for (size_t a = 0; a < 3; a++) at[a] = number(doubles, floats, 3 * bad + a);
  return firn_fail(f->context, FIRN_ERROR_ARGUMENT,
                   "the %s of particle %zu is %g %g %g: not finite, or too large", what, bad, at[0],
                   at[1], at[2]);
}

static double farthest(const firn_fine *f) {
  return EDGE * (FIRN_CELL_HALF - 4.0) * f->def.cell;
}

#define FASTEST 1e9 // m/s; squares of floats hold that

static firn_status load(firn_fine *f, size_t count, const double *x, const double *v,
                        const float *fx, const float *fv) {
  if (count > INT32_MAX)
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT, "%zu fine particles: at most %d are possible",
                     count, INT32_MAX);
  FIRN_TRY(check(f, count, x, fx, farthest(f), "position"));
  FIRN_TRY(check(f, count, v, fv, FASTEST, "velocity"));
  FIRN_TRY(reserve(f, count));
  double most = 0;
  FIRN_PARALLEL_FOR(f->context, schedule(static) reduction(max : most))
  for (size_t i = 0; i < count; i++) {
    firn_fine_particle p = {.row = (uint32_t)i};
    double square = 0;
    for (size_t a = 0; a < 3; a++) {
      p.x[a] = (firn_real)number(x, fx, 3 * i + a);
      p.v[a] = (firn_real)number(v, fv, 3 * i + a);
      square += (double)p.v[a] * (double)p.v[a];
    }
    f->now[i] = p;
    if (square > most) most = square;
  }
  f->count = count;
  f->speed = sqrt(most);
  firn_status status = firn_fine_settle(f);
  if (status != FIRN_OK) f->count = f->block_count = 0; // the old ones are gone, too
  return status;
}

firn_status firn_fine_set(firn_fine *f, size_t count, const double *x, const double *v) {
  if (!f) return FIRN_ERROR_ARGUMENT;
  if (count && (!x || !v)) return firn_fail_null(f->context, "firn_fine_set");
  return load(f, count, x, v, NULL, NULL);
}

firn_status firn_fine_load(firn_fine *f, size_t count, const float *position,
                           const float *velocity) {
  return load(f, count, NULL, NULL, position, velocity);
}

size_t firn_fine_count(const firn_fine *f) {
  return f ? f->count : 0;
}

double firn_fine_speed(const firn_fine *f) {
  return f ? f->speed : 0;
}

firn_status firn_fine_read(const firn_fine *f, double *x, double *v) {
  if (!f) return FIRN_ERROR_ARGUMENT;
  FIRN_PARALLEL_FOR(f->context, schedule(static))
  for (size_t i = 0; i < f->count; i++) {
    const firn_fine_particle *p = &f->now[i];
    for (size_t a = 0; a < 3; a++) {
      if (x) x[3 * (size_t)p->row + a] = (double)p->x[a];
      if (v) v[3 * (size_t)p->row + a] = (double)p->v[a];
    }
  }
  return FIRN_OK;
}

void firn_fine_save(const firn_fine *f, float *position, float *velocity) {
  FIRN_PARALLEL_FOR(f->context, schedule(static))
  for (size_t i = 0; i < f->count; i++) {
    const firn_fine_particle *p = &f->now[i];
    for (size_t a = 0; a < 3; a++) {
      position[3 * (size_t)p->row + a] = (float)p->x[a];
      velocity[3 * (size_t)p->row + a] = (float)p->v[a];
    }
  }
}

// --------------------------------------------------------------------------------------- a step

// The flow on all corners of the block's cells, [5][5][5][4].
static void gather_nodes(const firn_fine *f, const firn_fine_block *b, firn_real node[][4]) {
  const firn_real(*all)[4] = (const firn_real(*)[4])f->node.data;
  for (int i = 0; i < FIRN_FINE_NODES; i++) {
    const int at[3] = {i / 25, i / 5 % 5, i % 5};
    int block = 0, cell = 0;
    for (int a = 0; a < 3; a++) {
      block = 3 * block + 1 + (at[a] == EDGE);
      cell = EDGE * cell + at[a] % EDGE;
    }
    // Where no particle is near, there may be no block, and nobody asks.
    if (b->around[block] < 0)
      memset(node[i], 0, sizeof node[i]);
    else
      memcpy(node[i], all[(size_t)b->around[block] * FIRN_FINE_CELLS + (size_t)cell],
             sizeof node[i]);
  }
}

static void fill_cell(const firn_fine *f, const firn_fine_block *b, int number,
                      const firn_real node[][4], firn_carry_cell *out) {
  const int at[3] = {number >> 4, number >> 2 & 3, number & 3};
  firn_real least = FIRN_REAL_MAX, most = 0;
  for (int n = 0; n < 8; n++) {
    const firn_real *from =
        node[((at[0] + (n >> 2)) * 5 + at[1] + (n >> 1 & 1)) * 5 + at[2] + (n & 1)];
    for (int c = 0; c < 4; c++) out->k[c][n] = from[c];
    least = firn_min(least, from[3]);
    most = firn_max(most, from[3]);
  }
  out->kind = most <= 0                            ? FIRN_CARRY_ALONE
              : least >= (firn_real)f->def.density ? FIRN_CARRY_DENSE
                                                   : FIRN_CARRY_MIXED;
  for (int c = 0; c < 4; c++)
    for (int bit = 1; bit < 8; bit *= 2)
      for (int n = 0; n < 8; n++)
        if (n & bit) out->k[c][n] -= out->k[c][n ^ bit];
  for (int a = 0; a < 3; a++) out->corner[a] = (firn_real)(EDGE * b->at[a] + at[a]);
  out->place = (firn_real)(((at[0] + 1) * 6 + at[1] + 1) * 6 + at[2] + 1);
}

// What all blocks of a step have in common.
typedef struct errand {
  firn_fine *fine;
  firn_carry step;
  int collider_count;
  const firn_collider *colliders;
  double reach; // m, how far a particle may go
} errand;

// Returns the square of the highest speed.
static double carry_block(const errand *e, size_t block) {
  firn_fine *f = e->fine;
  const firn_fine_block *b = &firn_fine_blocks(f)[block];
  const uint32_t *start = firn_fine_start(f) + FIRN_FINE_CELLS * block;
  firn_real node[FIRN_FINE_NODES][4], most = 0;
  firn_carry_cell cell;
  gather_nodes(f, b, node);
  for (int c = 0; c < FIRN_FINE_CELLS; c++) {
    size_t first = start[c], count = start[c + 1] - first;
    if (!count) continue;
    fill_cell(f, b, c, (const firn_real(*)[4])node, &cell);
    most = firn_max(most, f->kernel(&e->step, &cell, count, f->now + first));
  }
  return fmax((double)most,
              firn_fine_push_out(f, block, e->collider_count, e->colliders, e->reach));
}

static firn_status check_step(firn_fine *f, const firn_fine_step_def *d, double *reach) {
  if (!(d->dt > 0) || !isfinite(d->dt))
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT,
                     "fine particles: dt is %g s; it must be above 0", d->dt);
  if (d->count && (!d->position || !d->velocity))
    return firn_fail_null(f->context, "firn_fine_step");
  if (d->count > INT32_MAX)
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT, "%zu particles: at most %d are possible",
                     d->count, INT32_MAX);
  FIRN_TRY(check(f, d->count, d->position, NULL, farthest(f), "position"));
  FIRN_TRY(check(f, d->count, d->velocity, NULL, FASTEST, "velocity"));
  double flow = 0, fall = 0;
  FIRN_PARALLEL_FOR(f->context, schedule(static) reduction(max : flow))
  for (size_t i = 0; i < d->count; i++) {
    const double *v = d->velocity + 3 * i;
    double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (square > flow) flow = square;
  }
  for (int a = 0; a < 3; a++) fall += d->gravity[a] * d->gravity[a];
  double fastest = fmax(sqrt(flow), f->speed) + d->dt * sqrt(fall);
  *reach = d->dt * fastest;
  if (!(*reach <= f->def.cell))
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT,
                     "fine particles: at %g m/s one crosses more than a cell of %g m in a step of "
                     "%g s; take shorter steps",
                     fastest, f->def.cell, d->dt);
  return FIRN_OK;
}

firn_status firn_fine_step_among(firn_fine *f, const firn_fine_step_def *d, int collider_count,
                                 const firn_collider *colliders) {
  double reach = 0;
  FIRN_TRY(check_step(f, d, &reach));
  if (!f->count) return FIRN_OK;
  FIRN_TRY(firn_fine_reach(f));
  FIRN_TRY(firn_fine_flow(f, d));
  FIRN_TRY(firn_fine_divide(f));
  errand e = {.fine = f,
              .step = {.dt = (firn_real)d->dt,
                       .inverse = (firn_real)(1 / f->def.cell),
                       .by_density = (firn_real)(1 / f->def.density),
                       .printed = f->def.mode == FIRN_REFINE_PRINTED},
              .collider_count = collider_count,
              .colliders = colliders,
              .reach = reach};
  for (int a = 0; a < 3; a++) e.step.fall[a] = (firn_real)(d->dt * d->gravity[a]);
  const uint32_t *start = firn_fine_start(f);
  const size_t *part = f->parts.data;
  double most = 0;
  FIRN_PARALLEL_FOR(f->context, schedule(static, 1) reduction(max : most))
  for (size_t p = 0; p < f->part_count; p++)
    for (size_t b = part[p]; b < part[p + 1]; b++) {
      if (start[FIRN_FINE_CELLS * b] == start[FIRN_FINE_CELLS * (b + 1)]) continue;
      most = fmax(most, carry_block(&e, b));
      firn_fine_tally(f, p, b);
    }
  f->speed = sqrt(most);
  firn_fine_sort(f);
  return FIRN_OK;
}
