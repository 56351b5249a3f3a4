// SPDX-License-Identifier: Apache-2.0
// The rows of velocities that snow is given while the simulation runs.
#include "base/schema_rows.h"
#include "scene/schema.h"

static const firn_schema_row impulse_rows[] = {
    TEXT("name", NULL, "for messages and --set"),
    REAL("time", TIME, NULL, NULL, "at the first step that begins then or later", .required = true),
    VEC3("velocity", VELOCITY, NULL, "[0, 0, 0]", "added to what the snow has"),
    VEC3("spin", SPIN, NULL, "[0, 0, 0]", "about the pivot, likewise"),
    VEC3("pivot", LENGTH, NULL, "[0, 0, 0]", "a point of the axis of spin"),
    CHOICE("shape", &firn_schema_shape, "the snow that lies in it then; all of it where not given"),
};
const firn_schema_record firn_schema_impulse = {"an impulse", ROWS(impulse_rows)};
