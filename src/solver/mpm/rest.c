// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/rest.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/support.h"
#include "world/morton.h"

// Steps between two reviews.
enum { REVIEW_STEPS = 16 };
// Speeds and drifts that wake are this many times those that let sleep: elastic waves pass through
// snow at rest and leave it where it was.
static const double WAKE_SPEED = 2, WAKE_DRIFT = 4;
// Share of the gravity that may be left to act on a block that falls asleep. By surface some of
// what a floor takes from snow that moves goes with its velocity, since particles miss the line of
// their column, and is gone once it is still.
static const double CALM = 0.05, CALM_BY_SURFACE = 0.02;
// Share of what is awake that units may keep from sleep before they are laid out anew.
static const double KEPT = 0.125;
// Share of the speed that drift allows that a body may move freely with.
static const double FREE = 1e-3;

static mpm_rest *rest_of(const mpm *m) {
  return m->rest.data;
}

// Cells a second that snow may drift with and be at rest.
static double slowest(const mpm *m) {
  return m->def.sleep_drift / fmax(m->def.sleep_time, 1e-3);
}

static void mean_position(const mpm *m, size_t b, double mean[3]) {
  const firn_particles *p = &m->world->particles;
  const firn_block *block = &p->block[b];
  for (int a = 0; a < 3; a++) {
    const firn_real *x = firn_particles_real(p, FIRN_FIELD_X + a) + block->first;
    double sum = 0;
    for (uint32_t i = 0; i < block->count; i++) sum += (double)x[i];
    mean[a] = sum / block->count;
  }
}

static void begin_rest(const mpm *m, size_t b, mpm_rest *rest) {
  const firn_block *block = &m->world->particles.block[b];
  *rest = (mpm_rest){.at = {block->at[0], block->at[1], block->at[2]}, .count = block->count};
}

void mpm_rest_lay(mpm *m, size_t b) {
  if (!m->def.sleep) return;
  mpm_rest *rest = rest_of(m) + b;
  mean_position(m, b, rest->mean);
  rest->since = m->world->time;
  rest->far2 = 0;
  rest->watched = rest->quiet = rest->calm = 1;
}

void mpm_rest_rouse(mpm *m, size_t b) {
  mpm_rest *rest = rest_of(m) + b;
  rest->quiet = rest->watched = 0;
}

static void stop_particles(const mpm *m, uint32_t first, uint32_t count) {
  size_t size = count * sizeof(firn_real);
  for (int a = 0; a < 3; a++) memset(m->view.v[a] + first, 0, size);
  for (int i = 0; i < 9 && m->view.apic; i++) memset(m->view.c[i] + first, 0, size);
}

// Whether some particle of a block is quicker than `times` sleep_speed now.
static bool holds_quick(const mpm *m, size_t b, double times) {
  const firn_block *block = &m->world->particles.block[b];
  double limit = times * m->def.sleep_speed * m->world->h;
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    double v2 = 0;
    for (int a = 0; a < 3; a++) v2 += (double)m->view.v[a][i] * (double)m->view.v[a][i];
    if (v2 > limit * limit) return true;
  }
  return false;
}

// Snow that trembles goes to and fro between blocks. The watch of a block goes on with its new
// particles from the drift its old ones had come to, unless one is quick (it may be the last of a
// block that moved) or was not there before. same: none were added or removed.
static void carry_rest(const mpm *m, size_t b, bool same, const mpm_rest *old, mpm_rest *rest) {
  const firn_block *block = &m->world->particles.block[b];
  bool changed = old->count != block->count;
  if (!old->watched || (changed && old->quiet && (!same || holds_quick(m, b, 1)))) {
    begin_rest(m, b, rest);
    rest->asleep = old->asleep; // until the review, which must know how stiff it is
    rest->sound2 = old->sound2;
    return;
  }
  *rest = *old;
  if (old->asleep && !changed) return;
  rest->count = block->count;
  mean_position(m, b, rest->mean);
  if (old->asleep) {
    stop_particles(m, block->first, block->count);
    return;
  }
  for (int a = 0; a < 3; a++) rest->mean[a] -= old->drift[a];
}

// The block at these coordinates; SIZE_MAX where there is none.
static size_t block_at(const firn_particles *p, const int32_t at[3]) {
  uint64_t key = firn_morton(at);
  size_t low = 0, high = p->block_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (firn_morton(p->block[middle].at) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < p->block_count && firn_morton(p->block[low].at) == key ? low : SIZE_MAX;
}

// The block that was known as i; SIZE_MAX where removing particles has emptied it.
static size_t find_block(const mpm *m, size_t i) {
  const firn_particles *p = &m->world->particles;
  const mpm_rest *rest = &rest_of(m)[i];
  bool same = i < p->block_count && firn_morton(p->block[i].at) == firn_morton(rest->at);
  return same ? i : block_at(p, rest->at);
}

firn_status mpm_rest_leave(mpm *m) {
  firn_particles *p = &m->world->particles;
  mpm_rest *rest = rest_of(m);
  FIRN_TRY(
      firn_buffer_reserve(m->world->context, &p->apart, m->rest_count * sizeof(uint64_t), "units"));
  uint64_t *apart = p->apart.data;
  p->apart_count = 0;
  for (size_t i = 0; i < m->rest_count; i++) {
    if (rest[i].may) apart[p->apart_count++] = firn_morton(rest[i].at);
  }
  p->regroup = m->memory.regroup;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t i = 0; i < m->rest_count; i++) {
    if (rest[i].asleep || !rest[i].watched) continue;
    size_t b = find_block(m, i);
    if (b == SIZE_MAX || p->block[b].count != rest[i].count) {
      rest[i].watched = rest[i].quiet = 0; // some were removed
      continue;
    }
    double mean[3];
    mean_position(m, b, mean);
    for (int a = 0; a < 3; a++) rest[i].drift[a] = mean[a] - rest[i].mean[a];
  }
  return FIRN_OK;
}

firn_status mpm_rest_carry(mpm *m, bool same) {
  if (!m->def.sleep) return FIRN_OK;
  const firn_particles *p = &m->world->particles;
  firn_context *context = m->world->context;
  size_t size = p->block_count * sizeof(mpm_rest);
  FIRN_TRY(firn_buffer_reserve(context, &m->rest_spare, size, "sleep"));
  const mpm_rest *old = rest_of(m);
  mpm_rest *now = m->rest_spare.data;
  size_t k = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    uint64_t key = firn_morton(p->block[b].at);
    while (k < m->rest_count && firn_morton(old[k].at) < key) k++;
    if (k < m->rest_count && firn_morton(old[k].at) == key)
      carry_rest(m, b, same, &old[k], &now[b]);
    else
      begin_rest(m, b, &now[b]);
  }
  firn_buffer kept = m->rest;
  m->rest = m->rest_spare;
  m->rest_spare = kept;
  m->rest_count = p->block_count;
  return FIRN_OK;
}

void mpm_rest_disturb(mpm *m) {
  mpm_rest *rest = rest_of(m);
  for (size_t b = 0; b < m->rest_count; b++) rest[b].quiet = rest[b].watched = 0;
  m->memory.disturbed = true;
}

// ------------------------------------------------------------------------------------ who is quiet

// Cells that a block which rests may have wandered since its watch began.
static double allowed_drift(const mpm *m, const mpm_rest *rest) {
  return fmax(m->def.sleep_drift, slowest(m) * (m->world->time - rest->since));
}

// Square of the distance, cells^2, that a block has drifted. A thin layer on a collider sinks
// slowly for seconds, the slower the shorter the steps are, while its nodes come to hold it. That
// is no drift.
static double drift2_of(const mpm *m, size_t b, const mpm_rest *rest, const double mean[3]) {
  double normal[3], drift[3], sum = 0, sunk = 0;
  for (int a = 0; a < 3; a++) drift[a] = mean[a] - rest->mean[a];
  if (mpm_block_lies(m, b, mean, normal)) {
    for (int a = 0; a < 3; a++) sunk -= drift[a] * normal[a];
    sunk = fmax(fmin(sunk, WAKE_DRIFT * allowed_drift(m, rest)), 0);
    for (int a = 0; a < 3; a++) drift[a] += sunk * normal[a];
  }
  for (int a = 0; a < 3; a++) sum += drift[a] * drift[a];
  return sum;
}

static void review_block(const mpm *m, size_t b, mpm_rest *rest) {
  double limit = m->def.sleep_speed * m->world->h, drift2, mean[3];
  double wander = WAKE_DRIFT * m->def.sleep_drift;
  bool quick = rest->speed2 > limit * limit && !rest->quiet && holds_quick(m, b, 1);
  rest->speed2 = 0;
  if (quick) {
    rest->watched = 0;
    return;
  }
  mean_position(m, b, mean);
  drift2 = rest->watched ? drift2_of(m, b, rest, mean) : 0;
  if (!rest->watched || drift2 > wander * wander) {
    memcpy(rest->mean, mean, sizeof mean);
    rest->since = m->world->time;
    rest->far2 = 0;
    rest->watched = 1;
    rest->quiet = 0;
    return;
  }
  // The watch goes on from where it began, so that slow drift adds up and is seen: snow that creeps
  // goes farther the longer it is watched; snow that trembles does not.
  rest->far2 = fmax(rest->far2, drift2);
  bool long_enough = m->world->time - rest->since >= m->def.sleep_time;
  if (long_enough && sqrt(rest->far2) <= allowed_drift(m, rest)) rest->quiet = 1;
}

static void review_blocks(mpm *m) {
  mpm_rest *rest = rest_of(m);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < m->rest_count; b++) {
    if (!rest[b].asleep) review_block(m, b, &rest[b]);
  }
}

// --------------------------------------------------------------------------------------- who is
// calm

static void mean_velocity(const mpm *m, size_t b, double mean[3]) {
  const firn_block *block = &m->world->particles.block[b];
  for (int a = 0; a < 3; a++) {
    const firn_real *v = m->view.v[a] + block->first;
    double sum = 0;
    for (uint32_t i = 0; i < block->count; i++) sum += (double)v[i];
    mean[a] = sum / block->count;
  }
}

static double weight_of(const mpm *m) {
  const double *g = m->world->gravity;
  return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

// In balance is what its weight would move much faster. Waves pull it to and fro; it sleeps when
// they happen to pull little, and lies in balance then.
static void end_weighing(mpm *m, double dt) {
  const double(*before)[3] = m->weighed.data;
  double limit = (m->def.contact_surface ? CALM_BY_SURFACE : CALM) * weight_of(m) * dt;
  mpm_rest *rest = rest_of(m);
  m->weighs = false;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < m->rest_count; b++) {
    if (!rest[b].watched || rest[b].asleep) continue;
    double after[3], d2 = 0;
    mean_velocity(m, b, after);
    for (int a = 0; a < 3; a++) d2 += (after[a] - before[b][a]) * (after[a] - before[b][a]);
    rest[b].calm = d2 <= limit * limit || limit == 0;
    if (rest[b].may && !rest[b].calm) {
      rest[b].steady_from = m->world->time + m->def.sleep_time; // it slept, or might have
    }
  }
}

// --------------------------------------------------------------------------------------- who
// sleeps

// Some collider that moves may come close before the next review.
static bool mover_is_near(const mpm *m, size_t b) {
  const firn_world *world = m->world;
  double ahead = REVIEW_STEPS * fmax(m->def.dt_max, m->def.dt), h = world->h, middle[3];
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * world->particles.block[b].at[a] + 2) * h;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    if (collider->absent || !firn_collider_moves(collider, world->time, world->time + ahead))
      continue;
    // Half the diagonal of the nodes a block may reach, and a cell more.
    double reach = 6.2 * h + ahead * firn_collider_speed_ahead(collider, ahead);
    if (firn_collider_sample(collider, middle, NULL, NULL) < reach) return true;
  }
  return false;
}

// Some force acts on it that is not steady.
static bool is_forced(const mpm *m, size_t b) {
  double h = m->world->h, middle[3];
  if (!m->world->forces.count) return false;
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * m->world->particles.block[b].at[a] + 2) * h;
  // Half the diagonal of a block, whose particles may have left it a little.
  return firn_world_keeps_awake(m->world, middle, 4.5 * h);
}

// Marks the bodies that are at rest, of those that have quiet blocks.
static firn_status find_bodies(mpm *m) {
  const mpm_rest *rest = rest_of(m);
  double slow = FREE * slowest(m) * m->world->h;
  size_t count;
  FIRN_TRY(mpm_bodies_find(m, &m->bodies, &count));
  FIRN_TRY(firn_buffer_reserve(m->world->context, &m->body_rest, count, "bodies"));
  const uint32_t *of = m->bodies.data;
  uint8_t *at_rest = m->body_rest.data;
  if (!count) return FIRN_OK; // all fly
  memset(at_rest, 0, count);
  for (size_t b = 0; b < m->rest_count; b++) at_rest[of[b]] |= rest[b].quiet != 0;
  return mpm_bodies_rest(m, &m->bodies, count, slow, &m->body_scratch, at_rest);
}

// What there is among the blocks around one, itself included.
enum { AROUND_QUICK = 1, AROUND_CREEPS = 2 };
static int see(const mpm_rest *other) {
  return (other->watched ? 0 : AROUND_QUICK) | (other->quiet ? 0 : AROUND_CREEPS);
}

// Those that share nodes with b. Of spray nothing is known.
static int look_around(const mpm *m, size_t b) {
  size_t g = m->grid.target[b][firn_grid_offset(0, 0, 0)];
  if (g == FIRN_GRID_NONE) return AROUND_QUICK;
  int found = 0;
  for (uint32_t n = m->grid.giver_start[g]; n < m->grid.giver_start[g + 1]; n++) {
    found |= see(&rest_of(m)[firn_giver_block(m->grid.giver[n])]);
  }
  return found;
}

// Whether some of them sleep.
static bool sleeps_around(const mpm *m, size_t b) {
  size_t g = m->grid.target[b][firn_grid_offset(0, 0, 0)];
  if (g == FIRN_GRID_NONE) return false;
  for (uint32_t n = m->grid.giver_start[g]; n < m->grid.giver_start[g + 1]; n++) {
    if (rest_of(m)[firn_giver_block(m->grid.giver[n])].asleep) return true;
  }
  return false;
}

// Who is around it, without a grid.
static int look_beside(const mpm *m, size_t b) {
  const firn_particles *p = &m->world->particles;
  int found = 0;
  for (int o = 0; o < 27 && !(found & AROUND_QUICK); o++) {
    const int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    int32_t at[3];
    for (int a = 0; a < 3; a++) {
      int32_t period = p->period[a];
      at[a] = p->block[b].at[a] + d[a];
      if (period) at[a] = (at[a] + period) % period;
    }
    size_t other = block_at(p, at);
    if (other != SIZE_MAX) found |= see(&rest_of(m)[other]);
  }
  return found;
}

// Whether those around let it sleep. Beside snow that creeps it has to be weighed, which takes a
// weight, and to stay in balance.
static bool is_let_sleep(const mpm *m, const mpm_rest *rest, int around) {
  bool steady = weight_of(m) > 0 && m->world->time >= rest->steady_from;
  return !(around & (steady ? AROUND_QUICK : AROUND_QUICK | AROUND_CREEPS));
}

bool mpm_rest_awaits_nodes(const mpm *m, size_t b) {
  if (!m->def.sleep) return false; // nothing is kept of the blocks
  const mpm_rest *rest = rest_of(m) + b;
  return rest->quiet && is_let_sleep(m, rest, look_beside(m, b));
}

static bool may_sleep(const mpm *m, size_t b) {
  const mpm_rest *rest = rest_of(m);
  const uint8_t *at_rest = m->body_rest.data;
  if (!at_rest[((const uint32_t *)m->bodies.data)[b]]) return false;
  if (!rest[b].calm && !rest[b].asleep) return false;
  // Spray adds up its neighbours' arenas itself and knows nothing of sleep.
  if (!rest[b].quiet || m->reach[b].spray) return false;
  if (!is_let_sleep(m, &rest[b], look_around(m, b))) return false;
  return !mover_is_near(m, b) && !is_forced(m, b);
}

// Lets a unit sleep or wakes it. Returns its sound2 if it slept before: the step about to be chosen
// must suit it.
static double set_unit_asleep(const mpm *m, const firn_unit *unit, bool asleep) {
  mpm_rest *rest = rest_of(m);
  double sound2 = 0;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    if (!asleep && rest[b].asleep) sound2 = fmax(sound2, rest[b].sound2);
    if (asleep != m->box[b].asleep) m->box[b].stored = false;
    m->box[b].asleep = asleep;
    m->next_box[b] = m->box[b];
  }
  bool all = true;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    all = all && rest[b].asleep;
    rest[b].asleep = asleep;
  }
  if (asleep && !all) stop_particles(m, unit->first, unit->count);
  return sound2;
}

// Node blocks that only sleepers touch are left out too.
static void find_sleeping_nodes(mpm *m) {
  uint8_t *asleep = m->node_asleep.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    bool all = true;
    for (uint32_t n = m->grid.giver_start[g]; n < m->grid.giver_start[g + 1] && all; n++) {
      all = m->box[firn_giver_block(m->grid.giver[n])].asleep;
    }
    if (all && !asleep[g]) {
      size_t size = FIRN_NODE_BLOCK_REALS * sizeof(firn_real);
      memset(m->view.node_v + g * FIRN_NODE_BLOCK_REALS, 0, size);
      if (m->view.node_u) memset(m->view.node_u + g * FIRN_NODE_BLOCK_REALS, 0, size);
      for (size_t a = 0; a < 3; a++) {
        m->view.node_lo[3 * g + a] = INFINITY;
        m->view.node_hi[3 * g + a] = -INFINITY;
      }
    }
    asleep[g] = all;
  }
}

static size_t count_asleep(const mpm *m) {
  size_t count = 0;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(+ : count))
  for (size_t b = 0; b < m->rest_count; b++)
    count += rest_of(m)[b].asleep ? rest_of(m)[b].count : 0;
  return count;
}

static void note_sleep(mpm *m) {
  m->asleep = count_asleep(m);
  find_sleeping_nodes(m);
  m->sleep_applied = true;
  m->contacts.pressed = false;
}

// Whether much of what is awake might sleep but for other blocks of its units, or since it is
// spray.
static bool layout_is_in_the_way(const mpm *m) {
  const mpm_rest *rest = rest_of(m);
  size_t kept = 0;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(+ : kept))
  for (size_t b = 0; b < m->rest_count; b++) {
    bool is = (rest[b].may && !rest[b].asleep) ||
              (m->reach[b].spray && mpm_rest_awaits_nodes(m, b));
    kept += is ? rest[b].count : 0;
  }
  return kept > KEPT * (double)(m->world->particles.count - m->asleep);
}

// Makes boxes and nodes those of who may sleep; without `decide`, of who slept before.
static firn_status apply_sleep(mpm *m, bool decide) {
  const firn_particles *p = &m->world->particles;
  if (decide) FIRN_TRY(find_bodies(m));
  FIRN_TRY(firn_buffer_reserve(m->world->context, &m->node_asleep, m->grid.count, "sleep"));
  if (!m->sleep_applied && m->grid.count) memset(m->node_asleep.data, 0, m->grid.count);
  mpm_rest *rest = rest_of(m);
  if (decide) {
    FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 64))
    for (size_t b = 0; b < m->rest_count; b++) rest[b].may = may_sleep(m, b);
  }
  double sound2 = m->memory.sound2_max;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(max : sound2))
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    bool asleep = true;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      asleep = asleep && (decide ? rest[b].may : rest[b].asleep);
    }
    sound2 = fmax(sound2, set_unit_asleep(m, unit, asleep));
  }
  m->memory.sound2_max = sound2;
  note_sleep(m);
  return FIRN_OK;
}

// Sleepers beside snow that creeps take part in the step that weighs: they sleep on if they still
// lie in balance.
static void wake_to_weigh(mpm *m) {
  const firn_particles *p = &m->world->particles;
  mpm_rest *rest = rest_of(m);
  if (!m->asleep || !(weight_of(m) > 0)) return;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < m->rest_count; b++) {
    if (rest[b].asleep && look_around(m, b) & AROUND_CREEPS) rest[b].calm = 0;
  }
  double sound2 = m->memory.sound2_max;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(max : sound2))
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    bool calm = true;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      calm = calm && rest[b].calm;
    }
    if (!m->box[unit->first_block].asleep || calm) continue;
    sound2 = fmax(sound2, set_unit_asleep(m, unit, false));
  }
  m->memory.sound2_max = sound2;
  note_sleep(m);
}

// The step before a review shows what acts on a block that might sleep: how its mean velocity
// changes.
static firn_status begin_weighing(mpm *m) {
  wake_to_weigh(m);
  size_t blocks = m->rest_count;
  FIRN_TRY(
      firn_buffer_reserve(m->world->context, &m->weighed, blocks * 3 * sizeof(double), "sleep"));
  double(*before)[3] = m->weighed.data;
  const mpm_rest *rest = rest_of(m);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) {
    if (rest[b].watched && !rest[b].asleep) mean_velocity(m, b, before[b]);
  }
  m->weighs = true;
  return FIRN_OK;
}

// Before the next review.
static void weigh_again(const mpm *m) {
  mpm_rest *rest = rest_of(m);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < m->rest_count; b++) {
    if (!rest[b].asleep) rest[b].calm = 0;
  }
}

firn_status mpm_rest_review(mpm *m, bool sorted) {
  firn_world *world = m->world;
  if (!m->def.sleep) return FIRN_OK;
  bool due = ++m->memory.rest_steps >= REVIEW_STEPS;
  m->weighs = false; // a step may have failed
  if (m->memory.changes != world->changes) {
    if (m->memory.steps > 0) mpm_rest_disturb(m); // before, it was all being set up
    m->memory.changes = world->changes;
  }
  bool decide = due || sorted || m->memory.disturbed;
  m->memory.disturbed = false;
  if (decide) firn_world_prepare(world, world->time);
  if (due) {
    review_blocks(m);
    m->memory.rest_steps = 0;
  }
  bool weighs = m->memory.rest_steps == REVIEW_STEPS - 1;
  if (!decide) {
    FIRN_TRY(mpm_rest_renew(m));
    return weighs ? begin_weighing(m) : FIRN_OK;
  }
  FIRN_TRY(apply_sleep(m, true));
  if (due) m->memory.regroup = layout_is_in_the_way(m);
  if (due && !m->memory.regroup) weigh_again(m);
  return weighs ? begin_weighing(m) : FIRN_OK;
}

firn_status mpm_rest_renew(mpm *m) {
  return m->def.sleep && !m->sleep_applied ? apply_sleep(m, false) : FIRN_OK;
}

void mpm_rest_store(mpm *m) {
  if (!m->asleep) return;
  size_t units = m->world->particles.unit_count;
  mpm_rest *rest = rest_of(m);
  mpm_view view = m->view;
  view.dt = 1;
  view.hold = true;
  view.implicit = false;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 4))
  for (size_t u = 0; u < units; u++) {
    const firn_unit *unit = &m->world->particles.unit[u];
    if (!m->box[unit->first_block].asleep || m->box[unit->first_block].stored) continue;
    mpm_tally tally = {0};
    m->kernels->scatter(&view, u, &tally);
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      rest[b].sound2 = tally.sound2_max;
      m->box[b].stored = m->next_box[b].stored = true;
    }
  }
}

void mpm_rest_watch(mpm *m) {
  if (!m->def.sleep) return;
  if (m->weighs) end_weighing(m, (double)m->view.dt);
  const firn_particles *p = &m->world->particles;
  const mpm_tally *tally = m->tallies.data;
  mpm_rest *rest = rest_of(m);
  double limit = WAKE_SPEED * m->def.sleep_speed * m->world->h;
  bool disturbed = m->memory.disturbed;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(|| : disturbed))
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    if (m->box[unit->first_block].asleep) continue;
    bool quick = tally[u].speed2_max > limit * limit;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      rest[b].speed2 = fmax(rest[b].speed2, tally[u].speed2_max);
      if (!quick || !rest[b].watched || !holds_quick(m, b, WAKE_SPEED)) continue;
      disturbed = disturbed || sleeps_around(m, b);
      rest[b].quiet = rest[b].watched = 0;
    }
  }
  m->memory.disturbed = disturbed;
}
