// SPDX-License-Identifier: Apache-2.0
#include "scene/schema_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(firn_schema_records *all, const firn_schema_record *record) {
  for (int i = 0; i < all->count; i++)
    if (all->record[i] == record) return;
  if (all->count < FIRN_SCHEMA_RECORDS) all->record[all->count++] = record;
}

firn_schema_records firn_schema_collect(void) {
  firn_schema_records all = {.record = {&firn_schema_root}, .count = 1};
  for (int i = 0; i < all.count; i++)
    for (int k = 0; k < all.record[i]->count; k++)
      if (all.record[i]->rows[k].record) add(&all, all.record[i]->rows[k].record);
  return all;
}

void firn_schema_slug(const firn_schema_record *record, char *text, size_t size) {
  const char *space = strchr(record->name, ' ');
  snprintf(text, size, "%s", space ? space + 1 : record->name);
  for (char *c = text; *c; c++)
    if (*c == ' ') *c = '-';
}

void firn_schema_put(const firn_schema_writer *w, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  w->write(w->user, text);
}
