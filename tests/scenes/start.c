// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// What scenes begin with, by expressions of the position, against closed forms.
#include <string.h>

#include "support/mpm_case.h"
#include "support/play.h"

static const double PI = 3.14159265358979323846;

// ----------------------------------------------------------------------------------------- waves

// A standing pressure wave of 32 cells, begun by its strain: at what frequency it swings. That of the
// continuum less (kh)^2 times the number of the scheme (theory-mpm.md), which the higher orders of kh
// miss by 1e-4 or so.
static const char wave[] = "firn: 1\n"
                           "h: 1 cm\n"
                           "variables: {k: '2 * pi / 32 cm'}\n"
                           "gravity: [0, 0, 0]\n"
                           "periodic: [32 cm, 4 cm, 4 cm]\n"
                           "mpm: {flip: 1, advect: pic, dt: 0.1 ms, sleep: false}\n"
                           "materials: {bar: {law: elastic}}\n"
                           "snow:\n"
                           "  - shape: {box: {center: [16 cm, 2 cm, 2 cm], size: [32 cm, 4 cm, "
                           "4 cm]}}\n"
                           "    seeding: lattice\n";

static double amplitude(const play *p, const double *x) {
  double *e = play_read(p, "strain"), sum = 0;
  for (size_t i = 0; i < play_count(p); i++) sum += e[6 * i] * cos(2 * PI * x[3 * i] / 0.32);
  free(e);
  return sum / (double)play_count(p);
}

static double frequency(const char *transfer, const char *start) {
  play p = play_text(wave, transfer, start);
  enum { STEPS = 340 };
  double t[STEPS], y[STEPS];
  double *x = play_read(&p, "position");
  for (int i = 0; i < STEPS; i++) {
    y[i] = amplitude(&p, x);
    t[i] = firn_sim_time(p.sim);
    play_step(&p, 1e-4);
  }
  free(x);
  play_close(&p);
  return mpm_zero_frequency(STEPS, t, y);
}

static void a_wave_begun_by_its_strain_or_velocity_has_its_frequency(void **state) {
  (void)state;
  const double kh = 2 * PI / 32, omega = 2 * PI / 0.32 * sqrt(M_WAVE / DENSITY);
  const struct {
    const char *transfer;
    double slow;
  } schemes[] = {{"mpm.transfer=flip", 1.0 / 3}, {"mpm.transfer=apic", 3.0 / 20}};
  for (int i = 0; i < 2; i++) {
    double expected = omega * (1 - schemes[i].slow * kh * kh);
    double strain = frequency(schemes[i].transfer,
                              "snow[0].strain=['1e-4 * cos(${k} * x)', 0, 0, 0, 0, 0]");
    double velocity = frequency(schemes[i].transfer,
                                "snow[0].velocity=['1 mm/s * sin(${k} * x)', 0, 0]");
    assert_between("frequency from strain", strain / expected, 0.9995, 1.0005);
    assert_between("frequency from velocity", velocity / expected, 0.9995, 1.0005);
  }
}

// ---------------------------------------------------------------------------------------- loads

static const char block[] = "firn: 1\n"
                            "h: 1 cm\n"
                            "gravity: [0, 0, 0]\n"
                            "mpm: {transfer: apic}\n"
                            "materials: {stuff: {preset: snow}}\n"
                            "snow:\n"
                            "  - shape: {box: {center: [10 cm, 20 cm, -5 cm], size: [8 cm, 8 cm, "
                            "8 cm]}}\n";

// Every law answers the stress that it was asked for; the snow has its density as it lies.
static void a_stress_is_the_stress_that_is_read(void **state) {
  (void)state;
  static const double sigma[6] = {-500, -400, -300, 50, -20, 10}; // Pa
  const char *const laws[] = {"materials.stuff.preset=snow", "materials.stuff={law: elastic}",
                              "materials.stuff.preset=sand"};
  for (int l = 0; l < 3; l++) {
    play p = play_text(block, laws[l],
                       "snow[0].stress=['0 * x - 500', -400 Pa, -300, 50, -0.02 kPa, 10]");
    double *stress = play_read(&p, "stress"), *density = play_read(&p, "density");
    double *jp = play_read(&p, "jp"), miss = 0, other = 0;
    for (size_t i = 0; i < play_count(&p); i++) {
      for (size_t k = 0; k < 6; k++) worst(&miss, stress[6 * i + k] - sigma[k]);
      worst(&other, density[i] / (l == 2 ? 1600 : 400) - 1);
      worst(&other, jp[i] - 1);
    }
    assert_between("stress off by, Pa", miss, -1, 500 * 20 * EPS + 1e-12);
    assert_between("density and J_P off by", other, -1, 20 * EPS);
    free(stress);
    free(density);
    free(jp);
    play_close(&p);
  }
}

// Stretched by s along x alone: tau_x = 2 mu (1 + s) s + lambda J (J - 1), J = 1 + s, and b - I is
// s (2 + s).
static void a_strain_has_the_stress_of_the_law(void **state) {
  (void)state;
  play p = play_text(block, "materials.stuff={law: elastic}",
                     "snow[0].strain=['0.1 * x * (2 + 0.1 * x)', 0, 0, 0, 0, 0]");
  double *stress = play_read(&p, "stress"), *x = play_read(&p, "position");
  double miss = 0;
  for (size_t i = 0; i < play_count(&p); i++) {
    double s = 0.1 * x[3 * i], j = 1 + s, side = LAMBDA * j * (j - 1);
    worst(&miss, stress[6 * i] * j - (2 * MU * j * s + side));
    worst(&miss, stress[6 * i + 1] * j - side);
    worst(&miss, stress[6 * i + 3]);
  }
  // Positions are rounded to EPS of h, strains to EPS of themselves.
  assert_between("stress off by, Pa", miss, -1, 30 * EPS * M_WAVE * 0.1);
  free(stress);
  free(x);
  play_close(&p);
}

// -------------------------------------------------------------------------------------- motions

// A flow that is linear in space passes through the grid as it is: a step takes nothing of its energy.
// Particles that are told their velocities alone lose some to what a grid cannot tell.
static void a_shear_flow_keeps_its_energy_under_apic(void **state) {
  (void)state;
  play p = play_text(block, "snow[0].velocity=['20 1/s * (y - 20 cm)', 0, '-5 * (x - 0.1)']");
  double before = play_sums(&p).energy_kinetic;
  size_t n = play_count(&p);
  double *v = play_read(&p, "velocity"), *none = calloc(9 * n, sizeof *none);
  play_step(&p, 1e-7);
  assert_between("energy after a step", play_sums(&p).energy_kinetic / before, 1 - 1e-5, 1 + 1e-5);
  play_must(&p, firn_sim_write(p.sim, "velocity", v));
  play_must(&p, firn_sim_write(p.sim, "affine", none));
  play_step(&p, 1e-7);
  assert_between("energy without gradients", play_sums(&p).energy_kinetic / before, 0.5, 0.95);
  free(v);
  free(none);
  play_close(&p);
}

// Where a velocity jumps, its gradient is that over a cell, and a step makes no energy of it, as it
// would of differences over less.
static void a_jump_makes_no_energy(void **state) {
  (void)state;
  play p = play_text(
      block, "snow[0].velocity=[0, '1 m/s * floor((x - 10.5 cm) / 1 m)', '1 * abs(y - 0.1)']");
  double before = play_sums(&p).energy_kinetic;
  play_step(&p, 1e-7);
  assert_between("energy after a step", play_sums(&p).energy_kinetic / before, 0.5, 1);
  play_close(&p);
}

static void a_body_spins_about_its_pivot(void **state) {
  (void)state;
  play p = play_text(block, "snow[0].spin=[0, 0, 3]", "snow[0].pivot=[10 cm, 0, 1]");
  firn_sums sums = play_sums(&p);
  // omega x (c - pivot)
  double expected = -3 * sums.center[1];
  assert_between("velocity of the centre", sums.momentum[0] / sums.mass / expected, 1 - 1e-5,
                 1 + 1e-5);
  play_close(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wave_begun_by_its_strain_or_velocity_has_its_frequency),
      cmocka_unit_test(a_stress_is_the_stress_that_is_read),
      cmocka_unit_test(a_strain_has_the_stress_of_the_law),
      cmocka_unit_test(a_shear_flow_keeps_its_energy_under_apic),
      cmocka_unit_test(a_jump_makes_no_energy),
      cmocka_unit_test(a_body_spins_about_its_pivot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
