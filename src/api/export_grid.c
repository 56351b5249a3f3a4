// SPDX-License-Identifier: Apache-2.0
// A frame as OpenVDB grids. The density is the renderer's own, so that the snow looks the same in other
// programs; what moves while the shutter is open is theirs to blur, by the velocity.
#include <math.h>
#include <string.h>

#include "api/export.h"
#include "api/picture.h"
#include "cache/export_volume.h"

enum { FINEST = 32, COARSEST = 8 }; // voxels in a kernel, kernels in a voxel

typedef struct grid {
  const firn_volume *volume;
  int32_t offset[3]; // cells from the origin to the stage's
} grid;

static bool cell_of(const void *user, size_t cell, int32_t at[3], float density[512],
                    float velocity[512][3]) {
  const grid *g = user;
  if (!firn_volume_nodes(g->volume, cell, at, density, velocity)) return false;
  for (int a = 0; a < 3; a++) at[a] += g->offset[a];
  return true;
}

firn_status firn_export_grid_check(firn_context *context, const firn_export_def *def) {
  if (!def->velocity || !*def->velocity || strcmp(def->velocity, "density") == 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "export: the grid of velocities is called '%s': it needs a name of its own",
                     def->velocity ? def->velocity : "");
  }
  return firn_picture_check_snow(context, "export", &def->snow);
}

static firn_status check_voxel(const firn_picture_points *points, const firn_snow_look_def *snow) {
  double voxel = firn_picture_voxel(points, snow), low = firn_picture_kernel(points, snow) / FINEST,
         high = COARSEST * points->kernel;
  if (voxel >= low && voxel <= high) return FIRN_OK;
  return firn_fail(points->context, FIRN_ERROR_ARGUMENT,
                   "export: cell is %g m, must be %g to %g m for the kernels of this snow", voxel,
                   low, high);
}

// The stage is close to the snow, where floats are fine, and a whole number of cells from the origin, so
// that voxels of all frames lie on one lattice.
static firn_status place(const firn_picture_points *points, double voxel, grid *g,
                         double origin[3]) {
  for (int a = 0; a < 3; a++) {
    double cells = round(0.5 * (points->low[a] + points->high[a]) / (8 * voxel));
    if (!(fabs(cells) < 1e8))
      return firn_fail(points->context, FIRN_ERROR_DOMAIN,
                       "export: snow at %g m is too far from the origin for voxels of %g m",
                       points->low[a], voxel);
    g->offset[a] = (int32_t)cells;
    origin[a] = cells * 8 * voxel;
  }
  return FIRN_OK;
}

static firn_status write(const firn_frame *frame, const firn_export_def *def,
                         const firn_picture_points *points, double rest_density, const char *path,
                         size_t *voxels, uint64_t *bytes) {
  firn_snow_look_def snow = def->snow;
  firn_volume *volume = NULL;
  grid g = {.volume = NULL};
  double origin[3];
  if (def->cell > 0) snow.voxel = def->cell;
  FIRN_TRY(check_voxel(points, &snow));
  if (points->any) {
    FIRN_TRY(place(points, firn_picture_voxel(points, &snow), &g, origin));
    FIRN_TRY(firn_picture_volume(points, &snow, 0, origin, &volume));
    size_t skipped = firn_volume_skipped(volume);
    if (skipped)
      firn_note(frame->context, FIRN_LOG_WARNING,
                "export: %zu of %zu particles are left out of %s: they have no finite place or "
                "mass, or lie too far from the others",
                skipped, points->count, path);
  }
  g.volume = volume;
  const firn_vdb_def vdb = {.voxel = firn_picture_voxel(points, &snow),
                            .time = frame->time,
                            .frame = frame->frame,
                            .count = volume ? firn_volume_cells(volume) : 0,
                            .cell = cell_of,
                            .user = &g,
                            .rest_density = rest_density,
                            .z_up = def->z_up,
                            .velocity_name = points->velocity ? def->velocity : NULL,
                            .version = firn_version()};
  firn_status status = firn_export_vdb(frame->context, &vdb, path, voxels, bytes);
  firn_volume_free(volume);
  return status;
}

firn_status firn_export_grid(firn_frame *frame, const firn_export_def *def, double rest_density,
                             const char *path, size_t *voxels, uint64_t *bytes) {
  firn_picture_points points;
  firn_picture_source source = firn_picture_of_frame(frame);
  unsigned wants = FIRN_PICTURE_MASS | FIRN_PICTURE_SIZE | FIRN_PICTURE_VELOCITY | FIRN_PICTURE_ID;
  FIRN_TRY(firn_picture_points_read(&source, wants, &points));
  firn_status status = write(frame, def, &points, rest_density, path, voxels, bytes);
  firn_picture_points_free(&points);
  return status;
}
