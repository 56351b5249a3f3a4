// SPDX-License-Identifier: Apache-2.0
// Particles that a program takes away between steps.
#include "base/def.h"
#include "world/world.h"

FIRN_DEFAULTS(removal_def) {
  return (firn_removal_def){.shape = NULL};
}

typedef struct removal {
  const firn_particles *particles;
  firn_shape *shape;      // held; NULL: everywhere
  const uint64_t *wanted; // [next_id / 64 + 1], a bit each; NULL: whichever they are
  double time;
} removal;

static bool block_may_go(const void *user, const double center[3], double radius) {
  const removal *r = user;
  return !r->shape || firn_shape_sample(r->shape, center, r->time, NULL) <= radius;
}

static bool goes(const void *user, size_t slot, const double x[3]) {
  const removal *r = user;
  uint32_t id = firn_particles_id(r->particles)[slot];
  if (r->wanted && !(r->wanted[id / 64] >> id % 64 & 1)) return false;
  return !r->shape || firn_shape_sample(r->shape, x, r->time, NULL) <= 0;
}

static bool is_alive(const firn_particles *p, uint64_t id) {
  if (p->next_id == p->count) return true;
  return ((const firn_id_row *)p->rows.data)[id / 64].alive >> id % 64 & 1;
}

// Sets the bits of the ids, each of which must be that of a particle.
static firn_status mark(firn_world *world, const firn_removal_def *def, uint64_t *wanted) {
  firn_particles *p = &world->particles;
  FIRN_TRY(firn_particles_number(p));
  for (size_t i = 0; i < def->id_count; i++) {
    uint64_t id = def->ids[i];
    if (id >= p->next_id) {
      return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                       "removal: particle %llu does not exist; %zu have been added so far",
                       (unsigned long long)id, p->next_id);
    }
    if (!is_alive(p, id)) {
      return firn_fail(world->context, FIRN_ERROR_STATE, "removal: particle %llu is gone already",
                       (unsigned long long)id);
    }
    wanted[id / 64] |= (uint64_t)1 << id % 64;
  }
  return FIRN_OK;
}

static firn_status check(const firn_world *world, const firn_removal_def *def) {
  if (def->id_count && !def->ids) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "removal: id_count is %zu, ids is NULL",
                     def->id_count);
  }
  if (def->shape || def->ids) return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                   "removal: neither shape nor ids say which particles are to go");
}

firn_status firn_world_remove_some(firn_world *world, const firn_removal_def *def,
                                   size_t *removed) {
  firn_context *context = world->context;
  removal r = {.particles = &world->particles, .time = world->time};
  size_t size = (world->particles.next_id / 64 + 1) * sizeof(uint64_t), gone = 0;
  uint64_t *wanted = NULL;
  FIRN_TRY(check(world, def));
  if (def->shape) FIRN_TRY(firn_shape_make(context, def->shape, "removal", &r.shape));
  firn_status status = FIRN_OK;
  if (def->ids) {
    wanted = firn_alloc_zero(context, size, "a removal");
    status = wanted ? mark(world, def, wanted) : FIRN_ERROR_MEMORY;
  }
  if (status == FIRN_OK) {
    r.wanted = wanted;
    gone = firn_world_remove(world, block_may_go, goes, &r);
    if (gone) world->changes++; // what slept may have lost what held it up
    if (removed) *removed = gone;
  }
  if (wanted) firn_free(context, wanted, size);
  firn_shape_release(r.shape);
  return status;
}
