// SPDX-License-Identifier: Apache-2.0
// How surfaces are sampled: space is cut into cubes, tiles, of two spacings along an edge. A tile
// throws its samples knowing those of neighbours of lower colour, of which there are eight (odd or even
// along each axis), so that tiles of one colour do not meet and can be worked on at once. Since a chain
// of ever lower colours ends after seven tiles, what is in a tile depends on its surroundings only.
#ifndef FIRN_GEOMETRY_SURFACE_PRIVATE_H
#define FIRN_GEOMETRY_SURFACE_PRIVATE_H

#include "base/parallel.h"
#include "base/random.h"
#include "geometry/surface_samples.h"

enum {
  FIRN_TILE_COLOURS = 8,
  // Balls of 0.83 spacings as diameter fill at most 0.74 of space. 147 have their middles in a tile or
  // in reach of it, 431 in what a sample of that tile may be too near to.
  FIRN_TILE_SAMPLES = 160,
  FIRN_DESK_NEAR = 512,
};

// Samples may lie outside of their tile by this many spacings. Two tiles of one colour are two spacings
// apart, their samples no less than 2 - 2 * 0.54 > 0.83.
#define FIRN_TILE_REACH 0.54

typedef struct firn_tile {
  int32_t at[3];
  uint32_t lattice, lattice_count; // its samples on a lattice, in the samples of the work
  uint32_t thrown, thrown_count;   // and those that were thrown
  uint32_t source, source_count;   // of a mesh: the triangles that touch it
} firn_tile;

// What a thread has before it while it fills a tile.
typedef struct firn_desk {
  const firn_tile *tile;
  double lo[3]; // m: of the tile
  uint32_t draws;
  int near, own;
  double (*x)[3];              // m, [near]: all samples that may be too near, its own last
  firn_surface_sample *sample; // [own]
  void *scratch;
} firn_desk;

typedef struct firn_surface_work {
  firn_context *context;
  const firn_surface_def *def;
  const char *what;
  double spacing, nearest2, edge; // m, m^2, m: of a tile
  uint64_t seed;
  bool throws; // samples are thrown, too
  // Fills a tile; either may be NULL.
  void (*lay)(const struct firn_surface_work *work, firn_desk *desk);
  void (*throw)(const struct firn_surface_work *work, firn_desk *desk);
  const void *user;
  size_t scratch;         // bytes that a desk needs for it
  int32_t range[2][3];    // tiles that must be whole, first and last; and
  bool whole;             // all tiles must be
  size_t count, capacity; // tiles
  firn_tile *tile;        // [count], by place
  size_t slots;           // a power of 2
  uint32_t *slot;         // [slots]: number of a tile plus 1, or 0
  firn_surface_samples *out;
} firn_surface_work;

// Tiles round the range that have to be there for it to be whole.
void firn_surface_margins(int32_t out[3]);
firn_status firn_surface_add_tile(firn_surface_work *work, const int32_t at[3]);
// Fills all tiles, and leaves the samples in the box of the def.
firn_status firn_surface_fill(firn_surface_work *work);
void firn_surface_end(firn_surface_work *work);

static inline firn_philox firn_desk_draw(const firn_surface_work *work, firn_desk *desk) {
  const int32_t *at = desk->tile->at;
  uint64_t id = (uint64_t)(uint32_t)at[0] | (uint64_t)(uint32_t)at[1] << 32;
  return firn_philox4x32(work->seed, id, (uint32_t)at[2], desk->draws++);
}

static inline double firn_square_apart(const double x[3], const double y[3]) {
  double u = x[0] - y[0], v = x[1] - y[1], w = x[2] - y[2];
  return u * u + v * v + w * w;
}

// Whether there is room for a sample among those of the list [count], or among all.
static inline bool firn_desk_has_room(const firn_surface_work *work, const firn_desk *desk,
                                      const double x[3]) {
  for (int i = 0; i < desk->near; i++) {
    if (firn_square_apart(desk->x[i], x) < work->nearest2) return false;
  }
  return true;
}

static inline void firn_desk_put(firn_desk *desk, const firn_surface_sample *sample) {
  if (desk->own == FIRN_TILE_SAMPLES || desk->near == FIRN_DESK_NEAR) return; // cannot be
  for (int a = 0; a < 3; a++) desk->x[desk->near][a] = sample->position[a];
  desk->near++;
  desk->sample[desk->own++] = *sample;
}

// ---------------------------------------------------------------------------------- flat faces

// A half space or a box, wherever it stands in a shape.
typedef struct firn_flat {
  bool box;
  double at[3];      // m: the least corner of a box; a node of a half space's lattice
  double axis[3][3]; // of the lattice: unit vectors, the last of a half space is its normal
  int n[3];          // intervals of a box
  double step[3];    // m
} firn_flat;

enum { FIRN_FLATS_MAX = 256 };

typedef struct firn_flats {
  int count;
  bool all; // nothing else has a surface, and lattices leave no holes
  firn_flat flat[FIRN_FLATS_MAX];
} firn_flats;

void firn_flats_find(const firn_shape *shape, double spacing, firn_flats *out);
// Calls visit for each node of a lattice within radius of center, m; stops when that says false.
typedef bool (*firn_flat_fn)(void *user, const double x[3]);
bool firn_flat_visit(const firn_flat *flat, const double center[3], double radius,
                     firn_flat_fn visit, void *user);

#endif
