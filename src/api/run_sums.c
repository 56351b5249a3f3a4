// SPDX-License-Identifier: Apache-2.0
// What the rows of a run's tables were when a checkpoint was written: a sum of each is kept in it. So
// a number that somebody changed since, by accident or with a spreadsheet, is noticed before the run
// goes on behind it.
#include <string.h>

#include "api/run.h"
#include "base/memory.h"
#include "cache/stats.h"

// What a machine makes of a run, or the choice of its frames, is no result.
static const int skip[] = {FIRN_STATS_bytes, FIRN_STATS_wall_seconds};

static int skips(firn_run_table table) {
  return table == FIRN_RUN_STATS ? (int)(sizeof skip / sizeof *skip) : 0;
}

static firn_status sum_table(firn_run_state *r, firn_run_table table) {
  char *text;
  size_t size, *done = &r->table[table].size;
  FIRN_TRY(firn_run_file(r, firn_run_table_name(table)));
  FIRN_TRY(firn_file_get_from(r->context, r->path, *done, &text, &size));
  const char *line = memchr(text, '\n', size);
  size_t head = *done || !line ? 0 : (size_t)(line - text) + 1;
  r->table[table].sum = firn_rows_sum_more(r->table[table].sum, text + head, size - head,
                                           skips(table), skip);
  *done += size;
  firn_free(r->context, text, size + 1);
  return FIRN_OK;
}

firn_status firn_run_sum_tables(firn_run_state *r) {
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t)) FIRN_TRY(sum_table(r, t));
  return FIRN_OK;
}

static const char *attribute(firn_run_table table) {
  static const char *const names[] = {"sum_stats", "sum_colliders", "sum_probes"};
  return names[table];
}

void firn_run_save_sums(const firn_run_state *r, firn_archive *a) {
  firn_archive_group(a, "run");
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t)) firn_archive_set_u64(a, "run", attribute(t), r->table[t].sum);
}

static firn_status read_sums(firn_run_state *r, firn_archive *a) {
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++) {
    r->table[t].known = firn_archive_has_attribute(a, "run", attribute(t));
    if (r->table[t].known)
      FIRN_TRY(firn_archive_get_u64(a, "run", attribute(t), &r->table[t].wanted));
  }
  return FIRN_OK;
}

firn_status firn_run_compare_sums(firn_run_state *r) {
  for (firn_run_table t = 0; r->rows && t < FIRN_RUN_TABLES; t++) {
    if (!firn_run_has_table(r, t)) continue;
    uint64_t found = firn_rows_sum(&r->rows[t], r->frame, skips(t), skip);
    r->table[t].sum = found;
    if (r->table[t].known ? r->table[t].wanted == found : !r->rows[t].renamed) continue;
    return firn_fail(r->context, FIRN_ERROR_FORMAT,
                     "%s/%s: up to frame %d it does not hold what was written", r->def->folder,
                     firn_run_table_name(t), r->frame);
  }
  return FIRN_OK;
}

firn_status firn_run_check_sums(firn_run_state *r, firn_archive *a) {
  FIRN_TRY(read_sums(r, a));
  return firn_run_compare_sums(r);
}
