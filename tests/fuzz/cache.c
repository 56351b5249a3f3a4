// SPDX-License-Identifier: Apache-2.0
// Any file is a frame, a checkpoint or an error.
#define _GNU_SOURCE // memfd_create
#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

// A few particles, as the checkpoint among the seeds has them.
static firn_sim *small_sim(firn_context *context, bool filled) {
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.1;
  firn_sim *sim = NULL;
  if (firn_sim_create(context, &def, &sim) != FIRN_OK) return NULL;
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  const double center[3] = {0, 1, 0}, half[3] = {0.1, 0.1, 0.1};
  fill.shape = firn_box(center, half);
  fill.seeding = FIRN_SEEDING_LATTICE;
  bool good = firn_sim_add_material(sim, &material, &fill.material) == FIRN_OK;
  if (filled) good = good && firn_sim_fill(sim, &fill) == FIRN_OK;
  if (good) return sim;
  firn_sim_destroy(sim);
  return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  const char *folder = getenv("FIRN_FUZZ_SEEDS");
  if (!folder) return 0;
  firn_context *context = fuzz_context();
  firn_sim *sim = small_sim(context, true);
  char path[300];
  FUZZ_MUST(sim);
  snprintf(path, sizeof path, "%s/frame.hdf", folder);
  FUZZ_MUST(firn_sim_write_frame(sim, path) == FIRN_OK);
  snprintf(path, sizeof path, "%s/checkpoint.hdf", folder);
  FUZZ_MUST(firn_sim_save(sim, path) == FIRN_OK);
  firn_sim_destroy(sim);
  fuzz_done(context);
  return 0;
}

static void read_frame(firn_context *context, const char *path) {
  firn_frame *frame = NULL;
  if (firn_frame_open(context, path, &frame) != FIRN_OK) {
    FUZZ_MUST(firn_context_message(context)[0]);
    return;
  }
  size_t count = firn_frame_count(frame);
  for (int i = 0; i < firn_frame_field_count(frame); i++) {
    firn_field_info info;
    FUZZ_MUST(firn_frame_field_at(frame, i, &info) == FIRN_OK);
    if (count > 100000 || info.components > 100) continue;
    double *values = malloc(sizeof *values * (count + 1) * (size_t)info.components);
    FUZZ_MUST(values);
    (void)firn_frame_read_double(frame, info.name, values);
    free(values);
  }
  firn_frame_close(frame);
}

static void load_checkpoint(firn_context *context, const char *path) {
  firn_sim *sim = small_sim(context, false);
  if (!sim) return;
  if (firn_sim_load(sim, path) != FIRN_OK) FUZZ_MUST(firn_context_message(context)[0]);
  firn_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int file = memfd_create("fuzz", 0);
  FUZZ_MUST(file >= 0 && write(file, data, size) == (ssize_t)size);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  firn_context *context = fuzz_context();
  read_frame(context, path);
  load_checkpoint(context, path);
  fuzz_done(context);
  close(file);
  return 0;
}
