// SPDX-License-Identifier: Apache-2.0
// Options and helpers that several verbs share.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

enum {
  KEY_ISA = 1000,
  KEY_DEVICE,
  KEY_SET,
  KEY_SOLVER,
  KEY_QUALITY,
  KEY_JSON,
  KEY_OVERWRITE,
  KEY_ALLOW_OUTSIDE
};

long cli_number(const struct argp_state *state, const char *name, const char *text, long least,
                long most) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (end == text || *end || errno || value < least || value > most)
    argp_error(state, "%s: '%s' is not a whole number from %ld to %ld", name, text, least, most);
  return value;
}

double cli_real(const struct argp_state *state, const char *name, const char *text, double least,
                double most) {
  char *end;
  double value = strtod(text, &end);
  bool good = end != text && !*end && value >= least && value <= most;
  if (least > 0 && !good)
    argp_error(state, "%s: '%s' is not a number from %g to %g", name, text, least, most);
  else if (!good || value == 0)
    argp_error(state, "%s: '%s' is not a number above 0, and %g at most", name, text, most);
  return value;
}

int cli_choice(const struct argp_state *state, const char *name, const char *text,
               const char *const *words) {
  char list[256] = "";
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], text) == 0) return i;
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
  }
  argp_error(state, "%s: '%s' is none of %s", name, text, list);
  return 0;
}

static firn_isa isa_parse(const struct argp_state *state, const char *text) {
  const char *names[FIRN_ISA_AVX512 + 2] = {0};
  for (int i = FIRN_ISA_AUTO; i <= FIRN_ISA_AVX512; i++) names[i] = firn_isa_name((firn_isa)i);
  return (firn_isa)cli_choice(state, "--isa", text, names);
}

static error_t parse_context(int key, char *arg, struct argp_state *state) {
  cli_options *options = state->input;
  switch (key) {
  case 'j': options->threads = (int)cli_number(state, "--threads", arg, 0, 4096); return 0;
  case KEY_ISA: options->isa = isa_parse(state, arg); return 0;
  case KEY_DEVICE:
    if (strcmp(arg, "cuda") == 0)
      argp_error(state, "--device: this build of firn has no cuda; use auto or cpu");
    cli_choice(state, "--device", arg, cli_values("", "--device"));
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option context_options[] = {
    {"threads", 'j', "N", 0, "worker threads (default: all cores)", 10},
    {"isa", KEY_ISA, "SET", 0,
     "instruction set: scalar, avx2, avx512, or auto, the best that this machine has (default)",
     10},
    {"device", KEY_DEVICE, "D", 0,
     "where to compute: cpu, or auto (default), which is the same in this build", 10},
    {0},
};
const struct argp cli_context_argp = {context_options, parse_context, NULL, NULL, NULL, NULL, NULL};
const struct argp_child cli_context_children[] = {{&cli_context_argp, 0, NULL, 0}, {0}};

void cli_add_override(const struct argp_state *state, cli_options *options, const char *text) {
  if (options->override_count == CLI_OVERRIDES)
    argp_error(state, "more than %d times --set", CLI_OVERRIDES);
  options->overrides[options->override_count++] = text;
}

static error_t parse_scene(int key, char *arg, struct argp_state *state) {
  static char solver[64], quality[64];
  switch (key) {
  case KEY_ALLOW_OUTSIDE: ((cli_options *)state->input)->allow_outside = true; return 0;
  case KEY_SET: cli_add_override(state, state->input, arg); return 0;
  case KEY_SOLVER:
    snprintf(solver, sizeof solver, "solver=%.50s", arg);
    cli_add_override(state, state->input, solver);
    return 0;
  case KEY_QUALITY:
    snprintf(quality, sizeof quality, "quality=%.50s", arg);
    cli_add_override(state, state->input, quality);
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option scene_options[] = {
    {"set", KEY_SET, "PATH=VALUE", 0,
     "change a value of the scene, as quality=0.5, mpm.flip=0.9 or "
     "snow.0.velocity='[0, -5 m/s, 0]'; may be given several times. `firn check SCENE --resolved` "
     "lists all paths",
     5},
    {"allow-outside", KEY_ALLOW_OUTSIDE, NULL, 0,
     "let the scene include files that are not below its own folder", 5},
    {"solver", KEY_SOLVER, "NAME", 0, "the method: mpm, sph or flip", 5},
    {"quality", KEY_QUALITY, "Q", 0,
     "the same as --set quality=Q: 0.5 has cells of twice the size, and takes a tenth of the time "
     "or less",
     5},
    {0},
};
const struct argp cli_scene_argp = {scene_options, parse_scene, NULL, NULL, NULL, NULL, NULL};

static error_t parse_run(int key, char *arg, struct argp_state *state) {
  cli_run_options *options = state->input;
  switch (key) {
  case 'o': options->folder = arg; return 0;
  case 'q':
    cli_wait_off();
    options->mode = PROGRESS_QUIET;
    return 0;
  case KEY_JSON:
    cli_wait_off();
    options->mode = PROGRESS_JSON;
    return 0;
  case KEY_OVERWRITE: options->overwrite = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option run_options[] = {
    {"output", 'o', "DIR", 0, "folder to write into", 0},
    {"overwrite", KEY_OVERWRITE, NULL, 0,
     "remove the files that an earlier run has left in the folder, and no others, and begin anew",
     0},
    {"quiet", 'q', NULL, 0, "say nothing but errors", 0},
    {"json", KEY_JSON, NULL, 0, "tell the progress as one JSON object a line, for programs", 0},
    {0},
};
static const struct argp run_argp = {run_options, parse_run, NULL, NULL, NULL, NULL, NULL};

static error_t parse_simulate(int key, char *arg, struct argp_state *state) {
  cli_simulate_options *options = state->input;
  (void)arg;
  if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
  state->child_inputs[0] = &options->run;
  state->child_inputs[1] = &options->options;
  state->child_inputs[2] = &options->options;
  return 0;
}

static const struct argp_child simulate_children[] = {
    {&run_argp, 0, NULL, 0}, {&cli_scene_argp, 0, NULL, 0}, {&cli_context_argp, 0, NULL, 0}, {0}};
static const struct argp simulate_argp = {NULL, parse_simulate, NULL, NULL, simulate_children, NULL,
                                          NULL};
const struct argp_child cli_simulate_children[] = {{&simulate_argp, 0, NULL, 0}, {0}};

void cli_frames(const struct argp_state *state, const char *text, int *first, int *last) {
  char copy[64];
  snprintf(copy, sizeof copy, "%s", text);
  char *colon = strchr(copy, ':');
  if (colon) *colon = 0;
  if (!*copy && !colon) argp_error(state, "--frames: which? Give A:B, or one number");
  if (strspn(text, "0123456789:") != strlen(text) || (colon && strchr(colon + 1, ':')))
    argp_error(state,
               "--frames: '%s' is not A:B, the first and last frame, as 0:5, nor the number of one",
               text);
  if (*copy) *first = (int)cli_number(state, "--frames", copy, 0, 99999);
  if (!colon)
    *last = *first;
  else if (colon[1])
    *last = (int)cli_number(state, "--frames", colon + 1, 0, 99999);
  if (*last >= 0 && *last < *first) argp_error(state, "--frames: %d is after %d", *first, *last);
}

void cli_argument(const struct argp_state *state, const char *what, const char *text,
                  const char **argument) {
  if (text && *argument) argp_error(state, "more than one %s: '%s'", what, text);
  if (text) *argument = text;
  if (*argument) return;
  if (strcmp(what, "scene") == 0)
    argp_error(state, "which scene? Give a file or a name from `firn scenes`");
  else if (strcmp(what, "folder") == 0)
    argp_error(state, "which folder? Give one that `firn run` has written");
}

void cli_default_folder(const char *scene, char *folder, size_t size) {
  const char *slash = strrchr(scene, '/');
  snprintf(folder, size, "%s", slash ? slash + 1 : scene);
  char *dot = strrchr(folder, '.');
  if (dot && dot != folder) *dot = 0;
  // A scene file without an ending must not be taken for its own folder.
  if (strcmp(folder, scene) == 0 && !firn_scene_builtin_text(scene))
    snprintf(folder + strlen(folder), size - strlen(folder), ".out");
}

void cli_warning_event(void *user, const char *message) {
  (void)user;
  printf("{\"event\": \"warning\", \"message\": ");
  cli_json_string(stdout, message);
  printf("}\n");
  fflush(stdout);
}

static bool muted;

void cli_mute(bool mute) {
  muted = mute;
}

// user is the options. A live line may be on the screen, to be overwritten.
static void on_note(void *user, firn_log_level level, const char *message) {
  const cli_options *options = user;
  if (level == FIRN_LOG_ERROR || muted) return; // the call that failed says so
  if (level == FIRN_LOG_INFO && !options->notes) return;
  if (level == FIRN_LOG_INFO || !cli_is_repeat(message)) {
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    fprintf(stderr, "firn: %s%s\n", level == FIRN_LOG_INFO ? "" : "warning: ", message);
  }
  if (level == FIRN_LOG_WARNING && options->on_warning)
    options->on_warning(options->warning_user, message);
}

static bool is_stopped(void *user) {
  (void)user;
  return cli_interrupted();
}

firn_context *cli_context(const cli_options *options) {
  firn_context_def def = firn_default_context_def();
  def.threads = options->threads;
  def.isa = options->isa;
  def.include_outside = options->allow_outside;
  def.log = on_note;
  def.log_user = (void *)options;
  def.activity = cli_wait_activity;
  def.stop = is_stopped;
  firn_context *context;
  firn_status status = firn_context_create(&def, &context);
  if (status == FIRN_OK) return context;
  if (status == FIRN_ERROR_UNSUPPORTED)
    fprintf(stderr, "firn: this machine does not have %s\n", firn_isa_name(options->isa));
  else
    fprintf(stderr, "firn: cannot start: %s\n", firn_status_text(status));
  return NULL;
}

firn_context *cli_begin(const struct argp *parser, int argc, char **argv, void *arguments,
                        const cli_options *options) {
  cli_parse(parser, argc, argv, arguments);
  return cli_context(options);
}

void cli_print_errors(const firn_scene *scene, FILE *stream) {
  for (int i = 0; i < firn_scene_error_count(scene); i++) {
    const firn_scene_error *error = firn_scene_error_get(scene, i);
    if (error->line)
      fprintf(stream, "%s:%d:%d: %s\n", error->file ? error->file : firn_scene_file(scene),
              error->line, error->column, error->message);
    else
      fprintf(stream, "%s\n", error->message);
  }
}

firn_scene *cli_scene(firn_context *context, const char *name, const cli_options *options,
                      FILE *stream) {
  firn_scene *scene;
  cli_wait("reading the scene");
  firn_status status = firn_scene_load(context, name, options->override_count, options->overrides,
                                       &scene);
  cli_wait_clear();
  if (status == FIRN_OK) return scene;
  if (scene)
    cli_print_errors(scene, stream);
  else
    fprintf(stderr, "firn: %s\n", firn_context_message(context));
  firn_scene_destroy(scene);
  return NULL;
}

// What is wrong with a scene begins with FILE:LINE:COLUMN, wherever it was found.
static int fail(const char *message, firn_status status) {
  fprintf(stderr, "%s%s\n", status == FIRN_ERROR_SCENE ? "" : "firn: ",
          *message ? message : firn_status_text(status));
  bool input = status == FIRN_ERROR_SCENE || status == FIRN_ERROR_ARGUMENT ||
               status == FIRN_ERROR_STATE || status == FIRN_ERROR_FORMAT;
  return input ? EXIT_INPUT : EXIT_RUN;
}

int cli_fail(const firn_context *context, firn_status status) {
  return fail(firn_context_message(context), status);
}

int cli_fail_said(const char *message, firn_status status, progress_mode mode) {
  if (mode == PROGRESS_JSON) {
    printf("{\"event\": \"error\", \"status\": \"%s\", \"message\": ", firn_status_name(status));
    cli_json_string(stdout, message);
    printf("}\n");
    fflush(stdout);
  }
  return fail(message, status);
}

int cli_fail_run(const firn_context *context, firn_status status, progress_mode mode) {
  return cli_fail_said(firn_context_message(context), status, mode);
}
