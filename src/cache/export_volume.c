// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr

#include "cache/export_volume.h"

#include "cache/file.h"

#ifdef FIRN_OPENVDB

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/archive_seal.h"

bool firn_export_vdb_available(void) {
  return true;
}

// Beside the library that this code is in, or else where the system looks. The module stays loaded:
// its libraries have threads that would not survive being closed.
static void *open_module(void) {
  static const char anchor = 0; // any address of ours
  Dl_info info;
  char path[FIRN_PATH_SIZE];
  const char *slash = dladdr(&anchor, &info) && info.dli_fname ? strrchr(info.dli_fname, '/')
                                                               : NULL;
  if (slash) {
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - info.dli_fname), info.dli_fname,
             FIRN_VDB_MODULE);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module) return module;
  }
  return dlopen(FIRN_VDB_MODULE, RTLD_NOW | RTLD_LOCAL);
}

static firn_vdb_write_fn load(firn_context *context) {
  void *module = open_module();
  void *symbol = module ? dlsym(module, FIRN_VDB_WRITE) : NULL;
  if (!symbol) {
    const char *why = dlerror();
    firn_fail(context, FIRN_ERROR_UNSUPPORTED,
              "cannot write vdb files: the module for OpenVDB does not load: %s",
              why ? why : "unknown reason");
    return NULL;
  }
  firn_vdb_write_fn write;
  memcpy(&write, &symbol, sizeof write); // C has no cast from an object to a function
  return write;
}

// A file begins with the format's magic, three versions of 4 bytes, a flag and 36 characters that
// tell it from others, which OpenVDB draws at random.
enum { TAG_AT = 21, TAG_SIZE = 36 };

static bool has_tag(const char *data, size_t size) {
  const char *tag = data + TAG_AT;
  return size >= TAG_AT + TAG_SIZE && memcmp(data, " BDV", 4) == 0 && tag[8] == '-' &&
         tag[13] == '-' && tag[18] == '-' && tag[23] == '-';
}

static int hash_content(int fd, size_t size, char *block, uint64_t tag[2]) {
  for (size_t at = 0; at < size; at += FIRN_SEAL_BLOCK) {
    size_t n = size - at < FIRN_SEAL_BLOCK ? size - at : FIRN_SEAL_BLOCK;
    int error = firn_file_read_at(fd, block, n, at);
    if (error) return error;
    if (at == 0 && has_tag(block, n)) memset(block + TAG_AT, 0, TAG_SIZE);
    tag[1] = firn_seal_hash(block, n);
    tag[0] = firn_seal_hash(tag, 2 * sizeof *tag);
  }
  return 0;
}

// A tag that follows from the content instead (a UUID of version 8), so that the same export is the
// same bytes.
static int set_tag(int fd, size_t size, char *block) {
  uint64_t t[2] = {size, 0};
  char text[TAG_SIZE + 1];
  size_t first = size < TAG_AT + TAG_SIZE ? size : TAG_AT + TAG_SIZE;
  int error = firn_file_read_at(fd, block, first, 0);
  if (error || !has_tag(block, first)) return error;
  error = hash_content(fd, size, block, t);
  if (error) return error;
  snprintf(text, sizeof text, "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(t[0] >> 32),
           (unsigned)(t[0] >> 16 & 0xffff), (unsigned)(t[0] & 0xfff),
           (unsigned)(t[1] >> 48 & 0x3fff) | 0x8000, (unsigned long long)(t[1] & 0xffffffffffff));
  return lseek(fd, TAG_AT, SEEK_SET) < 0 ? errno : firn_file_write_all(fd, text, TAG_SIZE);
}

static firn_status finish(firn_context *context, const char *path, const char *part, int fd,
                          uint64_t *bytes) {
  struct stat info;
  char *block = firn_alloc(context, FIRN_SEAL_BLOCK, "export");
  int error = block ? 0 : ENOMEM;
  if (!error && fstat(fd, &info)) error = errno;
  if (!error) error = set_tag(fd, (size_t)info.st_size, block);
  firn_free(context, block, FIRN_SEAL_BLOCK);
  if (error) {
    firn_file_abandon(part, fd);
    return block ? firn_file_fail(context, "write", path, error) : FIRN_ERROR_MEMORY;
  }
  *bytes = (uint64_t)info.st_size;
  return firn_file_finish(context, path, part, fd);
}

firn_status firn_export_vdb(firn_context *context, const firn_vdb_def *def, const char *path,
                            size_t *voxels, uint64_t *bytes) {
  char part[FIRN_PATH_SIZE], message[256];
  int fd;
  firn_vdb_write_fn write = load(context);
  if (!write) return FIRN_ERROR_UNSUPPORTED;
  FIRN_TRY(firn_file_begin(context, path, part, &fd));
  if (write(def, fd, voxels, message, sizeof message) == 0) {
    return finish(context, path, part, fd, bytes);
  }
  firn_file_abandon(part, fd);
  return firn_fail(context, FIRN_ERROR_IO, "cannot write %s: %s", path, message);
}

#else

bool firn_export_vdb_available(void) {
  return false;
}

firn_status firn_export_vdb(firn_context *context, const firn_vdb_def *def, const char *path,
                            size_t *voxels, uint64_t *bytes) {
  (void)def;
  (void)voxels;
  (void)bytes;
  return firn_fail(context, FIRN_ERROR_UNSUPPORTED,
                   "cannot write %s: this build of firn has no OpenVDB", path);
}

#endif
