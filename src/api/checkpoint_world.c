// SPDX-License-Identifier: Apache-2.0
#include "api/checkpoint_world.h"

#include "api/files.h"
#include "base/memory.h"

#define COLLIDERS "world/colliders"

static size_t table_size(const firn_world *world) {
  return (size_t)world->collider_count * sizeof(uint64_t);
}

firn_status firn_checkpoint_save_world(const firn_world *world, firn_archive *a) {
  firn_digests d = firn_world_digest(world);
  firn_archive_group(a, "world");
  firn_archive_set_u64(a, "world", "space", d.space);
  firn_archive_set_u64(a, "world", "gravity", d.gravity);
  firn_archive_set_u64(a, "world", "materials", d.materials);
  // One a collider.
  size_t n = (size_t)world->collider_count;
  uint64_t *table = firn_alloc(world->context, table_size(world), COLLIDERS);
  if (n && !table) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) table[i] = world->collider[i].digest;
  firn_status status = firn_archive_write(a, COLLIDERS, FIRN_ARCHIVE_U64, n, 1, table);
  firn_free(world->context, table, table_size(world));
  return status;
}

static firn_status differs(const firn_world *world, const char *path, const char *what) {
  return firn_fail(world->context, FIRN_ERROR_STATE,
                   "%s cannot be gone on with: %s differs from what it was saved with", path, what);
}

static firn_status check_colliders(const firn_world *world, firn_archive *a, const char *path,
                                   unsigned loose) {
  firn_archive_info info;
  size_t n = (size_t)world->collider_count;
  FIRN_TRY(firn_archive_describe(a, COLLIDERS, &info));
  if (info.count != n) {
    return firn_fail(world->context, FIRN_ERROR_STATE,
                     "%s cannot be gone on with: it was saved with %zu colliders, here are %zu",
                     path, info.count, n);
  }
  if (!n || loose & FIRN_LOOSE_COLLIDERS) return FIRN_OK;
  uint64_t *table = firn_alloc(world->context, table_size(world), COLLIDERS);
  if (!table) return FIRN_ERROR_MEMORY;
  firn_status status = firn_archive_read(a, COLLIDERS, FIRN_ARCHIVE_U64, n, 1, table);
  for (size_t i = 0; status == FIRN_OK && i < n; i++) {
    if (table[i] == world->collider[i].digest) continue;
    status = firn_fail(world->context, FIRN_ERROR_STATE,
                       "%s cannot be gone on with: collider %zu, '%s', differs from what it was "
                       "saved with",
                       path, i, world->collider[i].name);
  }
  firn_free(world->context, table, table_size(world));
  return status;
}

firn_status firn_checkpoint_check_world(const firn_world *world, firn_archive *a, const char *path,
                                        unsigned loose) {
  firn_digests here = firn_world_digest(world), saved = {0};
  FIRN_TRY(firn_archive_get_u64(a, "world", "space", &saved.space));
  FIRN_TRY(firn_archive_get_u64(a, "world", "gravity", &saved.gravity));
  FIRN_TRY(firn_archive_get_u64(a, "world", "materials", &saved.materials));
  if (saved.space != here.space) return differs(world, path, "the period of the domain");
  if (loose & FIRN_LOOSE_NUMBERS) return check_colliders(world, a, path, loose);
  if (saved.gravity != here.gravity) return differs(world, path, "gravity");
  if (saved.materials != here.materials) return differs(world, path, "a material");
  return check_colliders(world, a, path, loose);
}
