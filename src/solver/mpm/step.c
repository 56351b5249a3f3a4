// SPDX-License-Identifier: Apache-2.0
// One step of the material point method: the ten steps of section 4.1.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/mpm/balance.h"
#include "solver/mpm/clump.h"
#include "solver/mpm/fault.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

void mpm_for_units(mpm *m, mpm_unit_fn kernel, mpm_tally *total) {
  size_t units = m->world->particles.unit_count;
  mpm_tally *tally = m->tallies.data;
  FIRN_SHARED_FOR(m->world->context, walk, units) {
    size_t u = walk.at;
    tally[u] = mpm_empty_tally();
    if (!mpm_unit_is_asleep(&m->view, u)) kernel(&m->view, u, &tally[u]);
  }
  *total = mpm_empty_tally();
  for (size_t u = 0; u < units; u++) mpm_merge_tally(total, &tally[u]);
}

void mpm_for_nodes(mpm *m, void (*kernel)(const mpm_view *view, size_t g)) {
  size_t count = m->grid.count;
  FIRN_SHARED_FOR(m->world->context, walk, count) {
    if (!mpm_node_is_asleep(m, walk.at)) kernel(&m->view, walk.at);
  }
}

// What a step of dt takes of the difference between velocities a cell apart, for a viscosity nu.
static double exchanged(const mpm *m, double dt) {
  double h = m->world->h;
  return m->def.viscosity * dt / (m->view.stencil.d * h * h);
}

// D-3: the blend acts as a viscosity (1 - alpha) D h^2/dt, so a shorter step needs a larger alpha
// to mean the same. From reference_h to another h the viscosity goes as h, not as h^2: coarser cells
// make more noise, and a viscosity that is the same would leave it to them.
double mpm_flip_share(const mpm *m, double dt) {
  const firn_mpm_def *def = &m->def;
  if (def->viscosity >= 0) return fmax(0, 1 - exchanged(m, dt));
  double times = def->reference_h > 0 ? def->reference_h / m->world->h : 1;
  if (!def->flip_rescale) return times == 1 ? def->flip : fmax(0, 1 - (1 - def->flip) * times);
  return def->flip > 0 ? pow(def->flip, dt / 5e-4 * times) : def->flip;
}

// APIC has no blend. What it keeps of the rate of strain without its trace does the same to shear
// waves: with a share s taken a step, the viscosity is s/2 D h^2/dt. Spin is left alone, so that
// angular momentum is kept.
double mpm_lost_strain_rate(const mpm *m, double dt) {
  return m->def.viscosity > 0 ? fmin(1, 2 * exchanged(m, dt)) : 0;
}

static void set_step(mpm *m, const mpm_choice *choice) {
  mpm_view *view = &m->view;
  view->dt = (firn_real)choice->dt;
  view->implicit = choice->implicit;
  view->alpha = (firn_real)mpm_flip_share(m, choice->dt);
  view->rate_loss = (firn_real)mpm_lost_strain_rate(m, choice->dt);
}

// Bound on det(I + dt grad v) by the spread of nodal velocities: with entries of dt grad v at most
// epsilon, its norm is at most 3 epsilon and the determinant at least (1 - 3 epsilon)^3. Gradient
// weights satisfy sum |g| <= 2/h, so epsilon = dt/h times the spread (half of it on either side).
double mpm_safe_spread(const mpm *m, double dt) {
  return (1 - cbrt(m->def.min_det)) / 3 * m->world->h / dt;
}

static void widen(const mpm *m, size_t g, firn_real lo[3], firn_real hi[3]) {
  const firn_real *block_lo = m->view.node_lo + 3 * g, *block_hi = m->view.node_hi + 3 * g;
  for (int a = 0; a < 3; a++) {
    if (!(block_lo[a] >= lo[a])) lo[a] = block_lo[a];
    if (!(block_hi[a] <= hi[a])) hi[a] = block_hi[a];
  }
}

static const firn_real NO_LO[3] = {INFINITY, INFINITY, INFINITY},
                       NO_HI[3] = {-INFINITY, -INFINITY, -INFINITY};

static double spread_around(const mpm *m, size_t b) {
  firn_real lo[3], hi[3];
  memcpy(lo, NO_LO, sizeof lo);
  memcpy(hi, NO_HI, sizeof hi);
  for (int o = 0; o < 27; o++) {
    if (m->grid.target[b][o] != FIRN_GRID_NONE) widen(m, m->grid.target[b][o], lo, hi);
  }
  return mpm_spread_of(lo, hi);
}

// Smallest and largest whatever the order; where a velocity is nan that says nothing, and the
// answer is nan.
static double spread_everywhere(const mpm *m) {
  const firn_real *block_lo = m->view.node_lo, *block_hi = m->view.node_hi;
  firn_real lo[3], hi[3];
  bool whole = true;
  memcpy(lo, NO_LO, sizeof lo);
  memcpy(hi, NO_HI, sizeof hi);
  FIRN_PARALLEL_FOR(m->world->context, reduction(min : lo) reduction(max : hi) reduction(&& : whole))
  for (size_t g = 0; g < m->grid.count; g++) {
    for (size_t a = 0; a < 3; a++) {
      firn_real l = block_lo[3 * g + a], h = block_hi[3 * g + a];
      lo[a] = l < lo[a] ? l : lo[a];
      hi[a] = h > hi[a] ? h : hi[a];
      whole = whole && l == l && h == h;
    }
  }
  return whole ? mpm_spread_of(lo, hi) : (double)NAN;
}

// The exact check, for those units only whose bound does not suffice.
static double smallest_det(mpm *m) {
  const firn_particles *p = &m->world->particles;
  double limit = mpm_safe_spread(m, (double)m->view.dt);
  if (spread_everywhere(m) <= limit) return INFINITY;
  mpm_tally *tally = m->tallies.data;
  FIRN_SHARED_FOR(m->world->context, walk, p->unit_count) {
    size_t u = walk.at;
    tally[u] = mpm_empty_tally();
    const firn_unit *unit = &p->unit[u];
    bool risky = false, asleep = mpm_unit_is_asleep(&m->view, u);
    for (uint32_t b = 0; b < unit->block_count && !risky && !asleep; b++) {
      risky = !(spread_around(m, unit->first_block + b) <= limit);
    }
    if (risky) m->kernels->check(&m->view, u, &tally[u]);
  }
  double det = INFINITY;
  for (size_t u = 0; u < p->unit_count; u++) det = mpm_smaller(det, tally[u].det_min);
  return det;
}

// Steps 1 to 6: new velocities on the grid. When a step is redone, sums that do not hold dt and
// have not been overwritten by a solve are still good.
static firn_status move_grid(mpm *m, firn_step *out, mpm_tally *law) {
  double start = firn_seconds();
  if (m->view.implicit) FIRN_TRY(mpm_prepare_solve(m));
  if (!m->last.redone || m->view.apic || m->view.implicit) {
    mpm_for_units(m, m->kernels->scatter, law);
    m->memory.plastic += law->spent; // a redone step finds nothing more to return
    mpm_remember_stiffness(m);
    if (m->view.implicit) mpm_choose_stiff(m);
  }
  double scattered = firn_seconds();
  m->seconds[MPM_SCATTER] += scattered - start;
  mpm_sow(m, false);
  mpm_for_nodes(m, m->kernels->nodes);
  if (m->contacts.surface) mpm_surface_collide(m);
  double moved = firn_seconds();
  m->seconds[MPM_GRID] += moved - scattered;
  if (m->view.implicit) {
    FIRN_TRY(mpm_solve(m, out));
    m->seconds[MPM_SOLVE] += firn_seconds() - moved;
  }
  return FIRN_OK;
}

// Iterations that the solve of a particle took, on the mean over those of the grid and of clumps.
static int mean_iterations(const mpm *m, int of_grid, const mpm_clump_sums *clumps) {
  if (!clumps->particles) return of_grid;
  const firn_particles *p = &m->world->particles;
  double on_grid = (double)(p->count - p->flying - m->asleep);
  return (int)lround((on_grid * of_grid + clumps->iterations) /
                     (on_grid + (double)clumps->particles));
}

static firn_status lay_down(mpm *m) {
  firn_world *world = m->world;
  if (m->memory.spray) FIRN_TRY(mpm_rebuild_grid(m, false));
  FIRN_TRY(mpm_balance(m));
  mpm_survey(m); // it may have hardened
  world->settled.count = 0;
  return FIRN_OK;
}

// Wind and forces pass over snow that sleeps.
static bool is_asleep(const void *user, size_t block) {
  return ((const mpm *)user)->view.box[block].asleep;
}

static firn_status check_materials(const firn_world *world) {
  for (int i = 0; i < world->material_count; i++) {
    if (world->material[i].law < FIRN_LAW_COUNT) continue;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "material %d: law: mpm does not know this one, only flip does", i);
  }
  return FIRN_OK;
}

// Nothing keeps a step that was given within what is stable. Beyond h/(c + |v|) it hardly is; once
// is enough to say so.
static void warn_of_long_step(mpm *m, const mpm_choice *choice) {
  double speed = sqrt(m->memory.sound2_max) + sqrt(m->memory.speed2_max);
  double times = choice->dt * speed / m->world->h;
  if (choice->implicit || !(m->def.dt > 0) || !(times > 1) || m->warned) return;
  m->warned = true;
  firn_note(m->world->context, FIRN_LOG_WARNING,
            "step %llu at time %g s: explicit steps of dt = %g s are %.2g times h/(c + |v|), too "
            "long for sound of "
            "%.3g m/s: snow may blow up. A dt of 0 chooses steps, integrator auto solves for what "
            "is stiff",
            (unsigned long long)m->memory.steps, m->world->time, choice->dt, times,
            sqrt(m->memory.sound2_max));
}

// The ten steps of section 4.1, as often as it takes to keep elements from turning inside out.
firn_status mpm_step(void *solver, double limit, firn_step *out) {
  mpm *m = solver;
  firn_world *world = m->world;
  *out = (firn_step){0};
  FIRN_TRY(check_materials(world));
  m->last.redone = m->last.indefinite = m->last.laid = 0;

  // Particles in their blocks, volumes known.
  FIRN_TRY(mpm_layout(m, &m->last.sorted));
  if (!world->particles.count) {
    double longest = m->def.dt > 0 ? m->def.dt : m->def.dt_max;
    out->dt = limit > 0 ? fmin(limit, longest) : longest;
    out->bound = limit > 0 && limit < longest ? FIRN_BOUND_LIMIT
                 : m->def.dt > 0              ? "mpm.dt"
                                              : "mpm.dt_max";
    world->time += out->dt;
    return FIRN_OK;
  }
  FIRN_TRY(firn_world_reserve_drag(world));
  FIRN_TRY(firn_world_reserve_push(world));
  bool surveyed = m->memory.must_survey;
  if (surveyed) {
    FIRN_TRY(mpm_set_volumes(m));
    mpm_survey(m);
  }
  if (world->settled.count) {
    FIRN_TRY(lay_down(m));
    surveyed = true;
  }
  if (surveyed && mpm_may_have_spray(m) && !m->memory.spray) {
    mpm_find_spray(m);
    FIRN_TRY(mpm_rebuild_grid(m, true));
  }

  mpm_tell_gaps(m);
  FIRN_TRY(mpm_rest_review(m, m->last.sorted));

  // Steps 1 to 6, again with half the time as long as something would be turned inside out.
  mpm_choice choice = mpm_choose(m, 0);
  if (choice.dt < m->def.dt_min && !(m->def.dt > 0)) return mpm_fail_short(m, choice.dt);
  choice = mpm_choose(m, limit);
  warn_of_long_step(m, &choice);
  if (choice.implicit && m->memory.spray) {
    FIRN_TRY(mpm_ground_spray(m, choice.dt));
    FIRN_TRY(mpm_rest_renew(m));
  }
  // What a node at the very tail of a spline would get is lost. Its force is as small as the mass
  // to the power 2/3 (cubic), so this keeps the loss of momentum below rounding in double.
  m->view.mass_floor = (firn_real)(1e-18 * m->memory.mass_min);
  FIRN_TRY(mpm_place_arenas(m, mpm_channels(m, choice.implicit)));
  FIRN_TRY(mpm_prepare_clumps(m));
  mpm_rest_store(m);
  mpm_tally law = mpm_empty_tally(), moved = mpm_empty_tally(), flown = mpm_empty_tally();
  mpm_clump_sums clumps;
  int spent; // iterations of solves that were in vain
  for (;;) {
    spent = out->iterations;
    set_step(m, &choice);
    FIRN_TRY(mpm_contact_begin(m));
    FIRN_TRY(move_grid(m, out, &law));
    double det = smallest_det(m);
    if (det > m->def.min_det) break;
    choice.dt /= 2;
    choice.bound = "mpm.min_det (snow that would turn inside out)";
    m->last.redone++;
    if (!(det == det)) return mpm_fail_nonfinite(m);
    if (choice.dt < m->def.dt_min) return mpm_fail_inverted(m, 2 * choice.dt, det);
  }

  if (m->def.hardening_density) mpm_harden(m);

  // Steps 7 to 10.
  double gather = firn_seconds();
  mpm_reap(m);
  mpm_for_units(m, m->kernels->gather, &moved);
  mpm_flight_step(m, &flown);
  FIRN_TRY(mpm_step_clumps(m, &clumps));
  mpm_merge_tally(&flown, &clumps.tally);
  mpm_swap_boxes(m);
  m->seconds[MPM_GATHER] += firn_seconds() - gather;
  if (moved.nonfinite || flown.nonfinite) return mpm_fail_nonfinite(m);
  mpm_contact_end(m, choice.dt);
  // Before rest is looked at: what lies still under a force moves by it and is moved back.
  firn_pushed pushed;
  FIRN_TRY(firn_world_push(world, world->time + choice.dt, choice.dt, is_asleep, m, &pushed));
  mpm_rest_watch(m);
  double blown = firn_world_drag(world, world->time, choice.dt, is_asleep, m);

  // What the next step is chosen from.
  m->memory.speed2_max = fmax(fmax(moved.speed2_max, flown.speed2_max), fmax(blown, pushed.speed2));
  m->memory.flight_left -= sqrt(flown.speed2_max) * choice.dt / world->h;
  m->memory.sound2_max = fmax(law.sound2_max, flown.sound2_max);
  m->memory.must_sort = moved.left || flown.left || m->flight_lacks;
  m->flight_lacks = false;
  m->memory.implicit = choice.implicit;
  out->iterations = spent + mean_iterations(m, out->iterations - spent, &clumps);
  if (choice.implicit) mpm_remember_solve(m, choice.dt, out->iterations - spent);
  m->memory.steps++;
  world->time += choice.dt;
  out->dt = choice.dt;
  out->implicit = choice.implicit;
  out->bound = choice.bound;
  out->asleep = m->asleep;
  return FIRN_OK;
}
