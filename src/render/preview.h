// SPDX-License-Identifier: Apache-2.0
// A quick shaded picture of particles: lit spheres with smoothed normals, a sun with soft shadows,
// a sky that snow and ground hide from each other, a ground to stand on.
#ifndef FIRN_RENDER_PREVIEW_H
#define FIRN_RENDER_PREVIEW_H

#include "base/context.h"
#include "render/solids.h"

// Fails when a size is not between 1 and 16384 or a number is not finite.
firn_status firn_preview_check(firn_context *context, const firn_preview_def *def);

// position is [count][3], m; those that are not finite are left out. spacing is the distance
// between particles in bulk, m. solids may be NULL. rgb is [height][width][3], sRGB, rows from the
// top. The bytes do not depend on the number of threads.
firn_status firn_preview_render(firn_context *context, const firn_preview_def *def, size_t count,
                                const double *position, double spacing, const firn_solids *solids,
                                uint8_t *rgb);

#endif
