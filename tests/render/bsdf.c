// SPDX-License-Identifier: Apache-2.0
// Scattering at surfaces: energy, reciprocity, and samples that follow their density.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "render/bsdf.h"
#include "render/ray.h"

#define PI 3.14159265358979324
static const firn_v3 white = {1, 1, 1}, black = {0, 0, 0};

static void draw(int i, float u[3]) {
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  for (int k = 0; k < 3; k++) {
    double x = 0.5 + step[k] * (i + 1);
    u[k] = fminf((float)(x - floor(x)), 0x1.fffffep-1f);
  }
}

// Towards a surface with this normal, its cosine c.
static firn_v3 coming(firn_v3 normal, float c) {
  firn_v3 a, b;
  firn_axes_about(normal, &a, &b);
  return firn_v3_sub(firn_v3_scale(sqrtf(1 - c * c), a), firn_v3_scale(c, normal));
}

// What is reflected in all: by sampling, and by going over the hemisphere evenly; there also the
// integral of the density.
static void reflected(firn_v3 albedo, const firn_coat *coat, float c, double *sampled, double *seen,
                      double *density) {
  enum { N = 20000 };
  const firn_v3 n = firn_v3_unit((firn_v3){0.2f, 0.9f, -0.4f}), in = coming(n, c);
  firn_v3 a, b;
  firn_axes_about(n, &a, &b);
  *sampled = *seen = *density = 0;
  for (int i = 0; i < N; i++) {
    float u[3], pdf, again;
    firn_v3 out, weight, value;
    draw(i, u);
    if (firn_bsdf_sample(albedo, coat, n, in, u, &out, &weight, &pdf)) {
      assert_true(firn_v3_dot(out, n) > 0);
      assert_true(weight.x >= 0 && isfinite(weight.x) && pdf > 0);
      *sampled += (double)weight.y / N;
      firn_bsdf_eval(albedo, coat, n, in, out, &value, &again);
      // The direction went through floats: near a sharp peak that shows.
      if (!coat || coat->alpha > 0.05f) {
        assert_float_equal(again / pdf, 1, 2e-2);
        assert_float_equal(value.y, weight.y * pdf, 2e-2f * value.y + 1e-5f);
      }
    }
    float z = u[0], r = sqrtf(1 - z * z), phi = (float)(2 * PI) * u[1];
    out = firn_v3_add(firn_v3_scale(z, n), firn_v3_add(firn_v3_scale(r * cosf(phi), a),
                                                       firn_v3_scale(r * sinf(phi), b)));
    firn_bsdf_eval(albedo, coat, n, in, out, &value, &pdf);
    *seen += 2 * PI * (double)value.y / N;
    *density += 2 * PI * (double)pdf / N;
  }
}

static void a_white_base_reflects_all_light_whatever_its_coat(void **state) {
  (void)state;
  const float alphas[] = {0.01f, 0.1f, 0.3f, 1}, gloss[] = {0.04f, 0.5f};
  for (int n = 0; n < 8; n++) {
    firn_coat coat;
    firn_coat_fill(gloss[n % 2], alphas[n / 2], &coat);
    for (int k = 0; k < 5; k++) {
      const float c = 0.1f + 0.2f * (float)k;
      double sampled, seen, density;
      reflected(white, &coat, c, &sampled, &seen, &density);
      // The table of the coat is linear between 65 cosines: a part in 500 where it bends most. At
      // alpha 0.01 an even walk over the hemisphere does not find the peak.
      assert_float_equal(sampled, 1, 6e-3);
      if (coat.alpha >= 0.1f) {
        assert_float_equal(seen, 1, 1.5e-2);
        // Facets that reflect downwards are lost.
        assert_true(density < 1.01 && density > 0.7);
      }
    }
  }
}

static void no_more_comes_back_than_went_in(void **state) {
  (void)state;
  for (int i = 0; i < 12; i++) {
    firn_coat coat;
    firn_coat_fill((float)(i % 3) * 0.5f, 0.02f + 0.24f * (float)(i / 3), &coat);
    for (int k = 0; k < 7; k++) {
      const float c = 0.02f + 0.14f * (float)k;
      double sampled, seen, density;
      reflected(black, &coat, c, &sampled, &seen, &density);
      assert_true(sampled <= 1 + 1e-3);
      reflected((firn_v3){0.5f, 0.5f, 0.5f}, &coat, c, &sampled, &seen, &density);
      assert_true(sampled <= 1 + 5e-3); // two lobes: a little noise
    }
  }
}

static void a_bare_base_is_lambertian(void **state) {
  (void)state;
  const firn_v3 n = {0, 1, 0}, albedo = {0.3f, 0.6f, 0.9f}, in = {0.6f, -0.8f, 0};
  for (int i = 0; i < 100; i++) {
    float u[3], pdf;
    firn_v3 out, weight;
    draw(i, u);
    assert_true(firn_bsdf_sample(albedo, NULL, n, in, u, &out, &weight, &pdf));
    assert_float_equal(weight.x, 0.3f, 1e-6);
    assert_float_equal(weight.z, 0.9f, 1e-6);
    assert_float_equal(pdf, out.y / PI, 1e-5);
  }
}

static void light_may_go_either_way(void **state) {
  (void)state;
  firn_coat coat;
  firn_coat_fill(0.1f, 0.3f, &coat);
  const firn_v3 n = {0, 0, 1}, albedo = {0.7f, 0.7f, 0.7f};
  for (int i = 0; i < 200; i++) {
    float u[3], v[3], pdf;
    draw(2 * i, u);
    draw(2 * i + 1, v);
    firn_v3 a = firn_v3_unit((firn_v3){u[0] - 0.5f, u[1] - 0.5f, 0.05f + u[2]});
    firn_v3 b = firn_v3_unit((firn_v3){v[0] - 0.5f, v[1] - 0.5f, 0.05f + v[2]}), there, back;
    firn_bsdf_eval(albedo, &coat, n, firn_v3_scale(-1, a), b, &there, &pdf);
    firn_bsdf_eval(albedo, &coat, n, firn_v3_scale(-1, b), a, &back, &pdf);
    assert_float_equal(there.x / b.z, back.x / a.z, 1e-4f * back.x / a.z);
  }
}

static void a_smooth_coat_mirrors_as_fresnel_says(void **state) {
  (void)state;
  firn_coat coat;
  firn_coat_fill(0.04f, 0.005f, &coat);
  for (int k = 1; k <= 5; k++) {
    const float c = 0.2f * (float)k;
    double sampled, seen, density;
    reflected(black, &coat, c, &sampled, &seen, &density);
    double f = 0.04 + 0.96 * pow(1 - (double)c, 5);
    assert_float_equal(sampled, f, 0.01 * f + 1e-3);
  }
}

static void nothing_passes_through(void **state) {
  (void)state;
  firn_coat coat;
  firn_coat_fill(0.04f, 0.3f, &coat);
  firn_v3 value, in = {0, -0.6f, 0.8f}, n = {0, 1, 0};
  float pdf;
  firn_bsdf_eval(white, &coat, n, in, (firn_v3){0, -0.6f, 0.8f}, &value, &pdf);
  assert_true(value.x == 0 && pdf == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_white_base_reflects_all_light_whatever_its_coat),
      cmocka_unit_test(no_more_comes_back_than_went_in),
      cmocka_unit_test(a_bare_base_is_lambertian),
      cmocka_unit_test(light_may_go_either_way),
      cmocka_unit_test(a_smooth_coat_mirrors_as_fresnel_says),
      cmocka_unit_test(nothing_passes_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
