// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// What no formula asks for: particles alone, on top of each other, in a sheet; steps that are far too
// long; laws and shapes that the solver does not know. It goes on, or says clearly why not.
#include "support/both_lists.h"

static const double UP[3] = {0, 1, 0}, ORIGIN[3] = {0, 0, 0};

static void all_is_finite(const sph_case *c) {
  for (int i = 0; i < firn_sim_field_count(c->sim); i++) {
    firn_field_info info;
    must(c, firn_sim_field(c->sim, i, &info));
    double *x = sph_case_read(c, info.name, info.components);
    for (size_t k = 0; k < sph_case_count(c) * (size_t)info.components; k++)
      if (!isfinite(x[k])) fail_msg("%s of particle %zu is %g", info.name, k, x[k]);
    free(x);
  }
}

static void nothing_at_all_only_takes_time(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, UP, 1);
  sph_case_advance(&c, 0.01);
  assert_within("time", firn_sim_time(c.sim), 0.01, 1e-12);
  sph_case_close(&c);
}

// x = x0 + N dt v0 + g dt^2 N (N + 1) / 2.
static void particle_alone_falls_freely(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.gravity[1] = -9.81;
  plan.sph.dt = 1e-3;
  sph_case c = sph_case_open(&plan);
  sph_case_add(&c, 1, (const double[3]){0, 1, 0});
  sph_case_steps(&c, 100);
  double *x = sph_case_read(&c, "position", 3);
  assert_within("height", x[1], 1 - 9.81 * 1e-6 * 100 * 101 / 2, by_precision(1e-6, 1e-12));
  free(x);
  all_is_finite(&c);
  sph_case_close(&c);
}

static void particles_on_top_of_each_other_do_no_harm(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.gravity[1] = -9.81;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, UP, 1);
  // Two alone, and four in the middle of a block.
  const double same[18] = {1,     0.5,   0,     1,     0.5,   0,     0.015, 0.025, 0.015,
                           0.015, 0.025, 0.015, 0.015, 0.025, 0.015, 0.01,  0,     0.01};
  sph_case_add(&c, 6, same);
  sph_case_lattice(&c, (const int[3]){4, 4, 4}, (const double[3]){0.005, 0.005, 0.005}, 0);
  sph_case_advance(&c, 0.1);
  all_is_finite(&c);
  firn_sums sums;
  must(&c, firn_sim_sums(c.sim, &sums));
  assert_true(sums.speed_max < 10);
  sph_case_close(&c);
}

// One particle thick, and rough by so little that a correction of gradients across would divide by next
// to nothing. In 0.2 s they fall with 2 m/s at most.
static void thin_snow_does_no_harm(const int n[3], double roughness) {
  sph_plan plan = plan_with_lists();
  plan.gravity[1] = -9.81;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, UP, 1);
  sph_case_lattice(&c, n, (const double[3]){0.005, 0.02, 0.005}, roughness);
  for (int k = 0; k < 10; k++) {
    firn_sums sums;
    sph_case_advance(&c, 0.02);
    must(&c, firn_sim_sums(c.sim, &sums));
    assert_true(sums.speed_max < 2.5 && sums.bounds_min[1] > -0.01);
  }
  all_is_finite(&c);
  sph_case_close(&c);
}

static void sheets_and_rods_do_no_harm(void **state) {
  (void)state;
  static const int n[][3] = {{8, 1, 8}, {1, 8, 1}, {1, 8, 8}, {2, 1, 1}, {3, 1, 1}};
  static const double roughness[] = {0, 1e-4, 1e-3, 1e-2, 0.03, 0.1};
  for (int k = 0; k < 5; k++) {
    for (int r = 0; r < 6; r++) thin_snow_does_no_harm(n[k], roughness[r]);
  }
}

// Colliders of which snow sees no sample at all: one in another, one far away, a mere speck, one that is
// absent. The snow lies on what there is.
static void colliders_without_samples_do_no_harm(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.gravity[1] = -9.81;
  sph_case c = sph_case_open(&plan);
  const struct {
    double center[3], radius;
    bool absent;
  } balls[] = {{{0, -0.2, 0}, 0.1, false},
               {{50, 0, 0}, 1, false},
               {{0.02, 0.1, 0.02}, 1e-5, false},
               {{0.02, 0.02, 0.02}, 0.01, true}};
  sph_case_plane(&c, ORIGIN, UP, 1);
  for (size_t i = 0; i < sizeof balls / sizeof *balls; i++) {
    firn_collider_def def = firn_default_collider_def();
    def.shape = firn_sphere(balls[i].center, balls[i].radius);
    def.absent = balls[i].absent;
    must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  }
  sph_case_lattice(&c, (const int[3]){4, 4, 4}, (const double[3]){0.005, 0.01, 0.005}, 0);
  sph_case_advance(&c, 0.1);
  all_is_finite(&c);
  const sph_boundary *b = &sph_case_solver(&c)->boundary;
  for (size_t i = 0; i < b->count; i++) assert_true(b->owner[i] == 0 || b->owner[i] == 3);
  firn_sums sums;
  must(&c, firn_sim_sums(c.sim, &sums));
  assert_true(sums.bounds_min[1] > 0 && sums.speed_max < 0.1);
  sph_case_close(&c);
}

// A hundred times what the time step's own rules allow: either the run goes on with numbers, or it fails
// with words, and what can be read then is finite all the same.
static void steps_a_hundred_times_too_long_go_on_or_say_why(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    sph_plan plan = plan_with_lists();
    plan.gravity[1] = -9.81;
    plan.sph.dt = k == 0 ? 0.02 : k == 1 ? 0.1 : 1;
    sph_case c = sph_case_open(&plan);
    sph_case_plane(&c, ORIGIN, UP, 1);
    firn_fill_def ball = firn_default_fill_def();
    ball.shape = firn_sphere((const double[3]){0, 0.08, 0}, 0.06);
    ball.seeding = FIRN_SEEDING_LATTICE;
    ball.velocity[1] = -20;
    must(&c, firn_sim_fill(c.sim, &ball));
    firn_status status = FIRN_OK;
    for (int n = 0; n < 20 && status == FIRN_OK; n++) status = firn_sim_step(c.sim, 0, NULL);
    if (status == FIRN_OK) {
      all_is_finite(&c);
    } else {
      sph_report("dt %g: %s", plan.sph.dt, firn_context_message(c.context));
      assert_true(strlen(firn_context_message(c.context)) > 20);
    }
    sph_case_close(&c);
  }
}

static void what_it_does_not_know_it_names(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.material.law = "sand";
  sph_case c = sph_case_open(&plan);
  sph_case_add(&c, 1, (const double[3]){0, 1, 0});
  assert_int_equal(firn_sim_step(c.sim, 0, NULL), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(c.context), "law"));
  sph_case_close(&c);
}

// 40 m/s are 640 kPa. Without the barrier some of the lowest layer is driven through.
static void hard_impact_stays_above_the_floor(void **state) {
  (void)state;
  for (int barrier = 0; barrier < 2; barrier++) {
    sph_plan plan = plan_with_lists();
    plan.sph.barrier = barrier;
    sph_case c = sph_case_open(&plan);
    int floor = sph_case_plane(&c, ORIGIN, UP, 0);
    sph_case_lattice(&c, (const int[3]){6, 12, 6}, (const double[3]){0.005, 0.015, 0.005}, 0);
    double *v = sph_case_read(&c, "velocity", 3);
    for (size_t i = 0; i < sph_case_count(&c); i++) v[3 * i + 1] = -40;
    must(&c, firn_sim_write(c.sim, "velocity", v));
    firn_sums before, after;
    must(&c, firn_sim_sums(c.sim, &before));
    sph_case_advance(&c, 0.01);
    must(&c, firn_sim_sums(c.sim, &after));
    all_is_finite(&c);
    sph_report("barrier %d: lowest %.3f spacings", barrier, after.bounds_min[1] / c.d);
    if (barrier) {
      assert_true(after.bounds_min[1] > -0.26 * c.d);
      firn_collider_force force;
      must(&c, firn_sim_collider_force(c.sim, floor, &force));
      assert_relative("impulse", force.impulse[1], before.momentum[1] - after.momentum[1], 0.01);
    } else {
      assert_true(after.bounds_min[1] < -0.5 * c.d);
    }
    free(v);
    sph_case_close(&c);
  }
}

// What a ball loses as it hits the floor: plastic flow is part of it, and it is never negative.
static void books_of_energy_are_kept(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.gravity[1] = -9.81;
  plan.material.theta_c = 0.01;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, UP, 0);
  sph_case_lattice(&c, (const int[3]){6, 6, 6}, (const double[3]){0.005, 0.03, 0.005}, 0);
  double lost = 0;
  for (int k = 0; k < 10; k++) {
    firn_sums sums;
    sph_case_advance(&c, 0.02);
    must(&c, firn_sim_sums(c.sim, &sums));
    assert_true(sums.energy_lost >= lost - 1e-5 * sums.energy_gravity);
    lost = sums.energy_lost;
  }
  double plastic = sph_case_stat(&c, "energy_plastic");
  sph_report("lost %.4g J, of which plastic %.4g J", lost, plastic);
  assert_true(plastic > 0 && plastic < lost);
  sph_case_close(&c);
}

// Random snow is compressed and stretched by itself, and must settle down rather than explode.
static void random_snow_does_not_explode(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.gravity[1] = -9.81;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, UP, 1);
  firn_fill_def box = firn_default_fill_def();
  box.shape = firn_box((const double[3]){0, 0.05, 0}, (const double[3]){0.05, 0.05, 0.05});
  must(&c, firn_sim_fill(c.sim, &box));
  sph_case_advance(&c, 0.2);
  all_is_finite(&c);
  firn_sums sums;
  must(&c, firn_sim_sums(c.sim, &sums));
  assert_true(sums.speed_max < 5);
  assert_true(sums.bounds_max[1] < 0.3);
  sph_case_close(&c);
}

// Flakes thrown into each other, several where one should be: the iteration for pressures has eigenvalues
// there that it does not expect, of either sign, and still all are found. Nobody gets faster than in free
// fall, 0.1 s of it.
static void flakes_pressed_into_each_other_do_not_explode(void **state) {
  (void)state;
  enum { N = 400 };
  for (uint64_t k = 0; k < 4; k++) {
    sph_plan plan = plan_with_lists();
    plan.material.young = 20e3;
    plan.gravity[1] = -9.81;
    plan.sph.dt = 5e-3;
    plan.sph.pressure_solver = k % 2 ? FIRN_SPH_JACOBI : FIRN_SPH_CHEBYSHEV;
    sph_case c = sph_case_open(&plan);
    sph_case_plane(&c, ORIGIN, UP, 1);
    double x[3 * N], side = (k < 2 ? 5 : 6) * c.d;
    for (uint64_t i = 0; i < 3 * N; i++) x[i] = sph_random(0, i, 0.3 * c.d, side);
    sph_case_add(&c, N, x);
    for (int n = 0; n < 20; n++) {
      sph_case_steps(&c, 1);
      assert_true(sph_case_stat(&c, "unconverged") == 0);
    }
    all_is_finite(&c);
    firn_sums sums;
    must(&c, firn_sim_sums(c.sim, &sums));
    assert_true(sums.speed_max < 0.981);
    sph_case_close(&c);
  }
}

// A Poisson's ratio of 0 leaves nothing for the pressure to do, and is no reason to keep the volume.
static void snow_without_pressure_is_soft(void **state) {
  (void)state;
  double height[2];
  for (int k = 0; k < 2; k++) {
    sph_plan plan = plan_with_lists();
    plan.gravity[1] = -9.81;
    plan.material.poisson = k == 0 ? 0 : 1e-3;
    sph_case c = sph_case_open(&plan);
    sph_case_plane(&c, ORIGIN, UP, 1);
    const double corner[3] = {c.d / 2, c.d / 2, c.d / 2};
    sph_case_lattice(&c, (const int[3]){5, 5, 5}, corner, 0);
    sph_case_advance(&c, 0.1);
    firn_sums sums;
    must(&c, firn_sim_sums(c.sim, &sums));
    height[k] = sums.center[1];
    sph_case_close(&c);
  }
  assert_relative("height", height[0], height[1], 1e-2);
}

static void snow_that_would_drive_itself_is_refused(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.material.poisson = -0.1;
  sph_case c = sph_case_open(&plan);
  sph_case_add(&c, 1, ORIGIN);
  assert_int_equal(firn_sim_step(c.sim, 1e-3, NULL), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(c.context), "poisson"));
  sph_case_close(&c);
}

// A plate that was a metre away sweeps all of the snow before it, at 50 m/s.
static void fast_collider_does_not_pass_through(void **state) {
  (void)state;
  enum { SIDE = 8 };
  sph_plan plan = plan_with_lists();
  sph_case c = sph_case_open(&plan);
  const double corner[3] = {c.d / 2, c.d / 2, c.d / 2}, side = SIDE * c.d;
  const double middle[3] = {side / 2, 1 + 5 * c.d, side / 2}, half[3] = {side, 2 * c.d, side};
  firn_collider_def plate = firn_default_collider_def();
  plate.shape = firn_box(middle, half);
  plate.velocity[1] = -50;
  must(&c, firn_sim_add_collider(c.sim, &plate, NULL));
  sph_case_lattice(&c, (const int[3]){SIDE, SIDE, SIDE}, corner, 0);
  sph_case_advance(&c, 0.03);
  double *x = sph_case_read(&c, "position", 3), highest = -1;
  for (size_t i = 0; i < sph_case_count(&c); i++) highest = fmax(highest, x[3 * i + 1]);
  assert_within("highest", highest, 1 + 3 * c.d - 50 * 0.03, 2 * c.d);
  free(x);
  sph_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH_LISTS(snow_without_pressure_is_soft),
      BOTH_LISTS(snow_that_would_drive_itself_is_refused),
      BOTH_LISTS(fast_collider_does_not_pass_through),
      BOTH_LISTS(nothing_at_all_only_takes_time),
      BOTH_LISTS(particle_alone_falls_freely),
      BOTH_LISTS(particles_on_top_of_each_other_do_no_harm),
      BOTH_LISTS(sheets_and_rods_do_no_harm),
      BOTH_LISTS(colliders_without_samples_do_no_harm),
      BOTH_LISTS(steps_a_hundred_times_too_long_go_on_or_say_why),
      BOTH_LISTS(hard_impact_stays_above_the_floor),
      BOTH_LISTS(random_snow_does_not_explode),
      BOTH_LISTS(flakes_pressed_into_each_other_do_not_explode),
      cmocka_unit_test_setup(what_it_does_not_know_it_names, take_exact_lists),
      cmocka_unit_test_setup(books_of_energy_are_kept, take_exact_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
