// SPDX-License-Identifier: Apache-2.0
// The surface of the snow: where a density falls below a level, as a closed mesh of triangles.
#ifndef FIRN_CACHE_EXPORT_SURFACE_H
#define FIRN_CACHE_EXPORT_SURFACE_H

#include "cache/export_raster.h"
#include "cache/export_sink.h"

typedef struct firn_surface {
  firn_context *context;
  size_t vertex_count, triangle_count;
  float (*position)[3];    // m, [vertex_count]
  float (*normal)[3];      // unit vectors out of the snow
  float (*velocity)[3];    // m/s; NULL where the raster has no momentum
  uint32_t (*triangle)[3]; // counterclockwise as seen from outside, [triangle_count]
} firn_surface;

// level is in kg/m^3; smooth is the number of smoothing steps, 0 for none. The mesh is closed: each
// edge belongs to two triangles that run along it in opposite directions. The same raster gives the
// same bytes at any number of threads.
firn_status firn_surface_build(const firn_raster *raster, double level, int smooth,
                               firn_surface *out);
void firn_surface_free(firn_surface *surface);

// Adds a ball for each particle that the surface at that level leaves outside, alone or in spray. size is
// its radius in that of a ball of the particle's mass at rest_density; 0: none are added. The raster is
// the one the surface was made of, the cloud the raster's. Balls may overlap; each is closed.
firn_status firn_surface_add_spray(firn_surface *surface, const firn_cloud *cloud,
                                   const firn_raster *raster, double level, double rest_density,
                                   double size);

// Smooths positions and sets normals (export_smooth.c).
firn_status firn_surface_finish(firn_surface *surface, int smooth);

// Mesh files; normals are written, velocities where there are any and the format has a place.
void firn_export_surface_ply(const firn_surface *surface, firn_sink *sink);
void firn_export_surface_obj(const firn_surface *surface, firn_sink *sink);

// ---- the table of cases (export_cases.c)

// A cube of nodes: corner i is at (i & 1, i >> 1 & 1, i >> 2). Edge 4 a + k runs along axis a from
// the k-th of the four corners whose coordinate a is 0.
enum { FIRN_CUBE_EDGES = 12, FIRN_CUBE_TRIANGLES = 12, FIRN_CUBE_CENTERS = 3 };

// What one of the 256 sets of inner corners makes of a cube.
typedef struct firn_cube_case {
  uint8_t triangles, centers;
  uint8_t triangle[FIRN_CUBE_TRIANGLES][3];           // edges, or FIRN_CUBE_EDGES + center
  uint8_t around[FIRN_CUBE_CENTERS][FIRN_CUBE_EDGES]; // the edges whose mean a center is
  uint8_t around_count[FIRN_CUBE_CENTERS];
} firn_cube_case;

int firn_cube_edge_corner(int edge); // the corner it begins at
// Bit i of a case is corner i.
void firn_cube_cases(firn_cube_case cases[256]);

#endif
