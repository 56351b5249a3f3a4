// SPDX-License-Identifier: Apache-2.0
// labels: F8 slow
// timeout: 180
// long in double
// Grains that run down to a slope.
#include "support/flip_case.h"

static const double DEGREE = 3.14159265358979323846 / 180; // rad

enum { THICK = 4, WIDE = 20, HIGH = 20, FAR = 80 }; // cells

// Degrees, of the line through the surface where it stands between 0.15 and 0.85 of its highest, with all cells
// across the slab taken together.
static double slope_of(const flip_case *c) {
  double top[FAR] = {0}, most = 0, n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int i = 0; i < FAR; i++) {
    for (int z = 0; z < THICK; z++)
      top[i] += flip_case_reach(c, 1, (const int[3]){i, 0, z}) / THICK;
    most = fmax(most, top[i]);
  }
  for (int i = 0; i < FAR; i++) {
    if (top[i] < 0.15 * most || top[i] > 0.85 * most) continue;
    n++, x += i, y += top[i], xx += i * i, xy += i * top[i];
  }
  assert_true(n > 5);
  return atan((x * y - n * xy) / (n * xx - x * x)) * 180 / 3.14159265358979323846;
}

// F8 (c): a column 0.4 m high and wide breaks down beside a smooth wall; its slope after 1.5 s, by the yield angle.
// (One half as wide runs out so far that 30 and 40 degrees are 2.9 apart.) Step and cells are pinned: what yields depends on both.
static double slope_after(double angle) {
  flip_plan plan = flip_default_plan();
  firn_material_preset(NULL, "granular", &plan.material);
  plan.h = 0.02;
  plan.flip.dt = 5e-3;
  plan.material.density = 200;
  plan.material.yield_angle = angle * DEGREE;
  plan.gravity[1] = -9.81;
  plan.periodic[2] = true;
  plan.period[2] = THICK;
  flip_case c = flip_case_open(&plan);
  firn_collider_def ground = firn_default_collider_def();
  ground.friction = 0.5;
  must(&c, firn_sim_add_collider(c.sim, &ground, NULL));
  flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){1, 0, 0}, NULL);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){WIDE, HIGH, THICK}, 0.2, NULL);
  flip_case_steps(&c, 300);
  double slope = slope_of(&c);
  flip_report("yield angle %g: %g degrees\n", angle, slope);
  flip_case_close(&c);
  return slope;
}

static void slopes_grow_with_the_yield_angle(void **state) {
  (void)state;
  double least = slope_after(20), middle = slope_after(30), most = slope_after(40);
  assert_true(least > 0);
  assert_true(middle - least >= 3);
  assert_true(most - middle >= 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slopes_grow_with_the_yield_angle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
