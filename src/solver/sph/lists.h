// SPDX-License-Identifier: Apache-2.0
// The quick way to the sums of pairs.h, in float on CPUs with AVX2 or AVX-512.
//
// Particles are taken in the order of cells; a place in it, k, belongs to the slot cells.order[k].
// What a block's sums are over, itself and a skin of one cell, is copied together ("staged") before
// each pass, so that a neighbour is a 16-bit number and its record is in the nearest cache. All
// that is kept of a pair is that number and f = W'/r in 16-bit fixed point; x_i - x_j is expanded,
// so that every pass is
//
//   sum_j f_ij record_j,    records {q x, q}  {u, u.x}  V v (x) {x, 1}  {T, T x}
//
// without kernels or gathers. Records are in the frame of their own block, from its centre; staging
// shifts them into that of the block at work, so that digits do not depend on the origin. Four
// particles share the length of a list, and stand side by side in it.
//
// The step of f is 2^-16 of W'/r at r = 0. Whatever has to cancel (a uniform velocity, a uniform
// pressure) is summed up from the same f: then it does cancel, and the step is only felt as a
// kernel that is a little, 2e-5, uneven. Positions are rounded to 2^-21 spacings, where every
// difference is exact: so i and j see the same f, and forces between them cancel as well.
#ifndef FIRN_SOLVER_SPH_LISTS_H
#define FIRN_SOLVER_SPH_LISTS_H

#include "solver/sph/cells.h"

enum {
  SPH_LINE = 16,           // shorts: numbers of two neighbours of four particles, then their f
  SPH_STAGED_MAX = 0xfff0, // places that a short can tell apart
  SPH_RUNS_MAX = 108,      // of a block: 6 x 6 columns through three blocks
};

// Consecutive places of one block that are staged together.
typedef struct sph_run {
  uint32_t first;
  uint16_t count;
  uint16_t from; // the block around, as of sph_cells_around: 13 is the block itself
} sph_run;

// What the sums of one block are over.
typedef struct sph_patch {
  uint64_t line;   // first of its lines: lengths of its lists, then the lists
  uint32_t run;    // first of its runs
  uint32_t runs;   // how many
  uint32_t staged; // places; the one behind the last holds nothing, for lists that are shorter
} sph_patch;

typedef struct sph_kernels sph_kernels;

typedef struct sph_lists {
  bool wanted;                // set by whoever builds them
  const sph_kernels *kernels; // NULL: there are none, use the plain ones
  sph_patch *patch;           // [blocks]
  sph_run *run;
  uint16_t (*line)[SPH_LINE];
  float (*mean)[4]; // [blocks] velocity that is taken off before sums are formed
  float (*x)[4];    // [slots] spacings from the block's centre, and V; by place, as all below
  float (*c)[4];    // [slots] 1/m, sum V_j grad W_ij, and V
  float *head;      // [slots][4] records {q x, q}, in the memory of tail ...
  float *grads;     // [slots][4] ... as those of {u, u.x}
  float *tail;      // [slots][12] records {T, T x} row by row
  uint16_t *fixed;  // [3][slots] positions in 2^-13 spacings, round a block; only while searching
  uint8_t *number;  // [slots] by slot: neighbours, 255 and more told as 255
  uint64_t pairs;   // neighbours of all
  size_t stride;    // of fixed
  size_t limit;     // of staged places, for tests; 0: SPH_STAGED_MAX
  size_t most;      // particles of a block
  size_t room;      // that desks have for staged places, ...
  size_t line_room; // ... for the lines of a block
  firn_buffer patches, runs, lines, records, desks;
} sph_lists;

// What one thread works on.
typedef struct sph_desk {
  float *stage;               // [room][16]
  float *sum;                 // [most][16]
  uint16_t *fixed[3];         // [room]
  uint16_t *found[4];         // [room]
  uint16_t (*line)[SPH_LINE]; // [line_room]
  uint8_t (*spread)[8];       // [256] places of the bits that are set
  size_t need_room, need_lines;
  uint64_t pairs;
} sph_desk;

// The law of the shear: T = sigma L, sigma = G (H + H^T) + bulk tr(H) I; arrays by slot, as in
// sph.h.
typedef struct sph_law {
  const firn_real *L, *s, *G, *mass;
  const firn_real *bulk; // NULL: 0
  const firn_real *drag; // NULL without walls
  firn_real *trace;      // receives tr(sigma) / 3 of particles with samples around, ...
  firn_real *held;       // ... and what samples add to div sigma [slots][3]
  double back;           // of the boundary, in divergences
  double dt, cube;       // s; m^3 of a spacing^3
  bool strain;  // adds F_E itself to H, takes walls as they move, and leaves it at div sigma
  bool printed; // with strain: H = dt grad u, without its factor F_E
} sph_law;

// A mirror image of u has m_kd u_d of its gradient, and the stress T there pushes with m_kd T_k: k
// is one of xx yy zz xy xz yz, d one of x y z, and the place in sph_wall.m is this.
static const uint8_t SPH_MIRROR[3][6] = {
    {0, 5, 7, 3, 4, 9}, {3, 1, 8, 5, 9, 6}, {4, 6, 2, 9, 7, 8}};

typedef enum sph_into { SPH_INTO_OUT, SPH_INTO_RECORDS, SPH_INTO_TRACE } sph_into;

// One pass, as its kernels see it.
typedef struct sph_pass {
  sph_lists *lists;
  const firn_particles *p;
  const sph_cells *cells;
  const bool *touched;                                           // [units]
  const firn_real *wall_c, *wall_vc, *wall_m, *wall_vm, *wall_t; // as in sph_wall
  float scale;     // 1/m: what a unit of the stored f is worth
  float psi, back; // of the boundary, in gradients and in divergences
  sph_into into;
  const sph_law *law; // NULL: none
  const firn_real *in;
  firn_real *out, *out2, *out3;
  size_t run_capacity, line_capacity;
  uint64_t runs_used, lines_used; // through __atomic_*
} sph_pass;

// The particles of one unit each. The scalar path has no such table: it is plain lists.
struct sph_kernels {
  void (*place)(sph_pass *pass, size_t u, sph_desk *desk);       // x and fixed
  void (*search)(sph_pass *pass, size_t u, sph_desk *desk);      // lists, and as interpolate
  void (*set_weights)(sph_pass *pass, size_t u, sph_desk *desk); // of the next two
  void (*interpolate)(sph_pass *pass, size_t u, sph_desk *desk);
  void (*moments)(sph_pass *pass, size_t u, sph_desk *desk); // in: V; out, out2, out3: c, m, g
  void (*set_q)(sph_pass *pass, size_t u, sph_desk *desk);
  void (*gradient)(sph_pass *pass, size_t u, sph_desk *desk);
  void (*divergence)(sph_pass *pass, size_t u, sph_desk *desk); // of the records of gradient
  void (*set_v)(sph_pass *pass, size_t u, sph_desk *desk);      // mean
  void (*velocity_gradient)(sph_pass *pass, size_t u, sph_desk *desk);
  void (*set_T)(sph_pass *pass, size_t u, sph_desk *desk);
  void (*stress_divergence)(sph_pass *pass, size_t u, sph_desk *desk);
};

// NULL in a build of doubles.
const sph_kernels *sph_kernels_avx2(void);
const sph_kernels *sph_kernels_avx512(void);

typedef struct sph_pairs sph_pairs;

void sph_lists_free(sph_lists *lists, firn_context *context);
// Leaves kernels NULL where the plain lists must do: without SIMD, and for snow so dense that a
// block and its skin are more than 2^16 particles. Needs cells and the sums over walls.
firn_status sph_lists_build(sph_pairs *pairs, const firn_real *w, firn_real *out);

// As of pairs.h.
void sph_lists_interpolate(const sph_pairs *pairs, const firn_real *w, firn_real *out);
void sph_lists_moments(const sph_pairs *pairs, const firn_real *V, firn_real *c, firn_real *m,
                       firn_real *g);
void sph_lists_gradient(const sph_pairs *pairs, const firn_real *q, firn_real psi, firn_real *out);
void sph_lists_laplace(const sph_pairs *pairs, const firn_real *q, firn_real psi, firn_real back,
                       firn_real *out);
void sph_lists_divergence(const sph_pairs *pairs, const firn_real *u, firn_real back,
                          firn_real *out);
void sph_lists_velocity_gradient(const sph_pairs *pairs, const firn_real *v, firn_real *out);
void sph_lists_stress_divergence(const sph_pairs *pairs, const firn_real *T, firn_real *out);
void sph_lists_shear(const sph_pairs *pairs, const sph_law *law, const firn_real *u,
                     firn_real *out);

#endif
