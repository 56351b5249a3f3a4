// SPDX-License-Identifier: Apache-2.0
// Snow laid down as it lies at rest: compressed by the weight above it.
#ifndef FIRN_WORLD_SETTLE_H
#define FIRN_WORLD_SETTLE_H

#include "world/variety.h"
#include "world/world.h"

// Has the solver lay down the pending particles of slots [first, first + count), all inside the
// shape, under the weight of the column of the shape above them, whose density may vary, and notes
// them in world->settled. Does nothing without gravity, or where the solver keeps no strain.
firn_status firn_world_settle(firn_world *world, const firn_shape *shape,
                              const firn_variety *variety, size_t first, size_t count);

bool firn_settled_has(const firn_settled *settled, uint32_t id);
// Ids from this one on were never given.
void firn_settled_forget(firn_settled *settled, uint32_t id);
void firn_settled_free(firn_settled *settled, firn_context *context);
// Their part of firn_world_state.
firn_status firn_settled_visit(firn_world *world, bool load, const firn_state_visitor *visitor);

#endif
