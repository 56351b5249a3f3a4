// SPDX-License-Identifier: Apache-2.0
#include "cache/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

firn_status firn_path_format(firn_context *context, char *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out, FIRN_PATH_SIZE, format, arguments);
  va_end(arguments);
  if (length >= 0 && length < FIRN_PATH_SIZE) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "path of %d bytes is too long: %.80s...", length,
                   out);
}

firn_status firn_file_check_target(firn_context *context, const char *path) {
  struct stat info;
  if (stat(path, &info) || S_ISREG(info.st_mode)) return FIRN_OK;
  if (S_ISDIR(info.st_mode)) return firn_file_fail(context, "write", path, EISDIR);
  return firn_fail(context, FIRN_ERROR_IO, "cannot write %s: it is not a plain file", path);
}

firn_status firn_file_begin(firn_context *context, const char *path, char *part, int *fd) {
  *fd = -1;
  FIRN_TRY(firn_path_format(context, part, "%s%s", path, FIRN_PART_SUFFIX));
  FIRN_TRY(firn_file_check_target(context, path));
  // What stands there may be a link to something of somebody else's: it goes, and is not followed.
  if (unlink(part) && errno != ENOENT) return firn_file_fail(context, "replace", part, errno);
  *fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (*fd < 0) return firn_file_fail(context, "create", path, errno);
  return FIRN_OK;
}

firn_status firn_file_update(firn_context *context, const char *path, int flags, int *fd) {
  struct stat info;
  *fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);
  if (*fd < 0 && errno != ELOOP) return firn_file_fail(context, "open", path, errno);
  if (*fd >= 0 && fstat(*fd, &info) == 0 && S_ISREG(info.st_mode)) return FIRN_OK;
  if (*fd >= 0) close(*fd);
  *fd = -1;
  return firn_fail(context, FIRN_ERROR_IO,
                   "cannot write %s: it is a link or a device; only plain files are changed", path);
}

void firn_file_abandon(const char *part, int fd) {
  if (fd >= 0) close(fd);
  unlink(part);
}

firn_status firn_file_try(firn_context *context, const char *path, size_t size) {
  static const char block[64 << 10];
  char part[FIRN_PATH_SIZE];
  int fd;
  FIRN_TRY(firn_file_begin(context, path, part, &fd));
  int error = firn_file_write_all(fd, block, size < sizeof block ? size : sizeof block);
  if (!error && fsync(fd)) error = errno;
  firn_file_abandon(part, fd);
  return error ? firn_file_fail(context, "write", path, error) : FIRN_OK;
}

// Whether part is still the file of fd, and not another process's of the same name.
static bool is_own(const char *part, int fd) {
  struct stat named, opened;
  return lstat(part, &named) == 0 && fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
         named.st_dev == opened.st_dev;
}

firn_status firn_file_finish(firn_context *context, const char *path, const char *part, int fd) {
  if (!is_own(part, fd)) {
    close(fd);
    return firn_fail(context, FIRN_ERROR_IO,
                     "cannot write %s: something else took away its temporary file %s", path, part);
  }
  int error = fsync(fd) ? errno : 0;
  // Some file systems only report a full disk here.
  if (close(fd) && !error) error = errno;
  if (!error && rename(part, path)) error = errno;
  if (error) {
    unlink(part);
    return firn_file_fail(context, "write", path, error);
  }
  return firn_file_sync_folder(context, path);
}

int firn_file_write_all(int fd, const void *data, size_t size) {
  const char *p = data;
  while (size) {
    ssize_t n = write(fd, p, size);
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (n == 0) return ENOSPC;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

int firn_file_read_at(int fd, void *data, uint64_t size, uint64_t at) {
  char *p = data;
  while (size) {
    ssize_t n = pread(fd, p, (size_t)size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO; // it shrank meanwhile
    p += n;
    size -= (uint64_t)n;
    at += (uint64_t)n;
  }
  return 0;
}

firn_status firn_file_put(firn_context *context, const char *path, const void *data, size_t size) {
  char part[FIRN_PATH_SIZE];
  int fd = -1;
  FIRN_TRY(firn_file_begin(context, path, part, &fd));
  int error = firn_file_write_all(fd, data, size);
  if (error) {
    firn_file_abandon(part, fd);
    return firn_file_fail(context, "write", path, error);
  }
  return firn_file_finish(context, path, part, fd);
}

firn_status firn_file_sync_folder(firn_context *context, const char *path) {
  char folder[FIRN_PATH_SIZE];
  const char *slash = strrchr(path, '/');
  if (!slash)
    FIRN_TRY(firn_path_format(context, folder, "."));
  else
    FIRN_TRY(
        firn_path_format(context, folder, "%.*s", slash == path ? 1 : (int)(slash - path), path));
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return firn_file_fail(context, "open folder", folder, errno);
  // EINVAL: a file system that has no use for this.
  int error = fsync(fd) && errno != EINVAL ? errno : 0;
  close(fd);
  return error ? firn_file_fail(context, "sync folder", folder, error) : FIRN_OK;
}
