// SPDX-License-Identifier: Apache-2.0
// STL. Binary: 80 bytes, the number of triangles, and 50 bytes each (normal, corners, two more).
// Text: "facet ... vertex x y z" three times "... endfacet". Normals are left alone.
#include <string.h>

#include "geometry/mesh_read.h"

enum { HEADER = 84, RECORD = 50 };

static firn_status add(firn_mesh_input *in, const double corner[3][3]) {
  uint32_t first = (uint32_t)in->mesh->vertex_count;
  for (int k = 0; k < 3; k++) FIRN_TRY(firn_mesh_add_vertex(in->mesh, corner[k]));
  return firn_mesh_add_triangle(in->mesh, first, first + 1, first + 2);
}

static firn_status read_binary(firn_mesh_input *in, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const unsigned char *record = in->file.bytes + HEADER + i * RECORD;
    double corner[3][3];
    for (size_t k = 0; k < 9; k++) {
      corner[k / 3][k % 3] = (double)firn_bytes_float(record + 12 + 4 * k, false);
    }
    FIRN_TRY(add(in, corner));
  }
  return FIRN_OK;
}

static firn_status read_corner(firn_mesh_input *in, firn_words *words, double corner[3]) {
  for (int a = 0; a < 3; a++) {
    firn_word word = firn_words_next(words);
    if (!firn_word_real(word, &corner[a])) {
      return firn_fail_line(&in->file, words->line, "%c of a vertex is not a number", "xyz"[a]);
    }
  }
  return FIRN_OK;
}

static firn_status read_text(firn_mesh_input *in) {
  firn_words words = firn_words_of(&in->file);
  double corner[3][3];
  int corners = 0;
  firn_words_skip_line(&words); // "solid" and a name, which may be anything
  for (;;) {
    firn_word word = firn_words_next(&words);
    if (!word.length) break;
    if (firn_word_is(word, "vertex")) {
      if (corners == 3) {
        return firn_fail_line(&in->file, words.line, "a facet has more than three vertices");
      }
      FIRN_TRY(read_corner(in, &words, corner[corners++]));
    } else if (firn_word_is(word, "endfacet")) {
      if (corners != 3) {
        return firn_fail_line(&in->file, words.line, "a facet has %d vertices instead of three",
                              corners);
      }
      FIRN_TRY(add(in, corner));
      corners = 0;
    } else if (firn_word_is(word, "solid") || firn_word_is(word, "endsolid")) {
      firn_words_skip_line(&words);
    }
  }
  if (corners) return firn_fail_line(&in->file, words.line, "the file ends within a facet");
  return FIRN_OK;
}

firn_status firn_mesh_read_stl(firn_mesh_input *in) {
  bool solid = in->file.size >= 5 && !memcmp(in->file.bytes, "solid", 5);
  size_t count = in->file.size >= HEADER ? (size_t)firn_bytes_integer(in->file.bytes + 80, 4, false)
                                         : 0;
  size_t room = in->file.size >= HEADER ? (in->file.size - HEADER) / RECORD : 0;
  // Binary files, too, may begin with "solid"; their size tells.
  bool binary = in->file.size >= HEADER && in->file.size == HEADER + count * RECORD;
  if (binary || !solid) {
    if (in->file.size < HEADER) {
      return firn_fail_byte(&in->file, in->file.size,
                            "the file ends in the header of a binary STL file");
    }
    if (count > room) {
      return firn_fail_byte(&in->file, in->file.size,
                            "the file ends after %zu of the %zu triangles it announces", room,
                            count);
    }
    return read_binary(in, count);
  }
  FIRN_TRY(read_text(in));
  if (in->mesh->triangle_count) return FIRN_OK;
  return firn_fail(in->file.context, FIRN_ERROR_FORMAT, "%s: no facets in it; is it an STL file?",
                   in->file.name);
}
