// SPDX-License-Identifier: Apache-2.0
// firn_export: frame by frame through one of the writers of cache/export_*.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/export.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/memory.h"
#include "base/order.h"
#include "cache/export_points.h"
#include "cache/export_surface.h"
#include "cache/export_volume.h"
#include "cache/folder.h"
#include "cache/record.h"
#include "cache/series.h"

static const struct format {
  const char *name, *doc;
} formats[FIRN_EXPORT_FORMAT_COUNT] = {
    [FIRN_EXPORT_VTP] = {"vtp", "particles for ParaView, with a .series file for their times"},
    [FIRN_EXPORT_PLY] = {"ply", "particles, or a surface, for Blender, MeshLab, CloudCompare"},
    [FIRN_EXPORT_BGEO] = {"bgeo", "particles for Houdini"},
    [FIRN_EXPORT_CSV] = {"csv", "particles as text for everything else"},
    [FIRN_EXPORT_VDB] = {"vdb", "density and velocity grids for Blender and Houdini"},
    [FIRN_EXPORT_OBJ] = {"obj", "a surface for every program that reads meshes"},
};

static bool is_format(firn_export_format format) {
  return (int)format >= 0 && format < FIRN_EXPORT_FORMAT_COUNT;
}

const char *firn_export_format_name(firn_export_format format) {
  return is_format(format) ? formats[format].name : NULL;
}

const char *firn_export_format_doc(firn_export_format format) {
  return is_format(format) ? formats[format].doc : NULL;
}

bool firn_export_format_available(firn_export_format format) {
  return is_format(format) && (format != FIRN_EXPORT_VDB || firn_export_vdb_available());
}

FIRN_DEFAULTS(export_def) {
  firn_export_def def = {
      .last_frame = -1, .level = 0.5, .smooth = 5, .spray = 1, .velocity = "velocity"};
  def.snow = firn_default_render_def().snow;
  return def;
}

#define SERIES "frames.vtp.series"

typedef struct export {
  firn_context *context;
  const firn_export_def *def;
  firn_folder *frames;         // to write, once they are selected
  char folder[FIRN_PATH_SIZE]; // to write into
  size_t count;
  double density; // kg/m^3, of undisturbed snow
  double *time;   // s, [count]
  size_t done;
  uint64_t bytes;
  double begin;       // on the clock
  firn_record record; // of the folder: what earlier exports have written there
  bool series;        // frames.vtp.series will be written
  bool listed;        // the names of this one are in it
}
export;

static bool wants_surface(const firn_export_def *def) {
  return def->format == FIRN_EXPORT_OBJ || (def->format == FIRN_EXPORT_PLY && def->surface);
}

static bool wants_density(const firn_export_def *def) {
  return wants_surface(def) || def->format == FIRN_EXPORT_VDB;
}

static firn_status check(firn_context *context, const firn_export_def *d) {
  if (!d->source) return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: no folder is given");
  if (!is_format(d->format)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: format %d does not exist",
                     (int)d->format);
  }
  if (d->surface && !wants_surface(d)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: %s holds no surface; use obj or ply",
                     formats[d->format].name);
  }
  if (d->last_frame >= 0 && d->first_frame > d->last_frame) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: frame %d is after frame %d",
                     d->first_frame, d->last_frame);
  }
  if (!(isfinite(d->cell) && d->cell >= 0 && isfinite(d->density) && d->density >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "export: cell %g m and density %g kg/m^3 must be 0 or more", d->cell,
                     d->density);
  }
  if (wants_surface(d) && !(d->level > 0 && d->level < 100)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: level is %g, must be above 0",
                     d->level);
  }
  if (d->smooth < 0 || d->smooth > 1000) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: smooth is %d, must be 0 to 1000",
                     d->smooth);
  }
  if (!(d->spray >= 0 && d->spray <= 100)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "export: spray is %g, must be 0 to 100",
                     d->spray);
  }
  if (d->format == FIRN_EXPORT_VDB) FIRN_TRY(firn_export_grid_check(context, d));
  if (!firn_export_format_available(d->format)) {
    return firn_fail(context, FIRN_ERROR_UNSUPPORTED,
                     "export: this build of firn writes no %s: it was made without OpenVDB. "
                     "Install libopenvdb-dev, configure and build again",
                     formats[d->format].name);
  }
  return FIRN_OK;
}

// ----------------------------------------------------------------------------------- the density

// The median of a frame's densities; 0 when it has no particles or does not tell.
static firn_status median_density(firn_context *context, const char *path, double *out) {
  firn_frame *frame;
  *out = 0;
  FIRN_TRY(firn_frame_open(context, path, &frame));
  const firn_frame_field *field = firn_frame_find(frame, "density");
  size_t n = frame->count, bytes = n * sizeof(double);
  firn_status status = FIRN_OK;
  if (field && field->components == 1 && n) {
    double *value = firn_alloc(context, bytes, "densities");
    status = value ? firn_frame_read(frame, "density", 1, FIRN_ARCHIVE_F64, value)
                   : FIRN_ERROR_MEMORY;
    if (status == FIRN_OK) {
      qsort(value, n, sizeof *value, firn_order_doubles);
      *out = value[n / 2];
    }
    firn_free(context, value, value ? bytes : 0);
  }
  firn_frame_close(frame);
  return status;
}

// The same for all frames and for any range of them, or the surface would breathe: the first frame
// of the folder that has particles decides.
static firn_status find_density(export *e) {
  e->density = e->def->density;
  if (e->density > 0 || !wants_density(e->def)) return FIRN_OK;
  int count = firn_folder_count(e->frames, FIRN_FOLDER_FRAME);
  for (int i = 0; i < count && !(e->density > 0); i++) {
    const char *path = firn_folder_file(e->frames, FIRN_FOLDER_FRAME, i);
    firn_doing(e->context, 0, 0, "density of the snow in %s", path);
    FIRN_TRY(median_density(e->context, path, &e->density));
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- own files

// The name of a frame's file in the folder.
static firn_status name_frame(const export *e, size_t i, char name[FIRN_PATH_SIZE]) {
  const char *path = firn_folder_file(e->frames, FIRN_FOLDER_FRAME, (int)i);
  const char *slash = strrchr(path, '/'), *own = slash ? slash + 1 : path, *dot = strrchr(own, '.');
  int length = dot && dot != own ? (int)(dot - own) : (int)strlen(own);
  return firn_path_format(e->context, name, "%.*s.%s", length, own, formats[e->def->format].name);
}

static firn_status check_name(const export *e, const char *name) {
  char part[FIRN_PATH_SIZE], path[FIRN_PATH_SIZE];
  struct stat info;
  FIRN_TRY(firn_record_check_name(&e->record, name, ". Nothing was changed"));
  FIRN_TRY(firn_path_format(e->context, part, "%s" FIRN_PART_SUFFIX, name));
  FIRN_TRY(firn_path_format(e->context, path, "%s/%s", e->folder, part));
  if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) return FIRN_OK; // holds nothing itself
  return firn_record_check_name(&e->record, part, ". Nothing was changed");
}

// Every name that will be written is free, or that of a file which the list of the folder owns. A list
// of another kind, as that of a run, owns none of them.
static firn_status check_names(export *e) {
  char name[FIRN_PATH_SIZE];
  FIRN_TRY(firn_record_read(e->context, e->folder, "export", &e->record));
  for (size_t i = 0; i < e->count; i++) {
    FIRN_TRY(name_frame(e, i, name));
    FIRN_TRY(check_name(e, name));
  }
  return e->series ? check_name(e, SERIES) : FIRN_OK;
}

// Makes the folder and lists all names, now that there will be something in it.
static firn_status begin_folder(export *e) {
  char name[FIRN_PATH_SIZE];
  FIRN_TRY(firn_folder_make(e->context, e->folder));
  if (e->listed || e->record.state == FIRN_RECORD_BROKEN) return FIRN_OK;
  for (size_t i = 0; i < e->count; i++) {
    FIRN_TRY(name_frame(e, i, name));
    FIRN_TRY(firn_record_add(&e->record, name));
  }
  if (e->series) FIRN_TRY(firn_record_add(&e->record, SERIES));
  FIRN_TRY(firn_record_write(&e->record));
  e->listed = true;
  return FIRN_OK;
}

// The list with the marks of what is there, also after a failure; none without files.
static firn_status end_folder(export *e) {
  if (!e->listed) return FIRN_OK;
  FIRN_TRY(firn_record_settle(&e->record));
  // A file that has no mark could not be told from one of another program later.
  for (size_t i = 0; i < e->record.count; i++)
    if (!e->record.entry[i].marked) FIRN_TRY(firn_record_mark(&e->record, e->record.entry[i].name));
  return e->record.count ? firn_record_write(&e->record) : firn_record_unlink(&e->record);
}

// -------------------------------------------------------------------------------------- one frame

typedef struct result {
  char path[FIRN_PATH_SIZE];
  int frame; // < 0: it does not say
  double time;
  size_t particles;
  uint64_t bytes;
  size_t vertices, triangles;
} result;

static firn_status write_points(export *e, const firn_cloud *cloud, result *r) {
  firn_sink sink;
  firn_status status = FIRN_ERROR_ARGUMENT;
  FIRN_TRY(begin_folder(e));
  FIRN_TRY(firn_sink_open(e->context, r->path, &sink));
  switch (e->def->format) {
  case FIRN_EXPORT_VTP: status = firn_export_vtp(cloud, &sink); break;
  case FIRN_EXPORT_PLY: status = firn_export_ply(cloud, &sink); break;
  case FIRN_EXPORT_BGEO: status = firn_export_bgeo(cloud, &sink); break;
  default: status = firn_export_csv(cloud, &sink);
  }
  if (status != FIRN_OK) {
    firn_sink_drop(&sink);
    return status;
  }
  r->vertices = cloud->count;
  r->bytes = sink.bytes;
  return firn_sink_commit(&sink);
}

static firn_status write_surface(const export *e, const firn_cloud *cloud,
                                 const firn_raster *raster, result *r) {
  double density = e->density > 0 ? e->density : 1; // no particles, no surface
  double level = e->def->level * density;
  firn_surface surface;
  firn_sink sink;
  FIRN_TRY(firn_surface_build(raster, level, e->def->smooth, &surface));
  firn_status status = firn_surface_add_spray(&surface, cloud, raster, level, density,
                                              e->def->spray);
  if (status == FIRN_OK) status = firn_sink_open(e->context, r->path, &sink);
  if (status == FIRN_OK) {
    if (e->def->format == FIRN_EXPORT_OBJ)
      firn_export_surface_obj(&surface, &sink);
    else
      firn_export_surface_ply(&surface, &sink);
    r->vertices = surface.vertex_count;
    r->triangles = surface.triangle_count;
    r->bytes = sink.bytes;
    status = firn_sink_commit(&sink);
  }
  firn_surface_free(&surface);
  return status;
}

static firn_status check_density(const export *e, size_t particles) {
  if (!particles || e->density > 0) return FIRN_OK;
  return firn_fail(e->context, FIRN_ERROR_ARGUMENT,
                   "%s does not tell the density of the snow; give it", e->def->source);
}

static firn_status write_mesh(export *e, const firn_cloud *cloud, result *r) {
  const firn_export_def *d = e->def;
  double h = cloud->h > 0 ? cloud->h : d->cell, cell = d->cell > 0 ? d->cell : 0.5 * h;
  if (!(h > 0)) {
    return firn_fail(e->context, FIRN_ERROR_ARGUMENT,
                     "%s does not tell its grid spacing; give the cell of the grid", d->source);
  }
  if (cell < 0.25 * h || cell > 8 * h) {
    return firn_fail(e->context, FIRN_ERROR_ARGUMENT,
                     "export: cell is %g m, must be h/4 to 8 h, %g to %g m", cell, 0.25 * h, 8 * h);
  }
  FIRN_TRY(check_density(e, cloud->count));
  bool momentum = d->format == FIRN_EXPORT_PLY && firn_cloud_find(cloud, "velocity");
  FIRN_TRY(begin_folder(e));
  firn_raster raster;
  FIRN_TRY(firn_raster_build(cloud, h, cell, momentum, &raster));
  firn_status status = write_surface(e, cloud, &raster, r);
  firn_raster_free(&raster);
  return status;
}

static firn_status write_cloud(export *e, const char *path, result *r) {
  const firn_export_def *d = e->def;
  firn_cloud cloud;
  const char *fields = d->fields;
  if (wants_surface(d)) {
    bool velocity = d->format == FIRN_EXPORT_PLY && (!fields || strstr(fields, "velocity"));
    fields = velocity ? "mass,?velocity" : "mass";
  }
  FIRN_TRY(firn_cloud_load(e->context, path, fields, d->z_up, &cloud));
  r->particles = cloud.count;
  r->frame = cloud.frame;
  r->time = cloud.time;
  firn_status status = wants_surface(d) ? write_mesh(e, &cloud, r) : write_points(e, &cloud, r);
  firn_cloud_free(&cloud);
  return status;
}

static firn_status write_grid(export *e, const char *path, result *r) {
  firn_frame *frame;
  FIRN_TRY(firn_frame_open(e->context, path, &frame));
  r->particles = frame->count;
  r->frame = frame->frame;
  r->time = frame->time;
  firn_status status = check_density(e, frame->count);
  if (status == FIRN_OK) status = begin_folder(e);
  if (status == FIRN_OK)
    status = firn_export_grid(frame, e->def, e->density > 0 ? e->density : 1, r->path, &r->vertices,
                              &r->bytes);
  firn_frame_close(frame);
  return status;
}

static firn_status write_frame(export *e, size_t i) {
  const firn_export_def *d = e->def;
  const char *path = firn_folder_file(e->frames, FIRN_FOLDER_FRAME, (int)i);
  char name[FIRN_PATH_SIZE];
  result r = {.bytes = 0};
  FIRN_TRY(name_frame(e, i, name));
  FIRN_TRY(firn_path_format(e->context, r.path, "%s/%s", e->folder, name));
  FIRN_TRY(d->format == FIRN_EXPORT_VDB ? write_grid(e, path, &r) : write_cloud(e, path, &r));
  int number = r.frame >= 0 ? r.frame : firn_folder_number(e->frames, FIRN_FOLDER_FRAME, (int)i);
  e->time[i] = isfinite(r.time) ? r.time : number;
  e->done++;
  e->bytes += r.bytes;
  const firn_export_event event = {.frame = number,
                                   .done = (int)e->done,
                                   .total = (int)e->count,
                                   .path = r.path,
                                   .particles = r.particles,
                                   .vertices = r.vertices,
                                   .triangles = r.triangles,
                                   .bytes = e->bytes,
                                   .wall = firn_seconds() - e->begin};
  if (d->event && !d->event(d->event_user, &event)) {
    return firn_fail(e->context, FIRN_CANCELLED, "export stopped after frame %d", number);
  }
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- all

static firn_status run(export *e) {
  const firn_export_def *d = e->def;
  struct stat info;
  bool single = stat(d->source, &info) == 0 && S_ISREG(info.st_mode);
  FIRN_TRY(firn_folder_open(e->context, d->source, &e->frames));
  if (d->folder)
    FIRN_TRY(firn_path_format(e->context, e->folder, "%s", d->folder));
  else
    FIRN_TRY(firn_path_format(e->context, e->folder, "%s/%s%s", firn_folder_path(e->frames),
                              formats[d->format].name, d->surface ? "-surface" : ""));
  FIRN_TRY(find_density(e));
  if (!single) FIRN_TRY(firn_folder_select(e->frames, d->first_frame, d->last_frame, 1));
  e->count = (size_t)firn_folder_count(e->frames, FIRN_FOLDER_FRAME);
  e->time = firn_alloc_zero(e->context, e->count * sizeof *e->time, "times of frames");
  if (!e->time) return FIRN_ERROR_MEMORY;
  e->series = d->format == FIRN_EXPORT_VTP && !single;
  firn_status status = check_names(e);
  for (size_t i = 0; i < e->count && status == FIRN_OK; i++) {
    firn_doing(e->context, i, e->count, "exporting frames");
    status = write_frame(e, i);
  }
  if (e->series && e->done && (status == FIRN_OK || status == FIRN_CANCELLED)) {
    // Those that are whole, also when the rest was not wanted any more.
    FIRN_TRY(firn_series_write(e->context, e->folder, formats[d->format].name, e->frames, e->done,
                               e->time));
  }
  return status;
}

firn_status firn_export(firn_context *context, const firn_export_def *given) {
  if (!context || !given) return firn_fail_null(context, "firn_export");
  FIRN_TAKE(context, export_def, given, own);
  const firn_export_def *def = &own;
  FIRN_TRY(check(context, def));
  export *e = firn_alloc_zero(context, sizeof *e, "an export");
  if (!e) return FIRN_ERROR_MEMORY;
  e->context = context;
  e->def = def;
  e->begin = firn_seconds();
  firn_status status = run(e), ended = end_folder(e);
  if (status == FIRN_OK) status = ended;
  firn_record_free(&e->record);
  firn_free(context, e->time, e->time ? e->count * sizeof *e->time : 0);
  firn_folder_close(e->frames);
  firn_free(context, e, sizeof *e);
  return status;
}
