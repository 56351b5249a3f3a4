// SPDX-License-Identifier: Apache-2.0
// What the verbs of the program share. The program uses the library as any other user does: public
// headers only.
#ifndef FIRN_CLI_H
#define FIRN_CLI_H

#include <argp.h>
#include <firn/firn.h>
#include <stdarg.h>
#include <stdio.h>

// printf and fprintf to the program's streams and files, but what a %s stands for is escaped
// (firn_escape); so control sequences belong into the format. What is printed otherwise (fputs, fwrite) is
// the program's own, or JSON. Conversions with h, j and t are not known.
int cli_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_vprint(FILE *stream, const char *format, va_list given)
    __attribute__((format(printf, 2, 0)));
void cli_argp_error(const struct argp_state *state, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#ifndef CLI_PRINTS
#define printf(...)     cli_print(stdout, __VA_ARGS__)
#define fprintf(...)    cli_print(__VA_ARGS__)
#define argp_error(...) cli_argp_error(__VA_ARGS__)
#endif

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
int cli_sweep(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_scenes(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_refine(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_render(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_help(int argc, char **argv);
int cli_version(int argc, char **argv);

// ---------------------------------------------------------------------------- shared options

enum { CLI_OVERRIDES = 256 };

// Options that several verbs take; a verb hangs cli_context_argp or cli_scene_argp under its own
// parser and gives it this struct.
typedef struct cli_options {
  int threads; // 0: all
  bool allow_outside;
  firn_isa isa;
  const char *overrides[CLI_OVERRIDES]; // of --set, --solver and --quality
  int override_count;
  bool notes; // print the library's notes, not only its warnings
  void (*on_warning)(void *user, const char *message); // hears these besides; NULL: nobody does
  void *warning_user;
} cli_options;

extern const struct argp cli_context_argp; // --threads, --isa, --device
extern const struct argp cli_scene_argp;   // --set, --solver, --quality
// For a verb that takes no more than the first; its parser gives the child the struct.
extern const struct argp_child cli_context_children[];

// Adds what --set says; ends the program with a usage error when there are too many.
void cli_add_override(const struct argp_state *state, cli_options *options, const char *text);

// How a verb that simulates tells what it does: a live line or plain ones, nothing, or JSON.
typedef enum progress_mode { PROGRESS_AUTO, PROGRESS_QUIET, PROGRESS_JSON } progress_mode;

typedef struct cli_run_options {
  const char *folder; // of -o; NULL: not given
  progress_mode mode;
  bool overwrite; // what the folder holds
} cli_run_options;

// Of a verb that simulates: it hangs cli_simulate_children under its own parser and gives the first of
// them this struct.
typedef struct cli_simulate_options {
  cli_options options;
  cli_run_options run;
} cli_simulate_options;

// --output, --overwrite, --quiet, --json, and all that is above.
extern const struct argp_child cli_simulate_children[];

// Reads "A:B", "A:", ":B" or "A" into first and last, where what is left out stays as it is; ends the
// program with a usage error when that is not what text is.
void cli_frames(const struct argp_state *state, const char *text, int *first, int *last);

// Takes the one argument of a verb: from ARGP_KEY_ARG with its text, from ARGP_KEY_END with NULL.
// what is "scene", "folder" or "name", which may be missing; ends the program with a usage error when
// there are none or two.
void cli_argument(const struct argp_state *state, const char *what, const char *text,
                  const char **argument);
// The folder for a scene where none is given: "dir/snowball.yaml" gives "snowball".
void cli_default_folder(const char *scene, char *folder, size_t size);

// Reads a whole number; ends the program with a usage error when text is none or out of range.
long cli_number(const struct argp_state *state, const char *name, const char *text, long least,
                long most);
// The same for a number from least to most; a least of 0 is not among them.
double cli_real(const struct argp_state *state, const char *name, const char *text, double least,
                double most);
// The place of text in words, which end with NULL; ends the program with a usage error that lists
// them when it is none of them.
int cli_choice(const struct argp_state *state, const char *name, const char *text,
               const char *const *words);

// The words that an option takes, for cli_choice; NULL: any text. Ends with NULL.
const char *const *cli_values(const char *verb, const char *option);
// Prints them, or what a completion may offer, a line each; scene: of which --set changes a value,
// or NULL.
int cli_print_values(const char *verb, const char *option, const char *scene);

// Creates a context, whose warnings go to stderr; on failure prints why and returns NULL. options must
// live as long.
firn_context *cli_context(const cli_options *options);
// Parses the command line into arguments; ends the program with a usage error where it is wrong, and
// with a suggestion where an option is misspelt.
void cli_parse(const struct argp *parser, int argc, char **argv, void *arguments);
// How most verbs begin: parses the command line into arguments, of which options are a part, and
// creates a context.
firn_context *cli_begin(const struct argp *parser, int argc, char **argv, void *arguments,
                        const cli_options *options);

// Loads a scene; prints everything wrong with it to stream and returns NULL on failure.
firn_scene *cli_scene(firn_context *context, const char *name, const cli_options *options,
                      FILE *stream);
void cli_print_errors(const firn_scene *scene, FILE *stream);

// Prints the name of a built-in scene where what is not there is nearly one.
void cli_suggest_scene(const char *name);
// Prints "firn: ..." to stderr and returns the exit code that fits the status.
int cli_fail(const firn_context *context, firn_status status);
// The same after {"event": "error"} to stdout where JSON was asked for.
int cli_fail_run(const firn_context *context, firn_status status, progress_mode mode);
// The same with a message that was kept.
int cli_fail_said(const char *message, firn_status status, progress_mode mode);
// Prints {"event": "warning"} to stdout: an on_warning where JSON was asked for.
void cli_warning_event(void *user, const char *message);

// Says on stderr, or as such an event, in one line what of a scene its quality does not resolve.
// Says nothing where all is resolved, nor where the mode is quiet.
void cli_say_unresolved(const firn_scene *scene, progress_mode mode);

// Keeps notes and warnings to itself until it is called with false: what is read once more says the
// same again.
void cli_mute(bool mute);

// Whether a warning differs from an earlier one in its numbers alone. Those are counted, and the counts
// are printed to stderr when the program ends.
bool cli_is_repeat(const char *message);

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

extern const char *cli_program; // as it was called: "firn", "build/firn"
// Prints the command that calls a verb with these arguments again (argv[0] does not matter), its
// words quoted for the shell where they need it, and one option left out unless NULL.
void cli_print_command(const char *verb, int argc, char **argv, const char *without);

// The stats.csv of a run; NULL: there is none.
firn_table *cli_stats(firn_context *context, const char *folder);
// A cell of its last row; nan: it is empty. table may be NULL.
double cli_stats_last(const firn_table *table, const char *column);
double cli_stats_wall(const firn_table *table); // s, sum of the column wall_seconds

// -------------------------------------------------------------------------------- waiting

// Says on a terminal what is being done until something else is printed. Nothing is said where
// stderr is no terminal, nor after cli_wait_off, which --quiet and --json call.
void cli_wait(const char *what);
void cli_wait_clear(void);
void cli_wait_off(void);
void cli_wait_activity(void *user, const firn_activity *activity); // of a context

// -------------------------------------------------------------------------------- files

// Both NULL with errno on failure, and never through a symbolic link. What has the name of a file to
// be created is removed first.
FILE *cli_create(const char *path);
FILE *cli_append(const char *path);

// Whether a single file may be written: the name is free, or has one that firn has written, and so
// has that of its .part. FIRN_ERROR_STATE otherwise.
firn_status cli_check_output(firn_context *context, const char *path);

// Makes a folder where the system has its temporary files; false after a message where none can be made.
bool cli_temporary_folder(char *folder, size_t size);
// Takes a folder away with all that is in it, links as such.
void cli_remove_folder(const char *folder);

// To be called first: from here on the program fails, with a message, where what it prints cannot be
// written.
void cli_guard_streams(void);

// -------------------------------------------------------------------------------- interruption

// From here on Ctrl-C, SIGTERM and a SIGHUP that is not ignored only set a flag; a second Ctrl-C or
// SIGTERM ends the program at once.
void cli_catch_signals(void);
int cli_interrupted(void); // 0, or the signal

double cli_seconds(void); // monotonic clock

#endif
