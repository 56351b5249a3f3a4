// SPDX-License-Identifier: Apache-2.0
// What may change in a world between steps, and its place in a checkpoint.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "material/preset.h"
#include "math/vec3.h"
#include "world/heat.h"
#include "world/world.h"

firn_status firn_world_set_gravity(firn_world *world, const double gravity[3]) {
  if (!firn_finite3(gravity)) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "gravity (%g %g %g) is not finite",
                     gravity[0], gravity[1], gravity[2]);
  }
  // Whoever sleeps need not wake for what stays the same.
  if (memcmp(world->gravity, gravity, sizeof world->gravity) == 0) return FIRN_OK;
  firn_ledger_regravitate(world, gravity);
  memcpy(world->gravity, gravity, sizeof world->gravity);
  world->changes++;
  return FIRN_OK;
}

static void give_grip(firn_collider *collider, const firn_grip *grip) {
  collider->friction = grip->friction;
  collider->friction_viscosity = grip->friction_viscosity;
  collider->adhesion = grip->adhesion;
  collider->sticky = grip->sticky;
}

firn_status firn_world_set_grip(firn_world *world, int id, const firn_grip *grip) {
  firn_collider *collider;
  char what[FIRN_NAME_SIZE + 16];
  FIRN_TRY(firn_world_find_collider(world, id, &collider));
  firn_grip before = firn_collider_grip(collider);
  snprintf(what, sizeof what, "collider '%s'", collider->name);
  FIRN_TRY(firn_grip_check(world->context, what, grip));
  if (before.friction == grip->friction && before.adhesion == grip->adhesion &&
      before.friction_viscosity == grip->friction_viscosity && before.sticky == grip->sticky)
    return FIRN_OK;
  give_grip(collider, grip);
  world->changes++;
  return FIRN_OK;
}

firn_status firn_world_set_present(firn_world *world, int id, bool present) {
  firn_collider *collider;
  FIRN_TRY(firn_world_find_collider(world, id, &collider));
  if (collider->absent == !present) return FIRN_OK;
  collider->absent = !present;
  world->changes++;
  return FIRN_OK;
}

// The numbers of a row, those of FIRN_VARY_* first.
#define X(...) +1
enum { ROW_NUMBERS = 0 FIRN_ROW_LIST(X) };
#undef X
static void row_numbers(const firn_material_row *row, double out[ROW_NUMBERS]) {
#define X(CONSTANT, name, ...) *out++ = (double)row->name;
  FIRN_ROW_LIST(X)
#undef X
}

// Once any particle varies, all have numbers of their own; those that equal the table's follow it.
static void vary_again(firn_world *world, int id, const double before[ROW_NUMBERS],
                       const double after[ROW_NUMBERS]) {
  const firn_particles *p = &world->particles;
  const uint16_t *material = firn_particles_material(p);
  for (int k = 0; k < FIRN_VARY_COUNT && world->vary[0] >= 0; k++) {
    firn_real *value = firn_particles_real(p, world->vary[k]);
    if (before[k] == after[k]) continue;
    for (size_t slot = 0; slot < p->slots + p->pending; slot++) {
      if (material[slot] == id && (double)value[slot] == before[k]) {
        value[slot] = (firn_real)after[k];
      }
    }
  }
}

firn_status firn_world_set_material(firn_world *world, int id, const firn_material_def *def) {
  firn_material_row row;
  double before[ROW_NUMBERS], after[ROW_NUMBERS];
  char what[48];
  if (id < 0 || id >= world->material_count) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "material %d does not exist; there are %d", id, world->material_count);
  }
  snprintf(what, sizeof what, "material %d", id);
  FIRN_TRY(firn_material_make_row(world->context, def, what, &row));
  if (row.law != world->material[id].law) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: its law cannot change while there are particles of it", what);
  }
  firn_world_soften(world, &row);
  row_numbers(&world->material[id], before);
  row_numbers(&row, after);
  if (memcmp(before, after, sizeof before) == 0) return FIRN_OK;
  if (firn_material_is_bounded(&row)) FIRN_TRY(firn_world_keep_cut(world));
  vary_again(world, id, before, after);
  world->material[id] = row;
  world->changes++;
  return FIRN_OK;
}

// ------------------------------------------------------------------------------- checkpoints

// Numbers in a checkpoint: without padding, and of one size in both precisions.
typedef struct space_state {
  double gravity[3];
  uint64_t changes;
} space_state;

typedef struct surface_state {
  double friction, friction_viscosity, adhesion;
  uint64_t sticky, absent, removed;
} surface_state;

static firn_status damaged(const firn_world *world, const char *name) {
  return firn_fail(world->context, FIRN_ERROR_FORMAT,
                   "the checkpoint is damaged: %s does not make sense", name);
}

static firn_status visit_surface(firn_world *world, int c, bool load,
                                 const firn_state_visitor *visitor) {
  firn_collider *collider = &world->collider[c];
  surface_state s = {collider->friction, collider->friction_viscosity,
                     collider->adhesion, collider->sticky,
                     collider->absent,   collider->removed};
  char name[32];
  snprintf(name, sizeof name, "surface_%d", c);
  FIRN_TRY(visitor->blob(visitor->user, name, &s, sizeof s));
  if (!load) return FIRN_OK;
  const firn_grip grip = {s.friction, s.friction_viscosity, s.adhesion, s.sticky != 0};
  if (firn_grip_check(world->context, name, &grip) != FIRN_OK) return damaged(world, name);
  give_grip(collider, &grip);
  if (collider->removed && !s.removed) {
    return firn_fail(world->context, FIRN_ERROR_STATE,
                     "collider %d, '%s', was removed here, and the checkpoint has it; load it into "
                     "a simulation that is made anew",
                     c, collider->name);
  }
  if (s.removed && !collider->removed) firn_collider_remove(collider);
  collider->absent = s.absent || s.removed;
  return FIRN_OK;
}

// Where particles have temperatures.
static firn_status visit_temperature(firn_world *world, int c, bool load,
                                     const firn_state_visitor *visitor) {
  double temperature = world->collider[c].temperature;
  char name[32];
  if (world->temperature < 0) return FIRN_OK;
  snprintf(name, sizeof name, "temperature_%d", c);
  FIRN_TRY(visitor->blob(visitor->user, name, &temperature, sizeof temperature));
  if (!load) return FIRN_OK;
  if (!firn_heat_is_good(temperature)) return damaged(world, name);
  world->collider[c].temperature = temperature;
  return FIRN_OK;
}

// What the snow has done to a collider so far, and in the last step.
static firn_status visit_sums(firn_world *world, int c, const firn_state_visitor *visitor) {
  firn_collider *collider = &world->collider[c];
  char name[32];
  if (!collider->forces) return FIRN_OK;
  snprintf(name, sizeof name, "force_%d", c);
  firn_collider_sums sums[2] = {collider->sums, collider->last};
  FIRN_TRY(visitor->blob(visitor->user, name, sums, sizeof sums));
  collider->sums = sums[0];
  collider->last = sums[1];
  return FIRN_OK;
}

// Where its load has brought it.
static firn_status visit_load(firn_world *world, int c, bool load,
                              const firn_state_visitor *visitor) {
  firn_collider *collider = &world->collider[c];
  firn_load_state *s = &collider->load.state;
  char name[32];
  if (collider->load.mass == 0) return FIRN_OK;
  snprintf(name, sizeof name, "load_%d", c);
  FIRN_TRY(visitor->blob(visitor->user, name, s, sizeof *s));
  if (!load) return FIRN_OK;
  if (!isfinite(s->time + s->way + s->speed + s->push + s->rest + s->fall))
    return damaged(world, name);
  collider->prepared = (double)NAN; // for another place
  return FIRN_OK;
}

static firn_status visit_material(firn_world *world, int id, bool load,
                                  const firn_state_visitor *visitor) {
  firn_material_row *row = &world->material[id];
  double n[ROW_NUMBERS], *next = n;
  char name[32];
  row_numbers(row, n);
  snprintf(name, sizeof name, "material_%d", id);
  FIRN_TRY(visitor->blob(visitor->user, name, n, sizeof n));
  if (!load) return FIRN_OK;
  for (int k = 0; k < ROW_NUMBERS; k++) {
    if (!firn_real_is_finite(n[k])) return damaged(world, name);
  }
  if (!(n[FIRN_VARY_MU] > 0 && n[FIRN_VARY_DENSITY] > 0)) return damaged(world, name);
#define X(CONSTANT, number, ...) row->number = (firn_real)*next++;
  FIRN_ROW_LIST(X)
#undef X
  firn_world_soften(world, row); // a branch may have another length
  return FIRN_OK;
}

firn_status firn_world_visit_settings(firn_world *world, bool load,
                                      const firn_state_visitor *visitor) {
  space_state s = {.changes = world->changes};
  memcpy(s.gravity, world->gravity, sizeof s.gravity);
  FIRN_TRY(visitor->blob(visitor->user, "space", &s, sizeof s));
  for (int a = 0; load && a < 3; a++) {
    if (!isfinite(s.gravity[a])) return damaged(world, "space");
    world->gravity[a] = s.gravity[a];
  }
  if (load) world->changes = s.changes;
  for (int c = 0; c < world->collider_count; c++) {
    FIRN_TRY(visit_surface(world, c, load, visitor));
    FIRN_TRY(visit_temperature(world, c, load, visitor));
    FIRN_TRY(visit_sums(world, c, visitor));
    FIRN_TRY(visit_load(world, c, load, visitor));
    FIRN_TRY(firn_drive_visit(world, c, load, visitor));
  }
  for (int id = 0; id < world->material_count; id++) {
    FIRN_TRY(visit_material(world, id, load, visitor));
  }
  return FIRN_OK;
}
