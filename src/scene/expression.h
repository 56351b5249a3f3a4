// SPDX-License-Identifier: Apache-2.0
// Arithmetic in scene files: "${R} * 2 + 1 cm". Units go along, so that a slip in a formula shows.
#ifndef FIRN_SCENE_EXPRESSION_H
#define FIRN_SCENE_EXPRESSION_H

#include "base/units.h"
#include "scene/formula.h"
#include "scene/node.h"

typedef struct firn_scope_entry firn_scope_entry;

// The variables of a scene: its section `variables`, and quality, h, spacing, frames and fps.
typedef struct firn_scope {
  firn_arena *arena;
  const firn_node *root;     // of the scene
  firn_scope_entry *entries; // values known so far
  int depth;                 // of the evaluation that runs
  int expansions;            // of variables in texts so far
  bool scales; // what was evaluated follows the quality; set by evaluation, cleared by its caller
} firn_scope;

// Whether text is arithmetic rather than a plain number with a unit.
bool firn_expression_is(const char *text);
// The value of a number, with unit or not, or of an expression, where dimension is wanted. A result
// without unit is taken for SI. On failure writes to why what is wrong.
bool firn_expression_read(firn_scope *scope, const char *text, firn_dimension want, double *out,
                          char *why, size_t why_size);

// Whether text speaks of the position: of x, y or z.
bool firn_expression_has_place(const char *text);
// Such an expression as a formula, whose steps there is room for. x, y and z are lengths where the units
// come out right with them, "2 1/s * x", and else plain numbers, metres: "2 * x". Numbers that come out
// of it are SI.
bool firn_expression_compile(firn_scope *scope, const char *text, firn_dimension want,
                             firn_formula *out, char *why, size_t why_size);

// The node of a variable if text is nothing but ${name}; NULL otherwise.
const firn_node *firn_scope_node(const firn_scope *scope, const char *text);
// text with every ${name} replaced by that variable's text; NULL on failure, said in why (empty
// when memory is out).
const char *firn_scope_expand(firn_scope *scope, const char *text, char *why, size_t why_size);

#endif
