// SPDX-License-Identifier: Apache-2.0
// What new snow begins with: velocity, its gradient, and the load it is under.
#ifndef FIRN_WORLD_START_H
#define FIRN_WORLD_START_H

#include "world/fill.h"

struct firn_world;

// velocity [count][3] at positions [count][3], and its gradient [count][9]; extra [count][3], if not
// NULL, is added without one.
firn_status firn_start_velocities(const struct firn_world *world, const firn_fill *fill,
                                  size_t count, const double *position, const double *extra,
                                  double *velocity, double *gradient);
// Puts the new particles of slots from first on, which are at these positions, under the fill's strain
// or stress. Their volume at rest follows from it: the fill has its density as it lies.
firn_status firn_start_load(struct firn_world *world, const firn_fill *fill, size_t first,
                            size_t count, const double *position);

#endif
