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

#include "base/parallel.h"
#include "math/jacobi.h"
#include "solver/flip/kernels.h"
#include "solver/flip/pieces.h"

// Squared radius of gyration, cells^2, of a direction in which a piece does not turn: those of a
// row of cells, which are full, have an eighth.
static const double THIN = 0.05;

// What the particles of a block add to one piece, from the block's corner.
typedef struct share {
  uint32_t piece;
  double mass, first[3], second[6]; // kg, kg cells, kg cells^2: xx yy zz yz zx xy
  double momentum[3], angular[3];   // kg m/s, and times cells
} share;

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    out[k] = a[l] * b[m] - a[m] * b[l];
  }
}
static void multiply(const double A[9], const double B[9], double out[9]) {
  double sum[9] = {0};
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) sum[i] += A[i / 3 * 3 + k] * B[3 * k + i % 3];
  memcpy(out, sum, sizeof sum);
}
static void apply(const double A[9], const double v[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}

// --------------------------------------------------------------------------------------- what it
// is

static uint64_t rigid_cells(const flip *s, size_t b, size_t *g) {
  *g = s->grid.target[b][firn_grid_offset(0, 0, 0)];
  return s->active[*g] & ~s->plastic[*g] & s->full[*g];
}

static void add_particle(const flip *s, size_t slot, share *to) {
  const firn_particles *p = &s->world->particles;
  double x[3], v[3], turn[3], m = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  for (int a = 0; a < 3; a++) {
    x[a] = (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    v[a] = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
  }
  cross(x, v, turn);
  to->mass += m;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    to->first[a] += m * x[a];
    to->second[a] += m * x[a] * x[a];
    to->second[3 + a] += m * x[b] * x[d];
    to->momentum[a] += m * v[a];
    to->angular[a] += m * turn[a];
    if (s->field_c < 0) continue;
    // The affine part has an angular momentum of its own, m h^2/4 times the axial vector of C.
    const firn_real *low = firn_particles_real(p, s->field_c + 3 * b + d),
                    *high = firn_particles_real(p, s->field_c + 3 * d + b);
    to->angular[a] += m * s->world->h / 4 * ((double)high[slot] - (double)low[slot]);
  }
}

// One share for each piece that has particles in the block. Returns how many there are; out may be
// NULL.
static size_t share_block(const flip *s, const pieces *k, size_t b, share *out) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  uint8_t of_cell[FLIP_CELLS];
  uint32_t label[FLIP_CELLS];
  size_t count = 0, g;
  uint64_t rigid = rigid_cells(s, b, &g);
  for (uint64_t left = rigid; left; left &= left - 1) {
    int c = __builtin_ctzll(left);
    uint32_t here = k->label[FLIP_CELLS * g + (size_t)c];
    size_t to = 0;
    if (!k->of[here].rides) {
      rigid &= ~((uint64_t)1 << c);
      continue;
    }
    while (to < count && label[to] != here) to++;
    if (to == count) label[count++] = here;
    of_cell[c] = (uint8_t)to;
  }
  if (!out || !count) return count;
  memset(out, 0, count * sizeof *out);
  for (size_t n = 0; n < count; n++) out[n].piece = label[n];
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    int c = flip_cell_of(p, slot);
    if (rigid >> c & 1) add_particle(s, slot, &out[of_cell[c]]);
  }
  return count;
}

// About the middle of the piece, which is d from the corner of the block, less.
static void add_share(const share *from, const double d[3], piece *p) {
  double turn[3], J[6];
  cross(d, from->momentum, turn);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    p->given[a] += from->momentum[a];
    p->given[3 + a] += from->angular[a] + turn[a];
    J[a] = from->second[a] + 2 * d[a] * from->first[a] + from->mass * d[a] * d[a];
    J[3 + a] = from->second[3 + a] + d[b] * from->first[c] + d[c] * from->first[b] +
               from->mass * d[b] * d[c];
  }
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    p->inertia[3 * a + a] += J[b] + J[c];
    p->inertia[3 * b + c] -= J[3 + a];
    p->inertia[3 * c + b] -= J[3 + a];
  }
}

// The inverse of the inertia but for directions in which there is none.
static void invert(const piece *p, double out[9]) {
  double A[9], V[9];
  memcpy(A, p->inertia, sizeof A);
  memset(out, 0, 9 * sizeof *out);
  firn_jacobi(3, A, V);
  for (int e = 0; e < 3; e++) {
    if (!(A[4 * e] > THIN * p->mass)) continue;
    for (int n = 0; n < 9; n++) out[n] += V[3 * (n / 3) + e] * V[3 * (n % 3) + e] / A[4 * e];
  }
}

// Momenta to motions.
static void find_motion(const flip *s, piece *p) {
  double inverse[9];
  if (!p->rides || !(p->mass > 0)) return;
  for (int a = 0; a < 3 && s->field_c >= 0; a++) p->inertia[4 * a] += p->mass / 2;
  invert(p, inverse);
  for (int a = 0; a < 3; a++) {
    p->system[7 * a] = 1 / p->mass;
    for (int b = 0; b < 3; b++) p->system[6 * (3 + a) + 3 + b] = inverse[3 * a + b];
  }
  for (int a = 0; a < 3; a++) p->given[a] += p->mass * s->dt * s->world->gravity[a];
  for (int n = 0; n < 36; n++) p->motion[n / 6] += p->system[n] * p->given[n % 6];
}

firn_status flip_weigh_riders(flip *s, const pieces *k) {
  size_t blocks = s->world->particles.block_count, count = 0;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->parts, (blocks + 1) * sizeof(size_t),
                               "rigid pieces"));
  size_t *start = s->parts.data;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) start[b + 1] = share_block(s, k, b, NULL);
  start[0] = 0;
  for (size_t b = 0; b < blocks; b++) start[b + 1] += start[b];
  count = start[blocks];
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->shares, (count + 1) * sizeof(share),
                               "rigid pieces"));
  share *all = s->shares.data;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) share_block(s, k, b, all + start[b]);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t b = 0; b < blocks; b++) {
      const int32_t *at = s->world->particles.block[b].at;
      for (const share *from = all + start[b]; from < all + start[b + 1]; from++) {
        piece *p = &k->of[from->piece];
        double d[3];
        if (pass == 0) p->mass += from->mass;
        for (int a = 0; a < 3; a++) {
          if (pass == 0) p->center[a] += 4.0 * at[a] * from->mass + from->first[a];
          d[a] = 4.0 * at[a] - p->center[a];
        }
        if (pass == 1) add_share(from, d, p);
      }
    }
    for (size_t n = 0; n < k->count && pass == 0; n++)
      for (int a = 0; a < 3 && k->of[n].rides && k->of[n].mass > 0; a++)
        k->of[n].center[a] /= k->of[n].mass;
  }
  for (size_t n = 0; n < k->count; n++) find_motion(s, &k->of[n]);
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
  apply(inverse, back, spin);
  apply(R, spin, out);
}

void flip_turn_rider(const flip *s, piece *p) {
  double inverse[9], momentum[3], by[3], R[9], step = s->dt / s->world->h;
  if (!p->rides) return;
  for (int n = 0; n < 9; n++) inverse[n] = p->system[6 * (3 + n / 3) + 3 + n % 3];
  apply(p->inertia, p->motion + 3, momentum);
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
  apply(A, d, at);
  for (int n = 0; n < 9; n++) out[n] = (firn_real)A[n];
  for (int a = 0; a < 3; a++) out[9 + a] = (firn_real)(at[a] + b[a]);
}

bool flip_ride_of(const flip *s, size_t b, int cell, flip_ride *out) {
  size_t g, i;
  if (!s->riding.of || !(rigid_cells(s, b, &g) >> cell & 1)) return false;
  i = FLIP_CELLS * g + (size_t)cell;
  const piece *p = &s->riding.of[s->riding.label[i]];
  if (!p->rides) return false;
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
