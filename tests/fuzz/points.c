// SPDX-License-Identifier: Apache-2.0
// Any bytes are particles or an error. The last byte tells the format.
#include "fuzz/fuzz.h"

#include <unistd.h>

static const char *const names[] = {"csv", "ply"};

static const char plain[] = "# note\n0.1,0.2,0.3\n-1e-3, 0 ,12.5\r\n";
static const char headed[] = "id, mass ,vx,vy,vz,\"z\",y,x,name\n1,0.25,1,2,3,0.3,0.2,0.1,flake\n"
                             "2;1e-5;4;5;-600;12.5;0;-0.001;\n";
static const char ply[] =
    "ply\nformat ascii 1.0\ncomment c\nelement vertex 2\nproperty float x\nproperty float y\n"
    "property float z\nproperty double mass\nelement face 1\nproperty list uchar int "
    "vertex_indices\nend_header\n0 0 0 1\n1 0 0 0.5\n3 0 1 0\n";
static const char binary_ply[] =
    "ply\nformat binary_little_endian 1.0\nelement other 1\nproperty list uchar short n\n"
    "element vertex 2\nproperty double x\nproperty float y\nproperty float z\nproperty float vx\n"
    "property float vy\nproperty float vz\nend_header\n";

static char path[64]; // without its ending

static void remove_files(void) {
  for (int i = 0; i < 2; i++) {
    char name[80];
    snprintf(name, sizeof name, "%s.%s", path, names[i]);
    unlink(name);
  }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  snprintf(path, sizeof path, "/dev/shm/firn-fuzz-%ld", (long)getpid());
  atexit(remove_files);
  fuzz_seed("plain.csv", plain, sizeof plain - 1, "0");
  fuzz_seed("headed.csv", headed, sizeof headed - 1, "0");
  fuzz_seed("seed.ply", ply, sizeof ply - 1, "1");
  uint8_t bytes[sizeof binary_ply - 1 + 5 + 2 * 28] = {0};
  memcpy(bytes, binary_ply, sizeof binary_ply - 1);
  bytes[sizeof binary_ply - 1] = 2;
  bytes[sizeof bytes - 1] = 0x40;
  fuzz_seed("seed2.ply", bytes, sizeof bytes, "1");
  return 0;
}

// What was read is of use: it can be summed up, and stepped where there is little of it.
static void use(firn_context *context, firn_sim *sim) {
  firn_sums sums;
  FUZZ_MUST(firn_sim_sums(sim, &sums) == FIRN_OK);
  FUZZ_MUST(sums.mass > 0 && sums.center[0] == sums.center[0]);
  if (firn_sim_count(sim) > 20) return;
  if (firn_sim_step(sim, 1e-5, NULL) != FIRN_OK) FUZZ_MUST(firn_context_message(context)[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  char file_path[80];
  snprintf(file_path, sizeof file_path, "%s.%s", path, names[data[size - 1] & 1]);
  FILE *file = fopen(file_path, "wb");
  FUZZ_MUST(file && fwrite(data, 1, size - 1, file) == size - 1 && fclose(file) == 0);
  firn_context *context = fuzz_context();
  firn_sim_def with = firn_default_sim_def();
  with.h = 0.1;
  firn_sim *sim = NULL;
  firn_material_def material = firn_default_material_def();
  firn_points_def def = firn_default_points_def();
  def.path = file_path;
  def.scale = data[size - 1] & 16 ? 1e-3 : 1;
  FUZZ_MUST(firn_sim_create(context, &with, &sim) == FIRN_OK);
  FUZZ_MUST(firn_sim_add_material(sim, &material, &def.material) == FIRN_OK);
  firn_status status = firn_sim_add_points(sim, &def);
  if (status == FIRN_OK) {
    if (firn_sim_count(sim)) use(context, sim);
  } else {
    FUZZ_MUST(firn_context_message(context)[0] && firn_sim_count(sim) == 0);
  }
  firn_sim_destroy(sim);
  fuzz_done(context);
  return 0;
}
