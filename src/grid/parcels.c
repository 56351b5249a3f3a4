// SPDX-License-Identifier: Apache-2.0
// Parcels of spray. A particle alone in its block would claim up to eight node blocks, 8 KiB of nodes of which
// it touches 27 or 64, and pay for them in cache misses every step. Spray makes none: the nodes of a
// parcel are added up where they are needed, in cache, from its own particles and those around it. Nodes
// that some other block touches are in node blocks all the same.
#include <string.h>

#include "base/parallel.h"
#include "grid/block_map.h"
#include "grid/grid.h"
#include "world/morton.h"

enum {
  EDGE = FIRN_PARCEL_BLOCKS,
  // A stencil begins at most 2 nodes below its block and ends at most 2 above: this many blocks on either
  // side of a parcel may reach nodes that its own reach, and more than these across a period would be there twice.
  BESIDE = 2,
  PERIOD_MIN = EDGE + 2 * BESIDE
};

// Cubes of parcels' size, at multiples of it, are what a place is looked up by. Their blocks follow each other, as
// blocks lie in Morton order.
typedef struct survey {
  const firn_particles *particles;
  const firn_reach *reach;
  firn_block_map_entry *table; // of cubes, by their corners: the first block of spray
  size_t mask;
} survey;

// Whether two blocks are in one cube of so many a side.
static bool is_in_cube(const int32_t a[3], const int32_t b[3], int32_t edge) {
  bool same = true;
  for (int i = 0; i < 3; i++) same = same && (a[i] ^ b[i]) < edge && (a[i] ^ b[i]) >= 0;
  return same;
}

// The nodes that a parcel's own spray may reach, from its corner.
static firn_reach bound_own(const survey *s, const firn_parcel *parcel) {
  firn_reach all = {.lo = {INT8_MAX, INT8_MAX, INT8_MAX}, .hi = {INT8_MIN, INT8_MIN, INT8_MIN}};
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    const firn_reach *reach = &s->reach[b];
    if (!reach->spray) continue;
    for (int a = 0; a < 3; a++) {
      int shift = 4 * (s->particles->block[b].at[a] & (EDGE - 1));
      if (reach->lo[a] + shift < all.lo[a]) all.lo[a] = (int8_t)(reach->lo[a] + shift);
      if (reach->hi[a] + shift > all.hi[a]) all.hi[a] = (int8_t)(reach->hi[a] + shift);
    }
  }
  return all;
}

static bool overlaps(const firn_reach *own, const firn_reach *reach, const int d[3]) {
  for (int a = 0; a < 3; a++) {
    if (reach->lo[a] + 4 * d[a] > own->hi[a] || reach->hi[a] + 4 * d[a] < own->lo[a]) return false;
  }
  return true;
}

// Blocks of spray around a parcel, by x, y and z: which are there, and their numbers.
enum { WIDE = EDGE + 2 * BESIDE };
typedef struct around {
  uint16_t there[WIDE][WIDE]; // bits along z
  uint32_t block[WIDE][WIDE][WIDE];
} around;

// Cubes that have blocks between lo and hi, along one axis, from a parcel's corner; their first blocks.
static int corners_along(const survey *s, int a, int32_t corner, int lo, int hi,
                         int32_t out[WIDE]) {
  int32_t period = s->particles->period[a];
  int count = 0;
  for (int d = lo; d <= hi; d++) {
    int32_t at = corner + d;
    if (period) at = (at % period + period) % period;
    at &= ~(EDGE - 1);
    bool known = false;
    for (int i = 0; i < count; i++) known = known || out[i] == at;
    if (!known) out[count++] = at;
  }
  return count;
}

// Enters those blocks of a cube, given its first, that share nodes with `own`, which is what a parcel at a corner
// reaches.
static uint32_t enter_around(const survey *s, uint32_t first, const int32_t corner[3],
                             const firn_reach *own, around *out) {
  const firn_block *block = s->particles->block;
  uint32_t count = 0;
  for (uint32_t b = first; b < s->particles->block_count; b++) {
    int d[3];
    if (!is_in_cube(block[first].at, block[b].at, EDGE)) break;
    if (!s->reach[b].spray) continue;
    for (int a = 0; a < 3; a++) {
      int32_t period = s->particles->period[a];
      d[a] = block[b].at[a] - corner[a];
      if (period && d[a] < -BESIDE) d[a] += period;
      if (period && d[a] >= period - BESIDE) d[a] -= period;
    }
    if (!overlaps(own, &s->reach[b], d)) continue;
    const int x = d[0] + BESIDE, y = d[1] + BESIDE, z = d[2] + BESIDE;
    out->there[x][y] |= (uint16_t)(1u << z);
    out->block[x][y][z] = b;
    count++;
  }
  return count;
}

// Finds a parcel's neighbours, by a table of cubes rather than of blocks: most places around sparse spray
// are empty. out may be NULL. Returns their number.
static uint32_t look_around(const survey *s, const firn_parcel *parcel, firn_neighbour *out) {
  const firn_reach own = bound_own(s, parcel);
  int32_t corner[3], from[3][WIDE];
  int n[3];
  uint32_t count = 0;
  around found;
  memset(found.there, 0, sizeof found.there);
  for (int a = 0; a < 3; a++) {
    corner[a] = s->particles->block[parcel->first].at[a] & ~(EDGE - 1);
    int lo = own.lo[a] <= 6 - 4 ? (own.lo[a] <= 6 - 8 ? -BESIDE : -1) : 0;
    n[a] = corners_along(s, a, corner[a], lo, (own.hi[a] + 2) / 4, from[a]);
  }
  for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
    const int32_t at[3] = {from[0][i / (n[1] * n[2])], from[1][i / n[2] % n[1]], from[2][i % n[2]]};
    const firn_block_map_entry *entry = firn_block_map_find(s->table, s->mask, firn_morton(at));
    if (entry->key1) count += enter_around(s, entry->value, corner, &own, &found);
  }
  for (int i = 0; i < WIDE * WIDE && out; i++) {
    int x = i / WIDE, y = i % WIDE;
    for (unsigned left = found.there[x][y]; left; left &= left - 1) {
      int z = __builtin_ctz(left);
      *out++ = (firn_neighbour){
          found.block[x][y][z],
          {(int8_t)(4 * (x - BESIDE)), (int8_t)(4 * (y - BESIDE)), (int8_t)(4 * (z - BESIDE))}};
    }
  }
  return count;
}

static firn_status enter_cubes(firn_grid *grid, survey *s) {
  size_t size = firn_block_map_size(64, 2 * grid->parcel_count);
  FIRN_TRY(firn_buffer_reserve(grid->context, &grid->table, size * sizeof(firn_block_map_entry),
                               "block table"));
  s->table = grid->table.data;
  s->mask = size - 1;
  memset(s->table, 0, size * sizeof *s->table);
  for (size_t i = 0; i < grid->parcel_count; i++) {
    const int32_t *at = s->particles->block[grid->parcel[i].first].at;
    const int32_t corner[3] = {at[0] & ~(EDGE - 1), at[1] & ~(EDGE - 1), at[2] & ~(EDGE - 1)};
    size_t made = 0;
    firn_block_map_entry *entry = firn_block_map_claim(s->table, s->mask, firn_morton(corner),
                                                       &made);
    if (made) entry->value = grid->parcel[i].first;
  }
  return FIRN_OK;
}

// A parcel is a cube, or a part of one where most spray is in few: threads need something to share. Nodes at the
// borders of parts are added up more than once, so that parts are not made without need: this many particles at
// least are one, and no more than about so many parts are made beyond one of each cube.
enum { PART_MIN = 128, PARTS = 48 };

static firn_status cut(firn_grid *grid, const survey *s) {
  FIRN_TRY(firn_grid_reserve(grid, &grid->parcel, &grid->parcel_capacity, grid->spray_count,
                             sizeof *grid->parcel));
  const firn_block *block = s->particles->block;
  size_t enough = 0, count = 0;
  for (size_t b = 0; b < s->particles->block_count; b++) {
    if (s->reach[b].spray) enough += block[b].count;
  }
  enough = enough / PARTS > PART_MIN ? enough / PARTS : PART_MIN;
  firn_parcel *parcel = NULL;
  for (size_t b = 0; b < s->particles->block_count; b++) {
    if (!s->reach[b].spray) continue;
    bool begins = !parcel || !is_in_cube(block[parcel->first].at, block[b].at, EDGE);
    begins = begins || (count >= enough && !is_in_cube(block[parcel->end - 1].at, block[b].at, 2));
    if (begins) {
      parcel = &grid->parcel[grid->parcel_count++];
      parcel->first = (uint32_t)b;
      count = 0;
    }
    parcel->end = (uint32_t)b + 1;
    count += block[b].count;
  }
  return FIRN_OK;
}

firn_status firn_grid_list_parcels(firn_grid *grid, const firn_particles *particles,
                                   firn_reach *reach) {
  survey s = {.particles = particles, .reach = reach};
  bool short_period = false;
  for (int a = 0; a < 3; a++) {
    short_period = short_period || (particles->periodic[a] && particles->period[a] < PERIOD_MIN);
  }
  for (size_t b = 0; b < particles->block_count; b++) {
    reach[b].spray = reach[b].spray && !short_period;
    grid->spray_count += reach[b].spray;
  }
  if (!grid->spray_count) return FIRN_OK;
  FIRN_TRY(cut(grid, &s));
  FIRN_TRY(enter_cubes(grid, &s));
  FIRN_PARALLEL_FOR(grid->context, schedule(dynamic, 16))
  for (size_t i = 0; i < grid->parcel_count; i++) {
    grid->parcel[i].neighbours = look_around(&s, &grid->parcel[i], NULL);
  }
  uint32_t total = 0;
  for (size_t i = 0; i < grid->parcel_count; i++) {
    grid->parcel[i].neighbour = total;
    total += grid->parcel[i].neighbours;
  }
  FIRN_TRY(firn_grid_reserve(grid, &grid->neighbour, &grid->neighbour_capacity, total,
                             sizeof *grid->neighbour));
  FIRN_PARALLEL_FOR(grid->context, schedule(dynamic, 16))
  for (size_t i = 0; i < grid->parcel_count; i++) {
    firn_parcel *parcel = &grid->parcel[i];
    firn_neighbour *neighbour = grid->neighbour + parcel->neighbour;
    look_around(&s, parcel, neighbour);
    parcel->through = 0;
    for (uint32_t n = 0; n < parcel->neighbours; n++) {
      parcel->through += particles->block[neighbour[n].block].count;
    }
  }
  for (size_t i = 1; i < grid->parcel_count; i++) {
    grid->parcel[i].through += grid->parcel[i - 1].through;
  }
  return FIRN_OK;
}
