// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Sorting particles into blocks and units, against a plain sort of all of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/books.h"
#include "support/context.h"
#include "world/morton.h"
#include "world/particles.h"
#include "world/radix.h"

static double draw(uint64_t id, uint32_t stream, double low, double high) {
  return low + (high - low) * firn_uniform(firn_philox4x32(11, id, stream, 0).v[0]);
}

// ---------------------------------------------------------------------------------- what is sorted

// Particles with a field of each type more, all of whose values follow from the id.
typedef struct store {
  firn_particles p;
  int real, word, half; // fields
  firn_buffer scratch;
} store;

static const bool ENDLESS[3] = {false, false, false};
static const int NO_PERIOD[3] = {0, 0, 0};

static void open_store(store *s, firn_context *in, const bool periodic[3], const int cells[3]) {
  memset(s, 0, sizeof *s);
  firn_particles_init(&s->p, in, periodic, cells);
  s->real = firn_particles_add_field(&s->p, "a real", FIRN_FIELD_REAL, 5);
  s->word = firn_particles_add_field(&s->p, "a word", FIRN_FIELD_U32, 6);
  s->half = firn_particles_add_field(&s->p, "a half", FIRN_FIELD_U16, 7);
  assert_true(s->real >= FIRN_FIELD_COMMON && s->word >= 0 && s->half >= 0);
}

static void close_store(store *s) {
  firn_buffer_free(s->p.context, &s->scratch);
  firn_particles_free(&s->p);
}

static uint32_t word_of(uint32_t id) {
  return 2654435761u * (id + 1);
}

// Adds n particles in a box of cells.
static firn_status add(store *s, size_t n, const double low[3], const double high[3]) {
  firn_particles *p = &s->p;
  firn_status status = firn_particles_extend(p, n);
  for (size_t i = 0; i < n && status == FIRN_OK; i++) {
    size_t slot = p->slots + p->pending + i;
    uint32_t id = firn_particles_id(p)[slot];
    double cell[3];
    for (uint32_t a = 0; a < 3; a++) cell[a] = draw(id, a, low[a], high[a]);
    status = firn_particles_place(p, slot, cell);
    firn_particles_real(p, FIRN_FIELD_MASS)[slot] = (firn_real)(1 + id % 1000);
    firn_particles_real(p, s->real)[slot] = (firn_real)(id % 4096);
    ((uint32_t *)p->field[s->word].data)[slot] = word_of(id);
    ((uint16_t *)p->field[s->half].data)[slot] = (uint16_t)id;
  }
  if (status != FIRN_OK) return status;
  p->pending += n;
  p->count += n;
  p->next_id += n;
  return FIRN_OK;
}

// Moves some of the sorted ones, by whole blocks and less.
static void stir(store *s, double share, double blocks, uint32_t stream) {
  for (size_t b = 0; b < s->p.block_count; b++) {
    for (uint32_t i = 0; i < s->p.block[b].count; i++) {
      size_t slot = s->p.block[b].first + i;
      uint32_t id = firn_particles_id(&s->p)[slot];
      if (draw(id, stream, 0, 1) > share) continue;
      for (int a = 0; a < 3; a++) {
        double by = draw(id, stream + 1 + (uint32_t)a, -4 * blocks, 4 * blocks);
        firn_particles_real(&s->p, FIRN_FIELD_X + a)[slot] += (firn_real)by;
      }
    }
  }
}

// ------------------------------------------------------------------------------------ the plain sort

typedef struct entry {
  uint64_t key;
  int come;         // 0: it stays, 1: it comes from another block, 2: it is new
  int direction[3]; // blocks that it has come by
  size_t slot;      // that it had
  uint32_t id;
  firn_real x[3];
} entry;

static int by_place(const void *a, const void *b) {
  const entry *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  if (p->come != q->come) return p->come - q->come;
  for (int i = 0; i < 3 && p->come == 1; i++)
    if (p->direction[i] != q->direction[i]) return p->direction[i] - q->direction[i];
  return p->slot < q->slot ? -1 : 1;
}

typedef struct plan {
  const store *s;
  double shift;
  bool stay;
  entry *list;
  size_t count;
} plan;

static void plan_one(void *user, size_t slot, const double corner[3]) {
  plan *to = user;
  const firn_particles *p = &to->s->p;
  entry *e = &to->list[to->count++];
  bool is_new = slot >= p->slots;
  int32_t at[3];
  *e = (entry){.slot = slot, .id = firn_particles_id(p)[slot], .come = is_new ? 2 : 0};
  for (int a = 0; a < 3; a++) {
    firn_real x = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    // In reals, as positions are: (x - shift) / 4 rounds the same way.
    int blocks = (int)floor((double)(x - (firn_real)to->shift) / 4);
    if (to->stay && !is_new) blocks = 0;
    e->direction[a] = blocks;
    e->x[a] = x - (firn_real)(4 * blocks);
    if (!is_new && blocks) e->come = 1;
    at[a] = (int32_t)(corner[a] / 4) + blocks;
    if (p->period[a]) at[a] = ((at[a] % p->period[a]) + p->period[a]) % p->period[a];
  }
  e->key = firn_morton(at);
}

// What a sort must make of the store as it is.
static plan make_plan(const store *s, double shift, bool stay) {
  plan to = {.s = s, .shift = shift, .stay = stay};
  to.list = malloc((s->p.count + 1) * sizeof *to.list);
  firn_particles_visit(&s->p, plan_one, &to);
  assert_int_equal(to.count, s->p.count);
  qsort(to.list, to.count, sizeof *to.list, by_place);
  return to;
}

static void assert_layout(const firn_particles *p) {
  size_t slot = 0, block = 0;
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    slot = (slot + FIRN_SLOT_ALIGN - 1) / FIRN_SLOT_ALIGN * FIRN_SLOT_ALIGN;
    assert_int_equal(unit->first, slot);
    assert_int_equal(unit->first_block, block);
    assert_true(unit->block_count > 0);
    size_t before = slot, count = 0;
    for (uint32_t b = 0; b < unit->block_count; b++, block++) {
      // A unit goes on while it is small and what comes does not make it large.
      assert_true(b == 0 ||
                  (count < FIRN_UNIT_MIN && count + p->block[block].count <= 2 * FIRN_UNIT_MIN));
      assert_int_equal(p->block[block].first, slot);
      assert_true(p->block[block].count > 0);
      slot += p->block[block].count;
      count = slot - before;
    }
    assert_int_equal(unit->count, count);
    if (u + 1 < p->unit_count)
      assert_true(count >= FIRN_UNIT_MIN || count + p->block[block].count > 2 * FIRN_UNIT_MIN);
  }
  assert_int_equal(block, p->block_count);
  assert_int_equal(p->slots, (slot + FIRN_SLOT_ALIGN - 1) / FIRN_SLOT_ALIGN * FIRN_SLOT_ALIGN);
}

static void assert_padding(const store *s) {
  const firn_particles *p = &s->p;
  for (size_t u = 0; u < p->unit_count; u++) {
    size_t end = u + 1 < p->unit_count ? p->unit[u + 1].first : p->slots;
    for (size_t i = p->unit[u].first + p->unit[u].count; i < end; i++) {
      for (int a = 0; a < 3; a++)
        assert_true(firn_particles_real(p, FIRN_FIELD_X + a)[i] == 2 &&
                    firn_particles_real(p, FIRN_FIELD_VX + a)[i] == 0);
      assert_true(firn_particles_real(p, FIRN_FIELD_MASS)[i] == 0);
      assert_true(firn_particles_real(p, s->real)[i] == 5);
      assert_int_equal(((uint32_t *)p->field[s->word].data)[i], 6);
      assert_int_equal(((uint16_t *)p->field[s->half].data)[i], 7);
    }
  }
}

// The store is sorted as planned, and every field has come along.
static void assert_sorted(const store *s, plan to) {
  const firn_particles *p = &s->p;
  assert_int_equal(p->pending, 0);
  assert_int_equal(p->count, to.count);
  assert_layout(p);
  size_t n = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    assert_true(!b || firn_morton(block[-1].at) < firn_morton(block->at));
    for (uint32_t i = 0; i < block->count; i++, n++) {
      size_t slot = block->first + i;
      const entry *e = &to.list[n];
      uint32_t id = firn_particles_id(p)[slot];
      assert_true(firn_morton(block->at) == e->key);
      assert_int_equal(id, e->id);
      for (int a = 0; a < 3; a++) {
        firn_real x = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
        assert_true(x == e->x[a]);
        // Rounding may leave one at the far end.
        if (!to.stay) assert_true((double)x >= to.shift && (double)x <= 4 + to.shift);
      }
      assert_true(firn_particles_real(p, FIRN_FIELD_MASS)[slot] == (firn_real)(1 + id % 1000));
      assert_true(firn_particles_real(p, s->real)[slot] == (firn_real)(id % 4096));
      assert_int_equal(((uint32_t *)p->field[s->word].data)[slot], word_of(id));
      assert_int_equal(((uint16_t *)p->field[s->half].data)[slot], (uint16_t)id);
    }
  }
  assert_int_equal(n, to.count);
  assert_padding(s);
  free(to.list);
}

static void sort_and_check(store *s, double shift, bool stay) {
  plan to = make_plan(s, shift, stay);
  assert_int_equal(firn_particles_sort(&s->p, shift, stay, &s->scratch), FIRN_OK);
  assert_sorted(s, to);
}

// ---------------------------------------------------------------------------------------------- tests

static const double LOW[3] = {-30, -9, -3}, HIGH[3] = {25, 11, 2};

static void new_particles_are_laid_out_by_block_in_their_order(void **state) {
  (void)state;
  store s;
  open_store(&s, context, ENDLESS, NO_PERIOD);
  sort_and_check(&s, 0, false); // nothing at all
  assert_int_equal(s.p.block_count, 0);
  assert_int_equal(add(&s, 5000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  assert_true(s.p.block_count > 100 && s.p.unit_count > 5 && s.p.unit_count < s.p.block_count);
  // A block that is a unit by itself, and others.
  assert_int_equal(add(&s, 700, (double[3]){0, 0, 0}, (double[3]){4, 4, 1}), FIRN_OK);
  assert_int_equal(add(&s, 900, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  close_store(&s);
}

static void movers_come_behind_those_who_stay_in_the_order_of_where_from(void **state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    store s;
    double shift = 0.5 * quadratic;
    open_store(&s, context, ENDLESS, NO_PERIOD);
    assert_int_equal(add(&s, 6000, LOW, HIGH), FIRN_OK);
    sort_and_check(&s, shift, false);
    for (uint32_t round = 0; round < 6; round++) {
      stir(&s, round < 3 ? 0.1 : 0.9, round % 2 ? 0.4 : 2.6, 10 + 4 * round);
      if (round == 2) assert_int_equal(add(&s, 500, LOW, HIGH), FIRN_OK);
      sort_and_check(&s, shift, false);
    }
    close_store(&s);
  }
}

static void nothing_is_touched_where_nothing_moved(void **state) {
  (void)state;
  store s;
  open_store(&s, context, ENDLESS, NO_PERIOD);
  assert_int_equal(add(&s, 3000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  const void *data = s.p.field[FIRN_FIELD_X].data;
  sort_and_check(&s, 0, false);
  assert_ptr_equal(s.p.field[FIRN_FIELD_X].data, data);
  close_store(&s);
}

static void those_who_are_to_stay_keep_blocks_that_they_have_left(void **state) {
  (void)state;
  store s;
  open_store(&s, context, ENDLESS, NO_PERIOD);
  assert_int_equal(add(&s, 2000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  stir(&s, 0.5, 0.3, 30);
  assert_int_equal(add(&s, 300, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, true);
  sort_and_check(&s, 0, false); // and then they go
  close_store(&s);
}

static void periodic_axes_wrap_round(void **state) {
  (void)state;
  const bool periodic[3] = {true, false, true};
  const int cells[3] = {4, 0, 24};
  store s;
  open_store(&s, context, periodic, cells);
  // Placed outside of the period, they are inside.
  assert_int_equal(add(&s, 4000, (double[3]){-50, -9, -80}, (double[3]){40, 11, 90}), FIRN_OK);
  sort_and_check(&s, 0.5, false);
  for (uint32_t round = 0; round < 4; round++) {
    stir(&s, 0.7, round < 2 ? 0.6 : 9, 50 + 4 * round);
    sort_and_check(&s, 0.5, false);
    for (size_t b = 0; b < s.p.block_count; b++) {
      assert_int_equal(s.p.block[b].at[0], 0);
      assert_true(s.p.block[b].at[2] >= 0 && s.p.block[b].at[2] < 6);
    }
  }
  close_store(&s);
}

// 127 blocks are the furthest that a particle may go; then, and at the end of the addressable domain, it
// is lost, which is told before anything has changed.
static void whoever_goes_too_far_is_named(void **state) {
  (void)state;
  store s;
  open_store(&s, context, ENDLESS, NO_PERIOD);
  assert_int_equal(add(&s, 1000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  size_t slot = s.p.block[7].first;
  firn_real *x = &firn_particles_real(&s.p, FIRN_FIELD_Y)[slot];
  *x = (firn_real)(-4 * 127 + 1);
  sort_and_check(&s, 0, false);
  for (int n = 0; n < 3; n++) {
    char text[64];
    const double wrong[3] = {-4 * 127 - 1, NAN, 4 * 128 + 1};
    slot = s.p.block[3].first;
    x = &firn_particles_real(&s.p, FIRN_FIELD_Y)[slot];
    firn_real inside = *x;
    uint32_t id = firn_particles_id(&s.p)[slot];
    *x = (firn_real)wrong[n];
    assert_int_equal(firn_particles_sort(&s.p, 0, false, &s.scratch), FIRN_ERROR_DOMAIN);
    snprintf(text, sizeof text, "particle %u: its position", id);
    assert_non_null(strstr(firn_context_message(context), text));
    assert_int_equal(firn_particles_id(&s.p)[slot], id);
    *x = inside;
    sort_and_check(&s, 0, false);
  }
  // Away by steps of 100 blocks, until the domain ends.
  firn_status status = FIRN_OK;
  int32_t last = 0;
  for (int n = 0; n < 20000 && status == FIRN_OK; n++) {
    const firn_block *end =
        &s.p.block[s.p.block_count - 1]; // far along x is last in Morton's order
    last = end->at[0];
    firn_particles_real(&s.p, FIRN_FIELD_X)[end->first] += 4 * 100;
    status = firn_particles_sort(&s.p, 0, false, &s.scratch);
  }
  assert_int_equal(status, FIRN_ERROR_DOMAIN);
  assert_true(last < FIRN_MORTON_LIMIT && last + 100 >= FIRN_MORTON_LIMIT);
  close_store(&s);
}

static bool is_third(const void *user, size_t slot, const double x[3]) {
  (void)x;
  return firn_particles_id(user)[slot] % 3 == 0;
}

static void gaps_of_those_taken_out_are_closed(void **state) {
  (void)state;
  store s;
  open_store(&s, context, ENDLESS, NO_PERIOD);
  assert_int_equal(add(&s, 3000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  size_t slots = s.p.slots;
  assert_int_equal(firn_particles_remove(&s.p, 1, NULL, is_third, &s.p, NULL, NULL), 1000);
  assert_int_equal(s.p.count, 2000);
  sort_and_check(&s, 0, false);
  assert_true(s.p.slots < slots);
  close_store(&s);
}

// Those who wait come in portions of a third of what is there, 65536 at the least; none is lost between.
static void many_new_particles_come_in_portions(void **state) {
  (void)state;
  store s;
  open_store(&s, context, ENDLESS, NO_PERIOD);
  assert_int_equal(add(&s, 150000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  assert_int_equal(add(&s, 70000, LOW, HIGH), FIRN_OK);
  sort_and_check(&s, 0, false);
  close_store(&s);
}

// All take off, each from a brick of its own.
enum { FLYERS = 12000 };
static firn_status all_fly(void *user, const firn_choice *choice, firn_flock *out) {
  uint32_t *member = user, *home = member + FLYERS;
  assert_int_equal(choice->listed_count, FLYERS);
  for (uint32_t i = 0; i < FLYERS; i++) {
    choice->listed[i].flies = true;
    member[i] = i;
    home[i] = choice->listed[i].brick;
  }
  *out = (firn_flock){.count = FLYERS, .member = member, .home = home};
  return FIRN_OK;
}

static void blocks_that_all_have_left_are_given_back(void **state) {
  (void)state;
  store s;
  uint32_t *flock = malloc(2 * FLYERS * sizeof *flock);
  const double low[3] = {0, 0, 0}, high[3] = {4000, 4000, 4000};
  open_store(&s, context, ENDLESS, NO_PERIOD);
  assert_int_equal(add(&s, FLYERS, low, high), FIRN_OK);
  sort_and_check(&s, 0, false);
  size_t blocks = s.p.block_count;
  assert_true(blocks > FLYERS - FLYERS / 100 && s.p.block_capacity >= blocks);
  s.p.regroup = true; // nothing has moved
  assert_int_equal(firn_particles_sort_some(&s.p, 0, false, &s.scratch, all_fly, flock), FIRN_OK);
  assert_int_equal(s.p.flying, FLYERS);
  assert_int_equal(s.p.block_count, 0);
  assert_true(s.p.block_capacity < 10 && s.p.unit_capacity < 10);
  // And when they land they have blocks again.
  sort_and_check(&s, 0, false);
  assert_int_equal(s.p.block_count, blocks);
  assert_int_equal(s.p.flying, 0);
  close_store(&s);
  free(flock);
}

static void threads_make_no_difference(void **state) {
  (void)state;
  store s[3];
  for (int t = 0; t < 3; t++) {
    firn_context_def def = firn_default_context_def();
    firn_context *own;
    def.threads = t == 2 ? 7 : 1 + t;
    assert_int_equal(firn_context_create(&def, &own), FIRN_OK);
    open_store(&s[t], own, ENDLESS, NO_PERIOD);
    assert_int_equal(add(&s[t], 20000, LOW, HIGH), FIRN_OK);
    assert_int_equal(firn_particles_sort(&s[t].p, 0.5, false, &s[t].scratch), FIRN_OK);
    stir(&s[t], 0.4, 1.5, 70);
    assert_int_equal(add(&s[t], 2000, LOW, HIGH), FIRN_OK);
    assert_int_equal(firn_particles_sort(&s[t].p, 0.5, false, &s[t].scratch), FIRN_OK);
    const firn_particles *p = &s[t].p, *first = &s[0].p;
    assert_int_equal(p->slots, first->slots);
    assert_int_equal(p->block_count, first->block_count);
    assert_int_equal(p->unit_count, first->unit_count);
    assert_memory_equal(p->block, first->block, p->block_count * sizeof *p->block);
    assert_memory_equal(p->unit, first->unit, p->unit_count * sizeof *p->unit);
    for (int f = 0; f < p->field_count; f++)
      assert_memory_equal(p->field[f].data, first->field[f].data,
                          p->slots * firn_field_size(p->field[f].type));
  }
  for (int t = 0; t < 3; t++) {
    firn_context *own = s[t].p.context;
    close_store(&s[t]);
    assert_int_equal(firn_context_bytes(own), 0);
    firn_context_destroy(own);
  }
}

// Each allocation fails in turn. Particles are then where they were, and can be sorted when there is
// memory again.
static void memory_that_runs_out_leaves_all_in_place(void **state) {
  (void)state;
  books b = {0};
  firn_context *own;
  assert_int_equal(books_context(&b, 2, &own), FIRN_OK);
  for (size_t n = 0;; n++) {
    store s;
    open_store(&s, own, ENDLESS, NO_PERIOD);
    assert_int_equal(add(&s, 900, LOW, HIGH), FIRN_OK);
    sort_and_check(&s, 0, false);
    stir(&s, 0.5, 1.5, 90);
    assert_int_equal(add(&s, 300, LOW, HIGH), FIRN_OK);
    plan to = make_plan(&s, 0, false);
    books_close_after(&b, n);
    firn_status status = firn_particles_sort(&s.p, 0, false, &s.scratch);
    books_open(&b);
    bool done = status == FIRN_OK;
    if (!done) {
      assert_int_equal(status, FIRN_ERROR_MEMORY);
      assert_int_equal(s.p.pending, 300);
      assert_int_equal(firn_particles_sort(&s.p, 0, false, &s.scratch), FIRN_OK);
    }
    assert_sorted(&s, to);
    close_store(&s);
    assert_int_equal(firn_context_bytes(own), 0);
    assert_int_equal(b.wrong, 0);
    if (!done) continue;
    assert_true(n > 3);
    break;
  }
  firn_context_destroy(own);
}

static void keys_are_sorted_and_equals_keep_their_order(void **state) {
  (void)state;
  enum { N = 5000 };
  static firn_keyed list[2 * N];
  // All 63 bits; few; one, of which no digit needs a pass; and a digit in the middle.
  const uint64_t masks[4] = {UINT64_MAX >> 1, 7, 0, (uint64_t)0x3f << 30};
  for (int k = 0; k < 4; k++) {
    for (uint32_t i = 0; i < N; i++) {
      firn_philox r = firn_philox4x32(13, i, 0, 0);
      uint64_t bits = (uint64_t)r.v[0] << 32 | r.v[1];
      list[i] = (firn_keyed){.key = (bits & masks[k]) | (uint64_t)1 << 50, .slot = i};
    }
    const firn_keyed *sorted = firn_keyed_sort(list, list + N, N);
    bool seen[N] = {false};
    for (uint32_t i = 0; i < N; i++) {
      firn_philox r = firn_philox4x32(13, sorted[i].slot, 0, 0);
      uint64_t bits = (uint64_t)r.v[0] << 32 | r.v[1];
      assert_true(sorted[i].key == ((bits & masks[k]) | (uint64_t)1 << 50));
      assert_false(seen[sorted[i].slot]);
      seen[sorted[i].slot] = true;
      assert_true(!i || sorted[i - 1].key < sorted[i].key ||
                  (sorted[i - 1].key == sorted[i].key && sorted[i - 1].slot < sorted[i].slot));
    }
  }
}

static void morton_keys_come_back_and_follow_the_octants(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 10000; i++) {
    int32_t at[3], back[3];
    for (uint32_t a = 0; a < 3; a++) {
      double limit = i % 2 ? FIRN_MORTON_LIMIT : 4;
      at[a] = (int32_t)floor(draw(i, 100 + a, -limit, limit));
    }
    uint64_t key = firn_morton(at);
    assert_true(key >> 63 == 0);
    firn_morton_decode(key, back);
    assert_memory_equal(at, back, sizeof at);
    // Blocks that differ in z only, from an even one on, follow each other; then y, then x.
    if ((at[0] | at[1] | at[2]) & 1) continue;
    assert_true(firn_morton((int32_t[3]){at[0], at[1], at[2] + 1}) == key + 1);
    assert_true(firn_morton((int32_t[3]){at[0], at[1] + 1, at[2]}) == key + 2);
    assert_true(firn_morton((int32_t[3]){at[0] + 1, at[1], at[2]}) == key + 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(new_particles_are_laid_out_by_block_in_their_order),
      cmocka_unit_test(movers_come_behind_those_who_stay_in_the_order_of_where_from),
      cmocka_unit_test(nothing_is_touched_where_nothing_moved),
      cmocka_unit_test(those_who_are_to_stay_keep_blocks_that_they_have_left),
      cmocka_unit_test(periodic_axes_wrap_round),
      cmocka_unit_test(whoever_goes_too_far_is_named),
      cmocka_unit_test(gaps_of_those_taken_out_are_closed),
      cmocka_unit_test(many_new_particles_come_in_portions),
      cmocka_unit_test(blocks_that_all_have_left_are_given_back),
      cmocka_unit_test(threads_make_no_difference),
      cmocka_unit_test(memory_that_runs_out_leaves_all_in_place),
      cmocka_unit_test(keys_are_sorted_and_equals_keep_their_order),
      cmocka_unit_test(morton_keys_come_back_and_follow_the_octants),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
