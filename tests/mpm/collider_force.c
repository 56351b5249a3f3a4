// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// What the snow does to colliders: it balances the momentum step by step, carries the weight at
// rest, and has the torque of where it acts.
#include "support/mpm_case.h"
#include "world/contact.h"

static const double H = 0.02, G = 9.81; // m, m/s^2

static firn_collider_force force_on(const mpm_case *c, int id) {
  firn_collider_force f;
  must(c, firn_sim_collider_force(c->sim, id, &f));
  return f;
}

static int add_floor(const mpm_case *c, double height, double friction) {
  firn_collider_def floor = firn_default_collider_def();
  int id;
  floor.shape.center[1] = height;
  floor.friction = friction;
  floor.forces = true;
  must(c, firn_sim_add_collider(c->sim, &floor, &id));
  return id;
}

// ----------------------------------------------------------------------------------- momentum

typedef struct balance {
  firn_integrator integrator;
  firn_krylov krylov;
  firn_preconditioner preconditioner;
  double tolerance; // of the solve
  bool particles;   // collide them, too
  bool spray;       // a few alone, and a few beside the block
  bool hard;        // the lower corner of it
} balance;

static void add_block(const mpm_case *c, bool spray) {
  mpm_case_jittered(c, (const int[]){-2, 0, -3}, (const int[]){3, 3, 2}, 2, 0.4, 5);
  if (!spray) return;
  const double x[] = {9.3 * H, 0.2 * H, 0.4 * H, 10.4 * H, 0.9 * H, 0.2 * H, -9 * H, 0.1 * H,
                      8 * H,   4.5 * H, 0.3 * H, 0.5 * H,  6.9 * H, 0.5 * H, 0.7 * H};
  mpm_case_add(c, 5, x, 8);
}

// Packed so hard that steps of 0.2 ms have to be solved for.
static void harden_some(const mpm_case *c) {
  double *x = mpm_case_read(c, "position"), *jp = mpm_case_new(c, 1);
  for (size_t i = 0; i < mpm_case_count(c); i++) {
    jp[i] = x[3 * i] < 0 && x[3 * i + 1] < 1.5 * H ? 0.6 : 1;
  }
  mpm_case_write(c, "jp", jp);
  free(x);
  free(jp);
}

// Blocks whose stiff particles have fewer nodes than all of them, in the last step.
static int smaller_boxes(const mpm_case *c) {
  const mpm *m = mpm_case_solver(c);
  int smaller = 0;
  for (size_t b = 0; b < m->world->particles.block_count && m->packed.is; b++) {
    const mpm_box *tight = &m->packed.box[b], *whole = &m->next_box[b]; // which have been swapped
    smaller += tight->n[0] < whole->n[0] || tight->n[1] < whole->n[1] || tight->n[2] < whole->n[2];
  }
  return smaller;
}

// Snow that slides into a corner of a floor and a moving wall, over a ball that spins: in every
// step, what momentum it gains is gravity's and what the colliders lose.
static void check_balance(const mpm_variant *v, const balance *b) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -G;
  def.gravity[2] = 1;
  def.mpm.integrator = b->integrator;
  def.mpm.krylov = b->krylov;
  def.mpm.preconditioner = b->preconditioner;
  if (b->krylov == FIRN_KRYLOV_CG) def.mpm.hessian = FIRN_HESSIAN_PSD;
  def.mpm.tolerance = b->tolerance;
  def.mpm.max_iterations = 1000;
  def.mpm.particle_contact = b->particles;
  def.mpm.dt = 2e-4;
  mpm_case c = mpm_case_open(v, &def, &snow);
  add_floor(&c, 0.3 * H, 0.3);
  firn_collider_def wall = firn_default_collider_def();
  wall.shape = firn_half_space((const double[]){-1.6 * H, 0, 0}, (const double[]){1, 0.2, 0});
  wall.velocity[0] = 0.4;
  wall.friction = 10;
  wall.forces = true;
  must(&c, firn_sim_add_collider(c.sim, &wall, NULL));
  firn_collider_def ball = firn_default_collider_def();
  ball.shape = firn_sphere((const double[]){2 * H, 0, 0}, 1.5 * H);
  ball.spin[2] = 20;
  ball.forces = true;
  must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  add_block(&c, b->spray);
  double *u = mpm_case_new(&c, 3);
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    u[3 * i] = -1;
    u[3 * i + 1] = -2;
    u[3 * i + 2] = 0.5;
  }
  mpm_case_write(&c, "velocity", u);
  free(u);
  if (b->hard) harden_some(&c);

  double off = 0, pushed[3] = {0};
  int smaller = 0;
  for (int n = 0; n < 12; n++) {
    firn_sums before = mpm_case_sums(&c);
    firn_sim_collider_force_reset(c.sim);
    mpm_case_steps(&c, 1);
    smaller += b->hard ? smaller_boxes(&c) : 0;
    firn_sums after = mpm_case_sums(&c);
    for (int a = 0; a < 3; a++) {
      double gained = after.momentum[a] - before.momentum[a];
      double given = after.mass * def.gravity[a] * def.mpm.dt;
      for (int id = 0; id < 3; id++) {
        firn_collider_force f = force_on(&c, id);
        given -= f.impulse[a];
        worst(&pushed[id], f.impulse[a]);
        assert_within(v, "time, s", f.time, def.mpm.dt, 0);
        assert_within(v, "force, N", f.force[a], f.impulse[a] / f.time, 1e-12 * fabs(f.force[a]));
      }
      worst(&off, (gained - given) / after.mass);
    }
  }
  for (int id = 0; id < 3; id++) assert_true(pushed[id] > 0);
  // Velocities of 3 m/s at most, rounded a few times on the grid and on particles, and as often as
  // a node has particles in its sums; these roundings are at random, and so are those of hundreds
  // of nodes in the total; the totals themselves are sums in double over all particles. A solve
  // leaves what its tolerance allows: of the root of the mass times the change of velocity, which
  // is below 3 m/s, in the free directions of all nodes together.
  double bound = 3 * 8 * EPS + 3 * (double)mpm_case_count(&c) * DBL_EPSILON;
  if (b->integrator != FIRN_INTEGRATOR_EXPLICIT) bound += 3 * b->tolerance;
  assert_int_equal(smaller > 0, b->hard);
  mpm_report(v, "%s: momentum off by %.2e m/s of %.2e", b->spray ? "spray" : "block", off, bound);
  assert_below(v, "momentum over mass, m/s", off, bound);
  mpm_case_close(&c);
}

static void explicit_steps_balance_momentum(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int k = 0; k < 4; k++) {
      balance b = {.integrator = FIRN_INTEGRATOR_EXPLICIT, .tolerance = 1e-4};
      b.particles = k & 1;
      b.spray = k & 2;
      check_balance(v, &b);
    }
  }
}

static void semi_implicit_steps_balance_momentum(void **state) {
  (void)state;
  static const firn_krylov kinds[] = {FIRN_KRYLOV_CR, FIRN_KRYLOV_MINRES, FIRN_KRYLOV_CG};
  for_each_variant(v) {
    for (int k = 0; k < 3; k++) {
      if (k && v->isa != FIRN_ISA_AVX2) continue; // solvers are the same for all
      balance b = {.integrator = FIRN_INTEGRATOR_IMPLICIT, .krylov = kinds[k], .particles = true};
      b.tolerance = by_precision(1e-6, 1e-11);
      b.preconditioner = k == 1 ? FIRN_PRECONDITIONER_BLOCK : FIRN_PRECONDITIONER_MASS;
      b.spray = k == 0;
      check_balance(v, &b);
    }
  }
}

static void partly_solved_steps_balance_momentum(void **state) {
  (void)state;
  for_each_variant(v) {
    balance b = {.integrator = FIRN_INTEGRATOR_AUTO, .particles = true, .hard = true};
    b.tolerance = by_precision(1e-6, 1e-11);
    check_balance(v, &b);
  }
}

// --------------------------------------------------------------------------------------- rest

typedef struct rest {
  bool implicit;
  bool tray;    // an open box that is brought to a stop, instead of a floor
  bool sleep;   // what has settled is left out
  bool surface; // contact where the surface is
} rest;

// A tray that comes in from the side within 0.05 s and then stands still.
static int add_tray(const mpm_case *c, firn_shape *shapes[5]) {
  static const double times[] = {0, 0.05}, way[] = {-0.01, 0, 0, 0, 0, 0};
  const double half[5][3] = {{8 * H, H, 8 * H},
                             {H, 4 * H, 8 * H},
                             {H, 4 * H, 8 * H},
                             {8 * H, 4 * H, H},
                             {8 * H, 4 * H, H}};
  const double center[5][3] = {
      {0, -H, 0}, {-6 * H, 2 * H, 0}, {6 * H, 2 * H, 0}, {0, 2 * H, -6 * H}, {0, 2 * H, 6 * H}};
  for (int i = 0; i < 5; i++) {
    firn_shape_def box = firn_box(center[i], half[i]);
    must(c, firn_shape_create(c->context, &box, &shapes[i]));
  }
  firn_collider_def tray = firn_default_collider_def();
  tray.shape = firn_union(5, (const firn_shape *const *)shapes);
  tray.motion.translation = (firn_track_def){2, times, way, FIRN_INTERPOLATE_SPLINE, false};
  tray.forces = true;
  int id;
  must(c, firn_sim_add_collider(c->sim, &tray, &id));
  for (int i = 0; i < 5; i++) firn_shape_release(shapes[i]);
  return id;
}

// A heap lies still. Its weight is what it presses with, to 1 % in the mean over 0.05 s, and there
// is no net force sideways. (The heap still quivers; the mean over a time T is off by its momentum
// over T.)
static void check_rest(const mpm_variant *v, const rest *r) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  firn_shape *shapes[5];
  def.gravity[1] = -G;
  def.mpm.flip = 0; // comes to rest quickly
  def.mpm.integrator = r->implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.dt_max = r->implicit ? 1e-3 : 5e-4;
  def.mpm.sleep = r->sleep;
  def.mpm.contact_surface = r->surface;
  mpm_case c = mpm_case_open(v, &def, &snow);
  int id = r->tray ? add_tray(&c, shapes) : add_floor(&c, 0, 0.5);
  mpm_case_lattice(&c, (const int[]){-2, 0, -2}, (const int[]){2, 2, 2}, 2);
  must(&c, firn_sim_advance(c.sim, r->sleep ? 0.25 : 0.12, NULL, NULL));
  firn_sim_collider_force_reset(c.sim);
  must(&c, firn_sim_advance(c.sim, 0.05, NULL, NULL));
  firn_step step;
  firn_collider_force f = force_on(&c, id);
  must(&c, firn_sim_step(c.sim, 0, &step));
  firn_sums sums = mpm_case_sums(&c);
  double weight = sums.mass * G;
  mpm_report(v, "%s %s%s: force (%.4f %.4f %.4f) of the weight, asleep %zu of %zu",
             r->implicit ? "implicit" : "explicit", r->tray ? "tray" : "floor",
             r->sleep ? " asleep" : "", f.force[0] / weight, f.force[1] / weight,
             f.force[2] / weight, step.asleep, mpm_case_count(&c));
  if (r->sleep) assert_true(step.asleep > 0);
  assert_relative(v, "force, N", f.force[1], -weight, 0.01);
  assert_below(v, "force along x, N", f.force[0], 0.01 * weight);
  assert_below(v, "force along z, N", f.force[2], 0.01 * weight);
  assert_within(v, "time, s", f.time, 0.05, 1e-12);
  // The heap lies around the origin, which is the floor's pivot.
  if (!r->tray) {
    for (int a = 0; a < 3; a++) assert_below(v, "torque, N m", f.torque[a], 0.01 * weight * H);
  }
  mpm_case_close(&c);
}

static void heap_at_rest_presses_with_its_weight(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    rest r = {.implicit = k & 1, .tray = k & 2};
    for_each_scheme(v, r.tray ? FIRN_ISA_AVX2 : FIRN_ISA_SCALAR) check_rest(v, &r);
  }
}

static void snow_asleep_presses_with_its_weight(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    rest r = {.implicit = k & 1, .sleep = true, .surface = k & 2};
    for_each_scheme(v, FIRN_ISA_AVX2) {
      if (is_cubic(v) != is_apic(v)) check_rest(v, &r);
    }
  }
}

// Two planes without friction cannot but push along their normals, also where both hold a node: a
// block in their corner presses each with its share of the weight, and none of the other's.
static void a_corner_shares_by_its_normals(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_AVX2) {
    firn_sim_def def = mpm_printed_def(v, H);
    firn_material_def snow = firn_default_material_def();
    def.gravity[0] = -0.5 * G;
    def.gravity[1] = -G;
    def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
    def.mpm.dt = 5e-4;
    def.mpm.tolerance = 1e-6;
    mpm_case c = mpm_case_open(v, &def, &snow);
    int floor = add_floor(&c, 0, 0), id;
    firn_collider_def wall = firn_default_collider_def();
    wall.shape = firn_half_space((const double[]){0, 0, 0}, (const double[]){1, 0, 0});
    wall.friction = 0;
    wall.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &wall, &id));
    mpm_case_lattice(&c, (const int[]){0, 0, -2}, (const int[]){4, 3, 2}, 2);
    mpm_case_steps(&c, 40);
    firn_collider_force on_floor = force_on(&c, floor), on_wall = force_on(&c, id);
    double weight = mpm_case_sums(&c).mass * G;
    mpm_report(v, "floor (%.4f %.4f), wall (%.4f %.4f) of the weight", on_floor.force[0] / weight,
               on_floor.force[1] / weight, on_wall.force[0] / weight, on_wall.force[1] / weight);
    assert_true(on_floor.force[1] < -0.1 * weight && on_wall.force[0] < -0.05 * weight);
    // Rounding of impulses of nodes over a step, and the 1e-9 that keeps the shares defined.
    assert_below(v, "push of the floor aside", on_floor.force[0], 1e-5 * weight);
    assert_below(v, "push of the wall down", on_wall.force[1], 1e-5 * weight);
    mpm_case_close(&c);
  }
}

// A mould without friction, whose bottom lies a cell below the ground.
static int add_mould(const mpm_case *c, double height) {
  const double half[3] = {4 * H, 0.5 * (height + H), 4 * H};
  const double center[3] = {0, 0.5 * (height - H), 0};
  firn_shape_def box = firn_box(center, half);
  firn_shape *inside;
  int id;
  must(c, firn_shape_create(c->context, &box, &inside));
  firn_collider_def mould = firn_default_collider_def();
  mould.shape = firn_shell(inside, 0, 2 * H);
  mould.friction = 0;
  mould.forces = true;
  must(c, firn_sim_add_collider(c->sim, &mould, &id));
  firn_shape_release(inside);
  return id;
}

// Its bottom touches nodes that the ground touches, too. The snow lies on the ground, which carries
// it all, whichever of the two is named first.
static void check_mould(const mpm_variant *v, bool implicit, bool mould_first, double friction) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -G;
  def.mpm.flip = 0;
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.dt_max = implicit ? 1e-3 : 5e-4;
  mpm_case c = mpm_case_open(v, &def, &snow);
  int mould = 0, ground;
  // The lid is out of the reach of the snow.
  if (mould_first) mould = add_mould(&c, 12 * H);
  ground = add_floor(&c, 0, friction);
  if (!mould_first) mould = add_mould(&c, 12 * H);
  mpm_case_lattice(&c, (const int[]){-1, 0, -1}, (const int[]){1, 2, 1}, 2);
  must(&c, firn_sim_advance(c.sim, 0.12, NULL, NULL));
  firn_sim_collider_force_reset(c.sim);
  must(&c, firn_sim_advance(c.sim, 0.05, NULL, NULL));
  double weight = mpm_case_sums(&c).mass * G;
  double below = force_on(&c, ground).force[1], beside = force_on(&c, mould).force[1];
  mpm_report(v, "%s, %s first: ground %.5f, mould %.5f of the weight",
             implicit ? "implicit" : "explicit", mould_first ? "mould" : "ground", below / weight,
             beside / weight);
  assert_relative(v, "force on both, N", below + beside, -weight, 0.01);
  assert_below(v, "force on the mould, N", beside, 1e-3 * weight);
  mpm_case_close(&c);
}

static void the_outer_of_two_surfaces_carries(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    for_each_scheme(v, FIRN_ISA_AVX2) {
      if (is_cubic(v) != is_apic(v)) check_mould(v, k & 1, k & 2, k & 4 ? 1 : 0);
    }
  }
}

// Two floors are the same, a third lies below them, and a fourth, below too, does not even stay.
static void equal_surfaces_share_evenly(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    for_each_scheme(v, FIRN_ISA_AVX2) {
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def snow = firn_default_material_def();
      def.gravity[1] = -G;
      def.mpm.integrator = k ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
      def.mpm.dt = 2e-4;
      mpm_case c = mpm_case_open(v, &def, &snow);
      firn_collider_def falls = firn_default_collider_def();
      falls.shape.center[1] = -0.1 * H;
      falls.velocity[1] = -0.1;
      falls.forces = true;
      must(&c, firn_sim_add_collider(c.sim, &falls, NULL));
      add_floor(&c, -0.5 * H, 0.5);
      add_floor(&c, 0, 0.5);
      add_floor(&c, 0, 0.5);
      mpm_case_lattice(&c, (const int[]){-2, 0, -2}, (const int[]){2, 2, 2}, 2);
      mpm_case_steps(&c, 100);
      firn_collider_force f[4];
      for (int id = 0; id < 4; id++) f[id] = force_on(&c, id);
      double weight = mpm_case_sums(&c).mass * G;
      mpm_report(v, "floors %.4f %.4f %.4f %.4f of the weight", f[0].force[1] / weight,
                 f[1].force[1] / weight, f[2].force[1] / weight, f[3].force[1] / weight);
      assert_true(f[2].force[1] < -0.1 * weight);
      assert_below(v, "force on the floor that falls, N", f[0].force[1], 1e-9 * weight);
      assert_below(v, "force on the lower floor, N", f[1].force[1], 1e-9 * weight);
      assert_relative(v, "force on the other floor, N", f[3].force[1], f[2].force[1], 1e-9);
      mpm_case_close(&c);
    }
  }
}

// A rough floor, and a smooth plane that leans away from the snow: whichever is named first and
// wherever both hold a node, snow that is drawn along the plane cannot but push that along its normal.
static void check_smooth(const mpm_variant *v, bool implicit, bool plane_first) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  const double n[3] = {0.8, 0.6, 0};
  def.gravity[0] = -0.8 * G;
  def.gravity[1] = -G;
  def.gravity[2] = 0.5 * G;
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.dt = 2e-4;
  def.mpm.tolerance = 1e-6;
  mpm_case c = mpm_case_open(v, &def, &snow);
  int id = 0;
  firn_collider_def plane = firn_default_collider_def();
  plane.shape = firn_half_space((const double[]){0, 0, 0}, n);
  plane.friction = 0;
  plane.forces = true;
  if (plane_first) must(&c, firn_sim_add_collider(c.sim, &plane, &id));
  add_floor(&c, 0, 1);
  if (!plane_first) must(&c, firn_sim_add_collider(c.sim, &plane, &id));
  mpm_case_lattice(&c, (const int[]){0, 0, -2}, (const int[]){4, 3, 2}, 2);
  double weight = mpm_case_sums(&c).mass * G, pulled = 0, aside = 0, along = 0;
  for (int step = 0; step < 100; step++) {
    firn_sim_collider_force_reset(c.sim);
    mpm_case_steps(&c, 1);
    firn_collider_force f = force_on(&c, id);
    along = f.force[0] * n[0] + f.force[1] * n[1];
    if (along > pulled) pulled = along;
    worst(&aside, f.force[0] * n[1] - f.force[1] * n[0]);
    worst(&aside, f.force[2]);
  }
  mpm_report(v, "%s, %s first: along %.4f, pulled %.1e, aside %.1e of the weight",
             implicit ? "implicit" : "explicit", plane_first ? "plane" : "floor", along / weight,
             pulled / weight, aside / weight);
  assert_true(along < -0.05 * weight);
  assert_below(v, "pull of the plane, N", pulled, 1e-5 * weight);
  assert_below(v, "push of the plane aside, N", aside, 1e-5 * weight);
  mpm_case_close(&c);
}

static void what_is_smooth_pushes_along_its_normal(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    for_each_scheme(v, FIRN_ISA_AVX2) check_smooth(v, k & 1, k & 2);
  }
}

// ------------------------------------------------------------------------------------- torque

// Off the pivot by d, a heap turns the floor by its weight times d.
static void torque_is_about_the_pivot(void **state) {
  (void)state;
  for_each_scheme(v, FIRN_ISA_SCALAR) {
    firn_sim_def def = mpm_printed_def(v, H);
    firn_material_def snow = firn_default_material_def();
    def.gravity[1] = -G;
    def.mpm.dt = 1e-4;
    mpm_case c = mpm_case_open(v, &def, &snow);
    firn_collider_def floor = firn_default_collider_def();
    floor.motion.has_pivot = true;
    floor.motion.pivot[0] = 10 * H; // the heap is at x = z = 0
    floor.motion.pivot[2] = -5 * H;
    floor.friction = 0;
    floor.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
    mpm_case_lattice(&c, (const int[]){-2, 0, -2}, (const int[]){2, 1, 2}, 2);
    mpm_case_steps(&c, 20);
    firn_collider_force f = force_on(&c, 0);
    // All forces are along y and, by symmetry, act at the middle on average: r x f with r =
    // (-10 H, y, 5 H). Sums of a few hundred products over 20 steps round at random.
    assert_true(f.force[1] < 0);
    double scale = 10 * H * fabs(f.force[1]) * 64 * EPS;
    assert_within(v, "torque x, N m", f.torque[0], -5 * H * f.force[1], scale);
    assert_within(v, "torque z, N m", f.torque[2], -10 * H * f.force[1], scale);
    assert_below(v, "torque y, N m", f.torque[1], scale);
    mpm_case_close(&c);
  }
}

// ---------------------------------------------------------------------------- threads, requests

static void threads_do_not_change_forces(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  for (int implicit = 0; implicit < 2; implicit++) {
    firn_collider_force first;
    for (int threads = 1; threads <= 3; threads += 2) {
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def snow = firn_default_material_def();
      def.gravity[1] = -G;
      def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
      def.mpm.dt = 2e-4;
      mpm_case c = mpm_case_open_threads(v, &def, &snow, threads);
      add_floor(&c, 0.2 * H, 0.4);
      mpm_case_jittered(&c, (const int[]){-9, 0, -9}, (const int[]){9, 2, 9}, 2, 0.4, 3);
      mpm_case_steps(&c, 10);
      firn_collider_force f = force_on(&c, 0);
      if (threads == 1) first = f;
      assert_memory_equal(&f, &first, sizeof f);
      mpm_case_close(&c);
    }
  }
}

static void forces_must_be_asked_for(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  mpm_case c = mpm_case_open(v, &def, &snow);
  firn_collider_def floor = firn_default_collider_def();
  firn_collider_force f;
  floor.name = "ground";
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  assert_int_equal(firn_sim_collider_force(c.sim, 0, &f), FIRN_ERROR_STATE);
  assert_non_null(strstr(firn_context_message(c.context), "'ground'"));
  assert_int_equal(firn_sim_collider_force(c.sim, 1, &f), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(c.context), "collider 1 does not exist"));
  mpm_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(explicit_steps_balance_momentum),
      cmocka_unit_test(semi_implicit_steps_balance_momentum),
      cmocka_unit_test(partly_solved_steps_balance_momentum),
      cmocka_unit_test(heap_at_rest_presses_with_its_weight),
      cmocka_unit_test(snow_asleep_presses_with_its_weight),
      cmocka_unit_test(a_corner_shares_by_its_normals),
      cmocka_unit_test(the_outer_of_two_surfaces_carries),
      cmocka_unit_test(equal_surfaces_share_evenly),
      cmocka_unit_test(what_is_smooth_pushes_along_its_normal),
      cmocka_unit_test(torque_is_about_the_pivot),
      cmocka_unit_test(threads_do_not_change_forces),
      cmocka_unit_test(forces_must_be_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
