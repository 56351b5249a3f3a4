// SPDX-License-Identifier: Apache-2.0
// labels: M33
// Collisions with walls that move: the velocity algebra by itself, the surface's velocity, and both
// in a step.
#include "world/contact.h"
#include "support/mpm_case.h"
#include "world/collider.h"

// An oblique unit normal and two tangents, exact in binary but for rounding of the last digit.
static const double N[3] = {2.0 / 3, 2.0 / 3, 1.0 / 3}, T[3] = {-2.0 / 3, 1.0 / 3, 2.0 / 3};
static const double WALL[3] = {3, -1.5, 0.25}; // m/s

static void combine(double n, double t, double v[3]) {
  for (int a = 0; a < 3; a++) v[a] = WALL[a] + n * N[a] + t * T[a];
}

// Collides a velocity given relative to the wall, and compares with what should come of it.
static void check(double n, double t, double friction, bool sticky, firn_contact kind,
                  double n_after, double t_after) {
  double v[3], expected[3];
  combine(n, t, v);
  combine(n_after, t_after, expected);
  assert_int_equal(firn_contact_resolve(v, WALL, N, friction, sticky), kind);
  // 1e-15 of the velocities at hand, which are a few m/s; times a few roundings of each.
  for (int a = 0; a < 3; a++) assert_within(NULL, "velocity, m/s", v[a], expected[a], 4e-15);
}

static void velocities_follow_the_closed_form(void **state) {
  (void)state;
  // Separating: left alone, whatever else is true.
  check(1.5, 2, 0.5, false, FIRN_CONTACT_NONE, 1.5, 2);
  check(1e-9, -3, INFINITY, false, FIRN_CONTACT_NONE, 1e-9, -3);
  // Sticking: |v_t| <= mu |v_n|.
  check(-2, 0.75, 0.5, false, FIRN_CONTACT_STICK, 0, 0);
  check(-2, 3, INFINITY, false, FIRN_CONTACT_STICK, 0, 0);
  check(-2, 0, 1e-12, false, FIRN_CONTACT_STICK, 0, 0);
  // Slipping: the tangential part loses mu |v_n|.
  check(-2, 3, 0.5, false, FIRN_CONTACT_SLIP, 0, 2);
  check(-2, -3, 0.5, false, FIRN_CONTACT_SLIP, 0, -2);
  check(-0.5, 4, 0.25, false, FIRN_CONTACT_SLIP, 0, 3.875);
  check(-2, 3, 0, false, FIRN_CONTACT_SLIP, 0, 3);
  // Without friction even what has no tangential velocity: it may get one in the solve.
  check(-2, 0, 0, false, FIRN_CONTACT_SLIP, 0, 0);
  // Sticky surfaces hold what leaves, too.
  check(1.5, 2, 0.5, true, FIRN_CONTACT_STICK, 0, 0);
  check(-1.5, 2, 0, true, FIRN_CONTACT_STICK, 0, 0);
}

static void untouched_velocities_keep_their_bits(void **state) {
  (void)state;
  double v[3] = {0.1 + 0.2, -1.0 / 3, 1e-300}, before[3];
  const double rest[3] = {0, 0, 0}, up[3] = {0, 0, 1};
  memcpy(before, v, sizeof v);
  assert_int_equal(firn_contact_resolve(v, rest, up, 0.5, false), FIRN_CONTACT_NONE);
  assert_memory_equal(v, before, sizeof v);
}

// A sphere that flies and spins: the surface velocity is V + w x r about where its centre is now.
static void surface_moves_with_velocity_and_spin(void **state) {
  (void)state;
  firn_collider_def def = firn_default_collider_def();
  const double center[3] = {0.5, 0, -0.25}, velocity[3] = {1, 2, -0.5}, spin[3] = {0, 0, 4};
  def.shape = firn_sphere(center, 0.25);
  memcpy(def.velocity, velocity, sizeof velocity);
  memcpy(def.spin, spin, sizeof spin);
  firn_context_def context_def = firn_default_context_def();
  firn_context *context;
  assert_int_equal(firn_context_create(&context_def, &context), FIRN_OK);
  firn_collider collider;
  assert_int_equal(firn_collider_make(context, &def, 0, 0, &collider), FIRN_OK);
  const double time = 0.5, r[3] = {0.375, -0.5, 0.125};
  double x[3], n[3], v[3], length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  for (int a = 0; a < 3; a++) x[a] = center[a] + time * velocity[a] + r[a];
  firn_collider_prepare(&collider, time);
  double distance = firn_collider_sample(&collider, x, n, v);
  assert_within(NULL, "distance, m", distance, length - 0.25, 1e-15);
  const double expected[3] = {velocity[0] - 4 * r[1], velocity[1] + 4 * r[0], velocity[2]};
  for (int a = 0; a < 3; a++) {
    assert_within(NULL, "normal", n[a], r[a] / length, 1e-15);
    assert_within(NULL, "surface velocity, m/s", v[a], expected[a], 1e-15);
  }
  firn_collider_free(&collider);
  firn_context_destroy(context);
}

typedef struct nodes {
  double floor;   // m, of the wall at the time it was sampled
  double wall[3]; // m/s
  int inside;     // nodes in the wall ...
  double off;     // ... and how far their velocity is from the wall's, at most
} nodes;

static void look_at_node(void *user, const double x[3], const firn_real node[4]) {
  nodes *s = user;
  if (x[1] > s->floor) return;
  s->inside++;
  for (int a = 0; a < 3; a++) worst(&s->off, (double)node[a] - s->wall[a]);
}

// A floor that rises at 3 m/s and drifts sideways into snow at rest: with friction enough, what
// touches it takes its velocity, explicit or not, in every scheme.
static void nodes_in_a_moving_wall_take_its_velocity(void **state) {
  (void)state;
  const double h = 0.01, dt = 1e-4;
  for_each_variant(v) {
    for (int implicit = 0; implicit < 2; implicit++) {
      firn_sim_def def = mpm_elastic_def(v, h);
      def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
      def.mpm.dt = dt;
      firn_material_def elastic = mpm_elastic_material();
      mpm_case c = mpm_case_open(v, &def, &elastic);
      const int lo[3] = {0, 0, 0}, hi[3] = {2, 2, 2};
      mpm_case_lattice(&c, lo, hi, 2);
      firn_collider_def floor = firn_default_collider_def();
      floor.friction = 100;
      nodes seen = {.wall = {0.5, 3, -0.25}};
      memcpy(floor.velocity, seen.wall, sizeof seen.wall);
      floor.shape.center[1] = 0.2 * h;
      must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
      mpm_case_steps(&c, 1);
      seen.floor = 0.2 * h + 3 * dt; // D-8: at the end of the step
      mpm_case_visit_nodes(&c, look_at_node, &seen);
      assert_true(seen.inside >= 20);
      // The wall's velocity in working precision, which all of these numbers fit into.
      assert_true(seen.off == 0);
      firn_sums sums = mpm_case_sums(&c);
      assert_true(sums.momentum[0] > 0 && sums.momentum[1] > 0 && sums.momentum[2] < 0);
      mpm_case_close(&c);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_follow_the_closed_form),
      cmocka_unit_test(untouched_velocities_keep_their_bits),
      cmocka_unit_test(surface_moves_with_velocity_and_spin),
      cmocka_unit_test(nodes_in_a_moving_wall_take_its_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
