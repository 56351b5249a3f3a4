// SPDX-License-Identifier: Apache-2.0
// What benchmark cases are built from: a block of snow that hits the floor, and timed windows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

firn_mpm_def bench_quadratic_apic(void) {
  firn_mpm_def mpm = firn_default_mpm_def();
  mpm.sleep = false; // a bench of what moves
  mpm.basis = FIRN_BASIS_QUADRATIC;
  mpm.transfer = FIRN_TRANSFER_APIC;
  mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  return mpm;
}

firn_mpm_def bench_cubic_flip(void) {
  firn_mpm_def mpm = firn_default_mpm_def();
  mpm.sleep = false; // a bench of what moves
  mpm.basis = FIRN_BASIS_CUBIC;
  mpm.transfer = FIRN_TRANSFER_FLIP;
  mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  return mpm;
}

// Floating-point operations (a fused one counts two) of the algorithm written out plainly, node by
// node, and bytes that must cross the memory bus when nothing but the caches' content is reused:
//
//   quadratic APIC   scatter 27 x (2 weight + 18 affine velocity + 8 mass and momentum)
//                    gather  27 x (2 weight + 6 velocity + 21 affine) + law and update 300
//                    read x v C b ln J_P m V id material, write the first five: 4 (24 + 20) + 2
//   cubic FLIP       scatter 64 x (8 weight and gradient + 8 + 18 force)
//                    gather  64 x (8 + 12 new and old velocity + 18 gradient) + 300
//                    as above without C
//
// Both add 16 bytes a node, written and read, at 8 particles a node.
bench_work bench_work_of(const firn_mpm_def *mpm) {
  double size = firn_precision()[0] == 'd' ? 8 : 4, grid = 2 * 4 * size / 8;
  bool apic = mpm->transfer == FIRN_TRANSFER_APIC;
  double nodes = mpm->basis == FIRN_BASIS_CUBIC ? 64 : 27;
  double state = (apic ? 22 : 13) * size; // x v b ln J_P, and C
  double flops = nodes * (apic ? 28 + 29 : 34 + 38) + 300;
  return (bench_work){flops, 2 * state + 2 * size + 6 + grid};
}

firn_status bench_place(firn_context *context, const firn_sim_def *def,
                        const firn_material_def *material, firn_fill_def fill, firn_sim **out) {
  firn_sim *sim;
  firn_status status = firn_sim_create(context, def, &sim);
  if (status != FIRN_OK) return status;
  firn_collider_def floor = firn_default_collider_def();
  floor.name = "floor";
  status = firn_sim_add_material(sim, material, &fill.material);
  if (status == FIRN_OK) status = firn_sim_fill(sim, &fill);
  if (status == FIRN_OK) status = firn_sim_add_collider(sim, &floor, NULL);
  if (status == FIRN_OK)
    *out = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

firn_status bench_build(firn_context *context, const firn_mpm_def *mpm, const bench_block *block,
                        firn_sim **out) {
  firn_sim_def def = firn_default_sim_def();
  def.h = block->h;
  def.seed = 1;
  def.mpm = *mpm;
  firn_fill_def fill = firn_default_fill_def();
  firn_material_def material = block->material ? *block->material : firn_default_material_def();
  double half[3], center[3];
  for (int i = 0; i < 3; i++) {
    half[i] = 0.5 * block->cells[i] * block->h;
    center[i] = half[i];
  }
  center[1] += block->gap * block->h;
  fill.shape = firn_box(center, half);
  fill.seeding = FIRN_SEEDING_RANDOM;
  fill.per_cell = 8;
  fill.velocity[1] = -block->speed;
  return bench_place(context, &def, &material, fill, out);
}

firn_status bench_until_yield(firn_sim *sim, double fraction) {
  for (int step = 0; step < 2000 && !cli_interrupted(); step++) {
    if (step % 20 == 0) {
      double yielded;
      firn_status status = firn_sim_stat(sim, "yielded", &yielded);
      if (status != FIRN_OK) return status;
      if (yielded >= fraction) break;
    }
    firn_status status = firn_sim_step(sim, 0, NULL);
    if (status != FIRN_OK) return status;
  }
  return FIRN_OK;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double bench_median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

bench_profile bench_profile_of(firn_sim *sim, const bench_profile *before) {
  static const char prefix[] = "seconds_";
  bench_profile p = {.phases = 0};
  firn_stat_info info;
  firn_sim_profile(sim, &p.all);
  for (int i = 0; p.phases < BENCH_PHASES && firn_sim_stat_info(sim, i, &info) == FIRN_OK; i++) {
    if (strncmp(info.name, prefix, strlen(prefix)) != 0) continue;
    p.phase[p.phases] = info.name + strlen(prefix);
    if (firn_sim_stat(sim, info.name, &p.seconds[p.phases]) == FIRN_OK) p.phases++;
  }
  if (!before) return p;
  p.all.total -= before->all.total;
  p.all.steps -= before->all.steps;
  p.all.particle_steps -= before->all.particle_steps;
  p.all.iterations -= before->all.iterations;
  for (int i = 0; i < p.phases; i++) p.seconds[i] -= before->seconds[i];
  return p;
}

enum { WINDOWS = 16 };

firn_status bench_time(firn_sim *sim, firn_context *context, int windows, int steps,
                       bench_result *result) {
  double speed[WINDOWS] = {0};
  double count = (double)firn_sim_count(sim);
  if (windows > WINDOWS) windows = WINDOWS;
  bench_profile before = bench_profile_of(sim, NULL);
  result->seconds = 0;
  for (int w = 0; w < windows; w++) {
    double start = cli_seconds();
    for (int s = 0; s < steps; s++) {
      firn_status status = firn_sim_step(sim, 0, NULL);
      if (status != FIRN_OK) return status;
      if (cli_interrupted()) return FIRN_CANCELLED;
    }
    double seconds = cli_seconds() - start;
    result->seconds += seconds;
    speed[w] = count * steps / seconds;
  }
  result->particles = count;
  result->steps = (double)windows * steps;
  result->particle_steps_per_second = bench_median(speed, windows);
  result->slowest = speed[0];
  result->quickest = speed[windows - 1];
  result->profile = bench_profile_of(sim, &before);
  result->bytes_per_particle = (double)firn_context_bytes(context) / count;
  result->peak_bytes_per_particle = (double)firn_context_peak_bytes(context) / count;
  return firn_sim_stat(sim, "yielded", &result->yielded);
}

bench_block bench_main_block(const bench *b) {
  int n = b->quick ? 23 : 52;
  return (bench_block){.cells = {n, n, n}, .h = 0.005, .gap = 1, .speed = 8};
}

firn_status bench_explicit(const bench *b, const char *name, const char *variant,
                           const firn_mpm_def *mpm, const bench_block *block, int windows,
                           int steps, bench_result *result) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  *result = bench_result_begin(name, variant, context);
  result->work = bench_work_of(mpm);
  firn_sim *sim = NULL;
  firn_status status = bench_build(context, mpm, block, &sim);
  if (status == FIRN_OK) status = bench_until_yield(sim, 0.3);
  if (status == FIRN_OK) status = bench_time(sim, context, windows, steps, result);
  return bench_finish(context, sim, name, status);
}
