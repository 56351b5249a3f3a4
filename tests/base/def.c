// SPDX-License-Identifier: Apache-2.0
// What begins a def is its size, and what cannot be one is refused. (install/older.sh has programs of other
// versions.)
#include "base/def.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct thing {
  size_t size;
  double first, second;
} thing;

static firn_context *make_context(void) {
  const firn_context_def def = firn_default_context_def();
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

static firn_status take(firn_context *context, size_t size, thing *own) {
  const struct {
    thing it;
    double later[2]; // of a longer version, and not in use
  } given = {.it = {size, 1, 2}};
  *own = (thing){sizeof *own, 7, 7};
  return firn_def_take(context, "firn_thing", &given, own, sizeof *own);
}

static void a_size_that_no_def_has_is_refused_by_name(void **state) {
  (void)state;
  firn_context *context = make_context();
  const size_t none[] = {0, 1, sizeof(size_t), sizeof(size_t) + 4, 1u << 20, SIZE_MAX - 7};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    char text[100];
    thing own;
    assert_int_equal(take(context, none[i], &own), FIRN_ERROR_ARGUMENT);
    snprintf(text, sizeof text, "firn_thing: size is %zu; begin with what", none[i]);
    assert_non_null(strstr(firn_context_message(context), text));
    assert_true(own.first == 7 && own.second == 7); // nothing was taken over
  }
  firn_context_destroy(context);
}

static void shorter_and_longer_ones_are_taken(void **state) {
  (void)state;
  firn_context *context = make_context();
  thing own;
  assert_int_equal(take(context, offsetof(thing, second), &own), FIRN_OK);
  assert_true(own.size == sizeof own && own.first == 1 && own.second == 7);
  assert_int_equal(take(context, sizeof own, &own), FIRN_OK);
  assert_true(own.first == 1 && own.second == 2);
  assert_int_equal(take(context, sizeof own + sizeof(double), &own), FIRN_OK);
  assert_true(own.size == sizeof own && own.first == 1 && own.second == 2);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_size_that_no_def_has_is_refused_by_name),
      cmocka_unit_test(shorter_and_longer_ones_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
