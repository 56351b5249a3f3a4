// SPDX-License-Identifier: Apache-2.0
// Two simulations are in the same state, to the last bit.
#ifndef FIRN_TESTS_SUPPORT_SAME_H
#define FIRN_TESTS_SUPPORT_SAME_H

#include "api/setup.h"

// Each in its own context; compares every field of every particle.
static inline void assert_same(firn_context *a, firn_sim *s, firn_context *b, firn_sim *t) {
  size_t n = firn_sim_count(s);
  assert_int_equal(firn_sim_count(t), n);
  for (int f = 0; f < firn_sim_field_count(s); f++) {
    firn_field_info info;
    MUST(a, firn_sim_field(s, f, &info));
    double *x = read_field(a, s, info.name, info.components);
    double *y = read_field(b, t, info.name, info.components);
    assert_memory_equal(x, y, n * (size_t)info.components * sizeof *x);
    free(x), free(y);
  }
}

#endif
