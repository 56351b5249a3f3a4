// SPDX-License-Identifier: Apache-2.0
// Snowfall: flakes at random in a shape, never within their own size of other snow, nor in a collider.
// What finds no room is tried again elsewhere, with the next lot.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "world/bins.h"
#include "world/world.h"

// Throws a lot may take, for each flake that is due; and flakes that may be due, in seconds of the rate:
// an emitter that is buried does not make up for more than that when it comes free.
enum { THROWS = 4, THROWS_MORE = 16, THROWS_MOST = 1 << 18, AT_ONCE = 3 };
static const double OWED = 1;

typedef struct lot {
  firn_world *world;
  size_t count;
  double *x, *v;  // m, m/s: [count][3]
  uint8_t *taken; // [count]: other snow is too near
  double gap;     // m
  double lo[3], hi[3];
  firn_bins bins; // of blocks
} lot;

double firn_snowfall_flake(const firn_world *world, const firn_emitter *e) {
  return world->h / cbrt(e->fill.seeder.per_cell);
}

double firn_snowfall_particles(const firn_world *world, const firn_emitter *e) {
  double flake = firn_snowfall_flake(world, e);
  double mass = (double)world->material[e->fill.material].density * flake * flake * flake;
  return e->rate * e->area / mass;
}

static void block_of(const firn_world *world, const double x[3], int32_t at[3]) {
  const firn_particles *p = &world->particles;
  for (int a = 0; a < 3; a++) {
    double block = fmin(fmax(floor(x[a] / (4 * world->h)), -(1 << 20)), (1 << 20) - 1);
    at[a] = (int32_t)block;
    if (p->periodic[a]) at[a] = (at[a] % p->period[a] + p->period[a]) % p->period[a];
  }
}

static bool is_near(const lot *l, const double x[3], const double y[3]) {
  const firn_particles *p = &l->world->particles;
  double d2 = 0;
  for (int a = 0; a < 3; a++) {
    double d = fabs(x[a] - y[a]), period = 4 * l->world->h * p->period[a];
    if (p->periodic[a]) {
      d = fmod(d, period);
      d = fmin(d, period - d);
    }
    d2 += d * d;
  }
  return d2 < l->gap * l->gap;
}

// Calls visit for the flakes that may be near x, until that says false.
typedef bool (*near_fn)(lot *l, size_t i, const double x[3], size_t than);
static void visit_near(lot *l, const double x[3], size_t than, near_fn visit) {
  int32_t at[3];
  uint64_t seen[27] = {0};
  int count = 0;
  block_of(l->world, x, at);
  for (int o = 0; o < 27; o++) {
    const int offset[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    uint64_t key = firn_bins_step(&l->bins, firn_cell_key(at), offset);
    bool again = false; // round an axis of one or two blocks
    for (int k = 0; k < count; k++) again = again || seen[k] == key;
    if (again) continue;
    seen[count++] = key;
    const firn_bin *bin = firn_bins_find(&l->bins, key);
    for (uint32_t k = 0; bin && k < bin->count; k++) {
      if (!visit(l, l->bins.order[bin->first + k], x, than)) return;
    }
  }
}

static bool take(lot *l, size_t i, const double x[3], size_t than) {
  (void)than;
  // Several particles may say so at once, and all say the same.
  if (is_near(l, l->x + 3 * i, x)) __atomic_store_n(&l->taken[i], 1, __ATOMIC_RELAXED);
  return true;
}

static void look(void *user, size_t slot, const double corner[3]) {
  lot *l = user;
  const firn_particles *p = &l->world->particles;
  double x[3];
  for (int a = 0; a < 3; a++) {
    x[a] = (corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot]) * l->world->h;
    if (!p->periodic[a] && (x[a] < l->lo[a] - l->gap || x[a] > l->hi[a] + l->gap)) return;
  }
  visit_near(l, x, 0, take);
}

// Flakes of the same lot that came before, and were placed.
static bool take_later(lot *l, size_t i, const double x[3], size_t than) {
  if (i > than && is_near(l, l->x + 3 * i, x)) l->taken[i] = 1;
  return true;
}

static bool is_in_collider(const lot *l, const double x[3]) {
  for (int c = 0; c < l->world->collider_count; c++) {
    const firn_collider *collider = &l->world->collider[c];
    if (collider->absent) continue;
    if (firn_collider_sample(collider, x, NULL, NULL) < l->gap / 2) return true;
  }
  return false;
}

// Moves what has room to the front; how many have, wanted at most, and how many were looked at.
static size_t keep(lot *l, size_t wanted, size_t *looked) {
  size_t kept = 0, i = 0;
  for (; i < l->count && kept < wanted; i++) {
    if (l->taken[i] || is_in_collider(l, l->x + 3 * i)) continue;
    visit_near(l, l->x + 3 * i, i, take_later);
    kept++;
    l->taken[i] = 2;
  }
  *looked = i;
  kept = 0;
  for (size_t k = 0; k < i; k++) {
    if (l->taken[k] != 2) continue;
    memmove(l->x + 3 * kept, l->x + 3 * k, 3 * sizeof *l->x);
    memmove(l->v + 3 * kept, l->v + 3 * k, 3 * sizeof *l->v);
    kept++;
  }
  return kept;
}

static firn_status place(lot *l, firn_emitter *e, size_t wanted) {
  firn_world *world = l->world;
  firn_bins *bins = &l->bins;
  FIRN_TRY(firn_bins_open(bins, world->context, l->count));
  for (int a = 0; a < 3; a++) {
    bins->period[a] = world->particles.periodic[a] ? world->particles.period[a] : 0;
  }
  for (size_t i = 0; i < l->count; i++) {
    int32_t at[3];
    bool hit = firn_emitter_throw(world, e, e->throws + i, l->x + 3 * i, l->v + 3 * i);
    l->taken[i] = !hit;
    block_of(world, l->x + 3 * i, at);
    firn_bins_put(bins, i, at);
  }
  FIRN_TRY(firn_bins_sort(bins));
  firn_particles_visit_parallel(&world->particles, look, l);
  size_t looked, kept = keep(l, wanted, &looked);
  if (kept) FIRN_TRY(firn_fill_add(world, &e->fill, kept, l->x, l->v));
  e->state.count += kept;
  e->state.emitted = world->time;
  e->throws += looked;
  return FIRN_OK;
}

firn_status firn_snowfall_emit(firn_world *world, firn_emitter *e, double lot_seconds) {
  firn_context *context = world->context;
  firn_emitter_state *s = &e->state;
  s->due = fmin(s->due, (double)s->count + 1 + OWED * firn_snowfall_particles(world, e));
  double whole = floor(fmin(s->due, 4e9));
  uint64_t upto = whole > (double)e->max_count ? e->max_count : (uint64_t)whole;
  if (upto <= s->count) return FIRN_OK;
  if (e->throws && world->time < s->emitted + lot_seconds && world->time < e->stop) return FIRN_OK;
  // Debts are paid at no more than AT_ONCE times the rate.
  double once = AT_ONCE * firn_snowfall_particles(world, e) * (world->time - s->emitted);
  size_t wanted = (size_t)fmin((double)(upto - s->count), fmin(once + 1, THROWS_MOST / THROWS));
  size_t count = THROWS * wanted + THROWS_MORE;
  size_t bytes = count * (6 * sizeof(double) + 1);
  double *memory = firn_alloc(context, bytes, "snowfall");
  if (!memory) return FIRN_ERROR_MEMORY;
  lot l = {.world = world,
           .count = count,
           .x = memory,
           .v = memory + 3 * count,
           .taken = (void *)(memory + 6 * count),
           .gap = firn_snowfall_flake(world, e)};
  firn_shape_bounds(e->fill.shape, l.lo, l.hi);
  firn_status status = place(&l, e, wanted);
  firn_bins_free(&l.bins);
  firn_free(context, memory, bytes);
  return status;
}
