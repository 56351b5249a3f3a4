// SPDX-License-Identifier: Apache-2.0
// One step.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/flip/flip.h"

// Layers of faces that get a velocity from their neighbours: before the pressure those that it may need,
// after it those that particles may: in a corner four steps from the next face that is known.
// Particles of pieces are in cells of these.
enum { LAYERS_BEFORE = 2, LAYERS_AFTER = 5, LAYERS_RIDING = 3 };

static void lap_time(flip *s, int phase, double *last) {
  double now = firn_seconds();
  s->seconds[phase] += now - *last;
  *last = now;
}

static void add_gravity(flip *s) {
  const double *g = s->world->gravity;
  FLIP_FOR_BLOCKS(s, b) {
    for (int a = 0; a < 3; a++) {
      for (size_t i = FLIP_CELLS * b; i < FLIP_CELLS * (b + 1); i++) {
        s->was[a][i] = s->u[a][i];
        s->u[a][i] = (firn_real)((double)s->u[a][i] + s->dt * g[a]);
      }
    }
  }
}

// Returns the cells that have a pressure, and those inside colliders beside them.
static const uint64_t *note_pressure(flip *s) {
  FLIP_FOR_BLOCKS(s, g) {
    for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++)
      s->pressure[0][i] = (firn_real)(s->p[i] * flip_pascals(s, i));
  }
  return flip_extend_pressure(s);
}

static void know_moved(flip *s) {
  for (int a = 0; a < 3; a++)
    memcpy(s->known[a], s->moved[a], (s->grid.count + 1) * sizeof *s->known[a]);
}

// Pressure once more. What that changes comes on top of the motion of pieces, so it is kept in
// `rubbed`, which has done its work.
static firn_status project_again(flip *s) {
  size_t bytes = (s->grid.count + 1) * FLIP_CELLS * sizeof(firn_real);
  for (int a = 0; a < 3; a++) memcpy(s->rubbed[a], s->u[a], bytes);
  FIRN_TRY(flip_project(s, true));
  if (!s->riding.of) return FIRN_OK;
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3; a++)
      for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++)
        s->rubbed[a][i] = flip_bit(s->known[a], i) ? s->u[a][i] - s->rubbed[a][i] : 0;
  }
  flip_extrapolate(s, s->rubbed, LAYERS_RIDING);
  know_moved(s);
  return FIRN_OK;
}

// What makes snow of a fluid: it is crushed, rubs and holds together. Friction and cohesion undo what the
// pressure has done about colliders and volumes, so it comes once more.
static firn_status deform(flip *s, const uint64_t *pressed, double *clock) {
  flip_crush(s, pressed);
  lap_time(s, FLIP_CRUSHING, clock);
  flip_extrapolate(s, s->u, LAYERS_BEFORE); // velocities on all sides of each cell
  flip_rub(s);
  FIRN_TRY(flip_viscosity(s));
  lap_time(s, FLIP_FRICTION, clock);
  flip_push_pressure(s, !s->def.clusters);
  if (s->def.clusters) FIRN_TRY(flip_clusters(s));
  flip_push_friction(s);
  lap_time(s, FLIP_COHESION, clock);
  know_moved(s);
  if (!s->def.reproject) {
    for (int a = 0; a < 3; a++)
      memset(s->rubbed[a], 0, (s->grid.count + 1) * FLIP_CELLS * sizeof *s->rubbed[a]);
    return FIRN_OK;
  }
  FIRN_TRY(project_again(s));
  flip_push_pressure(s, true);
  lap_time(s, FLIP_PRESSURE, clock);
  return FIRN_OK;
}

static firn_status fail_short(const flip *s, double dt) {
  return firn_fail(
      s->world->context, FIRN_ERROR_STEP,
      "step %llu at time %g s: particles of %g m/s, or colliders that move or bear loads, need a "
      "step of %g s, below dt_min = %g s",
      (unsigned long long)s->memory.steps, s->world->time, sqrt(s->memory.speed2_max), dt,
      s->def.dt_min);
}

// The first particle that is no longer finite, by number.
static firn_status fail_nonfinite(const flip *s) {
  const firn_particles *p = &s->world->particles;
  static const char *const name[] = {"position", "velocity"};
  uint32_t worst = UINT32_MAX;
  const char *what = "velocity";
  double value = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    for (size_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
      for (int f = FIRN_FIELD_X; f <= FIRN_FIELD_VZ; f++) {
        firn_real v = firn_particles_real(p, f)[i];
        if (firn_particles_id(p)[i] >= worst || isfinite(v * v)) continue;
        worst = firn_particles_id(p)[i];
        what = name[f >= FIRN_FIELD_VX];
        value = (double)v;
      }
    }
  }
  return firn_fail(
      s->world->context, FIRN_ERROR_NONFINITE,
      "step %llu at time %g s: particle %u: %s (%g) is not finite; a step of %g s may be "
      "too long",
      (unsigned long long)s->memory.steps, s->world->time, worst, what, value, s->dt);
}

firn_status flip_step(void *solver, double limit, firn_step *out) {
  flip *s = solver;
  firn_world *world = s->world;
  double clock = firn_seconds();
  *out = (firn_step){0};
  memset(&s->last, 0, sizeof s->last);
  s->riding.of = NULL;
  if (!world->particles.count) {
    double dt = s->def.dt > 0 ? s->def.dt : s->def.dt_max;
    out->dt = limit > 0 ? fmin(limit, dt) : dt;
    out->bound = limit > 0 && limit < dt ? FIRN_BOUND_LIMIT
                 : s->def.dt > 0         ? "flip.dt"
                                         : "flip.dt_max";
    world->time += out->dt;
    return FIRN_OK;
  }

  // Where particles are, and how far they may go.
  FIRN_TRY(flip_layout(s));
  if (s->memory.must_survey || world->kicked) flip_survey(s);
  world->kicked = false;
  world->settled.count = 0;
  double longest = flip_choose_step(s, 0, &out->bound);
  if (longest < s->def.dt_min && !(s->def.dt > 0)) return fail_short(s, longest);
  s->dt = flip_choose_step(s, limit, &out->bound);

  // To the grid, with colliders where they are at the end of the step.
  flip_transfer(s);
  lap_time(s, FLIP_TRANSFER, &clock);
  firn_world_prepare(world, world->time + s->dt);
  FIRN_TRY(firn_world_check_colliders(world));
  flip_solids(s);
  flip_surface(s);
  FIRN_TRY(flip_find_bodies(s));
  lap_time(s, FLIP_SOLIDS, &clock);

  // What happens there.
  flip_extrapolate(s, s->u, LAYERS_BEFORE);
  add_gravity(s);
  if (s->porous) flip_soften(s);
  FIRN_TRY(flip_project(s, false));
  const uint64_t *pressed = note_pressure(s);
  if (!s->porous) flip_push_pressure(s, true);
  lap_time(s, FLIP_PRESSURE, &clock);
  if (s->porous) FIRN_TRY(deform(s, pressed, &clock));

  // And back.
  flip_extrapolate(s, s->u, LAYERS_AFTER);
  flip_hold_solids(s);
  bool finite;
  double gained[3];
  flip_advect(s, &finite, gained);
  if (!finite) return fail_nonfinite(s);
  if (s->wet_too && s->def.keep_volume) FIRN_TRY(flip_keep_volume(s));
  FIRN_TRY(flip_keep_momenta(s, gained));
  flip_push_end(s, gained);
  double blown = firn_world_drag(world, world->time, s->dt, NULL, NULL);
  firn_pushed pushed;
  FIRN_TRY(firn_world_push(world, world->time + s->dt, s->dt, NULL, NULL, &pushed));
  s->memory.speed2_max = fmax(s->memory.speed2_max, fmax(blown, pushed.speed2));
  lap_time(s, FLIP_MOVE, &clock);

  s->memory.steps++;
  world->time += s->dt;
  out->dt = s->dt;
  out->implicit = true;
  out->iterations = s->last.pressure_iterations;
  return FIRN_OK;
}
