// SPDX-License-Identifier: Apache-2.0
// labels: F2 F3 F5 slow
// timeout: 120
// Water that falls, rests, is pressed and pushed, against closed forms.
#include "support/flip_case.h"

static const double G = 9.81;

typedef struct way {
  firn_flip_kernel kernel;
  firn_flip_transfer transfer;
  bool grid;
} way;
static const way WAYS[] = {{FIRN_FLIP_KERNEL_SPH, FIRN_FLIP_TRANSFER_FLIP, false},
                           {FIRN_FLIP_KERNEL_SPH, FIRN_FLIP_TRANSFER_APIC, false},
                           {FIRN_FLIP_KERNEL_SPH, FIRN_FLIP_TRANSFER_PIC, true},
                           {FIRN_FLIP_KERNEL_BSPLINE, FIRN_FLIP_TRANSFER_FLIP, true},
                           {FIRN_FLIP_KERNEL_BSPLINE, FIRN_FLIP_TRANSFER_APIC, false}};
enum { WAY_COUNT = sizeof WAYS / sizeof *WAYS };

static flip_plan plan_of(const way *w) {
  flip_plan plan = flip_default_plan();
  plan.flip.kernel = w->kernel;
  plan.flip.transfer = w->transfer;
  plan.flip.advect_grid = w->grid;
  return plan;
}

// x = x0 + N dt v0 + g dt^2 N (N + 1) / 2, v = v0 + N dt g, whatever the transfer: one velocity
// everywhere has no divergence, and its mean is itself. In float a velocity of 3 m/s has steps of
// 2.4e-7, and so may each of N steps of a mean over some 30 particles.
static void all_fall_alike(void **state) {
  (void)state;
  enum { N = 40 };
  const double v0[3] = {2, 1, -0.5}, dt = 5e-3;
  for (int w = 0; w < WAY_COUNT; w++) {
    flip_plan plan = plan_of(&WAYS[w]);
    plan.gravity[1] = -G;
    flip_case c = flip_case_open(&plan);
    flip_case_box(&c, (const int[3]){-3, 2, 1}, (const int[3]){2, 6, 5}, 0.3, v0);
    flip_case_box(&c, (const int[3]){9, 2, 1}, (const int[3]){10, 3, 2}, 0.3, v0);
    double *before = flip_case_read(&c, "position", 3), off = 0, slow = 0;
    flip_case_steps(&c, N);
    double *after = flip_case_read(&c, "position", 3), *v = flip_case_read(&c, "velocity", 3);
    for (size_t i = 0; i < 3 * flip_case_count(&c); i++) {
      double g = i % 3 == 1 ? -G : 0, v_0 = v0[i % 3];
      worst(&off, after[i] - before[i] - N * dt * v_0 - g * dt * dt * N * (N + 1) / 2);
      worst(&slow, v[i] - v_0 - N * dt * g);
    }
    assert_below("way off", off, by_precision(1e-6, 1e-13));
    assert_below("velocity off", slow, by_precision(N * 3e-7, 1e-12));
    free(before), free(after), free(v);
    flip_case_close(&c);
  }
}

// F2: at rest for good, with a pressure that grows by density g for each metre. In float the solve
// cannot know velocities of g dt better than to 6e-8 of that, nor a pressure of eight of them.
static void a_tank_stays_at_rest(void **state) {
  (void)state;
  enum { DEEP = 8, STEPS = 1000 };
  const int lo[3] = {0, 0, 0}, hi[3] = {5, DEEP, 4};
  for (int kernel = 0; kernel < 4; kernel++) {
    flip_plan plan = flip_default_plan();
    plan.flip.kernel = kernel % 2 ? FIRN_FLIP_KERNEL_BSPLINE : FIRN_FLIP_KERNEL_SPH;
    plan.flip.surface_spheres = kernel > 1;
    plan.gravity[1] = -G;
    flip_case c = flip_case_open(&plan);
    flip_case_tank(&c, lo, hi, false);
    flip_case_box(&c, lo, hi, 0, NULL);
    flip_case_steps(&c, kernel ? STEPS / 10 : STEPS);
    double *v = flip_case_read(&c, "velocity", 3), most = 0, gap = 0;
    for (size_t i = 0; i < 3 * flip_case_count(&c); i++) worst(&most, v[i]);
    assert_below("speed", most, 1e-6);

    // Between cells, one above the other, p falls by g dt in its own unit.
    flip *s = flip_case_solver(&c);
    int pairs = 0;
    for (size_t g = 0; g < s->grid.count; g++)
      for (int cell = 0; cell < FLIP_CELLS; cell++) {
        size_t i = FLIP_CELLS * g + (size_t)cell, above = flip_beside(s, g, cell, 1, 1);
        if (!flip_bit(s->active, i) || !flip_bit(s->active, above)) continue;
        if (!(s->open[1][above] > 0)) continue;
        worst(&gap, (s->p[i] - s->p[above]) / (s->dt * G) - 1);
        pairs++;
      }
    assert_true(pairs >= 5 * (DEEP - 1) * 4);
    assert_below("fall of the pressure, relative", gap, 1e-5);
    free(v);
    flip_case_close(&c);
  }
}

// The floor carries the weight, and walls what water of that depth presses with: density g H^2/2
// for each metre. By spheres the surface is between cells whose middles are 0.433 and 0.829 away
// from the next particle, at 7.922 of 8 cells.
static void presses_on_walls(bool spheres) {
  const int lo[3] = {0, 0, 0}, hi[3] = {5, 8, 4};
  flip_plan plan = flip_default_plan();
  plan.gravity[1] = -G;
  plan.flip.surface_spheres = spheres;
  flip_case c = flip_case_open(&plan);
  flip_case_tank(&c, lo, hi, false);
  flip_case_box(&c, lo, hi, 0, NULL);
  flip_case_steps(&c, 20);
  double h = c.h, weight = 1000 * G * 5 * 8 * 4 * h * h * h, time = firn_sim_time(c.sim);
  firn_collider_force floor, left, right;
  must(&c, firn_sim_collider_force(c.sim, 2, &floor)); // of lower x, upper x, lower y
  must(&c, firn_sim_collider_force(c.sim, 0, &left));
  must(&c, firn_sim_collider_force(c.sim, 1, &right));
  assert_relative("weight on the floor", floor.impulse[1] / time, -weight, 1e-5);
  double in = sqrt(3.0 / 16) - 0.6, out = sqrt(11.0 / 16) - 0.6,
         depth = (spheres ? 7.5 + in / (in - out) : 8) * h;
  double side = 1000 * G * depth * depth / 2 * 4 * h;
  assert_relative("push on a wall", left.impulse[0] / time, -side, 1e-3);
  assert_relative("and on the other", right.impulse[0] / time, -left.impulse[0] / time, 1e-5);
  assert_below("up a wall", left.impulse[1] / weight / time, 1e-9);
  flip_case_close(&c);
}

static void a_tank_presses_on_its_walls(void **state) {
  (void)state;
  for (int spheres = 0; spheres < 2; spheres++) presses_on_walls(spheres);
}

// F3: after the projection of a velocity that is anything, no cell loses or gains more than the
// solve leaves; the surface may lie anywhere, colliders cut cells anyhow.
static void what_flows_in_flows_out(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; kernel++) {
    flip_plan plan = flip_default_plan();
    plan.flip.kernel = kernel ? FIRN_FLIP_KERNEL_BSPLINE : FIRN_FLIP_KERNEL_SPH;
    plan.flip.pressure_tolerance = by_precision(1e-6, 1e-10);
    flip_case c = flip_case_open(&plan);
    flip_case_box(&c, (const int[3]){-4, 0, -5}, (const int[3]){5, 6, 4}, 0.2, NULL);
    const double tilted[3] = {0.3, 0.9, -0.2}, moving[3] = {0.1, 0.2, 0};
    flip_case_plane(&c, (const double[3]){0, 0.12, 0}, tilted, moving);
    firn_collider_def ball = firn_default_collider_def();
    ball.shape = firn_sphere((const double[3]){0.1, 0.4, 0}, 0.17);
    must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
    flip_case_prepare(&c, 5e-3);
    flip *s = flip_case_solver(&c);
    for (int a = 0; a < 3; a++)
      for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++)
        s->u[a][i] = (firn_real)flip_random(11, 3 * i + (size_t)a, -1, 1);
    must(&c, flip_project(s, false));
    assert_true(flip_case_stat(&c, "pressure_residual") <= plan.flip.pressure_tolerance);
    double sum2 = 0, before2 = 0, cells = 0;
    for (size_t g = 0; g < s->grid.count; g++)
      for (int cell = 0; cell < FLIP_CELLS; cell++) {
        size_t i = FLIP_CELLS * g + (size_t)cell;
        double flow = 0;
        if (!flip_bit(s->active, i)) continue;
        for (int a = 0; a < 3; a++)
          for (int up = 0; up < 2; up++) {
            size_t face = up ? flip_beside(s, g, cell, a, 1) : i;
            double open = (double)s->open[a][face];
            double out = open * (double)s->u[a][face] + (1 - open) * (double)s->wall[a][face];
            flow += up ? out : -out;
          }
        sum2 += flow * flow;
        before2 += 2; // six faces of variance 1/3
        cells++;
      }
    assert_true(cells > 200);
    // Velocities are rounded once more, six of them a cell.
    double bound = plan.flip.pressure_tolerance * sqrt(before2) + EPS * sqrt(6 * cells);
    assert_below("divergence", sqrt(sum2), 2 * bound);
    flip_case_close(&c);
  }
}

// F5: a piston under a column with a free surface lifts it as one, at its own speed.
static void a_piston_lifts_a_column(void **state) {
  (void)state;
  const double lift[3] = {0, 0.4, 0};
  for (int w = 0; w < WAY_COUNT; w++) {
    flip_plan plan = plan_of(&WAYS[w]);
    flip_case c = flip_case_open(&plan);
    const int lo[3] = {0, 0, 0}, hi[3] = {4, 6, 4};
    for (int a = 0; a < 3; a += 2) {
      double normal[3] = {0}, point[3] = {0};
      normal[a] = 1;
      flip_case_plane(&c, point, normal, NULL);
      normal[a] = -1;
      point[a] = 0.4;
      flip_case_plane(&c, point, normal, NULL);
    }
    flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, lift);
    flip_case_box(&c, lo, hi, 0, NULL);
    flip_case_steps(&c, 12);
    double *v = flip_case_read(&c, "velocity", 3), off = 0;
    // FLIP takes the change alone, which is all of it in the first step.
    for (size_t i = 0; i < 3 * flip_case_count(&c); i++) worst(&off, v[i] - lift[i % 3]);
    assert_below("speed of the column, off", off, by_precision(2e-6, 1e-6));
    free(v);
    flip_case_close(&c);
  }
}

// A pool without a surface has no way to tell its pressure, and rests all the same; pressed
// together it goes on too, as well as it can.
static void a_closed_pool_goes_on(void **state) {
  (void)state;
  const int lo[3] = {0, 0, 0}, hi[3] = {4, 5, 4};
  for (int pressed = 0; pressed < 2; pressed++) {
    flip_plan plan = flip_default_plan();
    plan.gravity[1] = -G;
    flip_case c = flip_case_open(&plan);
    flip_case_tank(&c, lo, hi, true);
    if (pressed) {
      const double down[3] = {0, -0.5, 0};
      flip_case_plane(&c, (const double[3]){0, 0.5, 0}, (const double[3]){0, -1, 0}, down);
    }
    flip_case_box(&c, lo, hi, 0, NULL);
    flip_case_steps(&c, 20);
    assert_int_equal(flip_case_stat(&c, "cells_closed"), flip_case_stat(&c, "cells"));
    assert_int_equal(flip_case_stat(&c, "unconverged"), 0);
    double *v = flip_case_read(&c, "velocity", 3), most = 0;
    for (size_t i = 0; i < 3 * flip_case_count(&c); i++) worst(&most, v[i]);
    assert_below("speed", most, pressed ? 2 : 1e-6);
    free(v);
    flip_case_close(&c);
  }
}

// Water that is squeezed into 8 of the 10 layers of cells that it needs gets them back, and no
// more; were its volume not kept, it would never notice.
static void squeezed_water_gets_its_room_back(void **state) {
  (void)state;
  enum { N = 5, LAYERS = 10, COUNT = 8 * N * N * LAYERS };
  for (int kept = 0; kept < 2; kept++) {
    flip_plan plan = flip_default_plan();
    plan.gravity[1] = -G;
    plan.flip.keep_volume = kept;
    flip_case c = flip_case_open(&plan);
    flip_case_tank(&c, (const int[3]){0, 0, 0}, (const int[3]){N, 2 * LAYERS, N}, false);
    double *x = malloc(3 * COUNT * sizeof *x), sum = 0;
    for (size_t i = 0; i < COUNT; i++) {
      const size_t at[3] = {i / (4 * N * LAYERS), i / (2 * N) % (2 * LAYERS), i % (2 * N)};
      for (size_t a = 0; a < 3; a++)
        x[3 * i + a] = ((double)at[a] / 2 + 0.25) * c.h * (a == 1 ? 0.8 : 1);
    }
    firn_particles_def def = firn_default_particles_def();
    def.count = COUNT;
    def.position = x;
    must(&c, firn_sim_add_particles(c.sim, &def));
    free(x);
    flip_case_steps(&c, 120);
    x = flip_case_read(&c, "position", 3);
    for (size_t i = 0; i < COUNT; i++) sum += x[3 * i + 1] / c.h / COUNT;
    free(x);
    // The middle of 8 layers is at 4, that of 10 at 5.
    if (kept) assert_relative("middle of the water, cells", sum, LAYERS / 2.0, 0.01);
    if (!kept) assert_true(sum < 4.2);
    flip_case_close(&c);
  }
}

// Speed, m/s, that is left to water at rest under apic whose particles had one of up to 1 m/s each
// at random.
static double restless_under_apic(firn_flip_kernel kernel) {
  enum { N = 8, COUNT = 8 * N * N * N };
  flip_plan plan = flip_default_plan();
  plan.flip.kernel = kernel;
  plan.flip.transfer = FIRN_FLIP_TRANSFER_APIC;
  plan.flip.keep_volume = true;
  plan.gravity[1] = -G;
  flip_case c = flip_case_open(&plan);
  flip_case_tank(&c, (const int[3]){0, 0, 0}, (const int[3]){N, N, N}, false);
  double *x = malloc(3 * COUNT * sizeof *x), *v = malloc(3 * COUNT * sizeof *v), sum = 0;
  for (size_t i = 0; i < COUNT; i++) {
    const size_t at[3] = {i / (4 * N * N), i / (2 * N) % (2 * N), i % (2 * N)};
    for (size_t a = 0; a < 3; a++) {
      x[3 * i + a] = ((double)at[a] / 2 + 0.25) * c.h;
      v[3 * i + a] = flip_random(5, 3 * i + a, -1, 1);
    }
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = COUNT;
  def.position = x;
  def.velocity = v;
  must(&c, firn_sim_add_particles(c.sim, &def));
  free(x), free(v);
  flip_case_steps(&c, 200);
  v = flip_case_read(&c, "velocity", 3);
  for (size_t i = 0; i < 3 * COUNT; i++) sum += v[i] * v[i] / COUNT;
  free(v);
  flip_case_close(&c);
  return sqrt(sum);
}

// Gradients of what one cell cannot tell from noise would keep water moving for good: under the
// radial kernels, whose reach is longer than that of linear weights, three times as fast.
static void apic_lets_water_come_to_rest(void **state) {
  (void)state;
  double radial = restless_under_apic(FIRN_FLIP_KERNEL_SPH),
         splines = restless_under_apic(FIRN_FLIP_KERNEL_BSPLINE);
  flip_report("speed left: %g m/s by radial kernels, %g m/s by splines\n", radial, splines);
  assert_true(radial < 2 * splines && splines < 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_fall_alike),
      cmocka_unit_test(a_tank_stays_at_rest),
      cmocka_unit_test(a_tank_presses_on_its_walls),
      cmocka_unit_test(what_flows_in_flows_out),
      cmocka_unit_test(a_piston_lifts_a_column),
      cmocka_unit_test(a_closed_pool_goes_on),
      cmocka_unit_test(squeezed_water_gets_its_room_back),
      cmocka_unit_test(apic_lets_water_come_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
