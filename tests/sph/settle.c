// SPDX-License-Identifier: Apache-2.0
// labels: P24 slow
// An elastic column between frictionless walls that gets its weight: it settles by rho g H^2 / (2
// (lambda + 2 G)).
#include "sph/place.h"
#include "support/sph_case.h"

// tall x wide^2 particles, and five walls half a spacing away.
static sph_case fill(const sph_plan *plan, const place *p, int tall, int wide) {
  sph_case c = sph_case_open(plan);
  for (int wall = 0; wall < 5; wall++) {
    int k = wall == 0 ? 1 : wall < 3 ? 0 : 2;
    double side = wall == 0 || wall % 2 ? 1 : -1, y[3] = {0, 0, 0}, x[3], n[3];
    y[k] = -side * (wall > 0) * wide / 2.0;
    to_world(p, c.d, y, x);
    for (int a = 0; a < 3; a++) n[a] = side * p->axis[k][a];
    sph_case_plane(&c, x, n, 0);
  }
  int count = tall * wide * wide;
  double *x = malloc(3 * (size_t)count * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < count; i++) {
    const double y[3] = {i / wide % wide + 0.5 - wide / 2.0, i / wide / wide + 0.5,
                         i % wide + 0.5 - wide / 2.0};
    to_world(p, c.d, y, x + (size_t)(3 * i));
  }
  sph_case_add(&c, (size_t)count, x);
  free(x);
  return c;
}

static void load(const sph_case *c, const place *p, double g, double seconds) {
  enum { PARTS = 40 };
  for (int part = 1; part <= PARTS; part++) {
    double gravity[3];
    for (int a = 0; a < 3; a++) gravity[a] = -g * part / PARTS * p->axis[1][a];
    must(c, firn_sim_set_gravity(c->sim, gravity));
    sph_case_advance(c, seconds / PARTS);
  }
}

// By how much the uppermost layer has come down, over rho g (H z - z^2 / 2) / M. The column goes on
// to ring with a period of 4 H / sqrt(M / rho): it is a mean over two of them.
static double settle(const sph_plan *base, int k, int tall, int wide) {
  enum { LOOKS = 16 };
  const double H = 0.2, g = 9.81, rho = 400, strain = 0.01, M = rho * g * H / 2 / strain;
  place p = a_place(k);
  sph_plan plan = *base;
  plan.spacing = H / tall;
  plan.material.law = "elastic";
  plan.material.young = M * (1 + 0.2) * (1 - 0.4) / (1 - 0.2);
  plan.sph.dt_max = 1e-3;
  plan.sph.pressure_tolerance = plan.sph.shear_tolerance = 1e-5;
  sph_case c = fill(&plan, &p, tall, wide);
  double *before = sph_case_read(&c, "position", 3), down = 0, period = 4 * H / sqrt(M / rho);
  load(&c, &p, g, 0.3);
  int layer = wide * wide, first = (tall - 1) * layer;
  for (int look = 0; look < LOOKS; look++) {
    sph_case_advance(&c, 2 * period / LOOKS);
    double *after = sph_case_read(&c, "position", 3);
    for (int i = 3 * first; i < 3 * tall * layer; i++)
      down -= (after[i] - before[i]) * p.axis[1][i % 3] / layer / LOOKS;
    free(after);
  }
  double z = (tall - 0.5) * c.d, share = down / (rho * g / M * (H * z - z * z / 2));
  sph_report("place %d, %d x %d^2, %s: %.4f of the closed form", k, tall, wide,
             plan.sph.walls_printed ? "printed" : "mirrored", share);
  free(before);
  sph_case_close(&c);
  return share;
}

// At 20 particles over the height it is within 5 %, and half as far off as at 10.
static void elastic_columns_settle_as_the_closed_form_says(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.sph.walls_printed = false;
  for (int k = 0; k < 3; k++) {
    double coarse = settle(&plan, k, 10, 4), fine = settle(&plan, k, 20, 8);
    assert_within("the top at 20 layers", fine, 1, 0.05);
    assert_within("the top at 10 layers", coarse, 1, 0.1);
    assert_true(fabs(fine - 1) < 0.6 * fabs(coarse - 1));
  }
  plan.sph.walls_printed = true;
  assert_true(settle(&plan, 0, 10, 4) > 2); // which the page says
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elastic_columns_settle_as_the_closed_form_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
