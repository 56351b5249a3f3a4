// SPDX-License-Identifier: Apache-2.0
// The settings of smoothed particle hydrodynamics.
#ifndef FIRN_SPH_H
#define FIRN_SPH_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_sph_pressure {
  FIRN_SPH_PRESSURE_EOS,  // compressible, by the equation of state p = lambda (rho/rho_0 - 1)
  FIRN_SPH_PRESSURE_IISPH // incompressible, p >= 0
} firn_sph_pressure;
typedef enum firn_sph_pressure_solver {
  FIRN_SPH_CHEBYSHEV, // semi-iteration over Jacobi's
  FIRN_SPH_JACOBI     // relaxed by 1/2, as printed
} firn_sph_pressure_solver;
typedef enum firn_sph_shear_solver {
  FIRN_SPH_CG,      // and BiCGSTAB where that does not get there
  FIRN_SPH_BICGSTAB // as printed
} firn_sph_shear_solver;
typedef enum firn_sph_split {
  FIRN_SPH_SPLIT_LAME,       // pressure has lambda tr(strain), shear 2 G strain
  FIRN_SPH_SPLIT_DEVIATORIC, // pressure has the bulk modulus, shear what is left
  FIRN_SPH_SPLIT_COMBINED    // shear has both, and there is no pressure
} firn_sph_split;

// Smoothed particle hydrodynamics after Gissler et al. 2020. Where the paper is silent or wrong a
// switch names both readings.
typedef struct firn_sph_def {
  size_t size; // of this struct: firn_default_sph_def() knows
  firn_sph_pressure pressure;
  firn_sph_pressure_solver pressure_solver;
  double pressure_tolerance; // mean |residual| over the density at rest
  int pressure_iterations;   // of one solve at most
  firn_sph_shear_solver shear_solver;
  double shear_tolerance; // relative residual
  int shear_iterations;   // of one solve at most
  bool warm_start;        // solves begin with what they found in the last step
  bool short_lists;       // neighbours in 16 bits, in float with SIMD: quicker, and rougher
  firn_sph_split split;
  int alternations;             // how often a step solves for both in turn
  bool rest_density_tracked;    // by the plastic volume, not by the density now (Eq. 21)
  bool source_divergence;       // of the pressure: by the velocity alone, not by the density
  double psi;                   // weight of the pressure on bodies; below 0: by `walls_printed`
  double phi;                   // packing of boundary samples; 0: by the kind of pressure
  double boundary_depth;        // spacings by which these lie below the surface
  bool boundary_density_akinci; // samples count as mass rho_0 V_b, not as volume that is taken
  bool f_predict_printed;       // F** = F + dt grad v**, without the factor F
  bool rotation_printed;        // keeps V S V^T of F = U S V^T, not U S U^T
  bool friction_printed;        // before the solves, not within that for shear
  bool barrier;                 // colliders stop particles that would pass between their samples
  double restitution;           // of lone particles on colliders
  double dt;                    // s, fixed step; 0: adaptive
  double dt_max;                // s, longest step
  double dt_min;                // s, give up below
  double cfl;                   // spacings moved in a step at most
  double force_cfl;             // of sqrt(spacing / acceleration)
  bool iisph_printed;           // what is too dense is thrown apart, and psi is in gradients alone
  char reserved[7];             // 0
  bool walls_printed; // colliders answer psi p and a third of the trace of the shear stress
  char reserved_2[7]; // 0
  // m, the spacing at which friction_viscosity and adhesion hold: at another one a surface keeps
  // its traction. 0: as printed, that which runs.
  double reference_spacing;
} firn_sph_def;

FIRN_API void firn_sph_def_init(firn_sph_def *def, size_t size);
static inline firn_sph_def firn_default_sph_def(void) {
  firn_sph_def def;
  firn_sph_def_init(&def, sizeof def);
  return def;
}

#ifdef __cplusplus
}
#endif

#endif
