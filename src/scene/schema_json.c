// SPDX-License-Identifier: Apache-2.0
// The schema as JSON Schema, draft 2020-12: editors that know YAML complete and check scenes by it.
// It is a little wider than the reader, which also checks units and how values fit each other.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "scene/schema_write.h"

#define PUT firn_schema_put

// Texts of the schema hold no control characters; quotes and backslashes they may.
static void put_string(const firn_schema_writer *w, const char *text) {
  char out[600];
  size_t used = 0;
  out[used++] = '"';
  for (const char *c = text; *c && used < sizeof out - 4; c++) {
    if (*c == '"' || *c == '\\') out[used++] = '\\';
    out[used++] = *c;
  }
  out[used++] = '"';
  out[used] = 0;
  w->write(w->user, out);
}

static void put_number_type(const firn_schema_writer *w, const firn_schema_row *row) {
  firn_interval in = firn_interval_parse(row->range);
  char bound[FIRN_NUMBER_SIZE];
  PUT(w, "{\"type\": \"%s\"", row->type == FIRN_TYPE_INT ? "integer" : "number");
  firn_number_format(bound, 17, in.least);
  if (isfinite(in.least))
    PUT(w, ", \"%s\": %s", in.open_least ? "exclusiveMinimum" : "minimum", bound);
  firn_number_format(bound, 17, in.most);
  if (isfinite(in.most))
    PUT(w, ", \"%s\": %s", in.open_most ? "exclusiveMaximum" : "maximum", bound);
  PUT(w, "}");
}

// A number, or a text: one with a unit, an expression, .inf.
static void put_number(const firn_schema_writer *w, const firn_schema_row *row) {
  PUT(w, "{\"anyOf\": [");
  put_number_type(w, row);
  PUT(w, ", {\"type\": \"string\"}]}");
}

static void put_tuple(const firn_schema_writer *w, const firn_schema_row *row, int count) {
  PUT(w, "{\"type\": \"array\", \"minItems\": %d, \"maxItems\": %d, \"items\": ", count, count);
  put_number(w, row);
  PUT(w, "}");
}

static void put_words(const firn_schema_writer *w, const firn_schema_row *row) {
  char word[64];
  PUT(w, "{\"enum\": [");
  for (int i = 0; firn_schema_row_choice(row, i, word, sizeof word); i++) {
    double number;
    // `precision: 16` is a number to YAML.
    if (firn_number_is(word, &number))
      PUT(w, "%s%s, \"%s\"", i ? ", " : "", word, word);
    else
      PUT(w, "%s\"%s\"", i ? ", " : "", word);
  }
  PUT(w, "]}");
}

static void put_reference(const firn_schema_writer *w, const firn_schema_record *record) {
  char slug[64];
  firn_schema_slug(record, slug, sizeof slug);
  PUT(w, "{\"$ref\": \"#/$defs/%s\"}", slug);
}

static void put_type(const firn_schema_writer *w, const firn_schema_row *row) {
  switch (row->type) {
  case FIRN_TYPE_BOOL: PUT(w, "{\"type\": \"boolean\"}"); break;
  case FIRN_TYPE_INT:
  case FIRN_TYPE_REAL: put_number(w, row); break;
  case FIRN_TYPE_VEC2:
  case FIRN_TYPE_RANGE: put_tuple(w, row, 2); break;
  case FIRN_TYPE_VEC3: put_tuple(w, row, 3); break;
  case FIRN_TYPE_FORMULAS: put_tuple(w, row, row->width); break;
  case FIRN_TYPE_NUMBERS:
    PUT(w, "{\"type\": \"array\", \"items\": ");
    if (row->width)
      put_tuple(w, row, row->width);
    else
      put_number(w, row);
    PUT(w, "}");
    break;
  case FIRN_TYPE_TEXT:
  case FIRN_TYPE_PATH:
  case FIRN_TYPE_MATERIAL: PUT(w, "{\"type\": [\"string\", \"number\"]}"); break;
  case FIRN_TYPE_PATHS: PUT(w, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"); break;
  case FIRN_TYPE_ENUM: put_words(w, row); break;
  case FIRN_TYPE_WORDS:
    PUT(w, "{\"anyOf\": [");
    put_words(w, row);
    PUT(w, ", {\"type\": \"array\", \"items\": ");
    put_words(w, row);
    PUT(w, "}]}");
    break;
  case FIRN_TYPE_ANYTHING: PUT(w, "{}"); break;
  case FIRN_TYPE_RECORD:
  case FIRN_TYPE_CHOICE: put_reference(w, row->record); break;
  case FIRN_TYPE_LIST:
  case FIRN_TYPE_CHOICES:
    PUT(w, "{\"type\": [\"array\", \"null\"], \"items\": {\"anyOf\": [");
    put_reference(w, row->record);
    PUT(w, ", {\"$ref\": \"#/$defs/variable\"}]}}");
    break;
  case FIRN_TYPE_TABLE:
    PUT(w, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
    put_reference(w, row->record);
    PUT(w, "}");
    break;
  }
}

static void put_row(const firn_schema_writer *w, const firn_schema_row *row) {
  char expected[400], text[600];
  firn_schema_expect(row, expected, sizeof expected);
  snprintf(text, sizeof text, "%s. Expects %s.", firn_schema_doc(row), expected);
  PUT(w, "        \"%s\": {\"description\": ", row->key);
  put_string(w, text);
  if (row->initial) {
    PUT(w, ", \"default\": ");
    put_string(w, row->initial);
  }
  PUT(w, ", \"anyOf\": [");
  put_type(w, row);
  PUT(w, ", {\"$ref\": \"#/$defs/variable\"}");
  if (row->keyed) PUT(w, ", {\"$ref\": \"#/$defs/keyed\"}");
  PUT(w, "]}");
}

// Whether the record is used as {kind: {...}}: exactly one of its keys, besides modifiers.
static bool is_choice(const firn_schema_record *record) {
  return record == &firn_schema_shape;
}

// Each group with required rows: one of them must be there.
static void put_groups(const firn_schema_writer *w, const firn_schema_record *record) {
  bool first = true;
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *row = &record->rows[i];
    if (!row->group || !row->required) continue;
    bool told = false;
    for (int k = 0; k < i; k++)
      told = told || (record->rows[k].group && record->rows[k].required &&
                      strcmp(record->rows[k].group, row->group) == 0);
    if (told) continue;
    PUT(w, "%s{\"anyOf\": [", first ? ",\n      \"allOf\": [" : ", ");
    first = false;
    bool more = false;
    for (int k = i; k < record->count; k++) {
      const firn_schema_row *other = &record->rows[k];
      if (!other->group || strcmp(other->group, row->group) != 0) continue;
      PUT(w, "%s{\"required\": [\"%s\"]}", more ? ", " : "", other->key);
      more = true;
    }
    if (record == &firn_schema_root) PUT(w, ", {\"required\": [\"include\"]}");
    PUT(w, "]}");
  }
  if (!first) PUT(w, "]");
}

static void put_record(const firn_schema_writer *w, const firn_schema_record *record) {
  char slug[64];
  firn_schema_slug(record, slug, sizeof slug);
  bool any_required = false;
  for (int i = 0; i < record->count; i++) any_required = any_required || record->rows[i].required;
  bool choice = is_choice(record);
  PUT(w, "    \"%s\": {\n      \"type\": %s,\n", slug,
      any_required || choice ? "\"object\"" : "[\"object\", \"null\"]");
  PUT(w, "      \"additionalProperties\": false,\n      \"properties\": {\n");
  for (int i = 0; i < record->count; i++) {
    if (i) PUT(w, ",\n");
    put_row(w, &record->rows[i]);
  }
  PUT(w, "\n      }");
  bool first = true;
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *row = &record->rows[i];
    if (!row->required || row->group) continue;
    PUT(w, "%s\"%s\"", first ? ",\n      \"required\": [" : ", ", row->key);
    first = false;
  }
  if (!first) PUT(w, "]");
  put_groups(w, record);
  if (choice) {
    PUT(w, ",\n      \"oneOf\": [");
    for (int i = 0; i < record->count && !record->rows[i].modifier; i++)
      PUT(w, "%s{\"required\": [\"%s\"]}", i ? ", " : "", record->rows[i].key);
    PUT(w, "]");
  }
  PUT(w, "\n    }");
}

void firn_scene_schema(firn_text_fn write, void *user) {
  firn_schema_writer w = {write, user};
  firn_schema_records all = firn_schema_collect();
  PUT(&w, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
  PUT(&w, "  \"title\": \"firn scene\",\n  \"$ref\": \"#/$defs/scene\",\n  \"$defs\": {\n");
  PUT(&w, "    \"variable\": {\"type\": \"string\", \"pattern\": \"\\\\$\\\\{\"},\n");
  PUT(&w,
      "    \"keyed\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n");
  PUT(&w, "      \"required\": [\"keys\"],\n      \"properties\": {\n");
  PUT(&w, "        \"keys\": {\"anyOf\": [{\"$ref\": \"#/$defs/variable\"}, {\"type\": \"array\", "
          "\"minItems\": 1}]},\n");
  PUT(&w, "        \"interpolate\": {\"enum\": [\"linear\", \"spline\", \"step\"]},\n");
  PUT(&w, "        \"loop\": {\"type\": \"boolean\"}\n      }\n    }");
  for (int i = 0; i < all.count; i++) {
    PUT(&w, ",\n");
    put_record(&w, all.record[i]);
  }
  PUT(&w, "\n  }\n}\n");
}
