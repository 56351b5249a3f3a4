// SPDX-License-Identifier: Apache-2.0
// Variety: how a material's numbers change from place to place.
#ifndef FIRN_WORLD_VARIETY_H
#define FIRN_WORLD_VARIETY_H

#include "geometry/shape.h"

typedef struct firn_variation {
  firn_variation_def def; // axis of unit length; its mask is not used
  firn_shape *mask;       // held; NULL unless by mask
  uint64_t seed;
} firn_variation;

typedef struct firn_variety {
  firn_variation *list; // [count]
  int count;
  unsigned of; // FIRN_PROPERTY_* that vary at all
} firn_variety;

// A checked copy of a user's list; messages begin with what ("fill 'ball'").
firn_status firn_variety_make(firn_context *context, const firn_variation_def *def, int count,
                              uint64_t seed, const char *what, firn_variety *out);
void firn_variety_free(firn_variety *variety, firn_context *context);

// The value of one property at a position that lies depth metres below the surface of what is filled.
double firn_variety_value(const firn_variety *variety, unsigned property, double value,
                          const double position[3], double depth);

#endif
