// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// States that come back: a checkpoint loaded into a simulation that has snow, and snapshots in memory. What goes on
// from there goes on to the same bytes as what was never disturbed; what fails leaves everything as it was.
#include "api/yard.h"

#include <stdio.h>
#include <unistd.h>

#include "support/books.h"
#include "support/checker.h"
#include "support/snapshot.h"

enum { BEFORE = 24, AFTER = 32 };

static void assert_same_state(const snapshot *expected, const yard *y, int line) {
  snapshot found = snapshot_take(y->sim);
  int field = snapshot_difference(expected, &found);
  if (field >= 0) {
    firn_field_info info = {.name = "count or time"};
    if (field < SNAPSHOT_FIELDS) firn_sim_field(y->sim, field, &info);
    fail_msg("line %d: '%s' differs; %zu particles at %g s, expected %zu at %g s", line, info.name,
             found.count, found.time, expected->count, expected->time);
  }
  snapshot_drop(&found);
}
#define SAME(expected, y) assert_same_state(expected, y, __LINE__)

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
  MUST(context, firn_sim_set_wind(y->sim, &wind));
  MUST(context, firn_sim_set_kill_box(y->sim, (double[]){-9, 0.01, -9}, (double[]){9, 9, 9}));
  if (strcmp(solver, "mpm") == 0) {
    firn_mpm_def settings;
    MUST(context, firn_sim_mpm(y->sim, &settings));
    settings.flip = 0.5;
    MUST(context, firn_sim_set_mpm(y->sim, &settings));
  }
  for (int i = 0; i < 3; i++) MUST(context, firn_sim_step(y->sim, 5e-4, NULL));
}

// Undisturbed, on one thread: the state at the snapshot, and at the end.
typedef struct course {
  snapshot middle, end;
  pushes at_middle, at_end;
} course;

static course undisturbed(const char *solver) {
  course c;
  yard y = yard_open(1, solver, true);
  yard_go(&y, BEFORE);
  c.middle = snapshot_take(y.sim);
  c.at_middle = pushes_of(&y);
  if (strcmp(solver, "mpm") == 0) assert_in_range(y.asleep, 1, firn_sim_count(y.sim) - 1);
  yard_go(&y, AFTER);
  c.end = snapshot_take(y.sim);
  c.at_end = pushes_of(&y);
  assert_true(c.at_end.emitted > c.at_middle.emitted && c.at_middle.emitted > 0);
  assert_true(firn_sim_time(y.sim) > 0.0145); // the late fill has come
  yard_close(&y);
  return c;
}

static void course_drop(course *c) {
  snapshot_drop(&c->middle);
  snapshot_drop(&c->end);
}

static void check_middle(const course *c, const yard *y) {
  pushes p = pushes_of(y);
  SAME(&c->middle, y);
  assert_memory_equal(&p, &c->at_middle, sizeof p);
}

static void check_end(const course *c, yard *y) {
  yard_go(y, AFTER);
  pushes p = pushes_of(y);
  SAME(&c->end, y);
  assert_memory_equal(&p, &c->at_end, sizeof p);
}

// ------------------------------------------------------------------------------------- snapshots

static void a_snapshot_brings_the_same_bytes_back(void **state) {
  (void)state;
  for (int s = 0; s < SOLVERS_COUNT; s++) {
    course c = undisturbed(SOLVERS[s]);
    for (int threads = 1; threads <= 3; threads += 2) {
      firn_snapshot *shot;
      yard y = yard_open(threads, SOLVERS[s], true);
      yard_go(&y, BEFORE);
      MUST(y.context, firn_sim_take_snapshot(y.sim, &shot));
      assert_true(firn_snapshot_time(shot) == firn_sim_time(y.sim));
      check_middle(&c, &y); // which taking one has not changed
      disturb(&y);
      MUST(y.context, firn_sim_restore(y.sim, shot));
      check_middle(&c, &y);
      check_end(&c, &y);
      rebuild(&y, SOLVERS[s]);
      MUST(y.context, firn_sim_restore(y.sim, shot));
      assert_int_equal(firn_sim_collider_count(y.sim), 4);
      check_middle(&c, &y);
      check_end(&c, &y);
      firn_snapshot_destroy(shot);
      yard_close(&y);
    }
    course_drop(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_snapshot_brings_the_same_bytes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
