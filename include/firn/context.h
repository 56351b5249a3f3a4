// SPDX-License-Identifier: Apache-2.0
// Context: memory, threads, messages.
#ifndef FIRN_CONTEXT_H
#define FIRN_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <firn/status.h>

#if defined(__GNUC__)
#define FIRN_API __attribute__((visibility("default")))
#else
#define FIRN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Structs and versions. A newer library of the same soname serves a program that was compiled against an
// older one, although structs have grown at their ends since:
//   - A def that a program hands over begins with its size, which firn_default_..._def() has put there; what
//     the program does not know of has the library's default. One with more in it than the library knows
//     is refused with FIRN_ERROR_UNSUPPORTED, unless that is all 0.
//   - A struct that the library fills comes with its size, by the inline functions of these headers; what the
//     program does not know of is left out. Other languages call the function they stand for, ..._sized.
//   - Structs that are part of others, of arrays, or returned by a function of the library keep their
//     size, and have room where that may be too little: shapes, motions, loads, probes, looks, cameras,
//     lights and cuts.
//   - A struct that may grow has no gap at its end, where a short member would leave its size as it was:
//     `reserved` fills it, is 0, and stays. What is added comes behind it, with a `reserved` of its own.
//   - What callbacks are given belongs to the library, and may be longer than the program knows.

typedef struct firn_context firn_context;

// Instruction sets of the fast paths. All give the same answer within rounding; the same one gives
// the same bytes at any number of threads.
typedef enum firn_isa {
  FIRN_ISA_AUTO, // the best this machine has
  FIRN_ISA_SCALAR,
  FIRN_ISA_AVX2,
  FIRN_ISA_AVX512
} firn_isa;

// resize(user, p, old, size): as realloc, with the old size told; size 0 frees and returns NULL;
// p NULL allocates. The result must be aligned to 64 bytes.
typedef void *(*firn_resize_fn)(void *user, void *p, size_t old_size, size_t size);

typedef enum firn_log_level { FIRN_LOG_ERROR, FIRN_LOG_WARNING, FIRN_LOG_INFO } firn_log_level;
typedef void (*firn_log_fn)(void *user, firn_log_level level, const char *message);

// What a call is doing, for a user who waits for it.
typedef struct firn_activity {
  const char *what;     // "settled snow: seeking its balance"; escaped as notes are
  uint64_t done, total; // parts of it; total 0: how many there will be is not known
} firn_activity;
// Called when work begins that may take seconds, and again as parts of it are done, so how often
// depends on the work alone and never on a clock. From the thread that called the library; it must
// not call the library with the same context.
typedef void (*firn_activity_fn)(void *user, const firn_activity *activity);

// Asked between the rounds of a search within a call, as that for the balance of settled snow, by
// the thread that called the library. True: the call fails with FIRN_CANCELLED; a step that does
// has failed, and the simulation is to be loaded or destroyed. It may ask a flag that a signal
// sets, and must not call the library.
typedef bool (*firn_stop_fn)(void *user);

typedef struct firn_context_def {
  size_t size;           // of this struct: firn_default_context_def() knows
  int threads;           // worker threads; 0: as many as the machine has cores
  firn_isa isa;          // which instruction set to use
  firn_resize_fn resize; // allocator; NULL: the C library's
  void *resize_user;
  firn_log_fn log; // receives notes and warnings; NULL: nobody does
  void *log_user;
  // Scenes may include files that are not below the folder of the scene's file. False: such a file is an
  // error, and is not read.
  bool include_outside;
  bool reserved[7];          // false
  firn_activity_fn activity; // receives what calls are doing; NULL: nothing does
  void *activity_user;
  firn_stop_fn stop; // whether to stop within a call; NULL: never
  void *stop_user;
} firn_context_def;

FIRN_API void firn_context_def_init(firn_context_def *def, size_t size);
static inline firn_context_def firn_default_context_def(void) {
  firn_context_def def;
  firn_context_def_init(&def, sizeof def);
  return def;
}
// FIRN_ERROR_ARGUMENT where threads are none of 0 to 4096, FIRN_ERROR_UNSUPPORTED where this machine
// has no such instruction set; *out is then NULL, of which the message below says the same.
FIRN_API firn_status firn_context_create(const firn_context_def *def, firn_context **out);
FIRN_API void firn_context_destroy(firn_context *context);

// Text of others, such as the name of a file, made fit for a terminal or a line of a log: control characters,
// line ends, what turns the direction of text and bytes that are not UTF-8 are written as \n, \t, \x1b or
// \u202e. Ends out[size] with a 0 byte, before an escape that does not fit; returns the length. Messages and
// notes of the library are as this leaves them.
FIRN_API size_t firn_escape(const char *text, char *out, size_t size);
// Bytes of the UTF-8 character at text; 0: it is none.
FIRN_API int firn_utf8(const char *text);

// The message of the last call that failed on this context; never NULL.
FIRN_API const char *firn_context_message(const firn_context *context);
// Bytes held now and at most so far through this context's allocator.
FIRN_API size_t firn_context_bytes(const firn_context *context);
FIRN_API size_t firn_context_peak_bytes(const firn_context *context);
FIRN_API int firn_context_threads(const firn_context *context);
FIRN_API firn_isa firn_context_isa(const firn_context *context);

FIRN_API const char *firn_status_name(firn_status status); // "FIRN_ERROR_IO"
FIRN_API const char *firn_status_text(firn_status status); // "a file could not be ..."
FIRN_API const char *firn_isa_name(firn_isa isa);          // "avx512"
FIRN_API const char *firn_version(void);                   // "0.1.0"
FIRN_API const char *firn_precision(void);                 // "float" or "double"

#ifdef __cplusplus
}
#endif

#endif
