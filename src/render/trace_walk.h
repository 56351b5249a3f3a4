// SPDX-License-Identifier: Apache-2.0
// Many paths at once through the snow. A walk holds as many paths as a vector has lanes; it goes on
// until one of them needs something that only whoever called it can give: the end of a path, a
// surface, a lamp.
#ifndef FIRN_RENDER_TRACE_WALK_H
#define FIRN_RENDER_TRACE_WALK_H

#include <stdbool.h>

#include <firn/firn.h>

#include "render/volume_grid.h"

enum { FIRN_WALK_WIDTH = 16 };

// Blocks at the edge of the snow are walked cell by cell, each with its own bound.
enum {
  FIRN_WALK_SPLIT = 4, // cells along the edge of a block
  FIRN_WALK_CELL = FIRN_BLOCK / FIRN_WALK_SPLIT,
  FIRN_WALK_CELLS = FIRN_WALK_SPLIT * FIRN_WALK_SPLIT * FIRN_WALK_SPLIT
};

// Shadow rays that let less through than this play roulette.
#define FIRN_WALK_PASS 0.5f

// What all paths share. Lengths are voxels.
typedef struct firn_walk_view {
  const int32_t *index; // as in firn_volume
  const float *sigma; // 1/voxel, [count]: most extinction in a block; below 0 where surfaces may be
  const float *cells; // [count][z][y][x], of its cells; below 0 where the block is even enough
  bool split;         // some block is not even
  const uint16_t *density;
  int size[3]; // blocks
  float albedo[3], g;
  // From event thin_after on extinction is multiplied by thin, scattering is isotropic, and the
  // albedo is thin_albedo.
  float thin_after, thin, thin_albedo[3];
  float most;       // events of a path
  float roulette;   // events after which paths may end by roulette
  bool surfaces;    // there are any: blocks with sigma < 0, and all empty ones, ask for hits
  bool first;       // stop at the first event
  bool sun, lights; // there is a sun; there are other lights to aim at
  float early,
      late; // the first events aim at lights always, those after `early` with this probability
  float sun_share;                        // of those, at the sun
  float sun_along[3], sun_a[3], sun_b[3]; // its direction and two across
  float sun_open;                         // 1 - cosine of half its diameter
  float sun_light[3];                     // radiance times solid angle
} firn_walk_view;

// Why a lane stopped: bits, since an event may be the first, want a light and be the last.
enum {
  FIRN_WALK_LEFT = 1,    // out of the volume, going on along its direction
  FIRN_WALK_LIMIT = 2,   // at the end of `limit`: a surface where exact is set, else ask for one
  FIRN_WALK_DONE = 4,    // no weight left: roulette, or events > most
  FIRN_WALK_FIRST = 8,   // its first event
  FIRN_WALK_LIGHTS = 16, // an event that wants a light: see `in`; s holds its weight
  FIRN_WALK_BACK = 32,   // a ray of mode 2 has ended; its light is gathered
};

// One row of floats for each; the first `lanes` of each are in use.
// clang-format off
#define FIRN_WALK_ROWS(R)                                                                        \
  R(x) R(y) R(z) /* place, voxels */                                                             \
  R(dx) R(dy) R(dz) /* direction of travel, unit vector */                                       \
  R(ix) R(iy) R(iz) /* 1 / direction, finite */                                                  \
  R(ax) R(ay) R(az) /* lower corner of the cell it is in, voxels */                              \
  R(wide) /* voxels, the cell's edge: part of a block, a block, or many empty ones */            \
  R(sigma) /* 1/voxel, most extinction in the cell, 0 in empty ones */                           \
  R(scale) /* most extinction in the block over that */                                          \
  R(guarded) /* 1: surfaces may be in the block */                                               \
  R(limit) /* voxels along the direction that are free of surfaces */                            \
  R(exact) /* 1: a surface, or nothing at all, is at limit */                                    \
  R(ball_x) R(ball_y) R(ball_z) R(ball_r) /* a ball without surfaces */                          \
  R(wr) R(wg) R(wb) /* weight of the path */                                                     \
  R(lr) R(lg) R(lb) /* light gathered */                                                         \
  R(events) /* so far, whole */                                                                  \
  R(mode) /* 0: path, 1: its shadow ray to the sun, 2: to another light, 3: idle */              \
  R(pass) /* what comes through on the shadow ray */                                             \
  R(sr) R(sg) R(sb) /* light it would bring */                                                   \
  /* the path while its shadow ray is on the way */                                              \
  R(kx) R(ky) R(kz) R(kdx) R(kdy) R(kdz) R(kix) R(kiy) R(kiz)                                    \
  R(kax) R(kay) R(kaz) R(ksigma) R(klimit) R(kexact) R(kwide) R(kscale) R(kguarded)              \
  /* where surfaces may hide the sun: one ray kept for all that came through the snow */         \
  R(cx) R(cy) R(cz) R(cdx) R(cdy) R(cdz) R(cr) R(cg) R(cb) R(ctotal)                             \
  R(inx) R(iny) R(inz) /* direction before the last event, if there are lights */                \
  R(px) R(py) R(pz) /* and where that was */                                                     \
  R(pdf) /* and the density of the direction after it, 1/sr */                                   \
  R(stop) /* 0, or why */
// clang-format on

#define FIRN_WALK_ROW(name) float name[FIRN_WALK_WIDTH];
typedef struct firn_walk {
  FIRN_WALK_ROWS(FIRN_WALK_ROW)
  int32_t slot[FIRN_WALK_WIDTH], kslot[FIRN_WALK_WIDTH]; // the block's number, or less than 0
  int32_t s0[FIRN_WALK_WIDTH], s1[FIRN_WALK_WIDTH];      // random numbers; not both 0
  uint64_t steps;                                        // of all lanes, for those who count
} __attribute__((aligned(64))) firn_walk;
#undef FIRN_WALK_ROW

typedef struct firn_walk_kernel {
  int lanes;
  // Until stop is not 0 in some lane; it must be 0 in all before.
  void (*walk)(const firn_walk_view *view, firn_walk *walk);
} firn_walk_kernel;

extern const firn_walk_kernel firn_walk_kernel_scalar, firn_walk_kernel_avx2,
    firn_walk_kernel_avx512;
const firn_walk_kernel *firn_walk_kernel_get(firn_isa isa);

// Fills sigma [count] and cells [count][FIRN_WALK_CELLS] for a volume; factor is 1/voxel over kg/m3.
// True: some block is to be walked cell by cell.
bool firn_walk_bound(firn_context *context, const firn_volume *volume, float factor, float *sigma,
                     float *cells);

// Puts lane i at a place in voxels within the index, and along a direction. False: it is outside.
bool firn_walk_place(const firn_walk_view *view, firn_walk *walk, int i, firn_v3 at, firn_v3 along);

#endif
