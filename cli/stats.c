// SPDX-License-Identifier: Apache-2.0
// The last row of a run's stats.csv, by the names of its columns.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// The cell of a line that stands where column does in header.
static bool find_cell(const char *header, const char *line, const char *column, char *cell,
                      size_t size) {
  size_t length = strlen(column);
  cell[0] = 0;
  while (*header && *line) {
    size_t h = strcspn(header, ",\n"), n = strcspn(line, ",\n");
    if (h == length && strncmp(header, column, h) == 0) {
      snprintf(cell, size, "%.*s", (int)n, line);
      return n > 0;
    }
    header += h + (header[h] != 0);
    line += n + (line[n] != 0);
  }
  return false;
}

bool cli_stats_cell(const cli_stats *stats, const char *column, char *cell, size_t size) {
  return find_cell(stats->header, stats->row, column, cell, size);
}

bool cli_stats_read(const char *folder, cli_stats *out) {
  char path[4200], line[4096], cell[64];
  memset(out, 0, sizeof *out);
  snprintf(path, sizeof path, "%s/stats.csv", folder);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  if (!fgets(out->header, sizeof out->header, file)) out->header[0] = 0;
  while (fgets(line, sizeof line, file)) {
    if (!strchr(line, '\n')) continue; // half a row
    memcpy(out->row, line, sizeof out->row);
    out->rows++;
    if (cli_stats_cell(out, "wall_seconds", cell, sizeof cell)) out->wall += strtod(cell, NULL);
  }
  fclose(file);
  return out->rows > 0;
}
