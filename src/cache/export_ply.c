// SPDX-License-Identifier: Apache-2.0
// PLY and CSV: the same columns, in binary and as text.
#include <math.h>

#include "base/number.h"
#include "cache/export_points.h"

static const char *ply_type(firn_archive_type type) {
  switch (type) {
  case FIRN_ARCHIVE_F64: return "double";
  case FIRN_ARCHIVE_U8: return "uchar";
  case FIRN_ARCHIVE_U16: return "ushort";
  case FIRN_ARCHIVE_U32: return "uint";
  case FIRN_ARCHIVE_I32: return "int";
  default: return "float";
  }
}

firn_status firn_export_ply(const firn_cloud *cloud, firn_sink *sink) {
  firn_sink_print(sink, "ply\nformat binary_little_endian 1.0\ncomment firn %s", firn_version());
  if (isfinite(cloud->time)) {
    char time[FIRN_NUMBER_SIZE];
    firn_number_print(time, cloud->time);
    firn_sink_print(sink, ", time %s s", time);
  }
  firn_sink_print(sink, "\nelement vertex %zu\n", cloud->count);
  for (int i = 0; i < cloud->field_count; i++) {
    const firn_cloud_field *f = &cloud->field[i];
    for (int c = 0; c < f->components; c++) {
      char name[FIRN_COLUMN_NAME];
      firn_cloud_column(f, c, name);
      firn_sink_print(sink, "property %s %s\n", ply_type(f->type), name);
    }
  }
  firn_sink_print(sink, "end_header\n");
  for (size_t p = 0; p < cloud->count; p++) {
    for (int i = 0; i < cloud->field_count; i++) {
      const firn_cloud_field *f = &cloud->field[i];
      size_t row = (size_t)f->components * firn_archive_type_size(f->type);
      firn_sink_write(sink, (const char *)f->data + p * row, row);
    }
  }
  return FIRN_OK;
}

firn_status firn_export_csv(const firn_cloud *cloud, firn_sink *sink) {
  for (int i = 0; i < cloud->field_count; i++) {
    const firn_cloud_field *f = &cloud->field[i];
    for (int c = 0; c < f->components; c++) {
      char name[FIRN_COLUMN_NAME];
      firn_cloud_column(f, c, name);
      firn_sink_print(sink, "%s%s", i || c ? "," : "", name);
    }
  }
  firn_sink_write(sink, "\n", 1);
  for (size_t p = 0; p < cloud->count; p++) {
    for (int i = 0; i < cloud->field_count; i++) {
      const firn_cloud_field *f = &cloud->field[i];
      size_t n = (size_t)f->components;
      for (size_t c = 0; c < n; c++) {
        char text[FIRN_NUMBER_SIZE];
        if (i || c) firn_sink_write(sink, ",", 1);
        size_t length = firn_number_print(text, firn_cloud_value(f, p * n + c));
        firn_sink_write(sink, text, length);
      }
    }
    firn_sink_write(sink, "\n", 1);
  }
  return FIRN_OK;
}
