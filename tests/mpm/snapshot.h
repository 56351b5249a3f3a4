// SPDX-License-Identifier: Apache-2.0
// Everything that can be read of a simulation's particles, for comparing runs byte by byte.
#ifndef FIRN_TESTS_MPM_SNAPSHOT_H
#define FIRN_TESTS_MPM_SNAPSHOT_H

#include "support/mpm_case.h"

typedef struct snapshot {
  size_t count;
  int fields;
  double time;
  double *data[32]; // [count][components] of each field
} snapshot;

static inline snapshot snapshot_take(const mpm_case *c) {
  snapshot s = {.count = mpm_case_count(c), .time = firn_sim_time(c->sim)};
  s.fields = firn_sim_field_count(c->sim);
  assert_in_range(s.fields, 1, 32);
  for (int i = 0; i < s.fields; i++) {
    firn_field_info info;
    must(c, firn_sim_field(c->sim, i, &info));
    s.data[i] = mpm_case_read(c, info.name);
  }
  return s;
}

static inline void snapshot_drop(snapshot *s) {
  for (int i = 0; i < s->fields; i++) free(s->data[i]);
  *s = (snapshot){0};
}

// The name of the first field that differs, NULL if all bytes are equal.
static inline const char *snapshot_difference(const mpm_case *c, const snapshot *a,
                                              const snapshot *b) {
  if (a->count != b->count || a->fields != b->fields) return "count";
  if (memcmp(&a->time, &b->time, sizeof a->time) != 0) return "time";
  for (int i = 0; i < a->fields; i++) {
    firn_field_info info;
    must(c, firn_sim_field(c->sim, i, &info));
    size_t bytes = a->count * (size_t)info.components * sizeof(double);
    if (memcmp(a->data[i], b->data[i], bytes) != 0) return info.name;
  }
  return NULL;
}

#endif
