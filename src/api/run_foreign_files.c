// SPDX-License-Identifier: Apache-2.0
// Files in the folder of a run that are not the run's own: whatever firn-files.txt does not list
// (cache/record.h). A run neither removes nor replaces them, not even with --overwrite; where one has a
// name that the run writes, the run fails before it changes anything.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/run.h"
#include "base/memory.h"

// The number in <prefix>%05d<suffix>; -1: the name is another.
static int number_in(const char *name, size_t length, const char *prefix, const char *suffix) {
  size_t n = strlen(prefix), m = strlen(suffix);
  if (length != n + 5 + m || strncmp(name, prefix, n) != 0 || strspn(name + n, "0123456789") < 5 ||
      strncmp(name + n + 5, suffix, m) != 0)
    return -1;
  return (int)strtol(name + n, NULL, 10);
}

// Whether the run may write a file of this name, of frames from first on. Frames and checkpoints count
// whatever their number is: they would be taken for the run's.
static bool is_needed(const firn_run_state *r, const char *name, int first) {
  // FIRN_RUN_STAGE is two literals on purpose. NOLINTBEGIN(bugprone-suspicious-missing-comma)
  static const char *const own[] = {"scene.yaml",    FIRN_RUN_NEXT_SCENE, FIRN_RUN_SERIES,
                                    FIRN_RUN_LOG,    FIRN_RECORD_FILE,    "stats.csv",
                                    "colliders.csv", "probes.csv",        FIRN_RUN_STAGE};
  // NOLINTEND(bugprone-suspicious-missing-comma)
  size_t length = strlen(name), suffix = strlen(FIRN_PART_SUFFIX);
  bool part = length > suffix && strcmp(name + length - suffix, FIRN_PART_SUFFIX) == 0;
  if (part) length -= suffix;
  // Those of a killed run that left no list.
  if (part && first > 0 && r->record.state != FIRN_RECORD_FOUND) return false;
  for (size_t i = 0; first <= 0 && i < sizeof own / sizeof *own; i++)
    if (strlen(own[i]) == length && strncmp(name, own[i], length) == 0) return true;
  int frame = number_in(name, length, FIRN_FRAME_PREFIX, ".hdf"),
      checkpoint = number_in(name, length, FIRN_CHECKPOINT_PREFIX, ".hdf"), picture = -1;
  if (r->def->pictures) picture = number_in(name, length, r->def->pictures, ".png");
  if (!part && first <= 0 && (frame >= 0 || checkpoint >= 0)) return true;
  if (!part && frame >= 0) return true;
  int number = frame >= 0 ? frame : checkpoint >= 0 ? checkpoint : picture;
  return number >= first && number >= 0 && number <= r->last;
}

// Where an older version has run, the folder has no list.
static firn_status check_own(firn_run_state *r, const char *name) {
  firn_status status = firn_record_check_name(&r->record, name, ". Nothing was changed");
  bool listed = r->record.state == FIRN_RECORD_FOUND;
  if (status != FIRN_ERROR_STATE || listed || !firn_run_looks_like_one(r)) return status;
  return firn_fail(
      r->context, FIRN_ERROR_STATE,
      "%s holds a run, and no whole list of its files (" FIRN_RECORD_FILE
      "), as older versions of firn wrote none; firn removes nothing that is not listed (%s/%s). "
      "`firn run SCENE -o %s --resume` checks the run and lists its files; or remove the folder "
      "yourself, or choose another. Nothing was changed",
      r->def->folder, r->def->folder, name, r->def->folder);
}

static firn_status check_name(firn_run_state *r, const char *name, int first) {
  if (!is_needed(r, name, first)) return FIRN_OK;
  // Not in its own list, which was read: it is whole, or not.
  if (strcmp(name, FIRN_RECORD_FILE) == 0)
    return r->record.state == FIRN_RECORD_FOUND ? FIRN_OK : check_own(r, name);
  if (strcmp(name, FIRN_RUN_STAGE) == 0)
    return firn_record_find(&r->record, FIRN_RUN_STAGE "/sums.txt") ? FIRN_OK : check_own(r, name);
  if (strcmp(name, FIRN_RUN_NEXT_SCENE) == 0 && firn_run_has_next(r)) return FIRN_OK;
  return check_own(r, name);
}

firn_status firn_run_check_foreign(firn_run_state *r, int first) {
  static const char *const added_to[] = {FIRN_RUN_LOG, FIRN_RUN_SERIES};
  for (int i = 0; i < 2; i++) // a resume goes on with them, where they are
    if (firn_record_find(&r->record, added_to[i])) FIRN_TRY(check_own(r, added_to[i]));
  DIR *dir = opendir(r->def->folder);
  if (!dir) return firn_file_fail(r->context, "list", r->def->folder, errno);
  firn_status status = FIRN_OK;
  // readdir is safe as long as no other thread has this stream; readdir_r is the one to avoid.
  // cppcheck-suppress readdirCalled
  for (struct dirent *entry; status == FIRN_OK && (entry = readdir(dir));)
    status = check_name(r, entry->d_name, first);
  closedir(dir);
  return status;
}

bool firn_run_looks_like_one(firn_run_state *r) {
  struct stat info;
  return firn_run_file(r, "stats.csv") == FIRN_OK && stat(r->path, &info) == 0 &&
         firn_run_file(r, "scene.yaml") == FIRN_OK && stat(r->path, &info) == 0;
}

bool firn_run_is_scene_itself(firn_run_state *r) {
  struct stat here, scene;
  return firn_run_file(r, "scene.yaml") == FIRN_OK && lstat(r->path, &here) == 0 &&
         stat(firn_scene_file(r->scene), &scene) == 0 && here.st_dev == scene.st_dev &&
         here.st_ino == scene.st_ino;
}

firn_status firn_run_check_own_scene(firn_run_state *r) {
  bool owns;
  if (!firn_run_is_scene_itself(r)) return FIRN_OK;
  FIRN_TRY(firn_record_owns(&r->record, "scene.yaml", &owns));
  if (owns) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s/scene.yaml is the scene itself, and a run writes a file of that name: "
                   "choose another folder, or rename the scene",
                   r->def->folder);
}
