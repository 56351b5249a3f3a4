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
  firn_sim_destroy(sim);
  return status;
}

int render_build_scene(render_job *job) {
  const render_arguments *a = job->arguments;
  job->scene = cli_scene(job->context, a->source, &a->options, stderr);
  if (!job->scene || !cli_temporary_folder(job->temporary, sizeof job->temporary))
    return EXIT_INPUT;
  job->frame = calloc(1, sizeof *job->frame);
  if (!job->frame) return EXIT_RUN;
  job->count = 1;
  snprintf(job->frame->path, RENDER_PATH, "%.4000s/frame_00000.hdf", job->temporary);
  firn_status status = write_frame(job);
  return status == FIRN_OK ? EXIT_OK : cli_fail_run(job->context, status, a->mode);
}
