// SPDX-License-Identifier: Apache-2.0
// --measure of firn sweep: at which times, against which run, and the measures themselves.
#include "sweep_measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------ the options

// "0.1s", "100 ms", "0.1"; false: text is no time.
static bool read_time(const char *text, double *out) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}};
  char *end;
  *out = strtod(text, &end);
  if (end == text || !isfinite(*out) || *out < 0) return false;
  while (*end == ' ') end++;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(end, units[i].name) == 0) {
      *out *= units[i].seconds;
      return true;
    }
  return false;
}

// Calls for each part of a list that commas divide.
static void each_part(const char *text, const struct argp_state *state, sweep_measuring *m,
                      void (*take)(const char *, const struct argp_state *, sweep_measuring *)) {
  char copy[1024];
  if ((size_t)snprintf(copy, sizeof copy, "%s", text) >= sizeof copy)
    argp_error(state, "'%.40s...' is too long", text);
  for (char *part = copy, *next; part; part = next) {
    next = strchr(part, ',');
    if (next) *next++ = 0;
    part += strspn(part, " ");
    take(part, state, m);
  }
}

static void take_time(const char *text, const struct argp_state *state, sweep_measuring *m) {
  if (m->time_count == SWEEP_TIMES) argp_error(state, "--measure: more than %d times", SWEEP_TIMES);
  if (!read_time(text, &m->time[m->time_count]))
    argp_error(state, "--measure: '%s' is not a time, as 0.1s or 40ms", text);
  m->time_count++;
}

static void take_frame(const char *text, const struct argp_state *state, sweep_measuring *m) {
  if (m->frame_count == SWEEP_TIMES) argp_error(state, "--at: more than %d frames", SWEEP_TIMES);
  m->frame[m->frame_count++] = (int)cli_number(state, "--at", text, 0, 99999);
}

void sweep_measure_times(sweep_measuring *m, const char *text, const struct argp_state *state) {
  m->wanted = true;
  if (text) each_part(text, state, m, take_time);
}

void sweep_measure_frames(sweep_measuring *m, const char *text, const struct argp_state *state) {
  m->wanted = true;
  each_part(text, state, m, take_frame);
}

void sweep_measure_window(sweep_measuring *m, const char *text, const struct argp_state *state) {
  m->wanted = true;
  if (!read_time(text, &m->window) || m->window == 0)
    argp_error(state, "--window: '%s' is not a time above 0, as 0.1s or 40ms", text);
}

void sweep_measure_reference(sweep_measuring *m, const char *text, const struct argp_state *state) {
  m->wanted = true;
  m->reference = (int)cli_number(state, "--reference", text, 1, SWEEP_RUNS);
}

// ---------------------------------------------------------------------------------- the reference

// The axis that runs are compared along, and the value of the reference on it.
static int reference_axis(const sweep *s, int *value) {
  int axis = s->axis_count - 1;
  for (int a = 0; a < s->axis_count; a++)
    if (strcmp(s->axis[a].path, "quality") == 0) axis = a;
  const sweep_axis *at = &s->axis[axis];
  *value = at->count - 1;
  if (strcmp(at->path, "quality") != 0) return axis;
  for (int i = 0; i < at->count; i++)
    if (strtod(at->value[i], NULL) > strtod(at->value[*value], NULL)) *value = i;
  return axis;
}

int sweep_reference(const sweep *s, int run) {
  int wanted, stride = 1;
  if (s->measuring.reference) return s->measuring.reference - 1;
  int axis = reference_axis(s, &wanted);
  for (int a = s->axis_count - 1; a > axis; a--) stride *= s->axis[a].count;
  return run + (wanted - run / stride % s->axis[axis].count) * stride;
}

// -------------------------------------------------------------------------------------- the times

static int by_time(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

// Ascending, each once.
static void sort_times(sweep_measuring *m) {
  int n = 0;
  qsort(m->time, (size_t)m->time_count, sizeof *m->time, by_time);
  for (int i = 0; i < m->time_count; i++)
    if (!n || m->time[i] > m->time[n - 1] * (1 + 1e-9)) m->time[n++] = m->time[i];
  m->time_count = n;
}

// The end of the shortest run that lasts until a time, or of the longest where none does.
static double end_after(const sweep *s, double time) {
  double end = 0, longest = 0;
  for (int i = 0; i < s->count; i++) {
    double at = s->length[i].frames * s->length[i].frame_seconds;
    longest = fmax(longest, at);
    if (at >= time * (1 - 1e-9) && (end == 0 || at < end)) end = at;
  }
  return end > 0 ? end : longest;
}

// A quarter, a half, three quarters and the end of the shortest run: of frames that the reference
// writes, those that are nearest.
static void take_quarters(const sweep *s, sweep_measuring *m) {
  const sweep_length *reference = &s->length[sweep_reference(s, 0)];
  double step = reference->frame_seconds * reference->every, end = end_after(s, 0);
  for (int q = 1; q <= 4; q++)
    m->time[m->time_count++] = fmin(fmax(round(0.25 * q * end / step), 1) * step, end);
}

bool sweep_measure_plan(sweep *s) {
  sweep_measuring *m = &s->measuring;
  if (!m->wanted) return true;
  if (m->reference > s->count) {
    fprintf(stderr, "firn: --reference: there is no run %d; there are %d\n", m->reference,
            s->count);
    return false;
  }
  double second = s->length[sweep_reference(s, 0)].frame_seconds;
  for (int i = 0; i < m->frame_count && m->time_count < SWEEP_TIMES; i++)
    m->time[m->time_count++] = m->frame[i] * second;
  if (!m->time_count) take_quarters(s, m);
  sort_times(m);
  double last = m->time[m->time_count - 1], end = end_after(s, last);
  if (last <= end * (1 + 1e-9)) return true;
  fprintf(stderr, "firn: %s: %g s is after the end of all runs, at %g s\n",
          m->frame_count ? "--at" : "--measure", last, end);
  return false;
}

// Around a time, as far as all runs go that last until then.
static void find_window(const sweep *s, double time, double window[2]) {
  double width = s->measuring.window;
  if (width == 0) {
    width = 0.1 * end_after(s, 0);
    for (int i = 0; i < s->count; i++) width = fmax(width, s->length[i].frame_seconds);
  }
  window[0] = fmax(time - 0.5 * width, 0);
  window[1] = fmin(time + 0.5 * width, end_after(s, time));
}

// ----------------------------------------------------------------------------------- the measures

static bool is_finished(const sweep *s, int run) {
  return s->state[run] == SWEEP_DONE || s->state[run] == SWEEP_SKIPPED;
}

static void measure_moment(const sweep_measures *all, firn_context *context, int run, int time,
                           const firn_measure_def *alike) {
  const sweep *s = all->s;
  char folder[4200];
  sweep_moment *out = &all->moment[run * all->time_count + time];
  if (!is_finished(s, run)) {
    bool failed = s->state[run] == SWEEP_FAILED;
    snprintf(out->why, sizeof out->why, "the run %s%s", failed ? "failed: " : "is not finished",
             failed ? s->message[run] : "");
    return;
  }
  firn_measure_def def = *alike;
  sweep_folder(s, run, folder, sizeof folder);
  def.folder = folder;
  def.time = all->time[time];
  def.force_from = all->window[time][0];
  def.force_to = all->window[time][1];
  if (firn_measure_run(context, &def, &out->m) == FIRN_OK) return;
  snprintf(out->why, sizeof out->why, "%.300s", firn_context_message(context));
}

static firn_status find_alike(const sweep *s, firn_context *context, firn_measure_def *def) {
  enum { PATH = 4200 };
  size_t n = (size_t)s->count;
  char(*path)[PATH] = calloc(n, sizeof *path);
  const char **paths = calloc(n, sizeof *paths);
  firn_status status = FIRN_ERROR_MEMORY;
  for (int i = 0; path && paths && i < s->count; i++) {
    sweep_folder(s, i, path[i], sizeof path[i]);
    paths[i] = is_finished(s, i) ? path[i] : NULL;
  }
  if (path && paths) status = firn_measure_alike(context, s->count, paths, def);
  free(path);
  free(paths);
  return status;
}

static bool add_row(sweep_measures *all, const firn_measure *measure) {
  for (int i = 0; i < all->row_count; i++)
    if (strcmp(all->row[i].name, measure->name) == 0 && strcmp(all->row[i].of, measure->of) == 0)
      return true;
  size_t n = (size_t)all->row_count + 1;
  sweep_measure_row *grown = realloc(all->row, n * sizeof *grown);
  if (!grown) return false;
  all->row = grown;
  grown[all->row_count++] = (sweep_measure_row){measure->name, measure->of, measure->unit};
  return true;
}

static bool list_rows(sweep_measures *all) {
  for (int i = 0; i < all->s->count * all->time_count; i++) {
    int count;
    const firn_measure *list = firn_measurement_list(all->moment[i].m, &count);
    for (int k = 0; k < count; k++)
      if (!add_row(all, &list[k])) return false;
  }
  return true;
}

static firn_status measure_all(sweep_measures *all, firn_context *context) {
  const sweep *s = all->s;
  firn_measure_def def = firn_default_measure_def();
  size_t moments = (size_t)s->count * (size_t)all->time_count;
  all->moment = calloc(moments, sizeof *all->moment);
  if (!all->moment) return FIRN_ERROR_MEMORY;
  firn_status status = find_alike(s, context, &def);
  if (status != FIRN_OK) return status;
  all->cell = def.cell;
  for (int i = 0; i < s->count; i++)
    for (int t = 0; t < all->time_count; t++) {
      cli_wait("measuring the runs");
      measure_moment(all, context, i, t, &def);
    }
  return list_rows(all) ? FIRN_OK : FIRN_ERROR_MEMORY;
}

static const firn_measure *find(const sweep_measures *all, int run, int time, int row) {
  int count;
  const sweep_moment *at = &all->moment[run * all->time_count + time];
  const firn_measure *list = firn_measurement_list(at->m, &count);
  const sweep_measure_row *wanted = &all->row[row];
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].name, wanted->name) == 0 && strcmp(list[i].of, wanted->of) == 0)
      return &list[i];
  return NULL;
}

double sweep_measure_value(const sweep_measures *all, int run, int time, int row,
                           const char **why) {
  const sweep_moment *at = &all->moment[run * all->time_count + time];
  const firn_measure *found = find(all, run, time, row);
  *why = at->why;
  if (!at->m) return (double)NAN;
  *why = found ? found->reason : "colliders.csv of the run has no such collider";
  return found ? found->value : (double)NAN;
}

double sweep_measure_difference(const sweep_measures *all, int run, int time, int row) {
  const firn_measure *own = find(all, run, time, row);
  const firn_measure *other = find(all, sweep_reference(all->s, run), time, row);
  if (!own || !other || isnan(own->value) || isnan(other->value)) return (double)NAN;
  if (own->value == other->value) return 0;
  return other->scale > 0 ? (own->value - other->value) / other->scale : (double)NAN;
}

bool sweep_measure_is_exact(const sweep_measures *all, int run, int time) {
  const firn_measurement *m = all->moment[run * all->time_count + time].m;
  // stats.csv has nine digits.
  return !m || fabs(firn_measurement_time(m) - all->time[time]) <= 1e-8 * all->time[time];
}

// -------------------------------------------------------------------------------------- the files

static const char *const files[] = {"measures.csv", "measures.md", "measures.svg", "curves.svg"};
enum { FILES = sizeof files / sizeof *files };

firn_status sweep_measure_check_files(const sweep *s, firn_context *context) {
  if (!s->measuring.wanted && !s->overwrite) return FIRN_OK;
  return firn_folder_check_own(context, s->folder, SWEEP_KIND, files, FILES);
}

void sweep_measure_remove(const sweep *s) {
  char path[4300];
  for (int i = 0; i < FILES; i++) {
    snprintf(path, sizeof path, "%s/%s", s->folder, files[i]);
    unlink(path);
  }
}

static bool write_files(const sweep_measures *all, firn_context *context) {
  const sweep *s = all->s;
  bool good = true;
  for (int i = 0; i < 2; i++) {
    char part[4300];
    FILE *file = sweep_open_part(s, files[i], part, sizeof part);
    if (!file) return false;
    (i ? sweep_measures_md : sweep_measures_csv)(all, file);
    good = sweep_close_part(s, files[i], part, file, true) && good;
  }
  firn_status status = sweep_measures_plot(all, context);
  if (status != FIRN_OK) cli_fail(context, status);
  return good && status == FIRN_OK;
}

bool sweep_measure(const sweep *s, firn_context *context) {
  sweep_measures all = {.s = s, .time_count = s->measuring.time_count};
  for (int i = 0; i < all.time_count; i++) {
    all.time[i] = s->measuring.time[i];
    find_window(s, all.time[i], all.window[i]);
  }
  firn_status status = firn_folder_begin_own(context, s->folder, SWEEP_KIND, files, FILES);
  bool good = false;
  if (status == FIRN_OK) status = measure_all(&all, context);
  if (status == FIRN_ERROR_MEMORY) fprintf(stderr, "firn: no memory for the measures\n");
  if (status == FIRN_OK) good = write_files(&all, context);
  firn_status end = firn_folder_end_own(context, s->folder, SWEEP_KIND);
  if (status == FIRN_OK) status = end;
  if (status != FIRN_OK && status != FIRN_ERROR_MEMORY) cli_fail(context, status);
  for (int i = 0; all.moment && i < s->count * all.time_count; i++)
    firn_measurement_destroy(all.moment[i].m);
  free(all.moment);
  free(all.row);
  return good && status == FIRN_OK;
}
