// SPDX-License-Identifier: Apache-2.0
// Rounding before compression: fields as multiples of a power of two. A float divided by and
// multiplied with such a step loses nothing but the bits below it, so what is rounded stays a plain
// float that every program reads.
#ifndef FIRN_CACHE_PACK_H
#define FIRN_CACHE_PACK_H

#include <math.h>
#include <stddef.h>

#include "base/parallel.h"

enum {
  FIRN_PACK_CELL = 1024, // positions: steps a cell at least
  FIRN_PACK_BITS = 15,   // others: steps up to the largest magnitude, as a power of two at least
};

// The largest power of two that is at most value, which is above 0.
static inline double firn_pack_floor(double value) {
  int exponent;
  frexp(value, &exponent);
  return ldexp(1, exponent - 1);
}

// Step for positions on a grid of spacing h, m.
static inline double firn_pack_step_position(double h) {
  return firn_pack_floor(h / FIRN_PACK_CELL);
}

// Step for data[n]: 2^-15 to 2^-14 of its largest finite magnitude; 0: leave the data as they are.
static inline double firn_pack_step(const firn_context *context, size_t n, const double *data) {
  double most = 0;
  FIRN_PARALLEL_FOR(context, schedule(static) reduction(max : most))
  for (size_t i = 0; i < n; i++) {
    double size = fabs(data[i]);
    if (size > most && size <= 1e30) most = size;
  }
  return most > 1e-30 ? ldexp(firn_pack_floor(most), -FIRN_PACK_BITS) : 0;
}

// To the nearest multiple of step, ties to even; what is not finite stays.
static inline void firn_pack_round(const firn_context *context, size_t n, double *data,
                                   double step) {
  if (!(step > 0)) return;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < n; i++) data[i] = nearbyint(data[i] / step) * step;
}

#endif
