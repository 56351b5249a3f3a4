// SPDX-License-Identifier: Apache-2.0
#include "render/sky_air.h"

#include "base/memory.h"
#include "render/fade.h"

#define PI              3.14159265358979324
#define MOLECULES_SCALE 8000.0 // m, height in which density falls to 1/e
#define HAZE_SCALE      1200.0 // m
#define HAZE_ALBEDO     0.94   // of one scattering event
#define OZONE_MIDDLE    25e3   // m, densest here
#define OZONE_REACH     15e3   // m, none farther away

static double wave_of(int i) { // um
  return 0.4 + 0.03 * i;
}

// A bell with different widths to both sides.
static double bell(double wave, double middle, double below, double above) {
  double d = (wave - middle) / (wave < middle ? below : above);
  return exp(-0.5 * d * d);
}

// Colours of the twelve bands: the eye's matching functions as sums of bells (Wyman et al. 2013),
// averaged over 30 nm, in linear Rec. 709; and the sun's spectrum, scaled to FIRN_SUN_ABOVE.
static void fill_colors(firn_air *air) {
  // W/(m2 nm), means over 30 nm of the extraterrestrial spectrum (ASTM E490).
  static const double sun[FIRN_WAVES] = {1.535, 1.738, 2.026, 1.936, 1.864, 1.845,
                                         1.810, 1.711, 1.591, 1.514, 1.409, 1.314};
  double luminance = 0;
  for (int i = 0; i < FIRN_WAVES; i++) {
    double x = 0, y = 0, z = 0;
    for (int k = 0; k < 15; k++) {
      double w = 1000 * wave_of(i) - 14 + 2 * k; // nm
      x += 1.056 * bell(w, 599.8, 37.9, 31.0) + 0.362 * bell(w, 442.0, 16.0, 26.7) -
           0.065 * bell(w, 501.1, 20.4, 26.2);
      y += 0.821 * bell(w, 568.8, 46.9, 40.5) + 0.286 * bell(w, 530.9, 16.3, 31.1);
      z += 1.217 * bell(w, 437.0, 11.8, 36.0) + 0.681 * bell(w, 459.0, 26.0, 13.8);
    }
    luminance += y * sun[i];
    air->color[i] = (firn_v3){(float)(3.2409699 * x - 1.5373832 * y - 0.4986108 * z),
                              (float)(-0.9692436 * x + 1.8759675 * y + 0.0415551 * z),
                              (float)(0.0556301 * x - 0.2039770 * y + 1.0569715 * z)};
  }
  for (int i = 0; i < FIRN_WAVES; i++) air->sun.v[i] = (float)(sun[i] * FIRN_SUN_ABOVE / luminance);
}

static void fill_matter(firn_air *air, double turbidity) {
  // 1e-25 m2, cross section of an ozone molecule (Chappuis band); 300 Dobson units in a tent.
  static const double ozone[FIRN_WAVES] = {0.015, 0.085, 0.37, 0.90, 2.14, 3.50,
                                           4.40,  4.31,  2.66, 1.47, 0.75, 0.42};
  const double column = 300 * 2.687e20;                           // 1/m2
  const double molecules = 0.0976, haze = 0.05 * (turbidity - 1); // optical thickness at 550 nm
  for (int i = 0; i < FIRN_WAVES; i++) {
    double ratio = 0.55 / wave_of(i);
    air->molecules.v[i] = (float)(molecules / MOLECULES_SCALE * pow(ratio, 4.08));
    air->haze.v[i] = (float)(haze / HAZE_SCALE * pow(ratio, 1.3));
    air->ozone.v[i] = (float)(ozone[i] * 1e-25 * column / OZONE_REACH);
  }
}

void firn_air_at(const firn_air *air, double height, firn_air_here *out) {
  const float molecules = (float)exp(-height / MOLECULES_SCALE);
  const float haze = (float)exp(-height / HAZE_SCALE);
  const float ozone = (float)fmax(0, 1 - fabs(height - OZONE_MIDDLE) / OZONE_REACH);
  for (int i = 0; i < FIRN_WAVES; i++) {
    out->rayleigh.v[i] = molecules * air->molecules.v[i];
    out->mie.v[i] = (float)HAZE_ALBEDO * haze * air->haze.v[i];
    out->extinction.v[i] = molecules * air->molecules.v[i] + haze * air->haze.v[i] +
                           ozone * air->ozone.v[i];
  }
}

void firn_air_thin(firn_air_here *here) {
  for (int i = 0; i < FIRN_WAVES; i++) {
    float ahead = (float)FIRN_HAZE_G * here->mie.v[i];
    here->mie.v[i] -= ahead;
    here->extinction.v[i] -= ahead;
  }
}

void firn_air_pass(const firn_air_here *here, double length, firn_spectrum *share,
                   firn_spectrum *sum) {
  for (int i = 0; i < FIRN_WAVES; i++) {
    float k = here->extinction.v[i], tau = k * (float)length;
    share->v[i] = firn_fade(tau);
    sum->v[i] = tau > 1e-3f ? (1 - share->v[i]) / k : (float)length * (1 - 0.5f * tau);
  }
}

double firn_air_length(double radius, double cosine, bool *ground) {
  const double top = FIRN_EARTH + FIRN_AIR_TOP, b = radius * cosine;
  const double below = b * b - radius * radius + FIRN_EARTH * FIRN_EARTH;
  *ground = cosine < 0 && below >= 0;
  if (*ground) return fmax(0, -b - sqrt(below));
  return fmax(0, -b + sqrt(fmax(0, b * b - radius * radius + top * top)));
}

// Tables of light through the air are laid out by the length of the ray (Bruneton and Neyret 2008,
// section 4), which is fine where the sun is low.
static void shortest_and_longest(double radius, double *shortest, double *longest) {
  const double top = FIRN_EARTH + FIRN_AIR_TOP;
  *shortest = top - radius;
  *longest = sqrt(fmax(0, radius * radius - FIRN_EARTH * FIRN_EARTH)) +
             sqrt(top * top - FIRN_EARTH * FIRN_EARTH);
}

static void fill_through(firn_air *air) {
  enum { STEPS = 40 };
  const double top = FIRN_EARTH + FIRN_AIR_TOP;
  for (int i = 0; i < FIRN_AIR_HEIGHTS; i++) {
    const double s = (double)i / (FIRN_AIR_HEIGHTS - 1), r = FIRN_EARTH + FIRN_AIR_TOP * s * s;
    double shortest, longest;
    shortest_and_longest(r, &shortest, &longest);
    for (int j = 0; j < FIRN_AIR_ANGLES; j++) {
      const double d = shortest + (longest - shortest) * j / (FIRN_AIR_ANGLES - 1);
      const double cosine = d > 0 ? fmin(1, (top * top - r * r - d * d) / (2 * r * d)) : 1;
      firn_spectrum tau = {{0}}, thin = {{0}};
      for (int k = 0; k < STEPS; k++) { // finer at the near end, where air is densest
        const double a = (double)k / STEPS, b = (k + 1.0) / STEPS, m = (k + 0.5) / STEPS;
        const double t = d * m * m, h = sqrt(r * r + t * t + 2 * r * t * cosine) - FIRN_EARTH;
        firn_air_here here;
        const float step = (float)(d * (b * b - a * a));
        firn_air_at(air, fmax(0, h), &here);
        for (int w = 0; w < FIRN_WAVES; w++) tau.v[w] += here.extinction.v[w] * step;
        firn_air_thin(&here);
        for (int w = 0; w < FIRN_WAVES; w++) thin.v[w] += here.extinction.v[w] * step;
      }
      for (int w = 0; w < FIRN_WAVES; w++) {
        air->through[i][j].v[w] = expf(-tau.v[w]);
        air->ahead[i][j].v[w] = expf(-thin.v[w]);
      }
    }
  }
}

firn_spectrum firn_spectrum_between(const firn_spectrum *table, int down, int across, double x,
                                    double y) {
  x = fmin(fmax(x, 0), across - 1);
  y = fmin(fmax(y, 0), down - 1);
  int j = x < across - 2 ? (int)x : across - 2, i = y < down - 2 ? (int)y : down - 2;
  const float s = (float)(x - j), t = (float)(y - i);
  const firn_spectrum *a = table + (size_t)i * (size_t)across + j, *b = a + across;
  firn_spectrum out;
  for (int w = 0; w < FIRN_WAVES; w++) {
    float above = a[0].v[w] + s * (a[1].v[w] - a[0].v[w]);
    float below = b[0].v[w] + s * (b[1].v[w] - b[0].v[w]);
    out.v[w] = above + t * (below - above);
  }
  return out;
}

// From a table of light that comes in; 0 where the earth is in the way.
static firn_spectrum coming_in(const firn_spectrum *table, double radius, double cosine) {
  bool ground;
  const double d = firn_air_length(radius, cosine, &ground);
  if (ground) return (firn_spectrum){{0}};
  double shortest, longest;
  shortest_and_longest(radius, &shortest, &longest);
  const double y = sqrt(fmax(0, radius - FIRN_EARTH) / FIRN_AIR_TOP) * (FIRN_AIR_HEIGHTS - 1);
  const double x = (d - shortest) / fmax(longest - shortest, 1) * (FIRN_AIR_ANGLES - 1);
  return firn_spectrum_between(table, FIRN_AIR_HEIGHTS, FIRN_AIR_ANGLES, x, y);
}

firn_spectrum firn_air_through(const firn_air *air, double radius, double cosine) {
  return coming_in(air->through[0], radius, cosine);
}

firn_spectrum firn_air_ahead(const firn_air *air, double radius, double cosine) {
  return coming_in(air->ahead[0], radius, cosine);
}

firn_status firn_air_create(firn_context *context, double turbidity, firn_air **out) {
  firn_air *air = *out = firn_alloc_zero(context, sizeof *air, "tables of the sky");
  if (!air) return FIRN_ERROR_MEMORY;
  fill_colors(air);
  fill_matter(air, turbidity);
  fill_through(air);
  firn_air_fill_many(context, air);
  return FIRN_OK;
}

void firn_air_free(firn_context *context, firn_air *air) {
  if (air) firn_free(context, air, sizeof *air);
}

firn_v3 firn_air_color(const firn_air *air, const firn_spectrum *s) {
  firn_v3 sum = {0, 0, 0};
  for (int w = 0; w < FIRN_WAVES; w++) {
    sum = firn_v3_add(sum, firn_v3_scale(s->v[w], air->color[w]));
  }
  // Colours purer than a screen's lose their negative part.
  return (firn_v3){fmaxf(sum.x, 0), fmaxf(sum.y, 0), fmaxf(sum.z, 0)};
}
