// SPDX-License-Identifier: Apache-2.0
// Keyed values and rotations: what they are at and between keys, and that their rates are the
// derivatives. All of this is in double whatever the library computes in.
#include "world/track.h"

#include "support/context.h"
#include "support/mpm_case.h"
#include "world/quaternion.h"

static firn_track make(int count, const double *times, const double *values, int components,
                       firn_interpolation interpolate, bool loop) {
  firn_track_def def = {count, times, values, interpolate, loop};
  firn_track track;
  assert_int_equal(firn_track_make(context, &def, components, "track", &track), FIRN_OK);
  return track;
}

static double scalar(const firn_track *track, double t) {
  double value;
  firn_track_value(track, t, &value, NULL);
  return value;
}

static double rate(const firn_track *track, double t) {
  double value, r;
  firn_track_value(track, t, &value, &r);
  return r;
}

static const double TIMES[] = {0.5, 1, 2.5, 3, 4.25};
enum { KEYS = sizeof TIMES / sizeof *TIMES };

static void linear_track_is_straight_and_stays_at_its_ends(void **state) {
  (void)state;
  const double values[] = {2, 6, 0, 0, -1};
  firn_track track = make(KEYS, TIMES, values, 1, FIRN_INTERPOLATE_LINEAR, false);
  for (int k = 0; k < KEYS; k++) assert_true(scalar(&track, TIMES[k]) == values[k]);
  assert_true(scalar(&track, 0.75) == 4 && rate(&track, 0.75) == 8);
  assert_true(scalar(&track, 1.75) == 3 && rate(&track, 1.75) == -4);
  assert_true(scalar(&track, -7) == 2 && rate(&track, -7) == 0);
  assert_true(scalar(&track, 99) == -1 && rate(&track, 99) == 0);
  firn_track_free(context, &track);
}

static void step_track_keeps_each_value_until_the_next_key(void **state) {
  (void)state;
  const double values[] = {2, 6, 0, 0, -1};
  firn_track track = make(KEYS, TIMES, values, 1, FIRN_INTERPOLATE_STEP, false);
  assert_true(scalar(&track, 0.999) == 2 && scalar(&track, 1) == 6 && scalar(&track, 2.4) == 6);
  assert_true(scalar(&track, 4.25) == -1 && rate(&track, 2) == 0);
  assert_true(isinf(firn_track_rate_bound(&track)));
  firn_track_free(context, &track);
}

// The slopes are those of the parabola through three keys, and a cubic of a parabola's values and
// slopes is the parabola: exact between the second and the last key but one, whatever the spacing.
static void spline_reproduces_a_parabola_between_uneven_keys(void **state) {
  (void)state;
  double values[KEYS];
  for (int k = 0; k < KEYS; k++) values[k] = 3 - 2 * TIMES[k] + 0.75 * TIMES[k] * TIMES[k];
  firn_track track = make(KEYS, TIMES, values, 1, FIRN_INTERPOLATE_SPLINE, false);
  for (int i = 0; i <= 100; i++) {
    double t = 1 + 0.02 * i;
    // A few dozen roundings of numbers below 5.
    assert_within(NULL, "value", scalar(&track, t), 3 - 2 * t + 0.75 * t * t, 1e-14);
    assert_within(NULL, "rate", rate(&track, t), -2 + 1.5 * t, 2e-14);
  }
  // At its ends it is at rest, since the value stays beyond them.
  assert_true(rate(&track, 0.5) == 0 && fabs(rate(&track, 4.25 - 1e-9)) < 1e-7);
  firn_track_free(context, &track);
}

// Central differences over e are off by e^2 f'''/6, and by rounding of the value over e.
static void spline_rate_is_the_derivative_and_continuous_at_keys(void **state) {
  (void)state;
  const double values[3 * KEYS] = {0, 1, 2, 3, -1, 0.5, 0, 0, 0, 1, 1, 1, 0, 1, 2}, e = 1e-5;
  for (int loop = 0; loop < 2; loop++) {
    firn_track track = make(KEYS, TIMES, values, 3, FIRN_INTERPOLATE_SPLINE, loop);
    for (int step = 0; 0.3 + 0.0371 * step < 5; step++) {
      const double t = 0.3 + 0.0371 * step;
      double before[3], after[3], value[3], r[3], bound = 0;
      firn_track_value(&track, t - e, before, NULL);
      firn_track_value(&track, t + e, after, NULL);
      firn_track_value(&track, t, value, r);
      for (int a = 0; a < 3; a++) {
        assert_within(NULL, "rate", r[a], (after[a] - before[a]) / (2 * e), 2e-8);
        bound += r[a] * r[a];
      }
      assert_true(sqrt(bound) <= firn_track_rate_bound(&track));
      double size = sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
      assert_true(size <= firn_track_size_bound(&track));
    }
    for (int k = 0; k < KEYS; k++) {
      double left[3], right[3], value[3];
      firn_track_value(&track, TIMES[k] - 1e-9, value, left);
      firn_track_value(&track, TIMES[k] + 1e-9, value, right);
      // Second derivatives are some 30, times 2e-9 s.
      for (int a = 0; a < 3; a++) assert_within(NULL, "rate at a key", left[a], right[a], 2e-7);
    }
    firn_track_free(context, &track);
  }
}

static void spline_does_not_overshoot_where_two_keys_are_the_same(void **state) {
  (void)state;
  const double values[] = {0, 1, 1, 3, 3};
  firn_track track = make(KEYS, TIMES, values, 1, FIRN_INTERPOLATE_SPLINE, false);
  for (int step = 0; 1 + 0.01 * step < 2.5; step++) {
    const double t = 1 + 0.01 * step;
    assert_true(scalar(&track, t) == 1 && rate(&track, t) == 0);
  }
  for (int step = 0; 0.01 * step < 5; step++) {
    const double t = 0.01 * step;
    assert_true(scalar(&track, t) >= 0 && scalar(&track, t) <= 3);
  }
  assert_false(firn_track_moves(&track, 1, 2.5));
  assert_true(firn_track_moves(&track, 1, 2.6));
  assert_true(firn_track_moves(&track, 0.9, 2));
  assert_false(firn_track_moves(&track, 4.25, 9));
  assert_false(firn_track_moves(&track, -3, 0.5));
  firn_track_free(context, &track);
}

static void loop_begins_agaistep_the_last_key(void **state) {
  (void)state;
  const double times[] = {1, 2, 4}, values[] = {5, 7, 5};
  firn_track track = make(3, times, values, 1, FIRN_INTERPOLATE_LINEAR, true);
  for (int n = -3; n < 4; n++) {
    assert_within(NULL, "value", scalar(&track, 1.5 + 3 * n), 6, 1e-14);
    assert_within(NULL, "value", scalar(&track, 3 + 3 * n), 6, 1e-14);
    assert_within(NULL, "rate", rate(&track, 3 + 3 * n), -1, 1e-14);
  }
  assert_true(firn_track_moves(&track, 100, 100.1));
  assert_true(firn_track_rate_bound(&track) == 2);
  firn_track_free(context, &track);

  // A spline is smooth across the seam: the slope there comes from both sides.
  track = make(3, times, values, 1, FIRN_INTERPOLATE_SPLINE, true);
  assert_within(NULL, "rate at the seam", rate(&track, 4 - 1e-9), rate(&track, 4 + 1e-9), 1e-7);
  assert_true(fabs(rate(&track, 4)) > 0.1);
  firn_track_free(context, &track);
}

// ---------------------------------------------------------------------------------- rotations

static void about(const double axis[3], double angle, double q[4]) {
  double r[3] = {axis[0] * angle, axis[1] * angle, axis[2] * angle};
  firn_quaternion_exp(r, q);
}

// The angular velocity by central differences of the rotation itself.
static void turning(const firn_track *track, double t, double w[3]) {
  double p[4], q[4], e = 1e-5;
  firn_track_value(track, t - e, p, NULL);
  firn_track_value(track, t + e, q, NULL);
  firn_quaternion_conjugate(p, p);
  firn_quaternion_multiply(q, p, q);
  firn_quaternion_log(q, w);
  for (int a = 0; a < 3; a++) w[a] /= 2 * e;
}

static void linear_rotation_turns_evenly_the_shorter_way(void **state) {
  (void)state;
  const double axis[3] = {0.6, 0, -0.8}, times[] = {0, 2};
  double keys[8], value[4], w[3], expected[4];
  about(axis, 0.3, keys);
  about(axis, 0.3 + 2.5, keys + 4);
  for (int a = 0; a < 4; a++) keys[4 + a] *= -3; // the same turn, and no unit quaternion
  firn_track track = make(2, times, keys, FIRN_TRACK_ROTATION, FIRN_INTERPOLATE_LINEAR, false);
  for (int step = 0; 0.1 + 0.3 * step < 2; step++) {
    const double t = 0.1 + 0.3 * step;
    firn_track_value(&track, t, value, w);
    about(axis, 0.3 + 1.25 * t, expected);
    for (int a = 0; a < 4; a++) assert_within(NULL, "quaternion", value[a], expected[a], 1e-14);
    for (int a = 0; a < 3; a++) assert_within(NULL, "spin", w[a], 1.25 * axis[a], 1e-14);
  }
  assert_within(NULL, "bound of the spin", firn_track_rate_bound(&track), 1.25, 1e-14);
  firn_track_free(context, &track);
}

// About one axis, a spline of rotations is the spline of the angle.
static void rotation_spline_about_one_axis_is_the_spline_of_the_angle(void **state) {
  (void)state;
  const double axis[3] = {0, 0.8, 0.6}, angles[KEYS] = {0, 1, -0.5, 0.25, 2};
  double keys[4 * KEYS];
  for (int k = 0; k < KEYS; k++) about(axis, angles[k], keys + 4 * k);
  firn_track turn = make(KEYS, TIMES, keys, FIRN_TRACK_ROTATION, FIRN_INTERPOLATE_SPLINE, false);
  firn_track angle = make(KEYS, TIMES, angles, 1, FIRN_INTERPOLATE_SPLINE, false);
  for (int step = 0; 0.2 + 0.0413 * step < 4.5; step++) {
    const double t = 0.2 + 0.0413 * step;
    double q[4], w[3], expected[4];
    firn_track_value(&turn, t, q, w);
    about(axis, scalar(&angle, t), expected);
    for (int a = 0; a < 4; a++) assert_within(NULL, "quaternion", q[a], expected[a], 1e-14);
    for (int a = 0; a < 3; a++) assert_within(NULL, "spin", w[a], rate(&angle, t) * axis[a], 5e-14);
  }
  firn_track_free(context, &turn);
  firn_track_free(context, &angle);
}

static void rotation_spline_meets_its_keys_and_its_spin_is_the_derivative(void **state) {
  (void)state;
  double keys[4 * KEYS];
  for (int k = 0; k < KEYS; k++) {
    double r[3];
    for (int a = 0; a < 3; a++) r[a] = mpm_random(7, (uint64_t)(3 * k + a), -1.2, 1.2);
    firn_quaternion_exp(r, keys + 4 * k);
  }
  memcpy(keys + 4 * (KEYS - 1), keys, 4 * sizeof *keys);
  for (int i = 0; i < 4; i++) {
    firn_interpolation how = i & 1 ? FIRN_INTERPOLATE_SPLINE : FIRN_INTERPOLATE_LINEAR;
    firn_track track = make(KEYS, TIMES, keys, FIRN_TRACK_ROTATION, how, i & 2);
    for (int step = 0; 0.3 + 0.0371 * step < 6; step++) {
      const double t = 0.3 + 0.0371 * step;
      double q[4], w[3], expected[3];
      firn_track_value(&track, t, q, w);
      turning(&track, t, expected);
      // The largest fourth derivatives are some hundreds, times e^2; rounding 1e-16/e.
      for (int a = 0; a < 3; a++) assert_within(NULL, "spin, rad/s", w[a], expected[a], 1e-7);
      assert_true(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) <=
                  firn_track_rate_bound(&track) * (1 + 1e-14));
      assert_within(NULL, "length", q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1,
                    1e-14);
    }
    for (int k = 0; k < KEYS; k++) {
      double q[4], left[3], right[3], along = 0;
      firn_track_value(&track, TIMES[k], q, NULL);
      for (int a = 0; a < 4; a++) along += q[a] * keys[4 * k + a];
      assert_within(NULL, "cosine to the key", fabs(along), 1, 1e-14);
      if (how != FIRN_INTERPOLATE_SPLINE) continue;
      firn_track_value(&track, TIMES[k] - 1e-9, q, left);
      firn_track_value(&track, TIMES[k] + 1e-9, q, right);
      for (int a = 0; a < 3; a++) assert_within(NULL, "spin at a key", left[a], right[a], 1e-6);
    }
    firn_track_free(context, &track);
  }
}

// ------------------------------------------------------------------------------------ mistakes

static void refuse(firn_track_def def, int components, const char *because) {
  firn_track track;
  assert_int_equal(firn_track_make(context, &def, components, "gate: angle", &track),
                   FIRN_ERROR_ARGUMENT);
  const char *message = firn_context_message(context);
  if (!strstr(message, because) || !strstr(message, "gate: angle")) {
    fail_msg("'%s' does not say '%s'", message, because);
  }
}

static void bad_keys_are_refused_with_a_reason(void **state) {
  (void)state;
  const double times[] = {0, 1, 1}, values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const double nowhere[] = {0, 1, (double)NAN}, none[8] = {0};
  refuse((firn_track_def){3, times, values, 0, false}, 1, "key 2 at 1 s");
  refuse((firn_track_def){3, nowhere, values, 0, false}, 1, "nan s of key 2");
  refuse((firn_track_def){2, times, nowhere + 1, 0, false}, 1, "nan of key 1");
  refuse((firn_track_def){2, NULL, values, 0, false}, 1, "2 keys");
  refuse((firn_track_def){-1, times, values, 0, false}, 1, "-1 keys");
  refuse((firn_track_def){2, times, values, 7, false}, 1, "interpolation 7");
  refuse((firn_track_def){1, times, values, 0, true}, 1, "loop");
  refuse((firn_track_def){2, times, none, 0, false}, FIRN_TRACK_ROTATION, "no rotation");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_track_is_straight_and_stays_at_its_ends),
      cmocka_unit_test(step_track_keeps_each_value_until_the_next_key),
      cmocka_unit_test(spline_reproduces_a_parabola_between_uneven_keys),
      cmocka_unit_test(spline_rate_is_the_derivative_and_continuous_at_keys),
      cmocka_unit_test(spline_does_not_overshoot_where_two_keys_are_the_same),
      cmocka_unit_test(loop_begins_agaistep_the_last_key),
      cmocka_unit_test(linear_rotation_turns_evenly_the_shorter_way),
      cmocka_unit_test(rotation_spline_about_one_axis_is_the_spline_of_the_angle),
      cmocka_unit_test(rotation_spline_meets_its_keys_and_its_spin_is_the_derivative),
      cmocka_unit_test(bad_keys_are_refused_with_a_reason),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
