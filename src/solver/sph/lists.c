// SPDX-License-Identifier: Apache-2.0
// Memory and order of the passes over lists.h; the passes themselves are in kernels_lane.h.
#include "solver/sph/lists.h"

#include <string.h>

#include "base/parallel.h"
#include "solver/sph/pairs.h"

enum { SLACK = 64 }; // places that vectors may touch behind the last

void sph_lists_free(sph_lists *lists, firn_context *context) {
  firn_buffer *all[] = {&lists->patches, &lists->runs, &lists->lines, &lists->records,
                        &lists->desks};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) firn_buffer_free(context, all[i]);
  *lists = (sph_lists){0};
}

static const sph_kernels *choose(firn_isa isa) {
#if defined(__x86_64__)
  if (isa == FIRN_ISA_AVX512) return sph_kernels_avx512();
  if (isa == FIRN_ISA_AVX2) return sph_kernels_avx2();
#endif
  (void)isa;
  return NULL;
}

// ----------------------------------------------------------------------------------------- memory

static size_t whole_lines(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

// Gives out consecutive pieces, or with base NULL only counts them.
static void *take(char *base, size_t *used, size_t bytes) {
  void *piece = base ? base + *used : NULL;
  *used += whole_lines(bytes);
  return piece;
}

static size_t lay_records(sph_lists *lists, char *base, size_t slots) {
  size_t used = 0, n = slots + SLACK;
  lists->x = take(base, &used, n * sizeof *lists->x);
  lists->c = take(base, &used, n * sizeof *lists->c);
  lists->tail = take(base, &used, n * 12 * sizeof *lists->tail);
  lists->head = lists->tail;
  lists->grads = base ? lists->tail + 4 * n : NULL;
  lists->number = take(base, &used, n);
  lists->fixed = (void *)lists->tail; // no records yet where these are in use
  lists->stride = n;
  return used;
}

static size_t lay_desk(const sph_lists *lists, char *base, sph_desk *desk) {
  size_t used = 0, room = lists->room + SLACK, lines = lists->line_room + SLACK;
  desk->stage = take(base, &used, room * 16 * sizeof *desk->stage);
  desk->sum = take(base, &used, (lists->most + SLACK) * 16 * sizeof *desk->sum);
  for (int a = 0; a < 3; a++) desk->fixed[a] = take(base, &used, room * sizeof(uint16_t));
  for (int l = 0; l < 4; l++) desk->found[l] = take(base, &used, room * sizeof(uint16_t));
  desk->line = take(base, &used, lines * sizeof *desk->line);
  desk->spread = take(base, &used, 256 * sizeof *desk->spread);
  return used;
}

static void clear_desk(sph_desk *desk) {
  desk->need_room = desk->need_lines = 0;
  desk->pairs = 0;
  memset(desk->spread, 0, 256 * sizeof *desk->spread);
  for (int mask = 0; mask < 256; mask++) {
    int n = 0;
    for (int bit = 0; bit < 8; bit++)
      if (mask >> bit & 1) desk->spread[mask][n++] = (uint8_t)bit;
  }
}

// Where a thread works; the pieces are known to lay_desk alone.
static sph_desk desk_of(const sph_lists *lists, int thread) {
  sph_desk desk = {0};
  size_t bytes = lay_desk(lists, NULL, &desk);
  lay_desk(lists, (char *)lists->desks.data + (size_t)thread * bytes, &desk);
  return desk;
}

static firn_status reserve(sph_pairs *pairs) {
  firn_context *context = pairs->p->context;
  sph_lists *lists = &pairs->lists;
  size_t blocks = pairs->cells.block_count, slots = pairs->p->slots;
  FIRN_TRY(firn_buffer_reserve(context, &lists->patches,
                               blocks * (sizeof *lists->patch + sizeof *lists->mean),
                               "neighbours"));
  lists->mean = lists->patches.data;
  lists->patch = (sph_patch *)(lists->mean + blocks);
  sph_lists none = {0};
  size_t bytes = lay_records(&none, NULL, slots);
  FIRN_TRY(firn_buffer_reserve(context, &lists->records, bytes, "neighbours"));
  lay_records(lists, lists->records.data, slots);
  lists->most = 0;
  for (size_t b = 0; b < blocks; b++) {
    size_t count = pairs->p->block[b].count;
    if (count > lists->most) lists->most = count;
  }
  // First guesses; a search that needs more says how much.
  size_t room = 4 * lists->most + 256, lines = 6 * lists->most + 64;
  if (lists->room < room) lists->room = room;
  if (lists->line_room < lines) lists->line_room = lines;
  return FIRN_OK;
}

static firn_status reserve_desks(sph_pairs *pairs) {
  firn_context *context = pairs->p->context;
  sph_desk desk;
  size_t bytes = lay_desk(&pairs->lists, NULL, &desk) * (size_t)context->threads;
  return firn_buffer_reserve(context, &pairs->lists.desks, bytes, "neighbours");
}

static firn_status reserve_lists(sph_pairs *pairs, size_t runs, size_t lines) {
  firn_context *context = pairs->p->context;
  sph_lists *lists = &pairs->lists;
  FIRN_TRY(firn_buffer_reserve(context, &lists->runs, runs * sizeof *lists->run, "neighbours"));
  FIRN_TRY(firn_buffer_reserve(context, &lists->lines, lines * sizeof *lists->line, "neighbours"));
  lists->run = lists->runs.data;
  lists->line = lists->lines.data;
  return FIRN_OK;
}

// ----------------------------------------------------------------------------------------- passes

// sph_pairs are const for who takes sums: what a pass writes to are records, scratch.
static sph_pass begin(const sph_pairs *pairs) {
  sph_pass pass = {.lists = (sph_lists *)&pairs->lists,
                   .p = pairs->p,
                   .cells = &pairs->cells,
                   .touched = pairs->touched,
                   .wall_c = pairs->wall.c,
                   .wall_vc = pairs->wall.vc,
                   .wall_m = pairs->wall.m,
                   .wall_vm = pairs->wall.vm,
                   .wall_t = pairs->wall.t,
                   .scale = (float)(-3 / 65535.0 * FIRN_SPH_NORM / pairs->spacing)};
  return pass;
}

typedef void (*kernel)(sph_pass *pass, size_t u, sph_desk *desk);

static void sweep(sph_pass *pass, kernel work) {
  FIRN_PARALLEL(pass->p->context) {
    sph_desk desk = desk_of(pass->lists, omp_get_thread_num());
#pragma omp for schedule(dynamic, 1)
    for (size_t u = 0; u < pass->p->unit_count; u++) work(pass, u, &desk);
  }
}

// Where a block's chunk comes to lie depends on who was first, what is in it does not. Returns whether
// there was room for everything; if not, what is needed is known afterwards.
static bool search_all(sph_pass *pass, bool *too_dense) {
  sph_lists *lists = pass->lists;
  uint64_t pairs = 0;
  size_t need_room = 0, need_lines = 0;
  pass->runs_used = pass->lines_used = 0;
  FIRN_PARALLEL(pass->p->context) {
    sph_desk desk = desk_of(lists, omp_get_thread_num());
    clear_desk(&desk);
#pragma omp for schedule(dynamic, 1) reduction(+ : pairs) reduction(max : need_room, need_lines)
    for (size_t u = 0; u < pass->p->unit_count; u++) {
      lists->kernels->search(pass, u, &desk);
      pairs += desk.pairs;
      desk.pairs = 0;
      if (desk.need_room > need_room) need_room = desk.need_room;
      if (desk.need_lines > need_lines) need_lines = desk.need_lines;
    }
  }
  lists->pairs = pairs;
  *too_dense = need_room > (lists->limit ? lists->limit : SPH_STAGED_MAX);
  bool enough = need_room <= lists->room && need_lines <= lists->line_room &&
                pass->runs_used <= pass->run_capacity && pass->lines_used <= pass->line_capacity;
  if (need_room > lists->room) lists->room = need_room + need_room / 8;
  if (need_lines > lists->line_room) lists->line_room = need_lines + need_lines / 8;
  return enough;
}

firn_status sph_lists_build(sph_pairs *pairs, const firn_real *w, firn_real *out) {
  sph_lists *lists = &pairs->lists;
  lists->kernels = lists->wanted ? choose(pairs->p->context->isa) : NULL;
  if (!lists->kernels) return FIRN_OK;
  FIRN_TRY(reserve(pairs));
  FIRN_TRY(reserve_desks(pairs));
  sph_pass pass = begin(pairs);
  pass.in = w;
  pass.out = out;
  sweep(&pass, lists->kernels->place);
  // Of what there was room for last time, nearly always enough.
  for (bool done = false, too_dense; !done;) {
    pass.run_capacity = lists->runs.size / sizeof *lists->run;
    pass.line_capacity = lists->lines.size / sizeof *lists->line;
    lists->run = lists->runs.data;
    lists->line = lists->lines.data;
    done = search_all(&pass, &too_dense);
    if (too_dense) {
      lists->kernels = NULL;
      return FIRN_OK;
    }
    if (done) break;
    FIRN_TRY(reserve_desks(pairs));
    FIRN_TRY(reserve_lists(pairs, pass.runs_used, pass.lines_used));
  }
  return FIRN_OK;
}

void sph_lists_interpolate(const sph_pairs *pairs, const firn_real *w, firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = w;
  pass.out = out;
  sweep(&pass, pairs->lists.kernels->set_weights);
  sweep(&pass, pairs->lists.kernels->interpolate);
  pass.in = NULL;
  sweep(&pass, pairs->lists.kernels->set_weights);
}

void sph_lists_moments(const sph_pairs *pairs, const firn_real *V, firn_real *c, firn_real *m,
                       firn_real *g) {
  sph_pass pass = begin(pairs);
  pass.in = V;
  pass.out = c;
  pass.out2 = m;
  pass.out3 = g;
  sweep(&pass, pairs->lists.kernels->set_weights);
  sweep(&pass, pairs->lists.kernels->moments);
}

void sph_lists_gradient(const sph_pairs *pairs, const firn_real *q, firn_real psi, firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = q;
  pass.psi = (float)psi;
  pass.out = out;
  sweep(&pass, pairs->lists.kernels->set_q);
  sweep(&pass, pairs->lists.kernels->gradient);
}

void sph_lists_laplace(const sph_pairs *pairs, const firn_real *q, firn_real psi, firn_real back,
                       firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = q;
  pass.psi = (float)psi;
  pass.back = (float)back;
  pass.out = out;
  pass.into = SPH_INTO_RECORDS;
  sweep(&pass, pairs->lists.kernels->set_q);
  sweep(&pass, pairs->lists.kernels->gradient);
  sweep(&pass, pairs->lists.kernels->divergence);
}

void sph_lists_divergence(const sph_pairs *pairs, const firn_real *u, firn_real back,
                          firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = u;
  pass.out = out;
  pass.back = (float)back;
  pass.into = SPH_INTO_TRACE;
  sweep(&pass, pairs->lists.kernels->set_v);
  sweep(&pass, pairs->lists.kernels->velocity_gradient);
}

void sph_lists_velocity_gradient(const sph_pairs *pairs, const firn_real *v, firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = v;
  pass.out = out;
  sweep(&pass, pairs->lists.kernels->set_v);
  sweep(&pass, pairs->lists.kernels->velocity_gradient);
}

void sph_lists_stress_divergence(const sph_pairs *pairs, const firn_real *T, firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = T;
  pass.out = out;
  sweep(&pass, pairs->lists.kernels->set_T);
  sweep(&pass, pairs->lists.kernels->stress_divergence);
}

void sph_lists_shear(const sph_pairs *pairs, const sph_law *law, const firn_real *u,
                     firn_real *out) {
  sph_pass pass = begin(pairs);
  pass.in = u;
  pass.out = out;
  pass.law = law;
  pass.into = SPH_INTO_RECORDS;
  sweep(&pass, pairs->lists.kernels->set_v);
  sweep(&pass, pairs->lists.kernels->velocity_gradient);
  sweep(&pass, pairs->lists.kernels->stress_divergence);
}
