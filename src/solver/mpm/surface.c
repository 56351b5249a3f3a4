// SPDX-License-Identifier: Apache-2.0
// Collisions of columns of nodes, and their part in the solve.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/hold.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"
#include "solver/mpm/surface.h"

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ----------------------------------------------------------------------------------- collision

// One node of a column, relative to the surface.
typedef struct member {
  firn_real *v; // m/s, and kg
  double mass, phi, rel[3], u, n[3];
} member;

// A search for balance leaves nodes alone that it does not solve for.
static bool is_active(const mpm *m, uint32_t node) {
  if (m->still && !mpm_nodes_are_solved(&m->view, node / 64)) return false;
  return mpm_node_is_asleep(m, node / 64) == m->contacts.pressing &&
         m->view.node_v[4 * (size_t)node + 3] > m->view.mass_floor;
}

// The share of a spline's mass that lies below t cells from its middle, by a bell of the same variance.
static double below(const mpm *m, double t) {
  return 0.5 * erfc(-t / sqrt(2 * m->stencil.d));
}

// Whether snow touches the surface, so that nodes just outside go on the line: by the mass of the nodes inside, at
// least as much as that of snow half a cell away would be. Otherwise the line begins at the first node outside.
enum { NO_LEADER = UINT8_MAX, SWEEPS = 4 };
static int leader_of(const mpm *m, const mpm_column *c) {
  int inner = c->outside - 1;
  const double GAP = 0.5;
  if (!c->led || c->contested) return NO_LEADER;
  if (inner < 0) return inner;
  if (inner == 0) return c->rounds & 1 ? NO_LEADER : 0;
  double inside = 0, outside = 0, due_inside = 0, due_outside = 0;
  for (int i = 0; i < c->count; i++) {
    double mass = is_active(m, c->node[i]) ? (double)m->view.node_v[4 * (size_t)c->node[i] + 3] : 0;
    double due = below(m, (double)c->phi[i] - GAP);
    if (i == 0) continue;
    *(i < c->outside ? &outside : &inside) += mass;
    *(i < c->outside ? &due_outside : &due_inside) += due;
  }
  int leader = inside * due_outside >= outside * due_inside ? 0 : inner;
  return c->rounds >> leader & 1 ? NO_LEADER : leader;
}

static int members_of(const mpm *m, const mpm_column *c, int from, member *out, int *of) {
  int count = 0;
  for (int i = from; i < c->count; i++) {
    if (!is_active(m, c->node[i])) continue;
    member *o = &out[count];
    o->v = m->view.node_v + 4 * (size_t)c->node[i];
    o->mass = (double)o->v[3];
    o->phi = (double)c->phi[i];
    for (int a = 0; a < 3; a++) {
      o->n[a] = (double)c->normal[i][a];
      o->rel[a] = (double)o->v[a] - (double)c->surface[i][a];
    }
    o->u = dot(o->rel, o->n);
    of[count++] = i;
  }
  return count;
}

// Projects onto the line; false if the column leaves the surface. again: it has been found not to.
static bool project(const mpm *m, const firn_collider *collider, member *e, int count, bool led,
                    bool again, bool *whole) {
  double along = 0, square = 0, line[3] = {0, 0, 0}, push = 0, shear[3] = {0, 0, 0};
  for (int i = 0; i < count; i++) {
    along += e[i].mass * e[i].phi * e[i].u;
    square += e[i].mass * e[i].phi * e[i].phi;
    for (int a = 0; a < 3; a++) line[a] += e[i].mass * e[i].phi * e[i].rel[a];
  }
  double rate = led && square > 0 ? along / square : 0;
  for (int a = 0; a < 3; a++) line[a] = led && square > 0 ? line[a] / square : 0;
  for (int i = 0; i < count; i++) {
    push += e[i].mass * (e[i].phi * rate - e[i].u);
    double off = dot(line, e[i].n);
    for (int a = 0; a < 3; a++) {
      double w = e[i].rel[a] - e[i].u * e[i].n[a];
      shear[a] += e[i].mass * (e[i].phi * (line[a] - off * e[i].n[a]) - w);
    }
  }
  double friction = m->still == MPM_STILL_STUCK ? (double)INFINITY : collider->friction;
  double size = sqrt(dot(shear, shear));
  if (!again) {
    if (!collider->sticky && push <= 0) return false;
    *whole = collider->sticky || (friction > 0 && size <= friction * push);
  }
  // As resolve_still of contact.c: what slips in a search for balance is let go on a tenth further.
  if (m->still) friction *= 0.9;
  double share = *whole ? 1 : friction > 0 && !again ? friction * push / size : 0;
  for (int i = 0; i < count; i++) {
    double off = dot(line, e[i].n);
    for (int a = 0; a < 3; a++) {
      double w = e[i].rel[a] - e[i].u * e[i].n[a];
      double held = e[i].phi * (line[a] - off * e[i].n[a]);
      double slid = e[i].phi * rate * e[i].n[a] + w + share * (held - w);
      e[i].rel[a] = *whole ? e[i].phi * line[a] : slid;
    }
  }
  return true;
}

// What a collision made of some nodes of a column, of which the first leads if led.
static void take(mpm *m, int collider, mpm_column *c, const member *e, const int *of, int count,
                 bool led, bool whole, bool again) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *index = m->constraint_of.data;
  bool leads = led && mpm_nodes_are_solved(&m->view, c->node[of[0]] / 64);
  for (int i = 0; i < count; i++) {
    uint32_t node = c->node[of[i]], g = node / 64;
    bool slave = !(led && i == 0), solved = mpm_nodes_are_solved(&m->view, g);
    size_t near = 64 * (size_t)index[g] + node % 64;
    double normal[3] = {e[i].n[0], e[i].n[1], e[i].n[2]};
    if (slave && solved && !again) {
      if (leads) c->tied |= (uint16_t)(1u << of[i]);
      mpm_constrain(m, (firn_real *)m->constraint.data + 4 * near,
                    whole ? FIRN_CONTACT_STICK : FIRN_CONTACT_SLIP, normal);
    }
    mpm_holders *holders = k->recorded ? (mpm_holders *)k->holders.data + near : NULL;
    if (holders && !again) mpm_hold_add(holders, collider);
    firn_real *u = m->view.node_u && !solved ? m->view.node_u + 4 * (size_t)node : NULL;
    for (int a = 0; a < 3; a++) {
      firn_real after = (firn_real)(e[i].rel[a] + (double)c->surface[of[i]][a]);
      firn_real change = after - e[i].v[a];
      if (holders) holders->impulse[a] -= e[i].mass * (double)change;
      if (u) u[a] += change;
      e[i].v[a] = after;
    }
  }
}

// A node that rests on two surfaces at one height is held by both.
static void share_twin(mpm *m, int collider, const mpm_column *c, const member *e, const int *of,
                       int count) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *index = m->constraint_of.data;
  double most = 0, off = 0, along = 0, square = 0;
  for (int i = 0; i < count; i++) {
    along += e[i].mass * e[i].phi * e[i].u;
    square += e[i].mass * e[i].phi * e[i].phi;
  }
  double rate = count > 1 && square > 0 ? along / square : 0;
  for (int i = 0; i < count; i++) {
    off = fmax(off, fabs(e[i].u - e[i].phi * rate));
    most = fmax(most, sqrt(dot(e[i].rel, e[i].rel)));
  }
  for (int i = 0; i < count && k->recorded && off <= 1e-5 * most; i++) {
    uint32_t node = c->node[of[i]];
    mpm_holders *to = (mpm_holders *)k->holders.data + 64 * (size_t)index[node / 64] + node % 64;
    if (to->collider[0]) mpm_hold_add(to, collider);
  }
}

// Whether a leader has mass enough beside those that follow it. At a rim, and where a column leaves the snow, it may
// have none to speak of: the solve, which is preconditioned by the mass, would not converge.
static bool is_fit(const member *e, int count) {
  double all = 0;
  for (int i = 1; i < count; i++) all += e[i].mass * e[i].phi * e[i].phi;
  return e[0].mass * e[0].phi * e[0].phi > 0.02 * all;
}

// In a search for balance a column remembers by its first node inside how often it has let go.
static uint32_t *memory_of(const mpm *m, uint32_t node) {
  const uint32_t *index = m->constraint_of.data;
  return m->let_go ? m->let_go + 64 * (size_t)index[node / 64] + node % 64 : NULL;
}

static bool is_free(const mpm *m, uint32_t node) {
  const uint32_t *index = m->constraint_of.data;
  return (int)mpm_constraint(m, index[node / 64], (int)(node % 64))[3] == MPM_FREE;
}

// Projects, and remembers it in a search for balance.
static bool meet(const mpm *m, int collider, uint32_t node, member *e, int count, bool led,
                 bool again, bool *whole) {
  uint32_t *memory = memory_of(m, node);
  if (memory && !again && mpm_has_left(*memory, collider)) return false;
  bool held = project(m, &m->world->collider[collider], e, count, led, again, whole);
  if (memory && !again && (held || is_free(m, node))) mpm_count_release(memory, collider, held);
  return held;
}

static void collide_column(mpm *m, int collider, mpm_column *c, bool again) {
  member e[MPM_COLUMN];
  int of[MPM_COLUMN];
  if (!again) {
    c->tied = 0;
    c->caught = false;
    c->leader = (uint8_t)leader_of(m, c);
  } else if (!c->caught) {
    return;
  }
  bool led = c->leader != NO_LEADER;
  int count = members_of(m, c, led ? c->leader : c->outside, e, of);
  if (!count || of[count - 1] < c->outside) return; // none inside
  if (led && of[0] == c->leader && is_fit(e, count)) {
    if (meet(m, collider, c->node[c->outside], e, count, true, again, &c->whole)) {
      take(m, collider, c, e, of, count, true, c->whole, again);
      c->caught = true;
    } else {
      share_twin(m, collider, c, e, of, count);
    }
    return;
  }
  // As printed, node by node.
  for (int i = 0; i < count; i++) {
    bool whole = false;
    if (of[i] < c->outside) continue;
    if (meet(m, collider, c->node[of[i]], &e[i], 1, false, false, &whole))
      take(m, collider, c, &e[i], &of[i], 1, false, whole, false);
    else
      share_twin(m, collider, c, &e[i], &of[i], 1);
  }
}

static void clear_block(mpm *m, size_t g) {
  mpm_contacts *k = &m->contacts;
  size_t index = ((const uint32_t *)m->constraint_of.data)[g];
  if (m->view.implicit) {
    memset((firn_real *)m->constraint.data + index * FIRN_NODE_BLOCK_REALS, 0,
           FIRN_NODE_BLOCK_REALS * sizeof(firn_real));
    ((uint64_t *)m->held.data)[index] = 0;
  }
  if (!k->recorded) return;
  memset(mpm_node_pushes(k, index), 0, (size_t)k->recorded * sizeof(mpm_push));
  memset((mpm_holders *)k->holders.data + 64 * index, 0, 64 * sizeof(mpm_holders));
}

// Pushes of a block whose nodes are final, its range of velocities and its sums.
static void finish_block(mpm *m, size_t g) {
  mpm_contacts *k = &m->contacts;
  size_t index = ((const uint32_t *)m->constraint_of.data)[g];
  const firn_real *v = m->view.node_v + g * FIRN_NODE_BLOCK_REALS;
  bool solved = mpm_nodes_are_solved(&m->view, g);
  if (solved) {
    mpm_hold_note(m, g);
    memcpy((firn_real *)k->collided.data + index * FIRN_NODE_BLOCK_REALS, v,
           FIRN_NODE_BLOCK_REALS * sizeof *v);
  }
  firn_real *lo = m->view.node_lo + 3 * g, *hi = m->view.node_hi + 3 * g;
  double sum[5] = {0};
  for (int a = 0; a < 3; a++) {
    lo[a] = FIRN_R(INFINITY);
    hi[a] = FIRN_R(-INFINITY);
  }
  for (int n = 0; n < 64; n++) {
    double mass = (double)v[4 * n + 3];
    if (!(v[4 * n + 3] > m->view.mass_floor)) continue;
    for (int a = 0; a < 3; a++) {
      lo[a] = v[4 * n + a] < lo[a] ? v[4 * n + a] : lo[a];
      hi[a] = v[4 * n + a] > hi[a] ? v[4 * n + a] : hi[a];
      sum[a] += mass * (double)v[4 * n + a];
      sum[4] += mass * (double)v[4 * n + a] * (double)v[4 * n + a];
    }
    sum[3] += mass;
  }
  if (m->view.implicit) memcpy(m->view.node_sums[g], sum, sizeof sum);
  if (k->recorded && !solved) mpm_surface_share(m, g);
}

void mpm_surface_collide(mpm *m) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *of = m->constraint_of.data, *layer = k->layers.data;
  mpm_column *column = k->columns.data;
  size_t count = m->grid.count;
  if (!k->node_count) return;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < count; g++) {
    if (of[g] != FIRN_GRID_NONE && mpm_node_is_asleep(m, g) == k->pressing) clear_block(m, g);
  }
  // Nodes of one collider are in one column each. Where columns of several meet, each moves nodes off the lines of
  // the others, and is projected again.
  for (int sweep = 0; sweep < (k->several ? SWEEPS : 1); sweep++) {
    for (int c = 0; c < m->world->collider_count; c++) {
      FIRN_PARALLEL_FOR(m->world->context, schedule(static))
      for (uint32_t i = layer[c]; i < layer[c + 1]; i++) {
        collide_column(m, c, &column[i], sweep > 0);
      }
    }
  }
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (of[g] != FIRN_GRID_NONE && mpm_node_is_asleep(m, g) == k->pressing) finish_block(m, g);
  }
}

// Moves the nodes of blocks near colliders that sleep to buffers of the contacts, or back.
static void stash(mpm *m, bool back) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *of = m->constraint_of.data;
  const size_t size = FIRN_NODE_BLOCK_REALS * sizeof(firn_real);
  for (size_t g = 0; g < m->grid.count; g++) {
    if (of[g] == FIRN_GRID_NONE || !mpm_node_is_asleep(m, g)) continue;
    size_t to = of[g] * (size_t)FIRN_NODE_BLOCK_REALS, from = g * (size_t)FIRN_NODE_BLOCK_REALS;
    firn_real *v = (firn_real *)k->collided.data + to, *u = (firn_real *)k->samples.data + to;
    memcpy(back ? m->view.node_v + from : v, back ? v : m->view.node_v + from, size);
    if (!m->view.node_u) continue;
    memcpy(back ? m->view.node_u + from : u, back ? u : m->view.node_u + from, size);
  }
}

void mpm_surface_press_asleep(mpm *m, double dt) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *of = m->constraint_of.data;
  firn_real step = m->view.dt;
  bool implicit = m->view.implicit;
  stash(m, false);
  m->view.dt = (firn_real)dt;
  m->view.implicit = false;
  k->pressing = true;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < m->grid.count; g++) {
    if (of[g] != FIRN_GRID_NONE && mpm_node_is_asleep(m, g)) m->kernels->nodes(&m->view, g);
  }
  mpm_surface_collide(m);
  k->pressing = false;
  m->view.implicit = implicit;
  m->view.dt = step;
  stash(m, true);
}

void mpm_surface_share(const mpm *m, size_t g) {
  const mpm_contacts *k = &m->contacts;
  size_t index = ((const uint32_t *)m->constraint_of.data)[g];
  const mpm_holders *holders = (const mpm_holders *)k->holders.data + 64 * index;
  for (int n = 0; n < 64; n++) {
    if (!holders[n].collider[0]) continue;
    const int32_t *at = m->grid.at[g];
    double h = m->world->h, v[3];
    double x[3] = {(4.0 * at[0] + n / 16) * h, (4.0 * at[1] + n / 4 % 4) * h,
                   (4.0 * at[2] + n % 4) * h};
    for (int a = 0; a < 3; a++)
      v[a] = (double)m->view.node_v[g * FIRN_NODE_BLOCK_REALS + 4 * (size_t)n + (size_t)a];
    mpm_push_share(m, mpm_node_pushes(k, index), &holders[n], x, v);
  }
}

// --------------------------------------------------------------------------------------- solve

static double along(const firn_real n[3], const firn_real x[3]) {
  double sum = 0;
  for (int a = 0; a < 3; a++) sum += (double)n[a] * (double)x[a];
  return sum;
}

static void extend(const mpm_column *c, firn_real *x) {
  for (unsigned left = c->tied; left; left &= left - 1) {
    int i = __builtin_ctz(left), o = c->leader;
    const firn_real *lead = x + 4 * (size_t)c->node[o];
    firn_real *to = x + 4 * (size_t)c->node[i];
    double ratio = (double)c->phi[i] / (double)c->phi[o];
    double u = ratio * along(c->normal[o], lead) - along(c->normal[i], to);
    for (int a = 0; a < 3; a++) {
      to[a] = (firn_real)(c->whole ? ratio * (double)lead[a]
                                   : (double)to[a] + u * (double)c->normal[i][a]);
    }
  }
}

static void fold(const mpm_column *c, firn_real *y) {
  for (unsigned left = c->tied; left; left &= left - 1) {
    int i = __builtin_ctz(left), o = c->leader;
    firn_real *lead = y + 4 * (size_t)c->node[o], *from = y + 4 * (size_t)c->node[i];
    double ratio = (double)c->phi[i] / (double)c->phi[o], u = along(c->normal[i], from);
    for (int a = 0; a < 3; a++) {
      double part = c->whole ? (double)from[a] : u * (double)c->normal[o][a];
      double left_over = c->whole ? 0 : (double)from[a] - u * (double)c->normal[i][a];
      lead[a] += (firn_real)(ratio * part);
      from[a] = (firn_real)left_over;
    }
  }
}

void mpm_surface_extend(const mpm *m, firn_real *x) {
  const uint32_t *layer = m->contacts.layers.data;
  const mpm_column *column = m->contacts.columns.data;
  if (!m->contacts.surface) return;
  for (int c = m->world->collider_count; c-- > 0;) {
    if (layer[c] == layer[c + 1]) continue;
    FIRN_PARALLEL_FOR(m->world->context, schedule(static))
    for (uint32_t i = layer[c]; i < layer[c + 1]; i++) extend(&column[i], x);
  }
}

void mpm_surface_fold(const mpm *m, firn_real *y) {
  const uint32_t *layer = m->contacts.layers.data;
  const mpm_column *column = m->contacts.columns.data;
  if (!m->contacts.surface) return;
  for (int c = 0; c < m->world->collider_count; c++) {
    if (layer[c] == layer[c + 1]) continue;
    FIRN_PARALLEL_FOR(m->world->context, schedule(static))
    for (uint32_t i = layer[c]; i < layer[c + 1]; i++) fold(&column[i], y);
  }
}
