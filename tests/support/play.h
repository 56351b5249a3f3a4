// SPDX-License-Identifier: Apache-2.0
// Scenes as tests play them: from a text or a built-in scene, with overrides, every call checked.
//
//   play p = play_text("firn: 1\n...", "quality=0.5", "frames=3");
//   play_advance(&p, 0.5);
//   double *x = play_read(&p, "position");
//   ...
//   play_close(&p);
#ifndef FIRN_TESTS_SUPPORT_PLAY_H
#define FIRN_TESTS_SUPPORT_PLAY_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <firn/firn.h>

typedef struct play {
  firn_context *context; // of one thread
  firn_scene *scene;
  firn_sim *sim;
} play;

// Overrides are texts "path=value". Errors of the scene fail the test, with all messages.
#define play_text(...)    play_open(true, (const char *const[]){__VA_ARGS__, NULL})
#define play_builtin(...) play_open(false, (const char *const[]){__VA_ARGS__, NULL})
// words: the text or the built-in scene's name, overrides, NULL.
play play_open(bool is_text, const char *const *words);
// Fails the test if anything is still held.
void play_close(play *p);

// As many steps as it takes, with the scene's keyed values.
void play_advance(const play *p, double seconds);
// One step of at most that long.
firn_step play_step(const play *p, double limit);

size_t play_count(const play *p);
firn_sums play_sums(const play *p);
double play_stat(const play *p, const char *name);
// A malloced [count][components] array, in the order in which particles were added.
double *play_read(const play *p, const char *field);
int play_collider(const play *p, const char *name);
firn_collider_force play_force(const play *p, const char *name); // since the last reset

// play_must(&p, call): fails the test with the context's message unless the call returns FIRN_OK.
void play_check(const play *p, firn_status status, const char *call, const char *file, int line);
#define play_must(p, call) play_check((p), (call), #call, __FILE__, __LINE__)

// Fails with what was measured unless lo < value < hi.
void play_between(const char *what, double value, double lo, double hi, const char *file, int line);
#define assert_between(what, value, lo, hi) play_between(what, value, lo, hi, __FILE__, __LINE__)

#endif
