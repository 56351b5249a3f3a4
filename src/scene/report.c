// SPDX-License-Identifier: Apache-2.0
#include "scene/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

// A file with more errors than this is not a scene; the rest of the list would help nobody. The last
// of them says that there are more.
enum { MOST = 100 };

bool firn_report_full(const firn_report *report) {
  return report->count > MOST;
}

static firn_scene_error *push(firn_report *report) {
  if (firn_report_full(report)) return NULL;
  if (report->count == report->capacity) {
    int capacity = report->capacity ? 2 * report->capacity : 16;
    firn_scene_error *grown = firn_resize(report->context, report->errors,
                                          (size_t)report->capacity * sizeof *grown,
                                          (size_t)capacity * sizeof *grown, "scene errors");
    if (!grown) {
      report->failed = true;
      return NULL;
    }
    report->errors = grown;
    report->capacity = capacity;
  }
  return &report->errors[report->count++];
}

void firn_report_add(firn_report *report, firn_mark mark, const char *path, const char *format,
                     ...) {
  firn_scene_error *error = push(report);
  if (!error) return;
  error->line = mark.origin ? 0 : mark.line;
  error->column = mark.origin ? 0 : mark.column;
  error->file = report->files[mark.file];
  error->level = FIRN_LOG_ERROR;
  char message[sizeof error->message];
  const int size = (int)sizeof message;
  int used = 0;
  if (firn_report_full(report)) {
    snprintf(error->message, sizeof error->message, "there are more errors, which are not listed");
    return;
  }
  if (mark.origin) used = snprintf(message, (size_t)size, "%.120s: ", mark.origin);
  if (*path) used += snprintf(message + used, (size_t)(size - used), "%.200s: ", path);
  va_list args;
  va_start(args, format);
  vsnprintf(message + used, (size_t)(size - used), format, args);
  va_end(args);
  firn_escape(message, error->message, sizeof error->message);
}

firn_status firn_report_fail(const firn_report *report) {
  const firn_scene_error *e = &report->errors[0];
  char where[40] = "", more[40] = "";
  const char *file = e->file ? e->file : report->files[0];
  if (e->line) snprintf(where, sizeof where, ":%d:%d", e->line, e->column);
  if (report->count > 1) snprintf(more, sizeof more, " (and %d more)", report->count - 1);
  return firn_fail(report->context, FIRN_ERROR_SCENE, "%s%s: %s%s", file, where, e->message, more);
}

static int file_index(const firn_report *report, const firn_scene_error *error) {
  for (int i = 0; i < report->file_count; i++)
    if (report->files[i] == error->file) return i;
  return 0;
}

static bool before(const firn_report *report, const firn_scene_error *a,
                   const firn_scene_error *b) {
  int file_a = file_index(report, a), file_b = file_index(report, b);
  if (file_a != file_b) return file_a < file_b;
  return a->line != b->line ? a->line < b->line : a->column < b->column;
}

// Insertion sort: stable, in place, and the list is short and nearly sorted.
void firn_report_sort(firn_report *report) {
  int count = firn_report_full(report) ? MOST : report->count;
  for (int i = 1; i < count; i++) {
    firn_scene_error moved = report->errors[i];
    int j = i;
    for (; j > 0 && before(report, &moved, &report->errors[j - 1]); j--)
      report->errors[j] = report->errors[j - 1];
    report->errors[j] = moved;
  }
}

void firn_report_free(firn_report *report) {
  firn_free(report->context, report->errors, (size_t)report->capacity * sizeof *report->errors);
  report->errors = NULL;
  report->count = report->capacity = 0;
}

const char *firn_report_place(const firn_report *report, firn_mark mark, char text[300]) {
  if (mark.origin)
    snprintf(text, 300, "%.250s: ", mark.origin);
  else
    snprintf(text, 300, "%.250s:%d:%d: ", report->files[mark.file], mark.line, mark.column);
  return text;
}
