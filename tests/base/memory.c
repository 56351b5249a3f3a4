// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/books.h"

static firn_context *create(books *b) {
  firn_context *context = NULL;
  assert_int_equal(books_context(b, 1, &context), FIRN_OK);
  return context;
}

static void every_byte_is_counted_and_given_back(void **state) {
  (void)state;
  books b = {0};
  firn_context *context = create(&b);
  size_t own = b.bytes; // the context itself, which it does not count
  assert_int_equal(firn_context_bytes(context), 0);

  char *first = firn_alloc(context, 1000, "first");
  char *second = firn_alloc_zero(context, 500, "second");
  assert_int_equal(firn_context_bytes(context), 1500);
  assert_int_equal(b.bytes, own + 1500);
  for (int i = 0; i < 500; i++) assert_int_equal(second[i], 0);
  for (int i = 0; i < 1000; i++) first[i] = (char)i;

  first = firn_resize(context, first, 1000, 3000, "first");
  for (int i = 0; i < 1000; i++) assert_int_equal(first[i], (char)i);
  assert_int_equal(firn_context_bytes(context), 3500);
  first = firn_resize(context, first, 3000, 10, "first");
  for (int i = 0; i < 10; i++) assert_int_equal(first[i], (char)i);
  assert_int_equal(firn_context_bytes(context), 510);
  assert_int_equal(firn_context_peak_bytes(context), 3500);

  firn_free(context, first, 10);
  firn_free(context, second, 500);
  firn_free(context, NULL, 0);
  assert_int_equal(firn_context_bytes(context), 0);
  assert_int_equal(firn_context_peak_bytes(context), 3500);
  firn_context_destroy(context);
  assert_int_equal(b.bytes, 0);
  assert_int_equal(b.blocks, 0);
  assert_int_equal(b.wrong, 0);
}

static void nothing_asked_is_nothing_allocated(void **state) {
  (void)state;
  books b = {0};
  firn_context *context = create(&b);
  size_t calls = b.calls;
  assert_null(firn_alloc(context, 0, "nothing"));
  assert_null(firn_alloc_zero(context, 0, "nothing"));
  assert_int_equal(b.calls, calls);
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static void blocks_of_the_default_allocator_are_aligned(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  for (size_t size = 1; size < 1000; size = size * 3 + 1) {
    char *p = firn_alloc(context, size, "block");
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 64, 0);
    memset(p, 7, size);
    p = firn_resize(context, p, size, 2 * size, "block");
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 64, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 7);
    firn_free(context, p, 2 * size);
  }
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static void a_refused_block_is_named_and_the_old_one_stays(void **state) {
  (void)state;
  books b = {0};
  firn_context *context = create(&b);
  char *p = firn_alloc(context, 100, "grid");
  memset(p, 3, 100);
  b.refuse_at = b.calls + 1;
  assert_null(firn_resize(context, p, 100, 777, "grid nodes"));
  assert_non_null(strstr(firn_context_message(context), "grid nodes"));
  assert_non_null(strstr(firn_context_message(context), "777"));
  assert_int_equal(firn_context_bytes(context), 100);
  for (int i = 0; i < 100; i++) assert_int_equal(p[i], 3);
  b.refuse_at = b.calls + 1;
  assert_null(firn_alloc_zero(context, 50, "more"));
  assert_int_equal(firn_context_bytes(context), 100);
  firn_free(context, p, 100);
  firn_context_destroy(context);
  assert_int_equal(b.bytes, 0);
}

static void a_size_that_no_machine_has_is_refused(void **state) {
  (void)state;
  volatile size_t most = SIZE_MAX; // hidden from the compiler's own warning
  firn_context_def def = firn_default_context_def();
  firn_context *context = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_null(firn_alloc(context, most, "everything")); // would round up to 0
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);

  books b = {0};
  context = create(&b);
  firn_buffer buffer = {0};
  assert_int_equal(firn_buffer_reserve(context, &buffer, 100, "buffer"), FIRN_OK);
  size_t size = most / 65 * 64 + 64; // what growth adds to this would wrap around to a few bytes
  assert_int_equal(firn_buffer_reserve(context, &buffer, size, "buffer"), FIRN_ERROR_MEMORY);
  firn_context_destroy(context);
  assert_int_equal(b.bytes, 0);
}

static void a_context_without_memory_is_not_made(void **state) {
  (void)state;
  books b = {.refuse_at = 1};
  firn_context *context = (firn_context *)&b;
  assert_int_equal(books_context(&b, 1, &context), FIRN_ERROR_MEMORY);
  assert_null(context);
  assert_int_equal(b.bytes, 0);
}

static void a_buffer_grows_ahead_and_never_shrinks(void **state) {
  (void)state;
  books b = {0};
  firn_context *context = create(&b);
  firn_buffer buffer = {0};
  assert_int_equal(firn_buffer_reserve(context, &buffer, 0, "buffer"), FIRN_OK);
  assert_null(buffer.data);
  assert_int_equal(firn_buffer_reserve(context, &buffer, 800, "buffer"), FIRN_OK);
  assert_int_equal(buffer.size, 800); // exact at first
  void *data = buffer.data;
  size_t calls = b.calls;
  assert_int_equal(firn_buffer_reserve(context, &buffer, 100, "buffer"), FIRN_OK);
  assert_ptr_equal(buffer.data, data);
  assert_int_equal(firn_buffer_reserve(context, &buffer, 1600, "buffer"), FIRN_OK);
  assert_int_equal(buffer.size, 1625);
  assert_int_equal(firn_buffer_reserve(context, &buffer, 1625, "buffer"), FIRN_OK);
  assert_int_equal(b.calls, calls + 1);
  assert_int_equal(firn_context_bytes(context), 1625);
  assert_int_equal(firn_context_peak_bytes(context), 1625); // the old one went first

  b.refuse_at = b.calls + 1;
  assert_int_equal(firn_buffer_reserve(context, &buffer, 5000, "buffer"), FIRN_ERROR_MEMORY);
  assert_null(buffer.data);
  assert_int_equal(buffer.size, 0);
  assert_int_equal(firn_context_bytes(context), 0);
  assert_int_equal(firn_buffer_reserve(context, &buffer, 10, "buffer"), FIRN_OK); // and recovers
  firn_buffer_free(context, &buffer);
  firn_buffer_free(context, &buffer);
  assert_null(buffer.data);
  firn_context_destroy(context);
  assert_int_equal(b.bytes, 0);
  assert_int_equal(b.wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_byte_is_counted_and_given_back),
      cmocka_unit_test(nothing_asked_is_nothing_allocated),
      cmocka_unit_test(blocks_of_the_default_allocator_are_aligned),
      cmocka_unit_test(a_refused_block_is_named_and_the_old_one_stays),
      cmocka_unit_test(a_size_that_no_machine_has_is_refused),
      cmocka_unit_test(a_context_without_memory_is_not_made),
      cmocka_unit_test(a_buffer_grows_ahead_and_never_shrinks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
