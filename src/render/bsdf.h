// SPDX-License-Identifier: Apache-2.0
// How surfaces scatter: a diffuse base under a rough dielectric coat. The coat is a microfacet model
// (Walter et al. 2007, GGX; Schlick's Fresnel factor); what it does not reflect reaches the base in
// a way that keeps the energy exactly (Kelemen and Szirmay-Kalos 2001), so a white base stays white.
#ifndef FIRN_RENDER_BSDF_H
#define FIRN_RENDER_BSDF_H

#include <stdbool.h>

#include "render/vec.h"

enum { FIRN_COAT_BINS = 64 };

typedef struct firn_coat {
  float f0;                           // reflectance at normal incidence
  float alpha;                        // GGX roughness, in (0, 1]
  float reflects[FIRN_COAT_BINS + 1]; // share of light, over the cosine of incidence in equal steps
  float mean;                         // of reflects, over the cosine-weighted hemisphere
} firn_coat;
void firn_coat_fill(float f0, float alpha, firn_coat *coat);

// normal is on the side that -in and out are on. coat may be NULL.
void firn_bsdf_eval(firn_v3 albedo, const firn_coat *coat, firn_v3 normal, firn_v3 in, firn_v3 out,
                    firn_v3 *value, float *pdf);
bool firn_bsdf_sample(firn_v3 albedo, const firn_coat *coat, firn_v3 normal, firn_v3 in,
                      const float u[3], firn_v3 *out, firn_v3 *weight, float *pdf);

#endif
