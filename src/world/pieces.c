// SPDX-License-Identifier: Apache-2.0
#include "world/pieces.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "world/cell_key.h"
#include "world/radix.h"

// A cell that holds particles; also the head of a piece while cells are joined.
typedef struct cell {
  uint64_t key;
  double mass;     // kg
  uint32_t count;  // particles
  uint32_t parent; // in the forest of joined cells
  uint32_t rank;   // of the piece by mass, at its root
  bool solid;      // dense enough to join others
} cell;

typedef struct survey {
  firn_context *context;
  size_t count;        // particles
  firn_keyed *memory;  // [2 count], the members and room to sort them
  firn_keyed *members; // [count], particles by cell
  cell *cells;         // [count], cell_count of them in use
  uint32_t *roots;     // [count], root_count in use: the pieces
  size_t cell_count, root_count;
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

static bool place(survey *s, const double *position, double size) {
  firn_keyed *list = s->memory;
  for (size_t i = 0; i < s->count; i++) {
    int32_t at[3];
    for (int c = 0; c < 3; c++) {
      double x = floor(position[3 * i + (size_t)c] / size);
      // One cell less than the keys can hold on either side, for the neighbours.
      if (!(fabs(x) < FIRN_CELL_HALF - 1)) {
        firn_fail(s->context, FIRN_ERROR_DOMAIN,
                  "pieces: particle %zu at %g m is too many cells of %g m from the origin", i,
                  position[3 * i + (size_t)c], size);
        return false;
      }
      at[c] = (int32_t)x;
    }
    list[i] = (firn_keyed){.key = firn_cell_key(at), .slot = (uint32_t)i};
  }
  s->members = firn_keyed_sort(list, list + s->count, s->count);
  return true;
}

static void collect(survey *s, const double *mass, double least) {
  for (size_t i = 0; i < s->count; i++) {
    const firn_keyed *m = &s->members[i];
    if (!i || m->key != m[-1].key) {
      uint32_t here = (uint32_t)s->cell_count++;
      s->cells[here] = (cell){.key = m->key, .parent = here};
    }
    cell *last = &s->cells[s->cell_count - 1];
    last->mass += mass[m->slot];
    last->count++;
  }
  for (size_t i = 0; i < s->cell_count; i++) s->cells[i].solid = s->cells[i].mass >= least;
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
static void join_neighbours(survey *s) {
  cell *cells = s->cells;
  for (int n = 14; n < 27; n++) {
    uint64_t step = firn_cell_step(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1);
    size_t finger = 0;
    for (size_t i = 0; i < s->cell_count; i++) {
      uint64_t wanted = cells[i].key + step;
      while (finger < s->cell_count && cells[finger].key < wanted) finger++;
      if (finger == s->cell_count) break;
      if (cells[finger].key == wanted && cells[i].solid && cells[finger].solid) {
        join(cells, (uint32_t)i, (uint32_t)finger);
      }
    }
  }
}

// Adds every cell to its root and lists the roots that are pieces.
static void gather(survey *s, size_t least, firn_pieces *out) {
  cell *cells = s->cells;
  for (size_t i = 0; i < s->cell_count; i++) {
    uint32_t root = root_of(cells, (uint32_t)i);
    cells[i].rank = UINT32_MAX;
    if (root == i) continue;
    cells[root].mass += cells[i].mass;
    cells[root].count += cells[i].count;
  }
  for (size_t i = 0; i < s->cell_count; i++) {
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
  size_t c = 0;
  for (size_t i = 0; i < s->count; i++) {
    while (s->cells[c].key != s->members[i].key) c++;
    label[s->members[i].slot] = s->cells[root_of(s->cells, (uint32_t)c)].rank;
  }
}

static firn_status run(survey *s, const firn_pieces_def *d, const double *position,
                       const double *mass, firn_pieces *out, uint32_t *label) {
  if (!s->memory || !s->cells || !s->roots) return FIRN_ERROR_MEMORY;
  if (!place(s, position, d->cell)) return FIRN_ERROR_DOMAIN;
  collect(s, mass, d->density * d->cell * d->cell * d->cell);
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
  if (count >= UINT32_MAX) {
    return firn_fail(context, FIRN_ERROR_UNSUPPORTED, "pieces of %zu particles: too many", count);
  }
  survey s = {.context = context, .count = count};
  s.memory = firn_alloc(context, 2 * count * sizeof *s.memory, "cells of particles");
  if (s.memory) s.cells = firn_alloc(context, count * sizeof *s.cells, "cells of pieces");
  if (s.cells) s.roots = firn_alloc(context, count * sizeof *s.roots, "roots of pieces");
  firn_status status = run(&s, &d, position, mass, out, label);
  firn_free(context, s.roots, s.roots ? count * sizeof *s.roots : 0);
  firn_free(context, s.cells, s.cells ? count * sizeof *s.cells : 0);
  firn_free(context, s.memory, s.memory ? 2 * count * sizeof *s.memory : 0);
  return status;
}
