// SPDX-License-Identifier: Apache-2.0
#include "world/load.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "math/vec3.h"
#include "world/digest.h"

firn_load_def firn_default_load_def(void) {
  return (firn_load_def){.axis = {0, -1, 0}, .travel = {-(double)INFINITY, (double)INFINITY}};
}

firn_status firn_load_make(firn_context *context, const firn_load_def *def, const char *what,
                           firn_load *out) {
  *out = (firn_load){0};
  FIRN_TRY(firn_room_check(context, what, def->room, sizeof def->room / sizeof *def->room));
  if (def->mass == 0) return FIRN_OK;
  const double *axis = def->axis, *travel = def->travel;
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (!(def->mass > 0 && isfinite(def->mass))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: load: mass %g kg must be above 0", what,
                     def->mass);
  }
  if (!(length > 0 && isfinite(length))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: load: axis (%g %g %g) has no direction",
                     what, axis[0], axis[1], axis[2]);
  }
  if (!(def->damping >= 0 && isfinite(def->damping))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: load: damping %g must be 0 or more", what,
                     def->damping);
  }
  if (!(travel[0] <= 0 && travel[1] >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: load: travel from %g to %g does not hold 0, where it begins", what,
                     travel[0], travel[1]);
  }
  char name[160];
  snprintf(name, sizeof name, "%s: load: force", what);
  FIRN_TRY(firn_track_make(context, &def->force, 1, name, &out->force));
  out->mass = def->mass;
  out->damping = def->damping;
  out->weightless = def->weightless;
  for (int a = 0; a < 3; a++) out->axis[a] = axis[a] / length;
  memcpy(out->travel, travel, sizeof out->travel);
  return FIRN_OK;
}

void firn_load_free(firn_context *context, firn_load *load) {
  firn_track_free(context, &load->force);
}

// m/s^2 without the snow, in a step of this length: by the force in its middle.
static double pull(const firn_load *load, double dt) {
  double force = 0;
  if (load->force.count) firn_track_value(&load->force, load->state.time + dt / 2, &force, NULL);
  return force / load->mass + load->state.fall;
}

double firn_load_gain(const firn_load *load, double dt) {
  return 1 / (load->mass * (1 + dt * load->damping));
}

double firn_load_speed(const firn_load *load, double time, double impulse) {
  const firn_load_state *s = &load->state;
  double dt = time - s->time;
  double momentum = load->mass * (s->speed + dt * pull(load, dt)) + impulse + dt * s->rest;
  double most = (load->travel[1] - s->way) / dt, least = (load->travel[0] - s->way) / dt;
  return fmin(fmax(firn_load_gain(load, dt) * momentum, least), most);
}

void firn_load_lead(firn_load *load, double time, double impulse) {
  load->lead = firn_load_speed(load, time, impulse);
  load->known = impulse;
  load->led = true;
}

double firn_load_way(const firn_load *load, double time, double *speed) {
  const firn_load_state *s = &load->state;
  double dt = time - s->time;
  *speed = load->led ? load->lead : s->speed;
  if (!(dt > 0)) return s->way;
  if (!load->led) {
    double change = dt / 2 * (s->push / load->mass + pull(load, dt));
    *speed = (s->speed + change) / (1 + dt / 2 * load->damping);
  }
  double free = s->way + dt * *speed, way = fmin(fmax(free, load->travel[0]), load->travel[1]);
  if (way != free) *speed = (way - s->way) / dt;
  return way;
}

void firn_load_step(firn_load *load, double time, double impulse) {
  firn_load_state *s = &load->state;
  double dt = time - s->time, mean;
  if (!(dt > 0)) return;
  double way = firn_load_way(load, time, &mean);
  double momentum = load->mass * (s->speed + dt * pull(load, dt)) + impulse;
  double speed = firn_load_gain(load, dt) * momentum;
  if (way <= load->travel[0]) speed = fmax(speed, 0);
  if (way >= load->travel[1]) speed = fmin(speed, 0);
  s->time = time;
  s->way = way;
  s->speed = speed;
  s->push = impulse / dt;
  s->rest = load->led ? (impulse - load->known) / dt : 0;
  load->led = false;
}

double firn_load_speed_bound(const firn_load *load, double ahead) {
  double most = fabs(load->state.push) + firn_track_size_bound(&load->force);
  return fabs(load->state.speed) + ahead * (most / load->mass + fabs(load->state.fall));
}

uint64_t firn_load_digest(const firn_load *load, uint64_t digest) {
  if (load->mass == 0) return digest;
  const double all[] = {load->mass,    load->axis[0],   load->axis[1],   load->axis[2],
                        load->damping, load->travel[0], load->travel[1], load->weightless};
  digest = firn_digest(digest, all, sizeof all);
  return firn_track_digest(&load->force, digest);
}
