// labels: M1
// SPDX-License-Identifier: Apache-2.0
// The identities a B-spline basis must have, at random points, on every instruction set.
#include "math/sample.h"

#include "math/bspline.h"
#include "support/lane_kernels.h"

enum { POINTS = 100000 };

// The splines as printed, by distance.
static double cubic(double s, double *d) {
  double a = fabs(s), sign = s < 0 ? -1 : 1;
  if (a < 1) {
    *d = sign * (1.5 * a * a - 2 * a);
    return 0.5 * a * a * a - a * a + 2.0 / 3;
  }
  *d = a < 2 ? -sign * 0.5 * (2 - a) * (2 - a) : 0;
  return a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
}

static double quadratic(double s, double *d) {
  double a = fabs(s), sign = s < 0 ? -1 : 1;
  if (a < 0.5) {
    *d = -2 * s;
    return 0.75 - a * a;
  }
  *d = a < 1.5 ? -sign * (1.5 - a) : 0;
  return a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0;
}

// One axis: sums over the nodes of w, dw, w x_i - x, dw x_i - 1 and w (x_i - x)^2 - D. The weights
// are polynomials of size <= 1 in f in [0, 3/2], a handful of roundings each; node coordinates relative
// to the base are <= 3. So all sums are good to 3 nodes x 4 terms x a few u: 20 u. M1 asks
// 1e-14 and 1e-13 (h grad w) in double.
static void check_axis(const firn_lane_kernels *k, int width) {
  sample s = {1, 0};
  firn_real *f = new_reals(POINTS), *w = new_reals(4 * POINTS), *dw = new_reals(4 * POINTS);
  double first = width == 4 ? -1 : 0, D = width == 4 ? 1.0 / 3 : 0.25;
  assert_true((width == 4 ? FIRN_BSPLINE_CUBIC_D : FIRN_BSPLINE_QUADRATIC_D) == (firn_real)D);
  for (int i = 0; i < POINTS; i++)
    f[i] = (firn_real)(width == 4 ? sample_uniform(&s, 0, 1) : sample_uniform(&s, 0.5, 1.5));
  f[0] = width == 4 ? 0 : (firn_real)0.5;
  f[1] = width == 4 ? (firn_real)1 : (firn_real)1.5; // the end that rounding may reach
  k->bspline(width, POINTS, f, w, dw);
  double unity = 0, zero = 0, centre = 0, one = 0, moment = 0, printed = 0, printed_d = 0;
  for (size_t i = 0; i < POINTS; i++) {
    double x = (double)f[i], sw = 0, sd = 0, sx = 0, sdx = 0, sm = 0;
    for (int n = 0; n < width; n++) {
      double a = (double)w[(size_t)n * POINTS + i], b = (double)dw[(size_t)n * POINTS + i], d;
      double r = first + n - x, exact = (width == 4 ? cubic : quadratic)(-r, &d);
      sw += a, sd += b, sx += a * r, sdx += b * r, sm += a * r * r;
      worst(&printed, a - exact);
      worst(&printed_d, b - d);
    }
    worst(&unity, sw - 1);
    worst(&zero, sd);
    worst(&centre, sx);
    worst(&one, sdx - 1);
    worst(&moment, sm - D);
  }
  double u = FIRN_REAL_EPS / 2;
  assert_below(printed, 4 * u);
  assert_below(printed_d, 4 * u);
  assert_below(unity, 6 * u);
  assert_below(zero, 12 * u);
  assert_below(centre, 12 * u);
  assert_below(one, 20 * u);
  assert_below(moment, 20 * u);
#ifdef FIRN_DOUBLE
  assert_below(unity, 1e-14);
  assert_below(one, 1e-13);
#endif
  free(f), free(w), free(dw);
}

static void bspline_weights_sum_to_one_and_reproduce_linear_fields(void **state) {
  (void)state;
  for_each_isa(isa) {
    check_axis(firn_lane_kernels_get(isa), 4);
    check_axis(firn_lane_kernels_get(isa), 3);
  }
}

// All three axes, positions anywhere: sum w = 1, sum grad w = 0, sum w x_i = x, sum x_i (x) grad w = I
// with weights w_x w_y w_z from the base functions. x_i up to 50 cells: rounding 50 u on top.
static void bspline_products_reproduce_linear_fields_in_space(void **state) {
  (void)state;
  sample s = {2, 0};
  for (int width = 3; width <= 4; width++) {
    double unity = 0, grad = 0, centre = 0, identity = 0;
    for (int p = 0; p < 2000; p++) {
      lane x[3], w[3][4], dw[3][4], base[3];
      for (int a = 0; a < 3; a++) {
        lane f;
        x[a] = (lane)sample_uniform(&s, -50, 50);
        if (width == 4) {
          base[a] = firn_bspline_cubic_base(x[a], &f);
          firn_bspline_cubic(f, w[a], dw[a]);
        } else {
          base[a] = firn_bspline_quadratic_base(x[a], &f);
          firn_bspline_quadratic(f, w[a], dw[a]);
        }
      }
      double sw = 0, sg[3] = {0}, sx[3] = {0}, sxg[9] = {0};
      for (int n = 0; n < width * width * width; n++) {
        int i[3] = {n / (width * width), n / width % width, n % width};
        double N[3], d[3], xi[3];
        for (int a = 0; a < 3; a++) {
          N[a] = (double)w[a][i[a]];
          d[a] = (double)dw[a][i[a]];
          xi[a] = (double)base[a] + i[a];
        }
        double W = N[0] * N[1] * N[2];
        double g[3] = {d[0] * N[1] * N[2], N[0] * d[1] * N[2], N[0] * N[1] * d[2]};
        sw += W;
        for (int a = 0; a < 3; a++) {
          sg[a] += g[a];
          sx[a] += W * xi[a];
          for (int b = 0; b < 3; b++) sxg[3 * a + b] += xi[a] * g[b];
        }
      }
      worst(&unity, sw - 1);
      for (int a = 0; a < 3; a++) {
        worst(&grad, sg[a]);
        worst(&centre, sx[a] - (double)x[a]);
        for (int b = 0; b < 3; b++) worst(&identity, sxg[3 * a + b] - (a == b));
      }
    }
    double u = FIRN_REAL_EPS / 2;
    assert_below(unity, 18 * u);
    assert_below(grad, 36 * u);
    assert_below(centre, 50 * 20 * u);
    assert_below(identity, 50 * 40 * u);
  }
}

// The quadratic one for fields in double: rounded as a polynomial of size 1 is, in a few operations.
static void the_spline_in_double_is_the_printed_one(void **state) {
  (void)state;
  sample s = {5, 0};
  double error = 0, slope = 0;
  for (int p = 0; p < POINTS; p++) {
    double f = p ? sample_uniform(&s, 0.5, 1.5) : 0.5, w[3], dw[3], d;
    firn_bspline_quadratic_double(f, w, dw);
    for (int n = 0; n < 3; n++) {
      worst(&error, w[n] - quadratic(f - n, &d));
      worst(&slope, dw[n] - d);
    }
  }
  assert_below(error, 2 * DBL_EPSILON);
  assert_below(slope, 2 * DBL_EPSILON);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_spline_in_double_is_the_printed_one),
      cmocka_unit_test(bspline_weights_sum_to_one_and_reproduce_linear_fields),
      cmocka_unit_test(bspline_products_reproduce_linear_fields_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
