// SPDX-License-Identifier: Apache-2.0
#include "api/preview_outline.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum { STEPS = 200 }; // of a ray, at most

typedef struct ray {
  double from[3], way[3]; // m; of length 1
} ray;

static ray ray_through(const firn_outline_def *def, double x, double y) {
  const firn_camera_pose *c = &def->camera;
  double half = (double)def->half_height, up = half * (1 - 2 * y / def->height);
  double right = half * (2 * x - def->width) / def->height;
  const firn_v3 axis[3] = {c->right, c->up, c->forward};
  const double weight[3] = {right, up, 1}, length = sqrt(right * right + up * up + 1);
  ray r = {.from = {def->origin[0] + (double)c->eye.x, def->origin[1] + (double)c->eye.y,
                    def->origin[2] + (double)c->eye.z}};
  for (int k = 0; k < 3; k++) {
    const double a[3] = {(double)axis[k].x, (double)axis[k].y, (double)axis[k].z};
    for (int i = 0; i < 3; i++) r.way[i] += weight[k] / length * a[i];
  }
  return r;
}

// The part of a ray within a box; false: there is none before the eye.
static bool clip(const ray *r, const double low[3], const double high[3], double part[2]) {
  part[0] = 0;
  part[1] = INFINITY;
  for (int a = 0; a < 3; a++) {
    if (r->way[a] == 0 && (r->from[a] < low[a] || r->from[a] > high[a])) return false;
    if (r->way[a] == 0) continue;
    double t0 = (low[a] - r->from[a]) / r->way[a], t1 = (high[a] - r->from[a]) / r->way[a];
    part[0] = fmax(part[0], fmin(t0, t1));
    part[1] = fmin(part[1], fmax(t0, t1));
  }
  return part[0] <= part[1];
}

// Whether a ray meets the shape, to half a pixel: a distance, which is no more than that to the
// surface, may be gone at a time.
static bool meets(const firn_shape *shape, const ray *r, double time, double pixel,
                  const double low[3], const double high[3]) {
  double part[2];
  if (!clip(r, low, high, part)) return false;
  double t = part[0];
  for (int i = 0; i < STEPS && t <= part[1]; i++) {
    const double at[3] = {r->from[0] + t * r->way[0], r->from[1] + t * r->way[1],
                          r->from[2] + t * r->way[2]};
    double d = firn_shape_sample(shape, at, time, NULL), small = 0.5 * pixel * t;
    if (d <= small) return true;
    t += fmax(d, small);
  }
  return false;
}

// The width of the line follows the picture.
static bool is_edge(const firn_outline_def *def, const uint8_t *inside, int x, int y) {
  int reach = def->height / 360 > 1 ? def->height / 360 : 1;
  for (int j = y - reach; j <= y + reach; j++)
    for (int i = x - reach; i <= x + reach; i++) {
      bool within = i >= 0 && j >= 0 && i < def->width && j < def->height;
      if (within && !inside[(size_t)j * (size_t)def->width + (size_t)i]) return true;
    }
  return false;
}

firn_status firn_preview_outline(firn_context *context, const firn_outline_def *def,
                                 const firn_shape *shape, double time, uint8_t *rgb) {
  double low[3], high[3], pixel = 2 * (double)def->half_height / def->height;
  size_t width = (size_t)def->width, count = width * (size_t)def->height;
  if (!firn_shape_bounds(shape, low, high)) return FIRN_OK;
  uint8_t *inside = firn_alloc_zero(context, count, "an outline");
  if (!inside) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 8))
  for (int y = 0; y < def->height; y++)
    for (int x = 0; x < def->width; x++) {
      ray r = ray_through(def, x + 0.5, y + 0.5);
      inside[(size_t)y * width + (size_t)x] = meets(shape, &r, time, pixel, low, high);
    }
  for (int y = 0; y < def->height; y++)
    for (int x = 0; x < def->width; x++) {
      size_t i = (size_t)y * width + (size_t)x;
      if (inside[i] && is_edge(def, inside, x, y)) memcpy(rgb + 3 * i, def->color, 3);
    }
  firn_free(context, inside, count);
  return FIRN_OK;
}
