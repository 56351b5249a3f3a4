// SPDX-License-Identifier: Apache-2.0
// What the parts of a search for balance share: balance.c and balance_*.c.
#ifndef FIRN_SOLVER_MPM_BALANCING_H
#define FIRN_SOLVER_MPM_BALANCING_H

#include <math.h>

#include "solver/mpm/mpm.h"

// Fields of nodes: displacement, m; impulse that contact leaves free, N s; velocity that the last solve
// gave, m/s; the displacement that left the least out of balance, m; displacement and impulse of the round
// before; the impulse that snow had that was there before, see note_unrest of balance_rounds.c; and what
// displacement and impulse changed by in the last rounds, see balance_secant.c.
enum { SECANTS = 3 };
enum {
  U,
  IMPULSE,
  LAST,
  BEST,
  UNREST,
  ZEROED, // those before begin a search as 0
  FORMER_U = ZEROED,
  FORMER_IMPULSE,
  DU,
  DF = DU + SECANTS,
  FIELDS = DF + SECANTS
};

typedef struct balance {
  mpm *m;
  firn_mpm_def def;     // as they were
  mpm_view view;        //
  double surface2;      //
  size_t asleep;        //
  bool whole;           // all snow takes part; else only the units with settled snow
  bool laid_on;         // some of it lies on snow that sleeps, see under
  bool begun;           // start is filled
  bool pressed;         // settled snow begins with the strain of its column, else with none
  double time;          // s, t of balance.c
  double left;          // share of the weight that is out of balance
  int iterations;       // of all solves
  int budget;           // those that the present search has left
  int secants;          // rounds that DU and DF were noted in
  firn_buffer start;    // [STATE][slots]: what u begins from
  firn_buffer body;     // [3][slots]: no velocity; mass and volume of what takes part
  firn_buffer nodes;    // [FIELDS][node reals and a row]
  firn_buffer parts;    // [node blocks][3], see measure
  firn_buffer products; // double [node blocks][SECANTS][SECANTS + 1]
  firn_buffer bodies;   // [blocks], see mpm_bodies_find
  firn_buffer let_go;   // [near node blocks][64] uint32_t, see mpm
  firn_buffer under;    // [blocks] bytes: asleep under snow that was added, see under.h
  firn_buffer held;     // [bodies] bytes: something holds it; there are no more than blocks
  firn_buffer energy;   // double [blocks], J, see strain_held
} balance;

// What strain changes of a particle: b, ln J_P, and what bounds on J_P cut off, if that is kept.
enum { STATE = 8 };
static inline firn_real *state_of(const mpm_view *view, size_t i) {
  return i < 6 ? view->b[i] : i == 6 ? view->ln_jp : view->ln_cut;
}

static inline firn_real *node_field(const balance *k, size_t i) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS + FIRN_ROW_REALS;
  return (firn_real *)k->nodes.data + i * reals;
}

static inline bool is_under(const balance *k, size_t b) {
  return ((const uint8_t *)k->under.data)[b];
}

// Whether the body of a block touches some collider.
static inline bool is_held(const balance *k, size_t b) {
  return ((const uint8_t *)k->held.data)[((const uint32_t *)k->bodies.data)[b]];
}

static inline double gravity_of(const balance *k) {
  const double *g = k->m->world->gravity;
  return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

// balance_roles.c: what particles begin with, and which of them take part. False: nobody does.
bool mpm_balance_enlist(balance *k);

// balance_rounds.c: seeks the strain, and leaves the particles with it; in parts, what was out of balance
// last.
firn_status mpm_balance_seek(balance *k);

// balance_secant.c, in a round: notes what has changed since the last mpm_secant_apply, or forgets all of
// that; then takes U and IMPULSE as far as the secants lead.
void mpm_secant_note(balance *k);
void mpm_secant_forget(balance *k);
void mpm_secant_apply(balance *k);

#endif
