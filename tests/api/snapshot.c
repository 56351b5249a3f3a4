// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// States that come back: a checkpoint loaded into a simulation that has snow, and snapshots in
// memory. What goes on from there goes on to the same bytes as what was never disturbed; what fails
// leaves everything as it was.
#include "api/yard.h"

#include <stdio.h>
#include <unistd.h>

#include "support/books.h"
#include "support/checker.h"

enum { BEFORE = 24, AFTER = 32 };

// What the snow has done to colliders, in all and in the last step, and where they are.
typedef struct pushes {
  firn_collider_force sum[4], step[4];
  firn_body body[4];
  uint64_t emitted;
} pushes;

static pushes pushes_of(const yard *y) {
  pushes p;
  memset(&p, 0, sizeof p);
  for (int i = 0; i < 4; i++) {
    MUST(y->context, firn_sim_body(y->sim, i, -1, &p.body[i]));
    if (i == y->rotor) continue;
    MUST(y->context, firn_sim_collider_force(y->sim, i, &p.sum[i]));
    MUST(y->context, firn_sim_collider_step(y->sim, i, &p.step[i]));
  }
  p.emitted = firn_sim_emitted(y->sim, y->emitter);
  return p;
}

// Snow that comes later, laid in the pattern that is free there.
static void lay(yard *y) {
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[]){1.5, 0.5, 0.02}, 0.06);
  MUST(y->context, firn_sim_fill(y->sim, &fill));
}

// All that a program may do with it in the meantime.
static void disturb(yard *y) {
  firn_context *context = y->context;
  firn_body body;
  MUST(context, firn_sim_body(y->sim, y->plough, -1, &body));
  body.pivot[1] += 2;
  body.velocity[1] = -7;
  MUST(context, firn_sim_drive(y->sim, y->plough, -1, &body));
  MUST(context, firn_sim_drive(y->sim, y->rotor, 1, &body));
  MUST(context, firn_sim_set_gravity(y->sim, (double[]){3, 1, 0}));
  MUST(context, firn_sim_set_friction(y->sim, y->floor, 0.1));
  MUST(context, firn_sim_set_sticky(y->sim, y->floor, false));
  MUST(context, firn_sim_set_present(y->sim, y->plate, false));
  MUST(context, firn_sim_set_emitter_rate(y->sim, y->emitter, 5000));
  firn_material_def stiff = firn_default_material_def();
  stiff.young *= 0.5;
  MUST(context, firn_sim_set_material(y->sim, 0, &stiff));
  MUST(context, add_one(y->sim, 0.2, 0.9, 0));
  lay(y);
  for (int i = 0; i < 3; i++) MUST(context, firn_sim_step(y->sim, 5e-4, NULL));
}

// What only a snapshot brings back: things that were added, settings, wind, window and kill box.
static void rebuild(yard *y, const char *solver) {
  firn_context *context = y->context;
  firn_material_def other = firn_default_material_def();
  firn_collider_def wall = firn_default_collider_def();
  firn_sink_def sink = firn_default_sink_def();
  firn_emitter_def more = firn_default_emitter_def();
  firn_impulse_def blow = firn_default_impulse_def();
  firn_force_def pull = firn_default_force_def();
  firn_fill_def later = firn_default_fill_def();
  firn_wind_def wind = firn_default_wind_def();
  firn_heat_def heat = firn_default_heat_def();
  double grid[24] = {1, 2, 3};
  other.density = 300;
  MUST(context, firn_sim_add_material(y->sim, &other, &later.material));
  heat.points = 1; // stiffness by temperature, and fields for it
  heat.temperature[0] = 260;
  heat.young[0] = 1e5;
  MUST(context, firn_sim_set_heat(y->sim, 0, &heat));
  wall.shape = firn_sphere((double[]){0, 0.4, 0.2}, 0.2);
  wall.temperature = 260;
  MUST(context, firn_sim_add_collider(y->sim, &wall, NULL));
  sink.shape = firn_sphere((double[]){0, 0.1, 0}, 0.1);
  MUST(context, firn_sim_add_sink(y->sim, &sink, NULL));
  more.kind = FIRN_EMIT_PARTICLES;
  more.fill.shape = firn_sphere((double[]){0, 0.7, 0}, 0.1);
  more.rate = 500;
  MUST(context, firn_sim_add_emitter(y->sim, &more, NULL));
  blow.velocity[0] = 2;
  blow.shape = &sink.shape;
  MUST(context, firn_sim_add_impulse(y->sim, &blow, NULL));
  pull.kind = FIRN_FORCE_DRAG;
  pull.wind.grid_nodes[0] = pull.wind.grid_nodes[1] = pull.wind.grid_nodes[2] = 2;
  for (int a = 0; a < 3; a++) pull.wind.grid_spacing[a] = 1;
  pull.wind.grid_velocity = grid;
  MUST(context, firn_sim_add_force(y->sim, &pull, NULL));
  later.shape = firn_sphere((double[]){0, 0.9, 0}, 0.05);
  later.time = firn_sim_time(y->sim) + 0.5;
  MUST(context, firn_sim_fill(y->sim, &later));
  wind.velocity[2] = -9;
  wind.air_density = 5; // which no checkpoint has
  MUST(context, firn_sim_set_wind(y->sim, &wind));
  MUST(context, firn_sim_set_kill_box(y->sim, (double[]){-9, 0.01, -9}, (double[]){9, 9, 9}));
  if (strcmp(solver, "mpm") == 0) {
    firn_mpm_def settings;
    MUST(context, firn_sim_mpm(y->sim, &settings));
    settings.flip = 0.5;
    MUST(context, firn_sim_set_mpm(y->sim, &settings));
  }
  MUST(context, firn_sim_remove_collider(y->sim, y->plough));
  MUST(context, firn_sim_remove_collider(y->sim, y->plate));
  MUST(context, firn_sim_remove_collider(y->sim, y->rotor));
  const uint64_t ids[] = {3, 4, 5};
  firn_removal_def gone = firn_default_removal_def();
  gone.ids = ids;
  gone.id_count = 3;
  MUST(context, firn_sim_remove_particles(y->sim, &gone, NULL));
  for (int i = 0; i < 3; i++) MUST(context, firn_sim_step(y->sim, 5e-4, NULL));
}

// Undisturbed, on one thread: the state at the snapshot, and at the end.
typedef struct course {
  snapshot middle, end;
  pushes at_middle, at_end;
} course;
static course courses[SOLVERS_COUNT];

static course run_undisturbed(const char *solver) {
  course c;
  yard y = yard_open(1, solver, true);
  yard_go(&y, BEFORE);
  c.middle = snapshot_take(y.sim);
  c.at_middle = pushes_of(&y);
  if (strcmp(solver, "mpm") == 0) assert_in_range(y.asleep, 1, firn_sim_count(y.sim) - 1);
  lay(&y);
  yard_go(&y, AFTER);
  c.end = snapshot_take(y.sim);
  c.at_end = pushes_of(&y);
  assert_true(c.at_end.emitted > c.at_middle.emitted && c.at_middle.emitted > 0);
  assert_true(firn_sim_time(y.sim) > 0.0145); // the late fill has come
  yard_close(&y);
  return c;
}

// Of each solver, once made.
static const course *undisturbed(int solver) {
  static bool made[SOLVERS_COUNT];
  if (!made[solver]) courses[solver] = run_undisturbed(SOLVERS[solver]);
  made[solver] = true;
  return &courses[solver];
}

static int drop_courses(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    snapshot_drop(&courses[s].middle);
    snapshot_drop(&courses[s].end);
  }
  return 0;
}

static void check_middle(const course *c, const yard *y) {
  pushes p = pushes_of(y);
  SAME(&c->middle, y);
  assert_memory_equal(&p, &c->at_middle, sizeof p);
}

static void check_end(const course *c, yard *y) {
  lay(y);
  yard_go(y, AFTER);
  pushes p = pushes_of(y);
  SAME(&c->end, y);
  assert_memory_equal(&p, &c->at_end, sizeof p);
}

// ------------------------------------------------------------------------------------- snapshots

static void a_snapshot_brings_the_same_bytes_back(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    const course *c = undisturbed(s);
    for (int threads = 1; threads <= 3; threads += 2) {
      firn_snapshot *shot;
      yard y = yard_open(threads, SOLVERS[s], true);
      yard_go(&y, BEFORE);
      MUST(y.context, firn_sim_take_snapshot(y.sim, &shot));
      assert_true(firn_snapshot_time(shot) == firn_sim_time(y.sim));
      check_middle(c, &y); // which taking one has not changed
      disturb(&y);
      MUST(y.context, firn_sim_restore(y.sim, shot));
      check_middle(c, &y);
      check_end(c, &y);
      rebuild(&y, SOLVERS[s]);
      MUST(y.context, firn_sim_restore(y.sim, shot));
      assert_int_equal(firn_sim_collider_count(y.sim), 4);
      check_middle(c, &y);
      check_end(c, &y);
      firn_snapshot_destroy(shot);
      yard_close(&y);
    }
  }
}

// Snapshots of several moments, in any order; memory does not grow by it.
static void snapshots_stand_beside_each_other(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    firn_snapshot *shot[3];
    snapshot at[3];
    yard y = yard_open(2, SOLVERS[s], true);
    for (int i = 0; i < 3; i++) {
      if (i) yard_go(&y, 3);
      MUST(y.context, firn_sim_take_snapshot(y.sim, &shot[i]));
      at[i] = snapshot_take(y.sim);
      assert_true(firn_snapshot_bytes(shot[i]) > 40 * firn_sim_count(y.sim));
    }
    static const int order[] = {1, 1, 2, 0, 2, 1};
    size_t bytes = 0;
    for (int k = 0; k < 6; k++) {
      int i = order[k];
      MUST(y.context, firn_sim_restore(y.sim, shot[i]));
      SAME(&at[i], &y);
      if (i != 1) continue;
      if (bytes) assert_int_equal(firn_context_bytes(y.context), bytes);
      bytes = firn_context_bytes(y.context);
      yard_go(&y, 3);
      SAME(&at[2], &y);
    }
    firn_sim_destroy(y.sim); // which the snapshots outlive
    for (int i = 0; i < 3; i++) snapshot_drop(&at[i]);
    for (int i = 0; i < 3; i++) firn_snapshot_destroy(shot[i]);
    drop_context(y.context);
  }
}

// After a step that fails a snapshot is the way back, and none can be taken.
static void a_failed_step_is_undone(void **state) {
  (void)state;
  firn_snapshot *shot, *none = (void *)state;
  const course *c = undisturbed(0);
  yard y = yard_open(1, "mpm", true);
  yard_go(&y, BEFORE);
  MUST(y.context, firn_sim_take_snapshot(y.sim, &shot));
  double *v = read_field(y.context, y.sim, "velocity", 3);
  v[31] = 1e12;
  MUST(y.context, firn_sim_write(y.sim, "velocity", v));
  free(v);
  MUST_FAIL(y.context, firn_sim_advance(y.sim, 1, NULL, NULL), FIRN_ERROR_STEP, "dt_min");
  MUST_FAIL(y.context, firn_sim_take_snapshot(y.sim, &none), FIRN_ERROR_STATE, "step failed");
  assert_null(none);
  MUST(y.context, firn_sim_restore(y.sim, shot));
  check_middle(c, &y);
  check_end(c, &y);
  firn_snapshot_destroy(shot);
  yard_close(&y);
}

// ----------------------------------------------------------------------------------------- loads

static const char *path_of(void) {
  static char path[80];
  snprintf(path, sizeof path, "/tmp/firn-snapshot-%d-%zu.hdf", (int)getpid(), sizeof(firn_real));
  return path;
}

static void a_load_replaces_what_is_there(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    const course *c = undisturbed(s);
    yard saved = yard_open(3, SOLVERS[s], true);
    yard_go(&saved, BEFORE);
    MUST(saved.context, firn_sim_save(saved.sim, path_of()));
    disturb(&saved); // the same simulation, later
    MUST(saved.context, firn_sim_load(saved.sim, path_of()));
    check_middle(c, &saved);
    check_end(c, &saved);
    yard_close(&saved);
    yard other = yard_open(1, SOLVERS[s], true); // another one that has gone its own way
    disturb(&other);
    yard fresh = yard_open(2, SOLVERS[s], false); // and one that has nothing yet
    MUST(other.context, firn_sim_load(other.sim, path_of()));
    MUST(fresh.context, firn_sim_load(fresh.sim, path_of()));
    check_end(c, &other);
    check_end(c, &fresh);
    yard_close(&other);
    yard_close(&fresh);
    unlink(path_of());
  }
}

// One that fails does so at the head of the file, in the middle, or at the last thing that it
// reads.
static void a_load_that_fails_changes_nothing(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    firn_collider_def wall = firn_default_collider_def();
    firn_impulse_def never = firn_default_impulse_def();
    const course *c = undisturbed(s);
    yard saved = yard_open(1, SOLVERS[s], true), y = yard_open(2, SOLVERS[s], true);
    yard_go(&saved, 3);
    MUST(saved.context, firn_sim_save(saved.sim, path_of()));
    yard_close(&saved);
    yard_go(&y, BEFORE);
    never.time = 1e3;
    MUST(y.context, firn_sim_add_impulse(y.sim, &never, NULL));
    MUST_FAIL(y.context, firn_sim_load(y.sim, path_of()), FIRN_ERROR_FORMAT, "impulse_1");
    check_middle(c, &y);
    MUST_FAIL(y.context, firn_sim_load(y.sim, "/nowhere"), FIRN_ERROR_IO, "/nowhere");
    check_end(c, &y);
    wall.shape = firn_sphere((double[]){0, 30, 0}, 1);
    MUST(y.context, firn_sim_add_collider(y.sim, &wall, NULL));
    snapshot before = snapshot_take(y.sim);
    MUST_FAIL(y.context, firn_sim_load(y.sim, path_of()), FIRN_ERROR_STATE,
              "4 colliders, here are 5");
    SAME(&before, &y);
    snapshot_drop(&before);
    unlink(path_of());
    yard_close(&y);
  }
}

// Nothing but the velocity of a wind is in a file: one without it, or with it alone, is another
// world.
static void a_load_misses_no_wind(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard windy = yard_open(1, SOLVERS[s], true), calm = yard_open(1, SOLVERS[s], true);
    MUST(calm.context, firn_sim_set_wind(calm.sim, NULL));
    yard_go(&windy, 2);
    yard_go(&calm, 1);
    snapshot a = snapshot_take(windy.sim), b = snapshot_take(calm.sim);
    MUST(windy.context, firn_sim_save(windy.sim, path_of()));
    MUST_FAIL(calm.context, firn_sim_load(calm.sim, path_of()), FIRN_ERROR_STATE,
              "saved with wind, here is none");
    SAME(&b, &calm);
    MUST(calm.context, firn_sim_save(calm.sim, path_of()));
    MUST_FAIL(windy.context, firn_sim_load(windy.sim, path_of()), FIRN_ERROR_STATE,
              "saved with no wind, here is wind");
    SAME(&a, &windy);
    MUST(windy.context, firn_sim_set_wind(windy.sim, NULL));
    MUST(windy.context, firn_sim_load(windy.sim, path_of()));
    SAME(&b, &windy);
    snapshot_drop(&a);
    snapshot_drop(&b);
    yard_close(&windy);
    yard_close(&calm);
    unlink(path_of());
  }
}

// ------------------------------------------------------------------------------- undo and redo

typedef struct addition {
  const char *lost; // what the message names
  firn_status (*add)(firn_sim *sim, double x);
} addition;

static firn_status add_material(firn_sim *sim, double x) {
  firn_material_def def = firn_default_material_def();
  def.density = 300 + x;
  return firn_sim_add_material(sim, &def, NULL);
}

static firn_status add_collider(firn_sim *sim, double x) {
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_sphere((double[]){x, 30, 0}, 1);
  return firn_sim_add_collider(sim, &def, NULL);
}

static firn_status add_force(firn_sim *sim, double x) {
  firn_force_def def = firn_default_force_def();
  double grid[24] = {x};
  def.kind = FIRN_FORCE_DRAG;
  def.wind.grid_nodes[0] = def.wind.grid_nodes[1] = def.wind.grid_nodes[2] = 2;
  for (int a = 0; a < 3; a++) def.wind.grid_spacing[a] = 1;
  def.wind.grid_velocity = grid;
  return firn_sim_add_force(sim, &def, NULL);
}

static firn_status add_fill(firn_sim *sim, double x) {
  firn_fill_def def = firn_default_fill_def();
  def.shape = firn_sphere((double[]){x, 0.9, 0}, 0.05);
  def.time = 9;
  return firn_sim_fill(sim, &def);
}

static firn_status add_emitter(firn_sim *sim, double x) {
  firn_emitter_def def = firn_default_emitter_def();
  def.kind = FIRN_EMIT_PARTICLES;
  def.fill.shape = firn_sphere((double[]){x, 0.7, 0}, 0.1);
  return firn_sim_add_emitter(sim, &def, NULL);
}

static firn_status add_sink(firn_sim *sim, double x) {
  firn_sink_def def = firn_default_sink_def();
  def.shape = firn_sphere((double[]){x, 0.1, 0}, 0.1);
  return firn_sim_add_sink(sim, &def, NULL);
}

static firn_status add_impulse(firn_sim *sim, double x) {
  firn_impulse_def def = firn_default_impulse_def();
  firn_shape_def shape = firn_sphere((double[]){x, 0.1, 0}, 0.1);
  def.shape = &shape;
  def.velocity[0] = 2;
  return firn_sim_add_impulse(sim, &def, NULL);
}

// Each fails by itself, whether or not as many others have come in their place, and then changes
// nothing. Snapshots that lack nothing are not touched by it.
static void what_was_undone_is_not_redone(void **state) {
  (void)state;
  static const addition all[] = {
      {"materials", add_material}, {"colliders", add_collider}, {"forces", add_force},
      {"fills to come", add_fill}, {"emitters", add_emitter},   {"sinks", add_sink},
      {"impulses", add_impulse},
  };
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    yard y = yard_open(1, SOLVERS[s], true);
    yard_go(&y, 1);
    for (int k = 0; k < (int)(sizeof all / sizeof *all); k++) {
      enum { MORE = 9 }; // than there is room for
      firn_snapshot *none, *early, *late, *other;
      MUST(y.context, firn_sim_take_snapshot(y.sim, &none));
      MUST(y.context, firn_sim_take_snapshot(y.sim, &early));
      snapshot before = snapshot_take(y.sim);
      for (int i = 0; i < MORE; i++) MUST(y.context, all[k].add(y.sim, i));
      MUST(y.context, firn_sim_take_snapshot(y.sim, &late));
      MUST(y.context, firn_sim_restore(y.sim, late));
      firn_snapshot_destroy(none); // the simulation knows it no longer
      MUST(y.context, firn_sim_restore(y.sim, early));
      MUST_FAIL(y.context, firn_sim_restore(y.sim, late), FIRN_ERROR_STATE, "snapshot at",
                all[k].lost, "older snapshot");
      SAME(&before, &y);
      for (int i = 0; i < MORE; i++) MUST(y.context, all[k].add(y.sim, 5 + i));
      MUST(y.context, firn_sim_take_snapshot(y.sim, &other));
      MUST_FAIL(y.context, firn_sim_restore(y.sim, late), FIRN_ERROR_STATE, "snapshot at",
                all[k].lost, "older snapshot");
      MUST(y.context, firn_sim_restore(y.sim, other));
      MUST(y.context, firn_sim_restore(y.sim, early));
      MUST_FAIL(y.context, firn_sim_restore(y.sim, other), FIRN_ERROR_STATE, all[k].lost);
      MUST(y.context, firn_sim_restore(y.sim, early));
      SAME(&before, &y);
      firn_snapshot_destroy(other);
      firn_snapshot_destroy(early);
      firn_snapshot_destroy(late);
      snapshot_drop(&before);
    }
    yard_close(&y);
  }
}

static void lay_at(yard *y, double x) {
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[]){x, 0.5, 0.02}, 0.06);
  MUST(y->context, firn_sim_fill(y->sim, &fill));
}

// Snow, and stiffness by temperature, come and go by snapshots as often as is wanted; snow that is
// laid afterwards has the pattern that is free there.
static void snow_is_undone_and_redone(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    firn_snapshot *shot[3];
    snapshot at[3], end;
    firn_heat_def heat = firn_default_heat_def();
    yard y = yard_open(1, SOLVERS[s], true);
    yard_go(&y, 1);
    MUST(y.context, firn_sim_save(y.sim, path_of()));
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 6 && i == 1; k++) lay_at(&y, 1 + 0.3 * k);
      heat.points = 1;
      heat.temperature[0] = 260;
      heat.young[0] = 1e5;
      if (i == 2) MUST(y.context, firn_sim_set_heat(y.sim, 0, &heat));
      if (i) yard_go(&y, 2);
      MUST(y.context, firn_sim_take_snapshot(y.sim, &shot[i]));
      at[i] = snapshot_take(y.sim);
    }
    lay_at(&y, 2.2);
    yard_go(&y, 2);
    end = snapshot_take(y.sim);
    static const int order[] = {0, 1, 0, 2, 1, 2, 0, 2};
    for (int k = 0; k < (int)(sizeof order / sizeof *order); k++) {
      MUST(y.context, firn_sim_restore(y.sim, shot[order[k]]));
      SAME(&at[order[k]], &y);
    }
    lay_at(&y, 2.2);
    yard_go(&y, 2);
    SAME(&end, &y);
    MUST(y.context, firn_sim_restore(y.sim, shot[0]));
    MUST(y.context, firn_sim_load(y.sim, path_of()));
    SAME(&at[0], &y);
    MUST(y.context, firn_sim_restore(y.sim, shot[1])); // newer than what was loaded
    yard_go(&y, 1);
    MUST(y.context, firn_sim_restore(y.sim, shot[2]));
    lay_at(&y, 2.2);
    yard_go(&y, 2);
    SAME(&end, &y);
    for (int i = 0; i < 3; i++) snapshot_drop(&at[i]);
    for (int i = 0; i < 3; i++) firn_snapshot_destroy(shot[i]);
    snapshot_drop(&end);
    yard_close(&y);
    unlink(path_of());
  }
}

// ------------------------------------------------------------------------------- out of memory

enum { LAST = 4 }; // steps left when memory runs out

typedef struct lack {
  const char *name;
  firn_status (*call)(yard *y, firn_snapshot *shot);
} lack;

static firn_status call_restore(yard *y, firn_snapshot *shot) {
  return firn_sim_restore(y->sim, shot);
}

static firn_status call_load(yard *y, firn_snapshot *shot) {
  (void)shot;
  return firn_sim_load(y->sim, path_of());
}

static firn_status call_take(yard *y, firn_snapshot *shot) {
  (void)shot;
  firn_status status = firn_sim_take_snapshot(y->sim, &shot);
  if (status != FIRN_OK) assert_null(shot);
  firn_snapshot_destroy(shot);
  return status;
}

// None of these are there, but that is found last.
static firn_status call_remove(yard *y, firn_snapshot *shot) {
  static const uint64_t ids[] = {1, 2};
  firn_shape_def far = firn_sphere((double[]){90, 0, 0}, 1);
  firn_removal_def def = firn_default_removal_def();
  (void)shot;
  def.shape = &far;
  def.ids = ids;
  def.id_count = 2;
  return firn_sim_remove_particles(y->sim, &def, NULL);
}

// The call with every allocation failing in turn, or all from one on; then it goes on as if nothing
// had been.
static void run_short(const course *c, const char *solver, const lack *of, bool stubborn) {
  books b = {0};
  yard y = {0};
  firn_snapshot *shot;
  size_t calls = 0, step = is_slow() ? 17 : 1;
  assert_int_equal(books_context(&b, 1, &y.context), FIRN_OK);
  y = yard_open_in(y.context, solver, true);
  yard_go(&y, BEFORE);
  MUST(y.context, firn_sim_take_snapshot(y.sim, &shot));
  MUST(y.context, firn_sim_save(y.sim, path_of()));
  lay(&y);
  yard_go(&y, AFTER - LAST);
  snapshot before = snapshot_take(y.sim);
  size_t bytes = b.bytes;
  for (;; calls += step) {
    b.refuse_at = b.calls + 1 + calls;
    b.stubborn = stubborn;
    firn_status status = of->call(&y, shot);
    b.refuse_at = 0;
    if (status == FIRN_OK) break;
    if (status != FIRN_ERROR_MEMORY)
      fail_msg("%s: allocation %zu: %s", of->name, calls, firn_context_message(y.context));
    assert_int_equal(b.bytes, bytes);
    if (calls % 8 == 0) SAME(&before, &y);
  }
  if (calls == 0) fail_msg("%s: no allocation failed", of->name);
  print_message("%s, %s: %zu allocations\n", solver, of->name, calls);
  if (of->call == call_restore || of->call == call_load) {
    check_middle(c, &y);
    lay(&y);
    yard_go(&y, AFTER - LAST);
    b.refuse_at = b.calls + calls / 2; // and once more, then on from what was left alone
    assert_int_equal(of->call(&y, shot), FIRN_ERROR_MEMORY);
    b.refuse_at = 0;
  }
  SAME(&before, &y);
  yard_go(&y, LAST);
  pushes p = pushes_of(&y);
  SAME(&c->end, &y);
  assert_memory_equal(&p, &c->at_end, sizeof p);
  snapshot_drop(&before);
  firn_snapshot_destroy(shot);
  yard_close(&y);
  assert_int_equal(b.wrong, 0);
  unlink(path_of());
}

static void memory_that_runs_out_changes_nothing(void **state) {
  (void)state;
  static const lack lacks[] = {
      {"restore", call_restore}, {"load", call_load}, {"take", call_take}, {"remove", call_remove}};
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    const course *c = undisturbed(s);
    for (int i = 0; i < 4; i++) {
      // Where all fail from one on, the one that begins it fails as it does alone.
      run_short(c, SOLVERS[s], &lacks[i], (s + i) % 2);
    }
  }
}

// ------------------------------------------------------------------------------------ nonsense

typedef struct intruder {
  firn_context *context;
  firn_sim *sim;
  const firn_snapshot *shot;
  int calls;
} intruder;

static bool between(void *user, firn_sim *sim, const firn_step *step) {
  intruder *in = user;
  firn_snapshot *taken;
  (void)step;
  in->calls++;
  MUST_FAIL(in->context, firn_sim_restore(sim, in->shot), FIRN_ERROR_STATE, "firn_sim_restore",
            "under way");
  MUST(in->context, firn_sim_take_snapshot(sim, &taken));
  firn_snapshot_destroy(taken);
  return false;
}

static void within(void *user, const firn_force_chunk *chunk) {
  intruder *in = user;
  firn_snapshot *taken = NULL;
  (void)chunk;
  in->calls++;
  assert_int_equal(firn_sim_restore(in->sim, in->shot), FIRN_ERROR_STATE);
  assert_int_equal(firn_sim_take_snapshot(in->sim, &taken), FIRN_ERROR_STATE);
  assert_null(taken);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  yard a = yard_open(1, "mpm", true);
  firn_sim *other = make_sim(a.context, NULL);
  firn_snapshot *shot;
  firn_sim *none = NULL;
  MUST(a.context, firn_sim_take_snapshot(a.sim, &shot));
  MUST_FAIL(a.context, firn_sim_restore(other, shot), FIRN_ERROR_ARGUMENT, "another simulation");
  MUST_FAIL(a.context, firn_sim_restore(a.sim, NULL), FIRN_ERROR_ARGUMENT, "firn_sim_restore");
  MUST_FAIL(a.context, firn_sim_take_snapshot(a.sim, NULL), FIRN_ERROR_ARGUMENT,
            "firn_sim_take_snapshot");
  assert_int_equal(firn_sim_restore(none, shot), FIRN_ERROR_ARGUMENT);
  firn_snapshot_destroy(NULL);
  intruder in = {a.context, a.sim, shot, 0};
  MUST_FAIL(a.context, firn_sim_advance(a.sim, 1, between, &in), FIRN_CANCELLED, "cancelled");
  assert_int_equal(in.calls, 1);
  firn_force_def force = firn_default_force_def();
  force.act = within;
  force.user = &in;
  MUST(a.context, firn_sim_add_force(a.sim, &force, NULL));
  MUST(a.context, firn_sim_step(a.sim, 0, NULL));
  assert_true(in.calls > 1);
  firn_sim_destroy(other);
  firn_snapshot_destroy(shot);
  yard_close(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_snapshot_brings_the_same_bytes_back),
      cmocka_unit_test(snapshots_stand_beside_each_other),
      cmocka_unit_test(a_failed_step_is_undone),
      cmocka_unit_test(a_load_replaces_what_is_there),
      cmocka_unit_test(a_load_that_fails_changes_nothing),
      cmocka_unit_test(a_load_misses_no_wind),
      cmocka_unit_test(what_was_undone_is_not_redone),
      cmocka_unit_test(snow_is_undone_and_redone),
      cmocka_unit_test(memory_that_runs_out_changes_nothing),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, drop_courses);
}
