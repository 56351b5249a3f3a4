// SPDX-License-Identifier: Apache-2.0
// The ledger of energy. What a simulation was given, as motion, strain and height of its particles, as
// work of colliders and by whoever changed something from outside, less what it has, is lost: to
// plastic flow, friction, impacts, transfers and the integration in time.
#include <math.h>

#include "base/parallel.h"
#include "world/world.h"

// Of motion and height, J.
static double energy_at(const firn_world *world, size_t slot, const double x[3]) {
  const firn_particles *p = &world->particles;
  double v2 = 0, fall = 0;
  for (int a = 0; a < 3; a++) {
    double v = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    v2 += v * v;
    fall += world->gravity[a] * x[a];
  }
  return (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot] * (0.5 * v2 - fall);
}

// Of the particles that are not in the ledger yet.
static double energy_of_new(const firn_world *world) {
  const firn_particles *p = &world->particles;
  const firn_ledger *ledger = &world->ledger;
  double sum = 0;
  if (ledger->next_id == p->next_id) return 0;
  for (size_t i = p->flying; i < p->pending; i++) { // nobody has sorted them yet
    size_t slot = p->slots + i;
    double x[3];
    if (firn_particles_id(p)[slot] < ledger->next_id) continue;
    for (int a = 0; a < 3; a++) {
      double cell = (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
      x[a] = (4.0 * p->pending_at[i][a] + cell) * world->h;
    }
    sum += energy_at(world, slot, x);
    if (world->settler.energy) sum += world->settler.energy(world->settler.user, slot);
  }
  return sum;
}

void firn_ledger_admit(firn_world *world) {
  world->ledger.given += energy_of_new(world);
  world->ledger.next_id = world->particles.next_id;
}

static void dismiss(void *user, size_t slot, const double x[3]) {
  firn_world *world = user;
  world->ledger.given -= energy_at(world, slot, x);
  if (world->settler.energy)
    world->ledger.given -= world->settler.energy(world->settler.user, slot);
}

size_t firn_world_remove(firn_world *world, firn_touched_fn touched, firn_gone_fn gone,
                         const void *user) {
  firn_ledger_admit(world);
  return firn_particles_remove(&world->particles, world->h, touched, gone, user, dismiss, world);
}

// ------------------------------------------------------------------------- changes from outside

// A sum over a part of the particles.
typedef struct sum {
  const firn_world *world;
  double of[3];
} sum;

static double add_parts(const firn_world *world, firn_visit_fn add, double out[3]) {
  sum part[FIRN_PARTS];
  out[0] = out[1] = out[2] = 0;
  FIRN_PARALLEL_FOR(world->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i] = (sum){.world = world};
    firn_particles_visit_part(&world->particles, i, add, &part[i]);
  }
  for (int i = 0; i < FIRN_PARTS; i++)
    for (int a = 0; a < 3; a++) out[a] += part[i].of[a];
  return out[0];
}

static void position(const firn_world *world, size_t slot, const double corner[3], double x[3]) {
  for (int a = 0; a < 3; a++) {
    double cell = (double)firn_particles_real(&world->particles, FIRN_FIELD_X + a)[slot];
    x[a] = (corner[a] + cell) * world->h;
  }
}

static void add_moment(void *user, size_t slot, const double corner[3]) {
  sum *s = user;
  double x[3], mass = (double)firn_particles_real(&s->world->particles, FIRN_FIELD_MASS)[slot];
  position(s->world, slot, corner, x);
  for (int a = 0; a < 3; a++) s->of[a] += mass * x[a];
}

static void add_motion(void *user, size_t slot, const double corner[3]) {
  sum *s = user;
  double x[3];
  position(s->world, slot, corner, x);
  s->of[0] += energy_at(s->world, slot, x);
}

static void add_strain(void *user, size_t slot, const double corner[3]) {
  sum *s = user;
  (void)corner;
  s->of[0] += s->world->settler.energy(s->world->settler.user, slot);
}

double firn_ledger_held(firn_world *world, bool strain) {
  double out[3];
  firn_ledger_admit(world);
  if (strain && !world->settler.energy) return 0;
  return add_parts(world, strain ? add_strain : add_motion, out);
}

// All particles are higher or lower at once.
void firn_ledger_regravitate(firn_world *world, const double gravity[3]) {
  double moment[3];
  firn_ledger_admit(world);
  add_parts(world, add_moment, moment);
  for (int a = 0; a < 3; a++) world->ledger.given -= (gravity[a] - world->gravity[a]) * moment[a];
}

// ------------------------------------------------------------------------------------------- all

double firn_ledger_lost(const firn_world *world, double left) {
  double work = 0;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    if (!collider->forces && collider->speed > 0) return (double)NAN;
    work += collider->sums.work_before + collider->sums.work;
  }
  for (int a = 0; a < 3; a++) {
    if (world->particles.periodic[a] && world->gravity[a] != 0) return (double)NAN;
  }
  return world->ledger.given + energy_of_new(world) + work - left;
}

firn_status firn_ledger_visit(firn_world *world, bool load, const firn_state_visitor *visitor) {
  firn_ledger *ledger = &world->ledger;
  FIRN_TRY(visitor->blob(visitor->user, "ledger", ledger, sizeof *ledger));
  if (!load || (isfinite(ledger->given) && ledger->next_id <= world->particles.next_id))
    return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_FORMAT,
                   "the checkpoint is damaged: its ledger of energy does not make sense");
}
