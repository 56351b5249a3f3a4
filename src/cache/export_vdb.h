// SPDX-License-Identifier: Apache-2.0
// The one door to OpenVDB, which is C++. Also read by a C++ file, so it holds plain C only.
#ifndef FIRN_CACHE_EXPORT_VDB_H
#define FIRN_CACHE_EXPORT_VDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A cell's nodes, [x][y][z], in kg/m^3 and m/s; node (0, 0, 0) is 8 at voxels from the origin. False:
// there is nothing in it.
typedef bool (*firn_vdb_cell_fn)(const void *user, size_t cell, int32_t at[3], float density[512],
                                 float velocity[512][3]);

typedef struct firn_vdb_def {
  double voxel;              // m
  double time;               // s; nan: not known
  int frame;                 // < 0: not known
  size_t count;              // cells of 8^3 nodes
  firn_vdb_cell_fn cell;     // asked once for each of them
  const void *user;          // for cell
  double rest_density;       // kg/m^3, of a density of 1; kept as a note in the file
  bool z_up;                 // what was along Y comes along Z, and nothing is mirrored
  const char *velocity_name; // of the grid; NULL: none
  const char *version;
} firn_vdb_def;

// Writes an empty file that is open. 0, or 1 with the reason in message[size].
typedef int (*firn_vdb_write_fn)(const firn_vdb_def *def, int fd, size_t *voxels, char *message,
                                 size_t size);
// The module's one function has this name.
#define FIRN_VDB_MODULE "firn-vdb.so"
#define FIRN_VDB_WRITE  "firn_vdb_write"
int firn_vdb_write(const firn_vdb_def *def, int fd, size_t *voxels, char *message, size_t size);

#ifdef __cplusplus
}
#endif

#endif
