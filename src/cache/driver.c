// SPDX-License-Identifier: Apache-2.0
#include "cache/driver.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/memory.h"

// HDF5 sees this through a pointer to its first member.
typedef struct handle {
  H5FD_t base;
  firn_store *store;
  haddr_t allocated; // HDF5's end of allocation
} handle;

// HDF5 calls open and close several times for one H5Fcreate (it first looks whether the file is
// open already), so neither touches the descriptor's life.
static H5FD_t *store_open(const char *name, unsigned flags, hid_t access, haddr_t maxaddr) {
  (void)name;
  (void)maxaddr;
  firn_store *const *info = H5Pget_driver_info(access);
  if (!info || !*info) return NULL;
  firn_store *store = *info;
  handle *h = firn_alloc_zero(store->context, sizeof *h, "an HDF5 file handle");
  if (!h) {
    store->starved = true;
    return NULL;
  }
  h->store = store;
  if (flags & H5F_ACC_TRUNC) {
    if (ftruncate(store->fd, 0) && !store->error) store->error = errno;
    store->end = 0;
  }
  return &h->base;
}

static herr_t store_close(H5FD_t *file) {
  handle *h = (handle *)file;
  firn_free(h->store->context, h, sizeof *h);
  return 0;
}

static int store_compare(const H5FD_t *a, const H5FD_t *b) {
  uintptr_t p = (uintptr_t)((const handle *)a)->store, q = (uintptr_t)((const handle *)b)->store;
  return (p > q) - (p < q);
}

static herr_t store_query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t store_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const handle *)file)->allocated;
}

static herr_t store_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((handle *)file)->allocated = address;
  return 0;
}

static haddr_t store_get_eof(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const handle *)file)->store->end;
}

static herr_t store_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, void *buffer) {
  (void)type;
  (void)transfer;
  firn_store *store = ((handle *)file)->store;
  char *p = buffer;
  while (size) {
    ssize_t n = pread(store->fd, p, size, (off_t)address);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      if (!store->unread) store->unread = errno;
      return -1;
    }
    if (n == 0) { // HDF5 asks past the end for space it has not written yet: zeros
      memset(p, 0, size);
      return 0;
    }
    p += n;
    address += (haddr_t)n;
    size -= (size_t)n;
  }
  return 0;
}

static herr_t store_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, const void *buffer) {
  (void)type;
  (void)transfer;
  firn_store *store = ((handle *)file)->store;
  if (!store->writable) return -1;
  const char *p = buffer;
  uint64_t end = address + size;
  while (size && !store->error) {
    ssize_t n = pwrite(store->fd, p, size, (off_t)address);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      store->error = n < 0 ? errno : ENOSPC;
      break;
    }
    p += n;
    address += (haddr_t)n;
    size -= (size_t)n;
  }
  if (end > store->end) store->end = end;
  return 0;
}

static herr_t store_truncate(H5FD_t *file, hid_t transfer, hbool_t closing) {
  (void)transfer;
  (void)closing;
  handle *h = (handle *)file;
  if (!h->store->writable || h->allocated == h->store->end) return 0;
  if (ftruncate(h->store->fd, (off_t)h->allocated) && !h->store->error) h->store->error = errno;
  h->store->end = h->allocated;
  return 0;
}

static const H5FD_class_t store_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 600, // of the range that HDF5 leaves to tests and private use
#endif
    .name = "firn",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(firn_store *),
    .open = store_open,
    .close = store_close,
    .cmp = store_compare,
    .query = store_query,
    .get_eoa = store_get_eoa,
    .set_eoa = store_set_eoa,
    .get_eof = store_get_eof,
    .read = store_read,
    .write = store_write,
    .truncate = store_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t firn_store_access(firn_store *store) {
  store->driver = H5FDregister(&store_class);
  if (store->driver < 0) return -1;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0 && (H5Pset_driver(access, store->driver, &store) < 0 ||
                      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)) {
    H5Pclose(access);
    access = -1;
  }
  return access;
}

void firn_store_release(firn_store *store) {
  if (store->driver > 0) H5FDunregister(store->driver);
  store->driver = 0;
}
