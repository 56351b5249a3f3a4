// SPDX-License-Identifier: Apache-2.0
// Looks of colliders and of their parts: what a collider says, what render.looks says by name, and what a
// program says, in path-traced pictures and in previews.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <math.h>

#include "cache/frame.h"

enum { WIDTH = 64, HEIGHT = 32, BALLS = 4 };

// Four balls side by side before a white sky: a blue collider, one without a look, and two parts of a
// third, after a joint: one as red as the collider, one green. Nothing of them has a coat.
static firn_status load(scratch *s, const char *man, const char *render, const char *set,
                        firn_scene **out) {
  const char *path = scratch_path(s, "scene.yaml");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file,
          "firn: 1\nh: 2 cm\nsnow: [{shape: {sphere: {center: [0, -9, 0], radius: 0.1}}}]\n"
          "colliders:\n"
          "  - name: truck\n"
          "    shape: {sphere: {center: [-0.9, 0.5, 0], radius: 0.2}}\n"
          "    look: {albedo: [0, 0, 0.8], gloss: 0, roughness: 0.6}\n"
          "  - name: 'rack: left'\n"
          "    shape: {sphere: {center: [-0.3, 0.5, 0], radius: 0.2}}\n"
          "  - name: man\n"
          "    look: {albedo: [0.8, 0, 0], gloss: 0, roughness: 0.7}\n"
          "%s"
          "    parts:\n"
          "      - name: hip\n"
          "      - {name: right arm, shape: {sphere: {center: [0.3, 0.5, 0], radius: 0.2}}}\n"
          "      - name: head\n"
          "        shape: {sphere: {center: [0.9, 0.5, 0], radius: 0.2}}\n"
          "        look: {albedo: [0, 0.8, 0], gloss: 0}\n"
          "render:\n"
          "  bodies: {albedo: [0.8, 0.8, 0.8], gloss: 0, roughness: 0.8}\n"
          "  camera: {eye: [0, 0.5, 3], target: [0, 0.5, 0], fov: 40 deg}\n"
          "  sky: {color: [1, 1, 1]}\n  sun: {direction: [0, 1, 1], strength: 0}\n%s",
          man, render);
  fclose(file);
  return firn_scene_load(s->context, path, set ? 1 : 0, &set, out);
}

static firn_scene *read_scene(scratch *s, const char *man, const char *render, const char *set) {
  firn_scene *scene = NULL;
  if (load(s, man, render, set, &scene) != FIRN_OK)
    fail_msg("%s", firn_context_message(s->context));
  return scene;
}

// Snow that no picture here shows: it is far below.
static firn_frame *write_frame(scratch *s) {
  float position[8][3], mass[8];
  for (int i = 0; i < 8; i++) {
    for (int a = 0; a < 3; a++) position[i][a] = (a == 1 ? -9.0f : 0) + 0.02f * (float)(i >> a & 1);
    mass[i] = 1e-3f;
  }
  const firn_frame_array arrays[] = {{"position", "m", FIRN_ARCHIVE_F32, 3, 0, position},
                                     {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, mass}};
  const firn_frame_head head = {.count = 8, .h = 0.02};
  const char *path = scratch_path(s, "frame.hdf");
  assert_int_equal(firn_frame_write(s->context, path, &head, 2, arrays), FIRN_OK);
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, path, &frame), FIRN_OK);
  return frame;
}

// ---------------------------------------------------------------------------------------- pictures

// What is seen in the middle of ball i: r, g, b for a colour without the two others, w for all three
// alike, k for none, and . for what is beside the ball.
static char seen(uint8_t picture[HEIGHT][WIDTH][3], int i) {
  double metre = WIDTH / 2.0 / (2 * 3 * tan(20 * 3.14159265358979 / 180)); // pixels, at the balls
  int x = (int)(WIDTH / 2.0 + metre * (-0.9 + 0.6 * i)),
      beside = (int)(WIDTH / 2.0 + metre * (-1.2 + 0.6 * i));
  const uint8_t *c = picture[HEIGHT / 2][x], *sky = picture[HEIGHT / 2][beside];
  if (abs(c[0] - sky[0]) + abs(c[1] - sky[1]) + abs(c[2] - sky[2]) <= 3) return '.';
  bool r = c[0] > 60, g = c[1] > 60, b = c[2] > 60;
  if (!r && !g && !b && c[0] + c[1] + c[2] == 0) return 'k';
  if (r && !g && !b && c[1] + c[2] == 0) return 'r';
  if (g && !r && !b && c[0] + c[2] == 0) return 'g';
  if (b && !r && !g && c[0] + c[1] == 0) return 'b';
  return r && g && b ? 'w' : '?';
}

static void expect_seen(const char *what, uint8_t picture[HEIGHT][WIDTH][3], const char *wanted) {
  char found[BALLS + 1] = "";
  for (int i = 0; i < BALLS; i++) found[i] = seen(picture, i);
  if (strcmp(found, wanted) != 0) fail_msg("%s: seen %s, not %s", what, found, wanted);
}

static firn_render_def small(const firn_scene *scene) {
  firn_render_def def;
  assert_int_equal(firn_scene_render_def(scene, 0, &def), FIRN_OK);
  def.width = WIDTH;
  def.height = HEIGHT;
  def.samples = 4;
  return def;
}

static void expect_pictures(firn_frame *frame, const firn_scene *scene, const firn_render_def *def,
                            const char *what, const char *traced, const char *drawn) {
  static uint8_t picture[HEIGHT][WIDTH][3];
  assert_int_equal(firn_frame_render_pixels(frame, scene, def, picture[0][0], NULL, NULL), FIRN_OK);
  expect_seen(what, picture, traced);
  firn_preview_def preview = firn_preview_of_render(def);
  assert_int_equal(firn_frame_preview_pixels(frame, scene, &preview, picture[0][0]), FIRN_OK);
  expect_seen(what, picture, drawn);
}

#define ALBEDO_R "albedo: [0.8, 0, 0]"
#define ALBEDO_G "albedo: [0, 0.8, 0]"
#define ALBEDO_B "albedo: [0, 0, 0.8]"

static void names_say_how_colliders_and_parts_look(void **state) {
  scratch *s = *state;
  static const struct {
    const char *man, *looks, *set, *traced, *drawn;
  } cases[] = {
      {"", "{}", NULL, "bwrg", "bwrg"},
      {"", "{truck: {" ALBEDO_R "}, 'rack: left': {" ALBEDO_B "}}", NULL, "rbrg", "rbrg"},
      // A part's own look comes before what is said of the whole.
      {"", "{man: {" ALBEDO_B "}}", NULL, "bwbg", "bwbg"},
      {"", "{man: {" ALBEDO_B ", parts: {right arm: {" ALBEDO_G "}, head: {" ALBEDO_R "}}}}", NULL,
       "bwgr", "bwgr"},
      // What is left out is as it would be without: the colour, and that nothing is coated.
      {"", "{truck: {roughness: 0.9}, man: {roughness: 0.9, parts: {head: {roughness: 0.1}}}}",
       NULL, "bwrg", "bwrg"},
      // A coat that reflects all shows the white sky; a preview draws no coat.
      {"", "{truck: {gloss: 1}, man: {parts: {head: {gloss: 1}}}}", NULL, "wwrw", "bwrg"},
      {"    in_pictures: hidden\n", "{man: {parts: {head: {" ALBEDO_R "}}}}", NULL, "bw..", "bw.."},
      {"    in_pictures: holdout\n", "{man: {parts: {head: {" ALBEDO_R "}}}}", NULL, "bwkk",
       "bwkk"},
      {"", "{truck: {" ALBEDO_G "}}", "render.looks.truck.albedo=[0.8, 0, 0]", "rwrg", "rwrg"},
      {"", "{}", "render.looks.man.parts.right arm.albedo=[0, 0, 0.8]", "bwbg", "bwbg"},
      {"", "{}", "colliders.man.parts.head.look={albedo: [0.8, 0, 0], gloss: 0}", "bwrr", "bwrr"},
  };
  firn_frame *frame = write_frame(s);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char render[400];
    snprintf(render, sizeof render, "  looks: %s\n", cases[i].looks);
    firn_scene *scene = read_scene(s, cases[i].man, render, cases[i].set);
    firn_render_def def = small(scene);
    expect_pictures(frame, scene, &def, cases[i].looks, cases[i].traced, cases[i].drawn);
    firn_scene_destroy(scene);
  }
  firn_frame_close(frame);
}

// The same of a program: what it leaves open, and a part that is not in the picture at all.
static void a_program_says_how_parts_look(void **state) {
  scratch *s = *state;
  firn_frame *frame = write_frame(s);
  firn_scene *scene = read_scene(s, "", "", NULL);
  firn_render_def def = small(scene);
  const double nan = (double)NAN;
  const firn_look_def open = {.albedo = {nan}, .gloss = nan, .roughness = nan};
  firn_look_def looks[3] = {open, open, open};
  firn_part_look_def parts[4] = {{.collider = 2, .part = 1, .look = {.albedo = {0, 0, 0.8}}},
                                 {.collider = 2, .part = 2, .look = open},
                                 {.collider = 2, .part = 3, .look = {.albedo = {1}}},
                                 {.collider = 7, .part = 0, .look = {.albedo = {1}}}};
  def.looks = looks;
  def.part_looks = parts;
  def.part_look_count = 4;
  expect_pictures(frame, scene, &def, "a blue arm", "wwbw", "wwbw");
  looks[2].albedo[0] = 0;
  looks[2].albedo[1] = 0.8;
  expect_pictures(frame, scene, &def, "a green man", "wwbg", "wwbg");
  parts[3] = (firn_part_look_def){.collider = 2, .part = 1, .look = {.albedo = {0.8}}};
  expect_pictures(frame, scene, &def, "the last counts", "wwrg", "wwrg");
  parts[1].look = (firn_look_def){.albedo = {-1}, .mode = FIRN_LOOK_HIDDEN};
  expect_pictures(frame, scene, &def, "no head", "wwr.", "wwr.");
  def.part_looks = NULL;
  expect_pictures(frame, scene, &def, "no looks of parts", "wwgg", "wwgg");
  firn_scene_destroy(scene);
  firn_frame_close(frame);
}

static void looks_that_make_no_sense_are_refused(void **state) {
  scratch *s = *state;
  firn_frame *frame = write_frame(s);
  firn_scene *scene = read_scene(s, "", "", NULL);
  static uint8_t rgb[HEIGHT * WIDTH * 3];
  const struct {
    firn_part_look_def part;
    const char *words;
  } cases[] = {{{2, 1, {.albedo = {0.1, 2}}}, "the look of part 1 of collider 2: albedo (0.1 2 0)"},
               {{2, 1, {.gloss = -0.1}}, "gloss -0.1"},
               {{2, 1, {.albedo = {0, (double)NAN}}}, "albedo (0 nan 0)"},
               {{2, 1, {.albedo = {-1}, .mode = (firn_look_mode)5}}, "part 1 of collider 2"},
               {{2, -1, {.gloss = 0}}, "part_looks[0]: there is no part -1 of a collider 2"},
               {{-3, 1, {.gloss = 0}}, "part_looks[0]: there is no part 1 of a collider -3"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int traced = 0; traced < 2; traced++) {
      firn_render_def def = small(scene);
      def.part_looks = &cases[i].part;
      def.part_look_count = 1;
      firn_preview_def preview = firn_preview_of_render(&def);
      firn_status status = traced ? firn_frame_render_pixels(frame, scene, &def, rgb, NULL, NULL)
                                  : firn_frame_preview_pixels(frame, scene, &preview, rgb);
      assert_int_equal(status, FIRN_ERROR_ARGUMENT);
      const char *message = firn_context_message(s->context);
      if (!strstr(message, cases[i].words)) fail_msg("'%s' in: %s", cases[i].words, message);
    }
  firn_part_look_def newer = {.part = 1, .look = {.room = {0, 1}}};
  firn_render_def def = small(scene);
  def.part_looks = &newer;
  def.part_look_count = 1;
  assert_int_equal(firn_frame_render_pixels(frame, scene, &def, rgb, NULL, NULL),
                   FIRN_ERROR_UNSUPPORTED);
  firn_scene_destroy(scene);
  firn_frame_close(frame);
}

// ---------------------------------------------------------------------------------------- settings

static void same_number(double a, double b) {
  if (!(a == b || (isnan(a) && isnan(b)))) fail_msg("%g is not %g", a, b);
}

static void same_look(const firn_look_def *a, const firn_look_def *b) {
  same_number(a->albedo[0], b->albedo[0]);
  for (int k = 1; k < 3 && a->albedo[0] >= 0; k++) same_number(a->albedo[k], b->albedo[k]);
  same_number(a->gloss, b->gloss);
  same_number(a->roughness, b->roughness);
  assert_int_equal(a->mode, b->mode);
}

// The scene beside a run's frames is the resolved one: names and numbers come back from it, and so do
// keys that are left out.
static void the_scene_of_a_run_has_the_looks(void **state) {
  scratch *s = *state;
  firn_scene *first = read_scene(
      s, "",
      "  looks:\n    truck: {gloss: 0.25}\n    'rack: left': {albedo: [0.1, 0.2, 0.3]}\n"
      "    man: {roughness: 0.125, parts: {right arm: {gloss: 0.5}, hip: {}}}\n",
      NULL);
  const char *path = scratch_path(s, "resolved.yaml");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(firn_scene_resolved_text(first), file);
  fclose(file);
  firn_scene *again = NULL;
  if (firn_scene_load(s->context, path, 0, NULL, &again) != FIRN_OK)
    fail_msg("%s", firn_context_message(s->context));
  assert_string_equal(firn_scene_resolved_text(first), firn_scene_resolved_text(again));
  firn_render_def a, b;
  assert_int_equal(firn_scene_render_def(first, 0, &a), FIRN_OK);
  assert_int_equal(firn_scene_render_def(again, 0, &b), FIRN_OK);
  assert_int_equal(a.look_count, 3);
  assert_int_equal(b.look_count, 3);
  for (int i = 0; i < 3; i++) same_look(&a.looks[i], &b.looks[i]);
  assert_int_equal(a.part_look_count, 2);
  assert_int_equal(b.part_look_count, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(a.part_looks[i].collider, 2);
    assert_int_equal(a.part_looks[i].part, i + 1);
    assert_int_equal(b.part_looks[i].collider, 2);
    assert_int_equal(b.part_looks[i].part, i + 1);
    same_look(&a.part_looks[i].look, &b.part_looks[i].look);
  }
  // Over the collider's own look; over none; over the part's collider; the part's own.
  same_look(&a.looks[0], &(firn_look_def){.albedo = {0, 0, 0.8}, .gloss = 0.25, .roughness = 0.6});
  const double nan = (double)NAN;
  same_look(&a.looks[1],
            &(firn_look_def){.albedo = {0.1, 0.2, 0.3}, .gloss = nan, .roughness = nan});
  same_look(&a.looks[2], &(firn_look_def){.albedo = {0.8, 0, 0}, .roughness = 0.125});
  same_look(&a.part_looks[0].look,
            &(firn_look_def){.albedo = {nan}, .gloss = 0.5, .roughness = nan});
  same_look(&a.part_looks[1].look, &(firn_look_def){.albedo = {0, 0.8, 0}, .roughness = 0.3});
  firn_preview_def preview = firn_scene_preview(again, 0);
  assert_int_equal(preview.part_look_count, 2);
  assert_ptr_equal(preview.part_looks, b.part_looks);
  firn_scene_destroy(again);
  firn_scene_destroy(first);
}

// An override has no line: it is named itself.
static void a_name_that_is_set_from_outside_is_checked(void **state) {
  scratch *s = *state;
  static const char *const sets[][2] = {
      {"render.looks.trukc.albedo=[1, 0, 0]", "no collider 'trukc'; did you mean 'truck'?"},
      {"render.looks.man.parts.right arn.gloss=0",
       "no part 'right arn'; did you mean 'right arm'?"},
      {"render.looks.truck.glos=0", "did you mean 'gloss'?"}};
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
    firn_scene *scene = NULL;
    assert_int_equal(load(s, "", "", sets[i][0], &scene), FIRN_ERROR_SCENE);
    assert_int_equal(firn_scene_error_count(scene), 1);
    const char *message = firn_scene_error_get(scene, 0)->message;
    if (!strstr(message, sets[i][1])) fail_msg("'%s' in: %s", sets[i][1], message);
    firn_scene_destroy(scene);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(names_say_how_colliders_and_parts_look),     TEST(a_program_says_how_parts_look),
      TEST(looks_that_make_no_sense_are_refused),       TEST(the_scene_of_a_run_has_the_looks),
      TEST(a_name_that_is_set_from_outside_is_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
