// SPDX-License-Identifier: Apache-2.0
// How a run begins anew: in a folder of its own, or in place of an old run where that was asked for. Only what
// the list of the old run owns is removed (cache/record.h), and only once the new run is known to build.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/output.h"
#include "api/run.h"
#include "api/scene.h"
#include "base/memory.h"
#include "cache/lock.h"

firn_status firn_run_write_scene(firn_run_state *r, const char *name) {
  const char *text = r->files.text;
  FIRN_TRY(firn_run_file(r, name));
  return firn_file_put(r->context, r->path, text, strlen(text));
}

firn_status firn_run_open_log(firn_run_state *r) {
  FIRN_TRY(firn_run_check_folder(r));
  FIRN_TRY(firn_run_file(r, FIRN_RUN_LOG));
  return firn_log_open(r->context, r->path, &r->log);
}

// Fine particles that are to go with the run that they are of.
typedef struct fine {
  firn_record record;
  bool own; // firn refine made them of the run that is there
} fine;

static firn_status open_fine(firn_run_state *r, fine *out) {
  char folder[FIRN_PATH_SIZE], source[64];
  FIRN_TRY(firn_path_format(r->context, folder, "%s/" FIRN_FINE_FOLDER, r->def->folder));
  FIRN_TRY(firn_record_read(r->context, folder, "refine", &out->record));
  snprintf(source, sizeof source, FIRN_FRAME_PREFIX "%05d.hdf", out->record.of_frame);
  const firn_record_entry *of = firn_record_find(&r->record, source);
  out->own = out->record.state == FIRN_RECORD_FOUND && of && of->marked &&
             of->mark == out->record.of_mark;
  return FIRN_OK;
}

// Frames that pictures of the new run would show, and of which no list says that they may go.
static firn_status check_strangers(firn_run_state *r, const fine *f) {
  struct stat info;
  int *number;
  size_t count;
  FIRN_TRY(firn_run_file(r, FIRN_FINE_FOLDER "/scene.yaml"));
  if (lstat(r->path, &info) == 0) return FIRN_OK; // another run, which is in no picture
  FIRN_TRY(firn_numbered_list(r->context, f->record.folder, FIRN_FRAME_PREFIX, &number, &count));
  firn_status status = FIRN_OK;
  for (size_t i = 0; i < count && status == FIRN_OK; i++) {
    char name[64];
    bool owns;
    snprintf(name, sizeof name, FIRN_FRAME_PREFIX "%05d.hdf", number[i]);
    status = firn_record_owns(&f->record, name, &owns);
    if (status == FIRN_OK && !(owns && f->own))
      status = firn_fail(
          r->context, FIRN_ERROR_STATE,
          "%s/%s is not listed as fine particles of the run in %s, so firn does not remove it, and "
          "pictures of a new run would show it: move %s away",
          f->record.folder, name, r->def->folder, f->record.folder);
  }
  firn_free(r->context, number, count * sizeof *number);
  return status;
}

// Whether the fine particles of a run that is replaced may go: no refinement writes them now, and no link
// leads to them.
static firn_status check_fine(firn_run_state *r) {
  struct stat info;
  fine f;
  FIRN_TRY(firn_run_file(r, FIRN_FINE_FOLDER));
  if (!firn_record_has_files(&r->record) || lstat(r->path, &info)) return FIRN_OK;
  if (S_ISLNK(info.st_mode))
    return firn_fail(r->context, FIRN_ERROR_STATE,
                     "%s is a link, and firn removes no fine particles behind a link: remove the "
                     "link, or choose another folder",
                     r->path);
  if (!S_ISDIR(info.st_mode)) return FIRN_OK;
  FIRN_TRY(firn_lock_look(r->context, r->path));
  FIRN_TRY(open_fine(r, &f));
  firn_status status = check_strangers(r, &f);
  firn_record_free(&f.record);
  return status;
}

static bool choose_all(const void *user, const char *name) {
  (void)user;
  (void)name;
  return true;
}

// Fine particles of the old run, which pictures of the new one would show.
static firn_status clear_fine(firn_run_state *r) {
  fine f;
  FIRN_TRY(open_fine(r, &f));
  firn_status status = FIRN_OK;
  if (f.own) {
    status = firn_record_remove_all(&f.record, choose_all, NULL);
    if (status == FIRN_OK) status = firn_record_unlink(&f.record);
    rmdir(f.record.folder); // where nothing else is in it
  }
  firn_record_free(&f.record);
  return status;
}

// What stays until the new run's own takes its place.
static bool goes_first(const void *user, const char *name) {
  (void)user;
  return strcmp(name, "scene.yaml") != 0 && strcmp(name, FIRN_RUN_NEXT_SCENE) != 0 &&
         strcmp(name, FIRN_RUN_LOG) != 0 &&
         strncmp(name, FIRN_SCENE_FILES_FOLDER "/", sizeof FIRN_SCENE_FILES_FOLDER) != 0 &&
         strncmp(name, FIRN_RUN_STAGE "/", sizeof FIRN_RUN_STAGE) != 0;
}

// Removes what the list owns, and no more. stats.csv goes first: where it is there, nothing has been taken
// away yet (firn_run_replaced).
static firn_status clear_old(firn_run_state *r) {
  for (firn_run_table t = FIRN_RUN_STATS; t < FIRN_RUN_TABLES; t++) {
    FIRN_TRY(firn_record_remove(&r->record, firn_run_table_name(t)));
    FIRN_TRY(firn_run_file(r, firn_run_table_name(t)));
    FIRN_TRY(firn_file_sync_folder(r->context, r->path));
  }
  FIRN_TRY(firn_run_file(r, FIRN_RUN_LOG));
  FIRN_TRY(firn_log_clear(r->context, r->path, &r->log));
  FIRN_TRY(clear_fine(r)); // by the marks of the run's frames, which are listed still
  return firn_record_remove_all(&r->record, goes_first, NULL);
}

// Undoes what prepare has done, after a failure whose status and message stay.
firn_status firn_run_undo(firn_run_state *r, bool listed, const firn_record_origin *next,
                          firn_status status) {
  char message[FIRN_MESSAGE_SIZE];
  struct stat info;
  memcpy(message, firn_context_message(r->context), sizeof message);
  if (firn_run_check_folder(r) == FIRN_OK) { // another folder that has ours is left alone
    firn_record_remove(&r->record, FIRN_RUN_NEXT_SCENE);
    firn_run_files_unstage(r);
    bool logged = firn_run_file(r, FIRN_RUN_LOG) == FIRN_OK && lstat(r->path, &info) == 0;
    if (!logged) firn_record_drop(&r->record, FIRN_RUN_LOG);
    r->record.next = *next;
    if (listed || logged)
      firn_record_write(&r->record);
    else
      firn_record_unlink(&r->record);
  }
  return firn_fail(r->context, status, "%s", message);
}

// Makes ready what the new run needs, beside the old one; that is listed before. From then on the folder is
// changed: whatever refuses does so before.
static firn_status prepare(firn_run_state *r, bool replaces) {
  bool listed = r->record.state == FIRN_RECORD_FOUND;
  const firn_record_origin was = r->record.next;
  FIRN_TRY(firn_run_branch_announce(r));
  FIRN_TRY(firn_run_files_declare(r));
  if (!firn_record_find(&r->record, FIRN_RUN_LOG))
    FIRN_TRY(firn_record_add(&r->record, FIRN_RUN_LOG));
  if (replaces) FIRN_TRY(firn_record_add(&r->record, FIRN_RUN_NEXT_SCENE));
  FIRN_TRY(firn_run_save_record(r));
  firn_status status = firn_run_files_stage(r);
  if (status == FIRN_OK) status = firn_run_open_log(r);
  if (status == FIRN_OK && replaces) status = firn_run_write_scene(r, FIRN_RUN_NEXT_SCENE);
  return status == FIRN_OK ? FIRN_OK : firn_run_undo(r, listed, &was, status);
}

// Lists what the new run writes at once.
static firn_status list_new(firn_run_state *r) {
  static const char *const names[] = {"scene.yaml", FIRN_RUN_LOG, FIRN_RUN_SERIES};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    FIRN_TRY(firn_record_add(&r->record, names[i]));
  for (firn_run_table t = FIRN_RUN_STATS; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t)) FIRN_TRY(firn_record_add(&r->record, firn_run_table_name(t)));
  r->record.from = r->record.next; // which stays until the branch has its checkpoint
  return FIRN_OK;
}

// Only once the scene is known to build: what is there is the user's until then.
firn_status firn_run_begin_fresh(firn_run_state *r, const firn_run_check *c) {
  FIRN_TRY(firn_run_check_own_scene(r));
  FIRN_TRY(firn_run_check_places(r));
  FIRN_TRY(firn_run_check_foreign(r, 0));
  FIRN_TRY(firn_run_files_check_places(r, false));
  FIRN_TRY(check_fine(r));
  FIRN_TRY(r->from ? firn_run_branch_load(r) : firn_scene_build(r->scene, &r->sim));
  FIRN_TRY(firn_output_check(r->context, &r->output, r->sim));
  FIRN_TRY(firn_run_check_folder(r)); // to build may have taken long
  FIRN_TRY(prepare(r, c->frame_count || c->checkpoint_count));
  FIRN_TRY(clear_old(r));
  FIRN_TRY(list_new(r));
  FIRN_TRY(firn_run_files_place(r)); // writes the list too
  r->recorded = true;
  FIRN_TRY(firn_run_write_scene(r, "scene.yaml"));
  FIRN_TRY(firn_record_mark(&r->record, "scene.yaml"));
  FIRN_TRY(firn_record_remove(&r->record, FIRN_RUN_NEXT_SCENE));
  FIRN_TRY(firn_run_create_tables(r));
  return r->from ? firn_run_branch_copy(r) : FIRN_OK;
}
