// SPDX-License-Identifier: Apache-2.0
// Materials: what the snow is made of.
#ifndef FIRN_MATERIAL_H
#define FIRN_MATERIAL_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// A constitutive law and its numbers. The default is the snow of Stomakhin et al. 2013, Table 2.
typedef struct firn_material_def {
  const char *law;  // "snow", "elastic" or "sand"
  double density;   // kg/m^3, at rest
  double young;     // Pa, Young's modulus
  double poisson;   // Poisson's ratio, -1 < nu < 1/2
  double theta_c;   // critical compression, 0 < theta_c < 1
  double theta_s;   // critical stretch, theta_s >= 0
  double hardening; // xi: stiffness grows as exp(xi (1 - J_P))
  double jp_min;    // bounds on J_P; 0 and infinity: as printed, no bound
  double jp_max;
  double friction_angle; // degrees, sand: that of its steepest slope, 0 < phi < 90
  double cohesion;       // Pa, sand: shear strength without pressure; 0: it runs
} firn_material_def;

FIRN_API firn_material_def firn_default_material_def(void);
// Named snow: "snow" (Table 2), "powder", "packing", "wet", "icy", "mud"; and "sand".
FIRN_API firn_status firn_material_preset(firn_context *context, const char *name,
                                          firn_material_def *out);
// The i-th preset's name and one line on what it looks like; NULL past the last.
FIRN_API const char *firn_material_preset_name(int i);
FIRN_API const char *firn_material_preset_doc(int i);

#ifdef __cplusplus
}
#endif

#endif
