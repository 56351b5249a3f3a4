// SPDX-License-Identifier: Apache-2.0
// Runs: a scene into a folder, frame by frame.
#include "api/run.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/scene.h"
#include "api/sim.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/memory.h"
#include "cache/lock.h"
#include "scene/scene.h"

FIRN_DEFAULTS(run_def) {
  return (firn_run_def){.folder = "out", .first_frame = -1, .last_frame = -1, .from_frame = -1};
}

firn_status firn_run_file(firn_run_state *r, const char *name) {
  return firn_path_format(r->context, r->path, "%s/%s", r->def->folder, name);
}

firn_status firn_run_numbered(firn_run_state *r, const char *prefix, int number) {
  return firn_numbered_path(r->context, r->def->folder, prefix, number, r->path);
}

firn_status firn_run_check_folder(firn_run_state *r) {
  return firn_lock_check(r->context, r->def->folder, r->lock);
}

// Tells the caller how things stand; false: stop.
static bool report(firn_run_state *r, bool frame_written, bool resumed) {
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
      .resumed = resumed,
      .sim = r->sim,
      .bound = r->bound,
  };
  r->sim->in_advance = true;
  bool go = r->def->event(r->def->event_user, &event);
  r->sim->in_advance = false;
  if (frame_written) r->noted = firn_run_note_picture(r);
  return go && r->noted == FIRN_OK;
}

static void count_step(firn_run_state *r, const firn_step *step) {
  firn_run_tally *t = &r->tally;
  r->bound = step->bound;
  t->dt_min = t->steps && t->dt_min < step->dt ? t->dt_min : step->dt;
  t->dt_sum += step->dt;
  t->asleep += step->asleep;
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
static firn_status simulate_frame(firn_run_state *r, bool *go) {
  firn_world *world = &r->sim->world;
  const double *time = &world->time, target = (r->frame + 1) * r->seconds;
  while (*time < target) {
    firn_step step;
    FIRN_TRY(firn_scene_apply(r->scene, r->sim));
    FIRN_TRY(firn_sim_step(r->sim, target - *time, &step));
    r->saved = false;
    // The last step may miss the target by rounding, either way.
    if (fabs(target - *time) < 1e-9 * step.dt) firn_world_set_time(world, target);
    count_step(r, &step);
    if (*time < target && !report(r, false, false)) {
      *go = false;
      return FIRN_OK;
    }
  }
  r->frame++;
  return FIRN_OK;
}

static firn_status stopped(firn_run_state *r) {
  FIRN_TRY(r->noted);
  if (!r->saved) {
    r->tally.wall = firn_seconds() - r->frame_wall;
    FIRN_TRY(firn_run_checkpoint(r));
  }
  firn_log_begin(&r->log, "stopped");
  firn_log_number(&r->log, "frame", r->frame);
  firn_log_number(&r->log, "time", firn_sim_time(r->sim));
  firn_log_end(&r->log);
  return firn_fail(r->context, FIRN_CANCELLED,
                   "stopped after frame %d of %d, at %g s; %s can be resumed", r->frame, r->last,
                   firn_sim_time(r->sim), r->def->folder);
}

static firn_status simulate(firn_run_state *r) {
  bool go = true;
  if (r->frame < 0) { // a new run: frame 0 is the initial state
    r->frame = 0;
    FIRN_TRY(firn_scene_apply(r->scene, r->sim));
    FIRN_TRY(firn_run_finish_frame(r));
    if (!report(r, firn_run_writes(r, 0), false)) return stopped(r);
  } else if (!r->tally.steps && !report(r, firn_run_writes(r, r->frame), true)) {
    return stopped(r);
  }
  while (r->frame < r->last) {
    FIRN_TRY(simulate_frame(r, &go));
    if (!go) return stopped(r);
    FIRN_TRY(firn_run_finish_frame(r));
    if (!report(r, firn_run_writes(r, r->frame), false)) return stopped(r);
  }
  return FIRN_OK;
}

static firn_status check_def(firn_context *context, const firn_run_def *def, int last) {
  if (!def->folder || !*def->folder) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "run: no folder is given");
  }
  if (def->resume && def->overwrite) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "run: to resume and to overwrite are two things; choose one");
  }
  if (def->first_frame > last || last > FIRN_FRAME_LAST) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "run: frames %d:%d; they must ascend and be from 0 to %d", def->first_frame,
                     last, FIRN_FRAME_LAST);
  }
  return FIRN_OK;
}

// Puts where the run stood before a failure's message.
static firn_status fail_at(const firn_run_state *r, firn_status status) {
  char message[FIRN_MESSAGE_SIZE];
  memcpy(message, firn_context_message(r->context), sizeof message);
  return firn_fail(r->context, status, "after frame %d, at %g s: %s", r->frame,
                   firn_sim_time(r->sim), message);
}

static firn_status perform(firn_run_state *r) {
  FIRN_TRY(check_def(r->context, r->def, r->last));
  struct stat info;
  r->opened = stat(r->def->folder, &info) != 0;
  FIRN_TRY(firn_folder_make(r->context, r->def->folder));
  FIRN_TRY(firn_lock_take(r->context, r->def->folder, &r->lock));
  FIRN_TRY(firn_run_file(r, FIRN_RUN_LOG));
  FIRN_TRY(firn_log_lock(r->context, r->path, &r->log));
  FIRN_TRY(firn_run_begin(r));
  r->opened = false; // by now another one may have its name
  r->begin_time = firn_sim_time(r->sim);
  r->frame_wall = firn_seconds() - r->tally.wall;
  firn_status status = simulate(r);
  if (status == FIRN_ERROR_STEP && !r->tally.all_steps)
    status = firn_scene_too_fast(r->scene, r->sim, status);
  if (r->recorded) { // with all marks, also where a later frame failed
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    firn_status saved = firn_run_save_record(r);
    if (status == FIRN_OK)
      status = saved;
    else // the first failure is the one to report
      memcpy(r->context->message, message, sizeof message);
  }
  bool told = status == FIRN_OK || status == FIRN_CANCELLED || status == FIRN_ERROR_SCENE;
  return told ? status : fail_at(r, status);
}

// What the library notes during a run stands in its log too.
static void on_note(void *user, firn_log_level level, const char *message) {
  firn_run_state *r = user;
  if (level != FIRN_LOG_ERROR) { // a failure that matters ends the run, and is logged then
    firn_log_begin(&r->log, level == FIRN_LOG_WARNING ? "warning" : "note");
    firn_log_text(&r->log, "message", message);
    firn_log_end(&r->log);
  }
  if (r->listener) r->listener(r->listener_user, level, message);
}

static void listen(firn_run_state *r) {
  r->listener = r->context->log;
  r->listener_user = r->context->log_user;
  r->context->log = on_note;
  r->context->log_user = r;
}

static void listen_no_more(firn_run_state *r) {
  r->context->log = r->listener;
  r->context->log_user = r->listener_user;
}

firn_status firn_run(const firn_scene *scene, const firn_run_def *given) {
  if (!scene || !given) return FIRN_ERROR_ARGUMENT;
  FIRN_TAKE(scene->context, run_def, given, own);
  const firn_run_def *def = &own;
  firn_context *context = scene->context;
  if (firn_scene_error_count(scene)) {
    return firn_fail(context, FIRN_ERROR_SCENE, "scene %s has errors", firn_scene_file(scene));
  }
  firn_output_def output = firn_scene_output(scene);
  if (def->output)
    FIRN_TRY(firn_def_take(context, "firn_output_def", def->output, &output, sizeof output));
  firn_run_state *r = firn_alloc_zero(context, sizeof *r, "a run");
  if (!r) return FIRN_ERROR_MEMORY;
  r->scene = scene;
  r->def = def;
  r->output = output;
  r->context = context;
  r->log.fd = r->lock = -1;
  r->from = def->from;
  r->from_frame = def->from_frame;
  r->frame = -1;
  r->begin_wall = firn_seconds();
  r->first = def->first_frame < 0 ? 0 : def->first_frame;
  r->last = def->last_frame < 0 ? firn_scene_frames(scene) : def->last_frame;
  r->seconds = firn_scene_frame_seconds(scene);

  listen(r);
  firn_status status = perform(r);
  listen_no_more(r);
  if (status != FIRN_CANCELLED) {
    firn_log_begin(&r->log, status == FIRN_OK ? "end" : "error");
    if (status != FIRN_OK) firn_log_text(&r->log, "message", firn_context_message(context));
    firn_log_number(&r->log, "wall_seconds", firn_seconds() - r->begin_wall);
    firn_log_end(&r->log);
  }
  firn_log_close(&r->log);
  // A run that was refused leaves nothing; where files are in its folder, that stays.
  if (status != FIRN_OK && r->opened) rmdir(def->folder);
  if (r->lock >= 0) close(r->lock);
  firn_scene_files_free(&r->files);
  firn_record_free(&r->record);
  firn_sim_destroy(r->sim);
  firn_free(context, r, sizeof *r);
  return status;
}
