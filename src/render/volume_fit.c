// SPDX-License-Identifier: Apache-2.0
// Kernels fitted to their neighbourhoods (after Yu and Turk 2013). The neighbours' moments are summed
// on a lattice as wide as the kernel first, so that the cost does not grow with their number. Only
// cells with grains are kept, sorted by place, so that it does not grow with the way to a stray either.
#include "base/memory.h"
#include "base/parallel.h"
#include "render/volume_moments.h"

typedef struct lattice {
  float width;              // voxels
  firn_bins cells;          // of grains
  float (*m)[FIRN_MOMENTS]; // [cells], about their middles
  float (*place)[3];        // [grains], voxels
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
    firn_moments_put(m, mass, r);
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
                   double out[FIRN_MOMENTS]) {
  int32_t i[3];
  float w[3][3];
  cell_of(on, p, i);
  for (int a = 0; a < 3; a++) {
    float f = p[a] / on->width - (float)i[a] - 0.5f;
    w[a][0] = 0.5f * (0.5f - f) * (0.5f - f);
    w[a][1] = 0.75f - f * f;
    w[a][2] = 0.5f * (0.5f + f) * (0.5f + f);
  }
  memset(out, 0, FIRN_MOMENTS * sizeof *out);
  for (int k = 0; k < 27; k++) {
    int x = k % 3, y = k / 3 % 3, z = k / 9;
    if (!cells[k]) continue;
    const float *m = cells[k];
    double weight = (double)(w[0][x] * w[1][y] * w[2][z]);
    // From the middle of the cell to the grain.
    double d[3] = {((double)(i[0] + x) - 0.5) * (double)on->width - (double)p[0],
                   ((double)(i[1] + y) - 0.5) * (double)on->width - (double)p[1],
                   ((double)(i[2] + z) - 0.5) * (double)on->width - (double)p[2]};
    firn_moments_add(out, weight, m, d);
  }
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

static void fit_all(const lattice *on, const firn_grain_fit *by, const firn_grain *grains,
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
        double m[FIRN_MOMENTS];
        around(on, cells, on->place[i], m);
        const firn_grain_company company = firn_moments_company(m, (double)on->width, 1.0 / 3);
        out[i] = firn_grain_shape_of(by, &grains[i], &company);
      }
    }
  }
}

firn_status firn_grains_fit(const firn_grain_fit *by, const firn_bins *homes,
                            const firn_grain *grains, firn_grain_shape *out) {
  lattice on = {.width = by->kernel};
  if (!homes->points) return FIRN_OK;
  firn_status status = sort_cells(&on, homes, grains);
  if (status == FIRN_OK) fit_all(&on, by, grains, out);
  firn_free(homes->context, on.m, on.cells.count * sizeof *on.m);
  firn_free(homes->context, on.place, homes->points * sizeof *on.place);
  firn_bins_free(&on.cells);
  return status;
}
