// SPDX-License-Identifier: Apache-2.0
// What is wrong is named; what is held lives; what fails for want of memory leaves nothing behind.
#define _GNU_SOURCE // mkstemp

#include "geometry/shape_case.h"

#include <unistd.h>

#include <firn/firn.h>

#include "render/png.h"
#include "support/books.h"

static const double O[3] = {0, 0, 0}, UP[3] = {0, 1, 0}, ONE[3] = {1, 1, 1};
static const double NOT = (double)NAN;

// Creating def fails, and the message has all of the words.
static void refuses(firn_context *context, firn_shape_def def, const char *word,
                    const char *value) {
  firn_shape *shape = (firn_shape *)1;
  size_t bytes = firn_context_bytes(context);
  assert_int_equal(firn_shape_create(context, &def, &shape), FIRN_ERROR_ARGUMENT);
  assert_null(shape);
  const char *message = firn_context_message(context);
  if (strncmp(message, "shape: ", 7) != 0 || !strstr(message, word) || !strstr(message, value)) {
    fail_msg("'%s' does not name %s and %s", message, word, value);
  }
  assert_int_equal(firn_context_bytes(context), bytes);
}

static void solids_name_what_is_wrong(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double bad[3] = {0, NOT, 0}, flat[3] = {1, 0, 1};
  refuses(context, firn_half_space(O, O), "normal", "(0 0 0)");
  refuses(context, firn_half_space(bad, UP), "center", "nan");
  refuses(context, firn_sphere(O, 0), "radius", "0 m");
  refuses(context, firn_sphere(O, -2), "radius", "-2 m");
  refuses(context, firn_sphere(O, NOT), "radius", "nan");
  refuses(context, firn_box(O, flat), "half[1]", "0 m");
  refuses(context, firn_rounded_box(O, ONE, 1.5), "rounding", "1.5 m");
  refuses(context, firn_rounded_box(O, ONE, -0.1), "rounding", "-0.1 m");
  refuses(context, firn_ellipsoid(O, flat), "half[1]", "0 m");
  refuses(context, firn_capsule(O, UP, 0), "radius", "0 m");
  refuses(context, firn_capsule(bad, UP, 1), "from", "nan");
  refuses(context, firn_round_cone(O, UP, 1, -1), "radius_to", "-1 m");
  refuses(context, firn_cylinder(UP, UP, 1), "from and to", "(0 1 0)");
  refuses(context, firn_cylinder(O, UP, 0), "radius", "0 m");
  refuses(context, firn_cone(O, UP, 0, 0), "radius", "0 m");
  refuses(context, firn_cone(O, UP, -1, 2), "radius", "-1 m");
  refuses(context, firn_torus(O, UP, 1, 1.5), "tube", "1.5 m");
  refuses(context, firn_torus(O, UP, 1, 0), "tube", "0 m");
  refuses(context, firn_prism(O, flat), "half[1]", "0 m");
  refuses(context, (firn_shape_def){.kind = FIRN_SHAPE_SDF}, "sdf", "NULL");
  refuses(context, (firn_shape_def){.kind = (firn_shape_kind)99}, "kind", "99");
  refuses(context, (firn_shape_def){.kind = (firn_shape_kind)-1}, "kind", "-1");
  case_end(context);
}

static void outlines_name_what_is_wrong(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double bow[] = {0, 0, 1, 1, 1, 0, 0, 1}, square[] = {0, 0, 1, 0, 1, 1, 0, 1};
  const double broken[] = {0, 0, 1, 0, 1, NOT, 0, 1}, point[] = {2, 2, 2, 2, 2, 2};
  refuses(context, firn_polygon(O, 2, square, 1), "points", "3");
  refuses(context, firn_polygon(O, 4, NULL, 1), "points", "0");
  refuses(context, firn_polygon(O, 4, square, 0), "depth", "0 m");
  refuses(context, firn_polygon(O, 4, broken, 1), "points[2]", "nan");
  refuses(context, firn_polygon(O, 3, point, 1), "points", "same");
  refuses(context, firn_polygon(O, 4, bow, 1), "crosses itself", "(0.5 0.5)");
  // Two squares that overlap; one that wants more points than there are, or leaves some.
  const double two[] = {0, 0, 1, 0, 1, 1, 0, 1, 0.5, 0.5, 1.5, 0.5, 1.5, 1.5, 0.5, 1.5};
  const int fours[] = {4, 4}, many[] = {4, 9}, few[] = {4};
  firn_shape_def def = firn_polygon(O, 8, two, 1);
  def.contours = fours;
  def.contour_count = 2;
  refuses(context, def, "crosses itself", "edges from");
  def.contours = many;
  refuses(context, def, "contour 1", "9 points");
  def.contours = few;
  def.contour_count = 1;
  refuses(context, def, "contours use 4", "8 points");
  // An arc that reaches across the other side.
  const double slab[] = {0, 0, 1, 0, 1, 0.3, 0, 0.3};
  const double bulge[] = {0, 0, -1, 0}, wild[] = {0, NOT, 0, 0};
  def = firn_polygon(O, 4, slab, 1);
  def.bulge = bulge;
  refuses(context, def, "crosses itself", "edges from");
  def.bulge = wild;
  refuses(context, def, "bulge[1]", "nan");
  refuses(context, firn_path(O, 1, square, NULL, 0.1, 1), "points", "2");
  refuses(context, firn_path(O, 3, square, NULL, 0, 1), "thickness", "0 m");
  refuses(context, firn_path(O, 3, point, NULL, 0.1, 1), "points", "same");
  case_end(context);
}

static void text_names_letters_it_does_not_have(void **state) {
  (void)state;
  firn_context *context = case_context();
  refuses(context, firn_text(O, "", 1, 1), "text", "empty");
  refuses(context, firn_text(O, NULL, 1, 1), "text", "empty");
  refuses(context, firn_text(O, " \n ", 1, 1), "text", "empty");
  refuses(context, firn_text(O, "snow@home", 1, 1), "no letter", "'@'");
  refuses(context, firn_text(O, "schn\xc3\xa9", 1, 1), "no letter", "0xc3");
  refuses(context, firn_text(O, "a", 0, 1), "thickness", "0 m");
  refuses(context, firn_text(O, "a", 1, NOT), "depth", "nan");
  firn_shape_def def = firn_text(O, "a", 1, 1);
  def.thickness = 0.5;
  refuses(context, def, "thickness", "0.5 m");
  def = firn_text(O, "a", 1, 1);
  def.spacing = -1;
  refuses(context, def, "spacing", "-1");
  def = firn_text(O, "a", 1, 1);
  def.align = (firn_align)7;
  refuses(context, def, "align", "7");
  case_end(context);
}

static void fields_name_what_is_wrong(void **state) {
  (void)state;
  firn_context *context = case_context();
  const double size[2] = {1, 1}, none[2] = {1, 0}, heights[4] = {0, 0, NOT, 0},
               low[4] = {-2, -2, -2, -2};
  refuses(context, firn_height_field(O, none, 2, 2, heights), "size[1]", "0 m");
  refuses(context, firn_height_field(O, size, 2, 2, heights), "heights[1][0]", "nan");
  refuses(context, firn_height_field(O, size, 1, 2, heights), "1 x 2", "2 x 2");
  refuses(context, firn_height_field(O, size, 0, 0, heights), "columns", "0");
  refuses(context, firn_height_noise(O, size, 1, 0, 1, 1), "wavelength", "0 m");
  refuses(context, firn_height_noise(O, size, NOT, 1, 1, 1), "amplitude", "nan");
  refuses(context, firn_height_noise(O, size, 1, 1, 99, 1), "octaves", "99");
  firn_shape_def def = firn_height_field(O, size, 2, 2, low);
  def.depth = 1;
  refuses(context, def, "depth", "-2 m");
  case_end(context);
}

static void made_up_shapes_name_what_is_wrong(void **state) {
  (void)state;
  firn_context *context = case_context(), *other = case_context();
  firn_shape *ball = case_make(context, firn_sphere(O, 1)),
             *foreign = case_make(other, firn_sphere(O, 1));
  firn_shape *far = case_make(context, firn_sphere((double[]){5, 0, 0}, 1));
  firn_shape *ground = case_make(context, firn_half_space(O, UP));
  const firn_shape *pair[2] = {ball, NULL}, *apart[2] = {ball, far};
  const int three[3] = {3, 1, 1}, crowd[3] = {500, 500, 500};
  refuses(context, firn_shape_handle(NULL), "shape", "NULL");
  refuses(context, firn_shape_handle(foreign), "shape", "another context");
  refuses(context, firn_union(0, pair), "union", "no shapes");
  refuses(context, firn_union(2, pair), "children[1]", "NULL");
  refuses(context, firn_intersection(2, apart), "intersection", "nothing is left");
  refuses(context, firn_smooth_union(2, apart, 0), "smoothing", "0 m");
  refuses(context, firn_transform(ball, O, (double[]){0, NOT, 0, 1}, 1), "rotation", "nan");
  refuses(context, firn_transform(ball, O, NULL, -1), "scale", "-1");
  refuses(context, firn_shell(ball, 0, 0), "inward + outward", "0 m");
  refuses(context, firn_shell(ball, -1, 2), "inward", "-1 m");
  refuses(context, firn_offset(ball, -1), "offset", "-1 m");
  refuses(context, firn_displace(ball, 1, 0, 1, 0), "wavelength", "0 m");
  refuses(context, firn_displace(ball, 1, 1, -1, 0), "octaves", "-1");
  refuses(context, firn_repeat(ground, three, ONE), "repeated", "without bounds");
  refuses(context, firn_repeat(ball, three, O), "step[0]", "0 m");
  refuses(context, firn_repeat(ball, crowd, (double[]){0.01, 0.01, 0.01}), "overlap", "0.01");
  refuses(context, firn_mirror(ball, O, 3), "axis", "3");
  refuses(context, firn_mirror(ball, (double[]){2, 0, 0}, 0), "behind the mirror", "2 m");
  firn_shape_release(ball);
  firn_shape_release(far);
  firn_shape_release(ground);
  firn_shape_release(foreign);
  case_end(other);
  case_end(context);
}

static void a_shape_lives_until_all_have_let_go(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *ball = case_make(context, firn_sphere(O, 1));
  assert_ptr_equal(firn_shape_retain(ball), ball);
  firn_shape_release(ball);
  firn_shape *moved = case_make(context, firn_transform(ball, ONE, NULL, 1));
  firn_shape *same = case_make(context, firn_shape_handle(moved));
  assert_ptr_equal(same, moved); // a handle is the shape itself
  firn_shape_release(ball);
  firn_shape_release(moved);
  assert_true(fabs(firn_shape_distance(same, ONE, NULL) + 1) < 1e-15); // all still there
  firn_shape_release(same);
  firn_shape_release(NULL);
  assert_null(firn_shape_retain(NULL));
  case_end(context);
}

// Two shapes of the same parameters have one digest; another parameter, another digest.
static void digests_tell_shapes_apart(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *ball = case_make(context, firn_sphere(O, 1)),
             *box = case_make(context, firn_box(O, ONE));
  const firn_shape *ab[2] = {ball, box}, *ba[2] = {box, ball};
  const int two[3] = {2, 1, 1}, three[3] = {3, 1, 1};
  const double triangle[] = {0, 0, 1, 0, 0, 1}, other[] = {0, 0, 1, 0, 0, 1.1};
  const double size[2] = {1, 1}, flat[4] = {0, 0, 0, 0}, bumpy[4] = {0, 0, 0, 0.1};
  const firn_shape_def defs[] = {
      firn_sphere(O, 1),
      firn_sphere(O, 1.0000001),
      firn_sphere(ONE, 1),
      firn_capsule(O, ONE, 1),
      firn_cylinder(O, ONE, 1),
      firn_cylinder(ONE, O, 1),
      firn_polygon(O, 3, triangle, 1),
      firn_polygon(O, 3, other, 1),
      firn_text(O, "A", 1, 1),
      firn_text(O, "B", 1, 1),
      firn_height_field(O, size, 2, 2, flat),
      firn_height_field(O, size, 2, 2, bumpy),
      firn_union(2, ab),
      firn_union(2, ba),
      firn_intersection(2, ab),
      firn_smooth_union(2, ab, 0.1),
      firn_smooth_union(2, ab, 0.2),
      firn_transform(ball, ONE, NULL, 1),
      firn_transform(box, ONE, NULL, 1),
      firn_transform(box, ONE, NULL, 2),
      firn_displace(ball, 0.1, 1, 1, 1),
      firn_displace(ball, 0.1, 1, 1, 2),
      firn_repeat(ball, two, ONE),
      firn_repeat(ball, three, ONE),
      firn_mirror(ball, O, 0),
      firn_mirror(ball, O, 1),
  };
  enum { N = sizeof defs / sizeof *defs };
  uint64_t digest[N];
  for (int i = 0; i < N; i++) {
    for (int again = 0; again < 2; again++) {
      firn_shape *shape = case_make(context, defs[i]);
      if (again) assert_true(shape->digest == digest[i]);
      digest[i] = shape->digest;
      firn_shape_release(shape);
    }
    for (int k = 0; k < i; k++) {
      if (digest[k] == digest[i]) fail_msg("shapes %d and %d have one digest", k, i);
    }
  }
  firn_shape_release(ball);
  firn_shape_release(box);
  case_end(context);
}

static void a_def_serves_fills_and_a_handle_any_shape(void **state) {
  (void)state;
  firn_context *context = case_context();
  firn_shape *letters = case_make(context, firn_text(O, "ok", 0.2, 0.05));
  firn_sim_def sim_def = firn_default_sim_def();
  sim_def.h = 0.01;
  firn_sim *sim;
  assert_int_equal(firn_sim_create(context, &sim_def, &sim), FIRN_OK);
  firn_material_def snow = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  assert_int_equal(firn_sim_add_material(sim, &snow, &fill.material), FIRN_OK);
  fill.shape = firn_shape_handle(letters);
  assert_int_equal(firn_sim_fill(sim, &fill), FIRN_OK);
  // 8 particles a cell: the letters' volume, give or take its surface.
  double expected = firn_shape_volume(letters) / 1e-6 * 8;
  double count = (double)firn_sim_count(sim);
  print_message("%g particles for a volume of %g\n", count, expected);
  assert_true(fabs(count - expected) < 0.02 * expected);
  firn_collider_def wall = firn_default_collider_def();
  wall.shape = firn_shape_handle(letters);
  assert_int_equal(firn_sim_add_collider(sim, &wall, NULL), FIRN_OK);
  firn_shape_release(letters); // the collider still holds it
  assert_int_equal(firn_sim_step(sim, 1e-4, NULL), FIRN_OK);
  firn_sim_destroy(sim);
  case_end(context);
}

// --------------------------------------------------------------------------------------- memory

static void every_allocation_may_fail(void **state) {
  (void)state;
  char path[] = "/tmp/firn-height-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  books b = {0};
  firn_context *context;
  assert_int_equal(books_context(&b, 1, &context), FIRN_OK);
  size_t bytes = firn_context_bytes(context);
  const uint8_t rgb[2 * 2 * 3] = {0, 0, 0, 255, 255, 255};
  assert_int_equal(firn_png_write(context, path, 2, 2, rgb), FIRN_OK);
  firn_shape *ball = case_make(context, firn_sphere(O, 1));
  const firn_shape *some[2] = {ball, ball};
  const double square[] = {0, 0, 1, 0, 1, 1, 0, 1}, size[2] = {1, 1};
  const int two[3] = {2, 1, 1};
  const firn_shape_def defs[] = {
      firn_sphere(O, 1),
      firn_polygon(O, 4, square, 1),
      firn_path(O, 4, square, NULL, 0.1, 1),
      firn_text(O, "memory", 1, 1),
      firn_height_image(O, size, path, 1),
      firn_height_noise(O, size, 1, 1, 1, 1),
      firn_union(2, some),
      firn_displace(ball, 1, 1, 1, 1),
      firn_repeat(ball, two, ONE),
  };
  size_t held = firn_context_bytes(context);
  for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
    size_t n = 0;
    for (firn_status status = FIRN_ERROR_MEMORY; status != FIRN_OK; n++) {
      firn_shape *shape;
      books_close_after(&b, n);
      status = firn_shape_create(context, &defs[i], &shape);
      if (status == FIRN_OK) firn_shape_release(shape);
      if (status != FIRN_OK) assert_int_equal(status, FIRN_ERROR_MEMORY);
      assert_int_equal(firn_context_bytes(context), held);
      assert_true(n < 1000);
    }
    assert_true(n > 1); // at least one allocation was made to fail
  }
  books_open(&b);
  firn_shape_release(ball);
  assert_int_equal(firn_context_bytes(context), bytes);
  firn_context_destroy(context);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_name_what_is_wrong),
      cmocka_unit_test(outlines_name_what_is_wrong),
      cmocka_unit_test(text_names_letters_it_does_not_have),
      cmocka_unit_test(fields_name_what_is_wrong),
      cmocka_unit_test(made_up_shapes_name_what_is_wrong),
      cmocka_unit_test(a_shape_lives_until_all_have_let_go),
      cmocka_unit_test(digests_tell_shapes_apart),
      cmocka_unit_test(a_def_serves_fills_and_a_handle_any_shape),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
