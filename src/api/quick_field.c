// SPDX-License-Identifier: Apache-2.0
#include "api/quick_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "cache/frame.h"

enum { MOST_SAMPLES = 32768, MOST_COMPONENTS = 9 };

// How the numbers of a particle become one.
typedef enum reading { LENGTH, PART, PRESSURE } reading;

typedef struct question {
  char field[FIRN_FRAME_NAME];
  reading how;
  int part;
} question;

// "stress.xy": the place of a part in a field of so many numbers; -1: none.
static int part_of(const char *name, int components) {
  static const char *const three[] = {"x", "y", "z"}, *const six[] = {"xx", "yy", "zz",
                                                                      "xy", "xz", "yz"};
  const char *const *names = components == 3 ? three : components == 6 ? six : NULL;
  for (int i = 0; names && i < components; i++)
    if (strcmp(names[i], name) == 0) return i;
  char *end;
  long i = strtol(name, &end, 10);
  return end != name && !*end && i >= 0 && i < components ? (int)i : -1;
}

static firn_status fail_field(const firn_frame *frame, const char *color) {
  char list[600] = "";
  for (int i = 0; i < frame->field_count; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", frame->field[i].name);
  }
  return firn_fail(
      frame->context, FIRN_ERROR_ARGUMENT,
      "the frame has no '%s' to colour by; it has %s. Scenes choose with output.fields", color,
      list);
}

static firn_status understand(const firn_frame *frame, const char *color, question *out) {
  *out = (question){.how = LENGTH};
  const char *dot = strchr(color, '.');
  snprintf(out->field, sizeof out->field, "%.*s", dot ? (int)(dot - color) : 60, color);
  if (strcmp(color, "speed") == 0) snprintf(out->field, sizeof out->field, "velocity");
  if (strcmp(color, "pressure") == 0 && !firn_frame_find(frame, "pressure")) {
    snprintf(out->field, sizeof out->field, "stress");
    out->how = PRESSURE;
  }
  const firn_frame_field *field = firn_frame_find(frame, out->field);
  if (!field || field->components > MOST_COMPONENTS) return fail_field(frame, color);
  if (out->how == PRESSURE && field->components != 6) return fail_field(frame, color);
  if (!dot) return FIRN_OK;
  out->how = PART;
  out->part = part_of(dot + 1, field->components);
  if (out->part >= 0) return FIRN_OK;
  return firn_fail(frame->context, FIRN_ERROR_ARGUMENT,
                   "'%s': %s has %d numbers a particle; name one as %s.%s", color, out->field,
                   field->components, out->field,
                   field->components == 3   ? "x, .y or .z"
                   : field->components == 6 ? "xx, .yy, .zz, .xy, .xz or .yz"
                                            : "0");
}

// Six numbers are a symmetric matrix, whose parts off the diagonal count twice.
static float length_of(const float *v, int components) {
  double sum = 0;
  for (int k = 0; k < components; k++)
    sum += (components == 6 && k > 2 ? 2 : 1) * (double)v[k] * (double)v[k];
  return components == 1 ? v[0] : (float)sqrt(sum);
}

static firn_status find_range(firn_quick_field *f, bool from_zero) {
  f->range[1] = 1;
  float *sample = firn_alloc(f->context, MOST_SAMPLES * sizeof *sample, "range of colours");
  if (!sample) return FIRN_ERROR_MEMORY;
  size_t n = 0, step = f->count / MOST_SAMPLES + 1;
  for (size_t i = 0; i < f->count; i += step)
    if (isfinite(f->value[i])) sample[n++] = f->value[i];
  if (n) {
    qsort(sample, n, sizeof *sample, firn_order_floats);
    f->range[0] = from_zero ? 0 : (double)sample[n / 100];
    f->range[1] = (double)sample[n - 1 - n / 100];
  }
  firn_free(f->context, sample, MOST_SAMPLES * sizeof *sample);
  return FIRN_OK;
}

firn_status firn_quick_field_read(firn_frame *frame, const char *color, firn_quick_field *out) {
  *out = (firn_quick_field){.context = frame->context, .count = frame->count};
  question q;
  FIRN_TRY(understand(frame, color, &q));
  const firn_frame_field *field = firn_frame_find(frame, q.field);
  int c = field->components;
  size_t size = frame->count * (size_t)c * sizeof(float);
  snprintf(out->unit, sizeof out->unit, "%.31s", strcmp(field->unit, "1") == 0 ? "" : field->unit);
  float *all = firn_alloc(frame->context, size, "colours of a picture");
  out->value = firn_alloc(frame->context, frame->count * sizeof *out->value,
                          "colours of a picture");
  firn_status status = FIRN_OK;
  if (frame->count && (!all || !out->value)) status = FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = firn_frame_read_float(frame, q.field, all);
  for (size_t i = 0; status == FIRN_OK && i < frame->count; i++) {
    const float *v = all + i * (size_t)c;
    out->value[i] = q.how == PART       ? v[q.part]
                    : q.how == PRESSURE ? -(v[0] + v[1] + v[2]) / 3
                                        : length_of(v, c);
  }
  firn_free(frame->context, all, size);
  if (status == FIRN_OK) status = find_range(out, q.how == LENGTH && c > 1);
  if (status != FIRN_OK) firn_quick_field_free(out);
  return status;
}

void firn_quick_field_free(firn_quick_field *f) {
  firn_free(f->context, f->value, f->count * sizeof *f->value);
  f->value = NULL;
}

firn_status firn_frame_range(firn_frame *frame, const char *color, double out[2]) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!color || !out) return firn_fail_null(frame->context, "firn_frame_range");
  firn_quick_field field;
  FIRN_TRY(firn_quick_field_read(frame, color, &field));
  memcpy(out, field.range, sizeof field.range);
  firn_quick_field_free(&field);
  return FIRN_OK;
}
