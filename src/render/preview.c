// SPDX-License-Identifier: Apache-2.0
#include "render/preview.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "render/colormap.h"
#include "render/preview_stage.h"

enum {
  SUN_SAMPLES = 640,
  BODY_SUN_SAMPLES = 256,
  BALLS = 1600000, // drawn, about: few particles are drawn as more balls each,
  MOST_GRAINS = 27 // but not as more than this
};

static firn_v3 to_stage(const firn_preview_shot *def, const double p[3]) {
  return (firn_v3){(float)(p[0] - def->origin[0]), (float)(p[1] - def->origin[1]),
                   (float)(p[2] - def->origin[2])};
}

// ------------------------------------------------------------------------------------------ views

// A particle stands for a lump of snow as wide as the spacing. As one ball it looks like a bead; as a
// few smaller ones, of one volume together, it looks like snow, and a lattice does not show. So many as
// the picture has samples for, and the time.
static firn_preview_view view_of(const firn_preview_stage *s, firn_camera_pose pose) {
  const firn_preview_shot *def = s->def;
  float far = fmaxf(-firn_v3_dot(def->camera.eye, def->camera.forward), def->spacing);
  float wide = 0.7f * def->spacing * (0.5f * (float)s->height / def->half_height) / far;
  float grains = fminf((float)BALLS / ((float)def->count + 1), wide * wide * wide);
  firn_preview_view view = {.pose = pose,
                            .grains = grains > MOST_GRAINS ? MOST_GRAINS : (int)fmaxf(grains, 1),
                            .spread = 1.3f * def->spacing,
                            .min_radius = 0.8f};
  view.radius = 0.7f * def->spacing * powf((float)view.grains, -1.0f / 3);
  return view;
}

static void aim_camera(firn_preview_stage *s) {
  s->view = view_of(s, s->def->camera);
  s->view.scale = 0.5f * (float)s->height / s->def->half_height;
  s->view.perspective = true;
}

// A map from the sun over the bulk of the snow and the bodies near it.
static void aim_sun(firn_preview_stage *s) {
  const firn_preview_shot *def = s->def;
  firn_v3 low = to_stage(def, def->low), high = to_stage(def, def->high);
  firn_v3 middle = firn_v3_scale(0.5f, firn_v3_add(low, high)), size = firn_v3_sub(high, low);
  float reach = 0.5f * sqrtf(firn_v3_dot(size, size)) + 8 * def->spacing, most = 3 * reach;
  for (int i = 0; def->solids && i < def->solids->count; i++) {
    if (def->solids->bound[i][3] > 2 * (double)most) continue; // ground, of which a part will do
    firn_v3 d = firn_v3_sub(to_stage(def, def->solids->bound[i]), middle);
    reach = fmaxf(reach, sqrtf(firn_v3_dot(d, d)) + (float)def->solids->bound[i][3]);
  }
  reach = fminf(reach, most);
  firn_v3 forward = firn_v3_scale(-1, def->sun), right, up;
  firn_axes_about(forward, &right, &up);
  firn_v3 eye = firn_v3_sub(middle, firn_v3_scale(2 * reach, forward));
  s->sun = view_of(s, (firn_camera_pose){eye, right, up, forward});
  s->sun.scale = 0.5f * SUN_SAMPLES / reach;
  s->reach = reach;
}

// ---------------------------------------------------------------------------------------- smoothing

// One pass along rows (step 1) or columns, over samples that are not much nearer or farther.
static void smooth(const firn_preview_stage *s, const float *in, float *out, bool columns) {
  int half = s->smooth_radius;
  float weight[FIRN_PREVIEW_SMOOTH + 1] = {1};
  for (int k = 0; k <= half; k++)
    weight[k] = expf(-2.0f * (float)(k * k) / (float)(half * half + 1));
  float range = 2 * s->def->spacing, inverse = 1 / (range * range);
  int along = columns ? s->height : s->width;
  ptrdiff_t step = columns ? s->stride : 1;
  FIRN_PARALLEL_FOR(s->context, schedule(static, 16))
  for (int y = 0; y < s->height; y++)
    for (int x = 0; x < s->width; x++) {
      size_t at = (size_t)y * (size_t)s->stride + (size_t)x;
      float z = in[at];
      out[at] = z;
      if (!(z < INFINITY)) continue;
      int here = columns ? y : x, from = here < half ? -here : -half;
      int to = here + half >= along ? along - 1 - here : half;
      float sum = z, total = 1;
      for (int k = from; k <= to; k++) {
        float d = in[(ptrdiff_t)at + k * step] - z, q = 1 - d * d * inverse;
        float w = q > 0 ? q * weight[k < 0 ? -k : k] : 0; // infinity gives 0
        sum += w > 0 ? w * (z + d) : 0;
        total += w;
      }
      out[at] = sum / total;
    }
}

static void take_depths(firn_preview_stage *s) {
  // Over about a spacing, at the distance of what is looked at.
  firn_v3 d = firn_v3_sub((firn_v3){0, 0, 0}, s->view.pose.eye);
  float distance = fmaxf(firn_v3_dot(d, s->view.pose.forward), s->def->spacing);
  float r = 1.2f * s->def->spacing * s->view.scale / distance;
  s->smooth_radius = r < 2 ? 2 : r > FIRN_PREVIEW_SMOOTH ? FIRN_PREVIEW_SMOOTH : (int)r;
  smooth(s, s->seen.depth, s->scratch, false);
  smooth(s, s->scratch, s->depth, true);
  smooth(s, s->depth, s->scratch, false);
  smooth(s, s->scratch, s->depth, true);
}

// ------------------------------------------------------------------------------------------ bodies

static void see_bodies(firn_preview_stage *s) {
  const firn_preview_shot *def = s->def;
  bool any = def->solids && def->solids->count;
  FIRN_PARALLEL_FOR(s->context, schedule(dynamic, 4))
  for (int y = 0; y < def->height; y++)
    for (int x = 0; x < def->width; x++) {
      size_t at = (size_t)y * (size_t)def->width + (size_t)x;
      s->body[at] = -1;
      s->body_depth[at] = INFINITY;
      if (!any) continue;
      // Along a ray of unit depth, so that its parameter is the depth.
      firn_v3 along = firn_preview_along(s, FIRN_PREVIEW_SUPER * ((float)x + 0.5f),
                                         FIRN_PREVIEW_SUPER * ((float)y + 0.5f));
      s->body_depth[at] = firn_solids_hit(def->solids, def->origin, s->view.pose.eye, along,
                                          INFINITY, &s->body[at]);
    }
  if (!any) return;
  FIRN_PARALLEL_FOR(s->context, schedule(dynamic, 4))
  for (int y = 0; y < BODY_SUN_SAMPLES; y++)
    for (int x = 0; x < BODY_SUN_SAMPLES; x++) {
      float metre = 2 * s->reach / BODY_SUN_SAMPLES;
      float u = ((float)x + 0.5f) * metre - s->reach, v = s->reach - ((float)y + 0.5f) * metre;
      firn_v3 from = firn_v3_add(s->sun.pose.eye, firn_v3_add(firn_v3_scale(u, s->sun.pose.right),
                                                              firn_v3_scale(v, s->sun.pose.up)));
      int body;
      s->body_lit[(size_t)y * BODY_SUN_SAMPLES + (size_t)x] = firn_solids_hit(
          def->solids, def->origin, from, s->sun.pose.forward, 8 * s->reach, &body);
    }
}

// --------------------------------------------------------------------------------------- occlusion

// Nearest of all things at a pixel, m; infinity: none.
static void join_depths(firn_preview_stage *s) {
  const firn_preview_shot *def = s->def;
  FIRN_PARALLEL_FOR(s->context, schedule(static))
  for (int y = 0; y < def->height; y++)
    for (int x = 0; x < def->width; x++) {
      size_t at = (size_t)y * (size_t)def->width + (size_t)x;
      size_t sample = (size_t)(FIRN_PREVIEW_SUPER * y) * (size_t)s->stride +
                      (size_t)(FIRN_PREVIEW_SUPER * x);
      firn_v3 along = firn_preview_along(s, FIRN_PREVIEW_SUPER * ((float)x + 0.5f),
                                         FIRN_PREVIEW_SUPER * ((float)y + 0.5f));
      int plane;
      s->joint[at] = fminf(fminf(s->depth[sample], s->body_depth[at]),
                           firn_preview_plane(s, along, &plane));
    }
}

// How far a pixel lies behind the middle of two others to opposite sides of it, in units of reach: a
// plane, however tilted, has 0. What is far in front belongs to another place.
static float behind(const firn_preview_stage *s, int x, int y, int dx, int dy, float z,
                    float inverse) {
  const firn_preview_shot *def = s->def;
  float sum = 0;
  for (int side = -1; side <= 1; side += 2) {
    int u = x + side * dx, v = y + side * dy;
    if (u < 0 || v < 0 || u >= def->width || v >= def->height) return 0;
    float front = (z - s->joint[(size_t)v * (size_t)def->width + (size_t)u]) * inverse;
    if (!(front < 1.5f)) return 0;
    sum += fmaxf(front, -1.5f);
  }
  return sum > 0 ? fminf(0.5f * sum, 1) : 0;
}

// The share of the sky that things nearby leave.
static void occlude(firn_preview_stage *s) {
  static const float ring[6][2] = {{1, 0}, {0.866f, 0.5f},  {0.5f, 0.866f},
                                   {0, 1}, {-0.5f, 0.866f}, {-0.866f, 0.5f}};
  static const float size[3] = {0.012f, 0.03f, 0.07f}; // of the height of the picture
  const firn_preview_shot *def = s->def;
  FIRN_PARALLEL_FOR(s->context, schedule(dynamic, 8))
  for (int y = 0; y < def->height; y++)
    for (int x = 0; x < def->width; x++) {
      size_t at = (size_t)y * (size_t)def->width + (size_t)x;
      float z = s->joint[at], hidden = 0;
      s->open[at] = 1;
      if (!(z < INFINITY)) continue;
      float metre = 2 * def->half_height * z / (float)def->height; // a pixel
      for (int r = 0; r < 3; r++) {
        float pixels = fmaxf(size[r] * (float)def->height, 1.5f), inverse = 1 / (pixels * metre);
        for (int k = 0; k < 6; k++)
          hidden += behind(s, x, y, (int)lroundf(pixels * ring[k][0]),
                           (int)lroundf(pixels * ring[k][1]), z, inverse);
      }
      s->open[at] = 1 - fminf(hidden / 8, 0.8f);
    }
}

// --------------------------------------------------------------------------------------------- all

static firn_status reserve(firn_preview_stage *s) {
  const firn_preview_shot *def = s->def;
  s->stride = s->width + FIRN_PREVIEW_PADDING;
  size_t samples = (size_t)s->stride * (size_t)s->height,
         pixels = (size_t)def->width * (size_t)def->height,
         sun = (size_t)(SUN_SAMPLES + FIRN_PREVIEW_PADDING) * SUN_SAMPLES,
         body_sun = (size_t)BODY_SUN_SAMPLES * BODY_SUN_SAMPLES, owners = def->value ? samples : 0;
  s->bytes = (3 * samples + owners + sun + body_sun + 4 * pixels) * sizeof(float);
  s->memory = firn_alloc(s->context, s->bytes, "a preview");
  if (!s->memory) return FIRN_ERROR_MEMORY;
  char *at = s->memory;
#define TAKE(pointer, n) ((pointer) = (void *)at, at += (n) * sizeof *(pointer))
  TAKE(s->seen.depth, samples);
  TAKE(s->lit.depth, sun);
  TAKE(s->seen.index, owners);
  TAKE(s->depth, samples);
  TAKE(s->scratch, samples);
  TAKE(s->body_lit, body_sun);
  TAKE(s->body_depth, pixels);
  TAKE(s->joint, pixels);
  TAKE(s->open, pixels);
  TAKE(s->body, pixels);
#undef TAKE
  if (!def->value) s->seen.index = NULL;
  s->seen.width = s->width;
  s->seen.height = s->height;
  s->seen.stride = s->stride;
  s->lit.width = s->lit.height = SUN_SAMPLES;
  s->lit.stride = SUN_SAMPLES + FIRN_PREVIEW_PADDING;
  s->body_lit_size = BODY_SUN_SAMPLES;
  return FIRN_OK;
}

firn_status firn_preview_render(firn_context *context, const firn_preview_shot *def, uint8_t *rgb) {
  firn_preview_stage s = {.context = context,
                          .def = def,
                          .width = def->width * FIRN_PREVIEW_SUPER,
                          .height = def->height * FIRN_PREVIEW_SUPER};
  FIRN_TRY(reserve(&s));
  aim_camera(&s);
  aim_sun(&s);
  firn_status status = firn_preview_draw(context, def, &s.view, &s.seen);
  if (status == FIRN_OK) status = firn_preview_draw(context, def, &s.sun, &s.lit);
  if (status == FIRN_OK) {
    take_depths(&s);
    see_bodies(&s);
    join_depths(&s);
    occlude(&s);
    firn_preview_shade(&s, rgb);
  }
  firn_free(context, s.memory, s.bytes);
  return status;
}
