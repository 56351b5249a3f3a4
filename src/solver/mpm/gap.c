// SPDX-License-Identifier: Apache-2.0
// Warns once when snow lies between surfaces that press it and that are too few cells apart for
// contact at nodes.
#include <math.h>

#include "solver/mpm/mpm.h"

// Steps between two checks, particles sampled, samples that make a gap, and colliders that are
// distinguished.
enum { LOOK_STEPS = 128, LOOKS = 4096, ENOUGH = 3, COLLIDERS = 64 };
// Gap in cells below which the warning comes, and the cosine of surfaces that face each other.
static const double THIN = 16, FACING = -0.7;
// The plane that does not move lies some cells behind a surface, so that what is pressed has a gap
// plus twice that to share: elastic snow reads 2 s/(gap + 2 s) too little with s of at least this.
// Of plastic snow, whose pressure grows exponentially, as much goes missing as if it were the
// second (tests/mpm/oedometer_surface.c).
static const double BEHIND = 1.7, BEHIND_PACKED = 10; // cells

static bool presses(const firn_collider *c) {
  return c->speed > 0 || c->varies || c->driven || c->load.mass > 0;
}

typedef struct gap {
  int count;    // of particles in it
  double least; // cells
} gap;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Adds a particle to the gaps that it lies in; of pairs of colliders [count][count], the first
// before the second.
static void look_at(const mpm *m, const double x[3], int count, gap *pair) {
  const firn_world *world = m->world;
  double reach = THIN * world->h, away[COLLIDERS], normal[COLLIDERS][3];
  for (int c = 0; c < count; c++) {
    const firn_collider *collider = &world->collider[c];
    away[c] = INFINITY;
    if (collider->absent || firn_collider_clears(collider, UINT64_MAX, x, reach)) continue;
    away[c] = firn_collider_sample(collider, x, normal[c], NULL);
    for (int o = 0; o < c; o++) {
      bool pressed = presses(collider) || presses(&world->collider[o]);
      double wide = away[o] + away[c];
      if (!pressed || !(wide < reach) || away[c] < 0 || away[o] < 0) continue;
      if (dot(normal[o], normal[c]) > FACING) continue;
      gap *of = &pair[o * COLLIDERS + c];
      of->least = of->count++ ? fmin(of->least, wide / world->h) : wide / world->h;
    }
  }
}

static void tell(mpm *m, int a, int b, double cells) {
  const firn_collider *one = &m->world->collider[a], *two = &m->world->collider[b];
  double least = 2 * BEHIND / (cells + 2 * BEHIND);
  double most = 2 * BEHIND_PACKED / (cells + 2 * BEHIND_PACKED);
  m->told_gap = true;
  firn_note(m->world->context, FIRN_LOG_WARNING,
            "snow between '%s' and '%s' is %.2g cells thick: with mpm.contact: nodes it is pressed "
            "too little, "
            "and forces there may read %.0f to %.0f %% low; mpm.contact: surface is right to some "
            "5 %% from "
            "8 cells on, for up to twice the time of a step",
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
  int found = 0;
  for (int i = 1; i < COLLIDERS * COLLIDERS; i++) {
    if (pair[i].count > pair[found].count) found = i;
  }
  if (pair[found].count < ENOUGH) return;
  tell(m, found / COLLIDERS, found % COLLIDERS, pair[found].least);
}
