// SPDX-License-Identifier: Apache-2.0
// What runs need from the files of a simulation beyond the public header.
#ifndef FIRN_API_FILES_H
#define FIRN_API_FILES_H

#include "api/sim.h"
#include "cache/archive.h"

// As firn_sim_write_frame_as, with the frame's number; def is checked. Measures, where they are
// wanted too (not NULL), cost little here.
firn_status firn_sim_write_numbered_frame(firn_sim *sim, const firn_output_def *def,
                                          const char *path, int frame, firn_measures *measures);

// As firn_sim_save and firn_sim_load; more adds to the archive or reads from it what the caller
// wants to keep beside the simulation.
typedef firn_status (*firn_archive_fn)(void *user, firn_archive *archive);
firn_status firn_sim_save_with(firn_sim *sim, const char *path, firn_archive_fn more, void *user);
// loose: what may differ from what was saved. It is then as the checkpoint has it, until somebody sets it.
enum {
  FIRN_LOOSE_NUMBERS = 1,
  FIRN_LOOSE_COLLIDERS = 2
}; // gravity and materials; motions and holds
firn_status firn_sim_load_with(firn_sim *sim, const char *path, unsigned loose,
                               firn_archive_fn more, void *user);

// FIRN_ERROR_STATE after a step that failed; what: the name in the message.
firn_status firn_sim_check_worth(const firn_sim *sim, const char *what);
// The same to and from any archive, which may be one in memory.
firn_status firn_sim_write_state(firn_sim *sim, firn_archive *archive);
typedef struct firn_sim_source {
  firn_archive *archive;
  const char *name;               // for messages
  const struct firn_setup *setup; // what the world was built of then; NULL: what it is built of now
  const void *settings;           // of the solver; NULL: those that the simulation has
  unsigned loose;
  firn_archive_fn more; // or NULL
  void *user;
} firn_sim_source;
// Replaces the state wholly, or fails with the simulation as it was.
firn_status firn_sim_read_state(firn_sim *sim, const firn_sim_source *source);

// Whether a checkpoint has the format that this firn reads; FIRN_ERROR_STATE: another, and the message has
// both, and the version that wrote it.
firn_status firn_checkpoint_check_format(firn_context *context, const char *path);

#endif
