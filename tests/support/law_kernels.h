// SPDX-License-Identifier: Apache-2.0
// The laws over arrays, one table an instruction set: tests hold every table against the oracle.
//
// Arrays are SoA: a [k][n] array has its k-th component at a + k*n. n is arbitrary.
#ifndef FIRN_TESTS_SUPPORT_LAW_KERNELS_H
#define FIRN_TESTS_SUPPORT_LAW_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "material/params.h"

typedef struct firn_law_kernels {
  const char *name;
  int lanes;
  // Plastic return and stress; particle i is of material rows[id[i]] (id NULL: rows[0]), all of one
  // law. e[6][n] and ln_jp[n] in/out; tau[6][n] and hard[n] out. by_jacobi: the slow way.
  void (*law_return)(int law, const firn_material_row *rows, const int32_t *id, bool by_jacobi,
                     size_t n, firn_real *e, firn_real *ln_jp, firn_real *tau, firn_real *hard);
  // spent[n], J/m^3, that a return of e[6][n] and ln_jp[n] takes; these stay as they are
  void (*spend)(int law, const firn_material_row *row, bool by_jacobi, size_t n, const firn_real *e,
                const firn_real *ln_jp, firn_real *spent);
  // psi[n], J/m^3, of e[6][n] as the return left it
  void (*energy)(int law, const firn_material_row *row, size_t n, const firn_real *e,
                 const firn_real *hard, firn_real *psi);
  // A[9][n] = dP[G S] S^T at S = I + s[6][n], with mu[n] and lambda[n] as hardened, for row's
  void (*differential)(const firn_material_row *row, bool psd, size_t n, const firn_real *s,
                       const firn_real *mu, const firn_real *lambda, const firn_real *G,
                       firn_real *A);
  // s[6][n] = sqrt(I + e) - I
  void (*stretch)(size_t n, const firn_real *e, firn_real *s);
  // e[6][n] <- (I + D)(I + e)(I + D)^T - I
  void (*push)(size_t n, const firn_real *D, firn_real *e);
} firn_law_kernels;

// The table of an instruction set (FIRN_ISA_AUTO: the best); NULL where this machine lacks it.
const firn_law_kernels *firn_law_kernels_get(firn_isa isa);

extern const firn_law_kernels firn_law_kernels_scalar;
#if defined(__x86_64__)
extern const firn_law_kernels firn_law_kernels_avx2;
extern const firn_law_kernels firn_law_kernels_avx512;
#endif

#endif
