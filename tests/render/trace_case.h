// SPDX-License-Identifier: Apache-2.0
// Slabs of snow in plain light, looked at straight from above. What comes back from a sky that is 1
// above and 0 below is the slab's reflectance for light from straight above (reciprocity), and the
// other way round its transmittance. In a slab only optical depth counts, so it does not matter that
// density rises and falls over a voxel.
#ifndef FIRN_TESTS_RENDER_TRACE_CASE_H
#define FIRN_TESTS_RENDER_TRACE_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/isa.h"
#include "render/trace_private.h"

static const firn_isa trace_isas[] = {FIRN_ISA_SCALAR, FIRN_ISA_AVX2, FIRN_ISA_AVX512};
enum { TRACE_ISAS = 3 };

static inline firn_context *trace_context(firn_isa isa, int threads) {
  firn_context_def def = firn_default_context_def();
  def.isa = isa;
  def.threads = threads;
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

// For each instruction set that the machine has.
#define TRACE_FOR_ISAS(context)                                                                    \
  for (int isa_ = 0; isa_ < TRACE_ISAS; isa_++)                                                    \
    if (!firn_isa_available(trace_isas[isa_]))                                                     \
      printf("    %s is left out: this CPU has it not\n", firn_isa_name(trace_isas[isa_]));        \
    else                                                                                           \
      for (firn_context *context = trace_context(trace_isas[isa_], 2); context;                    \
           firn_context_destroy(context), context = NULL)

// A sky of one radiance above and one below.
typedef struct trace_sky {
  float up, down;
} trace_sky;
static inline firn_v3 trace_sky_at(const void *user, firn_v3 along) {
  const trace_sky *sky = user;
  float l = along.z > 0 ? sky->up : sky->down;
  return (firn_v3){l, l, l};
}

// A volume from nodes 1 m apart, [nodes[2]][nodes[1]][nodes[0]] in kg/m3; 0 outside of them. low is the
// place of the first, m from the stage's origin. One node of nothing is before it, so that density falls
// off within a cell there too.
static inline firn_volume *trace_volume(firn_context *context, const int nodes[3], firn_v3 low,
                                        const float *density) {
  int size[3];
  for (int a = 0; a < 3; a++) size[a] = (nodes[a] + FIRN_BLOCK) / FIRN_BLOCK;
  firn_volume *v = NULL;
  assert_int_equal(
      firn_volume_make(context, size, (firn_v3){low.x - 1, low.y - 1, low.z - 1}, 1, &v), FIRN_OK);
  float *sum = calloc(v->cells * 512, sizeof *sum);
  for (size_t i = 0; i < v->cells; i++) v->index[i] = (int32_t)i;
  for (int z = 0; z < nodes[2]; z++)
    for (int y = 0; y < nodes[1]; y++)
      for (int x = 0; x < nodes[0]; x++) {
        int X = x + 1, Y = y + 1, Z = z + 1;
        size_t slot = firn_volume_cell(v, X / 8, Y / 8, Z / 8);
        sum[slot * 512 + (size_t)((Z % 8 * 8 + Y % 8) * 8 + X % 8)] =
            density[((size_t)z * (size_t)nodes[1] + (size_t)y) * (size_t)nodes[0] + (size_t)x];
      }
  assert_int_equal(firn_volume_finish(v, v->cells, sum, NULL), FIRN_OK);
  free(sum);
  return v;
}

// side x side nodes of `layers` layers whose optical depth along z is depth: sigma_t = density, and a
// voxel is 1 m. column(layer) is what each layer has of it; NULL: all the same.
static inline firn_volume *trace_slab(firn_context *context, int side, int layers, float depth,
                                      const float *column) {
  const int nodes[3] = {side, side, layers};
  float *density = malloc((size_t)(side * side * layers) * sizeof *density);
  for (int z = 0; z < layers; z++)
    for (int i = 0; i < side * side; i++)
      density[z * side * side + i] = depth * (column ? column[z] : 1.0f / (float)layers);
  float half = 0.5f * (float)side;
  firn_volume *volume = trace_volume(context, nodes, (firn_v3){-half, -half, 0}, density);
  free(density);
  return volume;
}

// Looks down the z axis from 100 m above, into one point.
static inline firn_camera trace_camera(int width, int height) {
  firn_camera_pose pose = {{0, 0, 100}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
  return (firn_camera){.open = pose,
                       .shut = pose,
                       .half_height = 1e-4f,
                       .focus = 100,
                       .width = width,
                       .height = height};
}

typedef struct trace_result {
  double mean[3], error[3]; // and standard error of the mean
  firn_trace_stats stats;
} trace_result;

// The mean over a small picture.
static inline trace_result trace_mean(firn_context *context, const firn_volume *volume,
                                      firn_medium medium, const firn_light_table *lights,
                                      firn_trace_def def) {
  enum { W = 16, H = 16 };
  firn_camera camera = trace_camera(W, H);
  firn_studio studio = {.volume = volume, .medium = medium, .camera = &camera};
  firn_film film;
  trace_result r = {0};
  assert_int_equal(firn_film_create(context, W, H, false, &film), FIRN_OK);
  assert_int_equal(firn_trace_with(context, &studio, lights, &def, &film, &r.stats), FIRN_OK);
  for (int i = 0; i < W * H; i++) {
    const float l[3] = {film.light[i].x, film.light[i].y, film.light[i].z};
    const float v[3] = {film.variance[i].x, film.variance[i].y, film.variance[i].z};
    for (int c = 0; c < 3; c++) {
      r.mean[c] += (double)l[c] / (W * H);
      r.error[c] += (double)v[c];
    }
  }
  for (int c = 0; c < 3; c++) r.error[c] = sqrt(r.error[c]) / (W * H);
  firn_film_free(context, &film);
  assert_int_equal(r.stats.not_finite, 0);
  return r;
}

static inline firn_medium trace_medium(float r, float g, float b, float hg) {
  return (firn_medium){.extinction = 1, .albedo = {r, g, b}, .g = hg};
}

// Three standard errors, and what the expected value itself is uncertain by.
static inline void assert_near(const char *what, double value, double error, double expected,
                               double uncertain) {
  double most = 3 * error + uncertain;
  if (!(fabs(value - expected) <= most))
    fail_msg("%s: %.5f, not %.5f within %.5f (3 sigma %.5f)", what, value, expected, most,
             3 * error);
}

#endif
