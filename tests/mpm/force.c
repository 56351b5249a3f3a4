// labels: M3 M20
// SPDX-License-Identifier: Apache-2.0
// Forces on nodes: against Eq. 6 summed up plainly in double, in balance with each other, and none
// inside uniform stress; and the gradient that particles get from affine velocities.
#include "support/mpm_case.h"

static const double H = 0.02;
static const double DT = 0x1p-14; // s, exact in both precisions

// ------------------------------------------------------------------------------ plain reference

// The printed spline and its derivative, s in cells.
static double spline(bool cubic, double s, double *slope) {
  double a = fabs(s), sign = s < 0 ? -1 : 1;
  if (cubic) {
    *slope = a < 1 ? sign * (1.5 * a * a - 2 * a) : a < 2 ? -sign * (2 - a) * (2 - a) / 2 : 0;
    return a < 1 ? a * a * a / 2 - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
  }
  *slope = a < 0.5 ? -2 * s : a < 1.5 ? -sign * (1.5 - a) : 0;
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? (1.5 - a) * (1.5 - a) / 2 : 0;
}

// tau = P F^T = 2 mu (F - R) F^T + lambda (J - 1) J I of a symmetric F, for which R = I.
static void kirchhoff(const double f[9], double tau[9]) {
  double j = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
             f[2] * (f[3] * f[7] - f[4] * f[6]);
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      double ff = 0;
      for (int k = 0; k < 3; k++) ff += f[3 * a + k] * f[3 * b + k];
      tau[3 * a + b] = 2 * MU * (ff - f[3 * b + a]) + (a == b ? LAMBDA * (j - 1) * j : 0);
    }
  }
}

enum { NODES = 24 }; // along each edge of the box of reference nodes, from -NODES/2
typedef struct reference {
  double force[NODES][NODES][NODES][3]; // N
  double size[NODES][NODES][NODES];     // N, sum over particles of the sizes of what they add
  double largest;                       // N, of size
} reference;

static void add_reference(reference *ref, const mpm_variant *v, const double x[3],
                          const double tau[9], double volume) {
  int base[3];
  for (int a = 0; a < 3; a++) base[a] = (int)floor(x[a] / H) - 1;
  for (int n = 0; n < 64; n++) {
    int node[3] = {base[0] + n / 16, base[1] + n / 4 % 4, base[2] + n % 4};
    double w[3], dw[3], g[3], f[3], r[3];
    for (int a = 0; a < 3; a++) {
      r[a] = node[a] * H - x[a];
      w[a] = spline(is_cubic(v), -r[a] / H, &dw[a]);
    }
    for (int a = 0; a < 3; a++) {
      double rest = w[(a + 1) % 3] * w[(a + 2) % 3];
      g[a] = is_apic(v) ? w[a] * rest * r[a] / (basis_d(v) * H * H) : dw[a] * rest / H;
    }
    double size = 0;
    double *to = ref->force[node[0] + NODES / 2][node[1] + NODES / 2][node[2] + NODES / 2];
    for (int a = 0; a < 3; a++) {
      f[a] = -volume * (tau[3 * a] * g[0] + tau[3 * a + 1] * g[1] + tau[3 * a + 2] * g[2]);
      to[a] += f[a];
      size += f[a] * f[a];
    }
    double *sum = &ref->size[node[0] + NODES / 2][node[1] + NODES / 2][node[2] + NODES / 2];
    *sum += sqrt(size);
    ref->largest = fmax(ref->largest, *sum);
  }
}

// ------------------------------------------------------------------------------------------ M3

static void random_stretch(void *user, const double x[3], double d[9]) {
  uint64_t *next = user;
  (void)x;
  for (int a = 0; a < 3; a++) {
    for (int b = a; b < 3; b++) d[3 * a + b] = d[3 * b + a] = mpm_random(3, (*next)++, -0.1, 0.1);
  }
}

typedef struct balance {
  const reference *ref;
  double force[3], torque[3]; // N, N m
  double size, arm;           // N, N m: sums of sizes
  double error;               // worst node: difference to the reference over size there
  size_t nodes;
} balance;

static void add_node(void *user, const double x[3], const firn_real node[4]) {
  balance *b = user;
  double f[3], f2 = 0, x2 = 0;
  int at[3];
  for (int a = 0; a < 3; a++) {
    f[a] = (double)node[3] * (double)node[a] / DT;
    f2 += f[a] * f[a];
    x2 += x[a] * x[a];
    at[a] = (int)lround(x[a] / H) + NODES / 2;
  }
  const double *want = b->ref->force[at[0]][at[1]][at[2]];
  double size = b->ref->size[at[0]][at[1]][at[2]] + 0.01 * b->ref->largest;
  for (int a = 0; a < 3; a++) {
    int p = (a + 1) % 3, q = (a + 2) % 3;
    b->force[a] += f[a];
    b->torque[a] += x[p] * f[q] - x[q] * f[p];
    worst(&b->error, (f[a] - want[a]) / size);
  }
  b->size += sqrt(f2);
  b->arm += sqrt(f2 * x2);
  b->nodes++;
}

// Sums: the gradients of one particle cancel to eps of their size, and so does what comes of them;
// with forces of random signs, sum |f_i| is some sqrt(64) smaller than what went in, so 10 eps of
// it (in double the case asks 1e-12). A single node: stress is off by some 10 eps, since b - I is
// rounded and stress is a difference; weights by 5 eps of those next to them. That is more than
// itself at the far end of a spline, so errors are relative to what particles add there and a
// hundredth of what they add elsewhere.
static void forces_are_those_of_eq_6_and_balance(void **state) {
  (void)state;
  static reference ref;
  for_each_variant(v) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = DT;
    mpm_case c = mpm_case_open(v, &def, &material);
    mpm_case_jittered(&c, (const int[]){-5, -3, -2}, (const int[]){2, 2, 3}, 2, 0.48, 11);
    uint64_t next = 0;
    mpm_case_set_gradient(&c, random_stretch, &next);
    mpm_case_to_grid(&c);

    memset(&ref, 0, sizeof ref);
    double *x = mpm_case_read(&c, "position"), *volume = mpm_case_read(&c, "volume");
    next = 0;
    for (size_t i = 0; i < mpm_case_count(&c); i++) {
      double f[9] = {0}, tau[9];
      random_stretch(&next, x + 3 * i, f);
      for (int a = 0; a < 3; a++) f[4 * a] += 1;
      kirchhoff(f, tau);
      add_reference(&ref, v, x + 3 * i, tau, volume[i]);
    }
    free(x);
    free(volume);

    balance b = {.ref = &ref};
    mpm_case_visit_nodes(&c, add_node, &b);
    double force = 0, torque = 0;
    for (int a = 0; a < 3; a++) {
      worst(&force, b.force[a] / b.size);
      worst(&torque, b.torque[a] / b.arm);
    }
    mpm_report(v, "sum f %.2g eps, sum x x f %.2g eps of %.3g N; node off by %.3g eps", force / EPS,
               torque / EPS, b.size, b.error / EPS);
    assert_true(b.nodes > 500 && b.size > 1);
    assert_below(v, "sum f / sum |f|", force, by_precision(10 * EPS, 1e-12));
    assert_below(v, "sum x x f / sum |x||f|", torque, by_precision(10 * EPS, 1e-12));
    assert_below(v, "force on a node", b.error, 20 * EPS);
    mpm_case_close(&c);
  }
}

// ----------------------------------------------------------------------------------------- M20

static const double A[9] = {20, -30, 10, 40, -10, 25, -15, 5, 30}; // 1/s

static void affine(void *user, const double x[3], double v[3]) {
  (void)user;
  for (int a = 0; a < 3; a++) {
    v[a] = 1.0 + a + A[3 * a] * x[0] + A[3 * a + 1] * x[1] + A[3 * a + 2] * x[2];
  }
}

// Largest difference of strains to those of F = I + dt A among particles within the box.
static double strain_error(const mpm_case *c, const double *x, double margin) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  double *e = mpm_case_read(c, "strain"), error = 0;
  size_t inside = 0;
  for (size_t i = 0; i < mpm_case_count(c); i++) {
    bool in = true;
    for (size_t a = 0; a < 3; a++) in = in && fabs(x[3 * i + a]) < margin * H;
    if (!in) continue;
    inside++;
    for (size_t k = 0; k < 6; k++) {
      const double *p = A + 3 * row[k], *q = A + 3 * column[k];
      double want = DT * (p[column[k]] + q[row[k]]) +
                    DT * DT * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
      worst(&error, e[6 * i + k] - want);
    }
  }
  free(e);
  assert_true(inside >= 64);
  return error;
}

// Velocities of up to 12 m/s and the weights are rounded at every node; the gradient sees 4 such
// roundings (more, but of random signs) times sum |grad w| <= 2/h, twice, on both sides of b. The
// strains themselves are 1e-3; the case asks 1e-12 in double, this is 7e-17.
static double of_gradient(void) {
  return 2 * 12 * 2 * EPS * DT * 2 / H;
}

// Nodes are set to the affine field, particles anywhere.
static void particles_feel_an_affine_field_exactly(void **state) {
  (void)state;
  for_each_variant(v) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = DT;
    mpm_case c = mpm_case_open(v, &def, &material);
    mpm_case_jittered(&c, (const int[]){-4, -4, -4}, (const int[]){4, 3, 5}, 2, 0.5, 13);
    double *x = mpm_case_read(&c, "position"), moved = 0;
    mpm_case_set_velocity(&c, affine, NULL);
    mpm_case_to_grid(&c);
    mpm_case_set_nodes(&c, affine, NULL);
    mpm_case_from_grid(&c);
    double error = strain_error(&c, x, 100), *now = mpm_case_read(&c, "position");
    // advect: pic moves them with the grid's velocity at x, which is the field's.
    for (size_t i = 0; i < mpm_case_count(&c); i++) {
      double u[3];
      affine(NULL, x + 3 * i, u);
      for (size_t a = 0; a < 3; a++) {
        worst(&moved, (now[3 * i + a] - x[3 * i + a] - DT * u[a]) / H);
      }
    }
    mpm_report(v, "strain off by %.2g, allowed %.2g; position off by %.2g eps cells", error,
               of_gradient(), moved / EPS);
    assert_below(v, "strain after affine motion", error, of_gradient());
    // Positions are rounded at up to 5 cells from the corner, 2 eps either time and when they are sorted; in double as
    // much again when they are read.
    assert_below(v, "way travelled, cells", moved, by_precision(5, 8) * EPS);
    free(x);
    free(now);
    mpm_case_close(&c);
  }
}

// The whole step. APIC hands affine velocities over exactly, wherever particles are; FLIP where
// they lie evenly around each node: on a lattice, away from its surface.
static void patch_test(void **state) {
  (void)state;
  for_each_variant(v) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = DT;
    mpm_case c = mpm_case_open(v, &def, &material);
    mpm_case_jittered(&c, (const int[]){-6, -6, -6}, (const int[]){6, 6, 6}, 2,
                      is_apic(v) ? 0.5 : 0, 17);
    mpm_case_set_velocity(&c, affine, NULL);
    if (is_apic(v)) {
      double *gradient = mpm_case_new(&c, 9);
      for (size_t i = 0; i < mpm_case_count(&c); i++) memcpy(gradient + 9 * i, A, sizeof A);
      mpm_case_write(&c, "affine", gradient);
      free(gradient);
    }
    double *x = mpm_case_read(&c, "position");
    mpm_case_steps(&c, 1);
    // Sums over some 500 particles make the node's velocity: sqrt(500)/2 = 11 eps of it, of random
    // signs over 64 nodes, which is as much again.
    double error = strain_error(&c, x, is_apic(v) ? 100 : 2);
    mpm_report(v, "strain off by %.2g, allowed %.2g", error, 2 * of_gradient());
    assert_below(v, "strain after affine motion", error, 2 * of_gradient());
    free(x);
    mpm_case_close(&c);
  }
}

static void uniform(void *user, const double x[3], double d[9]) {
  (void)user;
  (void)x;
  const double e[9] = {0.02, 0.01, -0.005, 0.01, -0.03, 0.02, -0.005, 0.02, 0.01};
  memcpy(d, e, sizeof e);
}

typedef struct interior {
  double inside, outside; // N, largest
  size_t nodes;
} interior;

static void look_inside(void *user, const double x[3], const firn_real node[4]) {
  interior *in = user;
  // The support of these nodes, 2 cells, is full of particles.
  bool inside = fabs(x[0]) < 4.5 * H && fabs(x[1]) < 4.5 * H && fabs(x[2]) < 4.5 * H;
  for (int a = 0; a < 3; a++) {
    worst(inside ? &in->inside : &in->outside, (double)node[3] * (double)node[a] / DT);
  }
  in->nodes += inside;
}

// 512 particles pull at each node and cancel, each of the size V tau/h sum_p |grad w| <= 2 h^2 tau;
// partial sums are half of that and rounded 512 times, at random: 23 eps/2 h^2 tau.
static void uniform_stress_pulls_at_nobody_inside(void **state) {
  (void)state;
  for_each_variant(v) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = DT;
    mpm_case c = mpm_case_open(v, &def, &material);
    mpm_case_lattice(&c, (const int[]){-6, -6, -6}, (const int[]){6, 6, 6}, 2);
    mpm_case_set_gradient(&c, uniform, NULL);
    mpm_case_to_grid(&c);
    interior in = {0};
    mpm_case_visit_nodes(&c, look_inside, &in);
    double tau = M_WAVE * 0.03, unit = H * H * tau;
    mpm_report(v, "inside %.2g eps h^2 tau, at the surface %.2g h^2 tau", in.inside / (EPS * unit),
               in.outside / unit);
    assert_int_equal(in.nodes, 9 * 9 * 9);
    assert_true(in.outside > 0.1 * unit);
    assert_below(v, "force inside / (h^2 tau)", in.inside / unit, 12 * EPS);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_those_of_eq_6_and_balance),
      cmocka_unit_test(particles_feel_an_affine_field_exactly),
      cmocka_unit_test(patch_test),
      cmocka_unit_test(uniform_stress_pulls_at_nobody_inside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
