// SPDX-License-Identifier: Apache-2.0
// Colour maps as straight ways through Oklab (Ottosson 2020), a space in which equal distances look
// equal: lightness rises evenly, hue goes along, and chroma is as strong as a screen can show.
#include "render/colormap.h"

#include <math.h>

// Lightness 0 to 1, chroma, hue in degrees.
typedef struct key {
  double at, lightness, chroma, hue;
} key;

enum { KEYS = 5 };
static const key keys[][KEYS] = {
    [FIRN_COLORS_DEEP] = {{0, 0.26, 0.13, 310},
                          {0.25, 0.4275, 0.11, 262},
                          {0.5, 0.595, 0.10, 195},
                          {0.75, 0.7625, 0.15, 148},
                          {1, 0.93, 0.17, 105}},
    [FIRN_COLORS_EMBER] = {{0, 0.12, 0.04, 300},
                           {0.25, 0.33, 0.14, 340},
                           {0.5, 0.54, 0.18, 25},
                           {0.75, 0.75, 0.16, 62},
                           {1, 0.96, 0.09, 104}},
    [FIRN_COLORS_GREY] = {{0, 0.15, 0, 0},
                          {0.25, 0.36, 0, 0},
                          {0.5, 0.57, 0, 0},
                          {0.75, 0.78, 0, 0},
                          {1, 0.99, 0, 0}},
    [FIRN_COLORS_BALANCE] = {{0, 0.38, 0.15, 258},
                             {0.25, 0.675, 0.10, 245},
                             {0.5, 0.97, 0, 245},
                             {0.5, 0.97, 0, 30},
                             {1, 0.38, 0.15, 25}},
};

static double mix(double a, double b, double t) {
  return a + t * (b - a);
}

static void to_linear(double lightness, double chroma, double hue, double rgb[3]) {
  const double degree = 3.14159265358979323846 / 180;
  double a = chroma * cos(hue * degree), b = chroma * sin(hue * degree);
  double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
  double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
  double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool shown(const double rgb[3]) {
  for (int k = 0; k < 3; k++)
    if (rgb[k] < 0 || rgb[k] > 1) return false;
  return true;
}

static uint8_t to_byte(double x) {
  double code = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
  return (uint8_t)lround(255 * fmin(fmax(code, 0), 1));
}

void firn_colormap_table(firn_color_map map, uint8_t out[FIRN_COLORS][3]) {
  const key *k = keys[map];
  for (int i = 0; i < FIRN_COLORS; i++) {
    double t = i / (FIRN_COLORS - 1.0), rgb[3];
    int n = 0;
    while (n + 2 < KEYS && (t > k[n + 1].at || k[n + 1].at == k[n].at)) n++;
    double span = k[n + 1].at - k[n].at, s = span > 0 ? (t - k[n].at) / span : 0;
    double lightness = mix(k[n].lightness, k[n + 1].lightness, s),
           chroma = mix(k[n].chroma, k[n + 1].chroma, s), hue = mix(k[n].hue, k[n + 1].hue, s);
    if (map == FIRN_COLORS_EMBER && n == 1) hue = mix(340, 385, s); // through 360
    to_linear(lightness, chroma, hue, rgb);
    // What no screen can show loses chroma, never lightness.
    for (int cut = 0; cut < 64 && !shown(rgb); cut++) {
      chroma *= 0.95;
      to_linear(lightness, chroma, hue, rgb);
    }
    for (int c = 0; c < 3; c++) out[i][c] = to_byte(rgb[c]);
  }
}
