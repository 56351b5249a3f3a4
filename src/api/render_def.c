// SPDX-License-Identifier: Apache-2.0
// Settings of a picture that are good to begin with.
#include <string.h>

#include "base/context.h"
#include "base/def.h"

firn_status firn_snow_look_preset(const char *name, firn_snow_look_def *out) {
  if (!name || !out) return FIRN_ERROR_ARGUMENT;
  // Stomakhin et al. 2013, section 9: 724 1/m, here at the 400 kg/m3 of its snow.
  *out = (firn_snow_look_def){
      .extinction = 724.0 / 400,
      .albedo = {0.9, 0.95, 1},
      .g = 0.5,
      // Crumbs instead of puffs: particles lie in the surface, with grain on them. Snow that is packed
      // is smooth.
      .kernel = 0.6,
      .anisotropy = 1,
      .adapt = 1,
      .detail = 0.7};
  if (strcmp(name, "paper") == 0) return FIRN_OK;
  // With the paper's albedo snow that is thick looks deep blue; ice hardly absorbs at all.
  const double white[3] = {0.9998, 0.9999, 0.99995};
  memcpy(out->albedo, white, sizeof white);
  return strcmp(name, "white") == 0 ? FIRN_OK : FIRN_ERROR_ARGUMENT;
}

FIRN_DEFAULTS(render_def) {
  firn_render_def def = {
      .width = 960,
      .height = 540,
      .samples = 64,
      .shutter = 0,
      .camera = {.up = {0, 1, 0}, .fov = 0.5},
      .sun = {.strength = 1, .size = 0.0093},
      .sky = {.kind = FIRN_SKY_MODEL, .color = {1, 1, 1}, .strength = 1, .turbidity = 2},
      .ground = {.albedo = {0.2, 0.215, 0.24}},
      .bodies = {.albedo = {0.55, 0.35, 0.2}, .gloss = 0.04, .roughness = 0.3},
      .white = 6504,
      .filmic = true,
      .denoise = false};
  firn_snow_look_preset("white", &def.snow);
  return def;
}
