// SPDX-License-Identifier: Apache-2.0
// Fine particles and colliders. Only cells near a collider pay: distances fall by no more than one goes.
#include "refine/fine.h"
#include "world/contact.h"

enum { EDGE = FIRN_FINE_EDGE };
#define HALF_DIAGONAL 0.8660254037844386 // of a cell

// Grains lie on each other, not all on the surface itself: each has a height of its own there, up to this many
// cells, which is half of what snow particles are apart.
#define HEAP 0.25
static double height_of(const firn_fine *f, uint32_t row) {
  return HEAP * f->def.cell * ((row * 2654435761u) >> 8) / 16777216.0;
}

static double distance_of(const firn_collider *c, const double x[3]) {
  return c->absent ? (double)INFINITY : firn_collider_sample(c, x, NULL, NULL);
}

// Within a cell of where it came from: places know no more. What is deeper inside comes out over some steps.
static void hold(const firn_fine *f, const int32_t cell[3], double x[3]) {
  double h = f->def.cell;
  for (int a = 0; a < 3; a++) x[a] = fmin(fmax(x[a], (cell[a] - 0.999) * h), (cell[a] + 1.999) * h);
}

static firn_real place_of(const firn_fine *f, const int32_t cell[3], const double x[3]) {
  int32_t place = 0;
  for (int a = 0; a < 3; a++) {
    int32_t step = firn_fine_cell(x[a] / f->def.cell) - cell[a];
    step = step < -1 ? -1 : step > 1 ? 1 : step;
    place = 6 * place + (cell[a] & (EDGE - 1)) + 1 + step;
  }
  return (firn_real)place;
}

static double push_one(firn_fine *f, size_t i, const int32_t cell[3], const firn_collider *c) {
  firn_fine_particle *p = &f->now[i];
  double x[3], v[3], normal[3], moves[3];
  for (int a = 0; a < 3; a++) {
    x[a] = (double)p->x[a];
    v[a] = (double)p->v[a];
  }
  double d = firn_collider_sample(c, x, normal, moves) - height_of(f, p->row);
  if (d >= 0) return 0;
  firn_contact_resolve(v, moves, normal, c->friction, c->sticky);
  for (int a = 0; a < 3; a++) x[a] -= d * normal[a];
  hold(f, cell, x);
  for (int a = 0; a < 3; a++) {
    p->x[a] = (firn_real)x[a];
    p->v[a] = (firn_real)v[a];
  }
  p->place = place_of(f, cell, x);
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

static double push_cell(firn_fine *f, const int32_t cell[3], size_t begin, size_t end,
                        const firn_collider *c, double most) {
  double h = f->def.cell, middle[3];
  for (int a = 0; a < 3; a++) middle[a] = (cell[a] + 0.5) * h;
  double d = distance_of(c, middle) - HEAP * h, speed = 0;
  if (d > HALF_DIAGONAL * h + most) return 0;
  for (size_t i = begin; i < end; i++) {
    double away = 0;
    for (int a = 0; a < 3; a++) {
      double s = (double)f->now[i].x[a] - middle[a];
      away += s * s;
    }
    if (d <= 0 || away >= d * d) speed = fmax(speed, push_one(f, i, cell, c));
  }
  return speed;
}

double firn_fine_push_out(firn_fine *f, size_t block, int collider_count,
                          const firn_collider *colliders, double most) {
  const firn_fine_block *b = &firn_fine_blocks(f)[block];
  const uint32_t *start = firn_fine_start(f) + FIRN_FINE_CELLS * block;
  double h = f->def.cell, middle[3], speed = 0;
  for (int a = 0; a < 3; a++) middle[a] = (b->at[a] + 0.5) * EDGE * h;
  for (int k = 0; k < collider_count; k++) {
    if (distance_of(&colliders[k], middle) > (EDGE * HALF_DIAGONAL + HEAP) * h + most) continue;
    for (int c = 0; c < FIRN_FINE_CELLS; c++) {
      const int32_t cell[3] = {EDGE * b->at[0] + (c >> 4), EDGE * b->at[1] + (c >> 2 & 3),
                               EDGE * b->at[2] + (c & 3)};
      if (start[c] < start[c + 1])
        speed = fmax(speed, push_cell(f, cell, start[c], start[c + 1], &colliders[k], most));
    }
  }
  return speed;
}
