// SPDX-License-Identifier: Apache-2.0
// A run in progress: what run.c (the loop), run_begin.c (a folder anew or gone on with) and
// run_frame.c (the files of a frame) share.
#ifndef FIRN_API_RUN_H
#define FIRN_API_RUN_H

#include "api/files.h"
#include "api/log.h"
#include "cache/file.h"
#include "cache/folder.h"

// What the steps since the last frame amount to, and all steps so far.
typedef struct firn_run_tally {
  uint64_t steps, implicit_steps, iterations, iterations_max; // since the last frame
  uint64_t asleep;                                            // particles, sum over these steps
  double dt_min, dt_sum;                                      // s
  double wall; // s spent on the frame before this process; 0 at its beginning
  uint64_t all_steps, all_iterations;
} firn_run_tally;

typedef struct firn_run_state {
  const firn_scene *scene;
  const firn_run_def *def;
  firn_output_def output;
  firn_context *context;
  firn_sim *sim;
  firn_run_log log;
  int last;          // frame
  int frame;         // last finished one; -1: none
  double seconds;    // from frame to frame, simulated
  double begin_wall; // s, when firn_run was called ...
  double begin_time; // s, and where the simulation stood
  double particle_steps;
  double frame_wall; // s, when the current frame began
  bool saved;        // the newest checkpoint stands for what the simulation is now
  firn_run_tally tally;
  char path[FIRN_PATH_SIZE]; // of the file at hand
} firn_run_state;

// Sets path to a file of the folder.
firn_status firn_run_file(firn_run_state *run, const char *name);
firn_status firn_run_numbered(firn_run_state *run, const char *prefix, int number);

// True when this frame of the run has a file.
bool firn_run_writes(const firn_run_state *run, int frame);

// Makes or finds the simulation, and leaves the folder as it was when it stood there.
firn_status firn_run_begin(firn_run_state *run);

// Writes the files of the frame that is finished now.
firn_status firn_run_finish_frame(firn_run_state *run);
firn_status firn_run_checkpoint(firn_run_state *run);
// What firn_run_checkpoint added to the simulation's own state; user is the run.
firn_status firn_run_load_tally(void *user, firn_archive *archive);

// The tables of a run: stats.csv, and those that the scene asks for. Created with their headers, or
// cut after a frame; FIRN_ERROR_FORMAT when rows up to it are missing.
firn_status firn_run_create_tables(firn_run_state *run);
firn_status firn_run_truncate_tables(firn_run_state *run, int last);
// Adds the rows of the frame that is finished: bytes of its file (nan: none), and wall seconds.
firn_status firn_run_append_tables(firn_run_state *run, const firn_measures *measures, double bytes,
                                   double wall);

#endif
