// SPDX-License-Identifier: Apache-2.0
// The nodes of patches (clump.h) by rows of four. They lie as one run of nodes, so a row may go
// over from one line of the patch to the next.
#ifndef FIRN_SOLVER_MPM_KERNELS_CLUMP_LANE_H
#define FIRN_SOLVER_MPM_KERNELS_CLUMP_LANE_H

#include "solver/mpm/kernels_clump.h"
#include "solver/mpm/kernels_few.h"
#include "solver/mpm/kernels_parcel.h"

static inline bool row_has_mass(row16 mass) {
  bool any = false;
  for (int k = 0; k < FIRN_ROW_PARTS; k++) any |= lmask_any(lane_gt(mass.r[k], lane_zero()));
  return any;
}

static void patch_nodes(const mpm_view *view, size_t b) {
  const node_math math = node_math_of(view, !view->apic);
  firn_real *v = view->arena + view->box[b].arena, *u = v + view->patch_channel;
  size_t reals = mpm_patch_reals(&view->box[b]);
  for (size_t r = 0; r < reals; r += 16) {
    row16 momentum = row_load(v + r), mass = row_broadcast_w(momentum), old = math.zero;
    row16 now = math.zero;
    if (row_has_mass(mass)) now = accelerate(&math, momentum, mass, u + r, &old);
    row_store(v + r, row_blend_w(now, momentum));
    if (math.flip) row_store(u + r, old);
  }
}

static void patch_masses(const mpm_view *view, size_t b, const mpm_patch_vectors *vectors) {
  const row16 zero = row_zero(), one = row_set1(1), floor_ = row_set1(view->mass_floor);
  size_t first = view->box[b].arena, end = first + mpm_patch_reals(&view->box[b]);
  for (size_t r = first; r < end; r += 16) {
    row16 mass = row_broadcast_w(row_load(view->node_v + r)), inverse = zero;
    mass = row_select_gt(mass, floor_, mass, zero);
    if (row_has_mass(mass)) inverse = row_select_gt(mass, zero, row_div(one, mass), zero);
    row_store(vectors->mass + r, row_blend_w(mass, zero));
    row_store(vectors->inverse + r, row_blend_w(inverse, zero));
  }
}

static double patch_finish(const mpm_view *view, size_t b) {
  const node_math math = node_math_of(view, !view->apic);
  const row16 huge = row_set1(INFINITY), tiny = row_set1(-INFINITY);
  firn_real *v = view->arena + view->box[b].arena, *u = v + view->patch_channel;
  size_t reals = mpm_patch_reals(&view->box[b]);
  row16 low = huge, high = tiny;
  for (size_t r = 0; r < reals; r += 16) {
    row16 now = row_load(v + r), mass = row_broadcast_w(now);
    low = row_min(low, row_select_gt(mass, math.floor, now, huge));
    high = row_max(high, row_select_gt(mass, math.floor, now, tiny));
    if (math.flip) blend_rows(&math, u + r, now);
  }
  store_range(view, b, low, high);
  return mpm_spread_of(view->node_lo + 3 * b, view->node_hi + 3 * b);
}

#endif
