// SPDX-License-Identifier: Apache-2.0
// What a mesh is like, in sentences.
#include "geometry/mesh.h"

#include <stdarg.h>
#include <stdio.h>

// Appends to text[size] at *length, which counts on when the text is full.
static void say(char *text, size_t size, size_t *length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say(char *text, size_t size, size_t *length, const char *format, ...) {
  size_t room = *length < size ? size - *length : 0;
  va_list arguments;
  va_start(arguments, format);
  int wrote = vsnprintf(room ? text + *length : NULL, room, format, arguments);
  va_end(arguments);
  if (wrote > 0) *length += (size_t)wrote;
}

// 1 hole, 2 holes
#define COUNTED(n, noun) (n), (n) == 1 ? noun : noun "s"

void firn_mesh_say_open(const firn_mesh *mesh, char *text, size_t size) {
  const firn_mesh_report *r = &mesh->report;
  size_t length = 0;
  if (size) text[0] = 0;
  say(text, size, &length, "%zu open %s in %zu %s", COUNTED(r->open_edges, "edge"),
      COUNTED(r->holes, "hole"));
  for (int i = 0; i < r->edge_count; i++) {
    const double(*e)[3] = r->edges[i];
    say(text, size, &length, "%s from (%g %g %g) to (%g %g %g)", i ? "," : ", such as", e[0][0],
        e[0][1], e[0][2], e[1][0], e[1][1], e[1][2]);
  }
}

size_t firn_mesh_describe(const firn_mesh *mesh, char *text, size_t size) {
  const firn_mesh_report *r = &mesh->report;
  size_t length = 0;
  if (size) text[0] = 0;
  say(text, size, &length, "%zu %s, %zu vertices, %zu %s\n", COUNTED(r->triangles, "triangle"),
      r->vertices, COUNTED(r->pieces, "piece"));
  say(text, size, &length, "from (%g %g %g) to (%g %g %g) m, area %g m^2", r->lo[0], r->lo[1],
      r->lo[2], r->hi[0], r->hi[1], r->hi[2], r->area);
  if (r->closed) {
    say(text, size, &length, ", volume %g m^3\nclosed\n", r->volume);
  } else {
    char open[512];
    firn_mesh_say_open(mesh, open, sizeof open);
    say(text, size, &length, "\nnot closed: %s\n", open);
  }
  if (r->filled_holes) {
    say(text, size, &length, "%zu %s filled\n", COUNTED(r->filled_holes, "hole"));
  }
  if (r->nonmanifold_edges) {
    say(text, size, &length, "%zu %s of more than two triangles\n",
        COUNTED(r->nonmanifold_edges, "edge"));
  }
  if (r->dropped) {
    say(text, size, &length, "%zu %s without area or given twice left out\n",
        COUNTED(r->dropped, "triangle"));
  }
  if (r->turned) {
    say(text, size, &length, "%zu %s turned to face outwards\n", COUNTED(r->turned, "triangle"));
  }
  if (r->welded) {
    say(text, size, &length, "%zu %s welded to another\n", r->welded,
        r->welded == 1 ? "vertex" : "vertices");
  }
  return length;
}
