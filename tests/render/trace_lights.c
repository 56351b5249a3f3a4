// SPDX-License-Identifier: Apache-2.0
// Light that is aimed at: the sun and others give what paths that find them by chance get, and single
// scattering what its integral says.
#include "render/trace_case.h"

// A disc of the sky about a direction, as sun, as lights to aim at, or as a mere part of the sky.
typedef struct disc_sky {
  firn_v3 along;
  float open; // 1 - cosine of its radius
  float radiance;
  float rest; // radiance of the sky elsewhere
} disc_sky;

static bool in_disc(const disc_sky *d, firn_v3 along) {
  return firn_v3_dot(along, d->along) >= 1 - d->open;
}
static firn_v3 grey(float l) {
  return (firn_v3){l, l, l};
}
static firn_v3 sky_rest(const void *user, firn_v3 along) {
  (void)along;
  return grey(((const disc_sky *)user)->rest);
}
static firn_v3 sky_all(const void *user, firn_v3 along) {
  const disc_sky *d = user;
  return grey(d->rest + (in_disc(d, along) ? d->radiance : 0));
}
static bool sun_of(const void *user, firn_sunlight *out) {
  const disc_sky *d = user;
  *out = (firn_sunlight){d->along, d->open, grey(d->radiance)};
  return true;
}
static float pdf_of(const void *user, firn_v3 from, firn_v3 along) {
  const disc_sky *d = user;
  (void)from;
  return in_disc(d, along) ? 1 / (6.28318531f * d->open) : 0;
}
static bool sample_of(const void *user, firn_v3 from, const float u[3], firn_light_sample *out) {
  const disc_sky *d = user;
  firn_v3 a, b;
  firn_axes_about(d->along, &a, &b);
  float open = 0.9999f * d->open * u[0], c = 1 - open, s = sqrtf(open * (2 - open));
  float x = s * cosf(6.28318531f * u[1]), y = s * sinf(6.28318531f * u[1]);
  out->along = firn_v3_add(firn_v3_scale(c, d->along),
                           firn_v3_add(firn_v3_scale(x, a), firn_v3_scale(y, b)));
  out->distance = INFINITY;
  out->radiance = grey(d->rest + d->radiance);
  out->pdf = pdf_of(user, from, out->along);
  return true;
}

// A slab of optical depth 3 under a sky whose disc of 40 degrees is ten times as bright.
static void the_sun_aimed_at_gives_what_chance_gives(void **state) {
  (void)state;
  const disc_sky disc = {firn_v3_unit((firn_v3){1, 0.5f, 2}), 0.234f, 10, 0.5f};
  const firn_light_table chance = {.user = &disc, .sky = sky_all},
                         sun = {.user = &disc, .sky = sky_rest, .sun = sun_of},
                         lights = {
                             .user = &disc, .sky = sky_all, .sample = sample_of, .pdf = pdf_of};
  firn_medium medium = trace_medium(0.9f, 0.99f, 1, 0.5f);
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = trace_slab(context, 97, 7, 3, NULL);
    int samples = trace_isas[isa_] == FIRN_ISA_SCALAR ? 60 : 200;
    for (int bounces = 0; bounces < 6; bounces += 5) {
      firn_trace_def def = {.samples = samples, .seed = 41, .bounces = bounces};
      trace_result a = trace_mean(context, volume, medium, &chance, def);
      trace_result b = trace_mean(context, volume, medium, &sun, def);
      trace_result c = trace_mean(context, volume, medium, &lights, def);
      for (int k = 0; k < 3; k++) {
        assert_near("sun", b.mean[k], hypot(a.error[k], b.error[k]), a.mean[k], 0);
        assert_near("other lights", c.mean[k], hypot(a.error[k], c.error[k]), a.mean[k], 0);
        assert_true(b.error[k] < a.error[k]); // or there would be no point in it
      }
    }
    firn_volume_free(volume);
  }
}

// Whether a lamp shines on snow does not hang on whether it shines on the corner of the snow's box. The
// lamp is a square of 40 x 40 m above the middle of the slab, facing along x: the corner of the box is
// behind it, and the camera looks at the slab 20 m before it. With g = 0 and next to no depth,
// L = tau / (4 pi) times radiance times the lamp's solid angle.
static void a_lamp_that_does_not_see_the_corner_of_the_snow_shines(void **state) {
  (void)state;
  const firn_sun_def sun = {.direction = {0, 0, 1}, .strength = 0, .size = 0.01};
  const firn_sky_def sky = {.kind = FIRN_SKY_PLAIN};
  const firn_lamp_def lamp = {.kind = FIRN_LAMP_RECTANGLE,
                              .center = {0, 0, 30},
                              .edge = {{0, 40, 0}, {0, 0, 40}}, // x is its front
                              .radiance = {3, 3, 3}};
  const double origin[3] = {0, 0, 0}, tau = 0.01, x = 20, y = 20, low = 10, high = 50;
  // Solid angle of the lamp: corners above, less those below.
  double wide = 2 * (atan(y * high / (x * sqrt(x * x + y * y + high * high))) -
                     atan(y * low / (x * sqrt(x * x + y * y + low * low))));
  double expected = 3 * wide * tau / (4 * 3.14159265358979);
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  firn_lights *lights = NULL;
  assert_int_equal(firn_lights_create(context, &sun, &sky, 1, &lamp, origin, &lights), FIRN_OK);
  firn_volume *volume = trace_slab(context, 97, 1, (float)tau, NULL);
  firn_camera camera = trace_camera(16, 16);
  camera.open.eye.x = camera.shut.eye.x = (float)x;
  firn_studio studio = {
      .volume = volume, .medium = trace_medium(1, 1, 1, 0), .lights = lights, .camera = &camera};
  firn_film film;
  firn_trace_def def = {.samples = 1000, .seed = 44, .bounces = 1};
  assert_int_equal(firn_film_create(context, 16, 16, false, &film), FIRN_OK);
  assert_int_equal(firn_trace(context, &studio, &def, &film, NULL), FIRN_OK);
  double mean = 0, error = 0;
  for (int i = 0; i < 256; i++) {
    mean += (double)film.light[i].y / 256;
    error += (double)film.variance[i].y;
  }
  // Weakened by less than tau times the way across, which is slanted; a node's height is 1 m of 10.
  assert_near("one lamp", mean, sqrt(error) / 256, expected, 0.05 * expected);
  firn_film_free(context, &film);
  firn_volume_free(volume);
  firn_lights_free(lights);
  firn_context_destroy(context);
}

// One event in a slab of depth d, sun at cosine m above it, eye straight above:
//   L = E albedo p(-m) (1 - exp(-d (1 + 1/m))) / (1 + 1/m), E being the irradiance across the beam.
static void single_scattering_of_a_small_sun_is_its_integral(void **state) {
  (void)state;
  const double m = 0.6, depth = 1.5, albedo = 0.8, g = 0.5;
  const disc_sky disc = {{0.8f, 0, 0.6f}, 1e-5f, 1e4f, 0};
  const firn_light_table sun = {.user = &disc, .sky = sky_rest, .sun = sun_of};
  double beam = 1e4 * 2 * 3.14159265358979 * 1e-5;
  double d = 1 + g * g + 2 * g * m, phase = (1 - g * g) / (4 * 3.14159265358979 * d * sqrt(d));
  double expected = beam * albedo * phase * (1 - exp(-depth * (1 + 1 / m))) / (1 + 1 / m);
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = trace_slab(context, 97, 7, (float)depth, NULL);
    firn_trace_def def = {.samples = 100, .seed = 42, .bounces = 1};
    float a = (float)albedo;
    trace_result r = trace_mean(context, volume, trace_medium(a, a, a, (float)g), &sun, def);
    assert_near("one event", r.mean[1], r.error[1], expected, 1e-4 * expected);
    assert_true(r.stats.truncated > 0);
    firn_volume_free(volume);
  }
}

// Similarity theory: isotropic events instead of more that go forwards. For a deep slab the error is
// small; with absorption as strong as the paper's it is seen but small. It must also be quicker.
static void a_thinned_medium_looks_nearly_the_same(void **state) {
  (void)state;
  trace_sky above = {1, 0};
  const firn_light_table lights = {.user = &above, .sky = trace_sky_at};
  firn_context *context = trace_context(FIRN_ISA_AUTO, 2);
  firn_volume *volume = trace_slab(context, 97, 7, 60, NULL);
  firn_medium medium = trace_medium(0.99f, 0.999f, 0.9999f, 0.5f);
  firn_trace_def def = {.samples = 200, .seed = 43};
  trace_result exact = trace_mean(context, volume, medium, &lights, def);
  medium.similarity = 10;
  trace_result thin = trace_mean(context, volume, medium, &lights, def);
  assert_true((double)thin.stats.events < 0.75 * (double)exact.stats.events);
  for (int k = 0; k < 3; k++) {
    printf("    reflectance %.4f exact, %.4f thinned after 10 events (+-%.4f)\n", exact.mean[k],
           thin.mean[k], exact.error[k]);
    assert_near("thinned", thin.mean[k], hypot(thin.error[k], exact.error[k]), exact.mean[k],
                0.005);
  }
  firn_volume_free(volume);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sun_aimed_at_gives_what_chance_gives),
      cmocka_unit_test(a_lamp_that_does_not_see_the_corner_of_the_snow_shines),
      cmocka_unit_test(single_scattering_of_a_small_sun_is_its_integral),
      cmocka_unit_test(a_thinned_medium_looks_nearly_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
