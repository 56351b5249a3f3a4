// SPDX-License-Identifier: Apache-2.0
// Keyed values: numbers, vectors and rotations over time, with exact derivatives.
//
// Splines are cubic Hermite curves with the slopes of the parabola through three neighbouring keys.
// A component that two keys in a row share has slope 0 at both, so that what holds still does, and
// the ends of a track that does not loop have slope 0, since the value stays beyond them. Rotation
// splines are the same in cumulative form (Kim, Kim and Shin 1995).
#ifndef FIRN_WORLD_TRACK_H
#define FIRN_WORLD_TRACK_H

#include "base/context.h"

enum { FIRN_TRACK_COMPONENTS = 6, FIRN_TRACK_ROTATION = -4 };

typedef struct firn_track {
  int count; // keys; 0: no track
  int components;
  bool rotation; // unit quaternions x, y, z, w
  bool loop;
  firn_interpolation interpolate;
  double *times;  // s, [count]
  double *values; // [count][components]
  double *slopes; // splines: [count][components]; of rotations rad/s in the body, [count][3]
} firn_track;

// Copies a def with that many numbers a key, 1 to FIRN_TRACK_COMPONENTS, or FIRN_TRACK_ROTATION.
// Messages begin with what ("collider 'foot': rotation"). A def without keys makes an empty track.
firn_status firn_track_make(firn_context *context, const firn_track_def *def, int components,
                            const char *what, firn_track *out);
void firn_track_free(firn_context *context, firn_track *track);

// value is [components]. rate is its derivative, [components], or, of rotations, the angular
// velocity in rad/s, [3]; it may be NULL. At a key it is that of the segment that begins there.
void firn_track_value(const firn_track *track, double time, double *value, double *rate);

// Whether the value changes between two times.
bool firn_track_moves(const firn_track *track, double t0, double t1);
// Bounds for all time: of |value| (0 for rotations) and of |rate|; a jump has an infinite one.
double firn_track_size_bound(const firn_track *track);
double firn_track_rate_bound(const firn_track *track);

uint64_t firn_track_digest(const firn_track *track, uint64_t digest);

#endif
