// SPDX-License-Identifier: Apache-2.0
#include "render/bulk.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"
#include "math/vec3.h"

firn_status firn_bulk_box(firn_context *context, size_t count, const double *position,
                          double low[3], double high[3], bool *any) {
  size_t size = FIRN_BULK_SAMPLES * sizeof(double), step = count / FIRN_BULK_SAMPLES + 1;
  double *sample = firn_alloc(context, size, "framing of a picture");
  if (!sample) return FIRN_ERROR_MEMORY;
  *any = false;
  for (size_t k = 0; k < 3; k++) {
    size_t n = 0;
    for (size_t i = 0; i < count; i += step) {
      const double *p = position + 3 * i;
      if (firn_finite3(p)) sample[n++] = p[k];
    }
    if (!n) break;
    qsort(sample, n, sizeof *sample, firn_order_doubles);
    low[k] = sample[n / 200];
    high[k] = sample[n - 1 - n / 200];
    *any = true;
  }
  firn_free(context, sample, size);
  return FIRN_OK;
}
