// SPDX-License-Identifier: Apache-2.0
// A preview in the making: what preview.c gathers and preview_shade.c lights.
#ifndef FIRN_RENDER_PREVIEW_STAGE_H
#define FIRN_RENDER_PREVIEW_STAGE_H

#include "render/preview.h"

enum {
  FIRN_PREVIEW_SUPER = 2,  // samples along each axis of a pixel
  FIRN_PREVIEW_SMOOTH = 12 // samples to each side that depths are smoothed over, at most
};

typedef struct firn_preview_stage {
  firn_context *context;
  const firn_preview_shot *def;
  int width, height; // samples
  int stride;        // samples from row to row
  firn_preview_view view, sun;
  float reach; // m, half of what the sun's maps show
  firn_preview_buffer seen, lit;
  int smooth_radius; // samples
  float *depth;      // m along forward, of snow, smoothed, [height][stride]
  float *scratch;    // [height][stride]
  int body_lit_size; // samples
  float *body_lit;   // m from the sun's eye, of bodies, [body_lit_size][body_lit_size]
  float *body_depth; // m along forward, of bodies, a pixel
  float *joint;      // m along forward, of everything, a pixel
  float *open;       // share of the sky that is seen, a pixel
  int *body;         // a pixel; -1: none
  void *memory;      // all of these
  size_t bytes;
} firn_preview_stage;

// From the eye through a sample; its part along forward is 1.
static inline firn_v3 firn_preview_along(const firn_preview_stage *s, float x, float y) {
  float u = (x - 0.5f * (float)s->width) / s->view.scale;
  float v = (0.5f * (float)s->height - y) / s->view.scale;
  return firn_v3_add(s->view.pose.forward, firn_v3_add(firn_v3_scale(u, s->view.pose.right),
                                                       firn_v3_scale(v, s->view.pose.up)));
}

// Depth at which a ray from the eye meets the front of a plane, or infinity.
static inline float firn_preview_plane(const firn_preview_stage *s, firn_v3 along, int *plane) {
  const firn_solids *solids = s->def->solids;
  float nearest = INFINITY;
  *plane = -1;
  for (int i = 0; solids && i < solids->plane_count; i++) {
    const double *p = solids->plane[i], *o = s->def->origin;
    firn_v3 n = {(float)p[0], (float)p[1], (float)p[2]};
    float d = (float)(p[3] - p[0] * o[0] - p[1] * o[1] - p[2] * o[2]);
    float slope = firn_v3_dot(n, along), above = firn_v3_dot(n, s->view.pose.eye) - d;
    if (!(slope < 0 && above > 0)) continue; // seen from behind: it would hide everything
    float t = -above / slope;
    if (t < nearest) {
      nearest = t;
      *plane = i;
    }
  }
  return nearest;
}

// rgb is [def->height][def->width][3].
void firn_preview_shade(const firn_preview_stage *stage, uint8_t *rgb);

#endif
