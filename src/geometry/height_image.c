// SPDX-License-Identifier: Apache-2.0
// Heights from pictures.
#include "base/png.h"
#include "geometry/height_field.h"

enum { WIDEST = 32768 };

firn_status firn_heights_read_png(firn_heights *heights, const char *path, double amplitude,
                                  const char *what) {
  firn_pixels pixels;
  firn_status status = firn_png_read(heights->context, path, what, FIRN_PNG_GREY16, WIDEST,
                                     FIRN_HEIGHTS_MOST, &pixels);
  if (status == FIRN_OK) status = firn_heights_alloc(heights, pixels.width, pixels.height);
  size_t count = (size_t)pixels.width * (size_t)pixels.height;
  for (size_t i = 0; status == FIRN_OK && i < count; i++) {
    heights->value[i] = amplitude * (pixels.data[2 * i] * 256 + pixels.data[2 * i + 1]) / 65535;
  }
  firn_pixels_free(heights->context, &pixels);
  return status;
}
