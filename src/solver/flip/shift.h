// SPDX-License-Identifier: Apache-2.0
// A block of a channel as its neighbours up or down an axis see it, so that loops over the cells of a block
// need not ask where they are.
#ifndef FIRN_SOLVER_FLIP_SHIFT_H
#define FIRN_SOLVER_FLIP_SHIFT_H

#include <string.h>

#include "solver/flip/flip.h"

// out[c] is what the cell one step up (1) or down (-1) the axis from cell c of block g holds.
static inline void flip_shift(const flip *s, const firn_real *channel, size_t g, int axis, int step,
                              firn_real out[FLIP_CELLS]) {
  static const int offset[3] = {9, 3, 1}, stride[3] = {16, 4, 1};
  const int by = stride[axis], run = 4 * by;
  uint32_t other = s->grid.around[g][13 + step * offset[axis]];
  const firn_real *in = channel + FLIP_CELLS * g;
  const firn_real *side = channel + FLIP_CELLS * (other == FIRN_GRID_NONE ? s->grid.count : other);
  for (int first = 0; first < FLIP_CELLS; first += run) {
    for (int c = first; c < first + run - by; c++) {
      if (step > 0) {
        out[c] = in[c + by];
      } else {
        out[c + by] = in[c];
      }
    }
    for (int c = 0; c < by; c++) {
      if (step > 0) {
        out[first + run - by + c] = side[first + c];
      } else {
        out[first + c] = side[first + run - by + c];
      }
    }
  }
}

#endif
