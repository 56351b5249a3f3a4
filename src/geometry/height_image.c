// SPDX-License-Identifier: Apache-2.0
// Heights from pictures, through libpng.
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "geometry/height_field.h"

// What libpng's callbacks see.
typedef struct source {
  firn_context *context;
  FILE *file;
  bool starved;     // of memory
  char reason[128]; // what libpng complained about
} source;

// libpng does not say how large a block was when it frees it, so each begins with its size; the
// header is a cache line long to keep the alignment.
enum { HEAD = 64, WIDEST = 32768 };

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
  source *s = png_get_mem_ptr(png);
  size_t total = size + HEAD;
  char *block = firn_alloc(s->context, total, "libpng");
  s->starved |= !block;
  if (!block) return NULL;
  memcpy(block, &total, sizeof total);
  return block + HEAD;
}

static void release(png_structp png, png_voidp p) {
  source *s = png_get_mem_ptr(png);
  if (!p) return;
  char *block = (char *)p - HEAD;
  size_t total;
  memcpy(&total, block, sizeof total);
  firn_free(s->context, block, total);
}

static void complain(png_structp png, png_const_charp message) {
  source *s = png_get_error_ptr(png);
  if (!s->reason[0]) snprintf(s->reason, sizeof s->reason, "%s", message);
  png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void get(png_structp png, png_bytep data, size_t size) {
  source *s = png_get_io_ptr(png);
  if (fread(data, 1, size, s->file) != size) png_error(png, "the file ends too early");
}

// The two halves that may jump: no object of these functions needs cleaning up.

// Sets up 16 bits of grey.
static bool read_head(png_structp png, png_infop info, int *width, int *height) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_user_limits(png, WIDEST, WIDEST);
  png_read_info(png, info);
  *width = (int)png_get_image_width(png, info);
  *height = (int)png_get_image_height(png, info);
  png_set_expand_16(png);
  png_set_strip_alpha(png);
  int color = png_get_color_type(png, info);
  if (color & PNG_COLOR_MASK_COLOR) png_set_rgb_to_gray_fixed(png, PNG_ERROR_ACTION_NONE, -1, -1);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (size_t)*width * 2) png_error(png, "unexpected kind of image");
  return true;
}

static bool read_rows(png_structp png, png_bytep pixels, int width, int height) {
  if (setjmp(png_jmpbuf(png))) return false;
  int passes = png_set_interlace_handling(png);
  for (int pass = 0; pass < passes; pass++) {
    for (int y = 0; y < height; y++) {
      png_read_row(png, pixels + (size_t)y * (size_t)width * 2, NULL);
    }
  }
  return true;
}

static firn_status decode(firn_heights *heights, source *s, png_structp png, png_infop info,
                          double amplitude, const char *path, const char *what) {
  int width, height;
  if (!read_head(png, info, &width, &height)) goto broken;
  size_t count = (size_t)width * (size_t)height, bytes = 2 * count;
  if (count > FIRN_HEIGHTS_MOST) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT, "%s: image %s of %d x %d pixels is too large",
                     what, path, width, height);
  }
  unsigned char *pixels = firn_alloc_zero(s->context, bytes, "height image");
  if (!pixels) return FIRN_ERROR_MEMORY;
  bool good = read_rows(png, pixels, width, height);
  firn_status status = good ? firn_heights_alloc(heights, width, height) : FIRN_OK;
  for (size_t i = 0; good && status == FIRN_OK && i < count; i++) {
    heights->value[i] = amplitude * (pixels[2 * i] * 256 + pixels[2 * i + 1]) / 65535;
  }
  firn_free(s->context, pixels, bytes);
  if (good) return status;
broken:
  if (s->starved) return FIRN_ERROR_MEMORY;
  return firn_fail(s->context, FIRN_ERROR_FORMAT, "%s: cannot read image %s: %s", what, path,
                   s->reason[0] ? s->reason : "not a PNG file");
}

firn_status firn_heights_read_png(firn_heights *heights, const char *path, double amplitude,
                                  const char *what) {
  source s = {.context = heights->context};
  s.file = fopen(path, "rb");
  if (!s.file) {
    return firn_fail(s.context, FIRN_ERROR_IO, "%s: cannot read image %s: %s", what, path,
                     strerror(errno));
  }
  firn_status status = FIRN_ERROR_MEMORY;
  png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, complain, ignore, &s,
                                             allocate, release);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) {
    png_set_read_fn(png, &s, get);
    status = decode(heights, &s, png, info, amplitude, path, what);
  }
  png_destroy_read_struct(&png, &info, NULL);
  fclose(s.file);
  return status;
}
