// SPDX-License-Identifier: Apache-2.0
// A folder checked as a run that goes on with it does, without one.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/refine.h"
#include "api/run.h"
#include "api/scene.h"
#include "base/def.h"
#include "base/memory.h"
#include "cache/lock.h"
#include "scene/scene.h"

typedef struct verifier {
  firn_run_state run;
  firn_run_def def;
  firn_run_check check;
  firn_folder_verdict *out;
} verifier;

static void say(verifier *v, const char *what) {
  snprintf(v->out->resume, sizeof v->out->resume, "%s", what);
}

// Something that makes a resume impossible, and further questions too.
static firn_status refuse(verifier *v, firn_status status) {
  if (status == FIRN_ERROR_MEMORY) return status;
  char message[FIRN_MESSAGE_SIZE];
  memcpy(message, firn_context_message(v->run.context), sizeof message);
  firn_run_fault(&v->run, &v->check, FIRN_FRAME_LAST + 1, status, "%s", message);
  say(v, message);
  return FIRN_OK;
}

// Those that a resume would not come to: it takes the newest that it can.
static firn_status look_at_others(verifier *v, int taken) {
  firn_run_state *r = &v->run;
  firn_run_check *c = &v->check;
  for (size_t i = 0; i < c->checkpoint_count; i++) {
    firn_checkpoint_info info;
    if (c->checkpoint[i] >= taken && c->checkpoint[i] <= c->good) continue;
    FIRN_TRY(firn_run_numbered(r, FIRN_CHECKPOINT_PREFIX, c->checkpoint[i]));
    firn_status status = firn_checkpoint_read(r->context, r->path, &info);
    if (status == FIRN_ERROR_MEMORY) return status;
    if (status == FIRN_OK && info.frame != c->checkpoint[i])
      status = firn_fail(r->context, FIRN_ERROR_FORMAT, "%s holds frame %d", r->path, info.frame);
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    if (status != FIRN_OK) firn_run_fault(r, c, FIRN_FRAME_LAST + 1, status, "%s", message);
  }
  return FIRN_OK;
}

// Whether what is to be added to, or replaced, is of a kind for that: what firn_run_check_tables asks, and
// firn_run_check_places where a run would begin. That it may write at all is not asked: one may look at a
// folder that is for reading only.
static firn_status check_added_to(firn_run_state *r, const char *name) {
  struct stat info;
  FIRN_TRY(firn_run_file(r, name));
  if (lstat(r->path, &info) || S_ISREG(info.st_mode)) return FIRN_OK;
  const char *kind = S_ISLNK(info.st_mode)   ? "a link"
                     : S_ISDIR(info.st_mode) ? "a folder"
                                             : "a device or a pipe";
  return firn_fail(r->context, FIRN_ERROR_STATE, "%s is %s, and a run adds to plain files alone",
                   r->path, kind);
}

static firn_status check_replaced(firn_run_state *r, const char *name) {
  FIRN_TRY(firn_run_file(r, name));
  return firn_file_check_target(r->context, r->path);
}

// Tells of a refusal, and keeps its status in *all.
static firn_status hear(verifier *v, firn_status status, firn_status *all) {
  if (status == FIRN_OK) return FIRN_OK;
  *all = status;
  return refuse(v, status);
}

static firn_status check_kinds(verifier *v) {
  firn_run_state *r = &v->run;
  firn_status all = FIRN_OK;
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t))
      FIRN_TRY(hear(v, check_added_to(r, firn_run_table_name(t)), &all));
  FIRN_TRY(hear(v, check_replaced(r, FIRN_RUN_SERIES), &all));
  FIRN_TRY(hear(v, check_added_to(r, FIRN_RUN_LOG), &all));
  return all;
}

// Says that a resume begins, where nothing is in its way.
static firn_status begins(verifier *v, const char *how) {
  firn_run_state *r = &v->run;
  firn_status all = FIRN_OK;
  FIRN_TRY(hear(v, check_replaced(r, "scene.yaml"), &all));
  FIRN_TRY(hear(v, check_replaced(r, FIRN_RUN_SERIES), &all));
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    FIRN_TRY(hear(v, check_replaced(r, firn_run_table_name(t)), &all));
  FIRN_TRY(hear(v, check_added_to(r, FIRN_RUN_LOG), &all));
  if (all == FIRN_OK) say(v, how);
  return FIRN_OK;
}

static firn_status look(verifier *v) {
  firn_run_state *r = &v->run;
  firn_run_check *c = &v->check;
  char text[200];
  firn_run_again again;
  int faults = c->faults;
  firn_status files = firn_run_files_check(r, c, &again);
  if (files == FIRN_ERROR_MEMORY) return files;
  if (files != FIRN_OK && c->faults == faults) FIRN_TRY(refuse(v, files));
  if (files != FIRN_OK) say(v, firn_context_message(r->context));
  firn_status kinds = check_kinds(v);
  if (kinds == FIRN_ERROR_MEMORY) return kinds;
  if (files == FIRN_OK && again)
    firn_run_fault(
        r, c, FIRN_FRAME_LAST + 1, FIRN_ERROR_FORMAT, "%s/" FIRN_SCENE_FILES_FOLDER ": %s again",
        r->def->folder,
        again == FIRN_RUN_AGAIN_FILES
            ? "copies are not what they are of, or what was written down; a resume makes "
              "them"
            : "the list of their sums does not tell what they are; a resume writes it");
  FIRN_TRY(firn_run_look(r, c));
  for (int t = 0; t < FIRN_RUN_TABLES; t++) {
    if (!c->rows[t].mended) continue;
    firn_run_fault(r, c, FIRN_FRAME_LAST + 1, FIRN_ERROR_FORMAT,
                   "%s/%s: line ends, separators or header are not firn's; a resume mends them",
                   r->def->folder, firn_run_table_name((firn_run_table)t));
  }
  if (firn_run_has_begun_only(r, c)) {
    if (kinds != FIRN_OK) return FIRN_OK;
    return begins(v, "begins anew: no more than the first frame is there");
  }
  firn_status status = firn_run_find(r, c);
  if (status == FIRN_ERROR_MEMORY) return status;
  if (status != FIRN_OK) {
    if (files == FIRN_OK && kinds == FIRN_OK) say(v, firn_context_message(r->context));
    // There is no checkpoint, or one that is not for this build; what is wrong with frames was told.
    if (!c->faults) FIRN_TRY(refuse(v, status));
    return look_at_others(v, FIRN_FRAME_LAST + 1);
  }
  if (files != FIRN_OK || kinds != FIRN_OK) return look_at_others(v, r->frame);
  v->out->resumes_after = r->frame;
  snprintf(text, sizeof text, "goes on after frame %d, at %g s", r->frame, firn_sim_time(r->sim));
  say(v, text);
  return look_at_others(v, r->frame);
}

// A frame of fine particles against its name, and against the run's frame that it was made of.
static firn_status check_fine_frame(verifier *v, firn_frame *frame, int number, const char *path) {
  firn_run_state *r = &v->run;
  if (frame->frame != number)
    return firn_fail(r->context, FIRN_ERROR_FORMAT, "%s holds frame %d", path, frame->frame);
  FIRN_TRY(firn_run_numbered(r, FIRN_FRAME_PREFIX, number));
  return firn_refine_source_check(frame, r->path, path);
}

// Frames of fine particles, byte by byte. Another run in a folder of that name is checked by itself.
static firn_status look_at_fine(verifier *v) {
  firn_run_state *r = &v->run;
  struct stat info;
  firn_folder *fine;
  FIRN_TRY(firn_run_file(r, FIRN_FINE_FOLDER));
  if (stat(r->path, &info) || !S_ISDIR(info.st_mode)) return FIRN_OK;
  FIRN_TRY(firn_folder_open(r->context, r->path, &fine));
  if (firn_folder_scene(fine)) {
    firn_folder_close(fine);
    return FIRN_OK;
  }
  firn_status status = FIRN_OK;
  int count = firn_folder_count(fine, FIRN_FOLDER_FRAME);
  for (int i = 0; i < count; i++) {
    firn_frame *frame;
    firn_doing(r->context, (size_t)i, (size_t)count, "checking frames of fine particles");
    status = firn_frame_open(r->context, firn_folder_file(fine, FIRN_FOLDER_FRAME, i), &frame);
    if (status == FIRN_ERROR_MEMORY) break;
    if (status == FIRN_OK) {
      status = check_fine_frame(v, frame, firn_folder_number(fine, FIRN_FOLDER_FRAME, i),
                                firn_folder_file(fine, FIRN_FOLDER_FRAME, i));
      firn_frame_close(frame);
      if (status == FIRN_OK) continue;
    }
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    firn_run_fault(r, &v->check, FIRN_FRAME_LAST + 1, status,
                   "%s; `firn refine --resume` makes it again", message);
  }
  firn_folder_close(fine);
  return status == FIRN_ERROR_MEMORY ? status : FIRN_OK;
}

// The mark of a run that was to replace this one, and had not begun to.
static void check_next(verifier *v) {
  firn_run_state *r = &v->run;
  if (!firn_run_has_next(r) || firn_run_file(r, FIRN_RUN_NEXT_SCENE) != FIRN_OK) return;
  firn_run_fault(r, &v->check, FIRN_FRAME_LAST + 1, FIRN_ERROR_STATE,
                 "%s is left of a run that was to replace what is there, and was stopped; a resume "
                 "takes it away",
                 r->path);
}

// The list of the run's files, and frames that it lacks. Older versions wrote none.
static void check_record(verifier *v) {
  firn_run_state *r = &v->run;
  const char *folder = r->def->folder;
  if (r->record.state == FIRN_RECORD_BROKEN)
    firn_run_fault(r, &v->check, FIRN_FRAME_LAST + 1, FIRN_ERROR_FORMAT,
                   "%s/" FIRN_RECORD_FILE " is not as firn wrote it; a resume writes it again",
                   folder);
  if (v->check.foreign < 0) return;
  firn_run_fault(r, &v->check, FIRN_FRAME_LAST + 1, FIRN_ERROR_STATE,
                 "%s/" FIRN_FRAME_PREFIX "%05d.hdf is not of this run (" FIRN_RECORD_FILE
                 " does not list it); move it away",
                 folder, v->check.foreign);
}

static firn_status verify(verifier *v, firn_scene **scene) {
  firn_run_state *r = &v->run;
  FIRN_TRY(firn_lock_look(r->context, r->def->folder));
  FIRN_TRY(firn_run_file(r, FIRN_RUN_LOG));
  FIRN_TRY(firn_lock_look_file(r->context, r->path));
  FIRN_TRY(firn_record_read(r->context, r->def->folder, "run", &r->record));
  FIRN_TRY(firn_run_list(r, &v->check));
  check_record(v);
  v->out->frames = (int)v->check.frame_count;
  v->out->checkpoints = (int)v->check.checkpoint_count;
  v->out->bytes = firn_run_bytes(r, FIRN_FRAME_PREFIX, v->check.frame, v->check.frame_count) +
                  firn_run_bytes(r, FIRN_CHECKPOINT_PREFIX, v->check.checkpoint,
                                 v->check.checkpoint_count);
  if (!v->out->frames && !v->out->checkpoints) {
    check_next(v);
    return begins(v, "begins: the folder holds neither frames nor checkpoints");
  }
  if (!firn_run_replaced(r)) {
    check_next(v);
  } else {
    return refuse(v, firn_fail(r->context, FIRN_ERROR_STATE,
                               "a run of %s was stopped while it replaced what is there, and not "
                               "all is left; a resume of that scene goes on with it",
                               r->path));
  }
  firn_status status = firn_run_check_format(r, &v->check);
  if (status != FIRN_OK) return refuse(v, status);
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  status = firn_scene_load(r->context, r->path, 0, NULL, scene);
  if (status != FIRN_OK) return refuse(v, status);
  r->scene = *scene;
  r->output = firn_scene_output(*scene);
  r->seconds = firn_scene_frame_seconds(*scene);
  r->last = firn_scene_frames(*scene);
  FIRN_TRY(firn_run_files_open(r));
  bool same = false;
  status = firn_run_check_scene(r, &same);
  if (status == FIRN_OK) status = firn_run_check_scene_sum(r);
  if (status != FIRN_OK) return refuse(v, status);
  if (!same) {
    firn_run_fault(
        r, &v->check, FIRN_FRAME_LAST + 1, FIRN_ERROR_FORMAT,
        "%s is not as firn wrote it; a resume writes it again, unless a key of the scene has "
        "changed in it",
        r->path);
  }
  status = firn_scene_build_empty(*scene, &r->sim);
  FIRN_TRY(status == FIRN_OK ? look(v) : refuse(v, status));
  return look_at_fine(v);
}

static void ignore(void *user, const char *text) {
  (void)user;
  (void)text;
}

firn_status firn_folder_verify_sized(firn_context *context, const char *path, firn_fault_fn fault,
                                     void *user, firn_folder_verdict *out, size_t size) {
  if (!context || !path || !out) return firn_fail_null(context, "firn_folder_verify");
  firn_folder_verdict own = {.resumes_after = -1};
  firn_fill_out(&own, sizeof own, out, size);
  verifier *v = firn_alloc_zero(context, sizeof *v, "a check of a folder");
  if (!v) return FIRN_ERROR_MEMORY;
  firn_scene *scene = NULL;
  v->out = &own;
  v->def = firn_default_run_def();
  v->def.folder = path;
  v->run.def = &v->def;
  v->run.context = context;
  v->run.log.fd = v->run.lock = -1;
  v->run.frame = -1;
  v->run.fault = fault ? fault : ignore;
  v->run.fault_user = user;
  firn_status status = verify(v, &scene);
  own.faults = v->check.faults;
  firn_fill_out(&own, sizeof own, out, size);
  firn_run_check_free(&v->run, &v->check);
  firn_sim_destroy(v->run.sim);
  firn_scene_files_free(&v->run.files);
  firn_record_free(&v->run.record);
  firn_scene_destroy(scene);
  firn_free(context, v, sizeof *v);
  return status;
}
