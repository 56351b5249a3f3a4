// SPDX-License-Identifier: Apache-2.0
// A run that branches off: it begins with what another had come to at a checkpoint, and goes on
// with numbers of its own. Its folder is whole: frames and rows of the other run up to there are in
// it, so that films, tables and a resume know nothing of branches.
//
// Only checkpoints will do. A frame has no strains, no affine velocities and no sums of contact,
// and numbers of 16 or 32 bits: what went on from it would be another run from the first step on.
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

// A folder that is not there was misspelt, and so was one that is not of a run: no failure of the
// disk's. Into the folder that is branched off from, it would take away what it begins with.
static firn_status check_folders(firn_run_state *r) {
  struct stat from, here;
  if (stat(r->from, &from) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return firn_file_fail(r->context, "open", r->from, errno);
    return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                     "%s: %s; a run branches off from the folder of another", r->from,
                     strerror(errno));
  }
  FIRN_TRY(firn_path_format(r->context, r->path, "%s/scene.yaml", r->from));
  if (stat(r->path, &here) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                     "%s is not the folder of a run: it has no scene.yaml", r->from);
  if (stat(r->def->folder, &here) != 0 || from.st_dev != here.st_dev || from.st_ino != here.st_ino)
    return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                   "%s: a run that branches off needs a folder of its own (-o)", r->from);
}

static firn_status check_scene(firn_run_state *r, unsigned *loose) {
  char *text;
  size_t size;
  firn_scene_difference d;
  FIRN_TRY(firn_path_format(r->context, r->path, "%s/scene.yaml", r->from));
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
  FIRN_TRY(firn_numbered_path(r->context, r->from, FIRN_FRAME_PREFIX, frame, path));
  bool drawn = stat(path, &info) == 0;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s has no checkpoint of frame %d%s. %sA run of the same scene with "
                   "--frames 0:%d leaves one",
                   r->from, frame, list,
                   drawn ? "A frame alone does not do: it has no strains to go on with. " : "",
                   frame);
}

// The newest checkpoint that the other run has written by its list; -1: it lists none. One without
// a mark may be about to be written, or was never.
static firn_status find_listed(firn_run_state *r, int *frame) {
  firn_record record;
  *frame = -1;
  FIRN_TRY(firn_record_read(r->context, r->from, "run", &record));
  for (size_t i = 0; i < record.count; i++) {
    const firn_record_entry *e = &record.entry[i];
    size_t n = strlen(FIRN_CHECKPOINT_PREFIX);
    if (e->marked && strncmp(e->name, FIRN_CHECKPOINT_PREFIX, n) == 0)
      *frame = atoi(e->name + n); // ascending
  }
  firn_record_free(&record);
  return FIRN_OK;
}

// Sets r->frame to that of the checkpoint, the newest one where none is named. Where the newest is
// lost, an older one is not taken in its place unasked: the branch would begin at another time. The
// list is read first: a run that still writes the trunk removes no checkpoint before there is a
// newer one.
static firn_status find_checkpoint(firn_run_state *r) {
  int *there, listed;
  size_t count;
  FIRN_TRY(find_listed(r, &listed));
  FIRN_TRY(firn_numbered_list(r->context, r->from, FIRN_CHECKPOINT_PREFIX, &there, &count));
  int frame = r->from_frame;
  if (frame < 0) frame = count ? there[count - 1] : 0;
  bool found = false;
  for (size_t i = 0; i < count; i++) found = found || there[i] == frame;
  firn_status status = found ? FIRN_OK : fail_missing(r, frame, there, count < 4 ? count : 4);
  firn_free(r->context, there, count * sizeof *there);
  r->frame = frame;
  if (status != FIRN_OK || r->from_frame >= 0 || listed <= frame) return status;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s lists a checkpoint of frame %d (" FIRN_RECORD_FILE
                   "), which is gone. --from %s:%d branches off from the newest that is there",
                   r->from, listed, r->from, frame);
}

// ------------------------------------------------------------------------------------------ the
// trunk

// The other run: its folder, with its own scene, looked at as a resume of it does.
typedef struct trunk {
  firn_run_state run;
  firn_run_def def;
  firn_run_check check;
  firn_scene *scene;
} trunk;

static firn_status open_trunk(firn_run_state *r, trunk *t) {
  firn_run_state *f = &t->run;
  t->def = firn_default_run_def();
  t->def.folder = r->from;
  f->def = &t->def;
  f->context = r->context;
  f->log.fd = f->lock = -1;
  f->frame = r->frame;
  FIRN_TRY(firn_record_read(r->context, r->from, "run", &f->record));
  FIRN_TRY(firn_run_list(f, &t->check));
  FIRN_TRY(firn_run_file(f, "scene.yaml"));
  firn_status status = firn_scene_load(r->context, f->path, 0, NULL, &t->scene);
  if (status == FIRN_ERROR_SCENE)
    return firn_fail(r->context, FIRN_ERROR_STATE,
                     "%s is damaged, and is no scene any more; `firn check` on it tells more",
                     f->path);
  FIRN_TRY(status);
  f->scene = t->scene;
  f->output = firn_scene_output(t->scene);
  f->seconds = firn_scene_frame_seconds(t->scene);
  f->last = firn_scene_frames(t->scene);
  return firn_scene_build_empty(t->scene, &f->sim);
}

static void close_trunk(trunk *t) {
  firn_run_check_free(&t->run, &t->check);
  firn_sim_destroy(t->run.sim);
  firn_record_free(&t->run.record);
  firn_scene_destroy(t->scene);
}

// The sums in the checkpoint, which is loaded, against the rows that were found.
static firn_status check_trunk_sums(const firn_run_state *r, trunk *t) {
  memcpy(t->run.table, r->table, sizeof t->run.table);
  firn_status status = firn_run_compare_sums(&t->run);
  if (status != FIRN_ERROR_FORMAT) return status;
  char message[FIRN_MESSAGE_SIZE];
  memcpy(message, firn_context_message(r->context), sizeof message);
  return firn_fail(r->context, FIRN_ERROR_STATE, "cannot branch off from frame %d of %s: %.600s",
                   r->frame, r->from, message);
}

// Frames and rows up to the checkpoint must be whole. What comes after does not matter: the other
// run may be writing it just now.
static firn_status check_trunk(firn_run_state *r, trunk *t) {
  firn_run_check *c = &t->check;
  FIRN_TRY(open_trunk(r, t));
  FIRN_TRY(firn_run_check_scene_sum(&t->run));
  FIRN_TRY(firn_run_look(&t->run, c));
  if (c->foreign >= 0 && c->foreign <= r->frame)
    return firn_fail(r->context, FIRN_ERROR_STATE,
                     "cannot branch off: frame %d of %s is not of that run (" FIRN_RECORD_FILE
                     " there does not list it)",
                     c->foreign, r->from);
  if (c->good >= r->frame) return check_trunk_sums(r, t);
  return firn_fail(r->context, c->status == FIRN_OK ? FIRN_ERROR_STATE : c->status,
                   "cannot branch off from frame %d of %s: %.600s", r->frame, r->from,
                   *c->reason ? c->reason : "frames or rows before it are missing");
}

static firn_status check_source(firn_run_state *r) {
  trunk *t = firn_alloc_zero(r->context, sizeof *t, "a check of a folder");
  if (!t) return FIRN_ERROR_MEMORY;
  firn_status status = check_trunk(r, t);
  close_trunk(t);
  firn_free(r->context, t, sizeof *t);
  return status;
}

// Loads the checkpoint. *gone: a run that still writes the trunk has removed it meanwhile.
static firn_status load_checkpoint(firn_run_state *r, unsigned loose, bool *gone) {
  struct stat info;
  FIRN_TRY(find_checkpoint(r));
  FIRN_TRY(firn_numbered_path(r->context, r->from, FIRN_CHECKPOINT_PREFIX, r->frame, r->path));
  if (r->frame >= r->last)
    return firn_fail(
        r->context, FIRN_ERROR_ARGUMENT,
        "%s is of frame %d, and the run shall end with frame %d: nothing is left to do", r->path,
        r->frame, r->last);
  FIRN_TRY(firn_scene_build_empty(r->scene, &r->sim));
  firn_status status = firn_sim_load_with(r->sim, r->path, loose, firn_run_load_tally, r);
  *gone = status == FIRN_ERROR_IO && lstat(r->path, &info) != 0 && errno == ENOENT;
  if (status != FIRN_ERROR_FORMAT) return status;
  char message[FIRN_MESSAGE_SIZE];
  memcpy(message, firn_context_message(r->context), sizeof message);
  return firn_fail(r->context, FIRN_ERROR_STATE, "cannot branch off from frame %d of %s: %.600s",
                   r->frame, r->from, message);
}

firn_status firn_run_branch_load(firn_run_state *r) {
  enum { TRIES = 20 };
  unsigned loose;
  bool gone = false;
  FIRN_TRY(check_folders(r));
  FIRN_TRY(check_scene(r, &loose));
  firn_status status = load_checkpoint(r, loose, &gone);
  for (int i = 0; gone && i < TRIES; i++) { // there is another, or a message that names those
    firn_sim_destroy(r->sim);
    r->sim = NULL;
    gone = false;
    status = load_checkpoint(r, loose, &gone);
  }
  FIRN_TRY(status);
  FIRN_TRY(check_source(r));
  return firn_scene_apply_all(r->scene, r->sim);
}

// ---------------------------------------------------------------------------------------- resuming

// The text and the number of a line of the log, which firn has written; false: it says nothing of
// this.
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

// By its whole path: a resume may be started elsewhere.
firn_status firn_run_branch_announce(firn_run_state *r) {
  firn_record_origin *next = &r->record.next;
  next->frame = -1;
  if (!r->from) return FIRN_OK;
  char *whole = realpath(r->from, NULL);
  if (!whole) return firn_file_fail(r->context, "open", r->from, errno);
  firn_status status = firn_path_format(r->context, next->folder, "%s", whole);
  free(whole); // of the C library
  if (status == FIRN_OK && strchr(next->folder, '\n'))
    status = firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                       "%s: the path has a line end, and cannot be written down; rename the folder",
                       r->from);
  if (status == FIRN_OK) next->frame = r->frame;
  return status;
}

firn_status firn_run_branch_recall(firn_run_state *r) {
  firn_record_origin *from = &r->record.from;
  char *log, *whole;
  size_t size;
  struct stat info;
  FIRN_TRY(firn_run_file(r, FIRN_RUN_LOG));
  if (stat(r->path, &info) != 0 || !S_ISREG(info.st_mode)) return FIRN_OK;
  FIRN_TRY(firn_file_get(r->context, r->path, &log, &size));
  if (!find_origin(log, from->folder, &from->frame)) from->frame = -1;
  firn_free(r->context, log, size + 1);
  if (from->frame < 0 || !(whole = realpath(from->folder, NULL))) return FIRN_OK;
  firn_status status = firn_path_format(r->context, from->folder, "%s", whole);
  free(whole); // of the C library
  return status;
}

static firn_status check_origin(firn_run_state *r, const firn_record_origin *o) {
  bool same = is_same_folder(o->folder, r->from) &&
              (r->from_frame < 0 || r->from_frame == o->frame);
  if (same) return FIRN_OK;
  char asked[32] = "";
  if (r->from_frame >= 0) snprintf(asked, sizeof asked, ":%d", r->from_frame);
  return firn_fail(
      r->context, FIRN_ERROR_STATE,
      "cannot resume: the run in %s branched off from %s:%d, and not from %s%s; without "
      "--from it goes on" FIRN_RUN_ANEW,
      r->def->folder, o->folder, o->frame, r->from, asked);
}

firn_status firn_run_branch_check_origin(firn_run_state *r) {
  if (r->record.from.frame >= 0) return check_origin(r, &r->record.from);
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: the run in %s did not branch off, and cannot begin with %s any "
                   "more" FIRN_RUN_ANEW,
                   r->def->folder, r->from);
}

// The list is the first thing that a branch writes. Half of it does not name the trunk.
firn_status firn_run_branch_check_half(firn_run_state *r) {
  struct stat info;
  char *text;
  size_t size;
  if (r->from || r->record.state == FIRN_RECORD_FOUND) return FIRN_OK;
  FIRN_TRY(firn_run_file(r, FIRN_RECORD_FILE FIRN_PART_SUFFIX));
  if (lstat(r->path, &info) || !S_ISREG(info.st_mode)) return FIRN_OK;
  FIRN_TRY(firn_file_get(r->context, r->path, &text, &size));
  bool branch = strncmp(text, "firn run\nnext ", 14) == 0;
  firn_free(r->context, text, size + 1);
  if (!branch) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "cannot resume: in %s a run was stopped as it began to branch off, and what it "
                   "was to branch off from is not written down: give --from again",
                   r->def->folder);
}

firn_status firn_run_branch_take_origin(firn_run_state *r) {
  const firn_record_origin *o = r->record.next.frame >= 0 ? &r->record.next : &r->record.from;
  if (o->frame < 0) return FIRN_OK;
  if (r->from) FIRN_TRY(check_origin(r, o));
  FIRN_TRY(firn_path_format(r->context, r->origin, "%s", o->folder));
  r->from = r->from ? r->from : r->origin;
  r->from_frame = o->frame;
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- copying

// Frames are never changed in place: one file may have two names.
static firn_status copy_frame(firn_run_state *r, int number) {
  char from[FIRN_PATH_SIZE], name[64];
  snprintf(name, sizeof name, FIRN_FRAME_PREFIX "%05d.hdf", number);
  FIRN_TRY(firn_numbered_path(r->context, r->from, FIRN_FRAME_PREFIX, number, from));
  FIRN_TRY(firn_run_numbered(r, FIRN_FRAME_PREFIX, number));
  if (link(from, r->path) == 0) return firn_record_mark(&r->record, name);
  char *data; // another disk, or one that knows no links
  size_t size;
  FIRN_TRY(firn_file_get(r->context, from, &data, &size));
  firn_status status = firn_file_put(r->context, r->path, data, size);
  firn_free(r->context, data, size + 1);
  return status == FIRN_OK ? firn_record_mark(&r->record, name) : status;
}

// They are listed first, as all that a run writes.
static firn_status copy_frames(firn_run_state *r) {
  int *number;
  size_t count;
  FIRN_TRY(firn_numbered_list(r->context, r->from, FIRN_FRAME_PREFIX, &number, &count));
  firn_status status = FIRN_OK;
  for (size_t i = 0; status == FIRN_OK && i < count && number[i] <= r->frame; i++)
    status = firn_record_add_numbered(&r->record, FIRN_FRAME_PREFIX, number[i]);
  if (status == FIRN_OK) status = firn_run_save_record(r);
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
  FIRN_TRY(firn_path_format(r->context, from, "%s/%s", r->from, firn_run_table_name(table)));
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
  FIRN_TRY(firn_run_checkpoint(r)); // from here on it is a run like any other
  r->record.next.frame = -1;
  return firn_run_save_record(r);
}
