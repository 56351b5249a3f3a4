// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cache/archive_memory.h"
#include "cache/archive_private.h"
#include "cache/shelf.h"

static firn_archive_type type_of(hid_t stored) {
  for (int t = 0; t < FIRN_ARCHIVE_TYPE_COUNT; t++) {
    if (H5Tequal(stored, firn_archive_file_type((firn_archive_type)t)) > 0)
      return (firn_archive_type)t;
  }
  return FIRN_ARCHIVE_OTHER;
}

// H5Lexists fails, rather than says no, when a group on the way is missing.
static bool exists(hid_t file, const char *object) {
  char part[FIRN_PATH_SIZE];
  size_t length = strlen(object);
  if (!length || length >= sizeof part) return false;
  for (size_t i = 1; i <= length; i++) {
    if (i < length && object[i] != '/') continue;
    memcpy(part, object, i);
    part[i] = 0;
    if (strcmp(part, "/") != 0 && H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
  }
  return H5Oexists_by_name(file, object, H5P_DEFAULT) > 0;
}

firn_status firn_archive_check_read(const firn_archive *a) {
  if (a->store.unread) return firn_file_fail(a->context, "read", a->path, a->store.unread);
  if (!a->store.starved) return FIRN_OK;
  return firn_fail(a->context, FIRN_ERROR_MEMORY, "%s: no memory to read it", a->path);
}

bool firn_archive_has(firn_archive *a, const char *object) {
  if (a->shelf) return firn_shelf_has(a->shelf, object);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  bool result = exists(a->file, object);
  firn_hdf5_leave(&g);
  return result;
}

// Whether the file can hold what the header of an array announces: whoever reads it asks for as much
// memory. A byte of a packed one stands for 1032 at most.
static bool is_held(const firn_archive *a, hid_t set, hid_t type, const hsize_t shape[2]) {
  uint64_t stored = H5Dget_storage_size(set), size = H5Tget_size(type);
  if (stored > a->store.end) stored = a->store.end;
  double announced = (double)shape[0] * (double)shape[1] * (double)size;
  return announced <= 1032.0 * (double)stored + 1032;
}

// Opens an array and finds its type and shape; the lock is held.
static firn_status open_array(firn_archive *a, const firn_hdf5_guard *g, const char *name,
                              hid_t *set, firn_archive_info *info) {
  *set = -1;
  *info = (firn_archive_info){FIRN_ARCHIVE_OTHER, 0, 0};
  if (!exists(a->file, name)) {
    return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: there is no array %s", a->path, name);
  }
  *set = H5Dopen2(a->file, name, H5P_DEFAULT);
  if (*set < 0) return firn_archive_fail(a, g, FIRN_ERROR_FORMAT, "open array", name);
  hid_t space = H5Dget_space(*set), type = H5Dget_type(*set);
  hsize_t shape[2] = {0, 1};
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  bool good = type >= 0 && (rank == 1 || rank == 2) &&
              H5Sget_simple_extent_dims(space, shape, NULL) == rank && shape[1] <= INT32_MAX;
  bool held = good && is_held(a, *set, type, shape);
  if (held) *info = (firn_archive_info){type_of(type), (size_t)shape[0], (int)shape[1]};
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (held) return FIRN_OK;
  H5Dclose(*set);
  *set = -1;
  if (good) {
    return firn_fail(a->context, FIRN_ERROR_FORMAT,
                     "%s: array %s announces [%llu][%llu] values, more than the file can hold",
                     a->path, name, (unsigned long long)shape[0], (unsigned long long)shape[1]);
  }
  return firn_fail(a->context, FIRN_ERROR_FORMAT,
                   "%s: array %s has %d dimensions, expected [n] or [n][k]", a->path, name, rank);
}

firn_status firn_archive_describe(firn_archive *a, const char *name, firn_archive_info *out) {
  if (a->shelf) return firn_memory_describe(a, name, out);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  hid_t set;
  firn_status status = open_array(a, &g, name, &set, out);
  if (set >= 0) H5Dclose(set);
  firn_hdf5_leave(&g);
  return status;
}

typedef struct request {
  firn_archive_type type;
  size_t count;
  int components;
  bool convert;
} request;

static firn_status read_array(firn_archive *a, const char *name, request r, void *data) {
  if (a->shelf && r.convert) return firn_memory_refuse(a, "conversion");
  if (a->shelf)
    return firn_memory_read(a, name, (firn_archive_info){r.type, r.count, r.components}, data);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  hid_t set;
  firn_archive_info info;
  firn_status status = open_array(a, &g, name, &set, &info);
  if (status == FIRN_OK) {
    if (info.components != r.components || info.count != r.count) {
      status = firn_fail(a->context, FIRN_ERROR_FORMAT,
                         "%s: array %s is [%zu][%d], expected [%zu][%d]", a->path, name, info.count,
                         info.components, r.count, r.components);
    } else if (!r.convert && info.type != r.type) {
      status = firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: array %s holds %s, expected %s",
                         a->path, name, firn_archive_type_name(info.type),
                         firn_archive_type_name(r.type));
    } else if (r.count && H5Dread(set, firn_archive_memory_type(r.type), H5S_ALL, H5S_ALL,
                                  H5P_DEFAULT, data) < 0) {
      status = firn_archive_fail(a, &g, FIRN_ERROR_FORMAT, "read array", name);
    }
  }
  if (set >= 0) H5Dclose(set);
  firn_hdf5_leave(&g);
  return status;
}

firn_status firn_archive_read(firn_archive *a, const char *name, firn_archive_type type,
                              size_t count, int components, void *data) {
  return read_array(a, name, (request){type, count, components, false}, data);
}

firn_status firn_archive_read_as(firn_archive *a, const char *name, firn_archive_type type,
                                 size_t count, int components, void *data) {
  return read_array(a, name, (request){type, count, components, true}, data);
}

static bool has_attribute(hid_t file, const char *object, const char *name) {
  return (strcmp(object, "/") == 0 || exists(file, object)) &&
         H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0;
}

bool firn_archive_has_attribute(firn_archive *a, const char *object, const char *name) {
  if (a->shelf) return firn_memory_has_attribute(a, object, name);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  bool result = has_attribute(a->file, object, name);
  firn_hdf5_leave(&g);
  return result;
}

// Opens an attribute; the lock is held.
static firn_status open_attribute(firn_archive *a, const firn_hdf5_guard *g, const char *object,
                                  const char *name, hid_t *attribute) {
  *attribute = -1;
  if (has_attribute(a->file, object, name)) {
    *attribute = H5Aopen_by_name(a->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*attribute < 0) return firn_archive_fail(a, g, FIRN_ERROR_FORMAT, "open attribute", name);
    return FIRN_OK;
  }
  return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: %s has no attribute %s", a->path, object,
                   name);
}

firn_status firn_archive_get_text(firn_archive *a, const char *object, const char *name, char *text,
                                  size_t size) {
  if (a->shelf) return firn_memory_get_text(a, object, name, text, size);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  hid_t attribute, type = -1, space = -1;
  firn_status status = open_attribute(a, &g, object, name, &attribute);
  if (status == FIRN_OK) {
    type = H5Aget_type(attribute);
    space = H5Aget_space(attribute);
    size_t length = type >= 0 ? H5Tget_size(type) : 0;
    // Strings of variable length would come as memory of HDF5's own; we never write them.
    if (type < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Sget_simple_extent_npoints(space) != 1 || length >= size) {
      status = firn_fail(a->context, FIRN_ERROR_FORMAT,
                         "%s: attribute %s of %s is not a text of at most %zu bytes", a->path, name,
                         object, size - 1);
    } else if (H5Aread(attribute, type, text) < 0) {
      status = firn_archive_fail(a, &g, FIRN_ERROR_FORMAT, "read attribute", name);
    } else {
      text[length] = 0;
    }
  }
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (attribute >= 0) H5Aclose(attribute);
  firn_hdf5_leave(&g);
  return status;
}

static firn_status get_number(firn_archive *a, const char *object, const char *name,
                              firn_archive_type type, void *value) {
  if (a->shelf) return firn_memory_get(a, object, name, type, value);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  hid_t attribute, stored = -1, space = -1;
  firn_status status = open_attribute(a, &g, object, name, &attribute);
  if (status == FIRN_OK) {
    stored = H5Aget_type(attribute);
    space = H5Aget_space(attribute);
    if (type_of(stored) != type || H5Sget_simple_extent_npoints(space) != 1) {
      status = firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: attribute %s of %s is not one %s",
                         a->path, name, object, firn_archive_type_name(type));
    } else if (H5Aread(attribute, firn_archive_memory_type(type), value) < 0) {
      status = firn_archive_fail(a, &g, FIRN_ERROR_FORMAT, "read attribute", name);
    }
  }
  if (space >= 0) H5Sclose(space);
  if (stored >= 0) H5Tclose(stored);
  if (attribute >= 0) H5Aclose(attribute);
  firn_hdf5_leave(&g);
  return status;
}

firn_status firn_archive_get_f64(firn_archive *a, const char *object, const char *name,
                                 double *value) {
  return get_number(a, object, name, FIRN_ARCHIVE_F64, value);
}

firn_status firn_archive_get_u64(firn_archive *a, const char *object, const char *name,
                                 uint64_t *value) {
  return get_number(a, object, name, FIRN_ARCHIVE_U64, value);
}

firn_status firn_archive_count(firn_archive *a, const char *group, int *count) {
  *count = 0;
  if (a->shelf) return firn_memory_count(a, group, count);
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  H5G_info_t info;
  firn_status status = FIRN_OK;
  if (!exists(a->file, group) || H5Gget_info_by_name(a->file, group, &info, H5P_DEFAULT) < 0) {
    status = firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: there is no group %s", a->path, group);
  } else {
    *count = (int)info.nlinks;
  }
  firn_hdf5_leave(&g);
  return status;
}

firn_status firn_archive_name(firn_archive *a, const char *group, int i, char *name, size_t size) {
  if (a->shelf) return firn_memory_refuse(a, "list of names");
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  firn_status status = FIRN_OK;
  ssize_t length = H5Lget_name_by_idx(a->file, group, H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, name,
                                      size, H5P_DEFAULT);
  if (length < 0) {
    status = firn_archive_fail(a, &g, FIRN_ERROR_FORMAT, "list group", group);
  } else if ((size_t)length >= size) {
    status = firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: a name in %s is longer than %zu bytes",
                       a->path, group, size - 1);
  }
  firn_hdf5_leave(&g);
  return status;
}
