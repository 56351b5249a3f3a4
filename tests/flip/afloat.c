// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// Snow that nothing breaks, and water, in one scene: what the grid keeps for the one is not taken
// for velocities of the other.
#include "support/flip_case.h"

static const double G = 9.81, DEGREE = 3.14159265358979323846 / 180;

enum { WATER, SNOW, SIDE = 4, BLOCK = 8 * SIDE * SIDE * SIDE };

static flip_case open_with_snow(const flip_plan *plan) {
  flip_case c = flip_case_open(plan);
  firn_material_def snow = plan->material;
  snow.density = 200;
  snow.yield_angle = 35 * DEGREE;
  snow.yield_cohesion = 1e5;
  must(&c, firn_sim_add_material(c.sim, &snow, NULL));
  return c;
}

// A cube of snow, whose particles are the first, from this cell on.
static void add_block(const flip_case *c, int above) {
  const int lo[3] = {-1, above, 2}, hi[3] = {lo[0] + SIDE, lo[1] + SIDE, lo[2] + SIDE};
  flip_case_box_of(c, lo, hi, 0.2, NULL, SNOW);
}

// One cube lies on the other. Colliders that rub, but elsewhere, change nothing about them.
static flip_case lie_on_water(bool collider) {
  flip_plan plan = flip_default_plan();
  flip_case c = open_with_snow(&plan);
  if (collider) {
    firn_collider_def ball = firn_default_collider_def();
    ball.shape = firn_sphere((const double[3]){0, -9, 0}, 0.5);
    ball.friction = 0.5;
    must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  }
  add_block(&c, 0);
  flip_case_box_of(&c, (const int[3]){-1, -SIDE, 2}, (const int[3]){-1 + SIDE, 0, 2 + SIDE}, 0.2,
                   NULL, WATER);
  return c;
}

// Nothing acts on either, so nothing moves; 1e-9 m/s is less than rounding makes of any motion.
static void what_is_at_rest_stays_so(void **state) {
  (void)state;
  for (int collider = 0; collider < 2; collider++) {
    flip_case c = lie_on_water(collider);
    flip_case_steps(&c, 20);
    assert_true(flip_case_stat(&c, "clusters") >= 1);
    double *v = flip_case_read(&c, "velocity", 3), most = 0;
    for (size_t i = 0; i < 3 * flip_case_count(&c); i++) worst(&most, v[i]);
    assert_below("speed", most, 1e-9);
    free(v);
    flip_case_close(&c);
  }
}

// What acts on all alike gives all dt a in each step. Then pieces take the way by the grid.
static void what_is_driven_alike_moves_alike(void **state) {
  (void)state;
  enum { STEPS = 20 };
  for (int collider = 0; collider < 2; collider++) {
    flip_case c = lie_on_water(collider);
    firn_force_def force = firn_default_force_def();
    const double a[3] = {0.2, -0.1, 0.3};
    force.kind = FIRN_FORCE_UNIFORM;
    memcpy(force.acceleration, a, sizeof a);
    must(&c, firn_sim_add_force(c.sim, &force, NULL));
    flip_case_steps(&c, STEPS);
    double *v = flip_case_read(&c, "velocity", 3), off = 0, time = firn_sim_time(c.sim);
    for (size_t i = 0; i < 3 * flip_case_count(&c); i++) worst(&off, v[i] - time * a[i % 3]);
    assert_below("velocity off", off, by_precision(1e-6, 1e-12));
    free(v);
    flip_case_close(&c);
  }
}

// The mean velocity of the block, m/s.
static void velocity_of_block(const flip_case *c, double out[3]) {
  double *v = flip_case_read(c, "velocity", 3);
  for (int a = 0; a < 3; a++) out[a] = 0;
  for (size_t i = 0; i < 3 * BLOCK; i++) out[i % 3] += v[i] / BLOCK;
  free(v);
}

// Water only slows a block that falls into it, from a cell above: it is never faster than in free
// fall, and goes sideways no faster than a tenth of that.
static void a_block_falls_into_a_pool(void **state) {
  (void)state;
  for (int forced = 0; forced < 2; forced++) {
    flip_plan plan = flip_default_plan();
    plan.gravity[1] = -G;
    flip_case c = open_with_snow(&plan);
    const int lo[3] = {-3, 0, 0}, hi[3] = {5, 5, 8};
    flip_case_tank(&c, lo, hi, false);
    add_block(&c, hi[1] + 1);
    flip_case_box_of(&c, lo, hi, 0, NULL, WATER);
    firn_force_def force = firn_default_force_def();
    force.kind = FIRN_FORCE_UNIFORM;
    force.acceleration[2] = 1e-3;
    if (forced) must(&c, firn_sim_add_force(c.sim, &force, NULL));
    double fastest = 0, sideways = 0;
    for (int n = 0; n < 80; n++) {
      double v[3];
      flip_case_steps(&c, 1);
      velocity_of_block(&c, v);
      double fall = G * firn_sim_time(c.sim);
      worst(&fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / fall);
      worst(&sideways, sqrt(v[0] * v[0] + v[2] * v[2]) / fall);
    }
    assert_below("speed, over that of its fall", fastest, 1 + 1e-6);
    assert_below("speed sideways, likewise", sideways, 0.1);
    flip_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_at_rest_stays_so),
      cmocka_unit_test(what_is_driven_alike_moves_alike),
      cmocka_unit_test(a_block_falls_into_a_pool),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
