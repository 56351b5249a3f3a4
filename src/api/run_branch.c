// SPDX-License-Identifier: Apache-2.0
// A run that branches off: it begins with what another had come to at a checkpoint, and goes on with
// numbers of its own. Its folder is whole: frames and rows of the other run up to there are in it, so that
// films, tables and a resume know nothing of branches.
//
// Only checkpoints will do. A frame has no strains, no affine velocities and no sums of contact, and
// numbers of 16 or 32 bits: what went on from it would be another run from the first step on.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/run.h"
#include "api/scene.h"
#include "base/memory.h"
#include "cache/series.h"
#include "scene/difference.h"

// A folder that is not there was misspelt, and so was one that is not of a run: no failure of the disk's.
// Into the folder that is branched off from, it would take away what it begins with.
static firn_status check_folders(firn_run_state *r) {
  struct stat from, here;
  if (stat(r->def->from, &from) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return firn_file_fail(r->context, "open", r->def->from, errno);
    return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                     "%s: %s; a run branches off from the folder of another", r->def->from,
                     strerror(errno));
  }
  FIRN_TRY(firn_path_format(r->context, r->path, "%s/scene.yaml", r->def->from));
  if (stat(r->path, &here) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                     "%s is not the folder of a run: it has no scene.yaml", r->def->from);
  if (stat(r->def->folder, &here) != 0 || from.st_dev != here.st_dev || from.st_ino != here.st_ino)
    return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                   "%s: a run that branches off needs a folder of its own (-o)", r->def->from);
}

static firn_status check_scene(firn_run_state *r, unsigned *loose) {
  char *text;
  size_t size;
  firn_scene_difference d;
  FIRN_TRY(firn_path_format(r->context, r->path, "%s/scene.yaml", r->def->from));
  FIRN_TRY(firn_file_get(r->context, r->path, &text, &size));
  firn_status status = firn_scene_compare_branch(r->context, text, size, r->files.text,
                                                 strlen(r->files.text), &d);
  firn_free(r->context, text, size + 1);
  FIRN_TRY(status);
  *loose = FIRN_LOOSE_NUMBERS | (d.moved ? FIRN_LOOSE_COLLIDERS : 0);
  if (!d.count) return FIRN_OK;
  char sentence[440], more[40] = "";
  if (d.count > 1) snprintf(more, sizeof more, " (and %d more)", d.count - 1);
  snprintf(
      sentence, sizeof sentence,
      "%.180s%s. A run that branches off may change numbers of materials and forces, gravity, the "
      "velocity of the wind, how colliders move and hold, time steps and such of the solver, and "
      "output; not this",
      d.text, more);
  return firn_scene_fail_at(r->scene, d.path, sentence);
}

static firn_status fail_missing(firn_run_state *r, int frame, const int *there, size_t count) {
  char list[200] = ", nor of any other", path[FIRN_PATH_SIZE];
  size_t used = 0;
  struct stat info;
  for (size_t i = 0; i < count; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%d",
                             i ? ", " : ", but those of frame ", there[i]);
  FIRN_TRY(firn_numbered_path(r->context, r->def->from, FIRN_FRAME_PREFIX, frame, path));
  bool drawn = stat(path, &info) == 0;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s has no checkpoint of frame %d%s. %sA run of the same scene with "
                   "--frames 0:%d leaves one",
                   r->def->from, frame, list,
                   drawn ? "A frame alone does not do: it has no strains to go on with. " : "",
                   frame);
}

// Sets r->path to the checkpoint, and r->frame.
static firn_status find_checkpoint(firn_run_state *r) {
  int *there;
  size_t count;
  FIRN_TRY(firn_numbered_list(r->context, r->def->from, FIRN_CHECKPOINT_PREFIX, &there, &count));
  int frame = r->def->from_frame;
  if (frame < 0) frame = count ? there[count - 1] : 0;
  bool found = false;
  for (size_t i = 0; i < count; i++) found = found || there[i] == frame;
  firn_status status = found ? FIRN_OK : fail_missing(r, frame, there, count < 4 ? count : 4);
  firn_free(r->context, there, count * sizeof *there);
  FIRN_TRY(status);
  r->frame = frame;
  return firn_numbered_path(r->context, r->def->from, FIRN_CHECKPOINT_PREFIX, frame, r->path);
}

// All that will be copied can be read: once the copying begins, an old run is gone.
static firn_status check_source(firn_run_state *r) {
  char path[FIRN_PATH_SIZE];
  int *number;
  size_t count;
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++) {
    firn_rows rows;
    if (!firn_run_has_table(r, t)) continue;
    FIRN_TRY(firn_run_open_table_of(r, r->def->from, t, &rows));
    firn_rows_close(&rows);
  }
  FIRN_TRY(firn_numbered_list(r->context, r->def->from, FIRN_FRAME_PREFIX, &number, &count));
  firn_status status = FIRN_OK;
  for (size_t i = 0; status == FIRN_OK && i < count && number[i] <= r->frame; i++) {
    status = firn_numbered_path(r->context, r->def->from, FIRN_FRAME_PREFIX, number[i], path);
    if (status == FIRN_OK && access(path, R_OK) != 0)
      status = firn_file_fail(r->context, "open", path, errno);
  }
  firn_free(r->context, number, count * sizeof *number);
  return status;
}

firn_status firn_run_branch_load(firn_run_state *r) {
  unsigned loose;
  FIRN_TRY(check_folders(r));
  FIRN_TRY(check_scene(r, &loose));
  FIRN_TRY(find_checkpoint(r));
  if (r->frame >= r->last)
    return firn_fail(
        r->context, FIRN_ERROR_ARGUMENT,
        "%s is of frame %d, and the run shall end with frame %d: nothing is left to do", r->path,
        r->frame, r->last);
  FIRN_TRY(firn_scene_build_empty(r->scene, &r->sim));
  FIRN_TRY(firn_sim_load_with(r->sim, r->path, loose, firn_run_load_tally, r));
  FIRN_TRY(firn_scene_apply_all(r->scene, r->sim));
  return check_source(r);
}

// ---------------------------------------------------------------------------------------- resuming

// The text and the number of a line of the log, which firn has written; false: it says nothing of this.
static bool find_origin(const char *log, char from[FIRN_PATH_SIZE], int *frame) {
  static const char key[] = "\"from\": \"", after[] = "\"after_frame\": ";
  const char *at = strstr(log, key), *line = at, *number;
  size_t used = 0;
  if (!at) return false;
  for (at += strlen(key); *at && *at != '"' && used < FIRN_PATH_SIZE - 1; at++) {
    if (*at == '\\' && at[1]) at++;
    from[used++] = *at;
  }
  from[used] = 0;
  while (line > log && line[-1] != '\n') line--;
  number = strstr(line, after);
  *frame = number ? atoi(number + strlen(after)) : -1;
  return true;
}

static bool is_same_folder(const char *a, const char *b) {
  struct stat one, other;
  if (strcmp(a, b) == 0) return true;
  return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
         one.st_ino == other.st_ino;
}

firn_status firn_run_branch_check_origin(firn_run_state *r) {
  char from[FIRN_PATH_SIZE], *log;
  int frame = -1;
  size_t size;
  struct stat info;
  FIRN_TRY(firn_run_file(r, FIRN_RUN_LOG));
  if (stat(r->path, &info) != 0 || !S_ISREG(info.st_mode)) {
    firn_note(r->context, FIRN_LOG_WARNING,
              "%s is missing: nobody knows whether the run began with %s", r->path, r->def->from);
    return FIRN_OK;
  }
  FIRN_TRY(firn_file_get(r->context, r->path, &log, &size));
  bool found = find_origin(log, from, &frame);
  firn_free(r->context, log, size + 1);
  if (!found)
    return firn_fail(
        r->context, FIRN_ERROR_STATE,
        "cannot resume: the run in %s did not branch off, and cannot begin with %s any "
        "more" FIRN_RUN_ANEW,
        r->def->folder, r->def->from);
  bool same = is_same_folder(from, r->def->from) &&
              (r->def->from_frame < 0 || frame < 0 || r->def->from_frame == frame);
  if (same) return FIRN_OK;
  char asked[32] = "";
  if (r->def->from_frame >= 0) snprintf(asked, sizeof asked, ":%d", r->def->from_frame);
  return firn_fail(
      r->context, FIRN_ERROR_STATE,
      "cannot resume: the run in %s branched off from %s:%d, and not from %s%s; without "
      "--from it goes on" FIRN_RUN_ANEW,
      r->def->folder, from, frame, r->def->from, asked);
}

// ---------------------------------------------------------------------------------------- copying

// Frames are never changed in place: one file may have two names.
static firn_status copy_frame(firn_run_state *r, int number) {
  char from[FIRN_PATH_SIZE];
  FIRN_TRY(firn_numbered_path(r->context, r->def->from, FIRN_FRAME_PREFIX, number, from));
  FIRN_TRY(firn_run_numbered(r, FIRN_FRAME_PREFIX, number));
  if (link(from, r->path) == 0) return FIRN_OK;
  char *data; // another disk, or one that knows no links
  size_t size;
  FIRN_TRY(firn_file_get(r->context, from, &data, &size));
  firn_status status = firn_file_put(r->context, r->path, data, size);
  firn_free(r->context, data, size + 1);
  return status;
}

static firn_status copy_frames(firn_run_state *r) {
  int *number;
  size_t count;
  FIRN_TRY(firn_numbered_list(r->context, r->def->from, FIRN_FRAME_PREFIX, &number, &count));
  firn_status status = FIRN_OK;
  for (size_t i = 0; status == FIRN_OK && i < count && number[i] <= r->frame; i++)
    status = copy_frame(r, number[i]);
  firn_free(r->context, number, count * sizeof *number);
  return status;
}

// The rows up to the checkpoint.
static firn_status copy_table(firn_run_state *r, firn_run_table table) {
  char from[FIRN_PATH_SIZE], *text;
  size_t size, left;
  firn_rows rows;
  FIRN_TRY(firn_path_format(r->context, from, "%s/%s", r->def->from, firn_run_table_name(table)));
  FIRN_TRY(firn_file_get(r->context, from, &text, &size));
  firn_status status = firn_run_file(r, firn_run_table_name(table));
  if (status == FIRN_OK) status = firn_file_put(r->context, r->path, text, size);
  firn_free(r->context, text, size + 1);
  FIRN_TRY(status);
  FIRN_TRY(firn_run_open_table(r, table, &rows));
  status = firn_rows_cut(&rows, r->path, r->frame, &left);
  firn_rows_close(&rows);
  return status;
}

firn_status firn_run_branch_copy(firn_run_state *r) {
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t)) FIRN_TRY(copy_table(r, t));
  FIRN_TRY(copy_frames(r));
  FIRN_TRY(firn_series_frames(r->context, r->def->folder, r->seconds));
  return firn_run_checkpoint(r); // from here on it is a run like any other
}
