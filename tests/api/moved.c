// SPDX-License-Identifier: Apache-2.0
// labels: simd
// A simulation that was saved on one instruction set goes on on another, as one does whose folder moves
// to another machine: after some steps it differs by rounding alone. Kernels differ in what they set
// apart: the scalar ones of mpm know no spray, those of sph no short lists.
#include "cache/scratch.h"

#include "api/setup.h"
#include "api/sim.h"
#include "base/isa.h"
#include "solver/mpm/mpm.h"

#define H 0.01 // m
enum { FIRST = 12, MORE = 12 };

static const firn_isa sets[] = {FIRN_ISA_SCALAR, FIRN_ISA_AVX2, FIRN_ISA_AVX512};
enum { SETS = 3 };

typedef struct scene {
  firn_sim_def def;
  bool mpm; // with snow that sleeps, and particles above it from spray to single ones
} scene;

static firn_sim *make(firn_context *context, const scene *of) {
  firn_collider_def floor = firn_default_collider_def();
  firn_sim *sim = make_sim(context, &of->def);
  MUST(context, firn_sim_add_collider(sim, &floor, NULL));
  return sim;
}

// Particles that thin out upwards, from spray to pairs and single ones that fly.
static void add_cloud(firn_context *context, firn_sim *sim) {
  enum { COUNT = 900, ALONE = 20 };
  double x[COUNT + ALONE + 2][3], v[COUNT + ALONE + 2][3];
  for (int i = 0; i < COUNT; i++) {
    double share = (double)i / COUNT;
    x[i][0] = H * (40 + fmod(i * 0.7548776662, 1) * 28);
    x[i][1] = H * (6 + 60 * share * share * share);
    x[i][2] = H * (fmod(i * 0.5698402910, 1) * 28 - 14);
  }
  for (int i = COUNT; i < COUNT + ALONE + 2; i++) {
    x[i][0] = 15 * H * (i - COUNT);
    x[i][1] = x[i][2] = 1.5;
    if (i > COUNT + ALONE) x[i][0] -= 14.7 * H; // two that fly together
  }
  for (int i = 0; i < COUNT + ALONE + 2; i++) {
    v[i][0] = sin(9 * x[i][1]);
    v[i][1] = -2 + sin(5 * x[i][0]);
    v[i][2] = cos(7 * x[i][0]);
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = COUNT + ALONE + 2;
  def.position = &x[0][0];
  def.velocity = &v[0][0];
  MUST(context, firn_sim_add_particles(sim, &def));
}

static void steps(firn_context *context, firn_sim *sim, int n) {
  for (int i = 0; i < n; i++) MUST(context, firn_sim_step(sim, 0, NULL));
}

static void fill(firn_context *context, firn_sim *sim, const scene *of) {
  firn_fill_def block = firn_default_fill_def();
  block.seeding = FIRN_SEEDING_LATTICE;
  block.shape = firn_box((double[]){0, 2 * H, 0}, (double[]){8 * H, 2 * H, 4 * H});
  block.settled = of->mpm;
  if (!of->mpm) block.velocity[1] = -1;
  MUST(context, firn_sim_fill(sim, &block));
  if (!of->mpm) return;
  steps(context, sim, 2); // snow that is laid down in balance keeps all on the grid
  add_cloud(context, sim);
}

static double furthest(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// What mpm sets apart is there, or the test shows nothing.
static void check_parts(firn_sim *sim, firn_isa isa) {
  const mpm *m = sim->solver;
  print_message("%s: %zu blocks of spray, %zu fly, %zu pieces of these, %zu asleep\n",
                firn_isa_name(isa), m->grid.spray_count, m->world->particles.flying, m->piece_count,
                m->asleep);
  assert_true((m->grid.spray_count > 20) == (isa != FIRN_ISA_SCALAR));
  assert_true(m->world->particles.flying > 10 && m->piece_count > 0 && m->asleep > 100);
}

static void go_on(scratch *s, const scene *of, firn_isa isa, const double *x, double limit) {
  firn_context *context = make_context(2, isa);
  firn_sim *sim = make(context, of);
  MUST(context, firn_sim_load(sim, scratch_path(s, "here.hdf")));
  steps(context, sim, MORE);
  double *there = read_field(context, sim, "position", 3);
  double far = furthest(x, there, 3 * firn_sim_count(sim));
  print_message("  on %s: %.2g h from where they were to be\n", firn_isa_name(isa), far / H);
  assert_true(far < limit);
  free(there);
  firn_sim_destroy(sim);
  drop_context(context);
}

// limit: how far rounding of another order may take a particle, m.
static void move(scratch *s, const scene *of, double limit) {
  for (int from = 0; from < SETS; from++) {
    if (!firn_isa_available(sets[from])) continue;
    firn_context *context = make_context(2, sets[from]);
    firn_sim *sim = make(context, of);
    fill(context, sim, of);
    steps(context, sim, FIRST);
    if (of->mpm) check_parts(sim, sets[from]);
    MUST(context, firn_sim_save(sim, scratch_path(s, "here.hdf")));
    steps(context, sim, MORE);
    double *x = read_field(context, sim, "position", 3);
    for (int to = 0; to < SETS; to++) {
      if (to != from && firn_isa_available(sets[to])) go_on(s, of, sets[to], x, limit);
    }
    free(x);
    firn_sim_destroy(sim);
    drop_context(context);
  }
}

// Explicit steps of one length: sums in another order, over 24 steps. What would be lost with the spray's
// nodes is 2 m/s, 0.1 h.
static void mpm_moves_to_another_instruction_set(void **state) {
  scene of = {.def = firn_default_sim_def(), .mpm = true};
  of.def.h = H;
  of.def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  of.def.mpm.volume_nominal = of.def.mpm.sleep = of.def.mpm.flight = true;
  of.def.mpm.dt = 4e-5;
  move(*state, &of, 1e-3 * H);
}

// Solves end where their tolerances do, 1e-3 of speeds of 1 m/s in steps of 1 ms at most.
static void sph_moves_to_another_instruction_set(void **state) {
  scene of = {.def = firn_default_sim_def()};
  firn_sph_def sph = firn_default_sph_def();
  of.def.h = 2 * H;
  of.def.solver = "sph";
  of.def.settings = &sph;
  sph.dt = 1e-3;
  move(*state, &of, 24 * 1e-3 * 1e-3);
}

static void flip_moves_to_another_instruction_set(void **state) {
  scene of = {.def = firn_default_sim_def()};
  firn_flip_def flip = firn_default_flip_def();
  of.def.h = H;
  of.def.solver = "flip";
  of.def.settings = &flip;
  flip.dt = 1e-3;
  move(*state, &of, 24 * 1e-3 * 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_open, scratch_close)
      TEST(mpm_moves_to_another_instruction_set),
      TEST(sph_moves_to_another_instruction_set),
      TEST(flip_moves_to_another_instruction_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
