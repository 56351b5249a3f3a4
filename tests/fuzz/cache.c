// SPDX-License-Identifier: Apache-2.0
// Any file is a frame, a checkpoint or an error.
//
// An input is the file itself; few of those get past the seal. Or it is 'f' or 'c' and a list of
// changes to the values in a frame or checkpoint, which is sealed again: so its readers see wrong
// values too. What HDF5 1.10 makes of damaged metadata under a forged seal is not tried.
#define _GNU_SOURCE // memfd_create
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hdf5.h>

#include "cache/archive_seal.h"

// A few particles, as the checkpoint among the seeds has them.
static firn_sim *small_sim(firn_context *context, bool filled) {
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.1;
  firn_sim *sim = NULL;
  if (firn_sim_create(context, &def, &sim) != FIRN_OK) return NULL;
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  const double center[3] = {0, 1, 0}, half[3] = {0.1, 0.1, 0.1};
  fill.shape = firn_box(center, half);
  fill.seeding = FIRN_SEEDING_LATTICE;
  bool good = firn_sim_add_material(sim, &material, &fill.material) == FIRN_OK;
  if (filled) good = good && firn_sim_fill(sim, &fill) == FIRN_OK;
  if (good) return sim;
  firn_sim_destroy(sim);
  return NULL;
}

// ------------------------------------------------------------------------------ files to change

// An array, or an attribute of a group or array.
typedef struct place {
  char object[96];
  char attribute[48]; // "": the array itself
} place;

typedef struct specimen {
  uint8_t *data;
  size_t size; // of what HDF5 wrote, without the seal
  place place[96];
  int places;
} specimen;

static specimen frame_file, checkpoint_file;

static void add_place(specimen *s, const char *object, const char *attribute) {
  FUZZ_MUST(s->places < (int)(sizeof s->place / sizeof *s->place));
  place *p = &s->place[s->places++];
  FUZZ_MUST(snprintf(p->object, sizeof p->object, "%s", object) < (int)sizeof p->object);
  FUZZ_MUST(snprintf(p->attribute, sizeof p->attribute, "%s", attribute) <
            (int)sizeof p->attribute);
}

typedef struct visit {
  specimen *specimen;
  const char *object;
} visit;

static herr_t see_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user) {
  const visit *v = user;
  (void)object;
  (void)info;
  add_place(v->specimen, v->object, name);
  return 0;
}

static herr_t see_link(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  (void)info;
  hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  FUZZ_MUST(object >= 0);
  visit v = {user, name};
  if (H5Iget_type(object) == H5I_DATASET) add_place(user, name, "");
  FUZZ_MUST(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, see_attribute, &v) >= 0);
  H5Oclose(object);
  return 0;
}

// Reads a file that firn wrote, and makes a seed of it.
static void keep_specimen(firn_context *context, const char *path, const char *seed, specimen *s) {
  struct stat info;
  uint64_t content;
  int fd = open(path, O_RDONLY);
  FUZZ_MUST(fd >= 0 && fstat(fd, &info) == 0);
  size_t size = (size_t)info.st_size;
  FUZZ_MUST(firn_seal_check(context, path, fd, size, &content) == FIRN_OK);
  s->size = (size_t)content;
  s->data = malloc(size);
  FUZZ_MUST(s->data && pread(fd, s->data, size, 0) == (ssize_t)size);
  close(fd);
  fuzz_seed(seed, s->data, size, "");
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  FUZZ_MUST(file >= 0);
  FUZZ_MUST(H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, see_link, s) >= 0);
  H5Fclose(file);
}

// Writes up to eight bytes over the place's values, somewhere.
static void change(hid_t file, const place *p, size_t at, const uint8_t value[8]) {
  bool array = !p->attribute[0];
  hid_t id = array ? H5Dopen2(file, p->object, H5P_DEFAULT)
                   : H5Aopen_by_name(file, p->object, p->attribute, H5P_DEFAULT, H5P_DEFAULT);
  hid_t type = array ? H5Dget_type(id) : H5Aget_type(id);
  hid_t space = array ? H5Dget_space(id) : H5Aget_space(id);
  size_t size = H5Tget_size(type) * (size_t)H5Sget_simple_extent_npoints(space);
  uint8_t *values = calloc(size + 8, 1);
  FUZZ_MUST(id >= 0 && values);
  if (size && array) {
    FUZZ_MUST(H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    memcpy(values + at % size, value, 8);
    FUZZ_MUST(H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  } else if (size) { // HDF5 1.10.8 does not write to an attribute that it opened
    FUZZ_MUST(H5Aread(id, type, values) >= 0);
    memcpy(values + at % size, value, 8);
    H5Aclose(id);
    FUZZ_MUST(H5Adelete_by_name(file, p->object, p->attribute, H5P_DEFAULT) >= 0);
    id = H5Acreate_by_name(file, p->object, p->attribute, type, space, H5P_DEFAULT, H5P_DEFAULT,
                           H5P_DEFAULT);
    FUZZ_MUST(id >= 0 && H5Awrite(id, type, values) >= 0);
  }
  free(values);
  H5Sclose(space);
  H5Tclose(type);
  if (array)
    H5Dclose(id);
  else
    H5Aclose(id);
}

// A change is 11 bytes: place, where in its values (2), what (8).
static void write_changed(firn_context *context, const char *path, int fd, const specimen *s,
                          const uint8_t *data, size_t size) {
  // In memory: HDF5's usual driver wants a file with a name.
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  FUZZ_MUST(H5Pset_fapl_core(access, 65536, false) >= 0);
  FUZZ_MUST(H5Pset_file_image(access, s->data, s->size) >= 0);
  hid_t file = H5Fopen("fuzz", H5F_ACC_RDWR, access);
  FUZZ_MUST(file >= 0);
  for (int i = 0; i < 16 && size >= 11; i++, data += 11, size -= 11) {
    change(file, &s->place[data[0] % s->places], data[1] + 256u * data[2], data + 3);
  }
  FUZZ_MUST(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
  ssize_t length = H5Fget_file_image(file, NULL, 0);
  void *image = malloc((size_t)length);
  FUZZ_MUST(length > 0 && image && H5Fget_file_image(file, image, (size_t)length) == length);
  FUZZ_MUST(H5Fclose(file) >= 0);
  H5Pclose(access);
  FUZZ_MUST(write(fd, image, (size_t)length) == length);
  free(image);
  FUZZ_MUST(firn_seal_write(context, path, fd, (uint64_t)length) == FIRN_OK);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  firn_context *context = fuzz_context();
  firn_sim *sim = small_sim(context, true);
  char folder[] = "/tmp/firn-fuzz-XXXXXX", path[64];
  FUZZ_MUST(sim && mkdtemp(folder));
  snprintf(path, sizeof path, "%s/a.hdf", folder);
  FUZZ_MUST(firn_sim_write_frame(sim, path) == FIRN_OK);
  keep_specimen(context, path, "frame.hdf", &frame_file);
  FUZZ_MUST(firn_sim_save(sim, path) == FIRN_OK);
  keep_specimen(context, path, "checkpoint.hdf", &checkpoint_file);
  FUZZ_MUST(unlink(path) == 0 && rmdir(folder) == 0);
  firn_sim_destroy(sim);
  fuzz_done(context);
  fuzz_seed("frame-changed", "f", 1, "0123456789abcdefghijkl");
  fuzz_seed("checkpoint-changed", "c", 1, "0123456789abcdefghijkl");
  return 0;
}

// ---------------------------------------------------------------------------------------- reading

static void read_frame(firn_context *context, const char *path) {
  firn_frame *frame = NULL;
  if (firn_frame_open(context, path, &frame) != FIRN_OK) {
    FUZZ_MUST(firn_context_message(context)[0]);
    return;
  }
  size_t count = firn_frame_count(frame);
  for (int i = 0; i < firn_frame_field_count(frame); i++) {
    firn_field_info info;
    FUZZ_MUST(firn_frame_field_at(frame, i, &info) == FIRN_OK);
    if (count > 100000 || info.components > 100) continue;
    double *values = malloc(sizeof *values * (count + 1) * (size_t)info.components);
    FUZZ_MUST(values);
    (void)firn_frame_read_double(frame, info.name, values);
    free(values);
  }
  firn_frame_close(frame);
}

static void load_checkpoint(firn_context *context, const char *path) {
  firn_sim *sim = small_sim(context, false);
  if (!sim) return;
  if (firn_sim_load(sim, path) != FIRN_OK) FUZZ_MUST(firn_context_message(context)[0]);
  firn_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memfd_create("fuzz", 0);
  FUZZ_MUST(file >= 0);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  firn_context *context = fuzz_context();
  if (size && (data[0] == 'f' || data[0] == 'c')) {
    const specimen *s = data[0] == 'f' ? &frame_file : &checkpoint_file;
    write_changed(context, path, file, s, data + 1, size - 1);
  } else {
    FUZZ_MUST(write(file, data, size) == (ssize_t)size);
  }
  read_frame(context, path);
  load_checkpoint(context, path);
  fuzz_done(context);
  close(file);
  return 0;
}
