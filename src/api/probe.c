// SPDX-License-Identifier: Apache-2.0
// Averages over the snow in some place.
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "api/sim.h"
#include "base/isa.h"

firn_probe_def firn_default_probe_def(void) {
  return (firn_probe_def){.kind = FIRN_PROBE_POINT, .radius = 0.05, .normal = {0, 1, 0}};
}

static firn_status check(firn_context *context, const firn_probe_def *def, int i) {
  char what[96];
  snprintf(what, sizeof what, "probe '%.64s'", def->name ? def->name : "");
  if (!def->name) snprintf(what, sizeof what, "probe %d", i);
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
  size_t count;
  double *x, *mass, *field; // [3], [1], up to [6] values a particle
} reading;

// Adds mass times the field to out[components] of each probe.
static firn_status sum_field(firn_sim *sim, const reading *r, const char *name, int components,
                             const firn_probe_def *def, int count, firn_probe *out, size_t offset) {
  FIRN_TRY(firn_sim_read(sim, name, r->field));
  for (int p = 0; p < count; p++) {
    double sum[6] = {0};
    for (size_t i = 0; i < r->count; i++) {
      if (!is_inside(&def[p], r->x + 3 * i)) continue;
      for (int c = 0; c < components; c++) {
        sum[c] += r->mass[i] * r->field[(size_t)components * i + (size_t)c];
      }
    }
    double *to = (double *)(void *)((char *)&out[p] + offset);
    for (int c = 0; c < components; c++) to[c] = out[p].mass > 0 ? sum[c] / out[p].mass : 0;
  }
  return FIRN_OK;
}

static firn_status probe_all(firn_sim *sim, const reading *r, const firn_probe_def *def, int count,
                             firn_probe *out) {
  FIRN_TRY(firn_sim_read(sim, "position", r->x));
  FIRN_TRY(firn_sim_read(sim, "mass", r->mass));
  for (int p = 0; p < count; p++) {
    for (size_t i = 0; i < r->count; i++) {
      if (!is_inside(&def[p], r->x + 3 * i)) continue;
      out[p].count++;
      out[p].mass += r->mass[i];
    }
  }
  static const struct {
    const char *name;
    int components;
    size_t offset;
  } fields[] = {
      {"position", 3, offsetof(firn_probe, center)},
      {"velocity", 3, offsetof(firn_probe, velocity)},
      {"density", 1, offsetof(firn_probe, density)},
      {"jp", 1, offsetof(firn_probe, jp)},
      {"stress", 6, offsetof(firn_probe, stress)},
  };
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
    FIRN_TRY(
        sum_field(sim, r, fields[f].name, fields[f].components, def, count, out, fields[f].offset));
  }
  return FIRN_OK;
}

firn_status firn_sim_probe(firn_sim *sim, const firn_probe_def *def, int count, firn_probe *out) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  firn_context *context = sim->world.context;
  if (count > 0 && (!def || !out)) return firn_fail_null(context, "firn_sim_probe");
  for (int p = 0; p < count; p++) {
    FIRN_TRY(check(context, &def[p], p));
    out[p] = (firn_probe){0};
  }
  reading r = {.count = firn_sim_count(sim)};
  if (count <= 0 || !r.count) return FIRN_OK;
  size_t bytes = 10 * r.count * sizeof(double);
  r.x = firn_alloc(context, bytes, "probes");
  if (!r.x) return FIRN_ERROR_MEMORY;
  r.mass = r.x + 3 * r.count;
  r.field = r.x + 4 * r.count;
  FIRN_FP_SCOPE;
  firn_status status = probe_all(sim, &r, def, count, out);
  firn_free(context, r.x, bytes);
  return status;
}
