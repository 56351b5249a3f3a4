// SPDX-License-Identifier: Apache-2.0
// Numbers with units: "140 kPa" is 140000 where a pressure is expected and an error elsewhere.
#ifndef FIRN_BASE_UNITS_H
#define FIRN_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>

// Physical dimensions of scene values: name, exponents of kg, m, s, K, rad, and the SI unit as
// written in files and messages. Angles count as a dimension of their own, so that "1/s" is not
// taken for a spin: it might mean turns.
#define FIRN_DIMENSION_LIST(X)                                                                     \
  X(FIRN_DIM_NONE, "a plain number", 0, 0, 0, 0, 0, "")                                            \
  X(FIRN_DIM_LENGTH, "a length", 0, 1, 0, 0, 0, "m")                                               \
  X(FIRN_DIM_TIME, "a time", 0, 0, 1, 0, 0, "s")                                                   \
  X(FIRN_DIM_RATE, "a rate", 0, 0, -1, 0, 0, "1/s")                                                \
  X(FIRN_DIM_MASS, "a mass", 1, 0, 0, 0, 0, "kg")                                                  \
  X(FIRN_DIM_ANGLE, "an angle", 0, 0, 0, 0, 1, "rad")                                              \
  X(FIRN_DIM_VELOCITY, "a velocity", 0, 1, -1, 0, 0, "m/s")                                        \
  X(FIRN_DIM_ACCELERATION, "an acceleration", 0, 1, -2, 0, 0, "m/s^2")                             \
  X(FIRN_DIM_SPIN, "an angular velocity", 0, 0, -1, 0, 1, "rad/s")                                 \
  X(FIRN_DIM_DENSITY, "a density", 1, -3, 0, 0, 0, "kg/m^3")                                       \
  X(FIRN_DIM_PRESSURE, "a pressure", 1, -1, -2, 0, 0, "Pa")                                        \
  X(FIRN_DIM_COMPLIANCE, "a compliance", -1, 1, 2, 0, 0, "1/Pa")                                   \
  X(FIRN_DIM_DYNAMIC_VISCOSITY, "a viscosity", 1, -1, -1, 0, 0, "Pa*s")                            \
  X(FIRN_DIM_VISCOSITY, "a kinematic viscosity", 0, 2, -1, 0, 0, "m^2/s")                          \
  X(FIRN_DIM_TEMPERATURE, "a temperature", 0, 0, 0, 1, 0, "K")                                     \
  X(FIRN_DIM_FORCE, "a force", 1, 1, -2, 0, 0, "N")                                                \
  X(FIRN_DIM_AREA, "an area", 0, 2, 0, 0, 0, "m^2")                                                \
  X(FIRN_DIM_VOLUME, "a volume", 0, 3, 0, 0, 0, "m^3")                                             \
  X(FIRN_DIM_VOLUME_RATE, "a volume a second", 0, 3, -1, 0, 0, "m^3/s")                            \
  X(FIRN_DIM_MASS_RATE, "a mass a second", 1, 0, -1, 0, 0, "kg/s")                                 \
  X(FIRN_DIM_CONDUCTIVITY, "a thermal conductivity", 1, 1, -3, -1, 0, "W/m/K")                     \
  X(FIRN_DIM_HEAT_CAPACITY, "a heat capacity", 0, 2, -2, -1, 0, "J/kg/K")

typedef enum firn_dimension {
#define FIRN_DIMENSION_ENUM(id, ...) id,
  FIRN_DIMENSION_LIST(FIRN_DIMENSION_ENUM)
#undef FIRN_DIMENSION_ENUM
      FIRN_DIM_COUNT,
  FIRN_DIM_ANY = FIRN_DIM_COUNT // whatever unit the file gives
} firn_dimension;

const char *firn_dimension_name(firn_dimension dimension); // "a pressure"
const char *firn_dimension_unit(firn_dimension dimension); // "Pa"; "" for a plain number

enum { FIRN_BASES = 5 }; // kg, m, s, K, rad

// A number in SI with the exponents of its base units.
typedef struct firn_quantity {
  double value;
  double zero; // of a unit: what its 0 is in SI; 273.15 K of degC, else 0
  int exponent[FIRN_BASES];
  bool
      bare; // of a variable without a unit, or a multiple of one: in a sum it has the unit of the other
} firn_quantity;

// Reads "kPa", "kg/m^3", ... into its factor to SI; on failure says why. degC stands alone: it is a
// point of a scale, and not a size.
bool firn_unit_parse(const char *text, firn_quantity *out, char *why, size_t why_size);
// Whether the quantity has the wanted dimension; on failure says what it is instead of text.
bool firn_quantity_fits(const firn_quantity *quantity, firn_dimension want, const char *text,
                        char *why, size_t why_size);
// "a length", or "kg m^2" for what has no name.
void firn_quantity_words(const firn_quantity *quantity, char *text, size_t size);

// Reads "NUMBER" or "NUMBER UNIT" and converts to SI. On failure writes to why what is wrong with
// the text and what a good one would look like. Infinity is read only from ".inf", "inf" and their negatives.
bool firn_quantity_parse(const char *text, firn_dimension dimension, double *out, char *why,
                         size_t why_size);

#endif
