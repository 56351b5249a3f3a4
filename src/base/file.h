// SPDX-License-Identifier: Apache-2.0
// Plain files, to be read.
#ifndef FIRN_BASE_FILE_H
#define FIRN_BASE_FILE_H

#include "base/context.h"

// Opens a plain file for reading; nothing else is waited for or read.
firn_status firn_file_open(firn_context *context, const char *path, int *fd, size_t *size);
// A plain file into memory from the context, with a 0 byte after it; free size + 1 bytes.
firn_status firn_file_get(firn_context *context, const char *path, char **data, size_t *size);
// The same of what it has from an offset on, which may be nothing.
firn_status firn_file_get_from(firn_context *context, const char *path, size_t from, char **data,
                               size_t *size);

// FIRN_ERROR_IO with the file, what was tried ("write", "open") and the system's reason.
firn_status firn_file_fail(firn_context *context, const char *verb, const char *path, int error);

#endif
