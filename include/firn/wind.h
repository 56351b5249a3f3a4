// SPDX-License-Identifier: Apache-2.0
// Wind: the velocity of the air, which drags snow that it can reach. Its parts add up; one that is zero is
// not there. A wind of nothing is air at rest, which slows falling flakes; without a wind there is no air.
//
//   firn_wind_def wind = firn_default_wind_def();
//   wind.velocity[0] = 5;
//   wind.gust = 0.3;
//   firn_sim_set_wind(sim, &wind);
//
// docs/wind.md has the formulas.
#ifndef FIRN_WIND_H
#define FIRN_WIND_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_sim firn_sim; // sim.h

// What the uniform wind flows round, without friction.
typedef enum firn_wind_body {
  FIRN_WIND_BODY_NONE,
  FIRN_WIND_BODY_ELLIPSOID, // of radii along x, y, z
  FIRN_WIND_BODY_CYLINDER   // without ends, of radii[0] about the axis
} firn_wind_body;

typedef struct firn_wind_def {
  size_t size;        // of this struct: firn_default_wind_def() knows
  double velocity[3]; // m/s, everywhere

  // Gusts: velocity times 1 + gust ((1 - gust_noise) sin(2 pi t / gust_period) + gust_noise n(t)), with
  // noise n in [-1, 1] that changes within gust_period.
  double gust;        // share of the velocity
  double gust_period; // s
  double gust_noise;  // 0: a sine; 1: noise

  // A vortex about an axis: 2 swirl (r / R) / (1 + (r / R)^2), which is greatest at the radius R.
  double swirl;           // m/s, right-handed about the axis
  double swirl_center[3]; // m
  double swirl_axis[3];   // any length
  double swirl_radius;    // m

  // Turbulence: the curl of noise, without sources, that moves along with drift.
  double turbulence;            // m/s: root of the mean square
  double turbulence_wavelength; // m, of the first octave
  int turbulence_octaves;       // each half as long and, as velocity, as strong; 0: 1
  double turbulence_drift[3];   // m/s

  firn_wind_body body;
  double body_center[3]; // m
  double body_radii[3];  // m
  double body_axis[3];   // of the cylinder; any length

  // Velocities on a lattice, linear between its nodes and as on its faces beyond them; added.
  int grid_nodes[3];           // along x, y, z; 0: none, or two or more each
  double grid_origin[3];       // m: the first node
  double grid_spacing[3];      // m
  const double *grid_velocity; // m/s: [nodes z][nodes y][nodes x][3]; copied; or
  const char *grid_file;       // CSV or PLY with x, y, z, vx, vy, vz, a row a node in any order

  double air_density;   // kg/m^3
  double air_viscosity; // Pa s
  uint64_t seed;        // of the noises, besides that of the simulation
} firn_wind_def;

// air at rest, 20 degrees C
FIRN_API void firn_wind_def_init(firn_wind_def *def, size_t size);
static inline firn_wind_def firn_default_wind_def(void) {
  firn_wind_def def;
  firn_wind_def_init(&def, sizeof def);
  return def;
}
// From now on; NULL: no air.
FIRN_API firn_status firn_sim_set_wind(firn_sim *sim, const firn_wind_def *def);
// The uniform part only.
FIRN_API firn_status firn_sim_set_wind_velocity(firn_sim *sim, const double velocity[3]);
// m/s, at a place and a time; 0 without a wind.
FIRN_API void firn_sim_wind_at(const firn_sim *sim, const double position[3], double time,
                               double out[3]);

#ifdef __cplusplus
}
#endif

#endif
