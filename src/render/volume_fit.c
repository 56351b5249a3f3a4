// SPDX-License-Identifier: Apache-2.0
// Kernels fitted to their neighbourhoods (after Yu and Turk 2013). The neighbours' moments are summed
// on a lattice as wide as the kernel first, so that the cost does not grow with their number. Only
// cells with grains are kept, sorted by place, so that it does not grow with the way to a stray either.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/jacobi.h"
#include "render/volume_grain.h"

// Mass, first and second moments about the middle of the cell.
enum { MOMENTS = 10 };

typedef struct lattice {
  float width;         // voxels
  firn_bins cells;     // of grains
  float (*m)[MOMENTS]; // [cells]
  float (*place)[3];   // [grains], voxels
} lattice;

static void cell_of(const lattice *on, const float p[3], int32_t at[3]) {
  for (int a = 0; a < 3; a++) at[a] = (int32_t)(p[a] / on->width);
}

// Sums in the order of the grains.
static void gather(const lattice *on, size_t c, const firn_grain *grains) {
  const firn_bin *cell = &on->cells.bin[c];
  float *m = on->m[c];
  int32_t at[3];
  firn_cell_at(cell->key, at);
  memset(m, 0, sizeof *on->m);
  for (size_t k = cell->first; k < cell->first + cell->count; k++) {
    size_t i = on->cells.order[k];
    float r[3], mass = grains[i].mass;
    for (int a = 0; a < 3; a++) r[a] = on->place[i][a] - ((float)at[a] + 0.5f) * on->width;
    const float add[MOMENTS] = {1,           r[0],        r[1],        r[2],        r[0] * r[0],
                                r[1] * r[1], r[2] * r[2], r[0] * r[1], r[0] * r[2], r[1] * r[2]};
    for (int n = 0; n < MOMENTS; n++) m[n] += mass * add[n];
  }
}

// The moments of the cells around one, [z][y][x]; NULL where there is nothing. Three along z follow each
// other.
static void find_neighbours(const lattice *on, uint64_t key, const float *out[27]) {
  const firn_bins *cells = &on->cells;
  memset(out, 0, 27 * sizeof *out);
  for (int row = 0; row < 9; row++) {
    int x = row % 3, y = row / 3;
    uint64_t low = key + firn_cell_step(x - 1, y - 1, -1);
    size_t i = firn_cell_find(cells->bin, sizeof *cells->bin, cells->count, low);
    for (; i < cells->count && cells->bin[i].key - low < 3; i++)
      out[9 * (cells->bin[i].key - low) + (uint64_t)row] = on->m[i];
  }
}

// Moments of all about the grain, weighted by a quadratic B-spline over cells.
static void around(const lattice *on, const float *const cells[27], const float p[3],
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
    const float *m = cells[k];
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

static firn_grain_shape fit(const lattice *on, const float *const cells[27], const float p[3],
                            const firn_grain *grain, float amount) {
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
  bool alone = m[0] < 3 * (double)grain->mass; // spray: there is nothing to fit to
  for (int k = 0; k < 3; k++) {
    s[k] = alone ? 0.6 : fmin(1, fmax(s[k], 0.25 * most));
    s[k] = fmax(1 + (double)amount * (s[k] - 1), 0.2);
  }
  firn_grain_shape out = {.det = 1};
  double h = (double)(on->width * grain->size);
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

// Which cell each grain is in.
static firn_status sort_cells(lattice *on, const firn_bins *homes, const firn_grain *grains) {
  firn_context *context = homes->context;
  FIRN_TRY(firn_bins_open(&on->cells, context, homes->points));
  on->place = firn_alloc(context, homes->points * sizeof *on->place, "kernels fitted to snow");
  if (!on->place) return FIRN_ERROR_MEMORY;
  for (size_t h = 0; h < homes->count; h++) {
    const firn_bin *home = &homes->bin[h];
    int32_t block[3], at[3];
    firn_cell_at(home->key, block);
    for (size_t i = home->first; i < home->first + home->count; i++) {
      for (int a = 0; a < 3; a++) on->place[i][a] = (float)(block[a] * 8) + grains[i].at[a];
      cell_of(on, on->place[i], at);
      firn_bins_put(&on->cells, i, at);
    }
  }
  FIRN_TRY(firn_bins_sort(&on->cells));
  on->m = firn_alloc(context, on->cells.count * sizeof *on->m, "kernels fitted to snow");
  return on->m ? FIRN_OK : FIRN_ERROR_MEMORY;
}

static void fit_all(const lattice *on, float amount, const firn_grain *grains,
                    firn_grain_shape *out) {
  FIRN_PARALLEL(on->cells.context) {
#pragma omp for schedule(dynamic, 256)
    for (size_t c = 0; c < on->cells.count; c++) gather(on, c, grains);
#pragma omp for schedule(dynamic, 16)
    for (size_t c = 0; c < on->cells.count; c++) {
      const firn_bin *cell = &on->cells.bin[c];
      const float *cells[27];
      find_neighbours(on, cell->key, cells);
      for (size_t k = cell->first; k < cell->first + cell->count; k++) {
        size_t i = on->cells.order[k];
        out[i] = fit(on, cells, on->place[i], &grains[i], amount);
      }
    }
  }
}

firn_status firn_grains_fit(float kernel, float amount, const firn_bins *homes,
                            const firn_grain *grains, firn_grain_shape *out) {
  lattice on = {.width = kernel};
  if (!homes->points) return FIRN_OK;
  firn_status status = sort_cells(&on, homes, grains);
  if (status == FIRN_OK) fit_all(&on, amount, grains, out);
  firn_free(homes->context, on.m, on.cells.count * sizeof *on.m);
  firn_free(homes->context, on.place, homes->points * sizeof *on.place);
  firn_bins_free(&on.cells);
  return status;
}
