// SPDX-License-Identifier: Apache-2.0
// How a run begins: in a folder of its own, or after the newest checkpoint of one that was stopped.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/output.h"
#include "api/run.h"
#include "api/scene.h"
#include "base/memory.h"
#include "scene/difference.h"

static firn_status write_scene(firn_run_state *r) {
  const char *text = firn_scene_resolved_text(r->scene);
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  return firn_file_put(r->context, r->path, text, strlen(text));
}

// Only once the scene is known to build: what is there is the user's until then.
static firn_status begin_fresh(firn_run_state *r) {
  FIRN_TRY(firn_scene_build(r->scene, &r->sim));
  FIRN_TRY(firn_output_check(r->context, &r->output, r->sim));
  FIRN_TRY(firn_run_file(r, "log.jsonl"));
  FIRN_TRY(firn_log_clear(r->context, r->path, &r->log));
  FIRN_TRY(firn_numbered_clear(r->context, r->def->folder, FIRN_CHECKPOINT_PREFIX, 0));
  // Resuming without a usable checkpoint: the same frames will come again, so those that are
  // there may stay until then.
  if (!r->def->resume) {
    FIRN_TRY(firn_numbered_clear(r->context, r->def->folder, FIRN_FRAME_PREFIX, 0));
  }
  FIRN_TRY(write_scene(r));
  FIRN_TRY(firn_run_create_tables(r));
  r->frame = -1;
  return FIRN_OK;
}

// A folder is gone on with only by the scene that began it, or one that differs in what does not
// matter to it. *any is false when none did, *same when it is not the same text.
static firn_status check_scene(firn_run_state *r, bool *any, bool *same) {
  const char *text = firn_scene_resolved_text(r->scene);
  char *old;
  size_t size;
  struct stat info;
  *any = false;
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  if (stat(r->path, &info) && errno == ENOENT) return FIRN_OK;
  FIRN_TRY(firn_file_get(r->context, r->path, &old, &size));
  firn_scene_difference d;
  firn_status status = firn_scene_compare(r->context, old, size, text, strlen(text), &d);
  firn_free(r->context, old, size + 1);
  FIRN_TRY(status);
  *any = true;
  *same = d.same;
  if (!d.count) return FIRN_OK;
  char more[40] = "";
  if (d.count > 1) snprintf(more, sizeof more, " (and %d more)", d.count - 1);
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: the scene differs from the one that began this folder, %s: "
                   "%s%s",
                   r->path, d.text, more);
}

// True when every frame that a run up to this checkpoint would have written is there.
static bool frames_are_there(firn_run_state *r, int number) {
  struct stat info;
  int last = number < r->last ? number : r->last;
  for (int i = r->def->first_frame; i <= last; i++) {
    if (!firn_run_writes(r, i)) continue;
    if (firn_run_numbered(r, FIRN_FRAME_PREFIX, i) != FIRN_OK || stat(r->path, &info)) return false;
  }
  return true;
}

static void warn(firn_run_state *r, const char *what) {
  firn_log_begin(&r->log, "warning");
  firn_log_text(&r->log, "message", what);
  firn_log_end(&r->log);
  firn_note(r->context, FIRN_LOG_WARNING, "%s", what);
}

// Why a checkpoint cannot be gone on with, though it may be a good one.
typedef struct obstacle {
  firn_status status;
  char message[FIRN_MESSAGE_SIZE];
} obstacle;

// Keeps the last message, unless there is one from a newer checkpoint.
static void note_obstacle(const firn_run_state *r, firn_status status, obstacle *o) {
  if (o->status != FIRN_OK) return;
  o->status = status;
  memcpy(o->message, firn_context_message(r->context), sizeof o->message);
}

// Goes on from the checkpoint of frame number. FIRN_ERROR_FORMAT: not from this one.
static firn_status try_checkpoint(firn_run_state *r, int number, obstacle *o) {
  if (!frames_are_there(r, number)) {
    firn_fail(r->context, FIRN_ERROR_STATE,
              "cannot resume: %s is missing, and there is no checkpoint old enough to make it "
              "again; put it back, or begin anew without resuming",
              r->path);
    note_obstacle(r, FIRN_ERROR_STATE, o);
    return firn_fail(r->context, FIRN_ERROR_FORMAT,
                     "%s is missing, so the checkpoint of frame %d is of no use", r->path, number);
  }
  FIRN_TRY(firn_scene_build_empty(r->scene, &r->sim));
  FIRN_TRY(firn_output_check(r->context, &r->output, r->sim));
  r->frame = number;
  FIRN_TRY(firn_run_numbered(r, FIRN_CHECKPOINT_PREFIX, number));
  FIRN_TRY(firn_sim_load_with(r->sim, r->path, firn_run_load_tally, r));
  FIRN_TRY(firn_run_truncate_tables(r, number));
  r->saved = true;
  return FIRN_OK;
}

// From the newest checkpoint that can be used; *found is false when all there are, if any, are
// damaged. Where some may be good but a frame is missing, or a file cannot be read or written, it
// fails instead: to begin anew would throw them away.
static firn_status begin_resumed(firn_run_state *r, bool *found) {
  int *numbers;
  size_t count;
  obstacle o = {.status = FIRN_OK};
  *found = false;
  FIRN_TRY(
      firn_numbered_list(r->context, r->def->folder, FIRN_CHECKPOINT_PREFIX, &numbers, &count));
  firn_status status = FIRN_OK;
  for (size_t i = count; i-- > 0 && !*found;) {
    status = try_checkpoint(r, numbers[i], &o);
    *found = status == FIRN_OK;
    if (*found) break;
    firn_sim_destroy(r->sim);
    r->sim = NULL;
    r->tally = (firn_run_tally){0};
    if (status != FIRN_ERROR_FORMAT && status != FIRN_ERROR_IO) break;
    if (status == FIRN_ERROR_IO) note_obstacle(r, status, &o);
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    warn(r, message);
    status = FIRN_OK; // an older one may do
  }
  firn_free(r->context, numbers, count * sizeof *numbers);
  if (status != FIRN_OK || *found || o.status == FIRN_OK) return status;
  return firn_fail(r->context, o.status, "%s", o.message);
}

static void log_begin(firn_run_state *r, bool found) {
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
}

firn_status firn_run_begin(firn_run_state *r) {
  bool found = false;
  if (r->def->resume) {
    bool any, same = true;
    FIRN_TRY(check_scene(r, &any, &same));
    if (any) FIRN_TRY(begin_resumed(r, &found));
    if (any && !found) warn(r, "no checkpoint of the folder can be used; the run begins anew");
    if (found && !same) FIRN_TRY(write_scene(r));
  }
  if (!found) FIRN_TRY(begin_fresh(r));
  log_begin(r, found);
  if (found) {
    firn_note(r->context, FIRN_LOG_INFO, "going on after frame %d, at %g s", r->frame,
              firn_sim_time(r->sim));
  }
  return FIRN_OK;
}
