// SPDX-License-Identifier: Apache-2.0
// Frames read back: the files that a run has written.
#ifndef FIRN_FRAME_H
#define FIRN_FRAME_H

#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_frame firn_frame;

// Opens a frame file. The message tells a missing, truncated, damaged or foreign file apart.
FIRN_API firn_status firn_frame_open(firn_context *context, const char *path, firn_frame **out);
FIRN_API void firn_frame_close(firn_frame *frame); // NULL is allowed

FIRN_API size_t firn_frame_count(const firn_frame *frame);   // particles
FIRN_API double firn_frame_time(const firn_frame *frame);    // s; nan when the file does not say
FIRN_API double firn_frame_h(const firn_frame *frame);       // m, grid spacing; 0: does not say
FIRN_API double firn_frame_spacing(const firn_frame *frame); // m, of particles in bulk; 0: as above
FIRN_API int firn_frame_number(const firn_frame *frame);     // in its run; -1: does not say
FIRN_API const char *firn_frame_solver(const firn_frame *frame); // "mpm"; "": does not say
// What it was computed in, whatever the numbers of the file are: "float" or "double"; "": does not say.
FIRN_API const char *firn_frame_precision(const firn_frame *frame);

// Fields by number, in order of their names, and by name. FIRN_ERROR_ARGUMENT when there is none.
// writable is always false; the texts live as long as the frame.
FIRN_API int firn_frame_field_count(const firn_frame *frame);
FIRN_API firn_status firn_frame_field_at_sized(const firn_frame *frame, int i, firn_field_info *out,
                                               size_t size);
static inline firn_status firn_frame_field_at(const firn_frame *frame, int i,
                                              firn_field_info *out) {
  return firn_frame_field_at_sized(frame, i, out, sizeof *out);
}
FIRN_API firn_status firn_frame_field_named_sized(const firn_frame *frame, const char *name,
                                                  firn_field_info *out, size_t size);
static inline firn_status firn_frame_field_named(const firn_frame *frame, const char *name,
                                                 firn_field_info *out) {
  return firn_frame_field_named_sized(frame, name, out, sizeof *out);
}
// out is [count][components].
FIRN_API firn_status firn_frame_read_double(firn_frame *frame, const char *field, double *out);
FIRN_API firn_status firn_frame_read_float(firn_frame *frame, const char *field, float *out);

// A part of a collider as it was at the frame's time. A point X of its shape, as the scene defines it,
// was at R X + shift and moved with velocity + spin x (x - pivot).
typedef struct firn_frame_body {
  int collider, part; // in the order of the scene
  uint64_t shape;     // fingerprint of the shape; 0: a bare joint
  double rotation[4]; // R, as x, y, z, w
  double shift[3];    // m
  double pivot[3];    // m
  double velocity[3]; // m/s
  double spin[3];     // rad/s
} firn_frame_body;
// [count], by collider and part; lives as long as the frame. Frames that
// were written before firn wrote bodies have none.
FIRN_API const firn_frame_body *firn_frame_bodies(const firn_frame *frame, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
