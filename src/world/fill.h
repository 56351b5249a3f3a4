// SPDX-License-Identifier: Apache-2.0
// A shape full of snow, as the world keeps it: a pattern of particles that fills all of space, cut out
// by a shape, whole or part by part.
#ifndef FIRN_WORLD_FILL_H
#define FIRN_WORLD_FILL_H

#include "world/seed.h"
#include "world/variety.h"

enum { FIRN_FILL_NAME = 64 };
#define FIRN_FILL_FREE    UINT32_MAX // the number of a pattern: the first that is free in its place
#define FIRN_FILL_EMITTER 0x80000000u // numbers of emitters begin here

// Boxes of blocks, both ends included, that a fill has been made in.
typedef struct firn_block_box {
  int32_t lo[3], hi[3];
} firn_block_box;

typedef struct firn_cover {
  firn_block_box *box; // [count]
  size_t count, capacity;
} firn_cover;

// The functions of firn_fill_def.
typedef struct firn_start {
  firn_start_fn velocity, strain, stress; // or NULL
  void *user;
  void (*release)(void *user); // or NULL
} firn_start;

typedef struct firn_fill {
  char name[FIRN_FILL_NAME]; // "fill 'ball'"
  firn_shape *shape;         // held
  firn_seeder seeder;
  firn_variety variety;
  int material;
  double velocity[3]; // m/s
  double spin[3];     // rad/s about ...
  double pivot[3];    // ... m
  double temperature; // K; 0: none is given
  firn_start start;
  double time;      // s
  bool settled;     // compressed by its own weight
  bool made;        // its time has come
  firn_cover cover; // under a window
} firn_fill;

// What of a fill to make: within box where bounded, outside of cover, at most limit particles, and in
// cells that are occupied no more than what they lack. An
// inflow's pattern has moved by drift [m], and what was inside the shape at drift `before` is there
// already.
typedef struct firn_fill_part {
  bool bounded;
  firn_block_box box;
  const firn_cover *cover;              // or NULL
  const struct firn_occupied *occupied; // or NULL
  double drift[3];
  const double *before; // [3] or NULL
  uint64_t limit;
} firn_fill_part;

struct firn_world;

// A checked copy of a user's def, with a pattern of this number.
firn_status firn_fill_make(const struct firn_world *world, const firn_fill_def *def,
                           const char *kind, uint32_t number, firn_fill *out);
void firn_fill_free(firn_fill *fill, firn_context *context);

// Adds the particles of a part (NULL: all), or none if it fails. placed may be NULL.
firn_status firn_fill_place(struct firn_world *world, const firn_fill *fill,
                            const firn_fill_part *part, size_t *placed);
// Adds particles at given positions [count][3] with the fill's velocity, material and variety;
// extra [count][3] m/s is added to velocities unless NULL.
firn_status firn_fill_add(struct firn_world *world, const firn_fill *fill, size_t count,
                          const double *position, const double *extra);

// Whether a block, or one box by itself, was covered.
bool firn_cover_holds(const firn_cover *cover, const int32_t block[3]);
bool firn_cover_holds_box(const firn_cover *cover, const firn_block_box *box);
// Room for one more box, which add then takes.
firn_status firn_cover_reserve(firn_cover *cover, firn_context *context);
void firn_cover_add(firn_cover *cover, const firn_block_box *box);
void firn_cover_free(firn_cover *cover, firn_context *context);

#endif
