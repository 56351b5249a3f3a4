// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/under.h"

#include <math.h>
#include <string.h>

#include "solver/mpm/balance.h"
#include "solver/mpm/rest.h"

// A block is reached from above, and passes on to those beside and below it; or from beside, and passes
// on to those below alone.
enum { NOT_REACHED, FROM_BESIDE, FROM_ABOVE };

typedef struct search {
  const mpm *m;
  double down[3];
  uint8_t *reached;
  uint32_t *stack; // [2 blocks]: each is reached twice at most
  size_t height;
} search;

// The particle block at an offset of b, or FIRN_GRID_NONE.
static uint32_t neighbour(const mpm *m, size_t b, int o) {
  uint32_t g = m->grid.target[b][o];
  if (g == FIRN_GRID_NONE) return FIRN_GRID_NONE;
  for (uint32_t n = m->grid.giver_start[g]; n < m->grid.giver_start[g + 1]; n++) {
    firn_giver giver = m->grid.giver[n];
    if (firn_giver_offset(giver) == firn_grid_offset(0, 0, 0)) return firn_giver_block(giver);
  }
  return FIRN_GRID_NONE;
}

static void reach(search *s, uint32_t b, uint8_t how) {
  if (b == FIRN_GRID_NONE || s->reached[b] >= how) return;
  if (!((const mpm_rest *)s->m->rest.data)[b].asleep) return;
  s->reached[b] = how;
  s->stack[s->height++] = b;
}

// Passes on to the blocks below b, and to those beside it, and itself, as told.
static void pass_on(search *s, uint32_t b, uint8_t beside) {
  for (int o = 0; o < 27; o++) {
    int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    double deeper = d[0] * s->down[0] + d[1] * s->down[1] + d[2] * s->down[2];
    if (deeper > 0.5) {
      reach(s, neighbour(s->m, b, o), FROM_ABOVE);
    } else if (deeper > -0.5) {
      reach(s, neighbour(s->m, b, o), beside);
    }
  }
}

firn_status mpm_find_under(mpm *m, firn_buffer *under, bool *any) {
  firn_context *context = m->world->context;
  size_t blocks = m->world->particles.block_count;
  const double *g = m->world->gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  FIRN_TRY(firn_buffer_reserve(context, under, blocks, "balance"));
  memset(under->data, 0, blocks);
  if (!m->def.sleep || !(size > 0)) return FIRN_OK;
  firn_buffer stack = {0};
  FIRN_TRY(firn_buffer_reserve(context, &stack, 2 * blocks * sizeof(uint32_t), "balance"));
  search s = {.m = m, .reached = under->data, .stack = stack.data};
  for (int a = 0; a < 3; a++) s.down[a] = g[a] / size;
  // It may have come beside snow that sleeps, or into a block of it, and its splines reach there.
  for (uint32_t b = 0; b < blocks; b++) {
    if (mpm_holds_settled(m, b)) pass_on(&s, b, FROM_ABOVE);
  }
  *any = s.height > 0;
  while (s.height > 0) {
    uint32_t b = s.stack[--s.height];
    pass_on(&s, b, s.reached[b] == FROM_ABOVE ? FROM_BESIDE : NOT_REACHED);
  }
  firn_buffer_free(context, &stack);
  return FIRN_OK;
}
