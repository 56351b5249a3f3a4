// SPDX-License-Identifier: Apache-2.0
#include "render/volume_shape.h"

#include <stdbool.h>

// In spacings. The window sees three layers of a surface; the width that kernels have within one lets
// some twenty of them share each place.
#define WINDOW 2.7
#define FLAT   2.0

// Grains in the window, as if all were alike, and their density as a share of the bulk's: below the first
// number they are loose, above the second packed. A corner of packed snow has 2.5 grains, an edge 4.9.
static const float GRAINS[2] = {1, 3.5f}, PACKING[2] = {0.25f, 0.55f};

static const double LONE = 0.6;    // width of a grain alone, in that of the brush
static const double LEAST = 0.125; // volume of a kernel, in that of the brush: corners are no dots
// Spread of the neighbours, in that of endless snow: of the second axis at an edge and where it is flat; of
// the shortest in a layer one grain thin and in one of two, and at the surface and where that is out of
// sight.
static const float EDGE[2] = {0.8f, 0.95f}, THIN[2] = {0.25f, 0.4f}, DEEP[2] = {0.75f, 0.97f};
static const float SMOOTH = 0.2f; // share of noise that the surface of packed snow keeps

// Of crumbs: width in that of the brush if all were one, and how far off they are, in spacings.
static const float CRUMB = 0.6f, FAR = 0.8f;

float firn_grain_window(const firn_grain_fit *by) {
  return (float)WINDOW * by->spacing;
}

float firn_grain_widest(const firn_grain_fit *by) {
  if (!(by->adapt > 0)) return by->kernel;
  return fmaxf(fmaxf((float)FLAT * by->spacing, by->kernel), 0.5f * firn_grain_crumbs_reach(by));
}

float firn_grain_crumbs_reach(const firn_grain_fit *by) {
  if (by->whole) return 2 * by->kernel;
  return FAR * by->spacing + 2 * fmaxf(CRUMB * by->kernel, 1);
}

// Standard deviations along the axes, in those of endless snow: less than 1 across a surface.
static void spread(const firn_grain_company *c, double out[3]) {
  double most = 0;
  for (int k = 0; k < 3; k++) {
    out[k] = sqrt(fmax(c->variance[k], 0) / c->endless);
    most = fmax(most, out[k]);
  }
  for (int k = 0; k < 3; k++) out[k] = fmin(1, fmax(out[k], 0.25 * most));
}

// 0: loose, 1: packed. The density is that of the ellipsoid in which the neighbours lie, so that the
// surface of packed snow is packed, too.
static float packed(const firn_grain_fit *by, const firn_grain *grain,
                    const firn_grain_company *c) {
  double spacing = (double)(by->spacing * grain->size), volume = c->window;
  for (int k = 0; k < 3; k++) { // a grain is a cube
    double variance = fmax(c->variance[k], 0) + spacing * spacing / 12;
    volume *= sqrt(variance / c->endless);
  }
  double packing = c->mass / ((double)grain->bulk * volume);
  double grains = c->mass / ((double)grain->bulk * spacing * spacing * spacing);
  return firn_smoothstep(PACKING[0], PACKING[1], (float)packing) *
         firn_smoothstep(GRAINS[0], GRAINS[1], (float)grains);
}

// How smooth packed snow is: all of it where it is flat, and not where it has an edge, which lives on being
// crisp and crumbly. There the second of three spreads is small, too. Nor where a layer of single grains lies
// on something: spread wide, they would be a veil over the gaps between them.
static float smooth(const double s[3]) {
  double least = fmin(s[0], fmin(s[1], s[2])), most = fmax(s[0], fmax(s[1], s[2]));
  return firn_smoothstep(EDGE[0], EDGE[1], (float)(s[0] + s[1] + s[2] - least - most)) *
         firn_smoothstep(THIN[0], THIN[1], (float)least);
}

// How near the surface is.
static float skin(const double s[3]) {
  return 1 - firn_smoothstep(DEEP[0], DEEP[1], (float)fmin(s[0], fmin(s[1], s[2])));
}

// h in voxels, and widths in it along the axes.
static firn_grain_shape shape(const double axis[3][3], double h, const double s[3]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  firn_grain_shape out = {.det = (float)(1 / (h * h * h * s[0] * s[1] * s[2]))};
  for (int b = 0; b < 6; b++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += axis[pair[b][0]][k] * axis[pair[b][1]][k] / (h * s[k]);
    out.g[b] = (float)sum;
  }
  double most = fmax(1, fmax(s[0], fmax(s[1], s[2])));
  for (int r = 0; r < 3; r++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += axis[r][k] * axis[r][k] * s[k] * s[k];
    out.reach[r] = (float)(2 * h * fmin(most, sqrt(sum)));
  }
  return out;
}

firn_grain_shape firn_grain_shape_of(const firn_grain_fit *by, const firn_grain *grain,
                                     const firn_grain_company *c) {
  double s[3], h[3];
  spread(c, s);
  bool alone = c->mass < 3 * (double)grain->mass; // spray: there is nothing to fit to
  for (int k = 0; k < 3; k++)
    h[k] = fmax(1 + (double)by->amount * ((alone ? LONE : s[k]) - 1), 0.2);
  float t = 1, even = 0, near = 0;
  if (by->adapt > 0) {
    t = packed(by, grain, c);
    even = t * smooth(s);
    near = skin(s); // deep in the snow nobody sees how wide kernels are, and narrow ones are cheap
    double flat = FLAT * (double)(by->spacing / by->kernel);
    double voxel = 1 / (double)(by->kernel * grain->size); // nodes tell no less
    double width[3], volume = 1;
    for (int k = 0; k < 3; k++) {
      double v = s[k] * s[k], crisp = 1 + (double)by->amount * (v - 1);
      width[k] = crisp + (double)(even * near) * fmax(flat * v * v - crisp, 0);
      volume *= width[k];
    }
    double larger = cbrt(fmax(LEAST / volume, 1)), most = fmax(flat, 1);
    for (int k = 0; k < 3; k++)
      h[k] += (double)by->adapt * (fmin(fmax(larger * width[k], voxel), most) - h[k]);
  }
  firn_grain_shape out = shape(c->axis, (double)(by->kernel * grain->size), h);
  out.detail = 1 - by->adapt * even * (1 - SMOOTH * near);
  out.loose = by->adapt * (1 - t);
  return out;
}

int firn_grain_crumbs(const firn_grain_fit *by, const firn_grain *grain, float mass,
                      firn_grain out[FIRN_GRAIN_CRUMBS]) {
  if (by->whole) {
    out[0] = *grain;
    out[0].mass = mass;
    return 1;
  }
  float share[FIRN_GRAIN_CRUMBS], sum = 0;
  for (uint32_t i = 0; i < FIRN_GRAIN_CRUMBS; i++) {
    float u = firn_noise(grain->seed + 4 * i);
    share[i] = (i == 0 ? 0.9f : 0.05f) + u * u * u;
    sum += share[i];
  }
  for (uint32_t i = 0; i < FIRN_GRAIN_CRUMBS; i++) {
    firn_grain *c = &out[i];
    float far = (i == 0 ? 0.3f : 1) * FAR * by->spacing;
    *c = *grain;
    c->mass = mass * share[i] / sum;
    c->size = fmaxf(CRUMB * cbrtf(share[i] / sum), 1 / by->kernel);
    for (uint32_t a = 0; a < 3; a++)
      c->at[a] += far * (2 * firn_noise(grain->seed + 4 * i + 1 + a) - 1);
  }
  return FIRN_GRAIN_CRUMBS;
}
