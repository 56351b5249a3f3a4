// SPDX-License-Identifier: Apache-2.0
// Colliders that are passed over because they are far away would not have mattered.
#include "solver/flip/kernels.h"
#include "support/flip_case.h"

// A corner between planes that lie askew, a ball that moves and one that does not.
static flip_case make(void) {
  flip_plan plan = flip_default_plan();
  plan.flip.push_out = 0.3;
  flip_case c = flip_case_open(&plan);
  flip_case_plane(&c, (const double[3]){0, -0.23, 0}, (const double[3]){0.2, 1, 0}, NULL);
  flip_case_plane(&c, (const double[3]){-0.31, 0, 0}, (const double[3]){1, 0.3, 0.1}, NULL);
  firn_collider_def ball = firn_default_collider_def();
  ball.shape = firn_sphere((const double[3]){0.5, 0.1, 0.1}, 0.3);
  must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  ball.shape = firn_sphere((const double[3]){0.2, 0.9, 0.1}, 0.25);
  ball.velocity[1] = -1;
  must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  flip_case_box(&c, (const int[3]){-4, -2, -3}, (const int[3]){6, 8, 5}, 0.2, NULL);
  flip_case_prepare(&c, 1e-3);
  return c;
}

// The nearest collider of a block is among those that it asks; and whoever is closer to one than he may be is in a
// cell that is tight.
static void the_nearest_is_asked(void **state) {
  (void)state;
  enum { POINTS = 20 };
  flip_case c = make();
  flip *s = flip_case_solver(&c);
  size_t fewer = 0, close = 0, loose = 0;
  for (size_t g = 0; g < s->grid.count; g++) {
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      size_t i = FLIP_CELLS * g + (size_t)cell;
      for (int n = 0; n < POINTS; n++) {
        double x[3];
        int among, all;
        flip_corner(s, g, cell, x);
        for (int a = 0; a < 3; a++)
          x[a] = (x[a] + flip_random(4, 3 * (POINTS * i + (size_t)n) + (size_t)a, 0, 1)) * c.h;
        double d = flip_solid_distance(s->world, s->beside[g], x, &among, NULL, NULL);
        assert_true(d == flip_solid_distance(s->world, UINT64_MAX, x, &all, NULL, NULL));
        assert_int_equal(among, all);
        if (d >= s->def.push_out * c.h) continue;
        assert_true(flip_bit(s->tight, i));
        close++;
      }
      loose += !flip_bit(s->tight, i);
    }
    fewer += __builtin_popcountll(s->beside[g]) < 4;
  }
  // It would all be true if everybody were asked about everything.
  assert_true(fewer > s->grid.count / 4 && loose > 20 * s->grid.count && close > 1000);
  flip_case_close(&c);
}

// What is open, and how fast it moves, follows from the distance alone, also in blocks that are not sampled.
static void blocks_inside_are_closed(void **state) {
  (void)state;
  flip_case c = make();
  flip *s = flip_case_solver(&c);
  size_t inside = 0, moving = 0;
  for (size_t g = 0; g < s->grid.count; g++) {
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      size_t i = FLIP_CELLS * g + (size_t)cell;
      for (int a = 0; a < 3; a++) {
        double x[3], velocity[3];
        flip_corner(s, g, cell, x);
        for (int k = 0; k < 3; k++) x[k] = (x[k] + (k == a ? 0 : 0.5)) * c.h;
        double d = flip_solid_distance(s->world, UINT64_MAX, x, NULL, NULL, velocity) / c.h;
        if (d > 0.75) assert_true(s->open[a][i] == 1);
        if (d > -0.75) continue;
        assert_true(s->open[a][i] == 0);
        assert_true(s->wall[a][i] == (firn_real)velocity[a]);
        inside++;
        moving += velocity[a] != 0;
      }
    }
  }
  assert_true(inside > 1000 && moving > 10);
  flip_case_close(&c);
}

// No particle that was outside ends inside: not in the seam of a wall that stands on a floor
// either, where the next way out of each leads into the other.
static void nothing_gets_into_a_seam(void **state) {
  (void)state;
  enum { POINTS = 4000 };
  flip_plan plan = flip_default_plan();
  flip_case c = flip_case_open(&plan);
  flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, NULL);
  firn_collider_def wall = firn_default_collider_def();
  wall.shape = firn_box((const double[3]){0.5, 0.3, 0.2}, (const double[3]){0.1, 0.3, 1});
  must(&c, firn_sim_add_collider(c.sim, &wall, NULL));
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){4, 4, 4}, 0, NULL);
  flip_case_prepare(&c, 5e-3);
  flip *s = flip_case_solver(&c);
  assert_int_equal(s->world->particles.block_count, 1);
  const int32_t *at = s->world->particles.block[0].at;
  size_t seam = 0;
  for (uint64_t n = 0; n < POINTS; n++) {
    firn_real from[3], x[3];
    double place[3];
    for (uint64_t a = 0; a < 3; a++) {
      from[a] = (firn_real)flip_random(5, 6 * n + a, a == 0 ? 3 : 0, a == 1 ? 0.3 : 4);
      x[a] = from[a] + (firn_real)flip_random(5, 6 * n + 3 + a, a == 1 ? -0.3 : -1, 1);
    }
    seam += x[0] > 4 && x[1] < FIRN_R(0.02);
    flip_push_out(s, 0, flip_colliders_near(s, 0), from, x);
    for (int a = 0; a < 3; a++) place[a] = (4.0 * at[a] + (double)x[a]) * c.h;
    double d = flip_solid_distance(s->world, UINT64_MAX, place, NULL, NULL, NULL) / c.h;
    assert_true(d > -by_precision(1e-6, 1e-12));
  }
  assert_true(seam > 100);
  flip_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_is_asked),
      cmocka_unit_test(blocks_inside_are_closed),
      cmocka_unit_test(nothing_gets_into_a_seam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
