// SPDX-License-Identifier: Apache-2.0
// Ground and bodies in a picture, through Embree: meshes as triangles, all other shapes as user
// geometry whose rays walk along the signed distance.
#ifndef FIRN_RENDER_SURFACES_H
#define FIRN_RENDER_SURFACES_H

#include <firn/render.h>

#include "base/context.h"
#include "render/ray.h"
#include "render/solids.h"

typedef struct firn_surfaces firn_surfaces;

// A body: triangles, or a signed distance with a box around it (unbounded ground is cut to the box).
// Its motion while the shutter is open is that of its two poses.
typedef struct firn_surface_def {
  firn_look_def look;
  size_t vertex_count, triangle_count; // triangles; 0: by distance
  const float *vertex;      // m from the stage's origin, [vertex_count][3], shutter opens
  const float *vertex_shut; // the same as it shuts; NULL: does not move
  const uint32_t *triangle; // [triangle_count][3]
  firn_solid_fn distance;   // world metres, as in render/solids.h
  const void *user;
  int body;          // passed to distance
  firn_v3 low, high; // m from the stage's origin
  firn_v3 velocity;  // m/s, for the velocity plane
} firn_surface_def;
firn_status firn_surfaces_create(firn_context *context, int count, const firn_surface_def *defs,
                                 const double origin[3], firn_surfaces **out);
void firn_surfaces_free(firn_surfaces *surfaces); // NULL is allowed

typedef struct firn_hit {
  float t;           // m
  firn_v3 normal;    // unit, on the side the ray came from
  firn_v3 geometric; // the same without smoothing; offsets rays
  firn_v3 velocity;  // m/s, of the surface
  firn_v3 albedo;    // of the diffuse part
  float gloss;       // share of the glossy coat at normal incidence (Fresnel's F0), 0: none
  float roughness;   // of the coat, GGX alpha in (0, 1]
  int body;
} firn_hit;

// surfaces may be NULL: nothing is hit. most may be infinity.
bool firn_surfaces_hit(const firn_surfaces *surfaces, const firn_ray *ray, float most,
                       firn_hit *hit);
bool firn_surfaces_block(const firn_surfaces *surfaces, const firn_ray *ray, float most);

// Scattering at a hit. in is the direction the path came along (towards the surface), out leaves it.
// value holds f cos(theta) and pdf the density of firn_surface_sample, 1/sr.
void firn_surface_eval(const firn_hit *hit, firn_v3 in, firn_v3 out, firn_v3 *value, float *pdf);
// A direction, its weight f cos/pdf and its pdf; false: absorbed.
bool firn_surface_sample(const firn_hit *hit, firn_v3 in, const float u[3], firn_v3 *out,
                         firn_v3 *weight, float *pdf);

#endif
