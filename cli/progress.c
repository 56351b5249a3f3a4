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

progress progress_begin(progress_mode mode) {
  progress p = {.mode = mode};
  p.live = mode == PROGRESS_AUTO && isatty(STDOUT_FILENO);
  p.columns = terminal_columns();
  return p;
}

static double mean_iterations(const firn_run_event *e) {
  return e->steps ? (double)e->iterations / (double)e->steps : 0;
}

void progress_line(const firn_run_event *e, int columns, char *line, size_t size) {
  char a[32], b[32];
  enum { FIELDS = 7 };
  char fields[FIELDS][48];
  // In the order of what to leave out last, when the terminal is narrow.
  snprintf(fields[0], sizeof fields[0], "frame %d/%d", e->frame, e->last_frame);
  snprintf(fields[1], sizeof fields[1], "%s left", cli_duration(e->seconds_left, a));
  snprintf(fields[2], sizeof fields[2], "%s steps", cli_short((double)e->steps, a));
  snprintf(fields[3], sizeof fields[3], "%s particles", cli_short((double)e->particles, a));
  snprintf(fields[4], sizeof fields[4], "%s/s",
           cli_short(e->particle_steps_per_second, a)); // particle-steps
  snprintf(fields[5], sizeof fields[5], "%.1f it/step", mean_iterations(e));
  snprintf(fields[6], sizeof fields[6], "%s", cli_bytes((double)e->bytes, b));
  size_t used = 0;
  for (int i = 0; i < FIELDS; i++) {
    size_t wanted = strlen(fields[i]) + (i ? 2 : 0);
    if (used + wanted > (size_t)columns || used + wanted + 1 > size) break;
    used += (size_t)snprintf(line + used, size - used, "%s%s", i ? "  " : "", fields[i]);
  }
}

static void print_plain(const firn_run_event *e) {
  char a[32], b[32], c[32], d[32];
  printf("frame %d/%d  t = %.4f s  %s steps  %.1f it/step  %s particles  %s/s  %s left  %s\n",
         e->frame, e->last_frame, e->time, cli_count((double)e->steps, a), mean_iterations(e),
         cli_count((double)e->particles, b), cli_short(e->particle_steps_per_second, c),
         cli_duration(e->seconds_left, d), cli_bytes((double)e->bytes, (char[32]){0}));
  fflush(stdout);
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
  printf(", \"bytes\": %zu}\n", e->bytes);
  fflush(stdout);
}

void progress_event(progress *p, const firn_run_event *event) {
  p->event = *event;
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
  char line[256] = "";
  progress_line(event, p->columns - 1, line, sizeof line);
  printf("\r%s\033[K", line);
  fflush(stdout);
  p->open = true;
}

void progress_end(progress *p) {
  if (p->open) putchar('\n');
  p->open = false;
  fflush(stdout);
}
