// SPDX-License-Identifier: Apache-2.0
// The public face of the frame reader; cache/frame.c does the work.
#include "base/def.h"
#include "cache/frame.h"

size_t firn_frame_count(const firn_frame *frame) {
  return frame ? frame->count : 0;
}

double firn_frame_time(const firn_frame *frame) {
  return frame ? frame->time : 0;
}

double firn_frame_h(const firn_frame *frame) {
  return frame ? frame->h : 0;
}

double firn_frame_spacing(const firn_frame *frame) {
  return frame ? frame->spacing : 0;
}

const firn_frame_body *firn_frame_bodies(const firn_frame *frame, size_t *count) {
  *count = frame ? frame->body_count : 0;
  return frame ? frame->body : NULL;
}

int firn_frame_number(const firn_frame *frame) {
  return frame ? frame->frame : -1;
}

const char *firn_frame_solver(const firn_frame *frame) {
  return frame ? frame->solver : "";
}

const char *firn_frame_precision(const firn_frame *frame) {
  return frame ? frame->precision : "";
}

int firn_frame_field_count(const firn_frame *frame) {
  return frame ? frame->field_count : 0;
}

static firn_field_info info_of(const firn_frame_field *field) {
  return (firn_field_info){.name = field->name,
                           .unit = field->unit[0] ? field->unit : "1",
                           .components = field->components};
}

firn_status firn_frame_field_at_sized(const firn_frame *frame, int i, firn_field_info *out,
                                      size_t size) {
  if (!frame || !out || i < 0 || i >= frame->field_count) return FIRN_ERROR_ARGUMENT;
  const firn_field_info own = info_of(&frame->field[i]);
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}

static const firn_frame_field *find(const firn_frame *frame, const char *name) {
  const firn_frame_field *field = firn_frame_find(frame, name);
  if (!field) firn_fail(frame->context, FIRN_ERROR_ARGUMENT, "the frame has no field '%s'", name);
  return field;
}

firn_status firn_frame_field_named_sized(const firn_frame *frame, const char *name,
                                         firn_field_info *out, size_t size) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!name || !out) return firn_fail_null(frame->context, "firn_frame_field_named");
  const firn_frame_field *field = find(frame, name);
  if (!field) return FIRN_ERROR_ARGUMENT;
  const firn_field_info own = info_of(field);
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}

static firn_status read_as(firn_frame *frame, const char *name, firn_archive_type type, void *out) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!name || (!out && frame->count)) return firn_fail_null(frame->context, "firn_frame_read");
  const firn_frame_field *field = find(frame, name);
  if (!field) return FIRN_ERROR_ARGUMENT;
  return firn_frame_read(frame, name, field->components, type, out);
}

firn_status firn_frame_read_double(firn_frame *frame, const char *field, double *out) {
  return read_as(frame, field, FIRN_ARCHIVE_F64, out);
}

firn_status firn_frame_read_float(firn_frame *frame, const char *field, float *out) {
  return read_as(frame, field, FIRN_ARCHIVE_F32, out);
}
