// SPDX-License-Identifier: Apache-2.0
// The schema for readers: what firn_scene_schema and firn_scene_reference share.
#ifndef FIRN_SCENE_SCHEMA_WRITE_H
#define FIRN_SCENE_SCHEMA_WRITE_H

#include <firn/scene.h>

#include "scene/schema.h"

enum { FIRN_SCHEMA_RECORDS = 128 }; // more than there are, as tests/scene/schema.c demands

// Every record that can be reached from the root, each once, parents first.
typedef struct firn_schema_records {
  const firn_schema_record *record[FIRN_SCHEMA_RECORDS];
  int count;
} firn_schema_records;
firn_schema_records firn_schema_collect(void);

// The record's name without its article, words joined by '-': "half-space".
void firn_schema_slug(const firn_schema_record *record, char *text, size_t size);

typedef struct firn_schema_writer {
  firn_text_fn write;
  void *user;
} firn_schema_writer;
void firn_schema_put(const firn_schema_writer *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
