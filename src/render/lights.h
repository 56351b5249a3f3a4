// SPDX-License-Identifier: Apache-2.0
// Where light comes from: a sun, a sky (model, plain colour or environment map), area lights. The sun
// and the sky are infinitely far; area lights are rectangles and spheres that rays can also hit.
#ifndef FIRN_RENDER_LIGHTS_H
#define FIRN_RENDER_LIGHTS_H

#include <firn/render.h>

#include "base/context.h"
#include "render/ray.h"

typedef struct firn_lights firn_lights;

// origin is that of the stage. Sky models and maps are tabulated here, once for a picture.
firn_status firn_lights_create(firn_context *context, const firn_sun_def *sun,
                               const firn_sky_def *sky, int lamp_count, const firn_lamp_def *lamps,
                               const double origin[3], firn_lights **out);
void firn_lights_free(firn_lights *lights); // NULL is allowed

// A direction light comes from, with what arrives when nothing is in between.
typedef struct firn_light_sample {
  firn_v3 along;    // from the point to the light, unit vector
  float distance;   // m; infinity for sun and sky
  firn_v3 radiance; // W/(m2 sr) in each channel, up to the scene's scale
  float pdf;        // 1/sr, of this direction among all that firn_lights_sample may give
} firn_light_sample;

// The sun's disc, all of it equally bright. Paths aim at it by themselves, many at once.
typedef struct firn_sunlight {
  firn_v3 along;    // towards its middle, unit vector
  float cosine;     // of half its angular diameter, below 1
  firn_v3 radiance; // of the disc
} firn_sunlight;
// False when there is no sun.
bool firn_lights_sun(const firn_lights *lights, firn_sunlight *out);

// A direction towards a light that has to be aimed at: an area light or an environment map, chosen by
// power; u is uniform in [0,1)^3. Neither the sun, see above, nor a plain or model sky, which is
// smooth enough to be found by paths that leave. False when there is no such light.
bool firn_lights_sample(const firn_lights *lights, firn_v3 from, const float u[3],
                        firn_light_sample *out);

// Radiance of sun and sky along a ray that leaves the scene.
firn_v3 firn_lights_beyond(const firn_lights *lights, firn_v3 along);
// The same without the sun's disc.
firn_v3 firn_lights_sky(const firn_lights *lights, firn_v3 along);

// Nearest area light that the ray meets before most: its distance and radiance; false: none.
bool firn_lights_hit(const firn_lights *lights, const firn_ray *ray, float most, float *t,
                     firn_v3 *radiance);

// What firn_lights_sample's pdf would be for the direction along: to be used when a path got there by
// itself (multiple importance sampling). t is that of firn_lights_hit, or infinity; 0 for what is
// never aimed at.
float firn_lights_pdf(const firn_lights *lights, firn_v3 from, firn_v3 along, float t);

#endif
