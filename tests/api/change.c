// SPDX-License-Identifier: Apache-2.0
// What may change between steps does, at once; what may not is refused; and forces are part of a
// checkpoint.
#include "api/setup.h"

#include <stdio.h>
#include <unistd.h>

#include "api/sim.h"

static const double H = 0.02; // m

// A layer of snow in a floor that it may slide on.
static firn_sim *make_empty(firn_context *context, bool implicit) {
  firn_sim_def def = firn_default_sim_def();
  firn_material_def snow = firn_default_material_def();
  firn_collider_def floor = firn_default_collider_def();
  firn_sim *sim = NULL;
  def.h = H;
  def.mpm.dt = 1e-4;
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  MUST(context, firn_sim_create(context, &def, &sim));
  MUST(context, firn_sim_add_material(sim, &snow, NULL));
  floor.name = "floor";
  floor.shape.center[1] = 0.3 * H;
  floor.forces = true;
  MUST(context, firn_sim_add_collider(sim, &floor, NULL));
  return sim;
}

static firn_sim *make_slab(firn_context *context, bool implicit) {
  firn_sim *sim = make_empty(context, implicit);
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_box((const double[]){0, H, 0}, (const double[]){2 * H, H, 2 * H});
  MUST(context, firn_sim_fill(sim, &fill));
  return sim;
}

static firn_sums step(firn_context *context, firn_sim *sim, int n) {
  firn_sums sums;
  for (int i = 0; i < n; i++) MUST(context, firn_sim_step(sim, 0, NULL));
  MUST(context, firn_sim_sums(sim, &sums));
  return sums;
}

static void gravity_changes_from_the_next_step_on(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_slab(context, false);
  MUST(context, firn_sim_set_sticky(sim, 0, false));
  firn_sums before = step(context, sim, 3);
  uint64_t changes = sim->world.changes;
  // Up, so that nothing touches the floor: the momentum is gravity's alone.
  const double up[3] = {1, 20, -2};
  MUST(context, firn_sim_set_gravity(sim, up));
  assert_true(sim->world.changes == changes + 1);
  MUST(context, firn_sim_set_gravity(sim, up));
  assert_true(sim->world.changes == changes + 1); // the same again wakes nobody
  MUST(context, firn_sim_set_friction(sim, 0, 0));
  firn_sim_collider_force_reset(sim);
  firn_sums after = step(context, sim, 1);
  firn_collider_force f;
  MUST(context, firn_sim_collider_force(sim, 0, &f));
  for (int a = 0; a < 3; a++) {
    double gained = (after.momentum[a] - before.momentum[a]) / after.mass;
    double want = 1e-4 * up[a] - f.impulse[a] / after.mass;
    // Velocities of some cm/s are rounded a few times.
    assert_true(fabs(gained - want) <= 0.1 * 16 * (double)FIRN_REAL_EPS);
  }
  const double bad[3] = {0, (double)NAN, 0};
  MUST_FAIL(context, firn_sim_set_gravity(sim, bad), FIRN_ERROR_ARGUMENT, "gravity", "nan");
  firn_sim_destroy(sim);
  drop_context(context);
}

// Snow that slides sideways is slowed by friction, not without it, and held when sticky.
static void surfaces_change_from_the_next_step_on(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_slab(context, false);
  const double aside[3] = {30, -10, 0};
  firn_collider_force f;
  MUST(context, firn_sim_set_gravity(sim, aside));
  step(context, sim, 2);
  double along[3];
  for (int i = 0; i < 3; i++) {
    if (i == 0) MUST(context, firn_sim_set_friction(sim, 0, 0));
    if (i == 1) MUST(context, firn_sim_set_friction(sim, 0, 0.2));
    if (i == 2) MUST(context, firn_sim_set_sticky(sim, 0, true));
    firn_sim_collider_force_reset(sim);
    step(context, sim, 1);
    MUST(context, firn_sim_collider_force(sim, 0, &f));
    along[i] = f.force[0];
  }
  firn_collider_state now;
  MUST(context, firn_sim_collider(sim, 0, &now));
  assert_true(now.sticky && now.friction == 0.2);
  assert_string_equal(now.name, "floor");
  assert_true(along[0] == 0 && along[1] > 0 && along[2] > 2 * along[1]);
  MUST_FAIL(context, firn_sim_set_friction(sim, 0, -1), FIRN_ERROR_ARGUMENT, "'floor'", "-1");
  MUST_FAIL(context, firn_sim_set_sticky(sim, 3, true), FIRN_ERROR_ARGUMENT, "collider 3");
  firn_sim_destroy(sim);
  drop_context(context);
}

static void settings_and_materials_change_but_not_their_kind(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_slab(context, false);
  firn_mpm_def mpm;
  MUST(context, firn_sim_mpm(sim, &mpm));
  assert_true(mpm.dt == 1e-4);
  mpm.dt = 2e-4;
  mpm.flip = 0.5;
  MUST(context, firn_sim_set_mpm(sim, &mpm));
  step(context, sim, 1);
  assert_true(firn_sim_time(sim) == 2e-4);
  mpm.transfer = FIRN_TRANSFER_APIC;
  MUST_FAIL(context, firn_sim_set_mpm(sim, &mpm), FIRN_ERROR_ARGUMENT, "transfer");
  MUST(context, firn_sim_mpm(sim, &mpm));
  mpm.flip = 2;
  MUST_FAIL(context, firn_sim_set_mpm(sim, &mpm), FIRN_ERROR_ARGUMENT, "flip", "2");
  MUST(context, firn_sim_mpm(sim, &mpm));
  assert_true(mpm.flip == 0.5 && mpm.transfer == FIRN_TRANSFER_FLIP);

  // Ten thousand times as stiff is a hundred times the speed of sound, and a step as much shorter.
  firn_material_def snow = firn_default_material_def();
  firn_step taken;
  mpm.dt = 0;
  MUST(context, firn_sim_set_mpm(sim, &mpm));
  MUST(context, firn_sim_step(sim, 0, &taken));
  double soft = taken.dt;
  snow.young *= 1e4;
  MUST(context, firn_sim_set_material(sim, 0, &snow));
  MUST(context, firn_sim_step(sim, 0, &taken));
  assert_true(taken.dt < soft / 50 && taken.dt > soft / 200);
  snow.law = "elastic";
  MUST_FAIL(context, firn_sim_set_material(sim, 0, &snow), FIRN_ERROR_ARGUMENT, "law");
  MUST_FAIL(context, firn_sim_set_material(sim, 1, &snow), FIRN_ERROR_ARGUMENT, "material 1");
  firn_sim_destroy(sim);
  drop_context(context);
}

// Later changes leave the fingerprint of what the world was made with.
static void digest_is_that_of_the_definition(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *a = make_slab(context, false), *b = make_slab(context, false);
  const double down[3] = {0, -1, 0};
  MUST(context, firn_sim_set_gravity(b, down));
  MUST(context, firn_sim_set_friction(b, 0, 0.9));
  firn_digests of_a = firn_world_digest(&a->world), of_b = firn_world_digest(&b->world);
  assert_memory_equal(&of_a, &of_b, sizeof of_a);
  firn_collider_def wall = firn_default_collider_def();
  MUST(context, firn_sim_add_collider(b, &wall, NULL));
  of_b = firn_world_digest(&b->world);
  assert_true(of_a.colliders != of_b.colliders && of_a.materials == of_b.materials);
  firn_material_def icy;
  MUST(context, firn_material_preset(context, "icy", &icy));
  MUST(context, firn_sim_add_material(a, &icy, NULL));
  of_a = firn_world_digest(&a->world);
  assert_true(of_a.materials != of_b.materials && of_a.gravity == of_b.gravity);
  firn_sim_destroy(a);
  firn_sim_destroy(b);
  drop_context(context);
}

static void forces_go_on_after_a_restart(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "/tmp/firn-change-%d.hdf", (int)getpid());
  for (int implicit = 0; implicit < 2; implicit++) {
    firn_context *context = make_context(1, FIRN_ISA_AUTO);
    firn_sim *whole = make_slab(context, implicit), *later = make_empty(context, implicit);
    firn_collider_force want, got;
    step(context, whole, 5);
    MUST(context, firn_sim_save(whole, path));
    step(context, whole, 5);
    MUST(context, firn_sim_load(later, path));
    step(context, later, 5);
    MUST(context, firn_sim_collider_force(whole, 0, &want));
    MUST(context, firn_sim_collider_force(later, 0, &got));
    assert_true(want.force[1] < 0);
    assert_memory_equal(&want, &got, sizeof want);
    firn_sim_destroy(whole);
    firn_sim_destroy(later);
    drop_context(context);
  }
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gravity_changes_from_the_next_step_on),
      cmocka_unit_test(surfaces_change_from_the_next_step_on),
      cmocka_unit_test(settings_and_materials_change_but_not_their_kind),
      cmocka_unit_test(digest_is_that_of_the_definition),
      cmocka_unit_test(forces_go_on_after_a_restart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
