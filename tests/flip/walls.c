// SPDX-License-Identifier: Apache-2.0
// labels: F2 F6
// Particles beside walls have the pressure of their depth, and are crushed by it, as others are,
// however the tank is turned on the grid.
#include "support/flip_case.h"

static const double G = 9.81; // m/s^2
enum { WIDE = 4, DEEP = 6 };  // cells

typedef struct tank {
  double axis[3][3]; // across, up, across
  double corner[3];  // cells, where the floor meets two walls
  flip_case c;
} tank;

// A tank whose upward axis is this, of any length, with its corner there, in cells; all but the
// lid.
static tank open_tank(flip_plan *plan, const double up[3], const double corner[3]) {
  tank t = {.corner = {corner[0], corner[1], corner[2]}};
  double size = sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]), flat = hypot(up[1], up[0]);
  const double along[3] = {up[1] / flat, -up[0] / flat, 0};
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    t.axis[0][a] = along[a];
    t.axis[1][a] = up[a] / size;
    t.axis[2][a] = (along[b] * up[d] - along[d] * up[b]) / size;
    plan->gravity[a] = -G * up[a] / size;
  }
  t.c = flip_case_open(plan);
  for (int side = 0; side < 5; side++) {
    int k = side % 3;
    double point[3], normal[3], far = side < 3 ? 0 : WIDE;
    if (side == 4) k = 2;
    if (side == 3) k = 0;
    for (int a = 0; a < 3; a++) {
      point[a] = (corner[a] + far * t.axis[k][a]) * plan->h;
      normal[a] = (side < 3 ? 1 : -1) * t.axis[k][a];
    }
    flip_case_plane(&t.c, point, normal, NULL);
  }
  return t;
}

static void fill_tank(const tank *t) {
  enum { COUNT = 8 * WIDE * DEEP * WIDE };
  double x[COUNT][3];
  for (int n = 0; n < COUNT; n++) {
    const double at[3] = {n / (4 * DEEP * WIDE) / 2.0 + 0.25,
                          n / (2 * WIDE) % (2 * DEEP) / 2.0 + 0.25, n % (2 * WIDE) / 2.0 + 0.25};
    for (int a = 0; a < 3; a++)
      x[n][a] = (t->corner[a] + at[0] * t->axis[0][a] + at[1] * t->axis[1][a] +
                 at[2] * t->axis[2][a]) *
                t->c.h;
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = COUNT;
  def.position = x[0];
  must(&t->c, firn_sim_add_particles(t->c.sim, &def));
}

// Cells, from the surface, and to the next wall.
static double depth_of(const tank *t, const double x[3], double *away) {
  double at[3] = {0};
  for (int k = 0; k < 3; k++)
    for (int a = 0; a < 3; a++) at[k] += (x[a] / t->c.h - t->corner[a]) * t->axis[k][a];
  *away = fmin(at[1], fmin(fmin(at[0], WIDE - at[0]), fmin(at[2], WIDE - at[2])));
  return DEEP - at[1];
}

static const struct {
  double up[3], corner[3];
} PLACES[] = {{{0, 1, 0}, {0, 0, 0}},
              {{0, 1, 0}, {0.37, 0.21, 0.68}},
              {{0.3, 0.9, 0}, {0.1, 0.4, 0.23}},
              {{0.29, 0.81, 0.52}, {0, 0.13, 0.57}},
              {{-0.6, 0.5, 0.63}, {0.71, 0.3, 0.42}}};
enum { PLACE_COUNT = sizeof PLACES / sizeof *PLACES };

// What particles say of their depth, cells, over what it is. The water's surface, of spheres, is
// not where its particles end: by how much is what those far from walls say.
typedef struct depths {
  double surface; // cells
  double mean, worst, count;
} depths;

static depths compare(const tank *t, const double *x, const double *said) {
  size_t count = flip_case_count(&t->c);
  depths out = {0};
  double inside = 0;
  for (int beside = 0; beside < 2; beside++) {
    for (size_t n = 0; n < count; n++) {
      double away, depth = depth_of(t, x + 3 * n, &away), off = said[n] - depth;
      if (depth < 2) continue;
      if (!beside && away > 1) out.surface += off, inside++;
      if (!beside || away > 0.5) continue;
      worst(&out.worst, (off - out.surface) / depth);
      out.mean += said[n] / (depth + out.surface);
      out.count++;
    }
    if (!beside) out.surface /= inside;
  }
  out.mean /= out.count;
  return out;
}

// The worst are those that a wall askew leaves alone in a cell that it cuts: their pressure is that
// of its middle.
static void check(const char *what, int place, const tank *t, const double *x, const double *said) {
  depths d = compare(t, x, said);
  flip_report("%s, place %d: surface %.3f cells, %g particles: mean %.4f, worst %.4f\n", what,
              place, d.surface, d.count, d.mean, d.worst);
  assert_relative("mean over that of the depth", d.mean, 1, 2e-3);
  assert_below("worst", d.worst, place < 3 ? 0.01 : 0.08);
}

static void pressure_beside_walls_is_that_of_the_depth(void **state) {
  (void)state;
  for (int kernel = 0; kernel < 2; kernel++) {
    for (int i = 0; i < PLACE_COUNT; i++) {
      flip_plan plan = flip_default_plan();
      plan.flip.kernel = kernel ? FIRN_FLIP_KERNEL_BSPLINE : FIRN_FLIP_KERNEL_SPH;
      tank t = open_tank(&plan, PLACES[i].up, PLACES[i].corner);
      fill_tank(&t);
      double *x = flip_case_read(&t.c, "position", 3);
      flip_case_steps(&t.c, 1);
      double *p = flip_case_read(&t.c, "pressure", 1);
      for (size_t n = 0; n < flip_case_count(&t.c); n++) p[n] /= 1000 * G * plan.h;
      check(kernel ? "bspline" : "sph", i, &t, x, p);
      free(x), free(p);
      flip_case_close(&t.c);
    }
  }
}

static void snow_beside_walls_is_crushed_by_the_law(void **state) {
  (void)state;
  enum { STEPS = 20 };
  const double rate = 1e-5, threshold = 300;
  for (int i = 0; i < PLACE_COUNT; i++) {
    flip_plan plan = flip_default_plan();
    firn_material_preset(NULL, "snow", &plan.material);
    plan.material.density = 400;
    plan.material.yield_cohesion = 1e5;
    plan.material.crushing = rate;
    plan.flip.durability_threshold = threshold;
    tank t = open_tank(&plan, PLACES[i].up, PLACES[i].corner);
    fill_tank(&t);
    double *x = flip_case_read(&t.c, "position", 3);
    flip_case_steps(&t.c, STEPS);
    double *d = flip_case_read(&t.c, "durability", 1);
    for (size_t n = 0; n < flip_case_count(&t.c); n++)
      d[n] = ((1 - d[n]) / (rate * STEPS) + threshold) / (400 * G * plan.h);
    check("durability", i, &t, x, d);
    free(x), free(d);
    flip_case_close(&t.c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pressure_beside_walls_is_that_of_the_depth),
      cmocka_unit_test(snow_beside_walls_is_crushed_by_the_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
