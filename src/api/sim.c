// SPDX-License-Identifier: Apache-2.0
// Simulations: create, fill, step.
#include "api/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/def.h"
#include "base/isa.h"
#include "base/memory.h"

static const firn_def_part mpm_part = {"firn_mpm_def", offsetof(firn_sim_def, mpm),
                                       sizeof(firn_mpm_def)};

static firn_sim_def default_sim_def(void) {
  return (firn_sim_def){
      .h = 0.01,
      .gravity = {0, -9.81, 0},
      .solver = "mpm",
      .mpm = firn_default_mpm_def(),
  };
}

void firn_sim_def_init(firn_sim_def *def, size_t size, size_t mpm_size) {
  const firn_sim_def own = default_sim_def();
  firn_def_give_with(&own, sizeof own, def, size, &mpm_part, mpm_size);
}

// Those that the user gives, in either way, or else the defaults.
static firn_status take_settings(firn_sim *sim, const firn_sim_def *def) {
  const firn_solver_type *type = sim->type;
  const char *given = def->settings;
  if (!given && type->in_sim_def) given = (const char *)def + type->in_sim_def;
  sim->settings = firn_alloc_zero(sim->world.context, type->def_size, "settings");
  if (type->def_size && !sim->settings) return FIRN_ERROR_MEMORY;
  firn_solver_defaults(type, sim->settings);
  if (given && type->def_size)
    FIRN_TRY(firn_solver_take(sim->world.context, type, given, sim->settings));
  return firn_solver_check(sim->world.context, type, sim->settings);
}

firn_status firn_sim_create(firn_context *context, const firn_sim_def *given, firn_sim **out) {
  if (!context || !given || !out) return firn_fail_null(context, "firn_sim_create");
  *out = NULL;
  firn_sim_def own = default_sim_def(), *def = &own;
  FIRN_TRY(firn_def_take_with(context, "firn_sim_def", given, def, sizeof own, &mpm_part));
  const firn_solver_type *type = firn_solver_find(def->solver ? def->solver : "mpm");
  if (!type) {
    char list[64] = "";
    for (int i = 0; (type = firn_solver_at(i)); i++) {
      size_t used = strlen(list);
      snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", type->name);
    }
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "simulation: solver '%s' does not exist; there are %s", def->solver, list);
  }
  FIRN_TRY(firn_tables_check(context, type));
  FIRN_FP_SCOPE;
  firn_sim *sim = firn_alloc_zero(context, sizeof *sim, "simulation");
  if (!sim) return FIRN_ERROR_MEMORY;
  sim->type = type;
  firn_status status = firn_world_init(&sim->world, context, def);
  if (status == FIRN_OK) status = take_settings(sim, def);
  if (status == FIRN_OK) status = type->create(&sim->world, sim->settings, &sim->solver);
  if (status == FIRN_OK) status = firn_sim_identity_make(context, &sim->identity);
  sim->world.hollow = type->hollow;
  firn_sim_connect(sim);
  if (status != FIRN_OK) {
    firn_sim_destroy(sim);
    return status;
  }
  *out = sim;
  return FIRN_OK;
}

void firn_sim_connect(firn_sim *sim) {
  const firn_solver_type *type = sim->type;
  sim->world.settler = (firn_settler){sim->solver, type->settle, type->energy};
  sim->world.loader = (firn_loader){sim->solver, type->start_strain, type->start_stress};
  sim->world.affine = (firn_affine){sim->solver, type->set_affine, type->get_affine};
}

void firn_sim_destroy(firn_sim *sim) {
  // Whoever is about to go on with it would find nothing.
  if (!sim || firn_sim_not_advancing(sim, __func__) != FIRN_OK) return;
  firn_context *context = sim->world.context;
  if (sim->solver) sim->type->destroy(sim->solver);
  firn_free(context, sim->settings, sim->type->def_size);
  firn_world_free(&sim->world);
  firn_sim_identity_release(sim->identity);
  firn_free(context, sim, sizeof *sim);
}

firn_status firn_sim_between_steps(const firn_sim *sim, const char *call) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!sim->in_step) return FIRN_OK;
  const char *sized = strstr(call, "_sized"); // which a program calls by its name without this
  return firn_fail(
      sim->world.context, FIRN_ERROR_STATE,
      "%.*s: the simulation is within a step, at time %g s; this may be called between "
      "steps only",
      (int)(sized ? (size_t)(sized - call) : strlen(call)), call, sim->world.time);
}

firn_status firn_sim_not_advancing(const firn_sim *sim, const char *call) {
  FIRN_TRY(firn_sim_between_steps(sim, call));
  if (!sim->in_advance) return FIRN_OK;
  return firn_fail(
      sim->world.context, FIRN_ERROR_STATE,
      "%s: firn_sim_advance or firn_run is under way with this simulation, at time %g s; return "
      "false from the function that it calls first",
      call, sim->world.time);
}

firn_status firn_sim_add_material(firn_sim *sim, const firn_material_def *given, int *id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_material");
  FIRN_TAKE(sim->world.context, material_def, given, own);
  const firn_material_def *def = &own;
  FIRN_FP_SCOPE;
  return firn_world_add_material(&sim->world, def, id);
}

firn_status firn_sim_add_collider(firn_sim *sim, const firn_collider_def *given, int *id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_collider");
  FIRN_TAKE(sim->world.context, collider_def, given, own);
  const firn_collider_def *def = &own;
  return firn_world_add_collider(&sim->world, def, id);
}

firn_status firn_sim_remove_collider(firn_sim *sim, int id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  return firn_world_remove_collider(&sim->world, id);
}

firn_status firn_sim_remove_particles(firn_sim *sim, const firn_removal_def *given,
                                      size_t *removed) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_remove_particles");
  FIRN_TAKE(sim->world.context, removal_def, given, own);
  FIRN_FP_SCOPE;
  return firn_world_remove_some(&sim->world, &own, removed);
}

firn_status firn_sim_add_particles(firn_sim *sim, const firn_particles_def *given) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_particles");
  FIRN_TAKE(sim->world.context, particles_def, given, own);
  const firn_particles_def *def = &own;
  FIRN_FP_SCOPE;
  return firn_world_add_particles(&sim->world, def);
}

firn_status firn_sim_fill(firn_sim *sim, const firn_fill_def *given) {
  if (!sim && !given) return FIRN_ERROR_ARGUMENT;
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_fill");
  firn_fill_def def = firn_default_fill_def();
  firn_status status = firn_def_take(sim ? sim->world.context : NULL, "firn_fill_def", given, &def,
                                     sizeof def);
  if (!sim) status = FIRN_ERROR_ARGUMENT;
  // Whoever passed something on to be released never hears of it again.
  if (status == FIRN_OK) status = firn_sim_between_steps(sim, __func__);
  if (status != FIRN_OK && def.start_release) def.start_release(def.start_user);
  FIRN_TRY(status);
  FIRN_FP_SCOPE;
  return firn_world_fill(&sim->world, &def);
}

static void count_step(firn_profile *p, const firn_step *step, size_t particles, double start) {
  p->total += firn_seconds() - start;
  p->steps++;
  p->particle_steps += particles - step->asleep;
  p->iterations += (uint64_t)step->iterations;
}

static firn_status take_step(firn_sim *sim, double limit, firn_step *out) {
  firn_step step = {0};
  if (sim->failed) {
    return firn_fail(sim->world.context, FIRN_ERROR_STATE,
                     "an earlier step failed at time %g s, and what it left may be half updated; "
                     "load a checkpoint or restore a snapshot to go on",
                     sim->world.time);
  }
  if (isnan(limit)) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT, "step: limit is %g s", limit);
  }
  if (isinf(limit)) limit = 0;
  unsigned mode = firn_fp_enter();
  sim->in_step = true;
  double start = firn_seconds();
  firn_status status = firn_world_update(&sim->world);
  if (sim->world.kicked && sim->type->changed) sim->type->changed(sim->solver);
  sim->world.kicked = false;
  firn_world_before_step(&sim->world);
  if (status == FIRN_OK) status = sim->type->step(sim->solver, limit, &step);
  if (status == FIRN_OK) firn_world_after_step(&sim->world);
  firn_world_prepare(&sim->world, sim->world.time);
  sim->in_step = false;
  firn_fp_leave(mode);
  if (status == FIRN_OK) count_step(&sim->profile, &step, firn_sim_count(sim), start);
  // Says more than whatever may have come of it.
  firn_status answers = firn_world_check_colliders(&sim->world);
  if (answers != FIRN_OK) status = answers;
  // Out of memory is found before anything moves; the caller may free some and try again.
  if (status != FIRN_OK && status != FIRN_ERROR_MEMORY) sim->failed = true;
  *out = step;
  return status;
}

firn_status firn_sim_step_sized(firn_sim *sim, double limit, firn_step *out, size_t size) {
  firn_step step = {0};
  FIRN_TRY(firn_sim_not_advancing(sim, "firn_sim_step"));
  firn_status status = take_step(sim, limit, &step);
  if (out) firn_fill_out(&step, sizeof step, out, size);
  return status;
}

// mode is the caller's, for his callback.
static firn_status advance(firn_sim *sim, double duration, firn_progress_fn progress, void *user,
                           unsigned mode) {
  double start = sim->world.time, end = start + duration;
  while (sim->world.time < end) {
    firn_step step = {0};
    double left = end - sim->world.time;
    FIRN_TRY(take_step(sim, left, &step));
    // The last step may miss the end by rounding, which the next frame would inherit.
    if (end - sim->world.time < 1e-9 * step.dt) firn_world_set_time(&sim->world, end);
    if (!progress) continue;
    firn_fp_leave(mode);
    sim->in_advance = true;
    bool go_on = progress(user, sim, &step);
    sim->in_advance = false;
    firn_fp_enter();
    if (!go_on) {
      return firn_fail(sim->world.context, FIRN_CANCELLED, "cancelled at time %g s",
                       sim->world.time);
    }
  }
  return FIRN_OK;
}

firn_status firn_sim_advance(firn_sim *sim, double duration, firn_progress_fn progress,
                             void *user) {
  FIRN_TRY(firn_sim_not_advancing(sim, __func__));
  if (!(isfinite(duration) && duration >= 0)) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "advance: duration %g s must be 0 or more", duration);
  }
  unsigned mode = firn_fp_enter();
  firn_status status = advance(sim, duration, progress, user, mode);
  firn_fp_leave(mode);
  return status;
}

void firn_sim_profile_sized(const firn_sim *sim, firn_profile *out, size_t size) {
  firn_fill_out(&sim->profile, sizeof sim->profile, out, size);
}

double firn_sim_time(const firn_sim *sim) {
  return sim->world.time;
}

size_t firn_sim_count(const firn_sim *sim) {
  return sim->world.particles.count;
}

double firn_sim_h(const firn_sim *sim) {
  return sim->world.h;
}
