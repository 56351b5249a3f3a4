// SPDX-License-Identifier: Apache-2.0
// Lights: what is sampled agrees with what is seen, densities are densities, and the sky is one.
#include "cache/scratch.h"

#include <firn/render.h>

#include "render/lights.h"
#include "render/map.h"
#include "render/sky.h"

#define PI 3.14159265358979324
static const double nowhere[3] = {0, 0, 0};

static const firn_sun_def no_sun = {.direction = {0, 1, 0}, .strength = 0, .size = 0.0093};
static const firn_sky_def dark = {.kind = FIRN_SKY_PLAIN, .strength = 1, .turbidity = 2};

// A sequence that fills the unit cube evenly (additive recurrence): errors fall nearly like 1/n.
static void draw(int i, float u[3]) {
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  for (int k = 0; k < 3; k++) {
    double x = 0.5 + step[k] * (i + 1);
    u[k] = (float)(x - floor(x));
    if (u[k] >= 1) u[k] = 0;
  }
}

// Evenly over the sphere.
static firn_v3 around(int i) {
  double a = 0.5 + 0.7548776662466927 * (i + 1), b = 0.5 + 0.5698402909980532 * (i + 1);
  double y = 1 - 2 * (a - floor(a)), r = sqrt(fmax(0, 1 - y * y)), phi = 2 * PI * (b - floor(b));
  return (firn_v3){(float)(r * cos(phi)), (float)y, (float)(r * sin(phi))};
}

static firn_lights *make(scratch *s, const firn_sun_def *sun, const firn_sky_def *sky, int count,
                         const firn_lamp_def *lamps) {
  firn_lights *l = NULL;
  firn_status status = firn_lights_create(s->context, sun, sky, count, lamps, nowhere, &l);
  if (status) print_error("%s\n", firn_context_message(s->context));
  assert_int_equal(status, FIRN_OK);
  return l;
}

// Radiance that comes along a direction: of the lamp that is met, or from beyond.
static firn_v3 seen(const firn_lights *l, firn_v3 from, firn_v3 along) {
  firn_ray ray = {from, along, 0};
  float t;
  firn_v3 c;
  return firn_lights_hit(l, &ray, INFINITY, &t, &c) ? c : firn_lights_beyond(l, along);
}

// Sampling must agree with looking: sample by sample, and in the integral of radiance (with a cosine,
// so that directions matter) over all directions, known by going around evenly.
static void agree(const firn_lights *l, firn_v3 from, int samples, int looks, double tolerance) {
  double sampled = 0, looked = 0, density = 0;
  for (int i = 0; i < samples; i++) {
    float u[3];
    firn_light_sample x;
    draw(i, u);
    if (!firn_lights_sample(l, from, u, &x)) continue;
    assert_float_equal(firn_v3_dot(x.along, x.along), 1, 1e-5);
    assert_true(x.pdf > 0);
    firn_v3 c = seen(l, from, x.along);
    assert_float_equal(c.x, x.radiance.x, 1e-4f * fabsf(c.x) + 1e-7f);
    assert_float_equal(firn_lights_pdf(l, from, x.along, x.distance), x.pdf, 1e-4f * x.pdf);
    sampled += (double)(x.radiance.y / x.pdf * (1 + 0.5f * x.along.x)) / samples;
  }
  for (int i = 0; i < looks; i++) {
    firn_v3 d = around(i);
    looked += 4 * PI * (double)(seen(l, from, d).y * (1 + 0.5f * d.x)) / looks;
    density += 4 * PI * (double)firn_lights_pdf(l, from, d, INFINITY) / looks;
  }
  if (fabs(density - 1) > tolerance || fabs(sampled - looked) > tolerance * looked) {
    print_error("density %g, sampled %g, looked %g\n", density, sampled, looked);
  }
  assert_float_equal(density, 1, tolerance);
  assert_float_equal(sampled / looked, 1, tolerance);
}

static void a_plain_sky_of_1_is_1_everywhere_and_in_every_sample(void **state) {
  scratch *s = *state;
  firn_sky_def sky = dark;
  for (int k = 0; k < 3; k++) sky.color[k] = 1;
  firn_lights *l = make(s, &no_sun, &sky, 0, NULL);
  double mean = 0;
  for (int i = 0; i < 1000; i++) {
    firn_light_sample x;
    float u[3];
    draw(i, u);
    assert_true(firn_lights_sample(l, (firn_v3){1, 2, 3}, u, &x));
    assert_true(x.radiance.x == 1 && x.radiance.y == 1 && x.radiance.z == 1);
    assert_true(x.distance == INFINITY);
    mean += (double)(x.radiance.x / x.pdf) / 1000;
    firn_v3 c = firn_lights_beyond(l, around(i));
    assert_true(c.x == 1 && c.y == 1 && c.z == 1);
  }
  assert_float_equal(mean, 4 * PI, 1e-5);
  firn_lights_free(l);
}

static void the_suns_irradiance_does_not_depend_on_its_size(void **state) {
  scratch *s = *state;
  firn_air *air;
  assert_int_equal(firn_air_create(s->context, 2, &air), FIRN_OK);
  const double up[3] = {0, 1, 0};
  double expected = (double)firn_air_sun(air, up).y;
  firn_air_free(s->context, air);
  assert_in_range(expected * 1000, 3500, 5000); // 5 above the air, of which some gets lost
  const double sizes[] = {0.0093, 0.1, 1};
  for (int k = 0; k < 3; k++) {
    firn_sun_def sun = {.direction = {0, 3, 0}, .strength = 1, .size = sizes[k]};
    firn_lights *l = make(s, &sun, &dark, 0, NULL);
    double irradiance = 0;
    for (int i = 0; i < 4096; i++) {
      firn_light_sample x;
      float u[3];
      draw(i, u);
      assert_true(firn_lights_sample(l, (firn_v3){0, 0, 0}, u, &x));
      assert_true(acos(fmin(1, (double)x.along.y)) < 0.5 * sizes[k] * (1 + 1e-3) + 4e-4);
      irradiance += (double)(x.radiance.y * x.along.y / x.pdf) / 4096;
    }
    // 2e-4: what the hair at the rim takes away, and the sequence
    assert_float_equal(irradiance / expected, 1, 5e-4);
    // The disc ends where it should.
    double r = 0.5 * sizes[k];
    firn_v3 in = {(float)sin(0.98 * r), (float)cos(0.98 * r), 0};
    firn_v3 out = {0, (float)cos(1.02 * r), (float)sin(1.02 * r)};
    assert_true(firn_lights_beyond(l, in).y > 0);
    assert_true(firn_lights_beyond(l, out).y == 0);
    firn_lights_free(l);
  }
}

static void sampling_agrees_with_looking_for_sun_sky_and_lamps(void **state) {
  scratch *s = *state;
  firn_sun_def sun = {.direction = {0.5, 0.4, -0.2},
                      .strength = 0.02,
                      .size = 0.5}; // large enough to be found by looking
  firn_sky_def sky = {.kind = FIRN_SKY_MODEL, .strength = 1, .turbidity = 2};
  firn_lamp_def lamps[2] = {
      {.kind = FIRN_LAMP_RECTANGLE,
       .center = {0, 2, 0},
       .edge = {{0, 0, 1.5}, {2, 0, 0}}, // shines up
       .radiance = {1, 2, 3}},
      {.kind = FIRN_LAMP_SPHERE, .center = {-2, 0.5, 0}, .radius = 0.9, .radiance = {3, 1, 0.5}}};
  firn_lights *l = make(s, &sun, &sky, 2, lamps);
  agree(l, (firn_v3){0.3f, 0, 0.1f}, 80000, 80000, 0.01);   // behind the rectangle
  agree(l, (firn_v3){0.3f, 3, 0.1f}, 80000, 80000, 0.01);   // before it
  agree(l, (firn_v3){-1.05f, 0.4f, 0}, 80000, 80000, 0.01); // close to the sphere
  agree(l, (firn_v3){-2, 0.5f, 0.2f}, 80000, 80000, 0.01);  // within it: it is not there
  firn_lights_free(l);
  // The rectangle turned round shines down, and hides the sky above it.
  for (int k = 0; k < 3; k++) lamps[0].edge[0][k] = -lamps[0].edge[0][k];
  l = make(s, &sun, &sky, 2, lamps);
  agree(l, (firn_v3){0.3f, 0, 0.1f}, 80000, 80000, 0.01);
  firn_ray up = {{0, 0, 0}, {0, 1, 0}, 0};
  float t;
  firn_v3 c;
  assert_true(firn_lights_hit(l, &up, INFINITY, &t, &c));
  assert_float_equal(t, 2, 1e-6);
  assert_float_equal(c.z, 3, 0);
  assert_false(firn_lights_hit(l, &up, 1.9f, &t, &c));
  firn_lights_free(l);
}

static void a_rectangle_gives_its_solid_angle_and_a_sphere_its_irradiance(void **state) {
  scratch *s = *state;
  firn_lamp_def lamp = {.kind = FIRN_LAMP_RECTANGLE, .radiance = {1, 1, 1}};
  // Seen from height h under its middle a square of side 2a fills 4 asin(a^2 / (a^2 + h^2)) sr.
  const double heights[] = {0.01, 1, 30, 2000}; // the last one is drawn by area
  for (int n = 0; n < 4; n++) {
    double h = heights[n], exact = 4 * asin(1 / (1 + h * h)), mean = 0;
    lamp.center[1] = h;
    lamp.edge[0][0] = lamp.edge[1][2] = 2; // x cross z = -y: downwards
    firn_lights *l = make(s, &no_sun, &dark, 1, &lamp);
    for (int i = 0; i < 1000; i++) {
      firn_light_sample x;
      float u[3];
      draw(i, u);
      assert_true(firn_lights_sample(l, (firn_v3){0, 0, 0}, u, &x));
      assert_float_equal(x.distance * x.along.y / h, 1, 1e-5);
      mean += (double)(x.radiance.x / x.pdf) / 1000;
    }
    assert_float_equal(mean / exact, 1, 1e-4);
    firn_lights_free(l);
  }
  // A sphere of radius r at distance d gives pi L (r / d)^2 on a square to it.
  lamp = (firn_lamp_def){
      .kind = FIRN_LAMP_SPHERE, .center = {0, 0, -5}, .radius = 2, .radiance = {1, 1, 1}};
  firn_lights *l = make(s, &no_sun, &dark, 1, &lamp);
  double mean = 0;
  for (int i = 0; i < 4096; i++) {
    firn_light_sample x;
    float u[3];
    draw(i, u);
    if (firn_lights_sample(l, (firn_v3){0, 0, 0}, u, &x)) {
      mean += (double)(x.radiance.x / x.pdf * -x.along.z) / 4096;
    }
  }
  assert_float_equal(mean / (PI * 4.0 / 25), 1, 1e-3);
  firn_lights_free(l);
}

static void the_sky_is_blue_brighter_low_down_and_red_where_the_sun_sets(void **state) {
  scratch *s = *state;
  firn_air *air;
  firn_map high, low;
  const double a = 60 * PI / 180, b = 3 * PI / 180;
  const double noon[3] = {0, sin(a), -cos(a)}, dusk[3] = {0, sin(b), -cos(b)};
  assert_int_equal(firn_air_create(s->context, 2, &air), FIRN_OK);
  assert_int_equal(firn_air_sky(s->context, air, noon, &high), FIRN_OK);
  assert_int_equal(firn_air_sky(s->context, air, dusk, &low), FIRN_OK);
  const firn_v3 zenith = {0, 1, 0}, away = {0, 0.05f, 1}, near = {0, 0.05f, -1};
  firn_v3 top = firn_map_radiance(&high, zenith), side = firn_map_radiance(&high, away);
  assert_true(top.z > 1.5f * top.x);            // blue
  assert_true(side.y > 1.5f * top.y);           // more air that way
  assert_true(side.z / side.x < top.z / top.x); // and whiter
  firn_v3 sun = firn_air_sun(air, noon), red = firn_air_sun(air, dusk);
  assert_true(sun.x < 1.6f * sun.z && sun.x > sun.z);
  assert_true(red.x > 4 * red.z);
  assert_true(red.y < 0.5f * sun.y);
  firn_v3 glow = firn_map_radiance(&low, near), dome = firn_map_radiance(&low, zenith);
  assert_true(glow.x > glow.z);
  assert_true(dome.z > dome.x);
  // Both halves alike.
  firn_v3 left = firn_map_radiance(&low, (firn_v3){-0.6f, 0.2f, -0.77f});
  firn_v3 right = firn_map_radiance(&low, (firn_v3){0.6f, 0.2f, -0.77f});
  assert_float_equal(left.x, right.x, 1e-4f * left.x);
  // Below the horizon the sun is gone, and night falls.
  const double night[3] = {0, sin(-0.3), -cos(0.3)};
  assert_true(firn_air_sun(air, night).x == 0);
  firn_map_free(s->context, &high);
  assert_int_equal(firn_air_sky(s->context, air, night, &high), FIRN_OK);
  assert_true(firn_map_radiance(&high, zenith).y < 1e-3f * dome.y);
  firn_map_free(s->context, &high);
  firn_map_free(s->context, &low);
  firn_air_free(s->context, air);
}

static void haze_thins_the_sun_and_molecules_scatter_least_sideways(void **state) {
  scratch *s = *state;
  const double up[3] = {0, 1, 0}, r = sqrt(0.5), half[3] = {0, r, -r};
  double sun[2];
  for (int k = 0; k < 2; k++) {
    firn_air *air;
    assert_int_equal(firn_air_create(s->context, 2 + k, &air), FIRN_OK);
    sun[k] = (double)firn_air_sun(air, up).y;
    firn_air_free(s->context, air);
  }
  // One more is an optical thickness of 0.05, of which 8 % lie below the 100 m of the eye.
  assert_float_equal(sun[1] / sun[0], exp(-0.05 * exp(-100 / 1200.0)), 2e-3);
  // Without haze: 60 and 90 degrees from the sun at the same height Rayleigh's 1 + cos^2 gives 1.25,
  // of which the light scattered more often takes some away.
  firn_air *air;
  firn_map sky;
  assert_int_equal(firn_air_create(s->context, 1, &air), FIRN_OK);
  assert_int_equal(firn_air_sky(s->context, air, half, &sky), FIRN_OK);
  float ratio = firn_map_radiance(&sky, (firn_v3){(float)r, (float)r, 0}).y /
                firn_map_radiance(&sky, (firn_v3){0, (float)r, (float)r}).y;
  assert_true(ratio > 1.05f && ratio < 1.25f);
  firn_map_free(s->context, &sky);
  firn_air_free(s->context, air);
}

// What paths use that aim at sun, sky and the rest one by one must add up to the whole.
static void the_parts_are_those_of_the_whole(void **state) {
  scratch *s = *state;
  firn_sun_def sun = {.direction = {0.5, 0.4, -0.2}, .strength = 0.7, .size = 0.3};
  firn_sky_def sky = {.kind = FIRN_SKY_MODEL, .strength = 1, .turbidity = 2};
  firn_lamp_def lamps[2] = {
      {.kind = FIRN_LAMP_SPHERE, .center = {-2, 0.5, 0}, .radius = 0.9, .radiance = {3, 1, 0.5}},
      {.kind = FIRN_LAMP_SPHERE, .center = {0, 2, 0}, .radius = 0.8, .radiance = {0, 5, 0}}};
  firn_lights *l = make(s, &sun, &sky, 2, lamps);
  firn_sunlight disc;
  assert_true(firn_lights_sun(l, &disc));
  assert_float_equal(disc.open, 1 - cos(0.15), 1e-5);
  const firn_v3 from = {0.2f, 0.1f, 0.3f};
  double density = 0, sampled = 0, looked = 0;
  enum { N = 60000 };
  for (int i = 0; i < N; i++) {
    firn_v3 d = around(i), whole = firn_lights_beyond(l, d), part = firn_lights_sky(l, d);
    float c = firn_v3_dot(d, disc.along);
    if (fabsf(1 - c - disc.open) > 1e-4f) {
      float more = 1 - c < disc.open ? disc.radiance.y : 0;
      assert_float_equal(whole.y, part.y + more, 1e-5f * whole.y);
    }
    firn_ray ray = {from, d, 0};
    float t, u[3];
    firn_v3 lamp;
    if (firn_lights_hit(l, &ray, INFINITY, &t, &lamp)) looked += 4 * PI * (double)lamp.y / N;
    density += 4 * PI * (double)firn_lights_aim_pdf(l, from, d) / N;
    firn_light_sample x;
    draw(i, u);
    assert_true(firn_lights_aim(l, from, u, &x)); // at lamps only
    assert_true(x.distance < INFINITY);
    sampled += (double)(x.radiance.y / x.pdf) / N;
  }
  assert_float_equal(density, 1, 0.01);
  assert_float_equal(sampled / looked, 1, 0.01);
  firn_lights_free(l);
  l = make(s, &no_sun, &sky, 0, NULL); // nothing to aim at
  firn_light_sample x;
  assert_false(firn_lights_aim(l, from, (const float[3]){0.5f, 0.5f, 0.5f}, &x));
  assert_false(firn_lights_sun(l, &disc));
  assert_true(firn_lights_aim_pdf(l, from, (firn_v3){0, 1, 0}) == 0);
  firn_lights_free(l);
}

// A map of 4 x 2 pixels, bright at one of the upper ones, three times as strong, and a lamp: both can
// be aimed at, and what is seen is what the file says, times the strength.
static void maps_are_aimed_at_and_as_strong_as_said(void **state) {
  scratch *s = *state;
  static const char head[] = "#?RADIANCE\n\n-Y 2 +X 4\n";
  unsigned char file[64], dim[4] = {63, 63, 63, 129}, bright[4] = {127, 127, 127, 132};
  size_t n = sizeof head - 1;
  memcpy(file, head, n);
  for (int i = 0; i < 8; i++, n += 4) memcpy(file + n, i == 1 ? bright : dim, 4);
  const char *path = scratch_path(s, "sky.hdr");
  assert_int_equal(firn_file_put(s->context, path, file, n), FIRN_OK);
  firn_sky_def sky = {.kind = FIRN_SKY_MAP, .map = path, .strength = 3, .turbidity = 2};
  firn_lamp_def lamp = {
      .kind = FIRN_LAMP_SPHERE, .center = {-2, 0.5, 0}, .radius = 0.9, .radiance = {30, 10, 5}};
  firn_lights *l = make(s, &no_sun, &sky, 1, &lamp);
  // Pixel 1 of the upper row has its middle at -45 degrees from the middle, -z, and 45 up.
  const firn_v3 there = {-0.5f, 0.70710678f, -0.5f};
  assert_float_equal(firn_lights_sky(l, there).y, 3 * 127.5 / 16, 1e-3);
  assert_float_equal(firn_lights_beyond(l, there).y, 3 * 127.5 / 16, 1e-3);
  const firn_v3 from = {0.2f, 0.1f, 0.3f};
  agree(l, from, 80000, 80000, 0.01);
  double density = 0, sampled = 0, looked = 0;
  enum { N = 80000 };
  for (int i = 0; i < N; i++) {
    firn_v3 d = around(i);
    density += 4 * PI * (double)firn_lights_aim_pdf(l, from, d) / N;
    looked += 4 * PI * (double)seen(l, from, d).y / N;
    firn_light_sample x;
    float u[3];
    draw(i, u);
    if (!firn_lights_aim(l, from, u, &x)) continue;
    assert_float_equal(x.pdf, firn_lights_aim_pdf(l, from, x.along), 1e-4f * x.pdf);
    sampled += (double)(x.radiance.y / x.pdf) / N;
  }
  assert_float_equal(density, 1, 0.01);
  assert_float_equal(sampled / looked, 1, 0.01);
  firn_lights_free(l);
}

// From behind a rectangle and from within a sphere there is no lamp. Places are from the origin.
static void lamps_shine_to_one_side(void **state) {
  scratch *s = *state;
  const double origin[3] = {100, 0, 0};
  firn_lamp_def lamps[2] = {
      {.kind = FIRN_LAMP_RECTANGLE,
       .center = {100, 2, 0},
       .edge = {{0, 0, 1}, {1, 0, 0}}, // shines up
       .radiance = {1, 1, 1}},
      {.kind = FIRN_LAMP_SPHERE, .center = {105, 0, 0}, .radius = 0.5, .radiance = {2, 2, 2}}};
  firn_lights *l = NULL;
  assert_int_equal(firn_lights_create(s->context, &no_sun, &dark, 2, lamps, origin, &l), FIRN_OK);
  const struct {
    firn_v3 from, along;
    float t; // infinity: not met
  } cases[] = {{{0, 0, 0}, {0, 1, 0}, INFINITY}, {{0, 3, 0}, {0, -1, 0}, 1},
               {{0, 3, 0}, {0, 1, 0}, INFINITY}, {{0.6f, 3, 0}, {0, -1, 0}, INFINITY},
               {{0, 0, 0}, {1, 0, 0}, 4.5f},     {{5, 0.2f, 0}, {1, 0, 0}, INFINITY},
               {{6, 0, 0}, {1, 0, 0}, INFINITY}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    firn_ray ray = {cases[i].from, cases[i].along, 0};
    firn_v3 c;
    float t = INFINITY;
    bool met = firn_lights_hit(l, &ray, INFINITY, &t, &c);
    if (met != (cases[i].t < INFINITY) || (met && fabsf(t - cases[i].t) > 1e-5f))
      fail_msg("ray %zu: met at %g, not %g", i, (double)t, (double)cases[i].t);
  }
  firn_lights_free(l);
}

// A square metre, turned by 60 degrees, from 1 km away: cos(60) 1 m2 / d2.
static void a_far_rectangle_seen_aslant_has_its_solid_angle(void **state) {
  scratch *s = *state;
  firn_lamp_def lamp = {.kind = FIRN_LAMP_RECTANGLE,
                        .center = {0, 0, -1000},
                        .edge = {{0.5, 0, sqrt(0.75)}, {0, 1, 0}},
                        .radiance = {1, 1, 1}};
  for (int k = 0; k < 2; k++) {
    firn_lights *l = make(s, &no_sun, &dark, 1, &lamp);
    double mean = 0;
    int drawn = 0;
    for (int i = 0; i < 1000; i++) {
      firn_light_sample x;
      float u[3];
      draw(i, u);
      if (!firn_lights_sample(l, (firn_v3){0, 0, 0}, u, &x)) continue;
      mean += (double)(x.radiance.x / x.pdf) / 1000;
      drawn++;
    }
    firn_lights_free(l);
    // edge[0] x edge[1] points to (-sqrt 3/2, 0, 1/2), so towards the eye, and away when turned.
    assert_true(k ? drawn == 0 : drawn > 990);
    if (!k)
      assert_float_equal(mean * 1e6, 0.5, 0.5 * 0.012); // 1 %: rays that rounding sends past it
    for (int a = 0; a < 3; a++) lamp.edge[0][a] = -lamp.edge[0][a];
  }
}

static void bad_settings_are_named(void **state) {
  scratch *s = *state;
  firn_lights *l;
  firn_sky_def model = {.kind = FIRN_SKY_MODEL, .strength = 1, .turbidity = 0.5}, map = dark;
  map.kind = FIRN_SKY_MAP;
  firn_sun_def sun = {.direction = {0, 0, 0}, .strength = 1, .size = 0.0093};
  firn_lamp_def lamp = {.kind = FIRN_LAMP_RECTANGLE, .edge = {{1, 0, 0}, {1, 1, 0}}};
  firn_lamp_def huge = {.kind = FIRN_LAMP_SPHERE, .radius = 1e20, .radiance = {1, 1, 1}};
  firn_lamp_def glare = {
      .kind = FIRN_LAMP_RECTANGLE, .edge = {{1, 0, 0}, {0, 1, 0}}, .radiance = {1e39, 0, 0}};
  firn_sky_def bright = dark;
  bright.color[1] = 1e38;
  firn_sun_def star = {.direction = {0, 1, 0}, .strength = 1e36, .size = 0.0093};
  const struct {
    const firn_sun_def *sun;
    const firn_sky_def *sky;
    const firn_lamp_def *lamp;
    const char *word;
  } cases[] = {{&no_sun, &model, NULL, "turbidity"},
               {&sun, &dark, NULL, "direction"},
               {&no_sun, &map, NULL, "map"},
               {&no_sun, &dark, &lamp, "45 degrees"},
               {&no_sun, &dark, &huge, "lamp 0: radiance times area"},
               {&no_sun, &dark, &glare, "lamp 0: radiance times area"},
               {&no_sun, &bright, NULL, "brighter than floats"},
               {&star, &dark, NULL, "strength 1e+36"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(firn_lights_create(s->context, cases[i].sun, cases[i].sky,
                                        cases[i].lamp != NULL, cases[i].lamp, nowhere, &l),
                     FIRN_ERROR_ARGUMENT);
    assert_message(s, cases[i].word);
    assert_null(l);
  }
}

static void without_any_light_nothing_is_sampled(void **state) {
  scratch *s = *state;
  firn_lights *l = make(s, &no_sun, &dark, 0, NULL);
  firn_light_sample x;
  const float u[3] = {0.5f, 0.5f, 0.5f};
  assert_false(firn_lights_sample(l, (firn_v3){0, 0, 0}, u, &x));
  assert_true(firn_lights_pdf(l, (firn_v3){0, 0, 0}, (firn_v3){0, 1, 0}, INFINITY) == 0);
  firn_lights_free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_plain_sky_of_1_is_1_everywhere_and_in_every_sample,
                                      scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(the_suns_irradiance_does_not_depend_on_its_size, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(sampling_agrees_with_looking_for_sun_sky_and_lamps,
                                      scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(a_rectangle_gives_its_solid_angle_and_a_sphere_its_irradiance,
                                      scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(the_sky_is_blue_brighter_low_down_and_red_where_the_sun_sets,
                                      scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(haze_thins_the_sun_and_molecules_scatter_least_sideways,
                                      scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(the_parts_are_those_of_the_whole, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(maps_are_aimed_at_and_as_strong_as_said, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(lamps_shine_to_one_side, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(a_far_rectangle_seen_aslant_has_its_solid_angle, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(bad_settings_are_named, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(without_any_light_nothing_is_sampled, scratch_open,
                                      scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
