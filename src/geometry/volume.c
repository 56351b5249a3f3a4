// SPDX-License-Identifier: Apache-2.0
// Volumes of shapes without a closed form: cubes, cut into eight wherever the surface may pass.
#include <math.h>

#include "base/parallel.h"
#include "geometry/shape.h"

typedef struct tally {
  const firn_shape *shape;
  double inside;   // m^3
  long long asked; // cubes
} tally;

static void count(tally *t, const double middle[3], double half, int depth) {
  double volume = 8 * half * half * half, normal[3];
  double d = firn_shape_sample(t->shape, middle, 0, normal);
  t->asked++;
  // The surface is at least |d| away.
  if (fabs(d) >= sqrt(3) * half) {
    if (d < 0) t->inside += volume;
    return;
  }
  if (depth > 0) {
    for (int i = 0; i < 8; i++) {
      const double part[3] = {middle[0] + (i & 1 ? half : -half) / 2,
                              middle[1] + (i & 2 ? half : -half) / 2,
                              middle[2] + (i & 4 ? half : -half) / 2};
      count(t, part, half / 2, depth - 1);
    }
    return;
  }
  // About the share of the cube behind a plane at d, in the mean over its directions.
  double share = 0.5 - d / (2.2 * half);
  t->inside += volume * fmin(fmax(share, 0), 1);
}

// The cubes that threads take one by one: at least EDGE along the longest edge of the bounds. Their
// sums are added in their order, so that the volume is the same with any number of threads.
enum { EDGE = 16, PARTS = (EDGE + 1) * (EDGE + 1) * (EDGE + 1) };
// No deeper where that many cubes were asked: the next depth asks four times as many, eight at most.
enum { ASKED_MOST = 150000 };

static tally count_all(const firn_shape *shape, const int n[3], double edge, int depth) {
  int parts = n[0] * n[1] * n[2];
  double inside[PARTS];
  long long asked[PARTS];
  FIRN_PARALLEL_FOR(shape->context, schedule(dynamic, 16))
  for (int i = 0; i < parts; i++) {
    tally t = {.shape = shape};
    const int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
    double middle[3];
    for (int a = 0; a < 3; a++) {
      middle[a] = (shape->lo[a] + shape->hi[a] + (2 * at[a] + 1 - n[a]) * edge) / 2;
    }
    count(&t, middle, edge / 2, depth);
    inside[i] = t.inside;
    asked[i] = t.asked;
  }
  tally all = {.shape = shape};
  for (int i = 0; i < parts; i++) {
    all.inside += inside[i];
    all.asked += asked[i];
  }
  return all;
}

double firn_shape_volume(const firn_shape *shape) {
  if (shape->volume >= 0) return shape->volume;
  if (!shape->bounded) return INFINITY;
  double edge = 0, size[3];
  int n[3];
  for (int a = 0; a < 3; a++) {
    size[a] = shape->hi[a] - shape->lo[a];
    edge = fmax(edge, size[a]);
  }
  edge /= EDGE;
  if (!(edge > 0)) return 0;
  for (int a = 0; a < 3; a++) n[a] = (int)fmin(EDGE + 1, fmax(1, ceil(size[a] / edge)));
  // Finer until it changes little, or the work becomes too much.
  double volume = 0;
  for (int depth = 0; depth <= 10; depth++) {
    tally t = count_all(shape, n, edge, depth);
    double change = fabs(t.inside - volume);
    volume = t.inside;
    if (t.asked > ASKED_MOST || (depth > 1 && change < 2e-3 * volume)) break;
  }
  return volume;
}
