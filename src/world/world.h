// SPDX-License-Identifier: Apache-2.0
// The world: what there is, without a word on how it moves.
#ifndef FIRN_WORLD_WORLD_H
#define FIRN_WORLD_WORLD_H

#include <firn/heat.h>

#include "material/law.h"
#include "world/collider.h"
#include "world/flow.h"
#include "world/force.h"
#include "world/particles.h"
#include "world/wind.h"

// Fingerprints of what a world was made with. They stay when a setter changes a value later, so
// that keyed values do not make two runs of one scene look different.
typedef struct firn_digests {
  uint64_t space; // h and periods
  uint64_t gravity;
  uint64_t materials; // all, in order
  uint64_t colliders; // all, in order; firn_collider.digest is that of one
} firn_digests;

// Ids of particles that were laid down at rest since the last step, in order.
typedef struct firn_settled {
  uint32_t count, room;
  uint32_t (*range)[2]; // [room] first, end
} firn_settled;

// Gives a particle the strain with which it carries a load in Pa along the unit vector up, and tells
// the elastic energy that one holds, J. Set by the owner of the world; NULL: nobody keeps strain.
typedef struct firn_settler {
  void *user;
  void (*lay)(void *user, size_t slot, const double up[3], double load);
  double (*energy)(void *user, size_t slot);
} firn_settler;

// Where energy came from, so that what is lost can be told (ledger.c).
typedef struct firn_ledger {
  double given;     // J: came with particles and went with them, or was given to them from outside
  uint64_t next_id; // particles from this id on are not in it yet
} firn_ledger;
// The velocity gradient dv_a/dx_b, row by row, 1/s, that a particle carries beside its velocity. Set by
// the owner of the world; set and get are NULL where the solver has no such thing, and get says false
// where its settings have none.
typedef struct firn_affine {
  void *user;
  void (*set)(void *user, size_t slot, const double gradient[9]);
  bool (*get)(void *user, size_t slot, double gradient[9]);
} firn_affine;

// Gives a new particle the elastic strain b_E - I (xx yy zz xy xz yz), or that of a Cauchy stress in Pa,
// and returns det F_E; 0, and nothing is given, where its law does not hold that without yielding.
typedef struct firn_loader {
  void *user;
  double (*strain)(void *user, size_t slot, const double strain[6]);
  double (*stress)(void *user, size_t slot, const double stress[6]);
} firn_loader;

// A material, as heat sees it (heat.h).
typedef struct firn_heat_row {
  firn_heat_def def;
  double young; // Pa, of the material: what the factor by temperature is relative to
} firn_heat_row;

typedef struct firn_world {
  firn_context *context;
  double h;          // m
  double gravity[3]; // m/s^2
  uint64_t seed;
  double time; // s
  firn_particles particles;
  firn_material_row *material; // [material_count]
  int material_count;
  firn_collider *collider; // [collider_count]
  int collider_count;
  int vary[FIRN_VARY_COUNT]; // indices of the fields that firn_world_vary makes, -1 while absent
  int cut;                   // that of firn_world_keep_cut, or -1
  int temperature;           // that of firn_world_keep_heat, or -1; "temperature_low" follows it
  firn_heat_row *heat; // [heat_count]: of the first materials; others are none of its business
  int heat_count;
  bool softens; // some material's stiffness hangs on its temperature
  // m, over which materials soften in tension that have no softening_length; 0: all as printed.
  double softening_length;
  firn_flow flow;
  firn_wind wind;
  firn_forces forces;
  firn_settler settler;
  firn_settled settled;
  firn_ledger ledger;
  bool kicked; // an impulse has changed velocities; whoever takes notice resets it
  bool hollow; // nothing keeps snow out of the inside of colliders: fills leave it out
  firn_affine affine;
  firn_loader loader;
  uint64_t changes;     // raised whenever gravity, a collider or a material is changed from outside
  firn_digests digests; // colliders is not kept up
} firn_world;

firn_status firn_world_init(firn_world *world, firn_context *context, const firn_sim_def *def);
void firn_world_free(firn_world *world);
firn_status firn_world_add_material(firn_world *world, const firn_material_def *def, int *id);
// For solvers whose snow localises in cells of h: how it softens in tension (material/snow.h). Without
// it the law is as printed.
void firn_world_set_softening(firn_world *world, double length);
void firn_world_soften(const firn_world *world, firn_material_row *row);
firn_status firn_world_add_collider(firn_world *world, const firn_collider_def *def, int *id);

// colliders.c: places all colliders for a time, before threads sample them.
void firn_world_prepare(firn_world *world, double time);
// Sets the clock, and the colliders by it: between steps they stand as they do at world->time.
void firn_world_set_time(firn_world *world, double time);
// Around a step: the push of the snow in it is what moves those under a load.
void firn_world_before_step(firn_world *world);
void firn_world_after_step(firn_world *world);
// Fails where a user's distance was nan since the colliders were made.
firn_status firn_world_check_colliders(const firn_world *world);
// One by its number, also one that was removed; or NULL and a message.
firn_collider *firn_world_collider(const firn_world *world, int id);
// The same of those that are there; FIRN_ERROR_STATE for one that was removed.
firn_status firn_world_find_collider(const firn_world *world, int id, firn_collider **out);
// Its number stays its own. FIRN_ERROR_STATE: it was removed already, or the window follows it.
firn_status firn_world_remove_collider(firn_world *world, int id);
// drive.c: a collider, or a part of it, in the caller's hands. faster: solvers that look ahead have to
// look again (solver.h).
firn_status firn_world_drive(firn_world *world, int id, int part, const firn_body *body,
                             bool *faster);
// FIRN_ERROR_ARGUMENT unless the collider has such a part; -1 is the whole.
firn_status firn_collider_check_part(const firn_world *world, const firn_collider *collider,
                                     int part);
// change.c: what may change between steps; each raises `changes` if it does change something.
firn_status firn_world_set_gravity(firn_world *world, const double gravity[3]);
firn_status firn_world_set_grip(firn_world *world, int id, const firn_grip *grip);
firn_status firn_world_set_present(firn_world *world, int id, bool present);
firn_status firn_world_set_material(firn_world *world, int id, const firn_material_def *def);
// digest.c
firn_digests firn_world_digest(const firn_world *world);
void firn_world_note_space(firn_world *world, const firn_sim_def *def); // for the digest
void firn_world_note_material(firn_world *world, const firn_material_row *row);

firn_status firn_world_add_particles(firn_world *world, const firn_particles_def *def);
// The first particle with a number that it cannot have, def->count if all are good; and the failure
// that tells what is wrong with it, whose message begins with what.
size_t firn_world_find_bad(const firn_world *world, const firn_particles_def *def);
firn_status firn_world_refuse(const firn_world *world, const firn_particles_def *def, size_t i,
                              const char *what);
firn_status firn_world_fill(firn_world *world, const firn_fill_def *def);
firn_status firn_world_add_points(firn_world *world, const firn_points_def *def);

// Whether nothing but gravity acts on snow that touches nothing.
static inline bool firn_world_is_ballistic(const firn_world *world) {
  return !world->wind.on && !world->forces.count;
}

// What is due at world->time: delayed fills, the window, emitters, sinks, the kill box. Called before
// each step. Fails without having placed or removed anything half.
firn_status firn_world_update(firn_world *world);

// Hands one named blob over: to be saved, or (loading) to be overwritten with what was saved under
// that name. Fails when the file holds nothing of that name and size.
typedef struct firn_state_visitor {
  void *user;
  firn_status (*blob)(void *user, const char *name, void *data, size_t size);
} firn_state_visitor;

// What a checkpoint must hold besides particles and time, as a solver's state is handed over.
// Particles are loaded already; emitters and fills must have been added as they were when it was saved.
firn_status firn_world_state(firn_world *world, bool load, const firn_state_visitor *visitor);

// change.c: its part in that, of what setters may have changed. Whoever sets the same again after
// a load then changes nothing, and wakes nobody.
firn_status firn_world_visit_settings(firn_world *world, bool load,
                                      const firn_state_visitor *visitor);

// ledger.c
// Enters the particles that are new, with their motion and height. The strain of those whose volume
// nobody knows yet is entered by the solver, when it does.
void firn_ledger_admit(firn_world *world);
// Enters a change of gravity, which is still the old one.
void firn_ledger_regravitate(firn_world *world, const double gravity[3]);
// J of all that is in it: motion and height or, with strain, what particles hold of that. Whoever
// changes particles from outside asks before and after, and adds the difference to given.
double firn_ledger_held(firn_world *world, bool strain);
// J that were lost, with this much left now as motion, strain and height. Looking enters nobody, or
// sums would depend on who looked. nan where it cannot be told:
// a collider has moved whose forces nobody records, or gravity acts along a period.
double firn_ledger_lost(const firn_world *world, double left);
// firn_particles_remove, and out of the ledger.
size_t firn_world_remove(firn_world *world, firn_touched_fn touched, firn_gone_fn gone,
                         const void *user);
// removal.c: those of a def, whose message names it. Changes nothing where it fails.
firn_status firn_world_remove_some(firn_world *world, const firn_removal_def *def, size_t *removed);
firn_status firn_ledger_visit(firn_world *world, bool load, const firn_state_visitor *visitor);
firn_status firn_drive_visit(firn_world *world, int collider, bool load,
                             const firn_state_visitor *visitor);                      // drive.c
firn_status firn_impulse_visit(firn_world *world, const firn_state_visitor *visitor); // impulse.c
firn_status firn_wind_visit(
    firn_world *world, bool load,
    const firn_state_visitor *visitor); // wind.c: what a setter may have changed
firn_status firn_forces_visit(firn_world *world, bool load,
                              const firn_state_visitor *visitor); // force.c: likewise

// The fields that vary the material from particle to particle, made when first needed and filled
// from the table of materials, which serves all as long as no particle asks for them.
firn_status firn_world_vary(firn_world *world);

// The field "ln_cut": of the volume that the bounds on J_P have taken out of it, so that densities can be
// told. It is made with the first material that has bounds.
firn_status firn_world_keep_cut(firn_world *world);

// Where those fields are, by FIRN_VARY_*; NULL while they are not there.
static inline void firn_world_varied(const firn_world *world,
                                     const firn_real *vary[FIRN_VARY_COUNT]) {
  for (int i = 0; i < FIRN_VARY_COUNT; i++) {
    int field = world->vary[i];
    vary[i] = field < 0 ? NULL : firn_particles_real(&world->particles, field);
  }
}

// heat.c: the factor on the stiffness of the particle in a slot, by its temperature.
double firn_world_softness(const firn_world *world, size_t slot);

// The material of the particle in a slot.
static inline firn_material_row firn_world_row(const firn_world *world, size_t slot) {
  const firn_real *vary[FIRN_VARY_COUNT];
  firn_world_varied(world, vary);
  firn_material_row row = firn_material_row_at(
      &world->material[firn_particles_material(&world->particles)[slot]], vary, slot);
  if (!world->softens) return row;
  double factor = firn_world_softness(world, slot);
  row.mu = (firn_real)(factor * (double)row.mu);
  row.lambda = (firn_real)(factor * (double)row.lambda);
  return row;
}

#endif
