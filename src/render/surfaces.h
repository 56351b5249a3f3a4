// SPDX-License-Identifier: Apache-2.0
// Ground and bodies in a picture, through Embree: meshes as triangles, half spaces as planes, all
// other shapes as user geometry whose rays walk along the signed distance.
#ifndef FIRN_RENDER_SURFACES_H
#define FIRN_RENDER_SURFACES_H

#include <firn/render.h>

#include "base/context.h"
#include "render/bsdf.h"
#include "render/ray.h"
#include "render/solids.h"

typedef struct firn_surfaces firn_surfaces;

// A body: triangles, a half space, or a signed distance with a box around it. Half spaces and other
// unbounded ground are cut to the box. Nothing of a def is kept but distance and user, which must
// live as long as the surfaces.
typedef struct firn_surface_def {
  firn_look_def look;
  size_t vertex_count, triangle_count; // triangles; 0: by plane or distance
  const float *vertex;      // m from the stage's origin, [vertex_count][3], shutter opens
  const float *vertex_shut; // the same as it shuts; NULL: does not move
  const uint32_t *triangle; // [triangle_count][3]
  bool smooth;              // normals of a mesh are interpolated, but for sharp edges
  double plane[4]; // unit normal n and d, world metres: solid where dot(n, x) < d; n = 0: none
  firn_solid_fn distance; // world metres, as in render/solids.h, as the shutter opens
  const void *user;
  int body;          // passed to distance, given back in hits
  firn_v3 low, high; // m from the stage's origin: box around all of it, as the shutter opens
  // How it moves: for the velocity plane, and for bodies by distance also while the shutter is open.
  firn_v3 velocity; // m/s
  firn_v3 spin;     // rad/s, about pivot
  firn_v3 pivot;    // m from the stage's origin, as the shutter opens
  double shutter;   // s that the shutter is open
} firn_surface_def;
firn_status firn_surfaces_create(firn_context *context, int count, const firn_surface_def *defs,
                                 const double origin[3], firn_surfaces **out);
void firn_surfaces_free(firn_surfaces *surfaces); // NULL is allowed

typedef struct firn_hit {
  float t;           // m
  float offset;      // m; a ray that goes on starts this far off the surface, see firn_hit_leave
  firn_v3 normal;    // unit, on the side the ray came from
  firn_v3 geometric; // the same without smoothing; offsets rays
  firn_v3 velocity;  // m/s, of the surface
  firn_v3 albedo;    // of the diffuse part
  const firn_coat *coat; // NULL: none
  bool holdout;          // the camera shall see a hole here
  int body;
} firn_hit;

// surfaces may be NULL: nothing is hit. most may be infinity. Any number of threads may ask at once.
bool firn_surfaces_hit(const firn_surfaces *surfaces, const firn_ray *ray, float most,
                       firn_hit *hit);
bool firn_surfaces_block(const firn_surfaces *surfaces, const firn_ray *ray, float most);

// How far around p nothing of any surface can be at any time the shutter is open: the distance to the
// nearest one, or less; at most most. Light that scatters in snow a thousand times then seldom has to
// ask for hits.
float firn_surfaces_clear(const firn_surfaces *surfaces, firn_v3 p, float most);

// Where a ray along out starts that leaves the surface at p = firn_ray_at(ray, hit->t).
static inline firn_v3 firn_hit_leave(const firn_hit *hit, firn_v3 p, firn_v3 out) {
  float side = firn_v3_dot(hit->geometric, out) < 0 ? -hit->offset : hit->offset;
  return firn_v3_add(p, firn_v3_scale(side, hit->geometric));
}

// Scattering at a hit. in is the direction the path came along (towards the surface), out leaves it.
// value holds f cos(theta) and pdf the density of firn_surface_sample, 1/sr.
void firn_surface_eval(const firn_hit *hit, firn_v3 in, firn_v3 out, firn_v3 *value, float *pdf);
// A direction, its weight f cos/pdf and its pdf; false: absorbed.
bool firn_surface_sample(const firn_hit *hit, firn_v3 in, const float u[3], firn_v3 *out,
                         firn_v3 *weight, float *pdf);

#endif
