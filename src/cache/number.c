// SPDX-License-Identifier: Apache-2.0
#include "cache/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

// At most 16 characters: "-1.23456789e-308", "-999999999999999".
size_t firn_number_print(char out[FIRN_NUMBER_SIZE], double value) {
  char text[64];
  size_t n = 0;
  bool whole = value == floor(value) && fabs(value) < 1e15;
  snprintf(text, sizeof text, whole ? "%.0f" : "%.9g", value == 0 ? 0 : value);
  // The decimal sign of a locale is neither a digit nor a sign nor a letter, and may be several
  // bytes; whatever it is, it becomes one point.
  for (const char *p = text; *p && n < FIRN_NUMBER_SIZE - 1; p++) {
    bool plain = (*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || (*p >= 'a' && *p <= 'z');
    if (plain) {
      out[n++] = *p;
    } else if (n && out[n - 1] != '.') {
      out[n++] = '.';
    }
  }
  out[n] = 0;
  return n;
}
