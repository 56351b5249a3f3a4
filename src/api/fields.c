// SPDX-License-Identifier: Apache-2.0
// Reading and writing particle fields by name, and sums over all particles.
#include <math.h>
#include <string.h>

#include "api/sim.h"
#include "base/def.h"
#include "base/parallel.h"
#include "scene/nearest.h"
#include "world/heat.h"
#include "world/strain_rate.h"

int firn_sim_field_count(const firn_sim *sim) {
  int n = FIRN_COMMON_FIELDS;
  for (const firn_field_info *f = sim->type->fields; f && f->name; f++) n++;
  return n;
}

firn_status firn_sim_field_sized(const firn_sim *sim, int i, firn_field_info *out, size_t size) {
  if (!sim || !out || i < 0 || i >= firn_sim_field_count(sim)) return FIRN_ERROR_ARGUMENT;
  const firn_field_info *info = i < FIRN_COMMON_FIELDS ? &firn_common_fields[i]
                                                       : &sim->type->fields[i - FIRN_COMMON_FIELDS];
  firn_fill_out(info, sizeof *info, out, size);
  return FIRN_OK;
}

static int find(const firn_sim *sim, const char *name, firn_field_info *info) {
  for (int i = 0; firn_sim_field(sim, i, info) == FIRN_OK; i++) {
    if (strcmp(info->name, name) == 0) return i;
  }
  return -1;
}

static firn_status unknown(const firn_sim *sim, const char *name) {
  firn_field_info info;
  firn_nearest nearest = firn_nearest_begin(name);
  for (int i = 0; firn_sim_field(sim, i, &info) == FIRN_OK; i++)
    firn_nearest_offer(&nearest, info.name);
  return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                   "solver %s has no field '%s'" FIRN_NEAREST_FORMAT, sim->type->name, name,
                   FIRN_NEAREST_WORDS(nearest));
}

bool firn_sim_has_field(const firn_sim *sim, const char *name, firn_field_info *out) {
  return find(sim, name, out) >= 0;
}

typedef struct access {
  const firn_sim *sim;
  int field;
  double *out;
  const double *in;
} access;

static void read_one(void *user, size_t slot, const double corner[3]) {
  const access *a = user;
  const firn_particles *p = &a->sim->world.particles;
  size_t row = firn_particles_row(p, slot);
  switch (a->field) {
  case FIRN_COMMON_POSITION:
    for (int c = 0; c < 3; c++) {
      double x = (double)firn_particles_real(p, FIRN_FIELD_X + c)[slot];
      a->out[3 * row + (size_t)c] = (corner[c] + x) * a->sim->world.h;
    }
    break;
  case FIRN_COMMON_VELOCITY:
    for (int c = 0; c < 3; c++) {
      a->out[3 * row + (size_t)c] = (double)firn_particles_real(p, FIRN_FIELD_VX + c)[slot];
    }
    break;
  case FIRN_COMMON_MASS: a->out[row] = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot]; break;
  case FIRN_COMMON_VOLUME:
    a->out[row] = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
    break;
  case FIRN_COMMON_ID: a->out[row] = (double)firn_particles_id(p)[slot]; break;
  case FIRN_COMMON_TEMPERATURE: a->out[row] = firn_world_temperature(&a->sim->world, slot); break;
  default: a->out[row] = firn_particles_material(p)[slot];
  }
}

static firn_status read_field(firn_sim *sim, const char *field, double *out) {
  firn_field_info info;
  int i = find(sim, field, &info);
  if (i < 0) return unknown(sim, field);
  if (i >= FIRN_COMMON_FIELDS) {
    firn_solver_look look = {.sums = NULL};
    look.own[i - FIRN_COMMON_FIELDS] = out;
    return firn_sim_look(sim, &look);
  }
  FIRN_TRY(firn_particles_number(&sim->world.particles));
  if (i == FIRN_COMMON_STRAIN_RATE) return firn_world_strain_rate(&sim->world, out);
  if (i == FIRN_COMMON_VOLUME && sim->type->volumes) return sim->type->volumes(sim->solver, out);
  access a = {.sim = sim, .field = i, .out = out};
  firn_particles_visit_parallel(&sim->world.particles, read_one, &a);
  return FIRN_OK;
}

firn_status firn_sim_read(firn_sim *sim, const char *field, double *out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!field || !out) return firn_fail_null(sim->world.context, "firn_sim_read");
  FIRN_FP_SCOPE;
  return read_field(sim, field, out);
}

static void write_one(void *user, size_t slot, const double corner[3]) {
  const access *a = user;
  const firn_particles *p = &a->sim->world.particles;
  size_t row = firn_particles_row(p, slot);
  (void)corner;
  if (a->field == FIRN_COMMON_TEMPERATURE) {
    firn_world_put_temperature(&a->sim->world, slot, a->in[row]);
    return;
  }
  for (int c = 0; c < 3; c++) {
    firn_particles_real(p, FIRN_FIELD_VX + c)[slot] = (firn_real)a->in[3 * row + (size_t)c];
  }
}

static firn_status write_field(firn_sim *sim, const char *field, const double *in) {
  firn_field_info info;
  int i = find(sim, field, &info);
  if (i < 0) return unknown(sim, field);
  if (!info.writable) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT, "field '%s' cannot be written",
                     field);
  }
  size_t n = firn_sim_count(sim) * (size_t)info.components;
  bool positive = i == FIRN_COMMON_TEMPERATURE;
  for (size_t k = 0; k < n; k++) {
    if (positive ? firn_real_is_positive(in[k]) : firn_real_is_finite(in[k])) continue;
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "field '%s': the value %g of particle %zu is not %s", field, in[k],
                     k / (size_t)info.components, positive ? "positive and finite" : "finite");
  }
  if (positive) FIRN_TRY(firn_world_keep_heat(&sim->world));
  FIRN_TRY(firn_particles_number(&sim->world.particles));
  if (i >= FIRN_COMMON_FIELDS) return sim->type->write(sim->solver, i - FIRN_COMMON_FIELDS, in);
  access a = {.sim = sim, .field = i, .in = in};
  firn_particles_visit_parallel(&sim->world.particles, write_one, &a);
  if (sim->type->changed) sim->type->changed(sim->solver);
  return FIRN_OK;
}

firn_status firn_sim_write(firn_sim *sim, const char *field, const double *in) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!field || !in) return firn_fail_null(sim->world.context, "firn_sim_write");
  FIRN_FP_SCOPE;
  firn_world *world = &sim->world;
  // Those that nobody has looked at, or stepped with, are entered later as they are then.
  if (!world->ledger.next_id) return write_field(sim, field, in);
  bool strain = strcmp(field, "velocity") != 0;
  double before = firn_ledger_held(world, strain);
  firn_status status = write_field(sim, field, in);
  if (status == FIRN_OK) world->ledger.given += firn_ledger_held(world, strain) - before;
  return status;
}

typedef struct summing {
  const firn_world *world;
  firn_sums sums;
} summing;

static void sum_one(void *user, size_t slot, const double corner[3]) {
  summing *a = user;
  firn_sums *s = &a->sums;
  const firn_particles *p = &a->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot], x[3], v[3], v2 = 0;
  for (int c = 0; c < 3; c++) {
    x[c] = (corner[c] + (double)firn_particles_real(p, FIRN_FIELD_X + c)[slot]) * a->world->h;
    v[c] = (double)firn_particles_real(p, FIRN_FIELD_VX + c)[slot];
    v2 += v[c] * v[c];
    s->center[c] += mass * x[c];
    s->momentum[c] += mass * v[c];
    s->bounds_min[c] = fmin(s->bounds_min[c], x[c]);
    s->bounds_max[c] = fmax(s->bounds_max[c], x[c]);
    s->energy_gravity -= mass * a->world->gravity[c] * x[c];
  }
  double temperature = firn_world_temperature(a->world, slot);
  s->temperature_min = fmin(s->temperature_min, temperature);
  s->temperature_max = fmax(s->temperature_max, temperature);
  s->temperature_mean += mass * temperature;
  s->mass += mass;
  s->angular[0] += mass * (x[1] * v[2] - x[2] * v[1]);
  s->angular[1] += mass * (x[2] * v[0] - x[0] * v[2]);
  s->angular[2] += mass * (x[0] * v[1] - x[1] * v[0]);
  s->energy_kinetic += 0.5 * mass * v2;
  s->speed_max = fmax(s->speed_max, sqrt(v2));
}

static void join(firn_sums *s, const firn_sums *part) {
  for (int c = 0; c < 3; c++) {
    s->center[c] += part->center[c];
    s->momentum[c] += part->momentum[c];
    s->angular[c] += part->angular[c];
    s->bounds_min[c] = fmin(s->bounds_min[c], part->bounds_min[c]);
    s->bounds_max[c] = fmax(s->bounds_max[c], part->bounds_max[c]);
  }
  s->temperature_min = fmin(s->temperature_min, part->temperature_min);
  s->temperature_max = fmax(s->temperature_max, part->temperature_max);
  s->temperature_mean += part->temperature_mean;
  s->mass += part->mass;
  s->energy_kinetic += part->energy_kinetic;
  s->energy_gravity += part->energy_gravity;
  s->speed_max = fmax(s->speed_max, part->speed_max);
}

static void sum_all(const firn_world *world, firn_sums *out) {
  static const firn_sums nothing = {.bounds_min = {INFINITY, INFINITY, INFINITY},
                                    .bounds_max = {-INFINITY, -INFINITY, -INFINITY},
                                    .temperature_min = INFINITY};
  summing part[FIRN_PARTS];
  FIRN_PARALLEL_FOR(world->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i] = (summing){world, nothing};
    firn_particles_visit_part(&world->particles, i, sum_one, &part[i]);
  }
  *out = world->particles.count ? nothing : (firn_sums){0};
  for (int i = 0; i < FIRN_PARTS && world->particles.count; i++) join(out, &part[i].sums);
  for (int c = 0; c < 3 && world->particles.count; c++) out->center[c] /= out->mass;
  if (world->temperature >= 0 && world->particles.count) {
    out->temperature_mean /= out->mass;
  } else {
    out->temperature_min = out->temperature_mean = out->temperature_max = (double)NAN;
  }
}

firn_status firn_sim_look(firn_sim *sim, const firn_solver_look *look) {
  FIRN_FP_SCOPE;
  FIRN_TRY(firn_particles_number(&sim->world.particles));
  firn_sums *sums = look->sums;
  if (sums) sum_all(&sim->world, sums);
  if (sim->type->look) FIRN_TRY(sim->type->look(sim->solver, look));
  if (!sums) return FIRN_OK;
  double left = sums->energy_kinetic + sums->energy_elastic + sums->energy_gravity;
  sums->energy_lost = firn_ledger_lost(&sim->world, left - sums->energy_lost);
  return FIRN_OK;
}

firn_status firn_sim_sums_sized(firn_sim *sim, firn_sums *out, size_t size) {
  firn_sums own;
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_sums"));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_sums");
  FIRN_TRY(firn_sim_look(sim, &(firn_solver_look){.sums = &own}));
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------- statistics

int firn_sim_stat_count(const firn_sim *sim) {
  int n = 0;
  for (const firn_stat_info *s = sim->type->stats; s && s->name; s++) n++;
  return n;
}

uint64_t firn_sim_all_stats(const firn_sim *sim) {
  int count = firn_sim_stat_count(sim);
  return count ? UINT64_MAX >> (64 - count) : 0;
}

firn_status firn_sim_measure_sized(firn_sim *sim, firn_sums *sums, double *stats,
                                   size_t sums_size) {
  firn_sums own = {0};
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_measure"));
  const firn_solver_look look = {
      .sums = sums ? &own : NULL, .wanted = stats ? firn_sim_all_stats(sim) : 0, .stats = stats};
  FIRN_TRY(firn_sim_look(sim, &look));
  if (sums) firn_fill_out(&own, sizeof own, sums, sums_size);
  return FIRN_OK;
}

firn_status firn_sim_stat_info_sized(const firn_sim *sim, int i, firn_stat_info *out, size_t size) {
  if (!sim || !out || i < 0 || i >= firn_sim_stat_count(sim)) return FIRN_ERROR_ARGUMENT;
  firn_fill_out(&sim->type->stats[i], sizeof sim->type->stats[i], out, size);
  return FIRN_OK;
}

firn_status firn_sim_stat(firn_sim *sim, const char *name, double *out) {
  double stats[FIRN_OWN_STATS] = {0};
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!name || !out) return firn_fail_null(sim->world.context, "firn_sim_stat");
  int count = firn_sim_stat_count(sim), i = 0;
  while (i < count && strcmp(sim->type->stats[i].name, name) != 0) i++;
  if (i == count) {
    firn_nearest nearest = firn_nearest_begin(name);
    for (i = 0; i < count; i++) firn_nearest_offer(&nearest, sim->type->stats[i].name);
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "solver %s has no statistic '%s'" FIRN_NEAREST_FORMAT, sim->type->name, name,
                     FIRN_NEAREST_WORDS(nearest));
  }
  FIRN_TRY(firn_sim_look(sim, &(firn_solver_look){.wanted = (uint64_t)1 << i, .stats = stats}));
  *out = stats[i];
  return FIRN_OK;
}

const firn_stat_info *firn_stat_find(const char *name) {
  const firn_solver_type *type;
  for (int i = 0; (type = firn_solver_at(i)); i++) {
    for (const firn_stat_info *s = type->stats; s && s->name; s++) {
      if (strcmp(s->name, name) == 0) return s;
    }
  }
  return NULL;
}
