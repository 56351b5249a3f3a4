// labels: M24 slow
// SPDX-License-Identifier: Apache-2.0
// Energy over ten thousand explicit steps: a resolved wave keeps its own, a battered block never
// gains any.
#include "support/mpm_case.h"

static const double PI = 3.14159265358979323846;
static const double H = 0x1p-6; // m

static double energy(const mpm_case *c) {
  firn_sums sums = mpm_case_sums(c);
  return sums.energy_kinetic + sums.energy_elastic;
}

typedef struct shape {
  double k, size;
} shape;

static void cosine(void *user, const double x[3], double v[3]) {
  const shape *s = user;
  v[0] = s->size * cos(s->k * x[0]);
}

// FLIP smooths velocities by D (k h)^2 a step on their way to the grid and back, which costs a wave
// (omega dt)^2 D (k h)^2 of its energy a step (see damping.c): 0.3 % in all here. Kinetic energy is
// half a step behind, and that of smoothed velocities is not quite the particles': the sum swings
// by 1e-3 in a period. The case asks for 1 %.
static void a_wave_keeps_its_energy(void **state) {
  (void)state;
  enum { CELLS = 16, EVERY = 20 };
  for_each_variant(v) {
    if (is_apic(v)) continue; // damps more, and knows no alpha
    const int steps = v->isa == FIRN_ISA_SCALAR ? 2000 : 10000;
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    for (int a = 0; a < 3; a++) {
      def.periodic[a] = true;
      def.period_cells[a] = a == 0 ? CELLS : 4;
    }
    double c0 = sqrt(M_WAVE / DENSITY), k = 2 * PI / (CELLS * H), phase = 2.4e-3;
    shape s = {k, 0.02 * c0};
    def.mpm.dt = phase / (k * c0);
    mpm_case c = mpm_case_open(v, &def, &material);
    double x[CELLS * 2 * 16 * 3];
    size_t count = 0;
    for (int i = 0; i < 2 * CELLS; i++) {
      for (int j = 0; j < 16; j++, count++) {
        x[3 * count] = (i + 0.5) / 2 * H;
        x[3 * count + 1] = (j / 4 + 0.5) * H;
        x[3 * count + 2] = (j % 4 + 0.5) * H;
      }
    }
    mpm_case_add(&c, count, x, 2);
    mpm_case_set_velocity(&c, cosine, &s);
    double start = energy(&c), first = 0, last = 0, off = 0;
    int fifth = steps / EVERY / 5;
    for (int n = 0; n < 5 * fifth; n++) {
      double e = energy(&c) / start;
      worst(&off, e - 1);
      if (n < fifth) first += e / fifth;
      if (n >= 4 * fifth) last += e / fifth;
      mpm_case_steps(&c, EVERY);
    }
    double lost = phase * phase * 0.8 * steps * basis_d(v) * k * H * k * H;
    mpm_report(v, "%d steps: within %.2e of the first, drift %.2e, expected %.2e", steps, off,
               last - first, -lost);
    assert_below(v, "change of energy", off, 0.01);
    // An average over a fifth of 24 radians leaves a tenth of the swing, in 2000 steps half of it.
    assert_within(v, "drift of energy", last - first, -lost, steps == 10000 ? 5e-4 : 1e-3);
    mpm_case_close(&c);
  }
}

// The same swing, at coarser modes, is all that energy may ever be above its first value.
static void a_battered_block_never_gains_energy(void **state) {
  (void)state;
  for_each_variant(v) {
    const int steps = v->isa == FIRN_ISA_SCALAR ? 2000 : 4000;
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = 0.2 * H / sqrt(M_WAVE / DENSITY);
    mpm_case c = mpm_case_open(v, &def, &material);
    mpm_case_jittered(&c, (const int[]){-1, -1, -1}, (const int[]){1, 1, 1}, 2, 0.3, 5);
    double *u = mpm_case_new(&c, 3);
    for (size_t i = 0; i < 3 * mpm_case_count(&c); i++) u[i] = mpm_random(6, i, -0.5, 0.5);
    mpm_case_write(&c, "velocity", u);
    free(u);
    double start = energy(&c), most = 0, e = 0;
    for (int n = 0; n < steps; n += 2) {
      mpm_case_steps(&c, 2);
      e = energy(&c) / start;
      most = fmax(most, e);
    }
    mpm_report(v, "at most %.5f of the first energy, %.5f at the end", most, e);
    assert_true(most < 1.01 && e < 1);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wave_keeps_its_energy),
      cmocka_unit_test(a_battered_block_never_gains_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
