// SPDX-License-Identifier: Apache-2.0
// Polygons into triangles by cutting off ears: corners whose triangle holds no other corner.
#include <math.h>

#include "geometry/mesh.h"
#include "math/vec3.h"

enum { CORNERS = 1024 };

typedef struct flat {
  double x, y;
} flat;

static firn_vec3 vertex(const firn_mesh *mesh, uint32_t v) {
  const double *p = mesh->position + 3 * (size_t)v;
  return firn_vec3_make(p[0], p[1], p[2]);
}

// Twice the signed area.
static double area(flat a, flat b, flat c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// The polygon seen along its normal (Newell's): the axis that is nearest to it is dropped.
static void flatten(const firn_mesh *mesh, const uint32_t *corner, size_t count, flat *out) {
  firn_vec3 n = firn_vec3_make(0, 0, 0), first = vertex(mesh, corner[0]);
  for (size_t i = 1; i + 1 < count; i++) {
    firn_vec3 u = firn_vec3_sub(vertex(mesh, corner[i]), first);
    firn_vec3 v = firn_vec3_sub(vertex(mesh, corner[i + 1]), first);
    n = firn_vec3_add(n, firn_vec3_cross(u, v));
  }
  double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  for (size_t i = 0; i < count; i++) {
    firn_vec3 p = firn_vec3_sub(vertex(mesh, corner[i]), first);
    if (x >= y && x >= z) {
      out[i] = n.x > 0 ? (flat){p.y, p.z} : (flat){p.z, p.y};
    } else if (y >= z) {
      out[i] = n.y > 0 ? (flat){p.z, p.x} : (flat){p.x, p.z};
    } else {
      out[i] = n.z > 0 ? (flat){p.x, p.y} : (flat){p.y, p.x};
    }
  }
}

static bool is_ear(const flat *p, const uint16_t *left, size_t count, size_t i) {
  size_t before = left[(i + count - 1) % count], at = left[i], after = left[(i + 1) % count];
  if (!(area(p[before], p[at], p[after]) > 0)) return false;
  for (size_t k = 0; k < count; k++) {
    size_t q = left[k];
    if (q == before || q == at || q == after) continue;
    if (area(p[before], p[at], p[q]) >= 0 && area(p[at], p[after], p[q]) >= 0 &&
        area(p[after], p[before], p[q]) >= 0) {
      return false;
    }
  }
  return true;
}

firn_status firn_mesh_add_polygon(firn_mesh *mesh, const uint32_t *corner, size_t count) {
  if (count == 3) return firn_mesh_add_triangle(mesh, corner[0], corner[1], corner[2]);
  if (count < 3 || count > CORNERS) {
    return firn_fail(mesh->context, FIRN_ERROR_FORMAT,
                     "mesh: a face of %zu corners is not within 3 and %d", count, CORNERS);
  }
  flat p[CORNERS];
  uint16_t left[CORNERS];
  flatten(mesh, corner, count, p);
  for (size_t i = 0; i < count; i++) left[i] = (uint16_t)i;
  bool ears = true;
  while (count > 2) {
    // A polygon that crosses itself may run out of ears; any corner is as good then.
    size_t ear = 0;
    while (ears && ear < count && !is_ear(p, left, count, ear)) ear++;
    ears = ears && ear < count;
    if (!ears) ear = 1;
    FIRN_TRY(firn_mesh_add_triangle(mesh, corner[left[(ear + count - 1) % count]],
                                    corner[left[ear]], corner[left[(ear + 1) % count]]));
    for (size_t i = ear; i + 1 < count; i++) left[i] = left[i + 1];
    count--;
  }
  return FIRN_OK;
}
