// SPDX-License-Identifier: Apache-2.0
// labels: R4 R5
// Slabs of optical depth 2 against solutions of the transfer equation (van de Hulst 1980, and discrete
// ordinates to 3e-4).
#include "render/trace_case.h"

typedef struct slab_case {
  firn_medium medium;
  double reflects[3], passes[3], uncertain;
} slab_case;

static void check(firn_context *context, const slab_case *c, int samples) {
  firn_volume *volume = trace_slab(context, 65, 1, 2, NULL);
  firn_trace_def def = {.samples = samples, .seed = 11};
  trace_sky above = {1, 0}, below = {0, 1};
  firn_light_table lights = {.user = &above, .sky = trace_sky_at};
  trace_result r = trace_mean(context, volume, c->medium, &lights, def);
  lights.user = &below;
  trace_result t = trace_mean(context, volume, c->medium, &lights, def);
  for (int k = 0; k < 3; k++) {
    assert_near("reflectance", r.mean[k], r.error[k], c->reflects[k], c->uncertain);
    assert_near("transmittance", t.mean[k], t.error[k], c->passes[k], c->uncertain);
    assert_true(r.error[k] < 3e-3);
  }
  firn_volume_free(volume);
}

static void forward_scattering_slab_is_van_de_hulsts(void **state) {
  (void)state;
  const slab_case c = {trace_medium(0.9f, 0.9f, 0.9f, 0.75f),
                       {0.09739, 0.09739, 0.09739},
                       {0.66096, 0.66096, 0.66096},
                       1e-5};
  TRACE_FOR_ISAS(context) {
    check(context, &c, trace_isas[isa_] == FIRN_ISA_SCALAR ? 150 : 400);
  }
}

// The paper's albedos at once: one path serves all three.
static void slab_with_the_papers_medium_is_right_in_every_channel(void **state) {
  (void)state;
  const slab_case c = {trace_medium(0.9f, 0.95f, 1.0f, 0.5f),
                       {0.2046, 0.2540, 0.3201},
                       {0.5231, 0.5919, 0.6799},
                       3e-4};
  TRACE_FOR_ISAS(context) {
    check(context, &c, trace_isas[isa_] == FIRN_ISA_SCALAR ? 150 : 400);
  }
}

// Blocks, voxels and where density rises do not matter, only optical depth.
static void slab_of_many_layers_is_the_same_slab(void **state) {
  (void)state;
  const float column[9] = {0.02f, 0.2f, 0.01f, 0.3f, 0.0f, 0.05f, 0.15f, 0.25f, 0.02f};
  TRACE_FOR_ISAS(context) {
    firn_volume *volume = trace_slab(context, 257, 9, 2, column);
    firn_trace_def def = {.samples = 100, .seed = 12};
    trace_sky above = {1, 0};
    firn_light_table lights = {.user = &above, .sky = trace_sky_at};
    trace_result r = trace_mean(context, volume, trace_medium(0.9f, 0.95f, 1.0f, 0.5f), &lights,
                                def);
    const double reflects[3] = {0.2046, 0.2540, 0.3201};
    for (int k = 0; k < 3; k++)
      assert_near("reflectance", r.mean[k], r.error[k], reflects[k], 3e-4);
    firn_volume_free(volume);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_scattering_slab_is_van_de_hulsts),
      cmocka_unit_test(slab_with_the_papers_medium_is_right_in_every_channel),
      cmocka_unit_test(slab_of_many_layers_is_the_same_slab),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
