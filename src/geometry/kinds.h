// SPDX-License-Identifier: Apache-2.0
// The makers of nodes, one a family, and the checks that they share.
#ifndef FIRN_GEOMETRY_KINDS_H
#define FIRN_GEOMETRY_KINDS_H

#include "geometry/shape.h"

typedef firn_status firn_shape_maker(firn_context *context, const firn_shape_def *def,
                                     const char *what, firn_shape **out);

firn_shape_maker firn_solid_make; // half space ... torus, users' functions

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

#endif
