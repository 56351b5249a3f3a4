// labels: simd
// SPDX-License-Identifier: Apache-2.0
// Rows of nodes against a plane, as vector kernels do them, against the law for one point and plain
// sums in double; then whole steps beside one plane and in the corner of two, against the scalar
// kernels, which know of no rows.
#include "support/mpm_case.h"
#include "support/plane_kernels.h"
#include "world/contact.h"

enum { ROUNDS = 400 };
static const double MASS_FLOOR = 1e-10; // kg

#define for_each_table(k)                                                                          \
  for (firn_isa k##_isa = FIRN_ISA_AVX2; k##_isa <= FIRN_ISA_AVX512;                               \
       k##_isa = (firn_isa)(k##_isa + 1))                                                          \
    for (const plane_kernels *k = plane_kernels_get(k##_isa); k; k = NULL)

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How a node meets the plane. AT_REST is v_n = 0, which friction must not see: where it is infinite, a sign
// would make the difference between all and nothing.
typedef enum meeting { INTO, STRAIGHT_INTO, AT_REST, AWAY, MEETINGS } meeting;

typedef struct surface_case {
  double normal[3], velocity[3];
  double tangent[3]; // n . t is 0 without any rounding, if need be as t = 0
} surface_case;
static const surface_case surfaces[] = {
    {{0, 1, 0}, {0, 0, 0}, {1, 0, -0.5}},
    {{0, 1, 0}, {0.25, -1.5, 0.5}, {1, 0, -0.5}},
    {{-1, 0, 0}, {0, 0, 0}, {0, 2, 1}},
    {{0.6, 0.8, 0}, {0, 0, 0}, {0, 0, 1}},
    {{0.6, 0, -0.8}, {0.5, 1, -2}, {0, -1, 0}},
    {{2.0 / 7, 3.0 / 7, 6.0 / 7}, {-1, 0.5, 0.125}, {0, 0, 0}},
};
enum { SURFACES = sizeof surfaces / sizeof *surfaces };

// A velocity that meets the surface so, m/s.
static void velocity_of(const surface_case *s, meeting how, uint64_t seed, double v[3]) {
  double rel[3], v_n = mpm_random(30, seed, 0.01, 4);
  for (uint64_t a = 0; a < 3; a++) rel[a] = mpm_random(31, 3 * seed + a, -4, 4);
  double along = dot(rel, s->normal), t = rint(mpm_random(32, seed, -8, 8)) / 4;
  for (int a = 0; a < 3; a++) {
    rel[a] -= along * s->normal[a];
    if (how == STRAIGHT_INTO) rel[a] = 0;
    if (how == AT_REST) rel[a] = t * s->tangent[a];
    if (how == INTO || how == STRAIGHT_INTO) rel[a] -= v_n * s->normal[a];
    if (how == AWAY) rel[a] += v_n * s->normal[a];
    v[a] = rel[a] + s->velocity[a];
  }
}

// Every node of a row by the law. What it does not change must be bit by bit what it was.
static void check_row(const plane_kernels *k, const mpm_plane *plane, unsigned bits,
                      const firn_real was[16]) {
  firn_real now[16];
  memcpy(now, was, sizeof now);
  k->collide(plane, (firn_real)MASS_FLOOR, bits, now);
  for (int n = 0; n < 4; n++) {
    const firn_real *before = was + 4 * n, *after = now + 4 * n;
    double v[3] = {(double)before[0], (double)before[1], (double)before[2]};
    double speed = sqrt(dot(v, v)) + sqrt(dot(plane->velocity, plane->velocity));
    bool collides = bits >> n & 1 && before[3] > (firn_real)MASS_FLOOR &&
                    firn_contact_resolve(v, plane->velocity, plane->normal, plane->friction,
                                         plane->sticky) != FIRN_CONTACT_NONE;
    if (!collides) {
      assert_memory_equal(after, before, 4 * sizeof *before);
      continue;
    }
    assert_memory_equal(after + 3, before + 3, sizeof *before);
    // In units of eps times the speeds: v - v_co errs by 1/2 a component; v_n by that, by the rounding of n, by
    // three products and two sums, 5 in all; v_t takes v_n n away, which adds half a unit, and what friction leaves
    // of it, v_t + mu v_n with mu < 1, errs by both and by three more roundings; v_co is rounded, as is the last sum.
    for (int a = 0; a < 3; a++) assert_true(fabs((double)after[a] - v[a]) <= 16 * EPS * speed);
  }
}

static void rows_collide_as_single_points_do(void **state) {
  (void)state;
  const double frictions[] = {0, 0.5, (double)INFINITY};
  for_each_table(k) {
    uint64_t seed = 0;
    for (int i = 0; i < SURFACES * 4 * ROUNDS; i++) {
      const surface_case *s = &surfaces[i % SURFACES];
      int law = i / SURFACES % 4; // three frictions, and sticky
      mpm_plane plane = {.friction = law < 3 ? frictions[law] : 0, .sticky = law == 3};
      memcpy(plane.normal, s->normal, sizeof plane.normal);
      memcpy(plane.velocity, s->velocity, sizeof plane.velocity);
      firn_real row[16];
      for (int n = 0; n < 4; n++, seed++) {
        double v[3], mass = 1e-3 * (double)(1 + seed % 3);
        meeting how = (meeting)(mpm_random(33, seed, 0, MEETINGS));
        velocity_of(s, how, seed, v);
        if (seed % 7 == 0) mass = 0;
        if (seed % 7 == 1) mass = MASS_FLOOR;
        for (int a = 0; a < 3; a++) row[4 * n + a] = (firn_real)v[a];
        row[4 * n + 3] = (firn_real)mass;
      }
      for (unsigned bits = 0; bits < 16; bits++) check_row(k, &plane, bits, row);
    }
  }
}

static void rows_tell_impulse_torque_and_work(void **state) {
  (void)state;
  enum { ROWS = 12 };
  const double h = 0.02;
  const int32_t corner[3] = {-40, 7, 300};
  for_each_table(k) {
    mpm_push push = {.impulse = {1, 2, 3}, .angular = {4, 5, 6}, .work = 7}, sum = push;
    mpm_plane plane = {.velocity = {0.5, -1, 2}, .pivot = {-0.3, 0.1, 5.7}, .push = &push};
    plane_row before[ROWS], after[ROWS];
    double most = 0, from_pivot[3];
    for (int a = 0; a < 3; a++) from_pivot[a] = corner[a] * h - plane.pivot[a];
    for (int i = 0; i < ROWS; i++) {
      for (int a = 0; a < 3; a++) before[i].at[a] = (i * (a + 5)) % 9;
      memcpy(after[i].at, before[i].at, sizeof after[i].at);
      for (int n = 0; n < 16; n++) {
        before[i].v[n] = (firn_real)mpm_random(40, (uint64_t)(16 * i + n), 0.1, 2);
        after[i].v[n] = (firn_real)mpm_random(41, (uint64_t)(16 * i + n), -2, 2);
      }
      for (int n = 0; n < 4; n++) {
        double j[3], r[3], mass = (double)before[i].v[4 * n + 3];
        for (int a = 0; a < 3; a++) {
          j[a] = mass * ((double)before[i].v[4 * n + a] - (double)after[i].v[4 * n + a]);
          r[a] = (corner[a] + before[i].at[a] + (a == 2 ? n : 0)) * h - plane.pivot[a];
          sum.impulse[a] += j[a];
          sum.work -= j[a] * plane.velocity[a];
        }
        for (int a = 0; a < 3; a++) {
          int b = (a + 1) % 3, c = (a + 2) % 3;
          sum.angular[a] += r[b] * j[c] - r[c] * j[b];
        }
        most += sqrt(dot(j, j));
      }
    }
    k->tell(&plane, h, corner, ROWS, before, after);
    // ROWS + 2 additions err by at most eps / 2 of all that is added, and the terms by two roundings of their own.
    // A moment is two products of that, by the corner's lever and by as many cells as a row is away from it.
    double tolerance = (ROWS + 4) * EPS / 2;
    double lever = sqrt(dot(from_pivot, from_pivot)) + h * sqrt(8 * 8 + 8 * 8 + 11 * 11);
    for (int a = 0; a < 3; a++) {
      assert_true(fabs(push.impulse[a] - sum.impulse[a]) <= tolerance * most);
      assert_true(fabs(push.angular[a] - sum.angular[a]) <= 2 * tolerance * most * lever);
    }
    assert_true(fabs(push.work - sum.work) <= 3 * tolerance * most * 2);
  }
}

// ---------------------------------------------------------------------------------- whole steps

enum { STEPS = 10, PLANES = 3 };

static void rush(void *user, const double x[3], double v[3]) {
  (void)user;
  v[0] = -3 + sin(20 * x[1]);
  v[1] = -3 + sin(30 * x[2]);
  v[2] = 0.5;
}

// Dense snow in the corner of a floor and a wall, and a thin cloud along both; a ceiling, which is told of first,
// touches nobody. Nodes alone collide.
static mpm_case strike(const mpm_variant *v, double out[PLANES][6], double **velocity) {
  enum { GRAINS = 600 };
  firn_sim_def def = mpm_printed_def(v, 0.01);
  def.mpm.volume_nominal = true;
  def.mpm.dt = 4e-5;
  def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.particle_contact = false;
  firn_material_def material = firn_default_material_def();
  mpm_case c = mpm_case_open(v, &def, &material);
  const double point[PLANES][3] = {{0, 5, 0}, {0, 0, 0}, {0, 0, 0}};
  const double normal[PLANES][3] = {{0, -1, 0}, {0.28, 0.96, 0}, {1, 0, 0}};
  for (int i = 0; i < PLANES; i++) {
    firn_collider_def plane = firn_default_collider_def();
    plane.shape = firn_half_space(point[i], normal[i]);
    plane.friction = 0.3;
    plane.forces = true;
    must(&c, firn_sim_add_collider(c.sim, &plane, NULL));
  }
  const int lo[3] = {0, 0, 0}, hi[3] = {8, 5, 8};
  mpm_case_jittered(&c, lo, hi, 2, 0.4, 5);
  double x[3 * GRAINS];
  for (uint64_t i = 0; i < GRAINS; i++) {
    double far = mpm_random(50, i, 8, 80), near = mpm_random(51, i, 0, 1.5);
    x[3 * i] = c.h * (i % 2 ? far : near);
    x[3 * i + 1] = c.h * (i % 2 ? near - 0.28 / 0.96 * far : far);
    x[3 * i + 2] = c.h * mpm_random(52, i, -40, 40);
  }
  mpm_case_add(&c, GRAINS, x, 8);
  mpm_case_set_velocity(&c, rush, NULL);
  mpm_case_steps(&c, STEPS);
  for (int i = 0; i < PLANES; i++) {
    firn_collider_force f;
    must(&c, firn_sim_collider_force(c.sim, i, &f));
    memcpy(out[i], f.impulse, sizeof f.impulse);
    memcpy(out[i] + 3, f.angular, sizeof f.angular);
  }
  *velocity = mpm_case_read(&c, "velocity");
  return c;
}

static void snow_between_planes_moves_as_without_rows(void **state) {
  (void)state;
  // As in spray.c: 20 eps of 5 m/s a step, ten times that at the rim of a stencil, where little pushes.
  const double tolerance = 5 * STEPS * 200 * EPS;
  for_each_scheme(scalar, FIRN_ISA_SCALAR) {
    double *v0, force0[PLANES][6];
    mpm_case reference = strike(scalar, force0, &v0);
    for (int a = 0; a < 6; a++) assert_true(force0[0][a] == 0);
    double push = fmin(-force0[1][1], -force0[2][0]);
    assert_true(push > 0);
    for_each_variant(v) {
      if (v->isa == FIRN_ISA_SCALAR || v->basis != scalar->basis ||
          v->transfer != scalar->transfer) {
        continue;
      }
      double *velocity, force[PLANES][6], worst_v = 0, worst_j = 0, worst_l = 0;
      mpm_case c = strike(v, force, &velocity);
      assert_true(mpm_case_solver(&c)->grid.spray_count > 0);
      for (size_t i = 0; i < 3 * mpm_case_count(&c); i++) worst(&worst_v, velocity[i] - v0[i]);
      for (int i = 0; i < PLANES; i++) {
        for (int a = 0; a < 3; a++) {
          worst(&worst_j, force[i][a] - force0[i][a]);
          worst(&worst_l, force[i][3 + a] - force0[i][3 + a]);
        }
      }
      print_message("%-24s dv %.2e m/s, %.2e and %.2e m of %.2e N s\n", v->name, worst_v, worst_j,
                    worst_l, push);
      assert_true(worst_v < tolerance);
      assert_true(worst_j < STEPS * 20 * EPS * push);
      assert_true(worst_l < STEPS * 20 * EPS * push * 90 * c.h); // the longest lever
      free(velocity);
      mpm_case_close(&c);
    }
    free(v0);
    mpm_case_close(&reference);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_collide_as_single_points_do),
      cmocka_unit_test(rows_tell_impulse_torque_and_work),
      cmocka_unit_test(snow_between_planes_moves_as_without_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
