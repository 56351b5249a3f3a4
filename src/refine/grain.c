// SPDX-License-Identifier: Apache-2.0
#include "refine/grain.h"

#include <math.h>

#include "base/random.h"

enum { STREAM_PLACE = 0x66690001, STREAM_SIZE = 0x66690002 };

void firn_grain_place(uint64_t seed, uint64_t id, int k, double out[3]) {
  // 1/phi^n of the root phi of x^4 = x + 1.
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  firn_philox r = firn_philox4x32(seed, id, STREAM_PLACE, 0);
  for (int a = 0; a < 3; a++) {
    double x = firn_uniform(r.v[a]) + (k + 1) * step[a];
    out[a] = x - floor(x) - 0.5;
  }
}

void firn_grain_shares(uint64_t seed, uint64_t id, int count, double variation, double *share) {
  double sum = 0;
  for (int k = 0; k < count; k++) {
    firn_philox r = firn_philox4x32(seed, id, STREAM_SIZE, (uint32_t)k);
    double radius = sqrt(-2 * log(1 - firn_uniform(r.v[0])));
    double normal = radius * cos(6.283185307179586 * firn_uniform(r.v[1]));
    share[k] = exp(3 * variation * normal); // a volume
    sum += share[k];
  }
  for (int k = 0; k < count; k++) share[k] *= count / sum;
}
