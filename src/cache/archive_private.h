// SPDX-License-Identifier: Apache-2.0
// What archive.c, archive_write.c and archive_read.c share, and nobody else sees.
#ifndef FIRN_CACHE_ARCHIVE_PRIVATE_H
#define FIRN_CACHE_ARCHIVE_PRIVATE_H

#include <hdf5.h>

#include "cache/archive.h"
#include "cache/driver.h"
#include "cache/file.h"

struct firn_shelf;

struct firn_archive {
  firn_context *context;
  struct firn_shelf *shelf; // of an archive in memory; NULL: it is a file
  firn_store store;
  hid_t file;
  bool writer;
  firn_status status; // of the first call that failed while writing
  char path[FIRN_PATH_SIZE];
  char part[FIRN_PATH_SIZE]; // temporary name while writing
};

// HDF5 prints its error stack by default. That is turned off while we are inside and put back
// afterwards, since the program around us may use HDF5 too.
typedef struct firn_hdf5_guard {
  H5E_auto2_t print;
  void *print_user;
  bool known;
  char cause[256]; // of the first HDF5 call that failed inside
} firn_hdf5_guard;

void firn_hdf5_enter(firn_hdf5_guard *guard);
void firn_hdf5_leave(firn_hdf5_guard *guard);

// A message with HDF5's own reason: "<file>: cannot <what> <object>: <reason>".
firn_status firn_archive_fail(const firn_archive *archive, const firn_hdf5_guard *guard,
                              firn_status status, const char *what, const char *object);

// Every writing call begins and ends with these: refuses after a failure, remembers a new one, and
// looks whether the disk took what HDF5 passed on meanwhile.
firn_status firn_archive_begin_write(const firn_archive *archive);
firn_status firn_archive_end_write(firn_archive *archive, firn_status status);

// On disk always little-endian, whatever the machine.
hid_t firn_archive_file_type(firn_archive_type type);
hid_t firn_archive_memory_type(firn_archive_type type);

#endif
