// SPDX-License-Identifier: Apache-2.0
// Everything that is wrong with a scene, in the order of the file.
#ifndef FIRN_SCENE_REPORT_H
#define FIRN_SCENE_REPORT_H

#include "base/context.h"

// A place in the scene file; or, with origin, in the text of an override.
typedef struct firn_mark {
  int line, column;   // from 1
  const char *origin; // NULL: the file; else "--set path=value"
} firn_mark;

typedef struct firn_report {
  firn_context *context;
  firn_scene_error *errors; // [capacity]
  int count, capacity;
  bool failed; // memory ran out
} firn_report;

// path is the key's, "" for none. An error in an override has line and column 0 and names it.
void firn_report_add(firn_report *report, firn_mark mark, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void firn_report_sort(firn_report *report);
void firn_report_free(firn_report *report);

#endif
