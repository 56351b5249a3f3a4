// SPDX-License-Identifier: Apache-2.0
// Patterns of particles that fill all of space. A particle is a pure function of the seed, the number
// of the pattern, its cell and its place within the cell: any part of space may be asked for at any
// time, by any thread, and holds the same.
#ifndef FIRN_WORLD_SEED_H
#define FIRN_WORLD_SEED_H

#include "base/memory.h"

typedef struct firn_seeder {
  firn_seeding kind;
  double per_cell;
  uint64_t seed;
  uint32_t number;  // patterns of different numbers have nothing in common
  int parts[3];     // of a cell, for jittered and lattice seeding
  double within[3]; // lattice: where in its part a particle lies, in parts, [0, 1)
  int tile;         // Poisson: repeats after this many cells
  double distance;  // Poisson: least distance, cells
  double *point;    // Poisson: [count][3], cells from the tile's corner, ordered by cell
  uint32_t *start;  // Poisson: [tile^3 + 1]
  size_t count;
} firn_seeder;

// Fails if per_cell does not suit the kind; messages begin with what ("fill 'ball'").
firn_status firn_seeder_make(firn_context *context, firn_seeding kind, double per_cell,
                             uint64_t seed, uint32_t number, const char *what, firn_seeder *out);
void firn_seeder_free(firn_seeder *seeder, firn_context *context);

// Lays a lattice so that its layers, whose spacing is h / parts, lie symmetrically between lo and hi
// [m]: as many as the volume needs, so the outer ones may be closer than half a spacing to the faces.
// pressing: for particles that support each other by pressure. These keep half a spacing from the
// faces at their sides, as many layers as fit, and stand on the lower face, half a spacing above it.
void firn_seeder_center(firn_seeder *seeder, double h, const double lo[3], const double hi[3],
                        bool pressing);

// The k-th particle of a cell: its position in cells, and a lot in [0, 1). False: there are fewer.
bool firn_seeder_particle(const firn_seeder *seeder, const int32_t cell[3], int k, double out[3],
                          double *lot);

// What numbers are drawn for; part of the key.
enum { FIRN_DRAW_PLACE, FIRN_DRAW_COUNT, FIRN_DRAW_LOT, FIRN_DRAW_TILE, FIRN_DRAW_EMIT };

#endif
