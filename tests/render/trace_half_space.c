// SPDX-License-Identifier: Apache-2.0
// labels: R6 R7
// Snow so deep that no light comes out below: Chandrasekhar's H function for isotropic scattering, and
// the colour that the paper's albedos give thick snow.
#include "render/trace_case.h"

static trace_result deep(firn_context *context, float depth, firn_medium medium, trace_sky sky,
                         int samples) {
  firn_volume *volume = trace_slab(context, 97, 7, depth, NULL);
  firn_light_table lights = {.user = &sky, .sky = trace_sky_at};
  firn_trace_def def = {.samples = samples, .seed = 21};
  trace_result r = trace_mean(context, volume, medium, &lights, def);
  firn_volume_free(volume);
  return r;
}

// The scalar path is the slow one.
static int samples_of(int isa) {
  return trace_isas[isa] == FIRN_ISA_SCALAR ? 40 : 200;
}

// At an albedo of 0.95 light dies off by e every 2.6 mean free paths, so 100 of them are no end.
static void isotropic_half_space_reflects_as_the_h_function_says(void **state) {
  (void)state;
  TRACE_FOR_ISAS(context) {
    trace_result r = deep(context, 100, trace_medium(0.9f, 0.95f, 0.95f, 0), (trace_sky){1, 0},
                          400);
    assert_near("albedo 0.90", r.mean[0], r.error[0], 0.4150, 1e-4);
    assert_near("albedo 0.95", r.mean[1], r.error[1], 0.5355, 1e-4);
  }
}

static void paper_half_space_is_blue(void **state) {
  (void)state;
  TRACE_FOR_ISAS(context) {
    trace_result r = deep(context, 200, trace_medium(0.9f, 0.95f, 0.95f, 0.5f), (trace_sky){1, 0},
                          400);
    assert_near("albedo 0.90", r.mean[0], r.error[0], 0.2777, 3e-4);
    assert_near("albedo 0.95", r.mean[1], r.error[1], 0.4041, 3e-4);
  }
}

// At an albedo of 1 all comes back in the end: what gets through depth d falls as
// 1 / ((1 - g) d + 1.42), so what is reflected goes to 1.
static void nothing_is_lost_in_deep_snow_that_absorbs_nothing(void **state) {
  (void)state;
  TRACE_FOR_ISAS(context) {
    const float depth[2] = {20, 80};
    trace_result t[2];
    for (int i = 0; i < 2; i++) {
      int samples = samples_of(isa_) / 4;
      t[i] = deep(context, depth[i], trace_medium(1, 1, 1, 0.5f), (trace_sky){0, 1}, samples);
      trace_result r = deep(context, depth[i], trace_medium(1, 1, 1, 0.5f), (trace_sky){1, 0},
                            samples);
      assert_true(fabs(r.mean[2] + t[i].mean[2] - 1) < 1e-6);
      assert_int_equal(r.stats.truncated, 0);
    }
    double law = (0.5 * 20 + 1.42) / (0.5 * 80 + 1.42), ratio = t[1].mean[2] / t[0].mean[2];
    double error = ratio * hypot(t[0].error[2] / t[0].mean[2], t[1].error[2] / t[1].mean[2]);
    assert_near("what is let through", ratio, error, law, 0.01 * law);
    assert_true(t[1].mean[2] < 0.06);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(isotropic_half_space_reflects_as_the_h_function_says),
      cmocka_unit_test(paper_half_space_is_blue),
      cmocka_unit_test(nothing_is_lost_in_deep_snow_that_absorbs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
