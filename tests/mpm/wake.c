// SPDX-License-Identifier: Apache-2.0
// labels: slow
// Who falls asleep, and what wakes: quick neighbours, colliders that come near, slow drift, another
// gravity, a field that is written. All snow here is laid down settled, so that it sleeps from the
// first step on.
#include "support/mpm_case.h"

#include "base/isa.h"
#include "solver/mpm/rest.h"

static const double H = 0.01, G = 9.81; // m, m/s^2

static const mpm_variant *variant(void) {
  const mpm_variant *cubic_flip = NULL;
  for_each_scheme(v, firn_isa_best()) {
    if (is_cubic(v) && !is_apic(v)) cubic_flip = v;
  }
  return cubic_flip;
}

// Periodic where `period` says so, in cells.
static mpm_case open_space_by(const int period[3], double gravity, bool sleep, bool surface) {
  firn_sim_def def = mpm_printed_def(variant(), H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -gravity;
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = period[a] > 0;
    def.period_cells[a] = period[a];
  }
  def.mpm.volume_nominal = true;
  def.mpm.dt = 0;
  def.mpm.sleep = sleep;
  def.mpm.sleep_time = 0.02;
  def.mpm.contact_surface = surface;
  return mpm_case_open(variant(), &def, &snow);
}

static mpm_case open_space(const int period[3], double gravity, bool sleep) {
  return open_space_by(period, gravity, sleep, false);
}

// Cells [0, size) of snow at rest.
static void lay_down(const mpm_case *c, const double size[3], int per_cell) {
  firn_fill_def bed = firn_default_fill_def();
  double half[3];
  for (int a = 0; a < 3; a++) half[a] = size[a] * H / 2;
  bed.shape = firn_box(half, half);
  bed.seeding = FIRN_SEEDING_LATTICE;
  bed.per_cell = per_cell;
  bed.settled = true;
  must(c, firn_sim_fill(c->sim, &bed));
}

enum { DEEP = 8 }; // cells of a bed on its floor

static mpm_case make_deep(int across, double deep, int per_cell) {
  mpm_case c = open_space((const int[]){across, 0, across}, G, true);
  firn_collider_def floor = firn_default_collider_def();
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  lay_down(&c, (const double[]){across, deep, across}, per_cell);
  return c;
}

static mpm_case make_bed(int across) {
  return make_deep(across, DEEP, 8);
}

static size_t step_once(const mpm_case *c) {
  firn_step step;
  must(c, firn_sim_step(c->sim, 0, &step));
  return step.asleep;
}

// -------------------------------------------------------------------------------------- gravity

static void another_gravity_or_surface_wakes_all(void **state) {
  (void)state;
  mpm_case c = make_bed(8);
  const double down[3] = {0, -G, 0}, aslope[3] = {1, -G, 0};
  size_t all = mpm_case_count(&c);
  assert_int_equal(step_once(&c), all);
  must(&c, firn_sim_set_gravity(c.sim, down)); // as before
  assert_int_equal(step_once(&c), all);
  must(&c, firn_sim_set_gravity(c.sim, aslope));
  assert_int_equal(step_once(&c), 0);
  assert_true(mpm_case_sums(&c).momentum[0] > 0);
  mpm_case_close(&c);

  c = make_bed(8);
  assert_int_equal(step_once(&c), all);
  must(&c, firn_sim_set_friction(c.sim, 0, 0.01));
  assert_int_equal(step_once(&c), 0);
  mpm_case_close(&c);
}

// Their sums on the grid are of what they were.
static void whoever_is_written_to_wakes(void **state) {
  (void)state;
  static const char *const field[] = {"jp", "strain", "velocity"};
  for (int i = 0; i < 3; i++) {
    mpm_case c = make_bed(8);
    assert_int_equal(step_once(&c), mpm_case_count(&c));
    double *value = mpm_case_read(&c, field[i]);
    must(&c, firn_sim_write(c.sim, field[i], value));
    free(value);
    assert_int_equal(step_once(&c), 0);
    mpm_case_close(&c);
  }
}

// ------------------------------------------------------------------------------------ colliders

// A ball comes down onto the middle of a bed. Nodes feel it as soon as its surface is within two
// cells of the snow, and then the snow there must not sleep. A ball that stays where it is wakes
// nobody, however close.
static void what_comes_near_wakes_before_it_touches(void **state) {
  (void)state;
  enum { ACROSS = 16, START = 10, FEELS = 2 }; // cells
  for (int moves = 0; moves < 2; moves++) {
    mpm_case c = make_bed(ACROSS);
    firn_collider_def ball = firn_default_collider_def();
    double gap = moves ? START : FEELS, speed = moves ? 2 : 0; // cells, m/s
    ball.shape = firn_sphere((double[]){ACROSS * H / 2, (DEEP + gap + 2) * H, ACROSS * H / 2},
                             2 * H);
    ball.velocity[1] = -speed;
    must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
    size_t all = mpm_case_count(&c), asleep = step_once(&c);
    assert_int_equal(asleep, all); // ten cells away it is far
    for (int i = 0; i < 400; i++) {
      double left = gap - speed * firn_sim_time(c.sim) / H;
      if (left < FEELS) break;
      asleep = step_once(&c);
    }
    mpm_report(variant(), "%zu of %zu asleep", asleep, all);
    if (moves) {
      // The four blocks that meet below it are awake, half of those around them at most.
      assert_true(asleep <= all - 4 * 4 * 4 * 4 * 8);
      assert_true(asleep > 0);
    } else {
      assert_int_equal(asleep, all);
    }
    mpm_case_close(&c);
  }
}

// ---------------------------------------------------------------------------------------- speed

// Marks blocks of a bed that hold particles which are quick, well inside them: those at their
// borders may count for either side.
static void find_quick(const mpm_case *c, int blocks, double speed, bool *quick) {
  double *x = mpm_case_read(c, "position"), *v = mpm_case_read(c, "velocity");
  memset(quick, 0, (size_t)(blocks * blocks * DEEP / 4) * sizeof *quick);
  for (size_t p = 0; p < mpm_case_count(c); p++) {
    int at[3];
    bool inside = true;
    for (int a = 0; a < 3; a++) {
      double in = x[3 * p + a] / (4 * H), part = in - floor(in);
      at[a] = (int)floor(in);
      inside = inside && part > 0.2 && part < 0.8;
      if (a != 1) at[a] = (at[a] + blocks) % blocks;
    }
    const double *u = v + 3 * p;
    if (!inside || at[1] < 0 || at[1] >= DEEP / 4) continue;
    if (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] < speed * speed) continue;
    quick[(at[1] * blocks + at[0]) * blocks + at[2]] = true;
  }
  free(x);
  free(v);
}

// A bullet of snow, too light to shift blocks as a whole, sends waves through a bed that sleeps. In
// the step after one has made a particle of some block quick, its neighbours are awake.
static void quick_snow_wakes_its_neighbours_at_once(void **state) {
  (void)state;
  enum { BLOCKS = 7, ACROSS = 4 * BLOCKS };
  mpm_case c = make_bed(ACROSS);
  const mpm *m = mpm_case_solver(&c);
  size_t all = mpm_case_count(&c);
  assert_int_equal(step_once(&c), all);
  firn_fill_def bullet = firn_default_fill_def();
  bullet.shape = firn_sphere((double[]){ACROSS * H / 2, (DEEP + 2.5) * H, ACROSS * H / 2}, 2 * H);
  bullet.velocity[1] = -4;
  must(&c, firn_sim_fill(c.sim, &bullet));
  bool quick[BLOCKS * BLOCKS * DEEP / 4];
  int seen = 0, farthest = 0;
  for (int i = 0; i < 60; i++) {
    // A little more than what wakes.
    find_quick(&c, BLOCKS, 2.1 * firn_default_mpm_def().sleep_speed * H, quick);
    size_t asleep = step_once(&c);
    assert_true(asleep > 0); // the waves do not get everywhere
    const mpm_rest *rest = m->rest.data;
    for (size_t b = 0; b < m->rest_count; b++) {
      if (!rest[b].asleep) continue;
      for (int side = 0; side < 6; side++) {
        int at[3] = {rest[b].at[0], rest[b].at[1], rest[b].at[2]};
        at[side / 2] += side % 2 ? 1 : -1;
        if (at[1] < 0 || at[1] >= DEEP / 4) continue;
        for (int a = 0; a < 3; a += 2) at[a] = (at[a] + BLOCKS) % BLOCKS;
        assert_false(quick[(at[1] * BLOCKS + at[0]) * BLOCKS + at[2]]);
      }
    }
    int now = 0;
    for (int k = 0; k < BLOCKS * BLOCKS * DEEP / 4; k++) now += quick[k];
    seen += now;
    if (now > farthest) farthest = now;
  }
  mpm_report(variant(), "quick blocks: %d at once", farthest);
  assert_true(seen > 0);
  mpm_case_close(&c);
}

// A grain enters a block whose lower end is snow at rest, and leaves none behind in the one it came
// from: it does not fall asleep with that snow, but goes on until it meets it, some two cells above.
// A second one has all of them sorted every few milliseconds; how many steps before a review makes a
// difference.
static void a_lone_grain_falls_onto_snow_that_sleeps(void **state) {
  (void)state;
  const double filled = 4.5; // cells; blocks meet at 8
  for (int when = 0; when < 16; when++) {
    mpm_case c = make_deep(8, filled, 64); // blocks so full that each is on its own
    step_once(&c);
    size_t grain = mpm_case_count(&c);
    double height = 10.5 * H;
    firn_particles_def two = firn_default_particles_def();
    two.count = 2;
    two.per_cell = 64;
    two.position = (double[]){2.2 * H, height, 2.2 * H, (2.2 - 0.03 * when) * H, 30 * H, 2.2 * H};
    two.velocity = (double[]){0, 0, 0, 3, 0, 0};
    must(&c, firn_sim_add_particles(c.sim, &two));
    for (int i = 0; i < 400 && height > (filled + 2.8) * H; i++) {
      step_once(&c);
      double *x = mpm_case_read(&c, "position");
      height = x[3 * grain + 1];
      free(x);
    }
    mpm_report(variant(), "%.4f cells after %.4f s", height / H, firn_sim_time(c.sim));
    assert_true(height <= (filled + 2.8) * H);
    mpm_case_close(&c);
  }
}

// ---------------------------------------------------------------------------------------- drift

static void drift(void *user, const double x[3], double v[3]) {
  (void)x;
  v[0] = *(double *)user;
  v[1] = v[2] = 0;
}

// Half as quick as what may sleep; but it goes somewhere.
static void snow_that_glides_slowly_does_not_sleep(void **state) {
  (void)state;
  mpm_case c = open_space((const int[]){8, 0, 8}, 0, true);
  double speed = 0.5 * firn_default_mpm_def().sleep_speed * H;
  mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){8, 4, 8}, 2);
  mpm_case_set_velocity(&c, drift, &speed);
  while (firn_sim_time(c.sim) < 0.06) assert_int_equal(step_once(&c), 0);
  firn_sums sums = mpm_case_sums(&c);
  assert_relative(variant(), "speed", sums.momentum[0] / sums.mass, speed, 1e-3);
  mpm_case_close(&c);
}

// A body in free motion goes on, however slow it is: 0.8 mm/s without gravity, and a fall at 2 mm/s^2.
// Over sleep_time neither moves as far as sleep_drift.
static void slow_bodies_in_free_motion_go_on(void **state) {
  (void)state;
  const double slow = 0.08 * H, weak = 2e-3; // m/s, m/s^2
  for (int falls = 0; falls < 2; falls++) {
    mpm_case c = open_space((const int[]){0, 0, 0}, falls ? weak : 0, true);
    mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){8, 4, 4}, 2);
    double speed = slow, t = 0.3;
    if (!falls) mpm_case_set_velocity(&c, drift, &speed);
    while (firn_sim_time(c.sim) < t) assert_int_equal(step_once(&c), 0);
    firn_sums sums = mpm_case_sums(&c);
    t = firn_sim_time(c.sim);
    int axis = falls ? 1 : 0;
    assert_relative(variant(), "speed", sums.momentum[axis] / sums.mass, falls ? -weak * t : slow,
                    1e-3);
    mpm_case_close(&c);
  }
}

// The same along a floor without friction, which holds it in one direction only. With friction it comes
// to rest, and sleeps.
static void snow_that_slides_without_friction_goes_on(void **state) {
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    mpm_case c = open_space((const int[]){0, 0, 0}, G, true);
    firn_collider_def floor = firn_default_collider_def();
    floor.friction = rough ? 0.5 : 0;
    must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
    lay_down(&c, (const double[]){8, 4, 8}, 8);
    double speed = 0.04 * H;
    mpm_case_set_velocity(&c, drift, &speed);
    size_t asleep = 0;
    while (firn_sim_time(c.sim) < 0.2) asleep = step_once(&c);
    firn_sums sums = mpm_case_sums(&c);
    mpm_report(variant(), "%zu asleep, %.4f of the speed", asleep,
               sums.momentum[0] / sums.mass / speed);
    assert_int_equal(asleep, rough ? mpm_case_count(&c) : 0);
    if (!rough) assert_relative(variant(), "speed", sums.momentum[0] / sums.mass, speed, 0.01);
    mpm_case_close(&c);
  }
}

// A bed that was laid down without its strain rings by less than what counts as drift. It sleeps when it
// is in balance, not at any moment: its floor carries its weight then, where it was off by half of it
// while it rang.
static void ring(bool surface) {
  enum { ACROSS = 8, CELLS = 5 };
  mpm_case c = open_space_by((const int[]){ACROSS, 0, ACROSS}, 0.2 * G, true, surface);
  firn_collider_def floor = firn_default_collider_def();
  int id;
  floor.forces = true;
  must(&c, firn_sim_add_collider(c.sim, &floor, &id));
  mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){ACROSS, CELLS, ACROSS}, 2);
  double weight = mpm_case_sums(&c).mass * 0.2 * G, off = 0;
  size_t asleep = 0;
  firn_collider_force force;
  while (asleep < mpm_case_count(&c) && firn_sim_time(c.sim) < 2) {
    firn_sim_collider_force_reset(c.sim);
    asleep = step_once(&c);
    must(&c, firn_sim_collider_force(c.sim, id, &force));
    if (!asleep) worst(&off, force.force[1] / weight + 1);
  }
  must(&c, firn_sim_collider_force(c.sim, id, &force));
  mpm_report(variant(), "asleep at %.3f s with %.4f of the weight; rang by %.2f",
             firn_sim_time(c.sim), -force.force[1] / weight, off);
  assert_int_equal(asleep, mpm_case_count(&c));
  assert_true(off > 0.3);
  assert_relative(variant(), "force", force.force[1], -weight, 0.06);
  mpm_case_close(&c);
}

static void snow_that_rings_falls_asleep_in_balance(void **state) {
  (void)state;
  for (int surface = 0; surface < 2; surface++) ring(surface);
}

// A bar is pushed from one end, too slowly for anybody to be quick, and from too far away for the
// other end to see what pushes: it wakes and moves all the same.
static void a_slow_push_is_felt_along_the_bar(void **state) {
  (void)state;
  const double speed = 0.04, gap = 1.3 * H; // m/s, m: nodes feel it once it is less than a cell
  mpm_case c = open_space((const int[]){0, 4, 4}, 0, true);
  firn_collider_def plate = firn_default_collider_def();
  plate.shape = firn_half_space((const double[]){-gap, 0, 0}, (const double[]){1, 0, 0});
  plate.velocity[0] = speed;
  must(&c, firn_sim_add_collider(c.sim, &plate, NULL));
  mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){32, 4, 4}, 2);
  size_t asleep = 0, all = mpm_case_count(&c);
  double start = mpm_case_sums(&c).bounds_max[0];
  while (firn_sim_time(c.sim) < 0.03) asleep = step_once(&c);
  assert_in_range(asleep, all / 2, all - 1);
  while (firn_sim_time(c.sim) < 0.3) asleep = step_once(&c);
  double pushed = speed * 0.3 - (gap - H), moved = mpm_case_sums(&c).bounds_max[0] - start;
  mpm_report(variant(), "far end moved by %.3f cells of %.3f", moved / H, pushed / H);
  assert_int_equal(asleep, 0);
  assert_true(moved > pushed / 2); // the rest is strain, and block after block waking late
  mpm_case_close(&c);
}

// ------------------------------------------------------------------------------------ trembling

static const double TREMOR = 2e-3; // cells

static void tremble(void *user, const double x[3], double v[3]) {
  double k = 2 * acos(-1.0) / (8 * H), omega = k * sqrt(MU / DENSITY);
  (void)user;
  bool flies = x[1] > 10 * H;
  v[0] = v[1] = 0;
  v[2] = flies ? 3 : TREMOR * H * omega * sin(k * x[0]);
}

// A shear wave of two thousandths of a cell, far below what counts as drift, carries particles that
// lie on the borders of blocks from one to the other and back. What flies by above has all of them
// sorted again every few milliseconds.
static void snow_that_trembles_falls_asleep(void **state) {
  (void)state;
  enum { SIDE = 16, LAYERS = 8, COUNT = SIDE * SIDE * LAYERS }; // particles, half a cell apart
  mpm_case c = open_space((const int[]){8, 0, 8}, 0, true);
  const mpm *m = mpm_case_solver(&c);
  double *x = malloc((COUNT + 1) * 3 * sizeof *x);
  for (int i = 0; i < COUNT; i++) {
    const int at[3] = {i % SIDE, i / (SIDE * SIDE), i / SIDE % SIDE};
    for (int a = 0; a < 3; a++) {
      double off = a == 2 ? mpm_random(1, (uint64_t)i, -TREMOR / 4, TREMOR / 4) : 0.25;
      x[3 * i + a] = (0.5 * at[a] + off) * H;
    }
  }
  memcpy(x + 3 * COUNT, (double[]){2 * H, 20 * H, 0}, 3 * sizeof *x);
  mpm_case_add(&c, COUNT + 1, x, 8);
  free(x);
  mpm_case_set_velocity(&c, tremble, NULL);
  uint32_t before = 0;
  int changes = 0;
  // Watched from the second review on; asleep, it is sorted on, and goes on sleeping.
  while (firn_sim_time(c.sim) < 0.06) {
    size_t asleep = step_once(&c);
    if (firn_sim_time(c.sim) > 0.035) assert_int_equal(asleep, COUNT);
    uint32_t now = m->world->particles.block[0].count;
    changes += before && now != before;
    before = now;
  }
  mpm_report(variant(), "%d changes", changes);
  assert_true(changes > 2);
  mpm_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_gravity_or_surface_wakes_all),
      cmocka_unit_test(whoever_is_written_to_wakes),
      cmocka_unit_test(what_comes_near_wakes_before_it_touches),
      cmocka_unit_test(quick_snow_wakes_its_neighbours_at_once),
      cmocka_unit_test(a_lone_grain_falls_onto_snow_that_sleeps),
      cmocka_unit_test(snow_that_glides_slowly_does_not_sleep),
      cmocka_unit_test(slow_bodies_in_free_motion_go_on),
      cmocka_unit_test(snow_that_slides_without_friction_goes_on),
      cmocka_unit_test(snow_that_rings_falls_asleep_in_balance),
      cmocka_unit_test(a_slow_push_is_felt_along_the_bar),
      cmocka_unit_test(snow_that_trembles_falls_asleep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
