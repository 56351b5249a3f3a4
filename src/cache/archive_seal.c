// SPDX-License-Identifier: Apache-2.0
#include "cache/archive_seal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "cache/file.h"

static const unsigned char magic[8] = {'F', 'I', 'R', 'N', 'S', 'E', 'L', '1'};
enum { WORD = 8, FOOT = 3 * WORD }; // bytes of a number; of size, hash and magic

typedef unsigned long long ull;

// ------------------------------------------------------------------------------------------- hash

// Compilers make one move of this on a little-endian machine, but not of a loop.
static uint64_t get(const unsigned char *p) {
  return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
         (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static void put(unsigned char *p, uint64_t w) {
  for (int i = 0; i < WORD; i++) p[i] = (unsigned char)(w >> (8 * i));
}

// One to one in h for a given w and in w for a given h, so a single changed word always shows. An
// odd factor carries changes upwards, the rotation brings them down again.
static uint64_t mix(uint64_t h, uint64_t w) {
  h = (h ^ w) * 0x9fb21c651e98df25u;
  return h << 29 | h >> 35;
}

// Four chains side by side: one alone would wait for its own multiplications.
uint64_t firn_seal_hash(const void *data, size_t size) {
  const unsigned char *p = data;
  uint64_t a = 0x243f6a8885a308d3u, b = 0x13198a2e03707344u; // digits of pi
  uint64_t c = 0xa4093822299f31d0u, d = 0x082efa98ec4e6c89u;
  size_t left = size;
  for (; left >= 4 * WORD; left -= 4 * WORD, p += 4 * WORD) {
    a = mix(a, get(p));
    b = mix(b, get(p + WORD));
    c = mix(c, get(p + 2 * WORD));
    d = mix(d, get(p + 3 * WORD));
  }
  for (; left >= WORD; left -= WORD, p += WORD) a = mix(a, get(p));
  unsigned char rest[WORD] = {0};
  if (left) memcpy(rest, p, left);
  uint64_t h = mix(mix(mix(mix(mix(a, get(rest)), b), c), d), size);
  h = mix(h, h >> 32);
  return mix(h, h >> 32);
}

// ------------------------------------------------------------------------------------------ bytes

static uint64_t block_count(uint64_t size) {
  return size / FIRN_SEAL_BLOCK + (size % FIRN_SEAL_BLOCK != 0);
}

static uint64_t seal_size(uint64_t size) {
  return WORD * block_count(size) + FOOT;
}

// Returns 0 or an errno.
static int write_at(int fd, const unsigned char *p, uint64_t size, uint64_t at) {
  while (size) {
    ssize_t n = pwrite(fd, p, (size_t)size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return ENOSPC;
    p += n;
    size -= (uint64_t)n;
    at += (uint64_t)n;
  }
  return 0;
}

// Hashes block i of a file whose content has size bytes; block is [FIRN_SEAL_BLOCK].
static int hash_block(int fd, unsigned char *block, uint64_t size, uint64_t i, uint64_t *hash) {
  uint64_t at = i * FIRN_SEAL_BLOCK, left = size - at;
  size_t n = left < FIRN_SEAL_BLOCK ? (size_t)left : FIRN_SEAL_BLOCK;
  int error = firn_file_read_at(fd, block, n, at);
  *hash = error ? 0 : firn_seal_hash(block, n);
  return error;
}

// ---------------------------------------------------------------------------------------- sealing

firn_status firn_seal_write(firn_context *context, const char *path, int fd, uint64_t size) {
  uint64_t blocks = block_count(size), length = seal_size(size);
  size_t bytes = FIRN_SEAL_BLOCK + (size_t)length;
  unsigned char *block = firn_alloc(context, bytes, "the seal of a file");
  if (!block) return FIRN_ERROR_MEMORY;
  unsigned char *seal = block + FIRN_SEAL_BLOCK, *foot = seal + WORD * blocks;
  int error = 0;
  for (uint64_t i = 0; i < blocks && !error; i++) {
    uint64_t hash;
    error = hash_block(fd, block, size, i, &hash);
    put(seal + WORD * i, hash);
  }
  firn_status status = FIRN_OK;
  if (error) {
    status = firn_file_fail(context, "read back", path, error);
  } else {
    put(foot, size);
    put(foot + WORD, firn_seal_hash(seal, (size_t)(WORD * blocks + WORD)));
    memcpy(foot + 2 * WORD, magic, sizeof magic);
    error = write_at(fd, seal, length, size);
    if (error) status = firn_file_fail(context, "write", path, error);
  }
  firn_free(context, block, bytes);
  return status;
}

// --------------------------------------------------------------------------------------- checking

static bool has_magic(const unsigned char *foot) {
  return memcmp(foot + 2 * WORD, magic, sizeof magic) == 0;
}

// Where the content ends by HDF5's own header (superblock versions 0 to 3); 0: it does not say.
static uint64_t promised_end(const unsigned char head[48]) {
  return head[8] < 2 ? get(head + 40) : head[8] < 4 ? get(head + 28) : 0;
}

// There is no seal at the end. HDF5's header helps to say why; it may be damaged itself.
static firn_status say_why(firn_context *context, const char *path, int fd, uint64_t size) {
  unsigned char head[48], foot[FOOT];
  if (size < sizeof head) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is damaged: it ends after %llu bytes, within its header", path, (ull)size);
  }
  int error = firn_file_read_at(fd, head, sizeof head, 0);
  if (error) return firn_file_fail(context, "read", path, error);
  uint64_t end = promised_end(head);
  if (end > size) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is damaged: it is truncated, to %llu bytes of %llu or more", path,
                     (ull)size, (ull)end);
  }
  uint64_t beyond = size - end, length = seal_size(end);
  if (end && beyond && beyond < length) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is damaged: it is truncated, to %llu bytes of %llu", path, (ull)size,
                     (ull)(end + length));
  }
  if (end && beyond > length) {
    error = firn_file_read_at(fd, foot, FOOT, end + length - FOOT);
    if (error) return firn_file_fail(context, "read", path, error);
    if (has_magic(foot)) {
      return firn_fail(context, FIRN_ERROR_FORMAT,
                       "%s is damaged: %llu bytes follow where it should end", path,
                       (ull)(beyond - length));
    }
  }
  if (end && beyond == length) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is damaged: the seal in its last %llu bytes is broken", path, (ull)length);
  }
  return firn_fail(context, FIRN_ERROR_FORMAT,
                   "%s is damaged or foreign: it has no seal of firn, as files have that it wrote "
                   "and no other program changed",
                   path);
}

// Whether block i is as its seal says; one that cannot be read is not.
static bool is_whole(int fd, unsigned char *block, uint64_t size, uint64_t i,
                     const unsigned char *seal) {
  uint64_t hash;
  return !hash_block(fd, block, size, i, &hash) && hash == get(seal + WORD * i);
}

// Each thread reads and hashes into a block of its own, [threads][FIRN_SEAL_BLOCK].
static uint64_t first_bad_block(const firn_context *context, int fd, unsigned char *block,
                                uint64_t size, const unsigned char *seal) {
  uint64_t blocks = block_count(size), bad = blocks;
  if (blocks < 2) return !blocks || is_whole(fd, block, size, 0, seal) ? blocks : 0;
  FIRN_PARALLEL(context) {
    unsigned char *mine = block + (size_t)omp_get_thread_num() * FIRN_SEAL_BLOCK;
#pragma omp for schedule(dynamic, 4) reduction(min : bad)
    for (uint64_t i = 0; i < blocks; i++)
      if (!is_whole(fd, mine, size, i, seal) && i < bad) bad = i;
  }
  return bad;
}

static firn_status check_blocks(firn_context *context, const char *path, int fd, uint64_t size,
                                unsigned char *block, const unsigned char *seal) {
  uint64_t blocks = block_count(size);
  if (firn_seal_hash(seal, (size_t)(WORD * blocks + WORD)) != get(seal + WORD * blocks + WORD)) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is damaged: the seal in its last %llu bytes is broken", path,
                     (ull)seal_size(size));
  }
  uint64_t bad = first_bad_block(context, fd, block, size, seal), hash;
  if (bad == blocks) return FIRN_OK;
  int error = hash_block(fd, block, size, bad, &hash);
  if (error) return firn_file_fail(context, "read", path, error);
  uint64_t first = bad * FIRN_SEAL_BLOCK, left = size - first;
  return firn_fail(context, FIRN_ERROR_FORMAT,
                   "%s is damaged: something in bytes %llu to %llu of %llu is not as it was "
                   "written",
                   path, (ull)first,
                   (ull)(first + (left < FIRN_SEAL_BLOCK ? left : FIRN_SEAL_BLOCK) - 1),
                   (ull)(size + seal_size(size)));
}

firn_status firn_seal_check(firn_context *context, const char *path, int fd, uint64_t size,
                            uint64_t *content) {
  unsigned char foot[FOOT] = {0};
  *content = 0;
  if (size < FOOT) return say_why(context, path, fd, size);
  int error = firn_file_read_at(fd, foot, FOOT, size - FOOT);
  if (error) return firn_file_fail(context, "read", path, error);
  if (!has_magic(foot)) return say_why(context, path, fd, size);
  uint64_t sealed = get(foot);
  if (sealed > size || sealed + seal_size(sealed) != size) {
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s is damaged: it has %llu bytes, and its seal is for %llu and itself", path,
                     (ull)size, (ull)sealed);
  }
  size_t desks = block_count(sealed) > 1 ? (size_t)context->threads : 1;
  size_t bytes = desks * FIRN_SEAL_BLOCK + (size_t)seal_size(sealed);
  unsigned char *block = firn_alloc(context, bytes, "the seal of a file");
  if (!block) return FIRN_ERROR_MEMORY;
  unsigned char *seal = block + desks * FIRN_SEAL_BLOCK;
  error = firn_file_read_at(fd, seal, seal_size(sealed), sealed);
  firn_status status = error ? firn_file_fail(context, "read", path, error)
                             : check_blocks(context, path, fd, sealed, block, seal);
  firn_free(context, block, bytes);
  if (status == FIRN_OK) *content = sealed;
  return status;
}

firn_status firn_seal_sum(firn_context *context, const char *path, uint64_t *sum) {
  unsigned char foot[FOOT];
  size_t size;
  int fd;
  FIRN_TRY(firn_file_open(context, path, &fd, &size));
  int error = size < FOOT ? 0 : firn_file_read_at(fd, foot, FOOT, size - FOOT);
  close(fd);
  if (error) return firn_file_fail(context, "read", path, error);
  if (size < FOOT || !has_magic(foot))
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s has no seal", path);
  *sum = get(foot + WORD);
  return FIRN_OK;
}
