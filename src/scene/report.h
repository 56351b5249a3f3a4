// SPDX-License-Identifier: Apache-2.0
// Everything that is wrong with a scene, in the order of the file.
#ifndef FIRN_SCENE_REPORT_H
#define FIRN_SCENE_REPORT_H

#include "base/context.h"

// The scene's own file and those that it includes, directly or not.
enum { FIRN_SCENE_FILES = 64 };

// A place in a scene file; or, with origin, in the text of an override.
typedef struct firn_mark {
  int line, column;   // from 1
  const char *origin; // NULL: a file; else "--set path=value"
  int file;           // index in the report's files; 0: the scene's own
  int level;          // whose word counts where two keys exclude each other: the higher one's
} firn_mark;

// Levels: what an included file says gives way to its includer, whose `set` beats both; --set beats
// all.
enum { FIRN_LEVEL_FILE = 1000, FIRN_LEVEL_OVERRIDE = 2000 };

typedef struct firn_report {
  firn_context *context;
  firn_scene_error *errors; // [capacity]
  int count, capacity;
  bool failed;                         // memory ran out
  const char *files[FIRN_SCENE_FILES]; // names, for messages; owned by the scene's arena
  int file_count;
} firn_report;

// path is the key's, "" for none. An error in an override has line and column 0 and names it.
void firn_report_add(firn_report *report, firn_mark mark, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Whether nothing more will be listed; what it costs to find the right words can be saved then.
bool firn_report_full(const firn_report *report);
// Fails with the first of its errors, which must exist, as FILE:LINE:COLUMN: message, and says how many
// more there are.
firn_status firn_report_fail(const firn_report *report);
// Where a value stands, for notes: "FILE:LINE:COLUMN: ", or the override and ": ".
const char *firn_report_place(const firn_report *report, firn_mark mark, char text[300]);
void firn_report_sort(firn_report *report);
void firn_report_free(firn_report *report);

#endif
