// SPDX-License-Identifier: Apache-2.0
// Tests that run with exact lists of neighbours and with short ones:
//
//   const struct CMUnitTest tests[] = {BOTH_LISTS(test), ...};
#ifndef FIRN_TESTS_SUPPORT_BOTH_LISTS_H
#define FIRN_TESTS_SUPPORT_BOTH_LISTS_H

#include "support/sph_case.h"

static bool short_lists; // of the test under way

static inline int take_exact_lists(void **state) {
  (void)state;
  short_lists = false;
  return 0;
}

static inline int take_short_lists(void **state) {
  (void)state;
  short_lists = true;
  return 0;
}

// The default plan with the lists of the test under way.
static inline sph_plan plan_with_lists(void) {
  sph_plan plan = sph_default_plan();
  plan.sph.short_lists = short_lists;
  return plan;
}

#define BOTH_LISTS(test)                                                                           \
  {#test, test, take_exact_lists, NULL, NULL}, {                                                   \
#test ", short", test, take_short_lists, NULL, NULL                                            \
  }

#endif
