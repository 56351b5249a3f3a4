// SPDX-License-Identifier: Apache-2.0
// Particles on their way into a volume.
#ifndef FIRN_RENDER_VOLUME_GRAIN_H
#define FIRN_RENDER_VOLUME_GRAIN_H

#include "render/vec.h"
#include "world/bins.h"

// A particle, or one of the places it is at while the shutter is open.
typedef struct firn_grain {
  float at[3];       // voxels from the corner of its home block, [0, 8)
  float mass;        // kg
  float velocity[3]; // m/s
  uint32_t seed;     // of its noise
  float size;        // of its kernel, in the brush's
  float bulk;        // kg/voxel^3, of the packed snow that it is of
} firn_grain;

// The symmetric matrix G of a kernel W(|G r|) det G, r in voxels, and its size.
typedef struct firn_grain_shape {
  float g[6];     // xx, yy, zz, xy, xz, yz; 1/voxels
  float det;      // 1/voxels^3
  float reach[3]; // voxels, half of the box around the kernel
  float detail;   // share of the brush's noise
  float loose;    // share of the mass that is drawn as crumbs instead
} firn_grain_shape;

enum { FIRN_GRAIN_TILE = 32 }; // nodes, period of the noise

// What grains are drawn with.
typedef struct firn_brush {
  float kernel; // voxels, width of the B-spline; it reaches 2 of them
  float widest; // voxels, of the largest grain
  float motion; // voxels, the same for velocities
  float volume; // m3 of a voxel
  int reach;    // blocks around the home that a grain may touch
  int edge;     // nodes of the tile along an axis, 8 (2 reach + 1)
  // Noise of mean 0 on [32][32][64] nodes, periodic, rows twice; or NULL. A grain's kernel is
  // multiplied by 1 + strength * noise.
  const float *noise;
  float strength;
} firn_brush;

// How grains get into tiles: the same sums whatever the instruction set.
typedef struct firn_grain_painter {
  // Adds the grain to a tile of [edge][edge][edge] nodes and 16 more, whose first node is that of the
  // block `reach` blocks below the home. kg/m3.
  void (*draw)(const firn_brush *brush, const firn_grain *grain, float *tile);
  void (*draw_shaped)(const firn_brush *brush, const firn_grain *grain,
                      const firn_grain_shape *shape, float *tile);
  // Mass and momentum on every 4th node of the same tile, [edge/4]^3[4].
  void (*draw_motion)(const firn_brush *brush, const firn_grain *grain, float *tile);
} firn_grain_painter;
extern const firn_grain_painter firn_grain_painter_scalar, firn_grain_painter_avx2,
    firn_grain_painter_avx512;
const firn_grain_painter *firn_grain_painter_get(firn_isa isa);

// Sizes of grains are held within these, so that none is lost among voxels or covers all others.
#define FIRN_GRAIN_LEAST 0.4f
#define FIRN_GRAIN_MOST  2.5f

// What shapes are fitted by.
typedef struct firn_grain_fit {
  float kernel;  // voxels, of the brush
  float amount;  // [0, 1], blends from round kernels to such that are flat where the snow is
  float adapt;   // [0, 1], blends from one width for all to wide ones where snow is packed
  float spacing; // voxels, of packed particles; for adapt
  bool whole;    // grains have sizes of their own, and are not broken into crumbs
} firn_grain_fit;

// Fits the shape of each grain to where its neighbours are (after Yu and Turk 2013), where adapt is 0 and
// where it is not. Bins are the blocks of the volume; grains are in their order.
firn_status firn_grains_fit(const firn_grain_fit *by, const firn_bins *homes,
                            const firn_grain *grains, firn_grain_shape *out);
firn_status firn_grains_adapt(const firn_grain_fit *by, const firn_bins *homes,
                              const firn_grain *grains, firn_grain_shape *out);

// Fills noise [32][32][64] with unit variance and features of size voxels.
void firn_grain_noise(float size, float *noise);

#endif
