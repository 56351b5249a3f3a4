// SPDX-License-Identifier: Apache-2.0
// firn demo: the shortest way to a picture of snow.
#include "progress.h"

typedef struct {
  cli_simulate_options with;
  bool quick;
} arguments;

enum { KEY_QUICK = 2000 };

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  (void)arg;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->with; return 0;
  case KEY_QUICK: a->quick = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"quick", KEY_QUICK, NULL, 0, "an eighth of the particles: done in seconds", 0},
    {0},
};
static const struct argp parser = {
    options,
    parse,
    "",
    "Simulates the built-in scene 'demo', a snowball that hits the ground, and takes pictures of "
    "it, into the folder DIR, or demo-out. The frames it writes open in ParaView.",
    cli_simulate_children,
    NULL,
    NULL};

typedef struct {
  progress progress;
  const char *folder;
  firn_preview_def view;
  firn_status status; // of the pictures
  int pictures;
} demo;

static firn_status picture(demo *d, firn_sim *sim, const char *name) {
  char path[4200];
  snprintf(path, sizeof path, "%s/%s", d->folder, name);
  d->status = firn_sim_preview(sim, &d->view, path);
  if (d->status == FIRN_OK) d->pictures++;
  return d->status;
}

// A few moments on the way, and the end.
static bool wants_picture(int frame, int last) {
  return frame == 0 || frame == last || (last >= 8 && frame % (last / 4) == 0);
}

static bool on_event(void *user, const firn_run_event *event) {
  demo *d = user;
  progress_event(&d->progress, event);
  if (event->frame_written && event->sim && wants_picture(event->frame, event->last_frame)) {
    char name[32];
    snprintf(name, sizeof name, "demo_%05d.png", event->frame);
    if (picture(d, event->sim, name) != FIRN_OK) return false;
    if (event->frame == event->last_frame && picture(d, event->sim, "demo.png") != FIRN_OK)
      return false;
  }
  return !cli_interrupted();
}

static void report(const arguments *a, const demo *d) {
  char wall[32];
  if (a->with.run.mode == PROGRESS_JSON) {
    printf("{\"event\": \"end\", \"folder\": ");
    cli_json_string(stdout, d->folder);
    printf(", \"picture\": ");
    char path[4200];
    snprintf(path, sizeof path, "%s/demo.png", d->folder);
    cli_json_string(stdout, path);
    printf("}\n");
  }
  if (a->with.run.mode != PROGRESS_AUTO) return;
  printf("done in %s. The picture is %s/demo.png;\n", cli_duration(d->progress.event.wall, wall),
         d->folder);
  printf(
      "demo_*.png beside it show %d moments from beginning to end; frame_*.hdf open in ParaView.\n",
      d->pictures - 1);
}

static int run_demo(firn_context *context, const arguments *a, const char *folder) {
  firn_scene *scene = cli_scene(context, "demo", &a->with.options, stderr);
  if (!scene) return EXIT_INPUT;
  demo d = {.progress = progress_begin(a->with.run.mode),
            .folder = folder,
            .view = firn_scene_preview(scene),
            .status = FIRN_OK};
  if (a->with.run.mode == PROGRESS_AUTO)
    printf("A snowball hits the ground: %s particles, %d frames into %s\n",
           cli_short(firn_scene_particles(scene), (char[32]){0}), firn_scene_frames(scene), folder);
  fflush(stdout);
  firn_run_def def = firn_default_run_def();
  def.folder = folder;
  def.event = on_event;
  def.event_user = &d;
  firn_status status = firn_run(scene, &def);
  progress_end(&d.progress);
  if (status == FIRN_CANCELLED && d.status != FIRN_OK) status = d.status;
  int code = EXIT_OK;
  if (status == FIRN_OK) {
    report(a, &d);
  } else if (status == FIRN_CANCELLED) {
    printf("stopped after frame %d\n", d.progress.event.frame);
    code = EXIT_RUN;
  } else {
    code = cli_fail_run(context, status, a->with.run.mode);
  }
  firn_scene_destroy(scene);
  return code;
}

int cli_demo(int argc, char **argv) {
  arguments a = {0};
  argp_parse(&parser, argc, argv, 0, NULL, &a);
  if (a.quick && a.with.options.override_count < CLI_OVERRIDES)
    a.with.options.overrides[a.with.options.override_count++] = "quality=0.5";
  firn_context *context = cli_context(&a.with.options);
  if (!context) return EXIT_INPUT;
  cli_catch_signals();
  int code = run_demo(context, &a, a.with.run.folder ? a.with.run.folder : "demo-out");
  firn_context_destroy(context);
  return code;
}
