// SPDX-License-Identifier: Apache-2.0
#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/def.h"
#include "base/isa.h"
#include "base/team.h"

static void *resize_default(void *user, void *p, size_t old_size, size_t size) {
  (void)user;
  if (!size) {
    free(p);
    return NULL;
  }
  if (size > SIZE_MAX - 63) return NULL;
  void *result = aligned_alloc(64, (size + 63) / 64 * 64);
  if (result && p) {
    memcpy(result, p, old_size < size ? old_size : size);
    free(p);
  }
  return result;
}

FIRN_DEFAULTS(context_def) {
  return (firn_context_def){.threads = 0, .isa = FIRN_ISA_AUTO};
}

// The shares of its threads lie behind it, and then the threads.
static size_t size_of(int threads) {
  return sizeof(firn_context) + (size_t)threads * (sizeof(firn_share) + sizeof(firn_team_worker));
}

firn_status firn_context_create(const firn_context_def *given, firn_context **out) {
  if (!given || !out) return FIRN_ERROR_ARGUMENT;
  *out = NULL;
  FIRN_TAKE(NULL, context_def, given, own);
  const firn_context_def *def = &own;
  if (def->threads < 0 || def->threads > 4096) return FIRN_ERROR_ARGUMENT;
  if (!firn_isa_available(def->isa)) return FIRN_ERROR_UNSUPPORTED;
  firn_resize_fn resize = def->resize ? def->resize : resize_default;
  int threads = def->threads ? def->threads : firn_team_processors();
  firn_context *context = resize(def->resize_user, NULL, 0, size_of(threads));
  if (!context) return FIRN_ERROR_MEMORY;
  memset(context, 0, size_of(threads));
  context->resize = resize;
  context->resize_user = def->resize_user;
  context->log = def->log;
  context->log_user = def->log_user;
  context->activity = def->activity;
  context->activity_user = def->activity_user;
  context->stop = def->stop;
  context->stop_user = def->stop_user;
  context->threads = threads;
  context->include_outside = def->include_outside;
  context->share = (firn_share *)(context + 1);
  firn_team_init(&context->team, threads, (firn_team_worker *)(context->share + threads));
  context->isa = def->isa == FIRN_ISA_AUTO ? firn_isa_best() : def->isa;
  *out = context;
  return FIRN_OK;
}

void firn_context_destroy(firn_context *context) {
  if (!context) return;
  firn_team_end(&context->team);
  context->resize(context->resize_user, context, size_of(context->threads), 0);
}

const char *firn_context_message(const firn_context *context) {
  return context
             ? context->message
             : "there is no context; firn_context_create makes one, of 0 to 4096 threads and an "
               "instruction set that this machine has";
}

size_t firn_context_bytes(const firn_context *context) {
  if (!context) return 0;
  return __atomic_load_n(&context->bytes, __ATOMIC_RELAXED);
}

size_t firn_context_peak_bytes(const firn_context *context) {
  if (!context) return 0;
  return __atomic_load_n(&context->peak, __ATOMIC_RELAXED);
}

int firn_context_threads(const firn_context *context) {
  return context ? context->threads : 0;
}

firn_isa firn_context_isa(const firn_context *context) {
  return context ? context->isa : FIRN_ISA_AUTO;
}

firn_status firn_fail(firn_context *context, firn_status status, const char *format, ...) {
  if (!context) return status;
  va_list arguments;
  va_start(arguments, format);
  char message[FIRN_MESSAGE_SIZE];
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  firn_escape(message, context->message, sizeof context->message);
  if (context->log) context->log(context->log_user, FIRN_LOG_ERROR, context->message);
  return status;
}

firn_status firn_fail_null(firn_context *context, const char *function) {
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: an argument is NULL", function);
}

void firn_note(firn_context *context, firn_log_level level, const char *format, ...) {
  if (!context || !context->log) return;
  char raw[FIRN_MESSAGE_SIZE], message[FIRN_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  firn_escape(raw, message, sizeof message);
  context->log(context->log_user, level, message);
}

firn_status firn_check_stop(firn_context *context) {
  if (!context->stop || !context->stop(context->stop_user)) return FIRN_OK;
  return firn_fail(context, FIRN_CANCELLED, "stopped by the caller");
}

void firn_doing(firn_context *context, size_t done, size_t total, const char *format, ...) {
  if (!context || !context->activity) return;
  char raw[FIRN_MESSAGE_SIZE], what[FIRN_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  firn_escape(raw, what, sizeof what);
  const firn_activity activity = {.what = what, .done = done, .total = total};
  context->activity(context->activity_user, &activity);
}
