// SPDX-License-Identifier: Apache-2.0
// The settings of the material point method.
#ifndef FIRN_MPM_H
#define FIRN_MPM_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_basis { FIRN_BASIS_CUBIC, FIRN_BASIS_QUADRATIC } firn_basis;
typedef enum firn_transfer {
  FIRN_TRANSFER_FLIP, // PIC/FLIP blend, as printed
  FIRN_TRANSFER_APIC  // affine particle-in-cell with the moving-least-squares force
} firn_transfer;
typedef enum firn_integrator {
  FIRN_INTEGRATOR_AUTO, // whichever is cheaper by its own count, step by step
  FIRN_INTEGRATOR_EXPLICIT,
  FIRN_INTEGRATOR_IMPLICIT
} firn_integrator;
typedef enum firn_krylov {
  FIRN_KRYLOV_CR, // conjugate residuals, as printed; falls back on MINRES on breakdown
  FIRN_KRYLOV_MINRES,
  FIRN_KRYLOV_CG // needs hessian PSD
} firn_krylov;
typedef enum firn_hessian { FIRN_HESSIAN_EXACT, FIRN_HESSIAN_PSD } firn_hessian;
typedef enum firn_preconditioner {
  FIRN_PRECONDITIONER_MASS,  // M^-1
  FIRN_PRECONDITIONER_BLOCK, // inverse of each node's 3x3 block of M + beta dt^2 K
  FIRN_PRECONDITIONER_STIFFNESS, // (m + beta dt^2 k)^-1 with a stiffness k that nodes get as they get mass
  FIRN_PRECONDITIONER_AUTO // the mass where solves take few iterations, else what took fewer
} firn_preconditioner;

// The material point method. Where the paper is silent or wrong a switch names both readings
// (docs/theory-mpm.md argues for each default).
typedef struct firn_mpm_def {
  size_t size; // of this struct: firn_default_mpm_def() knows
  firn_basis basis;
  firn_transfer transfer;
  double flip;            // alpha of the PIC/FLIP blend, 0 (PIC) to 1 (FLIP)
  bool flip_rescale;      // alpha belongs to a step of 5e-4 s; use alpha^(dt/5e-4)
  bool advect_pic;        // move particles with the PIC velocity, not the blended one
  bool volume_nominal;    // V0 = m/density, not from the grid's density at the first step
  bool hardening_density; // J_P by the density on the grid, not by plastic flow
  bool contact_node;      // implicit: project whole nodes at slipping contacts, not the normal
  bool collider_begin;    // sample colliders at the beginning of the step, not at its end
  bool particle_contact;  // collide particle velocities too (step 9)
  double push_out;        // push particles out that are deeper than this many cells; < 0: never
  firn_integrator integrator;
  double beta; // 1: backward Euler
  firn_krylov krylov;
  firn_hessian hessian;
  firn_preconditioner preconditioner;
  double tolerance; // relative residual of the solve
  int max_iterations;
  double dt;          // s, fixed step; 0: adaptive
  double dt_max;      // s, largest explicit or implicit step; 0: by h, see docs/theory-mpm.md
  double dt_min;      // s, give up below
  double cfl;         // advective: cells moved in a step at most
  double elastic_cfl; // longest explicit step, of h/(c + |v|); auto solves for what needs less
  double min_det;     // det(I + dt grad v) must stay above; otherwise the step is redone
  bool flight;        // particles that touch nothing leave the grid and shed their elastic strain
  // Blocks of snow that has settled may be left out of steps until something moves them. Not for
  // waves that move snow by less than this (docs/theory-mpm.md).
  bool sleep;
  double sleep_speed; // cells/s that the quickest particle of a block may do
  double sleep_drift; // cells that their mean may wander ...
  double sleep_time;  // s, ... for as long as this, before the block counts as settled
  // Contact where the surface is; false: nodes within colliders are held, as printed.
  bool contact_surface;
  char reserved[7]; // 0
  // Nodes that sticky colliders hold give particles the blend of PIC and FLIP, as printed; false:
  // PIC.
  bool sticky_blend;
  char reserved_2[7]; // 0
  double viscosity;   // m^2/s, of the transfer at any h and step; below 0: what flip makes of it
  // m, the h at which flip and softening in tension are as printed; from there the viscosity of the
  // blend goes as h, and the energy to open a crack stays. 0: that of the simulation.
  double reference_h;
} firn_mpm_def;

FIRN_API void firn_mpm_def_init(firn_mpm_def *def, size_t size);
static inline firn_mpm_def firn_default_mpm_def(void) {
  firn_mpm_def def;
  firn_mpm_def_init(&def, sizeof def);
  return def;
}

#ifdef __cplusplus
}
#endif

#endif
