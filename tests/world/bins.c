// SPDX-License-Identifier: Apache-2.0
// Points in the cells of a lattice, against a search through all of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/books.h"
#include "support/context.h"
#include "world/bins.h"

enum { POINTS = 3000 };

// A number in [low, low + range).
static int32_t draw(uint32_t point, uint32_t stream, int32_t low, uint32_t range) {
  return low + (int32_t)(firn_philox4x32(3, point, stream, 0).v[0] % range);
}

static void cell_of(uint32_t point, const int32_t low[3], const uint32_t range[3], int32_t at[3]) {
  for (uint32_t a = 0; a < 3; a++) at[a] = draw(point, a, low[a], range[a]);
}

static firn_status fill(firn_context *in, const int32_t low[3], const uint32_t range[3],
                        firn_bins *bins) {
  firn_status status = firn_bins_open(bins, in, POINTS);
  if (status != FIRN_OK) return status;
  for (uint32_t i = 0; i < POINTS; i++) {
    int32_t at[3];
    cell_of(i, low, range, at);
    firn_bins_put(bins, i, at);
  }
  return firn_bins_sort(bins);
}

// Sparse enough that most cells are empty, and some at the ends of what a key can hold.
static const int32_t LOW[3] = {-FIRN_CELL_HALF, -5, FIRN_CELL_HALF - 30};
static const uint32_t RANGE[3] = {20, 10, 30};

static void bins_are_in_the_order_of_keys_and_their_points_of_numbers(void **state) {
  (void)state;
  firn_bins bins;
  assert_int_equal(fill(context, LOW, RANGE, &bins), FIRN_OK);
  assert_int_equal(bins.points, POINTS);
  assert_true(bins.count > 1000 && bins.count < POINTS);
  uint32_t next = 0;
  for (size_t b = 0; b < bins.count; b++) {
    const firn_bin *bin = &bins.bin[b];
    int32_t at[3], expected[3];
    firn_cell_at(bin->key, at);
    assert_true(!b || bin[-1].key < bin->key);
    assert_int_equal(bin->first, next);
    assert_true(bin->count > 0 && bin->reach == 0);
    next += bin->count;
    for (uint32_t i = bin->first; i < next; i++) {
      assert_true(i == bin->first || bins.order[i - 1] < bins.order[i]);
      cell_of(bins.order[i], LOW, RANGE, expected);
      assert_memory_equal(at, expected, sizeof at);
    }
    assert_ptr_equal(firn_bins_find(&bins, bin->key), bin);
  }
  assert_int_equal(next, POINTS);
  assert_null(firn_bins_find(&bins, firn_cell_key((int32_t[3]){0, 0, 0})));
  firn_bins_free(&bins);
  assert_int_equal(firn_bins_open(&bins, context, 0), FIRN_OK);
  assert_int_equal(firn_bins_sort(&bins), FIRN_OK);
  assert_int_equal(bins.count, 0);
  assert_null(firn_bins_find(&bins, 0));
  firn_bins_free(&bins);
  assert_int_equal(firn_bins_open(&bins, context, UINT32_MAX), FIRN_ERROR_UNSUPPORTED);
  firn_bins_free(&bins);
}

static void reach_is_the_product_of_its_axes(void **state) {
  (void)state;
  assert_int_equal(firn_bins_reach((unsigned[3]){2, 2, 2}), 1u << 13);
  assert_int_equal(firn_bins_reach((unsigned[3]){1, 2, 4}), 1u << (0 + 3 + 2));
  assert_int_equal(firn_bins_reach((unsigned[3]){6, 3, 2}),
                   1u << (9 + 1) | 1u << (9 + 3 + 1) | 1u << (18 + 1) | 1u << (18 + 3 + 1));
  assert_int_equal(firn_bins_reach((unsigned[3]){7, 7, 7}), (1u << 27) - 1);
}

// Every pair of bin and cell is looked at. Periods of 1 and 2 cells bring the same bin to the same cell
// from several sides, but it is listed once.
static void spreading_lists_who_touches_each_cell(void **state) {
  (void)state;
  static const int32_t periods[4][3] = {{0, 0, 0}, {1, 2, 3}, {0, 7, 0}, {2, 0, 1}};
  for (int p = 0; p < 4; p++) {
    const int32_t *period = periods[p];
    int32_t low[3];
    uint32_t range[3];
    for (int a = 0; a < 3; a++) {
      low[a] = period[a] ? 0 : -4;
      range[a] = period[a] ? (uint32_t)period[a] : 9;
    }
    firn_bins bins, cells;
    assert_int_equal(fill(context, low, range, &bins), FIRN_OK);
    memcpy(bins.period, period, sizeof bins.period);
    for (size_t b = 0; b < bins.count; b++)
      bins.bin[b].reach = b % 5 ? firn_philox4x32(4, b, 0, 0).v[0] & ((1u << 27) - 1) : 1u << 13;
    assert_int_equal(firn_bins_spread(&bins, &cells), FIRN_OK);
    size_t pairs = 0;
    for (size_t c = 0; c < cells.count; c++) {
      assert_true(!c || cells.bin[c - 1].key < cells.bin[c].key);
      for (uint32_t i = 1; i < cells.bin[c].count; i++) {
        const uint32_t *who = cells.order + cells.bin[c].first + i;
        assert_true(who[-1] < who[0]);
      }
    }
    for (uint32_t b = 0; b < bins.count; b++) {
      int32_t from[3], seen[27][3];
      int known = 0;
      firn_cell_at(bins.bin[b].key, from);
      for (int n = 0; n < 27; n++) {
        if (!(bins.bin[b].reach >> n & 1)) continue;
        int32_t *to = seen[known];
        const int step[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
        for (int a = 0; a < 3; a++) {
          to[a] = from[a] + step[a];
          if (period[a] && to[a] < 0) to[a] += period[a];
          if (period[a] && to[a] >= period[a]) to[a] -= period[a];
        }
        assert_true(firn_bins_step(&bins, bins.bin[b].key, step) == firn_cell_key(to));
        const firn_bin *cell = firn_bins_find(&cells, firn_cell_key(to));
        assert_non_null(cell);
        int listed = 0, twice = 0;
        for (uint32_t i = 0; i < cell->count; i++) listed += cells.order[cell->first + i] == b;
        for (int k = 0; k < known; k++) twice += !memcmp(seen[k], to, sizeof seen[k]);
        assert_int_equal(listed, 1);
        known += !twice;
      }
      pairs += (size_t)known;
    }
    assert_int_equal(cells.points, pairs); // and nobody else is listed
    firn_bins_free(&cells);
    firn_bins_free(&bins);
  }
}

static void memory_that_runs_out_is_told_and_nothing_is_kept(void **state) {
  (void)state;
  books b = {0};
  firn_context *own;
  assert_int_equal(books_context(&b, 1, &own), FIRN_OK);
  size_t before = b.bytes;
  for (size_t n = 0;; n++) {
    firn_bins bins, cells = {0};
    books_close_after(&b, n);
    firn_status status = fill(own, LOW, RANGE, &bins);
    for (size_t i = 0; status == FIRN_OK && i < bins.count; i++) bins.bin[i].reach = 1u << 13;
    if (status == FIRN_OK) status = firn_bins_spread(&bins, &cells);
    books_open(&b);
    firn_bins_free(&cells);
    firn_bins_free(&bins);
    assert_int_equal(b.bytes, before);
    assert_int_equal(b.wrong, 0);
    if (status == FIRN_OK) {
      assert_int_equal(n, 6); // keys, order and bins, twice
      break;
    }
    assert_int_equal(status, FIRN_ERROR_MEMORY);
  }
  firn_context_destroy(own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bins_are_in_the_order_of_keys_and_their_points_of_numbers),
      cmocka_unit_test(reach_is_the_product_of_its_axes),
      cmocka_unit_test(spreading_lists_who_touches_each_cell),
      cmocka_unit_test(memory_that_runs_out_is_told_and_nothing_is_kept),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
