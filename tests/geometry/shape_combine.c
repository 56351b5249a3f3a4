// SPDX-License-Identifier: Apache-2.0
// Shapes made of shapes.
#include "geometry/shape_case.h"

#include "geometry/noise.h"

enum { POINTS = 3000 };

static const double A[3] = {0, 0, 0}, B[3] = {0.4, 0.1, 0.05}, HALF[3] = {0.3, 0.4, 0.2};

static double sq(double x) {
  return x * x;
}

static double length(const double x[3]) {
  return sqrt(sq(x[0]) + sq(x[1]) + sq(x[2]));
}

static bool in_ball(const double x[3]) {
  return length(x) <= 0.5;
}

static bool in_box(const double x[3]) {
  return fabs(x[0] - 0.4) <= 0.3 && fabs(x[1] - 0.1) <= 0.4 && fabs(x[2] - 0.05) <= 0.2;
}

typedef struct pair {
  firn_context *context;
  firn_shape *ball, *box;
  const firn_shape *both[2];
} pair;

static pair begin(void) {
  pair p = {.context = case_context()};
  p.ball = case_make(p.context, firn_sphere(A, 0.5));
  p.box = case_make(p.context, firn_box(B, HALF));
  p.both[0] = p.ball;
  p.both[1] = p.box;
  return p;
}

static void end(pair *p) {
  firn_shape_release(p->ball);
  firn_shape_release(p->box);
  case_end(p->context);
}

static bool in_either(const double x[3]) {
  return in_ball(x) || in_box(x);
}

static bool in_each(const double x[3]) {
  return in_ball(x) && in_box(x);
}

static bool in_first_only(const double x[3]) {
  return in_ball(x) && !in_box(x);
}

static void set_operations_are_those_of_sets(void **state) {
  (void)state;
  pair p = begin();
  const shape_case either = {
      .name = "union", .inside = in_either, .exact = true, .exact_outside = true};
  case_check(&either, case_make(p.context, firn_union(2, p.both)), POINTS);
  const shape_case each = {.name = "intersection", .inside = in_each};
  case_check(&each, case_make(p.context, firn_intersection(2, p.both)), POINTS);
  const shape_case rest = {.name = "difference", .inside = in_first_only};
  case_check(&rest, case_make(p.context, firn_difference(2, p.both)), POINTS);
  end(&p);
}

// A box is the intersection of six half spaces, which bound nothing one by one.
static void half_spaces_intersect_in_a_box(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *side[6];
  for (int i = 0; i < 6; i++) {
    double sign = i % 2 ? 1 : -1, normal[3] = {0, 0, 0}, point[3] = {B[0], B[1], B[2]};
    normal[i / 2] = sign;
    point[i / 2] += sign * HALF[i / 2];
    side[i] = case_make(context, firn_half_space(point, normal));
  }
  const shape_case c = {
      .name = "six planes", .inside = in_box, .lo = {-1, -1, -1}, .hi = {1, 1, 1}};
  firn_shape *box = case_make(context, firn_intersection(6, (const firn_shape *const *)side));
  assert_false(box->bounded);
  assert_true(box->convex);
  case_check(&c, box, POINTS / 4);
  for (int i = 0; i < 6; i++) firn_shape_release(side[i]);
  case_end(context);
}

static const double K = 0.2;

// (a + b) / 2 - k / 4 - (a - b)^2 / (4 k) where |a - b| < k, and the lesser one elsewhere.
static bool in_blend(const double x[3]) {
  double r[3], d = -INFINITY, out = 0, a = length(x) - 0.5;
  for (int i = 0; i < 3; i++) {
    r[i] = fabs(x[i] - B[i]) - HALF[i];
    d = fmax(d, r[i]);
    out += sq(fmax(r[i], 0));
  }
  double b = d > 0 ? sqrt(out) : d;
  return (fabs(a - b) < K ? (a + b) / 2 - K / 4 - sq(a - b) / (4 * K) : fmin(a, b)) <= 0;
}

static void a_smooth_union_has_a_fillet_of_its_reach(void **state) {
  (void)state;
  pair p = begin();
  const shape_case c = {.name = "smooth union", .inside = in_blend};
  firn_shape *blend = case_make(p.context, firn_smooth_union(2, p.both, K));
  // Where the two surfaces meet it is k / 4 deep, and elsewhere that of the nearer one.
  const double far[3] = {-0.9, 0, 0};
  assert_true(fabs(firn_shape_distance(blend, far, NULL) - 0.4) < 1e-12);
  case_check(&c, blend, POINTS);
  end(&p);
}

// Rotation by Rodrigues' formula, not by quaternions.
static const double AXIS[3] = {1 / 3.0, 2 / 3.0, -2 / 3.0}, ANGLE = 0.8, SHIFT[3] = {0.2, -0.5, 1};

static void unturn(const double x[3], double out[3]) {
  double v[3], c = cos(-ANGLE), s = sin(-ANGLE), dot = 0;
  for (int a = 0; a < 3; a++) {
    v[a] = x[a] - SHIFT[a];
    dot += v[a] * AXIS[a];
  }
  const double cross[3] = {AXIS[1] * v[2] - AXIS[2] * v[1], AXIS[2] * v[0] - AXIS[0] * v[2],
                           AXIS[0] * v[1] - AXIS[1] * v[0]};
  for (int a = 0; a < 3; a++) out[a] = (c * v[a] + s * cross[a] + (1 - c) * dot * AXIS[a]) / 1.7;
}

static bool in_turned_box(const double x[3]) {
  double y[3];
  unturn(x, y);
  return in_box(y);
}

static void a_transform_scales_then_turns_then_moves(void **state) {
  (void)state;
  pair p = begin();
  double turn[4];
  firn_rotation((double[]){1, 2, -2}, ANGLE, turn);
  const shape_case c = {.name = "transform", .inside = in_turned_box, .exact = true};
  case_check(&c, case_make(p.context, firn_transform(p.box, SHIFT, turn, 1.7)), POINTS);
  // Nothing given is nothing done, to the bit.
  firn_shape *same = case_make(p.context, firn_transform(p.box, NULL, NULL, 0));
  for (uint64_t i = 0; i < 100; i++) {
    double x[3], n[3], m[3];
    case_point((double[]){-1, -1, -1}, (double[]){1, 1, 1}, 3, i, x);
    assert_true(firn_shape_distance(same, x, n) == firn_shape_distance(p.box, x, m));
    assert_memory_equal(n, m, sizeof n);
  }
  firn_shape_release(same);
  end(&p);
}

static bool in_shell(const double x[3]) {
  return length(x) >= 0.5 - 0.1 && length(x) <= 0.5 + 0.05;
}

static void a_shell_has_its_thickness_to_both_sides(void **state) {
  (void)state;
  pair p = begin();
  const shape_case c = {.name = "shell", .inside = in_shell, .exact = true};
  case_check(&c, case_make(p.context, firn_shell(p.ball, 0.1, 0.05)), POINTS);
  end(&p);
}

static bool in_grown_box(const double x[3]) {
  double out = 0;
  for (int i = 0; i < 3; i++) out += sq(fmax(fabs(x[i] - B[i]) - HALF[i], 0));
  return out <= sq(0.15);
}

static bool in_shrunk_box(const double x[3]) {
  bool in = true;
  for (int i = 0; i < 3; i++) in &= fabs(x[i] - B[i]) <= HALF[i] - 0.1;
  return in;
}

static void an_offset_grows_round_and_shrinks_sharp(void **state) {
  (void)state;
  pair p = begin();
  const shape_case grown = {.name = "grown", .inside = in_grown_box, .exact = true};
  case_check(&grown, case_make(p.context, firn_offset(p.box, 0.15)), POINTS);
  const shape_case shrunk = {.name = "shrunk", .inside = in_shrunk_box};
  case_check(&shrunk, case_make(p.context, firn_offset(p.box, -0.1)), POINTS);
  end(&p);
}

// As steep as it is long: here a slope taken for less than it may be would show.
static bool in_steep_ball(const double x[3]) {
  return length(x) - 0.5 + 0.1 * firn_noise3(3, x[0] / 0.1, x[1] / 0.1, x[2] / 0.1, NULL) <= 0;
}

static bool in_rough_ball(const double x[3]) {
  double l = 0.25;
  return length(x) - 0.5 + 0.08 * firn_noise3_octaves(7, 3, x[0] / l, x[1] / l, x[2] / l, NULL) <=
         0;
}

static void noise_displaces_by_its_amplitude(void **state) {
  (void)state;
  pair p = begin();
  const shape_case c = {.name = "displace", .inside = in_rough_ball};
  case_check(&c, case_make(p.context, firn_displace(p.ball, 0.08, 0.25, 3, 7)), POINTS);
  const shape_case steep = {.name = "steep", .inside = in_steep_ball};
  case_check(&steep, case_make(p.context, firn_displace(p.ball, 0.1, 0.1, 1, 3)), POINTS);
  end(&p);
}

static firn_shape *self;

static bool in_self(const double x[3]) {
  return firn_shape_distance(self, x, NULL) <= 0;
}

// What is derived from a mere bound keeps the promises, too, and stays within its bounds.
static void modifiers_of_bounds_keep_the_promises(void **state) {
  (void)state;
  pair p = begin();
  firn_shape *cut = case_make(p.context, firn_difference(2, p.both));
  firn_shape *rough = case_make(p.context, firn_displace(cut, 0.05, 0.2, 2, 3));
  const firn_shape *some[2] = {rough, p.box};
  const int count[3] = {3, 1, 2};
  const firn_shape_def defs[] = {
      firn_offset(rough, 0.1),
      firn_shell(cut, 0.03, 0.03),
      firn_smooth_union(2, some, 0.15),
      firn_displace(rough, 0.03, 0.1, 1, 8),
      firn_repeat(rough, count, (double[]){0.5, 0, 0.9}), // copies overlap
      firn_mirror(rough, (double[]){0.1, 0, 0}, 0),       // cut in two by the mirror
      firn_union(2, some),
  };
  for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
    char name[16];
    snprintf(name, sizeof name, "bound %zu", i);
    self = case_make(p.context, defs[i]);
    const shape_case c = {.name = name, .inside = in_self};
    case_check(&c, firn_shape_retain(self), 600);
    firn_shape_release(self);
  }
  firn_shape_release(rough);
  firn_shape_release(cut);
  end(&p);
}

static bool in_row(const double x[3]) {
  for (int i = 0; i < 5; i++) {
    for (int k = 0; k < 2; k++) {
      const double y[3] = {x[0] - 0.8 * i, x[1], x[2] - 0.5 * k};
      if (in_box(y)) return true;
    }
  }
  return false;
}

// Boxes 0.6 wide every 0.25 m: a long beam.
static bool in_beam(const double x[3]) {
  return x[0] >= 0.1 && x[0] <= 0.7 + 9 * 0.25 && fabs(x[1] - 0.1) <= 0.4 &&
         fabs(x[2] - 0.05) <= 0.2;
}

static void copies_stand_where_they_should(void **state) {
  (void)state;
  pair p = begin();
  const int count[3] = {5, 0, 2}, many[3] = {10, 1, 1};
  const shape_case row = {.name = "repeat", .inside = in_row, .exact = true};
  case_check(&row, case_make(p.context, firn_repeat(p.box, count, (double[]){0.8, 0, 0.5})),
             POINTS);
  const shape_case beam = {.name = "beam", .inside = in_beam, .exact = true, .exact_outside = true};
  case_check(&beam, case_make(p.context, firn_repeat(p.box, many, (double[]){0.25, 0, 0})), POINTS);
  end(&p);
}

static bool in_mirrored(const double x[3]) {
  const double y[3] = {-0.2 + fabs(x[0] + 0.2), x[1], x[2]};
  return in_box(y);
}

static void a_mirror_shows_both_sides(void **state) {
  (void)state;
  pair p = begin();
  const shape_case c = {.name = "mirror", .inside = in_mirrored, .exact = true};
  case_check(&c, case_make(p.context, firn_mirror(p.box, (double[]){-0.2, 5, 5}, 0)), POINTS);
  end(&p);
}

// ------------------------------------------------------------------------------- far from it all

static int asked;

static double counting(void *user, const double x[3], double time, double n[3]) {
  (void)time;
  const double *c = user;
  double r[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
  asked++;
  memcpy(n, r, sizeof r);
  return length(r) - 0.1;
}

// Twenty balls in a ring, each within bounds of its own: what is far away is not asked, and the
// answer is the least of all distances, to the bit.
static void a_union_asks_only_those_who_may_be_nearest(void **state) {
  (void)state;
  enum { N = 20, LOOKS = 2000 };
  firn_context *context = case_context();
  firn_shape *ball[N];
  static double middle[N][3];
  for (int i = 0; i < N; i++) {
    double phi = 2 * CASE_PI * i / N;
    middle[i][0] = cos(phi);
    middle[i][1] = 0.1 * (i % 3);
    middle[i][2] = sin(phi);
    // The function bounds nothing, the box around it does, and does not touch it.
    firn_shape_def def = {.kind = FIRN_SHAPE_SDF, .sdf = counting, .sdf_user = middle[i]};
    firn_shape *raw = case_make(context, def);
    firn_shape *box = case_make(context, firn_box(middle[i], (double[]){0.1001, 0.1001, 0.1001}));
    ball[i] = case_make(context, firn_intersection(2, (const firn_shape *[]){raw, box}));
    firn_shape_release(raw);
    firn_shape_release(box);
  }
  firn_shape *all = case_make(context, firn_union(N, (const firn_shape *const *)ball));
  asked = 0;
  for (uint64_t i = 0; i < LOOKS; i++) {
    double x[3], n[3];
    case_point((double[]){-1.5, -1, -1.5}, (double[]){1.5, 1, 1.5}, 4, i, x);
    int before = asked;
    double d = firn_shape_distance(all, x, n), least = INFINITY;
    int cost = asked - before;
    for (int k = 0; k < N; k++) {
      double r[3] = {x[0] - middle[k][0], x[1] - middle[k][1], x[2] - middle[k][2]};
      double out = 0, deepest = -INFINITY;
      for (int a = 0; a < 3; a++) {
        double q = fabs(r[a]) - 0.1001;
        deepest = fmax(deepest, q);
        out += sq(fmax(q, 0));
      }
      least = fmin(least, fmax(length(r) - 0.1, deepest > 0 ? sqrt(out) : deepest));
    }
    assert_true(fabs(d - least) <= 1e-15 * (1 + least));
    asked = before + cost;
  }
  // Typically one or two of the twenty.
  print_message("asked %.2f of %d on average\n", (double)asked / LOOKS, N);
  assert_true(asked < 3 * LOOKS);
  for (int i = 0; i < N; i++) firn_shape_release(ball[i]);
  firn_shape_release(all);
  case_end(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(set_operations_are_those_of_sets),
      cmocka_unit_test(half_spaces_intersect_in_a_box),
      cmocka_unit_test(a_smooth_union_has_a_fillet_of_its_reach),
      cmocka_unit_test(a_transform_scales_then_turns_then_moves),
      cmocka_unit_test(a_shell_has_its_thickness_to_both_sides),
      cmocka_unit_test(an_offset_grows_round_and_shrinks_sharp),
      cmocka_unit_test(noise_displaces_by_its_amplitude),
      cmocka_unit_test(modifiers_of_bounds_keep_the_promises),
      cmocka_unit_test(copies_stand_where_they_should),
      cmocka_unit_test(a_mirror_shows_both_sides),
      cmocka_unit_test(a_union_asks_only_those_who_may_be_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
