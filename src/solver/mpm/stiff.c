// SPDX-License-Identifier: Apache-2.0
// What a semi-implicit step solves for.
//
// Snow that an explicit step of this length suits needs no solve, and gets one only where the whole step was asked to
// be semi-implicit. Blocks all of whose snow is such are left out, and their nodes. Where hard crumbs lie among
// loose snow, most particles of the others are such, too: what K takes of those that are left is packed together, so
// that the iterations go through them and their nodes alone.
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"

// Sound, m^2/s^2, that a semi-implicit step of this length must solve for. Explicit steps know it, too: spray may not be
// stiffer, or a change of the integrator would find it without nodes.
double mpm_stiff_sound2(const mpm *m, double dt) {
  if (m->def.integrator == FIRN_INTEGRATOR_IMPLICIT) return 0;
  double limit = m->def.elastic_cfl * m->world->h / dt;
  return limit * limit;
}

firn_status mpm_prepare_stiff(mpm *m) {
  const firn_particles *p = &m->world->particles;
  firn_context *context = m->world->context;
  mpm_view *view = &m->view;

  // What the differential needs of each particle.
  size_t slots = p->slots;
  FIRN_TRY(firn_buffer_reserve(context, &m->stiff, 8 * slots * sizeof(firn_real), "stiffness"));
  firn_real *base = m->stiff.data;
  for (int i = 0; i < 6 && slots; i++) view->s[i] = base + (size_t)i * slots;
  for (int i = 0; i < 2 && slots; i++) view->stiff[i] = base + (size_t)(6 + i) * slots;

  FIRN_TRY(firn_buffer_reserve(context, &m->node_soft, m->grid.count, "linear solve"));
  view->node_soft = m->node_soft.data;
  FIRN_TRY(
      firn_buffer_reserve(context, &m->solved, m->grid.count * sizeof(uint32_t), "linear solve"));
  FIRN_TRY(firn_buffer_reserve(context, &m->stiff_units, p->unit_count * sizeof(uint32_t),
                               "linear solve"));
  m->packed = (mpm_packed){.vary_count = view->vary[0] ? FIRN_VARY_COUNT : 0};
  if (m->def.integrator != FIRN_INTEGRATOR_AUTO) return FIRN_OK; // who packs nothing
  size_t reals = slots * (size_t)(3 + m->packed.vary_count);
  FIRN_TRY(
      firn_buffer_reserve(context, &m->packed_reals, reals * sizeof(firn_real), "linear solve"));
  FIRN_TRY(
      firn_buffer_reserve(context, &m->packed_material, slots * sizeof(uint16_t), "linear solve"));
  FIRN_TRY(firn_buffer_reserve(context, &m->packed_blocks, p->block_count * sizeof(firn_block),
                               "linear solve"));
  FIRN_TRY(firn_buffer_reserve(context, &m->packed_boxes, p->block_count * sizeof(mpm_box),
                               "linear solve"));
  return firn_buffer_reserve(context, &m->packed_units, p->unit_count * sizeof(firn_unit),
                             "linear solve");
}

static void list_units(mpm *m) {
  uint32_t *units = m->stiff_units.data;
  m->stiff_count = 0;
  for (size_t u = 0; u < m->world->particles.unit_count; u++) {
    if (mpm_unit_is_stiff(&m->view, u)) units[m->stiff_count++] = (uint32_t)u;
  }
  mpm_count_stiff_thin(m);
}

static void list_nodes(mpm *m) {
  const uint8_t *soft = m->node_soft.data;
  uint32_t *solved = m->solved.data;
  m->solved_count = 0;
  for (size_t g = 0; g < m->grid.count; g++) {
    if (!soft[g]) solved[m->solved_count++] = (uint32_t)g;
  }
}

void mpm_list_stiff(mpm *m) {
  m->packed.is = false;
  list_units(m);
  list_nodes(m);
}

static void choose_blocks(mpm *m, double sound2) {
  const firn_particles *p = &m->world->particles;
  bool partial = false, none_stiff = sound2 > 0;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(|| : partial) reduction(&& : none_stiff))
  for (size_t b = 0; b < p->block_count; b++) {
    bool slow = (double)m->view.sound2[b] < sound2;
    m->box[b].soft = slow || (sound2 > 0 && m->reach[b].spray);
    partial = partial || m->box[b].soft;
    none_stiff = none_stiff && (m->box[b].soft || m->box[b].asleep);
  }
  m->partial = partial;
  m->none_stiff = none_stiff;
}

// Blocks that nothing stiff has a node of.
static void choose_nodes(mpm *m) {
  uint8_t *soft = m->node_soft.data;
  const mpm_box *boxes = m->packed.is ? m->packed.box : m->box;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t g = 0; g < m->grid.count; g++) {
    bool all = m->packed.is || m->asleep;
    for (uint32_t n = m->grid.giver_start[g]; n < m->grid.giver_start[g + 1] && all; n++) {
      const mpm_box *box = &boxes[firn_giver_block(m->grid.giver[n])];
      all = box->soft || box->asleep || !mpm_box_meets(box, firn_giver_offset(m->grid.giver[n]));
    }
    soft[g] = all;
  }
}

// Copies what K takes of a particle.
static inline void pack_one(const mpm_view *view, const mpm_packed *to, uint32_t from,
                            uint32_t at) {
  for (int a = 0; a < 3; a++) to->x[a][at] = view->x[a][from];
  for (int i = 0; i < 6; i++) view->s[i][at] = view->s[i][from];
  for (int i = 0; i < 2; i++) view->stiff[i][at] = view->stiff[i][from];
  for (int i = 0; i < to->vary_count; i++) to->vary[i][at] = view->vary[i][from];
  to->material[at] = view->material[from];
}

// Vector kernels take slots up to the end of a group along: those are of the same material, without stiffness.
static void pad(const mpm_view *view, const mpm_packed *to, uint32_t first, uint32_t at) {
  for (uint32_t last = at - 1; at > first && at % FIRN_SLOT_ALIGN; at++) {
    for (int a = 0; a < 3; a++) to->x[a][at] = to->x[a][last];
    for (int i = 0; i < 6; i++) view->s[i][at] = view->s[i][last];
    for (int i = 0; i < 2; i++) view->stiff[i][at] = 0;
    for (int i = 0; i < to->vary_count; i++) to->vary[i][at] = to->vary[i][last];
    to->material[at] = to->material[last];
  }
}

// The stiff particles of a unit, block by block. Grains of a thin one are told by their places: there, the others stay
// where they are and have no stiffness.
static void pack_unit(const mpm *m, const mpm_view *packed, size_t u, double sound2) {
  const mpm_view *view = &m->view;
  const mpm_packed *to = &m->packed;
  const firn_unit *unit = &view->unit[u];
  uint32_t at = unit->first;
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    firn_block block = view->block[b];
    uint32_t end = view->box[b].soft ? block.first : block.first + block.count;
    to->block[b] = block;
    to->block[b].first = at;
    for (uint32_t i = block.first; i < end; i++) {
      bool stiff = mpm_is_stiff(view, i, sound2);
      pack_one(view, to, i, at);
      if (!stiff) view->stiff[0][at] = view->stiff[1][at] = 0;
      at += view->box[b].thin || stiff;
    }
    to->block[b].count = at - to->block[b].first;
    // Where a position is no number the box stays as wide as it was.
    if (at > to->block[b].first && !view->box[b].thin) m->kernels->bound(packed, b);
  }
  pad(view, to, unit->first, at);
  to->unit[u] = *unit;
  to->unit[u].count = at - unit->first;
}

static void pack(mpm *m, double sound2) {
  size_t slots = m->world->particles.slots;
  firn_real *reals = m->packed_reals.data;
  const uint32_t *units = m->stiff_units.data;
  mpm_packed *packed = &m->packed;
  for (int a = 0; a < 3; a++) packed->x[a] = reals + (size_t)a * slots;
  for (int i = 0; i < packed->vary_count; i++) packed->vary[i] = reals + (size_t)(3 + i) * slots;
  packed->material = m->packed_material.data;
  packed->block = m->packed_blocks.data;
  packed->unit = m->packed_units.data;
  packed->box = m->packed_boxes.data;
  packed->is = true;
  memcpy(packed->box, m->box, m->world->particles.block_count * sizeof *packed->box);
  mpm_view view = mpm_stiff_view(m);
  view.next_box = packed->box; // tight around what is packed
  FIRN_SHARED_FOR(m->world->context, walk, m->stiff_count) {
    pack_unit(m, &view, units[walk.at], sound2);
  }
}

void mpm_choose_stiff(mpm *m) {
  double sound2 = mpm_stiff_sound2(m, (double)m->view.dt);
  choose_blocks(m, sound2);
  list_units(m);
  m->packed.is = false;
  if (sound2 > 0 && m->world->particles.block_count) pack(m, sound2);
  choose_nodes(m);
  list_nodes(m);
}

mpm_view mpm_stiff_view(const mpm *m) {
  mpm_view view = m->view;
  const mpm_packed *packed = &m->packed;
  if (!packed->is) return view;
  for (int a = 0; a < 3; a++) view.x[a] = packed->x[a];
  for (int i = 0; i < packed->vary_count; i++) view.vary[i] = packed->vary[i];
  view.material = packed->material;
  view.block = packed->block;
  view.box = packed->box;
  view.unit = packed->unit;
  return view;
}
