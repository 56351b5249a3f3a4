// SPDX-License-Identifier: Apache-2.0
// Mass, middle and momenta of sets of particles, in a fixed order: the sums of a block about its
// corner, then those of blocks about the middle of their set.
#include "solver/flip/moments.h"

#include <string.h>

#include "base/parallel.h"
#include "math/jacobi.h"

// Squared radius of gyration, cells^2, of a direction in which a set does not turn: those of a
// row of cells, which are full, have an eighth.
static const double THIN = 0.05;

// What the particles of a block add to one set, from the block's corner.
typedef struct share {
  uint32_t set;
  double mass, first[3], second[6]; // kg, kg cells, kg cells^2: xx yy zz yz zx xy
  double momentum[3], angular[3];   // kg m/s, and times cells
} share;

static void add_particle(const flip *s, size_t slot, share *to) {
  const firn_particles *p = &s->world->particles;
  double x[3], v[3], turn[3], m = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  for (int a = 0; a < 3; a++) {
    x[a] = (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    v[a] = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
  }
  flip_cross(x, v, turn);
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

// One share for each set that has particles in the block. Returns how many there are; out may be
// NULL.
static size_t share_block(const flip *s, flip_set_fn set_of, const void *user, size_t b,
                          share *out) {
  const firn_block *block = &s->world->particles.block[b];
  uint32_t set[FLIP_CELLS];
  size_t count = 0, to = 0;
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    uint32_t of = set_of(user, b, slot);
    if (of == FLIP_NO_SET) continue;
    if (to >= count || set[to] != of)
      for (to = 0; to < count && set[to] != of;) to++;
    if (to == count) {
      set[count++] = of;
      if (out) out[to] = (share){.set = of};
    }
    if (out) add_particle(s, slot, &out[to]);
  }
  return count;
}

// About the middle of the set, which is d from the corner of the block, less.
static void add_share(const share *from, const double d[3], flip_moments *to) {
  double turn[3], J[6];
  flip_cross(d, from->momentum, turn);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    to->momentum[a] += from->momentum[a];
    to->angular[a] += from->angular[a] + turn[a];
    J[a] = from->second[a] + 2 * d[a] * from->first[a] + from->mass * d[a] * d[a];
    J[3 + a] = from->second[3 + a] + d[b] * from->first[c] + d[c] * from->first[b] +
               from->mass * d[b] * d[c];
  }
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    to->inertia[3 * a + a] += J[b] + J[c];
    to->inertia[3 * b + c] -= J[3 + a];
    to->inertia[3 * c + b] -= J[3 + a];
  }
}

void flip_invert_inertia(const flip_moments *m, double out[9]) {
  double A[9], V[9];
  memcpy(A, m->inertia, sizeof A);
  memset(out, 0, 9 * sizeof *out);
  firn_jacobi(3, A, V);
  for (int e = 0; e < 3; e++) {
    if (!(A[4 * e] > THIN * m->mass)) continue;
    for (int n = 0; n < 9; n++) out[n] += V[3 * (n / 3) + e] * V[3 * (n % 3) + e] / A[4 * e];
  }
}

static void add_shares(const flip *s, const size_t *start, const share *all, bool about_middle,
                       flip_moments *out) {
  for (size_t b = 0; b < s->world->particles.block_count; b++) {
    const int32_t *at = s->world->particles.block[b].at;
    for (const share *from = all + start[b]; from < all + start[b + 1]; from++) {
      flip_moments *to = &out[from->set];
      double d[3];
      if (!about_middle) to->mass += from->mass;
      for (int a = 0; a < 3; a++) {
        if (!about_middle) to->center[a] += 4.0 * at[a] * from->mass + from->first[a];
        d[a] = 4.0 * at[a] - to->center[a];
      }
      if (about_middle) add_share(from, d, to);
    }
  }
}

firn_status flip_sum_moments(flip *s, flip_set_fn set_of, const void *user, size_t count,
                             flip_moments *out) {
  size_t blocks = s->world->particles.block_count;
  FIRN_TRY(
      firn_buffer_reserve(s->world->context, &s->parts, (blocks + 1) * sizeof(size_t), "moments"));
  size_t *start = s->parts.data;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) start[b + 1] = share_block(s, set_of, user, b, NULL);
  start[0] = 0;
  for (size_t b = 0; b < blocks; b++) start[b + 1] += start[b];
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->shares, (start[blocks] + 1) * sizeof(share),
                               "moments"));
  share *all = s->shares.data;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) share_block(s, set_of, user, b, all + start[b]);
  memset(out, 0, count * sizeof *out);
  add_shares(s, start, all, false, out);
  for (size_t n = 0; n < count; n++)
    for (int a = 0; a < 3 && out[n].mass > 0; a++) out[n].center[a] /= out[n].mass;
  add_shares(s, start, all, true, out);
  for (size_t n = 0; n < count && s->field_c >= 0; n++)
    for (int a = 0; a < 3; a++) out[n].inertia[4 * a] += out[n].mass / 2;
  return FIRN_OK;
}
