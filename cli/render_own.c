// SPDX-License-Identifier: Apache-2.0
// Whether a picture is one that firn has written: by what its writers put into the head of PNG and EXR
// files, and programs that retouch a picture do not keep as it is.
#define _GNU_SOURCE // memmem
#include <string.h>
#include <sys/stat.h>

#include "render.h"

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

bool render_is_own(const char *path) {
  static const unsigned char png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'},
                             exr[] = {0x76, 0x2f, 0x31, 0x01};
  unsigned char head[4096];
  struct stat info;
  if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  size_t size = fread(head, 1, sizeof head, file);
  fclose(file);
  if (size > sizeof png && memcmp(head, png, sizeof png) == 0) return is_own_png(head, size);
  return size > sizeof exr && memcmp(head, exr, sizeof exr) == 0 && is_own_exr(head, size);
}
