// SPDX-License-Identifier: Apache-2.0
// Who is near whom, and every sum over them that the solver takes. Built once a step; then each
// function below is one pass over all particles, parallel by units, each particle's sum in a fixed
// order.
//
// Arrays are of firn_real and indexed by slot; vectors are [slots][3], matrices [slots][9] row by
// row, symmetric ones [slots][6] as xx yy zz xy xz yz. What they hold in slots of padding is
// neither read nor written. Lengths are in spacings and volumes V in spacings^3; gradients come out
// per metre. With x_ij = x_i - x_j, grad W_ij = W'/r x_ij (Gissler et al. 2020, section 3.1). Sums
// are over the snow j other than i unless b, the samples of the boundary, are named.
//
// Nothing of the boundary enters an iteration, but for bodies under a load (loads.c): what samples
// contribute is summed up once, per particle, in sph_wall.
//
// There are two implementations. Plain lists (pairs.c) are the oracle, and what a build of doubles
// and CPUs without SIMD use; lists.h has the quick one, which leaves `snow` empty unless plain_too.
// Sums of the two agree to some 2e-5 of their largest terms.
#ifndef FIRN_SOLVER_SPH_PAIRS_H
#define FIRN_SOLVER_SPH_PAIRS_H

#include "math/sph_kernel.h"
#include "solver/sph/boundary.h"
#include "solver/sph/cells.h"
#include "solver/sph/lists.h"

// One neighbour, as the particle sees it.
typedef struct sph_near {
  firn_real x[3]; // spacings, x_i - x_j
  firn_real f;    // W'/r
} sph_near;

// Lists of neighbours, those of slot i from start[i] on, end[i] excluded.
typedef struct sph_list {
  uint64_t *start, *end; // [slots]
  uint32_t *other;       // slots, or numbers of samples
  sph_near *near;
  size_t count; // of all
  firn_buffer starts, others, nears;
} sph_list;

// What the samples b around a particle come to; NULL where there are no samples at all.
typedef struct sph_wall {
  firn_real *w;  // [slots]    sum V_b W_ib
  firn_real *c;  // [slots][3] 1/m, sum V_b grad W_ib
  firn_real *vc; // [slots]    1/s, sum V_b v_b . grad W_ib
  // Without `mirror` NULL: m sum V_b n n n (n . grad W_ib), symmetric, in the order of SPH_MIRROR,
  // and the same of n n (n . v_b), as xx yy zz xy xz yz.
  firn_real *m;  // [slots][10] 1/m
  firn_real *vm; // [slots][6]  1/s
  // R, symmetric: what is missing along walls, of what snow has there. Until sph_pairs_complete it
  // is m/2 sum V_b t (x) t W'/-r, t the distance along the wall: what samples would add to L^-1.
  firn_real *t; // [slots][6]
} sph_wall;

struct sph_pairs {
  const firn_particles *p;
  const sph_boundary *boundary;
  double spacing; // m
  sph_cells cells;
  sph_lists lists; // quick ones of the snow; without them:
  sph_list snow;
  double mirror;  // a factor in wall.m, vm and t; 0: none. Set before they are built
  bool touching;  // f of samples ends where snow no longer touches them; set likewise
  bool plain_too; // set by whoever builds them: snow is filled in any case
  sph_list walls;
  sph_wall wall;
  firn_buffer wall_sums, unit_counts;
  bool *touched; // [units]: some particle of it has samples around it
  firn_buffer touches;
};

void sph_pairs_free(sph_pairs *pairs, firn_context *context);
// p is sorted. Keeps p and boundary until the next call. Takes sph_pairs_interpolate of w along,
// where w is not NULL: distances are at hand.
firn_status sph_pairs_build(sph_pairs *pairs, const firn_particles *p, const sph_boundary *boundary,
                            double spacing, const firn_real *w, firn_real *out);

// True if there is no snow within reach of slot i.
static inline bool sph_pairs_alone(const sph_pairs *pairs, size_t i) {
  return pairs->lists.kernels ? pairs->lists.number[i] == 0
                              : pairs->snow.start[i] == pairs->snow.end[i];
}

// What samples come to at one particle, zeros if there are none.
typedef struct sph_wall_at {
  const firn_real *w, *c, *vc;
} sph_wall_at;
static inline sph_wall_at sph_pairs_wall(const sph_pairs *pairs, size_t i) {
  static const firn_real none[3];
  const sph_wall *wall = &pairs->wall;
  if (!wall->w) return (sph_wall_at){none, none, none};
  return (sph_wall_at){wall->w + i, wall->c + 3 * i, wall->vc + i};
}

// out_i = w_i W(0) + sum w_j W_ij
void sph_pairs_interpolate(const sph_pairs *pairs, const firn_real *w, firn_real *out);

// What only depends on positions and volumes. All that follow belong to the V of the last call.
//   c_i = sum V_j grad W_ij                          [slots][3] 1/m
//   m_i = sum over j, b of V grad W (x) (x_j - x_i)  [slots][6], symmetric, positive semi-definite
//   g_i = sum V_j |grad W_ij|^2                      [slots] 1/m^2
void sph_pairs_moments(const sph_pairs *pairs, const firn_real *V, firn_real *c, firn_real *m,
                       firn_real *g);

// Makes R of slot i from its L (Eq. 15).
void sph_pairs_complete(const sph_pairs *pairs, size_t i, const firn_real L[6]);

// out_i = sum (q_i + q_j) V_j grad W_ij + psi q_i sum V_b grad W_ib: the gradient of a pressure
void sph_pairs_gradient(const sph_pairs *pairs, const firn_real *V, const firn_real *q,
                        firn_real psi, firn_real *out);

// out_i = sum V_j (u_j - u_i) . grad W_ij - back u_i . sum V_b grad W_ib: the divergence, u_b being
// 0
void sph_pairs_divergence(const sph_pairs *pairs, const firn_real *V, const firn_real *u,
                          firn_real back, firn_real *out);

// The divergence of the gradient of q, which has the boundary `back` times. grad is scratch,
// [slots][3].
void sph_pairs_laplace(const sph_pairs *pairs, const firn_real *V, const firn_real *q,
                       firn_real psi, firn_real back, firn_real *grad, firn_real *out);

// out_i = sum V_j (v_j - v_i) (x) grad W_ij, [slots][9]
void sph_pairs_velocity_gradient(const sph_pairs *pairs, const firn_real *V, const firn_real *v,
                                 firn_real *out);

// out_i = sum V_j (T_j + T_i) grad W_ij, where T = sigma L is [slots][9]
void sph_pairs_stress_divergence(const sph_pairs *pairs, const firn_real *V, const firn_real *T,
                                 firn_real *out);

// The mean number of neighbours of a particle, samples included.
double sph_pairs_mean(const sph_pairs *pairs);

#endif
