// SPDX-License-Identifier: Apache-2.0
// labels: X1 X2
// timeout: 120
// The same bytes at any number of threads, and after a restart.
#include "cache/scratch.h"

#include "support/snapshot.h"
#include "support/sph_case.h"

// Snow that conducts, on a warm floor.
static void heat_up(const sph_case *c, int floor) {
  firn_heat_def heat = firn_default_heat_def();
  heat.conductivity = 1e4;
  heat.points = 2;
  heat.temperature[0] = 263.15;
  heat.young[0] = 140e3;
  heat.temperature[1] = 283.15;
  heat.young[1] = 40e3;
  must(c, firn_sim_set_heat(c->sim, 0, &heat));
  must(c, firn_sim_set_temperature(c->sim, floor, 303.15));
}

// A ball that hits the floor beside a wall that moves, and two flakes, all in the wind.
static sph_case make(int threads, int variant, bool filled) {
  sph_plan plan = sph_default_plan();
  plan.threads = threads;
  plan.gravity[1] = -9.81;
  if (variant == 1) {
    plan.sph.shear_solver = FIRN_SPH_BICGSTAB;
    plan.sph.pressure_solver = FIRN_SPH_JACOBI;
    plan.sph.rest_density_tracked = true;
    plan.sph.alternations = 2;
  }
  if (variant == 2) plan.sph.split = FIRN_SPH_SPLIT_COMBINED;
  if (variant == 3) plan.sph.pressure = FIRN_SPH_PRESSURE_IISPH;
  sph_case c = sph_case_open(&plan);
  int floor = sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 0.1);
  if (variant == 3) heat_up(&c, floor);
  firn_collider_def wall = firn_default_collider_def();
  wall.shape = firn_box((const double[3]){0.13, 0.05, 0}, (const double[3]){0.04, 0.1, 0.1});
  wall.velocity[0] = -1;
  must(&c, firn_sim_add_collider(c.sim, &wall, NULL));
  firn_wind_def wind = firn_default_wind_def();
  wind.velocity[0] = 5;
  wind.turbulence = 3;
  must(&c, firn_sim_set_wind(c.sim, &wind));
  if (!filled) return c;
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((const double[3]){0.003, 0.055, -0.002}, 0.045);
  ball.seeding = FIRN_SEEDING_LATTICE;
  ball.velocity[0] = 2;
  ball.velocity[1] = -4;
  must(&c, firn_sim_fill(c.sim, &ball));
  sph_case_add(&c, 2, (const double[6]){0.5, 0.3, 0.1, -0.4, 0.005, 0.2});
  return c;
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
  (void)state;
  for (int variant = 0; variant < 4; variant++) {
    sph_case one = make(1, variant, true);
    sph_case_steps(&one, 25);
    snapshot expected = snapshot_take(one.sim);
    firn_collider_force force, other;
    must(&one, firn_sim_collider_force(one.sim, 0, &force));
    assert_true(sph_case_stat(&one, "jp_min") < 0.99 || variant > 1);
    assert_true(fabs(force.impulse[1]) > 0);
    static const int threads[] = {7, 2, 16};
    for (int t = 0; t < (variant ? 1 : 3); t++) {
      sph_case c = make(threads[t], variant, true);
      sph_case_steps(&c, 25);
      snapshot found = snapshot_take(c.sim);
      assert_int_equal(snapshot_difference(&expected, &found), -1);
      must(&c, firn_sim_collider_force(c.sim, 0, &other));
      assert_memory_equal(&force, &other, sizeof force);
      snapshot_drop(&found);
      sph_case_close(&c);
    }
    snapshot_drop(&expected);
    sph_case_close(&one);
  }
}

static void runs_go_on_bit_by_bit(void **state) {
  scratch *s = *state;
  for (int variant = 0; variant < 4; variant++) {
    sph_case whole = make(1, variant, true), first = make(2, variant, true);
    sph_case_steps(&whole, 44);
    snapshot expected = snapshot_take(whole.sim);
    sph_case_steps(&first, 22);
    must(&first, firn_sim_save(first.sim, scratch_path(s, "half.hdf")));
    snapshot half = snapshot_take(first.sim);
    sph_case_close(&first);
    sph_case fresh = make(1, variant, false);
    must(&fresh, firn_sim_load(fresh.sim, scratch_path(s, "half.hdf")));
    snapshot loaded = snapshot_take(fresh.sim);
    assert_int_equal(snapshot_difference(&half, &loaded), -1);
    sph_case_steps(&fresh, 22);
    snapshot end = snapshot_take(fresh.sim);
    assert_int_equal(snapshot_difference(&expected, &end), -1);
    assert_int_not_equal(snapshot_difference(&half, &end), -1);
    snapshot_drop(&expected);
    snapshot_drop(&half);
    snapshot_drop(&loaded);
    snapshot_drop(&end);
    sph_case_close(&whole);
    sph_case_close(&fresh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
      cmocka_unit_test_setup_teardown(runs_go_on_bit_by_bit, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
