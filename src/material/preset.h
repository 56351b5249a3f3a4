// SPDX-License-Identifier: Apache-2.0
// From what a user says of a material to what the laws read, with every number checked.
#ifndef FIRN_MATERIAL_PRESET_H
#define FIRN_MATERIAL_PRESET_H

#include "base/context.h"
#include "material/params.h"

// Fails with a message that begins with what ("material 2") and names the field and its value.
firn_status firn_material_make_row(firn_context *context, const firn_material_def *def,
                                   const char *what, firn_material_row *out);
// The def that makes this row.
firn_material_def firn_material_def_of_row(const firn_material_row *row);

#endif
