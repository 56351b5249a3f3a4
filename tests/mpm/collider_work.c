// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 60
// What colliders do to the snow: work is force times the way of the surface.
#include "support/mpm_case.h"

static const double H = 0.02, G = 9.81; // m, m/s^2

static firn_collider_force force_on(const mpm_case *c, int id) {
  firn_collider_force f;
  must(c, firn_sim_collider_force(c->sim, id, &f));
  return f;
}

static double energy_of(const firn_sums *s) {
  return s->energy_kinetic + s->energy_elastic + s->energy_gravity;
}

static int add_floor(const mpm_case *c, const double velocity[3], double friction) {
  firn_collider_def floor = firn_default_collider_def();
  int id;
  memcpy(floor.velocity, velocity, sizeof floor.velocity);
  floor.friction = friction;
  floor.forces = true;
  must(c, firn_sim_add_collider(c->sim, &floor, &id));
  return id;
}

static void set_velocity(const mpm_case *c, double x, double y) {
  double *u = mpm_case_new(c, 3);
  for (size_t i = 0; i < mpm_case_count(c); i++) {
    u[3 * i] = x;
    u[3 * i + 1] = y;
  }
  mpm_case_write(c, "velocity", u);
  free(u);
}

// --------------------------------------------------------------------------------- rigid bodies

// Snow on a floor, a wall that comes, and a ball that moves and spins: the power of a rigid body is
// that of force and torque on it, in every step and whether nodes, particles or spray touch it.
static void check_rigid(const mpm_variant *v, firn_integrator integrator) {
  static const double speed[3][3] = {{0, 0, 0}, {0.4, 0, 0.1}, {0.1, 0.2, -0.3}};
  static const double spin[3][3] = {{0, 0, 0}, {0, 0, 0}, {3, -2, 20}};
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -G;
  def.mpm.integrator = integrator;
  def.mpm.dt = 2e-4;
  mpm_case c = mpm_case_open(v, &def, &snow);
  for (int i = 0; i < 3; i++) {
    firn_collider_def body = firn_default_collider_def();
    if (i == 0) body.shape.center[1] = 0.3 * H;
    if (i == 1)
      body.shape = firn_half_space((const double[]){-1.6 * H, 0, 0}, (const double[]){1, 0.2, 0});
    if (i == 2) body.shape = firn_sphere((const double[]){2 * H, 0, 0}, 1.5 * H);
    memcpy(body.velocity, speed[i], sizeof speed[i]);
    memcpy(body.spin, spin[i], sizeof spin[i]);
    body.friction = 0.3;
    body.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &body, NULL));
  }
  mpm_case_jittered(&c, (const int[]){-2, 0, -3}, (const int[]){3, 3, 2}, 2, 0.4, 5);
  const double spray[] = {9.3 * H, 0.2 * H, 0.4 * H, 10.4 * H, 0.9 * H, 0.2 * H};
  mpm_case_add(&c, 2, spray, 8);
  set_velocity(&c, -1, -2);
  double before[3] = {0}, most[3] = {0};
  for (int n = 0; n < 12; n++) {
    firn_sim_collider_force_reset(c.sim);
    mpm_case_steps(&c, 1);
    for (int id = 0; id < 3; id++) {
      firn_collider_force f = force_on(&c, id);
      double power = 0, size = 0;
      for (int a = 0; a < 3; a++) {
        power -= f.force[a] * speed[id][a] + f.torque[a] * spin[id][a];
        size += fabs(f.force[a] * speed[id][a]) + fabs(f.torque[a] * spin[id][a]);
      }
      // Sums in double over a thousand nodes, in another order.
      assert_within(v, "power, W", f.power, power, 1e-11 * size);
      assert_within(v, "work of a step, J", f.work - before[id], f.power * f.time,
                    1e-12 * fabs(f.work) + 1e-15);
      before[id] = f.work;
      worst(&most[id], f.work);
    }
  }
  assert_true(most[0] == 0 && most[1] > 0 && most[2] > 0);
  mpm_case_close(&c);
}

static void power_of_a_rigid_body_is_that_of_force_and_torque(void **state) {
  (void)state;
  for_each_variant(v) {
    check_rigid(v, FIRN_INTEGRATOR_EXPLICIT);
    check_rigid(v, FIRN_INTEGRATOR_IMPLICIT);
  }
}

// ---------------------------------------------------------------------------------- closed forms

// Contact is the same code for all: two schemes that share nothing else will do.
#define for_two_schemes(v) for_each_scheme(v, FIRN_ISA_AVX2) if (is_cubic(v) != is_apic(v))

static mpm_case open_block(const mpm_variant *v, firn_integrator integrator, double gravity) {
  firn_sim_def def = mpm_elastic_def(v, H);
  firn_material_def block = mpm_elastic_material();
  def.gravity[1] = -gravity;
  def.mpm.integrator = integrator;
  def.mpm.tolerance = by_precision(1e-6, 1e-11);
  def.mpm.dt = 2e-4;
  return mpm_case_open(v, &def, &block);
}

// A block is put on a belt that runs at U. Whatever the friction, until it runs along the belt has
// given it the momentum m U, which took the work m U^2: half of it moves the block, half is heat.
static void check_belt(const mpm_variant *v, firn_integrator integrator) {
  const double U = 0.5, friction = 1;
  mpm_case c = open_block(v, integrator, G);
  int belt = add_floor(&c, (const double[]){U, 0, 0}, friction);
  mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){8, 3, 8}, 2);
  double mass = mpm_case_sums(&c).mass;
  mpm_case_steps(&c, 600); // 0.12 s; it takes U / (friction g) = 0.051 s
  firn_collider_force f = force_on(&c, belt);
  firn_sums after = mpm_case_sums(&c);
  mpm_report(v, "belt: work %.4f, motion %.4f of m U^2", f.work / (mass * U * U),
             after.energy_kinetic / (mass * U * U));
  assert_relative(v, "work, J", f.work, U * after.momentum[0], 1e-5);
  // The block shakes a little in the end.
  assert_relative(v, "work, J", f.work, mass * U * U, 0.01);
  assert_relative(v, "motion, J", after.energy_kinetic, 0.5 * mass * U * U, 0.02);
  mpm_case_close(&c);
}

static void a_belt_does_twice_the_work_that_it_moves(void **state) {
  (void)state;
  for_two_schemes(v) {
    check_belt(v, FIRN_INTEGRATOR_EXPLICIT);
    check_belt(v, FIRN_INTEGRATOR_IMPLICIT);
  }
}

// A floor lifts a block at U: force times way is U times the momentum that it gave, that is
// m U (g t + the change of velocity), and what became of it is height, motion and strain.
static void check_lift(const mpm_variant *v, firn_integrator integrator, double spent) {
  const double U = 0.5;
  mpm_case c = open_block(v, integrator, G);
  int floor = add_floor(&c, (const double[]){0, U, 0}, 0);
  mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){6, 4, 6}, 2);
  set_velocity(&c, 0, U);
  mpm_case_steps(&c, 1); // volumes are known from here on
  firn_sums before = mpm_case_sums(&c);
  double begun = force_on(&c, floor).work, t = 700 * 2e-4;
  mpm_case_steps(&c, 700);
  firn_sums after = mpm_case_sums(&c);
  double work = force_on(&c, floor).work - begun;
  double given = after.mass * G * t + after.momentum[1] - before.momentum[1];
  double stored = energy_of(&after) - energy_of(&before);
  mpm_report(v, "lift: work %.6g J, force times way %.6g J, stored %.6g J", work, U * given,
             stored);
  assert_relative(v, "work, J", work, U * given, 1e-4);
  assert_relative(v, "stored, J", stored, work, spent);
  mpm_case_close(&c);
}

static void lifting_stores_what_force_times_way_is(void **state) {
  (void)state;
  for_two_schemes(v) {
    // Of the bounce at the beginning FLIP keeps most; backward Euler damps it: it begins with
    // (rho g H)^2/2 of stress, M g H times rho g H/(2 M), 0.003 of the work, twice.
    check_lift(v, FIRN_INTEGRATOR_EXPLICIT, 0.01);
    check_lift(v, FIRN_INTEGRATOR_IMPLICIT, 0.01);
  }
}

// Two jaws of one collider close on a block, quasi-statically: together they feel no force, and the
// work that they do is the block's strain.
static void a_vice_does_work_without_a_force(void **state) {
  (void)state;
  for_two_schemes(v) {
    mpm_case c = open_block(v, FIRN_INTEGRATOR_EXPLICIT, 0);
    firn_part_def jaw[2] = {firn_default_part_def(), firn_default_part_def()};
    const double times[3] = {0, 0.2, 1}, close = 0.05 * H;
    double way[2][9] = {{0}};
    for (int i = 0; i < 2; i++) {
      double sign = i ? -1 : 1, far = i ? 8 : 0;
      jaw[i].shape = firn_half_space((const double[]){far * H, 0, 0}, (const double[]){sign, 0, 0});
      way[i][3] = way[i][6] = sign * close;
      jaw[i].motion.translation = (firn_track_def){
          .count = 3, .times = times, .values = way[i], .interpolate = FIRN_INTERPOLATE_SPLINE};
    }
    firn_collider_def vice = firn_default_collider_def();
    vice.parts = jaw;
    vice.part_count = 2;
    vice.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &vice, NULL));
    mpm_case_lattice(&c, (const int[]){0, 0, 0}, (const int[]){8, 6, 6}, 2);
    mpm_case_steps(&c, 1000);
    firn_sums after = mpm_case_sums(&c);
    firn_collider_force f = force_on(&c, 0);
    double push = 0.5 * fabs(f.work) / close; // N, of a jaw, about
    mpm_report(v, "vice: work %.5g J, strain %.5g J, motion %.2g J, force %.2g of %.2g N", f.work,
               after.energy_elastic, after.energy_kinetic, f.force[0], push);
    assert_true(f.work > 0);
    assert_below(v, "force, N", f.force[0], 1e-3 * push);
    assert_relative(v, "work, J", after.energy_elastic + after.energy_kinetic, f.work, 0.01);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(power_of_a_rigid_body_is_that_of_force_and_torque),
      cmocka_unit_test(a_belt_does_twice_the_work_that_it_moves),
      cmocka_unit_test(lifting_stores_what_force_times_way_is),
      cmocka_unit_test(a_vice_does_work_without_a_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
