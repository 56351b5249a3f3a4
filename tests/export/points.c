// SPDX-License-Identifier: Apache-2.0
// Particle files, read back by small readers that know the formats and nothing of the writers.
#include "cache/scratch.h"

#include <fcntl.h>
#include <math.h>

#include "cache/export_points.h"

enum { N = 257 };

static struct {
  float position[N][3], velocity[N][3], mass[N], stress[N][6];
  double fine[N];
  uint32_t id[N];
} p;

static void make_cloud(firn_context *context, size_t count, firn_cloud *cloud) {
  for (int i = 0; i < N; i++) {
    p.mass[i] = 0.25f + (float)i;
    p.fine[i] = 1.0 / (i + 3);
    p.id[i] = (uint32_t)(7 * i);
    for (int c = 0; c < 3; c++) p.position[i][c] = (float)sin(i + c);
    for (int c = 0; c < 3; c++) p.velocity[i][c] = (float)(100 * c - i);
    for (int c = 0; c < 6; c++) p.stress[i][c] = (float)(1e5 * c + i);
  }
  *cloud = (firn_cloud){
      .context = context, .count = count, .time = 0.125, .frame = 3, .h = 0.1, .field_count = 6};
  cloud->field[0] = (firn_cloud_field){"position", FIRN_ARCHIVE_F32, 3, p.position};
  cloud->field[1] = (firn_cloud_field){"fine", FIRN_ARCHIVE_F64, 1, p.fine};
  cloud->field[2] = (firn_cloud_field){"id", FIRN_ARCHIVE_U32, 1, p.id};
  cloud->field[3] = (firn_cloud_field){"mass", FIRN_ARCHIVE_F32, 1, p.mass};
  cloud->field[4] = (firn_cloud_field){"stress", FIRN_ARCHIVE_F32, 6, p.stress};
  cloud->field[5] = (firn_cloud_field){"velocity", FIRN_ARCHIVE_F32, 3, p.velocity};
}

typedef firn_status (*write_fn)(const firn_cloud *cloud, firn_sink *sink);

// Writes a cloud and reads the bytes of the file.
static char *bytes_of(scratch *s, write_fn write, const char *name, size_t count, size_t *size) {
  firn_cloud cloud;
  firn_sink sink;
  char *data;
  make_cloud(s->context, count, &cloud);
  assert_int_equal(firn_sink_open(s->context, scratch_path(s, name), &sink), FIRN_OK);
  assert_int_equal(write(&cloud, &sink), FIRN_OK);
  assert_int_equal(firn_sink_commit(&sink), FIRN_OK);
  scratch_read(s, name, &data, size);
  assert_int_equal(sink.bytes, *size);
  char part[64];
  snprintf(part, sizeof part, "%s.part", name);
  assert_false(scratch_exists(s, part));
  return data;
}

// ------------------------------------------------------------------------------------------- vtp

// The bytes of an appended array by its name, from the XML's own offsets; their number to size.
static const char *vtp_array(const char *file, const char *name, uint64_t *size, char *tag) {
  char key[64];
  snprintf(key, sizeof key, "Name=\"%s\"", name);
  const char *at = strstr(file, key), *begin = at, *data = strstr(file, "<AppendedData");
  assert_non_null(at);
  assert_non_null(data);
  while (*begin != '<') begin--;
  const char *end = strchr(at, '>'), *offset = strstr(at, "offset=\"");
  assert_true(offset && end && offset < end && end - begin < 500);
  memcpy(tag, begin, (size_t)(end - begin));
  tag[end - begin] = 0;
  const char *block = strchr(data, '_') + 1 + strtoull(offset + 8, NULL, 10);
  memcpy(size, block, sizeof *size);
  return block + sizeof *size;
}

static void vtp_arrays_are_where_the_xml_says(void **state) {
  scratch *s = *state;
  size_t size;
  uint64_t n;
  char tag[512];
  char *file = bytes_of(s, firn_export_vtp, "a.vtp", N, &size);
  assert_non_null(strstr(file, "type=\"PolyData\""));
  assert_non_null(strstr(file, "header_type=\"UInt64\""));
  assert_non_null(strstr(file, "NumberOfPoints=\"257\" NumberOfVerts=\"257\""));
  assert_string_equal(file + size - 28, "\n</AppendedData>\n</VTKFile>\n");

  const char *data = vtp_array(file, "Points", &n, tag);
  assert_int_equal(n, sizeof p.position);
  assert_memory_equal(data, p.position, n);
  assert_non_null(strstr(tag, "Float32"));
  assert_non_null(strstr(tag, "NumberOfComponents=\"3\""));
  data = vtp_array(file, "fine", &n, tag);
  assert_non_null(strstr(tag, "Float64"));
  assert_memory_equal(data, p.fine, sizeof p.fine);
  data = vtp_array(file, "id", &n, tag);
  assert_non_null(strstr(tag, "UInt32"));
  assert_memory_equal(data, p.id, sizeof p.id);
  data = vtp_array(file, "stress", &n, tag);
  assert_non_null(strstr(tag, "ComponentName4=\"xz\"")); // VTK would call the fifth yz
  assert_memory_equal(data, p.stress, sizeof p.stress);
  data = vtp_array(file, "TimeValue", &n, tag);
  assert_int_equal(n, sizeof(double));
  assert_true(*(const double *)memcpy(&(double){0}, data, sizeof(double)) == 0.125);
  int32_t value[2];
  data = vtp_array(file, "connectivity", &n, tag);
  assert_int_equal(n, N * 4);
  memcpy(value, data + n - 8, 8);
  assert_true(value[0] == N - 2 && value[1] == N - 1);
  data = vtp_array(file, "offsets", &n, tag);
  memcpy(value, data + n - 8, 8);
  assert_true(value[0] == N - 1 && value[1] == N);
  // The last array ends where the closing text begins.
  assert_true(data + n == file + size - 28);
  firn_free(s->context, file, size + 1);
}

// ------------------------------------------------------------------------------------------- ply

typedef struct ply_column {
  char type[16], name[80];
  size_t offset;
} ply_column;

static void ply_rows_hold_every_field(void **state) {
  scratch *s = *state;
  size_t size, row = 0;
  char *file = bytes_of(s, firn_export_ply, "a.ply", N, &size);
  ply_column column[32] = {{"", "", 0}};
  int columns = 0;
  assert_memory_equal(file, "ply\nformat binary_little_endian 1.0\n", 36);
  assert_non_null(strstr(file, "\nelement vertex 257\n"));
  char *end = strstr(file, "end_header\n");
  assert_non_null(end);
  for (const char *at = strstr(file, "property "); at && at < end;
       at = strstr(at + 1, "property ")) {
    ply_column *c = &column[columns++];
    assert_int_equal(sscanf(at, "property %15s %79s", c->type, c->name), 2);
    c->offset = row;
    row += strcmp(c->type, "double") == 0 ? 8 : 4;
  }
  const char *data = end + strlen("end_header\n");
  assert_int_equal(columns, 3 + 1 + 1 + 1 + 6 + 3);
  assert_int_equal((size_t)(file + size - data), N * row);
  static const char *const names[] = {"x",          "y",          "z",         "fine",
                                      "id",         "mass",       "stress_xx", "stress_yy",
                                      "stress_zz",  "stress_xy",  "stress_xz", "stress_yz",
                                      "velocity_x", "velocity_y", "velocity_z"};
  for (int i = 0; i < columns; i++) assert_string_equal(column[i].name, names[i]);
  assert_string_equal(column[4].type, "uint");
  for (size_t i = 0; i < N; i++, data += row) {
    assert_memory_equal(data, p.position[i], 12);
    assert_memory_equal(data + column[3].offset, &p.fine[i], 8);
    assert_memory_equal(data + column[4].offset, &p.id[i], 4);
    assert_memory_equal(data + column[6].offset, p.stress[i], 24);
    assert_memory_equal(data + column[12].offset, p.velocity[i], 12);
  }
  firn_free(s->context, file, size + 1);
}

// ------------------------------------------------------------------------------------------ bgeo

typedef struct reader {
  const uint8_t *at, *end;
} reader;

static uint32_t take(reader *r, int bytes) {
  uint32_t value = 0;
  assert_true(r->end - r->at >= bytes);
  for (int i = 0; i < bytes; i++) value = value << 8 | *r->at++;
  return value;
}

static float take_float(reader *r) {
  uint32_t bits = take(r, 4);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static void bgeo_is_big_endian_version_5(void **state) {
  scratch *s = *state;
  size_t size;
  char *file = bytes_of(s, firn_export_bgeo, "a.bgeo", N, &size);
  reader r = {(const uint8_t *)file, (const uint8_t *)file + size};
  assert_memory_equal(r.at, "BgeoV", 5);
  r.at += 5;
  static const uint32_t head[] = {5, N, 0, 0, 0, 5, 0, 0, 0};
  for (int i = 0; i < 9; i++) assert_int_equal(take(&r, 4), head[i]);
  static const struct {
    const char *name;
    uint32_t components, kind;
  } wanted[] = {{"fine", 1, 0}, {"id", 1, 1}, {"mass", 1, 0}, {"stress", 6, 0}, {"v", 3, 5}};
  for (int i = 0; i < 5; i++) {
    char name[64] = "";
    uint32_t length = take(&r, 2);
    assert_true(length < sizeof name);
    memcpy(name, r.at, length);
    r.at += length;
    assert_string_equal(name, wanted[i].name);
    assert_int_equal(take(&r, 2), wanted[i].components);
    assert_int_equal(take(&r, 4), wanted[i].kind);
    for (uint32_t c = 0; c < wanted[i].components; c++) assert_int_equal(take(&r, 4), 0);
  }
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < 3; c++) assert_true(take_float(&r) == p.position[i][c]);
    assert_true(take_float(&r) == 1);
    assert_true(take_float(&r) == (float)p.fine[i]);
    assert_int_equal(take(&r, 4), p.id[i]);
    assert_true(take_float(&r) == p.mass[i]);
    for (int c = 0; c < 6; c++) assert_true(take_float(&r) == p.stress[i][c]);
    for (int c = 0; c < 3; c++) assert_true(take_float(&r) == p.velocity[i][c]);
  }
  assert_int_equal(take(&r, 2), 0x00ff);
  assert_true(r.at == r.end);
  firn_free(s->context, file, size + 1);
}

// ------------------------------------------------------------------------------------------- csv

static void csv_numbers_come_back_as_the_same_floats(void **state) {
  scratch *s = *state;
  size_t size;
  char *file = bytes_of(s, firn_export_csv, "a.csv", N, &size), *at = file;
  const char *header = strsep(&at, "\n");
  assert_string_equal(header,
                      "x,y,z,fine,id,mass,stress_xx,stress_yy,stress_zz,stress_xy,stress_xz,"
                      "stress_yz,velocity_x,velocity_y,velocity_z");
  for (int i = 0; i < N; i++) {
    double value[15];
    for (int k = 0; k < 15; k++) {
      value[k] = strtod(at, &at);
      assert_int_equal(*at++, k < 14 ? ',' : '\n');
    }
    // Nine digits tell any two floats apart.
    for (int c = 0; c < 3; c++) assert_true((float)value[c] == p.position[i][c]);
    assert_true(fabs(value[3] - p.fine[i]) < 1e-9);
    assert_true(value[4] == p.id[i] && (float)value[5] == p.mass[i]);
    for (int c = 0; c < 6; c++) assert_true((float)value[6 + c] == p.stress[i][c]);
    for (int c = 0; c < 3; c++) assert_true((float)value[12 + c] == p.velocity[i][c]);
  }
  assert_true(at == file + size);
  firn_free(s->context, file, size + 1);
}

// ---------------------------------------------------------------------------------------- others

static void an_empty_frame_is_a_whole_file(void **state) {
  static const write_fn write[] = {firn_export_vtp, firn_export_ply, firn_export_bgeo,
                                   firn_export_csv};
  static const char *const hint[] = {"NumberOfPoints=\"0\"", "element vertex 0\n", "BgeoV",
                                     "x,y,z,fine,"};
  scratch *s = *state;
  for (int i = 0; i < 4; i++) {
    size_t size;
    char *file = bytes_of(s, write[i], "empty", 0, &size);
    assert_non_null(strstr(file, hint[i]));
    firn_free(s->context, file, size + 1);
  }
}

// /dev/full takes every write with "no space left": an error, and no file of that name beside it.
static void a_full_disk_leaves_what_was_there(void **state) {
  scratch *s = *state;
  firn_cloud cloud;
  firn_sink sink;
  make_cloud(s->context, N, &cloud);
  int full = open("/dev/full", O_RDWR);
  if (full < 0) skip();
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "old.csv"), "old", 3), FIRN_OK);
  assert_int_equal(firn_sink_open(s->context, scratch_path(s, "old.csv"), &sink), FIRN_OK);
  assert_int_equal(dup2(full, sink.fd), sink.fd);
  close(full);
  assert_int_equal(firn_export_csv(&cloud, &sink), FIRN_OK);
  assert_int_equal(firn_sink_commit(&sink), FIRN_ERROR_IO);
  assert_message(s, "old.csv", "o space");
  size_t size;
  char *file;
  scratch_read(s, "old.csv", &file, &size);
  assert_string_equal(file, "old");
  firn_free(s->context, file, size + 1);
  assert_false(scratch_exists(s, "old.csv.part"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
      TEST(vtp_arrays_are_where_the_xml_says), TEST(ply_rows_hold_every_field),
      TEST(bgeo_is_big_endian_version_5),      TEST(csv_numbers_come_back_as_the_same_floats),
      TEST(an_empty_frame_is_a_whole_file),    TEST(a_full_disk_leaves_what_was_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
