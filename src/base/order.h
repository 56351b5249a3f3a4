// SPDX-License-Identifier: Apache-2.0
// What to give to qsort for the least first. nan is equal to everything: leave it out before.
#ifndef FIRN_BASE_ORDER_H
#define FIRN_BASE_ORDER_H

static inline int firn_order_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline int firn_order_floats(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

#endif
