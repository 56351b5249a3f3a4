// SPDX-License-Identifier: Apache-2.0
// labels: P1
// Lists of 16-bit numbers against plain ones: every pass, for each instruction set, against the same sums
// in double.
#include "base/isa.h"
#include "support/checker.h"
#include "support/sph_case.h"

static const firn_isa quick[] = {FIRN_ISA_AVX2, FIRN_ISA_AVX512};

// ------------------------------------------------------------------------------------------- snow

typedef struct cloud {
  const char *name;
  int n[3];
  double pitch;  // spacings from one particle to the next
  double jitter; // of it
  double corner[3];
  bool floor, periodic, mirrors;
} cloud;

static const cloud clouds[] = {
    {"at rest", {9, 9, 9}, 1, 0, {0.1, 0.2, 0.3}, false, false, false},
    {"on faces of blocks", {9, 9, 9}, 1, 0, {0, 0, 0}, false, false, false},
    {"random", {10, 9, 11}, 1, 0.45, {-3.3, 5.1, 0.4}, true, false, false},
    {"mirrored", {10, 9, 11}, 1, 0.45, {-3.3, 5.1, 0.4}, true, false, true},
    {"packed", {12, 12, 12}, 0.794, 0.25, {0.7, 3, -4.2}, true, false, false},
    {"crushed", {14, 13, 12}, 0.4, 0.4, {-2.5, -2.5, -2.5}, false, false, false},
    {"thin", {7, 7, 7}, 3.1, 0.45, {0, 0, 0}, false, false, false},
    {"far away", {9, 9, 9}, 1, 0.3, {8e6, -4e6, 3.3}, false, false, false},
    {"periodic", {8, 8, 8}, 1, 0.4, {0.5, 0.5, 0.5}, false, true, false},
    {"periodic in 16", {16, 16, 16}, 1, 0.3, {0.5, 0.5, 0.5}, false, true, false},
};
enum { CLOUDS = sizeof clouds / sizeof *clouds };

static sph_case make(const cloud *k, firn_isa isa, int threads) {
  sph_plan plan = sph_default_plan();
  plan.isa = isa;
  plan.sph.short_lists = true;
  plan.sph.walls_printed = !k->mirrors;
  plan.threads = threads;
  for (int a = 0; a < 3; a++) {
    plan.periodic[a] = k->periodic;
    plan.period[a] = k->periodic ? k->n[a] : 0;
  }
  sph_case c = sph_case_open(&plan);
  double d = c.d, corner[3];
  for (int a = 0; a < 3; a++) corner[a] = d * k->corner[a];
  if (k->floor)
    sph_case_plane(&c, (const double[3]){0, d * (k->corner[1] - 0.7), 0},
                   (const double[3]){0, 1, 0}, 1);
  c.d = d * k->pitch;
  sph_case_lattice(&c, k->n, corner, k->jitter);
  c.d = d;
  sph_case_prepare(&c, 1e-3);
  sph *s = sph_case_solver(&c);
  const uint32_t *id = firn_particles_id(&s->world->particles);
  // Volumes, stiffness, strain, velocities, pressures: nothing is uniform.
  for_each_particle(s, i) {
    s->V[i] *= (firn_real)sph_random(3, id[i], 0.5, 1.5);
    s->p[i] = (firn_real)sph_random(4, id[i], -1, 1);
    s->G[i] *= (firn_real)sph_random(5, id[i], 0.5, 1.5);
    s->bulk[i] = s->G[i] * (firn_real)sph_random(6, id[i], -0.5, 0.5);
    s->drag[i] = *sph_pairs_wall(&s->pairs, i).w * (firn_real)sph_random(9, id[i], 0, 100);
    for (size_t a = 0; a < 3; a++) s->v[3 * i + a] = (firn_real)sph_random(7, 3 * id[i] + a, -1, 1);
    for (size_t a = 0; a < 6; a++)
      s->s[6 * i + a] = (firn_real)sph_random(8, 6 * id[i] + a, -0.02, 0.02);
  }
  sph_pairs_moments(&s->pairs, s->V, s->c, s->L, s->g2);
  // A correction that is not far from 1, and the same for both.
  for_each_particle(s, i) {
    for (size_t a = 0; a < 6; a++)
      s->L[6 * i + a] = (firn_real)((a < 3) + sph_random(10, 6 * id[i] + a, -0.2, 0.2));
  }
  return c;
}

static bool is_quick(const sph_case *c) {
  return sph_case_solver(c)->pairs.lists.kernels;
}

// ---------------------------------------------------------------------------------------- oracle

// Sums in double over the plain lists of another simulation with the same particles, each with the sum
// of the sizes of its terms: what errors are compared with.
typedef struct sums {
  double c[3], m[6], g, grad[3], D[9], div[3], lap, scale_c, scale_m, scale_g, scale_grad, scale_D,
      scale_div;
  double interpolated, count;
} sums;

static double norm(const firn_real *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (double)v[i] * (double)v[i];
  return sqrt(sum);
}

static sums sum_up(const sph *s, size_t i) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const sph_list *list = &s->pairs.snow;
  sums o = {0};
  o.interpolated = (double)s->V[i] * FIRN_SPH_NORM;
  for (uint64_t k = list->start[i]; k < list->end[i]; k++) {
    size_t j = list->other[k];
    double V = (double)s->V[j], x[3], r2 = 0;
    for (int a = 0; a < 3; a++) {
      x[a] = (double)list->near[k].x[a];
      r2 += x[a] * x[a];
    }
    double r = sqrt(r2), t = 2 - r, d = s->spacing;
    double f = FIRN_SPH_NORM * (r < 1 ? 2.25 * r - 3 : -0.75 * t * t / r);
    double W = FIRN_SPH_NORM * (r < 1 ? 1 + r2 * (0.75 * r - 1.5) : 0.25 * t * t * t);
    double size = V * FIRN_SPH_NORM * 3 * r / d; // W'/r at its largest: what its step is 2^-16 of
    o.interpolated += V * W;
    o.count++;
    o.g += V * f * f * r2 / (d * d);
    o.scale_g += V * f * f * r2 / (d * d) + 3 * FIRN_SPH_NORM * fabs(f) * V * r2 / (d * d);
    o.scale_c += size;
    o.scale_m += size * r * d;
    double q = (double)s->p[i] + (double)s->p[j];
    o.scale_grad += size * fabs(q);
    o.scale_div += size * (norm(s->sigma + 9 * i, 9) + norm(s->sigma + 9 * j, 9));
    for (int a = 0; a < 3; a++) {
      double g = f * x[a] / d;
      o.c[a] += V * g;
      o.grad[a] += q * V * g;
      for (int b = 0; b < 3; b++) {
        double change = (double)s->v[3 * j + (size_t)b] - (double)s->v[3 * i + (size_t)b];
        o.D[3 * b + a] += V * change * g;
        o.scale_D = o.scale_D + size * fabs(change) / 3;
        o.div[b] += V * g *
                    ((double)s->sigma[9 * i + 3 * (size_t)b + (size_t)a] +
                     (double)s->sigma[9 * j + 3 * (size_t)b + (size_t)a]);
      }
    }
    for (int a = 0; a < 6; a++) o.m[a] -= V * f * x[pair[a][0]] * x[pair[a][1]];
  }
  return o;
}

// Each f is off by half a step, 2^-17 of its largest: no more than that in all, relative to sizes; and a
// float's rounding of records, which are up to 12 spacings from the centre, of pairs 1 apart.
static const double STEP = 0x1p-17;
static const double ROUNDING = 40 * 0x1p-24;

static void check_passes(const cloud *k, firn_isa isa) {
  sph_case plain = make(k, FIRN_ISA_SCALAR, 1), fast = make(k, isa, 1);
  sph *a = sph_case_solver(&plain), *b = sph_case_solver(&fast);
  double off[8] = {0};
  assert_true(is_quick(&fast) && !is_quick(&plain));
  assert_int_equal(a->slots, b->slots);
  size_t n = a->slots;
  firn_real *grad = malloc(3 * n * sizeof *grad), *D = malloc(9 * n * sizeof *D),
            *div = malloc(3 * n * sizeof *div), *w = malloc(n * sizeof *w),
            *m = malloc(6 * n * sizeof *m);
  for (int q = 0; q < 2; q++) {
    sph *s = q ? b : a;
    for_each_particle(s, i) {
      for (size_t e = 0; e < 9; e++)
        s->sigma[9 * i + e] = (firn_real)sph_random(
            12, 9 * firn_particles_id(&s->world->particles)[i] + e, -1, 1);
    }
  }
  sph_pairs_moments(&b->pairs, b->V, b->c, m, b->g2);
  sph_pairs_gradient(&b->pairs, b->V, b->p, 0, grad);
  sph_pairs_velocity_gradient(&b->pairs, b->V, b->v, D);
  sph_pairs_stress_divergence(&b->pairs, b->V, b->sigma, div);
  sph_pairs_interpolate(&b->pairs, b->V, w);
  sph_pairs_divergence(&b->pairs, b->V, b->v, 1, b->q);
  double pairs = 0, count = 0;
  for_each_particle(a, i) {
    sums o = sum_up(a, i);
    double small = 1e-30;
    count++;
    pairs += o.count;
    assert_int_equal(o.count == 0, sph_pairs_alone(&b->pairs, i));
    worst(&off[0], ((double)w[i] - o.interpolated) / o.interpolated);
    worst(&off[1], ((double)b->g2[i] - o.g) / (o.scale_g + small));
    double trace = 0;
    for (size_t e = 0; e < 3; e++) {
      trace += o.D[4 * e] - (double)b->v[3 * i + e] * (double)sph_pairs_wall(&b->pairs, i).c[e];
      worst(&off[2], ((double)b->c[3 * i + e] - o.c[e]) / (o.scale_c + small));
      worst(&off[3], ((double)grad[3 * i + e] - o.grad[e]) / (o.scale_grad + small));
      worst(&off[4], ((double)div[3 * i + e] - o.div[e]) / (o.scale_div + small));
    }
    for (size_t e = 0; e < 9; e++)
      worst(&off[5], ((double)D[9 * i + e] - o.D[e]) / (o.scale_D + small));
    for (size_t e = 0; e < 6 && !k->floor; e++)
      worst(&off[7], ((double)m[6 * i + e] - o.m[e]) / (o.scale_m + small));
    double all = o.scale_D + norm(b->v + 3 * i, 3) * norm(sph_pairs_wall(&b->pairs, i).c, 3);
    worst(&off[6], ((double)b->q[i] - trace) / (all + small));
  }
  sph_report("%s, %s, %.1f neighbours", k->name, firn_isa_name(isa), pairs / count);
  // Who is within reach is a matter of rounding on a lattice: there f is 0.
  if (k->jitter > 0)
    assert_relative("neighbours", sph_pairs_mean(&b->pairs), sph_pairs_mean(&a->pairs), 1e-3);
  // Positions of 2^-21 spacings, times W'/W that is at most 3 (2 - r)^-1 where W counts.
  assert_below("interpolation", off[0], 3e-6);
  assert_below("squares", off[1], 2 * STEP + ROUNDING);
  assert_below("sum of gradients", off[2], STEP + ROUNDING);
  assert_below("moments", off[7], STEP + ROUNDING);
  assert_below("pressure gradient", off[3], STEP + ROUNDING);
  assert_below("stress divergence", off[4], STEP + ROUNDING);
  assert_below("velocity gradient", off[5], 2 * STEP + ROUNDING);
  assert_below("divergence", off[6], 2 * STEP + ROUNDING);
  free(grad);
  free(D);
  free(div);
  free(w);
  free(m);
  sph_case_close(&plain);
  sph_case_close(&fast);
}

static void passes_agree_with_plain_lists(void **state) {
  (void)state;
  for (size_t q = 0; q < sizeof quick / sizeof *quick; q++) {
    if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
    for (int k = 0; k < CLOUDS; k++) check_passes(&clouds[k], quick[q]);
  }
}

// ---------------------------------------------------------------------------------------- products

// The relative distance of two vectors.
static double distance(const sph *s, const firn_real *a, const firn_real *b, size_t n) {
  double off = 0, size = 0;
  for_each_particle(s, i) {
    for (size_t e = n * i; e < n * i + n; e++) {
      off += pow((double)a[e] - (double)b[e], 2);
      size += pow((double)a[e], 2);
    }
  }
  return size > 0 ? sqrt(off / size) : sqrt(off);
}

static void products_agree_with_plain_lists(void **state) {
  (void)state;
  for (size_t q = 0; q < sizeof quick / sizeof *quick; q++) {
    if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
    for (int k = 0; k < CLOUDS; k++) {
      sph_case plain = make(&clouds[k], FIRN_ISA_SCALAR, 1), fast = make(&clouds[k], quick[q], 1);
      sph *a = sph_case_solver(&plain), *b = sph_case_solver(&fast);
      // L and volumes of one, so that products and not their preparation are compared.
      sph_pairs_laplace(&a->pairs, a->V, a->p, FIRN_R(1.5), FIRN_R(1.3), a->grad, a->lap);
      sph_pairs_laplace(&b->pairs, b->V, b->p, FIRN_R(1.5), FIRN_R(1.3), b->grad, b->lap);
      must(&plain, sph_shear_product(a, a->v, a->b));
      must(&fast, sph_shear_product(b, b->v, b->b));
      sph_report("%s, %s", clouds[k].name, firn_isa_name(quick[q]));
      // On a lattice all neighbours of a shell have the same f, and so the same error, half a step. With
      // f r^2 summed up to 9.6 over 54 in r^2, that is at most 1.3e-4 of each of two passes; signs differ, within and between shells.
      assert_below("laplacian", distance(a, a->lap, b->lap, 1), 8e-5);
      assert_below("shear product", distance(a, a->b, b->b, 3), 8e-5);
      sph_case_close(&plain);
      sph_case_close(&fast);
    }
  }
}

// --------------------------------------------------------------------------------- what must cancel

// At 100 m/s a float is off by 4e-6 m/s, which over a spacing of 1 cm would be a rate of 4e-4 1/s.
static void uniform_velocity_strains_nothing(void **state) {
  (void)state;
  for (size_t q = 0; q < sizeof quick / sizeof *quick; q++) {
    if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
    for (int k = 0; k < CLOUDS; k++) {
      sph_case c = make(&clouds[k], quick[q], 1);
      sph *s = sph_case_solver(&c);
      double most = 0, spin = 0, edge = 0;
      for_each_particle(s, i) {
        const double v[3] = {100, -57.3, 31.1};
        for (size_t a = 0; a < 3; a++) s->v[3 * i + a] = (firn_real)v[a];
      }
      sph_pairs_velocity_gradient(&s->pairs, s->V, s->v, s->sigma);
      for_each_particle(s, i) {
        for (size_t e = 0; e < 9; e++) worst(&most, (double)s->sigma[9 * i + e]);
      }
      assert_true(most == 0);
      // With noise of 1 mm/s on it, what is left is that noise's.
      for_each_particle(s, i) {
        for (size_t a = 0; a < 3; a++)
          s->v[3 * i + a] += (firn_real)sph_random(
              20, 3 * firn_particles_id(&s->world->particles)[i] + a, -1e-3, 1e-3);
      }
      sph_pairs_velocity_gradient(&s->pairs, s->V, s->v, s->sigma);
      for_each_particle(s, i) {
        worst(&edge, (double)s->c[3 * i]);
        for (size_t e = 0; e < 9; e++) worst(&spin, (double)s->sigma[9 * i + e]);
      }
      assert_true(spin <= 4e-3 * (edge + 3 / c.d * 10));
      sph_case_close(&c);
    }
  }
}

static void linear_velocity_has_its_gradient(void **state) {
  (void)state;
  const double A[9] = {3, -1, 2, 0.5, -2, 7, 1, 4, -5};
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  for (size_t q = 0; q < sizeof quick / sizeof *quick; q++) {
    if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
    sph_case c = make(&clouds[3], quick[q], 1);
    sph *s = sph_case_solver(&c);
    sph_case_prepare(&c, 1e-3); // true volumes, and L that belongs to them
    for_each_particle(s, i) {
      double x[3];
      sph_case_position(&c, i, x);
      for (size_t r = 0; r < 3; r++)
        s->v[3 * i + r] = (firn_real)(50 + A[3 * r] * x[0] + A[3 * r + 1] * x[1] +
                                      A[3 * r + 2] * x[2]);
    }
    sph_pairs_velocity_gradient(&s->pairs, s->V, s->v, s->sigma);
    double off = 0;
    for_each_particle(s, i) {
      double x[3];
      sph_case_position(&c, i, x);
      if (x[1] < 0.02 + clouds[3].corner[1] * c.d) continue; // L has walls in it, the sums have not
      for (int r = 0; r < 3; r++)
        for (int e = 0; e < 3; e++) {
          double sum = 0;
          for (int m = 0; m < 3; m++)
            sum += (double)s->sigma[9 * i + (size_t)(3 * r + m)] *
                   (double)s->L[6 * i + (size_t)place[3 * m + e]];
          worst(&off, sum - A[3 * r + e]);
        }
    }
    // Velocities of 50 m/s are rounded to 2e-6, or 2e-4 1/s over a spacing of 1 cm; L is up to 5.
    assert_below("gradient", off, 1e-2);
    sph_case_close(&c);
  }
}

// ------------------------------------------------------------------------------------ determinism

static void results_are_the_same_at_any_number_of_threads(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 7};
  for (size_t q = 0; q < sizeof quick / sizeof *quick; q++) {
    if (IS_DOUBLE || !firn_isa_available(quick[q])) continue;
    sph_case first = {0};
    cloud big = {"", {24, 22, 23}, 0.9, 0.4, {-7, -3, 2}, true, false, false};
    if (is_slow()) big.n[0] = 12;
    for (int t = 0; t < 3; t++) {
      sph_case c = make(&big, quick[q], threads[t]);
      sph *s = sph_case_solver(&c);
      sph_pairs_laplace(&s->pairs, s->V, s->p, FIRN_R(1.5), FIRN_R(1.5), s->grad, s->lap);
      must(&c, sph_shear_product(s, s->v, s->b));
      if (t == 0) {
        first = c;
        continue;
      }
      sph *o = sph_case_solver(&first);
      assert_int_equal(s->pairs.lists.pairs, o->pairs.lists.pairs);
      assert_true(distance(s, s->V, o->V, 1) == 0);
      assert_true(distance(s, s->c, o->c, 3) == 0);
      assert_true(distance(s, s->g2, o->g2, 1) == 0);
      assert_true(distance(s, s->lap, o->lap, 1) == 0);
      assert_true(distance(s, s->b, o->b, 3) == 0);
      sph_case_close(&c);
    }
    sph_case_close(&first);
  }
}

// More particles than 16 bits tell apart would each have a thousand neighbours: the limit is lowered.
static void snow_too_dense_for_shorts_takes_plain_lists(void **state) {
  (void)state;
  if (IS_DOUBLE || firn_isa_best() == FIRN_ISA_SCALAR) return;
  sph_case c = make(&clouds[3], firn_isa_best(), 1);
  sph *s = sph_case_solver(&c);
  double before = sph_pairs_mean(&s->pairs);
  assert_true(is_quick(&c));
  s->pairs.lists.limit = 100;
  sph_case_prepare(&c, 1e-3);
  assert_false(is_quick(&c));
  assert_relative("neighbours", sph_pairs_mean(&s->pairs), before, 1e-3);
  s->pairs.lists.limit = 0;
  sph_case_prepare(&c, 1e-3);
  assert_true(is_quick(&c));
  sph_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(passes_agree_with_plain_lists),
      cmocka_unit_test(products_agree_with_plain_lists),
      cmocka_unit_test(uniform_velocity_strains_nothing),
      cmocka_unit_test(linear_velocity_has_its_gradient),
      cmocka_unit_test(results_are_the_same_at_any_number_of_threads),
      cmocka_unit_test(snow_too_dense_for_shorts_takes_plain_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
