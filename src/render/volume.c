// SPDX-License-Identifier: Apache-2.0
// Life and questions of a volume.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "render/volume_grid.h"

firn_status firn_volume_make(firn_context *context, const int size[3], firn_v3 low, float voxel,
                             firn_volume **out) {
  firn_volume *v = firn_alloc_zero(context, sizeof *v, "a volume");
  if (!v) return FIRN_ERROR_MEMORY;
  v->context = context;
  v->low = low;
  v->voxel = voxel;
  v->cells = 1;
  for (int a = 0; a < 3; a++) {
    v->size[a] = size[a];
    v->cells *= (size_t)size[a];
  }
  if (v->cells) {
    v->index = firn_alloc(context, v->cells * sizeof *v->index, "the index of a volume");
    if (!v->index) {
      firn_volume_free(v);
      return FIRN_ERROR_MEMORY;
    }
    memset(v->index, 0xff, v->cells * sizeof *v->index);
  }
  *out = v;
  return FIRN_OK;
}

static size_t density_size(const firn_volume *v) {
  return v->count ? (v->count * FIRN_BLOCK_NODES + 2) * sizeof *v->density : 0;
}
static size_t velocity_size(const firn_volume *v) {
  return v->velocity ? v->count * FIRN_BLOCK_VELOCITIES * 3 * sizeof *v->velocity : 0;
}

void firn_volume_free(firn_volume *v) {
  if (!v) return;
  firn_context *context = v->context;
  firn_free(context, v->index, v->index ? v->cells * sizeof *v->index : 0);
  firn_free(context, v->majorant, v->count * sizeof *v->majorant);
  firn_free(context, v->minorant, v->count * sizeof *v->minorant);
  firn_free(context, v->density, density_size(v));
  firn_free(context, v->velocity, velocity_size(v));
  firn_free(context, v, sizeof *v);
}

size_t firn_volume_bytes(const firn_volume *v) {
  return sizeof *v + v->cells * sizeof *v->index + 2 * v->count * sizeof *v->majorant +
         density_size(v) + velocity_size(v);
}

size_t firn_volume_voxels(const firn_volume *v) {
  return v->count * FIRN_BLOCK * FIRN_BLOCK * FIRN_BLOCK;
}

size_t firn_volume_skipped(const firn_volume *v) {
  return v->skipped;
}

// The block around p, or -1, and where p lies in it, in voxels.
static int32_t locate(const firn_volume *v, firn_v3 p, float at[3]) {
  const float q[3] = {(p.x - v->low.x) / v->voxel, (p.y - v->low.y) / v->voxel,
                      (p.z - v->low.z) / v->voxel};
  int b[3];
  for (int a = 0; a < 3; a++) {
    if (!(q[a] >= 0 && q[a] < (float)(v->size[a] * FIRN_BLOCK))) return -1;
    b[a] = (int)q[a] / FIRN_BLOCK;
    at[a] = q[a] - (float)(b[a] * FIRN_BLOCK);
  }
  return v->index[firn_volume_cell(v, b[0], b[1], b[2])];
}

float firn_volume_density(const firn_volume *v, firn_v3 p) {
  float at[3];
  int32_t block = locate(v, p, at);
  if (block < 0) return 0;
  const uint16_t *node = v->density + (size_t)block * FIRN_BLOCK_NODES;
  int i[3];
  for (int a = 0; a < 3; a++) {
    i[a] = (int)at[a];
    at[a] -= (float)i[a];
  }
  float sum = 0;
  for (int k = 0; k < 8; k++) {
    int x = k & 1, y = k >> 1 & 1, z = k >> 2;
    float w = (x ? at[0] : 1 - at[0]) * (y ? at[1] : 1 - at[1]) * (z ? at[2] : 1 - at[2]);
    sum += w * (float)node[((i[2] + z) * FIRN_BLOCK_EDGE + i[1] + y) * FIRN_BLOCK_EDGE + i[0] + x];
  }
  return sum * v->majorant[block] / FIRN_DENSITY_ONE;
}

// Differences over two voxels: a slope over one would show the lattice.
firn_v3 firn_volume_gradient(const firn_volume *v, firn_v3 p) {
  float h = v->voxel, k = 0.5f / h;
  firn_v3 g;
  g.x = k * (firn_volume_density(v, (firn_v3){p.x + h, p.y, p.z}) -
             firn_volume_density(v, (firn_v3){p.x - h, p.y, p.z}));
  g.y = k * (firn_volume_density(v, (firn_v3){p.x, p.y + h, p.z}) -
             firn_volume_density(v, (firn_v3){p.x, p.y - h, p.z}));
  g.z = k * (firn_volume_density(v, (firn_v3){p.x, p.y, p.z + h}) -
             firn_volume_density(v, (firn_v3){p.x, p.y, p.z - h}));
  return g;
}

// At a place in a block, in voxels.
static firn_v3 velocity_in(const firn_volume *v, size_t block, const float place[3]) {
  const int16_t *node = v->velocity + block * FIRN_BLOCK_VELOCITIES * 3;
  float at[3], sum[3] = {0};
  int i[3];
  for (int a = 0; a < 3; a++) {
    at[a] = place[a] * (1.0f / FIRN_BLOCK_STRIDE);
    i[a] = (int)at[a];
    at[a] -= (float)i[a];
  }
  for (int k = 0; k < 8; k++) {
    int x = k & 1, y = k >> 1 & 1, z = k >> 2;
    float w = (x ? at[0] : 1 - at[0]) * (y ? at[1] : 1 - at[1]) * (z ? at[2] : 1 - at[2]);
    const int16_t *n = node + 3 * (((i[2] + z) * FIRN_BLOCK_COARSE + i[1] + y) * FIRN_BLOCK_COARSE +
                                   i[0] + x);
    for (int c = 0; c < 3; c++) sum[c] += w * (float)n[c];
  }
  return (firn_v3){sum[0] * v->velocity_unit, sum[1] * v->velocity_unit, sum[2] * v->velocity_unit};
}

firn_v3 firn_volume_velocity(const firn_volume *v, firn_v3 p) {
  float at[3];
  int32_t block = v->velocity ? locate(v, p, at) : -1;
  return block < 0 ? (firn_v3){0, 0, 0} : velocity_in(v, (size_t)block, at);
}

size_t firn_volume_cells(const firn_volume *v) {
  return v->cells;
}

bool firn_volume_nodes(const firn_volume *v, size_t cell, int32_t at[3], float density[512],
                       float velocity[512][3]) {
  if (v->index[cell] < 0) return false;
  const float low[3] = {v->low.x, v->low.y, v->low.z};
  size_t block = (size_t)v->index[cell], row = (size_t)v->size[0], layer = row * (size_t)v->size[1];
  const size_t place[3] = {cell % row, cell / row % (size_t)v->size[1], cell / layer};
  for (int a = 0; a < 3; a++)
    at[a] = (int32_t)lrintf(low[a] / (FIRN_BLOCK * v->voxel)) + (int32_t)place[a];
  const uint16_t *node = v->density + block * FIRN_BLOCK_NODES;
  float unit = v->majorant[block] / FIRN_DENSITY_ONE;
  for (int n = 0; n < 512; n++) {
    int x = n >> 6, y = n >> 3 & 7, z = n & 7;
    density[n] = unit * (float)node[(z * FIRN_BLOCK_EDGE + y) * FIRN_BLOCK_EDGE + x];
    firn_v3 u = {0, 0, 0};
    if (v->velocity) u = velocity_in(v, block, (const float[3]){(float)x, (float)y, (float)z});
    velocity[n][0] = u.x;
    velocity[n][1] = u.y;
    velocity[n][2] = u.z;
  }
  return true;
}
