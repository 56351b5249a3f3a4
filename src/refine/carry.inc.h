// SPDX-License-Identifier: Apache-2.0
// The law of fine particles, for the instruction set that includes this.
//
//   v <- a u + (1 - a) (v + g t),   a = min(1, rho/rho*)
//
// u and rho are taken in the middle of the way (without that, what turns with a rolling ball leaves it:
// by a cell for each 40 turned by at its rim); x moves with a u + (1 - a) (v + g t/2), so that one alone
// is on its parabola after steps of any length. As printed, u stands for v on the right.
#include <string.h>

#include "math/lane.h"
#include "refine/carry.h"

// Momentum and volume at a place within the cell.
static inline void look(const firn_carry_cell *c, const lane q[3], lane f[4]) {
  for (int i = 0; i < 4; i++) {
    const firn_real *k = c->k[i];
    lane h[4];
    for (int r = 0; r < 4; r++) h[r] = lane_fma(q[2], lane_set1(k[2 * r + 1]), lane_set1(k[2 * r]));
    lane low = lane_fma(q[1], h[1], h[0]), high = lane_fma(q[1], h[3], h[2]);
    f[i] = lane_fma(q[0], high, low);
  }
}

// u, and a; where there is no snow both are 0. Below a density of 1e-4 u goes to 0 with it: there rounding may
// be all that the polynomials give, and their quotient anything.
static inline lane flow(const firn_carry *s, const firn_carry_cell *c, const lane q[3], lane u[3]) {
  lane f[4];
  look(c, q, f);
  lane some = lane_max(f[3], lane_set1(FIRN_R(1e-4))), by = lane_rcp(some);
  for (int a = 0; a < 3; a++) u[a] = f[a] * by;
  return lane_min(lane_set1(1), f[3] * lane_set1(s->by_density));
}

// The velocity v after the step, and what the particle moves with.
static inline void blend(const firn_carry *s, lane alpha, const lane u[3], lane v[3], lane way[3]) {
  lane rest = lane_set1(1) - alpha, share = lane_set1(s->printed ? 1 : FIRN_R(0.5));
  for (int a = 0; a < 3; a++) {
    lane g = lane_set1(s->fall[a]), from = s->printed ? u[a] : v[a];
    way[a] = lane_fma(alpha, u[a], rest * lane_fma(share, g, from));
    v[a] = lane_fma(alpha, u[a], rest * (from + g));
  }
}

// One particle a lane: x, y, z, the velocity, the row, the place. Returns the square of the speed.
static inline lane carry_lanes(const firn_carry *s, const firn_carry_cell *c, lane part[8]) {
  const lane zero = lane_zero(), one = lane_set1(1), inverse = lane_set1(s->inverse);
  lane *x = part, *v = part + 3, corner[3], way[3], u[3] = {zero, zero, zero}, alpha = zero;
  for (int a = 0; a < 3; a++) corner[a] = lane_set1(c->corner[a]);
  if (c->kind != FIRN_CARRY_ALONE) {
    lane q[3], before[3];
    for (int a = 0; a < 3; a++) {
      q[a] = lane_clamp(lane_fma(x[a], inverse, -corner[a]), zero, one);
      before[a] = v[a];
    }
    alpha = flow(s, c, q, u);
    if (c->kind == FIRN_CARRY_MIXED)
      blend(s, alpha, u, before, way);
    else
      memcpy(way, u, sizeof way);
    // Not beyond the cell: there another polynomial holds.
    lane half = lane_set1(FIRN_R(0.5) * s->dt * s->inverse);
    for (int a = 0; a < 3; a++) q[a] = lane_clamp(lane_fma(half, way[a], q[a]), zero, one);
    alpha = flow(s, c, q, u);
  }
  if (c->kind == FIRN_CARRY_DENSE)
    for (int a = 0; a < 3; a++) way[a] = v[a] = u[a];
  else
    blend(s, alpha, u, v, way);
  lane square = zero, place = lane_set1(c->place), stride = lane_set1(36);
  for (int a = 0; a < 3; a++) {
    x[a] = lane_fma(lane_set1(s->dt), way[a], x[a]);
    square = lane_fma(v[a], v[a], square);
    lane step = lane_floor(lane_fma(x[a], inverse, -corner[a]));
    place = lane_fma(stride, lane_clamp(step, -one, one), place);
    stride = lane_set1(a == 0 ? 6 : 1);
  }
  part[7] = place;
  return square;
}

// As many particles as a square of lanes holds. Beyond eight lanes a row holds two particles, short of
// eight a part of one.
enum {
  PAIRS = FIRN_LANES > 8 ? FIRN_LANES / 8 : 1,
  BATCH = FIRN_LANES * PAIRS,
  HALVES = FIRN_LANES < 8 ? 8 / FIRN_LANES : 1
};

// Particles to lanes: lane i of part[p][c] is component c of particle PAIRS i + p.
static inline void load(const firn_fine_particle *from, lane part[PAIRS][8]) {
  const firn_real *p = (const void *)from;
  for (int half = 0; half < HALVES; half++) {
    lane r[FIRN_LANES];
    for (int i = 0; i < FIRN_LANES; i++) r[i] = lane_loadu(p + (HALVES * i + half) * FIRN_LANES);
    lane_transpose(r);
    for (int i = 0; i < FIRN_LANES; i++) part[i / 8][(half * FIRN_LANES + i) % 8] = r[i];
  }
}

static inline void store(firn_fine_particle *to, lane part[PAIRS][8]) {
  firn_real *p = (void *)to;
  for (int half = 0; half < HALVES; half++) {
    lane r[FIRN_LANES];
    for (int i = 0; i < FIRN_LANES; i++) r[i] = part[i / 8][(half * FIRN_LANES + i) % 8];
    lane_transpose(r);
    for (int i = 0; i < FIRN_LANES; i++) lane_storeu(p + (HALVES * i + half) * FIRN_LANES, r[i]);
  }
}

static inline lane carry_batch(const firn_carry *s, const firn_carry_cell *c,
                               firn_fine_particle *particle) {
  lane part[PAIRS][8], most = lane_zero();
  load(particle, part);
  for (int p = 0; p < PAIRS; p++) most = lane_max(most, carry_lanes(s, c, part[p]));
  store(particle, part);
  return most;
}

firn_real CARRY_NAME(const firn_carry *s, const firn_carry_cell *c, size_t count,
                     firn_fine_particle *particle) {
  lane most = lane_zero();
  size_t i = 0;
  for (; i + BATCH <= count; i += BATCH) most = lane_max(most, carry_batch(s, c, particle + i));
  if (i < count) { // the rest, where there is room for all of a batch
    firn_fine_particle rest[BATCH];
    for (size_t k = 0; k < BATCH; k++) rest[k] = particle[k < count - i ? i + k : i];
    most = lane_max(most, carry_batch(s, c, rest));
    for (size_t k = 0; k < count - i; k++) particle[i + k] = rest[k];
  }
  return lane_hmax(most);
}
