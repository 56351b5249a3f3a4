// SPDX-License-Identifier: Apache-2.0
#include "cache/csv.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cache/file.h"

firn_status firn_csv_create(firn_context *context, const char *path, const char *header) {
  return firn_file_put(context, path, header, strlen(header));
}

// Where the last whole line of a file ends; -1 and errno on failure.
static off_t whole_end(int fd) {
  off_t end = lseek(fd, 0, SEEK_END);
  char c;
  while (end > 0) {
    if (pread(fd, &c, 1, end - 1) != 1) return -1;
    if (c == '\n') break;
    end--;
  }
  return end;
}

firn_status firn_csv_append(firn_context *context, const char *path, const char *lines,
                            size_t size) {
  int fd;
  FIRN_TRY(firn_file_update(context, path, 0, &fd));
  off_t end = whole_end(fd);
  int error = 0;
  if (end < 0 || ftruncate(fd, end) || lseek(fd, end, SEEK_SET) != end) error = errno;
  if (!error) error = firn_file_write_all(fd, lines, size);
  if (!error && fsync(fd)) error = errno;
  if (error && end >= 0 && ftruncate(fd, end)) {} // half a row goes; what stays was whole before
  close(fd);
  return error ? firn_file_fail(context, "write", path, error) : FIRN_OK;
}

size_t firn_csv_print_text(char *out, const char *text) {
  size_t n = 0;
  bool quoted = strpbrk(text, ",\"\r\n") != NULL;
  if (quoted) out[n++] = '"';
  for (; *text; text++) {
    if (*text == '"') out[n++] = '"';
    out[n++] = *text == '\n' || *text == '\r' ? ' ' : *text;
  }
  if (quoted) out[n++] = '"';
  return n;
}
