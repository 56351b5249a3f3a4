// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011). A number is a pure function of
// seed, stream, particle id and index, so seeding does not depend on order or on threads.
#ifndef FIRN_BASE_RANDOM_H
#define FIRN_BASE_RANDOM_H

#include <stdint.h>

#include "base/device.h"

typedef struct firn_philox {
  uint32_t v[4];
} firn_philox;

FIRN_HD firn_philox firn_philox4x32(uint64_t seed, uint64_t id, uint32_t stream, uint32_t index) {
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  firn_philox c = {{(uint32_t)id, (uint32_t)(id >> 32), stream, index}};
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xD2511F53u * c.v[0], b = (uint64_t)0xCD9E8D57u * c.v[2];
    c = (firn_philox){{(uint32_t)(b >> 32) ^ c.v[1] ^ key0, (uint32_t)b,
                       (uint32_t)(a >> 32) ^ c.v[3] ^ key1, (uint32_t)a}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

// Uniform in [0, 1): 32 bits are plenty for a position within a cell.
FIRN_HD double firn_uniform(uint32_t bits) {
  return bits * 0x1p-32;
}

#endif
