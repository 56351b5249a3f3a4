// SPDX-License-Identifier: Apache-2.0
// Step 9, collisions of particles, and what goes with it: pushing out of a collider, and when
// colliders are sampled. Snow that moves as one gives every node its velocity, so all of this has a
// closed form that no scheme shares in.
#include "support/mpm_case.h"

static const double H = 0.02, DT = 1e-4; // m, s

// Weights of the nodes at or below `node` around a particle at y, both in cells.
static double share_below(const mpm_variant *v, double y, int node) {
  double sum = 0;
  for (int i = (int)floor(y) - 2; i <= node; i++) {
    double a = fabs(y - i);
    if (is_cubic(v)) {
      sum += a < 1 ? a * a * a / 2 - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
    } else {
      sum += a < 0.5 ? 0.75 - a * a : a < 1.5 ? (1.5 - a) * (1.5 - a) / 2 : 0;
    }
  }
  return sum;
}

static firn_collider_def ground_at(double y) {
  firn_collider_def ground = firn_default_collider_def();
  ground.shape.center[1] = y;
  return ground;
}

// One particle, which vector kernels set apart, or a layer of them.
static void add_snow(const mpm_case *c, bool alone) {
  const double x[3] = {0.3 * H, -0.3 * H, 0.9 * H};
  if (alone) {
    mpm_case_add(c, 1, x, 8);
  } else {
    mpm_case_jittered(c, (const int[]){-4, -1, -3}, (const int[]){5, 0, 4}, 2, 0.4, 51);
  }
}

// Snow in the ground that moves by `along` and into it by `into`. Nodes at and below the surface
// lose mu `into` of the former and all of the latter, so that a share of it is left for the
// particle; its own collision takes that, too. Velocities of 3 m/s see some 64 roundings at random.
static void particles_collide_as_nodes_do(void **state) {
  (void)state;
  const double along = 3, into = 1, friction = 0.25;
  for_each_variant(v) {
    for (int k = 0; k < 8; k++) {
      bool alone = k & 1, pic = k & 2, contact = k & 4;
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def material = mpm_elastic_material();
      def.mpm.advect_pic = pic;
      def.mpm.particle_contact = contact;
      def.mpm.dt = DT;
      mpm_case c = mpm_case_open(v, &def, &material);
      firn_collider_def ground = ground_at(0);
      ground.friction = friction;
      must(&c, firn_sim_add_collider(c.sim, &ground, NULL));
      add_snow(&c, alone);
      double *u = mpm_case_new(&c, 3), *x = mpm_case_read(&c, "position");
      for (size_t i = 0; i < mpm_case_count(&c); i++) {
        u[3 * i] = along;
        u[3 * i + 1] = -into;
      }
      mpm_case_write(&c, "velocity", u);
      mpm_case_steps(&c, 1);
      double *now = mpm_case_read(&c, "velocity"), *at = mpm_case_read(&c, "position");
      double off = 0, moved = 0;
      for (size_t i = 0; i < mpm_case_count(&c); i++) {
        double left = contact ? 0 : 1 - share_below(v, x[3 * i + 1] / H, 0);
        const double want[3] = {along - friction * into * (1 - left), -into * left, 0};
        for (size_t a = 0; a < 3; a++) {
          worst(&off, now[3 * i + a] - want[a]);
          worst(&moved, (at[3 * i + a] - x[3 * i + a] - DT * want[a]) / H);
        }
      }
      assert_below(v, "velocity after the collision, m/s", off, 3 * 8 * EPS);
      assert_below(v, "way after the collision, cells", moved, 8 * EPS);
      free(u);
      free(x);
      free(now);
      free(at);
      mpm_case_close(&c);
    }
  }
}

// 1.2 cells deep in a slope: half a cell out at most in a step, up to push_out = 0.5 cells of depth.
static void particles_that_sank_in_are_pushed_out(void **state) {
  (void)state;
  static const double depth[] = {1.2, 0.7, 0.5, 0.5}; // after so many steps, cells
  const double normal[3] = {0.6, 0.8, 0}, origin[3] = {0, 0, 0};
  for_each_variant(v) {
    for (int out = 0; out < 2; out++) {
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def material = mpm_elastic_material();
      def.mpm.push_out = out ? 0.5 : -1;
      def.mpm.dt = DT;
      mpm_case c = mpm_case_open(v, &def, &material);
      firn_collider_def slope = firn_default_collider_def();
      slope.shape = firn_half_space(origin, normal);
      must(&c, firn_sim_add_collider(c.sim, &slope, NULL));
      const double along[3] = {0.8 * H, -0.6 * H, 0.4 * H};
      double x[3];
      for (int a = 0; a < 3; a++) x[a] = along[a] - 1.2 * H * normal[a];
      mpm_case_add(&c, 1, x, 8);
      for (int n = 0; n < 4; n++) {
        double *at = mpm_case_read(&c, "position");
        for (int a = 0; a < 3; a++) {
          assert_within(v, "position, cells", at[a] / H,
                        (along[a] - H * depth[out ? n : 0] * normal[a]) / H, 8 * EPS);
        }
        free(at);
        mpm_case_steps(&c, 1);
      }
      mpm_case_close(&c);
    }
  }
}

// D-8: sticky ground that rises past a layer of nodes within the step. Sampled at its end, as by
// default, it takes that layer along; at its beginning, only those below.
static void colliders_are_sampled_at_the_end_of_the_step_or_its_beginning(void **state) {
  (void)state;
  const double speed = 0.2 * H / DT;
  for_each_variant(v) {
    for (int begin = 0; begin < 2; begin++) {
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def material = mpm_elastic_material();
      def.mpm.collider_begin = begin;
      def.mpm.dt = DT;
      mpm_case c = mpm_case_open(v, &def, &material);
      firn_collider_def ground = ground_at(-0.1 * H);
      ground.sticky = true;
      ground.velocity[1] = speed;
      must(&c, firn_sim_add_collider(c.sim, &ground, NULL));
      const double x[3] = {0.3 * H, 0.45 * H, 0};
      mpm_case_add(&c, 1, x, 8);
      mpm_case_steps(&c, 1);
      double *now = mpm_case_read(&c, "velocity");
      assert_within(v, "velocity over the ground's", now[1] / speed,
                    share_below(v, 0.45, begin ? -1 : 0), 8 * EPS);
      free(now);
      mpm_case_close(&c);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(particles_collide_as_nodes_do),
      cmocka_unit_test(particles_that_sank_in_are_pushed_out),
      cmocka_unit_test(colliders_are_sampled_at_the_end_of_the_step_or_its_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
