// SPDX-License-Identifier: Apache-2.0
// The rows of shapes. A shape is a map with the key of its kind and perhaps modifiers.
#include "scene/schema.h"

#define ROWS FIRN_SCHEMA_ROWS

#define CENTER(what)                                                                               \
  {                                                                                                \
    .key = "center", .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_LENGTH, .required = true,       \
    .doc = what                                                                                    \
  }
#define PLACE(what)                                                                                \
  {                                                                                                \
    .key = "center", .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_LENGTH, .initial = "[0, 0, 0]", \
    .doc = what                                                                                    \
  }
#define POINT(name, what)                                                                          \
  {                                                                                                \
    .key = name, .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_LENGTH, .required = true,           \
    .doc = what                                                                                    \
  }
#define LENGTH(name, what)                                                                         \
  {                                                                                                \
    .key = name, .type = FIRN_TYPE_REAL, .dimension = FIRN_DIM_LENGTH, .range = "(0, inf)",        \
    .required = true, .doc = what                                                                  \
  }
#define LENGTH_OR(name, value, what)                                                               \
  {                                                                                                \
    .key = name, .type = FIRN_TYPE_REAL, .dimension = FIRN_DIM_LENGTH, .range = "[0, inf)",        \
    .initial = value, .doc = what                                                                  \
  }
#define SIZE(what)                                                                                 \
  {                                                                                                \
    .key = "size", .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_LENGTH, .range = "(0, inf)",      \
    .required = true, .doc = what                                                                  \
  }
#define OF(what)                                                                                   \
  {                                                                                                \
    .key = "of", .type = FIRN_TYPE_CHOICE, .record = &firn_schema_shape, .required = true,         \
    .doc = what                                                                                    \
  }
#define SEED                                                                                       \
  {                                                                                                \
    .key = "seed", .type = FIRN_TYPE_INT, .range = "[0, 9007199254740992]", .initial = "0",        \
    .doc = "of the noise"                                                                          \
  }
#define OCTAVES                                                                                    \
  {                                                                                                \
    .key = "octaves", .type = FIRN_TYPE_INT, .range = "[1, 16]", .initial = "1",                   \
    .doc = "of the noise, each half as long and half as high as the one before"                    \
  }

static const firn_schema_row half_space_rows[] = {
    {.key = "point",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .initial = "[0, 0, 0]",
     .doc = "a point of the plane that bounds it"},
    {.key = "normal",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, 1, 0]",
     .doc = "points out of the solid side; any length but zero"},
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
    {.key = "radii",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .required = true,
     .doc = "along x, y and z"},
};
static const firn_schema_record ellipsoid_record = {"an ellipsoid", ROWS(ellipsoid_rows)};

static const firn_schema_row capsule_rows[] = {
    POINT("from", "one end of its axis"),
    POINT("to", "the other end of its axis"),
    LENGTH("radius", "its radius, at from"),
    {.key = "radius_to",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .doc = "its radius at to; the same where not given"},
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
    {.key = "axis",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, 1, 0]",
     .doc = "that it lies around; any length but zero"},
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
  {                                                                                                \
    .key = "points", .type = FIRN_TYPE_NUMBERS, .width = 2, .dimension = FIRN_DIM_LENGTH,          \
    .required = true, .doc = "x and y of each corner, from center"                                 \
  }
#define BULGE                                                                                      \
  {                                                                                                \
    .key = "bulge", .type = FIRN_TYPE_NUMBERS,                                                     \
    .doc = "a number a point: tan(angle / 4) of the arc to the next point; 0: straight"            \
  }
#define DEPTH LENGTH("depth", "along z, half of it to each side of center")

static const firn_schema_row contour_rows[] = {POINTS, BULGE};
static const firn_schema_record contour_record = {"a hole", ROWS(contour_rows)};

static const firn_schema_row polygon_rows[] = {
    PLACE("where its points are counted from"),
    POINTS,
    BULGE,
    {.key = "holes",
     .type = FIRN_TYPE_LIST,
     .record = &contour_record,
     .doc = "contours to be cut out"},
    DEPTH,
};
static const firn_schema_record polygon_record = {"a polygon", ROWS(polygon_rows)};

static const firn_schema_row path_rows[] = {
    PLACE("where its points are counted from"),
    POINTS,
    BULGE,
    {.key = "closed",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "goes back to its first point"},
    LENGTH("thickness", "of the line"),
    DEPTH,
};
static const firn_schema_record path_record = {"a path", ROWS(path_rows)};

static const firn_schema_row text_rows[] = {
    {.key = "text",
     .type = FIRN_TYPE_TEXT,
     .required = true,
     .doc = "ASCII letters, digits and signs; \\n begins a line"},
    PLACE("where the first line's base line is, and what lines are aligned to"),
    LENGTH("height", "of a capital letter"),
    LENGTH("depth", "along z, half of it to each side of center"),
    {.key = "thickness",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .doc = "of its strokes; a sixth of the height where not given"},
    {.key = "spacing",
     .type = FIRN_TYPE_REAL,
     .range = "(0, 100]",
     .initial = "1",
     .doc = "of letters, in widths of the usual gap"},
    {.key = "line_spacing",
     .type = FIRN_TYPE_REAL,
     .range = "(0, 100]",
     .initial = "1.6",
     .doc = "of base lines, in letter heights"},
    {.key = "align",
     .type = FIRN_TYPE_ENUM,
     .choices = "left|center|right",
     .initial = "center",
     .doc = "of lines"},
};
static const firn_schema_record text_record = {"a text", ROWS(text_rows)};

static const firn_schema_row height_field_rows[] = {
    PLACE("the middle of its rectangle, at height 0"),
    {.key = "size",
     .type = FIRN_TYPE_VEC2,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .required = true,
     .doc = "along x and z"},
    {.key = "image",
     .type = FIRN_TYPE_PATH,
     .group = "heights",
     .doc = "a PNG: black is 0, white is amplitude; its top row lies at least z"},
    {.key = "wavelength",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .group = "heights",
     .required = true,
     .doc = "hills of noise: of the first octave"},
    LENGTH("amplitude", "height of white, or of the noise"),
    OCTAVES,
    SEED,
    LENGTH_OR("depth", "0", "thickness below height 0; 0: ground without bottom and edges"),
};
static const firn_schema_record height_field_record = {"a height field", ROWS(height_field_rows)};

static const firn_schema_row mesh_rows[] = {
    {.key = "file",
     .type = FIRN_TYPE_PATH,
     .required = true,
     .doc = "OBJ, PLY, STL, glTF or GLB; closed"},
    {.key = "up",
     .type = FIRN_TYPE_ENUM,
     .choices = "y|z",
     .initial = "y",
     .doc = "the axis of the file that points up"},
    {.key = "scale",
     .type = FIRN_TYPE_REAL,
     .range = "(0, inf)",
     .initial = "1",
     .doc = "metres a unit of the file"},
    LENGTH_OR("weld", "0", "vertices this near become one"),
    {.key = "holes",
     .type = FIRN_TYPE_ENUM,
     .choices = "keep|fill",
     .initial = "keep",
     .doc = "keep: a mesh with holes is an error; fill: they are closed"},
    LENGTH_OR("voxel", "0", "spacing of its distance field; 0: 1/100 of its longest edge"),
    {.key = "band",
     .type = FIRN_TYPE_INT,
     .range = "[0, 100]",
     .initial = "0",
     .doc = "voxels to each side of the surface that are exact; 0: 3"},
};
static const firn_schema_record mesh_record = {"a mesh", ROWS(mesh_rows)};

static const firn_schema_row smooth_rows[] = {
    {.key = "of",
     .type = FIRN_TYPE_CHOICES,
     .record = &firn_schema_shape,
     .required = true,
     .doc = "shapes"},
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
    {.key = "by",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "above 0 grows, with rounded edges; below 0 shrinks"},
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
    {.key = "count",
     .type = FIRN_TYPE_VEC3,
     .range = "[1, 10000]",
     .required = true,
     .doc = "copies along x, y and z, whole numbers"},
    {.key = "step",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "from copy to copy; the first is the shape itself"},
};
static const firn_schema_record repeat_record = {"a repetition", ROWS(repeat_rows)};

static const firn_schema_row mirror_rows[] = {
    OF("a shape"),
    {.key = "axis",
     .type = FIRN_TYPE_ENUM,
     .choices = "x|y|z",
     .initial = "x",
     .doc = "across which it is mirrored"},
    {.key = "at",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .initial = "0",
     .doc = "coordinate of the mirror; what lies beyond it counts"},
};
static const firn_schema_record mirror_record = {"a mirror image", ROWS(mirror_rows)};

#define KIND(name, which, what)                                                                    \
  { .key = name, .type = FIRN_TYPE_RECORD, .record = &which, .doc = what }
#define SEVERAL(name, what)                                                                        \
  { .key = name, .type = FIRN_TYPE_CHOICES, .record = &firn_schema_shape, .doc = what }

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
    {.key = "scale",
     .type = FIRN_TYPE_REAL,
     .range = "(0, inf)",
     .modifier = true,
     .doc = "about the origin, before rotate"},
    {.key = "rotate",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_ANGLE,
     .modifier = true,
     .doc = "about the origin, before move: an axis times an angle, as [0, 0, 30 deg]"},
    {.key = "move",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .modifier = true,
     .doc = "at last"},
};
const firn_schema_record firn_schema_shape = {"a shape", ROWS(shape_rows)};
