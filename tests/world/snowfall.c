// SPDX-License-Identifier: Apache-2.0
// Snowfall: how much comes down, that flakes keep their distance, and that neither threads nor a
// checkpoint matter.
#include "cache/scratch.h"
//
#include "support/same.h"

static const double H = 0.02, D = 0.01; // m

static firn_sim *open_sim(firn_context *context, double gravity) {
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.seed = 5;
  def.gravity[1] = -gravity;
  def.mpm.volume_nominal = true;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  return make_sim(context, &def);
}

// A sheet of 40 cm x 2 cm x 30 cm.
static firn_emitter_def sheet(double rate) {
  firn_emitter_def def = firn_default_emitter_def();
  def.fill.shape = firn_box((double[]){0, 1, 0}, (double[]){0.2, 0.01, 0.15});
  def.fill.name = "sky";
  def.kind = FIRN_EMIT_SNOWFALL;
  def.rate = rate;
  return def;
}

// Lots come every 2 ms or with the step after, 2.5 ms: up to 0.8 % of 0.3 s may still be due.
static void rates_are_kept(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, 9.81);
  const double rate = 30, area = 0.4 * 0.3; // kg/m^2 s
  firn_emitter_def def = sheet(rate);
  def.fill.velocity[1] = -1;
  def.spread = 0.1;
  int id;
  MUST(context, firn_sim_add_emitter(sim, &def, &id));
  MUST(context, firn_sim_set_kill_box(sim, (double[]){-1, 0.7, -1}, (double[]){1, 2, 1}));
  firn_sums sums;
  const double time = 0.3;
  MUST(context, firn_sim_advance(sim, time, NULL, NULL));
  const double flake = 400 * D * D * D;
  double mass = (double)firn_sim_emitted(sim, id) * flake;
  assert_true(mass <= rate * area * time * 1.0001 && mass > rate * area * time * 0.991);
  // What it lets fall is what the world has, less what left: 0.3 m at 1 m/s and more, some 0.2 s.
  MUST(context, firn_sim_sums(sim, &sums));
  assert_true(fabs(sums.mass - (double)firn_sim_count(sim) * flake) < 1e-6);
  assert_true(firn_sim_count(sim) > 900 && firn_sim_count(sim) < firn_sim_emitted(sim, id));
  // Half as much from now on.
  uint64_t before = firn_sim_emitted(sim, id);
  MUST(context, firn_sim_set_emitter_rate(sim, id, rate / 2));
  MUST(context, firn_sim_advance(sim, time, NULL, NULL));
  mass = (double)(firn_sim_emitted(sim, id) - before) * flake;
  assert_true(fabs(mass / (rate / 2 * area * time) - 1) < 0.016); // what was due before, too
  firn_sim_destroy(sim);
  drop_context(context);
}

// A flake may have any size, whatever the pattern that a fill of that solver would have: 25 mm in
// cells of 8 cm is 32.768 a cell.
static void flakes_have_any_size(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  for (int seeding = FIRN_SEEDING_RANDOM; seeding <= FIRN_SEEDING_POISSON; seeding++) {
    firn_sim *sim = open_sim(context, 9.81);
    firn_emitter_def def = sheet(30);
    def.fill.seeding = (firn_seeding)seeding;
    def.fill.per_cell = 32.768;
    int id;
    MUST(context, firn_sim_add_emitter(sim, &def, &id));
    MUST(context, firn_sim_advance(sim, 0.02, NULL, NULL));
    firn_sums sums;
    MUST(context, firn_sim_sums(sim, &sums));
    double flake = sums.mass / (double)firn_sim_count(sim) / 400;
    assert_true(fabs(cbrt(flake) / (H / 3.2) - 1) < 1e-6);
    firn_sim_destroy(sim);
  }
  drop_context(context);
}

static double least_apart(firn_context *context, firn_sim *sim) {
  size_t n = firn_sim_count(sim);
  double *x = read_field(context, sim, "position", 3), least = INFINITY;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      double d = hypot(hypot(x[3 * i] - x[3 * j], x[3 * i + 1] - x[3 * j + 1]),
                       x[3 * i + 2] - x[3 * j + 2]);
      least = fmin(least, d);
    }
  }
  free(x);
  return least;
}

// Without gravity nothing moves, and the sheet fills until there is no more room: no two flakes are ever
// nearer than their size, and with snow of another kind in the middle, none of its particles is. Random
// balls jam at 0.38 of space, and a sheet two flakes high holds more, since those at its faces stick
// out; random throws alone take forever for the last of them.
static void flakes_keep_their_distance(void **state) {
  (void)state;
  for (int round = 0; round < 2; round++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, 0);
    firn_emitter_def def = sheet(100);
    double flake = round ? 0.015 : D;
    def.fill.per_cell = pow(H / flake, 3);
    int id;
    MUST(context, firn_sim_add_emitter(sim, &def, &id));
    firn_collider_def ball = firn_default_collider_def();
    ball.shape = firn_sphere((double[]){0.1, 1, 0}, 0.05);
    MUST(context, firn_sim_add_collider(sim, &ball, NULL));
    MUST(context, add_one(sim, -0.1, 1, 0));
    MUST(context, firn_sim_advance(sim, 0.2, NULL, NULL));
    size_t n = firn_sim_count(sim);
    assert_int_equal(n, firn_sim_emitted(sim, id) + 1);
    double volume = (0.4 + flake) * (0.02 + flake) * (0.3 + flake);
    double share = (double)n * 0.5236 * flake * flake * flake / volume;
    assert_true(share > 0.2 && share < 0.42);
    assert_true(least_apart(context, sim) >= flake * (1 - 1e-5));
    double *x = read_field(context, sim, "position", 3);
    for (size_t i = 1; i < n; i++) {
      assert_true(hypot(hypot(x[3 * i] - 0.1, x[3 * i + 1] - 1), x[3 * i + 2]) >
                  0.05 + flake / 2 - 1e-6);
      assert_true(fabs(x[3 * i]) <= 0.2 + 1e-6 && fabs(x[3 * i + 1] - 1) <= 0.01 + 1e-6);
    }
    // What had no room is not made up for by more than a second's worth.
    MUST(context, firn_sim_set_emitter_rate(sim, id, 0));
    MUST(context, firn_sim_advance(sim, 0.05, NULL, NULL));
    assert_true(firn_sim_count(sim) <= n + 1);
    free(x);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// A sky that was covered for 3 s makes up for one of them and no more, at three times the rate, or one flake
// more in a lot, which are 2 ms apart or longer.
static void debts_are_paid_for_a_second_at_most(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, 9.81);
  const double flakes = 1000; // a second
  firn_emitter_def def = sheet(flakes * 400 * D * D * D / (0.4 * 0.3));
  firn_collider_def cover = firn_default_collider_def();
  cover.shape = firn_box((double[]){0, 1, 0}, (double[]){1, 0.1, 1});
  int sky, lid;
  MUST(context, firn_sim_add_emitter(sim, &def, &sky));
  MUST(context, firn_sim_add_collider(sim, &cover, &lid));
  MUST(context, firn_sim_set_kill_box(sim, (double[]){-1, 0.9, -1}, (double[]){1, 2, 1}));
  MUST(context, firn_sim_advance(sim, 3, NULL, NULL));
  assert_int_equal(firn_sim_emitted(sim, sky), 0);
  MUST(context, firn_sim_set_present(sim, lid, false));
  MUST(context, firn_sim_advance(sim, 0.3, NULL, NULL));
  double soon = (double)firn_sim_emitted(sim, sky);
  assert_true(soon > 3 * 0.29 * flakes && soon <= 3 * 0.3 * flakes + 0.3 / 2e-3);
  MUST(context, firn_sim_advance(sim, 0.7, NULL, NULL));
  assert_true(fabs((double)firn_sim_emitted(sim, sky) / (2 * flakes) - 1) < 0.01);
  firn_sim_destroy(sim);
  drop_context(context);
}

// Across a periodic face, too.
static void flakes_keep_their_distance_round_periods(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.h = H;
  sim_def.gravity[1] = 0;
  sim_def.mpm.volume_nominal = true;
  const double period = 8 * H;
  for (int a = 0; a < 3; a += 2) sim_def.periodic[a] = true, sim_def.period_cells[a] = 8;
  firn_sim *sim = make_sim(context, &sim_def);
  firn_emitter_def def = sheet(100);
  def.fill.shape = firn_box((double[]){0, 1, 0}, (double[]){period / 2, 0.005, period / 2});
  MUST(context, firn_sim_add_emitter(sim, &def, NULL));
  MUST(context, firn_sim_advance(sim, 0.1, NULL, NULL));
  size_t n = firn_sim_count(sim);
  assert_true(n > 80);
  double *x = read_field(context, sim, "position", 3);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) {
      double d2 = 0;
      for (size_t a = 0; a < 3; a++) {
        double d = fabs(x[3 * i + a] - x[3 * j + a]);
        if (a != 1) d = fmin(d, period - d);
        d2 += d * d;
      }
      assert_true(sqrt(d2) >= D * (1 - 1e-5));
    }
  }
  free(x);
  firn_sim_destroy(sim);
  drop_context(context);
}

// Snow falls on the ground and into itself.
static firn_sim *build(firn_context *context, bool resume) {
  firn_sim *sim = open_sim(context, 9.81);
  if (resume) firn_sim_expect_load(sim);
  firn_emitter_def def = sheet(40);
  def.fill.shape = firn_box((double[]){0, 0.08, 0}, (double[]){0.1, 0.03, 0.1});
  def.fill.velocity[1] = -0.5;
  def.spread = 0.2;
  MUST(context, firn_sim_add_emitter(sim, &def, NULL));
  firn_collider_def ground = firn_default_collider_def();
  MUST(context, firn_sim_add_collider(sim, &ground, NULL));
  return sim;
}

static void threads_do_not_matter(void **state) {
  (void)state;
  firn_context *one = make_context(1, FIRN_ISA_AUTO), *many = make_context(3, FIRN_ISA_AUTO);
  firn_sim *s = build(one, false), *t = build(many, false);
  MUST(one, firn_sim_advance(s, 0.1, NULL, NULL));
  MUST(many, firn_sim_advance(t, 0.1, NULL, NULL));
  assert_true(firn_sim_count(s) > 150);
  assert_same(one, s, many, t);
  firn_sim_destroy(s);
  firn_sim_destroy(t);
  drop_context(one);
  drop_context(many);
}

static void checkpoints_go_on(void **state) {
  scratch *s = *state;
  firn_context *context = s->context;
  firn_sim *whole = build(context, false), *again = build(context, true);
  MUST(context, firn_sim_advance(whole, 0.0613, NULL, NULL));
  MUST(context, firn_sim_save(whole, scratch_path(s, "half.hdf")));
  MUST(context, firn_sim_load(again, scratch_path(s, "half.hdf")));
  for (int i = 0; i < 2; i++) MUST(context, firn_sim_advance(i ? again : whole, 0.04, NULL, NULL));
  assert_true(firn_sim_count(whole) > 150);
  assert_same(context, whole, context, again);
  firn_sim_destroy(whole);
  firn_sim_destroy(again);
}

static void wrong_snowfall_is_refused(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, 0);
  firn_emitter_def def = sheet(1);
  def.fill.per_cell = 1.0 / 100;
  MUST_FAIL(context, firn_sim_add_emitter(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "emitter 'sky'",
            "4 cells");
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_are_kept),
      cmocka_unit_test(flakes_have_any_size),
      cmocka_unit_test(flakes_keep_their_distance),
      cmocka_unit_test(debts_are_paid_for_a_second_at_most),
      cmocka_unit_test(flakes_keep_their_distance_round_periods),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test_setup_teardown(checkpoints_go_on, scratch_open, scratch_close),
      cmocka_unit_test(wrong_snowfall_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
