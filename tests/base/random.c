// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

// Counter words 0 to 3 are id low, id high, stream, index; key words are seed low, seed high.
typedef struct vector {
  uint32_t counter[4], key[2], expected[4];
} vector;

static firn_philox philox(const vector *v) {
  return firn_philox4x32((uint64_t)v->key[1] << 32 | v->key[0],
                         (uint64_t)v->counter[1] << 32 | v->counter[0], v->counter[2],
                         v->counter[3]);
}

static void philox_gives_the_published_numbers(void **state) {
  (void)state;
  // The known answers of Random123 for philox4x32 with 10 rounds.
  const vector vectors[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    firn_philox result = philox(&vectors[i]);
    assert_memory_equal(result.v, vectors[i].expected, sizeof result.v);
  }
}

static void every_argument_matters(void **state) {
  (void)state;
  firn_philox base = firn_philox4x32(1, 2, 3, 4);
  const firn_philox others[] = {
      firn_philox4x32(2, 2, 3, 4), firn_philox4x32(1 + (UINT64_C(1) << 32), 2, 3, 4),
      firn_philox4x32(1, 3, 3, 4), firn_philox4x32(1, 2 + (UINT64_C(1) << 32), 3, 4),
      firn_philox4x32(1, 2, 4, 4), firn_philox4x32(1, 2, 3, 5),
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    for (int k = 0; k < 4; k++) assert_int_not_equal(base.v[k], others[i].v[k]);
}

static void uniform_covers_the_half_open_interval(void **state) {
  (void)state;
  assert_true(firn_uniform(0) == 0);
  assert_true(firn_uniform(0x80000000u) == 0.5);
  assert_true(firn_uniform(0xffffffffu) < 1);
  assert_true(firn_uniform(0xffffffffu) == 1 - 0x1p-32);
}

static void uniform_fills_its_bins_evenly(void **state) {
  (void)state;
  // 4 x 25000 numbers in 100 bins: chi squared has 99 degrees of freedom, mean 99, standard
  // deviation sqrt(198) = 14.1. Fixed seeds, so it passes always or never; within 4 of them.
  int bins[100] = {0};
  for (uint64_t id = 0; id < 25000; id++) {
    firn_philox p = firn_philox4x32(2013, id, 1, 0);
    for (int k = 0; k < 4; k++) bins[(int)(100 * firn_uniform(p.v[k]))]++;
  }
  double chi2 = 0;
  for (int i = 0; i < 100; i++) chi2 += (bins[i] - 1000.0) * (bins[i] - 1000.0) / 1000;
  assert_true(chi2 > 99 - 4 * 14.1 && chi2 < 99 + 4 * 14.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_gives_the_published_numbers),
      cmocka_unit_test(every_argument_matters),
      cmocka_unit_test(uniform_covers_the_half_open_interval),
      cmocka_unit_test(uniform_fills_its_bins_evenly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
