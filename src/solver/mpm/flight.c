// SPDX-License-Identifier: Apache-2.0
// How those who fly do, and when they are looked at again.
#include "solver/mpm/flight.h"

#include <math.h>

#include "base/parallel.h"
#include "solver/mpm/flight_search.h"

// Flyers from which on the memory of a look is given back.
enum { KEPT = 4096 };

void mpm_flight_forget(mpm *m) {
  m->next_piece_count = 0;
  m->flight_plan = (mpm_flight_plan){0};
  m->flight_sound2 = 0;
  m->flight_kept = false;
}

// Puts the corner of those who fly near them again, so that positions stay precise.
static void rebase(const mpm *m, size_t first, size_t count) {
  const firn_particles *p = &m->world->particles;
  for (int a = 0; a < 3; a++) {
    firn_real *x = firn_particles_real(p, FIRN_FIELD_X + a) + p->slots;
    double cell = (double)x[first] - m->stencil.shift;
    int32_t blocks = (int32_t)floor(cell / 4), at = p->pending_at[first][a] + blocks;
    if (!blocks) continue;
    if (p->periodic[a]) at = (at % p->period[a] + p->period[a]) % p->period[a];
    for (size_t i = first; i < first + count; i++) {
      x[i] -= (firn_real)(4 * blocks);
      p->pending_at[i][a] = at;
    }
  }
}

// A grain that comes loose relaxes at once: the strain that it had is released, and what it held is lost.
// Plastic flow of its last step comes first. Returns the elastic energy, J.
static double release(const mpm *m, size_t slot) {
  const mpm_view *view = &m->view;
  firn_material_row row = firn_world_row(m->world, slot);
  firn_law_params params = firn_law_params_set1(&row);
  firn_real trial[6], e[6], tau[6], hard, spent, ln_jp = view->ln_jp[slot];
  bool strained = false;
  for (int i = 0; i < 6; i++) {
    trial[i] = e[i] = view->b[i][slot];
    strained = strained || e[i] != 0;
  }
  if (!strained) return 0;
  firn_law_return(row.law, &params, e, &ln_jp, tau, &hard, &spent);
  if (view->ln_cut) view->ln_cut[slot] += firn_law_cut(&params, trial, view->ln_jp[slot], e, ln_jp);
  view->ln_jp[slot] = ln_jp;
  for (int i = 0; i < 6; i++) view->b[i][slot] = 0;
  return (double)view->volume[slot] * (double)(spent + firn_law_energy(row.law, &params, e, hard));
}

static void rebase_pieces(const mpm *m) {
  const mpm_piece *piece = m->pieces.data;
  for (size_t i = 0; i < m->piece_count; i++) rebase(m, piece[i].first, piece[i].count);
}

// Those who fly go by a plan.
static void follow(mpm *m, const mpm_flight_plan *plan) {
  const firn_world *world = m->world;
  m->memory.flight_until = world->time + plan->horizon;
  m->memory.flight_left = plan->way;
  m->memory.flight_steps = MPM_FLIGHT_STEPS;
  m->memory.flight_changes = world->changes;
  if (world->particles.flying <= KEPT) return;
  firn_buffer *scratch[] = {&m->next_pieces, &m->flight_candidates, &m->flight_of, &m->flight_table,
                            &m->flight_members};
  for (int i = 0; i < 5; i++) firn_buffer_free(world->context, scratch[i]);
}

firn_status mpm_flight_renew(mpm *m, bool *goes_on) {
  mpm_flight_plan plan;
  mpm_point_view(m); // after a load nobody has
  FIRN_TRY(mpm_flight_look_ahead(m, &plan));
  *goes_on = plan.horizon > 0;
  if (!*goes_on) return FIRN_OK;
  rebase_pieces(m);
  follow(m, &plan);
  return FIRN_OK;
}

void mpm_flight_begin(mpm *m) {
  firn_world *world = m->world;
  firn_particles *p = &world->particles;
  firn_buffer pieces = m->pieces;
  double energy[FIRN_PARTS];
  if (!m->flight_kept) {
    m->pieces = m->next_pieces;
    m->next_pieces = pieces;
    m->piece_count = m->next_piece_count;
    m->memory.sound2_max = fmax(m->memory.sound2_max, m->flight_sound2);
  }
  mpm_flight_fits(m);
  FIRN_PARALLEL_FOR(world->context, schedule(static))
  for (size_t i = 0; i < FIRN_PARTS; i++) {
    size_t end = (i + 1) * m->lone / FIRN_PARTS;
    energy[i] = 0;
    for (size_t k = i * m->lone / FIRN_PARTS; k < end && !m->flight_kept; k++)
      energy[i] += release(m, p->slots + k);
  }
  if (m->flight_kept) rebase_pieces(m);
  for (int i = 0; i < FIRN_PARTS; i++) m->memory.plastic += energy[i];
  follow(m, &m->flight_plan);
}

bool mpm_flight_is_due(const mpm *m) {
  const mpm_memory *memory = &m->memory;
  const firn_world *world = m->world;
  if (!world->particles.flying) return false;
  if (memory->must_survey || memory->flight_changes != world->changes) return true;
  double dt = mpm_choose(m, 0).dt, fall = 0;
  if (world->time + dt > memory->flight_until || !memory->flight_steps) return true;
  if (firn_world_is_ballistic(world) && !m->piece_count) return false;
  for (int a = 0; a < 3; a++) fall += world->gravity[a] * world->gravity[a];
  double speed = sqrt(memory->speed2_max) + sqrt(fall) * dt;
  return speed * dt / world->h > memory->flight_left;
}

bool mpm_flight_fits(mpm *m) {
  const mpm_piece *piece = m->pieces.data;
  size_t flying = m->world->particles.flying, end = flying;
  for (size_t i = m->piece_count; i > 0; i--) {
    if (piece[i - 1].count < 2 || piece[i - 1].count > end ||
        piece[i - 1].first != end - piece[i - 1].count)
      return false;
    end = piece[i - 1].first;
  }
  m->lone = end;
  return true;
}

// ---- the step

enum { LANES = 16 };
// Positions keep within this many cells of the middle of a block, so that they stay precise.
static const firn_real NEAR = 6;

// As the grid would: new velocity first, position with that. A lone particle's nodes all move with
// v + C (x_i - x_p), whatever the blend, and give v and C back.
static void fly(const mpm *m, size_t first, size_t count, mpm_tally *tally) {
  const mpm_view *view = &m->view;
  firn_real dv[3], per_cell = view->dt / view->h, most[LANES] = {0}, bad[LANES] = {0};
  firn_real *x[3], *v[3];
  for (int a = 0; a < 3; a++) {
    dv[a] = view->dt * view->gravity[a];
    x[a] = view->x[a] + m->world->particles.slots + first;
    v[a] = view->v[a] + m->world->particles.slots + first;
  }
  for (size_t i = 0; i < count; i += LANES) {
    firn_real v2[LANES] = {0}, away[LANES] = {0}, farthest = 0;
    size_t n = count - i < LANES ? count - i : LANES;
    for (int a = 0; a < 3; a++) {
      firn_real *to = x[a] + i, *with = v[a] + i;
      for (size_t k = 0; k < n; k++) {
        with[k] += dv[a];
        to[k] += per_cell * with[k];
        v2[k] += with[k] * with[k];
        firn_real off = firn_abs(to[k] - 2);
        away[k] = off > away[k] ? off : away[k];
      }
    }
    for (int k = 0; k < LANES; k++) {
      most[k] = v2[k] > most[k] ? v2[k] : most[k];
      bad[k] += v2[k] - v2[k]; // 0, or not a number
      farthest = away[k] > farthest ? away[k] : farthest;
    }
    for (size_t k = 0; k < n && farthest > NEAR; k++) {
      if (away[k] > NEAR) rebase(m, first + i + k, 1);
    }
  }
  for (int k = 0; k < LANES; k++) {
    tally->speed2_max = fmax(tally->speed2_max, (double)most[k]);
    tally->nonfinite = tally->nonfinite || bad[k] != 0;
  }
}

void mpm_flight_step(mpm *m, mpm_tally *tally) {
  enum { CHUNK = 4096 };
  size_t chunks = (m->lone + CHUNK - 1) / CHUNK;
  double speed2 = tally->speed2_max;
  bool nonfinite = tally->nonfinite;
  if (m->memory.flight_steps) m->memory.flight_steps--;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(max
                                                                  : speed2) reduction(||
                                                                                      : nonfinite))
  for (size_t i = 0; i < chunks; i++) {
    size_t left = m->lone - i * CHUNK;
    mpm_tally own = {0};
    fly(m, i * CHUNK, left < CHUNK ? left : CHUNK, &own);
    speed2 = fmax(speed2, own.speed2_max);
    nonfinite = nonfinite || own.nonfinite;
  }
  tally->speed2_max = speed2;
  tally->nonfinite = nonfinite;
}
