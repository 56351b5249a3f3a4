// SPDX-License-Identifier: Apache-2.0
// From sums on blocks to a volume: bounds of each block, 16-bit densities, velocities, and how far
// empty space goes.
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "render/volume_grid.h"

enum { EDGE = FIRN_BLOCK_EDGE, NODES = FIRN_BLOCK_NODES, COARSE = FIRN_BLOCK_VELOCITIES };

#define MOST_DENSITY 1e20f // kg/m3: what comes of it stays finite

typedef struct job {
  firn_volume *v;
  const float *sum, *motion;
  const int32_t *slot; // [cells]
  size_t slots;
} job;

static void place_of(const firn_volume *v, size_t cell, int at[3]) {
  at[0] = (int)(cell % (size_t)v->size[0]);
  at[1] = (int)(cell / (size_t)v->size[0] % (size_t)v->size[1]);
  at[2] = (int)(cell / ((size_t)v->size[0] * (size_t)v->size[1]));
}

// Slots of the block and of its upper neighbours; bit a of k: one up along axis a.
static void neighbours(const firn_volume *v, const int32_t *slot, size_t cell, int32_t out[8]) {
  int at[3];
  place_of(v, cell, at);
  for (int k = 0; k < 8; k++) {
    int x = at[0] + (k & 1), y = at[1] + (k >> 1 & 1), z = at[2] + (k >> 2);
    bool in = x < v->size[0] && y < v->size[1] && z < v->size[2];
    out[k] = in ? slot[firn_volume_cell(v, x, y, z)] : -1;
  }
}

// The block's nodes with those that it shares with its upper neighbours. Noise may have made a sum
// negative.
static float nodes_of(const float *sum, const int32_t near[8], float out[NODES]) {
  float most = 0;
  for (int z = 0; z < EDGE; z++)
    for (int y = 0; y < EDGE; y++)
      for (int x = 0; x < EDGE; x++) {
        int32_t s = near[(x == 8) | (y == 8) << 1 | (z == 8) << 2];
        float value = s < 0
                          ? 0
                          : sum[(size_t)s * 512 + (size_t)(((z & 7) * 8 + (y & 7)) * 8 + (x & 7))];
        value = value > 0 ? fminf(value, MOST_DENSITY) : 0;
        out[(z * EDGE + y) * EDGE + x] = value;
        most = value > most ? value : most;
      }
  return most;
}

static void write_block(firn_volume *v, size_t block, float most, const float node[NODES]) {
  uint16_t *q = v->density + block * NODES;
  float scale = (float)FIRN_DENSITY_ONE / most;
  int least = FIRN_DENSITY_ONE;
  for (int i = 0; i < NODES; i++) {
    int value = (int)(node[i] * scale + 0.5f);
    value = value > FIRN_DENSITY_ONE ? FIRN_DENSITY_ONE : value;
    least = value < least ? value : least;
    q[i] = (uint16_t)value;
  }
  v->majorant[block] = most;
  v->minorant[block] = (float)least * most / (float)FIRN_DENSITY_ONE;
}

// Mean velocity on the coarse nodes, and whether there is any mass.
static void velocities_of(const float *motion, const int32_t near[8], float out[COARSE][3],
                          bool known[COARSE]) {
  for (int i = 0; i < COARSE; i++) {
    int x = i % 3, y = i / 3 % 3, z = i / 9;
    int32_t s = near[(x == 2) | (y == 2) << 1 | (z == 2) << 2];
    const float *m =
        s < 0 ? NULL : motion + ((size_t)s * 8 + (size_t)((z & 1) * 4 + (y & 1) * 2 + (x & 1))) * 4;
    known[i] = m && m[0] > 0;
    for (int c = 0; c < 3; c++) out[i][c] = known[i] ? m[1 + c] / m[0] : 0;
  }
  // Beyond the snow's edge it moves as the block does.
  float mean[3] = {0};
  int count = 0;
  for (int i = 0; i < COARSE; i++)
    if (known[i]) {
      count++;
      for (int c = 0; c < 3; c++) mean[c] += out[i][c];
    }
  for (int i = 0; i < COARSE && count; i++)
    if (!known[i])
      for (int c = 0; c < 3; c++) out[i][c] = mean[c] / (float)count;
}

// Chamfer distances with all 26 neighbours at 1 are exact for the largest coordinate's distance.
static void measure_emptiness(firn_volume *v) {
  const int nx = v->size[0], ny = v->size[1], nz = v->size[2];
  for (size_t i = 0; i < v->cells; i++)
    if (v->index[i] < 0) v->index[i] = -FIRN_VOLUME_FAR;
  for (int pass = 0; pass < 2; pass++) {
    int sign = pass ? 1 : -1;
    for (size_t n = 0; n < v->cells; n++) {
      size_t cell = pass ? v->cells - 1 - n : n;
      if (v->index[cell] >= 0) continue;
      int at[3];
      place_of(v, cell, at);
      int best = -v->index[cell];
      // The 13 neighbours that this pass has been to.
      for (int k = 0; k < 13; k++) {
        int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
        int x = at[0] - sign * dx, y = at[1] - sign * dy, z = at[2] - sign * dz;
        if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) continue;
        int32_t there = v->index[firn_volume_cell(v, x, y, z)];
        int d = there >= 0 ? 1 : 1 - there;
        best = d < best ? d : best;
      }
      v->index[cell] = -best;
    }
  }
}

static firn_status allocate(firn_volume *v, size_t count, bool motion) {
  v->count = count;
  if (!count) return FIRN_OK;
  firn_context *context = v->context;
  v->majorant = firn_alloc(context, count * sizeof *v->majorant, "a volume");
  v->minorant = firn_alloc(context, count * sizeof *v->minorant, "a volume");
  v->density = firn_alloc(context, (count * NODES + 2) * sizeof *v->density, "a volume");
  if (motion)
    v->velocity = firn_alloc(context, count * COARSE * 3 * sizeof *v->velocity, "a volume");
  if (!v->majorant || !v->minorant || !v->density || (motion && !v->velocity))
    return FIRN_ERROR_MEMORY;
  firn_large_pages(v->density, (count * NODES + 2) * sizeof *v->density);
  memset(v->density + count * NODES, 0, 2 * sizeof *v->density);
  return FIRN_OK;
}

static void fill(const job *j, const float *most, const size_t *cell) {
  firn_volume *v = j->v;
  float unit = 0;
  FIRN_PARALLEL_FOR(v->context, schedule(dynamic, 64) reduction(max : unit))
  for (size_t b = 0; b < v->count; b++) {
    int32_t near[8];
    float node[NODES];
    neighbours(v, j->slot, cell[b], near);
    nodes_of(j->sum, near, node);
    write_block(v, b, most[b], node);
    if (j->motion) {
      float u[COARSE][3];
      bool known[COARSE];
      velocities_of(j->motion, near, u, known);
      for (int i = 0; i < COARSE; i++)
        for (int c = 0; c < 3; c++) unit = fabsf(u[i][c]) > unit ? fabsf(u[i][c]) : unit;
    }
  }
  if (!j->motion) return;
  v->velocity_unit = unit / 32767;
  float scale = unit > 0 ? 32767 / unit : 0;
  FIRN_PARALLEL_FOR(v->context, schedule(dynamic, 64))
  for (size_t b = 0; b < v->count; b++) {
    int32_t near[8];
    float u[COARSE][3];
    bool known[COARSE];
    neighbours(v, j->slot, cell[b], near);
    velocities_of(j->motion, near, u, known);
    for (int i = 0; i < COARSE; i++)
      for (int c = 0; c < 3; c++)
        v->velocity[(b * COARSE + (size_t)i) * 3 + (size_t)c] = (int16_t)lrintf(u[i][c] * scale);
  }
}

// Blocks with anything in them, in the order of the index.
static size_t list_blocks(const job *j, float *most, size_t *cell, size_t *candidates) {
  firn_volume *v = j->v;
  size_t n = 0;
  for (size_t i = 0; i < v->cells; i++)
    if (j->slot[i] >= 0) candidates[n++] = i;
  FIRN_PARALLEL_FOR(v->context, schedule(dynamic, 64))
  for (size_t i = 0; i < n; i++) {
    int32_t near[8];
    float node[NODES];
    neighbours(v, j->slot, candidates[i], near);
    most[i] = nodes_of(j->sum, near, node);
  }
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (most[i] > 0) {
      most[count] = most[i];
      cell[count++] = candidates[i];
    }
  return count;
}

firn_status firn_volume_finish(firn_volume *v, size_t slots, const float *sum,
                               const float *motion) {
  firn_context *context = v->context;
  firn_status status = FIRN_ERROR_MEMORY;
  size_t index_bytes = v->cells * sizeof *v->index;
  if (!v->cells || !slots) return FIRN_OK;
  int32_t *slot = firn_alloc(context, index_bytes, "the index of a volume");
  float *most = firn_alloc(context, slots * sizeof *most, "the index of a volume");
  size_t *cell = firn_alloc(context, 2 * slots * sizeof *cell, "the index of a volume");
  if (slot && most && cell) {
    memcpy(slot, v->index, index_bytes);
    job j = {.v = v, .sum = sum, .motion = motion, .slot = slot, .slots = slots};
    size_t count = list_blocks(&j, most, cell, cell + slots);
    for (size_t i = 0; i < v->cells; i++) v->index[i] = -1;
    for (size_t b = 0; b < count; b++) v->index[cell[b]] = (int32_t)b;
    status = allocate(v, count, motion != NULL);
    if (status == FIRN_OK && count) fill(&j, most, cell);
    if (status == FIRN_OK) measure_emptiness(v);
  }
  firn_free(context, slot, slot ? index_bytes : 0);
  firn_free(context, most, most ? slots * sizeof *most : 0);
  firn_free(context, cell, cell ? 2 * slots * sizeof *cell : 0);
  return status;
}
