// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // madvise
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

void firn_large_pages(void *p, size_t size) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = 1 << 21;
  uintptr_t from = ((uintptr_t)p + page - 1) & ~(page - 1),
            to = ((uintptr_t)p + size) & ~(page - 1);
  if (to > from) (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
#else
  (void)p;
  (void)size;
#endif
}
