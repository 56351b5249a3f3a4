// SPDX-License-Identifier: Apache-2.0
// firn plot DIR...: curves from the statistics of a run, or of several over each other.
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum { KEY_COLUMNS = 3000, KEY_TITLE, KEY_NAME, KEY_WIDTH, KEY_HEIGHT, KEY_LOG, KEY_X };

enum { MOST = 64 }; // the library says how many it has room for

typedef struct {
  cli_options options;
  firn_plot_def def;
  const char *more[MOST]; // runs after the first
  const char *output;
  bool quiet;
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case 'o': a->output = arg; return 0;
  case 'q':
    cli_wait_off();
    a->quiet = true;
    return 0;
  case KEY_COLUMNS: a->def.columns = arg; return 0;
  case KEY_TITLE: a->def.title = arg; return 0;
  case KEY_NAME: a->def.where = arg; return 0;
  case KEY_WIDTH: a->def.width = (int)cli_number(state, "--width", arg, 200, 16384); return 0;
  case KEY_HEIGHT:
    a->def.panel_height = (int)cli_number(state, "--height", arg, 100, 4096);
    return 0;
  case KEY_X: a->def.axis = arg; return 0;
  case KEY_LOG: a->def.log_scale = true; return 0;
  case ARGP_KEY_ARG:
    if (!a->def.source)
      a->def.source = arg;
    else if (a->def.more_count < MOST)
      a->more[a->def.more_count++] = arg;
    return 0;
  case ARGP_KEY_END: cli_argument(state, "folder", NULL, &a->def.source); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "an SVG or PNG file (default: DIR/stats.svg, and of several runs runs.svg here)", 0},
    {"columns", KEY_COLUMNS, "A,B", 0,
     "columns to draw, as com_y,energy_kinetic (default: what a run is judged by); energy_total "
     "and "
     "wall_per_step are made of others",
     0},
    {"x", KEY_X, "COLUMN", 0, "the column along the horizontal axis (default: time)", 0},
    {"name", KEY_NAME, "NAME", 0, "rows of a collider or probe, for colliders.csv and probes.csv",
     0},
    {"title", KEY_TITLE, "TEXT", 0, "above the curves (default: the folders' names)", 0},
    {"log", KEY_LOG, NULL, 0, "logarithmic values", 0},
    {"width", KEY_WIDTH, "N", 0, "pixels (default: 1200)", 0},
    {"height", KEY_HEIGHT, "N", 0, "pixels of a panel (default: 250)", 0},
    {"quiet", 'q', NULL, 0, "say nothing but errors", 0},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR|FILE.csv...",
    .doc = "Draws curves from the stats.csv of a run, or from another table of it (colliders.csv, "
           "probes.csv), a panel for each quantity. Several runs are drawn over each other."};

int cli_plot(int argc, char **argv) {
  arguments a = {.def = firn_default_plot_def()};
  firn_context *context = cli_begin(&parser, argc, argv, &a, &a.options);
  if (!context) return EXIT_INPUT;
  char path[4200];
  size_t length = strlen(a.def.source);
  while (length > 1 && a.def.source[length - 1] == '/') length--;
  a.def.more = a.more;
  if (a.output)
    snprintf(path, sizeof path, "%s", a.output);
  else if (a.def.more_count)
    snprintf(path, sizeof path, "runs.svg");
  else if (length > 4 && strcmp(a.def.source + length - 4, ".csv") == 0)
    snprintf(path, sizeof path, "%.*s.svg", (int)length - 4, a.def.source);
  else
    snprintf(path, sizeof path, "%.*s/stats.svg", (int)length, a.def.source);
  firn_status status = cli_check_output(context, path);
  if (status == FIRN_OK) status = firn_plot(context, &a.def, path);
  int code = status == FIRN_OK ? EXIT_OK : cli_fail(context, status);
  if (access(a.def.source, R_OK) != 0) code = EXIT_INPUT;
  if (status == FIRN_OK && !a.quiet) printf("%s\n", path);
  firn_context_destroy(context);
  return code;
}
