// SPDX-License-Identifier: Apache-2.0
// Pieces: how many lumps the snow has broken into.
#ifndef FIRN_PIECES_H
#define FIRN_PIECES_H

#include <firn/frame.h>
#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// Space is cut into cubic cells; cells that hold snow and touch, by a face, an edge or a corner,
// belong to one piece. A gap divides two pieces for certain when it is two cells wide.
typedef struct firn_pieces_def {
  size_t size;    // of this struct: firn_default_pieces_def() knows
  double cell;    // m; 0: the grid spacing h
  double density; // kg/m^3: a cell with less than this is empty; 0: one particle fills a cell
  size_t least;   // particles: smaller pieces are dust
  size_t room;    // of the list below
  double *mass;   // kg, of the largest pieces, largest first, [room]; NULL: not wanted
} firn_pieces_def;

typedef struct firn_pieces {
  size_t count;          // pieces, dust not counted
  double mass;           // kg, in all pieces
  double largest;        // kg
  double median;         // kg, of the pieces' masses
  double mean;           // kg, mass / count
  size_t dust;           // lumps of fewer particles than asked
  size_t dust_particles; // in them, and in cells that count as empty
  double dust_mass;      // kg
} firn_pieces;

FIRN_API void firn_pieces_def_init(firn_pieces_def *def, size_t size);
static inline firn_pieces_def firn_default_pieces_def(void) {
  firn_pieces_def def;
  firn_pieces_def_init(&def, sizeof def);
  return def;
}
// def may be NULL.
FIRN_API firn_status firn_sim_pieces_sized(firn_sim *sim, const firn_pieces_def *def,
                                           firn_pieces *out, size_t size);
static inline firn_status firn_sim_pieces(firn_sim *sim, const firn_pieces_def *def,
                                          firn_pieces *out) {
  return firn_sim_pieces_sized(sim, def, out, sizeof *out);
}
FIRN_API firn_status firn_frame_pieces_sized(firn_frame *frame, const firn_pieces_def *def,
                                             firn_pieces *out, size_t size);
static inline firn_status firn_frame_pieces(firn_frame *frame, const firn_pieces_def *def,
                                            firn_pieces *out) {
  return firn_frame_pieces_sized(frame, def, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
