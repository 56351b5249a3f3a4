// SPDX-License-Identifier: Apache-2.0
// firn sweep SCENE --vary path=a,b,c: a scene once for each choice of some values.
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "needs.h"

enum { KEY_VARY = 2000, KEY_LIST, KEY_MEASURE, KEY_AT, KEY_WINDOW, KEY_REFERENCE };

typedef struct {
  cli_simulate_options with;
  const char *scene;
  bool list;
  sweep sweep;
} arguments;

static void add_axis(sweep *s, const char *text, const struct argp_state *state) {
  if (s->axis_count == SWEEP_AXES) argp_error(state, "more than %d times --vary", SWEEP_AXES);
  const char *wrong = sweep_axis_parse(&s->axis[s->axis_count], text);
  if (wrong) argp_error(state, "--vary %s: %s", text, wrong);
  s->axis_count++;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->with; return 0;
  case KEY_VARY: add_axis(&a->sweep, arg, state); return 0;
  case KEY_LIST: a->list = true; return 0;
  case KEY_MEASURE: sweep_measure_times(&a->sweep.measuring, arg, state); return 0;
  case KEY_AT: sweep_measure_frames(&a->sweep.measuring, arg, state); return 0;
  case KEY_WINDOW: sweep_measure_window(&a->sweep.measuring, arg, state); return 0;
  case KEY_REFERENCE: sweep_measure_reference(&a->sweep.measuring, arg, state); return 0;
  case ARGP_KEY_ARG: cli_argument(state, "scene", arg, &a->scene); return 0;
  case ARGP_KEY_END:
    cli_argument(state, "scene", NULL, &a->scene);
    if (!a->sweep.axis_count)
      argp_error(state, "what varies? Give --vary PATH=A,B,C, as --vary mpm.flip=0,0.5,0.95");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"vary", KEY_VARY, "PATH=A,B,C", 0,
     "a value of the scene, by its path as for --set, and what it shall be in turn; given several "
     "times, all combinations are run",
     0},
    {"list", KEY_LIST, NULL, 0, "only list the runs, each checked as `firn check` does", 0},
    {"measure", KEY_MEASURE, "TIMES", OPTION_ARG_OPTIONAL,
     "compare energies, momentum, J_P, extent, pieces and forces of the runs at these times, as "
     "0.1s,40ms (default: a quarter, a half, three quarters and the end of the scene), in "
     "measures.md, measures.csv, measures.svg and curves.svg",
     0},
    {"at", KEY_AT, "F,G", 0, "the same at the times of these frames of the reference run", 0},
    {"window", KEY_WINDOW, "T", 0,
     "for --measure: forces are means over this time, around each time (default: a tenth of the "
     "scene)",
     0},
    {"reference", KEY_REFERENCE, "N", 0,
     "for --measure: compare all runs with run N (default: with the run of the highest quality, or "
     "of the last value of the last --vary, and of the same other values)",
     0},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENE",
    .doc =
        "Runs SCENE once for each choice of the values that --vary names, each into a folder of "
        "its "
        "own "
        "under DIR, or under SCENE-sweep. Sums up in summary.csv, summary.md and sheet.png, a "
        "contact "
        "sheet of the last frames.\v"
        "The same command goes on where it was stopped: runs that are finished are skipped, others "
        "resume. With --overwrite all begin anew. A run that fails is noted in the summary, and "
        "the next one begins. With --measure, runs that are finished are measured without being "
        "run "
        "again.\n\n"
        "Example, six runs:\n"
        "  firn sweep snowball-drop --vary mpm.flip=0,0.5,0.95 --vary quality=0.25,0.5\n\n"
        "Example, does the answer depend on resolution?\n"
        "  firn sweep snowball-smash --vary quality=0.5,0.7,1 --measure",
    .children = cli_simulate_children};

// ----------------------------------------------------------------------------------- one run

// Overrides of a run: those of the command line, then one an axis. The texts are in text.
static bool run_options(const sweep *s, int run, cli_options *out, char text[SWEEP_AXES][1024]) {
  *out = *s->options;
  for (int a = 0; a < s->axis_count; a++) {
    if (out->override_count == CLI_OVERRIDES) return false;
    snprintf(text[a], sizeof text[a], "%s=%s", s->axis[a].path, sweep_value(s, run, a));
    out->overrides[out->override_count++] = text[a];
  }
  return true;
}

firn_scene *sweep_scene(const sweep *s, firn_context *context, int run) {
  cli_options with;
  char text[SWEEP_AXES][1024];
  if (!run_options(s, run, &with, text)) return NULL;
  cli_wait("reading the scenes");
  return cli_scene(context, s->scene, &with, stderr);
}

typedef struct {
  progress progress;
  const sweep *sweep;
  firn_context *context;
  int run;
  const firn_scene *scene;
} watch;

static bool draw_end(watch *w, const firn_run_event *event) {
  char name[300], path[4500];
  sweep_picture(w->sweep, w->run, name, sizeof name);
  snprintf(path, sizeof path, "%s/%s", w->sweep->folder, name);
  // Missing though nothing is left to do: the run was killed between its last frame and this.
  w->progress.any = w->progress.any || access(path, F_OK) != 0;
  firn_preview_def view = sweep_view(w->scene, event->time);
  const char *const names[] = {name};
  firn_status status = firn_folder_begin_own(w->context, w->sweep->folder, SWEEP_KIND, names, 1);
  if (status != FIRN_OK) return progress_stop(&w->progress, event, status);
  return progress_picture(&w->progress, event, &view, path);
}

static bool on_event(void *user, const firn_run_event *event) {
  watch *w = user;
  progress_event(&w->progress, event);
  if (event->frame == event->last_frame && !draw_end(w, event)) return false;
  return !cli_interrupted();
}

// Runs, goes on with, or passes over one; false: the user wants to stop.
static bool perform(sweep *s, firn_context *context, int run) {
  char folder[4200];
  sweep_folder(s, run, folder, sizeof folder);
  firn_scene *scene = sweep_scene(s, context, run);
  if (!scene) {
    s->state[run] = SWEEP_FAILED;
    snprintf(s->message[run], sizeof s->message[run], "the scene is not valid");
    return true;
  }
  watch w = {.progress = progress_begin(s->mode, context),
             .sweep = s,
             .context = context,
             .run = run,
             .scene = scene};
  firn_run_def def = firn_default_run_def();
  def.folder = folder;
  def.event = on_event;
  def.event_user = &w;
  def.resume = !s->overwrite;
  def.overwrite = s->overwrite;
  firn_status status = firn_run(scene, &def);
  progress_end(&w.progress);
  bool drawn = w.progress.status == FIRN_OK;
  if (!drawn) status = w.progress.status;
  firn_scene_destroy(scene);
  if (status == FIRN_OK) {
    s->state[run] = w.progress.any ? SWEEP_DONE : SWEEP_SKIPPED;
  } else if (status != FIRN_CANCELLED) {
    s->state[run] = SWEEP_FAILED;
    snprintf(s->message[run], sizeof s->message[run], "%.255s",
             drawn ? firn_context_message(context) : w.progress.message);
    progress_fail(&w.progress, status);
    // Nothing was done: the folder holds another run, of which the summary may tell.
    s->refused = !w.progress.any && status == FIRN_ERROR_STATE;
  }
  return status != FIRN_CANCELLED;
}

// ----------------------------------------------------------------------------------- all runs

static void announce(const sweep *s, int run) {
  char text[512], name[256];
  sweep_label(s, run, ", ", text, sizeof text);
  if (s->mode == PROGRESS_AUTO) printf("[%d/%d] %s\n", run + 1, s->count, text);
  if (s->mode == PROGRESS_JSON) {
    sweep_name(s, run, name, sizeof name);
    printf("{\"event\": \"run\", \"run\": %d, \"runs\": %d, \"folder\": ", run + 1, s->count);
    cli_json_string(stdout, name);
    printf("}\n");
  }
  fflush(stdout);
}

static int count_state(const sweep *s, sweep_state state) {
  int n = 0;
  for (int i = 0; i < s->count; i++) n += s->state[i] == state;
  return n;
}

static void report_end(const sweep *s, bool stopped, int argc, char **argv) {
  int done = count_state(s, SWEEP_DONE), skipped = count_state(s, SWEEP_SKIPPED);
  int failed = count_state(s, SWEEP_FAILED);
  if (s->mode == PROGRESS_JSON) {
    printf("{\"event\": \"%s\", \"folder\": ", stopped ? "interrupted" : "end");
    cli_json_string(stdout, s->folder);
    printf(", \"done\": %d, \"skipped\": %d, \"failed\": %d}\n", done, skipped, failed);
  }
  if (s->mode == PROGRESS_AUTO) {
    printf("%d done, %d were there already, %d failed; summary.md%ssheet.png are in %s\n", done,
           skipped, failed, s->measuring.wanted ? ", measures.md and " : " and ", s->folder);
  }
  if (stopped && s->mode != PROGRESS_JSON) {
    printf("stopped; the same command goes on:\n  ");
    cli_print_command("sweep", argc, argv, NULL);
    putchar('\n');
  }
}

// Every scene is read before the first one runs: a misspelt path should not cost a night.
static bool check_all(sweep *s, firn_context *context) {
  for (int i = 0; i < s->count; i++) {
    firn_scene *scene = sweep_scene(s, context, i);
    if (!scene) return false;
    s->length[i] = (sweep_length){.frames = firn_scene_frames(scene),
                                  .every = firn_scene_output(scene).every,
                                  .frame_seconds = firn_scene_frame_seconds(scene)};
    firn_scene_destroy(scene);
  }
  return true;
}

// Not after each run: the camera is known when the last one is done.
static bool draw_alike(const sweep *s, firn_context *context) {
  cli_wait("drawing the ends of all runs");
  cli_mute(true); // each scene has been read
  firn_status status = sweep_draw_alike(s, context);
  cli_mute(false);
  if (status != FIRN_OK) cli_fail(context, status);
  return status == FIRN_OK;
}

static int run_all(sweep *s, firn_context *context, int argc, char **argv) {
  if (!check_all(s, context) || !sweep_measure_plan(s)) return EXIT_INPUT;
  if (mkdir(s->folder, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "firn: folder %s cannot be made: %s\n", s->folder, strerror(errno));
    return EXIT_RUN;
  }
  if (!sweep_check_files(s, context)) return EXIT_INPUT;
  if (s->overwrite) sweep_measure_remove(s);
  cli_catch_signals();
  bool go = true;
  for (int i = 0; i < s->count && go; i++) {
    announce(s, i);
    go = perform(s, context, i);
    if (s->state[i] == SWEEP_SKIPPED && s->mode == PROGRESS_AUTO) printf("  is there already\n");
    if (s->refused) {
      fprintf(stderr, "firn: %s is left as it is; --overwrite or another -o makes these runs\n",
              s->folder);
      return EXIT_INPUT;
    }
    if ((i + 1 == s->count || !go) && !draw_alike(s, context)) return EXIT_RUN;
    // After each run, so that there is something to look at on the way.
    if (!sweep_report(s, context)) return EXIT_RUN;
  }
  if (s->measuring.wanted && !sweep_measure(s, context)) return EXIT_RUN;
  report_end(s, !go, argc, argv);
  return go && !count_state(s, SWEEP_FAILED) ? EXIT_OK : EXIT_RUN;
}

// Whether a run can be made; what is wrong with it goes to stderr.
static bool can_run(const sweep *s, firn_context *context, int run) {
  cli_options with;
  cli_needs needs;
  char text[SWEEP_AXES][1024];
  if (!run_options(s, run, &with, text)) return false;
  firn_scene *scene = cli_scene(context, s->scene, &with, stderr);
  if (!scene) return false;
  cli_needs_def def = {.scene = s->scene, .options = &with};
  firn_status status = cli_measure(context, scene, &def, &needs);
  if (status == FIRN_OK) status = cli_check_memory(scene, &needs);
  if (status != FIRN_OK) cli_fail(context, status);
  firn_scene_destroy(scene);
  return status == FIRN_OK;
}

// The names of the runs; what is wrong with one, to stderr.
static int list_all(const sweep *s, firn_context *context) {
  int code = EXIT_OK;
  for (int i = 0; i < s->count; i++) {
    char name[256];
    sweep_name(s, i, name, sizeof name);
    if (can_run(s, context, i)) {
      puts(name);
    } else {
      fprintf(stderr, "firn: run %s cannot be made\n", name);
      code = EXIT_INPUT;
    }
  }
  return code;
}

static bool count_runs(sweep *s) {
  s->count = 1;
  for (int a = 0; a < s->axis_count; a++) {
    s->count *= s->axis[a].count;
    if (s->count > SWEEP_RUNS) return false;
  }
  s->state = calloc((size_t)s->count, sizeof *s->state);
  s->message = calloc((size_t)s->count, sizeof *s->message);
  s->length = calloc((size_t)s->count, sizeof *s->length);
  return s->state && s->message && s->length;
}

int cli_sweep(int argc, char **argv) {
  arguments *a = calloc(1, sizeof *a); // too large for some stacks
  if (!a) return EXIT_RUN;
  cli_parse(&parser, argc, argv, a);
  sweep *s = &a->sweep;
  char folder[4096];
  cli_default_folder(a->scene, folder, sizeof folder - 8);
  snprintf(folder + strlen(folder), 8, "-sweep");
  s->scene = a->scene;
  s->folder = a->with.run.folder ? a->with.run.folder : folder;
  s->mode = a->with.run.mode;
  s->overwrite = a->with.run.overwrite;
  s->options = &a->with.options;
  int code = EXIT_INPUT;
  if (!count_runs(s)) {
    fprintf(stderr, "firn: these values make more than %d runs\n", SWEEP_RUNS);
  } else {
    firn_context *context = cli_context(&a->with.options);
    if (context) {
      code = a->list ? list_all(s, context) : run_all(s, context, argc, argv);
      firn_context_destroy(context);
    }
  }
  for (int i = 0; i < s->axis_count; i++) sweep_axis_free(&s->axis[i]);
  free(s->state);
  free(s->message);
  free(s->length);
  free(a);
  return code;
}
