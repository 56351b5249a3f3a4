// SPDX-License-Identifier: Apache-2.0
#include "scene/formula.h"

#include <math.h>

#include "base/number.h"

bool firn_formula_add(firn_formula *f, firn_formula_step step) {
  if (f->count == FIRN_FORMULA_STEPS) return false;
  f->step[f->count++] = step;
  return true;
}

bool firn_formula_fits(const firn_formula *f) {
  int depth = 0, most = 0;
  for (int i = 0; i < f->count; i++) {
    firn_formula_op op = f->step[i].op;
    depth += op <= FIRN_FORMULA_PLACE ? 1 : op >= FIRN_FORMULA_ADD ? -1 : 0;
    if (depth > most) most = depth;
  }
  return most <= FIRN_FORMULA_STACK;
}

bool firn_formula_is_number(const firn_formula *f) {
  return f->count == 1 && f->step[0].op == FIRN_FORMULA_NUMBER;
}

static double both(firn_formula_op op, double a, double b) {
  switch (op) {
  case FIRN_FORMULA_ADD: return a + b;
  case FIRN_FORMULA_SUBTRACT: return a - b;
  case FIRN_FORMULA_MULTIPLY: return a * b;
  case FIRN_FORMULA_DIVIDE: return a / b;
  case FIRN_FORMULA_MIN: return b < a ? b : a;
  default: return b > a ? b : a;
  }
}

double firn_formula_value(const firn_formula *f, const double position[3]) {
  double stack[FIRN_FORMULA_STACK + 1] = {0}, *top = stack; // [0] stays unused
  for (const firn_formula_step *s = f->step; s < f->step + f->count; s++) {
    switch (s->op) {
    case FIRN_FORMULA_NUMBER: *++top = s->value; break;
    case FIRN_FORMULA_PLACE: *++top = position[(int)s->value]; break;
    case FIRN_FORMULA_NEGATE: *top = -*top; break;
    case FIRN_FORMULA_POWER: *top = pow(*top, s->value); break;
    case FIRN_FORMULA_CALL: *top = s->apply(*top); break;
    default: top--; *top = both(s->op, top[0], top[1]);
    }
  }
  return *top;
}

// A part of the text and how tightly it holds together: what it stands in may need brackets.
enum { SUM, PRODUCT, SIGNED, POWER, ATOM };
typedef struct part {
  const char *text;
  int grade;
} part;

static const char *bracket(firn_arena *arena, part p, int least) {
  if (!p.text || p.grade >= least) return p.text;
  return firn_arena_format(arena, "(%s)", p.text);
}

static part write_one(firn_arena *arena, const firn_formula_step *s, part a) {
  char number[FIRN_NUMBER_SIZE];
  const char *of;
  switch (s->op) {
  case FIRN_FORMULA_NUMBER:
    firn_number_print_exact(number, s->value);
    return (part){firn_arena_format(arena, s->value < 0 ? "(%s)" : "%s", number), ATOM};
  case FIRN_FORMULA_PLACE:
    return (part){firn_arena_format(arena, "%c", "xyz"[(int)s->value]), ATOM};
  case FIRN_FORMULA_POWER:
    of = bracket(arena, a, ATOM);
    return (part){of ? firn_arena_format(arena, "%s^%d", of, (int)s->value) : NULL, POWER};
  case FIRN_FORMULA_CALL: return (part){firn_arena_format(arena, "%s(%s)", s->name, a.text), ATOM};
  default:
    of = bracket(arena, a, POWER);
    return (part){of ? firn_arena_format(arena, "-%s", of) : NULL, SIGNED};
  }
}

static part write_two(firn_arena *arena, const firn_formula_step *s, part a, part b) {
  if (s->op >= FIRN_FORMULA_MIN) {
    const char *name = s->op == FIRN_FORMULA_MIN ? "min" : "max";
    return (part){firn_arena_format(arena, "%s(%s, %s)", name, a.text, b.text), ATOM};
  }
  int grade = s->op >= FIRN_FORMULA_MULTIPLY ? PRODUCT : SUM;
  const char *left = bracket(arena, a, grade), *right = bracket(arena, b, grade + 1);
  if (!left || !right) return (part){NULL, SUM};
  char sign = "+-*/"[s->op - FIRN_FORMULA_ADD];
  return (part){firn_arena_format(arena, "%s %c %s", left, sign, right), grade};
}

const char *firn_formula_write(firn_arena *arena, const firn_formula *f) {
  part stack[FIRN_FORMULA_STACK + 1] = {{NULL, ATOM}}, *top = stack;
  for (const firn_formula_step *s = f->step; s < f->step + f->count; s++) {
    if (s->op <= FIRN_FORMULA_PLACE) {
      *++top = write_one(arena, s, (part){"", ATOM});
    } else if (s->op < FIRN_FORMULA_ADD) {
      *top = write_one(arena, s, *top);
    } else {
      top--;
      *top = write_two(arena, s, top[0], top[1]);
    }
    if (!top->text) return NULL;
  }
  return top->text;
}
