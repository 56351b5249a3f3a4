// SPDX-License-Identifier: Apache-2.0
// What the verification cases of FLIP share: simulations with every call checked, boxes of particles, a
// look into the solver in the middle of a step.
#ifndef FIRN_TESTS_SUPPORT_FLIP_CASE_H
#define FIRN_TESTS_SUPPORT_FLIP_CASE_H

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

#include "solver/flip/flip.h"

static const double EPS = (double)FIRN_REAL_EPS;
static const bool IS_DOUBLE = sizeof(firn_real) == sizeof(double);

// One bound for each build.
static inline double by_precision(double in_float, double in_double) {
  return IS_DOUBLE ? in_double : in_float;
}

typedef struct flip_case {
  firn_context *context;
  firn_sim *sim;
  double h; // m
} flip_case;

typedef struct flip_plan {
  double h; // m
  firn_flip_def flip;
  firn_material_def material;
  double gravity[3];
  bool periodic[3];
  int period[3]; // cells
  int threads;
} flip_plan;

// Water in cells of 10 cm without gravity, in steps of 5 ms on one thread, whose volume nobody keeps.
flip_plan flip_default_plan(void);
flip_case flip_case_open(const flip_plan *plan);
void flip_case_close(flip_case *c);

void flip_case_must(const flip_case *c, firn_status status, const char *call, const char *file,
                    int line);
#define must(c, call) flip_case_must((c), (call), #call, __FILE__, __LINE__)

// Eight particles a cell on a lattice, from cell lo to below cell hi, each moved at random by up to jitter
// cells along each axis.
void flip_case_box(const flip_case *c, const int lo[3], const int hi[3], double jitter,
                   const double velocity[3]);
void flip_case_box_of(const flip_case *c, const int lo[3], const int hi[3], double jitter,
                      const double velocity[3], int material);
// A half space through point with this outward normal, that moves.
int flip_case_plane(const flip_case *c, const double point[3], const double normal[3],
                    const double velocity[3]);
// Walls around a box of cells, all but the lid unless it has one.
void flip_case_tank(const flip_case *c, const int lo[3], const int hi[3], bool lid);

flip *flip_case_solver(const flip_case *c);
size_t flip_case_count(const flip_case *c);
// Grid, colliders and surface, as at the beginning of a step of this length.
void flip_case_prepare(const flip_case *c, double dt);
void flip_case_steps(const flip_case *c, int n);
// A malloced [count][components] array, in the order in which particles were added.
double *flip_case_read(const flip_case *c, const char *field, int components);
double flip_case_stat(const flip_case *c, const char *name);
// How far up an axis the fluid reaches in the row of cells that goes through this one, in cells, at the
// beginning of the last step: to where the density is half of that inside, between the middles of two cells.
// 0: it is not there.
double flip_case_reach(const flip_case *c, int axis, const int cell[3]);
double flip_random(uint64_t seed, uint64_t index, double lo, double hi);

static inline void worst(double *max, double value) {
  double a = fabs(value);
  if (!(a <= *max)) *max = a;
}

void flip_assert_within(const char *what, double measured, double expected, double tolerance,
                        const char *file, int line);
#define assert_within(what, measured, expected, tolerance)                                         \
  flip_assert_within((what), (measured), (expected), (tolerance), __FILE__, __LINE__)
#define assert_relative(what, measured, expected, tolerance)                                       \
  flip_assert_within((what), (measured), (expected), fabs((expected) * (tolerance)), __FILE__,     \
                     __LINE__)
#define assert_below(what, measured, bound)                                                        \
  flip_assert_within((what), fabs(measured), 0, (bound), __FILE__, __LINE__)

// Prints if FIRN_TEST_VERBOSE is set: numbers for people.
void flip_report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
