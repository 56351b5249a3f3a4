// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "geometry/words.h"

static firn_status fail_at(const firn_file_bytes *file, const char *place, const char *format,
                           va_list arguments) __attribute__((format(printf, 3, 0)));

static firn_status fail_at(const firn_file_bytes *file, const char *place, const char *format,
                           va_list arguments) {
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  return firn_fail(file->context, FIRN_ERROR_FORMAT, "%s%s%s", file->name, place, text);
}

firn_status firn_fail_line(const firn_file_bytes *file, size_t line, const char *format, ...) {
  char place[40];
  snprintf(place, sizeof place, ":%zu: ", line);
  va_list arguments;
  va_start(arguments, format);
  firn_status status = fail_at(file, place, format, arguments);
  va_end(arguments);
  return status;
}

firn_status firn_fail_byte(const firn_file_bytes *file, size_t offset, const char *format, ...) {
  char place[40];
  snprintf(place, sizeof place, ": byte %zu: ", offset);
  va_list arguments;
  va_start(arguments, format);
  firn_status status = fail_at(file, place, format, arguments);
  va_end(arguments);
  return status;
}

// --------------------------------------------------------------------------------------------- words

firn_words firn_words_of(const firn_file_bytes *file) {
  const char *bytes = (const char *)file->bytes;
  return (firn_words){bytes, bytes + file->size, 1};
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

firn_word firn_words_next_in_line(firn_words *words) {
  for (;;) {
    while (words->at < words->end && is_blank(*words->at)) words->at++;
    // "\" and the end of the line
    const char *next = words->at + 1;
    while (words->at < words->end && *words->at == '\\' && next < words->end && *next == '\r')
      next++;
    if (words->at < words->end && *words->at == '\\' && next < words->end && *next == '\n') {
      words->at = next + 1;
      words->line++;
      continue;
    }
    break;
  }
  firn_word word = {words->at, 0};
  while (words->at < words->end && !is_blank(*words->at) && *words->at != '\n') words->at++;
  word.length = (size_t)(words->at - word.text);
  return word;
}

void firn_words_skip_line(firn_words *words) {
  const char *end = words->at < words->end
                        ? memchr(words->at, '\n', (size_t)(words->end - words->at))
                        : NULL;
  words->at = end ? end + 1 : words->end;
  words->line += end != NULL;
}

firn_word firn_words_next(firn_words *words) {
  for (;;) {
    firn_word word = firn_words_next_in_line(words);
    if (word.length || words->at >= words->end) return word;
    firn_words_skip_line(words);
  }
}

bool firn_word_is(firn_word word, const char *text) {
  return word.length == strlen(text) && !memcmp(word.text, text, word.length);
}

// ------------------------------------------------------------------------------------------- numbers

bool firn_word_real(firn_word word, double *out) {
  return word.length && firn_number_read(word.text, word.length, out) == word.length;
}

bool firn_word_integer(firn_word word, int64_t *out) {
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

uint64_t firn_bytes_integer(const unsigned char *bytes, size_t size, bool big_endian) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | bytes[big_endian ? i : size - 1 - i];
  return value;
}

float firn_bytes_float(const unsigned char *bytes, bool big_endian) {
  uint32_t bits = (uint32_t)firn_bytes_integer(bytes, 4, big_endian);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double firn_bytes_double(const unsigned char *bytes, bool big_endian) {
  uint64_t bits = firn_bytes_integer(bytes, 8, big_endian);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
