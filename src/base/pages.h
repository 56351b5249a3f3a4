// SPDX-License-Identifier: Apache-2.0
// Large pages, for what is read or written all over: with small ones half of the time may be spent on
// finding them.
#ifndef FIRN_BASE_PAGES_H
#define FIRN_BASE_PAGES_H

#include <stddef.h>

// Of memory that was just allocated. Only a wish: where they are not to be had, nothing changes.
void firn_large_pages(void *p, size_t size);

#endif
