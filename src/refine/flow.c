// SPDX-License-Identifier: Apache-2.0
// The flow that carries: particles of the snow to the corners of cells, by trilinear weights. What has
// 8 particles a cell on a lattice has the density 1, and on its surface one half.
#include <string.h>

#include "base/parallel.h"
#include "refine/fine.h"

static firn_status reserve(firn_fine *f, firn_buffer *buffer, size_t count, size_t size) {
  return firn_buffer_reserve(f->context, buffer, (count + 1) * size, "the flow of snow");
}

// The cell of a particle of the snow, and where it is in it.
static void place(double inverse, const double *x, int32_t cell[3], firn_real part[3]) {
  for (int a = 0; a < 3; a++) {
    double at = x[a] * inverse;
    cell[a] = firn_fine_cell(at);
    part[a] = (firn_real)(at - cell[a]);
  }
}

// Those in blocks that fine particles may look at, sorted by block; the others do not count.
static firn_status sort_snow(firn_fine *f, const firn_fine_step_def *def) {
  size_t n = def->count, blocks = f->block_count, parts = (size_t)f->context->threads;
  FIRN_TRY(reserve(f, &f->slot, n, sizeof(int32_t)));
  FIRN_TRY(reserve(f, &f->listed, n, sizeof(uint32_t)));
  FIRN_TRY(reserve(f, &f->first, blocks, sizeof(uint32_t)));
  FIRN_TRY(reserve(f, &f->counts, parts * blocks, sizeof(uint32_t)));
  const double inverse = 1 / f->def.cell;
  int32_t *slot = f->slot.data;
  uint32_t *counts = f->counts.data, *first = f->first.data, *order = f->listed.data;
  FIRN_PARALLEL_FOR(f->context, schedule(static, 1))
  for (size_t p = 0; p < parts; p++) {
    uint64_t last = UINT64_MAX;
    int32_t here = FIRN_FINE_NONE, cell[3];
    firn_real part[3];
    memset(counts + p * blocks, 0, blocks * sizeof *counts);
    for (size_t i = n * p / parts; i < n * (p + 1) / parts; i++) {
      place(inverse, def->position + 3 * i, cell, part);
      uint64_t key = firn_fine_block_key(cell);
      if (key != last) here = firn_fine_find(f, key);
      last = key;
      slot[i] = here;
      if (here >= 0) counts[p * blocks + (size_t)here]++;
    }
  }
  firn_fine_count_up(parts, blocks, counts, first);
  FIRN_PARALLEL_FOR(f->context, schedule(static, 1))
  for (size_t p = 0; p < parts; p++)
    for (size_t i = n * p / parts; i < n * (p + 1) / parts; i++)
      if (slot[i] >= 0) order[counts[p * blocks + (size_t)slot[i]]++] = (uint32_t)i;
  return FIRN_OK;
}

// Four reals that are added at once.
typedef firn_real quad __attribute__((vector_size(4 * sizeof(firn_real))));

static inline void give(double inverse, const firn_fine_step_def *def, uint32_t i, quad *arena) {
  int32_t cell[3];
  firn_real t[3];
  place(inverse, def->position + 3 * (size_t)i, cell, t);
  const double *v = def->velocity + 3 * (size_t)i;
  const quad all = {(firn_real)v[0] / 8, (firn_real)v[1] / 8, (firn_real)v[2] / 8, FIRN_R(0.125)};
  int at = ((cell[0] & 3) * 5 + (cell[1] & 3)) * 5 + (cell[2] & 3);
  for (int n = 0; n < 8; n++) {
    firn_real w = (n & 4 ? t[0] : 1 - t[0]) * (n & 2 ? t[1] : 1 - t[1]) * (n & 1 ? t[2] : 1 - t[2]);
    arena[at + (n >> 2) * 25 + (n >> 1 & 1) * 5 + (n & 1)] += w * all;
  }
}

// The nodes of a block: what it gives itself, and what the seven blocks below give beyond their ends.
static void take(const firn_fine *f, size_t block) {
  uint64_t key = firn_cell_key(firn_fine_blocks(f)[block].at);
  quad *node = (quad *)f->node.data + block * FIRN_FINE_CELLS;
  const int32_t *snowy = f->snowy.data;
  memset(node, 0, FIRN_FINE_CELLS * sizeof *node);
  for (int n = 0; n < 8; n++) {
    const int below[3] = {n >> 2, n >> 1 & 1, n & 1};
    int32_t from = n ? firn_fine_find(f, key + firn_cell_step(-below[0], -below[1], -below[2]))
                     : (int32_t)block;
    if (from < 0 || snowy[from] < 0) continue;
    const quad *arena = (const quad *)f->arena.data + (size_t)snowy[from] * FIRN_FINE_NODES;
    for (int x = 0; x < (below[0] ? 1 : 4); x++)
      for (int y = 0; y < (below[1] ? 1 : 4); y++)
        for (int z = 0; z < (below[2] ? 1 : 4); z++)
          node[16 * x + 4 * y + z] +=
              arena[((x + 4 * below[0]) * 5 + y + 4 * below[1]) * 5 + z + 4 * below[2]];
  }
}

firn_status firn_fine_flow(firn_fine *f, const firn_fine_step_def *def) {
  size_t blocks = f->block_count, count = 0;
  const double inverse = 1 / f->def.cell;
  FIRN_TRY(sort_snow(f, def));
  FIRN_TRY(reserve(f, &f->snowy, blocks, sizeof(int32_t)));
  const uint32_t *first = f->first.data, *order = f->listed.data;
  int32_t *snowy = f->snowy.data;
  for (size_t b = 0; b < blocks; b++)
    snowy[b] = first[b] < first[b + 1] ? (int32_t)count++ : FIRN_FINE_NONE;
  FIRN_TRY(reserve(f, &f->arena, count * FIRN_FINE_NODES, sizeof(quad)));
  FIRN_TRY(reserve(f, &f->node, blocks * FIRN_FINE_CELLS, sizeof(quad)));
  FIRN_PARALLEL(f->context) {
#pragma omp for schedule(dynamic, 16)
    for (size_t b = 0; b < blocks; b++) {
      if (snowy[b] < 0) continue;
      quad *arena = (quad *)f->arena.data + (size_t)snowy[b] * FIRN_FINE_NODES;
      memset(arena, 0, FIRN_FINE_NODES * sizeof *arena);
      for (uint32_t i = first[b]; i < first[b + 1]; i++) give(inverse, def, order[i], arena);
    }
#pragma omp for schedule(dynamic, 16)
    for (size_t b = 0; b < blocks; b++) take(f, b);
  }
  return FIRN_OK;
}
