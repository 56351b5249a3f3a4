// SPDX-License-Identifier: Apache-2.0
// The schema as a page: docs/scene-reference.md.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "scene/schema_write.h"

#define PUT firn_schema_put

// Bars would end a cell of the table.
static void put_cell(const firn_schema_writer *w, const char *text) {
  char out[600];
  size_t used = 0;
  for (const char *c = text; *c && used < sizeof out - 3; c++) {
    if (*c == '|') out[used++] = '\\';
    out[used++] = *c;
  }
  out[used] = 0;
  w->write(w->user, out);
}

static void put_link(const firn_schema_writer *w, const firn_schema_record *record) {
  char slug[64];
  firn_schema_slug(record, slug, sizeof slug);
  PUT(w, "[%s](#%s)", record->name, slug);
}

static void put_expected(const firn_schema_writer *w, const firn_schema_row *row) {
  char expected[400], word[64];
  switch (row->type) {
  case FIRN_TYPE_RECORD: put_link(w, row->record); return;
  case FIRN_TYPE_CHOICE: put_link(w, row->record); return;
  case FIRN_TYPE_LIST:
  case FIRN_TYPE_CHOICES:
    PUT(w, "a list, each ");
    put_link(w, row->record);
    return;
  case FIRN_TYPE_TABLE:
    PUT(w, "a map of names, each ");
    put_link(w, row->record);
    return;
  case FIRN_TYPE_WORDS:
  case FIRN_TYPE_ENUM:
    if (row->type == FIRN_TYPE_WORDS) PUT(w, "a list of ");
    for (int i = 0; firn_schema_row_choice(row, i, word, sizeof word); i++)
      PUT(w, "%s`%s`", i ? ", " : "", word);
    return;
  case FIRN_TYPE_ANYTHING: PUT(w, "see [scenes.md](scenes.md)"); return;
  default: break;
  }
  firn_schema_expect(row, expected, sizeof expected);
  put_cell(w, expected);
}

// "instead of `h`": the other keys of a group.
static void put_rivals(const firn_schema_writer *w, const firn_schema_record *record,
                       const firn_schema_row *row) {
  bool first = true;
  for (int i = 0; row->group && i < record->count; i++) {
    const firn_schema_row *other = &record->rows[i];
    if (other == row || !other->group || strcmp(other->group, row->group) != 0) continue;
    PUT(w, "%s`%s`", first ? "; instead of " : ", ", other->key);
    first = false;
  }
}

static void put_row(const firn_schema_writer *w, const firn_schema_record *record,
                    const firn_schema_row *row) {
  PUT(w, "| `%s` | ", row->key);
  put_expected(w, row);
  PUT(w, " | ");
  if (row->required)
    PUT(w, "required");
  else if (row->initial && *row->initial)
    PUT(w, "`%s`", row->initial);
  PUT(w, " | ");
  put_cell(w, firn_schema_doc(row));
  put_rivals(w, record, row);
  if (row->when) PUT(w, " (`law: %s`)", strchr(row->when, '=') + 1);
  if (row->keyed) PUT(w, " (*keyed*)");
  PUT(w, " |\n");
}

static void put_record(const firn_schema_writer *w, const firn_schema_record *record) {
  char slug[64];
  firn_schema_slug(record, slug, sizeof slug);
  PUT(w, "\n## %s\n\n", slug);
  if (record == &firn_schema_shape)
    PUT(w, "A map with one of these keys; `scale`, `rotate` and `move` may stand beside it.\n\n");
  PUT(w, "| key | expects | default | |\n|---|---|---|---|\n");
  for (int i = 0; i < record->count; i++) put_row(w, record, &record->rows[i]);
}

void firn_scene_reference(firn_text_fn write, void *user) {
  firn_schema_writer w = {write, user};
  firn_schema_records all = firn_schema_collect();
  PUT(&w, "# Keys of scene files\n\n");
  PUT(&w, "Written by `firn scenes --reference` from the table that reads scenes; [scenes.md]"
          "(scenes.md) is the\nguide. Numbers may carry a unit, as `5 mm`, and may be expressions; "
          "bare ones are in the unit given\nhere. *Keyed* values may change with time: `{keys: "
          "[[0 s, 1], [2 s, 3]], interpolate: linear, loop: false}`.\n");
  for (int i = 0; i < all.count; i++) put_record(&w, all.record[i]);
  PUT(&w, "\n## presets\n\nMaterials that need no entry in `materials`:\n\n");
  for (int i = 0; firn_material_preset_name(i); i++)
    PUT(&w, "- `%s`: %s\n", firn_material_preset_name(i), firn_material_preset_doc(i));
}
