// SPDX-License-Identifier: Apache-2.0
// Part of kernels_lane.h: the passes that solves iterate over.
#ifndef FIRN_SOLVER_SPH_KERNELS_SUMS_H
#define FIRN_SOLVER_SPH_KERNELS_SUMS_H

// -------------------------------------------------------------------------- records of four floats

// sum f record, four particles at a time.
static inline void sum4(const work *w, const float *stage, float *sum) {
  const uint16_t(*line)[SPH_LINE] = w->line;
  const __m256i i0 = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m256i i1 = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
  const __m256i i2 = _mm256_setr_epi32(4, 4, 4, 4, 5, 5, 5, 5);
  const __m256i i3 = _mm256_setr_epi32(6, 6, 6, 6, 7, 7, 7, 7);
  for (size_t g = 0; g < (w->count + 3) / 4; g++, sum += 16) {
    __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
    for (const uint16_t(*end)[SPH_LINE] = line + w->length[g]; line < end; line++) {
      const uint16_t *id = *line;
      _mm_prefetch((const char *)(line + AHEAD), _MM_HINT_T0);
      __m256 f = _mm256_cvtepi32_ps(
          _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)(id + 8))));
#define TWO(i) _mm256_loadu2_m128(stage + 4 * (size_t)id[(i) + 1], stage + 4 * (size_t)id[i])
      a = FMA8(_mm256_permutevar8x32_ps(f, i0), TWO(0), a);
      b = FMA8(_mm256_permutevar8x32_ps(f, i1), TWO(2), b);
      c = FMA8(_mm256_permutevar8x32_ps(f, i2), TWO(4), c);
      d = FMA8(_mm256_permutevar8x32_ps(f, i3), TWO(6), d);
#undef TWO
    }
    _mm256_store_ps(sum, a + c);
    _mm256_store_ps(sum + 8, b + d);
  }
}

// Records {q x, q} or {u, u.x} of the block and its skin, two at a time, in its own frame.
static inline void stage4(const work *w, const float *from, bool scalar, float *stage) {
  float *to = stage;
  for (size_t r = 0; r < w->patch->runs; r++) {
    const sph_run *run = &w->run[r];
    const float *p = from + 4 * (size_t)run->first;
    expect_run(w, r, from, 16);
    __m128 half = shift_of(run->from);
    __m256 shift = _mm256_set_m128(half, half);
    size_t count = run->count;
    if (run->from == ITSELF) {
      for (size_t i = 0; i < 4 * count; i += 8) _mm256_storeu_ps(to + i, _mm256_loadu_ps(p + i));
    } else if (scalar) {
      for (size_t i = 0; i < 4 * count; i += 8) {
        __m256 v = _mm256_loadu_ps(p + i);
        _mm256_storeu_ps(to + i, FMA8(shift, _mm256_permute_ps(v, 0xff), v));
      }
    } else {
      for (size_t i = 0; i < 4 * count; i += 8) {
        __m256 v = _mm256_loadu_ps(p + i), dot = v * shift;
        dot = dot + _mm256_permute_ps(dot, 0xb1);
        dot = dot + _mm256_permute_ps(dot, 0x4e);
        _mm256_storeu_ps(to + i, _mm256_blend_ps(v, v + dot, 0x88));
      }
    }
    to += 4 * count;
  }
  _mm_store_ps(stage + 4 * w->patch->staged, _mm_setzero_ps());
}

// What walls are to L particles; 0 where none is around.
static inline void wall_of(const work *w, const uint32_t slot[L], lane out[3]) {
  for (size_t a = 0; a < 3; a++)
    out[a] = w->touched ? gather(w->pass->wall_c, slot, 3, a) : lane_zero();
}

static void set_q(sph_pass *pass, size_t u, sph_desk *desk) {
  const sph_lists *lists = pass->lists;
  (void)desk;
  FOR_EACH_BLOCK(pass, u, b) {
    size_t first = pass->p->block[b].first, count = pass->p->block[b].count;
    for (size_t k = 0; k < count; k += (size_t)L) {
      uint32_t room[L];
      lane x[4], c[4];
      size_t n;
      const uint32_t *slot = slots_of(pass, first + k, count - k, room, &n);
      load4(lists->x[first + k], x);
      load4(lists->c[first + k], c);
      lane q = gather(pass->in, slot, 1, 0) * c[3];
      for (int a = 0; a < 3; a++) x[a] = x[a] * q;
      x[3] = q;
      store4(lists->head + 4 * (first + k), n, x);
    }
  }
}

static void gradient(sph_pass *pass, size_t u, sph_desk *desk) {
  const sph_lists *lists = pass->lists;
  const lane scale = lane_set1(pass->scale), psi = lane_set1(pass->psi);
  FOR_EACH_BLOCK(pass, u, b) {
    work w = work_on(pass, u, b);
    stage4(&w, lists->head, true, desk->stage);
    sum4(&w, desk->stage, desk->sum);
    for (size_t k = 0; k < w.count; k += (size_t)L) {
      size_t at = w.first + k;
      uint32_t room[L];
      size_t n;
      const uint32_t *slot = slots_of(pass, at, w.count - k, room, &n);
      lane x[4], c[4], q[4], sum[4], out[4];
      load4(lists->x[at], x);
      load4(lists->c[at], c);
      load4(lists->head + 4 * at, q);
      load4(desk->sum + 4 * k, sum);
      // V_i times the gradient
      for (int a = 0; a < 3; a++) {
        lane others = scale * lane_fma(x[a], sum[3], -sum[a]);
        out[a] = lane_fma(q[3], c[a], c[3] * others);
      }
      if (w.touched) {
        lane wall[3];
        wall_of(&w, slot, wall);
        for (int a = 0; a < 3; a++) out[a] = lane_fma(psi * q[3], wall[a], out[a]);
      }
      if (pass->into == SPH_INTO_RECORDS) {
        out[3] = lane_fma(out[0], x[0], lane_fma(out[1], x[1], out[2] * x[2]));
        store4(lists->grads + 4 * at, n, out);
      } else {
        for (size_t a = 0; a < 3; a++) scatter(pass->out, slot, n, 3, a, out[a] / c[3]);
      }
    }
  }
}

static void divergence(sph_pass *pass, size_t u, sph_desk *desk) {
  const sph_lists *lists = pass->lists;
  const lane scale = lane_set1(pass->scale), back = lane_set1(pass->back);
  FOR_EACH_BLOCK(pass, u, b) {
    work w = work_on(pass, u, b);
    stage4(&w, lists->grads, false, desk->stage);
    sum4(&w, desk->stage, desk->sum);
    for (size_t k = 0; k < w.count; k += (size_t)L) {
      size_t at = w.first + k;
      uint32_t room[L];
      size_t n;
      const uint32_t *slot = slots_of(pass, at, w.count - k, room, &n);
      lane x[4], c[4], own[4], sum[4];
      load4(lists->x[at], x);
      load4(lists->c[at], c);
      load4(lists->grads + 4 * at, own);
      load4(desk->sum + 4 * k, sum);
      if (w.touched) {
        lane wall[3];
        wall_of(&w, slot, wall);
        for (int a = 0; a < 3; a++) c[a] = lane_fma(back, wall[a], c[a]);
      }
      lane others = lane_fma(x[0], sum[0], lane_fma(x[1], sum[1], lane_fma(x[2], sum[2], -sum[3])));
      lane self = lane_fma(own[0], c[0], lane_fma(own[1], c[1], own[2] * c[2]));
      scatter(pass->out, slot, n, 1, 0, scale * others - self / c[3]);
    }
  }
}

// ---------------------------------------------------------------------- records of three rows of four

// sum f record, of records of 16 floats: three rows and what is behind them.
static inline void sum16(const work *w, const float *stage, float *sum) {
  const uint16_t(*line)[SPH_LINE] = w->line;
  for (size_t g = 0; g < (w->count + 3) / 4; g++, sum += 64) {
    const uint16_t(*end)[SPH_LINE] = line + w->length[g];
#ifdef FIRN_LANE_AVX512
    __m512 a = _mm512_setzero_ps(), b = a, c = a, d = a;
    for (; line < end; line++) {
      const uint16_t *id = *line;
      _mm_prefetch((const char *)(line + AHEAD), _MM_HINT_T0);
      __m512 f = _mm512_castps256_ps512(
          _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)(id + 8)))));
#define TERM(i, s)                                                                                 \
  s = FMA16(_mm512_permutexvar_ps(_mm512_set1_epi32(i), f),                                        \
            _mm512_load_ps(stage + 16 * (size_t)id[i]), s)
      TERM(0, a);
      TERM(1, b);
      TERM(2, c);
      TERM(3, d);
      TERM(4, a);
      TERM(5, b);
      TERM(6, c);
      TERM(7, d);
#undef TERM
    }
    _mm512_store_ps(sum, a);
    _mm512_store_ps(sum + 16, b);
    _mm512_store_ps(sum + 32, c);
    _mm512_store_ps(sum + 48, d);
#else
    __m256 a[8];
    for (int i = 0; i < 8; i++) a[i] = _mm256_setzero_ps();
    for (; line < end; line++) {
      const uint16_t *id = *line;
      _mm_prefetch((const char *)(line + AHEAD), _MM_HINT_T0);
      __m256 f = _mm256_cvtepi32_ps(
          _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)(id + 8))));
#define TERM(i, s)                                                                                 \
  {                                                                                                \
    const float *r = stage + 16 * (size_t)id[i];                                                   \
    __m256 one = _mm256_permutevar8x32_ps(f, _mm256_set1_epi32(i));                                \
    a[2 * (s)] = FMA8(one, _mm256_load_ps(r), a[2 * (s)]);                                         \
    a[2 * (s) + 1] = FMA8(one, _mm256_load_ps(r + 8), a[2 * (s) + 1]);                             \
  }
      TERM(0, 0)
      TERM(1, 1)
      TERM(2, 2)
      TERM(3, 3)
      TERM(4, 0)
      TERM(5, 1)
      TERM(6, 2)
      TERM(7, 3)
#undef TERM
    }
    for (int i = 0; i < 8; i++) _mm256_store_ps(sum + 8 * i, a[i]);
#endif
  }
}

// Rows w_a {x, 1} of a particle.
static inline void outer(float *to, __m128 v, __m128 x) {
#ifdef FIRN_LANE_AVX512
  const __m512i rows = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  _mm512_store_ps(to, _mm512_permutexvar_ps(rows, _mm512_castps128_ps512(v)) *
                          _mm512_broadcast_f32x4(x));
#else
  __m256 xx = _mm256_set_m128(x, x);
  __m128 v0 = _mm_permute_ps(v, 0x00), v1 = _mm_permute_ps(v, 0x55), v2 = _mm_permute_ps(v, 0xaa);
  _mm256_store_ps(to, _mm256_set_m128(v1, v0) * xx);
  _mm256_store_ps(to + 8, _mm256_set_m128(v2, v2) * xx);
#endif
}

// V (v - mean) (x) {x, 1}
static inline void stage_velocities(const work *w, float *stage) {
  const sph_lists *lists = w->lists;
  const uint32_t *order = w->pass->cells->order;
  const float *v = w->pass->in;
  const __m128 mean = _mm_load_ps(lists->mean[w->b]), one = _mm_set1_ps(1);
  float *to = stage;
  for (size_t r = 0; r < w->patch->runs; r++) {
    const sph_run *run = &w->run[r];
    __m128 shift = shift_of(run->from);
    expect_run(w, r, lists->x, sizeof *lists->x);
    if (r + 3 < w->patch->runs) {
      for (size_t i = run[3].first; i < (size_t)run[3].first + run[3].count; i++)
        expect(v + 3 * (size_t)order[i], 1);
    }
    const float(*x)[4] = (const float(*)[4])lists->x + run->first;
    for (size_t i = 0; i < run->count; i++, to += 16) {
      __m128 own = _mm_load_ps(x[i]), at = _mm_blend_ps(own + shift, one, 8);
      __m128 u = three(v + 3 * (size_t)order[run->first + i]);
      outer(to, (u - mean) * _mm_permute_ps(own, 0xff), at);
    }
  }
  memset(stage + 16 * w->patch->staged, 0, 16 * sizeof *stage);
}

// Rows {T_a, T_a . x}; the last column is shifted.
static inline void stage_stresses(const work *w, float *stage) {
  float *to = stage;
  for (size_t r = 0; r < w->patch->runs; r++) {
    const sph_run *run = &w->run[r];
    const float *from = w->lists->tail + 12 * (size_t)run->first;
    expect_run(w, r, w->lists->tail, 12 * sizeof *from);
    __m128 shift = shift_of(run->from);
#ifdef FIRN_LANE_AVX512
    __m512 by = _mm512_broadcast_f32x4(shift);
    for (size_t i = 0; i < run->count; i++, from += 12, to += 16) {
      __m512 v = _mm512_loadu_ps(from), dot = v * by;
      dot = dot + _mm512_permute_ps(dot, 0xb1);
      dot = dot + _mm512_permute_ps(dot, 0x4e);
      _mm512_store_ps(to, _mm512_mask_add_ps(v, 0x8888, v, dot));
    }
#else
    __m256 by = _mm256_set_m128(shift, shift);
    for (size_t i = 0; i < run->count; i++, from += 12, to += 16) {
      for (int h = 0; h < 2; h++) {
        __m256 v = _mm256_loadu_ps(from + 8 * h), dot = v * by;
        dot = dot + _mm256_permute_ps(dot, 0xb1);
        dot = dot + _mm256_permute_ps(dot, 0x4e);
        _mm256_store_ps(to + 8 * h, _mm256_blend_ps(v, v + dot, 0x88));
      }
    }
#endif
  }
  memset(stage + 16 * w->patch->staged, 0, 16 * sizeof *stage);
}

// The velocity that is taken off: the mean of the block, in double, so that one that all particles share
// is taken off to the last bit.
static void set_v(sph_pass *pass, size_t u, sph_desk *desk) {
  (void)desk;
  FOR_EACH_BLOCK(pass, u, b) {
    size_t first = pass->p->block[b].first, count = pass->p->block[b].count;
    __m256d sum = _mm256_setzero_pd();
    for (size_t i = first; i < first + count; i++)
      sum = sum + _mm256_cvtps_pd(three(pass->in + 3 * i));
    __m128 mean = _mm256_cvtpd_ps(sum / _mm256_set1_pd((double)count));
    _mm_store_ps(pass->lists->mean[b], _mm_blend_ps(mean, _mm_setzero_ps(), 8));
  }
}

static const int symmetric[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

// out = A S, S symmetric
static inline void times_symmetric(const lane A[3][3], const lane S[6], lane out[3][3]) {
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      out[r][c] = lane_fma(A[r][0], S[symmetric[0][c]],
                           lane_fma(A[r][1], S[symmetric[1][c]], A[r][2] * S[symmetric[2][c]]));
    }
  }
}

// Takes from D what a mirror image of u has of its gradient.
static inline void add_mirror(const work *w, const uint32_t slot[L], const lane u[3],
                              lane D[3][3]) {
  lane m[10], sum[6];
  for (size_t k = 0; k < 10; k++) m[k] = gather(w->pass->wall_m, slot, 10, k);
  for (size_t k = 0; k < 6; k++) {
    sum[k] = w->pass->law->strain ? gather(w->pass->wall_vm, slot, 6, k) : lane_zero();
    for (int d = 0; d < 3; d++) sum[k] = lane_fnma(m[SPH_MIRROR[d][k]], u[d], sum[k]);
  }
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) D[r][c] = D[r][c] + sum[symmetric[r][c]];
}

// What walls add to div sigma; as hold of shear.c.
static inline void hold(const work *w, const uint32_t slot[L], size_t count, lane third,
                        const lane corrects[6], const lane T[3][3]) {
  const sph_law *law = w->pass->law;
  lane held[3] = {lane_zero(), lane_zero(), lane_zero()};
  if (w->pass->wall_m) {
    const lane t[6] = {T[0][0],           T[1][1],           T[2][2],
                       T[0][1] + T[1][0], T[0][2] + T[2][0], T[1][2] + T[2][1]};
    lane m[10];
    for (size_t k = 0; k < 10; k++) m[k] = gather(w->pass->wall_m, slot, 10, k);
    for (int d = 0; d < 3; d++)
      for (int k = 0; k < 6; k++) held[d] = lane_fma(m[SPH_MIRROR[d][k]], t[k], held[d]);
  } else {
    lane wall[3];
    wall_of(w, slot, wall);
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 3; c++)
        held[a] = lane_fma(third * corrects[symmetric[a][c]], wall[c], held[a]);
  }
  for (size_t a = 0; a < 3; a++) scatter(law->held, slot, count, 3, a, held[a]);
}

// T = V sigma L from the plain gradient D of u, as rows {T_a, T_a . x}; as stress_one of shear.c.
static inline void stress(const work *w, const uint32_t slot[L], size_t count, lane D[3][3],
                          const lane u[3], const lane x[4], lane V, lane rows[16]) {
  const sph_law *law = w->pass->law;
  lane of[16], E[3][3], H[3][3], sigma[3][3], T[3][3];
  load6(law->L, law->s, slot, of);
  const lane *corrects = of, *e = of + 8;
  lane trace = D[0][0] + D[1][1] + D[2][2];
  if (w->touched) {
    lane wall[3];
    wall_of(w, slot, wall);
    const lane back = lane_set1((float)law->back);
    for (int a = 0; a < 3; a++) trace = lane_fnma(u[a], back * wall[a], trace);
    if (law->strain) trace = lane_fma(back, gather(w->pass->wall_vc, slot, 1, 0), trace);
    if (w->pass->wall_m) add_mirror(w, slot, u, D);
  }
  times_symmetric((const lane(*)[3])D, corrects, E);
  for (size_t k = 0; k < 9 && w->touched && w->pass->wall_t; k++) {
    lane t = gather(w->pass->wall_t, slot, 6, (size_t)symmetric[k / 3][k % 3]);
    trace = lane_fma(t, D[k / 3][k % 3], trace);
  }
  lane off = (trace - (E[0][0] + E[1][1] + E[2][2])) * lane_set1(1 / 3.0f);
  for (int a = 0; a < 3; a++) E[a][a] = E[a][a] + off;
  times_symmetric((const lane(*)[3])E, e, H);
  const lane dt = lane_set1((float)law->dt);
  bool printed = law->strain && law->printed;
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      H[r][c] = printed ? dt * E[r][c] : dt * (E[r][c] + H[r][c]);
      if (law->strain) H[r][c] = H[r][c] + e[symmetric[r][c]];
    }
  }
  lane G = gather(law->G, slot, 1, 0);
  lane around = lane_zero();
  if (law->bulk) around = gather(law->bulk, slot, 1, 0) * (H[0][0] + H[1][1] + H[2][2]);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      sigma[r][c] = G * (H[r][c] + H[c][r]);
      if (r == c) sigma[r][c] = sigma[r][c] + around;
    }
  }
  times_symmetric((const lane(*)[3])sigma, corrects, T);
  if (w->touched) {
    lane third = (sigma[0][0] + sigma[1][1] + sigma[2][2]) * lane_set1(1 / 3.0f);
    scatter(law->trace, slot, count, 1, 0, third);
    hold(w, slot, count, third, corrects, (const lane(*)[3])T);
  }
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) rows[4 * r + c] = V * T[r][c];
    rows[4 * r + 3] = lane_fma(rows[4 * r], x[0],
                               lane_fma(rows[4 * r + 1], x[1], rows[4 * r + 2] * x[2]));
  }
}

static void velocity_gradient(sph_pass *pass, size_t u, sph_desk *desk) {
  const sph_lists *lists = pass->lists;
  const lane scale = lane_set1(pass->scale), back = lane_set1(pass->back);
  FOR_EACH_BLOCK(pass, u, b) {
    work w = work_on(pass, u, b);
    stage_velocities(&w, desk->stage);
    if (pass->law) {
      expect(pass->law->L + 6 * w.first, 6 * w.count * sizeof(float));
      expect(pass->law->s + 6 * w.first, 6 * w.count * sizeof(float));
    }
    sum16(&w, desk->stage, desk->sum);
    for (size_t k = 0; k < w.count; k += (size_t)L) {
      size_t at = w.first + k;
      uint32_t room[L];
      size_t n;
      const uint32_t *slot = slots_of(pass, at, w.count - k, room, &n);
      lane x[4], c[4], v[4], r[16], D[3][3];
      load4(lists->x[at], x);
      load4(lists->c[at], c);
      load3(pass->in, slot, v);
      load16(desk->sum + 16 * k, 16, r);
      for (int a = 0; a < 3; a++) {
        lane own = v[a] - lane_set1(lists->mean[b][a]);
        for (int q = 0; q < 3; q++)
          D[a][q] = lane_fnma(own, c[q], scale * lane_fma(x[q], r[4 * a + 3], -r[4 * a + q]));
      }
      float rows[16 * L] __attribute__((aligned(64)));
      if (pass->into == SPH_INTO_TRACE) {
        lane sum = D[0][0] + D[1][1] + D[2][2];
        if (w.touched) {
          lane wall[3];
          wall_of(&w, slot, wall);
          for (int a = 0; a < 3; a++) sum = lane_fnma(v[a], back * wall[a], sum);
        }
        scatter(pass->out, slot, n, 1, 0, sum);
      } else if (pass->into == SPH_INTO_RECORDS) {
        for (int i = 12; i < 16; i++) r[i] = lane_zero();
        stress(&w, slot, n, D, v, x, c[3], r);
        store16(rows, r);
        for (size_t l = 0; l < n; l++)
          memcpy(lists->tail + 12 * (at + l), rows + 16 * l, 12 * sizeof *rows);
      } else {
        for (int i = 0; i < 16; i++) r[i] = i < 9 ? D[i / 3][i % 3] : lane_zero();
        store16(rows, r);
        for (size_t l = 0; l < n; l++)
          memcpy(pass->out + 9 * (size_t)slot[l], rows + 16 * l, 9 * sizeof *rows);
      }
    }
  }
}

// Records of T as it is given, by slot.
static void set_T(sph_pass *pass, size_t u, sph_desk *desk) {
  const sph_lists *lists = pass->lists;
  (void)desk;
  FOR_EACH_BLOCK(pass, u, b) {
    size_t first = pass->p->block[b].first, count = pass->p->block[b].count;
    for (size_t k = first; k < first + count; k++) {
      const float *T = pass->in + 9 * (size_t)pass->cells->order[k], *x = lists->x[k];
      float *to = lists->tail + 12 * k, V = lists->c[k][3];
      for (int r = 0; r < 3; r++, to += 4) {
        for (int a = 0; a < 3; a++) to[a] = V * T[3 * r + a];
        to[3] = to[0] * x[0] + to[1] * x[1] + to[2] * x[2];
      }
    }
  }
}

// What walls add to div sigma; and, for a product, m (1 + dt drag) u - dt V of all that.
static inline void finish(const work *w, const uint32_t slot[L], lane V, lane div[3]) {
  const sph_law *law = w->pass->law;
  if (w->touched) {
    for (size_t a = 0; a < 3; a++) div[a] = div[a] + gather(law->held, slot, 3, a);
  }
  if (law->strain) return;
  const lane dt = lane_set1((float)law->dt);
  lane mass = gather(law->mass, slot, 1, 0), per = lane_set1((float)(law->dt * law->cube)) * V;
  if (w->touched) mass = lane_fma(mass * dt, gather(law->drag, slot, 1, 0), mass);
  lane v[4];
  load3(w->pass->in, slot, v);
  for (int a = 0; a < 3; a++) div[a] = lane_fnma(per, div[a], mass * v[a]);
}

static void stress_divergence(sph_pass *pass, size_t u, sph_desk *desk) {
  const sph_lists *lists = pass->lists;
  const lane scale = lane_set1(pass->scale);
  FOR_EACH_BLOCK(pass, u, b) {
    work w = work_on(pass, u, b);
    stage_stresses(&w, desk->stage);
    sum16(&w, desk->stage, desk->sum);
    for (size_t k = 0; k < w.count; k += (size_t)L) {
      size_t at = w.first + k;
      uint32_t room[L];
      size_t n;
      const uint32_t *slot = slots_of(pass, at, w.count - k, room, &n);
      lane x[4], c[4], r[16], T[16], div[4];
      load4(lists->x[at], x);
      load4(lists->c[at], c);
      load16(desk->sum + 16 * k, 16, r);
      load16(lists->tail + 12 * at, 12, T);
      lane over_V = lane_rcp(c[3]);
      for (int a = 0; a < 3; a++) {
        const lane *q = r + 4 * a, *own = T + 4 * a;
        lane others = lane_fma(x[0], q[0], lane_fma(x[1], q[1], lane_fma(x[2], q[2], -q[3])));
        lane self = lane_fma(own[0], c[0], lane_fma(own[1], c[1], own[2] * c[2]));
        div[a] = lane_fma(self, over_V, scale * others);
      }
      if (pass->law) finish(&w, slot, c[3], div);
      float rows[4 * L] __attribute__((aligned(64)));
      div[3] = lane_zero();
      store4(rows, (size_t)L, div);
      for (size_t l = 0; l < n; l++)
        memcpy(pass->out + 3 * (size_t)slot[l], rows + 4 * l, 3 * sizeof *rows);
    }
  }
}

#endif
