// SPDX-License-Identifier: Apache-2.0
// Which cells yield (section 5): those in which the shear stress that would stop all shear within the step,
//
//   s = density h^2/dt D,   D = dev sym grad u   (Zhu and Bridson 2005; the paper does not define its s),
//
// is beyond the bound of Drucker and Prager, |s| <= sqrt(2) sin(theta) p + c. So the rate of shear
// |D| at which snow yields goes with 1/h^2, and a scene of other cells is one of other snow: s is
// taken with the h of reference. Not with a step of reference as well: a rate of shear without a
// step is one that no force can bring about within a short one, and what is pressed resists by
// 1/dt.
#include <math.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

// du_a/dx_k in the middle of a cell, in 1/s times h: from the two faces, or across from those of the cells
// on both sides.
static double slope(const flip *s, size_t g, int c, int a, int k) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  const firn_real *u = s->u[a];
  if (a == k) return (double)u[flip_beside(s, g, c, a, 1)] - (double)u[i];
  double sum = 0;
  for (int step = -1; step < 2; step += 2) {
    size_t other = flip_beside(s, g, c, k, step), block = other / FLIP_CELLS;
    double here = (double)u[other];
    if (block < s->grid.count)
      here += (double)u[flip_beside(s, block, (int)(other % FLIP_CELLS), a, 1)];
    sum += step * here;
  }
  return sum / 4;
}

double flip_carry(const flip *s) {
  double cells = s->def.reference_h > 0 ? s->def.reference_h / s->world->h : 1;
  return cells * cells;
}

void flip_shear(const flip *s, size_t g, int c, double *stress, double *bound) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  const firn_material_row *row = &s->world->material[s->kind[i]];
  double h = s->world->h, normal[3], sum = 0, norm2 = 0;
  for (int a = 0; a < 3; a++) sum += normal[a] = slope(s, g, c, a, a);
  for (int a = 0; a < 3; a++) {
    int k = (a + 1) % 3;
    double shear = (slope(s, g, c, a, k) + slope(s, g, c, k, a)) / 2, dev = normal[a] - sum / 3;
    norm2 += dev * dev + 2 * shear * shear;
  }
  double p = fmax(0, s->p[i] * flip_pascals(s, i));
  *stress = (double)row->density * h / s->dt * sqrt(norm2) * flip_carry(s);
  *bound = sqrt(2) * sin((double)row->yield_angle) * p + flip_cohesion(s, i);
}

void flip_yield(flip *s, firn_real *mu) {
  size_t plastic = 0;
  double h = s->world->h, carry = flip_carry(s);
  FIRN_PARALLEL_FOR(s->world->context, schedule(dynamic, 8) reduction(+ : plastic))
  for (size_t g = 0; g < s->grid.count; g++) {
    uint64_t yields = 0;
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c;
      const firn_material_row *row = &s->world->material[s->kind[i]];
      double stress, bound;
      mu[i] = 0;
      if (!flip_bit(s->active, i)) continue;
      flip_shear(s, g, c, &stress, &bound);
      if (bound > 0 && stress <= bound) continue;
      yields |= (uint64_t)1 << c;
      // What yields bears its bound: 2 mu |D| = bound.
      double more = stress > 0 ? bound * (double)row->density * h * h / (2 * s->dt * stress) : 0;
      more *= carry;
      if (s->def.viscosity_printed)
        more = (double)row->viscosity_slope * fmax(0, s->p[i] * flip_pascals(s, i));
      mu[i] = (firn_real)((double)row->viscosity + more);
    }
    s->plastic[g] = yields;
    plastic += (size_t)__builtin_popcountll(yields);
  }
  s->last.plastic = plastic;
}
