// SPDX-License-Identifier: Apache-2.0
// labels: F7 slow
// timeout: 120
// A body that strikes snow pushes whole snow together and throws crushed snow.
#include "support/flip_case.h"

// Fig. 4: two balls of snow, alike but for their durability, each struck by a cuboid: the mean speed of all
// particles, m/s, after the blow.
static double speed_after(double durability, bool printed) {
  const double h = 0.02, R = 0.12;
  flip_plan plan = flip_default_plan();
  firn_material_preset(NULL, "snow", &plan.material);
  plan.h = h;
  plan.material.density = 200;
  plan.material.durability = durability;
  plan.flip.kb_printed = printed;
  plan.gravity[1] = -9.81;
  flip_case c = flip_case_open(&plan);
  firn_collider_def floor = firn_default_collider_def(), cuboid = floor;
  floor.friction = cuboid.friction = 0.5;
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  cuboid.shape = firn_box((const double[3]){-R - 0.06, R, 0}, (const double[3]){0.05, 0.1, 0.1});
  cuboid.velocity[0] = 2;
  must(&c, firn_sim_add_collider(c.sim, &cuboid, NULL));
  firn_fill_def ball = firn_default_fill_def();
  ball.shape = firn_sphere((const double[3]){0, R, 0}, R);
  ball.seeding = FIRN_SEEDING_LATTICE;
  must(&c, firn_sim_fill(c.sim, &ball));
  flip_case_steps(&c, 20); // 0.1 s: the cuboid has gone 20 cm
  double *v = flip_case_read(&c, "velocity", 3), sum = 0;
  for (size_t i = 0; i < flip_case_count(&c); i++)
    sum += sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
  sum /= (double)flip_case_count(&c);
  flip_report("durability %g, %s: %g m/s\n", durability, printed ? "printed" : "default", sum);
  free(v);
  flip_case_close(&c);
  return sum;
}

// Whole snow gives way and stays, crushed snow is thrown; with the sign in print it comes out the other way.
static void crushed_snow_is_thrown(void **state) {
  (void)state;
  double whole = speed_after(1, false), crushed = speed_after(0.1, false);
  assert_true(crushed / whole >= 2);
  assert_true(speed_after(0.1, true) / whole < 1.2);
}

// The volume that has come over the level at which snow stood, where the body is not: what has flowed through
// the grid's surface, and the particles that are there. m^3
typedef struct displaced {
  double flowed, risen;
} displaced;

enum { WIDE = 12, DEEP = 10, BODY = 8 }; // cells

// Whether a place, in cells, is outside the body's way.
static bool is_beside(double x, double z) {
  return fmax(fabs(x - WIDE / 2.0), fabs(z - WIDE / 2.0)) > BODY / 2.0;
}

static double flow_of_step(const flip *s) {
  double sum = 0, h = s->world->h;
  for (size_t i = 0; i < FLIP_CELLS * s->grid.count; i++)
    for (int a = 0; a < 3; a++) {
      size_t below = flip_beside(s, i / FLIP_CELLS, (int)(i % FLIP_CELLS), a, -1);
      bool here = flip_bit(s->active, i), there = flip_bit(s->active, below);
      if (here != there)
        sum += (there ? 1 : -1) * (double)s->open[a][i] * (double)s->u[a][i] * s->dt * h * h;
    }
  return sum;
}

static double risen_of(const flip_case *c) {
  double *x = flip_case_read(c, "position", 3), h = c->h, count = 0;
  for (size_t i = 0; i < flip_case_count(c); i++)
    count += x[3 * i + 1] > DEEP * h && is_beside(x[3 * i] / h, x[3 * i + 2] / h);
  free(x);
  return count * h * h * h / 8;
}

// A cube goes down into snow between walls, which takes the share b of its velocity whatever happens.
static displaced press(double b, double *swept) {
  enum { STEPS = 60, DOWN = 6 };
  flip_plan plan = flip_default_plan();
  firn_material_preset(NULL, "snow", &plan.material);
  plan.h = 0.025;
  plan.material.velocity_factor = b;
  plan.material.velocity_factor_slope = 0;
  plan.flip.clusters = false;
  plan.gravity[1] = -9.81;
  flip_case c = flip_case_open(&plan);
  const double h = plan.h, middle = WIDE * h / 2, half = BODY * h / 2;
  flip_case_tank(&c, (const int[3]){0, 0, 0}, (const int[3]){WIDE, DEEP, WIDE}, false);
  firn_collider_def cube = firn_default_collider_def();
  cube.shape = firn_box((const double[3]){middle, (DEEP + 10) * h, middle},
                        (const double[3]){half, 10 * h, half});
  cube.velocity[1] = -DOWN * h / (STEPS * plan.flip.dt);
  must(&c, firn_sim_add_collider(c.sim, &cube, NULL));
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){WIDE, DEEP, WIDE}, 0.2, NULL);
  displaced out = {0};
  for (int n = 0; n < STEPS; n++) {
    flip_case_steps(&c, 1);
    out.flowed += flow_of_step(flip_case_solver(&c));
  }
  out.risen = risen_of(&c);
  *swept = BODY * BODY * DOWN * h * h * h;
  flip_case_close(&c);
  return out;
}

// F7: what is displaced is b times what the body sweeps. Of the flow that is the equation solved, but for the
// solve's tolerance; particles have to follow it. They lie anyhow, since rows of a lattice would come over the
// level all at once.
static void snow_makes_room_for_its_share(void **state) {
  (void)state;
  static const double share[] = {0.2, 0.5, 1};
  for (int i = 0; i < 3; i++) {
    double swept, b = share[i];
    displaced d = press(b, &swept);
    assert_relative("flow through the surface over volume swept", d.flowed / swept, b, 1e-3);
    assert_relative("particles over the level", d.risen / swept, b, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crushed_snow_is_thrown),
      cmocka_unit_test(snow_makes_room_for_its_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
