// SPDX-License-Identifier: Apache-2.0
// Frames know their bodies: what the simulation had, whatever becomes of the scene file later.
#include "cache/scratch.h"

#include <firn/firn.h>
#include <math.h>

#include "api/sim.h"
#include "cache/frame.h"
#include "support/books.h"

enum { WIDTH = 120, HEIGHT = 80, VALUES = WIDTH * HEIGHT * 3 };
static const double moment = 0.05; // s

// A ball that flies by with an arm that turns on it, and a tent of a mesh: the velocity and the ball's
// radius are what may be changed afterwards.
static firn_scene *read_scene(firn_context *context, scratch *s, double velocity, double radius) {
  const char *path = scratch_path(s, "scene.yaml");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(
      file,
      "firn: 1\nh: 2 cm\nfps: 10\n"
      "mpm: {collider_time: begin, dt_max: 0.5 ms}\n" // so that a step leaves colliders where they were before it
      "snow: [{shape: {sphere: {center: [0, 0.1, 0], radius: 0.06}}}]\n"
      "colliders:\n"
      "  - {shape: {half_space: {}}}\n"
      "  - name: ball\n"
      "    velocity: [%g, 0, 0]\n"
      "    parts:\n"
      "      - {name: hub, shape: {sphere: {center: [0, 0.3, 0.1], radius: %g}}, "
      "motion: {spin: [0, 0, 5]}}\n"
      "      - {name: arm, parent: hub, shape: {box: {center: [0.15, 0.3, 0.1], size: [0.2, "
      "0.02, 0.02]}}, motion: {pivot: [0.05, 0.3, 0.1], spin: [3, 0, 0]}}\n"
      "  - {name: tent, velocity: [0, 0, %g], shape: {mesh: {file: tent.obj}}}\n",
      velocity, radius, -velocity / 4);
  fclose(file);
  file = fopen(scratch_path(s, "tent.obj"), "w");
  assert_non_null(file);
  fputs("v -.3 .05 -.2\nv -.1 .05 -.2\nv -.2 .05 -.4\nv -.2 .25 -.3\n"
        "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n",
        file);
  fclose(file);
  firn_scene *scene = NULL;
  firn_status status = firn_scene_load(context, scratch_path(s, "scene.yaml"), 0, NULL, &scene);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return scene;
}

static firn_frame *open_frame(scratch *s, const char *name) {
  firn_frame *frame = NULL;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, name), &frame), FIRN_OK);
  return frame;
}

// The scene as it is at the moment.
static firn_sim *simulate(scratch *s, double velocity) {
  firn_scene *scene = read_scene(s->context, s, velocity, 0.05);
  firn_sim *sim = NULL;
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  assert_int_equal(firn_sim_advance(sim, moment, NULL, NULL), FIRN_OK);
  firn_scene_destroy(scene);
  return sim;
}

static void a_frame_has_the_poses_of_the_simulation(void **state) {
  scratch *s = *state;
  firn_sim *sim = simulate(s, 1);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_frame *frame = open_frame(s, "a.hdf");
  size_t count, i = 0;
  const firn_frame_body *body = firn_frame_bodies(frame, &count);
  assert_int_equal(count, 4);
  assert_true(firn_frame_spacing(frame) == 0.01);
  const firn_world *world = &sim->world;
  for (int c = 0; c < world->collider_count; c++)
    for (int k = 0; k < world->collider[c].part_count; k++, i++) {
      const firn_part *part = &world->collider[c].part[k];
      assert_true(body[i].collider == c && body[i].part == k && body[i].shape != 0);
      assert_true(body[i].shape == firn_part_digest(part));
      assert_memory_equal(body[i].rotation, part->pose.q, sizeof part->pose.q);
      assert_memory_equal(body[i].shift, part->pose.shift, sizeof part->pose.shift);
      assert_memory_equal(body[i].pivot, part->pose.pivot, sizeof part->pose.pivot);
      assert_memory_equal(body[i].velocity, part->pose.velocity, sizeof part->pose.velocity);
      assert_memory_equal(body[i].spin, part->pose.spin, sizeof part->pose.spin);
    }
  // The tent is one part, and the hub turns about where the ball is.
  firn_collider_state ball, tent;
  assert_int_equal(firn_sim_collider(sim, 1, &ball), FIRN_OK);
  assert_int_equal(firn_sim_collider(sim, 2, &tent), FIRN_OK);
  assert_memory_equal(body[3].rotation, tent.rotation, sizeof tent.rotation);
  assert_memory_equal(body[3].pivot, tent.pivot, sizeof tent.pivot);
  assert_memory_equal(body[3].velocity, tent.velocity, sizeof tent.velocity);
  assert_memory_equal(body[1].pivot, ball.pivot, sizeof ball.pivot);
  assert_true(fabs(body[1].pivot[0] - moment) < 1e-12 && fabs(body[1].spin[2] - 5) < 1e-12);
  // The arm has both turns, and its joint the speed of the rim.
  assert_true(fabs(body[2].spin[2] - 5) < 1e-12 && fabs(body[2].spin[0] - 3 * cos(0.25)) < 1e-12);
  assert_true(fabs(body[2].velocity[1] - 0.25 * cos(0.25)) < 1e-12);
  firn_frame_close(frame);
  // After each step, too, they are where the clock says.
  assert_int_equal(firn_sim_step(sim, 1e-3, NULL), FIRN_OK);
  assert_int_equal(firn_sim_collider(sim, 1, &ball), FIRN_OK);
  assert_true(fabs(ball.pivot[0] - firn_sim_time(sim)) < 1e-12);
  firn_sim_destroy(sim);
}

// ---------------------------------------------------------------------------------------- pictures

typedef struct look {
  uint8_t preview[VALUES], still[VALUES], blurred[VALUES];
} look;

static void take(scratch *s, firn_frame *frame, double velocity, double radius, look *out) {
  firn_scene *scene = read_scene(s->context, s, velocity, radius);
  firn_render_def def = firn_default_render_def();
  def.width = WIDTH;
  def.height = HEIGHT;
  def.samples = 4;
  def.sky.kind = FIRN_SKY_PLAIN;
  def.snow.detail = def.snow.anisotropy = 0;
  def.camera = (firn_camera_def){
      .eye = {0, 0.4, 1.6}, .target = {0, 0.2, 0}, .up = {0, 1, 0}, .fov = 0.5};
  firn_preview_def preview = firn_preview_of_render(&def);
  assert_int_equal(firn_frame_preview_pixels(frame, scene, &preview, out->preview), FIRN_OK);
  assert_int_equal(firn_frame_render_pixels(frame, scene, &def, out->still, NULL, NULL), FIRN_OK);
  def.shutter = 0.5;
  assert_int_equal(firn_frame_render_pixels(frame, scene, &def, out->blurred, NULL, NULL), FIRN_OK);
  firn_scene_destroy(scene);
}

static int differing(const uint8_t *a, const uint8_t *b) {
  int n = 0;
  for (int i = 0; i < VALUES; i++) n += abs(a[i] - b[i]) > 8;
  return n;
}

static look first, second;

static void pictures_show_bodies_where_they_were(void **state) {
  scratch *s = *state;
  firn_sim *sim = simulate(s, 1);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_sim_destroy(sim);
  firn_frame *frame = open_frame(s, "a.hdf");
  take(s, frame, 1, 0.05, &first);
  take(s, frame, -3, 0.05, &second); // somebody has edited the scene
  assert_memory_equal(first.preview, second.preview, VALUES);
  assert_memory_equal(first.still, second.still, VALUES);
  // While the shutter is open they go on as they move: evenly, as the scene had it.
  assert_true(differing(first.blurred, second.blurred) < VALUES / 200);
  assert_true(differing(first.blurred, first.still) > VALUES / 100);
  firn_frame_close(frame);
}

// As a frame was before bodies were written: the scene tells where they are.
static void frames_without_bodies_show_them_by_the_scene(void **state) {
  scratch *s = *state;
  firn_sim *sim = simulate(s, 1);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  size_t count = firn_sim_count(sim);
  float *data = malloc(8 * count * sizeof *data);
  assert_non_null(data);
  firn_frame *frame = open_frame(s, "a.hdf");
  assert_int_equal(firn_frame_read_float(frame, "position", data), FIRN_OK);
  assert_int_equal(firn_frame_read_float(frame, "mass", data + 3 * count), FIRN_OK);
  assert_int_equal(firn_frame_read_float(frame, "density", data + 4 * count), FIRN_OK);
  assert_int_equal(firn_frame_read_float(frame, "velocity", data + 5 * count), FIRN_OK);
  const firn_frame_array arrays[] = {
      {"position", "m", FIRN_ARCHIVE_F32, 3, 0, data},
      {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, data + 3 * count},
      {"density", "kg/m^3", FIRN_ARCHIVE_F32, 1, 0, data + 4 * count},
      {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, 0, data + 5 * count},
  };
  const firn_frame_head head = {.count = count, .time = moment, .h = 0.02, .frame = -1};
  assert_int_equal(firn_frame_write(s->context, scratch_path(s, "old.hdf"), &head, 4, arrays),
                   FIRN_OK);
  take(s, frame, 1, 0.05, &first);
  firn_frame_close(frame);
  frame = open_frame(s, "old.hdf");
  assert_null(firn_frame_bodies(frame, &count));
  assert_int_equal(count, 0);
  assert_true(frame->spacing == 0.01 && frame->kernel == 0.02);
  take(s, frame, 1, 0.05, &second);
  assert_memory_equal(&first, &second, sizeof first);
  take(s, frame, -3, 0.05, &second);
  assert_true(differing(first.preview, second.preview) > VALUES / 100);
  assert_true(differing(first.still, second.still) > VALUES / 100);
  firn_frame_close(frame);
  firn_sim_destroy(sim);
  free(data);
}

// ------------------------------------------------------------------------------------ other shapes

static void listen(void *user, firn_log_level level, const char *message) {
  char *heard = user;
  if (level == FIRN_LOG_WARNING) snprintf(heard, 512, "%s", message);
}

static void a_shape_that_is_another_is_shown_where_the_scene_says(void **state) {
  scratch *s = *state;
  firn_sim *sim = simulate(s, 1);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_sim_destroy(sim);
  char heard[512] = "";
  firn_context *quiet = s->context;
  firn_context_def def = firn_default_context_def();
  def.log = listen;
  def.log_user = heard;
  assert_int_equal(firn_context_create(&def, &s->context), FIRN_OK);
  firn_frame *frame = open_frame(s, "a.hdf");
  take(s, frame, 1, 0.05, &first);
  assert_string_equal(heard, "");
  take(s, frame, -3, 0.07, &second);
  if (!strstr(heard, "collider 'ball' of the scene is not the one")) fail_msg("'%s'", heard);
  assert_true(differing(first.preview, second.preview) > VALUES / 100);
  firn_frame_close(frame);
  firn_context_destroy(s->context);
  s->context = quiet;
}

// ------------------------------------------------------------------------------------------ memory

static void every_failing_allocation_is_survived(void **state) {
  scratch *s = *state;
  firn_sim *sim = simulate(s, 1);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_sim_destroy(sim);
  books b = {0};
  firn_context_def def = firn_default_context_def();
  def.resize = books_resize;
  def.resize_user = &b;
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  firn_scene *scene = read_scene(context, s, 1, 0.05);
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  // Writing, and opening again.
  for (int reading = 0; reading < 2; reading++) {
    bool done = false;
    size_t before = b.bytes, failed = 0, n = 1;
    for (; !done; n++) {
      firn_frame *frame = NULL;
      b.calls = 0;
      b.refuse_at = n;
      firn_status status = reading ? firn_frame_open(context, scratch_path(s, "a.hdf"), &frame)
                                   : firn_sim_write_frame(sim, scratch_path(s, "b.hdf"));
      done = b.calls < n;
      failed += status != FIRN_OK; // HDF5 tries some things twice
      if (status != FIRN_OK && (done || !strstr(firn_context_message(context), "out of memory")))
        fail_msg("%s, allocation %zu: %s", reading ? "reading" : "writing", n,
                 firn_context_message(context));
      b.refuse_at = 0;
      firn_frame_close(frame);
      assert_true(b.bytes == before && b.wrong == 0);
    }
    assert_in_range(failed, 4, 1000);
  }
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_frame_has_the_poses_of_the_simulation),
      TEST(pictures_show_bodies_where_they_were),
      TEST(frames_without_bodies_show_them_by_the_scene),
      TEST(a_shape_that_is_another_is_shown_where_the_scene_says),
      TEST(every_failing_allocation_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
