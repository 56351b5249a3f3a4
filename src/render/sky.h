// SPDX-License-Identifier: Apache-2.0
// The sky as air makes it: sunlight scattered by molecules and haze and thinned by ozone, above a
// round earth, computed at twelve wavelengths. Single scattering is integrated; of what scatters
// more often only the mean over directions is kept, all orders at once (Hillaire 2020, section 5.5).
// Against paths followed through the same air: within 2 % without haze, 6 % in winter's (turbidity 2;
// 12 % in the lowest 3 degrees), 15 % of the irradiance at 6.
#ifndef FIRN_RENDER_SKY_H
#define FIRN_RENDER_SKY_H

#include "base/context.h"
#include "render/map.h"

// Irradiance of the sun above the air, its luminance: at the ground a white wall in the sun then has
// a radiance around 1.
#define FIRN_SUN_ABOVE 5.0

typedef struct firn_air firn_air;

// turbidity: 1 is air without haze, each more adds haze of optical thickness 0.05 at 550 nm: 2 is a
// clear day in winter, 4 in summer, 10 hazy.
firn_status firn_air_create(firn_context *context, double turbidity, firn_air **out);
void firn_air_free(firn_context *context, firn_air *air); // NULL is allowed

// Of the sun through the air on a square to it; direction is a unit vector towards the sun.
firn_v3 firn_air_sun(const firn_air *air, const double direction[3]);
// Radiance of the sky for a sun in that direction, and below the horizon of wintry land under it.
firn_status firn_air_sky(firn_context *context, const firn_air *air, const double direction[3],
                         firn_map *out);

#endif
