// SPDX-License-Identifier: Apache-2.0
// The cases of marching cubes (Lorensen and Cline 1987), derived instead of listed.
//
// The surface crosses a face of the cube in segments that depend on the four corners of that face
// alone, so two cubes that share a face agree on it, and the mesh has no holes. Where the inner
// corners of a face are opposite each other they are kept apart. The segments of the six faces join
// into loops, one to four a cube, and each loop is filled with triangles. A diagonal of a loop that
// lay in a face could meet the same one from the other side, which would put four triangles on one
// edge: such a loop is filled around a point in its middle.
#include <string.h>

#include "cache/export_surface.h"

int firn_cube_edge_corner(int edge) {
  static const uint8_t corner[FIRN_CUBE_EDGES] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
  return corner[edge];
}

// The edge between two corners that differ in one coordinate.
static int edge_between(int a, int b) {
  int axis = (a ^ b) >> 1, low = a & b; // 1, 2, 4 become 0, 1, 2
  for (int k = 0; k < 4; k++) {
    if (firn_cube_edge_corner(4 * axis + k) == low) return 4 * axis + k;
  }
  return -1;
}

// Corners of face 2 a + s (axis a, at 0 or 1), counterclockwise as seen from outside.
static void face_corners(int face, int corner[4]) {
  int a = face / 2, s = face % 2, u = 1 << (a + 1) % 3, v = 1 << (a + 2) % 3;
  int base = s << a;
  corner[0] = base;
  corner[1] = base | (s ? u : v);
  corner[2] = base | u | v;
  corner[3] = base | (s ? v : u);
}

// The faces that an edge lies in, as bits.
static unsigned faces_of(int edge) {
  int axis = edge / 4, corner = firn_cube_edge_corner(edge);
  unsigned faces = 0;
  for (int a = 0; a < 3; a++) {
    if (a != axis) faces |= 1u << (2 * a + (corner >> a & 1));
  }
  return faces;
}

// next[e]: where the loop goes on from the crossing of edge e; -1: not crossed. Seen from outside,
// with the snow to the left, each run of inner corners is cut off by a segment from the crossing
// where it begins to the one where it ends.
static void trace(int inside, int next[FIRN_CUBE_EDGES]) {
  for (int e = 0; e < FIRN_CUBE_EDGES; e++) next[e] = -1;
  for (int face = 0; face < 6; face++) {
    int corner[4];
    face_corners(face, corner);
    for (int k = 0; k < 4; k++) {
      bool enters = !(inside >> corner[k] & 1) && inside >> corner[(k + 1) % 4] & 1;
      if (!enters) continue;
      int end = k + 1;
      while (inside >> corner[(end + 1) % 4] & 1) end++;
      next[edge_between(corner[k], corner[(k + 1) % 4])] = edge_between(corner[end % 4],
                                                                        corner[(end + 1) % 4]);
    }
  }
}

// Whether all diagonals from the loop's start-th vertex stay out of the faces.
static bool can_fan(const int *loop, int n, int start) {
  for (int k = 2; k < n - 1; k++) {
    if (faces_of(loop[start]) & faces_of(loop[(start + k) % n])) return false;
  }
  return true;
}

static void add_triangle(firn_cube_case *c, int i, int j, int k) {
  uint8_t *t = c->triangle[c->triangles++];
  t[0] = (uint8_t)i;
  t[1] = (uint8_t)j;
  t[2] = (uint8_t)k;
}

static void fill_loop(firn_cube_case *c, const int *loop, int n) {
  for (int start = 0; start < n; start++) {
    if (!can_fan(loop, n, start)) continue;
    for (int k = 1; k < n - 1; k++) {
      add_triangle(c, loop[start], loop[(start + k) % n], loop[(start + k + 1) % n]);
    }
    return;
  }
  int center = c->centers++;
  c->around_count[center] = (uint8_t)n;
  for (int k = 0; k < n; k++) {
    c->around[center][k] = (uint8_t)loop[k];
    add_triangle(c, FIRN_CUBE_EDGES + center, loop[k], loop[(k + 1) % n]);
  }
}

void firn_cube_cases(firn_cube_case cases[256]) {
  memset(cases, 0, 256 * sizeof *cases);
  for (int inside = 0; inside < 256; inside++) {
    int next[FIRN_CUBE_EDGES];
    trace(inside, next);
    for (int e = 0; e < FIRN_CUBE_EDGES; e++) {
      int loop[FIRN_CUBE_EDGES], n = 0;
      for (int at = e; next[at] >= 0;) {
        int after = next[at];
        next[at] = -1;
        loop[n++] = at;
        at = after;
      }
      if (n) fill_loop(&cases[inside], loop, n);
    }
  }
}
