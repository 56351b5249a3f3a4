// SPDX-License-Identifier: Apache-2.0
#include "cache/shelf.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

struct firn_shelf {
  firn_shelf_item *item; // [count]
  size_t count;
  size_t
      next; // where the next search begins: things are read in the order in which they were written
};

static size_t bytes_of(const firn_shelf_item *item) {
  return item->info.count * (size_t)item->info.components * firn_archive_type_size(item->info.type);
}

firn_status firn_shelf_make(firn_context *context, firn_shelf **out) {
  *out = firn_alloc_zero(context, sizeof **out, "an archive in memory");
  return *out ? FIRN_OK : FIRN_ERROR_MEMORY;
}

void firn_shelf_free(firn_shelf *shelf, firn_context *context) {
  if (!shelf) return;
  for (size_t i = 0; i < shelf->count; i++)
    firn_free(context, shelf->item[i].data, bytes_of(&shelf->item[i]));
  firn_free(context, shelf->item, firn_room(shelf->count) * sizeof *shelf->item);
  firn_free(context, shelf, sizeof *shelf);
}

const firn_shelf_item *firn_shelf_find(firn_shelf *shelf, const char *name) {
  for (size_t n = 0; n < shelf->count; n++) {
    size_t i = (shelf->next + n) % shelf->count;
    if (strcmp(shelf->item[i].name, name) != 0) continue;
    shelf->next = i + 1;
    return &shelf->item[i];
  }
  return NULL;
}

firn_status firn_shelf_put(firn_shelf *shelf, firn_context *context, const char *name,
                           firn_archive_info info, const void *data) {
  firn_shelf_item item = {.info = info};
  size_t size = bytes_of(&item);
  if (strlen(name) >= sizeof item.name) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: the name of an array is longer than %zu",
                     name, sizeof item.name - 1);
  }
  memcpy(item.name, name, strlen(name) + 1);
  item.data = firn_alloc(context, size, name);
  if (size && !item.data) return FIRN_ERROR_MEMORY;
  firn_shelf_item *all = firn_grow(context, shelf->item, shelf->count, sizeof item, name);
  if (!all) {
    firn_free(context, item.data, size);
    return FIRN_ERROR_MEMORY;
  }
  if (size) memcpy(item.data, data, size);
  all[shelf->count++] = item;
  shelf->item = all;
  return FIRN_OK;
}

// What follows a name's beginning, if it begins with that.
static const char *rest_of(const char *name, const char *start) {
  size_t length = strlen(start);
  return strncmp(name, start, length) == 0 ? name + length : NULL;
}

bool firn_shelf_has(firn_shelf *shelf, const char *object) {
  if (firn_shelf_find(shelf, object)) return true;
  for (size_t i = 0; i < shelf->count; i++) {
    const char *rest = rest_of(shelf->item[i].name, object);
    if (rest && (*rest == '/' || *rest == '@')) return true;
  }
  return false;
}

int firn_shelf_count(const firn_shelf *shelf, const char *group) {
  int count = 0;
  for (size_t i = 0; i < shelf->count; i++) {
    const char *rest = rest_of(shelf->item[i].name, group);
    count += rest && *rest == '/' && !strpbrk(rest + 1, "/@");
  }
  return count;
}

bool firn_shelf_attribute(const char *object, const char *name, char out[FIRN_SHELF_NAME]) {
  int length = snprintf(out, FIRN_SHELF_NAME, "%s@%s", object, name);
  return length > 0 && length < FIRN_SHELF_NAME;
}
