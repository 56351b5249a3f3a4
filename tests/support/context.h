// SPDX-License-Identifier: Apache-2.0
// A context of two threads that must hold nothing at the end: open_context and close_context are
// setup and teardown of a test or of a group.
#ifndef FIRN_TESTS_SUPPORT_CONTEXT_H
#define FIRN_TESTS_SUPPORT_CONTEXT_H

#include <firn/firn.h>

static firn_context *context;

static inline int open_context(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 2;
  return firn_context_create(&def, &context) != FIRN_OK;
}

static inline int close_context(void **state) {
  (void)state;
  size_t bytes = firn_context_bytes(context);
  firn_context_destroy(context);
  return bytes != 0;
}

#endif
