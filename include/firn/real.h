// SPDX-License-Identifier: Apache-2.0
// The working precision, for what is handed out as it lies in memory.
#ifndef FIRN_REAL_H
#define FIRN_REAL_H

// float, or double in the double build, whose `pkg-config --cflags firn` says FIRN_DOUBLE. Functions that
// hand it out are called otherwise there, so that a program compiled for one precision does not link
// with the other, rather than read nonsense.
#ifdef FIRN_DOUBLE
typedef double firn_real;
#define FIRN_REAL_NAME(name) name##_f64
#else
typedef float firn_real;
#define FIRN_REAL_NAME(name) name
#endif

#endif
