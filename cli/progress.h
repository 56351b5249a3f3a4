// SPDX-License-Identifier: Apache-2.0
// How a run tells what it does: a live line on a terminal, plain lines into a file or a pipe,
// JSON for programs, or nothing.
#ifndef FIRN_CLI_PROGRESS_H
#define FIRN_CLI_PROGRESS_H

#include "cli.h"

typedef struct progress {
  progress_mode mode;
  bool live;            // stdout is a terminal
  int columns;          // of it
  bool open;            // a live line is on the screen
  double last;          // when it was last drawn
  firn_run_event event; // the last one
  bool any;
} progress;

progress progress_begin(progress_mode mode);
// Shows an event, at most ten times a second where it is not a whole frame.
void progress_event(progress *p, const firn_run_event *event);
// Ends the live line, so that other text may follow.
void progress_end(progress *p);

// The live line, at most columns long.
void progress_line(const firn_run_event *event, int columns, char *line, size_t size);

#endif
