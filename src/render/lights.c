// SPDX-License-Identifier: Apache-2.0
// All lights together. A direction is drawn from a mixture: the sun's disc, the sky by its brightness,
// each lamp by its solid angle. Its radiance is what is seen that way, whichever of them drew it, and
// its density that of the whole mixture.
#include "render/lights.h"

#include <string.h>

#include "base/memory.h"
#include "render/lamp.h"
#include "render/map.h"
#include "render/sky.h"

#define PI        3.14159265358979324
#define LEAST_SUN 1e-3 // rad, diameter: floats do not resolve less

struct firn_lights {
  firn_context *context;
  // The sun: a disc of even radiance.
  firn_v3 sun, sun_a, sun_b; // towards it, and two vectors square to that
  firn_v3 sun_radiance;
  double sun_cap;   // 1 - cos of its radius
  float sun_chord2; // squared distance of its rim from its middle, on the unit sphere
  float sun_weight; // luminance times solid angle; 0: none
  // The sky: one colour, or a map.
  bool mapped;
  firn_v3 plain;
  firn_map map;
  float map_strength;
  float sky_weight;
  float aim_weight; // the same for a map from a file, else 0
  int lamp_count;
  firn_lamp *lamps;
};

static firn_status check(firn_context *context, const firn_sun_def *sun, const firn_sky_def *sky) {
  if (!(sun->strength >= 0) || !isfinite(sun->strength)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "sun: strength %g must be 0 or more",
                     sun->strength);
  }
  if (!(sun->size >= 0) || sun->size > PI) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "sun: size %g rad must be in [0, pi]",
                     sun->size);
  }
  if (sky->kind != FIRN_SKY_MODEL && sky->kind != FIRN_SKY_PLAIN && sky->kind != FIRN_SKY_MAP) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "sky: unknown kind %d", (int)sky->kind);
  }
  if (!(sky->strength >= 0) || !isfinite(sky->strength)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "sky: strength %g must be 0 or more",
                     sky->strength);
  }
  if (!isfinite(sky->rotate)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "sky: rotate %g rad must be finite",
                     sky->rotate);
  }
  for (int k = 0; k < 3 && sky->kind == FIRN_SKY_PLAIN; k++) {
    if (!(sky->color[k] >= 0) || !isfinite(sky->color[k])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "sky: color %g must be 0 or more",
                       sky->color[k]);
    }
  }
  if (!(sky->turbidity >= 1 && sky->turbidity <= 30) &&
      (sky->kind == FIRN_SKY_MODEL || sun->strength > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "sky: turbidity %g must be in [1, 30]: 2 is clear, 10 hazy", sky->turbidity);
  }
  return FIRN_OK;
}

static firn_v3 to_v3(const double a[3]) {
  return (firn_v3){(float)a[0], (float)a[1], (float)a[2]};
}

static void put_sun(firn_lights *l, const firn_sun_def *def, const double direction[3],
                    firn_v3 irradiance) {
  const double radius = 0.5 * fmax(def->size, LEAST_SUN), s = sin(0.5 * radius);
  l->sun = to_v3(direction);
  firn_axes_about(l->sun, &l->sun_a, &l->sun_b);
  l->sun_cap = 2 * s * s;
  l->sun_chord2 = (float)(4 * s * s);
  // A disc of radiance L gives pi sin^2(radius) L on a square to its middle.
  const double disc = PI * sin(radius) * sin(radius);
  l->sun_radiance = firn_v3_scale((float)(def->strength / disc), irradiance);
  l->sun_weight = firn_luminance(l->sun_radiance) * (float)(2 * PI * l->sun_cap);
}

static firn_status put_sky(firn_lights *l, const firn_sky_def *def, const firn_air *air,
                           const double direction[3]) {
  if (def->kind == FIRN_SKY_PLAIN) {
    l->plain = to_v3(def->color);
    l->sky_weight = (float)(4 * PI) * firn_luminance(l->plain);
  } else {
    if (def->kind == FIRN_SKY_MAP) {
      if (!def->map) {
        return firn_fail(l->context, FIRN_ERROR_ARGUMENT, "sky: a map needs the name of a file");
      }
      FIRN_TRY(firn_map_read(l->context, def->map, def->rotate, &l->map));
      firn_map_finish(&l->map);
    } else {
      FIRN_TRY(firn_air_sky(l->context, air, direction, &l->map));
    }
    l->mapped = true;
    l->map_strength = (float)def->strength;
    l->sky_weight = l->map_strength * l->map.weight;
    if (def->kind == FIRN_SKY_MAP) l->aim_weight = l->sky_weight;
  }
  return FIRN_OK;
}

static firn_status fill(firn_lights *l, const firn_sun_def *sun, const firn_sky_def *sky,
                        int lamp_count, const firn_lamp_def *lamps, const double origin[3]) {
  FIRN_TRY(check(l->context, sun, sky));
  double d[3], length = 0;
  for (int k = 0; k < 3; k++) length += sun->direction[k] * sun->direction[k];
  length = sqrt(length);
  if (sun->strength > 0 || sky->kind == FIRN_SKY_MODEL) {
    if (!(length > 0) || !isfinite(length)) {
      return firn_fail(l->context, FIRN_ERROR_ARGUMENT,
                       "sun: direction [%g, %g, %g] must not be zero", sun->direction[0],
                       sun->direction[1], sun->direction[2]);
    }
    for (int k = 0; k < 3; k++) d[k] = sun->direction[k] / length;
    firn_air *air = NULL;
    FIRN_TRY(firn_air_create(l->context, sky->turbidity, &air));
    if (sun->strength > 0) put_sun(l, sun, d, firn_air_sun(air, d));
    firn_status status = put_sky(l, sky, air, d);
    firn_air_free(l->context, air);
    FIRN_TRY(status);
  } else {
    FIRN_TRY(put_sky(l, sky, NULL, d));
  }
  if (!isfinite(l->sun_weight + l->sky_weight)) {
    return firn_fail(l->context, FIRN_ERROR_ARGUMENT,
                     "sun (strength %g) and sky (strength %g) are brighter than floats can add",
                     sun->strength, sky->strength);
  }
  if (lamp_count < 1) return FIRN_OK;
  l->lamps = firn_alloc_zero(l->context, (size_t)lamp_count * sizeof *l->lamps, "lamps");
  if (!l->lamps) return FIRN_ERROR_MEMORY;
  l->lamp_count = lamp_count;
  for (int i = 0; i < lamp_count; i++) {
    FIRN_TRY(firn_lamp_init(l->context, &lamps[i], i, origin, &l->lamps[i]));
  }
  return FIRN_OK;
}

firn_status firn_lights_create(firn_context *context, const firn_sun_def *sun,
                               const firn_sky_def *sky, int lamp_count, const firn_lamp_def *lamps,
                               const double origin[3], firn_lights **out) {
  *out = NULL;
  firn_lights *l = firn_alloc_zero(context, sizeof *l, "lights");
  if (!l) return FIRN_ERROR_MEMORY;
  l->context = context;
  firn_status status = fill(l, sun, sky, lamp_count, lamps, origin);
  if (status) {
    firn_lights_free(l);
    return status;
  }
  *out = l;
  return FIRN_OK;
}

void firn_lights_free(firn_lights *lights) {
  if (!lights) return;
  firn_context *context = lights->context;
  firn_map_free(context, &lights->map);
  if (lights->lamps) {
    firn_free(context, lights->lamps, (size_t)lights->lamp_count * sizeof *lights->lamps);
  }
  firn_free(context, lights, sizeof *lights);
}

static bool in_sun(const firn_lights *l, firn_v3 along) {
  firn_v3 d = firn_v3_sub(along, l->sun);
  return l->sun_weight > 0 && firn_v3_dot(d, d) <= l->sun_chord2;
}

firn_v3 firn_lights_beyond(const firn_lights *lights, firn_v3 along) {
  firn_v3 c = lights->plain;
  if (lights->mapped) {
    c = firn_v3_scale(lights->map_strength, firn_map_radiance(&lights->map, along));
  }
  return in_sun(lights, along) ? firn_v3_add(c, lights->sun_radiance) : c;
}

static int nearest(const firn_lights *l, firn_v3 from, firn_v3 along, float *t) {
  int which = -1;
  for (int i = 0; i < l->lamp_count; i++) {
    float s = firn_lamp_hit(&l->lamps[i], from, along);
    if (s >= *t) continue;
    *t = s;
    which = i;
  }
  return which;
}

bool firn_lights_hit(const firn_lights *lights, const firn_ray *ray, float most, float *t,
                     firn_v3 *radiance) {
  float near = most;
  int which = nearest(lights, ray->from, ray->along, &near);
  if (which < 0) return false;
  *t = near;
  *radiance = lights->lamps[which].radiance;
  return true;
}

static float total_weight(const firn_lights *l, firn_v3 from) {
  float sum = l->sun_weight + l->sky_weight;
  for (int i = 0; i < l->lamp_count; i++) sum += firn_lamp_weight(&l->lamps[i], from);
  return sum;
}

static bool sample_sun(const firn_lights *l, const float u[2], firn_v3 *along) {
  // The hair keeps rounding from putting the rim outside.
  double drop = l->sun_cap * (double)u[0] * (1 - 1e-4), s = sqrt(drop * (2 - drop));
  double phi = 2 * PI * (double)u[1];
  *along = firn_v3_unit(firn_v3_add(firn_v3_scale((float)(1 - drop), l->sun),
                                    firn_v3_add(firn_v3_scale((float)(s * cos(phi)), l->sun_a),
                                                firn_v3_scale((float)(s * sin(phi)), l->sun_b))));
  return true;
}

static bool sample_sky(const firn_lights *l, const float u[2], firn_v3 *along) {
  float pdf;
  if (l->mapped) return firn_map_sample(&l->map, u, along, &pdf);
  float y = 1 - 2 * u[0], r = sqrtf(fmaxf(0, 1 - y * y)), phi = (float)(2 * PI) * u[1];
  float x = r * cosf(phi), z = r * sinf(phi);
  *along = (firn_v3){x, y, z};
  return true;
}

static float sky_pdf(const firn_lights *l, firn_v3 along) {
  return l->mapped ? firn_map_pdf(&l->map, along) : (float)(0.25 / PI);
}

// Of all lamps together: adds their weights to *total, and to *sum each times its density.
static void add_lamps(const firn_lights *l, firn_v3 from, firn_v3 along, float *total, float *sum) {
  for (int i = 0; i < l->lamp_count; i++) {
    float weight = firn_lamp_weight(&l->lamps[i], from);
    if (!(weight > 0)) continue;
    *total += weight;
    *sum += weight * firn_lamp_pdf(&l->lamps[i], from, along);
  }
}

float firn_lights_pdf(const firn_lights *lights, firn_v3 from, firn_v3 along, float t) {
  (void)t; // whatever is seen that way, the direction could have come from any light
  const firn_lights *l = lights;
  float total = l->sun_weight + l->sky_weight, sum = 0;
  if (in_sun(l, along)) sum += l->sun_weight * (float)(1 / (2 * PI * l->sun_cap));
  if (l->sky_weight > 0) sum += l->sky_weight * sky_pdf(l, along);
  add_lamps(l, from, along, &total, &sum);
  return total > 0 ? sum / total : 0;
}

// Draws from the light that u falls to when they stand side by side, as wide as their weights.
static bool draw(const firn_lights *l, firn_v3 from, const float u[3], firn_v3 *along) {
  float x = u[0] * total_weight(l, from);
  const float *rest = u + 1;
  if (x < l->sun_weight) return sample_sun(l, rest, along);
  x -= l->sun_weight;
  int last = -1;
  for (int i = 0; i < l->lamp_count; i++) {
    float weight = firn_lamp_weight(&l->lamps[i], from), pdf;
    if (!(weight > 0)) continue;
    if (x < weight) return firn_lamp_sample(&l->lamps[i], from, rest, along, &pdf);
    x -= weight;
    last = i;
  }
  if (l->sky_weight > 0) return sample_sky(l, rest, along);
  float pdf; // rounding left nothing of u: the last one that shines
  if (last >= 0) return firn_lamp_sample(&l->lamps[last], from, rest, along, &pdf);
  return l->sun_weight > 0 && sample_sun(l, rest, along);
}

bool firn_lights_sample(const firn_lights *lights, firn_v3 from, const float u[3],
                        firn_light_sample *out) {
  if (!draw(lights, from, u, &out->along)) return false;
  out->distance = INFINITY;
  int which = nearest(lights, from, out->along, &out->distance);
  out->radiance = which < 0 ? firn_lights_beyond(lights, out->along)
                            : lights->lamps[which].radiance;
  out->pdf = firn_lights_pdf(lights, from, out->along, out->distance);
  return out->pdf > 0;
}

// ---- in parts

bool firn_lights_sun(const firn_lights *lights, firn_sunlight *out) {
  *out = (firn_sunlight){lights->sun, (float)lights->sun_cap, lights->sun_radiance};
  return lights->sun_weight > 0;
}

firn_v3 firn_lights_sky(const firn_lights *lights, firn_v3 along) {
  if (!lights->mapped) return lights->plain;
  return firn_v3_scale(lights->map_strength, firn_map_radiance(&lights->map, along));
}

float firn_lights_aim_pdf(const firn_lights *lights, firn_v3 from, firn_v3 along) {
  const firn_lights *l = lights;
  float total = l->aim_weight, sum = 0;
  if (total > 0) sum = total * sky_pdf(l, along);
  add_lamps(l, from, along, &total, &sum);
  return total > 0 ? sum / total : 0;
}

bool firn_lights_can_aim(const firn_lights *lights) {
  bool any = lights->aim_weight > 0;
  for (int i = 0; i < lights->lamp_count; i++) any = any || lights->lamps[i].power > 0;
  return any;
}

bool firn_lights_aim(const firn_lights *lights, firn_v3 from, const float u[3],
                     firn_light_sample *out) {
  const firn_lights *l = lights;
  float total = l->aim_weight, pdf;
  for (int i = 0; i < l->lamp_count; i++) total += firn_lamp_weight(&l->lamps[i], from);
  if (!(total > 0)) return false;
  float x = u[0] * total;
  bool drawn = false;
  for (int i = 0; i < l->lamp_count && !drawn; i++) {
    float weight = firn_lamp_weight(&l->lamps[i], from);
    if (!(weight > 0)) continue;
    if (x < weight || (i == l->lamp_count - 1 && !(l->aim_weight > 0))) {
      if (!firn_lamp_sample(&l->lamps[i], from, u + 1, &out->along, &pdf)) return false;
      drawn = true;
    }
    x -= weight;
  }
  if (!drawn && !(l->aim_weight > 0 && sample_sky(l, u + 1, &out->along))) return false;
  out->distance = INFINITY;
  int which = nearest(l, from, out->along, &out->distance);
  out->radiance = which < 0 ? firn_lights_sky(l, out->along) : l->lamps[which].radiance;
  out->pdf = firn_lights_aim_pdf(l, from, out->along);
  return out->pdf > 0;
}
