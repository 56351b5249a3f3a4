// SPDX-License-Identifier: Apache-2.0
// Frame files: the layout ParaView reads, seen through HDF5 itself, and our own reader.
#include "scratch.h"

#include <math.h>

#include <hdf5.h>

#include "cache/frame.h"

enum { N = 1000 };

typedef struct particles {
  uint32_t id[N];
  float position[N][3], velocity[N][3], mass[N], jp[N];
} particles;

static void make(particles *p) {
  for (int i = 0; i < N; i++) {
    p->id[i] = (uint32_t)i;
    p->mass[i] = 0.001f * (float)i;
    p->jp[i] = 1 - 1e-4f * (float)i;
    for (int k = 0; k < 3; k++) {
      p->position[i][k] = (float)(i * 3 + k) * 0.01f;
      p->velocity[i][k] = (float)(k - i);
    }
  }
}

static firn_status write_frame(scratch *s, const char *name, size_t count, const particles *p) {
  const firn_frame_text text[] = {{"solver", "mpm"}, {"precision", "float"}};
  const firn_frame_head head = {
      .count = count, .time = 0.125, .frame = 3, .text_count = 2, .text = text};
  const firn_frame_array arrays[] = {
      {"id", NULL, FIRN_ARCHIVE_U32, 1, 0, p->id},
      {"position", "m", FIRN_ARCHIVE_F32, 3, 0, p->position},
      {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, 0, p->velocity},
      {"mass", "kg", FIRN_ARCHIVE_F32, 1, 0, p->mass},
      {"jp", "", FIRN_ARCHIVE_F32, 1, 0, p->jp},
  };
  return firn_frame_write(s->context, scratch_path(s, name), &head, 5, arrays);
}

// Reads a whole dataset as doubles; returns the number of elements and fills rank and shape.
static hsize_t look(hid_t file, const char *name, H5T_class_t kind, hsize_t shape[2],
                    double *data) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  assert_int_equal(H5Tget_class(type), kind);
  shape[0] = shape[1] = 1;
  assert_in_range(H5Sget_simple_extent_ndims(space), 1, 2);
  H5Sget_simple_extent_dims(space, shape, NULL);
  if (data) assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  return shape[0] * shape[1];
}

static void the_layout_is_vtkhdf(void **state) {
  scratch *s = *state;
  static particles p;
  make(&p);
  assert_int_equal(write_frame(s, "frame_00003.hdf", N, &p), FIRN_OK);

  hid_t file = H5Fopen(scratch_path(s, "frame_00003.hdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  hid_t attribute = H5Aopen_by_name(file, "VTKHDF", "Version", H5P_DEFAULT, H5P_DEFAULT);
  int version[2];
  assert_true(H5Aread(attribute, H5T_NATIVE_INT, version) >= 0);
  assert_int_equal(version[0], 1);
  H5Aclose(attribute);
  attribute = H5Aopen_by_name(file, "VTKHDF", "Type", H5P_DEFAULT, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute);
  assert_int_equal(H5Tget_class(type), H5T_STRING);
  assert_false(H5Tis_variable_str(type)); // ParaView 5.11 reads fixed strings only
  char text[17] = {0};
  assert_int_equal(H5Tget_size(type), 16);
  assert_true(H5Aread(attribute, type, text) >= 0);
  assert_string_equal(text, "UnstructuredGrid");
  H5Tclose(type);
  H5Aclose(attribute);

  hsize_t shape[2];
  static double data[3 * N];
  assert_int_equal(look(file, "VTKHDF/NumberOfPoints", H5T_INTEGER, shape, data), 1);
  assert_true(data[0] == N);
  assert_int_equal(look(file, "VTKHDF/NumberOfCells", H5T_INTEGER, shape, data), 1);
  assert_true(data[0] == 1);
  assert_int_equal(look(file, "VTKHDF/NumberOfConnectivityIds", H5T_INTEGER, shape, data), 1);
  assert_true(data[0] == N);
  assert_int_equal(look(file, "VTKHDF/Offsets", H5T_INTEGER, shape, data), 2);
  assert_true(data[0] == 0 && data[1] == N);
  assert_int_equal(look(file, "VTKHDF/Types", H5T_INTEGER, shape, data), 1);
  assert_true(data[0] == 2);
  assert_int_equal(look(file, "VTKHDF/Connectivity", H5T_INTEGER, shape, data), N);
  for (int i = 0; i < N; i++) assert_true(data[i] == i);
  assert_int_equal(look(file, "VTKHDF/Points", H5T_FLOAT, shape, data), 3 * N);
  assert_int_equal(shape[1], 3);
  for (int i = 0; i < 3 * N; i++) assert_true((float)data[i] == p.position[i / 3][i % 3]);
  assert_int_equal(look(file, "VTKHDF/PointData/velocity", H5T_FLOAT, shape, data), 3 * N);
  for (int i = 0; i < 3 * N; i++) assert_true((float)data[i] == p.velocity[i / 3][i % 3]);
  assert_int_equal(look(file, "VTKHDF/PointData/position", H5T_FLOAT, shape, NULL), 3 * N);
  assert_int_equal(look(file, "VTKHDF/PointData/id", H5T_INTEGER, shape, NULL), N);
  assert_int_equal(look(file, "VTKHDF/PointData/jp", H5T_FLOAT, shape, NULL), N);
  assert_int_equal(look(file, "VTKHDF/FieldData/time", H5T_FLOAT, shape, data), 1);
  assert_true(data[0] == 0.125);
  assert_true(H5Fclose(file) >= 0);
}

static void a_frame_reads_back(void **state) {
  scratch *s = *state;
  static particles p, q;
  make(&p);
  assert_int_equal(write_frame(s, "a.hdf", N, &p), FIRN_OK);
  firn_frame *f;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "a.hdf"), &f), FIRN_OK);
  assert_int_equal(f->count, N);
  assert_int_equal(f->frame, 3);
  assert_true(f->time == 0.125);
  assert_int_equal(f->field_count, 5);
  assert_non_null(firn_frame_find(f, "jp"));
  assert_null(firn_frame_find(f, "pressure"));
  assert_string_equal(firn_frame_find(f, "velocity")->unit, "m/s");
  assert_int_equal(firn_frame_find(f, "velocity")->components, 3);
  assert_int_equal(firn_frame_read(f, "position", 3, FIRN_ARCHIVE_F32, q.position), FIRN_OK);
  assert_memory_equal(p.position, q.position, sizeof p.position);
  assert_int_equal(firn_frame_read(f, "mass", 1, FIRN_ARCHIVE_F32, q.mass), FIRN_OK);
  assert_memory_equal(p.mass, q.mass, sizeof p.mass);
  assert_int_equal(firn_frame_read(f, "mass", 3, FIRN_ARCHIVE_F32, q.position), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_frame_read(f, "heat", 1, FIRN_ARCHIVE_F32, q.mass), FIRN_ERROR_FORMAT);
  assert_message(s, "a.hdf", "heat");
  firn_frame_close(f);
}

static void an_empty_frame_is_a_frame(void **state) {
  scratch *s = *state;
  static particles p;
  assert_int_equal(write_frame(s, "empty.hdf", 0, &p), FIRN_OK);
  firn_frame *f;
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "empty.hdf"), &f), FIRN_OK);
  assert_int_equal(f->count, 0);
  assert_int_equal(f->field_count, 5);
  assert_int_equal(firn_frame_read(f, "position", 3, FIRN_ARCHIVE_F32, NULL), FIRN_OK);
  firn_frame_close(f);
  hid_t file = H5Fopen(scratch_path(s, "empty.hdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hsize_t shape[2];
  double data[2];
  look(file, "VTKHDF/NumberOfCells", H5T_INTEGER, shape, data);
  assert_true(data[0] == 0); // a cell without points would be no cell
  assert_int_equal(look(file, "VTKHDF/Offsets", H5T_INTEGER, shape, data), 1);
  H5Fclose(file);
}

static void frames_are_reproducible_and_lean(void **state) {
  scratch *s = *state;
  static particles p;
  make(&p);
  assert_int_equal(write_frame(s, "a.hdf", N, &p), FIRN_OK);
  assert_int_equal(write_frame(s, "b.hdf", N, &p), FIRN_OK);
  assert_same_bytes(s, "a.hdf", "b.hdf");
  struct stat info;
  assert_int_equal(stat(scratch_path(s, "a.hdf"), &info), 0);
  // 36 bytes of fields (the link costs none) and 4 of connectivity a particle, and what HDF5 needs
  // for a dozen objects.
  assert_in_range(info.st_size, 40 * N, 40 * N + 20000);
}

static void what_is_no_frame_is_refused(void **state) {
  scratch *s = *state;
  firn_archive *a;
  firn_frame *f;
  const float data[9] = {0};
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "plain.hdf"), &a), FIRN_OK);
  firn_archive_write(a, "x", FIRN_ARCHIVE_F32, 3, 3, data);
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "plain.hdf"), &f),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "plain.hdf", "VTKHDF");

  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "image.hdf"), &a), FIRN_OK);
  firn_archive_group(a, "VTKHDF");
  firn_archive_set_text(a, "VTKHDF", "Type", "ImageData");
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "image.hdf"), &f),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "image.hdf", "ImageData");

  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "short.hdf"), &a), FIRN_OK);
  firn_archive_write(a, "VTKHDF/Points", FIRN_ARCHIVE_F32, 3, 3, data);
  firn_archive_write(a, "VTKHDF/PointData/mass", FIRN_ARCHIVE_F32, 2, 1, data);
  firn_archive_set_text(a, "VTKHDF", "Type", "UnstructuredGrid");
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
  assert_int_equal(firn_frame_open(s->context, scratch_path(s, "short.hdf"), &f),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "short.hdf", "mass", "2", "3");
  assert_null(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_layout_is_vtkhdf),        TEST(a_frame_reads_back),
      TEST(an_empty_frame_is_a_frame),   TEST(frames_are_reproducible_and_lean),
      TEST(what_is_no_frame_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
