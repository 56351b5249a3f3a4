// SPDX-License-Identifier: Apache-2.0
#include "geometry/level_set.h"

#include <math.h>

#include "geometry/level_set_private.h"

firn_level_set *firn_level_set_retain(const firn_level_set *set) {
  firn_level_set *held = (firn_level_set *)set;
  if (held) firn_hold(&held->references);
  return held;
}

size_t firn_level_set_table_size(const firn_level_set *set) {
  return (size_t)set->blocks[0] * (size_t)set->blocks[1] * (size_t)set->blocks[2];
}

size_t firn_level_set_corner_count(const firn_level_set *set) {
  return ((size_t)set->blocks[0] + 1) * ((size_t)set->blocks[1] + 1) * ((size_t)set->blocks[2] + 1);
}

void firn_level_set_release(const firn_level_set *set) {
  firn_level_set *held = (firn_level_set *)set;
  if (!held || !firn_let_go(&held->references)) return;
  firn_context *context = held->context;
  size_t corners = firn_level_set_corner_count(held);
  size_t nodes = held->block_count * FIRN_LEVEL_SET_BLOCK;
  firn_free(context, held->table, firn_level_set_table_size(held) * sizeof *held->table);
  firn_free(context, held->corner, corners * sizeof *held->corner);
  firn_free(context, held->value, nodes * sizeof *held->value);
  firn_free(context, held->corner_velocity, corners * 3 * sizeof *held->corner_velocity);
  firn_free(context, held->velocity, nodes * 3 * sizeof *held->velocity);
  firn_free(context, held, sizeof *held);
}

size_t firn_level_set_bytes(const firn_level_set *set) {
  size_t corners = firn_level_set_corner_count(set);
  size_t nodes = set->block_count * FIRN_LEVEL_SET_BLOCK, lanes = set->velocity ? 3 : 0;
  return sizeof *set + firn_level_set_table_size(set) * sizeof *set->table +
         corners * (sizeof *set->corner + lanes * sizeof *set->corner_velocity) +
         nodes * (sizeof *set->value + lanes * sizeof *set->velocity);
}

// ------------------------------------------------------------------------------------------- making

firn_level_set *firn_level_set_new(firn_context *context) {
  firn_level_set *set = firn_alloc_zero(context, sizeof *set, "distance field");
  if (!set) return NULL;
  set->context = context;
  set->references = 1;
  return set;
}

firn_status firn_level_set_lattice(firn_level_set *set, bool moving, const char *what) {
  double cells = 1;
  for (int a = 0; a < 3; a++) cells *= set->blocks[a] + 1.0;
  if (cells > FIRN_LEVEL_SET_LATTICE_MAX) {
    return firn_fail(set->context, FIRN_ERROR_ARGUMENT,
                     "%s: a distance field of %d x %d x %d voxels is too large; voxel %g m should "
                     "be %g m or more",
                     what, set->blocks[0] * FIRN_LEVEL_SET_CELLS,
                     set->blocks[1] * FIRN_LEVEL_SET_CELLS, set->blocks[2] * FIRN_LEVEL_SET_CELLS,
                     set->voxel, set->voxel * cbrt(cells / FIRN_LEVEL_SET_LATTICE_MAX));
  }
  size_t corners = firn_level_set_corner_count(set), slots = firn_level_set_table_size(set);
  set->table = firn_alloc(set->context, slots * sizeof *set->table, "distance field");
  set->corner = firn_alloc(set->context, corners * sizeof *set->corner, "distance field");
  if (!set->table || !set->corner) return FIRN_ERROR_MEMORY;
  if (!moving) return FIRN_OK;
  size_t bytes = corners * 3 * sizeof *set->corner_velocity;
  set->corner_velocity = firn_alloc(set->context, bytes, "distance field");
  return set->corner_velocity ? FIRN_OK : FIRN_ERROR_MEMORY;
}

firn_status firn_level_set_blocks(firn_level_set *set, size_t count, bool moving) {
  size_t nodes = count * FIRN_LEVEL_SET_BLOCK;
  set->value = firn_alloc(set->context, nodes * sizeof *set->value, "distance field");
  if (!set->value) return FIRN_ERROR_MEMORY;
  set->block_count = count;
  if (!moving) return FIRN_OK;
  set->velocity = firn_alloc(set->context, nodes * 3 * sizeof *set->velocity, "distance field");
  return set->velocity ? FIRN_OK : FIRN_ERROR_MEMORY;
}
