// SPDX-License-Identifier: Apache-2.0
#include "api/preview_field.h"

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
  firn_field_info field;
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

static firn_status fail_field(const firn_picture_source *source, const char *color) {
  char list[600] = "";
  firn_field_info field;
  for (int i = 0; firn_picture_field_at(source, i, &field); i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", field.name);
  }
  return firn_fail(
      source->context, FIRN_ERROR_ARGUMENT,
      "the frame has no '%s' to colour by; it has %s%s. Scenes choose with output.fields", color,
      list, firn_picture_field(source, "velocity", &field) ? ", and so speed" : "");
}

static firn_status understand(const firn_picture_source *source, const char *color, question *out) {
  firn_field_info *field = &out->field;
  char name[FIRN_FRAME_NAME];
  const char *dot = strchr(color, '.');
  out->how = LENGTH;
  snprintf(name, sizeof name, "%.*s", dot ? (int)(dot - color) : 60, color);
  if (strcmp(color, "speed") == 0) snprintf(name, sizeof name, "velocity");
  bool there = firn_picture_field(source, name, field);
  if (!there && strcmp(color, "pressure") == 0) {
    there = firn_picture_field(source, "stress", field) && field->components == 6;
    out->how = PRESSURE;
  }
  if (!there || field->components > MOST_COMPONENTS) return fail_field(source, color);
  if (!dot) return FIRN_OK;
  out->how = PART;
  out->part = part_of(dot + 1, field->components);
  if (out->part >= 0) return FIRN_OK;
  return firn_fail(source->context, FIRN_ERROR_ARGUMENT,
                   "'%s': %s has %d numbers a particle; name one as %s.%s", color, name,
                   field->components, name,
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

static firn_status find_range(firn_preview_field *f, bool from_zero) {
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

firn_status firn_preview_field_read(const firn_picture_source *source, const char *color,
                                    firn_preview_field *out) {
  *out = (firn_preview_field){.context = source->context, .count = source->count};
  question q;
  FIRN_TRY(understand(source, color, &q));
  int c = q.field.components;
  size_t count = source->count, size = count * (size_t)c * sizeof(float);
  snprintf(out->unit, sizeof out->unit, "%.31s",
           strcmp(q.field.unit, "1") == 0 ? "" : q.field.unit);
  float *all = firn_alloc(source->context, size, "colours of a picture");
  out->value = firn_alloc(source->context, count * sizeof *out->value, "colours of a picture");
  firn_status status = count && (!all || !out->value) ? FIRN_ERROR_MEMORY : FIRN_OK;
  if (status == FIRN_OK) status = firn_picture_read(source, &q.field, all);
  for (size_t i = 0; status == FIRN_OK && i < count; i++) {
    const float *v = all + i * (size_t)c;
    out->value[i] = q.how == PART       ? v[q.part]
                    : q.how == PRESSURE ? -(v[0] + v[1] + v[2]) / 3
                                        : length_of(v, c);
  }
  firn_free(source->context, all, size);
  if (status == FIRN_OK) status = find_range(out, q.how == LENGTH && c > 1);
  if (status != FIRN_OK) firn_preview_field_free(out);
  return status;
}

void firn_preview_field_free(firn_preview_field *f) {
  firn_free(f->context, f->value, f->count * sizeof *f->value);
  f->value = NULL;
}

firn_status firn_frame_range(firn_frame *frame, const char *color, double out[2]) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!color || !out) return firn_fail_null(frame->context, "firn_frame_range");
  firn_preview_field field;
  firn_picture_source source = firn_picture_of_frame(frame);
  FIRN_TRY(firn_preview_field_read(&source, color, &field));
  memcpy(out, field.range, sizeof field.range);
  firn_preview_field_free(&field);
  return FIRN_OK;
}
