// SPDX-License-Identifier: Apache-2.0
#include "cache/archive_memory.h"

#include <string.h>

#include "base/memory.h"
#include "cache/shelf.h"

firn_status firn_memory_write(firn_archive *a, const char *name, firn_archive_info info,
                              const void *data) {
  FIRN_TRY(firn_archive_begin_write(a));
  return firn_archive_end_write(a, firn_shelf_put(a->shelf, a->context, name, info, data));
}

static firn_status name_attribute(const firn_archive *a, const char *object, const char *name,
                                  char out[FIRN_SHELF_NAME]) {
  if (firn_shelf_attribute(object, name, out)) return FIRN_OK;
  return firn_fail(a->context, FIRN_ERROR_ARGUMENT,
                   "%s: the name of attribute %s of %s is too long", a->path, name, object);
}

firn_status firn_memory_set(firn_archive *a, const char *object, const char *name,
                            firn_archive_info info, const void *data) {
  char key[FIRN_SHELF_NAME];
  FIRN_TRY(name_attribute(a, object, name, key));
  return firn_memory_write(a, key, info, data);
}

firn_status firn_memory_refuse(const firn_archive *a, const char *what) {
  return firn_fail(a->context, FIRN_ERROR_UNSUPPORTED, "%s: an archive in memory has no %s",
                   a->path, what);
}

// --------------------------------------------------------------------------------------- reading

static firn_status find(firn_archive *a, const char *name, const firn_shelf_item **out) {
  *out = firn_shelf_find(a->shelf, name);
  if (*out) return FIRN_OK;
  return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: there is no array %s", a->path, name);
}

static firn_status find_attribute(firn_archive *a, const char *object, const char *name,
                                  const firn_shelf_item **out) {
  char key[FIRN_SHELF_NAME];
  FIRN_TRY(name_attribute(a, object, name, key));
  *out = firn_shelf_find(a->shelf, key);
  if (*out) return FIRN_OK;
  return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: %s has no attribute %s", a->path, object,
                   name);
}

bool firn_memory_has_attribute(firn_archive *a, const char *object, const char *name) {
  char key[FIRN_SHELF_NAME];
  return firn_shelf_attribute(object, name, key) && firn_shelf_find(a->shelf, key);
}

firn_status firn_memory_describe(firn_archive *a, const char *name, firn_archive_info *out) {
  const firn_shelf_item *item;
  FIRN_TRY(find(a, name, &item));
  *out = item->info;
  return FIRN_OK;
}

static void copy_out(const firn_shelf_item *item, void *data) {
  const firn_archive_info *info = &item->info;
  size_t size = info->count * (size_t)info->components * firn_archive_type_size(info->type);
  if (size) memcpy(data, item->data, size);
}

firn_status firn_memory_read(firn_archive *a, const char *name, firn_archive_info info,
                             void *data) {
  const firn_shelf_item *item;
  FIRN_TRY(find(a, name, &item));
  if (item->info.count != info.count || item->info.components != info.components) {
    return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: array %s is [%zu][%d], expected [%zu][%d]",
                     a->path, name, item->info.count, item->info.components, info.count,
                     info.components);
  }
  if (item->info.type != info.type) {
    return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: array %s holds %s, expected %s", a->path,
                     name, firn_archive_type_name(item->info.type),
                     firn_archive_type_name(info.type));
  }
  copy_out(item, data);
  return FIRN_OK;
}

firn_status firn_memory_get(firn_archive *a, const char *object, const char *name,
                            firn_archive_type type, void *value) {
  const firn_shelf_item *item;
  FIRN_TRY(find_attribute(a, object, name, &item));
  if (item->info.type != type || item->info.count != 1) {
    return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: attribute %s of %s is not one %s", a->path,
                     name, object, firn_archive_type_name(type));
  }
  copy_out(item, value);
  return FIRN_OK;
}

firn_status firn_memory_get_text(firn_archive *a, const char *object, const char *name, char *text,
                                 size_t size) {
  const firn_shelf_item *item;
  FIRN_TRY(find_attribute(a, object, name, &item));
  if (item->info.type != FIRN_ARCHIVE_U8 || item->info.count >= size) {
    return firn_fail(a->context, FIRN_ERROR_FORMAT,
                     "%s: attribute %s of %s is not a text of at most %zu bytes", a->path, name,
                     object, size - 1);
  }
  copy_out(item, text);
  text[item->info.count] = 0;
  return FIRN_OK;
}

firn_status firn_memory_count(firn_archive *a, const char *group, int *count) {
  *count = firn_shelf_count(a->shelf, group);
  if (*count || firn_shelf_has(a->shelf, group)) return FIRN_OK;
  return firn_fail(a->context, FIRN_ERROR_FORMAT, "%s: there is no group %s", a->path, group);
}
