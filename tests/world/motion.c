// SPDX-License-Identifier: Apache-2.0
// Rigid motion: poses against closed forms, velocities against the derivative of the way that
// points of the body take. All of this is in double whatever the library computes in.
#include "world/motion.h"

#include "support/context.h"
#include "support/mpm_case.h"
#include "world/collider.h"
#include "world/quaternion.h"

static const double TURN = 6.283185307179586476925;
static const double CENTER[3] = {0.5, -0.25, 2};

static firn_motion make(const firn_motion_def *def) {
  firn_motion motion;
  assert_int_equal(firn_motion_make(context, def, CENTER, "body", &motion), FIRN_OK);
  return motion;
}

static void point_at(const firn_motion *motion, double t, const double X[3], double x[3]) {
  firn_pose pose;
  firn_motion_pose(motion, t, NULL, &pose);
  firn_pose_turn(&pose, X, x);
  for (int a = 0; a < 3; a++) x[a] += pose.shift[a];
}

// Points of the body around its pivot move as the pose says. Central differences over e are off by
// e^2 x'''/6, with third derivatives below 1e4 here, and by rounding, 1e-15/e.
static void check_velocity(const firn_motion *motion, double t) {
  const double e = 1e-6;
  for (uint64_t i = 0; i < 4; i++) {
    double X[3], before[3], after[3], now[3], back[3], v[3];
    firn_pose pose;
    for (uint64_t a = 0; a < 3; a++) X[a] = motion->pivot[a] + mpm_random(3, 3 * i + a, -1, 1);
    firn_motion_pose(motion, t, NULL, &pose);
    point_at(motion, t, X, now);
    point_at(motion, t - e, X, before);
    point_at(motion, t + e, X, after);
    firn_pose_velocity(&pose, now, v);
    firn_pose_into(&pose, now, back);
    for (int a = 0; a < 3; a++) {
      assert_within(NULL, "velocity, m/s", v[a], (after[a] - before[a]) / (2 * e), 2e-8);
      assert_within(NULL, "point of the body, m", back[a], X[a], 1e-14);
    }
  }
}

static void body_without_motion_stays(void **state) {
  (void)state;
  firn_motion_def def = {.has_pivot = false};
  firn_motion motion = make(&def);
  double X[3] = {3, 1, -7}, x[3];
  point_at(&motion, 5, X, x);
  assert_memory_equal(x, X, sizeof x);
  assert_true(motion.still && !firn_motion_moves(&motion, 0, 1e9));
  assert_true(firn_motion_speed_bound(&motion) == 0 && firn_motion_spin_bound(&motion) == 0);
  assert_memory_equal(motion.pivot, CENTER, sizeof CENTER);
}

// A body that stays with its parent moves as that does, whatever its own pivot is; torques are about
// that one.
static void body_without_motion_goes_with_its_parent(void **state) {
  (void)state;
  firn_motion_def def = {.velocity = {1, 0, -2}, .spin = {0.3, -2, 1}};
  firn_motion_def still = {.has_pivot = true, .pivot = {-1, 2, 0.5}};
  firn_motion parent = make(&def), child = make(&still);
  for (int i = 0; i < 3; i++) {
    firn_pose of_parent, pose;
    double x[3] = {0.7 * i, -1, 3.0 - i}, v[3], want[3], pivot[3];
    firn_motion_pose(&parent, 0.4 * i, NULL, &of_parent);
    firn_motion_pose(&child, 0.4 * i, &of_parent, &pose);
    firn_pose_velocity(&of_parent, x, want);
    firn_pose_velocity(&pose, x, v);
    point_at(&parent, 0.4 * i, still.pivot, pivot);
    for (int a = 0; a < 3; a++) {
      assert_within(NULL, "velocity, m/s", v[a], want[a], 1e-13);
      assert_within(NULL, "pivot, m", pose.pivot[a], pivot[a], 1e-13);
    }
  }
}

static void oscillation_is_a_sine(void **state) {
  (void)state;
  firn_motion_def def = {
      .oscillation = {
          .translation = {0.2, 0, -0.1}, .swing = {0, 0.7, 0}, .frequency = 3, .phase = 0.4}};
  firn_motion motion = make(&def);
  for (int step = 0; - 0.3 + 0.0931 * step < 1; step++) {
    const double t = -0.3 + 0.0931 * step;
    firn_pose pose;
    firn_motion_pose(&motion, t, NULL, &pose);
    double angle = TURN * 3 * t + 0.4, q[4], swing[3] = {0, 0.7 * sin(angle), 0};
    firn_quaternion_exp(swing, q);
    for (int a = 0; a < 3; a++) {
      assert_within(NULL, "pivot, m", pose.pivot[a],
                    CENTER[a] + def.oscillation.translation[a] * sin(angle), 1e-15);
      assert_within(NULL, "velocity, m/s", pose.velocity[a],
                    def.oscillation.translation[a] * TURN * 3 * cos(angle), 1e-14);
    }
    assert_within(NULL, "spin, rad/s", pose.spin[1], 0.7 * TURN * 3 * cos(angle), 1e-13);
    for (int a = 0; a < 4; a++) assert_within(NULL, "attitude", pose.q[a], q[a], 1e-15);
    check_velocity(&motion, t);
  }
  assert_true(firn_motion_moves(&motion, 0, 1e-9));
}

static void circle_keeps_its_radius_and_does_not_turn(void **state) {
  (void)state;
  firn_motion_def def = {.circle = {.arm = {0, 0.3, 0.4}, .axis = {5, 0, 0}, .frequency = 0.5}};
  firn_motion motion = make(&def);
  for (int step = 0; 0.17 * step < 3; step++) {
    const double t = 0.17 * step;
    firn_pose pose;
    firn_motion_pose(&motion, t, NULL, &pose);
    double c = cos(TURN * t / 2), s = sin(TURN * t / 2);
    // The middle of the circle is where the arm begins; turned about x by the angle.
    const double middle[3] = {CENTER[0], CENTER[1] - 0.3, CENTER[2] - 0.4};
    const double want[3] = {middle[0], middle[1] + 0.3 * c - 0.4 * s,
                            middle[2] + 0.4 * c + 0.3 * s};
    for (int a = 0; a < 3; a++) assert_within(NULL, "pivot, m", pose.pivot[a], want[a], 2e-15);
    double speed = sqrt(pose.velocity[0] * pose.velocity[0] + pose.velocity[1] * pose.velocity[1] +
                        pose.velocity[2] * pose.velocity[2]);
    assert_within(NULL, "speed, m/s", speed, 0.5 * TURN * 0.5, 1e-14);
    assert_true(pose.q[3] == 1 && pose.spin[0] == 0);
    check_velocity(&motion, t);
  }
  // No more than twice the radius from where it was, and it does get there.
  assert_true(firn_motion_way_bound(&motion) == 1);
}

static void keyed_turn_leaves_the_pivot_where_it_is(void **state) {
  (void)state;
  const double times[] = {0, 1, 2}, angles[] = {0, 1.5, 20};
  double keys[12];
  const double axis[3] = {1, 1, 0};
  for (int k = 0; k < 3; k++) firn_rotation(axis, 0.9 * k, keys + 4 * k);
  firn_motion_def hinge = {.has_pivot = true,
                           .pivot = {1, 2, 3},
                           .angle = {3, times, angles, FIRN_INTERPOLATE_SPLINE, false},
                           .axis = {0, 0, 2}};
  firn_motion_def ball = {.has_pivot = true,
                          .pivot = {1, 2, 3},
                          .rotation = {3, times, keys, FIRN_INTERPOLATE_SPLINE, false}};
  const firn_motion_def *defs[] = {&hinge, &ball};
  for (int i = 0; i < 2; i++) {
    firn_motion motion = make(defs[i]);
    for (int step = 0; - 0.2 + 0.0571 * step < 2.5; step++) {
      const double t = -0.2 + 0.0571 * step;
      double x[3];
      point_at(&motion, t, motion.pivot, x);
      for (int a = 0; a < 3; a++) assert_within(NULL, "pivot, m", x[a], 1 + a, 1e-15);
      check_velocity(&motion, t);
    }
    assert_true(firn_motion_moves(&motion, 0.5, 0.6) && !firn_motion_moves(&motion, 2, 3));
    firn_motion_free(context, &motion);
  }
  // More than a turn: at 2 s it has turned by 20 rad about z.
  firn_motion motion = make(&hinge);
  double X[3] = {2, 2, 3}, x[3];
  point_at(&motion, 2, X, x);
  assert_within(NULL, "x, m", x[0], 1 + cos(20.0), 1e-14);
  assert_within(NULL, "y, m", x[1], 2 + sin(20.0), 1e-14);
  firn_motion_free(context, &motion);
}

static void everything_at_once_has_the_velocity_of_its_way(void **state) {
  (void)state;
  const double times[] = {0, 0.4, 1, 1.5}, angle[] = {0, 1, -1, 0.5},
               way[12] = {0, 0, 0, 1, 0.5, 0, -1, 1, 2, 0, 0, 0};
  double keys[16];
  for (int k = 0; k < 4; k++) {
    const double axis[3] = {1, k, -0.5 * k};
    firn_rotation(axis, 0.7 * k, keys + 4 * k);
  }
  firn_motion_def def = {
      .has_pivot = true,
      .pivot = {0.1, 0.2, -0.3},
      .velocity = {1, -2, 0.5},
      .spin = {0.3, 4, -2},
      .translation = {4, times, way, FIRN_INTERPOLATE_SPLINE, true},
      .rotation = {4, times, keys, FIRN_INTERPOLATE_SPLINE, false},
      .angle = {4, times, angle, FIRN_INTERPOLATE_SPLINE, true},
      .axis = {0, 1, 1},
      .oscillation = {.translation = {0.1, 0.2, 0.3}, .swing = {0.2, -0.4, 0.6}, .frequency = 1.5},
      .circle = {.arm = {0.2, 0, 0}, .axis = {0, 1, 1}, .frequency = 2},
  };
  firn_motion motion = make(&def);
  double fastest = firn_motion_speed_bound(&motion), quickest = firn_motion_spin_bound(&motion);
  for (int step = 0; 0.013 + 0.0491 * step < 2; step++) {
    const double t = 0.013 + 0.0491 * step;
    firn_pose pose;
    firn_motion_pose(&motion, t, NULL, &pose);
    check_velocity(&motion, t);
    double v2 = 0, w2 = 0;
    for (int a = 0; a < 3; a++) {
      v2 += pose.velocity[a] * pose.velocity[a];
      w2 += pose.spin[a] * pose.spin[a];
    }
    assert_true(sqrt(v2) <= fastest && sqrt(w2) <= quickest);
  }
  firn_motion_free(context, &motion);
}

// A tray that is brought to a stop does not move afterwards; sleepers rely on it.
static void collider_knows_when_it_moves(void **state) {
  (void)state;
  const double times[] = {0, 1}, way[6] = {0, 0, 0, 0.5, 0, 0};
  firn_collider_def def = firn_default_collider_def();
  def.motion.translation = (firn_track_def){2, times, way, FIRN_INTERPOLATE_LINEAR, false};
  firn_collider collider;
  assert_int_equal(firn_collider_make(context, &def, 0, 0, &collider), FIRN_OK);
  assert_true(firn_collider_moves(&collider, 0, 0.1) && firn_collider_moves(&collider, 0.9, 1.1));
  assert_false(firn_collider_moves(&collider, 1, 2));
  assert_true(firn_collider_speed_bound(&collider, 0) == 0.5);
  firn_collider_free(&collider);

  // A plane that turns is infinitely fast far away, a ball is not: its far side is 0.75 m from the
  // pivot.
  def = firn_default_collider_def();
  def.spin[1] = 2;
  assert_int_equal(firn_collider_make(context, &def, 0, 0, &collider), FIRN_OK);
  assert_true(isinf(firn_collider_speed_bound(&collider, 0)));
  firn_collider_free(&collider);
  const double center[3] = {0.5, 0, 0};
  def.shape = firn_sphere(center, 0.25);
  def.motion.has_pivot = true;
  assert_int_equal(firn_collider_make(context, &def, 0, 0, &collider), FIRN_OK);
  double bound = firn_collider_speed_bound(&collider, 0);
  assert_true(bound >= 2 * 0.75 && bound < 2 * (0.5 + 0.25 * 1.75));
  firn_collider_free(&collider);
}

static void refuse(const firn_motion_def *def, const char *because) {
  firn_motion motion;
  assert_int_equal(firn_motion_make(context, def, CENTER, "body", &motion), FIRN_ERROR_ARGUMENT);
  if (!strstr(firn_context_message(context), because)) {
    fail_msg("'%s' does not say '%s'", firn_context_message(context), because);
  }
}

static void senseless_motion_is_refused(void **state) {
  (void)state;
  const double times[] = {0, 1}, one[] = {0, 1};
  refuse(&(firn_motion_def){.spin = {0, (double)NAN, 0}}, "body: spin (0 nan 0)");
  refuse(&(firn_motion_def){.velocity = {(double)INFINITY, 0, 0}}, "body: velocity (inf 0 0)");
  refuse(&(firn_motion_def){.has_pivot = true, .pivot = {0, 0, (double)NAN}}, "body: pivot");
  refuse(&(firn_motion_def){.angle = {2, times, one, 0, false}}, "body: axis (0 0 0)");
  refuse(&(firn_motion_def){.circle = {.arm = {1, 0, 0}}}, "body: circle.axis (0 0 0)");
  refuse(&(firn_motion_def){.oscillation = {.frequency = (double)NAN}}, "oscillation.frequency");
  refuse(&(firn_motion_def){.translation = {1, times, NULL, 0, false}}, "body: translation: 1 key");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(body_without_motion_stays),
      cmocka_unit_test(body_without_motion_goes_with_its_parent),
      cmocka_unit_test(oscillation_is_a_sine),
      cmocka_unit_test(circle_keeps_its_radius_and_does_not_turn),
      cmocka_unit_test(keyed_turn_leaves_the_pivot_where_it_is),
      cmocka_unit_test(everything_at_once_has_the_velocity_of_its_way),
      cmocka_unit_test(collider_knows_when_it_moves),
      cmocka_unit_test(senseless_motion_is_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
