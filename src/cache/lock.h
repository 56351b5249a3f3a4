// SPDX-License-Identifier: Apache-2.0
// Who writes into a folder. The lock is on the folder itself: whatever is deleted in it, and under
// whatever name it is reached, it is the same one.
#ifndef FIRN_CACHE_LOCK_H
#define FIRN_CACHE_LOCK_H

#include "base/context.h"

// Holds the folder until *fd is closed; FIRN_ERROR_STATE where another process does. Where folders cannot
// be locked (some network file systems) it is as if it were held.
firn_status firn_lock_take(firn_context *context, const char *folder, int *fd);
// The same for those who only look, and let a run begin meanwhile: whether one is at work now.
firn_status firn_lock_look(firn_context *context, const char *folder);

// Whether the folder that is held still has its name. Files are written by name: where another folder
// took it (somebody removed the first and made it anew), that one is not ours.
firn_status firn_lock_check(firn_context *context, const char *folder, int fd);

// A file of the folder besides, for file systems that lock no folders, and runs of versions that locked
// none: fd is held until it is closed.
firn_status firn_lock_file(firn_context *context, const char *path, int fd);
// For those who only look, likewise. Where path is no plain file, or cannot be read, nobody holds it.
firn_status firn_lock_look_file(firn_context *context, const char *path);

#endif
