// SPDX-License-Identifier: Apache-2.0
#include "cache/copy.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/archive_seal.h"
#include "cache/file.h"

enum { BLOCK = 1 << 20 };

// Reads from one file, sums up and, where to is one, writes. Returns 0 or an errno; *written: it was
// the writing that failed.
static int pump(int from, int to, char *block, firn_file_mark *out, bool *written) {
  *out = (firn_file_mark){0};
  *written = false;
  for (;;) {
    size_t got = 0;
    while (got < BLOCK) { // whole blocks, however reads are cut: the sum goes by blocks
      ssize_t n = read(from, block + got, BLOCK - got);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno;
      if (n == 0) break;
      got += (size_t)n;
    }
    if (!got) return 0;
    uint64_t link[2] = {out->sum, firn_seal_hash(block, got)};
    out->sum = firn_seal_hash(link, sizeof link);
    out->size += got;
    int error = to < 0 ? 0 : firn_file_write_all(to, block, got);
    *written = error != 0;
    if (error) return error;
  }
}

// to NULL: only the sum.
static firn_status carry(firn_context *context, int from_fd, const char *from, const char *to,
                         firn_file_mark *out) {
  char part[FIRN_PATH_SIZE], *block = firn_alloc(context, BLOCK, "a copy of a file");
  if (!block) return FIRN_ERROR_MEMORY;
  int fd = -1, error = 0;
  bool written = false;
  firn_status status = to ? firn_file_begin(context, to, part, &fd) : FIRN_OK;
  if (status == FIRN_OK) error = pump(from_fd, fd, block, out, &written);
  firn_free(context, block, BLOCK);
  if (error && to) firn_file_abandon(part, fd);
  if (error) return firn_file_fail(context, written ? "write" : "read", written ? to : from, error);
  return status == FIRN_OK && to ? firn_file_finish(context, to, part, fd) : status;
}

firn_status firn_file_sum(firn_context *context, const char *path, firn_file_mark *out) {
  int fd;
  size_t size;
  FIRN_TRY(firn_file_open(context, path, &fd, &size));
  firn_status status = carry(context, fd, path, NULL, out);
  close(fd);
  return status;
}

firn_status firn_file_copy(firn_context *context, const char *from, const char *to,
                           firn_file_mark *out) {
  int fd;
  size_t size;
  struct stat info, old;
  FIRN_TRY(firn_file_open(context, from, &fd, &size));
  bool same = fstat(fd, &info) == 0 && stat(to, &old) == 0 && old.st_dev == info.st_dev &&
              old.st_ino == info.st_ino;
  firn_status status = carry(context, fd, from, same ? NULL : to, out);
  close(fd);
  return status;
}
