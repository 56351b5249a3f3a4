// SPDX-License-Identifier: Apache-2.0
// labels: X1 X2
// timeout: 120
// The same bytes at any number of threads, and after a restart.
#include "cache/scratch.h"

#include "support/flip_case.h"
#include "support/snapshot.h"

// A column of water, or of snow, that breaks against a ball that moves, and two drops, in the wind.
static flip_case make(int threads, int variant, bool filled) {
  flip_plan plan = flip_default_plan();
  plan.threads = threads;
  plan.gravity[1] = -9.81;
  plan.flip.dt = 0;
  if (variant == 1) plan.flip.kernel = FIRN_FLIP_KERNEL_BSPLINE;
  if (variant == 1) plan.flip.transfer = FIRN_FLIP_TRANSFER_APIC;
  if (variant == 2) must(&(flip_case){0}, firn_material_preset(NULL, "snow", &plan.material));
  flip_case c = flip_case_open(&plan);
  firn_collider_def floor = firn_default_collider_def();
  floor.friction = 0.4;
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  flip_case_plane(&c, (const double[3]){-0.43, 0, 0}, (const double[3]){1, 0.1, 0}, NULL);
  firn_collider_def ball = firn_default_collider_def();
  ball.shape = firn_sphere((const double[3]){0.9, 0.2, 0.1}, 0.3);
  ball.velocity[0] = -1;
  ball.forces = true;
  must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  firn_wind_def wind = firn_default_wind_def();
  wind.velocity[0] = 5;
  must(&c, firn_sim_set_wind(c.sim, &wind));
  if (!filled) return c;
  flip_case_box(&c, (const int[3]){-4, 0, -3}, (const int[3]){4, 8, 3}, 0.2,
                (const double[3]){1, -2, 0});
  flip_case_box(&c, (const int[3]){20, 30, 0}, (const int[3]){21, 31, 1}, 0.2, NULL);
  return c;
}

enum { STEPS = 16 };

static void any_number_of_threads_gives_the_same_bytes(void **state) {
  (void)state;
  for (int variant = 0; variant < 3; variant++) {
    flip_case one = make(1, variant, true);
    flip_case_steps(&one, STEPS);
    snapshot expected = snapshot_take(one.sim);
    firn_collider_force force, other;
    must(&one, firn_sim_collider_force(one.sim, 2, &force));
    assert_true(fabs(force.impulse[0]) > 0);
    static const int threads[] = {7, 2, 16};
    for (int t = 0; t < (variant ? 1 : 3); t++) {
      flip_case c = make(threads[t], variant, true);
      flip_case_steps(&c, STEPS);
      snapshot found = snapshot_take(c.sim);
      assert_int_equal(snapshot_difference(&expected, &found), -1);
      must(&c, firn_sim_collider_force(c.sim, 2, &other));
      assert_memory_equal(&force, &other, sizeof force);
      snapshot_drop(&found);
      flip_case_close(&c);
    }
    snapshot_drop(&expected);
    flip_case_close(&one);
  }
}

static void runs_go_on_bit_by_bit(void **state) {
  scratch *s = *state;
  for (int variant = 0; variant < 3; variant++) {
    flip_case whole = make(1, variant, true), first = make(2, variant, true);
    flip_case_steps(&whole, 2 * STEPS);
    snapshot expected = snapshot_take(whole.sim);
    flip_case_steps(&first, STEPS);
    must(&first, firn_sim_save(first.sim, scratch_path(s, "half.hdf")));
    snapshot half = snapshot_take(first.sim);
    flip_case_close(&first);
    flip_case fresh = make(1, variant, false);
    must(&fresh, firn_sim_load(fresh.sim, scratch_path(s, "half.hdf")));
    snapshot loaded = snapshot_take(fresh.sim);
    assert_int_equal(snapshot_difference(&half, &loaded), -1);
    flip_case_steps(&fresh, STEPS);
    snapshot end = snapshot_take(fresh.sim);
    assert_int_equal(snapshot_difference(&expected, &end), -1);
    assert_int_not_equal(snapshot_difference(&half, &end), -1);
    snapshot_drop(&expected);
    snapshot_drop(&half);
    snapshot_drop(&loaded);
    snapshot_drop(&end);
    flip_case_close(&whole);
    flip_case_close(&fresh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
      cmocka_unit_test_setup_teardown(runs_go_on_bit_by_bit, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
