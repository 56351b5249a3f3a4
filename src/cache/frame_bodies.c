// SPDX-License-Identifier: Apache-2.0
// Bodies in a frame file: a row for each part of a collider, a dataset for each of its numbers.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cache/frame.h"

#define GROUP "firn/bodies"

static const struct {
  const char *name, *unit;
  firn_archive_type type;
  int components;
  size_t offset; // in a firn_frame_body
} columns[] = {
    {"collider", NULL, FIRN_ARCHIVE_I32, 1, offsetof(firn_frame_body, collider)},
    {"part", NULL, FIRN_ARCHIVE_I32, 1, offsetof(firn_frame_body, part)},
    {"shape", NULL, FIRN_ARCHIVE_U64, 1, offsetof(firn_frame_body, shape)},
    {"rotation", NULL, FIRN_ARCHIVE_F64, 4, offsetof(firn_frame_body, rotation)},
    {"shift", "m", FIRN_ARCHIVE_F64, 3, offsetof(firn_frame_body, shift)},
    {"pivot", "m", FIRN_ARCHIVE_F64, 3, offsetof(firn_frame_body, pivot)},
    {"velocity", "m/s", FIRN_ARCHIVE_F64, 3, offsetof(firn_frame_body, velocity)},
    {"spin", "rad/s", FIRN_ARCHIVE_F64, 3, offsetof(firn_frame_body, spin)},
};
enum { COLUMNS = sizeof columns / sizeof *columns, WIDEST = 4 * sizeof(double) };

// One column from or to the file, through scratch of count * WIDEST bytes.
static firn_status visit(firn_archive *archive, int c, bool load, size_t count,
                         firn_frame_body *body, char *scratch) {
  char name[64];
  size_t size = (size_t)columns[c].components * firn_archive_type_size(columns[c].type);
  snprintf(name, sizeof name, GROUP "/%s", columns[c].name);
  if (load)
    FIRN_TRY(firn_archive_read_as(archive, name, columns[c].type, count, columns[c].components,
                                  scratch));
  for (size_t i = 0; i < count; i++) {
    char *in_row = (char *)&body[i] + columns[c].offset, *in_column = scratch + i * size;
    memcpy(load ? in_row : in_column, load ? in_column : in_row, size);
  }
  if (load) return FIRN_OK;
  FIRN_TRY(
      firn_archive_write(archive, name, columns[c].type, count, columns[c].components, scratch));
  return columns[c].unit ? firn_archive_set_text(archive, name, "unit", columns[c].unit) : FIRN_OK;
}

static firn_status visit_all(firn_context *context, firn_archive *archive, bool load, size_t count,
                             firn_frame_body *body) {
  char *scratch = firn_alloc(context, count * WIDEST, "bodies of a frame");
  firn_status status = count && !scratch ? FIRN_ERROR_MEMORY : FIRN_OK;
  for (int c = 0; status == FIRN_OK && c < COLUMNS; c++)
    status = visit(archive, c, load, count, body, scratch);
  firn_free(context, scratch, count * WIDEST);
  return status;
}

firn_status firn_frame_add_bodies(firn_context *context, firn_archive *archive, size_t count,
                                  firn_frame_body *body) {
  return count ? visit_all(context, archive, false, count, body) : FIRN_OK;
}

firn_status firn_frame_read_bodies(firn_frame *f) {
  firn_archive_info info;
  if (!firn_archive_has(f->archive, GROUP)) return FIRN_OK;
  FIRN_TRY(firn_archive_describe(f->archive, GROUP "/collider", &info));
  f->body = firn_alloc(f->context, info.count * sizeof *f->body, "bodies of a frame");
  if (info.count && !f->body) return FIRN_ERROR_MEMORY;
  f->body_count = info.count;
  return visit_all(f->context, f->archive, true, info.count, f->body);
}
