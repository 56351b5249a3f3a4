// SPDX-License-Identifier: Apache-2.0
// labels: F8
// Blocks that nothing breaks on planes that no axis of the grid goes along: they slide with the
// acceleration g (sin - mu cos), straight down, and do not turn.
#include "support/flip_case.h"

static const double G = 9.81; // m/s^2

typedef struct incline {
  double normal[3]; // of any length
  double offset;    // cells, of the plane along the normal
  double friction;
} incline;

// Unit vectors: out of the plane, down it, and across.
static void frame_of(const incline *p, double n[3], double down[3], double across[3]) {
  double size = sqrt(p->normal[0] * p->normal[0] + p->normal[1] * p->normal[1] +
                     p->normal[2] * p->normal[2]);
  for (int a = 0; a < 3; a++) n[a] = p->normal[a] / size;
  double sine = sqrt(1 - n[1] * n[1]);
  for (int a = 0; a < 3; a++) down[a] = (n[1] * n[a] - (a == 1)) / sine;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    across[a] = n[b] * down[d] - n[d] * down[b];
  }
}

// Eight particles a cell on a lattice that is turned with the plane: size cells down it, out of it
// and across.
static void add_turned(const flip_case *c, const incline *p, const int size[3]) {
  double axis[3][3];
  frame_of(p, axis[1], axis[0], axis[2]);
  size_t count = 8 * (size_t)(size[0] * size[1] * size[2]), next = 0;
  double *x = malloc(3 * count * sizeof *x);
  for (int i = 0; i < 2 * size[0]; i++)
    for (int j = 0; j < 2 * size[1]; j++)
      for (int k = 0; k < 2 * size[2]; k++, next += 3) {
        const double at[3] = {i / 2.0 + 0.25 - size[0] / 2.0, j / 2.0 + 0.25 + p->offset,
                              k / 2.0 + 0.25 - size[2] / 2.0};
        for (int a = 0; a < 3; a++)
          x[next + (size_t)a] = (at[0] * axis[0][a] + at[1] * axis[1][a] + at[2] * axis[2][a]) *
                                c->h;
      }
  firn_particles_def def = firn_default_particles_def();
  def.count = count;
  def.position = x;
  must(c, firn_sim_add_particles(c->sim, &def));
  free(x);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void slide(const incline *p, double h) {
  enum { STEPS = 30 };
  static const int size[3] = {6, 3, 6};
  double n[3], down[3], across[3];
  frame_of(p, n, down, across);
  flip_plan plan = flip_default_plan();
  plan.h = h;
  plan.material.yield_angle = 0.6;
  plan.material.yield_cohesion = 1e5;
  plan.flip.flip = 1;
  plan.gravity[1] = -G;
  flip_case c = flip_case_open(&plan);
  firn_collider_def def = firn_default_collider_def();
  const double point[3] = {n[0] * p->offset * h, n[1] * p->offset * h, n[2] * p->offset * h};
  def.shape = firn_half_space(point, n);
  def.friction = p->friction;
  must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  add_turned(&c, p, size);
  firn_sums first, last;
  must(&c, firn_sim_sums(c.sim, &first));
  flip_case_steps(&c, STEPS);
  must(&c, firn_sim_sums(c.sim, &last));
  double t = STEPS * plan.flip.dt, speed[3], way[3], spin[3], gyration = size[0] * h / sqrt(6);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    speed[a] = last.momentum[a] / last.mass;
    way[a] = (last.center[a] - first.center[a]) / h;
    spin[a] = last.angular[a] - last.center[b] * last.momentum[d] +
              last.center[d] * last.momentum[b];
    spin[a] /= last.mass * gyration * gyration;
  }
  double due = G * fmax(0, sqrt(1 - n[1] * n[1]) - p->friction * n[1]);
  flip_report("normal %.3f %.3f %.3f, offset %g, friction %g: %.6f of %.6f m/s^2, drift %.1e and "
              "%.1e cells, "
              "spin %.1e rad/s\n",
              n[0], n[1], n[2], p->offset, p->friction, dot(speed, down) / t, due, dot(way, across),
              dot(way, n), sqrt(dot(spin, spin)));
  assert_relative("acceleration", dot(speed, down) / t, due, by_precision(3e-5, 1e-6));
  assert_below("drift across, cells", dot(way, across), by_precision(3e-5, 1e-6));
  assert_below("out of the plane, cells", dot(way, n), by_precision(3e-5, 1e-6));
  assert_below("spin, rad/s", sqrt(dot(spin, spin)), by_precision(3e-4, 1e-6));
  flip_case_close(&c);
}

// The first two of each orientation pass so close to nodes that open shares of faces are about to
// vanish.
static void blocks_slide_straight_down(void **state) {
  (void)state;
  static const incline all[] = {
      {{0, 0.866025, 0.5}, 0, 0},       {{0, 0.866025, 0.5}, 0, 0.3},
      {{0.3, 0.8, 0.52}, 0.23, 0},      {{0.3, 0.8, 0.52}, 0.69, 0.3},
      {{0.399, 0.866, 0.301}, 0.46, 0}, {{0.399, 0.866, 0.301}, 0.46, 0.3},
      {{0.399, 0.866, 0.301}, 0, 0},    {{0.399, 0.866, 0.301}, 0.92, 0.3},
      {{-0.21, 0.74, 0.43}, 0.137, 0},  {{-0.21, 0.74, 0.43}, 0.571, 0.3},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) slide(&all[i], i % 4 < 2 ? 0.02 : 0.04);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_slide_straight_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
