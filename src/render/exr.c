// SPDX-License-Identifier: Apache-2.0
#include "render/film.h"

firn_status firn_film_write_exr(firn_context *context, const char *path, const firn_film *film,
                                bool half) {
  (void)film;
  (void)half;
  return firn_fail(context, FIRN_ERROR_FORMAT, "%s: no EXR yet", path);
}
