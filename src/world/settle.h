// SPDX-License-Identifier: Apache-2.0
// Snow laid down as it lies at rest: compressed by the weight above it.
#ifndef FIRN_WORLD_SETTLE_H
#define FIRN_WORLD_SETTLE_H

#include "world/variety.h"
#include "world/world.h"

// Has the solver lay down the pending particles of slots [first, first + count), all inside the
// shape, under the weight of the column of the shape above them, whose density may vary, and notes
// them in world->settled. Does nothing without gravity, or where the solver keeps no strain.
void firn_world_settle(firn_world *world, const firn_shape *shape, const firn_variety *variety,
                       size_t first, size_t count);

#endif
