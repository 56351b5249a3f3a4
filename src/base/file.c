// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

firn_status firn_file_fail(firn_context *context, const char *verb, const char *path, int error) {
  char text[256];
  // strerror_r comes in two kinds; the POSIX one returns int and the GNU one may not fill text.
  // strerror's only shared state is for unknown numbers.
  snprintf(text, sizeof text, "%s", error ? strerror(error) : "unknown reason");
  return firn_fail(context, FIRN_ERROR_IO, "cannot %s %s: %s", verb, path, text);
}

firn_status firn_file_open(firn_context *context, const char *path, int *fd, size_t *size) {
  *fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // a pipe would keep us waiting
  if (*fd < 0) return firn_file_fail(context, "open", path, errno);
  struct stat info;
  int error = fstat(*fd, &info) ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  if (!error && S_ISREG(info.st_mode)) {
    *size = (size_t)info.st_size;
    return FIRN_OK;
  }
  close(*fd);
  *fd = -1;
  if (error) return firn_file_fail(context, "read", path, error);
  return firn_fail(context, FIRN_ERROR_IO, "cannot read %s: it is not a plain file", path);
}

firn_status firn_file_get(firn_context *context, const char *path, char **data, size_t *size) {
  return firn_file_get_from(context, path, 0, data, size);
}

firn_status firn_file_get_from(firn_context *context, const char *path, size_t from, char **data,
                               size_t *size) {
  *data = NULL;
  *size = 0;
  int fd, error = 0;
  size_t end = 0, got = 0;
  FIRN_TRY(firn_file_open(context, path, &fd, &end));
  size_t wanted = end > from ? end - from : 0;
  char *text = firn_alloc(context, wanted + 1, path);
  if (!text) {
    close(fd);
    return FIRN_ERROR_MEMORY;
  }
  while (got < wanted) {
    ssize_t n = pread(fd, text + got, wanted - got, (off_t)(from + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    got += (size_t)n;
  }
  close(fd);
  if (!error && got < wanted) error = EIO; // it shrank while it was read
  if (error) {
    firn_free(context, text, wanted + 1);
    return firn_file_fail(context, "read", path, error);
  }
  text[wanted] = 0;
  *data = text;
  *size = wanted;
  return FIRN_OK;
}
