// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What a number comes to: digits times 10^power.
enum { DIGITS = 800 }; // two neighbouring doubles may differ only in the 768th
typedef struct decimal {
  char digits[DIGITS + 32]; // significant ones, and room for more
  size_t count;
  long power;
} decimal;

// Exact where digits and power are small, as most are. Otherwise strtod knows how, and without a
// point its answer is the same in every locale.
static double value_of(decimal *d) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!d->count) return 0;
  if (d->count <= 15 && labs(d->power) <= 22) {
    uint64_t whole = 0;
    for (size_t i = 0; i < d->count; i++) whole = 10 * whole + (uint64_t)(d->digits[i] - '0');
    return d->power < 0 ? (double)whole / tens[-d->power] : (double)whole * tens[d->power];
  }
  snprintf(d->digits + d->count, sizeof d->digits - d->count, "e%ld", d->power);
  return strtod(d->digits, NULL);
}

size_t firn_number_read(const char *text, size_t size, double *out) {
  decimal d;
  d.count = 0;
  d.power = 0;
  bool any = false, point = false, rest = false;
  size_t i = size && (*text == '-' || *text == '+');
  for (; i < size && (is_digit(text[i]) || (text[i] == '.' && !point)); i++) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    any = true;
    bool room = d.count < DIGITS;
    if (room && (d.count || text[i] != '0')) d.digits[d.count++] = text[i];
    rest = rest || (!room && text[i] != '0');
    d.power += room ? -point : !point;
  }
  if (!any) return 0;
  if (rest) { // a little more than the digits that were kept
    d.digits[d.count++] = '1';
    d.power--;
  }
  size_t e = i + 1;
  if (i < size && (text[i] == 'e' || text[i] == 'E')) {
    bool down = e < size && text[e] == '-';
    e += down || (e < size && text[e] == '+');
    long power = 0;
    for (; e < size && is_digit(text[e]); e++, i = e) {
      if (power < 1000000000) power = 10 * power + (text[e] - '0');
    }
    d.power += down ? -power : power;
  }
  *out = *text == '-' ? -value_of(&d) : value_of(&d);
  return i;
}

bool firn_number_is(const char *text, double *out) {
  size_t length = firn_number_read(text, SIZE_MAX, out);
  return length && !text[length];
}

// ------------------------------------------------------------------------------------------ printing

// The decimal sign of a locale is neither a digit nor a sign nor a letter, and may be several bytes;
// whatever it is, it becomes one point.
size_t firn_number_format(char out[FIRN_NUMBER_SIZE], int digits, double value) {
  char text[64];
  size_t n = 0;
  snprintf(text, sizeof text, "%.*g", digits, value);
  for (const char *p = text; *p && n < FIRN_NUMBER_SIZE - 1; p++) {
    bool plain = is_digit(*p) || *p == '-' || *p == '+' || (*p >= 'a' && *p <= 'z');
    if (plain) {
      out[n++] = *p;
    } else if (n && out[n - 1] != '.') {
      out[n++] = '.';
    }
  }
  out[n] = 0;
  return n;
}

size_t firn_number_print(char out[FIRN_NUMBER_SIZE], double value) {
  bool whole = value == floor(value) && fabs(value) < 1e15;
  return firn_number_format(out, whole ? 15 : 9, value == 0 ? 0 : value);
}

size_t firn_number_print_exact(char out[FIRN_NUMBER_SIZE], double value) {
  for (int digits = 15;; digits++) {
    size_t length = firn_number_format(out, digits, value);
    double again;
    if (digits == 17 || (firn_number_is(out, &again) && again == value)) return length;
  }
}
