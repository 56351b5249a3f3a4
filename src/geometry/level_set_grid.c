// SPDX-License-Identifier: Apache-2.0
// Level sets from distances that somebody else computed.
#include <math.h>

#include "geometry/level_set_private.h"

static firn_status check(firn_context *context, const firn_distance_grid *grid, const char *what) {
  if (!grid->distance) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: distance is NULL", what);
  }
  if (!(grid->voxel > 0 && grid->voxel <= 1e9)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: voxel %g m must be positive", what,
                     grid->voxel);
  }
  double count = 1;
  for (int a = 0; a < 3; a++) {
    if (!(fabs(grid->origin[a]) <= 1e9)) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: origin (%g %g %g) is not within 1e9 m",
                       what, grid->origin[0], grid->origin[1], grid->origin[2]);
    }
    if (grid->nodes[a] < 2 || grid->nodes[a] > 1 << 20) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: nodes[%d] = %d must be between 2 and 2^20", what, a, grid->nodes[a]);
    }
    count *= grid->nodes[a];
  }
  if (count > 1e10) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %d x %d x %d nodes are too many", what,
                     grid->nodes[0], grid->nodes[1], grid->nodes[2]);
  }
  for (size_t i = 0; i < (size_t)count; i++) {
    bool finite = fabs(grid->distance[i]) <= 1e18;
    for (size_t a = 0; grid->velocity && a < 3; a++) {
      finite = finite && fabs(grid->velocity[3 * i + a]) <= 1e18;
    }
    if (finite) continue;
    size_t nx = (size_t)grid->nodes[0], ny = (size_t)grid->nodes[1];
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: distance %g m or the velocity at node (%zu %zu %zu) is not finite", what,
                     grid->distance[i], i % nx, i / nx % ny, i / nx / ny);
  }
  return FIRN_OK;
}

// Index of a node, counted from the first; those beyond the grid are as the last.
static size_t source_of(const firn_distance_grid *grid, const int node[3]) {
  size_t index = 0;
  for (int a = 2; a >= 0; a--) {
    int last = grid->nodes[a] - 1;
    index = index * (size_t)grid->nodes[a] + (size_t)(node[a] < last ? node[a] : last);
  }
  return index;
}

static void fill_corners(firn_level_set *set, const firn_distance_grid *grid) {
  size_t i = 0;
  for (int z = 0; z <= set->blocks[2]; z++) {
    for (int y = 0; y <= set->blocks[1]; y++) {
      for (int x = 0; x <= set->blocks[0]; x++, i++) {
        size_t from = source_of(grid, (int[]){FIRN_LEVEL_SET_CELLS * x, FIRN_LEVEL_SET_CELLS * y,
                                              FIRN_LEVEL_SET_CELLS * z});
        set->corner[i] = (float)grid->distance[from];
        for (size_t a = 0; grid->velocity && a < 3; a++) {
          set->corner_velocity[3 * i + a] = FIRN_R(grid->velocity[3 * from + a]);
        }
      }
    }
  }
}

static void fill_block(firn_level_set *set, const firn_distance_grid *grid, size_t number) {
  size_t nx = (size_t)set->blocks[0], ny = (size_t)set->blocks[1];
  int base[3] = {(int)(number % nx), (int)(number / nx % ny), (int)(number / nx / ny)};
  size_t i = number * FIRN_LEVEL_SET_BLOCK;
  for (int z = 0; z < FIRN_LEVEL_SET_NODES; z++) {
    for (int y = 0; y < FIRN_LEVEL_SET_NODES; y++) {
      for (int x = 0; x < FIRN_LEVEL_SET_NODES; x++, i++) {
        int node[3] = {FIRN_LEVEL_SET_CELLS * base[0] + x, FIRN_LEVEL_SET_CELLS * base[1] + y,
                       FIRN_LEVEL_SET_CELLS * base[2] + z};
        size_t from = source_of(grid, node);
        set->value[i] = FIRN_R(grid->distance[from]);
        for (size_t a = 0; grid->velocity && a < 3; a++) {
          set->velocity[3 * i + a] = FIRN_R(grid->velocity[3 * from + a]);
        }
      }
    }
  }
}

firn_status firn_level_set_from_grid(firn_context *context, const firn_distance_grid *grid,
                                     const char *what, firn_level_set **out) {
  *out = NULL;
  FIRN_TRY(check(context, grid, what));
  firn_level_set *set = firn_level_set_new(context);
  if (!set) return FIRN_ERROR_MEMORY;
  set->voxel = grid->voxel;
  set->band = INFINITY;
  for (int a = 0; a < 3; a++) {
    set->origin[a] = grid->origin[a];
    set->hi[a] = grid->origin[a] + (grid->nodes[a] - 1) * grid->voxel;
    set->blocks[a] = (grid->nodes[a] - 2) / FIRN_LEVEL_SET_CELLS + 1;
    set->bounds[0][a] = set->origin[a];
    set->bounds[1][a] = set->hi[a];
  }
  firn_status status = firn_level_set_lattice(set, grid->velocity, what);
  size_t count = firn_level_set_table_size(set);
  if (status == FIRN_OK) status = firn_level_set_blocks(set, count, grid->velocity);
  if (status != FIRN_OK) {
    firn_level_set_release(set);
    return status;
  }
  fill_corners(set, grid);
  for (size_t i = 0; i < count; i++) {
    set->table[i] = (int32_t)i;
    fill_block(set, grid, i);
  }
  *out = set;
  return FIRN_OK;
}
