// SPDX-License-Identifier: Apache-2.0
// Finds where an outline crosses itself. Arcs are taken as a few chords, which is close enough to
// warn about outlines drawn by mistake.
#include <math.h>
#include <stdlib.h>

#include "geometry/outline.h"

enum { CHORDS = 8 };

typedef struct chord {
  double a[2], b[2]; // a[0] <= b[0]
  int segment;       // it belongs to
} chord;

static int by_begin(const void *left, const void *right) {
  const chord *l = left, *r = right;
  if (l->a[0] != r->a[0]) return l->a[0] < r->a[0] ? -1 : 1;
  return (l->segment > r->segment) - (l->segment < r->segment);
}

static void put(chord *out, const double a[2], const double b[2], int segment) {
  bool turned = a[0] > b[0];
  for (int k = 0; k < 2; k++) {
    out->a[k] = turned ? b[k] : a[k];
    out->b[k] = turned ? a[k] : b[k];
  }
  out->segment = segment;
}

static size_t flatten(const firn_segment *s, int index, chord *out) {
  if (s->radius <= 0) {
    put(out, s->a, s->b, index);
    return 1;
  }
  double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]}, half = acos(s->reach);
  double to = s->middle[0] * d[1] - s->middle[1] * d[0] > 0 ? 1 : -1, last[2] = {s->a[0], s->a[1]};
  for (int i = 1; i <= CHORDS; i++) {
    double angle = to * half * (2.0 * i / CHORDS - 1), c = cos(angle), n = sin(angle);
    double next[2] = {s->center[0] + s->radius * (c * s->middle[0] - n * s->middle[1]),
                      s->center[1] + s->radius * (n * s->middle[0] + c * s->middle[1])};
    if (i == CHORDS) next[0] = s->b[0], next[1] = s->b[1];
    put(&out[i - 1], last, next, index);
    last[0] = next[0], last[1] = next[1];
  }
  return CHORDS;
}

// Twice the area of a triangle: > 0 if p lies to the left of a -> b.
static double side(const double a[2], const double b[2], const double p[2]) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

// Whether two chords cross, each running clearly to both sides of the other: to touch is allowed.
static bool cross(const chord *l, const chord *r, double at[2]) {
  double s0 = side(l->a, l->b, r->a), s1 = side(l->a, l->b, r->b);
  double t0 = side(r->a, r->b, l->a), t1 = side(r->a, r->b, l->b);
  double tiny = 1e-12 * (fabs(s0) + fabs(s1) + fabs(t0) + fabs(t1));
  if (!(s0 * s1 < 0 && t0 * t1 < 0)) return false;
  if (fabs(s0) < tiny || fabs(s1) < tiny || fabs(t0) < tiny || fabs(t1) < tiny) return false;
  double f = t0 / (t0 - t1);
  for (int k = 0; k < 2; k++) at[k] = l->a[k] + f * (l->b[k] - l->a[k]);
  return true;
}

firn_status firn_outline_crossing(const firn_outline *outline, bool *found, int pair[2],
                                  double at[2]) {
  *found = false;
  size_t bytes = (size_t)outline->count * CHORDS * sizeof(chord), count = 0;
  chord *chords = firn_alloc(outline->context, bytes, "outline");
  if (!chords) return FIRN_ERROR_MEMORY;
  for (int i = 0; i < outline->count; i++) {
    count += flatten(&outline->segment[i], i, chords + count);
  }
  qsort(chords, count, sizeof *chords, by_begin);
  for (size_t i = 0; i < count && !*found; i++) {
    for (size_t j = i + 1; j < count && chords[j].a[0] <= chords[i].b[0]; j++) {
      if (chords[i].segment == chords[j].segment || !cross(&chords[i], &chords[j], at)) continue;
      bool ordered = chords[i].segment < chords[j].segment;
      pair[0] = chords[ordered ? i : j].segment;
      pair[1] = chords[ordered ? j : i].segment;
      *found = true;
      break;
    }
  }
  firn_free(outline->context, chords, bytes);
  return FIRN_OK;
}
