// SPDX-License-Identifier: Apache-2.0
// Coulomb's friction on colliders, after the projection: what a face beside one has of tangential velocity
// loses friction times the change of its normal velocity that the pressure has made. Without it snow that
// slides as a whole, which has no shear of its own, would slide down any slope.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

// Cells from a collider within which it rubs.
static const double REACH = 0.75;

// The lower face along a of a cell; before is its velocity before the projection.
static double rub_face(const flip *s, size_t g, int c, int a) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  double x[3], n[3], velocity[3], now[3], change = 0, into = 0, slip2 = 0, h = s->world->h;
  int nearest;
  flip_corner(s, g, c, x);
  for (int k = 0; k < 3; k++) x[k] = (x[k] + (k == a ? 0 : 0.5)) * h;
  double away = flip_solid_distance(s->world, s->beside[g], x, &nearest, n, velocity);
  if (!(away < REACH * h)) return (double)s->u[a][i];
  for (int k = 0; k < 3; k++) {
    now[k] = k == a ? (double)s->u[k][i] : flip_across(s, s->u[k], g, c, a, k);
    double was = k == a ? (double)s->was[k][i] : flip_across(s, s->was[k], g, c, a, k);
    change += (now[k] - was - s->dt * s->world->gravity[k]) * n[k];
    now[k] -= velocity[k];
    into += now[k] * n[k];
  }
  for (int k = 0; k < 3; k++) {
    now[k] -= into * n[k];
    slip2 += now[k] * now[k];
  }
  const firn_collider *collider = &s->world->collider[nearest];
  double slip = sqrt(slip2), left = 0;
  if (!(slip > 0)) return (double)s->u[a][i];
  if (!collider->sticky) left = fmax(0, 1 - collider->friction * fmax(0, change) / slip);
  return velocity[a] + into * n[a] + left * now[a];
}

static bool rubs(const flip *s) {
  for (int c = 0; c < s->world->collider_count; c++)
    if (s->world->collider[c].friction > 0 || s->world->collider[c].sticky) return true;
  return false;
}

// Whether the snow beside a face has friction at all, which a fluid has not.
static bool is_rough(const flip *s, size_t cell) {
  const firn_material_row *row = &s->world->material[s->kind[cell]];
  return flip_bit(s->active, cell) && (row->yield_angle > 0 || row->yield_cohesion > 0);
}

// Faces are changed after all have been looked at; until then `rubbed` holds what they will be.
void flip_rub(flip *s) {
  firn_real **rubbed = s->rubbed;
  if (!rubs(s)) return;
  FLIP_FOR_BLOCKS(s, g) {
    for (int c = 0; c < FLIP_CELLS && s->cut[g]; c++) {
      for (int a = 0; a < 3; a++) {
        size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
        bool rough = s->open[a][i] > 0 && (is_rough(s, i) || is_rough(s, below));
        rubbed[a][i] = rough ? (firn_real)rub_face(s, g, c, a) : s->u[a][i];
      }
    }
  }
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3 && s->cut[g]; a++)
      memcpy(s->u[a] + FLIP_CELLS * g, rubbed[a] + FLIP_CELLS * g, FLIP_CELLS * sizeof *s->u[a]);
  }
}
