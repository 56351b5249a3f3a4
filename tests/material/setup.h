// SPDX-License-Identifier: Apache-2.0
// Table 2 of the paper as a row, and the eigenvalues of a 9x9 matrix.
#ifndef FIRN_TESTS_MATERIAL_SETUP_H
#define FIRN_TESTS_MATERIAL_SETUP_H

#include <stdlib.h>

#include "math/sample.h"

#include "base/order.h"
#include "material/law.h"
#include "material/preset.h"
#include "math/jacobi.h"
#include "support/law_kernels.h"

static const double YOUNG = 1.4e5, POISSON = 0.2, THETA_C = 2.5e-2, THETA_S = 7.5e-3, XI = 10;
static const double MU = 1.4e5 / 2.4, LAMBDA = 1.4e5 * 0.2 / (1.2 * 0.6);

static const char *const law_names[] = {
#define NAME(constant, name) #name,
    FIRN_LAW_LIST(NAME)
#undef NAME
};

static inline firn_material_row table2(int law) {
  firn_material_def def = firn_default_material_def();
  firn_material_row row;
  def.law = law_names[law];
  assert_int_equal(firn_material_make_row(NULL, &def, "table 2", &row), FIRN_OK);
  return row;
}

// Ascending; a is destroyed.
static inline void eigenvalues9(double a[9][9], double l[9]) {
  firn_jacobi(9, *a, NULL);
  for (int i = 0; i < 9; i++) l[i] = a[i][i];
  qsort(l, 9, sizeof *l, firn_order_doubles);
}

#endif
