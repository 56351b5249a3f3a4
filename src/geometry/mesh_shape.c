// SPDX-License-Identifier: Apache-2.0
#include "geometry/shape.h"

firn_status firn_mesh_make_shape(firn_context *context, const firn_shape_def *def, const char *what,
                                 firn_shape **out) {
  (void)def;
  (void)out;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: meshes are not supported yet", what);
}
