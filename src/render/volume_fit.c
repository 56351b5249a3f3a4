// SPDX-License-Identifier: Apache-2.0
// Kernels fitted to their neighbourhoods (after Yu and Turk 2013). The neighbours' moments are summed
// on a lattice as wide as the kernel first, so that the cost does not grow with their number.
#include <string.h>

#include "base/isa.h"
#include "base/memory.h"
#include "math/jacobi.h"
#include "render/volume_grain.h"

// Mass, first and second moments about the middle of the cell.
enum { MOMENTS = 10 };
typedef struct moment_cell {
  float m[MOMENTS];
} moment_cell;

typedef struct moment_grid {
  float width; // voxels
  int size[3];
  moment_cell *cell; // [z][y][x]
  size_t count;
} moment_grid;

static void place(const firn_grain_home *home, const firn_grain *g, float p[3]) {
  for (int a = 0; a < 3; a++) p[a] = (float)(home->at[a] * 8) + g->at[a];
}

static size_t cell_of(const moment_grid *grid, const float p[3], float r[3]) {
  int i[3];
  for (int a = 0; a < 3; a++) {
    float x = p[a] / grid->width;
    i[a] = (int)x + 1; // a cell of nothing around all
    r[a] = p[a] - ((float)i[a] - 0.5f) * grid->width;
  }
  return ((size_t)i[2] * (size_t)grid->size[1] + (size_t)i[1]) * (size_t)grid->size[0] +
         (size_t)i[0];
}

static void gather(moment_grid *grid, size_t home_count, const firn_grain_home *homes,
                   const firn_grain *grains) {
  for (size_t h = 0; h < home_count; h++)
    for (uint32_t k = 0; k < homes[h].count; k++) {
      float p[3], r[3];
      place(&homes[h], &grains[homes[h].first + k], p);
      float *m = grid->cell[cell_of(grid, p, r)].m, mass = grains[homes[h].first + k].mass;
      const float add[MOMENTS] = {1,           r[0],        r[1],        r[2],        r[0] * r[0],
                                  r[1] * r[1], r[2] * r[2], r[0] * r[1], r[0] * r[2], r[1] * r[2]};
      for (int i = 0; i < MOMENTS; i++) m[i] += mass * add[i];
    }
}

// Moments of all about the grain, weighted by a quadratic B-spline over cells.
static void around(const moment_grid *grid, const float p[3], double out[MOMENTS]) {
  int i[3];
  float w[3][3];
  for (int a = 0; a < 3; a++) {
    float x = p[a] / grid->width;
    i[a] = (int)x;
    float f = x - (float)i[a] - 0.5f;
    w[a][0] = 0.5f * (0.5f - f) * (0.5f - f);
    w[a][1] = 0.75f - f * f;
    w[a][2] = 0.5f * (0.5f + f) * (0.5f + f);
  }
  memset(out, 0, MOMENTS * sizeof *out);
  for (int k = 0; k < 27; k++) {
    int x = k % 3, y = k / 3 % 3, z = k / 9;
    size_t cell = ((size_t)(i[2] + z) * (size_t)grid->size[1] + (size_t)(i[1] + y)) *
                      (size_t)grid->size[0] +
                  (size_t)(i[0] + x);
    const float *m = grid->cell[cell].m;
    double weight = (double)(w[0][x] * w[1][y] * w[2][z]);
    if (!(m[0] > 0)) continue;
    // From the middle of the cell to the grain.
    double d[3] = {((double)(i[0] + x) - 0.5) * (double)grid->width - (double)p[0],
                   ((double)(i[1] + y) - 0.5) * (double)grid->width - (double)p[1],
                   ((double)(i[2] + z) - 0.5) * (double)grid->width - (double)p[2]};
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

static firn_grain_shape fit(const moment_grid *grid, const float p[3], float mass, float amount) {
  double m[MOMENTS], a[3][3], v[3][3];
  around(grid, p, m);
  double mean[3] = {m[1] / m[0], m[2] / m[0], m[3] / m[0]};
  static const int where[3][3] = {{4, 7, 8}, {7, 5, 9}, {8, 9, 6}};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) a[r][c] = m[where[r][c]] / m[0] - mean[r] * mean[c];
  firn_jacobi(3, *a, *v);
  // In snow without end the variance is a third of the width squared along each axis.
  double bulk = (double)(grid->width * grid->width) / 3, s[3], most = 0;
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
  double h = (double)grid->width;
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

firn_status firn_grains_fit(firn_context *context, float kernel, float amount, size_t home_count,
                            const firn_grain_home *homes, const firn_grain *grains,
                            firn_grain_shape *out) {
  moment_grid grid = {.width = kernel, .count = 1};
  int32_t most[3] = {0};
  for (size_t h = 0; h < home_count; h++)
    for (int a = 0; a < 3; a++) most[a] = homes[h].at[a] > most[a] ? homes[h].at[a] : most[a];
  for (int a = 0; a < 3; a++) {
    grid.size[a] = (int)((float)(most[a] * 8 + 8) / kernel) + 4;
    grid.count *= (size_t)grid.size[a];
  }
  grid.cell = firn_alloc_zero(context, grid.count * sizeof *grid.cell, "kernels fitted to snow");
  if (!grid.cell) return FIRN_ERROR_MEMORY;
  gather(&grid, home_count, homes, grains);
#pragma omp parallel num_threads(context->threads)
  {
    unsigned mode = firn_fp_enter();
#pragma omp for schedule(dynamic, 16)
    for (size_t h = 0; h < home_count; h++)
      for (uint32_t k = 0; k < homes[h].count; k++) {
        size_t i = homes[h].first + k;
        float p[3];
        place(&homes[h], &grains[i], p);
        out[i] = fit(&grid, p, grains[i].mass, amount);
      }
    firn_fp_leave(mode);
  }
  firn_free(context, grid.cell, grid.count * sizeof *grid.cell);
  return FIRN_OK;
}
