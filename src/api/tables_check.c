// SPDX-License-Identifier: Apache-2.0
// Whether what a solver wants in the tables of a run has a place there. It is asked when a simulation is
// made, so that whoever adds a solver hears of it at once and not from a table that lacks a column.
#include <string.h>

#include "api/sim.h"
#include "cache/probes.h"
#include "cache/stats.h"

// Columns of stats.csv that every run has, and that only a solver can fill: by statistics of these
// names.
static const char left_to_solvers[] = "jp_min|jp_mean|density_max|neighbours_mean|energy_plastic";
// Fields of which probes.csv has averages in any case.
static const char always_probed[] = "density|jp|stress";

static bool is_among(const char *words, const char *name) {
  char word[64];
  for (int i = 0; words && firn_schema_choice(words, i, word, sizeof word); i++) {
    if (strcmp(word, name) == 0) return true;
  }
  return false;
}

static int count_of(const char *words) {
  char word[64];
  int n = 0;
  while (words && firn_schema_choice(words, n, word, sizeof word)) n++;
  return n;
}

static bool is_column(const char *name) {
  for (int c = 0; c < FIRN_STATS_COLUMNS; c++) {
    if (strcmp(firn_stats_column(c), name) == 0) return true;
  }
  return false;
}

static firn_status check_stats(firn_context *context, const firn_solver_type *type) {
  for (const firn_stat_info *s = type->stats; s && s->name; s++) {
    if (!is_column(s->name) || is_among(left_to_solvers, s->name)) continue;
    return firn_fail(context, FIRN_ERROR_STATE,
                     "solver %s: its statistic '%s' has the name of a column of stats.csv that "
                     "every run fills; give it another",
                     type->name, s->name);
  }
  if (count_of(type->columns) > FIRN_STATS_MORE) {
    return firn_fail(context, FIRN_ERROR_STATE,
                     "solver %s: it names %d columns for stats.csv; there is room for %d",
                     type->name, count_of(type->columns), FIRN_STATS_MORE);
  }
  char word[64];
  for (int i = 0; type->columns && firn_schema_choice(type->columns, i, word, sizeof word); i++) {
    if (!is_column(word)) continue;
    return firn_fail(context, FIRN_ERROR_STATE, "solver %s: stats.csv has a column '%s' already",
                     type->name, word);
  }
  return FIRN_OK;
}

static firn_status check_probes(firn_context *context, const firn_solver_type *type) {
  int room = FIRN_PROBE_COLUMNS - count_of(always_probed), wanted = count_of(type->probed);
  if (wanted > room) {
    return firn_fail(context, FIRN_ERROR_STATE,
                     "solver %s: it names %d fields for probes.csv; there is room for %d",
                     type->name, wanted, room);
  }
  char word[64];
  for (int i = 0; type->probed && firn_schema_choice(type->probed, i, word, sizeof word); i++) {
    if (!is_among(always_probed, word)) continue;
    return firn_fail(context, FIRN_ERROR_STATE, "solver %s: probes.csv has '%s' already",
                     type->name, word);
  }
  return FIRN_OK;
}

firn_status firn_tables_check(firn_context *context, const firn_solver_type *type) {
  FIRN_TRY(check_stats(context, type));
  return check_probes(context, type);
}
