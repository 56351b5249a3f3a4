// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <png.h>

#include "base/memory.h"
#include "cache/file.h"
#include "render/png.h"

// libpng's simplified interface takes the whole file from memory and converts by itself. It frees
// what it allocates before it returns, so that little escapes the context's count.
firn_status firn_png_read(firn_context *context, const char *path, int *width, int *height,
                          uint8_t **rgb) {
  char *data;
  size_t size;
  *rgb = NULL;
  FIRN_TRY(firn_file_get(context, path, &data, &size));
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  firn_status status = FIRN_OK;
  uint8_t *pixels = NULL;
  size_t bytes = 0;
  const png_color white = {255, 255, 255};
  if (!png_image_begin_read_from_memory(&image, data, size)) {
    status = firn_fail(context, FIRN_ERROR_FORMAT, "%s is not a picture that can be read: %s", path,
                       image.message);
  } else if (image.width > FIRN_PNG_MOST || image.height > FIRN_PNG_MOST) {
    status = firn_fail(context, FIRN_ERROR_FORMAT, "%s: %u x %u pixels are too many", path,
                       image.width, image.height);
  } else {
    image.format = PNG_FORMAT_RGB;
    bytes = (size_t)PNG_IMAGE_SIZE(image);
    pixels = firn_alloc(context, bytes, path);
    if (!pixels) {
      status = FIRN_ERROR_MEMORY;
    } else if (!png_image_finish_read(&image, &white, pixels, 0, NULL)) {
      status = firn_fail(context, FIRN_ERROR_FORMAT, "%s: %s", path, image.message);
    }
  }
  *width = (int)image.width;
  *height = (int)image.height;
  png_image_free(&image);
  firn_free(context, data, size + 1);
  if (status != FIRN_OK) {
    firn_free(context, pixels, bytes);
    return status;
  }
  *rgb = pixels;
  return FIRN_OK;
}
