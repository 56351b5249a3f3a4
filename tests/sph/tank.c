// SPDX-License-Identifier: Apache-2.0
// labels: P23 slow
// What keeps its volume, in a tank that it fits exactly: nothing throws it out, and it weighs what it weighs.
#include "sph/place.h"
#include "support/both_lists.h"

enum { WIDE = 8 };

// WIDE^3 particles, and five walls at a distance of gap spacings.
static sph_case fill(const sph_plan *plan, const place *p, double gap) {
  sph_case c = sph_case_open(plan);
  for (int wall = 0; wall < 5; wall++) {
    int k = wall == 0 ? 1 : wall < 3 ? 0 : 2;
    double side = wall == 0 || wall % 2 ? 1 : -1, y[3] = {0, 0, 0}, x[3], n[3];
    y[k] = side * (0.5 - gap - (wall > 0) * WIDE / 2.0);
    to_world(p, c.d, y, x);
    for (int a = 0; a < 3; a++) n[a] = side * p->axis[k][a];
    sph_case_plane(&c, x, n, 0);
  }
  double *x = malloc(3 * WIDE * WIDE * WIDE * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < WIDE * WIDE * WIDE; i++) {
    const double y[3] = {i / WIDE / WIDE + 0.5 - WIDE / 2, i / WIDE % WIDE + 0.5,
                         i % WIDE + 0.5 - WIDE / 2};
    to_world(p, c.d, y, x + (size_t)(3 * i));
  }
  sph_case_add(&c, WIDE * WIDE * WIDE, x);
  free(x);
  return c;
}

static double speed_of(const sph_case *c) {
  double *v = sph_case_read(c, "velocity", 3), most = 0;
  for (size_t i = 0; i < sph_case_count(c); i++)
    most = fmax(most,
                v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
  free(v);
  return sqrt(most);
}

// Without gravity it stays where it is; edges and corners may give way a little.
static void what_fits_its_tank_stays(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    place p = a_place(k);
    sph_plan plan = plan_with_lists();
    plan.sph.pressure = FIRN_SPH_PRESSURE_IISPH;
    sph_case c = fill(&plan, &p, 0.5);
    double *before = sph_case_read(&c, "position", 3), mean[3] = {0}, most = 0;
    sph_case_advance(&c, 0.1);
    double *after = sph_case_read(&c, "position", 3);
    for (size_t i = 0; i < sph_case_count(&c); i++) {
      for (size_t a = 0; a < 3; a++) {
        double way = after[3 * i + a] - before[3 * i + a];
        mean[a] += way / WIDE / WIDE / WIDE;
        worst(&most, way);
      }
    }
    assert_below("the farthest move, spacings", most / c.d, 0.01);
    assert_below("speed", speed_of(&c), 1e-3);
    sph_report("place %d: moved by %.4f spacings at most, %.4f in the mean, speed %.2e", k,
               most / c.d, sqrt(mean[0] * mean[0] + mean[1] * mean[1] + mean[2] * mean[2]) / c.d,
               speed_of(&c));
    free(before);
    free(after);
    sph_case_close(&c);
  }
}

static void it_weighs_what_it_weighs(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    place p = a_place(k);
    sph_plan plan = plan_with_lists();
    plan.sph.pressure = FIRN_SPH_PRESSURE_IISPH;
    plan.material.young = 300; // next to none, as water
    for (int a = 0; a < 3; a++) plan.gravity[a] = -9.81 * p.axis[1][a];
    sph_case c = fill(&plan, &p, 0.5);
    sph_case_advance(&c, 0.3);
    double n = 0, sy = 0, sp = 0, syy = 0, syp = 0;
    for (int look = 0; look < 20; look++) {
      sph_case_advance(&c, 5e-3);
      double *x = sph_case_read(&c, "position", 3), *q = sph_case_read(&c, "pressure", 1);
      for (size_t i = 0; i < sph_case_count(&c); i++) {
        double y = 0;
        for (size_t a = 0; a < 3; a++) y += (x[3 * i + a] / c.d - p.at[a]) * p.axis[1][a];
        if (!(y > 1 && y < WIDE - 1)) continue;
        n++, sy += y, sp += q[i], syy += y * y, syp += y * q[i];
      }
      free(x);
      free(q);
    }
    double slope = (n * syp - sy * sp) / (n * syy - sy * sy);
    double p_mean = sp / n / (400 * 9.81 * c.d * (WIDE - sy / n));
    assert_within("dp/dz, of rho g", slope / (-400 * 9.81 * c.d), 1.04, 0.06);
    assert_within("pressure, of rho g depth", p_mean, 1, 0.05);
    sph_report("place %d: dp/dz %.4f of rho g, p %.4f, speed %.2e", k, slope / (-400 * 9.81 * c.d),
               p_mean, speed_of(&c));
    sph_case_close(&c);
  }
}

// A tank that is a tenth of a spacing too narrow on every side: particles part until they fit, and what pushes them apart
// does not stay with them as speed. In one step of 1 ms the printed solve would give them 0.1 d / 1 ms = 1 m/s.
static void a_tight_tank_throws_nothing(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    place p = a_place(k);
    sph_plan plan = plan_with_lists();
    plan.sph.pressure = FIRN_SPH_PRESSURE_IISPH;
    sph_case c = fill(&plan, &p, 0.4);
    double *before = sph_case_read(&c, "position", 3), rise = 0, most = 0;
    for (int look = 0; look < 20; look++) {
      sph_case_advance(&c, 5e-3);
      most = fmax(most, speed_of(&c));
    }
    double *after = sph_case_read(&c, "position", 3);
    for (size_t i = 0; i < 3 * sph_case_count(&c); i++)
      rise += (after[i] - before[i]) * p.axis[1][i % 3] / c.d / WIDE / WIDE / WIDE;
    sph_report("place %d: %.2e m/s at most, %.3f spacings higher in the mean", k, most, rise);
    assert_below("the greatest speed", most, 0.01);
    assert_true(rise > 0.05);
    free(before);
    free(after);
    sph_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH_LISTS(what_fits_its_tank_stays),
      BOTH_LISTS(it_weighs_what_it_weighs),
      BOTH_LISTS(a_tight_tank_throws_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
