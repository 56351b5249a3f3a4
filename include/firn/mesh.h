// SPDX-License-Identifier: Apache-2.0
// Meshes: triangles from files or arrays, and what moves or deforms with them.
//
//   firn_mesh_def def = firn_default_mesh_def();
//   firn_mesh *bunny;
//   firn_mesh_load(context, "bunny.ply", &def, &bunny);
//   firn_shape_def shape = firn_mesh_shape(bunny);  // a distance field is made of it when used
//   ...
//   firn_mesh_release(bunny);
//
// A mesh never changes once it is made, and lives until the last one who holds it has released it.
// docs/meshes.md says what files may hold, and what holes do.
#ifndef FIRN_MESH_H
#define FIRN_MESH_H

#include <firn/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_mesh firn_mesh;

typedef enum firn_up { FIRN_UP_Y, FIRN_UP_Z } firn_up;

typedef enum firn_holes {
  FIRN_HOLES_KEEP, // an open mesh stays open: it can be reported but not be used as a shape
  FIRN_HOLES_FILL  // a fan of triangles closes each hole
} firn_holes;

typedef struct firn_mesh_def {
  size_t size;      // of this struct: firn_default_mesh_def() knows
  firn_up up;       // which axis of the file points up; z is turned to y: (x, y, z) -> (x, z, -y)
  double scale;     // m per unit of the file
  double weld;      // m: vertices this near become one; 0: those at exactly the same place
  firn_holes holes; // what to do about edges that only one triangle has
  char reserved[4]; // 0: up to its end
} firn_mesh_def;

// y up, scale 1, weld 0, holes kept
FIRN_API void firn_mesh_def_init(firn_mesh_def *def, size_t size);
static inline firn_mesh_def firn_default_mesh_def(void) {
  firn_mesh_def def;
  firn_mesh_def_init(&def, sizeof def);
  return def;
}

// OBJ, PLY (text or binary), STL (text or binary), glTF and GLB, by the name's ending. Polygons are
// cut into triangles. Messages name the file and the line or byte.
FIRN_API firn_status firn_mesh_load(firn_context *context, const char *path,
                                    const firn_mesh_def *def, firn_mesh **out);
// The same from memory; name stands for the path in messages, and its ending tells the format. A
// glTF file in memory cannot point to other files.
FIRN_API firn_status firn_mesh_read_memory(firn_context *context, const char *name,
                                           const void *bytes, size_t size, const firn_mesh_def *def,
                                           firn_mesh **out);
// From arrays: positions [vertex_count][3] in units of def->scale, triangles
// [triangle_count][3], counterclockwise seen from outside. Both are copied.
FIRN_API firn_status firn_mesh_create(firn_context *context, const firn_mesh_def *def,
                                      size_t vertex_count, const double *positions,
                                      size_t triangle_count, const uint32_t *triangles,
                                      firn_mesh **out);
FIRN_API firn_mesh *firn_mesh_retain(const firn_mesh *mesh); // the mesh; NULL stays NULL
FIRN_API void firn_mesh_release(const firn_mesh *mesh);      // NULL is fine

FIRN_API size_t firn_mesh_vertex_count(const firn_mesh *mesh);
FIRN_API size_t firn_mesh_triangle_count(const firn_mesh *mesh);
FIRN_API const double *firn_mesh_positions(const firn_mesh *mesh);   // m, [vertex_count][3]
FIRN_API const uint32_t *firn_mesh_triangles(const firn_mesh *mesh); // [triangle_count][3]

enum { FIRN_MESH_EDGES = 4 };

// What the mesh is like. Edges count once, whatever number of triangles meets there.
typedef struct firn_mesh_report {
  size_t vertices, triangles;
  size_t pieces;            // connected parts
  bool closed;              // it has an inside: every edge is balanced, triangle against triangle
  size_t open_edges;        // edges whose triangles do not balance: borders of holes
  size_t holes;             // closed lines of such edges
  size_t nonmanifold_edges; // edges of more than two triangles
  size_t dropped;           // triangles without area, or given twice, that were left out
  size_t turned;            // triangles that were turned to agree with their neighbours
  size_t filled_holes;      // by FIRN_HOLES_FILL
  size_t welded;            // vertices that became one with another
  double lo[3], hi[3];      // m: bounds
  double area;              // m^2
  double volume;            // m^3; 0 unless closed
  int edge_count;           // the first few open edges:
  double edges[FIRN_MESH_EDGES][2][3]; // m: both ends, [edge_count][2][3]
} firn_mesh_report;

FIRN_API void firn_mesh_get_report_sized(const firn_mesh *mesh, firn_mesh_report *out, size_t size);
static inline void firn_mesh_get_report(const firn_mesh *mesh, firn_mesh_report *out) {
  firn_mesh_get_report_sized(mesh, out, sizeof *out);
}
// The same in a few sentences, one a line, cut off at size. Returns the length of the whole text.
FIRN_API size_t firn_mesh_describe(const firn_mesh *mesh, char *text, size_t size);

// A shape of the mesh, which must be closed: voxel and band at their defaults (shape.h).
FIRN_API firn_shape_def firn_mesh_shape(const firn_mesh *mesh);

// ------------------------------------------------------------------------------- deforming bodies

// A distance field given on a lattice of points: nodes[0] along x first, then y, then z.
typedef struct firn_distance_grid {
  double origin[3];       // m: the first node
  double voxel;           // m: spacing
  int nodes[3];           // along x, y, z; two or more each
  const double *distance; // m, negative inside: [nodes[2]][nodes[1]][nodes[0]]
  const double *velocity; // m/s, of the body: the same shape times [3]; NULL: at rest
} firn_distance_grid;

// A body that deforms, known at key times: by meshes or by distance fields, not both.
typedef struct firn_sequence_def {
  size_t size;                     // of this struct: firn_default_sequence_def() knows
  int count;                       // keys, one or more
  const double *times;             // s, [count], increasing
  const firn_mesh *const *meshes;  // [count], all closed; those of equal topology (vertex i is the
                                   // same point of the body in each) also tell how it slides
  const firn_distance_grid *grids; // [count]
  double voxel;                    // m: for meshes; 0: 1/100 of the longest edge of all bounds
  int band;                        // voxels to each side of the surface that are exact; 0: 3
  bool loop;        // after the last key comes the first, which should look the same;
                    // otherwise the body rests before the first and after the last key
  char reserved[3]; // 0: up to its end
} firn_sequence_def;

typedef struct firn_sequence firn_sequence;

FIRN_API void firn_sequence_def_init(firn_sequence_def *def, size_t size);
static inline firn_sequence_def firn_default_sequence_def(void) {
  firn_sequence_def def;
  firn_sequence_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sequence_create(firn_context *context, const firn_sequence_def *def,
                                          firn_sequence **out);
FIRN_API firn_sequence *firn_sequence_retain(const firn_sequence *sequence);
FIRN_API void firn_sequence_release(const firn_sequence *sequence);
FIRN_API size_t firn_sequence_bytes(const firn_sequence *sequence); // all keys are held in memory

#ifdef __cplusplus
}
#endif

#endif
