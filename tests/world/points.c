// SPDX-License-Identifier: Apache-2.0
// Particles from files, and what is said of files that are wrong. Probes, which average them.
#include "cache/scratch.h"
//
#include "api/setup.h"

static firn_points_def file_of(scratch *s, const char *name, const void *data, size_t size) {
  FILE *file = fopen(scratch_path(s, name), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
  firn_points_def def = firn_default_points_def();
  def.path = s->path;
  return def;
}

static firn_points_def text_of(scratch *s, const char *name, const char *text) {
  return file_of(s, name, text, strlen(text));
}

static void check(firn_context *context, const firn_points_def *def, const double *x,
                  const double *v, const double *mass, size_t n) {
  firn_sim *sim = make_sim(context, NULL);
  MUST(context, firn_sim_add_points(sim, def));
  assert_int_equal(firn_sim_count(sim), n);
  double *rx = read_field(context, sim, "position", 3),
         *rv = read_field(context, sim, "velocity", 3);
  double *rm = read_field(context, sim, "mass", 1);
  // Positions are kept relative to blocks of 4 cm.
  for (size_t i = 0; i < 3 * n; i++) {
    assert_true(fabs(rx[i] - x[i]) < 0.04 * (double)FIRN_REAL_EPS + 1e-15 * (1 + fabs(x[i])));
    assert_true(rv[i] == (double)(firn_real)(v ? v[i] : 0));
  }
  for (size_t i = 0; i < n; i++) {
    assert_true(fabs(rm[i] / (mass ? mass[i] : 400 * 1e-6 / 8) - 1) < 4 * (double)FIRN_REAL_EPS);
  }
  free(rx), free(rv), free(rm);
  firn_sim_destroy(sim);
}

static void csv_is_read_with_and_without_a_heading(void **state) {
  scratch *s = *state;
  const double x[] = {0.1, 0.2, 0.3, -1e-3, 0, 12.5}, v[] = {1, 2, 3, 4, 5, -6e2};
  const double mass[] = {0.25, 1e-5};
  firn_points_def def = text_of(s, "a.csv", "0.1,0.2,0.3\n-1e-3, 0 ,12.5");
  check(s->context, &def, x, NULL, NULL, 2);
  def = text_of(s, "b.csv", "# note\n\n0.1,0.2,0.3,0.25\r\n-1e-3,0,1.25e1,0.00001\r\n");
  check(s->context, &def, x, NULL, mass, 2);
  def = text_of(s, "c.csv", "0.1;0.2;0.3;1;2;3;0.25\n-0.001;.0;12.5;4;5;-600;1E-5\n");
  check(s->context, &def, x, v, mass, 2);
  def = text_of(s, "D.CSV",
                "id, mass ,vx,vy,vz,\"z\",y,x,name\n1,0.25,1,2,3,0.3,0.2,0.1,flake\n"
                "2,1e-5,4,5,-600,12.5,0,-0.001,\n");
  check(s->context, &def, x, v, mass, 2);
}

static void scale_translation_and_velocity_apply(void **state) {
  scratch *s = *state;
  firn_points_def def = text_of(s, "a.csv", "x,y,z\n1,2,3\n");
  def.scale = 0.1;
  def.translation[1] = 1;
  def.velocity[2] = 7;
  const double x[] = {0.1, 1.2, 0.3}, v[] = {0, 0, 7};
  check(s->context, &def, x, v, NULL, 1);
}

static void ply_is_read_as_text_and_binary(void **state) {
  scratch *s = *state;
  const double x[] = {0.1, 0.2, 0.3, -0.5, 0, 12.5}, v[] = {1, 2, 3, 4, 5, 6};
  firn_points_def def = text_of(
      s, "a.ply",
      "ply\nformat ascii 1.0\ncomment hello\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nproperty double vx\nproperty double vy\n"
      "property double vz\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n"
      "0.1 0.2 0.3 255 1 2 3\n-0.5 0 12.5 0 4 5 6\n");
  check(s->context, &def, x, v, NULL, 2);
  for (int big = 0; big < 2; big++) {
    char data[512];
    int n = snprintf(data, sizeof data,
                     "ply\nformat binary_%s_endian 1.0\nelement vertex 2\nproperty double x\n"
                     "property double y\nproperty double z\nproperty short w\nend_header\n",
                     big ? "big" : "little");
    for (size_t i = 0; i < 2; i++) {
      for (size_t a = 0; a < 4; a++) {
        unsigned char bytes[8];
        size_t size = a < 3 ? 8 : 2;
        memset(bytes, 7, sizeof bytes);
        if (a < 3) memcpy(bytes, &x[3 * i + a], 8);
        for (size_t b = 0; b < size; b++) data[n++] = (char)bytes[big ? size - 1 - b : b];
      }
    }
    def = file_of(s, "b.ply", data, (size_t)n);
    check(s->context, &def, x, NULL, NULL, 2);
    def = file_of(s, "cut.ply", data, (size_t)n - 3);
    firn_sim *sim = make_sim(s->context, NULL);
    MUST_FAIL(s->context, firn_sim_add_points(sim, &def), FIRN_ERROR_FORMAT, "vertex 1 of 2");
    assert_int_equal(firn_sim_count(sim), 0);
    firn_sim_destroy(sim);
  }
}

// Elements before the vertices, and lists among their properties.
static void what_ply_files_hold_besides_is_passed_over(void **state) {
  scratch *s = *state;
  const double x[] = {0.1, 0.2, 0.3, -0.5, 0, 12.5}, mass[] = {0.25, 0.5};
  firn_points_def def = text_of(
      s, "a.ply",
      "ply\nformat ascii 1.0\nelement camera 1\nproperty list uchar float at\nproperty int kind\n"
      "element vertex 2\nproperty float z\nproperty list uchar int friends\nproperty float x\n"
      "property float y\nproperty float mass\nend_header\n"
      "2 0.5 0.5 1\n0.3 3 1 2 3 0.1 0.2 0.25\n12.5 0 -0.5 0 0.5\n");
  check(s->context, &def, x, NULL, mass, 2);
}

static void wrong_files_are_described(void **state) {
  scratch *s = *state;
  static const struct {
    const char *name, *text, *word, *place;
  } cases[] = {
      {"a.csv", "x,y\n1,2\n", "no column 'z'", ":1:"},
      {"a.csv", "x,y,z,x\n", "two columns are called 'x'", ":1:"},
      {"a.csv", "x,y,z,vx\n", "vx, vy and vz", ":1:"},
      {"a.csv", "1,2\n", "2 columns without a heading", ":1:"},
      {"a.csv", "x,y,z\n1,2,3\n1,two,3\n", "column 2, y, is not a number", ":3:"},
      {"a.csv", "x,y,z\n1,2\n", "expected 3 numbers", ":2:"},
      {"a.csv", "x,y,z\n1,2,3,4\n", "expected 3 numbers", ":2:"},
      {"a.csv", "x,y,z\n", "no points", "a.csv"},
      {"a.csv", "", "no points", "a.csv"},
      {"a.ply", "ply\nnothing\n", "does not begin with a word of PLY headers", ":2:"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty list uchar int i\nend_header\n",
       "no column 'x'", ":5:"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n",
       "expected a type", ":4:"},
      {"a.ply", "ply\nformat ascii 1.0\nelement face 0\nend_header\n", "no column 'x'", ":4:"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n",
       "no column 'y'", ":5:"},
      {"a.ply", "ply\nformat ascii 1.0\nelement vertex -5\nproperty float x\nend_header\n1\n",
       "expected a number of elements", ":3:"},
      {"a.txt", "1,2,3\n", ".csv and .ply", "a.txt"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    firn_points_def def = text_of(s, cases[i].name, cases[i].text);
    firn_sim *sim = make_sim(s->context, NULL);
    firn_status status = firn_sim_add_points(sim, &def);
    const char *message = firn_context_message(s->context);
    if (status == FIRN_OK || !strstr(message, cases[i].word) || !strstr(message, cases[i].place)) {
      fail_msg("case %zu: %s: %s", i, firn_status_name(status), message);
    }
    assert_int_equal(firn_sim_count(sim), 0);
    firn_sim_destroy(sim);
  }
  firn_points_def def = firn_default_points_def();
  firn_sim *sim = make_sim(s->context, NULL);
  def.path = "/nowhere/at/all.csv";
  MUST_FAIL(s->context, firn_sim_add_points(sim, &def), FIRN_ERROR_IO, "/nowhere/at/all.csv");
  firn_sim_destroy(sim);
}

static void zero_bytes_do_not_end_a_file(void **state) {
  scratch *s = *state;
  static const char text[] = "x,y,z\n1,2,3\n\0\n4,5,6\n";
  firn_points_def def = text_of(s, "a.csv", "");
  assert_int_equal(firn_file_put(s->context, def.path, text, sizeof text - 1), FIRN_OK);
  firn_sim *sim = make_sim(s->context, NULL);
  MUST_FAIL(s->context, firn_sim_add_points(sim, &def), FIRN_ERROR_FORMAT, "a.csv:3:", "zero byte");
  firn_sim_destroy(sim);
}

// Three particles of 1, 2 and 3 kg; each kind of probe sees those it should.
static void probes_average_by_mass(void **state) {
  scratch *s = *state;
  firn_points_def points = text_of(
      s, "a.csv", "x,y,z,vx,vy,vz,mass\n0,0,0,1,0,0,1\n0.1,0,0,4,0,0,2\n0,0.3,0,0,0,6,3\n");
  firn_sim_def alone = firn_default_sim_def();
  alone.mpm.volume_nominal = true;
  firn_sim *sim = make_sim(s->context, &alone);
  MUST(s->context, firn_sim_add_points(sim, &points));
  const double jp[] = {0.5, 0.8, 1};
  MUST(s->context, firn_sim_write(sim, "jp", jp));
  firn_probe_def def[4];
  for (int i = 0; i < 4; i++) def[i] = firn_default_probe_def();
  def[0].radius = 0.11; // the first two
  def[1].kind = FIRN_PROBE_PLANE;
  def[1].center[1] = 0.25;
  def[1].normal[1] = -8;
  def[1].radius = 0.06; // the third
  def[2].kind = FIRN_PROBE_BOX;
  def[2].center[0] = 0.1;
  for (int a = 0; a < 3; a++) def[2].half[a] = 0.05;
  def[3].center[2] = 9;
  firn_probe out[4];
  double ratio[4], density[4], stress[4][6];
  MUST(s->context, firn_sim_probe(sim, def, 4, out));
  MUST(s->context, firn_sim_probe_field(sim, def, 4, "jp", ratio));
  MUST(s->context, firn_sim_probe_field(sim, def, 4, "density", density));
  MUST(s->context, firn_sim_probe_field(sim, def, 4, "stress", stress[0]));
  assert_true(out[0].count == 2 && fabs(out[0].mass - 3) < 1e-6);
  assert_true(fabs(out[0].velocity[0] - 3) < 1e-6 && fabs(out[0].center[0] - 0.2 / 3) < 1e-6);
  assert_true(fabs(ratio[0] - 0.7) < 1e-6);
  assert_true(out[1].count == 1 && fabs(out[1].velocity[2] - 6) < 1e-6 && ratio[1] == 1);
  assert_true(out[2].count == 1 && fabs(out[2].mass - 2) < 1e-6);
  assert_true(fabs(density[2] - 400 / 0.8) < 1e-3 && stress[2][0] == 0);
  assert_true(out[3].count == 0 && out[3].mass == 0 && density[3] == 0);
  def[1].normal[1] = 0;
  def[1].name = "under";
  MUST_FAIL(s->context, firn_sim_probe(sim, def, 4, out), FIRN_ERROR_ARGUMENT, "probe 'under'",
            "normal");
  firn_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(csv_is_read_with_and_without_a_heading, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(scale_translation_and_velocity_apply, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(ply_is_read_as_text_and_binary, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(what_ply_files_hold_besides_is_passed_over, scratch_open,
                                      scratch_close),
      cmocka_unit_test_setup_teardown(wrong_files_are_described, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(zero_bytes_do_not_end_a_file, scratch_open, scratch_close),
      cmocka_unit_test_setup_teardown(probes_average_by_mass, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
