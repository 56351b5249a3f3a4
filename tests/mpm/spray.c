// labels: simd spray slow
// SPDX-License-Identifier: Apache-2.0
// Blocks of a few particles among their like are set apart by the vector kernels: they add up
// their own nodes instead of sharing node blocks. The scalar kernels know nothing of that, so the
// two must agree: alone, next to others of their kind, next to dense snow, and on the floor.
#include "support/mpm_case.h"

enum { SIDE = 14, STEPS = 40 };

// How much snow is in the cloud: parcels add up their nodes together where many meet, grain by grain where few
// do.
typedef struct density {
  double full; // share of blocks at the bottom that are not empty ...
  int most;    // ... and particles of those
  size_t rest; // of all blocks one in so many is apart, at least
  int period;  // cells along x and z; 0: none
} density;

// A slab of snow with a cloud above it that thins out upwards, falling on it and on a floor.
static void add_cloud(const mpm_case *c, const density *of) {
  const int lo[3] = {0, 0, 0}, hi[3] = {16, 3, 16};
  mpm_case_jittered(c, lo, hi, 2, 0.4, 5);
  double *x = malloc(3 * SIDE * SIDE * SIDE * 4 * sizeof *x);
  size_t n = 0;
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    int at[3] = {i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE};
    double occupied = of->full * (1 - 6.0 / 7 * at[1] / SIDE);
    int count = mpm_random(1, (uint64_t)i, 0, 1) < occupied ? 1 + i % of->most : 0;
    for (int k = 0; k < count; k++, n++) {
      for (int a = 0; a < 3; a++) {
        double corner = 4.0 * at[a] - (a == 1 ? 0 : 12) + (a == 1 ? 0.2 : 0);
        x[3 * n + (size_t)a] = (corner + mpm_random(2, (uint64_t)(3 * (4 * i + k) + a), 0, 4)) *
                               c->h;
      }
    }
  }
  mpm_case_add(c, n, x, 8);
  free(x);
}

static void plunge(void *user, const double x[3], double v[3]) {
  (void)user;
  v[0] = 2 * sin(9 * x[1]);
  v[1] = -6 + sin(5 * x[0]);
  v[2] = 2 * cos(7 * x[0]);
}

static void squeeze(void *user, const double x[3], double d[9]) {
  (void)user;
  for (int i = 0; i < 9; i++) d[i] = 4e-3 * sin(40 * x[i % 3] + i);
}

// What is left of a particle alone: of its velocity its own gradient shows nothing, but its strain does.
typedef struct fields {
  double *x, *v, *strain, *affine; // affine: APIC, or NULL
} fields;

static void release(fields *f) {
  free(f->x);
  free(f->v);
  free(f->strain);
  free(f->affine);
}

static double apart(const mpm_case *c, int components, const double *a, const double *b) {
  double max = 0;
  for (size_t i = 0; i < (size_t)components * mpm_case_count(c); i++) worst(&max, a[i] - b[i]);
  return max;
}

static mpm_case run(const mpm_variant *v, const density *of, fields *out) {
  firn_sim_def def = mpm_printed_def(v, 0.01);
  def.gravity[1] = -9.81;
  def.mpm.volume_nominal = true;
  def.mpm.dt = 4e-5;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.particle_contact = true;
  def.periodic[0] = def.periodic[2] = of->period > 0;
  def.period_cells[0] = def.period_cells[2] = of->period;
  firn_material_def material = firn_default_material_def();
  mpm_case c = mpm_case_open(v, &def, &material);
  firn_collider_def floor_ = firn_default_collider_def();
  floor_.forces = true;
  must(&c, firn_sim_add_collider(c.sim, &floor_, NULL));
  add_cloud(&c, of);
  mpm_case_set_velocity(&c, plunge, NULL);
  mpm_case_set_gradient(&c, squeeze, NULL);
  mpm_case_steps(&c, STEPS);
  *out = (fields){.x = mpm_case_read(&c, "position"),
                  .v = mpm_case_read(&c, "velocity"),
                  .strain = mpm_case_read(&c, "strain"),
                  .affine = is_apic(v) ? mpm_case_read(&c, "affine") : NULL};
  return c;
}

// What the floor felt: impulse, N s, and its moment, N m s.
static void read_floor(const mpm_case *c, double out[6]) {
  firn_collider_force f;
  must(c, firn_sim_collider_force(c->sim, 0, &f));
  for (int a = 0; a < 3; a++) {
    out[a] = f.impulse[a];
    out[3 + a] = f.angular[a];
  }
}

static void compare(const density *of) {
  // 40 steps of c dt / h = 0.08: rounding grows by a few times a step count, not exponentially.
  // Velocities of 6 m/s then carry about 40 * 20 eps; nodes at the rim of a stencil divide by tiny
  // masses, which costs another factor of ten.
  double tolerance = 6 * 40 * 200 * EPS;
  for_each_scheme(scalar, FIRN_ISA_SCALAR) {
    fields f0;
    double floor0[6];
    mpm_case reference = run(scalar, of, &f0);
    read_floor(&reference, floor0);
    assert_true(-floor0[1] > 0);
    for_each_variant(v) {
      if (v->isa == FIRN_ISA_SCALAR || v->basis != scalar->basis ||
          v->transfer != scalar->transfer) {
        continue;
      }
      fields f;
      double floor[6], worst_floor = 0;
      mpm_case c = run(v, of, &f);
      const mpm *m = mpm_case_solver(&c);
      size_t blocks = m->world->particles.block_count;
      // Some blocks are apart, some share nodes with dense snow, and both kinds meet.
      assert_true(m->grid.spray_count > blocks / of->rest);
      assert_true(m->grid.spray_count < blocks);
      double worst_x = apart(&c, 3, f.x, f0.x), worst_v = apart(&c, 3, f.v, f0.v);
      double worst_e = apart(&c, 6, f.strain, f0.strain);
      double worst_c = f.affine ? apart(&c, 9, f.affine, f0.affine) : 0;
      read_floor(&c, floor);
      // Across a period it is anybody's choice from which of its places a node turns the floor.
      int told = of->period ? 3 : 6;
      for (int i = 0; i < told; i++) worst_floor = fmax(worst_floor, fabs(floor[i] - floor0[i]));
      print_message(
          "%-24s %zu of %zu blocks apart: dx %.2e h, dv %.2e m/s, strain %.2e, C %.2e 1/s, "
          "floor %.2e of %.2e N s\n",
          v->name, m->grid.spray_count, blocks, worst_x / c.h, worst_v, worst_e, worst_c,
          worst_floor, -floor0[1]);
      assert_true(worst_v < tolerance);
      assert_true(worst_x < tolerance * STEPS * c.dt);
      // A gradient of such velocities, of which rims, and so the factor of ten, are a small part: it takes
      // sum |dw| / h <= 2 / h of them, or sum w |x_i - x_p| / (D h^2) <= 1 / (sqrt(D) h). Strain takes twice that
      // a step, of errors that begin at none.
      double slope = 2 * tolerance / 10 / c.h; // 1/s
      assert_true(worst_c < slope);
      assert_true(worst_e < 2 * slope * c.dt * STEPS / 2);
      // Those that share a node tell of their parts of it. Only nodes at the rim err by the factor of ten, and
      // these push with little.
      assert_true(worst_floor < 40 * 20 * EPS * -floor0[1]);
      release(&f);
      mpm_case_close(&c);
    }
    release(&f0);
    mpm_case_close(&reference);
  }
}

static void spray_moves_as_with_shared_node_blocks(void **state) {
  (void)state;
  compare(&(density){.full = 0.7, .most = 3, .rest = 4});
}

static void sparse_spray_moves_as_with_shared_node_blocks(void **state) {
  (void)state;
  compare(&(density){.full = 0.07, .most = 1, .rest = 20});
}

// Twelve blocks, the shortest period with parcels, of which the cloud is wider. Colours of tiles still alternate.
static void spray_moves_so_across_a_period(void **state) {
  (void)state;
  compare(&(density){.full = 0.5, .most = 3, .rest = 4, .period = 48});
}

static void momentum_of(const mpm_case *c, double out[3]) {
  firn_sums t;
  must(c, firn_sim_sums(c->sim, &t));
  memcpy(out, t.momentum, sizeof t.momentum);
}

// The block preconditioner knows nothing of grains: where a run changes over to steps that may need it, and back,
// blocks are found anew, and what they hold reaches the nodes.
static void settings_change_who_is_spray(void **state) {
  (void)state;
  const density of = {.full = 0.3, .most = 3};
  for_each_variant(v) {
    firn_sim_def def = mpm_printed_def(v, 0.01);
    def.mpm.volume_nominal = true;
    def.mpm.dt = 4e-5;
    def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
    def.mpm.preconditioner = FIRN_PRECONDITIONER_BLOCK;
    firn_material_def material = firn_default_material_def();
    mpm_case c = mpm_case_open(v, &def, &material);
    add_cloud(&c, &of);
    mpm_case_set_velocity(&c, plunge, NULL);
    double before[3], after[3];
    momentum_of(&c, before);
    const mpm *m = mpm_case_solver(&c);
    for (int i = 0; i < 4; i++) {
      def.mpm.integrator = i % 2 ? FIRN_INTEGRATOR_AUTO : FIRN_INTEGRATOR_EXPLICIT;
      must(&c, firn_sim_set_mpm(c.sim, &def.mpm));
      mpm_case_steps(&c, 3);
      assert_int_equal(m->grid.spray_count > 0, i % 2 == 0 && v->isa != FIRN_ISA_SCALAR);
    }
    momentum_of(&c, after);
    // Some 1e5 sums of a particle's momentum, in single precision.
    for (int a = 0; a < 3; a++)
      assert_true(fabs(after[a] - before[a]) < 100 * EPS * fabs(before[1]));
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spray_moves_as_with_shared_node_blocks),
      cmocka_unit_test(sparse_spray_moves_as_with_shared_node_blocks),
      cmocka_unit_test(spray_moves_so_across_a_period),
      cmocka_unit_test(settings_change_who_is_spray),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
