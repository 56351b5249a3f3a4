// SPDX-License-Identifier: Apache-2.0
// Points on surfaces, for solvers that see bodies as points: no two nearer than FIRN_SAMPLE_NEAREST
// spacings, and no point of the surface farther than one spacing from a sample.
//
// Half spaces and boxes, moved or as parts of unions, intersections and differences, have a square
// lattice in their flat faces, as far as it fits: a spacing apart in a half space, and in a box the
// nearest whole fraction of the edge, with samples in edges and corners. Everything else has samples
// thrown at random until no more fit (Poisson discs), some 1.0 for each square of the spacing. Distances
// are those through space: both sides of a plate thinner than the spacing share their samples.
//
// What is where depends on the surface, the spacing and the seed only: never on threads, and for
// distances not on the box that is asked for. Boxes are half open, lo <= x < hi, so that boxes side by
// side never give the same sample twice and never lack one, however far apart in time they are asked.
#ifndef FIRN_GEOMETRY_SURFACE_SAMPLES_H
#define FIRN_GEOMETRY_SURFACE_SAMPLES_H

#include "geometry/level_set_sequence.h"
#include "geometry/mesh.h"
#include "geometry/shape.h"

#define FIRN_SAMPLE_NEAREST 0.83 // spacings

enum { FIRN_SAMPLE_NO_TRIANGLE = UINT32_MAX };

typedef struct firn_surface_sample {
  double position[3]; // m
  double normal[3];   // outward, of unit length
  double weight[3];   // of the corners of its triangle, where there is one
  uint32_t triangle;  // of the mesh, or FIRN_SAMPLE_NO_TRIANGLE
} firn_surface_sample;

typedef struct firn_surface_samples {
  firn_context *context;
  size_t count, capacity;
  firn_surface_sample *sample; // [count]
} firn_surface_samples;

typedef struct firn_surface_def {
  double spacing;      // m
  double lo[3], hi[3]; // m: the box to be sampled; infinite where the surface has bounds
  double time;         // s: of users' distances and of deforming bodies
  uint64_t seed;
} firn_surface_def;

// A spacing and no box, time 0, seed 0.
firn_surface_def firn_default_surface_def(double spacing);

// Each makes out anew, also when it fails; what begins the messages ("collider 'floor'"). Positions are
// in the space in which the shape is defined.
firn_status firn_shape_surface(const firn_shape *shape, const firn_surface_def *def,
                               const char *what, firn_surface_samples *out);
firn_status firn_level_set_surface(const firn_level_set *set, const firn_surface_def *def,
                                   const char *what, firn_surface_samples *out);
firn_status firn_sequence_surface(const firn_sequence *sequence, const firn_surface_def *def,
                                  const char *what, firn_surface_samples *out);
// A mesh may be open. What lies in the box depends on the whole mesh, not on the box.
firn_status firn_mesh_surface(const firn_mesh *mesh, const firn_surface_def *def, const char *what,
                              firn_surface_samples *out);
void firn_surface_samples_free(firn_surface_samples *samples);

// Moves samples of a mesh to where their triangles are now: triangle as the mesh has them, position
// [vertex_count][3] in m. velocity [count][3] (m/s, may be NULL) is that of the samples, from those of
// the vertices.
void firn_surface_samples_carry(firn_surface_samples *samples, const uint32_t *triangle,
                                const double *position, const double *vertex_velocity,
                                double (*velocity)[3]);

#endif
