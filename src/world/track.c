// SPDX-License-Identifier: Apache-2.0
#include "world/track.h"

#include <string.h>

#include "base/memory.h"
#include "world/digest.h"
#include "world/quaternion.h"

// ------------------------------------------------------------------------------------- making

static int slope_components(const firn_track *track) {
  return track->rotation ? 3 : track->components;
}

static size_t track_doubles(const firn_track *track) {
  bool spline = track->interpolate == FIRN_INTERPOLATE_SPLINE;
  int each = 1 + track->components + (spline ? slope_components(track) : 0);
  return (size_t)track->count * (size_t)each;
}

static firn_status check(firn_context *context, const firn_track_def *def, int components,
                         bool rotation, const char *what) {
  if (def->count < 0 || !def->times || !def->values) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %d keys without times or values", what,
                     def->count);
  }
  if ((int)def->interpolate < FIRN_INTERPOLATE_LINEAR || def->interpolate > FIRN_INTERPOLATE_STEP) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: interpolation %d does not exist", what,
                     (int)def->interpolate);
  }
  for (int k = 0; k < def->count; k++) {
    const double *value = def->values + (size_t)k * (size_t)components;
    double length2 = 0;
    if (!isfinite(def->times[k])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: time %g s of key %d is not finite", what,
                       def->times[k], k);
    }
    if (k && !(def->times[k] > def->times[k - 1])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: key %d at %g s does not come after the one before, at %g s", what, k,
                       def->times[k], def->times[k - 1]);
    }
    for (int a = 0; a < components; a++) {
      if (!isfinite(value[a])) {
        return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: value %g of key %d is not finite", what,
                         value[a], k);
      }
      length2 += value[a] * value[a];
    }
    if (rotation && !(length2 > 1e-12 && isfinite(length2))) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: the quaternion (%g %g %g %g) of key %d is no rotation", what, value[0],
                       value[1], value[2], value[3], k);
    }
  }
  if (def->loop && def->count < 2) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: a loop needs two keys or more", what);
  }
  return FIRN_OK;
}

// Unit length, and on the side of the key before: neighbours then differ by the shorter turn.
static void tidy_rotations(firn_track *track) {
  for (int k = 0; k < track->count; k++) {
    double *q = track->values + 4 * k, dot = 0;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int a = 0; k && a < 4; a++) dot += q[a] * q[a - 4];
    for (int a = 0; a < 4; a++) q[a] /= dot < 0 ? -length : length;
  }
}

// How the value changes from key k to the next, in [slope_components].
static void difference(const firn_track *track, int k, double *out) {
  int n = track->components;
  const double *from = track->values + k * n, *to = from + n;
  if (!track->rotation) {
    for (int a = 0; a < n; a++) out[a] = to[a] - from[a];
    return;
  }
  double back[4];
  firn_quaternion_conjugate(from, back);
  firn_quaternion_multiply(back, to, back);
  firn_quaternion_log(back, out);
}

static bool is_zero(const double *v, int n) {
  for (int a = 0; a < n; a++) {
    if (v[a] != 0) return false;
  }
  return true;
}

// Slopes at the keys, of the parabola through three keys in a row; 0 wherever something holds.
static void set_slopes(firn_track *track) {
  int n = slope_components(track), last = track->count - 1;
  for (int k = 0; k <= last; k++) {
    double before[FIRN_TRACK_COMPONENTS], after[FIRN_TRACK_COMPONENTS];
    double *slope = track->slopes + k * n;
    bool end = k == 0 || k == last;
    memset(slope, 0, (size_t)n * sizeof *slope);
    if (end && !track->loop) continue;
    int left = k == 0 ? last - 1 : k - 1, right = k == last ? 0 : k;
    difference(track, left, before);
    difference(track, right, after);
    double t0 = track->times[left + 1] - track->times[left],
           t1 = track->times[right + 1] - track->times[right];
    bool held = track->rotation && (is_zero(before, n) || is_zero(after, n));
    for (int a = 0; a < n && !held; a++) {
      if (before[a] == 0 || after[a] == 0) {
        if (!track->rotation) continue;
      }
      slope[a] = (before[a] / t0 * t1 + after[a] / t1 * t0) / (t0 + t1);
    }
  }
}

firn_status firn_track_make(firn_context *context, const firn_track_def *def, int components,
                            const char *what, firn_track *out) {
  bool rotation = components == FIRN_TRACK_ROTATION;
  if (rotation) components = 4;
  *out = (firn_track){.components = components, .rotation = rotation};
  if (!def->count) return FIRN_OK;
  FIRN_TRY(check(context, def, components, rotation, what));
  firn_track track = {.count = def->count,
                      .components = components,
                      .rotation = rotation,
                      .loop = def->loop,
                      .interpolate = def->interpolate};
  track.times = firn_alloc(context, track_doubles(&track) * sizeof(double), what);
  if (!track.times) return FIRN_ERROR_MEMORY;
  size_t count = (size_t)def->count;
  track.values = track.times + count;
  memcpy(track.times, def->times, count * sizeof(double));
  memcpy(track.values, def->values, count * (size_t)components * sizeof(double));
  if (rotation) tidy_rotations(&track);
  if (track.interpolate == FIRN_INTERPOLATE_SPLINE) {
    track.slopes = track.values + count * (size_t)components;
    set_slopes(&track);
  }
  *out = track;
  return FIRN_OK;
}

void firn_track_free(firn_context *context, firn_track *track) {
  if (!track->count) return;
  firn_free(context, track->times, track_doubles(track) * sizeof(double));
  *track = (firn_track){0};
}

// ------------------------------------------------------------------------------------- values

// The key at or before a time within the keys, the last but one at most.
static int segment_at(const firn_track *track, double time) {
  int lo = 0, hi = track->count - 1;
  while (hi - lo > 1) {
    int middle = (lo + hi) / 2;
    if (track->times[middle] <= time)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

static double wrapped(const firn_track *track, double time) {
  double first = track->times[0], last = track->times[track->count - 1], period = last - first;
  if (time >= first && time < last) return time;
  double t = fmod(time - first, period);
  t = first + (t < 0 ? t + period : t);
  return t < last ? t : first; // rounding
}

static void copy_key(const firn_track *track, int k, double *value, double *rate) {
  size_t n = (size_t)track->components;
  memcpy(value, track->values + (size_t)k * n, n * sizeof *value);
  if (rate) memset(rate, 0, (size_t)slope_components(track) * sizeof *rate);
}

// The curve of a segment of length T at s in [0, 1]: Hermite's, or a straight line.
static void vector_value(const firn_track *track, int k, double s, double T, double *value,
                         double *rate) {
  int n = track->components;
  const double *p0 = track->values + k * n, *p1 = p0 + n;
  for (int a = 0; a < n; a++) {
    double d = p1[a] - p0[a], m0 = d, m1 = d;
    if (track->slopes) {
      m0 = T * track->slopes[k * n + a];
      m1 = T * track->slopes[(k + 1) * n + a];
    }
    // With both slopes d this is the line: p0 + s d.
    double c2 = 3 * d - 2 * m0 - m1, c3 = m0 + m1 - 2 * d;
    value[a] = p0[a] + s * (m0 + s * (c2 + s * c3));
    if (rate) rate[a] = (m0 + s * (2 * c2 + 3 * s * c3)) / T;
  }
}

// The three turns between the control points of a segment's cubic Bezier curve, in cumulative form:
// q = q0 exp(w1 b1) exp(w2 b2) exp(w3 b3), with sums of Bernstein polynomials b.
static void control_turns(const firn_track *track, int k, double T, double w[3][3]) {
  const double *m0 = track->slopes + 3 * k, *m1 = m0 + 3;
  double total[3], first[4], whole[4], last[4], rest[4];
  difference(track, k, total);
  for (int a = 0; a < 3; a++) {
    w[0][a] = m0[a] * T / 3;
    w[2][a] = m1[a] * T / 3;
  }
  firn_quaternion_exp(total, whole);
  double back[3] = {-w[0][0], -w[0][1], -w[0][2]}, forth[3] = {-w[2][0], -w[2][1], -w[2][2]};
  firn_quaternion_exp(back, first);
  firn_quaternion_exp(forth, last);
  firn_quaternion_multiply(first, whole, rest);
  firn_quaternion_multiply(rest, last, rest);
  firn_quaternion_log(rest, w[1]);
}

static void turn_by(double q[4], double body[3], const double w[3], double b, double db) {
  double part[3] = {w[0] * b, w[1] * b, w[2] * b}, e[4], back[4];
  firn_quaternion_exp(part, e);
  firn_quaternion_multiply(q, e, q);
  // What turned before is seen from the frame turned further.
  firn_quaternion_conjugate(e, back);
  firn_quaternion_rotate(back, body, body);
  for (int a = 0; a < 3; a++) body[a] += w[a] * db;
}

static void rotation_value(const firn_track *track, int k, double s, double T, double *value,
                           double *rate) {
  double q[4], body[3] = {0, 0, 0};
  memcpy(q, track->values + 4 * k, sizeof q);
  if (track->slopes) {
    double w[3][3], r = 1 - s;
    control_turns(track, k, T, w);
    turn_by(q, body, w[0], 1 - r * r * r, 3 * r * r / T);
    turn_by(q, body, w[1], s * s * (3 - 2 * s), 6 * s * r / T);
    turn_by(q, body, w[2], s * s * s, 3 * s * s / T);
  } else {
    double w[3];
    difference(track, k, w);
    turn_by(q, body, w, s, 1 / T);
  }
  memcpy(value, q, sizeof q);
  if (rate) firn_quaternion_rotate(q, body, rate);
}

void firn_track_value(const firn_track *track, double time, double *value, double *rate) {
  int last = track->count - 1;
  if (track->loop) time = wrapped(track, time);
  if (!(time >= track->times[0])) {
    copy_key(track, 0, value, rate);
    return;
  }
  if (time >= track->times[last]) {
    copy_key(track, last, value, rate);
    return;
  }
  int k = segment_at(track, time);
  if (track->interpolate == FIRN_INTERPOLATE_STEP) {
    copy_key(track, k, value, rate);
    return;
  }
  double T = track->times[k + 1] - track->times[k], s = (time - track->times[k]) / T;
  if (track->rotation)
    rotation_value(track, k, s, T, value, rate);
  else
    vector_value(track, k, s, T, value, rate);
}

// ------------------------------------------------------------------------------------- bounds

static bool same_keys(const firn_track *track, int k, int l) {
  size_t n = (size_t)track->components;
  for (size_t a = 0; a < n; a++) {
    if (track->values[(size_t)k * n + a] != track->values[(size_t)l * n + a]) return false;
  }
  return true;
}

// Within keys, t0 <= t1. Where two keys are the same nothing moves between them (see the slopes).
static bool moves_within(const firn_track *track, double t0, double t1) {
  int last = track->count - 1;
  for (int k = 0; k < last; k++) {
    bool step = track->interpolate == FIRN_INTERPOLATE_STEP;
    double begin = step ? track->times[k + 1] : track->times[k], end = track->times[k + 1];
    if (end < t0 || begin > t1) continue;
    if (!step && (end == t0 || begin == t1)) continue;
    if (!same_keys(track, k, k + 1)) return true;
  }
  return false;
}

bool firn_track_moves(const firn_track *track, double t0, double t1) {
  if (track->count < 2) return false;
  double first = track->times[0], last = track->times[track->count - 1];
  if (!track->loop) return moves_within(track, t0, t1);
  bool jumps = !same_keys(track, 0, track->count - 1);
  if (t1 - t0 >= last - first) return jumps || moves_within(track, first, last);
  double w0 = wrapped(track, t0), w1 = wrapped(track, t1);
  if (w0 <= w1) return moves_within(track, w0, w1);
  return jumps || moves_within(track, w0, last) || moves_within(track, first, w1);
}

static double length(const double *v, int n) {
  double sum = 0;
  for (int a = 0; a < n; a++) sum += v[a] * v[a];
  return sqrt(sum);
}

// A cubic stays within the hull of its Bezier points, and so does its derivative.
double firn_track_size_bound(const firn_track *track) {
  double bound = 0;
  int n = track->components;
  if (track->rotation) return 0;
  for (int k = 0; k < track->count; k++) {
    const double *p = track->values + k * n;
    bound = fmax(bound, length(p, n));
    for (int side = -1; side <= 1 && track->slopes; side += 2) {
      int other = k + side;
      if (other < 0 || other >= track->count) continue;
      double T = track->times[other] - track->times[k], c[FIRN_TRACK_COMPONENTS];
      for (int a = 0; a < n; a++) c[a] = p[a] + T / 3 * track->slopes[k * n + a];
      bound = fmax(bound, length(c, n));
    }
  }
  return bound;
}

static double segment_rate_bound(const firn_track *track, int k) {
  double T = track->times[k + 1] - track->times[k], d[FIRN_TRACK_COMPONENTS];
  int n = slope_components(track);
  difference(track, k, d);
  if (!track->slopes) return length(d, n) / T;
  if (track->rotation) {
    double w[3][3];
    control_turns(track, k, T, w);
    return 3 / T * fmax(length(w[0], 3), fmax(length(w[1], 3), length(w[2], 3)));
  }
  const double *m0 = track->slopes + k * n, *m1 = m0 + n;
  for (int a = 0; a < n; a++) d[a] = 3 * d[a] / T - m0[a] - m1[a];
  return fmax(length(d, n), fmax(length(m0, n), length(m1, n)));
}

double firn_track_rate_bound(const firn_track *track) {
  double bound = 0;
  bool step = track->interpolate == FIRN_INTERPOLATE_STEP;
  if (track->count < 2) return 0;
  if (track->loop && !same_keys(track, 0, track->count - 1)) {
    double end[4], begin[4], turn[3];
    if (!track->rotation || step) return INFINITY;
    // The first and the last quaternion may be the same turn with opposite signs.
    memcpy(begin, track->values, sizeof begin);
    memcpy(end, track->values + 4 * (track->count - 1), sizeof end);
    firn_quaternion_conjugate(begin, begin);
    firn_quaternion_multiply(begin, end, end);
    firn_quaternion_log(end, turn);
    if (length(turn, 3) > 1e-9) return INFINITY;
  }
  for (int k = 0; k + 1 < track->count; k++) {
    if (same_keys(track, k, k + 1)) continue;
    if (step) return INFINITY;
    bound = fmax(bound, segment_rate_bound(track, k));
  }
  return bound;
}

uint64_t firn_track_digest(const firn_track *track, uint64_t digest) {
  int32_t head[] = {track->count, track->components, track->rotation, track->loop,
                    (int32_t)track->interpolate};
  digest = firn_digest(digest, head, sizeof head);
  if (!track->count) return digest;
  return firn_digest(digest, track->times,
                     (size_t)track->count * (size_t)(1 + track->components) * sizeof(double));
}
