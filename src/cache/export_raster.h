// SPDX-License-Identifier: Apache-2.0
// The snow as a density on the nodes of a sparse lattice, as the solver sees it: each particle's mass
// spread by the cubic B-spline (Stomakhin et al. 2013, section 4.1).
#ifndef FIRN_CACHE_EXPORT_RASTER_H
#define FIRN_CACHE_EXPORT_RASTER_H

#include "cache/export_cloud.h"

// Blocks of 8^3 nodes, which are also the leaves of an OpenVDB tree. Node (x, y, z) of a block is at
// 64 x + 8 y + z.
enum { FIRN_RASTER_EDGE = 8, FIRN_RASTER_NODES = 512 };

typedef struct firn_raster {
  firn_context *context;
  double cell;     // m, from node to node; node (0, 0, 0) of block (0, 0, 0) is the origin
  size_t count;    // blocks
  uint64_t *key;   // [count], firn_cell_key of the blocks, ascending
  float *density;  // [count][512], kg/m^3
  float *momentum; // [count][512][3], kg/(m^2 s); NULL if not asked for
} firn_raster;

// The cloud must have masses, and velocities if momentum is asked for. The kernel is as wide as the
// solver's, h, or as the cell where that is larger; cell is h/4 or more. Every node that is not in a
// block has no density, and neither has any that is above it in x, y or z: whoever walks the cells
// of the blocks from their lower corners misses no snow.
firn_status firn_raster_build(const firn_cloud *cloud, double h, double cell, bool momentum,
                              firn_raster *out);
void firn_raster_free(firn_raster *raster);
// The block of a key, or SIZE_MAX.
size_t firn_raster_find(const firn_raster *raster, uint64_t key);

#endif
