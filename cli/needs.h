// SPDX-License-Identifier: Apache-2.0
// What a run of a scene needs, found out by beginning one.
#ifndef FIRN_CLI_NEEDS_H
#define FIRN_CLI_NEEDS_H

#include "cli.h"

typedef struct cli_needs {
  double particles;     // at the beginning
  double particles_end; // at the end, with what emitters add: an estimate
  double sampled;       // of those, as many as were really simulated; 0: it was not tried
  double memory;        // bytes resident at most, in the first frames
  double memory_before; // of these, what the program holds without any snow ...
  double memory_alone;  // ... and what the steps that were really taken held, without a look ahead
  double library_bytes; // that the library counted at most in those steps
  double memory_most;   // the same once steps turn semi-implicit; memory where they do not
  double memory_end;    // for the particles at the end
  double frame_bytes;   // of the file of one of the first frames; nan: not known
  double frame_bytes_end;   // of the last one
  double checkpoint_bytes;  // of a checkpoint at the end
  double start_seconds;     // of wall time until frame 0 is written
  double seconds_per_frame; // of wall time, in the mean of the first frames; nan: was not asked for
  double cpu_per_frame;     // s, of all threads
  double steps_per_frame;
  double frames_timed; // of simulated time; may be a part of the first one
  // What bounded the length of most steps (firn_step.bound), and of what share of them; NULL: not known.
  const char *bound;
  double bound_share;
} cli_needs;

typedef struct cli_needs_def {
  const char *scene; // its name and ...
  const cli_options *options;
  double seconds;           // of real steps: about that many, or four frames; 0: a single step
  firn_advice_fn on_advice; // or NULL
  void *advice_user;
} cli_needs_def;

// Runs the first steps of a scene in a folder of its own that goes away again, so that what cannot be
// built or stepped is told and all figures are facts. A scene of many particles is run with fewer, and
// the figures are scaled; one that could not be held by far is not run at all. FIRN_CANCELLED: by Ctrl-C.
firn_status cli_measure(firn_context *context, const firn_scene *scene, const cli_needs_def *def,
                        cli_needs *out);

double cli_cpu_seconds(void); // of all threads so far

// The scene anew, with so many times its quality, and other settings (NULL: none; ends with NULL).
// NULL: it
// cannot be read so.
firn_scene *cli_load_like(firn_context *context, const firn_scene *scene, const cli_needs_def *def,
                          double factor, const char *const *more);

// How many times as much the first frames take as the part of them that was covered: a mean frame of
// time, and the library of memory at most.
typedef struct cli_pilot {
  double time, bytes;
} cli_pilot;
// Told by the same scene with fewer particles. covered is in simulated seconds, cpu the seconds that a
// frame took by it; implicit: with semi-implicit steps among them.
cli_pilot cli_look_ahead(const firn_scene *scene, const cli_needs_def *def, int frames,
                         double covered, double cpu, bool implicit);
// Bytes by which semi-implicit steps of so many particles take more memory than explicit ones.
double cli_implicit_bytes(const firn_scene *scene, const cli_needs_def *def, double particles);

// FIRN_ERROR_SCENE where the needs are beyond what may be held in memory, with the figures.
firn_status cli_check_memory(const firn_scene *scene, const cli_needs *needs);

// The same of a scene that is about to be run: quick where it is small beside the memory.
firn_status cli_check_size(firn_context *context, const firn_scene *scene, const char *name,
                           const cli_options *options);

// Bytes of a packed frame of so many particles in motion, tried out in a folder; nan: it failed.
double cli_packed_bytes(firn_context *context, const firn_output_def *output, const char *folder,
                        double particles);

// Files that a run writes for the frames from first to last, and bytes that these and checkpoints take.
int cli_frames_written(const firn_output_def *output, int first, int last);
double cli_disk(const cli_needs *needs, const firn_output_def *output, int first, int last);

#endif
