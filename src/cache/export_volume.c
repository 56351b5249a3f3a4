// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr

#include "cache/export_volume.h"

#include "cache/file.h"

#ifdef FIRN_OPENVDB

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

firn_status firn_export_vdb(firn_context *context, const firn_vdb_def *def, const char *path,
                            size_t *voxels, uint64_t *bytes) {
  char part[FIRN_PATH_SIZE], message[256];
  int fd;
  firn_vdb_write_fn write = load(context);
  if (!write) return FIRN_ERROR_UNSUPPORTED;
  FIRN_TRY(firn_file_begin(context, path, part, &fd));
  if (write(def, part, voxels, message, sizeof message)) {
    firn_file_abandon(part, fd);
    return firn_fail(context, FIRN_ERROR_IO, "cannot write %s: %s", path, message);
  }
  // OpenVDB may have made a new file of that name; sync the one that is there now.
  close(fd);
  fd = open(part, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info)) {
    int error = errno;
    firn_file_abandon(part, fd);
    return firn_file_fail(context, "write", path, error);
  }
  *bytes = (uint64_t)info.st_size;
  return firn_file_finish(context, path, part, fd);
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
