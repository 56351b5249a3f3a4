// SPDX-License-Identifier: Apache-2.0
#include "render/trace_walk.h"

#include "base/isa.h"
#include "base/parallel.h"

const firn_walk_kernel *firn_walk_kernel_get(firn_isa isa) {
  if (isa == FIRN_ISA_AUTO) isa = firn_isa_best();
  if (!firn_isa_available(isa)) return &firn_walk_kernel_scalar;
  switch (isa) {
#if defined(__x86_64__)
  case FIRN_ISA_AVX512: return &firn_walk_kernel_avx512;
  case FIRN_ISA_AVX2: return &firn_walk_kernel_avx2;
#endif
  default: return &firn_walk_kernel_scalar;
  }
}

// 1/voxel. What is denser looks no different, but floats would not get light through it, or out of it.
#define MOST_SIGMA 1e3f

static float inverse(float d) {
  return 1 / (fabsf(d) < 1e-15f ? copysignf(1e-15f, d) : d);
}

// Most of what is at the nodes of a cell.
static float cell_most(const uint16_t *node, int x0, int y0, int z0) {
  int most = 0;
  for (int z = z0; z <= z0 + FIRN_WALK_CELL; z++)
    for (int y = y0; y <= y0 + FIRN_WALK_CELL; y++)
      for (int x = x0; x <= x0 + FIRN_WALK_CELL; x++) {
        int value = node[(z * FIRN_BLOCK_EDGE + y) * FIRN_BLOCK_EDGE + x];
        most = value > most ? value : most;
      }
  return (float)most * (1.0f / FIRN_DENSITY_ONE);
}

bool firn_walk_bound(firn_context *context, const firn_volume *volume, float factor, float *sigma,
                     float *cells) {
  bool split = false;
  FIRN_PARALLEL_FOR(context, schedule(static) reduction(|| : split))
  for (size_t b = 0; b < volume->count; b++) {
    const uint16_t *node = volume->density + b * FIRN_BLOCK_NODES;
    float *out = cells + b * FIRN_WALK_CELLS, sum = 0;
    sigma[b] = fminf(factor * volume->majorant[b], MOST_SIGMA);
    for (int i = 0; i < FIRN_WALK_CELLS; i++) {
      int x = i % FIRN_WALK_SPLIT, y = i / FIRN_WALK_SPLIT % FIRN_WALK_SPLIT;
      int z = i / FIRN_WALK_SPLIT / FIRN_WALK_SPLIT;
      out[i] = cell_most(node, x * FIRN_WALK_CELL, y * FIRN_WALK_CELL, z * FIRN_WALK_CELL);
      sum += out[i];
    }
    // A step into the next cell costs about as much as a collision in vain. A straight way through a
    // cube is 2/3 of its edge long on average, so this counts both, per voxel of way.
    float whole = 1.5f / FIRN_BLOCK + sigma[b];
    float parts = 1.5f / FIRN_WALK_CELL + sigma[b] * sum / FIRN_WALK_CELLS;
    bool even = whole <= parts;
    split = split || !even;
    for (int i = 0; i < FIRN_WALK_CELLS; i++) out[i] = even ? -sigma[b] : out[i] * sigma[b];
  }
  return split;
}

bool firn_walk_place(const firn_walk_view *view, firn_walk *w, int i, firn_v3 at, firn_v3 along) {
  const float p[3] = {at.x, at.y, at.z}, d[3] = {along.x, along.y, along.z};
  int b[3];
  for (int a = 0; a < 3; a++) {
    float block = floorf(p[a] / FIRN_BLOCK);
    // On a side between two blocks: the one it goes into.
    if (block * FIRN_BLOCK == p[a] && d[a] < 0) block -= 1;
    if (!(block >= 0 && block < (float)view->size[a])) return false;
    b[a] = (int)block;
  }
  size_t cell = ((size_t)b[2] * (size_t)view->size[1] + (size_t)b[1]) * (size_t)view->size[0] +
                (size_t)b[0];
  int32_t slot = view->index[cell];
  float reach = 0, corner[3], edge = FIRN_BLOCK, most = 0, whole = 1;
  if (slot < 0) {
    reach = (float)((-slot - 1) * FIRN_BLOCK);
    edge += 2 * reach;
  }
  for (int a = 0; a < 3; a++) corner[a] = (float)(b[a] * FIRN_BLOCK) - reach;
  if (slot >= 0) {
    int sub[3];
    for (int a = 0; a < 3; a++) {
      float at_cell = (p[a] - corner[a]) / FIRN_WALK_CELL;
      sub[a] = (int)at_cell;
      if ((float)sub[a] == at_cell && d[a] < 0) sub[a]--;
      sub[a] = sub[a] < 0 ? 0 : sub[a] >= FIRN_WALK_SPLIT ? FIRN_WALK_SPLIT - 1 : sub[a];
    }
    most = view->cells[slot * FIRN_WALK_CELLS +
                       (sub[2] * FIRN_WALK_SPLIT + sub[1]) * FIRN_WALK_SPLIT + sub[0]];
    whole = view->sigma[slot];
    if (most >= 0) {
      for (int a = 0; a < 3; a++) corner[a] += (float)(sub[a] * FIRN_WALK_CELL);
      edge = FIRN_WALK_CELL;
    }
  }
  w->x[i] = at.x;
  w->y[i] = at.y;
  w->z[i] = at.z;
  w->dx[i] = along.x;
  w->dy[i] = along.y;
  w->dz[i] = along.z;
  w->ix[i] = inverse(along.x);
  w->iy[i] = inverse(along.y);
  w->iz[i] = inverse(along.z);
  w->ax[i] = corner[0];
  w->ay[i] = corner[1];
  w->az[i] = corner[2];
  w->wide[i] = edge;
  w->slot[i] = slot;
  w->sigma[i] = fabsf(most);
  w->guarded[i] = whole < 0;
  w->scale[i] = fabsf(whole) / fmaxf(fabsf(most), 1e-20f);
  return true;
}
