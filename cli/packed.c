// SPDX-License-Identifier: Apache-2.0
// How large packed frames become, which depends on what is in them: snow at rest packs better than it
// will in a run.
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "needs.h"

// Snow in motion.
static firn_status stir(firn_sim *sim) {
  size_t n = 3 * firn_sim_count(sim);
  double *velocity = malloc(n * sizeof *velocity);
  if (!velocity) return FIRN_ERROR_MEMORY;
  uint64_t state = 1;
  for (size_t i = 0; i < n; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    velocity[i] = (double)(state >> 40) * 0x1p-23 - 1;
  }
  firn_status status = firn_sim_write(sim, "velocity", velocity);
  free(velocity);
  return status == FIRN_OK ? firn_sim_step(sim, 1e-5, NULL) : status;
}

// Bytes of the frame of a cube of cells^3 cells with 8 particles each; nan where it cannot be written.
static double measure_cube(firn_context *context, int cells, const char *path,
                           const firn_output_def *output) {
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.01;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return NAN;
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  double half = 0.5 * cells * def.h;
  fill.shape = firn_box((double[3]){half, half, half}, (double[3]){half, half, half});
  fill.seeding = FIRN_SEEDING_JITTERED;
  fill.per_cell = 8;
  status = firn_sim_add_material(sim, &material, &fill.material);
  if (status == FIRN_OK) status = firn_sim_fill(sim, &fill);
  if (status == FIRN_OK) status = stir(sim);
  if (status == FIRN_OK) status = firn_sim_write_frame_as(sim, output, path);
  firn_sim_destroy(sim);
  struct stat info;
  double bytes = status == FIRN_OK && stat(path, &info) == 0 ? (double)info.st_size : NAN;
  unlink(path);
  return bytes;
}

// By a straight line through two small cases: right whatever the format becomes.
double cli_packed_bytes(firn_context *context, const firn_output_def *output, const char *folder,
                        double particles) {
  enum { SMALL = 4, LARGE = 12 };
  char path[4200];
  snprintf(path, sizeof path, "%s/packed.hdf", folder);
  double a = 8 * SMALL * SMALL * SMALL, b = 8 * LARGE * LARGE * LARGE;
  double small = measure_cube(context, SMALL, path, output);
  double large = measure_cube(context, LARGE, path, output);
  return small + (particles - a) / (b - a) * (large - small);
}
