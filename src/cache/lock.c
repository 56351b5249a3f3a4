// SPDX-License-Identifier: Apache-2.0
#include "cache/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

// Those who look hold a lock for a moment: a run that begins just then tries this often, every 10 ms.
enum { TRIES = 10 };

static firn_status held(firn_context *context, const char *path) {
  return firn_fail(context, FIRN_ERROR_STATE, "another run is writing into this folder (%s)", path);
}

// False where another process holds it; what cannot be locked at all nobody does.
static bool try_lock(int fd, int how) {
  return !flock(fd, how | LOCK_NB) || errno != EWOULDBLOCK;
}

firn_status firn_lock_file(firn_context *context, const char *path, int fd) {
  const struct timespec pause = {.tv_nsec = 10000000};
  bool taken = try_lock(fd, LOCK_EX);
  for (int i = 0; !taken && i < TRIES; i++) {
    nanosleep(&pause, NULL);
    taken = try_lock(fd, LOCK_EX);
  }
  return taken ? FIRN_OK : held(context, path);
}

static firn_status open_folder(firn_context *context, const char *folder, int *fd) {
  *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return *fd < 0 ? firn_file_fail(context, "open", folder, errno) : FIRN_OK;
}

firn_status firn_lock_take(firn_context *context, const char *folder, int *fd) {
  FIRN_TRY(open_folder(context, folder, fd));
  firn_status status = firn_lock_file(context, folder, *fd);
  if (status == FIRN_OK) status = firn_lock_check(context, folder, *fd);
  if (status == FIRN_OK) return FIRN_OK;
  close(*fd);
  *fd = -1;
  return status;
}

firn_status firn_lock_look(firn_context *context, const char *folder) {
  int fd;
  FIRN_TRY(open_folder(context, folder, &fd));
  bool is_free = try_lock(fd, LOCK_SH);
  close(fd);
  return is_free ? FIRN_OK : held(context, folder);
}

firn_status firn_lock_look_file(firn_context *context, const char *path) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return FIRN_OK;
  bool is_free = fstat(fd, &info) || !S_ISREG(info.st_mode) || try_lock(fd, LOCK_SH);
  close(fd);
  return is_free ? FIRN_OK : held(context, path);
}

firn_status firn_lock_check(firn_context *context, const char *folder, int fd) {
  struct stat ours, named;
  if (fstat(fd, &ours)) return firn_file_fail(context, "read", folder, errno);
  if (!stat(folder, &named) && ours.st_dev == named.st_dev && ours.st_ino == named.st_ino)
    return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_IO,
                   "the folder %s was moved, or replaced by another, while this run wrote into it; "
                   "nothing is written into another",
                   folder);
}
