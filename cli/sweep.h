// SPDX-License-Identifier: Apache-2.0
// A parameter study: which values vary, what each run is called, and what came of it.
#ifndef FIRN_CLI_SWEEP_H
#define FIRN_CLI_SWEEP_H

#include "progress.h"

enum { SWEEP_AXES = 16, SWEEP_VALUES = 256, SWEEP_RUNS = 10000 };

// One --vary: a path of the scene and its values.
typedef struct sweep_axis {
  char path[256];
  const char *name; // the end of path, from its last two keys on where the last one is a number
  int count;
  char *value[SWEEP_VALUES];
} sweep_axis;

typedef enum sweep_state { SWEEP_TODO, SWEEP_DONE, SWEEP_SKIPPED, SWEEP_FAILED } sweep_state;

typedef struct sweep {
  const char *scene;
  const char *folder;
  int axis_count;
  sweep_axis axis[SWEEP_AXES];
  int count;            // runs: the product of all counts
  sweep_state *state;   // [count]
  char (*message)[256]; // of runs that failed, [count]
  progress_mode mode;
  bool overwrite; // runs that are there
  const cli_options *options;
  bool refused; // a folder holds another run
} sweep;

// Reads "path=a,b,c"; commas within brackets or quotes do not divide. Returns what is wrong, or
// NULL.
const char *sweep_axis_parse(sweep_axis *axis, const char *text);
void sweep_axis_free(sweep_axis *axis);

// The value of an axis in run i: the last axis goes quickest.
const char *sweep_value(const sweep *s, int run, int axis);
// "012-flip=0.9_young=140kPa", and the path of that folder.
void sweep_name(const sweep *s, int run, char *name, size_t size);
void sweep_folder(const sweep *s, int run, char *folder, size_t size);
// "flip = 0.9\nyoung = 140 kPa".
void sweep_label(const sweep *s, int run, const char *between, char *label, size_t size);

// The scene of a run; NULL: the scene is not valid, and stderr has the reason.
firn_scene *sweep_scene(const sweep *s, firn_context *context, int run);
// How the end of a run is drawn for the sheet.
enum { SWEEP_PICTURE_WIDTH = 320, SWEEP_PICTURE_HEIGHT = 180 };
firn_preview_def sweep_view(const firn_scene *scene, double time);
// Draws the newest frames of all runs that are done, by one camera where their scenes place none.
firn_status sweep_draw_alike(const sweep *s, firn_context *context);

// The path of the picture of a run's end, within the folder of the sweep.
void sweep_picture(const sweep *s, int run, char *name, size_t size);
// Whether all files that the sweep writes beside its runs are its own, or not there. False: said why
// to stderr.
bool sweep_check_files(const sweep *s, firn_context *context);
// summary.csv, summary.md and sheet.png, of the runs that are there. False: said why to stderr.
bool sweep_report(const sweep *s, firn_context *context);

#define SWEEP_KIND "sweep" // of its list of files

#endif
