// SPDX-License-Identifier: Apache-2.0
#ifndef FIRN_CLI_RUN_PICTURES_H
#define FIRN_CLI_RUN_PICTURES_H

#include "cli.h"

typedef struct run_pictures {
  const firn_scene *scene;
  const char *folder, *prefix; // of the run; of the pictures' names
  int every;                   // frames from picture to picture
} run_pictures;

// Draws those that are missing of the frames in the folder of a run, and lists them as the run's;
// *drawn: how many. FIRN_CANCELLED: by Ctrl-C.
firn_status run_draw_missing(firn_context *context, const run_pictures *of, int *drawn);

#endif
