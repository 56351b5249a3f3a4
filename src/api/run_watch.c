// SPDX-License-Identifier: Apache-2.0
// What a run warns of, once each: snow that is quicker than anything could have made it, and snow that is
// denser than ice. Both are what a simulation does that has left its law's range, long before it fails.
#include <math.h>
#include <string.h>

#include "api/run.h"
#include "api/sim.h"

static const double ICE = 917;  // kg/m^3
static const double MARGIN = 2; // jets between two surfaces are quicker than either

// Whether what snow weighs at rest leaves room below ice, and its law hardens by being packed.
static bool packs_below_ice(const firn_world *world) {
  for (int i = 0; i < world->material_count; i++) {
    const firn_material_row *row = &world->material[i];
    if (row->law != FIRN_LAW_SNOW || !((double)row->density < ICE)) return false;
  }
  return world->material_count > 0;
}

static void warn_of_ice(firn_run_state *r, const double *stats) {
  firn_stat_info info;
  double density = 0, jp = 1;
  for (int i = 0; firn_sim_stat_info(r->sim, i, &info) == FIRN_OK; i++) {
    if (strcmp(info.name, "density_max") == 0) density = stats[i];
    if (strcmp(info.name, "jp_min") == 0) jp = stats[i];
  }
  if (r->watch.told_ice || !(density > ICE) || !packs_below_ice(&r->sim->world)) return;
  r->watch.told_ice = true;
  firn_note(r->context, FIRN_LOG_WARNING,
            "frame %d: snow is packed to %.4g kg/m^3, denser than ice (%g), with J_P down to %.3g. "
            "A material's jp_range: [density/917, .inf] bounds it",
            r->frame, density, ICE, jp);
}

// m/s, that gravity can have given since the first frame that was looked at: not more than by all of the
// time, and not more than by the way from the highest place then to the lowest now.
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
  if (r->watch.told_speed || !(now->speed_max > most) || !only_bodies_push(r)) return;
  r->watch.told_speed = true;
  firn_note(
      r->context, FIRN_LOG_WARNING,
      "frame %d: snow moves at %.3g m/s, faster than its start, bodies of at most %.3g m/s and "
      "gravity can give it: it is crushed between bodies or by sticky: true, or steps are too "
      "long. Between sticky bodies mpm.sticky_transfer: pic and a material's jp_range: [0.6, .inf] "
      "help, else a shorter mpm.dt_max",
      r->frame, now->speed_max, r->watch.body);
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
}
