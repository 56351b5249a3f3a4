// SPDX-License-Identifier: Apache-2.0
#include "cache/csv.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
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

// The number that a line begins with, up to a comma; -1: none.
static int frame_of(const char *line, const char *end) {
  int number = 0, digits = 0;
  for (; line < end && *line >= '0' && *line <= '9' && digits < 7; line++, digits++) {
    number = 10 * number + (*line - '0');
  }
  return digits && line < end && *line == ',' ? number : -1;
}

// Whether a line has as many cells as the header, each a number (which may be infinite) or empty.
static bool is_numbers(const char *line, const char *end, const char *header) {
  for (;; line++, header++) {
    const char *stop = memchr(line, ',', (size_t)(end - line));
    size_t size = (size_t)((stop ? stop : end) - line), sign = size && *line == '-';
    bool infinite = size - sign == 3 && memcmp(line + sign, "inf", 3) == 0;
    double value;
    if (size && !infinite && firn_number_read(line, size, &value) != size) return false;
    header += strcspn(header, ",\n");
    if ((*header == ',') != (stop != NULL)) return false;
    if (!stop) return true;
    line = stop;
  }
}

firn_status firn_csv_truncate(firn_context *context, const char *path, const char *header, int last,
                              int *frames) {
  char *text;
  size_t size, head = strlen(header), line = 2;
  FIRN_TRY(firn_file_get(context, path, &text, &size));
  firn_status status = FIRN_OK;
  if (size < head || memcmp(text, header, head) != 0) {
    firn_free(context, text, size + 1);
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s does not begin with %.40s...", path, header);
  }
  const char *p = text + head, *end;
  int whole = 0;
  for (; (end = memchr(p, '\n', (size_t)(text + size - p))); p = end + 1, line++) {
    if (frames && whole > last) break;
    int frame = frame_of(p, end);
    if (frame > last) break;
    if (frame < 0 || (frames && !is_numbers(p, end, header))) {
      status = firn_fail(context, FIRN_ERROR_FORMAT, "%s:%zu: the line %s", path, line,
                         frame < 0 ? "has no frame number" : "is not one of numbers as its header");
      break;
    }
    if (frames && frame != whole) { // the caller's to refuse, and to look at
      p = text + size;
      break;
    }
    whole++;
  }
  if (frames) *frames = whole;
  size_t keep = (size_t)(p - text);
  if (status == FIRN_OK && keep < size) status = firn_file_put(context, path, text, keep);
  firn_free(context, text, size + 1);
  return status;
}
