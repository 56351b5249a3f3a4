// SPDX-License-Identifier: Apache-2.0
#include "grid/swarm.h"

#include <math.h>

#include "base/parallel.h"

enum { WIDE_BITS = 4 };

// fmin and fmax are calls.
static inline double least(double a, double b) {
  return a < b ? a : b;
}
static inline double most(double a, double b) {
  return a > b ? a : b;
}

// What is no number stays so: it is apart from nothing.
static void widen(firn_swept *box, const firn_swept *by) {
  for (int a = 0; a < 3; a++) {
    if (!(by->lo[a] >= box->lo[a]) && box->lo[a] == box->lo[a]) box->lo[a] = by->lo[a];
    if (!(by->hi[a] <= box->hi[a]) && box->hi[a] == box->hi[a]) box->hi[a] = by->hi[a];
    if (!(by->slow[a] >= box->slow[a]) && box->slow[a] == box->slow[a]) box->slow[a] = by->slow[a];
    if (!(by->fast[a] <= box->fast[a]) && box->fast[a] == box->fast[a]) box->fast[a] = by->fast[a];
  }
}

static size_t end_of(size_t first, size_t count) {
  return first + FIRN_SWARM_WIDE < count ? first + FIRN_SWARM_WIDE : count;
}

static void build_leaf(const firn_swarm *s, size_t leaf) {
  size_t first = leaf * FIRN_SWARM_WIDE, end = end_of(first, s->count);
  firn_swept box, one;
  s->body(s->user, first, &box);
  for (size_t i = first + 1; i < end; i++) {
    s->body(s->user, i, &one);
    widen(&box, &one);
  }
  s->node[0][leaf] = box;
}

firn_status firn_swarm_build(firn_context *context, size_t count, firn_body_fn body,
                             const void *user, firn_buffer *buffer, firn_swarm *out) {
  firn_swarm s = {.context = context, .count = count, .body = body, .user = user};
  size_t all = 0, n = count;
  while (n && (n > 1 || !s.levels)) {
    n = (n + FIRN_SWARM_WIDE - 1) / FIRN_SWARM_WIDE;
    s.nodes[s.levels++] = n;
    all += n;
  }
  FIRN_TRY(firn_buffer_reserve(context, buffer, all * sizeof(firn_swept), "swarm"));
  firn_swept *next = buffer->data;
  for (int l = 0; l < s.levels; next += s.nodes[l++]) s.node[l] = next;
  *out = s;
  if (!count) return FIRN_OK;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < s.nodes[0]; i++) build_leaf(&s, i);
  for (int l = 1; l < s.levels; l++) {
    for (size_t i = 0; i < s.nodes[l]; i++) {
      size_t first = i * FIRN_SWARM_WIDE, end = end_of(first, s.nodes[l - 1]);
      s.node[l][i] = s.node[l - 1][first];
      for (size_t k = first + 1; k < end; k++) widen(&s.node[l][i], &s.node[l - 1][k]);
    }
  }
  return FIRN_OK;
}

// ---- two swarms

typedef struct walk {
  const firn_swarm *a, *b;
  const firn_meeting *meeting;
} walk;

static bool keep_apart(const walk *w, const firn_swept *x, const firn_swept *y, int span) {
  const firn_meeting *m = w->meeting;
  const firn_span *s = &m->span[span];
  for (int a = 0; a < 3; a++) {
    double lo = y->lo[a] - x->hi[a] + least(0, y->slow[a] - x->fast[a]) * s->time + s->lo[a];
    double hi = y->hi[a] - x->lo[a] + most(0, y->fast[a] - x->slow[a]) * s->time + s->hi[a];
    if (m->period[a] > 0) { // of all images, the one whose middle is nearest
      double away = m->period[a] * floor(0.5 * (lo + hi) / m->period[a] + 0.5);
      lo -= away;
      hi -= away;
    }
    if (lo >= m->apart || hi <= -m->apart) return true;
  }
  return false;
}

static int shorten(const walk *w, const firn_swept *x, const firn_swept *y, int span) {
  while (span >= 0 && !keep_apart(w, x, y, span)) span--;
  return span;
}

static size_t bodies_of(const firn_swarm *s, size_t leaf, firn_swept out[FIRN_SWARM_WIDE]) {
  size_t first = leaf * FIRN_SWARM_WIDE, n = end_of(first, s->count) - first;
  for (size_t i = 0; i < n; i++) s->body(s->user, first + i, &out[i]);
  return n;
}

static int within_leaf(const walk *w, size_t leaf, int span) {
  firn_swept x[FIRN_SWARM_WIDE];
  size_t n = bodies_of(w->a, leaf, x);
  for (size_t i = 0; i < n; i++)
    for (size_t k = i + 1; k < n; k++) span = shorten(w, &x[i], &x[k], span);
  return span;
}

static int between_leaves(const walk *w, size_t a, size_t b, int span) {
  firn_swept x[FIRN_SWARM_WIDE], y[FIRN_SWARM_WIDE];
  size_t n = bodies_of(w->a, a, x), m = bodies_of(w->b, b, y);
  for (size_t i = 0; i < n && span >= 0; i++) {
    if (keep_apart(w, &x[i], &w->b->node[0][b], span)) continue;
    for (size_t k = 0; k < m; k++) span = shorten(w, &x[i], &y[k], span);
  }
  return span;
}

// Nodes a and b at these levels. Of a swarm with itself each pair of leaves comes once, the first first.
static int between(const walk *w, int la, size_t a, int lb, size_t b, int span) {
  if (w->a == w->b && ((b + 1) << WIDE_BITS * lb) - 1 <= a << WIDE_BITS * la) return span;
  if (span < 0 || keep_apart(w, &w->a->node[la][a], &w->b->node[lb][b], span)) return span;
  if (!la && !lb) return between_leaves(w, a, b, span);
  if (lb >= la) {
    size_t first = b * FIRN_SWARM_WIDE, end = end_of(first, w->b->nodes[lb - 1]);
    for (size_t k = first; k < end; k++) span = between(w, la, a, lb - 1, k, span);
  } else {
    size_t first = a * FIRN_SWARM_WIDE, end = end_of(first, w->a->nodes[la - 1]);
    for (size_t k = first; k < end; k++) span = between(w, la - 1, k, lb, b, span);
  }
  return span;
}

int firn_swarms_part(const firn_swarm *a, const firn_swarm *b, const firn_meeting *m, int span) {
  const walk w = {a, b, m};
  if (!a->count || !b->count) return span;
  int level = a->levels > 1, start = span;
  if (a == b) { // neighbours in memory tell the most for the least
    FIRN_PARALLEL_FOR(a->context, schedule(static) reduction(min : span))
    for (size_t i = 0; i < a->nodes[0]; i++) {
      int own = within_leaf(&w, i, start < span ? start : span);
      span = own < span ? own : span;
    }
  }
  start = span;
  FIRN_PARALLEL_FOR(a->context, schedule(dynamic, 4) reduction(min : span))
  for (size_t i = 0; i < a->nodes[level]; i++) {
    int own = between(&w, level, i, b->levels - 1, 0, start < span ? start : span);
    span = own < span ? own : span;
  }
  return span;
}

// ---- a swarm and something else

static int clear(const firn_swarm *s, int level, size_t i, firn_swept_fn meets, const void *user,
                 int span) {
  if (span < 0 || !meets(user, &s->node[level][i], span)) return span;
  size_t first = i * FIRN_SWARM_WIDE;
  if (level) {
    size_t end = end_of(first, s->nodes[level - 1]);
    for (size_t k = first; k < end; k++) span = clear(s, level - 1, k, meets, user, span);
    return span;
  }
  firn_swept x[FIRN_SWARM_WIDE];
  size_t n = bodies_of(s, i, x);
  for (size_t k = 0; k < n; k++)
    while (span >= 0 && meets(user, &x[k], span)) span--;
  return span;
}

int firn_swarm_clear(const firn_swarm *swarm, firn_swept_fn meets, const void *user, int span) {
  if (!swarm->count) return span;
  int level = swarm->levels > 1, start = span;
  FIRN_PARALLEL_FOR(swarm->context, schedule(dynamic, 4) reduction(min : span))
  for (size_t i = 0; i < swarm->nodes[level]; i++) {
    int own = clear(swarm, level, i, meets, user, start < span ? start : span);
    span = own < span ? own : span;
  }
  return span;
}
