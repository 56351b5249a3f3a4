// SPDX-License-Identifier: Apache-2.0
// What a solve does to colliders.
//
// With lambda the impulses that hold the nodes of a collider back, a step reads
//
//   M v = M v_free + lambda                        explicit: lambda = M (v - v_free), contact.c
//   (M + beta dt^2 K) v = M v_free + lambda        semi-implicit
//
// where v_free is the velocity before collisions. They left v*, which the solve keeps in what it
// holds, so there lambda = M (v* - v_free) + beta dt^2 (K v): the first part is that of an explicit
// step, the second takes one more product with K, and only on nodes close to a collider. In what the solve leaves free, such as
// the tangent of a slipping contact, the second part is the residual of the solve and not the collider's.
#include "solver/mpm/react.h"

#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/hold.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

// The part of an impulse along which a node is held.
static void held_part(const firn_real constraint[4], double impulse[3]) {
  double along = 0;
  for (int a = 0; a < 3; a++) along += impulse[a] * (double)constraint[a];
  switch ((int)constraint[3]) {
  case MPM_NO_NORMAL:
    for (int a = 0; a < 3; a++) impulse[a] = along * (double)constraint[a];
    break;
  case MPM_ONLY_TANGENT:
    for (int a = 0; a < 3; a++) impulse[a] -= along * (double)constraint[a];
    break;
  default: break;
  }
}

static bool unit_is_near(const mpm *m, size_t u) {
  const firn_unit *unit = &m->world->particles.unit[u];
  const uint32_t *of = m->constraint_of.data;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    for (int o = 0; o < 27; o++) {
      uint32_t g = m->grid.target[b][o];
      if (g != FIRN_GRID_NONE && of[g] != FIRN_GRID_NONE) return true;
    }
  }
  return false;
}

// K gives 0 for one velocity everywhere. Without that of some node that is held, no digits are lost
// to it, since what touches a collider moves about as it does.
static void reference_velocity(const mpm *m, double out[3]) {
  const uint32_t *solved = m->solved.data;
  memset(out, 0, 3 * sizeof *out);
  for (size_t i = 0; i < m->solved_count; i++) {
    uint32_t index;
    uint64_t held = mpm_held_nodes(m, solved[i], &index);
    if (!held) continue;
    const firn_real *v = m->view.node_v + solved[i] * (size_t)FIRN_NODE_BLOCK_REALS +
                         4 * __builtin_ctzll(held);
    for (int a = 0; a < 3; a++) out[a] = (double)v[a];
    return;
  }
}

// product holds (M + beta dt^2 K) direction.
static void tell(const mpm *m, size_t g) {
  const int32_t *at = m->grid.at[g];
  uint32_t index;
  for (uint64_t left = mpm_held_nodes(m, g, &index); left; left &= left - 1) {
    int n = __builtin_ctzll(left);
    mpm_holders *holders = (mpm_holders *)m->contacts.holders.data + 64 * (size_t)index + n;
    const firn_real *node = m->view.node_v + g * FIRN_NODE_BLOCK_REALS + 4 * n;
    size_t i = g * FIRN_NODE_BLOCK_REALS + 4 * (size_t)n;
    double h = m->world->h, v[3], impulse[3];
    double x[3] = {(4.0 * at[0] + n / 16) * h, (4.0 * at[1] + n / 4 % 4) * h,
                   (4.0 * at[2] + n % 4) * h};
    for (size_t a = 0; a < 3; a++) {
      impulse[a] = (double)node[3] * (double)m->view.direction[i + a] -
                   (double)m->view.product[i + a];
    }
    held_part(mpm_constraint(m, index, n), impulse);
    for (int a = 0; a < 3; a++) {
      v[a] = (double)node[a];
      holders->impulse[a] += impulse[a];
    }
    mpm_push_share(m, mpm_node_pushes(&m->contacts, index), holders, x, v);
  }
}

// By surface: what the solve moves along a line is held, too. Of lambda = M (v* - v) + beta dt^2 K v, all that
// projection takes out is the collider's.
static void tell_surface(mpm *m, const double reference[3]) {
  const uint32_t *solved = m->solved.data, *of = m->constraint_of.data;
  const firn_real *collided = m->contacts.collided.data;
  firn_real *kept = (firn_real *)m->view.direction, *all = m->view.product;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t k = 0; k < m->solved_count; k++) {
    size_t g = solved[k];
    for (size_t n = 64 * g; n < 64 * (g + 1); n++) {
      const firn_real *v = collided + 4 * (64 * (size_t)of[g] + n % 64);
      bool near = of[g] != FIRN_GRID_NONE && v[3] > m->view.mass_floor;
      for (size_t a = 0; a < 3; a++) {
        double impulse = near ? (double)v[3] * ((double)v[a] - reference[a]) : 0;
        all[4 * n + a] = near ? (firn_real)(impulse - (double)all[4 * n + a]) : 0;
        kept[4 * n + a] = all[4 * n + a];
      }
    }
  }
  mpm_project(m, all);
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t k = 0; k < m->solved_count; k++) {
    size_t g = solved[k];
    if (of[g] == FIRN_GRID_NONE) continue;
    mpm_holders *holders = (mpm_holders *)m->contacts.holders.data + 64 * (size_t)of[g];
    for (size_t n = 0; n < 64; n++) {
      for (size_t a = 0; a < 3; a++) {
        size_t i = 4 * (64 * g + n) + a;
        holders[n].impulse[a] += (double)kept[i] - (double)all[i];
      }
    }
    mpm_surface_share(m, g);
  }
}

void mpm_contact_react(mpm *m) {
  mpm_view *view = &m->view;
  const uint32_t *solved = m->solved.data, *stiff = m->stiff_units.data;
  const uint32_t *of = m->constraint_of.data;
  if (!m->contacts.recorded || !m->contacts.node_count) return;
  // The solve is over, and its vectors are free.
  firn_real *direction = m->krylov.data;
  double reference[3];
  reference_velocity(m, reference);
  view->direction = direction;
  view->product = direction + m->grid.count * FIRN_NODE_BLOCK_REALS;
  mpm_view of_stiff = mpm_stiff_view(m);
  FIRN_PARALLEL(m->world->context) {
#pragma omp for schedule(static)
    for (size_t i = 0; i < m->solved_count; i++) {
      for (size_t n = 64 * (size_t)solved[i]; n < 64 * ((size_t)solved[i] + 1); n++) {
        const firn_real *v = view->node_v + 4 * n;
        bool active = v[3] > view->mass_floor;
        for (int a = 0; a < 3; a++) {
          direction[4 * n + (size_t)a] = active ? (firn_real)((double)v[a] - reference[a]) : 0;
        }
        direction[4 * n + 3] = 0;
      }
    }
#pragma omp for schedule(dynamic, 4)
    for (size_t i = 0; i < m->stiff_count; i++) {
      if (unit_is_near(m, stiff[i])) m->kernels->hessian(&of_stiff, stiff[i]);
    }
  }
  mpm_sow_product(m);
  of_stiff = mpm_stiff_view(m);
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t i = 0; i < m->solved_count; i++) {
    uint32_t index;
    bool near = m->contacts.surface && of[solved[i]] != FIRN_GRID_NONE;
    bool held = mpm_held_nodes(m, solved[i], &index) != 0;
    if (near || held) m->kernels->hessian_nodes(&of_stiff, solved[i]);
    if (held && !m->contacts.surface) tell(m, solved[i]);
  }
  if (m->contacts.surface) tell_surface(m, reference);
}
