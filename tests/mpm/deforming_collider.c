// SPDX-License-Identifier: Apache-2.0
// Deforming colliders move snow at the speed of their own surface: distance fields at key times,
// and bodies of parts with keyed joints.
#include "support/deforming.h"
#include "support/mpm_case.h"
#include "world/collider.h"
#include "world/world.h"

static const double H = 0.02; // m

// A floor that tilts: height a x t, a = 2 1/s, so that the surface moves by (0, 2 x, 0), and the
// whole rises by 0.3 m/s. Distances are those along y, which is what tells inside from outside; the
// slope stays below 0.4.
static const double A = 2, RISE = 0.3;

static double tilting_floor(double t, const double x[3], double velocity[3]) {
  velocity[0] = velocity[2] = 0;
  velocity[1] = A * x[0] + RISE;
  return (x[1] - A * t * x[0] - RISE * t) / sqrt(1 + A * t * A * t);
}

static void sequence_moves_snow_at_its_own_speed(void **state) {
  (void)state;
  const double times[] = {0, 0.2};
  const deforming_body tilting = {
      .keys = 2, .times = times, .nodes = 25, .voxel = 0.025, .least = -0.3, .at = tilting_floor};
  for_each_variant(v) {
    for (int k = 0; k < 4; k++) {
      bool sticky = k & 1;
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def snow = firn_default_material_def();
      def.gravity[1] = -9.81;
      def.mpm.dt = 2e-4;
      def.mpm.integrator = k & 2 ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
      mpm_case c = mpm_case_open(v, &def, &snow);
      firn_sequence *floor = deforming_sequence(c.context, &tilting);
      firn_collider_def body = firn_default_collider_def();
      body.sequence = floor;
      body.sticky = sticky;
      must(&c, firn_sim_add_collider(c.sim, &body, NULL));
      firn_sequence_release(floor); // the collider holds it
      mpm_case_lattice(&c, (const int[]){-5, -1, -1}, (const int[]){5, 1, 1}, 2);
      mpm_case_steps(&c, 50);

      // Whoever touches the floor has its velocity: all of it, or no less of it along the normal.
      const firn_world *world = mpm_case_solver(&c)->world;
      double *x = mpm_case_read(&c, "position"), *u = mpm_case_read(&c, "velocity"), off = 0;
      int touching = 0, left = 0;
      for (size_t i = 0; i < mpm_case_count(&c); i++) {
        double n[3], w[3], at[3], along = 0;
        // Where it was before the last step moved it: there it collided.
        for (size_t a = 0; a < 3; a++) at[a] = x[3 * i + a] - def.mpm.dt * u[3 * i + a];
        if (firn_collider_sample(&world->collider[0], at, n, w) > -1e-5 * H) continue;
        touching++;
        left += x[3 * i] < 0;
        // What the floor says of itself is right to a few roundings of its stored floats.
        assert_within(v, "speed of the floor, m/s", w[1], A * at[0] + RISE, 1e-6);
        for (size_t a = 0; a < 3; a++) {
          if (sticky) worst(&off, u[3 * i + a] - w[a]);
          along += n[a] * (u[3 * i + a] - w[a]);
        }
        if (!sticky && along < 0) worst(&off, along);
      }
      mpm_report(v, "%s %s: %d touch, off by %.1e m/s", sticky ? "sticky" : "plain",
                 k & 2 ? "implicit" : "explicit", touching, off);
      // On the right it is lifted. On the left, below x = -0.15 m, the floor sinks under it, slower
      // than it falls.
      assert_true(touching > 20 && left > 3);
      assert_below(v, "velocity against the floor's, m/s", off, 1e-6);
      free(x);
      free(u);
      mpm_case_close(&c);
    }
  }
}

// A shovel of two parts, arm and blade, whose joints turn: snow in front of the blade moves with it.
static void parts_move_snow_with_their_joints(void **state) {
  (void)state;
  static const double times[] = {0, 0.05, 0.1}, angle[] = {0, 0.2, 0.6};
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    firn_sim_def def = mpm_printed_def(v, H);
    firn_material_def snow = firn_default_material_def();
    def.mpm.dt = 2e-4;
    mpm_case c = mpm_case_open(v, &def, &snow);
    firn_part_def parts[2] = {firn_default_part_def(), firn_default_part_def()};
    parts[0].bare = true; // the shoulder, 0.5 m above
    parts[0].motion.has_pivot = true;
    parts[0].motion.pivot[1] = 0.5;
    parts[0].motion.angle = (firn_track_def){3, times, angle, FIRN_INTERPOLATE_LINEAR, false};
    parts[0].motion.axis[2] = 1;
    parts[1].parent = 0;
    parts[1].shape = firn_box((const double[]){-2 * H, 0, 0},
                              (const double[]){2 * H, 4 * H, 4 * H});
    parts[1].motion.oscillation = (firn_oscillation_def){.translation = {0, 0, 0.005},
                                                         .frequency = 10};
    firn_collider_def shovel = firn_default_collider_def();
    shovel.parts = parts;
    shovel.part_count = 2;
    shovel.sticky = true;
    shovel.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &shovel, NULL));
    mpm_case_lattice(&c, (const int[]){-1, -1, -1}, (const int[]){1, 1, 1}, 2);
    mpm_case_steps(&c, 10);
    double *x = mpm_case_read(&c, "position"), *u = mpm_case_read(&c, "velocity"), off = 0;
    const double t = firn_sim_time(c.sim), rate = 4; // rad/s, of the first segment
    const double swing = 0.005 * 62.83185307179586 * cos(62.83185307179586 * t);
    int touching = 0;
    for (size_t i = 0; i < mpm_case_count(&c); i++) {
      double at[3], n[3], w[3];
      for (size_t a = 0; a < 3; a++) at[a] = x[3 * i + a] - def.mpm.dt * u[3 * i + a];
      const firn_collider *collider = &mpm_case_solver(&c)->world->collider[0];
      if (firn_collider_sample(collider, at, n, w) > -1e-5 * H) continue;
      touching++;
      // w x r about the shoulder, and the blade's own swing along z.
      const double want[3] = {-rate * (at[1] - 0.5), rate * at[0], swing};
      for (size_t a = 0; a < 3; a++) worst(&off, u[3 * i + a] - want[a]);
    }
    assert_true(touching > 10);
    // Velocities of 2 m/s, rounded to working precision; time likewise, 62 rad/s off by eps t.
    assert_below(v, "velocity against the blade's, m/s", off, 2 * 16 * EPS);
    firn_collider_force f;
    must(&c, firn_sim_collider_force(c.sim, 0, &f));
    assert_true(f.force[0] < 0); // it takes force to push snow along x
    free(x);
    free(u);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sequence_moves_snow_at_its_own_speed),
      cmocka_unit_test(parts_move_snow_with_their_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
