// SPDX-License-Identifier: Apache-2.0
// VTK's XML file of points. After the XML comes one byte '_' and then the arrays, each with its
// length in bytes (uint64) before it; the XML gives their places counted from after the '_'.
#include <math.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/export_points.h"

static const char *vtk_type(firn_archive_type type) {
  switch (type) {
  case FIRN_ARCHIVE_F64: return "Float64";
  case FIRN_ARCHIVE_U8: return "UInt8";
  case FIRN_ARCHIVE_U16: return "UInt16";
  case FIRN_ARCHIVE_U32: return "UInt32";
  case FIRN_ARCHIVE_I32: return "Int32";
  default: return "Float32";
  }
}

typedef struct layout {
  firn_sink *sink;
  uint64_t offset; // of the next array
} layout;

static void declare(layout *l, const char *type, const char *name, int components, size_t bytes) {
  firn_sink_print(l->sink, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", type,
                  name, components);
  // VTK has another order for the six numbers of a symmetric tensor than firn, so it is told.
  for (int i = 0; components == 6 && i < 6; i++) {
    firn_sink_print(l->sink, " ComponentName%d=\"%s\"", i, firn_cloud_suffix(6, i));
  }
  firn_sink_print(l->sink, " format=\"appended\" offset=\"%llu\"/>\n",
                  (unsigned long long)l->offset);
  l->offset += bytes + sizeof(uint64_t);
}

static size_t bytes_of(const firn_cloud *cloud, const firn_cloud_field *field) {
  return cloud->count * (size_t)field->components * firn_archive_type_size(field->type);
}

static void append(firn_sink *sink, const void *data, size_t bytes) {
  uint64_t length = bytes;
  firn_sink_write(sink, &length, sizeof length);
  firn_sink_write(sink, data, bytes);
}

// The numbers from first on, an int32 each.
static void append_count(firn_sink *sink, size_t count, int32_t first) {
  uint64_t length = count * sizeof first;
  firn_sink_write(sink, &length, sizeof length);
  for (size_t i = 0; i < count; i++) {
    int32_t value = (int32_t)i + first;
    firn_sink_write(sink, &value, sizeof value);
  }
}

firn_status firn_export_vtp(const firn_cloud *cloud, firn_sink *sink) {
  size_t n = cloud->count;
  if (n > INT32_MAX) {
    return firn_fail(cloud->context, FIRN_ERROR_UNSUPPORTED, "%s: %zu particles, at most %d fit",
                     sink->path, n, INT32_MAX);
  }
  layout l = {.sink = sink};
  bool timed = isfinite(cloud->time);
  firn_sink_print(sink, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
  if (timed) {
    firn_sink_print(sink,
                    "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                    "NumberOfTuples=\"1\" format=\"appended\" offset=\"%llu\"/>\n</FieldData>\n",
                    (unsigned long long)l.offset);
    l.offset += sizeof(double) + sizeof(uint64_t);
  }
  firn_sink_print(sink,
                  "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
                  "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData>\n",
                  n, n);
  for (int i = 1; i < cloud->field_count; i++) {
    const firn_cloud_field *f = &cloud->field[i];
    declare(&l, vtk_type(f->type), f->name, f->components, bytes_of(cloud, f));
  }
  const firn_cloud_field *position = &cloud->field[0];
  firn_sink_print(sink, "</PointData>\n<Points>\n");
  declare(&l, vtk_type(position->type), "Points", 3, bytes_of(cloud, position));
  firn_sink_print(sink, "</Points>\n<Verts>\n");
  declare(&l, "Int32", "connectivity", 1, n * sizeof(int32_t));
  declare(&l, "Int32", "offsets", 1, n * sizeof(int32_t));
  firn_sink_print(sink, "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
  if (timed) append(sink, &cloud->time, sizeof cloud->time);
  for (int i = 1; i < cloud->field_count; i++) {
    append(sink, cloud->field[i].data, bytes_of(cloud, &cloud->field[i]));
  }
  append(sink, position->data, bytes_of(cloud, position));
  append_count(sink, n, 0);
  append_count(sink, n, 1);
  firn_sink_print(sink, "\n</AppendedData>\n</VTKFile>\n");
  return FIRN_OK;
}
