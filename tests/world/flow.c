// SPDX-License-Identifier: Apache-2.0
// Emitters, sinks, the kill box and delayed fills: how much comes and goes, where and when, and that a
// checkpoint goes on with all of it.
#include "cache/scratch.h"
//
#include "api/setup.h"

static const double H = 0.02; // m

// Nothing moves but by its own velocity.
static firn_sim *open_sim(firn_context *context, firn_transfer transfer) {
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.seed = 3;
  def.gravity[1] = 0;
  def.mpm.transfer = transfer;
  def.mpm.volume_nominal = true;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  return make_sim(context, &def);
}

static firn_emitter_def gun(firn_emit kind, double rate) {
  firn_emitter_def def = firn_default_emitter_def();
  def.fill.shape = firn_box((double[]){0, 0, 0}, (double[]){2 * H, 2 * H, 2 * H});
  def.fill.velocity[0] = 2;
  def.fill.name = "gun";
  def.kind = kind;
  def.rate = rate;
  return def;
}

// Particles come at the beginning of steps, in lots of 2 ms: up to that much is still owed.
static void rates_are_kept_in_particles_volume_and_mass(void **state) {
  (void)state;
  static const firn_emit kinds[] = {FIRN_EMIT_PARTICLES, FIRN_EMIT_VOLUME, FIRN_EMIT_MASS};
  const double share = H * H * H / 8, rate = 5000; // m^3 a particle, 1/s
  for (int k = 0; k < 3; k++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, FIRN_TRANSFER_FLIP);
    const double rates[] = {rate, rate * share, rate * share * 400};
    firn_emitter_def def = gun(kinds[k], rates[k]);
    def.start = 0.01;
    def.stop = 0.04;
    int id = -1;
    MUST(context, firn_sim_add_emitter(sim, &def, &id));
    MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
    assert_int_equal(firn_sim_count(sim), 0);
    MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
    double n = (double)firn_sim_count(sim);
    assert_true(n <= rate * 0.01 && n > rate * (0.01 - 2.6e-3));
    MUST(context, firn_sim_advance(sim, 0.03, NULL, NULL));
    assert_true(fabs((double)firn_sim_count(sim) - rate * 0.03) <= 1);
    assert_int_equal(firn_sim_emitted(sim, id), firn_sim_count(sim));
    firn_sums sums;
    MUST(context, firn_sim_sums(sim, &sums));
    assert_true(fabs(sums.mass / (rate * 0.03 * share * 400) - 1) < 2.0 / 150); // one may be owed
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

static void emitters_stop_at_their_number_and_rest_at_rate_zero(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, FIRN_TRANSFER_FLIP);
  firn_emitter_def def = gun(FIRN_EMIT_PARTICLES, 10000);
  int a, b;
  def.max_count = 37;
  MUST(context, firn_sim_add_emitter(sim, &def, &a));
  def.max_count = 0;
  MUST(context, firn_sim_add_emitter(sim, &def, &b));
  MUST(context, firn_sim_set_emitter_rate(sim, b, 0));
  MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
  assert_int_equal(firn_sim_emitted(sim, a), 37);
  assert_int_equal(firn_sim_emitted(sim, b), 0);
  MUST(context, firn_sim_set_emitter_rate(sim, b, 1000));
  MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
  assert_in_range(firn_sim_emitted(sim, b), 7, 10);
  MUST_FAIL(context, firn_sim_set_emitter_rate(sim, 2, 1), FIRN_ERROR_ARGUMENT, "emitter 2");
  def.rate = -1;
  MUST_FAIL(context, firn_sim_add_emitter(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "emitter 'gun'",
            "rate = -1");
  def.rate = 1;
  def.start = 2;
  def.stop = 1;
  MUST_FAIL(context, firn_sim_add_emitter(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "starts at 2 s");
  firn_sim_destroy(sim);
  drop_context(context);
}

// A stream of lattice particles that nothing disturbs is one lattice from end to end: x - v t of each
// is an odd multiple of h/4, and its length is that of the emitter and of the way it went.
static void inflow_is_one_unbroken_stream(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, FIRN_TRANSFER_FLIP);
  firn_emitter_def def = gun(FIRN_EMIT_INFLOW, 0);
  def.fill.seeding = FIRN_SEEDING_LATTICE;
  MUST(context, firn_sim_add_emitter(sim, &def, NULL));
  const double time = 0.03, speed = 2;
  MUST(context, firn_sim_advance(sim, time, NULL, NULL));
  size_t n = firn_sim_count(sim);
  double *x = read_field(context, sim, "position", 3), least = 9, most = -9;
  for (size_t i = 0; i < n; i++) {
    double phase = (x[3 * i] - speed * time) / (H / 2) - 0.5;
    // Moved in 100 steps or so, each rounded to eps of a block.
    assert_true(fabs(phase - rint(phase)) < 2e-3);
    least = fmin(least, x[3 * i]);
    most = fmax(most, x[3 * i]);
  }
  // Layers of 4 h x 4 h with 64 particles, one every h/2; of the last layers up to a quarter cell,
  // and one step's way, may still be owed.
  double layers = (4 * H + speed * time) / (H / 2);
  assert_true(n % 64 == 0);
  assert_true(fabs((double)n / 64 - layers) <= 1.01);
  assert_true(fabs(most - (2 * H - H / 4 + speed * time)) < 1e-4);
  assert_true(least < -2 * H + 0.8 * H);
  free(x);
  firn_sim_destroy(sim);
  drop_context(context);
}

// Rows keep the order of ids whoever has gone, and ids are never given twice.
static void removal_keeps_rows_in_the_order_of_ids(void **state) {
  (void)state;
  for (int apic = 0; apic < 2; apic++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, apic ? FIRN_TRANSFER_APIC : FIRN_TRANSFER_FLIP);
    firn_fill_def fill = firn_default_fill_def();
    fill.shape = firn_box((double[]){0, 0, 0}, (double[]){0.2, 0.1, 0.1});
    fill.per_cell = 2;
    MUST(context, firn_sim_fill(sim, &fill));
    size_t before = firn_sim_count(sim);
    double *x = read_field(context, sim, "position", 3);
    double *jp = malloc(before * sizeof *jp);
    for (size_t i = 0; i < before; i++) jp[i] = 1 + 1e-4 * (double)(i % 1000);
    MUST(context, firn_sim_write(sim, "jp", jp));
    firn_sink_def drain = firn_default_sink_def();
    drain.shape = firn_sphere((double[]){0.05, 0, 0}, 0.06);
    MUST(context, firn_sim_add_sink(sim, &drain, NULL));
    MUST(context, firn_sim_set_kill_box(sim, (double[]){-0.1, -INFINITY, -INFINITY},
                                        (double[]){INFINITY, INFINITY, 0.05}));
    MUST(context, firn_sim_step(sim, 1e-7, NULL));
    size_t n = firn_sim_count(sim), expected = 0;
    double *id = read_field(context, sim, "id", 1), *y = read_field(context, sim, "position", 3);
    double *kept = read_field(context, sim, "jp", 1);
    for (size_t i = 0; i < before; i++) {
      const double *p = x + 3 * i, d = hypot(hypot(p[0] - 0.05, p[1]), p[2]);
      if (d <= 0.06 || p[0] < -0.1 || p[2] > 0.05) continue;
      assert_true(expected < n && id[expected] == (double)i);
      for (size_t a = 0; a < 3; a++) assert_true(fabs(y[3 * expected + a] - p[a]) < 1e-6);
      assert_true(fabs(kept[expected] - jp[i]) < 1e-5);
      expected++;
    }
    assert_int_equal(expected, n);
    assert_true(n > 100 && n < before);
    MUST(context, add_one(sim, 0.15, 0, 0));
    double *late = read_field(context, sim, "id", 1);
    assert_true(late[n] == (double)before);
    // Everything goes, and time goes on.
    MUST(context, firn_sim_set_kill_box(sim, (double[]){5, 5, 5}, (double[]){6, 6, 6}));
    MUST(context, firn_sim_advance(sim, 2e-3, NULL, NULL));
    assert_int_equal(firn_sim_count(sim), 0);
    MUST(context, add_one(sim, 5.5, 5.5, 5.5));
    MUST(context, firn_sim_advance(sim, 2e-3, NULL, NULL));
    assert_int_equal(firn_sim_count(sim), 1);
    free(x), free(jp), free(id), free(y), free(kept), free(late);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

static void sinks_act_between_their_times(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, FIRN_TRANSFER_FLIP);
  firn_sink_def drain = firn_default_sink_def();
  drain.shape = firn_sphere((double[]){0, 0, 0}, 0.05);
  drain.start = 0.01;
  drain.stop = 0.02;
  MUST(context, firn_sim_add_sink(sim, &drain, NULL));
  const size_t left[] = {1, 0, 1}; // before, meanwhile, after
  for (int i = 0; i < 3; i++) {
    MUST(context, add_one(sim, 0, 0, 0));
    MUST(context, firn_sim_advance(sim, 2e-3, NULL, NULL));
    assert_int_equal(firn_sim_count(sim), left[i]);
    MUST(context, firn_sim_advance(sim, 0.012 * (i + 1) - firn_sim_time(sim), NULL, NULL));
  }
  firn_sim_destroy(sim);
  drop_context(context);
}

static void fills_appear_at_their_time(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, FIRN_TRANSFER_FLIP);
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[]){0, 0, 0}, 0.06);
  fill.time = 0.01;
  MUST(context, firn_sim_fill(sim, &fill));
  MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
  assert_int_equal(firn_sim_count(sim), 0); // the step that begins then is the next
  MUST(context, firn_sim_step(sim, 1e-4, NULL));
  size_t n = firn_sim_count(sim);
  assert_true(fabs((double)n - 905) < 150); // 4/3 pi 3^3 cells of 8
  MUST(context, firn_sim_advance(sim, 1e-3, NULL, NULL));
  assert_int_equal(firn_sim_count(sim), n);
  firn_sim_destroy(sim);
  drop_context(context);
}

// A checkpoint in the middle of all that: the resumed run is the undisturbed one, bit by bit.
static firn_sim *build_all(firn_context *context, bool resume) {
  firn_sim *sim = open_sim(context, FIRN_TRANSFER_FLIP);
  if (resume) firn_sim_expect_load(sim);
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[]){0.3, 0, 0}, 0.06);
  MUST(context, firn_sim_fill(sim, &fill));
  fill.shape = firn_sphere((double[]){0.3, 0.3, 0}, 0.06);
  fill.time = 0.015;
  MUST(context, firn_sim_fill(sim, &fill));
  firn_emitter_def def = gun(FIRN_EMIT_INFLOW, 0);
  MUST(context, firn_sim_add_emitter(sim, &def, NULL));
  def = gun(FIRN_EMIT_PARTICLES, 4000);
  def.fill.shape = firn_sphere((double[]){0, 0.3, 0}, 0.05);
  def.spread = 0.5;
  MUST(context, firn_sim_add_emitter(sim, &def, NULL));
  firn_sink_def drain = firn_default_sink_def();
  drain.shape = firn_box((double[]){0.1, 0, 0}, (double[]){0.02, 0.5, 0.5});
  MUST(context, firn_sim_add_sink(sim, &drain, NULL));
  return sim;
}

static void checkpoints_go_on_with_sources(void **state) {
  scratch *s = *state;
  firn_context *context = s->context;
  firn_sim *whole = build_all(context, false), *again = build_all(context, true);
  assert_int_equal(firn_sim_count(again), 0);
  MUST(context, firn_sim_advance(whole, 0.0113, NULL, NULL));
  MUST(context, firn_sim_save(whole, scratch_path(s, "half.hdf")));
  MUST(context, firn_sim_load(again, scratch_path(s, "half.hdf")));
  for (int i = 0; i < 2; i++) MUST(context, firn_sim_advance(i ? again : whole, 0.01, NULL, NULL));
  size_t n = firn_sim_count(whole);
  assert_true(n > 1000);
  assert_int_equal(firn_sim_count(again), n);
  static const char *const fields[] = {"id", "position", "velocity", "jp"};
  for (int f = 0; f < 4; f++) {
    int components = f == 1 || f == 2 ? 3 : 1;
    double *a = read_field(context, whole, fields[f], components);
    double *b = read_field(context, again, fields[f], components);
    assert_memory_equal(a, b, n * (size_t)components * sizeof *a);
    free(a), free(b);
  }
  // A simulation without the sources is told so.
  firn_sim *bare = open_sim(context, FIRN_TRANSFER_FLIP);
  MUST_FAIL(context, firn_sim_load(bare, scratch_path(s, "half.hdf")), FIRN_ERROR_FORMAT,
            "emitters");
  firn_sim_destroy(bare);
  firn_sim_destroy(whole);
  firn_sim_destroy(again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_are_kept_in_particles_volume_and_mass),
      cmocka_unit_test(emitters_stop_at_their_number_and_rest_at_rate_zero),
      cmocka_unit_test(inflow_is_one_unbroken_stream),
      cmocka_unit_test(removal_keeps_rows_in_the_order_of_ids),
      cmocka_unit_test(sinks_act_between_their_times),
      cmocka_unit_test(fills_appear_at_their_time),
      cmocka_unit_test_setup_teardown(checkpoints_go_on_with_sources, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
