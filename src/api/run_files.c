// SPDX-License-Identifier: Apache-2.0
// The files that a scene needs, in the folder of its run: so the folder may be moved, or taken to
// another machine. files/sums.txt tells what they were when the run began, a line a file: a hash of its
// bytes, their number, and its name.
//
// They are copied into files.next/ first, and take their places only when all of them are there: until
// then nothing of an earlier run is touched, and no copy takes the place of a file that another one is
// to be made of.
//
// What is copied is listed as the run's (cache/record.h) before it is written. A file of files/ that is not
// listed is never replaced: the run fails.
//
// A file that cannot be copied (firn_scene_copy.to is NULL) stays where it is, and stands in the list under
// its whole path: that it has changed is noticed all the same.
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/run.h"
#include "base/memory.h"
#include "cache/copy.h"

#define FOLDER FIRN_SCENE_FILES_FOLDER
#define SUMS   FOLDER "/sums.txt"
#define STAGE  FIRN_RUN_STAGE

static bool is_there(void *user, const char *to) {
  firn_run_state *r = user;
  struct stat info;
  return firn_run_file(r, to) == FIRN_OK && stat(r->path, &info) == 0 && S_ISREG(info.st_mode);
}

firn_status firn_run_files_open(firn_run_state *r) {
  return firn_scene_files_make(r->scene, is_there, r, &r->files);
}

// ------------------------------------------------------------------------------------------- sums

typedef struct sums {
  char *text; // NULL: there are none
  size_t size;
  const char *next; // the line after the one that was found last; NULL: the first
} sums;

static firn_status read_sums(firn_run_state *r, sums *out) {
  struct stat info;
  *out = (sums){0};
  FIRN_TRY(firn_run_file(r, SUMS));
  return stat(r->path, &info) ? FIRN_OK
                              : firn_file_get(r->context, r->path, &out->text, &out->size);
}

static void free_sums(firn_run_state *r, sums *s) {
  firn_free(r->context, s->text, s->text ? s->size + 1 : 0);
}

// Hash and size of a line that ends at end; NULL: it is damaged. Returns its name. (sscanf would look for
// the end of all that follows.)
static const char *read_line(const char *line, const char *end, firn_file_mark *mark) {
  char *sum_end, *size_end;
  if (!isxdigit((unsigned char)*line)) return NULL;
  unsigned long long sum = strtoull(line, &sum_end, 16);
  if (sum_end == line || sum_end - line > 16 || *sum_end != ' ' ||
      !isdigit((unsigned char)sum_end[1]))
    return NULL;
  unsigned long long bytes = strtoull(sum_end + 1, &size_end, 10);
  if (*size_end != ' ' || size_end + 1 >= end) return NULL;
  *mark = (firn_file_mark){.size = bytes, .sum = sum};
  return size_end + 1;
}

// The line after p, or the first for NULL; name is [size]. False: there are no more.
static bool next_sum(const sums *s, const char **p, firn_file_mark *mark, char *name, size_t size) {
  for (const char *line = *p ? *p : s->text; line && *line;) {
    const char *end = strchr(line, '\n');
    if (!end) return false;
    *p = end + 1;
    const char *at = read_line(line, end, mark);
    if (at && (size_t)(end - at) < size) {
      memcpy(name, at, (size_t)(end - at));
      name[end - at] = 0;
      return true;
    }
    line = *p; // damaged
  }
  return false;
}

// Files are asked for in the order of the list: from the last hit on, and once more from the beginning.
static bool find_sum(sums *s, const char *wanted, firn_file_mark *mark) {
  char name[FIRN_PATH_SIZE];
  const char *p = s->next;
  for (int round = 0; round < 2; round++, p = NULL) {
    while (next_sum(s, &p, mark, name, sizeof name)) {
      if (strcmp(name, wanted) != 0) continue;
      s->next = p;
      return true;
    }
  }
  return false;
}

// What a file is called in the list; a path within the folder never begins with '/'.
static const char *listed_as(const firn_scene_copy *c) {
  return c->to ? c->to : c->from;
}

// ---------------------------------------------------------------------------------------- copying

// Of an earlier run, and not of this one.
static bool is_other(const void *user, const char *name) {
  const firn_run_state *r = user;
  if (strncmp(name, FOLDER "/", strlen(FOLDER) + 1) != 0) return false;
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next)
    if (c->to && strcmp(c->to, name) == 0) return false;
  return !r->files.copies || strcmp(name, SUMS) != 0;
}

static firn_status make_folder_of(firn_run_state *r, const char *to) {
  char folder[FIRN_PATH_SIZE];
  FIRN_TRY(firn_path_format(r->context, folder, "%.*s", (int)(strrchr(to, '/') - to), to));
  return firn_folder_make(r->context, folder);
}

// Lines of sums.txt in the making.
typedef struct list {
  char *text;
  size_t used, room;
} list;

static firn_status begin_list(firn_run_state *r, list *out) {
  *out = (list){.room = 1};
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next)
    out->room += strlen(listed_as(c)) + 48;
  out->text = firn_alloc_zero(r->context, out->room, SUMS);
  return out->text ? FIRN_OK : FIRN_ERROR_MEMORY;
}

static void add_line(list *l, const firn_file_mark *mark, const char *name) {
  l->used += (size_t)snprintf(l->text + l->used, l->room - l->used, "%016llx %llu %s\n",
                              (unsigned long long)mark->sum, (unsigned long long)mark->size, name);
}

// Whether a file could take the place of what has that name in the folder.
static firn_status check_place(firn_run_state *r, const char *to) {
  struct stat info;
  FIRN_TRY(firn_run_file(r, to));
  FIRN_TRY(make_folder_of(r, r->path));
  return stat(r->path, &info) == 0 && S_ISDIR(info.st_mode)
             ? firn_file_fail(r->context, "write", r->path, EISDIR)
             : FIRN_OK;
}

// What a file is called while it waits for its place; staged sets path to it.
static firn_status staged_name(firn_run_state *r, const char *to, char name[FIRN_PATH_SIZE]) {
  return firn_path_format(r->context, name, STAGE "%s", to + strlen(FOLDER));
}

static firn_status staged(firn_run_state *r, const char *to) {
  char name[FIRN_PATH_SIZE];
  FIRN_TRY(staged_name(r, to, name));
  return firn_run_file(r, name);
}

static bool is_file(const char *path, struct stat *info) {
  return stat(path, info) == 0 && S_ISREG(info->st_mode);
}

// One that cannot be read now was not needed to build the scene.
static firn_status list_one(firn_run_state *r, const firn_scene_copy *c, list *l) {
  firn_file_mark mark;
  firn_status status = firn_file_sum(r->context, c->from, &mark);
  if (status == FIRN_OK && !strchr(c->from, '\n')) add_line(l, &mark, c->from);
  return status == FIRN_ERROR_IO ? FIRN_OK : status;
}

static firn_status stage_one(firn_run_state *r, firn_scene_copy *c, list *l) {
  firn_file_mark mark;
  struct stat from, here;
  if (!c->to) return list_one(r, c, l);
  FIRN_TRY(check_place(r, c->to));
  bool there = is_file(r->path, &here), gone = stat(c->from, &from) != 0;
  if (gone && !there && c->beside)
    return FIRN_OK; // no mesh needs it, or the scene had not been built
  // What is no longer where it came from was copied before.
  bool stays = there && (gone || (from.st_dev == here.st_dev && from.st_ino == here.st_ino));
  if (stays) {
    FIRN_TRY(firn_file_sum(r->context, r->path, &mark));
  } else {
    FIRN_TRY(staged(r, c->to));
    FIRN_TRY(make_folder_of(r, r->path));
    FIRN_TRY(firn_file_copy(r->context, c->from, r->path, &mark));
    c->staged = true;
  }
  add_line(l, &mark, c->to);
  return FIRN_OK;
}

static firn_status stage_all(firn_run_state *r) {
  list l;
  FIRN_TRY(begin_list(r, &l));
  firn_status status = check_place(r, SUMS);
  for (firn_scene_copy *c = r->files.copies; c && status == FIRN_OK; c = c->next)
    status = stage_one(r, c, &l);
  if (status == FIRN_OK) status = staged(r, SUMS);
  if (status == FIRN_OK) status = make_folder_of(r, r->path);
  if (status == FIRN_OK) status = firn_file_put(r->context, r->path, l.text, l.used);
  firn_free(r->context, l.text, l.room);
  return status;
}

static bool is_staged(const void *user, const char *name) {
  (void)user;
  return strncmp(name, STAGE "/", strlen(STAGE) + 1) == 0;
}

// The folders that were made for copies which did not come.
static void remove_empty(firn_run_state *r) {
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next)
    for (int i = 0; i < 2 && c->to; i++) {
      const char *slash = strrchr(c->to, '/');
      firn_status named = firn_path_format(
          r->context, r->path, "%s/%s%.*s", r->def->folder, i ? FOLDER : STAGE,
          (int)(slash - c->to) - (int)strlen(FOLDER), c->to + strlen(FOLDER));
      if (named == FIRN_OK) rmdir(r->path);
    }
  if (firn_run_file(r, STAGE) == FIRN_OK) rmdir(r->path);
  if (firn_run_file(r, FOLDER) == FIRN_OK) rmdir(r->path);
}

firn_status firn_run_files_unstage(firn_run_state *r) {
  FIRN_TRY(firn_record_remove_all(&r->record, is_staged, NULL));
  remove_empty(r);
  return FIRN_OK;
}

firn_status firn_run_files_stage(firn_run_state *r) {
  for (firn_scene_copy *c = r->files.copies; c; c = c->next) c->staged = false;
  return r->files.copies ? stage_all(r) : FIRN_OK;
}

// ---------------------------------------------------------------------------------------- placing

firn_status firn_run_files_declare(firn_run_state *r) {
  char name[FIRN_PATH_SIZE];
  if (!r->files.copies) return FIRN_OK;
  FIRN_TRY(firn_run_files_unstage(r)); // of a killed run
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next) {
    if (!c->to) continue;
    FIRN_TRY(staged_name(r, c->to, name));
    FIRN_TRY(firn_record_add(&r->record, name));
  }
  return firn_record_add(&r->record, STAGE "/sums.txt");
}

// The folders on the way to a copy, from files/ on: none is a link, which the copy would pass.
static firn_status check_way(firn_run_state *r, const char *to) {
  struct stat info;
  for (const char *slash = to; (slash = strchr(slash, '/')); slash++) {
    FIRN_TRY(
        firn_path_format(r->context, r->path, "%s/%.*s", r->def->folder, (int)(slash - to), to));
    if (lstat(r->path, &info) == 0 && S_ISLNK(info.st_mode))
      return firn_fail(r->context, FIRN_ERROR_STATE,
                       "%s is a link, and a run copies the files of its scene there: remove the "
                       "link, or choose another folder. Nothing was changed",
                       r->path);
  }
  return FIRN_OK;
}

static firn_status check_target(firn_run_state *r, const char *from, const char *to, bool mends) {
  struct stat here, source;
  bool owns;
  FIRN_TRY(check_way(r, to));
  FIRN_TRY(firn_record_owns(&r->record, to, &owns));
  FIRN_TRY(firn_run_file(r, to));
  owns = owns || (mends && firn_record_find(&r->record, to));
  if (owns || lstat(r->path, &here)) return FIRN_OK;
  if (S_ISDIR(here.st_mode)) return firn_file_fail(r->context, "write", r->path, EISDIR);
  // A file that the scene uses there stays as it is, and so does one whose source is gone.
  bool stays = from && S_ISREG(here.st_mode) &&
               (stat(from, &source) ||
                (source.st_dev == here.st_dev && source.st_ino == here.st_ino));
  return stays ? FIRN_OK
               : firn_fail(r->context, FIRN_ERROR_STATE,
                           "%s is not a file of this run, and a copy of %s would take its place: "
                           "move it away, or choose another folder. Nothing was changed",
                           r->path, from ? from : "the checksums of the scene's files");
}

firn_status firn_run_files_check_places(firn_run_state *r, bool mends) {
  if (!r->files.copies) return FIRN_OK;
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next)
    if (c->to) FIRN_TRY(check_target(r, c->from, c->to, mends));
  return check_target(r, NULL, SUMS, mends);
}

// What waits takes its place.
static firn_status place_one(firn_run_state *r, const char *to) {
  char name[FIRN_PATH_SIZE], from[FIRN_PATH_SIZE];
  FIRN_TRY(staged(r, to));
  FIRN_TRY(firn_path_format(r->context, from, "%s", r->path));
  FIRN_TRY(firn_run_file(r, to));
  if (rename(from, r->path)) return firn_file_fail(r->context, "write", r->path, errno);
  FIRN_TRY(firn_file_sync_folder(r->context, r->path));
  FIRN_TRY(firn_record_mark(&r->record, to));
  FIRN_TRY(staged_name(r, to, name));
  firn_record_drop(&r->record, name);
  return FIRN_OK;
}

// Lists what takes its place, and only that: a file that the scene uses where it is stays the user's.
static firn_status list_placed(firn_run_state *r) {
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next)
    if (c->staged) FIRN_TRY(firn_record_add(&r->record, c->to));
  if (r->files.copies) FIRN_TRY(firn_record_add(&r->record, SUMS));
  return firn_run_save_record(r);
}

// The old list of sums stays until all that it names and the run does not need is gone.
firn_status firn_run_files_place(firn_run_state *r) {
  FIRN_TRY(list_placed(r));
  for (const firn_scene_copy *c = r->files.copies; c; c = c->next)
    if (c->staged) FIRN_TRY(place_one(r, c->to)); // others are there
  FIRN_TRY(firn_record_remove_all(&r->record, is_other, r));
  if (r->files.copies) FIRN_TRY(place_one(r, SUMS));
  return firn_run_files_unstage(r);
}

// --------------------------------------------------------------------------------------- checking

typedef struct state {
  bool there;
  firn_file_mark mark;
} state;

static firn_status look(firn_run_state *r, const char *path, state *out) {
  firn_status status = firn_file_sum(r->context, path, &out->mark);
  out->there = status == FIRN_OK;
  return status == FIRN_ERROR_IO ? FIRN_OK : status;
}

static bool same(const firn_file_mark *a, const firn_file_mark *b) {
  return a->size == b->size && a->sum == b->sum;
}

static firn_status wrong(firn_run_state *r, firn_run_check *check, const char *path,
                         const char *what) {
  firn_run_fault(r, check, FIRN_FRAME_LAST + 1, FIRN_ERROR_STATE, "%s %s", path, what);
  return firn_fail(r->context, FIRN_ERROR_STATE, "cannot resume: %s %s" FIRN_RUN_ANEW, path, what);
}

// A file without a copy must be what was written down, where it is known.
static firn_status check_stayed(firn_run_state *r, firn_run_check *check, const firn_scene_copy *c,
                                sums *known, list *l, firn_run_again *again) {
  state from = {0};
  firn_file_mark mark;
  FIRN_TRY(look(r, c->from, &from));
  bool listed = find_sum(known, c->from, &mark);
  if (!listed && !from.there) return FIRN_OK;
  if (!listed) mark = from.mark;
  if (!strchr(c->from, '\n')) add_line(l, &mark, c->from);
  if (from.there && same(&from.mark, &mark)) return FIRN_OK;
  if (*again == FIRN_RUN_AGAIN_NONE) *again = FIRN_RUN_AGAIN_LIST;
  if (!c->matters) return FIRN_OK;
  return wrong(r, check, c->from,
               from.there ? "is not what it was when the run began" : "is missing");
}

// The scene's file, its copy here, and what was written down must be one. *again: the copy is not, and
// can be made again.
static firn_status check_one(firn_run_state *r, firn_run_check *check, const firn_scene_copy *c,
                             sums *known, list *l, firn_run_again *again) {
  state from = {0}, here = {0};
  struct stat a, b;
  firn_file_mark mark;
  FIRN_TRY(firn_run_file(r, c->to));
  FIRN_TRY(look(r, c->from, &from));
  FIRN_TRY(look(r, r->path, &here));
  bool one = !stat(c->from, &a) && !stat(r->path, &b) && a.st_dev == b.st_dev &&
             a.st_ino == b.st_ino;
  if (!find_sum(known, c->to, &mark)) { // the list is damaged: the two vouch for each other
    if (c->beside && !from.there && !here.there) return FIRN_OK; // there was none to copy
    mark = here.there ? here.mark : from.mark;
  }
  add_line(l, &mark, c->to);
  bool from_good = from.there && same(&from.mark, &mark),
       here_good = here.there && same(&here.mark, &mark);
  if (from.there && !from_good && !one && c->matters)
    return wrong(r, check, c->from, "is not what it was when the run began");
  if (!here_good && !(from_good && !one) && (c->matters || !from.there || one))
    return wrong(r, check, r->path, here.there ? "is not what the run began with" : "is missing");
  if (!here_good || (from.there && !from_good)) *again = FIRN_RUN_AGAIN_FILES;
  return FIRN_OK;
}

firn_status firn_run_files_check(firn_run_state *r, firn_run_check *check, firn_run_again *again) {
  sums known;
  list l;
  *again = FIRN_RUN_AGAIN_NONE;
  if (!r->files.copies) return FIRN_OK;
  FIRN_TRY(begin_list(r, &l));
  firn_status status = read_sums(r, &known);
  for (const firn_scene_copy *c = r->files.copies; c && status != FIRN_ERROR_MEMORY; c = c->next) {
    firn_status one = c->to ? check_one(r, check, c, &known, &l, again)
                            : check_stayed(r, check, c, &known, &l, again);
    if (status == FIRN_OK || one == FIRN_ERROR_MEMORY) status = one;
  }
  bool listed = known.text && known.size == l.used && memcmp(known.text, l.text, l.used) == 0;
  if (!listed && *again == FIRN_RUN_AGAIN_NONE) *again = FIRN_RUN_AGAIN_LIST;
  free_sums(r, &known);
  firn_free(r->context, l.text, l.room);
  return status;
}
