// SPDX-License-Identifier: Apache-2.0
// Spray, parcel by parcel; a part of kernels_lane.inc.h. The nodes that a parcel's own stencils need
// are cleared, all grains that reach them are sown into them, whoever's these are, and they are moved as they are
// gathered from: all of that in cache. Every parcel adds up a node from the same grains, and in the same order,
// that of their blocks by x, y and z.

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

static inline void K(sow_own)(const parcel_frame *f, const mpm_grain *grain, const int at[3],
                              mpm_parcel_nodes *nodes) {
  firn_real *node = nodes->node + frame_offset(f, at);
  const spline w = spline_of_grain(grain);
#if APIC
  K(scatter_affine)(&w, grain->row, node, f->sx, f->sy);
#else
  K(scatter_flip)(&w, grain->row, node, f->sx, f->sy, MPM_PARCEL_REALS);
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
        K(sow_own)(f, grain, at, nodes);
      else
        K(sow_beside)(f, grain, at, nodes);
    }
  }
}

// What gather needs of the nodes around an own grain.
static inline void K(reap_grain)(const mpm_view *view, const parcel_frame *f, const int at[3],
                                 const mpm_parcel_nodes *nodes, mpm_grain *grain) {
  const firn_real *node = nodes->node + frame_offset(f, at);
  const spline w = spline_of_grain(grain);
#if APIC
  (void)view;
  K(gather_moments)(&w, node, f->sx, f->sy, grain->reaped);
#else
  firn_real pic[3] = {0}, *also = view->advect_pic ? pic : NULL;
  K(gather_gradient)(&w, node, f->sx, f->sy, MPM_PARCEL_REALS, true, grain->reaped, also, 1);
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
      K(reap_grain)(view, f, at, nodes, grain);
    }
  }
}

static void K(reap)(const mpm_view *view, const firn_parcel *parcel, mpm_parcel_nodes *nodes) {
  const parcel_frame f = frame_of(view, parcel);
  K(walk_own)(view, parcel, &f, false, nodes);
  K(sow_parcel)(view, parcel, &f, nodes);
  take_node_blocks(view, parcel, &f, !APIC, nodes);
  if (is_touched(view, parcel)) collide_parcel(view, parcel, &f, !APIC, nodes);
  K(walk_own)(view, parcel, &f, true, nodes);
}
