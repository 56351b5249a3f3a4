// SPDX-License-Identifier: Apache-2.0
// labels: P21 slow
// processors: 2
// timeout: 120
// Forces against closed forms, under every solver: what they give is what the snow gets.
#include "cache/scratch.h"

#include "support/same.h"

static const char *const SOLVERS[] = {"mpm", "sph", "flip"};
enum { SOLVER_COUNT = 3 };
static const double PI = 3.14159265358979323846;
static const bool IS_DOUBLE = sizeof(firn_real) == sizeof(double);

static double by_precision(double in_float, double in_double) {
  return IS_DOUBLE ? in_double : in_float;
}

// Steps of dt [s] in cells of h [m]; gravity is downwards.
static firn_sim *open_sim(firn_context *context, const char *solver, double h, double dt,
                          double gravity) {
  firn_sim_def def = firn_default_sim_def();
  firn_sph_def sph = firn_default_sph_def();
  firn_flip_def flip = firn_default_flip_def();
  def.h = h;
  def.gravity[1] = -gravity;
  def.solver = solver;
  def.mpm.dt = sph.dt = flip.dt = dt;
  if (strcmp(solver, "sph") == 0) def.settings = &sph;
  if (strcmp(solver, "flip") == 0) def.settings = &flip;
  return make_sim(context, &def);
}

static void add_snowball(firn_context *context, firn_sim *sim, double height) {
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((double[]){0, height, 0}, 3 * firn_sim_h(sim));
  MUST(context, firn_sim_fill(sim, &ball));
}

static void add_flake(firn_context *context, firn_sim *sim, const double x[3], const double v[3]) {
  firn_particles_def def = firn_default_particles_def();
  def.count = 1;
  def.position = x;
  def.velocity = v;
  MUST(context, firn_sim_add_particles(sim, &def));
}

static void steps(firn_context *context, firn_sim *sim, int count) {
  for (int i = 0; i < count; i++) MUST(context, firn_sim_step(sim, 0, NULL));
}

// -------------------------------------------------------------------------------- closed forms

// At the end of step n all snow has n a dt, and has gone with what it had before: a dt^2 n (n - 1) / 2.
static void a_free_ball_follows_a_parabola(void **state) {
  (void)state;
  const double a[3] = {3, -2, 1}, dt = 1e-3;
  enum { STEPS = 200 };
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, SOLVERS[s], 0.02, dt, 0);
    firn_force_def force = firn_default_force_def();
    firn_sums before, after;
    force.kind = FIRN_FORCE_UNIFORM;
    memcpy(force.acceleration, a, sizeof a);
    add_snowball(context, sim, 0);
    MUST(context, firn_sim_add_force(sim, &force, NULL));
    MUST(context, firn_sim_sums(sim, &before));
    steps(context, sim, STEPS);
    MUST(context, firn_sim_sums(sim, &after));
    // Sums of some thousand rounded numbers, 200 times.
    double near = by_precision(2e-5, 1e-11);
    for (int k = 0; k < 3; k++) {
      double v = STEPS * dt * a[k], way = 0.5 * a[k] * dt * dt * STEPS * (STEPS - 1);
      assert_true(fabs(after.momentum[k] / after.mass - v) < near * fabs(v));
      assert_true(fabs(after.center[k] - before.center[k] - way) < near * fabs(way) + near * 0.02);
      // And that is the parabola, to half a step.
      assert_true(fabs(way - 0.5 * v * STEPS * dt) <= 0.5001 * dt * fabs(v));
    }
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// A circle of radius R at v = sqrt(strength R). Steps that change place and velocity in turns keep the
// period to (v dt / R)^2 and what energy they make up within v dt / R for ever.
static void a_flake_goes_round_an_attractor(void **state) {
  (void)state;
  const double R = 0.4, strength = 10, v = sqrt(strength * R), turn = 2 * PI * R / v;
  const double dt = turn / 500, energy = 0.5 * v * v - strength * R;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, SOLVERS[s], 0.05, dt, 0);
    firn_force_def force = firn_default_force_def();
    force.kind = FIRN_FORCE_ATTRACTOR;
    force.strength = strength;
    force.radius = R;
    force.center[1] = 1;
    add_flake(context, sim, (const double[]){R, 1, 0}, (const double[]){0, v, 0});
    MUST(context, firn_sim_add_force(sim, &force, NULL));
    double angle = 0, x[3], u[3], was = 0, time = 0, period = 0;
    int turns = 0;
    while (turns < 5) {
      steps(context, sim, 1);
      MUST(context, firn_sim_read(sim, "position", x));
      MUST(context, firn_sim_read(sim, "velocity", u));
      double now = atan2(x[1] - 1, x[0]), r = hypot(x[0], x[1] - 1);
      double held = 0.5 * (u[0] * u[0] + u[1] * u[1]) - strength * R * R / r;
      assert_true(fabs(held / energy - 1) < 1.2 * v * dt / R); // as much is made up by half a kick
      assert_true(fabs(x[2]) < by_precision(1e-5, 1e-12));
      angle += now - was < -PI ? now - was + 2 * PI : now - was;
      if (angle >= 2 * PI * (turns + 1)) {
        turns++;
        // When the angle was reached, between this step and the last.
        period = (firn_sim_time(sim) - dt * (angle - 2 * PI * turns) / (now - was)) / turns;
      }
      was = now;
      time = firn_sim_time(sim);
    }
    assert_true(time < 5.1 * turn);
    // The half kick that the first step lacks makes an orbit whose long axis is longer by v dt / R of R.
    assert_true(fabs(period / turn - 1) < 2 * v * dt / R);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// What gravity adds in a step, the drag takes: v = g / k exactly, whatever the step, and the wind's speed
// along it.
static void a_flake_falls_at_the_speed_of_its_drag(void **state) {
  (void)state;
  const double rate = 5, g = 9.81, dt = 2e-3;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, SOLVERS[s], 0.05, dt, g);
    firn_force_def force = firn_default_force_def();
    double v[3];
    force.kind = FIRN_FORCE_DRAG;
    force.rate = rate;
    force.wind.velocity[0] = 3;
    add_flake(context, sim, (const double[]){0.1, 0, 0.2}, NULL);
    MUST(context, firn_sim_add_force(sim, &force, NULL));
    steps(context, sim, 2000); // 20 times 1 / k: what is left of the beginning is 2e-9
    MUST(context, firn_sim_read(sim, "velocity", v));
    double near = by_precision(2e-5, 1e-8);
    assert_true(fabs(v[1] / (-g / rate) - 1) < near);
    assert_true(fabs(v[0] / 3 - 1) < near);
    assert_true(fabs(v[2]) < near);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// Round the axis, right-handed: from +x towards -z where the axis is up.
static void a_vortex_turns_about_its_axis(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, "mpm", 0.05, 1e-3, 0);
  firn_force_def force = firn_default_force_def();
  double v[3];
  force.kind = FIRN_FORCE_VORTEX;
  force.axis[1] = 2;
  force.strength = 4;
  force.radius = 0.5;
  force.falloff = 1;
  force.reach = 3;
  add_flake(context, sim, (const double[]){1, 7, 0}, NULL);
  MUST(context, firn_sim_add_force(sim, &force, NULL));
  steps(context, sim, 1);
  MUST(context, firn_sim_read(sim, "velocity", v));
  assert_true(fabs(v[2] + 1e-3 * 4 * 0.5) < by_precision(1e-9, 1e-15));
  assert_true(v[0] == 0 && v[1] == 0);
  // Beyond its reach there is nothing; within its core it fades.
  force.reach = 0.9;
  MUST(context, firn_sim_set_force(sim, 0, &force));
  steps(context, sim, 1);
  double again[3];
  MUST(context, firn_sim_read(sim, "velocity", again));
  assert_true(again[2] == v[2]);
  force.reach = 0;
  force.core = sqrt(3);
  MUST(context, firn_sim_set_force(sim, 0, &force));
  steps(context, sim, 1);
  MUST(context, firn_sim_read(sim, "velocity", again));
  assert_true(fabs(again[2] - v[2] + 1e-3 * 4 * 0.25 * 0.5) < by_precision(1e-8, 1e-8));
  firn_sim_destroy(sim);
  drop_context(context);
}

// --------------------------------------------------------------------------------------- books

typedef struct given {
  double force[3]; // N, summed over particles and steps
  size_t particles, chunks;
} given;

// A stiff pull to the axis, and a lift.
static void pull(void *user, const firn_force_chunk *c) {
  given *g = user;
  for (size_t i = 0; i < c->count; i++) {
    c->acceleration[0][i] = -80 * c->position[0][i];
    c->acceleration[1][i] = 5 - c->velocity[1][i];
    for (int a = 0; a < 2; a++) g->force[a] += (double)c->mass[i] * (double)c->acceleration[a][i];
  }
  g->particles += c->count;
  g->chunks++;
}

static void what_a_force_gives_is_what_the_snow_gets(void **state) {
  (void)state;
  const double dt = 5e-4;
  enum { STEPS = 100 };
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, SOLVERS[s], 0.02, dt, 0);
    firn_force_def force = firn_default_force_def();
    given g = {{0, 0, 0}, 0, 0};
    firn_force_sums sums;
    firn_sums all;
    add_snowball(context, sim, 0.3);
    force.act = pull;
    force.user = &g;
    MUST(context, firn_sim_add_force(sim, &force, NULL));
    steps(context, sim, STEPS);
    assert_int_equal(g.particles, STEPS * firn_sim_count(sim));
    MUST(context, firn_sim_force_sums(sim, 0, &sums));
    MUST(context, firn_sim_sums(sim, &all));
    double scale = all.mass * 5 * STEPS * dt, near = by_precision(3e-5, 1e-10) * scale;
    // The solves of sph stop at a residual, which is momentum that some particles lack.
    double kept = s == 1 ? fmax(near, 1e-4 * scale) : near;
    for (int a = 0; a < 3; a++) {
      assert_true(fabs(sums.impulse[a] - dt * g.force[a]) < near);
      if (!(fabs(all.momentum[a] - sums.impulse[a]) < kept))
        fail_msg("%s: momentum %g, impulse %g, of %g", SOLVERS[s], all.momentum[a], sums.impulse[a],
                 scale);
    }
    assert_true(sums.impulse[1] > 0.5 * scale);
    assert_true(sums.work > 0 && isfinite(all.energy_lost));
    // Nothing is lost but what transfers and plastic flow take, nothing won but by the steps in time.
    assert_true(all.energy_lost < sums.work && all.energy_lost > -0.05 * sums.work);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// One that nothing holds or strains has all of the work as motion.
static void the_work_on_a_flake_is_its_motion(void **state) {
  (void)state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *sim = open_sim(context, SOLVERS[s], 0.02, 1e-3, 0);
    firn_force_def force = firn_default_force_def();
    given g = {{0, 0, 0}, 0, 0};
    firn_force_sums sums;
    firn_sums all;
    force.act = pull;
    force.user = &g;
    add_flake(context, sim, (const double[]){0.3, 0.1, 0}, NULL);
    MUST(context, firn_sim_add_force(sim, &force, NULL));
    steps(context, sim, 100);
    MUST(context, firn_sim_force_sums(sim, 0, &sums));
    MUST(context, firn_sim_sums(sim, &all));
    double near = by_precision(1e-5, 1e-12) * all.energy_kinetic;
    assert_true(all.energy_kinetic > 0);
    assert_true(fabs(all.energy_kinetic - sums.work) < near);
    assert_true(fabs(all.energy_lost) < near);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// Under mpm a flake is in no block, and two that are close are a clump by themselves.
static void what_flies_is_pushed_too(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, "mpm", 0.02, 1e-4, 0);
  firn_force_def force = firn_default_force_def();
  firn_sums all;
  force.kind = FIRN_FORCE_UNIFORM;
  force.acceleration[2] = 7;
  add_flake(context, sim, (const double[]){0, 0, 0}, NULL);
  add_flake(context, sim, (const double[]){1, 0.001, 0}, NULL);
  add_flake(context, sim, (const double[]){1.012, 0, 0.001}, NULL);
  MUST(context, firn_sim_add_force(sim, &force, NULL));
  steps(context, sim, 200);
  MUST(context, firn_sim_sums(sim, &all));
  assert_true(fabs(all.momentum[2] / all.mass - 7 * 0.02) < by_precision(1e-6, 1e-14));
  double v[9];
  MUST(context, firn_sim_read(sim, "velocity", v));
  for (int i = 0; i < 3; i++) assert_true(fabs(v[3 * i + 2] - 0.14) < by_precision(1e-6, 1e-14));
  firn_sim_destroy(sim);
  drop_context(context);
}

// ------------------------------------------------------------------------------------ same bytes

static void stir(void *user, const firn_force_chunk *c) {
  (void)user;
  for (size_t i = 0; i < c->count; i++) {
    c->acceleration[0][i] = 20 * (firn_real)sin(40 * (double)c->position[1][i] + 9 * c->time);
    c->rate[i] = 1;
  }
}

// A ball that falls on a floor in an attractor, a gust and a function.
static firn_sim *open_storm(firn_context *context, const char *solver, double strength) {
  firn_sim *sim = open_sim(context, solver, 0.02, 0, 9.81);
  firn_force_def attractor = firn_default_force_def(), drag = attractor, function = attractor;
  attractor.kind = FIRN_FORCE_ATTRACTOR;
  attractor.name = "moon";
  attractor.strength = strength;
  attractor.axis[0] = 1;
  attractor.core = 0.05;
  attractor.radius = 0.1;
  drag.kind = FIRN_FORCE_DRAG;
  drag.rate = 4;
  drag.wind.velocity[0] = 6;
  drag.wind.gust = 0.5;
  drag.wind.gust_period = 0.01;
  drag.wind.turbulence = 1;
  drag.wind.turbulence_wavelength = 0.1;
  function.act = stir;
  function.parallel = true;
  add_ball(context, sim);
  MUST(context, firn_sim_add_force(sim, &attractor, NULL));
  MUST(context, firn_sim_add_force(sim, &drag, NULL));
  MUST(context, firn_sim_add_force(sim, &function, NULL));
  return sim;
}

static void any_number_of_threads_makes_the_same(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 7};
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context[3];
    firn_sim *sim[3];
    firn_force_sums sums[3];
    for (int i = 0; i < 3; i++) {
      context[i] = make_context(threads[i], FIRN_ISA_AUTO);
      sim[i] = open_storm(context[i], SOLVERS[s], 30);
      MUST(context[i], firn_sim_advance(sim[i], 0.02, NULL, NULL));
      MUST(context[i], firn_sim_force_sums(sim[i], 1, &sums[i]));
      if (i) assert_same(context[0], sim[0], context[i], sim[i]);
      if (i) assert_memory_equal(&sums[0], &sums[i], sizeof sums[0]);
    }
    for (int i = 0; i < 3; i++) {
      firn_sim_destroy(sim[i]);
      drop_context(context[i]);
    }
  }
}

// A checkpoint holds the numbers that were set, and what has been given so far.
static void a_storm_goes_on_after_a_load(void **state) {
  scratch *files = *state;
  for (int s = 0; s < SOLVER_COUNT; s++) {
    firn_context *context = make_context(2, FIRN_ISA_AUTO);
    firn_sim *whole = open_storm(context, SOLVERS[s], 10);
    firn_force_def moon = firn_default_force_def();
    char path[600];
    snprintf(path, sizeof path, "%s/%s", files->folder, SOLVERS[s]);
    MUST(context, firn_sim_advance(whole, 0.005, NULL, NULL));
    moon.kind = FIRN_FORCE_ATTRACTOR;
    moon.strength = 40;
    moon.axis[2] = 1;
    moon.core = 0.03;
    moon.falloff = 1;
    MUST(context, firn_sim_set_force(whole, 0, &moon));
    MUST(context, firn_sim_save(whole, path));
    MUST(context, firn_sim_advance(whole, 0.005, NULL, NULL));

    firn_sim *resumed;
    firn_sim_def def = firn_default_sim_def();
    def.h = 0.02;
    def.solver = SOLVERS[s];
    resumed = make_sim(context, &def);
    firn_collider_def floor_def = firn_default_collider_def();
    floor_def.name = "floor";
    MUST(context, firn_sim_add_collider(resumed, &floor_def, NULL));
    firn_force_def drag = firn_default_force_def(), function = drag;
    moon.strength = 10;
    moon.axis[2] = 0;
    MUST(context, firn_sim_add_force(resumed, &moon, NULL));
    drag.kind = FIRN_FORCE_DRAG;
    drag.wind.gust = 0.5;
    drag.wind.gust_period = 0.01;
    drag.wind.turbulence = 1;
    drag.wind.turbulence_wavelength = 0.1;
    MUST(context, firn_sim_add_force(resumed, &drag, NULL));
    function.act = stir;
    function.parallel = true;
    // One is missing.
    MUST_FAIL(context, firn_sim_load(resumed, path), FIRN_ERROR_STATE, "with 3 forces, here are 2");
    firn_sim_destroy(resumed);

    resumed = make_sim(context, &def);
    MUST(context, firn_sim_add_collider(resumed, &floor_def, NULL));
    MUST(context, firn_sim_add_force(resumed, &moon, NULL));
    MUST(context, firn_sim_add_force(resumed, &drag, NULL));
    MUST(context, firn_sim_add_force(resumed, &function, NULL));
    MUST(context, firn_sim_load(resumed, path));
    MUST(context, firn_sim_advance(resumed, 0.005, NULL, NULL));
    assert_same(context, whole, context, resumed);
    for (int i = 0; i < 3; i++) {
      firn_force_sums a, b;
      MUST(context, firn_sim_force_sums(whole, i, &a));
      MUST(context, firn_sim_force_sums(resumed, i, &b));
      assert_memory_equal(&a, &b, sizeof a);
    }
    firn_sim_destroy(whole);
    firn_sim_destroy(resumed);
    drop_context(context);
  }
}

// A flake in a drag, from def.
static firn_sim *open_breeze(firn_context *context, const firn_force_def *def, bool snow) {
  firn_sim *sim = open_sim(context, "mpm", 0.05, 1e-3, 9.81);
  MUST(context, firn_sim_add_force(sim, def, NULL));
  if (snow) add_flake(context, sim, (const double[]){0.1, 0, 0.2}, NULL);
  return sim;
}

// Each number of a wind by itself, set after the force was added, is there after a load.
static void a_checkpoint_holds_all_numbers_of_a_drag(void **state) {
  scratch *files = *state;
  enum { CASES = 9 };
  for (int i = 0; i < CASES; i++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_force_def def = firn_default_force_def();
    double u[3], v[3], w[3];
    char path[600];
    def.kind = FIRN_FORCE_DRAG;
    def.rate = 50;
    def.wind.velocity[0] = 3;
    def.wind.gust = 0.2;
    def.wind.turbulence = 0.5;
    firn_sim *whole = open_breeze(context, &def, true), *plain = open_breeze(context, &def, true);
    firn_sim *resumed = open_breeze(context, &def, false);
    switch (i) {
    case 0: def.wind.gust = 0.7; break;
    case 1: def.wind.gust_period = 0.02; break;
    case 2: def.wind.gust_noise = 1; break;
    case 3:
      def.wind.swirl = 2;
      def.wind.swirl_axis[0] = 0.3; // whose unit vector is rounded
      break;
    case 4: def.wind.turbulence = 1.5; break;
    case 5: def.wind.turbulence_octaves = 3; break;
    case 6:
      def.wind.body = FIRN_WIND_BODY_ELLIPSOID;
      for (int a = 0; a < 3; a++) def.wind.body_radii[a] = 0.1 + 0.02 * a;
      break;
    case 7: def.wind.seed = 77; break;
    default: def.wind.turbulence_drift[0] = 40; break;
    }
    MUST(context, firn_sim_set_force(whole, 0, &def));
    snprintf(path, sizeof path, "%s/breeze", files->folder);
    MUST(context, firn_sim_save(whole, path));
    MUST(context, firn_sim_load(resumed, path));
    steps(context, whole, 10);
    steps(context, plain, 10);
    steps(context, resumed, 10);
    MUST(context, firn_sim_read(whole, "velocity", u));
    MUST(context, firn_sim_read(plain, "velocity", v));
    MUST(context, firn_sim_read(resumed, "velocity", w));
    assert_memory_not_equal(u, v, sizeof u); // it mattered
    assert_memory_equal(u, w, sizeof u);
    firn_sim_destroy(whole);
    firn_sim_destroy(plain);
    firn_sim_destroy(resumed);
    drop_context(context);
  }
}

// As colliders: which there are, and of what kind, is the builder's.
static void a_checkpoint_wants_the_forces_it_was_saved_with(void **state) {
  scratch *files = *state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_force_def up = firn_default_force_def(), drag = up;
  char with[600], without[600];
  up.kind = FIRN_FORCE_UNIFORM;
  up.name = "up";
  drag.kind = FIRN_FORCE_DRAG;
  drag.name = "breeze";
  snprintf(with, sizeof with, "%s/with", files->folder);
  snprintf(without, sizeof without, "%s/without", files->folder);
  firn_sim *sim = open_sim(context, "mpm", 0.05, 1e-3, 9.81);
  add_flake(context, sim, (const double[]){0, 0, 0}, NULL);
  MUST(context, firn_sim_save(sim, without));
  MUST(context, firn_sim_add_force(sim, &up, NULL));
  MUST(context, firn_sim_save(sim, with));
  firn_sim_destroy(sim);

  sim = open_sim(context, "mpm", 0.05, 1e-3, 9.81);
  MUST_FAIL(context, firn_sim_load(sim, with), FIRN_ERROR_STATE, "saved with 1 forces, here are 0");
  MUST(context, firn_sim_add_force(sim, &drag, NULL));
  MUST_FAIL(context, firn_sim_load(sim, without), FIRN_ERROR_STATE, "with 0 forces, here are 1");
  MUST_FAIL(context, firn_sim_load(sim, with), FIRN_ERROR_STATE, "'breeze'", "drag here",
            "uniform there");
  assert_int_equal(firn_sim_count(sim), 0);
  firn_sim_destroy(sim);
  drop_context(context);
}

// ----------------------------------------------------------------------------------------- sleep

static size_t asleep_after(firn_context *context, firn_sim *sim, int count) {
  firn_step step = {0};
  for (int i = 0; i < count; i++) MUST(context, firn_sim_step(sim, 0, &step));
  return step.asleep;
}

// A layer that was laid down at rest sleeps, until a force reaches it under which it may not.
static void a_force_keeps_snow_awake_unless_it_is_steady(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.02;
  firn_sim *sim = make_sim(context, &def);
  firn_fill_def layer = firn_default_fill_def();
  firn_collider_def ground = firn_default_collider_def();
  firn_force_def far = firn_default_force_def(), weak = far;
  ground.sticky = true;
  layer.shape = firn_box((double[]){0, 0.1, 0}, (double[]){0.16, 0.1, 0.16});
  layer.settled = true;
  MUST(context, firn_sim_add_collider(sim, &ground, NULL));
  MUST(context, firn_sim_fill(sim, &layer));
  size_t all = asleep_after(context, sim, 200);
  assert_true(all > 0);

  far.kind = FIRN_FORCE_ATTRACTOR;
  far.center[0] = 9;
  far.strength = 50;
  far.reach = 2;
  MUST(context, firn_sim_add_force(sim, &far, NULL));
  weak.kind = FIRN_FORCE_UNIFORM;
  weak.steady = true;
  MUST(context, firn_sim_add_force(sim, &weak, NULL));
  assert_true(asleep_after(context, sim, 1200) > all / 2); // all are woken for a look
  weak.acceleration[0] = 1e-3;
  MUST(context, firn_sim_set_force(sim, 1, &weak));
  assert_true(asleep_after(context, sim, 1200) > all / 2);
  // As it was before, as a scene's keys do while they stand still: nobody wakes.
  for (int i = 0; i < 40; i++) {
    MUST(context, firn_sim_set_force(sim, 1, &weak));
    assert_true(asleep_after(context, sim, 1) > all / 2);
  }
  weak.acceleration[0] = 2e-3;
  MUST(context, firn_sim_set_force(sim, 1, &weak));
  assert_int_equal(asleep_after(context, sim, 40), 0);
  weak.steady = false;
  MUST(context, firn_sim_set_force(sim, 1, &weak));
  assert_int_equal(asleep_after(context, sim, 40), 0);
  assert_int_equal(asleep_after(context, sim, 1200), 0);
  // Its reach comes over the snow.
  weak.acceleration[0] = 0;
  MUST(context, firn_sim_set_force(sim, 1, &weak));
  assert_true(asleep_after(context, sim, 1200) > all / 2);
  far.strength = 1e-3;
  far.reach = 10;
  MUST(context, firn_sim_set_force(sim, 0, &far));
  assert_int_equal(asleep_after(context, sim, 40), 0);
  firn_sim_destroy(sim);
  drop_context(context);
}

// ---------------------------------------------------------------------------------------- errors

static void spoil(void *user, const firn_force_chunk *c) {
  const uint32_t *bad = user;
  for (size_t i = 0; i < c->count; i++)
    if (c->id[i] == *bad) c->acceleration[1][i] = (firn_real)NAN;
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = open_sim(context, "mpm", 0.02, 0, 9.81);
  firn_force_def def = firn_default_force_def();
  firn_force_sums sums;
  uint32_t bad = 7;
  def.name = "it";
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "'it'", "act");
  def.kind = FIRN_FORCE_UNIFORM;
  def.acceleration[2] = (double)INFINITY;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "acceleration",
            "inf");
  def.kind = FIRN_FORCE_VORTEX;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "axis");
  def.axis[0] = 1;
  def.core = -1;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "core", "-1");
  def.core = 0;
  def.radius = 0;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "radius");
  def.kind = FIRN_FORCE_DRAG;
  def.rate = -2;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "rate", "-2");
  def.rate = 2;
  def.wind.gust = 11;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "gust", "11");
  def.kind = (firn_force_kind)77;
  MUST_FAIL(context, firn_sim_add_force(sim, &def, NULL), FIRN_ERROR_ARGUMENT, "77");
  MUST_FAIL(context, firn_sim_force_sums(sim, 0, &sums), FIRN_ERROR_ARGUMENT, "force 0");
  MUST_FAIL(context, firn_sim_set_force(sim, 0, &def), FIRN_ERROR_ARGUMENT, "force 0");
  def = firn_default_force_def();
  def.act = spoil;
  def.user = &bad;
  def.name = "rot";
  MUST(context, firn_sim_add_force(sim, &def, NULL));
  def.kind = FIRN_FORCE_UNIFORM;
  MUST_FAIL(context, firn_sim_set_force(sim, 0, &def), FIRN_ERROR_ARGUMENT, "'rot'", "kind");
  add_snowball(context, sim, 0);
  MUST_FAIL(context, firn_sim_step(sim, 0, NULL), FIRN_ERROR_NONFINITE, "'rot'", "particle 7");
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_ball_follows_a_parabola),
      cmocka_unit_test(a_flake_goes_round_an_attractor),
      cmocka_unit_test(a_flake_falls_at_the_speed_of_its_drag),
      cmocka_unit_test(a_vortex_turns_about_its_axis),
      cmocka_unit_test(what_a_force_gives_is_what_the_snow_gets),
      cmocka_unit_test(the_work_on_a_flake_is_its_motion),
      cmocka_unit_test(what_flies_is_pushed_too),
      cmocka_unit_test(any_number_of_threads_makes_the_same),
      cmocka_unit_test_setup_teardown(a_storm_goes_on_after_a_load, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(a_checkpoint_holds_all_numbers_of_a_drag, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(a_checkpoint_wants_the_forces_it_was_saved_with, scratch_open,
                                      scratch_close),
      cmocka_unit_test(a_force_keeps_snow_awake_unless_it_is_steady),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
