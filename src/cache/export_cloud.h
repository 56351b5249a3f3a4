// SPDX-License-Identifier: Apache-2.0
// A frame in memory as the writers of other programs' files want it.
#ifndef FIRN_CACHE_EXPORT_CLOUD_H
#define FIRN_CACHE_EXPORT_CLOUD_H

#include "cache/frame.h"

typedef struct firn_cloud_field {
  char name[FIRN_FRAME_NAME];
  firn_archive_type type; // F32, F64, U8, U16, U32 or I32
  int components;
  void *data; // [count][components]
} firn_cloud_field;

typedef struct firn_cloud {
  firn_context *context;
  size_t count; // particles
  double time;  // s; nan: not known
  int frame;    // < 0: not known
  double h;     // m; 0: not known
  int field_count;
  firn_cloud_field field[FIRN_FRAME_FIELDS + 1]; // the position first, the others by name
} firn_cloud;

// Reads a frame. fields is a list of names with commas, NULL for all; the position comes anyway.
// A field that need not be there has a '?' before its name.
// With z_up what was along Y comes along Z: positions, vectors [3] and tensors [6] and [9].
firn_status firn_cloud_load(firn_context *context, const char *path, const char *fields, bool z_up,
                            firn_cloud *out);
void firn_cloud_free(firn_cloud *cloud);
const firn_cloud_field *firn_cloud_find(const firn_cloud *cloud, const char *name); // or NULL

// The name of a column: "velocity_x", "stress_xy", and for the position "x".
enum { FIRN_COLUMN_NAME = FIRN_FRAME_NAME + 16 };
void firn_cloud_column(const firn_cloud_field *field, int component, char name[FIRN_COLUMN_NAME]);
// "xx" of component 0 of 6; "" for a scalar.
const char *firn_cloud_suffix(int components, int component);

// Element i of a field, counted over particles and components.
double firn_cloud_value(const firn_cloud_field *field, size_t i);

#endif
