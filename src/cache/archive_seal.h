// SPDX-License-Identifier: Apache-2.0
// The seal at the end of a file: what the file's bytes must be.
//
// HDF5 trusts what it reads: version 1.10 uses memory that it has freed where metadata is damaged.
// So every byte is looked at before HDF5 is. A file is sealed after HDF5 has closed it and checked
// before HDF5 opens it; HDF5's own readers stop where the header says that the file ends, and never
// see the seal.
//
//   content          what HDF5 wrote, size bytes
//   uint64 [blocks]  a hash of each block of 1 MiB of content; the last one may be shorter
//   uint64           size
//   uint64           a hash of the two above
//   char [8]         "FIRNSEL1"
//
// All numbers are little-endian. The hashes find accidents, not forgeries.
#ifndef FIRN_CACHE_ARCHIVE_SEAL_H
#define FIRN_CACHE_ARCHIVE_SEAL_H

#include <stdint.h>

#include "base/context.h"

enum { FIRN_SEAL_BLOCK = 1 << 20 }; // bytes of content a hash

// 64 bits that differ whenever the data differ in one aligned word of 8 bytes, and practically
// always otherwise.
uint64_t firn_seal_hash(const void *data, size_t size);

// Appends the seal to the size bytes that the file has. Reads all of them; path is for messages.
firn_status firn_seal_write(firn_context *context, const char *path, int fd, uint64_t size);

// Reads all of a file of size bytes. FIRN_OK: it is as it was sealed, and content has that many
// bytes. Otherwise the message tells a truncated, damaged, lengthened or unsealed file apart.
firn_status firn_seal_check(firn_context *context, const char *path, int fd, uint64_t size,
                            uint64_t *content);

// The hash of a file's hashes, which tells its content from others'; the content is not looked at.
firn_status firn_seal_sum(firn_context *context, const char *path, uint64_t *sum);

#endif
