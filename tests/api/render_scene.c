// SPDX-License-Identifier: Apache-2.0
// The section `render` of a scene: every setting arrives, and keyed ones stay in their bounds.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <math.h>

#include "cache/frame.h"

#define DEGREE (3.14159265358979324 / 180)

static firn_scene *read_scene(scratch *s, const char *text) {
  const char *path = scratch_path(s, "scene.yaml");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "firn: 1\nh: 2 cm\nfps: 10\nframes: 20\n"
          "snow: [{shape: {sphere: {center: [0, 0.1, 0], radius: 0.1}}}]\n%s",
          text);
  fclose(file);
  firn_scene *scene = NULL;
  firn_status status = firn_scene_load(s->context, path, 0, NULL, &scene);
  if (status != FIRN_OK && scene) fail_msg("%s", firn_scene_error_get(scene, 0)->message);
  assert_int_equal(status, FIRN_OK);
  return scene;
}

static void near(const char *what, double x, double expected) {
  if (!(fabs(x - expected) <= 1e-12 * fabs(expected) + 1e-15))
    fail_msg("%s is %.17g, not %.17g", what, x, expected);
}
#define NEAR(x, expected) near(#x, (double)(x), (double)(expected))

static void every_setting_arrives(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(
      s, "preview: {center: [1, 2, 3], extent: 4 m, view: [0, 0, -2]}\n"
         "render:\n"
         "  size: [100, 50]\n  samples: 7\n  noise: 0.02\n  bounces: 9\n  seed: 12345\n"
         "  shutter: 0.25\n  exposure: 1.5\n  white: 5000 K\n  filmic: false\n  denoise: true\n"
         "  planes: true\n"
         "  camera: {fov: 40 deg, aperture: 2 mm, focus: 3 m, up: [0, 1, 1]}\n"
         "  sun: {azimuth: 20 deg, height: 30 deg, strength: 2, size: 0.1 rad}\n"
         "  sky: {turbidity: 4, strength: 0.5, hidden: true}\n"
         "  snow: {look: paper, extinction: 3, albedo: [0.5, 0.6, 0.7], g: 0.2, voxel: 3 mm,\n"
         "    kernel: 0.8, anisotropy: 0.3, detail: 0.4, similarity: 12}\n"
         "  ground: {albedo: [0.1, 0.2, 0.3], gloss: 0.4, roughness: 0.5}\n"
         "  bodies: {albedo: [0.6, 0.7, 0.8], gloss: 0.9, roughness: 0.95}\n");
  firn_render_def d;
  assert_int_equal(firn_scene_render_def(scene, 0, &d), FIRN_OK);
  NEAR(d.width, 100);
  NEAR(d.height, 50);
  NEAR(d.samples, 7);
  NEAR(d.noise, 0.02);
  NEAR(d.bounces, 9);
  NEAR(d.seed, 12345);
  NEAR(d.shutter, 0.25);
  NEAR(d.exposure, 1.5);
  NEAR(d.white, 5000);
  assert_true(!d.filmic && d.denoise && d.planes);
  NEAR(d.camera.fov, 40 * DEGREE);
  NEAR(d.camera.aperture, 0.002);
  NEAR(d.camera.focus, 3);
  NEAR(d.camera.up[2], 1);
  // As high as 4 m are at the center, which is looked at along -z.
  NEAR(d.camera.target[1], 2);
  NEAR(d.camera.eye[2], 3 + 2 / tan(20 * DEGREE));
  NEAR(d.camera_shut.eye[2], d.camera.eye[2]);
  NEAR(d.sun.direction[0], sin(20 * DEGREE) * cos(30 * DEGREE));
  NEAR(d.sun.direction[1], 0.5);
  NEAR(d.sun.direction[2], -cos(20 * DEGREE) * cos(30 * DEGREE)); // 0 degrees is north, -z
  NEAR(d.sun.strength, 2);
  NEAR(d.sun.size, 0.1);
  assert_int_equal(d.sky.kind, FIRN_SKY_MODEL);
  NEAR(d.sky.turbidity, 4);
  assert_true(d.sky.hidden);
  NEAR(d.sky.strength, 0.5);
  NEAR(d.snow.extinction, 3);
  NEAR(d.snow.albedo[2], 0.7);
  NEAR(d.snow.g, 0.2);
  NEAR(d.snow.voxel, 0.003);
  NEAR(d.snow.kernel, 0.8);
  NEAR(d.snow.anisotropy, 0.3);
  NEAR(d.snow.detail, 0.4);
  NEAR(d.snow.similarity, 12);
  NEAR(d.ground.albedo[0], 0.1);
  NEAR(d.ground.gloss, 0.4);
  NEAR(d.ground.roughness, 0.5);
  NEAR(d.bodies.albedo[2], 0.8);
  NEAR(d.bodies.gloss, 0.9);
  NEAR(d.bodies.roughness, 0.95);
  firn_scene_destroy(scene);
  scene = read_scene(s, "render: {sky: {color: [0.1, 0.2, 0.3]}, snow: {look: paper}}\n");
  assert_int_equal(firn_scene_render_def(scene, 0, &d), FIRN_OK);
  assert_int_equal(d.sky.kind, FIRN_SKY_PLAIN);
  NEAR(d.sky.color[2], 0.3);
  NEAR(d.snow.albedo[0], 0.9);
  NEAR(d.snow.extinction, 724.0 / 400);
  firn_scene_destroy(scene);
}

// Splines do not swing past their keys: a sun that sets takes no light away, and no film ends there.
static void splines_do_not_leave_the_bounds(void **state) {
  scratch *s = *state;
  firn_scene *scene = read_scene(
      s, "render:\n"
         "  sun: {direction: [0, 1, 0], strength: {keys: [[0 s, 1], [0.5 s, 0], [2 s, 0]], "
         "interpolate: spline}}\n"
         "  camera: {eye: [0, 0, 1], target: [0, 0, 0], fov: {keys: [[0 s, 170 deg], [0.5 s, 0.1 "
         "deg], [2 s, 0.1 deg]], interpolate: spline},\n"
         "    aperture: {keys: [[0 s, 1 m], [0.5 s, 0 m], [2 s, 0 m]], interpolate: spline},\n"
         "    focus: {keys: [[0 s, 1 m], [0.5 s, 0 m], [2 s, 0 m]], interpolate: spline}}\n");
  double least = 1;
  for (int i = 0; i <= 40; i++) {
    firn_render_def d;
    assert_int_equal(firn_scene_render_def(scene, 0.05 * i, &d), FIRN_OK);
    assert_true(d.sun.strength >= 0 && d.camera.aperture >= 0 && d.camera.focus >= 0);
    assert_true(d.camera.fov > 0 && d.camera.fov < 3.1);
    least = fmin(least, d.sun.strength);
  }
  assert_true(least == 0);
  firn_scene_destroy(scene);
}

// ------------------------------------------------------------------------------------------ frames

enum { WIDTH = 24, HEIGHT = 16, EDGE = 6, COUNT = EDGE * EDGE * EDGE };

// A cube whose weight is told by mass, or by density and volume. A tenth of the particles is spray, of
// a hundredth of the density.
static firn_frame *open_cube(scratch *s, bool mass) {
  static float position[COUNT][3], masses[COUNT], density[COUNT], volume[COUNT];
  for (int i = 0; i < COUNT; i++) {
    position[i][0] = 0.01f * (float)(i % EDGE);
    position[i][1] = 0.01f * (float)(i / EDGE % EDGE);
    position[i][2] = 0.01f * (float)(i / EDGE / EDGE);
    masses[i] = 400e-6f;
    density[i] = i % 10 ? 400 : 4;
    volume[i] = masses[i] / density[i];
  }
  const firn_frame_array arrays[] = {
      {"position", "m", FIRN_ARCHIVE_F32, 3, 0, position},
      {"density", "kg/m^3", FIRN_ARCHIVE_F32, 1, 0, density},
      mass ? (firn_frame_array){"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, masses}
           : (firn_frame_array){"volume", "m^3", FIRN_ARCHIVE_F32, 1, 0, volume},
  };
  const firn_frame_head head = {.count = COUNT, .h = 0.02};
  const char *path = scratch_path(s, "frame.hdf");
  assert_int_equal(firn_frame_write(s->context, path, &head, 3, arrays), FIRN_OK);
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, path, &frame), FIRN_OK);
  return frame;
}

// Its light, and how wide its cells are.
static double render(scratch *s, bool mass, float *light) {
  firn_frame *frame = open_cube(s, mass);
  firn_render_def def = firn_default_render_def();
  def.width = WIDTH;
  def.height = HEIGHT;
  def.samples = 2;
  def.snow.kernel = 1; // so that half of the spacing decides
  firn_render_stats stats;
  assert_int_equal(firn_frame_render_pixels(frame, NULL, &def, NULL, light, &stats), FIRN_OK);
  firn_frame_close(frame);
  return stats.voxel;
}

// To the last bit but one of a mass; spray does not make the snow coarser.
static void mass_may_be_told_by_density_and_volume(void **state) {
  scratch *s = *state;
  static float light[2][WIDTH * HEIGHT * 3];
  double voxel[2], sum[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    voxel[k] = render(s, k == 0, light[k]);
    assert_float_equal(voxel[k], 0.005, 1e-6);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) sum[k] += (double)light[k][i];
  }
  // Paths go other ways after the first rounding: noise of a few percent.
  assert_float_equal(sum[1] / sum[0], 1, 0.05);
}

// ------------------------------------------------------------------------------------------ walls

enum { WALL_WIDTH = 120, WALL_HEIGHT = 80 };

static void unit(double v[3]) {
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int a = 0; a < 3; a++) v[a] /= length;
}

static void cross(const double u[3], const double v[3], double out[3]) {
  for (int a = 0; a < 3; a++)
    out[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
}

// The number of the pixel that a point is seen at.
static int pixel_of(const firn_camera_def *camera, const double point[3]) {
  double forward[3], right[3], up[3], at[3] = {0, 0, 0};
  for (int a = 0; a < 3; a++) forward[a] = camera->target[a] - camera->eye[a];
  unit(forward);
  cross(forward, camera->up, right);
  unit(right);
  cross(right, forward, up);
  for (int a = 0; a < 3; a++) {
    double d = point[a] - camera->eye[a];
    at[0] += d * right[a];
    at[1] += d * up[a];
    at[2] += d * forward[a];
  }
  double scale = WALL_HEIGHT / (2 * tan(camera->fov / 2) * at[2]);
  int x = (int)(WALL_WIDTH / 2.0 + scale * at[0]), y = (int)(WALL_HEIGHT / 2.0 - scale * at[1]);
  assert_in_range(x, 0, WALL_WIDTH - 1);
  assert_in_range(y, 0, WALL_HEIGHT - 1);
  return y * WALL_WIDTH + x;
}

// A red wall 0.3 m from a ball of 0.1 m on grey ground: by the sizes in walls.c it reaches 0.525 m to
// both sides, and from the ground up to 0.37 m. A pixel is some 3 cm wide there.
static void check_wall(const firn_camera_def *camera, const double *rgb, const char *what) {
  static const struct {
    double z, y;
    bool red;
  } probes[] = {
      {0, 0.32, true},      {0, 0.42, false},     {0.475, 0.2, true}, {0.575, 0.2, false},
      {-0.475, 0.2, true},  {-0.575, 0.2, false}, {0.4, 0.05, true},  {0.4, -0.06, false},
      {-0.4, 0.05, true},   {-0.4, -0.06, false}, {0.47, 0.32, true}, {0.47, 0.43, false},
      {-0.575, 0.1, false},
  };
  for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
    const double *c = rgb + 3 * pixel_of(camera, (double[]){0.3, probes[i].y, probes[i].z});
    if ((c[1] < 0.3 * c[0]) != probes[i].red)
      fail_msg("%s: (%g %g %g) at height %g, z %g", what, c[0], c[1], c[2], probes[i].y,
               probes[i].z);
  }
}

// So that it stands still in a film whose camera moves, and a preview tells where it will be.
static void a_wall_is_the_same_from_all_cameras_and_in_all_pictures(void **state) {
  scratch *s = *state;
  static const char *const cameras[] = {
      "{eye: [-2, 0.5, 0], target: [0.3, 0.2, 0], fov: 40 deg}",
      "{eye: [-1.5, 1, 1.5], target: [0, 0.1, 0.1], fov: 55 deg}",
      "{eye: [-1.5, 0.4, -1], target: [0.3, 0.4, 0.3], fov: 60 deg}",
  };
  enum { VALUES = WALL_WIDTH * WALL_HEIGHT * 3 };
  static float light[VALUES];
  static uint8_t preview[VALUES];
  static double rgb[VALUES];
  firn_frame *frame = open_cube(s, true);
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "colliders:\n"
             "  - shape: {half_space: {}}\n"
             "  - {shape: {half_space: {point: [0.3, 0, 0], normal: [-1, 0, 0]}}, look: {albedo: "
             "[0.8, 0, 0]}}\n"
             "render:\n  camera: %s\n  sky: {color: [1, 1, 1]}\n"
             "  sun: {direction: [0, 1, 0], strength: 0}\n  ground: {albedo: [0.5, 0.5, 0.5]}\n",
             cameras[k]);
    firn_scene *scene = read_scene(s, text);
    firn_render_def def;
    assert_int_equal(firn_scene_render_def(scene, 0, &def), FIRN_OK);
    def.width = WALL_WIDTH;
    def.height = WALL_HEIGHT;
    def.samples = 4;
    assert_int_equal(firn_frame_render_pixels(frame, scene, &def, NULL, light, NULL), FIRN_OK);
    for (int i = 0; i < VALUES; i++) rgb[i] = (double)light[i];
    check_wall(&def.camera, rgb, "traced");
    firn_preview_def small = firn_preview_of_render(&def);
    assert_int_equal(firn_frame_preview_pixels(frame, scene, &small, preview), FIRN_OK);
    for (int i = 0; i < VALUES; i++) rgb[i] = preview[i];
    check_wall(&def.camera, rgb, "preview");
    firn_scene_destroy(scene);
  }
  firn_frame_close(frame);
}

// White snow under a white sky that is not seen: what a pixel gets is what covers it, so that it can be
// laid over a plate; with the sky, it gets 1 wherever it looks.
static void a_hidden_sky_lights_but_is_not_seen(void **state) {
  scratch *s = *state;
  firn_frame *frame = open_cube(s, true);
  for (int hidden = 0; hidden < 2; hidden++) {
    firn_scene *scene = read_scene(
        s, hidden ? "render: {sky: {color: [1, 1, 1], hidden: true}, sun: {strength: 0}}\n"
                  : "render: {sky: {color: [1, 1, 1]}, sun: {strength: 0}}\n");
    firn_render_def def;
    assert_int_equal(firn_scene_render_def(scene, 0, &def), FIRN_OK);
    def.width = WIDTH;
    def.height = HEIGHT;
    def.samples = 4;
    for (int a = 0; a < 3; a++) def.snow.albedo[a] = 1;
    static float light[HEIGHT][WIDTH][3];
    assert_int_equal(firn_frame_render_pixels(frame, scene, &def, NULL, light[0][0], NULL),
                     FIRN_OK);
    // The camera looks at the snow; its corners see past it.
    float corner = light[0][0][0], middle = light[HEIGHT / 2][WIDTH / 2][0];
    assert_float_equal(corner, hidden ? 0 : 1, 1e-5);
    assert_true(middle > 0.5f && middle < 1.5f);
    firn_scene_destroy(scene);
  }
  firn_frame_close(frame);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_setting_arrives),
      TEST(splines_do_not_leave_the_bounds),
      TEST(mass_may_be_told_by_density_and_volume),
      TEST(a_wall_is_the_same_from_all_cameras_and_in_all_pictures),
      TEST(a_hidden_sky_lights_but_is_not_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
