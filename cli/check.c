// SPDX-License-Identifier: Apache-2.0
// firn check SCENE: everything that is wrong with a scene; for a good one, what a run will need.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { KEY_RESOLVED = 2000 };

typedef struct {
  cli_options options;
  const char *scene;
  bool resolved;
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &a->options;
    state->child_inputs[1] = &a->options;
    return 0;
  case KEY_RESOLVED: a->resolved = true; return 0;
  case ARGP_KEY_ARG:
  case ARGP_KEY_END: cli_argument(state, "scene", arg, &a->scene); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"resolved", KEY_RESOLVED, NULL, 0,
     "print the scene instead, with every key and its value in SI units", 0},
    {0},
};
static const struct argp_child children[] = {
    {&cli_scene_argp, 0, NULL, 0}, {&cli_context_argp, 0, NULL, 0}, {0}};
static const struct argp parser = {
    .options = options,
    .parser = parse,
    .args_doc = "SCENE",
    .doc = "Reads SCENE, a file or a name from `firn scenes`, and prints FILE:LINE:COLUMN: message "
           "for "
           "everything wrong with it; the exit status is then 2. For a good scene tells how many "
           "particles "
           "it has and how much memory and disk a run will need.",
    .children = children};

// ------------------------------------------------------------------------ bytes of the files

typedef struct {
  double frame, checkpoint; // bytes
} file_sizes;

static double file_size(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? (double)info.st_size : NAN;
}

// Snow in motion, so that nothing compresses better than it will in a run.
static firn_status stir(firn_sim *sim) {
  size_t n = 3 * firn_sim_count(sim);
  double *velocity = malloc(n * sizeof *velocity);
  if (!velocity) return FIRN_ERROR_MEMORY;
  uint64_t state = 1;
  for (size_t i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    velocity[i] = (double)(state >> 40) * 0x1p-23 - 1;
  }
  firn_status status = firn_sim_write(sim, "velocity", velocity);
  free(velocity);
  return status == FIRN_OK ? firn_sim_step(sim, 1e-5, NULL) : status;
}

// Writes the files of a cube of cells^3 cells with 8 particles each, and looks at them.
static firn_status measure_files(firn_context *context, int cells, const char *folder,
                                 const firn_output_def *output, file_sizes *out) {
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.01;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return status;
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  double half = 0.5 * cells * def.h;
  fill.shape = firn_box((double[3]){half, half, half}, (double[3]){half, half, half});
  fill.seeding = FIRN_SEEDING_JITTERED;
  fill.per_cell = 8;
  char path[300];
  status = firn_sim_add_material(sim, &material, &fill.material);
  if (status == FIRN_OK) status = firn_sim_fill(sim, &fill);
  if (status == FIRN_OK) status = stir(sim);
  snprintf(path, sizeof path, "%s/f.hdf", folder);
  if (status == FIRN_OK) status = firn_sim_write_frame_as(sim, output, path);
  out->frame = file_size(path);
  unlink(path);
  snprintf(path, sizeof path, "%s/c.hdf", folder);
  if (status == FIRN_OK) status = firn_sim_save(sim, path);
  out->checkpoint = file_size(path);
  unlink(path);
  firn_sim_destroy(sim);
  return status;
}

// Sizes of the files of `particles` particles, by a straight line through two small cases: right
// whatever the format becomes. nan where nothing can be written.
static file_sizes predict_files(firn_context *context, const firn_output_def *output,
                                double particles) {
  file_sizes small, large, none = {NAN, NAN};
  const char *base = getenv("TMPDIR");
  char folder[256];
  snprintf(folder, sizeof folder, "%.200s/firn-check-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) return none;
  bool good = measure_files(context, 4, folder, output, &small) == FIRN_OK &&
              measure_files(context, 12, folder, output, &large) == FIRN_OK;
  rmdir(folder);
  if (!good) return none;
  double a = 8 * 4 * 4 * 4, b = 8 * 12 * 12 * 12, t = (particles - a) / (b - a);
  return (file_sizes){small.frame + t * (large.frame - small.frame),
                      small.checkpoint + t * (large.checkpoint - small.checkpoint)};
}

// -------------------------------------------------------------------------------- the needs

static double memory_free(void) {
  long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (double)pages * (double)size : 1e9;
}

firn_status cli_measure(firn_context *context, const firn_scene *scene, cli_needs *out) {
  // Upper bounds that tests hold: 200 bytes a particle with the semi-implicit solver, in bulk.
  const double bytes_each = 200;
  out->particles = firn_scene_particles(scene);
  out->memory = out->particles * bytes_each;
  out->measured = false;
  if (out->memory > 0.5 * memory_free() || out->particles > 2e7) return FIRN_OK;
  firn_sim *sim;
  firn_status status = firn_scene_build(scene, &sim);
  if (status != FIRN_OK) return status;
  status = firn_sim_step(sim, 1e-9, NULL);
  out->particles = (double)firn_sim_count(sim);
  out->memory = (double)firn_context_peak_bytes(context);
  out->measured = true;
  firn_sim_destroy(sim);
  return status;
}

static void print_needs(const firn_scene *scene, const cli_needs *n, const firn_output_def *output,
                        const file_sizes *files) {
  char a[32], b[32];
  int frames = firn_scene_frames(scene), every = output->every > 1 ? output->every : 1;
  int written = frames / every + 1;
  double seconds = firn_scene_frame_seconds(scene);
  printf("%s: ok\n", firn_scene_file(scene));
  printf("  particles  %s%s\n", n->measured ? "" : "about ", cli_count(n->particles, a));
  printf("  frames     %d, and frame 0; %g s at %g a second\n", frames, frames * seconds,
         1 / seconds);
  printf("  memory     about %s (%.0f bytes a particle)\n", cli_bytes(n->memory, a),
         n->memory / n->particles);
  if (!isfinite(files->frame)) return;
  printf("  disk       about %s (%d frames of %s, and 2 checkpoints)\n",
         cli_bytes(written * files->frame + 2 * files->checkpoint, a), written,
         cli_bytes(files->frame, b));
  printf("             %.1f bytes a particle and frame\n", files->frame / n->particles);
}

static int check(firn_context *context, const arguments *a) {
  firn_scene *scene = cli_scene(context, a->scene, &a->options, stdout);
  if (!scene) return EXIT_INPUT;
  int code = EXIT_OK;
  cli_needs n;
  if (a->resolved) {
    fputs(firn_scene_resolved_text(scene), stdout);
  } else {
    firn_status status = cli_measure(context, scene, &n);
    if (status == FIRN_OK) {
      firn_output_def output = firn_scene_output(scene);
      file_sizes files = predict_files(context, &output, n.particles);
      print_needs(scene, &n, &output, &files);
    } else {
      code = cli_fail(context, status);
    }
  }
  firn_scene_destroy(scene);
  return code;
}

int cli_check(int argc, char **argv) {
  arguments a = {0};
  firn_context *context = cli_begin(&parser, argc, argv, &a, &a.options);
  if (!context) return EXIT_INPUT;
  int code = check(context, &a);
  firn_context_destroy(context);
  return code;
}
