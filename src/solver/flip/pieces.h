// SPDX-License-Identifier: Apache-2.0
// Rigid pieces of snow: what does not yield, cell beside cell.
#ifndef FIRN_SOLVER_FLIP_PIECES_H
#define FIRN_SOLVER_FLIP_PIECES_H

#include "solver/flip/moments.h"

// Lengths in cells, masses in kg. A motion is (V, omega): V + omega x r at r from the middle, m/s.
typedef struct piece {
  bool rides;       // with its particles, by whose masses all below is then; else by those of faces
  double mass;      // 0: it has none
  double center[3]; //
  double given[6];  // momenta, with all that acts but colliders
  double system[36]; // from a motion to momenta; later the inverse
  double motion[6];  // after all
  double inertia[9]; // of what rides: about the middle, ...
  double turn[9];    // ... the rotation of the step ...
  double spin[3];    // ... and omega after it
} piece;

typedef struct pieces {
  size_t count;
  uint32_t (*beside)[6]; // [blocks]
  uint64_t *member;      // [blocks]
  uint64_t (*link)[3];   // [blocks]
  uint32_t *label;       // [blocks][64]
  uint32_t *owner[3]; // [blocks][64] the piece that the lower face along each axis belongs to, or
                      // that it presses on; or all bits
  uint32_t *sole;     // [blocks] the one that all of a block's faces have to do with, or MIXED
  piece *part;        // [blocks] what they add to that
  uint32_t *forest;   // [blocks][64]
  piece *of;          // [count]
  flip_moments *moments; // [count] of those that ride
} pieces;

// Where a collider reaches into cells of a piece.
typedef struct flip_contact {
  int collider;         // -1: none
  uint32_t piece;       //
  double n[3];          // out of the collider
  double x[3], r[3];    // m; cells from the middle of the piece
  double velocity[3];   // m/s, of the collider there
  double toward, least; // m/s, along n: of the collider; that the piece may have
  double area, share; // h^2, of the collider; and times the share b of its velocity that cells take
  int place;          // in its block
  double give_n,
      give_t; // 1/kg: what an impulse along n, or across, changes velocities there by, at most
  double hard_n, hard_t; // kg: their inverses
  double moves[3][6];    // the motion that an impulse of 1 along each axis gives
  double impulse[3];     // kg m/s, that the piece has got; ...
  double fluid[3];       // ... by the pressure of the fluid that it was taken for
} flip_contact;

// Cosine of the angle up to which two normals are one.
static const double FLIP_ALONG = 0.98;

// touch.c: of the particles of a cell: their middle, from its corner, in cells.
typedef struct flip_middle {
  double x[3], count;
} flip_middle;
// In blocks of the grid beside colliders; out: [blocks][64].
void flip_find_middles(const flip *s, flip_middle *out);
// Shares out what the sides of a cell lack, h^2: areas, none of them negative, whose sum, each
// times its normal, is that as nearly as may be. area is 0 at first.
void flip_share_out(int count, const double (*normal)[3], const double lack[3], double *area);
// The contacts of a cell of a piece, up to three. n, x, share and impulse are those of their areas
// yet.
int flip_contacts_of(const flip *s, const pieces *k, const flip_middle *snow, size_t g, int c,
                     flip_contact out[3]);

// riders.c: mass, middle, inertia and motion of those that ride.
firn_status flip_weigh_riders(flip *s, const pieces *k);
// How one that rides turns in the step, by its motion.
void flip_turn_rider(const flip *s, piece *p);

// contacts.c: what colliders do to pieces. motion is that without them; out: with them.
firn_status flip_touch_pieces(flip *s, const pieces *k);

// push.c: what they get for that.
void flip_push_contacts(flip *s, const pieces *k, size_t count, const flip_contact *all);

#endif
