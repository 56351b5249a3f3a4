// SPDX-License-Identifier: Apache-2.0
// firn run SCENE: simulates a scene into a folder.
#include <string.h>

#include "needs.h"
#include "progress.h"
#include "run_pictures.h"

#define PICTURES "picture_"

enum { KEY_FRAMES = 2000, KEY_RESUME, KEY_PICTURES, KEY_UNCHECKED, KEY_FROM };

typedef struct {
  cli_simulate_options with;
  const char *scene;
  int first, last;
  bool resume, unchecked;
  int pictures;    // one every so many frames; 0: none
  char from[4096]; // folder to branch off from; "": none
  int from_frame;  // -1: of its newest checkpoint
} arguments;

// "DIR" or "DIR:FRAME".
static void parse_from(arguments *a, const char *text, const struct argp_state *state) {
  const char *colon = strrchr(text, ':');
  bool numbered = colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1);
  int length = numbered ? (int)(colon - text) : (int)strlen(text);
  if (!length || length >= (int)sizeof a->from)
    argp_error(state, "--from: '%s' is not as DIR or DIR:FRAME", text);
  snprintf(a->from, sizeof a->from, "%.*s", length, text);
  if (numbered) a->from_frame = (int)cli_number(state, "--from", colon + 1, 0, 99999);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->with; return 0;
  case KEY_RESUME: a->resume = true; return 0;
  case KEY_UNCHECKED: a->unchecked = true; return 0;
  case KEY_PICTURES:
    a->pictures = arg ? (int)cli_number(state, "--pictures", arg, 1, 99999) : 1;
    return 0;
  case KEY_FRAMES: cli_frames(state, arg, &a->first, &a->last); return 0;
  case KEY_FROM: parse_from(a, arg, state); return 0;
  case ARGP_KEY_ARG: cli_argument(state, "scene", arg, &a->scene); return 0;
  case ARGP_KEY_END:
    cli_argument(state, "scene", NULL, &a->scene);
    if (a->resume && a->with.run.overwrite)
      argp_error(state, "--resume and --overwrite are two things; choose one");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"frames", KEY_FRAMES, "A:B", 0,
     "write frames A to B, both included, instead of all: :B from the first on, A: to the last, N "
     "that one alone. 0 is the initial state, where the "
     "simulation begins whatever A is. B may be beyond the scene's last frame. Without it a resume "
     "goes on with those that were asked for, and where they are all there up to the scene's last",
     0},
    {"pictures", KEY_PICTURES, "N", OPTION_ARG_OPTIONAL,
     "also draw each frame that is written, or every N-th, as picture_00000.png and so on; a "
     "resume also draws "
     "those that are missing of frames that are there",
     0},
    {"resume", KEY_RESUME, NULL, 0,
     "go on from the last checkpoint in the folder, or begin where there is nothing yet. What is "
     "there is checked first; what is not whole is made again, or named",
     0},
    {"from", KEY_FROM, "DIR:FRAME", 0,
     "branch off from a checkpoint of another run, its newest where no frame is given: begin with "
     "what that had come to, and go on with the numbers of this scene. Frames and rows up to there "
     "are taken over. What differs must be numbers of materials and forces, gravity, the wind's "
     "velocity, motions of colliders, time steps or output",
     0},
    {"no-memory-check", KEY_UNCHECKED, NULL, 0,
     "begin even where the snow will hardly fit into memory", 0},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENE",
    .doc =
        "Simulates SCENE, a file or a name from `firn scenes`, and writes frames, checkpoints and "
        "statistics into a folder: DIR, or one named after the scene. A folder that holds a run is "
        "left alone unless --resume or --overwrite says otherwise.\v"
        "Ctrl-C finishes the step, writes a checkpoint and tells how to go on.\n\n"
        "Examples:\n"
        "  firn run snowball-drop --set quality=0.5 --pictures\n"
        "  firn run my-scene.yaml -o out\n"
        "  firn run my-scene.yaml -o out --resume\n"
        "  firn run my-scene.yaml -o other --from out --set mpm.dt_max=0.1ms",
    .children = cli_simulate_children};

typedef struct {
  const arguments *a;
  const firn_context *context;
  bool started; // it was told
  progress progress;
  const char *folder;
  int every; // frames from picture to picture; 0: none
  const firn_scene *scene;
} watch;

static void report_start(const arguments *a, const firn_context *context, const char *folder) {
  if (a->with.run.mode == PROGRESS_QUIET) return;
  if (a->with.run.mode == PROGRESS_JSON) {
    printf("{\"event\": \"start\", \"scene\": ");
    cli_json_string(stdout, a->scene);
    printf(", \"folder\": ");
    cli_json_string(stdout, folder);
    printf(", \"device\": \"cpu\", \"threads\": %d, \"isa\": \"%s\", \"precision\": \"%s\"}\n",
           firn_context_threads(context), firn_isa_name(firn_context_isa(context)),
           firn_precision());
    return;
  }
  int threads = firn_context_threads(context);
  printf("%s into %s (%d thread%s, %s)\n", a->scene, folder, threads, threads == 1 ? "" : "s",
         firn_isa_name(firn_context_isa(context)));
  fflush(stdout);
}

static bool on_event(void *user, const firn_run_event *event) {
  watch *w = user;
  // Not before: a run that is refused has not begun.
  if (!w->started && w->a->with.run.mode != PROGRESS_JSON)
    report_start(w->a, w->context, w->folder);
  if (!w->started && !w->a->resume) cli_say_unresolved(w->scene, w->a->with.run.mode);
  w->started = true;
  progress_event(&w->progress, event);
  if (w->every && event->frame_written && event->sim && event->frame % w->every == 0) {
    char path[4200];
    firn_preview_def view = firn_scene_preview(w->scene, event->time);
    snprintf(path, sizeof path, "%s/" PICTURES "%05d.png", w->folder, event->frame);
    if (!progress_picture(&w->progress, event, &view, path)) return false;
  }
  return !cli_interrupted();
}

// What the run itself has not drawn: pictures of frames that were there before.
static firn_status make_up_pictures(const watch *w, firn_context *context) {
  run_pictures of = {w->scene, w->folder, PICTURES, w->every};
  int drawn;
  if (!w->every) return FIRN_OK;
  cli_wait("looking for missing pictures");
  firn_status status = run_draw_missing(context, &of, &drawn);
  cli_wait_clear();
  if (drawn && w->a->with.run.mode == PROGRESS_AUTO)
    printf("%d picture%s of frames that were there %s drawn in %s\n", drawn, drawn == 1 ? "" : "s",
           drawn == 1 ? "is" : "are", w->folder);
  return status;
}

static void report_end(const arguments *a, const progress *p, const char *folder) {
  const firn_run_event *e = &p->event;
  char wall[32];
  if (a->with.run.mode == PROGRESS_QUIET) return;
  if (a->with.run.mode == PROGRESS_JSON) {
    printf("{\"event\": \"end\", \"folder\": ");
    cli_json_string(stdout, folder);
    printf(", \"wall_seconds\": ");
    cli_json_number(stdout, p->any ? e->wall : 0);
    printf("}\n");
    return;
  }
  if (p->any)
    printf("done in %s; frames and stats.csv are in %s\n", cli_duration(e->wall, wall), folder);
  else
    printf("nothing to do; frames and stats.csv are in %s\n", folder);
}

static void report_stop(const arguments *a, const progress *p, const char *folder, int argc,
                        char **argv) {
  if (a->with.run.mode == PROGRESS_JSON) {
    printf("{\"event\": \"interrupted\", \"frame\": %d, \"folder\": ", p->event.frame);
    cli_json_string(stdout, folder);
    printf("}\n");
    return;
  }
  printf("stopped after frame %d. To go on with what is in %s:\n  ", p->event.frame, folder);
  cli_print_command("run", argc, argv, "--overwrite");
  puts(a->resume ? "" : " --resume");
}

// What was stopped is the trial, of which nobody knows.
static int fail_size(const firn_context *context, firn_status status, progress_mode mode) {
  if (status != FIRN_CANCELLED) return cli_fail_run(context, status, mode);
  return cli_fail_said("stopped before the run began; nothing was written", status, mode);
}

int cli_run(int argc, char **argv) {
  arguments a = {.first = -1, .last = -1, .from_frame = -1};
  firn_context *context = cli_begin(&parser, argc, argv, &a, &a.with.options);
  if (!context) return EXIT_INPUT;
  char folder[4096];
  a.with.options.notes = a.with.run.mode == PROGRESS_AUTO;
  if (a.with.run.mode == PROGRESS_JSON) a.with.options.on_warning = cli_warning_event;
  if (a.with.run.folder)
    snprintf(folder, sizeof folder, "%s", a.with.run.folder);
  else
    cli_default_folder(a.scene, folder, sizeof folder);

  firn_scene *scene = cli_scene(context, a.scene, &a.with.options, stderr);
  if (!scene) {
    firn_context_destroy(context);
    return EXIT_INPUT;
  }

  cli_catch_signals(); // before the size is tried out in a temporary folder, which goes away again
  firn_status fits = a.unchecked ? FIRN_OK
                                 : cli_check_size(context, scene, a.scene, &a.with.options);
  if (fits != FIRN_OK) {
    firn_scene_destroy(scene);
    int code = fail_size(context, fits, a.with.run.mode);
    firn_context_destroy(context);
    return code;
  }

  if (a.with.run.mode == PROGRESS_JSON) report_start(&a, context, folder); // ahead of all events
  watch w = {.a = &a,
             .context = context,
             .progress = progress_begin(a.with.run.mode, context),
             .folder = folder,
             .every = a.pictures,
             .scene = scene};
  firn_run_def def = firn_default_run_def();
  def.folder = folder;
  def.first_frame = a.first;
  def.last_frame = a.last;
  def.resume = a.resume;
  def.overwrite = a.with.run.overwrite;
  def.from = *a.from ? a.from : NULL;
  def.from_frame = a.from_frame;
  def.pictures = a.pictures ? PICTURES : NULL;
  def.event = on_event;
  def.event_user = &w;
  firn_status status = firn_run(scene, &def);
  progress_end(&w.progress);
  if (status == FIRN_CANCELLED && w.progress.status != FIRN_OK) status = w.progress.status;
  if (status == FIRN_OK) status = make_up_pictures(&w, context);

  int code = EXIT_OK;
  if (status == FIRN_OK) {
    report_end(&a, &w.progress, folder);
  } else if (status == FIRN_CANCELLED) {
    report_stop(&a, &w.progress, folder, argc, argv);
    code = EXIT_RUN;
  } else {
    code = progress_fail(&w.progress, status);
  }
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return code;
}
