// SPDX-License-Identifier: Apache-2.0
// Shapes: where snow is, and what it meets. Every shape is a signed distance in metres, negative
// inside. docs/shapes.md has a line on each kind.
//
//   firn_shape_def d = firn_box_of_size(center, size);   // a def is enough for fills and colliders
//   firn_shape *box, *ball, *hollow;                     // shapes that others are made of
//   firn_shape_create(context, &d, &box);
//   ...
//   firn_shape_def cut = firn_difference(2, (const firn_shape *[]){box, ball});
//   firn_shape_create(context, &cut, &hollow);
//   fill.shape = firn_shape_handle(hollow);
//
// A shape never changes once it is made, and lives until the last one who holds it has released
// it. Whatever is made of a shape (another shape, a fill, a collider) holds it, too.
#ifndef FIRN_SHAPE_H
#define FIRN_SHAPE_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_shape firn_shape;
typedef struct firn_mesh firn_mesh; // mesh.h

// Signed distance to a user's surface, metres, negative inside; gradient (need not be a unit
// vector) to normal. Must change by at most 1 m per m, or thin contact may be missed. Called by
// several threads at once, and must give the same answer each time. The step or fill that gets nan
// fails.
typedef double (*firn_sdf_fn)(void *user, const double position[3], double time, double normal[3]);

// m/s, of the point of a user's surface that is nearest to position. A distance that depends on time
// says where the surface is, not how it moves: without this one it counts as standing still wherever it
// is, and snow before it is pushed out of it bit by bit, with next to no force. Of bodies that move as a
// whole a collider's motion is the better way. Called as the distance is; the step that gets anything
// but finite numbers fails.
typedef void (*firn_velocity_fn)(void *user, const double position[3], double time,
                                 double velocity[3]);

typedef enum firn_shape_kind {
  FIRN_SHAPE_HALF_SPACE, // the side that normal points away from
  FIRN_SHAPE_SPHERE,
  FIRN_SHAPE_BOX,    // rounded where rounding is set
  FIRN_SHAPE_SDF,    // a user's function
  FIRN_SHAPE_HANDLE, // a shape made before
  FIRN_SHAPE_ELLIPSOID,
  FIRN_SHAPE_CAPSULE, // a round cone where its radii differ
  FIRN_SHAPE_CYLINDER,
  FIRN_SHAPE_CONE, // or frustum
  FIRN_SHAPE_TORUS,
  FIRN_SHAPE_PRISM,   // a roof: a triangle in x and y, extruded along z
  FIRN_SHAPE_POLYGON, // a polygon in x and y, extruded along z
  FIRN_SHAPE_PATH,    // a line in x and y with a thickness, extruded along z
  FIRN_SHAPE_TEXT,    // letters in x and y, extruded along z
  FIRN_SHAPE_HEIGHT_FIELD,
  FIRN_SHAPE_MESH,
  FIRN_SHAPE_UNION,
  FIRN_SHAPE_INTERSECTION,
  FIRN_SHAPE_DIFFERENCE,   // the first child without the others
  FIRN_SHAPE_SMOOTH_UNION, // with a fillet
  FIRN_SHAPE_TRANSFORM,    // scaled, then rotated, then moved
  FIRN_SHAPE_SHELL,        // what lies close to the surface
  FIRN_SHAPE_OFFSET,       // grown, with rounded edges, or shrunk
  FIRN_SHAPE_DISPLACE,     // roughened by noise
  FIRN_SHAPE_REPEAT,       // copies in a row or a lattice
  FIRN_SHAPE_MIRROR,       // the part on one side of a plane, on both
} firn_shape_kind;

typedef enum firn_align { FIRN_ALIGN_LEFT, FIRN_ALIGN_CENTER, FIRN_ALIGN_RIGHT } firn_align;

// Only what the kind uses need be set; the rest is zero. Pointers are read while the shape is made
// and not afterwards; shapes pointed to are held.
typedef struct firn_shape_def {
  firn_shape_kind kind;
  double
      center[3]; // m: a point of the plane, or the middle; what extrusions and fields are placed at
  double normal[3]; // half space: outward normal; torus: its axis (0: y); any length
  double radius;    // m: sphere; capsule, cylinder, cone: at from; torus: of the middle circle
  double half[3]; // m: box: half its edges; ellipsoid: radii; prism: half its width, height, length
  firn_sdf_fn sdf; // FIRN_SHAPE_SDF
  void *sdf_user;
  firn_velocity_fn sdf_velocity; // of the same user; NULL: its surface stands still

  double rounding;       // m: box: radius of its edges, within the box
  double from[3], to[3]; // m: capsule, cylinder, cone: ends of the axis
  double radius_to;      // m: capsule, cone: at to
  double tube;           // m: torus: radius of the tube

  // Extrusions reach depth / 2 to both sides of center along z.
  double depth;         // m
  const double *points; // m: polygon, path: [point_count][2], x and y from center
  int point_count;
  const double *bulge; // [point_count] or NULL: tan(angle / 4) of the arc to the next point, > 0:
                       // turning left; 0: straight
  const int *contours; // polygon: points of each contour, [contour_count], or NULL: one contour;
  int contour_count;   // what lies within an odd number of contours is inside
  bool closed;         // path: back to its first point
  double thickness;    // m: path, and the strokes of text
  const char *text;    // ASCII; '\n' begins a line
  double height;       // m: of a capital letter
  double spacing;      // between letters, in widths of the usual gap; 0: 1
  double line_spacing; // between base lines, in letter heights; 0: 1.6
  firn_align align;    // of lines; center[1] is the base line of the first

  // Height field over a rectangle in x and z around center: inside is below center[1] + height and,
  // if depth > 0, above center[1] - depth and within the rectangle. With depth 0 it is ground: the
  // heights at the edges go on outwards, and there is no bottom.
  double size[2];        // m, along x and z
  int columns, rows;     // samples along x and z; 0: by the image or the noise
  const double *heights; // m, [rows][columns], first row at least z; or
  const char *image;     // a PNG, grey or colour, 8 or 16 bits: black is 0, white is amplitude; its
                         // top row lies at least z; or neither: noise

  // Noise of height fields and displacements.
  double amplitude;  // m
  double wavelength; // m, of the first octave
  int octaves;       // each half as long and half as high as the one before; 0: 1
  uint64_t seed;

  const firn_mesh *mesh; // FIRN_SHAPE_MESH
  double voxel;          // m: spacing of its distance field; 0: 1/100 of its longest edge
  int band;              // voxels to each side of the surface that are exact; 0: 3

  const firn_shape *shape;           // handle, transform, shell, offset, displace, repeat, mirror
  const firn_shape *const *children; // union, ..., smooth union: [child_count]
  int child_count;
  double smoothing;       // m: smooth union: reach of the fillet
  double translation[3];  // m
  double rotation[4];     // unit quaternion x, y, z, w; all 0: none
  double scale;           // 0: 1
  double inward, outward; // m: shell: thickness to each side of the surface
  double offset;          // m: > 0 grows
  int count[3];           // repeat: copies along x, y, z; 0: 1
  double step[3];         // m: repeat: from copy to copy; the first is the shape itself
  int axis;               // mirror: 0, 1, 2 for x, y, z; the plane goes through center[axis], and
                          // what is kept is on its side of larger coordinates
  double room[8];         // 0: for what later versions may add
} firn_shape_def;

// Solids.
FIRN_API firn_shape_def firn_half_space(const double point[3], const double normal[3]);
FIRN_API firn_shape_def firn_sphere(const double center[3], double radius);
// By the lengths of its edges, as `box: {center, size}` of a scene file.
FIRN_API firn_shape_def firn_box_of_size(const double center[3], const double size[3]);
FIRN_API firn_shape_def firn_rounded_box_of_size(const double center[3], const double size[3],
                                                 double rounding);
// The same by half its edges: size = 2 half.
FIRN_API firn_shape_def firn_box(const double center[3], const double half[3]);
FIRN_API firn_shape_def firn_rounded_box(const double center[3], const double half[3],
                                         double rounding);
FIRN_API firn_shape_def firn_ellipsoid(const double center[3], const double radii[3]);
FIRN_API firn_shape_def firn_capsule(const double from[3], const double to[3], double radius);
FIRN_API firn_shape_def firn_round_cone(const double from[3], const double to[3], double radius,
                                        double radius_to);
FIRN_API firn_shape_def firn_cylinder(const double from[3], const double to[3], double radius);
FIRN_API firn_shape_def firn_cone(const double from[3], const double to[3], double radius,
                                  double radius_to);
FIRN_API firn_shape_def firn_torus(const double center[3], const double axis[3], double radius,
                                   double tube);
// By its width, height and length, as `prism: {center, size}` of a scene file; and by half of each.
FIRN_API firn_shape_def firn_prism_of_size(const double center[3], const double size[3]);
FIRN_API firn_shape_def firn_prism(const double center[3], const double half[3]);

// Extrusions.
FIRN_API firn_shape_def firn_polygon(const double center[3], int point_count, const double *points,
                                     double depth);
FIRN_API firn_shape_def firn_path(const double center[3], int point_count, const double *points,
                                  const double *bulge, double thickness, double depth);
// Strokes of a sixth of the letter height, unless thickness is changed.
FIRN_API firn_shape_def firn_text(const double center[3], const char *text, double height,
                                  double depth);

// Height fields; size is m along x and z.
FIRN_API firn_shape_def firn_height_field(const double center[3], const double size[2], int columns,
                                          int rows, const double *heights);
FIRN_API firn_shape_def firn_height_image(const double center[3], const double size[2],
                                          const char *image, double amplitude);
FIRN_API firn_shape_def firn_height_noise(const double center[3], const double size[2],
                                          double amplitude, double wavelength, int octaves,
                                          uint64_t seed);

// Shapes made of shapes.
FIRN_API firn_shape_def firn_shape_handle(const firn_shape *shape);
FIRN_API firn_shape_def firn_union(int count, const firn_shape *const *shapes);
FIRN_API firn_shape_def firn_intersection(int count, const firn_shape *const *shapes);
FIRN_API firn_shape_def firn_difference(int count, const firn_shape *const *shapes);
FIRN_API firn_shape_def firn_smooth_union(int count, const firn_shape *const *shapes,
                                          double smoothing);
FIRN_API firn_shape_def firn_transform(const firn_shape *shape, const double translation[3],
                                       const double rotation[4], double scale);
FIRN_API firn_shape_def firn_shell(const firn_shape *shape, double inward, double outward);
FIRN_API firn_shape_def firn_offset(const firn_shape *shape, double offset);
FIRN_API firn_shape_def firn_displace(const firn_shape *shape, double amplitude, double wavelength,
                                      int octaves, uint64_t seed);
FIRN_API firn_shape_def firn_repeat(const firn_shape *shape, const int count[3],
                                    const double step[3]);
FIRN_API firn_shape_def firn_mirror(const firn_shape *shape, const double point[3], int axis);

// The quaternion x, y, z, w of a turn by angle [rad] about axis, whose length does not matter.
FIRN_API void firn_rotation(const double axis[3], double angle, double out[4]);

FIRN_API firn_status firn_shape_create(firn_context *context, const firn_shape_def *def,
                                       firn_shape **out);
FIRN_API firn_shape *firn_shape_retain(const firn_shape *shape); // the shape; NULL stays NULL
FIRN_API void firn_shape_release(const firn_shape *shape);       // NULL is fine

// Signed distance and outward unit normal (may be NULL). The sign is right everywhere; the size is
// the distance to the surface or less, never more. Any number of threads may ask at once.
FIRN_API double firn_shape_distance(const firn_shape *shape, const double position[3],
                                    double normal[3]);

// A box that holds the shape; false if nothing bounds it.
FIRN_API bool firn_shape_bounds(const firn_shape *shape, double lo[3], double hi[3]);

// m^3: in closed form where there is one, otherwise to about 1 %; infinite without bounds.
FIRN_API double firn_shape_volume(const firn_shape *shape);

#ifdef __cplusplus
}
#endif

#endif
