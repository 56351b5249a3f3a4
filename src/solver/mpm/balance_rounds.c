// SPDX-License-Identifier: Apache-2.0
// The rounds of a search for balance: forces at the present strain, what of them is out of balance, and the
// displacement that answers it.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/balance.h"
#include "solver/mpm/balancing.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

// Rounds at most, those without progress that end them, and iterations of all solves of a search.
enum { ROUNDS = 40, STALLED = 6, ITERATIONS = 1500 };
// The share of the weight that may be left out of balance; above the second it slides or flows, and
// below the third friction gets its say.
static const double BALANCED = 1e-3, SLIDING = 0.02, STUCK = 0.03;
// Below the first share a round must leave less than the second of the share before, or it is not worth its
// time: what a floor misses then is well below a hundredth, and snow that yields comes nearer slowly.
static const double GOOD = 4e-3, SLOW = 0.7;
// What snow that was there before may be out of balance by, in weights, and is balanced with what is added.
static const double CALM = 0.01;
// A round that leaves this many times more has gone where secants lead no longer.
static const double WORSE = 1.5;
// What a solve reduces its residual to: of all snow, whose contact has to be found yet; of snow that is added,
// where one solve is to do; and where snow yields or slips.
static const double REDUCTION = 0.03, FINELY = 0.01, ROUGHLY = 0.1;

// Springs have the strain of u alone: what they had before holds them where they are.
static void strain_from_start(const balance *k, size_t b) {
  const firn_particles *p = &k->m->world->particles;
  const firn_block *block = &p->block[b];
  const firn_real *start = k->start.data;
  bool springs = !k->whole && !k->laid_on, pressed = k->pressed && is_held(k, b);
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    bool none = mpm_is_settled(k->m, i) ? !pressed : springs;
    for (size_t c = 0; c < STATE; c++) {
      firn_real *own = state_of(&k->m->view, c);
      if (own) own[i] = c < 6 && none ? 0 : start[c * p->slots + i];
    }
  }
}

// Strain and J_P of the whole of u.
static void strain(balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  mpm_view view = m->view;
  view.dt = 1;
  view.in_place = true;
  view.node_v = k->nodes.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 4))
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    mpm_tally unused = {0};
    if (!mpm_unit_is_stiff(&view, u)) continue;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      strain_from_start(k, b);
    }
    m->kernels->gather(&view, u, &unused);
  }
}

// Forces and stiffness of the particles, then what contact leaves of the forces on nodes.
static void load(balance *k) {
  mpm *m = k->m;
  size_t units = m->world->particles.unit_count, count = m->grid.count;
  const uint8_t *soft = m->node_soft.data;
  mpm_tally *tally = m->tallies.data;
  m->view.dt = (firn_real)k->time;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 4))
  for (size_t u = 0; u < units; u++) {
    if (mpm_unit_is_stiff(&m->view, u)) m->kernels->scatter(&m->view, u, &tally[u]);
  }
  mpm_sow(m, true);
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (!soft[g]) m->kernels->nodes(&m->view, g);
  }
  if (m->contacts.surface) mpm_surface_collide(m);
}

// Of node block g: mass, force that is out of balance, and the part of it that strain can take up:
// K d = f + M g - M d/t^2. The last, from the round before, is all that there is to snow that falls.
static void measure_block(const balance *k, size_t g, double part[3]) {
  size_t first = g * FIRN_NODE_BLOCK_REALS;
  const firn_real *now = node_field(k, IMPULSE) + first, *last = node_field(k, LAST) + first;
  const firn_real *v = k->m->view.node_v + first;
  memset(part, 0, 3 * sizeof *part);
  for (int n = 0; n < 256; n += 4) {
    double all = 0, held = 0, mass = (double)v[n + 3];
    for (int a = 0; a < 3; a++) {
      double f = (double)now[n + a], d = f - mass * (double)last[n + a];
      all += f * f;
      held += d * d;
    }
    part[0] += mass;
    part[1] += sqrt(all) / k->time;
    part[2] += sqrt(held) / k->time;
  }
}

// The share that another strain could balance of the weight of all nodes that are solved for.
static double measure(balance *k) {
  mpm *m = k->m;
  double(*part)[3] = k->parts.data, mass = 0, force = 0;
  const uint8_t *soft = m->node_soft.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    memset(part[g], 0, sizeof part[g]);
    if (!soft[g]) measure_block(k, g, part[g]);
  }
  for (size_t g = 0; g < m->grid.count; g++) {
    mass += part[g][0];
    force += part[g][2];
  }
  return mass > 0 ? force / (mass * gravity_of(k)) : 0;
}

// Adds what the last solve gave.
static void move(balance *k) {
  mpm *m = k->m;
  firn_real *u = node_field(k, U);
  const firn_real *last = node_field(k, LAST);
  const uint8_t *soft = m->node_soft.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    size_t first = g * FIRN_NODE_BLOCK_REALS;
    for (size_t i = first; i < first + FIRN_NODE_BLOCK_REALS && !soft[g]; i++) {
      u[i] += (firn_real)(k->time * (double)last[i]);
    }
  }
}

static firn_status solve(balance *k, double reduction) {
  mpm *m = k->m;
  firn_linear_result result;
  firn_real *last = node_field(k, LAST);
  size_t reals = m->grid.count * FIRN_NODE_BLOCK_REALS;
  FIRN_TRY(mpm_solve_rest(m, node_field(k, IMPULSE), reduction, k->budget, &result));
  k->iterations += result.iterations;
  k->budget -= result.iterations;
  memcpy(last, m->view.node_v, reals * sizeof *last);
  for (size_t i = 3; i < reals; i += 4) last[i] = 0;
  return FIRN_OK;
}

// Forces at the present u, and how much of them is out of balance.
static void look(balance *k) {
  strain(k);
  load(k);
  mpm_free_impulse(k->m, k->laid_on ? node_field(k, UNREST) : NULL, node_field(k, IMPULSE));
  k->left = measure(k);
}

static void keep(balance *k, size_t to, size_t from) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS;
  memcpy(node_field(k, to), node_field(k, from), reals * sizeof(firn_real));
}

// From the present u, until there is balance or no more to be gained. The best u that was met is kept.
static firn_status run_rounds(balance *k, double enough) {
  double least = INFINITY;
  memset(k->let_go.data, 0, 64 * sizeof *k->m->let_go * k->m->contacts.node_count);
  for (int round = 0, stalled = 0;; round++) {
    double before = k->left;
    look(k);
    stalled = k->left > 0.9 * least ? stalled + 1 : 0;
    bool slow = k->left < GOOD && k->left > SLOW * least;
    if (k->left < least) keep(k, BEST, U);
    least = fmin(least, k->left);
    if (k->left <= enough) return FIRN_OK;
    firn_doing(k->m->world->context, (size_t)k->iterations, 0,
               "settled snow: %.1e of its weight is out of balance, iteration", k->left);
    FIRN_TRY(firn_check_stop(k->m->world->context));
    if (!isfinite(k->left) || slow || stalled == STALLED || round == ROUNDS || k->budget <= 0)
      break;
    // Where snow yields or slips K is not what it meets, and a round is worth no careful solve.
    double reduction = fmax(k->laid_on ? FINELY : REDUCTION, 0.5 * BALANCED / k->left);
    if (k->left > 0.5 * before) reduction = fmax(reduction, ROUGHLY);
    if (round > 0 && k->left < WORSE * before)
      mpm_secant_note(k);
    else
      mpm_secant_forget(k);
    mpm_secant_apply(k);
    FIRN_TRY(solve(k, reduction));
    move(k);
  }
  if (!(k->left <= least)) {
    keep(k, U, BEST);
    look(k);
    k->left = least;
  }
  return FIRN_OK;
}

static void weigh_settled(balance *k, bool there) {
  const mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  firn_real *body = k->body.data;
  for (size_t b = 0; b < p->block_count; b++) {
    for (uint32_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
      if (!mpm_is_settled(m, i)) continue;
      body[p->slots + i] = there ? k->view.mass[i] : 0;
      body[2 * p->slots + i] = there ? k->view.volume[i] : 0;
    }
  }
}

// Snow that was there before may be far from balance of its own: a wave goes through it, it falls, or it fell
// asleep while it was shaken. That is no load for what is added, nor is it for that to put right: what is
// out of balance without it may stay so.
static void note_unrest(balance *k) {
  mpm *m = k->m;
  firn_real *unrest = node_field(k, UNREST);
  const double(*part)[3] = k->parts.data;
  weigh_settled(k, false);
  memset(k->let_go.data, 0, 64 * sizeof *m->let_go * m->contacts.node_count);
  look(k);
  weigh_settled(k, true);
  for (size_t g = 0; g < m->grid.count; g++) {
    if (part[g][1] <= CALM * part[g][0] * gravity_of(k)) continue;
    size_t first = g * FIRN_NODE_BLOCK_REALS;
    memcpy(unrest + first, node_field(k, IMPULSE) + first, FIRN_NODE_BLOCK_REALS * sizeof *unrest);
  }
}

// First as if nothing could slide, then as it is. Snow that slides has no balance to be found: it is
// laid down as if it did not, and slides then. Snow that is added to a bed asleep mostly lies as the bed does:
// the strain of its column is near what is sought. Beside springs, which press on nothing, it is not.
firn_status mpm_balance_seek(balance *k) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS + FIRN_ROW_REALS;
  memset(k->nodes.data, 0, ZEROED * reals * sizeof(firn_real));
  if (k->laid_on) note_unrest(k);
  for (int again = 0; again < 2; again++) {
    memset(k->nodes.data, 0, UNREST * reals * sizeof(firn_real));
    k->pressed = k->laid_on && !again;
    k->left = INFINITY;
    k->budget = ITERATIONS;
    k->m->still = MPM_STILL_STUCK;
    FIRN_TRY(run_rounds(k, again ? BALANCED : STUCK));
    k->m->still = MPM_STILL;
    if (again) break;
    FIRN_TRY(run_rounds(k, BALANCED));
    if (!(k->left > SLIDING)) return FIRN_OK;
  }
  look(k);
  return FIRN_OK;
}
