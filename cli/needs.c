// SPDX-License-Identifier: Apache-2.0
#include "needs.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limits.h"

// Particles of a scene that is run as it is, and of one that is run in its stead. A check writes
// frames and checkpoints of them, some 200 bytes each.
static const double WHOLE_MOST = 1e6, SAMPLE = 4e5;
// No particle takes less memory, whatever the solver's settings; most take twice as much.
static const double BYTES_LEAST = 80, BYTES_USUAL = 160;
static const int FRAMES_TIMED = 4;

// ------------------------------------------------------------------------------------ the folder

// Size of the largest file whose name begins so; nan: there is none.
static double largest_file(const char *folder, const char *prefix) {
  double most = NAN;
  DIR *dir = opendir(folder);
  // Nobody else has this stream.
  // cppcheck-suppress readdirCalled
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    struct stat info;
    if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
        fstatat(dirfd(dir), e->d_name, &info, 0) == 0)
      most = fmax(most, (double)info.st_size);
  }
  if (dir) closedir(dir);
  return most;
}

// --------------------------------------------------------------------------------- what it takes

double cli_cpu_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double resident_most(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return 1024.0 * (double)u.ru_maxrss;
}

typedef struct moment {
  double time, wall, cpu; // s: simulated, passed, spent
  uint64_t steps;
} moment;

// Steps by what bounded them. There are fewer such words than this.
enum { BOUNDS = 16 };
typedef struct bound_count {
  const char *bound;
  uint64_t steps;
} bound_count;

// A run that is watched from its first step on.
typedef struct watch {
  const cli_needs_def *def;
  const firn_scene *scene;
  moment begin, last; // after frame 0, and now
  double start;       // s, until frame 0 was written
  double particles;   // of frame 0
  double seen;        // particles of the last step ...
  double framed;      // ... and of the last frame that has a file
  int threads;
  uint64_t iterations; // so far
  bool is_auto;        // the solver may turn to semi-implicit steps
  int frames;          // finished
  bound_count bounds[BOUNDS];
  firn_status status; // of the advice
} watch;

static void look_at_start(watch *w, const firn_run_event *e) {
  firn_mpm_def settings;
  w->start = e->wall;
  w->particles = w->seen = w->framed = (double)e->particles;
  w->is_auto = firn_sim_settings(e->sim, "mpm", &settings, sizeof settings) == FIRN_OK &&
               settings.integrator == FIRN_INTEGRATOR_AUTO;
  if (w->def->on_advice) {
    cli_wait("looking at what lies where");
    w->status = firn_scene_advise(w->scene, e->sim, w->def->on_advice, w->def->advice_user);
  }
  cli_wait(w->def->seconds > 0 ? "timing the first steps" : "taking a step");
  w->begin = (moment){.wall = cli_seconds(), .cpu = cli_cpu_seconds()};
  w->last = w->begin;
}

static void count_bound(watch *w, const char *bound) {
  int i = 0;
  while (i < BOUNDS && w->bounds[i].bound && strcmp(w->bounds[i].bound, bound) != 0) i++;
  if (i == BOUNDS) return;
  w->bounds[i].bound = bound;
  w->bounds[i].steps++;
}

static bool on_event(void *user, const firn_run_event *e) {
  watch *w = user;
  if (e->steps == 0) {
    look_at_start(w, e);
    return w->status == FIRN_OK && !cli_interrupted();
  }
  w->last = (moment){e->time, cli_seconds(), cli_cpu_seconds(), e->steps};
  w->iterations = e->iterations;
  w->seen = (double)e->particles;
  if (e->frame_written) w->framed = w->seen;
  w->frames = e->frame;
  if (e->bound) count_bound(w, e->bound);
  // Where others are at work on the machine it takes longer, but not for ever.
  double spent = fmin(w->last.wall - w->begin.wall, (w->last.cpu - w->begin.cpu) / w->threads);
  spent = fmax(spent, (w->last.wall - w->begin.wall) / 4);
  // One step may be unlike the others; but nobody waits for ten long ones.
  bool enough = spent > w->def->seconds && (e->steps >= 4 || spent > 4 * w->def->seconds);
  return !enough && !cli_interrupted();
}

static void tell_bound(const watch *w, cli_needs *out) {
  uint64_t most = 0, all = 0;
  for (int i = 0; i < BOUNDS && w->bounds[i].bound; i++) {
    all += w->bounds[i].steps;
    if (w->bounds[i].steps <= most) continue;
    most = w->bounds[i].steps;
    out->bound = w->bounds[i].bound;
  }
  if (all) out->bound_share = (double)most / (double)all;
}

// A frame's time, by what was covered of the first ones. Of the files of a frame that was not finished
// stands the checkpoint with which a run stops, twice.
static void tell_time(const watch *w, double seconds, double stop_wall, double stop_cpu,
                      cli_needs *out) {
  double covered = w->last.time - w->begin.time;
  out->start_seconds = w->start;
  tell_bound(w, out);
  if (!(covered > 0) || !(w->def->seconds > 0)) return;
  double share = seconds / covered, files = w->frames > 0 ? 0 : 2;
  out->frames_timed = covered / seconds;
  out->steps_per_frame = share * (double)w->last.steps;
  out->seconds_per_frame = share * (w->last.wall - w->begin.wall) + files * stop_wall;
  out->cpu_per_frame = share * (w->last.cpu - w->begin.cpu) + files * stop_cpu;
}

// ------------------------------------------------------------------------------------- the sample

static firn_status run_in(const firn_scene *scene, const char *folder, watch *w) {
  firn_run_def run = firn_default_run_def();
  int last = firn_scene_frames(scene);
  run.folder = folder;
  run.last_frame = last < FRAMES_TIMED ? last : FRAMES_TIMED;
  run.event = on_event;
  run.event_user = w;
  firn_status status = firn_run(scene, &run);
  if (w->status != FIRN_OK) return w->status;
  return status == FIRN_CANCELLED && !cli_interrupted() ? FIRN_OK : status;
}

// Runs the scene, or what stands for it, and scales what it took by `scale` particles for each.
static firn_status measure_run(firn_context *context, const firn_scene *scene, double scale,
                               watch *w, cli_needs *out) {
  char folder[4096];
  if (!cli_temporary_folder(folder, sizeof folder)) return FIRN_ERROR_IO;
  double before = resident_most();
  firn_status status = run_in(scene, folder, w);
  double stop_wall = cli_seconds() - w->last.wall, stop_cpu = cli_cpu_seconds() - w->last.cpu;
  tell_time(w, firn_scene_frame_seconds(scene), stop_wall, stop_cpu, out);
  out->memory = before + scale * (resident_most() - before);
  out->memory_before = before;
  out->library_bytes = scale * (double)firn_context_peak_bytes(context);
  out->memory_alone = out->memory;
  out->frame_bytes = scale * largest_file(folder, "frame_");
  out->checkpoint_bytes = scale * largest_file(folder, "checkpoint_");
  firn_output_def output = firn_scene_output(scene);
  if (output.precision == 16 && status == FIRN_OK) // the larger of the two, whichever is known
    out->frame_bytes = fmax(out->frame_bytes,
                            cli_packed_bytes(context, &output, folder, out->particles));
  cli_remove_folder(folder);
  return status;
}

// What the first frames take where only a part of them was run.
static void add_growth(const firn_scene *scene, const watch *w, cli_needs *out) {
  int last = firn_scene_frames(scene), frames = last < FRAMES_TIMED ? last : FRAMES_TIMED;
  if (!(out->frames_timed > 0) || w->frames >= frames) return;
  cli_wait("looking ahead with fewer particles");
  cli_pilot growth = cli_look_ahead(scene, w->def, frames, w->last.time, out->cpu_per_frame,
                                    w->iterations > 0);
  out->seconds_per_frame *= growth.time;
  out->cpu_per_frame *= growth.time;
  out->memory = fmax(out->memory, out->memory_before + growth.bytes * out->library_bytes);
}

// Bytes for more particles than those that took so many; where these are few, by what is usual.
static double bytes_of_more(double end, double seen, double taken, double usual) {
  const double few = 1000;
  return fmax(end - seen, 0) * (seen >= few ? taken / seen : usual);
}

// What emitters add.
static void add_emitted(const firn_scene *scene, const watch *w, double scale, cli_needs *out) {
  double end = out->particles + firn_scene_particles_at_end(scene) - firn_scene_particles(scene);
  double seen = scale * w->seen, framed = scale * w->framed,
         held = out->memory - out->memory_before;
  out->particles_end = end;
  out->memory_end = out->memory;
  out->frame_bytes_end = out->frame_bytes;
  if (!(end > out->particles)) return;
  out->memory_end += bytes_of_more(end, seen, held, BYTES_USUAL);
  out->frame_bytes_end += bytes_of_more(end, framed, out->frame_bytes, 44);
  out->checkpoint_bytes += bytes_of_more(end, seen, out->checkpoint_bytes, 70);
}

// Longer steps for larger cells: the time of a frame grows with one more power of the quality.
static void scale_time(double scale, cli_needs *out) {
  double steps = cbrt(scale);
  out->start_seconds *= scale;
  out->steps_per_frame *= steps;
  out->seconds_per_frame *= scale * steps;
  out->cpu_per_frame *= scale * steps;
}

// What shortens the solve of a step that is not timed; the memory that it takes is the same.
static const char *const *rough_solve(const firn_scene *scene, const cli_needs_def *def) {
  static const char *const rough[] = {"mpm.tolerance=0.5", NULL};
  bool mpm = strstr(firn_scene_resolved_text(scene), "\nsolver: mpm\n") != NULL;
  return mpm && !(def->seconds > 0) ? rough : NULL;
}

static firn_status measure_whole(firn_context *context, const firn_scene *scene, watch *w,
                                 cli_needs *out) {
  const char *const *rough = rough_solve(scene, w->def);
  firn_scene *same = rough ? cli_load_like(context, scene, w->def, 1, rough) : NULL;
  firn_status status = measure_run(context, same ? same : scene, 1, w, out);
  firn_scene_destroy(same);
  return status;
}

static firn_status measure_sample(firn_context *context, const firn_scene *scene, watch *w,
                                  cli_needs *out) {
  double factor = cbrt(SAMPLE / out->particles);
  firn_scene *sample = cli_load_like(context, scene, w->def, factor, rough_solve(scene, w->def));
  if (!sample) return FIRN_OK; // the guess stands
  double scale = out->particles / fmax(1, firn_scene_particles(sample));
  firn_status status = measure_run(context, sample, scale, w, out);
  firn_scene_destroy(sample);
  if (status == FIRN_OK) scale_time(scale, out);
  return status;
}

firn_status cli_measure(firn_context *context, const firn_scene *scene, const cli_needs_def *def,
                        cli_needs *out) {
  cli_wait("counting the snow");
  double guess = firn_scene_particles(scene);
  *out = (cli_needs){.particles = guess,
                     .memory = guess * BYTES_USUAL,
                     .memory_most = guess * BYTES_USUAL,
                     .memory_end = guess * BYTES_USUAL,
                     .particles_end = guess,
                     .frame_bytes = NAN,
                     .frame_bytes_end = NAN,
                     .checkpoint_bytes = NAN,
                     .start_seconds = NAN,
                     .seconds_per_frame = NAN,
                     .cpu_per_frame = NAN,
                     .steps_per_frame = NAN};
  firn_status status = FIRN_OK;
  watch w = {.def = def, .scene = scene, .threads = firn_context_threads(context)};
  if (guess * BYTES_LEAST < limits_memory(NULL)) {
    bool whole = guess <= WHOLE_MOST;
    cli_wait("building");
    status = whole ? measure_whole(context, scene, &w, out)
                   : measure_sample(context, scene, &w, out);
    out->sampled = w.particles;
    if (whole) out->particles = w.particles;
    if (status == FIRN_OK) add_growth(scene, &w, out);
    if (status == FIRN_OK)
      add_emitted(scene, &w, w.particles > 0 ? out->particles / w.particles : 1, out);
    out->memory_most = out->memory;
    if (status == FIRN_OK && w.is_auto && w.iterations == 0 && out->particles > 0) {
      cli_wait("taking a semi-implicit step");
      double implicit = out->memory_alone + cli_implicit_bytes(scene, def, out->particles);
      out->memory_most = fmax(out->memory, implicit);
    }
  }
  cli_wait_clear();
  return status;
}

// ------------------------------------------------------------------------------------- judging

firn_status cli_check_memory(const firn_scene *scene, const cli_needs *needs) {
  const char *whose;
  double limit = limits_memory(&whose);
  char memory[32] = "more than can be counted", has[32], message[256];
  if (needs->memory <= limit) return FIRN_OK;
  if (needs->memory < 1e24) cli_bytes(needs->memory, memory);
  snprintf(message, sizeof message,
           "some %.3g particles need %s of memory, and %s %s; it takes less snow, a lower quality "
           "or a larger spacing",
           needs->particles, memory, whose, cli_bytes(limit, has));
  return firn_scene_too_large(scene, message);
}

firn_status cli_check_size(firn_context *context, const firn_scene *scene, const char *name,
                           const cli_options *options) {
  cli_needs needs;
  cli_needs_def def = {.scene = name, .options = options};
  // Even with ten times the usual it would fit.
  if (10 * BYTES_USUAL * firn_scene_particles(scene) < limits_memory(NULL)) return FIRN_OK;
  firn_status status = cli_measure(context, scene, &def, &needs);
  return status == FIRN_OK ? cli_check_memory(scene, &needs) : status;
}

int cli_frames_written(const firn_output_def *output, int first, int last) {
  int every = output->every > 1 ? output->every : 1;
  return last / every - (first + every - 1) / every + 1;
}

// Frames grow evenly from the first to the last. Two checkpoints are kept, or the last alone; while
// one is written there is one more.
double cli_disk(const cli_needs *needs, const firn_output_def *output, int first, int last) {
  int checkpoints = output->checkpoints < 0 || last < 1 ? 1 : 3;
  return cli_frames_written(output, first, last) * 0.5 *
             (needs->frame_bytes + needs->frame_bytes_end) +
         checkpoints * needs->checkpoint_bytes;
}
