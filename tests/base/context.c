// SPDX-License-Identifier: Apache-2.0
// Contexts, messages and the list of statuses.
#include "base/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"

static void every_status_has_a_name_and_a_text_of_its_own(void **state) {
  (void)state;
  assert_int_equal(FIRN_OK, 0);
  assert_string_equal(firn_status_name(FIRN_OK), "FIRN_OK");
  assert_string_equal(firn_status_name(FIRN_ERROR_IO), "FIRN_ERROR_IO");
  assert_string_equal(firn_status_text(FIRN_ERROR_MEMORY), "out of memory");
  for (int i = 0; i < FIRN_STATUS_COUNT; i++) {
    const char *name = firn_status_name((firn_status)i), *text = firn_status_text((firn_status)i);
    assert_int_equal(strncmp(name, "FIRN_", 5), 0);
    assert_true(strlen(text) > 1);
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(name, firn_status_name((firn_status)j));
      assert_string_not_equal(text, firn_status_text((firn_status)j));
    }
  }
}

static void a_status_that_is_none_is_called_unknown(void **state) {
  (void)state;
  const int others[] = {FIRN_STATUS_COUNT, FIRN_STATUS_COUNT + 1};
  for (int i = 0; i < 2; i++) {
    assert_string_equal(firn_status_name((firn_status)others[i]), "unknown status");
    assert_string_equal(firn_status_text((firn_status)others[i]), "unknown status");
  }
}

static void version_and_precision_are_those_of_the_header(void **state) {
  (void)state;
  char version[64];
  snprintf(version, sizeof version, "%d.%d.%d", FIRN_VERSION_MAJOR, FIRN_VERSION_MINOR,
           FIRN_VERSION_PATCH);
  assert_string_equal(firn_version(), version);
#ifdef FIRN_DOUBLE
  assert_string_equal(firn_precision(), "double");
#else
  assert_string_equal(firn_precision(), "float");
#endif
}

static void defaults_are_filled_in(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_true(firn_context_threads(context) >= 1);
  assert_int_equal(firn_context_isa(context), firn_isa_best());
  assert_string_equal(firn_context_message(context), "");
  firn_context_destroy(context);

  def.threads = 7;
  def.isa = FIRN_ISA_SCALAR;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(firn_context_threads(context), 7);
  assert_int_equal(firn_context_isa(context), FIRN_ISA_SCALAR);
  firn_context_destroy(context);
}

static void bad_defs_are_refused(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(NULL, &context), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_context_create(&def, NULL), FIRN_ERROR_ARGUMENT);
  const int threads[] = {-1, 1 << 20};
  for (int i = 0; i < 2; i++) {
    def.threads = threads[i];
    context = (firn_context *)&def;
    assert_int_equal(firn_context_create(&def, &context), FIRN_ERROR_ARGUMENT);
    assert_null(context);
  }
  def.threads = 1;
  def.isa = (firn_isa)99;
  assert_int_equal(firn_context_create(&def, &context), FIRN_ERROR_UNSUPPORTED);
  firn_context_destroy(NULL);
}

typedef struct heard {
  int count;
  firn_log_level level;
  char message[2 * FIRN_MESSAGE_SIZE];
} heard;

static void hear(void *user, firn_log_level level, const char *message) {
  heard *h = user;
  h->count++;
  h->level = level;
  snprintf(h->message, sizeof h->message, "%s", message);
}

static firn_status fails(firn_context *context) {
  FIRN_TRY(firn_fail(context, FIRN_ERROR_DOMAIN, "particle %d left at x = %g m", 42, 1.5));
  return FIRN_OK;
}

static void a_failure_keeps_its_message_and_is_heard(void **state) {
  (void)state;
  heard h = {0};
  firn_context_def def = firn_default_context_def();
  def.log = hear;
  def.log_user = &h;
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(fails(context), FIRN_ERROR_DOMAIN);
  assert_string_equal(firn_context_message(context), "particle 42 left at x = 1.5 m");
  assert_string_equal(h.message, firn_context_message(context));
  assert_int_equal(h.level, FIRN_LOG_ERROR);

  firn_note(context, FIRN_LOG_INFO, "sorted %d", 3);
  assert_string_equal(h.message, "sorted 3");
  assert_int_equal(h.level, FIRN_LOG_INFO);
  assert_int_equal(h.count, 2);
  assert_string_equal(firn_context_message(context), "particle 42 left at x = 1.5 m");
  firn_context_destroy(context);

  assert_int_equal(fails(NULL), FIRN_ERROR_DOMAIN);
  firn_note(NULL, FIRN_LOG_INFO, "nobody hears");
  assert_non_null(strstr(firn_context_message(NULL), "0 to 4096 threads"));
}

static void a_long_message_is_cut_not_overrun(void **state) {
  (void)state;
  heard h = {0};
  firn_context_def def = firn_default_context_def();
  def.log = hear;
  def.log_user = &h;
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  char name[3 * FIRN_MESSAGE_SIZE];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  assert_int_equal(firn_fail(context, FIRN_ERROR_IO, "%s", name), FIRN_ERROR_IO);
  assert_int_equal(strlen(firn_context_message(context)), FIRN_MESSAGE_SIZE - 1);
  firn_note(context, FIRN_LOG_WARNING, "%s", name);
  assert_int_equal(strlen(h.message), FIRN_MESSAGE_SIZE - 1);
  firn_context_destroy(context);
}

// Names of files and keys of scenes are of others: none of them steers a terminal, or begins a line.
static void text_of_others_is_escaped(void **state) {
  (void)state;
  static const struct {
    const char *text, *escaped;
  } cases[] = {
      {"Caf\xc3\xa9 \xe9\x9b\xaa \xf0\x9f\x8c\xa8 a\\b",
       "Caf\xc3\xa9 \xe9\x9b\xaa \xf0\x9f\x8c\xa8 a\\b"},
      {"a\nfirn: ok\tb\r", "a\\nfirn: ok\\tb\\x0d"},
      {"\x1b[2J\x7f\x01", "\\x1b[2J\\x7f\\x01"},
      {"\xc2\x9b"
       "31m",
       "\\u009b31m"}, // C1: CSI in one character
      {"\xe2\x80\xae"
       "dlrow",
       "\\u202edlrow"},                                        // from right to left
      {"\xff\x80 \xc3", "\\xff\\x80 \\xc3"},                   // no UTF-8, cut short
      {"\xc0\xaf \xe0\x80\xaf", "\\xc0\\xaf \\xe0\\x80\\xaf"}, // longer than need be
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                     // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},            // beyond the last
  };
  firn_context_def def = firn_default_context_def();
  heard h = {0};
  def.log = hear;
  def.log_user = &h;
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[100];
    size_t length = firn_escape(cases[i].text, out, sizeof out);
    assert_string_equal(out, cases[i].escaped);
    assert_int_equal(length, strlen(out));
    firn_fail(context, FIRN_ERROR_IO, "%s", cases[i].text);
    assert_string_equal(firn_context_message(context), cases[i].escaped);
    firn_fail(context, FIRN_ERROR_IO, "again: %s", firn_context_message(context)); // once only
    assert_string_equal(firn_context_message(context) + 7, cases[i].escaped);
    firn_note(context, FIRN_LOG_WARNING, "%s", cases[i].text);
    assert_string_equal(h.message, cases[i].escaped);
    for (size_t size = 1; size <= strlen(out); size++) { // whole escapes and characters, or none
      char cut[100];
      length = firn_escape(cases[i].text, cut, size);
      assert_true(length < size && strncmp(cut, out, length) == 0 && !cut[length]);
    }
  }
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_a_name_and_a_text_of_its_own),
      cmocka_unit_test(a_status_that_is_none_is_called_unknown),
      cmocka_unit_test(version_and_precision_are_those_of_the_header),
      cmocka_unit_test(defaults_are_filled_in),
      cmocka_unit_test(bad_defs_are_refused),
      cmocka_unit_test(a_failure_keeps_its_message_and_is_heard),
      cmocka_unit_test(a_long_message_is_cut_not_overrun),
      cmocka_unit_test(text_of_others_is_escaped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
