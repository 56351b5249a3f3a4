// SPDX-License-Identifier: Apache-2.0
#include "support/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

snapshot snapshot_take(firn_sim *sim) {
  snapshot s = {.count = firn_sim_count(sim), .time = firn_sim_time(sim)};
  s.fields = firn_sim_field_count(sim);
  assert_in_range(s.fields, 1, SNAPSHOT_FIELDS);
  for (int i = 0; i < s.fields; i++) {
    firn_field_info info;
    assert_int_equal(firn_sim_field(sim, i, &info), FIRN_OK);
    s.bytes[i] = s.count * (size_t)info.components * sizeof(double);
    s.data[i] = malloc(s.bytes[i]);
    assert_non_null(s.data[i]);
    assert_int_equal(firn_sim_read(sim, info.name, s.data[i]), FIRN_OK);
  }
  return s;
}

void snapshot_drop(snapshot *s) {
  for (int i = 0; i < s->fields; i++) free(s->data[i]);
}

int snapshot_difference(const snapshot *a, const snapshot *b) {
  if (a->count != b->count || a->fields != b->fields || a->time != b->time) return SNAPSHOT_FIELDS;
  for (int i = 0; i < a->fields; i++)
    if (memcmp(a->data[i], b->data[i], a->bytes[i]) != 0) return i;
  return -1;
}
