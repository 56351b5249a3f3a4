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
    const unsigned char *record = in->bytes + HEADER + i * RECORD;
    double corner[3][3];
    for (size_t k = 0; k < 9; k++) {
      corner[k / 3][k % 3] = (double)firn_mesh_float(record + 12 + 4 * k, false);
    }
    FIRN_TRY(add(in, corner));
  }
  return FIRN_OK;
}

static firn_status read_corner(firn_mesh_input *in, firn_mesh_text *text, double corner[3]) {
  for (int a = 0; a < 3; a++) {
    firn_mesh_word word = firn_mesh_next(text);
    if (!firn_mesh_parse_real(word, &corner[a])) {
      return firn_mesh_fail_line(in, text->line, "%c of a vertex is '%.*s', which is not a number",
                                 "xyz"[a], FIRN_MESH_SHOW(word));
    }
  }
  return FIRN_OK;
}

static firn_status read_text(firn_mesh_input *in) {
  const char *bytes = (const char *)in->bytes;
  firn_mesh_text text = {bytes, bytes + in->size, 1};
  double corner[3][3];
  int corners = 0;
  firn_mesh_skip_line(&text); // "solid" and a name, which may be anything
  for (;;) {
    firn_mesh_word word = firn_mesh_next(&text);
    if (!word.length) break;
    if (firn_mesh_word_is(word, "vertex")) {
      if (corners == 3) {
        return firn_mesh_fail_line(in, text.line, "a facet has more than three vertices");
      }
      FIRN_TRY(read_corner(in, &text, corner[corners++]));
    } else if (firn_mesh_word_is(word, "endfacet")) {
      if (corners != 3) {
        return firn_mesh_fail_line(in, text.line, "a facet has %d vertices instead of three",
                                   corners);
      }
      FIRN_TRY(add(in, corner));
      corners = 0;
    } else if (firn_mesh_word_is(word, "solid") || firn_mesh_word_is(word, "endsolid")) {
      firn_mesh_skip_line(&text);
    }
  }
  if (corners) return firn_mesh_fail_line(in, text.line, "the file ends within a facet");
  return FIRN_OK;
}

firn_status firn_mesh_read_stl(firn_mesh_input *in) {
  bool solid = in->size >= 5 && !memcmp(in->bytes, "solid", 5);
  size_t count = in->size >= HEADER ? (size_t)firn_mesh_integer(in->bytes + 80, 4, false) : 0;
  size_t room = in->size >= HEADER ? (in->size - HEADER) / RECORD : 0;
  // Binary files, too, may begin with "solid"; their size tells.
  bool binary = in->size >= HEADER && in->size == HEADER + count * RECORD;
  if (binary || !solid) {
    if (in->size < HEADER) {
      return firn_mesh_fail_byte(in, in->size, "the file ends in the header of a binary STL file");
    }
    if (count > room) {
      return firn_mesh_fail_byte(
          in, in->size, "the file ends after %zu of the %zu triangles it announces", room, count);
    }
    return read_binary(in, count);
  }
  FIRN_TRY(read_text(in));
  if (in->mesh->triangle_count) return FIRN_OK;
  return firn_fail(in->context, FIRN_ERROR_FORMAT, "%s: no facets in it; is it an STL file?",
                   in->name);
}
