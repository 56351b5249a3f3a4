// SPDX-License-Identifier: Apache-2.0
// The rows of forces.
#include "base/schema_rows.h"
#include "scene/schema.h"

static const firn_schema_row uniform_rows[] = {
    VEC3("acceleration", ACCELERATION, NULL, NULL, "of all snow", .required = true, .keyed = true),
};
static const firn_schema_record uniform_record = {"a uniform force", ROWS(uniform_rows)};

#define STRENGTH(sense)                                                                            \
  REAL("strength", ACCELERATION, NULL, NULL, "at its radius; " sense, .required = true,            \
       .keyed = true),                                                                             \
      REAL("radius", LENGTH, "(0, inf)", "1", "where it is as strong as that"),                    \
      REAL("falloff", NONE, "[-16, 16]", "2",                                                      \
           "power of radius over distance; 0: equally strong; -1: a spring"),                      \
      REAL("core", LENGTH, "[0, inf)", "0", "what is nearer does not feel more"),                  \
      REAL("reach", LENGTH, "[0, inf)", "0", "beyond it there is nothing; 0: it is everywhere")

static const firn_schema_row attractor_rows[] = {
    VEC3("center", LENGTH, NULL, "[0, 0, 0]", "the point, or one of the line", .keyed = true),
    VEC3("axis", NONE, NULL, "[0, 0, 0]", "the direction of the line; 0: a point"),
    STRENGTH("negative: away"),
};
static const firn_schema_record attractor_record = {"an attractor", ROWS(attractor_rows)};

static const firn_schema_row vortex_rows[] = {
    VEC3("center", LENGTH, NULL, "[0, 0, 0]", "a point of its axis", .keyed = true),
    VEC3("axis", NONE, NULL, "[0, 1, 0]", "its direction; any length but zero"),
    STRENGTH("right-handed about the axis"),
};
static const firn_schema_record vortex_record = {"a vortex", ROWS(vortex_rows)};

#define KIND(key, record, what)                                                                    \
  RECORD(key, record, what, .group = "kind", .required = true, .optional = true)

static const firn_schema_row force_rows[] = {
    TEXT("name", NULL, "for messages and --set"),
    KIND("uniform", &uniform_record, "the same everywhere"),
    KIND("attractor", &attractor_record, "towards a point or a line"),
    KIND("vortex", &vortex_record, "round a line"),
    KIND("drag", &firn_schema_drag, "towards the velocity of moving air, all snow alike"),
    BOOL("steady", "false", "snow may fall asleep under it (solver mpm), and is then passed over"),
};
const firn_schema_record firn_schema_force = {"a force", ROWS(force_rows)};
