// SPDX-License-Identifier: Apache-2.0
// The lowest standing wave of a tank, at any depth.
#ifndef FIRN_TESTS_FLIP_WAVES_H
#define FIRN_TESTS_FLIP_WAVES_H

#include "support/flip_case.h"

static const double G = 9.81, PI = 3.14159265358979323846;
enum { THICK = 4, LOOKS = 2000 }; // cells

// A tank three times as wide as deep.
typedef struct place {
  int deep;            // cells
  double angle, at[2]; // of the floor; cells, of the corner between it and a wall
} place;

// Where the middle of the water is along the tank, in cells from the tank's, time by time.
typedef struct record {
  double t[LOOKS], x[LOOKS];
  int count;
} record;

// Water at rest, its particles moved as the wave of this height moves them.
static void fill(const flip_case *c, const place *p, double k, double high) {
  const int deep = p->deep, count = 8 * 3 * deep * deep * THICK;
  double(*x)[3] = malloc((size_t)count * sizeof *x), along[2] = {cos(p->angle), sin(p->angle)};
  for (int n = 0; n < count; n++) {
    double a = n / (4 * deep * THICK) / 2.0 + 0.25, b = n / (2 * THICK) % (2 * deep) / 2.0 + 0.25;
    double u = a - high * cosh(k * b) / sinh(k * deep) * sin(k * a);
    double v = b + high * sinh(k * b) / sinh(k * deep) * cos(k * a);
    x[n][0] = (p->at[0] + u * along[0] - v * along[1]) * c->h;
    x[n][1] = (p->at[1] + u * along[1] + v * along[0]) * c->h;
    x[n][2] = (n % (2 * THICK) / 2.0 + 0.25) * c->h;
  }
  firn_particles_def def = firn_default_particles_def();
  def.count = (size_t)count;
  def.position = x[0];
  must(c, firn_sim_add_particles(c->sim, &def));
  free(x);
}

// Two periods of it.
static void watch(const place *p, bool spheres, double *omega, record *out) {
  const double wide = 3 * p->deep, k = PI / wide, high = 0.1 * p->deep,
               along[2] = {cos(p->angle), sin(p->angle)};
  flip_plan plan = flip_default_plan();
  plan.h = 0.02;
  plan.flip.dt = 0;
  plan.flip.keep_volume = true;
  plan.flip.surface_spheres = spheres;
  plan.periodic[2] = true;
  plan.period[2] = THICK;
  plan.gravity[0] = G * along[1];
  plan.gravity[1] = -G * along[0];
  flip_case c = flip_case_open(&plan);
  for (int wall = 0; wall < 3; wall++) {
    double normal[3] = {0}, point[3] = {0}, far = wall == 2 ? wide : 0;
    for (int a = 0; a < 2; a++) {
      normal[a] = wall == 0 ? (a ? along[0] : -along[1]) : (wall == 1 ? along[a] : -along[a]);
      point[a] = (p->at[a] + far * along[a]) * c.h;
    }
    flip_case_plane(&c, point, normal, NULL);
  }
  fill(&c, p, k, high);
  *omega = sqrt(G * k / c.h * tanh(k * p->deep));
  double middle = p->at[0] * along[0] + p->at[1] * along[1] + wide / 2;
  out->count = 0;
  while (firn_sim_time(c.sim) < 4 * PI / *omega && out->count < LOOKS) {
    firn_sums sums;
    must(&c, firn_sim_sums(c.sim, &sums));
    out->t[out->count] = firn_sim_time(c.sim);
    out->x[out->count++] = (sums.center[0] * along[0] + sums.center[1] * along[1]) / c.h - middle;
    flip_case_steps(&c, 1);
  }
  flip_case_close(&c);
}

// Least squares of x = c0 + c1 t + exp(-decay t) (c2 cos wt + c3 sin wt) for these two: the sum of
// squares that are left.
static double misfit(const record *r, double w, double decay) {
  double M[4][5] = {{0}}, sum = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < r->count; i++) {
      double e = exp(-decay * r->t[i]), off = r->x[i];
      const double f[5] = {1, r->t[i], e * cos(w * r->t[i]), e * sin(w * r->t[i]), r->x[i]};
      for (int n = 0; n < 4 && pass == 1; n++) off -= M[n][4] / M[n][n] * f[n];
      for (int n = 0; n < 4 && pass == 0; n++)
        for (int m = 0; m < 5; m++) M[n][m] += f[n] * f[m];
      if (pass == 1) sum += off * off;
    }
    for (int n = 0; n < 4 && pass == 0; n++)
      for (int m = 0; m < 4; m++) {
        double by = M[m][n] / M[n][n];
        for (int l = 0; l < 5 && m != n; l++) M[m][l] -= by * M[n][l];
      }
  }
  return sum;
}

// Frequency over that of theory, and the share of its height that is left after two periods.
static void measure(const place *p, bool spheres, double *frequency, double *height) {
  static record r;
  double omega, w, decay = 0, step;
  watch(p, spheres, &omega, &r);
  w = omega;
  step = 0.03 * omega;
  for (double least = misfit(&r, w, decay); step > 1e-4 * omega;) {
    double best_w = w, best_decay = decay;
    for (int n = 0; n < 9; n++) {
      double try_w = w + (n / 3 - 1) * step, try_decay = decay + (n % 3 - 1) * step;
      double here = misfit(&r, try_w, try_decay);
      if (!(here < least)) continue;
      least = here;
      best_w = try_w;
      best_decay = try_decay;
    }
    if (best_w == w && best_decay == decay) step /= 2;
    w = best_w;
    decay = best_decay;
  }
  *frequency = w / omega;
  *height = exp(-decay * 4 * PI / omega);
  flip_report("%d cells deep, angle %g at %g %g%s: %.4f, height %.3f\n", p->deep, p->angle,
              p->at[0], p->at[1], spheres ? ", spheres" : "", *frequency, *height);
}

// Along cells, off them, and turned. Frequencies within this share, and of the height no less left.
static void slosh(int deep, double near, double least) {
  const place all[] = {{deep, 0, {0, 0}}, {deep, 0, {0.31, 0.17}}, {deep, 0.35, {0.62, 0.45}}};
  double frequency, height;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    measure(&all[i], false, &frequency, &height);
    assert_relative("frequency", frequency, 1, near);
    assert_true(height > least && height < 1);
  }
}

#endif
