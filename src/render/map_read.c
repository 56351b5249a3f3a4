// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/memory.h"
#include "cache/file.h"
#include "render/map.h"

enum { LEAST_SIDE = 2, MOST_SIDE = 32768 };
// A byte of a file stands for no more pixels than this, however alike they are: memory is asked for
// only where there may be something to fill it.
enum { PIXELS_MOST = 4096 };
// Sums over 2^30 pixels, their solid angles and a factor on the map stay far below what a float holds,
// and so do squares of the light it gives.
#define MOST_RADIANCE 1e15f

firn_status firn_map_check(firn_context *context, const char *path, int64_t width, int64_t height,
                           size_t size) {
  if (width < LEAST_SIDE || width > MOST_SIDE || height < LEAST_SIDE || height > MOST_SIDE) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s: %lld x %lld pixels; each side of a map must be in [%d, %d]", path,
                     (long long)width, (long long)height, LEAST_SIDE, MOST_SIDE);
  }
  if ((uint64_t)(width * height) / PIXELS_MOST <= size) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_FORMAT,
                   "%s: announces %lld x %lld pixels, but is a file of %zu bytes; is it whole?",
                   path, (long long)width, (long long)height, size);
}

// A pixel that bright is damage, or a mark of some program: said, not taken for light.
static firn_status check_radiance(firn_context *context, const char *path, const firn_map *map) {
  const size_t width = (size_t)map->width;
  for (size_t i = 0; i < width * (size_t)map->height; i++) {
    const float c[3] = {map->radiance[i].x, map->radiance[i].y, map->radiance[i].z};
    for (int k = 0; k < 3; k++) {
      if (!(c[k] > MOST_RADIANCE) || !isfinite(c[k])) continue;
      return firn_fail(context, FIRN_ERROR_FORMAT,
                       "%s: the pixel in column %zu, row %zu has a radiance of %g; a map may have "
                       "at most %g",
                       path, i % width, i / width, (double)c[k], (double)MOST_RADIANCE);
    }
  }
  return FIRN_OK;
}

firn_status firn_map_read(firn_context *context, const char *path, double turn, firn_map *out) {
  *out = (firn_map){0};
  char *data;
  size_t size;
  firn_status status = firn_file_get(context, path, &data, &size);
  if (status == FIRN_ERROR_IO) return FIRN_ERROR_FORMAT; // a folder, say: what names it is wrong
  if (status != FIRN_OK) return status;
  static const unsigned char exr[4] = {0x76, 0x2f, 0x31, 0x01};
  if (size >= 4 && memcmp(data, exr, 4) == 0) {
    status = firn_map_read_exr(context, path, data, size, turn, out);
  } else if (size >= 2 && memcmp(data, "#?", 2) == 0) {
    status = firn_map_read_hdr(context, path, data, size, turn, out);
  } else {
    status = firn_fail(context, FIRN_ERROR_FORMAT,
                       "%s: neither an OpenEXR nor a Radiance HDR picture", path);
  }
  firn_free(context, data, size + 1);
  if (status == FIRN_OK) status = check_radiance(context, path, out);
  if (status != FIRN_OK) firn_map_free(context, out);
  return status;
}
