// SPDX-License-Identifier: Apache-2.0
// Measures of a run, of folders that are written here: every number has a closed form.
#define _GNU_SOURCE // mkdtemp
#include "api/setup.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache/frame.h"

enum { MOST = 40000, FRAMES = 3 };

typedef struct run {
  firn_context *context;
  char folder[64];
  double h; // m
  size_t count;
  float position[3 * MOST], mass[MOST];
} run;

static run first, second;

static void begin(run *r, firn_context *context, double h) {
  r->context = context;
  r->h = h;
  r->count = 0;
  snprintf(r->folder, sizeof r->folder, "/tmp/firn-measure-XXXXXX");
  assert_non_null(mkdtemp(r->folder));
}

static void write_text(const run *r, const char *name, const char *text) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", r->folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void end(run *r) {
  static const char *const names[] = {"frame_00000.hdf", "frame_00001.hdf", "frame_00002.hdf",
                                      "stats.csv", "colliders.csv"};
  char path[128];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", r->folder, names[i]);
    unlink(path);
  }
  assert_int_equal(rmdir(r->folder), 0);
}

static void put(run *r, double x, double y, double z, double mass) {
  assert_true(r->count < MOST);
  r->position[3 * r->count] = (float)x;
  r->position[3 * r->count + 1] = (float)y;
  r->position[3 * r->count + 2] = (float)z;
  r->mass[r->count++] = (float)mass;
}

static void write_frame(const run *r, int frame) {
  char path[128];
  const firn_frame_text solver = {"solver", "mpm"};
  const firn_frame_head head = {.count = r->count,
                                .time = 0.1 * frame,
                                .h = r->h,
                                .frame = frame,
                                .text_count = 1,
                                .text = &solver};
  const firn_frame_array arrays[] = {{"position", "m", FIRN_ARCHIVE_F32, 3, 0, r->position},
                                     {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, r->mass}};
  snprintf(path, sizeof path, "%s/frame_%05d.hdf", r->folder, frame);
  MUST(r->context, firn_frame_write(r->context, path, &head, 2, arrays));
}

// Frames at 0, 0.1, 0.2 and 0.3 s.
static void write_stats(const run *r) {
  write_text(r, "stats.csv",
             "frame,time,mass,com_x,com_y,com_z,momentum_x,momentum_y,momentum_z,energy_kinetic,"
             "energy_elastic,energy_gravity,speed_max,jp_min,jp_mean\n"
             "0,0,8,1,2,3,0,0,0,0,0,100,0,1,1\n"
             "1,0.1,8,1,2,3,4,-5,6,100,7,80,9,0.5,0.75\n"
             "2,0.2,8,1,2,3,4,-5,6,50,7,80,9,,\n"
             "3,0.3,8,1,2,3,4,-5,6,25,7,80,9,,\n");
}

static const firn_measure *named(const firn_measurement *m, const char *name, const char *of) {
  int count;
  const firn_measure *list = firn_measurement_list(m, &count);
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, name) == 0 && strcmp(list[i].of, of) == 0) return &list[i];
  fail_msg("there is no %s of '%s'", name, of);
  return NULL;
}

// Numbers of the tables have few digits, those of frames are floats.
static void is_near(const firn_measurement *m, const char *name, const char *of, double value) {
  double found = named(m, name, of)->value;
  if (!(fabs(found - value) <= 1e-6 * fmax(fabs(value), 1e-3)))
    fail_msg("%s of '%s' is %.9g, not %.9g", name, of, found, value);
}

static void lacks(const firn_measurement *m, const char *name, const char *of, const char *why) {
  const firn_measure *found = named(m, name, of);
  if (!isnan(found->value) || !strstr(found->reason, why))
    fail_msg("%s of '%s' is %g: %s", name, of, found->value, found->reason);
}

static firn_measurement *measure(const run *r, firn_measure_def def, double time) {
  firn_measurement *m = NULL;
  def.folder = r->folder;
  def.time = time;
  MUST(r->context, firn_measure_run(r->context, &def, &m));
  return m;
}

// A rod of 1000 particles 3 mm apart, askew: 5 of them at each end are the half percent that counts
// as outside. One that has flown 1000 m away changes nothing.
static void extent_leaves_out_half_a_percent_at_each_end(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  begin(&first, context, 0.02);
  for (int i = 0; i < 1000; i++) {
    int k = i * 387 % 1000; // not in order
    double s = k == 999 ? 1000 : 0.003 * k;
    put(&first, 0.25 + s, 0.5 - 0.5 * s, 2 * s, 0.01);
  }
  write_stats(&first);
  write_frame(&first, 1);
  firn_measurement *m = measure(&first, firn_default_measure_def(), 0.1);
  is_near(m, "extent_x", "", 0.003 * 989);
  is_near(m, "extent_y", "", 0.5 * 0.003 * 989);
  is_near(m, "extent_z", "", 2 * 0.003 * 989);
  is_near(m, "top", "", 0.5 - 0.5 * 0.003 * 5);
  // What is symmetrical or depends on the origin is compared by the size of the vector or the snow.
  assert_true(fabs(named(m, "com_x", "")->scale - 2 * 0.003 * 989) < 1e-5);
  assert_true(fabs(named(m, "momentum_x", "")->scale - sqrt(2 * 8 * 100.)) < 1e-9);
  assert_true(named(m, "energy_kinetic", "")->scale == 100);
  firn_measurement_destroy(m);
  firn_measure_def all = firn_default_measure_def();
  all.inside = 1;
  m = measure(&first, all, 0.1);
  is_near(m, "extent_x", "", 1000);
  firn_measurement_destroy(m);
  end(&first);
  drop_context(context);
}

// A cube of 1 m, of n^3 particles of 1000 kg in all, whose corner is at (x, y, z).
static void add_cube(run *r, int n, double x, double y, double z) {
  for (int i = 0; i < n * n * n; i++)
    put(r, x + (i % n + 0.5) / n, y + (i / n % n + 0.5) / n, z + (i / n / n + 0.5) / n,
        1000.0 / (n * n * n));
}

// Two cubes 1 m apart, and a lump of 1 % of all, as a coarse run and one of half its spacing have
// them. In the fine run a thread of single particles, each an eighth of a coarse one, joins the
// cubes: to cells of its own, or of the coarse run that one particle fills, they are one piece.
static void pieces_do_not_depend_on_resolution(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  const char *folders[3] = {NULL, first.folder, second.folder};
  begin(&first, context, 0.25);
  begin(&second, context, 0.125);
  for (int f = 0; f < 2; f++) {
    run *r = f ? &second : &first;
    int n = f ? 16 : 8;
    add_cube(r, n, 0.03, 0.01, -7.4);
    add_cube(r, n, 2.03, 0.01, -7.4);
    put(r, 9.3, 9.3, 9.3, 30);
    put(r, 19.3, 9.3, 9.3, 3); // less than 1 %
    write_stats(r);
  }
  // Less than half a coarse particle in each cell of 0.25 m.
  for (int i = 0; i < 9; i++) put(&second, 1.03 + 0.12 * i, 0.5, -7, 1000.0 / 4096);
  write_frame(&first, 0), write_frame(&first, 1);
  write_frame(&second, 0), write_frame(&second, 1);

  firn_measure_def def = firn_default_measure_def();
  MUST(context, firn_measure_alike(context, 3, folders, &def));
  assert_true(def.cell == 0.25);
  assert_true(fabs(def.density - 0.5 * (1000.0 / 512) / pow(0.25, 3)) < 1e-3);
  for (int f = 0; f < 2; f++) {
    firn_measurement *m = measure(f ? &second : &first, def, 0.1);
    is_near(m, "pieces", "", 3);
    is_near(m, "pieces_mass", "", 2030);
    is_near(m, "piece_largest", "", 1000);
    firn_measurement_destroy(m);
  }
  firn_measurement *m = measure(&second, firn_default_measure_def(), 0.1);
  is_near(m, "pieces", "", 2);
  firn_measurement_destroy(m);
  def.density = 0;
  m = measure(&second, def, 0.1);
  is_near(m, "pieces", "", 2);
  firn_measurement_destroy(m);
  def.folder = second.folder;
  static const double bad[][2] = {{-1, 0}, {(double)NAN, 0}, {0, -1}, {0, (double)INFINITY}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    def.cell = bad[i][0], def.density = bad[i][1];
    assert_int_equal(firn_measure_run(context, &def, &m), FIRN_ERROR_ARGUMENT);
    assert_null(m);
  }
  end(&first), end(&second);
  drop_context(context);
}

#define REST ",0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\n"
static void write_colliders(const run *r) {
  write_text(r, "colliders.csv",
             "frame,time,name,force_x,force_y,force_z,torque_x,torque_y,torque_z,impulse_x,"
             "impulse_y,impulse_z,position_x,position_y,position_z,rotation_x,rotation_y,"
             "rotation_z,velocity_x,velocity_y,velocity_z,spin_x,spin_y,spin_z,work,power\n"
             "1,0.1,floor,10,-2,0,0" REST "1,0.1,\"a, \"\"b\"\"\",1,2,2,0" REST
             "2,0.2,floor,20,-2,0,0" REST "2,0.2,\"a, \"\"b\"\"\",1,2,2,0" REST
             "3,0.3,floor,40,-2,0,0" REST "3,0.3,\"a, \"\"b\"\"\",1,2,2,0" REST);
}

// From 0.05 to 0.25 s: half a frame of 10 N, one of 20, half of 40.
static void forces_are_means_over_the_window(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  begin(&first, context, 0.1);
  write_stats(&first);
  write_colliders(&first);
  firn_measure_def def = firn_default_measure_def();
  def.force_from = 0.05;
  def.force_to = 0.25;
  firn_measurement *m = measure(&first, def, 0.2);
  is_near(m, "force_x", "floor", 22.5);
  is_near(m, "force_y", "floor", -2);
  is_near(m, "force", "floor", hypot(22.5, 2));
  is_near(m, "impulse_x", "floor", 3);
  is_near(m, "impulse_y", "floor", -0.4);
  is_near(m, "force", "a, \"b\"", 3);
  is_near(m, "impulse", "a, \"b\"", 0.6);
  firn_measurement_destroy(m);
  // Without a window, of the frame that ends there; what is beyond the table is not made up.
  m = measure(&first, firn_default_measure_def(), 0.3);
  is_near(m, "force_x", "floor", 40);
  firn_measurement_destroy(m);
  def.force_to = 0.35;
  m = measure(&first, def, 0.3);
  lacks(m, "force_x", "floor", "from 0 s to 0.3 s, not from 0.05 s to 0.35 s");
  is_near(m, "impulse_x", "floor", 7);
  firn_measurement_destroy(m);
  end(&first);
  drop_context(context);
}

static void what_is_missing_has_a_reason(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  begin(&first, context, 0.1);
  put(&first, 1, 2, 3, 8);
  write_frame(&first, 1);
  write_frame(&first, 2);
  write_stats(&first);
  firn_measurement *m = measure(&first, firn_default_measure_def(), 0.14);
  assert_int_equal(firn_measurement_frame(m), 1);
  assert_true(firn_measurement_time(m) == 0.1);
  is_near(m, "jp_mean", "", 0.75);
  is_near(m, "momentum_y", "", -5);
  firn_measurement_destroy(m);
  m = measure(&first, firn_default_measure_def(), 0.2);
  lacks(m, "jp_mean", "", "stats.csv has no jp_mean in frame 2; the solver is mpm");
  is_near(m, "energy_kinetic", "", 50);
  firn_measurement_destroy(m);
  m = measure(&first, firn_default_measure_def(), 0.3);
  lacks(m, "extent_x", "", "the frame was not written");
  lacks(m, "pieces", "", "the frame was not written");
  firn_measurement_destroy(m);
  write_text(&first, "frame_00002.hdf", "nonsense");
  m = measure(&first, firn_default_measure_def(), 0.2);
  lacks(m, "top", "", "frame_00002.hdf");
  firn_measurement_destroy(m);
  firn_measure_def def = firn_default_measure_def();
  def.folder = first.folder;
  def.time = 0.4;
  MUST_FAIL(context, firn_measure_run(context, &def, &m), FIRN_ERROR_STATE, "no frame near 0.4 s",
            "0.3 s");
  assert_null(m);
  def.time = 0.14;
  def.tolerance = 0.03;
  MUST_FAIL(context, firn_measure_run(context, &def, &m), FIRN_ERROR_STATE, "no frame near 0.14 s");
  def.piece = 0;
  MUST_FAIL(context, firn_measure_run(context, &def, &m), FIRN_ERROR_ARGUMENT, "piece is 0");
  def = firn_default_measure_def();
  def.folder = "nowhere";
  MUST_FAIL(context, firn_measure_run(context, &def, &m), FIRN_ERROR_IO, "nowhere");
  end(&first);
  drop_context(context);
}

static void curves_are_grouped_by_panel(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_SCALAR);
  const double x[] = {1, 2, 4}, y[] = {5, NAN, 7};
  const firn_plot_curve curves[] = {{"width", "m", "early", 3, x, y, {0}},
                                    {"count", NULL, "early", 3, x, x, {0}},
                                    {"width", "m", "late", 3, x, x, {0}}};
  firn_curves_def def = firn_default_curves_def();
  char path[] = "/tmp/firn-curves-XXXXXX.svg", text[20000];
  int file = mkstemps(path, 4);
  assert_true(file >= 0);
  close(file);
  def.axis = "quality";
  def.count = 3;
  def.curve = curves;
  def.dots = true;
  MUST(context, firn_plot_curves(context, &def, path));
  FILE *svg = fopen(path, "r");
  text[fread(text, 1, sizeof text - 1, svg)] = 0;
  fclose(svg);
  assert_non_null(strstr(text, ">width [m]<"));
  assert_null(strstr(strstr(text, ">width [m]<") + 1, ">width [m]<"));
  assert_non_null(strstr(text, ">count<"));
  assert_non_null(strstr(text, ">late<"));
  assert_non_null(strstr(text, ">quality<"));
  def.count = 0;
  MUST_FAIL(context, firn_plot_curves(context, &def, path), FIRN_ERROR_ARGUMENT, "0 curves");
  def.count = 1;
  MUST_FAIL(context, firn_plot_curves(context, &def, "x.pdf"), FIRN_ERROR_ARGUMENT, "x.pdf");
  unlink(path);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extent_leaves_out_half_a_percent_at_each_end),
      cmocka_unit_test(pieces_do_not_depend_on_resolution),
      cmocka_unit_test(forces_are_means_over_the_window),
      cmocka_unit_test(what_is_missing_has_a_reason),
      cmocka_unit_test(curves_are_grouped_by_panel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
