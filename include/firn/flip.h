// SPDX-License-Identifier: Apache-2.0
// The settings of FLIP: incompressible flow between particles and a grid.
#ifndef FIRN_FLIP_H
#define FIRN_FLIP_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_flip_kernel {
  FIRN_FLIP_KERNEL_SPH,    // radial, sharp for velocities and smooth for densities, as printed
  FIRN_FLIP_KERNEL_BSPLINE // quadratic B-splines both ways
} firn_flip_kernel;
typedef enum firn_flip_transfer {
  FIRN_FLIP_TRANSFER_FLIP, // particles take the change of the grid's velocity, and some of it itself
  FIRN_FLIP_TRANSFER_PIC,  // particles take the grid's velocity
  FIRN_FLIP_TRANSFER_APIC  // and its gradient with it
} firn_flip_transfer;

// FLIP after Takahashi et al. 2014 and Zhu and Bridson 2005. Where the papers are silent or wrong a switch
// names both readings (docs/theory-flip.md).
typedef struct firn_flip_def {
  size_t size; // of this struct: firn_default_flip_def() knows
  firn_flip_kernel kernel;
  firn_flip_transfer transfer;
  double flip;          // share of FLIP in the blend: 0 is PIC, 1 is FLIP
  bool flip_rescale;    // that belongs to a step of 5 ms; use flip^(dt/5 ms)
  bool advect_grid;     // particles move by the velocity where they are, in one stage, not two
  double push_out;      // cells: particles come no closer to colliders
  bool keep_volume;     // water keeps its density: crowded particles are moved apart
  double d0;            // durability of whole snow
  bool kb_printed;      // b = b_0 - k_b (d_0 - d): crushed snow takes less, not more
  bool durability_step; // durability falls with each step as printed, not with time
  double durability_threshold; // Pa, that do no harm
  bool viscosity_printed;      // mu_0 + k_f p, not mu_0 and what the yield condition asks for
  bool reproject;              // pressure once more after friction and cohesion
  bool clusters;               // what does not yield moves as rigid pieces
  double viscosity_tolerance;  // relative residual
  int viscosity_iterations;    // of one solve at most
  double pressure_tolerance;   // relative residual
  int pressure_iterations;     // of one solve at most
  double dt;                   // s, fixed step; 0: adaptive
  double dt_max;               // s, longest step
  double dt_min;               // s, give up below
  double cfl;                  // cells moved in a step at most
  bool surface_spheres;        // water ends with spheres around its particles, not by its density
  bool reserved[7];            // 0
  bool keep_momentum;          // what touches no collider keeps its momentum and angular momentum
  bool reserved_2[7];          // 0
  // m, the h at which `flip` and the yield condition are as printed: at another one snow keeps the
  // viscosity of the blend and yields at the same rate of shear. 0: that of the simulation.
  double reference_h;
} firn_flip_def;

FIRN_API void firn_flip_def_init(firn_flip_def *def, size_t size);
static inline firn_flip_def firn_default_flip_def(void) {
  firn_flip_def def;
  firn_flip_def_init(&def, sizeof def);
  return def;
}

#ifdef __cplusplus
}
#endif

#endif
