// SPDX-License-Identifier: Apache-2.0
// The rows of a material. What a file leaves out comes from the preset, so no row has a default.
#include "material/law.h"
#include "scene/schema.h"

// "snow|elastic|...", behind a first bar that is not part of it.
#define BAR_NAME(constant, name) "|" #name
static const char laws[] = FIRN_LAW_LIST(BAR_NAME);

static const firn_schema_row rows[] = {
    {.key = "preset",
     .type = FIRN_TYPE_TEXT,
     .initial = "snow",
     .doc = "where the other keys take their defaults from"},
    {.key = "law", .type = FIRN_TYPE_ENUM, .choices = &laws[1], .doc = "constitutive law"},
    {.key = "density",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_DENSITY,
     .range = "(0, inf)",
     .doc = "at rest"},
    {.key = "young",
     .type = FIRN_TYPE_REAL,
     .dimension = FIRN_DIM_PRESSURE,
     .range = "(0, inf)",
     .doc = "Young's modulus"},
    {.key = "poisson", .type = FIRN_TYPE_REAL, .range = "(-1, 0.5)", .doc = "Poisson's ratio"},
    {.key = "theta_c",
     .type = FIRN_TYPE_REAL,
     .range = "(0, 1)",
     .when = "law=snow",
     .doc = "critical compression: smaller breaks and packs sooner"},
    {.key = "theta_s",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf)",
     .when = "law=snow",
     .doc = "critical stretch: smaller breaks into smaller pieces"},
    {.key = "hardening",
     .type = FIRN_TYPE_REAL,
     .range = "[0, inf)",
     .when = "law=snow",
     .doc = "xi: stiffness grows as exp(xi (1 - J_P)) when packed"},
    {.key = "jp_range",
     .type = FIRN_TYPE_RANGE,
     .range = "[0, inf]",
     .when = "law=snow",
     .doc = "bounds on J_P; [0, .inf] is the paper's, no bound"},
};

const firn_schema_record firn_schema_material = {"a material", rows,
                                                 (int)(sizeof rows / sizeof rows[0])};
