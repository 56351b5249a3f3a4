// SPDX-License-Identifier: Apache-2.0
// The files of one frame of a run.
//
// A frame is finished in this order: frame file, rows of the tables, checkpoint, removal of old
// checkpoints. So whatever a checkpoint stands for is on disk before it is, and a run killed at any
// moment goes on from the newest one. Where the undisturbed run and the resumed one could part, in
// time targets and sums over the steps of a frame, the checkpoint carries what is needed.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/output.h"
#include "api/run.h"
#include "api/stages.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cache/series.h"

enum { CHECKPOINTS_KEPT = 2 }; // where the output does not say
enum { LARGE = 1000000 };      // particles of a frame that takes a while to write

// ------------------------------------------------------------------------------------ checkpoints

#define TALLY_LIST(X)                                                                              \
  X(steps)                                                                                         \
  X(implicit_steps) X(iterations) X(iterations_max) X(asleep) X(all_steps) X(all_iterations)

// Which frames are to be had: a resume that names none goes on with these.
static firn_status load_asked(firn_run_state *r, firn_archive *a) {
  uint64_t first, last, frames;
  FIRN_TRY(firn_archive_get_u64(a, "run", "first_frame", &first));
  FIRN_TRY(firn_archive_get_u64(a, "run", "last_frame", &last));
  FIRN_TRY(firn_archive_get_u64(a, "run", "scene_frames", &frames));
  if (first > FIRN_FRAME_LAST || last > FIRN_FRAME_LAST || frames > INT32_MAX)
    return firn_fail(r->context, FIRN_ERROR_FORMAT, "%s is damaged: frames %llu:%llu of %llu",
                     r->path, (unsigned long long)first, (unsigned long long)last,
                     (unsigned long long)frames);
  r->asked.first = (int)first;
  r->asked.last = (int)last;
  r->asked.frames = (int)frames;
  return FIRN_OK;
}

static firn_status save_tally(void *user, firn_archive *a) {
  const firn_run_state *r = user;
  firn_run_save_sums(r, a);
  firn_archive_set_u64(a, "run", "frame", (uint64_t)r->frame);
  firn_archive_set_u64(a, "run", "first_frame", (uint64_t)r->first);
  firn_archive_set_u64(a, "run", "last_frame", (uint64_t)r->last);
  firn_archive_set_u64(a, "run", "scene_frames", (uint64_t)firn_scene_frames(r->scene));
#define SET(name) firn_archive_set_u64(a, "run", #name, r->tally.name);
  TALLY_LIST(SET)
#undef SET
  firn_archive_set_f64(a, "run", "dt_min", r->tally.dt_min);
  firn_archive_set_f64(a, "run", "wall", r->tally.wall);
  return firn_archive_set_f64(a, "run", "dt_sum", r->tally.dt_sum);
}

firn_status firn_run_load_tally(void *user, firn_archive *a) {
  firn_run_state *r = user;
  uint64_t frame;
  FIRN_TRY(firn_archive_get_u64(a, "run", "frame", &frame));
#define GET(name) FIRN_TRY(firn_archive_get_u64(a, "run", #name, &r->tally.name));
  TALLY_LIST(GET)
#undef GET
  FIRN_TRY(firn_archive_get_f64(a, "run", "dt_min", &r->tally.dt_min));
  FIRN_TRY(firn_archive_get_f64(a, "run", "dt_sum", &r->tally.dt_sum));
  FIRN_TRY(firn_archive_get_f64(a, "run", "wall", &r->tally.wall));
  FIRN_TRY(load_asked(r, a));
  if (frame != (uint64_t)r->frame) {
    return firn_fail(r->context, FIRN_ERROR_FORMAT, "%s holds frame %llu", r->path,
                     (unsigned long long)frame);
  }
  return firn_run_check_sums(r, a);
}

firn_status firn_run_checkpoint(firn_run_state *r) {
  FIRN_TRY(firn_run_check_folder(r));
  FIRN_TRY(firn_run_sum_tables(r));
  char name[64];
  snprintf(name, sizeof name, FIRN_CHECKPOINT_PREFIX "%05d.hdf", r->frame);
  if (!firn_record_find(&r->record, name)) { // in the middle of a frame
    FIRN_TRY(firn_record_add(&r->record, name));
    FIRN_TRY(firn_run_save_record(r));
  }
  FIRN_TRY(firn_run_file(r, name));
  FIRN_TRY(firn_sim_save_with(r->sim, r->path, save_tally, r));
  FIRN_TRY(firn_record_mark(&r->record, name));
  r->saved = true;
  return firn_run_clear_checkpoints(r);
}

// Listed checkpoints that are spare: all but the last ones up to a frame. Later ones, which a run that went
// back has left behind, are spare too.
typedef struct spare {
  int first, last; // that are kept
} spare;

static int checkpoint_number(const char *name) {
  const size_t n = sizeof FIRN_CHECKPOINT_PREFIX - 1;
  return strncmp(name, FIRN_CHECKPOINT_PREFIX, n) == 0 ? atoi(name + n) : -1;
}

static bool is_spare(const void *user, const char *name) {
  const spare *s = user;
  int number = checkpoint_number(name);
  return number >= 0 && (number < s->first || number > s->last);
}

firn_status firn_run_clear_checkpoints(firn_run_state *r) {
  spare s = {.first = 0, .last = r->frame};
  int kept = 0, keep = r->output.keep_checkpoints;
  if (keep == 0) keep = CHECKPOINTS_KEPT;
  for (size_t i = r->record.count; i-- > 0 && (keep < 0 || kept < keep);) {
    int number = checkpoint_number(r->record.entry[i].name);
    if (number < 0 || number > r->frame) continue;
    s.first = number;
    kept++;
  }
  return firn_record_remove_all(&r->record, is_spare, &s);
}

// ---------------------------------------------------------------------------------------- a frame

bool firn_run_writes(const firn_run_state *r, int frame) {
  return frame >= r->first && firn_output_has_frame(&r->output, frame);
}

// What each stage of the steps took, as far as this process made them.
static void log_stages(firn_run_state *r, const double *stats) {
  firn_stat_info info;
  for (int i = 0; firn_sim_stat_info(r->sim, i, &info) == FIRN_OK; i++) {
    if (strncmp(info.name, FIRN_STAGE_PREFIX, strlen(FIRN_STAGE_PREFIX)) != 0) continue;
    firn_log_number(&r->log, info.name, stats[i] - r->stage_wall[i]);
    r->stage_wall[i] = stats[i];
  }
}

static void log_frame(firn_run_state *r, const double *stats, double bytes, double wall) {
  firn_log_begin(&r->log, "frame");
  firn_log_number(&r->log, "frame", r->frame);
  firn_log_number(&r->log, "time", firn_sim_time(r->sim));
  firn_log_number(&r->log, "steps", (double)r->tally.steps);
  firn_log_number(&r->log, "iterations", (double)r->tally.iterations);
  firn_log_number(&r->log, "particles", (double)firn_sim_count(r->sim));
  firn_log_number(&r->log, "wall_seconds", wall);
  log_stages(r, stats);
  firn_log_number(&r->log, "memory", (double)firn_context_bytes(r->context));
  firn_log_number(&r->log, "bytes", bytes);
  firn_log_end(&r->log);
}

firn_status firn_run_finish_frame(firn_run_state *r) {
  firn_measures measures;
  double bytes = (double)NAN;
  r->saved = false;
  // The last one always: a run may be lengthened.
  bool save = firn_output_has_checkpoint(&r->output, r->frame) || r->frame == r->last;
  FIRN_TRY(firn_run_declare_frame(r, save));
  if (firn_run_writes(r, r->frame)) {
    struct stat info;
    char name[64];
    FIRN_TRY(firn_run_numbered(r, FIRN_FRAME_PREFIX, r->frame));
    if (firn_sim_count(r->sim) > LARGE) firn_doing(r->context, 0, 0, "writing frame %d", r->frame);
    FIRN_TRY(firn_sim_write_numbered_frame(r->sim, &r->output, r->path, r->frame, &measures));
    if (stat(r->path, &info)) return firn_file_fail(r->context, "read back", r->path, errno);
    bytes = (double)info.st_size;
    snprintf(name, sizeof name, FIRN_FRAME_PREFIX "%05d.hdf", r->frame);
    FIRN_TRY(firn_record_mark(&r->record, name));
    FIRN_TRY(firn_series_frames(r->context, r->def->folder, r->seconds));
  } else {
    FIRN_TRY(firn_sim_measure(r->sim, &measures.sums, measures.stats));
  }
  double now = firn_seconds(), wall = now - r->frame_wall;
  r->frame_wall = now;
  FIRN_TRY(firn_run_check_folder(r));
  FIRN_TRY(firn_run_append_tables(r, &measures, bytes, wall));
  log_frame(r, measures.stats, bytes, wall);
  firn_run_watch(r, &measures);
  r->tally = (firn_run_tally){.all_steps = r->tally.all_steps,
                              .all_iterations = r->tally.all_iterations};
  return save ? firn_run_checkpoint(r) : FIRN_OK;
}
