// SPDX-License-Identifier: Apache-2.0
// wraps: firn_shape_look firn_shape_sample
// Previews: numbers are those of the field that was asked for, light comes from the sun and
// casts shadows, bodies hide what is behind them.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <math.h>

#include <png.h>

#include "cache/frame.h"
#include "geometry/shape.h"

enum { WIDTH = 160, HEIGHT = 100, EDGE = 15, COUNT = EDGE * EDGE * EDGE };

static float position[COUNT][3], stress[COUNT][6], level[COUNT];

// A cube of 30 cm of particles 2 cm apart, standing on y = 0, with a stress and a field `level`.
static firn_frame *write_frame(scratch *s, size_t count) {
  for (int i = 0; i < COUNT; i++) {
    position[i][0] = 0.02f * (float)(i % EDGE - EDGE / 2);
    position[i][1] = 0.02f * (float)(i / EDGE % EDGE) + 0.01f;
    position[i][2] = 0.02f * (float)(i / EDGE / EDGE - EDGE / 2);
    const float t[6] = {-1, -2, -6, 4, 5, 7}; // xx yy zz xy xz yz
    memcpy(stress[i], t, sizeof t);
    level[i] = position[i][1];
  }
  const firn_frame_array arrays[] = {
      {"position", "m", FIRN_ARCHIVE_F32, 3, 0, position},
      {"stress", "Pa", FIRN_ARCHIVE_F32, 6, 0, stress},
      {"level", "m", FIRN_ARCHIVE_F32, 1, 0, level},
  };
  const firn_frame_head head = {.count = count, .h = 0.04};
  const char *path = scratch_path(s, "frame.hdf");
  assert_int_equal(firn_frame_write(s->context, path, &head, 3, arrays), FIRN_OK);
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, path, &frame), FIRN_OK);
  return frame;
}

static firn_scene *read_ground(scratch *s, const char *ground, const char *colliders) {
  const char *path = scratch_path(s, "scene.yaml");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "firn: 1\nh: 4 cm\nsnow: [{shape: {box: {center: [0, 0.2, 0], size: [0.3, 0.3, 0.3]}}}]\n"
          "colliders:\n  - {shape: {%s}}\n%s",
          ground, colliders);
  fclose(file);
  firn_scene *scene = NULL;
  firn_status status = firn_scene_load(s->context, path, 0, NULL, &scene);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(s->context));
  return scene;
}

static firn_scene *read_scene(scratch *s, const char *colliders) {
  return read_ground(s, "half_space: {normal: [0, 1, 0]}", colliders);
}

// From the front, a little from above; the sun is at `side` along x.
static firn_preview_def look_at(double side) {
  firn_preview_def def = firn_default_preview_def();
  def.ground = (double)NAN;
  def.width = WIDTH;
  def.height = HEIGHT;
  def.camera = (firn_camera_def){
      .eye = {0, 0.7, 2}, .target = {0, 0.1, 0}, .up = {0, 1, 0}, .fov = 0.6};
  def.sun = (firn_sun_def){.direction = {side, 0.6, 0.3}};
  return def;
}

typedef uint8_t pixels[HEIGHT][WIDTH][3];

static double grey(const uint8_t p[3]) {
  return (p[0] + p[1] + p[2]) / 3.0;
}

static void colours_are_of_the_number_that_was_named(void **state) {
  scratch *s = *state;
  firn_frame *frame = write_frame(s, COUNT);
  const struct {
    const char *color;
    double value;
  } cases[] = {{"pressure", 3},
               {"stress.xx", -1},
               {"stress.zz", -6},
               {"stress.xy", 4},
               {"stress.yz", 7},
               {"stress.4", 5},
               {"stress", sqrt(1 + 4 + 36 + 2 * (16 + 25 + 49))}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double range[2];
    assert_int_equal(firn_frame_range(frame, cases[i].color, range), FIRN_OK);
    if (fabs(range[1] - cases[i].value) > 1e-5)
      fail_msg("%s is %g, not %g", cases[i].color, range[1], cases[i].value);
  }
  firn_frame_close(frame);
}

// The side that the sun stands on is brighter, and the shadow lies on the other.
static void light_comes_from_the_sun_and_shadows_fall_away_from_it(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(s, "");
  static pixels with, without;
  for (int side = -1; side <= 1; side += 2) {
    firn_preview_def def = look_at(side);
    firn_frame *frame = write_frame(s, 0);
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &without[0][0][0]), FIRN_OK);
    firn_frame_close(frame);
    frame = write_frame(s, COUNT);
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &with[0][0][0]), FIRN_OK);
    firn_frame_close(frame);
    int shaded[2] = {0, 0}; // pixels of the ground left and right of the cube, which fills 66 to 94
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) {
        if (x >= 62 && x < 98) continue;
        if (grey(with[y][x]) < 0.85 * grey(without[y][x])) shaded[x > WIDTH / 2]++;
      }
    assert_true(shaded[side < 0] > 60); // the sun at the left: shadow at the right
    assert_true(shaded[side > 0] < 5);
    // Snow that lies level is brighter than the ground in the same light.
    assert_true(grey(with[35][WIDTH / 2]) > 1.3 * grey(with[80][WIDTH / 2]));
  }
  firn_scene_destroy(scene);
}

// A red ball before the snow, a green wall behind it and a blue ball behind the wall.
static void bodies_hide_what_is_behind_them(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(
      s,
      "  - {shape: {sphere: {center: [0, 0.15, 0.5], radius: 0.06}}, look: {albedo: [1, 0, 0]}}\n"
      "  - {shape: {half_space: {point: [0, 0, -0.4], normal: [0, 0, 1]}}, look: {albedo: [0, 1, "
      "0]}}\n"
      "  - {shape: {sphere: {center: [0.25, 0.2, -0.6], radius: 0.1}}, look: {albedo: [0, 0, 1]}}"
      "\n");
  firn_frame *frame = write_frame(s, COUNT);
  firn_preview_def def = look_at(-1);
  firn_render_def render;
  assert_int_equal(firn_scene_render_def(scene, 0, &render), FIRN_OK);
  def.look_count = render.look_count;
  def.looks = render.looks;
  static pixels p;
  assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[0][0][0]), FIRN_OK);
  int red = 0, green = 0, blue = 0, white = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const uint8_t *c = p[y][x];
      red += c[0] > 40 && c[1] < 10 && c[2] < 10;
      green += c[1] > 40 && c[0] < 10 && c[2] < 10;
      blue += c[2] > 40 && c[0] < 10 && c[1] < 10;
      white += c[0] > 150 && abs(c[0] - c[2]) < 40;
    }
  // A radius of 0.06 m at 1.6 m: 100 / 2 / tan(0.3) / 1.6 x 0.06 = 6 pixels, an area of 115.
  assert_in_range(red, 85, 140);
  assert_true(green > 200);
  assert_int_equal(blue, 0);
  assert_true(white > 400); // of some 28 x 30 less the ball
  firn_frame_close(frame);
  firn_scene_destroy(scene);
}

// Ground that is no plane, and has no bounds: hills, and a plane with a ball in it.
static void hills_are_shown(void **state) {
  scratch *s = *state;
  static const char *const grounds[] = {
      "height_field: {center: [0, -0.1, 0], size: [3, 3], amplitude: 0.1, wavelength: 0.5}",
      "union: [{half_space: {normal: [0, 1, 0]}}, {sphere: {center: [0.4, 0, 0], radius: 0.1}}]"};
  firn_frame *frame = write_frame(s, COUNT);
  firn_preview_def def = look_at(-1);
  def.ground_look = def.bodies = (firn_look_def){.albedo = {1, 0, 0}};
  for (int k = 0; k < 2; k++) {
    firn_scene *scene = read_ground(s, grounds[k], "");
    static pixels p;
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[0][0][0]), FIRN_OK);
    firn_scene_destroy(scene);
    int red = 0;
    for (int y = HEIGHT / 2; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++) red += p[y][x][0] > 20 && p[y][x][1] < 10;
    // The lower half but for the foot of the cube.
    assert_true(red > 0.9 * (WIDTH * HEIGHT / 2 - 28 * 12));
  }
  firn_frame_close(frame);
}

// Turned or moved, it is still ground.
static void hills_have_the_look_of_the_ground(void **state) {
  scratch *s = *state;
#define HILLS "height_field: {center: [0, -0.1, 0], size: [3, 3], amplitude: 0.1, wavelength: 0.5}"
  static const char *const grounds[] = {HILLS, HILLS ", rotate: [0, 0, 3 deg]",
                                        HILLS
                                        ", scale: 1.1, rotate: [0, 40 deg, 0], move: [0.1, 0, 0]"};
  firn_frame *frame = write_frame(s, COUNT);
  firn_preview_def def = look_at(-1);
  def.ground_look = (firn_look_def){.albedo = {1, 0, 0}};
  def.bodies = (firn_look_def){.albedo = {0, 1, 0}};
  for (int k = 0; k < 3; k++) {
    firn_scene *scene = read_ground(s, grounds[k], "");
    static pixels p;
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[0][0][0]), FIRN_OK);
    firn_scene_destroy(scene);
    int red = 0, green = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
      const uint8_t *c = p[i / WIDTH][i % WIDTH];
      red += c[0] > 20 && c[1] < 10;
      green += c[1] > 20 && c[0] < 10;
    }
    assert_true(red > WIDTH * HEIGHT / 3);
    assert_int_equal(green, 0);
  }
  firn_frame_close(frame);
}

static size_t looks, samples; // calls, counted

double __wrap_firn_shape_look(const firn_shape *shape, const double at[3], double time,
                              double normal[3]);
double __real_firn_shape_look(const firn_shape *shape, const double at[3], double time,
                              double normal[3]);
double __wrap_firn_shape_look(const firn_shape *shape, const double at[3], double time,
                              double normal[3]) {
  __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
  return __real_firn_shape_look(shape, at, time, normal);
}

double __wrap_firn_shape_sample(const firn_shape *shape, const double at[3], double time,
                                double normal[3]);
double __real_firn_shape_sample(const firn_shape *shape, const double at[3], double time,
                                double normal[3]);
double __wrap_firn_shape_sample(const firn_shape *shape, const double at[3], double time,
                                double normal[3]) {
  __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED);
  return __real_firn_shape_sample(shape, at, time, normal);
}

// A ray of a pixel or of a shadow map walks some steps over hills. None searches for the nearest triangle,
// as few do that find the ground's bounds, which made a picture of hills cost eighteen times one of a plane; so it is four times.
static void hills_take_some_looks_a_ray_and_no_search(void **state) {
  enum { LOOKS = 220, SAMPLES = 100 }; // a pixel, a picture; at most 148 and 7 as written
  scratch *s = *state;
  static const char *const grounds[] = {
      "half_space: {normal: [0, 1, 0]}",
      "height_field: {center: [0, -0.1, 0], size: [4, 4], amplitude: 0.05, wavelength: 0.4, "
      "octaves: 4}",
      "height_field: {center: [0, -0.1, 0], size: [4, 4], amplitude: 0.05, wavelength: 0.4, "
      "octaves: 4}, rotate: [0, 0, 5 deg]"};
  firn_frame *frame = write_frame(s, COUNT);
  firn_preview_def def = look_at(-1);
  static pixels p;
  for (int k = 0; k < 3; k++) {
    firn_scene *scene = read_ground(s, grounds[k], "");
    looks = samples = 0;
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[0][0][0]), FIRN_OK);
    printf("    %s: %.1f looks a pixel, %zu samples\n", k ? "hills" : "a plane",
           (double)looks / (WIDTH * HEIGHT), samples);
    assert_true(samples < SAMPLES);
    assert_true(k ? looks > WIDTH * HEIGHT : looks == 0);
    assert_true(looks < LOOKS * WIDTH * HEIGHT);
    firn_scene_destroy(scene);
  }
  firn_frame_close(frame);
}

// A ball in the air darkens the ground to the right of it, the sun being at the left.
static void bodies_cast_shadows(void **state) {
  scratch *s = *state;
  static pixels p[2];
  firn_frame *frame = write_frame(s, COUNT);
  firn_preview_def def = look_at(-1);
  for (int k = 0; k < 2; k++) {
    firn_scene *scene = read_scene(
        s, k ? "  - {shape: {sphere: {center: [-0.8, 0.25, 0], radius: 0.1}}}\n" : "");
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[k][0][0][0]), FIRN_OK);
    firn_scene_destroy(scene);
  }
  firn_frame_close(frame);
  // The ball is about pixel (18, 40) and 16 wide; its shadow falls onto (-0.38, 0, -0.13).
  int dark = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 30; x < WIDTH; x++) dark += grey(p[1][y][x]) < 0.85 * grey(p[0][y][x]);
  assert_true(dark > 30);
}

// However long its normal is. A corner is beyond both planes of a cut, a slice between two cuts.
static void cuts_take_what_is_beyond_their_planes(void **state) {
  scratch *s = *state;
  static pixels p[6];
  const firn_cut_def all = {.count = 1, .plane = {{0, 1, 0, -1}}},
                     above = {.count = 1, .plane = {{0, 0.1, 0, 0.015}}},
                     same = {.count = 1, .plane = {{0, 7, 0, 7 * 0.15}}},
                     corner = {.count = 2, .plane = {{0, 1, 0, 0.15}, {1, 0, 0, 0}}},
                     slice[2] = {{.count = 1, .plane = {{1, 0, 0, 0.05}}},
                                 {.count = 1, .plane = {{-1, 0, 0, 0.05}}}};
  const firn_cut_def *const cuts[] = {NULL, &above, &same, &corner, slice, &all};
  const int counts[] = {0, 1, 1, 1, 2, 1};
  firn_frame *frame = write_frame(s, COUNT);
  for (int k = 0; k < 6; k++) {
    firn_preview_def def = look_at(-1);
    def.cut_count = counts[k];
    def.cuts = cuts[k];
    assert_int_equal(firn_frame_preview_pixels(frame, NULL, &def, &p[k][0][0][0]), FIRN_OK);
  }
  int snow[5] = {0}; // pixels that are not those of the picture without any
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < WIDTH * HEIGHT; i++)
      snow[k] += memcmp(p[k][i / WIDTH][i % WIDTH], p[5][i / WIDTH][i % WIDTH], 3) != 0;
  firn_frame_close(frame);
  assert_memory_equal(p[1], p[2], sizeof p[1]);
  // Seen from the front, all but the top face is halved; a corner takes a quarter, a slice two thirds.
  assert_true(snow[1] < 0.65 * snow[0] && snow[1] > 0.5 * snow[0]);
  assert_true(snow[3] < 0.87 * snow[0] && snow[3] > 0.75 * snow[0]);
  assert_true(snow[4] < 0.43 * snow[0] && snow[4] > 0.33 * snow[0]);
}

// A red ball before the snow and a ground: hidden ones are not there, hold-outs are black.
static void colliders_may_be_hidden_or_held_out(void **state) {
  scratch *s = *state;
  static const char *const ways[] = {"shown", "hidden", "holdout"};
  static pixels p[3];
  int red[3] = {0}, black[3] = {0};
  firn_frame *frame = write_frame(s, COUNT);
  for (int k = 0; k < 3; k++) {
    char ball[300];
    snprintf(ball, sizeof ball,
             "  - {shape: {sphere: {center: [0, 0.15, 0.5], radius: 0.06}}, in_pictures: %s, look: "
             "{albedo: [1, 0, 0]}}\n",
             ways[k]);
    firn_scene *scene = read_scene(s, ball);
    firn_preview_def def = look_at(-1), of_scene = firn_scene_preview(scene, 0);
    def.look_count = of_scene.look_count;
    def.looks = of_scene.looks;
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[k][0][0][0]), FIRN_OK);
    firn_scene_destroy(scene);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
      const uint8_t *c = p[k][i / WIDTH][i % WIDTH];
      red[k] += c[0] > 40 && c[1] < 10 && c[2] < 10;
      black[k] += c[0] < 10 && c[1] < 10 && c[2] < 10;
    }
  }
  firn_frame_close(frame);
  assert_in_range(red[0], 85, 140); // as above
  assert_in_range(black[2], 85, 140);
  assert_int_equal(red[1] + red[2] + black[0] + black[1], 0);
}

// A hidden floor is not made up for by the ground of the preview.
static void a_hidden_floor_is_no_floor(void **state) {
  scratch *s = *state;
  static pixels p[2];
  firn_frame *frame = write_frame(s, COUNT);
  firn_scene *scene = read_scene(s, "");
  firn_look_def look = {.albedo = {-1}, .mode = FIRN_LOOK_HIDDEN};
  firn_preview_def def = look_at(-1);
  def.look_count = 1;
  def.looks = &look;
  for (int k = 0; k < 2; k++) {
    def.ground = k ? 0 : (double)NAN;
    assert_int_equal(firn_frame_preview_pixels(frame, k ? scene : NULL, &def, &p[k][0][0][0]),
                     FIRN_OK);
  }
  firn_frame_close(frame);
  firn_scene_destroy(scene);
  assert_memory_equal(p[0], p[1], sizeof p[0]);
}

// Neither are hills and slopes, which a plane would cut through; beside a wall there is one.
static void hills_and_slopes_are_ground_enough(void **state) {
  scratch *s = *state;
  static const char *const grounds[] = {
      "height_field: {center: [0, -0.05, 0], size: [3, 3], amplitude: 0.1, wavelength: 0.5}",
      "half_space: {normal: [0, 1, 0.3]}", "half_space: {point: [0, -0.1, 0]}",
      "half_space: {point: [-1, 0, 0], normal: [1, 0, 0]}"};
  firn_frame *frame = write_frame(s, COUNT);
  for (int k = 0; k < 4; k++) {
    static pixels p[2];
    firn_scene *scene = read_ground(s, grounds[k], "");
    firn_preview_def def = look_at(-1);
    for (int made_up = 0; made_up < 2; made_up++) {
      def.ground = made_up ? 0 : (double)NAN;
      assert_int_equal(firn_frame_preview_pixels(frame, scene, &def, &p[made_up][0][0][0]),
                       FIRN_OK);
    }
    firn_scene_destroy(scene);
    if ((memcmp(p[0], p[1], sizeof p[0]) != 0) != (k == 3)) fail_msg("%s", grounds[k]);
  }
  firn_frame_close(frame);
}

// What is highest has the colour of the bar's top: so do the top of the cube and of the bar agree.
static void the_bar_and_the_snow_have_the_same_colours(void **state) {
  scratch *s = *state;
  firn_frame *frame = write_frame(s, COUNT);
  firn_preview_def def = look_at(-1);
  def.width = 4 * WIDTH;
  def.height = 4 * HEIGHT;
  def.color = "level";
  def.map = FIRN_COLORS_GREY; // dark to light
  static uint8_t p[4 * HEIGHT][4 * WIDTH][3];
  assert_int_equal(firn_frame_preview_pixels(frame, NULL, &def, &p[0][0][0]), FIRN_OK);
  assert_true(grey(p[165][320]) > 2 * grey(p[235][320])); // near the top and the foot of the cube
  // The bar: 0.2 to 0.8 of the height, its column where the colours change most.
  double most = 0;
  for (int x = 3 * WIDTH; x < 4 * WIDTH; x++) {
    double change = grey(p[(int)(0.22 * 4 * HEIGHT)][x]) - grey(p[(int)(0.78 * 4 * HEIGHT)][x]);
    most = fmax(most, change);
  }
  assert_true(most > 150);
  firn_frame_close(frame);
}

// Down to thumbnails there is a bar, and most of the picture is left.
static void the_bar_shrinks_with_the_picture(void **state) {
  scratch *s = *state;
  static const int sizes[][2] = {{640, 360}, {320, 180}, {192, 108}, {128, 72}};
  firn_frame *frame = write_frame(s, COUNT);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int w = sizes[k][0], h = sizes[k][1];
    static uint8_t p[2][640 * 360][3];
    firn_preview_def def = look_at(-1);
    def.width = w;
    def.height = h;
    def.color = "level";
    for (int bar = 0; bar < 2; bar++) {
      def.bar = bar;
      assert_int_equal(firn_frame_preview_pixels(frame, NULL, &def, &p[bar][0][0]), FIRN_OK);
    }
    int left = w;
    for (int i = 0; i < w * h; i++)
      if (memcmp(p[0][i], p[1][i], 3) != 0 && i % w < left) left = i % w;
    if (left == w) fail_msg("%d x %d: there is no bar", w, h);
    if (left < 0.6 * w) fail_msg("%d x %d: the bar takes %d pixels", w, h, w - left);
  }
  firn_frame_close(frame);
}

// What a newer program says in the rooms of structs is refused, not left out.
static void what_is_not_known_is_refused(void **state) {
  scratch *s = *state;
  static pixels p;
  firn_frame *frame = write_frame(s, COUNT);
  for (int k = 0; k < 6; k++) {
    firn_preview_def def = look_at(-1);
    firn_cut_def cut = {.count = 1, .plane = {{0, 1, 0, -1}}};
    firn_look_def look = {.albedo = {0.5, 0.5, 0.5}};
    double *const room[] = {def.camera.room, def.sun.room, def.ground_look.room,
                            def.bodies.room, look.room,    cut.room};
    static const char *const name[] = {"firn_preview_def", "firn_preview_def", "firn_preview_def",
                                       "firn_preview_def", "firn_look_def",    "firn_cut_def"};
    def.looks = &look;
    def.cuts = &cut;
    def.look_count = def.cut_count = 1;
    assert_int_equal(firn_frame_preview_pixels(frame, NULL, &def, &p[0][0][0]), FIRN_OK);
    room[k][3] = 1;
    assert_int_equal(firn_frame_preview_pixels(frame, NULL, &def, &p[0][0][0]),
                     FIRN_ERROR_UNSUPPORTED);
    assert_message(s, name[k]);
  }
  firn_frame_close(frame);
}

// A ground in any case, the floors of colliders alone, or neither.
static void ground_is_shown_as_asked(void **state) {
  scratch *s = *state;
  static pixels p[4];
  firn_frame *frame = write_frame(s, COUNT);
  firn_scene *scene = read_scene(s, "");
  const struct {
    const firn_scene *scene;
    bool shown;
    double height;
  } cases[4] = {
      {scene, true, (double)NAN}, {NULL, true, 0}, {scene, false, 0}, {NULL, true, (double)NAN}};
  for (int k = 0; k < 4; k++) {
    firn_preview_def def = look_at(-1);
    def.show_ground = cases[k].shown;
    def.ground = cases[k].height;
    assert_int_equal(firn_frame_preview_pixels(frame, cases[k].scene, &def, &p[k][0][0][0]),
                     FIRN_OK);
  }
  assert_memory_equal(p[0], p[1], sizeof p[0]);
  assert_memory_equal(p[2], p[3], sizeof p[0]);
  assert_memory_not_equal(p[0], p[2], sizeof p[0]);
  firn_scene_destroy(scene);
  firn_frame_close(frame);
}

static void read_png(scratch *s, const char *name, pixels out) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  assert_true(png_image_begin_read_from_file(&image, scratch_path(s, name)));
  image.format = PNG_FORMAT_RGB;
  assert_true(image.width == WIDTH && image.height == HEIGHT);
  assert_true(png_image_finish_read(&image, NULL, out, 0, NULL));
}

// A frame holds places as floats, which moves an edge here and there.
static void a_simulation_looks_as_its_frame_does(void **state) {
  scratch *s = *state;
  static pixels p[2];
  static const char *const colors[] = {NULL, "position.y", "speed"};
  firn_scene *scene = read_scene(
      s, "  - {shape: {sphere: {center: [0, 0.15, 0.5], radius: 0.06}}, velocity: [3, 0, 0]}\n");
  firn_sim *sim = NULL;
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  assert_int_equal(firn_sim_advance(sim, 0.02, NULL, NULL), FIRN_OK);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "sim.hdf")), FIRN_OK);
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "sim.hdf"), &frame), FIRN_OK);
  firn_preview_def def = firn_scene_preview(scene, 0);
  firn_preview_def at = look_at(-1);
  def.camera = at.camera;
  def.width = WIDTH;
  def.height = HEIGHT;
  for (int k = 0; k < 3; k++) {
    double off = 0;
    def.color = colors[k];
    assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "sim.png")), FIRN_OK);
    assert_int_equal(firn_frame_preview(frame, scene, &def, scratch_path(s, "frame.png")), FIRN_OK);
    read_png(s, "sim.png", p[0]);
    read_png(s, "frame.png", p[1]);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
      off += abs((&p[0][0][0][0])[i] - (&p[1][0][0][0])[i]);
    assert_true(off / (WIDTH * HEIGHT * 3) < 0.3);
  }
  def.color = "nonsense";
  assert_int_equal(firn_sim_preview(sim, &def, scratch_path(s, "sim.png")), FIRN_ERROR_ARGUMENT);
  assert_message(s, "nonsense", "velocity");
  firn_frame_close(frame);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(colours_are_of_the_number_that_was_named),
      TEST(light_comes_from_the_sun_and_shadows_fall_away_from_it),
      TEST(bodies_hide_what_is_behind_them),
      TEST(hills_are_shown),
      TEST(hills_have_the_look_of_the_ground),
      TEST(hills_take_some_looks_a_ray_and_no_search),
      TEST(bodies_cast_shadows),
      TEST(cuts_take_what_is_beyond_their_planes),
      TEST(colliders_may_be_hidden_or_held_out),
      TEST(a_hidden_floor_is_no_floor),
      TEST(hills_and_slopes_are_ground_enough),
      TEST(the_bar_and_the_snow_have_the_same_colours),
      TEST(the_bar_shrinks_with_the_picture),
      TEST(what_is_not_known_is_refused),
      TEST(ground_is_shown_as_asked),
      TEST(a_simulation_looks_as_its_frame_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
