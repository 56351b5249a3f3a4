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

#include "base/memory.h"
#include "cache/export_vdb.h"
#include "world/cell_key.h"

bool firn_export_vdb_available(void) {
  return true;
}

// Below this part of the rest density there is nothing to see, and voxels without end.
#define LEAST 1e-3f

typedef struct arrays {
  int32_t (*at)[3]; // [count]
  float *density;   // [count][512]
  float *velocity;  // [count][512][3]
  size_t count;
} arrays;

static void drop(firn_context *context, const arrays *a) {
  size_t nodes = a->count * FIRN_RASTER_NODES;
  firn_free(context, a->velocity, a->velocity ? 3 * nodes * sizeof *a->velocity : 0);
  firn_free(context, a->density, a->density ? nodes * sizeof *a->density : 0);
  firn_free(context, a->at, a->at ? a->count * sizeof *a->at : 0);
}

static firn_status fill(const firn_raster *r, double rest_density, arrays *a) {
  size_t nodes = r->count * FIRN_RASTER_NODES;
  *a = (arrays){.count = r->count};
  if (!r->count) return FIRN_OK;
  a->at = firn_alloc(r->context, r->count * sizeof *a->at, "blocks of a vdb grid");
  if (a->at) a->density = firn_alloc(r->context, nodes * sizeof *a->density, "a vdb grid");
  if (a->density)
    a->velocity = firn_alloc(r->context, 3 * nodes * sizeof *a->velocity, "a vdb grid");
  if (!a->velocity) return FIRN_ERROR_MEMORY;
  for (size_t b = 0; b < r->count; b++) firn_cell_at(r->key[b], a->at[b]);
  for (size_t n = 0; n < nodes; n++) {
    a->density[n] = (float)((double)r->density[n] / rest_density);
    for (size_t c = 0; c < 3; c++) {
      a->velocity[3 * n + c] = r->density[n] > 0 ? r->momentum[3 * n + c] / r->density[n] : 0;
    }
  }
  return FIRN_OK;
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

static firn_status write_grids(const firn_cloud *cloud, const firn_raster *r, double rest_density,
                               const arrays *a, const char *path, size_t *voxels, uint64_t *bytes) {
  firn_context *context = r->context;
  char part[FIRN_PATH_SIZE], message[256];
  int fd;
  const firn_vdb_def def = {.cell = r->cell,
                            .time = cloud->time,
                            .frame = cloud->frame,
                            .count = r->count,
                            .at = a->at ? a->at[0] : NULL,
                            .density = a->density,
                            .velocity = a->velocity,
                            .least = LEAST,
                            .rest_density = rest_density,
                            .version = firn_version()};
  firn_vdb_write_fn write = load(context);
  if (!write) return FIRN_ERROR_UNSUPPORTED;
  FIRN_TRY(firn_file_begin(context, path, part, &fd));
  if (write(&def, part, voxels, message, sizeof message)) {
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

firn_status firn_export_vdb(const firn_cloud *cloud, const firn_raster *raster, double rest_density,
                            const char *path, size_t *voxels, uint64_t *bytes) {
  arrays a;
  firn_status status = fill(raster, rest_density, &a);
  if (status == FIRN_OK) {
    status = write_grids(cloud, raster, rest_density, &a, path, voxels, bytes);
  }
  drop(raster->context, &a);
  return status;
}

#else

bool firn_export_vdb_available(void) {
  return false;
}

firn_status firn_export_vdb(const firn_cloud *cloud, const firn_raster *raster, double rest_density,
                            const char *path, size_t *voxels, uint64_t *bytes) {
  (void)raster;
  (void)rest_density;
  (void)path;
  (void)voxels;
  (void)bytes;
  return firn_fail(cloud->context, FIRN_ERROR_UNSUPPORTED,
                   "this build of firn has no OpenVDB: install libopenvdb-dev and build again");
}

#endif
