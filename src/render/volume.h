// SPDX-License-Identifier: Apache-2.0
// Snow as a participating medium: density on a sparse grid of blocks of 8 x 8 x 8 voxels, with what
// bounds it in each block.
#ifndef FIRN_RENDER_VOLUME_H
#define FIRN_RENDER_VOLUME_H

#include "base/context.h"
#include "render/ray.h"

typedef struct firn_volume firn_volume;

typedef struct firn_volume_def {
  size_t count;           // particles
  const double *position; // m, [count][3]; not finite, or too far from the rest: left out
  const float *velocity;  // m/s, [count][3]; NULL: no motion blur, no velocity plane
  const float *mass;      // kg, [count]
  const float *size; // [count], of the kernel, where they differ: 1 is as below; NULL: all are 1
  double origin[3];  // m, of the stage: where its coordinates are 0
  double voxel;      // m, edge of a voxel
  double kernel;     // m, grid spacing of the solver: width of the kernel, at least voxel
  double shutter;    // s the shutter is open; with velocity, density is smeared along the motion
  double anisotropy; // 0: round kernels; up to 1: flattened along the surface, fitted to neighbours
  double adapt;      // 0: kernels of one width; up to 1: by how the snow lies, see volume_shape.h
  double spacing;    // m between particles of size 1 in packed snow; read where adapt is above 0
  double detail;     // share of density that fine noise moved with the particles takes or adds
  double detail_size; // m, of that noise
  const uint64_t *id; // [count], seeds the noise; NULL: the index
} firn_volume_def;

firn_status firn_volume_build(firn_context *context, const firn_volume_def *def, firn_volume **out);
void firn_volume_free(firn_volume *volume);

// kg/m3, trilinear between voxel centers; 0 outside.
float firn_volume_density(const firn_volume *volume, firn_v3 p);
firn_v3 firn_volume_gradient(const firn_volume *volume, firn_v3 p);
firn_v3 firn_volume_velocity(const firn_volume *volume, firn_v3 p);
size_t firn_volume_bytes(const firn_volume *volume);
size_t firn_volume_voxels(const firn_volume *volume);  // in active blocks
size_t firn_volume_skipped(const firn_volume *volume); // particles left out: these, and bad masses

// For those who take a volume elsewhere: it lies in so many cells of 8^3 voxels.
size_t firn_volume_cells(const firn_volume *volume);
// What is on the nodes of one of them, [x][y][z], in kg/m3 and m/s; false: nothing. Node (0, 0, 0) is
// 8 at voxels from the stage's origin. Without velocities in the volume there are zeros.
bool firn_volume_nodes(const firn_volume *volume, size_t cell, int32_t at[3], float density[512],
                       float velocity[512][3]);

#endif
