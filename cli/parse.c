// SPDX-License-Identifier: Apache-2.0
// Options: as argp reads them, but a misspelt one gets a suggestion.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { NAMES = 128, WORD = 64 };

static void collect(const struct argp *parser, const char *names[NAMES], int *count) {
  for (const struct argp_option *o = parser->options; o && (o->name || o->key || o->doc); o++)
    if (o->name && *count + 1 < NAMES) names[(*count)++] = o->name;
  for (const struct argp_child *c = parser->children; c && c->argp; c++)
    collect(c->argp, names, count);
}

// Whether an option begins so: argp takes what is not ambiguous, and says so of what is.
static bool begins_one(const char *word, const char *const *names) {
  for (; *names; names++)
    if (strncmp(*names, word, strlen(word)) == 0) return true;
  return false;
}

void cli_parse(const struct argp *parser, int argc, char **argv, void *arguments) {
  const char *names[NAMES] = {"help", "usage"};
  int count = 2;
  collect(parser, names, &count);
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    char word[WORD];
    if (strncmp(argv[i], "--", 2) != 0) continue;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
    const char *nearest = begins_one(word, names) ? NULL : cli_nearest(word, names);
    if (!nearest) continue;
    fprintf(stderr, "%s: unrecognized option '--%s'; did you mean '--%s'?\n", argv[0], word,
            nearest);
    exit(EXIT_INPUT);
  }
  argp_parse(parser, argc, argv, 0, NULL, arguments);
}
