// SPDX-License-Identifier: Apache-2.0
#include "grid/bricks.h"

#include <string.h>

#include "world/morton.h"

// 4 x 4 x 4 bricks, those that there are one after the other.
typedef struct firn_super {
  uint64_t key1; // of the bricks without their last bits, plus one; 0 is empty
  uint64_t has;  // a bit for each place
  uint32_t first;
} super;
enum { SUPER_BITS = 6 };

static super *find_super(const firn_bricks *s, uint64_t key) {
  // Neighbours in space lie together in the table.
  uint64_t page = key >> 6, x = page ^ page >> 31;
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  for (size_t i = (x << 6 | (key & 63)) & s->mask;; i = (i + 65) & s->mask) {
    if (s->table[i].key1 == key + 1 || !s->table[i].key1) return &s->table[i];
  }
}

firn_status firn_bricks_list(const firn_choice *choice, firn_buffer *table, firn_bricks *out) {
  const firn_brick *brick = choice->brick;
  size_t count = 0, size = 64;
  for (size_t b = 0; b < choice->bricks; b++) {
    count += !b || brick[b].key >> SUPER_BITS != brick[b - 1].key >> SUPER_BITS;
  }
  while (size < 2 * count) size *= 2;
  FIRN_TRY(firn_buffer_reserve(choice->particles->context, table, size * sizeof(super), "flight"));
  *out = (firn_bricks){choice, table->data, size - 1};
  memset(table->data, 0, size * sizeof(super));
  super *now = NULL;
  for (size_t b = 0; b < choice->bricks; b++) {
    uint64_t key = brick[b].key >> SUPER_BITS;
    if (!now || now->key1 != key + 1) {
      now = find_super(out, key);
      *now = (super){.key1 = key + 1, .first = (uint32_t)b};
    }
    now->has |= (uint64_t)1 << (brick[b].key & 63);
  }
  return FIRN_OK;
}

// The places in a super brick whose coordinate along an axis is lo to hi.
static uint64_t places(int axis, int lo, int hi) {
#define PLACES(a, b, c, d)                                                                         \
  {~0ull, (b) | (c) | (d), (c) | (d), d}, {                                                        \
    a, (a) | (b), (a) | (b) | (c), ~0ull                                                           \
  }
  static const uint64_t from_to[3][2][4] = {
      {PLACES(0x000000000f0f0f0full, 0x00000000f0f0f0f0ull, 0x0f0f0f0f00000000ull,
              0xf0f0f0f000000000ull)},
      {PLACES(0x0000333300003333ull, 0x0000cccc0000ccccull, 0x3333000033330000ull,
              0xcccc0000cccc0000ull)},
      {PLACES(0x0055005500550055ull, 0x00aa00aa00aa00aaull, 0x5500550055005500ull,
              0xaa00aa00aa00aa00ull)},
  };
#undef PLACES
  return from_to[axis][0][lo] & from_to[axis][1][hi];
}

// The super bricks along one axis that hold some blocks: the part of their key, the places of those
// blocks, and where their first block is for whoever looks across a period.
typedef struct span {
  int count;
  uint64_t key[4], places[4];
  int32_t at[4];
} span;

static void add_blocks(span *to, int a, int32_t first, int32_t last, int32_t shift) {
  for (int32_t at = first & ~3; at <= last; at += 4) {
    int n = to->count++;
    to->at[n] = at + shift;
    to->key[n] = firn_morton_spread((uint32_t)((at >> 2) + (1 << 18))) << (2 - a);
    to->places[n] = places(a, first > at ? first - at : 0, last < at + 3 ? last - at : 3);
  }
}

static void span_blocks(const firn_particles *p, int a, int32_t first, int32_t last, span *out) {
  int32_t period = p->period[a];
  out->count = 0;
  if (p->periodic[a] && first < 0) {
    add_blocks(out, a, first + period, period - 1, -period);
    first = 0;
  }
  if (p->periodic[a] && last >= period) {
    add_blocks(out, a, 0, last - period, period);
    last = period - 1;
  }
  add_blocks(out, a, first, last, 0);
}

bool firn_bricks_around(const firn_bricks *bricks, const int32_t at[3], const int32_t first[3],
                        const int32_t last[3], firn_brick_fn seen, void *user) {
  span around[3];
  for (int a = 0; a < 3; a++)
    span_blocks(bricks->choice->particles, a, first[a], last[a], &around[a]);
  for (int i = 0; i < around[0].count; i++) {
    for (int j = 0; j < around[1].count; j++) {
      for (int k = 0; k < around[2].count; k++) {
        const super *in = find_super(bricks,
                                     around[0].key[i] | around[1].key[j] | around[2].key[k]);
        uint64_t left = in->has & around[0].places[i] & around[1].places[j] & around[2].places[k];
        for (; left; left &= left - 1) {
          int place = __builtin_ctzll(left);
          uint64_t before = ((uint64_t)1 << place) - 1;
          size_t b = in->first + (size_t)__builtin_popcountll(in->has & before);
          const int32_t d[3] = {around[0].at[i] - at[0] + (place >> 2 & 1) + (place >> 4 & 2),
                                around[1].at[j] - at[1] + (place >> 1 & 1) + (place >> 3 & 2),
                                around[2].at[k] - at[2] + (place & 1) + (place >> 2 & 2)};
          if (!seen(user, b, d)) return false;
        }
      }
    }
  }
  return true;
}
