// SPDX-License-Identifier: Apache-2.0
// From what a user says of a material to what the laws read, with every number checked.
#ifndef FIRN_MATERIAL_PRESET_H
#define FIRN_MATERIAL_PRESET_H

#include "base/schema.h"
#include "material/params.h"

// settings.c: the rows of a material, with their places in firn_material_def.
extern const firn_schema_record firn_material_settings;
// Whether materials of this law have the number of a row.
bool firn_material_has(const firn_schema_row *row, const char *law);

// The first of a number's values that its row does not allow, or count.
size_t firn_material_refused(const firn_schema_row *row, const double *value, size_t count);
// Fails with what is wrong with such a value of a member of the def.
firn_status firn_material_refuse(firn_context *context, const char *what,
                                 const firn_schema_row *row, const char *member, double value);

// Fails with a message that begins with what ("material 2") and names the field and its value.
firn_status firn_material_make_row(firn_context *context, const firn_material_def *def,
                                   const char *what, firn_material_row *out);
// The same for a def that was checked, and the def that makes a row.
firn_material_row firn_material_row_of_def(const firn_material_def *def, int law);
firn_material_def firn_material_def_of_row(const firn_material_row *row);
// Whether J_P has bounds.
static inline bool firn_material_is_bounded(const firn_material_row *row) {
  return row->ln_jp_lo > -FIRN_REAL_MAX || row->ln_jp_hi < FIRN_REAL_MAX;
}

#endif
