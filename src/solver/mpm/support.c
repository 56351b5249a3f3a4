// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/support.h"

// --------------------------------------------------------------------------------------- bodies

// The first block of the body that b is known to belong to; shortens the way there.
static uint32_t root_of(uint32_t *of, uint32_t b) {
  while (of[b] != b) {
    of[b] = of[of[b]];
    b = of[b];
  }
  return b;
}

static void join(uint32_t *of, uint32_t a, uint32_t b) {
  uint32_t ra = root_of(of, a), rb = root_of(of, b);
  if (ra < rb)
    of[rb] = ra;
  else
    of[ra] = rb;
}

// Whether the boxes of two givers of one node block overlap.
static bool boxes_meet(const mpm *m, firn_giver one, firn_giver two) {
  const mpm_box *a = &m->box[firn_giver_block(one)], *b = &m->box[firn_giver_block(two)];
  int oa = firn_giver_offset(one), ob = firn_giver_offset(two);
  const int da[3] = {oa / 9 - 1, oa / 3 % 3 - 1, oa % 3 - 1};
  const int db[3] = {ob / 9 - 1, ob / 3 % 3 - 1, ob % 3 - 1};
  for (int c = 0; c < 3; c++) {
    int lo_a = a->lo[c] + 4 * da[c], lo_b = b->lo[c] + 4 * db[c];
    if (lo_a >= lo_b + b->n[c] || lo_b >= lo_a + a->n[c]) return false;
  }
  return true;
}

firn_status mpm_bodies_find(const mpm *m, mpm_bodies *bodies) {
  size_t blocks = m->world->particles.block_count;
  FIRN_TRY(
      firn_buffer_reserve(m->world->context, &bodies->of, blocks * sizeof(uint32_t), "bodies"));
  uint32_t *of = bodies->of.data;
  for (size_t b = 0; b < blocks; b++) of[b] = (uint32_t)b;
  for (size_t g = 0; g < m->grid.count; g++) {
    const firn_giver *giver = m->grid.giver;
    uint32_t first = m->grid.giver_start[g], end = m->grid.giver_start[g + 1];
    for (uint32_t i = first; i < end; i++) {
      for (uint32_t j = first; j < i; j++) {
        uint32_t a = firn_giver_block(giver[i]), b = firn_giver_block(giver[j]);
        if (root_of(of, a) != root_of(of, b) && boxes_meet(m, giver[i], giver[j])) join(of, a, b);
      }
    }
  }
  for (size_t b = 0; b < blocks; b++) of[b] = root_of(of, (uint32_t)b);
  return FIRN_OK;
}

void mpm_bodies_free(const mpm *m, mpm_bodies *bodies) {
  firn_buffer_free(m->world->context, &bodies->of);
}

// ------------------------------------------------------------------------------------- colliders

bool mpm_block_touches(const mpm *m, size_t b) {
  const firn_world *world = m->world;
  const mpm_box *box = &m->box[b];
  const int32_t *at = world->particles.block[b].at;
  double h = world->h, reach = 0, middle[3];
  for (int a = 0; a < 3; a++) {
    middle[a] = (4.0 * at[a] + box->lo[a] + 0.5 * (box->n[a] - 1)) * h;
    reach += 0.25 * (box->n[a] - 1) * (box->n[a] - 1) * h * h;
  }
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    double away = firn_collider_sample(collider, middle, NULL, NULL);
    if (away * away > reach && away > 0) continue;
    for (int n = 0; n < box->n[0] * box->n[1] * box->n[2]; n++) {
      const double x[3] = {(4.0 * at[0] + box->lo[0] + n / (box->n[1] * box->n[2])) * h,
                           (4.0 * at[1] + box->lo[1] + n / box->n[2] % box->n[1]) * h,
                           (4.0 * at[2] + box->lo[2] + n % box->n[2]) * h};
      if (firn_collider_sample(collider, x, NULL, NULL) <= 0) return true;
    }
  }
  return false;
}
