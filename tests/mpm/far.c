// labels: precision slow
// SPDX-License-Identifier: Apache-2.0
// A kilometre from the origin snow falls, strikes and breaks as it does at the origin: positions
// are kept relative to their block. In float, positions counted from the origin would be rounded at
// 6e-5 m there, 4e-3 cells.
#include "support/mpm_case.h"

// A ball of snow that strikes the floor, at the origin or 1 km away in x and z.
typedef struct drop {
  double *x, *v, *jp; // [count][3], [count][3], [count]
  size_t count;
  double jp_min;
} drop;

static drop run(const mpm_variant *v, double h, const double shift[3], int steps) {
  firn_sim_def def = mpm_printed_def(v, h);
  firn_material_def material = firn_default_material_def();
  def.gravity[1] = -9.81;
  def.mpm.dt = 2e-4;
  mpm_case c = mpm_case_open(v, &def, &material);
  firn_collider_def ground = firn_default_collider_def();
  ground.shape = firn_half_space((const double[]){0, 0, 0}, (const double[]){0, 1, 0});
  ground.friction = 0.5;
  must(&c, firn_sim_add_collider(c.sim, &ground, NULL));

  // Random places, the same on both sites: in cells with the numbers' last bits to spare, so that
  // adding the shift is exact.
  double x[3 * 1000];
  size_t count = 0;
  for (uint64_t i = 0; count < 700; i++) {
    double p[3], r2 = 0;
    for (uint64_t a = 0; a < 3; a++) {
      p[a] = floor(mpm_random(1, 3 * i + a, -3, 3) * 0x1p20) * 0x1p-20;
      r2 += p[a] * p[a];
    }
    if (r2 > 9) continue;
    p[1] += 3.5;
    for (size_t a = 0; a < 3; a++) x[3 * count + a] = p[a] * h + shift[a];
    count++;
  }
  mpm_case_add(&c, count, x, 8);
  double *velocity = mpm_case_new(&c, 3);
  for (size_t i = 0; i < count; i++) {
    velocity[3 * i] = 2;
    velocity[3 * i + 1] = -5;
    velocity[3 * i + 2] = 1;
  }
  mpm_case_write(&c, "velocity", velocity);
  free(velocity);
  mpm_case_steps(&c, steps);
  drop d = {.x = mpm_case_read(&c, "position"),
            .v = mpm_case_read(&c, "velocity"),
            .jp = mpm_case_read(&c, "jp"),
            .count = count,
            .jp_min = mpm_case_stat(&c, "jp_min")};
  for (size_t i = 0; i < 3 * count; i++) d.x[i] -= shift[i % 3];
  mpm_case_close(&c);
  return d;
}

static void release(drop *d) {
  free(d->x);
  free(d->v);
  free(d->jp);
}

typedef struct difference {
  double x, v, jp; // cells, m/s, 1
} difference;

static difference compare(const drop *a, const drop *b, double h) {
  difference d = {0};
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < 3 * a->count; i++) {
    worst(&d.x, (a->x[i] - b->x[i]) / h);
    worst(&d.v, a->v[i] - b->v[i]);
  }
  for (size_t i = 0; i < a->count; i++) worst(&d.jp, a->jp[i] - b->jp[i]);
  return d;
}

static const double HERE[3] = {0, 0, 0}, THERE[3] = {1000, 0, 1000};

// With h = 2^-6 m, 1 km is 16 000 blocks exactly: every number of the simulation is the same, and so
// is every result, except that what is read back is rounded to doubles at 1 km, 1e-13 m.
static void a_kilometre_of_whole_blocks_changes_no_bit(void **state) {
  (void)state;
  const double h = 0x1p-6;
  for_each_variant(v) {
    drop here = run(v, h, HERE, 60), there = run(v, h, THERE, 60);
    difference d = compare(&here, &there, h);
    mpm_report(v, "x %.2g cells, v %.2g m/s, J_P %.2g; J_P at least %.3f", d.x, d.v, d.jp,
               here.jp_min);
    assert_true(here.jp_min < 0.99); // it did strike
    assert_true(d.v == 0 && d.jp == 0);
    assert_below(v, "position, cells", d.x, 1000 * 2 * DBL_EPSILON / h);
    release(&here);
    release(&there);
  }
}

// With h = 1/80 m, 1 km is 20 000 blocks, but positions divided by h are rounded before they are
// kept. So a few particles start an ulp elsewhere, 4 eps cells; what an impact makes of that in 20
// steps, before chaos sets in, is some ten times more, and far less than 4e-3 cells.
static void a_kilometre_changes_rounding_only(void **state) {
  (void)state;
  const double h = 0.0125, start = by_precision(4 * EPS, 1000 * EPS / 0.0125);
  for_each_variant(v) {
    drop here = run(v, h, HERE, 20), there = run(v, h, THERE, 20);
    difference d = compare(&here, &there, h);
    mpm_report(v, "x %.2g eps cells, v %.2g eps m/s, J_P %.2g eps; J_P at least %.3f", d.x / EPS,
               d.v / EPS, d.jp / EPS, here.jp_min);
    assert_true(here.jp_min < 0.99);
    assert_below(v, "position, cells", d.x, 10 * start);
    // Velocities change by dx times sound speed over h, 4 000/s.
    assert_below(v, "velocity", d.v, 4000 * h * 10 * start);
    release(&here);
    release(&there);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_kilometre_of_whole_blocks_changes_no_bit),
      cmocka_unit_test(a_kilometre_changes_rounding_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
