// SPDX-License-Identifier: Apache-2.0
// labels: flight slow
// Particles that fly by themselves do what they would do on the grid: alone, until they meet each other,
// snow or a collider, whatever acts on them from outside. Each case runs twice, with flight and without.
#include "cache/scratch.h"

#include "base/isa.h"
#include "mpm/snapshot.h"

static const double H = 0.02, DT = 1e-4; // m, s
enum { EARLY = 10 };

typedef struct scenario {
  const char *name;
  void (*make)(const mpm_case *c);
  void (*then)(const mpm_case *c); // after EARLY steps, or NULL
  int steps;
  int flying; // how many fly in the beginning, and in the end
  int flying_then;
} scenario;

static void put(const mpm_case *c, const double x[3], const double v[3]) {
  firn_particles_def def = firn_default_particles_def();
  double position[3], mass = DENSITY * c->h * c->h * c->h / 8, volume = mass / DENSITY;
  for (int a = 0; a < 3; a++) position[a] = x[a] * c->h;
  def.count = 1;
  def.position = position;
  def.velocity = v;
  def.mass = &mass;
  def.volume = &volume;
  must(c, firn_sim_add_particles(c->sim, &def));
}

// Two that run into each other across the border of blocks, one that passes them by and one far away.
static void pair(const mpm_case *c) {
  put(c, (const double[3]){-6.3, 0.2, 0.1}, (const double[3]){2, 0.1, 0});
  put(c, (const double[3]){6.4, -0.1, 0.4}, (const double[3]){-2.5, 0, 0.2});
  put(c, (const double[3]){-9, 12.5, 3}, (const double[3]){3, 0.5, 0});
  put(c, (const double[3]){40, 31, -22}, (const double[3]){0.3, -0.2, 0.1});
}

// One that falls into a lump of snow, and one that the lump leaves alone.
static void lump(const mpm_case *c) {
  mpm_case_jittered(c, (const int[]){0, 0, 0}, (const int[]){3, 3, 3}, 2, 0.3, 7);
  put(c, (const double[3]){1.3, 11.2, 1.6}, (const double[3]){0.1, -3, 0});
  put(c, (const double[3]){-14, 3, 2}, (const double[3]){0, -3, 0});
}

static void add_floor(const mpm_case *c, double speed) {
  firn_collider_def def = firn_default_collider_def();
  def.velocity[1] = speed;
  def.friction = 0.3;
  must(c, firn_sim_add_collider(c->sim, &def, NULL));
}

static void onto_floor(const mpm_case *c) {
  add_floor(c, 0);
  put(c, (const double[3]){0.3, 7.2, 0.6}, (const double[3]){1, -3, 0});
  put(c, (const double[3]){30, 60, 0.6}, (const double[3]){1, -3, 0});
}

static void floor_comes(const mpm_case *c) {
  add_floor(c, 3);
  put(c, (const double[3]){0.3, 7.2, 0.6}, (const double[3]){0.5, 0, 0});
}

// A plate far away that comes to a grain, which has hardly moved by then, in a few looks' time.
static void plate_comes(const mpm_case *c) {
  const double center[3] = {-22 * c->h, 0, 0}, half[3] = {c->h, 9 * c->h, 9 * c->h};
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_box(center, half);
  def.velocity[0] = 20;
  must(c, firn_sim_add_collider(c->sim, &def, NULL));
  put(c, (const double[3]){0.3, 0.2, 0.6}, (const double[3]){0.5, 0, 0});
}

// Two that are quick, but side by side, and come together slowly.
static void abreast(const mpm_case *c) {
  put(c, (const double[3]){0.3, 0.2, 0.1}, (const double[3]){4, 1, 0});
  put(c, (const double[3]){0.9, 7.5, 0.4}, (const double[3]){4, -0.7, 0});
  put(c, (const double[3]){9.2, 30.5, -12.4}, (const double[3]){-3, 1, 0});
}

// Something from outside makes them meet.
static void parallel(const mpm_case *c) {
  put(c, (const double[3]){0.2, 0.2, 0.1}, (const double[3]){0, 0, 0});
  put(c, (const double[3]){7.6, 0.5, 0.4}, (const double[3]){0, 0, 0});
}

static void send_together(const mpm_case *c) {
  const double v[6] = {2, 0, 0, -2, 0, 0};
  mpm_case_write(c, "velocity", v);
}

static void raise_floor(const mpm_case *c) {
  must(c, firn_sim_set_gravity(c->sim, (const double[3]){0, -400, 0}));
}

static void under_gravity(const mpm_case *c) {
  add_floor(c, 0);
  put(c, (const double[3]){0.3, 6.4, 0.6}, (const double[3]){1, 0, 0});
}

static const scenario scenarios[] = {
    {"pair", pair, NULL, 420, 4, 4},
    {"lump", lump, NULL, 500, 2, 1},
    {"floor", onto_floor, NULL, 500, 2, 1},
    {"moving floor", floor_comes, NULL, 400, 1, 0},
    {"moving plate", plate_comes, NULL, 320, 1, 0},
    {"abreast", abreast, NULL, 500, 3, 3},
    {"velocities set", parallel, send_together, 400, 2, 2},
    {"gravity set", under_gravity, raise_floor, 400, 1, 0},
};

static mpm_case run(const mpm_variant *v, const scenario *s, bool flight) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -1;
  def.mpm.volume_nominal = true;
  def.mpm.dt = DT;
  def.mpm.flight = flight;
  snow.density = DENSITY;
  mpm_case c = mpm_case_open(v, &def, &snow);
  s->make(&c);
  mpm_case_steps(&c, EARLY);
  assert_int_equal(mpm_case_stat(&c, "flying"), flight ? s->flying : 0);
  if (s->then) s->then(&c);
  mpm_case_steps(&c, s->steps - EARLY);
  assert_int_equal(mpm_case_stat(&c, "flying"), flight ? s->flying_then : 0);
  return c;
}

// Forces between two particles, and of a floor on one, come from gradients of weights divided by tiny
// masses at the rim of stencils, so that rounding shows a hundredfold. A stencil that meets another unseen
// for one step would be seen by forces of some m/s a step.
static void flight_is_what_the_grid_does(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
      const scenario *s = &scenarios[i];
      mpm_case with = run(v, s, true), without = run(v, s, false);
      size_t n = 3 * mpm_case_count(&with);
      double *x[2] = {mpm_case_read(&with, "position"), mpm_case_read(&without, "position")},
             *u[2] = {mpm_case_read(&with, "velocity"), mpm_case_read(&without, "velocity")};
      double of_x = 0, of_v = 0;
      for (size_t k = 0; k < n; k++) {
        worst(&of_x, (x[0][k] - x[1][k]) / H);
        worst(&of_v, u[0][k] - u[1][k]);
      }
      mpm_report(v, "%-15s x %.2g eps cells, v %.2g eps m/s", s->name, of_x / EPS, of_v / EPS);
      assert_below(v, "velocity, m/s", of_v, 4e3 * EPS);
      assert_below(v, "position, cells", of_x, 4e3 * EPS);
      for (int k = 0; k < 2; k++) {
        free(x[k]);
        free(u[k]);
      }
      mpm_case_close(&with);
      mpm_case_close(&without);
    }
  }
}

// Positions are counted from a corner nearby all the way, 200 cells and more: each step rounds them to a
// unit of 8 cells at most, half of it off, and the way of a step by a tenth of that. Counted from where they
// began they would be off by up to 30 times as much.
static void positions_stay_precise_in_flight(void **state) {
  (void)state;
  enum { STEPS = 2000, COUNT = 4 };
  for_each_scheme(v, firn_isa_best()) {
    firn_sim_def def = mpm_printed_def(v, H);
    firn_material_def snow = firn_default_material_def();
    double velocity[3 * COUNT], off = 0;
    memset(def.gravity, 0, sizeof def.gravity);
    def.mpm.dt = DT;
    def.mpm.flight = true;
    mpm_case c = mpm_case_open(v, &def, &snow);
    for (int i = 0; i < COUNT; i++) {
      double *u = velocity + 3 * i;
      for (int a = 0; a < 3; a++) u[a] = (double)(firn_real)(21.37 + 1.91 * i - 0.73 * a);
      put(&c, (const double[3]){40.0 * i, 0, 0}, u);
    }
    double *from = mpm_case_read(&c, "position");
    mpm_case_steps(&c, STEPS);
    assert_int_equal(mpm_case_stat(&c, "flying"), COUNT);
    double *x = mpm_case_read(&c, "position");
    for (int i = 0; i < 3 * COUNT; i++) {
      double way = STEPS * (double)((firn_real)DT / (firn_real)H * (firn_real)velocity[i]);
      worst(&off, (x[i] - from[i]) / H - way);
    }
    mpm_report(v, "x %.2g eps cells a step", off / EPS / STEPS);
    assert_below(v, "position, cells", off, STEPS * EPS * 4.4);
    free(from);
    free(x);
    mpm_case_close(&c);
  }
}

// Whoever flies out of the domain is told of, as on the grid.
static void nobody_flies_out_of_the_domain_unseen(void **state) {
  (void)state;
  for_each_scheme(v, firn_isa_best()) {
    firn_sim_def def = mpm_printed_def(v, H);
    firn_material_def snow = firn_default_material_def();
    def.mpm.dt = DT;
    def.mpm.flight = true;
    mpm_case c = mpm_case_open(v, &def, &snow);
    put(&c, (const double[3]){4.0 * 1048000 - 12, 0, 0}, (const double[3]){20, 0, 0});
    firn_status status = FIRN_OK;
    for (int i = 0; i < 600 && status == FIRN_OK; i++) {
      status = firn_sim_step(c.sim, 0, NULL);
      if (i == 9) assert_int_equal(mpm_case_stat(&c, "flying"), 1);
    }
    assert_int_equal(status, FIRN_ERROR_DOMAIN);
    mpm_case_close(&c);
  }
}

// ------------------------------------------------------------------------------------- taking off

// Two particles of a strained pair part: what strain they take along is released when each is alone, and
// stands in the books. The plastic state stays, and so does the affine part.
static void strain_is_released_when_a_particle_takes_off(void **state) {
  (void)state;
  for_each_scheme(v, firn_isa_best()) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = DT;
    def.mpm.flight = true;
    mpm_case c = mpm_case_open(v, &def, &material);
    put(&c, (const double[3]){0.2, 0.3, 0.1}, (const double[3]){0, 0, 0});
    double strain[6] = {0.01, -0.004, 0.002, 0.003, 0, -0.001}, jp = 0.97,
           affine[9] = {1, -8, 2, 8, 0.5, 0, -2, 0, 3};
    mpm_case_write(&c, "strain", strain);
    mpm_case_write(&c, "jp", &jp);
    if (is_apic(v)) mpm_case_write(&c, "affine", affine);
    firn_sums before = mpm_case_sums(&c);
    assert_true(before.energy_elastic > 0);
    mpm_case_steps(&c, 20);
    assert_int_equal(mpm_case_stat(&c, "flying"), 1);
    firn_sums after = mpm_case_sums(&c);
    double *e = mpm_case_read(&c, "strain"), *j = mpm_case_read(&c, "jp");
    for (int i = 0; i < 6; i++) assert_true(e[i] == 0);
    assert_below(v, "jp", fabs(*j - jp), EPS);
    assert_true(after.energy_elastic == 0);
    assert_below(v, "what is lost, of it",
                 fabs(after.energy_lost - before.energy_lost - before.energy_elastic) /
                     before.energy_elastic,
                 20 * EPS);
    assert_below(v, "what the books say, of it",
                 fabs(mpm_case_stat(&c, "energy_plastic") - before.energy_elastic) /
                     before.energy_elastic,
                 20 * EPS);
    if (is_apic(v)) {
      double *a = mpm_case_read(&c, "affine");
      for (int i = 0; i < 9; i++) assert_true(a[i] == affine[i]);
      free(a);
    }
    free(e);
    free(j);
    mpm_case_close(&c);
  }
}

// Volumes, and hardening by density, are those that the grid would give.
static void density_alone_is_that_of_the_grid(void **state) {
  (void)state;
  static const char *const fields[] = {"density", "jp"};
  for_each_scheme(v, firn_isa_best()) {
    double *read[2][2];
    for (int k = 0; k < 2; k++) {
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def snow = firn_default_material_def();
      def.mpm.dt = DT;
      def.mpm.hardening_density = true;
      def.mpm.flight = k == 0;
      mpm_case c = mpm_case_open(v, &def, &snow);
      const double x[6] = {0.21 * H, 1.4 * H, 2.85 * H, 30.7 * H, 0, 0};
      mpm_case_add(&c, 2, x, 8);
      mpm_case_write(&c, "velocity", (const double[6]){5, 3, -4, 1, 1, 7});
      mpm_case_steps(&c, 30);
      assert_int_equal(mpm_case_stat(&c, "flying"), k == 0 ? 2 : 0);
      for (int f = 0; f < 2; f++) read[k][f] = mpm_case_read(&c, fields[f]);
      mpm_case_close(&c);
    }
    for (int f = 0; f < 2; f++) {
      for (int i = 0; i < 2; i++) {
        double off = fabs(read[0][f][i] / read[1][f][i] - 1);
        mpm_report(v, "%s: %.5g, off %.2g eps", fields[f], read[0][f][i], off / EPS);
        assert_below(v, fields[f], off, 200 * EPS);
      }
      free(read[0][f]);
      free(read[1][f]);
    }
  }
}

// ------------------------------------------------------------------------------ wind and sinks

// Flakes in a breeze, one of which a sink takes: as on the grid.
static void wind_and_sinks_act_on_what_flies(void **state) {
  (void)state;
  for_each_scheme(v, firn_isa_best()) {
    double *x[2], *u[2];
    for (int k = 0; k < 2; k++) {
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def snow = firn_default_material_def();
      def.gravity[1] = -9.81;
      def.mpm.volume_nominal = true;
      def.mpm.dt = DT;
      def.mpm.flight = k == 0;
      mpm_case c = mpm_case_open(v, &def, &snow);
      firn_wind_def wind = firn_default_wind_def();
      wind.velocity[0] = 4;
      must(&c, firn_sim_set_wind(c.sim, &wind));
      firn_sink_def sink = firn_default_sink_def();
      sink.shape = firn_sphere((const double[3]){30 * H, 0, 0}, 6 * H);
      must(&c, firn_sim_add_sink(c.sim, &sink, NULL));
      put(&c, (const double[3]){0.2, 0.3, 0.1}, (const double[3]){0, 1, 0});
      put(&c, (const double[3]){17.2, 0.3, 0.1}, (const double[3]){5, 0, 0});
      put(&c, (const double[3]){-22.1, 3, 0.1}, (const double[3]){0, 1, 2});
      mpm_case_steps(&c, 20);
      assert_int_equal(mpm_case_stat(&c, "flying"), k == 0 ? 3 : 0);
      mpm_case_steps(&c, 380);
      assert_int_equal(mpm_case_count(&c), 2);
      assert_int_equal(mpm_case_stat(&c, "flying"), k == 0 ? 2 : 0);
      x[k] = mpm_case_read(&c, "position");
      u[k] = mpm_case_read(&c, "velocity");
      mpm_case_close(&c);
    }
    double of_x = 0, of_v = 0;
    for (int i = 0; i < 6; i++) {
      worst(&of_x, (x[0][i] - x[1][i]) / H);
      worst(&of_v, u[0][i] - u[1][i]);
    }
    mpm_report(v, "wind: x %.2g eps cells, v %.2g eps m/s", of_x / EPS, of_v / EPS);
    assert_true(u[0][0] > 0.01); // it blows
    assert_below(v, "velocity, m/s", of_v, 400 * EPS);
    assert_below(v, "position, cells", of_x, 4e3 * EPS);
    for (int k = 0; k < 2; k++) {
      free(x[k]);
      free(u[k]);
    }
  }
}

// ---------------------------------------------------------------------------------- the same bytes

enum { FLAKES = 300, HALF = 60 };

static mpm_case make_thin(const mpm_variant *v, int threads, bool filled) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -9.81;
  def.mpm.flight = true;
  mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
  if (!filled) return c;
  double x[3 * FLAKES];
  for (size_t i = 0; i < 3 * FLAKES; i++) x[i] = mpm_random(11, i, 0, 64) * H;
  mpm_case_add(&c, FLAKES, x, 8);
  double *u = mpm_case_new(&c, 3);
  for (size_t i = 0; i < 3 * FLAKES; i++) u[i] = mpm_random(12, i, -6, 6);
  mpm_case_write(&c, "velocity", u);
  free(u);
  return c;
}

// Many take off and land on the way, as threads and a stop in the middle of flight find them.
static void a_thin_cloud_gives_the_same_bytes(void **state) {
  scratch *s = *state;
  static const int threads[] = {1, 2, 7, 16};
  for_each_scheme(v, firn_isa_best()) {
    if (is_cubic(v) == is_apic(v)) continue; // two of the four will do
    snapshot first = {0};
    for (int t = 0; t < 4; t++) {
      mpm_case c = make_thin(v, threads[t], true);
      double least = FLAKES, most = 0;
      for (int i = 0; i < 2 * HALF; i++) {
        if (i == HALF && threads[t] == 2) { // goes on in another simulation
          must(&c, firn_sim_save(c.sim, scratch_path(s, "flight.hdf")));
          mpm_case_close(&c);
          c = make_thin(v, threads[t], false);
          must(&c, firn_sim_load(c.sim, scratch_path(s, "flight.hdf")));
        }
        must(&c, firn_sim_step(c.sim, 0, NULL));
        double flying = mpm_case_stat(&c, "flying");
        least = fmin(least, flying);
        most = fmax(most, flying);
      }
      snapshot end = snapshot_take(&c);
      if (t == 0) {
        mpm_report(v, "%g to %g of %d fly", least, most, FLAKES);
        assert_true(least > FLAKES / 20 && most < FLAKES && most > least);
        first = end;
      } else {
        const char *field = snapshot_difference(&c, &first, &end);
        if (field) fail_msg("%s: %d threads change '%s'", v->name, threads[t], field);
        snapshot_drop(&end);
      }
      mpm_case_close(&c);
    }
    snapshot_drop(&first);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flight_is_what_the_grid_does),
      cmocka_unit_test(positions_stay_precise_in_flight),
      cmocka_unit_test(nobody_flies_out_of_the_domain_unseen),
      cmocka_unit_test(strain_is_released_when_a_particle_takes_off),
      cmocka_unit_test(density_alone_is_that_of_the_grid),
      cmocka_unit_test(wind_and_sinks_act_on_what_flies),
      cmocka_unit_test_setup_teardown(a_thin_cloud_gives_the_same_bytes, scratch_open,
                                      scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
