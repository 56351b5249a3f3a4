// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: lines "v x y z" and "f a b c ...", where a corner is "v", "v/vt", "v//vn" or
// "v/vt/vn" and negative numbers count back from the last vertex. All else is left alone.
#include <string.h>

#include "geometry/mesh_read.h"

enum { CORNERS = 1024 };

static firn_status vertex(firn_mesh_input *in, firn_words *words) {
  double position[3];
  for (int a = 0; a < 3; a++) {
    firn_word word = firn_words_next_in_line(words);
    if (!word.length) {
      return firn_fail_line(&in->file, words->line, "a vertex needs three numbers, and %d %s there",
                            a, a == 1 ? "is" : "are");
    }
    if (!firn_word_real(word, &position[a])) {
      return firn_fail_line(&in->file, words->line, "%c of a vertex is not a number", "xyz"[a]);
    }
  }
  return firn_mesh_add_vertex(in->mesh, position);
}

static firn_status face(firn_mesh_input *in, firn_words *words) {
  uint32_t corner[CORNERS];
  size_t count = 0;
  for (;;) {
    firn_word word = firn_words_next_in_line(words);
    if (!word.length) break;
    if (count == CORNERS) {
      return firn_fail_line(&in->file, words->line, "a face has more than %d corners", CORNERS);
    }
    const char *slash = memchr(word.text, '/', word.length);
    firn_word number = {word.text, slash ? (size_t)(slash - word.text) : word.length};
    int64_t index, vertices = (int64_t)in->mesh->vertex_count;
    if (!firn_word_integer(number, &index)) {
      return firn_fail_line(&in->file, words->line, "corner %zu of a face is not a vertex number",
                            count + 1);
    }
    int64_t at = index > 0 ? index - 1 : vertices + index;
    if (!index || at < 0 || at >= vertices) {
      return firn_fail_line(&in->file, words->line,
                            "a face has vertex %lld, but %lld are defined above it",
                            (long long)index, (long long)vertices);
    }
    corner[count++] = (uint32_t)at;
  }
  if (count < 3) {
    return firn_fail_line(&in->file, words->line, "a face has %zu corners; three are the least",
                          count);
  }
  return firn_mesh_add_polygon(in->mesh, corner, count);
}

firn_status firn_mesh_read_obj(firn_mesh_input *in) {
  firn_words words = firn_words_of(&in->file);
  while (words.at < words.end) {
    firn_word word = firn_words_next_in_line(&words);
    if (firn_word_is(word, "v")) FIRN_TRY(vertex(in, &words));
    if (firn_word_is(word, "f")) FIRN_TRY(face(in, &words));
    firn_words_skip_line(&words);
  }
  if (!in->mesh->triangle_count) {
    return firn_fail(in->file.context, FIRN_ERROR_FORMAT,
                     "%s: no faces in %zu lines; is it a Wavefront OBJ file?", in->file.name,
                     words.line);
  }
  return FIRN_OK;
}
