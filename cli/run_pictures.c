// SPDX-License-Identifier: Apache-2.0
// Pictures of frames that an earlier process has written and not drawn: made of the frame files.
#include <string.h>
#include <unistd.h>

#include "run_pictures.h"

typedef struct missing {
  const run_pictures *of;
  firn_context *context;
  firn_folder *folder;
} missing;

static firn_status draw(const missing *m, const char *frame_path, const char *path) {
  firn_frame *frame;
  firn_status status = firn_frame_open(m->context, frame_path, &frame);
  if (status != FIRN_OK) return status;
  firn_preview_def view = firn_scene_preview(m->of->scene, firn_frame_time(frame));
  status = firn_frame_preview(frame, m->of->scene, &view, path);
  firn_frame_close(frame);
  return status;
}

// Lists the picture as the run's before it is drawn.
static firn_status draw_missing(const missing *m, int i, int *drawn) {
  int number = firn_folder_number(m->folder, FIRN_FOLDER_FRAME, i);
  char name[64], path[4200];
  const char *const names[] = {name};
  snprintf(name, sizeof name, "%s%05d.png", m->of->prefix, number);
  snprintf(path, sizeof path, "%s/%s", m->of->folder, name);
  if (number % m->of->every != 0 || access(path, F_OK) == 0) return FIRN_OK;
  if (cli_interrupted()) return FIRN_CANCELLED;
  firn_status status = firn_folder_begin_own(m->context, m->of->folder, "run", names, 1);
  if (status == FIRN_OK) status = draw(m, firn_folder_file(m->folder, FIRN_FOLDER_FRAME, i), path);
  if (status == FIRN_OK) ++*drawn;
  return status;
}

firn_status run_draw_missing(firn_context *context, const run_pictures *of, int *drawn) {
  missing m = {.of = of, .context = context};
  *drawn = 0;
  firn_status status = firn_folder_open(context, of->folder, &m.folder);
  if (status != FIRN_OK) return status;
  int count = firn_folder_count(m.folder, FIRN_FOLDER_FRAME);
  for (int i = 0; status == FIRN_OK && i < count; i++) status = draw_missing(&m, i, drawn);
  firn_folder_close(m.folder);
  if (!*drawn) return status;
  firn_status ended = firn_folder_end_own(context, of->folder, "run");
  return status == FIRN_OK ? ended : status;
}
