// SPDX-License-Identifier: Apache-2.0
// Flat faces, which carry lattices: half spaces and boxes, found in the tree of a shape.
#include <math.h>
#include <string.h>

#include "geometry/sdf.h"
#include "geometry/surface_private.h"

// Where a node stands: its point p is at translation + scale turn p.
typedef struct place {
  double turn[3][3], translation[3], scale;
} place;

static void put(const place *at, const double p[3], double out[3]) {
  for (int a = 0; a < 3; a++) {
    out[a] = at->translation[a] + at->scale * firn_sdf_dot(at->turn[a], p);
  }
}

static void turn(const place *at, const double v[3], double out[3]) {
  for (int a = 0; a < 3; a++) out[a] = firn_sdf_dot(at->turn[a], v);
}

// Nodes at odd multiples of half a spacing from the foot of the origin: under the particles of a lattice
// whose cells begin there.
static void add_plane(firn_flats *flats, const place *at, const double point[3],
                      const double normal[3], double spacing) {
  firn_flat *flat = &flats->flat[flats->count++];
  double across[2][3], foot[3], away = firn_sdf_dot(point, normal);
  firn_sdf_across(normal, across[0]);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    across[1][a] = normal[b] * across[0][c] - normal[c] * across[0][b];
    foot[a] = away * normal[a];
  }
  *flat = (firn_flat){.step = {spacing, spacing, 0}};
  turn(at, across[0], flat->axis[0]);
  turn(at, across[1], flat->axis[1]);
  turn(at, normal, flat->axis[2]);
  put(at, foot, flat->at);
  for (int a = 0; a < 3; a++) {
    flat->at[a] += spacing / 2 * (flat->axis[0][a] + flat->axis[1][a]);
  }
}

// The edge is cut into as many equal steps as come nearest to the spacing: 0.83 to 1.25 of it, since
// boxes thinner than 2.5 spacings have no lattice. Squares of more than 1.17 have room for one more
// sample in their middle.
static bool add_box(firn_flats *flats, const place *at, const double center[3],
                    const double half[3], double spacing) {
  firn_flat flat = {.box = true};
  double corner[3];
  bool dense = true;
  for (int a = 0; a < 3; a++) {
    const double unit[3] = {a == 0, a == 1, a == 2};
    double edge = 2 * half[a] * at->scale, steps = round(edge / spacing);
    if (!(edge >= 2.5 * spacing && steps < 1 << 30)) return false;
    flat.n[a] = (int)steps;
    flat.step[a] = edge / steps;
    dense = dense && flat.step[a] < 1.17 * spacing;
    turn(at, unit, flat.axis[a]);
    corner[a] = center[a] - half[a];
  }
  put(at, corner, flat.at);
  flats->flat[flats->count++] = flat;
  return dense;
}

// True if the node's surface is that of flat faces, whose lattices leave no holes.
static bool look(const firn_shape *shape, const place *at, double spacing, firn_flats *out) {
  double p[3], q[3];
  if (out->count == FIRN_FLATS_MAX) return false;
  if (firn_shape_half_space(shape, p, q)) {
    add_plane(out, at, p, q, spacing);
    return true;
  }
  if (firn_shape_box(shape, p, q)) return add_box(out, at, p, q, spacing);
  place moved, next = *at;
  const firn_shape *child = firn_shape_moved(shape, moved.turn, moved.translation, &moved.scale);
  if (child) {
    put(at, moved.translation, next.translation);
    next.scale = at->scale * moved.scale;
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        next.turn[a][b] = 0;
        for (int c = 0; c < 3; c++) next.turn[a][b] += at->turn[a][c] * moved.turn[c][b];
      }
    }
    return look(child, &next, spacing, out);
  }
  bool combined = shape->kind == FIRN_SHAPE_UNION || shape->kind == FIRN_SHAPE_INTERSECTION ||
                  shape->kind == FIRN_SHAPE_DIFFERENCE || shape->kind == FIRN_SHAPE_SMOOTH_UNION;
  for (int i = 0; combined && (child = shape->ops->child(shape, i)); i++) {
    look(child, at, spacing, out);
  }
  return false;
}

void firn_flats_find(const firn_shape *shape, double spacing, firn_flats *out) {
  const place here = {.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .scale = 1};
  out->count = 0;
  out->all = look(shape, &here, spacing, out);
}

// ------------------------------------------------------------------------------------------- nodes

static bool visit_node(const firn_flat *flat, const double i[3], const double center[3],
                       double radius, firn_flat_fn visit, void *user) {
  double x[3];
  for (int a = 0; a < 3; a++) {
    x[a] = flat->at[a];
    for (int b = 0; b < 3; b++) x[a] += i[b] * flat->step[b] * flat->axis[b][a];
  }
  return firn_square_apart(x, center) > radius * radius || visit(user, x);
}

bool firn_flat_visit(const firn_flat *flat, const double center[3], double radius,
                     firn_flat_fn visit, void *user) {
  double r[3], lo[3], hi[3], i[3];
  for (int a = 0; a < 3; a++) r[a] = center[a] - flat->at[a];
  for (int a = 0; a < 3; a++) {
    double u = firn_sdf_dot(r, flat->axis[a]), s = flat->step[a];
    if (s == 0) {
      if (fabs(u) > radius) return true;
      lo[a] = hi[a] = 0;
      continue;
    }
    lo[a] = ceil((u - radius) / s - 1e-9);
    hi[a] = floor((u + radius) / s + 1e-9);
    if (flat->box) {
      lo[a] = fmax(lo[a], 0);
      hi[a] = fmin(hi[a], flat->n[a]);
    }
  }
  for (i[0] = lo[0]; i[0] <= hi[0]; i[0]++) {
    for (i[1] = lo[1]; i[1] <= hi[1]; i[1]++) {
      bool side = !flat->box || i[0] == 0 || i[0] == flat->n[0] || i[1] == 0 || i[1] == flat->n[1];
      for (i[2] = lo[2]; i[2] <= hi[2]; i[2]++) {
        if (!side && i[2] != 0 && i[2] != flat->n[2]) { // on to the far face
          i[2] = flat->n[2] - 1;
          continue;
        }
        if (!visit_node(flat, i, center, radius, visit, user)) return false;
      }
    }
  }
  return true;
}
