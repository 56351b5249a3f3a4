// SPDX-License-Identifier: Apache-2.0
// Mass, middle and momenta of sets of particles.
#ifndef FIRN_SOLVER_FLIP_MOMENTS_H
#define FIRN_SOLVER_FLIP_MOMENTS_H

#include "solver/flip/flip.h"

typedef struct flip_moments {
  double mass;        // kg
  double center[3];   // cells
  double momentum[3]; // kg m/s
  double angular[3];  // kg m/s cells, about the middle
  double inertia[9];  // kg cells^2, about the middle
} flip_moments;

// Number of the set of a particle in block b; FLIP_NO_SET: it is in none. At most FLIP_CELLS sets
// share a block.
typedef uint32_t (*flip_set_fn)(const void *user, size_t b, size_t slot);
#define FLIP_NO_SET UINT32_MAX

// moments.c; out: [count]
firn_status flip_sum_moments(flip *s, flip_set_fn set_of, const void *user, size_t count,
                             flip_moments *out);
// The inverse of the inertia but for directions in which there is none.
void flip_invert_inertia(const flip_moments *m, double out[9]);

static inline void flip_cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    out[k] = a[l] * b[m] - a[m] * b[l];
  }
}
static inline void flip_apply(const double A[9], const double v[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}

#endif
