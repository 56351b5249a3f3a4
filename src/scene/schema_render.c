// SPDX-License-Identifier: Apache-2.0
// The rows of pictures. Defaults repeat those of firn_default_render_def(); tests/api/render.c holds
// them equal.
#include "base/schema_rows.h"
#include "scene/schema.h"

// ---------------------------------------------------------------------------------------- looks

#define LOOK_ROWS(color, coat, rough)                                                              \
  VEC3("albedo", NONE, "[0, 1]", color,                                                            \
       "share of red, green and blue light that it scatters, linear"),                             \
      REAL("gloss", NONE, "[0, 1]", coat,                                                          \
           "share of light that its coat reflects head on; 0: none, 0.04: paint"),                 \
      REAL("roughness", NONE, "(0, 1]", rough, "of the coat: 0.05 is polished, 1 is matt")

static const firn_schema_row ground_rows[] = {LOOK_ROWS("[0.2, 0.215, 0.24]", "0", "0.3")};
static const firn_schema_record ground_record = {"the look of the ground", ROWS(ground_rows)};
static const firn_schema_row body_rows[] = {LOOK_ROWS("[0.55, 0.35, 0.2]", "0.04", "0.3")};
static const firn_schema_record bodies_record = {"the look of bodies", ROWS(body_rows)};
static const firn_schema_row look_rows[] = {LOOK_ROWS("[0.55, 0.35, 0.2]", "0.04", "0.3")};
const firn_schema_record firn_schema_look = {"a look", ROWS(look_rows)};
static const firn_schema_row part_look_rows[] = {LOOK_ROWS(NULL, NULL, NULL)};
static const firn_schema_record part_look_record = {"the look of a part", ROWS(part_look_rows)};
static const firn_schema_row named_look_rows[] = {
    LOOK_ROWS(NULL, NULL, NULL),
    TABLE("parts", &part_look_record, "of its parts by name, where it has some",
          .names_items = true),
};
static const firn_schema_record named_look_record = {"the look of a collider",
                                                     ROWS(named_look_rows)};

// --------------------------------------------------------------------------------------- camera

static const firn_schema_row turntable_rows[] = {
    REAL("turns", NONE, NULL, "1",
         "around the target, from above counterclockwise; negative: clockwise"),
    REAL("start", TIME, NULL, "0", "when it begins to turn"),
    REAL("duration", TIME, "[0, inf)", "0", "of all turns; 0: that of the scene"),
};
static const firn_schema_record turntable_record = {"a turntable", ROWS(turntable_rows)};

static const firn_schema_row camera_rows[] = {
    VEC3("eye", LENGTH, NULL, NULL,
         "where it stands; where not given, it looks at what preview looks at", .keyed = true),
    VEC3("target", LENGTH, NULL, NULL, "what it looks at; needed with eye", .keyed = true),
    VEC3("up", NONE, NULL, "[0, 1, 0]", "what is up in the picture; any length but zero",
         .keyed = true),
    REAL("fov", ANGLE, "(0, 3)", "0.5 rad",
         "field of view from the bottom of the picture to its top", .keyed = true),
    REAL("aperture", LENGTH, "[0, inf)", "0", "radius of the lens; 0: everything is sharp",
         .keyed = true),
    REAL("focus", LENGTH, "[0, inf)", "0", "distance at which it is sharp; 0: at the target",
         .keyed = true),
    RECORD("turntable", &turntable_record, "goes round the target while time passes",
           .optional = true),
};
static const firn_schema_record camera_record = {"the camera", ROWS(camera_rows)};

// ---------------------------------------------------------------------------------------- light

static const firn_schema_row sun_rows[] = {
    VEC3("direction", NONE, NULL, NULL,
         "towards the sun; where nothing says, it is to the left and a little behind the snow",
         .keyed = true),
    REAL(
        "azimuth", ANGLE, NULL, NULL,
        "of the sun seen from above, from -z (north) towards +x (east); alone: at the usual height",
        .keyed = true),
    REAL("height", ANGLE, "[-1.5708, 1.5708]", NULL,
         "of the sun above the horizon; alone: where it would be without", .keyed = true),
    REAL("strength", NONE, "[0, inf)", "1", "factor on its light; 0: no sun", .keyed = true),
    REAL("size", ANGLE, "[0.0001, 1.5]", "0.0093 rad",
         "its diameter in the sky: larger ones cast softer shadows"),
};
static const firn_schema_record sun_record = {"the sun", ROWS(sun_rows)};

static const firn_schema_row sky_rows[] = {
    VEC3("color", NONE, "[0, inf)", NULL, "radiance of a plain sky, instead of that of clear air",
         .group = "sky"),
    PATH("map", "an environment instead: EXR or HDR, latitude over longitude", .group = "sky"),
    REAL("rotate", ANGLE, NULL, "0", "turns the map about the vertical"),
    REAL("strength", NONE, "[0, inf)", "1", "factor on the light of the air or the map"),
    REAL("turbidity", NONE, "[1, 10]", "2", "of the air: 1 has no haze, 2 is clear, 10 hazy"),
    BOOL("hidden", "false", "gives light but is black in the picture, to lay it over another"),
};
static const firn_schema_record sky_record = {"the sky", ROWS(sky_rows)};

static const firn_schema_row lamp_rows[] = {
    VEC3("center", LENGTH, NULL, NULL, "its middle", .required = true),
    REAL("radius", LENGTH, "(0, inf)", NULL, "of a ball of light", .group = "shape",
         .required = true),
    VEC2("size", LENGTH, "(0, inf)", NULL, "width and height of a panel", .group = "shape",
         .required = true),
    VEC3("facing", NONE, NULL, "[0, -1, 0]",
         "direction in which a panel shines; any length but zero"),
    VEC3("radiance", NONE, "[0, inf)", NULL,
         "of red, green and blue light; white snow in the sun has about 1", .required = true),
};
static const firn_schema_record lamp_record = {"a lamp", ROWS(lamp_rows)};

// ----------------------------------------------------------------------------------------- snow

static const firn_schema_row snow_rows[] = {
    ENUM("look", "white|paper", "white",
         "white absorbs as little as ice does; paper has the printed albedo, which is blue"),
    REAL("extinction", NONE, "(0, 1e6]", NULL,
         "m^2/kg, times density gives 1/m; that of the look where not given"),
    VEC3("albedo", NONE, "[0, 1]", NULL,
         "of one scattering event; that of the look where not given"),
    REAL("g", NONE, "(-1, 1)", NULL,
         "mean cosine of the angle light is scattered by; that of the look where not given"),
    REAL("voxel", LENGTH, "[0, inf)", "0",
         "of the grid of densities; 0: half the spacing of particles, or less by the kernel"),
    REAL("kernel", NONE, "[0.1, 4]", "0.6",
         "how wide a particle is spread; 1: as the solver does, less is crisper"),
    REAL("anisotropy", NONE, "[0, 1]", "1",
         "1 flattens particles along the surface of the snow, 0 leaves them round"),
    REAL("adapt", NONE, "[0, 1]", "1",
         "1: particles lie wide and flat where packed, and are crumbs where loose; 0: all alike"),
    REAL("detail", NONE, "[0, 1]", "0.7",
         "fine noise that moves with the snow, as a share of its density"),
    REAL("similarity", NONE, "[0, 1e6]", "0",
         "scattering events after which the snow may be thinned; 0: never, which is exact"),
};
static const firn_schema_record snow_record = {"the look of snow", ROWS(snow_rows)};

// -------------------------------------------------------------------------------------- picture

static const firn_schema_row rows[] = {
    VEC2("size", NONE, "[16, 16384]", "[960, 540]", "width and height in pixels"),
    INT("samples", "[1, 1000000]", "64", "paths a pixel; four times as many halve the noise"),
    REAL("noise", NONE, "[0, 1]", "0",
         "standard error, as a part of white, at which a pixel is done early; 0: never"),
    INT("bounces", "[0, 1000000]", "0", "scattering events after which a path is cut; 0: none is"),
    INT("seed", "[0, 9007199254740992]", "0", "of the picture's noise"),
    REAL("shutter", NONE, "[0, 1]", "0",
         "share of a frame's time that it is open; 0: no motion blur, 0.5 is usual in films"),
    RECORD("camera", &camera_record, "where from"),
    RECORD("sun", &sun_record, "the sun"),
    RECORD("sky", &sky_record, "the sky"),
    LIST("lamps", &lamp_record, "other lights"),
    RECORD("snow", &snow_record, "how snow looks"),
    RECORD("ground", &ground_record, "how half spaces and height fields look"),
    RECORD("bodies", &bodies_record, "how other colliders look that do not say so themselves"),
    TABLE("looks", &named_look_record,
          "of colliders by name; what one leaves out is as it would be without it",
          .names_items = true),
    REAL("exposure", NONE, "[-32, 32]", "0", "stops: 1 more is twice as bright", .keyed = true),
    REAL("white", TEMPERATURE, "[2000, 25000]", "6504 K",
         "the light that is shown as white; lower makes the picture bluer"),
    BOOL("filmic", "true", "rolls highlights off; false: cuts them"),
    BOOL("denoise", "false",
         "takes noise away, and a little of what it hides; leave it off for measurements"),
    BOOL("planes", "false", "EXR files hold depth, density, velocity, albedo and normals, too"),
};
const firn_schema_record firn_schema_render = {"the render section", ROWS(rows)};
