// SPDX-License-Identifier: Apache-2.0
// What the snow does to colliders. A cell that yields presses on the part of them that is in it with p times
// its area, which is what the cell's faces lack, h^2 (w_lower - w_upper) along each axis, and rubs; pieces give
// them what they get from them.
//
// That is a force of the grid, whose fluid reaches a little beyond its particles; what particles have lost
// is what colliders have got. So the difference between both is added to the colliders that are pressed,
// axis by axis, by how much they are.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/pieces.h"

// What one cell does along one axis, to the collider that has that side of it.
typedef struct touch {
  int collider; // -1: nothing
  int axis;
  double impulse, x[3], velocity[3];
} touch;

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
  size_t touches = s->grid.count * (FLIP_CELLS * 3 * sizeof(touch) + sizeof(uint32_t));
  s->pushing = is_wanted(s);
  if (!s->pushing) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &s->pushes, colliders, "forces on colliders"));
  memset(s->pushes.data, 0, colliders);
  s->heavier = 0;
  return firn_buffer_reserve(context, &s->touches, touches, "forces on colliders");
}

// Mass of particles over that of the grid's cells, which lose what reaches beyond the fluid; once a step.
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

static touch press_of(const flip *s, size_t g, int c, int a, bool rigid_too) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  touch t = {.collider = -1};
  if (!flip_bit(s->active, i) || !(rigid_too || flip_bit(s->plastic, i))) return t;
  double below = (double)s->open[a][i], above = (double)s->open[a][flip_beside(s, g, c, a, 1)];
  t.impulse = s->p[i] * flip_cell_mass(s, i) * (below - above);
  if (t.impulse == 0) return t;
  flip_corner(s, g, c, t.x);
  for (int k = 0; k < 3; k++) t.x[k] = (t.x[k] + (k != a ? 0.5 : above < below)) * s->world->h;
  t.collider = flip_collider_of_side(s, g, t.x, a, t.velocity);
  return t;
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
  const int a = t->axis;
  double impulse[3] = {0}, size = fabs(t->impulse);
  if (t->collider < 0) return;
  push *to = (push *)s->pushes.data + t->collider;
  impulse[a] = t->impulse;
  book(to, &s->world->collider[t->collider], impulse, t->x, t->velocity);
  to->size[a] += size;
  for (int k = 0; k < 3; k++) {
    to->at[k] += size * t->x[k];
    to->moving[k] += size * t->velocity[k];
  }
}

typedef touch (*touch_fn)(const flip *s, size_t g, int c, int a, double more);

// Adds up what each cell does along each axis, in their order.
static void add_touches(flip *s, touch_fn touch_of, double more) {
  touch *all = s->touches.data;
  uint32_t *count = (uint32_t *)(all + 3 * FLIP_CELLS * s->grid.count);
  FLIP_FOR_BLOCKS(s, g) {
    touch *own = all + 3 * FLIP_CELLS * g;
    count[g] = 0;
    for (int c = 0; c < FLIP_CELLS && s->cut[g]; c++) {
      for (int a = 0; a < 3; a++) {
        touch t = touch_of(s, g, c, a, more);
        t.axis = a;
        if (t.collider >= 0) own[count[g]++] = t;
      }
    }
  }
  for (size_t g = 0; g < s->grid.count; g++)
    for (uint32_t n = 0; n < count[g]; n++) add_touch(s, &all[3 * FLIP_CELLS * g + n]);
}

static touch press_of_all(const flip *s, size_t g, int c, int a, double more) {
  (void)more;
  return press_of(s, g, c, a, true);
}
static touch press_of_plastic(const flip *s, size_t g, int c, int a, double more) {
  (void)more;
  return press_of(s, g, c, a, false);
}

void flip_push_pressure(flip *s, bool rigid_too) {
  if (s->pushing) add_touches(s, rigid_too ? press_of_all : press_of_plastic, 1);
}

static touch rub_of(const flip *s, size_t g, int c, int a, double more) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  touch t = {.collider = -1};
  t.impulse = -(double)s->rubbed[a][i] * flip_face_mass(s, g, c, a) * more;
  if (t.impulse == 0) return t;
  flip_corner(s, g, c, t.x);
  for (int k = 0; k < 3; k++) t.x[k] = (t.x[k] + (k != a ? 0.5 : 0)) * s->world->h;
  flip_solid_distance(s->world, s->beside[g], t.x, &t.collider, NULL, t.velocity);
  return t;
}

void flip_push_friction(flip *s) {
  if (s->pushing) add_touches(s, rub_of, heavier(s));
}

void flip_push_contacts(flip *s, const pieces *k, size_t count, const flip_contact *all) {
  if (!s->pushing) return;
  double grid = heavier(s);
  for (size_t n = 0; n < count; n++) {
    for (int a = 0; a < 3; a++) {
      touch t = {.collider = all[n].collider, .axis = a, .impulse = -all[n].impulse[a]};
      if (t.collider >= 0 && !k->of[all[n].piece].rides) t.impulse *= grid;
      memcpy(t.x, all[n].x, sizeof t.x);
      memcpy(t.velocity, all[n].velocity, sizeof t.velocity);
      add_touch(s, &t);
    }
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
