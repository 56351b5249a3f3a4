// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

typedef struct {
  const char *name;
  signed char exponent[FIRN_BASES];
  const char *unit;
} dimension_info;

static const dimension_info dimensions[] = {
#define INFO(id, name, kg, m, s, k, rad, unit) {name, {kg, m, s, k, rad}, unit},
    FIRN_DIMENSION_LIST(INFO)
#undef INFO
};

const char *firn_dimension_name(firn_dimension dimension) {
  if (dimension == FIRN_DIM_ANY) return "a number";
  return dimensions[dimension].name;
}

const char *firn_dimension_unit(firn_dimension dimension) {
  if (dimension == FIRN_DIM_ANY) return "";
  return dimensions[dimension].unit;
}

#define PI 3.14159265358979323846

typedef struct {
  const char *symbol;
  double scale; // to SI
  signed char exponent[FIRN_BASES];
  bool prefixed; // takes k, M, m and so on
} atom;

static const atom atoms[] = {
    {"m", 1, {0, 1, 0, 0, 0}, true},
    {"g", 1e-3, {1, 0, 0, 0, 0}, true},
    {"s", 1, {0, 0, 1, 0, 0}, true},
    {"K", 1, {0, 0, 0, 1, 0}, true},
    {"N", 1, {1, 1, -2, 0, 0}, true},
    {"Pa", 1, {1, -1, -2, 0, 0}, true},
    {"J", 1, {1, 2, -2, 0, 0}, true},
    {"W", 1, {1, 2, -3, 0, 0}, true},
    {"Hz", 1, {0, 0, -1, 0, 0}, true},
    {"rad", 1, {0, 0, 0, 0, 1}, false},
    {"deg", PI / 180, {0, 0, 0, 0, 1}, false},
    {"\302\260", PI / 180, {0, 0, 0, 0, 1}, false}, // the degree sign
    {"rev", 2 * PI, {0, 0, 0, 0, 1}, false},
    {"rpm", 2 * PI / 60, {0, 0, -1, 0, 1}, false},
    {"min", 60, {0, 0, 1, 0, 0}, false},
    {"h", 3600, {0, 0, 1, 0, 0}, false},
    {"t", 1000, {1, 0, 0, 0, 0}, false},
    {"bar", 1e5, {1, -1, -2, 0, 0}, false},
    {"%", 0.01, {0, 0, 0, 0, 0}, false},
    {"1", 1, {0, 0, 0, 0, 0}, false}, // the 1 of "1/s"
};

static const struct {
  const char *symbol;
  double scale;
} prefixes[] = {{"n", 1e-9}, {"u", 1e-6}, {"\302\265", 1e-6}, {"m", 1e-3}, {"c", 1e-2},
                {"d", 1e-1}, {"h", 1e2},  {"k", 1e3},         {"M", 1e6},  {"G", 1e9}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const atom *atom_find(const char *name, size_t length) {
  for (size_t i = 0; i < COUNT(atoms); i++)
    if (strlen(atoms[i].symbol) == length && memcmp(atoms[i].symbol, name, length) == 0)
      return &atoms[i];
  return NULL;
}

// One symbol, with or without a prefix. "min" is a minute and "h" an hour: whole symbols win.
static const atom *symbol_find(const char *name, size_t length, double *scale) {
  const atom *found = atom_find(name, length);
  if (found) {
    *scale = found->scale;
    return found;
  }
  for (size_t i = 0; i < COUNT(prefixes); i++) {
    size_t n = strlen(prefixes[i].symbol);
    if (length <= n || memcmp(prefixes[i].symbol, name, n) != 0) continue;
    found = atom_find(name + n, length - n);
    if (found && found->prefixed) {
      *scale = prefixes[i].scale * found->scale;
      return found;
    }
  }
  return NULL;
}

static bool symbol_char(char c) {
  return isalpha((unsigned char)c) || (unsigned char)c >= 0x80 || c == '%';
}

// Words that people write in place of a symbol.
static const struct {
  const char *word, *symbol;
} words[] = {{"degree", "deg"}, {"degrees", "deg"}, {"meter", "m"},    {"meters", "m"},
             {"metre", "m"},    {"metres", "m"},    {"second", "s"},   {"seconds", "s"},
             {"sec", "s"},      {"fps", "Hz"},      {"radians", "rad"}};

static bool unknown(const char *text, char *why, size_t why_size) {
  for (size_t i = 0; i < COUNT(words); i++) {
    if (strcmp(text, words[i].word) != 0) continue;
    snprintf(why, why_size, "unknown unit '%s', did you mean '%s'?", text, words[i].symbol);
    return false;
  }
  if (*text == '/')
    snprintf(why, why_size, "unknown unit '%s', did you mean '1%s'?", text, text);
  else
    snprintf(why, why_size, "unknown unit '%s'", text);
  return false;
}

// UNIT = SYMBOL[^N] { (" " | "*" | "/") SYMBOL[^N] }, read from left to right: "kg/m s" is
// kg s/m, as in the usual calculators; nobody is made to guess, since the dimension is checked.
bool firn_unit_parse(const char *text, firn_quantity *out, char *why, size_t why_size) {
  *out = (firn_quantity){.value = 1};
  if (strcmp(text, "degC") == 0 || strcmp(text, "\302\260C") == 0) {
    *out = (firn_quantity){.value = 1, .zero = 273.15, .exponent = {0, 0, 0, 1, 0}};
    return true;
  }
  const char *p = text;
  int side = 1;
  for (bool first = true; *p; first = false) {
    if (!first) {
      while (*p == ' ') p++;
      side = *p == '/' ? -1 : 1;
      if (*p == '/' || *p == '*') p++;
      while (*p == ' ') p++;
    }
    const char *start = p;
    if (*p == '1')
      p++;
    else
      while (symbol_char(*p)) p++;
    double factor;
    const atom *a = symbol_find(start, (size_t)(p - start), &factor);
    if (!a) return unknown(text, why, why_size);
    int power = 1;
    if (*p == '^') {
      char *end;
      long n = strtol(p + 1, &end, 10);
      if (end == p + 1 || n < -9 || n > 9 || n == 0) return unknown(text, why, why_size);
      power = (int)n;
      p = end;
    }
    out->value *= pow(factor, side * power);
    for (int i = 0; i < FIRN_BASES; i++) out->exponent[i] += side * power * a->exponent[i];
  }
  return true;
}

// The dimension with these exponents, or FIRN_DIM_COUNT.
static firn_dimension dimension_find(const int exponent[FIRN_BASES]) {
  for (int d = 0; d < FIRN_DIM_COUNT; d++) {
    bool same = true;
    for (int i = 0; i < FIRN_BASES; i++) same = same && dimensions[d].exponent[i] == exponent[i];
    if (same) return (firn_dimension)d;
  }
  return FIRN_DIM_COUNT;
}

void firn_quantity_words(const firn_quantity *quantity, char *text, size_t size) {
  firn_dimension is = dimension_find(quantity->exponent);
  if (is != FIRN_DIM_COUNT) {
    snprintf(text, size, "%s", dimensions[is].name);
    return;
  }
  static const char *const bases[FIRN_BASES] = {"kg", "m", "s", "K", "rad"};
  size_t used = 0;
  for (int i = 0; i < FIRN_BASES && used < size; i++) {
    if (quantity->exponent[i] == 0) continue;
    int n = quantity->exponent[i] == 1
                ? snprintf(text + used, size - used, "%s%s", used ? " " : "", bases[i])
                : snprintf(text + used, size - used, "%s%s^%d", used ? " " : "", bases[i],
                           quantity->exponent[i]);
    used += (size_t)n;
  }
}

bool firn_quantity_fits(const firn_quantity *quantity, firn_dimension want, const char *text,
                        char *why, size_t why_size) {
  if (want == FIRN_DIM_ANY) return true;
  for (int i = 0; i < FIRN_BASES; i++) {
    if (quantity->exponent[i] == dimensions[want].exponent[i]) continue;
    firn_dimension is = dimension_find(quantity->exponent);
    if (is == FIRN_DIM_COUNT)
      snprintf(why, why_size, "'%.80s' has the wrong unit", text);
    else
      snprintf(why, why_size, "'%.80s' is %s", text, dimensions[is].name);
    return false;
  }
  return true;
}

static const char *const infinities[] = {".inf", "inf", "+.inf", "+inf", ".Inf", ".INF"}; // or -

bool firn_quantity_parse(const char *text, firn_dimension dimension, double *out, char *why,
                         size_t why_size) {
  bool minus = *text == '-';
  for (size_t i = 0; i < COUNT(infinities); i++)
    if (strcmp(text + minus, infinities[i]) == 0) {
      *out = minus ? -INFINITY : INFINITY;
      return true;
    }
  double value;
  size_t length = firn_number_read(text, SIZE_MAX, &value);
  if (length == 0) {
    bool nan = strcasecmp(text, ".nan") == 0 || strcasecmp(text, "nan") == 0;
    snprintf(why, why_size, nan ? "%s is not a usable number" : "'%s' is not a number",
             *text ? text : "(nothing)");
    return false;
  }
  if (!isfinite(value)) {
    snprintf(why, why_size, "%s is too large for a number", text);
    return false;
  }
  const char *unit = text + length;
  while (*unit == ' ') unit++;
  if (!*unit) {
    *out = value;
    return true;
  }

  firn_quantity quantity;
  if (!firn_unit_parse(unit, &quantity, why, why_size)) return false;
  if (!firn_quantity_fits(&quantity, dimension, text, why, why_size)) return false;
  if (dimension == FIRN_DIM_ANY && quantity.zero != 0) {
    snprintf(why, why_size, "'%.80s' is a point of a scale; say differences in K", text);
    return false;
  }
  *out = value * quantity.value + quantity.zero;
  if (isfinite(*out)) return true;
  snprintf(why, why_size, "%s is too large for a number", text);
  return false;
}
