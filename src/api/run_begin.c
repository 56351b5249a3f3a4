// SPDX-License-Identifier: Apache-2.0
// How a run begins: in a folder of its own, in place of an old run where that was asked for, or after
// the newest checkpoint of one that was stopped.
//
// A run goes on only with what it has seen to be whole. What is not, it makes again, from a checkpoint
// that is old enough; where there is none it refuses, and nothing has been touched by then.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/output.h"
#include "api/refine.h"
#include "api/run.h"
#include "api/scene.h"
#include "base/memory.h"
#include "cache/lock.h"
#include "cache/series.h"
#include "scene/difference.h"

// --------------------------------------------------------------------------------------- going on

// Compares the scene with a text of the folder; *any is false where there is none.
static firn_status compare_scene(firn_run_state *r, const char *name, bool *any,
                                 firn_scene_difference *d) {
  const char *text = r->files.text;
  char *old;
  size_t size;
  struct stat info;
  FIRN_TRY(firn_run_file(r, name));
  *any = stat(r->path, &info) == 0 || errno != ENOENT;
  if (!*any) return FIRN_OK;
  FIRN_TRY(firn_file_get(r->context, r->path, &old, &size));
  firn_status status = firn_scene_compare(r->context, old, size, text, strlen(text), d);
  firn_free(r->context, old, size + 1);
  return status;
}

// Reads a scene of the folder; *sum is whether it is as firn wrote it.
static firn_status read_sum(firn_run_state *r, const char *name, firn_scene_sum *sum) {
  char *text;
  size_t size;
  FIRN_TRY(firn_run_file(r, name));
  FIRN_TRY(firn_file_get(r->context, r->path, &text, &size));
  *sum = firn_scene_check_sum(text, size);
  firn_free(r->context, text, size + 1);
  return FIRN_OK;
}

// Whether the scene of the folder is the one that began it. Older versions wrote no list, and the
// oldest no sum.
static bool is_as_begun(const firn_run_state *r, firn_scene_sum sum) {
  return sum == FIRN_SCENE_SUM_EXACT || sum == FIRN_SCENE_SUM_FITS ||
         (sum == FIRN_SCENE_SUM_ABSENT && r->record.state != FIRN_RECORD_FOUND);
}

firn_status firn_run_check_scene(firn_run_state *r, bool *same) {
  bool any;
  firn_scene_difference d;
  firn_scene_sum sum;
  FIRN_TRY(compare_scene(r, "scene.yaml", &any, &d));
  if (!any) {
    return firn_fail(r->context, FIRN_ERROR_STATE,
                     "cannot resume: %s is missing, so nobody knows which scene the frames and "
                     "checkpoints beside it are of" FIRN_RUN_ANEW,
                     r->path);
  }
  *same = d.same;
  if (!d.count) return FIRN_OK;
  char more[40] = "";
  if (d.count > 1) snprintf(more, sizeof more, " (and %d more)", d.count - 1);
  FIRN_TRY(read_sum(r, "scene.yaml", &sum));
  if (!is_as_begun(r, sum))
    return firn_fail(r->context, FIRN_ERROR_STATE,
                     "cannot resume: %s was changed after the run had begun (its checksum does not "
                     "fit), and now differs from the scene: %s%s. Put it back" FIRN_RUN_ANEW,
                     r->path, d.text, more);
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: the scene differs from the one that began this folder, %s: "
                   "%s%s" FIRN_RUN_ANEW,
                   r->path, d.text, more);
}

// Another program may have a file of that name: firn's is listed, or ends with the sum of its text.
bool firn_run_has_next(firn_run_state *r) {
  firn_scene_sum sum;
  struct stat info;
  if (firn_run_file(r, FIRN_RUN_NEXT_SCENE) != FIRN_OK || lstat(r->path, &info)) return false;
  if (firn_record_find(&r->record, FIRN_RUN_NEXT_SCENE)) return true;
  return read_sum(r, FIRN_RUN_NEXT_SCENE, &sum) == FIRN_OK && sum == FIRN_SCENE_SUM_EXACT;
}

bool firn_run_replaced(firn_run_state *r) {
  struct stat info;
  return firn_run_file(r, "stats.csv") == FIRN_OK && stat(r->path, &info) != 0 &&
         firn_run_has_next(r);
}

firn_status firn_run_check_scene_sum(firn_run_state *r) {
  firn_scene_sum sum;
  FIRN_TRY(read_sum(r, "scene.yaml", &sum));
  if (is_as_begun(r, sum)) return FIRN_OK;
  return firn_fail(
      r->context, FIRN_ERROR_STATE,
      "cannot resume: %s is not the scene that began this folder: it was changed, and "
      "its checksum %s. Put it back, and give changes that a resume may make by --set or "
      "in a scene of your own" FIRN_RUN_ANEW,
      r->path,
      sum == FIRN_SCENE_SUM_ABSENT ? "(the line '# sum ...') is gone"
                                   : "(the line '# sum ...') no longer fits");
}

// Only the scene that was to come goes on with what is not all there any more.
static firn_status check_next(firn_run_state *r) {
  bool any;
  firn_scene_difference d;
  FIRN_TRY(compare_scene(r, FIRN_RUN_NEXT_SCENE, &any, &d));
  if (!any || !d.count) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: a run of another scene, %s, was about to replace what is there, "
                   "and not all is left" FIRN_RUN_ANEW,
                   r->path);
}

// Why no checkpoint could be used.
typedef struct obstacle {
  firn_status status;
  char message[FIRN_MESSAGE_SIZE];
} obstacle;

// Goes on from the checkpoint of frame number. FIRN_ERROR_FORMAT: not from this one.
static firn_status try_checkpoint(firn_run_state *r, int number) {
  if (!r->sim) FIRN_TRY(firn_scene_build_empty(r->scene, &r->sim));
  r->frame = number;
  FIRN_TRY(firn_run_numbered(r, FIRN_CHECKPOINT_PREFIX, number));
  firn_doing(r->context, 0, 0, "loading %s", r->path);
  FIRN_TRY(firn_sim_load_with(r->sim, r->path, 0, firn_run_load_tally, r));
  r->saved = true;
  return FIRN_OK;
}

// Throws half a load away and keeps its message, unless there is one from a newer checkpoint.
static void give_up(firn_run_state *r, firn_run_check *c, firn_status status, obstacle *o) {
  firn_sim_destroy(r->sim);
  r->sim = NULL;
  r->tally = (firn_run_tally){0};
  r->frame = -1;
  char message[FIRN_MESSAGE_SIZE];
  memcpy(message, firn_context_message(r->context), sizeof message);
  if (o->status == FIRN_OK) {
    o->status = status == FIRN_ERROR_IO ? status : FIRN_ERROR_STATE;
    memcpy(o->message, message, sizeof message);
  }
  firn_run_fault(r, c, FIRN_FRAME_LAST + 1, status, "%s", message); // the frames are none the worse
  if (!r->fault) firn_note(r->context, FIRN_LOG_WARNING, "%s", message);
}

firn_status firn_run_find(firn_run_state *r, firn_run_check *c) {
  obstacle o = {.status = FIRN_OK};
  for (size_t i = c->checkpoint_count; i-- > 0;) {
    if (c->checkpoint[i] > c->good) continue;
    firn_status status = try_checkpoint(r, c->checkpoint[i]);
    if (status == FIRN_OK) return FIRN_OK;
    if (status != FIRN_ERROR_FORMAT && status != FIRN_ERROR_IO) return status;
    give_up(r, c, status, &o);
  }
  if (o.status != FIRN_OK)
    return firn_fail(r->context, o.status,
                     "cannot resume: no checkpoint can be used: %.600s" FIRN_RUN_ANEW, o.message);
  if (!c->checkpoint_count)
    return firn_fail(
        r->context, FIRN_ERROR_STATE,
        "cannot resume: %s holds frames, and no checkpoint to go on from" FIRN_RUN_ANEW,
        r->def->folder);
  return firn_fail(r->context, c->status,
                   "cannot resume: %.600s. No checkpoint is old enough to make it%s" FIRN_RUN_ANEW,
                   c->reason, c->unasked ? "" : " again; put back what was there");
}

// The last frame that the run has come to.
static int last_made(firn_run_state *r, const firn_run_check *c) {
  int made = c->rows_end[FIRN_RUN_STATS] - 1;
  int checkpoint = firn_run_newest_checkpoint(r, c, made);
  return checkpoint > made ? checkpoint : made;
}

// A resume that names no frames goes on with those that were asked for. Where they are all made, or the
// scene was given another end since, it goes on up to the scene's last.
static void recall_frames(firn_run_state *r, int made) {
  if (r->def->first_frame >= 0) return;
  r->first = r->asked.first;
  if (r->def->last_frame < 0 && made < r->asked.last &&
      r->asked.frames == firn_scene_frames(r->scene))
    r->last = r->asked.last;
}

// What was made before is made again, though fewer frames are asked for: its rows are cut off.
static void lengthen(firn_run_state *r, int made) {
  if (r->frame >= made || r->last >= made) return;
  firn_note(r->context, FIRN_LOG_INFO, "frames %d to %d are made again", r->frame + 1, made);
  r->last = made;
}

// Frames before this one that nobody has asked for, and that cannot be made any more.
static void note_left_out(firn_run_state *r, const firn_run_check *c) {
  int count = 0, last = -1;
  size_t k = 0;
  for (int i = 0; i <= r->frame; i++) {
    while (k < c->frame_count && c->frame[k] < i) k++;
    if (!firn_run_writes(r, i) || (k < c->frame_count && c->frame[k] == i)) continue;
    count++;
    last = i;
  }
  if (!count) return;
  firn_note(r->context, FIRN_LOG_INFO, "%d frame%s up to %d %s not asked for, and stay%s out",
            count, count == 1 ? "" : "s", last, count == 1 ? "was" : "were", count == 1 ? "s" : "");
}

// Copies what the scene needs, and the list of it, into the folder again.
static firn_status stage_again(firn_run_state *r, firn_run_again again) {
  firn_note(r->context, FIRN_LOG_WARNING,
            again == FIRN_RUN_AGAIN_FILES
                ? "files that the scene needs are copied into the folder again"
                : "the list of files that the scene needs, " FIRN_SCENE_FILES_FOLDER
                  "/sums.txt, is written again");
  FIRN_TRY(firn_run_files_declare(r));
  FIRN_TRY(firn_run_save_record(r));
  return firn_run_files_stage(r);
}

// A scene.yaml that lies here and has remarks of its own keeps them.
static firn_status replace_scene(firn_run_state *r, bool same) {
  firn_scene_sum sum;
  FIRN_TRY(read_sum(r, "scene.yaml", &sum));
  bool keeps = firn_run_is_scene_itself(r) && sum != FIRN_SCENE_SUM_EXACT;
  if (same || keeps) return FIRN_OK;
  FIRN_TRY(firn_record_add(&r->record, "scene.yaml"));
  FIRN_TRY(firn_run_save_record(r));
  FIRN_TRY(firn_run_write_scene(r, "scene.yaml"));
  return firn_record_mark(&r->record, "scene.yaml");
}

// Brings the list up to date, where there was one, or writes it.
static firn_status renew_record(firn_run_state *r) {
  if (!firn_record_find(&r->record, FIRN_RUN_LOG))
    FIRN_TRY(firn_record_add(&r->record, FIRN_RUN_LOG));
  r->record.next.frame =
      -1; // of a branch that has its checkpoint, or never began to replace this run
  FIRN_TRY(firn_record_remove_parts(&r->record));
  FIRN_TRY(firn_record_settle(&r->record));
  FIRN_TRY(firn_run_declare_picture(r));
  if (!firn_record_find(&r->record, FIRN_RUN_SERIES))
    FIRN_TRY(firn_record_add(&r->record, FIRN_RUN_SERIES));
  FIRN_TRY(firn_run_save_record(r));
  r->recorded = true;
  return FIRN_OK;
}

// Leaves the folder as it was at the checkpoint. Nothing was written before.
static firn_status take_over(firn_run_state *r, const firn_run_check *c, bool same,
                             firn_run_again again) {
  bool listed = r->record.state == FIRN_RECORD_FOUND, next = firn_run_has_next(r);
  const firn_record_origin was = r->record.next;
  FIRN_TRY(firn_run_check_folder(r));
  firn_status status = again ? stage_again(r, again) : FIRN_OK;
  if (status == FIRN_OK) status = firn_run_open_log(r);
  if (status != FIRN_OK) return again ? firn_run_undo(r, listed, &was, status) : status;
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++) {
    if (!firn_run_has_table(r, t)) continue;
    FIRN_TRY(firn_run_file(r, firn_run_table_name(t)));
    if (c->rows[t].mended) {
      firn_note(r->context, FIRN_LOG_WARNING,
                "%s: line ends, separators or header were not firn's; mended", r->path);
    }
    FIRN_TRY(firn_rows_cut(&c->rows[t], r->path, r->frame, &r->table[t].size));
  }
  FIRN_TRY(again ? firn_run_files_place(r) : firn_run_files_unstage(r));
  FIRN_TRY(replace_scene(r, same));
  if (next) { // of a run that had not begun to replace this one
    FIRN_TRY(firn_record_add(&r->record, FIRN_RUN_NEXT_SCENE));
    FIRN_TRY(firn_record_remove(&r->record, FIRN_RUN_NEXT_SCENE));
  }
  FIRN_TRY(renew_record(r));
  // The next checkpoint takes older ones away. Where there is none to come, the run was stopped just there.
  if (r->frame >= r->last) FIRN_TRY(firn_run_clear_checkpoints(r));
  return firn_series_frames(r->context, r->def->folder, r->seconds);
}

// A frame that the list lacks would be taken for the run's by whatever reads the folder.
static firn_status check_strangers_of(firn_run_state *r, const firn_run_check *c) {
  if (c->foreign < 0) return FIRN_OK;
  FIRN_TRY(firn_run_numbered(r, FIRN_FRAME_PREFIX, c->foreign));
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: %s is not of this run (" FIRN_RECORD_FILE
                   " does not list it): move it away" FIRN_RUN_ANEW,
                   r->path);
}

static firn_status begin_resumed(firn_run_state *r, firn_run_check *c) {
  bool same = false;
  firn_run_again again;
  FIRN_TRY(firn_run_check_format(r, c));
  FIRN_TRY(firn_run_check_scene(r, &same));
  FIRN_TRY(firn_run_check_scene_sum(r));
  FIRN_TRY(check_strangers_of(r, c));
  firn_status files = firn_run_files_check(r, c, &again);
  if (files == FIRN_ERROR_MEMORY || (files != FIRN_OK && c->checkpoint_count)) return files;
  if (again) FIRN_TRY(firn_run_files_check_places(r, true));
  FIRN_TRY(firn_scene_build_empty(r->scene, &r->sim));
  FIRN_TRY(firn_output_check(r->context, &r->output, r->sim));
  FIRN_TRY(firn_run_check_tables(r));
  FIRN_TRY(firn_run_look(r, c));
  if (firn_run_has_begun_only(r, c)) {
    firn_sim_destroy(r->sim);
    r->sim = NULL;
    return firn_run_begin_fresh(r, c);
  }
  if (r->from) FIRN_TRY(firn_run_branch_check_origin(r));
  int faults = c->faults;
  FIRN_TRY(firn_run_find(r, c));
  if (faults) {
    firn_note(r->context, FIRN_LOG_WARNING, "%s; what comes after frame %d is made again",
              c->reason, r->frame);
  }
  int made = last_made(r, c);
  note_left_out(r, c);
  recall_frames(r, made);
  lengthen(r, made);
  FIRN_TRY(firn_run_check_foreign(r, r->frame + 1));
  return take_over(r, c, same, again);
}

// A run of this scene that was stopped before it had a frame, or none at all: it begins. A branch begins
// where it was to.
static firn_status begin_stopped(firn_run_state *r, const firn_run_check *c) {
  bool same, rows = false;
  struct stat info;
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  bool scene = firn_record_find(&r->record, "scene.yaml") && lstat(r->path, &info) == 0;
  FIRN_TRY(firn_run_file(r, "stats.csv"));
  if (firn_record_find(&r->record, "stats.csv")) rows = lstat(r->path, &info) == 0;
  if (firn_run_replaced(r))
    FIRN_TRY(check_next(r));
  else if (scene || rows)
    FIRN_TRY(firn_run_check_scene(r, &same));
  FIRN_TRY(firn_run_branch_check_half(r));
  FIRN_TRY(firn_run_branch_take_origin(r));
  return firn_run_begin_fresh(r, c);
}

static firn_status resume(firn_run_state *r, firn_run_check *c) {
  firn_scene_sum sum;
  bool holds = c->frame_count || c->checkpoint_count;
  if (r->record.state != FIRN_RECORD_FOUND) {
    firn_status known = read_sum(r, "scene.yaml", &sum);
    if (known == FIRN_ERROR_MEMORY) return known;
    holds = holds && known == FIRN_OK; // frames alone are of something else: to begin names them
    if (known == FIRN_OK && (sum == FIRN_SCENE_SUM_EXACT || sum == FIRN_SCENE_SUM_FITS ||
                             (sum == FIRN_SCENE_SUM_ABSENT && c->checkpoint_count)))
      FIRN_TRY(firn_run_adopt(r, c));
  }
  bool unfinished = r->record.next.frame >= 0 && !c->checkpoint_count; // a branch
  return !holds || unfinished || firn_run_replaced(r) ? begin_stopped(r, c) : begin_resumed(r, c);
}

// ------------------------------------------------------------------------------------------- both

static void log_begin(firn_run_state *r, bool resumed) {
  firn_log_begin(&r->log, resumed ? "resume" : "begin");
  firn_log_text(&r->log, "scene", firn_scene_file(r->scene));
  firn_log_text(&r->log, "version", firn_version());
  firn_log_text(&r->log, "precision", firn_precision());
  firn_log_text(&r->log, "isa", firn_isa_name(firn_context_isa(r->context)));
  firn_log_number(&r->log, "threads", firn_context_threads(r->context));
  firn_log_number(&r->log, "particles", (double)firn_sim_count(r->sim));
  firn_log_number(&r->log, "first_frame", r->first);
  firn_log_number(&r->log, "last_frame", r->last);
  if (resumed) firn_log_number(&r->log, "after_frame", r->frame);
  if (r->from) firn_log_text(&r->log, "from", r->from);
  firn_log_end(&r->log);
}

static firn_status begin(firn_run_state *r, firn_run_check *c) {
  bool holds = c->frame_count || c->checkpoint_count;
  if (r->def->overwrite) return firn_run_begin_fresh(r, c);
  if (r->def->resume) return resume(r, c);
  FIRN_TRY(firn_run_check_own_scene(r));
  bool run = firn_record_has_files(&r->record) || (holds && firn_run_looks_like_one(r));
  if (!run) return firn_run_begin_fresh(r, c);
  return firn_fail(
      r->context, FIRN_ERROR_STATE,
      "%s holds a run already (%zu frames, %zu checkpoints): --resume goes on with it, "
      "--overwrite replaces it",
      r->def->folder, c->frame_count, c->checkpoint_count);
}

firn_status firn_run_begin(firn_run_state *r) {
  firn_run_check c;
  FIRN_TRY(firn_run_files_open(r));
  FIRN_TRY(firn_record_read(r->context, r->def->folder, "run", &r->record));
  FIRN_TRY(firn_run_list(r, &c));
  firn_status status = begin(r, &c);
  firn_run_check_free(r, &c);
  FIRN_TRY(status);
  bool resumed = r->frame >= 0;
  log_begin(r, resumed);
  if (resumed) {
    firn_note(r->context, FIRN_LOG_INFO, "going on after frame %d, at %g s", r->frame,
              firn_sim_time(r->sim));
  }
  return FIRN_OK;
}
