// SPDX-License-Identifier: Apache-2.0
#include "cache/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"

static firn_status lock(firn_context *context, const char *folder, int how, int *fd) {
  *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (*fd < 0) return firn_file_fail(context, "open", folder, errno);
  if (!flock(*fd, how | LOCK_NB) || errno != EWOULDBLOCK) return FIRN_OK;
  close(*fd);
  *fd = -1;
  return firn_fail(context, FIRN_ERROR_STATE, "another run is writing into this folder (%s)",
                   folder);
}

firn_status firn_lock_take(firn_context *context, const char *folder, int *fd) {
  return lock(context, folder, LOCK_EX, fd);
}

firn_status firn_lock_look(firn_context *context, const char *folder) {
  int fd;
  FIRN_TRY(lock(context, folder, LOCK_SH, &fd));
  close(fd);
  return FIRN_OK;
}
