// SPDX-License-Identifier: Apache-2.0
// labels: M37 slow
// timeout: 60
// A window that moves over the scene shows the very snow that a scene without one has: particles are
// kept relative to the blocks of one lattice, and whole blocks come and go.
#include "mpm/snapshot.h"

static const double H = 0x1p-6; // m: sums of whole cells are exact

static firn_sim_def scene_def(const mpm_variant *v) {
  firn_sim_def def = mpm_printed_def(v, H);
  def.gravity[1] = -8;
  def.seed = 21;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  return def;
}

static void add_floor(const mpm_case *c, double height) {
  firn_collider_def floor = firn_default_collider_def();
  floor.shape = firn_half_space((double[]){0, height, 0}, (double[]){0, 1, 0});
  must(c, firn_sim_add_collider(c->sim, &floor, NULL));
}

// A ball that hits the floor, seen through a window that holds all of it, or through none.
static snapshot impact(const mpm_variant *v, bool windowed, bool nominal) {
  firn_sim_def def = scene_def(v);
  firn_material_def snow = firn_default_material_def();
  def.mpm.volume_nominal = nominal;
  mpm_case c = mpm_case_open(v, &def, &snow);
  add_floor(&c, 0);
  if (windowed) {
    firn_window_def window = firn_default_window_def();
    for (int a = 0; a < 3; a++) {
      window.min[a] = -20 * H;
      window.max[a] = 20 * H;
    }
    window.velocity[0] = 30; // moves on by two blocks meanwhile
    must(&c, firn_sim_set_window(c.sim, &window));
  }
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((double[]){6 * H, 3.2 * H, 6 * H}, 2.8 * H);
  ball.velocity[1] = -10;
  ball.velocity[0] = 2;
  must(&c, firn_sim_fill(c.sim, &ball));
  must(&c, firn_sim_advance(c.sim, 0.004, NULL, NULL));
  snapshot s = snapshot_take(&c);
  mpm_case_close(&c);
  return s;
}

static void window_around_all_changes_nothing(void **state) {
  (void)state;
  for_each_variant(v) for (int nominal = v->isa == FIRN_ISA_AVX2; nominal < 2; nominal++) {
    snapshot with = impact(v, true, nominal), without = impact(v, false, nominal);
    assert_int_equal(with.count, without.count);
    assert_true(with.count > 500 && with.time == without.time);
    assert_int_equal(with.fields, without.fields);
    // The widest field has 9 components; a case is only asked for names.
    firn_sim_def def = scene_def(v);
    firn_material_def snow = firn_default_material_def();
    mpm_case c = mpm_case_open(v, &def, &snow);
    const char *field = snapshot_difference(&c, &with, &without);
    if (field) fail_msg("%s: '%s' differs", v->name, field);
    mpm_case_close(&c);
    snapshot_drop(&with);
    snapshot_drop(&without);
  }
}

// ------------------------------------------------------------------------------- a shifted scene

// The same particles and floor, moved by whole blocks.
static mpm_case shifted(const mpm_variant *v, const int blocks[3]) {
  firn_sim_def def = scene_def(v);
  firn_material_def snow = firn_default_material_def();
  mpm_case c = mpm_case_open(v, &def, &snow);
  add_floor(&c, 4 * H * blocks[1]);
  enum { EDGE = 7, COUNT = EDGE * EDGE * EDGE };
  static double x[3 * COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    const size_t at[3] = {i / (EDGE * EDGE), i / EDGE % EDGE, i % EDGE};
    for (size_t a = 0; a < 3; a++) {
      // 24 bits in a float's 4 cells leave 2^-22 of a cell; this keeps to 2^-12.
      double jitter = floor(mpm_random(7, 3 * i + a, 0, 2048)) * 0x1p-12;
      x[3 * i + a] = (4 * blocks[a] + 0.5 * (double)at[a] + jitter) * H;
    }
    x[3 * i + 1] += 0.25 * H;
  }
  mpm_case_add(&c, COUNT, x, 8);
  double *velocity = mpm_case_new(&c, 3);
  for (size_t i = 0; i < COUNT; i++) {
    velocity[3 * i] = 3;
    velocity[3 * i + 1] = -15;
    velocity[3 * i + 2] = -1;
  }
  mpm_case_write(&c, "velocity", velocity);
  free(velocity);
  must(&c, firn_sim_advance(c.sim, 0.004, NULL, NULL));
  return c;
}

// Positions as they are kept: block and place within it, in the order of ids, less a shift in blocks.
typedef struct places {
  const mpm_case *c;
  const int *blocks;
  double *out; // [count][6]
} places;

static void place_one(void *user, size_t slot, const double corner[3]) {
  const places *p = user;
  const firn_particles *particles = &mpm_case_solver(p->c)->world->particles;
  double *out = p->out + 6 * firn_particles_row(particles, slot);
  for (int a = 0; a < 3; a++) {
    out[a] = corner[a] - 4.0 * p->blocks[a];
    out[3 + a] = (double)firn_particles_real(particles, FIRN_FIELD_X + a)[slot];
  }
}

static double *places_of(const mpm_case *c, const int blocks[3]) {
  places p = {c, blocks, mpm_case_new(c, 6)};
  firn_particles_visit(&mpm_case_solver(c)->world->particles, place_one, &p);
  return p.out;
}

static void forget(const mpm_case *c, snapshot *s, const char *name) {
  for (int i = 0; i < s->fields; i++) {
    firn_field_info info;
    must(c, firn_sim_field(c->sim, i, &info));
    if (strcmp(info.name, name) != 0) continue;
    free(s->data[i]);
    s->data[i] = calloc(s->count, (size_t)info.components * sizeof(double));
  }
}

static void shift_by_whole_blocks_changes_no_bit(void **state) {
  (void)state;
  static const int shifts[][3] = {{1, 0, 0}, {100000, -90001, 499}};
  for_each_variant(v) {
    const int none[3] = {0, 0, 0};
    mpm_case home = shifted(v, none);
    snapshot here = snapshot_take(&home);
    double *x = places_of(&home, none);
    assert_true(mpm_case_stat(&home, "yielded") > 0.01);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
      mpm_case away = shifted(v, shifts[i]);
      snapshot there = snapshot_take(&away);
      double *y = places_of(&away, shifts[i]);
      assert_int_equal(there.count, here.count);
      if (memcmp(x, y, 6 * here.count * sizeof *x) != 0) {
        fail_msg("%s: shifted by case %zu places differ", v->name, i);
      }
      free(y);
      // Positions as read are rounded in metres from the origin, and the rate of strain is a sum over
      // nodes in an order of its own.
      forget(&home, &here, "position");
      forget(&home, &there, "position");
      forget(&home, &here, "strain_rate");
      forget(&home, &there, "strain_rate");
      const char *field = snapshot_difference(&home, &here, &there);
      if (field) fail_msg("%s: shifted by case %zu '%s' differs", v->name, i, field);
      snapshot_drop(&there);
      mpm_case_close(&away);
    }
    free(x);
    snapshot_drop(&here);
    mpm_case_close(&home);
  }
}

// ------------------------------------------------------------------------------- a moving window

static const double DT = 1e-4; // s
enum { STEPS = 6 };

// A bed at rest, without weight, that a ball strikes at one end. Forces spread by at most 4 cells in a
// step, and the window comes on by 8 of them, so the snow that it comes to is at rest in either run.
static mpm_case bed(const mpm_variant *v, bool windowed) {
  firn_sim_def def = scene_def(v);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = 0;
  def.mpm.dt = DT;
  def.mpm.volume_nominal = true;
  mpm_case c = mpm_case_open(v, &def, &snow);
  if (windowed) {
    firn_window_def window = firn_default_window_def();
    window.max[0] = 20 * H;
    window.velocity[0] = 8 * H / DT;
    must(&c, firn_sim_set_window(c.sim, &window));
  }
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_box((double[]){40 * H, -2 * H, 0}, (double[]){40 * H, 2 * H, 2 * H});
  fill.per_cell = 3;
  must(&c, firn_sim_fill(c.sim, &fill));
  fill.shape = firn_sphere((double[]){5 * H, 2.5 * H, 0}, 2 * H);
  fill.velocity[0] = 8;
  fill.velocity[1] = -30;
  must(&c, firn_sim_fill(c.sim, &fill));
  for (int i = 0; i < STEPS; i++) must(&c, firn_sim_step(c.sim, DT, NULL));
  return c;
}

typedef struct row {
  double x[3], v[3], jp, strain[6], affine[9];
} row;

static int by_place(const void *a, const void *b) {
  return memcmp(a, b, sizeof(row));
}

// All of the particles' state, in an order of its own, of those before x = limit.
static row *rows_before(const mpm_case *c, double limit, size_t *count) {
  size_t n = mpm_case_count(c);
  row *rows = calloc(n, sizeof *rows);
  double *x = mpm_case_read(c, "position"), *v = mpm_case_read(c, "velocity");
  double *jp = mpm_case_read(c, "jp"), *strain = mpm_case_read(c, "strain");
  double *affine = mpm_case_read(c, "affine");
  *count = 0;
  for (size_t i = 0; i < n; i++) {
    if (x[3 * i] >= limit) continue;
    row *r = &rows[(*count)++];
    memcpy(r->x, x + 3 * i, sizeof r->x);
    memcpy(r->v, v + 3 * i, sizeof r->v);
    memcpy(r->strain, strain + 6 * i, sizeof r->strain);
    memcpy(r->affine, affine + 9 * i, sizeof r->affine);
    r->jp = jp[i];
    for (int a = 0; a < 3; a++) r->v[a] += 0; // -0 is 0
    for (int a = 0; a < 6; a++) r->strain[a] += 0;
    for (int a = 0; a < 9; a++) r->affine[a] += 0;
  }
  qsort(rows, *count, sizeof *rows, by_place);
  free(x), free(v), free(jp), free(strain), free(affine);
  return rows;
}

static void snow_that_a_window_comes_to_is_the_same_snow(void **state) {
  (void)state;
  for_each_variant(v) {
    mpm_case moving = bed(v, true), fixed = bed(v, false);
    // The window was last moved at the beginning of the last step: its end lies in the block of ...
    double end = 4 * H * (floor((20 + 8.0 * (STEPS - 1)) / 4) + 1);
    assert_true(mpm_case_count(&moving) < mpm_case_count(&fixed));
    size_t n, all, stirred = 0;
    row *a = rows_before(&moving, end, &n), *b = rows_before(&fixed, end, &all);
    assert_int_equal(n, mpm_case_count(&moving));
    assert_int_equal(n, all);
    for (size_t i = 0; i < n; i++) {
      stirred += a[i].v[0] != 0;
      if (memcmp(&a[i], &b[i], sizeof *a) != 0) {
        fail_msg("%s: the particle at %g %g %g is not that at %g %g %g", v->name, a[i].x[0],
                 a[i].x[1], a[i].x[2], b[i].x[0], b[i].x[1], b[i].x[2]);
      }
    }
    assert_true(stirred > 200 && stirred < n);
    free(a), free(b);
    mpm_case_close(&moving);
    mpm_case_close(&fixed);
  }
}

// A bed that moves on twice as fast as the window lies before it already when the window comes there:
// what is filled in is what is missing. Filled without looking, the last blocks would hold snow twice.
static void snow_that_was_pushed_ahead_is_not_filled_again(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    firn_sim_def def = scene_def(v);
    firn_material_def snow = firn_default_material_def();
    def.gravity[1] = 0;
    mpm_case c = mpm_case_open(v, &def, &snow);
    firn_window_def window = firn_default_window_def();
    window.max[0] = 13.5 * H;
    window.velocity[0] = 5;
    must(&c, firn_sim_set_window(c.sim, &window));
    firn_fill_def fill = firn_default_fill_def();
    fill.shape = firn_box((double[]){20 * H, 4 * H, 4 * H}, (double[]){20 * H, 4 * H, 4 * H});
    fill.velocity[0] = 10;
    must(&c, firn_sim_fill(c.sim, &fill));
    // When the window comes to cell 16, the bed has come to 21. Later by 1.6 cells, from 18 to 21 there is
    // what was filled in, and what was there.
    must(&c, firn_sim_advance(c.sim, 6.6 * H / 10, NULL, NULL));
    double *x = mpm_case_read(&c, "position"), *m = mpm_case_read(&c, "mass"), ahead = 0;
    double full = snow.density * H * H * H, most = 0;
    static double cell[24][8][8];
    memset(cell, 0, sizeof cell);
    for (size_t i = 0; i < mpm_case_count(&c); i++) {
      int at[3];
      for (int a = 0; a < 3; a++) at[a] = (int)floor(x[3 * i + (size_t)a] / H);
      if (at[0] >= 18 && at[0] < 21) ahead += m[i];
      if (at[0] < 0 || at[0] > 23 || at[1] < 0 || at[1] > 7 || at[2] < 0 || at[2] > 7) continue;
      cell[at[0]][at[1]][at[2]] += m[i];
    }
    // Eight cells at a time: the seeding is random.
    for (int i = 7; i < 22; i++) {
      for (int k = 0; k < 49; k++) {
        double sum = 0;
        for (int n = 0; n < 8; n++) sum += cell[i + n / 4][k / 7 + n / 2 % 2][k % 7 + n % 2];
        most = fmax(most, sum / (8 * full));
      }
    }
    mpm_report(v, "density ahead %.3f, at most %.3f", ahead / (3 * 64 * full), most);
    assert_within(v, "density ahead", ahead / (3 * 64 * full), 1, 0.05);
    assert_below(v, "density", most, 1.35);
    free(x);
    free(m);
    mpm_case_close(&c);
  }
}

// What the window leaves goes, and does not come back.
static void snow_behind_a_window_is_taken_away(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  firn_sim_def def = scene_def(v);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = 0;
  def.mpm.dt = DT;
  mpm_case c = mpm_case_open(v, &def, &snow);
  firn_collider_def blade = firn_default_collider_def(); // far from everything, moves on
  blade.shape = firn_sphere((double[]){0, 900 * H, 0}, H);
  blade.velocity[0] = 4 * H / DT;
  int id;
  must(&c, firn_sim_add_collider(c.sim, &blade, &id));
  firn_window_def window = firn_default_window_def();
  window.min[0] = 0.5 * H;
  window.max[0] = 11.5 * H;
  window.follow = id;
  must(&c, firn_sim_set_window(c.sim, &window));
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_box((double[]){50 * H, 0, 0}, (double[]){50 * H, 2 * H, 2 * H});
  fill.seeding = FIRN_SEEDING_LATTICE;
  must(&c, firn_sim_fill(c.sim, &fill));
  // Three blocks of 4 cells at any time, 4 x 4 across, 8 a cell, until the bed ends at 100 cells.
  for (int i = 0; i < 27; i++) {
    int left = 25 - i < 3 ? (25 - i > 0 ? 25 - i : 0) : 3;
    must(&c, firn_sim_step(c.sim, DT, NULL));
    assert_int_equal(mpm_case_count(&c), left * 4 * 4 * 4 * 8);
    double *x = mpm_case_read(&c, "position");
    for (size_t k = 0; k < mpm_case_count(&c); k++) {
      assert_true(x[3 * k] > 4 * H * i && x[3 * k] < 4 * H * (i + 3));
    }
    free(x);
  }
  firn_window_def late = firn_default_window_def();
  mpm_case_add(&c, 1, (double[]){108 * H, 0, 0}, 8);
  assert_int_equal(firn_sim_set_window(c.sim, &late), FIRN_ERROR_STATE);
  mpm_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(window_around_all_changes_nothing),
      cmocka_unit_test(shift_by_whole_blocks_changes_no_bit),
      cmocka_unit_test(snow_that_a_window_comes_to_is_the_same_snow),
      cmocka_unit_test(snow_that_was_pushed_ahead_is_not_filled_again),
      cmocka_unit_test(snow_behind_a_window_is_taken_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
