// SPDX-License-Identifier: Apache-2.0
// Warnings that differ only in their numbers, such as one for every step or frame: the first is printed,
// the others are counted, and the count is printed when the program ends.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { KINDS = 32, KIND = 400, SHOWN = 72 };

static struct {
  char kind[KIND], first[SHOWN];
  unsigned long long more;
} table[KINDS];
static int kinds;

// The message without its numbers.
static void kind_of(const char *message, char kind[KIND]) {
  size_t n = 0;
  char *end;
  for (const char *s = message; *s && n + 1 < KIND; s = end) {
    end = (char *)s + 1;
    if (isdigit((unsigned char)*s)) strtod(s, &end);
    kind[n++] = isdigit((unsigned char)*s) ? '#' : *s;
  }
  kind[n] = 0;
}

static void print_counts(void) {
  for (int i = 0; i < kinds; i++)
    if (table[i].more)
      fprintf(stderr, "firn: warning: %llu more like \"%s ...\"\n", table[i].more, table[i].first);
}

bool cli_is_repeat(const char *message) {
  char kind[KIND];
  kind_of(message, kind);
  for (int i = 0; i < kinds; i++) {
    if (strcmp(table[i].kind, kind) != 0) continue;
    table[i].more++;
    return true;
  }
  if (kinds == KINDS) return false;
  if (!kinds) atexit(print_counts);
  memcpy(table[kinds].kind, kind, sizeof kind);
  snprintf(table[kinds++].first, SHOWN, "%s", message);
  return false;
}
