// SPDX-License-Identifier: Apache-2.0
// Colliders of several parts: each moves with its parent, and the nearest one answers.
#include <fenv.h>

#include "support/context.h"
#include "support/mpm_case.h"
#include "world/collider.h"
#include "world/world.h"

static firn_collider make(const firn_collider_def *def) {
  firn_collider collider;
  firn_status status = firn_collider_make(context, def, 0, 0, &collider);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return collider;
}

// An arm of two links along x, 1 m each, that turn about z: the shoulder at 2 rad/s, the elbow at
// 3 rad/s relative to the upper arm. Both are capsules of 5 cm.
static firn_collider make_arm(void) {
  const double shoulder[3] = {0, 0, 0}, elbow[3] = {1, 0, 0}, hand[3] = {2, 0, 0};
  firn_part_def parts[2] = {firn_default_part_def(), firn_default_part_def()};
  parts[0].shape = firn_capsule(shoulder, elbow, 0.05);
  parts[0].motion.has_pivot = true;
  parts[0].motion.spin[2] = 2;
  parts[1].shape = firn_capsule(elbow, hand, 0.05);
  parts[1].parent = 0;
  parts[1].motion.has_pivot = true;
  memcpy(parts[1].motion.pivot, elbow, sizeof elbow);
  parts[1].motion.spin[2] = 3;
  firn_collider_def def = firn_default_collider_def();
  def.parts = parts;
  def.part_count = 2;
  def.velocity[1] = 0.5; // and the whole rises
  return make(&def);
}

// Adding a collider, loading and taking a picture place it too, in whatever mode the caller has.
static void poses_do_not_follow_the_callers_rounding(void **state) {
  (void)state;
#if !defined(__x86_64__)
  skip(); // firn has no mode of its own there
#endif
  const double t = 0.173;
  firn_collider arm = make_arm();
  firn_collider_prepare(&arm, t);
  firn_pose upper = arm.part[0].pose, lower = arm.part[1].pose;
  fesetround(FE_UPWARD);
  firn_collider_prepare(&arm, t);
  fesetround(FE_TONEAREST);
  assert_memory_equal(&arm.part[0].pose, &upper, sizeof upper);
  assert_memory_equal(&arm.part[1].pose, &lower, sizeof lower);
  firn_collider_free(&arm);
}

static void arm_of_two_links_has_its_closed_form(void **state) {
  (void)state;
  firn_collider arm = make_arm();
  for (int step = 0; 0.173 * step < 2; step++) {
    const double t = 0.173 * step;
    double a = 2 * t, b = 5 * t; // angles of the links against x
    const double elbow[2] = {cos(a), sin(a) + 0.5 * t};
    const double tip[3] = {elbow[0] + 1.05 * cos(b), elbow[1] + 1.05 * sin(b), 0};
    double n[3], v[3];
    // The foremost point of the hand: on the surface, with the velocity of both joints.
    firn_collider_prepare(&arm, t);
    double d = firn_collider_sample(&arm, tip, n, v);
    assert_within(NULL, "distance, m", d, 0, 5e-15);
    const double want_n[3] = {cos(b), sin(b), 0};
    const double want_v[3] = {-2 * sin(a) - 5 * 1.05 * sin(b), 2 * cos(a) + 5 * 1.05 * cos(b) + 0.5,
                              0};
    for (int i = 0; i < 3; i++) {
      assert_within(NULL, "normal", n[i], want_n[i], 1e-13);
      assert_within(NULL, "velocity, m/s", v[i], want_v[i], 1e-13);
    }
    // Beside the upper arm, where it is nearest unless the lower arm has folded back.
    const double beside[3] = {0.5 * cos(a), 0.5 * sin(a) + 0.5 * t, 0.2};
    d = firn_collider_sample(&arm, beside, n, v);
    if (cos(3 * t) < -0.3) continue;
    assert_within(NULL, "distance, m", d, 0.15, 5e-15);
    assert_within(NULL, "velocity x, m/s", v[0], -2 * 0.5 * sin(a), 1e-14);
    assert_within(NULL, "velocity y, m/s", v[1], 2 * 0.5 * cos(a) + 0.5, 1e-14);
  }
  // 0.5 of the whole, 2 rad/s at 2.05 m and 3 rad/s at 1.05 m; bounds are by spheres around parts.
  double bound = firn_collider_speed_bound(&arm, 0);
  assert_true(bound >= 0.5 + 2 * 2.05 + 3 * 1.05 && bound < 1.1 * (0.5 + 2 * 2.05 + 3 * 1.05));
  firn_collider_free(&arm);
}

// A chain of bones with keyed joints, looped and not, and one joint without a bone.
enum { BONES = 6 };
static firn_collider make_walker(void) {
  static const double times[] = {0, 0.3, 0.8, 1.2}, angle[] = {0.2, 0.9, -0.7, 0.2};
  static const double way[] = {0, 0, 0, 0.1, 0, 0, 0.4, 0.05, 0, 1, 0, 0};
  firn_part_def parts[BONES];
  for (int i = 0; i < BONES; i++) {
    const double from[3] = {0.1 * i, 1 - 0.2 * i, 0.05 * i},
                 to[3] = {0.1 * i + 0.1, 0.8 - 0.2 * i, 0};
    parts[i] = firn_default_part_def();
    parts[i].parent = i == 0 ? -1 : i == 4 ? 1 : i - 1; // a branch
    parts[i].shape = firn_capsule(from, to, 0.04);
    parts[i].bare = i == 2;
    parts[i].motion.has_pivot = true;
    memcpy(parts[i].motion.pivot, from, sizeof from);
    parts[i].motion.angle = (firn_track_def){4, times, angle, FIRN_INTERPOLATE_SPLINE, i & 1};
    parts[i].motion.axis[2 - i % 3] = 1;
  }
  firn_collider_def def = firn_default_collider_def();
  def.parts = parts;
  def.part_count = BONES;
  def.motion.translation = (firn_track_def){4, times, way, FIRN_INTERPOLATE_SPLINE, false};
  return make(&def);
}

// A point that travels with a bone keeps its distance to it; its velocity is the surface's. Central
// differences: e^2 times third derivatives of some thousands, and rounding over e.
static void bones_carry_their_surface_with_them(void **state) {
  (void)state;
  const double e = 1e-6;
  firn_collider walker = make_walker();
  assert_true(walker.part[2].radius < 0);
  for (int i = 0; i < BONES; i++) {
    for (int step = 0; 0.05 + 0.137 * step < 1.6; step++) {
      const double t = 0.05 + 0.137 * step;
      const firn_part *part = &walker.part[i];
      double x[3][3], v[3], speed2 = 0;
      firn_pose pose = {.q = {0}};
      for (int k = 0; k < 3; k++) {
        firn_collider_prepare(&walker, t + (k - 1) * e);
        const double X[3] = {part->center[0] + 0.03, part->center[1], part->center[2] - 0.02};
        firn_pose_turn(&part->pose, X, x[k]);
        for (int a = 0; a < 3; a++) x[k][a] += part->pose.shift[a];
        if (k == 1) pose = part->pose;
      }
      firn_pose_velocity(&pose, x[1], v);
      for (int a = 0; a < 3; a++) {
        assert_within(NULL, "velocity, m/s", v[a], (x[2][a] - x[0][a]) / (2 * e), 1e-8);
        speed2 += v[a] * v[a];
      }
      assert_true(part->radius < 0 || sqrt(speed2) <= firn_collider_speed_bound(&walker, 0));
    }
  }
  firn_collider_free(&walker);
}

static void nearest_part_answers(void **state) {
  (void)state;
  firn_collider walker = make_walker();
  for (uint64_t i = 0; i < 500; i++) {
    double x[3], n[3], v[3], best = INFINITY, best_n[3] = {0}, best_v[3] = {0},
                             t = 0.01 * (double)(i % 150);
    for (uint64_t a = 0; a < 3; a++) x[a] = mpm_random(9, 3 * i + a, -0.3, 1.3);
    firn_collider_prepare(&walker, t);
    for (int k = 0; k < BONES; k++) {
      const firn_part *part = &walker.part[k];
      double own_n[3], own_v[3];
      if (part->radius < 0) continue;
      double d = firn_part_sample(part, &part->pose, t, x, own_n, own_v);
      // No bone reaches out of its sphere.
      double away = 0;
      for (int a = 0; a < 3; a++) away += (x[a] - part->middle[a]) * (x[a] - part->middle[a]);
      assert_true(d >= sqrt(away) - part->radius - 1e-12);
      if (d >= best) continue;
      best = d;
      memcpy(best_n, own_n, sizeof best_n);
      memcpy(best_v, own_v, sizeof best_v);
    }
    assert_true(firn_collider_sample(&walker, x, n, v) == best);
    assert_memory_equal(n, best_n, sizeof n);
    assert_memory_equal(v, best_v, sizeof v);
    // Without the others, a part answers for itself; without any, nobody does.
    assert_true(firn_collider_sample_near(&walker, walker.part[3].bit, x, NULL, NULL) >= best);
    assert_true(isinf(firn_collider_sample_near(&walker, walker.part[2].bit, x, NULL, NULL)));
    // What is inside is held down to where it is: the middle of a bone always is.
    for (int k = 0; k <= BONES; k++) {
      const double *at = k < BONES ? walker.part[k].middle : x;
      if (k < BONES && walker.part[k].radius < 0) continue;
      double d = firn_collider_sample(&walker, at, NULL, NULL);
      assert_true(k == BONES || d < 0);
      assert_true(firn_collider_holds(&walker, at, 0.9 * fabs(d)) == (d < 0));
      assert_false(firn_collider_holds(&walker, at, 1.1 * fabs(d)));
    }
  }
  firn_collider_free(&walker);
}

static void refuse(const firn_collider_def *def, const char *because) {
  firn_collider collider;
  assert_int_equal(firn_collider_make(context, def, 0, 0, &collider), FIRN_ERROR_ARGUMENT);
  if (!strstr(firn_context_message(context), because)) {
    fail_msg("'%s' does not say '%s'", firn_context_message(context), because);
  }
}

static void trees_that_are_none_are_refused(void **state) {
  (void)state;
  const double center[3] = {0, 0, 0};
  firn_part_def parts[2] = {firn_default_part_def(), firn_default_part_def()};
  firn_collider_def def = firn_default_collider_def();
  def.name = "walker";
  def.part_count = 2;
  refuse(&def, "collider 'walker': 2 parts, but parts is NULL");
  def.parts = parts;
  parts[0].shape = parts[1].shape = firn_sphere(center, 1);
  parts[1].name = "foot";
  parts[1].parent = 1;
  refuse(&def, "collider 'walker': part 'foot': parent 1 must come before it");
  parts[1].parent = 0;
  parts[0].parent = 0;
  refuse(&def, "part 0: parent 0");
  parts[0].parent = -1;
  parts[1].shape.radius = -1;
  refuse(&def, "part 'foot'");
  parts[0].bare = parts[1].bare = true;
  refuse(&def, "none of its parts has a shape");
}

// The digest tells definitions apart, and equal ones not.
static void digest_follows_the_definition(void **state) {
  (void)state;
  firn_collider a = make_walker(), b = make_walker(), c = make_arm();
  assert_true(a.digest == b.digest && a.digest != c.digest);
  firn_collider_free(&c);
  firn_collider_free(&b);
  firn_collider_free(&a);
  firn_collider_def def = firn_default_collider_def();
  a = make(&def);
  def.spin[2] = 1e-9;
  b = make(&def);
  def.spin[2] = 0;
  def.shape.center[1] = 1e-9;
  c = make(&def);
  assert_true(a.digest != b.digest && a.digest != c.digest && b.digest != c.digest);
  firn_collider_free(&c);
  firn_collider_free(&b);
  firn_collider_free(&a);
}

// A floor at height 1 that sinks at 2 m/s and spins about z: after a quarter of a turn at pi rad/s,
// half a second, it is a wall. The pivot (0, 1, 0) is then at the origin.
static void a_moved_half_space_is_known_as_a_plane(void **state) {
  (void)state;
  const double at[3] = {0.3, 40, -5};
  double plane[4];
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_half_space((double[3]){0, 1, 0}, (double[3]){0, 1, 0});
  def.velocity[1] = -2;
  def.spin[2] = 3.14159265358979323846;
  firn_collider floor_ = make(&def);
  firn_collider_prepare(&floor_, 0.5);
  assert_true(firn_part_plane(&floor_.part[0], 0.5, at, plane));
  const double expected[4] = {-1, 0, 0, 0};
  for (int k = 0; k < 4; k++) assert_true(fabs(plane[k] - expected[k]) < 1e-12);
  firn_collider_free(&floor_);
  def.shape = firn_sphere((double[3]){0, 1, 0}, 1);
  firn_collider ball = make(&def);
  firn_collider_prepare(&ball, 0.5);
  assert_false(firn_part_plane(&ball.part[0], 0.5, at, plane));
  firn_collider_free(&ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arm_of_two_links_has_its_closed_form),
      cmocka_unit_test(poses_do_not_follow_the_callers_rounding),
      cmocka_unit_test(bones_carry_their_surface_with_them),
      cmocka_unit_test(nearest_part_answers),
      cmocka_unit_test(trees_that_are_none_are_refused),
      cmocka_unit_test(digest_follows_the_definition),
      cmocka_unit_test(a_moved_half_space_is_known_as_a_plane),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
