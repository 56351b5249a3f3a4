// SPDX-License-Identifier: Apache-2.0
// Grains into node blocks; a part of kernels_lane.inc.h.

// Leaves the lanes of a thin block's segment as grains. Out of line: bulk has better use for
// registers.
__attribute__((noinline)) static void K(put_grains)(const mpm_view *view, uint32_t slot,
                                                    const segment *in, const stage *s) {
  mpm_grain *grain = grains_of(view, &view->box[in->block]);
  grain += slot + (uint32_t)in->begin - view->block[in->block].first;
  for (int l = in->begin; l < in->end; l++, grain++) put_grain(view, slot, s, l, grain);
}

// x_p minus the first node of its stencil, in cells.
static inline lane K(from_first)(lane x) {
  lane f;
#if WIDTH == 4
  (void)firn_bspline_cubic_base(x, &f);
  return f + lane_set1(1);
#else
  (void)firn_bspline_quadratic_base(x, &f);
  return f;
#endif
}

// Leaves a whole group as grains, which follow each other.
__attribute__((noinline)) static void K(put_group)(const mpm_view *view, uint32_t slot, int count,
                                                   const lane tau[6], mpm_grain *grain) {
  lane r[16], from[3];
  for (int a = 0; a < 3; a++) from[a] = K(from_first)(lane_load(view->x[a] + slot));
  K(momentum_of)(view, slot, tau, from, r);
  for (int a = 0; a < 3; a++) r[7 + 4 * a] = lane_load(view->x[a] + slot);
  put_rows(r, count, grain);
}

// The weights of a handful, as those of a group.
static inline void K(open_grains)(const handful *h, seeds *out) {
  static const firn_real none[16];
  const firn_real *row[TOGETHER];
  for (int n = 0; n < TOGETHER; n++) row[n] = n < h->count ? h->grain[n]->row : none;
  lane f, w[4], d[4], x = row_load_w3(row);
#if WIDTH == 4
  lane first = firn_bspline_cubic_base(x, &f);
  firn_bspline_cubic(f, w, d);
#else
  lane first = firn_bspline_quadratic_base(x, &f);
  firn_bspline_quadratic(f, w, d);
  w[3] = d[3] = lane_zero();
#endif
  ilane_storeu(out->first, lane_to_ilane(first));
  row_transpose4(w[0], w[1], w[2], w[3], out->w);
  if (!APIC) row_transpose4(d[0], d[1], d[2], d[3], out->d);
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
} K(plane);

static inline K(gift) K(gift_of)(const grain_seed *seed, int from) {
  const firn_real *row = seed->row;
  row16 wz = weights_from(seed->wz, from);
#if APIC
  row16 along = row_sub(K(offsets)(), row_set1((firn_real)from));
  return (K(gift)){row_mul(wz, row_fma_row(along, row_splat3(row + 12), row_splat4(row))),
                   row_mul(wz, row_splat3(row + 4)), row_mul(wz, row_splat3(row + 8))};
#else
  row16 dz = weights_from(seed->dz, from);
  return (K(gift)){row_mul(wz, row_splat4(row)), row_mul(wz, row_splat3(row + 4)),
                   row_mul(wz, row_splat3(row + 8)), row_mul(dz, row_splat3(row + 12))};
#endif
}

static inline K(plane) K(plane_of)(const K(gift) * gift, const grain_seed *seed, int i) {
  lane wx = lane_set1(seed->wx[i]);
#if APIC
  row16 t = row_offset(i - 1, gift->tx, gift->t);
  return (K(plane)){row_scale(wx, t), row_scale(wx, gift->ty)};
#else
  return (K(plane)){row_scale(wx, gift->t),
                    row_fma(lane_set1(seed->dx[i]), gift->fx, row_scale(wx, gift->fz)),
                    row_scale(wx, gift->fy)};
#endif
}

// momentum: of the row, or NULL, and under FLIP force, or NULL; had: those nodes where something is already, or NULL
// if that is all of them.
static inline void K(give_row)(const K(plane) * plane, const grain_seed *seed, int j,
                               firn_real *momentum, firn_real *force, const row_made *had) {
  lane wy = lane_set1(seed->wy[j]);
#if APIC
  (void)force;
  row16 t = row_offset(j - 1, plane->ty, plane->t);
  row16 sum = had ? row_load_made(momentum, *had) : row_loadu(momentum);
  row_storeu(momentum, row_fma(wy, t, sum));
#else
  if (momentum) {
    row16 sum = had ? row_load_made(momentum, *had) : row_loadu(momentum);
    row_storeu(momentum, row_fma(wy, plane->t, sum));
  }
  if (!force) return;
  row16 sum = had ? row_load_made(force, *had) : row_loadu(force);
  row_storeu(force, row_fma(lane_set1(seed->dy[j]), plane->g, row_fma(wy, plane->f, sum)));
#endif
}

// To the nodes of one block along z. columns are those of node blocks in `target`.
static inline void K(sow_along)(const mpm_view *view, const grain_seed *seed, const places *x,
                                const places *y, const uint32_t *columns, int from,
                                firn_real *momentum, firn_real *force, bool stiff) {
  static const uint8_t made[2][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}};
  const K(gift) gift = K(gift_of)(seed, from);
  for (int i = 0; i < WIDTH; i++) {
    const K(plane) plane = K(plane_of)(&gift, seed, i);
    for (int j = 0; j < WIDTH; j++) {
      size_t g = columns[x->target[i] + y->target[j]];
      int r = x->row[i] + y->row[j];
      if (g == FIRN_GRID_NONE || (stiff && view->node_soft[g])) continue; // none: spray
      size_t at = g * FIRN_NODE_BLOCK_REALS + 16 * (size_t)r;
      const row_made had = row_made_of(made[view->sown[g] >> r & 1]);
      view->sown[g] |= (uint16_t)(1u << r);
      K(give_row)
      (&plane, seed, j, momentum ? momentum + at : NULL, force ? force + at : NULL, &had);
    }
  }
}

static inline void K(sow_grain)(const mpm_view *view, uint32_t b, const grain_seed *seed,
                                firn_real *momentum, firn_real *force, bool stiff) {
  if (!(view->found[b] & offsets_of(seed->first, WIDTH))) return;
  const places x = places_along(seed->first[0], WIDTH, 9, 4);
  const places y = places_along(seed->first[1], WIDTH, 3, 1);
  int z = seed->first[2], dz = z < 0 ? -1 : z >> 2, from = z & 3;
  const uint32_t *columns = view->target[b] + (dz + 1);
  K(sow_along)(view, seed, &x, &y, columns, from, momentum, force, stiff);
  if (from + WIDTH <= 4) return;
  K(sow_along)(view, seed, &x, &y, columns + 1, from - 4, momentum, force, stiff);
}

static void K(sow)(const mpm_view *view, const mpm_tile *tile, firn_real *momentum,
                   firn_real *force, bool stiff) {
  for (uint32_t n = 0; n < tile->count; n++) {
    uint32_t b = tile->block[n], count = view->block[b].count;
    const mpm_box *box = &view->box[b];
    if (!box->thin || (stiff && box->soft) || !view->found[b]) continue;
    mpm_grain *grain = grains_of(view, box);
    for (uint32_t i = 0; i < count;) {
      handful some = {.count = 0};
      seeds weights;
      while (i < count && some.count < TOGETHER) some.grain[some.count++] = grain + i++;
      K(open_grains)(&some, &weights);
      for (int k = 0; k < some.count; k++) {
        const grain_seed seed = seed_of(&some, &weights, k);
        K(sow_grain)(view, b, &seed, momentum, force, stiff);
      }
    }
  }
}
