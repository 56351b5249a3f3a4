// SPDX-License-Identifier: Apache-2.0
// Drag of the air (Gissler et al. 2017): of a flake alone as drag.h says, and among others by how many
// there are and by who stands before it in the wind.
#include <math.h>

#include "base/parallel.h"
#include "solver/sph/sph.h"

// Neighbours with which a flake counts as one of many.
static const double FULL = 25.3;

// Of the flake in slot i: how many neighbours it has, and the largest of wind . x_ij / |x_ij|, the cosine
// of how far off the wind's way the one is that shields it most; 0 where nobody does. wind has length 1.
static int look(const sph *s, const uint32_t around[27], size_t i, const double wind[3],
                double *shield) {
  const sph_cells *cells = &s->pairs.cells;
  const firn_real *x[3];
  double xi[3];
  sph_span span[27];
  int count = 0;
  for (int a = 0; a < 3; a++) {
    x[a] = firn_particles_real(&s->world->particles, FIRN_FIELD_X + a);
    xi[a] = (double)x[a][i];
  }
  *shield = 0;
  int spans = sph_cells_spans(cells, around, xi, span);
  for (int o = 0; o < spans; o++) {
    for (uint32_t k = span[o].first; k < span[o].end; k++) {
      uint32_t j = cells->order[k];
      double r2 = 0, along = 0;
      for (int a = 0; a < 3; a++) {
        double d = xi[a] - (double)x[a][j] - 4 * span[o].step[a]; // cells, as far as anyone sees
        r2 += d * d;
        along += d * wind[a];
      }
      if (j == i || !(r2 < 1)) continue;
      count++;
      if (along > *shield * sqrt(r2)) *shield = along / sqrt(r2);
    }
  }
  return count;
}

// Returns the energy that the air has given, J.
static double drag_one(sph *s, const firn_block *block, const uint32_t around[27], size_t i) {
  const firn_world *world = s->world;
  const firn_air air = firn_wind_air(&world->wind);
  double density = (double)firn_world_row(world, i).density, mass = (double)s->mass[i];
  double x[3], v[3], wind[3], way[3], shield, change[3], speed2 = 0, energy = 0;
  for (size_t a = 0; a < 3; a++) {
    double place = (double)firn_particles_real(&world->particles, FIRN_FIELD_X + (int)a)[i];
    x[a] = (4.0 * block->at[a] + place) * world->h;
    v[a] = (double)s->v[3 * i + a];
  }
  firn_wind_at(world, x, world->time, wind);
  for (int a = 0; a < 3; a++) speed2 += (wind[a] - v[a]) * (wind[a] - v[a]);
  if (!(speed2 > 0)) return 0;
  for (int a = 0; a < 3; a++) way[a] = (wind[a] - v[a]) / sqrt(speed2);
  double crowd = fmin(1, look(s, around, i, way, &shield) / FULL), exposure = fmax(0, 1 - shield);
  firn_wind_acceleration(&air, cbrt(mass / density), density, crowd, exposure, v, wind, s->dt,
                         change);
  for (size_t a = 0; a < 3; a++) {
    s->v[3 * i + a] = (firn_real)(v[a] + s->dt * change[a]);
    double now = (double)s->v[3 * i + a];
    energy += 0.5 * mass * (now * now - v[a] * v[a]);
  }
  return energy;
}

void sph_air(sph *s) {
  const firn_world *world = s->world;
  const firn_particles *p = &world->particles;
  double *part = s->sums.data;
  if (!world->wind.on) return;
  SPH_FOR_UNITS(s, u) {
    const firn_unit *unit = &p->unit[u];
    part[u] = 0;
    for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
      const firn_block *block = &p->block[b];
      uint32_t around[27];
      sph_cells_around(&s->pairs.cells, block->at, around);
      for (size_t i = block->first; i < block->first + block->count; i++)
        part[u] += drag_one(s, block, around, i);
    }
  }
  s->last.given = sph_sum_units(s);
}
