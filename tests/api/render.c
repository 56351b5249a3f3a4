// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// Pictures of frames through the public interface: settings from scenes, strange frames, a progress
// that says stop, memory that runs out.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <math.h>

#include "cache/frame.h"
#include "support/books.h"

enum { WIDTH = 24, HEIGHT = 16 };

// ---------------------------------------------------------------------------------------- frames

typedef struct cloud {
  size_t count;
  float *position, *velocity, *mass, *density; // [count][3], [count][3], [count], [count]
} cloud;

// A ball of 10 cm of snow in a lattice of 1 cm.
static cloud make_ball(void) {
  cloud c = {0};
  const float d = 0.01f;
  size_t room = 21 * 21 * 21;
  c.position = calloc(3 * room, sizeof(float));
  c.velocity = calloc(3 * room, sizeof(float));
  c.mass = calloc(room, sizeof(float));
  c.density = calloc(room, sizeof(float));
  assert_true(c.position && c.velocity && c.mass && c.density);
  for (int i = -10; i <= 10; i++)
    for (int j = -10; j <= 10; j++)
      for (int k = -10; k <= 10; k++) {
        if (i * i + j * j + k * k > 100) continue;
        float *p = c.position + 3 * c.count;
        p[0] = d * (float)i;
        p[1] = 0.1f + d * (float)j;
        p[2] = d * (float)k;
        c.velocity[3 * c.count] = 1;
        c.mass[c.count] = 400 * d * d * d;
        c.density[c.count++] = 400;
      }
  return c;
}

static void free_cloud(cloud *c) {
  free(c->position);
  free(c->velocity);
  free(c->mass);
  free(c->density);
}

// The first `fields` of position, velocity, density, mass, and a stress that is no matrix.
static firn_frame *write_frame(scratch *s, const cloud *c, int fields) {
  const firn_frame_array arrays[] = {
      {"position", "m", FIRN_ARCHIVE_F32, 3, 0, c->position},
      {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, 0, c->velocity},
      {"density", "kg/m^3", FIRN_ARCHIVE_F32, 1, 0, c->density},
      {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, c->mass},
      {"stress", "Pa", FIRN_ARCHIVE_F32, 1, 0, c->density},
  };
  const firn_frame_head head = {.count = c->count, .time = 0.5, .h = 0.02, .frame = 3};
  const char *path = scratch_path(s, "frame.hdf");
  assert_int_equal(firn_frame_write(s->context, path, &head, fields, arrays), FIRN_OK);
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, path, &frame), FIRN_OK);
  return frame;
}

static firn_render_def small_def(void) {
  firn_render_def def = firn_default_render_def();
  def.width = WIDTH;
  def.height = HEIGHT;
  def.samples = 4;
  def.snow.anisotropy = def.snow.detail = 0; // quicker
  return def;
}

static firn_scene *read_scene(scratch *s, const char *render, int count, const char *const *set) {
  const char *path = scratch_path(s, "scene.yaml");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "firn: 1\nh: 2 cm\nfps: 10\nframes: 20\n"
          "snow: [{shape: {sphere: {center: [0, 0.1, 0], radius: 0.1}}}]\n"
          "colliders:\n"
          "  - {shape: {half_space: {normal: [0, 1, 0]}}}\n"
          "  - {shape: {box: {center: [0.3, 0.1, 0], size: [0.1, 0.2, 0.1]}}, look: {albedo: [1, "
          "0, 0]}}\n"
          "%s",
          render);
  fclose(file);
  firn_scene *scene = NULL;
  firn_status status = firn_scene_load(s->context, path, count, set, &scene);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(s->context));
  return scene;
}

// --------------------------------------------------------------------------------------- settings

#define SAME(field)  assert_true(a.field == b.field)
#define SAME3(field) assert_memory_equal(a.field, b.field, sizeof a.field)

static void a_scene_that_says_nothing_has_the_defaults(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(s, "", 0, NULL);
  firn_render_def a = firn_default_render_def(), b;
  assert_int_equal(firn_scene_render_def(scene, 0, &b), FIRN_OK);
  SAME(width);
  SAME(height);
  SAME(samples);
  SAME(noise);
  SAME(bounces);
  SAME(seed);
  SAME(shutter);
  SAME(camera.fov);
  SAME(camera.aperture);
  SAME(camera.focus);
  SAME(sun.strength);
  SAME(sun.size);
  SAME(sky.kind);
  SAME(sky.strength);
  SAME(sky.turbidity);
  SAME(sky.rotate);
  SAME(snow.extinction);
  SAME(snow.g);
  SAME(snow.voxel);
  SAME(snow.kernel);
  SAME(snow.anisotropy);
  SAME(snow.detail);
  SAME(snow.similarity);
  SAME(ground.gloss);
  SAME(bodies.gloss);
  SAME(bodies.roughness);
  SAME(exposure);
  SAME(white);
  SAME(filmic);
  SAME(denoise);
  SAME(planes);
  SAME3(snow.albedo);
  SAME3(ground.albedo);
  SAME3(bodies.albedo);
  SAME3(camera.up);
  SAME3(sky.color);
  assert_int_equal(b.look_count, 2);
  assert_true(b.looks[0].albedo[0] < 0); // as the ground
  assert_true(b.looks[1].albedo[0] == 1 && b.looks[1].albedo[1] == 0);
  firn_scene_destroy(scene);
}

static void cameras_follow_their_keys(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(
      s,
      "render: {camera: {eye: {keys: [[0 s, [0, 1, 4]], [2 s, [4, 1, 0]]]}, target: [0, 1, 0]}}\n",
      0, NULL);
  firn_render_def def;
  assert_int_equal(firn_scene_render_def(scene, 1, &def), FIRN_OK);
  assert_true(fabs(def.camera.eye[0] - 2) < 1e-12 && fabs(def.camera.eye[2] - 2) < 1e-12);
  assert_int_equal(firn_scene_render_def(scene, 9, &def), FIRN_OK);
  assert_true(fabs(def.camera.eye[0] - 4) < 1e-12);
  firn_scene_destroy(scene);
}

// A quarter of a turn from above counterclockwise takes +z to +x; the shutter sees a part of it.
static void turntables_turn(void **state) {
  scratch *s = *state;
  const char *const set[] = {"render.shutter=0.5"};
  firn_scene *scene = read_scene(
      s, "render: {camera: {eye: [1, 1, 3], target: [1, 0, 0], turntable: {turns: 1}}}\n", 1, set);
  firn_render_def def;
  // 20 frames at 10 a second: 2 s a turn. Opens half of 0.05 s before the time.
  assert_int_equal(firn_scene_render_def(scene, 0.5 + 0.025, &def), FIRN_OK);
  assert_true(fabs(def.camera.eye[0] - 4) < 1e-9 && fabs(def.camera.eye[2]) < 1e-9);
  assert_true(def.camera.eye[1] == 1);
  double angle = 3.14159265358979 * (0.5 + 0.05);
  assert_true(fabs(def.camera_shut.eye[0] - (1 + 3 * sin(angle))) < 1e-9);
  assert_true(fabs(def.camera_shut.eye[2] - 3 * cos(angle)) < 1e-9);
  firn_scene_destroy(scene);
}

static void the_sun_is_where_azimuth_and_height_say(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(s, "render: {sun: {azimuth: 90 deg, height: 30 deg}}\n", 0, NULL);
  firn_render_def def;
  assert_int_equal(firn_scene_render_def(scene, 0, &def), FIRN_OK);
  assert_true(fabs(def.sun.direction[0] - sqrt(0.75)) < 1e-12); // east
  assert_true(fabs(def.sun.direction[1] - 0.5) < 1e-12 && fabs(def.sun.direction[2]) < 1e-12);
  firn_scene_destroy(scene);
}

// The angle that is not said is that of where the sun would be.
static void one_angle_of_the_sun_will_do(void **state) {
  scratch *s = *state;
  static const struct {
    const char *text, *set;
    double direction[3]; // that the other angle is taken of; 0: the usual one
    double azimuth, height;
  } cases[] = {
      {"", "render.sun.height=20 deg", {0}, NAN, 20},
      {"", "render.sun.azimuth=-60 deg", {0}, -60, NAN},
      {"render: {sun: {height: 50 deg}}\n", "render.sun.azimuth=15 deg", {0}, 15, 50},
      {"render: {sun: {azimuth: 40 deg, height: 50 deg}}\n",
       "render.sun.height=10 deg",
       {0},
       40,
       10},
      {"render: {sun: {direction: [1, 1, 1]}}\n", "render.sun.height=12 deg", {1, 1, 1}, NAN, 12},
      {"render: {sun: {direction: [1, 1, 1]}}\n", "render.sun.azimuth=12 deg", {1, 1, 1}, 12, NAN},
      {"render: {sun: {azimuth: 40 deg, height: 50 deg}}\n",
       "render.sun.direction=[1, 2, 0]",
       {1, 2, 0},
       NAN,
       NAN},
  };
  const double degree = 3.14159265358979323846 / 180;
  firn_render_def usual, def;
  firn_scene *plain = read_scene(s, "", 0, NULL);
  assert_int_equal(firn_scene_render_def(plain, 0, &usual), FIRN_OK);
  firn_scene_destroy(plain);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double *d = cases[i].direction[0] != 0 ? cases[i].direction : usual.sun.direction;
    double azimuth = isnan(cases[i].azimuth) ? atan2(d[0], -d[2]) : cases[i].azimuth * degree,
           height = isnan(cases[i].height) ? atan2(d[1], hypot(d[0], d[2]))
                                           : cases[i].height * degree;
    const double wanted[3] = {sin(azimuth) * cos(height), sin(height), -cos(azimuth) * cos(height)};
    firn_scene *scene = read_scene(s, cases[i].text, 1, &cases[i].set);
    // What was resolved, as a run leaves it in its folder, says the same.
    FILE *file = fopen(scratch_path(s, "resolved.yaml"), "w");
    assert_non_null(file);
    fputs(firn_scene_resolved_text(scene), file);
    fclose(file);
    firn_scene *again = NULL;
    assert_int_equal(firn_scene_load(s->context, scratch_path(s, "resolved.yaml"), 0, NULL, &again),
                     FIRN_OK);
    firn_scene *const both[2] = {scene, again};
    for (int k = 0; k < 2; k++) {
      assert_int_equal(firn_scene_render_def(both[k], 0, &def), FIRN_OK);
      double *v = def.sun.direction, length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      for (int a = 0; a < 3; a++)
        if (fabs(v[a] / length - wanted[a]) > 1e-9)
          fail_msg("case %zu: %g, not %g along %d", i, v[a] / length, wanted[a], a);
      firn_scene_destroy(both[k]);
    }
  }
}

// What `firn run --pictures` and `firn render --preview` look from is one camera, and one sun.
static void previews_have_the_camera_of_the_scene(void **state) {
  scratch *s = *state;
  static const char *const texts[] = {
      "", "preview: {center: [1, 2, 3], extent: 1}\n",
      "preview: {center: [1, 2, 3], extent: 1}\n"
      "render: {camera: {eye: {keys: [[0, [0, 1, 3]], [2, [4, 1, 3]]]}, target: [0, 0, 0], fov: 40 "
      "deg}, sun: {azimuth: {keys: [[0, 0], [2, 90 deg]]}, height: 30 deg}}\n",
      "render: {camera: {turntable: {turns: 1}}}\n"};
  for (int i = 0; i < 4; i++) {
    firn_scene *scene = read_scene(s, texts[i], 0, NULL);
    firn_render_def render;
    for (int k = 0; k < 3; k++) {
      assert_int_equal(firn_scene_render_def(scene, 0.5 * k, &render), FIRN_OK);
      firn_preview_def preview = firn_scene_preview(scene, 0.5 * k);
      assert_memory_equal(&preview.camera, &render.camera, sizeof render.camera);
      assert_memory_equal(&preview.sun, &render.sun, sizeof render.sun);
      if (i == 2) assert_true(preview.camera.eye[0] == k);
    }
    firn_scene_destroy(scene);
  }
}

// The snow's light is that of a ball; beyond the cut there is the sky alone.
static void a_cut_opens_the_snow(void **state) {
  scratch *s = *state;
  cloud c = make_ball();
  firn_frame *frame = write_frame(s, &c, 4);
  static uint8_t p[3][HEIGHT][WIDTH][3];
  const firn_cut_def right = {.count = 1, .plane = {{1, 0, 0, 0}}},
                     all = {.count = 1, .plane = {{0, 1, 0, -9}}};
  const firn_cut_def *const cuts[3] = {NULL, &right, &all};
  for (int k = 0; k < 3; k++) {
    firn_render_def def = small_def();
    def.samples = 16;
    def.camera = (firn_camera_def){
        .eye = {0, 0.1, 1}, .target = {0, 0.1, 0}, .up = {0, 1, 0}, .fov = 0.4};
    def.cut_count = k > 0;
    def.cuts = cuts[k];
    assert_int_equal(firn_frame_render_pixels(frame, NULL, &def, &p[k][0][0][0], NULL, NULL),
                     FIRN_OK);
  }
  // The ball is 4 pixels in radius, about pixel (12, 8).
  const int y = 7;
  for (int a = 0; a < 3; a++) {
    assert_int_equal(p[1][y][14][a], p[2][y][14][a]);
    assert_true(abs(p[1][y][9][a] - p[2][y][9][a]) > 10 || a != 0);
  }
  assert_memory_not_equal(p[0][y][14], p[2][y][14], 3);
  const firn_cut_def none = {.count = 1, .plane = {{0, 0, 0, 1}}};
  firn_render_def bad = small_def();
  bad.cut_count = 1;
  bad.cuts = &none;
  assert_int_equal(firn_frame_render_pixels(frame, NULL, &bad, NULL, NULL, NULL),
                   FIRN_ERROR_ARGUMENT);
  firn_frame_close(frame);
  free_cloud(&c);
}

static void panels_shine_where_they_face(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(s,
                                 "render:\n  lamps:\n"
                                 "    - {center: [0, 2, 0], size: [3, 1], radiance: [1, 1, 1]}\n"
                                 "    - {center: [0, 2, 0], size: [3, 1], facing: [2, 0, 0], "
                                 "radiance: [1, 1, 1]}\n"
                                 "    - {center: [0, 2, 0], radius: 0.2, radiance: [1, 2, 3]}\n",
                                 0, NULL);
  firn_render_def def;
  assert_int_equal(firn_scene_render_def(scene, 0, &def), FIRN_OK);
  assert_int_equal(def.lamp_count, 3);
  const double facing[2][3] = {{0, -1, 0}, {1, 0, 0}};
  for (int i = 0; i < 2; i++) {
    const double *a = def.lamps[i].edge[0], *b = def.lamps[i].edge[1];
    double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (int k = 0; k < 3; k++) assert_true(fabs(n[k] - 3 * facing[i][k]) < 1e-12); // area 3
    assert_true(a[1] == 0); // its width lies level
    assert_true(fabs(sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) - 3) < 1e-12);
  }
  assert_int_equal(def.lamps[2].kind, FIRN_LAMP_SPHERE);
  firn_scene_destroy(scene);
}

// Every corner of the box is in the picture, and not lost in its middle.
static void a_fitted_camera_sees_the_box(void **state) {
  (void)state;
  const double low[3] = {1, 2, 3}, high[3] = {2, 2.5, 7};
  for (int trial = 0; trial < 40; trial++) {
    firn_camera_def c = {.fov = 0.2 + 0.05 * trial, .up = {0, 1, 0}};
    c.view[0] = sin(trial);
    c.view[1] = -0.1 * (trial % 11);
    c.view[2] = cos(trial);
    if (trial == 39) c.view[0] = c.view[2] = 0; // straight down
    double aspect = trial % 2 ? 1.78 : 0.6, most = 0;
    firn_camera_fit(&c, low, high, aspect);
    double f[3], length = 0, half = tan(c.fov / 2);
    for (int a = 0; a < 3; a++) f[a] = c.target[a] - c.eye[a];
    for (int a = 0; a < 3; a++) length += f[a] * f[a];
    for (int a = 0; a < 3; a++) f[a] /= sqrt(length);
    double up[3] = {0, 1, 0}, r[3], u[3], n = 0;
    if (trial == 39) up[1] = 0, up[2] = -1;
    for (int a = 0; a < 3; a++) {
      int b = (a + 1) % 3, d = (a + 2) % 3;
      r[a] = f[b] * up[d] - f[d] * up[b];
    }
    for (int a = 0; a < 3; a++) n += r[a] * r[a];
    for (int a = 0; a < 3; a++) r[a] /= sqrt(n);
    for (int a = 0; a < 3; a++) {
      int b = (a + 1) % 3, d = (a + 2) % 3;
      u[a] = r[b] * f[d] - r[d] * f[b];
    }
    for (int i = 0; i < 8; i++) {
      double x = 0, y = 0, z = 0;
      for (int a = 0; a < 3; a++) {
        double p = (i >> a & 1 ? high[a] : low[a]) - c.eye[a];
        x += p * r[a];
        y += p * u[a];
        z += p * f[a];
      }
      assert_true(z > 0);
      most = fmax(most, fmax(fabs(x) / (z * half * aspect), fabs(y) / (z * half)));
    }
    assert_true(most <= 1);
    assert_true(most > 0.5);
  }
}

// --------------------------------------------------------------------------------------- pictures

static double mean(const float *light) {
  double sum = 0;
  for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
    assert_true(isfinite(light[i]));
    sum += (double)light[i];
  }
  return sum / (WIDTH * HEIGHT * 3);
}

// Twice the exposure changes the bytes and not the light; the same seed gives the same bytes.
static void a_ball_gives_a_picture(void **state) {
  scratch *s = *state;
  cloud c = make_ball();
  firn_frame *frame = write_frame(s, &c, 4);
  firn_scene *scene = read_scene(s, "", 0, NULL);
  static uint8_t rgb[2][WIDTH * HEIGHT * 3];
  static float light[2][WIDTH * HEIGHT * 3];
  firn_render_def def = small_def();
  firn_render_stats stats;
  for (int i = 0; i < 2; i++) {
    assert_int_equal(firn_frame_render_pixels(frame, scene, &def, rgb[i], light[i], &stats),
                     FIRN_OK);
    def.exposure = 1;
  }
  assert_memory_equal(light[0], light[1], sizeof light[0]);
  assert_memory_not_equal(rgb[0], rgb[1], sizeof rgb[0]);
  assert_true(mean(light[0]) > 0.01);
  assert_int_equal(stats.particles, c.count);
  assert_true(stats.paths == WIDTH * HEIGHT * 4 && stats.events > 0 && stats.voxels > 0);
  // The ball is seen from where the camera was placed: 10 cm around (0, 0.1, 0).
  assert_true(fabs(stats.camera.target[1] - 0.1) < 0.02);
  const char *path = scratch_path(s, "ball.png");
  assert_int_equal(firn_frame_render(frame, scene, &def, path, NULL), FIRN_OK);
  assert_true(scratch_exists(s, "ball.png"));
  path = scratch_path(s, "ball.jpg");
  assert_int_equal(firn_frame_render(frame, scene, &def, path, NULL), FIRN_ERROR_ARGUMENT);
  firn_scene_destroy(scene);
  firn_frame_close(frame);
  free_cloud(&c);
}

// Nan, infinity, nothing at all, one particle, a camera in the middle of the snow: a picture.
static void strange_frames_give_pictures(void **state) {
  scratch *s = *state;
  static uint8_t rgb[WIDTH * HEIGHT * 3];
  static float light[WIDTH * HEIGHT * 3];
  for (int kind = 0; kind < 5; kind++) {
    cloud c = make_ball();
    firn_render_def def = small_def();
    def.samples = 1;
    firn_preview_def preview = firn_preview_of_render(&def);
    if (kind == 0) c.position[4] = NAN, c.mass[7] = NAN, c.position[30] = INFINITY;
    if (kind == 1)
      for (size_t i = 0; i < 3 * c.count; i++) c.position[i] = NAN;
    if (kind == 2) c.count = 0;
    if (kind == 3) c.count = 1;
    if (kind == 4) {
      def.camera.eye[1] = 0.1;
      def.camera.target[0] = 1;
      def.camera.target[1] = 0.1;
      preview.camera = def.camera;
    }
    firn_frame *frame = write_frame(s, &c, 4);
    firn_status status = firn_frame_render_pixels(frame, NULL, &def, rgb, light, NULL);
    if (status != FIRN_OK) fail_msg("kind %d: %s", kind, firn_context_message(s->context));
    mean(light);
    preview.color = "speed";
    status = firn_frame_preview_pixels(frame, NULL, &preview, rgb);
    if (status != FIRN_OK) fail_msg("kind %d, preview: %s", kind, firn_context_message(s->context));
    firn_frame_close(frame);
    free_cloud(&c);
  }
}

static void what_is_missing_is_named(void **state) {
  scratch *s = *state;
  cloud c = make_ball();
  firn_frame *frame = write_frame(s, &c, 3); // no mass
  firn_render_def def = small_def();
  firn_preview_def preview = firn_preview_of_render(&def);
  static uint8_t rgb[WIDTH * HEIGHT * 3];
  assert_int_equal(firn_frame_render_pixels(frame, NULL, &def, rgb, NULL, NULL),
                   FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(s->context), "'mass'"));
  assert_int_equal(firn_frame_preview_pixels(frame, NULL, &preview, rgb), FIRN_OK);
  preview.color = "pressure";
  assert_int_equal(firn_frame_preview_pixels(frame, NULL, &preview, rgb), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(s->context), "density"));
  def.samples = 0;
  assert_int_equal(firn_frame_render_pixels(frame, NULL, &def, rgb, NULL, NULL),
                   FIRN_ERROR_ARGUMENT);
  def = small_def();
  def.camera.fov = 4;
  assert_int_equal(firn_frame_render_pixels(frame, NULL, &def, rgb, NULL, NULL),
                   FIRN_ERROR_ARGUMENT);
  firn_frame_close(frame);
  frame = write_frame(s, &c, 5);
  assert_int_equal(firn_frame_preview_pixels(frame, NULL, &preview, rgb), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(s->context), "'pressure'"));
  firn_frame_close(frame);
  free_cloud(&c);
}

static bool stop(void *user, double done) {
  (void)done;
  ++*(int *)user;
  return false;
}

static void a_progress_that_says_stop_leaves_no_file(void **state) {
  scratch *s = *state;
  cloud c = make_ball();
  firn_frame *frame = write_frame(s, &c, 4);
  firn_render_def def = small_def();
  int calls = 0;
  def.samples = 256;
  def.progress = stop;
  def.progress_user = &calls;
  const char *path = scratch_path(s, "never.png");
  assert_int_equal(firn_frame_render(frame, NULL, &def, path, NULL), FIRN_CANCELLED);
  assert_true(calls >= 1);
  assert_false(scratch_exists(s, "never.png"));
  firn_frame_close(frame);
  free_cloud(&c);
}

// ------------------------------------------------------------------------------------------ colours

// The range is that of the middle 98 %: a few wild particles do not wash the others out.
static void wild_values_do_not_set_the_range(void **state) {
  scratch *s = *state;
  cloud c = make_ball();
  for (size_t i = 0; i < c.count; i++) c.density[i] = 300 + 100 * (float)i / (float)c.count;
  c.density[5] = 1e9f;
  c.density[6] = NAN;
  firn_frame *frame = write_frame(s, &c, 4);
  double range[2];
  assert_int_equal(firn_frame_range(frame, "density", range), FIRN_OK);
  assert_true(fabs(range[0] - 301) < 0.5 && fabs(range[1] - 399) < 0.5);
  assert_int_equal(firn_frame_range(frame, "speed", range), FIRN_OK);
  assert_true(range[0] == 0 && range[1] == 1);
  assert_int_equal(firn_frame_range(frame, "velocity.y", range), FIRN_OK);
  assert_true(range[0] == 0 && range[1] == 0);
  assert_int_equal(firn_frame_range(frame, "velocity.w", range), FIRN_ERROR_ARGUMENT);
  firn_frame_close(frame);
  free_cloud(&c);
}

// ------------------------------------------------------------------------------------------- memory

// Fails each allocation of a picture in turn: no picture then, a message, and nothing kept.
static void pictures_survive_a_lack_of_memory(void **state) {
  scratch *s = *state;
  cloud c = make_ball();
  c.count = 500; // a cap of it will do
  firn_frame_close(write_frame(s, &c, 4));
  firn_scene_destroy(read_scene(s, "", 0, NULL));
  char scene_path[1100], frame_path[1100], csv[1100], svg[1100];
  snprintf(scene_path, sizeof scene_path, "%s", scratch_path(s, "scene.yaml"));
  snprintf(frame_path, sizeof frame_path, "%s", scratch_path(s, "frame.hdf"));
  snprintf(csv, sizeof csv, "%s", scratch_path(s, "stats.csv"));
  snprintf(svg, sizeof svg, "%s", scratch_path(s, "stats.png"));
  FILE *file = fopen(csv, "w");
  assert_non_null(file);
  fputs("frame,time,com_x\n0,0,1\n1,1,2\n", file);
  fclose(file);
  static uint8_t rgb[WIDTH * HEIGHT * 3];
  for (int kind = 0; kind < 4; kind++) {
    bool done = false;
    for (size_t n = 1; !done; n++) {
      books b = {0};
      firn_context *context = NULL;
      assert_int_equal(books_context(&b, 1, &context), FIRN_OK);
      firn_scene *scene = NULL;
      firn_frame *frame = NULL;
      assert_int_equal(firn_scene_load(context, scene_path, 0, NULL, &scene), FIRN_OK);
      assert_int_equal(firn_frame_open(context, frame_path, &frame), FIRN_OK);
      size_t before = b.bytes;
      firn_render_def def = small_def();
      def.samples = 2;
      if (kind == 0) { // all that takes memory; the model sky takes time, and has a turn of its own
        def.denoise = true;
        def.shutter = 0.5;
        def.snow.anisotropy = def.snow.detail = 1;
        def.sky.kind = FIRN_SKY_PLAIN;
        def.sun.strength = 0;
      }
      firn_preview_def preview = firn_preview_of_render(&def);
      preview.color = "density";
      firn_plot_def plot = firn_default_plot_def();
      plot.source = csv;
      b.calls = 0;
      b.refuse_at = n;
      firn_status status = kind == 1 ? firn_frame_preview_pixels(frame, scene, &preview, rgb)
                           : kind == 2
                               ? firn_plot(context, &plot, svg)
                               : firn_frame_render_pixels(frame, scene, &def, rgb, NULL, NULL);
      done = b.calls < n;
      if (status != (done ? FIRN_OK : FIRN_ERROR_MEMORY))
        fail_msg("kind %d, allocation %zu: %s (%s)", kind, n, firn_status_name(status),
                 firn_context_message(context));
      if (b.bytes != before)
        fail_msg("kind %d, allocation %zu: %zu bytes before, %zu after", kind, n, before, b.bytes);
      firn_frame_close(frame);
      firn_scene_destroy(scene);
      firn_context_destroy(context);
    }
  }
  free_cloud(&c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_scene_that_says_nothing_has_the_defaults),
      TEST(cameras_follow_their_keys),
      TEST(turntables_turn),
      TEST(the_sun_is_where_azimuth_and_height_say),
      TEST(one_angle_of_the_sun_will_do),
      TEST(previews_have_the_camera_of_the_scene),
      TEST(a_cut_opens_the_snow),
      TEST(panels_shine_where_they_face),
      TEST(a_fitted_camera_sees_the_box),
      TEST(a_ball_gives_a_picture),
      TEST(strange_frames_give_pictures),
      TEST(what_is_missing_is_named),
      TEST(a_progress_that_says_stop_leaves_no_file),
      TEST(wild_values_do_not_set_the_range),
      TEST(pictures_survive_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
