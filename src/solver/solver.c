// SPDX-License-Identifier: Apache-2.0
#include "solver/solver.h"

#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "solver/list.h"

const firn_solver_type *firn_solver_at(int i) {
#define ADDRESS(name_) &firn_##name_##_solver,
  static const firn_solver_type *const all[] = {FIRN_SOLVER_LIST(ADDRESS)};
#undef ADDRESS
  return i < (int)(sizeof all / sizeof all[0]) ? all[i] : NULL;
}

const firn_solver_type *firn_solver_find(const char *name) {
  const firn_solver_type *type;
  for (int i = 0; (type = firn_solver_at(i)); i++) {
    if (strcmp(type->name, name) == 0) return type;
  }
  return NULL;
}

static double spacings(const char *name) {
  const firn_solver_type *type = firn_solver_find(name);
  return (type ? type : firn_solver_at(0))->spacings;
}

double firn_solver_h(const char *name, double spacing) {
  return spacings(name) * spacing;
}

double firn_solver_spacing(const char *name, double h) {
  return h / spacings(name);
}

typedef struct refusal {
  firn_context *context;
  const char *solver;
  firn_status status;
} refusal;

static void refuse(void *user, const char *key, const char *with, const char *why) {
  refusal *r = user;
  (void)with;
  if (r->status != FIRN_OK) return;
  r->status = firn_fail(r->context, FIRN_ERROR_ARGUMENT, "%s: %s: %s", r->solver, key, why);
}

void firn_solver_step_conflicts(double dt, double dt_min, double dt_max, firn_conflict_fn tell,
                                void *user) {
  char why[100];
  if (dt_min > dt_max && !(dt > 0)) {
    snprintf(why, sizeof why, "%g s is longer than dt_max, %g s", dt_min, dt_max);
    tell(user, "dt_min", "dt_max", why);
  }
  if (dt > 0 && dt < dt_min) {
    snprintf(why, sizeof why, "%g s is shorter than dt_min, %g s", dt, dt_min);
    tell(user, "dt", "dt_min", why);
  }
}

void firn_solver_defaults(const firn_solver_type *type, void *def) {
  firn_schema_defaults(type->settings, def);
  if (type->def_size) memcpy(def, &type->def_size, sizeof type->def_size);
}

firn_status firn_solver_take(firn_context *context, const firn_solver_type *type, const void *given,
                             void *own) {
  char name[64];
  snprintf(name, sizeof name, "firn_%s_def", type->name);
  return firn_def_take(context, name, given, own, type->def_size);
}

firn_status firn_solver_check(firn_context *context, const firn_solver_type *type,
                              const void *def) {
  refusal r = {context, type->name, FIRN_OK};
  FIRN_TRY(firn_schema_check(context, type->name, type->settings, def));
  if (type->conflicts) type->conflicts(def, refuse, &r);
  return r.status;
}

const firn_field_info firn_common_fields[FIRN_COMMON_FIELDS] = {
    [FIRN_COMMON_POSITION] = {"position", "m", 3, false, false, "where the particle is"},
    [FIRN_COMMON_VELOCITY] = {"velocity", "m/s", 3, true, false, "its velocity"},
    [FIRN_COMMON_MASS] = {"mass", "kg", 1, false, false, "its mass, which never changes"},
    [FIRN_COMMON_VOLUME] = {"volume", "m^3", 1, false, true, "its volume at rest"},
    [FIRN_COMMON_ID] = {"id", "1", 1, false, false, "its number, in the order of appearance"},
    [FIRN_COMMON_MATERIAL] = {"material", "1", 1, false, true, "number of its material, from 0"},
    [FIRN_COMMON_STRAIN_RATE] = {"strain_rate", "1/s", 6, false, true,
                                 "symmetric part of the velocity gradient"},
    [FIRN_COMMON_TEMPERATURE] = {"temperature", "K", 1, true, true,
                                 "its temperature; 273.15 where nobody says one"},
};

const firn_solver_type *firn_solver_of_field(const char *field) {
  const firn_solver_type *type;
  for (int i = 0; (type = firn_solver_at(i)); i++) {
    for (const firn_field_info *f = type->fields; f && f->name; f++) {
      if (strcmp(f->name, field) == 0) return type;
    }
  }
  return NULL;
}
