// SPDX-License-Identifier: Apache-2.0
// Spray, grain by grain; a part of kernels_lane.inc.h. Where few meet, each adds up the nodes of
// its own stencil by itself, from all that have some of these, in the order of kernels_frame.h.

// As gather_moments and gather_gradient, from rows that are not in memory. Of bulk, which has these
// in memory, the compiler makes a seventh more instructions when it goes by this text.

#if APIC

// Velocity and its first moments in i', j', k' around a stencil, plane by plane across x.
typedef struct K(moments) {
  row16 a, ax, ay;
} K(moments);

// Plane i, given its rows.
static inline __attribute__((always_inline)) void K(add_plane)(K(moments) * s, int i, firn_real x,
                                                               const lane wy[WIDTH],
                                                               const row16 v[WIDTH]) {
  row16 m0 = row_scale(wy[0], v[0]), m2 = row_scale(wy[2], v[2]);
  row16 sum = row_fma(wy[1], v[1], row_add(m0, m2)), moment = row_sub(m2, m0);
#if WIDTH == 4
  row16 m3 = row_scale(wy[3], v[3]);
  sum = row_add(sum, m3);
  moment = row_fma(lane_set1(2), m3, moment);
#endif
  lane wx = lane_set1(x);
  row16 t = row_scale(wx, sum);
  s->a = row_add(s->a, t);
  s->ay = row_fma(wx, moment, s->ay);
  if (i == 0) s->ax = row_sub(s->ax, t);
  if (i == 2) s->ax = row_add(s->ax, t);
  if (i == 3) s->ax = row_fma(lane_set1(2), t, s->ax);
}

static inline void K(end_planes)(const K(moments) * s, const row16 *fall, const firn_real *z,
                                 firn_real out[16]) {
  row16 wz = row_spread4(z), m = row_mul(s->a, wz);
  row_reduce4x4(m, row_mul(s->ax, wz), row_mul(s->ay, wz), row_mul(m, K(offsets)()), out);
  add_fall(fall, out);
}

#else

// Value and gradient of a field around a stencil, plane by plane across x: value, d/dx, d/dy, d/dz.
// With a second channel the value is that of this one.
typedef struct K(gradient) {
  row16 a, gx, gy, u;
} K(gradient);

// A plane, given its rows, and those of the second channel or NULL.
static inline __attribute__((always_inline)) void K(add_plane)(K(gradient) * s, firn_real x,
                                                               firn_real d, const lane wy[WIDTH],
                                                               const lane dy[WIDTH],
                                                               const row16 v[WIDTH],
                                                               const row16 *u) {
  row16 value = row_fma(wy[1], v[1], row_scale(wy[0], v[0]));
  row16 slope = row_fma(dy[1], v[1], row_scale(dy[0], v[0]));
  value = row_fma(wy[2], v[2], value);
  slope = row_fma(dy[2], v[2], slope);
#if WIDTH == 4
  value = row_fma(wy[3], v[3], value);
  slope = row_fma(dy[3], v[3], slope);
#endif
  lane wx = lane_set1(x), dx = lane_set1(d);
  s->a = row_fma(wx, value, s->a);
  s->gx = row_fma(dx, value, s->gx);
  s->gy = row_fma(wx, slope, s->gy);
  if (!u) return;
  row16 other = row_fma(wy[1], u[1], row_scale(wy[0], u[0]));
#if WIDTH == 4
  other = row_add(other, row_fma(wy[3], u[3], row_scale(wy[2], u[2])));
#else
  other = row_fma(wy[2], u[2], other);
#endif
  s->u = row_fma(wx, other, s->u);
}

// pic receives the value of the first channel, or is NULL. some: nodes that damp may be among
// these.
static inline void K(end_planes)(const K(gradient) * s, const row16 *fall, const firn_real *z,
                                 const firn_real *d, bool some, firn_real out[16], firn_real *pic) {
  row16 wz = row_spread4(z), dz = row_spread4(d);
  row_reduce4x4(row_mul(row_blend_w(s->u, s->a), wz), row_mul(s->gx, wz), row_mul(s->gy, wz),
                row_mul(s->a, dz), out);
  add_fall(fall, out);
  out[3] = 0;
  if (some) {
    _Alignas(64) firn_real u[16];
    row_store(u, row_mul(s->u, wz));
    for (int n = 0; n < 4; n++) out[3] += u[4 * n + 3];
  }
  if (!pic) return;
  _Alignas(64) firn_real sums[16];
  row_reduce4x4(row_mul(s->a, wz), row_zero(), row_zero(), row_zero(), sums);
  add_fall(fall, sums);
  for (int c = 0; c < 3; c++) pic[c] = sums[c];
}

#endif

// The nodes of a stencil, as sums, but for those that have been moved.
typedef struct K(nodes_around) {
  const firn_real *plane[WIDTH]; // the first node of each plane across x
  size_t sy, channel;            // as of parcel_frame
  const uint64_t *left;          // bits of nodes along z that have not been moved, column by column
  int columns, z;                // of these, from plane to plane, and the bit of the first node
} K(nodes_around);

// From the sums of a plane to velocities without their fall, (m v + dt f) / m, and FLIP's
// differences in place of forces: component w is 1, or 0 where there is no mass. Several stencils
// do so for a node that they share, which takes less time than to write it down. One division does
// for four rows, which have 16 masses.
static inline __attribute__((always_inline)) void K(move_plane)(const node_math *math,
                                                                row16 v[WIDTH], row16 u[WIDTH]) {
  row16 mass = row_collect_w(v[0], v[1], v[2], v[WIDTH - 1]);
  row16 all = row_select_gt(mass, math->floor, row_div(row_set1(1), mass), math->zero);
  for (int j = 0; j < WIDTH; j++) {
    row16 inverse = row_broadcast(all, j), sum = APIC ? v[j] : row_fma(math->dt, u[j], v[j]);
    row16 now = row_mul(inverse, sum);
    if (!APIC) u[j] = row_fnma(math->alpha, row_mul(inverse, v[j]), now);
    v[j] = now;
  }
}

// Steps 1 and 4 to 6 for one grain, whose nodes have been added up. some: of these, not all are
// sums.
static inline __attribute__((always_inline)) void K(reap_nodes)(const mpm_view *view,
                                                                const node_math *math,
                                                                const K(nodes_around) * around,
                                                                const grain_seed *seed, bool some,
                                                                firn_real out[16]) {
#if APIC
  K(moments) sums = {row_zero(), row_zero(), row_zero()};
#else
  K(gradient) sums = {row_zero(), row_zero(), row_zero(), row_zero()};
  lane dy[WIDTH];
  for (int j = 0; j < WIDTH; j++) dy[j] = lane_set1(seed->dy[j]);
#endif
  lane wy[WIDTH];
  for (int j = 0; j < WIDTH; j++) wy[j] = lane_set1(seed->wy[j]);
  for (int i = 0; i < WIDTH; i++) {
    const firn_real *p = around->plane[i];
    row16 v[WIDTH], u[WIDTH], moved_v[WIDTH], moved_u[WIDTH];
    for (int j = 0; j < WIDTH; j++) {
      moved_v[j] = v[j] = row_loadu(p + (size_t)j * around->sy);
      moved_u[j] = u[j] = APIC ? v[j] : row_loadu(p + around->channel + (size_t)j * around->sy);
    }
    unsigned left[WIDTH], any = !some;
    for (int j = 0; j < WIDTH && some; j++) {
      left[j] = (unsigned)(around->left[i * around->columns + j] >> around->z) & 15;
      any |= left[j];
    }
    if (any) K(move_plane)(math, v, u);
    for (int j = 0; j < WIDTH && some; j++) {
      v[j] = row_select_nodes(left[j], v[j], row_blend_w(moved_v[j], math->zero));
      u[j] = row_select_nodes(left[j], row_blend_w(u[j], math->zero), moved_u[j]);
    }
#if APIC
    K(add_plane)(&sums, i, seed->wx[i], wy, v);
#else
    K(add_plane)(&sums, seed->wx[i], seed->dx[i], wy, dy, v, u);
#endif
  }
#if APIC
  (void)view;
  K(end_planes)(&sums, &math->gravity, seed->wz, out);
#else
  firn_real pic[3] = {0}, *also = view->advect_pic ? pic : NULL;
  K(end_planes)(&sums, &math->gravity, seed->wz, seed->dz, some, out, also);
  for (int c = 0; c < 3 && also; c++) out[4 * c + 7] = pic[c];
#endif
}

// The nodes of one particle's stencil, [4 x][4 y][4 z][4], as a node block's; under FLIP both
// channels.
typedef struct K(patch) {
  _Alignas(64) firn_real node[APIC ? 1 : 2][FIRN_NODE_BLOCK_REALS];
} K(patch);

// What a grain gives to the nodes of another's stencil; d: from the first of those to its own
// first.
static inline void K(sow_patch)(const grain_seed *seed, const int d[3], K(patch) * p) {
  const K(gift) gift = K(gift_of)(seed, d[2]);
  int x_end = d[0] < 0 ? WIDTH : WIDTH - d[0], y_end = d[1] < 0 ? WIDTH : WIDTH - d[1];
  for (int i = d[0] < 0 ? -d[0] : 0; i < x_end; i++) {
    const K(plane) plane = K(plane_of)(&gift, seed, i);
    for (int j = d[1] < 0 ? -d[1] : 0; j < y_end; j++) {
      firn_real *to = p->node[0] + FIRN_ROW_REALS * (4 * (d[0] + i) + d[1] + j);
      K(give_row)(&plane, seed, j, to, APIC ? NULL : to + FIRN_NODE_BLOCK_REALS, NULL);
    }
  }
}

// What the nodes around a grain that meets no other would give it. Its own mass and momentum make
// one velocity of them all, and a force over a mass is a sum of functions of x, y and z, so that
// all sums over nodes are sums along axes: with the moments of the weights, Sigma w = 1, Sigma w i'
// = x' and Sigma w (i' - x')^2 = D,
//   APIC   v_i = v + C (x_i - x_p): value and slopes come back as they were sown;
//   FLIP   f_i / m_i = Sigma_c row_c d_c / w_c / m: no change of velocity, and a gradient of row_c / m Sigma d_c^2 / w_c.
static inline void K(reap_lone)(const mpm_view *view, const grain_seed *seed, firn_real out[16]) {
  const firn_real *row = seed->row;
  firn_real per = 1 / row[3];
  const firn_real *const w[3] = {seed->wx, seed->wy, seed->wz};
#if APIC
  firn_real value[3], at[3];
  for (int c = 0; c < 3; c++) at[c] = w[c][2] - w[c][0] + (WIDTH == 4 ? 2 * w[c][3] : 0);
  for (int a = 0; a < 3; a++) {
    value[a] = row[a];
    for (int c = 0; c < 3; c++) value[a] += row[4 + 4 * c + a] * at[c];
    value[a] = value[a] * per + view->dt * view->gravity[a];
    out[a] = value[a];
  }
  firn_real spread = per * (firn_real)view->stencil.d;
  for (int c = 0; c < 3; c++) {
    for (int a = 0; a < 3; a++) {
      out[4 + 4 * c + a] = at[c] * value[a] + spread * row[4 + 4 * c + a];
    }
  }
#else
  const firn_real *const d[3] = {seed->dx, seed->dy, seed->dz};
  for (int a = 0; a < 3; a++) {
    firn_real v = row[a] * per, fall = view->dt * view->gravity[a];
    out[a] = (1 - view->alpha) * v + fall;
    if (view->advect_pic) out[4 * a + 7] = v + fall;
  }
  out[3] = 0;
  for (int c = 0; c < 3; c++) {
    firn_real sum = 0;
    for (int i = 0; i < WIDTH; i++) sum += w[c][i] > 0 ? d[c][i] * d[c][i] / w[c][i] : 0;
    sum *= per * view->dt;
    for (int a = 0; a < 3; a++) out[4 + 4 * c + a] = row[4 + 4 * c + a] * sum;
  }
#endif
}

// Guests that have nodes in common with one, itself among them.
typedef struct K(meetings) {
  const mpm_guest *with;
  const mpm_guest *met[TOGETHER];
  int count;
  bool begun; // some have been sown
  K(patch) patch;
} K(meetings);

static inline void K(sow_meetings)(const mpm_view *view, K(meetings) * m) {
  handful some = {.count = m->count};
  seeds weights;
  for (int n = 0; n < m->count; n++) some.grain[n] = grain_of(view, m->met[n]->grain);
  K(open_grains)(&some, &weights);
  for (int r = 0; r < 4 * WIDTH && !m->begun; r++) {
    row_store(m->patch.node[0] + FIRN_ROW_REALS * r, row_zero());
    if (!APIC) row_store(m->patch.node[APIC ? 0 : 1] + FIRN_ROW_REALS * r, row_zero());
  }
  for (int n = 0; n < m->count; n++) {
    const grain_seed seed = seed_of(&some, &weights, n);
    int d[3];
    for (int a = 0; a < 3; a++) d[a] = m->met[n]->at[a] - m->with->at[a];
    K(sow_patch)(&seed, d, &m->patch);
  }
  m->begun = true;
  m->count = 0;
}

// Finds those that a guest meets, and sows them into its patch if it is not alone.
static inline void K(find_meetings)(const mpm_view *view, const parcel_frame *f,
                                    const mpm_parcel_nodes *nodes, K(meetings) * m) {
  const mpm_guest *with = m->with;
  for (int x = with->at[0] - WIDTH + 1; x < with->at[0] + WIDTH; x++) {
    uint32_t from = nodes->list[list_of(f->lo[1], x, with->at[1] - WIDTH + 1)];
    uint32_t end = nodes->list[list_of(f->lo[1], x, with->at[1] + WIDTH - 1) + 1];
    for (const mpm_guest *g = nodes->guest + from; g < nodes->guest + end; g++) {
      int y = g->at[1] - with->at[1], z = g->at[2] - with->at[2];
      if (((y + WIDTH - 1) | (WIDTH - 1 - y) | (z + WIDTH - 1) | (WIDTH - 1 - z)) < 0) continue;
      if (m->count == TOGETHER) K(sow_meetings)(view, m);
      m->met[m->count++] = g;
    }
  }
  if (m->begun || m->count > 1) K(sow_meetings)(view, m);
}

static inline void K(reap_each)(const mpm_view *view, const parcel_frame *f, uint32_t guests,
                                mpm_parcel_nodes *nodes) {
  const node_math math = node_math_of(view, !APIC);
  K(meetings) m;
  for (uint32_t i = 0; i < guests;) {
    const mpm_guest *own[TOGETHER] = {NULL};
    handful some = {.count = 0};
    seeds weights;
    for (; i < guests && some.count < TOGETHER; i++) {
      if (!nodes->guest[i].own) continue;
      own[some.count] = &nodes->guest[i];
      some.grain[some.count++] = grain_of(view, nodes->guest[i].grain);
    }
    K(open_grains)(&some, &weights);
    for (int n = 0; n < some.count; n++) {
      const grain_seed seed = seed_of(&some, &weights, n);
      firn_real *out = some.grain[n]->reaped;
      m.with = own[n];
      m.count = 0;
      m.begun = false;
      K(find_meetings)(view, f, nodes, &m);
      if (!m.begun) {
        K(reap_lone)(view, &seed, out);
        continue;
      }
      K(nodes_around) around = {.sy = FIRN_ROW_REALS, .channel = FIRN_NODE_BLOCK_REALS};
      for (int x = 0; x < WIDTH; x++) around.plane[x] = m.patch.node[0] + 4 * FIRN_ROW_REALS * x;
      K(reap_nodes)(view, &math, &around, &seed, false, out);
    }
  }
}
