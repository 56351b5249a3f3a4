// SPDX-License-Identifier: Apache-2.0
// Spray, parcel by parcel; a part of kernels_lane.inc.h. The nodes that a parcel's own stencils need
// are cleared, all grains that reach them are sown into them, whoever's these are, and they are moved as they are
// gathered from: all of that in cache. Where few meet, each grain does that by itself, for its own nodes alone.
// Whoever does adds up a node from the same grains, and in the same order, that of their blocks by x, y and z.

// What a grain of another parcel gives to nodes that this one needs.
static inline void K(sow_beside)(const parcel_frame *f, const mpm_grain *grain, const int at[3],
                                 mpm_parcel_nodes *nodes) {
  const K(gift) gift = K(gift_of)(grain, 0);
  for (int i = 0; i < WIDTH; i++) {
    int x = at[0] + i;
    if (x < 0 || x >= f->n[0]) continue;
    const K(plane) plane = K(plane_of)(&gift, grain, i);
    for (int j = 0; j < WIDTH; j++) {
      int y = at[1] + j;
      if (y < 0 || y >= f->n[1] || !(nodes->column[x * f->n[1] + y] >> at[2] & 15)) continue;
      firn_real *node = nodes->node + frame_offset(f, (const int[3]){x, y, at[2]});
      K(give_row)(&plane, grain, j, node, APIC ? NULL : node + MPM_PARCEL_REALS, false);
    }
  }
}

// What a grain gives to the nodes of its own stencil, the first of which is `node`.
static inline void K(sow_own)(const mpm_grain *grain, firn_real *node, size_t sx, size_t sy,
                              size_t channel) {
  const spline w = spline_of_grain(grain);
#if APIC
  (void)channel;
  K(scatter_affine)(&w, grain->row, node, sx, sy);
#else
  K(scatter_flip)(&w, grain->row, node, sx, sy, channel);
#endif
}

static inline void K(sow_parcel)(const mpm_view *view, const firn_parcel *parcel,
                                 const parcel_frame *f, mpm_parcel_nodes *nodes) {
  const firn_neighbour *from = view->neighbour + parcel->neighbour;
  for (uint32_t n = 0; n < parcel->neighbours; n++, from++) {
    const mpm_grain *grain = grains_of(view, &view->box[from->block]);
    bool own = from->block >= parcel->first && from->block < parcel->end;
    if (n + 2 < parcel->neighbours) prefetch_grains(view, from[2].block);
    for (uint32_t i = 0; i < view->block[from->block].count; i++, grain++) {
      int at[3];
      if (!frame_finds(f, grain, from->shift, at)) continue;
      if (own)
        K(sow_own)(grain, nodes->node + frame_offset(f, at), f->sx, f->sy, MPM_PARCEL_REALS);
      else
        K(sow_beside)(f, grain, at, nodes);
    }
  }
}

// What gather needs of the nodes around a grain.
static inline void K(reap_nodes)(const mpm_view *view, const firn_real *node, size_t sx, size_t sy,
                                 size_t channel, mpm_grain *grain) {
  const spline w = spline_of_grain(grain);
#if APIC
  (void)view, (void)channel;
  K(gather_moments)(&w, node, sx, sy, grain->reaped);
#else
  firn_real pic[3] = {0}, *also = view->advect_pic ? pic : NULL;
  K(gather_gradient)(&w, node, sx, sy, channel, true, grain->reaped, also, 1);
  for (int c = 0; c < 3 && also; c++) grain->reaped[4 * c + 3] = pic[c];
#endif
}

// Own grains one after the other: first their nodes are needed, then their velocities.
static inline void K(walk_own)(const mpm_view *view, const firn_parcel *parcel,
                               const parcel_frame *f, bool reap, mpm_parcel_nodes *nodes) {
  const node_math math = node_math_of(view, !APIC);
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    mpm_grain *grain = grains_of(view, &view->box[b]);
    int8_t shift[3];
    if (!view->reach[b].spray) continue;
    shift_in_parcel(view, b, shift);
    for (uint32_t i = 0; i < view->block[b].count; i++, grain++) {
      int at[3];
      if (!frame_finds(f, grain, shift, at)) continue; // it does
      if (!reap) {
        need_stencil(f, at, WIDTH, APIC ? 1 : 2, nodes);
        continue;
      }
      move_stencil(&math, f, at, WIDTH, nodes);
      const firn_real *node = nodes->node + frame_offset(f, at);
      K(reap_nodes)(view, node, f->sx, f->sy, MPM_PARCEL_REALS, grain);
    }
  }
}

// What a grain gives to the nodes of another's stencil; d: from the first of those to its own first.
static inline void K(sow_patch)(const mpm_grain *grain, const int d[3], patch *p) {
  const K(gift) gift = K(gift_of)(grain, d[2]);
  int x_end = d[0] < 0 ? WIDTH : WIDTH - d[0], y_end = d[1] < 0 ? WIDTH : WIDTH - d[1];
  for (int i = d[0] < 0 ? -d[0] : 0; i < x_end; i++) {
    const K(plane) plane = K(plane_of)(&gift, grain, i);
    for (int j = d[1] < 0 ? -d[1] : 0; j < y_end; j++) {
      size_t at = FIRN_ROW_REALS * (size_t)(4 * (d[0] + i) + d[1] + j);
      K(give_row)(&plane, grain, j, p->v + at, p->u + at, false);
    }
  }
}

// What the nodes around a grain that meets no other would give it. Its own mass and momentum make one velocity of them
// all, and a force over a mass is a sum of functions of x, y and z, so that all sums over nodes are sums along axes:
// with the moments of the weights, Sigma w = 1, Sigma w i' = x' and Sigma w (i' - x')^2 = D,
//   APIC   v_i = v + C (x_i - x_p): value and slopes come back as they were sown;
//   FLIP   f_i / m_i = Sigma_c row_c d_c / w_c / m: no change of velocity, and a gradient of row_c / m Sigma d_c^2 / w_c.
static inline void K(reap_lone)(const mpm_view *view, mpm_grain *grain) {
  firn_real per = 1 / grain->row[3], *out = grain->reaped;
  const firn_real *const w[3] = {grain->wx, grain->wy, grain->wz + 3};
#if APIC
  firn_real value[3], at[3];
  for (int c = 0; c < 3; c++) at[c] = w[c][2] - w[c][0] + (WIDTH == 4 ? 2 * w[c][3] : 0);
  for (int a = 0; a < 3; a++) {
    value[a] = grain->row[a];
    for (int c = 0; c < 3; c++) value[a] += grain->row[4 + 4 * c + a] * at[c];
    value[a] = value[a] * per + view->dt * view->gravity[a];
    out[a] = value[a];
  }
  firn_real spread = per * (firn_real)view->stencil.d;
  for (int c = 0; c < 3; c++) {
    for (int a = 0; a < 3; a++) {
      out[4 + 4 * c + a] = at[c] * value[a] + spread * grain->row[4 + 4 * c + a];
    }
  }
#else
  const firn_real *const d[3] = {grain->dx, grain->dy, grain->dz + 3};
  for (int a = 0; a < 3; a++) {
    firn_real v = grain->row[a] * per, fall = view->dt * view->gravity[a];
    out[a] = (1 - view->alpha) * v + fall;
    if (view->advect_pic) out[4 * a + 3] = v + fall;
  }
  for (int c = 0; c < 3; c++) {
    firn_real sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += w[c][i] > 0 ? d[c][i] * d[c][i] / w[c][i] : 0;
    sum *= per * view->dt;
    for (int a = 0; a < 3; a++) out[4 + 4 * c + a] = grain->row[4 + 4 * c + a] * sum;
  }
#endif
}

// A grain that has nodes in common with another one, and from the first of the other's nodes to its own first.
typedef struct K(meeting) {
  const mpm_grain *grain;
  int d[3];
} K(meeting);
enum { K(MEETINGS_MAX) = 64 }; // of one grain; more are sown in several goes

// Of a block, those that meet a stencil which begins at `first`, from the corner of the parcel.
static inline int K(find_meetings)(const mpm_view *view, const firn_neighbour *from,
                                   const int first[3], int count, K(meeting) * out) {
  const mpm_grain *grain = grains_of(view, &view->box[from->block]);
  for (uint32_t i = 0; i < view->block[from->block].count; i++, grain++) {
    int apart = 0;
    for (int a = 0; a < 3; a++) {
      int d = grain->first[a] + from->shift[a] - first[a];
      out[count].d[a] = d;
      apart |= (d + WIDTH - 1) | (WIDTH - 1 - d);
    }
    out[count].grain = grain;
    count += apart >= 0;
  }
  return count;
}

static inline void K(sow_meetings)(const K(meeting) * met, int count, patch *p) {
  for (int n = 0; n < count; n++) {
    if (met[n].d[0] | met[n].d[1] | met[n].d[2])
      K(sow_patch)(met[n].grain, met[n].d, p);
    else
      K(sow_own)(met[n].grain, p->v, 4 * FIRN_ROW_REALS, FIRN_ROW_REALS, FIRN_NODE_BLOCK_REALS);
  }
}

static inline void K(clear_patch)(patch *p) {
  for (int r = 0; r < 4 * WIDTH; r++) {
    row_store(p->v + FIRN_ROW_REALS * r, row_zero());
    if (!APIC) row_store(p->u + FIRN_ROW_REALS * r, row_zero());
  }
}

// Step 1 and 4 to 6 for one grain, by itself.
static inline void K(reap_alone)(const mpm_view *view, const node_math *math,
                                 const firn_parcel *parcel, const surroundings *s,
                                 const int8_t shift[3], mpm_grain *grain) {
  patch p;
  K(meeting) met[K(MEETINGS_MAX) + MPM_THIN_MAX];
  int first[3], range[3][2], count = 0;
  bool begun = false;
  for (int a = 0; a < 3; a++) {
    first[a] = grain->first[a] + shift[a];
    blocks_beside(&view->stencil, first[a], range[a]);
  }
  unsigned mask = (2u << (range[2][1] + BESIDE)) - (1u << (range[2][0] + BESIDE));
  for (int x = range[0][0] + BESIDE; x <= range[0][1] + BESIDE; x++) {
    for (int y = range[1][0] + BESIDE; y <= range[1][1] + BESIDE; y++) {
      for (unsigned left = s->there[x][y] & mask; left; left &= left - 1) {
        const bystander *by = &s->at[x][y][__builtin_ctz(left)];
        if (!stands_near(by, first, WIDTH)) continue;
        const firn_neighbour *from = &view->neighbour[parcel->neighbour + by->number];
        count = K(find_meetings)(view, from, first, count, met);
        if (count < K(MEETINGS_MAX)) continue;
        if (!begun) K(clear_patch)(&p);
        begun = true;
        K(sow_meetings)(met, count, &p);
        count = 0;
      }
    }
  }
  if (!begun && count == 1) { // itself
    K(reap_lone)(view, grain);
    return;
  }
  if (!begun) K(clear_patch)(&p);
  K(sow_meetings)(met, count, &p);
  for (int i = 0; i < WIDTH; i++) {
    for (int j = 0; j < WIDTH; j++) {
      move_row(math, p.v + FIRN_ROW_REALS * (4 * i + j), FIRN_NODE_BLOCK_REALS, 15);
    }
  }
  K(reap_nodes)(view, p.v, 4 * FIRN_ROW_REALS, FIRN_ROW_REALS, FIRN_NODE_BLOCK_REALS, grain);
}

static inline void K(reap_each)(const mpm_view *view, const firn_parcel *parcel) {
  const node_math math = node_math_of(view, !APIC);
  surroundings s;
  survey_parcel(view, parcel, &s);
  for (uint32_t b = parcel->first; b < parcel->end; b++) {
    mpm_grain *grain = grains_of(view, &view->box[b]);
    int8_t shift[3];
    if (b + 2 < parcel->end && view->reach[b + 2].spray) prefetch_grains(view, b + 2);
    if (!view->reach[b].spray) continue;
    shift_in_parcel(view, b, shift);
    for (uint32_t i = 0; i < view->block[b].count; i++, grain++) {
      K(reap_alone)(view, &math, parcel, &s, shift, grain);
    }
  }
}

static void K(reap)(const mpm_view *view, const firn_parcel *parcel, mpm_parcel_nodes *nodes) {
  const parcel_frame f = frame_of(view, parcel);
  if (is_sparse(view, parcel, &f)) {
    K(reap_each)(view, parcel);
    return;
  }
  K(walk_own)(view, parcel, &f, false, nodes);
  K(sow_parcel)(view, parcel, &f, nodes);
  take_node_blocks(view, parcel, &f, !APIC, nodes);
  if (is_touched(view, parcel)) {
    const node_math math = node_math_of(view, !APIC);
    collide_parcel(view, &math, parcel, &f, nodes);
  }
  K(walk_own)(view, parcel, &f, true, nodes);
}
