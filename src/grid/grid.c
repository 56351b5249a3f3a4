// SPDX-License-Identifier: Apache-2.0
#include "grid/grid.h"

#include <string.h>

#include "base/parallel.h"
#include "grid/block_map.h"
#include "world/morton.h"

void firn_grid_init(firn_grid *grid, firn_context *context) {
  memset(grid, 0, sizeof *grid);
  grid->context = context;
}

void firn_grid_free(firn_grid *grid) {
  firn_context *context = grid->context;
  firn_free(context, grid->at, grid->capacity * sizeof *grid->at);
  firn_free(context, grid->giver_start, grid->capacity * sizeof *grid->giver_start);
  firn_free(context, grid->giver, grid->giver_capacity * sizeof *grid->giver);
  firn_free(context, grid->target, grid->target_capacity * sizeof *grid->target);
  firn_free(context, grid->neighbour_start,
            grid->neighbour_start_capacity * sizeof *grid->neighbour_start);
  firn_free(context, grid->neighbour, grid->neighbour_capacity * sizeof *grid->neighbour);
  firn_free(context, grid->around, grid->around_capacity * sizeof *grid->around);
  firn_buffer_free(context, &grid->table);
  memset(grid, 0, sizeof *grid);
}

static int block_of(int node) {
  return node < 0 ? -1 : node >> 2;
}

firn_status firn_grid_reserve(firn_grid *grid, void *array, size_t *capacity, size_t count,
                              size_t size) {
  void **data = array;
  if (count <= *capacity) return FIRN_OK;
  firn_free(grid->context, *data, *capacity * size);
  *capacity = 0;
  *data = firn_alloc(grid->context, (count + count / 32) * size, "grid");
  if (!*data) return FIRN_ERROR_MEMORY;
  *capacity = count + count / 32;
  return FIRN_OK;
}

static firn_status reserve_nodes(firn_grid *grid, size_t count) {
  size_t other = grid->capacity, capacity = other;
  firn_status status = firn_grid_reserve(grid, &grid->at, &capacity, count, sizeof *grid->at);
  if (status == FIRN_OK) {
    status = firn_grid_reserve(grid, &grid->giver_start, &other, count, sizeof *grid->giver_start);
  }
  if (status != FIRN_OK) {
    // Both are as long as capacity says, or neither is there.
    firn_free(grid->context, grid->at, capacity * sizeof *grid->at);
    firn_free(grid->context, grid->giver_start, other * sizeof *grid->giver_start);
    grid->at = NULL;
    grid->giver_start = NULL;
    grid->capacity = 0;
    return status;
  }
  grid->capacity = capacity;
  return FIRN_OK;
}

// Lists the particle blocks that reach each node block, by counting.
static firn_status list_givers(firn_grid *grid, size_t blocks) {
  uint32_t *start = grid->giver_start;
  memset(start, 0, (grid->count + 1) * sizeof *start);
  for (size_t b = 0; b < blocks; b++) {
    for (int o = 0; o < 27; o++) {
      if (grid->target[b][o] != FIRN_GRID_NONE) start[grid->target[b][o] + 1]++;
    }
  }
  for (size_t g = 0; g < grid->count; g++) start[g + 1] += start[g];
  FIRN_TRY(firn_grid_reserve(grid, &grid->giver, &grid->giver_capacity, start[grid->count],
                             sizeof *grid->giver));
  // Offsets outermost, so that each list is in their order; the beginnings move to the ends.
  for (int o = 26; o >= 0; o--) {
    for (size_t b = 0; b < blocks; b++) {
      uint32_t g = grid->target[b][o];
      if (g != FIRN_GRID_NONE) grid->giver[start[g]++] = firn_giver_make((uint32_t)b, 26 - o);
    }
  }
  for (size_t g = grid->count; g > 0; g--) start[g] = start[g - 1];
  start[0] = 0;
  return FIRN_OK;
}

// The block at an offset from another.
static void block_at(const firn_particles *particles, const int32_t from[3], int offset,
                     int32_t at[3]) {
  const int d[3] = {offset / 9 - 1, offset / 3 % 3 - 1, offset % 3 - 1};
  for (int a = 0; a < 3; a++) {
    int32_t n = particles->period[a];
    at[a] = n ? (from[a] + d[a] + n) % n : from[a] + d[a];
  }
}

// Number the node blocks that block b reaches; those of spray only if they exist. False
// when the table is too full.
static bool number_nodes(firn_grid *grid, const firn_particles *particles, const firn_reach *reach,
                         size_t b, firn_block_map_entry *table, size_t size) {
  const firn_reach *r = &reach[b];
  if (grid->count + 27 > size / 2) return false;
  for (int o = 0; o < 27; o++) {
    int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    bool reached = true;
    int32_t at[3];
    for (int a = 0; a < 3; a++) {
      reached = reached && d[a] >= block_of(r->lo[a]) && d[a] <= block_of(r->hi[a]);
    }
    grid->target[b][o] = FIRN_GRID_NONE;
    if (!reached) continue;
    block_at(particles, particles->block[b].at, o, at);
    uint64_t key = firn_morton(at);
    firn_block_map_entry *entry = firn_block_map_find(table, size - 1, key);
    if (!entry->key1) {
      if (r->spray) continue;
      *entry = (firn_block_map_entry){key + 1, (uint32_t)grid->count++};
    }
    grid->target[b][o] = entry->value;
  }
  return true;
}

firn_status firn_grid_build(firn_grid *grid, const firn_particles *particles, firn_reach *reach,
                            bool may_have_spray) {
  size_t blocks = particles->block_count;
  if (blocks >> FIRN_GIVER_BITS) {
    return firn_fail(grid->context, FIRN_ERROR_DOMAIN, "grid: %zu particle blocks are over 2^%d",
                     blocks, FIRN_GIVER_BITS);
  }
  grid->count = grid->spray_count = 0;
  if (may_have_spray) {
    FIRN_TRY(firn_grid_set_spray(grid, particles, reach));
  } else {
    for (size_t b = 0; b < blocks; b++) reach[b].spray = false;
  }
  FIRN_TRY(
      firn_grid_reserve(grid, &grid->target, &grid->target_capacity, blocks, sizeof *grid->target));

  // Dense snow shares each node block among up to 27 particle blocks, spray among none. A table
  // for the worst case would be wasteful for the former, so it starts small and doubles.
  size_t size = 64, b = 0;
  while (size < (blocks - grid->spray_count) * 4) size *= 2;
  for (;; size *= 2) {
    FIRN_TRY(firn_buffer_reserve(grid->context, &grid->table, size * sizeof(firn_block_map_entry),
                                 "block table"));
    firn_block_map_entry *table = grid->table.data;
    memset(table, 0, size * sizeof *table);
    grid->count = 0;
    // Those who make node blocks first, then those who only look for them.
    for (b = 0; b < blocks; b++) {
      if (!reach[b].spray && !number_nodes(grid, particles, reach, b, table, size)) break;
    }
    if (b < blocks) continue;
    for (b = 0; b < blocks; b++) {
      if (reach[b].spray && !number_nodes(grid, particles, reach, b, table, size)) break;
    }
    if (b == blocks) break;
  }

  grid->table_size = size;

  // Name them, and list who writes to each.
  FIRN_TRY(reserve_nodes(grid, grid->count + 1));
  for (b = 0; b < blocks; b++) {
    for (int o = 0; o < 27; o++) {
      uint32_t g = grid->target[b][o];
      if (g != FIRN_GRID_NONE) block_at(particles, particles->block[b].at, o, grid->at[g]);
    }
  }
  return list_givers(grid, blocks);
}

firn_status firn_grid_link(firn_grid *grid, const firn_particles *particles) {
  FIRN_TRY(firn_grid_reserve(grid, &grid->around, &grid->around_capacity, grid->count,
                             sizeof *grid->around));
  firn_block_map_entry *table = grid->table.data;
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t g = 0; g < grid->count; g++) {
    for (int o = 0; o < 27; o++) {
      int32_t at[3];
      block_at(particles, grid->at[g], o, at);
      const firn_block_map_entry *entry = firn_block_map_find(table, grid->table_size - 1,
                                                              firn_morton(at));
      grid->around[g][o] = entry->key1 ? entry->value : FIRN_GRID_NONE;
    }
  }
  return FIRN_OK;
}
