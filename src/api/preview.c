// SPDX-License-Identifier: Apache-2.0
// A quick picture of a simulation.
#include <math.h>
#include <string.h>

#include "api/picture.h"
#include "base/memory.h"
#include "render/png.h"
#include "render/preview.h"
#include "world/collider.h"

firn_preview_def firn_default_preview_def(void) {
  return (firn_preview_def){
      .width = 960, .height = 540, .view = {-0.35, -0.3, -1}, .show_ground = true};
}

// Edge of the cube that a particle fills at rest, on average; half a cell when there are none.
// Rest volumes are not known before the first step, but then snow is at its rest density.
static firn_status mean_spacing(firn_sim *sim, double *scratch, double *spacing) {
  size_t count = firn_sim_count(sim), n = 0;
  double *volume = scratch, *mass = scratch + count, *density = scratch + 2 * count, sum = 0;
  FIRN_TRY(firn_sim_read(sim, "volume", volume));
  FIRN_TRY(firn_sim_read(sim, "mass", mass));
  FIRN_TRY(firn_sim_read(sim, "density", density));
  for (size_t i = 0; i < count; i++) {
    double v = volume[i] > 0 ? volume[i] : mass[i] / density[i];
    if (!(v > 0) || !isfinite(v)) continue;
    sum += v;
    n++;
  }
  *spacing = n ? cbrt(sum / (double)n) : firn_sim_h(sim) / 2;
  return FIRN_OK;
}

// The parts of colliders that are drawn: those that have bounds, and those that fill a half space.
typedef struct bodies {
  const firn_part **part; // [solids.count]
  double (*bound)[4];     // [solids.count]
  double (*plane)[4];     // [solids.plane_count]
  size_t room;
  double time; // s
  firn_solids solids;
} bodies;

static double body_distance(const void *user, int body, const double position[3],
                            double normal[3]) {
  const bodies *b = user;
  const firn_part *part = b->part[body];
  return firn_part_sample(part, &part->pose, b->time, position, normal, NULL);
}

static firn_status collect_bodies(firn_sim *sim, const double center[3], bodies *b) {
  firn_world *world = &sim->world;
  firn_world_prepare(world, world->time);
  for (int i = 0; i < world->collider_count; i++) b->room += (size_t)world->collider[i].part_count;
  b->part = firn_alloc(world->context, b->room * sizeof *b->part, "bodies of a picture");
  b->bound = firn_alloc(world->context, b->room * sizeof *b->bound, "bodies of a picture");
  b->plane = firn_alloc(world->context, b->room * sizeof *b->plane, "bodies of a picture");
  if (b->room && (!b->part || !b->bound || !b->plane)) return FIRN_ERROR_MEMORY;
  int count = 0, planes = 0;
  for (int i = 0; i < world->collider_count; i++) {
    const firn_collider *collider = &world->collider[i];
    for (int k = 0; k < collider->part_count; k++) {
      const firn_part *part = &collider->part[k];
      if (!(part->radius > 0)) continue; // a bare joint
      if (!isfinite(part->radius)) {
        planes += firn_part_plane(part, world->time, center, b->plane[planes]);
        continue;
      }
      b->part[count] = part;
      memcpy(b->bound[count], part->middle, sizeof part->middle);
      b->bound[count++][3] = part->radius;
    }
  }
  b->time = world->time;
  b->solids = (firn_solids){.count = count,
                            .bound = (const double(*)[4])b->bound,
                            .distance = body_distance,
                            .user = b,
                            .plane_count = planes,
                            .plane = (const double(*)[4])b->plane};
  firn_wall_site site = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
  firn_picture_snow_of_world(world, &site);
  b->solids.has_snow = site.low[0] <= site.high[0];
  memcpy(b->solids.low, site.low, sizeof site.low);
  memcpy(b->solids.high, site.high, sizeof site.high);
  return FIRN_OK;
}

static void free_bodies(firn_context *context, bodies *b) {
  firn_free(context, b->part, b->room * sizeof *b->part);
  firn_free(context, b->bound, b->room * sizeof *b->bound);
  firn_free(context, b->plane, b->room * sizeof *b->plane);
}

firn_status firn_sim_preview(firn_sim *sim, const firn_preview_def *def, const char *png_path) {
  if (!sim || !def || !png_path) return FIRN_ERROR_ARGUMENT;
  firn_context *context = sim->world.context;
  FIRN_TRY(firn_preview_check(context, def));
  size_t count = firn_sim_count(sim);
  size_t size = (3 * count + 1) * sizeof(double);
  size_t pixels = 3 * (size_t)def->width * (size_t)def->height;
  double spacing = 0, *position = firn_alloc(context, size, "positions of a picture");
  uint8_t *rgb = position ? firn_alloc(context, pixels, "a picture") : NULL;
  firn_status status = rgb ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = mean_spacing(sim, position, &spacing);
  if (status == FIRN_OK) status = firn_sim_read(sim, "position", position);
  bodies seen = {0};
  if (status == FIRN_OK) status = collect_bodies(sim, def->center, &seen);
  if (status == FIRN_OK) {
    status = firn_preview_render(context, def, count, position, spacing, &seen.solids, rgb);
  }
  free_bodies(context, &seen);
  if (status == FIRN_OK) status = firn_png_write(context, png_path, def->width, def->height, rgb);
  firn_free(context, rgb, pixels);
  firn_free(context, position, size);
  return status;
}
