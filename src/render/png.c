// SPDX-License-Identifier: Apache-2.0
#include "render/png.h"

#include <setjmp.h>

#include "base/png.h"
#include "cache/file.h"

typedef struct sink {
  firn_png_user user;
  int fd;
  int error; // errno of a failed write
} sink;

static void put(png_structp png, png_bytep data, size_t size) {
  sink *s = png_get_io_ptr(png);
  s->error = firn_file_write_all(s->fd, data, size);
  if (s->error) png_error(png, "write failed");
}

static void flush(png_structp png) {
  (void)png; // firn_file_finish syncs
}

// Everything that may jump: no object of this function needs cleaning up.
static bool encode(png_structp png, png_infop info, int width, int height, const uint8_t *rgb) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_compression_level(png, 6);
  // firn replaces only pictures that have this (cache/own.h).
  char key[] = "Software", value[] = "firn";
  png_text software = {.compression = PNG_TEXT_COMPRESSION_NONE,
                       .key = key,
                       .text = value,
                       .text_length = sizeof value - 1};
  png_set_text(png, info, &software, 1);
  png_write_info(png, info);
  for (int y = 0; y < height; y++) png_write_row(png, rgb + (size_t)y * (size_t)width * 3);
  png_write_end(png, NULL);
  return true;
}

firn_status firn_png_write(firn_context *context, const char *path, int width, int height,
                           const uint8_t *rgb) {
  char part[FIRN_PATH_SIZE];
  sink s = {.user = {.context = context}, .fd = -1};
  FIRN_TRY(firn_file_begin(context, path, part, &s.fd));
  bool good = false;
  png_structp png = firn_png_begin_write(&s.user);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (info) {
    png_set_write_fn(png, &s, put, flush);
    good = encode(png, info, width, height, rgb);
  }
  png_destroy_write_struct(&png, &info);
  if (good) return firn_file_finish(context, path, part, s.fd);
  firn_file_abandon(part, s.fd);
  if (s.error) return firn_file_fail(context, "write", path, s.error);
  return firn_fail(context, FIRN_ERROR_MEMORY, "cannot write %s: %s", path,
                   s.user.reason[0] ? s.user.reason : "libpng could not begin");
}
