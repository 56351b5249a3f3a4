// SPDX-License-Identifier: Apache-2.0
#include "scene/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { WORD = 64 }; // longer words are compared by their first 63 characters

static char fold(char c) {
  return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

static int replace_cost(char a, char b) {
  if (a == b) return 0;
  return fold(a) == fold(b) ? 1 : 2;
}

static int least(int a, int b) {
  return a < b ? a : b;
}

// Damerau's distance in its restricted form, three rows of the usual table.
int firn_edit_distance(const char *a, const char *b) {
  size_t m = strnlen(a, WORD - 1), n = strnlen(b, WORD - 1);
  int rows[3][WORD];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= n; j++) last[j] = 2 * (int)j;
  for (size_t i = 1; i <= m; i++) {
    row[0] = 2 * (int)i;
    for (size_t j = 1; j <= n; j++) {
      row[j] = least(last[j - 1] + replace_cost(a[i - 1], b[j - 1]),
                     least(last[j], row[j - 1]) + 2);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], before[j - 2] + 2);
    }
    int *swap = before;
    before = last;
    last = row;
    row = swap;
  }
  return last[n];
}

firn_nearest firn_nearest_begin(const char *word) {
  return (firn_nearest){.word = word, .best = NULL, .distance = INT_MAX};
}

void firn_nearest_offer(firn_nearest *nearest, const char *candidate) {
  int distance = firn_edit_distance(nearest->word, candidate);
  // A third of the word may be wrong, one edit always may.
  size_t a = strlen(nearest->word), b = strlen(candidate);
  size_t shorter = a < b ? a : b;
  int allowed = 2 * (int)(shorter / 3 > 1 ? shorter / 3 : 1);
  bool prefix = shorter >= 3 && strncmp(nearest->word, candidate, shorter) == 0;
  if (shorter < 2 || (distance > allowed && !prefix)) return;
  if (distance > allowed) distance += FIRN_NEAREST_CONTINUES;
  if (distance < nearest->distance) {
    nearest->distance = distance;
    nearest->best = candidate;
  }
}
