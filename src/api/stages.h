// SPDX-License-Identifier: Apache-2.0
// Seconds of a frame that each stage of its steps took, by name ("seconds_pressure"): statistics of the
// solver, which log.jsonl has frame by frame, and plots read from there.
#ifndef FIRN_API_STAGES_H
#define FIRN_API_STAGES_H

#include "base/context.h"

#define FIRN_STAGE_PREFIX "seconds_"

enum { FIRN_STAGES = 8, FIRN_STAGE_NAME = 40 };

typedef struct firn_stages {
  int count;
  char name[FIRN_STAGES][FIRN_STAGE_NAME]; // with the prefix
  double *value;                           // [FIRN_STAGES][rows] s; NAN where it is not told
  size_t rows;
} firn_stages;

// Those of the frames of a table, out of the log of its folder: of a frame that was made twice, the last.
// A folder without a log, or whose log has none, gives none.
firn_status firn_stages_read(firn_context *context, const char *folder, const double *frame,
                             size_t rows, firn_stages *out);
void firn_stages_free(firn_context *context, firn_stages *stages);
const double *firn_stages_find(const firn_stages *stages, const char *name); // or NULL

#endif
