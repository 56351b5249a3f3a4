// SPDX-License-Identifier: Apache-2.0
// The blocks that fine particles are in, or may come to. Their order is that of their keys.
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "refine/fine.h"
#include "world/bins.h"

int32_t firn_fine_find(const firn_fine *f, uint64_t key) {
  firn_block_map_entry *e = firn_block_map_find(f->table.data, f->mask, key);
  return e->key1 ? (int32_t)e->value : FIRN_FINE_NONE;
}

// ------------------------------------------------------------------------------------- a set of keys

static firn_status clear_table(firn_fine *f, size_t room) {
  size_t size = 1024;
  while (size < 2 * room) size *= 2;
  size_t bytes = size * sizeof(firn_block_map_entry);
  FIRN_TRY(firn_buffer_reserve(f->context, &f->table, bytes, "blocks of fine particles"));
  memset(f->table.data, 0, bytes);
  f->mask = size - 1;
  return FIRN_OK;
}

static int order_keys(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The keys of the table, in order, and with each its number.
static firn_status list_keys(firn_fine *f, size_t count) {
  FIRN_TRY(firn_buffer_reserve(f->context, &f->keys, (count + 1) * sizeof(uint64_t),
                               "blocks of fine particles"));
  uint64_t *key = f->keys.data;
  firn_block_map_entry *table = f->table.data;
  size_t n = 0;
  for (size_t i = 0; i <= f->mask; i++)
    if (table[i].key1) key[n++] = table[i].key1 - 1;
  qsort(key, n, sizeof *key, order_keys);
  for (size_t i = 0; i < n; i++) firn_block_map_find(table, f->mask, key[i])->value = (uint32_t)i;
  return FIRN_OK;
}

// True where the key was not there.
static bool put(firn_fine *f, uint64_t key) {
  firn_block_map_entry *e = firn_block_map_find(f->table.data, f->mask, key);
  if (e->key1) return false;
  e->key1 = key + 1;
  return true;
}

// Blocks of the keys of the table, and room for where their cells start.
static firn_status make_blocks(firn_fine *f, size_t count, firn_buffer *blocks,
                               firn_buffer *start) {
  if (count > INT32_MAX / FIRN_FINE_CELLS)
    return firn_fail(f->context, FIRN_ERROR_ARGUMENT,
                     "fine particles are in %zu blocks of cells, and at most %d are possible: they "
                     "are too few, too far from each other",
                     count, INT32_MAX / FIRN_FINE_CELLS);
  FIRN_TRY(list_keys(f, count));
  FIRN_TRY(firn_buffer_reserve(f->context, blocks, (count + 1) * sizeof(firn_fine_block),
                               "blocks of fine particles"));
  FIRN_TRY(firn_buffer_reserve(f->context, start, (FIRN_FINE_CELLS * count + 1) * sizeof(uint32_t),
                               "cells of fine particles"));
  const uint64_t *key = f->keys.data;
  firn_fine_block *block = blocks->data;
  for (size_t i = 0; i < count; i++) firn_cell_at(key[i], block[i].at);
  return FIRN_OK;
}

static void swap_orders(firn_fine *f) {
  firn_fine_particle *t = f->now;
  f->now = f->next;
  f->next = t;
}

// -------------------------------------------------------------------------------------- from places

static void cell_of(const firn_fine *f, size_t i, int32_t cell[3]) {
  for (int a = 0; a < 3; a++)
    cell[a] = firn_fine_cell((double)(f->now[i].x[a] * (firn_real)(1 / f->def.cell)));
}

// With more room once more, where there was too little: particles rarely fill many blocks.
static firn_status find_blocks(firn_fine *f, size_t *count) {
  for (size_t room = 4096;; room *= 4) {
    FIRN_TRY(clear_table(f, room));
    uint64_t last = UINT64_MAX;
    *count = 0;
    for (size_t i = 0; i < f->count && *count < room; i++) {
      int32_t cell[3];
      cell_of(f, i, cell);
      uint64_t key = firn_fine_block_key(cell);
      if (key == last) continue;
      last = key;
      *count += put(f, key);
    }
    if (*count < room) return FIRN_OK;
  }
}

firn_status firn_fine_settle(firn_fine *f) {
  size_t blocks, key_bytes = f->count * sizeof(int32_t);
  FIRN_TRY(find_blocks(f, &blocks));
  FIRN_TRY(make_blocks(f, blocks, &f->blocks, &f->start));
  int32_t *key = firn_alloc(f->context, key_bytes, "cells of fine particles");
  if (f->count && !key) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(f->context, schedule(static))
  for (size_t i = 0; i < f->count; i++) {
    int32_t cell[3];
    cell_of(f, i, cell);
    key[i] = FIRN_FINE_CELLS * firn_fine_find(f, firn_fine_block_key(cell)) +
             firn_fine_number(cell);
  }
  uint32_t *start = f->start.data;
  memset(start, 0, (FIRN_FINE_CELLS * blocks + 1) * sizeof *start);
  for (size_t i = 0; i < f->count; i++) start[key[i] + 1]++;
  for (size_t c = 0; c < FIRN_FINE_CELLS * blocks; c++) start[c + 1] += start[c];
  for (size_t i = 0; i < f->count; i++) f->next[start[key[i]]++] = f->now[i];
  // Each start is now that of the cell after it.
  memmove(start + 1, start, FIRN_FINE_CELLS * blocks * sizeof *start);
  start[0] = 0;
  firn_free(f->context, key, key_bytes);
  f->block_count = blocks;
  swap_orders(f);
  return FIRN_OK;
}

// ------------------------------------------------------------------------------- from those that are

static bool is_held(const uint32_t *start, size_t block) {
  return start[FIRN_FINE_CELLS * (block + 1)] > start[FIRN_FINE_CELLS * block];
}

static void swap(firn_buffer *a, firn_buffer *b) {
  firn_buffer t = *a;
  *a = *b;
  *b = t;
}

static void find_around(const firn_fine *f, firn_fine_block *b) {
  uint64_t key = firn_cell_key(b->at);
  for (int n = 0; n < 27; n++)
    b->around[n] = firn_fine_find(f, key + firn_cell_step(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
}

// The blocks that particles of a block may go to, as bits of firn_fine_block.around: they go one cell at most.
static uint32_t reach_of(const uint32_t *start) {
  static const int corners[] = {0, 3, 12, 15, 48, 51, 60, 63};
  uint32_t reach = 0, all = (1u << 27) - 1;
  bool full = true; // as in the bulk
  for (int k = 0; k < 8; k++) full = full && start[corners[k]] < start[corners[k] + 1];
  if (full) return all;
  for (int c = 0; c < FIRN_FINE_CELLS; c++) {
    if (start[c] == start[c + 1]) continue;
    const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
    uint32_t axis[3]; // 1 below, 2 here, 4 above
    for (int a = 0; a < 3; a++) axis[a] = 2u | (at[a] == 0) | (uint32_t)(at[a] == 3) << 2;
    reach |= firn_bins_reach(axis);
  }
  return reach;
}

firn_status firn_fine_reach(firn_fine *f) {
  const firn_fine_block *old = f->blocks.data;
  const uint32_t *old_start = f->start.data;
  size_t old_count = f->block_count, held = 0, count = 0;
  for (size_t b = 0; b < old_count; b++) held += is_held(old_start, b);
  FIRN_TRY(clear_table(f, 27 * held));
  for (size_t b = 0; b < old_count; b++) {
    if (!is_held(old_start, b)) continue;
    uint64_t key = firn_cell_key(old[b].at);
    uint32_t reach = reach_of(old_start + FIRN_FINE_CELLS * b);
    for (int n = 0; n < 27; n++)
      if (reach >> n & 1)
        count += put(f, key + firn_cell_step(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
  }
  FIRN_TRY(make_blocks(f, count, &f->old_blocks, &f->old_start));
  // Both lists are in the order of keys.
  firn_fine_block *block = f->old_blocks.data;
  uint32_t *start = f->old_start.data, at = 0;
  size_t from = 0;
  for (size_t b = 0; b < count; b++) {
    uint64_t key = firn_cell_key(block[b].at);
    while (from < old_count && (firn_cell_key(old[from].at) < key || !is_held(old_start, from)))
      from++;
    bool same = from < old_count && firn_cell_key(old[from].at) == key;
    for (size_t c = 0; c < FIRN_FINE_CELLS; c++)
      start[FIRN_FINE_CELLS * b + c] = same ? old_start[FIRN_FINE_CELLS * from + c] : at;
    if (!same) continue;
    at = old_start[FIRN_FINE_CELLS * (from + 1)];
    find_around(f, &block[b]);
  }
  start[FIRN_FINE_CELLS * count] = at;
  swap(&f->blocks, &f->old_blocks);
  swap(&f->start, &f->old_start);
  f->block_count = count;
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------------- sorting

void firn_fine_count_up(size_t parts, size_t cells, uint32_t *counts, uint32_t *start) {
  uint32_t sum = 0;
  for (size_t c = 0; c < cells; c++) {
    start[c] = sum;
    for (size_t p = 0; p < parts; p++) {
      uint32_t n = counts[p * cells + c];
      counts[p * cells + c] = sum;
      sum += n;
    }
  }
  start[cells] = sum;
}

firn_status firn_fine_divide(firn_fine *f) {
  size_t cells = FIRN_FINE_CELLS * f->block_count, b = 0;
  // Counts are not to take more memory than particles, where these are far from each other.
  size_t most = 1 + 8 * f->count / (cells + 1), threads = (size_t)f->context->threads;
  size_t parts = f->part_count = threads < most ? threads : most;
  FIRN_TRY(firn_buffer_reserve(f->context, &f->parts, (parts + 1) * sizeof(size_t),
                               "parts of fine particles"));
  FIRN_TRY(firn_buffer_reserve(f->context, &f->counts, (parts * cells + 1) * sizeof(uint32_t),
                               "cells of fine particles"));
  FIRN_TRY(firn_buffer_reserve(f->context, &f->old_start, (cells + 1) * sizeof(uint32_t),
                               "cells of fine particles"));
  const uint32_t *start = f->start.data;
  uint32_t *counts = f->counts.data;
  size_t *part = f->parts.data;
  for (size_t p = 0; p < parts; p++) {
    while (b < f->block_count && start[FIRN_FINE_CELLS * b] < f->count * p / parts) b++;
    part[p] = b;
  }
  part[parts] = f->block_count;
  FIRN_PARALLEL_FOR(f->context, schedule(static, 1))
  for (size_t p = 0; p < parts; p++) memset(counts + p * cells, 0, cells * sizeof *counts);
  return FIRN_OK;
}

enum { PLACES = 216, CHAINS = 4 };

// The cells of all places of a block; those of blocks that are not there, and nobody goes to, are less than 0.
static void fill_table(const firn_fine_block *b, int32_t table[PLACES]) {
  for (int i = 0; i < PLACES; i++) {
    const int at[3] = {i / 36, i / 6 % 6, i % 6};
    int block = 0, cell = 0;
    for (int a = 0; a < 3; a++) {
      block = 3 * block + (at[a] > 0) + (at[a] > FIRN_FINE_EDGE);
      cell = FIRN_FINE_EDGE * cell + ((at[a] - 1) & (FIRN_FINE_EDGE - 1));
    }
    table[i] = FIRN_FINE_CELLS * b->around[block] + cell;
  }
}

// In several rows: most particles go to the same cell as the one before, and would wait for its count.
void firn_fine_tally(firn_fine *f, size_t part, size_t block) {
  uint32_t *counts = (uint32_t *)f->counts.data + part * FIRN_FINE_CELLS * f->block_count;
  const uint32_t *start = firn_fine_start(f) + FIRN_FINE_CELLS * block;
  int32_t table[PLACES];
  uint32_t row[CHAINS][PLACES] = {{0}};
  fill_table(&firn_fine_blocks(f)[block], table);
  for (uint32_t i = start[0]; i < start[FIRN_FINE_CELLS]; i++)
    row[i % CHAINS][(int32_t)f->now[i].place]++;
  for (int p = 0; p < PLACES; p++)
    for (int k = 0; k < CHAINS; k++)
      if (row[k][p]) counts[table[p]] += row[k][p];
}

static void move_block(const firn_fine *f, size_t block, uint32_t *to) {
  const uint32_t *start = firn_fine_start(f) + FIRN_FINE_CELLS * block;
  int32_t table[PLACES];
  uint32_t next[PLACES];
  fill_table(&firn_fine_blocks(f)[block], table);
  for (int p = 0; p < PLACES; p++) next[p] = table[p] < 0 ? 0 : to[table[p]];
  for (uint32_t i = start[0]; i < start[FIRN_FINE_CELLS]; i++)
    f->next[next[(int32_t)f->now[i].place]++] = f->now[i];
  for (int p = 0; p < PLACES; p++)
    if (table[p] >= 0) to[table[p]] = next[p];
}

void firn_fine_sort(firn_fine *f) {
  size_t parts = f->part_count, cells = FIRN_FINE_CELLS * f->block_count;
  const uint32_t *start = f->start.data;
  uint32_t *counts = f->counts.data;
  const size_t *part = f->parts.data;
  firn_fine_count_up(parts, cells, counts, f->old_start.data);
  FIRN_PARALLEL_FOR(f->context, schedule(static, 1))
  for (size_t p = 0; p < parts; p++)
    for (size_t b = part[p]; b < part[p + 1]; b++)
      if (is_held(start, b)) move_block(f, b, counts + p * cells);
  swap(&f->start, &f->old_start);
  swap_orders(f);
}
