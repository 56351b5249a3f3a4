// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Swarms, against all pairs of their bodies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "grid/swarm.h"
#include "support/context.h"

static double draw(uint64_t id, uint32_t stream) {
  return firn_uniform(firn_philox4x32(23, id, stream, 0).v[0]);
}

typedef struct bodies {
  size_t count;
  firn_swept *of; // [count]
} bodies;

static void body(const void *user, size_t i, firn_swept *out) {
  *out = ((const bodies *)user)->of[i];
}

enum { SPANS = 10 };

static void set_spans(firn_span span[SPANS], double drift) {
  for (int i = 0; i < SPANS; i++) {
    span[i].time = ldexp(0.001, i);
    for (int a = 0; a < 3; a++) {
      span[i].lo[a] = a == 1 ? -drift * span[i].time : 0;
      span[i].hi[a] = a == 2 ? drift * span[i].time : 0;
    }
  }
}

// Boxes of up to an eighth of the room of each, on a lattice or shuffled, that move at random and apart.
static bodies make(size_t count, double pitch, double apart, double noise, bool shuffled,
                   uint64_t seed) {
  bodies b = {count, calloc(count + 1, sizeof *b.of)};
  size_t n = (size_t)ceil(cbrt((double)count));
  for (size_t i = 0; i < count; i++) {
    size_t k = shuffled ? (i * 7919) % count : i; // a prime that divides no count here
    const size_t at[3] = {k / (n * n), k / n % n, k % n};
    for (uint32_t a = 0; a < 3; a++) {
      double x = pitch * ((double)at[a] + 0.2 * draw(seed + k, a)),
             v = apart * x + noise * (draw(seed + k, 3 + a) - 0.5);
      b.of[i].lo[a] = x;
      b.of[i].hi[a] = x + pitch / 8 * draw(seed + k, 6 + a);
      b.of[i].slow[a] = v;
      b.of[i].fast[a] = v + 0.1 * noise * draw(seed + k, 9 + a);
    }
  }
  return b;
}

// Whether two may meet: of a time and a number of periods, by what lies between them.
static bool may_meet(const firn_swept *x, const firn_swept *y, const firn_meeting *m, int span) {
  const firn_span *s = &m->span[span];
  for (int a = 0; a < 3; a++) {
    double lo = y->lo[a] - x->hi[a] + fmin(0, s->time * (y->slow[a] - x->fast[a])) + s->lo[a];
    double hi = y->hi[a] - x->lo[a] + fmax(0, s->time * (y->fast[a] - x->slow[a])) + s->hi[a];
    bool near = lo < m->apart && hi > -m->apart;
    for (int k = -4; k <= 4 && m->period[a] > 0; k++) {
      double away = k * m->period[a];
      near = near || (lo + away < m->apart && hi + away > -m->apart);
    }
    if (!near) return false;
  }
  return true;
}

static int part_by_pairs(const bodies *x, const bodies *y, const firn_meeting *m) {
  int span = SPANS - 1;
  for (size_t i = 0; i < x->count; i++)
    for (size_t k = x == y ? i + 1 : 0; k < y->count; k++)
      while (span >= 0 && may_meet(&x->of[i], &y->of[k], m, span)) span--;
  return span;
}

static int part(const bodies *x, const bodies *y, const firn_meeting *m) {
  firn_buffer buffer[2] = {{0}};
  firn_swarm a, b;
  assert_int_equal(firn_swarm_build(context, x->count, body, x, &buffer[0], &a), FIRN_OK);
  assert_int_equal(firn_swarm_build(context, y->count, body, y, &buffer[1], &b), FIRN_OK);
  int span = firn_swarms_part(&a, x == y ? &a : &b, m, SPANS - 1);
  for (int i = 0; i < 2; i++) firn_buffer_free(context, &buffer[i]);
  return span;
}

// Through all answers there are, from never to as long as is asked.
static void one_swarm_keeps_apart_as_long_as_its_pairs_do(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 16, 17, 300, 1000};
  int seen[SPANS + 1] = {0};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    for (int kind = 0; kind < 48; kind++) {
      firn_span span[SPANS];
      bool wraps = kind & 1, shuffled = kind & 2;
      double edge = 12 * ceil(cbrt((double)counts[c]));
      firn_meeting m = {.apart = 4, .span = span};
      for (int a = 0; a < 3 && wraps; a++) m.period[a] = edge + 3 * a;
      set_spans(span, kind & 8 ? 5 : 0);
      double noise = kind & 4 ? 0 : 5 * pow(3, kind / 8), apart = kind < 24 ? 1 : -0.5 * (kind / 8);
      bodies b = make(counts[c], 12, apart, noise, shuffled, (uint64_t)kind * 1000);
      int want = part_by_pairs(&b, &b, &m);
      assert_int_equal(part(&b, &b, &m), want);
      seen[want + 1]++;
      free(b.of);
    }
  }
  int answers = 0;
  for (int i = 0; i <= SPANS; i++) answers += seen[i] > 0;
  assert_true(answers >= 8);
}

static void two_swarms_keep_apart_as_long_as_their_pairs_do(void **state) {
  (void)state;
  for (int kind = 0; kind < 24; kind++) {
    firn_span span[SPANS];
    firn_meeting m = {.apart = 3, .period = {0, kind & 1 ? 300 : 0, 0}, .span = span};
    set_spans(span, kind & 2 ? 30 : 0);
    bodies x = make(400, 9, 0.2, 3 * kind, kind & 4, 1), y = make(150, 11, 0, 1, false, 9000);
    for (size_t i = 0; i < y.count; i++) {
      y.of[i].lo[0] -= 130 + 4 * kind;
      y.of[i].hi[0] -= 130 + 4 * kind;
      y.of[i].fast[0] += 20 * (kind % 3);
      y.of[i].slow[0] += 20 * (kind % 3);
    }
    int want = part_by_pairs(&x, &y, &m);
    assert_int_equal(part(&x, &y, &m), want);
    free(x.of);
    free(y.of);
  }
}

// A body that is nowhere shows in all boxes around it, up to the last; without bodies there is nothing to meet.
static void what_is_no_number_is_not_lost(void **state) {
  (void)state;
  firn_span span[SPANS];
  firn_meeting m = {.apart = 4, .span = span};
  set_spans(span, 0);
  for (size_t bad = 0; bad < 300; bad += 13) {
    bodies b = make(300, 100, 1, 0, false, 5);
    assert_int_equal(part(&b, &b, &m), SPANS - 1);
    b.of[bad].lo[1] = b.of[bad].hi[1] = b.of[bad].slow[2] = b.of[bad].fast[2] = NAN;
    firn_buffer buffer = {0};
    firn_swarm s;
    assert_int_equal(firn_swarm_build(context, b.count, body, &b, &buffer, &s), FIRN_OK);
    const firn_swept *all = &s.node[s.levels - 1][0];
    assert_true(isnan(all->lo[1]) && isnan(all->hi[1]));
    assert_true(isnan(all->slow[2]) && isnan(all->fast[2]));
    assert_true(all->lo[0] <= 100 && all->hi[0] >= 500 && all->lo[0] < all->hi[0]);
    firn_buffer_free(context, &buffer);
    // Nothing keeps it from whoever is around.
    b.of[bad].lo[0] = b.of[bad].lo[2] = -1e9;
    b.of[bad].hi[0] = b.of[bad].hi[2] = 1e9;
    assert_int_equal(part(&b, &b, &m), -1);
    free(b.of);
  }
  bodies none = {0, NULL}, one = make(1, 1, 0, 0, false, 1);
  assert_int_equal(part(&none, &none, &m), SPANS - 1);
  assert_int_equal(part(&none, &one, &m), SPANS - 1);
  free(one.of);
}

// ---- something else

typedef struct wall {
  double x, speed;
  const firn_span *span;
} wall;

static bool meets_wall(const void *user, const firn_swept *box, int span) {
  const wall *w = user;
  double t = w->span[span].time;
  return box->lo[0] + fmin(0, t * box->slow[0]) <= w->x + w->speed * t;
}

static void a_swarm_is_clear_as_long_as_each_body_is(void **state) {
  (void)state;
  firn_span span[SPANS];
  set_spans(span, 0);
  bodies b = make(1000, 10, 0.1, 8, true, 77);
  for (int k = 0; k < 20; k++) {
    wall w = {-0.001 * ldexp(1, k), 5, span};
    firn_buffer buffer = {0};
    firn_swarm s;
    int want = SPANS - 1;
    for (size_t i = 0; i < b.count; i++)
      while (want >= 0 && meets_wall(&w, &b.of[i], want)) want--;
    assert_int_equal(firn_swarm_build(context, b.count, body, &b, &buffer, &s), FIRN_OK);
    assert_int_equal(firn_swarm_clear(&s, meets_wall, &w, SPANS - 1), want);
    firn_buffer_free(context, &buffer);
  }
  free(b.of);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_swarm_keeps_apart_as_long_as_its_pairs_do),
      cmocka_unit_test(two_swarms_keep_apart_as_long_as_their_pairs_do),
      cmocka_unit_test(what_is_no_number_is_not_lost),
      cmocka_unit_test(a_swarm_is_clear_as_long_as_each_body_is),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
