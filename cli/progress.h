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
  bool any;             // something was done
  const firn_context *context;
  firn_status status; // of pictures, ...
  char message[1200]; // ... and what was wrong with one: the run, which stops then, has its own
} progress;

progress progress_begin(progress_mode mode, const firn_context *context);
// Shows an event, at most ten times a second where it is not a whole frame.
void progress_event(progress *p, const firn_run_event *event);
// A picture of the simulation as it is; after a resume only where it is missing. False: the run shall
// stop.
bool progress_picture(progress *p, const firn_run_event *event, const firn_preview_def *view,
                      const char *path);
// Notes why a picture failed, by the context's message, and returns false: the run shall stop.
bool progress_stop(progress *p, const firn_run_event *event, firn_status status);
// Says why a run failed, or why its picture did, and returns the exit code.
int progress_fail(const progress *p, firn_status status);
// Ends the live line, so that other text may follow.
void progress_end(progress *p);

// The live line, at most columns long.
void progress_line(const firn_run_event *event, int columns, char *line, size_t size);

#endif
