// SPDX-License-Identifier: Apache-2.0
#include "cache/colliders.h"

#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/csv.h"

static const char HEADER[] = "frame,time,name,force_x,force_y,force_z,torque_x,torque_y,torque_z,"
                             "impulse_x,impulse_y,impulse_z\n";

enum { NUMBERS = 11 };

firn_status firn_colliders_create(firn_context *context, const char *path) {
  return firn_csv_create(context, path, HEADER);
}

firn_status firn_colliders_truncate(firn_context *context, const char *path, int last) {
  return firn_csv_truncate(context, path, HEADER, last, NULL);
}

static size_t print_row(char *line, const firn_collider_row *row) {
  size_t n = firn_number_print(line, row->frame);
  line[n++] = ',';
  n += firn_number_print(line + n, row->time);
  line[n++] = ',';
  n += firn_csv_print_text(line + n, row->name);
  const double *vectors[] = {row->force.force, row->force.torque, row->force.impulse};
  for (int i = 0; i < 9; i++) {
    line[n++] = ',';
    n += firn_number_print(line + n, vectors[i / 3][i % 3]);
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
