// SPDX-License-Identifier: Apache-2.0
// Coulomb's friction on colliders, after the projection: what a face beside one has of tangential velocity
// loses friction times what the pressure presses the collider with, over the snow of the face. Without it snow
// that slides as a whole, which has no shear of its own, would slide down any slope.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

// Cells from a collider within which it rubs.
static const double REACH = 0.75;

// m/s: what a cell gives to the colliders in it, over the mass of a cell: its pressure, and half of its weight,
// which is between its middle and them.
static double load_of(const flip *s, size_t cell) {
  size_t g = cell / FLIP_CELLS;
  double area2 = 0, weight = 0;
  if (!flip_bit(s->active, cell) || !(s->p[cell] > 0)) return 0;
  for (int a = 0; a < 3; a++) {
    size_t above = flip_beside(s, g, (int)(cell % FLIP_CELLS), a, 1);
    double closed = (double)s->open[a][above] - (double)s->open[a][cell];
    area2 += closed * closed;
    weight -= closed * s->world->gravity[a] * s->dt / 2;
  }
  return s->p[cell] * sqrt(area2) + fmax(0, weight);
}

// The velocity of the lower face along a of a cell, less what it was.
static double rub_face(const flip *s, size_t g, int c, int a) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  double x[3], n[3], velocity[3], now[3], into = 0, slip2 = 0, h = s->world->h;
  int nearest;
  flip_corner(s, g, c, x);
  for (int k = 0; k < 3; k++) x[k] = (x[k] + (k == a ? 0 : 0.5)) * h;
  double away = flip_solid_distance(s->world, s->beside[g], x, &nearest, n, velocity);
  if (!(away < REACH * h)) return 0;
  for (int k = 0; k < 3; k++) {
    now[k] = k == a ? (double)s->u[k][i] : flip_across(s, s->u[k], g, c, a, k);
    now[k] -= velocity[k];
    into += now[k] * n[k];
  }
  for (int k = 0; k < 3; k++) {
    now[k] -= into * n[k];
    slip2 += now[k] * now[k];
  }
  const firn_collider *collider = &s->world->collider[nearest];
  double slip = sqrt(slip2), lost = 1;
  if (!(slip > 0)) return 0;
  if (!collider->sticky) {
    int cells = flip_bit(s->active, i) + flip_bit(s->active, below);
    double load = (load_of(s, i) + load_of(s, below)) / (cells * (double)s->open[a][i]);
    lost = load > 0 ? fmin(1, collider->friction * load / slip) : 0;
  }
  return -lost * now[a];
}

static bool rubs(const flip *s) {
  for (int c = 0; c < s->world->collider_count; c++)
    if (s->world->collider[c].friction > 0 || s->world->collider[c].sticky) return true;
  return false;
}

// Whether the snow beside a face has friction at all, which a fluid has not.
static bool is_rough(const flip *s, size_t cell) {
  const firn_material_row *row = &s->world->material[s->kind[cell]];
  return flip_bit(s->active, cell) &&
         (row->yield_angle > 0 || row->yield_cohesion > 0 || row->yield_cohesion_slope > 0 ||
          row->viscosity > 0 || row->viscosity_slope > 0);
}

// Faces are changed after all have been looked at.
void flip_rub(flip *s) {
  if (!rubs(s)) return;
  FLIP_FOR_BLOCKS(s, g) {
    for (int c = 0; c < FLIP_CELLS && s->cut[g]; c++) {
      for (int a = 0; a < 3; a++) {
        size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
        bool rough = s->open[a][i] > 0 && (is_rough(s, i) || is_rough(s, below));
        s->rubbed[a][i] = rough ? (firn_real)rub_face(s, g, c, a) : 0;
      }
    }
  }
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3 && s->cut[g]; a++)
      for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++) s->u[a][i] += s->rubbed[a][i];
  }
}
