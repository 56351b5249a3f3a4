// SPDX-License-Identifier: Apache-2.0
// An expression of the position, ready to be evaluated at many places: "2 1/s * x" and the like.
#ifndef FIRN_SCENE_FORMULA_H
#define FIRN_SCENE_FORMULA_H

#include "scene/arena.h"

typedef enum firn_formula_op {
  FIRN_FORMULA_NUMBER, // pushes value
  FIRN_FORMULA_PLACE,  // pushes x, y or z, by value
  FIRN_FORMULA_NEGATE,
  FIRN_FORMULA_POWER, // to the whole number in value
  FIRN_FORMULA_CALL,  // apply
  FIRN_FORMULA_ADD,   // these and those after it take two
  FIRN_FORMULA_SUBTRACT,
  FIRN_FORMULA_MULTIPLY,
  FIRN_FORMULA_DIVIDE,
  FIRN_FORMULA_MIN,
  FIRN_FORMULA_MAX
} firn_formula_op;

typedef struct firn_formula_step {
  firn_formula_op op;
  double value;
  double (*apply)(double);
  const char *name; // of apply
} firn_formula_step;

enum { FIRN_FORMULA_STEPS = 512, FIRN_FORMULA_STACK = 64 };

// Steps in the order of a stack machine, numbers in SI, places in metres.
typedef struct firn_formula {
  int count;
  firn_formula_step *step; // [count]
} firn_formula;

// Adds a step; false where there is no room. The array is one of FIRN_FORMULA_STEPS.
bool firn_formula_add(firn_formula *f, firn_formula_step step);
// Whether it never needs more than FIRN_FORMULA_STACK numbers at a time.
bool firn_formula_fits(const firn_formula *f);
// Whether it is one number.
bool firn_formula_is_number(const firn_formula *f);
double firn_formula_value(const firn_formula *f, const double position[3]);
// As a text that means the same to the bit. NULL when memory is out.
const char *firn_formula_write(firn_arena *arena, const firn_formula *f);

#endif
