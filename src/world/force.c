// SPDX-License-Identifier: Apache-2.0
#include "world/force.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "geometry/sdf.h"
#include "math/vec3.h"
#include "world/world.h"

static const firn_def_part wind_part = {"firn_wind_def", offsetof(firn_force_def, wind),
                                        sizeof(firn_wind_def)};

static firn_force_def default_force_def(void) {
  return (firn_force_def){
      .size = sizeof(firn_force_def), .radius = 1, .falloff = 2, .wind = firn_default_wind_def()};
}

void firn_force_def_init(firn_force_def *def, size_t size, size_t wind_size) {
  const firn_force_def own = default_force_def();
  firn_def_give_with(&own, sizeof own, def, size, &wind_part, wind_size);
}

firn_status firn_force_def_take(firn_context *context, const firn_force_def *given,
                                firn_force_def *own) {
  *own = default_force_def();
  return firn_def_take_with(context, "firn_force_def", given, own, sizeof *own, &wind_part);
}

// ------------------------------------------------------------------------------------- formulas

// From the nearest place of its point or line.
static void from_center(const firn_force_def *d, const double x[3], double out[3]) {
  for (int a = 0; a < 3; a++) out[a] = x[a] - d->center[a];
  double along = firn_sdf_dot(out, d->axis); // 0 of a point
  for (int a = 0; a < 3; a++) out[a] -= along * d->axis[a];
}

// strength (radius / d)^falloff / d, 1/s^2
static double profile(const firn_force_def *d, double s2) {
  double far2 = s2 + d->core * d->core;
  if (!(far2 > 0) || (d->reach > 0 && s2 > d->reach * d->reach)) return 0;
  double far = sqrt(far2);
  double fall = d->falloff == 2 ? d->radius * d->radius / far2 : pow(d->radius / far, d->falloff);
  return d->strength * fall / far;
}

static void fill_uniform(const firn_force_def *d, const firn_force_chunk *c) {
  for (int a = 0; a < 3; a++)
    for (size_t i = 0; i < c->count; i++) c->acceleration[a][i] = (firn_real)d->acceleration[a];
}

static void fill_attractor(const firn_force_def *d, const firn_force_chunk *c) {
  for (size_t i = 0; i < c->count; i++) {
    const double x[3] = {(double)c->position[0][i], (double)c->position[1][i],
                         (double)c->position[2][i]};
    double s[3];
    from_center(d, x, s);
    double pull = profile(d, firn_sdf_dot(s, s));
    for (int a = 0; a < 3; a++) c->acceleration[a][i] = (firn_real)(-pull * s[a]);
  }
}

static void fill_vortex(const firn_force_def *d, const firn_force_chunk *c) {
  for (size_t i = 0; i < c->count; i++) {
    const double x[3] = {(double)c->position[0][i], (double)c->position[1][i],
                         (double)c->position[2][i]};
    double s[3];
    from_center(d, x, s);
    double push = profile(d, firn_sdf_dot(s, s));
    for (int a = 0; a < 3; a++) {
      int b = (a + 1) % 3, e = (a + 2) % 3;
      c->acceleration[a][i] = (firn_real)(push * (d->axis[b] * s[e] - d->axis[e] * s[b]));
    }
  }
}

static void fill_drag(const firn_force *f, const firn_force_chunk *c) {
  for (size_t i = 0; i < c->count; i++) {
    const double x[3] = {(double)c->position[0][i], (double)c->position[1][i],
                         (double)c->position[2][i]};
    double wind[3];
    firn_wind_velocity(&f->wind, x, c->time, wind);
    for (int a = 0; a < 3; a++) c->acceleration[a][i] = (firn_real)(f->def.rate * wind[a]);
    c->rate[i] = (firn_real)f->def.rate;
  }
}

void firn_force_fill(const firn_force *force, const firn_force_chunk *chunk) {
  switch (force->def.kind) {
  case FIRN_FORCE_FUNCTION: force->def.act(force->def.user, chunk); break;
  case FIRN_FORCE_UNIFORM: fill_uniform(&force->def, chunk); break;
  case FIRN_FORCE_ATTRACTOR: fill_attractor(&force->def, chunk); break;
  case FIRN_FORCE_VORTEX: fill_vortex(&force->def, chunk); break;
  case FIRN_FORCE_DRAG: fill_drag(force, chunk); break;
  }
}

bool firn_force_acts(const firn_force *force) {
  const firn_force_def *d = &force->def;
  switch (d->kind) {
  case FIRN_FORCE_FUNCTION: return true;
  case FIRN_FORCE_UNIFORM: return firn_sdf_dot(d->acceleration, d->acceleration) > 0;
  case FIRN_FORCE_ATTRACTOR:
  case FIRN_FORCE_VORTEX: return d->strength != 0;
  case FIRN_FORCE_DRAG: break;
  }
  return d->rate > 0;
}

// Whether it may be felt within radius of a place.
static bool reaches(const firn_force_def *d, const double middle[3], double radius) {
  bool bounded = d->kind == FIRN_FORCE_ATTRACTOR || d->kind == FIRN_FORCE_VORTEX;
  double s[3];
  if (!bounded || !(d->reach > 0)) return true;
  from_center(d, middle, s);
  return firn_sdf_length(s) < d->reach + radius;
}

bool firn_world_keeps_awake(const firn_world *world, const double middle[3], double radius) {
  for (int i = 0; i < world->forces.count; i++) {
    const firn_force *f = &world->forces.force[i];
    if (!f->def.steady && firn_force_acts(f) && reaches(&f->def, middle, radius)) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------- registry

static firn_status refuse(const firn_world *world, const char *name, const char *field,
                          double value, const char *must) {
  return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "%s: %s = %g %s", name, field, value, must);
}

static firn_status check_center(const firn_world *world, const char *name,
                                const firn_force_def *d) {
  const struct {
    const char *field;
    double value;
  } lengths[] = {{"core", d->core}, {"reach", d->reach}};
  if (!firn_finite3(d->center) || !firn_finite3(d->axis)) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: center (%g %g %g) m and axis (%g %g %g) must be finite", name,
                     d->center[0], d->center[1], d->center[2], d->axis[0], d->axis[1], d->axis[2]);
  }
  if (d->kind == FIRN_FORCE_VORTEX && !(firn_sdf_length(d->axis) > 0))
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "%s: axis (0 0 0) has no direction",
                     name);
  if (!isfinite(d->strength)) return refuse(world, name, "strength", d->strength, "must be finite");
  if (!(fabs(d->falloff) <= 16))
    return refuse(world, name, "falloff", d->falloff, "must lie in [-16, 16]");
  if (!(d->radius > 0 && isfinite(d->radius)))
    return refuse(world, name, "radius", d->radius, "must be positive");
  for (int i = 0; i < 2; i++) {
    if (!(lengths[i].value >= 0 && isfinite(lengths[i].value)))
      return refuse(world, name, lengths[i].field, lengths[i].value, "must be 0 or more");
  }
  return FIRN_OK;
}

static firn_status check(const firn_world *world, const char *name, const firn_force_def *d) {
  switch (d->kind) {
  case FIRN_FORCE_FUNCTION:
    if (d->act) return FIRN_OK;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "%s: act is NULL", name);
  case FIRN_FORCE_UNIFORM:
    if (firn_finite3(d->acceleration)) return FIRN_OK;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: acceleration (%g %g %g) m/s^2 must be finite", name, d->acceleration[0],
                     d->acceleration[1], d->acceleration[2]);
  case FIRN_FORCE_ATTRACTOR:
  case FIRN_FORCE_VORTEX: return check_center(world, name, d);
  case FIRN_FORCE_DRAG:
    if (d->rate >= 0 && isfinite(d->rate)) return FIRN_OK;
    return refuse(world, name, "rate", d->rate, "must be 0 or more");
  }
  return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "%s: kind %d does not exist", name,
                   (int)d->kind);
}

// Takes the numbers of def, which are good.
static void take(firn_force *f, const firn_force_def *def) {
  f->def = *def;
  f->def.name = NULL;
  f->def.wind = (firn_wind_def){0};
  if (firn_sdf_length(def->axis) > 0) firn_sdf_direction(def->axis, f->def.axis);
}

firn_status firn_world_add_force(firn_world *world, const firn_force_def *def, int *id) {
  firn_context *context = world->context;
  firn_forces *all = &world->forces;
  firn_force f = {0};
  if (def->name) {
    snprintf(f.name, sizeof f.name, "force '%.40s'", def->name);
  } else {
    snprintf(f.name, sizeof f.name, "force %d", all->count);
  }
  FIRN_TRY(check(world, f.name, def));
  if (def->kind == FIRN_FORCE_DRAG)
    FIRN_TRY(firn_wind_make(&f.wind, context, world->seed, &def->wind));
  firn_force *force = firn_grow(context, all->force, (size_t)all->count, sizeof f, "forces");
  if (!force) {
    firn_wind_free(&f.wind, context);
    return FIRN_ERROR_MEMORY;
  }
  take(&f, def);
  force[all->count] = f;
  all->force = force;
  if (id) *id = all->count;
  all->count++;
  world->changes++;
  return FIRN_OK;
}

firn_force *firn_world_force(const firn_world *world, int id) {
  const firn_forces *all = &world->forces;
  if (id >= 0 && id < all->count) return &all->force[id];
  firn_fail(world->context, FIRN_ERROR_ARGUMENT, "force %d does not exist; there are %d", id,
            all->count);
  return NULL;
}

// The same lattice under other numbers.
static firn_status renew_wind(const firn_world *world, firn_wind *w, const firn_wind_def *def) {
  firn_wind_def plain = *def;
  firn_wind now = {0};
  memset(plain.grid_nodes, 0, sizeof plain.grid_nodes);
  plain.grid_file = NULL;
  FIRN_TRY(firn_wind_make(&now, world->context, world->seed, &plain));
  memcpy(now.def.grid_nodes, w->def.grid_nodes, sizeof now.def.grid_nodes);
  memcpy(now.def.grid_origin, w->def.grid_origin, sizeof now.def.grid_origin);
  memcpy(now.def.grid_spacing, w->def.grid_spacing, sizeof now.def.grid_spacing);
  now.def.grid_velocity = w->def.grid_velocity;
  now.grid_bytes = w->grid_bytes;
  *w = now;
  return FIRN_OK;
}

// All that a setter may change and two forces of a kind may differ in, without gaps: to compare, and as
// checkpoints hold it.
typedef struct numbers {
  uint64_t steady;
  double acceleration[3], strength, center[3], axis[3], radius, falloff, core, reach, rate;
  // Of the wind, less its lattice.
  double velocity[3], gust, gust_period, gust_noise;
  double swirl, swirl_center[3], swirl_axis[3], swirl_radius;
  double turbulence, turbulence_wavelength, turbulence_drift[3];
  double body_center[3], body_radii[3], body_axis[3], air_density, air_viscosity;
  int turbulence_octaves;
  firn_wind_body body;
  uint64_t seed;
} numbers;
_Static_assert(sizeof(numbers) == 48 * 8, "compared and saved byte by byte");

// Calls X(number, of the force) and V(vector, of the force) for each; f and n are at hand.
#define NUMBERS(X, V)                                                                              \
  X(steady, def.steady)                                                                            \
  V(acceleration, def.acceleration)                                                                \
  X(strength, def.strength)                                                                        \
  V(center, def.center)                                                                            \
  V(axis, def.axis)                                                                                \
  X(radius, def.radius)                                                                            \
  X(falloff, def.falloff)                                                                          \
  X(core, def.core)                                                                                \
  X(reach, def.reach)                                                                              \
  X(rate, def.rate)                                                                                \
  V(velocity, wind.def.velocity)                                                                   \
  X(gust, wind.def.gust)                                                                           \
  X(gust_period, wind.def.gust_period)                                                             \
  X(gust_noise, wind.def.gust_noise)                                                               \
  X(swirl, wind.def.swirl)                                                                         \
  V(swirl_center, wind.def.swirl_center)                                                           \
  V(swirl_axis, wind.def.swirl_axis)                                                               \
  X(swirl_radius, wind.def.swirl_radius)                                                           \
  X(turbulence, wind.def.turbulence)                                                               \
  X(turbulence_wavelength, wind.def.turbulence_wavelength)                                         \
  V(turbulence_drift, wind.def.turbulence_drift)                                                   \
  V(body_center, wind.def.body_center)                                                             \
  V(body_radii, wind.def.body_radii)                                                               \
  V(body_axis, wind.def.body_axis)                                                                 \
  X(air_density, wind.def.air_density)                                                             \
  X(air_viscosity, wind.def.air_viscosity)                                                         \
  X(turbulence_octaves, wind.def.turbulence_octaves)                                               \
  X(body, wind.def.body)                                                                           \
  X(seed, wind.def.seed)

static numbers numbers_of(const firn_force *f) {
  numbers n;
#define X(number, from) n.number = f->from;
#define V(vector, from) memcpy(n.vector, f->from, sizeof n.vector);
  NUMBERS(X, V)
#undef X
#undef V
  return n;
}

// Puts them in place as they are: an axis of unit length, made so again, may be another in its last bit.
static void put_numbers(firn_force *f, const numbers *n) {
#define X(number, to) f->to = n->number;
#define V(vector, to) memcpy(f->to, n->vector, sizeof n->vector);
  NUMBERS(X, V)
#undef X
#undef V
}

firn_status firn_world_set_force(firn_world *world, int id, const firn_force_def *def) {
  firn_force *f = firn_world_force(world, id);
  if (!f) return FIRN_ERROR_ARGUMENT;
  if (def->kind != f->def.kind || def->act != f->def.act) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: kind and act stay as they were when it was added", f->name);
  }
  FIRN_TRY(check(world, f->name, def));
  const numbers before = numbers_of(f);
  if (def->kind == FIRN_FORCE_DRAG) FIRN_TRY(renew_wind(world, &f->wind, &def->wind));
  take(f, def);
  const numbers after = numbers_of(f);
  // Snow may rest under one that is steady, and must hear of a change, but of none where keys stand still;
  // what a function does is known to its owner alone. Nobody rests under others.
  bool other = def->kind == FIRN_FORCE_FUNCTION || memcmp(&before, &after, sizeof before) != 0;
  if (other && (before.steady || after.steady)) world->changes++;
  return FIRN_OK;
}

void firn_forces_free(firn_forces *forces, firn_context *context) {
  for (int i = 0; i < forces->count; i++) firn_wind_free(&forces->force[i].wind, context);
  firn_free(context, forces->force, firn_room((size_t)forces->count) * sizeof *forces->force);
  firn_buffer_free(context, &forces->parts);
}

// ----------------------------------------------------------------------------------- checkpoints

typedef struct force_state {
  numbers set;
  firn_force_sums sums; // what it has done
} force_state;

static bool is_good(const firn_force_sums *sums) {
  return firn_finite3(sums->impulse) && isfinite(sums->work);
}

static firn_status take_state(firn_world *world, firn_force *f, const force_state *s) {
  firn_force next = *f;
  put_numbers(&next, &s->set);
  firn_status status = check(world, f->name, &next.def);
  // What a wind derives of its numbers.
  if (status == FIRN_OK && f->def.kind == FIRN_FORCE_DRAG)
    status = renew_wind(world, &f->wind, &next.wind.def);
  if (status != FIRN_OK || !is_good(&s->sums)) {
    return firn_fail(world->context, FIRN_ERROR_FORMAT, "the checkpoint is damaged: numbers of %s",
                     f->name);
  }
  put_numbers(f, &s->set);
  f->sums = s->sums;
  return FIRN_OK;
}

firn_status firn_forces_visit(firn_world *world, bool load, const firn_state_visitor *visitor) {
  for (int i = 0; i < world->forces.count; i++) {
    firn_force *f = &world->forces.force[i];
    force_state s = {numbers_of(f), f->sums};
    char name[32];
    snprintf(name, sizeof name, "acting_%d", i);
    FIRN_TRY(visitor->blob(visitor->user, name, &s, sizeof s));
    if (load) FIRN_TRY(take_state(world, f, &s));
  }
  return FIRN_OK;
}
