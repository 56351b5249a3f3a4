// SPDX-License-Identifier: Apache-2.0
#include "cache/export_cloud.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static size_t field_bytes(const firn_cloud *cloud, const firn_cloud_field *field) {
  return cloud->count * (size_t)field->components * firn_archive_type_size(field->type);
}

// What other programs have no number type for becomes a float, or a double where it is long.
static firn_archive_type export_type(firn_archive_type stored) {
  switch (stored) {
  case FIRN_ARCHIVE_F32:
  case FIRN_ARCHIVE_F64:
  case FIRN_ARCHIVE_U8:
  case FIRN_ARCHIVE_U16:
  case FIRN_ARCHIVE_U32:
  case FIRN_ARCHIVE_I32: return stored;
  case FIRN_ARCHIVE_U64:
  case FIRN_ARCHIVE_I64: return FIRN_ARCHIVE_F64;
  default: return FIRN_ARCHIVE_F32;
  }
}

// Whether name is one of "a,b,?c"; spaces around the commas are allowed.
static bool is_listed(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *p = list; *p;) {
    p += strspn(p, ", ?");
    size_t n = strcspn(p, ", ");
    if (n == length && strncmp(p, name, n) == 0) return true;
    p += n;
  }
  return false;
}

// Every name of the list must be a field; the message says which there are.
static firn_status check_list(const firn_frame *frame, const char *path, const char *list) {
  for (const char *p = list; *p;) {
    p += strspn(p, ", ");
    size_t n = strcspn(p, ", ");
    char name[FIRN_FRAME_NAME], known[512] = "";
    if (!n) break;
    if (*p == '?') {
      p += n;
      continue;
    }
    snprintf(name, sizeof name, "%.*s", (int)n, p);
    p += n;
    if (n < sizeof name && firn_frame_find(frame, name)) continue;
    for (int i = 0; i < frame->field_count; i++) {
      size_t used = strlen(known);
      snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", frame->field[i].name);
    }
    return firn_fail(frame->context, FIRN_ERROR_ARGUMENT, "%s has no field '%s'; it has %s", path,
                     name, known);
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------- turning Y to Z

// New axes are x, -z and y of the old: a turn by 90 degrees about x, so nothing is mirrored.
static const int turn_from[3] = {0, 2, 1};
static const double turn_sign[3] = {1, -1, 1};

static void turn_row(double *v, int components) {
  static const int symmetric[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}}; // xx yy zz xy xz yz
  double old[9];
  memcpy(old, v, (size_t)components * sizeof *v);
  for (int i = 0; i < 3; i++) {
    if (components == 3) v[i] = turn_sign[i] * old[turn_from[i]];
    for (int j = 0; j < 3 && components > 3; j++) {
      int a = turn_from[i], b = turn_from[j];
      double sign = turn_sign[i] * turn_sign[j];
      if (components == 9) v[3 * i + j] = sign * old[3 * a + b];
      if (components == 6) v[symmetric[i][j]] = sign * old[symmetric[a][b]];
    }
  }
}

static void turn_field(const firn_cloud *cloud, const firn_cloud_field *field) {
  int n = field->components;
  bool wide = field->type == FIRN_ARCHIVE_F64;
  if ((n != 3 && n != 6 && n != 9) || (!wide && field->type != FIRN_ARCHIVE_F32)) return;
  for (size_t i = 0; i < cloud->count; i++) {
    double row[9] = {0};
    for (int c = 0; c < n; c++) row[c] = firn_cloud_value(field, i * (size_t)n + (size_t)c);
    turn_row(row, n);
    for (int c = 0; c < n; c++) {
      size_t k = i * (size_t)n + (size_t)c;
      if (wide)
        ((double *)field->data)[k] = row[c];
      else
        ((float *)field->data)[k] = (float)row[c];
    }
  }
}

// -------------------------------------------------------------------------------------- loading

static firn_status load_field(firn_cloud *cloud, firn_frame *frame, const char *name, bool z_up) {
  const firn_frame_field *stored = firn_frame_find(frame, name);
  firn_cloud_field *field = &cloud->field[cloud->field_count];
  snprintf(field->name, sizeof field->name, "%s", name);
  field->type = stored ? export_type(stored->type) : FIRN_ARCHIVE_F32;
  field->components = stored ? stored->components : 3;
  if (strcmp(name, "position") == 0) {
    // Frames of other programs have points of any type, and need not name them a field too.
    if (field->type != FIRN_ARCHIVE_F64) field->type = FIRN_ARCHIVE_F32;
    field->components = 3;
  }
  size_t size = field_bytes(cloud, field);
  field->data = firn_alloc(cloud->context, size, "a field of an export");
  if (size && !field->data) return FIRN_ERROR_MEMORY;
  cloud->field_count++;
  FIRN_TRY(firn_frame_read(frame, name, field->components, field->type, field->data));
  if (z_up) turn_field(cloud, field);
  return FIRN_OK;
}

static firn_status load(firn_cloud *cloud, firn_frame *frame, const char *path, const char *fields,
                        bool z_up) {
  cloud->count = frame->count;
  cloud->time = frame->time;
  cloud->frame = frame->frame;
  cloud->h = frame->h;
  if (fields) FIRN_TRY(check_list(frame, path, fields));
  FIRN_TRY(load_field(cloud, frame, "position", z_up));
  for (int i = 0; i < frame->field_count; i++) {
    const char *name = frame->field[i].name;
    if (strcmp(name, "position") == 0 || (fields && !is_listed(fields, name))) continue;
    FIRN_TRY(load_field(cloud, frame, name, z_up));
  }
  return FIRN_OK;
}

firn_status firn_cloud_load(firn_context *context, const char *path, const char *fields, bool z_up,
                            firn_cloud *out) {
  *out = (firn_cloud){.context = context};
  firn_frame *frame;
  FIRN_TRY(firn_frame_open(context, path, &frame));
  firn_status status = load(out, frame, path, fields, z_up);
  firn_frame_close(frame);
  if (status != FIRN_OK) firn_cloud_free(out);
  return status;
}

void firn_cloud_free(firn_cloud *cloud) {
  for (int i = 0; i < cloud->field_count; i++) {
    firn_free(cloud->context, cloud->field[i].data, field_bytes(cloud, &cloud->field[i]));
  }
  cloud->field_count = 0;
}

const firn_cloud_field *firn_cloud_find(const firn_cloud *cloud, const char *name) {
  for (int i = 0; i < cloud->field_count; i++) {
    if (strcmp(cloud->field[i].name, name) == 0) return &cloud->field[i];
  }
  return NULL;
}

const char *firn_cloud_suffix(int components, int component) {
  static const char *const vector[] = {"x", "y", "z"};
  static const char *const symmetric[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  static const char *const matrix[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
  static const char *const plain[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  if (components == 1) return "";
  if (components == 3) return vector[component];
  if (components == 6) return symmetric[component];
  if (components == 9) return matrix[component];
  return plain[component % 10];
}

void firn_cloud_column(const firn_cloud_field *field, int component, char name[FIRN_COLUMN_NAME]) {
  const char *suffix = firn_cloud_suffix(field->components, component);
  if (strcmp(field->name, "position") == 0)
    snprintf(name, FIRN_COLUMN_NAME, "%s", suffix);
  else if (field->components > 10)
    snprintf(name, FIRN_COLUMN_NAME, "%s_%d", field->name, component);
  else
    snprintf(name, FIRN_COLUMN_NAME, "%s%s%s", field->name, *suffix ? "_" : "", suffix);
}

double firn_cloud_value(const firn_cloud_field *field, size_t i) {
  switch (field->type) {
  case FIRN_ARCHIVE_F32: return (double)((const float *)field->data)[i];
  case FIRN_ARCHIVE_F64: return ((const double *)field->data)[i];
  case FIRN_ARCHIVE_U8: return ((const uint8_t *)field->data)[i];
  case FIRN_ARCHIVE_U16: return ((const uint16_t *)field->data)[i];
  case FIRN_ARCHIVE_U32: return ((const uint32_t *)field->data)[i];
  default: return ((const int32_t *)field->data)[i];
  }
}
