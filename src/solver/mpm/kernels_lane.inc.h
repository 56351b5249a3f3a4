// SPDX-License-Identifier: Apache-2.0
// The vector kernels of one basis and transfer. Included once for each pair, with
//   WIDTH  4 cubic, 3 quadratic
//   APIC   1 APIC, 0 FLIP
//   K(f)   f with a suffix of its own
// No include guard, on purpose.
//
// Nodes of a stencil are counted from its second one, i' = i - 1, which makes two of the three
// quadratic offsets -1 and 1 and saves multiplications.

// --------------------------------------------------------------------------- weights of a group

// Inlined by force, as others of bulk are: the compiler would stop at the size of this file.
static inline __attribute__((always_inline)) void K(weights)(const mpm_view *view, uint32_t slot,
                                                             stage *s) {
  lane w[3][4], d[3][4];
  for (int a = 0; a < 3; a++) {
    lane f, x = lane_load(view->x[a] + slot);
#if WIDTH == 4
    lane first = firn_bspline_cubic_base(x, &f);
    firn_bspline_cubic(f, w[a], d[a]);
    s->from[a] = f + lane_set1(1);
#else
    lane first = firn_bspline_quadratic_base(x, &f);
    firn_bspline_quadratic(f, w[a], d[a]);
    s->from[a] = f;
    w[a][3] = d[a][3] = lane_zero();
#endif
    ilane_storeu(s->first[a], lane_to_ilane(first));
  }
  row_transpose4(w[2][0], w[2][1], w[2][2], w[2][3], s->wz);
  for (int i = 0; i < 4; i++) {
    lane_store(s->wx[i], w[0][i]);
    lane_store(s->wy[i], w[1][i]);
  }
#if APIC
  for (int i = 0; i < WIDTH; i++) {
    for (int j = 0; j < WIDTH; j++) lane_store(s->wxy[WIDTH * i + j], w[0][i] * w[1][j]);
  }
#else
  row_transpose4(d[2][0], d[2][1], d[2][2], d[2][3], s->dz);
  for (int i = 0; i < 4; i++) {
    lane_store(s->dx[i], d[0][i]);
    lane_store(s->dy[i], d[1][i]);
  }
#endif
}

// ------------------------------------------------------------------------------------ scatter

#if APIC

// Offsets k' of the four nodes of a row, one for each component.
static inline row16 K(offsets)(void) {
  const firn_real k[4] = {-1, 0, 1, 2};
  return row_spread4(k);
}

// Adds w_ip (base + slope_x i' + slope_y j' + slope_z k') around a stencil; row holds base and slopes.
static inline void K(scatter_affine)(const spline *s, const firn_real row[16], firn_real *node,
                                     size_t sx, size_t sy) {
  row16 wz = row_spread4(s->z);
  row16 t = row_mul(wz, row_fma_row(K(offsets)(), row_splat4(row + 12), row_splat4(row)));
  row16 tx = row_mul(wz, row_splat4(row + 4)), ty = row_mul(wz, row_splat4(row + 8));
  for (int i = 0; i < WIDTH; i++) {
    row16 ti = i == 0   ? row_sub(t, tx)
               : i == 1 ? t
               : i == 2 ? row_add(t, tx)
                        : row_fma(lane_set1(2), tx, t);
    for (int j = 0; j < WIDTH; j++) {
      row16 tij = j == 0   ? row_sub(ti, ty)
                  : j == 1 ? ti
                  : j == 2 ? row_add(ti, ty)
                           : row_fma(lane_set1(2), ty, ti);
      firn_real *p = node + (size_t)i * sx + (size_t)j * sy;
      firn_real w = s->xy ? s->xy[(size_t)(WIDTH * i + j) * s->step]
                          : s->x[(size_t)i * s->step] * s->y[(size_t)j * s->step];
      row_storeu(p, row_fma(lane_set1(w), tij, row_loadu(p)));
    }
  }
}

// Base and slopes in momentum per cell: slope = h m C - dt V tau / (D h). from: as of stage.
static inline __attribute__((always_inline)) void K(momentum_of)(const mpm_view *view,
                                                                 uint32_t slot, const lane tau[6],
                                                                 const lane from[3], lane r[16]) {
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  lane mass = lane_load(view->mass + slot);
  firn_real per = -view->dt / ((firn_real)view->stencil.d * view->h);
  lane k = lane_load(view->volume + slot) * lane_set1(per), mh = mass * lane_set1(view->h);
  lane back[3];
  for (int a = 0; a < 3; a++) back[a] = from[a] - lane_set1(1);
  for (int a = 0; a < 3; a++) {
    lane base = mass * lane_load(view->v[a] + slot);
    for (int c = 0; c < 3; c++) {
      lane slope = lane_fma(k, tau[at[3 * a + c]], mh * lane_load(view->c[3 * a + c] + slot));
      r[4 + 4 * c + a] = slope;
      base = lane_fnma(slope, back[c], base);
    }
    r[a] = base;
  }
  r[3] = mass;
  r[7] = r[11] = r[15] = lane_zero();
}

#else

// Adds momentum and mass to the first channel, force to the second; row holds the former and the
// columns of -V tau / h.
static inline void K(scatter_flip)(const spline *s, const firn_real row[16], firn_real *node,
                                   size_t sx, size_t sy, size_t channel) {
  row16 wz = row_spread4(s->z), dz = row_spread4(s->dz);
  row16 t = row_mul(wz, row_splat4(row)), fx = row_mul(wz, row_splat4(row + 4)),
        fy = row_mul(wz, row_splat4(row + 8)), fz = row_mul(dz, row_splat4(row + 12));
  for (int i = 0; i < WIDTH; i++) {
    size_t at_x = (size_t)i * s->step;
    lane wx = lane_set1(s->x[at_x]), dx = lane_set1(s->dx[at_x]);
    row16 ti = row_scale(wx, t), fi = row_fma(dx, fx, row_scale(wx, fz)), gi = row_scale(wx, fy);
    for (int j = 0; j < WIDTH; j++) {
      size_t at_y = (size_t)j * s->step;
      lane wy = lane_set1(s->y[at_y]), dy = lane_set1(s->dy[at_y]);
      firn_real *p = node + (size_t)i * sx + (size_t)j * sy, *q = p + channel;
      row_storeu(p, row_fma(wy, ti, row_loadu(p)));
      row_storeu(q, row_fma(dy, gi, row_fma(wy, fi, row_loadu(q))));
    }
  }
}

static inline __attribute__((always_inline)) void K(momentum_of)(const mpm_view *view,
                                                                 uint32_t slot, const lane tau[6],
                                                                 const lane from[3], lane r[16]) {
  (void)from;
  lane mass = lane_load(view->mass + slot);
  lane k = lane_load(view->volume + slot) * lane_set1(-1 / view->h);
  for (int a = 0; a < 3; a++) r[a] = mass * lane_load(view->v[a] + slot);
  r[3] = mass;
  r[4] = k * tau[0];
  r[5] = r[8] = k * tau[3];
  r[6] = r[12] = k * tau[4];
  r[9] = k * tau[1];
  r[10] = r[13] = k * tau[5];
  r[14] = k * tau[2];
  r[7] = r[11] = r[15] = lane_zero();
}

#endif

static inline void K(stage_momentum)(const mpm_view *view, uint32_t slot, const lane tau[6],
                                     stage *s) {
  lane r[16];
  K(momentum_of)(view, slot, tau, s->from, r);
  row_transpose16(r, s->row);
}

// solve: only blocks that take part in it.
static void K(clear)(const mpm_view *view, const firn_unit *unit, int channels, bool solve) {
  for (uint32_t b = unit->first_block; b < unit->first_block + unit->block_count; b++) {
    const mpm_box *box = &view->box[b];
    if (solve && box->soft) continue;
    if (box->thin) continue;
    size_t channel = view->patch_channel, reals = mpm_arena_reals(box, channel ? 1 : channels, 0);
    for (int c = 0; c < (channel ? channels : 1); c++) {
      memset(view->arena + box->arena + (size_t)c * channel, 0, reals * sizeof(firn_real));
    }
  }
}

#include "solver/mpm/kernels_grain.inc.h"

static void K(scatter)(const mpm_view *view, size_t u, mpm_tally *tally) {
  const firn_unit *unit = &view->unit[u];
  stage s;
  segment in[L];
  law_tally law = {lane_zero(), lane_zero(), lane_zero()};
  uint32_t block = unit->first_block;
  mpm_grain *grains = grains_of_unit(view, unit);
  if (!grains) K(clear)(view, unit, APIC ? 1 : 2, false);
  memset(view->sound2 + block, 0, unit->block_count * sizeof *view->sound2);
  for (uint32_t slot = unit->first; slot < unit->first + unit->count; slot += L) {
    lane tau[6];
    if (!grains) K(weights)(view, slot, &s);
    constitute(view, slot, tau, &law);
    if (!grains) K(stage_momentum)(view, slot, tau, &s);
    int segments = split(view, unit, slot, &block, in);
    if (unit->block_count > 1) tell_sound(view, in, segments, law.sound2);
    if (grains) {
      K(put_group)(view, slot, in[segments - 1].end, tau, grains + (slot - unit->first));
      continue;
    }
    for (int n = 0; n < segments; n++) {
      const mpm_box *box = &view->box[in[n].block];
      if (box->thin) {
        K(put_grains)(view, slot, &in[n], &s);
        continue;
      }
      size_t sy = FIRN_NODE_REALS * (size_t)box->n[2], sx = sy * (size_t)box->n[1];
      firn_real *arena = view->arena + box->arena;
      for (int l = in[n].begin; l < in[n].end; l++) {
        firn_real *node = arena + arena_offset(box, &s, l);
        const spline w = spline_of_lane(&s, l);
#if APIC
        K(scatter_affine)(&w, s.row[l], node, sx, sy);
#else
        K(scatter_flip)(&w, s.row[l], node, sx, sy, mpm_channel_reals(view, box));
#endif
      }
    }
  }
  firn_real sound2 = lane_hmax(law.sound2_max);
  tally->sound2_max = (double)sound2;
  if (unit->block_count == 1) view->sound2[unit->first_block] = sound2;
  tally->spent = (double)lane_hsum(law.spent);
}

static void K(nodes)(const mpm_view *view, size_t g) {
  nodes_of(view, g, !APIC);
}

// ------------------------------------------------------------------------------------- gather

#if APIC

// Velocity and its first moments in i', j', k' around a stencil.
static inline void K(gather_moments)(const spline *s, const firn_real *node, size_t sx, size_t sy,
                                     firn_real out[16]) {
  row16 a = row_zero(), ax = a, ay = a;
  lane wy[WIDTH];
  for (int j = 0; j < WIDTH; j++) wy[j] = lane_set1(s->y[(size_t)j * s->step]);
  for (int i = 0; i < WIDTH; i++) {
    const firn_real *p = node + (size_t)i * sx;
    row16 m0 = row_scale(wy[0], row_loadu(p)), m2 = row_scale(wy[2], row_loadu(p + 2 * sy));
    row16 sum = row_fma(wy[1], row_loadu(p + sy), row_add(m0, m2)), moment = row_sub(m2, m0);
#if WIDTH == 4
    row16 m3 = row_scale(wy[3], row_loadu(p + 3 * sy));
    sum = row_add(sum, m3);
    moment = row_fma(lane_set1(2), m3, moment);
#endif
    lane wx = lane_set1(s->x[(size_t)i * s->step]);
    row16 t = row_scale(wx, sum);
    a = row_add(a, t);
    ay = row_fma(wx, moment, ay);
    if (i == 0) ax = row_sub(ax, t);
    if (i == 2) ax = row_add(ax, t);
    if (i == 3) ax = row_fma(lane_set1(2), t, ax);
  }
  row16 wz = row_spread4(s->z), m = row_mul(a, wz);
  row_reduce4x4(m, row_mul(ax, wz), row_mul(ay, wz), row_mul(m, K(offsets)()), out);
}

// G = (moment - x' v) / (D h), row-major.
static inline __attribute__((always_inline)) void K(gradient_of)(const mpm_view *view,
                                                                 const lane from[3],
                                                                 const lane r[16], lane v[3],
                                                                 lane grad[9]) {
  lane per = lane_set1(1 / ((firn_real)view->stencil.d * view->h));
  for (int a = 0; a < 3; a++) {
    v[a] = r[a];
    for (int c = 0; c < 3; c++) {
      grad[3 * a + c] = per * lane_fnma(from[c] - lane_set1(1), r[a], r[4 + 4 * c + a]);
    }
  }
}

#else

// Value and gradient of the field at node around a stencil: value, d/dx, d/dy, d/dz. Under blend the
// value is that of the second channel; pic receives the first's, a component every `stride` reals.
static inline void K(gather_gradient)(const spline *s, const firn_real *node, size_t sx, size_t sy,
                                      size_t channel, bool blend, firn_real out[16], firn_real *pic,
                                      int stride) {
  row16 a = row_zero(), gx = a, gy = a, u = a;
  lane wy[WIDTH], dy[WIDTH];
  for (int j = 0; j < WIDTH; j++) {
    wy[j] = lane_set1(s->y[(size_t)j * s->step]);
    dy[j] = lane_set1(s->dy[(size_t)j * s->step]);
  }
  for (int i = 0; i < WIDTH; i++) {
    const firn_real *p = node + (size_t)i * sx;
    row16 r0 = row_loadu(p), r1 = row_loadu(p + sy), r2 = row_loadu(p + 2 * sy);
    row16 value = row_fma(wy[1], r1, row_scale(wy[0], r0));
    row16 slope = row_fma(dy[1], r1, row_scale(dy[0], r0));
    value = row_fma(wy[2], r2, value);
    slope = row_fma(dy[2], r2, slope);
#if WIDTH == 4
    row16 r3 = row_loadu(p + 3 * sy);
    value = row_fma(wy[3], r3, value);
    slope = row_fma(dy[3], r3, slope);
#endif
    lane wx = lane_set1(s->x[(size_t)i * s->step]), dx = lane_set1(s->dx[(size_t)i * s->step]);
    a = row_fma(wx, value, a);
    gx = row_fma(dx, value, gx);
    gy = row_fma(wx, slope, gy);
    if (blend) {
      const firn_real *q = p + channel;
      row16 other = row_fma(wy[1], row_loadu(q + sy), row_scale(wy[0], row_loadu(q)));
#if WIDTH == 4
      other = row_add(
          other, row_fma(wy[3], row_loadu(q + 3 * sy), row_scale(wy[2], row_loadu(q + 2 * sy))));
#else
      other = row_fma(wy[2], row_loadu(q + 2 * sy), other);
#endif
      u = row_fma(wx, other, u);
    }
  }
  row16 wz = row_spread4(s->z), dz = row_spread4(s->dz);
  row_reduce4x4(row_mul(blend ? u : a, wz), row_mul(gx, wz), row_mul(gy, wz), row_mul(a, dz), out);
  if (pic) {
    firn_real sums[16];
    row_reduce4x4(row_mul(a, wz), row_zero(), row_zero(), row_zero(), sums);
    for (int c = 0; c < 3; c++) pic[c * stride] = sums[c];
  }
}

static inline __attribute__((always_inline)) void K(gradient_of)(const mpm_view *view,
                                                                 const lane from[3],
                                                                 const lane r[16], lane v[3],
                                                                 lane grad[9]) {
  (void)from;
  lane per = lane_set1(1 / view->h);
  for (int a = 0; a < 3; a++) {
    v[a] = r[a];
    for (int c = 0; c < 3; c++) grad[3 * a + c] = per * r[4 + 4 * c + a];
  }
}

#endif

// damped: of node_u, the share of each particle's nodes that damp; or NULL.
static inline void K(unstage)(const mpm_view *view, stage *s, lane v[3], lane grad[9],
                              lane *damped) {
  lane r[16];
  row_untranspose16(s->row, r);
  if (damped) *damped = r[3];
  K(gradient_of)(view, s->from, r, v, grad);
}

// A copy of the nodes around the block that is being gathered from.
typedef struct K(local) {
  _Alignas(64) firn_real node[APIC ? 1 : 2][LOCAL_REALS];
  uint32_t block;
} K(local);

// Gathers `field` (and node_u under blend) for the lanes of a group into the stage's rows.
// Inlined by force, as weights are.
static inline __attribute__((always_inline)) void K(gather_group)(
    const mpm_view *view, uint32_t slot, const segment *in, int segments, stage *s,
    K(local) * local, const firn_real *field, bool blend, firn_real *pic) {
  // Sparse blocks: the nodes of each lane lie elsewhere, so ask for all before the first is needed.
  for (int n = 1; n < segments; n++) {
    if (view->patch_channel || view->reach[in[n].block].spray) continue;
    prefetch_box(view, in[n].block, field);
    if (blend) prefetch_box(view, in[n].block, view->node_u);
  }
  for (int n = 0; n < segments; n++) {
    const mpm_box *box = &view->box[in[n].block];
    bool patched = view->patch_channel > 0;
    const firn_real *nodes = patched ? field + box->arena : local->node[0];
    if (!patched && view->reach[in[n].block].spray) {
      take_reaped(view, slot, &in[n], s, pic);
      continue;
    }
    if (!patched && local->block != in[n].block) {
      load_box(view, in[n].block, field, local->node[0]);
      if (blend) load_box(view, in[n].block, view->node_u, local->node[APIC ? 0 : 1]);
      local->block = in[n].block;
    }
    size_t sy = FIRN_NODE_REALS * (size_t)box->n[2], sx = sy * (size_t)box->n[1];
    for (int l = in[n].begin; l < in[n].end; l++) {
      const firn_real *node = nodes + arena_offset(box, s, l);
      const spline w = spline_of_lane(s, l);
#if APIC
      K(gather_moments)(&w, node, sx, sy, s->row[l]);
#else
      size_t channel = patched ? view->patch_channel : LOCAL_REALS;
      K(gather_gradient)(&w, node, sx, sy, channel, blend, s->row[l], pic ? pic + l : NULL, L);
#endif
    }
  }
  // Lanes of padding gather nothing, nor do those between.
  int used = 0;
  for (int n = 0; n < segments; n++) {
    if (used < in[n].begin) {
      memset(s->row[used], 0, sizeof s->row[0] * (size_t)(in[n].begin - used));
    }
    used = in[n].end;
  }
  if (used < L) memset(s->row[used], 0, sizeof s->row[0] * (size_t)(L - used));
}

static void K(collide)(const mpm_view *view, uint32_t slot, const segment *in, int segments,
                       lane x[3], lane v[3], lane advect[3], bool separate) {
  bool near = false;
  for (int n = 0; n < segments; n++) near = near || view->box[in[n].block].near;
  if (!near) return;
  firn_real px[3][L], pv[3][L], pa[3][L];
  for (int a = 0; a < 3; a++) {
    lane_storeu(px[a], x[a]);
    lane_storeu(pv[a], v[a]);
    lane_storeu(pa[a], advect[a]);
  }
  for (int n = 0; n < segments; n++) {
    if (!view->box[in[n].block].near) continue;
    int l = in[n].begin;
    firn_real *target = separate ? &pa[0][l] : &pv[0][l];
    mpm_particle_contact(view, in[n].block, slot + (uint32_t)l, in[n].end - l, L, &px[0][l],
                         &pv[0][l], target);
  }
  for (int a = 0; a < 3; a++) {
    x[a] = lane_loadu(px[a]);
    v[a] = lane_loadu(pv[a]);
    advect[a] = lane_loadu(separate ? pa[a] : pv[a]);
  }
}

// Nobody looks at the nodes of spray before their particles do, so no step is redone for
// them: a gradient that would turn such a particle inside out is bounded instead.
static inline void K(limit)(const mpm_view *view, const segment *in, int segments, lane grad[9]) {
  firn_real bounded[L];
  bool any = false;
  for (int l = 0; l < L; l++) bounded[l] = 0;
  for (int n = 0; n < segments; n++) {
    if (!view->reach[in[n].block].spray) continue;
    any = true;
    for (int l = in[n].begin; l < in[n].end; l++) bounded[l] = 1;
  }
  if (any) limit_lanes(view, lane_gt(lane_loadu(bounded), lane_zero()), grad);
}

// Step 7: the strain of a group, from dt grad v.
static inline void K(strain)(const mpm_view *view, uint32_t slot, lane grad[9]) {
  lane e[6];
  for (int i = 0; i < 9; i++) grad[i] = grad[i] * lane_set1(view->dt);
  for (int i = 0; i < 6; i++) e[i] = lane_load(view->b[i] + slot);
  firn_law_push(grad, e);
  for (int i = 0; i < 6; i++) lane_store(view->b[i] + slot, e[i]);
}

#if APIC
// The velocity gradient that particles keep: C - rate_loss dev sym C.
static inline void K(keep_affine)(const mpm_view *view, uint32_t slot, const lane grad[9]) {
  lane rate_loss = lane_set1(view->rate_loss),
       mean = (grad[0] + grad[4] + grad[8]) * lane_set1(FIRN_R(1.0 / 3));
  for (int i = 0; i < 9; i++) {
    int mirrored = i % 3 * 3 + i / 3;
    lane rate = i == mirrored ? grad[i] - mean
                              : lane_set1(FIRN_R(0.5)) * (grad[i] + grad[mirrored]);
    lane_store(view->c[i] + slot, lane_fnma(rate_loss, rate, grad[i]));
  }
}
#endif

// Steps 7 to 10 for a group that nothing collides with any more: what it has become is written back. speed2: the largest
// so far; poison: 0, unless some velocity is not finite.
static inline __attribute__((always_inline)) void K(settle)(const mpm_view *view, uint32_t slot,
                                                            const lane x[3], const lane v[3],
                                                            const lane advect[3], lane grad[9],
                                                            lane *speed2, lane *poison) {
  lane step = lane_set1(view->dt / view->h), v2 = lane_zero();
  for (int a = 0; a < 3; a++) {
    lane_store(view->x[a] + slot, lane_fma(step, advect[a], x[a]));
    lane_store(view->v[a] + slot, v[a]);
    v2 = lane_fma(v[a], v[a], v2);
  }
  *speed2 = lane_max(*speed2, v2);
  *poison = *poison + (v2 - v2);
#if APIC
  K(keep_affine)(view, slot, grad);
#endif
  K(strain)(view, slot, grad);
}

static inline void K(tell)(const mpm_view *view, const firn_unit *unit, lane speed2, lane poison,
                           mpm_tally *tally) {
  tally->speed2_max = (double)lane_hmax(speed2);
  if (!(lane_hsum(poison) == 0)) tally->nonfinite = true;
  if (!bound_unit(view, unit)) tally->left = true;
}

// A unit that is spray and nothing else, whose grains lie one after the other. Out of line, as put_grains.
static __attribute__((noinline)) void K(gather_spray)(const mpm_view *view, const firn_unit *unit,
                                                      const mpm_grain *grain, mpm_tally *tally) {
  const bool pic = !APIC && view->advect_pic;
  lane speed2 = lane_zero(), poison = lane_zero();
  for (uint32_t i = 0; i < unit->count; i += L) {
    uint32_t slot = unit->first + i;
    lane r[16], x[3], v[3], from[3], advect[3], grad[9];
    take_rows(grain + i, unit->count - i, r);
    for (int a = 0; a < 3; a++) {
      x[a] = lane_load(view->x[a] + slot);
      from[a] = K(from_first)(x[a]);
    }
    K(gradient_of)(view, from, r, v, grad);
    limit_lanes(view, lane_gt(lane_set1(1), lane_zero()), grad);
    for (int a = 0; a < 3; a++) {
#if !APIC
      v[a] = lane_fma(flip_share(view, r[3]), lane_load(view->v[a] + slot), v[a]);
#endif
      advect[a] = pic ? r[4 * a + 7] : v[a];
    }
    K(settle)(view, slot, x, v, advect, grad, &speed2, &poison);
  }
  K(tell)(view, unit, speed2, poison, tally);
}

static void K(gather)(const mpm_view *view, size_t u, mpm_tally *tally) {
  const firn_unit *unit = &view->unit[u];
  stage s;
  segment in[L];
  K(local) local;
  const mpm_grain *grains = view->in_place ? NULL : reaped_of_unit(view, unit);
  if (grains) {
    K(gather_spray)(view, unit, grains, tally);
    return;
  }
  local.block = FIRN_GRID_NONE;
  uint32_t block = unit->first_block;
  bool separate = !APIC && view->advect_pic;
  lane speed2 = lane_zero(), poison = lane_zero();
  for (uint32_t slot = unit->first; slot < unit->first + unit->count; slot += L) {
    firn_real pic[3 * L] = {0};
    lane x[3], v[3], advect[3], grad[9], damped;
    K(weights)(view, slot, &s);
    int segments = split(view, unit, slot, &block, in);
    K(gather_group)
    (view, slot, in, segments, &s, &local, view->node_v, !APIC, separate ? pic : NULL);
    K(unstage)(view, &s, v, grad, &damped);
    if (view->in_place) {
      K(strain)(view, slot, grad);
      continue;
    }
    if (view->spray) K(limit)(view, in, segments, grad);
    for (int a = 0; a < 3; a++) {
#if !APIC
      v[a] = lane_fma(flip_share(view, damped), lane_load(view->v[a] + slot), v[a]);
#endif
      x[a] = lane_load(view->x[a] + slot);
      advect[a] = separate ? lane_loadu(pic + a * L) : v[a];
    }
    if (view->particle_contact) K(collide)(view, slot, in, segments, x, v, advect, separate);
    K(settle)(view, slot, x, v, advect, grad, &speed2, &poison);
  }
  if (!view->in_place) K(tell)(view, unit, speed2, poison, tally);
}

static void K(check)(const mpm_view *view, size_t u, mpm_tally *tally) {
  const firn_unit *unit = &view->unit[u];
  stage s;
  segment in[L];
  K(local) local;
  local.block = FIRN_GRID_NONE;
  uint32_t block = unit->first_block;
  for (uint32_t slot = unit->first; slot < unit->first + unit->count; slot += L) {
    lane v[3], m[9];
    firn_real det[L];
    int segments = leave_gridded(view, in, split(view, unit, slot, &block, in)); // see limit
    if (!segments) continue;
    K(weights)(view, slot, &s);
    K(gather_group)(view, slot, in, segments, &s, &local, view->node_v, false, NULL);
    K(unstage)(view, &s, v, m, NULL);
    for (int i = 0; i < 9; i++) {
      m[i] = lane_fma(lane_set1(view->dt), m[i], lane_set1((firn_real)(i % 4 == 0)));
    }
    lane_storeu(det, m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
                         m[2] * (m[3] * m[7] - m[4] * m[6]));
    for (int n = 0; n < segments; n++) {
      for (int l = in[n].begin; l < in[n].end; l++) {
        tally->det_min = mpm_smaller(tally->det_min, (double)det[l]);
      }
    }
  }
}

// ------------------------------------------------------------------------------------ hessian

// Adds the force A g of a group, A by slots, to the arenas of its segments.
static inline __attribute__((always_inline)) void K(scatter_stress)(const mpm_view *view,
                                                                    uint32_t slot,
                                                                    const segment *in, int segments,
                                                                    const lane a[9], stage *s) {
  lane r[16]; // by columns of A
#if APIC
  lane k = lane_set1(1 / ((firn_real)view->stencil.d * view->h));
#else
  lane k = lane_set1(1 / view->h);
#endif
  for (int c = 0; c < 3; c++) {
    lane base = lane_zero();
    for (int d = 0; d < 3; d++) {
      r[4 + 4 * d + c] = k * a[3 * c + d];
      base = lane_fnma(r[4 + 4 * d + c], s->from[d] - lane_set1(1), base);
    }
    r[c] = base;
  }
  r[3] = r[7] = r[11] = r[15] = lane_zero();
  row_transpose16(r, s->row);
  for (int n = 0; n < segments; n++) {
    const mpm_box *box = &view->box[in[n].block];
    if (box->thin) {
      K(put_grains)(view, slot, &in[n], s);
      continue;
    }
    size_t sy = FIRN_NODE_REALS * (size_t)box->n[2], sx = sy * (size_t)box->n[1];
    firn_real *arena = view->arena + box->arena;
    for (int l = in[n].begin; l < in[n].end; l++) {
      firn_real *node = arena + arena_offset(box, s, l);
#if APIC
      const spline w = spline_of_lane(s, l);
      K(scatter_affine)(&w, s->row[l], node, sx, sy);
#else
      row16 wz = row_spread4(s->wz[l]), dz = row_spread4(s->dz[l]);
      row16 fx = row_mul(wz, row_splat4(s->row[l] + 4)),
            fy = row_mul(wz, row_splat4(s->row[l] + 8)),
            fz = row_mul(dz, row_splat4(s->row[l] + 12));
      for (int i = 0; i < WIDTH; i++) {
        lane wx = lane_set1(s->wx[i][l]), dx = lane_set1(s->dx[i][l]);
        row16 fi = row_fma(dx, fx, row_scale(wx, fz)), gi = row_scale(wx, fy);
        for (int j = 0; j < WIDTH; j++) {
          firn_real *p = node + (size_t)i * sx + (size_t)j * sy;
          row_storeu(p, row_fma(lane_set1(s->dy[j][l]), gi,
                                row_fma(lane_set1(s->wy[j][l]), fi, row_loadu(p))));
        }
      }
#endif
    }
  }
}

static void K(hessian)(const mpm_view *view, size_t u) {
  const firn_unit *unit = &view->unit[u];
  stage s;
  segment in[L];
  K(local) local;
  local.block = FIRN_GRID_NONE;
  uint32_t block = unit->first_block;
  K(clear)(view, unit, 1, true);
  for (uint32_t slot = unit->first; slot < unit->first + unit->count; slot += L) {
    lane v[3], grad[9], a[9];
    int segments = leave_stiff(view, in, split(view, unit, slot, &block, in));
    if (!segments) continue;
    K(weights)(view, slot, &s);
    K(gather_group)(view, slot, in, segments, &s, &local, view->direction, false, NULL);
    K(unstage)(view, &s, v, grad, NULL);
    differential(view, slot, grad, a);
    K(scatter_stress)(view, slot, in, segments, a, &s);
  }
}

static void K(stiffness)(const mpm_view *view, size_t u) {
  const firn_unit *unit = &view->unit[u];
  stage s;
  segment in[L];
  uint32_t block = unit->first_block;
  K(clear)(view, unit, 1, true);
  for (uint32_t slot = unit->first; slot < unit->first + unit->count; slot += L) {
    int segments = leave_stiff(view, in, split(view, unit, slot, &block, in));
    if (!segments) continue;
    K(weights)(view, slot, &s);
    lane mu = lane_load(view->stiff[0] + slot), lambda = lane_load(view->stiff[1] + slot), r[16];
    for (int i = 0; i < 16; i++) r[i] = lane_zero();
    r[0] = r[1] = r[2] = lane_fma(lane_set1(4), mu, lambda) * lane_set1(mpm_stiffness_per(view));
    row_transpose16(r, s.row);
    for (int n = 0; n < segments; n++) {
      const mpm_box *box = &view->box[in[n].block];
      if (box->thin) {
        K(put_grains)(view, slot, &in[n], &s);
        continue;
      }
      size_t sy = FIRN_NODE_REALS * (size_t)box->n[2], sx = sy * (size_t)box->n[1];
      firn_real *arena = view->arena + box->arena;
      for (int l = in[n].begin; l < in[n].end; l++) {
        firn_real *node = arena + arena_offset(box, &s, l);
        row16 t = row_mul(row_spread4(s.wz[l]), row_splat4(s.row[l]));
        for (int i = 0; i < WIDTH; i++) {
          row16 ti = row_scale(lane_set1(s.wx[i][l]), t);
          for (int j = 0; j < WIDTH; j++) {
            firn_real *p = node + (size_t)i * sx + (size_t)j * sy;
            row_storeu(p, row_fma(lane_set1(s.wy[j][l]), ti, row_loadu(p)));
          }
        }
      }
    }
  }
}

#include "solver/mpm/kernels_alone.inc.h"
#include "solver/mpm/kernels_few.inc.h"
#include "solver/mpm/kernels_parcel.inc.h"

static const mpm_kernels K(table) = {.bound = bound,
                                     .scatter = K(scatter),
                                     .sow = K(sow),
                                     .reap = K(reap),
                                     .nodes = K(nodes),
                                     .check = K(check),
                                     .gather = K(gather),
                                     .hessian = K(hessian),
                                     .hessian_nodes = hessian_nodes,
                                     .stiffness = K(stiffness),
                                     .stiffness_nodes = stiffness_nodes,
                                     .patch_nodes = patch_nodes,
                                     .patch_finish = patch_finish,
                                     .patch_measure = patch_measure,
                                     .few_solve = K(few_solve),
                                     .patch_solve = patch_solve};

#undef WIDTH
#undef APIC
#undef K
