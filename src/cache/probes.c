// SPDX-License-Identifier: Apache-2.0
#include "cache/probes.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/csv.h"

static const char header[] = "frame,time,name,count,mass,center_x,center_y,center_z,velocity_x,"
                             "velocity_y,velocity_z,density,jp,stress_xx,stress_yy,stress_zz,"
                             "stress_xy,stress_xz,stress_yz\n";

enum { NUMBERS = 18 };

firn_status firn_probes_create(firn_context *context, const char *path) {
  return firn_csv_create(context, path, header);
}

firn_status firn_probes_truncate(firn_context *context, const char *path, int last) {
  return firn_csv_truncate(context, path, header, last, NULL);
}

// Where a scene gives no name, "probe_0" and so on.
static size_t print_name(char *to, const char *name, int i) {
  char number[32];
  if (!name) {
    snprintf(number, sizeof number, "probe_%d", i);
    name = number;
  }
  return firn_csv_print_text(to, name);
}

static size_t print_row(char *line, int frame, double time, const firn_probe_def *def, int i,
                        const firn_probe *p) {
  size_t n = firn_number_print(line, frame);
  line[n++] = ',';
  n += firn_number_print(line + n, time);
  line[n++] = ',';
  n += print_name(line + n, def->name, i);
  line[n++] = ',';
  n += firn_number_print(line + n, (double)p->count);
  line[n++] = ',';
  n += firn_number_print(line + n, p->mass);
  double averages[14];
  memcpy(averages, p->center, sizeof p->center);
  memcpy(averages + 3, p->velocity, sizeof p->velocity);
  averages[6] = p->density;
  averages[7] = p->jp;
  memcpy(averages + 8, p->stress, sizeof p->stress);
  for (int k = 0; k < 14; k++) {
    line[n++] = ',';
    if (p->count) n += firn_number_print(line + n, averages[k]);
  }
  line[n++] = '\n';
  return n;
}

firn_status firn_probes_append(firn_context *context, const char *path, int frame, double time,
                               const firn_probe_def *defs, const firn_probe *probes, int count) {
  size_t size = 0, n = 0;
  for (int i = 0; i < count; i++) {
    size += NUMBERS * (FIRN_NUMBER_SIZE + 1) + 2 * strlen(defs[i].name ? defs[i].name : "") + 40;
  }
  if (!size) return FIRN_OK;
  char *lines = firn_alloc(context, size, "probes.csv");
  if (!lines) return FIRN_ERROR_MEMORY;
  for (int i = 0; i < count; i++) {
    n += print_row(lines + n, frame, time, &defs[i], i, &probes[i]);
  }
  firn_status status = firn_csv_append(context, path, lines, n);
  firn_free(context, lines, size);
  return status;
}
