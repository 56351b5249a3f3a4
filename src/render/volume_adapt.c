// SPDX-License-Identifier: Apache-2.0
// Kernels that adapt to their neighbourhoods. The neighbours' moments are summed on the nodes of a lattice
// first, so that the cost does not grow with their number. A grain is shared out between the eight nodes
// around it by their distance, so that no sum jumps when it goes from one cell to the next, as it would if
// cells were counted. It takes from the 27 nodes around it what a quadratic B-spline says, whose variance
// is the same wherever the grain is.
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "render/volume_moments.h"

typedef struct lattice {
  float width;     // voxels
  firn_bins cells; // of grains
  firn_bins nodes; // of corners of cells: 8 cell + corner, bit a of it: the upper one along axis a
  float (*m)[FIRN_MOMENTS]; // [nodes], about the node
  float (*place)[3];        // [grains], voxels
} lattice;

// Which cell each grain is in, and the corners of these cells.
static firn_status sort_all(lattice *on, const firn_bins *homes, const firn_grain *grains) {
  firn_context *context = homes->context;
  FIRN_TRY(firn_bins_open(&on->cells, context, homes->points));
  on->place = firn_alloc(context, homes->points * sizeof *on->place, "kernels that adapt");
  if (!on->place) return FIRN_ERROR_MEMORY;
  int32_t at[3];
  for (size_t h = 0; h < homes->count; h++) {
    const firn_bin *home = &homes->bin[h];
    int32_t block[3];
    firn_cell_at(home->key, block);
    for (size_t i = home->first; i < home->first + home->count; i++) {
      for (int a = 0; a < 3; a++) {
        on->place[i][a] = (float)(block[a] * 8) + grains[i].at[a];
        at[a] = (int32_t)(on->place[i][a] / on->width);
      }
      firn_bins_put(&on->cells, i, at);
    }
  }
  FIRN_TRY(firn_bins_sort(&on->cells));
  FIRN_TRY(firn_bins_open(&on->nodes, context, 8 * on->cells.count));
  for (size_t c = 0; c < on->cells.count; c++)
    for (size_t k = 0; k < 8; k++) {
      firn_cell_at(on->cells.bin[c].key, at);
      for (int a = 0; a < 3; a++) at[a] += (int32_t)(k >> a & 1);
      firn_bins_put(&on->nodes, 8 * c + k, at);
    }
  FIRN_TRY(firn_bins_sort(&on->nodes));
  on->m = firn_alloc_zero(context, on->nodes.count * sizeof *on->m, "kernels that adapt");
  return on->m ? FIRN_OK : FIRN_ERROR_MEMORY;
}

// Sums in the order of cells and of grains.
static void gather(const lattice *on, size_t n, const firn_grain *grains) {
  const firn_bin *node = &on->nodes.bin[n];
  int32_t at[3];
  firn_cell_at(node->key, at);
  for (size_t e = node->first; e < node->first + node->count; e++) {
    uint32_t corner = on->nodes.order[e];
    const firn_bin *cell = &on->cells.bin[corner / 8];
    for (size_t k = cell->first; k < cell->first + cell->count; k++) {
      size_t i = on->cells.order[k];
      float r[3], weight = grains[i].mass;
      for (int a = 0; a < 3; a++) {
        r[a] = on->place[i][a] - (float)at[a] * on->width;
        weight *= fmaxf(1 - fabsf(r[a]) / on->width, 0);
      }
      firn_moments_put(on->m[n], weight, r);
    }
  }
}

// Moments of the nodes up to one beyond the corners of a cell, [x][y][z]; NULL where there is nothing. Four
// along z follow each other.
static void find_nodes(const lattice *on, uint64_t cell, const float *out[64]) {
  const firn_bins *nodes = &on->nodes;
  memset(out, 0, 64 * sizeof *out);
  for (int row = 0; row < 16; row++) {
    uint64_t low = cell + firn_cell_step(row / 4 - 1, row % 4 - 1, -1);
    size_t i = firn_cell_find(nodes->bin, sizeof *nodes->bin, nodes->count, low);
    for (; i < nodes->count && nodes->bin[i].key - low < 4; i++)
      out[4 * (size_t)row + (nodes->bin[i].key - low)] = on->m[i];
  }
}

static firn_grain_company company_of(const lattice *on, const int32_t cell[3],
                                     const float *const nodes[64], const float p[3]) {
  double m[FIRN_MOMENTS] = {0}, w[3][3], d[3][3];
  size_t first[3];
  for (int a = 0; a < 3; a++) { // about the nearest node
    double x = (double)p[a] / (double)on->width - cell[a], f = x < 0.5 ? x : x - 1;
    first[a] = x < 0.5 ? 0 : 1;
    w[a][0] = 0.5 * (0.5 - f) * (0.5 - f);
    w[a][1] = 0.75 - f * f;
    w[a][2] = 0.5 * (0.5 + f) * (0.5 + f);
    for (int k = 0; k < 3; k++) d[a][k] = (k - 1 - f) * (double)on->width;
  }
  for (size_t k = 0; k < 27; k++) {
    size_t x = k / 9, y = k / 3 % 3, z = k % 3;
    const float *node = nodes[((first[0] + x) * 4 + first[1] + y) * 4 + first[2] + z];
    const double away[3] = {d[0][x], d[1][y], d[2][z]};
    if (node) firn_moments_add(m, w[0][x] * w[1][y] * w[2][z], node, away);
  }
  return firn_moments_company(m, (double)on->width, 1.0 / 6 + 1.0 / 4); // of hat and spline
}

static void adapt_all(const lattice *on, const firn_grain_fit *by, const firn_grain *grains,
                      firn_grain_shape *out) {
  FIRN_PARALLEL(on->cells.context) {
#pragma omp for schedule(dynamic, 256)
    for (size_t n = 0; n < on->nodes.count; n++) gather(on, n, grains);
#pragma omp for schedule(dynamic, 16)
    for (size_t c = 0; c < on->cells.count; c++) {
      const firn_bin *cell = &on->cells.bin[c];
      const float *nodes[64];
      int32_t at[3];
      firn_cell_at(cell->key, at);
      find_nodes(on, cell->key, nodes);
      for (size_t k = cell->first; k < cell->first + cell->count; k++) {
        size_t i = on->cells.order[k];
        const firn_grain_company company = company_of(on, at, nodes, on->place[i]);
        out[i] = firn_grain_shape_of(by, &grains[i], &company);
      }
    }
  }
}

firn_status firn_grains_adapt(const firn_grain_fit *by, const firn_bins *homes,
                              const firn_grain *grains, firn_grain_shape *out) {
  lattice on = {.width = firn_grain_window(by)};
  if (!homes->points) return FIRN_OK;
  firn_status status = sort_all(&on, homes, grains);
  if (status == FIRN_OK) adapt_all(&on, by, grains, out);
  firn_free(homes->context, on.m, on.nodes.count * sizeof *on.m);
  firn_free(homes->context, on.place, homes->points * sizeof *on.place);
  firn_bins_free(&on.nodes);
  firn_bins_free(&on.cells);
  return status;
}
