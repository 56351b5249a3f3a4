// SPDX-License-Identifier: Apache-2.0
// labels: P7 P8 P9 slow
// timeout: 240
// long in double
// Columns under load, against closed forms. They are periodic to the sides, so that nothing but a floor
// and perhaps a piston holds them; loads are ramped, since sudden ones overshoot plastically.
#include "support/sph_case.h"

static const double RHO = 400, G9 = 9.81;

enum { WIDE = 8 };

typedef struct column {
  sph_case c;
  int layers;
  double d;
} column;

static column build(sph_plan *plan, int layers) {
  for (int a = 0; a < 3; a += 2) {
    plan->periodic[a] = true;
    plan->period[a] = WIDE;
  }
  column col = {sph_case_open(plan), layers, plan->spacing};
  sph_case_plane(&col.c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 0);
  const double corner[3] = {col.d / 2, col.d / 2, col.d / 2};
  sph_case_lattice(&col.c, (const int[3]){WIDE, layers, WIDE}, corner, 0);
  return col;
}

// Gravity goes from one value to another within `ramp` seconds; then the column comes to rest.
static void load(const column *col, double from, double to, double ramp, double rest) {
  enum { PARTS = 40 };
  for (int k = 1; k <= PARTS; k++) {
    const double g[3] = {0, -from - (to - from) * k / PARTS, 0};
    must(&col->c, firn_sim_set_gravity(col->c.sim, g));
    sph_case_advance(&col->c, ramp / PARTS);
  }
  sph_case_advance(&col->c, rest);
}

// Mean of one component of a field over a layer.
static double layer_mean(const column *col, int layer, const char *field, int components, int k) {
  double *x = sph_case_read(&col->c, field, components), sum = 0;
  for (int i = 0; i < WIDE; i++)
    for (int m = 0; m < WIDE; m++)
      sum += x[((i * col->layers + layer) * WIDE + m) * components + k];
  free(x);
  return sum / (WIDE * WIDE);
}

// The mean of one component of a field over all layers but `ends` above the floor and at the top, which by
// symmetry is that of half height. On a lattice stresses alternate from layer to layer, which no gradient
// sees that is taken over both neighbours, by some 10 % and more at the soft top; means over many have to
// be right, and that over all is what holds the column up.
static double middle(const column *col, int ends, const char *field, int components, int k) {
  double sum = 0;
  for (int l = ends; l < col->layers - ends; l++) sum += layer_mean(col, l, field, components, k);
  return sum / (col->layers - 2 * ends);
}

// 400 kg/m^3 of water, incompressible: p = rho g (H - z). Layers tremble, so that it is a mean over time.
// Without any shear the lattice would give way, and gradients were some 3 % off.
static void water_has_hydrostatic_pressure(void **state) {
  (void)state;
  enum { LOOKS = 40 };
  sph_plan plan = sph_default_plan();
  plan.sph.pressure = FIRN_SPH_PRESSURE_IISPH;
  plan.material.young = 300;
  plan.sph.pressure_tolerance = 1e-5;
  plan.sph.pressure_iterations = 2000;
  plan.sph.dt_max = 1e-3;
  column col = build(&plan, 16);
  double p = 0;
  load(&col, 0, G9, 0.3, 0.3);
  for (int k = 0; k < LOOKS; k++) {
    sph_case_advance(&col.c, 5e-3);
    p += middle(&col, 3, "pressure", 1, 0) / LOOKS;
  }
  assert_relative("pressure", p, RHO * G9 * 8 * col.d, 0.03);
  sph_case_close(&col.c);
}

// Elastic snow: pressure carries lambda / (lambda + 2 G), a quarter, of the load; shear the rest.
static void elastic_snow_carries_what_is_above(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.sph.pressure_tolerance = plan.sph.shear_tolerance = 1e-6;
  plan.sph.dt_max = 1e-3;
  column col = build(&plan, 16);
  load(&col, 0, G9, 0.5, 1);
  double above = RHO * G9 * 8 * col.d;
  assert_relative("vertical stress", -middle(&col, 0, "stress", 6, 1), above, 0.03);
  assert_relative("share of pressure", middle(&col, 3, "pressure", 1, 0) / above, 0.25, 0.1);
  sph_case_close(&col.c);
}

// Stretch of a layer under a load [Pa]: elastic up to q_y, and then as hardening allows.
static double stretch(double q, double young) {
  double G = young / 2.4, lambda = young * 0.2 / (1.2 * 0.6), tc = 0.025, xi = 10;
  double q_y = tc * (2 * G + lambda / (1 - tc));
  return q > q_y ? (1 - tc) * (1 - log(q / q_y) / xi) : 1 - q / (lambda + 2 * G);
}

// From the third layer to the third from above: ends have densities of their own.
static double height_of(const column *col) {
  return layer_mean(col, col->layers - 3, "position", 3, 1) - layer_mean(col, 2, "position", 3, 1);
}

static double height_by_form(const column *col, double gravity, double top, double young) {
  double sum = 0;
  for (int l = 2; l < col->layers - 3; l++)
    sum += col->d * stretch(top + RHO * gravity * col->d * (col->layers - 1 - l), young);
  return sum;
}

// Its own weight, of a gravity so strong that the middle carries some 10 kPa; then a tenth of it. What comes
// back is what was elastic: theta_c / (1 - theta_c) = 2.6 % at most, and nine tenths of that.
static void compress(double young, double gravity, double least_q) {
  sph_plan plan = sph_default_plan();
  plan.spacing = 0.03;
  plan.material.young = young;
  plan.sph.dt_max = 1.5e-3;
  column col = build(&plan, 20);
  double before = height_of(&col);
  load(&col, 0, gravity, 1.0, 0.6);
  double height = height_of(&col), form = height_by_form(&col, gravity, 0, young);
  sph_report("E %g: %.4f m of %.4f m, closed form %.4f m, ratio %.4f", young, height, before, form,
             height / form);
  assert_true(RHO * gravity * 10 * col.d > least_q); // the middle is well into plastic flow
  assert_relative("height", height, form, 0.02);
  load(&col, gravity, gravity / 10, 0.6, 0.3);
  double rebound = height_of(&col) / height - 1;
  sph_report("rebound %.4f", rebound);
  assert_true(rebound > 0.015 && rebound <= 0.026);
  sph_case_close(&col.c);
}

static void snow_is_compressed_as_the_closed_form_says(void **state) {
  (void)state;
  compress(20e3, 30, 3e3);
  compress(140e3, 80, 9e3);
}

// The same by a piston, whose force is what the form is asked for.
static void piston_feels_what_the_closed_form_says(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.spacing = 0.03;
  plan.material.young = 20e3;
  plan.sph.dt_max = 1.5e-3;
  column col = build(&plan, 14);
  double top = 14 * col.d, v = 0.2, seconds = 0.25 * top / v;
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_half_space((const double[3]){0, top, 0}, (const double[3]){0, -1, 0});
  def.friction_viscosity = 0;
  def.forces = true;
  // Down within `seconds`, and stays there.
  double times[2] = {0, seconds}, keys[6] = {0, 0, 0, 0, -v * seconds, 0};
  def.motion.translation = (firn_track_def){.count = 2, .times = times, .values = keys};
  int piston;
  must(&col.c, firn_sim_add_collider(col.c.sim, &def, &piston));
  double before = height_of(&col);
  sph_case_advance(&col.c, seconds + 0.3);
  firn_sim_collider_force_reset(col.c.sim);
  sph_case_advance(&col.c, 0.1);
  firn_collider_force force;
  must(&col.c, firn_sim_collider_force(col.c.sim, piston, &force));
  double q = force.force[1] / (WIDE * WIDE * col.d * col.d);
  double height = height_of(&col), form = height_by_form(&col, 0, q, 20e3);
  sph_report("q %.0f Pa: %.4f m of %.4f m, closed form %.4f m, ratio %.4f", q, height, before, form,
             height / form);
  assert_true(q > 3000);
  assert_relative("height", height, form, 0.04);
  sph_case_close(&col.c);
}

// Incompressible: 9 kPa at the middle change the height by less than 1 %.
static void iisph_keeps_its_height(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.spacing = 0.03;
  plan.material.young = 20e3;
  plan.sph.pressure = FIRN_SPH_PRESSURE_IISPH;
  plan.sph.pressure_iterations = 1000;
  plan.sph.dt_max = 1.5e-3;
  column col = build(&plan, 16);
  double before = height_of(&col);
  load(&col, 0, 20, 0.5, 0.3);
  assert_relative("height under load", height_of(&col), before, 0.01);
  load(&col, 20, 1, 0.4, 0.2);
  assert_relative("height without", height_of(&col), before, 0.01);
  sph_case_close(&col.c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(water_has_hydrostatic_pressure),
      cmocka_unit_test(elastic_snow_carries_what_is_above),
      cmocka_unit_test(snow_is_compressed_as_the_closed_form_says),
      cmocka_unit_test(piston_feels_what_the_closed_form_says),
      cmocka_unit_test(iisph_keeps_its_height),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
