// SPDX-License-Identifier: Apache-2.0
// labels: M25 M26 M27 M38 slow
// timeout: 300
// How many iterations the semi-implicit step takes when a snowball hits the floor, and that no
// frame of reference is better than another.
//
// Run with the best instruction set the machine has: the counts are properties of the matrix, and
// the kernels behind it are compared with each other elsewhere.
#include "base/isa.h"
#include "support/mpm_case.h"

enum { STEPS_MAX = 100 };

typedef struct drop {
  double h, dt, tolerance, per_cell;
  double frame[3];     // m/s, velocity that everything has on top, floor included
  double floor;        // m, its height
  bool collider_begin; // sample the floor at the beginning of the step
  bool flakes;         // that fly beside the ball, without the grid
  int steps;
} drop;

static const drop m25 = {
    .h = 0.0125, .dt = 5e-4, .tolerance = 1e-6, .per_cell = 8, .steps = STEPS_MAX};

typedef struct outcome {
  double mean;               // iterations a step
  int max, redone;           // iterations of the worst step; steps that were halved
  int iterations[STEPS_MAX]; // of each step
  firn_sums sums;
  double jp_min;
  size_t count;
  double *position; // [count][3], where the caller asked for it
} outcome;

enum { FLAKES = 3 };
static void add_flakes(const mpm_case *c, const double velocity[3]) {
  const double x[3 * FLAKES] = {0.3, 0.31, 0, -0.32, 0.4, 0.1, 0, 0.25, -0.34};
  double v[3 * FLAKES];
  firn_particles_def def = firn_default_particles_def();
  for (int i = 0; i < 3 * FLAKES; i++) v[i] = velocity[i % 3];
  def.count = FLAKES;
  def.position = x;
  def.velocity = v;
  must(c, firn_sim_add_particles(c->sim, &def));
}

// Table 2, R = 10 cm, at 5 m/s onto a floor of friction 0.5, which it touches at the start.
static outcome run_drop(const mpm_variant *v, const drop *d, bool keep_positions) {
  firn_sim_def def = mpm_printed_def(v, d->h);
  def.gravity[1] = -9.81;
  def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  def.mpm.collider_begin = d->collider_begin;
  def.mpm.dt = d->dt;
  def.mpm.tolerance = d->tolerance;
  def.mpm.flight = d->flakes;
  firn_material_def snow = firn_default_material_def();
  mpm_case c = mpm_case_open_threads(v, &def, &snow, 2);
  firn_fill_def ball = firn_default_fill_def();
  const double center[3] = {0, 0.1, 0};
  ball.shape = firn_sphere(center, 0.1);
  ball.per_cell = d->per_cell;
  firn_collider_def floor = firn_default_collider_def();
  floor.shape.center[1] = d->floor;
  for (int a = 0; a < 3; a++) ball.velocity[a] = floor.velocity[a] = d->frame[a];
  ball.velocity[1] -= 5;
  must(&c, firn_sim_fill(c.sim, &ball));
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  if (d->flakes) add_flakes(&c, ball.velocity);

  outcome out = {0};
  int all = 0;
  for (int i = 0; i < d->steps; i++) {
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    out.iterations[i] = step.iterations;
    out.redone += (int)mpm_case_stat(&c, "redone");
    all += step.iterations;
    if (step.iterations > out.max) out.max = step.iterations;
  }
  out.count = mpm_case_count(&c);
  out.mean = (double)all / d->steps;
  out.sums = mpm_case_sums(&c);
  out.jp_min = mpm_case_stat(&c, "jp_min");
  if (keep_positions) out.position = mpm_case_read(&c, "position");
  assert_int_equal(mpm_case_stat(&c, "flying"), d->flakes ? FLAKES : 0);
  mpm_report(v, "h %.4f dt %.3e tol %.0e, %zu particles: mean %.2f, max %d; J_P >= %.4f", d->h,
             d->dt, d->tolerance, mpm_case_count(&c), out.mean, out.max, out.jp_min);
  mpm_case_close(&c);
  return out;
}

// The scheme of the paper, whose counts are known.
#define for_printed_scheme(v) for_each_scheme(v, firn_isa_best()) if (is_cubic(v) && !is_apic(v))

static void ball_drop_is_stable_and_solved_in_few_iterations(void **state) {
  (void)state;
  for_printed_scheme(v) {
    outcome out = run_drop(v, &m25, false);
    assert_int_equal(out.redone, 0);
    assert_true(out.mean <= 25);
    assert_true(out.max <= 40);
    assert_true(out.mean >= 10); // it has something to do
    // Stable: the ball has lost most of its 5 m/s to plastic work, nothing flies off, and nothing
    // has sunk in by more than the cell in which contact is felt.
    assert_true(out.sums.energy_kinetic < 0.5 * out.sums.mass * 1.5 * 1.5);
    assert_true(out.sums.speed_max < 10);
    assert_true(out.sums.bounds_min[1] > -m25.h);
    assert_true(out.sums.bounds_max[1] < 0.2);
    assert_true(out.jp_min > 0.4 && out.jp_min < 0.7);
  }
}

static void default_tolerance_needs_at_most_fifteen_iterations(void **state) {
  (void)state;
  drop d = m25;
  d.tolerance = firn_default_mpm_def().tolerance;
  assert_true(d.tolerance == 1e-4);
  for_printed_scheme(v) {
    outcome out = run_drop(v, &d, false);
    assert_int_equal(out.redone, 0);
    assert_true(out.mean <= 15);
    assert_true(out.mean >= 5);
  }
}

static void iterations_do_not_depend_on_the_number_of_particles(void **state) {
  (void)state;
  static const double per_cell[] = {3, 8, 16};
  for_printed_scheme(v) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < 3; i++) {
      drop d = m25;
      d.h = 0.02;
      d.per_cell = per_cell[i];
      outcome out = run_drop(v, &d, false);
      least = fmin(least, out.mean);
      most = fmax(most, out.mean);
    }
    assert_true(most <= 1.2 * least);
  }
}

// dt = h/40 s/m, the paper's 5e-4 s at h = 2 cm; 12.5 ms of the impact.
static void iterations_stay_when_the_step_shrinks_with_the_cell(void **state) {
  (void)state;
  static const int cells[] = {5, 7, 10}; // in the radius
  for_printed_scheme(v) {
    double least = INFINITY, most = 0;
    for (int i = 0; i < 3; i++) {
      drop d = m25;
      d.h = 0.1 / cells[i];
      d.dt = 0.025 * d.h;
      d.steps = 5 * cells[i];
      outcome out = run_drop(v, &d, false);
      least = fmin(least, out.mean);
      most = fmax(most, out.mean);
    }
    assert_true(most <= 1.5 * least);
  }
}

// At 50 m/s and dt = 5e-4 s everything moves by exactly two cells a step, so that weights are the
// same up to rounding. Along the normal the floor must be sampled when the nodes are: at the
// beginning of the step, which makes no difference to a floor at rest.
static void moving_observer_sees_the_same_impact(void **state) {
  (void)state;
  static const double frames[2][3] = {{50, 0, 0}, {-25, 50, 25}}; // m/s
  enum { STEPS = 20 };
  drop d = m25;
  d.steps = STEPS;
  d.flakes = true;
  // No node on the surface, where rounding would decide whether it is inside.
  d.floor = -0.3 * d.h;
  // In float velocities near 50 m/s are known to a few 1e-6 m/s; 1e-4 of the ball's 5 m/s is above.
  d.tolerance = by_precision(1e-4, 1e-6);
  const double time = STEPS * d.dt;
  // Rounding of velocities, eps/2 of 57 m/s a step, moves particles by eps/2 57 dt N^2/2 if it all
  // adds up. Positions are kept in cells from a block's corner, at most 6 of them, and are rounded
  // N times; read in metres they are 1 m from the origin, in double. The solves stop within
  // tol 5 m/s of each other, wherever one of them takes an iteration more.
  const double rounding = EPS / 2 * (57 * d.dt * STEPS * STEPS / 2 + 6 * d.h * STEPS) +
                          STEPS * DBL_EPSILON;
  for_each_scheme(v, firn_isa_best()) {
    outcome rest = run_drop(v, &d, true);
    for (int f = 0; f < 2; f++) {
      drop moved = d;
      memcpy(moved.frame, frames[f], sizeof moved.frame);
      moved.collider_begin = f == 1;
      outcome other = run_drop(v, &moved, true);
      int differ = 0;
      for (int i = 0; i < STEPS; i++) {
        int more = abs(other.iterations[i] - rest.iterations[i]);
        if (more > 1) {
          fail_msg("%s: step %d takes %d iterations at rest, %d at 50 m/s", v->name, i,
                   rest.iterations[i], other.iterations[i]);
        }
        differ += more;
      }
      assert_int_equal(other.count, rest.count);
      double off = 0;
      for (size_t i = 0; i < 3 * rest.count; i++) {
        worst(&off, other.position[i] - frames[f][i % 3] * time - rest.position[i]);
      }
      mpm_report(v, "off by %.2e m, %.2e is rounding; %d iterations differ", off, rounding, differ);
      assert_below(v, "distance of the trajectories, m", off,
                   rounding + differ * d.tolerance * 5 * time);
      free(other.position);
    }
    free(rest.position);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_drop_is_stable_and_solved_in_few_iterations),
      cmocka_unit_test(default_tolerance_needs_at_most_fifteen_iterations),
      cmocka_unit_test(iterations_do_not_depend_on_the_number_of_particles),
      cmocka_unit_test(iterations_stay_when_the_step_shrinks_with_the_cell),
      cmocka_unit_test(moving_observer_sees_the_same_impact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
