// SPDX-License-Identifier: Apache-2.0
// A line on the terminal that says what is being done, while nothing else does. It is on stderr, so
// that what a program prints to stdout stays as it is, and is overwritten by what comes next.
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"

static bool off, open_line;

void cli_wait_off(void) {
  off = true;
}

void cli_wait_clear(void) {
  if (!open_line) return;
  open_line = false;
  fputs("\r\033[K", stderr);
  fflush(stderr);
}

void cli_wait(const char *what) {
  static bool registered;
  struct winsize size;
  if (off || !isatty(STDERR_FILENO)) return;
  if (!registered) atexit(cli_wait_clear);
  registered = true;
  bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
  int columns = known ? size.ws_col : 80;
  cli_wait_clear();
  // What does not fit is cut off: a line that wraps cannot be overwritten.
  fprintf(stderr, "\r%.*s ...\033[K", columns - 5, what);
  fflush(stderr);
  open_line = true;
}

void cli_wait_activity(void *user, const firn_activity *activity) {
  (void)user;
  char line[1100];
  unsigned long long done = activity->done, total = activity->total;
  if (total > 1)
    snprintf(line, sizeof line, "%s, %llu of %llu done", activity->what, done, total);
  else if (done && !total)
    snprintf(line, sizeof line, "%s %llu", activity->what, done);
  else
    snprintf(line, sizeof line, "%s", activity->what);
  cli_wait(line);
}
