// SPDX-License-Identifier: Apache-2.0
// Snow: shapes filled with particles, and particles one by one.
#ifndef FIRN_FILL_H
#define FIRN_FILL_H

#include <firn/shape.h>
#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------- variety

// What may vary from particle to particle, each a bit: FIRN_PROPERTY_YOUNG and so on, of a material's
// numbers (material.h; a denser particle is a heavier one), the temperature and the packing.
enum firn_property_bit {
#define FIRN_BIT(CONSTANT, ...) FIRN_PROPERTY_BIT_##CONSTANT,
  FIRN_MATERIAL_LIST(FIRN_BIT, FIRN_BIT, FIRN_NO_NUMBER)
#undef FIRN_BIT
      FIRN_PROPERTY_BIT_TEMPERATURE,
  FIRN_PROPERTY_BIT_PACKING,
  FIRN_PROPERTY_COUNT
};
typedef enum firn_property {
#define FIRN_BIT(CONSTANT, ...) FIRN_PROPERTY_##CONSTANT = 1 << FIRN_PROPERTY_BIT_##CONSTANT,
  FIRN_MATERIAL_LIST(FIRN_BIT, FIRN_BIT, FIRN_NO_NUMBER)
#undef FIRN_BIT
      FIRN_PROPERTY_TEMPERATURE = 1 << FIRN_PROPERTY_BIT_TEMPERATURE, // starts at the fill's, K
  FIRN_PROPERTY_PACKING = 1 << FIRN_PROPERTY_BIT_PACKING // starts at 1: the share that is placed
} firn_property;

// Where a variation acts, as a weight w from 0 to 1.
typedef enum firn_variation_by {
  FIRN_VARIATION_EVERYWHERE, // w = 1
  FIRN_VARIATION_DEPTH,      // metres below the surface of the fill's shape lie in range
  FIRN_VARIATION_HEIGHT,     // metres along axis from the origin lie in range
  FIRN_VARIATION_MASK,       // inside a shape
  FIRN_VARIATION_FUNCTION    // as a function of yours says
} firn_variation_by;

// The weight at a position in metres. Called by several threads at once.
typedef double (*firn_weight_fn)(void *user, const double position[3]);

// value <- (value (1 + w (factor - 1)) + w offset) (1 + w amplitude noise), noise in [-1, 1].
typedef struct firn_variation_def {
  size_t size; // of this struct: firn_default_variation_def() knows
  unsigned of; // FIRN_PROPERTY_*, several with |
  firn_variation_by by;
  double range[2];     // m, by depth or height: from, to; may be infinite
  double blend;        // m: the weight falls from 1 to 0 over this distance outside range or mask
  double axis[3];      // by height: up; (0 0 0) means (0 1 0)
  firn_shape_def mask; // by mask
  firn_weight_fn weight;
  void *weight_user;
  double factor;     // 1: none
  double offset;     // in the property's own unit
  double amplitude;  // of the noise: 0.5 is +-50 %
  double wavelength; // m, of the noise
  int octaves;       // of the noise, each half as long and half as strong; 0 means 1
  uint64_t seed;     // of the noise, besides the simulation's
} firn_variation_def;

FIRN_API void firn_variation_def_init(firn_variation_def *def, size_t size);
static inline firn_variation_def firn_default_variation_def(void) {
  firn_variation_def def;
  firn_variation_def_init(&def, sizeof def);
  return def;
}

// ----------------------------------------------------------------------------------- filling

typedef enum firn_seeding {
  FIRN_SEEDING_RANDOM,   // uniform in each cell, as in the paper
  FIRN_SEEDING_JITTERED, // one in each of per_cell equal parts of a cell, at random within it
  FIRN_SEEDING_LATTICE,  // at the middle of each part; per_cell must be a cube: 1, 8, 27, ...
  FIRN_SEEDING_POISSON   // at random, but never closer than a distance: even, without a pattern
} firn_seeding;

// What snow begins with at a position in metres, in SI, into out. Called by several threads at once.
typedef void (*firn_start_fn)(void *user, const double position[3], double *out);

// Fills a shape with snow.
typedef struct firn_fill_def {
  size_t size; // of this struct: firn_default_fill_def() knows
  firn_shape_def shape;
  int material;
  firn_seeding seeding;
  double per_cell;     // particles a cell; Poisson: on average, by a distance that fits
  double velocity[3];  // m/s
  double spin[3];      // rad/s about the pivot
  double temperature;  // K; 0: none is given (heat.h)
  const double *pivot; // m, [3], a point of the axis of spin; NULL: the shape's center; copied
  // What differs from place to place; each may be NULL.
  firn_start_fn velocity_at; // m/s, out[3], added to velocity and spin
  firn_start_fn strain_at;   // out[6]: elastic strain b_E - I, xx yy zz xy xz yz ...
  firn_start_fn stress_at;   // ... or Pa, out[6]: Cauchy stress, of which the law makes one
  void *start_user;
  void (*start_release)(void *user); // called once when done with, also after a failure of the fill
  const char *name;                  // for messages; copied
  double time;                       // s: when it appears; at once if that has passed
  bool settled;                      // laid down as it lies at rest, in balance with its weight
  const firn_variation_def *variation; // [variation_count], applied in order; copied
  int variation_count;
  char reserved[4]; // 0: up to its end
} firn_fill_def;

FIRN_API void firn_fill_def_init(firn_fill_def *def, size_t size);
static inline firn_fill_def firn_default_fill_def(void) {
  firn_fill_def def;
  firn_fill_def_init(&def, sizeof def);
  return def;
}
// A strain or stress that the law does not hold without yielding is refused. Snow that begins with one
// has its material's density as it lies, and a volume at rest of mass/(density det F_E), whatever rule
// the solver has for others.
// Fills at once or, if time lies ahead, at the first step that begins then or later. Under a window
// (flow.h) only what the window covers is filled, the rest when it comes there.
FIRN_API firn_status firn_sim_fill(firn_sim *sim, const firn_fill_def *def);

// ----------------------------------------------------------------------------- particles as given

// Adds particles one by one. Arrays are [count] or [count][3]; a NULL array takes its default.
// The last ones vary the material from particle to particle.
typedef struct firn_particles_def {
  size_t size; // of this struct: firn_default_particles_def() knows
  size_t count;
  const double *position; // m, [count][3], required
  const double *velocity; // m/s, [count][3], 0
  const double
      *gradient;        // 1/s, [count][9], 0: dv_a/dx_b row by row, which transfer apic starts from
  const double *mass;   // kg, [count], density h^3 / per_cell
  const double *volume; // m^3, [count]; 0 or NULL: by the solver's volume rule
  const double *temperature; // K, [count]; heat.h
  int material;
  double per_cell;
#define FIRN_ARRAY(CONSTANT, name, ...) const double *name; /* [count] */
  FIRN_MATERIAL_LIST(FIRN_ARRAY, FIRN_ARRAY, FIRN_NO_NUMBER)
#undef FIRN_ARRAY
} firn_particles_def;

FIRN_API void firn_particles_def_init(firn_particles_def *def, size_t size);
static inline firn_particles_def firn_default_particles_def(void) {
  firn_particles_def def;
  firn_particles_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sim_add_particles(firn_sim *sim, const firn_particles_def *def);

// Adds the particles of a file.
//   .csv  a heading that names the columns: x,y,z in metres, and perhaps vx,vy,vz in m/s and mass in
//         kg, in any order; other columns are left alone. Without a heading: x,y,z[,vx,vy,vz][,mass].
//   .ply  ASCII or binary; vertices with x y z, perhaps vx vy vz, perhaps mass
typedef struct firn_points_def {
  size_t size; // of this struct: firn_default_points_def() knows
  const char *path;
  int material;
  double per_cell;       // tells the mass of a particle where the file does not
  double scale;          // of positions: file units to metres
  double translation[3]; // m, after scaling
  double velocity[3];    // m/s, added to what the file says
  double temperature;    // K; 0: none is given (heat.h)
} firn_points_def;

FIRN_API void firn_points_def_init(firn_points_def *def, size_t size);
static inline firn_points_def firn_default_points_def(void) {
  firn_points_def def;
  firn_points_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sim_add_points(firn_sim *sim, const firn_points_def *def);

#ifdef __cplusplus
}
#endif

#endif
