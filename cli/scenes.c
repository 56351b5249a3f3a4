// SPDX-License-Identifier: Apache-2.0
// firn scenes [NAME]: the built-in scenes.
#include <unistd.h>

#include "cli.h"

enum { KEY_SCHEMA = 3000, KEY_REFERENCE };

typedef struct {
  const char *name;
  bool schema, reference;
} arguments;

static error_t parse(int key, char *arg, struct argp_state *state) {
  arguments *a = state->input;
  switch (key) {
  case KEY_SCHEMA: a->schema = true; return 0;
  case KEY_REFERENCE: a->reference = true; return 0;
  case ARGP_KEY_ARG: cli_argument(state, "name", arg, &a->name); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {
    {"schema", KEY_SCHEMA, NULL, 0, "print a JSON Schema of scene files, for editors", 0},
    {"reference", KEY_REFERENCE, NULL, 0,
     "print every key with its unit, range and default, as docs/scene-reference.md", 0},
    {0},
};
static const struct argp parser = {.options = options,
                                   .parser = parse,
                                   .args_doc = "[NAME]",
                                   .doc = "Lists the built-in scenes, or prints one: `firn scenes "
                                          "demo > mine.yaml` is a good start for "
                                          "a scene of your own."};

static void print(void *user, const char *text) {
  fputs(text, user);
}

static const char *nearest_scene(const char *name) {
  const char *names[64] = {0};
  for (int i = 0; i < 63 && firn_scene_builtin_name(i); i++) names[i] = firn_scene_builtin_name(i);
  return cli_nearest(name, names);
}

void cli_suggest_scene(const char *name) {
  const char *nearest = access(name, F_OK) == 0 ? NULL : nearest_scene(name);
  if (nearest) fprintf(stderr, "firn: did you mean the scene '%s'?\n", nearest);
}

int cli_scenes(int argc, char **argv) {
  arguments a = {0};
  cli_parse(&parser, argc, argv, &a);
  const char *name = a.name;
  if (a.schema) firn_scene_schema(print, stdout);
  if (a.reference) firn_scene_reference(print, stdout);
  if (a.schema || a.reference) return EXIT_OK;
  if (!name) {
    for (int i = 0; firn_scene_builtin_name(i); i++)
      printf("%-27s %s\n", firn_scene_builtin_name(i), firn_scene_builtin_doc(i));
    return EXIT_OK;
  }
  const char *text = firn_scene_builtin_text(name);
  if (text) {
    fputs(text, stdout);
    return EXIT_OK;
  }
  const char *nearest = nearest_scene(name);
  fprintf(stderr, "firn: there is no scene '%s'", name);
  if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
  fprintf(stderr, "\n");
  return EXIT_INPUT;
}
