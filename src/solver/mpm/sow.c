// SPDX-License-Identifier: Apache-2.0
// Thin blocks, see mpm_grain of view.h. A block's own sums would be cleared, written and read again
// for some hundred nodes; where it holds few particles it is cheaper to add each of them to the node
// blocks at once. Blocks that share node blocks must not do so at the same time: they go tile by
// tile, in eight colours, so that the order of sums is the same at any number of threads.
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "world/morton.h"
#include "world/radix.h"

// Spray and those around it are thin, too.
static bool is_thin(const mpm *m, size_t b) {
  return m->world->particles.block[b].count <= MPM_THIN_MAX;
}

// Most spray has no node blocks to give to.
static bool has_nodes(const mpm *m, size_t b) {
  return m->grid.found[b] != 0;
}

// Across a period, colours must alternate as well.
static bool colours_fit(const firn_particles *p) {
  for (int a = 0; a < 3; a++) {
    if (p->periodic[a] && p->period[a] % 4 != 0) return false;
  }
  return true;
}

// Blocks that may be thin and have nodes, with keys by colour, tile and place. Places are counted from a corner of
// the snow, so that snow that is shifted by whole blocks is summed up in the same order.
static size_t find_thin(const mpm *m, firn_keyed *out) {
  const firn_particles *p = &m->world->particles;
  int32_t corner[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  size_t count = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    const int32_t *at = p->block[b].at;
    for (int a = 0; a < 3; a++) corner[a] = at[a] < corner[a] ? at[a] : corner[a];
  }
  for (size_t b = 0; b < p->block_count; b++) {
    if (!is_thin(m, b) || !has_nodes(m, b)) continue;
    int32_t at[3];
    for (int a = 0; a < 3; a++) at[a] = p->block[b].at[a] - corner[a];
    uint64_t place = firn_morton(at), colour = place >> 3 & 7;
    out[count++] = (firn_keyed){.key = colour << 60 | place >> 6 << 3 | (place & 7),
                                .slot = (uint32_t)b};
  }
  return count;
}

static void cut_into_tiles(mpm *m, const firn_keyed *sorted, size_t count) {
  uint32_t *block = m->thin.data;
  mpm_tile *tiles = m->tiles.data;
  size_t tile_count = 0;
  for (size_t n = 0; n < count; n++) {
    block[n] = sorted[n].slot;
    if (n == 0 || sorted[n].key >> 3 != sorted[n - 1].key >> 3) {
      tiles[tile_count++] = (mpm_tile){.block = block + n};
      for (uint64_t colour = 1 + (sorted[n].key >> 60); colour <= 8; colour++) {
        m->tile_start[colour] = tile_count;
      }
    }
    tiles[tile_count - 1].count++;
  }
}

// The block preconditioner, of a search for balance too, knows nothing of grains.
bool mpm_knows_grains(const mpm *m) {
  bool block = m->def.preconditioner == FIRN_PRECONDITIONER_BLOCK &&
               m->def.integrator != FIRN_INTEGRATOR_EXPLICIT;
  return m->kernels->sow && !block && !m->still && colours_fit(&m->world->particles);
}

bool mpm_may_be_thin(const mpm *m, size_t b) {
  return mpm_knows_grains(m) && is_thin(m, b);
}

firn_status mpm_find_tiles(mpm *m) {
  const firn_particles *p = &m->world->particles;
  firn_context *context = m->world->context;
  memset(m->tile_start, 0, sizeof m->tile_start);
  m->thin_count = m->thin_stiff = 0;
  size_t blocks = p->block_count;
  if (!blocks || !mpm_knows_grains(m)) return FIRN_OK;
  firn_buffer keyed = {0};
  FIRN_TRY(firn_buffer_reserve(context, &m->thin, blocks * sizeof(uint32_t), "tiles"));
  FIRN_TRY(firn_buffer_reserve(context, &m->tiles, blocks * sizeof(mpm_tile), "tiles"));
  FIRN_TRY(firn_buffer_reserve(context, &keyed, 2 * blocks * sizeof(firn_keyed), "tiles"));
  firn_keyed *all = keyed.data;
  size_t count = m->thin_count = find_thin(m, all);
  cut_into_tiles(m, firn_keyed_sort(all, all + count, count), count);
  firn_buffer_free(context, &keyed);
  return FIRN_OK;
}

void mpm_count_stiff_thin(mpm *m) {
  const uint32_t *block = m->thin.data;
  m->thin_stiff = 0;
  for (size_t n = 0; n < m->thin_count; n++) {
    const mpm_box *box = &m->box[block[n]];
    m->thin_stiff += box->thin && !box->soft;
  }
}

// Blocks for each thread below which colours are done sooner than all have met after each of them.
enum { WORTH_SHARING = 2 };

// Few enough that all are done at about the same time, but not so few that threads are in each other's way.
static size_t tiles_at_once(const mpm *m, int colour) {
  size_t tiles = m->tile_start[colour + 1] - m->tile_start[colour];
  return tiles / (4 * (size_t)m->world->context->threads) + 1;
}

static void sow(mpm *m, firn_real *momentum, firn_real *force, bool stiff) {
  mpm_view *view = &m->view;
  const mpm_tile *tiles = m->tiles.data;
  size_t givers = stiff ? m->thin_stiff : m->thin_count;
  view->sows = givers > 0;
  if (!view->sows) return;
  memset(view->sown, 0, m->grid.count * sizeof *view->sown);
  if (givers < WORTH_SHARING * (size_t)m->world->context->threads) {
    for (size_t t = 0; t < m->tile_start[8]; t++) {
      m->kernels->sow(view, &tiles[t], momentum, force, stiff);
    }
    return;
  }
  FIRN_PARALLEL(m->world->context) {
    for (int colour = 0; colour < 8; colour++) {
#pragma omp for schedule(dynamic, tiles_at_once(m, colour))
      for (size_t t = m->tile_start[colour]; t < m->tile_start[colour + 1]; t++) {
        m->kernels->sow(view, &tiles[t], momentum, force, stiff);
      }
    }
  }
}

void mpm_sow(mpm *m, bool stiff) {
  sow(m, m->view.node_v, m->view.node_u, stiff);
}

void mpm_sow_stiffness(mpm *m) {
  sow(m, m->view.inverse, NULL, true);
}

void mpm_sow_product(mpm *m) {
  firn_real *product = m->view.product;
  sow(m, m->view.apic ? product : NULL, m->view.apic ? NULL : product, true);
}
