// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // memmem
#include "cache/own.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cache/archive_seal.h"

enum { HEAD = 4096, TAIL = 1 << 20 };

// -------------------------------------------------------------------------------- marks at the end

static const struct {
  const char *before, *after;
  size_t before_size;
} frame_of[] = {
    [FIRN_OWN_SVG] = {"<!-- firn ", " -->\n", 10},
    [FIRN_OWN_MP4] = {"\0\0\0\x1d"
                      "freefirn ",
                      "", 13},
};

// tail is the last [tail_size] bytes of size.
static size_t print_mark(firn_own_kind kind, const char *tail, size_t tail_size, uint64_t size,
                         char *out) {
  uint64_t link[2] = {size, firn_seal_hash(tail, tail_size)};
  memcpy(out, frame_of[kind].before, frame_of[kind].before_size);
  return frame_of[kind].before_size +
         (size_t)snprintf(out + frame_of[kind].before_size,
                          FIRN_OWN_MARK - frame_of[kind].before_size, "%016" PRIx64 "%s",
                          firn_seal_hash(link, sizeof link), frame_of[kind].after);
}

static size_t tail_of(uint64_t size) {
  return size < TAIL ? (size_t)size : TAIL;
}

size_t firn_own_mark(firn_own_kind kind, const char *text, size_t size, char *out) {
  size_t tail = tail_of(size);
  return print_mark(kind, text + size - tail, tail, size, out);
}

// The mark that the first size bytes of a file should have; returns 0 or an errno.
static int read_mark(firn_own_kind kind, int fd, uint64_t size, char *tail, char *out,
                     size_t *length) {
  size_t n = tail_of(size);
  int error = firn_file_read_at(fd, tail, n, size - n);
  if (!error) *length = print_mark(kind, tail, n, size, out);
  return error;
}

firn_status firn_own_mark_film(firn_context *context, const char *path) {
  char mark[FIRN_OWN_MARK];
  size_t length = 0;
  struct stat info;
  int fd;
  FIRN_TRY(firn_file_update(context, path, O_APPEND, &fd));
  char *tail = firn_alloc(context, TAIL, "the mark of a film");
  int error = fstat(fd, &info) == 0 ? 0 : errno;
  if (tail && !error)
    error = read_mark(FIRN_OWN_MP4, fd, (uint64_t)info.st_size, tail, mark, &length);
  if (tail && !error) error = firn_file_write_all(fd, mark, length);
  firn_free(context, tail, TAIL);
  if (close(fd) && !error) error = errno;
  if (!tail) return FIRN_ERROR_MEMORY;
  return error ? firn_file_fail(context, "mark", path, error) : FIRN_OK;
}

static bool has_mark(firn_own_kind kind, int fd, uint64_t size, char *tail) {
  char wanted[FIRN_OWN_MARK], found[FIRN_OWN_MARK];
  size_t length = print_mark(kind, "", 0, 0, wanted);
  return size >= length && !read_mark(kind, fd, size - length, tail, wanted, &length) &&
         !firn_file_read_at(fd, found, length, size - length) && !memcmp(found, wanted, length);
}

// -------------------------------------------------------------------------------- marks at the head

// Text of this key and value, and nothing else but size and colours, stands before the pixels.
static bool is_own_png(const unsigned char *head, size_t size) {
  static const char text[] = "Software\0firn"; // its end is not in the file
  static const char *const allowed[] = {"IHDR", "sRGB", "gAMA", "cHRM", "tEXt"};
  bool found = false;
  for (size_t at = 8; at + 12 <= size;) {
    size_t length = (size_t)head[at] << 24 | (size_t)head[at + 1] << 16 |
                    (size_t)head[at + 2] << 8 | head[at + 3];
    const char *kind = (const char *)head + at + 4;
    bool known = false;
    if (memcmp(kind, "IDAT", 4) == 0) return found;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
      known = known || memcmp(kind, allowed[i], 4) == 0;
    if (!known || length > size - at - 12) return false;
    if (memcmp(kind, "tEXt", 4) == 0) {
      found = length == sizeof text - 1 && memcmp(kind + 4, text, length) == 0;
      if (!found) return false;
    }
    at += 12 + length;
  }
  return false;
}

static bool is_own_exr(const unsigned char *head, size_t size) {
  static const char attribute[] = "software\0string\0\4\0\0\0firn";
  return memmem(head, size, attribute, sizeof attribute - 1) != NULL;
}

// ------------------------------------------------------------------------------------------ a file

typedef enum content { OTHER, BLANK, PNG, EXR, SVG, MP4 } content;

// What the first bytes are of.
static content content_of(const unsigned char *head, size_t size) {
  static const struct {
    size_t at, size;
    const char *bytes;
  } begins[] = {[PNG] = {0, 8, "\x89PNG\r\n\x1a\n"},
                [EXR] = {0, 4, "\x76\x2f\x31\x01"},
                [SVG] = {0, 5, "<svg "},
                [MP4] = {4, 4, "ftyp"}};
  size_t zeros = 0;
  while (zeros < size && !head[zeros]) zeros++;
  if (zeros == size) return BLANK; // nothing, or what a power cut leaves
  for (content c = PNG; c <= MP4; c++)
    if (size >= begins[c].at + begins[c].size &&
        !memcmp(head + begins[c].at, begins[c].bytes, begins[c].size))
      return c;
  return OTHER;
}

static bool is_own(int fd, uint64_t size, char *block, bool part) {
  unsigned char head[HEAD];
  size_t n = size < HEAD ? (size_t)size : HEAD;
  if (firn_file_read_at(fd, head, n, 0)) return false;
  content c = content_of(head, n);
  if (part) return c != OTHER;
  switch (c) {
  case BLANK: return size == 0;
  case PNG: return is_own_png(head, n);
  case EXR: return is_own_exr(head, n);
  case SVG: return has_mark(FIRN_OWN_SVG, fd, size, block);
  default: return has_mark(FIRN_OWN_MP4, fd, size, block);
  }
}

firn_status firn_own_check(firn_context *context, const char *path) {
  size_t length = strlen(path), suffix = strlen(FIRN_PART_SUFFIX);
  bool part = length > suffix && strcmp(path + length - suffix, FIRN_PART_SUFFIX) == 0;
  struct stat info;
  bool own = false;
  if (lstat(path, &info) || S_ISLNK(info.st_mode)) return FIRN_OK; // a link holds nothing itself
  if (S_ISREG(info.st_mode)) {
    int fd;
    size_t size;
    FIRN_TRY(firn_file_open(context, path, &fd, &size));
    char *block = firn_alloc(context, TAIL, "the mark of a file");
    own = block && is_own(fd, size, block, part);
    close(fd);
    firn_free(context, block, TAIL);
    if (!block) return FIRN_ERROR_MEMORY;
  }
  if (own) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_STATE,
                   "%s is not a picture, a film or curves that firn has written: move it away, or "
                   "give another name with -o. Nothing was changed",
                   path);
}
