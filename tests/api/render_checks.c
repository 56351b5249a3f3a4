// SPDX-License-Identifier: Apache-2.0
// What can be known before a picture is traced is said then; and frames of numbers that nobody would
// expect give a picture or a message.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <math.h>
#include <sys/stat.h>

#include "cache/frame.h"

enum { WIDTH = 24, HEIGHT = 16, COUNT = 64 };

typedef struct cloud {
  double position[COUNT][3];
  float velocity[COUNT][3], mass[COUNT], density[COUNT];
} cloud;

// A cube of 4 x 4 x 4 particles, 1 cm apart.
static cloud make_cube(void) {
  cloud c = {0};
  for (int i = 0; i < COUNT; i++) {
    c.position[i][0] = 0.01 * (i % 4);
    c.position[i][1] = 0.01 * (i / 4 % 4);
    c.position[i][2] = 0.01 * (i / 16);
    c.mass[i] = 4e-4f;
    c.density[i] = 400;
  }
  return c;
}

static firn_frame *write_frame(scratch *s, const cloud *c, double h) {
  const firn_frame_array arrays[] = {
      {"position", "m", FIRN_ARCHIVE_F64, 3, 0, c->position},
      {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, 0, c->velocity},
      {"density", "kg/m^3", FIRN_ARCHIVE_F32, 1, 0, c->density},
      {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, c->mass},
  };
  const firn_frame_head head = {.count = COUNT, .h = h};
  const char *path = scratch_path(s, "frame.hdf");
  assert_int_equal(firn_frame_write(s->context, path, &head, 4, arrays), FIRN_OK);
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, path, &frame), FIRN_OK);
  return frame;
}

static firn_render_def small_def(void) {
  firn_render_def def = firn_default_render_def();
  def.width = WIDTH;
  def.height = HEIGHT;
  def.samples = 1;
  return def;
}

static bool count(void *user, double done) {
  (void)done;
  ++*(int *)user;
  return true;
}

// Nobody waits for a night to learn that the folder is not there.
static void what_cannot_be_written_is_not_traced(void **state) {
  scratch *s = *state;
  cloud c = make_cube();
  firn_frame *frame = write_frame(s, &c, 0.02);
  firn_render_def def = small_def();
  int calls = 0;
  def.progress = count;
  def.progress_user = &calls;
  const char *const names[] = {"nowhere/a.png", "nowhere/a.exr", "folder.png"};
  assert_int_equal(mkdir(scratch_path(s, "folder.png"), 0777), 0);
  for (int i = 0; i < 3; i++) {
    char path[1100];
    snprintf(path, sizeof path, "%s", scratch_path(s, names[i]));
    assert_int_equal(firn_frame_render(frame, NULL, &def, path, NULL), FIRN_ERROR_IO);
    assert_message(s, names[i]);
    assert_int_equal(calls, 0);
  }
  // A name that will do is not taken yet, and what has it stays as it is until the end.
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "a.png"), "before", 6), FIRN_OK);
  assert_int_equal(firn_file_try(s->context, scratch_path(s, "a.png"), 1000), FIRN_OK);
  assert_false(scratch_exists(s, "a.png.part"));
  char *data;
  size_t size;
  scratch_read(s, "a.png", &data, &size);
  assert_int_equal(size, 6);
  firn_free(s->context, data, size + 1);
  firn_frame_close(frame);
  rmdir(scratch_path(s, "folder.png"));
}

static void settings_that_make_no_sense_are_named(void **state) {
  scratch *s = *state;
  cloud c = make_cube();
  firn_frame *frame = write_frame(s, &c, 0.02);
  const firn_look_def gray = {.albedo = {0.5, 0.5, 2}};
  static uint8_t rgb[WIDTH * HEIGHT * 3];
  for (int i = 0; i < 12; i++) {
    firn_render_def def = small_def();
    const char *word = NULL;
    switch (i) {
    case 0: def.snow.kernel = 5, word = "kernel is 5"; break;
    case 1: def.snow.similarity = NAN, word = "similarity is nan"; break;
    case 2: def.snow.albedo[1] = 1.5, word = "albedo (0.9998 1.5"; break;
    case 3: def.snow.g = 1, word = "g is 1"; break;
    case 4: def.snow.extinction = INFINITY, word = "extinction is inf"; break;
    case 5: def.looks = &gray, def.look_count = 1, word = "look of collider 0"; break;
    case 6: def.lamp_count = 2, word = "2 lamps"; break;
    case 7: def.sky.rotate = NAN, word = "rotate"; break;
    case 8: def.sky.kind = (firn_sky_kind)7, def.sun.strength = 0, word = "kind 7"; break;
    case 9: def.ground.roughness = NAN, word = "ground"; break;
    case 10: def.width = 0, word = "0 x 16"; break;
    default: def.sun.direction[2] = INFINITY, word = "direction";
    }
    assert_int_equal(firn_frame_render_pixels(frame, NULL, &def, rgb, NULL, NULL),
                     FIRN_ERROR_ARGUMENT);
    assert_message(s, word);
  }
  firn_frame_close(frame);
}

// Far away, huge, tiny, heavy, fast: finite light, or a message; never a crash or an endless loop.
static void numbers_that_nobody_expects_give_a_picture_or_a_message(void **state) {
  scratch *s = *state;
  static uint8_t rgb[WIDTH * HEIGHT * 3];
  static float light[WIDTH * HEIGHT * 3];
  for (int kind = 0; kind < 14; kind++) {
    cloud c = make_cube();
    double h = 0.02;
    for (int i = 0; i < COUNT; i++)
      for (int a = 0; a < 3; a++) {
        double *p = &c.position[i][a];
        if (kind == 0) *p += 1e7;
        if (kind == 1) *p *= 1e5;
        if (kind == 2) *p *= 1e30;
        if (kind == 3) *p *= 1e307;
        if (kind == 4) *p = (i % 2 ? 1 : -1) * 1.7e308;
        if (kind == 5) *p *= 1e-30;
        if (kind == 6) c.mass[i] = 3e38f;
        if (kind == 7) c.mass[i] = 1e-40f;
        if (kind == 8) c.mass[i] = -1;
        if (kind == 9) c.velocity[i][a] = 3e38f;
        if (kind == 10) c.density[i] = 1e-38f, c.mass[i] = 1e30f; // spacing 1e22 m
        if (kind == 11) h = 1e300;
        if (kind == 12) h = 1e-300;
        if (kind == 13) h = NAN;
      }
    firn_frame *frame = write_frame(s, &c, h);
    firn_render_def def = small_def();
    def.shutter = 1;
    def.sky.kind = FIRN_SKY_PLAIN; // quicker than the model
    def.sun.strength = 0;
    def.snow.detail = def.snow.anisotropy = 1;
    firn_status status = firn_frame_render_pixels(frame, NULL, &def, rgb, light, NULL);
    if (status != FIRN_OK) assert_true(firn_context_message(s->context)[0]);
    for (int i = 0; status == FIRN_OK && i < WIDTH * HEIGHT * 3; i++)
      if (!isfinite(light[i])) fail_msg("kind %d: light %g", kind, (double)light[i]);
    firn_preview_def preview = firn_preview_of_render(&def);
    const char *const colors[] = {NULL, "position.x"};
    for (int k = 0; k < 2; k++) {
      preview.color = colors[k];
      status = firn_frame_preview_pixels(frame, NULL, &preview, rgb);
      if (status != FIRN_OK) assert_true(firn_context_message(s->context)[0]);
    }
    firn_frame_close(frame);
  }
}

// Density is the same but for the last bits: one colour, whatever those are.
static void a_constant_field_has_one_colour(void **state) {
  scratch *s = *state;
  cloud c = make_cube();
  firn_preview_def preview = firn_default_preview_def();
  preview.width = WIDTH;
  preview.height = HEIGHT;
  preview.color = "density";
  static uint8_t rgb[3][WIDTH * HEIGHT * 3];
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < COUNT; i++)
      c.density[i] = 400 * (1 + (k == 0 ? 0 : k == 1 ? 1e-7f : 1e-3f) * (float)(i % 5));
    firn_frame *frame = write_frame(s, &c, 0.02);
    assert_int_equal(firn_frame_preview_pixels(frame, NULL, &preview, rgb[k]), FIRN_OK);
    firn_frame_close(frame);
  }
  // The middle of 256 colours may turn out either way.
  for (int i = 0; i < WIDTH * HEIGHT * 3; i++) assert_true(abs(rgb[0][i] - rgb[1][i]) <= 3);
  assert_memory_not_equal(rgb[0], rgb[2], sizeof rgb[0]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(what_cannot_be_written_is_not_traced),
      TEST(settings_that_make_no_sense_are_named),
      TEST(numbers_that_nobody_expects_give_a_picture_or_a_message),
      TEST(a_constant_field_has_one_colour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
