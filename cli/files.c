// SPDX-License-Identifier: Apache-2.0
// Files that the program itself writes, and its standard streams. What the library does likewise is in
// src/cache/file.c.
#define _GNU_SOURCE // nftw
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static FILE *open_as(const char *path, int flags, const char *mode) {
  int fd = open(path, flags | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) return NULL;
  FILE *file = fdopen(fd, mode);
  if (!file) close(fd);
  return file;
}

FILE *cli_create(const char *path) {
  if (unlink(path) != 0 && errno != ENOENT) return NULL;
  return open_as(path, O_WRONLY | O_EXCL, "w");
}

FILE *cli_append(const char *path) {
  return open_as(path, O_WRONLY | O_APPEND, "a");
}

firn_status cli_check_output(firn_context *context, const char *path) {
  char part[4200];
  snprintf(part, sizeof part, "%.4100s.part", path);
  firn_status status = firn_file_check_own(context, path);
  return status == FIRN_OK ? firn_file_check_own(context, part) : status;
}

bool cli_temporary_folder(char *folder, size_t size) {
  const char *base = getenv("TMPDIR");
  int length = snprintf(folder, size, "%s/firn-XXXXXX", base && *base ? base : "/tmp");
  errno = ENAMETOOLONG;
  if (length < (int)size && mkdtemp(folder)) return true;
  fprintf(stderr, "firn: no temporary folder can be made in %s: %s; set TMPDIR\n",
          base && *base ? base : "/tmp", strerror(errno));
  *folder = 0;
  return false;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info;
  (void)kind;
  (void)where;
  return remove(path);
}

void cli_remove_folder(const char *folder) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

// What was printed may still wait in a buffer, and a disk may be full: whoever reads the output of a
// program that ended with 0 counts on its being there.
static void finish_output(void) {
  errno = 0;
  bool failed = fflush(stdout) != 0;
  int error = errno; // 0: told at an earlier line, and forgotten
  if (!failed && !ferror(stdout)) return;
  fprintf(stderr, "firn: cannot write to standard output%s%s\n", error ? ": " : "",
          error ? strerror(error) : "");
  _exit(EXIT_RUN);
}

void cli_guard_streams(void) {
  // A file must not be opened under the number of a stream that is closed: it would be printed into.
  // Standard output can then only be read from, so that printing fails.
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd)
      _exit(EXIT_RUN);
  signal(SIGXFSZ, SIG_IGN); // beyond ulimit -f, write fails and says so
  if (atexit(finish_output) != 0) _exit(EXIT_RUN);
}
