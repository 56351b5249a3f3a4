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
  // Share of light that comes in from above the air, by height and angle; and the same where light
  // that haze scatters ahead counts as not scattered.
  firn_spectrum through[FIRN_AIR_HEIGHTS][FIRN_AIR_ANGLES];
  firn_spectrum ahead[FIRN_AIR_HEIGHTS][FIRN_AIR_ANGLES];
  // Mean radiance of light scattered at least once before, by height and by the sun's angle.
  firn_spectrum many[FIRN_AIR_SLABS][FIRN_AIR_SUNS];
  // Irradiance of level land by the sky alone, over pi, by the sun's angle.
  firn_spectrum above[FIRN_AIR_SUNS];
};

// Optical properties at a height, 1/m.
typedef struct firn_air_here {
  firn_spectrum rayleigh, mie; // scattering
  firn_spectrum extinction;
} firn_air_here;
void firn_air_at(const firn_air *air, double height, firn_air_here *out);
// What haze scatters ahead, the share g of it, counts as not scattered from here on; the rest goes
// evenly to all sides.
void firn_air_thin(firn_air_here *here);

// Distance along a ray to the top of the air, or to the ground; radius is from the earth's middle, m,
// cosine that of the angle to the vertical.
double firn_air_length(double radius, double cosine, bool *ground);
// From above the air to there; 0 where the earth is in the way.
firn_spectrum firn_air_through(const firn_air *air, double radius, double cosine);
firn_spectrum firn_air_ahead(const firn_air *air, double radius, double cosine);
firn_spectrum firn_air_many(const firn_air *air, double radius, double cosine);
// Radiance of the land where the sun's angle to the vertical has that cosine.
firn_spectrum firn_air_land(const firn_air *air, double cosine);
// The last two need this; before that there is no such light.
void firn_air_fill_many(firn_context *context, firn_air *air);

// Light that the air between an eye at radius and the end of a ray sends this way, and what part of
// the light behind it comes through, be it scattered ahead by haze. up is the ray's cosine to the vertical, facing that to the sun,
// sun_up the sun's to the vertical.
firn_spectrum firn_air_glow(const firn_air *air, double radius, double up, double facing,
                            double sun_up, firn_spectrum *through, bool *ground);

// What a path of length m does: share that passes it, and the integral of what passes its parts, m.
void firn_air_pass(const firn_air_here *here, double length, firn_spectrum *share,
                   firn_spectrum *sum);

// Between the four entries around (x, y) of a table with `across` entries a row.
firn_spectrum firn_spectrum_between(const firn_spectrum *table, int down, int across, double x,
                                    double y);

firn_v3 firn_air_color(const firn_air *air, const firn_spectrum *s);

#endif
