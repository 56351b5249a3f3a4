// SPDX-License-Identifier: Apache-2.0
// Files: frames and checkpoints.
#ifndef FIRN_FILE_H
#define FIRN_FILE_H

#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// What frames hold, and how often there is one. A member that is 0 has its default.
typedef struct firn_output_def {
  size_t size; // of this struct: firn_default_output_def() knows
  // Bits a number: 32 (default), or 16 for small files. Then positions are kept to h/1024, other
  // fields to 2^-15 of their largest value in the frame; docs/cache.md says more. Frames of either
  // kind hold floats and are read alike.
  int precision;
  // Names of fields of the simulation, [field_count]; position comes in any case. 0: id, position,
  // velocity, mass, density and the solver's light ones (jp under mpm).
  int field_count;
  const char *const *fields;
  int every;       // frames from one that is written to the next, beginning with frame 0; default 1
  int checkpoints; // frames from checkpoint to checkpoint; default 1; < 0: only where a run ends
  int keep_checkpoints; // the newest ones, which stay while a run goes on; default 2; < 0: all
  char reserved[4];     // 0: up to its end
} firn_output_def;

FIRN_API void firn_output_def_init(firn_output_def *def, size_t size);
static inline firn_output_def firn_default_output_def(void) {
  firn_output_def def;
  firn_output_def_init(&def, sizeof def);
  return def;
}

// Frames are HDF5 in the VTKHDF layout that ParaView reads; the name should end in .hdf.
// Files appear whole or not at all.
FIRN_API firn_status firn_sim_write_frame(firn_sim *sim, const char *path);
// The same with a choice of precision and fields.
FIRN_API firn_status firn_sim_write_frame_as(firn_sim *sim, const firn_output_def *def,
                                             const char *path);
// Everything needed to go on, bit by bit, in a file of this name, which is replaced.
// FIRN_ERROR_STATE within a step and after a step that failed; FIRN_ERROR_IO where the file cannot
// be written, and then an older one of this name stays.
FIRN_API firn_status firn_sim_save(firn_sim *sim, const char *path);
// Replaces the whole state of a simulation that was made from the same def, with the same
// materials, colliders, forces, emitters and fills to come, and with wind or without it: particles,
// time, what changed in materials and colliders, the velocity of the wind, what emitters have
// placed, and what solvers start from. Particles that it had are gone. It goes on to the same bytes
// as a new simulation that loads the same file.
// Settings of the solver stay as they are; statistics of the last step are 0, and those since
// creation begin anew. Memory: that of both states for a moment.
//
// May be called between steps, also after one that failed, but not by a function that
// firn_sim_advance or firn_run calls (FIRN_ERROR_STATE). FIRN_ERROR_STATE as well: the simulation
// is made otherwise, and the message names what differs; FIRN_ERROR_FORMAT: the file is damaged or
// no checkpoint; FIRN_ERROR_MEMORY. In each case the simulation stays as it was. Pointers to names
// that firn_sim_collider has given are void.
FIRN_API firn_status firn_sim_load(firn_sim *sim, const char *path);

// The state of a simulation, in memory: to go on, and come back to it as often as is wanted.
typedef struct firn_snapshot firn_snapshot;

// Takes one, which is the caller's to destroy, before or after the simulation but before its
// context. It takes the memory of a checkpoint (50 to 90 bytes a particle in float), and changes
// nothing. FIRN_ERROR_STATE within a step and after one that failed; FIRN_ERROR_MEMORY. *out is
// NULL after a failure.
FIRN_API firn_status firn_sim_take_snapshot(firn_sim *sim, firn_snapshot **out);
// Brings the simulation back to what it was: all that firn_sim_load does, and also settings of the
// solver, wind, heat, window and kill box. What was added since (materials, colliders, forces,
// fills to come, emitters, sinks, impulses) is gone, and its numbers are given out again; colliders
// that were removed since are there again. The simulation goes on to the same bytes as if nothing
// had been between, at any number of threads. The profile and what functions of the caller's keep
// for themselves stay as they are. The snapshot stays, too.
//
// Particles can be redone as well as undone: of two snapshots either may be restored after the
// other. What was added and is gone by a restore is not kept for newer snapshots that have it: they
// fail from then on, and are only to be destroyed. Where states are gone through both ways, add
// materials, colliders, forces, fills to come, emitters, sinks and impulses before the first.
//
// When it may be called: as firn_sim_load. FIRN_ERROR_ARGUMENT: the snapshot is of another
// simulation; FIRN_ERROR_STATE as well: it has things that went when an older one was restored, and
// the message names them; FIRN_ERROR_MEMORY. In each case the simulation stays as it was.
FIRN_API firn_status firn_sim_restore(firn_sim *sim, const firn_snapshot *snapshot);
// NULL is allowed.
FIRN_API void firn_snapshot_destroy(firn_snapshot *snapshot);
// Of the state it holds: its time, s, and the memory that it takes, bytes.
FIRN_API double firn_snapshot_time(const firn_snapshot *snapshot);
FIRN_API size_t firn_snapshot_bytes(const firn_snapshot *snapshot);

// What a checkpoint is of, without loading it.
typedef struct firn_checkpoint_info {
  char version[32];   // of the library that wrote it
  char solver[32];    // "mpm"
  char precision[32]; // "float" or "double"
  double h, time;     // m, s
  size_t particles;
  int frame;        // last one that its run had finished; -1: saved by itself
  char reserved[4]; // 0: up to its end
} firn_checkpoint_info;
FIRN_API firn_status firn_checkpoint_read_sized(firn_context *context, const char *path,
                                                firn_checkpoint_info *out, size_t size);
static inline firn_status firn_checkpoint_read(firn_context *context, const char *path,
                                               firn_checkpoint_info *out) {
  return firn_checkpoint_read_sized(context, path, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
