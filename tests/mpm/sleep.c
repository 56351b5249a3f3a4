// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// Snow that has settled is left out of steps, holds up what lies on it, and wakes when it must.
#include "cache/scratch.h"

#include "base/isa.h"
#include "mpm/snapshot.h"

static const double H = 0.01, G = 9.81; // m, m/s^2

typedef struct bed {
  int across, deep; // cells; periodic across
  bool sleep;
  firn_integrator integrator;
  int threads;
} bed;

// Compressed by its own weight as it will be at rest: sigma_yy = -density G depth.
static void at_rest(void *user, const double x[3], double grad[9]) {
  const bed *b = user;
  memset(grad, 0, 9 * sizeof *grad);
  grad[4] = -DENSITY * G * (b->deep * H - x[1]) / M_WAVE;
}

static mpm_case make(const mpm_variant *v, bed *b, bool filled) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -G;
  def.periodic[0] = def.periodic[2] = true;
  def.period_cells[0] = def.period_cells[2] = b->across;
  def.mpm.volume_nominal = true;
  def.mpm.dt = 0;
  def.mpm.dt_max = 5e-4; // s: what sleeps is looked for every 16 steps, several times a sleep_time
  def.mpm.integrator = b->integrator;
  def.mpm.sleep = b->sleep;
  def.mpm.sleep_time = 0.02;
  mpm_case c = mpm_case_open_threads(v, &def, &snow, b->threads);
  firn_collider_def floor = firn_default_collider_def();
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  if (!filled) return c;
  const int lo[3] = {0, 0, 0}, hi[3] = {b->across, b->deep, b->across};
  mpm_case_lattice(&c, lo, hi, 2);
  mpm_case_set_gradient(&c, at_rest, b);
  return c;
}

static firn_step run_to(const mpm_case *c, double time) {
  firn_step step = {0};
  while (firn_sim_time(c->sim) < time) must(c, firn_sim_step(c->sim, 0, &step));
  return step;
}

static double surface(const mpm_case *c) {
  return mpm_case_sums(c).bounds_max[1];
}

static void settled_snow_sleeps_and_does_not_creep(void **state) {
  (void)state;
  for_each_variant(v) {
    bed with = {4, 8, true, FIRN_INTEGRATOR_EXPLICIT, 1}, without = with;
    without.sleep = false;
    mpm_case c = make(v, &with, true), other = make(v, &without, true);
    firn_step step = run_to(&c, 0.035);
    mpm_report(v, "%zu of %zu asleep", step.asleep, mpm_case_count(&c));
    assert_int_equal(step.asleep, mpm_case_count(&c));
    snapshot before = snapshot_take(&c);
    run_to(&c, 0.05);
    snapshot after = snapshot_take(&c);
    after.time = before.time;
    assert_null(snapshot_difference(&c, &before, &after));
    run_to(&other, 0.05);
    // As never sleeping within a hundredth of a cell.
    assert_within(v, "surface", surface(&c), surface(&other), 0.01 * H);
    assert_within(v, "middle", mpm_case_sums(&c).center[1], mpm_case_sums(&other).center[1],
                  0.01 * H);
    snapshot_drop(&before);
    snapshot_drop(&after);
    mpm_case_close(&c);
    mpm_case_close(&other);
  }
}

// A ball dropped into the middle of a bed that sleeps.
static void drop_ball(const mpm_case *c, const bed *b) {
  firn_fill_def ball = firn_default_fill_def();
  double center[3] = {b->across * H / 2, (b->deep + 2.5) * H, b->across * H / 2};
  ball.shape = firn_sphere(center, 2 * H);
  ball.velocity[1] = -1.5;
  must(c, firn_sim_fill(c->sim, &ball));
}

static void check_blow(const mpm_variant *v, firn_integrator integrator, int across) {
  bed with = {across, 8, true, integrator, 1}, without = with;
  without.sleep = false;
  mpm_case c = make(v, &with, true), other = make(v, &without, true);
  size_t snow = mpm_case_count(&c), least = snow;
  firn_step step = run_to(&c, 0.035);
  assert_int_equal(step.asleep, snow);
  run_to(&other, 0.035);
  drop_ball(&c, &with);
  drop_ball(&other, &with);
  while (firn_sim_time(c.sim) < 0.06) {
    must(&c, firn_sim_step(c.sim, 0, &step));
    if (step.asleep < least) least = step.asleep;
  }
  run_to(&other, 0.06);
  firn_sums a = mpm_case_sums(&c), b = mpm_case_sums(&other);
  mpm_report(v, "asleep at least %zu of %zu; middle %.5f of a cell off, J_P %.4f and %.4f", least,
             snow, (a.center[1] - b.center[1]) / H, mpm_case_stat(&c, "jp_min"),
             mpm_case_stat(&other, "jp_min"));
  assert_true(least < snow * 9 / 10 && least > snow / 4); // the blow is felt around, not everywhere
  assert_within(v, "middle", a.center[1], b.center[1], 0.01 * H);
  assert_within(v, "J_P", mpm_case_stat(&c, "jp_mean"), mpm_case_stat(&other, "jp_mean"), 1e-3);
  mpm_case_close(&c);
  mpm_case_close(&other);
}

static void a_blow_wakes_what_it_reaches(void **state) {
  (void)state;
  for_each_scheme(v, firn_isa_best()) {
    if (is_cubic(v) && !is_apic(v)) check_blow(v, FIRN_INTEGRATOR_EXPLICIT, 28);
  }
}

static void a_blow_wakes_implicit_snow(void **state) {
  (void)state;
  for_each_scheme(v, firn_isa_best()) {
    if (!is_cubic(v) && is_apic(v)) check_blow(v, FIRN_INTEGRATOR_IMPLICIT, 20);
  }
}

// Saved while part of it sleeps, loaded, and run on another number of threads.
static void sleep_is_reproducible(void **state) {
  scratch *s = *state;
  for_each_scheme(v, firn_isa_best()) {
    if (is_cubic(v) == is_apic(v)) continue;
    bed one = {20, 8, true, FIRN_INTEGRATOR_EXPLICIT, 1}, two = one;
    two.threads = 2;
    mpm_case through = make(v, &one, true), second = make(v, &two, false);
    run_to(&through, 0.035);
    drop_ball(&through, &one);
    firn_step step = run_to(&through, 0.043);
    mpm_report(v, "%zu of %zu asleep when saved", step.asleep, mpm_case_count(&through));
    assert_true(step.asleep > 0 && step.asleep < mpm_case_count(&through));
    must(&through, firn_sim_save(through.sim, scratch_path(s, "asleep.hdf")));
    must(&second, firn_sim_load(second.sim, scratch_path(s, "asleep.hdf")));
    run_to(&through, 0.05);
    run_to(&second, 0.05);
    snapshot a = snapshot_take(&through), b = snapshot_take(&second);
    const char *field = snapshot_difference(&second, &a, &b);
    if (field) fail_msg("%s: '%s' differs", v->name, field);
    snapshot_drop(&a);
    snapshot_drop(&b);
    mpm_case_close(&through);
    mpm_case_close(&second);
  }
}

// ----------------------------------------------------------------------------------- holding up

// A ball that moves above the bed without touching it keeps one block awake, at the surface: snow
// that only sleepers hold up, from below and from all sides.
static const double OVER = 0.06; // m, in x and z: the middle of that block

static void hover(const mpm_case *c, const bed *b) {
  firn_collider_def ball = firn_default_collider_def();
  // 5.9 cells from the middle of the block below it and 7 from those beside that; what moves within
  // 6.2 cells keeps a block awake.
  double center[3] = {OVER, (b->deep + 4.9) * H, OVER};
  ball.shape = firn_sphere(center, H);
  ball.velocity[0] = 0.01; // m/s: half a millimetre in all
  must(c, firn_sim_add_collider(c->sim, &ball, NULL));
}

// Mean height (m) and mean sigma_yy (Pa) of the block below the ball.
static void look_below(const mpm_case *c, const bed *b, double *height, double *stress) {
  double *x = mpm_case_read(c, "position"), *sigma = mpm_case_read(c, "stress");
  int count = 0;
  *height = *stress = 0;
  for (size_t p = 0; p < mpm_case_count(c); p++) {
    double aside = fmax(fabs(x[3 * p] - OVER), fabs(x[3 * p + 2] - OVER));
    if (aside > 2 * H || x[3 * p + 1] < (b->deep - 4) * H) continue;
    *height += x[3 * p + 1];
    *stress += sigma[6 * p + 1];
    count++;
  }
  free(x);
  free(sigma);
  assert_in_range(count, 4 * 4 * 4 * 8 * 9 / 10, 4 * 4 * 4 * 8);
  *height /= count;
  *stress /= count;
}

static void what_sleeps_holds_up_what_does_not(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa != FIRN_ISA_SCALAR && v->isa != firn_isa_best()) continue;
    bed b = {8, 8, true, FIRN_INTEGRATOR_EXPLICIT, 1};
    double at_first, after, stress;
    mpm_case c = make(v, &b, true);
    hover(&c, &b);
    look_below(&c, &b, &at_first, &stress);
    size_t awake = mpm_case_count(&c) - run_to(&c, 0.03).asleep;
    assert_in_range(awake, 1, 4 * 4 * 4 * 8);
    // Nobody has a reason to wake.
    while (firn_sim_time(c.sim) < 0.05) {
      firn_step step;
      must(&c, firn_sim_step(c.sim, 0, &step));
      assert_int_equal(step.asleep, mpm_case_count(&c) - awake);
    }
    look_below(&c, &b, &after, &stress);
    mpm_report(v, "%zu awake, %.5f of a cell higher, %.2f Pa", awake, (after - at_first) / H,
               stress);
    assert_within(v, "height", after, at_first, 0.01 * H);
    // It weighs on itself as ever. A bed that never sleeps swings by 8 % about this.
    assert_relative(v, "stress", stress, -DENSITY * G * 2 * H, 0.1);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settled_snow_sleeps_and_does_not_creep),
      cmocka_unit_test(what_sleeps_holds_up_what_does_not),
      cmocka_unit_test(a_blow_wakes_what_it_reaches),
      cmocka_unit_test(a_blow_wakes_implicit_snow),
      cmocka_unit_test_setup_teardown(sleep_is_reproducible, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
