// SPDX-License-Identifier: Apache-2.0
// labels: F7
// timeout: 120
// A body that strikes snow pushes whole snow together and throws crushed snow.
#include "support/flip_case.h"

// Fig. 4: two balls of snow, alike but for their durability, each struck by a cuboid: the mean speed of all
// particles, m/s, after the blow.
static double speed_after(double durability, bool printed) {
  const double h = 0.02, R = 0.12;
  flip_plan plan = flip_default_plan();
  firn_material_preset(NULL, "snow", &plan.material);
  plan.h = h;
  plan.material.density = 200;
  plan.material.durability = durability;
  plan.flip.kb_printed = printed;
  plan.gravity[1] = -9.81;
  flip_case c = flip_case_open(&plan);
  firn_collider_def floor = firn_default_collider_def(), cuboid = floor;
  floor.friction = cuboid.friction = 0.5;
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  cuboid.shape = firn_box((const double[3]){-R - 0.06, R, 0}, (const double[3]){0.05, 0.1, 0.1});
  cuboid.velocity[0] = 2;
  must(&c, firn_sim_add_collider(c.sim, &cuboid, NULL));
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((const double[3]){0, R, 0}, R);
  ball.seeding = FIRN_SEEDING_LATTICE;
  must(&c, firn_sim_fill(c.sim, &ball));
  flip_case_steps(&c, 20); // 0.1 s: the cuboid has gone 20 cm
  double *v = flip_case_read(&c, "velocity", 3), sum = 0;
  for (size_t i = 0; i < flip_case_count(&c); i++)
    sum += sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
  sum /= (double)flip_case_count(&c);
  flip_report("durability %g, %s: %g m/s\n", durability, printed ? "printed" : "default", sum);
  free(v);
  flip_case_close(&c);
  return sum;
}

// Whole snow gives way and stays, crushed snow is thrown; with the sign in print it comes out the other way.
static void crushed_snow_is_thrown(void **state) {
  (void)state;
  double whole = speed_after(1, false), crushed = speed_after(0.1, false);
  assert_true(crushed / whole >= 2);
  assert_true(speed_after(0.1, true) / whole < 1.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(crushed_snow_is_thrown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
