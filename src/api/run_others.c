// SPDX-License-Identifier: Apache-2.0
// What lies in a folder without being a run: a scene that somebody wrote, tables of something else. A run
// writes files of the same names, and must not take them away unasked.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "api/run.h"
#include "base/memory.h"

// Whether firn wrote the scene.yaml of the folder: read and written again it stays as it is.
static firn_status is_firns(firn_run_state *r, bool *out) {
  firn_scene *scene;
  char *text = NULL;
  size_t size = 0;
  *out = false;
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  FIRN_TRY(firn_file_get(r->context, r->path, &text, &size));
  firn_status status = firn_scene_load(r->context, r->path, 0, NULL, &scene);
  if (status == FIRN_OK) {
    firn_run_state as_read = {.scene = scene, .def = r->def, .context = r->context};
    status = firn_run_files_open(&as_read);
    if (status == FIRN_OK) {
      *out = strlen(as_read.files.text) == size && memcmp(as_read.files.text, text, size) == 0;
      firn_scene_files_free(&as_read.files);
    }
  }
  firn_scene_destroy(scene);
  firn_free(r->context, text, size + 1);
  return status == FIRN_ERROR_MEMORY ? status : FIRN_OK;
}

firn_status firn_run_check_own(firn_run_state *r) {
  struct stat here, scene;
  bool firns;
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  if (lstat(r->path, &here) || stat(firn_scene_file(r->scene), &scene) ||
      here.st_dev != scene.st_dev || here.st_ino != scene.st_ino)
    return FIRN_OK;
  FIRN_TRY(is_firns(r, &firns));
  if (firns) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s/scene.yaml is the scene itself, and a run writes a file of that name: "
                   "choose another folder, or call the scene otherwise",
                   r->def->folder);
}

static firn_status refuse(firn_run_state *r, const char *what) {
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s: %s, and a run writes a file of that name: choose another folder; "
                   "--overwrite replaces it",
                   r->path, what);
}

// Rows, whoever wrote them, after a first line.
static firn_status check_table(firn_run_state *r, firn_run_table table) {
  struct stat info;
  char *text;
  size_t size;
  FIRN_TRY(firn_run_file(r, firn_run_table_name(table)));
  if (lstat(r->path, &info) || !S_ISREG(info.st_mode)) return FIRN_OK; // a link is replaced
  FIRN_TRY(firn_file_get(r->context, r->path, &text, &size));
  const char *end = memchr(text, '\n', size);
  bool rows = end && end + 1 < text + size;
  firn_free(r->context, text, size + 1);
  return rows ? refuse(r, "the table has rows") : FIRN_OK;
}

firn_status firn_run_check_others(firn_run_state *r) {
  struct stat info;
  bool firns, same = false;
  FIRN_TRY(firn_run_check_own(r));
  FIRN_TRY(firn_run_file(r, "scene.yaml"));
  bool any = lstat(r->path, &info) == 0 && S_ISREG(info.st_mode);
  if (any) {
    FIRN_TRY(is_firns(r, &firns));
    FIRN_TRY(firn_run_file(r, "scene.yaml"));
    if (!firns) return refuse(r, "firn did not write this scene");
    // Its rows are all that is left of a run of this scene: a resume makes them again.
    if (r->def->resume && firn_run_check_scene(r, &same) == FIRN_OK) return FIRN_OK;
  }
  for (firn_run_table t = 0; t < FIRN_RUN_TABLES; t++) FIRN_TRY(check_table(r, t));
  return FIRN_OK;
}
