// SPDX-License-Identifier: Apache-2.0
// What the verification cases of smoothed particles share: simulations with every call checked, clouds
// and lattices, a look into the solver in the middle of a step.
#ifndef FIRN_TESTS_SUPPORT_SPH_CASE_H
#define FIRN_TESTS_SUPPORT_SPH_CASE_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <firn/firn.h>

#include "solver/sph/sph.h"

static const double EPS = (double)FIRN_REAL_EPS;
static const bool IS_DOUBLE = sizeof(firn_real) == sizeof(double);

// One bound for each build.
static inline double by_precision(double in_float, double in_double) {
  return IS_DOUBLE ? in_double : in_float;
}

typedef struct sph_case {
  firn_context *context;
  firn_sim *sim;
  double d; // m, spacing
} sph_case;

typedef struct sph_plan {
  double spacing; // m; 0: 1 cm
  firn_sph_def sph;
  firn_material_def material;
  double gravity[3];
  bool periodic[3];
  int period[3]; // spacings, multiples of 8
  int threads;
  firn_isa isa; // FIRN_ISA_AUTO: the best there is
} sph_plan;

// Snow of Table 2 without gravity, on one thread.
sph_plan sph_default_plan(void);
sph_case sph_case_open(const sph_plan *plan);
void sph_case_close(sph_case *c);

void sph_case_must(const sph_case *c, firn_status status, const char *call, const char *file,
                   int line);
#define must(c, call) sph_case_must((c), (call), #call, __FILE__, __LINE__)

// Particles at [count][3] metres, of mass density d^3.
void sph_case_add(const sph_case *c, size_t count, const double *position);
// A lattice of n[0] n[1] n[2] particles whose first is at corner, m; x runs slowest. Each is moved at
// random by up to jitter spacings along each axis.
void sph_case_lattice(const sph_case *c, const int n[3], const double corner[3], double jitter);
// A half space through point with this outward normal.
int sph_case_plane(const sph_case *c, const double point[3], const double normal[3], double nu);

sph *sph_case_solver(const sph_case *c);
size_t sph_case_count(const sph_case *c);
// Neighbours, densities and so on, as at the beginning of a step of this length.
void sph_case_prepare(const sph_case *c, double dt);
void sph_case_steps(const sph_case *c, int n); // of the definition's dt
void sph_case_advance(const sph_case *c, double seconds);
// The slot of the particle of a number.
size_t sph_case_slot(const sph_case *c, uint32_t id);
// Position of a slot, m.
void sph_case_position(const sph_case *c, size_t slot, double x[3]);

// A malloced [count][components] array, in the order in which particles were added.
double *sph_case_read(const sph_case *c, const char *field, int components);
double sph_case_stat(const sph_case *c, const char *name);

double sph_random(uint64_t seed, uint64_t index, double lo, double hi);

static inline void worst(double *max, double value) {
  double a = fabs(value);
  if (!(a <= *max)) *max = a;
}

void sph_assert_within(const char *what, double measured, double expected, double tolerance,
                       const char *file, int line);
#define assert_within(what, measured, expected, tolerance)                                         \
  sph_assert_within((what), (measured), (expected), (tolerance), __FILE__, __LINE__)
#define assert_relative(what, measured, expected, tolerance)                                       \
  sph_assert_within((what), (measured), (expected), fabs((expected) * (tolerance)), __FILE__,      \
                    __LINE__)
#define assert_below(what, measured, bound)                                                        \
  sph_assert_within((what), fabs(measured), 0, (bound), __FILE__, __LINE__)

// Prints if FIRN_TEST_VERBOSE is set: numbers for people.
void sph_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Calls body for each slot i that holds a particle.
#define for_each_particle(s, i)                                                                    \
  for (size_t u_##i = 0; u_##i < (s)->world->particles.unit_count; u_##i++)                        \
  SPH_FOR_SLOTS(s, u_##i, i)

#endif
