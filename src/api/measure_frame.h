// SPDX-License-Identifier: Apache-2.0
// Measures of a frame: where its snow is, and in what pieces.
#ifndef FIRN_API_MEASURE_FRAME_H
#define FIRN_API_MEASURE_FRAME_H

#include <firn/measure.h>

#include "base/context.h"

typedef struct firn_shape_measures {
  double low[3], high[3]; // m: along each axis, def->inside of the mass is between these
  double pieces;          // of def->piece of all mass and more
  double pieces_mass;     // kg, in these
  double piece_largest;   // kg
} firn_shape_measures;

// A frame that is not there or cannot be read is no failure: all of out is nan, and why says so.
// solver "": the frame does not say.
firn_status firn_measure_frame(firn_context *context, const char *path, const firn_measure_def *def,
                               firn_shape_measures *out, char *solver, size_t solver_size,
                               char *why, size_t why_size);

#endif
