// SPDX-License-Identifier: Apache-2.0
// Debris falls asleep: what trembles, what lies in a thin layer on a floor, what only shares a unit
// with snow that moves, and what lies beside snow that creeps. What creeps itself goes on, and a load
// that comes slowly is felt.
#include "support/mpm_case.h"

#include "base/isa.h"
#include "solver/mpm/rest.h"

static const double H = 0.01, G = 9.81, SLEEP_TIME = 0.02; // m, m/s^2, s

static const mpm_variant *variant(void) {
  const mpm_variant *cubic_flip = NULL;
  for_each_scheme(v, firn_isa_best()) {
    if (is_cubic(v) && !is_apic(v)) cubic_flip = v;
  }
  return cubic_flip;
}

static firn_sim_def space(bool sleep) {
  firn_sim_def def = mpm_printed_def(variant(), H);
  def.mpm.volume_nominal = true;
  def.mpm.dt = 0;
  def.mpm.sleep = sleep;
  def.mpm.sleep_time = SLEEP_TIME;
  return def;
}

static void set_period(firn_sim_def *def, int x, int z) {
  def->periodic[0] = x > 0;
  def->periodic[2] = z > 0;
  def->period_cells[0] = x;
  def->period_cells[2] = z;
}

static void add_floor(const mpm_case *c, bool sticky) {
  firn_collider_def floor = firn_default_collider_def();
  floor.sticky = sticky;
  must(c, firn_sim_add_collider(c->sim, &floor, NULL));
}

static size_t run_to(const mpm_case *c, double time) {
  firn_step step = {0};
  while (firn_sim_time(c->sim) < time) must(c, firn_sim_step(c->sim, 0, &step));
  return step.asleep;
}

static double mean_of(const mpm_case *c, const char *field, int axis, size_t count) {
  double *value = mpm_case_read(c, field), sum = 0;
  for (size_t p = 0; p < count; p++) sum += value[3 * p + (size_t)axis];
  free(value);
  return sum / (double)count;
}

// ------------------------------------------------------------------------------------ trembling

enum { WAVE = 16 }; // cells

static void shake(void *user, const double x[3], double v[3]) {
  double k = 2 * acos(-1.0) / (WAVE * H), omega = k * sqrt(MU / DENSITY);
  v[0] = v[1] = 0;
  v[2] = *(const double *)user * H * omega * sin(k * x[0]);
}

// A shear wave takes the middles of blocks to and fro by more than sleep_drift. That looks like drift
// at first; whoever watches longer sees that it goes nowhere.
static void snow_that_shakes_is_watched_longer(void **state) {
  (void)state;
  firn_sim_def def = space(true);
  set_period(&def, WAVE, 4);
  def.mpm.flip = 1;
  firn_material_def snow = firn_default_material_def();
  mpm_case c = mpm_case_open(variant(), &def, &snow);
  double amplitude = 0.014; // cells, of particles; blocks go 2/pi of it to either side
  mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){WAVE, 4, 4}, 2);
  mpm_case_set_velocity(&c, shake, &amplitude);
  double side = 2 / acos(-1.0) * amplitude, limit = def.mpm.sleep_drift / SLEEP_TIME;
  assert_true(side > 1.5 * def.mpm.sleep_drift);
  assert_int_equal(run_to(&c, side / limit), 0);
  assert_int_equal(run_to(&c, 2 * side / limit + SLEEP_TIME), mpm_case_count(&c));
  mpm_case_close(&c);
}

// ------------------------------------------------------------------------------------- creeping

enum { DEEP = 8 }; // cells

// Snow without strength flows as the blend's viscosity lets it, nu = h^2/(3 dt) with PIC: down a
// sticky slope, in balance, u = g (2 L y - y^2)/(2 nu), of which the lower blocks have 5/12.
static void creep(void *user, const double x[3], double v[3]) {
  const firn_sim_def *def = user;
  v[0] = def->gravity[0] * (2 * DEEP * H * x[1] - x[1] * x[1]) * 3 * def->mpm.dt / (2 * H * H);
  v[1] = v[2] = 0;
}

static void slabs_that_creep_go_on(void **state) {
  (void)state;
  const double part[] = {0.2, 1.2}; // of what may sleep, in the lower blocks
  for (int quick = 0; quick < 2; quick++) {
    double moved[2];
    for (int sleep = 0; sleep < 2; sleep++) {
      firn_sim_def def = space(sleep);
      set_period(&def, 4, 4);
      def.mpm.dt = 1e-4;
      def.mpm.flip = 0;
      double limit = def.mpm.sleep_drift / SLEEP_TIME; // cells/s
      def.gravity[0] = 2 * H * limit * part[quick] /
                       (5.0 / 12 * DEEP * DEEP * 3 * def.mpm.dt); // of all of it
      firn_material_def snow = mpm_elastic_material();
      snow.young = 1;
      mpm_case c = mpm_case_open(variant(), &def, &snow);
      add_floor(&c, true);
      mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){4, DEEP, 4}, 2);
      mpm_case_set_velocity(&c, creep, &def);
      double start = mean_of(&c, "position", 0, mpm_case_count(&c));
      size_t asleep = run_to(&c, 0.15);
      moved[sleep] = (mean_of(&c, "position", 0, mpm_case_count(&c)) - start) / H;
      mpm_report(variant(), "%.1f of the limit: %zu asleep, moved by %.4f cells", part[quick],
                 asleep, moved[sleep]);
      if (sleep) assert_true(quick ? asleep == 0 : asleep > 0);
      mpm_case_close(&c);
    }
    if (quick) assert_relative(variant(), "moved", moved[1], moved[0], 1e-3);
  }
}

// --------------------------------------------------------------------------------- on the ground

// A layer of lone grains comes down and sinks, slower and slower, through the last cell above its
// floor. It sleeps there and not higher up, though a grain far aside, alone in its block, shares its unit.
static void a_layer_of_grains_sleeps_on_the_floor(void **state) {
  (void)state;
  enum { SIDE = 15, COUNT = SIDE * SIDE };
  assert_true(COUNT + 1 < FIRN_UNIT_MIN);
  firn_sim_def def = space(true);
  def.gravity[1] = -G;
  firn_material_def snow = firn_default_material_def();
  mpm_case c = mpm_case_open(variant(), &def, &snow);
  add_floor(&c, false);
  double *x = malloc((COUNT + 1) * 3 * sizeof *x);
  for (int i = 0; i < COUNT; i++) {
    const double at[3] = {i % SIDE + 0.5, 2.5, i / SIDE + 0.5};
    for (int a = 0; a < 3; a++) x[3 * i + a] = at[a] * H;
  }
  memcpy(x + 3 * COUNT, (double[]){40.5 * H, 2.5 * H, 7.5 * H}, 3 * sizeof *x);
  mpm_case_add(&c, COUNT + 1, x, 1);
  free(x);
  size_t asleep = 0;
  double height = 2.5, first = 0;
  while (firn_sim_time(c.sim) < 0.3) {
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    if (step.asleep && !asleep) first = mean_of(&c, "position", 1, COUNT) / H;
    asleep = step.asleep;
  }
  height = mean_of(&c, "position", 1, COUNT) / H;
  mpm_report(variant(), "%zu asleep, the first at %.3f cells, all at %.3f", asleep, first, height);
  assert_true(asleep >= COUNT);
  assert_true(first > 0 && first < 1.5);
  assert_true(height > 0.3);
  mpm_case_close(&c);
}

// ---------------------------------------------------------------------------------------- loads

// A bar on a rough floor is pushed from one end, too slowly for anybody to be quick. Whoever sleeps
// before it is weighed now and then, and found out of balance.
static void a_slow_push_wakes_what_lies_before_it(void **state) {
  (void)state;
  enum { LONG = 24 };
  const double speed = 0.015, t = 0.4; // m/s, s
  double moved[2];
  for (int sleep = 0; sleep < 2; sleep++) {
    firn_sim_def def = space(sleep);
    set_period(&def, 0, 4);
    def.gravity[1] = -G;
    firn_material_def snow = firn_default_material_def();
    mpm_case c = mpm_case_open(variant(), &def, &snow);
    add_floor(&c, false);
    firn_collider_def plate = firn_default_collider_def();
    plate.shape = firn_half_space((const double[]){0, 0, 0}, (const double[]){1, 0, 0});
    plate.velocity[0] = speed;
    must(&c, firn_sim_add_collider(c.sim, &plate, NULL));
    firn_fill_def bar = firn_default_fill_def();
    const double half[3] = {LONG * H / 2, 2 * H, 2 * H};
    bar.shape = firn_box(half, half);
    bar.seeding = FIRN_SEEDING_LATTICE;
    bar.settled = true;
    must(&c, firn_sim_fill(c.sim, &bar));
    double start = mpm_case_sums(&c).bounds_max[0];
    size_t first = run_to(&c, 0.002), asleep = run_to(&c, t);
    assert_true(sleep ? first > mpm_case_count(&c) / 2 : first == 0);
    moved[sleep] = (mpm_case_sums(&c).bounds_max[0] - start) / H;
    mpm_report(variant(), "far end moved by %.4f cells, %zu asleep", moved[sleep], asleep);
    mpm_case_close(&c);
  }
  // Each block lags by four times sleep_drift, and a little.
  double lag = LONG / 4 * 4 * firn_default_mpm_def().sleep_drift;
  assert_true(moved[0] > 4 * lag);
  assert_within(variant(), "moved", moved[1], moved[0], 1.5 * lag);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_that_shakes_is_watched_longer),
      cmocka_unit_test(slabs_that_creep_go_on),
      cmocka_unit_test(a_layer_of_grains_sleeps_on_the_floor),
      cmocka_unit_test(a_slow_push_wakes_what_lies_before_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
