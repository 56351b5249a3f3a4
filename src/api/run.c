// SPDX-License-Identifier: Apache-2.0
// Runs: a scene into a folder, frame by frame.
//
// A frame is finished in this order: frame file, row of stats.csv, checkpoint, removal of old
// checkpoints. So whatever a checkpoint stands for is on disk before it is, and a run killed at any
// moment goes on from the newest one. Where the undisturbed run and the resumed one could part, in
// time targets and sums over the steps of a frame, the checkpoint carries what is needed.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/files.h"
#include "api/log.h"
#include "api/scene.h"
#include "api/sim.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cache/file.h"
#include "cache/folder.h"
#include "cache/stats.h"
#include "scene/scene.h"

enum { CHECKPOINTS_KEPT = 2 };

// What the steps since the last frame amount to, and all steps so far.
typedef struct tally {
  uint64_t steps, implicit_steps, iterations, iterations_max; // since the last frame
  double dt_min, dt_sum;                                      // s
  uint64_t all_steps, all_iterations;
} tally;

typedef struct run {
  const firn_scene *scene;
  const firn_run_def *def;
  firn_context *context;
  firn_sim *sim;
  firn_run_log log;
  int last;          // frame
  int frame;         // last finished one
  double seconds;    // from frame to frame, simulated
  double begin_wall; // s, when firn_run was called ...
  double begin_time; // s, and where the simulation stood
  double particle_steps;
  double frame_wall; // s, when the current frame began
  tally tally;
  char path[FIRN_PATH_SIZE];
} run;

firn_run_def firn_default_run_def(void) {
  return (firn_run_def){.folder = "out", .first_frame = 0, .last_frame = -1};
}

static firn_status in_folder(run *r, const char *name) {
  return firn_path_format(r->context, r->path, "%s/%s", r->def->folder, name);
}

static firn_status numbered(run *r, const char *prefix, int number) {
  return firn_folder_path(r->context, r->def->folder, prefix, number, r->path);
}

// ------------------------------------------------------------------------------------ checkpoints

#define TALLY_LIST(X)                                                                              \
  X(steps) X(implicit_steps) X(iterations) X(iterations_max) X(all_steps) X(all_iterations)

static firn_status save_tally(void *user, firn_archive *a) {
  const run *r = user;
  firn_archive_group(a, "run");
  firn_archive_set_u64(a, "run", "frame", (uint64_t)r->frame);
#define SET(name) firn_archive_set_u64(a, "run", #name, r->tally.name);
  TALLY_LIST(SET)
#undef SET
  firn_archive_set_f64(a, "run", "dt_min", r->tally.dt_min);
  return firn_archive_set_f64(a, "run", "dt_sum", r->tally.dt_sum);
}

static firn_status load_tally(void *user, firn_archive *a) {
  run *r = user;
  uint64_t frame;
  FIRN_TRY(firn_archive_get_u64(a, "run", "frame", &frame));
#define GET(name) FIRN_TRY(firn_archive_get_u64(a, "run", #name, &r->tally.name));
  TALLY_LIST(GET)
#undef GET
  FIRN_TRY(firn_archive_get_f64(a, "run", "dt_min", &r->tally.dt_min));
  FIRN_TRY(firn_archive_get_f64(a, "run", "dt_sum", &r->tally.dt_sum));
  if (frame != (uint64_t)r->frame) {
    return firn_fail(r->context, FIRN_ERROR_FORMAT, "%s holds frame %llu", r->path,
                     (unsigned long long)frame);
  }
  return FIRN_OK;
}

typedef struct newest {
  const int *numbers;
  size_t count;
} newest;

static bool is_recent(void *user, int number) {
  const newest *n = user;
  size_t later = 0;
  for (size_t i = 0; i < n->count; i++) later += n->numbers[i] > number;
  return later < CHECKPOINTS_KEPT;
}

static firn_status write_checkpoint(run *r) {
  FIRN_TRY(numbered(r, FIRN_CHECKPOINT_PREFIX, r->frame));
  FIRN_TRY(firn_sim_save_with(r->sim, r->path, save_tally, r));
  int *numbers;
  newest n;
  FIRN_TRY(
      firn_folder_list(r->context, r->def->folder, FIRN_CHECKPOINT_PREFIX, &numbers, &n.count));
  n.numbers = numbers;
  firn_status status = firn_folder_clear(r->context, r->def->folder, FIRN_CHECKPOINT_PREFIX,
                                         is_recent, &n);
  firn_free(r->context, numbers, n.count * sizeof *numbers);
  return status;
}

// --------------------------------------------------------------------------------------- a frame

static firn_status write_row(run *r, double bytes, double wall) {
  firn_sums sums;
  firn_stats_row row = firn_stats_empty_row();
  double *v = row.value;
  const tally *t = &r->tally;
  FIRN_TRY(firn_sim_sums(r->sim, &sums));
  size_t particles = firn_sim_count(r->sim);
  v[FIRN_STATS_frame] = r->frame;
  v[FIRN_STATS_time] = firn_sim_time(r->sim);
  v[FIRN_STATS_steps] = (double)t->steps;
  if (t->steps) {
    v[FIRN_STATS_dt_min] = t->dt_min;
    v[FIRN_STATS_dt_mean] = t->dt_sum / (double)t->steps;
  }
  if (t->implicit_steps) {
    v[FIRN_STATS_iterations_mean] = (double)t->iterations / (double)t->implicit_steps;
    v[FIRN_STATS_iterations_max] = (double)t->iterations_max;
  }
  v[FIRN_STATS_particles] = (double)particles;
  v[FIRN_STATS_mass] = sums.mass;
  for (int a = 0; a < 3; a++) {
    v[FIRN_STATS_momentum_x + a] = sums.momentum[a];
    v[FIRN_STATS_angular_x + a] = sums.angular[a];
    if (!particles) continue; // nothing has no middle
    v[FIRN_STATS_com_x + a] = sums.center[a];
    v[FIRN_STATS_bounds_min_x + a] = sums.bounds_min[a];
    v[FIRN_STATS_bounds_max_x + a] = sums.bounds_max[a];
  }
  v[FIRN_STATS_energy_kinetic] = sums.energy_kinetic;
  v[FIRN_STATS_energy_elastic] = sums.energy_elastic;
  v[FIRN_STATS_energy_gravity] = sums.energy_gravity;
  if (particles) {
    v[FIRN_STATS_speed_max] = sums.speed_max;
    v[FIRN_STATS_jp_min] = sums.jp_min;
    v[FIRN_STATS_jp_mean] = sums.jp_mean;
    v[FIRN_STATS_density_max] = sums.density_max;
  }
  v[FIRN_STATS_bytes] = bytes;
  v[FIRN_STATS_wall_seconds] = wall;
  FIRN_TRY(in_folder(r, "stats.csv"));
  return firn_stats_append(r->context, r->path, &row);
}

// Tells the caller how things stand; false: stop.
static bool report(run *r, bool frame_written) {
  if (!r->def->event) return true;
  double wall = firn_seconds() - r->begin_wall, time = firn_sim_time(r->sim);
  double done = time - r->begin_time, left = r->last * r->seconds - time;
  firn_run_event event = {
      .frame = r->frame,
      .last_frame = r->last,
      .steps = r->tally.all_steps,
      .iterations = r->tally.all_iterations,
      .particles = firn_sim_count(r->sim),
      .time = time,
      .wall = wall,
      .particle_steps_per_second = wall > 0 ? r->particle_steps / wall : 0,
      .seconds_left = done > 0 && left > 0 ? wall * left / done : 0,
      .bytes = firn_context_bytes(r->context),
      .frame_written = frame_written,
      .sim = r->sim,
  };
  return r->def->event(r->def->event_user, &event);
}

// Files of the frame that is finished now. *go turns false when the caller wants to stop.
static firn_status finish_frame(run *r, bool *go) {
  bool wanted = r->frame >= r->def->first_frame;
  double bytes = (double)NAN;
  if (wanted) {
    struct stat info;
    FIRN_TRY(numbered(r, FIRN_FRAME_PREFIX, r->frame));
    FIRN_TRY(firn_sim_write_numbered_frame(r->sim, r->path, r->frame));
    if (stat(r->path, &info) == 0) bytes = (double)info.st_size;
  }
  double now = firn_seconds(), wall = now - r->frame_wall;
  r->frame_wall = now;
  FIRN_TRY(write_row(r, bytes, wall));
  firn_log_begin(&r->log, "frame");
  firn_log_number(&r->log, "frame", r->frame);
  firn_log_number(&r->log, "time", firn_sim_time(r->sim));
  firn_log_number(&r->log, "steps", (double)r->tally.steps);
  firn_log_number(&r->log, "iterations", (double)r->tally.iterations);
  firn_log_number(&r->log, "particles", (double)firn_sim_count(r->sim));
  firn_log_number(&r->log, "wall_seconds", wall);
  firn_log_number(&r->log, "memory", (double)firn_context_bytes(r->context));
  firn_log_end(&r->log);
  r->tally = (tally){.all_steps = r->tally.all_steps, .all_iterations = r->tally.all_iterations};
  FIRN_TRY(write_checkpoint(r));
  *go = report(r, wanted);
  return FIRN_OK;
}

static void count_step(run *r, const firn_step *step) {
  tally *t = &r->tally;
  t->dt_min = t->steps && t->dt_min < step->dt ? t->dt_min : step->dt;
  t->dt_sum += step->dt;
  t->steps++;
  t->all_steps++;
  if (step->implicit) {
    uint64_t iterations = (uint64_t)step->iterations;
    t->implicit_steps++;
    t->iterations += iterations;
    t->all_iterations += iterations;
    if (iterations > t->iterations_max) t->iterations_max = iterations;
  }
  r->particle_steps += (double)firn_sim_count(r->sim);
}

// Steps up to the next frame. Not firn_sim_advance: the target must be the same number whether the
// frame is begun here or was begun before an interruption.
static firn_status simulate_frame(run *r, bool *go) {
  double *time = &r->sim->world.time, target = (r->frame + 1) * r->seconds;
  while (*time < target) {
    firn_step step;
    FIRN_TRY(firn_sim_step(r->sim, target - *time, &step));
    // The last step may miss the target by rounding, either way.
    if (fabs(target - *time) < 1e-9 * step.dt) *time = target;
    count_step(r, &step);
    if (*time < target && !report(r, false)) {
      *go = false;
      return FIRN_OK;
    }
  }
  r->frame++;
  return FIRN_OK;
}

static firn_status stopped(run *r, bool in_frame) {
  if (in_frame) FIRN_TRY(write_checkpoint(r));
  firn_log_begin(&r->log, "stopped");
  firn_log_number(&r->log, "frame", r->frame);
  firn_log_number(&r->log, "time", firn_sim_time(r->sim));
  firn_log_end(&r->log);
  return firn_fail(r->context, FIRN_CANCELLED,
                   "stopped after frame %d of %d, at %g s; %s can be resumed", r->frame, r->last,
                   firn_sim_time(r->sim), r->def->folder);
}

static firn_status simulate(run *r) {
  bool go = true;
  if (r->frame < 0) { // a new run: frame 0 is the initial state
    r->frame = 0;
    FIRN_TRY(finish_frame(r, &go));
    if (!go) return stopped(r, false);
  }
  while (r->frame < r->last) {
    FIRN_TRY(simulate_frame(r, &go));
    if (!go) return stopped(r, true);
    FIRN_TRY(finish_frame(r, &go));
    if (!go) return stopped(r, false);
  }
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------- beginning

// Only once the scene is known to build: what is there is the user's until then.
static firn_status begin_fresh(run *r) {
  const char *text = firn_scene_resolved_text(r->scene);
  FIRN_TRY(firn_scene_build(r->scene, &r->sim));
  FIRN_TRY(in_folder(r, "log.jsonl"));
  FIRN_TRY(firn_log_clear(r->context, r->path, &r->log));
  FIRN_TRY(firn_folder_clear(r->context, r->def->folder, FIRN_CHECKPOINT_PREFIX, NULL, NULL));
  // Resuming without a usable checkpoint: the same frames will come again, so those that are
  // there may stay until then.
  if (!r->def->resume) {
    FIRN_TRY(firn_folder_clear(r->context, r->def->folder, FIRN_FRAME_PREFIX, NULL, NULL));
  }
  FIRN_TRY(in_folder(r, "scene.yaml"));
  FIRN_TRY(firn_file_put(r->context, r->path, text, strlen(text)));
  FIRN_TRY(in_folder(r, "stats.csv"));
  FIRN_TRY(firn_stats_create(r->context, r->path));
  r->frame = -1;
  return FIRN_OK;
}

// A folder is gone on with only by the scene that began it. *any is false when none did.
static firn_status check_scene(run *r, bool *any) {
  const char *text = firn_scene_resolved_text(r->scene);
  char *old;
  size_t size;
  struct stat info;
  *any = false;
  FIRN_TRY(in_folder(r, "scene.yaml"));
  if (stat(r->path, &info) && errno == ENOENT) return FIRN_OK;
  FIRN_TRY(firn_file_get(r->context, r->path, &old, &size));
  size_t same = 0, line = 1;
  while (same < size && text[same] && old[same] == text[same]) line += old[same++] == '\n';
  bool equal = same == size && !text[same];
  firn_free(r->context, old, size + 1);
  *any = true;
  if (equal) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: the scene differs from the one that began this folder, %s, in "
                   "line %zu",
                   r->path, line);
}

// True when every frame that a run up to this checkpoint would have written is there.
static bool frames_are_there(run *r, int number) {
  struct stat info;
  int last = number < r->last ? number : r->last;
  for (int i = r->def->first_frame; i <= last; i++) {
    if (numbered(r, FIRN_FRAME_PREFIX, i) != FIRN_OK || stat(r->path, &info)) return false;
  }
  return true;
}

static void warn(run *r, const char *what) {
  firn_log_begin(&r->log, "warning");
  firn_log_text(&r->log, "message", what);
  firn_log_end(&r->log);
  firn_note(r->context, FIRN_LOG_WARNING, "%s", what);
}

// Goes on from the checkpoint of frame number. FIRN_ERROR_FORMAT: not from this one.
static firn_status try_checkpoint(run *r, int number) {
  int rows = 0;
  if (!frames_are_there(r, number)) {
    return firn_fail(r->context, FIRN_ERROR_FORMAT,
                     "%s is missing, so the checkpoint of frame %d is of no use", r->path, number);
  }
  FIRN_TRY(firn_scene_build_empty(r->scene, &r->sim));
  r->frame = number;
  FIRN_TRY(numbered(r, FIRN_CHECKPOINT_PREFIX, number));
  FIRN_TRY(firn_sim_load_with(r->sim, r->path, load_tally, r));
  FIRN_TRY(in_folder(r, "stats.csv"));
  FIRN_TRY(firn_stats_truncate(r->context, r->path, number, &rows));
  if (rows == number + 1) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_FORMAT, "%s has %d rows before frame %d", r->path, rows,
                   number);
}

// From the newest checkpoint that is whole; *found is false when there is none.
static firn_status begin_resumed(run *r, bool *found) {
  int *numbers;
  size_t count;
  *found = false;
  FIRN_TRY(firn_folder_list(r->context, r->def->folder, FIRN_CHECKPOINT_PREFIX, &numbers, &count));
  firn_status status = FIRN_OK;
  for (size_t i = count; i-- > 0 && !*found;) {
    status = try_checkpoint(r, numbers[i]);
    *found = status == FIRN_OK;
    if (*found) break;
    firn_sim_destroy(r->sim);
    r->sim = NULL;
    r->tally = (tally){0};
    if (status != FIRN_ERROR_FORMAT && status != FIRN_ERROR_IO) break;
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    warn(r, message);
    status = FIRN_OK; // an older one may do
  }
  firn_free(r->context, numbers, count * sizeof *numbers);
  return status;
}

static firn_status begin(run *r) {
  bool found = false;
  if (r->def->resume) {
    bool any;
    FIRN_TRY(check_scene(r, &any));
    if (any) FIRN_TRY(begin_resumed(r, &found));
  }
  if (!found) FIRN_TRY(begin_fresh(r));
  firn_log_begin(&r->log, found ? "resume" : "begin");
  firn_log_text(&r->log, "scene", firn_scene_file(r->scene));
  firn_log_text(&r->log, "version", firn_version());
  firn_log_text(&r->log, "precision", firn_precision());
  firn_log_text(&r->log, "isa", firn_isa_name(firn_context_isa(r->context)));
  firn_log_number(&r->log, "threads", firn_context_threads(r->context));
  firn_log_number(&r->log, "particles", (double)firn_sim_count(r->sim));
  firn_log_number(&r->log, "first_frame", r->def->first_frame);
  firn_log_number(&r->log, "last_frame", r->last);
  if (found) firn_log_number(&r->log, "after_frame", r->frame);
  firn_log_end(&r->log);
  r->begin_time = firn_sim_time(r->sim);
  r->frame_wall = firn_seconds();
  return FIRN_OK;
}

static firn_status check_def(firn_context *context, const firn_run_def *def, int last) {
  if (!def->folder || !*def->folder) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "run: no folder is given");
  }
  if (def->first_frame < 0 || def->first_frame > last || last > FIRN_FRAME_LAST) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "run: frames %d:%d; they must ascend and be from 0 to %d", def->first_frame,
                     last, FIRN_FRAME_LAST);
  }
  return FIRN_OK;
}

firn_status firn_run(const firn_scene *scene, const firn_run_def *def) {
  if (!scene || !def) return FIRN_ERROR_ARGUMENT;
  firn_context *context = scene->context;
  if (firn_scene_error_count(scene)) {
    return firn_fail(context, FIRN_ERROR_SCENE, "scene %s has errors", firn_scene_file(scene));
  }
  run *r = firn_alloc_zero(context, sizeof *r, "a run");
  if (!r) return FIRN_ERROR_MEMORY;
  *r = (run){.scene = scene, .def = def, .context = context, .log = {.fd = -1}, .frame = -1};
  r->begin_wall = firn_seconds();
  r->last = def->last_frame < 0 ? firn_scene_frames(scene) : def->last_frame;
  r->seconds = firn_scene_frame_seconds(scene);

  firn_status status = check_def(context, def, r->last);
  if (status == FIRN_OK) status = firn_folder_make(context, def->folder);
  if (status == FIRN_OK) status = in_folder(r, "log.jsonl");
  if (status == FIRN_OK) status = firn_log_open(context, r->path, &r->log);
  if (status == FIRN_OK) status = begin(r);
  if (status == FIRN_OK) {
    status = simulate(r);
    if (status != FIRN_OK && status != FIRN_CANCELLED) {
      char message[FIRN_MESSAGE_SIZE];
      memcpy(message, firn_context_message(context), sizeof message);
      status = firn_fail(context, status, "after frame %d, at %g s: %s", r->frame,
                         firn_sim_time(r->sim), message);
    }
  }
  if (status != FIRN_CANCELLED) {
    firn_log_begin(&r->log, status == FIRN_OK ? "end" : "error");
    if (status != FIRN_OK) firn_log_text(&r->log, "message", firn_context_message(context));
    firn_log_number(&r->log, "wall_seconds", firn_seconds() - r->begin_wall);
    firn_log_end(&r->log);
  }
  firn_log_close(&r->log);
  firn_sim_destroy(r->sim);
  firn_free(context, r, sizeof *r);
  return status;
}
