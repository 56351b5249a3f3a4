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

// One light chosen by its power and a direction towards it; u is uniform in [0,1)^3. False when there
// is no light at all. Every direction with radiance can come out, sun disc included.
bool firn_lights_sample(const firn_lights *lights, firn_v3 from, const float u[3],
                        firn_light_sample *out);

// Radiance of sun and sky along a ray that leaves the scene.
firn_v3 firn_lights_beyond(const firn_lights *lights, firn_v3 along);

// Nearest area light that the ray meets before most: its distance and radiance; false: none.
bool firn_lights_hit(const firn_lights *lights, const firn_ray *ray, float most, float *t,
                     firn_v3 *radiance);

// What firn_lights_sample's pdf would be for the direction along: to be used when a path got there by
// itself (multiple importance sampling). t is that of firn_lights_hit, or infinity.
float firn_lights_pdf(const firn_lights *lights, firn_v3 from, firn_v3 along, float t);

// The same in parts, for paths that aim at the sun many at once, and leave a sky that is smooth enough
// to be found by chance.
typedef struct firn_sunlight {
  firn_v3 along;    // towards its middle, unit vector
  float open;       // 1 - cosine of half its angular diameter
  firn_v3 radiance; // of all its disc
} firn_sunlight;
// False when there is no sun.
bool firn_lights_sun(const firn_lights *lights, firn_sunlight *out);
// As firn_lights_beyond, without the sun's disc.
firn_v3 firn_lights_sky(const firn_lights *lights, firn_v3 along);
// As firn_lights_sample and firn_lights_pdf, of lamps and environment maps only: neither the sun nor a
// plain or model sky. False and 0 when none can be seen from there: rectangles shine to one side.
bool firn_lights_can_aim(const firn_lights *lights); // at any, from anywhere
bool firn_lights_aim(const firn_lights *lights, firn_v3 from, const float u[3],
                     firn_light_sample *out);
float firn_lights_aim_pdf(const firn_lights *lights, firn_v3 from, firn_v3 along);

#endif
