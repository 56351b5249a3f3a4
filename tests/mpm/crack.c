// SPDX-License-Identifier: Apache-2.0
// labels: M39 slow
// timeout: 120
// A bar is pulled apart, slowly, turned by an odd angle and offset to the grid. What plastic flow takes to open
// the crack does not depend on h; by the printed law it goes with h.
#include "base/isa.h"
#include "support/mpm_case.h"

static const double LENGTH = 0.005;                          // m, over which the snow softens
static const double HALF[3] = {0.03, 0.0075, 0.0075};        // m, of the bar between the grips
static const double GRIP = 0.015, SPEED = 0.03, OPEN = 6e-3; // m, m/s, m
static const double AXIS[3] = {0.3, 0.5, 0.8}, ANGLE = 0.9, AT[3] = {0.0123, -0.0071, 0.0049};
static const double AREA = 4 * 0.0075 * 0.0075, THETA = 3.75e-3, BRITTLE = 20;

// The bar's frame: columns of the rotation about AXIS by ANGLE (Rodrigues).
static void turn(double e[9]) {
  double length = sqrt(AXIS[0] * AXIS[0] + AXIS[1] * AXIS[1] + AXIS[2] * AXIS[2]), n[3];
  for (int a = 0; a < 3; a++) n[a] = AXIS[a] / length;
  const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  for (int i = 0; i < 9; i++)
    e[i] = (1 - cos(ANGLE)) * n[i / 3] * n[i % 3] + sin(ANGLE) * cross[i] +
           (i % 4 ? 0 : cos(ANGLE));
}

static void place(const double y[3], double x[3]) {
  double e[9];
  turn(e);
  for (int a = 0; a < 3; a++)
    x[a] = AT[a] + e[3 * a] * y[0] + e[3 * a + 1] * y[1] + e[3 * a + 2] * y[2];
}

// Snow that is weakest in the middle, by a profile in metres, whatever h.
static double strength(double along) {
  double u = sin(fmin(1, fabs(along) / HALF[0]) * 1.5707963267948966);
  return THETA * (1 + 0.3 * u * u);
}

// A lattice of spacing h/2 along the bar's own axes.
static void add_bar(const mpm_case *c) {
  const double reach[3] = {HALF[0] + GRIP, HALF[1], HALF[2]};
  size_t n[3], count = 1;
  for (int a = 0; a < 3; a++) count *= n[a] = (size_t)lround(4 * reach[a] / c->h);
  double *x = malloc(5 * count * sizeof *x), *theta = x + 3 * count, *mass = x + 4 * count;
  assert_non_null(x);
  for (size_t i = 0; i < count; i++) {
    const size_t part[3] = {i / n[2] / n[1], i / n[2] % n[1], i % n[2]};
    double y[3];
    for (int a = 0; a < 3; a++) y[a] = (((double)part[a] + 0.5) / (double)n[a] * 2 - 1) * reach[a];
    place(y, x + 3 * i);
    theta[i] = strength(y[0]);
    mass[i] = DENSITY * AREA * 2 * reach[0] / (double)count;
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = count;
  def.position = x;
  def.mass = mass;
  def.theta_s = theta;
  must(c, firn_sim_add_particles(c->sim, &def));
  free(x);
}

static void add_grip(const mpm_case *c, double side) {
  const double y[3] = {side * (HALF[0] + GRIP), 0, 0};
  double e[9], x[3];
  turn(e);
  place(y, x);
  firn_collider_def grip = firn_default_collider_def();
  grip.shape = firn_box(x, (const double[]){GRIP, HALF[1] + 0.05, HALF[2] + 0.05});
  firn_rotation(AXIS, ANGLE, grip.shape.rotation);
  grip.sticky = true;
  for (int a = 0; a < 3; a++) grip.motion.velocity[a] = side * SPEED / 2 * e[3 * a];
  must(c, firn_sim_add_collider(c->sim, &grip, NULL));
}

static void stretch(void *user, const double x[3], double v[3]) {
  const double *e = user;
  double y = 0;
  for (int a = 0; a < 3; a++) y += e[3 * a] * (x[a] - AT[a]);
  y = fmax(-1, fmin(1, y / HALF[0]));
  for (int a = 0; a < 3; a++) v[a] = SPEED / 2 * y * e[3 * a];
}

// J/m^2 that plastic flow has taken when the bar is longer by OPEN.
static double energy_of_crack(const mpm_variant *v, double h, double reference, double length) {
  firn_sim_def def = mpm_elastic_def(v, h);
  def.mpm.viscosity = 8.3e-4;
  def.mpm.sticky_blend = true; // PIC at the grips would be a viscosity of them
  def.mpm.reference_h = reference;
  def.mpm.dt = 0.4 * h / 20;
  firn_material_def snow = firn_default_material_def();
  snow.hardening = BRITTLE;
  snow.softening_length = length;
  mpm_case c = mpm_case_open(v, &def, &snow);
  add_bar(&c);
  double e[9];
  turn(e);
  mpm_case_set_velocity(&c, stretch, e);
  add_grip(&c, -1);
  add_grip(&c, 1);
  mpm_case_steps(&c, (int)(OPEN / SPEED / def.mpm.dt));
  double energy = mpm_case_stat(&c, "energy_plastic") / AREA;
  mpm_report(v, "h/l = %.2f, %zu particles: %.4f J/m^2", h / LENGTH, mpm_case_count(&c), energy);
  mpm_case_close(&c);
  return energy;
}

static firn_isa quick(void) {
  return firn_isa_available(FIRN_ISA_AVX2) ? FIRN_ISA_AVX2 : FIRN_ISA_SCALAR;
}

static const double GRID[] = {2, 1.4, 1, 0.7}; // h/l
enum { GRIDS = sizeof GRID / sizeof *GRID };

// The band is two cells wide, give or take what lattice and grid make of it; the case asks 5 %. Elastic energy
// that is let go cannot tear the bar by itself: it is shorter than 2 l/(theta_s xi) = 27 l.
static void a_crack_takes_the_same_energy_on_any_grid(void **state) {
  (void)state;
  for_each_scheme(v, quick()) {
    if (is_apic(v) || !is_cubic(v)) continue;
    double energy[GRIDS], mean = 0;
    for (int i = 0; i < GRIDS; i++) {
      energy[i] = energy_of_crack(v, GRID[i] * LENGTH, LENGTH, 0);
      mean += energy[i] / GRIDS;
    }
    for (int i = 0; i < GRIDS; i++) assert_relative(v, "J/m^2", energy[i], mean, 0.05);
    // A length of the material's own stands for that of the grid, to the bit.
    assert_true(energy_of_crack(v, GRID[0] * LENGTH, 0, LENGTH) == energy[0]);
  }
}

// The wrong variant. The ratio of h is 2.86, that of the energies 2.2: 0.08 J/m^2 do not go with h, as the
// bar's elastic energy, 0.06, is taken in part where the crack begins.
static void by_the_printed_law_it_goes_with_h(void **state) {
  (void)state;
  for_each_scheme(v, quick()) {
    if (is_apic(v) || !is_cubic(v)) continue;
    double coarse = energy_of_crack(v, GRID[0] * LENGTH, 0, 0),
           fine = energy_of_crack(v, GRID[GRIDS - 1] * LENGTH, 0, 0);
    mpm_report(v, "printed: %.4f and %.4f J/m^2, ratio %.3f", coarse, fine, coarse / fine);
    assert_true(coarse / fine > 0.7 * GRID[0] / GRID[GRIDS - 1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_crack_takes_the_same_energy_on_any_grid),
      cmocka_unit_test(by_the_printed_law_it_goes_with_h),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
