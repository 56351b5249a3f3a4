// SPDX-License-Identifier: Apache-2.0
// The rows of snow: bodies, sources, bounds, and where it is looked at.
#include <firn/fill.h>

#include "base/schema_rows.h"
#include "scene/schema.h"

// ------------------------------------------------------------------------------------- variety

#define PROPERTIES(X)                                                                              \
  FIRN_MATERIAL_LIST(X, X, FIRN_NO_NUMBER)                                                         \
  X(TEMPERATURE, temperature, NULL, TEMPERATURE, )                                                 \
  X(PACKING, packing, NULL, NONE, )

#define PROPERTY_ROW(CONSTANT, name, law, dimension, ...)                                          \
  {#name, FIRN_PROPERTY_##CONSTANT, FIRN_DIM_##dimension},
const firn_schema_property firn_schema_properties[] = {PROPERTIES(PROPERTY_ROW){NULL, 0, 0}};
#define BAR_NAME(CONSTANT, name, ...) "|" #name
static const char properties[] = PROPERTIES(BAR_NAME);

static const firn_schema_row variation_rows[] = {
    WORDS("of", &properties[1], NULL,
          "what varies; packing is the share of particles that are placed", .required = true),
    RANGE("depth", LENGTH, "[-inf, inf]", NULL, "only from here to there below the body's surface",
          .group = "where"),
    RANGE("height", LENGTH, "[-inf, inf]", NULL,
          "only from here to there along axis from the origin", .group = "where"),
    CHOICE("mask", &firn_schema_shape, "only inside this shape", .group = "where"),
    VEC3("axis", NONE, NULL, "[0, 1, 0]", "of height; any length but zero"),
    REAL("blend", LENGTH, "[0, inf)", "0",
         "fades out over this distance outside depth, height or mask"),
    REAL("factor", NONE, "[0, inf)", "1", "multiplies"),
    REAL("offset", ANY, NULL, "0", "then adds, in the unit of what varies"),
    REAL("amplitude", NONE, "[0, 1]", "0",
         "then multiplies by 1 + amplitude noise: 50 % is half to one and a half times"),
    REAL("wavelength", LENGTH, "(0, inf)", NULL, "of the noise; needed with an amplitude"),
    INT("octaves", "[1, 16]", "1",
        "of the noise, each half as long and half as strong as the one before"),
    INT("seed", "[0, 9007199254740992]", "0", "of the noise, besides the scene's"),
};
static const firn_schema_record variation_record = {"a variation", ROWS(variation_rows)};

// --------------------------------------------------------------------------------- bodies of snow

#define MATERIAL                                                                                   \
  ROW("material", MATERIAL,                                                                        \
      .doc = "a material of this file or a preset; the only one of this file, else snow")
#define SPIN VEC3("spin", SPIN, NULL, "[0, 0, 0]", "about the pivot, at the beginning")
#define PIVOT                                                                                      \
  VEC3("pivot", LENGTH, NULL, NULL, "a point of the axis of spin; the middle of the shape if none")
#define TEMPERATURE                                                                                \
  REAL("temperature", TEMPERATURE, "(0, inf)", NULL, "at the beginning; 0 degC if none")
#define SEEDING                                                                                    \
  ENUM("seeding", "auto|random|jittered|lattice|poisson", "auto",                                  \
       "where in a cell; auto: random under mpm, else a lattice (per_cell 1, 8, 27, ...)")
#define PER_CELL REAL("per_cell", NONE, "(0, 1000]", "8", "particles a grid cell")
#define VARIATION                                                                                  \
  LIST("variation", &variation_record,                                                             \
       "material that differs from place to place; applied in order")
#define START      REAL("start", TIME, "[0, inf)", "0", "when it begins")
#define STOP       REAL("stop", TIME, "(0, inf]", ".inf", "when it ends")
#define NAME(what) TEXT("name", NULL, what)

static const firn_schema_row points_rows[] = {
    PATH("file", "CSV with columns x,y,z and perhaps vx,vy,vz and mass; or PLY", .required = true),
    REAL("scale", NONE, "(0, inf)", "1", "metres a unit of the file"),
    VEC3("move", LENGTH, NULL, "[0, 0, 0]", "after scaling"),
};
static const firn_schema_record points_record = {"a file of points", ROWS(points_rows)};

static const firn_schema_row snow_rows[] = {
    NAME("for messages and --set"),
    CHOICE("shape", &firn_schema_shape, "what is filled with snow", .group = "shape",
           .required = true),
    RECORD("points", &points_record, "particles from a file", .group = "shape", .required = true,
           .optional = true),
    MATERIAL,
    FORMULAS("velocity", VELOCITY, "[0, 0, 0]", 3, "at the beginning; spin is added"),
    SPIN,
    PIVOT,
    TEMPERATURE,
    FORMULAS("strain", NONE, NULL, 6, "elastic strain b_E - I at the beginning", .group = "load"),
    FORMULAS("stress", PRESSURE, NULL, 6, "Cauchy stress at the beginning, tension positive",
             .group = "load"),
    SEEDING,
    PER_CELL,
    BOOL("settled", "false",
         "laid down as it lies at rest, in balance with its weight and what lies on it"),
    REAL("time", TIME, "[0, inf)", "0", "when it appears"),
    VARIATION,
};
const firn_schema_record firn_schema_snow = {"a body of snow", ROWS(snow_rows)};

// -------------------------------------------------------------------------- sources and bounds

static const firn_schema_row emitter_rows[] = {
    NAME("for messages and --set"),
    CHOICE("shape", &firn_schema_shape, "where snow appears", .required = true),
    REAL("particles", RATE, "[0, inf)", NULL, "that many a second, at random in the shape",
         .group = "rate", .keyed = true),
    REAL("volume", VOLUME_RATE, "[0, inf)", NULL, "that much a second, likewise", .group = "rate",
         .keyed = true),
    REAL("mass", MASS_RATE, "[0, inf)", NULL,
         "that much a second, likewise; without a rate the shape is kept full", .group = "rate",
         .keyed = true),
    REAL("snowfall", VELOCITY, "[0, inf)", NULL,
         "flakes of that depth of water a time, 1 mm/h is 1 kg/m^2 an hour, where there is room",
         .group = "rate", .keyed = true),
    MATERIAL,
    VEC3("velocity", VELOCITY, NULL, "[0, 0, 0]", "of what appears", .keyed = true),
    REAL("spread", VELOCITY, "[0, inf)", "0",
         "a random velocity of up to this size is added; needs a rate"),
    SPIN,
    PIVOT,
    TEMPERATURE,
    SEEDING,
    REAL("per_cell", NONE, "(0, 1000]", "8", "particles a grid cell", .group = "size"),
    REAL("flake", LENGTH, "(0, inf)", NULL, "size of a flake of snowfall; the spacing if none",
         .group = "size"),
    START,
    STOP,
    INT("max_count", "[0, 9007199254740992]", "0", "particles in all; 0: no limit"),
    VARIATION,
};
const firn_schema_record firn_schema_emitter = {"an emitter", ROWS(emitter_rows)};

static const firn_schema_row sink_rows[] = {
    NAME("for messages and --set"),
    CHOICE("shape", &firn_schema_shape, "what enters it is taken away", .required = true),
    START,
    STOP,
};
const firn_schema_record firn_schema_sink = {"a sink", ROWS(sink_rows)};

#define CORNER(name, value, what) VEC3(name, LENGTH, "[-inf, inf]", value, what)

static const firn_schema_row kill_box_rows[] = {
    CORNER("min", "[-.inf, -.inf, -.inf]", "its least corner; -.inf: no bound"),
    CORNER("max", "[.inf, .inf, .inf]", "its largest corner; .inf: no bound"),
};
const firn_schema_record firn_schema_kill_box = {"the kill box", ROWS(kill_box_rows)};

static const firn_schema_row window_rows[] = {
    CORNER("min", "[-.inf, -.inf, -.inf]", "its least corner at time 0; -.inf: no bound"),
    CORNER("max", "[.inf, .inf, .inf]", "its largest corner at time 0; .inf: no bound"),
    VEC3("velocity", VELOCITY, NULL, "[0, 0, 0]", "with which it moves", .group = "how"),
    TEXT("follow", NULL, "name of a collider with which it moves", .group = "how"),
};
const firn_schema_record firn_schema_window = {"the window", ROWS(window_rows)};

// -------------------------------------------------------------------------------------- probes

static const firn_schema_row probe_point_rows[] = {
    VEC3("center", LENGTH, NULL, NULL, "where", .required = true),
    REAL("radius", LENGTH, "(0, inf)", NULL, "snow this near counts", .required = true),
};
static const firn_schema_record probe_point = {"a point probe", ROWS(probe_point_rows)};

static const firn_schema_row probe_plane_rows[] = {
    VEC3("point", LENGTH, NULL, NULL, "of the plane", .required = true),
    VEC3("normal", NONE, NULL, NULL, "of the plane; any length but zero", .required = true),
    REAL("reach", LENGTH, "(0, inf)", NULL, "snow this near to the plane counts", .required = true),
};
static const firn_schema_record probe_plane = {"a plane probe", ROWS(probe_plane_rows)};

static const firn_schema_row probe_box_rows[] = {
    VEC3("center", LENGTH, NULL, NULL, "its middle", .required = true),
    VEC3("size", LENGTH, "(0, inf)", NULL, "its edges, whole lengths", .required = true),
};
static const firn_schema_record probe_box = {"a box probe", ROWS(probe_box_rows)};

static const firn_schema_row probe_rows[] = {
    NAME("for probes.csv"),
    RECORD("point", &probe_point, "averages around a point", .group = "kind", .required = true,
           .optional = true),
    RECORD("plane", &probe_plane, "averages along a plane", .group = "kind", .required = true,
           .optional = true),
    RECORD("box", &probe_box, "averages in a box", .group = "kind", .required = true,
           .optional = true),
};
const firn_schema_record firn_schema_probe = {"a probe", ROWS(probe_rows)};
