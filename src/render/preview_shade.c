// SPDX-License-Identifier: Apache-2.0
// Light on a preview: a sun with shadows, a sky that things hide from each other.
#include "base/parallel.h"
#include "render/colormap.h"
#include "render/preview_stage.h"

static const firn_v3 sunlight = {1.30f, 1.24f, 1.12f}, skylight = {0.36f, 0.43f, 0.55f},
                     bounce = {0.20f, 0.19f, 0.18f}, snow = {0.90f, 0.91f, 0.93f};

static firn_v3 place_of(const firn_preview_stage *s, int x, int y, float depth) {
  firn_v3 along = firn_preview_along(s, (float)x + 0.5f, (float)y + 0.5f);
  return firn_v3_add(s->view.pose.eye, firn_v3_scale(depth, along));
}

// The step from a sample to its neighbour on the smoother side; edges are on the other.
static firn_v3 slope(const firn_preview_stage *s, const float *depth, int x, int y, int dx,
                     int dy) {
  ptrdiff_t at = (ptrdiff_t)y * s->stride + x, step = (ptrdiff_t)dy * s->stride + dx;
  bool first = x - dx < 0 || y - dy < 0, last = x + dx >= s->width || y + dy >= s->height;
  float z = depth[at], before = first ? INFINITY : depth[at - step],
        after = last ? INFINITY : depth[at + step];
  firn_v3 here = place_of(s, x, y, z);
  if (fabsf(after - z) <= fabsf(before - z)) {
    if (!(after < INFINITY)) return (firn_v3){0, 0, 0};
    return firn_v3_sub(place_of(s, x + dx, y + dy, after), here);
  }
  return firn_v3_sub(here, place_of(s, x - dx, y - dy, before));
}

// Towards the eye where the sample is a speck of its own.
static firn_v3 normal_of(const firn_preview_stage *s, const float *depth, int x, int y,
                         firn_v3 back) {
  firn_v3 n = firn_v3_cross(slope(s, depth, x, y, 0, 1), slope(s, depth, x, y, 1, 0));
  float length = sqrtf(firn_v3_dot(n, n));
  if (!(length > 0)) return back;
  return firn_v3_scale((firn_v3_dot(n, back) < 0 ? -1 : 1) / length, n);
}

// That of the smoothed snow, with something of the single balls.
static firn_v3 snow_normal(const firn_preview_stage *s, int x, int y, firn_v3 here) {
  firn_v3 back = firn_v3_unit(firn_v3_sub(s->view.pose.eye, here));
  return firn_v3_unit(firn_v3_mix(normal_of(s, s->depth, x, y, back),
                                  normal_of(s, s->seen.depth, x, y, back), 0.3f));
}

// Depth of the body at a sample: that at its pixel, unless an edge runs by.
static float body_at(const firn_preview_stage *s, int x, int y, firn_v3 along, int *body) {
  const firn_preview_shot *def = s->def;
  int px = x / FIRN_PREVIEW_SUPER, py = y / FIRN_PREVIEW_SUPER;
  const int *here = &s->body[(ptrdiff_t)py * def->width + px];
  *body = *here;
  if (!def->solids || !def->solids->count) return INFINITY;
  if ((px == 0 || here[-1] == *here) && (px == def->width - 1 || here[1] == *here) &&
      (py == 0 || here[-def->width] == *here) &&
      (py == def->height - 1 || here[def->width] == *here))
    return s->body_depth[here - s->body];
  *body = -1;
  return firn_solids_hit(def->solids, def->origin, s->view.pose.eye, along, INFINITY, body);
}

// ----------------------------------------------------------------------------------------- shadows

// 1 where the sun gets, 0 where bodies or snow are in between; soft over a few samples of the maps.
static float lit_by_sun(const firn_preview_stage *s, firn_v3 p, float bias) {
  firn_v3 d = firn_v3_sub(p, s->sun.pose.eye);
  float depth = firn_v3_dot(d, s->sun.pose.forward);
  float u = firn_v3_dot(d, s->sun.pose.right), v = firn_v3_dot(d, s->sun.pose.up), shade = 0;
  if (!(fabsf(u) < 1.5f * s->reach && fabsf(v) < 1.5f * s->reach)) return 1; // off the maps
  float x = 0.5f * (float)s->lit.width + s->sun.scale * u,
        y = 0.5f * (float)s->lit.height - s->sun.scale * v;
  int taps = 0;
  // Farther apart than the holes between balls.
  float apart = fmaxf(0.5f * s->def->spacing * s->sun.scale, 1);
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++, taps++) {
      int a = (int)floorf(x + apart * (float)i), b = (int)floorf(y + apart * (float)j);
      if (a < 0 || b < 0 || a >= s->lit.width || b >= s->lit.height) continue;
      shade += s->lit.depth[(size_t)b * (size_t)s->lit.stride + (size_t)a] < depth - bias;
    }
  float open = 1 - shade / (float)taps;
  if (s->def->solids && s->def->solids->count) {
    float metre = 2 * s->reach / (float)s->body_lit_size;
    float bx = (u + s->reach) / metre - 0.5f, by = (s->reach - v) / metre - 0.5f;
    int a = (int)floorf(bx), b = (int)floorf(by);
    float fx = bx - (float)a, fy = by - (float)b, body = 0;
    for (int k = 0; k < 4; k++) {
      int i = a + (k & 1), j = b + (k >> 1);
      if (i < 0 || j < 0 || i >= s->body_lit_size || j >= s->body_lit_size) continue;
      float z = s->body_lit[(size_t)j * (size_t)s->body_lit_size + (size_t)i];
      float w = (k & 1 ? fx : 1 - fx) * (k >> 1 ? fy : 1 - fy);
      body += z < depth - bias - 2 * metre ? w : 0;
    }
    open *= 1 - body;
  }
  return open;
}

// ------------------------------------------------------------------------------------------- light

// What arrives at a place. wrap lets light creep around edges, as snow does.
static firn_v3 light_at(const firn_preview_stage *s, firn_v3 p, firn_v3 n, float open, float wrap) {
  float facing = (firn_v3_dot(n, s->def->sun) + wrap) / (1 + wrap), up = 0.5f + 0.5f * n.y;
  float sun = facing > 0 ? facing * lit_by_sun(s, p, 2.5f * s->def->spacing) : 0;
  firn_v3 sky = firn_v3_mix(bounce, skylight, up);
  return firn_v3_add(firn_v3_scale(sun, sunlight), firn_v3_scale(open, sky));
}

static firn_v3 sky_color(const firn_preview_stage *s, firn_v3 along) {
  const firn_v3 horizon = {0.19f, 0.24f, 0.30f}, zenith = {0.08f, 0.115f, 0.18f},
                plain = {0.78f, 0.79f, 0.80f};
  if (s->def->value) return plain;
  float y = firn_v3_unit(along).y;
  return firn_v3_mix(horizon, zenith, firn_smoothstep(-0.1f, 0.9f, y));
}

// Colours keep their meaning: light only makes them a little darker or brighter.
static firn_v3 value_color(const firn_preview_stage *s, uint32_t particle, firn_v3 light,
                           const float *linear) {
  float v = particle < s->def->count ? s->def->value[particle] : NAN;
  firn_v3 c = {0.4f, 0.4f, 0.4f}; // not a number
  if (v == v) {
    int i = v >= 1 ? FIRN_COLORS - 1 : v > 0 ? (int)(v * FIRN_COLORS) : 0;
    const uint8_t *rgb = s->def->colors[i];
    c = (firn_v3){linear[rgb[0]], linear[rgb[1]], linear[rgb[2]]};
  }
  float grey = firn_v3_dot(light, (firn_v3){0.3f, 0.5f, 0.2f});
  return firn_v3_scale(0.42f + 0.5f * fminf(grey, 1.4f), c);
}

// Light that a sample sends to the eye, and whether it is in colours that are not to be toned.
static firn_v3 sample_light(const firn_preview_stage *s, int x, int y, const float *linear) {
  size_t at = (size_t)y * (size_t)s->stride + (size_t)x;
  size_t pixel = (size_t)(y / FIRN_PREVIEW_SUPER) * (size_t)s->def->width +
                 (size_t)(x / FIRN_PREVIEW_SUPER);
  firn_v3 along = firn_preview_along(s, (float)x + 0.5f, (float)y + 0.5f);
  int plane, which;
  float z = s->depth[at], flat = firn_preview_plane(s, along, &plane),
        body = body_at(s, x, y, along, &which);
  // Snow that lies on something is drawn over it, though its balls may reach below.
  float snow_depth = z - 0.7f * s->def->spacing;
  if (z < INFINITY && snow_depth <= flat && snow_depth <= body) {
    firn_v3 p = firn_v3_add(s->view.pose.eye, firn_v3_scale(z, along));
    firn_v3 light = light_at(s, p, snow_normal(s, x, y, p), s->open[pixel], 0.35f);
    if (!s->def->value) return firn_v3_mul(snow, light);
    return value_color(s, s->seen.index[at], light, linear);
  }
  if (body < flat && which >= 0) {
    firn_v3 p = firn_v3_add(s->view.pose.eye, firn_v3_scale(body, along));
    const double *o = s->def->origin;
    double world[3] = {(double)p.x + o[0], (double)p.y + o[1], (double)p.z + o[2]}, n[3];
    s->def->solids->distance(s->def->solids->user, which, world, n);
    firn_v3 normal = {(float)n[0], (float)n[1], (float)n[2]};
    return firn_v3_mul(s->def->body_color[which], light_at(s, p, normal, s->open[pixel], 0));
  }
  if (plane < 0) return sky_color(s, along);
  const double *n = s->def->solids->plane[plane];
  firn_v3 p = firn_v3_add(s->view.pose.eye, firn_v3_scale(flat, along));
  firn_v3 normal = {(float)n[0], (float)n[1], (float)n[2]};
  firn_v3 light = light_at(s, p, normal, s->open[pixel], 0);
  // Far ground fades into the air.
  float away = flat * sqrtf(firn_v3_dot(along, along)), fade = 1 - expf(-away / (40 * s->reach));
  return firn_v3_mix(firn_v3_mul(s->def->plane_color[plane], light), sky_color(s, along), fade);
}

// ------------------------------------------------------------------------------------------ picture

enum { CODES = 4096 };

// Linear to sRGB bytes, by table; toned: rolls highlights off first.
static void make_codes(uint8_t code[CODES + 1], bool toned) {
  for (int i = 0; i <= CODES; i++) {
    float x = (float)i * (2.0f / CODES);
    if (toned) x = 1 - expf(-1.55f * x);
    float c = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
    code[i] = (uint8_t)(255 * firn_clamp01(c) + 0.5f);
  }
}

static uint8_t encode(const uint8_t *code, float light) {
  float at = light * (0.5f * CODES) + 0.5f;
  return code[!(at > 0) ? 0 : at < CODES ? (int)at : CODES];
}

void firn_preview_shade(const firn_preview_stage *s, uint8_t *rgb) {
  const firn_preview_shot *def = s->def;
  uint8_t code[CODES + 1];
  float linear[256];
  make_codes(code, !def->value);
  for (int i = 0; i < 256; i++) {
    float c = (float)i / 255;
    linear[i] = c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
  }
  FIRN_PARALLEL_FOR(s->context, schedule(dynamic, 4))
  for (int y = 0; y < def->height; y++)
    for (int x = 0; x < def->width; x++) {
      firn_v3 sum = {0, 0, 0};
      for (int k = 0; k < FIRN_PREVIEW_SUPER * FIRN_PREVIEW_SUPER; k++)
        sum = firn_v3_add(sum,
                          sample_light(s, x * FIRN_PREVIEW_SUPER + k % FIRN_PREVIEW_SUPER,
                                       y * FIRN_PREVIEW_SUPER + k / FIRN_PREVIEW_SUPER, linear));
      sum = firn_v3_scale(1.0f / (FIRN_PREVIEW_SUPER * FIRN_PREVIEW_SUPER), sum);
      uint8_t *p = rgb + 3 * ((size_t)y * (size_t)def->width + (size_t)x);
      p[0] = encode(code, sum.x);
      p[1] = encode(code, sum.y);
      p[2] = encode(code, sum.z);
    }
}
