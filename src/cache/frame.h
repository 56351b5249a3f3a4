// SPDX-License-Identifier: Apache-2.0
// Frame files: particles at one moment, in the VTKHDF UnstructuredGrid layout that ParaView opens
// (the name must end in .hdf for it to try). No solver is known here: a frame is named arrays.
//
//   /VTKHDF                 Version, Type
//     NumberOfPoints, NumberOfCells, NumberOfConnectivityIds     one number each
//     Points                [n][3]
//     Connectivity, Offsets, Types      one poly-vertex cell of all points; no cell when n is 0
//     PointData/<field>     [n] or [n][k]; position is a second name for Points
//     FieldData/            time, frame
//   /firn                   version, h, spacing and kernel (m), and the writer's texts
//     bodies/               collider, part, shape [n] and their poses; see frame_bodies.c
#ifndef FIRN_CACHE_FRAME_H
#define FIRN_CACHE_FRAME_H

#include "cache/archive.h"

typedef struct firn_frame_array {
  const char *name;       // "velocity"; "position" is required and [count][3]
  const char *unit;       // "m/s"; NULL or "": none
  firn_archive_type type; // how it is stored and what data points to
  int components;
  double step;      // what the values were rounded to multiples of; 0: they were not
  const void *data; // [count][components]
} firn_frame_array;

typedef struct firn_frame_text {
  const char *key, *value; // both the same in every run of a scene: files are compared by bytes
} firn_frame_text;

typedef struct firn_frame_head {
  size_t count;        // particles
  double time;         // s
  double h;            // m, grid spacing; 0: none
  double spacing;      // m, between particles in bulk; 0: not known
  double kernel;       // m, how wide the solver spreads a particle; 0: not known
  int frame;           // number; < 0: not part of a sequence
  bool packed;         // compress the arrays: slower to write, and worth it for rounded numbers
  uint64_t text_count; // attributes of the group /firn
  const firn_frame_text *text;
} firn_frame_head;

// Writing one array at a time, so that the caller needs memory for one only: begin, add all, and
// firn_archive_commit. Failures stick as the archive's do.
firn_status firn_frame_begin(firn_context *context, const char *path, const firn_frame_head *head,
                             firn_archive **out);
firn_status firn_frame_add(firn_archive *archive, const firn_frame_head *head,
                           const firn_frame_array *array);
// All at once.
firn_status firn_frame_write(firn_context *context, const char *path, const firn_frame_head *head,
                             int array_count, const firn_frame_array *arrays);

// Between begin and commit; the bodies stay as they are.
firn_status firn_frame_add_bodies(firn_context *context, firn_archive *archive, size_t count,
                                  firn_frame_body *body);

enum { FIRN_FRAME_FIELDS = 64, FIRN_FRAME_NAME = 64 };

typedef struct firn_frame_field {
  char name[FIRN_FRAME_NAME];
  char unit[FIRN_FRAME_NAME];
  firn_archive_type type;
  int components;
} firn_frame_field;

// Public as firn/frame.h has it.
struct firn_frame {
  firn_context *context;
  firn_archive *archive;
  size_t count;
  double time;                  // s; nan when the file does not say
  int frame;                    // -1 when the file does not say
  double h;                     // m; 0 when the file does not say, ...
  double spacing, kernel;       // ... m, likewise
  char solver[FIRN_FRAME_NAME]; // "" when the file does not say
  char precision[FIRN_FRAME_NAME];
  int field_count;
  firn_frame_field field[FIRN_FRAME_FIELDS]; // by name
  size_t body_count;
  firn_frame_body *body; // [body_count]
};

// firn_frame_open lists the fields too, and checks that each has one row a particle.
const firn_frame_field *firn_frame_find(const firn_frame *frame, const char *name); // or NULL
firn_status firn_frame_read_bodies(firn_frame *frame); // while it is opened
// Reads a field into data[count][components], converted to type.
firn_status firn_frame_read(firn_frame *frame, const char *name, int components,
                            firn_archive_type type, void *data);

#endif
