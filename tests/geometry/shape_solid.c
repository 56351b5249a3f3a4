// SPDX-License-Identifier: Apache-2.0
// Solids in closed form.
#include "geometry/shape_case.h"

enum { POINTS = 3000 };

static const double MIDDLE[3] = {0.3, -0.2, 0.1};

static double sq(double x) {
  return x * x;
}

// Distance from the axis a -> b, and how far along it from 0 to 1.
static double to_axis(const double a[3], const double b[3], const double x[3], double *t) {
  double u[3], r[3], l2 = 0, dot = 0, r2 = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    r[k] = x[k] - a[k];
    l2 += u[k] * u[k];
    dot += u[k] * r[k];
  }
  *t = dot / l2;
  for (int k = 0; k < 3; k++) r2 += sq(r[k] - *t * u[k]);
  return sqrt(r2);
}

static bool in_half_space(const double x[3]) {
  return (x[0] - 0.3) * 1 + (x[1] + 0.2) * 2 + (x[2] - 0.1) * -2 <= 0;
}

static void a_half_space_is_one_side_of_a_plane(void **state) {
  (void)state;
  firn_context *context = case_context();
  const shape_case c = {.name = "half space",
                        .inside = in_half_space,
                        .exact = true,
                        .lo = {-1, -1, -1},
                        .hi = {1, 1, 1}};
  case_check(&c, case_make(context, firn_half_space(MIDDLE, (double[]){1, 2, -2})), POINTS);
  case_end(context);
}

static bool in_sphere(const double x[3]) {
  return sq(x[0] - 0.3) + sq(x[1] + 0.2) + sq(x[2] - 0.1) <= sq(0.7);
}

static void a_sphere_is_a_sphere(void **state) {
  (void)state;
  firn_context *context = case_context();
  const shape_case c = {.name = "sphere", .inside = in_sphere, .exact = true};
  case_check(&c, case_make(context, firn_sphere(MIDDLE, 0.7)), POINTS);
  case_end(context);
}

static const double HALF[3] = {0.5, 0.2, 0.9};

static bool in_box(const double x[3]) {
  return fabs(x[0] - 0.3) <= 0.5 && fabs(x[1] + 0.2) <= 0.2 && fabs(x[2] - 0.1) <= 0.9;
}

// Within 0.15 of the inner box.
static bool in_rounded_box(const double x[3]) {
  double s = 0;
  for (int a = 0; a < 3; a++) s += sq(fmax(fabs(x[a] - MIDDLE[a]) - (HALF[a] - 0.15), 0));
  return s <= sq(0.15);
}

static void boxes_have_sharp_or_round_edges(void **state) {
  (void)state;
  firn_context *context = case_context();
  const shape_case sharp = {.name = "box", .inside = in_box, .exact = true};
  case_check(&sharp, case_make(context, firn_box(MIDDLE, HALF)), POINTS);
  const shape_case round = {.name = "rounded box", .inside = in_rounded_box, .exact = true};
  case_check(&round, case_make(context, firn_rounded_box(MIDDLE, HALF, 0.15)), POINTS);
  case_end(context);
}

static const double RADII[4][3] = {
    {0.5, 0.2, 0.9}, {0.8, 0.8, 0.1}, {0.2, 0.9, 0.9}, {0.4, 0.4, 0.4}};
static const double *radii;

static bool in_ellipsoid(const double x[3]) {
  double s = 0;
  for (int a = 0; a < 3; a++) s += sq((x[a] - MIDDLE[a]) / radii[a]);
  return s <= 1;
}

static void ellipsoids_are_exact_for_pancakes_and_needles(void **state) {
  (void)state;
  firn_context *context = case_context();
  for (int i = 0; i < 4; i++) {
    radii = RADII[i];
    const shape_case c = {.name = "ellipsoid", .inside = in_ellipsoid, .exact = true};
    case_check(&c, case_make(context, firn_ellipsoid(MIDDLE, radii)), POINTS);
  }
  case_end(context);
}

static const double FROM[3] = {-0.2, 0.1, 0.3}, TO[3] = {0.4, 0.6, -0.1};
static double radius, radius_to;

// In the ball around some point of the axis, whose radius goes evenly from the one to the other:
// |x - p(t)| - r(t) is convex in t, so thirds find its least value.
static bool in_round_cone(const double x[3]) {
  double lo = 0, hi = 1, best = INFINITY;
  for (int i = 0; i < 90; i++) {
    double f[2];
    for (int k = 0; k < 2; k++) {
      double t = lo + (hi - lo) * (k + 1) / 3, s = 0;
      for (int a = 0; a < 3; a++) s += sq(x[a] - FROM[a] - t * (TO[a] - FROM[a]));
      f[k] = sqrt(s) - radius - t * (radius_to - radius);
      best = fmin(best, f[k]);
    }
    if (f[0] < f[1]) {
      hi -= (hi - lo) / 3;
    } else {
      lo += (hi - lo) / 3;
    }
  }
  return best <= 0;
}

static void capsules_may_have_two_radii(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double pairs[3][2] = {{0.2, 0.2}, {0.3, 0.1}, {0.05, 0.35}};
  for (int i = 0; i < 3; i++) {
    radius = pairs[i][0];
    radius_to = pairs[i][1];
    const shape_case c = {.name = "capsule", .inside = in_round_cone, .exact = true, .rough = 1e-9};
    case_check(&c, case_make(context, firn_round_cone(FROM, TO, radius, radius_to)), POINTS / 2);
  }
  // One end within the other: the larger ball is all there is.
  radius = 0.1;
  radius_to = 1.2;
  const shape_case c = {.name = "ball", .inside = in_round_cone, .exact = true, .rough = 1e-9};
  case_check(&c, case_make(context, firn_round_cone(FROM, TO, radius, radius_to)), POINTS / 4);
  case_end(context);
}

static bool in_cone(const double x[3]) {
  double t, rho = to_axis(FROM, TO, x, &t);
  return t >= 0 && t <= 1 && rho <= radius + t * (radius_to - radius);
}

static void cylinders_and_cones_are_exact_at_rims_and_tips(void **state) {
  (void)state;
  firn_context *context = case_context();
  radius = radius_to = 0.25;
  const shape_case cylinder = {.name = "cylinder", .inside = in_cone, .exact = true};
  case_check(&cylinder, case_make(context, firn_cylinder(FROM, TO, 0.25)), POINTS);
  const double pairs[3][2] = {{0.4, 0}, {0, 0.8}, {0.1, 0.3}};
  for (int i = 0; i < 3; i++) {
    radius = pairs[i][0];
    radius_to = pairs[i][1];
    const shape_case c = {.name = "cone", .inside = in_cone, .exact = true};
    case_check(&c, case_make(context, firn_cone(FROM, TO, radius, radius_to)), POINTS);
  }
  case_end(context);
}

static bool in_torus(const double x[3]) {
  const double a[3] = {0.3, -0.2, 0.1}, b[3] = {0.3 + 1, -0.2 + 2, 0.1 + 3};
  double t, rho = to_axis(a, b, x, &t);
  return sq(rho - 0.5) + sq(t) * 14 <= sq(0.2);
}

static void a_torus_turns_about_its_axis(void **state) {
  (void)state;
  firn_context *context = case_context();
  const shape_case c = {.name = "torus", .inside = in_torus, .exact = true};
  case_check(&c, case_make(context, firn_torus(MIDDLE, (double[]){1, 2, 3}, 0.5, 0.2)), POINTS);
  case_end(context);
}

static bool in_prism(const double x[3]) {
  double r[3] = {x[0] - 0.3, x[1] + 0.2, x[2] - 0.1};
  double up = (r[1] + 0.2) / 0.4; // 0 at the bottom, 1 at the ridge
  return fabs(r[2]) <= 0.9 && up >= 0 && fabs(r[0]) <= 0.5 * (1 - up);
}

static void a_prism_is_a_roof(void **state) {
  (void)state;
  firn_context *context = case_context();
  const shape_case c = {.name = "prism", .inside = in_prism, .exact = true};
  case_check(&c, case_make(context, firn_prism(MIDDLE, HALF)), POINTS);
  case_end(context);
}

// Functions of a size take whole edges, the others half of them.
static void sizes_are_whole_edges(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double size[3] = {2 * HALF[0], 2 * HALF[1], 2 * HALF[2]};
  const firn_shape_def defs[][2] = {
      {firn_box_of_size(MIDDLE, size), firn_box(MIDDLE, HALF)},
      {firn_rounded_box_of_size(MIDDLE, size, 0.1), firn_rounded_box(MIDDLE, HALF, 0.1)},
      {firn_prism_of_size(MIDDLE, size), firn_prism(MIDDLE, HALF)},
  };
  for (size_t k = 0; k < sizeof defs / sizeof *defs; k++) {
    double lo[2][3], hi[2][3];
    for (int i = 0; i < 2; i++) {
      firn_shape *shape = case_make(context, defs[k][i]);
      assert_true(firn_shape_bounds(shape, lo[i], hi[i]));
      firn_shape_release(shape);
    }
    assert_memory_equal(lo[0], lo[1], sizeof lo[0]);
    assert_memory_equal(hi[0], hi[1], sizeof hi[0]);
    for (int a = 0; a < 3; a++) assert_true(fabs(hi[0][a] - lo[0][a] - size[a]) < 1e-12);
  }
  case_end(context);
}

// Contact asks for this: a tangent of a convex distance is below it everywhere.
static void what_says_it_is_convex_is_convex(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *ball = case_make(context, firn_sphere(MIDDLE, 0.5));
  firn_shape *box = case_make(context, firn_box(MIDDLE, HALF));
  const double turn[4] = {0.1, 0.5, -0.3, 0.8};
  const firn_shape_def defs[] = {
      firn_half_space(MIDDLE, (double[]){1, 2, -2}),
      firn_sphere(MIDDLE, 0.7),
      firn_box(MIDDLE, HALF),
      firn_rounded_box(MIDDLE, HALF, 0.1),
      firn_ellipsoid(MIDDLE, HALF),
      firn_round_cone(FROM, TO, 0.3, 0.1),
      firn_cylinder(FROM, TO, 0.25),
      firn_cone(FROM, TO, 0.4, 0),
      firn_prism(MIDDLE, HALF),
      firn_transform(box, (double[]){0.2, 0.1, 0}, turn, 0.7),
      firn_intersection(2, (const firn_shape *[]){box, ball}),
      firn_offset(box, 0.1),
  };
  const double lo[3] = {-1, -1, -1}, hi[3] = {1.5, 1.5, 1.5};
  for (size_t k = 0; k < sizeof defs / sizeof *defs; k++) {
    firn_shape *shape = case_make(context, defs[k]);
    assert_true(shape->convex);
    for (uint64_t i = 0; i < 3000; i++) {
      double x[3], y[3], n[3];
      case_point(lo, hi, 5, i, x);
      case_point(lo, hi, 6, i, y);
      if (i % 5 == 0) memcpy(x, shape->center, sizeof x);
      double d = firn_shape_distance(shape, x, n), below = d;
      for (int a = 0; a < 3; a++) below += n[a] * (y[a] - x[a]);
      double e = firn_shape_distance(shape, y, NULL);
      if (!(e >= below - 1e-12)) {
        fail_msg("shape %zu of kind %d: %.17g < %.17g", k, (int)shape->kind, e, below);
      }
    }
    firn_shape_release(shape);
  }
  firn_shape_release(ball);
  firn_shape_release(box);
  case_end(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_half_space_is_one_side_of_a_plane),
      cmocka_unit_test(a_sphere_is_a_sphere),
      cmocka_unit_test(boxes_have_sharp_or_round_edges),
      cmocka_unit_test(ellipsoids_are_exact_for_pancakes_and_needles),
      cmocka_unit_test(capsules_may_have_two_radii),
      cmocka_unit_test(cylinders_and_cones_are_exact_at_rims_and_tips),
      cmocka_unit_test(a_torus_turns_about_its_axis),
      cmocka_unit_test(a_prism_is_a_roof),
      cmocka_unit_test(sizes_are_whole_edges),
      cmocka_unit_test(what_says_it_is_convex_is_convex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
