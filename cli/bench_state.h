// SPDX-License-Identifier: Apache-2.0
// What a scene of the paper has come to: sums over its steps, and a checkpoint beside them, so that a
// run of hours can be cut off at any moment.
#ifndef FIRN_CLI_BENCH_STATE_H
#define FIRN_CLI_BENCH_STATE_H

#include "bench.h"

// Over all steps so far, whichever process took them.
enum {
  SUM_STEPS,
  SUM_IMPLICIT, // steps
  SUM_ITERATIONS,
  SUM_ASLEEP,         // fractions of the particles
  SUM_PARTICLE_STEPS, // asleep or not
  SUM_EQUIVALENTS,    // particles awake x (1 + half the iterations)
  SUM_SECONDS,        // of steps alone
  SUM_FRAME_STEPS,    // of the frame that is not finished
  SUM_FRAME_SECONDS,
  SUM_TOTAL, // as the library counts them: what phases are parts of
  SUM_PEAK,  // most bytes held
  SUMS
};

typedef struct bench_tally {
  int frames; // finished
  double sum[SUMS];
  int phases;
  double phase[BENCH_PHASES];
  double *frame_seconds; // [frames of the scene]
} bench_tally;

typedef struct bench_state {
  char path[4096]; // without an ending
  char key[256];   // of what is measured: what was kept of anything else is of no use
  int slot;        // of the newest checkpoint; -1: none
  double cost;     // s, of the last save
  double saved;    // when that was, by cli_seconds
} bench_state;

// Where a variant of a scene is kept.
bench_state bench_state_of(const bench *b, const char *scene, const char *variant,
                           const firn_context *context);
// Reads what was kept into a tally of at most `frames` frames, and says so. false: begin at the
// beginning.
bool bench_state_read(bench_state *s, const char *name, int frames, bench_tally *t);
// The checkpoint that belongs to it.
void bench_state_checkpoint(const bench_state *s, char *path, size_t size);
// Whether it is time to save: neither so often that it costs much, nor so seldom that much is lost.
bool bench_state_due(const bench_state *s);
firn_status bench_state_save(bench_state *s, firn_sim *sim, const bench_tally *t);
void bench_state_remove(const bench *b, const char *scene, const char *variant);

#endif
