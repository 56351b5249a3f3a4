// SPDX-License-Identifier: Apache-2.0
// The snow of a picture as a density.
#include <math.h>
#include <string.h>

#include "api/picture.h"
#include "base/def.h"

static bool is_share(double x) {
  return x >= 0 && x <= 1;
}

firn_status firn_picture_check_rooms(firn_context *context, const char *name, size_t count,
                                     const double *const *room) {
  enum { ROOM = sizeof((firn_camera_def *)0)->room / sizeof(double) }; // as those of all others
  for (size_t i = 0; i < count; i++) FIRN_TRY(firn_room_check(context, name, room[i], ROOM));
  return FIRN_OK;
}

firn_status firn_picture_check_snow(firn_context *context, const char *who,
                                    const firn_snow_look_def *snow) {
  FIRN_TRY(firn_picture_check_rooms(context, "firn_snow_look_def", 1,
                                    (const double *const[]){snow->room}));
  const struct {
    const char *name, *wanted;
    double value;
    bool good;
  } all[] = {
      {"extinction", "above 0 m2/kg", snow->extinction,
       snow->extinction > 0 && isfinite(snow->extinction)},
      {"g", "between -1 and 1", snow->g, fabs(snow->g) < 1},
      {"voxel", "0 m or more", snow->voxel, snow->voxel >= 0 && isfinite(snow->voxel)},
      {"kernel", "from 0 to 4", snow->kernel, snow->kernel >= 0 && snow->kernel <= 4},
      {"anisotropy", "from 0 to 1", snow->anisotropy, is_share(snow->anisotropy)},
      {"adapt", "from 0 to 1", snow->adapt, is_share(snow->adapt)},
      {"detail", "from 0 to 1", snow->detail, is_share(snow->detail)},
      {"similarity", "0 or more", snow->similarity, snow->similarity >= 0},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!all[i].good)
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: the look of snow: %s is %g; it must be %s", who, all[i].name,
                       all[i].value, all[i].wanted);
  if (!is_share(snow->albedo[0]) || !is_share(snow->albedo[1]) || !is_share(snow->albedo[2]))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: the look of snow: albedo (%g %g %g) must be from 0 to 1", who,
                     snow->albedo[0], snow->albedo[1], snow->albedo[2]);
  return FIRN_OK;
}

double firn_picture_kernel(const firn_picture_points *points, const firn_snow_look_def *snow) {
  return (snow->kernel > 0 ? snow->kernel : 1) * points->kernel;
}

double firn_picture_voxel(const firn_picture_points *points, const firn_snow_look_def *snow) {
  if (snow->voxel > 0) return snow->voxel;
  return fmin(0.5 * points->spacing, 0.35 * firn_picture_kernel(points, snow));
}

firn_status firn_picture_volume(const firn_picture_points *points, const firn_snow_look_def *snow,
                                double shutter, const double origin[3], firn_volume **out) {
  firn_volume_def def = {.count = points->count,
                         .position = points->position,
                         .velocity = points->velocity,
                         .mass = points->mass,
                         .size = points->size,
                         .voxel = firn_picture_voxel(points, snow),
                         .kernel = firn_picture_kernel(points, snow),
                         .shutter = shutter,
                         .anisotropy = snow->anisotropy,
                         .adapt = snow->adapt,
                         .spacing = points->spacing,
                         .detail = snow->detail,
                         .detail_size = points->spacing,
                         .id = points->id};
  memcpy(def.origin, origin, sizeof def.origin);
  return firn_volume_build(points->context, &def, out);
}
