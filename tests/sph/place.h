// SPDX-License-Identifier: Apache-2.0
// Places and turns of a tank that are not special to the lattice or to the axes.
#ifndef FIRN_TESTS_SPH_PLACE_H
#define FIRN_TESTS_SPH_PLACE_H

// Where the middle of a tank's floor is, in spacings, and which way its axes go.
typedef struct place {
  double at[3], axis[3][3];
} place;

// By a quaternion that need not have length 1.
static place placed(const double at[3], const double q[4]) {
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = 2 / n;
  double x = q[0], y = q[1], z = q[2], w = q[3];
  place p = {.axis = {{1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)},
                      {s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x)},
                      {s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)}}};
  for (int a = 0; a < 3; a++) p.at[a] = at[a];
  return p;
}

static place a_place(int k) {
  static const double at[3][3] = {{0, 0, 0}, {0.37, -0.21, 0.44}, {-0.13, 0.58, 0.29}};
  static const double turn[3][4] = {{0, 0, 0, 1}, {0.2, -0.5, 0.3, 0.8}, {-0.6, 0.1, 0.4, 0.7}};
  return placed(at[k], turn[k]);
}

static void to_world(const place *p, double d, const double y[3], double x[3]) {
  for (int a = 0; a < 3; a++) {
    x[a] = p->at[a];
    for (int k = 0; k < 3; k++) x[a] += y[k] * p->axis[k][a];
    x[a] *= d;
  }
}

#endif
