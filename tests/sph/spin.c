// SPDX-License-Identifier: Apache-2.0
// labels: P22 slow
// Free bodies that turn keep their angular momentum, whatever solves begin with and wherever they stop.
#include "support/both_lists.h"

static const double AXES[3][3] = {{0.4, -0.54, 0.74}, {-0.83, 0.29, 0.48}, {0.12, 0.95, -0.29}};

// Half a turn of an elastic cube, of 6^3 particles, at 7.8 rad/s and default steps.
static void turn(const sph_plan *plan, int axis) {
  const double omega = 7.8, pi = 3.14159265358979323846;
  sph_case c = sph_case_open(plan);
  const double corner[3] = {0.0031 - 2.5 * c.d, -0.0017 - 2.5 * c.d, 0.0044 - 2.5 * c.d};
  sph_case_lattice(&c, (const int[3]){6, 6, 6}, corner, 0);
  double *x = sph_case_read(&c, "position", 3), *v = sph_case_read(&c, "velocity", 3);
  const double *w = AXES[axis];
  for (size_t i = 0; i < sph_case_count(&c); i++) {
    const double r[3] = {x[3 * i] - 0.0031, x[3 * i + 1] + 0.0017, x[3 * i + 2] - 0.0044};
    for (int a = 0; a < 3; a++) {
      int l = (a + 1) % 3, m = (a + 2) % 3;
      v[3 * i + (size_t)a] = omega * (w[l] * r[m] - w[m] * r[l]);
    }
  }
  must(&c, firn_sim_write(c.sim, "velocity", v));
  firn_sums before, after;
  must(&c, firn_sim_sums(c.sim, &before));
  sph_case_advance(&c, pi / omega);
  must(&c, firn_sim_sums(c.sim, &after));
  double off = 0, size = 0;
  for (int a = 0; a < 3; a++) {
    double change = after.angular[a] - before.angular[a];
    off += change * change;
    size += before.angular[a] * before.angular[a];
  }
  sph_report("axis %d: angular momentum off by %.1e, kinetic energy by %.1e", axis,
             sqrt(off / size), after.energy_kinetic / before.energy_kinetic - 1);
  assert_below("angular momentum", sqrt(off / size), 1e-3);
  assert_relative("kinetic energy", after.energy_kinetic, before.energy_kinetic, 5e-3);
  free(x);
  free(v);
  sph_case_close(&c);
}

static void elastic_cubes_keep_their_spin(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  plan.material.law = "elastic";
  plan.material.young = 200e3;
  for (int axis = 0; axis < 3; axis++) turn(&plan, axis);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH_LISTS(elastic_cubes_keep_their_spin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
