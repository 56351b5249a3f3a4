// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cache/archive_memory.h"
#include "cache/archive_private.h"

// Makes the group and those above it that are missing.
static bool make_groups(hid_t file, const char *path) {
  char part[FIRN_PATH_SIZE];
  size_t length = strlen(path);
  if (length >= sizeof part) return false;
  hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  bool good = creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0;
  for (size_t i = 1; good && i <= length; i++) {
    if (i < length && path[i] != '/') continue;
    memcpy(part, path, i);
    part[i] = 0;
    htri_t exists = H5Lexists(file, part, H5P_DEFAULT);
    good = exists >= 0;
    if (exists == 0) {
      hid_t group = H5Gcreate2(file, part, H5P_DEFAULT, creation, H5P_DEFAULT);
      good = group >= 0 && H5Gclose(group) >= 0;
    }
  }
  if (creation >= 0) H5Pclose(creation);
  return good;
}

static bool make_parents(hid_t file, const char *name) {
  char parent[FIRN_PATH_SIZE];
  const char *slash = strrchr(name, '/');
  if (!slash || slash == name) return true;
  if ((size_t)(slash - name) >= sizeof parent) return false;
  memcpy(parent, name, (size_t)(slash - name));
  parent[slash - name] = 0;
  return make_groups(file, parent);
}

firn_status firn_archive_group(firn_archive *a, const char *group) {
  FIRN_TRY(firn_archive_begin_write(a));
  if (a->shelf) return FIRN_OK; // a group is there as soon as something is in it
  firn_status status = FIRN_OK;
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  if (!make_groups(a->file, group))
    status = firn_archive_fail(a, &g, FIRN_ERROR_IO, "make group", group);
  firn_hdf5_leave(&g);
  return firn_archive_end_write(a, status);
}

enum { PACK_ROWS = 16384, PACK_LEVEL = 1 };

// A column a chunk, so that like stands beside like; bytes of one weight side by side; deflate.
static bool set_packing(hid_t creation, int rank, size_t count) {
  hsize_t chunk[2] = {count < PACK_ROWS ? count : PACK_ROWS, 1};
  return H5Pset_chunk(creation, rank, chunk) >= 0 && H5Pset_shuffle(creation) >= 0 &&
         H5Pset_deflate(creation, PACK_LEVEL) >= 0;
}

static bool write_array(hid_t file, const char *name, firn_archive_type type, size_t count,
                        int components, const void *data, bool packed) {
  hsize_t shape[2] = {count, (hsize_t)components};
  int rank = components == 1 ? 1 : 2;
  hid_t space = H5Screate_simple(rank, shape, NULL);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  // Fill values would only be overwritten: a second pass over the disk.
  bool good = space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0 &&
              H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0;
  if (good && packed && count) good = set_packing(creation, rank, count);
  if (good) {
    hid_t set = H5Dcreate2(file, name, firn_archive_file_type(type), space, H5P_DEFAULT, creation,
                           H5P_DEFAULT);
    good = set >= 0;
    if (good && count) {
      good = H5Dwrite(set, firn_archive_memory_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >=
             0;
    }
    if (set >= 0 && H5Dclose(set) < 0) good = false;
  }
  if (creation >= 0) H5Pclose(creation);
  if (space >= 0) H5Sclose(space);
  return good;
}

static firn_status write_checked(firn_archive *a, const char *name, firn_archive_type type,
                                 size_t count, int components, const void *data, bool packed) {
  FIRN_TRY(firn_archive_begin_write(a));
  if (type >= FIRN_ARCHIVE_TYPE_COUNT || components < 1 || (count && !data)) {
    return firn_archive_end_write(a, firn_fail(a->context, FIRN_ERROR_ARGUMENT,
                                               "%s: array %s: type %d, %d components, data %p",
                                               a->path, name, (int)type, components, data));
  }
  if (a->shelf)
    return firn_memory_write(a, name, (firn_archive_info){type, count, components}, data);
  firn_status status = FIRN_OK;
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  if (!make_parents(a->file, name) ||
      !write_array(a->file, name, type, count, components, data, packed)) {
    status = firn_archive_fail(a, &g, FIRN_ERROR_IO, "write array", name);
  }
  firn_hdf5_leave(&g);
  return firn_archive_end_write(a, status);
}

firn_status firn_archive_write(firn_archive *a, const char *name, firn_archive_type type,
                               size_t count, int components, const void *data) {
  return write_checked(a, name, type, count, components, data, false);
}

firn_status firn_archive_write_packed(firn_archive *a, const char *name, firn_archive_type type,
                                      size_t count, int components, const void *data) {
  return write_checked(a, name, type, count, components, data, true);
}

firn_status firn_archive_link(firn_archive *a, const char *object, const char *name) {
  FIRN_TRY(firn_archive_begin_write(a));
  if (a->shelf) return firn_archive_end_write(a, firn_memory_refuse(a, "links"));
  firn_status status = FIRN_OK;
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  if (!make_parents(a->file, name) ||
      H5Lcreate_hard(a->file, object, a->file, name, H5P_DEFAULT, H5P_DEFAULT) < 0) {
    status = firn_archive_fail(a, &g, FIRN_ERROR_IO, "link", name);
  }
  firn_hdf5_leave(&g);
  return firn_archive_end_write(a, status);
}

// space and type belong to the caller.
static firn_status set_attribute(firn_archive *a, const firn_hdf5_guard *g, const char *object,
                                 const char *name, hid_t stored, hid_t native, hid_t space,
                                 const void *value) {
  bool good = stored >= 0 && native >= 0 && space >= 0;
  if (good) {
    hid_t attribute = H5Acreate_by_name(a->file, object, name, stored, space, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT);
    good = attribute >= 0 && H5Awrite(attribute, native, value) >= 0;
    if (attribute >= 0 && H5Aclose(attribute) < 0) good = false;
  }
  return good ? FIRN_OK : firn_archive_fail(a, g, FIRN_ERROR_IO, "set attribute", name);
}

firn_status firn_archive_set_text(firn_archive *a, const char *object, const char *name,
                                  const char *text) {
  if (a->shelf) {
    const firn_archive_info info = {FIRN_ARCHIVE_U8, strlen(text), 1};
    return firn_memory_set(a, object, name, info, text);
  }
  FIRN_TRY(firn_archive_begin_write(a));
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  // Fixed length, as ParaView expects; HDF5 has no strings of length 0, a padding byte stands in.
  size_t length = strlen(text);
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  firn_status status = FIRN_OK;
  if (type < 0 || H5Tset_size(type, length ? length : 1) < 0 ||
      H5Tset_strpad(type, H5T_STR_NULLPAD) < 0) {
    status = firn_archive_fail(a, &g, FIRN_ERROR_IO, "set attribute", name);
  } else {
    status = set_attribute(a, &g, object, name, type, type, space, text);
  }
  if (type >= 0) H5Tclose(type);
  if (space >= 0) H5Sclose(space);
  firn_hdf5_leave(&g);
  return firn_archive_end_write(a, status);
}

static firn_status set_numbers(firn_archive *a, const char *object, const char *name,
                               firn_archive_type type, int rank, size_t count, const void *values) {
  if (a->shelf)
    return firn_memory_set(a, object, name, (firn_archive_info){type, count, 1}, values);
  FIRN_TRY(firn_archive_begin_write(a));
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  hsize_t shape[1] = {count};
  hid_t space = rank ? H5Screate_simple(1, shape, NULL) : H5Screate(H5S_SCALAR);
  firn_status status = set_attribute(a, &g, object, name, firn_archive_file_type(type),
                                     firn_archive_memory_type(type), space, values);
  if (space >= 0) H5Sclose(space);
  firn_hdf5_leave(&g);
  return firn_archive_end_write(a, status);
}

firn_status firn_archive_set_f64(firn_archive *a, const char *object, const char *name,
                                 double value) {
  return set_numbers(a, object, name, FIRN_ARCHIVE_F64, 0, 1, &value);
}

firn_status firn_archive_set_u64(firn_archive *a, const char *object, const char *name,
                                 uint64_t value) {
  return set_numbers(a, object, name, FIRN_ARCHIVE_U64, 0, 1, &value);
}

firn_status firn_archive_set(firn_archive *a, const char *object, const char *name,
                             firn_archive_type type, size_t count, const void *values) {
  return set_numbers(a, object, name, type, 1, count, values);
}
