// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int terminal_columns(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

progress progress_begin(progress_mode mode, const firn_context *context) {
  progress p = {.mode = mode, .context = context};
  p.live = mode == PROGRESS_AUTO && isatty(STDOUT_FILENO);
  p.columns = terminal_columns();
  return p;
}

static double mean_iterations(const firn_run_event *e) {
  return e->steps ? (double)e->iterations / (double)e->steps : 0;
}

// False before the first step: there is nothing yet to tell speed and time left from.
static bool has_speed(const firn_run_event *e) {
  return e->particle_steps_per_second > 0;
}

// The fields in their order, in long or in short words.
enum { FIELDS = 7 };

static void line_fields(const firn_run_event *e, bool brief, char fields[FIELDS][48]) {
  char a[32];
  snprintf(fields[0], 48, "frame %d/%d", e->frame, e->last_frame);
  snprintf(fields[1], 48, "%s steps", cli_short((double)e->steps, a));
  snprintf(fields[2], 48, "%.1f it", mean_iterations(e));
  snprintf(fields[3], 48, "%s %s", cli_short((double)e->particles, a), brief ? "pts" : "particles");
  snprintf(fields[4], 48, "%s/s", cli_short(e->particle_steps_per_second, a));
  snprintf(fields[5], 48, "%s left", cli_duration(e->seconds_left, a));
  snprintf(fields[6], 48, "%s", cli_bytes((double)e->bytes, a));
}

void progress_line(const firn_run_event *e, int columns, char *line, size_t size) {
  static const int expendable[] = {6, 2, 3, 1, 4, 5}; // what goes first on a narrow terminal
  char fields[FIELDS][48];
  bool keep[FIELDS];
  memset(keep, true, sizeof keep);
  if (!has_speed(e)) keep[4] = keep[5] = false;
  for (int attempt = 0; attempt < FIELDS + 1; attempt++) {
    line_fields(e, attempt > 0, fields);
    if (attempt > 1) keep[expendable[attempt - 2]] = false;
    size_t used = 0;
    line[0] = 0;
    for (int i = 0; i < FIELDS && used < size; i++)
      if (keep[i])
        used += (size_t)snprintf(line + used, size - used, "%s%s", i ? "  " : "", fields[i]);
    if (used <= (size_t)columns) return;
  }
}

static void print_plain(const firn_run_event *e) {
  char a[32], b[32];
  printf("frame %d/%d  t = %.4f s  %s steps  %.1f it/step  %s particles", e->frame, e->last_frame,
         e->time, cli_count((double)e->steps, a), mean_iterations(e),
         cli_count((double)e->particles, b));
  if (has_speed(e))
    printf("  %s/s  %s left", cli_short(e->particle_steps_per_second, a),
           cli_duration(e->seconds_left, b));
  printf("  %s\n", cli_bytes((double)e->bytes, a));
  fflush(stdout);
}

// What the solver at hand tells besides, whichever it is.
static void print_stats(firn_sim *sim) {
  double value[64];
  firn_stat_info info;
  if (!sim || !firn_sim_stat_count(sim) || firn_sim_measure(sim, NULL, value) != FIRN_OK) return;
  printf(", \"stats\": {");
  for (int i = 0; firn_sim_stat_info(sim, i, &info) == FIRN_OK; i++) {
    printf("%s\"%s\": ", i ? ", " : "", info.name);
    cli_json_number(stdout, value[i]);
  }
  printf("}");
}

static void print_json(const firn_run_event *e) {
  printf("{\"event\": \"frame\", \"frame\": %d, \"last_frame\": %d, \"time\": ", e->frame,
         e->last_frame);
  cli_json_number(stdout, e->time);
  printf(", \"steps\": %llu, \"iterations\": %llu, \"particles\": %zu, "
         "\"particle_steps_per_second\": ",
         (unsigned long long)e->steps, (unsigned long long)e->iterations, e->particles);
  cli_json_number(stdout, e->particle_steps_per_second);
  printf(", \"wall_seconds\": ");
  cli_json_number(stdout, e->wall);
  printf(", \"seconds_left\": ");
  cli_json_number(stdout, e->seconds_left);
  printf(", \"memory_bytes\": %zu", e->bytes);
  print_stats(e->sim);
  puts("}");
  fflush(stdout);
}

void progress_event(progress *p, const firn_run_event *event) {
  p->event = *event;
  if (event->resumed) return; // it was told when it was written
  p->any = true;
  if (p->mode == PROGRESS_QUIET) return;
  if (p->mode == PROGRESS_JSON) {
    if (event->frame_written) print_json(event);
    return;
  }
  if (!p->live) {
    if (event->frame_written) print_plain(event);
    return;
  }
  double now = cli_seconds();
  if (!event->frame_written && now - p->last < 0.1) return;
  p->last = now;
  p->columns = terminal_columns(); // the window may have been resized
  char line[256] = "";
  progress_line(event, p->columns - 1, line, sizeof line);
  printf("\r%s\033[K", line);
  fflush(stdout);
  p->open = true;
}

bool progress_stop(progress *p, const firn_run_event *event, firn_status status) {
  p->status = status;
  snprintf(p->message, sizeof p->message, "stopped after frame %d, which can be resumed: %.1000s",
           event->frame, firn_context_message(p->context));
  return false;
}

bool progress_picture(progress *p, const firn_run_event *event, const firn_preview_def *view,
                      const char *path) {
  if (event->resumed && access(path, F_OK) == 0) return true;
  firn_status status = firn_sim_preview(event->sim, view, path);
  return status == FIRN_OK || progress_stop(p, event, status);
}

int progress_fail(const progress *p, firn_status status) {
  if (p->status != FIRN_OK) return cli_fail_said(p->message, p->status, p->mode);
  return cli_fail_run(p->context, status, p->mode);
}

void progress_end(progress *p) {
  if (p->open) putchar('\n');
  p->open = false;
  fflush(stdout);
}
