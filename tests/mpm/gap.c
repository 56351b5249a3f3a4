// SPDX-License-Identifier: Apache-2.0
// A run that presses snow between surfaces a few cells apart by contact at nodes warns once; no
// other run warns.
#include <stdio.h>

#include "support/mpm_case.h"

static const double H = 0.02; // m

typedef struct heard {
  int count;
  char last[400];
} heard;

static void hear(void *user, firn_log_level level, const char *message) {
  heard *h = user;
  if (level != FIRN_LOG_WARNING || !strstr(message, "mpm.contact: surface")) return;
  h->count++;
  snprintf(h->last, sizeof h->last, "%s", message);
}

// Snow of `deep` cells on a floor that is tilted, with a plate of 6 cells `away` cells above the
// floor, which comes down at `speed`, m/s, below 0 goes up. The scene is turned, and lies off the
// nodes.
static heard press(double deep, double away, double speed, bool surface, bool alone, int steps) {
  heard h = {0};
  firn_context_def with = firn_default_context_def();
  with.threads = 1;
  with.log = hear;
  with.log_user = &h;
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  memset(def.gravity, 0, sizeof def.gravity);
  def.mpm.contact_surface = surface;
  def.mpm.dt = 2.5e-4;
  firn_material_def snow = firn_default_material_def();
  mpm_case c = {.h = H};
  must(&c, firn_context_create(&with, &c.context));
  must(&c, firn_sim_create(c.context, &def, &c.sim));
  must(&c, firn_sim_add_material(c.sim, &snow, NULL));
  double turn[4], normal[3] = {-sin(0.4), cos(0.4), 0}, at[3] = {0.3 * H, 0.7 * H, 0.1 * H};
  firn_rotation((const double[]){0, 0, 1}, 0.4, turn);
  firn_collider_def floor = firn_default_collider_def(), plate = floor;
  floor.name = "floor";
  plate.name = "plate";
  floor.shape = firn_half_space(at, normal);
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  firn_shape_def boxes[2] = {
      firn_box((const double[]){0, deep * H / 2, 0}, (const double[]){5 * H, deep * H / 2, 5 * H}),
      firn_box((const double[]){0, (away + 2) * H, 0}, (const double[]){3 * H, 2 * H, 3 * H})};
  firn_shape *plain[2];
  for (int i = 0; i < 2; i++) must(&c, firn_shape_create(c.context, &boxes[i], &plain[i]));
  plate.shape = firn_transform(plain[1], at, turn, 1);
  for (int a = 0; a < 3; a++) plate.motion.velocity[a] = -speed * normal[a];
  if (!alone) must(&c, firn_sim_add_collider(c.sim, &plate, NULL));
  // Something far away that moves, and presses nothing.
  firn_collider_def ball = firn_default_collider_def();
  ball.shape = firn_sphere((const double[]){60 * H, 60 * H, 0}, 2 * H);
  ball.motion.velocity[0] = 0.1;
  if (speed == 0) must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_transform(plain[0], at, turn, 1);
  must(&c, firn_sim_fill(c.sim, &fill));
  for (int i = 0; i < steps; i++) must(&c, firn_sim_step(c.sim, 0, NULL));
  for (int i = 0; i < 2; i++) firn_shape_release(plain[i]);
  mpm_case_close(&c);
  return h;
}

static void thin_snow_that_is_pressed_warns_once(void **state) {
  (void)state;
  heard h = press(7, 8, 0.1, false, false, 260);
  assert_int_equal(h.count, 1);
  // 3.4/(8 + 3.4) and 20/(8 + 20).
  if (!strstr(h.last, "'floor' and 'plate' are 8 cells apart") || !strstr(h.last, "30 to 71 %"))
    fail_msg("told: %s", h.last);
}

// A surface that comes nearer causes the warning once it is near: 20 cells less 5.12 in 256 steps.
static void it_is_told_when_the_gap_closes(void **state) {
  (void)state;
  assert_int_equal(press(14, 20, 1.6, false, false, 128).count, 0);
  assert_int_equal(press(14, 20, 1.6, false, false, 260).count, 1);
}

static void a_body_with_air_under_it_presses_nothing(void **state) {
  (void)state;
  assert_int_equal(press(7, 11, 0.1, false, false, 2).count, 0); // 4 cells of air
  assert_int_equal(press(2, 13, -1, false, false, 2).count, 0);
  assert_int_equal(press(7, 8.5, 0.1, false, false, 2).count, 1); // 1.5 cells, which splines reach
}

static void a_body_that_recedes_presses_nothing(void **state) {
  (void)state;
  assert_int_equal(press(7, 8, -0.1, false, false, 2).count, 0);
}

static void no_other_run_warns(void **state) {
  (void)state;
  assert_int_equal(press(7, 8, 0.1, true, false, 2).count, 0);    // by surface
  assert_int_equal(press(7, 8, 0, false, false, 2).count, 0);     // nothing presses
  assert_int_equal(press(7, 8, 0.1, false, true, 2).count, 0);    // nothing faces the floor
  assert_int_equal(press(17, 18, 0.1, false, false, 2).count, 0); // many cells
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thin_snow_that_is_pressed_warns_once),
      cmocka_unit_test(it_is_told_when_the_gap_closes),
      cmocka_unit_test(a_body_with_air_under_it_presses_nothing),
      cmocka_unit_test(a_body_that_recedes_presses_nothing),
      cmocka_unit_test(no_other_run_warns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
