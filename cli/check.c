// SPDX-License-Identifier: Apache-2.0
// firn check SCENE: everything that is wrong with a scene; for a good one, what a run will need.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "limits.h"
#include "needs.h"

enum { KEY_RESOLVED = 2000, KEY_NO_TIME, KEY_JSON, KEY_FRAMES };

typedef struct {
  cli_options options;
  const char *scene, *folder;
  bool resolved, no_time, json;
  int first, last; // frames; last -1: the scene's
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->options;
    state->child_inputs[1] = &a->options;
    return 0;
  case KEY_RESOLVED: a->resolved = true; return 0;
  case KEY_NO_TIME: a->no_time = true; return 0;
  case KEY_JSON:
    cli_wait_off();
    a->json = true;
    return 0;
  case KEY_FRAMES: cli_frames(state, arg, &a->first, &a->last); return 0;
  case 'o': a->folder = arg; return 0;
  case ARGP_KEY_ARG:
  case ARGP_KEY_END: cli_argument(state, "scene", arg, &a->scene); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"resolved", KEY_RESOLVED, NULL, 0,
     "print the scene instead, with every key and its value in SI units", 0},
    {"no-time", KEY_NO_TIME, NULL, 0, "take one step only, and leave out how long frames take", 0},
    {"json", KEY_JSON, NULL, 0, "print one JSON object, for programs", 0},
    {"frames", KEY_FRAMES, "A:B", 0, "the frames that a run will write, instead of all", 0},
    {"output", 'o', "DIR", 0,
     "the folder that a run will write into, whose disk must hold the frames", 0},
    {0},
};
static const struct argp_child children[] = {
    {&cli_scene_argp, 0, NULL, 0}, {&cli_context_argp, 0, NULL, 0}, {0}};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENE",
    .doc =
        "Reads SCENE, a file or a name from `firn scenes`, and prints FILE:LINE:COLUMN: message "
        "for everything wrong with it; the exit status is then 2, as it is for a scene that needs "
        "more memory or disk than there is. Runs the first steps of a good scene for about a "
        "second, and tells how many particles it has, how much memory, time and disk a run will "
        "need, and what is allowed but hardly meant.",
    .children = children};

// What was found out, to be told in words or as JSON.
enum { ADVICE_MOST = 32 };
typedef struct {
  const arguments *a;
  const firn_context *context;
  const firn_scene *scene;
  firn_output_def output;
  int last; // frame
  cli_needs needs;
  double disk;                          // bytes that all files will take
  double memory_there, disk_there;      // bytes
  firn_status status;                   // FIRN_OK: it can be run ...
  char message[1024];                   // ... and why not
  firn_scene_error advice[ADVICE_MOST]; // [advice_count]
  int advice_count;
} findings;

static void keep_advice(void *user, const firn_scene_error *advice) {
  findings *f = user;
  if (f->advice_count < ADVICE_MOST) f->advice[f->advice_count++] = *advice;
}

// What the first steps warn of has no place in the file. Once is enough.
static void keep_warning(void *user, const char *message) {
  findings *f = user;
  firn_scene_error advice = {.level = FIRN_LOG_WARNING};
  snprintf(advice.message, sizeof advice.message, "%s", message);
  for (int i = 0; i < f->advice_count; i++)
    if (strcmp(f->advice[i].message, advice.message) == 0) return;
  keep_advice(f, &advice);
}

// --------------------------------------------------------------------------------------- words

static void print_advice(const findings *f) {
  for (int i = 0; i < f->advice_count; i++) {
    const firn_scene_error *e = &f->advice[i];
    printf("%s", e->file ? e->file : firn_scene_file(f->scene));
    if (e->line) printf(":%d:%d", e->line, e->column);
    printf(": %s: %s\n", e->level == FIRN_LOG_INFO ? "note" : "warning", e->message);
  }
}

static bool grows(const cli_needs *n) {
  return n->particles_end > 1.1 * n->particles;
}

static void print_memory(const findings *f) {
  const cli_needs *n = &f->needs;
  char a[32], b[32], c[32];
  const char *whose;
  limits_memory(&whose);
  printf("  memory     about %s", cli_bytes(n->memory, a));
  if (n->memory_most > 1.1 * n->memory)
    printf(", and %s where steps turn semi-implicit", cli_bytes(n->memory_most, b));
  if (grows(n)) printf(", some %s at the end", cli_bytes(n->memory_end, b));
  printf("; %s %s\n", whose, cli_bytes(f->memory_there, c));
  if (n->memory_most > f->memory_there)
    puts("             too little for semi-implicit steps; mpm.integrator=explicit takes none");
  else if (n->memory > limits_memory_free())
    printf("             but only %s of it are free now\n", cli_bytes(limits_memory_free(), a));
}

static void print_time(const findings *f) {
  const cli_needs *n = &f->needs;
  char a[32], b[32];
  int threads = firn_context_threads(f->context);
  if (!isfinite(n->seconds_per_frame) || f->last < 1) return;
  if (n->seconds_per_frame < 60)
    snprintf(a, sizeof a, "%.2g s", n->seconds_per_frame);
  else
    cli_duration(n->seconds_per_frame, a);
  printf("  time       about %s a frame with %d thread%s (%.0f steps%s)\n", a, threads,
         threads == 1 ? "" : "s", n->steps_per_frame,
         n->sampled < 0.9 * n->particles ? ", by a sample of fewer particles" : "");
  if (n->bound)
    printf("             steps of %.3g ms, %.0f %% of them as long as %s allows\n",
           1e3 * firn_scene_frame_seconds(f->scene) / n->steps_per_frame, 100 * n->bound_share,
           n->bound);
  if (n->start_seconds > fmax(1, 0.5 * n->seconds_per_frame))
    printf("             after %s to build the snow and write frame 0\n",
           cli_duration(n->start_seconds, b));
  printf("             %s for all at the pace of the first ones; later ones may be dearer\n",
         cli_duration(n->start_seconds + f->last * n->seconds_per_frame, b));
}

static void print_disk(const findings *f) {
  const cli_needs *n = &f->needs;
  char a[32], b[32], c[32];
  if (!isfinite(f->disk)) return;
  int written = cli_frames_written(&f->output, f->a->first, f->last);
  printf("  disk       about %s (%d frame%s of %s", cli_bytes(f->disk, a), written,
         written == 1 ? "" : "s", cli_bytes(n->frame_bytes, b));
  if (grows(n)) printf(", growing to %s", cli_bytes(n->frame_bytes_end, b));
  printf(", and checkpoints)");
  if (isfinite(f->disk_there)) printf("; %s are free", cli_bytes(f->disk_there, c));
  if (n->particles > 0 && !grows(n))
    printf("\n             %.1f bytes a particle and frame", n->frame_bytes / n->particles);
  putchar('\n');
}

static void print_words(const findings *f) {
  double seconds = firn_scene_frame_seconds(f->scene);
  char a[32];
  if (f->status != FIRN_OK)
    puts(f->message);
  else
    printf("%s: ok\n", firn_scene_file(f->scene));
  print_advice(f);
  if (f->needs.sampled == 0 && f->status != FIRN_OK) return; // nothing is known but why not
  printf("  particles  %s%s", f->needs.sampled < f->needs.particles ? "about " : "",
         cli_count(f->needs.particles, a));
  if (grows(&f->needs))
    printf(", and some %s at the end: an estimate, by the rates of the emitters",
           cli_short(f->needs.particles_end, a));
  putchar('\n');
  if (f->a->first > 0)
    printf("  frames     %d to %d of those that are simulated, from 0 on", f->a->first, f->last);
  else
    printf("  frames     %d, and frame 0", f->last);
  printf("; %g s at %g a second\n", f->last * seconds, 1 / seconds);
  print_memory(f);
  print_time(f);
  print_disk(f);
}

// ---------------------------------------------------------------------------------------- JSON

static void json_number(const char *key, double value) {
  printf(", \"%s\": ", key);
  cli_json_number(stdout, value);
}

static void json_error(const firn_scene *scene, const firn_scene_error *e, bool first) {
  printf("%s{\"file\": ", first ? "" : ", ");
  cli_json_string(stdout, e->file ? e->file : firn_scene_file(scene));
  printf(", \"line\": %d, \"column\": %d, \"message\": ", e->line, e->column);
  cli_json_string(stdout, e->message);
  putchar('}');
}

static void json_begin(const char *scene, bool ok) {
  printf("{\"scene\": ");
  cli_json_string(stdout, scene);
  printf(", \"ok\": %s", ok ? "true" : "false");
}

static void json_needs(const findings *f) {
  const cli_needs *n = &f->needs;
  json_number("particles", n->particles);
  json_number("particles_sampled", n->sampled);
  json_number("particles_end", n->particles_end);
  json_number("frames", f->last);
  json_number("threads", firn_context_threads(f->context));
  json_number("memory_bytes", n->memory);
  json_number("memory_most_bytes", n->memory_most);
  json_number("memory_end_bytes", n->memory_end);
  json_number("memory_there_bytes", f->memory_there);
  json_number("start_seconds", n->start_seconds);
  json_number("seconds_per_frame", n->seconds_per_frame);
  json_number("cpu_seconds_per_frame", n->cpu_per_frame);
  json_number("steps_per_frame", n->steps_per_frame);
  json_number("frames_timed", n->frames_timed);
  printf(", \"step_bound\": ");
  n->bound ? cli_json_string(stdout, n->bound) : (void)printf("null");
  json_number("step_bound_share", n->bound ? n->bound_share : NAN);
  json_number("frame_file_bytes", n->frame_bytes);
  json_number("frame_file_end_bytes", n->frame_bytes_end);
  json_number("checkpoint_file_bytes", n->checkpoint_bytes);
  json_number("frames_written", cli_frames_written(&f->output, f->a->first, f->last));
  json_number("disk_bytes", f->disk);
  json_number("disk_there_bytes", f->disk_there);
}

static void json_advice(const findings *f, const char *key, firn_log_level level) {
  bool first = true;
  printf(", \"%s\": [", key);
  for (int i = 0; i < f->advice_count; i++) {
    if (f->advice[i].level != level) continue;
    json_error(f->scene, &f->advice[i], first);
    first = false;
  }
  putchar(']');
}

static void print_json(const findings *f) {
  json_begin(f->a->scene, f->status == FIRN_OK);
  if (f->status != FIRN_OK) {
    printf(", \"message\": ");
    cli_json_string(stdout, f->message);
  }
  json_advice(f, "warnings", FIRN_LOG_WARNING);
  json_needs(f);
  json_advice(f, "notes", FIRN_LOG_INFO);
  puts("}");
}

// -------------------------------------------------------------------------------------- the verb

// A scene that can be read, or NULL after everything wrong with it was told.
static firn_scene *load(firn_context *context, const arguments *a) {
  if (!a->json) return cli_scene(context, a->scene, &a->options, stdout);
  firn_scene *scene;
  firn_status status = firn_scene_load(context, a->scene, a->options.override_count,
                                       a->options.overrides, &scene);
  if (status == FIRN_OK) return scene;
  json_begin(a->scene, false);
  printf(", \"message\": ");
  cli_json_string(stdout, firn_context_message(context));
  printf(", \"errors\": [");
  for (int i = 0; scene && i < firn_scene_error_count(scene); i++)
    json_error(scene, firn_scene_error_get(scene, i), i == 0);
  puts("]}");
  firn_scene_destroy(scene);
  return NULL;
}

// What a run would find when it is under way: too little memory or disk.
static void judge(findings *f) {
  char needed[32], there[32];
  f->status = cli_check_memory(f->scene, &f->needs);
  snprintf(f->message, sizeof f->message, "%s", firn_context_message(f->context));
  if (f->status != FIRN_OK || !(f->disk > f->disk_there)) return;
  f->status = FIRN_ERROR_SCENE;
  snprintf(f->message, sizeof f->message,
           "%s: its frames need %s of disk, and %s are free; output.every, output.precision or -o "
           "may help",
           firn_scene_file(f->scene), cli_bytes(f->disk, needed), cli_bytes(f->disk_there, there));
}

static void find_out(firn_context *context, findings *f) {
  const arguments *a = f->a;
  char folder[4096];
  cli_default_folder(a->scene, folder, sizeof folder);
  cli_needs_def def = {.scene = a->scene,
                       .options = &a->options,
                       .seconds = a->no_time ? 0 : 1,
                       .on_advice = keep_advice,
                       .advice_user = f};
  f->output = firn_scene_output(f->scene);
  f->status = cli_measure(context, f->scene, &def, &f->needs);
  cli_wait_clear();
  f->disk = cli_disk(&f->needs, &f->output, a->first, f->last);
  f->disk_there = limits_disk(a->folder ? a->folder : folder);
  f->memory_there = limits_memory(NULL);
  if (f->status == FIRN_OK)
    judge(f);
  else
    snprintf(f->message, sizeof f->message, "%s", firn_context_message(context));
}

// Frames that a run would refuse.
static bool frames_ascend(const arguments *a, int last) {
  if (a->first <= last) return true;
  fprintf(stderr, "firn: frames %d:%d; they must ascend, and the scene has %d\n", a->first, last,
          last);
  return false;
}

// Reads, tries and tells; f begins as the arguments and the context alone.
static int check(firn_context *context, arguments *a, findings *f) {
  a->options.notes = !a->json; // on what reading makes of the scene, not on the run
  firn_scene *scene = load(context, a);
  a->options.notes = false;
  if (!scene) return EXIT_INPUT;
  int code = EXIT_OK;
  if (a->resolved) {
    fputs(firn_scene_resolved_text(scene), stdout);
  } else {
    f->scene = scene;
    f->last = a->last < 0 ? firn_scene_frames(scene) : a->last;
    if (!frames_ascend(a, f->last)) {
      firn_scene_destroy(scene);
      return EXIT_INPUT;
    }
    cli_catch_signals(); // what was written on the way goes away
    find_out(context, f);
    if (f->status == FIRN_OK || f->status == FIRN_ERROR_SCENE) {
      if (a->json)
        print_json(f);
      else
        print_words(f);
      code = f->status == FIRN_OK ? EXIT_OK : EXIT_INPUT;
    } else if (f->status == FIRN_CANCELLED) {
      fputs("firn: stopped\n", stderr);
      code = EXIT_RUN;
    } else {
      code = cli_fail(context, f->status);
    }
  }
  firn_scene_destroy(scene);
  return code;
}

int cli_check(int argc, char **argv) {
  arguments a = {.first = 0, .last = -1};
  firn_context *context = cli_begin(&parser, argc, argv, &a, &a.options);
  if (!context) return EXIT_INPUT;
  findings f = {.a = &a, .context = context};
  a.options.on_warning = a.json ? keep_warning : NULL;
  a.options.warning_user = &f;
  int code = check(context, &a, &f);
  firn_context_destroy(context);
  return code;
}
