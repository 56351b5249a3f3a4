// SPDX-License-Identifier: Apache-2.0
// Decimal numbers as text, for other programs and from them: a point for the decimal sign, whatever
// the locale of the process.
#ifndef FIRN_BASE_NUMBER_H
#define FIRN_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

// The decimal number that text begins with, as "-1.5e3", rounded to the nearest double; text ends
// after size bytes or at its 0. Returns the length; 0: there is none. What is too large gives
// infinity; "nan", "inf" and hexadecimal numbers are none.
size_t firn_number_read(const char *text, size_t size, double *out);
// Whether all of text, which ends with 0, is a number.
bool firn_number_is(const char *text, double *out);

enum { FIRN_NUMBER_SIZE = 26 }; // holds any that is printed

// "%.*g". These return the length.
size_t firn_number_format(char out[FIRN_NUMBER_SIZE], int digits, double value);
// "%.9g", but whole numbers below 1e15 in full and no minus zero.
size_t firn_number_print(char out[FIRN_NUMBER_SIZE], double value);
// "%.15g", or the more digits that it takes to read the same double again.
size_t firn_number_print_exact(char out[FIRN_NUMBER_SIZE], double value);

#endif
