// SPDX-License-Identifier: Apache-2.0
// Volumes that are counted: the same number with any threads, and near the true one.
#include <firn/firn.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static double volume_with(int threads, double smoothing) {
  firn_context_def context_def = firn_default_context_def();
  firn_context *context;
  context_def.threads = threads;
  assert_int_equal(firn_context_create(&context_def, &context), FIRN_OK);
  firn_shape_def ball_def = firn_sphere((double[3]){0.3, 0.1, 0}, 0.5);
  firn_shape_def box_def = firn_box((double[3]){-0.4, 0, 0}, (double[3]){0.3, 0.2, 0.1});
  firn_shape *ball, *box, *both;
  assert_int_equal(firn_shape_create(context, &ball_def, &ball), FIRN_OK);
  assert_int_equal(firn_shape_create(context, &box_def, &box), FIRN_OK);
  firn_shape_def union_def = firn_smooth_union(2, (const firn_shape *[]){ball, box}, smoothing);
  assert_int_equal(firn_shape_create(context, &union_def, &both), FIRN_OK);
  double volume = firn_shape_volume(both);
  firn_shape_release(both);
  firn_shape_release(box);
  firn_shape_release(ball);
  firn_context_destroy(context);
  return volume;
}

static void threads_do_not_change_a_volume(void **state) {
  (void)state;
  double one = volume_with(1, 0.05);
  assert_true(one == volume_with(2, 0.05));
  assert_true(one == volume_with(5, 0.05));
}

// Ball and box overlap where x is from -0.2 (the ball's edge) to -0.1 (the box's): with r^2 = 0.25 -
// (x - 0.3)^2 at most 0.09 in that, the circle about y = 0.1 lies within the box's |z| < 0.1 only
// near its edge, so the overlap is integrated instead.
static void the_volume_of_two_bodies_is_that_of_their_points(void **state) {
  (void)state;
  const int n = 400;
  double overlap = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double x = -0.2 + 0.1 * (i + 0.5) / n, y = -0.2 + 0.4 * (j + 0.5) / n;
      double z2 = 0.25 - (x - 0.3) * (x - 0.3) - (y - 0.1) * (y - 0.1);
      if (z2 > 0) overlap += 2 * fmin(0.1, sqrt(z2)) * 0.1 / n * 0.4 / n;
    }
  }
  double exact = 4.0 / 3 * 3.14159265358979 * 0.125 + 0.6 * 0.4 * 0.2 - overlap;
  // It is refined until it changes by 2e-3.
  assert_true(fabs(volume_with(2, 1e-9) / exact - 1) < 2e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_change_a_volume),
      cmocka_unit_test(the_volume_of_two_bodies_is_that_of_their_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
