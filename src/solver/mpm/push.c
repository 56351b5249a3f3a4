// SPDX-License-Identifier: Apache-2.0
// What the snow does to colliders.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

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

// Those that the node keeps to come before those that someone else has pushed it off, and the
// deepest first.
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
// closest; rest is what they leave. By surface a leader gives up what its column takes, so that at
// some nodes they pull.
static void push_along_normals(holder *by, int count, bool pull, double rest[3]) {
  double size = sqrt(dot(rest, rest)), most = size;
  for (int sweep = 0; sweep < 64 && most > 1e-12 * size; sweep++) {
    most = 0;
    for (int i = 0; i < count; i++) {
      double was = by[i].along;
      if (by[i].as != i) continue;
      by[i].along = was - dot(rest, by[i].normal);
      if (!pull) by[i].along = fmax(0, by[i].along);
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
    by[i].weight = fabs(by[i].along) * fmin(c->sticky ? 1e6 : c->friction, 1e6);
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
  push_along_normals(by, count, m->contacts.surface, rest);
  weigh(by, count, rest);
  for (int i = 0; i < count; i++) {
    double part[3];
    for (int a = 0; a < 3; a++) part[a] = by[i].weight * rest[a] - by[i].along * by[i].normal[a];
    add(m, push, by[i].collider, x, by[i].surface, part);
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
// found once each time that blocks fall asleep or wake. With a step of its own, the answer is the
// same whenever that is.
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
  if (c->surface) mpm_surface_press_asleep(m, (double)view.dt);
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (c->surface || of[g] == FIRN_GRID_NONE || !mpm_node_is_asleep(m, g)) continue;
    press_block(m, &view, g);
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
