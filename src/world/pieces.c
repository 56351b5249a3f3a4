// SPDX-License-Identifier: Apache-2.0
#include "world/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "world/bins.h"

// A cell that holds particles; also the head of a piece while cells are joined.
typedef struct cell {
  double mass;     // kg
  uint32_t count;  // particles
  uint32_t parent; // in the forest of joined cells
  uint32_t rank;   // of the piece by mass, at its root
  bool solid;      // dense enough to join others
} cell;

typedef struct survey {
  firn_context *context;
  firn_bins bins;  // particles by cell
  cell *cells;     // [bins.count]
  uint32_t *roots; // [bins.count], root_count in use: the pieces
  size_t root_count;
} survey;

static firn_pieces_def resolve(const firn_pieces_def *def, double h) {
  firn_pieces_def d = def ? *def : firn_default_pieces_def();
  if (d.cell == 0) d.cell = h;
  return d;
}

static firn_status check(firn_context *context, const firn_pieces_def *d) {
  if (!(isfinite(d->cell) && d->cell > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "pieces: cell is %g m, must be positive",
                     d->cell);
  }
  if (!(isfinite(d->density) && d->density >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "pieces: density is %g kg/m^3, must be 0 or more", d->density);
  }
  if (d->room && !d->mass) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "pieces: room for %zu masses, but no list",
                     d->room);
  }
  return FIRN_OK;
}

static firn_status place(survey *s, size_t count, const double *position, double size) {
  FIRN_TRY(firn_bins_open(&s->bins, s->context, count));
  for (size_t i = 0; i < count; i++) {
    int32_t at[3];
    for (int c = 0; c < 3; c++) {
      double x = floor(position[3 * i + (size_t)c] / size);
      // One cell less than the keys can hold on either side, for the neighbours.
      if (!(fabs(x) < FIRN_CELL_HALF - 1)) {
        return firn_fail(s->context, FIRN_ERROR_DOMAIN,
                         "pieces: particle %zu at %g m is too many cells of %g m from the origin",
                         i, position[3 * i + (size_t)c], size);
      }
      at[c] = (int32_t)x;
    }
    firn_bins_put(&s->bins, i, at);
  }
  return firn_bins_sort(&s->bins);
}

static firn_status collect(survey *s, const double *mass, double least) {
  size_t n = s->bins.count;
  s->cells = firn_alloc(s->context, n * sizeof *s->cells, "cells of pieces");
  s->roots = firn_alloc(s->context, n * sizeof *s->roots, "roots of pieces");
  if (!s->cells || !s->roots) return FIRN_ERROR_MEMORY;
  for (size_t b = 0; b < n; b++) {
    const firn_bin *bin = &s->bins.bin[b];
    cell *c = &s->cells[b];
    *c = (cell){.count = bin->count, .parent = (uint32_t)b};
    for (size_t i = bin->first; i < bin->first + bin->count; i++) c->mass += mass[s->bins.order[i]];
    c->solid = c->mass >= least;
  }
  return FIRN_OK;
}

static uint32_t root_of(cell *cells, uint32_t i) {
  while (cells[i].parent != i) {
    cells[i].parent = cells[cells[i].parent].parent;
    i = cells[i].parent;
  }
  return i;
}

// The lower index becomes the root, so the outcome does not depend on the order of joining.
static void join(cell *cells, uint32_t a, uint32_t b) {
  a = root_of(cells, a);
  b = root_of(cells, b);
  if (a < b)
    cells[b].parent = a;
  else
    cells[a].parent = b;
}

// Half of the 26 neighbours are enough. For each of them the neighbours' keys rise as the cells' do,
// so one finger a direction walks along the list once.
static void join_neighbours(const survey *s) {
  cell *cells = s->cells;
  const firn_bin *bin = s->bins.bin;
  for (int n = 14; n < 27; n++) {
    uint64_t step = firn_cell_step(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1);
    size_t finger = 0;
    for (size_t i = 0; i < s->bins.count; i++) {
      uint64_t wanted = bin[i].key + step;
      while (finger < s->bins.count && bin[finger].key < wanted) finger++;
      if (finger == s->bins.count) break;
      if (bin[finger].key == wanted && cells[i].solid && cells[finger].solid) {
        join(cells, (uint32_t)i, (uint32_t)finger);
      }
    }
  }
}

// Adds every cell to its root and lists the roots that are pieces.
static void gather(survey *s, size_t least, firn_pieces *out) {
  cell *cells = s->cells;
  for (size_t i = 0; i < s->bins.count; i++) {
    uint32_t root = root_of(cells, (uint32_t)i);
    cells[i].rank = UINT32_MAX;
    if (root == i) continue;
    cells[root].mass += cells[i].mass;
    cells[root].count += cells[i].count;
  }
  for (size_t i = 0; i < s->bins.count; i++) {
    const cell *c = &cells[i];
    if (c->parent != i) continue;
    if (c->solid && c->count >= least) {
      s->roots[s->root_count++] = (uint32_t)i;
      out->mass += c->mass;
    } else {
      out->dust += c->solid;
      out->dust_particles += c->count;
      out->dust_mass += c->mass;
    }
  }
}

typedef struct weight {
  double mass;
  uint32_t root;
} weight;

static int heaviest_first(const void *a, const void *b) {
  const weight *p = a, *q = b;
  if (p->mass != q->mass) return p->mass > q->mass ? -1 : 1;
  return p->root < q->root ? -1 : p->root > q->root;
}

static firn_status rank(survey *s, const firn_pieces_def *d, firn_pieces *out) {
  size_t n = s->root_count;
  out->count = n;
  for (size_t i = n; i < d->room; i++) d->mass[i] = 0;
  if (!n) return FIRN_OK;
  weight *list = firn_alloc(s->context, n * sizeof *list, "list of pieces");
  if (!list) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) list[i] = (weight){s->cells[s->roots[i]].mass, s->roots[i]};
  qsort(list, n, sizeof *list, heaviest_first);
  for (size_t i = 0; i < n; i++) {
    s->cells[list[i].root].rank = (uint32_t)i;
    if (i < d->room) d->mass[i] = list[i].mass;
  }
  out->largest = list[0].mass;
  out->median = 0.5 * (list[(n - 1) / 2].mass + list[n / 2].mass);
  out->mean = out->mass / (double)n;
  firn_free(s->context, list, n * sizeof *list);
  return FIRN_OK;
}

static void tell(survey *s, uint32_t *label) {
  for (size_t b = 0; b < s->bins.count; b++) {
    const firn_bin *bin = &s->bins.bin[b];
    uint32_t piece = s->cells[root_of(s->cells, (uint32_t)b)].rank;
    for (size_t i = bin->first; i < bin->first + bin->count; i++) label[s->bins.order[i]] = piece;
  }
}

static firn_status run(survey *s, const firn_pieces_def *d, size_t count, const double *position,
                       const double *mass, firn_pieces *out, uint32_t *label) {
  FIRN_TRY(place(s, count, position, d->cell));
  FIRN_TRY(collect(s, mass, d->density * d->cell * d->cell * d->cell));
  join_neighbours(s);
  gather(s, d->least, out);
  FIRN_TRY(rank(s, d, out));
  if (label) tell(s, label);
  return FIRN_OK;
}

firn_status firn_pieces_find(firn_context *context, const firn_pieces_def *def, size_t count,
                             const double *position, const double *mass, double h, firn_pieces *out,
                             uint32_t *label) {
  *out = (firn_pieces){0};
  firn_pieces_def d = resolve(def, h);
  FIRN_TRY(check(context, &d));
  for (size_t i = 0; i < d.room; i++) d.mass[i] = 0;
  if (!count) return FIRN_OK;
  survey s = {.context = context};
  firn_status status = run(&s, &d, count, position, mass, out, label);
  firn_free(context, s.roots, s.bins.count * sizeof *s.roots);
  firn_free(context, s.cells, s.bins.count * sizeof *s.cells);
  firn_bins_free(&s.bins);
  return status;
}
