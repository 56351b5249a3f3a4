// SPDX-License-Identifier: Apache-2.0
#include "cache/probes.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/csv.h"

enum {
  NUMBERS = 10 + FIRN_PROBE_COLUMNS * FIRN_PROBE_COMPONENTS,
  NAME = 64, // of a field, as in frames
  HEADER = 200 + FIRN_PROBE_COLUMNS * FIRN_PROBE_COMPONENTS * (NAME + 4)
};

static const char *component_name(int components, int c) {
  static const char *const vector[] = {"_x", "_y", "_z"}, *const tensor[] = {"_xx", "_yy", "_zz",
                                                                             "_xy", "_xz", "_yz"},
                           *const matrix[] = {"_xx", "_xy", "_xz", "_yx", "_yy",
                                              "_yz", "_zx", "_zy", "_zz"},
                           *const number[FIRN_PROBE_COMPONENTS] = {"_0", "_1", "_2", "_3", "_4",
                                                                   "_5", "_6", "_7", "_8"};
  switch (components) {
  case 1: return "";
  case 3: return vector[c];
  case 6: return tensor[c];
  case 9: return matrix[c];
  default: return number[c];
  }
}

static void print_header(char header[HEADER], const firn_probe_columns *columns) {
  size_t n = (size_t)snprintf(header, HEADER,
                              "frame,time,name,count,mass,center_x,center_y,center_z,"
                              "velocity_x,velocity_y,velocity_z");
  for (int i = 0; i < columns->count; i++) {
    const firn_probe_column *column = &columns->column[i];
    for (int c = 0; c < column->components; c++) {
      n += (size_t)snprintf(header + n, HEADER - n, ",%.*s%s", NAME - 1, column->field,
                            component_name(column->components, c));
    }
  }
  snprintf(header + n, HEADER - n, "\n");
}

firn_status firn_probes_create(firn_context *context, const char *path,
                               const firn_probe_columns *columns) {
  char header[HEADER];
  print_header(header, columns);
  return firn_csv_create(context, path, header);
}

firn_status firn_probes_open(firn_context *context, const char *path,
                             const firn_probe_columns *columns, firn_rows *out) {
  char header[HEADER];
  print_header(header, columns);
  return firn_rows_open(context, path, header, out);
}

const char *firn_probe_name(const char *name, int i, char number[32]) {
  if (name) return name;
  snprintf(number, 32, "probe_%d", i);
  return number;
}

static size_t print_row(char *line, int frame, double time, const firn_probe_def *def, int i,
                        const firn_probe *p, const firn_probe_columns *columns) {
  size_t n = firn_number_print(line, frame);
  line[n++] = ',';
  n += firn_number_print(line + n, time);
  line[n++] = ',';
  char number[32];
  n += firn_csv_print_text(line + n, firn_probe_name(def->name, i, number));
  line[n++] = ',';
  n += firn_number_print(line + n, (double)p->count);
  line[n++] = ',';
  n += firn_number_print(line + n, p->mass);
  for (int a = 0; a < 6; a++) {
    line[n++] = ',';
    if (p->count) n += firn_number_print(line + n, a < 3 ? p->center[a] : p->velocity[a - 3]);
  }
  for (int k = 0; k < columns->count; k++) {
    const firn_probe_column *column = &columns->column[k];
    for (int c = 0; c < column->components; c++) {
      line[n++] = ',';
      if (!p->count || !column->mean) continue;
      n += firn_number_print(line + n, column->mean[i * column->components + c]);
    }
  }
  line[n++] = '\n';
  return n;
}

firn_status firn_probes_append(firn_context *context, const char *path, int frame, double time,
                               const firn_probe_def *defs, const firn_probe *probes, int count,
                               const firn_probe_columns *columns) {
  size_t size = 0, n = 0;
  for (int i = 0; i < count; i++) {
    size += NUMBERS * (FIRN_NUMBER_SIZE + 1) + 2 * strlen(defs[i].name ? defs[i].name : "") + 40;
  }
  if (!size) return FIRN_OK;
  char *lines = firn_alloc(context, size, "probes.csv");
  if (!lines) return FIRN_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    n += print_row(lines + n, frame, time, &defs[i], i, &probes[i], columns);
  }
  firn_status status = firn_csv_append(context, path, lines, n);
  firn_free(context, lines, size);
  return status;
}
