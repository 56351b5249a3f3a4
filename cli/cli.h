// SPDX-License-Identifier: Apache-2.0
// What the verbs of the program share. The program uses the library as any other user does: public
// headers only.
#ifndef FIRN_CLI_H
#define FIRN_CLI_H

#include <argp.h>
#include <firn/firn.h>
#include <stdio.h>

// Exit codes of every verb.
enum { EXIT_OK = 0, EXIT_RUN = 1, EXIT_INPUT = 2 };

typedef struct cli_verb {
  const char *name;
  const char *arguments; // as in the usage line
  const char *doc;       // one line
  int (*run)(int argc, char **argv);
} cli_verb;

extern const cli_verb cli_verbs[]; // ends with a name of NULL

int cli_demo(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_scenes(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_help(int argc, char **argv);
int cli_version(int argc, char **argv);

// ---------------------------------------------------------------------------- shared options

enum { CLI_OVERRIDES = 256 };

// Options that several verbs take; a verb hangs cli_context_argp or cli_scene_argp under its own
// parser and gives it this struct.
typedef struct cli_options {
  int threads; // 0: all
  firn_isa isa;
  const char *overrides[CLI_OVERRIDES]; // of --set and --solver
  int override_count;
} cli_options;

extern const struct argp cli_context_argp; // --threads, --isa, --device
extern const struct argp cli_scene_argp;   // --set, --solver

// Reads a whole number; ends the program with a usage error when text is none or out of range.
long cli_number(const struct argp_state *state, const char *name, const char *text, long least,
                long most);

// Creates a context; on failure prints why and returns NULL.
firn_context *cli_context(const cli_options *options);

// Loads a scene; prints everything wrong with it to stream and returns NULL on failure.
firn_scene *cli_scene(firn_context *context, const char *name, const cli_options *options,
                      FILE *stream);
void cli_print_errors(const firn_scene *scene, FILE *stream);

// Prints "firn: ..." to stderr and returns the exit code that fits the status.
int cli_fail(const firn_context *context, firn_status status);

// The word that a misspelt one was likely meant to be; NULL if none is near.
const char *cli_nearest(const char *word, const char *const *words);

// -------------------------------------------------------------------------------- text output

// "1 234 567"; buffer of at least 32.
const char *cli_count(double value, char *buffer);
// "1.23M", "98.7k": four significant characters; buffer of at least 32.
const char *cli_short(double value, char *buffer);
// "1.2 GB".
const char *cli_bytes(double bytes, char *buffer);
// "0:42", "1:02:03".
const char *cli_duration(double seconds, char *buffer);
// A JSON string with its quotes.
void cli_json_string(FILE *stream, const char *text);
// A JSON number; null if it is not finite.
void cli_json_number(FILE *stream, double value);

// -------------------------------------------------------------------------------- interruption

// From here on Ctrl-C and SIGTERM only set a flag; a second one ends the program at once.
void cli_catch_signals(void);
int cli_interrupted(void); // 0, or the signal

double cli_seconds(void); // monotonic clock

#endif
