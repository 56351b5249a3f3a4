// SPDX-License-Identifier: Apache-2.0
// Compact frames: how far rounded numbers are from the true ones, and how small the files get.
#include "scratch.h"

#include <math.h>

#include <firn/firn.h>

#include "base/random.h"
#include "cache/frame.h"
#include "cache/pack.h"

enum { SIDE = 14 }; // cells along the edge of the cube: 21952 particles

// A cube of snow in which every particle moves in its own way.
static firn_sim *make(scratch *s) {
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim;
  def.h = 0.013;
  assert_int_equal(firn_sim_create(s->context, &def, &sim), FIRN_OK);
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  assert_int_equal(firn_sim_add_material(sim, &material, &fill.material), FIRN_OK);
  double half = 0.5 * SIDE * def.h;
  fill.shape = firn_box((double[3]){1.7, half, -3.1}, (double[3]){half, half, half});
  fill.per_cell = 8;
  assert_int_equal(firn_sim_fill(sim, &fill), FIRN_OK);
  size_t n = 3 * firn_sim_count(sim);
  double *velocity = malloc(n * sizeof *velocity);
  for (size_t i = 0; i < n; i++) {
    velocity[i] = 5 * (2 * firn_uniform(firn_philox4x32(5, (uint32_t)i, 0, 0).v[0]) - 1);
  }
  assert_int_equal(firn_sim_write(sim, "velocity", velocity), FIRN_OK);
  free(velocity);
  for (int i = 0; i < 3; i++) assert_int_equal(firn_sim_step(sim, 1e-4, NULL), FIRN_OK);
  return sim;
}

static double file_size(scratch *s, const char *name) {
  struct stat info;
  assert_int_equal(stat(scratch_path(s, name), &info), 0);
  return (double)info.st_size;
}

// Largest difference between a field of the simulation and of the frame; *most: largest magnitude.
static double error_of(firn_sim *sim, firn_frame *f, const char *field, int components,
                       double *most) {
  size_t n = f->count * (size_t)components;
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), error = 0;
  assert_int_equal(firn_sim_read(sim, field, a), FIRN_OK);
  assert_int_equal(firn_frame_read(f, field, components, FIRN_ARCHIVE_F64, b), FIRN_OK);
  *most = 0;
  for (size_t i = 0; i < n; i++) {
    error = fmax(error, fabs(a[i] - b[i]));
    *most = fmax(*most, fabs(a[i]));
  }
  free(a);
  free(b);
  return error;
}

static void compact_frames_keep_their_promises(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s);
  firn_output_def def = firn_default_output_def();
  static const char *const fields[] = {"id", "velocity", "mass",   "density",
                                       "jp", "material", "stress", "strain"};
  def.fields = fields;
  def.field_count = (int)(sizeof fields / sizeof *fields);
  def.precision = 16;
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "16.hdf")), FIRN_OK);
  firn_frame *f;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "16.hdf"), &f), FIRN_OK);
  assert_int_equal(f->count, firn_sim_count(sim));
  const struct {
    const char *name;
    int components;
  } cases[] = {{"velocity", 3}, {"mass", 1},   {"density", 1},
               {"jp", 1},       {"stress", 6}, {"strain", 6}};
  double most;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double error = error_of(sim, f, cases[i].name, cases[i].components, &most);
    assert_true(most > 0);
    // Half a step of 2^-15 of the largest value or less; and the float that it is stored as.
    if (!(error <= most * 0x1p-16 * (1 + 1e-6))) {
      fail_msg("%s: off by %g of %g", cases[i].name, error, most);
    }
    const firn_frame_field *field = firn_frame_find(f, cases[i].name);
    assert_non_null(field);
    assert_int_equal(field->type, FIRN_ARCHIVE_F32);
  }
  // Half a step of h/1024; floats near 3 m are themselves good to 2^-23 m.
  double error = error_of(sim, f, "position", 3, &most);
  assert_true(error <= 0.013 / 2048 + 0x1p-23);
  assert_true(error > 0.013 / 16384); // and it was rounded at all
  assert_true(error_of(sim, f, "id", 1, &most) == 0);
  assert_true(error_of(sim, f, "material", 1, &most) == 0);
  firn_frame_close(f);
  firn_sim_destroy(sim);
}

static void compact_frames_are_less_than_half_as_large(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s);
  firn_output_def def = firn_default_output_def();
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "32.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_write_frame(sim, scratch_path(s, "plain.hdf")), FIRN_OK);
  assert_same_bytes(s, "32.hdf", "plain.hdf");
  def.precision = 16;
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "16.hdf")), FIRN_OK);
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "16b.hdf")), FIRN_OK);
  assert_same_bytes(s, "16.hdf", "16b.hdf");
  double n = (double)firn_sim_count(sim);
  double full = file_size(s, "32.hdf") / n, compact = file_size(s, "16.hdf") / n;
  print_message("%.1f and %.1f bytes a particle\n", full, compact);
  // id, connectivity, position, velocity, mass, density, jp: 44, and some for HDF5 itself.
  assert_true(full > 44 && full < 45);
  // The hardest case there is, velocities of noise: 3 x 2 bytes; positions about as much.
  assert_true(compact < 22);
  firn_sim_destroy(sim);
}

static void fields_are_chosen_by_name(void **state) {
  scratch *s = *state;
  firn_sim *sim = make(s);
  const char *const wanted[] = {"jp", "stress"};
  firn_output_def def = {
      .size = sizeof def, .field_count = 2, .fields = wanted}; // zeros are defaults
  firn_frame *f;
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "a.hdf"), &f), FIRN_OK);
  assert_int_equal(f->field_count, 3); // and position
  assert_int_equal(firn_frame_find(f, "stress")->components, 6);
  assert_non_null(firn_frame_find(f, "jp"));
  assert_non_null(firn_frame_find(f, "position"));
  firn_frame_close(f);

  const char *const wrong[] = {"jp", "strss"};
  def.fields = wrong;
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "b.hdf")),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "'strss'", "did you mean 'stress'?");
  assert_false(scratch_exists(s, "b.hdf"));
  def = (firn_output_def){.size = sizeof(firn_output_def), .precision = 12};
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "b.hdf")),
                   FIRN_ERROR_ARGUMENT);
  assert_message(s, "precision is 12", "16 or 32");
  firn_sim_destroy(sim);
}

static void an_empty_compact_frame_is_a_frame(void **state) {
  scratch *s = *state;
  firn_sim_def sim_def = firn_default_sim_def();
  firn_output_def def = {.size = sizeof def, .precision = 16};
  firn_sim *sim;
  firn_frame *f;
  assert_int_equal(firn_sim_create(s->context, &sim_def, &sim), FIRN_OK);
  assert_int_equal(firn_sim_write_frame_as(sim, &def, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "a.hdf"), &f), FIRN_OK);
  assert_int_equal(f->count, 0);
  firn_frame_close(f);
  firn_sim_destroy(sim);
}

static void rounding_leaves_what_it_cannot_round(void **state) {
  firn_context *context = ((scratch *)*state)->context;
  double data[] = {1, -0.3, (double)INFINITY, (double)NAN, 0};
  double step = firn_pack_step(context, 5, data);
  assert_true(step == 0x1p-15);
  firn_pack_round(context, 5, data, step);
  assert_true(data[0] == 1 && isinf(data[2]) && isnan(data[3]) && data[4] == 0);
  assert_true(fabs(data[1] + 0.3) <= step / 2 && fmod(data[1], step) == 0);
  double zeros[] = {0, 0};
  assert_true(firn_pack_step(context, 2, zeros) == 0);
  assert_true(firn_pack_step(context, 0, NULL) == 0);
  // The largest power of two at most h/1024.
  assert_true(firn_pack_step_position(1.024) == 0x1p-10);
  assert_true(firn_pack_step_position(1) == 0x1p-10);
  assert_true(firn_pack_step_position(0.999) == 0x1p-11);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(compact_frames_keep_their_promises),
      TEST(compact_frames_are_less_than_half_as_large),
      TEST(fields_are_chosen_by_name),
      TEST(an_empty_compact_frame_is_a_frame),
      TEST(rounding_leaves_what_it_cannot_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
