// SPDX-License-Identifier: Apache-2.0
// labels: M32
// A sticky body that grazes a sticky surface, through snow without strength. With nodes that sticky
// colliders hold under PIC and all others under the blend, the velocity of a particle becomes
//   alpha (1 - S) v + sum over held w v_co + (1 - alpha) sum over free w v_i,   S = sum over held w,
// whose weights are at least 0 and add up to 1: no particle is ever faster than the body. Under the
// blend alone, as printed, held nodes take from free particles what particles stuck to the body
// bring to them, in every step.
#include "support/mpm_case.h"

static const double H = 0.02, SPEED = 8, DT = 2e-4; // m, m/s, s
enum { STEPS = 120, LOOK = 10 };

static double size_of(const double a[3]) {
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// Neither surface nor way is along the grid.
static const double NORMAL[3] = {0.22, 0.93, -0.295}, POINT[3] = {0.31, -2.63, 0.17}; // 1, cells
static const double WAY[3] = {0.93, -0.22, 0}; // across NORMAL
static const double RADIUS = 2.6, GAP = 0.3;   // cells

typedef struct setup {
  const char *name;
  bool implicit, pic_advect;
  double flip;
} setup;

static const setup setups[] = {{"explicit", false, false, 0.95},
                               {"semi-implicit", true, false, 0.95},
                               {"explicit FLIP, moved by PIC", false, true, 1}};
enum { SETUPS = sizeof setups / sizeof *setups };

static void add_bodies(const mpm_case *c, int *ids) {
  double point[3], center[3], n = size_of(NORMAL), way = size_of(WAY);
  firn_collider_def body = firn_default_collider_def();
  for (int a = 0; a < 3; a++) {
    point[a] = H * POINT[a];
    center[a] = point[a] + H * ((RADIUS + GAP) * NORMAL[a] / n - 6 * WAY[a] / way);
  }
  body.sticky = body.forces = true;
  body.shape = firn_half_space(point, NORMAL);
  must(c, firn_sim_add_collider(c->sim, &body, &ids[0]));
  body.shape = firn_sphere(center, H * RADIUS);
  for (int a = 0; a < 3; a++) body.velocity[a] = SPEED * WAY[a] / way;
  must(c, firn_sim_add_collider(c->sim, &body, &ids[1]));
}

// Returns the largest speed of a particle over that of the body, and what momentum is out of
// balance by over what has been given in all.
static double graze(const mpm_variant *v, const setup *s, bool printed, double *off) {
  firn_sim_def def = mpm_printed_def(v, H);
  def.mpm.integrator = s->implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.advect_pic = s->pic_advect;
  def.mpm.flip = s->flip;
  def.mpm.particle_contact = true;
  def.mpm.sticky_blend = printed;
  def.mpm.dt = DT;
  firn_material_def weak = mpm_elastic_material();
  weak.young = 1e-9; // Pa: no forces to speak of
  mpm_case c = mpm_case_open(v, &def, &weak);
  int ids[2];
  add_bodies(&c, ids);
  const int lo[3] = {-5, -4, -3}, hi[3] = {6, 0, 3};
  mpm_case_jittered(&c, lo, hi, 2, 0.5, 41);
  static double thin[3 * 60]; // and some that have most of their nodes to themselves
  for (uint64_t i = 0; i < 60; i++) {
    for (uint64_t a = 0; a < 3; a++) thin[3 * i + a] = H * mpm_random(42, 3 * i + a, -7, 9);
    thin[3 * i + 1] = H * mpm_random(43, i, 0, 4);
  }
  mpm_case_add(&c, 60, thin, 8);
  double most = 0, left[3] = {0}, given = 0;
  for (int i = 0; i < STEPS / LOOK; i++) {
    mpm_case_steps(&c, LOOK);
    double *u = mpm_case_read(&c, "velocity");
    for (size_t p = 0; p < mpm_case_count(&c); p++) worst(&most, size_of(u + 3 * p) / SPEED);
    free(u);
  }
  firn_sums sums = mpm_case_sums(&c);
  for (int a = 0; a < 3; a++) left[a] = sums.momentum[a];
  for (int i = 0; i < 2; i++) {
    firn_collider_force f;
    must(&c, firn_sim_collider_force(c.sim, ids[i], &f));
    for (int a = 0; a < 3; a++) {
      left[a] += f.impulse[a];
      given += fabs(f.impulse[a]);
    }
  }
  *off = size_of(left) / given;
  mpm_report(v, "%s%s: %.4f of the body's speed, momentum off by %.1e", s->name,
             printed ? ", printed" : "", most, *off);
  mpm_case_close(&c);
  return most;
}

static void no_particle_is_faster_than_the_body(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int i = 0; i < SETUPS && !is_apic(v); i++) {
      double off;
      // A step rounds a velocity some ten times.
      assert_below(v, "speed over the body's", graze(v, &setups[i], false, &off),
                   1 + 10 * STEPS * EPS);
      assert_below(v, "momentum out of balance", off, 100 * STEPS * EPS);
    }
  }
}

static void as_printed_they_are(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    double off;
    if (is_apic(v)) continue;
    assert_true(graze(v, &setups[0], true, &off) > 1.5);
    assert_below(v, "momentum out of balance", off, 100 * STEPS * EPS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_particle_is_faster_than_the_body),
      cmocka_unit_test(as_printed_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
