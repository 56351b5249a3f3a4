// SPDX-License-Identifier: Apache-2.0
#include "render/lights.h"

#include "base/memory.h"

struct firn_lights {
  firn_context *context;
  firn_v3 plain;
};

firn_status firn_lights_create(firn_context *context, const firn_sun_def *sun,
                               const firn_sky_def *sky, int lamp_count, const firn_lamp_def *lamps,
                               const double origin[3], firn_lights **out) {
  (void)sun;
  (void)lamp_count;
  (void)lamps;
  (void)origin;
  firn_lights *l = firn_alloc_zero(context, sizeof *l, "lights");
  if (!l) return FIRN_ERROR_MEMORY;
  l->context = context;
  l->plain = (firn_v3){(float)sky->color[0], (float)sky->color[1], (float)sky->color[2]};
  *out = l;
  return FIRN_OK;
}

void firn_lights_free(firn_lights *lights) {
  if (lights) firn_free(lights->context, lights, sizeof *lights);
}

bool firn_lights_sample(const firn_lights *lights, firn_v3 from, const float u[3],
                        firn_light_sample *out) {
  (void)from;
  float y = 1 - 2 * u[1], r = sqrtf(fmaxf(0, 1 - y * y)), phi = 6.2831853f * u[2];
  out->along = (firn_v3){r * cosf(phi), y, r * sinf(phi)};
  out->distance = INFINITY;
  out->radiance = lights->plain;
  out->pdf = 0.0795774715f;
  return true;
}

firn_v3 firn_lights_beyond(const firn_lights *lights, firn_v3 along) {
  (void)along;
  return lights->plain;
}

bool firn_lights_hit(const firn_lights *lights, const firn_ray *ray, float most, float *t,
                     firn_v3 *radiance) {
  (void)lights;
  (void)ray;
  (void)most;
  (void)t;
  (void)radiance;
  return false;
}

float firn_lights_pdf(const firn_lights *lights, firn_v3 from, firn_v3 along, float t) {
  (void)lights;
  (void)from;
  (void)along;
  (void)t;
  return 0.0795774715f;
}

bool firn_lights_sun(const firn_lights *lights, firn_sunlight *out) {
  (void)lights;
  (void)out;
  return false;
}

firn_v3 firn_lights_sky(const firn_lights *lights, firn_v3 along) {
  (void)along;
  return lights->plain;
}
