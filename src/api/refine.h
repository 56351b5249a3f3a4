// SPDX-License-Identifier: Apache-2.0
// What the files refine*.c share.
#ifndef FIRN_API_REFINE_H
#define FIRN_API_REFINE_H

#include <firn/firn.h>

#include "cache/frame.h"

// ------------------------------------------------------------------------------------------- the snow

// The particles of a frame that carry.
typedef struct firn_refine_snow {
  firn_context *context;
  size_t count;
  uint64_t *id;         // [count], ascending
  double *position;     // m, [count][3]
  double *velocity;     // m/s, [count][3]
  float *mass;          // kg, [count]; NULL: the frame does not say
  bool numbered;        // ids are the frame's, not the rows
  double time, spacing; // s, m
} firn_refine_snow;

firn_status firn_refine_snow_read(firn_frame *frame, const char *path, firn_refine_snow *out);
void firn_refine_snow_free(firn_refine_snow *snow);

// The way from one frame to the next: of each particle the cubic that has its places and velocities in
// both. Those of one frame only go straight on with what they have there.
typedef struct firn_refine_way {
  firn_context *context;
  size_t count;
  double *x[2], *v[2];         // in both frames, [count][3]
  double *position, *velocity; // at the time that they were placed for, likewise
  double time[2];              // s
  double speed;                // m/s, of the fastest then
} firn_refine_way;

firn_status firn_refine_way_make(const firn_refine_snow *from, const firn_refine_snow *to,
                                 firn_refine_way *out);
void firn_refine_way_place(firn_refine_way *way, double time);
void firn_refine_way_free(firn_refine_way *way);

// ------------------------------------------------------------------------------------------ the files

// A frame of fine particles in memory. Row per_particle p + k is number k of particle p of the snow.
typedef struct firn_refine_rows {
  firn_context *context;
  size_t count;
  float *position, *velocity; // m and m/s, [count][3]
  float *mass, *radius;       // kg and m, [count]; mass is NULL where the snow has none
  uint32_t *id;
} firn_refine_rows;

// Rows for the particles of the snow. Where old is given, those that were there go on from its rows, and
// old_snow is what they were of; the others begin within the spacing about their particle, with its velocity.
firn_status firn_refine_rows_make(const firn_refine_def *def, const firn_refine_snow *snow,
                                  const firn_refine_rows *old, const firn_refine_snow *old_snow,
                                  firn_refine_rows *out);
void firn_refine_rows_free(firn_refine_rows *rows);

// Writes them, and rounds positions and velocities to what the file then holds. from is the source's path.
firn_status firn_refine_rows_write(const firn_refine_def *def, firn_refine_rows *rows,
                                   const firn_frame *source, const char *from, const char *path);
// Whether a frame holds fine particles of the frame that the path from has; FIRN_ERROR_STATE: it does not.
// path is the frame's own.
firn_status firn_refine_source_check(firn_frame *frame, const char *from, const char *path);
// Whether a frame was made with these settings, of the frame that the path from has.
firn_status firn_refine_settings_check(const firn_refine_def *def, firn_frame *frame,
                                       const char *from, const char *path);
// Reads positions and velocities back into rows that were made for the same snow; fails where the file
// holds others.
firn_status firn_refine_rows_read(firn_refine_rows *rows, firn_frame *frame, const char *path);

#endif
