// SPDX-License-Identifier: Apache-2.0
// Spray, parcel by parcel; a part of kernels_lane.inc.h. A parcel goes along x: all grains are sown into the planes of nodes
// where they begin, whoever's these are; planes that nobody can add to any more are taken over from node blocks, collided
// and moved; and its own grains that end there are reaped. What is at work is a few planes, in cache.

// What a grain gives to nodes of the frame, and to some beside it along y. Other parcels collide nodes that they share
// again for themselves, and each tells colliders of its own grains' part: so the mass of others is noted. simple: all
// planes of the stencil are in the frame, and nobody asks whose mass it is.
static inline __attribute__((always_inline)) void K(sow_frame)(const parcel_frame *f,
                                                               const grain_seed *seed,
                                                               const int8_t at[3], bool simple,
                                                               mpm_parcel_nodes *nodes) {
  const K(gift) gift = K(gift_of)(seed, 0);
  const int x = at[0], y = at[1], z = at[2];
  const size_t sy = f->sy, depth = (size_t)f->n[2], channel = f->channel;
  (void)channel; // of FLIP alone
  int begin = simple || x >= 0 ? 0 : -x;
  int end = simple || x + WIDTH <= f->n[0] ? WIDTH : f->n[0] - x;
  size_t column[WIDTH] = {
      0}; // before `made`, whose bytes might be anything to the compiler, is written
  for (int i = begin; i < end; i++) column[i] = frame_column(f, x + i, y);
#pragma GCC unroll 4
  for (int i = begin; i < end; i++) {
    const K(plane) plane = K(plane_of)(&gift, seed, i);
    uint8_t *made = nodes->made + column[i] * depth + z;
    firn_real *to = nodes->node + column[i] * sy + FIRN_NODE_REALS * z;
#pragma GCC unroll 4
    for (int j = 0; j < WIDTH; j++, made += depth, to += sy) {
      const row_made had = row_made_of(made);
      K(give_row)(&plane, seed, j, to, APIC ? NULL : to + channel, &had);
      memset(made, 1, 4);
      if (simple || !f->told) continue;
      firn_real mass = seed->row[3] * (seed->wx[i] * seed->wy[j]);
      firn_real *others = nodes->others + (made - nodes->made);
      for (size_t n = 0; n < 4; n++) others[n] += mass * seed->wz[n];
    }
  }
}

// Sows guests, from a number on, whose first plane is before `end`. Returns who is next.
static __attribute__((noinline)) uint32_t K(sow_guests)(const mpm_view *view, const parcel_frame *f,
                                                        uint32_t from, uint32_t guests, int end,
                                                        mpm_parcel_nodes *nodes) {
  while (from < guests && nodes->guest[from].at[0] < end) {
    const mpm_guest *guest = nodes->guest + from;
    handful some = {.count = 0};
    seeds weights;
    for (; some.count < TOGETHER && from < guests && nodes->guest[from].at[0] < end; from++) {
      some.grain[some.count++] = grain_of(view, nodes->guest[from].grain);
    }
    K(open_grains)(&some, &weights);
    for (int n = 0; n < some.count; n++) {
      const grain_seed seed = seed_of(&some, &weights, n);
      int x = guest[n].at[0];
      bool inside = x >= 0 && x + WIDTH <= f->n[0];
      // Where own ones are reaped, without a branch; of others what is there already.
      __builtin_prefetch(some.grain[n]->row + FIRN_ROW_REALS * guest[n].own, 1);
      if (inside && (!f->told || guest[n].own)) {
        K(sow_frame)(f, &seed, guest[n].at, true, nodes);
        continue;
      }
      K(sow_frame)(f, &seed, guest[n].at, false, nodes);
    }
  }
  return from;
}

// Reaps own guests that end before plane `end`. moved: some nodes have been.
static inline __attribute__((always_inline)) uint32_t K(reap_guests)(
    const mpm_view *view, const node_math *math, const parcel_frame *f, uint32_t from,
    uint32_t guests, int end, bool moved, mpm_parcel_nodes *nodes) {
  while (from < guests && nodes->guest[from].at[0] + WIDTH <= end) {
    const mpm_guest *own[TOGETHER];
    handful some = {.count = 0};
    seeds weights;
    for (; some.count < TOGETHER && from < guests; from++) {
      const mpm_guest *guest = nodes->guest + from;
      if (guest->at[0] + WIDTH > end) break;
      // Others are overwritten, without a branch that nobody could foretell.
      own[some.count] = guest;
      some.grain[some.count] = grain_of(view, guest->grain);
      some.count += guest->own;
    }
    if (!some.count) continue;
    K(open_grains)(&some, &weights);
    for (int n = 0; n < some.count; n++) {
      const grain_seed seed = seed_of(&some, &weights, n);
      const int8_t *at = own[n]->at;
      K(nodes_around)
      around = {.sy = f->sy,
                .channel = f->channel,
                .left = nodes->needed + at[0] * f->n[1] + at[1],
                .columns = f->n[1],
                .z = at[2]};
      for (int i = 0; i < WIDTH; i++) {
        around.plane[i] = nodes->node + frame_offset(f, at[0] + i, at[1], at[2]);
      }
      K(reap_nodes)(view, math, &around, &seed, moved, some.grain[n]->reaped);
    }
  }
  return from;
}

// Whether particles of the parcel meet so few that each of these better adds up its own nodes than all of them together
// those of the parcel. That knows of neither node blocks nor colliders.
static inline bool K(is_sparse)(const parcel_own *own, const parcel_frame *f) {
  enum { WIDE = 2 * WIDTH - 1, MEETINGS = 1 }; // MEETINGS: on the mean
  size_t cells = (size_t)f->n[0] * (size_t)f->n[1] * (size_t)(f->n[2] - 2 * FRAME_MARGIN);
  bool alone = !own->gridded && !own->touched;
  return alone && own->count * WIDE * WIDE * WIDE <= MEETINGS * cells;
}

// Nothing has been sown into planes that come into the frame.
static inline void K(clear_planes)(const parcel_frame *f, int begin, int end,
                                   mpm_parcel_nodes *nodes) {
  size_t count = (size_t)(f->n[1] + 2 * MPM_PARCEL_SIDE) * (size_t)f->n[2];
  for (int x = begin; x < end && x < f->n[0]; x++) {
    size_t first = frame_node(f, x, -MPM_PARCEL_SIDE, 0);
    memset(nodes->made + first, 0, count);
    if (f->told) memset(nodes->others + first, 0, count * sizeof *nodes->others);
  }
}

static void K(reap)(const mpm_view *view, const firn_parcel *parcel, mpm_parcel_nodes *nodes) {
  const parcel_own own = own_of(view, parcel);
  parcel_frame f = frame_of(&own, APIC ? 1 : 2);
  uint32_t guests = list_guests(view, parcel, &f, nodes), sown = 0, reaped = 0;
  if (K(is_sparse)(&own, &f)) {
    K(reap_each)(view, &f, guests, nodes);
    return;
  }
  const node_math math = node_math_of(view, !APIC);
  company with;
  touching near;
  if (own.gridded) find_company(view, parcel, &with);
  if (own.touched) {
    find_touching(view, parcel, &near);
    f.told = near.cube.told;
  }
  // Planes one by one, or as many as a cube has.
  int step = own.gridded || own.touched ? 4 : 1, slab = (f.lo[0] + 4) >> 2;
  int end = step == 4 ? 4 * slab - f.lo[0] : 1, rest = WIDTH - 1;
  f.planes = step + 2 * rest;
  for (int x = 0; x < f.n[0]; x++) f.plane[x] = (uint8_t)(x % f.planes);
  size_t columns = (size_t)f.n[0] * (size_t)f.n[1];
  if (step == 4) memset(nodes->needed, 0, columns * sizeof *nodes->needed);
  for (uint32_t i = 0; i < guests && step == 4; i++) {
    if (nodes->guest[i].own) need_stencil(&f, nodes->guest[i].at, WIDTH, nodes);
  }
  K(clear_planes)(&f, 0, rest, nodes);
  for (int begin = 0; begin < f.n[0]; begin = end, end += step, slab++) {
    K(clear_planes)(&f, begin + rest, end + rest, nodes);
    sown = K(sow_guests)(view, &f, sown, guests, end, nodes);
    if (own.gridded) take_node_blocks(view, &with, slab, &f, !APIC, nodes);
    if (own.touched) collide_slab(view, &math, &near, slab, &f, nodes);
    reaped = step == 1 ? K(reap_guests)(view, &math, &f, reaped, guests, end, false, nodes)
                       : K(reap_guests)(view, &math, &f, reaped, guests, end, true, nodes);
  }
}
