// SPDX-License-Identifier: Apache-2.0
// The voxels of a vdb file, read by OpenVDB itself. Read by C and by C++.
#ifndef FIRN_TESTS_EXPORT_VDB_READER_H
#define FIRN_TESTS_EXPORT_VDB_READER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// One that is on; value[1] and [2] are 0 in a grid of scalars.
typedef void (*vdb_voxel_fn)(void *user, const int at[3], const float value[3]);
typedef struct vdb_note {
  double voxel;        // m
  double rest_density; // kg/m^3; 0: the grid does not say
  double time;         // s; -1: the file does not say
  int grids;           // in the file
} vdb_note;

// 0, or 1: there is no such file or grid.
typedef int (*vdb_read_fn)(const char *path, const char *grid, vdb_voxel_fn voxel, void *user,
                           vdb_note *note);
#define VDB_READER "vdb-reader.so"
#define VDB_READ   "vdb_read"
int vdb_read(const char *path, const char *grid, vdb_voxel_fn voxel, void *user, vdb_note *note);

#ifdef __cplusplus
}
#endif

#endif
