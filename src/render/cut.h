// SPDX-License-Identifier: Apache-2.0
// Parts of the snow that a picture leaves out, so that one sees inside.
#ifndef FIRN_RENDER_CUT_H
#define FIRN_RENDER_CUT_H

#include <firn/render.h>

#include "base/context.h"
#include "render/volume.h"

// As given, with unit normals.
typedef struct firn_cuts {
  int count;
  firn_cut_def cut[FIRN_CUTS];
} firn_cuts;

// Fails where a normal has no direction, a number is not finite, or there are too many. what begins the
// message: "render".
firn_status firn_cuts_make(firn_context *context, const char *what, int count,
                           const firn_cut_def *cuts, firn_cuts *out);

// Above 0 where x is left out; near the face of a cut, the distance to it.
static inline double firn_cuts_depth(const firn_cuts *cuts, const double x[3]) {
  double most = -(double)INFINITY;
  for (int c = 0; c < cuts->count; c++) {
    double least = (double)INFINITY;
    for (int i = 0; i < cuts->cut[c].count; i++) {
      const double *n = cuts->cut[c].plane[i];
      least = fmin(least, n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - n[3]);
    }
    most = fmax(most, least);
  }
  return most;
}

// Takes density away where cuts say so. origin is that of the stage, m. The face of a cut is as sharp as
// voxels allow: density falls over two of them.
void firn_volume_cut(firn_volume *volume, const firn_cuts *cuts, const double origin[3]);

#endif
