// SPDX-License-Identifier: Apache-2.0
// Whether a run can write its files where something stands already. That is asked before the work of
// the first frame, and before anything is taken away.
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/run.h"

static firn_status check_replaced(firn_run_state *r, const char *name) {
  FIRN_TRY(firn_run_file(r, name));
  return firn_file_check_target(r->context, r->path);
}

// The list of files takes the place of whatever was made of it, but for a folder.
static firn_status check_record(firn_run_state *r) {
  struct stat info;
  FIRN_TRY(firn_run_file(r, FIRN_RECORD_FILE));
  return lstat(r->path, &info) == 0 && S_ISDIR(info.st_mode)
             ? firn_file_fail(r->context, "write", r->path, EISDIR)
             : FIRN_OK;
}

// What is added to must be a plain file, and may be absent.
static firn_status check_added_to(firn_run_state *r, const char *name) {
  struct stat info;
  int fd;
  FIRN_TRY(firn_run_file(r, name));
  if (lstat(r->path, &info) && errno == ENOENT) return FIRN_OK;
  FIRN_TRY(firn_file_update(r->context, r->path, 0, &fd));
  close(fd);
  return FIRN_OK;
}

firn_status firn_run_check_places(firn_run_state *r) {
  static const char *const names[] = {"scene.yaml", FIRN_RUN_NEXT_SCENE, FIRN_RUN_SERIES};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) FIRN_TRY(check_replaced(r, names[i]));
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    FIRN_TRY(check_replaced(r, firn_run_table_name(t)));
  FIRN_TRY(check_record(r));
  return check_added_to(r, FIRN_RUN_LOG);
}

firn_status firn_run_check_tables(firn_run_state *r) {
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++)
    if (firn_run_has_table(r, t)) FIRN_TRY(check_added_to(r, firn_run_table_name(t)));
  FIRN_TRY(check_replaced(r, FIRN_RUN_SERIES));
  FIRN_TRY(check_record(r));
  return check_added_to(r, FIRN_RUN_LOG);
}
