// SPDX-License-Identifier: Apache-2.0
// labels: F9
// What touches no collider keeps its momentum and its angular momentum, and its middle goes along a
// parabola, whatever yields or flows in it; each body by itself.
#include "support/flip_case.h"

enum { STEPS = 40, GRAINS = 24 };
static const double DT = 5e-3; // s

typedef struct flight {
  double center[3]; // cells
  double velocity[3], spin[3];
} flight;

// Places and axes that are nothing to the grid.
static const flight FLIGHTS[] = {
    {{0.31, 0.17, 0.43}, {0, 0, 0}, {0, 0, 3.9}},
    {{-0.2, 0.71, 0.09}, {1.3, -0.4, 0.7}, {2.1, 2.4, -2.2}},
    {{0.61, 0.33, 0.27}, {0.2, 0.5, -0.9}, {-1.2, 3.4, 1.6}},
};
enum { FLIGHT_COUNT = sizeof FLIGHTS / sizeof *FLIGHTS };

// What there is of particles before they are added.
typedef struct heap {
  double *x, *v;
  size_t count;
} heap;

static void add(const flip_case *c, heap *all, int material) {
  firn_particles_def def = firn_default_particles_def();
  def.count = all->count;
  def.position = all->x;
  def.velocity = all->v;
  def.material = material;
  must(c, firn_sim_add_particles(c->sim, &def));
  free(all->x), free(all->v);
}

static heap new_heap(size_t most) {
  return (heap){malloc(3 * most * sizeof(double)), malloc(3 * most * sizeof(double)), 0};
}

// A particle at r cells from the middle, that moves as the rigid whole does and this faster.
static void put(const flip_case *c, const flight *f, const double r[3], const double faster[3],
                heap *to) {
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    to->x[3 * to->count + a] = (f->center[a] + r[a]) * c->h;
    to->v[3 * to->count + a] = f->velocity[a] + (f->spin[b] * r[d] - f->spin[d] * r[b]) * c->h +
                               faster[a];
  }
  to->count++;
}

// A ball, of which the part beyond a plane is of another material.
static void add_ball(const flip_case *c, const flight *f, int radius, int weak) {
  const double at_rest[3] = {0};
  int n = 4 * radius;
  for (int part = 0; part < 2; part++) {
    heap all = new_heap((size_t)(n * n * n));
    for (int i = 0; i < n * n * n; i++) {
      const int at[3] = {i / (n * n), i / n % n, i % n};
      double r[3], r2 = 0;
      for (int a = 0; a < 3; a++) {
        r[a] = at[a] / 2.0 + 0.25 - radius;
        r2 += r[a] * r[a];
      }
      if (r2 < radius * radius && (r[0] > 0.6 * radius) == part) put(c, f, r, at_rest, &all);
    }
    add(c, &all, part ? weak : 0);
  }
}

// Loose grains beside it, that go their ways.
static void add_grains(const flip_case *c, const flight *f, int radius, int material) {
  heap all = new_heap(GRAINS);
  for (uint64_t n = 0; all.count < GRAINS; n++) {
    double r[3], faster[3], size2 = 0;
    for (uint64_t a = 0; a < 3; a++) {
      r[a] = flip_random(5, 6 * n + a, -radius - 1, radius + 1);
      faster[a] = flip_random(5, 6 * n + 3 + a, -0.2, 0.2);
      size2 += r[a] * r[a];
    }
    if (size2 > radius * radius && size2 < (radius + 1) * (radius + 1)) put(c, f, r, faster, &all);
  }
  add(c, &all, material);
}

// A material that holds together, and then one that yields.
static flip_case open_snow(firn_flip_transfer transfer, firn_flip_kernel kernel, bool keep,
                           int *weak) {
  flip_plan plan = flip_default_plan();
  plan.h = 0.04;
  plan.material.density = 200;
  plan.material.yield_angle = 0.6;
  plan.material.yield_cohesion = 1e5;
  plan.flip.transfer = transfer;
  plan.flip.kernel = kernel;
  plan.flip.keep_momentum = keep;
  plan.gravity[0] = 1.1;
  plan.gravity[1] = -9.81;
  flip_case c = flip_case_open(&plan);
  plan.material.yield_cohesion = 20;
  must(&c, firn_sim_add_material(c.sim, &plan.material, weak));
  return c;
}

static double size_of(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// About the middle.
static void spin_of(const firn_sums *sums, double out[3]) {
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    out[a] = sums->angular[a] - sums->center[b] * sums->momentum[d] +
             sums->center[d] * sums->momentum[b];
  }
}

// After these steps: momentum over mass, m/s, way of the middle, in cells, and angular momentum,
// relative, that there should not be.
static void fly(const flip_case *c, double *speed, double *way, double *turn) {
  static const double gravity[3] = {1.1, -9.81, 0};
  firn_sums first, last;
  double L0[3], L1[3], v[3], x[3];
  must(c, firn_sim_sums(c->sim, &first));
  flip_case_steps(c, STEPS);
  must(c, firn_sim_sums(c->sim, &last));
  spin_of(&first, L0);
  spin_of(&last, L1);
  for (int a = 0; a < 3; a++) {
    double v0 = first.momentum[a] / first.mass, fall = gravity[a] * DT;
    v[a] = last.momentum[a] / last.mass - v0 - STEPS * fall;
    x[a] = (last.center[a] - first.center[a] - STEPS * DT * v0 -
            STEPS * (STEPS + 1) / 2 * fall * DT) /
           c->h;
    L1[a] -= L0[a];
  }
  *speed = size_of(v);
  *way = size_of(x);
  *turn = size_of(L1) / size_of(L0);
}

// Rounded velocities of some m/s, and places of some cells, STEPS times.
static void assert_kept(const flip_case *c) {
  double speed, way, turn;
  fly(c, &speed, &way, &turn);
  assert_below("momentum over mass, off by m/s", speed, by_precision(2e-6, 1e-13));
  assert_below("way, off by cells", way, by_precision(1e-5, 1e-12));
  assert_below("angular momentum, change", turn, by_precision(1e-6, 1e-13));
}

static void snow_that_yields_keeps_turning(void **state) {
  (void)state;
  static const int radius[] = {4, 6, 9};
  for (int i = 0; i < 9; i++) {
    const flight *f = &FLIGHTS[i % FLIGHT_COUNT];
    int weak;
    flip_case c = open_snow((firn_flip_transfer)((i + i / 3) % 3),
                            i % 2 ? FIRN_FLIP_KERNEL_BSPLINE : FIRN_FLIP_KERNEL_SPH, true, &weak);
    add_ball(&c, f, radius[i / 3], weak);
    add_grains(&c, f, radius[i / 3], weak);
    flip_case_steps(&c, 1);
    assert_true(flip_case_stat(&c, "cells_plastic") > 0 && flip_case_stat(&c, "clusters") > 0);
    assert_kept(&c);
    flip_case_close(&c);
  }
}

// As printed it loses both.
static void as_printed_it_does_not(void **state) {
  (void)state;
  double speed, way, turn;
  int weak;
  flip_case c = open_snow(FIRN_FLIP_TRANSFER_FLIP, FIRN_FLIP_KERNEL_SPH, false, &weak);
  add_ball(&c, &FLIGHTS[1], 6, weak);
  fly(&c, &speed, &way, &turn);
  flip_report("as printed: %g m/s, %g of the angular momentum\n", speed, turn);
  assert_true(speed > 5e-3 && turn > 0.05);
  flip_case_close(&c);
}

static void water_keeps_turning(void **state) {
  (void)state;
  for (int i = 0; i < FLIGHT_COUNT; i++) {
    flip_plan plan = flip_default_plan();
    plan.h = 0.04;
    plan.flip.keep_volume = true;
    plan.gravity[0] = 1.1;
    plan.gravity[1] = -9.81;
    flip_case c = flip_case_open(&plan);
    add_ball(&c, &FLIGHTS[i], 5, 0);
    assert_kept(&c);
    flip_case_close(&c);
  }
}

// A drop that a plane stops within a step is free before it, and is not carried into the plane.
static void a_drop_is_not_carried_into_a_wall(void **state) {
  (void)state;
  enum { DROPS = 16 };
  flip_plan plan = flip_default_plan();
  plan.h = 0.02;
  plan.flip.cfl = 2;
  plan.flip.dt = 0.02;
  flip_case c = flip_case_open(&plan);
  flip_case_plane(&c, (const double[]){0, 0, 0}, (const double[]){0, 1, 0},
                  (const double[]){0, 0, 0});
  heap all = new_heap(DROPS);
  for (int i = 0; i < DROPS; i++) {
    const double x[3] = {8 * i * c.h, (1.2 + 0.11 * i) * c.h, 0.3 * c.h}, v[3] = {0.1, -2.6, 0};
    memcpy(all.x + 3 * all.count, x, sizeof x);
    memcpy(all.v + 3 * all.count++, v, sizeof v);
  }
  add(&c, &all, 0);
  for (int n = 0; n < 4; n++) {
    flip_case_steps(&c, 1);
    double *x = flip_case_read(&c, "position", 3);
    for (int i = 0; i < DROPS; i++)
      assert_below("cells inside the plane", fmax(0, -x[3 * i + 1]) / c.h,
                   by_precision(1e-6, 1e-15));
    free(x);
  }
  flip_case_close(&c);
}

// Angular momentum of some particles about their middle, over the mass of one.
static void turn_of(const flip_case *c, size_t first, size_t end, double out[3]) {
  double *x = flip_case_read(c, "position", 3), *v = flip_case_read(c, "velocity", 3);
  double center[3] = {0};
  for (size_t i = first; i < end; i++)
    for (size_t a = 0; a < 3; a++) center[a] += x[3 * i + a] / (double)(end - first);
  memset(out, 0, 3 * sizeof *out);
  for (size_t i = first; i < end; i++)
    for (size_t a = 0; a < 3; a++) {
      size_t b = (a + 1) % 3, d = (a + 2) % 3;
      out[a] += (x[3 * i + b] - center[b]) * v[3 * i + d] -
                (x[3 * i + d] - center[d]) * v[3 * i + b];
    }
  free(x), free(v);
}

// Balls that turn against each other, four cells apart: their sum would be kept by nothing at all.
static void each_body_keeps_its_own(void **state) {
  (void)state;
  const flight other = {{14.31, 2.17, 1.43}, {0, 0, 0}, {0, 0, -3.9}};
  int weak;
  flip_case c = open_snow(FIRN_FLIP_TRANSFER_FLIP, FIRN_FLIP_KERNEL_SPH, true, &weak);
  double before[2][3], after[3];
  add_ball(&c, &FLIGHTS[0], 5, weak);
  size_t middle = flip_case_count(&c);
  add_ball(&c, &other, 5, weak);
  size_t end = flip_case_count(&c);
  turn_of(&c, 0, middle, before[0]);
  turn_of(&c, middle, end, before[1]);
  flip_case_steps(&c, STEPS);
  for (int n = 0; n < 2; n++) {
    turn_of(&c, n ? middle : 0, n ? end : middle, after);
    for (int a = 0; a < 3; a++) after[a] -= before[n][a];
    assert_below("angular momentum, change", size_of(after) / size_of(before[n]),
                 by_precision(1e-6, 1e-13));
  }
  flip_case_close(&c);
}

// A bar without ends that waves, half a cell to each side: it keeps its momentum, and nothing turns
// it about a middle that it has not, as the wave decays. Turned, the ends would move along the bar,
// where nothing else does but by what the grid makes of particles in disorder.
static void a_bar_without_ends_keeps_its_momentum(void **state) {
  (void)state;
  const double wave = 0.5, PI = 3.14159265358979323846;
  flip_plan plan = flip_default_plan();
  plan.periodic[2] = true;
  plan.period[2] = 8;
  plan.flip.transfer = FIRN_FLIP_TRANSFER_PIC;
  flip_case c = flip_case_open(&plan);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){4, 4, 8}, 0.2,
                (const double[3]){0.3, -0.2, 0});
  size_t count = flip_case_count(&c);
  double *x = flip_case_read(&c, "position", 3), *v = flip_case_read(&c, "velocity", 3), along = 0;
  for (size_t i = 0; i < count; i++) v[3 * i] += wave * sin(2 * PI * x[3 * i + 2] / (8 * c.h));
  must(&c, firn_sim_write(c.sim, "velocity", v));
  free(x), free(v);
  firn_sums first, last;
  must(&c, firn_sim_sums(c.sim, &first));
  flip_case_steps(&c, STEPS);
  must(&c, firn_sim_sums(c.sim, &last));
  for (int a = 0; a < 3; a++)
    assert_within("momentum over mass, m/s", last.momentum[a] / last.mass,
                  first.momentum[a] / first.mass, by_precision(2e-6, 1e-13));
  v = flip_case_read(&c, "velocity", 3);
  for (size_t i = 0; i < count; i++) along += v[3 * i + 2] * v[3 * i + 2] / (double)count;
  assert_below("speed along the bar over that of the wave", sqrt(along) / wave, 0.05);
  free(v);
  flip_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(snow_that_yields_keeps_turning),
                                     cmocka_unit_test(as_printed_it_does_not),
                                     cmocka_unit_test(water_keeps_turning),
                                     cmocka_unit_test(each_body_keeps_its_own),
                                     cmocka_unit_test(a_drop_is_not_carried_into_a_wall),
                                     cmocka_unit_test(a_bar_without_ends_keeps_its_momentum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
