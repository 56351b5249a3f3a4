// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// mpm.hardening: density, by which snow is as hard as it is dense (Gissler et al. 2020, section 4.2.5).
#include "support/mpm_case.h"

static const double H = 0.02; // m

// A periodic lattice of 8 a cell, each of the mass of 1 in per_cell: its density is 8 / per_cell of that
// at rest everywhere. It may be strained, and J_P has bounds.
static mpm_case packed(const mpm_variant *v, double per_cell, double stretch, bool implicit) {
  firn_sim_def def = mpm_elastic_def(v, H);
  firn_material_def snow = firn_default_material_def();
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = true;
    def.period_cells[a] = 8;
  }
  def.mpm.hardening_density = true;
  def.mpm.dt = 1e-6;
  snow.jp_min = 0.75; // not reached here
  snow.jp_max = 1.2;
  if (implicit) def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  mpm_case c = mpm_case_open(v, &def, &snow);
  double x[3 * 4096];
  for (int i = 0; i < 4096; i++)
    for (int a = 0; a < 3; a++) x[3 * i + a] = (((i >> (4 * a)) & 15) + 0.5) * H / 2;
  mpm_case_add(&c, 4096, x, per_cell);
  double *e = mpm_case_new(&c, 6);
  for (size_t i = 0; i < mpm_case_count(&c); i++) e[6 * i + 1] = stretch * stretch - 1;
  mpm_case_write(&c, "strain", e);
  free(e);
  return c;
}

static void hardness_is_that_of_the_density(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int k = 0; k < 4; k++) {
      double per_cell = k == 1 ? 9 : k == 3 ? 12 : 6.4, stretch = k == 2 ? 0.985 : 1;
      mpm_case c = packed(v, per_cell, stretch, k == 2);
      mpm_case_steps(&c, 1);
      double *jp = mpm_case_read(&c, "jp"), *hard = mpm_case_read(&c, "stiffening");
      double *rho = mpm_case_read(&c, "density");
      // Sums of 64 weights, whose own rounding is a few of theirs.
      double expected = fmin(per_cell / 8 / stretch, 1.2);
      for (size_t i = 0; i < mpm_case_count(&c); i++) {
        assert_relative(v, "J_P", jp[i], expected, 40 * EPS);
        assert_relative(v, "stiffening", hard[i], exp(XI * (1 - expected)), 400 * EPS);
        assert_relative(v, "density", rho[i], DENSITY * 8 / per_cell, 40 * EPS);
      }
      free(jp);
      free(hard);
      free(rho);
      mpm_case_close(&c);
    }
  }
}

// Snow between a floor and a roof that comes down; J_P in the middle of it.
static double pressed(const mpm_variant *v, bool density) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  for (int a = 0; a < 3; a += 2) {
    def.periodic[a] = true;
    def.period_cells[a] = 4;
  }
  def.mpm.hardening_density = density;
  def.mpm.integrator = FIRN_INTEGRATOR_AUTO;
  mpm_case c = mpm_case_open(v, &def, &snow);
  const double up[3] = {0, 1, 0}, down[3] = {0, -1, 0}, top[3] = {0, 16 * H, 0},
               zero[3] = {0, 0, 0};
  firn_collider_def floor = firn_default_collider_def(), roof = floor;
  floor.shape = firn_half_space(zero, up);
  roof.shape = firn_half_space(top, down);
  floor.friction = roof.friction = 0;
  roof.velocity[1] = -0.5;
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  must(&c, firn_sim_add_collider(c.sim, &roof, NULL));
  mpm_case_lattice(&c, (const int[3]){0, 0, 0}, (const int[3]){4, 16, 4}, 2);
  must(&c, firn_sim_advance(c.sim, 0.16, NULL, NULL));
  double *jp = mpm_case_read(&c, "jp"), *x = mpm_case_read(&c, "position"), sum = 0, count = 0;
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    if (x[3 * i + 1] < 4 * H || x[3 * i + 1] > 8 * H) continue;
    sum += jp[i];
    count++;
  }
  free(jp);
  free(x);
  mpm_case_close(&c);
  assert_true(count > 200);
  return sum / count;
}

// A quarter of the height is gone, and what is elastic of that is some per cent of it.
static void uniform_compression_hardens_alike_by_flow_and_by_density(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    if (is_cubic(v) == is_apic(v)) continue; // two of the four
    double flow = pressed(v, false), density = pressed(v, true);
    mpm_report(v, "J_P %.4f by flow, %.4f by density", flow, density);
    assert_within(v, "J_P by flow", flow, 0.75 / 0.975, 0.03);
    assert_relative(v, "J_P by density", density, flow, 0.02);
  }
}

// Two clouds of an eighth of the density at rest meet at 4 m/s; how hard the hardest particle is that is
// still looser than snow at rest.
static double loose(const mpm_variant *v, bool density, size_t *count) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.mpm.volume_nominal = true;
  def.mpm.hardening_density = density;
  def.mpm.dt = 1e-4;
  mpm_case c = mpm_case_open(v, &def, &snow);
  double x[3 * 1024], velocity[3 * 1024] = {0};
  for (int i = 0; i < 1024; i++) {
    int side = i / 512;
    x[3 * i] = ((i & 7) + 0.5 + 8 * side) * H;
    x[3 * i + 1] = (((i >> 3) & 7) + 0.5) * H;
    x[3 * i + 2] = (((i >> 6) & 7) + 0.5) * H;
    velocity[3 * i] = side ? -2 : 2;
  }
  mpm_case_add(&c, 1024, x, 8);
  mpm_case_write(&c, "velocity", velocity);
  mpm_case_steps(&c, 200);
  double *hard = mpm_case_read(&c, "stiffening"), most = 0;
  double *at = mpm_case_read(&c, "position");
  *count = 0;
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    // Whose eighth neighbour is farther away than on a lattice of half a cell, sqrt(2) / 2 of one.
    int near = 0;
    for (size_t k = 0; k < mpm_case_count(&c); k++) {
      double r2 = 0;
      for (size_t a = 0; a < 3; a++) r2 += pow(at[3 * i + a] - at[3 * k + a], 2);
      near += r2 < 0.5 * H * H;
    }
    if (near > 8) continue;
    most = fmax(most, hard[i]);
    ++*count;
  }
  free(hard);
  free(at);
  mpm_case_close(&c);
  return most;
}

static void loose_snow_hardens_when_it_is_packed_and_not_before(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    size_t by_flow, by_density;
    double flow = loose(v, false, &by_flow), density = loose(v, true, &by_density);
    mpm_report(v, "hardest loose: %.3g of %zu by flow, %.3g of %zu by density", flow, by_flow,
               density, by_density);
    assert_true(by_flow > 50 && by_density > 50);
    assert_true(flow > 2);
    assert_true(density < 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hardness_is_that_of_the_density),
      cmocka_unit_test(uniform_compression_hardens_alike_by_flow_and_by_density),
      cmocka_unit_test(loose_snow_hardens_when_it_is_packed_and_not_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
