// SPDX-License-Identifier: Apache-2.0
#include "render/bsdf.h"

#include "render/ray.h"

#define PI          3.14159265358979324f
#define LEAST_ALPHA 2e-3f // smoother than this floats do not resolve the peak

// All directions below are in a frame whose z is the normal; w comes from the eye, i goes to light.

static float shadow(float alpha, firn_v3 w) { // Smith's Lambda
  float c2 = w.z * w.z;
  if (c2 <= 0) return INFINITY;
  return 0.5f * (sqrtf(1 + alpha * alpha * (w.x * w.x + w.y * w.y) / c2) - 1);
}

static float facets(float alpha, firn_v3 h) { // D; written without 1 - cos^2, which would cancel
  float a2 = alpha * alpha, s = (h.x * h.x + h.y * h.y) / a2 + h.z * h.z;
  return 1 / (PI * a2 * s * s);
}

static float fresnel(float f0, float c) {
  float m = 1 - c, m2 = m * m;
  return f0 + (1 - f0) * m2 * m2 * m;
}

// A visible facet's normal (Heitz 2018; as spherical caps, Dupuy and Benyoub 2023).
static firn_v3 visible(float alpha, firn_v3 w, float u, float v) {
  firn_v3 s = firn_v3_unit((firn_v3){alpha * w.x, alpha * w.y, w.z});
  float phi = 2 * PI * u, z = (1 - v) * (1 + s.z) - s.z, r = sqrtf(fmaxf(0, 1 - z * z));
  firn_v3 h = {r * cosf(phi) + s.x, r * sinf(phi) + s.y, z + s.z};
  return firn_v3_unit((firn_v3){alpha * h.x, alpha * h.y, h.z});
}

// f cos of the coat and the density of its sampling.
static float coat_eval(const firn_coat *coat, firn_v3 w, firn_v3 i, float *pdf) {
  firn_v3 h = firn_v3_unit(firn_v3_add(w, i));
  float c = firn_v3_dot(w, h);
  *pdf = 0;
  if (!(c > 0) || !(w.z > 0) || !(i.z > 0)) return 0;
  float lw = shadow(coat->alpha, w), li = shadow(coat->alpha, i), d = facets(coat->alpha, h);
  *pdf = d / ((1 + lw) * 4 * w.z);
  return fresnel(coat->f0, c) * d / ((1 + lw + li) * 4 * w.z);
}

static float reflected(const firn_coat *coat, float c) {
  float x = fminf(fmaxf(c, 0), 1) * FIRN_COAT_BINS;
  int k = (int)x;
  if (k >= FIRN_COAT_BINS) return coat->reflects[FIRN_COAT_BINS];
  return coat->reflects[k] + (x - (float)k) * (coat->reflects[k + 1] - coat->reflects[k]);
}

void firn_coat_fill(float f0, float alpha, firn_coat *coat) {
  enum { SIDE = 32 };
  *coat = (firn_coat){.f0 = fminf(fmaxf(f0, 0), 1), .alpha = fminf(fmaxf(alpha, LEAST_ALPHA), 1)};
  for (int k = 0; k <= FIRN_COAT_BINS; k++) {
    // At grazing incidence: the limit, by a cosine just above 0.
    float c = k ? (float)k / FIRN_COAT_BINS : 1e-3f;
    firn_v3 w = {sqrtf(1 - c * c), 0, c};
    double sum = 0;
    for (int a = 0; a < SIDE; a++) {
      for (int b = 0; b < SIDE; b++) {
        firn_v3 h = visible(coat->alpha, w, ((float)a + 0.5f) / SIDE, ((float)b + 0.5f) / SIDE);
        float cosine = firn_v3_dot(w, h);
        firn_v3 i = firn_v3_sub(firn_v3_scale(2 * cosine, h), w);
        if (!(i.z > 0)) continue;
        float lw = shadow(coat->alpha, w), li = shadow(coat->alpha, i);
        sum += (double)(fresnel(coat->f0, cosine) * (1 + lw) / (1 + lw + li));
      }
    }
    coat->reflects[k] = fminf((float)(sum / (SIDE * SIDE)), 1);
  }
  // Mean of the straight pieces with weight 2 c dc, exactly, so that the base loses nothing.
  double mean = 0;
  for (int k = 0; k < FIRN_COAT_BINS; k++) {
    double c0 = (double)k / FIRN_COAT_BINS, h = 1.0 / FIRN_COAT_BINS;
    double e0 = (double)coat->reflects[k], e1 = (double)coat->reflects[k + 1];
    mean += 2 * h * (c0 * (e0 + e1) / 2 + h * (e0 / 6 + e1 / 3));
  }
  coat->mean = (float)mean;
}

// Share of samples that go to the coat.
static float to_coat(const firn_coat *coat, firn_v3 albedo, float c) {
  float e = reflected(coat, c), base = (1 - e) * (albedo.x + albedo.y + albedo.z) / 3;
  return e + base > 0 ? e / (e + base) : 0;
}

static firn_v3 into(firn_v3 n, firn_v3 a, firn_v3 b, firn_v3 v) {
  return (firn_v3){firn_v3_dot(a, v), firn_v3_dot(b, v), firn_v3_dot(n, v)};
}

static void local_eval(firn_v3 albedo, const firn_coat *coat, firn_v3 w, firn_v3 i, firn_v3 *value,
                       float *pdf) {
  *value = (firn_v3){0, 0, 0};
  *pdf = 0;
  if (!(w.z > 0) || !(i.z > 0)) return;
  const float lambert = i.z / PI;
  if (!coat) {
    *value = firn_v3_scale(lambert, albedo);
    *pdf = lambert;
    return;
  }
  float share = to_coat(coat, albedo, w.z), coat_pdf;
  float gloss = coat_eval(coat, w, i, &coat_pdf);
  // What passes the coat on the way in and out, over what passes on average.
  float base = 0, rest = 1 - coat->mean;
  if (rest > 1e-6f) base = lambert * (1 - reflected(coat, w.z)) * (1 - reflected(coat, i.z)) / rest;
  *value = firn_v3_add(firn_v3_scale(base, albedo), (firn_v3){gloss, gloss, gloss});
  *pdf = share * coat_pdf + (1 - share) * lambert;
}

void firn_bsdf_eval(firn_v3 albedo, const firn_coat *coat, firn_v3 normal, firn_v3 in, firn_v3 out,
                    firn_v3 *value, float *pdf) {
  firn_v3 a, b;
  firn_axes_about(normal, &a, &b);
  firn_v3 w = into(normal, a, b, firn_v3_scale(-1, in));
  local_eval(albedo, coat, w, into(normal, a, b, out), value, pdf);
}

bool firn_bsdf_sample(firn_v3 albedo, const firn_coat *coat, firn_v3 normal, firn_v3 in,
                      const float u[3], firn_v3 *out, firn_v3 *weight, float *pdf) {
  firn_v3 a, b, i, value;
  firn_axes_about(normal, &a, &b);
  firn_v3 w = into(normal, a, b, firn_v3_scale(-1, in));
  if (!(w.z > 0)) return false;
  if (coat && u[0] < to_coat(coat, albedo, w.z)) {
    firn_v3 h = visible(coat->alpha, w, u[1], u[2]);
    i = firn_v3_sub(firn_v3_scale(2 * firn_v3_dot(w, h), h), w);
  } else {
    float r = sqrtf(u[1]), phi = 2 * PI * u[2];
    i = (firn_v3){r * cosf(phi), r * sinf(phi), sqrtf(fmaxf(0, 1 - u[1]))};
  }
  local_eval(albedo, coat, w, i, &value, pdf);
  if (!(*pdf > 0)) return false;
  *weight = firn_v3_scale(1 / *pdf, value);
  *out = firn_v3_unit(firn_v3_add(firn_v3_add(firn_v3_scale(i.x, a), firn_v3_scale(i.y, b)),
                                  firn_v3_scale(i.z, normal)));
  return true;
}
