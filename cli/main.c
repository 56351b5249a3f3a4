// SPDX-License-Identifier: Apache-2.0
// firn <verb>: finds the verb; each has its own file.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const cli_verb cli_verbs[] = {
    {"demo", "", "simulate a small snowball and take pictures", cli_demo},
    {"run", "SCENE", "simulate a scene into a folder", cli_run},
    {"sweep", "SCENE", "simulate a scene once for each choice of some values", cli_sweep},
    {"check", "SCENE", "find everything wrong with a scene; tell what a run needs", cli_check},
    {"scenes", "[NAME]", "list the built-in scenes, or print one", cli_scenes},
    {"info", "DIR|FILE", "tell what a run has written", cli_info},
    {"refine", "DIR", "fill a run's snow with fine particles: powder and spray", cli_refine},
    {"export", "DIR|FILE", "write the frames of a run for other programs", cli_export},
    {"render", "DIR|SCENE", "take pictures and films of a run or of a scene", cli_render},
    {"plot", "DIR", "draw curves from the statistics of a run", cli_plot},
    {"bench", "[NAME]", "measure the speed of this machine", cli_bench},
    {"help", "[VERB]", "this page, or the page of a verb", cli_help},
    {"version", "", "print the version", cli_version},
    {NULL, NULL, NULL, NULL},
};

static void usage(FILE *stream) {
  fprintf(stream, "Usage: firn VERB [OPTION...]\n"
                  "firn simulates snow.\n\n");
  for (const cli_verb *v = cli_verbs; v->name; v++) {
    char left[32];
    snprintf(left, sizeof left, "%s %s", v->name, v->arguments);
    fprintf(stream, "  firn %-17s %s\n", left, v->doc);
  }
  fprintf(stream, "\nStart with `firn demo`. `firn VERB --help` explains a verb.\n"
                  "Exit status: 0 ok, 1 the run failed, 2 bad usage or input.\n");
}

static const cli_verb *find(const char *name) {
  for (const cli_verb *v = cli_verbs; v->name; v++)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

static int unknown(const char *name) {
  const char *names[32] = {0};
  for (int i = 0; cli_verbs[i].name; i++) names[i] = cli_verbs[i].name;
  const char *nearest = cli_nearest(name, names);
  fprintf(stderr, "firn: unknown verb '%s'", name);
  if (nearest) fprintf(stderr, "; did you mean '%s'?", nearest);
  fprintf(stderr, "\nTry `firn help`.\n");
  return EXIT_INPUT;
}

// Runs a verb with "firn VERB" as its name, which argp prints in messages.
static int run_verb(const cli_verb *verb, int argc, char **argv) {
  char name[40];
  snprintf(name, sizeof name, "firn %s", verb->name);
  argv[0] = name;
  return verb->run(argc, argv);
}

int cli_help(int argc, char **argv) {
  if (argc < 2) {
    usage(stdout);
    return EXIT_OK;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
    printf("Usage: firn help [VERB]\nPrints what firn can do, or the page of a verb.\n\n"
           "`firn help --values VERB OPTION [SCENE]` lists values of an option, for the completion "
           "of\n"
           "shells; of --set the keys of the scene.\n");
    return EXIT_OK;
  }
  if (strcmp(argv[1], "--values") == 0 && argc >= 4)
    return cli_print_values(argv[2], argv[3], argc > 4 ? argv[4] : NULL);
  const cli_verb *verb = find(argv[1]);
  if (!verb) return unknown(argv[1]);
  char help[] = "--help";
  char *arguments[] = {NULL, help, NULL};
  return run_verb(verb, 2, arguments);
}

int cli_version(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--help") == 0) {
    printf("Usage: firn version\nPrints the version and the precision of the library.\n");
    return EXIT_OK;
  }
  if (argc > 1) {
    fprintf(stderr, "firn version: too many arguments: '%s'\n", argv[1]);
    return EXIT_INPUT;
  }
  printf("firn %s (%s)\n", firn_version(), firn_precision());
  return EXIT_OK;
}

int main(int argc, char **argv) {
  cli_guard_streams();
  argp_err_exit_status = EXIT_INPUT;
  if (argc > 0) cli_program = argv[0];
  if (argc < 2) {
    usage(stderr);
    return EXIT_INPUT;
  }
  for (int i = 1; i < argc; i++) { // of which argp would print the name as it is
    size_t n = strncmp(argv[i], "--", 2) == 0 ? strcspn(argv[i], "=") : 0;
    char plain[64];
    if (n && firn_escape(argv[i], plain, sizeof plain) != n && memchr(plain, '\\', strlen(plain)) &&
        strcspn(argv[i], "=") > strcspn(plain, "\\")) {
      fprintf(stderr, "firn: an option holds a control character: '%s'\n", argv[i]);
      return EXIT_INPUT;
    }
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "-?") == 0)
    name = "help";
  if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) name = "version";
  const cli_verb *verb = find(name);
  return verb ? run_verb(verb, argc - 1, argv + 1) : unknown(name);
}
