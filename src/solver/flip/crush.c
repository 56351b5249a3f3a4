// SPDX-License-Identifier: Apache-2.0
// Durability (section 4): the share of its structure that snow still has. What presses on snow crushes it;
// whole snow gives way to a collider, crushed snow is pushed along.
#include <math.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

// The step that crushing is told for, s.
static const double STEP = 5e-3;

static double damage(const flip *s, size_t cell) {
  return s->def.d0 - (double)s->d[0][cell];
}

double flip_cohesion(const flip *s, size_t cell) {
  const firn_material_row *row = &s->world->material[s->kind[cell]];
  double c = (double)row->yield_cohesion + (double)row->yield_cohesion_slope * damage(s, cell);
  return fmax(0, c);
}

// b = b_0 + k_b (d_0 - d). In print the sign is the other one, by which crushed snow would take less of the
// collider's velocity; the paper's words and its Fig. 4 say that it takes more.
void flip_soften(flip *s) {
  double sign = s->def.kb_printed ? -1 : 1;
  FLIP_FOR_BLOCKS(s, g) {
    for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++) {
      const firn_material_row *row = &s->world->material[s->kind[i]];
      double b = (double)row->velocity_factor +
                 sign * (double)row->velocity_factor_slope * damage(s, i);
      s->b[0][i] = (firn_real)fmin(1, fmax(0, b));
    }
  }
}

// Eq. 3: d -= k_q p. Printed so, a step of half the length would do twice the harm, a pull would heal, and
// the snow's own weight would crush it.
void flip_crush(flip *s, const uint64_t *pressed) {
  double share = s->def.durability_step ? 1 : s->dt / STEP;
  FLIP_FOR_BLOCKS(s, g) {
    for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++) {
      const firn_material_row *row = &s->world->material[s->kind[i]];
      double before = (double)s->d[0][i], p = (double)s->pressure[0][i];
      double harm = (double)row->crushing * share * fmax(0, p - s->def.durability_threshold);
      s->hurt[0][i] = 0;
      if (!flip_bit(pressed, i) || harm == 0) continue;
      s->d[0][i] = (firn_real)fmax(0, before - harm);
      s->hurt[0][i] = (firn_real)((double)s->d[0][i] - before);
    }
  }
}
