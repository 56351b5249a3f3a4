// SPDX-License-Identifier: Apache-2.0
// processors: 2
// The sparse grid, against a search through all pairs of blocks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "grid/block_map.h"
#include "grid/grid.h"
#include "support/books.h"
#include "support/context.h"
#include "world/morton.h"

static double draw(uint64_t id, uint32_t stream) {
  return firn_uniform(firn_philox4x32(17, id, stream, 0).v[0]);
}

// ----------------------------------------------------------------------------------- what it is made of

typedef struct scene {
  firn_particles particles;
  firn_reach *reach; // [blocks]
  firn_grid grid;
} scene;

// Particles in a box of cells, the rarer the further along x; some may be at its low corner in crowds.
static void make(scene *s, firn_context *in, size_t count, const double size[3],
                 const int period_cells[3]) {
  const bool periodic[3] = {period_cells[0] > 0, period_cells[1] > 0, period_cells[2] > 0};
  firn_buffer scratch = {0};
  firn_particles *p = &s->particles;
  firn_particles_init(p, in, periodic, period_cells);
  assert_int_equal(firn_particles_extend(p, count), FIRN_OK);
  for (size_t i = 0; i < count; i++) {
    double cell[3];
    for (uint32_t a = 0; a < 3; a++) cell[a] = size[a] * draw(i, a);
    cell[0] = size[0] * pow(draw(i, 0), 3);
    assert_int_equal(firn_particles_place(p, i, cell), FIRN_OK);
  }
  p->pending = p->count = p->next_id = count;
  assert_int_equal(firn_particles_sort(p, 0, false, &scratch), FIRN_OK);
  firn_buffer_free(in, &scratch);
  // Any reach that a stencil may have: from 2 nodes below the block to 2 above.
  s->reach = malloc((p->block_count + 1) * sizeof *s->reach);
  for (size_t b = 0; b < p->block_count; b++) {
    for (uint32_t a = 0; a < 3; a++) {
      int lo = -2 + (int)(6 * draw(b, 10 + a)), hi = lo + 2 + (int)(6 * draw(b, 20 + a));
      s->reach[b].lo[a] = (int8_t)lo;
      s->reach[b].hi[a] = (int8_t)(hi > 6 ? 6 : hi);
    }
  }
  firn_grid_init(&s->grid, in);
}

static void drop(scene *s) {
  free(s->reach);
  firn_grid_free(&s->grid);
  firn_particles_free(&s->particles);
}

static bool may_be_spray(const scene *s, size_t b) {
  return s->particles.block[b].count <= 8;
}

// Builds the grid; with spray, every block of few particles is.
static firn_status build(scene *s, bool spray) {
  for (size_t b = 0; b < s->particles.block_count; b++) {
    s->reach[b].spray = spray && may_be_spray(s, b);
  }
  return firn_grid_build(&s->grid, &s->particles, s->reach, spray);
}

static int block_of(int node) {
  return node < 0 ? -1 : node / 4;
}

static int32_t wrapped(int32_t at, int32_t period) {
  return period ? ((at % period) + period) % period : at;
}

// Where the block at an offset from another is.
static void at_offset(const scene *s, const int32_t from[3], int o, int32_t at[3]) {
  const int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
  for (int a = 0; a < 3; a++) at[a] = wrapped(from[a] + d[a], s->particles.period[a]);
}

static bool reaches(const firn_reach *r, int o) {
  const int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
  bool all = true;
  for (int a = 0; a < 3; a++) all = all && d[a] >= block_of(r->lo[a]) && d[a] <= block_of(r->hi[a]);
  return all;
}

static uint32_t find(const scene *s, const int32_t at[3]) {
  for (size_t g = 0; g < s->grid.count; g++)
    if (!memcmp(s->grid.at[g], at, sizeof s->grid.at[g])) return (uint32_t)g;
  return FIRN_GRID_NONE;
}

// ------------------------------------------------------------------------------------------- what it is

// Node blocks are numbered as they are first reached, those that only spray would reach do not exist, and
// every block knows the number at each offset.
static void assert_targets(const scene *s) {
  const firn_grid *grid = &s->grid;
  uint32_t next = 0;
  for (size_t b = 0; b < s->particles.block_count; b++) {
    for (int o = 0; o < 27; o++) {
      int32_t at[3];
      at_offset(s, s->particles.block[b].at, o, at);
      uint32_t target = grid->target[b][o];
      if (!reaches(&s->reach[b], o)) {
        assert_int_equal(target, FIRN_GRID_NONE);
        continue;
      }
      assert_int_equal(target, find(s, at));
      if (s->reach[b].spray) continue;
      assert_true(target <= next && target != FIRN_GRID_NONE);
      next += target == next;
    }
  }
  assert_int_equal(grid->count, next);
}

// Whoever reaches a node block is listed with it once for each offset, in their order, and nobody else.
static void assert_givers(const scene *s) {
  const firn_grid *grid = &s->grid;
  size_t pairs = 0;
  for (size_t b = 0; b < s->particles.block_count; b++) {
    for (int o = 0; o < 27; o++) {
      pairs += grid->target[b][o] != FIRN_GRID_NONE;
      assert_int_equal(grid->found[b] >> o & 1, grid->target[b][o] != FIRN_GRID_NONE);
    }
  }
  assert_int_equal(grid->giver_start[0], 0);
  assert_int_equal(grid->giver_start[grid->count], pairs);
  for (size_t g = 0; g < grid->count; g++) {
    for (uint32_t i = grid->giver_start[g]; i < grid->giver_start[g + 1]; i++) {
      firn_giver giver = grid->giver[i];
      int32_t at[3];
      assert_true(i == grid->giver_start[g] || grid->giver[i - 1] < giver);
      at_offset(s, grid->at[g], firn_giver_offset(giver), at);
      assert_memory_equal(at, s->particles.block[firn_giver_block(giver)].at, sizeof at);
      assert_int_equal(grid->target[firn_giver_block(giver)][26 - firn_giver_offset(giver)], g);
    }
  }
}

static bool overlap(const scene *s, size_t a, size_t b, const int shift[3]) {
  for (int i = 0; i < 3; i++) {
    int lo = s->reach[b].lo[i] + shift[i], hi = s->reach[b].hi[i] + shift[i];
    if (lo > s->reach[a].hi[i] || hi < s->reach[a].lo[i]) return false;
  }
  return true;
}

// From the corner of block a to that of b, in nodes, the short way round.
static void shift_between(const scene *s, size_t a, size_t b, int shift[3]) {
  for (int i = 0; i < 3; i++) {
    int32_t d = s->particles.block[b].at[i] - s->particles.block[a].at[i];
    int32_t period = s->particles.period[i];
    if (period) d = wrapped(d + period / 2, period) - period / 2;
    shift[i] = 4 * d;
  }
}

// The parcel that a block of spray belongs to: exactly one, and all of it in the same cube.
static const firn_parcel *parcel_of(const scene *s, size_t b) {
  const firn_parcel *mine = NULL;
  for (size_t i = 0; i < s->grid.parcel_count; i++) {
    const firn_parcel *parcel = &s->grid.parcel[i];
    if (b < parcel->first || b >= parcel->end) continue;
    assert_null(mine);
    mine = parcel;
  }
  assert_non_null(mine);
  for (int a = 0; a < 3 && mine; a++) {
    assert_int_equal(s->particles.block[b].at[a] >> 3, s->particles.block[mine->first].at[a] >> 3);
  }
  return mine;
}

// Neighbours come by x, y and z, so that every parcel adds up what it shares with another alike.
static void assert_order(const firn_grid *grid, const firn_parcel *parcel) {
  const firn_neighbour *n = grid->neighbour + parcel->neighbour;
  for (uint32_t i = 1; i < parcel->neighbours; i++) {
    int was = 0, is = 0;
    for (int a = 0; a < 3; a++) {
      was = 256 * was + n[i - 1].shift[a];
      is = 256 * is + n[i].shift[a];
    }
    assert_true(was < is);
  }
}

// Every block of spray is in one parcel, which knows all spray that shares nodes with it: itself, too.
static void assert_spray(const scene *s, bool may_have_spray) {
  const firn_grid *grid = &s->grid;
  size_t spray = 0;
  for (size_t a = 0; a < s->particles.block_count; a++) {
    assert_int_equal(s->reach[a].spray, may_have_spray && may_be_spray(s, a));
    spray += s->reach[a].spray;
    if (!s->reach[a].spray) continue;
    const firn_parcel *parcel = parcel_of(s, a);
    if (!parcel) continue; // it has failed
    for (size_t b = 0; b < s->particles.block_count; b++) {
      int shift[3];
      shift_between(s, a, b, shift);
      if (!s->reach[b].spray || !overlap(s, a, b, shift)) continue;
      uint32_t i = parcel->neighbour, end = i + parcel->neighbours;
      while (i < end && grid->neighbour[i].block != b) i++;
      assert_true(i < end);
      for (int c = 0; c < 3; c++) {
        int in_parcel = 4 * (s->particles.block[a].at[c] & 7);
        assert_int_equal(grid->neighbour[i].shift[c], in_parcel + shift[c]);
      }
    }
  }
  assert_int_equal(grid->spray_count, spray);
  assert_true(!spray == !grid->parcel_count);
  for (size_t i = 0; i < grid->parcel_count; i++) assert_order(grid, &grid->parcel[i]);
}

static void assert_links(const scene *s) {
  for (size_t g = 0; g < s->grid.count; g++) {
    for (int o = 0; o < 27; o++) {
      int32_t at[3];
      at_offset(s, s->grid.at[g], o, at);
      assert_int_equal(s->grid.around[g][o], find(s, at));
    }
    assert_int_equal(s->grid.around[g][firn_grid_offset(0, 0, 0)], g);
  }
}

static void assert_built(const scene *s, bool may_have_spray) {
  assert_targets(s);
  assert_givers(s);
  assert_spray(s, may_have_spray);
}

// ---------------------------------------------------------------------------------------------- tests

static const int NO_PERIOD[3] = {0, 0, 0};

static void node_blocks_are_where_particles_reach(void **state) {
  (void)state;
  const double sizes[3][3] = {{12, 12, 12}, {90, 20, 20}, {400, 40, 40}};
  for (int n = 0; n < 3; n++) {
    scene s;
    make(&s, context, 1500, sizes[n], NO_PERIOD);
    assert_int_equal(build(&s, false), FIRN_OK);
    assert_true(s.grid.count > s.particles.block_count);
    assert_built(&s, false);
    // Again, in the memory that is there.
    for (size_t b = 0; b < s.particles.block_count; b++) s.reach[b].hi[1] = 3;
    assert_int_equal(build(&s, false), FIRN_OK);
    assert_built(&s, false);
    drop(&s);
  }
}

static void without_particles_there_is_nothing(void **state) {
  (void)state;
  scene s;
  make(&s, context, 0, (double[3]){1, 1, 1}, NO_PERIOD);
  assert_int_equal(build(&s, true), FIRN_OK);
  assert_int_equal(firn_grid_link(&s.grid, &s.particles), FIRN_OK);
  assert_int_equal(s.grid.count, 0);
  drop(&s);
}

static void spray_makes_no_node_blocks_and_knows_its_neighbours(void **state) {
  (void)state;
  scene s;
  make(&s, context, 6000, (double[3]){300, 30, 30}, NO_PERIOD);
  assert_int_equal(build(&s, false), FIRN_OK);
  size_t whole = s.grid.count;
  assert_int_equal(build(&s, true), FIRN_OK);
  assert_built(&s, true);
  assert_true(s.grid.count > 0 && 2 * s.grid.count < whole);
  // Node blocks that exist for others count spray at their edge as givers.
  size_t at_edge = 0;
  for (size_t b = 0; b < s.particles.block_count; b++)
    for (int o = 0; o < 27; o++)
      at_edge += s.reach[b].spray && s.grid.target[b][o] != FIRN_GRID_NONE;
  assert_true(at_edge > 0);
  drop(&s);
}

// Periods from one block on; where a period is short enough that a block could meet another twice, there
// is no spray.
static void periodic_grids_have_no_edge(void **state) {
  (void)state;
  const int periods[5][3] = {{4, 8, 12}, {48, 0, 48}, {200, 64, 0}, {0, 0, 4}, {0, 200, 44}};
  for (int n = 0; n < 5; n++) {
    scene s;
    double size[3];
    bool spray = true;
    for (int a = 0; a < 3; a++) {
      size[a] = periods[n][a] ? periods[n][a] : 30;
      spray = spray && (!periods[n][a] || periods[n][a] >= 48);
    }
    make(&s, context, 300, size, periods[n]);
    assert_int_equal(build(&s, true), FIRN_OK);
    assert_built(&s, spray);
    assert_int_equal(firn_grid_link(&s.grid, &s.particles), FIRN_OK);
    assert_links(&s);
    drop(&s);
  }
}

static void links_are_the_node_blocks_around(void **state) {
  (void)state;
  scene s;
  make(&s, context, 1500, (double[3]){90, 20, 20}, NO_PERIOD);
  for (int spray = 0; spray < 2; spray++) {
    assert_int_equal(build(&s, spray), FIRN_OK);
    assert_int_equal(firn_grid_link(&s.grid, &s.particles), FIRN_OK);
    assert_links(&s);
    size_t missing = 0;
    for (size_t g = 0; g < s.grid.count; g++)
      for (int o = 0; o < 27; o++) {
        uint32_t other = s.grid.around[g][o];
        missing += other == FIRN_GRID_NONE;
        if (other != FIRN_GRID_NONE) assert_int_equal(s.grid.around[other][26 - o], g);
      }
    assert_true(missing > 0 && missing < 26 * s.grid.count);
  }
  drop(&s);
}

static void threads_make_no_difference(void **state) {
  (void)state;
  scene s[2];
  for (int t = 0; t < 2; t++) {
    firn_context_def def = firn_default_context_def();
    firn_context *own;
    def.threads = 1 + 4 * t;
    assert_int_equal(firn_context_create(&def, &own), FIRN_OK);
    make(&s[t], own, 4000, (double[3]){400, 40, 40}, NO_PERIOD);
    assert_int_equal(build(&s[t], true), FIRN_OK);
    assert_int_equal(firn_grid_link(&s[t].grid, &s[t].particles), FIRN_OK);
  }
  const firn_grid *a = &s[0].grid, *b = &s[1].grid;
  size_t blocks = s[0].particles.block_count;
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->at, b->at, a->count * sizeof *a->at);
  assert_memory_equal(a->around, b->around, a->count * sizeof *a->around);
  assert_memory_equal(a->target, b->target, blocks * sizeof *a->target);
  assert_memory_equal(a->giver, b->giver, a->giver_start[a->count] * sizeof *a->giver);
  assert_memory_equal(a->found, b->found, blocks * sizeof *a->found);
  assert_true(a->parcel_count > 1);
  assert_int_equal(a->parcel_count, b->parcel_count);
  assert_memory_equal(a->parcel, b->parcel, a->parcel_count * sizeof *a->parcel);
  const firn_parcel *last = &a->parcel[a->parcel_count - 1];
  for (uint32_t i = 0; i < last->neighbour + last->neighbours; i++) {
    assert_int_equal(a->neighbour[i].block, b->neighbour[i].block);
    assert_memory_equal(a->neighbour[i].shift, b->neighbour[i].shift, 3);
  }
  for (int t = 0; t < 2; t++) {
    firn_context *own = s[t].grid.context;
    drop(&s[t]);
    firn_context_destroy(own);
  }
}

// Each allocation fails in turn; once there is memory again, the grid is built.
static void memory_that_runs_out_is_told(void **state) {
  (void)state;
  books b = {0};
  firn_context *own;
  assert_int_equal(books_context(&b, 1, &own), FIRN_OK);
  scene s;
  make(&s, own, 1500, (double[3]){90, 20, 20}, NO_PERIOD);
  size_t held = b.bytes;
  for (size_t n = 0;; n++) {
    books_close_after(&b, n);
    firn_status status = build(&s, true);
    if (status == FIRN_OK) status = firn_grid_link(&s.grid, &s.particles);
    books_open(&b);
    if (status == FIRN_OK) {
      assert_true(n > 6);
      break;
    }
    assert_int_equal(status, FIRN_ERROR_MEMORY);
    assert_int_equal(build(&s, true), FIRN_OK);
    assert_built(&s, true);
    firn_grid_free(&s.grid);
    firn_grid_init(&s.grid, own);
    assert_int_equal(b.bytes, held);
  }
  assert_built(&s, true);
  assert_links(&s);
  drop(&s);
  assert_int_equal(firn_context_bytes(own), 0);
  assert_int_equal(b.wrong, 0);
  firn_context_destroy(own);
}

// Half full, with keys that differ in few bits, 0 among them: all are found, and no others.
static void the_map_finds_what_is_in_it(void **state) {
  (void)state;
  enum { SIZE = 1024 };
  static firn_block_map_entry table[SIZE];
  for (uint64_t stride = 1; stride; stride <<= 13) {
    memset(table, 0, sizeof table);
    for (uint32_t i = 0; i < SIZE / 2; i++) {
      firn_block_map_entry *entry = firn_block_map_find(table, SIZE - 1, i * stride);
      assert_true(entry->key1 == 0);
      *entry = (firn_block_map_entry){i * stride + 1, i};
    }
    for (uint32_t i = 0; i < SIZE / 2; i++) {
      const firn_block_map_entry *entry = firn_block_map_find(table, SIZE - 1, i * stride);
      assert_true(entry->key1 == i * stride + 1);
      assert_int_equal(entry->value, i);
      assert_true(firn_block_map_find(table, SIZE - 1, (i + SIZE) * stride)->key1 == 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(node_blocks_are_where_particles_reach),
      cmocka_unit_test(without_particles_there_is_nothing),
      cmocka_unit_test(spray_makes_no_node_blocks_and_knows_its_neighbours),
      cmocka_unit_test(periodic_grids_have_no_edge),
      cmocka_unit_test(links_are_the_node_blocks_around),
      cmocka_unit_test(threads_make_no_difference),
      cmocka_unit_test(memory_that_runs_out_is_told),
      cmocka_unit_test(the_map_finds_what_is_in_it),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
