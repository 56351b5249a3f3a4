// SPDX-License-Identifier: Apache-2.0
#include "cache/colliders.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/csv.h"

static const char HEADER[] = "frame,time,name,force_x,force_y,force_z,torque_x,torque_y,torque_z,"
                             "impulse_x,impulse_y,impulse_z,position_x,position_y,position_z,"
                             "rotation_x,rotation_y,rotation_z,velocity_x,velocity_y,velocity_z,"
                             "spin_x,spin_y,spin_z,work,power\n";

enum { VECTORS = 7, SCALARS = 2, NUMBERS = 2 + 3 * VECTORS + SCALARS };

firn_status firn_colliders_create(firn_context *context, const char *path) {
  return firn_csv_create(context, path, HEADER);
}

firn_status firn_colliders_open(firn_context *context, const char *path, firn_rows *out) {
  return firn_rows_open(context, path, HEADER, out);
}

// Axis times angle, as scene files have it, with an angle of half a turn at most.
static void rotation_vector(const double q[4], double out[3]) {
  double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), sign = q[3] < 0 ? -1 : 1;
  double scale = size > 0 ? sign * 2 * atan2(size, fabs(q[3])) / size : 0;
  for (int a = 0; a < 3; a++) out[a] = scale * q[a];
}

static size_t print_row(char *line, const firn_collider_row *row) {
  size_t n = firn_number_print(line, row->frame);
  line[n++] = ',';
  n += firn_number_print(line + n, row->time);
  line[n++] = ',';
  n += firn_csv_print_text(line + n, row->name);
  double turned[3];
  rotation_vector(row->state.rotation, turned);
  const double *vectors[VECTORS] = {
      row->force.force, row->force.torque,   row->force.impulse, row->state.pivot,
      turned,           row->state.velocity, row->state.spin};
  const double scalars[SCALARS] = {row->force.work, row->force.power};
  for (int i = 0; i < 3 * VECTORS + SCALARS; i++) {
    line[n++] = ',';
    n += firn_number_print(line + n,
                           i < 3 * VECTORS ? vectors[i / 3][i % 3] : scalars[i - 3 * VECTORS]);
  }
  line[n++] = '\n';
  return n;
}

firn_status firn_colliders_append(firn_context *context, const char *path,
                                  const firn_collider_row *rows, size_t count) {
  size_t size = 0, n = 0;
  for (size_t i = 0; i < count; i++) {
    size += NUMBERS * (FIRN_NUMBER_SIZE + 1) + 2 * strlen(rows[i].name) + 8;
  }
  if (!size) return FIRN_OK;
  char *lines = firn_alloc(context, size, "colliders.csv");
  if (!lines) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) n += print_row(lines + n, &rows[i]);
  firn_status status = firn_csv_append(context, path, lines, n);
  firn_free(context, lines, size);
  return status;
}
