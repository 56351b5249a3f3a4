// SPDX-License-Identifier: Apache-2.0
// vdb files, read back by OpenVDB: the density that pictures show, voxel by voxel.
#include "cache/scratch.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include <firn/firn.h>

#include "api/picture.h"
#include "export/vdb_reader.h"

#define H     0.02   // m
#define LEAST 1e-4f  // of the rest density: less is left out of a file
#define HALF  4.9e-4 // 2^-11: a file has 16-bit floats

static void must(const scratch *s, firn_status status, int line) {
  if (status != FIRN_OK) fail_msg("line %d: %s", line, firn_context_message(s->context));
}
#define MUST(s, call) must((s), (call), __LINE__)

// ------------------------------------------------------------------------------------- reading

enum { SIDE = 96 }; // voxels of the box that a grid is copied to

typedef struct box {
  int low[3];
  float (*value)[3]; // [SIDE][SIDE][SIDE]; nan: off
  size_t count;
  double sum[3];
  vdb_note note;
} box;

static size_t place(const box *b, const int at[3]) {
  size_t i = 0;
  for (int c = 0; c < 3; c++) {
    assert_in_range(at[c] - b->low[c], 0, SIDE - 1);
    i = i * SIDE + (size_t)(at[c] - b->low[c]);
  }
  return i;
}

static void put(void *user, const int at[3], const float value[3]) {
  box *b = user;
  float *here = b->value[place(b, at)];
  assert_true(isnan(here[0]));
  for (int c = 0; c < 3; c++) b->sum[c] += (double)(here[c] = value[c]);
  b->count++;
}

// low is the box's first voxel.
static box read_grid(scratch *s, const char *file, const char *grid, const int low[3]) {
  box b = {.low = {low[0], low[1], low[2]}};
  size_t n = (size_t)SIDE * SIDE * SIDE;
  void *module = dlopen(VDB_READER, RTLD_NOW | RTLD_LOCAL), *symbol = NULL;
  if (module) symbol = dlsym(module, VDB_READ);
  if (!symbol) fail_msg("%s", dlerror());
  vdb_read_fn read;
  memcpy(&read, &symbol, sizeof read);
  b.value = malloc(n * sizeof *b.value);
  assert_non_null(b.value);
  for (size_t i = 0; i < n; i++) b.value[i][0] = NAN;
  if (read(scratch_path(s, file), grid, put, &b, &b.note)) {
    free(b.value);
    b.value = NULL;
  }
  return b;
}

// --------------------------------------------------------------------------------------- making

// "run/frame_00000.hdf": a ball of 0.06 m that falls at 2 m/s, and a few particles beside it.
static void make_run(scratch *s, bool moves) {
  firn_sim_def def = firn_default_sim_def();
  firn_material_def snow = firn_default_material_def();
  firn_fill_def ball = firn_default_fill_def(), crumb;
  firn_sim *sim;
  def.h = H;
  ball.shape = firn_sphere((double[]){0.3, 1, -0.2}, 0.06);
  ball.velocity[0] = 0.5;
  ball.velocity[1] = -2;
  MUST(s, firn_sim_create(s->context, &def, &sim));
  MUST(s, firn_sim_add_material(sim, &snow, NULL));
  MUST(s, firn_sim_fill(sim, &ball));
  for (int i = 0; i < 7; i++) {
    crumb = ball;
    crumb.velocity[1] = 1;
    crumb.shape = firn_sphere((double[]){0.4, 0.9 + 0.03 * i, -0.2 + 0.02 * (i % 3)}, 0.008);
    MUST(s, firn_sim_fill(sim, &crumb));
  }
  assert_int_equal(mkdir(scratch_path(s, "run"), 0777), 0);
  static const char *const still[] = {"id", "mass", "density"};
  firn_output_def output = firn_default_output_def();
  if (!moves) {
    output.fields = still;
    output.field_count = 3;
  }
  MUST(s, firn_sim_write_frame_as(sim, &output, scratch_path(s, "run/frame_00000.hdf")));
  firn_sim_destroy(sim);
}

static firn_export_def def_of(scratch *s) {
  static char source[300];
  firn_export_def def = firn_default_export_def();
  snprintf(source, sizeof source, "%s/run", s->folder);
  def.source = source;
  def.format = FIRN_EXPORT_VDB;
  def.density = 400;
  return def;
}

// The box begins here, m.
static const double low_corner[3] = {0.2, 0.85, -0.35};

static box export_and_read(scratch *s, const firn_export_def *def, double voxel, const char *grid) {
  int low[3];
  for (int c = 0; c < 3; c++) low[c] = (int)floor(low_corner[c] / voxel);
  if (def->z_up) { // x, -z, y
    int z = low[2];
    low[2] = low[1];
    low[1] = -z - SIDE + 1;
  }
  MUST(s, firn_export(s->context, def));
  return read_grid(s, "run/vdb/frame_00000.vdb", grid, low);
}

// The stage of pictures, close to the ball so that floats are fine, on the lattice of the files.
static double stage(double voxel, int axis) {
  static const double near[3] = {0.3, 1, -0.2};
  return 8 * voxel * round(near[axis] / (8 * voxel));
}

static firn_v3 on_stage(const int at[3], double voxel) {
  return (firn_v3){(float)(at[0] * voxel - stage(voxel, 0)),
                   (float)(at[1] * voxel - stage(voxel, 1)),
                   (float)(at[2] * voxel - stage(voxel, 2))};
}

// A volume as a picture of the frame has it.
static firn_volume *volume_of(scratch *s, const firn_snow_look_def *snow, double *voxel) {
  firn_frame *frame;
  firn_picture_points points;
  firn_volume *volume;
  MUST(s, firn_frame_open(s->context, scratch_path(s, "run/frame_00000.hdf"), &frame));
  firn_picture_source source = firn_picture_of_frame(frame);
  MUST(s, firn_picture_points_read(&source,
                                   FIRN_PICTURE_MASS | FIRN_PICTURE_SIZE | FIRN_PICTURE_VELOCITY |
                                       FIRN_PICTURE_ID,
                                   &points));
  *voxel = firn_picture_voxel(&points, snow);
  const double origin[3] = {stage(*voxel, 0), stage(*voxel, 1), stage(*voxel, 2)};
  MUST(s, firn_picture_volume(&points, snow, 0, origin, &volume));
  firn_picture_points_free(&points);
  firn_frame_close(frame);
  return volume;
}

// Voxels of the box where file and volume are not the same: by more than 16 bits of either, 2^-11 of the
// value and 2^-16 of the most (2) in a block, and by what places mean that are 0.2 m from the stage's
// origin, 48 voxels, and right to 2^-22, where the density goes from 0 to 2 within a voxel. 6e-5 for all.
static size_t differing(const box *b, const firn_volume *volume, double voxel) {
  size_t wrong = 0;
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    const int at[3] = {b->low[0] + i / SIDE / SIDE, b->low[1] + i / SIDE % SIDE,
                       b->low[2] + i % SIDE};
    double wanted = (double)firn_volume_density(volume, on_stage(at, voxel)) / 400;
    float here = b->value[place(b, at)][0];
    double value = isnan(here) ? 0 : (double)here, slack = HALF * wanted + 6e-5;
    wrong += fabs(value - wanted) > (isnan(here) ? (double)LEAST + slack : slack);
  }
  return wrong;
}

// ----------------------------------------------------------------------------------------- tests

static void a_grid_is_the_density_of_a_picture(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  double voxel;
  firn_volume *volume = volume_of(s, &def.snow, &voxel);
  box b = export_and_read(s, &def, voxel, "density");
  assert_non_null(b.value);
  assert_true(b.count > 10000);
  assert_true(fabs(b.note.voxel - voxel) < 1e-12 && b.note.rest_density == 400 && b.note.time == 0);
  assert_int_equal(b.note.grids, 2);
  size_t wrong = differing(&b, volume, voxel);
  if (wrong) fail_msg("%zu of %zu voxels differ", wrong, b.count);
  firn_volume_free(volume);
  // Neither without the grain, nor with the solver's kernel.
  firn_snow_look_def other = def.snow;
  other.voxel = voxel;
  other.detail = 0;
  volume = volume_of(s, &other, &voxel);
  assert_true(differing(&b, volume, voxel) > b.count / 4);
  firn_volume_free(volume);
  other = def.snow;
  other.voxel = voxel;
  other.kernel = 1;
  volume = volume_of(s, &other, &voxel);
  assert_true(differing(&b, volume, voxel) > b.count / 4);
  firn_volume_free(volume);
  free(b.value);
}

// Without noise no mass is made or lost but the part below LEAST.
static void a_grid_has_the_mass_of_the_particles(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  def.snow.detail = 0;
  double voxel, mass = 0;
  firn_volume_free(volume_of(s, &def.snow, &voxel));
  box b = export_and_read(s, &def, voxel, "density");
  firn_frame *frame;
  MUST(s, firn_frame_open(s->context, scratch_path(s, "run/frame_00000.hdf"), &frame));
  size_t n = firn_frame_count(frame);
  double *each = malloc(n * sizeof *each);
  assert_non_null(each);
  MUST(s, firn_frame_read_double(frame, "mass", each));
  for (size_t i = 0; i < n; i++) mass += each[i];
  free(each);
  firn_frame_close(frame);
  // A kernel of 2.9 voxels sums to 1 over a lattice to 1e-3 at the worst, narrow ones of spray to 1e-2:
  // a hundredth of the particles.
  double wanted = mass / (400 * voxel * voxel * voxel);
  if (fabs(b.sum[0] - wanted) > 2e-3 * wanted) fail_msg("%g of %g", b.sum[0], wanted);
  free(b.value);
}

static void velocities_are_those_of_a_picture(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  def.velocity = "vel";
  double voxel;
  firn_volume *volume = volume_of(s, &def.snow, &voxel);
  box b = export_and_read(s, &def, voxel, "vel"), d = export_and_read(s, &def, voxel, "density");
  assert_non_null(b.value);
  assert_int_equal(b.count, d.count);
  int up = 0;
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    const int at[3] = {b.low[0] + i / SIDE / SIDE, b.low[1] + i / SIDE % SIDE, b.low[2] + i % SIDE};
    const float *here = b.value[place(&b, at)];
    assert_true(isnan(here[0]) == isnan(d.value[place(&d, at)][0]));
    if (isnan(here[0])) continue;
    const firn_v3 wanted = firn_volume_velocity(volume, on_stage(at, voxel));
    const float u[3] = {wanted.x, wanted.y, wanted.z};
    // As above, and 2^-15 of the fastest, 2.1 m/s.
    for (int c = 0; c < 3; c++)
      assert_true(fabs((double)here[c] - (double)u[c]) < HALF * fabs((double)u[c]) + 3e-4);
    up += here[1] > 0.5f;
  }
  assert_true(up > 100); // the crumbs
  firn_volume_free(volume);
  free(b.value);
  free(d.value);
}

static void z_up_turns_voxels_and_velocities(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  double voxel;
  firn_volume_free(volume_of(s, &def.snow, &voxel));
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "velocity" : "density";
    def.z_up = false;
    box y = export_and_read(s, &def, voxel, name);
    def.z_up = true;
    box z = export_and_read(s, &def, voxel, name);
    assert_int_equal(y.count, z.count);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
      const int at[3] = {y.low[0] + i / SIDE / SIDE, y.low[1] + i / SIDE % SIDE,
                         y.low[2] + i % SIDE},
                turned[3] = {at[0], -at[2], at[1]};
      const float *a = y.value[place(&y, at)], *b = z.value[place(&z, turned)];
      assert_true(isnan(a[0]) == isnan(b[0]));
      if (isnan(a[0])) continue;
      assert_true(a[0] == b[0] && (!k || (a[1] == b[2] && a[2] == -b[1])));
    }
    free(y.value);
    free(z.value);
  }
}

static void snow_without_velocities_is_a_density_alone(void **state) {
  scratch *s = *state;
  make_run(s, false);
  firn_export_def def = def_of(s);
  double voxel;
  firn_volume_free(volume_of(s, &def.snow, &voxel));
  box b = export_and_read(s, &def, voxel, "density");
  assert_int_equal(b.note.grids, 1);
  assert_true(b.count > 10000);
  free(b.value);
}

static void cells_and_names_are_checked(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  def.cell = 0.5 * H;
  box b = export_and_read(s, &def, def.cell, "density");
  assert_true(fabs(b.note.voxel - def.cell) < 1e-12 && b.count > 500);
  free(b.value);
  def.cell = 9 * H;
  assert_int_equal(firn_export(s->context, &def), FIRN_ERROR_ARGUMENT);
  assert_message(s, "cell is 0.18 m", "0.16 m");
  def.cell = 1e-4;
  assert_int_equal(firn_export(s->context, &def), FIRN_ERROR_ARGUMENT);
  assert_message(s, "cell is 0.0001 m", "0.000375");
  def = def_of(s);
  def.velocity = "density";
  assert_int_equal(firn_export(s->context, &def), FIRN_ERROR_ARGUMENT);
  assert_message(s, "'density'", "name of its own");
  def = def_of(s);
  def.snow.detail = 2;
  assert_int_equal(firn_export(s->context, &def), FIRN_ERROR_ARGUMENT);
  assert_message(s, "export: the look of snow: detail is 2");
  def = def_of(s);
  def.snow.room[3] = 1; // of a program that knows more
  assert_int_equal(firn_export(s->context, &def), FIRN_ERROR_UNSUPPORTED);
  assert_message(s, "firn_snow_look_def");
}

// OpenVDB draws a tag at random for each file that it writes; firn's follows from the content.
static void the_same_export_is_the_same_bytes(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  char *data[3];
  size_t size[3];
  for (int i = 0; i < 3; i++) {
    if (i == 2) def.density = 500;
    MUST(s, firn_export(s->context, &def));
    scratch_read(s, "run/vdb/frame_00000.vdb", &data[i], &size[i]);
    assert_true(size[i] > 60);
  }
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(data[0], data[1], size[0]);
  assert_memory_not_equal(data[0] + 21, data[2] + 21, 36);
  assert_int_equal(data[0][21 + 14], '8');
  for (int i = 0; i < 3; i++) firn_free(s->context, data[i], size[i] + 1);
}

// Wherever the disk is full, the export fails with the system's reason, leaves nothing cut behind, and
// keeps the file of an earlier export.
static void a_full_disk_is_an_error(void **state) {
  scratch *s = *state;
  make_run(s, true);
  firn_export_def def = def_of(s);
  char *whole, *kept;
  size_t size, kept_size;
  MUST(s, firn_export(s->context, &def));
  scratch_read(s, "run/vdb/frame_00000.vdb", &whole, &size);
  const size_t room[] = {0, 1, 30, 100, 4096, size / 3, size / 2, size - 1};
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  void (*action)(int) = signal(SIGXFSZ, SIG_IGN);
  for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
    limit = (struct rlimit){.rlim_cur = room[i], .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    firn_status status = firn_export(s->context, &def);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, FIRN_ERROR_IO);
    // The list of the folder, of 66 bytes, is written first.
    assert_message(s, room[i] < 66 ? "firn-files.txt" : "frame_00000.vdb", "File too large");
    assert_false(scratch_exists(s, "run/vdb/frame_00000.vdb.part"));
    scratch_read(s, "run/vdb/frame_00000.vdb", &kept, &kept_size);
    assert_int_equal(kept_size, size);
    assert_memory_equal(kept, whole, size);
    firn_free(s->context, kept, kept_size + 1);
  }
  signal(SIGXFSZ, action);
  firn_free(s->context, whole, size + 1);
}

int main(void) {
  if (!firn_export_format_available(FIRN_EXPORT_VDB)) {
    puts("skipped: this build has no OpenVDB");
    return 77;
  }
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
      TEST(a_grid_is_the_density_of_a_picture),         TEST(a_grid_has_the_mass_of_the_particles),
      TEST(velocities_are_those_of_a_picture),          TEST(z_up_turns_voxels_and_velocities),
      TEST(snow_without_velocities_is_a_density_alone), TEST(cells_and_names_are_checked),
      TEST(the_same_export_is_the_same_bytes),          TEST(a_full_disk_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
