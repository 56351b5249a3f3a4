// SPDX-License-Identifier: Apache-2.0
// Parts of firn_export that need more than the cache.
#ifndef FIRN_API_EXPORT_H
#define FIRN_API_EXPORT_H

#include <firn/export.h>

#include "cache/frame.h"

// Whether what is said of grids makes sense.
firn_status firn_export_grid_check(firn_context *context, const firn_export_def *def);
// A frame as OpenVDB grids: the density that a picture of it has, and its velocity. rest_density is
// that of undisturbed snow, kg/m^3.
firn_status firn_export_grid(firn_frame *frame, const firn_export_def *def, double rest_density,
                             const char *path, size_t *voxels, uint64_t *bytes);

#endif
