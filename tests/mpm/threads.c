// SPDX-License-Identifier: Apache-2.0
// labels: X1 slow
// timeout: 60
// processors: 2
// The number of threads changes nothing: not a bit of any particle, nor where snow is filled in.
#include "mpm/snapshot.h"

static const double H = 0.01; // m
static const int THREADS[] = {1, 2, 7, 16};
enum { COUNTS = sizeof THREADS / sizeof *THREADS };

typedef struct impact {
  firn_integrator integrator;
  firn_krylov krylov;
  firn_preconditioner preconditioner;
  double radius; // m
  double dt;     // s, 0: as the solver likes
  int steps;
} impact;

typedef struct progress {
  int sorts, iterations, implicit;
} progress;

// A ball that hits the floor, and a few flakes far from it and from each other. Steps are mostly as
// long as the solver likes, so that sums and extremes over all particles come into play.
static mpm_case make_impact(const mpm_variant *v, const impact *i, int threads) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -9.81;
  def.seed = 11;
  def.mpm.integrator = i->integrator;
  def.mpm.krylov = i->krylov;
  def.mpm.preconditioner = i->preconditioner;
  def.mpm.dt = i->dt;
  def.mpm.flight = true;
  // Those of lone flakes, by the grid, would make them very stiff.
  def.mpm.volume_nominal = i->dt > 0;
  def.mpm.max_iterations = 8; // enough to see sums at work
  mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
  assert_int_equal(firn_context_threads(c.context), threads);
  firn_collider_def floor = firn_default_collider_def();
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  firn_fill_def ball = firn_default_fill_def();
  const double center[3] = {0.003, i->radius + 0.012, -0.002};
  ball.shape = firn_sphere(center, i->radius);
  ball.per_cell = 4;
  ball.velocity[0] = 3;
  ball.velocity[1] = -15;
  ball.spin[2] = 20;
  must(&c, firn_sim_fill(c.sim, &ball));
  const double flake[] = {0.5, 0.3, 0.1, -0.4, 0.31, 0.2, 0.02, 0.9, -0.6};
  mpm_case_add(&c, 3, flake, 4);
  return c;
}

static progress run_impact(const mpm_case *c, const impact *i) {
  progress p = {0};
  for (int n = 0; n < i->steps; n++) {
    firn_step step;
    must(c, firn_sim_step(c->sim, 0, &step));
    p.sorts += mpm_case_stat(c, "sorted") != 0;
    p.iterations += step.iterations;
    p.implicit += step.implicit;
  }
  return p;
}

static void check_impact(const mpm_variant *v, const impact *i) {
  snapshot first = {0};
  for (int t = 0; t < COUNTS; t++) {
    mpm_case c = make_impact(v, i, THREADS[t]);
    progress p = run_impact(&c, i);
    snapshot s = snapshot_take(&c);
    if (t == 0) {
      // Something must have happened: particles sorted on the way, snow yielded at the floor.
      double jp_min = mpm_case_stat(&c, "jp_min");
      mpm_report(v,
                 "%zu particles, %zu units: %d sorts, %d implicit steps, %d iterations, J_P %.3f",
                 s.count, mpm_case_solver(&c)->world->particles.unit_count, p.sorts, p.implicit,
                 p.iterations, jp_min);
      assert_int_equal(mpm_case_stat(&c, "flying"), 3);
      assert_true(p.sorts >= 2); // the first is that of new particles
      assert_true(jp_min < 0.99 && mpm_case_stat(&c, "yielded") > 0.02);
      if (i->integrator == FIRN_INTEGRATOR_EXPLICIT) assert_int_equal(p.implicit, 0);
      if (i->integrator == FIRN_INTEGRATOR_IMPLICIT) assert_true(p.iterations >= i->steps);
      if (i->integrator == FIRN_INTEGRATOR_AUTO) assert_in_range(p.implicit, 1, i->steps - 1);
      first = s;
    } else {
      const char *field = snapshot_difference(&c, &first, &s);
      if (field) fail_msg("%s: %d threads change '%s'", v->name, THREADS[t], field);
      snapshot_drop(&s);
    }
    mpm_case_close(&c);
  }
  snapshot_drop(&first);
}

static void explicit_steps_give_the_same_bytes(void **state) {
  (void)state;
  for_each_variant(v) {
    bool scalar = v->isa == FIRN_ISA_SCALAR; // slow: a smaller ball
    check_impact(v, &(impact){.integrator = FIRN_INTEGRATOR_EXPLICIT,
                              .radius = scalar ? 0.05 : 0.1,
                              .steps = 30});
  }
}

static void implicit_steps_give_the_same_bytes(void **state) {
  (void)state;
  for_each_variant(v) {
    bool scalar = v->isa == FIRN_ISA_SCALAR;
    if (scalar && is_cubic(v) == is_apic(v)) continue;
    check_impact(v, &(impact){.integrator = FIRN_INTEGRATOR_IMPLICIT,
                              .radius = scalar ? 0.03 : 0.08,
                              .steps = 6});
  }
}

// The other solver and the other preconditioner.
static void minres_with_blocks_gives_the_same_bytes(void **state) {
  (void)state;
  for_each_variant(v) {
    if (is_apic(v) || !is_cubic(v)) continue;
    check_impact(v, &(impact){.integrator = FIRN_INTEGRATOR_IMPLICIT,
                              .krylov = FIRN_KRYLOV_MINRES,
                              .preconditioner = FIRN_PRECONDITIONER_BLOCK,
                              .radius = v->isa == FIRN_ISA_SCALAR ? 0.03 : 0.05,
                              .steps = 5});
  }
}

// Through a trial of the preconditioner that is not in use, at solve 64.
static void trials_give_the_same_bytes(void **state) {
  (void)state;
  for_each_variant(v) {
    if (is_apic(v) || v->isa == FIRN_ISA_SCALAR) continue;
    check_impact(v, &(impact){.integrator = FIRN_INTEGRATOR_IMPLICIT,
                              .preconditioner = FIRN_PRECONDITIONER_AUTO,
                              .radius = 0.03,
                              .steps = 68});
  }
}

// A given step becomes too long to be explicit once snow hardens at the floor.
static void the_same_steps_are_taken_implicitly(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR || is_apic(v)) continue;
    check_impact(
        v, &(impact){.integrator = FIRN_INTEGRATOR_AUTO, .radius = 0.03, .dt = 6e-5, .steps = 40});
  }
}

// -------------------------------------------------------------------------------------- filling

static firn_fill_def ball_a(firn_seeding seeding) {
  firn_fill_def fill = firn_default_fill_def();
  const double center[3] = {-0.1, 0.02, 0.03};
  fill.shape = firn_sphere(center, 0.06);
  fill.seeding = seeding;
  return fill;
}

// Not of a whole number of particles a cell where that is allowed.
static firn_fill_def box_b(firn_seeding seeding) {
  firn_fill_def fill = firn_default_fill_def();
  const double center[3] = {0.08, 0.01, -0.02}, half[3] = {0.07, 0.03, 0.04};
  fill.shape = firn_box(center, half);
  fill.seeding = seeding;
  if (seeding == FIRN_SEEDING_RANDOM) fill.per_cell = 5.3;
  return fill;
}

typedef struct places {
  size_t count;
  double *x; // [count][3]
} places;

// Fills with the given ones in their order; the places of those from number `from` on.
static places fill_with(int threads, uint64_t seed, int n, const firn_fill_def *fill, int from) {
  const mpm_variant *v = mpm_variant_at(0);
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.seed = seed;
  mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
  size_t before = 0;
  for (int i = 0; i < n; i++) {
    if (i == from) before = mpm_case_count(&c);
    must(&c, firn_sim_fill(c.sim, &fill[i]));
  }
  places p = {.count = mpm_case_count(&c) - before};
  double *all = mpm_case_read(&c, "position");
  p.x = malloc(3 * p.count * sizeof *p.x);
  assert_non_null(p.x);
  memcpy(p.x, all + 3 * before, 3 * p.count * sizeof *p.x);
  free(all);
  mpm_case_close(&c);
  return p;
}

static bool same_places(const places *a, const places *b) {
  return a->count == b->count && memcmp(a->x, b->x, 3 * a->count * sizeof *a->x) == 0;
}

static void snow_is_filled_in_at_the_same_places_by_any_number_of_threads(void **state) {
  (void)state;
  for (int seeding = FIRN_SEEDING_RANDOM; seeding <= FIRN_SEEDING_JITTERED; seeding++) {
    firn_fill_def both[2] = {ball_a((firn_seeding)seeding), box_b((firn_seeding)seeding)};
    places first = fill_with(1, 5, 2, both, 0);
    assert_true(first.count > 8000);
    for (int t = 1; t < COUNTS; t++) {
      places p = fill_with(THREADS[t], 5, 2, both, 0);
      assert_true(same_places(&first, &p));
      free(p.x);
    }
    // And they are random: another seed, other places.
    places other = fill_with(2, 6, 2, both, 0);
    assert_false(same_places(&first, &other));
    free(other.x);
    free(first.x);
  }
}

// With one stream of random numbers for all fills, B would come out otherwise after A.
static void what_is_filled_before_does_not_move_what_is_filled_later(void **state) {
  (void)state;
  for (int seeding = FIRN_SEEDING_RANDOM; seeding <= FIRN_SEEDING_JITTERED; seeding++) {
    firn_fill_def a = ball_a((firn_seeding)seeding), b = box_b((firn_seeding)seeding);
    firn_fill_def ab[2] = {a, b}, ba[2] = {b, a};
    places a_alone = fill_with(2, 5, 1, &a, 0), b_alone = fill_with(2, 5, 1, &b, 0);
    places b_after_a = fill_with(7, 5, 2, ab, 1), a_after_b = fill_with(1, 5, 2, ba, 1);
    assert_true(same_places(&b_alone, &b_after_a));
    assert_true(same_places(&a_alone, &a_after_b));
    // The same box again, a cell to the side: its cells get other numbers than before.
    firn_fill_def moved = b;
    moved.shape.center[0] += H;
    places shifted = fill_with(1, 5, 1, &moved, 0);
    size_t repeated = 0;
    for (size_t i = 0; i < shifted.count && i < b_alone.count; i++) {
      repeated += fabs(shifted.x[3 * i] - b_alone.x[3 * i] - H) < 1e-6 * H;
    }
    assert_true(repeated < shifted.count / 100);
    free(shifted.x);
    free(a_alone.x);
    free(b_alone.x);
    free(b_after_a.x);
    free(a_after_b.x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_steps_give_the_same_bytes),
      cmocka_unit_test(implicit_steps_give_the_same_bytes),
      cmocka_unit_test(minres_with_blocks_gives_the_same_bytes),
      cmocka_unit_test(trials_give_the_same_bytes),
      cmocka_unit_test(the_same_steps_are_taken_implicitly),
      cmocka_unit_test(snow_is_filled_in_at_the_same_places_by_any_number_of_threads),
      cmocka_unit_test(what_is_filled_before_does_not_move_what_is_filled_later),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
