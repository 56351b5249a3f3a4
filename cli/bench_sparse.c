// SPDX-License-Identifier: Apache-2.0
// The material point method where snow is thin: spray, particles in free flight, and clumps.
#include <math.h>
#include <stdlib.h>

#include "bench.h"

static const double H = 0.005; // m

// Particles by number, and their places and velocities.
typedef struct cloud {
  size_t count;
  double *x, *v; // [count][3]
} cloud;

static bool make_room(cloud *c, size_t most) {
  *c = (cloud){.x = malloc(3 * most * sizeof *c->x), .v = malloc(3 * most * sizeof *c->v)};
  return c->x && c->v;
}

static void free_room(cloud *c) {
  free(c->x);
  free(c->v);
}

// From 0 to 1; linear congruential numbers will do.
static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

// -------------------------------------------------------------------------------------- clouds

// At most one particle a block of 4 x 4 x 4 cells, anywhere in it, flying every way; one block in
// `sparsity` has one.
static void fill_spray(cloud *c, size_t want, int sparsity) {
  size_t n = (size_t)ceil(cbrt((double)want * sparsity));
  uint32_t state = 12345;
  for (size_t i = 0; i < n * n * n && c->count < want; i++) {
    if (next_random(&state) * sparsity >= 1) continue;
    const size_t at[3] = {i / (n * n), i / n % n, i % n};
    for (size_t a = 0; a < 3; a++) {
      c->x[3 * c->count + a] = 4 * ((double)at[a] + next_random(&state)) * H;
      c->v[3 * c->count + a] = 10 * (next_random(&state) - 0.5);
    }
    c->count++;
  }
}

// The n points nearest to the origin of a lattice of eight a cell, least first.
enum { CLUMP = 30, AROUND = 125 };

static int by_distance(const void *a, const void *b) {
  const double *x = a, *y = b;
  double d = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - y[0] * y[0] - y[1] * y[1] - y[2] * y[2];
  return (d > 0) - (d < 0);
}

static void make_clump(double clump[AROUND][3]) {
  for (int i = 0; i < AROUND; i++) {
    const int at[3] = {i / 25, i / 5 % 5, i % 5};
    // Off the middle, so that no two are as far away.
    for (int a = 0; a < 3; a++) clump[i][a] = 0.5 * H * (at[a] - 2 + 0.1 * (a + 1));
  }
  qsort(clump, AROUND, sizeof *clump, by_distance);
}

// Clumps of `size` particles, `pitch` cells apart and moved at random by up to an eighth of that. All flies
// apart, so that none meets another; a clump's particles move a little against each other.
static void fill_clumps(cloud *c, size_t want, size_t size, double pitch) {
  double clump[AROUND][3];
  size_t clumps = want / size, n = (size_t)ceil(cbrt((double)clumps));
  uint32_t state = 12345;
  make_clump(clump);
  for (size_t i = 0; i < clumps; i++) {
    const size_t at[3] = {i / (n * n), i / n % n, i % n};
    double x[3], v[3];
    for (int a = 0; a < 3; a++) {
      double lattice = (double)at[a] - 0.5 * (double)n;
      x[a] = pitch * H * (lattice + 0.25 * (next_random(&state) - 0.5));
      v[a] = x[a] + 0.05 * (next_random(&state) - 0.5); // of 1/s
    }
    for (size_t k = 0; k < size; k++, c->count++)
      for (size_t a = 0; a < 3; a++) {
        c->x[3 * c->count + a] = x[a] + clump[k][a] + 0.25 * H * (next_random(&state) - 0.5);
        c->v[3 * c->count + a] = v[a] + 0.05 * (next_random(&state) - 0.5);
      }
  }
}

static firn_status build_cloud(firn_context *context, const firn_mpm_def *mpm, const cloud *c,
                               double gravity, firn_sim **out) {
  firn_sim_def def = firn_default_sim_def();
  def.h = H;
  def.gravity[1] = gravity;
  def.mpm = *mpm;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return status;
  firn_material_def material = firn_default_material_def();
  firn_particles_def particles = firn_default_particles_def();
  status = firn_sim_add_material(sim, &material, &particles.material);
  if (status == FIRN_OK) {
    particles.count = c->count;
    particles.position = c->x;
    particles.velocity = c->v;
    status = firn_sim_add_particles(sim, &particles);
  }
  if (status == FIRN_OK)
    *out = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

// Builds it, takes ten steps untimed, and times it.
static firn_status time_cloud(const bench *b, firn_context *context, const firn_mpm_def *mpm,
                              const cloud *c, double gravity, bench_result *r) {
  firn_sim *sim = NULL;
  firn_status status = build_cloud(context, mpm, c, gravity, &sim);
  for (int i = 0; i < 10 && status == FIRN_OK; i++) status = firn_sim_step(sim, 0, NULL);
  if (status == FIRN_OK)
    status = bench_time(sim, context, b->quick ? 1 : 5, b->quick ? 30 : 200, r);
  if (status == FIRN_OK) {
    double seconds = r->seconds * r->threads;
    r->ns_per_particle_core = 1e9 * seconds / (r->particles * r->steps);
    r->iterations_mean = (double)r->profile.all.iterations / r->steps;
    r->step_equivalents_per_second = r->particle_steps_per_second * (1 + 0.5 * r->iterations_mean);
  }
  firn_sim_destroy(sim);
  return status;
}

// --------------------------------------------------------------------------------------- spray

static firn_status spray_case(bench *b, const char *name, const char *variant,
                              const firn_mpm_def *mpm, int sparsity) {
  enum { WANT = 100000 };
  bench_block block = bench_main_block(b);
  bench_result bulk;
  firn_status status = bench_explicit(b, name, NULL, mpm, &block, 1, b->quick ? 30 : 60, &bulk);
  if (status != FIRN_OK) return status;
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  bench_result r = bench_result_begin(name, variant, context);
  cloud c;
  status = make_room(&c, WANT) ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) fill_spray(&c, WANT, sparsity);
  if (status == FIRN_OK) status = time_cloud(b, context, mpm, &c, 0, &r);
  free_room(&c);
  if (status == FIRN_OK) {
    r.ratio = bulk.particle_steps_per_second / r.particle_steps_per_second;
    r.ratio_of = "the cost of a particle in bulk";
    bench_print(b, &r);
  }
  return bench_finish(context, NULL, name, status);
}

static firn_status run_spray(bench *b, const char *name) {
  firn_mpm_def quadratic = bench_quadratic_apic(), cubic = bench_cubic_flip();
  firn_status status = spray_case(b, name, "quadratic-apic", &quadratic, 10);
  if (status == FIRN_OK) status = spray_case(b, name, "cubic-flip", &cubic, 10);
  if (status == FIRN_OK) status = spray_case(b, name, "quadratic-apic-crowded", &quadratic, 1);
  if (status == FIRN_OK) status = spray_case(b, name, "cubic-flip-crowded", &cubic, 1);
  return status;
}

// -------------------------------------------------------------------------------------- flight

// A million particles that fall and fly apart, none near another.
static firn_status flight_case(bench *b, const char *name, const char *variant,
                               const firn_mpm_def *mpm) {
  const size_t want = b->quick ? 20000 : 1000000;
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  bench_result r = bench_result_begin(name, variant, context);
  cloud c;
  firn_status status = make_room(&c, want) ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) fill_clumps(&c, want, 1, 12);
  if (status == FIRN_OK) status = time_cloud(b, context, mpm, &c, -9.81, &r);
  free_room(&c);
  if (status == FIRN_OK) bench_print(b, &r);
  return bench_finish(context, NULL, name, status);
}

static firn_status run_flight(bench *b, const char *name) {
  firn_mpm_def quadratic = bench_quadratic_apic(), cubic = bench_cubic_flip();
  firn_status status = flight_case(b, name, "quadratic-apic-explicit", &quadratic);
  if (status == FIRN_OK) status = flight_case(b, name, "cubic-flip-explicit", &cubic);
  quadratic.integrator = cubic.integrator = FIRN_INTEGRATOR_AUTO;
  if (status == FIRN_OK) status = flight_case(b, name, "quadratic-apic-auto", &quadratic);
  if (status == FIRN_OK) status = flight_case(b, name, "cubic-flip-auto", &cubic);
  return status;
}

// -------------------------------------------------------------------------------------- clumps

// Clumps of several sizes, each alone, as dense as bulk. bulk: particle steps a second there.
static firn_status clumps_of(bench *b, const char *name, const char *way, const firn_mpm_def *mpm,
                             double bulk) {
  static const size_t sizes[] = {2, 5, 10, CLUMP};
  const size_t want = b->quick ? 20000 : 100000;
  firn_status status = FIRN_OK;
  for (int i = 0; i < 4 && status == FIRN_OK; i++) {
    char variant[64];
    firn_context *context = cli_context(&b->options);
    if (!context) return FIRN_ERROR_UNSUPPORTED;
    snprintf(variant, sizeof variant, "%s-%zu", way, sizes[i]);
    bench_result r = bench_result_begin(name, variant, context);
    cloud c;
    status = make_room(&c, want) ? FIRN_OK : FIRN_ERROR_MEMORY;
    if (status == FIRN_OK) fill_clumps(&c, want, sizes[i], 16);
    if (status == FIRN_OK) status = time_cloud(b, context, mpm, &c, -9.81, &r);
    free_room(&c);
    if (status == FIRN_OK) {
      r.ratio = bulk / r.step_equivalents_per_second;
      r.ratio_of = "the cost of a particle in bulk, by step equivalents";
      bench_print(b, &r);
    }
    status = bench_finish(context, NULL, name, status);
  }
  return status;
}

static firn_status run_clumps(bench *b, const char *name) {
  static const struct {
    const char *explicit_way, *implicit_way;
  } ways[] = {{"quadratic-apic-explicit", "quadratic-apic-implicit"},
              {"cubic-flip-explicit", "cubic-flip-implicit"}};
  firn_status status = FIRN_OK;
  for (int i = 0; i < 2 && status == FIRN_OK; i++) {
    firn_mpm_def mpm = i ? bench_cubic_flip() : bench_quadratic_apic();
    bench_block block = bench_main_block(b);
    bench_result bulk;
    status = bench_explicit(b, name, NULL, &mpm, &block, 1, b->quick ? 30 : 60, &bulk);
    if (status != FIRN_OK) break;
    double speed = bulk.particle_steps_per_second;
    status = clumps_of(b, name, ways[i].explicit_way, &mpm, speed);
    mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
    mpm.dt = 2e-4; // as mpm/cr-iteration: some times what is stable in explicit steps
    if (status == FIRN_OK) status = clumps_of(b, name, ways[i].implicit_way, &mpm, speed);
  }
  return status;
}

const bench_case bench_sparse[] = {
    {"mpm/spray", "1e5 particles, one in a block of cells", run_spray},
    {"mpm/flight", "1e6 particles in free flight, none near another", run_flight},
    {"mpm/clumps", "1e5 particles in clumps of 2 to 30, each alone", run_clumps},
    {NULL, NULL, NULL},
};
