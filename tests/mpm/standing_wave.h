// SPDX-License-Identifier: Apache-2.0
// Standing elastic waves in a periodic bar, and what theory says of their frequency and damping.
#ifndef FIRN_TESTS_MPM_STANDING_WAVE_H
#define FIRN_TESTS_MPM_STANDING_WAVE_H

#include "support/mpm_case.h"

static const double PI = 3.14159265358979323846;
static const double H = 0x1p-6;    // m
static const double COURANT = 0.1; // c_p dt/h

typedef struct wave {
  int cells;          // to a wavelength, a multiple of 4
  int polarisation;   // 0: pressure wave, 1 or 2: shear wave
  double amplitude;   // of strain
  double periods;     // to simulate
  double alpha;       // of the blend
  double h;           // m
  double courant;     // c_p dt/h
  double viscosity;   // m^2/s, in place of alpha; 0: alpha
  double reference_h; // m, that alpha belongs to; 0: h
  bool rescaled;      // alpha belongs to a step of 0.5 ms
} wave;

static inline wave wave_of(int cells, int polarisation, double amplitude, double periods,
                           double alpha) {
  return (wave){cells, polarisation, amplitude, periods, alpha, H, COURANT, 0, 0, false};
}

typedef struct wave_shape {
  double k;
  int axis;
  double size;
} wave_shape;

static inline void wave_shape_at(void *user, const double x[3], double v[3]) {
  const wave_shape *s = user;
  v[s->axis] = s->size * cos(s->k * x[0]);
}

static inline double wave_speed(const wave *w) {
  return sqrt((w->polarisation == 0 ? M_WAVE : MU) / DENSITY);
}
// k h and omega dt, by the continuum's speed.
static inline double wave_kh(const wave *w) {
  return 2 * PI / w->cells;
}
static inline double wave_phase(const wave *w) {
  return w->courant * wave_kh(w) * wave_speed(w) / sqrt(M_WAVE / DENSITY);
}

// A bar of one wavelength, periodic along all axes, 4 cells wide. Along the bar there are two
// particles a cell; across it nothing varies, so one will do.
static inline void wave_add_bar(const mpm_case *c, int cells) {
  size_t count = 0;
  double *x = malloc((size_t)(2 * cells * 16) * 3 * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < 2 * cells; i++) {
    for (int j = 0; j < 16; j++, count++) {
      x[3 * count] = (i + 0.5) / 2 * c->h;
      x[3 * count + 1] = (j / 4 + 0.5) * c->h;
      x[3 * count + 2] = (j % 4 + 0.5) * c->h;
    }
  }
  mpm_case_add(c, count, x, 2);
  free(x);
}

// Steps through some periods of the expected frequency [1/s], dt each, and fits a sine to how much of a
// shape there is in the velocities; at is [count][3], positions at rest.
static inline mpm_sine wave_listen(mpm_case *c, double dt, double periods, const double *at,
                                   mpm_field_fn shape, void *user, double expected) {
  int steps = (int)ceil(periods * 2 * PI / (expected * dt));
  int every = steps / 100 + 1, samples = 0;
  double t[128], y[128];
  for (int n = 0; n <= steps; n++) {
    if (n % every == 0) {
      double *u = mpm_case_read(c, "velocity");
      t[samples] = n * dt;
      y[samples++] = mpm_case_amplitude(c, u, at, shape, user);
      free(u);
    }
    if (n < steps) mpm_case_steps(c, 1);
  }
  return mpm_fit_sine(samples, t, y, expected);
}

// Frequency and damping, both over the frequency of the continuum.
static inline mpm_sine wave_run(const mpm_variant *v, const wave *w) {
  firn_sim_def def = mpm_elastic_def(v, w->h);
  firn_material_def material = mpm_elastic_material();
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = true;
    def.period_cells[a] = a == 0 ? w->cells : 4;
  }
  double speed = wave_speed(w);
  def.mpm.flip = w->alpha;
  def.mpm.flip_rescale = w->rescaled;
  def.mpm.reference_h = w->reference_h;
  if (w->viscosity > 0) def.mpm.viscosity = w->viscosity;
  wave_shape s = {2 * PI / (w->cells * w->h), w->polarisation, w->amplitude * speed};
  def.mpm.dt = w->courant * w->h / sqrt(M_WAVE / DENSITY);
  mpm_case c = mpm_case_open(v, &def, &material);
  wave_add_bar(&c, w->cells);
  mpm_case_set_velocity(&c, wave_shape_at, &s);
  double *at = mpm_case_read(&c, "position");
  if (is_apic(v)) {
    double *affine = mpm_case_new(&c, 9);
    for (size_t i = 0; i < mpm_case_count(&c); i++) {
      affine[9 * i + 3 * (size_t)s.axis] = -s.size * s.k * sin(s.k * at[3 * i]);
    }
    mpm_case_write(&c, "affine", affine);
    free(affine);
  }
  double expected = s.k * speed;
  s.size = 1;
  mpm_sine fit = wave_listen(&c, def.mpm.dt, w->periods, at, wave_shape_at, &s, expected);
  free(at);
  mpm_case_close(&c);
  fit.omega /= expected;
  fit.gamma /= expected;
  return fit;
}

// Moments C_n = sum w r^n of a spline at a quarter of a cell, where the particles are, in cells; D
// is C_2. C_3 has the other sign at three quarters.
static inline double wave_c4(const mpm_variant *v) {
  return is_cubic(v) ? 229.0 / 768 : 43.0 / 256;
}
static inline double wave_c3(const mpm_variant *v) {
  return is_cubic(v) ? 0 : 3.0 / 64;
}

#endif
