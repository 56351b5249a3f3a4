// SPDX-License-Identifier: Apache-2.0
// Numbers as text for other programs: a point for the decimal sign whatever the locale.
#ifndef FIRN_CACHE_NUMBER_H
#define FIRN_CACHE_NUMBER_H

#include <stddef.h>

enum { FIRN_NUMBER_SIZE = 24 }; // holds any of them

// "%.9g", but whole numbers below 1e15 in full and no minus zero. Returns the length.
size_t firn_number_print(char out[FIRN_NUMBER_SIZE], double value);

#endif
