// SPDX-License-Identifier: Apache-2.0
// Where colliders touch rigid pieces. The cells of a piece that a collider reaches into have
// contacts: on the collider's surface, next to the middle of the cell's particles, with the
// collider's own normal. What closes the sides of the cell says how much of each collider is there.
// Cells of the fluid that hold no particles have contacts next to their middles.
//
// Next to an edge that sticks out, the way from there to the particles is no normal of the
// surface: taken for one, the edges of a box would hold what lies on it. Of the sides that meet
// there, and that way, the one counts beyond which all particles around are, or most nearly so.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/pieces.h"

// A contact of less area, h^2, is none: the cells around have the rest of the surface.
static const double LEAST_AREA = 1e-2;
// Cells: how deep below a surface its sides are distinguished.
static const double BELOW = 0.05;
// Cells: how far the snow around may be behind a side before which a cell has no particles of its
// own.
static const double DEPTH = 0.1;

// A side of a collider, as the particles of a cell have it before them.
typedef struct side {
  int collider;
  double away, n[3], at[3]; // cells, on its surface
} side;

// The cell whose contacts are looked for.
typedef struct site {
  const flip *s;
  const pieces *k;
  const flip_middle *snow;
  size_t g;
  int c;
  double x[3]; // cells: the middle of its particles
} site;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void flip_find_middles(const flip *s, flip_middle *out) {
  const firn_particles *p = &s->world->particles;
  memset(out, 0, s->grid.count * FLIP_CELLS * sizeof *out);
  FLIP_FOR_PARTICLE_BLOCKS(s, b) {
    const firn_block *block = &p->block[b];
    size_t g = s->grid.target[b][firn_grid_offset(0, 0, 0)];
    bool near = false;
    for (int o = 0; o < 27; o++) {
      uint32_t other = s->grid.around[g][o];
      near = near || (other != FIRN_GRID_NONE && s->cut[other]);
    }
    if (!near) continue;
    for (size_t slot = block->first; slot < block->first + block->count; slot++) {
      int c = flip_cell_of(p, slot);
      const int corner[3] = {c >> 4, c >> 2 & 3, c & 3};
      flip_middle *to = &out[FLIP_CELLS * g + (size_t)c];
      to->count++;
      for (int a = 0; a < 3; a++)
        to->x[a] += (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot] - corner[a];
    }
    for (flip_middle *of = out + FLIP_CELLS * g; of < out + FLIP_CELLS * (g + 1); of++)
      for (int a = 0; a < 3 && of->count > 0; a++) of->x[a] /= of->count;
  }
}

void flip_share_out(int count, const double (*normal)[3], const double lack[3], double *area) {
  enum { SWEEPS = 30 };
  double rest[3] = {lack[0], lack[1], lack[2]};
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int n = 0; n < count; n++) {
      double before = area[n];
      area[n] = fmax(0, before + dot(rest, normal[n]));
      for (int a = 0; a < 3; a++) rest[a] += (before - area[n]) * normal[n][a];
    }
  }
}

static double sample(const flip *s, int collider, const double x[3], double n[3]) {
  double h = s->world->h;
  const double at[3] = {x[0] * h, x[1] * h, x[2] * h};
  return firn_collider_sample(&s->world->collider[collider], at, n, NULL) / h;
}

// Cells by which the snow of the piece around is in front of a plane at least, cell by cell.
static double clearance(const site *t, const double at[3], const double n[3]) {
  const uint32_t own = t->k->label[FLIP_CELLS * t->g + (size_t)t->c];
  double corner[3], least = (double)INFINITY;
  flip_corner(t->s, t->g, t->c, corner);
  for (int o = 0; o < 27; o++) {
    const int step[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    int block = 0, cell = 0;
    double x[3];
    for (int a = 0; a < 3; a++) {
      int i = (t->c >> (4 - 2 * a) & 3) + step[a];
      block = 3 * block + (i < 0 ? 0 : i < 4 ? 1 : 2);
      cell = 4 * cell + (i & 3);
    }
    uint32_t g = t->s->grid.around[t->g][block];
    if (g == FIRN_GRID_NONE || !(t->k->member[g] >> cell & 1)) continue;
    size_t i = FLIP_CELLS * (size_t)g + (size_t)cell;
    if (t->k->label[i] != own || !(t->snow[i].count > 0)) continue;
    for (int a = 0; a < 3; a++) x[a] = corner[a] + step[a] + t->snow[i].x[a] - at[a];
    least = fmin(least, dot(x, n));
  }
  return least;
}

// The sides of a collider that meet where f is, and the way to the particles: the best of them.
// Where three sides meet, a point with each next to it takes steps of two lengths.
static void choose_side(const site *t, side *f) {
  static const double step[4] = {-1, -0.3, 0.3, 1};
  double best = clearance(t, f->at, f->n), x[3], n[3];
  for (int o = 0; o < 64; o++) {
    for (int a = 0; a < 3; a++) x[a] = f->at[a] + BELOW * step[o >> 2 * a & 3];
    if (!(sample(t->s, f->collider, x, n) < 0)) continue;
    double here = clearance(t, f->at, n);
    if (!(here > best)) continue;
    best = here;
    memcpy(f->n, n, sizeof n);
  }
}

static side look_at(const site *t, int collider) {
  side f = {.collider = collider};
  double x[3], n[3];
  f.away = sample(t->s, collider, t->x, f.n);
  for (int a = 0; a < 3; a++) {
    f.at[a] = t->x[a] - f.away * f.n[a];
    x[a] = f.at[a] - BELOW * f.n[a];
  }
  if (!(f.away > 0)) return f; // inside, where each point has its side
  sample(t->s, collider, x, n);
  if (dot(n, f.n) < FLIP_ALONG) choose_side(t, &f);
  return f;
}

// The three colliders that are nearest to the particles, from the nearest on.
static int find_sides(const site *t, side out[3]) {
  const double reach = sqrt(3); // cells
  const firn_world *world = t->s->world;
  int count = 0, nearest[3];
  double away[3];
  for (int c = 0; c < world->collider_count; c++) {
    if (world->collider[c].absent || !(t->s->beside[t->g] >> c % 64 & 1)) continue;
    double d = sample(t->s, c, t->x, NULL);
    if (!(d < reach) || (count == 3 && d >= away[2])) continue;
    int at = count < 3 ? count++ : 2;
    for (; at > 0 && away[at - 1] > d; at--) {
      away[at] = away[at - 1];
      nearest[at] = nearest[at - 1];
    }
    away[at] = d;
    nearest[at] = c;
  }
  for (int n = 0; n < count; n++) out[n] = look_at(t, nearest[n]);
  return count;
}

int flip_contacts_of(const flip *s, const pieces *k, const flip_middle *snow, size_t g, int c,
                     flip_contact out[3]) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  site t = {.s = s, .k = k, .snow = snow, .g = g, .c = c};
  double lack[3], n[3][3], area[3] = {0};
  side all[3];
  int kept = 0;
  bool empty = !(snow[i].count > 0);
  flip_corner(s, g, c, t.x);
  for (int a = 0; a < 3; a++) {
    t.x[a] += empty ? 0.5 : snow[i].x[a];
    lack[a] = (double)s->open[a][flip_beside(s, g, c, a, 1)] - (double)s->open[a][i];
  }
  int count = find_sides(&t, all);
  for (int f = 0; f < count; f++) memcpy(n[f], all[f].n, sizeof n[f]);
  flip_share_out(count, (const double(*)[3])n, lack, area);
  for (int f = 0; f < count; f++) {
    if (area[f] < LEAST_AREA) continue;
    if (empty && clearance(&t, all[f].at, n[f]) < -DEPTH) continue;
    flip_contact *to = &out[kept++];
    *to = (flip_contact){.collider = all[f].collider, .piece = k->label[i], .area = area[f]};
    to->share = to->area * (double)s->b[0][i];
    to->place = c & 0x2a; // the upper bit of each coordinate: which eighth of its block
    for (int a = 0; a < 3; a++) {
      to->n[a] = to->area * n[f][a];
      to->x[a] = to->area * all[f].at[a];
      to->impulse[a] = to->n[a] * fmax(0, s->p[i]) * flip_cell_mass(s, i);
    }
  }
  return kept;
}
