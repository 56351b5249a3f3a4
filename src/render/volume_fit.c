// SPDX-License-Identifier: Apache-2.0
// Kernels fitted to their neighbourhoods (after Yu and Turk 2013). The neighbours' moments are summed
// on a lattice as wide as the kernel first, so that the cost does not grow with their number. Only
// cells with grains are kept, sorted by place, so that it does not grow with the way to a stray either.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/jacobi.h"
#include "render/volume_grain.h"
#include "world/cell_key.h"
#include "world/radix.h"

// Mass, first and second moments about the middle of the cell.
enum { MOMENTS = 10 };
typedef struct moment_cell {
  uint64_t key;
  size_t first; // of its grains in the order; the next cell's ends them
  float m[MOMENTS];
} moment_cell;

typedef struct lattice {
  float width;       // voxels
  moment_cell *cell; // [count + 1], by key
  size_t count;
  const firn_keyed *order; // [grains], by key; slot is the grain
  const float (*place)[3]; // [grains], voxels
} lattice;

static void cell_of(const lattice *on, const float p[3], int32_t at[3]) {
  for (int a = 0; a < 3; a++) at[a] = (int32_t)(p[a] / on->width);
}

// Sums in the order of the grains: sorting keeps it.
static void gather(const lattice *on, moment_cell *cell, const firn_grain *grains) {
  int32_t at[3];
  firn_cell_at(cell->key, at);
  memset(cell->m, 0, sizeof cell->m);
  for (size_t k = cell->first; k < cell[1].first; k++) {
    size_t i = on->order[k].slot;
    float r[3], mass = grains[i].mass;
    for (int a = 0; a < 3; a++) r[a] = on->place[i][a] - ((float)at[a] + 0.5f) * on->width;
    const float add[MOMENTS] = {1,           r[0],        r[1],        r[2],        r[0] * r[0],
                                r[1] * r[1], r[2] * r[2], r[0] * r[1], r[0] * r[2], r[1] * r[2]};
    for (int n = 0; n < MOMENTS; n++) cell->m[n] += mass * add[n];
  }
}

// The cells around one, [z][y][x]; NULL where there is nothing. Three along z follow each other.
static void find_neighbours(const lattice *on, uint64_t key, const moment_cell *out[27]) {
  memset(out, 0, 27 * sizeof *out);
  for (int row = 0; row < 9; row++) {
    int x = row % 3, y = row / 3;
    uint64_t low = key + firn_cell_step(x - 1, y - 1, -1);
    size_t i = firn_cell_find(on->cell, sizeof *on->cell, on->count, low);
    for (; i < on->count && on->cell[i].key - low < 3; i++)
      out[9 * (on->cell[i].key - low) + (uint64_t)row] = &on->cell[i];
  }
}

// Moments of all about the grain, weighted by a quadratic B-spline over cells.
static void around(const lattice *on, const moment_cell *const cells[27], const float p[3],
                   double out[MOMENTS]) {
  int32_t i[3];
  float w[3][3];
  cell_of(on, p, i);
  for (int a = 0; a < 3; a++) {
    float f = p[a] / on->width - (float)i[a] - 0.5f;
    w[a][0] = 0.5f * (0.5f - f) * (0.5f - f);
    w[a][1] = 0.75f - f * f;
    w[a][2] = 0.5f * (0.5f + f) * (0.5f + f);
  }
  memset(out, 0, MOMENTS * sizeof *out);
  for (int k = 0; k < 27; k++) {
    int x = k % 3, y = k / 3 % 3, z = k / 9;
    if (!cells[k]) continue;
    const float *m = cells[k]->m;
    double weight = (double)(w[0][x] * w[1][y] * w[2][z]);
    // From the middle of the cell to the grain.
    double d[3] = {((double)(i[0] + x) - 0.5) * (double)on->width - (double)p[0],
                   ((double)(i[1] + y) - 0.5) * (double)on->width - (double)p[1],
                   ((double)(i[2] + z) - 0.5) * (double)on->width - (double)p[2]};
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    out[0] += weight * (double)m[0];
    for (int a = 0; a < 3; a++) out[1 + a] += weight * ((double)m[1 + a] + (double)m[0] * d[a]);
    for (int b = 0; b < 6; b++) {
      int r = pair[b][0], c = pair[b][1];
      out[4 + b] += weight * ((double)m[4 + b] + d[r] * (double)m[1 + c] + d[c] * (double)m[1 + r] +
                              (double)m[0] * d[r] * d[c]);
    }
  }
}

static firn_grain_shape fit(const lattice *on, const moment_cell *const cells[27], const float p[3],
                            float mass, float amount) {
  double m[MOMENTS], a[3][3], v[3][3];
  around(on, cells, p, m);
  double mean[3] = {m[1] / m[0], m[2] / m[0], m[3] / m[0]};
  static const int where[3][3] = {{4, 7, 8}, {7, 5, 9}, {8, 9, 6}};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) a[r][c] = m[where[r][c]] / m[0] - mean[r] * mean[c];
  firn_jacobi(3, *a, *v);
  // In snow without end the variance is a third of the width squared along each axis.
  double bulk = (double)(on->width * on->width) / 3, s[3], most = 0;
  for (int k = 0; k < 3; k++) {
    s[k] = sqrt(fmax(a[k][k], 0) / bulk);
    most = fmax(most, s[k]);
  }
  bool alone = m[0] < 3 * (double)mass; // spray: there is nothing to fit to
  for (int k = 0; k < 3; k++) {
    s[k] = alone ? 0.6 : fmin(1, fmax(s[k], 0.25 * most));
    s[k] = fmax(1 + (double)amount * (s[k] - 1), 0.2);
  }
  firn_grain_shape out = {.det = 1};
  double h = (double)on->width;
  for (int b = 0; b < 6; b++) {
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += v[pair[b][0]][k] * v[pair[b][1]][k] / (h * s[k]);
    out.g[b] = (float)sum;
  }
  out.det = (float)(1 / (h * h * h * s[0] * s[1] * s[2]));
  for (int r = 0; r < 3; r++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += v[r][k] * v[r][k] * s[k] * s[k];
    out.reach[r] = (float)(2 * h * fmin(1, sqrt(sum)));
  }
  return out;
}

// Which cell each grain is in, sorted; and the cells, without their moments.
static firn_status sort_cells(firn_context *context, lattice *on, size_t count, firn_keyed *mover) {
  for (size_t i = 0; i < count; i++) {
    int32_t at[3];
    cell_of(on, on->place[i], at);
    mover[i] = (firn_keyed){.key = firn_cell_key(at), .slot = (uint32_t)i};
  }
  on->order = firn_keyed_sort(mover, mover + count, count);
  for (size_t i = 0; i < count; i++) on->count += !i || on->order[i].key != on->order[i - 1].key;
  on->cell = firn_alloc(context, (on->count + 1) * sizeof *on->cell, "kernels fitted to snow");
  if (!on->cell) return FIRN_ERROR_MEMORY;
  moment_cell *cell = on->cell;
  for (size_t i = 0; i < count; i++)
    if (!i || on->order[i].key != on->order[i - 1].key)
      *cell++ = (moment_cell){.key = on->order[i].key, .first = i};
  *cell = (moment_cell){.first = count};
  return FIRN_OK;
}

static void fit_all(const firn_context *context, const lattice *on, float amount,
                    const firn_grain *grains, firn_grain_shape *out) {
  FIRN_PARALLEL(context) {
#pragma omp for schedule(dynamic, 256)
    for (size_t c = 0; c < on->count; c++) gather(on, &on->cell[c], grains);
#pragma omp for schedule(dynamic, 16)
    for (size_t c = 0; c < on->count; c++) {
      const moment_cell *cells[27];
      find_neighbours(on, on->cell[c].key, cells);
      for (size_t k = on->cell[c].first; k < on->cell[c + 1].first; k++) {
        size_t i = on->order[k].slot;
        out[i] = fit(on, cells, on->place[i], grains[i].mass, amount);
      }
    }
  }
}

firn_status firn_grains_fit(firn_context *context, float kernel, float amount, size_t home_count,
                            const firn_grain_home *homes, const firn_grain *grains,
                            firn_grain_shape *out) {
  size_t count = 0;
  for (size_t h = 0; h < home_count; h++) count += homes[h].count;
  if (!count) return FIRN_OK;
  firn_keyed *mover = firn_alloc(context, 2 * count * sizeof *mover, "kernels fitted to snow");
  float(*place)[3] = firn_alloc(context, count * sizeof *place, "kernels fitted to snow");
  lattice on = {.width = kernel, .place = place};
  firn_status status = mover && place ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) {
    for (size_t h = 0; h < home_count; h++)
      for (size_t i = homes[h].first; i < homes[h].first + homes[h].count; i++)
        for (int a = 0; a < 3; a++) place[i][a] = (float)(homes[h].at[a] * 8) + grains[i].at[a];
    status = sort_cells(context, &on, count, mover);
  }
  if (status == FIRN_OK) fit_all(context, &on, amount, grains, out);
  firn_free(context, on.cell, (on.count + 1) * sizeof *on.cell);
  firn_free(context, place, count * sizeof *place);
  firn_free(context, mover, 2 * count * sizeof *mover);
  return status;
}
