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
// Everything needed to go on, bit by bit; load continues in a sim made from the same def with the
// same materials and colliders (and no particles of its own). What differs is named.
FIRN_API firn_status firn_sim_save(firn_sim *sim, const char *path);
FIRN_API firn_status firn_sim_load(firn_sim *sim, const char *path);

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
