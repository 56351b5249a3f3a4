// SPDX-License-Identifier: Apache-2.0
// A field as one number a particle.
#ifndef FIRN_API_PREVIEW_FIELD_H
#define FIRN_API_PREVIEW_FIELD_H

#include "api/picture.h"

typedef struct firn_preview_field {
  firn_context *context;
  size_t count;
  float *value;    // [count]
  char unit[32];   // "m/s"; "": none
  double range[2]; // of the middle 98 %; 0 and 1 where there is none
} firn_preview_field;

// color as in firn_preview_def. On failure there is nothing to free.
firn_status firn_preview_field_read(const firn_picture_source *source, const char *color,
                                    firn_preview_field *out);
void firn_preview_field_free(firn_preview_field *field);

#endif
