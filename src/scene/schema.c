// SPDX-License-Identifier: Apache-2.0
#include "scene/schema.h"

#include "solver/solver.h"

#define ROWS(rows) rows, (int)(sizeof(rows) / sizeof((rows)[0]))

// ------------------------------------------------------------------------------------- shapes

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

static const firn_schema_row sphere_rows[] = {
    {.key = "center",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "its middle"},
    {.key = "radius",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .required = true,
     .doc = "its radius"},
};
static const firn_schema_record sphere_record = {"a sphere", ROWS(sphere_rows)};

static const firn_schema_row box_rows[] = {
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
static const firn_schema_record box_record = {"a box", ROWS(box_rows)};

// Snow fills what has a volume; a half space has none.
static const firn_schema_row solid_rows[] = {
    {.key = "sphere", .type = FIRN_TYPE_RECORD, .record = &sphere_record, .doc = "a ball"},
    {.key = "box", .type = FIRN_TYPE_RECORD, .record = &box_record, .doc = "a box along the axes"},
};
static const firn_schema_record solid_record = {"a shape", ROWS(solid_rows)};

static const firn_schema_row shape_rows[] = {
    {.key = "half_space",
     .type = FIRN_TYPE_RECORD,
     .record = &half_space_record,
     .doc = "everything behind a plane: ground, walls, slopes"},
    {.key = "sphere", .type = FIRN_TYPE_RECORD, .record = &sphere_record, .doc = "a ball"},
    {.key = "box", .type = FIRN_TYPE_RECORD, .record = &box_record, .doc = "a box along the axes"},
};
static const firn_schema_record shape_record = {"a shape", ROWS(shape_rows)};

// ------------------------------------------------------------------------- snow and colliders

static const firn_schema_row snow_rows[] = {
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &solid_record,
     .required = true,
     .doc = "what is filled with snow"},
    {.key = "material",
     .type = FIRN_TYPE_MATERIAL,
     .doc = "a material of this file or a preset; the only one of this file, else snow"},
    {.key = "velocity",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_VELOCITY,
     .initial = "[0, 0, 0]",
     .doc = "at the beginning"},
    {.key = "spin",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_SPIN,
     .initial = "[0, 0, 0]",
     .doc = "about the middle of the shape, at the beginning"},
    {.key = "seeding",
     .type = FIRN_TYPE_ENUM,
     .choices = "random|jittered|lattice",
     .initial = "random",
     .doc = "where in a cell; jittered needs whole numbers per cell, lattice 1, 8, 27, ..."},
    {.key = "per_cell",
     .type = FIRN_TYPE_REAL,
     .range = "(0, 1000]",
     .initial = "8",
     .doc = "particles a grid cell"},
};
static const firn_schema_record snow_record = {"a body of snow", ROWS(snow_rows)};

static const firn_schema_row collider_rows[] = {
    {.key = "name", .type = FIRN_TYPE_TEXT, .doc = "for messages and colliders.csv"},
    {.key = "shape",
     .type = FIRN_TYPE_CHOICE,
     .record = &shape_record,
     .required = true,
     .doc = "what the snow meets"},
    {.key = "friction",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf]",
     .initial = "0.5",
     .doc = "Coulomb's coefficient"},
    {.key = "sticky",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "holds what touches it, whatever the direction"},
    {.key = "velocity",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_VELOCITY,
     .initial = "[0, 0, 0]",
     .doc = "all the time"},
    {.key = "spin",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_SPIN,
     .initial = "[0, 0, 0]",
     .doc = "about the middle of the shape, all the time"},
};
static const firn_schema_record collider_record = {"a collider", ROWS(collider_rows)};

// ------------------------------------------------------------------------------------ preview

static const firn_schema_row preview_rows[] = {
    {.key = "width",
     .type = FIRN_TYPE_INT,
     .range = "[16, 16384]",
     .initial = "960",
     .doc = "pixels"},
    {.key = "height",
     .type = FIRN_TYPE_INT,
     .range = "[16, 16384]",
     .initial = "540",
     .doc = "pixels"},
    {.key = "center",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .initial = "[0, 0, 0]",
     .doc = "what is looked at; with extent 0 the picture fits the snow instead"},
    {.key = "extent",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "height of what is seen at center; 0: fits the snow"},
    {.key = "view",
     .type = FIRN_TYPE_VEC3,
     .initial = "[-0.35, -0.3, -1]",
     .doc = "the direction the camera looks in; any length but zero"},
    {.key = "ground",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .initial = "0",
     .doc = "height of the ground plane"},
    {.key = "show_ground", .type = FIRN_TYPE_BOOL, .initial = "true", .doc = "draws the ground"},
};
static const firn_schema_record preview_record = {"the preview", ROWS(preview_rows)};

// --------------------------------------------------------------------------------------- root

// "mpm|...", behind a first bar that is not part of it.
#define BAR_NAME(name) "|" #name
static const char solvers[] = FIRN_SOLVER_LIST(BAR_NAME);

static const firn_schema_row root_rows[] = {
    {.key = "firn",
     .type = FIRN_TYPE_INT,
     .range = "[1, 1]",
     .required = true,
     .doc = "the first line says `firn: 1`, the version of the format"},
    {.key = "title", .type = FIRN_TYPE_TEXT, .initial = "", .doc = "one line"},
    {.key = "seed",
     .type = FIRN_TYPE_INT,
     .range = "[0, 9007199254740992]",
     .initial = "0",
     .doc = "of every random number"},
    {.key = "spacing",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .group = "h",
     .required = true,
     .doc = "between particles at 8 per cell; the grid's spacing is twice that"},
    {.key = "h",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .group = "h",
     .required = true,
     .doc = "the grid's spacing, instead of spacing"},
    {.key = "quality",
     .type = FIRN_TYPE_REAL,
     .range = "(0, 100]",
     .initial = "1",
     .doc = "divides spacing and h: 2 means 8 times as many particles"},
    {.key = "frames",
     .type = FIRN_TYPE_INT,
     .range = "[0, 99999]",
     .initial = "48",
     .doc = "the last frame; frame 0 is the initial state"},
    {.key = "fps",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_RATE,
     .range = "(0, inf)",
     .initial = "24",
     .doc = "frames a second of simulated time"},
    {.key = "gravity",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_ACCELERATION,
     .initial = "[0, -9.81, 0]",
     .doc = "acceleration of free fall"},
    {.key = "periodic",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "[0, 0, 0]",
     .doc = "period along each axis, a multiple of 4 h; 0: not periodic"},
    {.key = "solver",
     .type = FIRN_TYPE_ENUM,
     .choices = &solvers[1],
     .initial = "mpm",
     .doc = "the method"},
    {.key = "mpm",
     .type = FIRN_TYPE_RECORD,
     .record = &firn_schema_mpm,
     .doc = "the material point method"},
    {.key = "materials",
     .type = FIRN_TYPE_TABLE,
     .record = &firn_schema_material,
     .doc = "materials by name"},
    {.key = "snow",
     .type = FIRN_TYPE_LIST,
     .record = &snow_record,
     .required = true,
     .doc = "bodies of snow"},
    {.key = "colliders",
     .type = FIRN_TYPE_LIST,
     .record = &collider_record,
     .doc = "what the snow meets"},
    {.key = "preview",
     .type = FIRN_TYPE_RECORD,
     .record = &preview_record,
     .doc = "the shaded picture of firn demo"},
};
const firn_schema_record firn_schema_root = {"a scene", ROWS(root_rows)};
