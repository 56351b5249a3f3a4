// SPDX-License-Identifier: Apache-2.0
// firn render DIR|SCENE: pictures and films of what a run has written, or of how one will begin.
#include "render.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool render_ends_with(const char *path, const char *end) {
  size_t a = strlen(path), b = strlen(end);
  return a > b && strcasecmp(path + a - b, end) == 0;
}

// A picture or film of a kind that is not written here; as a folder it would surprise.
static bool is_foreign(const char *path) {
  static const char *const ends[] = {".jpg",  ".jpeg", ".tif", ".tiff", ".bmp",  ".gif",
                                     ".webp", ".tga",  ".ppm", ".hdr",  ".dpx",  ".svg",
                                     ".pdf",  ".mov",  ".avi", ".mkv",  ".webm", ".m4v",
                                     ".mpg",  ".mpeg", ".wmv", ".ogv",  ".hdf",  ".yaml"};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (render_ends_with(path, ends[i])) return true;
  return false;
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// ------------------------------------------------------------------------------------------ frames

// All frames of the source and the folder that they are in, or why not.
static bool list_frames(render_job *job, char path[RENDER_PATH]) {
  firn_folder *folder;
  firn_status status = firn_folder_open(job->context, job->arguments->source, &folder);
  if (status != FIRN_OK) {
    cli_fail(job->context, status);
    return false;
  }
  job->count = firn_folder_count(folder, FIRN_FOLDER_FRAME);
  job->frame = calloc((size_t)job->count + 1, sizeof *job->frame);
  for (int i = 0; job->frame && i < job->count; i++) {
    job->frame[i].number = firn_folder_number(folder, FIRN_FOLDER_FRAME, i);
    snprintf(job->frame[i].path, RENDER_PATH, "%s", firn_folder_file(folder, FIRN_FOLDER_FRAME, i));
  }
  snprintf(path, RENDER_PATH, "%s", firn_folder_path(folder));
  firn_folder_close(folder);
  return job->frame != NULL;
}

// What frames of a folder are apart from each other: a run with output.every leaves some out.
static int stride_of(const render_job *job) {
  int stride = job->scene ? firn_scene_output(job->scene).every : 0;
  for (int i = 1; i < job->count; i++) {
    int a = job->frame[i].number - job->frame[0].number;
    while (a) {
      int rest = stride % a;
      stride = a;
      a = rest;
    }
  }
  return stride > 0 ? stride : 1;
}

// The numbers first, first + every ... last that no frame has, as "4, 6 to 9"; returns how many.
static int list_missing(const render_job *job, int first, int last, int every, char *text,
                        size_t size) {
  enum { NAMED = 8 }; // gaps; more do not help
  int missing = 0, gaps = 0, at = 0;
  *text = 0;
  for (int n = first; n <= last;) {
    int end = n, count = 0; // of the gap that begins here
    for (; end <= last; end += every, count++) {
      while (at < job->count && job->frame[at].number < end) at++;
      if (at < job->count && job->frame[at].number == end) break;
    }
    missing += count;
    n = count ? end : n + every;
    if (!count || ++gaps > NAMED + 1) continue;
    size_t used = strlen(text);
    if (gaps > NAMED)
      snprintf(text + used, size - used, " ...");
    else if (count == 1)
      snprintf(text + used, size - used, "%s%d", gaps > 1 ? ", " : "", end - every);
    else
      snprintf(text + used, size - used, "%s%d %s %d", gaps > 1 ? ", " : "", end - count * every,
               count > 2 ? "to" : "and", end - every);
  }
  return missing;
}

// Those that were asked for; several, or the last. Says which of them are not there.
static bool choose_frames(render_job *job, bool several) {
  const render_arguments *a = job->arguments;
  int all = job->count, kept = 0, lowest = all ? job->frame[0].number : 0,
      highest = all ? job->frame[all - 1].number : 0;
  if (!all) {
    fprintf(stderr, "firn: %s holds no frames (frame_00000.hdf ...); `firn run` writes them\n",
            a->source);
    return false;
  }
  int first = a->frames_given || several ? a->first : highest,
      last = a->last >= 0 ? a->last : highest;
  // Of a run that has written every tenth frame nobody misses the others, nor, unless asked for,
  // those before its first.
  int stride = stride_of(job), step = a->every, from = first;
  while (step % stride != 0) step += a->every;
  while (from <= last && ((from - lowest) % stride != 0 || (!a->frames_given && from < lowest)))
    from += a->every;
  char gaps[256];
  int missing = list_missing(job, from, last, step, gaps, sizeof gaps);
  for (int i = 0; i < all; i++) {
    int n = job->frame[i].number;
    if (n < first || n > last || (n - first) % a->every != 0) continue;
    if (kept != i) job->frame[kept] = job->frame[i];
    kept++;
  }
  if (!kept) missing = list_missing(job, first, last, a->every, gaps, sizeof gaps);
  job->count = kept;
  if (kept && missing)
    fprintf(stderr, "firn: warning: frame%s %s %s missing in %s; going on with the other %d\n",
            missing > 1 ? "s" : "", gaps, missing > 1 ? "are" : "is", a->source, kept);
  if (kept) return true;
  if (missing)
    fprintf(stderr, "firn: frame%s %s %s missing; %s has frames %d to %d%s\n",
            missing > 1 ? "s" : "", gaps, missing > 1 ? "are" : "is", a->source, lowest, highest,
            all < highest - lowest + 1 ? ", not all of them" : "");
  else
    fprintf(stderr, "firn: %s has frames %d to %d; none of them was asked for\n", a->source, lowest,
            highest);
  return false;
}

// Frames of fine particles in place of those that they were made of, where there are any.
static void take_fine(render_job *job, const char *folder) {
  int taken = 0;
  if (job->arguments->preview || job->arguments->no_fine) return;
  for (int i = 0; i < job->count; i++) {
    char path[RENDER_PATH];
    snprintf(path, sizeof path, "%.4000s/fine/frame_%05d.hdf", folder, job->frame[i].number);
    if (access(path, R_OK) != 0) continue;
    memcpy(job->frame[i].path, path, sizeof path);
    taken++;
  }
  if (taken && taken < job->count)
    fprintf(stderr,
            "firn: warning: only %d of %d frames have fine particles; `firn refine %s --resume` "
            "makes the others, --no-fine leaves them out\n",
            taken, job->count, job->arguments->source);
}

// ---------------------------------------------------------------------------------------- settings

// One camera for a whole film: around the bulk of some of its frames.
static firn_status survey(render_job *job) {
  enum { LOOKS = 9 };
  const render_arguments *a = job->arguments;
  firn_render_def render, later;
  firn_preview_def preview;
  firn_status status = render_settings(job, 0, &render, &preview);
  double some_time =
      job->scene ? 0.3 * firn_scene_frames(job->scene) * firn_scene_frame_seconds(job->scene) : 0;
  if (status == FIRN_OK) status = render_settings(job, some_time, &later, &preview);
  if (status != FIRN_OK) return status;
  // That of an animatic is fitted to what will come, too, as each of its pictures is taken.
  bool fit = !job->sim &&
             memcmp(render.camera.eye, render.camera.target, sizeof render.camera.eye) == 0,
       colored = a->color && !(a->range[1] > a->range[0]), any = false;
  memcpy(job->range, a->range, sizeof job->range);
  int looks = job->count < LOOKS ? job->count : LOOKS;
  for (int i = 0; i < looks && (fit || colored); i++) {
    int k = looks > 1 ? i * (job->count - 1) / (looks - 1) : 0;
    firn_frame *frame;
    status = firn_frame_open(job->context, job->frame[k].path, &frame);
    if (status != FIRN_OK) return status;
    double low[3], high[3], range[2] = {0, 0};
    bool there = false;
    if (fit) status = firn_frame_bulk(frame, low, high, &there);
    if (status == FIRN_OK && colored) status = firn_frame_range(frame, a->color, range);
    for (int c = 0; there && c < 3; c++) {
      job->low[c] = any ? fmin(job->low[c], low[c]) : low[c];
      job->high[c] = any ? fmax(job->high[c], high[c]) : high[c];
    }
    any = any || there;
    if (colored) {
      job->range[0] = i ? fmin(job->range[0], range[0]) : range[0];
      job->range[1] = i ? fmax(job->range[1], range[1]) : range[1];
    }
    firn_frame_close(frame);
    if (status != FIRN_OK) return status;
  }
  // A turntable sees the box from all sides.
  double wide = 0;
  for (int c = 0; c < 3; c += 2) wide = fmax(wide, job->high[c] - job->low[c]);
  bool turns = a->turntable ||
               memcmp(render.camera.view, later.camera.view, sizeof later.camera.view) != 0;
  for (int c = 0; any && turns && c < 3; c += 2) {
    double middle = 0.5 * (job->low[c] + job->high[c]);
    job->low[c] = middle - 0.5 * wide;
    job->high[c] = middle + 0.5 * wide;
  }
  job->fitted = fit && any;
  return FIRN_OK;
}

// About the vertical through the target, from above counterclockwise.
static void turn_camera(firn_camera_def *c, double angle) {
  double arm[3];
  for (int k = 0; k < 3; k++) arm[k] = c->eye[k] - c->target[k];
  double *const turned[2] = {arm, c->view};
  for (int i = 0; i < 2; i++) {
    double *v = turned[i], x = v[0], z = v[2];
    v[0] = cos(angle) * x + sin(angle) * z;
    v[2] = cos(angle) * z - sin(angle) * x;
  }
  for (int k = 0; k < 3; k++) c->eye[k] = c->target[k] + arm[k];
}

static void place_camera(const render_job *job, firn_render_def *def, firn_camera_def *c) {
  const render_arguments *a = job->arguments;
  if (a->has_camera) {
    memcpy(c->eye, a->camera, sizeof c->eye);
    memcpy(c->target, a->camera + 3, sizeof c->target);
    if (a->camera[6] > 0) c->fov = a->camera[6] * 3.14159265358979323846 / 180;
  }
  if (a->has_view) {
    memcpy(c->target, c->eye, sizeof c->eye);
    memcpy(c->view, a->view, sizeof c->view);
  }
  if (job->turn != 0) turn_camera(c, job->turn);
  if (job->fitted) firn_camera_fit(c, job->low, job->high, (double)def->width / def->height);
}

firn_status render_settings(const render_job *job, double time, firn_render_def *render,
                            firn_preview_def *preview) {
  const render_arguments *a = job->arguments;
  *render = firn_default_render_def();
  if (a->preview) {
    render->width = 640;
    render->height = 360;
  }
  if (job->scene) {
    int width = render->width, height = render->height;
    firn_status status = firn_scene_render_def(job->scene, isfinite(time) ? time : 0, render);
    if (status != FIRN_OK) return status;
    if (a->preview) {
      render->width = width;
      render->height = height;
    }
  }
  if (a->width) {
    render->width = a->width;
    render->height = a->height;
  }
  if (a->samples) render->samples = a->samples;
  if (a->denoise) render->denoise = true;
  render->cut_count = a->cut_count;
  render->cuts = a->cuts;
  place_camera(job, render, &render->camera);
  if (render->camera_shut.fov > 0) place_camera(job, render, &render->camera_shut);
  *preview = firn_preview_of_render(render);
  preview->color = a->color;
  preview->map = a->map;
  memcpy(preview->range, job->range, sizeof preview->range);
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- pictures

static bool on_progress(void *user, double part) {
  render_job *job = user;
  render_progress_show(&job->progress, part);
  return !cli_interrupted();
}

firn_status render_picture(render_job *job, const render_frame *file, const char *path) {
  firn_frame *frame;
  firn_status status = firn_frame_open(job->context, file->path, &frame);
  if (status != FIRN_OK) return status;
  firn_render_def render;
  firn_preview_def preview;
  job->stats = (firn_render_stats){0};
  job->progress.number = file->number;
  job->turn = file->turn;
  status = render_settings(job, firn_frame_time(frame), &render, &preview);
  render.progress = on_progress;
  render.progress_user = job;
  double start = cli_seconds();
  if (status == FIRN_OK && job->sim) {
    double time = file->number * firn_scene_frame_seconds(job->scene);
    status = render_settings(job, time, &render, &preview); // a camera that is keyed moves
    if (status == FIRN_OK) status = render_animatic_frame(job, file->number, &preview, path);
    job->stats.particles = firn_sim_count(job->sim);
  } else if (status == FIRN_OK && job->arguments->preview) {
    status = firn_frame_preview(frame, job->scene, &preview, path);
    job->stats.particles = firn_frame_count(frame);
  } else if (status == FIRN_OK) {
    status = firn_frame_render(frame, job->scene, &render, path, &job->stats);
  }
  job->stats.seconds = cli_seconds() - start;
  firn_frame_close(frame);
  return status;
}

static int fail(const render_job *job, firn_status status) {
  if (status == FIRN_CANCELLED) {
    if (job->arguments->mode == PROGRESS_AUTO) printf("stopped; the picture was not whole yet\n");
    return EXIT_RUN;
  }
  return cli_fail_run(job->context, status, job->arguments->mode);
}

static int render_one(render_job *job, const char *path) {
  const render_frame *frame = &job->frame[job->count - 1];
  job->progress.total = 1;
  firn_status status = render_picture(job, frame, path);
  if (status == FIRN_OK) {
    job->progress.done = 1;
    render_progress_frame(&job->progress, path, &job->stats);
  }
  render_progress_end(&job->progress);
  return status == FIRN_OK ? EXIT_OK : fail(job, status);
}

static firn_status open_scene(render_job *job, const char *folder, int *code) {
  const render_arguments *a = job->arguments;
  char path[RENDER_PATH + 16];
  snprintf(path, sizeof path, "%s", a->scene ? a->scene : "");
  if (!a->scene) {
    snprintf(path, sizeof path, "%s/scene.yaml", folder);
    if (access(path, R_OK) != 0) {
      if (!a->options.override_count) return FIRN_OK; // a frame by itself
      fprintf(stderr, "firn: %s is not there, so --set has nothing to change; give --scene\n",
              path);
      *code = EXIT_INPUT;
      return FIRN_ERROR_SCENE;
    }
  }
  job->scene = cli_scene(job->context, path, &a->options, stderr);
  *code = EXIT_INPUT;
  return job->scene ? FIRN_OK : FIRN_ERROR_SCENE;
}

// Names what was not named: pictures go beside the frames, those of a scene into the current folder.
static void default_output(const render_job *job, const char *folder, bool several, char *path) {
  const render_arguments *a = job->arguments;
  const char *kind = job->sim       ? "animatic"
                     : a->turntable ? "turntable"
                     : a->preview   ? "preview"
                                    : "render";
  if (*job->temporary) {
    char name[1024];
    cli_default_folder(a->source, name, sizeof name);
    snprintf(path, RENDER_PATH, "%s_%s%s", name, kind, several ? "" : ".png");
  } else if (several) {
    snprintf(path, RENDER_PATH, "%.4000s/%s", folder, kind);
  } else {
    snprintf(path, RENDER_PATH, "%.4000s/%s_%05d.png", folder, kind,
             job->frame[job->count - 1].number);
  }
}

// One frame from all around.
static bool spread_turntable(render_job *job) {
  int count = job->arguments->turntable;
  render_frame *frame = calloc((size_t)count + 1, sizeof *frame);
  for (int i = 0; frame && i < count; i++) {
    frame[i] = job->frame[job->count - 1];
    frame[i].number = i;
    frame[i].turn = 2 * 3.14159265358979323846 * i / count;
  }
  if (!frame) return false;
  free(job->frame);
  job->frame = frame;
  job->count = count;
  return true;
}

// The frames to show and the scene that they are of; folder is where the frames lie.
static int find_frames(render_job *job, bool several, char folder[RENDER_PATH]) {
  const render_arguments *a = job->arguments;
  int code = EXIT_OK;
  if (render_is_scene(a->source)) {
    if (!a->scene) return render_build_scene(job);
    fprintf(stderr,
            "firn: %s is a scene, which is shown by itself: --scene is for the frames of a run\n",
            a->source);
    return EXIT_INPUT;
  }
  if (a->quality) {
    fprintf(stderr, "firn: %s is no scene: --quality is for a scene that is shown as it begins\n",
            a->source);
    return EXIT_INPUT;
  }
  if (access(a->source, R_OK) != 0) {
    fprintf(stderr, "firn: cannot open %s: %s\n", a->source, strerror(errno));
    cli_suggest_scene(a->source);
    return EXIT_INPUT;
  }
  if (!list_frames(job, folder)) return EXIT_INPUT;
  if (job->count && open_scene(job, folder, &code) != FIRN_OK) return code;
  if (is_folder(a->source) && !choose_frames(job, several && !a->turntable)) return EXIT_INPUT;
  return EXIT_OK;
}

static int run_job(render_job *job) {
  const render_arguments *a = job->arguments;
  char folder[RENDER_PATH] = "", output[RENDER_PATH];
  bool film = a->output && render_ends_with(a->output, ".mp4");
  bool single = a->output &&
                (render_ends_with(a->output, ".png") || render_ends_with(a->output, ".exr"));
  bool several = a->output ? !single : a->turntable || (a->frames_given && a->first != a->last);
  if (a->output && several && !film && is_foreign(a->output) && !is_folder(a->output)) {
    fprintf(stderr,
            "firn: %s: pictures are .png or .exr files, films .mp4; other names are folders for "
            "numbered pictures, and should not end like this one\n",
            a->output);
    return EXIT_INPUT;
  }
  if (film && !render_has_ffmpeg()) { // now, not after hours of rendering
    fprintf(stderr,
            "firn: films need the program ffmpeg, which is not installed (Debian: apt install "
            "ffmpeg). Nothing was rendered; -o %.*s.frames makes the pictures without it, and -o "
            "%s later the film of them\n",
            (int)(strlen(a->output) - 4), a->output, a->output);
    return EXIT_RUN;
  }
  int code = find_frames(job, several, folder);
  if (code != EXIT_OK) return code;
  if (single && job->count > 1) {
    fprintf(stderr, "firn: %d frames do not fit into %s; give a folder or an .mp4 file\n",
            job->count, a->output);
    return EXIT_INPUT;
  }
  firn_status status = survey(job);
  if (status != FIRN_OK) return fail(job, status);
  if (*folder && is_folder(a->source)) take_fine(job, folder);
  if (a->turntable && !spread_turntable(job)) return EXIT_RUN;
  if (a->output)
    snprintf(output, sizeof output, "%s", a->output);
  else
    default_output(job, folder, several, output);
  if (!several || film) status = cli_check_output(job->context, output);
  if (status != FIRN_OK) return fail(job, status);
  if (!several) return render_one(job, output);
  if (!film) return render_sequence(job, output, NULL);
  char pictures[RENDER_PATH + 16];
  snprintf(pictures, sizeof pictures, "%.*s.frames", (int)(strlen(output) - 4), output);
  return render_sequence(job, pictures, output);
}

int cli_render(int argc, char **argv) {
  render_arguments a;
  render_parse(argc, argv, &a);
  firn_context *context = cli_context(&a.options);
  if (!context) return EXIT_INPUT;
  cli_catch_signals();
  render_job job = {.arguments = &a, .context = context};
  job.progress.mode = a.mode;
  job.progress.live = a.mode == PROGRESS_AUTO && isatty(STDOUT_FILENO);
  job.progress.start = cli_seconds();
  int code = run_job(&job);
  if (*job.temporary) cli_remove_folder(job.temporary);
  free(job.frame);
  firn_sim_destroy(job.sim);
  firn_scene_destroy(job.scene);
  firn_context_destroy(context);
  return code;
}
