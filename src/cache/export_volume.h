// SPDX-License-Identifier: Apache-2.0
// A raster as a file of OpenVDB grids.
#ifndef FIRN_CACHE_EXPORT_VOLUME_H
#define FIRN_CACHE_EXPORT_VOLUME_H

#include "cache/export_raster.h"

bool firn_export_vdb_available(void);
// Writes grids "density", 1 where the raster has rest_density kg/m^3, and "velocity" in m/s. The
// raster must have momentum. bytes is the size of the file.
firn_status firn_export_vdb(const firn_cloud *cloud, const firn_raster *raster, double rest_density,
                            const char *path, size_t *voxels, uint64_t *bytes);

#endif
