// SPDX-License-Identifier: Apache-2.0
// The rows of pictures. Defaults repeat those of firn_default_render_def(); tests/api/render.c holds
// them equal.
#include "scene/schema.h"

#define ROWS FIRN_SCHEMA_ROWS

// ---------------------------------------------------------------------------------------- looks

#define LOOK_ROWS(color, coat)                                                                     \
  {.key = "albedo",                                                                                \
   .type = FIRN_TYPE_VEC3,                                                                         \
   .range = "[0, 1]",                                                                              \
   .initial = color,                                                                               \
   .doc = "share of red, green and blue light that it scatters, linear"},                          \
      {.key = "gloss",                                                                             \
       .type = FIRN_TYPE_REAL,                                                                     \
       .range = "[0, 1]",                                                                          \
       .initial = coat,                                                                            \
       .doc = "share of light that its coat reflects head on; 0: none, 0.04: paint"},              \
  {                                                                                                \
    .key = "roughness", .type = FIRN_TYPE_REAL, .range = "(0, 1]", .initial = "0.3",               \
    .doc = "of the coat: 0.05 is polished, 1 is matt"                                              \
  }

static const firn_schema_row ground_rows[] = {LOOK_ROWS("[0.2, 0.215, 0.24]", "0")};
static const firn_schema_record ground_record = {"the look of the ground", ROWS(ground_rows)};
static const firn_schema_row body_rows[] = {LOOK_ROWS("[0.55, 0.35, 0.2]", "0.04")};
static const firn_schema_record bodies_record = {"the look of bodies", ROWS(body_rows)};
static const firn_schema_row look_rows[] = {LOOK_ROWS("[0.55, 0.35, 0.2]", "0.04")};
const firn_schema_record firn_schema_look = {"a look", ROWS(look_rows)};

// --------------------------------------------------------------------------------------- camera

static const firn_schema_row turntable_rows[] = {
    {.key = "turns",
     .type = FIRN_TYPE_REAL,
     .initial = "1",
     .doc = "around the target, from above counterclockwise; negative: clockwise"},
    {.key = "start",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TIME,
     .initial = "0",
     .doc = "when it begins to turn"},
    {.key = "duration",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TIME,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "of all turns; 0: that of the scene"},
};
static const firn_schema_record turntable_record = {"a turntable", ROWS(turntable_rows)};

static const firn_schema_row camera_rows[] = {
    {.key = "eye",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .keyed = true,
     .doc = "where it stands; where not given, it looks at what preview looks at"},
    {.key = "target",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .keyed = true,
     .doc = "what it looks at; needed with eye"},
    {.key = "up",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, 1, 0]",
     .keyed = true,
     .doc = "what is up in the picture; any length but zero"},
    {.key = "fov",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .range = "(0, 3)",
     .initial = "0.5 rad",
     .keyed = true,
     .doc = "field of view from the bottom of the picture to its top"},
    {.key = "aperture",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "0",
     .keyed = true,
     .doc = "radius of the lens; 0: everything is sharp"},
    {.key = "focus",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "0",
     .keyed = true,
     .doc = "distance at which it is sharp; 0: at the target"},
    {.key = "turntable",
     .type = FIRN_TYPE_RECORD,
     .record = &turntable_record,
     .optional = true,
     .doc = "goes round the target while time passes"},
};
static const firn_schema_record camera_record = {"the camera", ROWS(camera_rows)};

// ---------------------------------------------------------------------------------------- light

static const firn_schema_row sun_rows[] = {
    {.key = "direction",
     .type = FIRN_TYPE_VEC3,
     .keyed = true,
     .doc = "towards the sun; where nothing says, it is to the left and a little behind the snow"},
    {.key = "azimuth",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .keyed = true,
     .doc = "of the sun seen from above, from -z (north) towards +x (east)"},
    {.key = "height",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .range = "[-1.5708, 1.5708]",
     .keyed = true,
     .doc = "of the sun above the horizon"},
    {.key = "strength",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf)",
     .initial = "1",
     .keyed = true,
     .doc = "factor on its light; 0: no sun"},
    {.key = "size",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .range = "[0.0001, 1.5]",
     .initial = "0.0093 rad",
     .doc = "its diameter in the sky: larger ones cast softer shadows"},
};
static const firn_schema_record sun_record = {"the sun", ROWS(sun_rows)};

static const firn_schema_row sky_rows[] = {
    {.key = "color",
     .type = FIRN_TYPE_VEC3,
     .range = "[0, inf)",
     .group = "sky",
     .doc = "radiance of a plain sky, instead of that of clear air"},
    {.key = "map",
     .type = FIRN_TYPE_PATH,
     .group = "sky",
     .doc = "an environment instead: EXR or HDR, latitude over longitude"},
    {.key = "rotate",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_ANGLE,
     .initial = "0",
     .doc = "turns the map about the vertical"},
    {.key = "strength",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf)",
     .initial = "1",
     .doc = "factor on the light of the air or the map"},
    {.key = "turbidity",
     .type = FIRN_TYPE_REAL,
     .range = "[1, 10]",
     .initial = "2",
     .doc = "of the air: 1 has no haze, 2 is clear, 10 hazy"},
    {.key = "hidden",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "gives light but is black in the picture, to lay it over another"},
};
static const firn_schema_record sky_record = {"the sky", ROWS(sky_rows)};

static const firn_schema_row lamp_rows[] = {
    {.key = "center",
     .type = FIRN_TYPE_VEC3,
     .dimension = FIRN_DIM_LENGTH,
     .required = true,
     .doc = "its middle"},
    {.key = "radius",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .group = "shape",
     .required = true,
     .doc = "of a ball of light"},
    {.key = "size",
     .type = FIRN_TYPE_VEC2,
     .dimension = FIRN_DIM_LENGTH,
     .range = "(0, inf)",
     .group = "shape",
     .required = true,
     .doc = "width and height of a panel"},
    {.key = "facing",
     .type = FIRN_TYPE_VEC3,
     .initial = "[0, -1, 0]",
     .doc = "direction in which a panel shines; any length but zero"},
    {.key = "radiance",
     .type = FIRN_TYPE_VEC3,
     .range = "[0, inf)",
     .required = true,
     .doc = "of red, green and blue light; white snow in the sun has about 1"},
};
static const firn_schema_record lamp_record = {"a lamp", ROWS(lamp_rows)};

// ----------------------------------------------------------------------------------------- snow

static const firn_schema_row snow_rows[] = {
    {.key = "look",
     .type = FIRN_TYPE_ENUM,
     .choices = "white|paper",
     .initial = "white",
     .doc = "white absorbs as little as ice does; paper has the printed albedo, which is blue"},
    {.key = "extinction",
     .type = FIRN_TYPE_REAL,
     .range = "(0, 1e6]",
     .doc = "m^2/kg, times density gives 1/m; that of the look where not given"},
    {.key = "albedo",
     .type = FIRN_TYPE_VEC3,
     .range = "[0, 1]",
     .doc = "of one scattering event; that of the look where not given"},
    {.key = "g",
     .type = FIRN_TYPE_REAL,
     .range = "(-1, 1)",
     .doc = "mean cosine of the angle light is scattered by; that of the look where not given"},
    {.key = "voxel",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_LENGTH,
     .range = "[0, inf)",
     .initial = "0",
     .doc = "of the grid of densities; 0: half the spacing of particles, or less by the kernel"},
    {.key = "kernel",
     .type = FIRN_TYPE_REAL,
     .range = "[0.1, 4]",
     .initial = "0.6",
     .doc = "how wide a particle is spread; 1: as the solver does, less is crisper"},
    {.key = "anisotropy",
     .type = FIRN_TYPE_REAL,
     .range = "[0, 1]",
     .initial = "1",
     .doc = "1 flattens particles along the surface of the snow, 0 leaves them round"},
    {.key = "detail",
     .type = FIRN_TYPE_REAL,
     .range = "[0, 1]",
     .initial = "0.7",
     .doc = "fine noise that moves with the snow, as a share of its density"},
    {.key = "similarity",
     .type = FIRN_TYPE_REAL,
     .range = "[0, 1e6]",
     .initial = "0",
     .doc = "scattering events after which the snow may be thinned; 0: never, which is exact"},
};
static const firn_schema_record snow_record = {"the look of snow", ROWS(snow_rows)};

// -------------------------------------------------------------------------------------- picture

static const firn_schema_row rows[] = {
    {.key = "size",
     .type = FIRN_TYPE_VEC2,
     .range = "[16, 16384]",
     .initial = "[960, 540]",
     .doc = "width and height in pixels"},
    {.key = "samples",
     .type = FIRN_TYPE_INT,
     .range = "[1, 1000000]",
     .initial = "64",
     .doc = "paths a pixel; four times as many halve the noise"},
    {.key = "noise",
     .type = FIRN_TYPE_REAL,
     .range = "[0, 1]",
     .initial = "0",
     .doc = "standard error, as a part of white, at which a pixel is done early; 0: never"},
    {.key = "bounces",
     .type = FIRN_TYPE_INT,
     .range = "[0, 1000000]",
     .initial = "0",
     .doc = "scattering events after which a path is cut; 0: none is"},
    {.key = "seed",
     .type = FIRN_TYPE_INT,
     .range = "[0, 9007199254740992]",
     .initial = "0",
     .doc = "of the picture's noise"},
    {.key = "shutter",
     .type = FIRN_TYPE_REAL,
     .range = "[0, 1]",
     .initial = "0",
     .doc = "share of a frame's time that it is open; 0: no motion blur, 0.5 is usual in films"},
    {.key = "camera", .type = FIRN_TYPE_RECORD, .record = &camera_record, .doc = "where from"},
    {.key = "sun", .type = FIRN_TYPE_RECORD, .record = &sun_record, .doc = "the sun"},
    {.key = "sky", .type = FIRN_TYPE_RECORD, .record = &sky_record, .doc = "the sky"},
    {.key = "lamps", .type = FIRN_TYPE_LIST, .record = &lamp_record, .doc = "other lights"},
    {.key = "snow", .type = FIRN_TYPE_RECORD, .record = &snow_record, .doc = "how snow looks"},
    {.key = "ground",
     .type = FIRN_TYPE_RECORD,
     .record = &ground_record,
     .doc = "how half spaces and height fields look"},
    {.key = "bodies",
     .type = FIRN_TYPE_RECORD,
     .record = &bodies_record,
     .doc = "how other colliders look that do not say so themselves"},
    {.key = "exposure",
     .type = FIRN_TYPE_REAL,
     .range = "[-32, 32]",
     .initial = "0",
     .keyed = true,
     .doc = "stops: 1 more is twice as bright"},
    {.key = "white",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_TEMPERATURE,
     .range = "[2000, 25000]",
     .initial = "6504 K",
     .doc = "the light that is shown as white; lower makes the picture bluer"},
    {.key = "filmic",
     .type = FIRN_TYPE_BOOL,
     .initial = "true",
     .doc = "rolls highlights off; false: cuts them"},
    {.key = "denoise",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "takes noise away, and a little of what it hides; leave it off for measurements"},
    {.key = "planes",
     .type = FIRN_TYPE_BOOL,
     .initial = "false",
     .doc = "EXR files hold depth, density, velocity, albedo and normals, too"},
};
const firn_schema_record firn_schema_render = {"the render section", ROWS(rows)};
