// SPDX-License-Identifier: Apache-2.0
// A yard with something of everything that is state: snow that lies and sleeps, a ball that falls,
// flakes that come, a gust at a time, a body that is driven, one under a load and one that turns by
// itself.
#ifndef FIRN_TESTS_API_YARD_H
#define FIRN_TESTS_API_YARD_H

#include "api/setup.h"
#include "support/snapshot.h"

static const char *const SOLVERS[] = {"mpm", "sph", "flip"};
enum { SOLVERS_COUNT = 3 };

static const double H = 0.05; // m

typedef struct yard {
  firn_context *context;
  firn_sim *sim;
  int floor, plough, plate, rotor, emitter;
  size_t asleep; // in the last step
} yard;

// Of mpm. Whether snow may sleep.
static bool yard_sleeps = true;

static inline firn_sim *yard_sim(firn_context *context, const char *solver) {
  firn_sim_def def = firn_default_sim_def();
  firn_sph_def sph = firn_default_sph_def();
  firn_sim *sim;
  def.h = H;
  def.solver = solver;
  def.mpm.sleep_time = 0.01;
  def.mpm.sleep = yard_sleeps;
  sph.rest_density_tracked = true;
  if (strcmp(solver, "sph") == 0) def.settings = &sph;
  MUST(context, firn_sim_create(context, &def, &sim));
  return sim;
}

static inline void yard_colliders(yard *y) {
  firn_collider_def floor = firn_default_collider_def(), plough = floor, plate = floor,
                    rotor = floor;
  floor.name = "floor";
  floor.sticky = true;
  floor.forces = true;
  MUST(y->context, firn_sim_add_collider(y->sim, &floor, &y->floor));
  plough.name = "plough";
  plough.shape = firn_sphere((double[]){0.24, 0.27, 0.02}, 0.1);
  plough.forces = true;
  MUST(y->context, firn_sim_add_collider(y->sim, &plough, &y->plough));
  plate.name = "plate";
  plate.shape = firn_box((double[]){0.01, 0.42, 0.03}, (double[]){0.08, 0.03, 0.08});
  plate.load.mass = 3;
  MUST(y->context, firn_sim_add_collider(y->sim, &plate, &y->plate));
  firn_part_def part[2] = {firn_default_part_def(), firn_default_part_def()};
  part[0].shape = firn_sphere((double[]){0.3, 0.5, 0.3}, 0.05);
  part[1].shape = firn_box((double[]){0.4, 0.5, 0.3}, (double[]){0.1, 0.02, 0.02});
  part[1].parent = 0;
  part[1].motion.spin[1] = 5;
  rotor.name = "rotor";
  rotor.parts = part;
  rotor.part_count = 2;
  rotor.forces = true; // so that what is lost of energy is known
  MUST(y->context, firn_sim_add_collider(y->sim, &rotor, &y->rotor));
}

// What a simulation is built of; with snow, or only told of it, for a checkpoint.
static inline yard yard_open_in(firn_context *context, const char *solver, bool snow) {
  yard y = {.context = context};
  firn_material_def powder = firn_default_material_def();
  y.sim = yard_sim(y.context, solver);
  if (!snow) firn_sim_expect_load(y.sim);
  MUST(y.context, firn_sim_add_material(y.sim, &powder, NULL));
  yard_colliders(&y);
  firn_fill_def bed = firn_default_fill_def(), ball = bed, late = bed, still;
  bed.shape = firn_box((double[]){0.02, 0.1, 0.01}, (double[]){0.12, 0.1, 0.09});
  still = bed;
  still.shape = firn_box((double[]){-3, 0.1, 0}, (double[]){0.12, 0.1, 0.12});
  still.settled = strcmp(solver, "mpm") == 0;
  ball.shape = firn_sphere((double[]){-0.03, 0.33, 0.01}, 0.07);
  ball.velocity[1] = -1;
  late.shape = firn_sphere((double[]){-0.5, 0.33, 0.01}, 0.06);
  late.time = 0.0145;
  MUST(y.context, firn_sim_fill(y.sim, &bed));
  MUST(y.context, firn_sim_fill(y.sim, &still));
  MUST(y.context, firn_sim_fill(y.sim, &ball));
  MUST(y.context, firn_sim_fill(y.sim, &late));
  firn_emitter_def flakes = firn_default_emitter_def();
  flakes.kind = FIRN_EMIT_PARTICLES;
  flakes.fill.shape = firn_box((double[]){0.6, 0.5, 0.0}, (double[]){0.1, 0.02, 0.1});
  flakes.rate = 900;
  flakes.spread = 0.5;
  MUST(y.context, firn_sim_add_emitter(y.sim, &flakes, &y.emitter));
  firn_impulse_def gust = firn_default_impulse_def();
  gust.time = 0.0125;
  gust.velocity[2] = 0.3;
  gust.shape = &ball.shape;
  MUST(y.context, firn_sim_add_impulse(y.sim, &gust, NULL));
  firn_wind_def wind = firn_default_wind_def();
  wind.velocity[0] = 3;
  MUST(y.context, firn_sim_set_wind(y.sim, &wind));
  return y;
}

static inline yard yard_open(int threads, const char *solver, bool snow) {
  return yard_open_in(make_context(threads, FIRN_ISA_AUTO), solver, snow);
}

static inline void yard_close(yard *y) {
  firn_sim_destroy(y->sim);
  drop_context(y->context);
}

// Steps of at most 0.5 ms, with the plough driven as a function of time.
static inline void yard_go(yard *y, int steps) {
  for (int i = 0; i < steps; i++) {
    firn_body body;
    firn_step step;
    double t = firn_sim_time(y->sim);
    MUST(y->context, firn_sim_body(y->sim, y->plough, -1, &body));
    body.velocity[0] = -1 - 10 * t;
    body.spin[1] = 3;
    MUST(y->context, firn_sim_drive(y->sim, y->plough, -1, &body));
    MUST(y->context, firn_sim_step(y->sim, 5e-4, &step));
    y->asleep = step.asleep;
  }
}

// ------------------------------------------------------------------------------------- states

static inline void yard_assert_same(const snapshot *expected, const yard *y, int line) {
  snapshot found = snapshot_take(y->sim);
  int field = snapshot_difference(expected, &found);
  if (field >= 0) {
    firn_field_info info = {.name = "count or time"};
    if (field < SNAPSHOT_FIELDS) firn_sim_field(y->sim, field, &info);
    fail_msg("line %d: '%s' differs; %zu particles at %g s, expected %zu at %g s", line, info.name,
             found.count, found.time, expected->count, expected->time);
  }
  snapshot_drop(&found);
}
#define SAME(expected, y) yard_assert_same(expected, y, __LINE__)

#endif
