// SPDX-License-Identifier: Apache-2.0
// What a run warns of, once each: snow that falls for ever; snow that is quicker than anything
// could have made it, and snow that is denser than ice. The latter are what a simulation does that
// has left its law's range, long before it fails.
#include <math.h>
#include <string.h>

#include "api/run.h"
#include "api/sim.h"
#include "base/memory.h"

static const double ICE = 917; // kg/m^3
// Of the mass, from which on it matters: a few particles may be packed or thrown off for an
// instant.
static const double PART = 1e-3;
static const double MARGIN = 2; // jets between two surfaces are quicker than either

// Whether what snow weighs at rest leaves room below ice, and its law hardens by being packed.
static bool packs_below_ice(const firn_world *world) {
  for (int i = 0; i < world->material_count; i++) {
    const firn_material_row *row = &world->material[i];
    if (row->law != FIRN_LAW_SNOW || !((double)row->density < ICE)) return false;
  }
  return world->material_count > 0;
}

// The part of the snow's mass whose density, or speed by its velocity, is above a limit.
static firn_status find_part(firn_sim *sim, const char *field, double limit, double *part) {
  size_t count = firn_sim_count(sim), size = 4 * count * sizeof(double);
  size_t components = strcmp(field, "velocity") == 0 ? 3 : 1;
  double all = 0, above = 0;
  double *mass = firn_alloc(sim->world.context, size, "what a run warns of");
  if (!mass) return FIRN_ERROR_MEMORY;
  double *value = mass + count;
  firn_status status = firn_sim_read(sim, "mass", mass);
  if (status == FIRN_OK) status = firn_sim_read(sim, field, value);
  for (size_t i = 0; status == FIRN_OK && i < count; i++) {
    const double *v = value + components * i;
    double is = components == 3 ? sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : *v;
    all += mass[i];
    above += is > limit ? mass[i] : 0;
  }
  firn_free(sim->world.context, mass, size);
  *part = above / fmax(all, 1e-300);
  return status;
}

static void warn_of_ice(firn_run_state *r, const double *stats) {
  firn_stat_info info;
  double density = 0, jp = 1, part = 0;
  for (int i = 0; firn_sim_stat_info(r->sim, i, &info) == FIRN_OK; i++) {
    if (strcmp(info.name, "density_max") == 0) density = stats[i];
    if (strcmp(info.name, "jp_min") == 0) jp = stats[i];
  }
  if (r->watch.told_ice || !(density > ICE) || !packs_below_ice(&r->sim->world)) return;
  // Without memory to look it goes on without a warning.
  if (find_part(r->sim, "density", ICE, &part) != FIRN_OK || part < PART) return;
  r->watch.told_ice = true;
  firn_note(
      r->context, FIRN_LOG_WARNING,
      "frame %d: %.2g %% of the snow is packed denser than ice (%g kg/m^3), up to %.4g kg/m^3 "
      "with J_P down to %.3g: bodies leave it too little room, or it stops hardening since "
      "its jp_range begins too high or its hardening is too low",
      r->frame, 100 * part, ICE, density, jp);
}

// m/s, that gravity can have given since the first frame that was looked at: not more than by all
// of the time, and not more than by the way from the highest place then to the lowest now.
static double fall_speed(const firn_run_state *r, const firn_sums *now) {
  const double *g = r->sim->world.gravity;
  double potential = 0, strength = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int a = 0; a < 3; a++) {
    double way = g[a] < 0 ? r->watch.highest[a] - now->bounds_min[a]
                          : now->bounds_max[a] - r->watch.lowest[a];
    potential += fabs(g[a]) * fmax(way, 0);
  }
  return fmin(sqrt(2 * potential), strength * (firn_sim_time(r->sim) - r->watch.begin));
}

// Nothing else may have pushed it, nor come in with a speed of its own.
static bool only_bodies_push(const firn_run_state *r) {
  const firn_world *world = &r->sim->world;
  const firn_flow *flow = &world->flow;
  return !world->forces.count && !world->wind.on && !flow->emitter_count && !flow->impulse_count &&
         !flow->fill_count && memcmp(world->gravity, r->watch.gravity, sizeof world->gravity) == 0;
}

static void warn_of_speed(firn_run_state *r, const firn_sums *now) {
  const firn_world *world = &r->sim->world;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    if (!collider->absent) r->watch.body = fmax(r->watch.body, collider->speed);
  }
  // Snow that a body throws off without loss leaves with twice its speed.
  double most = MARGIN * (r->watch.first + 2 * r->watch.body + fall_speed(r, now));
  double part = 0;
  if (r->watch.told_speed || !(now->speed_max > most) || !only_bodies_push(r)) return;
  if (find_part(r->sim, "velocity", most, &part) != FIRN_OK || part < PART) return;
  r->watch.told_speed = true;
  firn_note(
      r->context, FIRN_LOG_WARNING,
      "frame %d: %.2g %% of the snow moves at up to %.3g m/s, faster than its start, bodies of at "
      "most %.3g m/s and gravity can give it: it is crushed between bodies or by sticky: true, or "
      "steps are too long. Between sticky bodies mpm.sticky_transfer: pic and a material's "
      "jp_range: [0.6, .inf] help, else a shorter mpm.dt_max",
      r->frame, 100 * part, now->speed_max, r->watch.body);
}

// Along gravity, m: no collider reaches farther. Infinite where one has no end.
static double end_of_colliders(const firn_world *world, int axis, double down) {
  double end = -(double)INFINITY;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    for (int i = 0; i < collider->part_count && !collider->absent; i++) {
      const firn_part *part = &collider->part[i];
      if (part->radius >= 0) end = fmax(end, down * part->middle[axis] + part->radius);
    }
  }
  return end;
}

// Scenes without any collider are warned of when they are read.
static void warn_of_fall(firn_run_state *r, const firn_sums *now) {
  const firn_world *world = &r->sim->world;
  const double *g = world->gravity;
  int axis = g[0] != 0 ? 0 : g[1] != 0 ? 1 : 2;
  double down = g[axis] < 0 ? -1 : 1, others = g[0] + g[1] + g[2] - g[axis];
  bool ends = world->particles.periodic[axis] || world->flow.killing || world->flow.windowed ||
              world->flow.sink_count;
  if (r->watch.told_fall || g[axis] == 0 || others != 0 || ends || !only_bodies_push(r)) return;
  if (!world->collider_count || !firn_sim_count(r->sim)) return;
  double nearest = down < 0 ? -now->bounds_max[axis] : now->bounds_min[axis];
  if (!(nearest > end_of_colliders(world, axis, down) + world->h)) return;
  r->watch.told_fall = true;
  firn_note(r->context, FIRN_LOG_WARNING,
            "frame %d: all snow has fallen below every collider, and nothing will stop it. A "
            "collider with the shape {half_space: {}} is a ground at height 0",
            r->frame);
}

void firn_run_watch(firn_run_state *r, const firn_measures *measures) {
  const firn_sums *now = &measures->sums;
  if (!r->watch.begun) {
    r->watch.begun = true;
    // What begins under stress may turn that into speed.
    r->watch.first = now->speed_max +
                     sqrt(2 * fmax(now->energy_elastic, 0) / fmax(now->mass, 1e-30));
    memcpy(r->watch.gravity, r->sim->world.gravity, sizeof r->watch.gravity);
    r->watch.begin = firn_sim_time(r->sim);
    for (int a = 0; a < 3; a++) {
      r->watch.highest[a] = now->bounds_max[a];
      r->watch.lowest[a] = now->bounds_min[a];
    }
  }
  warn_of_ice(r, measures->stats);
  warn_of_speed(r, now);
  warn_of_fall(r, now);
}
