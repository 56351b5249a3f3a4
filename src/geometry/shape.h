// SPDX-License-Identifier: Apache-2.0
// Shapes as nodes: a kind is a struct that begins with a firn_shape, and a table of functions.
//
// Every node keeps four promises, from which all users reason:
//   - the sign of the distance is right everywhere, 0 counts as inside;
//   - it changes by at most 1 m per m, so its size never exceeds the distance to the surface;
//   - the normal has unit length and is a function of the position alone, also where several points
//     of the surface are equally near;
//   - a finite position gives finite answers.
#ifndef FIRN_GEOMETRY_SHAPE_H
#define FIRN_GEOMETRY_SHAPE_H

#include <firn/mesh.h>

#include "base/memory.h"

typedef struct firn_shape_ops {
  // time matters to users' functions only. gradient is never NULL; it is of unit length in nodes
  // whose distance is exact, at most that in others, and never 0.
  double (*distance)(const firn_shape *shape, const double position[3], double time,
                     double gradient[3]);
  void (*release)(firn_shape *shape); // frees what the node owns besides itself; may be NULL
  // Of nodes made of others: the i-th of them, NULL past the last. NULL: there are none.
  const firn_shape *(*child)(const firn_shape *shape, int i);
  // m/s, of the point of its surface that is nearest; asked of shapes that vary only. NULL: it rests.
  void (*velocity)(const firn_shape *shape, const double position[3], double time,
                   double velocity[3]);
  // For nodes whose distance takes long: one that is quick, has the same sign and is no larger, and a
  // gradient that is right on the surface. NULL: the distance is.
  double (*look)(const firn_shape *shape, const double position[3], double time,
                 double gradient[3]);
} firn_shape_ops;

struct firn_shape {
  firn_context *context;
  const firn_shape_ops *ops;
  int references;
  firn_shape_kind kind;
  size_t size;         // bytes of the node
  bool bounded;        // lo and hi hold
  bool convex;         // the distance is a convex function, whose gradient is the normal
  bool exact;          // it is the distance itself, not just a bound of it
  bool varies;         // the distance depends on time
  double lo[3], hi[3]; // m
  double center[3];    // m: what the shape spins about
  double volume;       // m^3, < 0: no closed form
  uint64_t digest;     // of kind and parameters
};

// The node of a def; messages begin with what ("collider 'floor'").
firn_status firn_shape_make(firn_context *context, const firn_shape_def *def, const char *what,
                            firn_shape **out);

// Distance as firn_shape_distance gives it, at a time [s]; normal may be NULL.
double firn_shape_sample(const firn_shape *shape, const double position[3], double time,
                         double normal[3]);

// The same as pictures want it, which walk along it and ask for a normal where they come to the surface:
// quick, though it may be less than the distance.
double firn_shape_look(const firn_shape *shape, const double position[3], double time,
                       double normal[3]);
// The node that is left when those that only scale, turn and move it are taken off.
const firn_shape *firn_shape_unmoved(const firn_shape *shape);

// m/s, of the point of the surface that is nearest: as users' functions among its nodes say.
void firn_shape_velocity(const firn_shape *shape, const double position[3], double time,
                         double velocity[3]);

// A user's function may have answered nan since the shape was made, which then counted as far away, or as
// at rest: so that no thread has to fail in the middle of its work, it is told here, with what
// ("collider 'floor'").
firn_status firn_shape_check_answers(firn_context *context, const firn_shape *shape,
                                     const char *what);

// For nodes made of others: distance and gradient as the child's node gives them; and the same
// where the distance is no less than that to the child's bounds, so that what is derived from it has
// bounds, too.
static inline double firn_shape_ask(const firn_shape *shape, const double position[3], double time,
                                    double gradient[3]) {
  return shape->ops->distance(shape, position, time, gradient);
}
double firn_shape_ask_tight(const firn_shape *shape, const double position[3], double time,
                            double gradient[3]);

// ------------------------------------------------------------------------- for makers of nodes

// A zeroed node of size bytes with one reference and no bounds; NULL when memory is out. The digest
// begins with kind; add what else the shape depends on.
firn_shape *firn_shape_new(firn_context *context, firn_shape_kind kind, const firn_shape_ops *ops,
                           size_t size);
void firn_shape_digest_add(firn_shape *shape, const void *data, size_t size);

// FIRN_SHAPE_MESH; in mesh_shape.c.
firn_status firn_mesh_make_shape(firn_context *context, const firn_shape_def *def, const char *what,
                                 firn_shape **out);
// Whether the node is a half space, with a point and the outward normal; or a box without rounding; or
// another that was scaled, turned and moved, which is returned, or NULL.
bool firn_shape_half_space(const firn_shape *shape, double point[3], double normal[3]);
bool firn_shape_box(const firn_shape *shape, double center[3], double half[3]);
const firn_shape *firn_shape_moved(const firn_shape *shape, double turn[3][3],
                                   double translation[3], double *scale);

// The triangles of such a shape; NULL for any other, also where a mesh was moved or is part of it.
const firn_mesh *firn_shape_mesh(const firn_shape *shape);

#endif
