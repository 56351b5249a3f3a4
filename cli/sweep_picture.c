// SPDX-License-Identifier: Apache-2.0
// Pictures of a study's runs by one camera, so that they can be compared: where the scene places
// none, it is fitted to the snow of all runs at their ends.
#include <math.h>
#include <string.h>

#include "sweep.h"

typedef struct box {
  double low[3], high[3];
  bool any;
} box;

static void unite(box *all, const box *one) {
  for (int a = 0; one->any && a < 3; a++) {
    all->low[a] = all->any ? fmin(all->low[a], one->low[a]) : one->low[a];
    all->high[a] = all->any ? fmax(all->high[a], one->high[a]) : one->high[a];
  }
  all->any = all->any || one->any;
}

// The newest frame of a run; *out NULL: it has none yet. Adds its snow to all.
static firn_status open_end(const sweep *s, firn_context *context, int run, firn_frame **out) {
  char path[4200];
  firn_folder *folder;
  *out = NULL;
  if (s->state[run] != SWEEP_DONE && s->state[run] != SWEEP_SKIPPED) return FIRN_OK;
  sweep_folder(s, run, path, sizeof path);
  firn_status status = firn_folder_open(context, path, &folder);
  if (status != FIRN_OK) return status;
  int count = firn_folder_count(folder, FIRN_FOLDER_FRAME);
  if (count)
    status = firn_frame_open(context, firn_folder_file(folder, FIRN_FOLDER_FRAME, count - 1), out);
  firn_folder_close(folder);
  return status;
}

static firn_status add_end(const sweep *s, firn_context *context, int run, box *all) {
  firn_frame *frame;
  box one;
  firn_status status = open_end(s, context, run, &frame);
  if (status != FIRN_OK || !frame) return status;
  status = firn_frame_bulk(frame, one.low, one.high, &one.any);
  firn_frame_close(frame);
  if (status == FIRN_OK) unite(all, &one);
  return status;
}

static bool is_fitted(const firn_camera_def *camera) {
  return memcmp(camera->eye, camera->target, sizeof camera->eye) == 0;
}

static firn_status draw(const sweep *s, firn_context *context, int run, const firn_scene *scene,
                        firn_frame *frame, const box *all) {
  char name[300], path[4500];
  const char *const names[] = {name};
  firn_preview_def view = sweep_view(scene, firn_frame_time(frame));
  if (!is_fitted(&view.camera)) return FIRN_OK; // the scene says from where
  firn_camera_fit(&view.camera, all->low, all->high, (double)view.width / view.height);
  sweep_picture(s, run, name, sizeof name);
  snprintf(path, sizeof path, "%s/%s", s->folder, name);
  firn_status status = firn_folder_begin_own(context, s->folder, SWEEP_KIND, names, 1);
  return status == FIRN_OK ? firn_frame_preview(frame, scene, &view, path) : status;
}

firn_preview_def sweep_view(const firn_scene *scene, double time) {
  firn_preview_def view = firn_scene_preview(scene, time);
  view.width = SWEEP_PICTURE_WIDTH;
  view.height = SWEEP_PICTURE_HEIGHT;
  return view;
}

firn_status sweep_draw_alike(const sweep *s, firn_context *context) {
  box all = {.any = false};
  firn_status status = FIRN_OK;
  for (int i = 0; i < s->count && status == FIRN_OK; i++) status = add_end(s, context, i, &all);
  for (int i = 0; i < s->count && status == FIRN_OK && all.any; i++) {
    firn_frame *frame;
    status = open_end(s, context, i, &frame);
    if (status != FIRN_OK || !frame) continue;
    firn_scene *scene = sweep_scene(s, context, i);
    // It has been read before: memory is short, or the file has changed since.
    status = scene ? draw(s, context, i, scene, frame, &all) : FIRN_ERROR_SCENE;
    firn_scene_destroy(scene);
    firn_frame_close(frame);
  }
  return status;
}
