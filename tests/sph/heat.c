// SPDX-License-Identifier: Apache-2.0
// labels: P16 P20
// timeout: 120
// Heat: conduction from particle to particle and from colliders, and stiffness by temperature.
#include "world/heat.h"
#include "support/heat.h"
#include "support/sph_case.h"

static const double UP[3] = {0, 1, 0}, ORIGIN[3] = {0, 0, 0};
static const double PI = 3.14159265358979323846;

// alpha = k / (rho c), m^2/s
static sph_case conducting(sph_plan plan, double alpha) {
  sph_case c = sph_case_open(&plan);
  firn_heat_def heat = firn_default_heat_def();
  heat.conductivity = alpha * plan.material.density * heat.capacity;
  must(&c, firn_sim_set_heat(c.sim, 0, &heat));
  return c;
}

// P16: cos(kx) over 32 spacings stays one, and decays with alpha k^2 times what the operator makes of it,
// 1.0095. A step of dt gives 1 - dt rate, whose logarithm is known.
static void waves_decay_as_the_operator_says(void **state) {
  (void)state;
  for (int lists = 0; lists < 2; lists++) {
    const double alpha = 1e-4, dt = 1e-3, T0 = 260, amplitude = 10;
    enum { N = 32, STEPS = 100 };
    sph_plan plan = sph_default_plan();
    plan.sph.dt = dt;
    plan.sph.dt_max = dt;
    plan.sph.short_lists = lists;
    for (int a = 0; a < 3; a++) {
      plan.periodic[a] = true;
      plan.period[a] = a ? 8 : N;
    }
    sph_case c = conducting(plan, alpha);
    const double corner[3] = {0.005, 0.005, 0.005};
    sph_case_lattice(&c, (const int[3]){N, 8, 8}, corner, 0);
    size_t count = sph_case_count(&c);
    double *T = malloc(count * sizeof *T), k = 2 * PI / (N * c.d);
    assert_non_null(T);
    for (size_t i = 0; i < count; i++)
      T[i] = T0 + amplitude * cos(k * c.d * ((double)(i / 64) + 0.5));
    must(&c, firn_sim_write(c.sim, "temperature", T));
    sph_case_steps(&c, STEPS);
    must(&c, firn_sim_read(c.sim, "temperature", T));
    double now = 0, other = 0, mean = 0;
    for (size_t i = 0; i < count; i++) {
      double x = k * c.d * ((double)(i / 64) + 0.5);
      now += 2 * (T[i] - T0) * cos(x) / (double)count;
      other += 2 * (T[i] - T0) * cos(2 * x) / (double)count;
      mean += (T[i] - T0) / (double)count;
    }
    double rate = (1 - pow(now / amplitude, 1.0 / STEPS)) / dt;
    assert_relative("rate over alpha k^2", rate / (alpha * k * k), 1.0095, 1e-3);
    assert_below("other waves", other, 1e-10);
    assert_below("mean", mean, 1e-10);
    free(T);
    sph_case_close(&c);
  }
}

static double total_heat(const sph_case *c, const double *T, double first, double second) {
  double *mass = sph_case_read(c, "mass", 1), *material = sph_case_read(c, "material", 1), sum = 0;
  for (size_t i = 0; i < sph_case_count(c); i++)
    sum += mass[i] * (material[i] > 0 ? second : first) * T[i];
  free(mass);
  free(material);
  return sum;
}

// Two materials in disorder, beside a floor without a temperature: what one loses others get, and nobody
// comes to more than the warmest had. A conductivity that would need a step a hundred times as short is
// taken in parts of the step.
static void heat_stays_what_it_is(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.sph.dt = plan.sph.dt_max = 1e-4;
  sph_case c = conducting(plan, 1);
  firn_material_def second = plan.material;
  second.density = 200;
  firn_heat_def heat = firn_default_heat_def();
  heat.conductivity = 3 * 400 * heat.capacity;
  heat.capacity = 700;
  int id;
  must(&c, firn_sim_add_material(c.sim, &second, &id));
  must(&c, firn_sim_set_heat(c.sim, id, &heat));
  sph_case_plane(&c, ORIGIN, UP, 1);
  sph_case_lattice(&c, (const int[3]){8, 8, 8}, (const double[3]){0.005, 0.005, 0.005}, 0.2);
  firn_particles_def more = firn_default_particles_def();
  more.count = 1;
  more.position = (const double[3]){0.0401, 0.0402, 0.0398};
  more.temperature = (const double[1]){400};
  more.material = id;
  must(&c, firn_sim_add_particles(c.sim, &more));
  double *T = sph_case_read(&c, "temperature", 1);
  assert_within("what has none", T[0], 273.15, 1e-12);
  for (size_t i = 0; i + 1 < sph_case_count(&c); i++) T[i] = sph_random(3, i, 200, 300);
  must(&c, firn_sim_write(c.sim, "temperature", T));
  double before = total_heat(&c, T, 2100, 700), spread = 0, later = 0;
  for (size_t i = 0; i < sph_case_count(&c); i++) spread = fmax(spread, fabs(T[i] - 250));
  sph_case_steps(&c, 10);
  must(&c, firn_sim_read(c.sim, "temperature", T));
  assert_relative("heat", total_heat(&c, T, 2100, 700), before, by_precision(1e-9, 1e-13));
  for (size_t i = 0; i < sph_case_count(&c); i++) later = fmax(later, fabs(T[i] - 250));
  assert_true(later < 0.5 * spread);
  for (size_t i = 0; i < sph_case_count(&c); i++) assert_true(T[i] > 200 && T[i] < 400);
  free(T);
  sph_case_close(&c);
}

// What a step conducts may be less than the last digit of a temperature. It adds up all the same.
static void little_by_little_adds_up(void **state) {
  (void)state;
  double end[2];
  for (int fine = 0; fine < 2; fine++) {
    sph_plan plan = sph_default_plan();
    plan.sph.dt = plan.sph.dt_max = fine ? 1e-4 : 1e-2;
    sph_case c = conducting(plan, 4e-7); // snow
    sph_case_add(&c, 2, (const double[6]){0.005, 0.005, 0.005, 0.015, 0.005, 0.005});
    must(&c, firn_sim_write(c.sim, "temperature", (const double[2]){273, 263}));
    sph_case_steps(&c, fine ? 2000 : 20);
    double T[2];
    must(&c, firn_sim_read(c.sim, "temperature", T));
    end[fine] = 273 - T[0];
    sph_case_close(&c);
  }
  assert_true(end[0] > 1e-3);
  assert_relative("little by little", end[1], end[0], 1e-3);
}

// Snow on a warm floor is warmed from below. A floor without a temperature does nothing to it.
static void floors_warm_what_lies_on_them(void **state) {
  (void)state;
  for (int warm = 0; warm < 2; warm++) {
    sph_plan plan = sph_default_plan();
    plan.sph.dt = plan.sph.dt_max = 1e-3;
    sph_case c = conducting(plan, 1e-3);
    int floor = sph_case_plane(&c, ORIGIN, UP, 1);
    if (warm) must(&c, firn_sim_set_temperature(c.sim, floor, 293.15));
    sph_case_lattice(&c, (const int[3]){6, 6, 6}, (const double[3]){0.005, 0.005, 0.005}, 0);
    sph_case_steps(&c, 20);
    double *T = sph_case_read(&c, "temperature", 1);
    firn_sums sums;
    must(&c, firn_sim_sums(c.sim, &sums));
    if (warm) {
      // From layer to layer, six particles apart.
      assert_true(T[0] > T[6] + 3 && T[6] > T[12] + 0.3 && T[12] > T[30]);
      assert_within("warmest", sums.temperature_max, T[0], 1e-9);
      assert_true(sums.temperature_max < 293.15 && sums.temperature_min < T[30] + 1e-9);
      assert_true(sums.temperature_mean > 273.4 && sums.temperature_mean < 274.4);
    } else {
      for (int i = 0; i < 216; i++) assert_within("left alone", T[i], 273.15, 1e-9);
    }
    free(T);
    sph_case_close(&c);
  }
}

// Between a warm and a cold wall temperatures come to lie on a line. Samples are half a spacing below their
// surface, and V_b is 1.14 of a particle's: walls are as warm as they say half a spacing or less from
// their surface, and the slope is that of the distance within 2 * 0.5 spacings of 12.
static void temperatures_between_walls_lie_on_a_line(void **state) {
  (void)state;
  enum { LAYERS = 12 };
  const double warm = 283.15, cold = 263.15;
  sph_plan plan = sph_default_plan();
  plan.sph.dt = plan.sph.dt_max = 1e-3;
  plan.periodic[0] = plan.periodic[2] = true;
  plan.period[0] = plan.period[2] = 8;
  sph_case c = conducting(plan, 0.1);
  const double top[3] = {0, 0.01 * LAYERS, 0}, down[3] = {0, -1, 0};
  must(&c, firn_sim_set_temperature(c.sim, sph_case_plane(&c, ORIGIN, UP, 1), warm));
  must(&c, firn_sim_set_temperature(c.sim, sph_case_plane(&c, top, down, 1), cold));
  sph_case_lattice(&c, (const int[3]){8, LAYERS, 8}, (const double[3]){0.005, 0.005, 0.005}, 0);
  sph_case_steps(&c, 200);
  double *T = sph_case_read(&c, "temperature", 1), slope = (T[8 * 2] - T[8 * 9]) / 7;
  for (int k = 2; k < 9; k++) assert_relative("step", T[8 * k] - T[8 * k + 8], slope, 1e-6);
  assert_within("middle", (T[8 * 5] + T[8 * 6]) / 2, (warm + cold) / 2, 1e-3);
  assert_relative("slope", slope, (warm - cold) / (LAYERS + 0.5), 0.5 / (LAYERS + 0.5));
  free(T);
  sph_case_close(&c);
}

// P20: 600 kPa at -100 degC, 20 kPa at 0 degC, what lies between lies between, and no more than these
// outside; the same as particles have it, whatever else varies among them.
static void stiffness_follows_the_temperature(void **state) {
  (void)state;
  firn_heat_def heat = heat_of_the_paper();
  assert_true(firn_heat_young(&heat, 173.15) == 600e3);
  assert_true(firn_heat_young(&heat, 273.15) == 20e3);
  assert_true(firn_heat_young(&heat, 50) == 600e3);
  assert_true(firn_heat_young(&heat, 300) == 20e3);
  assert_relative("half way", firn_heat_young(&heat, 223.15), 310e3, 1e-12);
  heat.points = 3;
  heat.temperature[2] = 274.15;
  heat.young[2] = 10e3;
  assert_relative("further", firn_heat_young(&heat, 273.65), 15e3, 1e-12);
  heat.points = 2;

  sph_plan plan = sph_default_plan();
  plan.sph.dt = plan.sph.dt_max = 1e-4;
  sph_case c = sph_case_open(&plan);
  must(&c, firn_sim_set_heat(c.sim, 0, &heat));
  const double young[4] = {140e3, 140e3, 140e3, 280e3}, T[4] = {173.15, 273.15, 223.15, 273.15};
  const double expected[4] = {600e3, 20e3, 310e3, 40e3};
  firn_particles_def def = firn_default_particles_def();
  def.count = 4;
  def.position = (const double[12]){0.005, 0, 0, 0.105, 0, 0, 0.205, 0, 0, 0.305, 0, 0};
  def.young = young;
  def.temperature = T;
  must(&c, firn_sim_add_particles(c.sim, &def));
  sph_case_prepare(&c, 1e-4);
  const sph *s = sph_case_solver(&c);
  double *found = sph_case_read(&c, "young", 1);
  for (uint32_t i = 0; i < 4; i++) {
    assert_relative("young", found[i], expected[i], by_precision(1e-6, 1e-13));
    // And so have the solves, all but for the hardening of a lone particle.
    double G = (double)s->G[sph_case_slot(&c, i)], first = (double)s->G[sph_case_slot(&c, 0)];
    assert_relative("G", G / first, expected[i] / expected[0], by_precision(1e-6, 1e-13));
  }
  free(found);
  sph_case_close(&c);
}

// Too fast for any number of parts: it says so, and by which keys.
static void absurd_conductivity_is_named(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.sph.dt = plan.sph.dt_max = 1e-2;
  sph_case c = conducting(plan, 1e3);
  sph_case_add(&c, 2, (const double[6]){0.005, 0.005, 0.005, 0.015, 0.005, 0.005});
  assert_int_equal(firn_sim_step(c.sim, 0, NULL), FIRN_ERROR_STEP);
  assert_non_null(strstr(firn_context_message(c.context), "conductivity"));
  sph_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waves_decay_as_the_operator_says),
      cmocka_unit_test(heat_stays_what_it_is),
      cmocka_unit_test(little_by_little_adds_up),
      cmocka_unit_test(floors_warm_what_lies_on_them),
      cmocka_unit_test(temperatures_between_walls_lie_on_a_line),
      cmocka_unit_test(stiffness_follows_the_temperature),
      cmocka_unit_test(absurd_conductivity_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
