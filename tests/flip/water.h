// SPDX-License-Identifier: Apache-2.0
// Two cases of water that have no closed form, at any resolution: a column that breaks down, and a pool that
// sloshes and comes to rest. Both are slabs four cells thick that go on without end.
#ifndef FIRN_TESTS_FLIP_WATER_H
#define FIRN_TESTS_FLIP_WATER_H

#include "support/flip_case.h"

enum { THICK = 4 };
static const double G = 9.81;

static flip_case open_slab(double h) {
  flip_plan plan = flip_default_plan();
  plan.h = h;
  plan.flip.dt = 0;
  plan.flip.keep_volume = true;
  plan.gravity[1] = -G;
  plan.periodic[2] = true;
  plan.period[2] = THICK;
  flip_case c = flip_case_open(&plan);
  flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, NULL);
  flip_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){1, 0, 0}, NULL);
  return c;
}

// ------------------------------------------------------------------------------------ a column breaks down

// Martin and Moyce 1952, Table 2: a column of water twice as high as its width a = 2 1/4 in. The front has
// come to Z a at T = t sqrt(2 g/a).
static const double FRONT_T[] = {1.19, 1.43, 1.63, 1.83, 1.98, 2.20, 2.32,
                                 2.51, 2.65, 2.83, 2.98, 3.11, 3.33};
static const double FRONT_Z[] = {1.44, 1.67, 1.89, 2.11, 2.33, 2.56, 2.78,
                                 3.00, 3.22, 3.44, 3.67, 3.89, 4.11};
enum { FRONTS = sizeof FRONT_Z / sizeof *FRONT_Z };

// Where the water is a tenth of a deep, in cells. At the floor a fluid without friction runs ahead of that as a film,
// thinner the finer the cells are; in the experiment the bed holds it back, and the front is blunt.
static double front_of(const flip_case *c, int wide) {
  double sum = 0;
  for (int z = 0; z < THICK; z++)
    for (int row = wide / 10 - 1; row <= wide / 10; row++) // the height between two rows of middles
      sum += flip_case_reach(c, 0, (const int[3]){0, row, z}) / (2 * THICK);
  return sum;
}

// No water may be ahead of Ritter's bound for a sheet as high as the column, x = a + 2 sqrt(g 2a) t, which is
// Z = 1 + 2 T.
static void assert_behind_ritter(const flip_case *c, int wide, double T) {
  double *x = flip_case_read(c, "position", 3), most = 0;
  for (size_t i = 0; i < flip_case_count(c); i++) most = fmax(most, x[3 * i] / (wide * c->h));
  free(x);
  if (most > 1 + 2 * T) fail_msg("the front is at %g a at T = %g, beyond 1 + 2 T", most, T);
}

// Arrival times of the front, from the time at which it passes Z = 1.44, on which the experiment's clock and
// ours are set alike: until then the way in which its dam was taken away matters. wide: cells to a, a multiple
// of 10.
static void column_breaks_down(int wide) {
  const double a = 0.05715, unit = sqrt(2 * G / a);
  flip_case c = open_slab(a / wide);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){wide, 2 * wide, THICK}, 0, NULL);
  double before = 1, last = 0, shift = 0;
  for (int next = 0; next < FRONTS;) {
    double T = firn_sim_time(c.sim) * unit; // of what the grid has seen
    assert_true(T < 5);
    flip_case_steps(&c, 1);
    assert_behind_ritter(&c, wide, firn_sim_time(c.sim) * unit);
    double Z = front_of(&c, wide) / wide;
    for (; next < FRONTS && Z >= FRONT_Z[next]; next++) {
      double at = last + (T - last) * (FRONT_Z[next] - before) / (Z - before);
      if (next == 0) shift = FRONT_T[0] - at;
      flip_report("Z = %g: ", FRONT_Z[next]);
      assert_relative("T of the front", at + shift, FRONT_T[next], 0.03);
    }
    before = Z;
    last = T;
  }
  flip_report("shift of the clock: %g\n", shift);
  flip_case_close(&c);
}

// ------------------------------------------------------------------------------------ a pool sloshes

// Water that stands twice as deep in one half of a tank and is let go; then the level over the exact
// one, volume over area: where its density falls to half; and by the particles' middle. Under a
// surface of heights y water of one density has its middle at <y^2>/2<y>: twice that is the level,
// and what waves that are left lift, the variance of y over its mean.
static void pool_keeps_its_level(int deep, double seconds) {
  int wide = 2 * deep;
  double surface = 0, square = 0, sum = 0;
  flip_case c = open_slab(0.02);
  flip_case_plane(&c, (const double[3]){wide * c.h, 0, 0}, (const double[3]){-1, 0, 0}, NULL);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){wide / 2, 2 * deep, THICK}, 0, NULL);
  while (firn_sim_time(c.sim) < seconds) flip_case_steps(&c, 1);
  for (int x = 0; x < wide; x++) {
    for (int z = 0; z < THICK; z++) {
      double y = flip_case_reach(&c, 1, (const int[3]){x, 0, z});
      surface += y / (wide * THICK);
      square += y * y / (wide * THICK);
    }
  }
  double *x = flip_case_read(&c, "position", 3), lifted = (square - surface * surface) / surface;
  for (size_t i = 0; i < flip_case_count(&c); i++) sum += x[3 * i + 1] / c.h;
  free(x);
  double level = 2 * sum / (double)flip_case_count(&c) - lifted;
  flip_report("waves lift the level of the particles by %g cells\n", lifted);
  assert_relative("level of the surface, cells", surface, deep, 0.01);
  assert_relative("level of the particles, cells", level, deep, 0.02);
  flip_case_close(&c);
}

#endif
