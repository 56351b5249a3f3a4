// SPDX-License-Identifier: Apache-2.0
// Outlines of extrusions, from their defs.
#ifndef FIRN_GEOMETRY_EXTRUDE_H
#define FIRN_GEOMETRY_EXTRUDE_H

#include "geometry/kinds.h"
#include "geometry/outline.h"

// Adds the segments of text, its base line at y = 0; def is a FIRN_SHAPE_TEXT.
firn_status firn_text_outline(firn_context *context, const firn_shape_def *def, const char *what,
                              firn_outline *outline);

#endif
