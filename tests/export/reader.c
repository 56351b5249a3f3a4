// SPDX-License-Identifier: Apache-2.0
// The public reader of frames: what a simulation wrote is what a program reads.
#include "cache/scratch.h"

#include <math.h>

#include <firn/firn.h>

static void must(const scratch *s, firn_status status, int line) {
  if (status != FIRN_OK) fail_msg("line %d: %s", line, firn_context_message(s->context));
}
#define MUST(s, call) must((s), (call), __LINE__)

static firn_sim *make_sim(scratch *s) {
  firn_sim_def def = firn_default_sim_def();
  firn_material_def snow = firn_default_material_def();
  firn_fill_def ball = firn_default_fill_def();
  firn_sim *sim;
  def.h = 0.025;
  ball.shape = firn_sphere((double[]){0, 1, 0}, 0.1);
  ball.velocity[0] = 3;
  ball.spin[1] = 2;
  MUST(s, firn_sim_create(s->context, &def, &sim));
  MUST(s, firn_sim_add_material(sim, &snow, NULL));
  MUST(s, firn_sim_fill(sim, &ball));
  return sim;
}

static void a_frame_reads_as_the_simulation_does(void **state) {
  scratch *s = *state;
  firn_sim *sim = make_sim(s);
  MUST(s, firn_sim_advance(sim, 0.01, NULL, NULL));
  MUST(s, firn_sim_write_frame(sim, scratch_path(s, "a.hdf")));
  firn_frame *frame;
  MUST(s, firn_frame_open(s->context, scratch_path(s, "a.hdf"), &frame));
  size_t n = firn_sim_count(sim);
  assert_int_equal(firn_frame_count(frame), n);
  assert_true(firn_frame_time(frame) == firn_sim_time(sim));
  assert_true(firn_frame_h(frame) == 0.025);
  assert_int_equal(firn_frame_number(frame), -1); // written alone
  assert_string_equal(firn_frame_solver(frame), "mpm");
  double *a = malloc(9 * n * sizeof *a), *b = malloc(9 * n * sizeof *b);
  float *c = malloc(9 * n * sizeof *c);
  assert_non_null(a);
  assert_non_null(b);
  assert_non_null(c);
  bool seen[3] = {false};
  for (int i = 0; i < firn_frame_field_count(frame); i++) {
    firn_field_info info, again;
    MUST(s, firn_frame_field_at(frame, i, &info));
    MUST(s, firn_frame_field_named(frame, info.name, &again));
    assert_string_equal(info.name, again.name);
    assert_false(info.writable);
    MUST(s, firn_sim_read(sim, info.name, a));
    MUST(s, firn_frame_read_double(frame, info.name, b));
    MUST(s, firn_frame_read_float(frame, info.name, c));
    // Frames hold floats; ids below 2^24 are exact in them.
    for (size_t k = 0; k < n * (size_t)info.components; k++) {
      assert_true((float)a[k] == c[k] && b[k] == (double)(float)a[k]);
    }
    if (strcmp(info.name, "velocity") == 0) {
      seen[0] = info.components == 3 && strcmp(info.unit, "m/s") == 0;
    }
    if (strcmp(info.name, "jp") == 0) seen[1] = info.components == 1;
    if (strcmp(info.name, "position") == 0) seen[2] = info.components == 3;
  }
  assert_true(seen[0] && seen[1] && seen[2]);
  firn_field_info info;
  assert_int_equal(firn_frame_field_at(frame, firn_frame_field_count(frame), &info),
                   FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_frame_field_at(frame, -1, &info), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_frame_field_named(frame, "heat", &info), FIRN_ERROR_ARGUMENT);
  assert_message(s, "heat");
  assert_int_equal(firn_frame_read_double(frame, "heat", a), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_frame_read_double(frame, "mass", NULL), FIRN_ERROR_ARGUMENT);
  firn_frame_close(frame);
  free(a);
  free(b);
  free(c);
  firn_sim_destroy(sim);
}

static void an_empty_frame_is_read(void **state) {
  scratch *s = *state;
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim;
  firn_frame *frame;
  MUST(s, firn_sim_create(s->context, &def, &sim));
  MUST(s, firn_sim_write_frame(sim, scratch_path(s, "empty.hdf")));
  MUST(s, firn_frame_open(s->context, scratch_path(s, "empty.hdf"), &frame));
  assert_int_equal(firn_frame_count(frame), 0);
  MUST(s, firn_frame_read_double(frame, "velocity", NULL));
  firn_pieces pieces;
  MUST(s, firn_frame_pieces(frame, NULL, &pieces));
  assert_int_equal(pieces.count, 0);
  firn_frame_close(frame);
  firn_sim_destroy(sim);
}

// Cut at every kind of place, or not a frame at all: never a crash, always the name of the file.
static void files_that_are_no_frames_are_told_apart(void **state) {
  scratch *s = *state;
  firn_sim *sim = make_sim(s);
  firn_frame *frame = NULL;
  MUST(s, firn_sim_write_frame(sim, scratch_path(s, "good.hdf")));
  size_t size;
  char *data;
  scratch_read(s, "good.hdf", &data, &size);
  for (size_t cut = 0; cut < size; cut += size / 37 + 1) {
    MUST(s, firn_file_put(s->context, scratch_path(s, "cut.hdf"), data, cut));
    firn_status status = firn_frame_open(s->context, scratch_path(s, "cut.hdf"), &frame);
    assert_true(status == FIRN_ERROR_FORMAT || status == FIRN_ERROR_IO);
    assert_null(frame);
    assert_message(s, "cut.hdf");
  }
  firn_free(s->context, data, size + 1);
  MUST(s, firn_file_put(s->context, scratch_path(s, "text.hdf"), "x,y,z\n1,2,3\n", 12));
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "text.hdf"), &frame),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "text.hdf");
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "none.hdf"), &frame), FIRN_ERROR_IO);
  assert_message(s, "none.hdf", "No such file");
  // A checkpoint is HDF5 too, but not a frame.
  MUST(s, firn_sim_save(sim, scratch_path(s, "state.hdf")));
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "state.hdf"), &frame),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "state.hdf", "not a frame");
  assert_int_equal(firn_frame_open(s->context, NULL, &frame), FIRN_ERROR_ARGUMENT);
  firn_frame_close(NULL);
  assert_int_equal(firn_frame_count(NULL), 0);
  firn_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
      TEST(a_frame_reads_as_the_simulation_does),
      TEST(an_empty_frame_is_read),
      TEST(files_that_are_no_frames_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
