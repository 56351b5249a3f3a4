// SPDX-License-Identifier: Apache-2.0
// labels: M12 M30 M31 M33 slow
// timeout: 60
// Cases with closed forms, told as scene files: a block on an incline, confined compression, the
// velocity algebra of collisions. tests/mpm has them, with all variants, through the C interface.
#include <string.h>

#include "support/mpm_case.h"
#include "support/play.h"

static const double G = 9.81; // m/s^2

// ------------------------------------------------------------------------------------- incline

// The slope is level and gravity turned (M30, M31). Blocks that are to slide begin with 0.1 m/s, so
// that they do not ring (tests/mpm/incline.c).
static const char incline[] = "firn: 1\n"
                              "h: 2.5 cm\n"
                              "variables: {angle: 40 deg, start: 10 cm/s}\n"
                              "gravity: ['9.81 * sin(${angle})', '-9.81 * cos(${angle})', 0]\n"
                              "periodic: [0, 0, 10 cm]\n"
                              "mpm: {integrator: implicit, dt: 0.5 ms, tolerance: 1e-6,\n"
                              "      max_iterations: 1000, volume: nominal, sleep: false}\n"
                              "materials: {block: {law: elastic, young: 1.4 MPa}}\n"
                              "snow:\n"
                              "  - name: block\n"
                              "    shape: {box: {center: [5 cm, 2.5 cm, 5 cm], size: [10 cm, 5 cm, "
                              "10 cm]}}\n"
                              "    seeding: lattice\n"
                              "    velocity: ['${start}', 0, 0]\n"
                              "colliders:\n"
                              "  - {name: slope, shape: {half_space: {}}, friction: 0.5}\n";

typedef struct slide {
  double acceleration; // m/s^2, down the slope
  double along;        // m/s, at the end
  double push[2];      // N, of the block on the slope: down the slope, into it
  double weight;       // N
} slide;

static slide run_slide(const play *p, double seconds) {
  slide s;
  play_advance(p, seconds / 2);
  firn_sums half = play_sums(p);
  firn_sim_collider_force_reset(p->sim);
  play_advance(p, seconds / 2);
  firn_sums end = play_sums(p);
  s.along = end.momentum[0] / end.mass;
  s.acceleration = (s.along - half.momentum[0] / half.mass) / (seconds / 2);
  firn_collider_force force = play_force(p, "slope");
  assert_between("time that forces are taken over, s", force.time, 0.499 * seconds,
                 0.501 * seconds);
  s.push[0] = force.force[0];
  s.push[1] = -force.force[1];
  s.weight = G * end.mass;
  return s;
}

static void block_on_a_gentle_slope_rests_and_bears_its_weight(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  // Soft, so that it has come to rest well within the first half.
  play p = play_text(incline, "variables.angle=15 deg", "variables.start=0",
                     "materials.block.young=140 kPa");
  slide s = run_slide(&p, 0.3);
  assert_between("velocity, m/s", s.along, -1e-4, 1e-4);
  // At rest within 1 %: what keeps it from sliding, and what bears it.
  assert_between("push down the slope / weight", s.push[0] / s.weight / sin(pi / 12), 0.99, 1.01);
  assert_between("push into the slope / weight", s.push[1] / s.weight / cos(pi / 12), 0.99, 1.01);
  play_close(&p);
}

static void block_on_a_steep_slope_slides_against_friction(void **state) {
  (void)state;
  play p = play_text(incline);
  slide s = run_slide(&p, 0.1);
  assert_between("acceleration, m/s^2", s.acceleration, 2.5483 * 0.998, 2.5483 * 1.002);
  assert_between("friction / normal force", s.push[0] / s.push[1], 0.499, 0.501);
  play_close(&p);
}

static void block_slides_freely_without_friction(void **state) {
  (void)state;
  play p = play_text(incline, "colliders.slope.friction=0");
  slide s = run_slide(&p, 0.04);
  assert_between("acceleration, m/s^2", s.acceleration, 6.3057 * 0.999, 6.3057 * 1.001);
  assert_between("friction / normal force", s.push[0] / s.push[1], -1e-3, 1e-3);
  play_close(&p);
}

// A plane that is tilted itself: the same, however the grid lies.
static void tilted_plane_slides_as_tilted_gravity(void **state) {
  (void)state;
  play p = play_text(incline, "gravity=[0, -9.81, 0]",
                     "colliders.slope.shape={half_space: {normal: ['sin(40 deg)', 'cos(40 deg)', "
                     "0]}}",
                     "snow.block.shape={box: {center: [0, 2.5 cm, 5 cm], size: [10 cm, 5 cm, 10 "
                     "cm]}, rotate: [0, 0, -40 deg]}",
                     "snow.block.velocity=['0.1 * cos(40 deg)', '-0.1 * sin(40 deg)', 0]");
  play_advance(&p, 0.05);
  firn_sums half = play_sums(&p);
  play_advance(&p, 0.05);
  firn_sums end = play_sums(&p);
  double dv[2];
  for (int a = 0; a < 2; a++) dv[a] = (end.momentum[a] - half.momentum[a]) / end.mass / 0.05;
  // It settles a little into the slope meanwhile, since its bottom is uneven: 1 %.
  assert_between("acceleration, m/s^2", hypot(dv[0], dv[1]), 2.5483 * 0.99, 2.5483 * 1.01);
  play_close(&p);
}

// ------------------------------------------------------------------------- confined compression

// Snow without a way out at the sides, pressed to about 80 % of its height by a piston, and let go
// (M12). Pure PIC, so that it does not ring.
static const char oedometer[] =
    "firn: 1\n"
    "h: 2 cm\n"
    "gravity: [0, 0, 0]\n"
    "periodic: [8 cm, 0, 8 cm]\n"
    "mpm: {flip: 0, flip_rescale: false, sleep: false, dt_max: 0.5 ms}\n"
    "snow:\n"
    "  - shape: {box: {center: [4 cm, 12 cm, 4 cm], size: [8 cm, 24 cm, 8 cm]}}\n"
    "    seeding: lattice\n"
    "colliders:\n"
    "  - {name: floor, shape: {half_space: {}}, friction: 0}\n"
    "  - name: piston\n"
    "    shape: {half_space: {point: [0, 24 cm, 0], normal: [0, -1, 0]}}\n"
    "    friction: 0\n"
    "    motion:\n"
    "      translation:\n"
    "        keys: [[0 s, [0, 0, 0]], [0.6 s, [0, -4.8 cm, 0]], [0.8 s, [0, -4.8 cm, 0]],\n"
    "               [1.0 s, [0, 0, 0]]]\n";

typedef struct column {
  double s;         // height over that at the beginning, of the middle half
  double jp, sigma; // means there; Pa, vertical
  double jp_spread; // largest difference to the mean
} column;

// Rows of the lattice: 24 of them, 1 cm apart; 6 to 17 are the middle half.
static column middle_of(const play *p, const double *start) {
  column c = {0};
  double *x = play_read(p, "position"), *jp = play_read(p, "jp"), *stress = play_read(p, "stress");
  double lo = 0, hi = 0;
  size_t los = 0, his = 0, n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < play_count(p); i++) {
      int row = (int)(start[3 * i + 1] / 0.01);
      if (row < 6 || row > 17) continue;
      if (pass) {
        c.jp_spread = fmax(c.jp_spread, fabs(jp[i] - c.jp / (double)n));
        continue;
      }
      n++;
      c.jp += jp[i];
      c.sigma += stress[6 * i + 1];
      if (row == 6) lo += x[3 * i + 1], los++;
      if (row == 17) hi += x[3 * i + 1], his++;
    }
  }
  assert_true(n > 0 && los > 0 && his > 0);
  c.jp /= (double)n;
  c.sigma /= (double)n;
  c.s = (hi / (double)his - lo / (double)los) / 0.11;
  free(x);
  free(jp);
  free(stress);
  return c;
}

static void confined_snow_is_pressed_along_the_closed_form(void **state) {
  (void)state;
  play p = play_text(oedometer);
  double *start = play_read(&p, "position");
  play_advance(&p, 0.7);
  firn_sim_collider_force_reset(p.sim);
  play_advance(&p, 0.1);
  column c = middle_of(&p, start);
  // The plane that holds still lies 0.46 h behind each surface (M13): 2 x 0.92 cm more to share.
  assert_between("height", c.s, 0.78, 0.84);
  assert_between("J_P (1 - theta_c) / height", c.jp * (1 - THETA_C) / c.s, 0.998, 1.002);
  // Particles that cross cells differ a little from their neighbours.
  assert_between("largest difference in J_P", c.jp_spread, -1, 0.05);
  double sigma = -M_WAVE * THETA_C * (1 - THETA_C) * exp(XI * (1 - c.jp)) / c.s;
  assert_between("stress / closed form", c.sigma / sigma, 0.995, 1.005);
  double area = 0.08 * 0.08, piston = play_force(&p, "piston").force[1];
  double ground = play_force(&p, "floor").force[1];
  assert_between("force on the piston / closed form", piston / (-sigma * area), 0.99, 1.01);
  assert_between("force on the floor / closed form", ground / (sigma * area), 0.99, 1.01);

  // Let go: elastic, without stress in the end.
  double pressed = c.s, jp = c.jp;
  play_advance(&p, 0.3);
  c = middle_of(&p, start);
  assert_between("J_P / before", c.jp / jp, 0.999, 1.001);
  assert_between("height let go / closed form", c.s / (pressed / (1 - THETA_C)), 0.998, 1.002);
  // Particles whose J_P differs from the mean hold each other under a little stress.
  assert_between("stress / before", c.sigma / sigma, -0.03, 0.03);
  free(start);
  play_close(&p);
}

// ------------------------------------------------------------------------------ velocity algebra

// Snow flies past an oblique wall that moves. What nodes inside the wall do in the first step, before
// there is any stress, is the closed form of section 8 (M33).
static const char wall[] =
    "firn: 1\n"
    "h: 1 cm\n"
    "gravity: [0, 0, 0]\n"
    "mpm: {integrator: explicit, dt: 0.1 ms, volume: nominal, sleep: false}\n"
    "variables: {n: 0, t: 0} # m/s relative to the wall: out of it, along it\n"
    "snow:\n"
    "  - shape: {box: {center: [0, 0, 0], size: [4 cm, 4 cm, 4 cm]}}\n"
    "    seeding: lattice\n"
    "    velocity: ['3 + (2 * ${n} - 2 * ${t}) / 3', '-1.5 + (2 * ${n} + ${t}) / 3',\n"
    "               '0.25 + (${n} + 2 * ${t}) / 3']\n"
    "colliders:\n"
    "  - name: wall\n"
    "    shape: {half_space: {normal: [2, 2, 1]}}\n"
    "    velocity: [3, -1.5, 0.25]\n";

typedef struct nodes {
  double expected[3]; // m/s
  double off;         // largest difference
  int inside;
} nodes;

static const double N[3] = {2.0 / 3, 2.0 / 3, 1.0 / 3}, T[3] = {-2.0 / 3, 1.0 / 3, 2.0 / 3};
static const double WALL[3] = {3, -1.5, 0.25}; // m/s

static void look(void *user, const double x[3], const firn_real node[4]) {
  nodes *s = user;
  double distance = 0; // of the wall as it is at the end of the step
  for (int a = 0; a < 3; a++) distance += (x[a] - 1e-4 * WALL[a]) * N[a];
  if (distance > -1e-6) return;
  s->inside++;
  for (int a = 0; a < 3; a++) worst(&s->off, (double)node[a] - s->expected[a]);
}

static void nodes_follow(const char *n, const char *t, const char *how, double n_after,
                         double t_after) {
  play p = play_text(wall, n, t, how);
  mpm_case c = {.context = p.context, .sim = p.sim, .h = 0.01, .dt = 1e-4};
  nodes s = {0};
  for (int a = 0; a < 3; a++) s.expected[a] = WALL[a] + n_after * N[a] + t_after * T[a];
  play_step(&p, 0);
  mpm_case_visit_nodes(&c, look, &s);
  assert_true(s.inside >= 20);
  // Velocities of up to 8 m/s, momentum over mass: a few roundings of each.
  assert_between(how, s.off, -1, 64 * EPS);
  play_close(&p);
}

static void nodes_in_a_moving_wall_follow_the_closed_form(void **state) {
  (void)state;
  nodes_follow("variables.n=1.5", "variables.t=2", "colliders.wall.friction=0.5", 1.5, 2);
  nodes_follow("variables.n=-2", "variables.t=0.75", "colliders.wall.friction=0.5", 0, 0);
  nodes_follow("variables.n=-2", "variables.t=3", "colliders.wall.friction=0.5", 0, 2);
  nodes_follow("variables.n=-0.5", "variables.t=-4", "colliders.wall.friction=0.25", 0, -3.875);
  nodes_follow("variables.n=-2", "variables.t=3", "colliders.wall.friction=0", 0, 3);
  nodes_follow("variables.n=1.5", "variables.t=2", "colliders.wall.sticky=true", 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_a_gentle_slope_rests_and_bears_its_weight),
      cmocka_unit_test(block_on_a_steep_slope_slides_against_friction),
      cmocka_unit_test(block_slides_freely_without_friction),
      cmocka_unit_test(tilted_plane_slides_as_tilted_gravity),
      cmocka_unit_test(confined_snow_is_pressed_along_the_closed_form),
      cmocka_unit_test(nodes_in_a_moving_wall_follow_the_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
