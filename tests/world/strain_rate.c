// SPDX-License-Identifier: Apache-2.0
// The strain rate of velocities that are known in closed form.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <firn/firn.h>

#include "api/sim.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/bspline.h"
#include "world/averages.h"

enum { CELLS = 8 };
static const double H = 0.05;

static firn_sim *make(firn_context *context, bool periodic) {
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim;
  def.h = H;
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = periodic;
    def.period_cells[a] = CELLS;
  }
  assert_int_equal(firn_sim_create(context, &def, &sim), FIRN_OK);
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  assert_int_equal(firn_sim_add_material(sim, &material, &fill.material), FIRN_OK);
  double half = 0.5 * CELLS * H;
  fill.shape = firn_box((double[3]){half, half, half}, (double[3]){half, half, half});
  fill.seeding = FIRN_SEEDING_LATTICE;
  fill.per_cell = 8;
  assert_int_equal(firn_sim_fill(sim, &fill), FIRN_OK);
  return sim;
}

static firn_context *open_context(int threads) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  def.threads = threads;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

static void close_context(firn_context *context) {
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

// Gives each particle the velocity A x and holds all strain rates, those at edges and corners too,
// against the symmetric part of A: the rounding of velocities, some units in the last place over a
// cell, remains, and is magnified at a corner, where the nodes' centres of mass lie closer together.
static void assert_linear(const double A[3][3]) {
  firn_context *context = open_context(1);
  firn_sim *sim = make(context, false);
  size_t n = firn_sim_count(sim);
  double *x = malloc(3 * n * sizeof *x), *v = malloc(3 * n * sizeof *v);
  double *d = malloc(6 * n * sizeof *d), most = 0;
  assert_int_equal(firn_sim_read(sim, "position", x), FIRN_OK);
  for (size_t i = 0; i < n; i++) {
    for (int a = 0; a < 3; a++) {
      v[3 * i + (size_t)a] = 0;
      for (int b = 0; b < 3; b++) v[3 * i + (size_t)a] += A[a][b] * x[3 * i + (size_t)b];
      most = fmax(most, fabs(v[3 * i + (size_t)a]));
    }
  }
  assert_int_equal(firn_sim_write(sim, "velocity", v), FIRN_OK);
  assert_int_equal(firn_sim_read(sim, "strain_rate", d), FIRN_OK);
  const double expected[6] = {A[0][0],
                              A[1][1],
                              A[2][2],
                              0.5 * (A[0][1] + A[1][0]),
                              0.5 * (A[0][2] + A[2][0]),
                              0.5 * (A[1][2] + A[2][1])};
  double tolerance = 16 * (sizeof(firn_real) == 4 ? 0x1p-23 : 0x1p-52) * most / H;
  for (size_t i = 0; i < n; i++) {
    for (int c = 0; c < 6; c++) {
      double error = fabs(d[6 * i + (size_t)c] - expected[c]);
      if (!(error <= tolerance))
        fail_msg("component %d: off by %g, allowed %g", c, error, tolerance);
    }
  }
  assert_int_equal(n, 8 * CELLS * CELLS * CELLS);
  free(x);
  free(v);
  free(d);
  firn_sim_destroy(sim);
  close_context(context);
}

static void a_linear_velocity_has_its_own_strain_rate(void **state) {
  (void)state;
  assert_linear((const double[3][3]){{1, 2, -3}, {0.5, -4, 0.25}, {7, -1, 2}});
}

static void a_turning_body_does_not_deform(void **state) {
  (void)state;
  assert_linear((const double[3][3]){{0, -3, 2}, {3, 0, -1}, {-2, 1, 0}});
}

// A wave that fits the period looks the same wherever it is cut: the rows of particles across it
// have one value each, also at the seam.
static void a_periodic_domain_has_no_seam(void **state) {
  (void)state;
  firn_context *context = open_context(1);
  firn_sim *sim = make(context, true);
  size_t n = firn_sim_count(sim);
  double *x = malloc(3 * n * sizeof *x), *v = calloc(3 * n, sizeof *v);
  double *d = malloc(6 * n * sizeof *d), length = CELLS * H, most = 0,
         k = 2 * 3.14159265358979 / length;
  assert_int_equal(firn_sim_read(sim, "position", x), FIRN_OK);
  for (size_t i = 0; i < n; i++) v[3 * i] = sin(k * x[3 * i]);
  assert_int_equal(firn_sim_write(sim, "velocity", v), FIRN_OK);
  assert_int_equal(firn_sim_read(sim, "strain_rate", d), FIRN_OK);
  for (size_t i = 0; i < n; i++) {
    // Splines dampen a wave of 8 cells: by a transfer there and back, to 0.8 of it or so.
    double ratio = d[6 * i] / (k * cos(k * x[3 * i]));
    assert_true(ratio > 0.7 && ratio < 0.95);
    most = fmax(most, fabs(d[6 * i + 1]) + fabs(d[6 * i + 3]));
  }
  assert_true(most < 1e-4);
  free(x);
  free(v);
  free(d);
  firn_sim_destroy(sim);
  close_context(context);
}

// Nodes are told apart as far out as particles can be: 2^21 cells away, snow flies apart.
static void far_away_snow_is_another(void **state) {
  (void)state;
  firn_context *context = open_context(1);
  firn_sim_def def = firn_default_sim_def();
  firn_material_def material = firn_default_material_def();
  firn_particles_def two = firn_default_particles_def();
  firn_sim *sim;
  def.h = H;
  assert_int_equal(firn_sim_create(context, &def, &sim), FIRN_OK);
  assert_int_equal(firn_sim_add_material(sim, &material, NULL), FIRN_OK);
  for (int axis = 0; axis < 3; axis++) {
    double x[4][3] = {{0}}, v[4][3] = {{0}};
    for (int i = 0; i < 4; i++) {
      for (int a = 0; a < 3; a++) x[i][a] = (0.5 + 40 * axis) * H;
      x[i][axis] += i % 2 * H + (i / 2 ? (1 << 21) * H : 0);
      v[i][axis] = i / 2 ? 5 + 4 * (i % 2) : 0;
    }
    two.count = 4;
    two.position = x[0];
    two.velocity = v[0];
    assert_int_equal(firn_sim_add_particles(sim, &two), FIRN_OK);
  }
  double rate[12][6];
  assert_int_equal(firn_sim_read(sim, "strain_rate", rate[0]), FIRN_OK);
  for (int i = 0; i < 12; i++) {
    double trace = fabs(rate[i][0]) + fabs(rate[i][1]) + fabs(rate[i][2]);
    if (i % 4 < 2)
      assert_true(trace == 0);
    else
      assert_true(trace > 1);
  }
  firn_sim_destroy(sim);
  close_context(context);
}

// Sums over the particles of a node are in the order of particles, whoever takes them.
static void threads_make_no_difference(void **state) {
  (void)state;
  double *rate[2];
  size_t size = 0;
  for (int t = 0; t < 2; t++) {
    firn_context *context = open_context(1 + 6 * t);
    firn_sim *sim = make(context, true);
    size_t n = firn_sim_count(sim);
    double *v = malloc(3 * n * sizeof *v);
    for (size_t i = 0; i < 3 * n; i++) v[i] = sin((double)i);
    assert_int_equal(firn_sim_write(sim, "velocity", v), FIRN_OK);
    size = 6 * n * sizeof *rate[t];
    rate[t] = malloc(size);
    assert_int_equal(firn_sim_read(sim, "strain_rate", rate[t]), FIRN_OK);
    free(v);
    firn_sim_destroy(sim);
    close_context(context);
  }
  assert_memory_equal(rate[0], rate[1], size);
  free(rate[0]);
  free(rate[1]);
}

// All particles in the order in which they are visited.
typedef struct cloud {
  const firn_particles *p;
  size_t count, row[400];
  double x[400][3], v[400][3], mass[400];
} cloud;

static void take(void *user, size_t slot, const double corner[3]) {
  cloud *c = user;
  for (int a = 0; a < 3; a++) {
    c->x[c->count][a] = corner[a] + (double)firn_particles_real(c->p, FIRN_FIELD_X + a)[slot];
    c->v[c->count][a] = (double)firn_particles_real(c->p, FIRN_FIELD_VX + a)[slot];
  }
  c->mass[c->count] = (double)firn_particles_real(c->p, FIRN_FIELD_MASS)[slot];
  c->row[c->count++] = firn_particles_row(c->p, slot);
}

// Weight of a particle at a node along one axis, or its slope.
static double weigh(double x, int32_t node, int32_t period, bool slope) {
  int32_t base = (int32_t)floor(x - 0.5);
  for (int i = 0; i < 3; i++) {
    double w[3], d[3];
    if (base + i != node && (!period || (base + i - node) % period)) continue;
    firn_bspline_quadratic_double(x - base, w, d);
    return slope ? d[i] : w[i];
  }
  return 0;
}

// Cells from a node to a particle that gives it something.
static double away(double x, int32_t node, int32_t period) {
  int32_t base = (int32_t)floor(x - 0.5);
  for (int i = 0; i < 3; i++) {
    if (base + i == node || (period && (base + i - node) % period == 0)) return x - base - i;
  }
  return 0;
}

// What a node has, from all particles.
static void node_average(const cloud *c, const int32_t at[3], const int *period, double v[3],
                         double r[3]) {
  double mass = 0;
  memset(v, 0, 3 * sizeof *v);
  memset(r, 0, 3 * sizeof *r);
  for (size_t q = 0; q < c->count; q++) {
    double share = c->mass[q];
    for (int a = 0; a < 3; a++) share *= weigh(c->x[q][a], at[a], period ? period[a] : 0, false);
    mass += share;
    for (int a = 0; a < 3; a++) {
      v[a] += share * c->v[q][a];
      r[a] += share * away(c->x[q][a], at[a], period ? period[a] : 0);
    }
  }
  for (int a = 0; a < 3; a++) {
    v[a] = mass > 0 ? v[a] / mass : 0;
    r[a] = mass > 0 ? r[a] / mass : 0;
  }
}

// The slopes of the nodes' velocities and centres of mass at each particle.
typedef struct slopes {
  const firn_particles *p;
  double v[240][9], r[240][9];
} slopes;

static void take_slopes(void *user, size_t slot, const firn_around *around) {
  slopes *s = user;
  double *v = s->v[firn_particles_row(s->p, slot)], *r = s->r[firn_particles_row(s->p, slot)];
  memset(v, 0, sizeof s->v[0]);
  memset(r, 0, sizeof s->r[0]);
  for (int n = 0; n < around->count; n++) {
    for (int i = 0; i < 9; i++) {
      v[i] += around->node[n]->v[i / 3] * around->slope[n][i % 3];
      r[i] += around->node[n]->r[i / 3] * around->slope[n][i % 3];
    }
  }
}

// Sparse particles, some sorted and some not yet, against sums over all of them for every node: the same
// bits, since the terms are added in the same order.
static void sparse_snow_is_the_sum_over_all_particles(void **state) {
  (void)state;
  for (int periodic = 0; periodic < 2; periodic++) {
    firn_context *context = open_context(2);
    firn_sim_def def = firn_default_sim_def();
    firn_sim *sim;
    def.h = H;
    for (int a = 0; a < 3; a++) {
      def.periodic[a] = periodic;
      def.period_cells[a] = 4 + 4 * a; // one block is the least
    }
    assert_int_equal(firn_sim_create(context, &def, &sim), FIRN_OK);
    firn_material_def material = firn_default_material_def();
    firn_particles_def more = firn_default_particles_def();
    assert_int_equal(firn_sim_add_material(sim, &material, &more.material), FIRN_OK);
    double x[120][3], v[120][3];
    for (int part = 0; part < 2; part++) {
      for (int i = 0; i < 120; i++) {
        for (int a = 0; a < 3; a++) {
          firn_philox r = firn_philox4x32(9, (uint64_t)(120 * part + i), (uint32_t)a, 0);
          x[i][a] = firn_uniform(r.v[0]) * H * (periodic ? def.period_cells[a] : 24);
          v[i][a] = firn_uniform(r.v[1]) - 0.5;
        }
      }
      more.count = 120;
      more.position = x[0];
      more.velocity = v[0];
      assert_int_equal(firn_sim_add_particles(sim, &more), FIRN_OK);
      if (!part) assert_int_equal(firn_sim_step(sim, 1e-4, NULL), FIRN_OK);
    }
    static cloud c;
    static slopes got;
    c = (cloud){.p = &sim->world.particles};
    got.p = c.p;
    assert_int_equal(firn_particles_number(&sim->world.particles), FIRN_OK);
    assert_int_equal(firn_world_average(&sim->world, 3, 0, true, take_slopes, &got), FIRN_OK);
    firn_particles_visit(c.p, take, &c);
    assert_int_equal(c.count, 240);
    assert_int_equal(c.p->pending - c.p->flying, 120);
    for (size_t p = 0; p < c.count; p++) {
      double g[9] = {0}, k[9] = {0};
      for (int n = 0; n < 27; n++) {
        int32_t at[3];
        double u[3], r[3], w[3], d[3];
        for (int a = 0; a < 3; a++) {
          int32_t period = periodic ? def.period_cells[a] : 0;
          at[a] = (int32_t)floor(c.x[p][a] - 0.5) + (a == 0 ? n / 9 : a == 1 ? n / 3 % 3 : n % 3);
          w[a] = weigh(c.x[p][a], at[a], period, false);
          d[a] = weigh(c.x[p][a], at[a], period, true);
        }
        node_average(&c, at, periodic ? def.period_cells : NULL, u, r);
        const double slope[3] = {d[0] * w[1] * w[2], w[0] * d[1] * w[2], w[0] * w[1] * d[2]};
        for (int i = 0; i < 9; i++) {
          g[i] += u[i / 3] * slope[i % 3];
          k[i] += r[i / 3] * slope[i % 3];
        }
      }
      assert_memory_equal(got.v[c.row[p]], g, sizeof g);
      assert_memory_equal(got.r[c.row[p]], k, sizeof k);
    }
    firn_sim_destroy(sim);
    close_context(context);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sparse_snow_is_the_sum_over_all_particles),
      cmocka_unit_test(threads_make_no_difference),
      cmocka_unit_test(far_away_snow_is_another),
      cmocka_unit_test(a_linear_velocity_has_its_own_strain_rate),
      cmocka_unit_test(a_turning_body_does_not_deform),
      cmocka_unit_test(a_periodic_domain_has_no_seam),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
