// SPDX-License-Identifier: Apache-2.0
// States in memory: a checkpoint in an archive that has no file, and what the world was built of
// then.
#include <string.h>

#include "api/aside.h"
#include "api/files.h"
#include "base/memory.h"

// What a snapshot needs and the simulation has no longer.
typedef struct loss {
  const char *what; // "colliders"; NULL: nothing is lost
  int had, kept;
  double time; // s, of the snapshot whose restore took the others away
} loss;

struct firn_snapshot {
  firn_context *context;
  firn_sim_identity *of;
  firn_archive *archive;
  firn_setup setup;
  void *settings; // [settings_size] of the solver
  size_t settings_size;
  double time;  // s
  size_t bytes; // that all of it takes
  loss lost;
  firn_snapshot *next; // of the same simulation
};

static void enlist(firn_snapshot *s) {
  s->next = s->of->snapshots;
  s->of->snapshots = s;
}

static void strike(const firn_snapshot *s) {
  firn_snapshot **at = &s->of->snapshots;
  while (*at && *at != s) at = &(*at)->next;
  if (*at) *at = s->next;
}

// What s needs of this kind and a world with as many as restored had then has no longer.
static void note_loss(firn_snapshot *s, const firn_snapshot *restored, const char *what, int had,
                      int kept) {
  if (s->lost.what || had <= kept) return;
  s->lost = (loss){.what = what, .had = had, .kept = kept, .time = restored->time};
}

// A restore frees what was added since. Others may come in its place, so that a snapshot that needs
// it cannot be restored from then on.
static void note_losses(const firn_snapshot *restored) {
  const firn_world_counts *kept = &restored->setup.counts;
  for (firn_snapshot *s = restored->of->snapshots; s; s = s->next) {
    const firn_world_counts *had = &s->setup.counts;
#define NOTE(kind, what) note_loss(s, restored, what, had->kind, kept->kind);
    NOTE(materials, "materials")
    NOTE(colliders, "colliders")
    NOTE(forces, "forces")
    NOTE(fills, "fills to come")
    NOTE(emitters, "emitters")
    NOTE(sinks, "sinks")
    NOTE(impulses, "impulses")
#undef NOTE
  }
}

static firn_status check_losses(const firn_snapshot *s) {
  const loss *l = &s->lost;
  if (!l->what) return FIRN_OK;
  return firn_fail(s->context, FIRN_ERROR_STATE,
                   "snapshot at %g s: of its %d %s the simulation kept %d when an older snapshot, "
                   "at %g s, was restored",
                   s->time, l->had, l->what, l->kept, l->time);
}

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
  enlist(s);
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
  FIRN_TRY(check_losses(s));
  const firn_sim_source source = {
      .archive = s->archive, .name = "snapshot", .setup = &s->setup, .settings = s->settings};
  FIRN_TRY(firn_sim_read_state(sim, &source));
  note_losses(s);
  return FIRN_OK;
}

void firn_snapshot_destroy(firn_snapshot *s) {
  if (!s) return;
  strike(s);
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
