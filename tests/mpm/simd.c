// labels: simd
// SPDX-License-Identifier: Apache-2.0
// The AVX2 and AVX-512 kernels against the scalar ones, particle by particle, in the first steps of
// an impact: sound snow, two materials in one ball, and materials that vary from particle to
// particle, with spray around.
#include "support/mpm_case.h"

static const double H = 0.01;

typedef enum scene { SNOW, TWO_MATERIALS, VARIED, SCENES } scene;
static const char *const scene_name[SCENES] = {"snow", "two materials", "varied"};

static void add_particles(const mpm_case *c, scene s) {
  enum { COUNT = 1200 };
  // Alone on the grid a particle's volume by the density rule is 70 times its own, and as stiff: too
  // stiff for dt.
  const size_t spray = s == TWO_MATERIALS ? 0 : 60;
  static double x[3 * COUNT], v[3 * COUNT], young[COUNT], hardening[COUNT], theta_c[COUNT];
  size_t n = 0;
  for (uint64_t i = 0; n < COUNT; i++) {
    double p[3], r2 = 0;
    for (uint64_t a = 0; a < 3; a++) {
      p[a] = mpm_random(21, 3 * i + a, -3.5, 3.5);
      r2 += p[a] * p[a];
    }
    if (r2 > 3.5 * 3.5) continue;
    for (size_t a = 0; a < 3; a++) {
      x[3 * n + a] = H * (n < spray ? 3.5 * p[a] : p[a]);
      v[3 * n + a] = (a == 1 ? -5 : 1) + mpm_random(22, 3 * n + a, -0.2, 0.2);
    }
    x[3 * n + 1] += H * (n < spray ? 13 : 4);
    young[n] = mpm_random(23, n, 5e4, 2e5);
    hardening[n] = mpm_random(24, n, 5, 12);
    theta_c[n] = mpm_random(25, n, 0.015, 0.03);
    n++;
  }
  firn_particles_def def = firn_default_particles_def();
  size_t half = s == TWO_MATERIALS ? COUNT / 2 : COUNT;
  def.position = x;
  def.velocity = v;
  def.count = half;
  if (s == VARIED) {
    def.young = young;
    def.hardening = hardening;
    def.theta_c = theta_c;
  }
  must(c, firn_sim_add_particles(c->sim, &def));
  if (half == COUNT) return;
  firn_material_def elastic = mpm_elastic_material();
  must(c, firn_sim_add_material(c->sim, &elastic, &def.material));
  def.position += 3 * half;
  def.velocity += 3 * half;
  must(c, firn_sim_add_particles(c->sim, &def));
}

typedef struct fields {
  double *x, *v, *strain, *jp;
  size_t count;
  double jp_min;
} fields;

// How a run steps.
typedef struct stepping {
  firn_integrator integrator;
  firn_hessian hessian;
  int steps;
  scene last; // scenes SNOW to this
} stepping;

// Of the solve. Single precision cannot do better.
static double tolerance(void) {
  return by_precision(1e-6, 1e-13);
}

static fields strike(const mpm_variant *v, scene s, const stepping *how) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def snow = firn_default_material_def();
  def.gravity[1] = -9.81;
  def.mpm.integrator = how->integrator;
  def.mpm.hessian = how->hessian;
  if (how->hessian == FIRN_HESSIAN_PSD) def.mpm.krylov = FIRN_KRYLOV_CG;
  def.mpm.tolerance = tolerance();
  def.mpm.dt = 1e-4;
  def.mpm.push_out = 0.5;
  def.mpm.volume_nominal = s != TWO_MATERIALS;
  mpm_case c = mpm_case_open(v, &def, &snow);
  add_particles(&c, s);
  firn_collider_def ground = firn_default_collider_def();
  ground.shape = firn_half_space((const double[]){0, 0, 0}, (const double[]){0.2, 1, 0});
  ground.friction = 0.5;
  must(&c, firn_sim_add_collider(c.sim, &ground, NULL));
  mpm_case_steps(&c, how->steps);
  fields f = {.x = mpm_case_read(&c, "position"),
              .v = mpm_case_read(&c, "velocity"),
              .strain = mpm_case_read(&c, "strain"),
              .jp = mpm_case_read(&c, "jp"),
              .count = mpm_case_count(&c),
              .jp_min = mpm_case_stat(&c, "jp_min")};
  mpm_case_close(&c);
  return f;
}

static void release(fields *f) {
  free(f->x);
  free(f->v);
  free(f->strain);
  free(f->jp);
}

typedef struct difference {
  double x, v, strain, jp; // cells, m/s, 1, 1
} difference;

static difference compare(const fields *a, const fields *b) {
  difference d = {0};
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < 3 * a->count; i++) {
    worst(&d.x, (a->x[i] - b->x[i]) / H);
    worst(&d.v, a->v[i] - b->v[i]);
  }
  for (size_t i = 0; i < 6 * a->count; i++) worst(&d.strain, a->strain[i] - b->strain[i]);
  for (size_t i = 0; i < a->count; i++) worst(&d.jp, a->jp[i] - b->jp[i]);
  return d;
}

// Per step, velocities of 5 m/s differ by 2 eps or so, one way or the other; positions, rounded at 4
// cells and more, by 4 eps; strains by the gradient of what velocities differ by, which is small
// against their own rounding. Impact and friction pass differences on, and at first hardly amplify
// them. A solve leaves its tolerance of |v| besides, since it may stop an iteration earlier.
static void compare_kernels(const stepping *how) {
  double n = how->steps;
  difference allowed = {.x = 4 * n * EPS, .v = 10 * n * EPS, .strain = n * EPS, .jp = n * EPS};
  if (how->integrator == FIRN_INTEGRATOR_IMPLICIT) {
    double solve = n * tolerance() * 5; // m/s
    allowed.v += solve;
    allowed.x += n * 1e-4 / H * solve;
    allowed.strain += 4 * n * 1e-4 / H * solve;
    allowed.jp += 4 * n * 1e-4 / H * solve;
  }
  for_each_variant(scalar) {
    if (scalar->isa != FIRN_ISA_SCALAR) continue;
    for (scene s = SNOW; s <= how->last && s < SCENES; s = (scene)(s + 1)) {
      fields oracle = strike(scalar, s, how);
      assert_true(oracle.jp_min < 0.97); // it did strike
      for_each_variant(v) {
        if (v->isa == FIRN_ISA_SCALAR || v->basis != scalar->basis ||
            v->transfer != scalar->transfer) {
          continue;
        }
        fields fast = strike(v, s, how);
        difference d = compare(&oracle, &fast);
        mpm_report(v, "%-13s x %.2g eps cells, v %.2g eps m/s, strain %.2g eps, J_P %.2g eps",
                   scene_name[s], d.x / EPS, d.v / EPS, d.strain / EPS, d.jp / EPS);
        assert_below(v, "position, cells", d.x, allowed.x);
        assert_below(v, "velocity", d.v, allowed.v);
        assert_below(v, "strain", d.strain, allowed.strain);
        assert_below(v, "J_P", d.jp, allowed.jp);
        release(&fast);
      }
      release(&oracle);
    }
  }
}

static void fast_kernels_agree_with_scalar_ones(void **state) {
  (void)state;
  compare_kernels(&(stepping){.integrator = FIRN_INTEGRATOR_EXPLICIT, .steps = 30, .last = VARIED});
}

static void fast_kernels_solve_as_scalar_ones_do(void **state) {
  (void)state;
  compare_kernels(&(stepping){.integrator = FIRN_INTEGRATOR_IMPLICIT, .steps = 6, .last = VARIED});
}

static void fast_kernels_clamp_the_hessian_as_scalar_ones_do(void **state) {
  (void)state;
  compare_kernels(&(stepping){.integrator = FIRN_INTEGRATOR_IMPLICIT,
                              .hessian = FIRN_HESSIAN_PSD,
                              .steps = 4,
                              .last = SNOW});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fast_kernels_agree_with_scalar_ones),
      cmocka_unit_test(fast_kernels_solve_as_scalar_ones_do),
      cmocka_unit_test(fast_kernels_clamp_the_hessian_as_scalar_ones_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
