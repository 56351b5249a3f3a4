// SPDX-License-Identifier: Apache-2.0
// What the snow does to colliders.
//
// With lambda the impulses that hold the nodes of a collider back, a step reads
//
//   M v = M v_free + lambda                        explicit: lambda = M (v - v_free), contact.c
//   (M + beta dt^2 K) v = M v_free + lambda        semi-implicit
//
// where v_free is the velocity before collisions. They left v*, which the solve keeps in what it
// holds, so there lambda = M (v* - v_free) + beta dt^2 (K v): the first part is that of an explicit
// step, the second takes one more product with K, and only on nodes close to a collider. In what
// the solve leaves free, such as the tangent of a slipping contact, the second part is the residual
// of the solve and not the collider's.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"

void mpm_push_add(mpm_push *push, const firn_collider *collider, const double x[3],
                  const double surface[3], const double impulse[3]) {
  double r[3];
  for (int a = 0; a < 3; a++) {
    r[a] = x[a] - collider->pose.pivot[a];
    push->impulse[a] += impulse[a];
    push->work -= impulse[a] * surface[a];
  }
  push->angular[0] += r[1] * impulse[2] - r[2] * impulse[1];
  push->angular[1] += r[2] * impulse[0] - r[0] * impulse[2];
  push->angular[2] += r[0] * impulse[1] - r[1] * impulse[0];
}

// ------------------------------------------------------------------------------------ reaction

static bool unit_is_near(const mpm *m, size_t u) {
  const firn_unit *unit = &m->world->particles.unit[u];
  const uint32_t *of = m->constraint_of.data;
  if (!mpm_unit_is_stiff(&m->view, u)) return false;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    for (int o = 0; o < 27; o++) {
      uint32_t g = m->grid.target[b][o];
      if (g != FIRN_GRID_NONE && of[g] != FIRN_GRID_NONE) return true;
    }
  }
  return false;
}

// The part of an impulse along which a node is held.
static void held_part(const firn_real constraint[4], double impulse[3]) {
  double along = 0;
  for (int a = 0; a < 3; a++) along += impulse[a] * (double)constraint[a];
  switch ((int)constraint[3]) {
  case MPM_FREE: memset(impulse, 0, 3 * sizeof *impulse); break;
  case MPM_NO_NORMAL:
    for (int a = 0; a < 3; a++) impulse[a] = along * (double)constraint[a];
    break;
  case MPM_ONLY_TANGENT:
    for (int a = 0; a < 3; a++) impulse[a] -= along * (double)constraint[a];
    break;
  default: break;
  }
}

// Solves the symmetric a x = b, a being positive definite, in place; n <= 3.
static void solve_small(double a[3][3], double b[3], int n) {
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      double f = a[j][i] / a[i][i];
      for (int k = i; k < n; k++) a[j][k] -= f * a[i][k];
      b[j] -= f * b[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
}

// Several colliders hold a node: each takes what acts along its own normal, and all the same of
// what is left. Statics does not say more.
static void share(const firn_collider *const by[], int count, const double x[3],
                  const double impulse[3], double out[MPM_HOLDERS][3]) {
  double normal[MPM_HOLDERS][3], gram[3][3], along[3], rest[3];
  for (int i = 0; i < count; i++) {
    firn_collider_sample_near(by[i], UINT64_MAX, x, normal[i], NULL);
    along[i] = 0;
    for (int a = 0; a < 3; a++) along[i] += normal[i][a] * impulse[a];
  }
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      // Where normals are parallel, the small term on the diagonal shares evenly.
      gram[i][j] = i == j ? 1e-9 : 0;
      for (int a = 0; a < 3; a++) gram[i][j] += normal[i][a] * normal[j][a];
    }
  }
  solve_small(gram, along, count);
  memcpy(rest, impulse, sizeof rest);
  for (int i = 0; i < count; i++) {
    for (int a = 0; a < 3; a++) rest[a] -= along[i] * normal[i][a];
  }
  for (int i = 0; i < count; i++) {
    for (int a = 0; a < 3; a++) out[i][a] = along[i] * normal[i][a] + rest[a] / count;
  }
}

// Slot of a collider among those recorded.
static int recorded_slot(const firn_world *world, int c) {
  int slot = 0;
  for (int i = 0; i < c; i++) slot += world->collider[i].forces;
  return slot;
}

static void react_node(const mpm *m, mpm_push *push, const mpm_holders *holders, const double x[3],
                       const double impulse[3]) {
  const firn_world *world = m->world;
  const firn_collider *by[MPM_HOLDERS];
  double part[MPM_HOLDERS][3];
  int count = 0;
  while (count < MPM_HOLDERS && holders->collider[count]) {
    by[count] = &world->collider[holders->collider[count] - 1];
    count++;
  }
  if (count == 1)
    memcpy(part[0], impulse, sizeof part[0]);
  else
    share(by, count, x, impulse, part);
  for (int i = 0; i < count; i++) {
    double surface[3] = {0, 0, 0};
    if (!by[i]->forces) continue;
    if (by[i]->speed > 0) firn_collider_sample_near(by[i], UINT64_MAX, x, NULL, surface);
    mpm_push_add(push + recorded_slot(world, (int)(by[i] - world->collider)), by[i], x, surface,
                 part[i]);
  }
}

// product holds (M + beta dt^2 K) direction.
static void react_block(const mpm *m, size_t g, size_t index) {
  const mpm_holders *holders = (const mpm_holders *)m->contacts.holders.data + 64 * index;
  const firn_real *constraint = (const firn_real *)m->constraint.data +
                                index * FIRN_NODE_BLOCK_REALS;
  mpm_push *push = mpm_node_pushes(&m->contacts, index);
  const int32_t *at = m->grid.at[g];
  size_t first = g * FIRN_NODE_BLOCK_REALS;
  for (int n = 0; n < 64; n++) {
    if (!holders[n].collider[0]) continue;
    size_t i = first + 4 * (size_t)n;
    double h = m->world->h, impulse[3];
    double x[3] = {(4.0 * at[0] + n / 16) * h, (4.0 * at[1] + n / 4 % 4) * h,
                   (4.0 * at[2] + n % 4) * h};
    for (size_t a = 0; a < 3; a++) {
      impulse[a] = (double)m->view.node_v[i + 3] * (double)m->view.direction[i + a] -
                   (double)m->view.product[i + a];
    }
    held_part(constraint + 4 * n, impulse);
    react_node(m, push, &holders[n], x, impulse);
  }
}

// K gives 0 for one velocity everywhere. Without that of some node that is held, no digits are lost
// to it, since what touches a collider moves about as it does.
static void reference_velocity(const mpm *m, double out[3]) {
  const uint32_t *of = m->constraint_of.data;
  const mpm_holders *holders = m->contacts.holders.data;
  memset(out, 0, 3 * sizeof *out);
  for (size_t g = 0; g < m->grid.count; g++) {
    if (of[g] == FIRN_GRID_NONE || mpm_node_is_asleep(m, g)) continue;
    for (size_t n = 0; n < 64; n++) {
      if (!holders[64 * (size_t)of[g] + n].collider[0]) continue;
      const firn_real *v = m->view.node_v + g * FIRN_NODE_BLOCK_REALS + 4 * n;
      for (int a = 0; a < 3; a++) out[a] = (double)v[a];
      return;
    }
  }
}

void mpm_contact_react(mpm *m) {
  mpm_view *view = &m->view;
  size_t units = m->world->particles.unit_count, count = m->grid.count;
  const uint32_t *of = m->constraint_of.data;
  if (!m->contacts.recorded || !m->contacts.node_count) return;
  // The solve is over, and its vectors are free.
  firn_real *direction = m->krylov.data;
  double reference[3];
  reference_velocity(m, reference);
  view->direction = direction;
  view->product = direction + count * FIRN_NODE_BLOCK_REALS;
  FIRN_PARALLEL(m->world->context) {
#pragma omp for schedule(static)
    for (size_t n = 0; n < 64 * count; n++) {
      const firn_real *v = view->node_v + 4 * n;
      bool active = v[3] > view->mass_floor;
      for (int a = 0; a < 3; a++) {
        direction[4 * n + (size_t)a] = active ? (firn_real)((double)v[a] - reference[a]) : 0;
      }
      direction[4 * n + 3] = 0;
    }
#pragma omp for schedule(dynamic, 4)
    for (size_t u = 0; u < units; u++) {
      if (unit_is_near(m, u)) m->kernels->hessian(view, u);
    }
#pragma omp for schedule(dynamic, 16)
    for (size_t g = 0; g < count; g++) {
      if (of[g] == FIRN_GRID_NONE || mpm_node_is_asleep(m, g)) continue;
      m->kernels->hessian_nodes(view, g);
      react_block(m, g, of[g]);
    }
  }
}

// ---------------------------------------------------------------------------------------- sums

// A block of nodes that only sleepers touch, made once more from what their arenas hold, for what
// it does to colliders alone: nobody else may see it move.
static void press_block(const mpm *m, const mpm_view *view, size_t g) {
  firn_real v[FIRN_NODE_BLOCK_REALS], u[FIRN_NODE_BLOCK_REALS], lo[3], hi[3];
  firn_real *node_v = view->node_v + g * FIRN_NODE_BLOCK_REALS;
  firn_real *node_u = view->node_u ? view->node_u + g * FIRN_NODE_BLOCK_REALS : NULL;
  memcpy(v, node_v, sizeof v);
  if (node_u) memcpy(u, node_u, sizeof u);
  memcpy(lo, view->node_lo + 3 * g, sizeof lo);
  memcpy(hi, view->node_hi + 3 * g, sizeof hi);
  m->kernels->nodes(view, g);
  memcpy(node_v, v, sizeof v);
  if (node_u) memcpy(node_u, u, sizeof u);
  memcpy(view->node_lo + 3 * g, lo, sizeof lo);
  memcpy(view->node_hi + 3 * g, hi, sizeof hi);
}

// Snow that sleeps presses on its collider all the same, and does so evenly until some of it wakes:
// found once each time that blocks fall asleep or wake. With a step of its own, the answer is the same whenever that is.
static void press_asleep(mpm *m) {
  mpm_contacts *c = &m->contacts;
  const uint32_t *of = m->constraint_of.data;
  size_t count = m->grid.count, recorded = (size_t)c->recorded;
  mpm_push *asleep = c->asleep.data;
  memset(asleep, 0, recorded * sizeof *asleep);
  c->pressed = true;
  if (!m->asleep) return;
  mpm_view view = m->view;
  view.dt = FIRN_R(1e-3);
  view.implicit = false;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (of[g] != FIRN_GRID_NONE && mpm_node_is_asleep(m, g)) press_block(m, &view, g);
  }
  for (size_t g = 0; g < count; g++) {
    if (of[g] == FIRN_GRID_NONE || !mpm_node_is_asleep(m, g)) continue;
    mpm_push *push = mpm_node_pushes(c, of[g]);
    for (size_t i = 0; i < recorded; i++) {
      for (int a = 0; a < 3; a++) {
        asleep[i].impulse[a] += push[i].impulse[a] / (double)view.dt;
        asleep[i].angular[a] += push[i].angular[a] / (double)view.dt;
      }
      asleep[i].work += push[i].work / (double)view.dt;
    }
    memset(push, 0, recorded * sizeof *push);
  }
}

void mpm_contact_end(mpm *m, double dt) {
  mpm_contacts *c = &m->contacts;
  if (!c->recorded) return;
  if (!c->pressed) press_asleep(m);
  size_t rows = c->node_count + 2 * c->block_count;
  const mpm_push *push = c->pushes.data, *asleep = c->asleep.data;
  for (int i = 0, slot = 0; i < m->world->collider_count; i++) {
    firn_collider *collider = &m->world->collider[i];
    if (!collider->forces) continue;
    mpm_push all = {.work = dt * asleep[slot].work};
    for (int a = 0; a < 3; a++) {
      all.impulse[a] = dt * asleep[slot].impulse[a];
      all.angular[a] = dt * asleep[slot].angular[a];
    }
    for (size_t r = 0; r < rows; r++) {
      const mpm_push *p = push + r * (size_t)c->recorded + slot;
      for (int a = 0; a < 3; a++) {
        all.impulse[a] += p->impulse[a];
        all.angular[a] += p->angular[a];
      }
      all.work += p->work;
    }
    firn_collider_sums *sums = &collider->sums;
    for (int a = 0; a < 3; a++) {
      sums->impulse[a] += all.impulse[a];
      sums->angular[a] += all.angular[a];
    }
    sums->work += all.work;
    sums->time += dt;
    slot++;
  }
}
