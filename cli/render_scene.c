// SPDX-License-Identifier: Apache-2.0
// firn render SCENE: what a run would begin with, as a frame in a temporary folder.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render.h"

bool render_is_scene(const char *source) {
  struct stat info;
  if (render_ends_with(source, ".yaml") || render_ends_with(source, ".yml"))
    return stat(source, &info) != 0 || !S_ISDIR(info.st_mode);
  // A run of a built-in scene goes into a folder of its name, which is then what is meant.
  return access(source, F_OK) != 0 && firn_scene_builtin_text(source) != NULL;
}

static firn_status write_frame(render_job *job) {
  firn_sim *sim;
  firn_status status = firn_scene_build(job->scene, &sim);
  if (status != FIRN_OK) return status;
  status = firn_scene_apply(job->scene, sim);
  if (status == FIRN_OK) status = firn_sim_write_frame(sim, job->frame->path);
  if (job->arguments->frames_given)
    job->sim = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

firn_status render_animatic_frame(render_job *job, int number, const firn_preview_def *view,
                                  const char *path) {
  firn_preview_def def = *view;
  def.sources = true;
  firn_status status = firn_scene_pose(job->scene, job->sim,
                                       number * firn_scene_frame_seconds(job->scene));
  return status == FIRN_OK ? firn_sim_preview(job->sim, &def, path) : status;
}

// The frames that were asked for: the camera is fitted to the snow of the first file, which all of
// them name.
static bool list_frames(render_job *job) {
  const render_arguments *a = job->arguments;
  int last = a->last >= 0 ? a->last : firn_scene_frames(job->scene);
  int count = a->frames_given && last >= a->first ? (last - a->first) / a->every + 1 : 1;
  job->frame = calloc((size_t)count, sizeof *job->frame);
  job->count = count;
  for (int i = 0; job->frame && i < count; i++) {
    if (a->frames_given) job->frame[i].number = a->first + i * a->every;
    snprintf(job->frame[i].path, RENDER_PATH, "%.4000s/frame_00000.hdf", job->temporary);
  }
  return job->frame != NULL;
}

int render_build_scene(render_job *job) {
  const render_arguments *a = job->arguments;
  job->scene = cli_scene(job->context, a->source, &a->options, stderr);
  if (!job->scene || !cli_temporary_folder(job->temporary, sizeof job->temporary))
    return EXIT_INPUT;
  if (a->frames_given && a->last < 0 && a->first > firn_scene_frames(job->scene)) {
    fprintf(stderr, "firn: --frames: the scene ends with frame %d\n",
            firn_scene_frames(job->scene));
    return EXIT_INPUT;
  }
  if (!list_frames(job)) return EXIT_RUN;
  firn_status status = write_frame(job);
  return status == FIRN_OK ? EXIT_OK : cli_fail_run(job->context, status, a->mode);
}
