// SPDX-License-Identifier: Apache-2.0
// Averages over the snow in some place.
#include <math.h>
#include <stdio.h>

#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"

firn_probe_def firn_default_probe_def(void) {
  return (firn_probe_def){.kind = FIRN_PROBE_POINT, .radius = 0.05, .normal = {0, 1, 0}};
}

static firn_status check(firn_context *context, const firn_probe_def *def, int i) {
  char what[96];
  snprintf(what, sizeof what, "probe '%.64s'", def->name ? def->name : "");
  if (!def->name) snprintf(what, sizeof what, "probe %d", i);
  FIRN_TRY(firn_room_check(context, what, def->room, sizeof def->room / sizeof *def->room));
  if ((int)def->kind < FIRN_PROBE_POINT || def->kind > FIRN_PROBE_BOX) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: kind %d does not exist", what,
                     (int)def->kind);
  }
  if (def->kind != FIRN_PROBE_BOX && !(def->radius > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: radius = %g m must be positive", what,
                     def->radius);
  }
  const double *n = def->normal, *half = def->half;
  if (def->kind == FIRN_PROBE_PLANE && !(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: normal (%g %g %g) has no direction", what,
                     n[0], n[1], n[2]);
  }
  if (def->kind == FIRN_PROBE_BOX && !(half[0] > 0 && half[1] > 0 && half[2] > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: half (%g %g %g) m must be positive", what,
                     half[0], half[1], half[2]);
  }
  return FIRN_OK;
}

static bool is_inside(const firn_probe_def *def, const double x[3]) {
  double d[3], square = 0, along = 0, length = 0;
  bool within = true;
  for (int a = 0; a < 3; a++) {
    d[a] = x[a] - def->center[a];
    square += d[a] * d[a];
    along += d[a] * def->normal[a];
    length += def->normal[a] * def->normal[a];
    within = within && fabs(d[a]) <= def->half[a];
  }
  switch (def->kind) {
  case FIRN_PROBE_POINT: return square <= def->radius * def->radius;
  case FIRN_PROBE_PLANE: return fabs(along) <= def->radius * sqrt(length);
  default: return within;
  }
}

// Arrays of all particles, in the order of ids.
typedef struct reading {
  firn_sim *sim;
  const firn_probe_def *def; // [probes]
  int probes;
  size_t count;
  double *x, *mass, *field; // [3], [1] and so many values a particle
} reading;

// The mean of the field by mass; those of one probe lie stride bytes after those of the last.
static firn_status average(const reading *r, const char *name, int components, void *out,
                           size_t stride) {
  FIRN_TRY(firn_sim_read(r->sim, name, r->field));
  for (int p = 0; p < r->probes; p++) {
    double *mean = (double *)(void *)((char *)out + (size_t)p * stride), mass = 0;
    for (size_t i = 0; i < r->count; i++) {
      if (!is_inside(&r->def[p], r->x + 3 * i)) continue;
      mass += r->mass[i];
      for (int c = 0; c < components; c++) {
        mean[c] += r->mass[i] * r->field[(size_t)components * i + (size_t)c];
      }
    }
    for (int c = 0; c < components && mass > 0; c++) mean[c] /= mass;
  }
  return FIRN_OK;
}

static firn_status read_common(const reading *r, firn_probe *out) {
  for (int p = 0; p < r->probes; p++) {
    for (size_t i = 0; i < r->count; i++) {
      if (!is_inside(&r->def[p], r->x + 3 * i)) continue;
      out[p].count++;
      out[p].mass += r->mass[i];
    }
  }
  FIRN_TRY(average(r, "position", 3, out->center, sizeof *out));
  return average(r, "velocity", 3, out->velocity, sizeof *out);
}

// Reads what every solver's snow has into `common`, or else a field into `mean`; both are zero.
static firn_status probe(firn_sim *sim, const firn_probe_def *def, int count, firn_probe *common,
                         const firn_field_info *field, double *mean) {
  firn_context *context = sim->world.context;
  for (int p = 0; p < count; p++) FIRN_TRY(check(context, &def[p], p));
  reading r = {.sim = sim, .def = def, .probes = count, .count = firn_sim_count(sim)};
  if (count <= 0 || !r.count) return FIRN_OK;
  int components = common ? 3 : field->components;
  size_t bytes = (4 + (size_t)components) * r.count * sizeof(double);
  r.x = firn_alloc(context, bytes, "probes");
  if (!r.x) return FIRN_ERROR_MEMORY;
  r.mass = r.x + 3 * r.count;
  r.field = r.x + 4 * r.count;
  FIRN_FP_SCOPE;
  firn_status status = firn_sim_read(sim, "position", r.x);
  if (status == FIRN_OK) status = firn_sim_read(sim, "mass", r.mass);
  if (status == FIRN_OK) {
    status = common ? read_common(&r, common)
                    : average(&r, field->name, components, mean, (size_t)components * sizeof *mean);
  }
  firn_free(context, r.x, bytes);
  return status;
}

firn_status firn_sim_probe(firn_sim *sim, const firn_probe_def *def, int count, firn_probe *out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (count > 0 && (!def || !out)) return firn_fail_null(sim->world.context, "firn_sim_probe");
  for (int p = 0; p < count; p++) out[p] = (firn_probe){0};
  return probe(sim, def, count, out, NULL, NULL);
}

firn_status firn_sim_probe_field(firn_sim *sim, const firn_probe_def *def, int count,
                                 const char *field, double *out) {
  firn_field_info info;
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!field || (count > 0 && (!def || !out))) {
    return firn_fail_null(sim->world.context, "firn_sim_probe_field");
  }
  if (!firn_sim_has_field(sim, field, &info)) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT, "probe: there is no field '%s'",
                     field);
  }
  for (int i = 0; i < count * info.components; i++) out[i] = 0;
  return probe(sim, def, count, NULL, &info, out);
}
