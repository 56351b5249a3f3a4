// SPDX-License-Identifier: Apache-2.0
// State of FLIP on the CPU: incompressible flow between particles and a staggered grid (Zhu and
// Bridson 2005, Takahashi et al. 2014). docs/theory-flip.md has the equations.
//
// The grid is that of the particles' blocks and what lies within two cells of a particle. A cell
// has its pressure in its middle and, of each component of the velocity, that on its lower face
// along that axis:
//
//         +-----+        channels are arrays [blocks + 1][64], the cell of a block numbered
//       u0|  p  |        16 x + 4 y + z. The last block is of zeros and stands for all that
//         +-----+        are not there.
//            u1
//
// Nothing of the grid outlives a step.
#ifndef FIRN_SOLVER_FLIP_FLIP_H
#define FIRN_SOLVER_FLIP_FLIP_H

#include "grid/grid.h"
#include "linear/mixed.h"
#include "linear/multigrid.h"
#include "solver/solver.h"

#include <firn/flip.h>

enum {
  FLIP_TRANSFER,
  FLIP_SOLIDS,
  FLIP_PRESSURE,
  FLIP_CRUSHING,
  FLIP_FRICTION,
  FLIP_COHESION,
  FLIP_MOVE,
  FLIP_PHASES
};

enum { FLIP_CELLS = 64 };

// A collider whose surface is a plane of the grid must close the faces in it, whatever rounding
// says: so much of a cell is added to all.
#define FLIP_SKIN 1e-6

// A particle block's own piece of the grid: cells -2 to 5 along each axis, z fastest.
enum { FLIP_TILE = 8, FLIP_TILE_FIRST = -2, FLIP_TILE_CELLS = 512 };

// Channels of reals.
#define FLIP_CHANNEL_LIST(X)                                                                       \
  X(u, 3)        /* m/s */                                                                         \
  X(was, 3)      /* m/s, as it came from the particles; later what has changed since */            \
  X(open, 3)     /* share of a face that is not inside colliders */                                \
  X(wall, 3)     /* m/s, of the collider at a face that is cut */                                  \
  X(phi, 1)      /* cells to the surface of the fluid; negative inside */                          \
  X(fill, 1)     /* density over that of particles as they are laid out */                         \
  X(pressure, 1) /* Pa, of the first solve of the step */                                          \
  X(d, 1)        /* durability */                                                                  \
  X(rubbed,                                                                                        \
    3) /* m/s, what the friction of colliders has changed; later what the second pressure has */   \
  X(hurt, 1) /* what it has changed by */                                                          \
  X(b, 1)    /* share of a collider's velocity that the snow takes */

// What the time step is chosen from; part of a checkpoint.
typedef struct flip_memory {
  double speed2_max; // m^2/s^2, of particles
  uint64_t steps;
  uint8_t must_survey; // that is not so
  uint8_t padding[7];
} flip_memory;

// What the particles of a block come to in a step.
typedef struct flip_tally {
  double speed2;    // m^2/s^2, the largest
  double gained[3]; // N s, but for gravity
} flip_tally;

typedef struct flip {
  firn_world *world;
  firn_flip_def def;
  const struct flip_kernels *kernels;
  int field_c;                      // first of the nine of dv/dx, 1/s, under apic; -1: none
  int field_fill, field_d, field_p; // density over that at rest, durability, Pa; of the last step
  firn_buffer scratch;              // of the sort
  firn_grid grid;                   //
  firn_buffer reach;                // [particle blocks] firn_reach
  firn_buffer arenas;               // [particle blocks][channels][FLIP_TILE_CELLS]
  firn_buffer channels;             //
#define X(name, n) firn_real *name[n];
  FLIP_CHANNEL_LIST(X)
#undef X
  double *p;          // m/s: pressure times dt/(density h)
  uint64_t *active;   // [blocks + 1] cells that have a pressure, a bit each
  uint64_t *known[3]; // [blocks + 1] faces that have a velocity, ...
  uint64_t *next[3];  // ... after one more layer
  uint64_t *moved[3]; // [blocks + 1] faces that the pressure moves
  uint64_t *full;     // [blocks + 1] cells that hold particles
  uint64_t *inside;   // [blocks + 1] cells whose middle is inside colliders
  uint64_t *tight;    // [blocks + 1] cells in which particles may come too close to one
  uint64_t *beside;   // [blocks + 1] colliders that may be the nearest in the block, see solids.c
  uint64_t *plastic;  // [blocks + 1] cells that yield
  uint8_t *cut;       // [blocks + 1] colliders reach into the block
  uint16_t *kind;     // [blocks + 1][64] material of a cell
  firn_multigrid mg;
  firn_buffer wet;             // of the pressure solve: see pressure.c
  firn_buffer solve;           //
  firn_buffer parts;           // [particle blocks] flip_tally
  firn_buffer pushes, touches; // of forces on colliders
  firn_buffer kinds;           // [particle blocks] uint16_t, of most particles
  firn_buffer snow;            // of viscosity.c and clusters.c
  firn_buffer contacts;        // of contacts.c
  firn_buffer pieces, shares;  // of clusters.c and moments.c
  firn_buffer bodies;          // of bodies.c
  struct {
    const uint32_t *label;  // [blocks][64] number of a cell's piece, if it is rigid
    const struct piece *of; // NULL: there are none
  } riding;                 // pieces of this step, with which particles move
  struct {
    size_t count;
    struct flip_moments *before, *after; // [count]
    uint32_t *number;                    // [slots] body of a particle, or FLIP_NO_SET
    bool *wraps;                         // [count] it reaches through a periodic boundary
  } free;                                // bodies of this step that touch no collider
  bool wet_too;                          // some are water
  bool porous;                           // some particles are more than water
  bool pushing;                          // forces on colliders are recorded
  double heavier;                        // see push.c; 0: not known yet
  double lattice; // sum of the density's kernel over particles as they are laid out
  double dt;      // s, of the step under way
  flip_memory memory;
  struct {
    int pressure_iterations, viscosity_iterations;
    int unconverged;          // solves that stopped at their limit
    double norm;              // of the first right side
    size_t plastic, clusters; // cells that yield, rigid pieces
    double residual;          //
    size_t cells;             // that have a pressure
    size_t closed;            // of those, in pools without a surface
  } last;                     // step
  double seconds[FLIP_PHASES];
  struct {
    double to_grid, back; // CPU s of all threads
    double project;       // s
  } cost;                 // of parts of them, since the start
} flip;

#define FLIP_FOR_BLOCKS(s, g)                                                                      \
  FIRN_PARALLEL_FOR((s)->world->context, schedule(dynamic, 8))                                     \
  for (size_t g = 0; g < (s)->grid.count; g++)
#define FLIP_FOR_PARTICLE_BLOCKS(s, b)                                                             \
  FIRN_PARALLEL_FOR((s)->world->context, schedule(dynamic, 4))                                     \
  for (size_t b = 0; b < (s)->world->particles.block_count; b++)

// Number in a channel of the cell beside cell c of block g, up or down an axis.
static inline size_t flip_beside(const flip *s, size_t g, int c, int axis, int step) {
  static const int offset[3] = {9, 3, 1};
  const int shift = 4 - 2 * axis, stride = 1 << shift, at = c >> shift & 3; // strides 16, 4, 1
  if (at + step >= 0 && at + step < 4) return FLIP_CELLS * g + (size_t)(c + step * stride);
  uint32_t other = s->grid.around[g][13 + step * offset[axis]];
  size_t block = other == FIRN_GRID_NONE ? s->grid.count : other;
  return FLIP_CELLS * block + (size_t)(c - 3 * step * stride);
}
static inline bool flip_bit(const uint64_t *bits, size_t cell) {
  return bits[cell / FLIP_CELLS] >> cell % FLIP_CELLS & 1;
}
// The corner of a cell, in cells.
static inline void flip_corner(const flip *s, size_t g, int c, double out[3]) {
  const int32_t *at = s->grid.at[g];
  out[0] = 4.0 * at[0] + (c >> 4);
  out[1] = 4.0 * at[1] + (c >> 2 & 3);
  out[2] = 4.0 * at[2] + (c & 3);
}

// The cell of its block that a particle counts to.
static inline int flip_cell_of(const firn_particles *p, size_t slot) {
  int cell = 0;
  for (int a = 0; a < 3; a++) {
    firn_real x = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    cell = 4 * cell + (int)firn_min(3, firn_max(0, x));
  }
  return cell;
}

// Whether a material is more than a fluid without friction.
static inline bool flip_is_porous(const firn_material_row *row) {
  return row->velocity_factor < 1 || row->yield_angle > 0 || row->yield_cohesion > 0 ||
         row->yield_cohesion_slope > 0 || row->viscosity > 0 || row->viscosity_slope > 0;
}

// layout.c: sorts, makes the grid and room for all that a step needs.
firn_status flip_layout(flip *s);
// Sets bytes to 0, by all threads.
void flip_clear(const flip *s, void *data, size_t bytes);

// transfer.c: velocities, densities and distances from particles to the grid.
double flip_lattice_sum(const firn_flip_def *def);
void flip_transfer(flip *s);

// solids.c: shares of faces, velocities of colliders, which cells have a pressure.
double flip_open_share(const double corner[4], double middle);
// Distance to the nearest collider, m; each of the others may be NULL. beside: which are asked, a
// bit each, the bit c % 64 for collider c.
double flip_solid_distance(const firn_world *world, uint64_t beside, const double x[3],
                           int *nearest, double normal[3], double velocity[3]);
void flip_solids(flip *s);

// surface.c: cells of fluid, and how far from their middles its surface is.
void flip_surface(flip *s);

// extrapolate.c: velocities u of faces that are not known from those around them, layer by layer.
void flip_extrapolate(flip *s, firn_real *const u[3], int layers);
// Another component, whose channel is u, at the lower face along a of a cell: the mean of four
// around it.
double flip_across(const flip *s, const firn_real *u, size_t g, int c, int a, int other);
// Pressures in cells inside colliders, three from the fluid, by those in it along a straight line:
// particles beside a wall have half of their neighbours there. Returns the cells that have one now,
// a bit each, until velocities are extrapolated.
const uint64_t *flip_extend_pressure(flip *s);
// On faces inside colliders, what would flow into these or out of them is turned along them: were
// only one of both, particles would drift off walls.
void flip_hold_solids(flip *s);

// pressure.c: makes u free of divergence; again with the same cells and colliders as before in the
// step.
firn_status flip_project(flip *s, bool again);
// Makes u, which is 0, of this divergence in the same cells; source: [blocks][64], which may be p.
firn_status flip_spread(flip *s, const double *source);
// Pa for each unit of p in a cell.
static inline double flip_pascals(const flip *s, size_t cell) {
  const firn_material_row *row = &s->world->material[s->kind[cell]];
  return (double)row->density * s->world->h / s->dt;
}

// What the pressure takes from the velocity of the lower face along a of a cell, m/s.
double flip_drop(const flip *s, size_t g, int c, int a);
// kg, of a cell that is full.
static inline double flip_cell_mass(const flip *s, size_t cell) {
  double h = s->world->h;
  return (double)s->world->material[s->kind[cell]].density * h * h * h;
}
// kg, of what a cell holds.
static inline double flip_mass_in(const flip *s, size_t cell) {
  return (double)s->fill[0][cell] * flip_cell_mass(s, cell);
}

// crush.c: how much of a collider's velocity snow takes, and what the pressure of these cells
// leaves of its durability.
void flip_soften(flip *s);
void flip_crush(flip *s, const uint64_t *pressed);
// Pa, of the bound on shear without pressure.
double flip_cohesion(const flip *s, size_t cell);

// yield.c: which cells yield, and how thick they are then; mu: [blocks][64] Pa s
void flip_yield(flip *s, firn_real *mu);
// What goes with h^2 at the cells of reference over that at those that run; 1 as printed.
double flip_carry(const flip *s);
// The norm of the stress that would stop all shear of a cell, and the most that it bears, Pa.
void flip_shear(const flip *s, size_t g, int c, double *stress, double *bound);

// friction.c: Coulomb's, of colliders.
void flip_rub(flip *s);

// viscosity.c: finds what yields, which then flows as a viscous fluid.
firn_status flip_viscosity(flip *s);

// clusters.c: what does not moves as rigid pieces.
firn_status flip_clusters(flip *s);
// kg, about what particles have of their mass at the lower face along a of a cell.
double flip_face_mass(const flip *s, size_t g, int c, int a);

// pools.c: joins cells by the faces through which they are connected.
//   member  [count] cells of a block, a bit each
//   link    [count][3] those that are joined with the cell below, along each axis
//   beside  [count][6] blocks -x +x -y +y -z +z; count: none
//   label   [count * 64] out: number of the set of each member, from 0; sets in the order of their first
//           cells
//   Returns how many there are. forest: [count * 64] scratch.
size_t flip_pools(size_t count, const uint64_t *member, const uint64_t (*link)[3],
                  const uint32_t (*beside)[6], uint32_t *label, uint32_t *forest);

// bodies.c: finds bodies that touch no collider, before velocities of faces are extrapolated; and
// gives them, after their particles have moved, what they lack of their momenta. gained: as below.
firn_status flip_find_bodies(flip *s);
firn_status flip_keep_momenta(flip *s, double gained[3]);

// advect.c: velocities back to particles, and their motion.
// gained: N s, what all particles have got but for gravity.
void flip_advect(flip *s, bool *finite, double gained[3]);

// The same for positions: moves particles by u, in cells.
void flip_displace(flip *s);

// volume.c: keeps water at its density, by moving particles a little.
firn_status flip_keep_volume(flip *s);
// Volumes of particles, in cells, each shared out between the middles of eight cells; out:
// [blocks][64].
void flip_share_volumes(flip *s, double *out);
// Of that of a full cell, what colliders leave room for.
double flip_room(const flip *s, size_t g, int c);

// push.c: what colliders are pushed by.
firn_status flip_push_begin(flip *s);
// By the pressure of all cells, or of those that yield; and what friction has changed, but for
// pieces.
void flip_push_pressure(flip *s, bool rigid_too);
void flip_push_friction(flip *s);
void flip_push_end(flip *s, const double gained[3]);

// timestep.c
void flip_survey(flip *s);
double flip_choose_step(const flip *s, double limit, const char **bound); // what bounds it

firn_status flip_step(void *solver, double limit, firn_step *out);

// settings.c
extern const firn_schema_record firn_flip_settings;
void flip_conflicts(const void *settings, firn_conflict_fn tell, void *user);

// fields.c
extern const firn_field_info flip_fields[];
extern const firn_stat_info flip_stats[];
firn_status flip_look(void *solver, const firn_solver_look *look);
firn_status flip_volumes(void *solver, double *out);

#endif
