// SPDX-License-Identifier: Apache-2.0
// All that a simulation tells of its particles at a moment, to be held against another.
#ifndef FIRN_TESTS_SUPPORT_SNAPSHOT_H
#define FIRN_TESTS_SUPPORT_SNAPSHOT_H

#include <firn/firn.h>

enum { SNAPSHOT_FIELDS = 32 };

typedef struct snapshot {
  size_t count;
  int fields;
  double time, *data[SNAPSHOT_FIELDS];
  size_t bytes[SNAPSHOT_FIELDS];
} snapshot;

snapshot snapshot_take(firn_sim *sim); // to be dropped
void snapshot_drop(snapshot *s);
// The first field of which a byte differs, SNAPSHOT_FIELDS for another count or time; -1: the same.
int snapshot_difference(const snapshot *a, const snapshot *b);

#endif
