// SPDX-License-Identifier: Apache-2.0
#include "render/preview.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "render/bulk.h"
#include "render/stage.h"

enum {
  SHADOW_MOST = 2048, // pixels of the shadow map
  GRAINS = 1600000,   // balls drawn, about: few particles are drawn as more balls each,
  MOST_GRAINS = 27,   // but not as more than this
};
#define FIELD_OF_VIEW 0.5f // rad, vertical

firn_status firn_preview_check(firn_context *context, const firn_preview_def *def) {
  if (def->width < 1 || def->height < 1 || def->width > 16384 || def->height > 16384) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "preview size %d x %d: both must be from 1 to 16384", def->width, def->height);
  }
  if (!firn_finite3(def->center) || !firn_finite3(def->view) || !isfinite(def->ground) ||
      !isfinite(def->extent)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "preview: center (%g %g %g), view (%g %g %g), ground %g and extent %g must "
                     "be finite",
                     def->center[0], def->center[1], def->center[2], def->view[0], def->view[1],
                     def->view[2], def->ground, def->extent);
  }
  if (def->extent < 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview extent %g m is negative", def->extent);
  }
  if (def->view[0] == 0 && def->view[1] == 0 && def->view[2] == 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview view (0 0 0) has no direction");
  }
  return FIRN_OK;
}

// --------------------------------------------------------------------------- framing

static firn_v3 to_v3(const double *a) {
  double n = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  return (firn_v3){(float)(a[0] / n), (float)(a[1] / n), (float)(a[2] / n)};
}

static void look(firn_lens *lens, firn_v3 forward) {
  firn_v3 up = fabsf(forward.y) > 0.999f ? (firn_v3){0, 0, -1} : (firn_v3){0, 1, 0};
  lens->forward = forward;
  lens->right = firn_v3_unit(firn_v3_cross(forward, up));
  lens->up = firn_v3_cross(lens->right, forward);
}

static firn_v3 corner(const firn_stage *s, int i) {
  return (firn_v3){i & 1 ? s->high.x : s->low.x, i & 2 ? s->high.y : s->low.y,
                   i & 4 ? s->high.z : s->low.z};
}

// The distance from which the box fills the picture up to a margin.
static float fitting_distance(const firn_stage *s, float half_x, float half_y) {
  float distance = 0;
  for (int i = 0; i < 8; i++) {
    firn_v3 p = corner(s, i);
    float x = fabsf(firn_v3_dot(p, s->camera.right)), y = fabsf(firn_v3_dot(p, s->camera.up));
    float z = firn_v3_dot(p, s->camera.forward);
    distance = fmaxf(distance, fmaxf(x / (0.9f * half_x), y / (0.9f * half_y)) - z);
  }
  return distance;
}

static void aim_camera(firn_stage *s, const firn_preview_def *def) {
  look(&s->camera, to_v3(def->view));
  float half_y = tanf(FIELD_OF_VIEW / 2), half_x = half_y * (float)def->width / (float)def->height;
  float distance = def->extent > 0 ? (float)def->extent / (2 * half_y)
                                   : fmaxf(fitting_distance(s, half_x, half_y), 8 * s->spacing);
  s->extent = 2 * half_y * distance;
  s->camera.eye = firn_v3_scale(-distance, s->camera.forward);
  s->camera.perspective = true;
  s->camera.width = def->width * FIRN_PREVIEW_SUPERSAMPLING;
  s->camera.height = def->height * FIRN_PREVIEW_SUPERSAMPLING;
  s->camera.scale = 0.5f * (float)s->camera.height / half_y;
}

// The sun stands to the left of the camera, a little behind it, whatever the view.
static void aim_sun(firn_stage *s) {
  firn_v3 right = s->camera.right, away = s->camera.forward;
  right.y = 0;
  away.y = 0;
  away = firn_v3_unit(away.x != 0 || away.z != 0 ? away : s->camera.up);
  firn_v3 from = firn_v3_add(firn_v3_scale(-0.80f, firn_v3_unit(right)),
                             firn_v3_add(firn_v3_scale(-0.35f, away), (firn_v3){0, 0.75f, 0}));
  look(&s->sun, firn_v3_scale(-1, firn_v3_unit(from)));
  firn_v3 middle = firn_v3_scale(0.5f, firn_v3_add(s->low, s->high));
  firn_v3 size = firn_v3_sub(s->high, s->low);
  float reach = 0.5f * sqrtf(firn_v3_dot(size, size)) + 8 * s->spacing;
  s->sun.eye = firn_v3_sub(middle, firn_v3_scale(2 * reach, s->sun.forward));
  int size_wanted = 2 * s->camera.height;
  int pixels = size_wanted < SHADOW_MOST / 4 ? SHADOW_MOST / 4
               : size_wanted > SHADOW_MOST   ? SHADOW_MOST
                                             : size_wanted;
  s->sun.width = s->sun.height = pixels;
  s->sun.scale = 0.5f * (float)pixels / (1.15f * reach);
}

// --------------------------------------------------------------------------- the picture

// Copies finite positions relative to the middle of the view.
static void place_particles(firn_stage *s, size_t count, const double *position,
                            const double middle[3]) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    const double *p = position + 3 * i;
    if (!firn_finite3(p)) continue;
    s->center[n++] = (firn_v3){(float)(p[0] - middle[0]), (float)(p[1] - middle[1]),
                               (float)(p[2] - middle[2])};
  }
  s->count = n;
}

// Between -1/2 and 1/2, more often near 0.
static float bell(uint32_t seed) {
  return 0.5f * (firn_noise(seed) + firn_noise(seed + 1)) - 0.5f;
}

// A particle stands for a lump of grains as wide as the spacing. Drawing it as one ball looks like
// beads; drawn as a few smaller ones it looks like snow, and a lattice of particles does not show.
// In spray, where there is no bulk to join, it is a smaller crumb of finer grains.
static void place_grains(const firn_context *context, firn_stage *s, int per_particle) {
  float full = 0.62f * s->spacing * powf((float)per_particle, -1.0f / 3); // together one volume
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < s->count; i++) {
    float bulk = firn_smoothstep(0.05f, 0.5f, firn_density_at(&s->density, 0, s->center[i]));
    for (int k = 0; k < per_particle; k++) {
      size_t g = i * (size_t)per_particle + (size_t)k;
      uint32_t seed = (uint32_t)g * 8u;
      float spread = s->spacing * (0.4f + 1.0f * bulk);
      firn_v3 shift = {bell(seed), bell(seed + 2), bell(seed + 4)};
      s->grain[g] = firn_v3_add(s->center[i], firn_v3_scale(spread, shift));
      s->radius[g] = (0.4f + 0.6f * bulk) * full * (0.7f + 0.6f * firn_noise(seed + 6));
    }
  }
}

static firn_status set_stage(firn_context *context, const firn_preview_def *def, size_t count,
                             const double *position, firn_stage *s) {
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, middle[3];
  bool any;
  FIRN_TRY(firn_bulk_box(context, count, position, low, high, &any));
  bool fit = def->extent == 0 && def->center[0] == 0 && def->center[1] == 0 && def->center[2] == 0;
  for (int k = 0; k < 3; k++) {
    if (!any) low[k] = high[k] = def->center[k];
    middle[k] = fit ? 0.5 * (low[k] + high[k]) : def->center[k];
  }
  if (!any && fit && def->show_ground) middle[1] = def->ground;
  for (int k = 0; k < 3; k++) s->middle[k] = middle[k];
  s->low = (firn_v3){(float)(low[0] - middle[0]), (float)(low[1] - middle[1]),
                     (float)(low[2] - middle[2])};
  s->high = (firn_v3){(float)(high[0] - middle[0]), (float)(high[1] - middle[1]),
                      (float)(high[2] - middle[2])};
  s->ground_shown = def->show_ground;
  s->ground = (float)(def->ground - middle[1]);
  s->center = firn_alloc(context, count * sizeof *s->center, "particles of a picture");
  if (count && !s->center) return FIRN_ERROR_MEMORY;
  place_particles(s, count, position, middle);
  if (s->count < count) {
    firn_note(context, FIRN_LOG_WARNING, "preview: %zu of %zu particles are not finite",
              count - s->count, count);
  }
  aim_camera(s, def);
  aim_sun(s);
  return FIRN_OK;
}

// Whether a half space is what show_ground speaks of: the ground itself, or any level floor where it
// is not to be drawn.
static bool is_ground(const firn_preview_def *def, const double plane[4], double tolerance) {
  return plane[1] > 0.9999 && (!def->show_ground || fabs(plane[3] - def->ground) < tolerance);
}

static firn_status place_walls(firn_context *context, const firn_preview_def *def, firn_stage *s) {
  int most = s->solids ? s->solids->plane_count : 0;
  if (!most) return FIRN_OK;
  s->wall = firn_alloc(context, (size_t)most * sizeof *s->wall, "walls of a picture");
  if (!s->wall) return FIRN_ERROR_MEMORY;
  const float low[3] = {s->low.x, s->low.y, s->low.z}, high[3] = {s->high.x, s->high.y, s->high.z};
  firn_wall_site site = {.floor = def->show_ground ? def->ground : (double)INFINITY,
                         .plane_count = most,
                         .plane = s->solids->plane};
  for (int k = 0; k < 3; k++) {
    site.low[k] = s->solids->has_snow ? s->solids->low[k] : s->middle[k] + (double)low[k];
    site.high[k] = s->solids->has_snow ? s->solids->high[k] : s->middle[k] + (double)high[k];
  }
  for (int i = 0; i < most; i++) {
    const double *plane = s->solids->plane[i];
    if (is_ground(def, plane, 1e-3 * (double)s->extent)) continue;
    s->wall_count += firn_wall_place(plane, &site, s->middle, s->camera.eye,
                                     &s->wall[s->wall_count]);
  }
  return FIRN_OK;
}

static firn_status draw_particles(firn_context *context, firn_stage *s) {
  FIRN_TRY(
      firn_density_build(context, s->count, s->center, s->spacing, s->low, s->high, &s->density));
  // As many as give a picture of this size something to show: down to a sample in radius.
  float samples = 0.62f * s->spacing * s->camera.scale /
                  fmaxf(-firn_v3_dot(s->camera.eye, s->camera.forward), s->spacing);
  float share = fminf((float)GRAINS / ((float)s->count + 1), samples * samples * samples);
  int per_particle = (int)fmaxf(1, fminf(share, MOST_GRAINS));
  s->grain_count = s->count * (size_t)per_particle;
  s->grain = firn_alloc(context, s->grain_count * sizeof *s->grain, "grains of a picture");
  s->radius = firn_alloc(context, s->grain_count * sizeof *s->radius, "grains of a picture");
  if (s->grain_count && (!s->grain || !s->radius)) return FIRN_ERROR_MEMORY;
  place_grains(context, s, per_particle);
  FIRN_TRY(
      firn_splat(context, &s->camera, s->grain_count, s->grain, s->radius, 0.9f, true, &s->seen));
  return firn_splat(context, &s->sun, s->grain_count, s->grain, s->radius, 0.7f, false, &s->lit);
}

// Rolls highlights off (Reinhard et al. 2002, eq. 4, white at 2.1) and encodes as sRGB.
static uint8_t to_byte(float light) {
  const float exposure = 1.7f, white = 2.1f;
  float x = exposure * fmaxf(light, 0);
  x = x * (1 + x / (white * white)) / (1 + x);
  float code = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
  return (uint8_t)(255 * firn_clamp01(code) + 0.5f);
}

firn_status firn_preview_render(firn_context *context, const firn_preview_def *def, size_t count,
                                const double *position, double spacing, const firn_solids *solids,
                                uint8_t *rgb) {
  FIRN_TRY(firn_preview_check(context, def));
  if (!(spacing > 0) || !isfinite(spacing)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview: particle spacing %g m", spacing);
  }
  firn_stage s = {.spacing = (float)spacing, .solids = solids};
  firn_status status = set_stage(context, def, count, position, &s);
  if (status == FIRN_OK) status = place_walls(context, def, &s);
  if (status == FIRN_OK) status = draw_particles(context, &s);
  if (status == FIRN_OK) {
    FIRN_PARALLEL_FOR(context, schedule(dynamic, 8))
    for (int y = 0; y < def->height; y++) {
      for (int x = 0; x < def->width; x++) {
        firn_v3 light = firn_stage_shade(&s, x, y);
        uint8_t *p = rgb + 3 * ((size_t)y * (size_t)def->width + (size_t)x);
        p[0] = to_byte(light.x);
        p[1] = to_byte(light.y);
        p[2] = to_byte(light.z);
      }
    }
  }
  firn_density_free(context, &s.density);
  firn_depths_free(context, &s.lit);
  firn_depths_free(context, &s.seen);
  firn_free(context, s.radius, s.grain_count * sizeof *s.radius);
  firn_free(context, s.grain, s.grain_count * sizeof *s.grain);
  firn_free(context, s.center, count * sizeof *s.center);
  if (solids) firn_free(context, s.wall, (size_t)solids->plane_count * sizeof *s.wall);
  return status;
}
