// SPDX-License-Identifier: Apache-2.0
#include "cache/frame.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { VTK_POLY_VERTEX = 2 };

// ---------------------------------------------------------------------------------------- writing

static firn_status write_array(firn_archive *archive, const firn_frame_head *head, const char *name,
                               firn_archive_type type, int components, const void *data) {
  return head->packed
             ? firn_archive_write_packed(archive, name, type, head->count, components, data)
             : firn_archive_write(archive, name, type, head->count, components, data);
}

// Every point in one cell: a cell a point would cost 9 bytes more a particle and make ParaView
// slower. ParaView wants offsets and connectivity of one integer type; four bytes do up to 2^31.
static firn_status write_cells(firn_context *context, firn_archive *archive,
                               const firn_frame_head *head) {
  size_t count = head->count;
  if (count > INT32_MAX) {
    return firn_fail(context, FIRN_ERROR_UNSUPPORTED, "a frame of %zu particles: at most %d fit",
                     count, INT32_MAX);
  }
  int64_t points = (int64_t)count, cells = count ? 1 : 0;
  int32_t offsets[2] = {0, (int32_t)count};
  const uint8_t type = VTK_POLY_VERTEX;
  firn_archive_write(archive, "VTKHDF/NumberOfPoints", FIRN_ARCHIVE_I64, 1, 1, &points);
  firn_archive_write(archive, "VTKHDF/NumberOfCells", FIRN_ARCHIVE_I64, 1, 1, &cells);
  firn_archive_write(archive, "VTKHDF/NumberOfConnectivityIds", FIRN_ARCHIVE_I64, 1, 1, &points);
  firn_archive_write(archive, "VTKHDF/Offsets", FIRN_ARCHIVE_I32, (size_t)cells + 1, 1, offsets);
  firn_archive_write(archive, "VTKHDF/Types", FIRN_ARCHIVE_U8, (size_t)cells, 1, &type);

  int32_t *index = firn_alloc(context, count * sizeof *index, "connectivity of a frame");
  if (count && !index) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) index[i] = (int32_t)i;
  firn_status status = write_array(archive, head, "VTKHDF/Connectivity", FIRN_ARCHIVE_I32, 1,
                                   index);
  firn_free(context, index, count * sizeof *index);
  return status;
}

firn_status firn_frame_begin(firn_context *context, const char *path, const firn_frame_head *head,
                             firn_archive **out) {
  firn_archive *archive;
  FIRN_TRY(firn_archive_create(context, path, &archive));
  const int64_t version[2] = {1, 0};
  firn_archive_group(archive, "VTKHDF/PointData");
  firn_archive_set(archive, "VTKHDF", "Version", FIRN_ARCHIVE_I64, 2, version);
  firn_archive_set_text(archive, "VTKHDF", "Type", "UnstructuredGrid");

  int32_t frame = head->frame;
  firn_archive_write(archive, "VTKHDF/FieldData/time", FIRN_ARCHIVE_F64, 1, 1, &head->time);
  if (frame >= 0) {
    firn_archive_write(archive, "VTKHDF/FieldData/frame", FIRN_ARCHIVE_I32, 1, 1, &frame);
  }
  firn_archive_group(archive, "firn");
  firn_archive_set_text(archive, "firn", "version", firn_version());
  if (head->h > 0) firn_archive_set_f64(archive, "firn", "h", head->h);
  if (head->spacing > 0) firn_archive_set_f64(archive, "firn", "spacing", head->spacing);
  if (head->kernel > 0) firn_archive_set_f64(archive, "firn", "kernel", head->kernel);
  for (uint64_t i = 0; i < head->text_count; i++) {
    firn_archive_set_text(archive, "firn", head->text[i].key, head->text[i].value);
  }
  firn_status status = write_cells(context, archive, head);
  if (status != FIRN_OK) {
    firn_archive_close(archive);
    archive = NULL;
  }
  *out = archive;
  return status;
}

firn_status firn_frame_add(firn_archive *archive, const firn_frame_head *head,
                           const firn_frame_array *array) {
  bool position = strcmp(array->name, "position") == 0;
  char name[128];
  snprintf(name, sizeof name, "VTKHDF/PointData/%s", array->name);
  write_array(archive, head, position ? "VTKHDF/Points" : name, array->type, array->components,
              array->data);
  if (position) firn_archive_link(archive, "VTKHDF/Points", name);
  bool unit = array->unit && *array->unit;
  if (array->step > 0) firn_archive_set_f64(archive, name, "step", array->step);
  return firn_archive_set_text(archive, name, "unit", unit ? array->unit : "1");
}

firn_status firn_frame_write(firn_context *context, const char *path, const firn_frame_head *head,
                             int array_count, const firn_frame_array *arrays) {
  firn_archive *archive;
  FIRN_TRY(firn_frame_begin(context, path, head, &archive));
  for (int i = 0; i < array_count; i++) firn_frame_add(archive, head, &arrays[i]);
  return firn_archive_commit(archive);
}

// ---------------------------------------------------------------------------------------- reading

static firn_status check_kind(firn_context *context, firn_archive *archive, const char *path) {
  char type[32];
  if (!firn_archive_has(archive, "VTKHDF")) {
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s is not a frame: it has no group VTKHDF", path);
  }
  FIRN_TRY(firn_archive_get_text(archive, "VTKHDF", "Type", type, sizeof type));
  if (strcmp(type, "UnstructuredGrid") != 0) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is not a frame of particles: its VTKHDF type is %s", path, type);
  }
  return FIRN_OK;
}

static firn_status list_fields(firn_frame *f, const char *path) {
  static const char group[] = "VTKHDF/PointData";
  int count = 0;
  if (firn_archive_has(f->archive, group)) FIRN_TRY(firn_archive_count(f->archive, group, &count));
  if (count > FIRN_FRAME_FIELDS) {
    return firn_fail(f->context, FIRN_ERROR_FORMAT, "%s has %d fields, at most %d are expected",
                     path, count, FIRN_FRAME_FIELDS);
  }
  for (int i = 0; i < count; i++) {
    firn_frame_field *field = &f->field[i];
    char name[2 * FIRN_FRAME_NAME];
    firn_archive_info info;
    FIRN_TRY(firn_archive_name(f->archive, group, i, field->name, sizeof field->name));
    snprintf(name, sizeof name, "%s/%s", group, field->name);
    FIRN_TRY(firn_archive_describe(f->archive, name, &info));
    if (info.count != f->count) {
      return firn_fail(f->context, FIRN_ERROR_FORMAT, "%s: field %s has %zu rows for %zu particles",
                       path, field->name, info.count, f->count);
    }
    field->type = info.type;
    field->components = info.components;
    // Frames of other programs need not say.
    if (firn_archive_has_attribute(f->archive, name, "unit")) {
      FIRN_TRY(firn_archive_get_text(f->archive, name, "unit", field->unit, sizeof field->unit));
    }
  }
  f->field_count = count;
  return FIRN_OK;
}

// These stay as they are when the file does not say.
static firn_status read_text(firn_frame *f, const char *name, char out[FIRN_FRAME_NAME]) {
  if (!firn_archive_has_attribute(f->archive, "firn", name)) return FIRN_OK;
  return firn_archive_get_text(f->archive, "firn", name, out, FIRN_FRAME_NAME);
}

static firn_status read_length(firn_frame *f, const char *name, double *out) {
  if (!firn_archive_has_attribute(f->archive, "firn", name)) return FIRN_OK;
  return firn_archive_get_f64(f->archive, "firn", name, out);
}

static firn_status read_head(firn_frame *f, const char *path) {
  firn_archive_info points;
  FIRN_TRY(check_kind(f->context, f->archive, path));
  FIRN_TRY(firn_archive_describe(f->archive, "VTKHDF/Points", &points));
  if (points.components != 3) {
    return firn_fail(f->context, FIRN_ERROR_FORMAT, "%s: Points has %d components, expected 3",
                     path, points.components);
  }
  f->count = points.count;
  f->time = (double)NAN;
  f->frame = -1;
  if (firn_archive_has(f->archive, "VTKHDF/FieldData/time")) {
    FIRN_TRY(firn_archive_read_as(f->archive, "VTKHDF/FieldData/time", FIRN_ARCHIVE_F64, 1, 1,
                                  &f->time));
  }
  if (firn_archive_has(f->archive, "VTKHDF/FieldData/frame")) {
    int32_t number;
    FIRN_TRY(firn_archive_read_as(f->archive, "VTKHDF/FieldData/frame", FIRN_ARCHIVE_I32, 1, 1,
                                  &number));
    f->frame = number;
  }
  FIRN_TRY(read_length(f, "h", &f->h));
  // Frames of before these were written are all of mpm's.
  f->spacing = f->h / 2;
  f->kernel = f->h;
  FIRN_TRY(read_length(f, "spacing", &f->spacing));
  FIRN_TRY(read_length(f, "kernel", &f->kernel));
  FIRN_TRY(read_text(f, "solver", f->solver));
  FIRN_TRY(read_text(f, "precision", f->precision));
  FIRN_TRY(firn_frame_read_bodies(f));
  FIRN_TRY(list_fields(f, path));
  return firn_archive_check_read(f->archive);
}

firn_status firn_frame_open(firn_context *context, const char *path, firn_frame **out) {
  if (!context || !path || !out) return firn_fail_null(context, "firn_frame_open");
  *out = NULL;
  firn_frame *f = firn_alloc_zero(context, sizeof *f, "a frame");
  if (!f) return FIRN_ERROR_MEMORY;
  f->context = context;
  firn_status status = firn_archive_open(context, path, &f->archive);
  if (status == FIRN_OK) status = read_head(f, path);
  if (status != FIRN_OK) {
    firn_frame_close(f);
    return status;
  }
  *out = f;
  return FIRN_OK;
}

void firn_frame_close(firn_frame *f) {
  if (!f) return;
  firn_archive_close(f->archive);
  firn_free(f->context, f->body, f->body_count * sizeof *f->body);
  firn_free(f->context, f, sizeof *f);
}

const firn_frame_field *firn_frame_find(const firn_frame *f, const char *name) {
  for (int i = 0; i < f->field_count; i++) {
    if (strcmp(f->field[i].name, name) == 0) return &f->field[i];
  }
  return NULL;
}

firn_status firn_frame_read(firn_frame *f, const char *name, int components, firn_archive_type type,
                            void *data) {
  if (strcmp(name, "position") == 0) {
    return firn_archive_read_as(f->archive, "VTKHDF/Points", type, f->count, components, data);
  }
  char path[2 * FIRN_FRAME_NAME];
  snprintf(path, sizeof path, "VTKHDF/PointData/%s", name);
  return firn_archive_read_as(f->archive, path, type, f->count, components, data);
}
