// SPDX-License-Identifier: Apache-2.0
// Who takes part in a search for balance, and as what.
#include <string.h>

#include "solver/mpm/balance.h"
#include "solver/mpm/balancing.h"
#include "solver/mpm/support.h"

// Times that sound crosses the snow in t.
static const double CROSSINGS = 3;

static void find_held(balance *k) {
  size_t blocks = k->m->world->particles.block_count;
  const uint32_t *of = k->bodies.data;
  uint8_t *held = k->held.data;
  memset(held, 0, blocks);
  for (size_t b = 0; b < blocks; b++) {
    if (!held[of[b]]) held[of[b]] = mpm_block_touches(k->m, b);
  }
}

static bool takes_part(const balance *k, size_t b) {
  return is_held(k, b) && (k->whole || is_under(k, b) || mpm_holds_settled(k->m, b));
}

// Marks nodes and blocks as the semi-implicit step does. Solved for are the nodes that settled snow
// touches; whoever else touches them is part of the matrix and holds them, on nodes that stay. Units are not
// asked: one may hold thin blocks of places far apart, snow that a blade strikes among them.
static void choose_blocks(balance *k) {
  mpm *m = k->m;
  size_t blocks = m->world->particles.block_count;
  uint8_t *soft = m->node_soft.data;
  memset(soft, 1, m->grid.count);
  for (size_t b = 0; b < blocks; b++) {
    if (!takes_part(k, b)) continue;
    for (int o = 0; o < 27; o++) {
      if (m->grid.target[b][o] != FIRN_GRID_NONE) soft[m->grid.target[b][o]] = 0;
    }
  }
  for (size_t b = 0; b < blocks; b++) {
    bool reaches = false;
    for (int o = 0; o < 27 && !reaches; o++) {
      uint32_t g = m->grid.target[b][o];
      reaches = g != FIRN_GRID_NONE && !soft[g];
    }
    m->box[b].soft = !reaches;
  }
  m->partial = true;
  mpm_list_stiff(m);
}

// What snow is to the balance. At the start all that lies still takes part, and passes its weight on;
// what moves is somewhere else in the next moment, and counts for nothing. Snow that is added later
// finds others in some balance of their own. Who sleeps under it sleeps on, and gets the strain with which
// it carries both, held by what is beside it as before. Where nobody sleeps under it, all others are
// springs that it presses on, and no more.
typedef enum role { SETTLED, LYING, UNDER, SPRING, NOTHING } role;

static role role_of(const balance *k, size_t b, size_t slot) {
  if (k->view.mass[slot] > 0 && mpm_is_settled(k->m, slot)) return SETTLED;
  if (!k->whole) return is_under(k, b) ? UNDER : k->laid_on ? LYING : SPRING;
  for (int a = 0; a < 3; a++) {
    if (k->view.v[a][slot] != 0) return NOTHING;
  }
  return LYING;
}

static void begin_particle(balance *k, size_t b, size_t slot, double *sound2) {
  const mpm *m = k->m;
  size_t slots = m->world->particles.slots;
  firn_real *start = (firn_real *)k->start.data + slot, *body = (firn_real *)k->body.data + slot;
  const mpm_view *view = &k->view;
  role is = role_of(k, b, slot);
  for (size_t i = 0; i < STATE; i++) {
    const firn_real *own = state_of(view, i);
    start[i * slots] = own ? own[slot] : 0;
  }
  body[0] = 0;
  body[slots] = is <= UNDER ? view->mass[slot] : 0;
  body[2 * slots] = is != NOTHING ? view->volume[slot] : 0;
  if (is != SETTLED && is != UNDER) return;
  firn_material_row row = firn_world_row(m->world, slot);
  double hard = firn_law_hardening(&row, (double)view->ln_jp[slot]);
  double modulus = ((double)row.lambda + 2 * (double)row.mu) * hard;
  *sound2 = fmin(*sound2, modulus * (double)view->volume[slot] / (double)view->mass[slot]);
}

// Metres that the blocks of the snow span, along the axis where they span the most.
static double extent(const firn_particles *p) {
  double most = 0;
  for (int a = 0; a < 3; a++) {
    int32_t lo = INT32_MAX, hi = INT32_MIN;
    for (size_t b = 0; b < p->block_count; b++) {
      lo = p->block[b].at[a] < lo ? p->block[b].at[a] : lo;
      hi = p->block[b].at[a] > hi ? p->block[b].at[a] : hi;
    }
    most = fmax(most, 4.0 * (hi - lo + 1));
  }
  return most;
}

bool mpm_balance_enlist(balance *k) {
  mpm *m = k->m;
  const firn_particles *p = &m->world->particles;
  double sound2 = INFINITY;
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
      begin_particle(k, b, i, &sound2);
    }
  }
  k->time = CROSSINGS * extent(p) * m->world->h / sqrt(sound2);
  k->begun = true;
  find_held(k);
  choose_blocks(k);
  return isfinite(sound2);
}
