// SPDX-License-Identifier: Apache-2.0
// PLY files, as text or binary of either byte order: a header of elements and their properties, then
// the rows of each element.
#ifndef FIRN_GEOMETRY_PLY_H
#define FIRN_GEOMETRY_PLY_H

#include "geometry/words.h"

enum { FIRN_PLY_ELEMENTS = 32, FIRN_PLY_PROPERTIES = 256, FIRN_PLY_ENTRIES = 1024 };

typedef struct firn_ply_type firn_ply_type;

typedef struct firn_ply_property {
  char name[32];
  const firn_ply_type *value, *count; // count: of a list; NULL: of one value
  bool whole;                         // its values have no fractions
  size_t line;                        // of the header
} firn_ply_property;

typedef struct firn_ply_element {
  char name[32];
  uint64_t rows;
  int property_count;
  const firn_ply_property *property; // [property_count]
  int list; // the property whose entries are kept, set by who reads; -1: none
} firn_ply_element;

typedef struct firn_ply {
  firn_file_bytes file;
  firn_words words; // the header, and the body if it is text
  size_t at;        // the body if it is binary: byte
  size_t header;    // the header's last line
  bool binary, big_endian;
  int element_count, property_count;
  firn_ply_element element[FIRN_PLY_ELEMENTS];
  firn_ply_property property[FIRN_PLY_PROPERTIES];
  // The row that was read last: a number a property, of a list how many entries it has, and the
  // entries of the list that is kept.
  double value[FIRN_PLY_PROPERTIES], entry[FIRN_PLY_ENTRIES];
} firn_ply;

// Reads the header; file must outlive the reader.
firn_status firn_ply_open(const firn_file_bytes *file, firn_ply **out);
void firn_ply_close(firn_ply *ply); // NULL is allowed
// The next row into value and entry. Elements and their rows must be read in turn, all of them up to
// the last that is wanted; number, from 0, is for messages.
firn_status firn_ply_read_row(firn_ply *ply, const firn_ply_element *element, uint64_t number);
// FIRN_ERROR_FORMAT at the place that was read last: what and a value.
firn_status firn_ply_fail(const firn_ply *ply, const char *what, double value);

#endif
