// SPDX-License-Identifier: Apache-2.0
// Rows of tables, a word a type: REAL("radius", LENGTH, "(0, inf)", NULL, "its radius"). Behind the
// line of words may stand what else a row has: .required = true, .keyed = true. For files that hold
// tables and nothing else, hence the plain names.
#ifndef FIRN_BASE_SCHEMA_ROWS_H
#define FIRN_BASE_SCHEMA_ROWS_H

#include "base/schema.h"

#define ROWS FIRN_SCHEMA_ROWS

#define ROW(key_, type_, ...)                                                                      \
  { .key = key_, .type = FIRN_TYPE_##type_, __VA_ARGS__ }
#define NUMBER(key_, type_, dimension_, range_, initial_, ...)                                     \
  ROW(key_, type_, .dimension = FIRN_DIM_##dimension_, .range = range_, .initial = initial_,       \
      .doc = __VA_ARGS__)

// (key, dimension, range or NULL, default or NULL, doc ...)
#define REAL(key_, dimension_, ...)    NUMBER(key_, REAL, dimension_, __VA_ARGS__)
#define VEC2(key_, dimension_, ...)    NUMBER(key_, VEC2, dimension_, __VA_ARGS__)
#define VEC3(key_, dimension_, ...)    NUMBER(key_, VEC3, dimension_, __VA_ARGS__)
#define RANGE(key_, dimension_, ...)   NUMBER(key_, RANGE, dimension_, __VA_ARGS__)
#define NUMBERS(key_, dimension_, ...) NUMBER(key_, NUMBERS, dimension_, __VA_ARGS__)
// (key, dimension, default or NULL, width, doc ...)
#define FORMULAS(key_, dimension_, initial_, width_, ...)                                          \
  NUMBER(key_, FORMULAS, dimension_, NULL, initial_, __VA_ARGS__, .width = width_)
// (key, range, default, doc ...)
#define INT(key_, ...)            NUMBER(key_, INT, NONE, __VA_ARGS__)
// (key, default or NULL, doc ...)
#define BOOL(key_, initial_, ...) ROW(key_, BOOL, .initial = initial_, .doc = __VA_ARGS__)
#define TEXT(key_, initial_, ...) ROW(key_, TEXT, .initial = initial_, .doc = __VA_ARGS__)
// (key, choices, default or NULL, doc ...)
#define ENUM(key_, choices_, initial_, ...)                                                        \
  ROW(key_, ENUM, .choices = choices_, .initial = initial_, .doc = __VA_ARGS__)
#define WORDS(key_, choices_, initial_, ...)                                                       \
  ROW(key_, WORDS, .choices = choices_, .initial = initial_, .doc = __VA_ARGS__)
// (key, doc ...)
#define PATH(key_, ...)             ROW(key_, PATH, .doc = __VA_ARGS__)
#define PATHS(key_, ...)            ROW(key_, PATHS, .doc = __VA_ARGS__)
#define ANYTHING(key_, ...)         ROW(key_, ANYTHING, .doc = __VA_ARGS__)
// (key, record, doc ...)
#define RECORD(key_, record_, ...)  ROW(key_, RECORD, .record = record_, .doc = __VA_ARGS__)
#define LIST(key_, record_, ...)    ROW(key_, LIST, .record = record_, .doc = __VA_ARGS__)
#define TABLE(key_, record_, ...)   ROW(key_, TABLE, .record = record_, .doc = __VA_ARGS__)
#define CHOICE(key_, record_, ...)  ROW(key_, CHOICE, .record = record_, .doc = __VA_ARGS__)
#define CHOICES(key_, record_, ...) ROW(key_, CHOICES, .record = record_, .doc = __VA_ARGS__)

#endif
