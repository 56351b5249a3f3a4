// SPDX-License-Identifier: Apache-2.0
// What the MPM step asks of its inner loops. Each instruction set fills one table; the scalar one
// is the oracle for the others.
//
// Notation follows the paper: particles p, nodes i, weights w, Kirchhoff stress tau = P F_E^T,
// left Cauchy-Green strain b = F_E F_E^T of which b - I is stored. Lengths are in cells where a
// name says so.
#ifndef FIRN_SOLVER_MPM_KERNELS_H
#define FIRN_SOLVER_MPM_KERNELS_H

#include "grid/grid.h"
#include "material/law.h"
#include "math/real.h"
#include "world/world.h"

// The stencil of a particle whose cell is c = floor(x - shift) covers, along each axis, the nodes
// c + first ... c + first + width - 1.
typedef struct mpm_stencil {
  int width;    // 4 cubic, 3 quadratic
  int first;    // -1 cubic, 0 quadratic
  double shift; // 0 cubic, 1/2 quadratic
  double d;     // APIC's D in h^2: 1/3 cubic, 1/4 quadratic
} mpm_stencil;

// The nodes that a particle block touches in this step: a box, tight around its particles, whose
// sums the block gathers in an arena of its own, [channel][n0][n1][n2][4] reals. Node blocks then
// add up, in fixed order, the arenas that overlap them: no colours, no atomics, and the same bytes
// whichever thread does what.
typedef struct mpm_box {
  int8_t lo[3];     // first node, relative to the block's corner
  int8_t n[3];      // nodes along each axis
  bool near : 1;    // some collider is close to its particles
  bool touched : 1; // some collider is close to its nodes (spray only)
  bool asleep : 1;  // left out of this step; its arena holds what it last was, see rest.h
  bool stored : 1;  // asleep, and the arena does hold it
  bool soft : 1;    // takes no part in this step's solve: an explicit step suits it
  size_t arena;     // offset in reals
} mpm_box;

// Arenas are followed by this many reals, so that rows of 16 may be read and written at their end.
enum { MPM_ARENA_PAD = 16 };

// What a unit of particles reports.
typedef struct mpm_tally {
  double speed2_max; // m^2/s^2
  double sound2_max; // m^2/s^2, of compression waves, hardening included
  double det_min;    // of I + dt grad v
  bool nonfinite;    // some velocity is not a number
  bool left;         // some particle left the nodes its block may reach: sort before the next step
} mpm_tally;

// The smaller of two numbers, or nan if either is: a velocity that is not finite must not be lost
// among determinants that are.
static inline double mpm_smaller(double a, double b) {
  return a < b || a != a ? a : b;
}

enum { MPM_CHANNEL_MOMENTUM, MPM_CHANNEL_FORCE, MPM_CHANNEL_MAX };

typedef struct mpm_view mpm_view;

// Collides the nodes of block g, given in v as [64][4]; see contact.c.
typedef void (*mpm_node_contact_fn)(const mpm_view *view, size_t g, firn_real *v);
// Collides n particles of block b, the first of which is at slot: position in cells from the corner
// of the block, and velocities [3][stride]. advect, the velocity they will move with, may be the
// same array as v.
typedef void (*mpm_particle_contact_fn)(const mpm_view *view, size_t b, size_t slot, int n,
                                        int stride, firn_real *x, firn_real *v, firn_real *advect);

// Everything the kernels read and write in a step. Particle arrays are indexed by slot, node
// arrays by 256 g + 16 row + 4 k + component.
struct mpm_view {
  mpm_stencil stencil;
  bool apic;
  bool implicit;
  bool psd;
  bool advect_pic;
  bool hold; // scatter leaves the particles as they are; for those that fall asleep
  firn_real dt, h, alpha;
  firn_real gravity[3];
  firn_real mass_floor; // nodes lighter than this do not move
  firn_real grad_limit; // bound on the norm of dt grad v for particles of spray
  // Particles.
  const firn_particles *particles;
  firn_real *x[3], *v[3];
  firn_real *c[9]; // APIC: velocity gradient, 1/s, row-major
  firn_real *b[6]; // b_E - I: xx yy zz xy xz yz, before plastic return
  firn_real *ln_jp;
  const firn_real *mass, *volume;
  const uint16_t *material;
  const firn_real *vary[FIRN_VARY_COUNT]; // firn_world_vary, or NULL
  const firn_material_row *materials;     // [material_count]
  int material_count;
  firn_real *s[6];     // implicit: F_E - I with F_E = sqrt(b)
  firn_real *stiff[2]; // implicit: V0 mu, V0 lambda, hardened
  // Blocks.
  const mpm_box *box;      // [particle blocks]
  mpm_box *next_box;       // the same for the next step; others may still read the former
  const firn_reach *reach; // [particle blocks]
  firn_real *arena;
  const firn_grid *grid;
  // Nodes.
  firn_real *node_v;  // velocity, and mass in component 3
  firn_real *node_u;  // FLIP: v - alpha v_old (explicit, or after the solve); v_old before that
  firn_real *node_lo; // [node blocks][3]: smallest and largest velocity in the block, m/s;
  firn_real *node_hi; //   infinity and -infinity where no node has mass
  mpm_node_contact_fn node_contact;
  mpm_node_contact_fn box_contact;          // the same for the nodes of particle block b's box
  mpm_particle_contact_fn particle_contact; // NULL: particles do not collide
  bool (*block_is_near)(const mpm_view *view, size_t g);
  const void *user; // of the contact functions
  // Implicit.
  const firn_real *direction; // node vector that the operator is applied to
  firn_real *product;         // node vector that receives it
  firn_real stiffness_factor; // beta dt^2
  firn_real *diagonal;        // inverse 3x3 blocks of the operator, [node blocks][64][6]
};

typedef struct mpm_kernels {
  bool spray; // knows what to do with spray (firn_reach)
  // Fills lo and n of block b's next_box from its particles' positions. Returns false if a particle
  // is outside what the block may reach.
  bool (*bound)(const mpm_view *view, size_t b);
  // Steps 1 and 3: plastic return and stress, then mass, momentum and force into the arenas of the
  // unit's blocks. Under APIC the force enters the momentum with dt at once; blocks that sleep have
  // been scattered with a dt of 1 and no velocity, so whoever adds up arenas multiplies by dt.
  // Implicit: also writes s and stiff.
  void (*scatter)(const mpm_view *view, size_t u, mpm_tally *tally);
  // Steps 1, 4, 5: adds up the arenas over node block g, velocities, gravity, collisions.
  void (*nodes)(const mpm_view *view, size_t g);
  // The smallest det(I + dt grad v) of the unit's particles, into the tally; changes nothing.
  void (*check)(const mpm_view *view, size_t u, mpm_tally *tally);
  // Steps 7 to 10 (7 without the plastic return, which scatter makes).
  void (*gather)(const mpm_view *view, size_t u, mpm_tally *tally);
  // The elastic part of the implicit operator: differential of the stress for the velocities in
  // view->direction, into the arenas (channel 0, one channel).
  void (*hessian)(const mpm_view *view, size_t u);
  // product = m direction + beta dt^2 (sum of arenas) on node block g.
  void (*hessian_nodes)(const mpm_view *view, size_t g);
} mpm_kernels;

// The 3x3 blocks of the operator for the block preconditioner, near rest (S = I), where they are
// positive definite: V0 (mu |g|^2 I + (mu + lambda) g g^T) summed over particles. Plain C for every
// instruction set: it is made once a step. Arenas need two channels.
void firn_mpm_diagonal(const mpm_view *view, size_t u, mpm_tally *unused);
void firn_mpm_diagonal_nodes(const mpm_view *view, size_t g);

// The table for an instruction set, or NULL where it was not compiled in.
const mpm_kernels *firn_mpm_kernels_scalar(const mpm_stencil *stencil, bool apic);
const mpm_kernels *firn_mpm_kernels_avx2(const mpm_stencil *stencil, bool apic);
const mpm_kernels *firn_mpm_kernels_avx512(const mpm_stencil *stencil, bool apic);

// Reals that the arena of a box takes, padding included.
static inline size_t mpm_arena_reals(const mpm_box *box, int channels) {
  return (size_t)channels * (size_t)box->n[0] * (size_t)box->n[1] * (size_t)box->n[2] *
             FIRN_NODE_REALS +
         MPM_ARENA_PAD;
}

#endif
