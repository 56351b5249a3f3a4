// SPDX-License-Identifier: Apache-2.0
#include "api/checkpoint_world.h"

#include "api/files.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define COLLIDERS "world/colliders" // the digest of each
#define FORCES    "world/forces"    // the kind of each
#define WIND      "world/wind"      // where there is one
#define FILLS     "world/fills"     // [count][FILL_NUMBERS]

// lo, hi, number, whether it is a lattice, particles a cell, where in a cell
enum { FILL_NUMBERS = 12 };

static uint64_t digest_of(const firn_world *world, size_t i) {
  return world->collider[i].digest;
}

static uint64_t kind_of(const firn_world *world, size_t i) {
  return (uint64_t)world->forces.force[i].def.kind;
}

// A number for each of count things.
static firn_status save_table(const firn_world *world, firn_archive *a, const char *name,
                              size_t count, uint64_t (*number)(const firn_world *, size_t)) {
  size_t size = count * sizeof(uint64_t);
  uint64_t *table = firn_alloc(world->context, size, name);
  if (count && !table) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) table[i] = number(world, i);
  firn_status status = firn_archive_write(a, name, FIRN_ARCHIVE_U64, count, 1, table);
  firn_free(world->context, table, size);
  return status;
}

static firn_status save_fills(const firn_world *world, firn_archive *a) {
  const firn_flow *flow = &world->flow;
  size_t count = (size_t)flow->filled_count, size = count * FILL_NUMBERS * sizeof(double);
  double *table = firn_alloc(world->context, size, FILLS);
  if (count && !table) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    const firn_filled *f = &flow->filled[i];
    double *row = table + i * FILL_NUMBERS;
    memcpy(row, f->lo, sizeof f->lo);
    memcpy(row + 3, f->hi, sizeof f->hi);
    row[6] = f->number;
    row[7] = f->lattice;
    row[8] = f->per_cell;
    memcpy(row + 9, f->within, sizeof f->within);
  }
  firn_status status = firn_archive_write(a, FILLS, FIRN_ARCHIVE_F64, count, FILL_NUMBERS, table);
  firn_free(world->context, table, size);
  return status;
}

firn_status firn_checkpoint_save_world(const firn_world *world, firn_archive *a) {
  firn_digests d = firn_world_digest(world);
  firn_archive_group(a, "world");
  firn_archive_set_u64(a, "world", "space", d.space);
  firn_archive_set_u64(a, "world", "gravity", d.gravity);
  firn_archive_set_u64(a, "world", "materials", d.materials);
  FIRN_TRY(save_table(world, a, COLLIDERS, (size_t)world->collider_count, digest_of));
  FIRN_TRY(save_fills(world, a));
  return save_table(world, a, FORCES, (size_t)world->forces.count, kind_of);
}

static firn_status differs(const firn_world *world, const char *path, const char *what) {
  return firn_fail(world->context, FIRN_ERROR_STATE,
                   "%s cannot be gone on with: %s differs from what it was saved with", path, what);
}

static firn_status check_count(const firn_world *world, firn_archive *a, const char *path,
                               const char *name, const char *what, size_t count) {
  firn_archive_info info;
  FIRN_TRY(firn_archive_describe(a, name, &info));
  if (info.count == count) return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_STATE,
                   "%s cannot be gone on with: it was saved with %zu %s, here are %zu", path,
                   info.count, what, count);
}

static firn_status check_colliders(const firn_world *world, firn_archive *a, const char *path,
                                   unsigned loose) {
  size_t n = (size_t)world->collider_count, size = n * sizeof(uint64_t);
  FIRN_TRY(check_count(world, a, path, COLLIDERS, "colliders", n));
  if (!n || loose & FIRN_LOOSE_COLLIDERS) return FIRN_OK;
  uint64_t *table = firn_alloc(world->context, size, COLLIDERS);
  if (!table) return FIRN_ERROR_MEMORY;
  firn_status status = firn_archive_read(a, COLLIDERS, FIRN_ARCHIVE_U64, n, 1, table);
  for (size_t i = 0; status == FIRN_OK && i < n; i++) {
    if (table[i] == digest_of(world, i)) continue;
    status = firn_fail(world->context, FIRN_ERROR_STATE,
                       "%s cannot be gone on with: collider %zu, '%s', differs from what it was "
                       "saved with",
                       path, i, world->collider[i].name);
  }
  firn_free(world->context, table, size);
  return status;
}

static const char *kind_name(uint64_t kind) {
  static const char *const name[] = {"function", "uniform", "attractor", "vortex", "drag"};
  return kind < sizeof name / sizeof name[0] ? name[kind] : "no kind that this firn knows";
}

// Numbers of forces are held as they were; which there are is the builder's.
static firn_status check_forces(const firn_world *world, firn_archive *a, const char *path) {
  size_t n = (size_t)world->forces.count, size = n * sizeof(uint64_t);
  FIRN_TRY(check_count(world, a, path, FORCES, "forces", n));
  if (!n) return FIRN_OK;
  uint64_t *table = firn_alloc(world->context, size, FORCES);
  if (!table) return FIRN_ERROR_MEMORY;
  firn_status status = firn_archive_read(a, FORCES, FIRN_ARCHIVE_U64, n, 1, table);
  for (size_t i = 0; status == FIRN_OK && i < n; i++) {
    if (table[i] == kind_of(world, i)) continue;
    status = firn_fail(world->context, FIRN_ERROR_STATE,
                       "%s cannot be gone on with: %s is of another kind than it was saved with: "
                       "%s here, %s there",
                       path, world->forces.force[i].name, kind_name(kind_of(world, i)),
                       kind_name(table[i]));
  }
  firn_free(world->context, table, size);
  return status;
}

// Its numbers are those of the world here; only the velocity is held.
static firn_status check_wind(const firn_world *world, firn_archive *a, const char *path) {
  bool saved = firn_archive_has(a, WIND);
  if (saved == world->wind.on) return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_STATE,
                   "%s cannot be gone on with: it was saved with %s, here is %s", path,
                   saved ? "wind" : "no wind", saved ? "none" : "wind");
}

firn_status firn_checkpoint_check_world(const firn_world *world, firn_archive *a, const char *path,
                                        unsigned loose) {
  firn_digests here = firn_world_digest(world), saved = {0};
  FIRN_TRY(firn_archive_get_u64(a, "world", "space", &saved.space));
  FIRN_TRY(firn_archive_get_u64(a, "world", "gravity", &saved.gravity));
  FIRN_TRY(firn_archive_get_u64(a, "world", "materials", &saved.materials));
  if (saved.space != here.space) return differs(world, path, "the period of the domain");
  FIRN_TRY(check_forces(world, a, path));
  FIRN_TRY(check_wind(world, a, path));
  if (loose & FIRN_LOOSE_NUMBERS) return check_colliders(world, a, path, loose);
  if (saved.gravity != here.gravity) return differs(world, path, "gravity");
  if (saved.materials != here.materials) return differs(world, path, "a material");
  return check_colliders(world, a, path, loose);
}

static firn_status take_fill(firn_world *world, const double row[FILL_NUMBERS], const char *path) {
  for (int k = 0; k < FILL_NUMBERS; k++) {
    if (!isfinite(row[k]) || ((k == 6 || k == 7) && !(row[k] >= 0 && row[k] <= INT32_MAX)))
      return firn_fail(world->context, FIRN_ERROR_FORMAT, "%s is damaged: a fill does not fit",
                       path);
  }
  firn_filled f = {.number = (uint32_t)row[6], .lattice = row[7] != 0, .per_cell = row[8]};
  memcpy(f.lo, row, sizeof f.lo);
  memcpy(f.hi, row + 3, sizeof f.hi);
  memcpy(f.within, row + 9, sizeof f.within);
  return firn_flow_note_filled(&world->flow, world->context, &f);
}

firn_status firn_checkpoint_load_fills(firn_world *world, firn_archive *a, const char *path) {
  if (!firn_archive_has(a, FILLS)) return FIRN_OK; // an older firn did not save them
  firn_archive_info info;
  FIRN_TRY(firn_archive_describe(a, FILLS, &info));
  if (info.count > INT32_MAX || !info.count) return FIRN_OK;
  size_t size = info.count * FILL_NUMBERS * sizeof(double);
  double *table = firn_alloc(world->context, size, FILLS);
  if (!table) return FIRN_ERROR_MEMORY;
  firn_status status = firn_archive_read(a, FILLS, FIRN_ARCHIVE_F64, info.count, FILL_NUMBERS,
                                         table);
  for (size_t i = 0; status == FIRN_OK && i < info.count; i++)
    status = take_fill(world, table + i * FILL_NUMBERS, path);
  firn_free(world->context, table, size);
  return status;
}
