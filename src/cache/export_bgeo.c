// SPDX-License-Identifier: Apache-2.0
// Houdini's classic binary geometry (.bgeo, version 5), which Houdini still opens and Partio reads.
// Everything is big-endian:
//
//   "Bgeo" 'V' 5 | points, primitives, point groups, primitive groups (int32 each)
//                | attributes of points, vertices, primitives and the whole (int32 each)
//   each point attribute: length of the name (int16), name, components (int16), kind (int32),
//                         default value of each component
//   each point: x y z w, then its attributes
//   0x00 0xff
#include <string.h>

#include "cache/export_points.h"

enum { KIND_FLOAT = 0, KIND_INT = 1, KIND_VECTOR = 5 };

static bool is_float(const firn_cloud_field *field) {
  return field->type == FIRN_ARCHIVE_F32 || field->type == FIRN_ARCHIVE_F64;
}

// The names that Houdini's own nodes look for.
static const char *houdini_name(const char *name) {
  return strcmp(name, "velocity") == 0 ? "v" : name;
}

// A vector turns with its geometry in Houdini; three floats do not.
static uint32_t kind_of(const firn_cloud_field *field) {
  if (!is_float(field)) return KIND_INT;
  return field->components == 3 ? KIND_VECTOR : KIND_FLOAT;
}

static void write_value(firn_sink *sink, const firn_cloud_field *field, size_t i) {
  double value = firn_cloud_value(field, i);
  if (is_float(field))
    firn_sink_f32be(sink, (float)value);
  else
    firn_sink_u32be(sink, (uint32_t)(int64_t)value);
}

firn_status firn_export_bgeo(const firn_cloud *cloud, firn_sink *sink) {
  if (cloud->count > INT32_MAX) {
    return firn_fail(cloud->context, FIRN_ERROR_UNSUPPORTED, "%s: %zu particles, at most %d fit",
                     sink->path, cloud->count, INT32_MAX);
  }
  firn_sink_write(sink, "BgeoV", 5);
  const uint32_t head[9] = {
      5, (uint32_t)cloud->count, 0, 0, 0, (uint32_t)(cloud->field_count - 1), 0, 0, 0};
  for (int i = 0; i < 9; i++) firn_sink_u32be(sink, head[i]);
  for (int i = 1; i < cloud->field_count; i++) {
    const firn_cloud_field *f = &cloud->field[i];
    const char *name = houdini_name(f->name);
    firn_sink_u16be(sink, (uint16_t)strlen(name));
    firn_sink_write(sink, name, strlen(name));
    firn_sink_u16be(sink, (uint16_t)f->components);
    firn_sink_u32be(sink, kind_of(f));
    for (int c = 0; c < f->components; c++) firn_sink_u32be(sink, 0);
  }
  for (size_t p = 0; p < cloud->count; p++) {
    for (size_t c = 0; c < 3; c++) write_value(sink, &cloud->field[0], 3 * p + c);
    firn_sink_f32be(sink, 1);
    for (int i = 1; i < cloud->field_count; i++) {
      size_t n = (size_t)cloud->field[i].components;
      for (size_t c = 0; c < n; c++) write_value(sink, &cloud->field[i], n * p + c);
    }
  }
  const uint8_t end[2] = {0x00, 0xff};
  firn_sink_write(sink, end, sizeof end);
  return FIRN_OK;
}
