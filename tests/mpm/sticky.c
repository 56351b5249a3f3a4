// SPDX-License-Identifier: Apache-2.0
// labels: M32
// A sticky ceiling or wall holds snow that falls off it; Coulomb friction, however large, does not.
#include "support/mpm_case.h"

static const double H = 0.02, DT = 2e-4, G = 9.81; // m, s, m/s^2
enum { STEPS = 40 };

typedef struct nodes {
  double at[3], normal[3]; // of the surface
  int inside;              // nodes that have mass in the collider
  bool moving;             // one of them is not exactly at rest
} nodes;

static void look_at_node(void *user, const double x[3], const firn_real node[4]) {
  nodes *s = user;
  double distance = 0;
  for (int a = 0; a < 3; a++) distance += (x[a] - s->at[a]) * s->normal[a];
  if (distance > 0) return;
  s->inside++;
  for (int a = 0; a < 3; a++) s->moving = s->moving || node[a] != 0;
}

typedef struct setup {
  const char *name;
  double at[3], normal[3];
  double down[3]; // direction of gravity: off the surface, partly or wholly
} setup;

// The block fills the cube [0, 2 H]^3; surfaces are a quarter cell inside it.
static const setup setups[] = {
    {"ceiling", {0, 1.75 * 0.02, 0}, {0, -1, 0}, {0, -1, 0}},
    {"wall", {0.25 * 0.02, 0, 0}, {1, 0, 0}, {0.6, -0.8, 0}},
};

// Lets the block hang; returns the velocity of its centre of mass over that of free fall.
static double hang(const mpm_variant *v, const setup *s, bool sticky, bool implicit, nodes *seen) {
  firn_sim_def def = mpm_elastic_def(v, H);
  for (int a = 0; a < 3; a++) def.gravity[a] = G * s->down[a];
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.dt = DT;
  def.mpm.particle_contact = true;
  firn_material_def elastic = mpm_elastic_material();
  elastic.young = 1.4e6; // stiff enough not to sag in the time
  mpm_case c = mpm_case_open(v, &def, &elastic);
  const int lo[3] = {0, 0, 0}, hi[3] = {2, 2, 2};
  mpm_case_lattice(&c, lo, hi, 2);
  firn_collider_def surface = firn_default_collider_def();
  surface.shape = firn_half_space(s->at, s->normal);
  surface.sticky = sticky;
  surface.friction = INFINITY;
  must(&c, firn_sim_add_collider(c.sim, &surface, NULL));
  *seen = (nodes){0};
  memcpy(seen->at, s->at, sizeof seen->at);
  memcpy(seen->normal, s->normal, sizeof seen->normal);
  for (int i = 0; i < STEPS; i++) {
    mpm_case_steps(&c, 1);
    mpm_case_visit_nodes(&c, look_at_node, seen);
  }
  firn_sums sums = mpm_case_sums(&c);
  double fall = 0;
  for (int a = 0; a < 3; a++) fall += s->down[a] * sums.momentum[a] / sums.mass / (G * DT * STEPS);
  mpm_report(v, "%s %s, %s: %.2e of free fall", sticky ? "sticky" : "Coulomb", s->name,
             implicit ? "implicit" : "explicit", fall);
  mpm_case_close(&c);
  return fall;
}

static void sticky_surface_holds_exactly(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int i = 0; i < 4; i++) {
      nodes seen;
      double fall = hang(v, &setups[i / 2], true, i % 2, &seen);
      assert_true(seen.inside > 20 * STEPS);
      assert_false(seen.moving);
      assert_below(v, "velocity over that of free fall", fall, 0.2); // it bounces a little
    }
  }
}

static void coulomb_surface_lets_go(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int i = 0; i < 4; i++) {
      nodes seen;
      double fall = hang(v, &setups[i / 2], false, i % 2, &seen);
      assert_true(seen.inside > 0 && seen.moving);
      // Free fall: each of the steps rounds velocities once, and the solve of what is all one
      // velocity changes them by rounding.
      assert_within(v, "velocity over that of free fall", fall, 1, 4 * STEPS * EPS);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sticky_surface_holds_exactly),
      cmocka_unit_test(coulomb_surface_lets_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
