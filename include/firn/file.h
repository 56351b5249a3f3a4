// SPDX-License-Identifier: Apache-2.0
// Files: frames and checkpoints.
#ifndef FIRN_FILE_H
#define FIRN_FILE_H

#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// Frames are HDF5 in the VTKHDF layout that ParaView reads; the name should end in .hdf.
// Files appear whole or not at all.
FIRN_API firn_status firn_sim_write_frame(firn_sim *sim, const char *path);
// Everything needed to go on, bit by bit; load continues in a sim made from the same def with the
// same materials and colliders (and no particles of its own).
FIRN_API firn_status firn_sim_save(firn_sim *sim, const char *path);
FIRN_API firn_status firn_sim_load(firn_sim *sim, const char *path);

#ifdef __cplusplus
}
#endif

#endif
