// SPDX-License-Identifier: Apache-2.0
// The container under frames and checkpoints.
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <hdf5.h>

#include "cache/archive.h"
#include "cache/archive_seal.h"

// ------------------------------------------------------------------------------------ round trip

// Values that do not survive a wrong type or a wrong byte count.
static const float f32[] = {0.1f, -1e-38f, 3.0e38f, 1, 2, 3};
static const double f64[] = {0.1, 1e-300, -1.7976931348623157e308};
static const uint8_t u8[] = {0, 200, 255};
static const uint16_t u16[] = {0, 40000, 65535};
static const uint32_t u32[] = {0, 3000000000u, 4294967295u};
static const uint64_t u64[] = {0, 1, 18446744073709551615u};
static const int32_t i32[] = {-2147483647 - 1, -1, 2147483647};
static const int64_t i64[] = {INT64_MIN, -1, INT64_MAX};

static firn_status write_all(firn_context *context, const char *path) {
  firn_archive *a;
  FIRN_TRY(firn_archive_create(context, path, &a));
  firn_archive_write(a, "group/inner/f32", FIRN_ARCHIVE_F32, 2, 3, f32);
  firn_archive_write(a, "group/f64", FIRN_ARCHIVE_F64, 3, 1, f64);
  firn_archive_write(a, "u8", FIRN_ARCHIVE_U8, 3, 1, u8);
  firn_archive_write(a, "u16", FIRN_ARCHIVE_U16, 3, 1, u16);
  firn_archive_write(a, "u32", FIRN_ARCHIVE_U32, 3, 1, u32);
  firn_archive_write(a, "u64", FIRN_ARCHIVE_U64, 3, 1, u64);
  firn_archive_write(a, "i32", FIRN_ARCHIVE_I32, 1, 3, i32);
  firn_archive_write(a, "i64", FIRN_ARCHIVE_I64, 3, 1, i64);
  firn_archive_write(a, "nothing", FIRN_ARCHIVE_F32, 0, 3, NULL);
  firn_archive_link(a, "group/f64", "again");
  firn_archive_set_text(a, "/", "title", "snow");
  firn_archive_set_text(a, "group", "empty", "");
  firn_archive_set_f64(a, "group/f64", "pi", 3.25);
  firn_archive_set_u64(a, "group", "seed", 18446744073709551615u);
  return firn_archive_commit(a);
}

static void every_type_and_shape_survives(void **state) {
  scratch *s = *state;
  const char *path = scratch_path(s, "all.hdf");
  assert_int_equal(write_all(s->context, path), FIRN_OK);
  assert_false(scratch_exists(s, "all.hdf" FIRN_PART_SUFFIX));

  firn_archive *a;
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, "all.hdf"), &a), FIRN_OK);
  char data[64];
#define CHECK(name, type, count, components, expected)                                             \
  assert_int_equal(firn_archive_read(a, name, type, count, components, data), FIRN_OK);            \
  assert_memory_equal(data, expected, sizeof expected)
  CHECK("group/inner/f32", FIRN_ARCHIVE_F32, 2, 3, f32);
  CHECK("group/f64", FIRN_ARCHIVE_F64, 3, 1, f64);
  CHECK("again", FIRN_ARCHIVE_F64, 3, 1, f64);
  CHECK("u8", FIRN_ARCHIVE_U8, 3, 1, u8);
  CHECK("u16", FIRN_ARCHIVE_U16, 3, 1, u16);
  CHECK("u32", FIRN_ARCHIVE_U32, 3, 1, u32);
  CHECK("u64", FIRN_ARCHIVE_U64, 3, 1, u64);
  CHECK("i32", FIRN_ARCHIVE_I32, 1, 3, i32);
  CHECK("i64", FIRN_ARCHIVE_I64, 3, 1, i64);
  assert_int_equal(firn_archive_read(a, "nothing", FIRN_ARCHIVE_F32, 0, 3, NULL), FIRN_OK);

  char text[8];
  double pi;
  uint64_t seed;
  assert_int_equal(firn_archive_get_text(a, "/", "title", text, sizeof text), FIRN_OK);
  assert_string_equal(text, "snow");
  assert_int_equal(firn_archive_get_text(a, "group", "empty", text, sizeof text), FIRN_OK);
  assert_string_equal(text, "");
  assert_int_equal(firn_archive_get_f64(a, "group/f64", "pi", &pi), FIRN_OK);
  assert_true(pi == 3.25);
  assert_int_equal(firn_archive_get_u64(a, "group", "seed", &seed), FIRN_OK);
  assert_true(seed == UINT64_MAX);
  firn_archive_close(a);
}

static void conversions_read_what_is_there(void **state) {
  scratch *s = *state;
  assert_int_equal(write_all(s->context, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_archive *a;
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  double wide[3];
  assert_int_equal(firn_archive_read_as(a, "u16", FIRN_ARCHIVE_F64, 3, 1, wide), FIRN_OK);
  assert_true(wide[1] == 40000 && wide[2] == 65535);
  assert_int_equal(firn_archive_read_as(a, "u16", FIRN_ARCHIVE_F64, 4, 1, wide), FIRN_ERROR_FORMAT);

  int count;
  char name[16];
  assert_int_equal(firn_archive_count(a, "group", &count), FIRN_OK);
  assert_int_equal(count, 2);
  assert_int_equal(firn_archive_name(a, "group", 0, name, sizeof name), FIRN_OK);
  assert_string_equal(name, "f64");
  assert_int_equal(firn_archive_name(a, "group", 1, name, 4), FIRN_ERROR_FORMAT); // "inner"
  assert_int_equal(firn_archive_count(a, "u8/none", &count), FIRN_ERROR_FORMAT);
  firn_archive_close(a);
}

// HDF5 stamps objects with the second in which they were made, hence the wait.
static void two_writes_give_the_same_bytes(void **state) {
  scratch *s = *state;
  assert_int_equal(write_all(s->context, scratch_path(s, "a.hdf")), FIRN_OK);
  sleep(1);
  usleep(100000);
  assert_int_equal(write_all(s->context, scratch_path(s, "b.hdf")), FIRN_OK);
  assert_same_bytes(s, "a.hdf", "b.hdf");
}

// ------------------------------------------------------------------------------------- bad reads

static void wrong_type_shape_or_name_is_said(void **state) {
  scratch *s = *state;
  assert_int_equal(write_all(s->context, scratch_path(s, "a.hdf")), FIRN_OK);
  firn_archive *a;
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  char data[64], text[3];
  double number;
  assert_int_equal(firn_archive_read(a, "u16", FIRN_ARCHIVE_U32, 3, 1, data), FIRN_ERROR_FORMAT);
  assert_message(s, "a.hdf", "u16", "u32");
  assert_int_equal(firn_archive_read(a, "u16", FIRN_ARCHIVE_U16, 4, 1, data), FIRN_ERROR_FORMAT);
  assert_message(s, "u16", "[3][1]", "[4][1]");
  assert_int_equal(firn_archive_read(a, "i32", FIRN_ARCHIVE_I32, 3, 1, data), FIRN_ERROR_FORMAT);
  assert_message(s, "i32", "[1][3]", "[3][1]");
  assert_int_equal(firn_archive_read(a, "no/such", FIRN_ARCHIVE_U8, 1, 1, data), FIRN_ERROR_FORMAT);
  assert_message(s, "no/such");
  assert_int_equal(firn_archive_read(a, "group", FIRN_ARCHIVE_U8, 1, 1, data), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_get_text(a, "/", "title", text, sizeof text), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_get_f64(a, "/", "title", &number), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_get_f64(a, "group", "seed", &number), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_get_f64(a, "/", "none", &number), FIRN_ERROR_FORMAT);
  assert_message(s, "none");
  assert_int_equal(firn_archive_set_u64(a, "/", "x", 1), FIRN_ERROR_STATE);
  assert_message(s, "a.hdf", "reading");
  firn_archive_close(a);
}

static void refuses(scratch *s, const char *name, firn_status status, const char *word) {
  firn_archive *a = (firn_archive *)s;
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, name), &a), status);
  assert_null(a);
  assert_message(s, name, word);
}

static void a_file_that_is_no_archive_is_told_apart(void **state) {
  scratch *s = *state;
  refuses(s, "missing.hdf", FIRN_ERROR_IO, "No such file");
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "text.hdf"), "hello", 5), FIRN_OK);
  refuses(s, "text.hdf", FIRN_ERROR_FORMAT, "not an HDF5 file");
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "empty.hdf"), "", 0), FIRN_OK);
  refuses(s, "empty.hdf", FIRN_ERROR_FORMAT, "not an HDF5 file");
  // Nothing is mapped where the memory of a process begins: to read there is an error of the disk.
  assert_int_equal(symlink("/proc/self/mem", scratch_path(s, "sick.hdf")), 0);
  refuses(s, "sick.hdf", FIRN_ERROR_IO, "Input/output error");
  assert_int_equal(mkdir(scratch_path(s, "folder.hdf"), 0777), 0);
  refuses(s, "folder.hdf", FIRN_ERROR_IO, "directory");
}

// A copy of file a.hdf with other bytes: put() changes data[0, *size), which has room for 100 more.
static void refuses_change(scratch *s, void (*put)(char *data, size_t *size, size_t at), size_t at,
                           const char *word) {
  size_t size, whole;
  char *data;
  scratch_read(s, "a.hdf", &data, &size);
  whole = size;
  char *copy = malloc(size + 100);
  memcpy(copy, data, size);
  put(copy, &size, at);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "bad.hdf"), copy, size), FIRN_OK);
  refuses(s, "bad.hdf", FIRN_ERROR_FORMAT, word);
  assert_message(s, "damaged");
  free(copy);
  firn_free(s->context, data, whole + 1);
}

static size_t write_one(scratch *s) {
  struct stat info;
  assert_int_equal(write_all(s->context, scratch_path(s, "a.hdf")), FIRN_OK);
  assert_int_equal(stat(scratch_path(s, "a.hdf"), &info), 0);
  return (size_t)info.st_size;
}

enum { SEAL = 8 + 24 }; // of a file of one block

static void cut(char *data, size_t *size, size_t at) {
  (void)data;
  *size = at;
}

static void a_truncated_file_is_refused_at_any_length(void **state) {
  scratch *s = *state;
  size_t size = write_one(s);
  for (size_t keep = 8; keep < size; keep += keep < size - 100 ? 97 : 1) {
    const char *word = keep < 48             ? "within its header"
                       : keep + SEAL == size ? "no seal"
                                             : "truncated";
    refuses_change(s, cut, keep, word);
  }
}

static void flip(char *data, size_t *size, size_t at) {
  (void)size;
  data[at] = (char)(data[at] ^ (1 << at % 8));
}

// Wherever it is. Without HDF5's signature the file is not one of HDF5's at all.
static void a_single_wrong_bit_is_found(void **state) {
  scratch *s = *state;
  size_t size = write_one(s);
  char place[64];
  snprintf(place, sizeof place, "bytes 0 to %zu of %zu", size - SEAL - 1, size);
  for (size_t at = 8; at < size; at += at < 200 || at > size - 100 ? 1 : 7) {
    const char *word = at < size - SEAL ? place : "seal";
    refuses_change(s, flip, at, word);
  }
}

static void append(char *data, size_t *size, size_t count) {
  memset(data + *size, 'x', count);
  *size += count;
}

// The end of the file again, as of two that were joined.
static void append_end(char *data, size_t *size, size_t count) {
  memcpy(data + *size, data + *size - count, count);
  *size += count;
}

static void take_out(char *data, size_t *size, size_t at) {
  memmove(data + at, data + at + 1, *size - at - 1);
  *size -= 1;
}

static void bytes_too_many_or_missing_inside_are_found(void **state) {
  scratch *s = *state;
  size_t size = write_one(s);
  refuses_change(s, append, 1, "1 bytes follow");
  refuses_change(s, append, 99, "99 bytes follow");
  refuses_change(s, append_end, 32, "its seal is for");
  for (size_t at = 100; at < size - SEAL; at += 501) {
    refuses_change(s, take_out, at, "its seal is for");
  }
}

// In a file of several blocks the message says which: the third of three has the rest.
static void the_message_says_where_a_large_file_is_damaged(void **state) {
  scratch *s = *state;
  enum { COUNT = (2 << 20) + 12345 };
  uint8_t *data = malloc(COUNT);
  for (size_t i = 0; i < COUNT; i++) data[i] = (uint8_t)(i * 2654435761u >> 13);
  firn_archive *a;
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  firn_archive_write(a, "data", FIRN_ARCHIVE_U8, COUNT, 1, data);
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  uint8_t *back = malloc(COUNT);
  assert_int_equal(firn_archive_read(a, "data", FIRN_ARCHIVE_U8, COUNT, 1, back), FIRN_OK);
  assert_memory_equal(data, back, COUNT);
  firn_archive_close(a);
  refuses_change(s, flip, 1 << 20, "bytes 1048576 to 2097151 of");
  refuses_change(s, flip, (1 << 20) - 1, "bytes 0 to 1048575 of");
  refuses_change(s, flip, (2 << 20) + 9999, "bytes 2097152 to 21");
  free(back);
  free(data);
}

// Zeros of any number, and one bit among zeros at any place.
static void the_hash_tells_small_changes_apart(void **state) {
  (void)state;
  unsigned char data[100] = {0};
  uint64_t seen[400];
  size_t count = 0;
  for (size_t n = 0; n <= sizeof data; n++) seen[count++] = firn_seal_hash(data, n); // zeros
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = 1;
    seen[count++] = firn_seal_hash(data, sizeof data);
    data[i] = 0x80;
    seen[count++] = firn_seal_hash(data, sizeof data);
    data[i] = 0;
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
  }
}

// What another program wrote, or changed and closed, may be HDF5 as good as any; but nobody can say
// whether it is whole.
static void hdf5_of_other_programs_is_refused(void **state) {
  scratch *s = *state;
  write_one(s);
  hid_t file = H5Fopen(scratch_path(s, "a.hdf"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0); // HDF5 itself does not mind the seal
  assert_true(H5Lexists(file, "group/f64", H5P_DEFAULT) > 0);
  H5Fclose(file);
  file = H5Fopen(scratch_path(s, "a.hdf"), H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0);
  assert_true(H5Ldelete(file, "u8", H5P_DEFAULT) >= 0);
  H5Fclose(file);
  refuses(s, "a.hdf", FIRN_ERROR_FORMAT, "damaged");
  for (int newest = 0; newest < 2; newest++) { // two layouts of the header
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (newest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file = H5Fcreate(scratch_path(s, "foreign.hdf"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    assert_true(file >= 0);
    H5Fclose(file);
    H5Pclose(access);
    refuses(s, "foreign.hdf", FIRN_ERROR_FORMAT, "no seal of firn");
  }
}

// A header may announce what it likes, and be sealed: memory is not asked for on its word.
static void an_array_that_the_file_cannot_hold_is_refused(void **state) {
  scratch *s = *state;
  const char *path = scratch_path(s, "large.hdf");
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, (const hsize_t[]){1 << 30, 3}, NULL);
  hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0 && space >= 0 && set >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  struct stat info = {0};
  int fd = open(path, O_RDWR);
  assert_true(fd >= 0 && fstat(fd, &info) == 0 && info.st_size < 10000);
  assert_int_equal(firn_seal_write(s->context, path, fd, (uint64_t)info.st_size), FIRN_OK);
  close(fd);
  firn_archive *a;
  firn_archive_info about;
  assert_int_equal(firn_archive_open(s->context, path, &a), FIRN_OK);
  assert_int_equal(firn_archive_describe(a, "x", &about), FIRN_ERROR_FORMAT);
  assert_message(s, "large.hdf", "array x announces [1073741824][3]");
  firn_archive_close(a);
  // Zeros pack best; they are still believed.
  enum { N = 1 << 20 };
  double *zero = calloc(N, sizeof *zero);
  assert_non_null(zero);
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "zero.hdf"), &a), FIRN_OK);
  firn_archive_write_packed(a, "x", FIRN_ARCHIVE_F64, N, 1, zero);
  free(zero);
  assert_int_equal(firn_archive_commit(a), FIRN_OK);
  assert_int_equal(firn_archive_open(s->context, scratch_path(s, "zero.hdf"), &a), FIRN_OK);
  assert_int_equal(firn_archive_describe(a, "x", &about), FIRN_OK);
  firn_archive_close(a);
}

// ------------------------------------------------------------------------------------ bad writes

static void without_commit_nothing_appears(void **state) {
  scratch *s = *state;
  firn_archive *a;
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "u8", FIRN_ARCHIVE_U8, 3, 1, u8), FIRN_OK);
  assert_false(scratch_exists(s, "a.hdf"));
  firn_archive_close(a);
  assert_false(scratch_exists(s, "a.hdf"));
  assert_false(scratch_exists(s, "a.hdf" FIRN_PART_SUFFIX));
}

static void the_first_failure_sticks(void **state) {
  scratch *s = *state;
  firn_archive *a;
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "a.hdf"), "old", 3), FIRN_OK);
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "a.hdf"), &a), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "x", FIRN_ARCHIVE_U8, 3, 1, u8), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "x", FIRN_ARCHIVE_U8, 3, 1, u8), FIRN_ERROR_IO);
  assert_message(s, "a.hdf", "x", "exists");
  assert_int_equal(firn_archive_write(a, "y", FIRN_ARCHIVE_U8, 3, 1, u8), FIRN_ERROR_IO);
  assert_int_equal(firn_archive_commit(a), FIRN_ERROR_IO);
  assert_message(s, "exists");
  size_t size;
  char *data;
  scratch_read(s, "a.hdf", &data, &size);
  assert_int_equal(size, 3); // the old file is as it was
  firn_free(s->context, data, size + 1);
}

static void a_folder_that_refuses_is_named(void **state) {
  scratch *s = *state;
  firn_archive *a;
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "none/a.hdf"), &a),
                   FIRN_ERROR_IO);
  assert_message(s, "none/a.hdf", "No such file");
  if (geteuid() == 0) return; // root may write anywhere
  assert_int_equal(mkdir(scratch_path(s, "locked"), 0555), 0);
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, "locked/a.hdf"), &a),
                   FIRN_ERROR_IO);
  assert_message(s, "locked/a.hdf", "Permission denied");
}

// Writes 4 MB into a place that holds 1: every call must return, with the reason, and leave
// nothing behind; afterwards a small archive must still fit.
static void overflow(scratch *s, const char *name, const char *reason) {
  enum { SIZE = 4 << 20 };
  uint8_t *data = calloc(1, SIZE);
  firn_archive *a;
  assert_int_equal(firn_archive_create(s->context, scratch_path(s, name), &a), FIRN_OK);
  firn_archive_set_text(a, "/", "title", "too much");
  assert_int_equal(firn_archive_write(a, "data", FIRN_ARCHIVE_U8, SIZE, 1, data), FIRN_ERROR_IO);
  assert_message(s, name, reason);
  assert_int_equal(firn_archive_commit(a), FIRN_ERROR_IO);
  assert_message(s, name, reason);
  assert_false(scratch_exists(s, name));
  char part[64];
  snprintf(part, sizeof part, "%s%s", name, FIRN_PART_SUFFIX);
  assert_false(scratch_exists(s, part));
  assert_int_equal(write_all(s->context, scratch_path(s, name)), FIRN_OK);
  free(data);
}

static void a_full_disk_is_said_and_leaves_nothing(void **state) {
  scratch *s = *state;
  assert_int_equal(mkdir(scratch_path(s, "tiny"), 0777), 0);
  if (mount("tmpfs", scratch_path(s, "tiny"), "tmpfs", 0, "size=1m")) {
    print_message("skipped: a tmpfs needs root (%s)\n", strerror(errno));
    skip();
  }
  overflow(s, "tiny/a.hdf", "No space left");
  umount2(scratch_path(s, "tiny"), MNT_DETACH);
}

// The same without being root: the kernel refuses to let the file grow.
static void a_file_size_limit_is_said_and_leaves_nothing(void **state) {
  scratch *s = *state;
  struct rlimit before, limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 1 << 20;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  overflow(s, "a.hdf", "File too large");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

// --------------------------------------------------------------------------------------- threads

typedef struct worker {
  firn_context *context;
  char path[512];
  firn_status status;
} worker;

static void *work(void *user) {
  worker *w = user;
  for (int i = 0; i < 20 && w->status == FIRN_OK; i++) {
    w->status = write_all(w->context, w->path);
    firn_archive *a;
    uint16_t data[3];
    if (w->status == FIRN_OK) w->status = firn_archive_open(w->context, w->path, &a);
    if (w->status == FIRN_OK) {
      w->status = firn_archive_read(a, "u16", FIRN_ARCHIVE_U16, 3, 1, data);
      firn_archive_close(a);
    }
  }
  return NULL;
}

static void two_contexts_write_in_two_threads(void **state) {
  scratch *s = *state;
  worker w[2] = {{.context = NULL}};
  pthread_t thread[2];
  firn_context_def def = firn_default_context_def();
  for (int i = 0; i < 2; i++) {
    assert_int_equal(firn_context_create(&def, &w[i].context), FIRN_OK);
    snprintf(w[i].path, sizeof w[i].path, "%s/%d.hdf", s->folder, i);
    assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
  }
  for (int i = 0; i < 2; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(w[i].status, FIRN_OK);
    assert_int_equal(firn_context_bytes(w[i].context), 0);
    firn_context_destroy(w[i].context);
  }
  assert_same_bytes(s, "0.hdf", "1.hdf");
}

// The same without a file; names may be asked for in any order.
static void an_archive_in_memory_keeps_the_same(void **state) {
  scratch *s = *state;
  firn_archive *a;
  firn_archive_info info;
  char data[64], text[8], name[300];
  double pi = 0;
  uint64_t seed = 0;
  int count = 0;
  assert_int_equal(firn_archive_create_memory(s->context, "memory", &a), FIRN_OK);
  assert_int_equal(firn_archive_group(a, "group"), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "group/inner/f32", FIRN_ARCHIVE_F32, 2, 3, f32), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "group/f64", FIRN_ARCHIVE_F64, 3, 1, f64), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "group/u64", FIRN_ARCHIVE_U64, 3, 1, u64), FIRN_OK);
  assert_int_equal(firn_archive_write(a, "nothing", FIRN_ARCHIVE_F32, 0, 3, NULL), FIRN_OK);
  assert_int_equal(firn_archive_set_text(a, "group", "title", "snow"), FIRN_OK);
  assert_int_equal(firn_archive_set_f64(a, "group/f64", "pi", 3.25), FIRN_OK);
  assert_int_equal(firn_archive_set_u64(a, "/", "seed", 17), FIRN_OK);

  CHECK("group/u64", FIRN_ARCHIVE_U64, 3, 1, u64);
  CHECK("group/inner/f32", FIRN_ARCHIVE_F32, 2, 3, f32);
  CHECK("group/f64", FIRN_ARCHIVE_F64, 3, 1, f64);
  assert_int_equal(firn_archive_get_text(a, "group", "title", text, sizeof text), FIRN_OK);
  assert_string_equal(text, "snow");
  assert_int_equal(firn_archive_get_f64(a, "group/f64", "pi", &pi), FIRN_OK);
  assert_int_equal(firn_archive_get_u64(a, "/", "seed", &seed), FIRN_OK);
  assert_true(pi == 3.25 && seed == 17);
  assert_int_equal(firn_archive_describe(a, "nothing", &info), FIRN_OK);
  assert_true(info.count == 0 && info.components == 3 && info.type == FIRN_ARCHIVE_F32);
  assert_int_equal(firn_archive_count(a, "group", &count), FIRN_OK);
  assert_int_equal(count, 2); // what is deeper does not count
  assert_true(firn_archive_has(a, "group/inner") && firn_archive_has(a, "group/f64"));
  assert_false(firn_archive_has(a, "gro") || firn_archive_has(a, "group/f6"));
  assert_true(firn_archive_has_attribute(a, "group", "title"));
  assert_false(firn_archive_has_attribute(a, "group", "pi"));

  // What does not fit, and what is for files alone.
  assert_int_equal(firn_archive_read(a, "group/f64", FIRN_ARCHIVE_F64, 2, 1, data),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "memory", "[3][1]", "[2][1]");
  assert_int_equal(firn_archive_read(a, "group/f64", FIRN_ARCHIVE_U64, 3, 1, data),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "memory", "f64", "u64");
  assert_int_equal(firn_archive_read(a, "none", FIRN_ARCHIVE_U8, 1, 1, data), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_get_text(a, "group", "title", text, 4), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_get_u64(a, "group/f64", "pi", &seed), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_count(a, "none", &count), FIRN_ERROR_FORMAT);
  assert_int_equal(firn_archive_name(a, "group", 0, name, sizeof name), FIRN_ERROR_UNSUPPORTED);
  assert_int_equal(firn_archive_read_as(a, "group/f64", FIRN_ARCHIVE_F32, 3, 1, data),
                   FIRN_ERROR_UNSUPPORTED);
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  assert_int_equal(firn_archive_write(a, name, FIRN_ARCHIVE_U8, 3, 1, u8), FIRN_ERROR_ARGUMENT);
  // The first failure of a writer sticks here, too.
  assert_int_equal(firn_archive_write(a, "u8", FIRN_ARCHIVE_U8, 3, 1, u8), FIRN_ERROR_ARGUMENT);
  firn_archive_close(a);
  assert_int_equal(firn_archive_create_memory(s->context, "memory", &a), FIRN_OK);
  assert_int_equal(firn_archive_link(a, "group/f64", "again"), FIRN_ERROR_UNSUPPORTED);
  firn_archive_close(a);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_type_and_shape_survives),
      TEST(conversions_read_what_is_there),
      TEST(two_writes_give_the_same_bytes),
      TEST(wrong_type_shape_or_name_is_said),
      TEST(a_file_that_is_no_archive_is_told_apart),
      TEST(a_truncated_file_is_refused_at_any_length),
      TEST(a_single_wrong_bit_is_found),
      TEST(bytes_too_many_or_missing_inside_are_found),
      TEST(the_message_says_where_a_large_file_is_damaged),
      TEST(hdf5_of_other_programs_is_refused),
      TEST(an_array_that_the_file_cannot_hold_is_refused),
      cmocka_unit_test(the_hash_tells_small_changes_apart),
      TEST(without_commit_nothing_appears),
      TEST(the_first_failure_sticks),
      TEST(a_folder_that_refuses_is_named),
      TEST(a_full_disk_is_said_and_leaves_nothing),
      TEST(a_file_size_limit_is_said_and_leaves_nothing),
      TEST(two_contexts_write_in_two_threads),
      TEST(an_archive_in_memory_keeps_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
