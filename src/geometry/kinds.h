// SPDX-License-Identifier: Apache-2.0
// The makers of nodes, one a family, and the checks that they share.
#ifndef FIRN_GEOMETRY_KINDS_H
#define FIRN_GEOMETRY_KINDS_H

#include "geometry/shape.h"

typedef firn_status firn_shape_maker(firn_context *context, const firn_shape_def *def,
                                     const char *what, firn_shape **out);

firn_shape_maker firn_solid_make;        // half space ... torus, users' functions
firn_shape_maker firn_extrusion_make;    // prism, polygon, path, text
firn_shape_maker firn_height_field_make; // from data, images, noise
firn_shape_maker firn_combined_make;     // union ... smooth union
firn_shape_maker firn_modified_make;     // transform, shell, offset, displace
firn_shape_maker firn_pattern_make;      // repeat, mirror

// Fails unless the child is there and of this context; field names it.
firn_status firn_shape_check_child(firn_context *context, const firn_shape *child, const char *what,
                                   const char *field);
// Fails unless the value is finite and more than 0 (or: not less).
firn_status firn_shape_check_positive(firn_context *context, const char *what, const char *field,
                                      double value);
firn_status firn_shape_check_zero_or_more(firn_context *context, const char *what,
                                          const char *field, double value);
firn_status firn_shape_check_finite3(firn_context *context, const char *what, const char *field,
                                     const double value[3]);
firn_status firn_shape_check_octaves(firn_context *context, const char *what, int octaves);

// Where a user's function answered nan first, as whichever thread was the first to see it says.
typedef struct firn_bad_place {
  double at[4];     // m, m, m in its own space, s
  const char *what; // "signed distance (sdf) is nan"
} firn_bad_place;
const firn_bad_place *firn_solid_bad_place(const firn_shape *shape); // NULL: nowhere

// Bounds grown by some length; a shape without bounds stays without.
void firn_shape_grow_bounds(firn_shape *shape, const firn_shape *child, double by);
// The middle of the bounds, or else that of the child, is what a made-up shape spins about.
void firn_shape_put_center(firn_shape *shape, const firn_shape *child);

#endif
