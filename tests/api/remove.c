// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// Colliders and particles that a program takes away between two steps: what is left goes on as it
// should, numbers stay valid, books stay right, and states that were saved around it can be gone on
// with.
#include "api/yard.h"

#include <stdio.h>
#include <unistd.h>

static const char *path_of(const char *which) {
  static char path[2][96];
  char *out = path[which[0] == 'a'];
  snprintf(out, sizeof path[0], "/tmp/firn-remove-%s-%d-%zu.hdf", which, (int)getpid(),
           sizeof(firn_real));
  return out;
}

static void go(yard *y, int steps) {
  firn_step step = {0};
  for (int i = 0; i < steps; i++) MUST(y->context, firn_sim_step(y->sim, 5e-4, &step));
  y->asleep = step.asleep;
}

// ------------------------------------------------------------------------------------- colliders

// As one that is not present: the snow meets it no more, and nothing else is different.
static void snow_meets_a_removed_collider_no_more(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard a = yard_open(1, SOLVERS[s], true), b = yard_open(3, SOLVERS[s], true);
    yard_go(&a, 12), yard_go(&b, 12);
    const int id[] = {a.plough, a.plate, a.rotor};
    firn_collider_force before, after, step;
    MUST(a.context, firn_sim_collider_force(a.sim, a.plough, &before));
    for (int i = 0; i < 3; i++) {
      MUST(a.context, firn_sim_remove_collider(a.sim, id[i]));
      MUST(b.context, firn_sim_set_present(b.sim, id[i], false));
    }
    go(&a, 20), go(&b, 20);
    snapshot expected = snapshot_take(b.sim);
    SAME(&expected, &a);
    snapshot_drop(&expected);
    // What it was pushed by stays, with the time that this is over; the floor's goes on.
    MUST(a.context, firn_sim_collider_force(a.sim, a.plough, &after));
    assert_memory_equal(&before, &after, sizeof before);
    MUST(a.context, firn_sim_collider_step(a.sim, a.plough, &step));
    assert_true(step.time == 0 && step.impulse[1] == 0 && before.time > 0);
    MUST(a.context, firn_sim_collider_force(a.sim, a.floor, &after));
    assert_true(after.time > before.time);
    firn_sim_collider_force_reset(a.sim);
    MUST(a.context, firn_sim_collider_force(a.sim, a.plough, &after));
    assert_true(after.time == 0 && after.work == before.work);
    yard_close(&a), yard_close(&b);
  }
}

static void numbers_stay_valid(void **state) {
  (void)state;
  yard y = yard_open(1, "mpm", true);
  firn_collider_state c;
  firn_collider_def def = firn_default_collider_def();
  firn_body body;
  int id = -1;
  MUST(y.context, firn_sim_remove_collider(y.sim, y.plough));
  assert_int_equal(firn_sim_collider_count(y.sim), 4);
  def.name = "newcomer";
  def.shape = firn_sphere((double[]){0, 3, 0}, 0.1);
  MUST(y.context, firn_sim_add_collider(y.sim, &def, &id));
  assert_int_equal(id, 4);
  MUST(y.context, firn_sim_collider(y.sim, y.plate, &c));
  assert_string_equal(c.name, "plate");
  assert_true(c.present && !c.removed);
  MUST(y.context, firn_sim_collider(y.sim, y.plough, &c));
  assert_string_equal(c.name, "plough");
  assert_true(!c.present && c.removed);
  MUST(y.context, firn_sim_body(y.sim, y.rotor, 1, &body));
  MUST(y.context, firn_sim_drive(y.sim, y.rotor, 1, &body));
  go(&y, 3);
  // Whatever would change it is refused by its name.
  MUST(y.context, firn_sim_body(y.sim, y.plough, -1, &body));
  MUST_FAIL(y.context, firn_sim_drive(y.sim, y.plough, -1, &body), FIRN_ERROR_STATE, "'plough'",
            "removed");
  MUST_FAIL(y.context, firn_sim_set_present(y.sim, y.plough, true), FIRN_ERROR_STATE, "'plough'");
  MUST_FAIL(y.context, firn_sim_set_friction(y.sim, y.plough, 1), FIRN_ERROR_STATE, "'plough'");
  MUST_FAIL(y.context, firn_sim_set_sticky(y.sim, y.plough, true), FIRN_ERROR_STATE, "'plough'");
  MUST_FAIL(y.context, firn_sim_set_temperature(y.sim, y.plough, 260), FIRN_ERROR_STATE,
            "'plough'");
  MUST_FAIL(y.context, firn_sim_remove_collider(y.sim, y.plough), FIRN_ERROR_STATE, "collider 1",
            "'plough'", "removed");
  MUST_FAIL(y.context, firn_sim_remove_collider(y.sim, 5), FIRN_ERROR_ARGUMENT, "collider 5");
  MUST_FAIL(y.context, firn_sim_remove_collider(y.sim, -1), FIRN_ERROR_ARGUMENT, "collider -1");
  assert_int_equal(firn_sim_remove_collider(NULL, 0), FIRN_ERROR_ARGUMENT);
  yard_close(&y);
}

// Snow that lies asleep on what is taken away falls with all of gravity.
static void snow_that_slept_on_it_falls(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  yard y = {.context = context, .sim = yard_sim(context, "mpm")};
  firn_material_def powder = firn_default_material_def();
  firn_collider_def floor = firn_default_collider_def();
  firn_fill_def bed = firn_default_fill_def();
  bed.shape = firn_box((double[]){0.13, 0.1, 0.02}, (double[]){0.1, 0.1, 0.1});
  bed.settled = true;
  MUST(context, firn_sim_add_material(y.sim, &powder, NULL));
  MUST(context, firn_sim_add_collider(y.sim, &floor, &y.floor));
  MUST(context, firn_sim_fill(y.sim, &bed));
  go(&y, 40);
  assert_int_equal(y.asleep, firn_sim_count(y.sim));
  firn_sums after;
  MUST(context, firn_sim_remove_collider(y.sim, y.floor));
  double start = firn_sim_time(y.sim);
  go(&y, 40);
  MUST(context, firn_sim_sums(y.sim, &after));
  double fall = 9.81 * (firn_sim_time(y.sim) - start) * after.mass;
  print_message("gained %.6f of what gravity gives\n", -after.momentum[1] / fall);
  // It slept, so it begins at 0; explicit steps keep momentum to the rounding of 800 sums a step,
  // some 1e-5. Snow that the next review wakes, up to 16 steps later, would lack a third.
  assert_true(fabs(-after.momentum[1] / fall - 1) < 1e-4);
  yard_close(&y);
}

static void a_window_keeps_what_it_follows(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  firn_collider_def def = firn_default_collider_def();
  firn_window_def window = firn_default_window_def();
  MUST(context, firn_sim_add_collider(sim, &def, NULL));
  window.follow = 0;
  MUST(context, firn_sim_set_window(sim, &window));
  MUST_FAIL(context, firn_sim_remove_collider(sim, 0), FIRN_ERROR_STATE, "window follows");
  int other;
  MUST(context, firn_sim_add_collider(sim, &def, &other));
  MUST(context, firn_sim_remove_collider(sim, other));
  window.follow = other;
  MUST_FAIL(context, firn_sim_set_window(sim, &window), FIRN_ERROR_STATE, "was removed");
  window.follow = other + 1;
  MUST_FAIL(context, firn_sim_set_window(sim, &window), FIRN_ERROR_ARGUMENT, "does not exist");
  MUST_FAIL(context, firn_sim_remove_collider(sim, 0), FIRN_ERROR_STATE, "window follows");
  firn_sim_destroy(sim);
  drop_context(context);
}

// Its shape goes with it, or with the last snapshot that it is in; and comes back from that.
static void memory_of_a_removed_collider_is_given_back(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  firn_collider_def def = firn_default_collider_def();
  firn_snapshot *shot;
  def.shape = firn_sphere((double[]){0, 0, 0}, 1);
  MUST(context, firn_sim_add_collider(sim, &def, NULL));
  MUST(context, firn_sim_take_snapshot(sim, &shot));
  size_t with = firn_context_bytes(context);
  MUST(context, firn_sim_remove_collider(sim, 0));
  assert_int_equal(firn_context_bytes(context), with);
  MUST(context, firn_sim_restore(sim, shot));
  firn_collider_state c;
  MUST(context, firn_sim_collider(sim, 0, &c));
  assert_true(c.present && !c.removed);
  size_t kept = firn_context_bytes(context) - firn_snapshot_bytes(shot);
  MUST(context, firn_sim_remove_collider(sim, 0));
  firn_snapshot_destroy(shot);
  assert_true(firn_context_bytes(context) < kept);
  firn_sim_destroy(sim);
  drop_context(context);
}

// A program that drives a scene may take away what the scene keys.
static void keys_of_a_removed_collider_have_no_effect(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_scene *scene;
  firn_sim *sim;
  firn_collider_state c;
  FILE *file = fopen(path_of("scene"), "w");
  assert_non_null(file);
  fputs("firn: 1\nspacing: 5 cm\nsnow: [{shape: {sphere: {center: [0, 1, 0], radius: 10 cm}}}]\n"
        "colliders:\n  - {name: gate, shape: {half_space: {}}, present: {keys: [[0, true], [1, "
        "false]]},\n     friction: {keys: [[0, 0.1], [1, 0.3]]}}\n"
        "  - {name: wall, shape: {half_space: {normal: [1, 0, 0], point: [-2, 0, 0]}}, friction: "
        "{keys: "
        "[[0, 0.1], [1 ms, 0.3]]}}\n",
        file);
  fclose(file);
  MUST(context, firn_scene_load(context, path_of("scene"), 0, NULL, &scene));
  MUST(context, firn_scene_build(scene, &sim));
  MUST(context, firn_sim_remove_collider(sim, 0));
  MUST(context, firn_sim_advance(sim, 1e-3, NULL, NULL));
  MUST(context, firn_scene_apply(scene, sim));
  MUST(context, firn_sim_collider(sim, 0, &c));
  assert_true(c.removed && !c.present);
  MUST(context, firn_sim_collider(sim, 1, &c));
  assert_true(fabs(c.friction - 0.3) < 1e-12); // others follow theirs
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  drop_context(context);
  unlink(path_of("scene"));
}

static void checkpoints_know_what_was_removed(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard y = yard_open(1, SOLVERS[s], true), fresh = yard_open(2, SOLVERS[s], false);
    yard_go(&y, 3);
    MUST(y.context, firn_sim_save(y.sim, path_of("before")));
    MUST(y.context, firn_sim_remove_collider(y.sim, y.rotor));
    MUST(y.context, firn_sim_remove_collider(y.sim, y.plate));
    MUST(y.context, firn_sim_save(y.sim, path_of("after")));
    MUST(fresh.context, firn_sim_load(fresh.sim, path_of("after")));
    firn_collider_state c;
    MUST(fresh.context, firn_sim_collider(fresh.sim, fresh.rotor, &c));
    assert_true(c.removed && !c.present);
    yard_go(&y, 12), yard_go(&fresh, 12);
    snapshot expected = snapshot_take(y.sim);
    SAME(&expected, &fresh);
    // What is gone cannot come back from a file.
    MUST_FAIL(y.context, firn_sim_load(y.sim, path_of("before")), FIRN_ERROR_STATE, "'plate'",
              "removed here");
    SAME(&expected, &y);
    MUST(y.context, firn_sim_load(y.sim, path_of("after")));
    yard_go(&y, 12);
    SAME(&expected, &y);
    snapshot_drop(&expected);
    unlink(path_of("before"));
    unlink(path_of("after"));
    yard_close(&y), yard_close(&fresh);
  }
}

// ------------------------------------------------------------------------------------- particles

static firn_shape_def region(void) {
  return firn_sphere((double[]){0.05, 0.18, 0.03}, 0.09);
}

static firn_removal_def inside(const firn_shape_def *shape) {
  firn_removal_def def = firn_default_removal_def();
  def.shape = shape;
  return def;
}

// Those inside go, all others keep every number, and the books of energy tell of no loss.
static void what_lies_in_a_shape_goes(void **state) {
  (void)state;
  const firn_shape_def shape = region();
  const firn_removal_def def = inside(&shape);
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard y = yard_open(1, SOLVERS[s], true);
    MUST(y.context, firn_sim_set_wind(y.sim, NULL));
    yard_go(&y, 6);
    firn_sums before, after;
    size_t count = firn_sim_count(y.sim), removed = 0, kept = 0;
    double mass = 0, *x = read_field(y.context, y.sim, "position", 3);
    double *id = read_field(y.context, y.sim, "id", 1),
           *m = read_field(y.context, y.sim, "mass", 1);
    double *density = read_field(y.context, y.sim, "density", 1);
    MUST(y.context, firn_sim_sums(y.sim, &before));
    MUST(y.context, firn_sim_remove_particles(y.sim, &def, &removed));
    MUST(y.context, firn_sim_sums(y.sim, &after));
    assert_in_range(removed, 30, count / 2);
    assert_int_equal(firn_sim_count(y.sim), count - removed);
    double *x2 = read_field(y.context, y.sim, "position", 3);
    double *id2 = read_field(y.context, y.sim, "id", 1);
    double *density2 = read_field(y.context, y.sim, "density", 1);
    for (size_t i = 0; i < count; i++) {
      double d[3] = {x[3 * i] - 0.05, x[3 * i + 1] - 0.18, x[3 * i + 2] - 0.03};
      if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= 0.09 * 0.09) {
        mass += m[i];
        continue;
      }
      assert_true(id2[kept] == id[i] && density2[kept] == density[i]);
      assert_memory_equal(x2 + 3 * kept, x + 3 * i, 3 * sizeof *x);
      kept++;
    }
    assert_int_equal(kept, count - removed);
    // Sums of doubles in another order; what is lost is a small difference of large sums of working
    // precision.
    assert_true(fabs(before.mass - mass - after.mass) < 1e-12 * before.mass);
    double scale = before.energy_kinetic + before.energy_elastic + fabs(before.energy_gravity);
    double change = after.energy_lost - before.energy_lost;
    print_message("%s: %zu of %zu, %.3g J of %.3g J less\n", SOLVERS[s], removed, count, change,
                  scale);
    assert_true(fabs(change) < 1e-5 * scale);
    go(&y, 6);
    free(x), free(id), free(m), free(density), free(x2), free(id2), free(density2);
    yard_close(&y);
  }
}

// The same as a sink of that shape at the step that follows.
static void it_is_what_a_sink_does(void **state) {
  (void)state;
  const firn_shape_def shape = region();
  const firn_removal_def def = inside(&shape);
  yard_sleeps = false; // what sleeps is woken here, and not by sinks
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard a = yard_open(1, SOLVERS[s], true), b = yard_open(3, SOLVERS[s], true);
    yard_go(&a, 8), yard_go(&b, 8);
    firn_sink_def sink = firn_default_sink_def();
    sink.shape = shape;
    sink.stop = firn_sim_time(b.sim);
    MUST(a.context, firn_sim_remove_particles(a.sim, &def, NULL));
    MUST(b.context, firn_sim_add_sink(b.sim, &sink, NULL));
    size_t count = firn_sim_count(b.sim);
    yard_go(&a, 12), yard_go(&b, 12);
    assert_true(firn_sim_count(b.sim) < count);
    snapshot expected = snapshot_take(b.sim);
    SAME(&expected, &a);
    snapshot_drop(&expected);
    yard_close(&a), yard_close(&b);
  }
  yard_sleeps = true;
}

static void particles_go_by_their_ids(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard y = yard_open(2, SOLVERS[s], true);
    yard_go(&y, 6);
    const firn_shape_def shape = region();
    const uint64_t some[] = {700, 3, 64, 63, 3, 127}, again[] = {5, 64};
    const uint64_t unknown[] = {5, 1u << 20};
    firn_removal_def def = firn_default_removal_def();
    size_t count = firn_sim_count(y.sim), removed = 99;
    def.ids = some;
    def.id_count = 6;
    MUST(y.context, firn_sim_remove_particles(y.sim, &def, &removed));
    assert_int_equal(removed, 5); // one is there twice
    assert_int_equal(firn_sim_count(y.sim), count - 5);
    double *id = read_field(y.context, y.sim, "id", 1);
    for (size_t i = 0; i < count - 5; i++)
      for (int k = 0; k < 6; k++) assert_true(id[i] != (double)some[k]);
    free(id);
    def.ids = again;
    def.id_count = 2;
    MUST_FAIL(y.context, firn_sim_remove_particles(y.sim, &def, &removed), FIRN_ERROR_STATE,
              "particle 64", "gone already");
    def.ids = unknown;
    MUST_FAIL(y.context, firn_sim_remove_particles(y.sim, &def, &removed), FIRN_ERROR_ARGUMENT,
              "particle 1048576 does not exist");
    assert_int_equal(firn_sim_count(y.sim), count - 5);
    // Of a list, those that lie in a shape.
    def.ids = again;
    def.id_count = 1;
    double *x = read_field(y.context, y.sim, "position", 3); // of 5 in row 4: 3 is gone
    firn_shape_def beside = firn_sphere((double[]){x[12] + 0.02, x[13], x[14]}, 0.01);
    free(x);
    def.shape = &beside;
    MUST(y.context, firn_sim_remove_particles(y.sim, &def, &removed));
    assert_int_equal(removed, 0);
    beside.radius = 0.03;
    MUST(y.context, firn_sim_remove_particles(y.sim, &def, &removed));
    assert_int_equal(removed, 1);
    def.id_count = 0; // an empty list names none
    def.shape = &shape;
    MUST(y.context, firn_sim_remove_particles(y.sim, &def, &removed));
    assert_int_equal(removed, 0);
    go(&y, 4);
    yard_close(&y);
  }
}

// What slept over it falls, as what stands on a floor that is taken away: a block of the grid and
// more above what goes, so that none of its own particles do.
static void snow_that_slept_above_falls(void **state) {
  (void)state;
  firn_shape_def below = firn_box((double[]){0.1, 0.1, 0.1}, (double[]){0.2, 0.1, 0.2});
  const firn_removal_def def = inside(&below);
  yard y = {.context = make_context(1, FIRN_ISA_AUTO)};
  firn_material_def powder = firn_default_material_def();
  firn_collider_def floor = firn_default_collider_def();
  firn_fill_def bed = firn_default_fill_def();
  y.sim = yard_sim(y.context, "mpm");
  bed.shape = firn_box((double[]){0.1, 0.3, 0.1}, (double[]){0.1, 0.3, 0.1});
  bed.settled = true;
  MUST(y.context, firn_sim_add_material(y.sim, &powder, NULL));
  MUST(y.context, firn_sim_add_collider(y.sim, &floor, NULL));
  MUST(y.context, firn_sim_fill(y.sim, &bed));
  go(&y, 40);
  assert_int_equal(y.asleep, firn_sim_count(y.sim));
  size_t removed, count = firn_sim_count(y.sim);
  MUST(y.context, firn_sim_remove_particles(y.sim, &def, &removed));
  assert_in_range(removed, count / 4, count / 2);
  firn_sums after;
  double start = firn_sim_time(y.sim);
  go(&y, 8);
  MUST(y.context, firn_sim_sums(y.sim, &after));
  double fall = 9.81 * (firn_sim_time(y.sim) - start) * after.mass;
  print_message("gained %.6f of what gravity gives\n", -after.momentum[1] / fall);
  assert_int_equal(y.asleep, 0);
  assert_true(fabs(-after.momentum[1] / fall - 1) < 1e-4);
  yard_close(&y);
}

// Wherever it is.
static void all_that_slept_wakes(void **state) {
  (void)state;
  const firn_shape_def shape = region();
  const firn_removal_def def = inside(&shape);
  yard y = yard_open(1, "mpm", true);
  yard_go(&y, 6);
  assert_true(y.asleep > 0);
  MUST(y.context, firn_sim_remove_particles(y.sim, &def, NULL));
  go(&y, 1);
  assert_int_equal(y.asleep, 0);
  yard_close(&y);
}

// Saved before a step has sorted what is left.
static void check_between(yard *a, yard *fresh) {
  firn_snapshot *shot;
  MUST(a->context, firn_sim_save(a->sim, path_of("after")));
  MUST(a->context, firn_sim_take_snapshot(a->sim, &shot));
  snapshot middle = snapshot_take(a->sim);
  MUST(fresh->context, firn_sim_load(fresh->sim, path_of("after")));
  SAME(&middle, fresh);
  go(a, 12), go(fresh, 12);
  snapshot end = snapshot_take(a->sim);
  SAME(&end, fresh);
  MUST(a->context, firn_sim_restore(a->sim, shot));
  SAME(&middle, a);
  go(a, 12);
  SAME(&end, a);
  snapshot_drop(&middle), snapshot_drop(&end);
  firn_snapshot_destroy(shot);
  unlink(path_of("after"));
}

static void states_between_removal_and_step_are_whole(void **state) {
  (void)state;
  // Some of a block of the grid, and whole ones.
  const firn_shape_def shape = region(),
                       blocks = firn_box((double[]){-3.5, 0, 0}, (double[]){0.5, 1, 1});
  const firn_removal_def def = inside(&shape), left = inside(&blocks);
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard a = yard_open(1, SOLVERS[s], true), fresh = yard_open(3, SOLVERS[s], false);
    yard_go(&a, 24);
    MUST(a.context, firn_sim_remove_particles(a.sim, &def, NULL));
    MUST(a.context, firn_sim_remove_particles(a.sim, &left, NULL));
    check_between(&a, &fresh);
    yard_close(&a), yard_close(&fresh);
  }
}

// Of snow outside the grid: single flakes, and pairs of them.
static void snow_in_flight_goes_too(void **state) {
  (void)state;
  const firn_shape_def air = firn_box((double[]){6, 3, 0}, (double[]){1.5, 1, 1});
  const firn_removal_def def = inside(&air);
  yard y[2];
  for (int k = 0; k < 2; k++) {
    firn_collider_def floor = firn_default_collider_def();
    firn_material_def powder = firn_default_material_def();
    y[k] = (yard){.context = make_context(1 + k, FIRN_ISA_AUTO)};
    y[k].sim = yard_sim(y[k].context, "mpm");
    MUST(y[k].context, firn_sim_add_material(y[k].sim, &powder, NULL));
    MUST(y[k].context, firn_sim_add_collider(y[k].sim, &floor, NULL));
    for (int i = 0; i < 6 && k == 0; i++) {
      MUST(y[k].context, add_one(y[k].sim, 5 + i, 3, 0.02 * i));
      if (i % 2) MUST(y[k].context, add_one(y[k].sim, 5.02 + i, 3, 0.02 * i));
    }
  }
  double flying, left;
  size_t removed;
  go(&y[0], 24);
  MUST(y[0].context, firn_sim_stat(y[0].sim, "flying", &flying));
  MUST(y[0].context, firn_sim_remove_particles(y[0].sim, &def, &removed));
  MUST(y[0].context, firn_sim_stat(y[0].sim, "flying", &left));
  assert_true(flying == 9 && removed == 4 && left == 5);
  check_between(&y[0], &y[1]);
  yard_close(&y[0]), yard_close(&y[1]);
}

typedef struct intruder {
  firn_context *context;
  firn_sim *sim;
  int calls;
} intruder;

static void within(void *user, const firn_force_chunk *chunk) {
  intruder *in = user;
  const uint64_t id = 1;
  firn_removal_def def = firn_default_removal_def();
  (void)chunk;
  def.ids = &id;
  def.id_count = 1;
  in->calls++;
  assert_int_equal(firn_sim_remove_particles(in->sim, &def, NULL), FIRN_ERROR_STATE);
  assert_int_equal(firn_sim_remove_collider(in->sim, 0), FIRN_ERROR_STATE);
  assert_non_null(strstr(firn_context_message(in->context), "within a step"));
}

static bool between(void *user, firn_sim *sim, const firn_step *step) {
  intruder *in = user;
  const uint64_t id = (uint64_t)in->calls++;
  firn_removal_def def = firn_default_removal_def();
  (void)step;
  def.ids = &id;
  def.id_count = 1;
  MUST(in->context, firn_sim_remove_particles(sim, &def, NULL));
  if (id == 0) MUST(in->context, firn_sim_remove_collider(sim, 0));
  return id < 3;
}

static void nothing_goes_within_a_step(void **state) {
  (void)state;
  yard y = yard_open(1, "flip", true);
  firn_force_def force = firn_default_force_def();
  intruder in = {y.context, y.sim, 0};
  MUST_FAIL(y.context, firn_sim_advance(y.sim, 1, between, &in), FIRN_CANCELLED, "cancelled");
  assert_int_equal(in.calls, 4);
  double *id = read_field(y.context, y.sim, "id", 1);
  assert_true(id[0] == 4);
  free(id);
  in.calls = 0;
  force.act = within;
  force.user = &in;
  MUST(y.context, firn_sim_add_force(y.sim, &force, NULL));
  MUST(y.context, firn_sim_step(y.sim, 0, NULL));
  assert_true(in.calls > 0);
  const firn_removal_def none = firn_default_removal_def();
  firn_removal_def bad = none;
  bad.id_count = 3;
  MUST_FAIL(y.context, firn_sim_remove_particles(y.sim, &none, NULL), FIRN_ERROR_ARGUMENT,
            "neither shape nor ids");
  MUST_FAIL(y.context, firn_sim_remove_particles(y.sim, &bad, NULL), FIRN_ERROR_ARGUMENT,
            "ids is NULL");
  MUST_FAIL(y.context, firn_sim_remove_particles(y.sim, NULL, NULL), FIRN_ERROR_ARGUMENT,
            "firn_sim_remove_particles");
  firn_shape_def flat = firn_sphere((double[]){0, 0, 0}, -1);
  const firn_removal_def nonsense = inside(&flat);
  MUST_FAIL(y.context, firn_sim_remove_particles(y.sim, &nonsense, NULL), FIRN_ERROR_ARGUMENT,
            "removal", "radius");
  yard_close(&y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_meets_a_removed_collider_no_more),
      cmocka_unit_test(numbers_stay_valid),
      cmocka_unit_test(snow_that_slept_on_it_falls),
      cmocka_unit_test(a_window_keeps_what_it_follows),
      cmocka_unit_test(memory_of_a_removed_collider_is_given_back),
      cmocka_unit_test(keys_of_a_removed_collider_have_no_effect),
      cmocka_unit_test(checkpoints_know_what_was_removed),
      cmocka_unit_test(what_lies_in_a_shape_goes),
      cmocka_unit_test(it_is_what_a_sink_does),
      cmocka_unit_test(particles_go_by_their_ids),
      cmocka_unit_test(snow_that_slept_above_falls),
      cmocka_unit_test(all_that_slept_wakes),
      cmocka_unit_test(states_between_removal_and_step_are_whole),
      cmocka_unit_test(snow_in_flight_goes_too),
      cmocka_unit_test(nothing_goes_within_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
