// SPDX-License-Identifier: Apache-2.0
// Radiance from all around: a table over latitude and longitude, and directions drawn from it by how
// bright they are.
#ifndef FIRN_RENDER_MAP_H
#define FIRN_RENDER_MAP_H

#include "base/context.h"
#include "render/vec.h"

// Rows from the zenith down. With horizon set rows are closer where the sky changes fastest.
typedef struct firn_map {
  int width, height;
  bool horizon;
  float turn;        // rad about y: 0 puts the middle of the table at -z
  firn_v3 *radiance; // [height][width], at the middle of each cell, linear between
  float *rows;       // [height + 1], share of the brightness above each row
  float *cells;      // [height][width + 1], share of its row's before each cell
  firn_v3 total;     // integral over all directions
  float below;       // how much less often directions below the horizon are drawn, in (0, 1]
  float weight;      // integral of luminance, less below the horizon by that
} firn_map;

// Radiance 0; the caller fills it and then calls firn_map_finish.
firn_status firn_map_create(firn_context *context, int width, int height, bool horizon, double turn,
                            firn_map *out);
void firn_map_free(firn_context *context, firn_map *map);
// Prepares sampling. Values that are not finite or negative become 0.
void firn_map_finish(firn_map *map);

// EXR or Radiance HDR, by what the file says it is; finite values above 1e15 are an error. Not yet
// finished.
firn_status firn_map_read(firn_context *context, const char *path, double turn, firn_map *out);
firn_status firn_map_read_exr(firn_context *context, const char *path, const char *data,
                              size_t size, double turn, firn_map *out);
firn_status firn_map_read_hdr(firn_context *context, const char *path, const char *data,
                              size_t size, double turn, firn_map *out);

// Whether a picture of that size can be a map.
firn_status firn_map_check(firn_context *context, const char *path, int64_t width, int64_t height,
                           size_t size);

// Direction of the middle of a cell.
firn_v3 firn_map_direction(const firn_map *map, int row, int column);

firn_v3 firn_map_radiance(const firn_map *map, firn_v3 along);
// A direction and its density, 1/sr. u is uniform in [0,1)^2. False: the map is black.
bool firn_map_sample(const firn_map *map, const float u[2], firn_v3 *along, float *pdf);
float firn_map_pdf(const firn_map *map, firn_v3 along);

static inline float firn_luminance(firn_v3 c) {
  return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

#endif
