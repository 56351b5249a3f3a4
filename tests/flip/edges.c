// SPDX-License-Identifier: Apache-2.0
// labels: F8
// timeout: 120
// Rigid pieces on colliders that are no planes, turned and moved on the grid anyhow: on a ball,
// around a rod, in a trough, on a pillar that is smaller than they are, and over an edge.
#include "support/flip_case.h"

static const double G = 9.81; // m/s^2

// Where a case lies: its axes as rows, the second upwards, and its middle in cells.
typedef struct place {
  double axis[3][3], at[3];
} place;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static double size_of(const double v[3]) {
  return sqrt(dot(v, v));
}
static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    out[k] = a[l] * b[m] - a[m] * b[l];
  }
}

enum { PLACES = 4 };
static place a_place(int n) {
  static const double up[PLACES][3] = {
      {0, 1, 0}, {0.3, 0.8, 0.52}, {0.399, 0.866, 0.301}, {0.6, 0.5, -0.63}};
  static const double at[PLACES][3] = {
      {0.31, 0.17, 0.43}, {0.2, 0.71, 0.09}, {0.46, 0, 0.6}, {0.71, 0.3, 0.42}};
  const double some[3] = {0.2, -0.3, 0.9};
  place p;
  memcpy(p.at, at[n], sizeof p.at);
  for (int a = 0; a < 3; a++) p.axis[1][a] = up[n][a] / size_of(up[n]);
  for (int a = 0; a < 3; a++) p.axis[0][a] = some[a] - dot(some, p.axis[1]) * p.axis[1][a];
  double size = size_of(p.axis[0]);
  for (int a = 0; a < 3; a++) p.axis[0][a] /= size;
  cross(p.axis[0], p.axis[1], p.axis[2]);
  return p;
}

// ----------------------------------------------------------------------------------- what is there

// Gravity g cos downwards and g sin against one of the other axes.
static flip_case open_case(const place *p, double angle, int along) {
  flip_plan plan = flip_default_plan();
  plan.h = 0.04;
  plan.material.density = 200;
  plan.material.yield_angle = 0.6;
  plan.material.yield_cohesion = 1e5;
  plan.flip.flip = 1;
  plan.flip.dt = 2e-3;
  for (int a = 0; a < 3; a++)
    plan.gravity[a] = -G * (cos(angle) * p->axis[1][a] + sin(angle) * p->axis[along][a]);
  return flip_case_open(&plan);
}
static const double DT = 2e-3; // s

static void add_collider(const flip_case *c, firn_shape_def shape, double friction) {
  firn_collider_def def = firn_default_collider_def();
  def.shape = shape;
  def.friction = friction;
  must(c, firn_sim_add_collider(c->sim, &def, NULL));
}

// A box whose middle is at y, both in cells along the axes of the place.
static void add_box(const flip_case *c, const place *p, const double y[3], const double half[3],
                    double friction) {
  firn_shape *box, *turned;
  double middle[3], size[3], to[3], q[4];
  for (int a = 0; a < 3; a++) {
    middle[a] = y[a] * c->h;
    size[a] = 2 * half[a] * c->h;
    to[a] = p->at[a] * c->h;
  }
  // The rotation that has the axes as columns, which is none by half a turn.
  double w = sqrt(1 + p->axis[0][0] + p->axis[1][1] + p->axis[2][2]) / 2;
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, d = (a + 2) % 3;
    q[a] = (p->axis[b][d] - p->axis[d][b]) / (4 * w);
  }
  q[3] = w;
  firn_shape_def def = firn_box_of_size(middle, size);
  must(c, firn_shape_create(c->context, &def, &box));
  def = firn_transform(box, to, q, 1);
  must(c, firn_shape_create(c->context, &def, &turned));
  add_collider(c, firn_shape_handle(turned), friction);
  firn_shape_release(box);
  firn_shape_release(turned);
}

typedef bool (*inside_fn)(const double y[3]);
static bool is_in_cap(const double y[3]) {
  double r = size_of(y);
  return r > 8 && r < 11 && y[1] > 0.6 * r;
}
static bool is_in_ring(const double y[3]) {
  double r = hypot(y[0], y[2]);
  return r > 4 && r < 7 && fabs(y[1]) < 3;
}
static bool is_in_wedge(const double y[3]) {
  return fabs(y[2]) < 5 && y[1] > fabs(y[0]) && y[1] < 5;
}
static bool is_in_block(const double y[3]) {
  return fabs(y[0]) < 4 && fabs(y[2]) < 4 && y[1] > 0 && y[1] < 4;
}
static bool is_in_plank(const double y[3]) {
  return y[0] > -2.5 && y[0] < 6.5 && fabs(y[2]) < 4 && y[1] > 0 && y[1] < 3;
}

// Eight particles a cell on a lattice along the axes of the place, or along those of the grid.
static void fill(const flip_case *c, const place *p, bool turned, inside_fn is_in, double spin) {
  enum { N = 48, COUNT = N * N * N };
  double(*x)[3] = malloc(COUNT * sizeof *x), (*v)[3] = malloc(COUNT * sizeof *v);
  size_t count = 0;
  for (int n = 0; n < COUNT; n++) {
    const double g[3] = {n / (N * N) / 2.0 + 0.25 - N / 4, n / N % N / 2.0 + 0.25 - N / 4,
                         n % N / 2.0 + 0.25 - N / 4};
    double y[3], r[3], way[3], w[3];
    for (int a = 0; a < 3; a++) {
      r[a] = g[0] * p->axis[0][a] + g[1] * p->axis[1][a] + g[2] * p->axis[2][a];
      if (!turned) r[a] = g[a] - p->at[a];
      w[a] = spin * p->axis[1][a];
    }
    for (int k = 0; k < 3; k++) y[k] = dot(r, p->axis[k]);
    if (!is_in(y)) continue;
    cross(w, r, way);
    for (int a = 0; a < 3; a++) {
      x[count][a] = (r[a] + p->at[a]) * c->h;
      v[count][a] = way[a] * c->h;
    }
    count++;
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = count;
  def.position = x[0];
  def.velocity = v[0];
  must(c, firn_sim_add_particles(c->sim, &def));
  free(x), free(v);
}

static firn_sums sums_of(const flip_case *c) {
  firn_sums sums;
  must(c, firn_sim_sums(c->sim, &sums));
  return sums;
}
static void spin_about(const firn_sums *sums, const double x[3], double out[3]) {
  cross(x, sums->momentum, out);
  for (int a = 0; a < 3; a++) out[a] = sums->angular[a] - out[a];
}
static double speed_along(const firn_sums *sums, const double axis[3]) {
  return dot(sums->momentum, axis) / sums->mass;
}

// ------------------------------------------------------------------------------------------- cases

enum { STEPS = 20 };

// A cap on a smooth ball turns about the ball's middle as its weight turns it there: nothing else
// does.
static void caps_turn_about_the_ball(void **state) {
  (void)state;
  for (int n = 0; n < 2 * PLACES; n++) {
    place p = a_place(n / 2);
    flip_case c = open_case(&p, 0.3, 0);
    double middle[3], due[3] = {0}, gravity[3], arm[3], turn[3], L[3];
    for (int a = 0; a < 3; a++) {
      middle[a] = p.at[a] * c.h;
      gravity[a] = -G * (cos(0.3) * p.axis[1][a] + sin(0.3) * p.axis[0][a]);
    }
    add_collider(&c, firn_sphere(middle, 8 * c.h), 0);
    fill(&c, &p, n % 2, is_in_cap, 0);
    firn_sums sums = sums_of(&c);
    for (int step = 0; step < STEPS; step++) {
      firn_sums before = sums;
      flip_case_steps(&c, 1);
      sums = sums_of(&c);
      for (int a = 0; a < 3; a++) arm[a] = (before.center[a] + sums.center[a]) / 2 - middle[a];
      cross(arm, gravity, turn);
      for (int a = 0; a < 3; a++) due[a] += sums.mass * DT * turn[a];
    }
    spin_about(&sums, middle, L);
    for (int a = 0; a < 3; a++) L[a] -= due[a];
    assert_below("angular momentum, off", size_of(L) / size_of(due), 2e-3);
    flip_case_close(&c);
  }
}

// A ring around a smooth rod, which is far from upright, slides along it and keeps its spin.
static void rings_slide_along_a_rod(void **state) {
  (void)state;
  const double angle = 1.07;
  for (int n = 0; n < 2 * PLACES; n++) {
    place p = a_place(n / 2);
    const double *rod = p.axis[1];
    flip_case c = open_case(&p, angle, 0);
    double from[3], to[3], before[3], after[3];
    for (int a = 0; a < 3; a++) {
      from[a] = (p.at[a] - 30 * rod[a]) * c.h;
      to[a] = (p.at[a] + 30 * rod[a]) * c.h;
    }
    add_collider(&c, firn_cylinder(from, to, 4 * c.h), 0);
    fill(&c, &p, n % 2, is_in_ring, 5);
    firn_sums first = sums_of(&c);
    flip_case_steps(&c, STEPS);
    firn_sums last = sums_of(&c);
    spin_about(&first, first.center, before);
    spin_about(&last, last.center, after);
    assert_relative("acceleration along the rod",
                    (speed_along(&last, rod) - speed_along(&first, rod)) / (STEPS * DT),
                    -G * cos(angle), 3e-3);
    assert_relative("spin", dot(after, rod), dot(before, rod), 5e-3);
    flip_case_close(&c);
  }
}

// A wedge in a right-angled trough slides with g (sin - sqrt(2) mu cos): of two colliders, or of
// one that has both sides.
static void wedges_slide_in_a_trough(void **state) {
  (void)state;
  const double angle = 0.5;
  for (int n = 0; n < 2 * PLACES; n++) {
    for (int whole = 0; whole < 2; whole++) {
      place p = a_place(n / 2);
      const double friction = n % 2 ? 0.2 : 0;
      flip_case c = open_case(&p, angle, 2);
      firn_shape *of[2];
      double point[3];
      for (int a = 0; a < 3; a++) point[a] = p.at[a] * c.h;
      for (int k = 0; k < 2; k++) {
        double normal[3];
        for (int a = 0; a < 3; a++) normal[a] = p.axis[1][a] + (k ? 1 : -1) * p.axis[0][a];
        firn_shape_def def = firn_half_space(point, normal);
        must(&c, firn_shape_create(c.context, &def, &of[k]));
        if (!whole) add_collider(&c, def, friction);
      }
      if (whole) add_collider(&c, firn_union(2, (const firn_shape *const *)of), friction);
      for (int k = 0; k < 2; k++) firn_shape_release(of[k]);
      fill(&c, &p, (n + whole) % 2, is_in_wedge, 0);
      flip_case_steps(&c, STEPS);
      firn_sums sums = sums_of(&c);
      double a = speed_along(&sums, p.axis[2]) / (STEPS * DT);
      flip_report("place %d, %s: ", n / 2, whole ? "one collider" : "two");
      assert_relative("acceleration", a, -G * (sin(angle) - sqrt(2) * friction * cos(angle)), 6e-3);
      assert_below("across", speed_along(&sums, p.axis[0]) / a / (STEPS * DT), 2e-3);
      flip_case_close(&c);
    }
  }
}

// A block on the end of a pillar that is smaller than its foot slides as on a plane. The sides of
// the pillar, which cells of the block reach, do not hold it; the fluid in these takes some per
// cent.
static void blocks_slide_on_a_pillar(void **state) {
  (void)state;
  const double angle = 0.4;
  for (int n = 0; n < 2 * PLACES; n++) {
    place p = a_place(n / 2);
    const double friction = n % 2 ? 0.2 : 0;
    flip_case c = open_case(&p, angle, 0);
    add_box(&c, &p, (const double[3]){0, -3, 0}, (const double[3]){2.6, 3, 2.6}, friction);
    fill(&c, &p, true, is_in_block, 0);
    flip_case_steps(&c, STEPS);
    firn_sums sums = sums_of(&c);
    assert_relative("acceleration", speed_along(&sums, p.axis[0]) / (STEPS * DT),
                    -G * (sin(angle) - friction * cos(angle)), 0.025);
    assert_below("across, m/s", speed_along(&sums, p.axis[2]), 2e-3);
    flip_case_close(&c);
  }
}

// A plank whose middle is e beyond the smooth edge of a box, from rest: the edge bears it with a
// force upwards, and it turns with m g e over its inertia about the edge. Where the edge is, is
// known to a part of a cell.
static void planks_topple_over_an_edge(void **state) {
  (void)state;
  enum { FEW = 5 };
  for (int n = 0; n < 2 * PLACES; n++) {
    place p = a_place(n / 2);
    flip_case c = open_case(&p, 0, 0);
    add_box(&c, &p, (const double[3]){-5, -3, 0}, (const double[3]){5, 3, 5}, 0);
    fill(&c, &p, n % 2, is_in_plank, 0);
    firn_sums sums = sums_of(&c);
    double *x = flip_case_read(&c, "position", 3), inertia = 0, r[3], L[3];
    size_t count = flip_case_count(&c);
    for (size_t i = 0; i < count; i++) {
      for (int a = 0; a < 3; a++) r[a] = x[3 * i + (size_t)a] - sums.center[a];
      double u = dot(r, p.axis[0]), w = dot(r, p.axis[1]);
      inertia += (u * u + w * w) / (double)count;
    }
    free(x);
    for (int a = 0; a < 3; a++) r[a] = sums.center[a] - p.at[a] * c.h;
    double e = dot(r, p.axis[0]);
    flip_case_steps(&c, FEW);
    sums = sums_of(&c);
    spin_about(&sums, sums.center, L);
    assert_relative("angular acceleration", dot(L, p.axis[2]) / sums.mass / inertia / (FEW * DT),
                    -G * e / (inertia + e * e), 0.08);
    assert_below("pushed off, m/s", speed_along(&sums, p.axis[0]), 2e-3);
    flip_case_close(&c);
  }
}

// A wall that a block on the floor comes near to does nothing to it before it is within its cells.
static void walls_hold_nothing_back(void **state) {
  (void)state;
  for (int n = 0; n < PLACES; n++) {
    place p = a_place(n);
    flip_case c = open_case(&p, 0.4, 0);
    double point[3], normal[3];
    add_box(&c, &p, (const double[3]){0, -3, 0}, (const double[3]){9, 3, 9}, 0);
    for (int a = 0; a < 3; a++) {
      normal[a] = p.axis[0][a];
      point[a] = (p.at[a] - 6 * normal[a]) * c.h; // two cells away
    }
    add_collider(&c, firn_half_space(point, normal), 0);
    fill(&c, &p, true, is_in_block, 0);
    flip_case_steps(&c, STEPS);
    firn_sums sums = sums_of(&c);
    assert_relative("acceleration", speed_along(&sums, p.axis[0]) / (STEPS * DT), -G * sin(0.4),
                    1e-4);
    flip_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(caps_turn_about_the_ball),   cmocka_unit_test(rings_slide_along_a_rod),
      cmocka_unit_test(wedges_slide_in_a_trough),   cmocka_unit_test(blocks_slide_on_a_pillar),
      cmocka_unit_test(planks_topple_over_an_edge), cmocka_unit_test(walls_hold_nothing_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
