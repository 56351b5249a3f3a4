// SPDX-License-Identifier: Apache-2.0
// Warns once when surfaces that are too few cells apart for contact at nodes both touch the snow
// between them, and may press it.
#include <math.h>

#include "solver/mpm/mpm.h"

// Steps between two checks, particles sampled, samples that make a gap, and colliders that are
// distinguished.
enum { LOOK_STEPS = 128, LOOKS = 4096, ENOUGH = 3, COLLIDERS = 64 };
// Gap in cells below which the warning comes, and the cosine of surfaces that face each other.
static const double THIN = 16, FACING = -0.7;
// Cells from a surface within which snow touches it: cubic splines reach nodes that far away.
static const double TOUCH = 2;
// Surfaces that part at more than this share of their speeds recede; less is rounding.
static const double PARTING = 1e-3;
// The plane that does not move lies some cells behind a surface, so that what is pressed has a gap
// plus twice that to share: elastic snow reads 2 s/(gap + 2 s) too little with s of at least this.
// Of plastic snow, whose pressure grows exponentially, as much goes missing as if it were the
// second (tests/mpm/oedometer_surface.c).
static const double BEHIND = 1.7, BEHIND_PACKED = 10; // cells

static bool presses(const firn_collider *c) {
  return c->speed > 0 || c->varies || c->driven || c->load.mass > 0;
}

typedef struct gap {
  int count;      // of particles in it
  double least;   // cells, from surface to surface
  double near[2]; // cells, from the snow to each of them
} gap;

// A surface as a particle sees it.
typedef struct surface {
  double away; // m
  double normal[3], velocity[3];
} surface;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool recede(const surface *one, const surface *two) {
  double closing = dot(one->velocity, one->normal) + dot(two->velocity, two->normal);
  double speed = sqrt(dot(one->velocity, one->velocity)) + sqrt(dot(two->velocity, two->velocity));
  return closing < -PARTING * speed;
}

static void add(gap *of, double wide, double to_one, double to_two) {
  of->least = of->count ? fmin(of->least, wide) : wide;
  of->near[0] = of->count ? fmin(of->near[0], to_one) : to_one;
  of->near[1] = of->count ? fmin(of->near[1], to_two) : to_two;
  of->count++;
}

static bool is_filled(const gap *of) {
  return of->count >= ENOUGH && of->near[0] < TOUCH && of->near[1] < TOUCH;
}

// Adds a particle to the gaps that it lies in; of pairs of colliders [count][count], the first
// before the second.
static void look_at(const mpm *m, const double x[3], int count, gap *pair) {
  const firn_world *world = m->world;
  double h = world->h, reach = THIN * h;
  surface at[COLLIDERS];
  for (int c = 0; c < count; c++) {
    const firn_collider *collider = &world->collider[c];
    at[c].away = INFINITY;
    if (collider->absent || firn_collider_clears(collider, UINT64_MAX, x, reach)) continue;
    at[c].away = firn_collider_sample(collider, x, at[c].normal, at[c].velocity);
    for (int o = 0; o < c; o++) {
      bool pressed = presses(collider) || presses(&world->collider[o]);
      double wide = at[o].away + at[c].away;
      if (!pressed || !(wide < reach) || at[c].away < 0 || at[o].away < 0) continue;
      if (dot(at[o].normal, at[c].normal) > FACING || recede(&at[o], &at[c])) continue;
      add(&pair[o * COLLIDERS + c], wide / h, at[o].away / h, at[c].away / h);
    }
  }
}

static void tell(mpm *m, int a, int b, double cells) {
  const firn_collider *one = &m->world->collider[a], *two = &m->world->collider[b];
  double least = 2 * BEHIND / (cells + 2 * BEHIND);
  double most = 2 * BEHIND_PACKED / (cells + 2 * BEHIND_PACKED);
  m->told_gap = true;
  firn_note(m->world->context, FIRN_LOG_WARNING,
            "'%s' and '%s' are %.2g cells apart and touch the snow between them: with mpm.contact: "
            "nodes it is pressed too little, and forces there may read %.0f to %.0f %% low; "
            "mpm.contact: surface is right to some 5 %% from 8 cells on, for up to twice the time "
            "of a step",
            one->name, two->name, cells, 100 * least, 100 * most);
}

void mpm_tell_gaps(mpm *m) {
  const firn_particles *p = &m->world->particles;
  int count = m->world->collider_count < COLLIDERS ? m->world->collider_count : COLLIDERS;
  bool any = false;
  if (m->def.contact_surface || m->told_gap || m->memory.steps % LOOK_STEPS) return;
  for (int c = 0; c < count; c++) any = any || presses(&m->world->collider[c]);
  if (!any || count < 2) return;
  gap pair[COLLIDERS * COLLIDERS] = {{0}};
  size_t stride = p->count / LOOKS + 1, next = 0, seen = 0;
  firn_world_prepare(m->world, m->world->time);
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    for (; next < seen + block->count; next += stride) {
      size_t slot = block->first + (next - seen);
      double x[3];
      for (int a = 0; a < 3; a++)
        x[a] = (4.0 * block->at[a] + (double)m->view.x[a][slot]) * m->world->h;
      look_at(m, x, count, pair);
    }
    seen += block->count;
  }
  int found = -1;
  for (int i = 0; i < COLLIDERS * COLLIDERS; i++) {
    if (is_filled(&pair[i]) && (found < 0 || pair[i].count > pair[found].count)) found = i;
  }
  if (found < 0) return;
  tell(m, found / COLLIDERS, found % COLLIDERS, pair[found].least);
}
