// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: written beside under a temporary name, synced, renamed,
// and the folder synced, so that not even a power cut leaves half a file under the final name.
#ifndef FIRN_CACHE_FILE_H
#define FIRN_CACHE_FILE_H

#include "base/file.h"

enum { FIRN_PATH_SIZE = 4096 };

// The temporary name is fixed, so what a killed process leaves behind is overwritten by the next
// one instead of piling up.
#define FIRN_PART_SUFFIX ".part"

// printf into out[FIRN_PATH_SIZE]; fails when the path does not fit.
firn_status firn_path_format(firn_context *context, char *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Creates path + ".part" for reading and writing; part is [FIRN_PATH_SIZE]. Whatever had that name is
// removed first, and no link is followed. path may be a link, which is replaced in the end; a folder,
// a device or a pipe is refused.
firn_status firn_file_begin(firn_context *context, const char *path, char *part, int *fd);
// Whether a file may be given a name: not that of a folder, nor of a device or a pipe, whose place it
// would take.
firn_status firn_file_check_target(firn_context *context, const char *path);
// Opens a file to be changed in place, for reading and writing; flags are added to open's. Only a
// plain file: links and devices are refused.
firn_status firn_file_update(firn_context *context, const char *path, int flags, int *fd);
// Syncs fd, closes it, gives the file its name. On failure the temporary file is removed.
firn_status firn_file_finish(firn_context *context, const char *path, const char *part, int fd);
// Whether a file of that name could be written, for those who would learn it only after long work:
// writes that many bytes beside it, 64 KiB at most, and removes them again.
firn_status firn_file_try(firn_context *context, const char *path, size_t size);
// Closes fd and removes the temporary file.
void firn_file_abandon(const char *part, int fd);

// All of data, however many writes it takes; returns 0 or an errno.
int firn_file_write_all(int fd, const void *data, size_t size);
// size bytes from byte `at` on; returns 0 or an errno, EIO where the file is shorter.
int firn_file_read_at(int fd, void *data, uint64_t size, uint64_t at);

// A whole small file at once.
firn_status firn_file_put(firn_context *context, const char *path, const void *data, size_t size);

// Makes the entries of the folder that holds path durable.
firn_status firn_file_sync_folder(firn_context *context, const char *path);

#endif
