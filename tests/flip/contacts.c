// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// What colliders do to snow that holds together, and what they get for it: a block on the ground, in a corner,
// on what moves, before a plate; and grains that slide.
#include "support/flip_case.h"

static const double G = 9.81, DEGREE = 3.14159265358979323846 / 180;

// Within lo and hi.
#define assert_among(what, value, lo, hi)                                                          \
  assert_within(what, value, ((lo) + (hi)) / 2, ((hi) - (lo)) / 2)

// A block of 4 x 4 x 4 cells of 10 cm on y = 0, from x = 0 and z = 0, that nothing breaks: 12.8 kg.
static flip_plan block_plan(void) {
  flip_plan plan = flip_default_plan();
  plan.material.density = 200;
  plan.material.yield_angle = 35 * DEGREE;
  plan.material.yield_cohesion = 1e4;
  plan.flip.flip = 1;
  plan.gravity[1] = -G;
  return plan;
}

static int add_plane(const flip_case *c, const double normal[3], double at, double friction,
                     const double velocity[3], bool sticky) {
  firn_collider_def def = firn_default_collider_def();
  const double point[3] = {normal[0] * at, normal[1] * at, normal[2] * at};
  def.shape = firn_half_space(point, normal);
  def.friction = friction;
  def.sticky = sticky;
  def.forces = true;
  for (int a = 0; a < 3 && velocity; a++) def.velocity[a] = velocity[a];
  int id;
  must(c, firn_sim_add_collider(c->sim, &def, &id));
  return id;
}

static firn_sums sums_of(const flip_case *c) {
  firn_sums sums;
  must(c, firn_sim_sums(c->sim, &sums));
  return sums;
}

static void add_block(const flip_case *c, const double velocity[3]) {
  flip_case_box(c, (const int[3]){0, 0, 0}, (const int[3]){4, 4, 4}, 0, velocity);
}

// N, mean over the steps that come.
static void force_after(const flip_case *c, int id, int steps, double out[3]) {
  firn_collider_force force;
  firn_sim_collider_force_reset(c->sim);
  flip_case_steps(c, steps);
  must(c, firn_sim_collider_force(c->sim, id, &force));
  for (int a = 0; a < 3; a++) out[a] = force.impulse[a] / force.time;
}

static const double UP[3] = {0, 1, 0}, RIGHT[3] = {1, 0, 0}, DOWN[3] = {0, -1, 0};

// It stays where it is on the floor, beside a wall as well, whatever their friction.
static void a_block_rests_in_a_corner(void **state) {
  (void)state;
  for (int walls = 1; walls < 3; walls++) {
    for (int rough = 0; rough < 2; rough++) {
      flip_plan plan = block_plan();
      flip_case c = flip_case_open(&plan);
      int floor = add_plane(&c, UP, 0, rough * 0.5, NULL, false);
      if (walls == 2) add_plane(&c, RIGHT, 0, rough * 0.5, NULL, false);
      add_block(&c, NULL);
      double force[3];
      firn_sums first = sums_of(&c);
      force_after(&c, floor, 60, force);
      firn_sums now = sums_of(&c);
      for (int a = 0; a < 3; a++)
        // Contacts are settled to 1e-7 of g dt, in 0.3 s.
        assert_within("its middle, m", now.center[a], first.center[a], by_precision(2e-6, 5e-9));
      assert_relative("weight", force[1], -12.8 * G, walls == 1 ? 1e-5 : 1e-2);
      flip_case_close(&c);
    }
  }
}

// What a belt gives it is friction times its weight until it goes along.
static void a_belt_takes_a_block_along(void **state) {
  (void)state;
  flip_plan plan = block_plan();
  flip_case c = flip_case_open(&plan);
  int floor = add_plane(&c, UP, 0, 0.5, (const double[3]){1, 0, 0}, false);
  add_block(&c, NULL);
  double force[3];
  force_after(&c, floor, 30, force);
  firn_sums now = sums_of(&c);
  assert_relative("force of friction, N", force[0], -0.5 * 12.8 * G, 1e-4);
  assert_relative("speed after 0.15 s", now.momentum[0] / now.mass, 0.5 * G * 0.15, 1e-4);
  flip_case_steps(&c, 30);
  now = sums_of(&c);
  assert_relative("speed in the end", now.momentum[0] / now.mass, 1, 1e-4);
  assert_within("height of its middle, m", now.center[1], 0.2, by_precision(1e-5, 1e-8));
  flip_case_close(&c);
}

// A floor that rises carries it; a plate that pushes it gets what the floor's friction takes.
static void a_block_is_lifted_and_pushed(void **state) {
  (void)state;
  flip_plan plan = block_plan();
  flip_case c = flip_case_open(&plan);
  add_plane(&c, UP, 0, 0.5, (const double[3]){0, 0.3, 0}, false);
  add_block(&c, (const double[3]){0, 0.3, 0});
  flip_case_steps(&c, 60);
  assert_within("height, m", sums_of(&c).center[1], 0.29, by_precision(1e-5, 1e-6));
  flip_case_close(&c);

  c = flip_case_open(&plan);
  int floor = add_plane(&c, UP, 0, 0.5, NULL, false);
  int plate = add_plane(&c, RIGHT, 0, 0, (const double[3]){0.5, 0, 0}, false);
  add_block(&c, (const double[3]){0.5, 0, 0});
  double force[3], other[3];
  firn_collider_force of_plate;
  flip_case_steps(&c, 20);
  force_after(&c, floor, 40, force);
  must(&c, firn_sim_collider_force(c.sim, plate, &of_plate));
  for (int a = 0; a < 3; a++) other[a] = of_plate.impulse[a] / of_plate.time;
  assert_relative("floor along", force[0], 0.5 * 12.8 * G, 0.01);
  assert_relative("plate along", other[0], -0.5 * 12.8 * G, 0.01);
  assert_relative("floor down", force[1], -12.8 * G, 1e-4);
  assert_below("plate down", fabs(other[1]), 0.5);
  assert_within("way, m", sums_of(&c).center[0], 0.35, 2e-3);
  flip_case_close(&c);
}

// Between a floor and a plate that comes down no force could hold it: it gives way, with forces as of a fluid.
static void a_squeezed_block_gives_way(void **state) {
  (void)state;
  flip_plan plan = block_plan();
  flip_case c = flip_case_open(&plan);
  int floor = add_plane(&c, UP, 0, 0.5, NULL, false);
  int plate = add_plane(&c, DOWN, -0.4, 0.5, (const double[3]){0, -0.5, 0}, false);
  add_block(&c, NULL);
  double force[3];
  firn_collider_force of_plate;
  force_after(&c, floor, 20, force);
  must(&c, firn_sim_collider_force(c.sim, plate, &of_plate));
  assert_below("force of the floor, weights", fabs(force[1]) / (12.8 * G), 20);
  assert_below("force of the plate, weights",
               fabs(of_plate.impulse[1] / of_plate.time) / (12.8 * G), 20);
  flip_case_close(&c);
}

// Sticky walls and ceilings hold it.
static void sticky_colliders_hold(void **state) {
  (void)state;
  for (int ceiling = 0; ceiling < 2; ceiling++) {
    flip_plan plan = block_plan();
    flip_case c = flip_case_open(&plan);
    add_plane(&c, ceiling ? DOWN : RIGHT, ceiling ? -0.4 : 0, 0, NULL, true);
    add_block(&c, NULL);
    flip_case_steps(&c, 60);
    assert_within("height, m", sums_of(&c).center[1], 0.2, by_precision(1e-5, 1e-8));
    flip_case_close(&c);
  }
}

// Of two blocks of different density each presses on what it stands on by its own weight.
static void each_floor_bears_its_own(void **state) {
  (void)state;
  flip_plan plan = block_plan();
  flip_case c = flip_case_open(&plan);
  int id[2];
  for (int i = 0; i < 2; i++) {
    firn_collider_def def = firn_default_collider_def();
    def.shape = firn_box((const double[3]){0.2 + i, -0.2, 0.2}, (const double[3]){0.4, 0.2, 0.4});
    def.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &def, &id[i]));
  }
  add_block(&c, NULL);
  plan.material.density = 800;
  int heavy;
  must(&c, firn_sim_add_material(c.sim, &plan.material, &heavy));
  flip_case_box_of(&c, (const int[3]){10, 0, 0}, (const int[3]){14, 4, 4}, 0, NULL, heavy);
  flip_case_steps(&c, 20);
  for (int i = 0; i < 2; i++) {
    firn_collider_force force;
    must(&c, firn_sim_collider_force(c.sim, id[i], &force));
    assert_relative("weight", force.impulse[1] / force.time, -(i ? 51.2 : 12.8) * G, 1e-4);
  }
  flip_case_close(&c);
}

// A closed tank: the floor bears the water, the lid next to nothing.
static void a_full_tank_presses_down(void **state) {
  (void)state;
  flip_plan plan = flip_default_plan();
  plan.gravity[1] = -G;
  flip_case c = flip_case_open(&plan);
  int floor = add_plane(&c, UP, 0, 0, NULL, false), lid = add_plane(&c, DOWN, -0.4, 0, NULL, false);
  for (int a = 0; a < 3; a += 2) {
    double normal[3] = {0};
    normal[a] = 1;
    add_plane(&c, normal, 0, 0, NULL, false);
    normal[a] = -1;
    add_plane(&c, normal, -0.4, 0, NULL, false);
  }
  add_block(&c, NULL);
  flip_case_steps(&c, 10);
  firn_collider_force force;
  must(&c, firn_sim_collider_force(c.sim, floor, &force));
  double weight = 64 * G, down = force.impulse[1] / force.time;
  must(&c, firn_sim_collider_force(c.sim, lid, &force));
  double up = force.impulse[1] / force.time;
  // The lowest pressure is that on the lid.
  assert_relative("all", down + up, -weight, 1e-4);
  assert_below("lid over weight", up / weight, 1e-4);
  flip_case_close(&c);
}

// What lies on a floor that slides away below it is dragged by friction times its weight, at any size of cells:
// grains, and a paste that flows.
static void layers_are_dragged(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    bool fine = kind & 1, paste = kind & 2;
    flip_plan plan = flip_default_plan();
    int n = fine ? 16 : 8, deep = fine ? 8 : 4;
    plan.h = 0.8 / n;
    plan.material.density = 200;
    plan.material.yield_angle = paste ? 0 : 40 * DEGREE;
    plan.material.viscosity = paste ? 1e4 : 0;
    plan.gravity[1] = -G;
    for (int a = 0; a < 3; a += 2) {
      plan.periodic[a] = true;
      plan.period[a] = n;
    }
    flip_case c = flip_case_open(&plan);
    int floor = add_plane(&c, UP, 0, 0.3, (const double[3]){4, 0, 0}, false);
    flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){n, deep, n}, 0, NULL);
    double force[3];
    force_after(&c, floor, 20, force);
    assert_among("friction", force[0] / force[1], 0.28, 0.31);
    flip_case_close(&c);
  }
}

// Angular momentum of particles: a block that turns in free flight keeps what it has.
static void a_free_block_keeps_turning(void **state) {
  (void)state;
  flip_plan plan = block_plan();
  plan.gravity[1] = 0;
  flip_case c = flip_case_open(&plan);
  flip_case_box(&c, (const int[3]){-3, -2, -2}, (const int[3]){3, 2, 2}, 0, NULL);
  size_t count = flip_case_count(&c);
  double *x = flip_case_read(&c, "position", 3), *v = malloc(3 * count * sizeof *v);
  for (size_t i = 0; i < count; i++) {
    v[3 * i] = -2 * x[3 * i + 1];
    v[3 * i + 1] = 2 * x[3 * i];
    v[3 * i + 2] = 0;
  }
  must(&c, firn_sim_write(c.sim, "velocity", v));
  double before = sums_of(&c).angular[2];
  flip_case_steps(&c, 40);
  assert_relative("angular momentum", sums_of(&c).angular[2], before, by_precision(1e-5, 1e-12));
  free(x), free(v);
  flip_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_rests_in_a_corner),    cmocka_unit_test(a_belt_takes_a_block_along),
      cmocka_unit_test(a_block_is_lifted_and_pushed), cmocka_unit_test(a_squeezed_block_gives_way),
      cmocka_unit_test(sticky_colliders_hold),        cmocka_unit_test(each_floor_bears_its_own),
      cmocka_unit_test(a_full_tank_presses_down),     cmocka_unit_test(layers_are_dragged),
      cmocka_unit_test(a_free_block_keeps_turning)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
