// SPDX-License-Identifier: Apache-2.0
#include "world/bins.h"

#include "base/memory.h"

firn_status firn_bins_open(firn_bins *b, firn_context *context, size_t points) {
  *b = (firn_bins){.context = context};
  if (points >= UINT32_MAX) {
    return firn_fail(context, FIRN_ERROR_UNSUPPORTED, "%zu particles are too many for one grid",
                     points);
  }
  if (points) b->keyed = firn_alloc(context, 2 * points * sizeof *b->keyed, "order of particles");
  if (points && !b->keyed) return FIRN_ERROR_MEMORY;
  b->points = points;
  return FIRN_OK;
}

firn_status firn_bins_sort(firn_bins *b) {
  size_t n = b->points, count = 0;
  if (!n) return FIRN_OK;
  const firn_keyed *sorted = firn_keyed_sort(b->keyed, b->keyed + n, n);
  for (size_t i = 0; i < n; i++) count += !i || sorted[i].key != sorted[i - 1].key;
  b->order = firn_alloc(b->context, n * sizeof *b->order, "order of particles");
  b->bin = firn_alloc(b->context, count * sizeof *b->bin, "blocks of particles");
  b->count = count;
  if (!b->order || !b->bin) return FIRN_ERROR_MEMORY;
  firn_bin *last = b->bin - 1;
  for (size_t i = 0; i < n; i++) {
    b->order[i] = sorted[i].slot;
    if (!i || sorted[i].key != sorted[i - 1].key)
      *++last = (firn_bin){.key = sorted[i].key, .first = (uint32_t)i};
    last->count++;
  }
  firn_free(b->context, b->keyed, 2 * n * sizeof *b->keyed);
  b->keyed = NULL;
  return FIRN_OK;
}

void firn_bins_free(firn_bins *b) {
  firn_free(b->context, b->keyed, 2 * b->points * sizeof *b->keyed);
  firn_free(b->context, b->order, b->points * sizeof *b->order);
  firn_free(b->context, b->bin, b->count * sizeof *b->bin);
  *b = (firn_bins){.context = b->context};
}

const firn_bin *firn_bins_find(const firn_bins *b, uint64_t key) {
  size_t i = firn_cell_find(b->bin, sizeof *b->bin, b->count, key);
  return i < b->count && b->bin[i].key == key ? &b->bin[i] : NULL;
}

uint64_t firn_bins_step(const firn_bins *b, uint64_t key, const int offset[3]) {
  int32_t at[3];
  firn_cell_at(key, at);
  for (int a = 0; a < 3; a++) {
    at[a] += offset[a];
    if (b->period[a]) at[a] = (at[a] + b->period[a]) % b->period[a];
  }
  return firn_cell_key(at);
}

uint32_t firn_bins_reach(const unsigned axis[3]) {
  uint32_t reach = 0;
  for (unsigned n = 0; n < 27; n++)
    if (axis[0] >> n / 9 & axis[1] >> n / 3 % 3 & axis[2] >> n % 3 & 1) reach |= 1u << n;
  return reach;
}

// The cells that a bin touches, into key; returns how many. Where a period is short some are the same.
static int touched(const firn_bins *b, const firn_bin *bin, uint64_t key[27]) {
  int count = 0;
  for (int n = 0; n < 27; n++) {
    if (!(bin->reach >> n & 1)) continue;
    key[count] = firn_bins_step(b, bin->key, (int[3]){n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1});
    bool known = false;
    for (int i = 0; i < count; i++) known = known || key[i] == key[count];
    count += !known;
  }
  return count;
}

firn_status firn_bins_spread(const firn_bins *b, firn_bins *out) {
  uint64_t key[27];
  size_t n = 0;
  for (size_t i = 0; i < b->count; i++) n += (size_t)touched(b, &b->bin[i], key);
  FIRN_TRY(firn_bins_open(out, b->context, n));
  for (int a = 0; a < 3; a++) out->period[a] = b->period[a];
  n = 0;
  for (size_t i = 0; i < b->count; i++) {
    for (int k = 0, count = touched(b, &b->bin[i], key); k < count; k++)
      out->keyed[n++] = (firn_keyed){.key = key[k], .slot = (uint32_t)i};
  }
  return firn_bins_sort(out);
}
