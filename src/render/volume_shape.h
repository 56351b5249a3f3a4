// SPDX-License-Identifier: Apache-2.0
// The kernel of a grain, by what is around it.
//
// With adapt = 0 kernels are as wide as the brush, and narrower across a surface. With adapt = 1 they go by
// how the snow lies. Packed snow is seen as a surface, not as grains: there they lie flat in it, so wide
// that many share each place, and thin across it, so that edges stay. Loose snow is seen grain by grain,
// and a grain stands for many that are finer: it is drawn as crumbs, no two alike. What is between the two
// gives part of its mass to either, and everything follows from where the neighbours are, so that nothing
// jumps while snow moves.
#ifndef FIRN_RENDER_VOLUME_SHAPE_H
#define FIRN_RENDER_VOLUME_SHAPE_H

#include "render/volume_grain.h"

// The neighbours of a grain, itself among them, in a window.
typedef struct firn_grain_company {
  double window;      // voxels^3: its weights sum to this times the density in endless snow
  double endless;     // voxels^2: the variance that there is along each axis then
  double mass;        // kg
  double variance[3]; // voxels^2, along the principal axes
  double axis[3][3];  // these, in columns
} firn_grain_company;

// Voxels, width of the window in which neighbours are looked for that grains adapt to.
float firn_grain_window(const firn_grain_fit *by);
// Voxels, no kernel of a grain of size 1 is wider, nor do its crumbs reach farther than two of these.
float firn_grain_widest(const firn_grain_fit *by);
// Voxels from a grain of size 1 to where its crumbs end.
float firn_grain_crumbs_reach(const firn_grain_fit *by);

firn_grain_shape firn_grain_shape_of(const firn_grain_fit *by, const firn_grain *grain,
                                     const firn_grain_company *company);

// What a grain is drawn as where it is loose: round ones that have this mass together, one large and
// others small, at places around it that its seed knows. One that has a size of its own stays whole.
enum { FIRN_GRAIN_CRUMBS = 5 };
int firn_grain_crumbs(const firn_grain_fit *by, const firn_grain *grain, float mass,
                      firn_grain out[FIRN_GRAIN_CRUMBS]);

#endif
