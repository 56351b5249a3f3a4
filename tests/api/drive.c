// SPDX-License-Identifier: Apache-2.0
// labels: slow
// long in double
// timeout: 180
// Colliders in the caller's hands: momentum, every solver, checkpoints, sleep, flight, parts; and users'
// surfaces that say how they move.
#include "support/same.h"

#include <stdio.h>
#include <unistd.h>

#include "api/sim.h"
#include "geometry/shape.h"

static const double H = 0.02, G = 9.81; // m, m/s^2
static const char *const SOLVERS[] = {"mpm", "sph", "flip"};

static firn_sim *make_empty(firn_context *context, const char *solver, bool sleep) {
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.solver = solver;
  def.gravity[1] = -G;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.sleep = sleep;
  firn_sim *sim = make_sim(context, &def);
  firn_collider_def floor = firn_default_collider_def();
  floor.name = "floor";
  floor.forces = true;
  MUST(context, firn_sim_add_collider(sim, &floor, NULL));
  return sim;
}

// Collider 0 is the floor.
static firn_sim *make_bed(firn_context *context, const char *solver, bool sleep) {
  firn_sim *sim = make_empty(context, solver, sleep);
  firn_fill_def bed = firn_default_fill_def();
  bed.shape = firn_box((const double[]){0, 2 * H, 0}, (const double[]){6 * H, 2 * H, 6 * H});
  bed.seeding = FIRN_SEEDING_LATTICE;
  bed.settled = true;
  MUST(context, firn_sim_fill(sim, &bed));
  return sim;
}

static int add_sphere(firn_context *context, firn_sim *sim, double height, double vy) {
  firn_collider_def ball = firn_default_collider_def();
  int id;
  ball.name = "ball";
  ball.shape = firn_sphere((const double[]){0, height, 0}, 2 * H);
  ball.velocity[1] = vy;
  ball.forces = true;
  MUST(context, firn_sim_add_collider(sim, &ball, &id));
  return id;
}

static firn_body body_at(double y, double vy) {
  return (firn_body){.pivot = {0, y, 0}, .rotation = {0, 0, 0, 1}, .velocity = {0, vy, 0}};
}

static double momentum(firn_context *context, firn_sim *sim, int axis) {
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  return sums.momentum[axis];
}

// ---------------------------------------------------------------------------------------- momentum

// A ball of 0.1 kg that the program moves: what it and the snow gain is gravity's and the floor's.
static double drop(const char *solver, bool forget, double *speed) {
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_bed(context, solver, false);
  int id = add_sphere(context, sim, 6.2 * H, 0);
  const double mass = 0.1, thrown = 3; // kg, m/s
  firn_body ball = body_at(6.2 * H, -thrown);
  firn_sums snow;
  double floor = 0, before;
  MUST(context, firn_sim_sums(sim, &snow));
  before = snow.momentum[1] + mass * ball.velocity[1];
  while (firn_sim_time(sim) < 0.04) {
    firn_step step;
    firn_collider_force push, down;
    MUST(context, firn_sim_drive(sim, id, -1, &ball));
    MUST(context, firn_sim_step(sim, 0, &step));
    MUST(context, firn_sim_collider_step(sim, id, &push));
    MUST(context, firn_sim_collider_step(sim, 0, &down));
    // The step's, whatever is reset.
    assert_true(fabs(push.time - step.dt) <= 1e-9 * step.dt);
    if (forget) firn_sim_collider_force_reset(sim);
    MUST(context, firn_sim_body(sim, id, -1, &ball));
    ball.velocity[1] += push.impulse[1] / mass - G * step.dt;
    floor -= down.impulse[1];
  }
  double after = momentum(context, sim, 1) + mass * ball.velocity[1];
  double given = floor - (snow.mass + mass) * G * firn_sim_time(sim);
  *speed = ball.velocity[1];
  firn_sim_destroy(sim);
  drop_context(context);
  return fabs(after - before - given) / (mass * thrown);
}

// Explicit mpm: within 1e-4 of what the ball brings, as a float run of some 400 steps must be by far.
static void momentum_of_ball_and_snow_is_gravitys_and_the_floors(void **state) {
  (void)state;
  double speed, off = drop("mpm", false, &speed);
  assert_true(off < 1e-4);
  assert_true(speed > -0.5); // the snow has stopped it
  assert_true(drop("mpm", true, &speed) < 1e-4);
}

// The other solvers stop it as well: sph keeps momentum to the tolerance of its solves.
static void other_solvers_hand_back_what_the_snow_does(void **state) {
  (void)state;
  double speed, off = drop("sph", false, &speed);
  assert_true(off < 0.02);
  assert_true(speed > -0.5);
  // flip hands what its particles lost to all colliders, so that this holds whoever gets it; below is who.
  off = drop("flip", false, &speed);
  assert_true(off < 1e-4);
  assert_true(speed > -2.9); // of 3.4 m/s without snow: its snow gives way
}

// Two lumps, one hit by a ball in the air, one that falls on the floor at the same time. What each lump lost, as
// its particles tell, is what its collider should get. flip shares out what the grid misses by how much
// colliders are pressed, wherever they are, so that some of one's is the other's: 0.16 of 1.5 N s here.
static void flips_colliders_get_about_what_their_own_snow_loses(void **state) {
  (void)state;
  const double high = 0.4, half = 3 * H, v = 3; // m, m, m/s
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_empty(context, "flip", false);
  int id = add_sphere(context, sim, high + half + 2.1 * H, -v);
  firn_fill_def lump = firn_default_fill_def();
  firn_material_def snow = firn_default_material_def();
  snow.velocity_factor = 1; // so that the lump goes along
  MUST(context, firn_sim_set_material(sim, 0, &snow));
  lump.seeding = FIRN_SEEDING_LATTICE;
  lump.shape = firn_box((const double[]){0, high, 0}, (const double[]){half, half, half});
  MUST(context, firn_sim_fill(sim, &lump));
  size_t mine = firn_sim_count(sim);
  lump.shape = firn_box((const double[]){0.5, half + 0.1 * H, 0},
                        (const double[]){half, half, half});
  lump.velocity[1] = -v;
  MUST(context, firn_sim_fill(sim, &lump));
  size_t count = firn_sim_count(sim);
  double *u = read_field(context, sim, "velocity", 3), *m = read_field(context, sim, "mass", 1);
  double before[2] = {0}, after[2] = {0}, mass[2] = {0}, got[2] = {0};
  for (size_t i = 0; i < count; i++) {
    before[i >= mine] += m[i] * u[3 * i + 1];
    mass[i >= mine] += m[i];
  }
  free(u);
  MUST(context, firn_sim_advance(sim, 0.02, NULL, NULL));
  u = read_field(context, sim, "velocity", 3);
  for (size_t i = 0; i < count; i++) after[i >= mine] += m[i] * u[3 * i + 1];
  free(u), free(m);
  const int collider[2] = {id, 0};
  double gave[2], all = 0;
  for (int k = 0; k < 2; k++) {
    firn_collider_force push;
    MUST(context, firn_sim_collider_force(sim, collider[k], &push));
    got[k] = push.impulse[1];
    gave[k] = before[k] - after[k] - mass[k] * G * firn_sim_time(sim);
    all += fabs(gave[k]);
    print_message("collider %d: got %g N s, its snow gave %g N s\n", k, got[k], gave[k]);
  }
  assert_true(gave[0] > 0.05 * all && gave[1] < -0.05 * all); // up into the ball, down to the floor
  assert_true(fabs(got[0] + got[1] - gave[0] - gave[1]) < 1e-4 * all);
  for (int k = 0; k < 2; k++) assert_true(fabs(got[k] - gave[k]) < 0.12 * all);
  firn_sim_destroy(sim);
  drop_context(context);
}

// ------------------------------------------------------------------------------------------ motion

// Driven once with a velocity, it does what one of that velocity does.
static void a_driven_collider_goes_on_with_its_velocity(void **state) {
  (void)state;
  for (int s = 0; s < 3; s++) {
    firn_context *context[2];
    firn_sim *sim[2];
    firn_collider_force force[2];
    firn_body body;
    for (int driven = 0; driven < 2; driven++) {
      context[driven] = make_context(1, FIRN_ISA_AUTO);
      sim[driven] = make_bed(context[driven], SOLVERS[s], false);
      firn_body from = body_at(6.2 * H, -1.5);
      int id = add_sphere(context[driven], sim[driven], 6.2 * H, driven ? 0 : -1.5);
      if (driven) MUST(context[driven], firn_sim_drive(sim[driven], id, -1, &from));
      MUST(context[driven], firn_sim_advance(sim[driven], 0.03, NULL, NULL));
      MUST(context[driven], firn_sim_collider_force(sim[driven], id, &force[driven]));
    }
    MUST(context[1], firn_sim_body(sim[1], 1, -1, &body));
    assert_true(fabs(body.pivot[1] - (6.2 * H - 1.5 * 0.03)) < 1e-12);
    assert_true(body.velocity[1] == -1.5);
    assert_true(force[0].impulse[1] > 1e-3);
    // Rounding, which snow that breaks makes more of.
    double off = fabs(force[1].impulse[1] - force[0].impulse[1]);
    assert_true(off < 0.02 * force[0].impulse[1]);
    for (int i = 0; i < 2; i++) {
      firn_sim_destroy(sim[i]);
      drop_context(context[i]);
    }
  }
}

// Spin turns it, about a pivot that moves; the frame of what goes on is the world's.
static void a_driven_body_turns_as_it_goes(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_empty(context, "mpm", false);
  int id = add_sphere(context, sim, 1, 0);
  firn_body body = body_at(2, -1), now;
  body.spin[2] = 2;
  for (int a = 0; a < 4; a++) body.rotation[a] *= 3; // any length will do
  MUST(context, firn_sim_drive(sim, id, -1, &body));
  MUST(context, firn_sim_advance(sim, 0.25, NULL, NULL));
  MUST(context, firn_sim_body(sim, id, -1, &now));
  assert_true(fabs(now.pivot[1] - 1.75) < 1e-12);
  assert_true(fabs(now.rotation[2] - sin(0.25)) < 1e-12);
  assert_true(fabs(now.rotation[3] - cos(0.25)) < 1e-12);
  firn_sim_destroy(sim);
  drop_context(context);
}

// An arm of two links and a joint between them: the second is driven in the world's terms, its hand goes
// along.
static void parts_are_driven_in_the_world(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_empty(context, "mpm", false);
  firn_part_def link[3];
  for (int i = 0; i < 3; i++) {
    link[i] = firn_default_part_def();
    link[i].shape = firn_sphere((const double[]){i, 1, 0}, 0.1);
    link[i].parent = i - 1;
  }
  firn_collider_def arm = firn_default_collider_def();
  int id;
  arm.name = "arm";
  arm.parts = link;
  arm.part_count = 3;
  arm.velocity[0] = 1;
  MUST(context, firn_sim_add_collider(sim, &arm, &id));
  firn_body body = {.pivot = {1, 5, 0}, .rotation = {0, 0, 1, 0}, .velocity = {0, 2, 0}}, now;
  MUST(context, firn_sim_drive(sim, id, 1, &body));
  MUST(context, firn_sim_advance(sim, 0.5, NULL, NULL));
  MUST(context, firn_sim_body(sim, id, 0, &now)); // by the motion of the whole
  assert_true(fabs(now.pivot[0] - 0.5) < 1e-12 && fabs(now.pivot[1] - 1) < 1e-12);
  MUST(context, firn_sim_body(sim, id, 1, &now));
  assert_true(fabs(now.pivot[0] - 1) < 1e-12 && fabs(now.pivot[1] - 6) < 1e-12);
  MUST(context, firn_sim_body(sim, id, 2, &now)); // half a turn about z: on the other side
  assert_true(fabs(now.pivot[0] - 0) < 1e-12 && fabs(now.pivot[1] - 6) < 1e-12);
  assert_true(fabs(now.velocity[1] - 2) < 1e-12);
  const firn_collider *collider = &sim->world.collider[id];
  assert_true(fabs(collider->speed - 2) < 1e-9); // of the second link, which is the faster
  MUST_FAIL(context, firn_sim_drive(sim, id, 3, &body), FIRN_ERROR_ARGUMENT, "arm", "part 3");
  MUST_FAIL(context, firn_sim_drive(sim, 0, 0, &body), FIRN_ERROR_ARGUMENT, "floor", "part 0");
  firn_sim_destroy(sim);
  drop_context(context);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_empty(context, "mpm", false);
  firn_collider_def plate = firn_default_collider_def();
  int id;
  plate.name = "plate";
  plate.shape = firn_sphere((const double[]){0, 1, 0}, 0.1);
  plate.load.mass = 2;
  MUST(context, firn_sim_add_collider(sim, &plate, &id));
  firn_body good = body_at(1, 0), bad = good;
  MUST_FAIL(context, firn_sim_drive(sim, id, -1, &good), FIRN_ERROR_STATE, "plate", "2 kg");
  bad.velocity[2] = (double)NAN;
  MUST_FAIL(context, firn_sim_drive(sim, 0, -1, &bad), FIRN_ERROR_ARGUMENT, "floor", "velocity",
            "nan");
  bad = good;
  bad.rotation[3] = 0;
  MUST_FAIL(context, firn_sim_drive(sim, 0, -1, &bad), FIRN_ERROR_ARGUMENT, "floor", "rotation");
  MUST_FAIL(context, firn_sim_drive(sim, 7, -1, &good), FIRN_ERROR_ARGUMENT, "collider 7");
  MUST_FAIL(context, firn_sim_drive(sim, 0, -1, NULL), FIRN_ERROR_ARGUMENT, "firn_sim_drive");
  firn_sim_destroy(sim);
  drop_context(context);
}

// ------------------------------------------------------------------------------------- checkpoints

static void play(firn_context *context, firn_sim *sim, int id, int steps) {
  for (int i = 0; i < steps; i++) {
    firn_body body;
    MUST(context, firn_sim_body(sim, id, -1, &body));
    body.velocity[0] += 0.1;
    body.spin[1] = 3;
    body.pivot[1] -= 1e-4; // a small correction, each time
    MUST(context, firn_sim_drive(sim, id, -1, &body));
    if (i == steps - 1) continue; // the last one is saved with a step still to come
    MUST(context, firn_sim_step(sim, 0, NULL));
  }
}

static void checkpoints_carry_it(void **state) {
  (void)state;
  for (int s = 0; s < 3; s++) {
    char path[64];
    snprintf(path, sizeof path, "drive-%d-%zu.hdf", (int)getpid(), sizeof(firn_real));
    firn_context *a = make_context(1, FIRN_ISA_AUTO), *b = make_context(1, FIRN_ISA_AUTO);
    firn_sim *first = make_bed(a, SOLVERS[s], true), *second = make_empty(b, SOLVERS[s], true);
    int id = add_sphere(a, first, 5.5 * H, 0);
    add_sphere(b, second, 5.5 * H, 0);
    play(a, first, id, 8);
    MUST(a, firn_sim_save(first, path));
    MUST(b, firn_sim_load(second, path));
    unlink(path);
    firn_body one, two;
    MUST(a, firn_sim_body(first, id, -1, &one));
    MUST(b, firn_sim_body(second, id, -1, &two));
    assert_memory_equal(&one, &two, sizeof one);
    play(a, first, id, 8);
    play(b, second, id, 8);
    assert_same(a, first, b, second);
    MUST(a, firn_sim_body(first, id, -1, &one));
    MUST(b, firn_sim_body(second, id, -1, &two));
    assert_memory_equal(&one, &two, sizeof one);
    firn_sim_destroy(first), firn_sim_destroy(second);
    drop_context(a), drop_context(b);
  }
}

// One that nobody drove when it was saved goes its own way again, whatever was done with it since.
static void a_load_takes_it_out_of_the_callers_hands(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "led-%d-%zu.hdf", (int)getpid(), sizeof(firn_real));
  firn_context *a = make_context(1, FIRN_ISA_AUTO), *b = make_context(1, FIRN_ISA_AUTO);
  firn_sim *first = make_bed(a, "mpm", true), *second = make_empty(b, "mpm", true);
  int id = add_sphere(a, first, 7 * H, -1);
  add_sphere(b, second, 7 * H, -1);
  for (int i = 0; i < 4; i++) MUST(a, firn_sim_step(first, 0, NULL));
  MUST(a, firn_sim_save(first, path));
  firn_body aside = body_at(30 * H, 9), one, two;
  MUST(b, firn_sim_drive(second, id, -1, &aside));
  MUST(b, firn_sim_load(second, path));
  unlink(path);
  for (int i = 0; i < 60; i++) MUST(a, firn_sim_step(first, 0, NULL));
  for (int i = 0; i < 60; i++) MUST(b, firn_sim_step(second, 0, NULL));
  MUST(a, firn_sim_body(first, id, -1, &one));
  MUST(b, firn_sim_body(second, id, -1, &two));
  assert_memory_equal(&one, &two, sizeof one);
  assert_true(fabs(one.velocity[1] + 1) < 1e-12);
  assert_same(a, first, b, second);
  firn_sim_destroy(first), firn_sim_destroy(second);
  drop_context(a), drop_context(b);
}

// ---------------------------------------------------------------------------------- sleep and flight

static size_t asleep_after(firn_context *context, firn_sim *sim, int id, const firn_body *body,
                           int steps) {
  firn_step step = {0};
  for (int i = 0; i < steps; i++) {
    firn_body now = *body;
    if (i) MUST(context, firn_sim_body(sim, id, -1, &now));
    MUST(context, firn_sim_drive(sim, id, -1, &now));
    MUST(context, firn_sim_step(sim, 0, &step));
  }
  return step.asleep;
}

// A body that hovers, told anew each step, lets all sleep; one that comes near wakes what it is near to,
// at once; one that is put somewhere else wakes all.
static void sleepers_wake_when_it_comes_near(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.periodic[0] = def.periodic[2] = true; // so that it rests from the beginning
  def.period_cells[0] = def.period_cells[2] = 32;
  def.mpm.volume_nominal = true;
  firn_sim *sim = make_sim(context, &def);
  firn_collider_def floor = firn_default_collider_def();
  MUST(context, firn_sim_add_collider(sim, &floor, NULL));
  firn_fill_def bed = firn_default_fill_def();
  bed.shape = firn_box((const double[]){0, 4 * H, 0}, (const double[]){16 * H, 4 * H, 16 * H});
  bed.seeding = FIRN_SEEDING_LATTICE;
  bed.settled = true;
  MUST(context, firn_sim_fill(sim, &bed));
  int id = add_sphere(context, sim, 14 * H, 0);
  firn_body high = body_at(14 * H, 0);
  size_t all = firn_sim_count(sim), least = 4 * 4 * 4 * 8;
  asleep_after(context, sim, id, &high, 1);
  size_t asleep = asleep_after(context, sim, id, &high, 40);
  assert_true(asleep > all / 2);
  // Two cells above the snow, and fast.
  firn_body low = body_at(12 * H, 0);
  MUST(context, firn_sim_drive(sim, id, -1, &low)); // put there: wakes all
  assert_int_equal(asleep_after(context, sim, id, &low, 1), 0);
  asleep = asleep_after(context, sim, id, &low, 400);
  assert_true(asleep > all / 2);
  low.velocity[1] = -2;
  size_t then = asleep_after(context, sim, id, &low, 1);
  assert_true(then + least <= asleep); // those below it
  assert_true(then > 0);               // not the others
  firn_sim_destroy(sim);
  drop_context(context);
}

// A clump flies where nothing is near; then a plate that rested far below is sent against it, so fast
// that it is there long before anybody who flies would be looked at again.
static double hit_in_flight(bool flight) {
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.mpm.flight = flight;
  firn_sim *sim = make_sim(context, &def);
  for (int i = 0; i < 5; i++) MUST(context, add_one(sim, 3.1 * i * H, 60 * H, 0));
  int id = add_sphere(context, sim, 0, 0);
  firn_body body = body_at(0, 0);
  MUST(context, firn_sim_drive(sim, id, -1, &body));
  for (int i = 0; i < 20; i++) MUST(context, firn_sim_step(sim, 0, NULL));
  MUST(context, firn_sim_body(sim, id, -1, &body));
  body.velocity[1] = 40;
  MUST(context, firn_sim_drive(sim, id, -1, &body));
  while (firn_sim_time(sim) < 0.08) MUST(context, firn_sim_step(sim, 0, NULL));
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  firn_sim_destroy(sim);
  drop_context(context);
  return sums.speed_max;
}

static void who_flies_is_hit_by_what_gets_faster(void **state) {
  (void)state;
  double with = hit_in_flight(true), without = hit_in_flight(false);
  assert_true(without > 20);
  assert_true(fabs(with - without) < 0.05 * without);
}

// ---------------------------------------------------------------------------------- users' surfaces

static const double PUSH = 1; // m/s

// A wall in x that comes from the left, and the same that is drawn twice as large and turned.
static double wall(void *user, const double x[3], double time, double normal[3]) {
  (void)user;
  normal[0] = 1, normal[1] = normal[2] = 0;
  return x[0] - (-7 * H + PUSH * time);
}

static void wall_velocity(void *user, const double x[3], double time, double velocity[3]) {
  (void)x, (void)time;
  velocity[0] = *(const double *)user, velocity[1] = velocity[2] = 0;
}

typedef enum wall_kind { RIGID, USERS, USERS_SILENT, USERS_MOVED, USERS_UNITED } wall_kind;

// N s that the wall gets from the snow.
static double push_with(const char *solver, wall_kind kind) {
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_bed(context, solver, false);
  double speed = PUSH;
  firn_collider_def def = firn_default_collider_def();
  firn_shape_def own = {.kind = FIRN_SHAPE_SDF, .sdf = wall, .sdf_user = &speed};
  firn_shape *shape = NULL, *far = NULL;
  def.forces = true;
  def.shape = own;
  if (kind != USERS_SILENT) def.shape.sdf_velocity = wall_velocity;
  if (kind == RIGID) {
    def.shape = firn_half_space((const double[]){-7 * H, 0, 0}, (const double[]){1, 0, 0});
    def.velocity[0] = PUSH;
  }
  if (kind == USERS_MOVED || kind == USERS_UNITED) {
    firn_shape_def ball = firn_sphere((const double[]){0, -5, 0}, 0.1);
    MUST(context, firn_shape_create(context, &def.shape, &shape));
    MUST(context, firn_shape_create(context, &ball, &far));
    double turn[4];
    firn_rotation((const double[]){0, 0, 1}, 0, turn);
    def.shape = kind == USERS_MOVED ? firn_transform(shape, (const double[]){0, 1, 2}, turn, 1)
                                    : firn_union(2, (const firn_shape *[]){far, shape});
  }
  int id;
  firn_collider_force force;
  MUST(context, firn_sim_add_collider(sim, &def, &id));
  MUST(context, firn_sim_advance(sim, 0.04, NULL, NULL));
  MUST(context, firn_sim_collider_force(sim, id, &force));
  firn_shape_release(shape);
  firn_shape_release(far);
  firn_sim_destroy(sim);
  drop_context(context);
  return -force.impulse[0];
}

static void a_users_surface_pushes_as_fast_as_it_says(void **state) {
  (void)state;
  for (int s = 0; s < 3; s++) {
    double rigid = push_with(SOLVERS[s], RIGID);
    assert_true(rigid > 0.01);
    for (int kind = USERS; kind <= USERS_UNITED; kind++) {
      double own = push_with(SOLVERS[s], (wall_kind)kind);
      if (kind == USERS_SILENT)
        assert_true(own < 0.5 * rigid);
      else
        assert_true(fabs(own - rigid) < 0.05 * rigid);
    }
  }
}

// Turned by a quarter and twice as large: the velocity turns and grows along.
static void velocities_go_through_shapes(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  double speed = 3, turn[4], v[3];
  firn_shape_def def = {
      .kind = FIRN_SHAPE_SDF, .sdf = wall, .sdf_user = &speed, .sdf_velocity = wall_velocity};
  firn_shape *own, *made[4], *box;
  firn_shape_def cube = firn_box((const double[]){0, 0, 0}, (const double[]){1, 1, 1});
  MUST(context, firn_shape_create(context, &def, &own));
  MUST(context, firn_shape_create(context, &cube, &box));
  firn_rotation((const double[]){0, 0, 1}, 1.5707963267948966, turn);
  firn_shape_def of[4] = {
      firn_transform(own, (const double[]){0, 0, 0}, turn, 2),
      firn_mirror(own, (const double[]){0, 0, 0}, 0),
      firn_intersection(2, (const firn_shape *[]){box, own}),
      firn_difference(2, (const firn_shape *[]){box, own}),
  };
  for (int i = 0; i < 4; i++) MUST(context, firn_shape_create(context, &of[i], &made[i]));
  const double near_wall[3] = {-7 * H, 0, 0}, left[3] = {-0.5, 0, 0}, corner[3] = {0, 0.99, 0};
  firn_shape_velocity(made[0], near_wall, 0, v);
  assert_true(fabs(v[0]) < 1e-12 && fabs(v[1] - 6) < 1e-12 && v[2] == 0);
  firn_shape_velocity(made[1], left, 0, v);
  assert_true(v[0] == -3);
  for (int i = 2; i < 4; i++) {
    firn_shape_velocity(made[i], near_wall, 0, v);
    assert_true(v[0] == 3);
  }
  firn_shape_velocity(made[3], corner, 0, v); // the face of the box is nearer than the cut
  assert_true(v[0] == 0);
  for (int i = 0; i < 4; i++) firn_shape_release(made[i]);
  firn_shape_release(own);
  firn_shape_release(box);
  drop_context(context);
}

static void a_velocity_that_is_nan_fails_the_step(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_bed(context, "mpm", false);
  double speed = (double)NAN;
  firn_collider_def def = firn_default_collider_def();
  def.name = "wall";
  def.shape = (firn_shape_def){
      .kind = FIRN_SHAPE_SDF, .sdf = wall, .sdf_user = &speed, .sdf_velocity = wall_velocity};
  MUST(context, firn_sim_add_collider(sim, &def, NULL));
  MUST_FAIL(context, firn_sim_advance(sim, 0.04, NULL, NULL), FIRN_ERROR_NONFINITE, "wall",
            "sdf_velocity");
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(momentum_of_ball_and_snow_is_gravitys_and_the_floors),
      cmocka_unit_test(other_solvers_hand_back_what_the_snow_does),
      cmocka_unit_test(flips_colliders_get_about_what_their_own_snow_loses),
      cmocka_unit_test(a_driven_collider_goes_on_with_its_velocity),
      cmocka_unit_test(a_driven_body_turns_as_it_goes),
      cmocka_unit_test(parts_are_driven_in_the_world),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(checkpoints_carry_it),
      cmocka_unit_test(a_load_takes_it_out_of_the_callers_hands),
      cmocka_unit_test(sleepers_wake_when_it_comes_near),
      cmocka_unit_test(who_flies_is_hit_by_what_gets_faster),
      cmocka_unit_test(a_users_surface_pushes_as_fast_as_it_says),
      cmocka_unit_test(velocities_go_through_shapes),
      cmocka_unit_test(a_velocity_that_is_nan_fails_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
