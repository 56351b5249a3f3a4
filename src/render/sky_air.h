// SPDX-License-Identifier: Apache-2.0
// What light meets in the air, by wavelength and height.
#ifndef FIRN_RENDER_SKY_AIR_H
#define FIRN_RENDER_SKY_AIR_H

#include "render/sky.h"

enum { FIRN_WAVES = 12 }; // 400, 430, .. 730 nm
typedef struct firn_spectrum {
  float v[FIRN_WAVES];
} firn_spectrum;

#define FIRN_EARTH    6.36e6 // m, radius
#define FIRN_AIR_TOP  1e5    // m, height
#define FIRN_HAZE_G   0.76   // mean cosine of the haze's scattering
#define FIRN_AIR_LAND 0.6    // albedo of the land

enum { FIRN_AIR_HEIGHTS = 32, FIRN_AIR_ANGLES = 96, FIRN_AIR_SLABS = 12, FIRN_AIR_SUNS = 32 };

struct firn_air {
  firn_spectrum sun;         // irradiance above the air
  firn_v3 color[FIRN_WAVES]; // of light of each wavelength
  firn_spectrum molecules;   // scattering at the ground, 1/m
  firn_spectrum haze;        // extinction at the ground, 1/m
  firn_spectrum ozone;       // absorption where it is densest, 1/m
  // Share of light that comes in from above the air, by height and angle.
  firn_spectrum through[FIRN_AIR_HEIGHTS][FIRN_AIR_ANGLES];
  // Mean radiance of light scattered at least once before, by height and by the sun's angle.
  firn_spectrum many[FIRN_AIR_SLABS][FIRN_AIR_SUNS];
};

// Optical properties at a height, 1/m.
typedef struct firn_air_here {
  firn_spectrum rayleigh, mie; // scattering
  firn_spectrum extinction;
} firn_air_here;
void firn_air_at(const firn_air *air, double height, firn_air_here *out);

// Distance along a ray to the top of the air, or to the ground; radius is from the earth's middle, m,
// cosine that of the angle to the vertical.
double firn_air_length(double radius, double cosine, bool *ground);
// From above the air to there; 0 where the earth is in the way.
firn_spectrum firn_air_through(const firn_air *air, double radius, double cosine);
firn_spectrum firn_air_many(const firn_air *air, double radius, double cosine);

// What a path of length m does: share that passes it, and the integral of what passes its parts, m.
void firn_air_pass(const firn_air_here *here, double length, firn_spectrum *share,
                   firn_spectrum *sum);

firn_v3 firn_air_color(const firn_air *air, const firn_spectrum *s);

#endif
