// SPDX-License-Identifier: Apache-2.0
#include "render/surfaces.h"

firn_status firn_surfaces_create(firn_context *context, int count, const firn_surface_def *defs,
                                 const double origin[3], firn_surfaces **out) {
  (void)context;
  (void)count;
  (void)defs;
  (void)origin;
  *out = NULL;
  return FIRN_OK;
}

void firn_surfaces_free(firn_surfaces *surfaces) {
  (void)surfaces;
}

bool firn_surfaces_hit(const firn_surfaces *surfaces, const firn_ray *ray, float most,
                       firn_hit *hit) {
  (void)surfaces;
  (void)ray;
  (void)most;
  (void)hit;
  return false;
}

bool firn_surfaces_block(const firn_surfaces *surfaces, const firn_ray *ray, float most) {
  (void)surfaces;
  (void)ray;
  (void)most;
  return false;
}

void firn_surface_eval(const firn_hit *hit, firn_v3 in, firn_v3 out, firn_v3 *value, float *pdf) {
  firn_bsdf_eval(hit->albedo, hit->coat, hit->normal, in, out, value, pdf);
}

bool firn_surface_sample(const firn_hit *hit, firn_v3 in, const float u[3], firn_v3 *out,
                         firn_v3 *weight, float *pdf) {
  return firn_bsdf_sample(hit->albedo, hit->coat, hit->normal, in, u, out, weight, pdf);
}

float firn_surfaces_clear(const firn_surfaces *surfaces, firn_v3 p, float most) {
  (void)p;
  return surfaces ? 0 : most;
}
