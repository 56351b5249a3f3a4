// SPDX-License-Identifier: Apache-2.0
// A parameter study: which values vary, what each run is called, and what came of it.
#ifndef FIRN_CLI_SWEEP_H
#define FIRN_CLI_SWEEP_H

#include "progress.h"

enum { SWEEP_AXES = 16, SWEEP_VALUES = 256, SWEEP_RUNS = 10000, SWEEP_TIMES = 64 };

// One --vary: a path of the scene and its values.
typedef struct sweep_axis {
  char path[256];
  const char *name; // the end of path, from its last two keys on where the last one is a number
  int count;
  char *value[SWEEP_VALUES];
} sweep_axis;

typedef enum sweep_state { SWEEP_TODO, SWEEP_DONE, SWEEP_SKIPPED, SWEEP_FAILED } sweep_state;

// What is measured, as the options say.
typedef struct sweep_measuring {
  bool wanted;
  int time_count;
  double time[SWEEP_TIMES]; // s
  int frame_count;
  int frame[SWEEP_TIMES]; // of the reference run
  double window;          // s, of forces; 0: as sweep_measure finds
  int reference;          // number of a run, from 1; 0: as sweep_reference finds
} sweep_measuring;

// How long a run is.
typedef struct sweep_length {
  int frames, every;    // the number of the last frame; frames from one that is written to the next
  double frame_seconds; // s
} sweep_length;

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
  sweep_measuring measuring;
  sweep_length *length; // [count]
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
// Whether all files that the sweep writes beside its runs are its own, or not there. False: said
// why to stderr.
bool sweep_check_files(const sweep *s, firn_context *context);
// summary.csv, summary.md and sheet.png, of the runs that are there. False: said why to stderr.
bool sweep_report(const sweep *s, firn_context *context);

// A file of the sweep beside its final name, which it gets when it is whole; NULL and false: said
// why to stderr. keep: all that belongs into it is in it; else it goes.
FILE *sweep_open_part(const sweep *s, const char *name, char *part, size_t size);
bool sweep_close_part(const sweep *s, const char *name, const char *part, FILE *file, bool keep);
// A cell of CSV, quoted where it must be.
void sweep_csv_cell(FILE *file, const char *text);
// The first columns of every table, without an end: the run's number and folder, and its values.
void sweep_csv_columns(const sweep *s, FILE *file);
void sweep_csv_run(const sweep *s, int run, FILE *file);

// Options of --measure: each ends the program with a usage error where text is wrong. text of
// times: NULL, those that sweep_measure_plan finds.
void sweep_measure_times(sweep_measuring *m, const char *text, const struct argp_state *state);
void sweep_measure_frames(sweep_measuring *m, const char *text, const struct argp_state *state);
void sweep_measure_window(sweep_measuring *m, const char *text, const struct argp_state *state);
void sweep_measure_reference(sweep_measuring *m, const char *text, const struct argp_state *state);
// The times, once the lengths of all runs are known. False: said what is wrong to stderr.
bool sweep_measure_plan(sweep *s);
// The run that a run is compared with: of the highest quality, or else of the last value of the
// last axis, and of the same other values.
int sweep_reference(const sweep *s, int run);
firn_status sweep_measure_check_files(const sweep *s, firn_context *context);
void sweep_measure_remove(const sweep *s); // those of runs that are made anew
// measures.csv, measures.md, measures.svg and curves.svg. False: said why to stderr.
bool sweep_measure(const sweep *s, firn_context *context);

#define SWEEP_KIND "sweep" // of its list of files

#endif
