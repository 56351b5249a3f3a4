// SPDX-License-Identifier: Apache-2.0
// Words and numbers of mesh files.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "geometry/mesh_read.h"

static firn_status fail_at(const firn_mesh_input *in, const char *place, const char *format,
                           va_list arguments) __attribute__((format(printf, 3, 0)));

static firn_status fail_at(const firn_mesh_input *in, const char *place, const char *format,
                           va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  // Bytes of a damaged file may be in it.
  for (char *c = text; *c; c++) {
    if ((unsigned char)*c < 32 || *c == 127) *c = '?';
  }
  return firn_fail(in->context, FIRN_ERROR_FORMAT, "%s%s%s", in->name, place, text);
}

firn_status firn_mesh_fail_line(const firn_mesh_input *in, size_t line, const char *format, ...) {
  char place[40];
  snprintf(place, sizeof place, ":%zu: ", line);
  va_list arguments;
  va_start(arguments, format);
  firn_status status = fail_at(in, place, format, arguments);
  va_end(arguments);
  return status;
}

firn_status firn_mesh_fail_byte(const firn_mesh_input *in, size_t offset, const char *format, ...) {
  char place[40];
  snprintf(place, sizeof place, ": byte %zu: ", offset);
  va_list arguments;
  va_start(arguments, format);
  firn_status status = fail_at(in, place, format, arguments);
  va_end(arguments);
  return status;
}

// --------------------------------------------------------------------------------------------- words

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

firn_mesh_word firn_mesh_next_in_line(firn_mesh_text *text) {
  for (;;) {
    while (text->at < text->end && is_blank(*text->at)) text->at++;
    // "\" and the end of the line
    const char *next = text->at + 1;
    while (text->at < text->end && *text->at == '\\' && next < text->end && *next == '\r') next++;
    if (text->at < text->end && *text->at == '\\' && next < text->end && *next == '\n') {
      text->at = next + 1;
      text->line++;
      continue;
    }
    break;
  }
  firn_mesh_word word = {text->at, 0};
  while (text->at < text->end && !is_blank(*text->at) && *text->at != '\n') text->at++;
  word.length = (size_t)(text->at - word.text);
  return word;
}

void firn_mesh_skip_line(firn_mesh_text *text) {
  const char *end = text->at < text->end ? memchr(text->at, '\n', (size_t)(text->end - text->at))
                                         : NULL;
  text->at = end ? end + 1 : text->end;
  text->line += end != NULL;
}

firn_mesh_word firn_mesh_next(firn_mesh_text *text) {
  for (;;) {
    firn_mesh_word word = firn_mesh_next_in_line(text);
    if (word.length || text->at >= text->end) return word;
    firn_mesh_skip_line(text);
  }
}

bool firn_mesh_word_is(firn_mesh_word word, const char *text) {
  return word.length == strlen(text) && !memcmp(word.text, text, word.length);
}

// ------------------------------------------------------------------------------------------- numbers

// 10^n, n >= 0. Exact up to 10^27 in the 64-bit significand of long double; inf beyond its range.
static long double power_of_ten(int n) {
  long double result = 1, square = 10;
  for (; n; n >>= 1) {
    if (n & 1) result *= square;
    square *= square;
  }
  return result;
}

// Digits, point, digits, exponent. Up to 19 significant digits count; the result is within one unit
// in the last place, and equal words give equal numbers, which is what welding needs.
bool firn_mesh_parse_real(firn_mesh_word word, double *out) {
  const char *c = word.text, *end = c + word.length;
  bool negative = c < end && *c == '-', point = false, digits = false;
  if (c < end && (*c == '-' || *c == '+')) c++;
  uint64_t mantissa = 0;
  int exponent = 0;
  for (; c < end && ((*c >= '0' && *c <= '9') || (*c == '.' && !point)); c++) {
    if (*c == '.') {
      point = true;
      continue;
    }
    digits = true;
    bool room = mantissa < 1000000000000000000u;
    if (room) mantissa = 10 * mantissa + (uint64_t)(*c - '0');
    if (exponent > -100000 && exponent < 100000) exponent += room ? -point : !point;
  }
  if (!digits) return false;
  if (c < end && (*c == 'e' || *c == 'E')) {
    int sign = 1, power = 0;
    c++;
    if (c < end && (*c == '-' || *c == '+')) sign = *c++ == '-' ? -1 : 1;
    if (c == end) return false;
    for (; c < end && *c >= '0' && *c <= '9'; c++) {
      if (power < 100000) power = 10 * power + (*c - '0');
    }
    exponent += sign * power;
  }
  if (c != end) return false;
  if (exponent > 5000) exponent = 5000;
  if (exponent < -5000) exponent = -5000;
  long double value = (long double)mantissa;
  value = exponent < 0 ? value / power_of_ten(-exponent)
                       : (mantissa ? value * power_of_ten(exponent) : 0);
  *out = negative ? -(double)value : (double)value;
  return true;
}

bool firn_mesh_parse_integer(firn_mesh_word word, int64_t *out) {
  const char *c = word.text, *end = c + word.length;
  bool negative = c < end && *c == '-';
  if (c < end && (*c == '-' || *c == '+')) c++;
  if (c == end || end - c > 18) return false;
  int64_t value = 0;
  for (; c < end; c++) {
    if (*c < '0' || *c > '9') return false;
    value = 10 * value + (*c - '0');
  }
  *out = negative ? -value : value;
  return true;
}

uint64_t firn_mesh_integer(const unsigned char *bytes, size_t size, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | bytes[big_endian ? i : size - 1 - i];
  return value;
}

float firn_mesh_float(const unsigned char *bytes, bool big_endian) {
  uint32_t bits = (uint32_t)firn_mesh_integer(bytes, 4, big_endian);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double firn_mesh_double(const unsigned char *bytes, bool big_endian) {
  uint64_t bits = firn_mesh_integer(bytes, 8, big_endian);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
