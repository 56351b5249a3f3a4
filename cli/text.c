// SPDX-License-Identifier: Apache-2.0
// Numbers and words for people, and for JSON.
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

const char *cli_count(double value, char *buffer) {
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%.0f", value);
  char *out = buffer;
  for (int i = 0; i < length && out < buffer + 30; i++) {
    if (i && (length - i) % 3 == 0) *out++ = ' ';
    *out++ = digits[i];
  }
  *out = 0;
  return buffer;
}

const char *cli_short(double value, char *buffer) {
  static const char *const suffix[] = {"", "k", "M", "G", "T"};
  int i = 0;
  while (i < 4 && value >= 999.5) {
    value /= 1000;
    i++;
  }
  int decimals = i == 0 && value == floor(value) ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  snprintf(buffer, 32, "%.*f%s", decimals, value, suffix[i]);
  return buffer;
}

const char *cli_bytes(double bytes, char *buffer) {
  static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int i = 0;
  while (i < 5 && bytes >= 999.5) {
    bytes /= 1000;
    i++;
  }
  snprintf(buffer, 32, "%.*f %s",
           i == 0 || bytes >= 99.95 ? 0
           : bytes < 9.995          ? 2
                                    : 1,
           bytes, unit[i]);
  return buffer;
}

const char *cli_duration(double seconds, char *buffer) {
  if (!(seconds >= 0) || seconds > 3.6e8) {
    snprintf(buffer, 32, "?");
    return buffer;
  }
  long s = lround(seconds);
  if (s < 3600)
    snprintf(buffer, 32, "%ld:%02ld", s / 60, s % 60);
  else
    snprintf(buffer, 32, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  return buffer;
}

void cli_json_string(FILE *stream, const char *text) {
  fputc('"', stream);
  for (const char *c = text; *c;) {
    int n = firn_utf8(c);
    if (*c == '"' || *c == '\\')
      fprintf(stream, "\\%c", *c);
    else if (n == 2 && (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] < 0xa0)
      fprintf(stream, "\\u%04x", (unsigned)(unsigned char)c[1]); // a terminal acts on it
    else if (!n || (unsigned char)*c < 0x20)
      fprintf(stream, "\\u%04x", n ? (unsigned)*c : 0xfffd);
    else
      fwrite(c, 1, (size_t)n, stream);
    c += n ? n : 1;
  }
  fputc('"', stream);
}

void cli_json_number(FILE *stream, double value) {
  if (isfinite(value))
    fprintf(stream, "%.9g", value);
  else
    fprintf(stream, "null");
}

static void print_word(const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-./=:,+%@";
  if (*word && !word[strspn(word, plain)]) {
    fputs(word, stdout);
    return;
  }
  char escaped[8192];
  bool active = firn_escape(word, escaped, sizeof escaped) != strlen(word);
  fputs(active ? "$'" : "'", stdout); // in which the shell reads escapes
  for (const char *c = active ? escaped : word; *c; c++)
    if (*c == '\'')
      fputs(active ? "\\'" : "'\\''", stdout);
    else
      putchar(*c);
  putchar('\'');
}

const char *cli_program = "firn";

void cli_print_command(const char *verb, int argc, char **argv, const char *without) {
  print_word(cli_program);
  printf(" %s", verb);
  for (int i = 1; i < argc; i++) {
    // An option may be cut short, as long as it is plain which is meant.
    size_t n = without ? strlen(argv[i]) : 0;
    if (n > 2 && strncmp(argv[i], without, n) == 0) continue;
    putchar(' ');
    print_word(argv[i]);
  }
}

// Restricted Damerau distance: how many insertions, deletions, replacements and swaps.
static int distance(const char *a, const char *b) {
  enum { WORD = 32 };
  int table[WORD][WORD];
  int m = (int)strnlen(a, WORD - 1), n = (int)strnlen(b, WORD - 1);
  for (int i = 0; i <= m; i++)
    for (int j = 0; j <= n; j++) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      int best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (table[i - 1][j] + 1 < best) best = table[i - 1][j] + 1;
      if (table[i][j - 1] + 1 < best) best = table[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          table[i - 2][j - 2] + 1 < best)
        best = table[i - 2][j - 2] + 1;
      table[i][j] = best;
    }
  return table[m][n];
}

const char *cli_nearest(const char *word, const char *const *words) {
  const char *best = NULL;
  int least = strlen(word) < 6 ? 2 : 3; // at most one edit in a short word, two in a long one
  for (; *words; words++) {
    int d = distance(word, *words);
    bool begins = strlen(word) >= 2 && strncmp(word, *words, strlen(word)) == 0;
    if (begins && d > 1) d = 1;
    if (d < least) {
      least = d;
      best = *words;
    }
  }
  return best;
}

static volatile sig_atomic_t caught;

static void on_signal(int signal_number) {
  caught = signal_number;
}

void cli_catch_signals(void) {
  struct sigaction action = {0};
  action.sa_handler = on_signal;
  action.sa_flags = (int)SA_RESETHAND; // the second one is for real
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  // A terminal that goes away, which may be said by the kernel and by the shell; not where nohup has
  // this ignored.
  struct sigaction before;
  action.sa_flags = 0;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, NULL);
}

int cli_interrupted(void) {
  return caught;
}

double cli_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
