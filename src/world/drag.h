// SPDX-License-Identifier: Apache-2.0
// The drag of air on a flake, which C and CUDA compile alike: Gissler et al. 2017, Generalized Drag
// Force for Particle-based Simulations, without the deformation of droplets, which snow does not know.
//
// A flake of size h is a ball of the same volume h^3, of radius l = (3 / 4 pi)^(1/3) h. With the velocity
// u of the flake through the air,
//
//   F = - 1/2 rho_a C A |u| u,   Re = 2 rho_a |u| l / mu_a,
//   C = 24/Re (1 + Re^(2/3) / 6) up to Re = 1000, 0.424 beyond,
//
// as long as it is alone. Among others, C goes to 1 and A from pi l^2 to h^2, in proportion to the share
// `crowd` of a full neighbourhood. `exposure`, 0 to 1, is the share of it that the air reaches.
#ifndef FIRN_WORLD_DRAG_H
#define FIRN_WORLD_DRAG_H

#include <math.h>

#include "base/device.h"

typedef struct firn_air {
  double density;   // kg/m^3
  double viscosity; // Pa s
} firn_air;

#define FIRN_AIR_DENSITY   1.2041
#define FIRN_AIR_VISCOSITY 1.845e-5

FIRN_HD double firn_drag_coefficient(double re) {
  if (re > 1000) return 0.424;
  return re > 0 ? 24 / re * (1 + cbrt(re * re) / 6) : (double)INFINITY;
}

// The k of du/dt = - k u, 1/s, for a flake of size h [m] and density [kg/m^3] that moves through the air
// at a speed [m/s]; and dk/dspeed, 1/m. At rest this is Stokes' law.
FIRN_HD double firn_drag_rate(const firn_air *air, double h, double density, double crowd,
                              double exposure, double speed, double *slope) {
  double l = 0.62035049089940001667 * h, pi = 3.14159265358979323846;
  double re = 2 * air->density * speed * l / air->viscosity;
  // C |u| and its slope: C itself is infinite at rest.
  double root = cbrt(re), stokes = 12 * air->viscosity / (air->density * l);
  double c = re > 1000 ? 0.424 * speed : stokes * (1 + root * root / 6);
  double dc = re > 1000 ? 0.424 : root > 0 ? 8 / (3 * root) : 0;
  double area = (1 - crowd) * pi * l * l + crowd * h * h;
  double unit = exposure * 0.5 * air->density * area / (density * h * h * h);
  *slope = unit * ((1 - crowd) * dc + crowd);
  return unit * ((1 - crowd) * c + crowd * speed);
}

// What is left of the velocity u through the air after dt: the s of u' = s u with u' = u - dt k(|u'|) u',
// implicit, so that no step is too long. f(s) = s (1 + dt k(s |u|)) - 1 rises, and so does its slope:
// Newton's method from s = 1 falls to the root.
FIRN_HD double firn_drag_factor(const firn_air *air, double h, double density, double crowd,
                                double exposure, double speed, double dt) {
  double s = 1;
  for (int i = 0; i < 30; i++) {
    double slope, k = firn_drag_rate(air, h, density, crowd, exposure, s * speed, &slope);
    double f = s * (1 + dt * k) - 1, df = 1 + dt * (k + s * speed * slope);
    s -= f / df;
    if (!(fabs(f) > 1e-12)) break;
  }
  return s;
}

#endif
