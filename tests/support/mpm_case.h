// SPDX-License-Identifier: Apache-2.0
// What the verification cases of the material point method share: the variants they run for,
// simulations with every call checked, lattices of particles, fields, modes and sine fits.
//
//   for_each_variant(v) {
//     firn_sim_def def = mpm_elastic_def(v, h);
//     firn_material_def material = mpm_elastic_material();
//     mpm_case c = mpm_case_open(v, &def, &material);
//     ...
//     mpm_case_close(&c);
//   }
#ifndef FIRN_TESTS_SUPPORT_MPM_CASE_H
#define FIRN_TESTS_SUPPORT_MPM_CASE_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <firn/firn.h>

#include "math/real.h"
#include "solver/mpm/mpm.h"

// The smallest relative distance of two working-precision numbers.
static const double EPS = (double)FIRN_REAL_EPS;
static const bool IS_DOUBLE = sizeof(firn_real) == sizeof(double);

// One bound for each build.
static inline double by_precision(double in_float, double in_double) {
  return IS_DOUBLE ? in_double : in_float;
}

// Table 2 of Stomakhin et al. 2013 and what follows from it.
static const double YOUNG = 1.4e5, POISSON = 0.2, DENSITY = 400;          // Pa, 1, kg/m^3
static const double MU = 1.4e5 / 2.4, LAMBDA = 1.4e5 * 0.2 / (1.2 * 0.6); // Pa
static const double M_WAVE = 2 * 1.4e5 / 2.4 + 1.4e5 * 0.2 / (1.2 * 0.6); // Pa, lambda + 2 mu
static const double THETA_C = 2.5e-2, THETA_S = 7.5e-3, XI = 10;

// ----------------------------------------------------------------------------------- variants

typedef struct mpm_variant {
  firn_basis basis;
  firn_transfer transfer;
  firn_isa isa;
  const char *name; // "cubic FLIP avx2"
} mpm_variant;

static inline bool is_cubic(const mpm_variant *v) {
  return v->basis == FIRN_BASIS_CUBIC;
}
static inline bool is_apic(const mpm_variant *v) {
  return v->transfer == FIRN_TRANSFER_APIC;
}
// h^2 sum of w (x_i - x_p)^2: 1/3 cubic, 1/4 quadratic.
static inline double basis_d(const mpm_variant *v) {
  return is_cubic(v) ? 1.0 / 3 : 1.0 / 4;
}

// All twelve, one instruction set after the other, scalar first; NULL past the last.
const mpm_variant *mpm_variant_at(int i);
// False if this CPU lacks the instruction set, the build has no kernels for it, or FIRN_TEST_VARIANT
// is set and no part of its name ("avx2", "cubic FLIP"); says so once for each.
bool mpm_variant_usable(const mpm_variant *v);

#define for_each_variant(v)                                                                        \
  for (int v##_i = 0; mpm_variant_at(v##_i); v##_i++)                                              \
    for (const mpm_variant *v = mpm_variant_at(v##_i); v && mpm_variant_usable(v); v = NULL)

// Only those of one instruction set: the four schemes.
#define for_each_scheme(v, which) for_each_variant(v) if (v->isa == (which))

// --------------------------------------------------------------------------------- simulations

// A step of explicit MPM without anything that an analytic answer would have to know of: no
// gravity, V0 = m/density, pure FLIP, particles moved with the grid's velocity.
firn_sim_def mpm_elastic_def(const mpm_variant *v, double h);
// As above with what the paper prints: alpha = 0.95, blended advection, volumes from the grid, and all
// particles on it.
firn_sim_def mpm_printed_def(const mpm_variant *v, double h);
// Table 2, law "elastic".
firn_material_def mpm_elastic_material(void);

typedef struct mpm_case {
  const mpm_variant *variant;
  firn_context *context;
  firn_sim *sim;
  double h;
  double dt;
} mpm_case;

// A context of one thread (two under ThreadSanitizer) with the variant's instruction set, a
// simulation of def, one material.
// Fails the test if the solver would not run the variant's own kernels.
mpm_case mpm_case_open(const mpm_variant *v, const firn_sim_def *def,
                       const firn_material_def *material);
mpm_case mpm_case_open_threads(const mpm_variant *v, const firn_sim_def *def,
                               const firn_material_def *material, int threads);
void mpm_case_close(mpm_case *c);

// must(&c, call): fails the test with the context's message unless the call returns FIRN_OK.
void mpm_case_must(const mpm_case *c, firn_status status, const char *call, const char *file,
                   int line);
#define must(c, call) mpm_case_must((c), (call), #call, __FILE__, __LINE__)

// A box of cells [lo, hi) with n particles along each edge of a cell, in their middles: n^3 a cell.
void mpm_case_lattice(const mpm_case *c, const int lo[3], const int hi[3], int n);
// The same, each particle moved at random by up to `jitter` of its share of the cell either way
// (1/2: anywhere in it).
void mpm_case_jittered(const mpm_case *c, const int lo[3], const int hi[3], int n, double jitter,
                       uint64_t seed);
// Particles at [count][3], of mass density h^3 / per_cell.
void mpm_case_add(const mpm_case *c, size_t count, const double *position, double per_cell);

static inline size_t mpm_case_count(const mpm_case *c) {
  return firn_sim_count(c->sim);
}
mpm *mpm_case_solver(const mpm_case *c);
// Steps of the definition's dt; fails if one is redone with a shorter one.
void mpm_case_steps(const mpm_case *c, int n);

// ------------------------------------------------------------------------------------- fields

// A malloced [count][components] array, in the order in which particles were added.
double *mpm_case_read(const mpm_case *c, const char *field);
double *mpm_case_new(const mpm_case *c, int components); // zeros
void mpm_case_write(const mpm_case *c, const char *field, const double *in);
firn_sums mpm_case_sums(const mpm_case *c);
double mpm_case_stat(const mpm_case *c, const char *name); // "jp_min", "redone", ...

// Uniform in [lo, hi), a function of seed and index.
double mpm_random(uint64_t seed, uint64_t index, double lo, double hi);

// Sets velocities: f(user, x, v) for every particle.
typedef void (*mpm_field_fn)(void *user, const double x[3], double v[3]);
void mpm_case_set_velocity(const mpm_case *c, mpm_field_fn f, void *user);
// Sets the strain b_E - I = D + D^T + D D^T of the displacement gradient D (row-major, F = I + D)
// given by f(user, x, D).
void mpm_case_set_gradient(const mpm_case *c, mpm_field_fn f, void *user);

// ----------------------------------------------------------------------------------- half steps

// Steps 1 to 5 of an explicit step of the definition's dt, and 7 to 10: for looking at the grid in
// between, or for setting its velocities. Neither moves the clock.
void mpm_case_to_grid(const mpm_case *c);
void mpm_case_from_grid(const mpm_case *c);

// Calls visit(user, x, node) for each node that has mass: node is velocity, and mass in [3]; x in
// metres, in the node's own period. Only valid right after mpm_case_to_grid: fast kernels leave
// garbage where they know that nobody looks.
typedef void (*mpm_node_fn)(void *user, const double x[3], const firn_real node[4]);
void mpm_case_visit_nodes(const mpm_case *c, mpm_node_fn visit, void *user);
// Sets the velocities of all nodes to f(user, x, v), with v - alpha v for the blend, as if there
// had been no forces.
void mpm_case_set_nodes(const mpm_case *c, mpm_field_fn f, void *user);

// -------------------------------------------------------------------------------------- modes

// Amplitude of the shape s(x) in the field u [count][3]: sum m u.s / sum m s.s, where the shape is
// evaluated at `at` [count][3] (positions at rest).
double mpm_case_amplitude(const mpm_case *c, const double *u, const double *at, mpm_field_fn shape,
                          void *user);

// Least-squares fit of a e^{-gamma t} cos(omega t + phi) to y at t[n]. omega must be within a few
// percent for it to converge (mpm_zero_frequency is a good start).
typedef struct mpm_sine {
  double omega, gamma, amplitude, phase;
  double residual; // rms of what is left over amplitude
} mpm_sine;
mpm_sine mpm_fit_sine(int n, const double *t, const double *y, double omega);
// pi times zero crossings over the time between the first and the last.
double mpm_zero_frequency(int n, const double *t, const double *y);

// ---------------------------------------------------------------------------------- assertions

// The largest of |value| seen, nan included.
static inline void worst(double *max, double value) {
  double a = fabs(value);
  if (!(a <= *max)) *max = a;
}

// assert_within(v, what, measured, expected, tolerance): absolute, names the variant.
void mpm_assert_within(const mpm_variant *v, const char *what, double measured, double expected,
                       double tolerance, const char *file, int line);
#define assert_within(v, what, measured, expected, tolerance)                                      \
  mpm_assert_within((v), (what), (measured), (expected), (tolerance), __FILE__, __LINE__)
#define assert_relative(v, what, measured, expected, tolerance)                                    \
  mpm_assert_within((v), (what), (measured), (expected), fabs((expected) * (tolerance)), __FILE__, \
                    __LINE__)
#define assert_below(v, what, measured, bound)                                                     \
  mpm_assert_within((v), (what), fabs(measured), 0, (bound), __FILE__, __LINE__)

// Prints if FIRN_TEST_VERBOSE is set: numbers for people.
void mpm_report(const mpm_variant *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
