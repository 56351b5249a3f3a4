// SPDX-License-Identifier: Apache-2.0
// What the kernels see of a step: numbers and pointers alone, so that a kernel on any device can
// take it by value.
//
// Notation follows the paper: particles p, nodes i, weights w, Kirchhoff stress tau = P F_E^T,
// left Cauchy-Green strain b = F_E F_E^T of which b - I is stored. Lengths are in cells where a
// name says so.
#ifndef FIRN_SOLVER_MPM_VIEW_H
#define FIRN_SOLVER_MPM_VIEW_H

#include <stddef.h>

#include "grid/reach.h"
#include "material/params.h"
#include "world/block.h"

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
  bool thin : 1;    // its arena holds its particles one by one, see mpm_grain
  uint8_t grains;   // how many these are, where it is thin
  size_t arena;     // offset in reals
} mpm_box;

// A block of few particles touches some hundred nodes, most of them with no more than one. It has
// no sums of its own: its arena holds what each particle gives, a grain, and these are sown into
// the node blocks directly, tile by tile (mpm_tile), or into the nodes of a parcel of spray. Only
// vector kernels know of this.
enum { MPM_THIN_MAX = 16 }; // particles of such a block
typedef struct mpm_grain {
  // Four columns that weights are multiplied by; where the last three would have a fourth
  // component, the particle's place, in cells from the block's corner, which all its weights follow
  // from.
  firn_real row[16];
  firn_real reaped[16]; // spray: what was gathered for it (kernels_parcel.inc.h)
} mpm_grain;

// 2 x 2 x 2 particle blocks, of which each gives to node blocks one to either side; tiles of one
// colour, of eight, have one of another between them and touch no node block in common.
typedef struct mpm_tile {
  const uint32_t *block; // [count]
  uint32_t count;
} mpm_tile;

// Arenas are followed by this many reals, so that rows of 16 may be read and written at their end.
enum { MPM_ARENA_PAD = 16 };

// What a unit of particles reports.
typedef struct mpm_tally {
  double speed2_max; // m^2/s^2
  double sound2_max; // m^2/s^2, of compression waves, hardening included
  double det_min;    // of I + dt grad v
  double spent;      // J, elastic energy that the plastic return took
  bool nonfinite;    // some velocity is not a number
  bool left;         // some particle left the nodes its block may reach: sort before the next step
} mpm_tally;

// The smaller of two numbers, or nan if either is: a velocity that is not finite must not be lost
// among determinants that are.
FIRN_HD double mpm_smaller(double a, double b) {
  return a < b || a != a ? a : b;
}

enum { MPM_CHANNEL_MOMENTUM, MPM_CHANNEL_FORCE, MPM_CHANNEL_MAX };

// A grain that gives to nodes of a parcel, its own or one beside it.
typedef struct mpm_guest {
  uint32_t grain; // rows of reals from the beginning of the arenas
  int8_t at[3];   // first node of its stencil, in the frame (kernels_frame.h)
  bool own;
} mpm_guest;

// The nodes that a parcel's own stencils may cover, from a cell of drift below to one above; along
// z in whole rows of four, and with room for those that have some of these. Of planes across x
// there are as many as have to be there at the same time: four that colliders and node blocks are
// asked about at once, and the rest of stencils on both sides.
enum {
  MPM_PARCEL_EDGE = 4 * FIRN_PARCEL_BLOCKS + 2 + 3,
  MPM_PARCEL_DEPTH = (MPM_PARCEL_EDGE + 6 + 3) / 4 * 4,
  MPM_PARCEL_PLANES = 4 + 2 * 3,
  MPM_PARCEL_SIDE = 3, // columns to either side along y, for what others give that is not needed
  MPM_PARCEL_NODES = MPM_PARCEL_PLANES * (MPM_PARCEL_EDGE + 2 * MPM_PARCEL_SIDE) * MPM_PARCEL_DEPTH,
  MPM_PARCEL_COLUMNS = MPM_PARCEL_EDGE * MPM_PARCEL_EDGE,
  // Guests begin from three nodes below the frame on; along y they are told apart by fours.
  MPM_PARCEL_FOURS = FIRN_PARCEL_BLOCKS + 4,
  MPM_PARCEL_LISTS = (MPM_PARCEL_EDGE + 3) * MPM_PARCEL_FOURS,
  MPM_PARCEL_GUESTS = (FIRN_PARCEL_BLOCKS + 4) * (FIRN_PARCEL_BLOCKS + 4) *
                      (FIRN_PARCEL_BLOCKS + 4) * MPM_THIN_MAX
};
typedef struct mpm_parcel_nodes {
  firn_real node[MPM_CHANNEL_MAX * MPM_PARCEL_NODES * FIRN_NODE_REALS + MPM_ARENA_PAD];
  // kg, that grains of other parcels have of a node, where colliders ask
  firn_real others[MPM_PARCEL_NODES + MPM_ARENA_PAD];
  uint8_t made[MPM_PARCEL_NODES + MPM_ARENA_PAD]; // 1: something has been sown into the node
  uint64_t needed[MPM_PARCEL_COLUMNS]; // bits of nodes along z: needed, and not moved yet
  mpm_guest come[MPM_PARCEL_GUESTS], guest[MPM_PARCEL_GUESTS]; // as they come, and in order
  uint32_t list[MPM_PARCEL_LISTS + 1];                         // where in order each list begins
} mpm_parcel_nodes;

// Slots, blocks and units are those of world/particles.h, node blocks g those of grid/grid.h.
typedef struct mpm_view {
  mpm_stencil stencil;
  bool apic;             // transfer: APIC, else FLIP and PIC
  bool implicit;         // this step is solved for
  bool psd;              // the operator is made positive semi-definite
  bool advect_pic;       // particles move with the interpolated velocity, whatever they keep
  bool hold;             // scatter leaves the particles as they are; for those that fall asleep
  bool in_place;         // gather strains the particles and leaves them as they are otherwise
  bool spray;            // some blocks are spray
  bool sows;             // some blocks are thin: `sown` tells where grains are
  bool particle_contact; // particles collide, too
  bool damps;            // FLIP: nodes held by sticky colliders act on particles as under PIC
  // Clumps (clump.h): blocks are clumps, and nodes lie where sums do, each channel this many reals
  // behind the one before; 0: blocks are those of the world.
  size_t patch_channel;
  firn_real dt;         // s
  firn_real h;          // m
  double spacing;       // m, the same
  firn_real alpha;      // share of FLIP in the velocity, the rest is PIC
  firn_real rate_loss;  // APIC: share of the traceless rate of strain that particles lose
  firn_real gravity[3]; // m/s^2
  firn_real mass_floor; // kg: nodes lighter than this do not move
  firn_real grad_limit; // bound on the norm of dt grad v for particles of spray
  // Particles, [slots] each.
  firn_real *x[3];                        // cells from the block's corner
  firn_real *v[3];                        // m/s
  firn_real *c[9];                        // APIC: velocity gradient, 1/s, row-major
  firn_real *b[6];                        // b_E - I: xx yy zz xy xz yz, before plastic return
  firn_real *ln_jp;                       // ln J_P
  firn_real *ln_cut;                      // of the volume that bounds on J_P cut off, or NULL
  const firn_real *mass;                  // kg; 0 marks padding
  const firn_real *volume;                // m^3, at rest
  const uint16_t *material;               // row of materials
  const firn_real *vary[FIRN_VARY_COUNT]; // numbers that differ from particle to particle, or NULL
  const firn_material_row *materials;     // [material_count]
  int material_count;
  // From the scatter until those that a solve is for are packed (stiff.c), who then find theirs by
  // mpm_stiff_view alone.
  firn_real *s[6];     // implicit: F_E - I with F_E = sqrt(b), as b
  firn_real *stiff[2]; // implicit: V0 mu and V0 lambda, hardened, N m
  // Particle blocks.
  const firn_unit *unit;           // [units]
  const firn_block *block;         // [blocks]
  const mpm_box *box;              // [blocks]
  mpm_box *next_box;               // [blocks], of the next step; others may still read box
  const firn_reach *reach;         // [blocks]
  firn_real *sound2;               // [blocks] m^2/s^2, the largest of its particles; by scatter
  uint32_t (*target)[27];          // [blocks] node block at each offset, or FIRN_GRID_NONE
  const uint32_t *found;           // [blocks] bits of the offsets at which there is one
  const firn_neighbour *neighbour; // of parcels
  firn_real *arena;                // of all boxes, see mpm_box
  // Node blocks. Arrays of nodes are [node_count][4 x][4 y][4 z][4 components].
  size_t node_count;
  int32_t (*node_at)[3];       // [node_count] block coordinates
  const uint32_t *giver_start; // [node_count + 1] where the givers of a node block begin
  const firn_giver *giver;     // in giver_start's order
  const uint64_t
      *node_near; // [node_count] bits of the parts of colliders close to its nodes, or NULL
  const uint8_t *node_soft; // implicit: [node_count] those that the solve leaves as they are
  uint16_t *sown;    // [node_count] bit 4 x + y: grains have been sown into this row of nodes
  firn_real *node_v; // m/s, and kg in component 3
  // FLIP, m/s: v - alpha v_old (explicit, or after the solve); v_old before that. Component 3 is 1
  // for nodes that damp, which hold v alone, else 0.
  firn_real *node_u;
  double (*node_sums)[5]; // implicit: [node_count] momentum, mass and twice the energy of v*
  firn_real *node_lo;     // [node_count][3] smallest and largest velocity in the block, m/s;
  firn_real *node_hi;     //   infinity and -infinity where no node has mass
  const void *host;       // the solver, whom only contact.c asks
  // Implicit.
  const firn_real *direction; // nodes, m/s: what the operator is applied to
  firn_real *product;         // nodes, kg m/s: what receives it
  firn_real stiffness_factor; // beta dt^2, s^2
  firn_real *diagonal;        // [node_count][64][6] inverse 3x3 blocks of the operator, 1/kg
  firn_real *inverse;         // nodes, 1/kg: the stiffness preconditioner
} mpm_view;

// Whether a particle is one that a semi-implicit step solves for, from the sound2 on that such a
// step must. What is no number is.
FIRN_HD bool mpm_is_stiff(const mpm_view *view, size_t slot, double sound2) {
  double modulus = 2 * (double)view->stiff[0][slot] + (double)view->stiff[1][slot];
  return !(modulus < sound2 * (double)view->mass[slot]);
}

// Whether some collider is close to the nodes of block g.
FIRN_HD bool mpm_nodes_are_near(const mpm_view *view, size_t g) {
  return view->node_near && view->node_near[g];
}

// Whether the nodes of block g take part in the solve of this step.
FIRN_HD bool mpm_nodes_are_solved(const mpm_view *view, size_t g) {
  return view->implicit && !view->node_soft[g];
}

// Reals that the arena of a box takes, padding included.
FIRN_HD size_t mpm_arena_reals(const mpm_box *box, int channels, uint32_t particles) {
  if (box->thin) return particles * (sizeof(mpm_grain) / sizeof(firn_real));
  return (size_t)channels * (size_t)box->n[0] * (size_t)box->n[1] * (size_t)box->n[2] *
             FIRN_NODE_REALS +
         MPM_ARENA_PAD;
}

// Whether a box has nodes of the node block that its particle block is a giver of, at this offset.
FIRN_HD bool mpm_box_meets(const mpm_box *box, int offset) {
  const int at[3] = {offset / 9, offset / 3 % 3, offset % 3};
  bool meets = true;
  for (int a = 0; a < 3; a++) {
    int first = box->lo[a] + 4 * (at[a] - 1); // in the node block's coordinates
    meets = meets && first < 4 && first + box->n[a] > 0;
  }
  return meets;
}

// A bundle of clumps that share a vector loop, as many as keep the loop busy and their nodes in
// cache.
enum {
  MPM_BUNDLE_SLOTS = 32, // a multiple of FIRN_SLOT_ALIGN; no clump has more
  MPM_BUNDLE_CLUMPS = MPM_BUNDLE_SLOTS / 2,
  MPM_FEW = 4,                               // particles of clumps that few_solve knows (kernels.h)
  MPM_BUNDLE_REALS = 4096 * FIRN_NODE_REALS, // of a channel of all patches
};

// Reals of a patch, in whole rows.
FIRN_HD size_t mpm_patch_reals(const mpm_box *box) {
  size_t reals = (size_t)box->n[0] * (size_t)box->n[1] * (size_t)box->n[2] * FIRN_NODE_REALS;
  return (reals + FIRN_ROW_REALS - 1) / FIRN_ROW_REALS * FIRN_ROW_REALS;
}

// Reals from one channel of a box's sums to the next.
FIRN_HD size_t mpm_channel_reals(const mpm_view *view, const mpm_box *box) {
  return view->patch_channel ? view->patch_channel : mpm_arena_reals(box, 1, 0) - MPM_ARENA_PAD;
}

// What a particle gives to nodes for the stiffness preconditioner, N/m, times its weight there. The
// diagonal of K is sum V0 (mu |g|^2 + (mu + lambda) g_a^2) with the gradients g of weights w: on
// the mean over a, (lambda + 4 mu)/3 |g|^2, and |g|^2 goes for 3 w/(16 D h^2), which is half of
// what it is at most. The factor was found by trial: half or twice as much needs as many
// iterations, but with this one the residual says the same of the error as with the mass.
FIRN_HD firn_real mpm_stiffness_per(const mpm_view *view) {
  return 1 / (16 * (firn_real)view->stencil.d * view->h * view->h);
}

// How far velocities between lo and hi differ at most along an axis, m/s.
FIRN_HD double mpm_spread_of(const firn_real lo[3], const firn_real hi[3]) {
  double spread = 0;
  for (int a = 0; a < 3; a++) {
    double d = (double)hi[a] - (double)lo[a];
    if (!(d <= spread)) spread = d;
    if (spread != spread) break; // a nan stays one
  }
  return spread;
}

#endif
