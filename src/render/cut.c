// SPDX-License-Identifier: Apache-2.0
#include "render/cut.h"

#include <math.h>

#include "base/def.h"
#include "base/parallel.h"
#include "render/volume_grid.h"

static firn_status make_one(firn_context *context, const char *what, int c, const firn_cut_def *cut,
                            firn_cut_def *out) {
  FIRN_TRY(
      firn_room_check(context, "firn_cut_def", cut->room, sizeof cut->room / sizeof *cut->room));
  if (cut->count < 1 || cut->count > FIRN_CUT_PLANES)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: cut %d has %d planes; it takes 1 to %d",
                     what, c, cut->count, FIRN_CUT_PLANES);
  out->count = cut->count;
  for (int i = 0; i < cut->count; i++) {
    const double *n = cut->plane[i];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0 && isfinite(length) && isfinite(n[3])))
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: plane %d of cut %d, (%g %g %g) x > %g: its normal must have a length, "
                       "and all be finite",
                       what, i, c, n[0], n[1], n[2], n[3]);
    for (int k = 0; k < 4; k++) out->plane[i][k] = n[k] / length;
  }
  return FIRN_OK;
}

firn_status firn_cuts_make(firn_context *context, const char *what, int count,
                           const firn_cut_def *cuts, firn_cuts *out) {
  *out = (firn_cuts){0};
  if (count < 0 || count > FIRN_CUTS || (count && !cuts))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: %d cuts%s; there may be %d, and an array of them", what, count,
                     count && !cuts ? " and no array" : "", FIRN_CUTS);
  for (int c = 0; c < count; c++) FIRN_TRY(make_one(context, what, c, &cuts[c], &out->cut[c]));
  out->count = count;
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- volumes

// Share of the density that stays. Linear over two voxels, which is what lies between nodes, too.
static float kept(const firn_volume *v, const firn_cuts *cuts, const double x[3]) {
  double share = 0.5 - 0.5 * firn_cuts_depth(cuts, x) / (double)v->voxel;
  return (float)fmin(fmax(share, 0), 1);
}

// Whether anything is left of a block whose first node is at corner.
static bool cut_block(firn_volume *v, int32_t b, const firn_cuts *cuts, const double corner[3]) {
  uint16_t *node = v->density + (size_t)b * FIRN_BLOCK_NODES;
  bool any = false, touched = false;
  for (int i = 0; i < FIRN_BLOCK_NODES; i++) {
    const int at[3] = {i % FIRN_BLOCK_EDGE, i / FIRN_BLOCK_EDGE % FIRN_BLOCK_EDGE,
                       i / FIRN_BLOCK_EDGE / FIRN_BLOCK_EDGE};
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = corner[a] + at[a] * (double)v->voxel;
    float share = kept(v, cuts, x);
    touched = touched || share < 1;
    node[i] = (uint16_t)(share * (float)node[i] + 0.5f);
    any = any || node[i];
  }
  if (touched) v->minorant[b] = 0;
  return any;
}

void firn_volume_cut(firn_volume *v, const firn_cuts *cuts, const double origin[3]) {
  if (!cuts->count) return;
  const double low[3] = {(double)v->low.x, (double)v->low.y, (double)v->low.z};
  FIRN_PARALLEL_FOR(v->context, schedule(dynamic, 64))
  for (size_t cell = 0; cell < v->cells; cell++) {
    if (v->index[cell] < 0) continue;
    size_t nx = (size_t)v->size[0], ny = (size_t)v->size[1];
    const size_t at[3] = {cell % nx, cell / nx % ny, cell / nx / ny};
    double corner[3];
    for (int a = 0; a < 3; a++)
      corner[a] = origin[a] + low[a] + (double)(at[a] * FIRN_BLOCK) * (double)v->voxel;
    // An empty block of which nobody knows how far the next one is.
    if (!cut_block(v, v->index[cell], cuts, corner)) v->index[cell] = -1;
  }
}
