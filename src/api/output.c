// SPDX-License-Identifier: Apache-2.0
// What frames hold: firn_output_def, checked against a simulation.
#include "api/output.h"

#include <string.h>

#include "base/def.h"
#include "scene/nearest.h"

FIRN_DEFAULTS(output_def) {
  return (firn_output_def){.precision = 32, .every = 1, .checkpoints = 1, .keep_checkpoints = 2};
}

bool firn_output_is_packed(const firn_output_def *def) {
  return def->precision == 16;
}

bool firn_output_has_frame(const firn_output_def *def, int frame) {
  return def->every <= 1 || frame % def->every == 0;
}

bool firn_output_has_checkpoint(const firn_output_def *def, int frame) {
  if (def->checkpoints < 0) return false;
  return def->checkpoints <= 1 || frame % def->checkpoints == 0;
}

// Without a list: what is light and good to look at. Tensors are large, and what a particle is made of
// rarely changes.
bool firn_output_has_field(const firn_output_def *def, const firn_field_info *info) {
  if (strcmp(info->name, "position") == 0) return true;
  if (!def->field_count) return !info->on_request;
  for (int i = 0; i < def->field_count; i++) {
    if (strcmp(def->fields[i], info->name) == 0) return true;
  }
  return false;
}

static firn_status check_field(firn_context *context, const firn_sim *sim, const char *name) {
  firn_field_info info;
  firn_nearest nearest = firn_nearest_begin(name);
  for (int i = 0; firn_sim_field(sim, i, &info) == FIRN_OK; i++) {
    if (strcmp(info.name, name) == 0) return FIRN_OK;
    firn_nearest_offer(&nearest, info.name);
  }
  return firn_fail(context, FIRN_ERROR_ARGUMENT,
                   "output: this simulation has no field '%s'" FIRN_NEAREST_FORMAT, name,
                   FIRN_NEAREST_WORDS(nearest));
}

firn_status firn_output_check(firn_context *context, const firn_output_def *def,
                              const firn_sim *sim) {
  if (def->precision != 0 && def->precision != 16 && def->precision != 32) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "output: precision is %d; it must be 16 or 32",
                     def->precision);
  }
  if (def->every < 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "output: every is %d; it must be 1 or more",
                     def->every);
  }
  if (def->field_count < 0 || (def->field_count && !def->fields)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "output: %d fields, and no list of them",
                     def->field_count);
  }
  for (int i = 0; i < def->field_count; i++) {
    if (!def->fields[i]) return firn_fail_null(context, "output: the name of a field");
    FIRN_TRY(check_field(context, sim, def->fields[i]));
  }
  return FIRN_OK;
}
