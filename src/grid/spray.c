// SPDX-License-Identifier: Apache-2.0
// Spray. A particle alone in its block would claim up to eight node blocks, 8 KiB of nodes of which
// it touches 27 or 64, and pay for them in cache misses every step. Where few particles are around, each
// adds up its own few nodes instead. Nodes that some other block touches are in node blocks all the same.
#include <string.h>

#include "base/parallel.h"
#include "grid/block_map.h"
#include "grid/grid.h"
#include "world/morton.h"

// Two blocks whose corners are further apart than this many blocks share no node: a stencil begins
// at most 2 nodes below its block and ends at most 2 nodes above.
enum { FAR = 2 };

static bool overlaps(const firn_reach *a, const firn_reach *b, const int d[3]) {
  for (int i = 0; i < 3; i++) {
    if (b->lo[i] + 4 * d[i] > a->hi[i] || b->hi[i] + 4 * d[i] < a->lo[i]) return false;
  }
  return true;
}

typedef struct search {
  const firn_particles *particles;
  firn_reach *reach;
  firn_block_map_entry *table;
  size_t mask;
} search;

// Finds the blocks around b that are spray, as far as known. Returns their number; out may be NULL.
static int look_around(const search *s, size_t b, firn_neighbour *out, uint32_t *particles) {
  const firn_particles *p = s->particles;
  const firn_reach *reach = &s->reach[b];
  int count = 0, lo[3], hi[3];
  *particles = p->block[b].count;
  // Only blocks that this one's reach touches, or whose reach may touch it back.
  for (int a = 0; a < 3; a++) {
    lo[a] = reach->lo[a] <= 2 ? (reach->lo[a] <= -2 ? -FAR : -1) : 0;
    hi[a] = reach->hi[a] >= 2 ? (reach->hi[a] >= 6 ? FAR : 1) : 0;
  }
  for (int dx = lo[0]; dx <= hi[0]; dx++) {
    for (int dy = lo[1]; dy <= hi[1]; dy++) {
      for (int dz = lo[2]; dz <= hi[2]; dz++) {
        int d[3] = {dx, dy, dz};
        int32_t at[3];
        if (!dx && !dy && !dz) continue;
        for (int a = 0; a < 3; a++) {
          at[a] = p->block[b].at[a] + d[a];
          if (p->period[a]) at[a] = (at[a] % p->period[a] + p->period[a]) % p->period[a];
        }
        const firn_block_map_entry *entry = firn_block_map_find(s->table, s->mask, firn_morton(at));
        if (!entry->key1 || !s->reach[entry->value].spray) continue;
        if (!overlaps(reach, &s->reach[entry->value], d)) continue;
        *particles += p->block[entry->value].count;
        if (out) {
          out[count] = (firn_neighbour){entry->value,
                                        {(int8_t)(4 * dx), (int8_t)(4 * dy), (int8_t)(4 * dz)}};
        }
        count++;
      }
    }
  }
  return count;
}

firn_status firn_grid_set_spray(firn_grid *grid, const firn_particles *particles,
                                firn_reach *reach) {
  size_t blocks = particles->block_count, sparse = 0, size = 64;
  for (size_t b = 0; b < blocks; b++) {
    reach[b].spray = reach[b].spray && particles->block[b].count <= FIRN_SPRAY_MAX;
    sparse += reach[b].spray;
  }
  // A short period could make a block its own neighbour, twice over.
  bool short_period = false;
  for (int a = 0; a < 3; a++) {
    short_period = short_period || (particles->periodic[a] && particles->period[a] <= 2 * FAR);
  }
  for (size_t b = 0; b < blocks && short_period; b++) reach[b].spray = false;
  if (!sparse || short_period) return FIRN_OK;

  while (size < 2 * blocks) size *= 2;
  FIRN_TRY(firn_buffer_reserve(grid->context, &grid->table, size * sizeof(firn_block_map_entry),
                               "block table"));
  firn_block_map_entry *table = grid->table.data;
  memset(table, 0, size * sizeof *table);
  for (size_t b = 0; b < blocks; b++) {
    uint64_t key = firn_morton(particles->block[b].at);
    *firn_block_map_find(table, size - 1, key) = (firn_block_map_entry){key + 1, (uint32_t)b};
  }

  FIRN_TRY(firn_grid_reserve(grid, &grid->neighbour_start, &grid->neighbour_start_capacity,
                             blocks + 1, sizeof *grid->neighbour_start));
  uint32_t *start = grid->neighbour_start, unused;
  const search s = {particles, reach, table, size - 1};
  // First all that may be count as spray, so that nobody's answer hangs on another's.
  FIRN_PARALLEL_FOR(grid->context, schedule(static))
  for (size_t b = 0; b < blocks; b++) {
    uint32_t around = 0;
    if (reach[b].spray) look_around(&s, b, NULL, &around);
    start[b + 1] = reach[b].spray && around <= FIRN_SPRAY_AROUND;
  }
  for (size_t b = 0; b < blocks; b++) {
    reach[b].spray = start[b + 1];
    grid->spray_count += reach[b].spray;
  }
  FIRN_PARALLEL_FOR(grid->context, schedule(static) private(unused))
  for (size_t b = 0; b < blocks; b++) {
    start[b + 1] = reach[b].spray ? (uint32_t)look_around(&s, b, NULL, &unused) : 0;
  }
  start[0] = 0;
  for (size_t b = 0; b < blocks; b++) start[b + 1] += start[b];
  FIRN_TRY(firn_grid_reserve(grid, &grid->neighbour, &grid->neighbour_capacity, start[blocks],
                             sizeof *grid->neighbour));
  FIRN_PARALLEL_FOR(grid->context, schedule(static) private(unused))
  for (size_t b = 0; b < blocks; b++) {
    if (start[b + 1] > start[b]) look_around(&s, b, grid->neighbour + start[b], &unused);
  }
  return FIRN_OK;
}
