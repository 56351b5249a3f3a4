// SPDX-License-Identifier: Apache-2.0
// firn refine DIR: fine particles of what a run has written.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "limits.h"

enum {
  KEY_FRAMES = 3000,
  KEY_PER,
  KEY_MODE,
  KEY_SEED,
  KEY_SET,
  KEY_RESUME,
  KEY_OVERWRITE,
  KEY_JSON
};

typedef struct {
  cli_options options;
  const char *source, *output;
  int first, last;
  long per;  // 0: as the scene says
  int mode;  // -1: as the scene says
  long seed; // -1: likewise
  bool resume, overwrite;
  progress_mode progress;
  bool live, open;
  firn_refine_event event; // the last one
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
  case 'o': a->output = arg; return 0;
  case 'q':
    cli_wait_off();
    a->progress = PROGRESS_QUIET;
    return 0;
  case KEY_JSON:
    cli_wait_off();
    a->progress = PROGRESS_JSON;
    return 0;
  case KEY_FRAMES: cli_frames(state, arg, &a->first, &a->last); return 0;
  case KEY_PER: a->per = cli_number(state, "--per", arg, 1, 10000); return 0;
  case KEY_MODE:
    a->mode = cli_choice(state, "--mode", arg, cli_values("refine", "--mode"));
    return 0;
  case KEY_SEED: a->seed = cli_number(state, "--seed", arg, 0, 9007199254740992); return 0;
  case KEY_SET: cli_add_override(state, &a->options, arg); return 0;
  case KEY_RESUME: a->resume = true; return 0;
  case KEY_OVERWRITE: a->overwrite = true; return 0;
  case ARGP_KEY_ARG: cli_argument(state, "folder", arg, &a->source); return 0;
  case ARGP_KEY_END:
    cli_argument(state, "folder", NULL, &a->source);
    if (a->resume && a->overwrite) argp_error(state, "either --resume or --overwrite, not both");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"output", 'o', "DIR", 0, "folder to write into (default: fine, in that of the run)", 0},
    {"frames", KEY_FRAMES, "A:B", 0,
     "frames to refine, both ends included (default: all); powder begins at A", 0},
    {"per", KEY_PER, "N", 0, "fine particles of each particle (default: as the scene says, 20)", 0},
    {"mode", KEY_MODE, "NAME", 0, "ballistic, or printed as in the paper", 0},
    {"seed", KEY_SEED, "N", 0, "of their places and sizes", 0},
    {"set", KEY_SET, "PATH=VALUE", 0,
     "change a value of the scene, as refine.density=0.3; may be given several times", 0},
    {"resume", KEY_RESUME, NULL, 0, "go on after the frames that are there and whole", 0},
    {"overwrite", KEY_OVERWRITE, NULL, 0,
     "remove the fine particles that firn refine has left there, and begin anew", 0},
    {"quiet", 'q', NULL, 0, "say nothing but errors", 0},
    {"json", KEY_JSON, NULL, 0, "tell the progress as one JSON object a line, for programs", 0},
    {0},
};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "DIR",
    .doc =
        "Fills the snow of a run of any solver with fine particles that it carries along: powder "
        "and spray without simulating it (Takahashi et al. 2014, section 3.3). DIR/fine then "
        "holds a frame of them for each of the run's; `firn render DIR` shows them, and `firn "
        "export DIR/fine` exports them.\v"
        "Settings are those of the section refine of the run's scene; --set refine.KEY=VALUE "
        "changes one.\n\nExample: firn refine out --per 30",
    .children = cli_context_children};

// ------------------------------------------------------------------------------------------ progress

static void print_line(const firn_refine_event *e, bool live) {
  char a[32], b[32], c[32];
  if (live) putchar('\r');
  printf("frame %d  %d/%d  %s fine particles  %s", e->frame, e->done, e->total,
         cli_short((double)e->particles, a), cli_bytes((double)e->bytes, b));
  if (e->moving > 0) printf("  %s updates/s", cli_short((double)e->updates / e->moving, c));
  printf(live ? "\033[K" : "\n");
  fflush(stdout);
}

static void print_json(const firn_refine_event *e) {
  printf("{\"event\": \"frame\", \"frame\": %d, \"done\": %d, \"total\": %d, \"path\": ", e->frame,
         e->done, e->total);
  cli_json_string(stdout, e->path);
  printf(", \"particles\": %zu, \"file_bytes\": %llu, \"updates\": %llu, \"moving_seconds\": ",
         e->particles, (unsigned long long)e->bytes, (unsigned long long)e->updates);
  cli_json_number(stdout, e->moving);
  printf(", \"wall_seconds\": ");
  cli_json_number(stdout, e->wall);
  printf("}\n");
  fflush(stdout);
}

static bool on_event(void *user, const firn_refine_event *event) {
  arguments *a = user;
  a->event = *event;
  if (a->progress == PROGRESS_JSON) {
    print_json(event);
  } else if (a->progress == PROGRESS_AUTO) {
    print_line(event, a->live);
    a->open = a->live;
  }
  return !cli_interrupted();
}

// --------------------------------------------------------------------------------------------- disk

// Frames of a folder from first to last; 0: there is no such folder, or none in it.
static int frames_in(firn_context *context, const char *path, int first, int last,
                     firn_folder **folder) {
  *folder = NULL;
  if (access(path, R_OK) != 0 || firn_folder_open(context, path, folder) != FIRN_OK) return 0;
  if (firn_folder_select(*folder, first, last, 1) != FIRN_OK) return 0;
  return firn_folder_count(*folder, FIRN_FOLDER_FRAME);
}

// Bytes that the frames will take; nan: nobody knows. Those of precision 16 pack to about a third.
static double bytes_of(firn_context *context, const firn_refine_def *def, const char *output,
                       double *particles) {
  firn_folder *folder, *made;
  int frames = frames_in(context, def->source, def->first_frame, def->last_frame, &folder),
      done = 0;
  *particles = 0;
  for (int i = 0; i < 2 && frames; i++) { // the first and the last
    firn_frame *frame;
    if (firn_frame_open(context, firn_folder_file(folder, FIRN_FOLDER_FRAME, i * (frames - 1)),
                        &frame) != FIRN_OK)
      continue;
    *particles = fmax(*particles, (double)firn_frame_count(frame));
    firn_frame_close(frame);
  }
  if (def->resume) {
    done = frames_in(context, output, def->first_frame, def->last_frame, &made);
    firn_folder_close(made);
  }
  firn_folder_close(folder);
  double each = def->precision == 16 ? 14 : 40;
  return *particles > 0 ? each * *particles * def->per_particle * (frames - done) : NAN;
}

// Tells what will be written; false where the disk cannot hold it.
static bool check_disk(firn_context *context, const arguments *a, const firn_refine_def *def,
                       const char *output) {
  double particles, bytes = bytes_of(context, def, output, &particles), there = limits_disk(output);
  char n[32], size[32], left[32];
  if (!isfinite(bytes)) return true; // the library says why
  bool fits = !(bytes > there);
  if (fits && a->progress == PROGRESS_AUTO)
    printf("%s fine particles, %d of each particle, about %s of frames\n",
           cli_short(particles * def->per_particle, n), def->per_particle, cli_bytes(bytes, size));
  if (!fits)
    fprintf(stderr,
            "firn: the frames of %s fine particles need about %s of disk, and %s are free; --per, "
            "--frames, --set output.precision=16 or -o help\n",
            cli_short(particles * def->per_particle, n), cli_bytes(bytes, size),
            cli_bytes(there, left));
  return fits;
}

// ---------------------------------------------------------------------------------------------- all

static void report(const arguments *a, const char *folder) {
  const firn_refine_event *e = &a->event;
  char bytes[32], wall[32], rate[32];
  if (a->progress == PROGRESS_JSON) {
    printf("{\"event\": \"end\", \"frames\": %d}\n", e->done);
    return;
  }
  if (a->progress == PROGRESS_QUIET) return;
  if (!e->done)
    printf("all frames of fine particles are there already, in %s\n", folder);
  else
    printf("%s in %s, %s updates/s; the fine particles are in %s\n",
           cli_bytes((double)e->bytes, bytes), cli_duration(e->wall, wall),
           cli_short(e->moving > 0 ? (double)e->updates / e->moving : 0, rate), folder);
}

static bool open_scene(firn_context *context, const arguments *a, firn_scene **out) {
  char path[4096 + 16];
  *out = NULL;
  snprintf(path, sizeof path, "%s/scene.yaml", a->source);
  if (access(path, R_OK) == 0) {
    *out = cli_scene(context, path, &a->options, stderr);
    return *out != NULL;
  }
  if (!a->options.override_count) return true;
  fprintf(stderr, "firn: %s is not there, so --set has nothing to change\n", path);
  return false;
}

static int refine(firn_context *context, arguments *a) {
  firn_scene *scene;
  if (access(a->source, R_OK) != 0) {
    fprintf(stderr, "firn: cannot open %s: %s\n", a->source, strerror(errno));
    return EXIT_INPUT;
  }
  if (!open_scene(context, a, &scene)) return EXIT_INPUT;
  firn_refine_def def = firn_scene_refine_def(scene);
  def.source = a->source;
  def.folder = a->output;
  def.first_frame = a->first;
  def.last_frame = a->last;
  if (a->per) def.per_particle = (int)a->per;
  if (a->mode >= 0) def.mode = (firn_refine_mode)a->mode;
  if (a->seed >= 0) def.seed = (uint64_t)a->seed;
  def.resume = a->resume;
  def.overwrite = a->overwrite;
  def.event = on_event;
  def.event_user = a;
  char folder[4096 + 16];
  snprintf(folder, sizeof folder, "%s%s", a->output ? a->output : a->source,
           a->output ? "" : "/fine");
  int code = EXIT_RUN;
  if (check_disk(context, a, &def, folder)) {
    firn_status status = firn_refine(context, scene, &def);
    if (a->open) putchar('\n');
    if (status == FIRN_OK) report(a, folder);
    code = status == FIRN_OK ? EXIT_OK : cli_fail_run(context, status, a->progress);
  }
  firn_scene_destroy(scene);
  return code;
}

int cli_refine(int argc, char **argv) {
  arguments a = {.last = -1, .mode = -1, .seed = -1};
  firn_context *context = cli_begin(&parser, argc, argv, &a, &a.options);
  if (!context) return EXIT_INPUT;
  cli_catch_signals();
  a.live = a.progress == PROGRESS_AUTO && isatty(STDOUT_FILENO);
  int code = refine(context, &a);
  firn_context_destroy(context);
  return code;
}
