// SPDX-License-Identifier: Apache-2.0
// Random numbers in lanes, each with a state of its own. base/random.h has numbers without one.
#ifndef FIRN_MATH_RANDOM_LANE_H
#define FIRN_MATH_RANDOM_LANE_H

#include "math/lane.h"

// xoroshiro64* (Blackman and Vigna 2018): two words, not both 0, and one product a number. The high
// bits are the good ones.
typedef struct lane_random {
  ilane s0, s1;
} lane_random;

FIRN_HD_INLINE ilane lane_random_bits(lane_random *r) {
  ilane out = ilane_mul(r->s0, ilane_set1((int32_t)0x9E3779BBu));
  ilane t = ilane_xor(r->s1, r->s0);
  r->s0 = ilane_xor(ilane_xor(ILANE_ROTL(r->s0, 26), t), ILANE_SHL(t, 9));
  r->s1 = ILANE_ROTL(t, 13);
  return out;
}
// In (0, 1], 24 bits.
FIRN_HD_INLINE lane lane_unit(ilane bits) {
  return lane_fma(ilane_to_lane(ILANE_SHR(bits, 8)), lane_set1(FIRN_R(0x1p-24)),
                  lane_set1(FIRN_R(0x1p-25)));
}
FIRN_HD_INLINE lane lane_uniform(lane_random *r) {
  return lane_unit(lane_random_bits(r));
}

// A point of the unit circle, uniform: a quarter by Taylor's series (2e-7), turned by two more bits.
FIRN_HD_INLINE void lane_circle(ilane bits, lane *x, lane *y) {
  lane t = (lane_unit(bits) - lane_set1(FIRN_R(0.5))) * lane_set1(FIRN_R(1.57079632679)), z = t * t;
  lane s = lane_fma(z, lane_set1(FIRN_R(-1.0 / 5040)), lane_set1(FIRN_R(1.0 / 120)));
  s = lane_fma(s, z, lane_set1(FIRN_R(-1.0 / 6)));
  s = lane_fma(s * z, t, t);
  lane c = lane_fma(z, lane_set1(FIRN_R(1.0 / 40320)), lane_set1(FIRN_R(-1.0 / 720)));
  c = lane_fma(c, z, lane_set1(FIRN_R(1.0 / 24)));
  c = lane_fma(c, z, lane_set1(FIRN_R(-0.5)));
  c = lane_fma(c, z, lane_set1(1));
  lmask swap = ilane_negative(ILANE_SHL(bits, 24)), flip = ilane_negative(ILANE_SHL(bits, 25));
  lane a = lane_select(swap, s, c), b = lane_select(swap, c, s);
  *x = lane_select(flip, -a, a);
  *y = lane_select(flip, -b, b);
}

#endif
