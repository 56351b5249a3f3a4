// SPDX-License-Identifier: Apache-2.0
// Rows that describe a def: its defaults, and what it may hold, in every type of C that one may have.
#include "base/schema.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"

typedef enum { RED, GREEN, BLUE } color;

typedef struct things {
  bool on;
  bool late; // "early|late"
  color hue;
  int count;
  double length, pair[2], place[3];
  int untouched;
} things;

#define AT(member) FIRN_SCHEMA_AT(things, member)

static const firn_schema_row rows[] = {
    {.key = "on", .type = FIRN_TYPE_BOOL, .initial = "true", AT(on)},
    {.key = "when", .type = FIRN_TYPE_ENUM, .choices = "early|late", .initial = "late", AT(late)},
    {.key = "hue", .type = FIRN_TYPE_ENUM, .choices = "red|green|blue", .initial = "blue", AT(hue)},
    {.key = "count", .type = FIRN_TYPE_INT, .range = "[1, 9]", .initial = "7", AT(count)},
    {.key = "length",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, 0.5]",
     .initial = "2.5 mm",
     AT(length)},
    {.key = "pair", .type = FIRN_TYPE_RANGE, .range = "[0, 2)", .initial = "[0.25, 1]", AT(pair)},
    {.key = "place", .type = FIRN_TYPE_VEC3, .initial = "[-1, .5, 2e2]", AT(place)},
    {.key = "elsewhere", .type = FIRN_TYPE_REAL, .initial = "3"},
};
static const firn_schema_record record = {"things", FIRN_SCHEMA_ROWS(rows)};

static things defaults(void) {
  things t = {.untouched = -5};
  firn_schema_defaults(&record, &t);
  return t;
}

static void defaults_are_what_the_rows_say(void **state) {
  (void)state;
  things t = defaults();
  assert_true(t.on && t.late);
  assert_int_equal(t.hue, BLUE);
  assert_int_equal(t.count, 7);
  assert_true(t.length == 2.5e-3 && t.pair[0] == 0.25 && t.pair[1] == 1);
  assert_true(t.place[0] == -1 && t.place[1] == 0.5 && t.place[2] == 200);
  assert_int_equal(t.untouched, -5);
}

// A program in a country with decimal commas gets the same numbers.
static void defaults_do_not_depend_on_the_locale(void **state) {
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
  const char *before = setlocale(LC_NUMERIC, NULL), *found = NULL;
  char kept[64];
  snprintf(kept, sizeof kept, "%s", before);
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
    found = setlocale(LC_NUMERIC, names[i]);
  things t = defaults();
  firn_interval in = firn_interval_parse("(0.25, 0.5]");
  setlocale(LC_NUMERIC, kept);
  assert_true(t.length == 2.5e-3 && t.place[1] == 0.5);
  assert_true(in.least == 0.25 && in.most == 0.5 && in.open_least && !in.open_most);
}

static void what_a_row_does_not_allow_is_refused_by_name(void **state) {
  (void)state;
  things good = defaults();
  assert_int_equal(firn_schema_check(context, "box", &record, &good), FIRN_OK);
  const double nan = (double)NAN;
  const struct {
    things def;
    const char *key;
  } wrong[] = {
      {{.hue = (color)3, .count = 7, .length = 0.1}, "hue = 3"},
      {{.hue = (color)-1, .count = 7, .length = 0.1}, "hue = -1"},
      {{.count = 0, .length = 0.1}, "count = 0"},
      {{.count = 10, .length = 0.1}, "count = 10"},
      {{.count = 7, .length = 0}, "length = 0 must lie in (0, 0.5]"},
      {{.count = 7, .length = nan}, "length = "},
      {{.count = 7, .length = 0.1, .pair = {1, 2}}, "pair = 2"},
      {{.count = 7, .length = 0.1, .place = {0, 0, nan}}, "place"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    assert_int_equal(firn_schema_check(context, "box", &record, &wrong[i].def),
                     FIRN_ERROR_ARGUMENT);
    const char *message = firn_context_message(context);
    if (strncmp(message, "box: ", 5) != 0 || !strstr(message, wrong[i].key))
      fail_msg("'%s' does not name %s", message, wrong[i].key);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_what_the_rows_say),
      cmocka_unit_test(defaults_do_not_depend_on_the_locale),
      cmocka_unit_test(what_a_row_does_not_allow_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
