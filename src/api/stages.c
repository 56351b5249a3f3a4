// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // memmem
#include "api/stages.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "api/run.h"
#include "base/memory.h"
#include "base/number.h"

// A number behind "name": in a line of the log; NAN where there is none. Such lines hold nobody's words,
// so that what looks like a name is one.
static double number_of(const char *line, const char *end, const char *name) {
  size_t length = strlen(name);
  double value;
  for (const char *at = line; (at = memchr(at, '"', (size_t)(end - at))); at++) {
    if ((size_t)(end - at) < length + 4 || memcmp(at + 1, name, length) != 0) continue;
    const char *rest = at + 1 + length;
    if (memcmp(rest, "\": ", 3) != 0) continue;
    rest += 3;
    return firn_number_read(rest, (size_t)(end - rest), &value) ? value : (double)NAN;
  }
  return (double)NAN;
}

// The next name with the prefix; returns what follows it, or NULL.
static const char *next_name(const char *at, const char *end, char name[FIRN_STAGE_NAME]) {
  static const char prefix[] = "\"" FIRN_STAGE_PREFIX;
  at = memmem(at, (size_t)(end - at), prefix, sizeof prefix - 1);
  if (!at) return NULL;
  at++;
  const char *close = memchr(at, '"', (size_t)(end - at));
  if (!close || close - at >= FIRN_STAGE_NAME) return NULL;
  memcpy(name, at, (size_t)(close - at));
  name[close - at] = 0;
  return close;
}

static int stage_of(firn_stages *s, const char *name) {
  for (int i = 0; i < s->count; i++)
    if (strcmp(s->name[i], name) == 0) return i;
  if (s->count == FIRN_STAGES) return -1;
  memcpy(s->name[s->count], name, strlen(name) + 1);
  return s->count++;
}

static void read_line(firn_stages *s, const char *line, const char *end, const double *frame) {
  static const char event[] = "{\"event\": \"frame\"";
  if ((size_t)(end - line) < sizeof event || memcmp(line, event, sizeof event - 1) != 0) return;
  double number = number_of(line, end, "frame");
  size_t row = 0;
  while (row < s->rows && frame[row] != number) row++;
  if (row == s->rows) return;
  char name[FIRN_STAGE_NAME];
  for (const char *at = line; (at = next_name(at, end, name));) {
    int i = stage_of(s, name);
    if (i >= 0) s->value[(size_t)i * s->rows + row] = number_of(line, end, name);
  }
}

firn_status firn_stages_read(firn_context *context, const char *folder, const double *frame,
                             size_t rows, firn_stages *out) {
  *out = (firn_stages){.rows = rows};
  char path[FIRN_PATH_SIZE], *log;
  size_t size;
  FIRN_TRY(firn_path_format(context, path, "%s/" FIRN_RUN_LOG, folder));
  if (!frame || !rows || access(path, R_OK)) return FIRN_OK;
  FIRN_TRY(firn_file_get(context, path, &log, &size));
  out->value = firn_alloc(context, FIRN_STAGES * rows * sizeof *out->value, "a plot");
  for (size_t i = 0; out->value && i < FIRN_STAGES * rows; i++) out->value[i] = (double)NAN;
  const char *end = log + size, *next;
  for (const char *line = log; out->value && line < end; line = next + 1) {
    next = memchr(line, '\n', (size_t)(end - line));
    if (!next) break; // somebody is writing it
    read_line(out, line, next, frame);
  }
  firn_free(context, log, size + 1);
  return out->value ? FIRN_OK : FIRN_ERROR_MEMORY;
}

void firn_stages_free(firn_context *context, firn_stages *stages) {
  firn_free(context, stages->value, FIRN_STAGES * stages->rows * sizeof *stages->value);
  *stages = (firn_stages){0};
}

const double *firn_stages_find(const firn_stages *stages, const char *name) {
  for (int i = 0; i < stages->count; i++)
    if (strcmp(stages->name[i], name) == 0) return stages->value + (size_t)i * stages->rows;
  return NULL;
}
