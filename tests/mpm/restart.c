// SPDX-License-Identifier: Apache-2.0
// labels: X2 slow
// timeout: 180
// A run that was saved halfway and loaded into a fresh simulation goes on as if nothing had
// happened, bit by bit.
#include "cache/scratch.h"

#include "base/isa.h"
#include "mpm/snapshot.h"

static const double H = 0.01; // m

typedef struct plan {
  firn_integrator integrator;
  double dt; // s, 0: as the solver likes
  int half;  // steps to the checkpoint, and after it
  int threads;
  bool density; // hardening by it
} plan;

// A ball about to hit the floor askew, and flakes; none of its own if it is to be loaded.
static mpm_case make(const mpm_variant *v, const plan *p, int threads, bool filled) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -9.81;
  if (p->integrator == FIRN_INTEGRATOR_EXPLICIT) { // what they cut off is saved, too
    snow.jp_min = 0.5;
    snow.jp_max = 3;
  }
  def.mpm.integrator = p->integrator;
  def.mpm.preconditioner = FIRN_PRECONDITIONER_AUTO; // which remembers what solves took
  def.mpm.dt = p->dt;
  def.mpm.hardening_density = p->density;
  def.mpm.flight = true;
  // Those of lone flakes, by the grid, would make them very stiff.
  def.mpm.volume_nominal = p->integrator != FIRN_INTEGRATOR_IMPLICIT;
  mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
  firn_collider_def floor = firn_default_collider_def();
  floor.velocity[1] = 0.5; // where it is depends on the clock
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  if (!filled) return c;
  firn_fill_def ball = firn_default_fill_def();
  const double center[3] = {0.003, 0.04, -0.002};
  ball.shape = firn_sphere(center, 0.03);
  ball.velocity[0] = 15;
  ball.velocity[1] = -15;
  ball.spin[2] = 20;
  must(&c, firn_sim_fill(c.sim, &ball));
  const double flake[] = {0.5, 0.3, 0.1, -0.4, 0.31, 0.2};
  mpm_case_add(&c, 2, flake, 8);
  return c;
}

typedef struct {
  firn_step of;
  double sorted;
} a_step;

static void go(const mpm_case *c, a_step *steps, int n) {
  for (int i = 0; i < n; i++) {
    must(c, firn_sim_step(c->sim, 0, &steps[i].of));
    steps[i].sorted = mpm_case_stat(c, "sorted");
  }
}

static void check_restart(scratch *s, const mpm_variant *v, const plan *p) {
  enum { MOST = 64 };
  a_step through[2 * MOST], resumed[MOST];
  int n = p->half, sorts = 0, implicit = 0;
  assert_true(n <= MOST);

  mpm_case whole = make(v, p, 1, true);
  go(&whole, through, 2 * n);
  snapshot expected = snapshot_take(&whole);

  mpm_case first = make(v, p, 1, true), fresh = make(v, p, p->threads, false);
  go(&first, resumed, n);
  must(&first, firn_sim_save(first.sim, scratch_path(s, "half.hdf")));
  snapshot halfway = snapshot_take(&first);
  mpm_case_close(&first);
  must(&fresh, firn_sim_load(fresh.sim, scratch_path(s, "half.hdf")));
  snapshot loaded = snapshot_take(&fresh);
  const char *field = snapshot_difference(&fresh, &halfway, &loaded);
  if (field) fail_msg("%s: '%s' is not loaded as it was saved", v->name, field);
  go(&fresh, resumed, n);
  snapshot end = snapshot_take(&fresh);
  field = snapshot_difference(&fresh, &expected, &end);
  if (field) fail_msg("%s: '%s' is not that of a run without a stop", v->name, field);
  for (int i = 0; i < n; i++) {
    const firn_step *a = &through[n + i].of, *b = &resumed[i].of;
    if (a->dt != b->dt || a->implicit != b->implicit || a->iterations != b->iterations ||
        through[n + i].sorted != resumed[i].sorted) {
      fail_msg("%s: step %d after the restart is not the same step", v->name, i);
    }
    sorts += through[n + i].sorted != 0;
    implicit += a->implicit;
  }
  // Half of the run would not do as well: it goes on from there.
  assert_non_null(snapshot_difference(&fresh, &halfway, &end));
  double jp_min = mpm_case_stat(&fresh, "jp_min");
  mpm_report(v, "%zu particles, %d + %d steps: J_P %.3f; after the restart %d sorts, %d implicit",
             end.count, n, n, jp_min, sorts, implicit);
  assert_true(jp_min < 0.99 && mpm_case_stat(&fresh, "yielded") > 0.02);
  assert_true(sorts >= 1);
  assert_int_equal(mpm_case_stat(&fresh, "flying"), 2);
  if (p->integrator == FIRN_INTEGRATOR_IMPLICIT) assert_int_equal(implicit, n);
  if (p->integrator == FIRN_INTEGRATOR_EXPLICIT) assert_int_equal(implicit, 0);
  if (p->integrator == FIRN_INTEGRATOR_AUTO) assert_in_range(implicit, 1, n - 1);
  snapshot_drop(&expected);
  snapshot_drop(&halfway);
  snapshot_drop(&loaded);
  snapshot_drop(&end);
  mpm_case_close(&whole);
  mpm_case_close(&fresh);
}

static void explicit_runs_go_on_bit_by_bit(void **state) {
  for_each_variant(v) {
    check_restart(*state, v, &(plan){FIRN_INTEGRATOR_EXPLICIT, 0, 40, 1, false});
  }
}

// On another number of threads, even.
static void implicit_runs_go_on_bit_by_bit(void **state) {
  for_each_variant(v) {
    check_restart(*state, v, &(plan){FIRN_INTEGRATOR_IMPLICIT, 0, 7, 2, false});
  }
}

// A given step becomes too long to be explicit once snow hardens at the floor, after the restart.
static void runs_that_change_over_go_on_bit_by_bit(void **state) {
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR && is_apic(v)) continue;
    check_restart(*state, v, &(plan){FIRN_INTEGRATOR_AUTO, 3.6e-5, 11, 1, false});
  }
}

// J_P by density is made anew from the grid in every step, and what it was before counts.
static void runs_that_harden_by_density_go_on_bit_by_bit(void **state) {
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    check_restart(*state, v, &(plan){FIRN_INTEGRATOR_EXPLICIT, 0, 40, 2, true});
  }
}

// A bed that sleeps, on which more settled snow comes in patches, after some steps.
enum { BED_STEPS = 6, PATCHES = 4, BED_EVENTS = 6 };

static mpm_case make_bed(const mpm_variant *v, int threads) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -9.81;
  def.mpm.dt = 0;
  def.mpm.sleep = true;
  mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
  firn_collider_def floor = firn_default_collider_def();
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  return c;
}

// Two fills in one: a lattice, which lies on that of what it touches, and random places, which go by
// the fills that were there before.
static void lay(const mpm_case *c, double x, double bottom, double wide, bool settled) {
  firn_fill_def fill = firn_default_fill_def();
  const double half[3] = {wide / 2, 2 * H, 2 * H}, middle[3] = {x, bottom + 2 * H, 0};
  fill.shape = firn_box(middle, half);
  fill.settled = settled;
  fill.seeding = FIRN_SEEDING_LATTICE;
  must(c, firn_sim_fill(c->sim, &fill));
  fill.seeding = FIRN_SEEDING_RANDOM;
  fill.per_cell = 1;
  must(c, firn_sim_fill(c->sim, &fill));
}

static void do_event(const mpm_case *c, int event) {
  const double length = 2.5 * PATCHES * H;
  switch (event) {
  case 0: lay(c, 0, 0, length, true); break;
  case 1:
  case 4: must(c, firn_sim_step(c->sim, 0, NULL)); break;
  case 2:
    for (int i = 0; i < BED_STEPS; i++) must(c, firn_sim_step(c->sim, 0, NULL));
    break;
  case 3: // ranges of ids that do not follow each other
    for (int i = 0; i < PATCHES; i++) {
      lay(c, 2.5 * H * (i + 0.5) - length / 2, 4 * H, 2 * H, true);
      if (i % 2 == 0) lay(c, 2.5 * H * (i + 0.5) - length / 2, 20 * H, 1 * H, false);
    }
    break;
  default:
    for (int i = 0; i < 5; i++) must(c, firn_sim_step(c->sim, 0, NULL));
  }
}

// Stopped anywhere: with snow laid down that no step has balanced yet, right after its balance, while it
// sleeps; on another number of threads.
static void settled_snow_goes_on_bit_by_bit(void **state) {
  scratch *s = *state;
  for_each_scheme(v, firn_isa_best()) {
    if (!is_cubic(v) || is_apic(v)) continue;
    mpm_case whole = make_bed(v, 1);
    for (int e = 0; e < BED_EVENTS; e++) do_event(&whole, e);
    snapshot expected = snapshot_take(&whole);
    for (int stop = 1; stop < BED_EVENTS; stop++) {
      mpm_case first = make_bed(v, 1), fresh = make_bed(v, 2);
      for (int e = 0; e < stop; e++) do_event(&first, e);
      must(&first, firn_sim_save(first.sim, scratch_path(s, "bed.hdf")));
      mpm_case_close(&first);
      must(&fresh, firn_sim_load(fresh.sim, scratch_path(s, "bed.hdf")));
      for (int e = stop; e < BED_EVENTS; e++) do_event(&fresh, e);
      snapshot end = snapshot_take(&fresh);
      const char *field = snapshot_difference(&fresh, &expected, &end);
      if (field) fail_msg("%s: stopped before event %d, '%s' differs", v->name, stop, field);
      snapshot_drop(&end);
      mpm_case_close(&fresh);
    }
    snapshot_drop(&expected);
    mpm_case_close(&whole);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(explicit_runs_go_on_bit_by_bit, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(implicit_runs_go_on_bit_by_bit, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(runs_that_change_over_go_on_bit_by_bit, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(runs_that_harden_by_density_go_on_bit_by_bit, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(settled_snow_goes_on_bit_by_bit, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
