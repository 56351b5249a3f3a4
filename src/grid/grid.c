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
  firn_free(context, grid->found, grid->found_capacity * sizeof *grid->found);
  firn_free(context, grid->parcel, grid->parcel_capacity * sizeof *grid->parcel);
  firn_free(context, grid->neighbour, grid->neighbour_capacity * sizeof *grid->neighbour);
  firn_free(context, grid->around, grid->around_capacity * sizeof *grid->around);
  firn_buffer_free(context, &grid->table);
  firn_buffer_free(context, &grid->first);
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

// Lists the particle blocks that reach each node block: counts them, fills the lists in any order, and puts
// each in the order of offsets. A node block has one giver at most at each.
static firn_status list_givers(firn_grid *grid, size_t blocks) {
  uint32_t *start = grid->giver_start;
  size_t count = grid->count;
  memset(start, 0, (count + 1) * sizeof *start);
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) {
    for (int o = 0; o < 27; o++) {
      uint32_t g = grid->target[b][o];
      if (g != FIRN_GRID_NONE) __atomic_fetch_add(&start[g + 1], 1, __ATOMIC_RELAXED);
    }
  }
  for (size_t g = 0; g < count; g++) start[g + 1] += start[g];
  FIRN_TRY(firn_grid_reserve(grid, &grid->giver, &grid->giver_capacity, start[count],
                             sizeof *grid->giver));
  // The beginnings move to the ends.
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) {
    for (int o = 0; o < 27; o++) {
      uint32_t g = grid->target[b][o];
      if (g == FIRN_GRID_NONE) continue;
      uint32_t at = __atomic_fetch_add(&start[g], 1, __ATOMIC_RELAXED);
      grid->giver[at] = firn_giver_make((uint32_t)b, 26 - o);
    }
  }
  memmove(start + 1, start, count * sizeof *start);
  start[0] = 0;
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t g = 0; g < count; g++) {
    firn_giver *list = grid->giver + start[g];
    for (uint32_t i = 1; i < start[g + 1] - start[g]; i++) {
      firn_giver one = list[i];
      uint32_t k = i;
      for (; k > 0 && list[k - 1] > one; k--) list[k] = list[k - 1];
      list[k] = one;
    }
  }
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

// ----------------------------------------------------------------------------------------- numbering

// What is known of a particle block while node blocks are numbered.
typedef struct numbering {
  uint32_t first; // bits of the offsets where it is the first to reach a node block ...
  uint32_t start; // ... and the number of the first of these
} numbering;

static bool reaches(const firn_reach *r, int offset) {
  const int d[3] = {offset / 9 - 1, offset / 3 % 3 - 1, offset % 3 - 1};
  for (int a = 0; a < 3; a++) {
    if (d[a] < block_of(r->lo[a]) || d[a] > block_of(r->hi[a])) return false;
  }
  return true;
}

static uint64_t key_at(const firn_particles *particles, size_t b, int offset) {
  int32_t at[3];
  block_at(particles, particles->block[b].at, offset, at);
  return firn_morton(at);
}

// Who comes first: kept as its complement, so that the first has the largest and no one has 0.
static uint32_t rank_of(size_t b, int offset) {
  return ~((uint32_t)b << 5 | (uint32_t)offset);
}

static void raise_to(uint32_t *value, uint32_t to) {
  uint32_t is = __atomic_load_n(value, __ATOMIC_RELAXED);
  while (is < to &&
         !__atomic_compare_exchange_n(value, &is, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

// Enters the node blocks that are reached, each with who comes first, and leaves their places in the
// table as targets. False when the table is too full.
static bool enter_nodes(firn_grid *grid, const firn_particles *particles, const firn_reach *reach,
                        size_t size) {
  firn_block_map_entry *table = grid->table.data;
  size_t used = 0;
  memset(table, 0, size * sizeof *table);
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < particles->block_count; b++) {
    size_t made = 0;
    if (reach[b].spray || __atomic_load_n(&used, __ATOMIC_RELAXED) > size / 2) continue;
    for (int o = 0; o < 27; o++) {
      if (!reaches(&reach[b], o)) continue;
      firn_block_map_entry *entry = firn_block_map_claim(table, size - 1, key_at(particles, b, o),
                                                         &made);
      raise_to(&entry->value, rank_of(b, o));
      grid->target[b][o] = (uint32_t)(entry - table);
    }
    if (made) __atomic_fetch_add(&used, made, __ATOMIC_RELAXED);
  }
  return used <= size / 2;
}

static firn_status number_nodes(firn_grid *grid, const firn_particles *particles,
                                const firn_reach *reach) {
  firn_block_map_entry *table = grid->table.data;
  size_t blocks = particles->block_count;
  FIRN_TRY(firn_buffer_reserve(grid->context, &grid->first, blocks * sizeof(numbering), "grid"));
  numbering *n = grid->first.data;
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) {
    n[b].first = 0;
    for (int o = 0; o < 27 && !reach[b].spray; o++) {
      if (reaches(&reach[b], o) && table[grid->target[b][o]].value == rank_of(b, o))
        n[b].first |= 1u << o;
    }
  }
  grid->count = 0;
  for (size_t b = 0; b < blocks; b++) {
    n[b].start = (uint32_t)grid->count;
    grid->count += (size_t)__builtin_popcount(n[b].first);
  }
  FIRN_TRY(reserve_nodes(grid, grid->count + 1));
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) {
    uint32_t g = n[b].start;
    for (int o = 0; o < 27; o++) {
      if (!(n[b].first >> o & 1)) continue;
      table[grid->target[b][o]].value = g;
      block_at(particles, particles->block[b].at, o, grid->at[g++]);
    }
  }
  return FIRN_OK;
}

// From places in the table to numbers. Spray makes no node blocks: it looks whether there is one.
static void set_targets(firn_grid *grid, const firn_particles *particles, const firn_reach *reach,
                        size_t size) {
  firn_block_map_entry *table = grid->table.data;
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < particles->block_count; b++) {
    uint32_t found = 0;
    for (int o = 0; o < 27; o++) {
      uint32_t *target = &grid->target[b][o];
      const firn_block_map_entry *entry = NULL;
      if (!reaches(&reach[b], o)) {
        *target = FIRN_GRID_NONE;
        continue;
      }
      if (reach[b].spray)
        entry = firn_block_map_find(table, size - 1, key_at(particles, b, o));
      else
        entry = &table[*target];
      *target = entry->key1 ? entry->value : FIRN_GRID_NONE;
      if (entry->key1) found |= 1u << o;
    }
    grid->found[b] = found;
  }
}

firn_status firn_grid_build(firn_grid *grid, const firn_particles *particles, firn_reach *reach,
                            bool may_have_spray) {
  size_t blocks = particles->block_count, before = grid->count;
  if (blocks >> FIRN_GIVER_BITS) {
    return firn_fail(grid->context, FIRN_ERROR_DOMAIN, "grid: %zu particle blocks are over 2^%d",
                     blocks, FIRN_GIVER_BITS);
  }
  grid->count = grid->spray_count = grid->parcel_count = 0;
  if (may_have_spray) {
    FIRN_TRY(firn_grid_list_parcels(grid, particles, reach));
  } else {
    for (size_t b = 0; b < blocks; b++) reach[b].spray = false;
  }
  FIRN_TRY(
      firn_grid_reserve(grid, &grid->target, &grid->target_capacity, blocks, sizeof *grid->target));
  FIRN_TRY(
      firn_grid_reserve(grid, &grid->found, &grid->found_capacity, blocks, sizeof *grid->found));

  // Dense snow shares each node block among up to 27 particle blocks, spray among none. A table
  // for the worst case would be wasteful for the former, so it starts small, or for as many as there
  // were, and doubles. All threads may add 27 to one that is half full.
  size_t size = 128 * (size_t)grid->context->threads, dense = blocks - grid->spray_count;
  size = firn_block_map_size(size, 4 * dense);
  if (before < 27 * dense) size = firn_block_map_size(size, 2 * before);
  for (;; size *= 2) {
    FIRN_TRY(firn_buffer_reserve(grid->context, &grid->table, size * sizeof(firn_block_map_entry),
                                 "block table"));
    if (enter_nodes(grid, particles, reach, size)) break;
  }
  grid->table_size = size;
  FIRN_TRY(number_nodes(grid, particles, reach));
  set_targets(grid, particles, reach, size);
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
