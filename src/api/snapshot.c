// SPDX-License-Identifier: Apache-2.0
// States in memory: a checkpoint in an archive that has no file, and what the world was built of
// then.
#include <string.h>

#include "api/aside.h"
#include "api/files.h"
#include "base/memory.h"

struct firn_snapshot {
  firn_context *context;
  firn_sim_identity *of;
  firn_archive *archive;
  firn_setup setup;
  void *settings; // [settings_size] of the solver
  size_t settings_size;
  double time;  // s
  size_t bytes; // that all of it takes
};

static firn_status take(firn_sim *sim, firn_snapshot *s) {
  size_t size = s->settings_size = sim->type->def_size;
  s->settings = firn_alloc(s->context, size, "a snapshot");
  if (size && !s->settings) return FIRN_ERROR_MEMORY;
  if (size) memcpy(s->settings, sim->settings, size);
  FIRN_TRY(firn_setup_take(&sim->world, &s->setup));
  FIRN_TRY(firn_archive_create_memory(s->context, "snapshot", &s->archive));
  return firn_sim_write_state(sim, s->archive);
}

firn_status firn_sim_take_snapshot(firn_sim *sim, firn_snapshot **out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  firn_context *context = sim->world.context;
  if (!out) return firn_fail_null(context, "firn_sim_take_snapshot");
  *out = NULL;
  FIRN_TRY(firn_sim_check_worth(sim, "snapshot"));
  size_t before = firn_context_bytes(context);
  firn_snapshot *s = firn_alloc_zero(context, sizeof *s, "a snapshot");
  if (!s) return FIRN_ERROR_MEMORY;
  s->context = context;
  s->of = firn_sim_identity_retain(sim->identity);
  s->time = sim->world.time;
  firn_status status = take(sim, s);
  if (status != FIRN_OK) {
    firn_snapshot_destroy(s);
    return status;
  }
  s->bytes = firn_context_bytes(context) - before;
  *out = s;
  return FIRN_OK;
}

firn_status firn_sim_restore(firn_sim *sim, const firn_snapshot *s) {
  FIRN_TRY(firn_sim_not_advancing(sim, __func__));
  if (!s) return firn_fail_null(sim->world.context, "firn_sim_restore");
  if (s->of != sim->identity) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "snapshot at %g s: it is of another simulation; save and load pass a state on",
                     s->time);
  }
  const firn_sim_source source = {
      .archive = s->archive, .name = "snapshot", .setup = &s->setup, .settings = s->settings};
  return firn_sim_read_state(sim, &source);
}

void firn_snapshot_destroy(firn_snapshot *s) {
  if (!s) return;
  firn_archive_close(s->archive);
  firn_setup_free(&s->setup, s->context);
  firn_free(s->context, s->settings, s->settings_size);
  firn_sim_identity_release(s->of);
  firn_free(s->context, s, sizeof *s);
}

double firn_snapshot_time(const firn_snapshot *s) {
  return s->time;
}

size_t firn_snapshot_bytes(const firn_snapshot *s) {
  return s->bytes;
}
