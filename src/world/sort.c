// SPDX-License-Identifier: Apache-2.0
// Sorting particles by block, in parallel, touching what moved.
//
//   1  each block counts the particles that left it, and lists them with their new key
//   2  the list (and new particles) is sorted by key; the rest is in order already
//   3  old blocks and the list are merged into new blocks, those who fly leave them, and what is left
//      becomes units
//   4  a permutation is written, block by block, and every field follows it
//
// Only step 2 and the merge are serial, over movers and blocks, not over particles. Particles that
// stay keep their order and come before those that arrive; those come in the order of where they come
// from, new ones last. So the result depends on the particles alone, and not on where in space the
// scene lies.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "world/morton.h"
#include "world/particles.h"
#include "world/radix.h"

// Where a block's particles come from: those that stayed in an old block, and a run of movers.
typedef firn_brick source;

#define NONE FIRN_BRICK_NONE

typedef struct sorter {
  firn_particles *p;
  firn_real shift;
  const firn_real *x[3];
  bool stay;             // sorted particles stay where they are
  size_t from, take;     // pending particles that this sort absorbs
  uint32_t *mover_start; // [blocks + 1]
  firn_keyed *mover;
  firn_listed *listed; // of bricks that have few particles
  firn_flock flock;
  firn_block
      *block; // [capacity], new: for the blocks to come. A capacity of 0: the old ones will do
  firn_unit *unit;
  size_t capacity;
} sorter;

// Moves along an axis are kept in a byte; a particle that went further is lost.
enum { DRIFT_MAX = 127 };

// Blocks that the particle in slot has moved by along axis a.
static inline int drift(const sorter *s, size_t slot, int a) {
  firn_real cell = s->x[a][slot] - s->shift;
  if (cell >= 0 && cell < 4) return 0;
  double blocks = floor((double)cell / 4);
  return fabs(blocks) <= DRIFT_MAX ? (int)blocks : DRIFT_MAX + 1; // nan too
}

static inline bool moved(const sorter *s, size_t slot) {
  return drift(s, slot, 0) || drift(s, slot, 1) || drift(s, slot, 2);
}

// False if the particle is lost, or has left the addressable domain.
static bool target(const sorter *s, size_t slot, const int32_t at[3], firn_keyed *m) {
  int32_t to[3];
  for (int a = 0; a < 3; a++) {
    int d = drift(s, slot, a);
    if (d > DRIFT_MAX) return false;
    to[a] = at[a] + d;
    if (s->p->periodic[a]) {
      int32_t n = s->p->period[a];
      to[a] = (to[a] % n + n) % n;
    }
    if (to[a] <= -FIRN_MORTON_LIMIT || to[a] >= FIRN_MORTON_LIMIT) return false;
    m->shift[a] = (int8_t)d;
  }
  m->key = firn_morton(to);
  m->slot = (uint32_t)slot;
  return true;
}

static firn_status lost(const sorter *s, size_t slot) {
  return firn_fail(s->p->context, FIRN_ERROR_DOMAIN,
                   "particle %u: its position, (%g %g %g) cells from its block at velocity (%g %g "
                   "%g) m/s, has left the addressable domain or gone further than %d cells in a "
                   "step",
                   firn_particles_id(s->p)[slot], (double)s->x[0][slot], (double)s->x[1][slot],
                   (double)s->x[2][slot], (double)firn_particles_real(s->p, FIRN_FIELD_VX)[slot],
                   (double)firn_particles_real(s->p, FIRN_FIELD_VY)[slot],
                   (double)firn_particles_real(s->p, FIRN_FIELD_VZ)[slot], 4 * DRIFT_MAX);
}

static size_t count_movers(sorter *s) {
  firn_particles *p = s->p;
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t b = 0; b < p->block_count; b++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->block[b].count && !s->stay; i++) {
      n += moved(s, p->block[b].first + i);
    }
    s->mover_start[b + 1] = n;
  }
  s->mover_start[0] = 0;
  for (size_t b = 0; b < p->block_count; b++) s->mover_start[b + 1] += s->mover_start[b];
  return s->mover_start[p->block_count] + s->take;
}

static firn_status list_movers(sorter *s) {
  firn_particles *p = s->p;
  size_t bad = SIZE_MAX;
  FIRN_PARALLEL_FOR(p->context, schedule(static) reduction(min : bad))
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    firn_keyed *out = s->mover + s->mover_start[b];
    if (s->mover_start[b + 1] == s->mover_start[b]) continue;
    for (uint32_t i = 0; i < block->count; i++) {
      size_t slot = block->first + i;
      if (!moved(s, slot)) continue;
      if (!target(s, slot, block->at, out++) && slot < bad) bad = slot;
    }
  }
  firn_keyed *out = s->mover + s->mover_start[p->block_count];
  FIRN_PARALLEL_FOR(p->context, schedule(static) reduction(min : bad))
  for (size_t i = 0; i < s->take; i++) {
    size_t slot = p->slots + s->from + i;
    if (!target(s, slot, p->pending_at[s->from + i], out + i) && slot < bad) bad = slot;
  }
  return bad == SIZE_MAX ? FIRN_OK : lost(s, bad);
}

// Morton order of the blocks that movers come from depends on where in space they lie; the direction
// that they come from does not. Those of no block have none and follow the others by their ids.
static int64_t direction(const sorter *s, const firn_keyed *m) {
  if (m->slot >= s->p->slots) return (int64_t)INT32_MAX + firn_particles_id(s->p)[m->slot];
  return ((m->shift[0] + 128) * 256 + m->shift[1] + 128) * 256 + m->shift[2] + 128;
}

static void order_arrivals(const sorter *s, size_t movers) {
  for (size_t i = 1; i < movers; i++) {
    firn_keyed m = s->mover[i];
    int64_t from = direction(s, &m);
    size_t k = i;
    for (; k > 0 && s->mover[k - 1].key == m.key && direction(s, &s->mover[k - 1]) > from; k--) {
      s->mover[k] = s->mover[k - 1];
    }
    s->mover[k] = m;
  }
}

// Merges what stayed with what moved, both in order of keys. Returns the number of new blocks.
static size_t merge(const sorter *s, size_t movers, source *out) {
  const firn_particles *p = s->p;
  size_t n = 0, m = 0, b = 0;
  while (b < p->block_count || m < movers) {
    uint64_t block_key = b < p->block_count ? firn_morton(p->block[b].at) : UINT64_MAX;
    uint64_t mover_key = m < movers ? s->mover[m].key : UINT64_MAX;
    source next = {.key = block_key < mover_key ? block_key : mover_key,
                   .old = NONE,
                   .mover_first = (uint32_t)m,
                   .listed = NONE};
    if (block_key == next.key) {
      next.old = (uint32_t)b;
      next.count = p->block[b].count - (s->mover_start[b + 1] - s->mover_start[b]);
      b++;
    }
    while (m < movers && s->mover[m].key == next.key) m++;
    next.mover_count = (uint32_t)m - next.mover_first;
    next.count += next.mover_count;
    next.stays = next.count;
    if (next.count) out[n++] = next;
  }
  return n;
}

// Whether arrays for this many blocks suit n: not where most of them are of snow that has taken off since.
static bool suits(size_t capacity, size_t n) {
  enum { FEW = 4096 };
  return n <= capacity && capacity <= 4 * n + FEW;
}

// Room for n new blocks, and as many units. The old ones stay until change_blocks.
static firn_status reserve_blocks(sorter *s, size_t n) {
  firn_particles *p = s->p;
  if (suits(p->block_capacity, n) && suits(p->unit_capacity, n)) return FIRN_OK;
  s->capacity = n + n / 16 + 1;
  s->block = firn_alloc(p->context, s->capacity * sizeof *s->block, "blocks");
  if (!s->block) return FIRN_ERROR_MEMORY;
  s->unit = firn_alloc(p->context, s->capacity * sizeof *s->unit, "units");
  if (s->unit) return FIRN_OK;
  firn_free(p->context, s->block, s->capacity * sizeof *s->block);
  return FIRN_ERROR_MEMORY;
}

static void change_blocks(const sorter *s) {
  firn_particles *p = s->p;
  if (!s->capacity) return;
  firn_free(p->context, p->block, p->block_capacity * sizeof *p->block);
  firn_free(p->context, p->unit, p->unit_capacity * sizeof *p->unit);
  p->block = s->block;
  p->unit = s->unit;
  p->block_capacity = p->unit_capacity = s->capacity;
}

static size_t align_slot(size_t slot) {
  return (slot + FIRN_SLOT_ALIGN - 1) / FIRN_SLOT_ALIGN * FIRN_SLOT_ALIGN;
}

// Lays the new blocks out in slots and units and returns the slots used; p NULL only counts, and passes
// over bricks that keep nobody.
static size_t lay_out(const sorter *s, firn_particles *p, const source *from, size_t n) {
  const uint64_t *apart = s->p->apart.data;
  size_t slot = 0, in_unit = 0, k = 0;
  bool was_apart = false;
  firn_unit *unit = NULL;
  if (p) p->unit_count = 0;
  for (size_t b = 0; b < n; b++) {
    if (!from[b].stays) continue;
    while (k < s->p->apart_count && apart[k] < from[b].key) k++;
    bool is_apart = k < s->p->apart_count && apart[k] == from[b].key;
    bool parts = is_apart != was_apart;
    was_apart = is_apart;
    if (!slot || parts || in_unit >= FIRN_UNIT_MIN || in_unit + from[b].stays > 2 * FIRN_UNIT_MIN) {
      slot = align_slot(slot);
      in_unit = 0;
      if (p) {
        unit = &p->unit[p->unit_count++];
        *unit = (firn_unit){(uint32_t)b, 0, (uint32_t)slot, 0};
      }
    }
    if (p) {
      firn_morton_decode(from[b].key, p->block[b].at);
      p->block[b].first = (uint32_t)slot;
      p->block[b].count = from[b].stays;
      unit->block_count++;
      unit->count += from[b].stays;
    }
    in_unit += from[b].stays;
    slot += from[b].stays;
  }
  if (p) p->block_count = n;
  return align_slot(slot);
}

// The particles of one brick, in their order: those that stayed in the old block, then the movers.
static void list_brick(const sorter *s, const source *from, size_t b) {
  firn_listed *out = s->listed + from[b].listed;
  if (from[b].old != NONE) {
    const firn_block *old = &s->p->block[from[b].old];
    for (uint32_t i = old->first; i < old->first + old->count; i++) {
      if (s->stay || !moved(s, i)) *out++ = (firn_listed){.slot = i, .brick = (uint32_t)b};
    }
  }
  for (uint32_t i = from[b].mover_first; i < from[b].mover_first + from[b].mover_count; i++) {
    const firn_keyed *m = &s->mover[i];
    *out++ = (firn_listed){
        .slot = m->slot, .brick = (uint32_t)b, .shift = {m->shift[0], m->shift[1], m->shift[2]}};
  }
}

// Lists the particles of bricks that have few, and asks who of them flies.
static firn_status ask(sorter *s, source *from, size_t n, firn_choose_fn choose, void *user) {
  firn_particles *p = s->p;
  size_t count = 0;
  for (size_t b = 0; b < n; b++) {
    if (from[b].count > FIRN_LISTED_MAX) continue;
    from[b].listed = (uint32_t)count;
    count += from[b].count;
  }
  FIRN_TRY(firn_buffer_reserve(p->context, &p->scratch[3], count * sizeof(firn_listed), "sort"));
  s->listed = p->scratch[3].data;
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t b = 0; b < n; b++) {
    if (from[b].listed != NONE) list_brick(s, from, b);
  }
  const firn_choice choice = {p, from, n, s->listed, count, s->stay};
  return choose(user, &choice, &s->flock);
}

// Counts those who fly out of their bricks. Returns how many bricks keep somebody.
static size_t count_out(const sorter *s, source *from, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < s->flock.count; i++) from[s->listed[s->flock.member[i]].brick].stays--;
  for (size_t b = 0; b < n; b++) kept += from[b].stays > 0;
  return kept;
}

static firn_status reserve_flyers(firn_particles *p, size_t count) {
  if (count <= p->pending_capacity) return FIRN_OK;
  void *at = firn_resize(p->context, p->pending_at, p->pending_capacity * sizeof *p->pending_at,
                         count * sizeof *p->pending_at, "flying particles");
  if (!at) return FIRN_ERROR_MEMORY;
  p->pending_at = at;
  p->pending_capacity = count;
  return FIRN_OK;
}

// Where flyers are: the corner of their home, and how far their own brick is from there.
static void place_flyers(const sorter *s, const source *from) {
  firn_particles *p = s->p;
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t i = 0; i < s->flock.count; i++) {
    firn_listed *one = &s->listed[s->flock.member[i]];
    int32_t at[3], *home = p->pending_at[i];
    firn_morton_decode(from[one->brick].key, at);
    firn_morton_decode(from[s->flock.home[i]].key, home);
    for (int a = 0; a < 3; a++) {
      int32_t away = at[a] - home[a], period = p->period[a];
      if (p->periodic[a]) away = (away + period + period / 2) % period - period / 2;
      one->shift[a] = (int8_t)(one->shift[a] - away);
    }
  }
}

static size_t drop_empty(source *from, size_t n) {
  size_t kept = 0;
  for (size_t b = 0; b < n; b++) {
    if (from[b].stays) from[kept++] = from[b];
  }
  return kept;
}

// origin[new slot] = old slot; old blocks are read through old_block, since p->block is new.
static void write_origin(const sorter *s, const source *from, const firn_block *old_block,
                         uint32_t *origin) {
  const firn_particles *p = s->p;
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t b = 0; b < p->block_count; b++) {
    uint32_t *out = origin + p->block[b].first;
    if (from[b].stays < from[b].count) {
      const firn_listed *one = s->listed + from[b].listed;
      for (uint32_t i = 0; i < from[b].count; i++) {
        if (!one[i].flies) *out++ = one[i].slot;
      }
      continue;
    }
    if (from[b].old != NONE) {
      const firn_block *old = &old_block[from[b].old];
      if (from[b].count - from[b].mover_count == old->count) {
        for (uint32_t i = 0; i < old->count; i++) *out++ = old->first + i;
      } else {
        for (uint32_t i = 0; i < old->count; i++) {
          if (!moved(s, old->first + i)) *out++ = old->first + i;
        }
      }
    }
    for (uint32_t m = 0; m < from[b].mover_count; m++) {
      *out++ = s->mover[from[b].mover_first + m].slot;
    }
  }
}

// Pending particles that are not taken yet move along behind the sorted ones.
static void move_along(const sorter *s, const firn_field *field, size_t slots, void *to) {
  const firn_particles *p = s->p;
  size_t size = firn_field_size(field->type), after = s->from + s->take;
  const char *from = (const char *)field->data + p->slots * size;
  char *out = (char *)to + slots * size;
  memcpy(out, from, s->from * size);
  memcpy(out + s->from * size, from + after * size, (p->pending - after) * size);
}

static void permute(const sorter *s, const firn_field *field, const uint32_t *origin, size_t slots,
                    void *to) {
  const firn_particles *p = s->p;
  move_along(s, field, slots, to);
  // Each type has its own loop, so that the compiler sees a plain gather.
#define PERMUTE(type, padding)                                                                     \
  do {                                                                                             \
    const type *from_ = field->data;                                                               \
    type *to_ = to;                                                                                \
    for (uint32_t i = first; i < first + count; i++) to_[i] = from_[origin[i]];                    \
    for (uint32_t i = first + count; i % FIRN_SLOT_ALIGN; i++) to_[i] = (type)(padding);           \
  } while (0)
#define FLY(type)                                                                                  \
  ((type *)to)[slots + i] = ((const type *)field->data)[s->listed[s->flock.member[i]].slot]
  // Padding lies in the middle of its block, at rest and unstrained.
  double padding = field == &p->field[FIRN_FIELD_X] || field == &p->field[FIRN_FIELD_Y] ||
                           field == &p->field[FIRN_FIELD_Z]
                       ? 2
                       : field->initial;
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t u = 0; u < p->unit_count; u++) {
    uint32_t first = p->unit[u].first, count = p->unit[u].count;
    switch (field->type) {
    case FIRN_FIELD_REAL: PERMUTE(firn_real, padding); break;
    case FIRN_FIELD_U32: PERMUTE(uint32_t, padding); break;
    case FIRN_FIELD_U16: PERMUTE(uint16_t, padding); break;
    }
  }
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t i = 0; i < s->flock.count; i++) {
    switch (field->type) {
    case FIRN_FIELD_REAL: FLY(firn_real); break;
    case FIRN_FIELD_U32: FLY(uint32_t); break;
    case FIRN_FIELD_U16: FLY(uint16_t); break;
    }
  }
#undef FLY
#undef PERMUTE
}

static void move_position(const firn_particles *p, size_t slot, const int8_t shift[3]) {
  for (int a = 0; a < 3; a++) {
    firn_particles_real(p, FIRN_FIELD_X + a)[slot] -= (firn_real)(4 * shift[a]);
  }
}

static void move_positions(const sorter *s, const source *from, size_t slots) {
  const firn_particles *p = s->p;
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t b = 0; b < p->block_count; b++) {
    size_t slot = p->block[b].first;
    if (from[b].stays < from[b].count) {
      const firn_listed *one = s->listed + from[b].listed;
      for (uint32_t i = 0; i < from[b].count; i++) {
        if (!one[i].flies) move_position(p, slot++, one[i].shift);
      }
      continue;
    }
    slot += from[b].count - from[b].mover_count;
    for (uint32_t m = 0; m < from[b].mover_count; m++, slot++) {
      move_position(p, slot, s->mover[from[b].mover_first + m].shift);
    }
  }
  FIRN_PARALLEL_FOR(p->context, schedule(static))
  for (size_t i = 0; i < s->flock.count; i++) {
    move_position(p, slots + i, s->listed[s->flock.member[i]].shift);
  }
}

static void free_scratch(firn_particles *p) {
  for (int i = 0; i < 4; i++) firn_buffer_free(p->context, &p->scratch[i]);
}

// Takes some of the pending particles; choose may be NULL.
static firn_status sort_once(firn_particles *p, double shift, bool stay, firn_buffer *scratch,
                             size_t pending_from, size_t take, firn_choose_fn choose, void *user) {
  firn_context *context = p->context;
  sorter s = {.p = p, .shift = (firn_real)shift, .stay = stay, .from = pending_from, .take = take};
  for (int a = 0; a < 3; a++) s.x[a] = firn_particles_real(p, FIRN_FIELD_X + a);

  // What moved.
  size_t blocks = p->block_count;
  FIRN_TRY(firn_buffer_reserve(context, &p->scratch[0],
                               (blocks + 1) * (sizeof(uint32_t) + sizeof(firn_block)), "sort"));
  firn_block *old_block = p->scratch[0].data;
  s.mover_start = (uint32_t *)(old_block + blocks + 1);
  size_t movers = count_movers(&s);
  if (!movers && !p->thinned && !p->regroup) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &p->scratch[1], 2 * movers * sizeof(firn_keyed), "sort"));
  s.mover = p->scratch[1].data;
  if (movers) { // otherwise there may be no array of them
    FIRN_TRY(list_movers(&s));
    s.mover = firn_keyed_sort(s.mover, s.mover + movers, movers);
    order_arrivals(&s, movers);
  }

  // Where everything goes. Whatever can fail does so before the layout changes.
  size_t targets = 0;
  for (size_t i = 0; i < movers; i++) {
    targets += i == 0 || s.mover[i].key != s.mover[i - 1].key;
  }
  FIRN_TRY(
      firn_buffer_reserve(context, &p->scratch[2], (blocks + targets) * sizeof(source), "sort"));
  source *from = p->scratch[2].data;
  size_t n = merge(&s, movers, from), kept = n;
  if (choose) FIRN_TRY(ask(&s, from, n, choose, user));
  if (s.flock.as_before) {
    free_scratch(p);
    return FIRN_OK;
  }
  if (s.flock.count) kept = count_out(&s, from, n);
  size_t slots = lay_out(&s, NULL, from, n), left = p->pending - s.take + s.flock.count;
  if (slots > UINT32_MAX) {
    return firn_fail(context, FIRN_ERROR_DOMAIN,
                     "particles: %zu, padded, take %zu slots, over the limit of 2^32", p->count,
                     slots);
  }
  FIRN_TRY(firn_particles_reserve(p, slots + left));
  FIRN_TRY(firn_buffer_reserve(context, scratch, slots * sizeof(uint32_t), "sort"));
  FIRN_TRY(reserve_flyers(p, s.flock.count));
  FIRN_TRY(reserve_blocks(&s, kept));
  for (int a = 0; a < 3; a++) s.x[a] = firn_particles_real(p, FIRN_FIELD_X + a);
  if (blocks) memcpy(old_block, p->block, blocks * sizeof *old_block);
  change_blocks(&s);
  if (s.flock.count) place_flyers(&s, from);
  if (kept < n) n = drop_empty(from, n);
  lay_out(&s, p, from, n);
  uint32_t *origin = scratch->data;
  write_origin(&s, from, old_block, origin);

  // Every field follows.
  for (int f = 0; f < p->field_count; f++) {
    firn_field *field = &p->field[f];
    permute(&s, field, origin, slots, p->spare.data);
    if (field->bytes == p->spare.bytes) {
      void *swap = field->data;
      field->data = p->spare.data;
      p->spare.data = swap;
    } else {
      memcpy(field->data, p->spare.data, (slots + left) * firn_field_size(field->type));
    }
  }
  move_positions(&s, from, slots);
  p->slots = slots;
  p->thinned = p->regroup = false;
  if (s.take == p->pending) {
    p->flying = s.flock.count;
  } else {
    size_t after = s.from + s.take;
    memmove(p->pending_at + s.from, p->pending_at + after,
            (p->pending - after) * sizeof *p->pending_at);
  }
  p->pending = left;

  // Filling a scene moves everything once; its buffers are not worth keeping.
  if (!p->pending && p->pending_at) {
    firn_free(context, p->pending_at, p->pending_capacity * sizeof *p->pending_at);
    p->pending_at = NULL;
    p->pending_capacity = 0;
  }
  if (s.take && p->pending == p->flying) free_scratch(p);
  return FIRN_OK;
}

firn_status firn_particles_sort_some(firn_particles *p, double shift, bool stay,
                                     firn_buffer *scratch, firn_choose_fn choose, void *user) {
  // New particles are taken in portions of a third of what is there: four passes over the data at
  // most in all, and memory for the moves of a quarter instead of all. With the last come those who fly.
  for (;;) {
    size_t portion = p->slots / 3 > 65536 ? p->slots / 3 : 65536;
    if (p->pending - p->flying <= portion) break;
    FIRN_TRY(sort_once(p, shift, stay, scratch, p->flying, portion, NULL, NULL));
  }
  return sort_once(p, shift, stay, scratch, 0, p->pending, choose, user);
}

firn_status firn_particles_sort(firn_particles *p, double shift, bool stay, firn_buffer *scratch) {
  return firn_particles_sort_some(p, shift, stay, scratch, NULL, NULL);
}
