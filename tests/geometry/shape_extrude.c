// SPDX-License-Identifier: Apache-2.0
// Polygons, paths and text.
#include "geometry/shape_case.h"

enum { POINTS = 3000 };

static const double MIDDLE[3] = {0.3, -0.2, 0.1};

static double sq(double x) {
  return x * x;
}

// Turns of a closed outline round p, by summing the angles between its points.
static double turns(const double *points, int count, double x, double y) {
  double sum = 0;
  for (int i = 0; i < count; i++) {
    const double *a = points + (size_t)2 * (size_t)i,
                 *b = points + (size_t)2 * (size_t)((i + 1) % count);
    double u[2] = {a[0] - x, a[1] - y}, v[2] = {b[0] - x, b[1] - y};
    sum += atan2(u[0] * v[1] - u[1] * v[0], u[0] * v[0] + u[1] * v[1]);
  }
  return sum / (2 * CASE_PI);
}

// A letter E with a notch and a slanted top, which has acute, right and reflex corners, and a
// square hole wound the same way.
static const double E[] = {0,   0,    0.8, 0,   0.8, 0.2, 0.3, 0.2, 0.3, 0.5,
                           0.6, 0.55, 0.3, 0.6, 0.3, 0.8, 0.9, 1.1, 0,   1, //
                           0.1, 0.3,  0.2, 0.3, 0.2, 0.4, 0.1, 0.4};
static const int E_CONTOURS[] = {10, 4};

static bool in_e(const double x[3]) {
  if (fabs(x[2] - 0.1) > 0.25) return false;
  double u = x[0] - 0.3, v = x[1] + 0.2;
  return fabs(turns(E, 10, u, v)) > 0.5 && fabs(turns(E + 20, 4, u, v)) < 0.5;
}

static void a_polygon_may_have_reflex_corners_and_holes(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape_def def = firn_polygon(MIDDLE, 14, E, 0.5);
  def.contours = E_CONTOURS;
  def.contour_count = 2;
  const shape_case c = {.name = "polygon", .inside = in_e, .exact = true};
  case_check(&c, case_make(context, def), POINTS);
  case_end(context);
}

// A half disc on a square with a quarter circle cut out of its side.
static const double BULGED[] = {0, 0, 1, 0, 1, 1, 0, 1};
static const double BULGES[] = {0, -0.41421356237309503, 1, 0};

static bool in_bulged(const double x[3]) {
  if (fabs(x[2] - 0.1) > 0.25) return false;
  double u = x[0] - 0.3, v = x[1] + 0.2;
  bool square = u >= 0 && u <= 1 && v >= 0 && v <= 1;
  bool cap = sq(u - 0.5) + sq(v - 1) <= 0.25 && v >= 1;
  // Going up the right side and turning right: the middle is at (1.5, 0.5), half a diagonal away.
  bool bite = sq(u - 1.5) + sq(v - 0.5) < 0.5;
  return (square || cap) && !bite;
}

static void a_polygon_may_have_arcs(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape_def def = firn_polygon(MIDDLE, 4, BULGED, 0.5);
  def.bulge = BULGES;
  const shape_case c = {.name = "bulged", .inside = in_bulged, .exact = true};
  case_check(&c, case_make(context, def), POINTS);
  // Two points and two half circles are a disc: area pi / 4.
  const double ends[] = {-0.5, 0, 0.5, 0}, both[] = {1, 1};
  def = firn_polygon(MIDDLE, 2, ends, 2);
  def.bulge = both;
  firn_shape *disc = case_make(context, def);
  assert_true(fabs(firn_shape_volume(disc) - CASE_PI / 2) < 1e-12);
  firn_shape_release(disc);
  case_end(context);
}

// A star of 400 points goes through the tree of segments.
enum { STAR = 400 };
static double star[2 * STAR];

static bool in_star(const double x[3]) {
  return fabs(x[2]) <= 0.5 && fabs(turns(star, STAR, x[0], x[1])) > 0.5;
}

static void a_polygon_of_many_points_finds_the_nearest(void **state) {
  (void)state;
  firn_context *context = case_context();
  for (int i = 0; i < STAR; i++) {
    double r = i % 2 ? 1 : 0.6 + 0.2 * sin(i * 0.1), phi = 2 * CASE_PI * i / STAR;
    star[2 * i] = r * cos(phi);
    star[2 * i + 1] = r * sin(phi);
  }
  const shape_case c = {.name = "star", .inside = in_star};
  const double zero[3] = {0, 0, 0};
  firn_shape *shape = case_make(context, firn_polygon(zero, STAR, star, 1));
  // The least over all edges, one by one.
  for (uint64_t i = 0; i < 1000; i++) {
    double x[3], least = INFINITY;
    case_point((double[]){-1.5, -1.5, -0.3}, (double[]){1.5, 1.5, 0.3}, 8, i, x);
    for (int k = 0; k < STAR; k++) {
      const double *a = star + (size_t)2 * (size_t)k;
      const double *b = star + (size_t)2 * (size_t)((k + 1) % STAR);
      double d[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {x[0] - a[0], x[1] - a[1]};
      double t = (v[0] * d[0] + v[1] * d[1]) / (sq(d[0]) + sq(d[1]));
      t = fmin(fmax(t, 0), 1);
      least = fmin(least, sqrt(sq(v[0] - t * d[0]) + sq(v[1] - t * d[1])));
    }
    double expected = in_star(x) ? -fmin(least, 0.5 - fabs(x[2])) : least;
    double d = firn_shape_distance(shape, x, NULL);
    if (fabs(d - expected) > 1e-12) CASE_FAIL(&c, x, "%.17g instead of %.17g", d, expected);
  }
  // Spikes this thin are gone from most of the promises' test points; a few are enough.
  case_check(&c, shape, 300);
  case_end(context);
}

// A plough's blade: a quarter circle of radius 0.5 around (0.5, 0.5), from (0, 0.5) to (0.5, 0),
// with round ends, then straight on along x.
static bool in_blade(const double x[3]) {
  if (fabs(x[2] - 0.1) > 1) return false;
  double u = x[0] - 0.3, v = x[1] + 0.2, t = 0.05;
  bool arc = u <= 0.5 && v <= 0.5 && fabs(sqrt(sq(u - 0.5) + sq(v - 0.5)) - 0.5) <= t;
  bool straight = u >= 0.5 && u <= 0.9 && fabs(v) <= t;
  return arc || straight || sq(u) + sq(v - 0.5) <= sq(t) || sq(u - 0.9) + sq(v) <= sq(t);
}

static void a_path_of_an_arc_is_a_blade(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double points[] = {0, 0.5, 0.5, 0, 0.9, 0}, bulge[] = {0.41421356237309503, 0, 0};
  const shape_case c = {.name = "blade", .inside = in_blade, .exact = true};
  case_check(&c, case_make(context, firn_path(MIDDLE, 3, points, bulge, 0.1, 2)), POINTS);
  case_end(context);
}

// A frame: closed, with round corners outside and sharp ones inside.
static bool in_frame(const double x[3]) {
  if (fabs(x[2]) > 0.2) return false;
  double u = fabs(x[0]) - 0.6, v = fabs(x[1]) - 0.4;
  double outside = sqrt(sq(fmax(u, 0)) + sq(fmax(v, 0)));
  double d = u > 0 || v > 0 ? outside : -fmax(u, v);
  return d <= 0.1;
}

static void a_closed_path_is_a_frame(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double points[] = {-0.6, -0.4, 0.6, -0.4, 0.6, 0.4, -0.6, 0.4}, zero[3] = {0, 0, 0};
  firn_shape_def def = firn_path(zero, 4, points, NULL, 0.2, 0.4);
  def.closed = true;
  const shape_case c = {.name = "frame", .inside = in_frame, .exact = true, .exact_outside = true};
  case_check(&c, case_make(context, def), POINTS);
  case_end(context);
}

// ----------------------------------------------------------------------------------------- text

// "lo": a bar and a ring. Height 0.7 with strokes of 0.1 makes the grid 0.1 wide; the gap is 0.126.
static bool in_lo(const double x[3]) {
  double u = x[0] - 0.3, v = x[1] + 0.2;
  if (fabs(x[2] - 0.1) > 0.1) return false;
  double bar = sqrt(sq(u - 0.05) + sq(v - fmin(fmax(v, 0.05), 0.65)));
  double ring = sqrt(sq(u - (0.1 + 0.126 + 0.05 + 0.2)) + sq(v - 0.25));
  return bar <= 0.05 || fabs(ring - 0.2) <= 0.05;
}

static void letters_stand_on_the_base_line_side_by_side(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape_def def = firn_text(MIDDLE, "lo", 0.7, 0.2);
  def.thickness = 0.1;
  const shape_case c = {.name = "lo", .inside = in_lo, .exact = true, .exact_outside = true};
  case_check(&c, case_make(context, def), POINTS);
  case_end(context);
}

static firn_shape *a_word;

static bool in_word(const double x[3]) {
  return firn_shape_distance(a_word, x, NULL) <= 0;
}

// Every letter keeps the promises, is as high as it should be, and is drawn in one piece or with
// dots; here inside is its own sign, so only the size of the distance is put to the test.
static void every_letter_keeps_the_promises(void **state) {
  (void)state;
  firn_context *context = case_context();
  const char *all = "!\"#%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_"
                    "abcdefghijklmnopqrstuvwxyz|";
  const double zero[3] = {0, 0, 0};
  for (const char *letter = all; *letter; letter++) {
    const char text[2] = {*letter, 0};
    a_word = case_make(context, firn_text(zero, text, 1, 0.3));
    const shape_case c = {.name = text, .inside = in_word, .exact = true, .exact_outside = true};
    double lo[3], hi[3];
    firn_shape_bounds(a_word, lo, hi);
    bool capital = *letter >= 'A' && *letter <= 'Z', digit = *letter >= '0' && *letter <= '9';
    if (capital || digit) {
      if (fabs(lo[1]) > 1e-12 || fabs(hi[1] - 1) > 1e-12) {
        fail_msg("%s reaches from %g to %g", text, lo[1], hi[1]);
      }
    }
    assert_true(hi[0] < 1.2 && lo[1] > -0.4 && hi[1] < 1.01);
    case_check(&c, firn_shape_retain(a_word), 150);
    firn_shape_release(a_word);
  }
  case_end(context);
}

static void extents(firn_context *context, const firn_shape_def *def, double lo[3], double hi[3]) {
  firn_shape *shape = case_make(context, *def);
  firn_shape_bounds(shape, lo, hi);
  firn_shape_release(shape);
}

static void text_is_aligned_and_spaced(void **state) {
  (void)state;
  firn_context *context = case_context();
  double lo[3], hi[3], wide[3];
  firn_shape_def def = firn_text(MIDDLE, "SIGGRAPH", 0.6, 0.2);
  extents(context, &def, lo, hi);
  double width = hi[0] - lo[0];
  assert_true(fabs(lo[0] - 0.3) < 1e-12 && fabs(lo[2]) < 1e-12 && fabs(hi[2] - 0.2) < 1e-12);
  def.align = FIRN_ALIGN_CENTER;
  extents(context, &def, lo, hi);
  assert_true(fabs(lo[0] + hi[0] - 0.6) < 1e-12);
  def.align = FIRN_ALIGN_RIGHT;
  extents(context, &def, lo, hi);
  assert_true(fabs(hi[0] - 0.3) < 1e-12);
  // Seven gaps of 0.18 letter heights, doubled.
  def.align = FIRN_ALIGN_LEFT;
  def.spacing = 2;
  extents(context, &def, lo, wide);
  assert_true(fabs(wide[0] - lo[0] - width - 7 * 0.18 * 0.6) < 1e-12);
  // A second line goes 1.6 letter heights down.
  def.text = "I\nI";
  extents(context, &def, lo, hi);
  assert_true(fabs(lo[1] + 0.2 + 1.6 * 0.6) < 1e-12 && fabs(hi[1] + 0.2 - 0.6) < 1e-12);
  case_end(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_polygon_may_have_reflex_corners_and_holes),
      cmocka_unit_test(a_polygon_may_have_arcs),
      cmocka_unit_test(a_polygon_of_many_points_finds_the_nearest),
      cmocka_unit_test(a_path_of_an_arc_is_a_blade),
      cmocka_unit_test(a_closed_path_is_a_frame),
      cmocka_unit_test(letters_stand_on_the_base_line_side_by_side),
      cmocka_unit_test(every_letter_keeps_the_promises),
      cmocka_unit_test(text_is_aligned_and_spaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
