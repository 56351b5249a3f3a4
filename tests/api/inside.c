// SPDX-License-Identifier: Apache-2.0
// What functions of the user's may do with a simulation that calls them: between two steps nearly
// everything, within one nothing.
#include "api/setup.h"

typedef struct visit {
  firn_context *context;
  int calls;
} visit;

static void lift(void *user, const firn_force_chunk *chunk) {
  (void)user;
  for (size_t i = 0; i < chunk->count; i++) chunk->acceleration[1][i] = 12;
}

static void act(firn_context *context, firn_sim *sim, int call) {
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  assert_true(isfinite(sums.momentum[1]));
  double *v = read_field(context, sim, "velocity", 3);
  MUST(context, firn_sim_write(sim, "velocity", v));
  free(v);
  if (call == 2) { // snow, a force, a collider, and what can be set
    firn_force_def force = firn_default_force_def();
    firn_collider_def wall = firn_default_collider_def();
    MUST(context, add_one(sim, 0, 0.5, 0));
    force.act = lift;
    MUST(context, firn_sim_add_force(sim, &force, NULL));
    wall.shape = firn_half_space((double[]){-1, 0, 0}, (double[]){1, 0, 0});
    MUST(context, firn_sim_add_collider(sim, &wall, NULL));
    MUST(context, firn_sim_set_gravity(sim, (double[]){0, -1, 0}));
    MUST(context, firn_sim_set_friction(sim, 0, 0.7));
    firn_wind_def wind = firn_default_wind_def();
    MUST(context, firn_sim_set_wind(sim, &wind));
  }
}

static bool between(void *user, firn_sim *sim, const firn_step *step) {
  visit *v = user;
  double time = firn_sim_time(sim);
  (void)step;
  act(v->context, sim, ++v->calls);
  MUST_FAIL(v->context, firn_sim_step(sim, 0, NULL), FIRN_ERROR_STATE, "firn_sim_step",
            "firn_sim_advance");
  MUST_FAIL(v->context, firn_sim_advance(sim, 1, NULL, NULL), FIRN_ERROR_STATE, "under way");
  MUST_FAIL(v->context, firn_sim_load(sim, "nowhere"), FIRN_ERROR_STATE, "firn_sim_load");
  firn_sim_destroy(sim);
  assert_non_null(strstr(firn_context_message(v->context), "firn_sim_destroy"));
  assert_true(firn_sim_time(sim) == time);
  return true;
}

// The same as a program that does it between steps of its own.
static void a_progress_function_acts_as_between_steps(void **state) {
  (void)state;
  static const char *const solvers[] = {"mpm", "sph", "flip"};
  for (int s = 0; s < 3; s++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    double *x[2];
    size_t count[2];
    for (int k = 0; k < 2; k++) {
      firn_sim_def def = firn_default_sim_def();
      firn_sph_def sph = firn_default_sph_def();
      firn_flip_def flip = firn_default_flip_def();
      def.h = 0.02;
      def.solver = solvers[s];
      def.mpm.dt = sph.dt = flip.dt = 1.0 / 1024; // such that times are exact
      if (s == 1) def.settings = &sph;
      if (s == 2) def.settings = &flip;
      firn_sim *sim = make_sim(context, &def);
      visit v = {context, 0};
      add_ball(context, sim);
      if (k == 0) MUST(context, firn_sim_advance(sim, 10.0 / 1024, between, &v));
      for (int i = 1; k == 1 && i <= 10; i++) {
        MUST(context, firn_sim_step(sim, 0, NULL));
        act(context, sim, i);
      }
      assert_int_equal(k == 0 ? v.calls : 10, 10);
      count[k] = firn_sim_count(sim);
      x[k] = read_field(context, sim, "position", 3);
      firn_sim_destroy(sim);
    }
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(x[0], x[1], 3 * count[0] * sizeof(double));
    free(x[0]), free(x[1]);
    drop_context(context);
  }
}

typedef struct intruder {
  firn_context *context;
  firn_sim *sim;
  int refused;
} intruder;

static void intrude(void *user, const firn_force_chunk *chunk) {
  intruder *in = user;
  firn_fill_def fill = firn_default_fill_def();
  firn_view view;
  double number;
  (void)chunk;
  const firn_status all[] = {firn_sim_step(in->sim, 0, NULL),
                             firn_sim_fill(in->sim, &fill),
                             firn_sim_set_gravity(in->sim, (double[]){0, 0, 0}),
                             firn_sim_set_friction(in->sim, 0, 1),
                             firn_sim_read(in->sim, "mass", &number),
                             firn_sim_view(in->sim, 0, &view),
                             firn_sim_save(in->sim, "nowhere"),
                             firn_sim_set_force(in->sim, 0, &(firn_force_def){0})};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    assert_int_equal(all[i], FIRN_ERROR_STATE);
    in->refused++;
  }
  assert_non_null(strstr(firn_context_message(in->context), "within a step"));
  // By the names that a program knows them by.
  firn_sums sums;
  firn_collider_state collider;
  firn_collider_force push;
  firn_pieces pieces;
  firn_pieces_def def = firn_default_pieces_def();
  MUST_FAIL(in->context, firn_sim_sums(in->sim, &sums), FIRN_ERROR_STATE, "firn_sim_sums: ");
  MUST_FAIL(in->context, firn_sim_measure(in->sim, &sums, NULL), FIRN_ERROR_STATE,
            "firn_sim_measure: ");
  MUST_FAIL(in->context, firn_sim_collider(in->sim, 0, &collider), FIRN_ERROR_STATE,
            "firn_sim_collider: ");
  MUST_FAIL(in->context, firn_sim_collider_force(in->sim, 0, &push), FIRN_ERROR_STATE,
            "firn_sim_collider_force: ");
  MUST_FAIL(in->context, firn_sim_collider_step(in->sim, 0, &push), FIRN_ERROR_STATE,
            "firn_sim_collider_step: ");
  MUST_FAIL(in->context, firn_sim_pieces(in->sim, &def, &pieces), FIRN_ERROR_STATE,
            "firn_sim_pieces: ");
}

static void nothing_may_be_asked_within_a_step(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.02;
  firn_sim *sim = make_sim(context, &def);
  intruder in = {context, sim, 0};
  firn_force_def force = firn_default_force_def();
  add_ball(context, sim);
  force.act = intrude;
  force.user = &in;
  MUST(context, firn_sim_add_force(sim, &force, NULL));
  MUST(context, firn_sim_step(sim, 0, NULL));
  assert_true(in.refused > 0);
  MUST(context, firn_sim_set_gravity(sim, (double[]){0, 0, 0})); // after it, it may
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_progress_function_acts_as_between_steps),
      cmocka_unit_test(nothing_may_be_asked_within_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
