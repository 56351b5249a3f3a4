// SPDX-License-Identifier: Apache-2.0
// Grains into node blocks; a part of kernels_lane.inc.h.

// Leaves the lanes of a thin block's segment as grains. Out of line: bulk has better use for
// registers.
__attribute__((noinline)) static void K(put_grains)(const mpm_view *view, uint32_t slot,
                                                    const segment *in, const stage *s) {
  across w;
  turn_weights(s, !APIC, &w);
  for (int l = in->begin; l < in->end; l++) {
    uint32_t i = slot + (uint32_t)l - view->block[in->block].first;
    put_grain(view, &view->box[in->block], i, s, &w, l, !APIC);
  }
}

// What a grain gives, as scatter does: to four nodes along z, the first of them `from` behind that of the stencil
// (-3 to 3); then of these to a plane, then to a row of nodes.
typedef struct K(gift) {
#if APIC
  row16 t, tx, ty;
#else
  row16 t, fx, fy, fz;
#endif
} K(gift);
typedef struct K(plane) {
#if APIC
  row16 t, ty;
#else
  row16 t, f, g;
#endif
  lane wx;
} K(plane);

static inline K(gift) K(gift_of)(const mpm_grain *grain, int from) {
  row16 wz = row_spread4(grain->wz + 3 - from);
#if APIC
  row16 along = row_sub(K(offsets)(), row_set1((firn_real)from));
  return (K(gift)){
      row_mul(wz, row_fma_row(along, row_splat4(grain->row + 12), row_splat4(grain->row))),
      row_mul(wz, row_splat4(grain->row + 4)), row_mul(wz, row_splat4(grain->row + 8))};
#else
  row16 dz = row_spread4(grain->dz + 3 - from);
  return (K(gift)){row_mul(wz, row_splat4(grain->row)), row_mul(wz, row_splat4(grain->row + 4)),
                   row_mul(wz, row_splat4(grain->row + 8)),
                   row_mul(dz, row_splat4(grain->row + 12))};
#endif
}

static inline K(plane) K(plane_of)(const K(gift) * gift, const mpm_grain *grain, int i) {
  lane wx = lane_set1(grain->wx[i]);
#if APIC
  return (K(plane)){row_fma(lane_set1((firn_real)(i - 1)), gift->tx, gift->t), gift->ty, wx};
#else
  return (K(plane)){row_scale(wx, gift->t),
                    row_fma(lane_set1(grain->dx[i]), gift->fx, row_scale(wx, gift->fz)),
                    row_scale(wx, gift->fy), wx};
#endif
}

// momentum: of the row, or NULL, and under FLIP force, or NULL; fresh: nothing is there yet.
static inline void K(give_row)(const K(plane) * plane, const mpm_grain *grain, int j,
                               firn_real *momentum, firn_real *force, bool fresh) {
  lane wy = lane_set1(grain->wy[j]);
#if APIC
  (void)force;
  row16 t = row_fma(lane_set1((firn_real)(j - 1)), plane->ty, plane->t);
  row_storeu(momentum, row_fma(plane->wx * wy, t, row_loadu(fresh ? no_row : momentum)));
#else
  if (momentum) {
    row_storeu(momentum, row_fma(wy, plane->t, row_loadu(fresh ? no_row : momentum)));
  }
  if (!force) return;
  row16 f = row_fma(wy, plane->f, row_loadu(fresh ? no_row : force));
  row_storeu(force, row_fma(lane_set1(grain->dy[j]), plane->g, f));
#endif
}

// To the nodes of one block along z. columns are those of node blocks in `target`.
static inline void K(sow_along)(const mpm_view *view, const mpm_grain *grain, const places *x,
                                const places *y, const uint32_t *columns, int from,
                                firn_real *momentum, firn_real *force, bool stiff) {
  const K(gift) gift = K(gift_of)(grain, from);
  for (int i = 0; i < WIDTH; i++) {
    const K(plane) plane = K(plane_of)(&gift, grain, i);
    for (int j = 0; j < WIDTH; j++) {
      size_t g = columns[x->target[i] + y->target[j]];
      int r = x->row[i] + y->row[j];
      if (g == FIRN_GRID_NONE || (stiff && view->node_soft[g])) continue; // none: spray
      size_t at = g * FIRN_NODE_BLOCK_REALS + 16 * (size_t)r;
      bool fresh = !(view->sown[g] >> r & 1);
      view->sown[g] |= (uint16_t)(1u << r);
      K(give_row)
      (&plane, grain, j, momentum ? momentum + at : NULL, force ? force + at : NULL, fresh);
    }
  }
}

static inline void K(sow_grain)(const mpm_view *view, uint32_t b, const mpm_grain *grain,
                                firn_real *momentum, firn_real *force, bool stiff) {
  if (!(view->found[b] & offsets_of(grain, WIDTH))) return;
  const places x = places_along(grain->first[0], WIDTH, 9, 4);
  const places y = places_along(grain->first[1], WIDTH, 3, 1);
  int z = grain->first[2], dz = z < 0 ? -1 : z >> 2, from = z & 3;
  const uint32_t *columns = view->target[b] + dz + 1;
  K(sow_along)(view, grain, &x, &y, columns, from, momentum, force, stiff);
  if (from + WIDTH <= 4) return;
  K(sow_along)(view, grain, &x, &y, columns + 1, from - 4, momentum, force, stiff);
}

static void K(sow)(const mpm_view *view, const mpm_tile *tile, firn_real *momentum,
                   firn_real *force, bool stiff) {
  for (uint32_t n = 0; n < tile->count; n++) {
    uint32_t b = tile->block[n];
    const mpm_box *box = &view->box[b];
    if (!box->thin || (stiff && box->soft)) continue;
    const mpm_grain *grain = grains_of(view, box);
    for (uint32_t i = 0; i < view->block[b].count; i++) {
      K(sow_grain)(view, b, &grain[i], momentum, force, stiff);
    }
  }
}
