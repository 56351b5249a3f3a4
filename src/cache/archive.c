// SPDX-License-Identifier: Apache-2.0
#include "cache/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/archive_private.h"
#include "cache/archive_seal.h"
#include "cache/shelf.h"

// ------------------------------------------------------------------- the lock and HDF5's messages

// The one global of the library. HDF5 has global state of its own, which two contexts in two
// threads would otherwise corrupt; a lock per context could not prevent that.
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

// The innermost entry of HDF5's error stack says what happened; the outer ones only who called.
static herr_t keep_entry(unsigned n, const H5E_error2_t *entry, void *user) {
  firn_hdf5_guard *g = user;
  if (n == 0 && entry->desc) snprintf(g->cause, sizeof g->cause, "%s", entry->desc);
  return 0;
}

// HDF5 calls this instead of printing. It must be now: the next call clears the stack.
static herr_t keep_cause(hid_t stack, void *user) {
  const firn_hdf5_guard *g = user;
  return g->cause[0] ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, keep_entry, user);
}

void firn_hdf5_enter(firn_hdf5_guard *g) {
  pthread_mutex_lock(&hdf5_lock);
  g->cause[0] = 0;
  g->known = H5Eget_auto2(H5E_DEFAULT, &g->print, &g->print_user) >= 0;
  H5Eset_auto2(H5E_DEFAULT, keep_cause, g);
}

void firn_hdf5_leave(firn_hdf5_guard *g) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, g->known ? g->print : NULL, g->known ? g->print_user : NULL);
  pthread_mutex_unlock(&hdf5_lock);
}

firn_status firn_archive_fail(const firn_archive *a, const firn_hdf5_guard *g, firn_status status,
                              const char *what, const char *object) {
  if (a->store.starved) {
    return firn_fail(a->context, FIRN_ERROR_MEMORY, "%s: out of memory: cannot %s %s", a->path,
                     what, object);
  }
  return firn_fail(a->context, status, "%s: cannot %s %s: %s", a->path, what, object,
                   g->cause[0] ? g->cause : "no reason given");
}

firn_status firn_archive_begin_write(const firn_archive *a) {
  if (a->status != FIRN_OK) return a->status;
  if (!a->writer) {
    return firn_fail(a->context, FIRN_ERROR_STATE, "%s is open for reading only", a->path);
  }
  return FIRN_OK;
}

firn_status firn_archive_end_write(firn_archive *a, firn_status status) {
  if (a->store.error) status = firn_file_fail(a->context, "write", a->path, a->store.error);
  a->status = status;
  return status;
}

// ------------------------------------------------------------------------------------------ types

static const struct {
  const char *name;
  size_t size;
} types[FIRN_ARCHIVE_TYPE_COUNT] = {
    {"f32", 4}, {"f64", 8}, {"u8", 1}, {"u16", 2}, {"u32", 4}, {"u64", 8}, {"i32", 4}, {"i64", 8},
};

size_t firn_archive_type_size(firn_archive_type type) {
  return type < FIRN_ARCHIVE_TYPE_COUNT ? types[type].size : 0;
}

const char *firn_archive_type_name(firn_archive_type type) {
  return type < FIRN_ARCHIVE_TYPE_COUNT ? types[type].name : "another type";
}

// HDF5's names for its types are calls, hence a switch and not a table.
hid_t firn_archive_file_type(firn_archive_type type) {
  switch (type) {
  case FIRN_ARCHIVE_F32: return H5T_IEEE_F32LE;
  case FIRN_ARCHIVE_F64: return H5T_IEEE_F64LE;
  case FIRN_ARCHIVE_U8: return H5T_STD_U8LE;
  case FIRN_ARCHIVE_U16: return H5T_STD_U16LE;
  case FIRN_ARCHIVE_U32: return H5T_STD_U32LE;
  case FIRN_ARCHIVE_U64: return H5T_STD_U64LE;
  case FIRN_ARCHIVE_I32: return H5T_STD_I32LE;
  case FIRN_ARCHIVE_I64: return H5T_STD_I64LE;
  default: return -1;
  }
}

hid_t firn_archive_memory_type(firn_archive_type type) {
  switch (type) {
  case FIRN_ARCHIVE_F32: return H5T_NATIVE_FLOAT;
  case FIRN_ARCHIVE_F64: return H5T_NATIVE_DOUBLE;
  case FIRN_ARCHIVE_U8: return H5T_NATIVE_UINT8;
  case FIRN_ARCHIVE_U16: return H5T_NATIVE_UINT16;
  case FIRN_ARCHIVE_U32: return H5T_NATIVE_UINT32;
  case FIRN_ARCHIVE_U64: return H5T_NATIVE_UINT64;
  case FIRN_ARCHIVE_I32: return H5T_NATIVE_INT32;
  case FIRN_ARCHIVE_I64: return H5T_NATIVE_INT64;
  default: return -1;
  }
}

// ---------------------------------------------------------------------------- opening and closing

static firn_status archive_new(firn_context *context, const char *path, firn_archive **out) {
  *out = NULL;
  firn_archive *a = firn_alloc_zero(context, sizeof *a, "an archive");
  if (!a) return FIRN_ERROR_MEMORY;
  a->context = context;
  a->file = -1;
  a->store = (firn_store){.context = context, .fd = -1};
  firn_status status = firn_path_format(context, a->path, "%s", path);
  if (status != FIRN_OK) {
    firn_free(context, a, sizeof *a);
    return status;
  }
  *out = a;
  return FIRN_OK;
}

// Closes without saying anything about failure.
static void archive_drop(firn_archive *a) {
  if (a->shelf) {
    firn_shelf_free(a->shelf, a->context);
    firn_free(a->context, a, sizeof *a);
    return;
  }
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  if (a->file >= 0) H5Fclose(a->file);
  firn_store_release(&a->store);
  firn_hdf5_leave(&g);
  if (a->writer) {
    firn_file_abandon(a->part, a->store.fd);
  } else if (a->store.fd >= 0) {
    close(a->store.fd);
  }
  firn_free(a->context, a, sizeof *a);
}

static hid_t create_file(firn_store *store, const char *name) {
  hid_t file = -1, access = firn_store_access(store), layout = H5Pcreate(H5P_FILE_CREATE);
  if (access >= 0 && layout >= 0 && H5Pset_obj_track_times(layout, false) >= 0) {
    file = H5Fcreate(name, H5F_ACC_TRUNC, layout, access);
  }
  if (layout >= 0) H5Pclose(layout);
  if (access >= 0) H5Pclose(access);
  return file;
}

firn_status firn_archive_create(firn_context *context, const char *path, firn_archive **out) {
  firn_archive *a;
  *out = NULL;
  FIRN_TRY(archive_new(context, path, &a));
  firn_status status = firn_file_begin(context, a->path, a->part, &a->store.fd);
  if (status != FIRN_OK) {
    archive_drop(a); // not a writer yet: nothing to remove
    return status;
  }
  a->writer = a->store.writable = true;
  firn_hdf5_guard g;
  firn_hdf5_enter(&g);
  a->file = create_file(&a->store, a->part);
  if (a->file < 0) status = firn_archive_fail(a, &g, FIRN_ERROR_IO, "create", "the file");
  firn_hdf5_leave(&g);
  status = firn_archive_end_write(a, status);
  if (status != FIRN_OK) {
    archive_drop(a);
    return status;
  }
  *out = a;
  return FIRN_OK;
}

firn_status firn_archive_create_memory(firn_context *context, const char *what,
                                       firn_archive **out) {
  firn_archive *a;
  *out = NULL;
  FIRN_TRY(archive_new(context, what, &a));
  firn_status status = firn_shelf_make(context, &a->shelf);
  if (status != FIRN_OK) {
    firn_free(context, a, sizeof *a);
    return status;
  }
  a->writer = true;
  *out = a;
  return FIRN_OK;
}

// Tells a file of another kind from a damaged one: HDF5 files begin with this.
static firn_status check_signature(firn_context *context, const char *path, int fd) {
  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char head[8];
  ssize_t n;
  do n = pread(fd, head, sizeof head, 0);
  while (n < 0 && errno == EINTR);
  if (n < 0) return firn_file_fail(context, "read", path, errno);
  if (n == sizeof head && memcmp(head, signature, sizeof head) == 0) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_FORMAT, "%s is not an HDF5 file", path);
}

firn_status firn_archive_open(firn_context *context, const char *path, firn_archive **out) {
  firn_archive *a;
  *out = NULL;
  FIRN_TRY(archive_new(context, path, &a));
  size_t size = 0;
  firn_status status = firn_file_open(context, a->path, &a->store.fd, &size);
  if (status == FIRN_OK) status = check_signature(context, a->path, a->store.fd);
  if (status == FIRN_OK)
    status = firn_seal_check(context, a->path, a->store.fd, size, &a->store.end);
  if (status == FIRN_OK) {
    firn_hdf5_guard g;
    firn_hdf5_enter(&g);
    hid_t access = firn_store_access(&a->store);
    if (access >= 0) {
      a->file = H5Fopen(a->path, H5F_ACC_RDONLY, access);
      H5Pclose(access);
    }
    if (a->file < 0) status = firn_archive_fail(a, &g, FIRN_ERROR_FORMAT, "open", "the file");
    firn_hdf5_leave(&g);
  }
  if (status != FIRN_OK) {
    archive_drop(a);
    return status;
  }
  *out = a;
  return FIRN_OK;
}

firn_status firn_archive_commit(firn_archive *a) {
  firn_status status = firn_archive_begin_write(a);
  if (status == FIRN_OK) {
    firn_hdf5_guard g;
    firn_hdf5_enter(&g);
    if (H5Fclose(a->file) < 0)
      status = firn_archive_fail(a, &g, FIRN_ERROR_IO, "close", "the file");
    a->file = -1;
    firn_hdf5_leave(&g);
    status = firn_archive_end_write(a, status);
  }
  if (status == FIRN_OK) {
    status = firn_seal_write(a->context, a->path, a->store.fd, a->store.end);
  }
  if (status == FIRN_OK) {
    status = firn_file_finish(a->context, a->path, a->part, a->store.fd);
    a->writer = false; // renamed or removed already
    a->store.fd = -1;
  }
  archive_drop(a);
  return status;
}

void firn_archive_close(firn_archive *a) {
  if (a) archive_drop(a);
}
