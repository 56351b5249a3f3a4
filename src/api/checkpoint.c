// SPDX-License-Identifier: Apache-2.0
// Checkpoints: everything needed to go on, bit by bit.
//
//   /firn          kind, format, version, precision, solver; h, time, materials
//   /particles     count, slots, pending, thinned; blocks, units, pending_at as they lie in memory
//   /particles/field/<name>    every field of the registry, slot by slot, padding included
//   /solver/<name>             what the solver hands over
//   /world                     fingerprints of what the world was made with
//   /world/<name>              what sources have done so far, and what was set since
//
// Slots keep their order, since sums over particles are taken in it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/aside.h"
#include "api/checkpoint_world.h"
#include "api/files.h"
#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"
#include "base/memory.h"
#include "world/heat.h"
#include "world/morton.h"

enum { FORMAT = 14 };

static firn_archive_type archive_type(firn_field_type type) {
  switch (type) {
  case FIRN_FIELD_U32: return FIRN_ARCHIVE_U32;
  case FIRN_FIELD_U16: return FIRN_ARCHIVE_U16;
  default: return sizeof(firn_real) == 8 ? FIRN_ARCHIVE_F64 : FIRN_ARCHIVE_F32;
  }
}

// Blocks, units and places of new particles are structs of 32-bit integers.
enum {
  BLOCK_WORDS = sizeof(firn_block) / 4,
  UNIT_WORDS = sizeof(firn_unit) / 4,
};

// ----------------------------------------------------------------------------------------- saving

static void save_head(const firn_sim *sim, firn_archive *a) {
  const firn_world *world = &sim->world;
  firn_archive_group(a, "firn");
  firn_archive_set_text(a, "firn", "kind", "checkpoint");
  firn_archive_set_u64(a, "firn", "format", FORMAT);
  firn_archive_set_text(a, "firn", "version", firn_version());
  firn_archive_set_text(a, "firn", "precision", firn_precision());
  firn_archive_set_text(a, "firn", "solver", sim->type->name);
  firn_archive_set_f64(a, "firn", "h", world->h);
  firn_archive_set_f64(a, "firn", "time", world->time);
  firn_archive_set_u64(a, "firn", "materials", (uint64_t)world->material_count);
}

static void save_particles(const firn_particles *p, firn_archive *a) {
  size_t slots = p->slots + p->pending;
  char name[128];
  firn_archive_group(a, "particles/field");
  firn_archive_set_u64(a, "particles", "count", p->count);
  firn_archive_set_u64(a, "particles", "slots", p->slots);
  firn_archive_set_u64(a, "particles", "pending", p->pending);
  firn_archive_set_u64(a, "particles", "flying", p->flying);
  firn_archive_set_u64(a, "particles", "next_id", p->next_id);
  firn_archive_set_u64(a, "particles", "thinned", p->thinned);
  firn_archive_write(a, "particles/blocks", FIRN_ARCHIVE_U32, p->block_count, BLOCK_WORDS,
                     p->block);
  firn_archive_write(a, "particles/units", FIRN_ARCHIVE_U32, p->unit_count, UNIT_WORDS, p->unit);
  firn_archive_write(a, "particles/pending_at", FIRN_ARCHIVE_I32, p->pending, 3, p->pending_at);
  for (int f = 0; f < p->field_count; f++) {
    snprintf(name, sizeof name, "particles/field/%s", p->field[f].name);
    firn_archive_write(a, name, archive_type(p->field[f].type), slots, 1, p->field[f].data);
  }
}

static firn_status save_blob(void *user, const char *name, void *data, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "solver/%s", name);
  return firn_archive_write(user, path, FIRN_ARCHIVE_U8, size, 1, data);
}

static firn_status save_world_blob(void *user, const char *name, void *data, size_t size) {
  char path[128];
  snprintf(path, sizeof path, "world/%s", name);
  return firn_archive_write(user, path, FIRN_ARCHIVE_U8, size, 1, data);
}

firn_status firn_sim_check_worth(const firn_sim *sim, const char *what) {
  if (!sim->failed) return FIRN_OK;
  return firn_fail(sim->world.context, FIRN_ERROR_STATE,
                   "%s: a step failed, so there is no state worth saving", what);
}

firn_status firn_sim_write_state(firn_sim *sim, firn_archive *a) {
  const firn_state_visitor visitor = {.user = a, .blob = save_blob};
  const firn_state_visitor world = {.user = a, .blob = save_world_blob};
  save_head(sim, a);
  save_particles(&sim->world.particles, a);
  firn_status status = firn_checkpoint_save_world(&sim->world, a);
  if (status == FIRN_OK && sim->type->state)
    status = sim->type->state(sim->solver, false, &visitor);
  return status == FIRN_OK ? firn_world_state(&sim->world, false, &world) : status;
}

firn_status firn_sim_save_with(firn_sim *sim, const char *path, firn_archive_fn more, void *user) {
  firn_archive *a;
  FIRN_TRY(firn_sim_check_worth(sim, path));
  FIRN_TRY(firn_archive_create(sim->world.context, path, &a));
  firn_status status = firn_sim_write_state(sim, a);
  if (status == FIRN_OK && more) status = more(user, a);
  if (status != FIRN_OK) {
    firn_archive_close(a);
    return status;
  }
  return firn_archive_commit(a);
}

firn_status firn_sim_save(firn_sim *sim, const char *path) {
  if (!sim || !path) return FIRN_ERROR_ARGUMENT;
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  return firn_sim_save_with(sim, path, NULL, NULL);
}

// ---------------------------------------------------------------------------------------- loading

typedef struct loader {
  firn_sim *sim;
  firn_context *context;
  firn_archive *archive;
  const char *path;
  unsigned loose;
} loader;

// status: of a file that says otherwise. FIRN_ERROR_STATE is for good ones that are not for us: a
// run must not throw them away.
static firn_status check_text(const loader *l, const char *name, const char *expected,
                              firn_status status) {
  char text[64];
  FIRN_TRY(firn_archive_get_text(l->archive, "firn", name, text, sizeof text));
  if (strcmp(text, expected) == 0) return FIRN_OK;
  return firn_fail(l->context, status, "%s: its %s is %s, this simulation's is %s", l->path, name,
                   text, expected);
}

static firn_status check_count(const loader *l, const char *name, uint64_t expected,
                               firn_status status) {
  uint64_t count;
  FIRN_TRY(firn_archive_get_u64(l->archive, "firn", name, &count));
  if (count == expected) return FIRN_OK;
  return firn_fail(l->context, status, "%s: its %s is %llu, expected %llu", l->path, name,
                   (unsigned long long)count, (unsigned long long)expected);
}

static firn_status check_precision(const loader *l) {
  char text[32];
  FIRN_TRY(firn_archive_get_text(l->archive, "firn", "precision", text, sizeof text));
  if (strcmp(text, firn_precision()) == 0) return FIRN_OK;
  return firn_fail(l->context, FIRN_ERROR_STATE,
                   "%s: its precision is %s, and this build of firn computes in %s; go on with one "
                   "made by make build PRECISION=%s",
                   l->path, text, firn_precision(), text);
}

static firn_status check_kind(firn_context *context, firn_archive *a, const char *path) {
  char kind[32] = "";
  if (firn_archive_has(a, "firn") && firn_archive_has_attribute(a, "firn", "kind"))
    FIRN_TRY(firn_archive_get_text(a, "firn", "kind", kind, sizeof kind));
  if (strcmp(kind, "checkpoint") == 0) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_FORMAT, "%s is not a checkpoint", path);
}

// Asked before anything else: nobody knows what other names mean in another format.
static firn_status check_format(firn_context *context, firn_archive *a, const char *path) {
  char version[32];
  uint64_t format;
  FIRN_TRY(check_kind(context, a, path));
  FIRN_TRY(firn_archive_get_u64(a, "firn", "format", &format));
  if (format == FORMAT) return FIRN_OK;
  FIRN_TRY(firn_archive_get_text(a, "firn", "version", version, sizeof version));
  return firn_fail(context, FIRN_ERROR_STATE,
                   "%s is of firn %s, whose checkpoints have format %llu, and this firn, %s, reads "
                   "format %d; finish the run with that version",
                   path, version, (unsigned long long)format, firn_version(), FORMAT);
}

firn_status firn_checkpoint_check_format(firn_context *context, const char *path) {
  firn_archive *a;
  FIRN_TRY(firn_archive_open(context, path, &a));
  firn_status status = check_format(context, a, path);
  firn_archive_close(a);
  return status;
}

static firn_status load_head(const loader *l, double *time) {
  double h;
  FIRN_TRY(check_format(l->context, l->archive, l->path));
  FIRN_TRY(check_precision(l));
  FIRN_TRY(check_text(l, "solver", l->sim->type->name, FIRN_ERROR_STATE));
  FIRN_TRY(check_count(l, "materials", (uint64_t)l->sim->world.material_count, FIRN_ERROR_FORMAT));
  FIRN_TRY(firn_archive_get_f64(l->archive, "firn", "h", &h));
  if (h != l->sim->world.h) {
    return firn_fail(l->context, FIRN_ERROR_FORMAT, "%s: its h is %g m, this simulation's is %g m",
                     l->path, h, l->sim->world.h);
  }
  FIRN_TRY(firn_archive_get_f64(l->archive, "firn", "time", time));
  if (!(isfinite(*time) && *time >= 0)) {
    return firn_fail(l->context, FIRN_ERROR_FORMAT, "%s: its time is %g s", l->path, *time);
  }
  return firn_checkpoint_check_world(&l->sim->world, l->archive, l->path, l->loose);
}

static firn_status damaged(const loader *l, const char *what, size_t i) {
  return firn_fail(l->context, FIRN_ERROR_FORMAT, "%s is damaged: %s %zu does not fit", l->path,
                   what, i);
}

// An array of the file, whole, into memory of its own.
static firn_status load_table(const loader *l, const char *name, firn_archive_type type,
                              int components, void **data, size_t *count) {
  firn_archive_info info;
  FIRN_TRY(firn_archive_describe(l->archive, name, &info));
  if (info.count > UINT32_MAX) return damaged(l, name, info.count); // none has more, and size fits
  size_t size = info.count * (size_t)components * firn_archive_type_size(type);
  void *table = firn_alloc(l->context, size, name);
  if (size && !table) return FIRN_ERROR_MEMORY;
  firn_status status = firn_archive_read(l->archive, name, type, info.count, components, table);
  if (status != FIRN_OK) {
    firn_free(l->context, table, size);
    return status;
  }
  *data = table;
  *count = info.count;
  return FIRN_OK;
}

static firn_status load_tables(const loader *l, firn_particles *p) {
  void *data = NULL;
  size_t count = 0;
  FIRN_TRY(load_table(l, "particles/blocks", FIRN_ARCHIVE_U32, BLOCK_WORDS, &data, &count));
  p->block = data;
  p->block_count = p->block_capacity = count;
  FIRN_TRY(load_table(l, "particles/units", FIRN_ARCHIVE_U32, UNIT_WORDS, &data, &count));
  p->unit = data;
  p->unit_count = p->unit_capacity = count;
  FIRN_TRY(load_table(l, "particles/pending_at", FIRN_ARCHIVE_I32, 3, &data, &count));
  p->pending_at = data;
  p->pending_capacity = count;
  return FIRN_OK;
}

static firn_status load_fields(const loader *l, firn_particles *p, size_t slots) {
  char name[128];
  // Fields for materials that vary exist in a simulation only once some particle has them.
  if (firn_archive_has(l->archive, "particles/field/mu")) FIRN_TRY(firn_world_vary(&l->sim->world));
  if (firn_archive_has(l->archive, "particles/field/ln_cut")) {
    FIRN_TRY(firn_world_keep_cut(&l->sim->world));
  }
  if (firn_archive_has(l->archive, "particles/field/temperature")) {
    FIRN_TRY(firn_world_keep_heat(&l->sim->world));
  }
  int count;
  FIRN_TRY(firn_archive_count(l->archive, "particles/field", &count));
  if (count != p->field_count) {
    return firn_fail(l->context, FIRN_ERROR_FORMAT,
                     "%s: particles have %d fields, those of this simulation %d; was it made with "
                     "the same transfer?",
                     l->path, count, p->field_count);
  }
  FIRN_TRY(firn_particles_reserve(p, slots));
  for (int f = 0; f < p->field_count; f++) {
    snprintf(name, sizeof name, "particles/field/%s", p->field[f].name);
    FIRN_TRY(firn_archive_read(l->archive, name, archive_type(p->field[f].type), slots, 1,
                               p->field[f].data));
  }
  return FIRN_OK;
}

// Blocks and units index memory later on, so they are not taken on trust: blocks lie one after the
// other, units cover them in order, ids are below next_id, each once. So do positions; that they lie
// where their blocks can reach is for the solver to check, which knows how far that is.
static firn_status check_layout(const loader *l, const firn_particles *p, uint8_t *seen) {
  size_t end = 0, sum = p->pending, next = 0;
  uint64_t before = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    for (int a = 0; a < 3; a++) {
      if (block->at[a] <= -FIRN_MORTON_LIMIT || block->at[a] >= FIRN_MORTON_LIMIT) {
        return damaged(l, "block", b);
      }
    }
    uint64_t key = firn_morton(block->at);
    if ((b && key <= before) || block->first < end || !block->count || block->first > p->slots ||
        block->count > p->slots - block->first) {
      return damaged(l, "block", b);
    }
    before = key;
    end = (size_t)block->first + block->count;
    sum += block->count;
  }
  if (p->slots % FIRN_SLOT_ALIGN) return damaged(l, "number of slots", p->slots);
  for (size_t u = 0; u < p->unit_count; u++) {
    const firn_unit *unit = &p->unit[u];
    size_t count = 0;
    if (unit->first_block != next || !unit->block_count ||
        unit->block_count > p->block_count - next || unit->first % FIRN_SLOT_ALIGN ||
        unit->first != p->block[next].first) {
      return damaged(l, "unit", u);
    }
    for (size_t b = next; b < next + unit->block_count; b++) {
      if (p->block[b].first != unit->first + count) return damaged(l, "block", b);
      count += p->block[b].count;
    }
    if (count != unit->count) return damaged(l, "unit", u);
    next += unit->block_count;
  }
  if (next != p->block_count) return damaged(l, "unit", p->unit_count);
  if (sum != p->count) return damaged(l, "number of particles", p->count);
  const uint32_t *id = firn_particles_id(p);
  const uint16_t *material = firn_particles_material(p);
  size_t slot = 0, block = 0, left = 0;
  for (size_t i = 0; i < p->count; i++, slot++, left--) {
    if (i < p->count - p->pending) {
      if (!left) {
        slot = p->block[block].first;
        left = p->block[block++].count;
      }
    } else if (i == p->count - p->pending) {
      slot = p->slots;
    }
    bool finite = true;
    for (int a = 0; a < 3; a++) {
      finite = finite && isfinite(firn_particles_real(p, FIRN_FIELD_X + a)[slot]);
    }
    if (id[slot] >= p->next_id || seen[id[slot]]++ || !finite ||
        material[slot] >= l->sim->world.material_count) {
      return damaged(l, "particle in slot", slot);
    }
  }
  return FIRN_OK;
}

static firn_status load_particles(const loader *l, firn_particles *p) {
  uint64_t count, slots, pending, flying, next_id, thinned;
  FIRN_TRY(firn_archive_get_u64(l->archive, "particles", "count", &count));
  FIRN_TRY(firn_archive_get_u64(l->archive, "particles", "slots", &slots));
  FIRN_TRY(firn_archive_get_u64(l->archive, "particles", "pending", &pending));
  FIRN_TRY(firn_archive_get_u64(l->archive, "particles", "flying", &flying));
  FIRN_TRY(firn_archive_get_u64(l->archive, "particles", "next_id", &next_id));
  FIRN_TRY(firn_archive_get_u64(l->archive, "particles", "thinned", &thinned));
  if (next_id > UINT32_MAX || count > next_id || pending > count || flying > pending ||
      slots > UINT32_MAX) {
    return damaged(l, "number of particles", count);
  }
  FIRN_TRY(load_tables(l, p));
  if (p->pending_capacity != pending) return damaged(l, "number of new particles", pending);
  FIRN_TRY(load_fields(l, p, slots + pending));
  p->count = count;
  p->slots = slots;
  p->pending = pending;
  p->flying = flying;
  p->next_id = next_id;
  p->thinned = thinned != 0;
  uint8_t *seen = firn_alloc_zero(l->context, next_id, "check of a checkpoint");
  if (next_id && !seen) return FIRN_ERROR_MEMORY;
  firn_status status = check_layout(l, p, seen);
  firn_free(l->context, seen, next_id);
  return status;
}

static firn_status load_blob(void *user, const char *name, void *data, size_t size) {
  const loader *l = user;
  char path[128];
  snprintf(path, sizeof path, "solver/%s", name);
  return firn_archive_read(l->archive, path, FIRN_ARCHIVE_U8, size, 1, data);
}

static firn_status load_world_blob(void *user, const char *name, void *data, size_t size) {
  const loader *l = user;
  char path[128];
  snprintf(path, sizeof path, "world/%s", name);
  return firn_archive_read(l->archive, path, FIRN_ARCHIVE_U8, size, 1, data);
}

// Surfaces have no temperature where nothing has.
static void drop_temperatures(firn_world *world) {
  for (int c = 0; c < world->collider_count && world->temperature < 0; c++)
    world->collider[c].temperature = 0;
}

static firn_status load_state(const loader *l, const firn_sim_source *source, double *time) {
  firn_sim *sim = l->sim;
  const firn_state_visitor visitor = {.user = (void *)l, .blob = load_blob};
  const firn_state_visitor world = {.user = (void *)l, .blob = load_world_blob};
  FIRN_TRY(load_head(l, time));
  FIRN_TRY(load_particles(l, &sim->world.particles));
  if (!l->loose) drop_temperatures(&sim->world);
  if (sim->type->state) FIRN_TRY(sim->type->state(sim->solver, true, &visitor));
  // Of one that is being built, the list of fills says what was asked for; of others, what was
  // made.
  if (!sim->world.flow.expecting) sim->world.flow.filled_count = 0;
  FIRN_TRY(firn_world_state(&sim->world, true, &world));
  FIRN_TRY(firn_checkpoint_load_fills(&sim->world, l->archive, l->path));
  return source->more ? source->more(source->user, l->archive) : FIRN_OK;
}

firn_status firn_sim_read_state(firn_sim *sim, const firn_sim_source *source) {
  double time = 0;
  firn_sim_aside aside;
  const loader l = {.sim = sim,
                    .context = sim->world.context,
                    .archive = source->archive,
                    .path = source->name,
                    .loose = source->loose};
  FIRN_FP_SCOPE;
  FIRN_TRY(firn_sim_set_aside(sim, source->setup, source->settings, &aside));
  firn_status status = load_state(&l, source, &time);
  if (status != FIRN_OK) {
    firn_sim_put_back(sim, &aside);
    return status;
  }
  firn_sim_drop_aside(sim, &aside);
  firn_world_set_time(&sim->world, time);
  sim->failed = false;
  return FIRN_OK;
}

firn_status firn_sim_load_with(firn_sim *sim, const char *path, unsigned loose,
                               firn_archive_fn more, void *user) {
  firn_sim_source source = {.name = path, .loose = loose, .more = more, .user = user};
  FIRN_TRY(firn_archive_open(sim->world.context, path, &source.archive));
  firn_status status = firn_sim_read_state(sim, &source);
  firn_archive_close(source.archive);
  return status;
}

firn_status firn_sim_load(firn_sim *sim, const char *path) {
  if (!sim || !path) return FIRN_ERROR_ARGUMENT;
  FIRN_TRY(firn_sim_not_advancing(sim, __func__));
  return firn_sim_load_with(sim, path, 0, NULL, NULL);
}

// --------------------------------------------------------------------------------------- looking

static firn_status read_info(firn_context *context, firn_archive *a, const char *path,
                             firn_checkpoint_info *out) {
  uint64_t count, frame;
  FIRN_TRY(check_kind(context, a, path));
  FIRN_TRY(firn_archive_get_text(a, "firn", "version", out->version, sizeof out->version));
  FIRN_TRY(firn_archive_get_text(a, "firn", "solver", out->solver, sizeof out->solver));
  FIRN_TRY(firn_archive_get_text(a, "firn", "precision", out->precision, sizeof out->precision));
  FIRN_TRY(firn_archive_get_f64(a, "firn", "h", &out->h));
  FIRN_TRY(firn_archive_get_f64(a, "firn", "time", &out->time));
  FIRN_TRY(firn_archive_get_u64(a, "particles", "count", &count));
  out->particles = count;
  if (!firn_archive_has(a, "run")) return FIRN_OK;
  FIRN_TRY(firn_archive_get_u64(a, "run", "frame", &frame));
  out->frame = (int)frame;
  return FIRN_OK;
}

firn_status firn_checkpoint_read_sized(firn_context *context, const char *path,
                                       firn_checkpoint_info *out, size_t size) {
  if (!context || !path || !out) return firn_fail_null(context, "firn_checkpoint_read");
  firn_archive *a;
  firn_checkpoint_info own = {.frame = -1};
  firn_status status = firn_archive_open(context, path, &a);
  if (status == FIRN_OK) {
    status = read_info(context, a, path, &own);
    firn_archive_close(a);
  }
  firn_fill_out(&own, sizeof own, out, size);
  return status;
}
