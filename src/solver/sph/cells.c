// SPDX-License-Identifier: Apache-2.0
#include "solver/sph/cells.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "world/morton.h"

void sph_cells_free(sph_cells *cells, firn_context *context) {
  firn_buffer *all[] = {&cells->blocks,   &cells->orders,   &cells->tables,
                        &cells->keyed[0], &cells->keyed[1], &cells->places};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) firn_buffer_free(context, all[i]);
  *cells = (sph_cells){0};
}

static firn_status reserve(sph_cells *cells, firn_context *context, size_t blocks, size_t points) {
  size_t size = 16;
  while (size < 2 * blocks) size *= 2;
  FIRN_TRY(firn_buffer_reserve(context, &cells->blocks, blocks * sizeof *cells->block, "cells"));
  FIRN_TRY(firn_buffer_reserve(context, &cells->orders, points * sizeof *cells->order, "cells"));
  FIRN_TRY(firn_buffer_reserve(context, &cells->tables, size * sizeof *cells->table, "cells"));
  cells->block = cells->blocks.data;
  cells->order = cells->orders.data;
  cells->table = cells->tables.data;
  cells->mask = size - 1;
  cells->block_count = blocks;
  return FIRN_OK;
}

static void fill_table(sph_cells *cells) {
  memset(cells->table, 0, (cells->mask + 1) * sizeof *cells->table);
  for (size_t b = 0; b < cells->block_count; b++) {
    uint64_t key = firn_morton(cells->block[b].at);
    firn_block_map_entry *e = firn_block_map_find(cells->table, cells->mask, key);
    e->key1 = key + 1;
    e->value = (uint32_t)b;
  }
}

// Rounding may leave a point at the far face of its block; it counts to the last cell, which costs
// nothing: pairs are told by distance, and a point at the face has no neighbour two cells away.
static int cell_of(firn_real x, firn_real y, firn_real z) {
  int at[3] = {(int)x, (int)y, (int)z}, cell = 0;
  for (int a = 0; a < 3; a++) cell = 4 * cell + (at[a] < 0 ? 0 : at[a] > 3 ? 3 : at[a]);
  return cell;
}

// A counting sort of the points `number` (or first, first + 1, ... where it is NULL) of one block.
static void bin(sph_cell_block *block, uint32_t *order, const uint32_t *number, uint32_t first,
                size_t count, const firn_real *const x[3], size_t stride) {
  uint32_t next[64];
  memset(block->cell, 0, sizeof block->cell);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t k = 0; k < count; k++) {
      uint32_t i = number ? number[k] : first + (uint32_t)k;
      int cell = cell_of(x[0][stride * i], x[1][stride * i], x[2][stride * i]);
      if (pass == 0)
        block->cell[cell + 1]++;
      else
        order[block->first + next[cell]++] = i;
    }
    for (int c = 0; pass == 0 && c < 64; c++) {
      block->cell[c + 1] += block->cell[c];
      next[c] = block->cell[c];
    }
  }
}

firn_status sph_cells_of_particles(sph_cells *cells, const firn_particles *p) {
  const firn_real *x[3];
  FIRN_TRY(reserve(cells, p->context, p->block_count, p->slots));
  memcpy(cells->periodic, p->periodic, sizeof cells->periodic);
  memcpy(cells->period, p->period, sizeof cells->period);
  for (int a = 0; a < 3; a++) x[a] = firn_particles_real(p, FIRN_FIELD_X + a);
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t b = 0; b < p->block_count; b++) {
    sph_cell_block *block = &cells->block[b];
    memcpy(block->at, p->block[b].at, sizeof block->at);
    block->first = p->block[b].first;
    bin(block, cells->order, NULL, block->first, p->block[b].count, x, 1);
  }
  fill_table(cells);
  return FIRN_OK;
}

firn_status sph_cells_of_points(sph_cells *cells, firn_context *context, const double *point,
                                size_t count, firn_real *place) {
  for (int i = 0; i < 2; i++)
    FIRN_TRY(firn_buffer_reserve(context, &cells->keyed[i], count * sizeof(firn_keyed), "cells"));
  FIRN_TRY(firn_buffer_reserve(context, &cells->places, count * sizeof(uint32_t), "cells"));
  firn_keyed *keyed = cells->keyed[0].data;
  uint32_t *number = cells->places.data;
  for (size_t i = 0; i < count; i++) {
    int32_t at[3];
    for (size_t a = 0; a < 3; a++) {
      double block = floor(point[3 * i + a] / 4);
      at[a] = (int32_t)block;
      place[3 * i + a] = (firn_real)(point[3 * i + a] - 4 * block);
    }
    keyed[i] = (firn_keyed){.key = firn_morton(at), .slot = (uint32_t)i};
  }
  if (count) keyed = firn_keyed_sort(keyed, cells->keyed[1].data, count);
  size_t blocks = 0;
  for (size_t i = 0; i < count; i++) blocks += i == 0 || keyed[i].key != keyed[i - 1].key;
  FIRN_TRY(reserve(cells, context, blocks, count));
  size_t b = 0;
  const firn_real *x[3] = {place, place ? place + 1 : NULL, place ? place + 2 : NULL};
  for (size_t i = 0, end; i < count; i = end, b++) {
    sph_cell_block *block = &cells->block[b];
    for (end = i; end < count && keyed[end].key == keyed[i].key; end++)
      number[end] = keyed[end].slot;
    firn_morton_decode(keyed[i].key, block->at);
    block->first = (uint32_t)i;
    bin(block, cells->order, number + i, 0, end - i, x, 3);
  }
  fill_table(cells);
  return FIRN_OK;
}

uint32_t sph_cells_find(const sph_cells *cells, const int32_t at[3]) {
  int32_t to[3];
  for (int a = 0; a < 3; a++) {
    to[a] = at[a];
    if (!cells->periodic[a]) continue;
    if (to[a] < 0) to[a] += cells->period[a];
    if (to[a] >= cells->period[a]) to[a] -= cells->period[a];
  }
  if (!cells->block_count) return SPH_NONE;
  const firn_block_map_entry *e = firn_block_map_find(cells->table, cells->mask, firn_morton(to));
  return e->key1 ? e->value : SPH_NONE;
}

void sph_cells_around(const sph_cells *cells, const int32_t at[3], uint32_t out[27]) {
  for (int o = 0; o < 27; o++) {
    const int32_t to[3] = {at[0] + o / 9 - 1, at[1] + o / 3 % 3 - 1, at[2] + o % 3 - 1};
    out[o] = sph_cells_find(cells, to);
  }
}

int sph_cells_spans(const sph_cells *cells, const uint32_t around[27], const double place[3],
                    sph_span out[27]) {
  int cell[3], count = 0;
  for (int a = 0; a < 3; a++) cell[a] = place[a] < 0 ? 0 : place[a] >= 4 ? 3 : (int)place[a];
  for (int o = 0; o < 27; o++) {
    const int to[3] = {cell[0] + o / 9 - 1, cell[1] + o / 3 % 3 - 1, cell[2] + o % 3 - 1};
    sph_span *span = &out[count];
    int in = 0, which = 0;
    for (int a = 0; a < 3; a++) {
      span->step[a] = to[a] < 0 ? -1 : to[a] > 3;
      which = 3 * which + span->step[a] + 1;
      in = 4 * in + to[a] - 4 * span->step[a];
    }
    if (around[which] == SPH_NONE) continue;
    const sph_cell_block *block = &cells->block[around[which]];
    span->first = block->first + block->cell[in];
    span->end = block->first + block->cell[in + 1];
    count++;
  }
  return count;
}
