// SPDX-License-Identifier: Apache-2.0
// PNG files: reading them, and what libpng needs for that and for writing (see render/png.h).
#ifndef FIRN_BASE_PNG_H
#define FIRN_BASE_PNG_H

#include <png.h>

#include "base/context.h"

// What libpng's callbacks see; stands first in whatever else they need. libpng takes its memory from
// the context, and its first complaint is kept.
typedef struct firn_png_user {
  firn_context *context;
  bool starved; // of memory
  char reason[128];
} firn_png_user;

// NULL when memory is out. Errors jump: call setjmp(png_jmpbuf(png)) first.
png_structp firn_png_begin_read(firn_png_user *user);
png_structp firn_png_begin_write(firn_png_user *user);

typedef enum firn_png_kind {
  FIRN_PNG_RGB8,  // 3 bytes a pixel, transparency over white
  FIRN_PNG_GREY16 // 2 bytes a pixel, the higher one first, without transparency
} firn_png_kind;

typedef struct firn_pixels {
  int width, height;
  size_t size;   // bytes
  uint8_t *data; // [height][width][2 or 3], rows from the top
} firn_pixels;

// Reads any kind of PNG as one of these, of at most most_side pixels a side and most pixels in all.
// Messages begin with what ("snow 'hill'"), which may be NULL. Free with firn_pixels_free, also after
// a failure.
firn_status firn_png_read(firn_context *context, const char *path, const char *what,
                          firn_png_kind kind, int most_side, size_t most, firn_pixels *out);
void firn_pixels_free(firn_context *context, firn_pixels *pixels);

#endif
