// SPDX-License-Identifier: Apache-2.0
// What the search for who flies knows of those who could, and whom they may meet.
#ifndef FIRN_SOLVER_MPM_FLIGHT_MEET_H
#define FIRN_SOLVER_MPM_FLIGHT_MEET_H

#include "grid/bricks.h"
#include "solver/mpm/flight_search.h"

// Candidates that one may meet; whoever may meet more is in a crowd and does not fly.
enum { MPM_MEETINGS = MPM_PIECE_MAX > 1 ? 24 : 6 };

typedef struct mpm_candidate {
  uint32_t brick, root;
  uint32_t next;          // of its piece, or FIRN_BRICK_NONE
  uint32_t last;          // of the piece, where this is its root ...
  uint32_t particles;     // ... and how many it has
  firn_real lo[3], hi[3]; // where its particles may come, cells from the brick's corner
  firn_reach reach;       // what they may reach on the grid, should they be there
  bool fresh;             // some of its particles, or of the piece, have no volume yet
  bool grounded;
  bool straight; // one particle that nothing but gravity acts on, as far as is known ...
  bool again;    // ... but that has just turned out to be wrong, as ...
  bool bent;     // ... it may meet another that flies
  uint8_t meetings;
  uint32_t with[MPM_MEETINGS]; // candidates, and whether as they fly or once they are grounded
} mpm_candidate;
#define MPM_MEETS_FLYING (1u << 31) // as they fly

typedef struct mpm_search {
  mpm *m;
  const firn_choice *choice;
  const firn_particles *p;
  double speed;   // m/s, of the quickest candidate
  double horizon; // s, ...
  double way;     // cells, that the quickest goes within it at most
  bool ballistic; // nothing but gravity acts
  bool known;     // the reach of blocks is that of the solver
  firn_reach widest;
  mpm_candidate *candidate;
  uint8_t *mark; // [count] what they are to the pass at hand: far less to look through
  size_t count;
  uint32_t *of; // [bricks] its candidate, or FIRN_BRICK_NONE
  firn_bricks bricks;
} mpm_search;

// Positions are a few blocks from the corner at most, and floor() is a call.
static inline int mpm_flight_cell(const mpm_search *s, firn_real x) {
  enum { FAR = 1024 };
  return (int)((double)x - s->m->stencil.shift + FAR) - FAR;
}

// Numbers the candidates, and finds the quickest.
firn_status mpm_flight_candidates(mpm_search *s);
// Whom each may meet within the horizon, and who is grounded by that. Marks those who may meet others that fly.
void mpm_flight_meet(mpm_search *s);

#endif
