// SPDX-License-Identifier: Apache-2.0
// Questions to the schema.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "scene/nearest.h"
#include "scene/schema.h"

// Shapes contain shapes; this deep is deep enough to be helpful.
enum { LOCATE_DEPTH = 4 };

typedef struct search {
  firn_nearest nearest;
  char *path; // of the best so far
  size_t size;
} search;

static void locate(search *s, const firn_schema_record *record, const char *prefix, int depth) {
  for (int i = 0; i < record->count; i++) {
    int before = s->nearest.distance;
    firn_nearest_offer(&s->nearest, record->rows[i].key);
    if (s->nearest.distance < before)
      snprintf(s->path, s->size, "%s%s", prefix, record->rows[i].key);
  }
  for (int i = 0; i < record->count && depth < LOCATE_DEPTH; i++) {
    const firn_schema_row *row = &record->rows[i];
    if (!row->record) continue;
    const char *item = row->type == FIRN_TYPE_LIST      ? "[]"
                       : row->type == FIRN_TYPE_CHOICES ? "[]"
                       : row->type == FIRN_TYPE_TABLE   ? ".*"
                                                        : "";
    char deeper[160];
    snprintf(deeper, sizeof deeper, "%.100s%s%s.", prefix, row->key, item);
    locate(s, row->record, deeper, depth + 1);
  }
}

bool firn_schema_locate(const firn_schema_record *record, const char *key, bool *same, char *path,
                        size_t size) {
  search s = {.nearest = firn_nearest_begin(key), .path = path, .size = size};
  locate(&s, record, "", 0);
  *same = s.nearest.distance == 0;
  return s.nearest.distance < FIRN_NEAREST_CONTINUES;
}

// "above 0", "at least 0 and below 1", or nothing for an unbounded range.
static void interval_words(const firn_schema_row *row, char *text, size_t size) {
  firn_interval in = firn_interval_parse(row->range);
  const char *unit = firn_dimension_unit(row->dimension);
  const char *gap = *unit ? " " : "";
  char low[64] = "", high[64] = "", least[FIRN_NUMBER_SIZE], most[FIRN_NUMBER_SIZE];
  firn_number_format(least, 16, in.least);
  firn_number_format(most, 16, in.most);
  if (isfinite(in.least))
    snprintf(low, sizeof low, " %s %s%s%s", in.open_least ? "above" : "of at least", least,
             in.least != 0 ? gap : "", in.least != 0 ? unit : "");
  if (isfinite(in.most))
    snprintf(high, sizeof high, "%s %s %s%s%s", *low ? " and" : "",
             in.open_most ? "below" : "at most", most, gap, unit);
  if (in.least == in.most)
    snprintf(text, size, " equal to %s", least);
  else
    snprintf(text, size, "%s%s", low, high);
  size_t length = strlen(text);
  if (length && text[length - 1] == ' ') text[length - 1] = 0;
}

static void unit_words(const firn_schema_row *row, char *text, size_t size) {
  const char *unit = firn_dimension_unit(row->dimension);
  snprintf(text, size, *unit ? " (unit %s)" : "%s", unit);
}

void firn_schema_expect(const firn_schema_row *row, char *text, size_t size) {
  char bounds[160], unit[32], word[64];
  interval_words(row, bounds, sizeof bounds);
  unit_words(row, unit, sizeof unit);
  const char *quantity = row->dimension ? firn_dimension_name(row->dimension) : "a number";
  switch (row->type) {
  case FIRN_TYPE_BOOL: snprintf(text, size, "true or false"); break;
  case FIRN_TYPE_INT: snprintf(text, size, "a whole number%s", bounds); break;
  case FIRN_TYPE_REAL: snprintf(text, size, "%s%s%s", quantity, bounds, unit); break;
  case FIRN_TYPE_VEC2:
    snprintf(text, size, "a list of two, each %s%s%s", quantity, bounds, unit);
    break;
  case FIRN_TYPE_VEC3:
    snprintf(text, size, "a list [x, y, z], each %s%s%s", quantity, bounds, unit);
    break;
  case FIRN_TYPE_NUMBERS:
    snprintf(text, size, row->width == 2 ? "a list of [x, y], each %s%s%s" : "a list, each %s%s%s",
             quantity, bounds, unit);
    break;
  case FIRN_TYPE_FORMULAS:
    snprintf(text, size, "a list [%s], each %s%s%s or an expression of x, y and z",
             row->width == 6 ? "xx, yy, zz, xy, xz, yz" : "x, y, z", quantity, bounds, unit);
    break;
  case FIRN_TYPE_PATH: snprintf(text, size, "the name of a file"); break;
  case FIRN_TYPE_PATHS: snprintf(text, size, "a list of names of files"); break;
  case FIRN_TYPE_ANYTHING: snprintf(text, size, "what docs/scenes.md says"); break;
  case FIRN_TYPE_RANGE:
    snprintf(text, size, "a list [least, most], each %s%s%s", quantity, bounds, unit);
    break;
  case FIRN_TYPE_TEXT: snprintf(text, size, "a text"); break;
  case FIRN_TYPE_WORDS:
  case FIRN_TYPE_ENUM: {
    size_t used = (size_t)snprintf(text, size,
                                   row->type == FIRN_TYPE_ENUM ? "one of " : "a list of ");
    for (int i = 0; used < size && firn_schema_row_choice(row, i, word, sizeof word); i++)
      used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", word);
    break;
  }
  case FIRN_TYPE_MATERIAL: snprintf(text, size, "the name of a material"); break;
  case FIRN_TYPE_RECORD:
    snprintf(text, size, "a map with the keys of %s", row->record->name);
    break;
  case FIRN_TYPE_LIST:
  case FIRN_TYPE_CHOICES: snprintf(text, size, "a list, each item %s", row->record->name); break;
  case FIRN_TYPE_TABLE:
    snprintf(text, size, "a map from names, each to %s", row->record->name);
    break;
  case FIRN_TYPE_CHOICE: {
    // The first few kinds tell what is meant; all of them would be a page.
    size_t used = (size_t)snprintf(text, size, "a map with one key:");
    int shown = row->record->count < 9 ? row->record->count : 4;
    for (int i = 0; i < shown && used < size; i++)
      used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "",
                               row->record->rows[i].key);
    if (shown < row->record->count && used < size)
      snprintf(text + used, size - used, " or another kind of %s", row->record->name + 2);
    break;
  }
  }
}
