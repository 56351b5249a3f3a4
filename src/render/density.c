// SPDX-License-Identifier: Apache-2.0
#include "render/density.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum {
  MOST_CELLS = 12000000, // of the finest level: 48 MB
  UNIT = 4096,           // one particle in fixed point: integer sums do not depend on their order
};

static size_t cells_of(const firn_density_level *l) {
  return (size_t)l->size[0] * (size_t)l->size[1] * (size_t)l->size[2];
}

// ---------------------------------------------------------------------------------- building

// Each particle goes to the eight nearest cells by trilinear weights.
static void count_particle(uint32_t *sum, const firn_density_level *l, firn_v3 origin, firn_v3 p) {
  float at[3] = {(p.x - origin.x) / l->cell - 0.5f, (p.y - origin.y) / l->cell - 0.5f,
                 (p.z - origin.z) / l->cell - 0.5f};
  int base[3];
  float w[3][2];
  for (int k = 0; k < 3; k++) {
    if (!(at[k] >= 0 && at[k] < (float)(l->size[k] - 1))) return; // nan too
    base[k] = (int)at[k];
    w[k][1] = at[k] - (float)base[k];
    w[k][0] = 1 - w[k][1];
  }
  for (int c = 0; c < 8; c++) {
    int x = c & 1, y = c >> 1 & 1, z = c >> 2;
    size_t cell = ((size_t)(base[2] + z) * (size_t)l->size[1] + (size_t)(base[1] + y)) *
                      (size_t)l->size[0] +
                  (size_t)(base[0] + x);
    uint32_t add = (uint32_t)(w[0][x] * w[1][y] * w[2][z] * UNIT + 0.5f);
#pragma omp atomic
    sum[cell] += add;
  }
}

// One pass of the weights 1/4, 1/2, 1/4 along every line of an axis, in place.
static void smooth_axis(const firn_context *context, const firn_density_level *l, int axis) {
  const int *n = l->size;
  size_t stride[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
  int a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (int j = 0; j < n[b]; j++) {
    for (int i = 0; i < n[a]; i++) {
      float *p = l->data + (size_t)i * stride[a] + (size_t)j * stride[b];
      float before = 0, here = p[0];
      for (int k = 0; k < n[axis]; k++, p += stride[axis]) {
        float after = k + 1 < n[axis] ? p[stride[axis]] : 0;
        *p = 0.25f * (before + after) + 0.5f * here;
        before = here;
        here = after;
      }
    }
  }
}

// A cell, or the nothing around the grid.
static float cell_or_zero(const firn_density_level *l, int x, int y, int z) {
  bool inside = x >= 0 && y >= 0 && z >= 0 && x < l->size[0] && y < l->size[1] && z < l->size[2];
  if (!inside) return 0;
  return l->data[((size_t)z * (size_t)l->size[1] + (size_t)y) * (size_t)l->size[0] + (size_t)x];
}

// Means of 2x2x2.
static void halve(const firn_context *context, const firn_density_level *fine,
                  const firn_density_level *l) {
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (int z = 0; z < l->size[2]; z++) {
    for (int y = 0; y < l->size[1]; y++) {
      float *row = l->data + ((size_t)z * (size_t)l->size[1] + (size_t)y) * (size_t)l->size[0];
      for (int x = 0; x < l->size[0]; x++) {
        float sum = 0;
        for (int c = 0; c < 8; c++) {
          sum += cell_or_zero(fine, 2 * x + (c & 1), 2 * y + (c >> 1 & 1), 2 * z + (c >> 2));
        }
        row[x] = sum / 8;
      }
    }
  }
}

static firn_status fill_finest(firn_context *context, firn_density *d, size_t count,
                               const firn_v3 *position, float spacing) {
  firn_density_level *l = &d->level[0];
  size_t cells = cells_of(l);
  uint32_t *sum = firn_alloc_zero(context, cells * sizeof *sum, "density of a picture");
  if (!sum) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < count; i++) count_particle(sum, l, d->origin, position[i]);
  float ratio = spacing / l->cell, unit = ratio * ratio * ratio / UNIT;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < cells; i++) l->data[i] = (float)sum[i] * unit;
  firn_free(context, sum, cells * sizeof *sum);
  for (int pass = 0; pass < 2; pass++) {
    for (int axis = 0; axis < 3; axis++) smooth_axis(context, l, axis);
  }
  return FIRN_OK;
}

firn_status firn_density_build(firn_context *context, size_t count, const firn_v3 *position,
                               float spacing, firn_v3 low, firn_v3 high, firn_density *out) {
  *out = (firn_density){.extinction = 0.55f / spacing};
  // Room around for the smoothing; the cell grows until the box fits.
  float cell = spacing;
  double edge[3];
  for (int i = 0;; i++, cell *= 1.25f) {
    if (i > 1000) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "the box of a picture is not finite");
    }
    float margin = 6 * cell;
    out->origin = (firn_v3){low.x - margin, low.y - margin, low.z - margin};
    edge[0] = ceil((double)((high.x - low.x + 2 * margin) / cell)) + 1;
    edge[1] = ceil((double)((high.y - low.y + 2 * margin) / cell)) + 1;
    edge[2] = ceil((double)((high.z - low.z + 2 * margin) / cell)) + 1;
    if (edge[0] * edge[1] * edge[2] <= MOST_CELLS) break;
  }
  for (int i = 0; i < FIRN_DENSITY_LEVELS; i++) {
    firn_density_level *l = &out->level[i];
    for (int k = 0; k < 3; k++) {
      l->size[k] = i ? (out->level[i - 1].size[k] + 1) / 2 : (int)edge[k];
    }
    l->cell = ldexpf(cell, i);
    l->data = firn_alloc(context, cells_of(l) * sizeof *l->data, "density of a picture");
    out->levels = i + 1;
    if (!l->data) {
      firn_density_free(context, out);
      return FIRN_ERROR_MEMORY;
    }
  }
  firn_status status = fill_finest(context, out, count, position, spacing);
  if (status != FIRN_OK) {
    firn_density_free(context, out);
    return status;
  }
  for (int i = 1; i < out->levels; i++) {
    halve(context, &out->level[i - 1], &out->level[i]);
  }
  return FIRN_OK;
}

void firn_density_free(firn_context *context, firn_density *d) {
  for (int i = 0; i < d->levels; i++) {
    firn_density_level *l = &d->level[i];
    firn_free(context, l->data, l->data ? cells_of(l) * sizeof *l->data : 0);
  }
  *d = (firn_density){0};
}

// ---------------------------------------------------------------------------------- looking

float firn_density_at(const firn_density *d, int level, firn_v3 p) {
  const firn_density_level *l = &d->level[level];
  float x = (p.x - d->origin.x) / l->cell - 0.5f, y = (p.y - d->origin.y) / l->cell - 0.5f,
        z = (p.z - d->origin.z) / l->cell - 0.5f;
  float nx = (float)l->size[0], ny = (float)l->size[1], nz = (float)l->size[2];
  if (!(x > -1 && y > -1 && z > -1 && x < nx && y < ny && z < nz)) return 0;
  int i = (int)floorf(x), j = (int)floorf(y), k = (int)floorf(z);
  float u = x - (float)i, v = y - (float)j, w = z - (float)k, c[8];
  if (i >= 0 && j >= 0 && k >= 0 && i + 1 < l->size[0] && j + 1 < l->size[1] &&
      k + 1 < l->size[2]) {
    size_t row = (size_t)l->size[0], slab = row * (size_t)l->size[1];
    const float *q = l->data + (size_t)k * slab + (size_t)j * row + (size_t)i;
    for (int n = 0; n < 8; n++) c[n] = q[(n >> 2) * slab + (n >> 1 & 1) * row + (n & 1)];
  } else {
    for (int n = 0; n < 8; n++) {
      c[n] = cell_or_zero(l, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
    }
  }
  for (int n = 0; n < 4; n++) c[n] = c[2 * n] + u * (c[2 * n + 1] - c[2 * n]);
  c[0] += v * (c[1] - c[0]);
  c[1] = c[2] + v * (c[3] - c[2]);
  return c[0] + w * (c[1] - c[0]);
}

firn_v3 firn_density_slope(const firn_density *d, firn_v3 p) {
  float e = d->level[0].cell, k = 1 / (2 * e);
  firn_v3 s;
  s.x = firn_density_at(d, 0, (firn_v3){p.x - e, p.y, p.z}) -
        firn_density_at(d, 0, (firn_v3){p.x + e, p.y, p.z});
  s.y = firn_density_at(d, 0, (firn_v3){p.x, p.y - e, p.z}) -
        firn_density_at(d, 0, (firn_v3){p.x, p.y + e, p.z});
  s.z = firn_density_at(d, 0, (firn_v3){p.x, p.y, p.z - e}) -
        firn_density_at(d, 0, (firn_v3){p.x, p.y, p.z + e});
  return firn_v3_scale(k, s);
}

// Samples at distances that grow with the cone: one level coarser at each, so that a sample is
// about as wide as the cone there.
float firn_density_cone(const firn_density *d, firn_v3 p, firn_v3 direction) {
  float cell = d->level[0].cell, depth = 0;
  float step = 1.2f * cell, at = step;
  for (int i = 0; i < d->levels && depth < 4; i++) {
    firn_v3 q = firn_v3_add(p, firn_v3_scale(at, direction));
    depth += firn_density_at(d, i, q) * step * d->extinction;
    step = i ? 2 * step : step;
    at += step;
  }
  return expf(-depth);
}
