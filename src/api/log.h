// SPDX-License-Identifier: Apache-2.0
// log.jsonl of a run: what happened and when, one JSON object a line. Until it is opened lines are held
// back: a run that is refused leaves nothing in the log of another.
#ifndef FIRN_API_LOG_H
#define FIRN_API_LOG_H

#include "base/context.h"

typedef struct firn_run_log {
  int fd;    // -1: there is none so far
  bool open; // lines are written; before they are held back
  char line[4096];
  size_t used;
  char
      held[8192]; // lines before it was opened, written with the next; what does not fit is dropped
  size_t held_used;
} firn_run_log;

// Locks path, where it is a file that can be written; it is locked besides the folder, for file systems
// that only lock files. FIRN_ERROR_STATE when another run holds it.
firn_status firn_log_lock(firn_context *context, const char *path, firn_run_log *log);
// Opens or makes path, for the lines so far and those to come, and locks it where that was not done.
firn_status firn_log_open(firn_context *context, const char *path, firn_run_log *log);
firn_status firn_log_clear(firn_context *context, const char *path, firn_run_log *log);
void firn_log_close(firn_run_log *log);

// One line: begin, members, end. Writing a line is tried and no more: a full disk will be reported
// by the files that matter.
void firn_log_begin(firn_run_log *log, const char *event);
void firn_log_text(firn_run_log *log, const char *key, const char *text);
void firn_log_number(firn_run_log *log, const char *key, double value);
void firn_log_end(firn_run_log *log);

#endif
