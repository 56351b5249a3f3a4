// SPDX-License-Identifier: Apache-2.0
// What the readers of meshes and points share: a file in memory, its words, its numbers and what is
// said of it. Messages give the place of an error and what was expected there, and quote no text
// of the file: a scene may name a file that readers of its messages may not read.
#ifndef FIRN_GEOMETRY_WORDS_H
#define FIRN_GEOMETRY_WORDS_H

#include "base/context.h"

typedef struct firn_file_bytes {
  firn_context *context;
  const char *name; // for messages
  const unsigned char *bytes;
  size_t size;
} firn_file_bytes;

// FIRN_ERROR_FORMAT with "NAME:LINE: ".
firn_status firn_fail_line(const firn_file_bytes *file, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// FIRN_ERROR_FORMAT with "NAME: byte OFFSET: ".
firn_status firn_fail_byte(const firn_file_bytes *file, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Numbers of the file's byte order, whatever the machine's.
uint64_t firn_bytes_integer(const unsigned char *bytes, size_t size, bool big_endian);
float firn_bytes_float(const unsigned char *bytes, bool big_endian);
double firn_bytes_double(const unsigned char *bytes, bool big_endian);

// ------------------------------------------------------------------------------------ words of text

typedef struct firn_words {
  const char *at, *end;
  size_t line; // of `at`, from 1
} firn_words;

typedef struct firn_word {
  const char *text; // not terminated
  size_t length;    // 0: there is none
} firn_word;

firn_words firn_words_of(const firn_file_bytes *file);
// The next word, at most to the end of the line; a backslash at its end continues it.
firn_word firn_words_next_in_line(firn_words *words);
// The next word of any line.
firn_word firn_words_next(firn_words *words);
void firn_words_skip_line(firn_words *words);

bool firn_word_is(firn_word word, const char *text);
// True if the whole word is a number.
bool firn_word_real(firn_word word, double *out);
bool firn_word_integer(firn_word word, int64_t *out);

#endif
