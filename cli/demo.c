// SPDX-License-Identifier: Apache-2.0
// firn demo: the shortest way to a picture of snow.
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "render.h"

typedef struct {
  cli_simulate_options with;
  bool quick;
} arguments;

enum { KEY_QUICK = 2000 };

// Before what else the line says, which counts wherever it stands.
static void be_quick(const struct argp_state *state, cli_options *options) {
  const cli_options said = *options;
  options->override_count = 0;
  cli_add_override(state, options, "quality=0.6");
  cli_add_override(state, options, "render.size=[480, 270]");
  cli_add_override(state, options, "render.samples=16");
  for (int i = 0; i < said.override_count; i++) {
    cli_add_override(state, options, said.overrides[i]);
  }
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  (void)arg;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->with; return 0;
  case KEY_QUICK: a->quick = true; return 0;
  case ARGP_KEY_END:
    if (a->quick) be_quick(state, &a->with.options);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"quick", KEY_QUICK, NULL, 0, "a fifth of the particles and a smaller picture: done in seconds",
     0},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "",
    .doc =
        "Simulates the built-in scene 'demo', a snowball that hits the ground, takes pictures of "
        "it on the way and renders the last, into the folder DIR, or demo-out. An earlier demo "
        "that "
        "is there is replaced, another run is not. The frames open in ParaView.",
    .children = cli_simulate_children};

typedef struct {
  progress progress;
  const char *folder;
  const firn_scene *scene;
  render_progress render;
  double start; // when all began
  int pictures;
} demo;

// A few moments on the way, and the end.
static bool wants_picture(int frame, int last) {
  return frame == 0 || frame == last || (last >= 8 && frame % (last / 4) == 0);
}

static bool on_event(void *user, const firn_run_event *event) {
  demo *d = user;
  progress_event(&d->progress, event);
  if (event->frame_written && event->sim && wants_picture(event->frame, event->last_frame)) {
    char path[4200];
    firn_preview_def view = firn_scene_preview(d->scene, event->time);
    snprintf(path, sizeof path, "%s/demo_%05d.png", d->folder, event->frame);
    if (!progress_picture(&d->progress, event, &view, path)) return false;
    d->pictures++;
  }
  return !cli_interrupted();
}

static bool on_render(void *user, double part) {
  demo *d = user;
  render_progress_show(&d->render, part);
  return !cli_interrupted();
}

// The last frame, path traced.
static firn_status render_last(firn_context *context, const firn_scene *scene, demo *d) {
  char path[4200];
  firn_frame *frame;
  firn_render_def def;
  d->render.number = firn_scene_frames(scene);
  snprintf(path, sizeof path, "%s/frame_%05d.hdf", d->folder, d->render.number);
  firn_status status = firn_frame_open(context, path, &frame);
  if (status != FIRN_OK) return status;
  status = firn_scene_render_def(scene, firn_frame_time(frame), &def);
  def.progress = on_render;
  def.progress_user = d;
  if (d->render.mode == PROGRESS_AUTO)
    printf("rendering the last frame: %d x %d pixels, %d paths each\n", def.width, def.height,
           def.samples);
  fflush(stdout);
  d->render.start = cli_seconds();
  snprintf(path, sizeof path, "%s/demo.png", d->folder);
  if (status == FIRN_OK) status = firn_frame_render(frame, scene, &def, path, NULL);
  render_progress_end(&d->render);
  firn_frame_close(frame);
  return status;
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
  printf("done in %s. The picture is %s/demo.png;\n", cli_duration(cli_seconds() - d->start, wall),
         d->folder);
  printf(
      "demo_*.png beside it show %d moments from beginning to end; frame_*.hdf open in ParaView.\n",
      d->pictures);
}

// Whether what a folder holds is an earlier demo, of whatever quality: the title tells, and the picture
// that a demo alone draws, and any run in its place takes away. It may be replaced, as nobody's work is
// lost; other runs may not.
static bool is_demo(const char *folder, const firn_scene *scene) {
  char path[4200], line[1024], title[1030] = "";
  snprintf(path, sizeof path, "%s/demo_00000.png", folder);
  if (access(path, F_OK)) return false;
  snprintf(path, sizeof path, "%s/scene.yaml", folder);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "title: ", 7) == 0) snprintf(title, sizeof title, "\n%s", line);
  if (file) fclose(file);
  return *title && strstr(firn_scene_resolved_text(scene), title);
}

// The picture of an earlier demo may be replaced, another file of that name may not.
static bool check_picture(firn_context *context, const char *folder, const firn_scene *scene) {
  char path[4200];
  snprintf(path, sizeof path, "%s/demo.png", folder);
  if (access(path, F_OK) != 0) return true;
  if (is_demo(folder, scene) && firn_file_check_own(context, path) == FIRN_OK) return true;
  fprintf(stderr,
          "firn: %s is not of an earlier demo: move it away, or choose another folder (-o)\n",
          path);
  return false;
}

static int run_demo(firn_context *context, const arguments *a, const char *folder) {
  firn_scene *scene = cli_scene(context, "demo", &a->with.options, stderr);
  if (!scene) return EXIT_INPUT;
  if (!check_picture(context, folder, scene)) {
    firn_scene_destroy(scene);
    return EXIT_INPUT;
  }
  demo d = {.progress = progress_begin(a->with.run.mode, context),
            .folder = folder,
            .scene = scene,
            .start = cli_seconds()};
  d.render = (render_progress){.mode = a->with.run.mode, .live = d.progress.live, .total = 1};
  if (a->with.run.mode == PROGRESS_AUTO)
    printf("A snowball hits the ground: %s particles, %d frames into %s\n",
           cli_short(round(firn_scene_particles(scene)), (char[32]){0}), firn_scene_frames(scene),
           folder);
  fflush(stdout);
  cli_say_unresolved(scene, a->with.run.mode);
  firn_run_def def = firn_default_run_def();
  def.folder = folder;
  def.overwrite = a->with.run.overwrite || is_demo(folder, scene);
  def.event = on_event;
  def.event_user = &d;
  def.pictures = "demo_";
  firn_status status = firn_run(scene, &def);
  progress_end(&d.progress);
  if (status == FIRN_CANCELLED && d.progress.status != FIRN_OK) status = d.progress.status;
  if (status == FIRN_OK) status = render_last(context, scene, &d);
  int code = EXIT_OK;
  if (status == FIRN_OK) {
    report(a, &d);
  } else if (status == FIRN_CANCELLED) {
    printf("stopped after frame %d\n", d.progress.event.frame);
    code = EXIT_RUN;
  } else {
    code = progress_fail(&d.progress, status);
  }
  firn_scene_destroy(scene);
  return code;
}

int cli_demo(int argc, char **argv) {
  arguments a = {0};
  firn_context *context = cli_begin(&parser, argc, argv, &a, &a.with.options);
  if (!context) return EXIT_INPUT;
  if (a.with.run.mode == PROGRESS_JSON) a.with.options.on_warning = cli_warning_event;
  cli_catch_signals();
  int code = run_demo(context, &a, a.with.run.folder ? a.with.run.folder : "demo-out");
  firn_context_destroy(context);
  return code;
}
