// SPDX-License-Identifier: Apache-2.0
#include "scene/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/nearest.h"
#include "solver/solver.h"

enum { DEPTH_MOST = 64, NAME = 64 };

struct firn_scope_entry {
  const char *name;
  bool known;  // false: being evaluated; meeting it again is a cycle
  bool scales; // follows the quality
  firn_quantity value;
  firn_scope_entry *next;
};

// A parser evaluates as it goes. Where x, y and z are known, what it does is also noted as a formula;
// the value is then that at a place of no meaning, wanted for its unit alone.
typedef struct {
  firn_scope *scope;
  const char *text, *p;
  char *why;
  size_t why_size;
  firn_formula *formula; // NULL: there is no place
  bool metres;           // x, y and z have a unit
} parser;

static bool sum(parser *s, firn_quantity *out);

#define WRONG(s, ...) (snprintf((s)->why, (s)->why_size, __VA_ARGS__), false)

static void skip(parser *s) {
  while (*s->p == ' ' || *s->p == '\t' || *s->p == '\n') s->p++;
}

static bool same_dimension(const firn_quantity *a, const firn_quantity *b) {
  return memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0;
}

static bool plain(const firn_quantity *q) {
  const firn_quantity none = {0};
  return same_dimension(q, &none);
}

// A variable without a unit is in SI, as a value of the scene is: beside a length it is in metres.
static void settle_bare(firn_quantity *a, firn_quantity *b) {
  if (a->bare && !plain(b)) memcpy(a->exponent, b->exponent, sizeof a->exponent);
  if (b->bare && !plain(a)) memcpy(b->exponent, a->exponent, sizeof b->exponent);
  a->bare = plain(a) && (a->bare || b->bare);
}

static bool finite_result(const parser *s, const firn_quantity *q) {
  return s->formula || isfinite(q->value) || WRONG(s, "'%.80s' is not a finite number", s->text);
}

// Puts a step into the formula, if there is to be one.
static bool note_step(const parser *s, firn_formula_step step) {
  return !s->formula || firn_formula_add(s->formula, step) ||
         WRONG(s, "'%.80s' is too long", s->text);
}

static bool note(const parser *s, firn_formula_op op, double value) {
  return note_step(s, (firn_formula_step){.op = op, .value = value});
}

// ----------------------------------------------------------------------------------- variables

static const char *const built_in[] = {"quality", "h", "spacing", "frames", "fps"};
enum { BUILT_IN = sizeof built_in / sizeof built_in[0] };

static const firn_node *variable_find(const firn_scope *scope, const char *name) {
  const firn_node *variables = firn_node_find(scope->root, "variables");
  if (!variables || variables->kind != FIRN_NODE_MAP) return NULL;
  return firn_node_find(variables, name);
}

// ${name} at the start of text: its length with the braces, or 0.
static size_t reference_read(const char *text, char name[NAME]) {
  if (text[0] != '$' || text[1] != '{') return 0;
  size_t length = strcspn(text + 2, "}");
  if (text[2 + length] != '}' || length == 0 || length >= NAME) return 0;
  memcpy(name, text + 2, length);
  name[length] = 0;
  return length + 3;
}

static bool unknown_variable(const parser *s, const char *name) {
  firn_nearest nearest = firn_nearest_begin(name);
  const firn_node *variables = firn_node_find(s->scope->root, "variables");
  const firn_node *first = variables && variables->kind == FIRN_NODE_MAP ? variables->first : NULL;
  for (const firn_node *n = first; n; n = n->next) firn_nearest_offer(&nearest, n->key);
  for (int i = 0; i < BUILT_IN; i++) firn_nearest_offer(&nearest, built_in[i]);
  if (nearest.best)
    return WRONG(s, "there is no variable '%s'; did you mean '%s'?", name, nearest.best);
  return WRONG(s, "there is no variable '%s' in the section variables", name);
}

static bool evaluate(firn_scope *scope, const char *text, firn_quantity *out, char *why,
                     size_t why_size);

// A key of the scene's root as a variable; missing ones have the default.
static bool root_value(const parser *s, const char *key, const char *initial, firn_quantity *out) {
  const firn_node *node = firn_node_find(s->scope->root, key);
  if (node && node->kind != FIRN_NODE_SCALAR)
    return WRONG(s, "'%s' is not a single number that ${%s} could follow", key, key);
  return evaluate(s->scope, node ? node->text : initial, out, s->why, s->why_size);
}

static bool built_in_value(const parser *s, const char *name, firn_quantity *out) {
  bool h = strcmp(name, "h") == 0, spacing = strcmp(name, "spacing") == 0;
  if (!h && !spacing)
    return root_value(s, name,
                      strcmp(name, "quality") == 0 ? "1"
                      : name[1] == 'p'             ? "24"
                                                   : "48",
                      out);
  const firn_node *own_h = firn_node_find(s->scope->root, "h"),
                  *own_spacing = firn_node_find(s->scope->root, "spacing");
  bool by_h = own_h && (!own_spacing || own_h->key_mark.level >= own_spacing->key_mark.level);
  if (!own_h && !own_spacing) return WRONG(s, "${%s} needs the key 'h' or 'spacing'", name);
  firn_quantity quality;
  if (!root_value(s, by_h ? "h" : "spacing", "", out)) return false;
  if (!root_value(s, "quality", "1", &quality)) return false;
  const firn_node *solver = firn_node_find(s->scope->root, "solver");
  const char *method = solver && solver->kind == FIRN_NODE_SCALAR ? solver->text : "";
  if (by_h && spacing) out->value = firn_solver_spacing(method, out->value);
  if (!by_h && h) out->value = firn_solver_h(method, out->value);
  out->value /= quality.value;
  if (plain(out)) out->exponent[1] = 1; // a bare number is in metres
  return finite_result(s, out);
}

static bool variable_value(parser *s, const char *name, firn_quantity *out) {
  firn_scope *scope = s->scope;
  for (const firn_scope_entry *e = scope->entries; e; e = e->next)
    if (strcmp(e->name, name) == 0) {
      *out = e->value;
      scope->scales |= e->scales;
      return e->known || WRONG(s, "the variable '%s' depends on itself", name);
    }
  const firn_node *node = variable_find(scope, name);
  bool own = false;
  for (int i = 0; i < BUILT_IN; i++) own = own || strcmp(name, built_in[i]) == 0;
  if (!node && !own) return unknown_variable(s, name);
  firn_scope_entry *entry = firn_arena_alloc(scope->arena, sizeof *entry);
  char *copy = firn_arena_text(scope->arena, name, strlen(name));
  if (!entry || !copy) return WRONG(s, "out of memory");
  *entry = (firn_scope_entry){.name = copy, .next = scope->entries};
  scope->entries = entry;
  bool good, before = scope->scales;
  scope->scales = !node && name[0] != 'f'; // quality, h and spacing, not frames and fps
  if (node && node->kind != FIRN_NODE_SCALAR)
    good = WRONG(s, "the variable '%s' is %s, not a number", name, firn_node_kind_name(node));
  else if (node) {
    good = evaluate(scope, node->text, out, s->why, s->why_size);
    out->bare = good && plain(out) && (out->bare || !firn_expression_is(node->text));
  } else {
    good = built_in_value(s, name, out);
  }
  entry->scales = scope->scales;
  scope->scales |= before;
  if (good) {
    entry->known = true;
    entry->value = *out;
  } else { // so that the same slip is told the same way wherever it is used
    scope->entries = entry->next;
  }
  return good;
}

// ------------------------------------------------------------------------------------- factors

static bool symbol_char(char c) {
  return isalpha((unsigned char)c) || (unsigned char)c >= 0x80 || c == '%';
}

// Length of "SYMBOL[^N]" at p if it is a unit: a name before "(" is a function, and x, y and z are
// none either.
static size_t unit_symbol(const char *p) {
  size_t n = 0;
  if (p[0] == '1' && p[1] == '/') return 1; // "1/s"
  while (symbol_char(p[n])) n++;
  if (n == 0 || p[n] == '(' || (n == 1 && strchr("xyz", *p))) return 0;
  if (p[n] == '^') {
    size_t power = n + 1;
    if (p[power] == '-') power++;
    if (!isdigit((unsigned char)p[power])) return n;
    while (isdigit((unsigned char)p[power])) power++;
    return power;
  }
  return n;
}

// The unit behind a number, as far as it goes: "cm" of "1 cm * 2", "kg/m^3" of "400 kg/m^3 / 2".
static size_t unit_length(const char *p) {
  size_t used = unit_symbol(p);
  while (used) {
    const char *q = p + used;
    while (*q == ' ') q++;
    if (*q == '*' || *q == '/') q++;
    while (*q == ' ') q++;
    size_t n = unit_symbol(q);
    if (n == 0 || *q == '1') break;
    used = (size_t)(q - p) + n;
  }
  return used;
}

// A value, which was read already, and its unit.
static bool number(parser *s, double value, firn_quantity *out) {
  *out = (firn_quantity){.value = value};
  const char *unit = s->p;
  while (*unit == ' ') unit++;
  size_t size = unit_length(unit);
  char text[64];
  if (size == 0) return finite_result(s, out) && note(s, FIRN_FORMULA_NUMBER, out->value);
  if (size >= sizeof text) return WRONG(s, "unknown unit '%.60s'", unit);
  memcpy(text, unit, size);
  text[size] = 0;
  firn_quantity scale;
  if (!firn_unit_parse(text, &scale, s->why, s->why_size)) return false;
  s->p = unit + size;
  memcpy(out->exponent, scale.exponent, sizeof out->exponent);
  out->value = out->value * scale.value + scale.zero;
  out->zero = scale.zero;
  return finite_result(s, out) && note(s, FIRN_FORMULA_NUMBER, out->value);
}

typedef enum { TO_PLAIN, FROM_ANGLE, TO_ANGLE, SAME, ROOT } function_kind;

static const struct {
  const char *name;
  int arguments; // 0: one or more
  function_kind kind;
  double (*apply)(double);
} functions[] = {
    {"sin", 1, FROM_ANGLE, sin},   {"cos", 1, FROM_ANGLE, cos},   {"tan", 1, FROM_ANGLE, tan},
    {"asin", 1, TO_ANGLE, asin},   {"acos", 1, TO_ANGLE, acos},   {"atan", 1, TO_ANGLE, atan},
    {"sqrt", 1, ROOT, sqrt},       {"abs", 1, SAME, fabs},        {"min", 0, SAME, NULL},
    {"max", 0, SAME, NULL},        {"floor", 1, TO_PLAIN, floor}, {"ceil", 1, TO_PLAIN, ceil},
    {"round", 1, TO_PLAIN, round},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static bool apply(const parser *s, int f, firn_quantity *q) {
  char words[64];
  firn_quantity_words(q, words, sizeof words);
  const char *name = functions[f].name;
  const firn_quantity angle = {.exponent = {0, 0, 0, 0, 1}};
  switch (functions[f].kind) {
  case FROM_ANGLE:
    if (!plain(q) && !same_dimension(q, &angle))
      return WRONG(s, "%s() needs an angle, not %s", name, words);
    memset(q->exponent, 0, sizeof q->exponent);
    break;
  case TO_PLAIN:
  case TO_ANGLE:
    if (!plain(q)) return WRONG(s, "%s() needs a plain number, not %s", name, words);
    if (functions[f].kind == TO_ANGLE) q->exponent[4] = 1;
    break;
  case ROOT:
    for (int i = 0; i < FIRN_BASES; i++) {
      if (q->exponent[i] % 2) return WRONG(s, "sqrt() of %s has no unit", words);
      q->exponent[i] /= 2;
    }
    break;
  case SAME: break;
  }
  if (!functions[f].apply) return finite_result(s, q);
  q->value = functions[f].apply(q->value);
  return finite_result(s, q) &&
         note_step(s, (firn_formula_step){
                          .op = FIRN_FORMULA_CALL, .apply = functions[f].apply, .name = name});
}

static bool call(parser *s, int f, firn_quantity *out) {
  for (int count = 1;; count++) {
    firn_quantity next;
    if (!sum(s, &next)) return false;
    if (count > 1) settle_bare(out, &next);
    if (count == 1) {
      *out = next;
    } else if (!same_dimension(out, &next)) {
      return WRONG(s, "%s() of numbers with different units in '%.80s'", functions[f].name,
                   s->text);
    } else {
      bool least = functions[f].name[1] == 'i';
      if (least ? next.value < out->value : next.value > out->value) *out = next;
      if (!note(s, least ? FIRN_FORMULA_MIN : FIRN_FORMULA_MAX, 0)) return false;
    }
    skip(s);
    if (*s->p == ',' && functions[f].arguments == 0) {
      s->p++;
      continue;
    }
    if (*s->p == ',') return WRONG(s, "%s() takes one number", functions[f].name);
    if (*s->p != ')') return WRONG(s, "')' is missing in '%.80s'", s->text);
    s->p++;
    return apply(s, f, out);
  }
}

static bool word(parser *s, firn_quantity *out) {
  size_t length = 0;
  while (isalnum((unsigned char)s->p[length]) || s->p[length] == '_') length++;
  char name[NAME];
  snprintf(name, sizeof name, "%.*s", (int)(length < NAME ? length : NAME - 1), s->p);
  if (s->p[length] != '(') {
    if (strcmp(name, "pi") == 0) {
      *out = (firn_quantity){.value = 3.14159265358979323846};
      s->p += length;
      return note(s, FIRN_FORMULA_NUMBER, out->value);
    }
    if (s->formula && length == 1 && strchr("xyz", *name)) {
      *out = (firn_quantity){.value = 1};
      out->exponent[1] = s->metres;
      s->p += length;
      return note(s, FIRN_FORMULA_PLACE, *name - 'x');
    }
    if (!*s->p) return WRONG(s, "expected a number at the end of '%.80s'", s->text);
    if (length == 0) return WRONG(s, "expected a number at '%.40s' of '%.80s'", s->p, s->text);
    return WRONG(s, "'%s' is not a number; write ${%s} for a variable", name, name);
  }
  firn_nearest nearest = firn_nearest_begin(name);
  for (int f = 0; f < FUNCTIONS; f++) {
    if (strcmp(functions[f].name, name) == 0) {
      s->p += length + 1;
      return call(s, f, out);
    }
    firn_nearest_offer(&nearest, functions[f].name);
  }
  if (nearest.best)
    return WRONG(s, "unknown function '%s'; did you mean '%s'?", name, nearest.best);
  return WRONG(s, "unknown function '%s'", name);
}

static bool factor(parser *s, firn_quantity *out) {
  skip(s);
  if (++s->scope->depth > DEPTH_MOST) {
    s->scope->depth--;
    return WRONG(s, "'%.80s' is nested too deeply", s->text);
  }
  char name[NAME];
  bool good;
  double value;
  size_t reference = reference_read(s->p, name), digits = firn_number_read(s->p, SIZE_MAX, &value);
  if (*s->p == '(') {
    s->p++;
    good = sum(s, out);
    skip(s);
    if (good && *s->p++ != ')') good = WRONG(s, "')' is missing in '%.80s'", s->text);
  } else if (reference) {
    s->p += reference;
    good = variable_value(s, name, out) && note(s, FIRN_FORMULA_NUMBER, out->value);
  } else if (*s->p == '$') {
    good = WRONG(s, "'%.40s' is not a variable; write ${name}", s->p);
  } else if (digits) {
    s->p += digits;
    good = number(s, value, out);
  } else {
    good = word(s, out);
  }
  s->scope->depth--;
  return good;
}

// Powers bind tighter than a sign: -2^2 = -4.
static bool power(parser *s, firn_quantity *out) {
  bool minus = false;
  for (skip(s); *s->p == '-' || *s->p == '+'; skip(s))
    if (*s->p++ == '-') minus = !minus;
  if (!factor(s, out)) return false;
  if (minus) out->value = 2 * out->zero - out->value; // -5 degC lies below 0 degC
  out->zero = 0;
  skip(s);
  if (*s->p != '^') return !minus || note(s, FIRN_FORMULA_NEGATE, 0);
  char *end;
  long n = strtol(s->p + 1, &end, 10);
  if (end == s->p + 1 || n < -9 || n > 9)
    return WRONG(s, "expected a whole number from -9 to 9 behind ^ in '%.80s'", s->text);
  s->p = end;
  out->value = minus ? -pow(-out->value, (double)n) : pow(out->value, (double)n);
  for (int i = 0; i < FIRN_BASES; i++) {
    out->exponent[i] *= (int)n;
    if (abs(out->exponent[i]) > 100) return WRONG(s, "'%.80s' has no sensible unit", s->text);
  }
  if (!note(s, FIRN_FORMULA_POWER, (double)n)) return false;
  return (!minus || note(s, FIRN_FORMULA_NEGATE, 0)) && finite_result(s, out);
}

static bool product(parser *s, firn_quantity *out) {
  if (!power(s, out)) return false;
  for (;;) {
    skip(s);
    char op = *s->p;
    if (op != '*' && op != '/') return true;
    s->p++;
    firn_quantity next;
    if (!power(s, &next)) return false;
    if (op == '/' && next.value == 0 && !s->formula)
      return WRONG(s, "'%.80s' divides by zero", s->text);
    int side = op == '/' ? -1 : 1;
    out->value = op == '/' ? out->value / next.value : out->value * next.value;
    for (int i = 0; i < FIRN_BASES; i++) {
      out->exponent[i] += side * next.exponent[i];
      if (abs(out->exponent[i]) > 100) return WRONG(s, "'%.80s' has no sensible unit", s->text);
    }
    if (!note(s, op == '/' ? FIRN_FORMULA_DIVIDE : FIRN_FORMULA_MULTIPLY, 0)) return false;
    out->bare = plain(out) && (out->bare || next.bare);
    if (!finite_result(s, out)) return false;
  }
}

static bool sum(parser *s, firn_quantity *out) {
  if (!product(s, out)) return false;
  for (;;) {
    skip(s);
    char op = *s->p;
    if (op != '+' && op != '-') return true;
    s->p++;
    firn_quantity next;
    if (!product(s, &next)) return false;
    settle_bare(out, &next);
    if (!same_dimension(out, &next)) {
      char a[64], b[64];
      firn_quantity_words(out, a, sizeof a);
      firn_quantity_words(&next, b, sizeof b);
      return WRONG(s, "'%.80s' %s %s and %s", s->text, op == '+' ? "adds" : "subtracts", a, b);
    }
    out->value = op == '+' ? out->value + next.value : out->value - next.value;
    if (!note(s, op == '+' ? FIRN_FORMULA_ADD : FIRN_FORMULA_SUBTRACT, 0)) return false;
    if (!finite_result(s, out)) return false;
  }
}

static bool whole(parser *s, firn_quantity *out) {
  if (!sum(s, out)) return false;
  skip(s);
  // What follows a complete value is most often a unit: say so rather than "unexpected text".
  if (*s->p && symbol_char(*s->p))
    return WRONG(s, "unknown unit '%.40s' in '%.80s'", s->p, s->text);
  return !*s->p || WRONG(s, "'%.40s' is too much in '%.80s'", s->p, s->text);
}

static bool evaluate(firn_scope *scope, const char *text, firn_quantity *out, char *why,
                     size_t why_size) {
  parser s = {.scope = scope, .text = text, .p = text, .why = why, .why_size = why_size};
  return whole(&s, out);
}

// ---------------------------------------------------------------------------------- public part

bool firn_expression_is(const char *text) {
  if (strchr(text, '$') || strchr(text, '(')) return true;
  const char *word = text + (*text == '-');
  if (strncmp(word, "pi", 2) == 0 && !isalnum((unsigned char)word[2])) return true;
  // An operator with a number behind it; a sign at the start or in an exponent is none.
  double value;
  size_t start = firn_number_read(text, SIZE_MAX, &value);
  if (start == 0) return false;
  if (text[start] == '^') return true;
  for (const char *p = text + start; *p; p++) {
    if (!strchr("+-*/", *p) || p[-1] == '^') continue;
    const char *q = p + 1;
    while (*q == ' ') q++;
    if (isdigit((unsigned char)*q) || *q == '.' || !*q) return true;
  }
  return false;
}

bool firn_expression_read(firn_scope *scope, const char *text, firn_dimension want, double *out,
                          char *why, size_t why_size) {
  if (!firn_expression_is(text)) return firn_quantity_parse(text, want, out, why, why_size);
  firn_quantity q;
  if (!evaluate(scope, text, &q, why, why_size)) return false;
  if (!plain(&q) && !firn_quantity_fits(&q, want, text, why, why_size)) return false;
  *out = q.value;
  return true;
}

bool firn_expression_has_place(const char *text) {
  for (const char *p = text; *p;) {
    if (p[0] == '$' && p[1] == '{') {
      p += strcspn(p, "}");
    } else if (isalpha((unsigned char)*p) || *p == '_') {
      size_t length = 0;
      while (isalnum((unsigned char)p[length]) || p[length] == '_') length++;
      if (length == 1 && strchr("xyz", *p) && p[1] != '(') return true;
      p += length;
    } else {
      p++;
    }
  }
  return false;
}

bool firn_expression_compile(firn_scope *scope, const char *text, firn_dimension want,
                             firn_formula *out, char *why, size_t why_size) {
  bool good = false;
  // With metres first: of two slips the one in plain numbers is easier to explain.
  for (int metres = 1; metres >= 0 && !good; metres--) {
    parser s = {scope, text, text, why, why_size, out, metres};
    firn_quantity q;
    out->count = 0;
    good = whole(&s, &q) && (plain(&q) || firn_quantity_fits(&q, want, text, why, why_size)) &&
           (firn_formula_fits(out) || WRONG(&s, "'%.80s' is nested too deeply", text));
  }
  return good;
}

const firn_node *firn_scope_node(const firn_scope *scope, const char *text) {
  char name[NAME];
  size_t length = reference_read(text, name);
  return length && !text[length] ? variable_find(scope, name) : NULL;
}

// A variable in a text may itself hold variables; a few levels are plenty, and end cycles.
static const char *expand(firn_scope *scope, const char *text, int level, char *why,
                          size_t why_size) {
  const char *dollar = strstr(text, "${");
  if (!dollar) return text;
  parser s = {.scope = scope, .text = text, .p = text, .why = why, .why_size = why_size};
  char name[NAME];
  size_t length = reference_read(dollar, name);
  if (length == 0) {
    snprintf(why, why_size, "'%.40s' is not a variable; write ${name}", dollar);
    return NULL;
  }
  const firn_node *node = variable_find(scope, name);
  firn_quantity q;
  const char *value = NULL;
  if (level > 8 || ++scope->expansions > 20000) {
    snprintf(why, why_size, "the variable '%s' depends on itself", name);
  } else if (node && node->kind == FIRN_NODE_SCALAR) {
    value = expand(scope, node->text, level + 1, why, why_size);
  } else if (node) {
    snprintf(why, why_size, "the variable '%s' is %s, not a text", name, firn_node_kind_name(node));
  } else if (variable_value(&s, name, &q)) { // ${quality} in a title
    char digits[FIRN_NUMBER_SIZE];
    firn_number_format(digits, 6, q.value);
    value = firn_arena_format(scope->arena, "%s", digits);
  }
  const char *rest = value ? expand(scope, dollar + length, level, why, why_size) : NULL;
  if (!rest) return NULL;
  if (strlen(value) + strlen(rest) > 10000) {
    snprintf(why, why_size, "the text grows too long");
    return NULL;
  }
  return firn_arena_format(scope->arena, "%.*s%s%s", (int)(dollar - text), text, value, rest);
}

const char *firn_scope_expand(firn_scope *scope, const char *text, char *why, size_t why_size) {
  *why = 0;
  if (strlen(text) > 10000 && strstr(text, "${")) {
    snprintf(why, why_size, "the text is too long for variables");
    return NULL;
  }
  return expand(scope, text, 0, why, why_size);
}
