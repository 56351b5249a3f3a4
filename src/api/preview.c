// SPDX-License-Identifier: Apache-2.0
// A quick picture of a simulation.
#include <math.h>

#include "api/sim.h"
#include "base/memory.h"
#include "render/png.h"
#include "render/preview.h"

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
  if (status == FIRN_OK) {
    status = firn_preview_render(context, def, count, position, spacing, NULL, rgb);
  }
  if (status == FIRN_OK) status = firn_png_write(context, png_path, def->width, def->height, rgb);
  firn_free(context, rgb, pixels);
  firn_free(context, position, size);
  return status;
}
