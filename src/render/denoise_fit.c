// SPDX-License-Identifier: Apache-2.0
// Light as a linear function of the features, fitted to the pixels that look alike: what normals and
// edges do to light stays as sharp as they are (Bitterli et al. 2016, section 3).
#include "render/denoise.h"

enum { FIT = FIRN_DENOISE_FIT, MOST = FIT + 1 };
#define RIDGE 0.2 // variance of a feature below which it says little
#define REACH 3.0 // how far beyond the pixels it is fitted to the function is trusted, see below
#define REST  3.0 // weights follow the noise: more of it is left than they say

// z with A z = (1, 0, ...), A [n][n] symmetric and positive, its lower half given and lost.
static void first_of_inverse(double a[MOST][MOST], int n, double least, double z[MOST]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double s = a[i][j];
      for (int k = 0; k < j; k++) s -= a[i][k] * a[j][k];
      a[i][j] = i == j ? sqrt(fmax(s, least)) : s / a[j][j];
    }
  }
  for (int i = 0; i < n; i++) {
    double s = i ? 0 : 1;
    for (int k = 0; k < i; k++) s -= a[i][k] * z[k];
    z[i] = s / a[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    double s = z[i];
    for (int k = i + 1; k < n; k++) s -= a[k][i] * z[k];
    z[i] = s / a[i][i];
  }
}

void firn_denoise_solve(const firn_denoiser *w, const firn_denoise_desk *d, int column, int row,
                        firn_v3 *light, firn_v3 *variance) {
  double a[MOST][MOST] = {{0}}, t[MOST][3] = {{0}}, z[MOST] = {0};
  const int n = (w->fits < FIT ? w->fits : FIT) + 1;
  const double total = (double)d->sum[0][row][column]; // a pixel is like itself: at least 1
  int term = 7;
  a[0][0] = total;
  for (int k = 0; k < 3; k++) t[0][k] = (double)d->sum[1 + k][row][column];
  for (int m = 1; m < n; m++) {
    a[m][0] = (double)d->sum[term++][row][column];
    for (int j = 1; j <= m; j++) a[m][j] = (double)d->sum[term++][row][column];
    for (int k = 0; k < 3; k++) t[m][k] = (double)d->sum[term++][row][column];
    a[m][m] += RIDGE * total;
  }
  first_of_inverse(a, n, 1e-12 * total, z);
  // 1 for a plain mean, and more the farther the pixel's features lie from those of its likes: a
  // function that has to reach far out gives way to the mean.
  const double reach = z[0] * total, share = reach > REACH ? REACH / reach : 1;
  const double rest = REST * (1 + share * (reach - 1)) / (total * total);
  float out[3];
  for (int k = 0; k < 3; k++) {
    double mean = t[0][k] / total, value = 0;
    for (int i = 0; i < n; i++) value += z[i] * t[i][k];
    out[k] = (float)fmax(0, mean + share * (value - mean));
  }
  *light = (firn_v3){out[0], out[1], out[2]};
  *variance = (firn_v3){(float)(rest * (double)d->sum[4][row][column]),
                        (float)(rest * (double)d->sum[5][row][column]),
                        (float)(rest * (double)d->sum[6][row][column])};
}
