// SPDX-License-Identifier: Apache-2.0
// Where most particles are: what a picture is framed by.
#ifndef FIRN_RENDER_BULK_H
#define FIRN_RENDER_BULK_H

#include "base/context.h"

enum { FIRN_BULK_SAMPLES = 32768 }; // evenly taken; no more are looked at

// The box that holds the middle 99 % of position[count][3] along each axis: a handful that flew away
// must not shrink the rest to a dot. *any is false, and the box as it was, where no particle is finite.
firn_status firn_bulk_box(firn_context *context, size_t count, const double *position,
                          double low[3], double high[3], bool *any);

#endif
