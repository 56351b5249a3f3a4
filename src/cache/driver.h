// SPDX-License-Identifier: Apache-2.0
// How HDF5 reaches the disk: a file driver over a descriptor that the caller opened.
//
// HDF5's own driver passes a failed write up through its caches, where version 1.10 then cannot
// close the file, leaks it, and complains again at exit. This one remembers the first error and
// takes the rest of the data without storing it, so that HDF5 closes in good order; the caller
// looks at the error and throws the file away.
#ifndef FIRN_CACHE_DRIVER_H
#define FIRN_CACHE_DRIVER_H

#include <stdint.h>

#include <hdf5.h>

#include "base/context.h"

// Must outlive the HDF5 file.
typedef struct firn_store {
  firn_context *context; // for the driver's small allocations
  int fd;
  bool writable;
  int error;    // errno of the first write that failed, 0 so far
  int unread;   // the same of the first read
  bool starved; // memory ran out inside HDF5, which has no word for it
  uint64_t end; // bytes in the file; set it to the file's size before opening
  hid_t driver; // HDF5's name for this driver; 0: none yet
} firn_store;

// A file access property list that makes HDF5 use the store; negative on failure. H5Pclose it.
hid_t firn_store_access(firn_store *store);
// After H5Fclose, and not before: HDF5 1.10 gives up its own hold on the driver before it calls it
// for the last time.
void firn_store_release(firn_store *store);

#endif
