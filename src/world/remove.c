// SPDX-License-Identifier: Apache-2.0
// Taking particles out, and numbering those that stay.
//
// Blocks and units close ranks at once, so that the layout stays whole; the next sort lays them out
// as if the particles had never been there.
#include <string.h>

#include "base/parallel.h"
#include "world/particles.h"

static size_t words(const firn_particles *p) {
  return p->next_id / 64 + 1;
}

static void mark(void *user, size_t slot, const double corner[3]) {
  const firn_particles *p = user;
  (void)corner;
  uint32_t id = firn_particles_id(p)[slot];
  ((firn_id_row *)p->rows.data)[id / 64].alive |= (uint64_t)1 << id % 64;
}

firn_status firn_particles_number(firn_particles *p) {
  if (p->next_id == p->count) return FIRN_OK; // all are there
  FIRN_TRY(firn_buffer_reserve(p->context, &p->rows, words(p) * sizeof(firn_id_row), "ids"));
  firn_id_row *row = p->rows.data;
  memset(row, 0, words(p) * sizeof *row);
  firn_particles_visit(p, mark, p);
  uint64_t sum = 0;
  for (size_t i = 0; i < words(p); i++) {
    row[i].before = sum;
    sum += (uint64_t)__builtin_popcountll(row[i].alive);
  }
  return FIRN_OK;
}

static void move(firn_particles *p, size_t from, size_t to) {
  if (from == to) return;
  for (int f = 0; f < p->field_count; f++) {
    size_t size = firn_field_size(p->field[f].type);
    char *data = p->field[f].data;
    memcpy(data + to * size, data + from * size, size);
  }
}

// A slot without a particle: in the middle of its block, at rest and unstrained.
static void clear(firn_particles *p, size_t slot) {
  for (int f = 0; f < p->field_count; f++) {
    const firn_field *field = &p->field[f];
    double value = f <= FIRN_FIELD_Z ? 2 : field->initial;
    switch (field->type) {
    case FIRN_FIELD_REAL: ((firn_real *)field->data)[slot] = (firn_real)value; break;
    case FIRN_FIELD_U32: ((uint32_t *)field->data)[slot] = (uint32_t)value; break;
    case FIRN_FIELD_U16: ((uint16_t *)field->data)[slot] = (uint16_t)value; break;
    }
  }
}

typedef struct removal {
  firn_particles *p;
  double h;
  firn_touched_fn touched;
  firn_gone_fn gone;
  const void *user;
  firn_taken_fn taken;
  void *taker;
} removal;

static void position(const removal *r, size_t slot, const int32_t at[3], double x[3]) {
  for (int a = 0; a < 3; a++) {
    x[a] = (4.0 * at[a] + (double)firn_particles_real(r->p, FIRN_FIELD_X + a)[slot]) * r->h;
  }
}

static bool is_gone(const removal *r, size_t slot, const int32_t at[3]) {
  double x[3];
  position(r, slot, at, x);
  return r->gone(r->user, slot, x);
}

static void take(const removal *r, size_t slot, const int32_t at[3]) {
  double x[3];
  if (!r->taken) return;
  position(r, slot, at, x);
  r->taken(r->taker, slot, x);
}

// Between two sorts particles may be up to a cell beyond their block: 3 cells from its middle.
static bool is_touched(const removal *r, const int32_t at[3]) {
  double center[3];
  for (int a = 0; a < 3; a++) center[a] = (4.0 * at[a] + 2) * r->h;
  return !r->touched || r->touched(r->user, center, 3.5 * 1.7321 * r->h);
}

// Marks a block's particles by their mass below 0 and returns how many.
static uint32_t mark_block(const removal *r, const firn_block *block) {
  if (!is_touched(r, block->at)) return 0;
  firn_real *mass = firn_particles_real(r->p, FIRN_FIELD_MASS);
  uint32_t n = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    size_t slot = block->first + i;
    if (!is_gone(r, slot, block->at)) continue;
    mass[slot] = -mass[slot];
    n++;
  }
  return n;
}

// Moves what is left of a unit together. Returns the number of blocks left, written from out on.
static uint32_t close_unit(firn_particles *p, firn_unit *unit, firn_block *out) {
  const firn_real *mass = firn_particles_real(p, FIRN_FIELD_MASS);
  uint32_t to = unit->first, kept = 0, end = unit->first + unit->count;
  for (uint32_t b = 0; b < unit->block_count; b++) {
    firn_block block = p->block[unit->first_block + b];
    uint32_t first = to;
    for (uint32_t i = block.first; i < block.first + block.count; i++) {
      if (mass[i] > 0) move(p, i, to++);
    }
    if (to == first) continue;
    block.first = first;
    block.count = to - first;
    out[kept++] = block;
  }
  unit->count = to - unit->first;
  for (; to < end; to++) clear(p, to);
  return kept;
}

static void close_ranks(firn_particles *p) {
  size_t units = 0, blocks = 0;
  for (size_t u = 0; u < p->unit_count; u++) {
    firn_unit unit = p->unit[u];
    uint32_t kept = close_unit(p, &unit, p->block + blocks);
    if (!kept) continue;
    unit.first_block = (uint32_t)blocks;
    unit.block_count = kept;
    p->unit[units++] = unit;
    blocks += kept;
  }
  p->unit_count = units;
  p->block_count = blocks;
}

// Whoever wants to know sees them as they were.
static void take_marked(const removal *r) {
  const firn_particles *p = r->p;
  firn_real *mass = firn_particles_real(p, FIRN_FIELD_MASS);
  for (size_t b = 0; b < p->block_count && r->taken; b++) {
    const firn_block *block = &p->block[b];
    for (size_t slot = block->first; slot < (size_t)block->first + block->count; slot++) {
      if (mass[slot] >= 0) continue;
      mass[slot] = -mass[slot];
      take(r, slot, block->at);
      mass[slot] = -mass[slot];
    }
  }
}

static size_t remove_sorted(const removal *r) {
  firn_particles *p = r->p;
  size_t gone = 0;
  FIRN_PARALLEL_FOR(p->context, schedule(static) reduction(+ : gone))
  for (size_t b = 0; b < p->block_count; b++) gone += mark_block(r, &p->block[b]);
  if (gone) take_marked(r);
  if (gone) close_ranks(p);
  return gone;
}

static size_t remove_pending(const removal *r) {
  firn_particles *p = r->p;
  size_t kept = 0, flying = p->flying;
  for (size_t i = 0; i < p->pending; i++) {
    if (i == flying) p->flying = kept;
    if (is_gone(r, p->slots + i, p->pending_at[i])) {
      take(r, p->slots + i, p->pending_at[i]);
      continue;
    }
    move(p, p->slots + i, p->slots + kept);
    memcpy(p->pending_at[kept++], p->pending_at[i], sizeof *p->pending_at);
  }
  size_t gone = p->pending - kept;
  if (flying == p->pending) p->flying = kept;
  if (p->flying < flying) p->thinned = true;
  p->pending = kept;
  return gone;
}

size_t firn_particles_remove(firn_particles *p, double h, firn_touched_fn touched,
                             firn_gone_fn gone, const void *user, firn_taken_fn taken,
                             void *taker) {
  const removal r = {p, h, touched, gone, user, taken, taker};
  size_t sorted = remove_sorted(&r), pending = remove_pending(&r);
  if (sorted) p->thinned = true;
  p->count -= sorted + pending;
  return sorted + pending;
}
