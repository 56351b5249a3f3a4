// SPDX-License-Identifier: Apache-2.0
// What came of a parameter study: two tables and a contact sheet.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"

// Columns of the tables that come from the last row of a run's stats.csv.
static const char *const shown[] = {"frame", "time",    "particles", "com_x",       "com_y",
                                    "com_z", "jp_mean", "jp_min",    "density_max", NULL};

typedef struct {
  firn_table *stats; // NULL: there are none yet
  firn_pieces pieces;
  bool has_pieces;
} outcome;

static const char *state_name(sweep_state state) {
  static const char *const names[] = {"to do", "done", "done", "failed"};
  return names[state];
}

static bool read_outcome(const sweep *s, firn_context *context, int run, outcome *out) {
  char folder[4200], path[4300];
  *out = (outcome){0};
  sweep_folder(s, run, folder, sizeof folder);
  out->stats = cli_stats(context, folder);
  snprintf(path, sizeof path, "%s/stats.csv", folder);
  if (!out->stats && access(path, F_OK) == 0) return false;
  double number = cli_stats_last(out->stats, "frame");
  if (isnan(number)) return true;
  snprintf(path, sizeof path, "%s/frame_%05d.hdf", folder, (int)number);
  firn_frame *frame;
  if (access(path, R_OK) != 0) return true;
  firn_status status = firn_frame_open(context, path, &frame);
  if (status == FIRN_OK) {
    status = firn_frame_pieces(frame, NULL, &out->pieces);
    firn_frame_close(frame);
  }
  out->has_pieces = status == FIRN_OK;
  // A frame without masses has no pieces to count. Of a damaged one the summary would lack what was
  // there.
  return status != FIRN_ERROR_IO && status != FIRN_ERROR_MEMORY && status != FIRN_ERROR_FORMAT;
}

// The last cell of a column as it stands in stats.csv.
static const char *cell(const outcome *o, const char *column, char text[32]) {
  double value = cli_stats_last(o->stats, column);
  bool whole = value == floor(value) && fabs(value) < 1e15;
  snprintf(text, 32, whole ? "%.0f" : "%.9g", value);
  return isnan(value) ? "" : text;
}

void sweep_csv_cell(FILE *file, const char *text) {
  if (!strpbrk(text, ",\"\n")) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (const char *c = text; *c; c++) {
    if (*c == '"') fputc('"', file);
    fputc(*c, file);
  }
  fputc('"', file);
}

void sweep_csv_columns(const sweep *s, FILE *file) {
  fprintf(file, "run,folder");
  for (int a = 0; a < s->axis_count; a++) {
    fputc(',', file);
    sweep_csv_cell(file, s->axis[a].path);
  }
}

void sweep_csv_run(const sweep *s, int run, FILE *file) {
  char name[256];
  sweep_name(s, run, name, sizeof name);
  fprintf(file, "%d,", run + 1);
  sweep_csv_cell(file, name);
  for (int a = 0; a < s->axis_count; a++) {
    fputc(',', file);
    sweep_csv_cell(file, sweep_value(s, run, a));
  }
}

static void csv_header(const sweep *s, FILE *file) {
  sweep_csv_columns(s, file);
  fprintf(file, ",state");
  for (int i = 0; shown[i]; i++) fprintf(file, ",%s", shown[i]);
  fprintf(file, ",pieces,wall_seconds,message\n");
}

static void csv_row(const sweep *s, int run, const outcome *o, FILE *file) {
  char text[32];
  sweep_csv_run(s, run, file);
  fprintf(file, ",%s", state_name(s->state[run]));
  for (int i = 0; shown[i]; i++) fprintf(file, ",%s", cell(o, shown[i], text));
  fputc(',', file);
  if (o->has_pieces) fprintf(file, "%zu", o->pieces.count);
  fputc(',', file);
  if (o->stats) fprintf(file, "%.9g", cli_stats_wall(o->stats));
  fputc(',', file);
  sweep_csv_cell(file, s->message[run]);
  fputc('\n', file);
}

static void md_header(const sweep *s, FILE *file) {
  fprintf(file, "# Sweep of %s\n\n![contact sheet](sheet.png)\n\n| run |", s->scene);
  for (int a = 0; a < s->axis_count; a++) fprintf(file, " %s |", s->axis[a].path);
  fprintf(file, " frame | particles | pieces | center of mass, m | densest, kg/m³ | least J_P | "
                "wall time |\n|---|");
  for (int a = 0; a < s->axis_count + 7; a++) fprintf(file, "---|");
  fprintf(file, "\n");
}

static void md_row(const sweep *s, int run, const outcome *o, FILE *file) {
  char name[256], text[32];
  sweep_name(s, run, name, sizeof name);
  fprintf(file, "| [%d](%s) |", run + 1, name);
  for (int a = 0; a < s->axis_count; a++) fprintf(file, " %s |", sweep_value(s, run, a));
  fprintf(file, " %s", cell(o, "frame", text));
  if (s->state[run] == SWEEP_FAILED) fprintf(file, " (failed)");
  fprintf(file, " | %s | ", cell(o, "particles", text));
  if (o->has_pieces) fprintf(file, "%zu ", o->pieces.count);
  fprintf(file, "|");
  static const char *const shorter[] = {"com_x", "com_y", "com_z", "density_max", "jp_min"};
  for (int i = 0; i < 5; i++) {
    double value = cli_stats_last(o->stats, shorter[i]);
    if (!isnan(value)) fprintf(file, " %.4g", value);
    if (i >= 2) fprintf(file, " |");
  }
  fprintf(file, " %s |\n", o->stats ? cli_duration(cli_stats_wall(o->stats), text) : "");
}

FILE *sweep_open_part(const sweep *s, const char *name, char *part, size_t size) {
  snprintf(part, size, "%s/%s.part", s->folder, name);
  FILE *file = cli_create(part);
  if (!file) fprintf(stderr, "firn: %s cannot be written: %s\n", part, strerror(errno));
  return file;
}

bool sweep_close_part(const sweep *s, const char *name, const char *part, FILE *file, bool keep) {
  char path[4300];
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  bool good = !ferror(file);
  good = fclose(file) == 0 && good;
  good = good && (!keep || rename(part, path) == 0);
  if (!good) fprintf(stderr, "firn: %s cannot be written: %s\n", path, strerror(errno));
  if (!good || !keep) unlink(part);
  return good && keep;
}

static bool write_tables(const sweep *s, firn_context *context) {
  char csv_part[4300], md_part[4300];
  FILE *csv = sweep_open_part(s, "summary.csv", csv_part, sizeof csv_part);
  FILE *md = csv ? sweep_open_part(s, "summary.md", md_part, sizeof md_part) : NULL;
  bool good = md != NULL;
  if (good) {
    csv_header(s, csv);
    md_header(s, md);
    for (int i = 0; i < s->count; i++) {
      outcome o;
      cli_wait("summing up the runs");
      bool read = read_outcome(s, context, i, &o);
      if (!read) cli_fail(context, FIRN_ERROR_IO);
      good = good && read;
      csv_row(s, i, &o, csv);
      md_row(s, i, &o, md);
      firn_table_close(o.stats);
    }
  }
  bool kept = !csv || sweep_close_part(s, "summary.csv", csv_part, csv, good);
  if (md) kept = sweep_close_part(s, "summary.md", md_part, md, good) && kept;
  return good && kept;
}

static bool write_sheet(const sweep *s, firn_context *context) {
  enum { PATH = 4300, LABEL = 512 };
  size_t n = (size_t)s->count;
  char(*path)[PATH] = calloc(n, sizeof *path), (*label)[LABEL] = calloc(n, sizeof *label);
  const char **paths = calloc(n, sizeof *paths), **labels = calloc(n, sizeof *labels);
  firn_status status = FIRN_ERROR_MEMORY;
  if (path && label && paths && labels) {
    for (int i = 0; i < s->count; i++) {
      char folder[4200];
      sweep_folder(s, i, folder, sizeof folder);
      snprintf(path[i], sizeof path[i], "%s/preview.png", folder);
      sweep_label(s, i, "\n", label[i], sizeof label[i]);
      paths[i] = path[i];
      labels[i] = label[i];
    }
    char sheet[4300];
    snprintf(sheet, sizeof sheet, "%s/sheet.png", s->folder);
    // With two values or more that vary, a row of the sheet is one sweep of the last.
    int last = s->axis[s->axis_count - 1].count;
    int columns = s->axis_count > 1 && last >= 3 && last <= 12 ? last : 0;
    const firn_sheet_def def = {
        .size = sizeof def, .count = s->count, .columns = columns, .png = paths, .label = labels};
    status = firn_sheet_write(context, &def, sheet);
  }
  if (status != FIRN_OK) cli_fail(context, status);
  free(path);
  free(label);
  free(paths);
  free(labels);
  return status == FIRN_OK;
}

// --------------------------------------------------------------------------------------- own files

static const char *const own_files[] = {"summary.csv", "summary.md", "sheet.png"};
enum { OWN_FILES = sizeof own_files / sizeof *own_files };

void sweep_picture(const sweep *s, int run, char *name, size_t size) {
  char folder[256];
  sweep_name(s, run, folder, sizeof folder);
  snprintf(name, size, "%s/preview.png", folder);
}

bool sweep_check_files(const sweep *s, firn_context *context) {
  enum { PICTURE = 300 };
  size_t n = (size_t)s->count;
  char(*picture)[PICTURE] = calloc(n, sizeof *picture);
  const char **names = calloc(n, sizeof *names);
  bool good = picture && names;
  if (!good) fprintf(stderr, "firn: no memory for the names of %d runs\n", s->count);
  for (int i = 0; good && i < s->count; i++) {
    sweep_picture(s, i, picture[i], sizeof picture[i]);
    names[i] = picture[i];
  }
  firn_status status = FIRN_OK;
  if (good) status = firn_folder_check_own(context, s->folder, SWEEP_KIND, own_files, OWN_FILES);
  if (good && status == FIRN_OK)
    status = firn_folder_check_own(context, s->folder, SWEEP_KIND, names, s->count);
  if (good && status == FIRN_OK) status = sweep_measure_check_files(s, context);
  if (status != FIRN_OK) cli_fail(context, status);
  free(picture);
  free(names);
  return good && status == FIRN_OK;
}

bool sweep_report(const sweep *s, firn_context *context) {
  firn_status status = firn_folder_begin_own(context, s->folder, SWEEP_KIND, own_files, OWN_FILES);
  if (status != FIRN_OK) {
    cli_fail(context, status);
    return false;
  }
  bool tables = write_tables(s, context), sheet = write_sheet(s, context);
  status = firn_folder_end_own(context, s->folder, SWEEP_KIND);
  if (status != FIRN_OK) cli_fail(context, status);
  return tables && sheet && status == FIRN_OK;
}
