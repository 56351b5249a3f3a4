// SPDX-License-Identifier: Apache-2.0
// The rows of a material, from <firn/material.h>. What a file leaves out comes from the preset, so
// numbers have no default here.
#include <string.h>

#include "material/law.h"
#include "material/preset.h"

// "snow|elastic|...", behind a first bar that is not part of it.
#define BAR_NAME(constant, name) "|" #name
static const char laws[] = FIRN_LAW_LIST(BAR_NAME) "|water";

#define ROW(key_, type_, law_, dimension_, range_, keyed_, doc_)                                   \
  .key = #key_, .type = FIRN_TYPE_##type_, .when = law_, .dimension = FIRN_DIM_##dimension_,       \
  .range = range_, .keyed = keyed_, .doc = doc_
#define ONE(CONSTANT, name, law, dimension, interval, initial, keyed, doc)                         \
  {ROW(name, REAL, law, dimension, interval, keyed, doc), FIRN_SCHEMA_AT(firn_material_def, name)},
#define POROUS(CONSTANT, name, dimension, interval, initial, doc)                                  \
  ONE(CONSTANT, name, NULL, dimension, interval, initial, true, doc)
#define TWO(name, least, most, law, dimension, interval, initial_least, initial_most, doc)         \
  {ROW(name, RANGE, law, dimension, interval, false, doc),                                         \
   .offset = offsetof(firn_material_def, least), .size = 2 * sizeof(double)},

static const firn_schema_row point_rows[] = {
    {.key = "temperature",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TEMPERATURE,
     .range = "(0, inf)",
     .required = true,
     .doc = "above that of the point before"},
    {.key = "young",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_PRESSURE,
     .range = "(0, inf)",
     .required = true,
     .doc = "Young's modulus there"},
};
static const firn_schema_record point_record = {"a stiffness point", FIRN_SCHEMA_ROWS(point_rows)};

static const firn_schema_row rows[] = {
    {.key = "preset",
     .type = FIRN_TYPE_TEXT,
     .initial = "snow",
     .doc = "where the other keys take their defaults from"},
    {.key = "law", .type = FIRN_TYPE_ENUM, .choices = &laws[1], .doc = "constitutive law"},
    FIRN_MATERIAL_LIST(ONE, ONE, TWO) //
    FIRN_POROUS_LIST(POROUS)          //
    {.key = "conductivity",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_CONDUCTIVITY,
     .range = "[0, inf)",
     .doc = "of heat, under sph; none if not given"},
    {.key = "heat_capacity",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_HEAT_CAPACITY,
     .range = "(0, inf)",
     .doc = "2100 J/kg/K, that of ice, if not given"},
    {.key = "young_of_temperature",
     .type = FIRN_TYPE_LIST,
     .record = &point_record,
     .doc = "in place of young, by temperature: linear between these points, constant outside"},
};

const firn_schema_record firn_material_settings = {"a material", FIRN_SCHEMA_ROWS(rows)};

bool firn_material_has(const firn_schema_row *row, const char *law) {
  if (!row->when) return true;
  size_t length = strlen(law);
  for (const char *one = strchr(row->when, '='); one; one = strchr(one + 1, '|')) {
    if (strncmp(one + 1, law, length) == 0 && (!one[1 + length] || one[1 + length] == '|'))
      return true;
  }
  return false;
}
