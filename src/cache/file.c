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

firn_status firn_file_begin(firn_context *context, const char *path, char *part, int *fd) {
  FIRN_TRY(firn_path_format(context, part, "%s%s", path, FIRN_PART_SUFFIX));
  *fd = open(part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (*fd < 0) return firn_file_fail(context, "create", path, errno);
  return FIRN_OK;
}

void firn_file_abandon(const char *part, int fd) {
  if (fd >= 0) close(fd);
  unlink(part);
}

firn_status firn_file_try(firn_context *context, const char *path) {
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
    return firn_file_fail(context, "write", path, EISDIR);
  }
  char part[FIRN_PATH_SIZE];
  int fd = -1;
  FIRN_TRY(firn_file_begin(context, path, part, &fd));
  firn_file_abandon(part, fd);
  return FIRN_OK;
}

firn_status firn_file_finish(firn_context *context, const char *path, const char *part, int fd) {
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
