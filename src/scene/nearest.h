// SPDX-License-Identifier: Apache-2.0
// "did you mean": the word that a misspelt one was most likely meant to be.
#ifndef FIRN_SCENE_NEAREST_H
#define FIRN_SCENE_NEAREST_H

#include <stddef.h>

// Edits (insert, delete, replace, swap neighbours) that turn a into b; case and the difference of
// '-' and '_' count half. In half edits.
int firn_edit_distance(const char *a, const char *b);

// One word continues the other ("tol" for "tolerance"): near, but never nearer than a misspelling.
enum { FIRN_NEAREST_CONTINUES = 1000 };

// Feed candidates one by one; best stays NULL while nothing is near enough to be worth saying.
typedef struct firn_nearest {
  const char *word;
  const char *best;
  int distance; // in half edits, or FIRN_NEAREST_CONTINUES and more
} firn_nearest;

firn_nearest firn_nearest_begin(const char *word);
void firn_nearest_offer(firn_nearest *nearest, const char *candidate);

// At the end of a message: "; did you mean 'jp'?", or nothing.
#define FIRN_NEAREST_FORMAT "%s%s%s"
#define FIRN_NEAREST_WORDS(nearest)                                                                \
  (nearest).best ? "; did you mean '" : "", (nearest).best ? (nearest).best : "",                  \
      (nearest).best ? "'?" : ""

#endif
