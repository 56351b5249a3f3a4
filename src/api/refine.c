// SPDX-License-Identifier: Apache-2.0
// firn_refine: fine particles through the frames of a run, a frame of them for each.
#include "api/refine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/picture.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/memory.h"
#include "cache/archive_seal.h"
#include "cache/file.h"
#include "cache/folder.h"
#include "cache/lock.h"
#include "cache/record.h"
#include "cache/series.h"
#include "refine/fine.h"
#include "scene/scene.h"

#define STEPS_MOST 100000 // of a frame

typedef struct refinement {
  firn_context *context;
  const firn_scene *scene; // or NULL
  const firn_refine_def *def;
  firn_folder *source;
  int count; // frames
  char folder[FIRN_PATH_SIZE], path[FIRN_PATH_SIZE];
  int lock;
  firn_record record;    // of the files that are written
  firn_refine_snow snow; // of the frame that is done last
  firn_refine_rows rows; // likewise
  firn_fine *fine;
  firn_refine_event event;
  double began; // on the clock
} refinement;

FIRN_DEFAULTS(refine_def) {
  return (firn_refine_def){.last_frame = -1,
                           .mode = FIRN_REFINE_BALLISTIC,
                           .per_particle = 20,
                           .density = 0.5,
                           .size_variation = 0.4,
                           .dt_max = 5e-3,
                           .precision = 32};
}

static firn_refine_def of_scene(const firn_scene *scene) {
  firn_refine_def def = firn_default_refine_def();
  const firn_value *v = scene ? firn_value_find(scene->root, "refine") : NULL;
  if (!v || scene->report.count) return def;
  def.mode = strcmp(firn_value_text(v, "mode"), "printed") == 0 ? FIRN_REFINE_PRINTED
                                                                : FIRN_REFINE_BALLISTIC;
  def.per_particle = (int)firn_value_number(v, "per_particle");
  def.density = firn_value_number(v, "density");
  def.size_variation = firn_value_number(v, "size_variation");
  def.dt_max = firn_value_number(v, "dt_max");
  def.seed = (uint64_t)firn_value_number(v, "seed");
  if (firn_scene_output(scene).precision) def.precision = firn_scene_output(scene).precision;
  return def;
}

void firn_scene_refine_def_sized(const firn_scene *scene, firn_refine_def *out, size_t size) {
  const firn_refine_def own = of_scene(scene);
  firn_def_give(&own, sizeof own, out, size);
}

// ---------------------------------------------------------------------------------------- checks

static firn_status check(firn_context *context, const firn_refine_def *d) {
  if (!d->source) return firn_fail(context, FIRN_ERROR_ARGUMENT, "refine: no folder is given");
  if (d->resume && d->overwrite)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "refine: either resume or overwrite, not both");
  if (d->per_particle < 1 || d->per_particle > 10000)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "refine: per_particle is %d; it must be from 1 to 10000", d->per_particle);
  if (!(d->size_variation >= 0 && d->size_variation <= 2))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "refine: size_variation is %g; it must be from 0 to 2", d->size_variation);
  if (!(d->dt_max > 0) || !isfinite(d->dt_max))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "refine: dt_max is %g s; it must be above 0, and finite", d->dt_max);
  if (!(d->density > 0 && d->density <= 1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "refine: density is %g; it must be above 0 and at most 1", d->density);
  if (d->mode != FIRN_REFINE_BALLISTIC && d->mode != FIRN_REFINE_PRINTED)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "refine: mode %d does not exist", (int)d->mode);
  if (d->precision != 16 && d->precision != 32)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "refine: precision is %d; it must be 16 or 32",
                     d->precision);
  return FIRN_OK;
}

static int number_at(const refinement *r, int i) {
  return firn_folder_number(r->source, FIRN_FOLDER_FRAME, i);
}

// Frames from which nothing is missing: what happened in a gap nobody knows.
static firn_status list_frames(refinement *r) {
  const firn_refine_def *d = r->def;
  FIRN_TRY(firn_folder_open(r->context, d->source, &r->source));
  FIRN_TRY(firn_folder_select(r->source, d->first_frame, d->last_frame, 1));
  r->count = firn_folder_count(r->source, FIRN_FOLDER_FRAME);
  if (r->scene) {
    const double *period = firn_value_vec3(r->scene->root, "periodic");
    if (period[0] > 0 || period[1] > 0 || period[2] > 0)
      return firn_fail(r->context, FIRN_ERROR_UNSUPPORTED,
                       "refine: fine particles know no periodic space yet, and %s is of one",
                       d->source);
  }
  if (r->count < 2) {
    firn_note(
        r->context, FIRN_LOG_WARNING,
        "%s: frame %d is the only one; its fine particles are where they begin, and do not move",
        d->source, number_at(r, 0));
    return FIRN_OK;
  }
  int step = number_at(r, 1) - number_at(r, 0);
  for (int i = 2; i < r->count; i++)
    if (number_at(r, i) - number_at(r, i - 1) < step) step = number_at(r, i) - number_at(r, i - 1);
  for (int i = 1; i < r->count; i++)
    if (number_at(r, i) - number_at(r, i - 1) != step)
      return firn_fail(r->context, FIRN_ERROR_STATE,
                       "%s: frame %d is missing; fine particles go from frame to frame. Run the "
                       "scene again with --resume, or give --frames without it",
                       d->source, number_at(r, i - 1) + step);
  return FIRN_OK;
}

static const char *source_path(const refinement *r, int i) {
  return firn_folder_file(r->source, FIRN_FOLDER_FRAME, i);
}

static firn_status fine_path(refinement *r, int i) {
  return firn_numbered_path(r->context, r->folder, FIRN_FRAME_PREFIX, number_at(r, i), r->path);
}

static void fine_name(const refinement *r, int i, char name[64]) {
  snprintf(name, 64, FIRN_FRAME_PREFIX "%05d.hdf", number_at(r, i));
}

// ------------------------------------------------------------------------------------------ a frame

static firn_status open_frame(refinement *r, int i, firn_frame **out) {
  firn_doing(r->context, (size_t)i, (size_t)r->count, "refining frames");
  FIRN_TRY(firn_frame_open(r->context, source_path(r, i), out));
  if (!firn_archive_has_attribute((*out)->archive, "firn", "refine")) return FIRN_OK;
  firn_frame_close(*out);
  return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                   "%s is of fine particles already; name the folder of the run",
                   source_path(r, i));
}

static firn_status tell(refinement *r, int i) {
  r->event.frame = number_at(r, i);
  r->event.done = i + 1;
  r->event.total = r->count;
  r->event.path = r->path;
  r->event.particles = r->rows.count;
  r->event.wall = firn_seconds() - r->began;
  if (!r->def->event || r->def->event(r->def->event_user, &r->event)) return FIRN_OK;
  return firn_fail(r->context, FIRN_CANCELLED, "refine stopped after frame %d", r->event.frame);
}

static firn_status write_series(refinement *r) {
  return firn_series_frames(r->context, r->folder,
                            r->scene ? firn_scene_frame_seconds(r->scene) : 1.0 / 24);
}

static firn_status write_frame(refinement *r, int i, const firn_frame *source) {
  struct stat info;
  char name[64];
  FIRN_TRY(firn_lock_check(r->context, r->folder, r->lock));
  fine_name(r, i, name);
  FIRN_TRY(firn_record_add(&r->record, name));
  FIRN_TRY(firn_record_write(&r->record));
  FIRN_TRY(fine_path(r, i));
  FIRN_TRY(firn_refine_rows_write(r->def, &r->rows, source, source_path(r, i), r->path));
  FIRN_TRY(firn_record_mark(&r->record, name));
  if (stat(r->path, &info) == 0) r->event.bytes += (uint64_t)info.st_size;
  FIRN_TRY(write_series(r));
  return tell(r, i);
}

// ------------------------------------------------------------------------------------------ the way

static void gravity_at(const refinement *r, double time, double out[3]) {
  const double earth[3] = {0, -9.81, 0};
  memcpy(out, earth, sizeof earth);
  if (r->scene) firn_value_vec3_at(r->scene->root, "gravity", time, out);
}

static double length(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The step at a time, so that nothing crosses more than a cell; the way is placed for its middle.
static firn_status choose_step(refinement *r, firn_refine_way *way, double time,
                               firn_fine_step_def *step) {
  double left = way->time[1] - time, cell = r->fine->def.cell, most = r->def->dt_max;
  for (int tries = 0; tries < 64; tries++) {
    double n = ceil(left / most * (1 - 1e-9));
    if (n > STEPS_MOST) break;
    step->dt = left / n;
    gravity_at(r, time + step->dt / 2, step->gravity);
    firn_refine_way_place(way, time + step->dt / 2);
    double fastest = fmax(way->speed, r->fine->speed) + step->dt * length(step->gravity);
    if (step->dt * fastest <= cell) return FIRN_OK;
    most = fmin(0.9 * step->dt, 0.98 * cell / fastest);
  }
  return firn_fail(
      r->context, FIRN_ERROR_DOMAIN,
      "%s: snow moves at %g m/s at %g s, through more than %d cells of %g m in a frame",
      r->def->source, way->speed, time, (int)STEPS_MOST, cell);
}

static firn_status carry(refinement *r, firn_refine_way *way, firn_picture_bodies *bodies) {
  double time = way->time[0];
  while (way->time[1] - time > 1e-9 * (way->time[1] - way->time[0])) {
    firn_fine_step_def step = {
        .count = way->count, .position = way->position, .velocity = way->velocity};
    double begin = firn_seconds();
    FIRN_TRY(choose_step(r, way, time, &step));
    firn_picture_bodies_place(bodies, time + step.dt);
    FIRN_TRY(firn_fine_step_among(r->fine, &step, bodies->collider_count, bodies->collider));
    time += step.dt;
    r->event.updates += r->fine->count;
    r->event.moving += firn_seconds() - begin;
  }
  return FIRN_OK;
}

// From frame i - 1, which is done, to frame i.
static firn_status move(refinement *r, const firn_frame *from, const firn_refine_snow *to) {
  firn_refine_way way;
  firn_picture_bodies bodies;
  const firn_camera_def camera = firn_default_render_def().camera;
  FIRN_TRY(firn_refine_way_make(&r->snow, to, &way));
  firn_status status = firn_picture_bodies_of_frame(from, r->scene, r->snow.time, &camera, &bodies);
  if (status == FIRN_OK) {
    status = carry(r, &way, &bodies);
    firn_picture_bodies_free(&bodies);
  }
  firn_refine_way_free(&way);
  return status;
}

static bool same_ids(const firn_refine_snow *a, const firn_refine_snow *b) {
  return a->count == b->count && (!a->count || !memcmp(a->id, b->id, a->count * sizeof *a->id));
}

static firn_status next_frame(refinement *r, int i, const firn_frame *from, firn_frame *frame) {
  const char *path = source_path(r, i);
  firn_refine_snow snow;
  firn_refine_rows rows;
  FIRN_TRY(firn_refine_snow_read(frame, path, &snow));
  firn_status status = FIRN_OK;
  if (!(snow.time > r->snow.time))
    status = firn_fail(r->context, FIRN_ERROR_FORMAT, "%s is not later than the frame before",
                       path);
  if (!snow.numbered && snow.count != r->snow.count)
    status = firn_fail(r->context, FIRN_ERROR_FORMAT,
                       "%s has no field id, by which particles are found again, and another "
                       "number of them than the frame before; leave id in output.fields",
                       path);
  if (status == FIRN_OK) status = move(r, from, &snow);
  if (status == FIRN_OK) firn_fine_save(r->fine, r->rows.position, r->rows.velocity);
  bool same = same_ids(&r->snow, &snow);
  if (status == FIRN_OK && !same) {
    status = firn_refine_rows_make(r->def, &snow, &r->rows, &r->snow, &rows);
    if (status == FIRN_OK) {
      firn_refine_rows_free(&r->rows);
      r->rows = rows;
    }
  }
  firn_refine_snow_free(&r->snow);
  r->snow = snow;
  if (status != FIRN_OK) return status;
  status = write_frame(r, i, frame);
  // They go on as the file has them, so that a resume does the same.
  bool rounded = r->def->precision == 16 || sizeof(firn_real) != sizeof(float);
  if (status == FIRN_OK && (rounded || !same))
    status = firn_fine_load(r->fine, r->rows.count, r->rows.position, r->rows.velocity);
  return status;
}

// -------------------------------------------------------------------------------------- first frames

// Whether a frame has the number of its name; another took its place where it has not.
static bool has_number(refinement *r, int i, const firn_frame *frame) {
  if (frame->frame == number_at(r, i)) return true;
  firn_note(r->context, FIRN_LOG_WARNING, "%s holds frame %d; it is made again", r->path,
            frame->frame);
  return false;
}

// The last frame up to which all are there and whole; -1: none. Later ones are made again, where they were
// made with the same settings.
static firn_status find_last(refinement *r, int *out) {
  struct stat info;
  bool whole = true;
  *out = -1;
  for (int i = 0; i < r->count; i++) {
    firn_frame *frame;
    FIRN_TRY(fine_path(r, i));
    bool there = stat(r->path, &info) == 0;
    firn_status status = there ? firn_frame_open(r->context, r->path, &frame) : FIRN_OK;
    if (status == FIRN_ERROR_MEMORY) return status;
    if (status != FIRN_OK)
      firn_note(r->context, FIRN_LOG_WARNING, "%s; it is made again",
                firn_context_message(r->context));
    bool good = there && status == FIRN_OK, numbered = good && has_number(r, i, frame);
    whole = whole && numbered;
    if (whole) *out = i;
    if (numbered) status = firn_refine_settings_check(r->def, frame, source_path(r, i), r->path);
    if (good) firn_frame_close(frame);
    if (!numbered) continue;
    FIRN_TRY(status);
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------- what is there already

static bool choose_all(const void *user, const char *name) {
  (void)user;
  (void)name;
  return true;
}

// Removes what is replaced: all listed files, or the frames from frame i on; and lists what is to come.
static firn_status clear_from(refinement *r, int i) {
  char name[64];
  FIRN_TRY(firn_lock_check(r->context, r->folder, r->lock));
  if (r->def->overwrite) FIRN_TRY(firn_record_remove_all(&r->record, choose_all, NULL));
  for (; i < r->count; i++) {
    fine_name(r, i, name);
    FIRN_TRY(firn_record_remove(&r->record, name));
  }
  FIRN_TRY(firn_record_remove_parts(&r->record));
  FIRN_TRY(firn_record_settle(&r->record));
  FIRN_TRY(firn_record_add(&r->record, FIRN_SERIES_FRAMES));
  r->record.of_frame = number_at(r, 0);
  FIRN_TRY(firn_seal_sum(r->context, source_path(r, 0), &r->record.of_mark));
  return firn_record_write(&r->record);
}

// A frame that no list has, of a version of firn that wrote none: it is the refinement's if it says so itself.
static firn_status adopt_frame(refinement *r, int number, const char *name) {
  firn_frame *frame;
  char from[FIRN_PATH_SIZE];
  FIRN_TRY(firn_path_format(r->context, r->path, "%s/%s", r->folder, name));
  FIRN_TRY(
      firn_numbered_path(r->context, firn_folder_path(r->source), FIRN_FRAME_PREFIX, number, from));
  firn_status status = firn_frame_open(r->context, r->path, &frame);
  if (status == FIRN_ERROR_MEMORY) return status;
  if (status == FIRN_OK) {
    status = firn_refine_source_check(frame, from, r->path);
    firn_frame_close(frame);
  }
  if (status == FIRN_OK) return firn_record_add(&r->record, name);
  char message[FIRN_MESSAGE_SIZE];
  memcpy(message, firn_context_message(r->context), sizeof message);
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%.700s; no list says that firn refine has written it, so it is neither removed "
                   "nor replaced: choose another folder, or remove it yourself",
                   message);
}

// A list that is not whole is written again where a resume finds frames, which say themselves what
// they are. Anywhere else it may be another program's file.
static firn_status check_list(const refinement *r, size_t frames) {
  if (r->record.state != FIRN_RECORD_BROKEN || (r->def->resume && frames)) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s/" FIRN_RECORD_FILE " is not a whole list of the files of a refinement, so "
                   "firn cannot tell which files there are its own: %s",
                   r->folder,
                   frames ? "--resume checks the frames and lists them again"
                          : "move it away, or choose another folder");
}

// Every frame of the folder, and the list of frames, must be the refinement's own.
static firn_status check_strangers(refinement *r, const int *number, size_t count) {
  for (size_t i = 0; i < count; i++) {
    char name[64];
    bool owns;
    snprintf(name, sizeof name, FIRN_FRAME_PREFIX "%05d.hdf", number[i]);
    FIRN_TRY(firn_record_owns(&r->record, name, &owns));
    if (!owns) FIRN_TRY(adopt_frame(r, number[i], name));
  }
  for (int i = 0; i < r->count; i++) {
    char name[64], part[80];
    fine_name(r, i, name);
    snprintf(part, sizeof part, "%s" FIRN_PART_SUFFIX, name);
    if (!firn_record_find(&r->record, name)) FIRN_TRY(firn_record_check_name(&r->record, part, ""));
  }
  bool listed = firn_record_find(&r->record, FIRN_SERIES_FRAMES) != NULL;
  return listed || count ? FIRN_OK : firn_record_check_name(&r->record, FIRN_SERIES_FRAMES, "");
}

// Sets up what is there after frame i: seeds, or what a file holds. Old frames go once all is known to be good.
static firn_status begin_at(refinement *r, int i, bool there, firn_frame *frame) {
  const char *path = source_path(r, i);
  firn_fine_def def = firn_default_fine_def();
  def.cell = 2 * frame->spacing;
  def.mode = r->def->mode;
  def.density = r->def->density;
  FIRN_TRY(firn_refine_snow_read(frame, path, &r->snow));
  FIRN_TRY(firn_fine_create(r->context, &def, &r->fine));
  FIRN_TRY(firn_refine_rows_make(r->def, &r->snow, NULL, NULL, &r->rows));
  if (there) {
    firn_frame *fine;
    FIRN_TRY(fine_path(r, i));
    FIRN_TRY(firn_frame_open(r->context, r->path, &fine));
    firn_status status = firn_refine_rows_read(&r->rows, fine, r->path);
    firn_frame_close(fine);
    FIRN_TRY(status);
  }
  FIRN_TRY(clear_from(r, there ? i + 1 : i));
  if (!there) FIRN_TRY(write_frame(r, i, frame));
  return firn_fine_load(r->fine, r->rows.count, r->rows.position, r->rows.velocity);
}

// Not the folder of a run, whose frames would be replaced.
static firn_status check_folder(refinement *r) {
  static const char *const own[] = {"scene.yaml", "stats.csv"};
  struct stat here, info;
  int *numbers;
  size_t count;
  if (stat(r->folder, &here) == 0 && stat(firn_folder_path(r->source), &info) == 0 &&
      here.st_dev == info.st_dev && here.st_ino == info.st_ino)
    return firn_fail(r->context, FIRN_ERROR_STATE,
                     "%s holds the frames that are to be refined; give -o another folder, or leave "
                     "it out",
                     r->folder);
  FIRN_TRY(firn_numbered_list(r->context, r->folder, FIRN_CHECKPOINT_PREFIX, &numbers, &count));
  firn_free(r->context, numbers, count * sizeof *numbers);
  bool run = count > 0;
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    FIRN_TRY(firn_path_format(r->context, r->path, "%s/%s", r->folder, own[i]));
    run = run || lstat(r->path, &info) == 0;
  }
  if (!run) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s is the folder of a run (it holds scene.yaml, stats.csv or checkpoints), and "
                   "fine particles would take the place of its frames; give -o another folder",
                   r->folder);
}

// In the folder of a run, fine/ is a folder of its own: what a link leads to is something else's.
static firn_status check_link(refinement *r) {
  struct stat info;
  if (r->def->folder || lstat(r->folder, &info) || !S_ISLNK(info.st_mode)) return FIRN_OK;
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s is a link, and fine particles are not written behind it: remove it, or give "
                   "-o with the folder that it leads to",
                   r->folder);
}

// The folder to write into, held; *last is the last frame that it has, to go on from.
static firn_status take_folder(refinement *r, int *last) {
  const firn_refine_def *d = r->def;
  if (d->folder)
    FIRN_TRY(firn_path_format(r->context, r->folder, "%s", d->folder));
  else
    FIRN_TRY(firn_path_format(r->context, r->folder, "%s/" FIRN_FINE_FOLDER,
                              firn_folder_path(r->source)));
  FIRN_TRY(check_link(r));
  FIRN_TRY(firn_folder_make(r->context, r->folder));
  FIRN_TRY(check_folder(r));
  FIRN_TRY(firn_lock_take(r->context, r->folder, &r->lock));
  FIRN_TRY(firn_record_read(r->context, r->folder, "refine", &r->record));
  int *numbers;
  size_t count;
  FIRN_TRY(firn_numbered_list(r->context, r->folder, FIRN_FRAME_PREFIX, &numbers, &count));
  firn_status status = check_list(r, count);
  if (status == FIRN_OK && (d->overwrite || d->resume || !count))
    status = check_strangers(r, numbers, count);
  firn_free(r->context, numbers, count * sizeof *numbers);
  *last = -1;
  if (status != FIRN_OK || !count || d->overwrite) return status;
  if (d->resume) return find_last(r, last);
  return firn_fail(r->context, FIRN_ERROR_STATE,
                   "%s holds %zu frames already; --resume goes on after those that are whole, "
                   "--overwrite takes them away first",
                   r->folder, count);
}

// All frames are there: what a killed process may have left undone is the list of frames, and that of files.
static firn_status mend_rest(refinement *r) {
  FIRN_TRY(clear_from(r, r->count));
  return write_series(r);
}

static firn_status run(refinement *r) {
  int last;
  firn_frame *from, *frame;
  FIRN_TRY(list_frames(r));
  FIRN_TRY(take_folder(r, &last));
  if (last == r->count - 1) return mend_rest(r);
  int first = last >= 0 ? last : 0;
  FIRN_TRY(open_frame(r, first, &from));
  firn_status status = begin_at(r, first, last >= 0, from);
  for (int i = first + 1; i < r->count && status == FIRN_OK; i++) {
    status = open_frame(r, i, &frame);
    if (status != FIRN_OK) break;
    status = next_frame(r, i, from, frame);
    firn_frame_close(from);
    from = frame;
  }
  firn_frame_close(from);
  return status == FIRN_OK ? firn_record_write(&r->record) : status; // with all marks
}

firn_status firn_refine(firn_context *context, const firn_scene *scene,
                        const firn_refine_def *given) {
  if (!context || !given) return firn_fail_null(context, "firn_refine");
  FIRN_TAKE(context, refine_def, given, own);
  const firn_refine_def *def = &own;
  FIRN_TRY(check(context, def));
  refinement *r = firn_alloc_zero(context, sizeof *r, "a refinement");
  if (!r) return FIRN_ERROR_MEMORY;
  *r = (refinement){.context = context,
                    .scene = scene,
                    .def = def,
                    .lock = -1,
                    .snow.context = context,
                    .rows.context = context,
                    .began = firn_seconds()};
  firn_status status = run(r);
  firn_fine_destroy(r->fine);
  firn_refine_rows_free(&r->rows);
  firn_refine_snow_free(&r->snow);
  firn_folder_close(r->source);
  firn_record_free(&r->record);
  if (r->lock >= 0) close(r->lock);
  firn_free(context, r, sizeof *r);
  return status;
}
