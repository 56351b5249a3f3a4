// SPDX-License-Identifier: Apache-2.0
// The list of a run's files (cache/record.h), kept up to date while the run writes. Names are listed before
// their files are written; marks follow with the next name, and all of them at the end.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/output.h"
#include "api/run.h"
#include "base/memory.h"

firn_status firn_run_save_record(firn_run_state *r) {
  FIRN_TRY(firn_run_check_folder(r));
  FIRN_TRY(firn_record_write(&r->record));
  r->record.state = FIRN_RECORD_FOUND;
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------------ a frame

static void picture_name(const firn_run_state *r, char name[128]) {
  snprintf(name, 128, "%.100s%05d.png", r->def->pictures, r->frame);
}

firn_status firn_run_declare_frame(firn_run_state *r, bool checkpoint) {
  char name[128];
  bool writes = firn_run_writes(r, r->frame);
  if (writes) FIRN_TRY(firn_record_add_numbered(&r->record, FIRN_FRAME_PREFIX, r->frame));
  if (checkpoint) FIRN_TRY(firn_record_add_numbered(&r->record, FIRN_CHECKPOINT_PREFIX, r->frame));
  if (writes && r->def->pictures) {
    picture_name(r, name);
    FIRN_TRY(firn_record_add(&r->record, name));
  }
  return writes || checkpoint ? firn_run_save_record(r) : FIRN_OK;
}

firn_status firn_run_declare_picture(firn_run_state *r) {
  char name[128];
  struct stat info;
  if (!r->def->pictures || !firn_run_writes(r, r->frame)) return FIRN_OK;
  picture_name(r, name);
  FIRN_TRY(firn_run_file(r, name));
  return lstat(r->path, &info) == 0 ? FIRN_OK : firn_record_add(&r->record, name);
}

firn_status firn_run_note_picture(firn_run_state *r) {
  char name[128];
  struct stat info;
  if (!r->def->pictures) return FIRN_OK;
  picture_name(r, name);
  const firn_record_entry *e = firn_record_find(&r->record, name);
  if (!e || e->marked) return FIRN_OK;
  FIRN_TRY(firn_run_file(r, name));
  if (lstat(r->path, &info) == 0) return firn_record_mark(&r->record, name);
  firn_record_drop(&r->record, name); // not every frame is drawn
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------ without a list

static firn_status add_if_there(firn_run_state *r, const char *name) {
  struct stat info;
  FIRN_TRY(firn_run_file(r, name));
  if (lstat(r->path, &info) || S_ISDIR(info.st_mode)) return FIRN_OK;
  return firn_record_add(&r->record, name);
}

static firn_status add_numbers(firn_run_state *r, const char *prefix, const int *number,
                               size_t count) {
  for (size_t i = 0; i < count; i++)
    FIRN_TRY(firn_record_add_numbered(&r->record, prefix, number[i]));
  return FIRN_OK;
}

// Copies are the run's; a file that the scene, which lies elsewhere, uses in its place is not.
static firn_status add_copies(firn_run_state *r) {
  struct stat from, here;
  FIRN_TRY(add_if_there(r, FIRN_SCENE_FILES_FOLDER "/sums.txt"));
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next) {
    if (!c->to) continue;
    FIRN_TRY(firn_run_file(r, c->to));
    bool one = stat(c->from, &from) == 0 && stat(r->path, &here) == 0 &&
               from.st_dev == here.st_dev && from.st_ino == here.st_ino;
    if (!one || firn_run_is_scene_itself(r)) FIRN_TRY(add_if_there(r, c->to));
  }
  return FIRN_OK;
}

firn_status firn_run_adopt(firn_run_state *r, const firn_run_check *c) {
  static const char *const names[] = {"scene.yaml", FIRN_RUN_SERIES, FIRN_RUN_LOG};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) FIRN_TRY(add_if_there(r, names[i]));
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    FIRN_TRY(add_if_there(r, firn_run_table_name(t)));
  FIRN_TRY(add_numbers(r, FIRN_FRAME_PREFIX, c->frame, c->frame_count));
  FIRN_TRY(add_numbers(r, FIRN_CHECKPOINT_PREFIX, c->checkpoint, c->checkpoint_count));
  FIRN_TRY(add_copies(r));
  return firn_run_branch_recall(r);
}
