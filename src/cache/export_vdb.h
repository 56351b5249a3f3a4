// SPDX-License-Identifier: Apache-2.0
// The one door to OpenVDB, which is C++. Also read by a C++ file, so it holds plain C only.
#ifndef FIRN_CACHE_EXPORT_VDB_H
#define FIRN_CACHE_EXPORT_VDB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_vdb_def {
  double cell;           // m
  double time;           // s
  int frame;             // < 0: not known
  size_t count;          // blocks of 8^3 nodes
  const int32_t *at;     // [count][3], block coordinates
  const float *density;  // [count][512], node (x, y, z) at 64 x + 8 y + z
  const float *velocity; // [count][512][3]
  float least;           // nodes of less density are left out
  double rest_density;   // kg/m^3, of a density of 1; kept as a note in the file
  const char *version;
} firn_vdb_def;

// 0, or 1 with the reason in message[size]. Written to path as it goes.
typedef int (*firn_vdb_write_fn)(const firn_vdb_def *def, const char *path, size_t *voxels,
                                 char *message, size_t size);
// The module's one function has this name.
#define FIRN_VDB_MODULE "firn-vdb.so"
#define FIRN_VDB_WRITE  "firn_vdb_write"
int firn_vdb_write(const firn_vdb_def *def, const char *path, size_t *voxels, char *message,
                   size_t size);

#ifdef __cplusplus
}
#endif

#endif
