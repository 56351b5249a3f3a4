// SPDX-License-Identifier: Apache-2.0
#include "grid/grid.h"

#include <string.h>

#include "world/morton.h"

void firn_grid_init(firn_grid *grid, firn_context *context) {
  memset(grid, 0, sizeof *grid);
  grid->context = context;
}

void firn_grid_free(firn_grid *grid) {
  firn_context *context = grid->context;
  firn_free(context, grid->at, grid->capacity * sizeof *grid->at);
  firn_free(context, grid->source, grid->capacity * sizeof *grid->source);
  firn_free(context, grid->target, grid->target_capacity * sizeof *grid->target);
  firn_buffer_free(context, &grid->table);
  memset(grid, 0, sizeof *grid);
}

// An open-addressing table from Morton key to node block. Keys are stored plus one: 0 is empty.
typedef struct entry {
  uint64_t key1;
  uint32_t index;
} entry;

static uint64_t mix(uint64_t x) {
  x ^= x >> 31;
  x *= 0x9E3779B97F4A7C15u;
  return x ^ x >> 29;
}

static uint32_t find_or_add(entry *table, size_t mask, uint64_t key, size_t *count) {
  for (size_t i = mix(key) & mask;; i = (i + 1) & mask) {
    if (table[i].key1 == key + 1) return table[i].index;
    if (!table[i].key1) {
      table[i] = (entry){key + 1, (uint32_t)*count};
      return (uint32_t)(*count)++;
    }
  }
}

static int block_of(int node) {
  return node < 0 ? -1 : node >> 2;
}

static firn_status reserve(firn_grid *grid, size_t nodes, size_t particles) {
  if (nodes > grid->capacity) {
    firn_context *context = grid->context;
    size_t capacity = nodes + nodes / 16;
    firn_free(context, grid->at, grid->capacity * sizeof *grid->at);
    firn_free(context, grid->source, grid->capacity * sizeof *grid->source);
    grid->at = NULL;
    grid->source = NULL;
    grid->capacity = 0;
    grid->at = firn_alloc(context, capacity * sizeof *grid->at, "node blocks");
    if (!grid->at) return FIRN_ERROR_MEMORY;
    grid->source = firn_alloc(context, capacity * sizeof *grid->source, "node blocks");
    if (!grid->source) {
      firn_free(context, grid->at, capacity * sizeof *grid->at);
      grid->at = NULL;
      return FIRN_ERROR_MEMORY;
    }
    grid->capacity = capacity;
  }
  if (particles > grid->target_capacity) {
    size_t capacity = particles + particles / 16;
    firn_free(grid->context, grid->target, grid->target_capacity * sizeof *grid->target);
    grid->target_capacity = 0;
    grid->target = firn_alloc(grid->context, capacity * sizeof *grid->target, "particle blocks");
    if (!grid->target) return FIRN_ERROR_MEMORY;
    grid->target_capacity = capacity;
  }
  return FIRN_OK;
}

firn_status firn_grid_build(firn_grid *grid, const firn_particles *particles,
                            const firn_reach *reach) {
  size_t blocks = particles->block_count;
  grid->count = 0;
  FIRN_TRY(reserve(grid, 0, blocks));

  // Number the node blocks.
  // Dense snow shares each node block among up to 27 particle blocks, spray among none. A table
  // for the worst case would be wasteful for the former, so it starts small and doubles.
  size_t size = 64;
  while (size < blocks * 4) size *= 2;
  for (;;) {
    FIRN_TRY(firn_buffer_reserve(grid->context, &grid->table, size * sizeof(entry), "block table"));
    entry *table = grid->table.data;
    memset(table, 0, size * sizeof *table);
    size_t b = 0;
    grid->count = 0;
    for (; b < blocks && grid->count + 27 <= size / 2; b++) {
      const firn_reach *r = &reach[b];
      for (int o = 0; o < 27; o++) grid->target[b][o] = FIRN_GRID_NONE;
      for (int dx = block_of(r->lo[0]); dx <= block_of(r->hi[0]); dx++) {
        for (int dy = block_of(r->lo[1]); dy <= block_of(r->hi[1]); dy++) {
          for (int dz = block_of(r->lo[2]); dz <= block_of(r->hi[2]); dz++) {
            int d[3] = {dx, dy, dz};
            int32_t at[3];
            for (int a = 0; a < 3; a++) {
              at[a] = particles->block[b].at[a] + d[a];
              int32_t n = particles->period[a];
              if (n) at[a] = (at[a] + n) % n;
            }
            grid->target[b][firn_grid_offset(dx, dy, dz)] = find_or_add(
                table, size - 1, firn_morton(at), &grid->count);
          }
        }
      }
    }
    if (b == blocks) break;
    size *= 2;
  }

  // Name them, and list who writes to each.
  FIRN_TRY(reserve(grid, grid->count, blocks));
  memset(grid->source, 0xff, grid->count * sizeof *grid->source);
  for (size_t b = 0; b < blocks; b++) {
    for (int o = 0; o < 27; o++) {
      uint32_t g = grid->target[b][o];
      if (g == FIRN_GRID_NONE) continue;
      grid->source[g][26 - o] = (uint32_t)b;
      int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
      for (int a = 0; a < 3; a++) {
        int32_t n = particles->period[a], at = particles->block[b].at[a] + d[a];
        grid->at[g][a] = n ? (at + n) % n : at;
      }
    }
  }
  return FIRN_OK;
}
