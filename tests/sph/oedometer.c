// SPDX-License-Identifier: Apache-2.0
// labels: P8 slow
// timeout: 120
// long in double
// Snow in a box with smooth walls, pressed together by a piston that moves slowly: what the piston
// feels and how dense the snow has become belong together, by the law of confined compression.
#include "sph/place.h"
#include "support/sph_case.h"

static const double SIDE = 0.12, YOUNG = 20e3, THETA = 0.025, XI = 10;
enum { FACES = 6 }; // the floor, four sides, and the piston

// Density at rest over that under a load q [Pa] above q_y.
static double stretch(double q) {
  double G = YOUNG / 2.4, lambda = YOUNG * 0.2 / (1.2 * 0.6);
  double q_y = THETA * (2 * G + lambda / (1 - THETA));
  assert_true(q > 5 * q_y);
  return (1 - THETA) * (1 - log(q / q_y) / XI);
}

static int add_walls(const sph_case *c, const place *p, double speed, double seconds) {
  int piston = -1;
  for (int wall = 0; wall < FACES; wall++) {
    int k = wall < 2 ? 1 : wall < 4 ? 0 : 2;
    double side = wall % 2 ? -1 : 1, y[3] = {0, 0, 0}, x[3], n[3], keys[6] = {0},
           times[] = {0, seconds};
    y[k] = (k == 1 ? wall % 2 : -side / 2) * SIDE / c->d;
    to_world(p, c->d, y, x);
    for (int a = 0; a < 3; a++) {
      n[a] = side * p->axis[k][a];
      keys[3 + a] = -speed * seconds * p->axis[1][a];
    }
    firn_collider_def def = firn_default_collider_def();
    def.shape = firn_half_space(x, n);
    def.friction_viscosity = 0;
    def.forces = true;
    if (wall == 1)
      def.motion.translation = (firn_track_def){.count = 2, .times = times, .values = keys};
    must(c, firn_sim_add_collider(c->sim, &def, wall == 1 ? &piston : NULL));
  }
  return piston;
}

static void fill(const sph_case *c, const place *p, int n) {
  double *x = malloc(3 * (size_t)(n * n * n) * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < n * n * n; i++) {
    const double y[3] = {i / n / n + 0.5 - n / 2.0, i / n % n + 0.5, i % n + 0.5 - n / 2.0};
    to_world(p, c->d, y, x + (size_t)(3 * i));
  }
  sph_case_add(c, (size_t)(n * n * n), x);
  free(x);
}

// Of what is a sixth of the side away from all walls.
static double inner_density(const sph_case *c, int n) {
  double *rho = sph_case_read(c, "density", 1), sum = 0, count = 0;
  for (int i = 0; i < n * n * n; i++) {
    const int at[3] = {i / n / n, i / n % n, i % n};
    bool inner = true;
    for (int a = 0; a < 3; a++) inner = inner && at[a] >= n / 6 && at[a] < n - n / 6;
    if (!inner) continue;
    sum += rho[i];
    count++;
  }
  free(rho);
  return sum / count;
}

static void press(int k, int n) {
  const double speed = 0.1, seconds = 0.3 * SIDE / speed;
  sph_plan plan = sph_default_plan();
  place p = a_place(k);
  plan.spacing = SIDE / n;
  plan.material.young = YOUNG;
  plan.sph.dt_max = 1e-3;
  sph_case c = sph_case_open(&plan);
  int piston = add_walls(&c, &p, speed, seconds);
  fill(&c, &p, n);
  sph_case_advance(&c, seconds + 0.15);
  firn_sim_collider_force_reset(c.sim);
  sph_case_advance(&c, 0.05);
  firn_collider_force force;
  must(&c, firn_sim_collider_force(c.sim, piston, &force));
  double q = 0;
  for (int a = 0; a < 3; a++) q += force.force[a] * p.axis[1][a] / (SIDE * SIDE);
  double dense = inner_density(&c, n) / 400 * stretch(q);
  sph_report("place %d, d %g mm: %.0f Pa, %.4f of the density", k, 1e3 * c.d, q, dense);
  assert_within("density, of the closed form", dense, 1, 0.02);
  sph_case_close(&c);
}

// Kernel sums on a lattice that was pressed together are within 2 % of its density (P8).
static void snow_is_as_dense_as_its_load_makes_it(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) press(k, 6);
  press(1, 12);
  press(2, 18);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_is_as_dense_as_its_load_makes_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
