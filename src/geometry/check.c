// SPDX-License-Identifier: Apache-2.0
// Checks of parameters, with messages that name shape, field and value.
#include <math.h>

#include "geometry/kinds.h"
#include "math/vec3.h"

firn_status firn_shape_check_positive(firn_context *context, const char *what, const char *field,
                                      double value) {
  if (isfinite(value) && value > 0) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g m must be positive", what, field,
                   value);
}

firn_status firn_shape_check_zero_or_more(firn_context *context, const char *what,
                                          const char *field, double value) {
  if (isfinite(value) && value >= 0) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g m must be 0 or more", what, field,
                   value);
}

firn_status firn_shape_check_finite3(firn_context *context, const char *what, const char *field,
                                     const double value[3]) {
  if (firn_finite3(value)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s (%g %g %g) is not finite", what, field,
                   value[0], value[1], value[2]);
}

firn_status firn_shape_check_octaves(firn_context *context, const char *what, int octaves) {
  if (octaves >= 0 && octaves <= 16) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: octaves = %d must lie in [0, 16]", what,
                   octaves);
}
