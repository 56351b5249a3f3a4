// SPDX-License-Identifier: Apache-2.0
#include "render/tone.h"

#define GREY  0.18f // stays where it is
#define SLOPE 1.08f // contrast about grey, in stops a stop

float firn_tone_filmic(float x) {
  if (!(x > 0)) return 0;
  if (x > 1e6f) return 1;
  // The identity for small z, 1 for large z, rising everywhere.
  double z = (double)(GREY * powf(x / GREY, SLOPE));
  return (float)(z / cbrt(1 + z * z * z));
}

uint8_t firn_srgb_byte(float x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 255;
  float y = x <= 0.0031308f ? 12.92f * x : 1.055f * powf(x, 1 / 2.4f) - 0.055f;
  return (uint8_t)(255 * y + 0.5f);
}

// Chromaticity of daylight (CIE 15, D series) above, of a black body (the cubic splines of Kim et al.
// 2002) below, one passing into the other between 4000 and 5000 K.
static void white_of(double kelvin, double *x, double *y) {
  const double t = fmin(fmax(kelvin, 1700), 25000), r = 1000 / t;
  double dx = t < 7000 ? ((-4.6070 * r + 2.9678) * r + 0.09911) * r + 0.244063
                       : ((-2.0064 * r + 1.9018) * r + 0.24748) * r + 0.237040;
  double dy = (-3.0 * dx + 2.870) * dx - 0.275;
  double px = t < 4000 ? ((-0.2661239 * r - 0.2343589) * r + 0.8776956) * r + 0.179910
                       : ((-3.0258469 * r + 2.1070379) * r + 0.2226347) * r + 0.240390;
  double py = t < 2222   ? ((-1.1063814 * px - 1.34811020) * px + 2.18555832) * px - 0.20219683
              : t < 4000 ? ((-0.9549476 * px - 1.37418593) * px + 2.09137015) * px - 0.16748867
                         : ((3.0817580 * px - 5.87338670) * px + 3.75112997) * px - 0.37001483;
  double s = fmin(fmax((t - 4000) / 1000, 0), 1);
  *x = px + s * (dx - px);
  *y = py + s * (dy - py);
}

static void product(const double a[3][3], const double b[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    }
  }
}

static void inverse(const double a[3][3], double out[3][3]) {
  double det = 0;
  for (int i = 0; i < 3; i++) {
    const int p = (i + 1) % 3, q = (i + 2) % 3;
    for (int j = 0; j < 3; j++) {
      const int r = (j + 1) % 3, s = (j + 2) % 3;
      out[j][i] = a[p][r] * a[q][s] - a[p][s] * a[q][r];
    }
    det += a[0][i] *
           (a[1][(i + 1) % 3] * a[2][(i + 2) % 3] - a[1][(i + 2) % 3] * a[2][(i + 1) % 3]);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[i][j] /= det;
  }
}

firn_balance firn_balance_to(float kelvin) {
  // Linear Rec. 709 to XYZ, and XYZ to Bradford's cone responses (Lam 1985).
  static const double xyz[3][3] = {{0.4123908, 0.3575843, 0.1804808},
                                   {0.2126390, 0.7151687, 0.0721923},
                                   {0.0193308, 0.1191948, 0.9505322}};
  static const double cone[3][3] = {
      {0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}};
  // Both whites by the same formula, so that 6504 K gives the identity.
  double response[2][3];
  for (int i = 0; i < 2; i++) {
    double x, y;
    white_of(i ? 6504 : (double)kelvin, &x, &y);
    const double white[3] = {x / y, 1, (1 - x - y) / y};
    for (int k = 0; k < 3; k++) {
      response[i][k] = cone[k][0] * white[0] + cone[k][1] * white[1] + cone[k][2] * white[2];
    }
  }
  double forth[3][3], back[3][3], m[3][3];
  product(cone, xyz, forth);
  inverse(forth, back);
  for (int k = 0; k < 3; k++) {
    for (int j = 0; j < 3; j++) forth[k][j] *= response[1][k] / response[0][k];
  }
  product(back, forth, m);
  firn_balance out;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out.m[i][j] = (float)m[i][j];
  }
  return out;
}

firn_v3 firn_balance_apply(const firn_balance *balance, firn_v3 c) {
  const float(*m)[3] = balance->m;
  return (firn_v3){m[0][0] * c.x + m[0][1] * c.y + m[0][2] * c.z,
                   m[1][0] * c.x + m[1][1] * c.y + m[1][2] * c.z,
                   m[2][0] * c.x + m[2][1] * c.y + m[2][2] * c.z};
}
