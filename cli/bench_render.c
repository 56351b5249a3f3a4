// SPDX-License-Identifier: Apache-2.0
// How long pictures of a frame take: path traced, and at a glance.
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

enum { LOOKS = 7 };

static firn_status look(firn_context *context, const char *path, const firn_preview_def *def,
                        uint8_t *rgb, double *seconds) {
  double start = cli_seconds();
  firn_frame *frame;
  firn_status status = firn_frame_open(context, path, &frame);
  if (status != FIRN_OK) return status;
  status = firn_frame_preview_pixels(frame, NULL, def, rgb);
  firn_frame_close(frame);
  *seconds = cli_seconds() - start;
  return status;
}

// A block of snow of a million particles (an eighth of that when in a hurry), as it was laid down.
static firn_status write_block(const bench *b, firn_context *context, const char *path) {
  int edge = b->quick ? 25 : 50;
  bench_block block = {.cells = {edge, edge, edge}, .h = 0.02, .gap = 1};
  firn_mpm_def mpm = bench_quadratic_apic();
  firn_sim *sim;
  firn_status status = bench_build(context, &mpm, &block, &sim);
  if (status != FIRN_OK) return status;
  status = firn_sim_write_frame(sim, path);
  firn_sim_destroy(sim);
  return status;
}

// A file for the frame, and a context; false: there is none.
static firn_context *begin(const bench *b, char *path) {
  int fd = mkstemps(path, 4);
  if (fd < 0) {
    perror("firn: /tmp");
    return NULL;
  }
  close(fd);
  return cli_context(&b->options);
}

static bool goes_on(void *user, double done) {
  (void)user;
  (void)done;
  return !cli_interrupted();
}

// White snow in sun and sky, as many events as light takes.
static firn_status run_path(bench *b, const char *name) {
  static const char *const looks[] = {"white", "paper"};
  char path[] = "/tmp/firn-bench-XXXXXX.hdf";
  firn_context *context = begin(b, path);
  if (!context) return FIRN_ERROR_IO;
  firn_status status = write_block(b, context, path);
  for (int k = 0; status == FIRN_OK && k < 2; k++) {
    firn_frame *frame;
    firn_render_stats stats;
    firn_render_def def = firn_default_render_def();
    def.width = b->quick ? 240 : 480;
    def.height = b->quick ? 135 : 270;
    def.samples = b->quick ? 8 : 32;
    def.progress = goes_on;
    firn_snow_look_preset(looks[k], &def.snow);
    def.snow.anisotropy = def.snow.detail = 0; // the medium alone is measured
    status = firn_frame_open(context, path, &frame);
    if (status != FIRN_OK) break;
    status = firn_frame_render_pixels(frame, NULL, &def, NULL, NULL, &stats);
    firn_frame_close(frame);
    if (status != FIRN_OK) break;
    bench_result r = bench_result_begin(name, looks[k], context);
    r.particles = (double)stats.particles;
    r.seconds = stats.seconds;
    r.paths_per_second = (double)stats.paths / stats.seconds_trace;
    r.events_per_second = (double)stats.events / stats.seconds_trace;
    bench_print(b, &r);
  }
  unlink(path);
  return bench_finish(context, NULL, name, status);
}

static firn_status run_preview(bench *b, const char *name) {
  static const struct { const char *variant, *color; } ways[] = {{"lit", NULL}, {"speed", "speed"}};
  char path[] = "/tmp/firn-bench-XXXXXX.hdf";
  firn_context *context = begin(b, path);
  if (!context) return FIRN_ERROR_IO;
  firn_preview_def def = firn_default_preview_def();
  def.width = 640;
  def.height = 360;
  uint8_t *rgb = malloc(3 * (size_t)def.width * (size_t)def.height);
  firn_status status = rgb ? write_block(b, context, path) : FIRN_ERROR_MEMORY;
  for (size_t w = 0; status == FIRN_OK && w < sizeof ways / sizeof *ways; w++) {
    double seconds[LOOKS];
    def.color = ways[w].color;
    for (int i = 0; status == FIRN_OK && i < LOOKS && !cli_interrupted(); i++)
      status = look(context, path, &def, rgb, &seconds[i]);
    if (status != FIRN_OK || cli_interrupted()) break;
    bench_result r = bench_result_begin(name, ways[w].variant, context);
    r.particles = b->quick ? 125e3 : 1e6;
    r.seconds_per_frame = r.seconds = bench_median(seconds, LOOKS);
    r.frames = LOOKS;
    bench_print(b, &r);
  }
  free(rgb);
  unlink(path);
  return bench_finish(context, NULL, name, status);
}

const bench_case bench_render[] = {
    {"render/path", "a path-traced picture of a block of snow of a million particles", run_path},
    {"render/preview", "a quick picture of 640x360 of a million particles", run_preview},
    {NULL, NULL, NULL},
};
