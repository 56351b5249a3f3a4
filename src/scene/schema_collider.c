// SPDX-License-Identifier: Apache-2.0
// The rows of colliders and of how they move.
#include "base/schema_rows.h"
#include "scene/schema.h"

static const firn_schema_row oscillation_rows[] = {
    VEC3("translation", LENGTH, NULL, "[0, 0, 0]", "amplitude"),
    VEC3("swing", ANGLE, NULL, "[0, 0, 0]", "amplitude, about the axis along this vector"),
    REAL("frequency", RATE, "(0, inf)", NULL, "there and back, times a second", .required = true),
    REAL("phase", ANGLE, NULL, "0", "90 deg begins at the amplitude"),
};
static const firn_schema_record oscillation_record = {"an oscillation", ROWS(oscillation_rows)};

static const firn_schema_row circle_rows[] = {
    VEC3("arm", LENGTH, NULL, NULL, "from the middle of the circle to the pivot at time 0",
         .required = true),
    VEC3("axis", NONE, NULL, "[0, 1, 0]", "that it goes round; any length but zero"),
    REAL("frequency", RATE, NULL, NULL, "turns a second", .required = true),
};
static const firn_schema_record circle_record = {"a circle", ROWS(circle_rows)};

// How a collider moves all the time, said by itself or in its motion.
#define STEADY_ROWS(about)                                                                         \
  VEC3("velocity", VELOCITY, NULL, "[0, 0, 0]", "all the time"),                                   \
      VEC3("spin", SPIN, NULL, "[0, 0, 0]", "about " about ", all the time")

static const firn_schema_row motion_rows[] = {
    VEC3("pivot", LENGTH, NULL, NULL,
         "the point that it turns about; the middle of the shape where not given"),
    STEADY_ROWS("the pivot"),
    VEC3("translation", LENGTH, NULL, NULL, "from where the shape is given", .keyed = true),
    VEC3("rotation", ANGLE, NULL, NULL, "an axis times an angle; from key to key the shorter way",
         .keyed = true),
    REAL("angle", ANGLE, NULL, NULL, "about axis; may be more than a turn", .keyed = true),
    VEC3("axis", NONE, NULL, "[0, 0, 1]", "of angle; any length but zero"),
    RECORD("oscillation", &oscillation_record, "to and fro like a sine", .optional = true),
    RECORD("circle", &circle_record, "round and round without turning", .optional = true),
};
static const firn_schema_record motion_record = {"a motion", ROWS(motion_rows)};

static const firn_schema_row load_rows[] = {
    REAL("mass", MASS, "(0, inf)", NULL, "more than that of the snow that it moves within a step",
         .required = true),
    VEC3("axis", NONE, NULL, "[0, -1, 0]", "that it moves along; any length but zero"),
    REAL("force", FORCE, NULL, "0", "along axis, beside its weight and the snow's push",
         .keyed = true),
    BOOL("weightless", "false", "gravity leaves it alone"),
    REAL("damping", RATE, "[0, inf)", "0", "of its speed"),
    RANGE("travel", LENGTH, "[-inf, inf]", "[-.inf, .inf]",
          "from here to there along axis, from where the shape is given; it stops there"),
};
static const firn_schema_record load_record = {"a load", ROWS(load_rows)};

// Of a collider, or of one of its parts.
#define MOTION_ROW(about) RECORD("motion", &motion_record, about, .optional = true)

static const firn_schema_row part_rows[] = {
    TEXT("name", NULL, "for parent and messages"),
    TEXT("parent", NULL, "name of a part above, with which it moves; the collider where not given"),
    CHOICE("shape", &firn_schema_shape,
           "where it is when nothing has moved; none: a joint that moves its children"),
    MOTION_ROW("relative to the parent"),
    RECORD("look", &firn_schema_look, "in pictures; that of the collider where not given",
           .optional = true),
};
static const firn_schema_record part_record = {"a part", ROWS(part_rows)};

static const firn_schema_row sequence_rows[] = {
    PATHS("files", "closed meshes in the order of time", .group = "files", .required = true),
    PATH("pattern", "their common name with #### for the number: walk_####.obj", .group = "files",
         .required = true),
    INT("first", "[0, 999999]", "0", "number of the pattern's first file"),
    INT("count", "[0, 100000]", "0", "files of the pattern; 0: as many as there are"),
    REAL("start", TIME, NULL, "0", "time of the first mesh"),
    REAL("interval", TIME, "(0, inf)", NULL, "from mesh to mesh", .required = true),
    BOOL("loop", "false", "begins again after the last, which should look like the first"),
    ENUM("up", "y|z", "y", "the axis of the files that points up"),
    REAL("scale", NONE, "(0, inf)", "1", "metres a unit of the files"),
    ENUM("holes", "keep|fill", "keep",
         "keep: a mesh with holes is an error; fill: they are closed"),
    REAL("voxel", LENGTH, "[0, inf)", "0",
         "spacing of the distance fields; 0: 1/100 of the longest edge"),
    INT("band", "[0, 100]", "0", "voxels to each side of the surface that are exact; 0: 3"),
};
static const firn_schema_record sequence_record = {"a sequence", ROWS(sequence_rows)};

static const firn_schema_row collider_rows[] = {
    TEXT("name", NULL, "for messages and colliders.csv"),
    // Before parts, whose looks would otherwise be named for a key that belongs here.
    RECORD("look", &firn_schema_look,
           "in pictures; that of render.ground or render.bodies where not given", .optional = true),
    CHOICE("shape", &firn_schema_shape, "what the snow meets", .group = "shape", .required = true),
    LIST("parts", &part_record, "a tree of parts, each moving with its parent", .group = "shape",
         .required = true),
    RECORD("sequence", &sequence_record, "a body that deforms, as meshes at key times",
           .group = "shape", .required = true, .optional = true),
    REAL("friction", NONE, "[0, inf]", "0.5", "Coulomb's coefficient; under mpm and flip",
         .keyed = true),
    REAL("friction_viscosity", VISCOSITY, "[0, 1e9]", "1",
         "nu_b, by which snow is slowed down on it; under sph", .keyed = true),
    REAL("adhesion", ACCELERATION, "[0, 1e9]", "0",
         "pull on snow close by; under sph some 250 g hold up a layer", .keyed = true),
    REAL("temperature", TEMPERATURE, "(0, inf)", NULL,
         "of its surface, which heats or cools what touches it; under sph. None: it keeps heat in",
         .keyed = true),
    BOOL("sticky", "false", "holds what touches it, whatever the direction", .keyed = true),
    BOOL("present", "true", "false: it moves on, and meets nothing", .keyed = true),
    STEADY_ROWS("the pivot, or the middle of the shape"),
    MOTION_ROW("by keys or by formula"),
    RECORD("load", &load_record, "a force that moves it along an axis, against the snow",
           .optional = true),
    BOOL("forces", "true", "what the snow does to it goes to colliders.csv"),
    ENUM("in_pictures", "shown|hidden|holdout", "shown",
         "hidden: left out; holdout: the camera sees a hole, with alpha 0, in its place"),
};
const firn_schema_record firn_schema_collider = {"a collider", ROWS(collider_rows)};
