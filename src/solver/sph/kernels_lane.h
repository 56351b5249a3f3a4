// SPDX-License-Identifier: Apache-2.0
// The passes of lists.h, compiled for AVX2 and for AVX-512. Sums of records of four floats take 256-bit
// registers in both: wider ones gain nothing where each record is a load of its own.
#ifndef FIRN_SOLVER_SPH_KERNELS_LANE_H
#define FIRN_SOLVER_SPH_KERNELS_LANE_H

#include "solver/sph/lists.h"

#ifdef FIRN_DOUBLE
#define SPH_TABLE NULL
#else

#include <string.h>

#include "math/lane.h"
#include "math/sph_kernel.h"

enum {
  L = FIRN_LANES,
  AHEAD =
      64, // lines that are asked for before they are read: by itself the CPU stops at a page's end
};

#ifdef FIRN_WITHOUT_FMA
#define FMA8(a, b, c)  ((a) * (b) + (c))
#define FMA16(a, b, c) ((a) * (b) + (c))
#else
#define FMA8(a, b, c)  _mm256_fmadd_ps(a, b, c)
#define FMA16(a, b, c) _mm512_fmadd_ps(a, b, c)
#endif

// ------------------------------------------------------------------------------ records and lanes

// Four floats each of L consecutive records, and back to the first `count` of them.
static inline void load4(const float *p, lane out[4]) {
#ifdef FIRN_LANE_AVX512
  // Each quarter holds four records; transposed in place they are four quarters of each component.
  lane r[4], t[4];
  const __m512i by = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (int i = 0; i < 4; i++) r[i] = _mm512_permutexvar_ps(by, _mm512_loadu_ps(p + 16 * i));
  t[0] = _mm512_shuffle_f32x4(r[0], r[1], 0x44);
  t[1] = _mm512_shuffle_f32x4(r[0], r[1], 0xee);
  t[2] = _mm512_shuffle_f32x4(r[2], r[3], 0x44);
  t[3] = _mm512_shuffle_f32x4(r[2], r[3], 0xee);
  out[0] = _mm512_shuffle_f32x4(t[0], t[2], 0x88);
  out[1] = _mm512_shuffle_f32x4(t[0], t[2], 0xdd);
  out[2] = _mm512_shuffle_f32x4(t[1], t[3], 0x88);
  out[3] = _mm512_shuffle_f32x4(t[1], t[3], 0xdd);
#else
  lane a = _mm256_loadu2_m128(p + 16, p), b = _mm256_loadu2_m128(p + 20, p + 4);
  lane c = _mm256_loadu2_m128(p + 24, p + 8), d = _mm256_loadu2_m128(p + 28, p + 12);
  lane ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
  lane AB = _mm256_unpackhi_ps(a, b), CD = _mm256_unpackhi_ps(c, d);
  out[0] = _mm256_shuffle_ps(ab, cd, 0x44);
  out[1] = _mm256_shuffle_ps(ab, cd, 0xee);
  out[2] = _mm256_shuffle_ps(AB, CD, 0x44);
  out[3] = _mm256_shuffle_ps(AB, CD, 0xee);
#endif
}

static inline void store4(float *p, size_t count, const lane in[4]) {
  float rows[4 * L] __attribute__((aligned(64)));
  float *to = count < (size_t)L ? rows : p;
  lane ab = FIRN_MM(unpacklo)(in[0], in[1]), cd = FIRN_MM(unpacklo)(in[2], in[3]);
  lane AB = FIRN_MM(unpackhi)(in[0], in[1]), CD = FIRN_MM(unpackhi)(in[2], in[3]);
  lane q[4] = {FIRN_MM(shuffle)(ab, cd, 0x44), FIRN_MM(shuffle)(ab, cd, 0xee),
               FIRN_MM(shuffle)(AB, CD, 0x44), FIRN_MM(shuffle)(AB, CD, 0xee)};
#ifdef FIRN_LANE_AVX512
  lane t0 = _mm512_shuffle_f32x4(q[0], q[1], 0x44), t1 = _mm512_shuffle_f32x4(q[0], q[1], 0xee);
  lane t2 = _mm512_shuffle_f32x4(q[2], q[3], 0x44), t3 = _mm512_shuffle_f32x4(q[2], q[3], 0xee);
  _mm512_storeu_ps(to, _mm512_shuffle_f32x4(t0, t2, 0x88));
  _mm512_storeu_ps(to + 16, _mm512_shuffle_f32x4(t0, t2, 0xdd));
  _mm512_storeu_ps(to + 32, _mm512_shuffle_f32x4(t1, t3, 0x88));
  _mm512_storeu_ps(to + 48, _mm512_shuffle_f32x4(t1, t3, 0xdd));
#else
  for (int i = 0; i < 2; i++) {
    _mm256_storeu_ps(to + 8 * i, _mm256_permute2f128_ps(q[2 * i], q[2 * i + 1], 0x20));
    _mm256_storeu_ps(to + 16 + 8 * i, _mm256_permute2f128_ps(q[2 * i], q[2 * i + 1], 0x31));
  }
#endif
  // cppcheck-suppress uninitvar ; stored to through `to`
  if (to == rows) memcpy(p, rows, count * 4 * sizeof *p);
}

// Sixteen floats each of L records that lie `stride` apart, and back to rows of 16.
static inline void load16(const float *p, size_t stride, lane out[16]) {
  for (int i = 0; i < L; i++) {
    for (int h = 0; h < 16 / L; h++) out[L * h + i] = lane_loadu(p + stride * (size_t)i + L * h);
  }
  for (int h = 0; h < 16 / L; h++) lane_transpose(out + L * h);
}

static inline void store16(float *rows, lane in[16]) {
  for (int h = 0; h < 16 / L; h++) lane_transpose(in + L * h);
  for (int i = 0; i < L; i++) {
    for (int h = 0; h < 16 / L; h++) lane_store(rows + 16 * i + L * h, in[L * h + i]);
  }
}

// The slots of up to L places. Lanes behind the last repeat it, so that they may be read.
static inline const uint32_t *slots_of(const sph_pass *pass, size_t place, size_t left,
                                       uint32_t room[L], size_t *count) {
  const uint32_t *slot = pass->cells->order + place;
  *count = left < (size_t)L ? left : (size_t)L;
  if (left >= (size_t)L) return slot;
  for (size_t l = 0; l < (size_t)L; l++) room[l] = slot[l < left ? l : left - 1];
  return room;
}

// Element `at` of each slot's `stride`. Put together from scalar loads: the instruction of that name is
// no quicker, and loads that wait for the stores of an array are slower.
static inline lane gather(const float *from, const uint32_t slot[L], size_t stride, size_t at) {
#define ONE(l)  from[stride * slot[l] + at]
#define FOUR(l) _mm_setr_ps(ONE(l), ONE((l) + 1), ONE((l) + 2), ONE((l) + 3))
#ifdef FIRN_LANE_AVX512
  __m256 lo = _mm256_set_m128(FOUR(4), FOUR(0)), hi = _mm256_set_m128(FOUR(12), FOUR(8));
  return _mm512_insertf32x8(_mm512_castps256_ps512(lo), hi, 1);
#else
  return _mm256_set_m128(FOUR(4), FOUR(0));
#endif
#undef FOUR
#undef ONE
}

static inline void scatter(float *to, const uint32_t slot[L], size_t count, size_t stride,
                           size_t at, lane value) {
  float v[L] __attribute__((aligned(64)));
  lane_store(v, value);
  for (size_t l = 0; l < count; l++) to[stride * slot[l] + at] = v[l];
}

// Three floats and a 0; what is behind them may not be there.
static inline __m128 three(const float *p) {
  return _mm_maskload_ps(p, _mm_setr_epi32(-1, -1, -1, 0));
}

// Three floats each, by slot, and 0 in out[3].
static inline void load3(const float *from, const uint32_t slot[L], lane out[4]) {
  float rows[4 * L] __attribute__((aligned(64)));
  for (size_t l = 0; l < (size_t)L; l++)
    _mm_store_ps(rows + 4 * l, three(from + 3 * (size_t)slot[l]));
  load4(rows, out);
}

// Six floats each of two arrays, by slot: the first in out[0..5], the second in out[8..13].
static inline void load6(const float *a, const float *b, const uint32_t slot[L], lane out[16]) {
  for (int l = 0; l < L; l++) {
    const float *pa = a + 6 * (size_t)slot[l], *pb = b + 6 * (size_t)slot[l];
#ifdef FIRN_LANE_AVX512
    __m256 lo = _mm256_maskz_loadu_ps(0x3f, pa), hi = _mm256_maskz_loadu_ps(0x3f, pb);
    out[l] = _mm512_insertf32x8(_mm512_castps256_ps512(lo), hi, 1);
#else
    const __m256i six = _mm256_setr_epi32(-1, -1, -1, -1, -1, -1, 0, 0);
    out[l] = _mm256_maskload_ps(pa, six);
    out[L + l] = _mm256_maskload_ps(pb, six);
#endif
  }
  for (int h = 0; h < 16 / L; h++) lane_transpose(out + L * h);
}

// What a block's kernels work on.
typedef struct work {
  const sph_pass *pass;
  const sph_lists *lists;
  const sph_patch *patch;
  const sph_run *run;
  const uint16_t *length; // of each four particles, in lines
  const uint16_t (*line)[SPH_LINE];
  size_t b;            // block
  size_t first, count; // places
  bool touched;        // samples are around
} work;

// Lines that the lengths of a block's lists take up.
static inline size_t lines_of_lengths(size_t count) {
  return ((count + 3) / 4 + SPH_LINE - 1) / SPH_LINE;
}

static inline work work_on(const sph_pass *pass, size_t u, size_t b) {
  const sph_lists *lists = pass->lists;
  const sph_patch *patch = &lists->patch[b];
  work w = {.pass = pass, .lists = lists, .patch = patch, .b = b};
  w.first = pass->p->block[b].first;
  w.count = pass->p->block[b].count;
  w.run = lists->run + patch->run;
  w.length = lists->line[patch->line];
  w.line = (const uint16_t(*)[SPH_LINE])lists->line + patch->line + lines_of_lengths(w.count);
  w.touched = pass->touched[u];
  return w;
}

#define FOR_EACH_BLOCK(pass, u, b)                                                                 \
  for (size_t b = (pass)->p->unit[u].first_block, end_##b = b + (pass)->p->unit[u].block_count;    \
       b < end_##b; b++)

// Asks for memory that is soon read.
static inline void expect(const void *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 64) _mm_prefetch((const char *)p + i, _MM_HINT_T0);
}
// Records of the run after the next: runs are too short for the hardware to see them coming.
static inline void expect_run(const work *w, size_t r, const void *records, size_t size) {
  if (r + 3 >= w->patch->runs) return;
  const sph_run *run = &w->run[r + 3];
  expect((const char *)records + size * run->first, size * run->count);
}

// From the frame of a block around, as of sph_cells_around, to that of the one in the middle.
static inline __m128 shift_of(unsigned from) {
  return _mm_setr_ps((float)(8 * (int)(from / 9) - 8), (float)(8 * (int)(from / 3 % 3) - 8),
                     (float)(8 * (int)(from % 3) - 8), 0);
}
enum { ITSELF = 13 };

// ----------------------------------------------------------------------------------------- search

// Positions by place: in spacings from the centre, on the grid of 2^-21 where differences are exact; and
// in 2^-13 spacings modulo a block's width, which all blocks share.
static void place(sph_pass *pass, size_t u, sph_desk *desk) {
  sph_lists *lists = pass->lists;
  (void)desk;
  const float *x[3];
  for (int a = 0; a < 3; a++) x[a] = firn_particles_real(pass->p, FIRN_FIELD_X + a);
  FOR_EACH_BLOCK(pass, u, b) {
    size_t first = pass->p->block[b].first, count = pass->p->block[b].count;
    for (size_t k = 0; k < count; k += (size_t)L) {
      uint32_t room[L];
      size_t n;
      const uint32_t *slot = slots_of(pass, first + k, count - k, room, &n);
      lane r[4];
      for (int a = 0; a < 3; a++) {
        lane cells = lane_round(gather(x[a], slot, 1, 0) * lane_set1(0x1p22f));
        int32_t fine[L];
        r[a] = lane_fma(cells, lane_set1(0x1p-21f), lane_set1(-4));
        ilane_storeu(fine, lane_to_ilane(lane_round(cells * lane_set1(0x1p-8f))));
        uint16_t *to = lists->fixed + (size_t)a * lists->stride + first + k;
        for (size_t l = 0; l < n; l++) to[l] = (uint16_t)fine[l];
      }
      r[3] = pass->in ? gather(pass->in, slot, 1, 0) : lane_zero();
      store4(lists->x[first + k], n, r);
    }
  }
}

// Where in the stage each cell of the block and its skin begins: [column][cell along z, from -1 on].
typedef struct skin {
  uint16_t at[36][7];
  sph_run run[SPH_RUNS_MAX];
  uint32_t runs;
  size_t staged;
} skin;

static inline uint64_t occupied(const uint32_t cell[65]) {
  uint64_t out = 0;
  for (int i = 0; i < 64; i += 8) {
    __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(cell + i)),
                                      _mm256_loadu_si256((const __m256i *)(cell + i + 1)));
    uint64_t bits = ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)) & 0xffu;
    out |= bits << i;
  }
  return out;
}

// The first and last of four slices that have a bit.
static inline void extent(uint64_t bits, uint64_t slice, int step, int out[2]) {
  out[0] = 0;
  out[1] = 3;
  while (!(bits & slice << step * out[0])) out[0]++;
  while (!(bits & slice << step * out[1])) out[1]--;
}

// Only what is around cells with particles: a lone flake looks into a block or two, not into 27.
static void survey(const sph_pass *pass, size_t b, skin *s) {
  const sph_cells *cells = pass->cells;
  const sph_cell_block *own = &cells->block[b];
  uint64_t bits = occupied(own->cell);
  int box[3][2];
  extent(bits, 0xffff, 16, box[0]);
  extent(bits, 0x000f000f000f000f, 4, box[1]);
  extent(bits, 0x1111111111111111, 1, box[2]);
  uint32_t around[27];
  bool known[27] = {false};
  size_t n = 0;
  s->runs = 0;
  for (int x = box[0][0] - 1; x <= box[0][1] + 1; x++) {
    for (int y = box[1][0] - 1; y <= box[1][1] + 1; y++) {
      int bx = x < 0 ? -1 : x > 3, by = y < 0 ? -1 : y > 3;
      uint16_t *at = s->at[6 * (x + 1) + y + 1];
      int lo = box[2][0] - 1, hi = box[2][1] + 1;
      for (int bz = lo < 0 ? -1 : 0, last = hi > 3 ? 1 : 0; bz <= last; bz++) {
        int from = 9 * (bx + 1) + 3 * (by + 1) + bz + 1;
        int z0 = bz < 0 ? 3 : bz > 0 ? 0 : lo < 0 ? 0 : lo;
        int z1 = bz < 0 ? 3 : bz > 0 ? 0 : hi > 3 ? 3 : hi;
        if (!known[from]) {
          const int32_t to[3] = {own->at[0] + bx, own->at[1] + by, own->at[2] + bz};
          around[from] = from == ITSELF ? (uint32_t)b : sph_cells_find(cells, to);
          known[from] = true;
        }
        if (around[from] == SPH_NONE) {
          for (int z = z0; z <= z1; z++) at[4 * bz + z + 1] = (uint16_t)n;
          continue;
        }
        const sph_cell_block *other = &cells->block[around[from]];
        const uint32_t *cell = other->cell + 16 * (x & 3) + 4 * (y & 3);
        for (int z = z0; z <= z1; z++) at[4 * bz + z + 1] = (uint16_t)(n + cell[z] - cell[z0]);
        uint32_t count = cell[z1 + 1] - cell[z0];
        if (!count) continue;
        s->run[s->runs++] = (sph_run){other->first + cell[z0], (uint16_t)count, (uint16_t)from};
        n += count;
      }
      at[hi + 2] = (uint16_t)n;
    }
  }
  s->staged = n;
}

// Positions and weights of all that is staged, and an empty place behind it that is near nobody.
static void stage_positions(const sph_lists *lists, const sph_run *run, size_t runs, size_t staged,
                            float *stage) {
  float *to = stage;
  for (size_t r = 0; r < runs; r++) {
    __m128 half = shift_of(run[r].from);
    __m256 shift = _mm256_set_m128(half, half);
    const float *x = lists->x[run[r].first];
    size_t count = 4 * (size_t)run[r].count;
    for (size_t i = 0; i < count; i += 8) _mm256_storeu_ps(to + i, _mm256_loadu_ps(x + i) + shift);
    to += count;
  }
  _mm_store_ps(stage + 4 * staged, _mm_setr_ps(1e4f, 1e4f, 1e4f, 0));
}

// Gives the particles of a block other weights, or their volumes again.
static void set_weights(sph_pass *pass, size_t u, sph_desk *desk) {
  (void)desk;
  FOR_EACH_BLOCK(pass, u, b) {
    size_t first = pass->p->block[b].first, count = pass->p->block[b].count;
    for (size_t k = first; k < first + count; k++)
      pass->lists->x[k][3] = pass->in ? pass->in[pass->cells->order[k]] : pass->lists->c[k][3];
  }
}

static void stage_fixed(const sph_lists *lists, const skin *s, sph_desk *desk) {
  for (int a = 0; a < 3; a++) {
    uint16_t *to = desk->fixed[a];
    const uint16_t *from = lists->fixed + (size_t)a * lists->stride;
    for (uint32_t r = 0; r < s->runs; r++) {
      const uint16_t *x = from + s->run[r].first;
      size_t count = s->run[r].count;
      for (size_t i = 0; i < count; i += 16)
        _mm256_storeu_si256((__m256i *)(to + i), _mm256_loadu_si256((const __m256i *)(x + i)));
      to += count;
    }
  }
}

// Writes the numbers of all within reach of `self` (in 2^-13 spacings, rounded up) among nine columns of
// three cells each, and returns how many.
typedef size_t (*find_fn)(const sph_desk *desk, const uint16_t *begin, const uint16_t *end,
                          unsigned self, uint16_t *out);

static size_t find(const sph_desk *desk, const uint16_t *begin, const uint16_t *end, unsigned self,
                   uint16_t *out) {
  uint16_t *to = out;
  const uint16_t *qx = desk->fixed[0], *qy = desk->fixed[1], *qz = desk->fixed[2];
  const __m256i x = _mm256_set1_epi16((short)qx[self]), y = _mm256_set1_epi16((short)qy[self]);
  const __m256i z = _mm256_set1_epi16((short)qz[self]), reach = _mm256_set1_epi16(4096);
  for (int r = 0; r < 9; r++) {
    for (unsigned k = begin[r], e = end[r]; k < e; k += 16) {
      __m256i dx = _mm256_sub_epi16(x, _mm256_loadu_si256((const __m256i *)(qx + k)));
      __m256i dy = _mm256_sub_epi16(y, _mm256_loadu_si256((const __m256i *)(qy + k)));
      __m256i dz = _mm256_sub_epi16(z, _mm256_loadu_si256((const __m256i *)(qz + k)));
      __m256i r2 = _mm256_add_epi16(
          _mm256_add_epi16(_mm256_mulhi_epi16(dx, dx), _mm256_mulhi_epi16(dy, dy)),
          _mm256_mulhi_epi16(dz, dz));
      __m256i in = _mm256_cmpeq_epi16(_mm256_min_epu16(r2, reach), r2);
      unsigned mask = (unsigned)_mm_movemask_epi8(
          _mm_packs_epi16(_mm256_castsi256_si128(in), _mm256_extracti128_si256(in, 1)));
      if (e - k < 16) mask &= (1u << (e - k)) - 1;
      if (r == 4 && self - k < 16) mask &= ~(1u << (self - k));
      for (unsigned h = 0; h < 2; h++) {
        unsigned half = mask >> 8 * h & 0xff;
        __m128i bit = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)desk->spread[half]));
        _mm_storeu_si128((__m128i *)to, _mm_add_epi16(bit, _mm_set1_epi16((short)(k + 8 * h))));
        to += __builtin_popcount(half);
      }
    }
  }
  return (size_t)(to - out);
}

#ifdef FIRN_LANE_AVX512
// The same, 32 at once, where words can be compressed.
__attribute__((target("avx512vbmi2"))) static size_t find_by_words(const sph_desk *desk,
                                                                   const uint16_t begin[9],
                                                                   const uint16_t end[9],
                                                                   unsigned self, uint16_t *out) {
  uint16_t *to = out;
  const uint16_t *qx = desk->fixed[0], *qy = desk->fixed[1], *qz = desk->fixed[2];
  const __m512i x = _mm512_set1_epi16((short)qx[self]), y = _mm512_set1_epi16((short)qy[self]);
  const __m512i z = _mm512_set1_epi16((short)qz[self]), reach = _mm512_set1_epi16(4096);
  const __m512i iota = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17,
                                        16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (int r = 0; r < 9; r++) {
    for (unsigned k = begin[r], e = end[r]; k < e; k += 32) {
      __m512i dx = _mm512_sub_epi16(x, _mm512_loadu_si512(qx + k));
      __m512i dy = _mm512_sub_epi16(y, _mm512_loadu_si512(qy + k));
      __m512i dz = _mm512_sub_epi16(z, _mm512_loadu_si512(qz + k));
      __m512i r2 = _mm512_add_epi16(
          _mm512_add_epi16(_mm512_mulhi_epi16(dx, dx), _mm512_mulhi_epi16(dy, dy)),
          _mm512_mulhi_epi16(dz, dz));
      unsigned mask = _mm512_cmple_epu16_mask(r2, reach);
      if (e - k < 32) mask &= (1u << (e - k)) - 1;
      if (r == 4 && self - k < 32) mask &= ~(1u << (self - k));
      __m512i id = _mm512_add_epi16(iota, _mm512_set1_epi16((short)k));
      _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(mask, id));
      to += __builtin_popcount(mask);
    }
  }
  return (size_t)(to - out);
}

static find_fn best_find(void) {
  return __builtin_cpu_supports("avx512vbmi2") ? find_by_words : find;
}
#else
static find_fn best_find(void) {
  return find;
}
#endif

// Eight records of four floats, those of line[0..7], lane by lane.
static inline void gather8(const float *stage, const uint16_t *line, __m256 out[4]) {
  __m256 r[4];
  for (int i = 0; i < 4; i++)
    r[i] = _mm256_loadu2_m128(stage + 4 * (size_t)line[i + 4], stage + 4 * (size_t)line[i]);
  __m256 ab = _mm256_unpacklo_ps(r[0], r[1]), cd = _mm256_unpacklo_ps(r[2], r[3]);
  __m256 AB = _mm256_unpackhi_ps(r[0], r[1]), CD = _mm256_unpackhi_ps(r[2], r[3]);
  out[0] = _mm256_shuffle_ps(ab, cd, 0x44);
  out[1] = _mm256_shuffle_ps(ab, cd, 0xee);
  out[2] = _mm256_shuffle_ps(AB, CD, 0x44);
  out[3] = _mm256_shuffle_ps(AB, CD, 0xee);
}

// The same component of four particles, twice.
static inline void own8(const float *const row[4], __m256 out[4]) {
  __m128 a = _mm_load_ps(row[0]), b = _mm_load_ps(row[1]), c = _mm_load_ps(row[2]),
         d = _mm_load_ps(row[3]);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  out[0] = _mm256_set_m128(a, a);
  out[1] = _mm256_set_m128(b, b);
  out[2] = _mm256_set_m128(c, c);
  out[3] = _mm256_set_m128(d, d);
}

static inline __m128 fold(__m256 v) {
  return _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
}

// Distances and kernels of the pairs of four particles; writes f where `line` may be written to. Returns
// pi sum w_j W_ij of each, and the number of neighbours.
static inline __m128 weigh(const float *stage, uint16_t (*line)[SPH_LINE], size_t lines,
                           const __m256 own[4], bool write, __m128i *near) {
  const __m256 one = _mm256_set1_ps(1), two = _mm256_set1_ps(2), reach2 = _mm256_set1_ps(4);
  __m256 sum = _mm256_setzero_ps();
  __m256i count = _mm256_setzero_si256();
  for (size_t d = 0; d < lines; d++) {
    __m256 other[4];
    gather8(stage, line[d], other);
    __m256 x = own[0] - other[0], y = own[1] - other[1], z = own[2] - other[2];
    __m256 r2 = FMA8(x, x, FMA8(y, y, z * z)), r = _mm256_sqrt_ps(r2);
    __m256 t = _mm256_max_ps(two - r, _mm256_setzero_ps()), t2 = t * t;
    __m256 inner = _mm256_cmp_ps(r, one, _CMP_LT_OQ);
    __m256 W = _mm256_blendv_ps(
        _mm256_set1_ps(0.25f) * t2 * t,
        FMA8(r2, FMA8(_mm256_set1_ps(0.75f), r, _mm256_set1_ps(-1.5f)), one), inner);
    sum = FMA8(W, other[3], sum);
    if (!write) continue;
    __m256 f = _mm256_blendv_ps(_mm256_set1_ps(0.75f) * t2 / r,
                                FMA8(_mm256_set1_ps(-2.25f), r, _mm256_set1_ps(3)), inner);
    __m256i fixed = _mm256_cvtps_epi32(f * _mm256_set1_ps(65535 / 3.0f));
    _mm_store_si128((__m128i *)(line[d] + 8), _mm_packus_epi32(_mm256_castsi256_si128(fixed),
                                                               _mm256_extracti128_si256(fixed, 1)));
    __m256 in = _mm256_cmp_ps(r2, reach2, _CMP_LT_OQ);
    count = _mm256_sub_epi32(count, _mm256_castps_si256(in));
  }
  *near = _mm_add_epi32(_mm256_castsi256_si128(count), _mm256_extracti128_si256(count, 1));
  return fold(sum);
}

// found[4] side by side, two neighbours of each a line.
static inline void interleave(uint16_t *const found[4], size_t length, uint16_t (*line)[SPH_LINE]) {
  for (size_t k = 0; k < length; k += 8, line += 4) {
    __m128i a = _mm_loadu_si128((const __m128i *)(found[0] + k));
    __m128i b = _mm_loadu_si128((const __m128i *)(found[1] + k));
    __m128i c = _mm_loadu_si128((const __m128i *)(found[2] + k));
    __m128i d = _mm_loadu_si128((const __m128i *)(found[3] + k));
    __m128i ab = _mm_unpacklo_epi16(a, b), cd = _mm_unpacklo_epi16(c, d);
    __m128i AB = _mm_unpackhi_epi16(a, b), CD = _mm_unpackhi_epi16(c, d);
    _mm_store_si128((__m128i *)line[0], _mm_unpacklo_epi32(ab, cd));
    _mm_store_si128((__m128i *)line[1], _mm_unpackhi_epi32(ab, cd));
    _mm_store_si128((__m128i *)line[2], _mm_unpacklo_epi32(AB, CD));
    _mm_store_si128((__m128i *)line[3], _mm_unpackhi_epi32(AB, CD));
  }
}

// pi times the interpolated value of up to four particles goes to their slots.
static inline void tell_sum(const sph_pass *pass, const uint32_t *slot, size_t count, __m128 sum) {
  float v[4];
  _mm_storeu_ps(v, sum);
  for (size_t l = 0; l < count; l++)
    pass->out[slot[l]] = (float)FIRN_SPH_NORM * (pass->in[slot[l]] + v[l]);
}

// Lists of one block onto the desk; returns how many lines they take, or 0 if there is no room.
static size_t search_block(const sph_pass *pass, size_t b, const skin *s, sph_desk *desk) {
  const sph_cell_block *own = &pass->cells->block[b];
  size_t first = pass->p->block[b].first, count = pass->p->block[b].count;
  size_t used = lines_of_lengths(count), room = pass->lists->line_room;
  uint16_t *length = desk->line[0];
  uint16_t begin[9], end[9];
  int cell = -1;
  const find_fn seek = best_find();
  if (used > room) return used;
  for (size_t k = 0; k < count; k += 4) {
    const float *row[4];
    size_t most = 0, found[4] = {0}, n = count - k < 4 ? count - k : 4;
    for (size_t l = 0; l < 4; l++) row[l] = desk->stage + 4 * s->staged;
    for (size_t l = 0; l < n; l++) {
      if (cell < 0 || k + l >= own->cell[cell + 1]) {
        do cell++;
        while (k + l >= own->cell[cell + 1]);
        for (int r = 0; r < 9; r++) {
          const uint16_t *at = s->at[6 * (cell / 16 + r / 3) + cell / 4 % 4 + r % 3];
          begin[r] = at[cell % 4];
          end[r] = at[cell % 4 + 3];
        }
      }
      unsigned self = s->at[6 * (cell / 16 + 1) + cell / 4 % 4 + 1][cell % 4 + 1] +
                      (unsigned)(k + l - own->cell[cell]);
      row[l] = desk->stage + 4 * (size_t)self;
      found[l] = seek(desk, begin, end, self, desk->found[l]);
      if (found[l] > most) most = found[l];
    }
    size_t lines = (most + 1) / 2;
    length[k / 4] = (uint16_t)lines;
    if (used + lines <= room) {
      const __m128i none = _mm_set1_epi16((short)s->staged);
      for (int l = 0; l < 4; l++) {
        for (size_t i = found[l]; i < most + 8; i += 8)
          _mm_storeu_si128((__m128i *)(desk->found[l] + i), none);
      }
      __m256 here[4];
      __m128i near;
      own8(row, here);
      interleave(desk->found, 2 * lines, desk->line + used);
      __m128 sum = weigh(desk->stage, desk->line + used, lines, here, true, &near);
      const uint32_t *slot = pass->cells->order + first + k;
      uint32_t many[4];
      _mm_storeu_si128((__m128i *)many, near);
      if (pass->in) tell_sum(pass, slot, n, sum);
      for (size_t l = 0; l < n; l++) {
        desk->pairs += many[l];
        pass->lists->number[slot[l]] = (uint8_t)(many[l] < 255 ? many[l] : 255);
      }
    }
    used += lines;
  }
  return used;
}

static void search(sph_pass *pass, size_t u, sph_desk *desk) {
  sph_lists *lists = pass->lists;
  FOR_EACH_BLOCK(pass, u, b) {
    skin s;
    survey(pass, b, &s);
    if (s.staged > desk->need_room) desk->need_room = s.staged;
    if (s.staged > lists->room || s.staged > SPH_STAGED_MAX) continue;
    stage_fixed(lists, &s, desk);
    stage_positions(lists, s.run, s.runs, s.staged, desk->stage);
    size_t lines = search_block(pass, b, &s, desk);
    if (lines > desk->need_lines) desk->need_lines = lines;
    uint64_t run = __atomic_fetch_add(&pass->runs_used, s.runs, __ATOMIC_RELAXED);
    uint64_t line = __atomic_fetch_add(&pass->lines_used, lines, __ATOMIC_RELAXED);
    if (lines > lists->line_room || run + s.runs > pass->run_capacity ||
        line + lines > pass->line_capacity)
      continue;
    memcpy(lists->run + run, s.run, s.runs * sizeof *s.run);
    memcpy(lists->line + line, desk->line, lines * sizeof *desk->line);
    lists->patch[b] = (sph_patch){line, (uint32_t)run, s.runs, (uint32_t)s.staged};
  }
}

static void interpolate(sph_pass *pass, size_t u, sph_desk *desk) {
  FOR_EACH_BLOCK(pass, u, b) {
    work w = work_on(pass, u, b);
    stage_positions(pass->lists, w.run, w.patch->runs, w.patch->staged, desk->stage);
    for (size_t k = 0; k < w.count; k += 4) {
      const float *row[4];
      size_t n = w.count - k < 4 ? w.count - k : 4;
      for (size_t l = 0; l < 4; l++) row[l] = pass->lists->x[w.first + k + (l < n ? l : 0)];
      __m256 here[4];
      __m128i near;
      own8(row, here);
      size_t lines = w.length[k / 4];
      __m128 sum = weigh(desk->stage, (uint16_t(*)[SPH_LINE])w.line, lines, here, false, &near);
      tell_sum(pass, pass->cells->order + w.first + k, n, sum);
      w.line += lines;
    }
  }
}

static void moments(sph_pass *pass, size_t u, sph_desk *desk) {
  const float step = (float)(-3 / 65535.0 * FIRN_SPH_NORM);
  FOR_EACH_BLOCK(pass, u, b) {
    work w = work_on(pass, u, b);
    stage_positions(pass->lists, w.run, w.patch->runs, w.patch->staged, desk->stage);
    for (size_t k = 0; k < w.count; k += 4) {
      const float *row[4];
      size_t n = w.count - k < 4 ? w.count - k : 4;
      for (size_t l = 0; l < 4; l++) row[l] = pass->lists->x[w.first + k + (l < n ? l : 0)];
      __m256 own[4], sum[10];
      own8(row, own);
      for (int i = 0; i < 10; i++) sum[i] = _mm256_setzero_ps();
      for (size_t d = 0; d < w.length[k / 4]; d++, w.line++) {
        __m256 o[4];
        gather8(desk->stage, *w.line, o);
        _mm_prefetch((const char *)(w.line + AHEAD), _MM_HINT_T0);
        __m256 x = own[0] - o[0], y = own[1] - o[1], z = own[2] - o[2];
        __m256 f = _mm256_cvtepi32_ps(
            _mm256_cvtepu16_epi32(_mm_load_si128((const __m128i *)(*w.line + 8))));
        __m256 v = f * o[3], fv = f * v, vx = v * x, vy = v * y, vz = v * z;
        sum[0] = sum[0] + vx;
        sum[1] = sum[1] + vy;
        sum[2] = sum[2] + vz;
        sum[3] = FMA8(vx, x, sum[3]);
        sum[4] = FMA8(vy, y, sum[4]);
        sum[5] = FMA8(vz, z, sum[5]);
        sum[6] = FMA8(vx, y, sum[6]);
        sum[7] = FMA8(vx, z, sum[7]);
        sum[8] = FMA8(vy, z, sum[8]);
        sum[9] = FMA8(fv, FMA8(x, x, FMA8(y, y, z * z)), sum[9]);
      }
      float v[10][4] __attribute__((aligned(16)));
      for (int i = 0; i < 10; i++) _mm_store_ps(v[i], fold(sum[i]));
      for (size_t l = 0; l < n; l++) {
        size_t slot = pass->cells->order[w.first + k + l];
        float *c = pass->lists->c[w.first + k + l];
        for (size_t a = 0; a < 3; a++) pass->out[3 * slot + a] = c[a] = pass->scale * v[a][l];
        c[3] = pass->lists->x[w.first + k + l][3];
        for (size_t a = 0; a < 6; a++) pass->out2[6 * slot + a] = -step * v[3 + a][l];
        pass->out3[slot] = pass->scale * pass->scale * v[9][l];
      }
    }
  }
}

#include "solver/sph/kernels_sums.h"

static const sph_kernels table = {
    .place = place,
    .search = search,
    .set_weights = set_weights,
    .interpolate = interpolate,
    .moments = moments,
    .set_q = set_q,
    .gradient = gradient,
    .divergence = divergence,
    .set_v = set_v,
    .velocity_gradient = velocity_gradient,
    .set_T = set_T,
    .stress_divergence = stress_divergence,
};
#define SPH_TABLE (&table)

#endif
#endif
