// SPDX-License-Identifier: Apache-2.0
// Previews: the nearest ball wins, whatever the number of threads; what is cut away is not there;
// colours are even; walls are where their planes are.
#include "cache/scratch.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include <png.h>

#include "render/colormap.h"
#include "render/cut.h"
#include "render/png.h"
#include "render/preview.h"
#include "render/walls.h"

enum { COUNT = 3000, WIDTH = 90, HEIGHT = 50 };

static firn_context *context_of(int threads) {
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

// Random places in a box of 2 m around (0, 0, -5); some far outside, some no numbers.
static double *scatter(void) {
  double *p = malloc(sizeof(double) * 3 * COUNT);
  assert_non_null(p);
  srand(11);
  for (int i = 0; i < 3 * COUNT; i++) p[i] = 2.0 * rand() / RAND_MAX - 1 - (i % 3 == 2 ? 5 : 0);
  p[0] = NAN;
  p[4] = INFINITY;
  p[7] = 1e30;
  return p;
}

static firn_preview_shot shot_of(const double *position) {
  return (firn_preview_shot){.width = WIDTH,
                             .height = HEIGHT,
                             .camera = {.right = {1, 0, 0}, .up = {0, 1, 0}, .forward = {0, 0, -1}},
                             .half_height = 0.25f,
                             .sun = {0, 1, 0},
                             .count = COUNT,
                             .position = position,
                             .spacing = 0.05f,
                             .low = {-1, -1, -6},
                             .high = {1, 1, -4}};
}

static const firn_preview_view ahead = {
    .pose = {.right = {1, 0, 0}, .up = {0, 1, 0}, .forward = {0, 0, -1}},
    .scale = 100,
    .perspective = true,
    .grains = 1,
    .radius = 0.05f,
    .min_radius = 0.8f};

// Against every ball at every sample, one after the other. The paraboloid of a ball is known to float
// accuracy, so equal to 1e-5 m; whose it is may only differ between such.
static void the_nearest_ball_is_seen(void **state) {
  (void)state;
  double *position = scatter();
  firn_preview_shot shot = shot_of(position);
  enum { STRIDE = WIDTH + FIRN_PREVIEW_PADDING };
  static float depth[2][HEIGHT][STRIDE];
  static uint32_t index[2][HEIGHT][STRIDE];
  for (int k = 0; k < 2; k++) {
    firn_context *context = context_of(k ? 3 : 1);
    firn_preview_buffer buffer = {WIDTH, HEIGHT, STRIDE, &depth[k][0][0], &index[k][0][0]};
    assert_int_equal(firn_preview_draw(context, &shot, &ahead, &buffer), FIRN_OK);
    assert_int_equal(firn_context_bytes(context), 0);
    firn_context_destroy(context);
  }
  int covered = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      double nearest = INFINITY;
      for (int i = 0; i < COUNT; i++) {
        const double *p = position + (ptrdiff_t)3 * i;
        double d = -p[2], r = 0.05 * 100 / d;
        if (!(fabs(p[0]) < 1e10 && fabs(p[1]) < 1e10 && d > 0.05)) continue;
        double dx = x + 0.5 - (0.5 * WIDTH + 100 / d * p[0]),
               dy = y + 0.5 - (0.5 * HEIGHT - 100 / d * p[1]),
               q = 1 - (dx * dx + dy * dy) / (r * r);
        if (q > 1e-4) nearest = fmin(nearest, d - 0.05 * q);
      }
      bool seen = depth[0][y][x] < INFINITY;
      covered += seen;
      if (nearest < INFINITY) assert_true(seen && (double)depth[0][y][x] < nearest + 1e-5);
      // At the very edge of a ball rounding decides, where it is as deep as its middle.
      if (seen) assert_true((double)depth[0][y][x] > nearest - 0.06 || !(nearest < INFINITY));
      assert_true(seen == (index[0][y][x] < COUNT));
      assert_true(depth[0][y][x] == depth[1][y][x] && index[0][y][x] == index[1][y][x]);
    }
  assert_true(covered > 1000); // of some 40 x 40 that the box takes
  free(position);
}

static void pictures_do_not_depend_on_threads(void **state) {
  (void)state;
  double *position = scatter();
  static float value[COUNT];
  static uint8_t rgb[3][WIDTH * HEIGHT * 3], colors[FIRN_COLORS][3];
  firn_colormap_table(FIRN_COLORS_DEEP, colors);
  for (int i = 0; i < COUNT; i++) value[i] = (float)i / COUNT;
  value[5] = NAN;
  firn_preview_shot shot = shot_of(position);
  shot.value = value;
  shot.colors = (const uint8_t(*)[3])colors;
  const int threads[3] = {1, 2, 7};
  for (int k = 0; k < 3; k++) {
    firn_context *context = context_of(threads[k]);
    assert_int_equal(firn_preview_render(context, &shot, rgb[k]), FIRN_OK);
    firn_context_destroy(context);
  }
  assert_memory_equal(rgb[0], rgb[1], sizeof rgb[0]);
  assert_memory_equal(rgb[0], rgb[2], sizeof rgb[0]);
  free(position);
}

// A picture cut in the middle shows the sky on one side and nothing new on the other.
static void what_is_cut_away_is_not_drawn(void **state) {
  scratch *s = *state;
  double *position = scatter();
  firn_preview_shot shot = shot_of(position);
  static uint8_t empty[WIDTH * HEIGHT * 3], cut[WIDTH * HEIGHT * 3];
  shot.count = 0;
  assert_int_equal(firn_preview_render(s->context, &shot, empty), FIRN_OK);
  shot.count = COUNT;
  const firn_cut_def half = {.count = 1, .plane = {{1, 0, 0, 0}}}; // x > 0 goes
  firn_cuts cuts;
  assert_int_equal(firn_cuts_make(s->context, "preview", 1, &half, &cuts), FIRN_OK);
  shot.cuts = &cuts;
  assert_int_equal(firn_preview_render(s->context, &shot, cut), FIRN_OK);
  int left = 0, right = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      size_t at = 3 * ((size_t)y * WIDTH + (size_t)x);
      bool differs = memcmp(empty + at, cut + at, 3) != 0;
      left += differs && x < WIDTH / 2;
      // Balls reach over the cut by their radius: 0.035 m at 4 m and half a picture for 1 m.
      right += differs && x > WIDTH / 2 + 3;
    }
  assert_true(left > 400); // of some 20 x 40
  assert_int_equal(right, 0);
  free(position);
}

static double lightness(const uint8_t rgb[3]) {
  double c[3];
  for (int k = 0; k < 3; k++) {
    double x = rgb[k] / 255.0;
    c[k] = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
  }
  double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]),
         m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]),
         n = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
  return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * n;
}

// Lightness (of Oklab, from what the bytes say) climbs in equal steps; rounding to bytes moves it by
// less than 0.005 where it is light. In dark colours a byte of a weak channel is worth more.
static void colours_get_lighter_evenly(void **state) {
  (void)state;
  static uint8_t colors[FIRN_COLORS][3];
  for (int map = FIRN_COLORS_DEEP; map <= FIRN_COLORS_BALANCE; map++) {
    firn_colormap_table((firn_color_map)map, colors);
    int last = map == FIRN_COLORS_BALANCE ? FIRN_COLORS / 2 - 1 : FIRN_COLORS - 1;
    double first = lightness(colors[0]), step = (lightness(colors[last]) - first) / last;
    assert_true(step * last > 0.55);
    for (int i = 0; i <= last; i++) {
      double off = fabs(lightness(colors[i]) - (first + step * i));
      if (off > (first + step * i < 0.45 ? 0.012 : 0.006))
        fail_msg("map %d, colour %d: off by %g", map, i, off);
    }
  }
  for (int k = 0; k < 3; k++) // white in the middle, between blue and red
    assert_true(colors[FIRN_COLORS / 2][k] > 235);
  assert_true(colors[0][2] > 2 * colors[0][0]);
  assert_true(colors[FIRN_COLORS - 1][0] > 2 * colors[FIRN_COLORS - 1][2]);
  firn_colormap_table(FIRN_COLORS_EMBER, colors); // by way of red, not of green
  for (int i = 64; i < FIRN_COLORS; i++)
    assert_true(colors[i][0] >= colors[i][1] && colors[i][0] > colors[i][2]);
}

static void the_bar_fits_its_picture(void **state) {
  scratch *s = *state;
  static uint8_t colors[FIRN_COLORS][3];
  firn_colormap_table(FIRN_COLORS_EMBER, colors);
  const double ranges[][2] = {{0, 1}, {-1e-7, 1e-7}, {1e5, 1e5 + 1}, {-3e9, 4e12}};
  const int sizes[][2] = {{640, 360}, {64, 36}, {16, 16}, {2000, 1500}};
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 4; k++) {
      size_t bytes = 3 * (size_t)sizes[i][0] * (size_t)sizes[i][1];
      uint8_t *rgb = malloc(bytes);
      assert_non_null(rgb);
      memset(rgb, 40, bytes);
      assert_int_equal(firn_preview_bar(s->context, (const uint8_t(*)[3])colors, ranges[k], "speed",
                                        "m/s", sizes[i][0], sizes[i][1], rgb),
                       FIRN_OK);
      // The left stays free; where there is no room, nothing is drawn.
      for (int y = 0; y < sizes[i][1]; y++) assert_int_equal(rgb[3 * y * sizes[i][0]], 40);
      bool drawn = false;
      for (size_t b = 0; b < bytes; b++) drawn = drawn || rgb[b] != 40;
      assert_true(drawn == (sizes[i][0] > 100));
      free(rgb);
    }
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
  firn_v3 normal, eye = {5, 0, 0};
  assert_true(firn_wall_place(plane, &site, origin, eye, &wall));
  const struct {
    firn_v3 at, normal;
    float distance;
  } cases[] = {
      {{5, 0, 0}, {1, 0, 0}, 6},             // where the eye is
      {{-1.1f, 0, 0}, {1, 0, 0}, -0.1f},     // within
      {{-1.6f, 0, 0}, {-1, 0, 0}, 0.25f},    // 0.35 m thick
      {{-1.2f, 3.7f, 0}, {0, 1, 0}, 1},      // above
      {{-1.2f, -1.5f, 0}, {0, -1, 0}, 0.5f}, // below
      {{-1.2f, 0, 6.25f}, {0, 0, 1}, 1},     // aside
      {{-0.7f, 0, -5.65f}, {0.6f, 0, -0.8f}, 0.5f},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(fabsf(firn_wall_distance(&wall, cases[i].at, &normal) - cases[i].distance) < 1e-5f);
    firn_v3 off = firn_v3_sub(normal, cases[i].normal);
    assert_true(firn_v3_dot(off, off) < 1e-9f);
    assert_true(firn_wall_distance(&wall, cases[i].at, NULL) ==
                firn_wall_distance(&wall, cases[i].at, &normal));
  }
  // Another origin moves it by as much, and nothing else.
  firn_wall moved;
  assert_true(firn_wall_place(plane, &site, (double[]){12, 5, 3}, (firn_v3){3, -4, -3}, &moved));
  assert_memory_equal(moved.half, wall.half, sizeof wall.half);
  assert_true(fabsf(firn_wall_distance(&moved, (firn_v3){3, -4, -3}, NULL) - 6) < 1e-5f);
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

// ------------------------------------------------------------------------------------ anything goes

static uint8_t first[WIDTH * HEIGHT * 3], second[WIDTH * HEIGHT * 3];

static void take(scratch *s, const firn_preview_shot *shot, uint8_t *rgb) {
  assert_int_equal(firn_preview_render(s->context, shot, rgb), FIRN_OK);
}

static double difference(void) {
  double sum = 0;
  for (int i = 0; i < WIDTH * HEIGHT * 3; i++) sum += abs(first[i] - second[i]);
  return sum / (WIDTH * HEIGHT * 3);
}

// Places are the same up to 1e-13 m before they become floats, so that here and there one is rounded
// the other way: the pictures may differ in single pixels only.
static void far_from_the_origin_looks_the_same(void **state) {
  scratch *s = *state;
  double *position = scatter();
  firn_preview_shot shot = shot_of(position);
  take(s, &shot, first);
  for (int i = 0; i < 3 * COUNT; i++) position[i] += 1000;
  for (int a = 0; a < 3; a++) {
    shot.origin[a] += 1000;
    shot.low[a] += 1000;
    shot.high[a] += 1000;
  }
  take(s, &shot, second);
  assert_true(difference() < 0.05);
  shot.origin[0] += 0.3;
  take(s, &shot, second);
  assert_true(difference() > 1);
  free(position);
}

// A few grains cover about what one ball does, and show no beads: more of them is the same picture,
// finer.
static void few_particles_are_drawn_as_more_grains(void **state) {
  scratch *s = *state;
  double *position = scatter();
  firn_preview_shot shot = shot_of(position);
  int covered[2] = {0, 0};
  enum { STRIDE = WIDTH + FIRN_PREVIEW_PADDING };
  static float depth[HEIGHT][STRIDE];
  firn_preview_buffer buffer = {WIDTH, HEIGHT, STRIDE, &depth[0][0], NULL};
  for (int k = 0; k < 2; k++) {
    firn_preview_view view = ahead;
    if (k) {
      view.grains = 8;
      view.spread = 0.07f;
      view.radius = 0.025f;
    }
    assert_int_equal(firn_preview_draw(s->context, &shot, &view, &buffer), FIRN_OK);
    for (int i = 0; i < WIDTH * HEIGHT; i++) covered[k] += depth[i / WIDTH][i % WIDTH] < INFINITY;
  }
  assert_in_range(covered[1], 0.9 * covered[0], 1.1 * covered[0]);
  free(position);
}

static void any_view_gives_a_picture(void **state) {
  scratch *s = *state;
  double *position = scatter();
  const firn_v3 eyes[] = {{0, 0, 0}, {0, 0, -5}, {0, 0, -20}, {1e6f, 0, 0}};
  firn_preview_shot shot = shot_of(position);
  for (size_t i = 0; i < sizeof eyes / sizeof *eyes; i++) {
    shot.camera.eye = eyes[i];
    take(s, &shot, first);
  }
  shot.count = 1;
  take(s, &shot, first);
  shot.width = shot.height = 1;
  take(s, &shot, first);
  free(position);
}

// -------------------------------------------------------------------------------------------- files

static void a_png_holds_the_pixels(void **state) {
  scratch *s = *state;
  for (int i = 0; i < WIDTH * HEIGHT * 3; i++) first[i] = (uint8_t)(i * 7 + i / 255);
  assert_int_equal(firn_png_write(s->context, scratch_path(s, "a.png"), WIDTH, HEIGHT, first),
                   FIRN_OK);
  assert_int_equal(firn_png_write(s->context, scratch_path(s, "b.png"), WIDTH, HEIGHT, first),
                   FIRN_OK);
  assert_same_bytes(s, "a.png", "b.png");
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_file(&image, scratch_path(s, "a.png")));
  assert_int_equal(image.width, WIDTH);
  assert_int_equal(image.height, HEIGHT);
  image.format = PNG_FORMAT_RGB;
  assert_true(png_image_finish_read(&image, NULL, second, 0, NULL));
  assert_memory_equal(first, second, sizeof first);
}

static void a_png_that_cannot_be_written_is_said(void **state) {
  scratch *s = *state;
  assert_int_equal(firn_png_write(s->context, scratch_path(s, "no/a.png"), WIDTH, HEIGHT, first),
                   FIRN_ERROR_IO);
  assert_message(s, "no/a.png", "No such file");
  // No room for it.
  struct rlimit limit, none = {.rlim_cur = 8};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  none.rlim_max = limit.rlim_max;
  void (*former)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
  firn_status status = firn_png_write(s->context, scratch_path(s, "b.png"), WIDTH, HEIGHT, first);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, former);
  assert_int_equal(status, FIRN_ERROR_IO);
  assert_message(s, "b.png", "File too large");
  assert_false(scratch_exists(s, "b.png"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_nearest_ball_is_seen),
      cmocka_unit_test(pictures_do_not_depend_on_threads),
      TEST(what_is_cut_away_is_not_drawn),
      cmocka_unit_test(colours_get_lighter_evenly),
      TEST(the_bar_fits_its_picture),
      cmocka_unit_test(a_wall_is_a_slab_with_its_surface_on_the_plane),
      TEST(far_from_the_origin_looks_the_same),
      TEST(few_particles_are_drawn_as_more_grains),
      TEST(any_view_gives_a_picture),
      TEST(a_png_holds_the_pixels),
      TEST(a_png_that_cannot_be_written_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
