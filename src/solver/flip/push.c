// SPDX-License-Identifier: Apache-2.0
// What the snow does to colliders. A cell that yields presses on the part of them that is in it
// with the pressure there times its area, which is what the cell's faces lack, h^2 (w_lower -
// w_upper) along each axis, and rubs; pieces give them what they get from them.
//
// That is a force of the grid, whose fluid reaches a little beyond its particles; what particles
// have lost is what colliders have got. So the difference between both is added to the colliders
// that are pressed, axis by axis, by how much they are.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/pieces.h"

// What one cell does to one collider.
typedef struct touch {
  int collider;
  double impulse[3], x[3], velocity[3];
} touch;
enum { TOUCHES = 3 }; // of a cell

// What all cells do to one.
typedef struct push {
  double impulse[3], angular[3], work; // as firn_collider_sums has them, ...
  double size[3];                      // ... N s, along each axis, up or down it, ...
  double at[3], moving[3];             // ... and where they are and how that moves, times their sum
} push;

static bool is_wanted(const flip *s) {
  for (int c = 0; c < s->world->collider_count; c++)
    if (s->world->collider[c].forces) return true;
  return false;
}

firn_status flip_push_begin(flip *s) {
  firn_context *context = s->world->context;
  size_t colliders = (size_t)s->world->collider_count * sizeof(push);
  size_t touches = s->grid.count * (FLIP_CELLS * TOUCHES * sizeof(touch) + sizeof(uint32_t));
  s->pushing = is_wanted(s);
  if (!s->pushing) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &s->pushes, colliders, "forces on colliders"));
  memset(s->pushes.data, 0, colliders);
  s->heavier = 0;
  return firn_buffer_reserve(context, &s->touches, touches, "forces on colliders");
}

// Mass of particles over that of the grid's cells, which lose what reaches beyond the fluid; once a
// step.
static double heavier(flip *s) {
  const firn_particles *p = &s->world->particles;
  double mass = 0, grid = 0;
  if (s->heavier > 0) return s->heavier;
  for (size_t b = 0; b < p->block_count; b++)
    for (size_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++)
      mass += (double)firn_particles_real(p, FIRN_FIELD_MASS)[i];
  for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++)
    if (flip_bit(s->active, i)) grid += flip_mass_in(s, i);
  return s->heavier = grid > 0 ? mass / grid : 1;
}

// By how much the pressure grows in a cell along an axis, between open faces.
static double slope_of(const flip *s, size_t g, int c, int a) {
  size_t above = flip_beside(s, g, c, a, 1), faces[2] = {FLIP_CELLS * g + (size_t)c, above};
  double sum = 0;
  int count = 0;
  for (int n = 0; n < 2; n++) {
    if (!flip_bit(s->moved[a], faces[n])) continue;
    sum += flip_drop(s, faces[n] / FLIP_CELLS, (int)(faces[n] % FLIP_CELLS), a);
    count++;
  }
  return count ? sum / count : 0;
}

// A collider that reaches into a cell.
typedef struct side {
  int collider;
  double away; // cells, from the middle of the cell
} side;

// Those that are nearest, from the nearest on; those that cannot reach into the cell are left out.
static int find_sides(const flip *s, size_t g, const double x[3], side out[TOUCHES]) {
  const firn_world *world = s->world;
  int count = 0;
  for (int c = 0; c < world->collider_count; c++) {
    if (world->collider[c].absent || !(s->beside[g] >> c % 64 & 1)) continue;
    double away = firn_collider_sample(&world->collider[c], x, NULL, NULL) / world->h;
    if (count == TOUCHES && away >= out[TOUCHES - 1].away) continue;
    int at = count < TOUCHES ? count++ : TOUCHES - 1;
    for (; at > 0 && out[at - 1].away > away; at--) out[at] = out[at - 1];
    out[at] = (side){c, away};
  }
  while (count > 1 && out[count - 1].away >= 1) count--;
  return count;
}

// What the faces of a cell lack is shared out to the colliders in it, and each has the pressure on
// its surface. What is left, as where a surface is curved, goes to the nearest.
static int press_of(const flip *s, size_t g, int c, touch out[TOUCHES]) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  const double h = s->world->h;
  double x[3], n[TOUCHES][3], lack[3], slope[3], area[TOUCHES] = {0}, size = 0;
  side all[TOUCHES];
  flip_corner(s, g, c, x);
  for (int a = 0; a < 3; a++) {
    x[a] = (x[a] + 0.5) * h;
    slope[a] = slope_of(s, g, c, a);
    lack[a] = (double)s->open[a][flip_beside(s, g, c, a, 1)] - (double)s->open[a][i];
    size += fabs(lack[a]);
  }
  if (size == 0) return 0;
  int count = find_sides(s, g, x, all);
  for (int k = 0; k < count; k++)
    firn_collider_sample(&s->world->collider[all[k].collider], x, n[k], NULL);
  flip_share_out(count, (const double(*)[3])n, lack, area);
  for (int k = 0; k < count; k++)
    for (int a = 0; a < 3; a++) lack[a] -= area[k] * n[k][a];
  for (int k = 0; k < count; k++) {
    touch *t = &out[k];
    double p = s->p[i];
    t->collider = all[k].collider;
    for (int a = 0; a < 3; a++) p -= all[k].away * n[k][a] * slope[a];
    for (int a = 0; a < 3; a++) {
      t->x[a] = x[a] - all[k].away * h * n[k][a];
      t->impulse[a] = -p * flip_cell_mass(s, i) * (area[k] * n[k][a] + (k ? 0 : lack[a]));
    }
    firn_collider_sample(&s->world->collider[t->collider], t->x, NULL, t->velocity);
  }
  return count;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static void book(push *to, const firn_collider *collider, const double impulse[3],
                 const double x[3], const double velocity[3]) {
  double r[3], turn[3];
  for (int a = 0; a < 3; a++) r[a] = x[a] - collider->pose.pivot[a];
  cross(r, impulse, turn);
  for (int a = 0; a < 3; a++) {
    to->impulse[a] += impulse[a];
    to->angular[a] += turn[a];
    to->work -= impulse[a] * velocity[a];
  }
}

static void add_touch(const flip *s, const touch *t) {
  double all = 0;
  push *to = (push *)s->pushes.data + t->collider;
  book(to, &s->world->collider[t->collider], t->impulse, t->x, t->velocity);
  for (int a = 0; a < 3; a++) {
    to->size[a] += fabs(t->impulse[a]);
    all += fabs(t->impulse[a]);
  }
  for (int a = 0; a < 3; a++) {
    to->at[a] += all * t->x[a];
    to->moving[a] += all * t->velocity[a];
  }
}

// What a cell does. Returns how many it touches.
typedef int (*touch_fn)(const flip *s, size_t g, int c, double more, touch out[TOUCHES]);

// Adds up what all cells do, in their order.
static void add_touches(flip *s, touch_fn touch_of, double more) {
  touch *all = s->touches.data;
  uint32_t *count = (uint32_t *)(all + TOUCHES * FLIP_CELLS * s->grid.count);
  FLIP_FOR_BLOCKS(s, g) {
    touch *own = all + TOUCHES * FLIP_CELLS * g;
    count[g] = 0;
    for (int c = 0; c < FLIP_CELLS && s->cut[g]; c++)
      count[g] += (uint32_t)touch_of(s, g, c, more, own + count[g]);
  }
  for (size_t g = 0; g < s->grid.count; g++)
    for (uint32_t n = 0; n < count[g]; n++) add_touch(s, &all[TOUCHES * FLIP_CELLS * g + n]);
}

static int press_of_all(const flip *s, size_t g, int c, double more, touch out[TOUCHES]) {
  (void)more;
  return flip_bit(s->active, FLIP_CELLS * g + (size_t)c) ? press_of(s, g, c, out) : 0;
}
static int press_of_plastic(const flip *s, size_t g, int c, double more, touch out[TOUCHES]) {
  return flip_bit(s->plastic, FLIP_CELLS * g + (size_t)c) ? press_of_all(s, g, c, more, out) : 0;
}

void flip_push_pressure(flip *s, bool rigid_too) {
  if (s->pushing) add_touches(s, rigid_too ? press_of_all : press_of_plastic, 1);
}

static int rub_of(const flip *s, size_t g, int c, double more, touch out[TOUCHES]) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  int count = 0;
  for (int a = 0; a < 3; a++) {
    touch t = {.collider = -1};
    t.impulse[a] = -(double)s->rubbed[a][i] * flip_face_mass(s, g, c, a) * more;
    if (t.impulse[a] == 0) continue;
    flip_corner(s, g, c, t.x);
    for (int k = 0; k < 3; k++) t.x[k] = (t.x[k] + (k != a ? 0.5 : 0)) * s->world->h;
    flip_solid_distance(s->world, s->beside[g], t.x, &t.collider, NULL, t.velocity);
    if (t.collider >= 0) out[count++] = t;
  }
  return count;
}

void flip_push_friction(flip *s) {
  if (s->pushing) add_touches(s, rub_of, heavier(s));
}

void flip_push_contacts(flip *s, const pieces *k, size_t count, const flip_contact *all) {
  if (!s->pushing) return;
  double grid = heavier(s);
  for (const flip_contact *of = all; of < all + count; of++) {
    if (of->collider < 0) continue;
    touch t = {.collider = of->collider};
    for (int a = 0; a < 3; a++)
      t.impulse[a] = -of->impulse[a] * (k->of[of->piece].rides ? 1 : grid);
    memcpy(t.x, of->x, sizeof t.x);
    memcpy(t.velocity, of->velocity, sizeof t.velocity);
    add_touch(s, &t);
  }
}

static double sum3(const double v[3]) {
  return v[0] + v[1] + v[2];
}

void flip_push_end(flip *s, const double gained[3]) {
  if (!s->pushing) return;
  firn_world *world = s->world;
  push *pushes = s->pushes.data;
  double size[3] = {0}, left[3] = {-gained[0], -gained[1], -gained[2]};
  for (int c = 0; c < world->collider_count; c++) {
    for (int a = 0; a < 3; a++) {
      size[a] += pushes[c].size[a];
      left[a] -= pushes[c].impulse[a];
    }
  }
  for (int c = 0; c < world->collider_count; c++) {
    firn_collider *collider = &world->collider[c];
    push *of = &pushes[c];
    double more[3], at[3], moving[3], all = sum3(of->size);
    if (all > 0) {
      for (int a = 0; a < 3; a++) {
        more[a] = left[a] * (size[a] > 0 ? of->size[a] / size[a] : all / sum3(size));
        at[a] = of->at[a] / all;
        moving[a] = of->moving[a] / all;
      }
      book(of, collider, more, at, moving);
    }
    if (!collider->forces) continue;
    for (int a = 0; a < 3; a++) {
      collider->sums.impulse[a] += of->impulse[a];
      collider->sums.angular[a] += of->angular[a];
    }
    collider->sums.work += of->work;
    collider->sums.time += s->dt;
  }
}
