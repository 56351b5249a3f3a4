// SPDX-License-Identifier: Apache-2.0
// Where the fluid is: which cells have a pressure, and how far from their middles the surface is.
//
// Of spheres around particles, which is the plain choice, the surface is as rough as particles lie,
// farther out than they end, and a cell that holds a particle is fluid whether its middle is or
// not: waves four cells deep were 15 % too slow or too fast, by where the grid lay. So the surface
// of water is where a cell would have as much of a full half space as it has of the particles,
// volumes shared out between eight cells; what colliders fill of that is left out. A cell whose
// middle is outside is air, though it hold particles, where it lies on fluid: the surface is
// between both.
#include <math.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

// Of two cells, the difference of distances to the surface, from which on one lies on the other.
static const double LIES_ON = 0.5;
// The depth in a half space from which a cell has so much of it: the inverse of a hat's integral.
static double depth_of(double share) {
  if (share >= 1) return 1;
  return share > 0.5 ? 1 - sqrt(2 * (1 - share)) : sqrt(2 * share) - 1;
}

static bool is_water(const flip *s, size_t cell) {
  return !s->def.surface_spheres && !flip_is_porous(&s->world->material[s->kind[cell]]);
}

// Whether a cell has fluid that is well inside beside it.
static bool lies_on_fluid(const flip *s, size_t g, int c) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  for (int a = 0; a < 3; a++) {
    for (int step = -1; step < 2; step += 2) {
      size_t other = flip_beside(s, g, c, a, step), face = step > 0 ? other : i;
      double phi = (double)s->phi[0][other];
      if (s->open[a][face] > 0 && phi < 0 && !flip_bit(s->inside, other) &&
          (double)s->phi[0][i] - phi > LIES_ON)
        return true;
    }
  }
  return false;
}

// Distances of what is not inside colliders.
static void measure(flip *s, size_t g, const double *volume) {
  for (int c = 0; c < FLIP_CELLS; c++) {
    size_t i = FLIP_CELLS * g + (size_t)c;
    double share = volume[i];
    if (flip_bit(s->inside, i) || !(share > 0) || !is_water(s, i)) continue;
    if (share < 1) share /= flip_room(s, g, c);
    s->phi[0][i] = (firn_real)-depth_of(share);
  }
}

// Cells that hold a particle and are fluid for that, however far from the surface their middle is.
static uint64_t lone_cells(const flip *s, size_t g, firn_real little) {
  uint64_t out = 0;
  for (uint64_t left = s->full[g]; left; left &= left - 1) {
    int c = __builtin_ctzll(left);
    size_t i = FLIP_CELLS * g + (size_t)c;
    bool outside = !(s->phi[0][i] < (is_water(s, i) ? 0 : little));
    if (outside && !(is_water(s, i) && lies_on_fluid(s, g, c))) out |= (uint64_t)1 << c;
  }
  return out;
}

// Fluid goes on inside colliders, or a cell of which little is open would count as air.
void flip_surface(flip *s) {
  const firn_real half = FIRN_R(0.5), little = FIRN_R(-0.1);
  uint64_t *lone = s->next[0];
  if (s->wet_too && !s->def.surface_spheres) {
    double *volume = s->p; // until the step has pressures
    flip_share_volumes(s, volume);
    FLIP_FOR_BLOCKS(s, g) measure(s, g, volume);
    flip_clear(s, volume, s->grid.count * FLIP_CELLS * sizeof *volume);
  }
  FLIP_FOR_BLOCKS(s, g) lone[g] = lone_cells(s, g, little);
  FLIP_FOR_BLOCKS(s, g) {
    uint64_t active = 0;
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c;
      firn_real *phi = &s->phi[0][i], open = 0;
      if (flip_bit(lone, i)) *phi = little;
      if (flip_bit(s->inside, i) && *phi < half) *phi = -half;
      if (!(*phi < 0)) continue;
      for (int a = 0; a < 3; a++) open += s->open[a][i] + s->open[a][flip_beside(s, g, c, a, 1)];
      if (open > 0) active |= (uint64_t)1 << c;
    }
    s->active[g] = active;
  }
}
