// SPDX-License-Identifier: Apache-2.0
// labels: P11 P12
// timeout: 60
// A surface keeps its traction and its pull on snow at any spacing, from that of reference on.
#include "support/both_lists.h"

// Pa, that a bed of snow gets from a plane on which it slides at 0.3 m/s as one, in the first step:
// along it without adhesion, and across it without friction.
typedef struct traction {
  double along, across;
} traction;

static double traction_of(double d, double reference, double nu, double adhesion) {
  enum { N = 8, LAYERS = 4 };
  const double dt = 1e-4, speed = 0.3;
  sph_plan plan = plan_with_lists();
  plan.spacing = d;
  plan.sph.dt = dt;
  plan.sph.reference_spacing = reference;
  plan.sph.friction_printed = true; // before the solves
  for (int a = 0; a < 3; a += 2) {
    plan.periodic[a] = true;
    plan.period[a] = N;
  }
  sph_case c = sph_case_open(&plan);
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_half_space((const double[3]){0, 0.3 * d, 0}, (const double[3]){0, 1, 0});
  def.friction_viscosity = nu;
  def.adhesion = adhesion;
  must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  const double corner[3] = {0.2 * d, 1.1 * d, 0.4 * d};
  sph_case_lattice(&c, (const int[3]){N, LAYERS, N}, corner, 0);
  sph_case_prepare(&c, dt);
  sph *s = sph_case_solver(&c);
  for_each_particle(s, i) {
    s->v[3 * i] = (firn_real)speed;
    s->v[3 * i + 1] = s->v[3 * i + 2] = 0;
  }
  double lost = 0, mass = 400 * d * d * d;
  size_t a = adhesion > 0; // across
  for_each_particle(s, i) lost += mass * (double)s->v[3 * i + a];
  sph_wall_forces(s);
  for_each_particle(s, i) lost -= mass * (double)s->v[3 * i + a];
  sph_case_close(&c);
  return lost / (dt * N * N * d * d);
}

static traction both(double d, double reference) {
  return (traction){traction_of(d, reference, 1e-3, 0), traction_of(d, reference, 0, 500)};
}

// Both are sums over samples that are similar at any d. Of the slip, by which a step's friction is
// less in the end, it takes dt nu 0.2/d^2: 6.6e-4 at 5.5 mm. That it takes 6e-5 at 18 mm, of a
// speed that float has to 6e-8 of itself, is known to 1e-3, and to less in the mean.
static void traction_is_that_of_reference(void **state) {
  (void)state;
  const double d = 0.01;
  traction own = both(d, 0), same = both(d, d);
  assert_true(own.along > 0 && own.across > 0);
  assert_true(own.along == same.along && own.across == same.across);
  for (int k = 0; k < 2; k++) {
    double other = k ? 0.018 : 0.0055;
    traction carried = both(other, d), printed = both(other, 0);
    assert_relative("along", carried.along, own.along, 1e-3);
    assert_relative("across", carried.across, own.across, 1e-3);
    assert_relative("along, as printed", printed.along, own.along * d / other, 1e-3);
    assert_relative("across, as printed", printed.across, own.across * other / d, 1e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {BOTH_LISTS(traction_is_that_of_reference)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
