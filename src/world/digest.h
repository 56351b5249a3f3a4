// SPDX-License-Identifier: Apache-2.0
// Fingerprints of definitions, to tell whether two worlds were defined alike.
#ifndef FIRN_WORLD_DIGEST_H
#define FIRN_WORLD_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define FIRN_DIGEST_START UINT64_C(0xcbf29ce484222325)

// FNV-1a, 64 bits. Structs with padding must be hashed field by field.
static inline uint64_t firn_digest(uint64_t digest, const void *data, size_t size) {
  const unsigned char *byte = (const unsigned char *)data;
  for (size_t i = 0; i < size; i++) {
    // The analyser does not know that all bytes of a double are set.
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    digest = (digest ^ byte[i]) * UINT64_C(0x100000001b3);
  }
  return digest;
}

#endif
