// SPDX-License-Identifier: Apache-2.0
// What solves for clumps of a few particles (kernels_few.h) need of basis and transfer: gradients
// of v*, the matrix G, and velocities from the solution. Included by kernels_lane.inc.h.

// The weight of a node t cells from a particle, and the factor that stands for it along the axis of
// a gradient: its derivative or, under APIC, the weight times the distance. The sign of the latter
// is lost in products of two.
static inline void K(few_weight)(lane t, lane *w, lane *e) {
  const lane half = lane_set1(FIRN_R(0.5)), one = lane_set1(1), zero = lane_zero();
  lane a = lane_abs(t);
#if WIDTH == 4
  lane c = lane_max(lane_set1(2) - a, zero), c2 = c * c;
  lmask inner = lane_lt(a, one);
  *w = lane_select(inner, lane_fma(a * a, lane_fma(half, a, -one), lane_set1(FIRN_R(2.0 / 3.0))),
                   lane_set1(FIRN_R(1.0 / 6.0)) * c * c2);
  lane slope = lane_select(inner, a * lane_fma(lane_set1(FIRN_R(1.5)), a, lane_set1(-2)),
                           -half * c2);
#else
  lane c = lane_max(lane_set1(FIRN_R(1.5)) - a, zero);
  lmask inner = lane_lt(a, half);
  *w = lane_select(inner, lane_fnma(a, a, lane_set1(FIRN_R(0.75))), half * c * c);
  lane slope = lane_select(inner, -(a + a), -c);
  (void)one;
#endif
#if APIC
  (void)slope;
  *e = *w * t;
#else
  *e = lane_copysign(one, t) * slope;
#endif
}

// Weights and factors of one particle on the nodes of another's stencil.
typedef struct K(few_side) {
  lane w[3][WIDTH], e[3][WIDTH];
} K(few_side);

static inline void K(few_weights)(const few *f, uint32_t k, const lane first[3],
                                  K(few_side) * out) {
  for (int a = 0; a < 3; a++) {
    lane t = first[a] - lane_load(f->x[a] + k * L);
    for (int i = 0; i < WIDTH; i++) {
      K(few_weight)(t + lane_set1((firn_real)i), &out->w[a][i], &out->e[a][i]);
    }
  }
}

// Sums over the stencil's nodes of the products of two gradients, times those of `inverse`.
static inline void K(few_contract)(const lane inverse[WIDTH * WIDTH * WIDTH], const K(few_side) * p,
                                   const K(few_side) * q, lane out[9]) {
  // Products along an axis: of weights, of one's factor with the other's weight and so on.
  lane ww[3][WIDTH], ew[3][WIDTH], we[3][WIDTH], ee[3][WIDTH];
  for (int a = 0; a < 3; a++) {
    for (int i = 0; i < WIDTH; i++) {
      ww[a][i] = p->w[a][i] * q->w[a][i];
      ew[a][i] = p->e[a][i] * q->w[a][i];
      we[a][i] = p->w[a][i] * q->e[a][i];
      ee[a][i] = p->e[a][i] * q->e[a][i];
    }
  }
  for (int n = 0; n < 9; n++) out[n] = lane_zero();
  for (int i = 0; i < WIDTH; i++) {
    const lane x[9] = {ee[0][i], ew[0][i], ew[0][i], we[0][i], ww[0][i],
                       ww[0][i], we[0][i], ww[0][i], ww[0][i]};
    lane row[9]; // as out, less x
    for (int n = 0; n < 9; n++) row[n] = lane_zero();
    for (int j = 0; j < WIDTH; j++) {
      const lane *m = inverse + WIDTH * (WIDTH * i + j);
      lane z = m[0] * ww[2][0], ez = m[0] * ew[2][0], ze = m[0] * we[2][0], eze = m[0] * ee[2][0];
      for (int k = 1; k < WIDTH; k++) {
        z = lane_fma(m[k], ww[2][k], z);
        ez = lane_fma(m[k], ew[2][k], ez);
        ze = lane_fma(m[k], we[2][k], ze);
        eze = lane_fma(m[k], ee[2][k], eze);
      }
      row[0] = lane_fma(ww[1][j], z, row[0]);
      row[1] = lane_fma(we[1][j], z, row[1]);
      row[2] = lane_fma(ww[1][j], ze, row[2]);
      row[3] = lane_fma(ew[1][j], z, row[3]);
      row[4] = lane_fma(ee[1][j], z, row[4]);
      row[5] = lane_fma(ew[1][j], ze, row[5]);
      row[6] = lane_fma(ww[1][j], ez, row[6]);
      row[7] = lane_fma(we[1][j], ez, row[7]);
      row[8] = lane_fma(ww[1][j], eze, row[8]);
    }
    for (int n = 0; n < 9; n++) out[n] = lane_fma(x[n], row[n], out[n]);
  }
}

// 1/m of the nodes of particle k's stencil, and its first node.
static inline void K(few_nodes)(const few *f, const mpm_view *view, const firn_real *inverse,
                                uint32_t k, lane first[3], lane out[WIDTH * WIDTH * WIDTH]) {
  int32_t at[L], sx[L], sy[L], node[3][L];
  for (int a = 0; a < 3; a++) {
    lane x = lane_load(f->x[a] + k * L), off;
#if WIDTH == 4
    first[a] = firn_bspline_cubic_base(x, &off);
#else
    first[a] = firn_bspline_quadratic_base(x, &off);
#endif
    ilane_storeu(node[a], lane_to_ilane(first[a]));
  }
  for (int l = 0; l < L; l++) {
    const mpm_box *box = &view->box[f->clump[l]];
    sy[l] = FIRN_NODE_REALS * box->n[2];
    sx[l] = sy[l] * box->n[1];
    at[l] = (int32_t)box->arena + sx[l] * (node[0][l] - box->lo[0]) +
            sy[l] * (node[1][l] - box->lo[1]) + FIRN_NODE_REALS * (node[2][l] - box->lo[2]);
  }
  ilane plane = ilane_loadu(at);
  for (int i = 0; i < WIDTH; i++) {
    ilane line = plane;
    for (int j = 0; j < WIDTH; j++) {
      for (int n = 0; n < WIDTH; n++) {
        out[WIDTH * (WIDTH * i + j) + n] = lane_gather(inverse + FIRN_NODE_REALS * n, line);
      }
      line = ilane_add(line, ilane_loadu(sy));
    }
    plane = ilane_add(plane, ilane_loadu(sx));
  }
}

static void K(few_gram)(few *f, const mpm_view *view, const firn_real *inverse) {
#if APIC
  firn_real per = 1 / ((firn_real)view->stencil.d * view->h);
#else
  firn_real per = 1 / view->h;
#endif
  const lane scale = lane_set1(per * per);
  for (uint32_t k = 0; k < f->n; k++) {
    lane first[3], of_nodes[WIDTH * WIDTH * WIDTH];
    K(few_side) mine, other;
    K(few_nodes)(f, view, inverse, k, first, of_nodes);
    K(few_weights)(f, k, first, &mine);
    for (uint32_t l = k; l < f->n; l++) {
      lane *out = f->gram[few_pair(k, l)];
      if (l > k) K(few_weights)(f, l, first, &other);
      K(few_contract)(of_nodes, &mine, l > k ? &other : &mine, out);
      for (int i = 0; i < 9; i++) out[i] = scale * out[i];
    }
  }
}

// Gradients of the direction, by slots.
static void K(few_gradients)(const mpm_view *view, firn_real out[9][MPM_BUNDLE_SLOTS]) {
  const firn_unit *unit = &view->unit[0];
  stage s;
  segment in[L];
  uint32_t block = 0;
  for (uint32_t slot = 0; slot < unit->count; slot += L) {
    lane v[3], grad[9];
    int segments = split(view, unit, slot, &block, in);
    K(weights)(view, slot, &s);
    K(gather_group)(view, slot, in, segments, &s, NULL, view->direction, false, NULL);
    K(unstage)(view, &s, v, grad, NULL);
    for (int i = 0; i < 9; i++) lane_store(out[i] + slot, grad[i]);
  }
}

// Forces B'y on the patches of clumps that are solved, y by slots.
static void K(few_forces)(const mpm_view *view, const mpm_patch_system *system,
                          firn_real y[9][MPM_BUNDLE_SLOTS]) {
  const firn_unit *unit = &view->unit[0];
  stage s;
  segment in[L];
  uint32_t block = 0;
  for (uint32_t slot = 0; slot < unit->count; slot += L) {
    lane a[9];
    int segments = 0, all = split(view, unit, slot, &block, in);
    for (int n = 0; n < all; n++) {
      if (system[in[n].block].solved) in[segments++] = in[n];
    }
    if (!segments) continue;
    K(weights)(view, slot, &s);
    for (int i = 0; i < 9; i++) a[i] = lane_load(y[i] + slot);
    K(scatter_stress)(view, slot, in, segments, a, &s);
  }
}

static void K(few_solve)(const mpm_view *view, const mpm_patch_vectors *vectors,
                         mpm_patch_system *system) {
  _Alignas(64) firn_real grad[9][MPM_BUNDLE_SLOTS]; // and then the solution
  few f;
  bool some = false, solved = false;
  uint32_t blocks = view->unit[0].block_count;
  for (uint32_t b = 0; b < blocks; b++) {
    some = some || (view->block[b].count <= FEW && system[b].max_iterations);
  }
  if (!some) return;
  mpm_view nodes = *view;
  nodes.direction = vectors->z;
  nodes.arena = vectors->w;
  for (uint32_t b = 0; b < blocks; b++) {
    patch_pass pass = pass_at(view, vectors, b);
    patch_difference(&pass, mpm_patch_reals(&view->box[b]), system[b].mean);
  }
  K(few_gradients)(&nodes, grad);
  for (uint32_t n = 2; n <= FEW; n++) {
    for (uint32_t from = 0; from < blocks;) {
      from = few_take(&f, view, system, n, from);
      if (!f.count) break;
      few_fetch(&f, view, grad);
      K(few_gram)(&f, view, vectors->inverse);
      few_converge(&f, system);
      few_put_back(&f, view, system, grad);
    }
  }
  for (uint32_t b = 0; b < blocks; b++) {
    solved = solved || system[b].solved;
    if (!system[b].solved) continue;
    size_t reals = mpm_patch_reals(&view->box[b]) + FIRN_ROW_REALS;
    memset(vectors->w + view->box[b].arena, 0, reals * sizeof(firn_real));
  }
  if (!solved) return;
  K(few_forces)(&nodes, system, grad);
  few_settle(view, vectors, system);
}
