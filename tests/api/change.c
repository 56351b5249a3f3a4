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
  MUST_FAIL(context, firn_sim_set_friction_viscosity(sim, 0, (double)INFINITY), FIRN_ERROR_ARGUMENT,
            "'floor'", "friction_viscosity");
  MUST_FAIL(context, firn_sim_set_adhesion(sim, 0, -2), FIRN_ERROR_ARGUMENT, "'floor'", "-2");
  MUST_FAIL(context, firn_sim_set_sticky(sim, 3, true), FIRN_ERROR_ARGUMENT, "collider 3");
  MUST_FAIL(context, firn_sim_set_present(sim, 3, true), FIRN_ERROR_ARGUMENT, "collider 3");
  firn_impulse_def push = firn_default_impulse_def();
  push.velocity[1] = (double)INFINITY;
  MUST_FAIL(context, firn_sim_add_impulse(sim, &push, NULL), FIRN_ERROR_ARGUMENT, "impulse 0");
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

// Once some snow varies, all particles have numbers of their own; those that nobody varied still
// follow their material.
static void materials_change_beside_snow_that_varies(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_slab(context, false);
  firn_material_def snow = firn_default_material_def();
  firn_variation_def stiff = firn_default_variation_def();
  firn_fill_def fill = firn_default_fill_def();
  stiff.of = FIRN_PROPERTY_YOUNG;
  stiff.factor = 2;
  fill.shape = firn_box((const double[]){1, H, 0}, (const double[]){2 * H, H, 2 * H});
  fill.variation = &stiff;
  fill.variation_count = 1;
  MUST(context, firn_sim_fill(sim, &fill));
  step(context, sim, 2);
  snow.young *= 5;
  snow.hardening = 7;
  MUST(context, firn_sim_set_material(sim, 0, &snow));
  const firn_world *w = &sim->world;
  const firn_particles *p = &w->particles;
  const firn_real *mu = firn_particles_real(p, w->vary[FIRN_VARY_MU]);
  const firn_real *xi = firn_particles_real(p, w->vary[FIRN_VARY_HARDENING]);
  double own = (double)w->material[0].mu / 5 * 2; // twice what it was, and stays
  size_t plain = 0, varied = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    for (size_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
      bool far = 4 * H * p->block[b].at[0] > 0.5;
      varied += far;
      plain += !far;
      if (far)
        assert_true(fabs((double)mu[i] / own - 1) < 1e-6);
      else
        assert_true(mu[i] == w->material[0].mu);
      if (!far) assert_true(xi[i] == 7);
    }
  }
  assert_true(plain > 100 && varied > 100);
  // The same once more wakes nobody.
  uint64_t changes = w->changes;
  MUST(context, firn_sim_set_material(sim, 0, &snow));
  assert_true(w->changes == changes);
  firn_sim_destroy(sim);
  drop_context(context);
}

// Whoever sets the same again after loading, as a scene does for its keys, changes nothing: what
// slept goes on sleeping.
static void what_was_set_is_part_of_a_checkpoint(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "/tmp/firn-set-%d.hdf", (int)getpid());
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *whole = make_slab(context, false), *later = make_empty(context, false);
  firn_emitter_def gun = firn_default_emitter_def();
  gun.kind = FIRN_EMIT_PARTICLES;
  gun.fill.shape = firn_sphere((const double[]){0, 0.5, 0}, 2 * H);
  MUST(context, firn_sim_add_emitter(whole, &gun, NULL));
  MUST(context, firn_sim_add_emitter(later, &gun, NULL));
  const double down[3] = {0, -3, 1}, aside[3] = {2, 0, 0};
  firn_material_def snow = firn_default_material_def();
  snow.young *= 3;
  for (int i = 0; i < 4; i++) { // more changes than it takes to get there
    MUST(context, firn_sim_set_friction(whole, 0, 0.1 * (i + 1)));
  }
  MUST(context, firn_sim_set_gravity(whole, down));
  MUST(context, firn_sim_set_sticky(whole, 0, true));
  MUST(context, firn_sim_set_friction_viscosity(whole, 0, 7));
  MUST(context, firn_sim_set_adhesion(whole, 0, 9));
  MUST(context, firn_sim_set_material(whole, 0, &snow));
  MUST(context, firn_sim_set_emitter_rate(whole, 0, 1000));
  MUST(context, firn_sim_set_emitter_velocity(whole, 0, aside));
  step(context, whole, 3);
  MUST(context, firn_sim_save(whole, path));
  MUST(context, firn_sim_load(later, path));
  const firn_world *a = &whole->world, *b = &later->world;
  assert_memory_equal(a->gravity, b->gravity, sizeof a->gravity);
  assert_true(b->collider[0].friction == 0.4 && b->collider[0].sticky);
  assert_true(b->collider[0].friction_viscosity == 7 && b->collider[0].adhesion == 9);
  assert_true(a->material[0].mu == b->material[0].mu && a->changes == b->changes);
  assert_true(b->flow.emitter[0].rate == 1000 && b->flow.emitter[0].fill.velocity[0] == 2);
  uint64_t changes = b->changes;
  MUST(context, firn_sim_set_gravity(later, down));
  MUST(context, firn_sim_set_friction(later, 0, 0.4));
  MUST(context, firn_sim_set_friction_viscosity(later, 0, 7));
  MUST(context, firn_sim_set_adhesion(later, 0, 9));
  MUST(context, firn_sim_set_sticky(later, 0, true));
  MUST(context, firn_sim_set_material(later, 0, &snow));
  assert_true(b->changes == changes);
  firn_sums want = step(context, whole, 5), got = step(context, later, 5);
  assert_memory_equal(&want, &got, sizeof want);
  firn_sim_destroy(whole);
  firn_sim_destroy(later);
  drop_context(context);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gravity_changes_from_the_next_step_on),
      cmocka_unit_test(surfaces_change_from_the_next_step_on),
      cmocka_unit_test(settings_and_materials_change_but_not_their_kind),
      cmocka_unit_test(digest_is_that_of_the_definition),
      cmocka_unit_test(forces_go_on_after_a_restart),
      cmocka_unit_test(materials_change_beside_snow_that_varies),
      cmocka_unit_test(what_was_set_is_part_of_a_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
