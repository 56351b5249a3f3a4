// SPDX-License-Identifier: Apache-2.0
// Velocities of the air from a file: a row a node of a lattice, in any order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "world/points.h"
#include "world/world.h"

// Origin, spacing and number of nodes along an axis, from all that the rows say.
static firn_status measure(firn_context *context, const char *path, const firn_points_rows *rows,
                           int axis, double *sorted, firn_wind_def *def) {
  size_t n = rows->count, nodes = 1;
  for (size_t i = 0; i < n; i++) sorted[i] = rows->value[FIRN_POINT_NUMBERS * i + (size_t)axis];
  qsort(sorted, n, sizeof *sorted, firn_order_doubles);
  double span = sorted[n - 1] - sorted[0], near = 1e-6 * span;
  for (size_t i = 1; i < n; i++) nodes += sorted[i] - sorted[i - 1] > near;
  if (nodes < 2 || nodes > 1 << 20) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: a wind needs two nodes along %c or more, and there are %zu", path,
                     "xyz"[axis], nodes);
  }
  def->grid_nodes[axis] = (int)nodes;
  def->grid_origin[axis] = sorted[0];
  def->grid_spacing[axis] = span / (double)(nodes - 1);
  return FIRN_OK;
}

static firn_status arrange(firn_context *context, const char *path, const firn_points_rows *rows,
                           const firn_wind_def *def, uint8_t *seen, double *out) {
  for (size_t i = 0; i < rows->count; i++) {
    const double *row = rows->value + FIRN_POINT_NUMBERS * i;
    size_t at = 0;
    for (int a = 2; a >= 0; a--) {
      double s = (row[a] - def->grid_origin[a]) / def->grid_spacing[a], node = round(s);
      if (!(fabs(s - node) < 1e-3)) {
        return firn_fail(context, FIRN_ERROR_FORMAT,
                         "%s: its point %zu, at (%g %g %g) m, is not on a lattice of %g m along %c",
                         path, i, row[0], row[1], row[2], def->grid_spacing[a], "xyz"[a]);
      }
      at = at * (size_t)def->grid_nodes[a] + (size_t)node;
    }
    if (seen[at]) {
      return firn_fail(context, FIRN_ERROR_FORMAT,
                       "%s: its point %zu, at (%g %g %g) m, is there twice", path, i, row[0],
                       row[1], row[2]);
    }
    seen[at] = 1;
    memcpy(out + 3 * at, row + 3, 3 * sizeof *out);
  }
  return FIRN_OK;
}

static firn_status read(firn_context *context, const char *path, const firn_points_rows *rows,
                        firn_wind_def *def, double **out) {
  size_t n = rows->count, bytes = n * sizeof(double);
  if (!n || !rows->moving) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: a wind needs columns x, y, z, vx, vy and vz, and a row a node", path);
  }
  double *sorted = firn_alloc(context, bytes, "wind");
  if (!sorted) return FIRN_ERROR_MEMORY;
  firn_status status = FIRN_OK;
  for (int a = 0; a < 3 && status == FIRN_OK; a++) {
    status = measure(context, path, rows, a, sorted, def);
  }
  firn_free(context, sorted, bytes);
  FIRN_TRY(status);
  double nodes = (double)def->grid_nodes[0] * def->grid_nodes[1] * def->grid_nodes[2];
  if (nodes != (double)n) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: %zu points do not make a lattice of %d x %d x %d nodes", path, n,
                     def->grid_nodes[0], def->grid_nodes[1], def->grid_nodes[2]);
  }
  uint8_t *seen = firn_alloc_zero(context, n, "wind");
  *out = firn_alloc(context, 3 * bytes, "wind");
  status = seen && *out ? arrange(context, path, rows, def, seen, *out) : FIRN_ERROR_MEMORY;
  firn_free(context, seen, n);
  if (status == FIRN_OK) return FIRN_OK;
  firn_free(context, *out, 3 * bytes);
  *out = NULL;
  return status;
}

firn_status firn_wind_read_grid(firn_context *context, const char *path, firn_wind_def *def,
                                double **out, size_t *bytes) {
  firn_points_rows rows;
  *out = NULL;
  firn_status status = firn_points_read(context, path, &rows);
  if (status == FIRN_OK) status = read(context, path, &rows, def, out);
  *bytes = *out ? 3 * rows.count * sizeof(double) : 0;
  firn_points_free(&rows, context);
  return status;
}
