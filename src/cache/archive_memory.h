// SPDX-License-Identifier: Apache-2.0
// The calls of archive.h for an archive in memory; archive_write.c and archive_read.c pass them on.
#ifndef FIRN_CACHE_ARCHIVE_MEMORY_H
#define FIRN_CACHE_ARCHIVE_MEMORY_H

#include "cache/archive_private.h"

firn_status firn_memory_write(firn_archive *a, const char *name, firn_archive_info info,
                              const void *data);
firn_status firn_memory_set(firn_archive *a, const char *object, const char *name,
                            firn_archive_info info, const void *data);
firn_status firn_memory_refuse(const firn_archive *a, const char *what);

bool firn_memory_has_attribute(firn_archive *a, const char *object, const char *name);
firn_status firn_memory_describe(firn_archive *a, const char *name, firn_archive_info *out);
// info: what is expected, exactly.
firn_status firn_memory_read(firn_archive *a, const char *name, firn_archive_info info, void *data);
firn_status firn_memory_get(firn_archive *a, const char *object, const char *name,
                            firn_archive_type type, void *value);
firn_status firn_memory_get_text(firn_archive *a, const char *object, const char *name, char *text,
                                 size_t size);
firn_status firn_memory_count(firn_archive *a, const char *group, int *count);

#endif
