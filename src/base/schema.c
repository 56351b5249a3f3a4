// SPDX-License-Identifier: Apache-2.0
#include "base/schema.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/isa.h"
#include "base/number.h"

const firn_schema_row *firn_schema_find(const firn_schema_record *record, const char *key) {
  for (int i = 0; i < record->count; i++)
    if (strcmp(record->rows[i].key, key) == 0) return &record->rows[i];
  return NULL;
}

const char *firn_schema_doc(const firn_schema_row *row) {
  return row->doc ? row->doc : row->record->doc;
}

// --------------------------------------------------------------------------- choices and ranges

bool firn_schema_choice(const char *choices, int i, char *buffer, size_t size) {
  for (; i > 0; i--) {
    choices = strchr(choices, '|');
    if (!choices) return false;
    choices++;
  }
  snprintf(buffer, size, "%.*s", (int)strcspn(choices, "|"), choices);
  return true;
}

bool firn_schema_row_choice(const firn_schema_row *row, int i, char *buffer, size_t size) {
  if (row->choices) return firn_schema_choice(row->choices, i, buffer, size);
  const char *word = row->choice(i);
  if (word) snprintf(buffer, size, "%s", word);
  return word != NULL;
}

int firn_schema_chosen(const char *choices, const char *word) {
  char choice[64];
  for (int i = 0; firn_schema_choice(choices, i, choice, sizeof choice); i++)
    if (strcmp(choice, word) == 0) return i;
  return -1;
}

// Reads a bound; returns what follows it.
static const char *bound_parse(const char *text, double *out) {
  while (*text == ' ') text++;
  size_t length = firn_number_read(text, SIZE_MAX, out);
  if (length) return text + length;
  *out = *text == '-' ? -INFINITY : INFINITY;
  return text + (*text == '-' ? 4 : 3);
}

firn_interval firn_interval_parse(const char *range) {
  if (!range) range = "(-inf, inf)";
  firn_interval interval = {0};
  interval.open_least = range[0] == '(';
  const char *end = bound_parse(range + 1, &interval.least);
  end = bound_parse(end + 1, &interval.most);
  interval.open_most = *end == ')';
  return interval;
}

bool firn_interval_holds(const firn_interval *interval, double value) {
  bool above = interval->open_least ? value > interval->least : value >= interval->least;
  bool below = interval->open_most ? value < interval->most : value <= interval->most;
  return above && below;
}

// ------------------------------------------------------------------------------------------ defs

static bool is_number(const firn_schema_row *row) {
  return row->type == FIRN_TYPE_REAL || row->type == FIRN_TYPE_VEC2 ||
         row->type == FIRN_TYPE_VEC3 || row->type == FIRN_TYPE_RANGE;
}

void firn_schema_set(const firn_schema_row *row, void *def, const double *number) {
  char *at = (char *)def + row->offset;
  if (is_number(row)) {
    memcpy(at, number, row->size);
  } else if (row->size == sizeof(bool)) {
    *(bool *)at = number[0] != 0;
  } else if (row->size == sizeof(int)) {
    int whole = (int)number[0];
    memcpy(at, &whole, sizeof whole);
  }
}

// The value of a row with one number, as firn_schema_set takes it.
static double get(const firn_schema_row *row, const void *def, int i) {
  const char *at = (const char *)def + row->offset;
  double number;
  int whole;
  if (is_number(row)) {
    memcpy(&number, at + (size_t)i * sizeof number, sizeof number);
    return number;
  }
  if (row->size == sizeof(bool)) return *(const bool *)at;
  memcpy(&whole, at, sizeof whole);
  return whole;
}

// "0.5 ms", "true", "cubic", or a list of numbers in brackets.
static void initial_of(const firn_schema_row *row, double number[3]) {
  char part[64], why[128];
  const char *text = row->initial;
  if (row->type == FIRN_TYPE_BOOL) {
    number[0] = strcmp(text, "true") == 0;
  } else if (row->type == FIRN_TYPE_ENUM) {
    number[0] = firn_schema_chosen(row->choices, text);
  } else {
    text += strspn(text, "[");
    for (int i = 0; *text && i < 3; i++) {
      size_t length = strcspn(text, ",]");
      snprintf(part, sizeof part, "%.*s", (int)length, text);
      firn_quantity_parse(part, row->dimension, &number[i], why, sizeof why);
      text += length;
      text += strspn(text, ",] ");
    }
  }
}

void firn_schema_defaults(const firn_schema_record *record, void *def) {
  FIRN_FP_SCOPE; // texts become numbers here, and defaults may not depend on a caller's rounding
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *row = &record->rows[i];
    double number[3] = {0};
    if (!row->initial || !row->size) continue;
    initial_of(row, number);
    firn_schema_set(row, def, number);
  }
}

firn_status firn_schema_check(firn_context *context, const char *owner,
                              const firn_schema_record *record, const void *def) {
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *row = &record->rows[i];
    if (!row->size || row->type == FIRN_TYPE_BOOL || row->size == sizeof(bool)) continue;
    firn_interval in = firn_interval_parse(row->range);
    int numbers = is_number(row) ? (int)(row->size / sizeof(double)) : 1;
    for (int k = 0; k < numbers; k++) {
      double value = get(row, def, k);
      char choice[64];
      bool good = row->type == FIRN_TYPE_ENUM
                      ? value >= 0 &&
                            firn_schema_choice(row->choices, (int)value, choice, sizeof choice)
                      : firn_interval_holds(&in, value);
      if (good) continue;
      if (row->choices)
        return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g is not one of %s", owner,
                         row->key, value, row->choices);
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g must lie in %s", owner, row->key,
                       value, row->range ? row->range : "(-inf, inf)");
    }
  }
  return FIRN_OK;
}
