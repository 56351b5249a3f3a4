// SPDX-License-Identifier: Apache-2.0
// The folder of a run while it is written: its files of a kind, by frame number. <firn/folder.h> is
// for those who read it.
#ifndef FIRN_CACHE_FOLDER_H
#define FIRN_CACHE_FOLDER_H

#include "base/context.h"

#define FIRN_FRAME_PREFIX      "frame_"
#define FIRN_CHECKPOINT_PREFIX "checkpoint_"
#define FIRN_FINE_FOLDER       "fine" // in that of a run: frames of its fine particles
enum { FIRN_FRAME_LAST = 99999 };     // five digits, so that names sort as numbers do

// Makes the folder, and those above it that are missing.
firn_status firn_folder_make(firn_context *context, const char *folder);

// folder/<prefix>%05d.hdf into path[FIRN_PATH_SIZE].
firn_status firn_numbered_path(firn_context *context, const char *folder, const char *prefix,
                               int number, char *path);

// The numbers of all <prefix>%05d.hdf of the folder, ascending, [*count] from the context; free
// count * sizeof(int) bytes.
firn_status firn_numbered_list(firn_context *context, const char *folder, const char *prefix,
                               int **numbers, size_t *count);

#endif
