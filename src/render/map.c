// SPDX-License-Identifier: Apache-2.0
#include "render/map.h"

#include "base/memory.h"

#define PI 3.14159265358979324

static size_t cells_of(const firn_map *map) {
  return (size_t)map->width * (size_t)map->height;
}

firn_status firn_map_create(firn_context *context, int width, int height, bool horizon, double turn,
                            firn_map *out) {
  *out = (firn_map){
      .width = width, .height = height, .horizon = horizon, .turn = (float)turn, .below = 1};
  size_t cells = cells_of(out), rows = (size_t)height;
  out->radiance = firn_alloc_zero(context, cells * sizeof(firn_v3), "an environment map");
  out->rows = firn_alloc_zero(context, (rows + 1) * sizeof(float), "an environment map");
  out->cells = firn_alloc_zero(context, (cells + rows) * sizeof(float), "an environment map");
  if (out->radiance && out->rows && out->cells) return FIRN_OK;
  firn_map_free(context, out);
  return FIRN_ERROR_MEMORY;
}

void firn_map_free(firn_context *context, firn_map *map) {
  size_t cells = cells_of(map), rows = (size_t)map->height;
  if (map->radiance) firn_free(context, map->radiance, cells * sizeof(firn_v3));
  if (map->rows) firn_free(context, map->rows, (rows + 1) * sizeof(float));
  if (map->cells) firn_free(context, map->cells, (cells + rows) * sizeof(float));
  *map = (firn_map){0};
}

// Height above the horizon, rad, of v in [0, 1] from the top, and back.
static double elevation(const firn_map *map, double v) {
  double s = 1 - 2 * v;
  return map->horizon ? 0.5 * PI * s * fabs(s) : 0.5 * PI * s;
}
static float row_of(const firn_map *map, float y) {
  float s = asinf(fminf(fmaxf(y, -1), 1)) * (float)(2 / PI);
  if (map->horizon) s = copysignf(sqrtf(fabsf(s)), s);
  return (0.5f - 0.5f * s) * (float)map->height;
}
static float column_of(const firn_map *map, firn_v3 d) {
  float u = (atan2f(d.x, -d.z) + map->turn) * (float)(0.5 / PI) + 0.5f;
  return (u - floorf(u)) * (float)map->width;
}
static firn_v3 direction_at(const firn_map *map, double sine, double column) {
  double phi = 2 * PI * (column / map->width - 0.5) - (double)map->turn;
  double r = sqrt(fmax(0, 1 - sine * sine));
  return (firn_v3){(float)(r * sin(phi)), (float)sine, (float)(-r * cos(phi))};
}

firn_v3 firn_map_direction(const firn_map *map, int row, int column) {
  return direction_at(map, sin(elevation(map, (row + 0.5) / map->height)), column + 0.5);
}

// Sines of the heights between which a row lies.
static void row_sines(const firn_map *map, int row, double *top, double *bottom) {
  *top = sin(elevation(map, (double)row / map->height));
  *bottom = sin(elevation(map, (row + 1.0) / map->height));
}

static const firn_v3 *cell_at(const firn_map *map, int row, int column) {
  row = row < 0 ? 0 : row >= map->height ? map->height - 1 : row;
  column = column < 0 ? column + map->width : column >= map->width ? column - map->width : column;
  return &map->radiance[(size_t)row * (size_t)map->width + (size_t)column];
}

// Mean of what firn_map_radiance shows within a cell (but for the bend of the rows): not 0 wherever
// that is not 0, so that no light is missed.
static double brightness(const firn_map *map, int row, int column) {
  static const float tent[3] = {0.125f, 0.75f, 0.125f};
  float sum = 0;
  for (int i = -1; i <= 1; i++) {
    for (int j = -1; j <= 1; j++) {
      sum += tent[i + 1] * tent[j + 1] * firn_luminance(*cell_at(map, row + i, column + j));
    }
  }
  return (double)(2 * row < map->height ? sum : map->below * sum);
}

static float clean(float x) {
  return x > 0 && isfinite(x) ? x : 0;
}

void firn_map_finish(firn_map *map) {
  for (size_t i = 0; i < cells_of(map); i++) {
    firn_v3 *c = &map->radiance[i];
    *c = (firn_v3){clean(c->x), clean(c->y), clean(c->z)};
  }
  double above = 0, total[3] = {0};
  for (int row = 0; row < map->height; row++) {
    double top, bottom, before = 0;
    row_sines(map, row, &top, &bottom);
    const double angle = (top - bottom) * 2 * PI / map->width; // sr, of one cell
    float *cells = map->cells + (size_t)row * ((size_t)map->width + 1);
    for (int column = 0; column < map->width; column++) {
      const firn_v3 *c = cell_at(map, row, column);
      total[0] += angle * (double)c->x;
      total[1] += angle * (double)c->y;
      total[2] += angle * (double)c->z;
      before += brightness(map, row, column);
      cells[column + 1] = (float)before;
    }
    for (int column = 1; column < map->width && before > 0; column++) {
      cells[column] = (float)((double)cells[column] / before);
    }
    cells[map->width] = 1;
    above += before * angle;
    map->rows[row + 1] = (float)above;
  }
  for (int row = 1; row < map->height && above > 0; row++) {
    map->rows[row] = (float)((double)map->rows[row] / above);
  }
  map->rows[map->height] = above > 0 ? 1 : 0;
  map->weight = (float)above;
  map->total = (firn_v3){(float)total[0], (float)total[1], (float)total[2]};
}

firn_v3 firn_map_radiance(const firn_map *map, firn_v3 along) {
  float x = column_of(map, along) - 0.5f, y = row_of(map, along.y) - 0.5f;
  int i = (int)floorf(y), j = (int)floorf(x);
  float s = x - (float)j, t = y - (float)i;
  firn_v3 top = firn_v3_mix(*cell_at(map, i, j), *cell_at(map, i, j + 1), s);
  firn_v3 low = firn_v3_mix(*cell_at(map, i + 1, j), *cell_at(map, i + 1, j + 1), s);
  return firn_v3_mix(top, low, t);
}

// The interval of a rising table[count + 1] that u lies in, and where in it, in [0, 1).
static int find(const float *table, int count, float u, float *within) {
  int low = 0, high = count; // table[low] <= u < table[high]
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (table[middle] <= u) {
      low = middle;
    } else {
      high = middle;
    }
  }
  float wide = table[high] - table[low];
  *within = wide > 0 ? fminf((u - table[low]) / wide, 0x1.fffffep-1f) : 0.5f;
  return low;
}

static float density(const firn_map *map, int row, int column) {
  const float *cells = map->cells + (size_t)row * ((size_t)map->width + 1);
  double share = (double)(map->rows[row + 1] - map->rows[row]) *
                 (double)(cells[column + 1] - cells[column]);
  double top, bottom;
  row_sines(map, row, &top, &bottom);
  return (float)(share * map->width / (2 * PI * (top - bottom)));
}

bool firn_map_sample(const firn_map *map, const float u[2], firn_v3 *along, float *pdf) {
  if (!(map->rows[map->height] > 0)) return false;
  float s, t;
  int row = find(map->rows, map->height, u[0], &t);
  int column = find(map->cells + (size_t)row * ((size_t)map->width + 1), map->width, u[1], &s);
  double top, bottom;
  row_sines(map, row, &top, &bottom);
  *along = direction_at(map, top + (double)t * (bottom - top), column + (double)s);
  *pdf = density(map, row, column);
  return *pdf > 0;
}

float firn_map_pdf(const firn_map *map, firn_v3 along) {
  if (!(map->rows[map->height] > 0)) return 0;
  int row = (int)row_of(map, along.y), column = (int)column_of(map, along);
  row = row < 0 ? 0 : row >= map->height ? map->height - 1 : row;
  column = column < 0 ? 0 : column >= map->width ? map->width - 1 : column;
  return density(map, row, column);
}
