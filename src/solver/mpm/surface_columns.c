// SPDX-License-Identifier: Apache-2.0
// The columns of nodes at colliders: which there are, and where their nodes lie.
#include "solver/mpm/surface.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/hold.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"

// A node and the surface of one collider.
typedef struct mpm_sample {
  firn_real phi; // cells; infinite where the node is far
  firn_real normal[3], surface[3];
  int8_t axis; // that is next to the normal, 1 to 3, and its sign
} mpm_sample;

// A column's first node is the first at LEAST outside. Prototypes in one dimension put the plane
// that does not move 0.16 h below the surface in the mean with 0, 0.012 h with 1/4, 0.0003 h with
// 1/2.
static const double LEAST = 0.5, REACH = MPM_COLUMN_REACH; // cells

// ------------------------------------------------------------------------------------ geometry

static int8_t axis_of(const double n[3]) {
  int axis = 0;
  // Where two are as large up to rounding, as on a plane at 45 degrees, all nodes take the same.
  for (int a = 1; a < 3; a++) {
    if (fabs(n[a]) > fabs(n[axis]) * (1 + 1e-6)) axis = a;
  }
  return (int8_t)(n[axis] < 0 ? -1 - axis : 1 + axis);
}

static void sample_block(const mpm *m, int c, size_t g, uint64_t near, mpm_sample *out) {
  const firn_collider *collider = &m->world->collider[c];
  double h = m->world->h, middle[3], half[3] = {1.5 * h, 1.5 * h, 1.5 * h};
  const int32_t *at = m->grid.at[g];
  for (int n = 0; n < 64; n++) out[n].phi = FIRN_R(INFINITY);
  for (int a = 0; a < 3; a++) middle[a] = (4.0 * at[a] + 1.5) * h;
  uint64_t bits = 0;
  for (int i = 0; i < collider->part_count && !collider->absent; i++) {
    const firn_part *part = &collider->part[i];
    if (!(part->bit & near & ~bits) || part->radius < 0) continue;
    mpm_tangent t = mpm_tangent_at(part, m->contacts.time, middle, NULL);
    if (mpm_tangent_meets_box(&t, half, REACH * h)) bits |= part->bit;
  }
  for (int n = 0; n < 64 && bits; n++) {
    double x[3] = {(4.0 * at[0] + n / 16) * h, (4.0 * at[1] + n / 4 % 4) * h,
                   (4.0 * at[2] + n % 4) * h};
    double normal[3], surface[3];
    double phi = firn_collider_sample_near(collider, bits, x, normal, surface) / h;
    if (!(phi < REACH)) continue;
    out[n].phi = (firn_real)phi;
    out[n].axis = axis_of(normal);
    for (int a = 0; a < 3; a++) {
      out[n].normal[a] = (firn_real)normal[a];
      out[n].surface[a] = m->still ? 0 : (firn_real)surface[a]; // at rest in a search for balance
    }
  }
}

// The node beside one, or UINT32_MAX.
static uint32_t beside(const mpm *m, uint32_t node, int axis, int step) {
  static const int stride[3] = {16, 4, 1}, block_stride[3] = {9, 3, 1};
  uint32_t g = node / 64;
  int n = (int)(node % 64), at = n / stride[axis] % 4 + step;
  if (at < 0 || at > 3) {
    g = m->grid.around[g][13 + (at < 0 ? -1 : 1) * block_stride[axis]];
    if (g == FIRN_GRID_NONE) return UINT32_MAX;
    step += at < 0 ? 4 : -4;
  }
  return 64 * g + (uint32_t)(n + step * stride[axis]);
}

static const mpm_sample *sample_of(const mpm *m, uint32_t node) {
  static const mpm_sample far = {.phi = FIRN_R(INFINITY)};
  uint32_t index = ((const uint32_t *)m->constraint_of.data)[node / 64];
  if (index == FIRN_GRID_NONE) return &far;
  return (const mpm_sample *)m->contacts.samples.data + 64 * (size_t)index + node % 64;
}

// The node beside one of a column that belongs to it, too.
static uint32_t next_of(const mpm *m, uint32_t node, int8_t axis, bool outward) {
  int a = (axis < 0 ? -axis : axis) - 1;
  uint32_t other = beside(m, node, a, (axis > 0) == outward ? 1 : -1);
  if (other == UINT32_MAX) return other;
  const mpm_sample *s = sample_of(m, other);
  return s->phi < (firn_real)REACH && s->axis == axis ? other : UINT32_MAX;
}

// Whether the column of a node inside is listed by this one: no other is between it and the
// surface.
static bool is_first_inside(const mpm *m, uint32_t node) {
  const mpm_sample *s = sample_of(m, node);
  if (!(s->phi <= 0)) return false;
  uint32_t out = next_of(m, node, s->axis, true);
  return out == UINT32_MAX || sample_of(m, out)->phi > 0;
}

static void put(const mpm *m, mpm_column *c, uint32_t node) {
  const mpm_sample *s = sample_of(m, node);
  c->node[c->count] = node;
  c->phi[c->count] = s->phi;
  memcpy(c->normal[c->count], s->normal, sizeof s->normal);
  memcpy(c->surface[c->count], s->surface, sizeof s->surface);
  c->count++;
}

static void list_column(const mpm *m, uint32_t first, mpm_column *c) {
  uint32_t out[4], node = first;
  int8_t axis = sample_of(m, first)->axis;
  int outside = 0;
  c->count = 0;
  c->led = c->contested = false;
  c->rounds = 0;
  while (!c->led && outside < 4 && (node = next_of(m, node, axis, true)) != UINT32_MAX) {
    out[outside++] = node;
    c->led = (double)sample_of(m, node)->phi >= LEAST;
  }
  c->outside = (uint8_t)outside;
  while (outside) put(m, c, out[--outside]);
  for (node = first; node != UINT32_MAX && c->count < MPM_COLUMN;
       node = next_of(m, node, axis, false)) {
    if (node != first && sample_of(m, node)->phi > 0) break; // the other side of a thin body
    put(m, c, node);
  }
}

// Room for more, with what is there.
static firn_status grow(firn_context *context, firn_buffer *buffer, size_t kept, size_t size) {
  firn_buffer wider = {0};
  if (size <= buffer->size) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &wider, size + size / 4, "contacts"));
  if (kept) memcpy(wider.data, buffer->data, kept);
  firn_buffer_free(context, buffer);
  *buffer = wider;
  return FIRN_OK;
}

// Numbers of the columns that blocks list, then the columns.
static firn_status list_columns(mpm *m, uint32_t *first) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *of = m->constraint_of.data;
  size_t count = m->grid.count;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (of[g] == FIRN_GRID_NONE) continue;
    first[of[g]] = 0;
    for (uint32_t n = 0; n < 64; n++) first[of[g]] += is_first_inside(m, 64 * (uint32_t)g + n);
  }
  uint32_t sum = k->column_count;
  for (size_t i = 0; i < k->node_count; i++) {
    uint32_t has = first[i];
    first[i] = sum;
    sum += has;
  }
  FIRN_TRY(grow(m->world->context, &k->columns, k->column_count * sizeof(mpm_column),
                sum * sizeof(mpm_column)));
  k->column_count = sum;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 16))
  for (size_t g = 0; g < count; g++) {
    if (of[g] == FIRN_GRID_NONE) continue;
    mpm_column *out = (mpm_column *)k->columns.data + first[of[g]];
    for (uint32_t n = 0; n < 64; n++) {
      if (is_first_inside(m, 64 * (uint32_t)g + n)) list_column(m, 64 * (uint32_t)g + n, out++);
    }
  }
  return FIRN_OK;
}

// What is inside of which surfaces, of all colliders so far.
typedef struct mpm_within {
  firn_real phi, normal[3];
  int8_t axis; // of its sample; 0: none
} mpm_within;

enum { WITHIN = 2 }; // as many are distinguished
typedef struct mpm_inside {
  mpm_within by[WITHIN];
  bool contested; // surfaces meet there at an angle that is neither right nor flat
} mpm_inside;

static double cosine(const firn_real a[3], const firn_real b[3]) {
  double d = 0;
  for (int i = 0; i < 3; i++) d += (double)a[i] * (double)b[i];
  return fabs(d);
}

static void note_inside(mpm *m) {
  mpm_contacts *k = &m->contacts;
  const mpm_sample *s = k->samples.data;
  mpm_inside *in = k->inside.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t i = 0; i < 64 * k->node_count; i++) {
    if (!(s[i].phi <= 0)) continue;
    int j = 0;
    for (; j < WITHIN && in[i].by[j].axis; j++) {
      double d = cosine(in[i].by[j].normal, s[i].normal);
      if (d > 1e-3 && d < 0.999) in[i].contested = true;
    }
    if (j == WITHIN) continue;
    in[i].by[j] = (mpm_within){.phi = s[i].phi, .axis = s[i].axis};
    memcpy(in[i].by[j].normal, s[i].normal, sizeof s[i].normal);
  }
}

// Whether the leader of a column would follow a leader of another surface that may in turn follow
// it: the column of that surface, which goes out along its own axis until LEAST outside, ends
// inside of this one. So it is at the bottom of a valley, and in a gap.
static bool goes_round(const mpm_column *c, int leader, const mpm_within *other) {
  int a = (other->axis < 0 ? -other->axis : other->axis) - 1;
  double rise = fabs((double)other->normal[a]);
  double cells = ceil((LEAST - (double)other->phi) / rise - 1e-6);
  double along = (double)c->normal[leader][a] * (other->axis < 0 ? -1 : 1);
  return (double)c->phi[leader] + cells * along <= 1e-6;
}

static void mark_contested(mpm *m) {
  mpm_contacts *k = &m->contacts;
  const uint32_t *of = m->constraint_of.data;
  const mpm_inside *inside = k->inside.data;
  mpm_column *column = k->columns.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (uint32_t i = 0; i < k->column_count; i++) {
    mpm_column *c = &column[i];
    c->contested = false;
    c->rounds = 0;
    for (int j = 0; j < c->count; j++) {
      const mpm_inside *in = &inside[64 * (size_t)of[c->node[j] / 64] + c->node[j] % 64];
      c->contested = c->contested || in->contested;
      for (int w = 0; w < WITHIN && j < c->outside && in->by[w].axis; w++) {
        if (goes_round(c, j, &in->by[w])) c->rounds |= (uint16_t)(1u << j);
      }
    }
  }
}

firn_status mpm_surface_begin(mpm *m) {
  mpm_contacts *k = &m->contacts;
  firn_context *context = m->world->context;
  const uint32_t *of = m->constraint_of.data;
  const uint64_t *near = k->nodes.data;
  size_t count = m->grid.count, colliders = (size_t)m->world->collider_count;
  k->column_count = 0;
  FIRN_TRY(
      firn_buffer_reserve(context, &k->layers, (colliders + 1) * sizeof(uint32_t), "contacts"));
  FIRN_TRY(firn_buffer_reserve(context, &k->samples, k->node_count * 64 * sizeof(mpm_sample),
                               "contacts"));
  FIRN_TRY(
      firn_buffer_reserve(context, &k->firsts, (k->node_count + 1) * sizeof(uint32_t), "contacts"));
  FIRN_TRY(firn_buffer_reserve(context, &k->collided, k->node_count * 64 * 4 * sizeof(firn_real),
                               "contacts"));
  FIRN_TRY(firn_buffer_reserve(context, &k->inside, k->node_count * 64 * sizeof(mpm_inside),
                               "contacts"));
  mpm_sample *samples = k->samples.data;
  uint32_t *layer = k->layers.data, listed = 0;
  if (k->node_count) memset(k->inside.data, 0, k->node_count * 64 * sizeof(mpm_inside));
  for (size_t c = 0; c < colliders; c++) {
    layer[c] = k->column_count;
    if (!k->node_count) continue;
    FIRN_PARALLEL_FOR(context, schedule(dynamic, 16))
    for (size_t g = 0; g < count; g++) {
      if (of[g] == FIRN_GRID_NONE) continue;
      sample_block(m, (int)c, g, near[g], samples + 64 * (size_t)of[g]);
    }
    FIRN_TRY(list_columns(m, k->firsts.data));
    note_inside(m);
    listed += k->column_count > layer[c];
  }
  layer[colliders] = k->column_count;
  k->several = listed > 1;
  if (k->several) mark_contested(m);
  return FIRN_OK;
}
