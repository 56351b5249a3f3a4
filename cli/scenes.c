// SPDX-License-Identifier: Apache-2.0
// firn scenes [NAME]: the built-in scenes.
#include "cli.h"

static error_t parse(int key, char *arg, struct argp_state *state) {
  const char **name = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    if (*name) argp_error(state, "more than one name: '%s'", arg);
    *name = arg;
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp parser = {
    NULL,
    parse,
    "[NAME]",
    "Lists the built-in scenes, or prints one: `firn scenes demo > mine.yaml` is a good start for "
    "a scene of your own.",
    NULL,
    NULL,
    NULL};

int cli_scenes(int argc, char **argv) {
  const char *name = NULL;
  argp_parse(&parser, argc, argv, 0, NULL, &name);
  if (!name) {
    for (int i = 0; firn_scene_builtin_name(i); i++)
      printf("%-16s %s\n", firn_scene_builtin_name(i), firn_scene_builtin_doc(i));
    return EXIT_OK;
  }
  const char *text = firn_scene_builtin_text(name);
  if (text) {
    fputs(text, stdout);
    return EXIT_OK;
  }
  const char *names[64] = {0};
  for (int i = 0; i < 63 && firn_scene_builtin_name(i); i++) names[i] = firn_scene_builtin_name(i);
  const char *nearest = cli_nearest(name, names);
  fprintf(stderr, "firn: there is no scene '%s'", name);
  if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
  fprintf(stderr, "\n");
  return EXIT_INPUT;
}
