// SPDX-License-Identifier: Apache-2.0
// A small container of named arrays and attributes: HDF5, without its sharp corners.
//
// Object names are paths from the root, "VTKHDF/PointData/velocity"; the groups on the way are
// made as needed. Arrays have shape [count] (components == 1) or [count][components].
//
// Writing: create, write and set in any order, commit. The first failure sticks: later calls
// return it again and leave its message alone, so a writer may look at commit alone. The file
// appears under its name at commit and not before, sealed (archive_seal.h). The same calls give the
// same bytes: HDF5's object times are off.
//
// The serial HDF5 library is not thread-safe, so every call takes one lock of this layer: any
// number of contexts may use archives from any number of threads. (A program that also calls HDF5
// by itself must not do so from another thread at the same time.) One archive is for one thread.
#ifndef FIRN_CACHE_ARCHIVE_H
#define FIRN_CACHE_ARCHIVE_H

#include "base/context.h"

typedef struct firn_archive firn_archive;

typedef enum firn_archive_type {
  FIRN_ARCHIVE_F32,
  FIRN_ARCHIVE_F64,
  FIRN_ARCHIVE_U8,
  FIRN_ARCHIVE_U16,
  FIRN_ARCHIVE_U32,
  FIRN_ARCHIVE_U64,
  FIRN_ARCHIVE_I32,
  FIRN_ARCHIVE_I64,
  FIRN_ARCHIVE_TYPE_COUNT,
  FIRN_ARCHIVE_OTHER = FIRN_ARCHIVE_TYPE_COUNT, // read from a file that is not ours
} firn_archive_type;

size_t firn_archive_type_size(firn_archive_type type);      // bytes
const char *firn_archive_type_name(firn_archive_type type); // "f32"

// ---- opening and closing

// A new archive that will be path. Nothing of that name is touched before commit.
firn_status firn_archive_create(firn_context *context, const char *path, firn_archive **out);
// An archive to read; all of it is read once, to see whether it is as it was committed. The message
// tells a missing, forbidden, foreign, truncated or otherwise damaged file apart.
firn_status firn_archive_open(firn_context *context, const char *path, firn_archive **out);

// An archive in memory, through the context's allocator and without HDF5: may be read as soon as it
// is written, until it is closed; what is its name in messages. It is neither committed nor opened.
// Links, the list of a group's names and conversion between types are for files alone, and fail
// with FIRN_ERROR_UNSUPPORTED here.
firn_status firn_archive_create_memory(firn_context *context, const char *what, firn_archive **out);

// Makes what was written durable and gives it its name. The archive is gone afterwards, whatever
// the status.
firn_status firn_archive_commit(firn_archive *archive);
// Closes. A created archive that was not committed vanishes. NULL is allowed.
void firn_archive_close(firn_archive *archive);

// ---- writing

firn_status firn_archive_group(firn_archive *archive, const char *group);
// data is [count][components]; not looked at when count is 0.
firn_status firn_archive_write(firn_archive *archive, const char *name, firn_archive_type type,
                               size_t count, int components, const void *data);
// As firn_archive_write, compressed: column by column in pieces of some thousand rows, with the
// filters that every HDF5 library has. Read as any other array.
firn_status firn_archive_write_packed(firn_archive *archive, const char *name,
                                      firn_archive_type type, size_t count, int components,
                                      const void *data);
// A second name for an object; its data is stored once.
firn_status firn_archive_link(firn_archive *archive, const char *object, const char *name);
// Attributes of a group or array; "/" is the root. Setting one twice is an error.
firn_status firn_archive_set_text(firn_archive *archive, const char *object, const char *name,
                                  const char *text);
firn_status firn_archive_set_f64(firn_archive *archive, const char *object, const char *name,
                                 double value);
firn_status firn_archive_set_u64(firn_archive *archive, const char *object, const char *name,
                                 uint64_t value);
// An attribute of shape [count].
firn_status firn_archive_set(firn_archive *archive, const char *object, const char *name,
                             firn_archive_type type, size_t count, const void *values);

// ---- reading

// What cannot be read looks as if it were not there. Fails if any read failed since the file was opened.
firn_status firn_archive_check_read(const firn_archive *archive);
bool firn_archive_has(firn_archive *archive, const char *object);
bool firn_archive_has_attribute(firn_archive *archive, const char *object, const char *name);

typedef struct firn_archive_info {
  firn_archive_type type;
  size_t count;
  int components;
} firn_archive_info;

firn_status firn_archive_describe(firn_archive *archive, const char *name, firn_archive_info *out);
// Reads an array whose stored type and shape must be exactly these.
firn_status firn_archive_read(firn_archive *archive, const char *name, firn_archive_type type,
                              size_t count, int components, void *data);
// As above, but converts from whatever number type is stored.
firn_status firn_archive_read_as(firn_archive *archive, const char *name, firn_archive_type type,
                                 size_t count, int components, void *data);
// Fills text, 0-terminated; fails when it does not fit.
firn_status firn_archive_get_text(firn_archive *archive, const char *object, const char *name,
                                  char *text, size_t size);
firn_status firn_archive_get_f64(firn_archive *archive, const char *object, const char *name,
                                 double *value);
firn_status firn_archive_get_u64(firn_archive *archive, const char *object, const char *name,
                                 uint64_t *value);
// Members of a group, sorted by name: how many, and the name of the i-th.
firn_status firn_archive_count(firn_archive *archive, const char *group, int *count);
firn_status firn_archive_name(firn_archive *archive, const char *group, int i, char *name,
                              size_t size);

#endif
