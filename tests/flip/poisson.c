// SPDX-License-Identifier: Apache-2.0
// labels: F1 F4
// The pressure against closed forms: a ball of fluid with its surface anywhere between cells, and a wall
// that lies askew.
#include "support/flip_case.h"

// F1: p = cos(pi r / 2R) vanishes on a ball's surface. Given its gradient on all faces as velocity, the
// projection must find it. The ball is off-centre, so that the surface lies at every distance theta.
static double error_of(int n, firn_flip_kernel kernel) {
  flip_plan plan = flip_default_plan();
  plan.h = 1.0 / n;
  plan.flip.kernel = kernel;
  plan.flip.pressure_tolerance = 1e-10;
  plan.flip.surface_spheres = true; // phi is set below
  flip_case c = flip_case_open(&plan);
  const int hi = (int)(0.8 * n), lo[3] = {-hi, -hi, -hi}, end[3] = {hi, hi, hi};
  flip_case_box(&c, lo, end, 0, NULL);
  flip_case_prepare(&c, 1e-3);
  flip *s = flip_case_solver(&c);
  const double R = 0.6 * n, center[3] = {0.131 * n, -0.047 * n, 0.083 * n};
  const double half_pi = 1.57079632679489661923;
  memset(s->full, 0, s->grid.count * sizeof *s->full);
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      size_t i = FLIP_CELLS * g + (size_t)cell;
      double corner[3], r2 = 0;
      flip_corner(s, g, cell, corner);
      for (int k = 0; k < 3; k++) {
        double d = corner[k] + 0.5 - center[k];
        r2 += d * d;
      }
      s->phi[0][i] = (firn_real)(sqrt(r2) - R);
      for (int a = 0; a < 3; a++) {
        double at[3], f2 = 0;
        for (int k = 0; k < 3; k++) {
          at[k] = corner[k] + (k == a ? 0 : 0.5) - center[k];
          f2 += at[k] * at[k];
        }
        double r = sqrt(f2), slope = r > 0 ? -sin(half_pi * r / R) * half_pi / R / r : 0;
        s->u[a][i] = (firn_real)(slope * at[a]);
      }
    }
  flip_surface(s);
  must(&c, flip_project(s, false));
  double most = 0;
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      size_t i = FLIP_CELLS * g + (size_t)cell;
      if (!flip_bit(s->active, i)) continue;
      double corner[3], r2 = 0;
      flip_corner(s, g, cell, corner);
      for (int k = 0; k < 3; k++) r2 += pow(corner[k] + 0.5 - center[k], 2);
      worst(&most, s->p[i] - cos(half_pi * sqrt(r2) / R));
    }
  flip_case_close(&c);
  return most;
}

static void the_pressure_of_a_ball_is_of_second_order(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; kernel++) {
    double coarse = error_of(10, (firn_flip_kernel)kernel),
           fine = error_of(20, (firn_flip_kernel)kernel);
    double order = log2(coarse / fine);
    flip_report("errors %.3g and %.3g: order %.2f\n", coarse, fine, order);
    assert_true(fine < 5e-3);
    assert_in_range((int)(100 * order), 190, 260);
  }
}

// F4: a velocity along a wall that cuts cells at every height is none of the wall's business: the shares of
// faces close up exactly, so nothing is pressed.
static void flow_along_a_tilted_wall_is_left_alone(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; kernel++) {
    flip_plan plan = flip_default_plan();
    plan.flip.kernel = (firn_flip_kernel)kernel;
    plan.flip.pressure_tolerance = 1e-11;
    flip_case c = flip_case_open(&plan);
    const double angle = 0.4636, normal[3] = {-sin(angle), cos(angle), 0},
                 along[3] = {cos(angle), sin(angle), 0.3};
    flip_case_plane(&c, (const double[3]){0.013, 0.021, 0}, normal, NULL);
    flip_case_box(&c, (const int[3]){-6, -3, -3}, (const int[3]){6, 6, 3}, 0.1, along);
    flip_case_prepare(&c, 5e-3);
    flip *s = flip_case_solver(&c);
    flip_extrapolate(s, s->u, 2);
    must(&c, flip_project(s, false));
    double off = 0;
    int faces = 0, cut = 0;
    for (int a = 0; a < 3; a++)
      for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++) {
        if (!flip_bit(s->known[a], i)) continue;
        worst(&off, (double)s->u[a][i] - along[a]);
        faces++;
        cut += s->open[a][i] < 1;
      }
    assert_true(faces > 1000 && cut > 100);
    // In float shares are rounded to 6e-8, and six of them make up what flows through a cell.
    assert_below("velocity along the wall, off", off, by_precision(2e-6, 1e-8));
    flip_case_close(&c);
  }
}

// Shares of a face, cut by a line at a height and a slope.
static void shares_of_faces_are_exact(void **state) {
  (void)state;
  assert_within("all", flip_open_share((const double[4]){1, 1, 1, 1}, 1), 1, 0);
  assert_within("none", flip_open_share((const double[4]){-1, -1, -1, -1}, -1), 0, 0);
  assert_within("on the surface", flip_open_share((const double[4]){0, 0, 0, 0}, 0), 0, 0);
  assert_within("a surface along an edge", flip_open_share((const double[4]){0, 0, 1, 1}, 0.5), 1,
                1e-15);
  assert_within("a corner of two walls", flip_open_share((const double[4]){0, 0, 1, 0}, 0.5), 1,
                1e-15);
  for (int i = 0; i < 200; i++) {
    double a = flip_random(1, (uint64_t)i, -1, 1), b = flip_random(2, (uint64_t)i, -1, 1),
           d = flip_random(3, (uint64_t)i, -1, 1), sum = 0;
    enum { N = 400 };
    for (int j = 0; j < N * N; j++)
      sum += a * ((j / N + 0.5) / N) + b * ((j % N + 0.5) / N) + d > 0;
    assert_within("share",
                  flip_open_share((const double[4]){d, a + d, a + b + d, b + d}, a / 2 + b / 2 + d),
                  sum / (N * N), 3.0 / N);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_pressure_of_a_ball_is_of_second_order),
      cmocka_unit_test(flow_along_a_tilted_wall_is_left_alone),
      cmocka_unit_test(shares_of_faces_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
