// SPDX-License-Identifier: Apache-2.0
// Where blocks leave what they give to nodes. Arenas of what sleeps lie at the beginning and stay where they are; what
// falls asleep is added to them. Whoever wakes leaves a hole there; once holes take more than the rest, all are
// laid anew. The others follow, new in each step.
#include "base/parallel.h"
#include "solver/mpm/mpm.h"

// Reals of a block's. Arenas begin where a row of nodes would.
static size_t reals_of(const mpm *m, size_t b, int channels) {
  size_t reals = mpm_arena_reals(&m->box[b], channels, m->world->particles.block[b].count);
  return (reals + FIRN_ROW_REALS - 1) / FIRN_ROW_REALS * FIRN_ROW_REALS;
}

static void place_sleepers(mpm *m, int channels) {
  const size_t blocks = m->world->particles.block_count;
  size_t held = 0;
  bool fresh = false;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(+ : held) reduction(|| : fresh))
  for (size_t b = 0; b < blocks; b++) {
    if (!m->box[b].asleep) continue;
    held += mpm_arena_reals(&m->box[b], channels, m->world->particles.block[b].count);
    fresh = fresh || !m->box[b].stored;
  }
  // What is stored can be kept.
  bool whole = channels == m->stored_channels && m->stored_reals <= 2 * held;
  if (!whole) m->stored_reals = 0;
  if (whole && !fresh) return;
  for (size_t b = 0; b < blocks; b++) {
    if (!m->box[b].asleep || (whole && m->box[b].stored)) continue;
    m->box[b].stored = m->next_box[b].stored = false;
    m->box[b].arena = m->next_box[b].arena = m->stored_reals;
    m->box[b].thin = m->next_box[b].thin = false;
    m->stored_reals += reals_of(m, b, channels);
  }
}

// A run of blocks that one thread places.
enum { RUN = 256 };

static size_t end_of(const mpm *m, size_t run) {
  size_t end = (run + 1) * RUN, blocks = m->world->particles.block_count;
  return end < blocks ? end : blocks;
}

// Returns the reals of all arenas together.
static size_t place_awake(mpm *m, int channels, size_t first) {
  const firn_particles *p = &m->world->particles;
  size_t runs = (p->block_count + RUN - 1) / RUN, *start = m->arena_runs.data;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t r = 0; r < runs; r++) {
    start[r] = 0;
    for (size_t b = r * RUN; b < end_of(m, r); b++) {
      if (m->box[b].asleep) continue;
      m->box[b].thin = mpm_may_be_thin(m, b);
      m->box[b].grains = m->box[b].thin ? (uint8_t)p->block[b].count : 0;
      start[r] += reals_of(m, b, channels);
    }
  }
  for (size_t r = 0; r < runs; r++) {
    size_t reals = start[r];
    start[r] = first;
    first += reals;
  }
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t r = 0; r < runs; r++) {
    size_t at = start[r];
    for (size_t b = r * RUN; b < end_of(m, r); b++) {
      if (m->box[b].asleep) continue;
      m->box[b].arena = at;
      at += reals_of(m, b, channels);
    }
  }
  return first;
}

firn_status mpm_place_arenas(mpm *m, int channels) {
  firn_context *context = m->world->context;
  size_t blocks = m->world->particles.block_count, before = m->arena.size;
  FIRN_TRY(
      firn_buffer_reserve(context, &m->arena_runs, (blocks / RUN + 1) * sizeof(size_t), "arenas"));
  if (!m->asleep) m->stored_reals = 0;
  if (m->asleep) place_sleepers(m, channels);
  m->stored_channels = channels;
  size_t reals = place_awake(m, channels, m->stored_reals);
  FIRN_TRY(firn_buffer_reserve(context, &m->arena, reals * sizeof(firn_real), "arenas"));
  // A buffer that grows forgets what it held.
  for (size_t b = 0; b < blocks && m->asleep && m->arena.size != before; b++) {
    m->box[b].stored = m->next_box[b].stored = false;
  }
  m->view.arena = m->arena.data;
  return FIRN_OK;
}
