// SPDX-License-Identifier: Apache-2.0
// What the readers of mesh files share. They trust nothing: every number is checked, memory grows
// with what was read and not with what a header claims, and every failure names the file and the
// line or byte.
#ifndef FIRN_GEOMETRY_MESH_READ_H
#define FIRN_GEOMETRY_MESH_READ_H

#include "geometry/mesh.h"

typedef struct firn_mesh_input {
  firn_context *context;
  const char *name; // for messages
  const char *path; // where files that this one points to are looked for; NULL: nowhere
  const unsigned char *bytes;
  size_t size;
  firn_mesh *mesh; // filled by the reader
} firn_mesh_input;

firn_status firn_mesh_read_obj(firn_mesh_input *in);
firn_status firn_mesh_read_ply(firn_mesh_input *in);
firn_status firn_mesh_read_stl(firn_mesh_input *in);
firn_status firn_mesh_read_gltf(firn_mesh_input *in);

// A whole file into memory from the context; free *size bytes. An empty one gives NULL and 0.
firn_status firn_mesh_read_file(firn_context *context, const char *path, unsigned char **bytes,
                                size_t *size);

// Numbers of the file's byte order, whatever the machine's.
uint64_t firn_mesh_integer(const unsigned char *bytes, size_t size, bool big_endian);
float firn_mesh_float(const unsigned char *bytes, bool big_endian);
double firn_mesh_double(const unsigned char *bytes, bool big_endian);

// ------------------------------------------------------------------------------------ words of text

typedef struct firn_mesh_text {
  const char *at, *end;
  size_t line; // of `at`, from 1
} firn_mesh_text;

typedef struct firn_mesh_word {
  const char *text; // not terminated
  size_t length;    // 0: there is none
} firn_mesh_word;

// The next word, at most to the end of the line; a backslash at its end continues it.
firn_mesh_word firn_mesh_next_in_line(firn_mesh_text *text);
// The next word of any line.
firn_mesh_word firn_mesh_next(firn_mesh_text *text);
void firn_mesh_skip_line(firn_mesh_text *text);
bool firn_mesh_word_is(firn_mesh_word word, const char *text);

// True if the whole word is a number, as "-1.5e3" and in no locale.
bool firn_mesh_parse_real(firn_mesh_word word, double *out);
bool firn_mesh_parse_integer(firn_mesh_word word, int64_t *out);

// For messages: "%.*s" with a length that fits.
#define FIRN_MESH_SHOW(word) (int)((word).length < 40 ? (word).length : 40), (word).text

// FIRN_ERROR_FORMAT with "NAME:LINE: ".
firn_status firn_mesh_fail_line(const firn_mesh_input *in, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// FIRN_ERROR_FORMAT with "NAME: byte OFFSET: ".
firn_status firn_mesh_fail_byte(const firn_mesh_input *in, size_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
