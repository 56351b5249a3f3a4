// SPDX-License-Identifier: Apache-2.0
// labels: P8 P9 slow
// timeout: 240
// long in double
// A column of snow under a plate with a load, small: packed by it as the closed form has it, less when
// the plate is lifted, and not at all where pressure keeps the volume. scenes/compression.c has it in full.
#include "support/sph_case.h"

static const double THETA = 0.025, XI = 10, LOAD = 10e3;
enum { WIDE = 8, LAYERS = 12 };

typedef struct column {
  sph_case c;
  int floor, plate;
} column;

static column build(double young, firn_sph_pressure pressure, double mass) {
  static const double times[4] = {0, 0.5, 0.7, 1.0};
  double values[4] = {0, 0, 0, 0}, side = WIDE * 0.03, top[3] = {0, LAYERS * 0.03, 0};
  sph_plan plan = sph_default_plan();
  plan.spacing = 0.03;
  plan.material.young = young;
  plan.sph.pressure = pressure;
  plan.sph.walls_printed = false; // a body under a load has printed walls all the same
  plan.sph.dt_max = 1.5e-3;
  for (int a = 0; a < 3; a += 2) {
    plan.periodic[a] = true;
    plan.period[a] = WIDE;
  }
  column col = {.c = sph_case_open(&plan)};
  firn_collider_def floor = firn_default_collider_def();
  floor.shape = firn_half_space((const double[3]){0, 0, 0}, (const double[3]){0, 1, 0});
  floor.friction_viscosity = 0;
  floor.forces = true;
  must(&col.c, firn_sim_add_collider(col.c.sim, &floor, &col.floor));
  firn_collider_def plate = firn_default_collider_def();
  plate.shape = firn_half_space(top, (const double[3]){0, -1, 0});
  plate.friction_viscosity = 0;
  plate.load.mass = mass * side * side;
  values[1] = values[2] = LOAD * side * side;
  values[3] = 0.1 * values[1];
  plate.load.force = (firn_track_def){.count = 4, .times = times, .values = values};
  must(&col.c, firn_sim_add_collider(col.c.sim, &plate, &col.plate));
  const double corner[3] = {0.015, 0.015, 0.015};
  sph_case_lattice(&col.c, (const int[3]){WIDE, LAYERS, WIDE}, corner, 0);
  return col;
}

// Of the inner layers, as a share of what it was: at the ends contact gives way by a part of a spacing.
static double inner_stretch(const column *col) {
  static const double share[LAYERS] = {[3] = -0.5, [4] = -0.5, [7] = 0.5, [8] = 0.5};
  double *x = sph_case_read(&col->c, "position", 3), sum = 0;
  for (int i = 0; i < WIDE * LAYERS * WIDE; i++) sum += share[i / WIDE % LAYERS] * x[3 * i + 1];
  free(x);
  return sum / (WIDE * WIDE) / (4 * col->c.d);
}

// Loaded, and then unloaded to a tenth. While the load is on, the floor bears it, but for what the snow
// still swings.
static void run(const column *col, double out[2]) {
  double area = WIDE * col->c.d * WIDE * col->c.d;
  firn_collider_force floor;
  sph_case_advance(&col->c, 0.6);
  firn_sim_collider_force_reset(col->c.sim);
  sph_case_advance(&col->c, 0.1);
  out[0] = inner_stretch(col);
  must(&col->c, firn_sim_collider_force(col->c.sim, col->floor, &floor));
  assert_relative("the floor's pressure", -floor.force[1] / area, LOAD, 0.03);
  sph_case_advance(&col->c, 0.4);
  out[1] = inner_stretch(col);
}

// Without weight all snow has the same stress: stretch by the confined law, and what was elastic of it
// comes back with nine tenths of the load.
static void compress(double young, double mass) {
  double G = young / 2.4, lambda = young * 0.2 / (1.2 * 0.6), got[2];
  double q_y = THETA * (2 * G + lambda / (1 - THETA)), plastic = 1 - log(LOAD / q_y) / XI;
  column col = build(young, FIRN_SPH_PRESSURE_EOS, mass);
  run(&col, got);
  sph_report("E %g: %.4f (%.4f) loaded, %.4f (%.4f) after", young, got[0], plastic * (1 - THETA),
             got[1], plastic * (1 - 0.1 * THETA));
  assert_relative("loaded", got[0], plastic * (1 - THETA), 0.03);
  assert_relative("unloaded", got[1], plastic * (1 - 0.1 * THETA), 0.03);
  double most = THETA / (1 - THETA); // P8
  assert_within("rebound", got[1] / got[0] - 1, 0.7 * most, 0.3 * most);
  sph_case_close(&col.c);
}

static void soft_snow_is_packed(void **state) {
  (void)state;
  compress(20e3, 100);
}

// By a plate that is lighter than its topmost layer of particles.
static void stiff_snow_is_packed(void **state) {
  (void)state;
  compress(140e3, 1);
}

static void incompressible_snow_is_not(void **state) {
  (void)state;
  double got[2];
  column col = build(140e3, FIRN_SPH_PRESSURE_IISPH, 1);
  run(&col, got);
  sph_report("iisph: %.4f loaded, %.4f after", got[0], got[1]);
  assert_within("loaded", got[0], 1, 0.01);
  assert_within("unloaded", got[1], 1, 0.01);
  sph_case_close(&col.c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(incompressible_snow_is_not),
      cmocka_unit_test(soft_snow_is_packed),
      cmocka_unit_test(stiff_snow_is_packed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
