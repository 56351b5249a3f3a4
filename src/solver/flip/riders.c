// SPDX-License-Identifier: Apache-2.0
// Rigid pieces that ride: that move with their particles, those in their cells. What a piece
// weighs, and how it moves before anything acts on it, are sums over these; and as a piece moves,
// its particles do:
//
//   r' = R r,   v' = V + omega' x r',
//
// r from the middle, V and omega the motion after all that acts. R is a rotation by the step's
// half-way omega, and omega' that of the turned piece with the angular momentum that it has: so
// neither momentum changes by the way between particles and grid. The rest of a particle's velocity
// is lost. Were it kept, as FLIP keeps what the grid does not see, the shear that a force gives in
// each step would add up in the particles of a piece that bears it, until the piece yields.
#include <math.h>
#include <string.h>

#include "solver/flip/kernels.h"
#include "solver/flip/moments.h"
#include "solver/flip/pieces.h"

static void multiply(const double A[9], const double B[9], double out[9]) {
  double sum[9] = {0};
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) sum[i] += A[i / 3 * 3 + k] * B[3 * k + i % 3];
  memcpy(out, sum, sizeof sum);
}

// ---------------------------------------------------------------------------------- what it is

static const piece *rider_of(const flip *s, const uint32_t *label, const piece *of, size_t b,
                             int cell) {
  size_t g = s->grid.target[b][firn_grid_offset(0, 0, 0)], i = FLIP_CELLS * g + (size_t)cell;
  if (!(s->active[g] & ~s->plastic[g] & s->full[g] & (uint64_t)1 << cell)) return NULL;
  return of[label[i]].rides ? &of[label[i]] : NULL;
}

typedef struct riders {
  const flip *s;
  const pieces *k;
} riders;

static uint32_t number_of(const void *user, size_t b, size_t slot) {
  const riders *r = user;
  const piece *p = rider_of(r->s, r->k->label, r->k->of, b,
                            flip_cell_of(&r->s->world->particles, slot));
  return p ? (uint32_t)(p - r->k->of) : FLIP_NO_SET;
}

// Momenta to motions.
static void find_motion(const flip *s, const flip_moments *m, piece *p) {
  double inverse[9];
  if (!p->rides || !(m->mass > 0)) return;
  p->mass = m->mass;
  memcpy(p->center, m->center, sizeof p->center);
  memcpy(p->inertia, m->inertia, sizeof p->inertia);
  flip_invert_inertia(m, inverse);
  for (int a = 0; a < 3; a++) {
    p->system[7 * a] = 1 / p->mass;
    for (int b = 0; b < 3; b++) p->system[6 * (3 + a) + 3 + b] = inverse[3 * a + b];
    p->given[a] = m->momentum[a] + p->mass * s->dt * s->world->gravity[a];
    p->given[3 + a] = m->angular[a];
  }
  for (int n = 0; n < 36; n++) p->motion[n / 6] += p->system[n] * p->given[n % 6];
}

firn_status flip_weigh_riders(flip *s, const pieces *k) {
  const riders all = {s, k};
  FIRN_TRY(flip_sum_moments(s, number_of, &all, k->count, k->moments));
  for (size_t n = 0; n < k->count; n++) find_motion(s, &k->moments[n], &k->of[n]);
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------- how it
// goes

// The rotation by a vector, in rad.
static void rotation(const double by[3], double out[9]) {
  double angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
  double half = sin(angle / 2), one = angle > 0 ? sin(angle) / angle : 1,
         two = angle > 0 ? 2 * half * half / (angle * angle) : 0.5;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[3 * i + i] = 1 - two * (by[j] * by[j] + by[k] * by[k]);
    out[3 * i + j] = two * by[i] * by[j] - one * by[k];
    out[3 * i + k] = two * by[i] * by[k] + one * by[j];
  }
}

// The spin of a piece with this angular momentum that has been turned.
static void spin_of(const double R[9], const double inverse[9], const double momentum[3],
                    double out[3]) {
  double back[3], spin[3];
  for (int i = 0; i < 3; i++)
    back[i] = R[i] * momentum[0] + R[3 + i] * momentum[1] + R[6 + i] * momentum[2];
  flip_apply(inverse, back, spin);
  flip_apply(R, spin, out);
}

void flip_turn_rider(const flip *s, piece *p) {
  double inverse[9], momentum[3], by[3], R[9], step = s->dt / s->world->h;
  if (!p->rides) return;
  for (int n = 0; n < 9; n++) inverse[n] = p->system[6 * (3 + n / 3) + 3 + n % 3];
  flip_apply(p->inertia, p->motion + 3, momentum);
  for (int a = 0; a < 3; a++) by[a] = step / 2 * p->motion[3 + a];
  rotation(by, R);
  spin_of(R, inverse, momentum, by);
  for (int a = 0; a < 3; a++) by[a] *= step;
  rotation(by, p->turn);
  spin_of(p->turn, inverse, momentum, p->spin);
}

// Of A r + b with r = x + d: all but x.
static void local(const double A[9], const double d[3], const double b[3], firn_real out[12]) {
  double at[3];
  flip_apply(A, d, at);
  for (int n = 0; n < 9; n++) out[n] = (firn_real)A[n];
  for (int a = 0; a < 3; a++) out[9 + a] = (firn_real)(at[a] + b[a]);
}

bool flip_ride_of(const flip *s, size_t b, int cell, flip_ride *out) {
  const piece *p = s->riding.of ? rider_of(s, s->riding.label, s->riding.of, b, cell) : NULL;
  if (!p) return false;
  const double *w = p->spin, spin[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  double d[3], A[9], way[9], shift[3];
  for (int a = 0; a < 3; a++) {
    d[a] = 4.0 * s->world->particles.block[b].at[a] - p->center[a];
    shift[a] = p->motion[a] * s->dt / s->world->h;
  }
  multiply(spin, p->turn, A);
  for (int n = 0; n < 9; n++) {
    way[n] = p->turn[n] - (n % 4 == 0);
    out->gradient[n] = (firn_real)(spin[n] / s->world->h);
  }
  local(A, d, p->motion, out->speed);
  local(way, d, shift, out->way);
  return true;
}
