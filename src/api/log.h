// SPDX-License-Identifier: Apache-2.0
// log.jsonl of a run: what happened and when, one JSON object a line. The log also guards the
// folder: while it is open, no other process may run there.
#ifndef FIRN_API_LOG_H
#define FIRN_API_LOG_H

#include "base/context.h"

typedef struct firn_run_log {
  int fd; // -1: not open
  char line[4096];
  size_t used;
} firn_run_log;

// Opens or makes path and locks it; FIRN_ERROR_STATE when another run holds it.
firn_status firn_log_open(firn_context *context, const char *path, firn_run_log *log);
// The same for those who only look, and let a run begin meanwhile: whether one is at work now.
firn_status firn_log_check(firn_context *context, const char *path);
firn_status firn_log_clear(firn_context *context, const char *path, firn_run_log *log);
void firn_log_close(firn_run_log *log);

// One line: begin, members, end. Writing a line is tried and no more: a full disk will be reported
// by the files that matter.
void firn_log_begin(firn_run_log *log, const char *event);
void firn_log_text(firn_run_log *log, const char *key, const char *text);
void firn_log_number(firn_run_log *log, const char *key, double value);
void firn_log_end(firn_run_log *log);

#endif
