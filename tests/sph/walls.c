// SPDX-License-Identifier: Apache-2.0
// labels: P10 P11 P12
// timeout: 120
// What colliders do to snow: samples, friction, adhesion, bouncing.
#include "support/both_lists.h"
#include "support/deforming.h"

static const double UP[3] = {0, 1, 0}, DOWN[3] = {0, -1, 0}, ORIGIN[3] = {0, 0, 0};

// Samples of a plane stand for 0.8 / 0.7006 spacings^3; a layer one spacing above sees 1.021.
static void see_from_a_layer_on_a_plane(bool printed) {
  sph_plan plan = sph_default_plan();
  plan.sph.walls_printed = printed;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, UP, 1);
  const double corner[3] = {0.005 - 0.04, 0.005, 0.005 - 0.04};
  sph_case_lattice(&c, (const int[3]){8, 6, 8}, corner, 0);
  sph_case_prepare(&c, 1e-4);
  const sph *s = sph_case_solver(&c);
  assert_true(s->boundary.count > 100);
  assert_within("sum over a plane", sph_boundary_plane_sum(), 0.7006, 5e-5);
  for (size_t b = 0; b < s->boundary.count; b++) {
    if (fabs(s->boundary.point[3 * b]) > 0.04 || fabs(s->boundary.point[3 * b + 2]) > 0.04)
      continue;
    assert_within("V_b", (double)s->boundary.volume[b], 0.8 / sph_boundary_plane_sum(), 1e-5);
    assert_within("depth", s->boundary.point[3 * b + 1], -0.005, 1e-12);
  }
  size_t inside = sph_case_slot(&c,
                                4 * 48 + 4); // above samples, as the lattice of both is the same
  double wall = (double)s->pairs.wall.w[inside];
  assert_within("wall", wall, 1.021 - 0.850288, 2e-3);
  // What samples take up is no longer there for snow.
  assert_within("density", sph_density(s, inside) / 400, 0.850288 / (1 - wall), 1e-5);
  // And they complete the moment: on a lattice it is 1.02 along each axis, which is what mirrored
  // ones come to across the floor. Printed ones come to 1.14 times their share, of a sixth more
  // across the floor.
  double across = 1 / (double)s->L[6 * inside + 1];
  assert_within("correction across", across, 1.02 + (printed ? 0.14 * 0.51 : 0),
                printed ? 0.02 : 1e-4);
  if (printed)
    assert_within("correction along", 1 / (double)s->L[6 * inside], 1.02 + 0.14 * 0.2, 0.03);
  sph_case_close(&c);
}

static void layer_on_a_plane_sees_about_as_much_as_inside(void **state) {
  (void)state;
  see_from_a_layer_on_a_plane(true);
  see_from_a_layer_on_a_plane(false);
}

// A particle at one spacing straight above a sample, without gravity.
static sph_case above_a_sample(double distance, const double normal[3], double nu, double adhesion,
                               bool printed) {
  sph_plan plan = plan_with_lists();
  plan.sph.boundary_depth = 0;
  plan.sph.friction_printed = printed;
  sph_case c = sph_case_open(&plan);
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_half_space(ORIGIN, normal);
  def.friction_viscosity = nu;
  def.adhesion = adhesion;
  must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  const double x[3] = {0.005, normal[1] * distance * c.d, 0.005};
  sph_case_add(&c, 1, x);
  sph_case_prepare(&c, 1e-3);
  return c;
}

static void friction_slows_down_as_its_sum_says(void **state) {
  (void)state;
  const double nu = 0.02, sum = 0.57821; // sum V_b c_ib d^2 at one spacing
  for (int printed = 0; printed < 2; printed++) {
    sph_case c = above_a_sample(1, UP, nu, 0, printed);
    sph *s = sph_case_solver(&c);
    size_t i = sph_case_slot(&c, 0);
    const double v0[3] = {3, -1, 2};
    double exact = 0; // the sum as it is
    const sph_list *walls = &s->pairs.walls;
    for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
      double r2 = 0;
      for (int a = 0; a < 3; a++) r2 += pow((double)walls->near[k].x[a], 2);
      exact -= (double)s->boundary.volume[walls->other[k]] * (double)walls->near[k].f * r2 /
               (r2 + 0.01);
    }
    assert_relative("sum", exact, sum, 1e-4);
    for (size_t a = 0; a < 3; a++) s->v[3 * i + a] = (firn_real)v0[a];
    for_each_particle(s, k) s->G[k] = 0; // as weak as a lone flake is, it would be seen at 1e-12
    for (int n = 0; n < 10; n++) {
      sph_wall_forces(s);
      if (!printed) must(&c, sph_shear(s));
    }
    // As printed it acts on all of the velocity, else on what is along the wall.
    double factor = pow(1 + s->dt * nu * exact / (c.d * c.d), -10);
    for (size_t a = 0; a < 3; a++)
      assert_relative("velocity", (double)s->v[3 * i + a],
                      v0[a] * (a == 1 && !printed ? 1 : factor), by_precision(3e-6, 1e-12));
    assert_true(factor < 0.7);
    sph_case_close(&c);
  }
}

// nu_b without bounds: snow moves along with the wall, and is free to leave unless it is sticky.
static void friction_draws_snow_along_with_a_moving_wall(void **state) {
  (void)state;
  for (int sticky = 0; sticky < 2; sticky++) {
    sph_plan plan = plan_with_lists();
    sph_case c = sph_case_open(&plan);
    firn_collider_def def = firn_default_collider_def();
    def.shape = firn_half_space(ORIGIN, UP);
    def.friction_viscosity = 1e6;
    def.sticky = sticky;
    def.velocity[0] = 0.7;
    must(&c, firn_sim_add_collider(c.sim, &def, NULL));
    sph_case_add(&c, 1, (const double[3]){0.0071, 0.006, 0.0042});
    sph_case_prepare(&c, 1e-3);
    sph *s = sph_case_solver(&c);
    size_t i = sph_case_slot(&c, 0);
    s->v[3 * i + 1] = 3;
    sph_wall_forces(s);
    must(&c, sph_shear(s));
    assert_within("along", (double)s->v[3 * i], 0.7, 1e-3);
    assert_within("away", (double)s->v[3 * i + 1], sticky ? 0 : 3, 1e-3);
    sph_case_close(&c);
  }
}

// What is at rest may be hit by what is not: a wall crosses no more than 0.4 spacings in a step.
static void steps_heed_the_speed_of_walls(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  sph_case c = sph_case_open(&plan);
  firn_collider_def def = firn_default_collider_def();
  def.shape = firn_half_space(ORIGIN, UP);
  def.velocity[1] = 20;
  must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  sph_case_add(&c, 1, (const double[3]){0.005, 0.03, 0.005});
  firn_step step;
  must(&c, firn_sim_step(c.sim, 0, &step));
  assert_relative("step", step.dt, 0.4 * c.d / 20, 1e-6);
  sph_case_close(&c);
}

// S = sum V_b A (x . n)/r at 1.3 spacings is 0.00428: below a ceiling, whoever pulls by more than
// g/S is stronger than gravity.
static void adhesion_holds_against_gravity_from_g_over_s_on(void **state) {
  (void)state;
  const double S = 0.00428, g = 9.81;
  for (int stronger = 0; stronger < 2; stronger++) {
    double adhesion = g / S * (stronger ? 1.01 : 0.99);
    sph_case c = above_a_sample(1.3, DOWN, 0, adhesion, false);
    sph *s = sph_case_solver(&c);
    size_t i = sph_case_slot(&c, 0);
    s->v[3 * i + 1] = (firn_real)(-g * s->dt);
    sph_wall_forces(s);
    assert_true(stronger ? s->v[3 * i + 1] > 0 : s->v[3 * i + 1] < 0);
    sph_case_close(&c);
  }
  // Nearer than half the reach, and out of it, there is none.
  for (int far = 0; far < 2; far++) {
    sph_case c = above_a_sample(far ? 2.01 : 0.2, DOWN, 0, 1e4, false);
    sph *s = sph_case_solver(&c);
    size_t i = sph_case_slot(&c, 0);
    sph_wall_forces(s);
    if (far) assert_true(s->v[3 * i + 1] == 0);
    sph_case_close(&c);
  }
}

// Whole steps: a flake under a sticky ceiling stays, under another it falls.
static void flake_hangs_from_what_is_sticky(void **state) {
  (void)state;
  for (int sticky = 0; sticky < 2; sticky++) {
    sph_plan plan = sph_default_plan();
    plan.gravity[1] = -9.81;
    sph_case c = sph_case_open(&plan);
    firn_collider_def def = firn_default_collider_def();
    def.shape = firn_half_space(ORIGIN, DOWN);
    def.friction_viscosity = 0;
    def.sticky = sticky;
    must(&c, firn_sim_add_collider(c.sim, &def, NULL));
    sph_case_add(&c, 1, (const double[3]){0.005, -0.008, 0.005});
    sph_case_advance(&c, 0.2);
    double *x = sph_case_read(&c, "position", 3);
    if (sticky)
      assert_within("height", x[1], -0.008, 0.004);
    else
      assert_true(x[1] < -0.1);
    free(x);
    sph_case_close(&c);
  }
}

// A block on a slope, which gravity tilts: without friction it slides with g sin, with nu_b = 1000
// it stays. It is elastic: so small a block of snow is edges for the most part, where stiffness is
// 2 % of what it is inside, and would flow off its own foot.
static double slide(double nu, double degrees, double seconds, bool tilted_plane, bool printed) {
  sph_plan plan = sph_default_plan();
  plan.sph.friction_printed = printed;
  plan.material.law = "elastic";
  double angle = degrees * 3.14159265358979324 / 180, n[3] = {0, 1, 0};
  plan.gravity[0] = tilted_plane ? 0 : 9.81 * sin(angle);
  plan.gravity[1] = -9.81 * (tilted_plane ? 1 : cos(angle));
  if (tilted_plane) {
    n[0] = sin(angle);
    n[1] = cos(angle);
  }
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, ORIGIN, n, nu);
  // Rows along the slope.
  enum { N = 6, LAYERS = 4 };
  double x[3 * N * N * LAYERS];
  for (int i = 0; i < N * N * LAYERS; i++) {
    double t = (i % N + 0.5) * c.d, up = (i / N % LAYERS + 0.5) * c.d;
    x[3 * i] = n[1] * t + n[0] * up;
    x[3 * i + 1] = -n[0] * t + n[1] * up;
    x[3 * i + 2] = (i / N / LAYERS + 0.5) * c.d;
  }
  sph_case_add(&c, N * N * LAYERS, x);
  sph_case_advance(&c, seconds);
  firn_sums sums;
  must(&c, firn_sim_sums(c.sim, &sums));
  double along = (sums.momentum[0] * n[1] - sums.momentum[1] * n[0]) / sums.mass;
  sph_case_close(&c);
  return along;
}

static void block_slides_with_g_sin_or_stays(void **state) {
  (void)state;
  const double a = 9.81 * sin(20 * 3.14159265358979324 / 180);
  assert_relative("acceleration", slide(0, 20, 0.1, false, false) / 0.1, a, 0.02);
  assert_relative("down a tilted plane", slide(0, 20, 0.1, true, false) / 0.1, a, 0.02);
  assert_below("stuck", slide(1000, 20, 0.5, false, false), 1e-3);
  assert_below("stuck to a tilted plane", slide(1000, 20, 0.5, true, false), 1e-3);
  assert_true(slide(1000, 20, 0.5, false, true) > 5e-3); // as printed it creeps
}

// Onto a floor, a slope, a wall that comes along and one that goes away: against the surface a
// flake keeps the restitution times its speed, along it all of it unless there is friction; and the
// collider is told, with the torque about a pivot that is 1 m aside and the work of what it does.
static void lone_flake_bounces_by_restitution(void **state) {
  (void)state;
  static const struct {
    double degrees, speed; // of the slope, and outward, m/s
  } walls[] = {{0, 0}, {30, 0}, {-62, 0}, {0, 1.5}, {0, -1}, {25, 0.8}};
  static const double restitution[] = {0, 0.5, 0.9, 1};
  for (int k = 0; k < 48; k++) {
    sph_plan plan = sph_default_plan();
    double e = plan.sph.restitution = restitution[k % 4], speed = walls[k / 4 % 6].speed;
    double angle = walls[k / 4 % 6].degrees * 3.14159265358979324 / 180;
    const double n[3] = {sin(angle), cos(angle), 0}, along[3] = {cos(angle), -sin(angle), 0};
    sph_case c = sph_case_open(&plan);
    firn_collider_def wall = firn_default_collider_def();
    double x[3], into[3], mass = 400 * c.d * c.d * c.d;
    for (int a = 0; a < 3; a++) {
      wall.velocity[a] = speed * n[a];
      wall.motion.pivot[a] = 0.005 + along[a];
      x[a] = 0.03 * n[a] + 0.005;
      into[a] = -2 * n[a] + 0.3 * along[a];
    }
    wall.shape = firn_half_space((const double[3]){0.005, 0.005, 0.005}, n);
    bool rough = k >= 24;
    wall.friction_viscosity = rough ? 1 : 0;
    wall.forces = wall.motion.has_pivot = true;
    must(&c, firn_sim_add_collider(c.sim, &wall, NULL));
    firn_particles_def flake = firn_default_particles_def();
    flake.count = 1;
    flake.position = x;
    flake.velocity = into;
    must(&c, firn_sim_add_particles(c.sim, &flake));
    sph_case_advance(&c, 0.1);
    double *v = sph_case_read(&c, "velocity", 3), off = 0, slide = 0, push = 0;
    firn_collider_force force;
    must(&c, firn_sim_collider_force(c.sim, 0, &force));
    for (int a = 0; a < 3; a++) {
      off += v[a] * n[a];
      slide += v[a] * along[a];
      push += force.impulse[a] * n[a];
    }
    // Without restitution it is left to the barrier and to what pressure a flake has, sample by
    // sample.
    assert_within("speed off the wall", off - speed, e * (2 + speed),
                  (e > 0 ? 0.05 * e : 0.5) * (2 + speed));
    if (e > 0 && !rough) assert_within("speed along it", slide, 0.3, 2e-3);
    if (rough) assert_true(fabs(slide) < 0.1);
    assert_relative("impulse on the wall", push, mass * (-2 - off),
                    1e-3); // that of the shear solve
    assert_within("work", force.work, -push * speed, 1e-6 * fabs(push));
    // It has come some 4 mm along the wall when it is there.
    assert_relative("torque", force.torque[2] * force.time, -push, 0.01);
    free(v);
    sph_case_close(&c);
  }
}

// All that a floor has taken is what the snow has lost, and the weight of what lies on it is its
// force.
static void forces_on_the_floor_balance_momentum(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.gravity[1] = -9.81;
  sph_case c = sph_case_open(&plan);
  int floor = sph_case_plane(&c, ORIGIN, UP, 0.05);
  const double corner[3] = {-0.025, 0.02, -0.025};
  sph_case_lattice(&c, (const int[3]){6, 6, 6}, corner, 0);
  double *v = sph_case_read(&c, "velocity", 3);
  for (size_t i = 0; i < sph_case_count(&c); i++) {
    v[3 * i] = 0.5;
    v[3 * i + 1] = -1;
  }
  must(&c, firn_sim_write(c.sim, "velocity", v));
  firn_sums before, after;
  must(&c, firn_sim_sums(c.sim, &before));
  sph_case_advance(&c, 0.1);
  must(&c, firn_sim_sums(c.sim, &after));
  firn_collider_force force;
  must(&c, firn_sim_collider_force(c.sim, floor, &force));
  double weight = 9.81 * before.mass * 0.1;
  // The shear solve leaves 1e-3 of its residual, which the snow has kept and the floor is not told.
  for (int a = 0; a < 3; a++) {
    double lost = before.momentum[a] - after.momentum[a] - (a == 1 ? weight : 0);
    assert_within("impulse", force.impulse[a], lost, 2e-3 * weight);
  }
  sph_case_advance(&c, 0.4);
  firn_sim_collider_force_reset(c.sim);
  sph_case_advance(&c, 0.2);
  must(&c, firn_sim_collider_force(c.sim, floor, &force));
  assert_relative("weight", -force.force[1], 9.81 * before.mass, 0.01);
  free(v);
  sph_case_close(&c);
}

// A ball and a box: samples are on their surfaces, about one a square spacing, and hold snow off.
static void solids_are_sampled_all_over(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    sph_plan plan = sph_default_plan();
    plan.sph.boundary_depth = 0;
    sph_case c = sph_case_open(&plan);
    firn_collider_def def = firn_default_collider_def();
    const double center[3] = {0.013, 0.004, -0.002}, half[3] = {0.05, 0.03, 0.04};
    def.shape = k ? firn_box(center, half) : firn_sphere(center, 0.05);
    must(&c, firn_sim_add_collider(c.sim, &def, NULL));
    // Snow all around, so that every side is near some.
    const double corner[3] = {-0.2, -0.2, -0.2};
    sph_case_lattice(&c, (const int[3]){6, 6, 6}, corner, 0);
    for (int i = 0; i < 64; i++) {
      double x[3] = {-0.15 + 0.1 * (i / 16), -0.15 + 0.1 * (i / 4 % 4), -0.15 + 0.1 * (i % 4)};
      sph_case_add(&c, 1, x);
    }
    sph_case_prepare(&c, 1e-3);
    const sph *s = sph_case_solver(&c);
    double area = k ? 8 * (0.05 * 0.03 + 0.03 * 0.04 + 0.04 * 0.05) : 4 * 3.14159265 * 0.0025;
    double number = (double)s->boundary.count * c.d * c.d / area, volume = 0;
    for (size_t b = 0; b < s->boundary.count; b++) volume += (double)s->boundary.volume[b];
    // Where they lie closer, each stands for less.
    assert_within("samples a square", number, 1, 0.1);
    assert_relative("their volume", volume * c.d * c.d / area, 0.8 / 0.7006, 0.12);
    sph_case_close(&c);
  }
}

// A ball half sunk into the ground: neither has samples further inside the other than half a
// spacing, where they lie, and a quarter.
static void samples_under_others_are_left_out(void **state) {
  (void)state;
  const double r = 0.05;
  sph_plan plan = sph_default_plan();
  sph_case c = sph_case_open(&plan);
  int ground = sph_case_plane(&c, ORIGIN, UP, 1);
  firn_collider_def ball = firn_default_collider_def();
  ball.shape = firn_sphere(ORIGIN, r);
  must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  sph_case_lattice(&c, (const int[3]){16, 1, 16}, (const double[3]){-0.075, 0.06, -0.075}, 0);
  sph_case_prepare(&c, 1e-3);
  const sph_boundary *b = &sph_case_solver(&c)->boundary;
  double deepest[2] = {0}; // spacings inside the other: of the ground's, of the ball's
  for (size_t i = 0; i < b->count; i++) {
    const double *x = b->point + 3 * i;
    double in_ball = r - sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), in_ground = -x[1];
    double *deep = &deepest[b->owner[i] != ground];
    *deep = fmax(*deep, (b->owner[i] == ground ? in_ball : in_ground) / c.d);
  }
  for (int k = 0; k < 2; k++) {
    assert_true(deepest[k] <= 0.75);
    assert_true(deepest[k] > 0.3); // up to there they are whole
  }
  sph_case_close(&c);
}

// A ball that swells and moves on: radius R (1 + t), centre (U t, 0, 0). Keys are a tenth of a
// second apart.
static const double R = 0.05, U = 0.2;

static double swelling_ball(double t, const double x[3], double velocity[3]) {
  const double r[3] = {x[0] - U * t, x[1], x[2]};
  for (int a = 0; a < 3; a++) velocity[a] = r[a] / (1 + t) + (a == 0 ? U : 0);
  return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) - R * (1 + t);
}

// Samples lie half a spacing inside, have the velocity of the body there, and go along with it
// between keys: none is anywhere else than where it was, but for that.
static void samples_follow_a_body_that_deforms(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.sph.dt = 1e-3;
  sph_case c = sph_case_open(&plan);
  firn_collider_def def = firn_default_collider_def();
  const double times[] = {0, 0.1, 0.2};
  const deforming_body swelling = {
      .keys = 3, .times = times, .nodes = 41, .voxel = 0.005, .least = -0.1, .at = swelling_ball};
  firn_sequence *ball = deforming_sequence(c.context, &swelling);
  def.sequence = ball;
  must(&c, firn_sim_add_collider(c.sim, &def, NULL));
  firn_sequence_release(ball);
  sph_case_lattice(&c, (const int[3]){12, 1, 12}, (const double[3]){-0.06, 0.07, -0.06}, 0);
  const sph_boundary *b = &sph_case_solver(&c)->boundary;
  double *before = NULL;
  size_t count = 0;
  for (int n = 0; n < 90; n++) {
    sph_case_steps(&c, 1);
    double t = n * plan.sph.dt, far = 0, off = 0, jump = 0; // when the step began
    for (size_t i = 0; i < b->count; i++) {
      double v[3];
      worst(&far, swelling_ball(t, b->point + 3 * i, v) + 0.5 * c.d);
      for (size_t a = 0; a < 3; a++) {
        worst(&off, (double)b->velocity[3 * i + a] - v[a]);
        if (b->count == count) worst(&jump, b->point[3 * i + a] - before[3 * i + a]);
      }
    }
    // Between keys the distance is a mean of two: the ball swells by a tenth of R in the meantime.
    assert_below("depth, spacings", far / c.d, 0.05);
    assert_below("velocity", off, 0.01);
    // Those near the snow are the same, or a few more as it falls closer.
    assert_below("way in a step, spacings", jump / c.d, 0.05);
    count = b->count;
    before = realloc(before, 3 * (count + 1) * sizeof *before);
    assert_non_null(before);
    memcpy(before, b->point, 3 * count * sizeof *before);
    assert_true(count > 50);
  }
  free(before);
  sph_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layer_on_a_plane_sees_about_as_much_as_inside),
      BOTH_LISTS(friction_slows_down_as_its_sum_says),
      BOTH_LISTS(friction_draws_snow_along_with_a_moving_wall),
      cmocka_unit_test(steps_heed_the_speed_of_walls),
      BOTH_LISTS(adhesion_holds_against_gravity_from_g_over_s_on),
      cmocka_unit_test(flake_hangs_from_what_is_sticky),
      cmocka_unit_test(block_slides_with_g_sin_or_stays),
      cmocka_unit_test(lone_flake_bounces_by_restitution),
      cmocka_unit_test(forces_on_the_floor_balance_momentum),
      cmocka_unit_test(samples_follow_a_body_that_deforms),
      cmocka_unit_test(solids_are_sampled_all_over),
      cmocka_unit_test(samples_under_others_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
