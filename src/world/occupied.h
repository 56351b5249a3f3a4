// SPDX-License-Identifier: Apache-2.0
// Where snow lies already, cell by cell: what a window has yet to fill is not always empty, since snow
// may have been pushed out before it.
#ifndef FIRN_WORLD_OCCUPIED_H
#define FIRN_WORLD_OCCUPIED_H

#include "world/bins.h"
#include "world/fill.h"

typedef struct firn_occupied {
  firn_bins blocks; // of 4x4x4 cells that hold something
  double *mass;     // kg, [blocks][64]
} firn_occupied;

struct firn_world;

// The mass of particles in slots below end, in the blocks of a box that cover does not hold.
// firn_occupied_free also after a failure.
firn_status firn_occupied_make(firn_occupied *o, const struct firn_world *world, size_t end,
                               const firn_block_box *box, const firn_cover *cover);
void firn_occupied_free(firn_occupied *o);
// That in a cell, kg.
double firn_occupied_mass(const firn_occupied *o, const int32_t cell[3]);

#endif
