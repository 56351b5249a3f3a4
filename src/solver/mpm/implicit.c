// SPDX-License-Identifier: Apache-2.0
// Step 6: the semi-implicit velocities of Eq. 9, in the symmetric form
//
//   (M + beta dt^2 K) v = M v*,     K = d^2 Phi / dx^2 at F_E^n, J_P frozen,
//
// solved in the space that collisions leave free: what they fixed keeps its collided value in v*,
// and reaches the rest through the residual of the first guess, which is v* itself.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "linear/krylov.h"
#include "solver/mpm/fault.h"
#include "solver/mpm/hold.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/react.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

int mpm_channels(const mpm *m, bool implicit) {
  bool two = m->def.transfer == FIRN_TRANSFER_FLIP ||
             (implicit && m->def.preconditioner == FIRN_PRECONDITIONER_BLOCK);
  return two ? 2 : 1;
}

static size_t krylov_reals(const mpm *m) {
  size_t reals = m->grid.count * FIRN_NODE_BLOCK_REALS;
  size_t workspace = firn_krylov_workspace(m->def.krylov, reals);
  if (m->def.krylov == FIRN_KRYLOV_CR) { // the way out of a breakdown
    size_t other = firn_krylov_workspace(FIRN_KRYLOV_MINRES, reals);
    if (other > workspace) workspace = other;
  }
  return reals + workspace;
}

// Where stiffness differs from place to place, by it a solve takes two thirds of the iterations; where all is alike, as
// many; and where stiff crumbs lie among loose snow, more: it is then a hundred times the mass, differs from node
// to node, and sets crumbs in motion that the mass would have left at rest as a whole. So both are tried; the one that is not
// in use, now and then.
enum { TRIAL = 64 }; // solves from one trial to the next
static const double FEW = 2.5,
                    STIFFNESS = 0.5; // iterations: not worth it below; what it takes to make

static bool is_trial(const mpm *m) {
  return m->memory.solves % TRIAL == TRIAL - 1;
}

static bool wants_stiffness(const mpm *m) {
  const double *by = m->memory.by;
  if (m->def.preconditioner != FIRN_PRECONDITIONER_AUTO) {
    return m->def.preconditioner == FIRN_PRECONDITIONER_STIFFNESS;
  }
  // The others stop by what their preconditioner makes of a residual, so that counts say nothing.
  if (m->def.krylov != FIRN_KRYLOV_CR || !(by[0] > FEW)) return false;
  bool pays = by[1] + STIFFNESS < by[0];
  return pays != is_trial(m);
}

static void remember_preconditioner(mpm *m, int iterations) {
  double *by = &m->memory.by[m->by_stiffness];
  bool anew = is_trial(m) && m->memory.by[0] > FEW; // what it took long ago says nothing
  *by += (*by > 0 && !anew ? 0.2 : 1) * (iterations - *by);
  m->memory.solves++;
}

// All memory that the solve will want is asked for here, before the scatter returns strains to the
// yield surface: a step that fails for want of memory has changed nothing, and can be made again.
firn_status mpm_prepare_solve(mpm *m) {
  firn_context *context = m->world->context;
  mpm_view *view = &m->view;

  FIRN_TRY(mpm_prepare_stiff(m));
  FIRN_TRY(firn_buffer_reserve(context, &m->node_sums, m->grid.count * sizeof *view->node_sums,
                               "linear solve"));
  view->node_sums = m->node_sums.data;
  if (!m->last.redone)
    m->by_stiffness = wants_stiffness(m); // or a step that is redone may lack memory
  size_t of_block = m->def.preconditioner == FIRN_PRECONDITIONER_BLOCK ? 64 * 6
                    : m->by_stiffness                                  ? FIRN_NODE_BLOCK_REALS
                                                                       : 0;
  FIRN_TRY(firn_buffer_reserve(context, &m->diagonal, of_block * m->grid.count * sizeof(firn_real),
                               "preconditioner"));
  view->diagonal = view->inverse = m->diagonal.data;
  return firn_buffer_reserve(context, &m->krylov, krylov_reals(m) * sizeof(firn_real),
                             "linear solve");
}

// Nodes that the solve leaves as they are.
static bool node_is_soft(const mpm *m, size_t g) {
  return ((const uint8_t *)m->node_soft.data)[g];
}

// The left side of Eq. 9.
static void multiply(mpm *m, const firn_real *x, firn_real *y) {
  m->view.direction = x;
  m->view.product = y;
  mpm_view stiff = mpm_stiff_view(m);
  const uint32_t *units = m->stiff_units.data, *solved = m->solved.data;
  FIRN_SHARED_FOR(m->world->context, walk, m->stiff_count) {
    m->kernels->hessian(&stiff, units[walk.at]);
  }
  mpm_sow_product(m);
  stiff = mpm_stiff_view(m); // which knows what has been sown
  FIRN_SHARED_FOR(m->world->context, walk, m->solved_count) {
    size_t g = solved[walk.at];
    m->kernels->hessian_nodes(&stiff, g);
  }
}

// What contact leaves free of it.
void mpm_project(const mpm *m, firn_real *y) {
  const uint32_t *solved = m->solved.data;
  mpm_surface_fold(m, y);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t k = 0; k < m->solved_count; k++) {
    mpm_hold_project(m, solved[k], y + solved[k] * (size_t)FIRN_NODE_BLOCK_REALS);
  }
}

// The product of Eq. 9 that the solver needs. Directions are the solver's own vectors: what is added
// to x is extended with them.
static firn_status apply(void *user, const firn_real *x, firn_real *y) {
  mpm *m = user;
  mpm_surface_extend(m, (firn_real *)x);
  multiply(m, x, y);
  mpm_project(m, y);
  return FIRN_OK;
}

// Takes what contact holds out of a range of blocks; see firn_linear_system.precondition.
static void project_range(const mpm *m, firn_real *z, size_t first, size_t count) {
  for (size_t g = first / FIRN_NODE_BLOCK_REALS; g < (first + count) / FIRN_NODE_BLOCK_REALS; g++) {
    mpm_hold_project(m, g, z + (g * FIRN_NODE_BLOCK_REALS - first));
  }
}

static void precondition_mass(void *user, const firn_real *r, firn_real *z, size_t first,
                              size_t count) {
  const mpm *m = user;
  const firn_real *v = m->view.node_v + first;
  firn_real floor = m->view.mass_floor;
  for (size_t i = 0; i < count; i += 4) {
    firn_real inverse = v[i + 3] > floor ? 1 / v[i + 3] : 0;
    for (size_t a = 0; a < 4; a++) z[i + a] = r[i + a] * inverse;
  }
  project_range(m, z, first, count);
}

static void precondition_block(void *user, const firn_real *r, firn_real *z, size_t first,
                               size_t count) {
  const mpm *m = user;
  const firn_real *d = m->view.diagonal + first / 4 * 6;
  for (size_t i = 0; i < count; i += 4, d += 6) {
    z[i] = d[0] * r[i] + d[3] * r[i + 1] + d[4] * r[i + 2];
    z[i + 1] = d[3] * r[i] + d[1] * r[i + 1] + d[5] * r[i + 2];
    z[i + 2] = d[4] * r[i] + d[5] * r[i + 1] + d[2] * r[i + 2];
    z[i + 3] = 0;
  }
  project_range(m, z, first, count);
}

static void precondition_stiffness(void *user, const firn_real *r, firn_real *z, size_t first,
                                   size_t count) {
  const mpm *m = user;
  const firn_real *inverse = m->view.inverse + first;
  for (size_t i = 0; i < count; i++) z[i] = inverse[i] * r[i];
  project_range(m, z, first, count);
}

// Squared velocity, m^2/s^2, of the centre of mass against the collider that moves most like it;
// 0 where there is none.
static double motion_against_colliders(const firn_world *world, const double mean[3]) {
  double least = INFINITY;
  for (int c = 0; c < world->collider_count; c++) {
    for (int i = 0; i < world->collider[c].part_count && !world->collider[c].absent; i++) {
      const double *of = world->collider[c].part[i].pose.velocity;
      double u[3] = {mean[0] - of[0], mean[1] - of[1], mean[2] - of[2]};
      least = fmin(least, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
  }
  return isfinite(least) ? least : 0;
}

// As printed the norm is that of the velocities themselves. For a moving observer to count the same
// iterations they are taken against the ground, or against their mean where there are no colliders.
// But never less than what gravity adds in the step, or snow at rest would be solved for next to
// nothing as carefully as an impact; nor than what velocities are known to, or snow in free fall,
// all of one velocity, would be solved for rounding.
mpm_datum mpm_datum_of(const mpm *m, const double sum[5]) {
  double mass = sum[3], motion = sum[4], common = 0;
  mpm_datum d = {.square = 0};
  for (int a = 0; a < 3; a++) {
    d.mean[a] = sum[a] / mass;
    common += d.mean[a] * d.mean[a];
  }
  // What rounding leaves of a difference that is nothing is below `known`, or below `fall`.
  d.square = fmax(0, motion - mass * common);
  const double *g = m->world->gravity, dt = (double)m->view.dt;
  double fall = mass * dt * dt * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  double known = 4 * (double)FIRN_REAL_EPS / m->def.tolerance;
  d.square += mass * motion_against_colliders(m->world, d.mean);
  d.square = fmax(d.square, fmax(fall, known * known * motion));
  return d;
}

static mpm_datum measure(const mpm *m) {
  double sum[5] = {0};
  for (size_t g = 0; g < m->grid.count; g++) {
    if (mpm_node_is_asleep(m, g)) continue;
    for (int i = 0; i < 5; i++) sum[i] += m->view.node_sums[g][i];
  }
  return mpm_datum_of(m, sum);
}

// r = P (M v* - A v*), the residual of the first guess. A - M, all that is left, gives 0 for one
// velocity everywhere: without the mean, `moved` [node reals], no digits are lost to it.
static void residual(mpm *m, const double mean[3], firn_real *moved, firn_real *r) {
  const uint32_t *solved = m->solved.data; // what is stiff does not reach the others
  firn_real floor = m->view.mass_floor;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t k = 0; k < m->solved_count; k++) {
    for (size_t n = 64 * (size_t)solved[k]; n < 64 * ((size_t)solved[k] + 1); n++) {
      const firn_real *v = m->view.node_v + 4 * n;
      bool active = v[3] > floor;
      for (size_t a = 0; a < 3; a++) {
        moved[4 * n + a] = active ? (firn_real)((double)v[a] - mean[a]) : 0;
      }
      moved[4 * n + 3] = 0;
    }
  }
  multiply(m, moved, r);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t k = 0; k < m->solved_count; k++) {
    size_t g = solved[k];
    firn_real *block = r + g * FIRN_NODE_BLOCK_REALS;
    const firn_real *u = moved + g * FIRN_NODE_BLOCK_REALS;
    const firn_real *v = m->view.node_v + g * FIRN_NODE_BLOCK_REALS;
    for (size_t i = 0; i < FIRN_NODE_BLOCK_REALS; i += 4) {
      for (size_t a = 0; a < 3; a++) block[i + a] = v[i + 3] * u[i + a] - block[i + a];
      block[i + 3] = 0;
    }
  }
  mpm_project(m, r);
}

// Of the nodes that are solved for, and of what touches them.
static void make_diagonal(mpm *m) {
  const mpm_view stiff = mpm_stiff_view(m);
  const uint32_t *units = m->stiff_units.data, *solved = m->solved.data;
  FIRN_SHARED_FOR(m->world->context, walk, m->stiff_count) {
    firn_mpm_diagonal(&stiff, units[walk.at]);
  }
  FIRN_SHARED_FOR(m->world->context, walk, m->solved_count) {
    firn_mpm_diagonal_nodes(&stiff, solved[walk.at]);
  }
}

// Likewise.
static void make_stiffness(mpm *m) {
  mpm_view stiff = mpm_stiff_view(m);
  const uint32_t *units = m->stiff_units.data, *solved = m->solved.data;
  FIRN_SHARED_FOR(m->world->context, walk, m->stiff_count) {
    m->kernels->stiffness(&stiff, units[walk.at]);
  }
  mpm_sow_stiffness(m);
  stiff = mpm_stiff_view(m);
  FIRN_SHARED_FOR(m->world->context, walk, m->solved_count) {
    m->kernels->stiffness_nodes(&stiff, solved[walk.at]);
  }
}

// The system of Eq. 9, with its preconditioner made.
static firn_linear_system make_system(mpm *m) {
  bool block = m->def.preconditioner == FIRN_PRECONDITIONER_BLOCK;
  if (block)
    make_diagonal(m);
  else if (m->by_stiffness)
    make_stiffness(m);
  return (firn_linear_system){
      .context = m->world->context,
      .count = m->grid.count * FIRN_NODE_BLOCK_REALS,
      .block = FIRN_NODE_BLOCK_REALS,
      .chunk = 16 * FIRN_NODE_BLOCK_REALS,
      .still = m->solved_count < m->grid.count ? m->node_soft.data : NULL,
      .user = m,
      .apply = apply,
      .precondition = block             ? precondition_block
                      : m->by_stiffness ? precondition_stiffness
                                        : precondition_mass,
  };
}

static firn_status solve_with(mpm *m, firn_krylov kind, firn_linear_result *result) {
  size_t reals = m->grid.count * FIRN_NODE_BLOCK_REALS;
  firn_real *r = m->krylov.data;
  firn_linear_system system = make_system(m);
  system.norm = system.precondition == precondition_mass ? NULL : precondition_mass;
  firn_real *workspace = r + reals;
  mpm_datum d = measure(m);
  residual(m, d.mean, workspace, r);
  return firn_krylov_solve(kind, &system, m->def.tolerance, d.square, m->def.max_iterations,
                           m->view.node_v, r, workspace, result);
}

// FLIP's difference, and the spread of velocities for the guard, with the velocities as solved.
static void finish(const mpm_view *view, size_t g) {
  const firn_real *v = view->node_v + g * FIRN_NODE_BLOCK_REALS;
  firn_real *u = view->node_u ? view->node_u + g * FIRN_NODE_BLOCK_REALS : NULL;
  for (int n = 0; n < 64 && u; n++, u += 4) {
    firn_real alpha = view->alpha * (1 - u[3]);
    for (int a = 0; a < 3; a++) u[a] = v[4 * n + a] - alpha * u[a];
  }
  firn_real lo[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  firn_real hi[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
  for (int n = 0; n < 64; n++, v += 4) {
    if (!(v[3] > view->mass_floor)) continue;
    for (int a = 0; a < 4; a++) {
      lo[a] = v[a] < lo[a] ? v[a] : lo[a];
      hi[a] = v[a] > hi[a] ? v[a] : hi[a];
    }
  }
  memcpy(view->node_lo + 3 * g, lo, 3 * sizeof *lo);
  memcpy(view->node_hi + 3 * g, hi, 3 * sizeof *hi);
}

firn_status mpm_solve(mpm *m, firn_step *out) {
  mpm_view *view = &m->view;
  if (!m->grid.count || m->none_stiff) return FIRN_OK; // all fly, or an explicit step has been made
  view->stiffness_factor = (firn_real)(m->def.beta * (double)view->dt * (double)view->dt);
  firn_linear_result result = {0};
  FIRN_TRY(solve_with(m, m->def.krylov, &result));
  int taken = result.iterations;
  m->last.indefinite += result.indefinite;
  if (result.breakdown && m->def.krylov == FIRN_KRYLOV_CR) {
    // Make v* again, which the solve has overwritten, and take the slower, safer way.
    mpm_tally unused;
    mpm_for_units(m, m->kernels->scatter, &unused);
    mpm_choose_stiff(m);
    mpm_sow(m, false);
    mpm_for_nodes(m, m->kernels->nodes);
    if (m->contacts.surface) mpm_surface_collide(m);
    bool by_stiffness = m->by_stiffness;
    m->by_stiffness = false; // in whose norm it would stop too early
    FIRN_TRY(solve_with(m, FIRN_KRYLOV_MINRES, &result));
    m->by_stiffness = by_stiffness;
    taken += result.iterations;
  }
  out->iterations += taken;
  if (!isfinite(result.residual)) return mpm_fail_solve(m);
  remember_preconditioner(m, taken);
  if (!result.converged) {
    firn_note(m->world->context, FIRN_LOG_WARNING,
              "step %llu at time %g s: the linear solve stopped after %d iterations at a relative "
              "residual of %.2e (tolerance %.2e); a larger max_iterations, a larger tolerance or "
              "a smaller dt_max helps",
              (unsigned long long)m->memory.steps, m->world->time, result.iterations,
              result.residual, m->def.tolerance);
  }
  mpm_contact_react(m);
  const uint32_t *solved = m->solved.data;
  FIRN_SHARED_FOR(m->world->context, walk, m->solved_count) finish(view, solved[walk.at]);
  return FIRN_OK;
}

// Likewise, without a list of the nodes that are solved for.
static void project_all(const mpm *m, firn_real *y) {
  mpm_surface_fold(m, y);
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    if (!node_is_soft(m, g)) mpm_hold_project(m, g, y + g * FIRN_NODE_BLOCK_REALS);
  }
}

void mpm_free_impulse(mpm *m, const firn_real *less, firn_real *impulse) {
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    firn_real *to = impulse + g * FIRN_NODE_BLOCK_REALS;
    const firn_real *v = m->view.node_v + g * FIRN_NODE_BLOCK_REALS;
    const firn_real *off = less ? less + g * FIRN_NODE_BLOCK_REALS : NULL;
    if (node_is_soft(m, g)) continue;
    for (size_t i = 0; i < FIRN_NODE_BLOCK_REALS; i += 4) {
      bool active = v[i + 3] > m->view.mass_floor;
      for (size_t a = 0; a < 3; a++) {
        to[i + a] = active ? v[i + 3] * v[i + a] - (off ? off[i + a] : 0) : 0;
      }
      to[i + 3] = 0;
    }
  }
  project_all(m, impulse);
}

// r'B^-1 r.
static double square_of(const mpm *m, const firn_linear_system *system, const firn_real *r) {
  double square = 0;
  for (size_t g = 0; g < m->grid.count; g++) {
    firn_real z[FIRN_NODE_BLOCK_REALS];
    size_t first = g * FIRN_NODE_BLOCK_REALS;
    if (node_is_soft(m, g)) continue;
    system->precondition(system->user, r + first, z, first, FIRN_NODE_BLOCK_REALS);
    for (size_t i = 0; i < FIRN_NODE_BLOCK_REALS; i++) {
      square += (double)z[i] * (double)r[first + i];
    }
  }
  return square;
}

firn_status mpm_solve_rest(mpm *m, const firn_real *impulse, double tolerance, int most,
                           firn_linear_result *result) {
  size_t reals = m->grid.count * FIRN_NODE_BLOCK_REALS;
  firn_real *r = m->krylov.data;
  double dt = (double)m->view.dt;
  m->view.stiffness_factor = (firn_real)(dt * dt);
  firn_linear_system system = make_system(m);
  // Snow that is part of the matrix may touch nodes that stay, which the solve never writes.
  memset(r + reals, 0, (krylov_reals(m) - reals) * sizeof *r);
  memcpy(r, impulse, reals * sizeof *r);
  project_all(m, r);
  for (size_t i = 0; i < reals; i += 4) memset(m->view.node_v + i, 0, 3 * sizeof *r);
  return firn_krylov_solve(m->def.krylov, &system, tolerance, square_of(m, &system, r), most,
                           m->view.node_v, r, r + reals, result);
}
