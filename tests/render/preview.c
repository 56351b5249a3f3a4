// SPDX-License-Identifier: Apache-2.0
// processors: 2
// The quick picture: what it shows, that it does not depend on threads, and what it refuses.
#include "cache/scratch.h"

#include <math.h>

#include <png.h>

#include "base/random.h"
#include "render/png.h"
#include "render/preview.h"
#include "render/walls.h"

enum { W = 240, H = 135, MOST = 40000 };

typedef struct picture {
  uint8_t rgb[H][W][3];
} picture;

static double noise(uint32_t i, uint32_t k) {
  return firn_uniform(firn_philox4x32(5, i, k, 0).v[0]);
}

// A ball that broke into eight octants, lying on the ground at height 0, with some spray around.
static size_t broken_ball(double (*p)[3], double spacing) {
  const double r = 0.1;
  int n = (int)(2 * r / spacing);
  size_t count = 0;
  for (int c = 0; c < n * n * n; c++) {
    int cell[3] = {c % n, c / n % n, c / n / n};
    double x[3], norm = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = spacing * (cell[k] + noise((uint32_t)c, (uint32_t)k)) - r;
      norm += x[k] * x[k];
    }
    if (norm > r * r || count == MOST) continue;
    double apart = noise((uint32_t)c, 7) < 0.02 ? 1.5 * noise((uint32_t)c, 8) : 0.3;
    for (int k = 0; k < 3; k++) p[count][k] = x[k] + (x[k] > 0 ? apart : -apart) * r;
    p[count][1] = fabs(p[count][1]);
    count++;
  }
  return count;
}

static firn_preview_def small_def(void) {
  firn_preview_def def = {.width = W, .height = H, .show_ground = true};
  def.view[0] = -0.3;
  def.view[1] = -0.35;
  def.view[2] = -1;
  return def;
}

static void render(scratch *s, const firn_preview_def *def, size_t count, const double (*p)[3],
                   picture *out) {
  assert_int_equal(
      firn_preview_render(s->context, def, count, count ? p[0] : NULL, 0.005, NULL, (uint8_t *)out),
      FIRN_OK);
}

// Mean of the channels over a rectangle, 0 to 255.
static double mean(const picture *p, int x0, int y0, int x1, int y1) {
  double sum = 0;
  for (int y = y0; y < y1; y++) {
    for (int x = x0; x < x1; x++) sum += p->rgb[y][x][0] + p->rgb[y][x][1] + p->rgb[y][x][2];
  }
  return sum / (3.0 * (x1 - x0) * (y1 - y0));
}

static double ball[MOST][3];
static picture first, second;

// A ball of 5 cm that floats 6 cm above the ground.
static double floating(const void *user, int body, const double x[3], double normal[3]) {
  (void)user;
  (void)body;
  const double r[3] = {x[0], x[1] - 0.06, x[2]};
  double n = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  for (int k = 0; normal && k < 3; k++) normal[k] = r[k] / n;
  return n - 0.05;
}

static void bodies_are_painted_and_cast_shadows(void **state) {
  scratch *s = *state;
  const double bound[1][4] = {{0, 0.06, 0, 0.051}};
  const firn_solids solids = {.count = 1, .bound = bound, .distance = floating};
  firn_preview_def def = small_def();
  def.center[1] = 0.04;
  def.extent = 0.4;
  assert_int_equal(
      firn_preview_render(s->context, &def, 0, NULL, 0.005, &solids, (uint8_t *)&first), FIRN_OK);
  render(s, &def, 0, NULL, &second);
  // The paint is red; the ground and the sky are blue. The ball is 0.1 of 0.4 m high.
  int red = 0, darker = 0;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      const uint8_t *a = first.rgb[y][x], *b = second.rgb[y][x];
      if (a[0] > a[2]) red++;
      if (a[0] <= a[2] && a[0] + a[1] + a[2] < b[0] + b[1] + b[2] - 15) darker++;
    }
  }
  double disc = 3.14159 * (H / 8.0) * (H / 8.0);
  assert_true(red > 0.8 * disc && red < 1.2 * disc);
  assert_true(darker > 0.2 * disc && darker < 2 * disc); // its shadow, foreshortened
}

// How many pixels differ between the first and the second picture.
static int differing(void) {
  int n = 0;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) n += memcmp(first.rgb[y][x], second.rgb[y][x], 3) != 0;
  }
  return n;
}

static int shown_of_plane(scratch *s, const firn_preview_def *def, const double plane[4]) {
  const firn_solids solids = {.plane_count = 1,
                              .plane = (const double(*)[4])plane,
                              .has_snow = true,
                              .low = {-0.06, 0, -0.06},
                              .high = {0.06, 0.12, 0.06}};
  assert_int_equal(firn_preview_render(s->context, def, 0, NULL, 0.005, &solids, (uint8_t *)&first),
                   FIRN_OK);
  return differing();
}

static void a_half_space_is_a_wall_unless_it_is_the_ground_or_hides_all(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  def.center[1] = 0.1;
  def.extent = 0.4;
  render(s, &def, 0, NULL, &second);
  // 30 cm behind the middle and 22 cm high for a ball of 12 cm: it hides most of the upper half of the
  // picture, but not the corner in front of it.
  assert_in_range(shown_of_plane(s, &def, (double[]){0, 0, 1, -0.3}), W * H / 4, 3 * W * H / 4);
  assert_memory_not_equal(first.rgb[H / 3][W / 2], second.rgb[H / 3][W / 2], 3);
  assert_memory_equal(first.rgb[H - 1][W / 2], second.rgb[H - 1][W / 2], 3);
  // The camera stands behind this one.
  assert_int_equal(shown_of_plane(s, &def, (double[]){0, 0, -1, -0.3}), 0);
  // Far away it is small.
  assert_in_range(shown_of_plane(s, &def, (double[]){0, 0, 1, -30}), 0, W * H / 100);
  // Level: the ground itself, and a floor above it.
  assert_int_equal(shown_of_plane(s, &def, (double[]){0, 1, 0, 0}), 0);
  assert_true(shown_of_plane(s, &def, (double[]){0, 1, 0, 0.05}) > W * H / 4);
  def.show_ground = false;
  render(s, &def, 0, NULL, &second);
  assert_int_equal(shown_of_plane(s, &def, (double[]){0, 1, 0, 0.05}), 0);
}

static void a_wall_is_a_slab_with_its_surface_on_the_plane(void **state) {
  (void)state;
  // x < -1 is solid. The snow is a cube of 2 m around (10 1 0) and the picture's origin is its middle:
  // the slab reaches from the ground, 1 m lower, to 1 + 1.7 m above, and 5.25 m to both sides.
  const double plane[4] = {1, 0, 0, 9}, origin[3] = {10, 1, 0}, level[][4] = {{0, 1, 0, 0}};
  const double slope[][4] = {{0, 0.8, 0.6, 0}};
  firn_wall_site site = {.low = {9, 0, -1},
                         .high = {11, 2, 1},
                         .floor = (double)INFINITY,
                         .plane_count = 1,
                         .plane = level};
  firn_wall wall;
  firn_v3 normal, eye = {5, 0, 0}, away = {-1, 0, 0}, down = {0, -1, 0};
  assert_true(firn_wall_place(plane, &site, origin, eye, &wall));
  assert_true(fabsf(firn_wall_hit(&wall, eye, away, INFINITY, &normal) - 6) < 1e-5f);
  assert_true(normal.x == 1 && normal.y == 0 && normal.z == 0);
  assert_true(firn_wall_hit(&wall, eye, away, 5.9f, &normal) == INFINITY);
  assert_true(firn_wall_hit(&wall, (firn_v3){5, 2.69f, 5.24f}, away, 10, &normal) < 10);
  assert_true(firn_wall_hit(&wall, (firn_v3){5, 2.71f, 0}, away, 10, &normal) == INFINITY);
  assert_true(firn_wall_hit(&wall, (firn_v3){5, -0.99f, 0}, away, 10, &normal) < 10);
  assert_true(firn_wall_hit(&wall, (firn_v3){5, -1.01f, 0}, away, 10, &normal) == INFINITY);
  assert_true(firn_wall_hit(&wall, (firn_v3){5, 0, -5.26f}, away, 10, &normal) == INFINITY);
  assert_true(firn_wall_hit(&wall, eye, (firn_v3){1, 0, 0}, 10, &normal) == INFINITY); // behind
  // From above it is 0.35 m thick.
  assert_true(fabsf(firn_wall_hit(&wall, (firn_v3){-1.3f, 3, 0}, down, 9, &normal) - 0.3f) < 1e-5f);
  assert_true(normal.y == 1);
  assert_true(firn_wall_hit(&wall, (firn_v3){-1.36f, 3, 0}, down, 9, &normal) == INFINITY);
  // Another origin moves it by as much, and nothing else.
  firn_wall moved;
  assert_true(firn_wall_place(plane, &site, (double[]){12, 5, 3}, (firn_v3){3, -4, -3}, &moved));
  assert_memory_equal(moved.half, wall.half, sizeof wall.half);
  assert_true(fabsf(firn_wall_hit(&moved, (firn_v3){3, -4, -3}, away, 10, &normal) - 6) < 1e-5f);
  // On a slope that falls by 3 in 4 towards +z, down to where its lower end meets it; without ground
  // 4.25 m below the snow.
  site.plane = slope;
  assert_true(firn_wall_place(plane, &site, origin, eye, &wall));
  assert_true(fabsf(wall.middle[1] - wall.half[1] - (-1 - 0.75f * 5.25f)) < 1e-4f);
  site.plane_count = 0;
  assert_true(firn_wall_place(plane, &site, origin, eye, &wall));
  assert_true(fabsf(wall.middle[1] - wall.half[1] - (-1 - 4.25f)) < 1e-4f);
  site.floor = -0.5;
  assert_true(firn_wall_place(plane, &site, origin, eye, &wall));
  assert_true(fabsf(wall.middle[1] - wall.half[1] - -1.5f) < 1e-4f);
  // The eye is in it.
  assert_false(firn_wall_place(plane, &site, origin, (firn_v3){-1.1f, 0, 0}, &wall));
}

static void snow_is_white_on_a_darker_ground_with_shadow(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  size_t count = broken_ball(ball, 0.005);
  assert_in_range(count, 30000, MOST - 1);
  render(s, &def, count, (const double(*)[3])ball, &first);
  render(s, &def, 0, NULL, &second);
  // Framed, the pieces fill the middle; the corners are ground and backdrop.
  double middle = mean(&first, 97, 52, 143, 90), corner = mean(&first, 0, 105, 30, 135);
  assert_true(middle > corner + 40);
  // White: the brightest places are close to neutral, and there are many.
  int white = 0, shadow = 0;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      const uint8_t *c = first.rgb[y][x], *g = second.rgb[y][x];
      if (c[0] > 200 && c[1] > 200 && c[2] > 200 && abs(c[0] - c[2]) < 40) white++;
      if (c[0] + 20 < g[0] && c[1] + 20 < g[1]) shadow++;
    }
  }
  assert_true(white > 1000);
  assert_true(shadow > 300); // ground that is darker than without the snow
}

static void bytes_do_not_depend_on_threads(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  size_t count = broken_ball(ball, 0.005);
  render(s, &def, count, (const double(*)[3])ball, &first);
  for (int threads = 1; threads <= 5; threads += 2) {
    firn_context *context = s->context;
    firn_context_def with = firn_default_context_def();
    with.threads = threads;
    assert_int_equal(firn_context_create(&with, &s->context), FIRN_OK);
    render(s, &def, count, (const double(*)[3])ball, &second);
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(firn_context_bytes(s->context), 0);
    firn_context_destroy(s->context);
    s->context = context;
  }
}

static void no_particles_leave_the_ground(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  render(s, &def, 0, NULL, &first);
  assert_true(mean(&first, 0, 0, W, H) > 20);
  double nans[4][3];
  for (int i = 0; i < 12; i++) nans[i / 3][i % 3] = (double)NAN;
  render(s, &def, 4, (const double(*)[3])nans, &second);
  assert_memory_equal(&first, &second, sizeof first);
}

static void particles_that_are_not_finite_are_left_out(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  size_t count = broken_ball(ball, 0.01);
  render(s, &def, count, (const double(*)[3])ball, &first);
  ball[count][0] = ball[count][2] = 0;
  ball[count][1] = (double)NAN;
  ball[count + 1][0] = (double)INFINITY;
  ball[count + 1][1] = ball[count + 1][2] = 0;
  render(s, &def, count + 2, (const double(*)[3])ball, &second);
  assert_memory_equal(&first, &second, sizeof first);
}

static void one_that_flew_away_does_not_shrink_the_rest(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  size_t count = broken_ball(ball, 0.005);
  ball[count][0] = 1e9;
  ball[count][1] = 1e9;
  ball[count][2] = -1e9;
  render(s, &def, count + 1, (const double(*)[3])ball, &first);
  assert_true(mean(&first, 97, 52, 143, 90) > 100);
}

static void far_from_the_origin_looks_the_same(void **state) {
  scratch *s = *state;
  firn_preview_def def = small_def();
  size_t count = broken_ball(ball, 0.005);
  render(s, &def, count, (const double(*)[3])ball, &first);
  for (size_t i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) ball[i][k] += 1000;
  }
  def.ground = 1000;
  render(s, &def, count, (const double(*)[3])ball, &second);
  // Positions are the same up to 1e-13 m before they become floats, so that here and there one is
  // rounded the other way: the pictures may differ in single pixels only.
  double difference = 0;
  const uint8_t *a = (const uint8_t *)&first, *b = (const uint8_t *)&second;
  for (int i = 0; i < H * W * 3; i++) difference += abs(a[i] - b[i]);
  assert_true(difference / (H * W * 3) < 0.05);
}

static void any_view_gives_a_picture(void **state) {
  scratch *s = *state;
  size_t count = broken_ball(ball, 0.01);
  const double views[][3] = {{0, -1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1e-9, -1}, {-1e5, 3, 1e5}};
  for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
    firn_preview_def def = small_def();
    for (int k = 0; k < 3; k++) def.view[k] = views[i][k];
    def.show_ground = i % 2;
    render(s, &def, count, (const double(*)[3])ball, &first);
    assert_true(mean(&first, 97, 52, 143, 82) > 80);
  }
  // Inside of the snow, and a single particle.
  firn_preview_def def = small_def();
  def.extent = 0.001;
  def.center[1] = 0.02;
  render(s, &def, count, (const double(*)[3])ball, &first);
  def = small_def();
  render(s, &def, 1, (const double(*)[3])ball, &first);
  def.width = def.height = 1;
  render(s, &def, count, (const double(*)[3])ball, &first);
}

static void bad_requests_are_refused_by_name(void **state) {
  scratch *s = *state;
  uint8_t *rgb = (uint8_t *)&first;
  firn_preview_def def = small_def();
  def.width = 0;
  assert_int_equal(firn_preview_render(s->context, &def, 0, NULL, 1, NULL, rgb),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "size 0 x 135");
  def = small_def();
  def.view[1] = (double)NAN;
  assert_int_equal(firn_preview_render(s->context, &def, 0, NULL, 1, NULL, rgb),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "view", "nan");
  def = small_def();
  def.view[0] = def.view[1] = def.view[2] = 0;
  assert_int_equal(firn_preview_render(s->context, &def, 0, NULL, 1, NULL, rgb),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "view (0 0 0)");
  def = small_def();
  def.extent = -1;
  assert_int_equal(firn_preview_render(s->context, &def, 0, NULL, 1, NULL, rgb),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "extent -1");
  def = small_def();
  assert_int_equal(firn_preview_render(s->context, &def, 0, NULL, 0, NULL, rgb),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "spacing 0");
}

// ---- allocation failures

static int allocations_left;

static void *failing(void *user, void *p, size_t old_size, size_t size) {
  (void)user;
  if (size && allocations_left-- <= 0) return NULL;
  if (!size) {
    free(p);
    return NULL;
  }
  void *result = aligned_alloc(64, (size + 63) / 64 * 64);
  if (result && p) {
    memcpy(result, p, old_size < size ? old_size : size);
    free(p);
  }
  return result;
}

static void every_failing_allocation_is_survived(void **state) {
  (void)state;
  firn_context_def with = firn_default_context_def();
  firn_context *context;
  with.resize = failing;
  with.threads = 2;
  firn_preview_def def = small_def();
  def.width = 64;
  def.height = 36;
  const double wall[1][4] = {{0, 0, 1, -0.3}};
  const firn_solids solids = {.plane_count = 1, .plane = wall};
  size_t count = broken_ball(ball, 0.02);
  firn_status status = FIRN_ERROR_MEMORY;
  int n = 0;
  for (; status != FIRN_OK && n < 100; n++) {
    allocations_left = 1;
    assert_int_equal(firn_context_create(&with, &context), FIRN_OK);
    allocations_left = n;
    status = firn_preview_render(context, &def, count, ball[0], 0.02, &solids, (uint8_t *)&first);
    if (status != FIRN_OK) {
      assert_int_equal(status, FIRN_ERROR_MEMORY);
      assert_non_null(strstr(firn_context_message(context), "out of memory"));
    }
    assert_int_equal(firn_context_bytes(context), 0);
    firn_context_destroy(context);
  }
  assert_int_equal(status, FIRN_OK);
  assert_in_range(n, 10, 100);
}

// ---- files

static void a_png_holds_the_pixels(void **state) {
  scratch *s = *state;
  for (int i = 0; i < H * W * 3; i++) ((uint8_t *)&first)[i] = (uint8_t)(i * 7 + i / 255);
  assert_int_equal(firn_png_write(s->context, scratch_path(s, "a.png"), W, H, (uint8_t *)&first),
                   FIRN_OK);
  assert_int_equal(firn_png_write(s->context, scratch_path(s, "b.png"), W, H, (uint8_t *)&first),
                   FIRN_OK);
  assert_same_bytes(s, "a.png", "b.png");
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_file(&image, scratch_path(s, "a.png")));
  assert_int_equal(image.width, W);
  assert_int_equal(image.height, H);
  image.format = PNG_FORMAT_RGB;
  assert_true(png_image_finish_read(&image, NULL, second.rgb, 0, NULL));
  assert_memory_equal(&first, &second, sizeof first);
}

static void a_png_that_cannot_be_written_is_said(void **state) {
  scratch *s = *state;
  assert_int_equal(firn_png_write(s->context, scratch_path(s, "no/a.png"), W, H, (uint8_t *)&first),
                   FIRN_ERROR_IO);
  assert_message(s, "no/a.png", "No such file");
  // A disk without room: the temporary name leads to /dev/full.
  if (symlink("/dev/full", scratch_path(s, "b.png" FIRN_PART_SUFFIX)) == 0) {
    assert_int_equal(firn_png_write(s->context, scratch_path(s, "b.png"), W, H, (uint8_t *)&first),
                     FIRN_ERROR_IO);
    assert_message(s, "b.png", "No space left");
    assert_false(scratch_exists(s, "b.png"));
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(bodies_are_painted_and_cast_shadows),
      TEST(a_half_space_is_a_wall_unless_it_is_the_ground_or_hides_all),
      TEST(a_wall_is_a_slab_with_its_surface_on_the_plane),
      TEST(snow_is_white_on_a_darker_ground_with_shadow),
      TEST(bytes_do_not_depend_on_threads),
      TEST(no_particles_leave_the_ground),
      TEST(particles_that_are_not_finite_are_left_out),
      TEST(one_that_flew_away_does_not_shrink_the_rest),
      TEST(far_from_the_origin_looks_the_same),
      TEST(any_view_gives_a_picture),
      TEST(bad_requests_are_refused_by_name),
      TEST(every_failing_allocation_is_survived),
      TEST(a_png_holds_the_pixels),
      TEST(a_png_that_cannot_be_written_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
