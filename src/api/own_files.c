// SPDX-License-Identifier: Apache-2.0
// The list of files (cache/record.h) of a folder that a program keeps: names are listed before their
// files are written, and marked afterwards. And the marks of single files (cache/own.h).
#include <firn/folder.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "cache/own.h"
#include "cache/record.h"

static firn_status read_list(firn_context *context, const char *folder, const char *kind,
                             firn_record *out) {
  if (!context || !folder || !kind) return firn_fail_null(context, "a list of files");
  if (!*kind || strchr(kind, '\n') || strlen(kind) > 40)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a list of files needs a kind of 1 to 40 letters in one line, as \"sweep\"");
  FIRN_TRY(firn_record_read(context, folder, kind, out));
  if (out->state != FIRN_RECORD_BROKEN) return FIRN_OK;
  firn_record_free(out);
  return firn_fail(context, FIRN_ERROR_STATE,
                   "%s/" FIRN_RECORD_FILE
                   " is not a whole list of the files of a %s, so firn cannot tell "
                   "which files of the folder are its own: choose another folder, or move it away",
                   folder, kind);
}

static firn_status check_all(const firn_record *r, const char *const *name, int count) {
  for (int i = 0; i < count; i++) {
    if (!name[i]) return firn_fail_null(r->context, "a list of files: a name");
    FIRN_TRY(firn_record_check_name(r, name[i], ""));
  }
  return FIRN_OK;
}

static firn_status add_all(firn_record *r, const char *const *name, int count) {
  for (int i = 0; i < count; i++) FIRN_TRY(firn_record_add(r, name[i]));
  return firn_record_write(r);
}

firn_status firn_folder_check_own(firn_context *context, const char *folder, const char *kind,
                                  const char *const *name, int count) {
  firn_record record = {.context = context};
  FIRN_TRY(read_list(context, folder, kind, &record));
  firn_status status = check_all(&record, name, count);
  firn_record_free(&record);
  return status;
}

firn_status firn_folder_begin_own(firn_context *context, const char *folder, const char *kind,
                                  const char *const *name, int count) {
  firn_record record = {.context = context};
  FIRN_TRY(read_list(context, folder, kind, &record));
  firn_status status = check_all(&record, name, count);
  if (status == FIRN_OK) status = add_all(&record, name, count);
  firn_record_free(&record);
  return status;
}

firn_status firn_folder_end_own(firn_context *context, const char *folder, const char *kind) {
  firn_record record = {.context = context};
  FIRN_TRY(read_list(context, folder, kind, &record));
  firn_status status = firn_record_settle(&record);
  if (status == FIRN_OK) status = firn_record_write(&record);
  firn_record_free(&record);
  return status;
}

firn_status firn_file_check_own(firn_context *context, const char *path) {
  if (!context || !path) return firn_fail_null(context, "firn_file_check_own");
  return firn_own_check(context, path);
}

firn_status firn_file_mark_film(firn_context *context, const char *path) {
  if (!context || !path) return firn_fail_null(context, "firn_file_mark_film");
  return firn_own_mark_film(context, path);
}
