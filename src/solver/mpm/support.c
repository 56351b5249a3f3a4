// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/support.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

// --------------------------------------------------------------------------------------- bodies

// Threads find bodies together: whoever is first joins two of them, and the later block of the two roots gets the
// earlier one for its parent, so that a body's root is its first block in the end, whatever the order.
static uint32_t parent(const uint32_t *of, uint32_t b) {
  return __atomic_load_n(&of[b], __ATOMIC_RELAXED);
}

// The first block of the body that b is known to belong to; shortens the way there.
static uint32_t root_of(uint32_t *of, uint32_t b) {
  for (uint32_t up; (up = parent(of, b)) != b; b = up) {
    uint32_t beyond = parent(of, up);
    if (beyond != up) __atomic_store_n(&of[b], beyond, __ATOMIC_RELAXED);
  }
  return b;
}

static void join(uint32_t *of, uint32_t a, uint32_t b) {
  for (;;) {
    a = root_of(of, a);
    b = root_of(of, b);
    if (a == b) return;
    uint32_t first = a < b ? a : b, last = a < b ? b : a, root = last;
    if (__atomic_compare_exchange_n(&of[last], &root, first, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return;
  }
}

// Whether the boxes of two givers of one node block overlap.
static bool boxes_meet(const mpm *m, firn_giver one, firn_giver two) {
  const mpm_box *a = &m->box[firn_giver_block(one)], *b = &m->box[firn_giver_block(two)];
  int oa = firn_giver_offset(one), ob = firn_giver_offset(two);
  const int da[3] = {oa / 9 - 1, oa / 3 % 3 - 1, oa % 3 - 1};
  const int db[3] = {ob / 9 - 1, ob / 3 % 3 - 1, ob % 3 - 1};
  for (int c = 0; c < 3; c++) {
    int lo_a = a->lo[c] + 4 * da[c], lo_b = b->lo[c] + 4 * db[c];
    if (lo_a >= lo_b + b->n[c] || lo_b >= lo_a + a->n[c]) return false;
  }
  return true;
}

// Joins those givers of a node block that meet. Most of them belong together already.
static void join_givers(const mpm *m, uint32_t *of, size_t g) {
  const firn_giver *giver = m->grid.giver;
  uint32_t first = m->grid.giver_start[g], end = m->grid.giver_start[g + 1], one = 0;
  bool same = true;
  for (uint32_t i = first; i < end && same; i++) {
    uint32_t root = root_of(of, firn_giver_block(giver[i]));
    if (i == first) one = root;
    same = root == one;
  }
  for (uint32_t i = first; i < end && !same; i++) {
    for (uint32_t j = first; j < i; j++) {
      uint32_t a = firn_giver_block(giver[i]), b = firn_giver_block(giver[j]);
      if (root_of(of, a) != root_of(of, b) && boxes_meet(m, giver[i], giver[j])) join(of, a, b);
    }
  }
}

firn_status mpm_bodies_find(const mpm *m, firn_buffer *bodies, size_t *count) {
  size_t blocks = m->world->particles.block_count;
  FIRN_TRY(firn_buffer_reserve(m->world->context, bodies, blocks * sizeof(uint32_t), "bodies"));
  uint32_t *of = bodies->data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) of[b] = (uint32_t)b;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 64))
  for (size_t g = 0; g < m->grid.count; g++) join_givers(m, of, g);
  // Roots come before the rest of their bodies: what they held is not needed any more then.
  *count = 0;
  for (size_t b = 0; b < blocks; b++) of[b] = of[b] == b ? (uint32_t)(*count)++ : of[of[b]];
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- colliders

// What holds a body: everything, or along some directions.
typedef struct hold {
  bool all;
  int count;
  double along[3][3]; // orthonormal
} hold;

static void hold_along(hold *h, const double normal[3]) {
  double rest[3] = {normal[0], normal[1], normal[2]}, length = 0;
  for (int i = 0; i < h->count; i++) {
    double dot = 0;
    for (int a = 0; a < 3; a++) dot += rest[a] * h->along[i][a];
    for (int a = 0; a < 3; a++) rest[a] -= dot * h->along[i][a];
  }
  for (int a = 0; a < 3; a++) length += rest[a] * rest[a];
  length = sqrt(length);
  if (length < 0.1 || h->count == 3) return; // less than 6 degrees apart
  for (int a = 0; a < 3; a++) h->along[h->count][a] = rest[a] / length;
  h->count++;
}

// Adds what the colliders at the nodes of a block are to it; h NULL only asks whether there are any.
static bool touch(const mpm *m, size_t b, hold *h) {
  const firn_world *world = m->world;
  const mpm_box *box = &m->box[b];
  const int32_t *at = world->particles.block[b].at;
  double cell = world->h, reach = 0, middle[3], normal[3];
  bool touches = false;
  for (int a = 0; a < 3; a++) {
    middle[a] = (4.0 * at[a] + box->lo[a] + 0.5 * (box->n[a] - 1)) * cell;
    reach += 0.25 * (box->n[a] - 1) * (box->n[a] - 1) * cell * cell;
  }
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    double away = firn_collider_sample(collider, middle, NULL, NULL);
    if (away > 0 && away * away > reach) continue;
    for (int n = 0; n < box->n[0] * box->n[1] * box->n[2]; n++) {
      const double x[3] = {(4.0 * at[0] + box->lo[0] + n / (box->n[1] * box->n[2])) * cell,
                           (4.0 * at[1] + box->lo[1] + n / box->n[2] % box->n[1]) * cell,
                           (4.0 * at[2] + box->lo[2] + n % box->n[2]) * cell};
      if (firn_collider_sample(collider, x, normal, NULL) > 0) continue;
      touches = true;
      if (!h) return true;
      h->all = h->all || collider->sticky || collider->friction > 0;
      if (h->all) return true;
      hold_along(h, normal);
    }
  }
  return touches;
}

bool mpm_block_touches(const mpm *m, size_t b) {
  return touch(m, b, NULL);
}

// How far above a collider grains lie on it, cells: less than its nodes' weights reach.
static const double LAYER = 1.5;

bool mpm_block_lies(const mpm *m, size_t b, const double mean[3], double normal[3]) {
  const firn_world *world = m->world;
  const firn_block *block = &world->particles.block[b];
  double h = world->h, x[3];
  for (int a = 0; a < 3; a++) x[a] = (4.0 * block->at[a] + mean[a]) * h;
  for (int c = 0; c < world->collider_count; c++) {
    if (world->collider[c].absent) continue;
    double left = LAYER - firn_collider_sample(&world->collider[c], x, normal, NULL) / h;
    for (uint32_t i = block->first; i < block->first + block->count && left >= 0; i++) {
      double above = 0;
      for (int a = 0; a < 3; a++) above += normal[a] * ((double)m->view.x[a][i] - mean[a]);
      if (above > left) left = -1;
    }
    if (left >= 0) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------ free motion

// Mass, momentum, and their moments about the origin.
typedef struct motion {
  double mass, p[3], x[3], l[3], inertia;
} motion;

static void add_motion(const mpm *m, size_t b, motion *sum) {
  const firn_block *block = &m->world->particles.block[b];
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    double mass = (double)m->view.mass[i], x[3], v[3];
    for (int a = 0; a < 3; a++) {
      x[a] = (4.0 * block->at[a] + (double)m->view.x[a][i]) * m->world->h;
      v[a] = (double)m->view.v[a][i];
      sum->p[a] += mass * v[a];
      sum->x[a] += mass * x[a];
      sum->inertia += mass * x[a] * x[a];
    }
    sum->mass += mass;
    for (int a = 0; a < 3; a++) {
      int j = (a + 1) % 3, k = (a + 2) % 3;
      sum->l[a] += mass * (x[j] * v[k] - x[k] * v[j]);
    }
  }
}

static double free_part(const hold *h, const double v[3]) {
  double rest[3] = {v[0], v[1], v[2]}, square = 0;
  for (int i = 0; i < h->count; i++) {
    double dot = 0;
    for (int a = 0; a < 3; a++) dot += rest[a] * h->along[i][a];
    for (int a = 0; a < 3; a++) rest[a] -= dot * h->along[i][a];
  }
  for (int a = 0; a < 3; a++) square += rest[a] * rest[a];
  return sqrt(square);
}

// Speed of its rim as it turns about its middle, m/s. Where space is periodic nobody knows where the
// middle is.
static double turning(const mpm *m, const motion *sum) {
  double l2 = 0, middle2 = 0;
  for (int a = 0; a < 3; a++) {
    if (m->world->particles.period[a]) return 0;
    middle2 += sum->x[a] * sum->x[a];
  }
  for (int a = 0; a < 3; a++) {
    int j = (a + 1) % 3, k = (a + 2) % 3;
    double own = sum->l[a] - (sum->x[j] * sum->p[k] - sum->x[k] * sum->p[j]) / sum->mass;
    l2 += own * own;
  }
  double inertia = sum->inertia - middle2 / sum->mass;
  return inertia > 0 ? sqrt(l2 / (inertia * sum->mass)) : 0;
}

static bool moves_freely(const mpm *m, const hold *h, const motion *sum, double slow) {
  const double *g = m->world->gravity;
  double v[3], weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int a = 0; a < 3; a++) v[a] = sum->p[a] / sum->mass;
  if (free_part(h, g) > 1e-3 * weight || free_part(h, v) > slow) return true;
  return h->count == 0 && turning(m, sum) > slow;
}

typedef struct body {
  hold held;
  motion sum;
} body;

firn_status mpm_bodies_rest(const mpm *m, const firn_buffer *bodies, size_t count, double slow,
                            firn_buffer *scratch, uint8_t *at_rest) {
  size_t blocks = m->world->particles.block_count;
  const uint32_t *of = bodies->data;
  FIRN_TRY(firn_buffer_reserve(m->world->context, scratch, count * sizeof(body), "bodies"));
  body *each = scratch->data;
  memset(each, 0, count * sizeof *each);
  for (size_t b = 0; b < blocks; b++) {
    if (at_rest[of[b]] && !each[of[b]].held.all) touch(m, b, &each[of[b]].held);
  }
  for (size_t b = 0; b < blocks; b++) {
    if (at_rest[of[b]] && !each[of[b]].held.all) add_motion(m, b, &each[of[b]].sum);
  }
  for (size_t i = 0; i < count; i++) {
    if (!at_rest[i] || each[i].held.all) continue;
    at_rest[i] = !moves_freely(m, &each[i].held, &each[i].sum, slow);
  }
  return FIRN_OK;
}
