// SPDX-License-Identifier: Apache-2.0
// A field of a frame as one number a particle.
#ifndef FIRN_API_QUICK_FIELD_H
#define FIRN_API_QUICK_FIELD_H

#include "base/context.h"

typedef struct firn_quick_field {
  firn_context *context;
  size_t count;
  float *value;    // [count]
  char unit[32];   // "m/s"; "": none
  double range[2]; // of the middle 98 %; 0 and 1 where there is none
} firn_quick_field;

// color as in firn_quick_def. On failure there is nothing to free.
firn_status firn_quick_field_read(firn_frame *frame, const char *color, firn_quick_field *out);
void firn_quick_field_free(firn_quick_field *field);

#endif
