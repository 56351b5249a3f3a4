// SPDX-License-Identifier: Apache-2.0
// Every function of lane.h and row.h on every instruction set, against plain C in double.
#define _DEFAULT_SOURCE
#include <sys/mman.h>

#include "math/sample.h"

#include "support/lane_kernels.h"

enum { N = 200003 }; // odd: the last lanes are a remainder

static long double exact(firn_lane_map op, long double x) {
  switch (op) {
  case FIRN_LANE_OP_ABS: return fabsl(x);
  case FIRN_LANE_OP_SQRT: return sqrtl(x);
  case FIRN_LANE_OP_RCP: return 1 / x;
  case FIRN_LANE_OP_RSQRT: return 1 / sqrtl(x);
  case FIRN_LANE_OP_FLOOR: return floorl(x);
  case FIRN_LANE_OP_ROUND: return rintl(x);
  case FIRN_LANE_OP_EXP: return expl(x);
  case FIRN_LANE_OP_LOG: return logl(x);
  case FIRN_LANE_OP_LOG1P: return log1pl(x);
  case FIRN_LANE_OP_EXPM1: return expm1l(x);
  }
  return 0;
}

// The largest error of op over x in units in the last place of the exact result.
static double error_in_ulp(const firn_lane_kernels *k, firn_lane_map op, const firn_real *x,
                           size_t n) {
  firn_real *y = new_reals(n);
  double max = 0;
  k->map(op, n, x, y);
  for (size_t i = 0; i < n; i++) {
    long double e = exact(op, (long double)x[i]);
    int exponent;
    frexpl(e, &exponent);
    long double ulp = ldexpl(FIRN_REAL_EPS, exponent - 1);
    worst(&max, e == 0 ? (y[i] == 0 ? 0 : INFINITY) : (double)(((long double)y[i] - e) / ulp));
  }
  free(y);
  return max;
}

static void exp_and_log_are_within_two_ulp(void **state) {
  (void)state;
  firn_real *x = new_reals(N);
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    sample s = {21, 0};
    // exp over its whole range, and where hardening uses it
    double range = sizeof *x == 4 ? 87 : 708;
    for (int i = 0; i < N; i++)
      x[i] = (firn_real)(i % 2 ? sample_uniform(&s, -range, range) : sample_uniform(&s, -2, 2));
    assert_below(error_in_ulp(k, FIRN_LANE_OP_EXP, x, N), 2);
    // log over all positive normal numbers, and near 1 where it crosses zero
    double decades = sizeof *x == 4 ? 37 : 307;
    for (int i = 0; i < N; i++)
      x[i] = (firn_real)(i % 2 ? sample_decades(&s, -decades, decades)
                               : 1 + sample_decades(&s, -7, -0.5) * (i % 4 ? 1 : -1));
    assert_below(error_in_ulp(k, FIRN_LANE_OP_LOG, x, N), 2);
    // log1p: tiny, moderate of both signs, large
    for (int i = 0; i < N; i++)
      x[i] = (firn_real)(i % 3 == 0   ? sample_decades(&s, -12, -1) * (i % 2 ? 1 : -1)
                         : i % 3 == 1 ? sample_uniform(&s, -0.999, 3)
                                      : sample_decades(&s, 0, 30));
    assert_below(error_in_ulp(k, FIRN_LANE_OP_LOG1P, x, N), 2);
    // expm1: tiny, around -ln 2 / 2, where an exp of 0.7 with 2 ulp becomes 0.3, and far
    for (int i = 0; i < N; i++)
      x[i] = (firn_real)(i % 3 == 0   ? sample_decades(&s, -12, -1) * (i % 2 ? 1 : -1)
                         : i % 3 == 1 ? sample_uniform(&s, -2, 2)
                                      : sample_uniform(&s, -range, range));
    assert_below(error_in_ulp(k, FIRN_LANE_OP_EXPM1, x, N), 4);
  }
  free(x);
}

static void exp_saturates_instead_of_overflowing(void **state) {
  (void)state;
  const firn_real x[] = {-1e4, -INFINITY, 1e4, INFINITY, 0, NAN, -800, 800};
  enum { COUNT = sizeof x / sizeof *x };
  for_each_isa(isa) {
    firn_real y[COUNT];
    firn_lane_kernels_get(isa)->map(FIRN_LANE_OP_EXP, COUNT, x, y);
    assert_true(y[0] == 0 && y[1] == 0 && y[6] == 0);
    assert_true(isfinite(y[2]) && y[2] > (firn_real)1e30 && y[3] == y[2] && y[7] == y[2]);
    assert_true(y[4] == 1);
    assert_true(isnan(y[5]));
  }
}

static void roots_and_rounding_are_exact(void **state) {
  (void)state;
  firn_real *x = new_reals(N);
  sample s = {22, 0};
  for (int i = 0; i < N; i++) x[i] = (firn_real)sample_decades(&s, -18, 18);
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    assert_below(error_in_ulp(k, FIRN_LANE_OP_SQRT, x, N), 0.5001); // correctly rounded
    assert_below(error_in_ulp(k, FIRN_LANE_OP_RCP, x, N), 0.5001);
    assert_below(error_in_ulp(k, FIRN_LANE_OP_RSQRT, x, N), 2);
  }
  for (int i = 0; i < N; i++)
    x[i] = (firn_real)(i % 5 ? sample_uniform(&s, -1000, 1000)
                             : rint(sample_uniform(&s, -20, 20)) / 2);
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    assert_below(error_in_ulp(k, FIRN_LANE_OP_FLOOR, x, N), 0);
    assert_below(error_in_ulp(k, FIRN_LANE_OP_ROUND, x, N), 0);
    assert_below(error_in_ulp(k, FIRN_LANE_OP_ABS, x, N), 0);
  }
  free(x);
}

static void arrays_of_any_length_stay_within_their_bounds(void **state) {
  (void)state;
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    for (size_t n = 0; n <= 40; n++) {
      firn_real x[41], y[42];
      for (size_t i = 0; i < 41; i++) x[i] = (firn_real)(i + 1);
      for (size_t i = 0; i < 42; i++) y[i] = -7;
      k->map(FIRN_LANE_OP_SQRT, n, x, y + 1);
      assert_true(y[0] == -7 && y[n + 1] == -7);
      for (size_t i = 0; i < n; i++)
        assert_true(fabs((double)y[i + 1] - sqrt((double)x[i])) < 1e-6);
    }
  }
}

static void transpose_swaps_rows_and_columns(void **state) {
  (void)state;
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    firn_real in[256], out[256];
    for (int i = 0; i < 256; i++) in[i] = (firn_real)i;
    k->transpose(in, out);
    for (int i = 0; i < k->lanes; i++)
      for (int j = 0; j < k->lanes; j++) assert_true(out[i * k->lanes + j] == in[j * k->lanes + i]);
  }
}

static void sums_across_lanes_are_binary_trees(void **state) {
  (void)state;
  sample s = {23, 0};
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    firn_real x[16], t[16], out[3];
    for (int i = 0; i < 16; i++) t[i] = x[i] = (firn_real)sample_uniform(&s, -1, 1);
    firn_real lo = x[0], hi = x[0];
    for (int i = 1; i < k->lanes; i++) {
      if (x[i] < lo) lo = x[i];
      if (x[i] > hi) hi = x[i];
    }
    for (int h = k->lanes / 2; h; h /= 2)
      for (int i = 0; i < h; i++) t[i] += t[i + h];
    k->across(x, out);
    assert_true(out[0] == t[0] && out[1] == lo && out[2] == hi); // to the bit
  }
}

static void masks_select_and_count_lanes(void **state) {
  (void)state;
  sample s = {24, 0};
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    for (int count = 0; count <= k->lanes; count++) {
      firn_real x[16], y[16], a[16], b[16], out[16];
      unsigned bits = 0;
      for (int i = 0; i < 16; i++) {
        x[i] = (firn_real)sample_uniform(&s, -1, 1);
        y[i] = i % 5 ? (firn_real)sample_uniform(&s, -1, 1) : x[i];
        a[i] = (firn_real)(i + 1);
        b[i] = (firn_real)(-i - 1);
        if (i == 3) x[i] = NAN; // nan is not less than anything
      }
      unsigned got = k->select(count, x, y, a, b, out);
      for (int i = 0; i < k->lanes; i++) {
        int in = i < count, less = x[i] < y[i];
        if (in && less) bits |= 1u << i;
        assert_true(out[i] == (in ? (less ? a[i] : b[i]) : 0));
      }
      assert_int_equal(got, bits);
    }
  }
}

static void gather_reads_by_integer_index(void **state) {
  (void)state;
  firn_real base[1000], index[16], out[16];
  int32_t integers[16];
  sample s = {25, 0};
  for (int i = 0; i < 1000; i++) base[i] = (firn_real)(3 * i);
  for (int i = 0; i < 16; i++) index[i] = (firn_real)floor(sample_uniform(&s, 0, 500));
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    k->gather(base, index, 17, out, integers);
    for (int i = 0; i < k->lanes; i++) {
      assert_int_equal(integers[i], (int)index[i] + 17);
      assert_true(out[i] == base[integers[i]]);
    }
  }
}

// Any patterns of bits, so that sums and products overflow; pair[8] is there because a gather of 16
// bits reads two bytes more.
static void integers_wrap_shift_and_select_as_unsigned_words_do(void **state) {
  (void)state;
  const int32_t base[8] = {-7, 5, INT32_MIN, INT32_MAX, 0, 1, -1, 99};
  const uint16_t pair[9] = {65535, 1, 2, 32768, 4, 5, 60000, 7, 8};
  sample s = {27, 0};
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    int n = k->lanes;
    for (int round = 0; round < 200; round++) {
      int32_t a[16], b[16], out[10 * 16];
      for (int i = 0; i < 16; i++) {
        firn_philox r = firn_philox4x32(s.seed, s.next++, 0, 0);
        a[i] = (int32_t)r.v[0];
        b[i] = (int32_t)r.v[1];
      }
      k->integers(a, b, base, pair, out);
      for (int i = 0; i < n; i++) {
        uint32_t x = (uint32_t)a[i], y = (uint32_t)b[i];
        const uint32_t want[10] = {x + y,
                                   x * y,
                                   x ^ y,
                                   x & y,
                                   x * 512,
                                   x / 512,
                                   x * 8192 + x / 524288,
                                   x > INT32_MAX ? x : y,
                                   (uint32_t)base[y % 8],
                                   pair[y % 8]};
        for (int op = 0; op < 10; op++) assert_int_equal((uint32_t)out[op * n + i], want[op]);
      }
    }
  }
}

// ---- rows: 4 nodes x (x, y, z, w)

static void rows_broadcast_nodes_and_weights(void **state) {
  (void)state;
  const firn_real four[4] = {2, 3, 5, 7}, w4[4] = {11, 13, 17, 19};
  firn_real a[16], out[16];
  for (int i = 0; i < 16; i++) a[i] = (firn_real)(i + 1);
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    if (k->lanes == 1) continue; // rows exist only in vector units
    k->row_affine((firn_real)0.5, a, four, w4, out);
    for (int i = 0; i < 16; i++)
      assert_true(out[i] == (firn_real)0.5 * a[i] + four[i % 4] * w4[i / 4]);
    k->row_unweight(a, out);
    for (int i = 0; i < 16; i++)
      assert_true(out[i] == (i % 4 == 3 ? a[i] : a[i] / a[i / 4 * 4 + 3]));
  }
}

static void row_sums_have_one_order_on_every_instruction_set(void **state) {
  (void)state;
  sample s = {26, 0};
  firn_real abcd[64], out[16];
  for (int i = 0; i < 64; i++) abcd[i] = (firn_real)sample_uniform(&s, -1, 1);
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    if (k->lanes == 1) continue;
    k->row_reduce(abcd, out);
    for (int r = 0; r < 4; r++)
      for (int c = 0; c < 4; c++) {
        const firn_real *p = abcd + 16 * r + c;
        firn_real even = p[0] + p[8], odd = p[4] + p[12];
        assert_true(out[4 * r + c] == even + odd); // to the bit
      }
  }
}

// The nodes left out lie on pages that may not be read.
static void masked_rows_do_not_touch_what_they_leave_out(void **state) {
  (void)state;
  const size_t page = 65536;
  char *map = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(map != MAP_FAILED);
  assert_int_equal(mprotect(map + page, page, PROT_READ | PROT_WRITE), 0);
  firn_real *begin = (firn_real *)(map + page), *end = (firn_real *)(map + 2 * page);
  for (firn_real *p = begin; p < end; p++) *p = (firn_real)(p - begin + 1);
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    if (k->lanes == 1) continue;
    for (unsigned first = 0; first < 4; first++)
      for (unsigned count = 0; first + count <= 4; count++) {
        firn_real out[16];
        const firn_real *rows[2] = {begin - 4 * (ptrdiff_t)first, end - 4 * (first + count)};
        for (int side = 0; side < 2; side++) {
          k->row_part(rows[side], first, count, out);
          for (unsigned i = 0; i < 16; i++) {
            int in = i / 4 >= first && i / 4 < first + count;
            assert_true(out[i] == (in ? rows[side][i] : 0));
          }
        }
      }
  }
  munmap(map, 3 * page);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exp_and_log_are_within_two_ulp),
      cmocka_unit_test(exp_saturates_instead_of_overflowing),
      cmocka_unit_test(roots_and_rounding_are_exact),
      cmocka_unit_test(arrays_of_any_length_stay_within_their_bounds),
      cmocka_unit_test(transpose_swaps_rows_and_columns),
      cmocka_unit_test(sums_across_lanes_are_binary_trees),
      cmocka_unit_test(masks_select_and_count_lanes),
      cmocka_unit_test(gather_reads_by_integer_index),
      cmocka_unit_test(integers_wrap_shift_and_select_as_unsigned_words_do),
      cmocka_unit_test(rows_broadcast_nodes_and_weights),
      cmocka_unit_test(row_sums_have_one_order_on_every_instruction_set),
      cmocka_unit_test(masked_rows_do_not_touch_what_they_leave_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
