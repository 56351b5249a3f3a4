// SPDX-License-Identifier: Apache-2.0
// The rows of shapes. A shape is a map with the key of its kind and perhaps modifiers.
#include "base/schema_rows.h"
#include "scene/schema.h"

#define CENTER(what)                 VEC3("center", LENGTH, NULL, NULL, what, .required = true)
#define PLACE(what)                  VEC3("center", LENGTH, NULL, "[0, 0, 0]", what)
#define POINT(name, what)            VEC3(name, LENGTH, NULL, NULL, what, .required = true)
#define LENGTH(name, what)           REAL(name, LENGTH, "(0, inf)", NULL, what, .required = true)
#define LENGTH_OR(name, value, what) REAL(name, LENGTH, "[0, inf)", value, what)
#define SIZE(what)                   VEC3("size", LENGTH, "(0, inf)", NULL, what, .required = true)
#define OF(what)                     CHOICE("of", &firn_schema_shape, what, .required = true)
#define SEED                         INT("seed", "[0, 9007199254740992]", "0", "of the noise")
#define OCTAVES                                                                                    \
  INT("octaves", "[1, 16]", "1",                                                                   \
      "of the noise, each half as long and half as high as the one before")

static const firn_schema_row half_space_rows[] = {
    VEC3("point", LENGTH, NULL, "[0, 0, 0]", "a point of the plane that bounds it"),
    VEC3("normal", NONE, NULL, "[0, 1, 0]", "points out of the solid side; any length but zero"),
};
static const firn_schema_record half_space_record = {"a half space", ROWS(half_space_rows)};

static const firn_schema_row sphere_rows[] = {CENTER("its middle"), LENGTH("radius", "its radius")};
static const firn_schema_record sphere_record = {"a sphere", ROWS(sphere_rows)};

static const firn_schema_row box_rows[] = {
    CENTER("its middle"),
    SIZE("its edges, whole lengths"),
    LENGTH_OR("rounding", "0", "radius of its edges, within the box"),
};
static const firn_schema_record box_record = {"a box", ROWS(box_rows)};

static const firn_schema_row ellipsoid_rows[] = {
    CENTER("its middle"),
    VEC3("radii", LENGTH, "(0, inf)", NULL, "along x, y and z", .required = true),
};
static const firn_schema_record ellipsoid_record = {"an ellipsoid", ROWS(ellipsoid_rows)};

static const firn_schema_row capsule_rows[] = {
    POINT("from", "one end of its axis"),
    POINT("to", "the other end of its axis"),
    LENGTH("radius", "its radius, at from"),
    REAL("radius_to", LENGTH, "[0, inf)", NULL, "its radius at to; the same where not given"),
};
static const firn_schema_record capsule_record = {"a capsule", ROWS(capsule_rows)};

static const firn_schema_row cylinder_rows[] = {
    POINT("from", "the middle of one end"),
    POINT("to", "the middle of the other end"),
    LENGTH("radius", "its radius"),
};
static const firn_schema_record cylinder_record = {"a cylinder", ROWS(cylinder_rows)};

static const firn_schema_row cone_rows[] = {
    POINT("from", "the middle of its base"),
    POINT("to", "its tip, or the middle of its other end"),
    LENGTH("radius", "its radius at from"),
    LENGTH_OR("radius_to", "0", "its radius at to; 0: a tip"),
};
static const firn_schema_record cone_record = {"a cone", ROWS(cone_rows)};

static const firn_schema_row torus_rows[] = {
    CENTER("its middle"),
    VEC3("axis", NONE, NULL, "[0, 1, 0]", "that it lies around; any length but zero"),
    LENGTH("radius", "of the circle in the middle of the tube"),
    LENGTH("tube", "radius of the tube"),
};
static const firn_schema_record torus_record = {"a torus", ROWS(torus_rows)};

static const firn_schema_row prism_rows[] = {
    CENTER("the middle of the box around it"),
    SIZE("width of its base along x, height along y, length along z"),
};
static const firn_schema_record prism_record = {"a prism", ROWS(prism_rows)};

#define POINTS                                                                                     \
  NUMBERS("points", LENGTH, NULL, NULL, "x and y of each corner, from center", .width = 2,         \
          .required = true)
#define BULGE                                                                                      \
  NUMBERS("bulge", NONE, NULL, NULL,                                                               \
          "a number a point: tan(angle / 4) of the arc to the next point; 0: straight")
#define DEPTH LENGTH("depth", "along z, half of it to each side of center")

static const firn_schema_row contour_rows[] = {POINTS, BULGE};
static const firn_schema_record contour_record = {"a hole", ROWS(contour_rows)};

static const firn_schema_row polygon_rows[] = {
    PLACE("where its points are counted from"),
    POINTS,
    BULGE,
    LIST("holes", &contour_record, "contours to be cut out"),
    DEPTH,
};
static const firn_schema_record polygon_record = {"a polygon", ROWS(polygon_rows)};

static const firn_schema_row path_rows[] = {
    PLACE("where its points are counted from"),
    POINTS,
    BULGE,
    BOOL("closed", "false", "goes back to its first point"),
    LENGTH("thickness", "of the line"),
    DEPTH,
};
static const firn_schema_record path_record = {"a path", ROWS(path_rows)};

static const firn_schema_row text_rows[] = {
    TEXT("text", NULL, "ASCII letters, digits and signs; \\n begins a line", .required = true),
    PLACE("where the first line's base line is, and what lines are aligned to"),
    LENGTH("height", "of a capital letter"),
    LENGTH("depth", "along z, half of it to each side of center"),
    REAL("thickness", LENGTH, "(0, inf)", NULL,
         "of its strokes; a sixth of the height where not given"),
    REAL("spacing", NONE, "(0, 100]", "1", "of letters, in widths of the usual gap"),
    REAL("line_spacing", NONE, "(0, 100]", "1.6", "of base lines, in letter heights"),
    ENUM("align", "left|center|right", "center", "of lines"),
};
static const firn_schema_record text_record = {"a text", ROWS(text_rows)};

static const firn_schema_row height_field_rows[] = {
    PLACE("the middle of its rectangle, at height 0"),
    VEC2("size", LENGTH, "(0, inf)", NULL, "along x and z", .required = true),
    PATH("image", "a PNG: black is 0, white is amplitude; its top row lies at least z",
         .group = "heights"),
    REAL("wavelength", LENGTH, "(0, inf)", NULL, "hills of noise: of the first octave",
         .group = "heights", .required = true),
    LENGTH("amplitude", "height of white, or of the noise"),
    OCTAVES,
    SEED,
    LENGTH_OR("depth", "0", "thickness below height 0; 0: ground without bottom and edges"),
};
static const firn_schema_record height_field_record = {"a height field", ROWS(height_field_rows)};

static const firn_schema_row mesh_rows[] = {
    PATH("file", "OBJ, PLY, STL, glTF or GLB; closed", .required = true),
    ENUM("up", "y|z", "y", "the axis of the file that points up"),
    REAL("scale", NONE, "(0, inf)", "1", "metres a unit of the file"),
    LENGTH_OR("weld", "0", "vertices this near become one"),
    ENUM("holes", "keep|fill", "keep",
         "keep: a mesh with holes is an error; fill: they are closed"),
    LENGTH_OR("voxel", "0", "spacing of its distance field; 0: 1/100 of its longest edge"),
    INT("band", "[0, 100]", "0", "voxels to each side of the surface that are exact; 0: 3"),
};
static const firn_schema_record mesh_record = {"a mesh", ROWS(mesh_rows)};

static const firn_schema_row smooth_rows[] = {
    CHOICES("of", &firn_schema_shape, "shapes", .required = true),
    LENGTH("radius", "reach of the fillet"),
};
static const firn_schema_record smooth_record = {"a smooth union", ROWS(smooth_rows)};

static const firn_schema_row shell_rows[] = {
    OF("a shape"),
    LENGTH_OR("inward", "0", "thickness below the surface"),
    LENGTH_OR("outward", "0", "thickness above the surface"),
};
static const firn_schema_record shell_record = {"a shell", ROWS(shell_rows)};

static const firn_schema_row offset_rows[] = {
    OF("a shape"),
    REAL("by", LENGTH, NULL, NULL, "above 0 grows, with rounded edges; below 0 shrinks",
         .required = true),
};
static const firn_schema_record offset_record = {"an offset", ROWS(offset_rows)};

static const firn_schema_row displace_rows[] = {
    OF("a shape"),
    LENGTH("amplitude", "height of the noise"),
    LENGTH("wavelength", "of the noise's first octave"),
    OCTAVES,
    SEED,
};
static const firn_schema_record displace_record = {"a displacement", ROWS(displace_rows)};

static const firn_schema_row repeat_rows[] = {
    OF("a shape"),
    VEC3("count", NONE, "[1, 10000]", NULL, "copies along x, y and z, whole numbers",
         .required = true),
    VEC3("step", LENGTH, NULL, NULL, "from copy to copy; the first is the shape itself",
         .required = true),
};
static const firn_schema_record repeat_record = {"a repetition", ROWS(repeat_rows)};

static const firn_schema_row mirror_rows[] = {
    OF("a shape"),
    ENUM("axis", "x|y|z", "x", "across which it is mirrored"),
    REAL("at", LENGTH, NULL, "0", "coordinate of the mirror; what lies beyond it counts"),
};
static const firn_schema_record mirror_record = {"a mirror image", ROWS(mirror_rows)};

#define KIND(name, which, what) RECORD(name, &which, what)
#define SEVERAL(name, what)     CHOICES(name, &firn_schema_shape, what)

static const firn_schema_row shape_rows[] = {
    KIND("half_space", half_space_record, "everything behind a plane: ground, walls, slopes"),
    KIND("sphere", sphere_record, "a ball"),
    KIND("box", box_record, "a box along the axes"),
    KIND("ellipsoid", ellipsoid_record, "a ball with three radii"),
    KIND("capsule", capsule_record, "all that is near a line; with two radii a round cone"),
    KIND("cylinder", cylinder_record, "a cylinder with flat ends"),
    KIND("cone", cone_record, "a cone or frustum"),
    KIND("torus", torus_record, "a ring"),
    KIND("prism", prism_record, "a roof or wedge: a triangle in x and y, extruded along z"),
    KIND("polygon", polygon_record, "a polygon in x and y, extruded along z"),
    KIND("path", path_record,
         "a line in x and y with a thickness, extruded along z: blades, walls"),
    KIND("text", text_record, "letters in x and y, extruded along z"),
    KIND("height_field", height_field_record, "hills, from a picture or from noise"),
    KIND("mesh", mesh_record, "a closed surface of triangles from a file"),
    SEVERAL("union", "all of several shapes"),
    SEVERAL("intersection", "what several shapes have in common"),
    SEVERAL("difference", "the first shape without the others"),
    KIND("smooth_union", smooth_record, "all of several shapes, with fillets between them"),
    KIND("shell", shell_record, "what lies close to a shape's surface"),
    KIND("offset", offset_record, "a shape grown or shrunk"),
    KIND("displace", displace_record, "a shape roughened by noise"),
    KIND("repeat", repeat_record, "copies of a shape in a row or a lattice"),
    KIND("mirror", mirror_record, "a shape and its mirror image"),
    REAL("scale", NONE, "(0, inf)", NULL, "about the origin, before rotate", .modifier = true),
    VEC3("rotate", ANGLE, NULL, NULL,
         "about the origin, before move: an axis times an angle, as [0, 0, 30 deg]",
         .modifier = true),
    VEC3("move", LENGTH, NULL, NULL, "at last", .modifier = true),
};
const firn_schema_record firn_schema_shape = {"a shape", ROWS(shape_rows)};
