// SPDX-License-Identifier: Apache-2.0
// The rows of colliders and of how they move.
#include "scene/schema.h"

#define ROWS FIRN_SCHEMA_ROWS

static const firn_schema_row oscillation_rows[] = {
    {.key = "translation",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .initial = "[0, 0, 0]",
     .doc = "amplitude"},
    {.key = "swing",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_ANGLE,
     .initial = "[0, 0, 0]",
     .doc = "amplitude, about the axis along this vector"},
    {.key = "frequency",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_RATE,
     .range = "(0, inf)",
     .required = true,
     .doc = "there and back, times a second"},
    {.key = "phase",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .initial = "0",
     .doc = "90 deg begins at the amplitude"},
};
static const firn_schema_record oscillation_record = {"an oscillation", ROWS(oscillation_rows)};

static const firn_schema_row circle_rows[] = {
    {.key = "arm",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "from the middle of the circle to the pivot at time 0"},
    {.key = "axis",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, 1, 0]",
     .doc = "that it goes round; any length but zero"},
    {.key = "frequency",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_RATE,
     .required = true,
     .doc = "turns a second"},
};
static const firn_schema_record circle_record = {"a circle", ROWS(circle_rows)};

// How a collider moves all the time, said by itself or in its motion.
#define STEADY_ROWS(about)                                                                         \
  {.key = "velocity",                                                                              \
   .type = FIRN_TYPE_VEC3,                                                                         \
   .dimension = FIRN_DIM_VELOCITY,                                                                 \
   .initial = "[0, 0, 0]",                                                                         \
   .doc = "all the time"},                                                                         \
  {                                                                                                \
    .key = "spin", .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_SPIN, .initial = "[0, 0, 0]",     \
    .doc = "about " about ", all the time"                                                         \
  }

static const firn_schema_row motion_rows[] = {
    {.key = "pivot",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .doc = "the point that it turns about; the middle of the shape where not given"},
    STEADY_ROWS("the pivot"),
    {.key = "translation",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .keyed = true,
     .doc = "from where the shape is given"},
    {.key = "rotation",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_ANGLE,
     .keyed = true,
     .doc = "an axis times an angle; from key to key the shorter way"},
    {.key = "angle",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .keyed = true,
     .doc = "about axis; may be more than a turn"},
    {.key = "axis",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, 0, 1]",
     .doc = "of angle; any length but zero"},
    {.key = "oscillation",
     .type = FIRN_TYPE_RECORD,
     .record = &oscillation_record,
     .optional = true,
     .doc = "to and fro like a sine"},
    {.key = "circle",
     .type = FIRN_TYPE_RECORD,
     .record = &circle_record,
     .optional = true,
     .doc = "round and round without turning"},
};
static const firn_schema_record motion_record = {"a motion", ROWS(motion_rows)};

// Of a collider, or of one of its parts.
#define MOTION_ROW(about)                                                                          \
  {                                                                                                \
    .key = "motion", .type = FIRN_TYPE_RECORD, .record = &motion_record, .optional = true,         \
    .doc = about                                                                                   \
  }

static const firn_schema_row part_rows[] = {
    {.key = "name", .type = FIRN_TYPE_TEXT, .doc = "for parent and messages"},
    {.key = "parent",
     .type = FIRN_TYPE_TEXT,
     .doc = "name of a part above, with which it moves; the collider where not given"},
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &firn_schema_shape,
     .doc = "where it is when nothing has moved; none: a joint that moves its children"},
    MOTION_ROW("relative to the parent"),
};
static const firn_schema_record part_record = {"a part", ROWS(part_rows)};

static const firn_schema_row sequence_rows[] = {
    {.key = "files",
     .type = FIRN_TYPE_PATHS,
     .group = "files",
     .required = true,
     .doc = "closed meshes in the order of time"},
    {.key = "pattern",
     .type = FIRN_TYPE_PATH,
     .group = "files",
     .required = true,
     .doc = "their common name with #### for the number: walk_####.obj"},
    {.key = "first",
     .type = FIRN_TYPE_INT,
     .range = "[0, 999999]",
     .initial = "0",
     .doc = "number of the pattern's first file"},
    {.key = "count",
     .type = FIRN_TYPE_INT,
     .range = "[0, 100000]",
     .initial = "0",
     .doc = "files of the pattern; 0: as many as there are"},
    {.key = "start",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TIME,
     .initial = "0",
     .doc = "time of the first mesh"},
    {.key = "interval",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TIME,
     .range = "(0, inf)",
     .required = true,
     .doc = "from mesh to mesh"},
    {.key = "loop",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "begins again after the last, which should look like the first"},
    {.key = "up",
     .type = FIRN_TYPE_ENUM,
     .choices = "y|z",
     .initial = "y",
     .doc = "the axis of the files that points up"},
    {.key = "scale",
     .type = FIRN_TYPE_REAL,
     .range = "(0, inf)",
     .initial = "1",
     .doc = "metres a unit of the files"},
    {.key = "holes",
     .type = FIRN_TYPE_ENUM,
     .choices = "keep|fill",
     .initial = "keep",
     .doc = "keep: a mesh with holes is an error; fill: they are closed"},
    {.key = "voxel",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "spacing of the distance fields; 0: 1/100 of the longest edge"},
    {.key = "band",
     .type = FIRN_TYPE_INT,
     .range = "[0, 100]",
     .initial = "0",
     .doc = "voxels to each side of the surface that are exact; 0: 3"},
};
static const firn_schema_record sequence_record = {"a sequence", ROWS(sequence_rows)};

static const firn_schema_row collider_rows[] = {
    {.key = "name", .type = FIRN_TYPE_TEXT, .doc = "for messages and colliders.csv"},
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &firn_schema_shape,
     .group = "shape",
     .required = true,
     .doc = "what the snow meets"},
    {.key = "parts",
     .type = FIRN_TYPE_LIST,
     .record = &part_record,
     .group = "shape",
     .required = true,
     .doc = "a tree of parts, each moving with its parent"},
    {.key = "sequence",
     .type = FIRN_TYPE_RECORD,
     .record = &sequence_record,
     .group = "shape",
     .required = true,
     .optional = true,
     .doc = "a body that deforms, as meshes at key times"},
    {.key = "friction",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf]",
     .initial = "0.5",
     .keyed = true,
     .doc = "Coulomb's coefficient"},
    {.key = "sticky",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .keyed = true,
     .doc = "holds what touches it, whatever the direction"},
    STEADY_ROWS("the pivot, or the middle of the shape"),
    MOTION_ROW("by keys or by formula"),
    {.key = "forces",
     .type = FIRN_TYPE_BOOL,
     .initial = "true",
     .doc = "what the snow does to it goes to colliders.csv"},
    {.key = "look",
     .type = FIRN_TYPE_RECORD,
     .record = &firn_schema_look,
     .optional = true,
     .doc = "in pictures; that of render.ground or render.bodies where not given"},
};
const firn_schema_record firn_schema_collider = {"a collider", ROWS(collider_rows)};
