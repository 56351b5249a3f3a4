// SPDX-License-Identifier: Apache-2.0
// How long a frame takes to write, where no disk is waited for.
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

enum { FRAMES = 7, STEPS = 20 };

// 3M particles (a fourteenth of that when in a hurry) a few steps after they met the floor.
static firn_status run_frame(bench *b, const char *name) {
  char path[] = "/dev/shm/firn-bench-XXXXXX", file[sizeof path + 16];
  if (!mkdtemp(path)) {
    snprintf(path, sizeof path, "/tmp/firn-bench-XXXXXX");
    fprintf(stderr, "firn bench: %s: /dev/shm cannot be written to, a disk is measured too\n",
            name);
    if (!mkdtemp(path)) {
      perror("firn: /tmp");
      return FIRN_ERROR_IO;
    }
  }
  snprintf(file, sizeof file, "%s/frame.hdf", path);
  firn_context *context = cli_context(&b->options);
  if (!context) {
    rmdir(path);
    return FIRN_ERROR_UNSUPPORTED;
  }
  int edge = b->quick ? 30 : 72;
  const bench_block block = {.cells = {edge, edge, edge}, .h = 0.005, .gap = 1, .speed = 8};
  const firn_mpm_def mpm = bench_quadratic_apic();
  double seconds[FRAMES];
  firn_sim *sim = NULL;
  firn_status status = bench_build(context, &mpm, &block, &sim);
  for (int i = 0; status == FIRN_OK && i < STEPS; i++) status = firn_sim_step(sim, 0, NULL);
  for (int i = 0; status == FIRN_OK && i < FRAMES && !cli_interrupted(); i++) {
    double start = cli_seconds();
    status = firn_sim_write_frame(sim, file);
    seconds[i] = cli_seconds() - start;
  }
  if (status == FIRN_OK && !cli_interrupted()) {
    bench_result r = bench_result_begin(name, NULL, context);
    r.particles = (double)firn_sim_count(sim);
    r.seconds_per_frame = r.seconds = bench_median(seconds, FRAMES);
    r.frames = FRAMES;
    r.particles_per_second = r.particles / r.seconds;
    bench_print(b, &r);
  }
  unlink(file);
  rmdir(path);
  return bench_finish(context, sim, name, status);
}

const bench_case bench_cache[] = {
    {"cache/frame", "a frame of 3M particles written to memory", run_frame},
    {NULL, NULL, NULL},
};
