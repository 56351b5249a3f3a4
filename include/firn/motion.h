// SPDX-License-Identifier: Apache-2.0
// Motion: what moves with time, by keys or by formula.
#ifndef FIRN_MOTION_H
#define FIRN_MOTION_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_interpolation {
  FIRN_INTERPOLATE_LINEAR, // rotations turn evenly along the shorter way
  FIRN_INTERPOLATE_SPLINE, // smooth velocity; at rest at both ends unless it loops, and wherever
                           // two keys in a row are the same
  FIRN_INTERPOLATE_STEP    // each key's value until the next
} firn_interpolation;

// Values at key times. Before the first key and after the last the value stays, or, with loop, all
// begins again at the last key: it should then have the value of the first.
typedef struct firn_track_def {
  int count;            // keys; 0: no track
  const double *times;  // s, [count], increasing; copied
  const double *values; // [count][components]; copied
  firn_interpolation interpolate;
  bool loop;
} firn_track_def;

// amplitude sin(2 pi frequency t + phase)
typedef struct firn_oscillation_def {
  double translation[3]; // m, amplitude
  double swing[3];       // rad, amplitude, about the axis along this vector
  double frequency;      // Hz
  double phase;          // rad; pi/2 begins at the amplitude
} firn_oscillation_def;

// The pivot goes round in a circle, and the body with it, without turning.
typedef struct firn_circle_def {
  double arm[3];    // m, from the middle of the circle to the pivot at time 0
  double axis[3];   // that it goes round, any length
  double frequency; // Hz, turns a second
} firn_circle_def;

// Where a point X of the body as it was defined is at time t:
//
//   x = pivot + d(t) + R(t) (X - pivot)
//
// d is the sum of all translations, R the product (rightmost first) spin, swing, rotation, angle.
// All zero: it stays. The velocity of the surface is the exact derivative.
typedef struct firn_motion_def {
  bool has_pivot; // false: the center of the shape
  double pivot[3];
  double velocity[3];         // m/s
  double spin[3];             // rad/s
  firn_track_def translation; // m, [count][3]
  firn_track_def rotation;    // unit quaternions x, y, z, w, [count][4]; see firn_rotation
  firn_track_def angle;       // rad, [count], about axis; may be more than a turn
  double axis[3];
  firn_oscillation_def oscillation;
  firn_circle_def circle;
  double room[8]; // 0: for what later versions may add
} firn_motion_def;

#ifdef __cplusplus
}
#endif

#endif
