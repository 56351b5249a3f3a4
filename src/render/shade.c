// SPDX-License-Identifier: Apache-2.0
// How the preview's light works out. Nothing here is measured; it is made to look like snow in
// winter sun: white and warm where lit, blue where only the sky reaches, never quite black because
// light wanders far inside.
#include "render/stage.h"

static const firn_v3 sun_light = {1.00f, 0.91f, 0.78f};
static const firn_v3 sky_top = {0.30f, 0.46f, 0.78f};
static const firn_v3 sky_edge = {0.56f, 0.66f, 0.82f};
static const firn_v3 snow_inside = {0.47f, 0.54f, 0.68f}; // what snow sees of snow around it
static const firn_v3 snow_color = {0.95f, 0.965f, 0.99f};
static const firn_v3 solid_color = {0.30f, 0.115f, 0.055f}; // painted
static const firn_v3 ground_color = {0.070f, 0.085f, 0.112f};
static const firn_v3 wall_color = {0.064f, 0.068f, 0.079f};
static const firn_v3 far_low = {0.125f, 0.165f, 0.225f}; // the backdrop at the horizon and above
static const firn_v3 far_high = {0.050f, 0.078f, 0.135f};

static firn_v3 sky(firn_v3 direction) {
  return firn_v3_mix(sky_edge, sky_top, firn_smoothstep(0, 0.9f, direction.y));
}

static firn_v3 backdrop(firn_v3 direction) {
  return firn_v3_mix(far_low, far_high, firn_smoothstep(-0.05f, 0.45f, direction.y));
}

// ------------------------------------------------------------------------------------------- sun

// Points spread evenly over the unit disc, a sunflower: radius sqrt((k + 1/2)/16), golden angle.
enum { TAPS = 16 };
static const float tap[TAPS][2] = {
    {0.176777f, 0.000000f},   {-0.225772f, 0.206825f},  {0.034558f, -0.393770f},
    {0.284571f, 0.371166f},   {-0.522223f, -0.092370f}, {0.494720f, -0.314690f},
    {-0.155463f, 0.618246f},  {-0.316013f, -0.607501f}, {0.684656f, 0.250047f},
    {-0.712340f, 0.293771f},  {0.343372f, -0.733712f},  {0.253408f, 0.808938f},
    {-0.764447f, -0.443176f}, {0.897133f, -0.196787f},  {-0.547834f, 0.778762f},
    {-0.126492f, -0.976084f},
};

static float lit_depth(const firn_stage *s, float x, float y) {
  if (!(x >= 0 && y >= 0 && x < (float)s->lit.width && y < (float)s->lit.height)) return INFINITY;
  return s->lit.depth[(size_t)y * (size_t)s->lit.width + (size_t)x];
}

// The part of the sun that p sees. The penumbra widens with the distance of what stands in the
// way, as a sun wider than the real one would have it; bias keeps p from shading itself. turn is
// a unit vector that turns the taps, so that neighbours do not repeat one pattern.
static float sun_seen(const firn_stage *s, firn_v3 p, float bias, const float turn[2]) {
  const float width = 0.06f; // of the sun: radians across
  float x = 0, y = 0, depth = 0, scale = 0, sum = 0;
  firn_lens_project(&s->sun, p, &x, &y, &depth, &scale);
  if (!(x >= 0 && y >= 0 && x < (float)s->lit.width && y < (float)s->lit.height)) return 1;
  float search = fmaxf(2.5f * s->spacing, 0.02f * s->extent) * scale;
  int found = 0, hidden = 0;
  for (int k = 0; k < TAPS; k++) {
    float u = tap[k][0] * turn[0] - tap[k][1] * turn[1];
    float v = tap[k][0] * turn[1] + tap[k][1] * turn[0];
    float z = lit_depth(s, x + search * u, y + search * v);
    if (z < depth - bias) {
      sum += depth - z;
      found++;
    }
  }
  if (!found) return 1;
  float penumbra = fmaxf(0.5f * width * sum / (float)found, 0.6f * s->spacing) * scale;
  for (int k = 0; k < TAPS; k++) {
    float u = tap[k][0] * turn[0] + tap[k][1] * turn[1];
    float v = tap[k][1] * turn[0] - tap[k][0] * turn[1];
    if (lit_depth(s, x + penumbra * u, y + penumbra * v) < depth - bias) hidden++;
  }
  return 1 - (float)hidden / TAPS;
}

// Whether a body stands between p and the sun. Snow that touches a body is not shaded by it at once.
static float sun_past_solids(const firn_stage *s, firn_v3 p) {
  if (!s->solids) return 1;
  firn_v3 to = firn_v3_scale(-1, s->sun.forward);
  firn_v3 from = firn_v3_add(p, firn_v3_scale(s->spacing, to));
  int body = 0;
  return firn_solids_hit(s->solids, s->middle, from, to, INFINITY, &body) == INFINITY ? 1 : 0;
}

// --------------------------------------------------------------------------------- sky and bounce

static firn_v3 ground_light(void) {
  firn_v3 e = firn_v3_add(firn_v3_scale(0.5f, sun_light), firn_v3_scale(0.8f, sky_top));
  return firn_v3_mul(ground_color, e);
}

// Gathers over the hemisphere of n with six cones: sky or ground where open, snow where not.
static firn_v3 surroundings(const firn_stage *s, firn_v3 p, firn_v3 n, float *open) {
  static const float ring[5][2] = {{1, 0},
                                   {0.309017f, 0.951057f},
                                   {-0.809017f, 0.587785f},
                                   {-0.809017f, -0.587785f},
                                   {0.309017f, -0.951057f}};
  firn_v3 side = fabsf(n.y) < 0.9f ? (firn_v3){0, 1, 0} : (firn_v3){1, 0, 0};
  firn_v3 u = firn_v3_unit(firn_v3_cross(n, side)), v = firn_v3_cross(n, u);
  firn_v3 from = firn_v3_add(p, firn_v3_scale(0.8f * s->density.level[0].cell, n));
  firn_v3 sum = {0, 0, 0};
  *open = 0;
  for (int i = 0; i < 6; i++) {
    firn_v3 d = n;
    if (i) { // 60 degrees off the normal
      firn_v3 out = firn_v3_add(firn_v3_scale(ring[i - 1][0], u), firn_v3_scale(ring[i - 1][1], v));
      d = firn_v3_add(firn_v3_scale(0.5f, n), firn_v3_scale(0.8660254f, out));
    }
    float weight = i ? 0.15f : 0.25f;
    float pass = firn_density_cone(&s->density, from, d);
    firn_v3 far = s->ground_shown && d.y < 0 ? ground_light() : sky(d);
    sum = firn_v3_add(sum, firn_v3_scale(weight, firn_v3_mix(snow_inside, far, pass)));
    *open += weight * pass;
  }
  return sum;
}

// --------------------------------------------------------------------------------------- surfaces

// What neighbouring samples of one surface share; the cones are too dear for each.
typedef struct shared {
  bool known;
  firn_v3 around;
  float open;
} shared;

static firn_v3 shade_snow(const firn_stage *s, firn_v3 p, uint32_t grain, const float turn[2],
                          shared *share) {
  // Normal: of the smoothed surface in bulk, of the grain itself where it flies alone.
  firn_v3 round = firn_v3_unit(firn_v3_sub(p, s->grain[grain]));
  firn_v3 slope = firn_density_slope(&s->density, p);
  float steep = sqrtf(firn_v3_dot(slope, slope)) * s->spacing;
  float trust = 0.78f * firn_smoothstep(0.005f, 0.10f, steep);
  firn_v3 n = firn_v3_unit(firn_v3_mix(round, firn_v3_unit(slope), trust));
  if (!share->known) {
    share->around = surroundings(s, p, n, &share->open);
    share->known = true;
  }
  float facing = -firn_v3_dot(n, s->sun.forward);
  float seen = sun_seen(s, firn_v3_add(p, firn_v3_scale(0.5f * s->spacing, n)), 1.0f * s->spacing,
                        turn);
  if (seen > 0 && facing > -0.2f) seen *= sun_past_solids(s, p);
  // Light that entered nearby comes out past the terminator too.
  const float wrap = 0.2f;
  float direct = fmaxf(facing + wrap, 0) / (1 + wrap);
  firn_v3 light = firn_v3_add(firn_v3_scale(1.15f * direct * seen, sun_light),
                              firn_v3_scale(0.25f + 0.55f * share->open, share->around));
  float grey = 0.93f + 0.10f * firn_noise(grain * 7u + 3u);
  return firn_v3_scale(grey, firn_v3_mul(snow_color, light));
}

// Ground, or a wall.
static firn_v3 shade_plane(const firn_stage *s, firn_v3 p, firn_v3 n, firn_v3 color, firn_v3 ray,
                           const float turn[2], shared *share) {
  if (!share->known) {
    share->around = surroundings(s, p, n, &share->open);
    share->known = true;
  }
  float facing = fmaxf(-firn_v3_dot(n, s->sun.forward), 0), seen = 0;
  if (facing > 0) seen = sun_seen(s, p, 0.4f * s->spacing, turn);
  if (seen > 0) seen *= sun_past_solids(s, p);
  firn_v3 light = firn_v3_add(firn_v3_scale(1.15f * seen * facing, sun_light),
                              firn_v3_scale(0.35f + 0.75f * share->open, share->around));
  // Far away it melts into the backdrop.
  float away = sqrtf(p.x * p.x + p.z * p.z);
  float far = firn_smoothstep(0.8f * s->extent, 4.5f * s->extent, away);
  return firn_v3_mix(firn_v3_mul(color, light), backdrop(ray), far);
}

static firn_v3 shade_solid(const firn_stage *s, firn_v3 p, int body, const float turn[2],
                           shared *share) {
  double normal[3] = {0, 1, 0};
  const double x[3] = {s->middle[0] + (double)p.x, s->middle[1] + (double)p.y,
                       s->middle[2] + (double)p.z};
  s->solids->distance(s->solids->user, body, x, normal);
  firn_v3 n = {(float)normal[0], (float)normal[1], (float)normal[2]};
  if (!share->known) {
    share->around = surroundings(s, p, n, &share->open);
    share->known = true;
  }
  float facing = fmaxf(-firn_v3_dot(n, s->sun.forward), 0), seen = 0;
  firn_v3 off = firn_v3_add(p, firn_v3_scale(0.5f * s->spacing, n));
  if (facing > 0) seen = sun_seen(s, off, s->spacing, turn) * sun_past_solids(s, off);
  firn_v3 light = firn_v3_add(firn_v3_scale(1.15f * facing * seen, sun_light),
                              firn_v3_scale(0.35f + 0.55f * share->open, share->around));
  return firn_v3_mul(solid_color, light);
}

// What neighbouring samples share, by what they show.
typedef struct shares {
  shared snow, ground, wall, solid;
} shares;

// Walls hide no snow, since it is in front of them; but ground.
static float wall_hit(const firn_stage *s, firn_v3 ray, float most, firn_v3 *normal) {
  float nearest = INFINITY;
  for (int i = 0; i < s->wall_count; i++) {
    float t = firn_wall_hit(&s->wall[i], s->camera.eye, ray, fminf(most, nearest), normal);
    nearest = fminf(nearest, t);
  }
  return nearest;
}

static firn_v3 sample(const firn_stage *s, int x, int y, shares *share) {
  size_t at = (size_t)y * (size_t)s->seen.width + (size_t)x;
  float u = ((float)x + 0.5f - 0.5f * (float)s->camera.width) / s->camera.scale;
  float v = (0.5f * (float)s->camera.height - (float)y - 0.5f) / s->camera.scale;
  firn_v3 ray = firn_v3_add(s->camera.forward, firn_v3_add(firn_v3_scale(u, s->camera.right),
                                                           firn_v3_scale(v, s->camera.up)));
  // The nearest of snow, ground, walls and bodies.
  enum { NOTHING, SNOW, GROUND, WALL, BODY } what = NOTHING;
  float depth = s->seen.depth[at];
  if (depth < INFINITY) what = SNOW;
  firn_v3 normal = {0, 1, 0};
  if (s->ground_shown && ray.y < 0 && s->camera.eye.y > s->ground) {
    float t = (s->ground - s->camera.eye.y) / ray.y;
    if (t <= depth) what = GROUND;
    depth = fminf(depth, t);
  }
  float wall = wall_hit(s, ray, depth, &normal);
  if (wall < depth) what = WALL;
  depth = fminf(depth, wall);
  int body = 0;
  if (s->solids) {
    float t = firn_solids_hit(s->solids, s->middle, s->camera.eye, ray, depth, &body);
    if (t < depth) what = BODY;
    depth = fminf(depth, t);
  }
  if (what == NOTHING) return backdrop(firn_v3_unit(ray));
  float angle = 6.2831853f * firn_noise((uint32_t)at);
  float turn[2] = {cosf(angle), sinf(angle)};
  firn_v3 p = firn_v3_add(s->camera.eye, firn_v3_scale(depth, ray));
  switch (what) {
  case BODY: return shade_solid(s, p, body, turn, &share->solid);
  case SNOW: return shade_snow(s, p, s->seen.index[at], turn, &share->snow);
  case WALL: return shade_plane(s, p, normal, wall_color, firn_v3_unit(ray), turn, &share->wall);
  default: return shade_plane(s, p, normal, ground_color, firn_v3_unit(ray), turn, &share->ground);
  }
}

firn_v3 firn_stage_shade(const firn_stage *s, int x, int y) {
  enum { K = FIRN_PREVIEW_SUPERSAMPLING };
  firn_v3 sum = {0, 0, 0};
  shares share = {0};
  for (int i = 0; i < K * K; i++) {
    sum = firn_v3_add(sum, sample(s, x * K + i % K, y * K + i / K, &share));
  }
  return firn_v3_scale(1.0f / (K * K), sum);
}
