// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients in two precisions, with a preconditioner that works on whole vectors, as a cycle
// of multigrid does. x, r and A p are double, so that the residual that is told is the true one; p,
// B^-1 r and whatever the operators hold are firn_real, which halves the memory they move.
#ifndef FIRN_LINEAR_MIXED_H
#define FIRN_LINEAR_MIXED_H

#include "linear/krylov.h"

enum { FIRN_MIXED_PAD = 64 };

typedef struct firn_mixed_system {
  firn_context *context;
  size_t count; // of a vector
  void *user;
  // y = A p, symmetric; singular A are good where r is in its range. Behind p lie FIRN_MIXED_PAD zeros. Called
  // outside parallel regions.
  void (*apply)(void *user, const firn_real *p, double *y); // [count], [count]
  // z = B^-1 r, symmetric and positive definite; called outside parallel regions.
  void (*precondition)(void *user, const double *r, firn_real *z); // [count], [count]
} firn_mixed_system;

// Bytes of scratch that a solve needs.
size_t firn_mixed_workspace(size_t count);

// Improves x until |r| <= tolerance * reference, in the plain norm. out->residual is |r| / reference. The
// answer does not depend on the number of threads. Breakdown and too many iterations are told in *out:
// x is then the last iterate whose residual was finite.
void firn_mixed_solve(const firn_mixed_system *system, double tolerance, double reference,
                      int max_iterations,
                      double *x, // [count], in: initial guess
                      double *r, // [count], in: b - A x, out: the residual
                      void *workspace, firn_linear_result *out);

// Sums in fixed parts, for those who need norms of such vectors: a'a.
double firn_mixed_norm2(firn_context *context, const double *a, size_t count, void *workspace);

#endif
