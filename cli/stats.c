// SPDX-License-Identifier: Apache-2.0
// What the stats.csv of a run tells of it.
#include <math.h>

#include "cli.h"

firn_table *cli_stats(firn_context *context, const char *folder) {
  char path[4200];
  firn_table *table;
  snprintf(path, sizeof path, "%s/stats.csv", folder);
  return firn_table_open(context, path, NULL, &table) == FIRN_OK ? table : NULL;
}

double cli_stats_last(const firn_table *table, const char *column) {
  const double *value = table ? firn_table_column(table, column) : NULL;
  size_t rows = value ? firn_table_rows(table) : 0;
  return rows ? value[rows - 1] : (double)NAN;
}

double cli_stats_wall(const firn_table *table) {
  const double *wall = table ? firn_table_column(table, "wall_seconds") : NULL;
  double sum = 0;
  for (size_t i = 0; wall && i < firn_table_rows(table); i++) sum += isnan(wall[i]) ? 0 : wall[i];
  return sum;
}
