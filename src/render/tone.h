// SPDX-License-Identifier: Apache-2.0
// From light to what a screen shows.
#ifndef FIRN_RENDER_TONE_H
#define FIRN_RENDER_TONE_H

#include "render/vec.h"

// White balance: linear Rec. 709 to itself.
typedef struct firn_balance {
  float m[3][3];
} firn_balance;
// Shows light of this colour temperature, K, as neutral; 6504 changes nothing.
firn_balance firn_balance_to(float kelvin);
firn_v3 firn_balance_apply(const firn_balance *balance, firn_v3 c);

// Light to the light of a screen, both linear; 0 to 0, infinity to 1, nan to 0. Straight where the
// picture is dark, bent gently where it is bright: a diffuse white of 1 is shown as 0.84, which is
// 0.93 in sRGB, and leaves room for what is four times as bright.
float firn_tone_filmic(float x);

// The linear value of a screen in [0, 1], clipped, as sRGB; nan is 0.
uint8_t firn_srgb_byte(float x);

#endif
