// SPDX-License-Identifier: Apache-2.0
// The velocity of the air, a pure function of place and time, and what it does to particles.
#ifndef FIRN_WORLD_WIND_H
#define FIRN_WORLD_WIND_H

#include <firn/wind.h>

#include "base/memory.h"
#include "world/drag.h"

struct firn_world;

typedef struct firn_wind {
  bool on;
  firn_wind_def def; // axes of unit length; grid_velocity is a copy
  size_t grid_bytes;
  uint64_t seed;
  double unit[3];    // what potential flow needs of an ellipsoid: 1 / (2 - alpha_i(0))
  firn_buffer cells; // [blocks][64] kg, and
  firn_buffer sums;  // [blocks] of what drag has done
} firn_wind;

// One by itself, in place of what *w was; w is left alone on failure.
firn_status firn_wind_make(firn_wind *w, firn_context *context, uint64_t seed,
                           const firn_wind_def *given);
// m/s; 0 where it is not on. Any number of threads may ask at once.
void firn_wind_velocity(const firn_wind *w, const double position[3], double time, double out[3]);

// That of the world; NULL: no wind.
firn_status firn_world_set_wind(struct firn_world *world, const firn_wind_def *def);
firn_status firn_world_set_wind_velocity(struct firn_world *world, const double velocity[3]);
void firn_wind_free(firn_wind *wind, firn_context *context);
// The same wind with a grid of its own, bit by bit; *to is empty after a failure.
firn_status firn_wind_copy(firn_context *context, const firn_wind *from, firn_wind *to);
// wind_grid.c: the grid of a file, for def; out is the caller's, of this many bytes.
firn_status firn_wind_read_grid(firn_context *context, const char *path, firn_wind_def *def,
                                double **out, size_t *bytes);

// m/s; 0 without a wind. Any number of threads may ask at once.
void firn_wind_at(const struct firn_world *world, const double position[3], double time,
                  double out[3]);
static inline firn_air firn_wind_air(const firn_wind *wind) {
  return (firn_air){wind->def.air_density, wind->def.air_viscosity};
}

// m/s^2 of one flake, averaged over dt: of size h [m], density [kg/m^3], at this velocity through air that
// moves with wind [m/s]; crowd and exposure as in drag.h.
void firn_wind_acceleration(const firn_air *air, double h, double density, double crowd,
                            double exposure, const double velocity[3], const double wind[3],
                            double dt, double out[3]);

// drag.c: for solvers that do not know their particles' neighbours. With rho the density of the 27 cells
// of edge h around the one a particle lies in, and rho_0 that of its material,
//   exposure = (0.75 - rho / rho_0) / 0.5, within 0 and 1,   crowd = (rho - its own) / rho_0, up to 1:
// a lone flake feels all of the wind, the topmost cell of a snow cover a sixth to a half of it, and what
// lies deeper nothing.
// Reserve before anything moves: memory for the blocks as they are sorted now.
firn_status firn_world_reserve_drag(struct firn_world *world);
// Changes velocities by the drag within dt, with the wind at this time, except in blocks for which skip
// says so (NULL: none), and enters the energy in the ledger. Returns the square of the greatest speed of
// those that it reached, m^2/s^2.
typedef bool (*firn_skip_fn)(const void *user, size_t block);
double firn_world_drag(struct firn_world *world, double time, double dt, firn_skip_fn skip,
                       const void *user);

#endif
