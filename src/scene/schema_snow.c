// SPDX-License-Identifier: Apache-2.0
// The rows of snow: bodies, sources, bounds, and where it is looked at.
#include <firn/fill.h>

#include "scene/schema.h"

#define ROWS FIRN_SCHEMA_ROWS

// ------------------------------------------------------------------------------------- variety

#define PROPERTIES(X)                                                                              \
  FIRN_MATERIAL_LIST(X, X, FIRN_NO_NUMBER)                                                         \
  X(PACKING, packing, NULL, NONE, )

#define PROPERTY_ROW(CONSTANT, name, law, dimension, ...)                                          \
  {#name, FIRN_PROPERTY_##CONSTANT, FIRN_DIM_##dimension},
const firn_schema_property firn_schema_properties[] = {PROPERTIES(PROPERTY_ROW){NULL, 0, 0}};
#define BAR_NAME(CONSTANT, name, ...) "|" #name
static const char properties[] = PROPERTIES(BAR_NAME);

static const firn_schema_row variation_rows[] = {
    {.key = "of",
     .type = FIRN_TYPE_WORDS,
     .choices = &properties[1],
     .required = true,
     .doc = "what varies; packing is the share of particles that are placed"},
    {.key = "depth",
     .type = FIRN_TYPE_RANGE,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[-inf, inf]",
     .group = "where",
     .doc = "only from here to there below the body's surface"},
    {.key = "height",
     .type = FIRN_TYPE_RANGE,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[-inf, inf]",
     .group = "where",
     .doc = "only from here to there along axis from the origin"},
    {.key = "mask",
     .type = FIRN_TYPE_CHOICE,
     .record = &firn_schema_shape,
     .group = "where",
     .doc = "only inside this shape"},
    {.key = "axis",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, 1, 0]",
     .doc = "of height; any length but zero"},
    {.key = "blend",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "fades out over this distance outside depth, height or mask"},
    {.key = "factor",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf)",
     .initial = "1",
     .doc = "multiplies"},
    {.key = "offset",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANY,
     .initial = "0",
     .doc = "then adds, in the unit of what varies"},
    {.key = "amplitude",
     .type = FIRN_TYPE_REAL,
     .range = "[0, 1]",
     .initial = "0",
     .doc = "then multiplies by 1 + amplitude noise: 50 % is half to one and a half times"},
    {.key = "wavelength",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .doc = "of the noise; needed with an amplitude"},
    {.key = "octaves",
     .type = FIRN_TYPE_INT,
     .range = "[1, 16]",
     .initial = "1",
     .doc = "of the noise, each half as long and half as strong as the one before"},
    {.key = "seed",
     .type = FIRN_TYPE_INT,
     .range = "[0, 9007199254740992]",
     .initial = "0",
     .doc = "of the noise, besides the scene's"},
};
static const firn_schema_record variation_record = {"a variation", ROWS(variation_rows)};

// --------------------------------------------------------------------------------- bodies of snow

#define MATERIAL                                                                                   \
  {                                                                                                \
    .key = "material", .type = FIRN_TYPE_MATERIAL,                                                 \
    .doc = "a material of this file or a preset; the only one of this file, else snow"             \
  }
#define SPIN                                                                                       \
  {                                                                                                \
    .key = "spin", .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_SPIN, .initial = "[0, 0, 0]",     \
    .doc = "about the middle of the shape, at the beginning"                                       \
  }
#define SEEDING                                                                                    \
  {                                                                                                \
    .key = "seeding", .type = FIRN_TYPE_ENUM, .choices = "random|jittered|lattice|poisson",        \
    .initial = "random",                                                                           \
    .doc = "where in a cell; jittered needs whole numbers per cell, lattice 1, 8, 27, ..."         \
  }
#define PER_CELL                                                                                   \
  {                                                                                                \
    .key = "per_cell", .type = FIRN_TYPE_REAL, .range = "(0, 1000]", .initial = "8",               \
    .doc = "particles a grid cell"                                                                 \
  }
#define VARIATION                                                                                  \
  {                                                                                                \
    .key = "variation", .type = FIRN_TYPE_LIST, .record = &variation_record,                       \
    .doc = "material that differs from place to place; applied in order"                           \
  }
#define START                                                                                      \
  {                                                                                                \
    .key = "start", .type = FIRN_TYPE_REAL, .dimension = FIRN_DIM_TIME, .range = "[0, inf)",       \
    .initial = "0", .doc = "when it begins"                                                        \
  }
#define STOP                                                                                       \
  {                                                                                                \
    .key = "stop", .type = FIRN_TYPE_REAL, .dimension = FIRN_DIM_TIME, .range = "(0, inf]",        \
    .initial = ".inf", .doc = "when it ends"                                                       \
  }
#define NAME(what)                                                                                 \
  { .key = "name", .type = FIRN_TYPE_TEXT, .doc = what }

static const firn_schema_row points_rows[] = {
    {.key = "file",
     .type = FIRN_TYPE_PATH,
     .required = true,
     .doc = "CSV with columns x,y,z and perhaps vx,vy,vz and mass; or PLY"},
    {.key = "scale",
     .type = FIRN_TYPE_REAL,
     .range = "(0, inf)",
     .initial = "1",
     .doc = "metres a unit of the file"},
    {.key = "move",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .initial = "[0, 0, 0]",
     .doc = "after scaling"},
};
static const firn_schema_record points_record = {"a file of points", ROWS(points_rows)};

static const firn_schema_row snow_rows[] = {
    NAME("for messages and --set"),
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &firn_schema_shape,
     .group = "shape",
     .required = true,
     .doc = "what is filled with snow"},
    {.key = "points",
     .type = FIRN_TYPE_RECORD,
     .record = &points_record,
     .group = "shape",
     .required = true,
     .optional = true,
     .doc = "particles from a file"},
    MATERIAL,
    {.key = "velocity",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_VELOCITY,
     .initial = "[0, 0, 0]",
     .doc = "at the beginning"},
    SPIN,
    SEEDING,
    PER_CELL,
    {.key = "settled",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "laid down as it lies at rest, compressed by the weight of the shape above it"},
    {.key = "time",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TIME,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "when it appears"},
    VARIATION,
};
const firn_schema_record firn_schema_snow = {"a body of snow", ROWS(snow_rows)};

// -------------------------------------------------------------------------- sources and bounds

static const firn_schema_row emitter_rows[] = {
    NAME("for messages and --set"),
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &firn_schema_shape,
     .required = true,
     .doc = "where snow appears"},
    {.key = "particles",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_RATE,
     .range = "[0, inf)",
     .keyed = true,
     .group = "rate",
     .doc = "that many a second, at random in the shape"},
    {.key = "volume",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_VOLUME_RATE,
     .range = "[0, inf)",
     .keyed = true,
     .group = "rate",
     .doc = "that much a second, likewise"},
    {.key = "mass",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_MASS_RATE,
     .range = "[0, inf)",
     .keyed = true,
     .group = "rate",
     .doc = "that much a second, likewise; without a rate the shape is kept full"},
    MATERIAL,
    {.key = "velocity",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_VELOCITY,
     .initial = "[0, 0, 0]",
     .keyed = true,
     .doc = "of what appears"},
    {.key = "spread",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_VELOCITY,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "a random velocity of up to this size is added; needs a rate"},
    SPIN,
    SEEDING,
    PER_CELL,
    START,
    STOP,
    {.key = "max_count",
     .type = FIRN_TYPE_INT,
     .range = "[0, 9007199254740992]",
     .initial = "0",
     .doc = "particles in all; 0: no limit"},
    VARIATION,
};
const firn_schema_record firn_schema_emitter = {"an emitter", ROWS(emitter_rows)};

static const firn_schema_row sink_rows[] = {
    NAME("for messages and --set"),
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &firn_schema_shape,
     .required = true,
     .doc = "what enters it is taken away"},
    START,
    STOP,
};
const firn_schema_record firn_schema_sink = {"a sink", ROWS(sink_rows)};

#define CORNER(name, value, what)                                                                  \
  {                                                                                                \
    .key = name, .type = FIRN_TYPE_VEC3, .dimension = FIRN_DIM_LENGTH, .range = "[-inf, inf]",     \
    .initial = value, .doc = what                                                                  \
  }

static const firn_schema_row kill_box_rows[] = {
    CORNER("min", "[-.inf, -.inf, -.inf]", "its least corner; -.inf: no bound"),
    CORNER("max", "[.inf, .inf, .inf]", "its largest corner; .inf: no bound"),
};
const firn_schema_record firn_schema_kill_box = {"the kill box", ROWS(kill_box_rows)};

static const firn_schema_row window_rows[] = {
    CORNER("min", "[-.inf, -.inf, -.inf]", "its least corner at time 0; -.inf: no bound"),
    CORNER("max", "[.inf, .inf, .inf]", "its largest corner at time 0; .inf: no bound"),
    {.key = "velocity",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_VELOCITY,
     .initial = "[0, 0, 0]",
     .group = "how",
     .doc = "with which it moves"},
    {.key = "follow",
     .type = FIRN_TYPE_TEXT,
     .group = "how",
     .doc = "name of a collider with which it moves"},
};
const firn_schema_record firn_schema_window = {"the window", ROWS(window_rows)};

// -------------------------------------------------------------------------------------- probes

static const firn_schema_row probe_point_rows[] = {
    {.key = "center",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "where"},
    {.key = "radius",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .required = true,
     .doc = "snow this near counts"},
};
static const firn_schema_record probe_point = {"a point probe", ROWS(probe_point_rows)};

static const firn_schema_row probe_plane_rows[] = {
    {.key = "point",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "of the plane"},
    {.key = "normal",
     .type = FIRN_TYPE_VEC3,
     .required = true,
     .doc = "of the plane; any length but zero"},
    {.key = "reach",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .required = true,
     .doc = "snow this near to the plane counts"},
};
static const firn_schema_record probe_plane = {"a plane probe", ROWS(probe_plane_rows)};

static const firn_schema_row probe_box_rows[] = {
    {.key = "center",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "its middle"},
    {.key = "size",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .required = true,
     .doc = "its edges, whole lengths"},
};
static const firn_schema_record probe_box = {"a box probe", ROWS(probe_box_rows)};

static const firn_schema_row probe_rows[] = {
    NAME("for probes.csv"),
    {.key = "point",
     .type = FIRN_TYPE_RECORD,
     .record = &probe_point,
     .group = "kind",
     .required = true,
     .optional = true,
     .doc = "averages around a point"},
    {.key = "plane",
     .type = FIRN_TYPE_RECORD,
     .record = &probe_plane,
     .group = "kind",
     .required = true,
     .optional = true,
     .doc = "averages along a plane"},
    {.key = "box",
     .type = FIRN_TYPE_RECORD,
     .record = &probe_box,
     .group = "kind",
     .required = true,
     .optional = true,
     .doc = "averages in a box"},
};
const firn_schema_record firn_schema_probe = {"a probe", ROWS(probe_rows)};
