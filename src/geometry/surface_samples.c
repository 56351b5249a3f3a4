// SPDX-License-Identifier: Apache-2.0
// Tiles: found, filled colour by colour, and put in order.
#include "geometry/surface_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/sdf.h"
#include "geometry/surface_private.h"

// Tiles that are filled before their samples are packed.
enum { BATCH = 1024 };

firn_surface_def firn_default_surface_def(double spacing) {
  return (firn_surface_def){.spacing = spacing,
                            .lo = {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY},
                            .hi = {(double)INFINITY, (double)INFINITY, (double)INFINITY}};
}

void firn_surface_samples_free(firn_surface_samples *samples) {
  if (!samples->context) return;
  firn_free(samples->context, samples->sample, samples->capacity * sizeof *samples->sample);
  *samples = (firn_surface_samples){0};
}

// ------------------------------------------------------------------------------------------- tiles

firn_status firn_surface_add_tile(firn_surface_work *work, const int32_t at[3]) {
  if (work->count == work->capacity) {
    size_t capacity = work->capacity ? 2 * work->capacity : 1024;
    if (capacity > (size_t)1 << 31) {
      return firn_fail(work->context, FIRN_ERROR_ARGUMENT,
                       "%s: a spacing of %g m makes too many samples", work->what, work->spacing);
    }
    firn_tile *all = firn_resize(work->context, work->tile, work->capacity * sizeof *all,
                                 capacity * sizeof *all, "surface samples");
    if (!all) return FIRN_ERROR_MEMORY;
    work->tile = all;
    work->capacity = capacity;
  }
  work->tile[work->count++] = (firn_tile){.at = {at[0], at[1], at[2]}};
  return FIRN_OK;
}

static int by_place(const void *a, const void *b) {
  const firn_tile *s = a, *t = b;
  for (int i = 0; i < 3; i++) {
    if (s->at[i] != t->at[i]) return s->at[i] < t->at[i] ? -1 : 1;
  }
  return 0;
}

static size_t hash(const firn_surface_work *work, const int32_t at[3]) {
  uint64_t h = 0;
  for (int a = 0; a < 3; a++) h = (h ^ (uint32_t)at[a]) * 0x9E3779B97F4A7C15u;
  return (size_t)(h >> 20) & (work->slots - 1);
}

static const firn_tile *find(const firn_surface_work *work, const int32_t at[3]) {
  for (size_t i = hash(work, at);; i = (i + 1) & (work->slots - 1)) {
    if (!work->slot[i]) return NULL;
    const firn_tile *tile = &work->tile[work->slot[i] - 1];
    if (memcmp(tile->at, at, sizeof tile->at) == 0) return tile;
  }
}

static firn_status index_tiles(firn_surface_work *work) {
  for (work->slots = 16; work->slots < 2 * work->count;) work->slots *= 2;
  work->slot = firn_alloc_zero(work->context, work->slots * sizeof *work->slot, "surface samples");
  if (!work->slot) return FIRN_ERROR_MEMORY;
  for (size_t t = 0; t < work->count; t++) {
    size_t i = hash(work, work->tile[t].at);
    while (work->slot[i]) i = (i + 1) & (work->slots - 1);
    work->slot[i] = (uint32_t)t + 1;
  }
  return FIRN_OK;
}

static int colour_of(const int32_t at[3]) {
  return (at[0] & 1) | (at[1] & 1) << 1 | (at[2] & 1) << 2;
}

// How far beyond the range tiles of a colour have to be filled: one step further than those of higher
// colours along each axis in which they differ.
static void margins_of(int32_t out[FIRN_TILE_COLOURS][3]) {
  for (int c = FIRN_TILE_COLOURS - 1; c >= 0; c--) {
    for (int a = 0; a < 3; a++) {
      out[c][a] = 0;
      for (int higher = c + 1; higher < FIRN_TILE_COLOURS; higher++) {
        int32_t m = out[higher][a] + ((c ^ higher) >> a & 1);
        if (m > out[c][a]) out[c][a] = m;
      }
    }
  }
}

void firn_surface_margins(int32_t out[3]) {
  int32_t margin[FIRN_TILE_COLOURS][3];
  margins_of(margin);
  for (int a = 0; a < 3; a++) out[a] = margin[0][a] + 1; // their neighbours' lattices
}

static bool is_needed(const firn_surface_work *work, const firn_tile *tile,
                      const int32_t margin[3]) {
  for (int a = 0; a < 3 && !work->whole; a++) {
    if (tile->at[a] < work->range[0][a] - margin[a]) return false;
    if (tile->at[a] > work->range[1][a] + margin[a]) return false;
  }
  return true;
}

// ----------------------------------------------------------------------------------------- filling

typedef struct team {
  firn_surface_work *work;
  size_t desk_bytes;
  char *desks;                 // [threads][desk_bytes]
  firn_surface_sample *sample; // [BATCH][FIRN_TILE_SAMPLES]
  int own[BATCH];
  uint32_t number[BATCH]; // of tiles
} team;

// Takes notice of a tile's samples as far as they matter to another.
static void gather(const firn_surface_work *work, firn_desk *desk, uint32_t first, uint32_t count) {
  double reach = (FIRN_TILE_REACH + FIRN_SAMPLE_NEAREST) * work->spacing;
  for (uint32_t i = first; i < first + count; i++) {
    const double *x = work->out->sample[i].position;
    bool out = desk->near == FIRN_DESK_NEAR;
    for (int a = 0; a < 3; a++) {
      out = out || x[a] < desk->lo[a] - reach || x[a] > desk->lo[a] + work->edge + reach;
    }
    if (out) continue;
    memcpy(desk->x[desk->near++], x, 3 * sizeof *x);
  }
}

static void gather_all(const firn_surface_work *work, firn_desk *desk) {
  int colour = colour_of(desk->tile->at);
  for (int o = 0; o < 27; o++) {
    const int32_t at[3] = {desk->tile->at[0] + o / 9 - 1, desk->tile->at[1] + o / 3 % 3 - 1,
                           desk->tile->at[2] + o % 3 - 1};
    const firn_tile *tile = o == 13 ? desk->tile : find(work, at);
    if (!tile) continue;
    gather(work, desk, tile->lattice, tile->lattice_count);
    if (colour_of(at) < colour) gather(work, desk, tile->thrown, tile->thrown_count);
  }
}

static void fill_tile(team *t, int i, int thread, bool throw) {
  const firn_surface_work *work = t->work;
  char *memory = t->desks + (size_t)thread * t->desk_bytes;
  firn_desk desk = {.tile = &work->tile[t->number[i]],
                    .x = (double(*)[3])memory,
                    .sample = t->sample + (size_t)i * FIRN_TILE_SAMPLES,
                    .scratch = memory + FIRN_DESK_NEAR * 3 * sizeof(double)};
  for (int a = 0; a < 3; a++) desk.lo[a] = desk.tile->at[a] * work->edge;
  if (throw) {
    gather_all(work, &desk);
    work->throw(work, &desk);
  } else {
    work->lay(work, &desk);
  }
  t->own[i] = desk.own;
}

static firn_status pack(team *t, int count, bool throw) {
  firn_surface_samples *out = t->work->out;
  size_t more = 0;
  for (int i = 0; i < count; i++) more += (size_t)t->own[i];
  if (out->count + more > UINT32_MAX) {
    return firn_fail(out->context, FIRN_ERROR_ARGUMENT,
                     "%s: a spacing of %g m makes too many samples", t->work->what,
                     t->work->spacing);
  }
  if (out->count + more > out->capacity) {
    size_t capacity = out->count + more + out->capacity;
    firn_surface_sample *all = firn_resize(out->context, out->sample, out->capacity * sizeof *all,
                                           capacity * sizeof *all, "surface samples");
    if (!all) return FIRN_ERROR_MEMORY;
    out->sample = all;
    out->capacity = capacity;
  }
  for (int i = 0; i < count; i++) {
    firn_tile *tile = &t->work->tile[t->number[i]];
    uint32_t first = (uint32_t)out->count, n = (uint32_t)t->own[i];
    if (n) {
      memcpy(out->sample + first, t->sample + (size_t)i * FIRN_TILE_SAMPLES,
             n * sizeof *out->sample);
    }
    if (throw) {
      tile->thrown = first;
      tile->thrown_count = n;
    } else {
      tile->lattice = first;
      tile->lattice_count = n;
    }
    out->count += n;
  }
  return FIRN_OK;
}

static firn_status fill_batch(team *t, int count, bool throw) {
  FIRN_PARALLEL(t->work->context) {
    int thread = omp_get_thread_num();
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < count; i++) fill_tile(t, i, thread, throw);
  }
  return pack(t, count, throw);
}

// colour -1: the lattices.
static firn_status fill_colour(team *t, int colour, const int32_t margin[3]) {
  const firn_surface_work *work = t->work;
  int n = 0;
  for (size_t i = 0; i < work->count; i++) {
    const firn_tile *tile = &work->tile[i];
    if (colour >= 0 && (colour_of(tile->at) != colour || !is_needed(work, tile, margin))) continue;
    t->number[n++] = (uint32_t)i;
    if (n < BATCH) continue;
    FIRN_TRY(fill_batch(t, n, colour >= 0));
    n = 0;
  }
  return n ? fill_batch(t, n, colour >= 0) : FIRN_OK;
}

static firn_status fill_all(team *t) {
  int32_t margin[FIRN_TILE_COLOURS][3];
  margins_of(margin);
  if (t->work->lay) FIRN_TRY(fill_colour(t, -1, margin[0]));
  for (int c = 0; c < FIRN_TILE_COLOURS && t->work->throws; c++) {
    FIRN_TRY(fill_colour(t, c, margin[c]));
  }
  return FIRN_OK;
}

// Tile by tile, and what is in the box only.
static firn_status put_in_order(firn_surface_work *work) {
  firn_surface_samples *out = work->out, all = *out;
  const firn_surface_def *def = work->def;
  size_t bytes = all.count * sizeof *all.sample;
  if (!all.count) {
    firn_free(all.context, all.sample, all.capacity * sizeof *all.sample);
    *out = (firn_surface_samples){.context = all.context};
    return FIRN_OK;
  }
  out->sample = firn_alloc(all.context, bytes, "surface samples");
  if (!out->sample) {
    *out = all;
    return FIRN_ERROR_MEMORY;
  }
  out->capacity = all.count;
  out->count = 0;
  for (size_t t = 0; t < work->count; t++) {
    const firn_tile *tile = &work->tile[t];
    for (uint32_t i = 0; i < tile->lattice_count + tile->thrown_count; i++) {
      const firn_surface_sample *s =
          &all.sample[i < tile->lattice_count ? tile->lattice + i
                                              : tile->thrown + (i - tile->lattice_count)];
      bool in = true;
      for (int a = 0; a < 3; a++) {
        in = in && s->position[a] >= def->lo[a] && s->position[a] < def->hi[a];
      }
      if (in) out->sample[out->count++] = *s;
    }
  }
  firn_free(all.context, all.sample, all.capacity * sizeof *all.sample);
  return FIRN_OK;
}

firn_status firn_surface_fill(firn_surface_work *work) {
  firn_context *context = work->context;
  size_t threads = (size_t)context->threads;
  size_t samples = (size_t)BATCH * FIRN_TILE_SAMPLES * sizeof(firn_surface_sample);
  qsort(work->tile, work->count, sizeof *work->tile, by_place);
  FIRN_TRY(index_tiles(work));
  team *t = firn_alloc_zero(context, sizeof *t, "surface samples");
  if (!t) return FIRN_ERROR_MEMORY;
  t->work = work;
  t->desk_bytes = (FIRN_DESK_NEAR * 3 * sizeof(double) + work->scratch + 63) / 64 * 64;
  t->desks = firn_alloc(context, threads * t->desk_bytes, "surface samples");
  t->sample = firn_alloc(context, samples, "surface samples");
  firn_status status = t->desks && t->sample ? fill_all(t) : FIRN_ERROR_MEMORY;
  firn_free(context, t->desks, threads * t->desk_bytes);
  firn_free(context, t->sample, samples);
  firn_free(context, t, sizeof *t);
  return status == FIRN_OK ? put_in_order(work) : status;
}

void firn_surface_end(firn_surface_work *work) {
  firn_free(work->context, work->tile, work->capacity * sizeof *work->tile);
  firn_free(work->context, work->slot, work->slots * sizeof *work->slot);
}

// -------------------------------------------------------------------------------------- carrying

void firn_surface_samples_carry(firn_surface_samples *samples, const uint32_t *triangle,
                                const double *position, const double *vertex_velocity,
                                double (*velocity)[3]) {
  FIRN_PARALLEL_FOR(samples->context, schedule(static))
  for (size_t i = 0; i < samples->count; i++) {
    firn_surface_sample *s = &samples->sample[i];
    const uint32_t *corner = triangle + 3 * (size_t)s->triangle;
    const double *p[3];
    double e[3], f[3];
    for (int k = 0; k < 3; k++) p[k] = position + 3 * (size_t)corner[k];
    for (int a = 0; a < 3; a++) {
      s->position[a] = s->weight[0] * p[0][a] + s->weight[1] * p[1][a] + s->weight[2] * p[2][a];
      e[a] = p[1][a] - p[0][a];
      f[a] = p[2][a] - p[0][a];
    }
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                         e[0] * f[1] - e[1] * f[0]};
    firn_sdf_direction(n, s->normal);
    for (int a = 0; velocity && a < 3; a++) {
      velocity[i][a] = 0;
      for (int k = 0; k < 3 && vertex_velocity; k++) {
        velocity[i][a] += s->weight[k] * vertex_velocity[3 * (size_t)corner[k] + (size_t)a];
      }
    }
  }
}
