// SPDX-License-Identifier: Apache-2.0
// Runs: a scene into a folder.
#ifndef FIRN_RUN_H
#define FIRN_RUN_H

#include <firn/file.h>
#include <firn/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs a scene into a folder: frames, checkpoints, stats.csv, log.jsonl, and where the scene has
// them colliders.csv and probes.csv. See docs/cache.md.
typedef struct firn_run_event {
  int frame, last_frame;
  uint64_t steps;      // so far
  uint64_t iterations; // so far
  size_t particles;
  double time; // s, simulated
  double wall; // s, since the run began
  double particle_steps_per_second;
  double seconds_left; // estimate
  size_t bytes;        // of memory that the library holds
  bool frame_written;  // the frame has a file
  // Nothing is done yet: a run that goes on stands where this frame ended. To make up for what an
  // earlier process did not come to, as a picture of it.
  bool resumed;
  // To look at: read and draw it, but do not change it. To step, load or destroy it fails with
  // FIRN_ERROR_STATE.
  firn_sim *sim;
  // What bounded the step before, as firn_step has it; NULL where this process has taken none.
  const char *bound;
} firn_run_event;
typedef bool (*firn_run_fn)(void *user, const firn_run_event *event); // false: stop
typedef struct firn_run_def {
  size_t size; // of this struct: firn_default_run_def() knows
  const char *folder;
  // Frames that get a file, both ends included. first < 0: all; last < 0: up to the scene's. Where a run is
  // resumed, first < 0: those that it was asked for before, and with last < 0 too up to where it was
  // asked to go, or, if it has come so far, to the scene's.
  int first_frame, last_frame;
  // A folder that holds a run fails with FIRN_ERROR_STATE, and nothing is changed, unless one is set. So does,
  // with either, a folder where a file that is not the run's own has a name that the run writes.
  bool
      resume; // go on with it from its newest checkpoint, or fail and report why; see docs/cache.md
  bool overwrite; // remove its files first, and no others; not both
  // Begins with what another run had come to: a folder, and a frame of which it holds a checkpoint. The
  // scene may differ in what docs/cache.md says; other differences are FIRN_ERROR_SCENE. NULL: does not.
  const char *from;
  int from_frame;                // < 0: that of the newest checkpoint
  const firn_output_def *output; // how frames are written; NULL: as the scene says
  firn_run_fn event;
  void *event_user;
  // Pictures that event draws into the folder, <pictures>%05d.png by the number of the frame. They are then
  // files of the run, which a later run with overwrite removes. NULL: it draws none.
  const char *pictures;
} firn_run_def;
FIRN_API void firn_run_def_init(firn_run_def *def, size_t size);
static inline firn_run_def firn_default_run_def(void) {
  firn_run_def def;
  firn_run_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_run(const firn_scene *scene, const firn_run_def *def);

#ifdef __cplusplus
}
#endif

#endif
