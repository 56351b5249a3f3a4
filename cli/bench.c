// SPDX-License-Identifier: Apache-2.0
// firn bench [NAME]: which cases to run, and how their results are told.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { KEY_JSON = 2000, KEY_QUICK, KEY_LIST, KEY_FRAMES, KEY_QUALITY, KEY_SLEEP, KEY_STATE };

static const bench_case *const suites[] = {bench_mpm,   bench_sparse, bench_sph,    bench_flip,
                                           bench_cache, bench_render, bench_refine, bench_paper};
enum { SUITES = sizeof suites / sizeof suites[0], NAMES = 64 };

typedef struct {
  bench bench;
  const char *name[NAMES];
  int names; // 0: all but the paper's
  bool list;
} arguments;

// "3", or "0:3" as the other verbs have it: frame 0 is the initial state and takes no time.
static int parse_frames(const char *text, const struct argp_state *state) {
  int first = 0, last = -1;
  if (!strchr(text, ':')) return (int)cli_number(state, "--frames", text, 1, 99999);
  cli_frames(state, text, &first, &last);
  if (first > 0 || last < 1)
    argp_error(state, "--frames: '%s' is neither N nor 0:N; a scene is measured from frame 0 on",
               text);
  return last;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &a->bench.options; return 0;
  case KEY_JSON:
    cli_wait_off();
    a->bench.json = true;
    return 0;
  case KEY_QUICK: a->bench.quick = true; return 0;
  case KEY_LIST: a->list = true; return 0;
  case KEY_FRAMES: a->bench.frames = parse_frames(arg, state); return 0;
  case KEY_QUALITY: a->bench.quality = cli_real(state, "--quality", arg, 0, 100); return 0;
  case KEY_SLEEP:
    cli_choice(state, "--sleep", arg, cli_values("bench", "--sleep"));
    a->bench.sleep = arg;
    return 0;
  case KEY_STATE: a->bench.state = arg; return 0;
  case ARGP_KEY_ARG:
    if (a->names == NAMES) argp_error(state, "more than %d names: '%s'", NAMES, arg);
    a->name[a->names++] = arg;
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"json", KEY_JSON, NULL, 0, "tell the results as one JSON object a line, for programs", 0},
    {"quick", KEY_QUICK, NULL, 0, "smaller and shorter: all of it in under a minute", 0},
    {"list", KEY_LIST, NULL, 0, "list the names of the cases", 0},
    {"frames", KEY_FRAMES, "0:N", 0,
     "of paper/...: only the first N frames of each scene; also as N", 0},
    {"quality", KEY_QUALITY, "Q", 0, "of paper/...: at this quality instead of 1", 0},
    {"sleep", KEY_SLEEP, "on|off", 0, "of paper/...: only with or without sleep, instead of both",
     0},
    {"state", KEY_STATE, "DIR", 0,
     "of paper/...: folder to keep what a scene has come to, so that the same command goes on "
     "where "
     "it was cut off; firn-bench if none is given. It goes away once all scenes are done",
     0},
    {0},
};
static const struct argp parser = {
    options,
    parse,
    "[NAME...]",
    "Measures the speed of firn on this machine. NAME is a case of --list, or how the names of "
    "some begin: mpm, mpm/explicit, paper. Without any all run but paper/..., the scenes of the "
    "paper, which take hours.",
    cli_context_children,
    NULL,
    NULL};

bench_result bench_result_begin(const char *name, const char *variant,
                                const firn_context *context) {
  bench_result r = {.name = name, .variant = variant};
  r.threads = firn_context_threads(context);
  r.isa = firn_context_isa(context);
  r.particles = r.steps = r.seconds = r.particle_steps_per_second = NAN;
  r.slowest = r.quickest = r.bytes_per_particle = r.peak_bytes_per_particle = NAN;
  r.yielded = r.iterations_mean = r.seconds_per_iteration = r.ratio = NAN;
  r.step_equivalents_per_second = r.ns_per_particle_core = NAN;
  r.ns_per_interaction = r.ns_per_particle = r.neighbours = NAN;
  r.paths_per_second = r.events_per_second = r.particles_per_second = NAN;
  r.cells = r.viscosity_iterations = r.residual = NAN;
  r.seconds_per_step = r.cpu_seconds_per_step = r.seconds_per_solve = NAN;
  r.paper_seconds_per_step = r.fine_particles = r.fine_seconds_per_step = NAN;
  r.frames = r.steps_per_frame = r.implicit = r.asleep = NAN;
  r.seconds_per_frame = r.paper_seconds_per_frame = r.ratio_to_paper = NAN;
  return r;
}

static void json_field(const char *key, double value) {
  if (isnan(value)) return;
  printf(", \"%s\": ", key);
  cli_json_number(stdout, value);
}

// What lies between the phases is `rest`.
static void print_phases(const bench_profile *p, bool json) {
  double total = p->all.total, rest = total;
  printf(json ? ", \"phases\": {" : "    phases ");
  for (int i = 0; i < p->phases; i++) {
    rest -= p->seconds[i];
    double share = p->seconds[i] / total;
    if (json)
      printf("\"%s\": %.4f, ", p->phase[i], share);
    else if (share >= 0.0005)
      printf(" %s %.1f %%", p->phase[i], 100 * share);
  }
  if (json)
    printf("\"rest\": %.4f}", rest / total);
  else
    printf(" rest %.1f %%\n", 100 * rest / total);
}

// Beside what the paper says.
static void print_stages(const bench_result *r, bool json) {
  if (!json) {
    printf("    stages ");
    for (int i = 0; i < r->stage_count; i++)
      printf(" %s %.1f %% (%.0f)", r->stage[i].name, 100 * r->stage[i].share,
             100 * r->paper_stage[i].share);
    printf(", in brackets the paper's\n");
    return;
  }
  for (int k = 0; k < 2; k++) {
    const bench_share *of = k ? r->paper_stage : r->stage;
    printf(", \"%s\": {", k ? "paper_stages" : "stages");
    for (int i = 0; i < r->stage_count; i++)
      printf("%s\"%s\": %.4f", i ? ", " : "", of[i].name, of[i].share);
    printf("}");
  }
}

// Of each frame, so that late ones can be seen.
static void print_frames(const bench_result *r) {
  printf(", \"frame_seconds\": [");
  for (int f = 0; f < (int)r->frames; f++) printf("%s%.4g", f ? ", " : "", r->frame_seconds[f]);
  printf("]");
}

static void print_json(const bench *b, const bench_result *r) {
  printf("{\"name\": \"%s\"", r->name);
  if (r->variant) printf(", \"variant\": \"%s\"", r->variant);
  printf(", \"device\": \"cpu\", \"threads\": %d, \"isa\": \"%s\", \"precision\": \"%s\"",
         r->threads, firn_isa_name(r->isa), firn_precision());
  json_field("particles", r->particles);
  json_field("steps", r->steps);
  json_field("seconds", r->seconds);
  json_field("particle_steps_per_second", r->particle_steps_per_second);
  json_field("slowest_window", r->slowest);
  json_field("quickest_window", r->quickest);
  json_field("bytes_per_particle", r->bytes_per_particle);
  json_field("peak_bytes_per_particle", r->peak_bytes_per_particle);
  json_field("yielded", r->yielded);
  json_field("cells", r->cells);
  json_field("seconds_per_step", r->seconds_per_step);
  json_field("fine_particles", r->fine_particles);
  json_field("fine_seconds_per_step", r->fine_seconds_per_step);
  json_field("cpu_seconds_per_step", r->cpu_seconds_per_step);
  json_field("paper_seconds_per_step", r->paper_seconds_per_step);
  json_field("seconds_per_solve", r->seconds_per_solve);
  json_field("residual", r->residual);
  json_field("viscosity_iterations", r->viscosity_iterations);
  json_field("iterations_mean", r->iterations_mean);
  json_field("seconds_per_iteration", r->seconds_per_iteration);
  json_field("ns_per_interaction", r->ns_per_interaction);
  json_field("ns_per_particle", r->ns_per_particle);
  json_field("ns_per_particle_core", r->ns_per_particle_core);
  json_field("step_equivalents_per_second", r->step_equivalents_per_second);
  json_field("neighbours", r->neighbours);
  json_field("paths_per_second", r->paths_per_second);
  json_field("events_per_second", r->events_per_second);
  json_field("particles_per_second", r->particles_per_second);
  json_field("frames", r->frames);
  json_field("steps_per_frame", r->steps_per_frame);
  json_field("implicit", r->implicit);
  json_field("asleep", r->asleep);
  json_field("seconds_per_frame", r->seconds_per_frame);
  json_field("paper_seconds_per_frame", r->paper_seconds_per_frame);
  json_field("ratio_to_paper", r->ratio_to_paper);
  if (r->frame_seconds) print_frames(r);
  if (r->ratio_of) {
    printf(", \"ratio_of\": \"%s\"", r->ratio_of);
    json_field("ratio", r->ratio);
  }
  if (r->profile.all.total > 0) print_phases(&r->profile, true);
  if (r->stage_count) print_stages(r, true);
  json_field("copy_bytes_per_second", b->machine.copy);
  json_field("peak_flops", b->machine.flops);
  if (r->work.flops > 0) {
    json_field("bandwidth_fraction",
               r->particle_steps_per_second * r->work.bytes / b->machine.copy);
    json_field("flop_fraction", r->particle_steps_per_second * r->work.flops / b->machine.flops);
  }
  printf("}\n");
}

static void print_text(const bench *b, const bench_result *r) {
  char a[32], c[32], d[32];
  printf("%s%s%s", r->name, r->variant ? " " : "", r->variant ? r->variant : "");
  if (!isnan(r->particles)) printf("  %s particles", cli_short(r->particles, a));
  if (!isnan(r->steps)) printf("  %.0f steps", r->steps);
  if (!isnan(r->seconds)) printf("  %.3g s", r->seconds);
  printf("\n");
  if (!isnan(r->particle_steps_per_second))
    printf("    %s particle-steps/s", cli_short(r->particle_steps_per_second, a));
  if (!isnan(r->slowest))
    printf(" (windows %s to %s)", cli_short(r->slowest, c), cli_short(r->quickest, d));
  if (!isnan(r->particle_steps_per_second)) printf("\n");
  if (!isnan(r->step_equivalents_per_second))
    printf("    %s step equivalents/s\n", cli_short(r->step_equivalents_per_second, a));
  if (!isnan(r->ns_per_particle_core))
    printf("    %.1f ns a particle, step and core\n", r->ns_per_particle_core);
  if (!isnan(r->seconds_per_iteration))
    printf("    %.4g s an iteration\n", r->seconds_per_iteration);
  if (!isnan(r->seconds_per_step))
    printf("    %.4f s a step, %.4f s of CPU time but for fine particles, %.0f cells\n",
           r->seconds_per_step, r->cpu_seconds_per_step, r->cells);
  if (!isnan(r->fine_seconds_per_step))
    printf("    %.4f s of that for %s fine particles\n", r->fine_seconds_per_step,
           cli_short(r->fine_particles, a));
  if (!isnan(r->seconds_per_solve))
    printf("    %.4f s a solve of %.0f cells, to a residual of %.2g\n", r->seconds_per_solve,
           r->cells, r->residual);
  if (!isnan(r->iterations_mean))
    printf("    %.1f iterations a %sstep\n", r->iterations_mean,
           isnan(r->implicit) ? "" : "semi-implicit ");
  if (!isnan(r->viscosity_iterations))
    printf("    %.1f iterations a step for viscosity\n", r->viscosity_iterations);
  if (!isnan(r->ns_per_interaction))
    printf("    %.3f ns a neighbour and pass, %.1f neighbours\n", r->ns_per_interaction,
           r->neighbours);
  if (!isnan(r->ns_per_particle) && isnan(r->neighbours))
    printf("    %.1f ns a particle\n", r->ns_per_particle);
  else if (!isnan(r->ns_per_particle))
    printf("    %.1f ns a particle, %.1f neighbours\n", r->ns_per_particle, r->neighbours);
  if (!isnan(r->paths_per_second))
    printf("    %s paths/s, %s events/s\n", cli_short(r->paths_per_second, a),
           cli_short(r->events_per_second, c));
  if (!isnan(r->seconds_per_frame) && isnan(r->steps_per_frame))
    printf("    %.3f s a frame, median of %.0f\n", r->seconds_per_frame, r->frames);
  else if (!isnan(r->seconds_per_frame))
    printf(
        "    %.2f s a frame over %.0f frames, %.0f steps a frame, %.0f %% of them semi-implicit, "
        "%.0f %% asleep\n",
        r->seconds_per_frame, r->frames, r->steps_per_frame, 100 * r->implicit, 100 * r->asleep);
  if (!isnan(r->paper_seconds_per_step))
    printf("    the paper: %.1f s a step with 6 threads; %.0f times quicker\n",
           r->paper_seconds_per_step, r->ratio_to_paper);
  else if (!isnan(r->ratio_to_paper))
    printf("    the paper: %.0f s a frame on 8 cores; %.1f times quicker\n",
           r->paper_seconds_per_frame, r->ratio_to_paper);
  if (!isnan(r->particles_per_second))
    printf("    %s particles/s\n", cli_short(r->particles_per_second, a));
  if (r->ratio_of) printf("    %.3f of %s\n", r->ratio, r->ratio_of);
  if (!isnan(r->bytes_per_particle))
    printf("    %.0f bytes a particle (%.0f at most)", r->bytes_per_particle,
           r->peak_bytes_per_particle);
  if (!isnan(r->bytes_per_particle) && isnan(r->yielded)) putchar('\n');
  if (!isnan(r->yielded)) printf("    %.0f %% yielded\n", 100 * r->yielded);
  if (r->profile.all.total > 0) print_phases(&r->profile, false);
  if (r->stage_count) print_stages(r, false);
  if (r->work.flops > 0)
    printf("    %.0f %% of copy bandwidth, %.0f %% of peak flop/s, by the model of docs/cli.md\n",
           100 * r->particle_steps_per_second * r->work.bytes / b->machine.copy,
           100 * r->particle_steps_per_second * r->work.flops / b->machine.flops);
}

void bench_print(bench *b, const bench_result *result) {
  if (b->json)
    print_json(b, result);
  else
    print_text(b, result);
  fflush(stdout);
}

firn_status bench_finish(firn_context *context, firn_sim *sim, const char *name,
                         firn_status status) {
  if (status != FIRN_OK && status != FIRN_CANCELLED)
    fprintf(stderr, "firn bench: %s: %s\n", name, firn_context_message(context));
  firn_sim_destroy(sim);
  firn_context_destroy(context);
  return status;
}

// ------------------------------------------------------------------------------ choosing cases

static void list_cases(FILE *stream) {
  for (int s = 0; s < SUITES; s++)
    for (const bench_case *c = suites[s]; c->name; c++)
      fprintf(stream, "%-30s %s\n", c->name, c->doc);
}

static bool is_case(const char *name) {
  for (int s = 0; s < SUITES; s++)
    for (const bench_case *c = suites[s]; c->name; c++)
      if (strcmp(c->name, name) == 0) return true;
  return false;
}

// A whole name is one case; a beginning all that have it.
static bool means(const char *word, const char *name) {
  return is_case(word) ? strcmp(name, word) == 0 : strncmp(name, word, strlen(word)) == 0;
}

static bool wanted(const arguments *a, const char *name) {
  if (!a->names) return strncmp(name, "paper/", 6) != 0;
  for (int i = 0; i < a->names; i++)
    if (means(a->name[i], name)) return true;
  return false;
}

// The first word that means nothing; NULL: all do.
static const char *unknown(const arguments *a) {
  for (int i = 0; i < a->names; i++) {
    bool found = false;
    for (int s = 0; s < SUITES; s++)
      for (const bench_case *c = suites[s]; c->name; c++)
        found = found || means(a->name[i], c->name);
    if (!found) return a->name[i];
  }
  return NULL;
}

// An option that none of the cases heeds would be taken for one that was.
static const char *unheeded(const arguments *a) {
  for (const bench_case *c = bench_paper; c->name; c++)
    if (wanted(a, c->name)) return NULL;
  return a->bench.quality > 0 ? "--quality"
         : a->bench.frames    ? "--frames"
         : a->bench.sleep     ? "--sleep"
                              : NULL;
}

static int say_unknown(const char *word) {
  enum { CASES = 256 };
  const char *names[CASES + 1] = {0};
  int count = 0;
  for (int s = 0; s < SUITES; s++)
    for (const bench_case *c = suites[s]; c->name && count < CASES; c++) names[count++] = c->name;
  const char *nearest = cli_nearest(word, names);
  fprintf(stderr, "firn bench: no case begins with '%s'", word);
  if (nearest) {
    fprintf(stderr, "; did you mean '%s'? `firn bench --list` has all\n", nearest);
  } else {
    fprintf(stderr, "; there are:\n");
    list_cases(stderr);
  }
  return EXIT_INPUT;
}

static bool measure_machine(bench *b) {
  firn_context *context = cli_context(&b->options);
  if (!context) return false;
  b->machine = machine_measure(firn_context_threads(context), firn_context_isa(context));
  if (!b->json)
    printf("firn %s, threads %d, %s, %s: copies %.1f GB/s, peak %.0f Gflop/s\n", firn_version(),
           firn_context_threads(context), firn_isa_name(firn_context_isa(context)),
           firn_precision(), 1e-9 * b->machine.copy, 1e-9 * b->machine.flops);
  firn_context_destroy(context);
  return true;
}

static int run_cases(arguments *a) {
  bench *b = &a->bench;
  if (!measure_machine(b)) return EXIT_INPUT;
  for (int s = 0; s < SUITES; s++)
    for (const bench_case *c = suites[s]; c->name; c++) {
      if (!wanted(a, c->name)) continue;
      firn_status status = c->run(b, c->name);
      if (cli_interrupted()) return EXIT_RUN;
      if (status != FIRN_OK) b->failures++;
    }
  if (b->failures) return EXIT_RUN;
  for (const bench_case *c = bench_paper; c->name; c++)
    if (wanted(a, c->name)) bench_paper_forget(b, c->name);
  return EXIT_OK;
}

int cli_bench(int argc, char **argv) {
  arguments a = {.bench.state = "firn-bench"};
  cli_parse(&parser, argc, argv, &a);
  const char *word = unknown(&a);
  if (a.list) {
    list_cases(stdout);
    return EXIT_OK;
  }
  if (word) return say_unknown(word);
  if (unheeded(&a)) {
    fprintf(stderr, "firn bench: %s is for paper/... alone, and no such case was named\n",
            unheeded(&a));
    return EXIT_INPUT;
  }
  cli_catch_signals();
  return run_cases(&a);
}
