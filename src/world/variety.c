// SPDX-License-Identifier: Apache-2.0
#include "world/variety.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "geometry/noise.h"

FIRN_DEFAULTS(variation_def) {
  return (firn_variation_def){.range = {-(double)INFINITY, (double)INFINITY},
                              .axis = {0, 1, 0},
                              .factor = 1,
                              .wavelength = 0.1};
}

static firn_status check(firn_context *context, const firn_variation_def *def, const char *what) {
  if (!def->of || def->of >> FIRN_PROPERTY_COUNT) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: its properties 0x%x are none that vary",
                     what, def->of);
  }
  if ((int)def->by < FIRN_VARIATION_EVERYWHERE || def->by > FIRN_VARIATION_FUNCTION) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: by = %d does not exist", what,
                     (int)def->by);
  }
  if (def->by == FIRN_VARIATION_FUNCTION && !def->weight) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: by a function, but weight is NULL", what);
  }
  if (!(def->range[0] <= def->range[1])) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: range %g to %g m is empty", what,
                     def->range[0], def->range[1]);
  }
  if (!(def->blend >= 0 && isfinite(def->blend))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: blend = %g m must be 0 or more", what,
                     def->blend);
  }
  if (!isfinite(def->factor) || !isfinite(def->offset) || !isfinite(def->amplitude)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: factor %g, offset %g and amplitude %g must be finite", what, def->factor,
                     def->offset, def->amplitude);
  }
  if (def->amplitude != 0 && !(def->wavelength > 0 && isfinite(def->wavelength))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: wavelength = %g m must be positive", what,
                     def->wavelength);
  }
  if (def->octaves < 0 || def->octaves > 16) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: octaves = %d must lie in [0, 16]", what,
                     def->octaves);
  }
  return FIRN_OK;
}

static firn_status make_one(firn_context *context, const firn_variation_def *def, uint64_t seed,
                            const char *what, firn_variation *out) {
  FIRN_TRY(check(context, def, what));
  *out = (firn_variation){.def = *def, .seed = seed + def->seed * 0x9E3779B97F4A7C15u};
  memset(&out->def.mask, 0, sizeof out->def.mask);
  double *axis = out->def.axis;
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!isfinite(length)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: axis (%g %g %g) must be finite", what,
                     axis[0], axis[1], axis[2]);
  }
  if (length == 0) axis[1] = length = 1;
  for (int a = 0; a < 3; a++) axis[a] /= length;
  if (out->def.octaves == 0) out->def.octaves = 1;
  if (def->by != FIRN_VARIATION_MASK) return FIRN_OK;
  return firn_shape_make(context, &def->mask, what, &out->mask);
}

firn_status firn_variety_make(firn_context *context, const firn_variation_def *def, int count,
                              uint64_t seed, const char *what, firn_variety *out) {
  *out = (firn_variety){0};
  if (count <= 0) return FIRN_OK;
  if (!def) return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: variation is NULL", what);
  size_t bytes = (size_t)count * sizeof *out->list;
  out->list = firn_alloc_zero(context, bytes, "variation");
  if (!out->list) return FIRN_ERROR_MEMORY;
  out->count = count;
  for (int i = 0; i < count; i++) {
    char name[96];
    snprintf(name, sizeof name, "%.64s: variation %d", what, i);
    firn_variation_def own = firn_default_variation_def();
    firn_status status = firn_def_take(context, "firn_variation_def", firn_def_at(def, i), &own,
                                       sizeof own);
    if (status == FIRN_OK) status = make_one(context, &own, seed, name, &out->list[i]);
    if (status != FIRN_OK) {
      firn_variety_free(out, context);
      return status;
    }
    out->of |= own.of;
  }
  return FIRN_OK;
}

void firn_variety_free(firn_variety *variety, firn_context *context) {
  for (int i = 0; i < variety->count; i++) firn_shape_release(variety->list[i].mask);
  firn_free(context, variety->list, (size_t)variety->count * sizeof *variety->list);
  *variety = (firn_variety){0};
}

// 1 where outside <= 0, falling to 0 over blend.
static double fade(double outside, double blend) {
  if (outside <= 0) return 1;
  return outside < blend ? 1 - outside / blend : 0;
}

static double weight(const firn_variation *v, const double x[3], double depth) {
  const firn_variation_def *def = &v->def;
  double at = depth;
  switch (def->by) {
  case FIRN_VARIATION_EVERYWHERE: return 1;
  case FIRN_VARIATION_HEIGHT:
    at = def->axis[0] * x[0] + def->axis[1] * x[1] + def->axis[2] * x[2];
    break;
  case FIRN_VARIATION_MASK: return fade(firn_shape_sample(v->mask, x, 0, NULL), def->blend);
  case FIRN_VARIATION_FUNCTION: return def->weight(def->weight_user, x);
  default: break;
  }
  return fade(fmax(def->range[0] - at, at - def->range[1]), def->blend);
}

double firn_variety_value(const firn_variety *variety, unsigned property, double value,
                          const double position[3], double depth) {
  for (int i = 0; i < variety->count; i++) {
    const firn_variation *v = &variety->list[i];
    const firn_variation_def *def = &v->def;
    if (!(def->of & property)) continue;
    double w = weight(v, position, depth);
    value = value * (1 + w * (def->factor - 1)) + w * def->offset;
    if (def->amplitude == 0 || w == 0) continue;
    double k = 1 / def->wavelength;
    value *= 1 + w * def->amplitude *
                     firn_noise3_octaves(v->seed, def->octaves, k * position[0], k * position[1],
                                         k * position[2], NULL);
  }
  return value;
}
