// SPDX-License-Identifier: Apache-2.0
// Grids as a file of OpenVDB.
#ifndef FIRN_CACHE_EXPORT_VOLUME_H
#define FIRN_CACHE_EXPORT_VOLUME_H

#include "base/context.h"
#include "cache/export_vdb.h"

bool firn_export_vdb_available(void);
// Writes grids "density", 1 where there are rest_density kg/m^3, and the velocity in m/s. bytes is
// the size of the file.
firn_status firn_export_vdb(firn_context *context, const firn_vdb_def *def, const char *path,
                            size_t *voxels, uint64_t *bytes);

#endif
