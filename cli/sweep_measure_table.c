// SPDX-License-Identifier: Apache-2.0
// measures.csv and measures.md of a sweep.
#include <math.h>
#include <string.h>

#include "sweep_measure.h"

static const sweep_moment *moment_of(const sweep_measures *all, int run, int time) {
  return &all->moment[run * all->time_count + time];
}

static void csv_number(FILE *file, double value) {
  if (!isnan(value)) fprintf(file, "%.9g", value);
}

static void csv_row(const sweep_measures *all, int run, int time, int row, FILE *file) {
  const sweep *s = all->s;
  const char *why;
  double value = sweep_measure_value(all, run, time, row, &why);
  const firn_measurement *m = moment_of(all, run, time)->m;
  sweep_csv_run(s, run, file);
  fprintf(file, ",%.9g,", all->time[time]);
  if (m) fprintf(file, "%d,%.9g", firn_measurement_frame(m), firn_measurement_time(m));
  fprintf(file, "%s,%s,", m ? "" : ",", all->row[row].name);
  sweep_csv_cell(file, all->row[row].of);
  fputc(',', file);
  csv_number(file, value);
  fprintf(file, ",%s,%d,", all->row[row].unit, sweep_reference(s, run) + 1);
  csv_number(file, sweep_measure_difference(all, run, time, row));
  fputc(',', file);
  if (isnan(value)) sweep_csv_cell(file, why);
  fputc('\n', file);
}

void sweep_measures_csv(const sweep_measures *all, FILE *file) {
  const sweep *s = all->s;
  sweep_csv_columns(s, file);
  fprintf(file, ",time,frame,measured_at,measure,name,value,unit,reference,difference,message\n");
  for (int i = 0; i < s->count; i++)
    for (int t = 0; t < all->time_count; t++)
      for (int r = 0; r < all->row_count; r++) csv_row(all, i, t, r, file);
}

// ---------------------------------------------------------------------------------------- the page

void sweep_measure_label(const sweep_measure_row *row, char *label, size_t size) {
  static const struct {
    const char *name, *text;
  } known[] = {{"energy_kinetic", "kinetic energy"},
               {"energy_elastic", "elastic energy"},
               {"energy_gravity", "gravity's energy"},
               {"momentum_", "momentum, "},
               {"speed_max", "largest speed"},
               {"jp_mean", "mean J_P"},
               {"jp_min", "least J_P"},
               {"com_", "centre of mass, "},
               {"extent_", "extent, "},
               {"top", "top"},
               {"pieces_mass", "mass in pieces"},
               {"pieces", "pieces"},
               {"piece_largest", "largest piece"},
               {"force_", "force on %s, "},
               {"force", "force on %s"},
               {"impulse_", "impulse on %s, "},
               {"impulse", "impulse on %s"}};
  snprintf(label, size, "%s", row->name);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i].name);
    if (strncmp(row->name, known[i].name, length) != 0) continue;
    const char *gap = strstr(known[i].text, "%s");
    int before = gap ? (int)(gap - known[i].text) : 0;
    snprintf(label, size, "%.*s%s%s%s", before, known[i].text, gap ? row->of : "",
             gap ? gap + 2 : known[i].text, row->name + length);
    return;
  }
}

// Whether every run has a 0.
static bool is_zero(const sweep_measures *all, int time, int row) {
  const char *why;
  for (int i = 0; i < all->s->count; i++)
    if (sweep_measure_value(all, i, time, row, &why) != 0) return false;
  return true;
}

static void md_cell(const sweep_measures *all, int run, int time, int row, FILE *file) {
  const char *why;
  double value = sweep_measure_value(all, run, time, row, &why);
  double difference = 100 * sweep_measure_difference(all, run, time, row);
  if (isnan(value))
    fprintf(file, " –");
  else
    fprintf(file, " %.4g", value);
  if (run == sweep_reference(all->s, run)) difference = (double)NAN;
  if (difference == 0)
    fprintf(file, " (0 %%)");
  else if (!isnan(difference))
    fprintf(file, fabs(difference) < 9.95 ? " (%+.1f %%)" : " (%+.0f %%)", difference);
  fprintf(file, " |");
}

static void md_table(const sweep_measures *all, int time, FILE *file) {
  const sweep *s = all->s;
  fprintf(file, "| |");
  for (int i = 0; i < s->count; i++) {
    char label[512];
    sweep_label(s, i, ", ", label, sizeof label);
    fprintf(file, " %d: %s%s |", i + 1, label, i == sweep_reference(s, i) ? ", reference" : "");
  }
  fprintf(file, "\n|---|");
  for (int i = 0; i < s->count; i++) fprintf(file, "---|");
  fputc('\n', file);
  for (int r = 0; r < all->row_count; r++) {
    char label[256];
    if (is_zero(all, time, r)) continue;
    sweep_measure_label(&all->row[r], label, sizeof label);
    bool bare = strcmp(all->row[r].unit, "1") == 0;
    fprintf(file, "| %s%s%s |", label, bare ? "" : ", ", bare ? "" : all->row[r].unit);
    for (int i = 0; i < s->count; i++) md_cell(all, i, time, r, file);
    fputc('\n', file);
  }
}

static bool is_component(const char *name) {
  size_t length = strlen(name);
  return length > 2 && name[length - 2] == '_' && strchr("xyz", name[length - 1]);
}

static void md_zeros(const sweep_measures *all, int time, FILE *file) {
  bool any = false;
  for (int r = 0; r < all->row_count; r++) {
    char label[256];
    // The components of a force are 0 as it is.
    if (!is_zero(all, time, r) || (*all->row[r].of && is_component(all->row[r].name))) continue;
    sweep_measure_label(&all->row[r], label, sizeof label);
    if (!any) fprintf(file, "\n0 in all runs: ");
    fprintf(file, "%s%s", any ? "; " : "", label);
    any = true;
  }
  if (any) fprintf(file, ".\n");
}

// Measures that a run lacks, those with the same reason together.
static void md_missing(const sweep_measures *all, int run, int time, FILE *file) {
  const char *said = "";
  for (int r = 0; r < all->row_count; r++) {
    const char *why;
    char label[256];
    if (!isnan(sweep_measure_value(all, run, time, r, &why))) continue;
    sweep_measure_label(&all->row[r], label, sizeof label);
    bool same = strcmp(why, said) == 0;
    if (!same) {
      if (*said) fprintf(file, ": %s\n", said);
      fprintf(file, "- run %d, ", run + 1);
    }
    fprintf(file, "%s%s", same ? "; " : "", label);
    said = why;
  }
  if (*said) fprintf(file, ": %s\n", said);
}

static void md_notes(const sweep_measures *all, int time, FILE *file) {
  fputc('\n', file);
  for (int i = 0; i < all->s->count; i++) {
    const sweep_moment *at = moment_of(all, i, time);
    if (!at->m)
      fprintf(file, "- run %d: %s\n", i + 1, at->why);
    else
      md_missing(all, i, time, file);
    if (!sweep_measure_is_exact(all, i, time))
      fprintf(file, "- run %d has no frame at this time; frame %d, at %.6g s, is measured\n", i + 1,
              firn_measurement_frame(at->m), firn_measurement_time(at->m));
  }
}

static void md_begin(const sweep_measures *all, FILE *file) {
  const sweep *s = all->s;
  fprintf(file, "# Measures of %s\n\n", s->scene);
  if (s->measuring.reference)
    fprintf(file, "In brackets: the difference from run %d.\n", s->measuring.reference);
  else
    fprintf(file, "In brackets: the difference from the reference.\n");
  fprintf(file,
          "Differences of components are shares of the vector's length (of momentum: of what it "
          "would be if all snow moved one way), those of places shares of the largest extent.\n\n"
          "- Extent: 99 %% of the mass is within it, along each axis by itself; top is its upper "
          "end.\n"
          "- Pieces: those of 1 %% of all mass and more.");
  if (all->cell > 0)
    fprintf(file, " In all runs they are found in cells of %.4g m, those of the coarsest run.",
            all->cell);
  fprintf(file, "\n- Forces: means over the time that is said. Impulses: since the beginning.\n\n"
                "![over the values](measures.svg)\n\n![over time](curves.svg)\n");
}

void sweep_measures_md(const sweep_measures *all, FILE *file) {
  md_begin(all, file);
  for (int t = 0; t < all->time_count; t++) {
    fprintf(file, "\n## %.6g s\n\nForces are means from %.6g s to %.6g s.\n\n", all->time[t],
            all->window[t][0], all->window[t][1]);
    if (all->row_count) md_table(all, t, file);
    md_zeros(all, t, file);
    md_notes(all, t, file);
  }
}
