// SPDX-License-Identifier: Apache-2.0
// Light that air and land have scattered before. In the air it is taken as even from all sides and
// all its orders as a geometric series (Hillaire 2020, section 5.5). Land is no part of that series:
// snowy land is far brighter than the sky above it, and an even light of the mean of both would have
// it reflect more than it gets. It reflects what sun and sky send, which needs the light in the air,
// which needs that of the land: two rounds are enough, since the air sends little back.
#include "base/parallel.h"
#include "render/sky_air.h"

#define PI 3.14159265358979324

// Cosines of the sun's angle in the tables, closer near the horizon.
static double sun_cosine(int j) {
  double s = -0.4 + 1.4 * j / (FIRN_AIR_SUNS - 1);
  return s * fabs(s);
}
static double sun_place(double cosine) {
  double s = copysign(sqrt(fabs(cosine)), cosine);
  return (s + 0.4) / 1.4 * (FIRN_AIR_SUNS - 1);
}

firn_spectrum firn_air_many(const firn_air *air, double radius, double cosine) {
  const double y = sqrt(fmax(0, radius - FIRN_EARTH) / FIRN_AIR_TOP) * (FIRN_AIR_SLABS - 1);
  return firn_spectrum_between(air->many[0], FIRN_AIR_SLABS, FIRN_AIR_SUNS, sun_place(cosine), y);
}

firn_spectrum firn_air_land(const firn_air *air, double cosine) {
  const firn_spectrum sun = firn_air_through(air, FIRN_EARTH, cosine);
  const double x = fmin(fmax(sun_place(cosine), 0), FIRN_AIR_SUNS - 1);
  const int j = x < FIRN_AIR_SUNS - 2 ? (int)x : FIRN_AIR_SUNS - 2;
  const float t = (float)(x - j);
  firn_spectrum out;
  for (int w = 0; w < FIRN_WAVES; w++) {
    float direct = sun.v[w] * air->sun.v[w] * (float)(fmax(0, cosine) / PI);
    float sky = air->above[j].v[w] + t * (air->above[j + 1].v[w] - air->above[j].v[w]);
    out.v[w] = (float)FIRN_AIR_LAND * (direct + sky);
  }
  return out;
}

// One entry: light that reaches a point from the land or after exactly one event elsewhere, from all
// sides, and what part of an even light around would come back from the air; the rest is a geometric
// series.
static void fill_many_at(const firn_air *air, double radius, double cosine, firn_spectrum *out) {
  enum { UP = 8, AROUND = 4, STEPS = 16 };
  firn_spectrum first = {{0}}, back = {{0}};
  const double sine = sqrt(fmax(0, 1 - cosine * cosine));
  for (int n = 0; n < UP * AROUND; n++) {
    const double c = 1 - 2 * (n / AROUND + 0.5) / UP, phi = PI * (n % AROUND + 0.5) / AROUND;
    const double to_sun = cosine * c + sine * sqrt(1 - c * c) * cos(phi);
    bool ground;
    const double length = firn_air_length(radius, c, &ground);
    firn_spectrum passed;
    for (int w = 0; w < FIRN_WAVES; w++) passed.v[w] = 1.0f / (UP * AROUND);
    for (int k = 0; k < STEPS; k++) {
      const double a = (double)k / STEPS, b = (k + 1.0) / STEPS, m = (k + 0.5) / STEPS;
      const double t = length * m * m, step = length * (b * b - a * a);
      const double r = sqrt(radius * radius + t * t + 2 * radius * t * c);
      firn_air_here here;
      firn_air_at(air, r - FIRN_EARTH, &here);
      firn_air_thin(&here);
      firn_spectrum light = firn_air_ahead(air, r, (radius * cosine + t * to_sun) / r);
      firn_spectrum share, sum;
      firn_air_pass(&here, step, &share, &sum);
      for (int w = 0; w < FIRN_WAVES; w++) {
        float scattered = passed.v[w] * (here.rayleigh.v[w] + here.mie.v[w]) * sum.v[w];
        back.v[w] += scattered;
        first.v[w] += scattered * light.v[w] * air->sun.v[w] * (float)(0.25 / PI);
        passed.v[w] *= share.v[w];
      }
    }
    if (!ground) continue;
    const firn_spectrum land = firn_air_land(air, (radius * cosine + length * to_sun) / FIRN_EARTH);
    for (int w = 0; w < FIRN_WAVES; w++) first.v[w] += passed.v[w] * land.v[w];
  }
  for (int w = 0; w < FIRN_WAVES; w++) out->v[w] = first.v[w] / fmaxf(0.05f, 1 - back.v[w]);
}

// Mean of the sky as level land sees it: directions are even in the square of their cosine.
static firn_spectrum fill_above_at(const firn_air *air, double cosine) {
  enum { UP = 6, AROUND = 8 };
  const double sine = sqrt(fmax(0, 1 - cosine * cosine));
  firn_spectrum sum = {{0}};
  for (int n = 0; n < UP * AROUND; n++) {
    const double c = sqrt((n / AROUND + 0.5) / UP), phi = PI * (n % AROUND + 0.5) / AROUND;
    const double to_sun = cosine * c + sine * sqrt(1 - c * c) * cos(phi);
    firn_spectrum through;
    bool ground;
    firn_spectrum sky = firn_air_glow(air, FIRN_EARTH + 1, c, to_sun, cosine, &through, &ground);
    for (int w = 0; w < FIRN_WAVES; w++) sum.v[w] += sky.v[w] / (UP * AROUND);
  }
  return sum;
}

void firn_air_fill_many(firn_context *context, firn_air *air) {
  enum { ROUNDS = 2 };
  FIRN_PARALLEL(context) {
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(dynamic, 8)
      for (int n = 0; n < FIRN_AIR_SLABS * FIRN_AIR_SUNS; n++) {
        const int i = n / FIRN_AIR_SUNS, j = n % FIRN_AIR_SUNS;
        const double s = (double)i / (FIRN_AIR_SLABS - 1);
        fill_many_at(air, FIRN_EARTH + 1 + (FIRN_AIR_TOP - 2) * s * s, sun_cosine(j),
                     &air->many[i][j]);
      }
#pragma omp for schedule(dynamic, 1)
      for (int j = 0; j < FIRN_AIR_SUNS; j++) air->above[j] = fill_above_at(air, sun_cosine(j));
    }
  }
}
