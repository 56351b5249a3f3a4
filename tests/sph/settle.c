// SPDX-License-Identifier: Apache-2.0
// labels: P24 slow
// An elastic column between frictionless walls that gets its weight: it settles by rho g H^2 / (2 (lambda + 2 G)).
#include "support/both_lists.h"

// Where the middle of a tank's floor is, in spacings, and which way its axes go.
typedef struct place {
  double at[3], axis[3][3];
} place;

// By a quaternion that need not have length 1.
static place placed(const double at[3], const double q[4]) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 2 / n;
  double x = q[0], y = q[1], z = q[2], w = q[3];
  place p = {.axis = {{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
                      {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
                      {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}}};
  for (int a = 0; a < 3; a++) p.at[a] = at[a];
  return p;
}

static place a_place(int k) {
  static const double at[3][3] = {{0, 0, 0}, {0.37, -0.21, 0.44}, {-0.13, 0.58, 0.29}};
  static const double turn[3][4] = {{0, 0, 0, 1}, {0.2, -0.5, 0.3, 0.8}, {-0.6, 0.1, 0.4, 0.7}};
  return placed(at[k], turn[k]);
}

static void to_world(const place *p, double d, const double y[3], double x[3]) {
  for (int a = 0; a < 3; a++) {
    x[a] = p->at[a];
    for (int k = 0; k < 3; k++) x[a] += y[k] * p->axis[k][a];
    x[a] *= d;
  }
}

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

// Sum over particles of the move along gravity, over that of rho g (H z - z^2 / 2) / M.
static double settle(const sph_plan *base, int k, int tall, int wide, double *out_lowest) {
  enum { PARTS = 40 };
  place p = a_place(k);
  sph_plan plan = *base;
  const double H = 0.2, g = 9.81, rho = 400, strain = 0.01;
  plan.spacing = H / tall;
  double M = rho * g * H / 2 / strain;
  plan.material.law = "elastic";
  plan.material.young = M * (1 + 0.2) * (1 - 0.4) / (1 - 0.2);
  plan.sph.dt_max = 1e-3;
  plan.sph.pressure_tolerance = plan.sph.shear_tolerance = 1e-5;
  sph_case c = fill(&plan, &p, tall, wide);
  double *before = sph_case_read(&c, "position", 3);
  for (int part = 1; part <= PARTS; part++) {
    double gravity[3];
    for (int a = 0; a < 3; a++) gravity[a] = -g * part / PARTS * p.axis[1][a];
    must(&c, firn_sim_set_gravity(c.sim, gravity));
    sph_case_advance(&c, 0.3 / PARTS);
  }
  // It goes on to ring, with a period of 4 H / sqrt(M / rho): means over two of them.
  enum { LOOKS = 16 };
  double period = 4 * H / sqrt(M / rho), moved = 0, form = 0, lowest = 0, top = 0, side = 0;
  int layer = wide * wide;
  for (int look = 0; look < LOOKS; look++) {
    sph_case_advance(&c, 2 * period / LOOKS);
    double *after = sph_case_read(&c, "position", 3);
    for (int i = 0; i < tall * layer; i++) {
      double down = 0, z = (i / layer + 0.5) * c.d, ux = 0, uz = 0;
      for (int a = 0; a < 3; a++) {
        double way = after[3 * i + a] - before[3 * i + a];
        down -= way * p.axis[1][a];
        ux += way * p.axis[0][a];
        uz += way * p.axis[2][a];
      }
      side = fmax(side, fmax(fabs(ux), fabs(uz)));
      moved += down;
      form += rho * g / M * (H * z - z * z / 2);
      if (i < layer) lowest += down / layer / LOOKS;
      if (i >= (tall - 1) * layer) top += down / layer / LOOKS;
    }
    free(after);
  }
  double lowest_form = rho * g / M * H * c.d / 2, top_form = rho * g / M * H * H / 2;
  if (out_lowest) *out_lowest = lowest / lowest_form;
  sph_report("place %d, %d x %d^2: %.4f of the closed form; top %.4f lowest layer %.3f; sides %.4f d, its %g %g",
             k, tall, wide, moved / form, top / top_form, lowest / lowest_form, side / c.d,
             sph_case_stat(&c, "pressure_sweeps"), sph_case_stat(&c, "shear_products"));
  free(before);
  sph_case_close(&c);
  return moved / form;
}

static void it_settles(void **state) {
  (void)state;
  const char *n = getenv("TALL");
  const char *w = getenv("WIDE");
  const char *pk = getenv("PLACES");
  int tall = n ? atoi(n) : 20;
  sph_plan plan = plan_with_lists();
  if (getenv("PRINTED")) plan.sph.walls_printed = true;
  if (getenv("SPLIT")) plan.sph.split = atoi(getenv("SPLIT"));
  if (getenv("PHI")) plan.sph.phi = atof(getenv("PHI"));
  for (int k = 0; k < (pk ? atoi(pk) : 3); k++) settle(&plan, k, tall, w ? atoi(w) : 8, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH_LISTS(it_settles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
