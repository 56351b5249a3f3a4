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

// ------------------------------------------------------------------------------------- sharing

// One of several colliders that hold a node.
typedef struct holder {
  const firn_collider *collider;
  double depth, normal[3], surface[3]; // where the node is
  bool left;                           // the node moves away from it
  double along;                        // N s against the normal
  int as, twins;                       // who lies the same there, and how many more do
  double weight;                       // of what is not along normals
} holder;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Those that the node keeps to come before those that someone else has pushed it off, and the deepest
// first.
static bool comes_before(const holder *a, const holder *b) {
  return a->left != b->left ? b->left : a->depth > b->depth;
}

static int find_holders(const mpm *m, const mpm_holders *of, const double x[3], const double v[3],
                        holder out[MPM_HOLDERS]) {
  int count = 0;
  for (; count < MPM_HOLDERS && of->collider[count]; count++) {
    holder new = {.collider = &m->world->collider[of->collider[count] - 1]};
    int i = count;
    new.depth = -firn_collider_sample_near(new.collider, UINT64_MAX, x, new.normal, new.surface);
    double away = dot(v, new.normal) - dot(new.surface, new.normal);
    new.left = away > 1e-5 * sqrt(dot(v, v) + dot(new.surface, new.surface));
    for (; i > 0 && comes_before(&new, &out[i - 1]); i--) out[i] = out[i - 1];
    out[i] = new;
  }
  return count;
}

// Surfaces that face the same way: the one that lies outside, and the node therefore deepest in, is
// the one that snow comes to. Where two are the same, they share evenly.
static int drop_covered(holder *by, int count, double h) {
  int kept = 0;
  for (int i = 0; i < count; i++) {
    int k = 0;
    while (k < kept && (by[k].as != k || dot(by[i].normal, by[k].normal) < 0.999)) k++;
    if (k < kept && (by[k].left != by[i].left || by[k].depth - by[i].depth > 1e-6 * h)) continue;
    by[kept] = by[i];
    by[kept].as = k;
    by[kept].twins = 0;
    if (k < kept) by[k].twins++;
    kept++;
  }
  return kept;
}

// Surfaces push. Of all impulses that push each of these along its normal, those whose sum comes
// closest; rest is what they leave.
static void push_along_normals(holder *by, int count, double rest[3]) {
  double size = sqrt(dot(rest, rest)), most = size;
  for (int sweep = 0; sweep < 64 && most > 1e-12 * size; sweep++) {
    most = 0;
    for (int i = 0; i < count; i++) {
      double was = by[i].along;
      if (by[i].as != i) continue;
      by[i].along = fmax(0, was - dot(rest, by[i].normal));
      for (int a = 0; a < 3; a++) rest[a] += (by[i].along - was) * by[i].normal[a];
      most = fmax(most, fabs(by[i].along - was));
    }
  }
  for (int i = count - 1; i >= 0; i--) by[i].along = by[by[i].as].along / (1 + by[by[i].as].twins);
}

// The rest is friction, of which each has as much as it is pressed. Without any it is a pull, as a
// solve may end with, and goes to those that it is along.
static void weigh(holder *by, int count, const double rest[3]) {
  double all = 0;
  for (int i = 0; i < count; i++) {
    const firn_collider *c = by[i].collider;
    by[i].weight = by[i].along * fmin(c->sticky ? 1e6 : c->friction, 1e6);
    all += by[i].weight;
  }
  if (all > 0) {
    for (int i = 0; i < count; i++) by[i].weight /= all;
    return;
  }
  for (int i = 0; i < count; i++) {
    by[i].weight = dot(rest, by[i].normal) * dot(rest, by[i].normal);
    all += by[i].weight;
  }
  for (int i = 0; i < count; i++) by[i].weight = all > 0 ? by[i].weight / all : 1.0 / count;
}

// Slot of a collider among those recorded.
static int recorded_slot(const firn_world *world, int c) {
  int slot = 0;
  for (int i = 0; i < c; i++) slot += world->collider[i].forces;
  return slot;
}

static void add(const mpm *m, mpm_push *push, const firn_collider *collider, const double x[3],
                const double surface[3], const double impulse[3]) {
  if (!collider->forces) return;
  int c = (int)(collider - m->world->collider);
  mpm_push_add(push + recorded_slot(m->world, c), collider, x, surface, impulse);
}

void mpm_push_share(const mpm *m, mpm_push *push, const mpm_holders *holders, const double x[3],
                    const double v[3]) {
  const firn_collider *first = &m->world->collider[holders->collider[0] - 1];
  if (!holders->collider[1]) {
    double surface[3] = {0, 0, 0};
    if (first->speed > 0) firn_collider_sample_near(first, UINT64_MAX, x, NULL, surface);
    add(m, push, first, x, surface, holders->impulse);
    return;
  }
  holder by[MPM_HOLDERS];
  double rest[3] = {holders->impulse[0], holders->impulse[1], holders->impulse[2]};
  int count = drop_covered(by, find_holders(m, holders, x, v, by), m->world->h);
  push_along_normals(by, count, rest);
  weigh(by, count, rest);
  for (int i = 0; i < count; i++) {
    double part[3];
    for (int a = 0; a < 3; a++) part[a] = by[i].weight * rest[a] - by[i].along * by[i].normal[a];
    add(m, push, by[i].collider, x, by[i].surface, part);
  }
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

// product holds (M + beta dt^2 K) direction.
static void react_block(const mpm *m, size_t g, size_t index) {
  mpm_holders *holders = (mpm_holders *)m->contacts.holders.data + 64 * index;
  const firn_real *constraint = (const firn_real *)m->constraint.data +
                                index * FIRN_NODE_BLOCK_REALS;
  mpm_push *push = mpm_node_pushes(&m->contacts, index);
  const int32_t *at = m->grid.at[g];
  size_t first = g * FIRN_NODE_BLOCK_REALS;
  for (int n = 0; n < 64; n++) {
    if (!holders[n].collider[0]) continue;
    size_t i = first + 4 * (size_t)n;
    double h = m->world->h, impulse[3], v[3];
    double x[3] = {(4.0 * at[0] + n / 16) * h, (4.0 * at[1] + n / 4 % 4) * h,
                   (4.0 * at[2] + n % 4) * h};
    for (size_t a = 0; a < 3; a++) {
      impulse[a] = (double)m->view.node_v[i + 3] * (double)m->view.direction[i + a] -
                   (double)m->view.product[i + a];
    }
    held_part(constraint + 4 * n, impulse);
    for (size_t a = 0; a < 3; a++) {
      v[a] = (double)m->view.node_v[i + a];
      holders[n].impulse[a] += impulse[a];
    }
    mpm_push_share(m, push, &holders[n], x, v);
  }
}

// K gives 0 for one velocity everywhere. Without that of some node that is held, no digits are lost
// to it, since what touches a collider moves about as it does.
static void reference_velocity(const mpm *m, double out[3]) {
  const uint32_t *of = m->constraint_of.data;
  const mpm_holders *holders = m->contacts.holders.data;
  memset(out, 0, 3 * sizeof *out);
  for (size_t g = 0; g < m->grid.count; g++) {
    if (of[g] == FIRN_GRID_NONE || !mpm_nodes_are_solved(&m->view, g)) continue;
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
    for (size_t g = 0; g < count; g++) {
      if (!mpm_nodes_are_solved(view, g)) continue;
      for (size_t n = 64 * g; n < 64 * (g + 1); n++) {
        const firn_real *v = view->node_v + 4 * n;
        bool active = v[3] > view->mass_floor;
        for (int a = 0; a < 3; a++) {
          direction[4 * n + (size_t)a] = active ? (firn_real)((double)v[a] - reference[a]) : 0;
        }
        direction[4 * n + 3] = 0;
      }
    }
#pragma omp for schedule(dynamic, 4)
    for (size_t u = 0; u < units; u++) {
      if (unit_is_near(m, u)) m->kernels->hessian(view, u);
    }
  }
  mpm_sow_product(m);
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (of[g] == FIRN_GRID_NONE || !mpm_nodes_are_solved(view, g)) continue;
    m->kernels->hessian_nodes(view, g);
    react_block(m, g, of[g]);
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
