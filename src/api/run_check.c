// SPDX-License-Identifier: Apache-2.0
// Whether what a run has left in its folder is whole: every frame as it was sealed, under its own
// number, and every table with the rows that belong to the frames. Nothing is changed here.
//
// A killed run leaves its newest frame half done: rows of it, or its file, may be missing without
// anything being wrong. All before that is there, and so is all up to a checkpoint.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/run.h"
#include "base/memory.h"
#include "cache/csv.h"
#include "cache/frame.h"
#include "cache/stats.h"

void firn_run_fault(firn_run_state *r, firn_run_check *c, int frame, firn_status status,
                    const char *format, ...) {
  char text[FIRN_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  c->faults++;
  if (r->fault) r->fault(r->fault_user, text);
  if (frame > c->good) return;
  c->good = frame - 1;
  c->status = status;
  memcpy(c->reason, text, sizeof text);
}

// Leaves those of a list that the run's own has, and returns the last of the others; -1: there are none.
static int keep_listed(firn_run_state *r, const char *prefix, int *number, size_t *count) {
  size_t kept = 0;
  int other = -1;
  for (size_t i = 0; i < *count; i++) {
    char name[64];
    snprintf(name, sizeof name, "%.40s%05d.hdf", prefix, number[i]);
    if (firn_record_find(&r->record, name))
      number[kept++] = number[i];
    else
      other = number[i];
  }
  *count = kept;
  return other;
}

firn_status firn_run_list(firn_run_state *r, firn_run_check *c) {
  *c = (firn_run_check){.good = FIRN_FRAME_LAST, .foreign = -1};
  const char *folder = r->def->folder;
  FIRN_TRY(firn_numbered_list(r->context, folder, FIRN_FRAME_PREFIX, &c->frame, &c->frame_count));
  c->frames_room = c->frame_count;
  firn_status status = firn_numbered_list(r->context, folder, FIRN_CHECKPOINT_PREFIX,
                                          &c->checkpoint, &c->checkpoint_count);
  c->checkpoints_room = c->checkpoint_count;
  if (status != FIRN_OK) firn_run_check_free(r, c);
  if (status != FIRN_OK || r->record.state != FIRN_RECORD_FOUND) return status;
  c->foreign = keep_listed(r, FIRN_FRAME_PREFIX, c->frame, &c->frame_count);
  keep_listed(r, FIRN_CHECKPOINT_PREFIX, c->checkpoint, &c->checkpoint_count);
  return FIRN_OK;
}

double firn_run_bytes(firn_run_state *r, const char *prefix, const int *number, size_t count) {
  struct stat info;
  double bytes = 0;
  for (size_t i = 0; i < count; i++)
    if (firn_run_numbered(r, prefix, number[i]) == FIRN_OK && !stat(r->path, &info))
      bytes += (double)info.st_size;
  return bytes;
}

void firn_run_check_free(firn_run_state *r, firn_run_check *c) {
  firn_free(r->context, c->frame, c->frames_room * sizeof *c->frame);
  firn_free(r->context, c->checkpoint, c->checkpoints_room * sizeof *c->checkpoint);
  for (int t = 0; t < FIRN_RUN_TABLES; t++)
    if (c->rows[t].text) firn_rows_close(&c->rows[t]);
  r->rows = NULL;
  *c = (firn_run_check){.good = -1, .foreign = -1};
}

// Nine digits of a time, and what rounding may do to a sum of steps.
static bool is_time(const firn_run_state *r, int frame, double time) {
  double expected = frame * r->seconds;
  return fabs(time - expected) <= 1e-8 * expected + 1e-6 * r->seconds;
}

// ----------------------------------------------------------------------------------------- tables

static bool has_name(const firn_row *row, const char *name) {
  char wanted[300]; // a name has 63 letters at most, each of which may become two
  const char *cell;
  size_t size;
  if (strlen(name) > 140 || !firn_row_cell(row, 2, &cell, &size)) return false;
  return size == firn_csv_print_text(wanted, name) && memcmp(cell, wanted, size) == 0;
}

// What is wrong with a row where one of a frame, and of a name if not NULL, should be; NULL: nothing.
static const char *wrong_row(const firn_run_state *r, const firn_rows *rows, const firn_row *row,
                             int frame, const char *name) {
  double time;
  if (row->frame != frame) return "this one is of another frame";
  if (!firn_row_fits(rows, row, name ? 2 : -1))
    return "cells of this one are missing or no numbers";
  if (!firn_row_number(row, 1, &time) || !is_time(r, frame, time))
    return "this one has another time";
  return name && !has_name(row, name) ? "this one has another name" : NULL;
}

// Goes through the rows up to the first that is wrong.
static void check_rows(firn_run_state *r, firn_run_check *c, firn_run_table t, int first) {
  firn_row row = {0};
  int *frame = &c->rows_end[t], i = 0;
  char number[32];
  for (*frame = first; firn_rows_next(&c->rows[t], &row);) {
    const char *name = firn_run_row_name(r, t, i, number);
    const char *wrong = wrong_row(r, &c->rows[t], &row, *frame, name);
    if (wrong) {
      firn_run_fault(r, c, *frame, FIRN_ERROR_STATE,
                     "%s/%s:%zu: expected a row of frame %d%s%s%s; %s", r->def->folder,
                     firn_run_table_name(t), row.line, *frame, name ? " and '" : "",
                     name ? name : "", name ? "'" : "", wrong);
      c->broken[t] = true;
      return;
    }
    if (name && firn_run_row_name(r, t, ++i, number)) continue;
    i = 0;
    ++*frame;
  }
}

static firn_status check_table(firn_run_state *r, firn_run_check *c, firn_run_table t) {
  int first = t == FIRN_RUN_COLLIDERS; // forces are those of the steps since the frame before
  c->rows_end[t] = first;
  firn_status status = firn_run_open_table(r, t, &c->rows[t]);
  if (status == FIRN_OK) {
    check_rows(r, c, t, first);
  } else if (status == FIRN_ERROR_FORMAT || status == FIRN_ERROR_IO) {
    struct stat info;
    bool there = stat(r->path, &info) == 0; // but nobody can read it
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    firn_run_fault(r, c, first, status == FIRN_ERROR_IO && there ? status : FIRN_ERROR_STATE, "%s",
                   message);
    status = FIRN_OK;
  }
  return status;
}

// ----------------------------------------------------------------------------------------- frames

// The row of stats.csv for a frame, from the one before on; false: it cannot be relied on.
static bool find_stats(const firn_run_check *c, int frame, firn_row *row) {
  if (frame >= c->rows_end[FIRN_RUN_STATS]) return false;
  while (!row->end || row->frame < frame)
    if (!firn_rows_next(&c->rows[FIRN_RUN_STATS], row)) return false;
  return row->frame == frame;
}

// What a frame's own file says of it, held against its name and its row.
static void compare_frame(firn_run_state *r, firn_run_check *c, int number, const firn_frame *f,
                          const firn_row *row) {
  struct stat info = {0};
  double count = (double)NAN, bytes = (double)NAN;
  if (f->frame != number) {
    firn_run_fault(r, c, number, FIRN_ERROR_STATE, "%s holds frame %d", r->path, f->frame);
  } else if (!is_time(r, number, f->time)) {
    firn_run_fault(r, c, number, FIRN_ERROR_STATE, "%s is of %g s, and frame %d is at %g s",
                   r->path, f->time, number, number * r->seconds);
  } else if (row) {
    firn_row_number(row, FIRN_STATS_particles, &count);
    firn_row_number(row, FIRN_STATS_bytes, &bytes);
    double size = stat(r->path, &info) ? -1 : (double)info.st_size;
    if (count == (double)f->count && bytes == size) return;
    firn_run_fault(r, c, number, FIRN_ERROR_STATE,
                   "%s has %zu particles and %.0f bytes, and by stats.csv %.0f and %.0f", r->path,
                   f->count, size, count, bytes);
  }
}

static firn_status check_frame(firn_run_state *r, firn_run_check *c, int number, firn_row *row) {
  firn_frame *f;
  FIRN_TRY(firn_run_numbered(r, FIRN_FRAME_PREFIX, number));
  firn_status status = firn_frame_open(r->context, r->path, &f);
  if (status == FIRN_OK) {
    compare_frame(r, c, number, f, find_stats(c, number, row) ? row : NULL);
    firn_frame_close(f);
  } else if (status == FIRN_ERROR_FORMAT || status == FIRN_ERROR_IO) {
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    firn_run_fault(r, c, number, status == FIRN_ERROR_IO ? status : FIRN_ERROR_STATE, "%s",
                   message);
    status = FIRN_OK;
  }
  return status;
}

// Long enough to wonder what a run is doing.
static void announce(firn_run_state *r, const firn_run_check *c) {
  double bytes = firn_run_bytes(r, FIRN_FRAME_PREFIX, c->frame, c->frame_count);
  if (bytes < 1e9) return;
  firn_note(r->context, FIRN_LOG_INFO, "checking %zu frames, %.1f GB", c->frame_count, bytes / 1e9);
}

static firn_status check_frames(firn_run_state *r, firn_run_check *c) {
  firn_row row = {0};
  announce(r, c);
  for (size_t i = 0; i < c->frame_count; i++) {
    firn_doing(r->context, i, c->frame_count, "checking frames");
    FIRN_TRY(check_frame(r, c, c->frame[i], &row));
  }
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- missing

// What ends before it should: silently where a killed run may have ended so.
static void end_before(firn_run_state *r, firn_run_check *c, int frame, int covered,
                       const char *what) {
  if (frame <= covered)
    firn_run_fault(r, c, frame, FIRN_ERROR_STATE, "%s", what);
  else if (frame <= c->good)
    c->good = frame - 1;
}

// A frame that an earlier run was not asked for has a row without bytes.
static bool was_written(const firn_run_check *c, int frame, firn_row *row) {
  double bytes;
  return find_stats(c, frame, row) && firn_row_number(row, FIRN_STATS_bytes, &bytes) &&
         !isnan(bytes);
}

// Frames that were asked for: by number, or where nobody did those that were written.
static bool is_wanted(const firn_run_state *r, const firn_run_check *c, int frame, firn_row *row) {
  if (r->def->first_frame >= 0) return firn_run_writes(r, frame);
  return was_written(c, frame, row);
}

int firn_run_newest_checkpoint(firn_run_state *r, const firn_run_check *c, int seen) {
  for (size_t i = c->checkpoint_count; i-- > 0;) {
    firn_checkpoint_info info;
    if (c->checkpoint[i] <= seen) return c->checkpoint[i];
    if (firn_run_numbered(r, FIRN_CHECKPOINT_PREFIX, c->checkpoint[i]) == FIRN_OK &&
        firn_checkpoint_read(r->context, r->path, &info) == FIRN_OK &&
        info.frame == c->checkpoint[i])
      return c->checkpoint[i];
  }
  return -1;
}

firn_status firn_run_check_format(firn_run_state *r, const firn_run_check *c) {
  for (size_t i = c->checkpoint_count; i-- > 0;) {
    FIRN_TRY(firn_run_numbered(r, FIRN_CHECKPOINT_PREFIX, c->checkpoint[i]));
    firn_status status = firn_checkpoint_check_format(r->context, r->path);
    if (status == FIRN_ERROR_FORMAT || status == FIRN_ERROR_IO) continue; // damage, told of later
    if (status != FIRN_ERROR_STATE) return status;
    char message[FIRN_MESSAGE_SIZE];
    memcpy(message, firn_context_message(r->context), sizeof message);
    return firn_fail(r->context, status, "cannot resume: %.600s" FIRN_RUN_ANEW, message);
  }
  return FIRN_OK;
}

bool firn_run_has_begun_only(firn_run_state *r, const firn_run_check *c) {
  if (c->checkpoint_count || c->frame_count != 1 || c->frame[0] != 0) return false;
  struct stat info;
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++) {
    if (c->broken[t] || c->rows_end[t] > 1) return false;
    if (!firn_run_has_table(r, t) || c->rows[t].text) continue;
    if (firn_run_file(r, firn_run_table_name(t)) != FIRN_OK || !stat(r->path, &info))
      return false; // it is no table
  }
  return true;
}

static void check_missing(firn_run_state *r, firn_run_check *c) {
  int newest = c->frame_count ? c->frame[c->frame_count - 1] : -1, covered, stop;
  for (int t = 0; t < FIRN_RUN_TABLES; t++)
    if (c->rows_end[t] - 1 > newest) newest = c->rows_end[t] - 1;
  covered = newest - 1;
  int checkpoint = firn_run_newest_checkpoint(r, c, newest);
  if (checkpoint > covered) covered = checkpoint;
  char what[FIRN_PATH_SIZE + 100];
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++) {
    if (!c->rows[t].text || c->broken[t]) continue;
    snprintf(what, sizeof what, "%s/%s: rows of frame %d are missing", r->def->folder,
             firn_run_table_name(t), c->rows_end[t]);
    end_before(r, c, c->rows_end[t], covered, what);
  }
  stop = covered > newest ? covered : newest;
  firn_row row = {0};
  size_t k = 0;
  for (int i = 0; i <= stop; i++) {
    while (k < c->frame_count && c->frame[k] < i) k++;
    if ((k < c->frame_count && c->frame[k] == i) || !is_wanted(r, c, i, &row)) continue;
    if (firn_run_numbered(r, FIRN_FRAME_PREFIX, i) != FIRN_OK) return;
    bool skipped = i < c->rows_end[FIRN_RUN_STATS] && !was_written(c, i, &row);
    snprintf(what, sizeof what, "%s is missing%s", r->path,
             skipped ? ": it was not asked for so far, and is now (--frames :B goes on without it)"
                     : "");
    if (i <= covered && i <= c->good) c->unasked = skipped; // or it is not the reason
    end_before(r, c, i, covered, what);
  }
}

firn_status firn_run_look(firn_run_state *r, firn_run_check *c) {
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t)) FIRN_TRY(check_table(r, c, t));
  FIRN_TRY(check_frames(r, c));
  check_missing(r, c);
  r->rows = c->rows;
  return FIRN_OK;
}
